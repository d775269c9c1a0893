//! A page of experiments as data. What is read — HTML, Markdown, pictures, JSON — is drawn from it.

mod chart;
mod html;
mod markdown;
mod svg;
mod unit;

pub use chart::Chart;
pub use sfumato::report::html::Shape;
pub use unit::Unit;

use serde::{Deserialize, Serialize};
use sfumato::report::counted;
use sfumato::{Error, Result};
use std::time::Duration;

/// What stands over figures that the paper printed.
const PAPER: &str = "The paper";
/// What stands over figures that were computed in another way.
const OTHER: &str = "Computed otherwise";

/// Everything that one command found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// The name of the subject.
    pub subject: String,
    /// What it is about.
    pub title: String,
    /// Which experiments are repeated.
    pub summary: String,
    /// The paper.
    pub reference: String,
    /// The command that gives this page.
    pub command: String,
    /// Where it ran.
    pub machine: Machine,
    /// Whether it was a short run.
    pub quick: bool,
    /// How long it took.
    pub seconds: f64,
    /// The experiments.
    pub sections: Vec<Section>,
}

impl Page {
    /// The page as one JSON document.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a page can be written") + "\n"
    }

    /// A page that was written as JSON.
    pub fn from_json(text: &str) -> Result<Page> {
        serde_json::from_str(text).map_err(|error| {
            let error = Error::data(format!("is not a page of experiments: {error}"));
            error.help("such files are written by `sfumato-reproduce`")
        })
    }

    /// Every picture as an SVG document, with its name in the page.
    pub fn pictures(&self) -> Vec<(String, String)> {
        let tables = |section: &Section| {
            let name = |at: usize| section.picture_name(at);
            let drawn = section
                .tables
                .iter()
                .enumerate()
                .filter_map(|(at, table)| svg::standalone(table, &name(at)).map(|drawing| (name(at), drawing)));
            drawn.collect::<Vec<_>>()
        };
        self.sections.iter().flat_map(tables).collect()
    }

    /// Every figure of ours that stands beside one of the paper, with its experiment.
    pub fn compared(&self) -> impl Iterator<Item = (&Section, &Compared)> {
        self.sections.iter().flat_map(|section| section.compared.iter().map(move |compared| (section, compared)))
    }

    /// Those that differ from what the paper printed, where they can be compared.
    pub fn differing(&self) -> impl Iterator<Item = (&Section, &Compared)> {
        self.compared().filter(|(section, one)| !section.data.is_stand_in() && !one.agrees)
    }

    /// How many figures say the same as the paper.
    pub fn verdict(&self) -> String {
        let all = self.compared().filter(|(section, _)| !section.data.is_stand_in()).count();
        let differ = self.differing().count();
        let stand_in = self.compared().count() - all;
        let figures = counted(all as u64, "figure");
        let mut text = match (all, differ) {
            (0, _) => String::new(),
            (_, 0) => format!("{figures} beside the paper's: all agree."),
            _ => {
                format!("{figures} beside the paper's: {} agree, {differ} differ, each with the reason.", all - differ)
            }
        };
        if stand_in > 0 {
            let gap = if text.is_empty() { "" } else { " " };
            text += &format!(
                "{gap}{} of made-up data, where the paper has real ones, stand beside its own without being comparable.",
                counted(stand_in as u64, "figure")
            );
        }
        text
    }

    /// The data of all experiments, each once.
    fn sources(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        // A section may have several tables.
        for name in self.sections.iter().flat_map(|section| section.data.name.split("; ")) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join("; ") + "."
    }
}

impl Source {
    /// Its name as a sentence.
    fn in_words(&self) -> String {
        if self.is_stand_in() { format!("{}.", self.name) } else { sentence(&self.name) }
    }

    /// Whether it is made up where the paper has real data, so that figures cannot be compared.
    pub fn is_stand_in(&self) -> bool {
        self.made_up && !self.as_in_paper
    }
}

impl Compared {
    /// Whether figures agree, and if not, why; what the paper printed about real data cannot be
    /// compared with made-up ones.
    fn judgement(&self, section: &Section, with: &str) -> String {
        match &self.why {
            _ if section.data.is_stand_in() && with == PAPER => "not comparable: made-up data".into(),
            None => "✓ agrees".into(),
            Some(why) => format!("≠ {why}"),
        }
    }
}

impl Column {
    /// What stands over the column.
    fn heading(&self) -> String {
        if self.printed && !self.name.contains("paper") { format!("{} (paper)", self.name) } else { self.name.clone() }
    }
}

/// Where experiments ran.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// How many threads work at once.
    pub threads: usize,
    /// Operating system and processor.
    pub system: String,
    /// The version of sfumato.
    pub sfumato: String,
}

impl Machine {
    fn in_words(&self) -> String {
        format!("{}, {}, sfumato {}", counted(self.threads as u64, "thread"), self.system, self.sfumato)
    }

    /// The one this runs on.
    pub(crate) fn this() -> Machine {
        Machine {
            threads: rayon::current_num_threads(),
            system: format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH),
            sfumato: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

/// One experiment: a figure or a table of the paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Section {
    /// Unique in the page, as in `figure-9`.
    pub id: String,
    /// As in `Figure 9: homogeneous groups`.
    pub title: String,
    /// The data that it ran on.
    pub data: Source,
    /// How it was done.
    pub words: Vec<String>,
    /// Whether it is about time or memory: such sections are also in the page about performance.
    pub timing: bool,
    /// What was measured.
    pub tables: Vec<Table>,
    /// Beside what the paper printed.
    pub compared: Vec<Compared>,
    /// Beside what another computation gives: enumeration, a formula.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified: Vec<Compared>,
}

/// The data of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Source {
    /// As in `Adult, 45,222 records`.
    pub name: String,
    /// Whether they are made up, so that the paper's figures are another table's.
    pub made_up: bool,
    /// Whether the paper's own data were made up as well, in the same way: then figures can be
    /// compared.
    pub as_in_paper: bool,
}

impl Source {
    /// Data about real people or purchases.
    pub fn real(name: impl Into<String>) -> Source {
        Source { name: name.into(), made_up: false, as_in_paper: true }
    }

    /// Made-up data that stand in for real ones.
    pub fn stand_in(name: impl Into<String>) -> Source {
        Source { name: name.into(), made_up: true, as_in_paper: false }
    }

    /// Made-up data, as the paper made its own.
    pub fn synthetic(name: impl Into<String>) -> Source {
        Source { name: name.into(), made_up: true, as_in_paper: true }
    }
}

/// Numbers in rows and columns, with a picture of some of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it shows; may be empty where the section says it.
    pub title: String,
    /// What is in the columns.
    pub columns: Vec<Column>,
    /// A cell for each column.
    pub rows: Vec<Vec<Cell>>,
    /// A picture, drawn from the columns that it names.
    pub chart: Option<Chart>,
}

/// A column, and what it says of something.
pub type Filled<'a, T> = (Column, &'a dyn Fn(&T) -> Cell);

/// What is in a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its heading, unique in the table.
    pub name: String,
    /// How its numbers are written.
    pub unit: Unit,
    /// Whether the paper printed these numbers.
    pub printed: bool,
}

/// What is in a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number, in the unit of its column: shares from 0 to 1, times in seconds, memory in bytes.
    Number(f64),
    /// Words.
    Text(String),
    /// Nothing to say.
    Nothing,
}

impl From<f64> for Cell {
    fn from(number: f64) -> Cell {
        if number.is_finite() { Cell::Number(number) } else { Cell::Nothing }
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Cell {
        Cell::Number(count as f64)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Cell {
        Cell::Number(count as f64)
    }
}

impl From<Duration> for Cell {
    fn from(time: Duration) -> Cell {
        Cell::Number(time.as_secs_f64())
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.into())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Nothing, Into::into)
    }
}

/// A figure of ours beside another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// What was measured.
    pub what: String,
    /// Our value.
    pub ours: f64,
    /// How it is written.
    pub unit: Unit,
    /// The other: what the paper printed, in its own precision, or what another computation gives.
    pub beside: String,
    /// Whether ours says the same in that precision.
    pub agrees: bool,
    /// Where they differ: why, in one sentence.
    pub why: Option<String>,
}

impl Section {
    /// As in `Figure 9`.
    fn place(&self) -> &str {
        self.title.split_once(':').map_or(&self.title, |(place, _)| place)
    }

    /// The name of the picture of a table, unique in the page.
    fn picture_name(&self, table: usize) -> String {
        if table == 0 { self.id.clone() } else { format!("{}-{}", self.id, table + 1) }
    }

    /// An experiment without results yet.
    pub fn new(id: &str, title: &str, data: Source) -> Section {
        Section {
            id: id.into(),
            title: title.into(),
            data,
            words: Vec::new(),
            timing: false,
            tables: Vec::new(),
            compared: Vec::new(),
            verified: Vec::new(),
        }
    }

    /// Adds a paragraph on how it was done or what is seen.
    pub fn words(mut self, words: impl Into<String>) -> Section {
        self.words.push(words.into());
        self
    }

    /// Says that it is about time or memory.
    pub fn timing(mut self) -> Section {
        self.timing = true;
        self
    }

    /// Adds a table.
    pub fn table(mut self, table: Table) -> Section {
        self.tables.push(table);
        self
    }

    /// Adds a figure of ours beside one that the paper printed; `otherwise` is the reason why they
    /// differ, told only if they do.
    pub fn compare(
        mut self,
        what: impl Into<String>,
        (ours, unit): (f64, Unit),
        paper: &str,
        agrees: bool,
        otherwise: &str,
    ) -> Section {
        let why = (!agrees).then(|| sentence(otherwise));
        self.compared.push(Compared { what: what.into(), ours, unit, beside: paper.into(), agrees, why });
        self
    }

    /// Adds a figure of ours beside what another computation gives: they have to agree.
    pub fn verify(mut self, what: impl Into<String>, (ours, unit): (f64, Unit), other: &str, agrees: bool) -> Section {
        let why = (!agrees).then(|| "One of the two is wrong: please report it.".to_string());
        self.verified.push(Compared { what: what.into(), ours, unit, beside: other.into(), agrees, why });
        self
    }
}

/// The words as a sentence: with a capital letter and an end.
fn sentence(words: &str) -> String {
    let mut letters = words.trim_end_matches('.').chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}

impl Table {
    /// A table without rows yet.
    pub fn new(title: impl Into<String>, columns: impl IntoIterator<Item = Column>) -> Table {
        Table { title: title.into(), columns: columns.into_iter().collect(), rows: Vec::new(), chart: None }
    }

    /// A table with a row for each of some things, and what each column says of them.
    pub fn of<'a, T: 'a>(
        title: impl Into<String>,
        rows: impl IntoIterator<Item = T>,
        columns: impl IntoIterator<Item = Filled<'a, T>>,
    ) -> Table {
        let (columns, tell): (Vec<Column>, Vec<_>) = columns.into_iter().unzip();
        let rows = rows.into_iter().map(|row| tell.iter().map(|tell| tell(&row)).collect()).collect();
        Table { title: title.into(), columns, rows, chart: None }
    }

    /// Adds a row: a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let cells: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.columns.len(), "a cell for each column of {:?}", self.title);
        self.rows.push(cells);
    }

    /// Adds a picture.
    pub fn chart(mut self, chart: Chart) -> Table {
        self.chart = Some(chart);
        self
    }

    /// The place of a column.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Whether a column holds numbers, which stand under each other.
    fn has_numbers(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[column], Cell::Number(_)))
    }

    /// A cell as it is read.
    pub(crate) fn shown(&self, row: usize, column: usize) -> String {
        match &self.rows[row][column] {
            Cell::Number(number) => self.columns[column].unit.show(*number),
            Cell::Text(text) => text.clone(),
            Cell::Nothing => "–".into(),
        }
    }
}

impl Column {
    fn new(name: impl Into<String>, unit: Unit) -> Column {
        Column { name: name.into(), unit, printed: false }
    }

    /// Words, or a number written as words.
    pub fn text(name: impl Into<String>) -> Column {
        Column::new(name, Unit::Number(0))
    }

    /// Whole numbers.
    pub fn count(name: impl Into<String>) -> Column {
        Column::new(name, Unit::Count)
    }

    /// Shares, as percentages with so many decimals.
    pub fn share(name: impl Into<String>, decimals: usize) -> Column {
        Column::new(name, Unit::Share(decimals))
    }

    /// Numbers with so many decimals.
    pub fn number(name: impl Into<String>, decimals: usize) -> Column {
        Column::new(name, Unit::Number(decimals))
    }

    /// Times.
    pub fn time(name: impl Into<String>) -> Column {
        Column::new(name, Unit::Time)
    }

    /// Ratios to a baseline.
    pub fn times(name: impl Into<String>) -> Column {
        Column::new(name, Unit::Times)
    }

    /// Amounts of memory.
    pub fn memory(name: impl Into<String>) -> Column {
        Column::new(name, Unit::Memory)
    }

    /// Says that the paper printed these numbers.
    pub fn printed(mut self) -> Column {
        self.printed = true;
        self
    }
}
