//! What a publication says of itself: columns, method, utility, distributions, and what a reader should know.

use super::pipeline::Formed;
use super::{
    Classification, ColumnLevel, ColumnReport, Distribution, MethodReport, Publication, SearchReport, SkewReport,
};
use crate::anonymize::{Generalization, Judge, Outcome, Task};
use crate::attack::Finding;
use crate::audit::Answer;
use crate::candidate::{Coded, Groups};
use crate::criterion::Requirement;
use crate::data::{Column, ColumnSpec, Role};
use crate::error::Result;
use crate::plan::{Plan, Publishing};
use crate::recode::{Form, Labels, Recoded, Suppressed};
use crate::utility::classification::accuracy;
use crate::utility::grouped;
use crate::utility::queries::{self, Published, Release, Workload};
use std::collections::BTreeMap;

/// What is known of a recoded table.
pub(super) struct Known<'a> {
    pub plan: &'a Plan,
    pub publishing: &'a Publishing,
    pub task: &'a Task<'a>,
    pub skew: Option<&'a SkewReport>,
    pub formed: &'a Formed,
    pub recoded: &'a Recoded,
}

impl Known<'_> {
    pub fn describe(&self, criteria: Vec<Answer>, attacks: Vec<Finding>) -> Result<Publication> {
        let (task, recoded, publishing) = (self.task, self.recoded, self.publishing);
        let Worth { columns, utility } = self.worth()?;
        // Apart from quasi-identifiers, sensitive values cannot be predicted record by record.
        let bucketized = publishing.recoding.form == Form::Bucketized;
        let is_apart = |name: &&str| bucketized && task.schema.names(Role::Sensitive).contains(name);
        let target = publishing.target.as_deref().filter(|target| !is_apart(target));
        let mut notes = notes(self.plan, publishing, task);
        notes.extend(self.skew.map(SkewReport::sentence));
        if let Some(skew) = self.skew.filter(|_| is_coarse(recoded)) {
            notes.extend(coarse_words(skew, task.table.column(&skew.on)?));
        }
        notes.extend(attacks.iter().filter_map(|finding| finding.warning.clone()));
        Ok(Publication {
            records: task.table.rows() + self.skew.map_or(0, |skew| skew.withheld as usize),
            published: recoded.table.rows(),
            suppressed: recoded.suppressed,
            skew: self.skew.cloned(),
            starred: publishing.recoding.suppressed == Suppressed::Starred,
            form: publishing.recoding.form,
            groups: recoded.groups.len(),
            columns,
            method: self.method(),
            criteria,
            attacks,
            attacks_refuse: publishing.gate.refuses,
            utility,
            classification: target.map(|target| classified(task, recoded, target)).transpose()?.flatten(),
            group_sizes: group_sizes(recoded),
            sensitive: distributions(task, recoded)?,
            notes,
        })
    }

    /// How much of the columns is left, and every metric that applies.
    fn worth(&self) -> Result<Worth> {
        let mut worth = match (&self.formed.outcome, self.publishing.recoding.form) {
            (Outcome::Levels(found), Form::Generalized) => self.worth_of_levels(found)?,
            _ => self.worth_of_groups()?,
        };
        if let Some(workload) = &self.publishing.workload {
            worth.utility.extend(self.answered(workload)?);
        }
        Ok(worth)
    }

    fn worth_of_levels(&self, found: &Generalization) -> Result<Worth> {
        let judge = Judge::for_all_metrics(self.task)?;
        let (utility, kept) = judge.measure_all(&found.levels);
        let scales = &judge.scales().columns;
        let of = |name: &str| scales.iter().position(|scale| scale.name == name);
        let columns = self.columns(
            |name| of(name).map(|at| ColumnLevel { level: found.levels[at], height: scales[at].height() }),
            |name| of(name).map(|at| kept[at]),
        );
        Ok(Worth { columns, utility })
    }

    fn worth_of_groups(&self) -> Result<Worth> {
        let (task, recoded) = (self.task, self.recoded);
        let mut utility = grouped::measure(&recoded.groups, task.table.rows() as u64);
        let quasi = task.schema.select(task.table, Role::Quasi)?;
        let is_exact = self.publishing.recoding.form == Form::Bucketized;
        let lost = |column: &&Column| -> Result<f64> {
            let rows = task.table.rows();
            if !is_exact {
                return Ok(grouped::lost(column, &self.formed.groups, rows));
            }
            // What the lowest permitted level leaves of the values, if it is not the values themselves.
            let shown = self.formed.lowest.table(task.table).column(column.name())?;
            Ok(grouped::lost(column, &Groups::by_columns(&[shown], rows), rows))
        };
        let lost: Vec<f64> = quasi.iter().map(lost).collect::<Result<_>>()?;
        if !is_exact {
            utility.push((grouped::TIGHTEST_LOSS.0, lost.iter().sum::<f64>() / lost.len().max(1) as f64));
        }
        let of = |name: &str| quasi.iter().position(|column| column.name() == name).map(|at| 1.0 - lost[at]);
        Ok(Worth { columns: self.columns(|_| None, of), utility })
    }

    /// How well the release answers queries about the first sensitive column.
    fn answered(&self, workload: &Workload) -> Result<Vec<(&'static str, f64)>> {
        let (table, schema) = (self.task.table, self.task.schema);
        let Some(&sensitive) = schema.select(table, Role::Sensitive)?.first() else { return Ok(Vec::new()) };
        let quasi = schema.select(table, Role::Quasi)?;
        let labels: Vec<Option<Shown>> =
            quasi.iter().enumerate().map(|(at, column)| self.shown(at, column)).collect::<Result<_>>()?;
        let groups = self.recoded.groups.mapped(&self.recoded.row_of);
        let columns = quasi.iter().zip(&labels).map(|(column, shown)| match shown {
            None => Published::Exact(column.codes()),
            Some(Shown { labels, covers }) => Published::Covers { labels, covers },
        });
        let columns = columns.collect();
        let release = Release { columns, groups: &groups, sensitive: sensitive.codes() };
        let coded: Vec<Coded<'_>> = quasi.iter().map(|column| (column.codes(), column.domain().len())).collect();
        let found = queries::measure(workload, &coded, (sensitive.codes(), sensitive.domain().len()), &release);
        Ok(found.iter().flat_map(queries::Answers::figures).collect())
    }

    /// What is published of a quasi-identifier; nothing where it is the values as they are.
    fn shown(&self, at: usize, column: &Column) -> Result<Option<Shown>> {
        match (&self.formed.outcome, self.publishing.recoding.form) {
            (_, Form::Bucketized) => match self.task.schema.level_range(column)?.0 {
                0 => Ok(None),
                low => self.shown_on(low, column).map(Some),
            },
            (Outcome::Levels(found), Form::Generalized) => self.shown_on(found.levels[at], column).map(Some),
            (Outcome::Groups(_), Form::Generalized) => {
                let labels = Labels::new(column, self.task.schema, &self.formed.groups)?;
                let mut of_row = vec![0; column.codes().len()];
                for (group, &label) in labels.of_group.iter().enumerate() {
                    self.formed.groups.rows(group).iter().for_each(|&row| of_row[row as usize] = label);
                }
                Ok(Some(Shown { labels: of_row, covers: labels.covers }))
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

    fn columns(
        &self,
        level: impl Fn(&str) -> Option<ColumnLevel>,
        kept: impl Fn(&str) -> Option<f64>,
    ) -> Vec<ColumnReport> {
        let report = |spec: &ColumnSpec| {
            let quasi = Some(spec.name.as_str()).filter(|_| spec.role == Role::Quasi);
            ColumnReport {
                name: spec.name.clone(),
                role: spec.role,
                published: self.publishing.recoding.publishes(spec),
                level: quasi.and_then(&level),
                kept: quasi.and_then(&kept),
            }
        };
        self.plan.schema.columns().iter().map(report).collect()
    }

    fn method(&self) -> MethodReport {
        let search = match &self.formed.outcome {
            Outcome::Groups(_) => None,
            Outcome::Levels(found) => Some(self.search(found)),
        };
        MethodReport {
            name: self.formed.method.kind.name,
            params: self.formed.method.params.clone(),
            class: self.formed.class,
            insecure_seed: !self.publishing.chance.is_secure(),
            search,
        }
    }

    fn search(&self, found: &Generalization) -> SearchReport {
        let names = self.task.schema.names(Role::Quasi).into_iter().map(str::to_string);
        SearchReport {
            metric: self.publishing.metric.kind.name,
            value: found.value,
            levels: names.zip(found.levels.iter().copied()).collect(),
            nodes: found.nodes,
            checked: found.checked,
            safe: found.safe,
            minimal: found.minimal.clone(),
            exhaustive: found.exhaustive,
            considered: found.considered.clone(),
        }
    }
}

/// Whether nothing could be told apart, and everybody sees why.
fn is_coarse(recoded: &Recoded) -> bool {
    recoded.groups.len() == 1 && recoded.suppressed == 0
}

/// Why, and what helps, if a frequent value is the reason.
fn coarse_words(skew: &SkewReport, left: &Column) -> Option<String> {
    let most = left.counts().into_iter().max().unwrap_or(0);
    let is_full = u128::from(most) * u128::from(skew.l) * 10 > left.codes().len() as u128 * 9;
    (is_full && left.domain().len() as u64 > skew.l).then(|| format!(
        "Only one group could be formed: in what was left, one value of \"{}\" has nearly one in {}, so hardly any part of it has room for its share. In place of this release, and before it gets out, [skew] l = {} would withhold a little more and make groups easier to form; or try anatomy.",
        skew.on,
        skew.l,
        skew.l + 1
    ))
}

/// The labels of a column.
struct Shown {
    /// For each row of the table the number of its label.
    labels: Vec<u32>,
    /// The values that each label stands for.
    covers: Vec<Vec<u32>>,
}

/// What a release is worth.
struct Worth {
    columns: Vec<ColumnReport>,
    utility: Vec<(&'static str, f64)>,
}

/// How well a classifier predicts a column from the quasi-identifiers, before and after.
fn classified(task: &Task<'_>, recoded: &Recoded, target: &str) -> Result<Option<Classification>> {
    let original = task.table.column(target)?;
    let quasi = |table| -> Result<Vec<&Column>> {
        let all = task.schema.select(table, Role::Quasi)?;
        Ok(all.into_iter().filter(|column| column.name() != target).collect())
    };
    let coded = |columns: Vec<&Column>| -> Vec<(Vec<u32>, usize)> {
        columns.iter().map(|column| (column.codes().to_vec(), column.domain().len())).collect()
    };
    let (before, after) = (coded(quasi(task.table)?), coded(quasi(&recoded.table)?));
    let of_release: Vec<u32> = recoded.row_of.iter().map(|&row| original.codes()[row as usize]).collect();
    let run = |features: &[(Vec<u32>, usize)], codes: &[u32]| {
        let features: Vec<Coded<'_>> = features.iter().map(|(codes, size)| (codes.as_slice(), *size)).collect();
        accuracy(&features, (codes, original.domain().len()), codes.len())
    };
    let (Some(before), Some(after)) = (run(&before, original.codes()), run(&after, &of_release)) else {
        return Ok(None);
    };
    let target = target.to_string();
    Ok(Some(Classification { target, before: before.model, after: after.model, baseline: before.baseline }))
}

fn group_sizes(recoded: &Recoded) -> Vec<(u64, u64)> {
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    (0..recoded.groups.len()).for_each(|group| *sizes.entry(recoded.groups.size(group) as u64).or_default() += 1);
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
            before: order.iter().map(|&code| before[code]).collect(),
            after: order.iter().map(|&code| after[code]).collect(),
        }
    };
    Ok(task.schema.select(task.table, Role::Sensitive)?.into_iter().map(of).collect())
}

/// Whether a requirement has points, and every one names a value.
fn leaves_values_out(wanted: &Requirement) -> bool {
    !wanted.points().is_empty() && wanted.points().iter().all(|point| point.value.is_some())
}

fn notes(plan: &Plan, publishing: &Publishing, task: &Task<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if !publishing.chance.is_secure() {
        notes.push("Not for release: random choices were made with a seed, and whoever knows it undoes them.".into());
    }
    if publishing.recoding.form == Form::Bucketized {
        let is_exact = |spec: &ColumnSpec| spec.levels.is_none_or(|(low, _)| low == 0);
        let how = match plan.schema.columns().iter().all(is_exact) {
            true => "as they are",
            false => "on the lowest levels that the plan permits",
        };
        notes.push(format!("Quasi-identifiers are published {how}: everybody can see who is in the table. What is hidden is who in a group has which of its sensitive values."));
    }
    if plan.requirements.iter().any(Requirement::several_records) {
        notes.push("People have several records here. Attacks take every record for a person, so none was made; figures about groups count records. What is promised allows for people without any value: whoever knows that everybody in a group has one may believe more. Columns that show which records are one person's must not be published.".into());
    }
    for wanted in plan.requirements.iter().filter(|wanted| leaves_values_out(wanted)) {
        let on = wanted.on.join(", ");
        notes.push(format!("{} protects only those values of \"{on}\" that its points name: a point without `value` would protect the others.", wanted.kind.name));
    }
    for name in plan.schema.names(Role::Sensitive) {
        if !plan.requirements.iter().any(|wanted| wanted.on.iter().any(|on| on == name)) {
            notes.push(format!(
                "No criterion protects the sensitive column \"{name}\": whoever finds a person's group may learn the value."
            ));
        }
    }
    for spec in plan.schema.columns().iter().filter(|spec| publishing.recoding.publishes(spec)) {
        let alone = task.table.find(&spec.name).filter(|_| spec.role == Role::Insensitive).map(unique_share);
        if let Some(share) = alone.filter(|share| *share >= 0.01) {
            notes.push(format!(
                "The insensitive column \"{}\" is published as it is, and about {:.0} % of the records have a value in it that nobody else has: whoever knows it finds them.",
                spec.name,
                share * 100.0
            ));
        }
    }
    for spec in plan.schema.columns() {
        let missing = task.table.find(&spec.name).and_then(|column| column.domain().missing());
        if missing.is_some() && spec.role != Role::Identifier {
            notes.push(format!("Column \"{}\" has missing values; they count as a value of their own.", spec.name));
        }
    }
    notes
}

/// The share of records whose value in a column nobody else has.
fn unique_share(column: &Column) -> f64 {
    let alone = column.counts().into_iter().filter(|count| *count == 1).count();
    alone as f64 / column.codes().len().max(1) as f64
}
