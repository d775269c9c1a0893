//! Criteria: what must hold for a release.
//!
//! # A criterion is a fold
//!
//! Each group yields [`Evidence`]; evidence combines associatively and commutatively; the verdict reads the combined evidence. So a check is one
//! scan, a parallel check a reduce, a split test "all so far, and the children", a distributed check an aggregate. A criterion sees a group only
//! through its size and the [`Histogram`] of one coded column, its *subject*: the sensitive column, or a joint column made when the criterion is
//! bound to the table. That is also what lattice searches carry.

pub mod alpha_k;
pub mod bayes_optimal;
pub mod beta_likeness;
pub mod delta_disclosure;
pub mod distinct;
pub mod entropy;
pub mod entropy_dont_care;
pub mod frequency;
pub mod k_anonymity;
pub mod multi_attribute;
pub mod npd_recursive;
pub mod pd_recursive;
pub mod recursive;
mod shared;
pub mod t_closeness;

use crate::candidate::{Coded, Histogram};
use crate::data::{Column, Role, Schema, Table};
use crate::error::{Error, Result, suggest};
use crate::exact::Fraction;
use crate::kind::{self, Kind, Params, Raw};
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::path::Path;

/// The criteria, from the weakest idea to the strongest: size, diversity, diversity with exceptions, several columns, distance to the whole, and
/// an attacker with a distribution of her own.
pub const KINDS: [&Kind<Build>; 17] = [
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
];

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

/// How to make a criterion: what it is about, and the function that binds it to a table.
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
    /// The table that is checked; distributions "of the whole" are taken over it.
    pub table: &'a Table,
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
        self.table.column(&self.on[0])
    }

    /// Whether each value of the sensitive column needs protection: those under `sensitive_values`, all if there are none.
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

/// The coded column that a criterion reads.
pub enum Subject {
    /// None: sizes are enough.
    Nothing,
    /// A column of the table.
    Column(String),
    /// A column made for the criterion: codes below a number.
    Made(Vec<u32>, usize),
}

/// A criterion bound to a table, and the column that it reads.
pub struct Bound {
    /// The column that it reads.
    pub subject: Subject,
    /// The criterion.
    pub criterion: Box<dyn Criterion>,
}

impl Bound {
    /// The codes that it reads and how many there are; nothing where sizes are enough. The table is the one it is bound to.
    pub fn coded<'a>(&'a self, table: &'a Table) -> Result<Option<Coded<'a>>> {
        Ok(match &self.subject {
            Subject::Nothing => None,
            Subject::Column(name) => {
                let column = table.column(name)?;
                Some((column.codes(), column.domain().len()))
            }
            Subject::Made(codes, domain) => Some((codes, *domain)),
        })
    }

    /// A criterion that reads the sensitive column it is about.
    fn on_column(context: &Context<'_>, criterion: Box<dyn Criterion>) -> Result<Bound> {
        Ok(Bound { subject: Subject::Column(context.on[0].clone()), criterion })
    }
}

/// What must hold for a release: a fold over its groups.
///
/// Obligations: `evidence` depends on the group's size and histogram alone; `verdict` of combined evidence is the verdict on all groups together;
/// a criterion that says it is monotone holds for a merged group wherever it holds for the parts. The contract tests check all three for every
/// criterion of [`KINDS`].
///
/// ```
/// use sfumato::candidate::{Counter, Histogram};
/// use sfumato::criterion::{Criterion, Evidence, Measure};
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
///     fn is_monotone(&self) -> bool {
///         true
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

    /// Whether merging groups keeps it.
    fn is_monotone(&self) -> bool;

    /// Whether it holds for one group: what `evidence` says, without measuring. Searches ask this millions of times.
    fn holds(&self, group: &Histogram<'_>) -> bool {
        self.evidence(group).holds()
    }

    /// Whether a group for which it holds may take in *any* further records and still satisfy it. That is more than being monotone, and what a
    /// search needs that may suppress records: there, a group that holds can be merged with one that does not.
    fn survives_growth(&self) -> bool {
        false
    }

    /// How many records, and how many different values of its subject, a group needs at least to satisfy it. A search rules out whole parts of a
    /// lattice by this where the criterion itself does not survive growth.
    fn least(&self) -> Least {
        Least { size: 1, values: 1 }
    }

    /// How many records, at least, must be taken out of a group that violates it before the rest satisfies it or nothing is left. A search that may suppress records relies on it
    /// where the criterion is monotone: parts of the group that hold, merged, hold, so on every finer candidate at least that many of its records are suppressed.
    fn least_removed(&self, _group: &Histogram<'_>) -> u64 {
        0
    }

    /// Whether, in every group of at least `size` records, records with this value that number at most `at_most` make no difference: neither how many there are, nor whether they have this value or
    /// another one of which the same is said. Who counts possible worlds need not tell such values apart.
    fn ignores(&self, _code: u32, _at_most: u64, _size: u64) -> bool {
        false
    }

    /// Whether no group of at most `size` records satisfies it in which at least `at_least` have this value.
    fn dooms(&self, _code: u32, _at_least: u64, _size: u64) -> bool {
        false
    }

    /// Whether exchanging two values everywhere never changes the verdict.
    fn alike(&self, a: u32, b: u32) -> bool {
        a == b
    }

    /// What besides the groups it reads: how far a verdict can be repeated by somebody who has only the release.
    fn scope(&self) -> Scope {
        Scope::Groups
    }

    /// How far an attacker with this knowledge can believe, wherever the criterion holds; nothing if it promises nothing about that.
    fn promise(&self, _about: About, _knowledge: Knowledge) -> Option<Limit> {
        None
    }
}

/// What a criterion reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The groups alone.
    Groups,
    /// The groups, and how values are distributed in the whole table.
    Table,
    /// The groups, and how values depend on original quasi-identifiers.
    Original,
}

/// What a group needs at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Least {
    /// Records.
    pub size: u64,
    /// Different values.
    pub values: u64,
}

/// What an attacker believes something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Which record is a person's.
    Identity,
    /// That a person has the sensitive value with this code, in the column that the criterion is about.
    Value(u32),
}

/// What an attacker knows besides the release and everybody's quasi-identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// Nothing.
    Nothing,
    /// So many sensitive values that the person does not have.
    Eliminated(u64),
    /// How sensitive values are distributed among people with given quasi-identifiers.
    Distribution,
}

/// A belief that is not exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The bound.
    pub belief: Fraction,
    /// Whether the bound itself is not reached either.
    pub strict: bool,
}

impl Limit {
    /// Whether a belief keeps to it.
    pub fn allows(&self, belief: Fraction) -> bool {
        if self.strict { belief < self.belief } else { belief <= self.belief }
    }
}

/// A measured value that remembers whether the least or the most of several counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    value: Value,
    most: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    Exact(Fraction),
    Real(f64),
}

impl Measure {
    /// The least over groups counts.
    pub fn least(value: Fraction) -> Self {
        Measure { value: Value::Exact(value), most: false }
    }

    /// The most over groups counts.
    pub fn most(value: Fraction) -> Self {
        Measure { value: Value::Exact(value), most: true }
    }

    /// The least over groups counts, of a number that is not a fraction.
    pub fn least_real(value: f64) -> Self {
        Measure { value: Value::Real(value), most: false }
    }

    /// The most over groups counts, of a number that is not a fraction.
    pub fn most_real(value: f64) -> Self {
        Measure { value: Value::Real(value), most: true }
    }

    /// The nearest float; infinite where no finite parameter would do.
    pub fn to_f64(self) -> f64 {
        match self.value {
            Value::Exact(fraction) => fraction.to_f64(),
            Value::Real(real) => real,
        }
    }

    /// The fraction, where it is one.
    pub fn fraction(self) -> Option<Fraction> {
        match self.value {
            Value::Exact(fraction) => Some(fraction),
            Value::Real(_) => None,
        }
    }

    /// Less for the worse one.
    fn compare(&self, other: &Measure) -> Ordering {
        let natural = match (self.value, other.value) {
            (Value::Exact(a), Value::Exact(b)) => a.cmp(&b),
            _ => self.to_f64().total_cmp(&other.to_f64()),
        };
        if self.most { natural.reverse() } else { natural }
    }
}

/// What groups tell about a criterion. Combines in any order.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    holds: bool,
    measures: SmallVec<[Measure; 1]>,
    /// With its own first measure: the combined one may be another group's.
    worst: Option<(WorstGroup, Measure)>,
    violating: Violating,
}

/// The group that decides the measured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WorstGroup {
    /// Whether it holds by itself: with two thresholds, a group that fails either is worse than one that fails none.
    pub holds: bool,
    /// How many records it has.
    pub size: u64,
    /// Its number.
    pub group: usize,
}

/// How much of the table violates a criterion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Violating {
    /// Groups that violate it by themselves.
    pub groups: u64,
    /// Records in them.
    pub records: u64,
}

impl Evidence {
    /// The evidence of no group.
    pub fn none() -> Self {
        Evidence { holds: true, measures: SmallVec::new(), worst: None, violating: Violating::default() }
    }

    /// The evidence of one group: whether the criterion holds for it, and what was measured; the first measure tells the worst group.
    pub fn of(group: &Histogram<'_>, holds: bool, measures: impl IntoIterator<Item = Measure>) -> Self {
        let violating = if holds { Violating::default() } else { Violating { groups: 1, records: group.size() } };
        let measures: SmallVec<[Measure; 1]> = measures.into_iter().collect();
        let worst = WorstGroup { holds, size: group.size(), group: group.group() };
        let worst = measures.first().map(|measure| (worst, *measure));
        Evidence { holds, measures, worst, violating }
    }

    /// The evidence of so many groups alike; the one it is of stands for the first.
    pub fn repeated(mut self, times: u64) -> Evidence {
        self.violating.groups *= times;
        self.violating.records *= times;
        self
    }

    /// Both together.
    pub fn combine(mut self, other: Evidence) -> Evidence {
        self.absorb(&other);
        self
    }

    /// Takes in what other groups tell.
    pub fn absorb(&mut self, other: &Evidence) {
        let (Some(mine), Some(others)) = (self.worst, other.worst) else {
            if self.worst.is_none() {
                *self = other.clone();
            }
            return;
        };
        let order = mine.0.holds.cmp(&others.0.holds).then(mine.1.compare(&others.1)).then(mine.0.cmp(&others.0));
        if order == Ordering::Greater {
            self.worst = Some(others);
        }
        for (own, others) in self.measures.iter_mut().zip(&other.measures) {
            if own.compare(others) == Ordering::Greater {
                *own = *others;
            }
        }
        self.holds &= other.holds;
        self.violating.groups += other.violating.groups;
        self.violating.records += other.violating.records;
    }

    /// Whether the criterion holds for every group by itself.
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// What was measured.
    pub fn measures(&self) -> &[Measure] {
        &self.measures
    }
}

/// The answer of a criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it holds.
    pub holds: bool,
    /// The strongest parameter that would hold; nothing if no finite one would, or there is no group.
    pub measured: Option<f64>,
    /// Further measured values, by the parameter they belong to.
    pub also: SmallVec<[(&'static str, f64); 1]>,
    /// The group that decides.
    pub worst: Option<WorstGroup>,
    /// How much of the table violates it.
    pub violating: Violating,
}

impl Verdict {
    /// The verdict of a criterion that holds when it holds for every group by itself, and whose first measure is the parameter.
    pub fn of(evidence: &Evidence) -> Verdict {
        Verdict {
            holds: evidence.holds,
            measured: evidence.measures.first().map(|measure| measure.to_f64()).filter(|value| value.is_finite()),
            also: smallvec![],
            worst: evidence.worst.map(|(group, _)| group),
            violating: evidence.violating,
        }
    }

    /// Adds the second measure under a parameter's name.
    pub fn with_second(mut self, name: &'static str, evidence: &Evidence) -> Verdict {
        if let Some(value) = evidence.measures.get(1).map(|measure| measure.to_f64()).filter(|value| value.is_finite())
        {
            self.also.push((name, value));
        }
        self
    }
}

/// A criterion with its parameters, as a plan asks for it.
#[derive(Clone)]
pub struct Requirement {
    /// Which criterion.
    pub kind: &'static Kind<Build>,
    /// Its parameters.
    pub params: Params,
    /// The sensitive columns that it is about.
    pub on: Vec<String>,
}

impl Requirement {
    /// A requirement from what was written. `on` may be left out where only one column can be meant.
    ///
    /// ```
    /// use sfumato::criterion::Requirement;
    /// use sfumato::data::Schema;
    /// use sfumato::kind::Raw;
    ///
    /// let schema = Schema::of(&["zip"], &["disease"]);
    /// let wanted = Requirement::new("distinct-l-diversity", &[("l", Raw::from("3"))], &[], &schema)?;
    /// assert_eq!(wanted.on, ["disease"]);
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn new(name: &str, written: &[(&str, Raw)], on: &[String], schema: &Schema) -> Result<Requirement> {
        let kind = find(name)?;
        let params = kind.check(written)?;
        let on = resolve_on(kind, on, schema)?;
        Ok(Requirement { kind, params, on })
    }

    /// Binds it to a table.
    pub fn bind(&self, table: &Table, schema: &Schema, folder: &Path) -> Result<Bound> {
        (self.kind.build.bind)(&Context { table, schema, params: &self.params, on: &self.on, folder })
    }
}

fn resolve_on(kind: &'static Kind<Build>, written: &[String], schema: &Schema) -> Result<Vec<String>> {
    let sensitive = schema.names(Role::Sensitive);
    let example =
        || format!("add a column with role = \"sensitive\", and `on` if there are several, to use {}", kind.name);
    if kind.build.on == On::Nothing {
        return match written {
            [] => Ok(Vec::new()),
            _ => Err(Error::plan(format!("{} is about group sizes only", kind.name)).help("leave out `on`")),
        };
    }
    if sensitive.is_empty() {
        return Err(Error::plan(format!("{} needs a sensitive column, the plan has none", kind.name)).help(example()));
    }
    for name in written {
        if !sensitive.contains(&name.as_str()) {
            let message = format!("{}: \"{name}\" is not a sensitive column of the plan", kind.name);
            return Err(Error::plan(message).help(suggest(name, sensitive.iter().copied())));
        }
    }
    if (1..written.len()).any(|at| written[..at].contains(&written[at])) {
        return Err(Error::plan(format!("{}: `on` names a column twice", kind.name)));
    }
    let all = || sensitive.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    match (kind.build.on, written, sensitive.as_slice()) {
        (On::Column, [_], _) => Ok(written.to_vec()),
        (On::Column, [], [_]) => Ok(all()),
        (On::Column, ..) => {
            let message = format!("{} is about one sensitive column", kind.name);
            Err(Error::plan(message).help(format!("say which: on = \"{}\"", sensitive[0])))
        }
        (_, [], [_]) | (_, [_], _) => {
            let message = format!("{} is about several sensitive columns", kind.name);
            Err(Error::plan(message).help("name at least two, or use the criterion without \"multi-attribute-\""))
        }
        (_, [], _) => Ok(all()),
        _ => Ok(written.to_vec()),
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! Helpers that many criteria's tests share.

    use super::*;
    use crate::audit::audit;

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
