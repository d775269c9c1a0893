//! Plans as text: a checked plan is written so that parsing gives an equal one.
//!
//! What has its default is left out. Where random choices come from is not said in plans.

use super::publishing::{
    Attempt, CLASSIFICATION, FORMAT, FORMULAS, GATE, Gate, INSENSITIVE, Publishing, QUERIES, SUPPRESSED, Skew,
};
use super::section::toml;
use super::sets::ORDER;
use super::{DATA_KINDS, Heading, Plan, SensitiveItems, SetPlan, TablePlan};
use crate::data::spelling::Written;
use crate::data::{ColumnSpec, Part, ReadOptions, Weight};
use crate::error::{Error, Result};
use crate::exact::{Decimal, Fraction};
use crate::kind::{Kind, Member, Raw};
use crate::recode::{Form, Insensitive, Recoding, Suppressed};
use crate::transactions::{Layout, attack, metric};
use crate::utility;
use std::path::Path;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

impl Plan {
    /// The plan as text: parsing it in the same folder gives an equal plan. A plan that was changed
    /// in code to something that no text can say is refused.
    ///
    /// ```
    /// use sfumato::Plan;
    ///
    /// let text = "[columns]\nzip = \"quasi\"\n\n[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n";
    /// let plan = Plan::parse(text, ".".as_ref())?;
    /// let again = Plan::parse(&plan.to_toml()?, ".".as_ref())?;
    /// assert!(again == plan);
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn to_toml(&self) -> Result<String> {
        match self {
            Plan::Table(plan) => plan.to_toml(),
            Plan::Sets(plan) => plan.to_toml(),
        }
    }
}

impl Plan {
    /// Checks a plan whose sections are values of a script: each a table, or a list of tables such
    /// as `require`. Files are relative to the folder. Errors name no line: there is no text.
    ///
    /// ```
    /// use sfumato::kind::Raw;
    /// use sfumato::Plan;
    ///
    /// let keys = |keys: &[(&str, &str)]| {
    ///     Raw::Table(keys.iter().map(|(key, text)| (key.to_string(), Raw::from(*text))).collect())
    /// };
    /// let require = Raw::List(vec![keys(&[("criterion", "k-anonymity"), ("k", "3")])]);
    /// let sections = [("columns".to_string(), keys(&[("zip", "quasi")])), ("require".to_string(), require)];
    /// let text = "[columns]\nzip = \"quasi\"\n\n[[require]]\ncriterion = \"k-anonymity\"\nk = 3\n";
    /// assert!(Plan::of_values(&sections, ".".as_ref())? == Plan::parse(text, ".".as_ref())?);
    /// # Ok::<(), sfumato::Error>(())
    /// ```
    pub fn of_values(sections: &[(String, Raw)], folder: &Path) -> Result<Plan> {
        let mut page = Page::default();
        for (name, value) in sections {
            let wrong = || Error::plan(format!("`{name}` is no section")).help("give its keys with their values");
            match value {
                Raw::Table(keys) => page.0.insert(name, Item::Table(Keys(keys.clone()).into_table()?)),
                Raw::List(entries) => {
                    for entry in entries {
                        let Raw::Table(keys) = entry else { return Err(wrong()) };
                        page.entry(name, Keys(keys.clone()))?;
                    }
                    None
                }
                _ => return Err(wrong()),
            };
        }
        let plan = Plan::parse(&page.0.to_string(), folder).map_err(Error::without_line)?;
        Ok(match plan {
            Plan::Table(mut plan) => {
                plan.schema = plan.schema.without_lines();
                Plan::Table(plan)
            }
            sets => sets,
        })
    }
}

impl TablePlan {
    /// The plan as text: parsing it in the same folder gives an equal plan.
    pub fn to_toml(&self) -> Result<String> {
        let TablePlan { data, options, schema, requirements, publishing, folder } = self;
        let mut page = Page::default();
        let mut keys = Keys::default();
        keys.path("path", data.as_deref(), folder)?;
        keys.reading(options);
        page.section("data", keys)?;
        let columns = schema.columns().iter().map(|spec| Ok((spec.name.clone(), column(spec)?)));
        // Always there: a plan about a table has the section, if with nothing in it.
        page.0.insert("columns", Item::Table(Keys(columns.collect::<Result<_>>()?).into_table()?));
        for wanted in requirements {
            let mut keys = Keys::default();
            keys.text("criterion", wanted.criterion.kind.name);
            match wanted.on.as_slice() {
                [] => {}
                [one] => keys.text("on", one),
                several => keys.texts("on", several),
            }
            keys.params(&wanted.criterion);
            page.entry("require", keys)?;
        }
        write_publishing(&mut page, publishing)?;
        Ok(page.0.to_string())
    }
}

impl SetPlan {
    /// The plan as text: parsing it in the same folder gives an equal plan.
    pub fn to_toml(&self) -> Result<String> {
        let SetPlan {
            data,
            layout,
            sensitive,
            requirements,
            method,
            attacks,
            metrics,
            keeps_order,
            heading,
            attacks_refuse,
            chance: _,
            folder,
        } = self;
        let mut page = Page::default();
        let mut keys = Keys::default();
        keys.text("kind", DATA_KINDS[1]);
        keys.path("path", data.as_deref(), folder)?;
        match layout {
            Layout::Lines(delimiter) => keys.some("delimiter", delimiter.map(|letter| Raw::Text(letter.into()))),
            Layout::Rows { person, item, options } => {
                keys.text("person", person);
                keys.text("item", item);
                keys.reading(options);
            }
        }
        keys.add("sensitive", sensitive_items(sensitive, folder)?);
        page.section("data", keys)?;
        page.members("require", "criterion", requirements)?;
        page.section("method", Keys::member("name", method))?;
        // Those that are made anyway go without saying.
        if *attacks != Member::defaults(&attack::KINDS) {
            page.members("attack", "attack", attacks)?;
        }
        if *metrics != Member::defaults(&metric::KINDS) {
            page.members("utility", "metric", metrics)?;
        }
        let mut keys = Keys::default();
        keys.heading(heading);
        keys.when("order", ORDER[1], *keeps_order);
        page.section("release", keys)?;
        let mut keys = Keys::default();
        keys.when("attacks", GATE[1], !attacks_refuse);
        page.section("gate", keys)?;
        Ok(page.0.to_string())
    }
}

fn sensitive_items(items: &SensitiveItems, folder: &Path) -> Result<Raw> {
    let mut keys = Keys::default();
    match items {
        SensitiveItems::File(path) => keys.path("file", Some(path), folder)?,
        SensitiveItems::Items(names) => keys.texts("items", names),
        SensitiveItems::Share { share: _, written, seed } => {
            if i64::try_from(*seed).is_err() {
                return Err(unsayable("a seed above 9223372036854775807"));
            }
            keys.add("share", Raw::Number(written.clone()));
            keys.add("seed", Raw::Number(seed.to_string()));
        }
    }
    Ok(Raw::Table(keys.0))
}

/// What stands for a column: its role alone, or everything that is said of it.
fn column(spec: &ColumnSpec) -> Result<Raw> {
    let ColumnSpec { name, role, rule, sensitive_values, order, value_type, written, line: _, levels, weight, center } =
        spec;
    let mut keys = Keys::default();
    keys.text("role", role.name());
    if let Some(rule) = rule {
        let Some(member) = rule.stated() else {
            return Err(unsayable(&format!("the hierarchy of column \"{name}\", which was made in code")));
        };
        keys.add("hierarchy", hierarchy(member));
    }
    if let Some((low, high)) = levels {
        keys.add("levels", Raw::List([low, high].map(|level| Raw::Number(level.to_string())).to_vec()));
    }
    keys.some("label", center.map(|center| Raw::from(center.name())));
    keys.some("weight", (*weight != Weight::ONE).then(|| Raw::Number(weight.to_string())));
    keys.filled("sensitive_values", sensitive_values);
    keys.filled("order", order);
    keys.some("type", value_type.map(|wanted| Raw::from(wanted.name())));
    match written {
        Some(Written::Dates(pattern)) => keys.text("dates", &pattern.to_string()),
        Some(Written::Decimal(mark)) => keys.text("decimal", &mark.letter().to_string()),
        None => {}
    }
    match keys.0.as_slice() {
        [_] => Ok(Raw::from(role.name())),
        _ => Ok(Raw::Table(keys.0)),
    }
}

/// The key that bears the kind's name chooses it, so it is always there.
fn hierarchy<B>(member: &Member<B>) -> Raw {
    let mut written = member.written();
    if !written.iter().any(|(name, _)| *name == member.kind.name) {
        let own = member.params.iter().find(|(name, _)| *name == member.kind.name);
        written.extend(own.map(|(name, setting)| (name, setting.raw())));
    }
    Raw::Table(written.into_iter().map(|(name, raw)| (name.to_string(), raw)).collect())
}

fn write_publishing(page: &mut Page, publishing: &Publishing) -> Result<()> {
    let Publishing {
        heading,
        method,
        metric,
        max_suppressed,
        recoding: Recoding { form, suppressed, insensitive },
        accepted,
        format,
        formulas,
        says_formulas,
        skew: Skew { method: skew_method, l, on },
        gate: Gate { refuses, max_belief, max_risk },
        attacks,
        target,
        workload,
        among: _,
        chance: _,
    } = publishing;
    let mut keys = Keys::member("name", method);
    let is_usual = *metric.kind == *utility::DEFAULT && metric.is_default();
    keys.some("metric", (!is_usual).then(|| metric_of(metric)));
    page.section("method", keys)?;

    let mut keys = Keys::default();
    keys.heading(heading);
    keys.when("form", form.name(), *form != Form::default());
    keys.share("max_suppressed", *max_suppressed)?;
    keys.when("suppressed", SUPPRESSED[*suppressed as usize], *suppressed != Suppressed::default());
    keys.when("insensitive", INSENSITIVE[*insensitive as usize], *insensitive != Insensitive::default());
    if !accepted.is_empty() {
        let mut accept = Keys::default();
        accept.texts("accept", accepted);
        keys.add("insensitive", Raw::Table(accept.0));
    }
    keys.when("format", format, format != FORMAT);
    keys.when("formulas", FORMULAS[*formulas as usize], *says_formulas);
    page.section("release", keys)?;

    let mut keys = Keys::default();
    keys.some("method", skew_method.map(|kind: &Kind<_>| Raw::from(kind.name)));
    keys.some("l", l.map(|l| Raw::Number(l.to_string())));
    keys.some("on", on.as_deref().map(Raw::from));
    page.section("skew", keys)?;

    let mut keys = Keys::default();
    keys.when("attacks", GATE[1], !refuses);
    keys.share("max_belief", *max_belief)?;
    keys.share("max_risk", *max_risk)?;
    page.section("gate", keys)?;

    for Attempt { attack, max_belief, is_named: _ } in attacks.iter().filter(|attempt| attempt.is_named) {
        let mut keys = Keys::member("attack", attack);
        keys.share("max_belief", *max_belief)?;
        page.entry("attack", keys)?;
    }

    if let Some(target) = target {
        let mut keys = Keys::default();
        keys.text("metric", CLASSIFICATION);
        keys.text("target", target);
        page.entry("utility", keys)?;
    }
    if let Some(workload) = workload {
        let mut keys = Keys::default();
        keys.text("metric", QUERIES);
        keys.add("queries", Raw::Number(workload.queries.to_string()));
        keys.add("dimensions", Raw::Number(workload.dimensions.to_string()));
        keys.share("selectivity", Some(workload.selectivity))?;
        page.entry("utility", keys)?;
    }
    Ok(())
}

/// A metric: its name alone, or with parameters.
fn metric_of<B>(metric: &Member<B>) -> Raw {
    match metric.is_default() {
        true => Raw::from(metric.kind.name),
        false => Raw::Table(Keys::member("name", metric).0),
    }
}

fn unsayable(what: &str) -> Error {
    Error::plan(format!("no plan can say {what}"))
}

/// Keys of a section with their values.
#[derive(Default)]
struct Keys(Vec<(String, Raw)>);

impl Keys {
    /// A member under the key that names it, and its parameters.
    fn member<B>(key: &str, member: &Member<B>) -> Keys {
        let mut keys = Keys::default();
        keys.text(key, member.kind.name);
        keys.params(member);
        keys
    }

    fn heading(&mut self, Heading { title, date }: &Heading) {
        self.some("title", title.as_deref().map(Raw::from));
        self.some("date", date.as_deref().map(Raw::from));
    }

    fn params<B>(&mut self, member: &Member<B>) {
        self.0.extend(member.written().into_iter().map(|(name, raw)| (name.to_string(), raw)));
    }

    fn add(&mut self, key: &str, value: Raw) {
        self.0.push((key.to_string(), value));
    }

    fn some(&mut self, key: &str, value: Option<Raw>) {
        self.0.extend(value.map(|value| (key.to_string(), value)));
    }

    fn text(&mut self, key: &str, text: &str) {
        self.add(key, Raw::from(text));
    }

    fn when(&mut self, key: &str, word: &str, is_said: bool) {
        self.some(key, is_said.then(|| Raw::from(word)));
    }

    fn texts(&mut self, key: &str, texts: &[String]) {
        self.add(key, Raw::List(texts.iter().map(|text| Raw::from(text.as_str())).collect()));
    }

    /// A list, unless it is empty.
    fn filled(&mut self, key: &str, texts: &[String]) {
        if !texts.is_empty() {
            self.texts(key, texts);
        }
    }

    fn share(&mut self, key: &str, share: Option<Fraction>) -> Result<()> {
        let Some(share) = share else { return Ok(()) };
        let number = Decimal::of(share).ok_or_else(|| unsayable(&format!("`{key}`, which no decimal is equal to")))?;
        self.add(key, Raw::Number(number.to_string()));
        Ok(())
    }

    /// A file, relative to the folder if it is below it.
    fn path(&mut self, key: &str, path: Option<&Path>, folder: &Path) -> Result<()> {
        let Some(path) = path else { return Ok(()) };
        let text = path.strip_prefix(folder).unwrap_or(path).to_str();
        self.text(key, text.ok_or_else(|| unsayable("a path that is not valid UTF-8"))?);
        Ok(())
    }

    /// How a table is read. Types are said of columns; memory and who follows are no part of plans.
    fn reading(&mut self, options: &ReadOptions) {
        let ReadOptions {
            delimiter,
            encoding,
            part,
            names,
            header,
            trim,
            missing,
            types: _,
            written: _,
            as_stored: _,
            memory: _,
            watcher: _,
        } = options;
        let usual = ReadOptions::default();
        if *missing != usual.missing {
            self.texts("missing", missing);
        }
        self.some("delimiter", delimiter.map(|byte| Raw::Text(char::from(byte).into())));
        self.some("encoding", encoding.map(|encoding| Raw::Text(encoding.name())));
        if let Some((key, name)) = part.as_ref().map(Part::key) {
            self.text(key, name);
        }
        self.some("header", (*header != usual.header).then_some(Raw::Flag(*header)));
        if let Some(names) = names {
            self.texts("names", names);
        }
        self.some("trim", (*trim != usual.trim).then_some(Raw::Flag(*trim)));
    }

    fn into_table(self) -> Result<Table> {
        let mut table = Table::new();
        for (key, value) in self.0 {
            table.insert(&key, Item::Value(toml(&value)?));
        }
        Ok(table)
    }
}

/// The text as it grows.
#[derive(Default)]
struct Page(DocumentMut);

impl Page {
    /// A section, unless it is empty.
    fn section(&mut self, name: &str, keys: Keys) -> Result<()> {
        if !keys.0.is_empty() {
            self.0.insert(name, Item::Table(keys.into_table()?));
        }
        Ok(())
    }

    fn entry(&mut self, list: &str, keys: Keys) -> Result<()> {
        let entries = self.0.entry(list).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        if let Some(entries) = entries.as_array_of_tables_mut() {
            entries.push(keys.into_table()?);
        }
        Ok(())
    }

    fn members<B>(&mut self, list: &str, key: &str, members: &[Member<B>]) -> Result<()> {
        members.iter().try_for_each(|member| self.entry(list, Keys::member(key, member)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::On;
    use crate::transactions::{criterion as set_criterion, method as set_method};
    use crate::{anonymize, attack as table_attack, criterion, data::hierarchy, skew};
    use std::fs;

    /// A folder with the files that the examples of hierarchies name.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("country.csv"), "a;x;*\nb;x;*\n").unwrap();
        fs::write(folder.path().join("occupation.csv"), "a;x\nb;x\n").unwrap();
        fs::write(folder.path().join("zip3.csv"), "130,30000\n").unwrap();
        folder
    }

    /// The plan that the text is, which has to be the same once it is written and read again.
    fn same_again(text: &str, folder: &Path) -> Plan {
        let plan = Plan::parse(text, folder).unwrap_or_else(|error| panic!("{text}\n{error}"));
        let written = plan.to_toml().unwrap_or_else(|error| panic!("{text}\n{error}"));
        let again = Plan::parse(&written, folder).unwrap_or_else(|error| panic!("{text}\n-->\n{written}\n{error}"));
        assert!(again == plan, "{text}\n-->\n{written}");
        assert_eq!(again.to_toml().unwrap(), written);
        plan
    }

    fn example<B>(kind: &Kind<B>) -> String {
        kind.example.iter().map(|(name, value)| format!("{name} = {value}\n")).collect()
    }

    const TABLE: &str =
        "[columns]\nzip = \"quasi\"\ndisease = \"sensitive\"\ndrug = \"sensitive\"\nnote = \"insensitive\"\n";
    const SETS: &str = "[data]\nkind = \"transactions\"\nsensitive = { items = [\"a\"] }\n";

    #[test]
    fn every_member_for_tables_is_written_as_it_was_read() {
        let folder = folder();
        let same = |text: String| drop(same_again(&format!("{TABLE}{text}"), folder.path()));
        for kind in criterion::KINDS {
            let on = if kind.build.on == On::Column { "on = \"disease\"\n" } else { "" };
            same(format!("[[require]]\ncriterion = \"{}\"\n{on}{}", kind.name, example(kind)));
        }
        for kind in anonymize::KINDS {
            same(format!("[method]\nname = \"{}\"\n{}", kind.name, example(kind)));
        }
        for kind in utility::KINDS {
            let params: String = kind.example.iter().map(|(name, value)| format!(", {name} = {value}")).collect();
            same(format!("[method]\nname = \"optimal\"\nmetric = {{ name = \"{}\"{params} }}\n", kind.name));
        }
        for kind in table_attack::KINDS {
            // Those on suppression want something to be withheld.
            let skew = skew::KINDS.into_iter().find(|kind| skew::make(kind).is_publishable()).unwrap().name;
            let skew = format!("[skew]\nmethod = \"{skew}\"\nl = 3\non = \"disease\"\n");
            same(format!("{skew}[[attack]]\nattack = \"{}\"\nmax_belief = \"12.5%\"\n{}", kind.name, example(kind)));
        }
        for kind in hierarchy::KINDS {
            let params =
                kind.example.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
            let text =
                format!("[columns]\na = {{ role = \"quasi\", hierarchy = {{ {params} }}, order = [\"b\", \"a\"] }}\n");
            let plan = same_again(&text, folder.path()).table().unwrap();
            assert_eq!(plan.schema.columns()[0].rule.as_ref().unwrap().stated().unwrap().kind.name, kind.name);
        }
        for kind in skew::KINDS.into_iter().filter(|kind| skew::make(kind).is_publishable()) {
            same(format!("[skew]\nmethod = \"{}\"\n", kind.name));
        }
    }

    #[test]
    fn every_member_for_sets_is_written_as_it_was_read() {
        let folder = folder();
        let same = |text: String| drop(same_again(&format!("{SETS}{text}"), folder.path()));
        let entry = |list: &str, key: &str, name: &str, params: String| {
            same(format!("[[{list}]]\n{key} = \"{name}\"\n{params}"))
        };
        set_criterion::KINDS.iter().for_each(|kind| entry("require", "criterion", kind.name, example(kind)));
        set_method::KINDS
            .iter()
            .for_each(|kind| same(format!("[method]\nname = \"{}\"\n{}", kind.name, example(kind))));
        attack::KINDS.iter().for_each(|kind| entry("attack", "attack", kind.name, example(kind)));
        metric::KINDS.iter().for_each(|kind| entry("utility", "metric", kind.name, example(kind)));
    }

    #[test]
    fn every_key_is_written_as_it_was_read() {
        let folder = folder();
        for text in [
            "[columns]\n",
            "[data]\npath = \"../x y.csv\"\nmissing = [\"\", \"?\"]\ndelimiter = \"\\t\"\nheader = false\nnames = [\"a\"]\ntrim = true\n\
             [columns]\n\"a b\" = { role = \"quasi\", type = \"integer\", levels = [0, 1], weight = 2.50 }\n\
             e = { role = \"quasi\", weight = \"0.125\" }\n\
             c = { role = \"sensitive\", sensitive_values = [\"1\", \"\\\"\"], order = [\"x\"] }\n\
             [release]\ntitle = \"Patients\"\ndate = 2026-11-18\nmax_suppressed = \"2%\"\nsuppressed = \"starred\"\ninsensitive = \"drop\"\nformat = \"tsv\"\nformulas = \"escape\"\n\
             [gate]\nattacks = \"report\"\nmax_belief = 1\nmax_risk = 0.0625\n\
             [[utility]]\nmetric = \"classification\"\ntarget = \"c\"\n[[utility]]\nmetric = \"queries\"\nqueries = 10\ndimensions = 1\nselectivity = 0.1\n",
            "[data]\npath = \"/data/x.csv\"\nmissing = []\n[columns]\na = \"quasi\"\nb = \"sensitive\"\nn = \"insensitive\"\n\
             [method]\nname = \"mondrian\"\n[release]\nform = \"bucketized\"\ninsensitive = { accept = [\"n\"] }\n",
            "[data]\nkind = \"transactions\"\npath = \"x.dat\"\ndelimiter = \"☂\"\nsensitive = { file = \"names.txt\" }\n",
            "[data]\nkind = \"transactions\"\nperson = \"who\"\nitem = \"what\"\ntrim = true\nsensitive = { share = \"40%\", seed = 7 }\n\
             [release]\ntitle = \"Baskets\"\norder = \"input\"\n[gate]\nattacks = \"report\"\n",
        ] {
            same_again(text, folder.path());
        }
    }

    /// Every plan of the guide and of the README, with the sections that the text leaves out.
    #[test]
    fn plans_of_the_guide_are_written_as_they_were_read() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut pages = vec![root.join("README.md")];
        for folder in ["docs/guide", "docs/guide/reference"] {
            pages.extend(fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()));
        }
        let mut plans = 0;
        for page in pages.iter().filter(|page| page.extension().is_some_and(|ending| ending == "md")) {
            let text = fs::read_to_string(page).unwrap();
            for block in text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()) {
                for text in [block.to_string(), format!("{TABLE}{block}"), format!("{SETS}{block}")] {
                    if Plan::parse(&text, Path::new(".")).is_ok() {
                        same_again(&text, Path::new("."));
                        plans += 1;
                    }
                }
            }
        }
        assert!(plans > 8, "only {plans}");
    }

    #[test]
    fn what_no_plan_can_say_is_refused() {
        let mut plan = TablePlan::parse(TABLE, Path::new(".")).unwrap();
        plan.publishing.max_suppressed = Some(Fraction::new(1, 3));
        assert!(plan.to_toml().unwrap_err().to_string().contains("max_suppressed"));
        let text = SETS.replace("items = [\"a\"]", "share = 0.4, seed = 18446744073709551615");
        let error = SetPlan::parse(&text, Path::new(".")).unwrap().to_toml().unwrap_err();
        assert!(error.to_string().contains("a seed above"), "{error}");
    }
}
