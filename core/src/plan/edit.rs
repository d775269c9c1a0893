//! Plans edited as text: comments, order and layout of everything else stay.
//!
//! An edit is data, so that a page in a browser or a script in another language can make it. Edits
//! are made together or not at all: [`Document::apply`] checks the outcome as any plan is checked,
//! and a plan that would be wrong leaves the text as it was. Names of sections, keys and members
//! are known to that check alone.

use super::section::{line_of, toml};
use super::{Plan, not_toml, read_text};
use crate::error::{Error, Result};
use crate::kind::Raw;
use std::path::{Path, PathBuf};
use toml_edit::{ArrayOfTables, Decor, DocumentMut, InlineTable, Item, Table, TableLike, Value};

/// The text of a plan, to be edited.
///
/// ```
/// use sfumato::kind::Raw;
/// use sfumato::plan::edit::{Document, Edit, PlanPart};
///
/// let mut document = Document::parse(r#"
/// [columns]
/// zip     = "quasi"      # five digits
/// disease = "sensitive"
///
/// [[require]]            # nobody stands alone
/// criterion = "k-anonymity"
/// k = 3
/// "#, ".".as_ref())?;
///
/// let (five, levels) = (Raw::Number("5".into()), Raw::Table(vec![("redact".into(), Raw::Number("5".into()))]));
/// document.apply(&[
///     Edit::Set(PlanPart::Entry("require", 0), "k", five),
///     Edit::Set(PlanPart::Column("zip"), "hierarchy", levels),
/// ])?;
/// assert_eq!(document.text(), r#"
/// [columns]
/// zip     = { role = "quasi", hierarchy = { redact = 5 } }      # five digits
/// disease = "sensitive"
///
/// [[require]]            # nobody stands alone
/// criterion = "k-anonymity"
/// k = 5
/// "#);
///
/// let wrong = document.apply(&[Edit::Set(PlanPart::Section("gate"), "max_rik", Raw::Number("0.2".into()))]);
/// assert!(wrong.err().unwrap().to_string().contains("did you mean \"max_risk\"?"));
/// assert!(!document.text().contains("gate"));
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    text: String,
    folder: PathBuf,
}

/// A part of a plan that holds keys. Sections and columns that are missing are made when a key of
/// theirs is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanPart<'a> {
    /// A section with this name, such as `[release]`.
    Section(&'a str),
    /// A column with this name: an entry of `[columns]`.
    Column(&'a str),
    /// An entry of a list such as `[[require]]`: its name and the position, from 0.
    Entry(&'a str, usize),
}

/// One edit of a plan. A comment directly above something that goes, goes with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit<'a> {
    /// Gives a key a value, whether or not it has one. A column that was given by its role alone
    /// becomes a table.
    Set(PlanPart<'a>, &'a str, Raw),
    /// Removes a key.
    Unset(PlanPart<'a>, &'a str),
    /// Lets a part hold these keys and no others: a method with its parameters, another criterion.
    Write(PlanPart<'a>, Vec<(&'a str, Raw)>),
    /// Removes a part.
    Delete(PlanPart<'a>),
    /// Adds an entry to the end of a list such as `[[require]]`.
    Append(&'a str, Vec<(&'a str, Raw)>),
    /// Adds an entry at a position of a list, from 0; those from there on move.
    Insert(&'a str, usize, Vec<(&'a str, Raw)>),
}

impl Document {
    /// The text of a plan file.
    pub fn read(path: &Path) -> Result<Document> {
        let (text, folder) = read_text(path)?;
        Document::parse(&text, folder).map_err(|error| error.file(path))
    }

    /// A text, which has to be TOML; files are relative to the folder. It need not be a plan yet,
    /// but after the first edit it has to.
    pub fn parse(text: &str, folder: &Path) -> Result<Document> {
        parse(text)?;
        Ok(Document { text: text.to_string(), folder: folder.to_owned() })
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The plan that the text is.
    pub fn check(&self) -> Result<Plan> {
        Plan::parse(&self.text, &self.folder)
    }

    /// Makes all of these edits, one after the other, and gives the plan that comes out. If one
    /// cannot be made, or the plan that comes out is wrong, none is made; the line that the error
    /// names is one of the text that was refused.
    pub fn apply(&mut self, edits: &[Edit<'_>]) -> Result<Plan> {
        // Lines are written with \n: a file of the other kind stays of its kind.
        let is_crlf = self.text.contains("\r\n");
        let mut text = if is_crlf { self.text.replace("\r\n", "\n") } else { self.text.clone() };
        for edit in edits {
            let mut document = parse(&text)?;
            edit.make(&mut document)?;
            let edited = document.to_string();
            text = match edit {
                Edit::Unset(..) | Edit::Delete(_) => with_detached_comments(&text, edited),
                _ => edited,
            };
        }
        if is_crlf {
            text = text.replace('\n', "\r\n");
        }
        let plan = Plan::parse(&text, &self.folder)?;
        self.text = text;
        Ok(plan)
    }
}

fn parse(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        not_toml(error.message(), line)
    })
}

impl Edit<'_> {
    fn make(&self, document: &mut DocumentMut) -> Result<()> {
        match self {
            Edit::Set(part, key, value) => match part.column_of_role(document, &[key]) {
                Some(column) => set(section(document, COLUMNS)?, column, toml(value)?),
                None => set(part.find_or_make(document)?, key, toml(value)?),
            },
            Edit::Unset(part, key) => {
                let keys = part.find(document)?;
                unset(keys, key, &part.name())
            }
            Edit::Write(part, keys) => part.write(document, keys),
            Edit::Delete(part) => part.delete(document),
            Edit::Append(list, keys) => {
                let at = entries(document, list)?.map_or(0, |entries| entries.len());
                insert(document, list, at, keys)
            }
            Edit::Insert(list, at, keys) => insert(document, list, *at, keys),
        }
    }
}

/// The section in which columns are.
const COLUMNS: &str = "columns";
/// The key that a column given as a text has.
const ROLE: &str = "role";

impl<'a> PlanPart<'a> {
    /// What errors call it.
    fn name(self) -> String {
        match self {
            PlanPart::Section(name) => format!("[{name}]"),
            PlanPart::Column(name) => format!("column \"{name}\""),
            PlanPart::Entry(list, at) => format!("[[{list}]] {}", at + 1),
        }
    }

    /// The column, if it is one that is given by its role alone, or could be with these keys.
    fn column_of_role(self, document: &DocumentMut, keys: &[&str]) -> Option<&'a str> {
        let PlanPart::Column(name) = self else { return None };
        let written = document.get(COLUMNS).and_then(|columns| columns.get(name));
        (keys == [ROLE] && written.is_none_or(Item::is_str)).then_some(name)
    }

    /// The keys of a part that is there.
    fn find(self, document: &mut DocumentMut) -> Result<&mut dyn TableLike> {
        let is_there = match self {
            PlanPart::Section(name) => document.contains_key(name),
            PlanPart::Column(name) => document.get(COLUMNS).is_some_and(|columns| columns.get(name).is_some()),
            PlanPart::Entry(..) => true,
        };
        match is_there {
            true => self.find_or_make(document),
            false => Err(Error::plan(format!("the plan has no {}", self.name()))),
        }
    }

    fn find_or_make(self, document: &mut DocumentMut) -> Result<&mut dyn TableLike> {
        let name = self.name();
        let no_keys = || Error::plan(format!("{name} holds no keys")).help("an edit names a section, column or entry");
        match self {
            PlanPart::Section(section_name) => section(document, section_name),
            PlanPart::Column(column) => {
                let columns = section(document, COLUMNS)?;
                let item = columns.entry(column).or_insert_with(|| InlineTable::new().into());
                spell_out(item);
                item.as_table_like_mut().ok_or_else(no_keys)
            }
            PlanPart::Entry(list, at) => {
                let found = entries(document, list)?;
                let count = found.as_ref().map_or(0, |entries| entries.len());
                let entry = found.and_then(|entries| entries.get_mut(at));
                entry.map(|entry| entry as &mut dyn TableLike).ok_or_else(|| no_entry(list, at, count))
            }
        }
    }

    fn write(self, document: &mut DocumentMut, keys: &[(&str, Raw)]) -> Result<()> {
        let names: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
        if let (Some(column), [(_, role)]) = (self.column_of_role(document, &names), keys) {
            return set(section(document, COLUMNS)?, column, toml(role)?);
        }
        let table = self.find_or_make(document)?;
        let gone: Vec<String> =
            table.iter().filter(|(key, _)| !names.contains(key)).map(|(key, _)| key.to_string()).collect();
        for key in gone {
            unset(table, &key, "")?;
        }
        keys.iter().try_for_each(|(key, value)| set(table, key, toml(value)?))
    }

    fn delete(self, document: &mut DocumentMut) -> Result<()> {
        match self {
            PlanPart::Section(name) => unset(document.as_table_mut(), name, "the plan"),
            PlanPart::Column(name) => unset(section(document, COLUMNS)?, name, "[columns]"),
            PlanPart::Entry(list, at) => {
                self.find(document)?;
                let entries = entries(document, list)?.expect("it has the entry");
                entries.remove(at);
                if entries.is_empty() {
                    document.remove(list);
                }
                Ok(())
            }
        }
    }
}

fn no_entry(list: &str, at: usize, count: usize) -> Error {
    let error = Error::plan(format!("there is no [[{list}]] at position {at}"));
    error.help(match count {
        0 => "the plan has none".to_string(),
        _ => format!("the plan has {count}; positions are counted from 0"),
    })
}

/// A section; made at the end of the text if it is missing.
fn section<'d>(document: &'d mut DocumentMut, name: &str) -> Result<&'d mut dyn TableLike> {
    if !document.contains_key(name) {
        let table = at_the_end(document, Table::new());
        document.insert(name, Item::Table(table));
    }
    let error = || Error::plan(format!("`{name}` is no section")).help("an edit of a list names the entry");
    document[name].as_table_like_mut().ok_or_else(error)
}

/// The entries of a list, if the plan has it.
fn entries<'d>(document: &'d mut DocumentMut, list: &str) -> Result<Option<&'d mut ArrayOfTables>> {
    let Some(item) = document.get_mut(list) else { return Ok(None) };
    let error = || Error::plan(format!("`{list}` cannot be edited by entries")).help(format!("write [[{list}]]"));
    item.as_array_of_tables_mut().map(Some).ok_or_else(error)
}

fn insert(document: &mut DocumentMut, list: &str, at: usize, keys: &[(&str, Raw)]) -> Result<()> {
    let mut table = Table::new();
    keys.iter().try_for_each(|(key, value)| set(&mut table, key, toml(value)?))?;
    let last = last_position(document.as_table());
    let positions = entries(document, list)?.map(|entries| entries.iter().map(Table::position).collect::<Vec<_>>());
    let positions = positions.unwrap_or_default();
    match positions.get(at) {
        // Before the entry that is there: of equal positions the first in the list comes first.
        Some(position) => table.set_position(*position),
        None if at > positions.len() => return Err(no_entry(list, at, positions.len())),
        None if positions.last().is_none_or(|position| *position == Some(last)) => table = at_the_end(document, table),
        // Without a position it follows the entry before it.
        None => {}
    }
    let item = document.entry(list).or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    item.as_array_of_tables_mut().expect("it is a list of entries").insert(at, table);
    Ok(())
}

/// The table placed behind everything, also behind comments at the end of the text.
fn at_the_end(document: &mut DocumentMut, mut table: Table) -> Table {
    table.set_position(Some(last_position(document.as_table()) + 1));
    let trailing = document.trailing().as_str().unwrap_or_default().to_string();
    if !trailing.trim().is_empty() {
        table.decor_mut().set_prefix(format!("{}\n\n", trailing.trim_end()));
        document.set_trailing("");
    }
    table
}

/// The position of the last table of the text.
fn last_position(table: &Table) -> isize {
    let inside = table.iter().map(|(_, item)| match item {
        Item::Table(table) => last_position(table),
        Item::ArrayOfTables(entries) => entries.iter().map(last_position).max().unwrap_or(0),
        _ => 0,
    });
    inside.max().unwrap_or(0).max(table.position().unwrap_or(0))
}

/// A column given by its role alone, as a table.
fn spell_out(item: &mut Item) {
    let Item::Value(role @ Value::String(_)) = item else { return };
    let decor = role.decor().clone();
    role.decor_mut().clear();
    let mut table = InlineTable::new();
    table.insert(ROLE, role.clone());
    *role = Value::InlineTable(table);
    *role.decor_mut() = decor;
}

/// Gives a key a value; what stands around the old one, such as a comment behind it, stays.
fn set(table: &mut dyn TableLike, key: &str, mut value: Value) -> Result<()> {
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = value;
            *old.decor_mut() = decor;
        }
        Some(item) => *item = Item::Value(value),
        None => {
            if let Some(last) = last_value(table).filter(|last| ends_blank(last)) {
                last.decor_mut().set_suffix("");
                *value.decor_mut() = Decor::new(" ", " ");
            }
            table.insert(key, Item::Value(value));
        }
    }
    Ok(())
}

fn unset(table: &mut dyn TableLike, key: &str, name: &str) -> Result<()> {
    let Some(gone) = table.remove(key) else {
        let known: Vec<String> = table.iter().map(|(key, _)| key.to_string()).collect();
        return Err(Error::unknown(format!("{name} has no \"{key}\""), key, known.iter().map(String::as_str)));
    };
    if gone.as_value().is_some_and(ends_blank)
        && let Some(last) = last_value(table)
    {
        last.decor_mut().set_suffix(" ");
    }
    Ok(())
}

fn last_value(table: &mut dyn TableLike) -> Option<&mut Value> {
    table.iter_mut().last().and_then(|(_, item)| item.as_value_mut())
}

/// Whether the blank before the brace of an inline table belongs to this value: it is the last.
fn ends_blank(value: &Value) -> bool {
    value.decor().suffix().and_then(|suffix| suffix.as_str()) == Some(" ")
}

/// The edited text with the comments of what went that an empty line separates from it: they are
/// about more than that.
fn with_detached_comments(before: &str, after: String) -> String {
    let [old, new] = [before, &after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let gone = &old[start..];
    let is_apart = |line: &&&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let apart = gone.iter().take_while(is_apart).count().min(old.len() - new.len().min(old.len()));
    let Some(end) = gone[..apart].iter().rposition(|line| line.trim().is_empty()) else { return after };
    if gone[..end].iter().all(|line| line.trim().is_empty()) {
        return after;
    }
    [&new[..start], &gone[..=end], &new[start..]].concat().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = "\
# Patients of 2024. Ask the custodian before changing anything.

[data]
path = \"patients.csv\"   # delivered monthly

[columns]
name    = \"identifier\"
zip     = \"quasi\"       # five digits
\"marital status\" = { role = \"quasi\", levels = [0, 1] }
disease = \"sensitive\"

# What must hold.

[[require]]
criterion = \"k-anonymity\"
k = 3   # the least

# Two values at least.
[[require]]
criterion = \"distinct-l-diversity\"
l = 2

[method] # the best
name = \"optimal\"
# [gate]
# max_risk = 0.2
";

    fn document() -> Document {
        Document::parse(PLAN, Path::new(".")).unwrap()
    }

    fn number(text: &str) -> Raw {
        Raw::Number(text.into())
    }

    /// The lines that went and the lines that came.
    fn changes(edits: &[Edit<'_>]) -> (Vec<String>, Vec<String>) {
        let mut document = document();
        document.apply(edits).unwrap_or_else(|error| panic!("{edits:?}: {error}"));
        let lines = |text: &str, other: &str| -> Vec<String> {
            text.lines().filter(|line| !other.lines().any(|known| known == *line)).map(str::to_string).collect()
        };
        (lines(PLAN, document.text()), lines(document.text(), PLAN))
    }

    fn check(edits: &[Edit<'_>], gone: &[&str], came: &[&str]) {
        assert_eq!(
            changes(edits),
            (gone.iter().map(|l| l.to_string()).collect(), came.iter().map(|l| l.to_string()).collect()),
            "{edits:?}"
        );
    }

    fn refused(edits: &[Edit<'_>], expected: &[&str]) {
        let mut document = document();
        let message = document.apply(edits).err().unwrap_or_else(|| panic!("{edits:?} is refused")).to_string();
        assert_eq!(document.text(), PLAN, "a refused edit changes nothing");
        for part in expected {
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
    }

    #[test]
    fn nothing_changes_without_an_edit() {
        let mut document = document();
        document.apply(&[]).unwrap();
        assert_eq!(document.text(), PLAN);
        assert_eq!(document.check().unwrap().table().unwrap().requirements.len(), 2);
    }

    #[test]
    fn keys_are_set_where_they_stand() {
        use PlanPart::*;
        check(&[Edit::Set(Entry("require", 0), "k", number("5"))], &["k = 3   # the least"], &["k = 5   # the least"]);
        let path = Edit::Set(Section("data"), "path", Raw::from("b.csv"));
        check(&[path], &["path = \"patients.csv\"   # delivered monthly"], &["path = \"b.csv\"   # delivered monthly"]);
        check(&[Edit::Set(Section("data"), "trim", Raw::Flag(true))], &[], &["trim = true"]);
        check(&[Edit::Unset(Section("data"), "path")], &["path = \"patients.csv\"   # delivered monthly"], &[]);
    }

    #[test]
    fn a_column_becomes_a_table_when_more_is_said_of_it() {
        use PlanPart::Column;
        let zip = "zip     = \"quasi\"       # five digits";
        check(
            &[Edit::Set(Column("zip"), "role", "insensitive".into())],
            &[zip],
            &["zip     = \"insensitive\"       # five digits"],
        );
        let hierarchy = Raw::Table(vec![("redact".into(), number("5"))]);
        check(
            &[Edit::Set(Column("zip"), "hierarchy", hierarchy)],
            &[zip],
            &["zip     = { role = \"quasi\", hierarchy = { redact = 5 } }       # five digits"],
        );
        let status = "\"marital status\" = { role = \"quasi\", levels = [0, 1] }";
        let typed = "\"marital status\" = { role = \"quasi\", levels = [0, 1], type = \"text\" }";
        check(&[Edit::Set(Column("marital status"), "type", "text".into())], &[status], &[typed]);
        let bare = "\"marital status\" = { role = \"quasi\" }";
        check(&[Edit::Unset(Column("marital status"), "levels")], &[status], &[bare]);
        check(&[Edit::Set(Column("age group"), "role", "quasi".into())], &[], &["\"age group\" = \"quasi\""]);
        check(&[Edit::Write(Column("zip"), vec![("role", "quasi".into())])], &[], &[]);
        check(&[Edit::Delete(Column("zip"))], &[zip], &[]);
        refused(&[Edit::Unset(Column("zip"), "role")], &["column \"zip\" has no role"]);
        refused(&[Edit::Delete(Column("zipp"))], &["[columns] has no \"zipp\"", "did you mean \"zip\"?"]);
    }

    #[test]
    fn columns_may_be_sections_of_their_own() {
        let text = "[columns.zip] # where\nrole = \"quasi\"\n\n[columns.disease]\nrole = \"sensitive\"\n";
        let mut document = Document::parse(text, Path::new(".")).unwrap();
        let edits = [
            Edit::Set(PlanPart::Column("zip"), "levels", Raw::List(vec![number("0"), number("1")])),
            Edit::Set(PlanPart::Column("age"), "role", "quasi".into()),
        ];
        let plan = document.apply(&edits).unwrap().table().unwrap();
        assert!(
            document.text().contains("[columns.zip] # where\nrole = \"quasi\"\nlevels = [0, 1]\n"),
            "{}",
            document.text()
        );
        assert_eq!(plan.schema.columns().len(), 3);
    }

    #[test]
    fn entries_come_and_go_by_position() {
        let positions = |edits: &[Edit<'_>]| {
            let mut document = document();
            let plan = document.apply(edits).unwrap().table().unwrap();
            let names = plan.requirements.iter().map(|wanted| wanted.criterion.kind.name).collect::<Vec<_>>().join(" ");
            (names, document.text().to_string())
        };
        let keys = || vec![("criterion", Raw::from("t-closeness")), ("t", number("0.20"))];
        let (first, second) = ("k-anonymity", "distinct-l-diversity");
        assert_eq!(positions(&[Edit::Append("require", keys())]).0, format!("{first} {second} t-closeness"));
        assert_eq!(positions(&[Edit::Insert("require", 1, keys())]).0, format!("{first} t-closeness {second}"));
        let (names, text) = positions(&[Edit::Insert("require", 0, keys())]);
        assert_eq!(names, format!("t-closeness {first} {second}"));
        assert!(text.contains("t = 0.20\n"), "digits stay: {text}");
        let (names, text) = positions(&[Edit::Delete(PlanPart::Entry("require", 0))]);
        assert_eq!(names, second);
        assert!(text.contains("# What must hold.\n\n# Two values at least.\n[[require]]"), "{text}");
        let (names, text) = positions(&[Edit::Delete(PlanPart::Entry("require", 1))]);
        assert_eq!(names, first);
        assert!(!text.contains("Two values"), "a comment directly above goes with it: {text}");
        assert_eq!(positions(&[Edit::Write(PlanPart::Entry("require", 0), keys())]).0, format!("t-closeness {second}"));
        let both = || Edit::Delete(PlanPart::Entry("require", 0));
        assert_eq!(positions(&[both(), both()]).0, "");
        refused(&[Edit::Delete(PlanPart::Entry("require", 2))], &["position 2", "has 2"]);
        refused(&[Edit::Insert("require", 3, keys())], &["position 3"]);
        refused(&[Edit::Insert("attack", 1, keys())], &["position 1", "has none"]);
    }

    #[test]
    fn a_method_is_set_with_its_parameters() {
        let write = |keys| Edit::Write(PlanPart::Section("method"), keys);
        check(
            &[write(vec![("name", "incognito".into()), ("budget", number("10"))])],
            &["name = \"optimal\""],
            &["name = \"incognito\"", "budget = 10"],
        );
        refused(&[write(vec![("name", "incognit".into())])], &["line 24", "did you mean \"incognito\"?"]);
        refused(&[write(vec![("name", "incognito".into()), ("budgt", number("10"))])], &["did you mean \"budget\"?"]);
    }

    #[test]
    fn sections_are_made_behind_comments_at_the_end() {
        let edits = [Edit::Set(PlanPart::Section("gate"), "max_risk", number("0.5"))];
        check(&edits, &[], &["[gate]", "max_risk = 0.5"]);
        let mut document = document();
        document.apply(&edits).unwrap();
        assert!(
            document.text().ends_with("# [gate]\n# max_risk = 0.2\n\n[gate]\nmax_risk = 0.5\n"),
            "{}",
            document.text()
        );
        document.apply(&[Edit::Delete(PlanPart::Section("gate"))]).unwrap();
        assert!(!document.text().contains("\n[gate]"));
        let attack = Edit::Append("attack", vec![("attack", "homogeneity".into())]);
        check(&[attack], &[], &["[[attack]]", "attack = \"homogeneity\""]);
    }

    #[test]
    fn edits_are_made_together_or_not_at_all() {
        let metric = Edit::Set(PlanPart::Section("method"), "metric", "loss".into());
        let groups = Edit::Set(PlanPart::Section("method"), "name", "mondrian".into());
        refused(&[metric.clone(), groups.clone()], &["[method] `metric` has no effect"]);
        changes(&[metric, groups, Edit::Unset(PlanPart::Section("method"), "metric")]);
        let column = Edit::Set(PlanPart::Column("zip"), "levls", number("1"));
        refused(&[Edit::Delete(PlanPart::Column("name")), column], &["did you mean \"levels\"?"]);
        refused(&[Edit::Set(PlanPart::Section("gat"), "attacks", "report".into())], &["did you mean \"gate\"?"]);
        refused(&[Edit::Set(PlanPart::Section("require"), "k", number("2"))], &["no section"]);
        refused(&[Edit::Unset(PlanPart::Section("gate"), "attacks")], &["the plan has no [gate]"]);
        refused(&[Edit::Append("method", Vec::new())], &["write [[method]]"]);
        refused(&[Edit::Set(PlanPart::Section("data"), "path", Raw::Other("a date"))], &["a date cannot be written"]);
    }

    #[test]
    fn plans_about_sets_are_edited_alike() {
        let text = "[data]\nkind = \"transactions\"\nsensitive = { items = [\"a\"] } # one\n";
        let mut document = Document::parse(text, Path::new(".")).unwrap();
        let items = Raw::Table(vec![("items".into(), Raw::List(vec!["a".into(), "b".into()]))]);
        let edits = [
            Edit::Set(PlanPart::Section("data"), "sensitive", items),
            Edit::Append("utility", vec![("metric", "kl".into())]),
        ];
        let plan = document.apply(&edits).unwrap().sets().unwrap();
        assert_eq!(plan.metrics.len(), 1);
        assert!(
            document
                .text()
                .starts_with("[data]\nkind = \"transactions\"\nsensitive = { items = [\"a\", \"b\"] } # one\n")
        );
    }

    #[test]
    fn an_empty_text_grows_into_a_plan_and_line_ends_stay() {
        let mut document = Document::parse("# to do\r\n", Path::new(".")).unwrap();
        assert!(document.check().is_err());
        document.apply(&[Edit::Set(PlanPart::Column("zip"), "role", "quasi".into())]).unwrap();
        assert_eq!(document.text(), "# to do\r\n\r\n[columns]\r\nzip = \"quasi\"\r\n");
        let error = Document::parse("[columns]\na = \n", Path::new(".")).unwrap_err();
        assert!(error.to_string().contains("line 2: this is not TOML"), "{error}");
    }
}
