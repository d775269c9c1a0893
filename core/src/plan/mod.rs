//! The plan: what the custodian asks for, read from `plan.toml` and checked.
//!
//! Numbers keep the digits they were written with, and every error names the line.

mod columns;
pub mod edit;
mod effects;
mod heading;
mod publishing;
mod reading;
mod section;
mod sets;
mod write;

pub use heading::Heading;
pub use publishing::{Attempt, Gate, Publishing, Skew};
pub use sets::{SensitiveItems, SetPlan, demanded};

use crate::audit::audit;
use crate::chance::Chance;
use crate::criterion::{On, Requirement, Verdict, find};
use crate::data::{ReadOptions, Schema, sample};
use crate::error::{Error, ErrorCode, Result};
use crate::kind::Raw;
use columns::read_columns;
use reading::read_options;
use section::{Section, choice, line_of, raw, text, texts};
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::DeTable;

/// A checked plan: about a table, or about sets of items.
#[derive(Clone, PartialEq)]
pub enum Plan {
    /// A row for each person.
    Table(Box<TablePlan>),
    /// A set of items for each person.
    Sets(Box<SetPlan>),
}

/// A checked plan about a table.
#[derive(Clone, PartialEq)]
pub struct TablePlan {
    /// The data file, if the plan names one, with the plan's folder before it.
    pub data: Option<PathBuf>,
    /// How to read it.
    pub options: ReadOptions,
    /// Roles and hierarchies.
    pub schema: Schema,
    /// What must hold.
    pub requirements: Vec<Requirement>,
    /// How to publish.
    pub publishing: Publishing,
    /// The folder that files are relative to.
    pub folder: PathBuf,
}

/// What `[data] kind` may be.
const DATA_KINDS: [&str; 2] = ["table", "transactions"];

/// Sections that only `publish` reads.
const PUBLISHING: [&str; 6] = ["method", "release", "gate", "attack", "utility", "skew"];

/// The keys of each section of a plan about a table. `method`, `attack` and `require` have the
/// parameters of the member that they name besides; `columns` has these for each column.
pub const KEYS: [(&str, &[&str]); 9] = [
    (
        "data",
        &["kind", "path", "missing", "delimiter", "encoding", "header", "names", "trim", "sheet", "table", "query"],
    ),
    (
        "columns",
        &["role", "hierarchy", "levels", "label", "weight", "sensitive_values", "order", "type", "dates", "decimal"],
    ),
    ("require", &["criterion", "on"]),
    ("method", &["name", "metric"]),
    ("release", &["title", "date", "form", "max_suppressed", "suppressed", "insensitive", "format", "formulas"]),
    ("skew", &["method", "l", "on"]),
    ("gate", &["attacks", "max_belief", "max_risk"]),
    ("attack", &["attack", "max_belief"]),
    ("utility", &["metric", "target", "queries", "dimensions", "selectivity"]),
];

/// The keys of a section.
fn keys_of(section: &str) -> &'static [&'static str] {
    KEYS.iter().find(|(name, _)| *name == section).map_or(&[], |(_, keys)| keys)
}

impl Plan {
    /// Reads and checks a plan file, every section of it.
    pub fn read(path: &Path) -> Result<Plan> {
        let (text, folder) = read_text(path)?;
        Plan::parse(&text, folder).map_err(|error| told_apart(error, path).file(path))
    }

    /// Checks the text of a plan; files are relative to the folder.
    pub fn parse(text: &str, folder: &Path) -> Result<Plan> {
        let document = parse_toml(text)?;
        let root = Section { name: "the plan", text, table: document.get_ref(), line: 1 };
        let data = root.section("data")?;
        let kind = data.map_or(Ok(None), |data| choice(&data, "kind", &DATA_KINDS))?;
        match kind {
            Some(1) => SetPlan::read_root(&root, folder).map(|plan| Plan::Sets(Box::new(plan))),
            _ => TablePlan::read_root(&root, folder).map(|plan| Plan::Table(Box::new(plan))),
        }
    }

    /// The data file, if the plan names one.
    pub fn data(&self) -> Option<&Path> {
        match self {
            Plan::Table(plan) => plan.data.as_deref(),
            Plan::Sets(plan) => plan.data.as_deref(),
        }
    }

    /// The files that the plan names besides the data.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Plan::Table(plan) => plan.files(),
            Plan::Sets(plan) => plan.files(),
        }
    }

    /// Says where random choices come from.
    pub fn set_chance(&mut self, chance: Chance) {
        match self {
            Plan::Table(plan) => plan.publishing.chance = chance,
            Plan::Sets(plan) => plan.chance = chance,
        }
    }

    /// The plan, if it is about a table.
    pub fn table(self) -> Result<TablePlan> {
        match self {
            Plan::Table(plan) => Ok(*plan),
            Plan::Sets(_) => {
                let error = Error::plan("the plan is about transactions, and this is about tables");
                Err(error.help("use `check`, `publish`, `attack`, `verify` or `compare`"))
            }
        }
    }

    /// The plan, if it is about sets of items.
    pub fn sets(self) -> Result<SetPlan> {
        match self {
            Plan::Sets(plan) => Ok(*plan),
            Plan::Table(_) => {
                let error = Error::plan("the plan is about a table, and this is about transactions");
                Err(error.help("say so: [data] kind = \"transactions\""))
            }
        }
    }
}

impl TablePlan {
    /// Reads and checks a plan file.
    pub fn read(path: &Path) -> Result<TablePlan> {
        Plan::read(path)?.table().map_err(|error| error.file(path))
    }

    /// Checks the text of a plan about a table; files are relative to the folder.
    ///
    /// ```
    /// let plan = sfumato::TablePlan::parse(r#"
    ///     [columns]
    ///     zip     = "quasi"
    ///     disease = { role = "sensitive" }
    ///
    ///     [[require]]
    ///     criterion = "frequency-l-diversity"
    ///     l = 1.5
    /// "#, ".".as_ref())?;
    /// let table = sfumato::data::sample::clinic();
    /// assert!(sfumato::audit(&table, &plan.schema, &plan.requirements, &plan.folder)?.holds());
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn parse(text: &str, folder: &Path) -> Result<TablePlan> {
        Plan::parse(text, folder)?.table()
    }

    fn read_root(root: &Section<'_>, folder: &Path) -> Result<TablePlan> {
        let known = ["data", "columns", "require"];
        root.refuse_unknown(known.into_iter().chain(PUBLISHING))?;
        let data = root.section("data")?;
        let (path, mut options) = data.as_ref().map_or(Ok((None, ReadOptions::default())), read_data)?;
        let columns = root.section("columns")?.ok_or_else(|| {
            Error::plan("the plan has no [columns]").help("say what each column is: `sfumato init DATA` writes a start")
        })?;
        let schema = read_columns(&columns, folder)?;
        (options.types, options.written) = (schema.reading().types, schema.reading().written);
        let required = root.sections("require")?;
        let requirements =
            required.iter().map(|section| read_requirement(section, &schema)).collect::<Result<Vec<_>>>()?;
        let publishing = Publishing::read(root, &schema, &requirements)?;
        let (data, folder) = (path.map(|path| reading::data_path(folder, &path)), folder.to_owned());
        let mut plan = TablePlan { data, options, schema, requirements, publishing, folder };
        effects::refuse_idle(&plan, root)?;
        if plan.publishing.method.suppresses_cells() {
            plan.schema = plan.schema.with_quasi_suppressed();
        }
        Ok(plan)
    }

    /// The files that the plan names besides the data.
    pub fn files(&self) -> Vec<PathBuf> {
        let rules = self.schema.columns().iter().filter_map(|spec| spec.rule.as_ref()?.file());
        let params = self.requirements.iter().map(|wanted| &wanted.criterion.params);
        let params = params.chain(self.publishing.attacks.iter().map(|attempt| &attempt.attack.params));
        rules.map(Path::to_owned).chain(params.flat_map(|params| params.files(&self.folder))).collect()
    }

    /// Refuses a plan that asks for nothing: it would let everything through.
    pub fn check_requires(&self) -> Result<()> {
        if self.requirements.is_empty() { Err(nothing_required("criteria")) } else { Ok(()) }
    }
}

/// Where the table is, and how to read it.
fn read_data(data: &Section<'_>) -> Result<(Option<String>, ReadOptions)> {
    if data.table.get("sensitive").is_some() {
        let error = Error::plan("[data] `sensitive` is about sets of items").line(data.line_of("sensitive"));
        return Err(error.help("say that these are such: kind = \"transactions\"; in a table, columns are sensitive"));
    }
    data.refuse_unknown(keys_of("data").iter().copied())?;
    Ok((data.get("path", text)?, read_options(data)?))
}

/// That a plan asks for nothing, and where to find what it could ask for.
fn nothing_required(family: &str) -> Error {
    Error::of(ErrorCode::RequiresNothing, "the plan requires nothing")
        .help(format!("add [[require]] sections: see `sfumato list {family}`"))
}

/// The text of a plan file, and the folder that its files are relative to.
fn read_text(path: &Path) -> Result<(String, &Path)> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::InvalidData => Error::plan("the plan is not valid UTF-8").file(path),
        _ => Error::io(&error, path),
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((text, folder))
}

fn parse_toml(text: &str) -> Result<Spanned<DeTable<'_>>> {
    DeTable::parse(text)
        .map_err(|error| not_toml(error.message(), error.span().map_or(1, |span| line_of(text, span.start))))
}

fn not_toml(message: &str, line: u64) -> Error {
    Error::of(ErrorCode::NotToml, format!("this is not TOML: {message}")).line(line)
}

/// The error with what to do where somebody gives a table for a plan.
fn told_apart(error: Error, path: &Path) -> Error {
    let is_plan = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    if error.code() != ErrorCode::NotToml || is_plan {
        return error;
    }
    let name = path.display();
    error.help(format!("a plan is a TOML file. If {name} is the table, `sfumato init {name}` drafts a plan for it"))
}

/// One `[[require]]` given as text.
pub fn requirement(text: &str, schema: &Schema) -> Result<Requirement> {
    let document = DeTable::parse(text).map_err(|error| Error::plan(error.message().to_string()))?;
    read_requirement(&Section { name: "[[require]]", text, table: document.get_ref(), line: 1 }, schema)
}

/// The verdict of a criterion on [`sample::clinic`], six records in two groups: for trying and for
/// documentation. Parameters are written as in a plan; the sensitive column is `disease`.
pub fn example(name: &str, written: &[(&str, &str)]) -> Result<Verdict> {
    let schema = Schema::of(&["zip"], &["disease", "drug"]);
    let lines: String = written.iter().map(|(param, value)| format!("{param} = {value}\n")).collect();
    let on = if find(name)?.build.on == On::Column { "on = \"disease\"" } else { "" };
    let wanted = requirement(&format!("criterion = \"{name}\"\n{on}\n{lines}"), &schema)?;
    Ok(audit(&sample::clinic(), &schema, &[wanted], Path::new("."))?.criteria.remove(0).verdict)
}

fn read_requirement(section: &Section<'_>, schema: &Schema) -> Result<Requirement> {
    let at = |error: Error| error.or_line(section.line);
    let name = section.get("criterion", text)?.ok_or_else(|| {
        at(Error::plan("a [[require]] names no criterion").help("criterion = \"…\", see `sfumato list criteria`"))
    })?;
    let on = section.get("on", texts)?.unwrap_or_default();
    let params: Vec<(&str, Raw)> = section
        .table
        .iter()
        .filter(|(key, _)| !keys_of("require").contains(&key.get_ref().as_ref()))
        .map(|(key, value)| (key.get_ref().as_ref(), raw(value)))
        .collect();
    let wanted = Requirement::new(&name, &params, &on, schema);
    wanted.map_err(|error| at(if find(&name).is_err() { sets::of_sets(&name, error) } else { error }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &str = "[columns]\nzip = \"quasi\"\ndisease = { role = \"sensitive\" }\n";

    fn parse(text: &str) -> Result<TablePlan> {
        TablePlan::parse(text, Path::new("."))
    }

    #[test]
    fn numbers_mean_what_is_written() {
        for written in ["0.1", "\"0.1\"", "0.10", "1e-1"] {
            let plan = parse(&format!("{COLUMNS}[[require]]\ncriterion = \"t-closeness\"\nt = {written}\n")).unwrap();
            let t = plan.requirements[0].criterion.params.decimal("t");
            assert_eq!((t.fraction().num, t.fraction().den), (1, 10), "{written}");
        }
        let digits = "0.1000000000000000000000000001";
        let plan = parse(&format!("{COLUMNS}[[require]]\ncriterion = \"t-closeness\"\nt = {digits}\n")).unwrap();
        assert_eq!(plan.requirements[0].criterion.params.decimal("t").to_string(), digits);
    }

    #[test]
    fn every_section_is_checked_for_every_command() {
        let later = |name: &str| format!("{COLUMNS}[method]\nname = \"{name}\"\n[release]\nmax_suppressed = \"2%\"\n");
        assert!(parse(&later("optimal")).is_ok());
        assert!(parse(&later("optimall")).is_err());
        assert!(parse(&later("mondrian")).is_err(), "it suppresses nobody");
    }

    #[test]
    fn errors_name_line_and_remedy() {
        let check = |text: &str, expected: &[&str]| {
            let message = parse(text).err().expect("refused").to_string();
            for part in expected {
                assert!(message.contains(part), "{message:?} lacks {part:?}");
            }
        };
        let with = |criterion: &str| format!("{COLUMNS}[[require]]\n{criterion}\n");
        check("[columns\n", &["line 1", "TOML"]);
        check("", &["no [columns]", "sfumato init"]);
        check("[colums]\n", &["did you mean \"columns\"?"]);
        check("[columns]\na = \"quasy\"\n", &["line 2", "did you mean \"quasi\"?"]);
        check("[columns]\na = { role = \"quasi\", hierachy = {} }\n", &["line 2", "did you mean \"hierarchy\"?"]);
        check("[columns]\na = { hierarchy = { redact = 2 } }\n", &["line 2", "has no role"]);
        check("[columns]\na = { role = \"quasi\", hierarchy = { intervals = [5, 7] } }\n", &["line 2", "do not nest"]);
        check("[columns]\na = { role = \"quasi\", levels = [3, 1] }\n", &["line 2", "levels = [0, 2]"]);
        let weighed = |column: &str, rest: &str| format!("[columns]\nb = \"quasi\"\na = {{ {column} }}\n{rest}");
        for weight in ["0", "-1", "1000.5", "0.0001", "inf", "\"much\"", "[1]", "true"] {
            let text = weighed(&format!("role = \"quasi\", weight = {weight}"), "");
            check(&text, &["line 3", "`weight` is a number from 0.001 to 1000"]);
        }
        for role in ["sensitive", "insensitive", "identifier"] {
            check(&weighed(&format!("role = \"{role}\", weight = 2"), ""), &["line 3", "`weight` has no effect", role]);
        }
        check(
            "[columns]\na = { role = \"quasi\", weight = 2 }\n",
            &["line 2", "`weight` has no effect", "the same one"],
        );
        for (method, why) in [
            ("name = \"greedy-grouping\"", "does not compare what columns lose"),
            ("name = \"skyline-anonymize\"\npriority = \"round-robin\"", "does not compare what columns lose"),
            ("name = \"optimal\"\nmetric = \"height\"", "the metric height does not add up"),
            ("name = \"incognito\"\nmetric = \"discernibility\"", "the metric discernibility does not add up"),
        ] {
            let text = weighed("role = \"quasi\", weight = 2", &format!("[method]\n{method}\n"));
            check(&text, &["line 3", "column \"a\": `weight` has no effect", why]);
        }
        check("[data]\ndelimiter = \"ab\"\n[columns]\n", &["line 2", "one ASCII character"]);
        check(&with("l = 3"), &["line 4", "names no criterion"]);
        check(&with("criterion = \"entropy-diversity\"\nl = 3"), &["line 4", "did you mean \"entropy-l-diversity\"?"]);
        check(&with("criterion = \"k-anonymity\"\nl = 3"), &["no parameter \"l\"", "known: k"]);
        check(&with("criterion = \"k-anonymity\""), &["needs the parameter \"k\""]);
        check(&with("criterion = \"k-anonymity\"\nk = 0"), &["below 1"]);
        check(&with("criterion = \"k-anonymity\"\nk = 2.5"), &["not a whole number"]);
        check(&with("criterion = \"entropy-l-diversity\"\nl = 0"), &["at least 1"]);
        check(&with("criterion = \"entropy-l-diversity\"\nl = nan"), &["not a number"]);
        check(&with("criterion = \"recursive-cl-diversity\"\nc = 0\nl = 2"), &["above 0"]);
        check(&with("criterion = \"recursive-cl-diversity\"\nc = -1\nl = 2"), &["above 0"]);
        check(&with("criterion = \"t-closeness\"\nt = 1.01"), &["from 0 to 1"]);
        check(&with("criterion = \"t-closeness\"\nt = inf"), &["not a number"]);
        check(&with("criterion = \"t-closeness\"\nt = 0.1\ndistance = \"far\""), &["equal, ordered, hierarchical"]);
        check(&with("criterion = \"k-anonymity\"\nk = 2\non = \"disease\""), &["leave out `on`"]);
        check(&with("criterion = \"distinct-l-diversity\"\nl = 2\non = \"zip\""), &["not a sensitive column"]);
        check(
            "[columns]\nzip = \"quasi\"\n[[require]]\ncriterion = \"distinct-l-diversity\"\nl = 2\n",
            &["needs a sensitive column"],
        );
    }
}
