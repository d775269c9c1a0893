//! Criteria: what must hold for a release.
//!
//! # A criterion is a fold
//!
//! Each group yields [`Evidence`]; evidence combines associatively and commutatively; the verdict
//! reads the combined evidence. So a check is one scan, a parallel check a reduce, a split test
//! "all so far, and the children", a distributed check an aggregate. A criterion sees a group only
//! through its size and the [`Histogram`] of one coded column, its *subject*: the sensitive column,
//! or a joint column made when the criterion is bound to the table. That is also what lattice
//! searches carry.

pub mod alpha_k;
pub mod bayes_optimal;
pub mod beta_likeness;
mod capability;
pub mod ck_safety;
pub mod delta_disclosure;
pub mod distinct;
pub mod entropy;
pub mod entropy_dont_care;
mod evidence;
pub mod frequency;
pub mod k_anonymity;
pub mod knowledge;
pub mod minima;
pub mod multi_attribute;
pub mod npd_recursive;
pub mod pd_recursive;
pub mod people;
mod promise;
pub mod recursive;
mod requirement;
mod shared;
pub mod skyline;
mod subject;
pub mod t_closeness;

pub use capability::{Capabilities, CrossGroup, Least, Merging, Promises, Properties, Pruning, Scope, Symmetry};
pub use evidence::{Evidence, Measure, Reached, Verdict, Violating, WorstGroup};
pub use knowledge::{Budget, Case};
pub use promise::{About, Knowledge, Limit};
pub use requirement::Requirement;
pub use subject::{Codes, Combinations, Subject};

use crate::candidate::{Histogram, Records};
use crate::data::{Column, Schema, Table};
use crate::error::{Error, Result};
use crate::kind::{self, Kind, Params};
use std::path::Path;
use std::sync::Arc;

/// The criteria, from the weakest idea to the strongest: size, diversity, diversity with
/// exceptions, several columns, distance to the whole, an attacker with a distribution of her own,
/// and attackers who know a stated amount about people.
pub const KINDS: [&Kind<Build>; 19] = [
    &k_anonymity::KIND,
    &alpha_k::KIND,
    &distinct::KIND,
    &frequency::KIND,
    &entropy::KIND,
    &recursive::KIND,
    &pd_recursive::KIND,
    &npd_recursive::KIND,
    &entropy_dont_care::KIND,
    &multi_attribute::DISTINCT,
    &multi_attribute::FREQUENCY,
    &multi_attribute::ENTROPY,
    &multi_attribute::RECURSIVE,
    &t_closeness::KIND,
    &delta_disclosure::KIND,
    &beta_likeness::KIND,
    &bayes_optimal::KIND,
    &ck_safety::KIND,
    &skyline::KIND,
];

/// What a first plan requires: of every group, and of the values of each sensitive column.
pub const FIRST: [&Kind<Build>; 2] = [&k_anonymity::KIND, &distinct::KIND];

/// The parameter that names the column which tells whose record it is, where people have several.
const PERSON: &str = "person";

/// The parameter that says what stands between several values of a cell.
const SEPARATOR: &str = "separator";

/// The criterion with a name; the error offers the nearest.
pub fn find(name: &str) -> Result<&'static Kind<Build>> {
    kind::find(&KINDS, "criterion", name)
}

/// What a criterion is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Sizes of groups only.
    Nothing,
    /// One sensitive column.
    Column,
    /// Several sensitive columns; all of them if none is named.
    Columns,
}

/// How to make a criterion: what it is about, and the function that binds it to records.
#[derive(Clone, Copy)]
pub struct Build {
    /// What `on` names.
    pub on: On,
    /// Binds it.
    pub bind: fn(&Context<'_>) -> Result<Bound>,
}

/// What a criterion is bound to.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The records that are checked, or their counts; distributions "of the whole" are taken over
    /// them.
    pub records: Records<'a>,
    /// Roles and further words of the plan on columns.
    pub schema: &'a Schema,
    /// The parameters.
    pub params: &'a Params,
    /// The sensitive columns that it is about.
    pub on: &'a [String],
    /// The folder that files are relative to.
    pub folder: &'a Path,
}

impl<'a> Context<'a> {
    /// The sensitive column.
    pub fn column(&self) -> Result<&'a Column> {
        self.records.rows().column(&self.on[0])
    }

    /// How many records have each value of the sensitive column.
    pub fn counts(&self) -> Result<Vec<u64>> {
        Ok(self.records.counts_of(self.column()?))
    }

    /// Whether each value of the sensitive column needs protection: those under `sensitive_values`,
    /// all if there are none.
    pub fn cared_for(&self) -> Result<Vec<bool>> {
        let column = self.column()?;
        let named = self.schema.find(column.name()).map_or(&[][..], |spec| &spec.sensitive_values);
        if named.is_empty() {
            return Ok(vec![true; column.domain().len()]);
        }
        let mut cared_for = vec![false; column.domain().len()];
        for (at, value) in named.iter().enumerate() {
            let code = column.domain().code(value).ok_or_else(|| {
                Error::plan(format!(
                    "column \"{}\": no record has value {} of `sensitive_values`",
                    column.name(),
                    at + 1
                ))
                .help("correct its spelling, or leave it out: a value that does not occur protects nothing")
            })?;
            cared_for[code as usize] = true;
        }
        Ok(cared_for)
    }

    /// The codes of values named in a parameter; values that do not occur are left out.
    pub fn codes_of(&self, param: &str) -> Result<Vec<u32>> {
        let column = self.column()?;
        Ok(self.params.values(param).iter().filter_map(|value| column.domain().code(value)).collect())
    }
}

/// A criterion bound to records, and the column that it reads.
pub struct Bound {
    /// The column that it reads.
    pub subject: Subject,
    /// The criterion.
    pub criterion: Arc<dyn Criterion>,
    /// How many values a person may have, and where they are.
    pub holders: Holders,
    /// What the plan says of its sensitive column that it goes by, besides the values.
    pub goes_by: Option<Word>,
}

/// What a plan may say of a sensitive column and only some criteria go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The order of its values.
    Order,
    /// Its hierarchy.
    Hierarchy,
}

/// How many values a person may have, and where they are.
pub enum Holders {
    /// Every record is somebody else's and has one.
    OneEach,
    /// People have several records; whose each is. All of a person's must be in one group.
    Records(Vec<u32>),
    /// Several are in one cell.
    Cells,
}

impl Bound {
    /// The codes that it reads of each row; `None` where sizes are enough. The rows are those that
    /// it is bound to.
    pub fn codes<'a>(&'a self, table: &'a Table) -> Result<Option<Codes<'a>>> {
        self.subject.codes(table)
    }

    /// The same for some rows of the table, which has the [same codes](Table::part). Distributions
    /// "of the whole" stay those of the whole table.
    pub fn part(&self, rows: &[u32]) -> Bound {
        let holders = match &self.holders {
            Holders::OneEach => Holders::OneEach,
            Holders::Cells => Holders::Cells,
            Holders::Records(whose) => Holders::Records(rows.iter().map(|&row| whose[row as usize]).collect()),
        };
        Bound { subject: self.subject.part(rows), criterion: self.criterion.clone(), holders, goes_by: self.goes_by }
    }

    /// A criterion that reads the sensitive column it is about.
    fn on_column(context: &Context<'_>, criterion: Box<dyn Criterion>) -> Result<Bound> {
        Ok(Bound {
            subject: Subject::Column(context.on[0].clone()),
            criterion: criterion.into(),
            holders: Holders::OneEach,
            goes_by: None,
        })
    }
}

/// What must hold for a release: a fold over its groups.
///
/// Obligations: `evidence` depends on the group's size and histogram alone; `verdict` of combined
/// evidence is the verdict on all groups together; `properties` are true; groups that hold among
/// any others hold together. The contract tests check all of this for every criterion of [`KINDS`].
///
/// ```
/// use sfumato::candidate::{Counter, Histogram};
/// use sfumato::criterion::{Criterion, Evidence, Measure, Merging, Properties};
/// use sfumato::exact::Fraction;
///
/// /// Groups have an even number of rows.
/// struct Even;
///
/// impl Criterion for Even {
///     fn evidence(&self, group: &Histogram<'_>) -> Evidence {
///         let odd = group.size() % 2;
///         Evidence::of(group, odd == 0, [Measure::most(Fraction::from(odd))])
///     }
///     fn properties(&self) -> Properties {
///         Properties::of(Merging::Monotone)
///     }
/// }
///
/// let two = Even.evidence(&Histogram::of_size(0, 2));
/// let three = Even.evidence(&Histogram::of_size(1, 3));
/// assert!(!Even.verdict(&two.combine(three)).holds);
/// ```
pub trait Criterion: Send + Sync {
    /// What one group tells.
    fn evidence(&self, group: &Histogram<'_>) -> Evidence;

    /// What the evidence of all groups means: for most criteria, that each group holds by itself.
    fn verdict(&self, evidence: &Evidence) -> Verdict {
        Verdict::of(evidence)
    }

    /// What holds of it whatever the groups are.
    fn properties(&self) -> Properties;

    /// Whether it holds for one group: what `evidence` says, without measuring. Searches ask this
    /// millions of times.
    fn holds(&self, group: &Histogram<'_>) -> bool {
        self.evidence(group).holds()
    }

    /// Takes so many groups alike into the evidence of others, without making that of one.
    fn gather(&self, so_far: &mut Evidence, group: &Histogram<'_>, times: u64) {
        so_far.absorb(&self.evidence(group).repeated(times));
    }

    /// What it can tell whom; nothing by default.
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::NONE
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Helpers that many criteria's tests share.

    use super::*;
    use crate::audit::audit;
    use crate::kind::Raw;

    /// The verdict on groups given as lists of sensitive values.
    pub(crate) fn verdict(name: &str, written: &[(&str, Raw)], groups: &[&[&str]]) -> Verdict {
        let rows: Vec<(String, &str)> =
            (0..).zip(groups).flat_map(|(at, group)| group.iter().map(move |value| (at.to_string(), *value))).collect();
        let table = Table::new(vec![
            Column::from_values("group", rows.iter().map(|row| &row.0)),
            Column::from_values("s", rows.iter().map(|row| row.1)),
        ]);
        let schema = Schema::of(&["group"], &["s"]);
        let wanted = Requirement::new(name, written, &[], &schema).unwrap();
        audit(&table.unwrap(), &schema, &[wanted], Path::new(".")).unwrap().criteria.remove(0).verdict
    }

    /// The verdict on one group given by counts; values are named a, b, c, …
    pub(crate) fn of_counts(name: &str, written: &[(&str, Raw)], counts: &[usize]) -> Verdict {
        let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"];
        let values: Vec<&str> =
            letters.iter().zip(counts).flat_map(|(letter, &count)| std::iter::repeat_n(*letter, count)).collect();
        verdict(name, written, &[&values])
    }

    /// A number as written in a plan.
    pub(crate) fn number(text: &str) -> Raw {
        Raw::Number(text.to_string())
    }

    /// A list of values.
    pub(crate) fn values(list: &[&str]) -> Raw {
        Raw::List(list.iter().map(|value| Raw::from(*value)).collect())
    }
}
