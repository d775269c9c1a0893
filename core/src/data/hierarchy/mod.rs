//! Hierarchies: how a value is made coarser, level by level, up to `*`.
//!
//! A [`Rule`] says how; binding it to a column gives a [`Hierarchy`], whose levels are code maps.
//! Level 0 is the value itself; on the last level there is only one value.

mod cuts;
mod dates;
mod fanout;
mod file;
mod intervals;
mod lifted;
mod parents;
mod population;
mod prefix;
mod redact;
mod ruler;
mod scaled;
mod stated;
mod suppress;

pub(crate) use file::line_numbers;
pub use lifted::Lifted;
pub use ruler::Ruler;

use super::{Column, Dictionary, Domain, Encoding, Lexicon};
use crate::error::{Error, Result};
use crate::kind::{self, Kind, Member, Raw};
use std::path::Path;

/// The label of the top of every hierarchy.
pub const TOP: &str = "*";

/// A way to make values coarser, before it meets a column.
pub trait Rule: Send + Sync {
    /// The generalizations of every value of the column, most specific first; missing values are
    /// left to the caller unless listed.
    fn ladder(&self, column: &Column) -> Result<Ladder>;

    /// Whether a text is one of the rule's labels above the base values: how a table already
    /// recoded is told from a wrong one.
    fn makes(&self, label: &str) -> bool;

    /// The label of everything from the interval that holds one value to the one that holds
    /// another, on a level above the values. `None` if the labels of the rule are no intervals of
    /// an order.
    fn span(&self, _level: usize, _first: &str, _last: &str) -> Option<String> {
        None
    }

    /// Whether labels depend on the order that the plan declares for the values.
    fn goes_by_order(&self) -> bool {
        false
    }

    /// Whether labels hide how large the largest values are, or how small the smallest: from level
    /// 1 on.
    fn is_capped(&self) -> bool {
        false
    }

    /// The file that the rule was read from, if it was.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// What a plan says for the rule; nothing for a rule that no plan can name.
    fn stated(&self) -> Option<&Member<Build>> {
        None
    }

    /// What the width of these published labels is measured by, if the rule knows better than the
    /// column's type. It must not depend on the values of the table.
    fn ruler(&self, _published: &Dictionary, _level: Option<usize>) -> Option<Ruler> {
        None
    }
}

/// How to make a rule, and where a first plan would.
#[derive(Clone, Copy)]
pub struct Build {
    /// Makes a rule from checked parameters; files are relative to the folder.
    pub make: fn(&kind::Params, &Path) -> Result<Box<dyn Rule>>,
    /// What a first plan writes behind the kind's name for a column with these values; `None` if
    /// they do not suggest this kind.
    pub draft: fn(&Domain) -> Option<String>,
}

/// The kinds of hierarchy, in the order in which documentation lists them and drafts try them.
/// In a plan the key that bears a kind's name chooses it.
pub const KINDS: [&Kind<Build>; 10] = [
    &file::KIND,
    &parents::KIND,
    &redact::KIND,
    &prefix::KIND,
    &population::KIND,
    &intervals::KIND,
    &cuts::KIND,
    &dates::KIND,
    &fanout::KIND,
    &suppress::KIND,
];

/// The generalizations of leaves. A leaf is a base value that the hierarchy knows, whether or not
/// the column has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ladder {
    /// For each leaf its labels on levels 1, 2, …: equally many for all.
    pub paths: Vec<Vec<String>>,
    /// For each code of the column its leaf; `None` for a missing value that the rule does not
    /// list.
    pub leaf_of_code: Vec<Option<u32>>,
}

/// Makes a rule from what a plan's `hierarchy = { … }` holds.
///
/// ```
/// use sfumato::data::{Column, hierarchy};
/// use sfumato::kind::Raw;
///
/// let rule = hierarchy::rule(&[("redact", Raw::Number("2".into()))], std::path::Path::new("."))?;
/// let zip = Column::from_values("zip", ["13053", "13068"]);
/// let levels = hierarchy::Hierarchy::bind(&*rule, &zip)?;
/// assert_eq!(levels.label(1, 0), "1305*");
/// assert_eq!(levels.label(levels.height(), 0), "*");
/// # Ok::<(), sfumato::Error>(())
/// ```
pub fn rule(written: &[(&str, Raw)], folder: &Path) -> Result<Box<dyn Rule>> {
    let chosen: Vec<_> =
        KINDS.iter().filter(|kind| written.iter().any(|(name, _)| *name == kind.name)).copied().collect();
    match chosen.as_slice() {
        [kind] => Ok(Box::new(stated::Stated::new(Member::of(kind, written)?, folder)?)),
        [] => {
            let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
            let written = written.first().map_or("", |(name, _)| name);
            let help = crate::error::suggest(written, names.iter().copied());
            Err(Error::plan("a hierarchy says how: by one of its kinds").help(help))
        }
        [first, second, ..] => {
            let message = format!("a hierarchy is either \"{}\" or \"{}\"", first.name, second.name);
            Err(Error::plan(message).help("keep one of them"))
        }
    }
}

/// The rule for a quasi-identifier to which the plan gives none: the value, or `*`.
pub fn keep_or_suppress() -> Box<dyn Rule> {
    let member = Member::of(&suppress::KIND, &[(suppress::KIND.name, Raw::Flag(true))]);
    let rule = member.and_then(|member| stated::Stated::new(member, Path::new(".")));
    Box::new(rule.expect("the parameter is what it asks for"))
}

/// A hierarchy that fits the values, as a plan writes it; `None` for decimals and times,
/// which are published as ranges.
pub fn draft(domain: &Domain) -> Option<String> {
    KINDS.iter().find_map(|kind| Some(format!("{} = {}", kind.name, (kind.build.draft)(domain)?)))
}

/// What a plan writes so that of a date only the year is published, from level 1 on.
pub fn years_only() -> String {
    format!("{} = true, units = [\"year\"]", dates::KIND.name)
}

/// What a plan writes so that numbers from `top` on are one value, from level 1 on; others stay.
pub fn capped_at(top: u32) -> String {
    format!("{} = [1, 5, 10], top = {top}", intervals::KIND.name)
}

/// What a plan writes so that of a postal code its first digits are published where so many people
/// live, by a file that lists them, from level 1 on.
pub fn populous_areas(file: &str, people: u32) -> String {
    format!("{} = \"{file}\", at_least = {people}", population::KIND.name)
}

/// One level of a [`Hierarchy`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    labels: Dictionary,
    code_of_base: Vec<u32>,
    leaves: Vec<u32>,
}

/// The levels of a column: for every base code its code on each level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    levels: Vec<Level>,
    leaves: u32,
}

impl Hierarchy {
    /// Applies a rule to the values of a column. A missing value that the rule does not list stays
    /// itself below the top.
    pub fn bind(rule: &dyn Rule, column: &Column) -> Result<Hierarchy> {
        let ladder = rule.ladder(column)?;
        let mut paths = ladder.paths;
        let mut leaf_of_code = Vec::with_capacity(ladder.leaf_of_code.len());
        let height = paths.first().map_or(0, Vec::len);
        // A missing value that the rule does not list is none of those that a top label of its own
        // stands for.
        let lists_all = ladder.leaf_of_code.iter().all(Option::is_some);
        let is_top = |path: &Vec<String>| {
            path.last() == paths[0].last() && (lists_all || path.last().is_some_and(|top| top == TOP))
        };
        let single = height > 0 && paths.iter().all(is_top);
        let top = paths.first().and_then(|path| path.last()).filter(|_| single).cloned();
        for (code, leaf) in (0u32..).zip(ladder.leaf_of_code) {
            leaf_of_code.push(leaf.unwrap_or_else(|| {
                let mut path = path_of_missing(column.domain().label(code), &paths, height);
                if let (Some(last), Some(top)) = (path.last_mut(), &top) {
                    last.clone_from(top);
                }
                paths.push(path);
                paths.len() as u32 - 1
            }));
        }
        if !single {
            paths.iter_mut().for_each(|path| path.push(TOP.to_string()));
        }
        Ok(Hierarchy::build(&paths, &leaf_of_code, column))
    }

    fn build(paths: &[Vec<String>], leaf_of_code: &[u32], column: &Column) -> Hierarchy {
        let base = Level {
            labels: column.domain().labels().clone(),
            code_of_base: (0..column.domain().len() as u32).collect(),
            leaves: vec![1; column.domain().len()],
        };
        let mut levels = vec![base];
        for at in 0..paths.first().map_or(0, Vec::len) {
            let mut lexicon = Lexicon::listing();
            let code_of_leaf: Vec<u32> = paths.iter().map(|path| lexicon.code(&path[at])).collect();
            let labels = lexicon.into_values();
            let mut leaves = vec![0; labels.len()];
            code_of_leaf.iter().for_each(|&code| leaves[code as usize] += 1);
            let code_of_base = leaf_of_code.iter().map(|&leaf| code_of_leaf[leaf as usize]).collect();
            levels.push(Level { labels, code_of_base, leaves });
        }
        Hierarchy { levels, leaves: paths.len() as u32 }
    }

    /// The top level; level 0 is the values themselves.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    /// The codes of the base values on a level.
    pub fn codes(&self, level: usize) -> &[u32] {
        &self.levels[level].code_of_base
    }

    /// The label of a base value on a level.
    pub fn label(&self, level: usize, base: u32) -> &str {
        let level = &self.levels[level];
        level.labels.get(level.code_of_base[base as usize])
    }

    /// The column with its values on a level. Labels no row has any more are dropped, so that they
    /// cannot be read off the domain.
    pub fn generalize(&self, column: &Column, level: usize) -> Column {
        let is_present: Vec<bool> = column.counts().iter().map(|&count| count > 0).collect();
        let (labels, code_of) = self.relabel(column, level, &is_present);
        let codes = column.codes().iter().map(|&code| code_of[code as usize].expect("a row has it")).collect();
        Column::new(column.name(), codes, labels)
    }

    /// The labels of the values that are present on a level, as a domain; and for each value the
    /// code of its label.
    pub fn relabel(&self, column: &Column, level: usize, is_present: &[bool]) -> (Domain, Vec<Option<u32>>) {
        let present: Vec<u32> = (0u32..).zip(is_present).filter(|(_, is)| **is).map(|(code, _)| code).collect();
        let mut lexicon = Lexicon::listing();
        let codes: Vec<u32> = present.iter().map(|&code| lexicon.code(self.label(level, code))).collect();
        // A missing value is one as long as it is told from the others.
        let missing = column.domain().missing().filter(|_| level < self.height());
        let missing: Vec<String> = missing.iter().map(|&code| column.domain().label(code).to_string()).collect();
        let turns = [(0, codes.len())];
        let encoding = Encoding { missing: &missing, ..Encoding::default() };
        let labelled = encoding.column(column.name().to_string(), vec![(lexicon, codes)], &turns);
        let mut code_of = vec![None; is_present.len()];
        present.iter().zip(labelled.codes()).for_each(|(&code, &label)| code_of[code as usize] = Some(label));
        (labelled.domain().clone(), code_of)
    }

    /// The labels of a level.
    pub fn labels(&self, level: usize) -> &Dictionary {
        &self.levels[level].labels
    }

    /// How many leaves stand under each label of a level.
    pub fn leaves_under(&self, level: usize) -> &[u32] {
        &self.levels[level].leaves
    }

    /// How many leaves the whole hierarchy has.
    pub fn leaves(&self) -> u32 {
        self.leaves
    }
}

/// A missing value stays itself; from the level on which the hierarchy has a label like it, it goes
/// that label's way, so that levels nest.
fn path_of_missing(label: &str, paths: &[Vec<String>], height: usize) -> Vec<String> {
    let alike = |at: usize| paths.iter().find(|path| path[at] == label).map(|path| (at, path));
    let mut own = vec![label.to_string(); height];
    if let Some((at, other)) = (0..height).find_map(alike) {
        own[at..].clone_from_slice(&other[at..]);
    }
    own
}

/// A ladder for rules that work on each value alone, with the top added; `None` from the rule marks
/// a value it cannot treat. The height depends on the rule, not on the values, so that levels in
/// plans and certificates mean the same for every table.
fn ladder_of(column: &Column, what: &str, path: impl Fn(&str) -> Option<Vec<String>>) -> Result<Ladder> {
    let mut ladder = Ladder::default();
    for (code, label) in (0u32..).zip(column.domain().labels().iter()) {
        if column.domain().missing() == Some(code) {
            ladder.leaf_of_code.push(None);
            continue;
        }
        let mut labels = path(label).ok_or_else(|| not_treated(column, code, what))?;
        labels.push(TOP.to_string());
        ladder.leaf_of_code.push(Some(ladder.paths.len() as u32));
        ladder.paths.push(labels);
    }
    Ok(ladder)
}

fn not_treated(column: &Column, code: u32, what: &str) -> Error {
    let value = column.place_of(code);
    Error::data(format!("column \"{}\": the value {value} is not {what}", column.name()))
        .help("mend the value, list it under `missing`, or choose another hierarchy")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The labels of every value on every level, as the rule written this way makes them.
    pub(crate) fn levels(written: &[(&str, Raw)], values: &[&str]) -> Result<Vec<Vec<String>>> {
        let column = Column::from_values("c", values);
        let hierarchy = Hierarchy::bind(&*rule(written, Path::new("."))?, &column)?;
        let label = |value: &str, level| hierarchy.label(level, column.domain().code(value).unwrap()).to_string();
        Ok(values.iter().map(|value| (0..=hierarchy.height()).map(|level| label(value, level)).collect()).collect())
    }

    pub(crate) fn numbers(list: &[&str]) -> Raw {
        Raw::List(list.iter().map(|text| Raw::Number(text.to_string())).collect())
    }

    #[test]
    fn every_rule_nests_ends_in_one_value_and_knows_its_labels() {
        type Case<'a> = (&'a [(&'a str, Raw)], &'a [&'a str]);
        let cases: [Case; 7] = [
            (&[("prefix", numbers(&["3", "1"]))], &["A15.3", "A15", "B2", "A"]),
            (&[("cuts", numbers(&["18", "30", "65"])), ("further", numbers(&["30"]))], &["3", "18", "64", "65"]),
            (&[("redact", Raw::Number("3".into()))], &["13053", "148", "7"]),
            (&[("intervals", numbers(&["5", "10"]))], &["3", "12", "-7", "60"]),
            (&[("dates", Raw::Flag(true))], &["2021-03-31", "1999-12-01", "2021-04-01"]),
            (&[("fanout", numbers(&["2", "3"]))], &["a", "b", "c", "d", "e", "f", "g"]),
            (&[("suppress", Raw::Flag(true))], &["x", "y"]),
        ];
        for (written, values) in cases {
            let made = levels(written, values).unwrap();
            let rule = rule(written, Path::new(".")).unwrap();
            let height = made[0].len();
            for level in 1..height {
                for (a, b) in made.iter().flat_map(|a| made.iter().map(move |b| (a, b))) {
                    assert!(a[level - 1] != b[level - 1] || a[level] == b[level], "{written:?} does not nest");
                }
                let known = |label: &String| rule.makes(label) || values.contains(&label.as_str());
                assert!(made.iter().all(|path| known(&path[level])), "{written:?} level {level}");
            }
            assert!(made.iter().all(|path| path[height - 1] == TOP), "{written:?}");
        }
    }

    #[test]
    fn missing_values_stay_themselves_below_the_top() {
        let missing = ["?".to_string()];
        let mut lexicon = Lexicon::new();
        let codes = ["31", "?"].map(|value| lexicon.code(value)).to_vec();
        let encoding = Encoding { missing: &missing, ..Encoding::default() };
        let column = encoding.column("age".into(), vec![(lexicon, codes)], &[(0, 2)]);
        let rule = rule(&[("intervals", numbers(&["10"]))], Path::new(".")).unwrap();
        let hierarchy = Hierarchy::bind(&*rule, &column).unwrap();
        assert_eq!(["?", "?", "*"], [0, 1, 2].map(|level| hierarchy.label(level, 1)));
        assert_eq!(hierarchy.leaves_under(2), [2]);
    }

    #[test]
    fn a_hierarchy_is_of_one_kind() {
        let message = |written: &[(&str, Raw)]| rule(written, Path::new(".")).err().unwrap().to_string();
        assert!(message(&[("redcat", Raw::Number("3".into()))]).contains("did you mean \"redact\"?"));
        let both = [("redact", Raw::Number("3".into())), ("suppress", Raw::Flag(true))];
        assert!(message(&both).contains("either"));
    }
}
