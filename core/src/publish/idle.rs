//! Keys of a plan that would do nothing for the method and the form at hand: the plan is refused.
//!
//! What a plan says is done, or refused. Checks that need no table are made when a plan is read;
//! these need one: what a method goes by depends on what the values are.

use crate::anonymize::Along;
use crate::criterion::{Bound, Requirement, Subject, Word};
use crate::data::hierarchy::Rule;
use crate::data::{Column, ColumnSpec, Formats, Formulas, Role, Table};
use crate::error::{Error, ErrorCode, Result};
use crate::plan::{Attempt, Publishing, TablePlan};
use crate::recode::{Form, center_of};
use std::path::Path;

/// Refuses a plan with a key that would do nothing.
pub fn refuse(plan: &TablePlan, table: &Table, bound: &[Bound], formats: &Formats) -> Result<()> {
    let case = Case { plan, publishing: &plan.publishing };
    let quasi = plan.schema.select(table, Role::Quasi)?;
    for (at, column) in quasi.iter().enumerate() {
        if let Some(spec) = plan.schema.find(column.name()) {
            case.refuse_label(at, column, spec, bound)?;
            case.refuse_on_quasi(at, column, spec)?;
        }
    }
    for name in plan.schema.names(Role::Sensitive) {
        if let Some(spec) = plan.schema.find(name) {
            case.refuse_on_sensitive(spec, bound)?;
        }
    }
    case.refuse_formulas(formats)
}

/// Refuses an attack that the plan names and that finds nothing to attack.
pub fn refuse_attack_without_finding(publishing: &Publishing, attempt: &Attempt, is_empty: bool) -> Result<()> {
    if !is_empty || !attempt.is_named || publishing.skew.method.is_some() {
        return Ok(());
    }
    let form = publishing.recoding.form.name();
    let message =
        format!("[[attack]] {}: there is nothing for it to find in this {form} release", attempt.attack.kind.name);
    Err(Error::of(ErrorCode::NoEffect, message)
        .help("leave it out; `sfumato list attacks` says what each attack needs"))
}

/// What a plan asks for.
struct Case<'a> {
    plan: &'a TablePlan,
    publishing: &'a Publishing,
}

impl Case<'_> {
    fn forms_groups(&self) -> bool {
        !self.publishing.method.chooses_levels()
    }

    fn is_bucketized(&self) -> bool {
        self.publishing.recoding.form == Form::Bucketized
    }

    /// The method and the form, for errors.
    fn name(&self) -> String {
        format!("{} with form = \"{}\"", self.publishing.method.kind.name, self.publishing.recoding.form.name())
    }

    fn refuse_on_quasi(&self, at: usize, column: &Column, spec: &ColumnSpec) -> Result<()> {
        let along = self.publishing.method.build().along(at, column, &self.plan.schema)?;
        let by_order = along == Along::Order || (along == Along::Hierarchy && self.hierarchy_goes_by_order(spec));
        if !spec.order.is_empty() && !by_order {
            let help = "leave it out, or use a method that sorts by it (`sfumato list methods`)";
            return Err(self.idle(&spec.name, "order", "does not compare its values by their order", help));
        }
        if !self.forms_groups() || !self.is_bucketized() {
            return Ok(());
        }
        let (low, _) = self.plan.schema.level_range(column)?;
        if low > 0 {
            return Ok(());
        }
        let height = self.plan.schema.quasi_hierarchy(column)?.height();
        let help = format!("publish coarser values with levels = [1, {height}], or leave it out");
        let why = "publishes the column on its lowest level, which is the value itself";
        if spec.levels.is_some_and(|(_, high)| high < height) {
            return Err(self.idle(&spec.name, "levels", why, &help));
        }
        if spec.rule.is_some() && along != Along::Hierarchy {
            return Err(self.idle(&spec.name, "hierarchy", why, &help));
        }
        Ok(())
    }

    /// A mean or a median belongs to a group of records, of a column of numbers, of which nothing
    /// else is asked.
    fn refuse_label(&self, at: usize, column: &Column, spec: &ColumnSpec, bound: &[Bound]) -> Result<()> {
        let Some(center) = center_of(column, &self.plan.schema)? else { return Ok(()) };
        let (name, label) = (&spec.name, center.name());
        if !self.forms_groups() || self.is_bucketized() {
            let help = "leave it out, or publish with form = \"generalized\" by a method that forms groups of records";
            return Err(self.idle(name, "label", "gives no label to groups of records", help));
        }
        let (low, _) = self.plan.schema.level_range(column)?;
        if low > 0 {
            let message = format!("column \"{name}\": a {label} may tell more than `levels` = [{low}, …] permits");
            return Err(Error::plan(message).help("leave out `label`, or let `levels` begin with 0"));
        }
        let goes_by_it = self.publishing.method.build().along(at, column, &self.plan.schema)? == Along::Hierarchy;
        if spec.rule.is_some() && spec.levels.is_none() && !goes_by_it {
            let why = format!("publishes the {label} of each group, and forms groups by the numbers themselves");
            return Err(self.idle(name, "hierarchy", &why, "leave it out, or leave out `label`"));
        }
        // Groups with equal labels are one group to everybody who sees them.
        let is_broken_by_merging = |(_, bound): &(&Requirement, &Bound)| !bound.criterion.properties().is_monotone();
        match self.plan.requirements.iter().zip(bound).find(is_broken_by_merging) {
            None => Ok(()),
            Some((wanted, _)) => {
                let criterion = wanted.criterion.kind.name;
                let message = format!(
                    "column \"{name}\": `label` = \"{label}\" may be the same for several groups, and {criterion} may hold for each and not for all together"
                );
                Err(Error::plan(message).help("leave out `label`, or require another criterion"))
            }
        }
    }

    fn hierarchy_goes_by_order(&self, spec: &ColumnSpec) -> bool {
        spec.rule.as_deref().is_some_and(Rule::goes_by_order)
    }

    fn refuse_on_sensitive(&self, spec: &ColumnSpec, bound: &[Bound]) -> Result<()> {
        let is_about = |bound: &&Bound| matches!(&bound.subject, Subject::Column(name) if *name == spec.name);
        let goes_by = |word: Word| bound.iter().filter(is_about).any(|bound| bound.goes_by == Some(word));
        let asked: Vec<&str> =
            self.plan.requirements.iter().map(|wanted: &Requirement| wanted.criterion.kind.name).collect();
        let error = |key: &str| {
            let message =
                format!("column \"{}\": `{key}` has no effect: none of {} goes by it", spec.name, asked.join(", "));
            Error::of(ErrorCode::NoEffect, message)
                .help("leave it out, or require a criterion with a distance between values that does")
        };
        let by_order = goes_by(Word::Order) || (goes_by(Word::Hierarchy) && self.hierarchy_goes_by_order(spec));
        if !spec.order.is_empty() && !by_order {
            return Err(error("order"));
        }
        if spec.rule.is_some() && !goes_by(Word::Hierarchy) {
            return Err(error("hierarchy"));
        }
        Ok(())
    }

    /// Cells that a spreadsheet would run are a matter of text formats.
    fn refuse_formulas(&self, formats: &Formats) -> Result<()> {
        let publishing = self.publishing;
        let is_text = formats.of(Path::new(&format!("data.{}", publishing.format)))?.is_text();
        if is_text || !publishing.says_formulas || publishing.formulas == Formulas::Keep {
            return Ok(());
        }
        let message = format!("[release] `formulas` has no effect: format = \"{}\" is no text", publishing.format);
        Err(Error::of(ErrorCode::NoEffect, message).help("leave it out: no spreadsheet runs cells of such a file"))
    }

    fn idle(&self, column: &str, key: &str, why: &str, help: &str) -> Error {
        let message = format!("column \"{column}\": `{key}` has no effect: {} {why}", self.name());
        Error::of(ErrorCode::NoEffect, message).help(help.to_string())
    }
}
