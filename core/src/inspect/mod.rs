//! What a table is like before anything is decided: types, shares, how identifying columns are, and
//! which roles suggest themselves. And whether its sensitive values are too skewed to be hidden at
//! all.

mod alike;
mod batches;
mod eligibility;
mod guideline;
mod patterns;
mod population;
mod readings;
mod roles;
mod transactions;

pub use alike::{Alike, alike, alike_note, alike_notes};
pub use batches::{Batches, Period, Rate, batches, date_columns};
pub use eligibility::{Eligibility, Sight, Way, eligibility, ways};
pub use guideline::{GUIDELINES, Guideline};
pub use population::{Estimator, Population, population};
pub use readings::{Fit, UsualMissing, reread, usual_missing};
pub use transactions::{TransactionProfile, draft_transaction_plan, inspect_transactions};

use crate::candidate::dense_ids;
use crate::data::spelling::Spelling;
use crate::data::{Column, Part, ReadOptions, Role, Table, ValueType, hierarchy};
use crate::{anonymize, criterion, skew};
use guideline::Line;
use rayon::prelude::*;
use roles::Suggestion;

/// What was found about a table.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Records in the table.
    pub records: usize,
    /// Every column, in the order of the file.
    pub columns: Vec<ColumnProfile>,
    /// The most identifying pairs and triples of columns that do not identify alone, most
    /// identifying first.
    pub combinations: Vec<Combination>,
    /// What looks as if the table was not read as it was meant.
    pub notes: Vec<String>,
    /// Records that combinations were counted over, if not all: fewer records make more
    /// combinations unique.
    pub sampled: Option<usize>,
}

/// What was found about one column. Shares are of all records.
#[derive(Clone, Debug)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// Its type.
    pub value_type: ValueType,
    /// How its cells are written, where that is not how values are stored.
    pub written: Option<String>,
    /// What most of its cells are, if it is text because of the others.
    pub fit: Option<Fit>,
    /// Distinct values, a missing one not counted.
    pub distinct: usize,
    /// Records without a value.
    pub missing: usize,
    /// Share of the most frequent value.
    pub top_share: f64,
    /// Share of records whose value no other record has.
    pub unique_share: f64,
    /// The role that suggests itself.
    pub role: Role,
    /// Why.
    pub reason: String,
    /// Whether its name or its values say that it identifies people directly, however often each
    /// value occurs: an e-mail address, say.
    pub is_direct: bool,
}

/// How identifying some columns are together.
#[derive(Clone, Debug)]
pub struct Combination {
    /// The columns.
    pub columns: Vec<String>,
    /// Different combinations of their values.
    pub distinct: usize,
    /// Share of records that no other record equals in these columns.
    pub unique_share: f64,
}

/// Columns at most that combinations are made of: those with the most values.
const COMBINED_COLUMNS: usize = 10;
/// Records at most that combinations are counted over.
const COMBINED_RECORDS: usize = 1_000_000;
/// Combinations kept of each size.
const KEPT: usize = 5;
/// From so many records on, uniqueness tells more than a column's name.
const TELLING_RECORDS: usize = 100;
/// From this share of unique values on, a column identifies by itself.
const IDENTIFYING: f64 = 0.95;

/// Looks at every column and at combinations of them.
///
/// ```
/// use sfumato::data::{Role, sample};
///
/// let profile = sfumato::inspect::inspect(&sample::hospital(2000, 1));
/// let role = |name| profile.columns.iter().find(|column| column.name == name).unwrap().role;
/// assert_eq!(role("patient"), Role::Identifier);
/// assert_eq!(role("disease"), Role::Sensitive);
/// assert_eq!(role("zip"), Role::Quasi);
/// ```
pub fn inspect(table: &Table) -> Profile {
    let mut columns: Vec<ColumnProfile> =
        table.columns().par_iter().map(|column| profile(column, table.rows())).collect();
    ensure_quasi(&mut columns);
    let (combinations, sampled) = combinations(table, &columns);
    let notes = notes(table, &columns);
    Profile { records: table.rows(), columns, combinations, notes, sampled }
}

fn profile(column: &Column, records: usize) -> ColumnProfile {
    let counts = column.counts();
    let missing = column.domain().missing();
    let share = |count: u64| count as f64 / records.max(1) as f64;
    let present = || counts.iter().zip(0u32..).filter(|(_, code)| Some(*code) != missing).map(|(count, _)| *count);
    let unique_share = share(present().filter(|&count| count == 1).count() as u64);
    let distinct = present().count();
    let Suggestion { role, reason, is_direct } = roles::suggest(column, records, unique_share);
    ColumnProfile {
        name: column.name().to_string(),
        value_type: column.domain().value_type(),
        written: Some(column.domain().spelling()).filter(|way| *way != Spelling::Plain).map(|way| way.to_string()),
        fit: readings::fit(column),
        distinct,
        missing: missing.map_or(0, |code| counts[code as usize] as usize),
        top_share: share(present().max().unwrap_or(0)),
        unique_share,
        role,
        reason,
        is_direct,
    }
}

fn notes(table: &Table, profiles: &[ColumnProfile]) -> Vec<String> {
    let mut notes = Vec::new();
    let is_value = |name: &str| [ValueType::Decimal, ValueType::Date].iter().any(|kind| kind.admits(name.trim()));
    if table.columns().iter().any(|column| is_value(column.name())) {
        notes.push("The first line holds numbers or dates. If it is a record and not names, use --no-header.".into());
    }
    let blank = |column: &Column| {
        let mut labels = column.domain().labels().iter().filter(|label| !label.is_empty()).peekable();
        labels.peek().is_some() && labels.all(|label| label.starts_with(' '))
    };
    if table.columns().iter().any(blank) {
        notes.push("All values of a column start with a blank. If that is not meant, use --trim.".into());
    }
    notes.extend(readings::notes(table, table.rows()));
    let both = table.columns().iter().zip(profiles);
    let sensitive = both.filter(|(_, profile)| profile.role == Role::Sensitive);
    notes.extend(sensitive.filter_map(|(column, _)| alike_note(column)));
    notes
}

/// A plan needs a quasi-identifier: where none suggests itself, the least unique column that is not
/// sensitive must do. A direct identifier comes last: five records of one person would pass as a
/// group of five.
fn ensure_quasi(columns: &mut [ColumnProfile]) {
    if columns.iter().any(|column| column.role == Role::Quasi) {
        return;
    }
    let key = |column: &&mut ColumnProfile| {
        (column.is_direct, column.role == Role::Sensitive, (column.unique_share * 1e6) as u64)
    };
    if let Some(column) = columns.iter_mut().min_by_key(key) {
        column.role = Role::Quasi;
        column.reason = "no column suggests itself, and a plan needs one: say what outsiders know".into();
    }
}

fn combinations(table: &Table, profiles: &[ColumnProfile]) -> (Vec<Combination>, Option<usize>) {
    let mut candidates: Vec<usize> = (0..profiles.len())
        .filter(|&at| profiles[at].unique_share < IDENTIFYING && profiles[at].distinct > 1)
        .collect();
    candidates.sort_by_key(|&at| std::cmp::Reverse(profiles[at].distinct));
    candidates.truncate(COMBINED_COLUMNS);
    candidates.sort_unstable();

    let step = table.rows().div_ceil(COMBINED_RECORDS).max(1);
    let columns: Vec<Vec<u32>> =
        table.columns().iter().map(|column| column.codes().iter().step_by(step).copied().collect()).collect();
    let rows = columns.first().map_or(0, Vec::len);

    let mut found = Vec::new();
    for size in [2, 3] {
        let mut of_size: Vec<Combination> = choose(&candidates, size)
            .into_par_iter()
            .map(|chosen| {
                let coded: Vec<(&[u32], usize)> =
                    chosen.iter().map(|&at| (columns[at].as_slice(), table.columns()[at].domain().len())).collect();
                let (distinct, unique_share) = uniqueness(&coded, rows);
                let names = chosen.iter().map(|&at| profiles[at].name.clone()).collect();
                Combination { columns: names, distinct, unique_share }
            })
            .collect();
        of_size.sort_by(|a, b| b.unique_share.total_cmp(&a.unique_share).then(b.distinct.cmp(&a.distinct)));
        of_size.truncate(KEPT);
        found.extend(of_size);
    }
    (found, (step > 1).then_some(rows))
}

fn choose(from: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let starting_at = |at: usize| {
        choose(&from[at + 1..], size - 1).into_iter().map(move |rest| {
            let mut chosen = vec![from[at]];
            chosen.extend(rest);
            chosen
        })
    };
    (0..from.len()).flat_map(starting_at).collect()
}

fn uniqueness(columns: &[(&[u32], usize)], rows: usize) -> (usize, f64) {
    let (ids, count) = dense_ids(columns, rows);
    let mut sizes = vec![0u32; count];
    ids.iter().for_each(|&id| sizes[id as usize] += 1);
    let unique = sizes.iter().filter(|&&size| size == 1).count();
    (count, unique as f64 / rows.max(1) as f64)
}

/// A commented plan with the suggested roles and a hierarchy for every quasi-identifier: a start,
/// to be read and changed by someone who knows the data.
pub fn draft_plan(table: &Table, profile: &Profile, data: &str, read: &ReadOptions) -> String {
    draft_plan_by(None, table, profile, data, read)
}

/// The same by a guideline, which the plan names, with what it does not settle.
pub fn draft_plan_by(
    guideline: Option<&Guideline>,
    table: &Table,
    profile: &Profile,
    data: &str,
    read: &ReadOptions,
) -> String {
    let mut text = format!(
        "# A plan for sfumato, drafted from the table itself. Read every line: only you know what outsiders know.\n\
         # `sfumato list` tells what can stand here.\n{}\n\
         [data]\n{}\n\
         # role: identifier (dropped), quasi (linkable with outside data), sensitive (to be protected), insensitive\n\
         # (published as it is; refused if it makes records unique, unless you accept it by name under [release]).\n\
         # Columns that are not listed take no part.\n[columns]\n",
        guideline.map_or_else(String::new, preamble),
        data_section(data, table, read),
    );
    let width = profile.columns.iter().map(|column| key(&column.name).chars().count()).max().unwrap_or(0);
    for (column, found) in table.columns().iter().zip(&profile.columns) {
        let mut hierarchy = String::new();
        if found.role == Role::Quasi {
            let rule = hierarchy::draft(column.domain());
            hierarchy = rule.map_or(String::new(), |rule| format!(", hierarchy = {{ {rule} }}"));
        }
        let ways = readings::unclear(column.domain()).iter().map(readings::key_of).collect::<Vec<_>>().join(" or ");
        let asked = if ways.is_empty() { String::new() } else { format!("; it stays text until you say {ways}") };
        let own = || Line { role: found.role, more: hierarchy, reason: found.reason.clone() };
        let line = guideline.and_then(|guideline| (guideline.line)(column, found)).unwrap_or_else(own);
        let Line { role, more, reason } = line;
        text += &format!("{:width$} = {{ role = \"{role}\"{more} }}   # {reason}{asked}\n", key(&found.name));
    }
    text += &drafted_criteria(profile, guideline);
    text += &drafted_gate(guideline);
    text += &format!(
        "\n# How to publish: `sfumato publish` with this plan.\n\
         [method]\nname = \"{}\"   # chosen by what it keeps; `sfumato list methods` has them all\n",
        anonymize::DEFAULT.name
    );
    text += "\n[release]\n# title = \"…\"          # what certificate and report call the release\n# date = 2026-11-18    # the day that they bear\n# max_suppressed = \"2%\"   # records that a method which chooses levels may leave out\n";
    text
}

/// What a guideline is, and what it does not settle.
fn preamble(guideline: &Guideline) -> String {
    let points: String = guideline.unsettled.iter().map(|point| format!("# - {point}\n")).collect();
    format!("#\n# {}: {}.\n# It does not settle:\n{points}", guideline.name, guideline.summary)
}

/// The limit of a guideline, if it has one.
fn drafted_gate(guideline: Option<&Guideline>) -> String {
    let limit = guideline.and_then(|guideline| guideline.max_risk);
    limit.map_or_else(String::new, |(risk, why)| format!("\n[gate]\nmax_risk = {risk}   # {why}\n"))
}

/// What a first plan requires: of every group, and of the values of each sensitive column.
fn drafted_criteria(profile: &Profile, guideline: Option<&Guideline>) -> String {
    let [of_groups, of_values] = criterion::FIRST;
    let parameter = of_values.params[0].name;
    let mut text = format!(
        "\n# What must hold for every group of records that look alike: `sfumato list criteria`.\n\
         [[require]]\ncriterion = \"{}\"\n",
        of_groups.name
    );
    match guideline.map(|guideline| guideline.group_size) {
        Some((size, why)) => text += &format!("{} = {size}   # {why}\n", of_groups.params[0].name),
        None => of_groups.example.iter().for_each(|(name, value)| text += &format!("{name} = {value}\n")),
    }
    let sensitive = || profile.columns.iter().filter(|column| column.role == Role::Sensitive);
    for column in sensitive() {
        let (on, number) = (quoted(&column.name), column.distinct.clamp(1, 3));
        text += &format!("\n[[require]]\ncriterion = \"{}\"\non = {on}\n{parameter} = {number}\n", of_values.name);
        if column.top_share > 0.5 {
            text += &format!(
                "# One value of {on} has {:.0} % of the records: no grouping keeps it to half of a group. A criterion that asks for that needs [skew] method = \"{}\".\n",
                column.top_share * 100.0,
                skew::ADVISED.name
            );
        }
    }
    if sensitive().next().is_none() {
        text += &format!(
            "\n# No column's name sounds sensitive. If one is, give it role = \"sensitive\" above and ask for diversity:\n\
             # [[require]]\n# criterion = \"{}\"\n# on = \"…\"\n# {parameter} = 3\n",
            of_values.name
        );
    }
    text
}

/// How to read the table, as far as it is not the default.
fn data_section(data: &str, table: &Table, read: &ReadOptions) -> String {
    let list = |texts: &mut dyn Iterator<Item = &str>| texts.map(quoted).collect::<Vec<_>>().join(", ");
    let missing = list(&mut read.missing.iter().map(String::as_str));
    let usual = if read.missing.len() > 1 { ": delete one here if it is a value" } else { "" };
    let mut text = format!("path = {}\nmissing = [{missing}]   # texts that mean \"no value\"{usual}\n", quoted(data));
    if let Some(delimiter) = read.delimiter {
        text += &format!("delimiter = {}\n", quoted(&char::from(delimiter).to_string()));
    }
    if let Some((key, name)) = read.part.as_ref().map(Part::key) {
        text += &format!("{key} = {}\n", quoted(name));
    }
    if let Some(encoding) = read.encoding {
        let name = quoted(&encoding.name());
        text += &format!("encoding = {name}   # look at letters such as ä and é before you publish\n");
    }
    if !read.header {
        let names = list(&mut table.columns().iter().map(Column::name));
        text += &format!("header = false\nnames = [{names}]   # give them better ones, here and below\n");
    }
    if read.trim {
        text += "trim = true\n";
    }
    text
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            control if control.is_control() => out += &format!("\\u{:04X}", control as u32),
            plain => out.push(plain),
        }
    }
    out.push('"');
    out
}

/// A name as a TOML key.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if bare { name.to_string() } else { quoted(name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::sample;
    use crate::plan::TablePlan;
    use std::path::Path;

    #[test]
    fn drafts_are_plans() {
        let mut tables = vec![sample::hospital(3000, 1), sample::clinic()];
        tables.push(
            Table::new(vec![
                Column::from_values("od\"d = key\n", ["1", "2"]),
                Column::from_values("weight", ["1.5", "2.5"]),
                Column::from_values("constant", ["x", "x"]),
            ])
            .unwrap(),
        );
        for table in tables {
            let read = ReadOptions { delimiter: Some(b'\t'), header: false, trim: true, ..Default::default() };
            let draft = draft_plan(&table, &inspect(&table), "da\"ta.csv", &read);
            let plan = TablePlan::parse(&draft, Path::new(".")).unwrap_or_else(|error| panic!("{error}\n{draft}"));
            assert_eq!(plan.schema.columns().len(), table.columns().len());
            for column in plan.schema.select(&table, Role::Quasi).unwrap() {
                let is_drafted = hierarchy::draft(column.domain()).is_some();
                assert_eq!(plan.schema.hierarchy(column).is_ok(), is_drafted, "{}", column.name());
            }
        }
    }

    fn column(name: &str, rows: usize, value: impl Fn(usize) -> String) -> Column {
        Column::from_values(name, (0..rows).map(value))
    }

    /// Coordinates, measurements and contacts beside patients: what a draft must not publish as it
    /// is.
    #[test]
    fn drafts_can_be_published() {
        let rows = 2000;
        let mut columns = sample::hospital(rows, 5).columns().to_vec();
        columns.push(column("lat", rows, |row| format!("47.{:05}", row * 31)));
        columns.push(column("contact", rows, |row| format!("p{}@example.org", row / 3)));
        columns.push(column("weight", rows, |row| format!("{}.5", 50 + row * 7 % 45)));
        columns.push(column("source", rows, |_| "registry".into()));
        let table = Table::new(columns).unwrap();
        let draft = draft_plan(&table, &inspect(&table), "data.csv", &ReadOptions::default());
        let plan = TablePlan::parse(&draft, Path::new(".")).unwrap();
        assert_eq!(plan.schema.names(Role::Insensitive), ["source"], "{draft}");
        assert_eq!(plan.schema.names(Role::Identifier), ["patient", "lat", "contact"], "{draft}");
        let made = crate::publish::make(&plan, &table, &Default::default());
        made.unwrap_or_else(|error| panic!("{error}\n{draft}"));
    }

    /// Five records of one person are no group of five people.
    #[test]
    fn a_direct_identifier_is_the_last_resort() {
        let table = Table::new(vec![
            column("contact", 100, |row| format!("p{}@example.org", row / 10)),
            column("disease", 100, |row| (row % 3).to_string()),
        ]);
        let profile = inspect(&table.unwrap());
        assert_eq!([profile.columns[0].role, profile.columns[1].role], [Role::Identifier, Role::Quasi]);
    }

    #[test]
    fn values_that_differ_by_case_or_blanks_are_noted() {
        let notes = |name: &str| {
            let spelt = column(name, 9, |row| ["HIV", "HIV ", "hiv"][row % 3].into());
            inspect(&Table::new(vec![spelt, column("zip", 9, |row| (row % 2).to_string())]).unwrap()).notes
        };
        let noted = notes("disease");
        assert!(noted.iter().any(|note| note.contains("\"disease\" has 3 values")), "{noted:?}");
        assert!(noted.iter().all(|note| !note.to_lowercase().contains("hiv")), "{noted:?}");
        assert!(notes("colour").is_empty());
    }

    #[test]
    fn the_most_identifying_come_first() {
        let profile = inspect(&sample::hospital(2000, 3));
        let pairs: Vec<&Combination> = profile.combinations.iter().filter(|found| found.columns.len() == 2).collect();
        assert!(pairs.len() == KEPT && pairs.is_sorted_by(|a, b| a.unique_share >= b.unique_share));
        assert!(profile.combinations.iter().all(|found| !found.columns.contains(&"patient".to_string())));
    }
}
