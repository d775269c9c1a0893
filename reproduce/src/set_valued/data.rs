//! The four tables of the paper: real ones where they are at hand, made-up ones of their size
//! elsewhere.

use crate::Setting;
use crate::files::Need;
use crate::page::Source;
use sfumato::exact::Fraction;
use sfumato::report::grouped;
use sfumato::transactions::{Sensitive, Transactions, name_order, read_lines, read_names, sample};
use sfumato::{Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

const WEB_VIEW_FROM: &str = "KDD Cup 2000, research use";
const RETAIL_FROM: &str = "Brijs et al., FIMI repository, research use; also in the source archive of the Python package \
                           pyfpgrowth 1.0 as tests/belgian_retail_baskets.dat (tools/get-data.sh takes it from there)";
const DRAWN: &str =
    "a draw of 40 % of the kinds of items, one name per line; without it they are drawn with a fixed seed";

/// The files that are used.
pub const NEEDS: [Need; 5] = [
    Need {
        file: "sets/BMS-WebView-2.dat",
        about: "BMS-WebView-2, 77,512 records of clicks",
        from: WEB_VIEW_FROM,
        optional: false,
    },
    Need { file: "sets/BMS-WebView-2.sens", about: "its sensitive items", from: DRAWN, optional: true },
    Need {
        file: "sets/BMS-WebView-2_hierarchy_fanout5.txt",
        about: "a taxonomy of its items with fan-out 5",
        from: "public benchmark; without it one is made",
        optional: true,
    },
    Need { file: "sets/retail.dat", about: "Retail, 88,162 baskets", from: RETAIL_FROM, optional: false },
    Need { file: "sets/retail.sens", about: "its sensitive items", from: DRAWN, optional: true },
];

/// What decides choices by lot in all experiments that do not vary it.
const SEED: u64 = 7;

/// Records of POS and Syn in the paper's Table 2.
const POS_RECORDS: usize = 515_597;
const SYN_RECORDS: usize = 493_193;

/// How many items are below each node of a taxonomy.
const FAN_OUT: usize = 5;

/// The share of the kinds of items that is sensitive, as in the paper.
const SENSITIVE: Fraction = Fraction { num: 4, den: 10 };

/// A table with its sensitive items and a taxonomy.
#[derive(Clone)]
pub struct Data {
    /// As the paper calls it.
    pub name: &'static str,
    pub table: Transactions,
    pub sensitive: Sensitive,
    pub source: Source,
    pub extent: Extent,
    /// Decides what methods choose by lot.
    pub seed: u64,
    taxonomy: Arc<Taxonomy>,
}

/// How a table relates to the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of it, or made in the same way and size.
    Whole,
    /// Some of its records, or fewer made in the same way.
    Part,
    /// Made up in its place.
    StandIn,
}

/// A file with a taxonomy; one that was made goes when nobody uses it any more.
struct Taxonomy {
    path: PathBuf,
    _made: Option<TempDir>,
}

/// One of the tables of the paper that may be at hand.
struct PaperTable {
    name: &'static str,
    file: &'static str,
    records: usize,
    /// A quick run takes one record in so many.
    one_in: usize,
    seed: u64,
}

const WEB_VIEW: PaperTable = PaperTable { name: "WV", file: "BMS-WebView-2", records: 77_512, one_in: 32, seed: 2 };
const RETAIL: PaperTable = PaperTable { name: "Retail", file: "retail", records: 88_162, one_in: 64, seed: 3 };

/// How much of the tables is taken.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The most records of tables that are always made up.
    pub records: usize,
    /// The most items of a record: its first ones.
    pub items: usize,
}

impl Size {
    /// All that the paper has.
    pub const WHOLE: Size = Size { records: usize::MAX, items: usize::MAX };
}

/// The four tables, in the order of the paper.
pub fn tables(setting: &Setting<'_>, size: Size) -> Result<[Data; 4]> {
    Ok([pos(setting, size)?, WEB_VIEW.load(setting, size)?, RETAIL.load(setting, size)?, syn(setting, size)?])
}

/// Made-up purchases in the shape of POS: in its size, or fewer.
fn pos(setting: &Setting<'_>, size: Size) -> Result<Data> {
    let records = setting.pick(2_000, POS_RECORDS.min(size.records));
    let name = format!("{} made-up purchases in the shape of BMS-POS", grouped(records));
    Data::new("POS", cut(&sample::shop(records, 1), size), Source::stand_in(name), Extent::StandIn)
}

/// Records of equally frequent items, as the paper made Syn: in its size, or fewer.
fn syn(setting: &Setting<'_>, size: Size) -> Result<Data> {
    let (records, kinds) = (setting.pick(3_000, SYN_RECORDS.min(size.records)), setting.pick(300, 5_000));
    let name = format!("{} made-up records of {} equally frequent items", grouped(records), grouped(kinds));
    let extent = if records == SYN_RECORDS { Extent::Whole } else { Extent::Part };
    Data::new("Syn", cut(&sample::even(records, kinds, 1), size), Source::synthetic(name), extent)
}

/// Every made-up record cut to its first items; they have no order but that of their numbers.
fn cut(table: &Transactions, size: Size) -> Transactions {
    Transactions::new(table.names().clone(), table.iter().map(|record| &record[..record.len().min(size.items)]))
}

/// The table of a file with one record per line, and every record cut to the items that its line
/// begins with.
fn read(path: &Path, size: Size) -> Result<[Transactions; 2]> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::io(&error, path))?;
    let whole = read_lines(text.as_bytes(), None).map_err(|error| error.file(path))?.table;
    let cut = cut_lines(&whole, &text, size.items);
    Ok([whole, cut])
}

/// Records keep their items in the order of their numbers: which of them a line begins with only
/// the text tells.
fn cut_lines(whole: &Transactions, text: &str, longest: usize) -> Transactions {
    let numbers: HashMap<&str, u32> = whole.names().iter().map(String::as_str).zip(0..).collect();
    let first = |line: &str| {
        let mut items: Vec<u32> = Vec::new();
        for item in line.split_whitespace().filter_map(|name| numbers.get(name)) {
            if items.len() < longest && !items.contains(item) {
                items.push(*item);
            }
        }
        items
    };
    Transactions::new(whole.names().clone(), text.lines().map(first))
}

impl PaperTable {
    fn load(&self, setting: &Setting<'_>, size: Size) -> Result<Data> {
        let find = |ending: &str| setting.folder.as_ref()?.find(&format!("sets/{}{ending}", self.file));
        let Some(records) = find(".dat") else {
            let records = if setting.is_quick() { self.records / self.one_in } else { self.records };
            let source = Source::stand_in(format!("{} made-up purchases in place of {}", grouped(records), self.file));
            return Data::new(self.name, cut(&sample::shop(records, self.seed), size), source, Extent::StandIn);
        };
        let [whole, cut] = read(&records, size)?;
        let sensitive = match find(".sens") {
            None => Sensitive::share(&whole, SENSITIVE, self.seed)?,
            Some(path) => Sensitive::named(&whole, read_names(&path, true)?.iter().map(String::as_str)),
        };
        let taxonomy = match find("_hierarchy_fanout5.txt") {
            None => Taxonomy::balanced(&whole)?,
            Some(path) => Taxonomy { path, _made: None },
        };
        let (table, extent, part) = if setting.is_quick() {
            let some: Vec<u32> = (0..cut.len() as u32).step_by(self.one_in).collect();
            (cut.select(&some), Extent::Part, format!("one in {} of ", self.one_in))
        } else {
            (cut, Extent::Whole, String::new())
        };
        let source = Source::real(format!("{part}{}, {} records", self.file, grouped(table.len())));
        let taxonomy = Arc::new(taxonomy);
        Ok(Data { name: self.name, table, sensitive, source, extent, seed: SEED, taxonomy })
    }
}

impl Taxonomy {
    /// Items in the order of their names, five under each node, five nodes under each of the next
    /// level, up to a root.
    fn balanced(table: &Transactions) -> Result<Taxonomy> {
        let folder = TempDir::new().map_err(|error| Error::io(&error, &std::env::temp_dir()))?;
        let path = folder.path().join("taxonomy.txt");
        std::fs::write(&path, balanced(table.names())).map_err(|error| Error::io(&error, &path))?;
        Ok(Taxonomy { path, _made: Some(folder) })
    }
}

/// The lines of a balanced taxonomy: an item, then its ancestors.
fn balanced(names: &[String]) -> String {
    let order = name_order(names);
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable_by(|a, b| order(a, b));
    let sizes: Vec<usize> = std::iter::successors(Some(FAN_OUT), |size| Some(size * FAN_OUT))
        .take_while(|size| *size < sorted.len())
        .collect();
    let line = |(place, name): (usize, &&str)| {
        let nodes: String = sizes.iter().map(|size| format!("{}-{};", place / size * size, size)).collect();
        format!("{name};{nodes}*\n")
    };
    sorted.iter().enumerate().map(line).collect()
}

impl Data {
    fn new(name: &'static str, table: Transactions, source: Source, extent: Extent) -> Result<Data> {
        let sensitive = Sensitive::share(&table, SENSITIVE, 1)?;
        Ok(Data { extent, ..Data::with(name, table, sensitive, source)? })
    }

    /// A whole table and its sensitive items, with a taxonomy that is made.
    pub fn with(name: &'static str, table: Transactions, sensitive: Sensitive, source: Source) -> Result<Data> {
        let taxonomy = Arc::new(Taxonomy::balanced(&table)?);
        Ok(Data { name, table, sensitive, source, extent: Extent::Whole, seed: SEED, taxonomy })
    }

    /// Whether figures can stand beside the paper's: it is the paper's table, a part of it, or made
    /// as it was.
    pub fn is_comparable(&self) -> bool {
        self.extent != Extent::StandIn
    }

    /// As it is called in tables: what is not the paper's is marked.
    pub fn label(&self) -> String {
        match self.extent {
            Extent::Whole => self.name.into(),
            Extent::Part => format!("{} (part)", self.name),
            Extent::StandIn => format!("{} (made up)", self.name),
        }
    }

    /// Why a figure of the paper is not met: other data are reason enough, else what is told.
    pub fn why(&self, otherwise: &str) -> String {
        match self.extent {
            Extent::Whole => otherwise.into(),
            Extent::Part => format!("Only some of the records of {} were taken here.", self.name),
            Extent::StandIn => {
                format!("Made-up records stand in for {}: what goes together in them is our invention.", self.name)
            }
        }
    }

    /// The file with its taxonomy.
    pub fn taxonomy(&self) -> String {
        self.taxonomy.path.to_string_lossy().into_owned()
    }

    /// The first so many fifths of the records.
    pub fn fifths(&self, count: usize) -> Data {
        let records: Vec<u32> = (0..(self.table.len() * count / 5) as u32).collect();
        Data { table: self.table.select(&records), ..self.clone() }
    }

    /// Other choices by lot.
    pub fn with_seed(&self, seed: u64) -> Data {
        Data { seed, ..self.clone() }
    }

    /// Other sensitive items, as many.
    pub fn drawn_anew(&self, seed: u64) -> Result<Data> {
        Ok(Data { sensitive: Sensitive::share(&self.table, SENSITIVE, seed)?, ..self.clone() })
    }

    /// How many kinds of items occur.
    pub fn kinds(&self) -> usize {
        self.table.supports().iter().filter(|support| **support > 0).count()
    }

    /// The share of all occurrences that is of sensitive items.
    pub fn sensitive_share(&self) -> f64 {
        self.sensitive_in(&self.table.supports()) as f64 / self.table.occurrences().max(1) as f64
    }

    /// How many of the counted occurrences are of sensitive items.
    pub fn sensitive_in(&self, supports: &[u64]) -> u64 {
        self.sensitive.items().map(|item| supports[item as usize]).sum()
    }
}

/// Several tables as the data of one experiment. Those that stand in for others are marked where
/// their figures are, and are compared with nothing.
pub fn sources<'a>(data: impl IntoIterator<Item = &'a Data>) -> Source {
    let all: Vec<&Source> = data.into_iter().map(|data| &data.source).collect();
    let name = all.iter().map(|source| source.name.as_str()).collect::<Vec<_>>().join("; ");
    if all.iter().any(|source| !source.made_up) {
        Source::real(name)
    } else if all.iter().any(|source| source.as_in_paper) {
        Source::synthetic(name)
    } else {
        Source::stand_in(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taxonomy_has_five_items_under_each_node() {
        let names: Vec<String> = (1..=30).map(|number| number.to_string()).collect();
        let text = balanced(&names);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!([lines[0], lines[9], lines[29]], ["1;0-5;0-25;*", "10;5-5;0-25;*", "30;25-5;25-25;*"]);
    }

    #[test]
    fn cut_records_have_the_items_that_their_lines_begin_with() {
        let text = "milk bread\n\r\nbeer beer bread milk\n";
        let whole = read_lines(text.as_bytes(), None).unwrap().table;
        // Milk, bread and beer have the numbers 0 to 2.
        assert_eq!(cut_lines(&whole, text, 2).iter().collect::<Vec<_>>(), [&[0, 1][..], &[], &[1, 2]]);
        assert_eq!(cut_lines(&whole, text, usize::MAX), whole);
    }

    #[test]
    fn fifths_are_the_first_records() {
        let data = Data::new("WV", sample::purchases(), Source::stand_in("seven purchases"), Extent::StandIn).unwrap();
        assert_eq!(data.fifths(3).table.len(), 4);
    }
}
