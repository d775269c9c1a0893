//! Plans about transactions: `[data] kind = "transactions"`, which items are sensitive, and what is
//! to be done.

use super::heading::{self, Heading};
use super::publishing::{CLASSIFICATION, GATE, QUERIES};
use super::reading::{data_path, read_options};
use super::section::{Section, choice, raw, share, text, texts, written};
use super::{Plan, nothing_required};
use crate::chance::Chance;
use crate::data::ReadOptions;
use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::kind::{Kind, Member, Raw};
use crate::transactions::{Demand, Layout, Sensitive, Transactions, attack, criterion, method, metric, read_names};
use crate::{anonymize, attack as table_attack, criterion as table_criterion};
use std::path::{Path, PathBuf};

/// In which order records are published.
pub(super) const ORDER: [&str; 2] = ["random", "input"];

/// A checked plan about transactions.
///
/// ```
/// let plan = sfumato::plan::SetPlan::parse(r#"
///     [data]
///     kind = "transactions"
///     path = "baskets.dat"
///     sensitive = { items = ["condom"] }
///
///     [[require]]
///     criterion = "rho-uncertainty"
///     rho = "0.7"
/// "#, ".".as_ref())?;
/// assert_eq!(plan.requirements.len(), 1);
/// assert!(!plan.keeps_order);
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct SetPlan {
    /// The data file, if the plan names one, with the plan's folder before it.
    pub data: Option<PathBuf>,
    /// Where records and items are in it.
    pub layout: Layout,
    /// Which items are sensitive.
    pub sensitive: SensitiveItems,
    /// What must hold.
    pub requirements: Vec<Member<criterion::Build>>,
    /// How records are changed until it holds.
    pub method: Member<method::Build>,
    /// The attacks to run.
    pub attacks: Vec<Member<attack::Build>>,
    /// What is measured.
    pub metrics: Vec<Member<metric::Build>>,
    /// What the release is called, and its day.
    pub heading: Heading,
    /// Whether lines stay in the order of the input; else their order is random.
    pub keeps_order: bool,
    /// Whether an attack that finds more than is demanded stops the release.
    pub attacks_refuse: bool,
    /// Where random choices come from: not said in plans.
    pub chance: Chance,
    /// The folder that files are relative to.
    pub folder: PathBuf,
}

/// Which items are sensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SensitiveItems {
    /// Those with names in this file.
    File(PathBuf),
    /// A share of all kinds of items, drawn at random.
    Share {
        /// The share.
        share: Fraction,
        /// The share as written.
        written: String,
        /// What the draw depends on.
        seed: u64,
    },
    /// Those with these names.
    Items(Vec<String>),
}

impl SetPlan {
    /// Reads and checks a plan file.
    pub fn read(path: &Path) -> Result<SetPlan> {
        Plan::read(path)?.sets().map_err(|error| error.file(path))
    }

    /// Checks the text of a plan; files are relative to the folder.
    pub fn parse(text: &str, folder: &Path) -> Result<SetPlan> {
        Plan::parse(text, folder)?.sets()
    }

    pub(super) fn read_root(root: &Section<'_>, folder: &Path) -> Result<SetPlan> {
        refuse_table_sections(root)?;
        root.refuse_unknown(["data", "require", "method", "attack", "utility", "release", "gate"])?;
        let data = root.section("data")?.expect("it says what the data are");
        let requirements = root.sections("require")?.iter().map(read_requirement).collect::<Result<_>>()?;
        let attacks = match root.sections("attack")?.as_slice() {
            [] => Member::defaults(&attack::KINDS),
            sections => sections.iter().map(read_attack).collect::<Result<_>>()?,
        };
        let metrics = match root.sections("utility")?.as_slice() {
            [] => Member::defaults(&metric::KINDS),
            sections => sections.iter().map(read_metric).collect::<Result<_>>()?,
        };
        Ok(SetPlan {
            data: data.get("path", text)?.map(|path| data_path(folder, &path)),
            layout: read_layout(&data)?,
            sensitive: read_sensitive(&data, folder)?,
            requirements,
            method: read_method(root.section("method")?.as_ref())?,
            attacks,
            metrics,
            heading: Heading::read(root.section("release")?.as_ref())?,
            keeps_order: keeps_order(root.section("release")?.as_ref())?,
            attacks_refuse: attacks_refuse(root.section("gate")?.as_ref())?,
            chance: Chance::default(),
            folder: folder.to_owned(),
        })
    }

    /// What the criteria demand together. A plan that asks for nothing is refused.
    pub fn demand(&self) -> Result<Demand> {
        demanded(&self.requirements).ok_or_else(|| nothing_required("transaction-criteria"))
    }

    /// The files that the plan names besides the data.
    pub fn files(&self) -> Vec<PathBuf> {
        let own = self.method.params.files(&self.folder);
        let listed = match &self.sensitive {
            SensitiveItems::File(path) => Some(path.clone()),
            _ => None,
        };
        own.into_iter().chain(listed).collect()
    }

    /// The names of sensitive items that the plan lists, each once; nothing if it leaves them to a
    /// lot.
    pub fn listed_names(&self) -> Result<Option<Vec<String>>> {
        let mut names = match &self.sensitive {
            SensitiveItems::File(path) => read_names(path, self.layout.splits_at_blanks())?,
            SensitiveItems::Items(names) => names.clone(),
            SensitiveItems::Share { .. } => return Ok(None),
        };
        names.sort_unstable();
        names.dedup();
        Ok(Some(names))
    }

    /// The names of sensitive items, as the plan lists them or as a lot among the items of `table`
    /// has it; each once.
    pub fn sensitive_names(&self, table: &Transactions) -> Result<Vec<String>> {
        match (&self.sensitive, self.listed_names()?) {
            (SensitiveItems::Share { share, seed, .. }, _) => {
                let chosen = Sensitive::share(table, *share, *seed)?;
                let mut names: Vec<String> = chosen.items().map(|item| table.names()[item as usize].clone()).collect();
                names.sort_unstable();
                Ok(names)
            }
            (_, listed) => Ok(listed.unwrap_or_default()),
        }
    }
}

/// What criteria demand together, if there are any: a release that satisfies it satisfies each.
pub fn demanded(requirements: &[Member<criterion::Build>]) -> Option<Demand> {
    requirements.iter().map(|wanted| (wanted.kind.build)(&wanted.params).demand()).reduce(Demand::and)
}

/// Refuses sections that mean something for tables only.
fn refuse_table_sections(root: &Section<'_>) -> Result<()> {
    for (name, why) in
        [("columns", "transactions have items, not columns"), ("skew", "records of transactions are not withheld")]
    {
        if root.table.get(name).is_some() {
            let error = Error::plan(format!("[{name}] is about tables: {why}")).line(root.line_of(name));
            let help = "leave it out; which items are sensitive is said under [data] sensitive, and a table with a row for each person and item is read with [data] person and item";
            return Err(error.help(help));
        }
    }
    Ok(())
}

fn read_layout(data: &Section<'_>) -> Result<Layout> {
    let both = (data.get("person", text)?, data.get("item", text)?);
    let (person, item) = match both {
        (Some(person), Some(item)) => (person, item),
        (None, None) => {
            data.refuse_unknown(["kind", "path", "delimiter", "sensitive", "person", "item"])?;
            return Ok(Layout::Lines(read_delimiter(data)?));
        }
        _ => {
            let error = Error::plan("[data]: `person` and `item` name the two columns of a table together");
            return Err(error.line(data.line).help("name both, or none if each line of the file is a record"));
        }
    };
    data.refuse_unknown([
        "kind",
        "path",
        "sensitive",
        "person",
        "item",
        "missing",
        "delimiter",
        "encoding",
        "header",
        "names",
        "trim",
        "sheet",
        "table",
        "query",
    ])?;
    // Items are names, whatever they look like.
    let options = ReadOptions { as_stored: true, ..read_options(data)? };
    Ok(Layout::Rows { person, item, options: Box::new(options) })
}

fn read_delimiter(data: &Section<'_>) -> Result<Option<char>> {
    let Some(delimiter) = data.get("delimiter", text)? else { return Ok(None) };
    let mut letters = delimiter.chars();
    let is_usable = |letter: &char| *letter == '\t' || !letter.is_control();
    match (letters.next().filter(is_usable), letters.next()) {
        // A blank is any white space: so it is read, and so it is written.
        (Some(' '), None) => Ok(None),
        (Some(letter), None) => Ok(Some(letter)),
        _ => {
            let error = Error::plan("[data]: `delimiter` is one character").line(data.line_of("delimiter"));
            Err(error.help("leave it out where white space separates items"))
        }
    }
}

fn read_sensitive(data: &Section<'_>, folder: &Path) -> Result<SensitiveItems> {
    const HELP: &str = "sensitive = { file = \"names.txt\" }, { items = [\"a\", \"b\"] } or { share = 0.4, seed = 1 }";
    let section = data
        .section("sensitive")?
        .ok_or_else(|| Error::plan("[data] does not say which items are sensitive").line(data.line).help(HELP))?;
    section.refuse_unknown(["file", "items", "share", "seed"])?;
    let wrong =
        || Error::plan("[data]: `sensitive` is a file, items, or a share with a seed").line(section.line).help(HELP);
    let seed = match section.table.get("seed").map(raw) {
        None => None,
        Some(Raw::Number(seed)) => Some(seed.parse::<u64>().map_err(|_| wrong())?),
        Some(_) => return Err(wrong()),
    };
    let file = section.get("file", text)?;
    let items = section.get("items", texts)?;
    match (file, items, share(&section, "share")?, seed) {
        (Some(file), None, None, None) => Ok(SensitiveItems::File(folder.join(file))),
        (None, Some(items), None, None) => Ok(SensitiveItems::Items(listed(items).ok_or_else(wrong)?)),
        (None, None, Some(share), Some(seed)) if share.num > 0 => {
            let written = section.table.get("share").map(raw);
            let Some(Raw::Text(written) | Raw::Number(written)) = written else { return Err(wrong()) };
            Ok(SensitiveItems::Share { share, written, seed })
        }
        _ => Err(wrong()),
    }
}

/// Names as they are read from files: without white space around them. None if there is none, or
/// one that no file could hold.
fn listed(items: Vec<String>) -> Option<Vec<String>> {
    let names: Vec<String> = items.iter().map(|name| name.trim().to_string()).collect();
    let is_name = |name: &String| !name.is_empty() && !name.contains(char::is_control);
    (!names.is_empty() && names.iter().all(is_name)).then_some(names)
}

fn read_requirement(section: &Section<'_>) -> Result<Member<criterion::Build>> {
    let is_of_tables = |name: &str| table_criterion::find(name).is_ok();
    read_member(section, "criterion", "require", "transaction-criteria", is_of_tables, criterion::find)
}

fn read_attack(section: &Section<'_>) -> Result<Member<attack::Build>> {
    let is_of_tables = |name: &str| table_attack::find(name).is_ok();
    read_member(section, "attack", "attack", "transaction-attacks", is_of_tables, attack::find)
}

fn read_metric(section: &Section<'_>) -> Result<Member<metric::Build>> {
    let is_of_tables = |name: &str| crate::utility::find(name).is_ok() || [CLASSIFICATION, QUERIES].contains(&name);
    read_member(section, "metric", "utility", "transaction-metrics", is_of_tables, metric::find)
}

/// The member that a section of a list names under a key.
fn read_member<B: Copy>(
    section: &Section<'_>,
    key: &str,
    list: &str,
    family: &str,
    is_of_tables: impl Fn(&str) -> bool,
    find: fn(&str) -> Result<&'static Kind<B>>,
) -> Result<Member<B>> {
    let at = |error: Error| error.or_line(section.line);
    let name = section.get(key, text)?.ok_or_else(|| {
        at(Error::plan(format!("a [[{list}]] names no {key}"))
            .help(format!("{key} = \"…\", see `sfumato list {family}`")))
    })?;
    let kind = find(&name).map_err(|error| at(of_tables(&name, is_of_tables(&name), family).unwrap_or(error)))?;
    let params = kind.check(&written(section, &[key])).map_err(at)?;
    Ok(Member { kind, params })
}

/// That a member is known, but of tables.
fn of_tables(name: &str, is_of_tables: bool, family: &str) -> Option<Error> {
    let error = || Error::plan(format!("{name} is about tables, and the plan is about transactions"));
    is_of_tables.then(|| {
        error().help(format!("see `sfumato list {family}`, or say what the data are: [data] kind = \"table\""))
    })
}

/// That a member is known, but of transactions: for plans about tables.
pub(super) fn of_sets(name: &str, error: Error) -> Error {
    let known = criterion::find(name).is_ok() || method::find(name).is_ok() || attack::find(name).is_ok();
    if !known && metric::find(name).is_err() {
        return error;
    }
    let error = Error::plan(format!("{name} is about transactions, and the plan is about a table"));
    error.help("if each line of the data is a set of items, say so: [data] kind = \"transactions\"")
}

fn read_method(section: Option<&Section<'_>>) -> Result<Member<method::Build>> {
    let Some(section) = section else {
        return Ok(Member { kind: method::DEFAULT, params: method::DEFAULT.check(&[])? });
    };
    let name = section.get("name", text)?.unwrap_or(method::DEFAULT.name.to_string());
    let is_of_tables = anonymize::find(&name).is_ok();
    let named = |error: Error| of_tables(&name, is_of_tables, "transaction-methods").unwrap_or(error);
    let kind = method::find(&name).map_err(|error| named(error).line(section.line_of("name")))?;
    let params = kind.check(&written(section, &["name"])).map_err(|error| error.or_line(section.line))?;
    Ok(Member { kind, params })
}

fn keeps_order(section: Option<&Section<'_>>) -> Result<bool> {
    let Some(section) = section else { return Ok(false) };
    section.refuse_unknown(["order"].into_iter().chain(heading::KEYS))?;
    Ok(choice(section, "order", &ORDER)? == Some(1))
}

fn attacks_refuse(section: Option<&Section<'_>>) -> Result<bool> {
    let Some(section) = section else { return Ok(true) };
    section.refuse_unknown(["attacks"])?;
    Ok(choice(section, "attacks", &GATE)? != Some(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TablePlan;

    const DATA: &str = "[data]\nkind = \"transactions\"\nsensitive = { items = [\"a\"] }\n";

    fn parse(text: &str) -> Result<SetPlan> {
        SetPlan::parse(text, Path::new("."))
    }

    fn refused(text: &str, expected: &[&str]) {
        let message = parse(text).err().expect("refused").to_string();
        for part in expected {
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
    }

    #[test]
    fn defaults_are_safe() {
        let plan = parse(DATA).unwrap();
        assert!(!plan.keeps_order && plan.attacks_refuse && plan.chance.is_secure());
        assert!(plan.layout.splits_at_blanks());
        assert!(plan.demand().unwrap_err().to_string().contains("requires nothing"));
        assert_eq!(plan.method.kind.name, method::DEFAULT.name);
    }

    #[test]
    fn everything_can_be_said() {
        let plan = parse(
            "[data]\nkind = \"transactions\"\npath = \"x.csv\"\nperson = \"who\"\nitem = \"what\"\nmissing = [\"\", \"?\"]\n\
             sensitive = { share = \"40%\", seed = 7 }\n[release]\norder = \"input\"\n[gate]\nattacks = \"report\"\n",
        )
        .unwrap();
        assert!(plan.keeps_order && !plan.attacks_refuse);
        let expected = SensitiveItems::Share { share: Fraction::new(2, 5), written: "40%".into(), seed: 7 };
        assert_eq!(plan.sensitive, expected);
        assert!(matches!(plan.layout, Layout::Rows { person, .. } if person == "who"));
        let lines = parse(&DATA.replace("sensitive", "delimiter = \"☂\"\nsensitive")).unwrap();
        assert!(matches!(lines.layout, Layout::Lines(Some('☂'))));
    }

    #[test]
    fn errors_name_line_and_remedy() {
        let data = |line: &str| format!("[data]\nkind = \"transactions\"\n{line}\n");
        refused("[data]\nkind = \"sets\"\n", &["line 2", "kind", "table, transactions"]);
        refused("[data]\nkind = \"transaction\"\n", &["did you mean \"transactions\"?"]);
        refused("[columns]\na = \"quasi\"\n", &["about a table", "[data] kind"]);
        refused(&data(""), &["which items are sensitive", "share = 0.4"]);
        refused(&data("sensitive = { share = 0.4 }"), &["line 3", "seed"]);
        refused(&data("sensitive = { share = 0, seed = 1 }"), &["line 3", "seed"]);
        refused(&data("sensitive = { share = 1.5, seed = 1 }"), &["line 3", "share from 0 to 1"]);
        refused(&data("sensitive = { items = [], seed = 1 }"), &["line 3"]);
        refused(&data("sensitive = { items = [] }"), &["line 3"]);
        refused(&data("sensitive = { fil = \"x\" }"), &["line 3", "did you mean \"file\"?"]);
        refused(&data("delimiter = \"ab\""), &["line 3", "one character"]);
        refused(&data("person = \"who\""), &["together"]);
        refused(&data("pth = \"x\""), &["line 3", "did you mean \"path\"?"]);
        refused(&data("trim = true"), &["line 3", "trim"]);
        refused(&format!("{DATA}[columns]\na = \"quasi\"\n"), &["about tables", "person and item"]);
        refused(&format!("{DATA}[skew]\nl = 2\n"), &["about tables"]);
        refused(&format!("{DATA}[release]\nform = \"bucketized\"\n"), &["line 5", "form"]);
        refused(&format!("{DATA}[gate]\nmax_belief = 1\n"), &["line 5", "max_belief"]);
        refused(&format!("{DATA}[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n"), &["line 4", "about tables"]);
        refused(&format!("{DATA}[[require]]\nrho = \"0.5\"\n"), &["line 4", "names no criterion"]);
        refused(&format!("{DATA}[method]\nname = \"mondrian\"\n"), &["line 5", "about tables"]);
        refused(&format!("{DATA}[[attack]]\nattack = \"linkage\"\n"), &["line 4", "about tables"]);
    }

    #[test]
    fn plans_about_tables_know_nothing_of_sets() {
        let table = |text: &str| TablePlan::parse(text, Path::new(".")).err().expect("refused").to_string();
        assert!(table(DATA).contains("about transactions"));
        let name = criterion::KINDS[0].name;
        let message = table(&format!("[columns]\na = \"quasi\"\n[[require]]\ncriterion = \"{name}\"\n"));
        assert!(message.contains("[data] kind = \"transactions\""), "{message}");
    }
}
