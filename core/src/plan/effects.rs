//! Keys that would do nothing for what else the plan says are refused.
//!
//! Here are the checks that need no table; those that do are made when a table is published.

use super::TablePlan;
use super::publishing::{Attempt, Publishing, QUERIES, measure_of};
use super::section::{Section, number, share, text};
use crate::anonymize::Class;
use crate::criterion::Requirement;
use crate::data::hierarchy::keep_or_suppress;
use crate::data::{ColumnSpec, Role, Weight};
use crate::error::{Error, ErrorCode, Result};
use crate::exact::Fraction;
use crate::recode::{Form, Suppressed};

/// Refuses the first key that would do nothing.
pub(super) fn refuse_idle(plan: &TablePlan, root: &Section<'_>) -> Result<()> {
    let case = Case { plan, root, publishing: &plan.publishing };
    case.method()?;
    case.weights()?;
    case.labels()?;
    case.suppression()?;
    case.utility()?;
    case.skew()?;
    case.gate()?;
    case.attacks()
}

/// Why a register is no use for a release with means.
const REGISTER_OF_CENTERS: &str = "a mean or median (`label`) does not say which people of a register fit the group";

struct Case<'a> {
    plan: &'a TablePlan,
    root: &'a Section<'a>,
    publishing: &'a Publishing,
}

fn no_effect(section: &str, key: &str, why: &str, help: &str) -> Error {
    Error::of(ErrorCode::NoEffect, format!("{section} `{key}` has no effect: {why}")).help(help.to_string())
}

impl Case<'_> {
    /// The error that a key of a section has no effect.
    fn idle(&self, section: &str, key: &str, why: &str, help: &str) -> Result<()> {
        let line = match self.root.section(section)? {
            Some(found) => found.line_of(key),
            None => self.root.line,
        };
        Err(no_effect(&format!("[{section}]"), key, why, help).line(line))
    }

    fn is_written(&self, section: &str, key: &str) -> Result<bool> {
        Ok(self.root.section(section)?.is_some_and(|section| section.table.get(key).is_some()))
    }

    fn bucketized(&self) -> bool {
        self.publishing.recoding.form == Form::Bucketized
    }

    fn method(&self) -> Result<()> {
        let method = &self.publishing.method;
        let name = method.kind.name;
        if self.is_written("method", "metric")? && !method.chooses_levels() {
            let why = format!("{name} does not choose among candidates by a metric");
            return self.idle("method", "metric", &why, "leave it out, or use a method that chooses levels");
        }
        if method.anatomizes() && method.build().class() == Class::SaOnly {
            let why = format!("{name} forms groups by sensitive values already");
            return self.idle("method", "anatomize", &why, "leave it out");
        }
        if method.is_blind() && method.chooses_levels() && self.reads_sizes_only() {
            let why = "every criterion is about sizes of groups alone";
            return self.idle("method", "blind", why, "leave it out");
        }
        self.cells()
    }

    fn reads_sizes_only(&self) -> bool {
        self.plan.requirements.iter().all(|wanted| wanted.on.is_empty())
    }

    /// Cells are published as they are or as `*`: hierarchies would have no effect.
    fn cells(&self) -> Result<()> {
        if !self.publishing.method.suppresses_cells() {
            return Ok(());
        }
        if self.bucketized() {
            let why = "a bucketized release publishes exact quasi-identifiers";
            return self.idle("method", "cells", why, "leave it out, or publish with form = \"generalized\"");
        }
        let suppressing = keep_or_suppress();
        let mut quasi = self.plan.schema.columns().iter().filter(|spec| spec.role == Role::Quasi);
        let is_other =
            |spec: &&ColumnSpec| spec.rule.as_ref().is_some_and(|rule| rule.stated() != suppressing.stated());
        let why = "with `cells` every cell is published as it is or as *";
        let help = "leave it out, or leave out `cells` to publish labels of the hierarchy";
        quasi.find(is_other).map_or(Ok(()), |spec| self.idle_on_column(&spec.name, "hierarchy", why, help))
    }

    /// The error that a key of a column has no effect.
    fn idle_on_column(&self, column: &str, key: &str, why: &str, help: &str) -> Result<()> {
        let line = self.root.section("columns")?.map_or(self.root.line, |columns| columns.line_of(column));
        let message = format!("column \"{column}\": `{key}` has no effect: {why}");
        Err(Error::of(ErrorCode::NoEffect, message).line(line).help(help.to_string()))
    }

    /// A mean or a median is the label of a group of records.
    fn labels(&self) -> Result<()> {
        let Some(spec) = self.plan.schema.columns().iter().find(|spec| spec.center.is_some()) else { return Ok(()) };
        let method = &self.publishing.method;
        let (why, help) = if method.chooses_levels() {
            let why = format!("{} publishes every column on one level, and forms no groups", method.kind.name);
            (why, "leave it out, or use a method that forms groups of records (`sfumato list methods`)")
        } else if self.bucketized() {
            let why = "a bucketized release publishes quasi-identifiers record by record".to_string();
            (why, "leave it out, or publish with form = \"generalized\"")
        } else if method.suppresses_cells() {
            let why = "with `cells` every cell is published as it is or as *".to_string();
            (why, "leave it out, or leave out `cells`")
        } else {
            return Ok(());
        };
        self.idle_on_column(&spec.name, "label", &why, help)
    }

    /// Weights compare quasi-identifiers: equal ones do nothing, nor do any where the method does
    /// not compare what columns lose.
    fn weights(&self) -> Result<()> {
        let quasi = || self.plan.schema.columns().iter().filter(|spec| spec.role == Role::Quasi);
        let Some(weighed) = quasi().find(|spec| spec.weight != Weight::ONE) else { return Ok(()) };
        let Publishing { method, metric, .. } = self.publishing;
        let (why, help) = if quasi().all(|spec| spec.weight == weighed.weight) {
            ("all quasi-identifiers have the same one".to_string(), "leave it out, or let another column have less")
        } else if method.chooses_levels() && !method.weighs_columns(metric) {
            let why = format!("the metric {} does not add up what columns lose", metric.kind.name);
            (why, "leave it out, or use a metric that does (`sfumato list metrics`)")
        } else if !method.weighs_columns(metric) || method.is_open() && self.bucketized() {
            let why = format!("{}, as the plan sets it, does not compare what columns lose", method.kind.name);
            (why, "leave it out, or use a method that does, see `sfumato list methods`")
        } else {
            return Ok(());
        };
        self.idle_on_column(&weighed.name, "weight", &why, help)
    }

    /// Whether records may be suppressed at all, whatever the table.
    fn may_suppress(&self) -> bool {
        let publishing = self.publishing;
        let limit = publishing.max_suppressed;
        let allowed = limit.is_some_and(|limit| limit > Fraction::ZERO);
        match publishing.method.chooses_levels() || publishing.method.is_open() {
            true => allowed,
            false => self.withholds() && (limit.is_none() || allowed),
        }
    }

    /// Whether a method that forms groups may leave out records: by itself, or because `levels`
    /// keep parts of the table apart in which there is no safe group.
    fn withholds(&self) -> bool {
        let keeps_apart = self.plan.schema.columns().iter().any(|spec| spec.levels.is_some()) && !self.bucketized();
        self.publishing.method.build().withholds() || keeps_apart
    }

    fn suppression(&self) -> Result<()> {
        let name = self.publishing.method.kind.name;
        let some = self.publishing.max_suppressed.is_some_and(|limit| limit > Fraction::ZERO);
        if some && !self.withholds() {
            let why = format!("{name} suppresses no record");
            return self.idle("release", "max_suppressed", &why, "leave it out");
        }
        if self.publishing.recoding.suppressed == Suppressed::Starred && !self.may_suppress() {
            let why = format!("{name} suppresses no record by this plan");
            let help = "leave it out, or allow suppression, as in max_suppressed = \"2%\"";
            return self.idle("release", "suppressed", &why, help);
        }
        Ok(())
    }

    fn utility(&self) -> Result<()> {
        let sensitive = self.plan.schema.names(Role::Sensitive);
        for section in self.root.sections("utility")? {
            let idle = |why: &str, help: &str| {
                Err(no_effect("[[utility]]", "metric", why, help).line(section.line_of("metric")))
            };
            if measure_of(&section)? != QUERIES {
                continue;
            }
            if sensitive.is_empty() {
                let why = "queries are about a sensitive column, and the plan has none";
                return idle(why, "leave it out, or give a column role = \"sensitive\"");
            }
            if section.table.len() == 1 {
                return idle("these queries are asked anyway", "leave it out, or say which are asked");
            }
        }
        Ok(())
    }

    fn skew(&self) -> Result<()> {
        let Some(section) = self.root.section("skew")?.filter(|_| self.publishing.skew.method.is_none()) else {
            return Ok(());
        };
        let keys = [section.get("l", number)?.map(|_| "l"), section.get("on", text)?.map(|_| "on")];
        match keys.into_iter().flatten().next() {
            None => Ok(()),
            Some(key) => {
                let why = "no records are withheld without a `method`";
                self.idle("skew", key, why, "add method = \"…\" (`sfumato list skews`), or leave it out")
            }
        }
    }

    fn gate(&self) -> Result<()> {
        let Some(section) = self.root.section("gate")? else { return Ok(()) };
        if share(&section, "max_belief")?.is_some() && self.plan.schema.names(Role::Sensitive).is_empty() {
            let why = "it limits beliefs in sensitive values, and the plan has no sensitive column";
            return self.idle("gate", "max_belief", why, "leave it out, or give a column role = \"sensitive\"");
        }
        Ok(())
    }

    fn attacks(&self) -> Result<()> {
        let sections = self.root.sections("attack")?;
        for (section, attempt) in sections.iter().zip(&self.publishing.attacks) {
            if let Some(why) = self.why_not(attempt) {
                let error = Error::plan(format!("[[attack]] {} cannot be made: {why}", attempt.attack.kind.name));
                return Err(error.line(section.line).help("leave it out"));
            }
        }
        Ok(())
    }

    fn why_not(&self, attempt: &Attempt) -> Option<&'static str> {
        if self.plan.requirements.iter().any(Requirement::several_records) {
            return Some("attacks take every record for a person, and here people have several");
        }
        if attempt.attack.params.has_file() && self.plan.schema.columns().iter().any(|spec| spec.center.is_some()) {
            return Some(REGISTER_OF_CENTERS);
        }
        let is_on_suppression = (attempt.attack.kind.build)(&attempt.attack.params).is_about_withheld();
        let nothing_withheld = is_on_suppression && self.publishing.skew.method.is_none();
        nothing_withheld.then_some("no records are withheld for a frequent value without [skew] method")
    }
}
