//! How the cells of a table were read, and what a plan could say about it: columns that could be
//! read in two ways, cells that do not fit, and texts that usually mean "no value".

use crate::data::spelling::{self, Found, Spelling};
use crate::data::{Column, Domain, ReadOptions, Table, ValueType};

/// Texts that usually mean "no value".
const USUAL: [&str; 12] = ["NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "None", "#N/A", "?", "-", "."];

/// From this share of cells on, the others are said not to fit.
const TELLING: f64 = 0.5;

/// What most cells of a text column are.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What they are, in the plural.
    pub what: &'static str,
    /// Share of the cells that have a value.
    pub share: f64,
    /// Cells that are something else.
    pub others: u64,
}

/// A text that usually means "no value", and where it is a value now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsualMissing {
    /// The text.
    pub text: &'static str,
    /// The columns that have it.
    pub columns: Vec<String>,
    /// Cells that have it.
    pub cells: u64,
}

/// What most cells of a column are that is text; `None` if most are texts, or if the column is of
/// another type.
pub(super) fn fit(column: &Column) -> Option<Fit> {
    let domain = column.domain();
    if domain.value_type() != ValueType::Text {
        return None;
    }
    const WHAT: [&str; 3] = ["numbers", "dates", "times of day"];
    let counts = column.counts();
    let (mut fitting, mut all) = ([0u64; WHAT.len()], 0);
    for (label, count) in domain.present_labels().zip(&counts) {
        all += count;
        if let Some(kind) = kind_of(label) {
            fitting[kind] += count;
        }
    }
    let most = (0..WHAT.len()).rev().max_by_key(|&kind| fitting[kind])?;
    let share = fitting[most] as f64 / all.max(1) as f64;
    (share >= TELLING).then(|| Fit { what: WHAT[most], share, others: all - fitting[most] })
}

/// Whether a text alone is a number (0), a date (1) or a time of day (2).
fn kind_of(label: &str) -> Option<usize> {
    match ValueType::detect([label].into_iter()) {
        ValueType::Integer | ValueType::Decimal => return Some(0),
        ValueType::Date | ValueType::Timestamp => return Some(1),
        ValueType::Time => return Some(2),
        ValueType::Text => {}
    }
    match spelling::candidates(label).first()? {
        Spelling::Numbers(_) => Some(0),
        Spelling::Moments(_) => Some(1),
        Spelling::Clock => Some(2),
        Spelling::Plain => None,
    }
}

/// The ways in which the cells of a column could be read, if there are several.
pub(super) fn unclear(domain: &Domain) -> Vec<Spelling> {
    let labels = domain.labels();
    match spelling::detect((0..domain.present() as u32).map(|code| labels.get(code))) {
        Found::Unclear(ways) if domain.value_type() == ValueType::Text => ways,
        _ => Vec::new(),
    }
}

/// What a plan says to choose one of several ways.
pub(super) fn key_of(way: &Spelling) -> String {
    match way {
        Spelling::Moments(moments) => format!("dates = \"{moments}\""),
        Spelling::Numbers(numbers) => format!("decimal = \"{}\"", numbers.decimal.letter()),
        Spelling::Plain | Spelling::Clock => String::new(),
    }
}

/// Texts of a table that usually mean "no value" and are values.
pub fn usual_missing(table: &Table) -> Vec<UsualMissing> {
    let found = |text: &'static str| {
        let cells = |column: &Column| {
            // A column of nothing else has nothing to tell it by.
            let domain = column.domain();
            let is_value = |code: &u32| domain.missing() != Some(*code) && domain.present() > 1;
            domain.code(text).filter(is_value).map(|code| column.counts()[code as usize])
        };
        let texts = table.columns().iter().filter(|column| column.domain().value_type() == ValueType::Text);
        let having: Vec<_> = texts.filter_map(|column| Some((column.name().to_string(), cells(column)?))).collect();
        let all = having.iter().map(|(_, cells)| cells).sum();
        UsualMissing { text, columns: having.into_iter().map(|(name, _)| name).collect(), cells: all }
    };
    USUAL.into_iter().map(found).filter(|found| !found.columns.is_empty()).collect()
}

/// The table as it would have been read with these options: types may become others once texts
/// are missing.
pub fn reread(table: Table, options: &ReadOptions) -> crate::error::Result<Table> {
    let columns = table.columns().iter().map(|column| match column.domain().value_type() {
        ValueType::Text => column.reread(&options.encoding_of(column.name())),
        _ => column.clone(),
    });
    Table::new(columns.collect())
}

/// What to say about how columns were read.
pub(super) fn notes(table: &Table, records: usize) -> Vec<String> {
    let mut notes = Vec::new();
    for column in table.columns() {
        let ways = unclear(column.domain());
        if let [one, other, ..] = ways.as_slice() {
            notes.push(format!(
                "Column \"{}\" can be read in two ways, {one} or {other}, and stays text. Say in its line of the plan which is meant: {} or {}.",
                column.name(),
                key_of(one),
                key_of(other)
            ));
        } else if let Some(Fit { what, share, others }) = fit(column) {
            let rest = match others {
                0 => "but not all in the same way".to_string(),
                1 => "and 1 is not".to_string(),
                others => format!("and {others} are not"),
            };
            let percent = match others {
                0 => "all".to_string(),
                _ => format!("{:.1} %", (share * 1000.0).floor() / 10.0),
            };
            notes.push(format!("Column \"{}\" stays text: {percent} of its cells are {what}, {rest}.", column.name()));
        }
    }
    notes.extend(usual_missing(table).into_iter().map(|found| missing_note(&found, records)));
    notes
}

fn missing_note(found: &UsualMissing, records: usize) -> String {
    let UsualMissing { text, columns, cells } = found;
    let quoted: Vec<String> = columns.iter().take(3).map(|name| format!("\"{name}\"")).collect();
    let more = columns.len().saturating_sub(3);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let share = *cells as f64 * 100.0 / (records * columns.len()).max(1) as f64;
    format!(
        "\"{text}\" is {share:.1} % of the cells of {}{more}, and usually means \"no value\". If it does: --missing '{text}', or `missing` in the plan.",
        quoted.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::read_from;

    fn table(text: &str) -> Table {
        read_from(text.as_bytes(), &ReadOptions { delimiter: Some(b';'), ..Default::default() }).unwrap()
    }

    #[test]
    fn notes_say_what_stands_in_the_way_and_no_cell() {
        let text = "a;b;c;d\n1,5;03/04/2021;x;8:05\n2,5;05/06/2021;y;SECRET\n9,1;01/02/2021;z;9:10\nSECRET;07/08/2021;NA;9:11\n";
        let notes = notes(&table(text), 4);
        let all = notes.join("\n");
        assert!(!all.contains("SECRET"), "{all}");
        for part in [
            "Column \"a\" stays text: 75.0 % of its cells are numbers, and 1 is not.",
            "Column \"b\" can be read in two ways, DD/MM/YYYY or MM/DD/YYYY",
            "dates = \"DD/MM/YYYY\" or dates = \"MM/DD/YYYY\"",
            "Column \"d\" stays text: 75.0 % of its cells are times of day",
            "\"NA\" is 25.0 % of the cells of \"c\"",
        ] {
            assert!(all.contains(part), "{all}\nlacks {part}");
        }
        assert_eq!(notes.len(), 4, "{all}");
    }

    #[test]
    fn types_show_once_usual_texts_are_missing() {
        let text = "a;b\n1,5;x\nNA;y\n2;.\n";
        let read = table(text);
        let found = usual_missing(&read);
        assert_eq!(found.iter().map(|found| found.text).collect::<Vec<_>>(), ["NA", "."]);
        let missing = vec![String::new(), "NA".into(), ".".into()];
        let options = ReadOptions { missing, delimiter: Some(b';'), ..Default::default() };
        let again = reread(read, &options).unwrap();
        assert_eq!(again, read_from(text.as_bytes(), &options).unwrap());
        assert_eq!(again.columns()[0].domain().value_type(), ValueType::Decimal);
        assert!(usual_missing(&again).is_empty());
    }
}
