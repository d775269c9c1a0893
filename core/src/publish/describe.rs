//! What a publication says of itself: columns, method, utility, distributions, and what a reader
//! should know.

use super::pipeline::Formed;
use super::{
    ChosenLevels, Classification, ColumnLevel, ColumnReport, Distribution, Exposure, MISSING, MethodReport,
    Publication, SearchReport, SkewReport, coarse_note, measure_kept, standing_notes,
};
use crate::anonymize::{Generalization, Judge, Task, Transformation};
use crate::attack::{Finding, Reidentification};
use crate::audit::Answer;
use crate::candidate::{Coded, Groups};
use crate::criterion::Requirement;
use crate::data::spelling::Spelling;
use crate::data::{Column, ColumnSpec, Role, parse_decimal, without_missing};
use crate::error::Result;
use crate::inspect::alike_notes;
use crate::plan::TablePlan;
use crate::recode::{Form, Labels, Recoded, Suppressed};
use crate::utility::classification::{Training, accuracy, accuracy_of_release};
use crate::utility::queries::{self, Published, Release, Workload};
use crate::utility::{grouped, information, variance};
use std::collections::BTreeMap;

/// What is known of a recoded table.
pub(super) struct TableFacts<'a> {
    pub plan: &'a TablePlan,
    pub task: &'a Task<'a>,
    pub skew: Option<&'a SkewReport>,
    pub formed: &'a Formed,
    pub recoded: &'a Recoded,
}

impl TableFacts<'_> {
    pub fn describe(&self, criteria: Vec<Answer>, attacks: Vec<Finding>, exposure: Exposure) -> Result<Publication> {
        let (task, recoded, publishing) = (self.task, self.recoded, &self.plan.publishing);
        let (mut columns, utility) = (self.columns()?, self.utility()?);
        let information_kept = measure_kept(&mut columns, &recoded.table, self.missing())?;
        let requirements = &self.plan.requirements;
        let mut notes =
            standing_notes(task.schema, requirements, publishing.recoding.form, publishing.chance.is_secure());
        notes.extend(self.missing_notes());
        notes.extend(self.spelling_notes());
        notes.extend(self.center_notes()?);
        notes.extend(self.capped_notes()?);
        notes.extend(exposure.sentences());
        notes.extend(alike_notes(&recoded.table, requirements)?);
        notes.extend(self.skew.map(SkewReport::sentence));
        if publishing.skew.method.is_some() && self.skew.is_none() {
            notes.push("No value is too frequent, so [skew] withheld nothing.".into());
        }
        if let Some(skew) = self.skew.filter(|_| is_coarse(recoded)) {
            notes.extend(coarse_note(skew, task.table.column(&skew.on)?));
        }
        notes.extend(attacks.iter().filter_map(|finding| finding.warning.clone()));
        Ok(Publication {
            heading: publishing.heading.clone(),
            records: self.skew.map_or(task.table.rows(), |skew| skew.records as usize),
            published: recoded.table.rows(),
            suppressed: recoded.suppressed,
            skew: self.skew.cloned(),
            starred: publishing.recoding.suppressed == Suppressed::Starred,
            form: publishing.recoding.form,
            groups: recoded.groups.len(),
            columns,
            method: self.method(),
            criteria,
            risk: self.risk()?,
            attacks,
            undisclosed: Vec::new(),
            exposure,
            attacks_refuse: publishing.gate.refuses,
            information_kept,
            utility,
            classification: publishing.target.as_deref().map(|target| self.classified(target)).transpose()?.flatten(),
            group_sizes: group_sizes(&recoded.groups),
            sensitive: distributions(task, recoded)?,
            earlier: 0,
            notes,
        })
    }

    /// The share of the quasi-identifiers' information that is kept.
    pub fn information_kept(&self) -> Result<f64> {
        Ok(measure_kept(&mut self.columns()?, &self.recoded.table, self.missing())?.overall)
    }

    /// The chance to pick a person's record; `None` where a record is not a person.
    fn risk(&self) -> Result<Option<Reidentification>> {
        if self.plan.requirements.iter().any(Requirement::several_records) {
            return Ok(None);
        }
        let bucketized = self.plan.publishing.recoding.form == Form::Bucketized;
        let (table, groups) = (&self.recoded.table, &self.recoded.groups);
        Reidentification::of_release(table, self.task.schema, groups, bucketized)
    }

    /// Which columns of the original have missing values: for the custodian.
    fn missing_notes(&self) -> Vec<String> {
        let has_missing = |spec: &&ColumnSpec| {
            let column = self.task.table.find(&spec.name);
            spec.role != Role::Identifier && column.is_some_and(|column| column.domain().missing().is_some())
        };
        let columns = self.plan.schema.columns().iter().filter(has_missing);
        let mut notes: Vec<String> =
            columns.map(|spec| format!("Column \"{}\" has missing values.", spec.name)).collect();
        if !notes.is_empty() {
            notes.push(MISSING.into());
        }
        notes
    }

    /// Where values are published in another spelling than the data have: for the custodian, who
    /// may look for them.
    fn spelling_notes(&self) -> Vec<String> {
        let published = self.plan.schema.columns().iter().filter(|spec| spec.role != Role::Identifier);
        let columns = published.filter_map(|spec| self.task.table.find(&spec.name));
        let spelled = columns.filter(|column| column.domain().spelling() != Spelling::Plain);
        let note = |column: &Column| {
            let domain = column.domain();
            format!(
                "Column \"{}\" is written {} in the data and published as plain {}s.",
                column.name(),
                domain.spelling(),
                domain.value_type()
            )
        };
        spelled.map(note).collect()
    }

    /// How much of the spread of numbers their means or medians keep: for the custodian, since it
    /// depends on what is not published.
    fn center_notes(&self) -> Result<Vec<String>> {
        let mut notes = Vec::new();
        for spec in self.plan.schema.columns().iter().filter(|spec| spec.center.is_some()) {
            let (original, published) = (self.task.table.column(&spec.name)?, self.recoded.table.column(&spec.name)?);
            let pair = |(at, &row): (usize, &u32)| {
                let center = parse_decimal(without_missing(published.value(at)))?;
                Some((parse_decimal(original.value(row as usize))?, center))
            };
            let pairs: Vec<(f64, f64)> = self.recoded.row_of.iter().enumerate().filter_map(pair).collect();
            if let (Some(kept), Some(center)) = (variance::kept(&pairs), spec.center) {
                let (name, share) = (&spec.name, 100.0 * kept);
                notes.push(format!("\"{name}\": each group's {} keeps {share:.1} % of the variance.", center.name()));
            }
        }
        Ok(notes)
    }

    /// Every metric that applies.
    fn utility(&self) -> Result<Vec<(&'static str, f64)>> {
        let mut utility = match (&self.formed.outcome, self.plan.publishing.recoding.form) {
            (Transformation::Levels(found), Form::Generalized) => {
                Judge::for_all_metrics(&self.task.levels())?.measure_all(&found.levels)
            }
            _ => grouped::measure(&self.recoded.groups, self.task.table.rows() as u64),
        };
        utility.extend(self.answered()?);
        Ok(utility)
    }

    /// How well the release answers queries about the first sensitive column. Which are asked
    /// depends on the table alone, unless the plan says: releases of one table can be compared.
    fn answered(&self) -> Result<Vec<(&'static str, f64)>> {
        let (table, schema) = (self.task.table, self.task.schema);
        let Some(&sensitive) = schema.select(table, Role::Sensitive)?.first() else { return Ok(Vec::new()) };
        let quasi = schema.select(table, Role::Quasi)?;
        let workload = self.plan.publishing.workload.unwrap_or_else(|| Workload::usual(quasi.len()));
        let labels: Vec<Option<Shown>> =
            quasi.iter().enumerate().map(|(at, column)| self.shown(at, column)).collect::<Result<_>>()?;
        let groups = self.recoded.groups.mapped(&self.recoded.row_of);
        let columns = quasi.iter().zip(&labels).map(|(column, shown)| published(column, shown.as_ref())).collect();
        let release = Release { columns, groups: &groups, sensitive: sensitive.codes() };
        let coded: Vec<Coded<'_>> = quasi.iter().map(|column| (column.codes(), column.domain().len())).collect();
        let found = queries::measure(&workload, &coded, (sensitive.codes(), sensitive.domain().len()), &release);
        Ok(found.iter().flat_map(queries::Answers::figures).collect())
    }

    /// How well a classifier predicts a column from the quasi-identifiers, learned from the
    /// original and from the release; both are tried on the original's records.
    fn classified(&self, target: &str) -> Result<Option<Classification>> {
        let (table, schema) = (self.task.table, self.task.schema);
        let quasi = schema.select(table, Role::Quasi)?;
        let shown: Vec<Option<Shown>> =
            quasi.iter().enumerate().map(|(at, column)| self.shown(at, column)).collect::<Result<_>>()?;
        let (own, others): (Vec<_>, Vec<_>) =
            quasi.into_iter().zip(&shown).partition(|(column, _)| column.name() == target);
        let original = table.column(target)?;
        let groups = self.recoded.groups.mapped(&self.recoded.row_of);
        let is_apart = self.plan.publishing.recoding.form == Form::Bucketized
            && schema.find(target).is_some_and(|spec| spec.role == Role::Sensitive);
        let mut is_published = vec![false; table.rows()];
        self.recoded.row_of.iter().for_each(|&row| is_published[row as usize] = true);
        let training = Training {
            features: others.iter().map(|(column, shown)| published(column, shown.as_ref())).collect(),
            target: published(original, own.first().and_then(|(_, shown)| shown.as_ref())),
            separated: is_apart.then_some(&groups),
            is_published: &is_published,
        };
        let features: Vec<Coded<'_>> =
            others.iter().map(|(column, _)| (column.codes(), column.domain().len())).collect();
        let classes = (original.codes(), original.domain().len());
        let learned = (accuracy(&features, classes), accuracy_of_release(&training, &features, classes));
        let (Some(before), Some(after)) = learned else { return Ok(None) };
        Ok(Some(Classification {
            target: target.to_string(),
            before: before.model,
            after: after.model,
            baseline: before.baseline,
            margin: before.margin.hypot(after.margin),
        }))
    }

    /// What is published of a quasi-identifier; nothing where it is the values as they are.
    fn shown(&self, at: usize, column: &Column) -> Result<Option<Shown>> {
        match (&self.formed.outcome, self.plan.publishing.recoding.form) {
            (_, Form::Bucketized) => match self.task.schema.level_range(column)?.0 {
                0 => Ok(None),
                low => self.shown_on(low, column).map(Some),
            },
            (Transformation::Levels(found), Form::Generalized) => self.shown_on(found.levels[at], column).map(Some),
            (Transformation::Groups(_), Form::Generalized) => {
                let labels = Labels::new(column, self.task.schema, &self.formed.groups)?;
                let mut of_row = vec![0; column.codes().len()];
                for (group, &label) in labels.of_group.iter().enumerate() {
                    self.formed.groups.rows(group).iter().for_each(|&row| of_row[row as usize] = label);
                }
                Ok(Some(Shown { labels: of_row, covers: labels.covers(column) }))
            }
        }
    }

    /// The labels of a quasi-identifier on a level.
    fn shown_on(&self, level: usize, column: &Column) -> Result<Shown> {
        let hierarchy = self.task.schema.quasi_hierarchy(column)?;
        let codes = hierarchy.codes(level);
        let mut covers = vec![Vec::new(); hierarchy.labels(level).len()];
        (0u32..).zip(codes).for_each(|(base, &label)| covers[label as usize].push(base));
        Ok(Shown { labels: column.codes().iter().map(|&code| codes[code as usize]).collect(), covers })
    }

    fn columns(&self) -> Result<Vec<ColumnReport>> {
        let mut reports = Vec::new();
        for spec in self.plan.schema.columns() {
            let is_quasi = spec.role == Role::Quasi;
            let published = self.plan.publishing.recoding.publishes(spec);
            let mut report = ColumnReport::new(spec, published);
            if is_quasi {
                let column = self.recoded.table.column(&spec.name)?;
                let original = self.task.table.column(&spec.name)?;
                report.level = self.level(original)?;
                let level = match self.plan.publishing.recoding.form {
                    Form::Bucketized => Some(self.task.schema.level_range(original)?.0),
                    Form::Generalized => report.level.map(|level| level.level),
                };
                let value_type = original.domain().value_type();
                report.ruler = Some(information::ruler(spec, value_type, column.domain().labels(), level));
            }
            reports.push(report);
        }
        Ok(reports)
    }

    /// That exact values may be published where the plan names a top or a bottom.
    fn capped_notes(&self) -> Result<Vec<String>> {
        let schema = self.task.schema;
        let is_capped =
            |name: &str| schema.find(name).and_then(|spec| spec.rule.as_ref()).is_some_and(|rule| rule.is_capped());
        let mut notes = Vec::new();
        for column in schema.select(self.task.table, Role::Quasi)?.into_iter().filter(|column| is_capped(column.name()))
        {
            let is_coarser = self.level(column)?.is_some_and(|level| level.level > 0);
            if schema.level_range(column)?.0 == 0 && !is_coarser {
                notes.push(format!("\"{}\": `top` and `bottom` take effect from level 1 on, and the plan permits level 0, on which values are published as they are. To exclude that, let `levels` begin with 1.", column.name()));
            }
        }
        Ok(notes)
    }

    /// How many records of the original are not published.
    fn missing(&self) -> u64 {
        let records = self.skew.map_or(self.task.table.rows() as u64, |skew| skew.records);
        records - self.recoded.table.rows() as u64
    }

    /// The level that a quasi-identifier is published on, if its column is generalized as a whole.
    fn level(&self, original: &Column) -> Result<Option<ColumnLevel>> {
        let (Transformation::Levels(found), Form::Generalized) =
            (&self.formed.outcome, self.plan.publishing.recoding.form)
        else {
            return Ok(None);
        };
        let names = self.task.schema.names(Role::Quasi);
        let at = names.iter().position(|name| *name == original.name()).expect("it is a quasi-identifier");
        let height = self.task.schema.quasi_hierarchy(original)?.height();
        Ok(Some(ColumnLevel { level: found.levels[at], height }))
    }

    fn method(&self) -> MethodReport {
        let (chosen, search) = match &self.formed.outcome {
            Transformation::Groups(_) => (None, None),
            Transformation::Levels(found) => (Some(self.chosen(found)), Some(search(found))),
        };
        MethodReport {
            name: self.formed.method.kind.name,
            params: self.formed.method.params.clone(),
            among: self.plan.publishing.among.clone(),
            class: self.formed.class,
            insecure_seed: !self.plan.publishing.chance.is_secure(),
            chosen,
            search,
        }
    }

    fn chosen(&self, found: &Generalization) -> ChosenLevels {
        let names = self.task.schema.names(Role::Quasi).into_iter().map(str::to_string);
        let levels = names.zip(found.levels.iter().copied()).collect();
        ChosenLevels { metric: self.plan.publishing.metric.kind.name, levels }
    }
}

fn search(found: &Generalization) -> SearchReport {
    SearchReport {
        value: found.value,
        nodes: found.nodes,
        checked: found.checked,
        safe: found.safe,
        minimal: found.minimal.clone(),
        exhaustive: found.exhaustive,
        bound: found.bound,
        considered: found.considered.clone(),
    }
}

/// Whether nothing could be told apart, and everybody sees why.
fn is_coarse(recoded: &Recoded) -> bool {
    recoded.groups.len() == 1 && recoded.suppressed == 0
}

/// The labels of a column.
struct Shown {
    /// For each row of the table the number of its label.
    labels: Vec<u32>,
    /// The values that each label stands for.
    covers: Vec<Vec<u32>>,
}

/// What is published of a column.
fn published<'a>(column: &'a Column, shown: Option<&'a Shown>) -> Published<'a> {
    match shown {
        None => Published::Exact(column.codes()),
        Some(Shown { labels, covers }) => Published::Covers { labels, covers },
    }
}

/// Sizes of groups with the number of groups of that size, ascending.
pub fn group_sizes(groups: &Groups) -> Vec<(u64, u64)> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    (0..groups.len()).for_each(|group| *sizes.entry(groups.size(group) as u64).or_default() += 1);
    sizes.into_iter().collect()
}

fn distributions(task: &Task<'_>, recoded: &Recoded) -> Result<Vec<Distribution>> {
    let of = |column: &Column| {
        let mut after = vec![0; column.domain().len()];
        recoded.row_of.iter().for_each(|&row| after[column.codes()[row as usize] as usize] += 1);
        let before = column.counts();
        let mut order: Vec<usize> = (0..before.len()).collect();
        order.sort_by_key(|&code| (std::cmp::Reverse(before[code]), code));
        Distribution {
            column: column.name().to_string(),
            values: order.iter().map(|&code| column.domain().label(code as u32).to_string()).collect(),
            before: Some(order.iter().map(|&code| before[code]).collect()),
            after: order.iter().map(|&code| after[code]).collect(),
        }
    };
    Ok(task.schema.select(task.table, Role::Sensitive)?.into_iter().map(of).collect())
}
