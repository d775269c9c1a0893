//! Groups that a method forms of a table, with how it came to each.

use rayon::prelude::*;
use sfumato::Result;
use sfumato::anonymize::{ChosenMethod, Grouping, Replay, Task, Transformation, View};
use sfumato::chance::Chance;
use sfumato::criterion::{Bound, Requirement};
use sfumato::data::{Column, ColumnSpec, Role, Schema, Table};
use sfumato::kind::Raw;
use sfumato::plan;
use sfumato::utility::ChosenMetric;

/// The quasi-identifiers, in the order of the paper's Table 1.
pub const QUASI: [&str; 6] = ["age", "workclass", "education", "marital-status", "race", "sex"];

/// The sensitive column.
pub const SENSITIVE: &str = "occupation";

/// The values that the paper protects.
pub const VALUES: [&str; 2] = ["Tech-support", "Craft-repair"];

/// What all values are called that need no protection.
const OTHER: &str = "other";

/// Decides every random choice of methods.
const SEED: u64 = 11;

/// A table and what is asked of its groups.
pub struct Asked {
    pub table: Table,
    schema: Schema,
    requirements: Vec<Requirement>,
    bound: Vec<Bound>,
}

/// The groups of a table, with how the method came to each.
pub struct Formed {
    pub grouping: Grouping,
    /// Nothing for groups that are too long to be told.
    pub replays: Vec<Option<Replay>>,
}

/// A method of the paper.
#[derive(Clone, Copy)]
pub enum Method<'a> {
    /// GG: a group takes bucket after bucket until it is safe.
    Greedy { bucket: u32 },
    /// RGG: a safe group goes on with probability `p`.
    Randomized { p: &'a str, anatomize: bool },
    /// SG: halves as long as both are safe.
    Symmetric { anatomize: bool },
    /// One group of all records; divided, it is Anatomy.
    Base { anatomize: bool },
}

impl Asked {
    /// What criteria, written as in a plan, ask of a table in which some sensitive values need
    /// protection: all others are as one. Methods sort by the quasi-identifiers in the order given.
    pub fn new(table: &Table, quasi: &[&str], values: &[&str], criteria: &[String]) -> Result<Asked> {
        let table = table.clone().with_column(reduced(table.column(SENSITIVE)?, values))?;
        let mut specs: Vec<ColumnSpec> = quasi.iter().map(|name| ColumnSpec::new(*name, Role::Quasi)).collect();
        let sensitive_values = values.iter().map(|value| value.to_string()).collect();
        specs.push(ColumnSpec { sensitive_values, ..ColumnSpec::new(SENSITIVE, Role::Sensitive) });
        let schema = Schema::new(specs);
        let requirements: Vec<Requirement> =
            criteria.iter().map(|text| plan::requirement(text, &schema)).collect::<Result<_>>()?;
        let bound =
            requirements.iter().map(|wanted| wanted.bind(&table, &schema, ".".as_ref())).collect::<Result<_>>()?;
        Ok(Asked { table, schema, requirements, bound })
    }

    /// The sensitive column.
    pub fn sensitive(&self) -> Result<&Column> {
        self.table.column(SENSITIVE)
    }

    /// The criteria, bound to the table.
    pub fn bound(&self) -> &[Bound] {
        &self.bound
    }

    /// The share of all records that have a value.
    pub fn share_of(&self, value: &str) -> Result<f64> {
        let column = self.sensitive()?;
        let count = column.domain().code(value).map_or(0, |code| column.counts()[code as usize]);
        Ok(count as f64 / self.table.rows() as f64)
    }

    /// Forms groups; nothing if no choice of the method is safe.
    pub fn form(&self, method: Method<'_>) -> Result<Option<Formed>> {
        let (metric, chance) = (ChosenMetric::new("loss", &[])?, Chance::insecure(SEED));
        let Asked { table, schema, requirements, bound } = self;
        let task = Task {
            table,
            schema,
            requirements,
            bound,
            limit: 0,
            metric: &metric,
            chance,
            watch: sfumato::watch::Watch::NONE,
        };
        let wanted = method.wanted(&schema.names(Role::Quasi))?;
        let Some(Transformation::Groups(grouping)) = wanted.run(&task)? else { return Ok(None) };
        let replays = self.replayed(&wanted, &grouping)?;
        Ok(Some(Formed { grouping, replays }))
    }

    /// How the method came to each group, before large ones were divided.
    fn replayed(&self, method: &ChosenMethod, grouping: &Grouping) -> Result<Vec<Option<Replay>>> {
        let groups = grouping.whole.as_ref().unwrap_or(&grouping.groups);
        let view = View { table: &self.table, schema: &self.schema, groups, complete: true, least: 1 };
        let method = method.resolved(&grouping.resolved)?.build();
        let Some(replayer) = method.replayer(&view)? else { return Ok(vec![None; groups.len()]) };
        Ok((0..groups.len()).into_par_iter().map(&replayer).collect())
    }
}

/// The sensitive column with one name for all values that need no protection.
fn reduced(column: &Column, values: &[&str]) -> Column {
    let name = |label: &str| values.iter().position(|value| *value == label);
    let names: Vec<Option<usize>> = column.domain().labels().iter().map(name).collect();
    let kept = column.codes().iter().map(|&code| names[code as usize].map_or(OTHER, |at| values[at]));
    Column::from_values(column.name(), kept)
}

impl Formed {
    /// How many records a group has on average.
    pub fn average_size(&self) -> f64 {
        self.grouping.groups.records() as f64 / self.grouping.groups.len() as f64
    }

    /// The share of the table's records that are in no group.
    pub fn withheld(&self) -> f64 {
        let records = self.grouping.withheld + self.grouping.groups.records() as u64;
        self.grouping.withheld as f64 / records as f64
    }

    /// How many buckets the longest group has.
    pub fn longest(&self, bucket: u32) -> usize {
        let groups = &self.grouping.groups;
        (0..groups.len()).map(|group| groups.size(group)).max().unwrap_or(0) / bucket as usize
    }
}

impl Method<'_> {
    fn wanted(self, quasi: &[&str]) -> Result<ChosenMethod> {
        let order = ("order", Raw::List(quasi.iter().map(|name| Raw::from(*name)).collect()));
        let number = |text: &str| Raw::Number(text.to_string());
        let divided = |anatomize| ("anatomize", Raw::Flag(anatomize));
        match self {
            Method::Greedy { bucket } => {
                ChosenMethod::new("greedy-grouping", &[order, ("bucket", number(&bucket.to_string()))])
            }
            Method::Randomized { p, anatomize } => {
                ChosenMethod::new("randomized-greedy-grouping", &[order, ("p", number(p)), divided(anatomize)])
            }
            Method::Symmetric { anatomize } => ChosenMethod::new("symmetric-grouping", &[order, divided(anatomize)]),
            Method::Base { anatomize } => ChosenMethod::new("base", &[divided(anatomize)]),
        }
    }
}

/// Frequency l-diversity, as in a plan.
pub fn diversity(l: u32) -> String {
    format!("criterion = \"frequency-l-diversity\"\non = \"{SENSITIVE}\"\nl = {l}")
}

/// t-closeness with all values equally far apart, as in a plan.
pub fn closeness(t: &str) -> String {
    format!("criterion = \"t-closeness\"\non = \"{SENSITIVE}\"\nt = {t}")
}

/// Groups of so many records, as in a plan.
pub fn anonymity(k: u32) -> String {
    format!("criterion = \"k-anonymity\"\nk = {k}")
}
