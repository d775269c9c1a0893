//! The sections that say how to publish: `[method]`, `[release]`, `[skew]`, `[gate]`, `[[attack]]`
//! and `[[utility]]`.

use super::heading::Heading;
use super::keys_of;
use super::section::{Section, choice, number, raw, share, text, texts, written};
use super::sets::of_sets;
use crate::anonymize::{self, ChosenMethod, auto};
use crate::attack;
use crate::chance::Chance;
use crate::criterion::Requirement;
use crate::data::{Formulas, Role, Schema};
use crate::error::{Error, ErrorCode, Result, suggest};
use crate::exact::Fraction;
use crate::kind::{Kind, Member, Raw};
use crate::recode::{Form, Insensitive, Recoding, Suppressed};
use crate::skew;
use crate::utility::queries::Workload;
use crate::utility::{self, ChosenMetric};

/// What becomes of suppressed records, in the order of [`Suppressed`].
pub(super) const SUPPRESSED: [&str; 2] = ["withheld", "starred"];
/// What becomes of insensitive columns, in the order of [`Insensitive`].
pub(super) const INSENSITIVE: [&str; 2] = ["keep", "drop"];
/// What becomes of formulas, in the order of [`Formulas`].
pub(super) const FORMULAS: [&str; 3] = ["escape", "refuse", "keep"];
/// What becomes of a release of which attacks find too much.
pub(super) const GATE: [&str; 2] = ["refuse", "report"];
/// The format of the published table where a plan names none.
pub(super) const FORMAT: &str = "csv";

/// How to publish.
#[derive(Clone, PartialEq)]
pub struct Publishing {
    /// What the release is called, and its day.
    pub heading: Heading,
    /// How groups are formed.
    pub method: ChosenMethod,
    /// The methods that it was chosen among where the plan leaves the method open, in the order in
    /// which they are tried: not said in plans.
    pub among: Vec<&'static str>,
    /// What chooses among safe candidates.
    pub metric: ChosenMetric,
    /// The share of records that may be suppressed, if the plan says so. Otherwise methods that
    /// choose levels suppress none, and those that form groups withhold what they cannot group
    /// safely.
    pub max_suppressed: Option<Fraction>,
    /// The form of the release, and what becomes of suppressed records and insensitive columns.
    pub recoding: Recoding,
    /// Insensitive columns that are published whatever they disclose: the plan accepts them by
    /// name.
    pub accepted: Vec<String>,
    /// The file ending of the published table.
    pub format: String,
    /// What becomes of cells that a spreadsheet would run, in text formats.
    pub formulas: Formulas,
    /// Whether the plan says so; otherwise it is a default, which only text formats need.
    pub says_formulas: bool,
    /// What to do where a sensitive value is too frequent.
    pub skew: Skew,
    /// What attacks may find.
    pub gate: Gate,
    /// The attacks to run.
    pub attacks: Vec<Attempt>,
    /// The column that a classifier is to predict.
    pub target: Option<String>,
    /// Queries that the release is to answer, if the plan asks for them.
    pub workload: Option<Workload>,
    /// Where random choices come from: not said in plans.
    pub chance: Chance,
}

/// What to do where a sensitive value is too frequent: refuse what no grouping could satisfy, or
/// withhold records first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skew {
    /// How to suppress records of frequent values; nothing to refuse.
    pub method: Option<&'static Kind<skew::Build>>,
    /// Among how many values the most frequent one is to hide, if not among as many as the criteria
    /// ask for.
    pub l: Option<u64>,
    /// The sensitive column, if not every one that a criterion on frequencies is about.
    pub on: Option<String>,
}

/// What attacks may find.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Whether an attack that finds too much stops the release.
    pub refuses: bool,
    /// The most that anybody who knows nothing but the release may believe in a sensitive value, if
    /// it is to be limited beyond what criteria promise.
    pub max_belief: Option<Fraction>,
    /// The largest chance to pick a person's record, likewise.
    pub max_risk: Option<Fraction>,
}

/// One attack to run.
#[derive(Clone, PartialEq)]
pub struct Attempt {
    /// The attack with its parameters.
    pub attack: attack::ChosenAttack,
    /// The most that it may reach, if it is to be limited beyond what criteria promise.
    pub max_belief: Option<Fraction>,
    /// Whether the plan names it: every usual attack is made, named or not.
    pub is_named: bool,
}

impl Attempt {
    /// Whether a release that keeps to its limit tells something about values that are not
    /// published.
    pub fn limits_hidden_values(&self) -> bool {
        self.max_belief.is_some() && self.attack.build().reads_hidden_values()
    }
}

impl Publishing {
    /// Whether publishing at all tells something about values: methods were passed over that read
    /// them, or a limit is kept to that depends on values which are not published.
    pub fn is_conditioned(&self) -> bool {
        auto::tells(&self.among, self.method.kind.name) || self.attacks.iter().any(Attempt::limits_hidden_values)
    }

    /// Whether the plan limits what somebody believes who knows the method.
    pub fn limits_knowing_the_method(&self) -> bool {
        let is_limited = |attempt: &Attempt| attempt.max_belief.is_some() && attempt.attack.build().knows_the_method();
        self.gate.max_belief.is_some() || self.attacks.iter().any(is_limited)
    }

    /// Reads the sections that say how to publish, with defaults for what they leave out.
    pub(super) fn read(root: &Section<'_>, schema: &Schema, requirements: &[Requirement]) -> Result<Publishing> {
        let (method, metric) = read_method(root.section("method")?.as_ref())?;
        let release = root.section("release")?;
        let (max_suppressed, recoding, format) = read_release(release.as_ref())?;
        let heading = Heading::read(release.as_ref())?;
        let accepted = release.as_ref().map_or(Ok(Vec::new()), |section| read_accepted(section, schema))?;
        let formulas = read_formulas(release.as_ref())?;
        let says_formulas = release.as_ref().is_some_and(|section| section.table.get("formulas").is_some());
        let attacks = read_attacks(&root.sections("attack")?, requirements)?;
        let (target, workload) = read_utility(root, schema)?;
        let skew = read_skew(root.section("skew")?.as_ref())?;
        let gate = read_gate(root.section("gate")?.as_ref())?;
        let chance = Chance::default();
        Ok(Publishing {
            heading,
            method,
            among: Vec::new(),
            metric,
            max_suppressed,
            recoding,
            accepted,
            format,
            formulas,
            says_formulas,
            skew,
            gate,
            attacks,
            target,
            workload,
            chance,
        })
    }
}

/// The insensitive columns that `insensitive = { accept = […] }` names.
fn read_accepted(release: &Section<'_>, schema: &Schema) -> Result<Vec<String>> {
    let Some(Raw::Table(_)) = release.table.get("insensitive").map(raw) else { return Ok(Vec::new()) };
    let section = release.section("insensitive")?.expect("it is there");
    section.refuse_unknown(["accept"])?;
    let accepted = section.get("accept", texts)?.unwrap_or_default();
    let insensitive = schema.names(Role::Insensitive);
    let is_unknown = |name: &&String| !insensitive.contains(&name.as_str());
    if let Some(name) = accepted.iter().find(is_unknown) {
        let error = Error::of(
            ErrorCode::UnknownName,
            format!("[release] insensitive: \"{name}\" is not an insensitive column of the plan"),
        );
        let help = match insensitive.is_empty() {
            true => "the plan has no insensitive column: leave out `accept`".to_string(),
            false => suggest(name, insensitive),
        };
        return Err(error.line(section.line_of("accept")).help(help));
    }
    Ok(accepted)
}

/// What a plan about a table may measure besides what is always measured: the name of the metric
/// and the keys that it has.
const MEASURES: [(&str, &[&str]); 2] =
    [(CLASSIFICATION, &["metric", "target"]), (QUERIES, &["metric", "queries", "dimensions", "selectivity"])];
pub(super) const CLASSIFICATION: &str = "classification";
pub(super) const QUERIES: &str = "queries";

fn read_utility(root: &Section<'_>, schema: &Schema) -> Result<(Option<String>, Option<Workload>)> {
    refuse_one_utility(root)?;
    let (mut target, mut workload) = (None, None);
    for section in root.sections("utility")? {
        let name = measure_of(&section)?;
        let (name, keys) = MEASURES.into_iter().find(|(own, _)| *own == name).ok_or_else(|| {
            let message = format!("[[utility]]: no metric of tables is called \"{name}\"");
            let unknown = Error::unknown(message, &name, MEASURES.map(|(own, _)| own));
            of_sets(&name, unknown).line(section.line_of("metric"))
        })?;
        section.refuse_unknown(keys.iter().copied())?;
        let said_before = match name {
            CLASSIFICATION => target.replace(read_target(&section, schema)?).is_some(),
            _ => workload.replace(read_workload(&section, schema.names(Role::Quasi).len())?).is_some(),
        };
        if said_before {
            let error = Error::plan(format!("two [[utility]] have the metric {name}"));
            return Err(error.line(section.line).help("leave one of them out"));
        }
    }
    Ok((target, workload))
}

/// The metric that an entry of `[[utility]]` names.
pub(super) fn measure_of(section: &Section<'_>) -> Result<String> {
    section.get("metric", text)?.ok_or_else(|| {
        let error = Error::plan("a [[utility]] names no metric").line(section.line);
        error.help(format!("metric = \"{CLASSIFICATION}\" or metric = \"{QUERIES}\""))
    })
}

/// The section was one of keys before it was a list of metrics.
fn refuse_one_utility(root: &Section<'_>) -> Result<()> {
    let Some(old) = root.section("utility").ok().flatten() else { return Ok(()) };
    let is_written = |keys: &[&str]| keys.iter().skip(1).any(|key| old.table.get(*key).is_some());
    let written = MEASURES.iter().filter(|(_, keys)| is_written(keys)).map(|(name, _)| *name);
    let lines: Vec<String> = written.map(|name| format!("[[utility]] and below it metric = \"{name}\"")).collect();
    let instead = if lines.is_empty() { "[[utility]]".into() } else { lines.join(", then ") };
    let error = Error::plan("`utility` is a list of metrics").line(root.line_of("utility"));
    Err(error.help(format!("write {instead}, before the keys of that metric")))
}

fn read_target(section: &Section<'_>, schema: &Schema) -> Result<String> {
    let target = section.get("target", text)?.ok_or_else(|| {
        let error = Error::plan(format!("[[utility]]: {CLASSIFICATION} has no target")).line(section.line);
        error.help("target = \"COLUMN\" names the column that is predicted")
    })?;
    if schema.find(&target).is_none() {
        let names = schema.columns().iter().map(|spec| spec.name.as_str());
        let error = Error::unknown(format!("[[utility]]: the plan names no column \"{target}\""), &target, names);
        return Err(error.line(section.line_of("target")));
    }
    Ok(target)
}

/// A workload of COUNT queries.
fn read_workload(section: &Section<'_>, quasi: usize) -> Result<Workload> {
    let mut workload = Workload::usual(quasi);
    if let Some(selectivity) = share(section, "selectivity")? {
        workload.selectivity = selectivity;
    }
    let count = |key: &str, most: usize| -> Result<Option<usize>> {
        let Some(number) = section.get(key, number)? else { return Ok(None) };
        if (1..=most).contains(&number) {
            return Ok(Some(number));
        }
        let error = Error::plan(format!("{}: `{key}` is a whole number from 1 to {most}", section.name));
        Err(error
            .line(section.line_of(key))
            .help(format!("write {key} = {}", if key == "queries" { 1000 } else { most.min(2) })))
    };
    if let Some(queries) = count("queries", 1_000_000)? {
        workload.queries = queries as u64;
    }
    if let Some(dimensions) = count("dimensions", quasi.max(1))? {
        workload.dimensions = dimensions;
    }
    Ok(workload)
}

fn read_method(section: Option<&Section<'_>>) -> Result<(ChosenMethod, ChosenMetric)> {
    let Some(section) = section else {
        return Ok((ChosenMethod::new(anonymize::DEFAULT.name, &[])?, ChosenMetric::new(utility::DEFAULT.name, &[])?));
    };
    let at = |error: Error| error.or_line(section.line);
    let name = section.get("name", text)?.unwrap_or(anonymize::DEFAULT.name.to_string());
    let written = written(section, keys_of("method"));
    // The method first: a wrong name explains parameters that it does not know.
    anonymize::find(&name).map_err(|error| of_sets(&name, error).line(section.line_of("name")))?;
    let method = ChosenMethod::new(&name, &written).map_err(at)?;
    let metric = match section.table.get("metric").map(raw) {
        None => ChosenMetric::new(utility::DEFAULT.name, &[]),
        Some(Raw::Text(name)) => ChosenMetric::new(&name, &[]),
        Some(_) => {
            let inner = section.section("metric")?.expect("it is there");
            let name = inner.get("name", text)?.ok_or_else(|| at(Error::plan("the metric has no name")))?;
            ChosenMetric::new(&name, &self::written(&inner, &["name"]))
        }
    };
    Ok((method, metric.map_err(|error| error.line(section.line_of("metric")))?))
}

fn read_release(section: Option<&Section<'_>>) -> Result<(Option<Fraction>, Recoding, String)> {
    let mut recoding = Recoding::default();
    let Some(section) = section else { return Ok((None, recoding, FORMAT.into())) };
    section.refuse_unknown(keys_of("release").iter().copied())?;
    if let Some(at) = choice(section, "form", &Form::ALL.map(Form::name))? {
        recoding.form = Form::ALL[at];
    }
    if choice(section, "suppressed", &SUPPRESSED)? == Some(1) {
        recoding.suppressed = Suppressed::Starred;
        if recoding.form == Form::Bucketized {
            let error = Error::plan("[release]: a bucketized release has no place for starred records");
            return Err(error.line(section.line_of("suppressed")).help("write suppressed = \"withheld\""));
        }
    }
    recoding.insensitive = read_insensitive(section)?;
    let share = share(section, "max_suppressed")?;
    let format = section.get("format", text)?.unwrap_or(FORMAT.into());
    if format.is_empty() || !format.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        let error = Error::plan(format!("{}: `format` is a file ending", section.name)).line(section.line_of("format"));
        return Err(error.help("write format = \"csv\" or another of `sfumato list formats`"));
    }
    Ok((share, recoding, format))
}

/// Whether insensitive columns are published; which of them are accepted is another question.
fn read_insensitive(section: &Section<'_>) -> Result<Insensitive> {
    match section.table.get("insensitive").map(raw) {
        None | Some(Raw::Table(_)) => Ok(Insensitive::Keep),
        Some(Raw::Text(_)) => match choice(section, "insensitive", &INSENSITIVE)? {
            Some(1) => Ok(Insensitive::Drop),
            _ => Ok(Insensitive::Keep),
        },
        Some(other) => {
            let error = Error::plan(format!("{}: `insensitive` cannot be {}", section.name, other.describe()));
            let help = "write \"keep\", \"drop\", or { accept = [\"COLUMN\"] } to accept what a column discloses";
            Err(error.line(section.line_of("insensitive")).help(help))
        }
    }
}

fn read_formulas(section: Option<&Section<'_>>) -> Result<Formulas> {
    let Some(section) = section else { return Ok(Formulas::default()) };
    let ways = [Formulas::Escape, Formulas::Refuse, Formulas::Keep];
    Ok(choice(section, "formulas", &FORMULAS)?.map_or(Formulas::default(), |at| ways[at]))
}

/// The word for no suppression of frequent values.
const REFUSE: &str = "refuse";

fn read_skew(section: Option<&Section<'_>>) -> Result<Skew> {
    let Some(section) = section else { return Ok(Skew::default()) };
    section.refuse_unknown(keys_of("skew").iter().copied())?;
    let method = match section.get("method", text)?.as_deref() {
        None | Some(REFUSE) => None,
        Some(name) => Some(find_publishable(name).map_err(|error| error.line(section.line_of("method")))?),
    };
    let l = section.get("l", number)?;
    if l.is_some_and(|l| l < 2) {
        let error = Error::plan(format!("{}: `l` is a whole number, at least 2", section.name));
        return Err(error.line(section.line_of("l")).help("leave it out to take what the criteria ask for"));
    }
    Ok(Skew { method, l: l.map(|l| l as u64), on: section.get("on", text)? })
}

/// A way to suppress that may be published.
fn find_publishable(name: &str) -> Result<&'static Kind<skew::Build>> {
    let publishable = || skew::KINDS.into_iter().filter(|kind| skew::make(kind).is_publishable());
    if let Some(found) = publishable().find(|kind| kind.name == name) {
        return Ok(found);
    }
    let mut names: Vec<&str> = publishable().map(|kind| kind.name).collect();
    names.push(REFUSE);
    match skew::find(name) {
        Ok(bound) => Err(Error::plan(format!("[skew]: {} is a bound for comparison and never published: what it leaves discloses which value was too frequent", bound.name))
            .help(format!("method is one of {}", names.join(", ")))),
        Err(_) => Err(Error::unknown(format!("[skew]: `method` cannot be \"{name}\""), name, names)),
    }
}

fn read_gate(section: Option<&Section<'_>>) -> Result<Gate> {
    let Some(section) = section else { return Ok(Gate { refuses: true, max_belief: None, max_risk: None }) };
    section.refuse_unknown(keys_of("gate").iter().copied())?;
    Ok(Gate {
        refuses: choice(section, "attacks", &GATE)? != Some(1),
        max_belief: share(section, "max_belief")?,
        max_risk: share(section, "max_risk")?,
    })
}

fn read_attack(section: &Section<'_>) -> Result<Attempt> {
    let at = |error: Error| error.or_line(section.line);
    let name = section.get("attack", text)?.ok_or_else(|| {
        at(Error::plan("an [[attack]] names no attack").help("attack = \"…\", see `sfumato list attacks`"))
    })?;
    let kind = attack::find(&name).map_err(|error| at(of_sets(&name, error)))?;
    let attack = Member::of(kind, &written(section, keys_of("attack"))).map_err(at)?;
    Ok(Attempt { attack, max_belief: share(section, "max_belief")?, is_named: true })
}

/// The attacks that the plan names, and every usual one that it does not set up in its own way: a
/// plan can ask for more than the usual attacks, never for less.
fn read_attacks(sections: &[Section<'_>], requirements: &[Requirement]) -> Result<Vec<Attempt>> {
    let mut attacks: Vec<Attempt> = sections.iter().map(read_attack).collect::<Result<_>>()?;
    let named = attacks.len();
    for attack in attack::usual(requirements) {
        let is_set_up = |named: &Attempt| match attack.is_default() {
            true => named.attack.kind.name == attack.kind.name,
            false => named.attack == attack,
        };
        if !attacks[..named].iter().any(is_set_up) {
            attacks.push(Attempt { attack, max_belief: None, is_named: false });
        }
    }
    Ok(attacks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TablePlan;
    use std::path::Path;

    fn publishing(text: &str) -> Result<Publishing> {
        let columns = "[columns]\nzip = \"quasi\"\ndisease = \"sensitive\"\nnote = \"insensitive\"\n";
        Ok(TablePlan::parse(&format!("{columns}{text}"), Path::new("."))?.publishing)
    }

    #[test]
    fn defaults_are_safe() {
        let plain = publishing("").unwrap();
        assert_eq!((plain.method.kind.name, plain.metric.kind.name), ("auto", "loss"));
        assert!(plain.gate.refuses && plain.skew.method.is_none());
        assert_eq!(plain.max_suppressed, None);
        assert_eq!(plain.attacks.len(), attack::KINDS.len());
    }

    #[test]
    fn everything_can_be_said() {
        let text = "[method]\nname = \"incognito\"\nmetric = { name = \"loss\", mean = \"arithmetic\" }\nbudget = 10\n\
                    [release]\nmax_suppressed = 0.5\nsuppressed = \"starred\"\ninsensitive = \"drop\"\nformat = \"tsv\"\n\
                    [gate]\nattacks = \"report\"\nmax_belief = \"50%\"\nmax_risk = 0.2\n\
                    [[attack]]\nattack = \"homogeneity\"\nthreshold = 0.95\n[[utility]]\nmetric = \"classification\"\ntarget = \"disease\"\n";
        let said = publishing(text).unwrap();
        assert_eq!(said.metric.params.choice("mean"), "arithmetic");
        assert_eq!(said.method.params.count("budget"), 10);
        assert_eq!(
            said.recoding,
            Recoding { suppressed: Suppressed::Starred, insensitive: Insensitive::Drop, form: Form::Generalized }
        );
        assert!(!said.gate.refuses && said.gate.max_belief == Some(Fraction::new(1, 2)));
        assert_eq!((said.target.as_deref(), said.format.as_str()), (Some("disease"), "tsv"));
        let named = said.attacks.iter().filter(|attempt| attempt.is_named).count();
        assert_eq!((named, said.attacks.len()), (1, attack::KINDS.len()), "the usual attacks are made as well");
    }

    #[test]
    fn insensitive_columns_are_kept_dropped_or_accepted_by_name() {
        let said = |text: &str| {
            let said = publishing(&format!("[release]\n{text}\n")).unwrap();
            (said.recoding.insensitive, said.accepted)
        };
        assert_eq!(said(""), (Insensitive::Keep, vec![]));
        assert_eq!(said("insensitive = \"keep\""), (Insensitive::Keep, vec![]));
        assert_eq!(said("insensitive = \"drop\""), (Insensitive::Drop, vec![]));
        assert_eq!(said("insensitive = { accept = [\"note\"] }"), (Insensitive::Keep, vec!["note".to_string()]));
        assert_eq!(said("insensitive = { accept = \"note\" }").1, ["note"]);
    }

    #[test]
    fn errors_name_line_and_remedy() {
        let check = |text: &str, expected: &[&str]| {
            let message = publishing(text).err().expect("refused").to_string();
            for part in expected {
                assert!(message.contains(part), "{message:?} lacks {part:?}");
            }
        };
        check("[method]\nname = \"optimall\"\n", &["line 6", "did you mean \"optimal\"?"]);
        check("[method]\nmetric = \"los\"\n", &["line 6", "did you mean \"loss\"?"]);
        check("[method]\nbudgt = 3\n", &["line 5", "no parameter \"budgt\""]);
        check("[release]\nmax_suppressed = 2\n", &["line 6", "share", "\"2%\""]);
        check("[release]\nmax_suppressed = \"-1%\"\n", &["line 6", "share"]);
        check("[release]\nform = \"bucketised\"\n", &["line 6", "form"]);
        check("[release]\ninsensitive = \"dorp\"\n", &["line 6", "did you mean \"drop\"?"]);
        check("[release]\ninsensitive = [\"note\"]\n", &["line 6", "{ accept = ["]);
        check("[release]\ninsensitive = { acept = [] }\n", &["line 6", "did you mean \"accept\"?"]);
        check("[release]\ninsensitive = { accept = true }\n", &["line 6", "a list of texts"]);
        check("[release]\ninsensitive = { accept = [\"nota\"] }\n", &["line 6", "did you mean \"note\"?"]);
        check("[release]\ninsensitive = { accept = [\"zip\"] }\n", &["line 6", "\"zip\" is not an insensitive"]);
        check("[gate]\nattacks = \"ignore\"\n", &["line 6", "refuse"]);
        check("[skew]\nmethod = \"unsafe-d\"\n", &["line 6", "never published", "calibrated"]);
        check("[skew]\nmethod = \"calibratd\"\n", &["line 6", "did you mean \"calibrated\"?"]);
        check("[skew]\nl = 1\n", &["line 6", "at least 2"]);
        check("[skew]\nmethods = \"refuse\"\n", &["line 6", "methods"]);
        check("[[attack]]\nattack = \"homogenity\"\n", &["line 5", "did you mean \"homogeneity\"?"]);
        let utility = |text: &str, expected: &[&str]| check(&format!("[[utility]]\n{text}\n"), expected);
        utility("metric = \"classification\"\ntarget = \"diseases\"", &["line 7", "did you mean \"disease\"?"]);
        utility("metric = \"classification\"", &["line 5", "target = \"COLUMN\""]);
        utility("metric = \"classification\"\nqueries = 9", &["line 7", "has no \"queries\""]);
        utility("metric = \"querys\"", &["line 6", "did you mean \"queries\"?"]);
        utility("metric = \"kl\"", &["line 6", "is about transactions"]);
        utility("queries = 9", &["line 5", "names no metric", "metric = \"queries\""]);
        utility("metric = \"queries\"\n[[utility]]\nmetric = \"queries\"", &["line 7", "leave one of them out"]);
        check("[utility]\ntarget = \"disease\"\n", &["line 5", "write [[utility]]", "metric = \"classification\""]);
        check("[utility]\nqueries = 9\n", &["line 5", "metric = \"queries\""]);
    }
}
