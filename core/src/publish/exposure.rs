//! How identifying a published row is with its insensitive columns, and what they disclose about
//! sensitive ones.
//!
//! Criteria hold for the quasi-identifiers that the plan names. A column declared insensitive is
//! published as it is beside them. If an outsider knows it after all, it acts as one more
//! quasi-identifier, which no method has generalized. This module measures that case, from what is
//! published alone, and refuses the release beyond a stated share.

use crate::candidate::{Coded, dense_ids};
use crate::criterion::{About, Bound, Knowledge, Limit, Requirement, Scope};
use crate::data::{Column, Role, Schema, Table};
use crate::error::{Error, ErrorCode, Result};
use crate::exact::Fraction;
use crate::recode::Form;
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, HashMap};

/// Per cent of the published records that columns declared insensitive may make unique, of which
/// they may make a sensitive value certain, and about which they may let somebody believe more than
/// the criteria promise. Beyond it the plan must accept the columns by name.
pub const TOLERATED_PERCENT: u64 = 1;

/// What is said where sensitive values are published apart from records.
const UNMEASURED: &str = " What that discloses about sensitive values is not measured.";

/// What the published insensitive columns disclose.
///
/// **Definition**: a *cell* of some insensitive columns is a set of published records with equal
/// quasi-identifiers, as published, and equal values in these columns. Without insensitive columns
/// the cells of a generalized release are its equivalence classes; in a bucketized release they are
/// the records with equal exact quasi-identifiers. Starred records are in none. All figures are
/// whole numbers of records, beyond those that quasi-identifiers alone give.
///
/// # Claim
///
/// More columns never disclose less: a cell of more columns is part of a cell of fewer. A record
/// that is alone stays alone, and a cell with one sensitive value has only parts with that value.
/// So the columns that the plan does not accept decide by what they disclose together, and by what
/// they add to the accepted ones. This does not hold for beliefs beyond what is promised: a cell in
/// which a value is too frequent may have parts in which it is not.
///
/// ```
/// use sfumato::data::{Column, ColumnSpec, Role, Schema, Table};
/// use sfumato::publish::{Exposure, Promised};
/// use sfumato::recode::Form;
///
/// let table = Table::new(vec![
///     Column::from_values("zip", ["130**", "130**", "148**", "148**"]),
///     Column::from_values("ward", ["A", "B", "A", "A"]),
///     Column::from_values("disease", ["flu", "cancer", "flu", "cancer"]),
/// ])?;
/// let roles = [("zip", Role::Quasi), ("ward", Role::Insensitive), ("disease", Role::Sensitive)];
/// let schema = Schema::new(roles.map(|(name, role)| ColumnSpec::new(name, role)).to_vec());
///
/// let exposure = Exposure::measure(&table, &schema, Form::Generalized, &[], &Promised::default())?;
/// assert_eq!((exposure.together.unique, exposure.together.sensitive[0].certain), (2, 2));
/// assert!(exposure.refused());
///
/// let ward = ["ward".to_string()];
/// let accepted = Exposure::measure(&table, &schema, Form::Generalized, &ward, &Promised::default())?;
/// assert!(!accepted.refused() && accepted.together == exposure.together);
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Exposure {
    /// Whether the release separates sensitive values from records: what insensitive columns
    /// disclose about them cannot be measured then.
    #[serde(skip)]
    pub is_separated: bool,
    /// Published records, without starred ones.
    #[serde(skip)]
    pub records: u64,
    /// Every published insensitive column by itself, in the order of the plan.
    pub columns: Vec<ColumnExposure>,
    /// All of them together.
    pub together: Disclosure,
    /// Those that the plan accepts by name, together; `None` if it accepts none.
    #[serde(skip)]
    pub accepted: Option<Disclosure>,
    /// The others together, which decide; `None` if there are none.
    #[serde(skip)]
    pub others: Option<Disclosure>,
}

/// What one insensitive column discloses by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnExposure {
    /// What it discloses.
    #[serde(flatten)]
    pub disclosure: Disclosure,
    /// Its name.
    #[serde(rename = "column")]
    pub name: String,
    /// Whether the plan accepts it by name.
    pub accepted: bool,
    /// Whether every published record has the same value: then it discloses nothing.
    #[serde(skip)]
    pub is_constant: bool,
}

/// What some insensitive columns disclose to somebody who knows them and the quasi-identifiers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Disclosure {
    /// Records that become unique: alone in their cell, and not by quasi-identifiers alone.
    pub unique: u64,
    /// Records in the smallest cell.
    #[serde(skip)]
    pub smallest: u64,
    /// What becomes known of each sensitive column. Empty for a bucketized release, which publishes
    /// sensitive values apart from records.
    #[serde(flatten, serialize_with = "stated")]
    pub sensitive: Vec<ValueDisclosure>,
}

/// How many records of each sensitive column become certain, and about how many more is believed
/// than is promised: what certificates tell.
fn stated<S: Serializer>(found: &[ValueDisclosure], serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let of = |figure: fn(&ValueDisclosure) -> u64| -> BTreeMap<&str, u64> {
        found.iter().map(|one| (one.column.as_str(), figure(one))).collect()
    };
    serializer.collect_map([("certain", of(|one| one.certain)), ("beyond_promise", of(|one| one.beyond))])
}

/// What becomes known of a sensitive column. Only protected values count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueDisclosure {
    /// The column.
    pub column: String,
    /// Records whose value becomes certain: all of their cell have it, and not all of their group.
    pub certain: u64,
    /// Records of cells in which some value has a larger share than the criteria promise for
    /// groups.
    pub beyond: u64,
    /// Records for which the most frequent value of their cell is the right guess.
    pub guessed: u64,
    /// The same for the most frequent value of their group.
    pub guessed_before: u64,
}

impl Exposure {
    /// Measures a published table: without starred records, and of a bucketized release the table
    /// with the quasi-identifiers. `accepted` are the columns that the plan accepts by name.
    /// `promised` is what criteria promise about beliefs.
    pub fn measure(
        table: &Table,
        schema: &Schema,
        form: Form,
        accepted: &[String],
        promised: &Promised,
    ) -> Result<Exposure> {
        let view = View::new(table, schema, form, promised)?;
        let open: Vec<&Column> =
            schema.names(Role::Insensitive).into_iter().filter_map(|name| table.find(name)).collect();
        let is_accepted = |column: &Column| accepted.iter().any(|name| name == column.name());
        let alone = |column: &&Column| ColumnExposure {
            name: column.name().to_string(),
            accepted: is_accepted(column),
            is_constant: column.codes().windows(2).all(|pair| pair[0] == pair[1]),
            disclosure: view.disclosed(&[column]),
        };
        let (named, others): (Vec<&Column>, Vec<&Column>) = open.iter().partition(|column| is_accepted(column));
        let some = |columns: &[&Column]| (!columns.is_empty()).then(|| view.disclosed(columns));
        Ok(Exposure {
            is_separated: form == Form::Bucketized && !schema.names(Role::Sensitive).is_empty(),
            records: table.rows() as u64,
            columns: open.par_iter().map(alone).collect(),
            together: view.disclosed(&open),
            accepted: some(&named),
            others: some(&others),
        })
    }

    /// Whether the columns that the plan does not accept disclose more than is tolerated: see
    /// [`TOLERATED_PERCENT`]. What cannot be measured is not tolerated.
    pub fn refused(&self) -> bool {
        let is_unmeasured = self.columns.iter().any(|column| !column.accepted && self.is_unmeasured(column));
        let Some(others) = &self.others else { return false };
        let is_added = self.accepted.as_ref().is_some_and(|accepted| self.together.adds(accepted, self.records));
        is_unmeasured || others.exceeds(self.records) || is_added
    }

    fn is_unmeasured(&self, column: &ColumnExposure) -> bool {
        self.is_separated && !column.is_constant
    }

    /// The columns that the plan accepts by name.
    pub fn accepted_columns(&self) -> Vec<&str> {
        self.names(|column| column.accepted)
    }

    /// Refuses a release of which [`Exposure::refused`] says so.
    pub fn refuse(&self) -> Result<()> {
        let Some(others) = self.others.as_ref().filter(|_| self.refused()) else { return Ok(()) };
        let mut named =
            self.names(|column| !column.accepted && (self.is_unmeasured(column) || column.disclosure.discloses()));
        if named.is_empty() {
            // None discloses anything by itself, but together they do.
            named = self.names(|column| !column.accepted);
        }
        let unmeasured = "a bucketized release publishes insensitive columns record by record, and what they disclose \
                          about sensitive values cannot be measured";
        let message = format!(
            "columns declared insensitive disclose who people are: known beside the quasi-identifiers, {}{}. \
             More than {TOLERATED_PERCENT} % of the published records is refused",
            self.told(&listed(&named), named.len(), others),
            self.each(&named),
        );
        let list = named.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let help = format!(
            "give each column role = \"quasi\" if outsiders may know it, or role = \"identifier\" to leave it out; \
             insensitive = \"drop\" under [release] leaves all of them out; if nobody outside can know them, accept \
             them by name: [release] insensitive = {{ accept = [{list}] }}"
        );
        let message = if self.is_separated { format!("{unmeasured}: {}", listed(&named)) } else { message };
        Err(Error::of(ErrorCode::Exposed, message).help(help))
    }

    /// What readers of the release should know: a function of what is published and of the plan's
    /// acceptance alone. Empty if no insensitive column is published.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some(accepted) = &self.accepted {
            let names = self.accepted_columns();
            let told = self.told(&listed(&names), names.len(), accepted);
            sentences.push(format!(
                "The plan accepts insensitive columns by name. Known beside the quasi-identifiers, {told}.{}{}",
                self.guesses(accepted),
                if self.is_separated { UNMEASURED } else { "" }
            ));
        }
        if let Some(others) = &self.others {
            let names = self.names(|column| !column.accepted);
            let told = self.told(&listed(&names), names.len(), others);
            sentences.push(format!(
                "Insensitive columns are published as they are. Known beside the quasi-identifiers, {told}.{}",
                self.guesses(others)
            ));
        }
        if self.accepted.is_some() && self.others.is_some() {
            let told = self.told("all insensitive columns together", 2, &self.together);
            sentences.push(format!("Known beside the quasi-identifiers, {told}."));
        }
        sentences
    }

    /// One clause for the headline of a release: that columns which the plan accepts by name
    /// disclose more than would be tolerated. `None` if they do not.
    pub fn headline(&self) -> Option<String> {
        let accepted = self.accepted.as_ref();
        let accepted = accepted.filter(|_| self.is_separated || self.together.exceeds(self.records))?;
        let names = self.accepted_columns();
        let unmeasured = if self.is_separated { UNMEASURED } else { "" };
        let all = match self.others {
            Some(_) => format!("; {}", self.told("all insensitive columns together", 2, &self.together)),
            None => String::new(),
        };
        Some(format!("Accepted by name: {}{all}.{unmeasured}", self.told(&listed(&names), names.len(), accepted)))
    }

    fn names(&self, which: impl Fn(&ColumnExposure) -> bool) -> Vec<&str> {
        self.columns.iter().filter(|column| which(column)).map(|column| column.name.as_str()).collect()
    }

    /// `"zip" and "age" make 40 of 50 published records unique (80.0 %) and "disease" certain for
    /// 39 (78.0 %)`.
    fn told(&self, names: &str, count: usize, disclosure: &Disclosure) -> String {
        let make = if count == 1 { "makes" } else { "make" };
        let of_all = format!("of {} published records", self.records);
        let unique = match disclosure.unique {
            0 => format!("none {of_all} unique"),
            unique => format!("{unique} {of_all} unique ({})", percent(unique, self.records)),
        };
        let certain = disclosure.sensitive.iter().map(|value| match value.certain {
            0 => format!(" and no value of \"{}\" certain", value.column),
            some => format!(" and \"{}\" certain for {some} ({})", value.column, percent(some, self.records)),
        });
        let beyond = disclosure.sensitive.iter().filter(|value| value.beyond > value.certain).map(|value| {
            let share = percent(value.beyond, self.records);
            format!(", and let \"{}\" be believed beyond what is promised for {} ({share})", value.column, value.beyond)
        });
        format!("{names} {make} {unique}{}{}", certain.collect::<String>(), beyond.collect::<String>())
    }

    /// How much better guesses get, where they do.
    fn guesses(&self, disclosure: &Disclosure) -> String {
        let better = disclosure.sensitive.iter().filter(|value| value.guessed > value.guessed_before);
        let sentence = |value: &ValueDisclosure| {
            format!(
                " The best guess of \"{}\" is then right for {} of the records instead of {}.",
                value.column,
                percent(value.guessed, self.records),
                percent(value.guessed_before, self.records),
            )
        };
        better.map(sentence).collect()
    }

    /// What each of several columns makes unique by itself.
    fn each(&self, names: &[&str]) -> String {
        let alone = |name: &&str| {
            let column = self.columns.iter().find(|column| column.name == *name)?;
            Some(format!("\"{name}\" alone {}", percent(column.disclosure.unique, self.records)))
        };
        match names {
            [] | [_] => String::new(),
            _ => format!(" (unique by {})", names.iter().filter_map(alone).collect::<Vec<_>>().join(", ")),
        }
    }
}

impl Disclosure {
    /// Whether more than the tolerated share of so many records becomes unique, or a sensitive
    /// value of more than that certain or believed beyond what is promised.
    pub fn exceeds(&self, records: u64) -> bool {
        is_above(self.unique, records) || self.sensitive.iter().any(|value| value.exceeds(None, records))
    }

    /// Whether more than that becomes so by what these columns have beyond some of them.
    fn adds(&self, some: &Disclosure, records: u64) -> bool {
        let mut values = self.sensitive.iter().zip(&some.sensitive);
        is_above(self.unique - some.unique, records) || values.any(|(own, some)| own.exceeds(Some(some), records))
    }

    fn discloses(&self) -> bool {
        self.unique > 0 || self.sensitive.iter().any(|value| value.certain > 0 || value.beyond > 0)
    }
}

impl ValueDisclosure {
    /// Whether the value is known too well of too many, besides those of whom it is by other
    /// columns.
    fn exceeds(&self, beyond: Option<&ValueDisclosure>, records: u64) -> bool {
        let added = |own: u64, other: fn(&ValueDisclosure) -> u64| own.saturating_sub(beyond.map_or(0, other));
        is_above(added(self.certain, |other| other.certain), records)
            || is_above(added(self.beyond, |other| other.beyond), records)
    }
}

/// Whether so many of all records are more than is tolerated.
fn is_above(some: u64, records: u64) -> bool {
    u128::from(some) * 100 > u128::from(records) * u128::from(TOLERATED_PERCENT)
}

/// What outsiders see of a release who know no insensitive column.
struct View<'t> {
    groups: Cells,
    unique: u64,
    sensitive: Vec<Sensitive<'t>>,
}

/// A sensitive column, and how its values are distributed over groups.
struct Sensitive<'t> {
    column: &'t Column,
    /// Whether each value needs protection.
    protected: Vec<bool>,
    /// What is promised about each.
    limits: Vec<Option<Limit>>,
    in_groups: Inference,
}

/// What criteria promise about beliefs in sensitive values, by column and value. Only those
/// criteria count that read groups alone, so that whoever has the release comes to the same.
#[derive(Clone, Debug, Default)]
pub struct Promised(HashMap<String, HashMap<String, Limit>>);

impl Promised {
    /// By criteria that are bound to a table.
    pub fn by<'a>(
        criteria: impl Iterator<Item = (&'a Requirement, &'a Bound)> + Clone,
        table: &Table,
        schema: &Schema,
    ) -> Result<Promised> {
        let mut promised = Promised::default();
        for column in schema.select(table, Role::Sensitive)? {
            let own = criteria.clone().filter(|(wanted, bound)| {
                wanted.on.as_slice() == [column.name()] && bound.criterion.properties().scope == Scope::Groups
            });
            let limit = |code: u32| {
                let limits = own
                    .clone()
                    .filter_map(|(_, bound)| bound.criterion.promise(About::Value(code), Knowledge::Nothing));
                limits.min_by(|a, b| a.belief.cmp(&b.belief).then(b.strict.cmp(&a.strict)))
            };
            let of_values = (0u32..).zip(column.domain().labels().iter());
            let limits = of_values.filter_map(|(code, label)| Some((label.to_string(), limit(code)?)));
            promised.0.insert(column.name().to_string(), limits.collect());
        }
        Ok(promised)
    }

    fn of(&self, column: &Column) -> Vec<Option<Limit>> {
        let own = self.0.get(column.name());
        column.domain().labels().iter().map(|label| own.and_then(|own| own.get(label)).copied()).collect()
    }
}

/// Numbers of cells that records are in.
struct Cells {
    of_record: Vec<u32>,
    sizes: Vec<u64>,
}

/// How well a sensitive value is known from cells.
struct Inference {
    certain: u64,
    beyond: u64,
    guessed: u64,
}

impl<'t> View<'t> {
    fn new(table: &'t Table, schema: &Schema, form: Form, promised: &Promised) -> Result<View<'t>> {
        let quasi = schema.select(table, Role::Quasi)?;
        let groups = Cells::new(&quasi.iter().map(|column| coded(column)).collect::<Vec<_>>(), table.rows());
        let columns = match form {
            Form::Generalized => schema.select(table, Role::Sensitive)?,
            Form::Bucketized => Vec::new(),
        };
        let sensitive = columns.into_iter().map(|column| {
            let (protected, limits) = (protected(column, schema), promised.of(column));
            Sensitive { column, in_groups: groups.known(column, &protected, &limits), protected, limits }
        });
        let sensitive = sensitive.collect();
        Ok(View { unique: groups.unique(), groups, sensitive })
    }

    fn disclosed(&self, columns: &[&Column]) -> Disclosure {
        let groups: Coded<'_> = (&self.groups.of_record, self.groups.sizes.len());
        let both: Vec<Coded<'_>> = std::iter::once(groups).chain(columns.iter().map(|column| coded(column))).collect();
        let cells = Cells::new(&both, self.groups.of_record.len());
        let value = |sensitive: &Sensitive<'_>| {
            let known = cells.known(sensitive.column, &sensitive.protected, &sensitive.limits);
            ValueDisclosure {
                column: sensitive.column.name().to_string(),
                certain: known.certain - sensitive.in_groups.certain,
                beyond: known.beyond.saturating_sub(sensitive.in_groups.beyond),
                guessed: known.guessed,
                guessed_before: sensitive.in_groups.guessed,
            }
        };
        Disclosure {
            unique: cells.unique() - self.unique,
            smallest: cells.sizes.iter().copied().min().unwrap_or(0),
            sensitive: self.sensitive.iter().map(value).collect(),
        }
    }
}

impl Cells {
    fn new(columns: &[Coded<'_>], rows: usize) -> Cells {
        let (of_record, count) = dense_ids(columns, rows);
        let mut sizes = vec![0; count];
        of_record.iter().for_each(|&cell| sizes[cell as usize] += 1);
        Cells { of_record, sizes }
    }

    fn unique(&self) -> u64 {
        self.sizes.iter().filter(|&&size| size == 1).count() as u64
    }

    fn known(&self, column: &Column, protected: &[bool], limits: &[Option<Limit>]) -> Inference {
        let rows = self.of_record.len();
        let pairs = Cells::new(&[(&self.of_record, self.sizes.len()), coded(column)], rows);
        let (mut most, mut is_beyond) = (vec![0; self.sizes.len()], vec![false; self.sizes.len()]);
        for ((&pair, &cell), &value) in pairs.of_record.iter().zip(&self.of_record).zip(column.codes()) {
            let (count, size) = (pairs.sizes[pair as usize], self.sizes[cell as usize]);
            if protected[value as usize] {
                most[cell as usize] = count.max(most[cell as usize]);
                let share = Fraction::new(u128::from(count), u128::from(size));
                is_beyond[cell as usize] |= limits[value as usize].is_some_and(|limit| !limit.allows(share));
            }
        }
        let beyond = is_beyond.iter().zip(&self.sizes).filter(|(is_beyond, _)| **is_beyond).map(|(_, size)| size).sum();
        let certain = most.iter().zip(&self.sizes).filter(|(most, size)| most == size).map(|(most, _)| most);
        Inference { certain: certain.sum(), beyond, guessed: most.iter().sum() }
    }
}

fn coded(column: &Column) -> Coded<'_> {
    (column.codes(), column.domain().len())
}

/// Whether each value of a sensitive column needs protection: all do unless the plan lists some.
fn protected(column: &Column, schema: &Schema) -> Vec<bool> {
    let listed = schema.find(column.name()).map_or(&[][..], |spec| &spec.sensitive_values);
    let is_protected = |label: &str| listed.is_empty() || listed.iter().any(|value| value == label);
    column.domain().labels().iter().map(is_protected).collect()
}

/// Names in quotes: `"a", "b" and "c"`.
fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// A share in per cent with one digit; what is there is never told as nothing.
fn percent(some: u64, all: u64) -> String {
    let share = some as f64 * 100.0 / all.max(1) as f64;
    if some > 0 && share < 0.1 { "less than 0.1 %".to_string() } else { format!("{share:.1} %") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ColumnSpec;
    use crate::error::Fault;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const NAMES: [&str; 5] = ["q1", "q2", "x", "y", "s"];

    fn schema(sensitive_values: &[&str]) -> Schema {
        let roles = [Role::Quasi, Role::Quasi, Role::Insensitive, Role::Insensitive, Role::Sensitive];
        let mut specs: Vec<ColumnSpec> =
            NAMES.iter().zip(roles).map(|(name, role)| ColumnSpec::new(*name, role)).collect();
        specs[4].sensitive_values = sensitive_values.iter().map(|value| value.to_string()).collect();
        Schema::new(specs)
    }

    fn table(rows: &[[u8; 5]]) -> Table {
        let column = |at: usize| Column::from_values(NAMES[at], rows.iter().map(|row| row[at].to_string()));
        Table::new((0..5).map(column).collect()).unwrap()
    }

    /// The records of a cell, found by comparing one record with all.
    fn cell<'r>(rows: &'r [[u8; 5]], columns: &[usize], of: &[u8; 5]) -> Vec<&'r [u8; 5]> {
        rows.iter().filter(|row| columns.iter().all(|&at| row[at] == of[at])).collect()
    }

    /// Unique and certain records, and right guesses, record by record.
    fn plainly(rows: &[[u8; 5]], columns: &[usize], is_protected: impl Fn(u8) -> bool) -> (u64, u64, u64) {
        let (mut unique, mut certain) = (0, 0);
        let mut best: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        for row in rows {
            let cell = cell(rows, columns, row);
            unique += u64::from(cell.len() == 1);
            certain += u64::from(is_protected(row[4]) && cell.iter().all(|other| other[4] == row[4]));
            let count = cell.iter().filter(|other| other[4] == row[4]).count() as u64;
            let slot = best.entry(columns.iter().map(|&at| row[at]).collect()).or_default();
            *slot = (*slot).max(if is_protected(row[4]) { count } else { 0 });
        }
        (unique, certain, best.values().sum())
    }

    proptest! {
        #[test]
        fn figures_are_those_of_counting_record_by_record(
            rows in proptest::collection::vec([0u8..2, 0u8..2, 0u8..3, 0u8..3, 0u8..3], 1..14),
            all_protected: bool,
        ) {
            let is_protected = |value: u8| all_protected || value == 1;
            let schema = schema(if all_protected { &[] } else { &["1"] });
            let found = Exposure::measure(&table(&rows), &schema, Form::Generalized, &["y".to_string()], &Promised::default()).unwrap();
            let before = plainly(&rows, &[0, 1], is_protected);
            let sets: [(&[usize], &Disclosure); 5] = [
                (&[0, 1, 2], &found.columns[0].disclosure),
                (&[0, 1, 3], &found.columns[1].disclosure),
                (&[0, 1, 2, 3], &found.together),
                (&[0, 1, 3], found.accepted.as_ref().unwrap()),
                (&[0, 1, 2], found.others.as_ref().unwrap()),
            ];
            for (columns, disclosure) in sets {
                let after = plainly(&rows, columns, is_protected);
                let smallest = rows.iter().map(|row| cell(&rows, columns, row).len()).min().unwrap();
                prop_assert_eq!((disclosure.unique, disclosure.smallest), (after.0 - before.0, smallest as u64));
                let value = &disclosure.sensitive[0];
                let figures = (value.certain, value.guessed, value.guessed_before);
                prop_assert_eq!(figures, (after.1 - before.1, after.2, before.2));
            }
        }

        /// The claim: more columns never disclose less.
        #[test]
        fn one_column_discloses_no_more_than_all(
            rows in proptest::collection::vec([0u8..2, 0u8..2, 0u8..3, 0u8..3, 0u8..3], 1..14),
        ) {
            let found = Exposure::measure(&table(&rows), &schema(&[]), Form::Generalized, &[], &Promised::default()).unwrap();
            for column in &found.columns {
                prop_assert!(column.disclosure.unique <= found.together.unique);
                let (one, all) = (&column.disclosure.sensitive[0], &found.together.sensitive[0]);
                prop_assert!(one.certain <= all.certain && one.guessed <= all.guessed);
                prop_assert!(all.guessed_before <= one.guessed);
            }
        }
    }

    /// 200 records in 20 groups of ten; the first `odd` groups have one record with another `x`.
    fn groups_of_ten(odd: u8) -> Table {
        let row = |at: u8| [at / 10, 0, u8::from(at.is_multiple_of(10) && at / 10 < odd), 0, at % 2];
        table(&(0..200).map(row).collect::<Vec<_>>())
    }

    #[test]
    fn one_per_cent_is_tolerated_and_no_record_more() {
        let measure = |odd| {
            Exposure::measure(&groups_of_ten(odd), &schema(&[]), Form::Generalized, &[], &Promised::default()).unwrap()
        };
        assert_eq!(measure(2).together.unique, 2);
        assert!(!measure(2).refused() && measure(2).refuse().is_ok());
        let error = measure(3).refuse().unwrap_err();
        assert_eq!(error.fault(), Fault::Gate);
        let text = error.to_string();
        for part in ["\"x\"", "3 of 200", "1.5 %", "\"s\" certain for 3", "1 %", "accept = [\"x\"]", "identifier"] {
            assert!(text.contains(part), "{text:?} lacks {part:?}");
        }
        assert!(!text.contains("\"y\""), "a column that discloses nothing is not named: {text}");
    }

    /// A value can become certain where nobody becomes unique.
    #[test]
    fn certain_values_are_refused_too() {
        let row = |at: u8| [at / 10, 0, u8::from(at < 10) * (at % 2), 0, at % 2];
        let rows: Vec<[u8; 5]> = (0..200).map(row).collect();
        let found =
            Exposure::measure(&table(&rows), &schema(&[]), Form::Generalized, &[], &Promised::default()).unwrap();
        assert_eq!((found.together.unique, found.together.sensitive[0].certain), (0, 10));
        assert!(found.refused());
        let unprotected =
            Exposure::measure(&table(&rows), &schema(&["7"]), Form::Generalized, &[], &Promised::default()).unwrap();
        assert!(!unprotected.refused(), "the plan protects none of these values");
        let apart =
            Exposure::measure(&table(&rows), &schema(&[]), Form::Bucketized, &[], &Promised::default()).unwrap();
        assert!(
            apart.refused() && apart.together.sensitive.is_empty(),
            "values are published apart: nobody can measure it"
        );
    }

    #[test]
    fn accepted_columns_are_measured_and_decide_nothing() {
        let accepted = ["x".to_string()];
        let found =
            Exposure::measure(&groups_of_ten(20), &schema(&[]), Form::Generalized, &accepted, &Promised::default())
                .unwrap();
        assert!(!found.refused() && found.refuse().is_ok());
        assert_eq!((found.accepted_columns(), found.together.unique), (vec!["x"], 20));
        assert!(found.headline().unwrap().contains("20 of 200 published records unique (10.0 %)"));
        let sentences = found.sentences().join("\n");
        assert!(sentences.contains("\"x\" makes 20 of 200") && sentences.contains("\"y\" makes none"), "{sentences}");
    }

    /// Two columns, each with ten values over groups of a hundred: neither singles anybody out,
    /// both together everybody.
    #[test]
    fn an_accepted_column_does_not_let_others_pass_with_it() {
        let rows: Vec<[u8; 5]> =
            (0..200).map(|at| [(at / 100) as u8, 0, (at / 10 % 10) as u8, (at % 10) as u8, (at % 7) as u8]).collect();
        let measure = |accepted: &[&str]| {
            let accepted: Vec<String> = accepted.iter().map(|name| name.to_string()).collect();
            Exposure::measure(&table(&rows), &schema(&[]), Form::Generalized, &accepted, &Promised::default()).unwrap()
        };
        assert!(measure(&[]).refused() && measure(&["x"]).refused() && measure(&["y"]).refused());
        let both = measure(&["x", "y"]);
        assert!(!both.refused());
        assert!(both.headline().unwrap().contains("200 of 200 published records unique"));
    }

    /// Wards of twenty in which nineteen have one disease, where a third is promised.
    #[test]
    fn nearly_certain_values_are_refused_where_less_is_promised() {
        let rows: Vec<[u8; 5]> = (0..200u32)
            .map(|at| {
                let ward = (at / 20 % 5) as u8;
                [(at / 100) as u8, 0, ward, 0, if at % 20 == 0 { (ward + 1) % 5 } else { ward }]
            })
            .collect();
        let (table, schema) = (table(&rows), schema(&[]));
        let wanted =
            Requirement::new("frequency-l-diversity", &[("l", crate::kind::Raw::from("3"))], &[], &schema).unwrap();
        let bound = wanted.bind(&table, &schema, ".".as_ref()).unwrap();
        let promised = Promised::by([(&wanted, &bound)].into_iter(), &table, &schema).unwrap();
        let found = |promised: &Promised| Exposure::measure(&table, &schema, Form::Generalized, &[], promised).unwrap();
        assert!(!found(&Promised::default()).refused(), "nobody is unique, and nothing is certain");
        let beyond = found(&promised);
        assert_eq!(beyond.together.sensitive[0].beyond, 200);
        assert!(
            beyond.refused() && beyond.refuse().unwrap_err().to_string().contains("beyond what is promised for 200")
        );
    }

    #[test]
    fn what_quasi_identifiers_single_out_is_not_counted_again() {
        let rows: Vec<[u8; 5]> = (0..50).map(|at| [at, 0, at, 0, at % 2]).collect();
        let found =
            Exposure::measure(&table(&rows), &schema(&[]), Form::Bucketized, &[], &Promised::default()).unwrap();
        assert_eq!((found.together.unique, found.together.smallest), (0, 1));
    }

    #[test]
    fn without_insensitive_columns_there_is_nothing_to_say() {
        let two = Table::new(vec![Column::from_values("q1", ["1"]), Column::from_values("s", ["1"])]).unwrap();
        let found = Exposure::measure(&two, &Schema::of(&["q1"], &["s"]), Form::Generalized, &[], &Promised::default())
            .unwrap();
        assert!(!found.refused() && found.sentences().is_empty() && found.headline().is_none());
    }
}
