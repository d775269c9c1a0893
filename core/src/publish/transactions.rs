//! What is known and said about a publication of transactions.
//!
//! What is checked and attacked is what a reader of the files has: the release is written into
//! memory and read again first. Whatever is known of the original beside that is for the
//! custodian's own report.

use super::earlier_sentence;
use super::gate::{Gated, gate_sets};
use crate::attack::{ATTACKING, Reidentification};
use crate::error::{Error, Result};
use crate::exact::Fraction;
use crate::kind::{Member, Params};
use crate::plan::{Heading, SensitiveItems};
use crate::transactions::{
    Demand, Released, Rule, Sensitive, Together, Transactions, Written, attack, criterion, method, name_order,
};
use crate::watch::Watch;
use std::collections::HashMap;

/// A rule with names in place of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRule {
    /// What is known, in the order of names.
    pub antecedent: Vec<String>,
    /// What is inferred.
    pub consequent: String,
    /// How many records have all of it.
    pub support: u64,
    /// How many records have what is known.
    pub of: u64,
}

impl NamedRule {
    fn new(rule: &Rule, names: &[String]) -> NamedRule {
        let name = |item: &u32| names[*item as usize].clone();
        let mut antecedent: Vec<String> = rule.antecedent.iter().map(name).collect();
        let order = name_order(&antecedent);
        antecedent.sort_by(|a, b| order(a, b));
        NamedRule { antecedent, consequent: name(&rule.consequent), support: rule.support, of: rule.of }
    }

    /// The share of those with what is known who have what is inferred.
    pub fn confidence(&self) -> Fraction {
        Fraction::new(u128::from(self.support), u128::from(self.of))
    }
}

/// A criterion with its verdict.
#[derive(Clone)]
pub struct Answer {
    /// What was asked.
    pub wanted: Member<criterion::Build>,
    /// Whether it holds.
    pub holds: bool,
    /// The most confident rule about a sensitive item, if there is any.
    pub worst: Option<NamedRule>,
    /// How many rules had to be looked at.
    pub looked_at: u64,
    /// Whether no rule is more confident: else there may be some, and nobody looked further.
    pub is_exhaustive: bool,
}

/// The most confident rule that any criterion found.
pub fn worst_rule(answers: &[Answer]) -> Option<&NamedRule> {
    let rules = answers.iter().filter_map(|answer| answer.worst.as_ref());
    rules.reduce(|worst, other| if other.confidence() > worst.confidence() { other } else { worst })
}

/// What an attack found.
#[derive(Clone)]
pub struct Finding {
    /// The attack.
    pub attack: Member<attack::Build>,
    /// The most confident rules, the worst first.
    pub rules: Vec<NamedRule>,
    /// How many rules are more confident than is demanded; nothing if they are too many to count.
    pub above: Option<u64>,
    /// How many records some rule tells a sensitive item of with more confidence than is demanded.
    pub people: u64,
}

impl Finding {
    /// Whether something was found that must not be there.
    pub fn is_excessive(&self) -> bool {
        self.people > 0 || self.above != Some(0)
    }
}

/// A metric with its value.
#[derive(Clone)]
pub struct Measured {
    /// The name under which it is reported: the metric's, with a number if it is there again.
    pub name: String,
    /// Its parameters.
    pub params: Params,
    /// What it is.
    pub summary: &'static str,
    /// The value, infinite where the definition says so.
    pub value: f64,
}

/// Kinds of items that about as many records hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// How many records at least.
    pub low: u64,
    /// How many records at most.
    pub high: u64,
    /// Kinds of items in the release.
    pub kinds: u64,
}

/// What is said about a release of transactions.
///
/// [`make`](super::make) says everything, for the custodian. What is said in public is made anew
/// from the files of the release and has no [`original`](Publication::original).
#[derive(Clone)]
pub struct Publication {
    /// What the release is called, and its day.
    pub heading: Heading,
    /// Records, in the original and in the release.
    pub records: u64,
    /// Items of all records of the release, those that are told for groups of records included.
    pub published_occurrences: u64,
    /// Kinds of items in the release.
    pub published_items: u64,
    /// Kinds of sensitive items in the release.
    pub published_sensitive: u64,
    /// How many groups of records sensitive items are told for, if they are told apart from
    /// records.
    pub groups: Option<u64>,
    /// Whether items were replaced by coarser ones.
    pub is_generalized: bool,
    /// What stands between items.
    pub delimiter: char,
    /// Whether lines are in the order of the input.
    pub keeps_order: bool,
    /// How the release was made.
    pub method: Member<method::Build>,
    /// Whether random choices can be repeated by whoever knows the seed.
    pub insecure_seed: bool,
    /// How the plan says which items are sensitive.
    pub sensitive: SensitiveSource,
    /// Names of sensitive items in the list.
    pub sensitive_listed: u64,
    /// Every criterion with its verdict.
    pub criteria: Vec<Answer>,
    /// The chance to pick the record of a person all of whose published items are known.
    pub risk: Option<Reidentification>,
    /// What attacks found in the release.
    pub attacks: Vec<Finding>,
    /// Whether an attack that finds more than is demanded stops the release.
    pub attacks_refuse: bool,
    /// Kinds of items by how many records hold them.
    pub bands: Vec<Band>,
    /// How many earlier releases of the same records are known.
    pub earlier: usize,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// What only the custodian may know.
    pub original: Option<OfOriginal>,
}

/// How a plan says which items are sensitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SensitiveSource {
    /// By a file, of which everybody may know the name.
    File(String),
    /// As a share of all kinds of items, drawn with a seed.
    Share {
        /// The share as written.
        written: String,
        /// What the draw depends on.
        seed: u64,
    },
    /// By a list in the plan.
    Items,
}

impl SensitiveSource {
    pub(super) fn of(sensitive: &SensitiveItems) -> SensitiveSource {
        match sensitive {
            // By its name alone: where it lies is nobody's business.
            SensitiveItems::File(path) => {
                SensitiveSource::File(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
            }
            SensitiveItems::Share { written, seed, .. } => {
                SensitiveSource::Share { written: written.clone(), seed: *seed }
            }
            SensitiveItems::Items(_) => SensitiveSource::Items,
        }
    }
}

/// What is known of the original beside its release.
#[derive(Clone)]
pub struct OfOriginal {
    /// Kinds of items.
    pub items: u64,
    /// Items of all records.
    pub occurrences: u64,
    /// How many of them were deleted.
    pub deleted: u64,
    /// How many of them share a coarser item with another one of their record.
    pub merged: u64,
    /// How many of the listed sensitive items occur.
    pub sensitive_kinds: u64,
    /// What the attacks find in it, as if it were published.
    pub attacks: Vec<Finding>,
    /// What the release is worth, compared with it.
    pub utility: Vec<Measured>,
    /// Kinds of items by how many records hold them.
    pub bands: Vec<Band>,
    /// What the custodian should know.
    pub notes: Vec<String>,
}

impl OfOriginal {
    /// The share of items that were deleted.
    pub fn deleted_share(&self) -> f64 {
        self.deleted as f64 / self.occurrences.max(1) as f64
    }
}

impl Publication {
    /// What a reader must know before relying on a release whose criteria hold.
    pub fn caveats(&self) -> Vec<String> {
        let is_certain = worst_rule(&self.criteria).is_some_and(|rule| rule.confidence() == Fraction::ONE);
        let certain = is_certain
            .then(|| "An attacker who knows part of somebody's items becomes certain of a sensitive one.".to_string());
        certain.into_iter().chain(earlier_sentence(self.earlier)).collect()
    }

    /// The mark of its headline, the same wherever it stands.
    pub fn mark(&self) -> char {
        let fails = self.criteria.iter().any(|answer| !answer.holds) || self.attacks.iter().any(Finding::is_excessive);
        match () {
            () if fails => '✗',
            () if self.caveats().is_empty() => '✓',
            () => '!',
        }
    }

    /// What a reader might take for promised and is not.
    pub fn not_promised(&self) -> Vec<String> {
        let mut all: Vec<String> = NOT_PROMISED.map(str::to_string).to_vec();
        if self.groups.is_some() {
            all.push("Items that are not sensitive are published as they are: an attacker who knows a few of a person's can find the record, and the group of records whose sensitive items are published together.".into());
        }
        all
    }

    /// What a reader should know that follows from the plan and the release.
    pub fn standing_notes(&self, empty_lines: u64) -> Vec<String> {
        let mut notes = Vec::new();
        if self.insecure_seed {
            notes.push("Not for release: anybody who knows the seed of the random choices can undo them.".into());
        }
        notes.push(match self.keeps_order {
            false => "Lines are in random order, so their place discloses nothing; items of a line are in the order of their names.".into(),
            true => "Lines are in the order of the input: an attacker who knows somebody's place in it can find the record. Items of a line are in the order of their names.".into(),
        });
        if empty_lines > 0 {
            notes.push(format!(
                "{empty_lines} of the published lines are empty: programs that skip empty lines lose count."
            ));
        }
        if let SensitiveSource::Share { .. } = self.sensitive {
            notes.push("Sensitive items were drawn at random, as in experiments; a real release lists them.".into());
        }
        notes
    }
}

/// What no release of transactions promises.
const NOT_PROMISED: [&str; 7] = [
    "This is not differential privacy: the criteria bound what somebody infers from items that a person has, not under any knowledge.",
    "Knowledge that a person does not have an item is not covered: an attacker with such knowledge may infer more.",
    "That items were suppressed is not hidden: an item that is not in a record may have been in the person's, and an attacker who notices that an item of a person is missing learns that it was deleted.",
    "No limit holds for an attacker who knows the method and asks which originals lead to this release: the method deletes no more than it finds necessary, and that may disclose something.",
    "That a person is in the data is not hidden, and a record of items that are rare together can be recognized.",
    "Items that are not listed as sensitive are not protected, even if a person would rather hide them.",
    "Nothing is promised about several releases of the same people taken together.",
];

/// A publication, and the bytes of its files.
pub struct Made {
    /// What is known about it.
    pub publication: Publication,
    /// Records, and sensitive items of groups if they are told apart.
    pub written: Written,
    /// The names of sensitive items, one per line.
    pub sensitive_names: Vec<String>,
}

impl Gated for Made {
    type Publication = Publication;

    fn publication(&self) -> &Publication {
        &self.publication
    }

    fn gate(&self) -> Result<()> {
        gate_sets(&self.publication)
    }
}

/// Transactions as somebody sees them who knows which items are sensitive.
pub struct ObservedSets {
    released: Released,
    sensitive: Sensitive,
}

impl ObservedSets {
    /// What was read, and the names of sensitive items. Refuses sensitive items in records of which
    /// they are said to be told apart.
    pub fn new(released: Released, sensitive_names: &[String]) -> Result<ObservedSets> {
        let sensitive = Sensitive::named(released.table(), sensitive_names.iter().map(String::as_str));
        if let Released::Separated(separated) = &released
            && separated.table.iter().flatten().any(|item| sensitive.has(*item))
        {
            return Err(Error::data("a record holds sensitive items, which are published for groups of records only"));
        }
        Ok(ObservedSets { released, sensitive })
    }

    /// Transactions as they are, not yet a release.
    pub fn raw(table: &Transactions, sensitive: &Sensitive) -> ObservedSets {
        let released = Released::Together(Together { table: table.clone(), published_as: None });
        ObservedSets { released, sensitive: sensitive.clone() }
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.released.table().len() as u64
    }

    /// How many kinds of items occur.
    pub fn kinds(&self) -> u64 {
        self.released.supports().iter().filter(|support| **support > 0).count() as u64
    }

    /// How many items all records have together.
    pub fn occurrences(&self) -> u64 {
        self.released.supports().iter().sum()
    }

    /// How many kinds of sensitive items occur.
    pub fn sensitive_kinds(&self) -> u64 {
        let supports = self.released.supports();
        self.sensitive.items().filter(|item| supports[*item as usize] > 0).count() as u64
    }

    /// How many records have no items.
    pub fn empty_records(&self) -> u64 {
        self.released.table().iter().filter(|record| record.is_empty()).count() as u64
    }

    /// The chance to pick the record of a person all of whose published items are known.
    pub fn risk(&self) -> Option<Reidentification> {
        let mut classes: HashMap<&[u32], u64> = HashMap::new();
        self.released.table().iter().for_each(|record| *classes.entry(record).or_default() += 1);
        Reidentification::of(classes.into_values())
    }

    /// Kinds of items by how many records hold them.
    pub fn bands(&self) -> Vec<Band> {
        bands(&self.released.supports())
    }

    /// In how many groups of records sensitive items are told, if they are told apart.
    pub fn groups(&self) -> Option<u64> {
        match &self.released {
            Released::Together(_) => None,
            // Where nothing is told, groups cannot be told apart either.
            Released::Separated(separated) => {
                Some(separated.groups.iter().filter(|group| group.items.iter().any(|(_, count)| *count > 0)).count()
                    as u64)
            }
        }
    }

    /// Checks criteria.
    pub fn answers(&self, requirements: &[Member<criterion::Build>]) -> Result<Vec<Answer>> {
        let names = self.released.table().names();
        let answer = |wanted: &Member<criterion::Build>| {
            let verdict = wanted.build().check(&self.released, &self.sensitive)?;
            let worst = verdict.worst.as_ref().map(|rule| NamedRule::new(rule, names));
            let (holds, looked_at, is_exhaustive) = (verdict.holds, verdict.looked_at, verdict.exhaustive);
            Ok(Answer { wanted: wanted.clone(), holds, worst, looked_at, is_exhaustive })
        };
        requirements.iter().map(answer).collect()
    }

    /// Attacks it.
    pub fn findings(&self, attacks: &[Member<attack::Build>], demand: Demand) -> Result<Vec<Finding>> {
        self.watched_findings(attacks, demand, Watch::NONE)
    }

    /// The same, with somebody who follows.
    pub fn watched_findings(
        &self,
        attacks: &[Member<attack::Build>],
        demand: Demand,
        watch: Watch<'_>,
    ) -> Result<Vec<Finding>> {
        let names = self.released.table().names();
        let stage = watch.stage(ATTACKING, Some(attacks.len() as u64));
        let finding = |wanted: &Member<attack::Build>| {
            let found = wanted.build().run(&self.released, &self.sensitive, demand)?;
            stage.advance(1);
            let rules = found.rules.iter().map(|rule| NamedRule::new(rule, names)).collect();
            Ok(Finding { attack: wanted.clone(), rules, above: found.above, people: found.people })
        };
        attacks.iter().map(finding).collect()
    }
}

/// The items with these names. Refuses data in which none occurs: either there is nothing to
/// protect, or it was read in another way than it was meant.
pub fn sensitive_items(table: &Transactions, names: &[String]) -> Result<Sensitive> {
    let sensitive = Sensitive::named(table, names.iter().map(String::as_str));
    match (sensitive.count(), names.len()) {
        (0, 0) => Err(Error::plan("no item is sensitive: there is nothing to protect")
            .help("list items under [data] sensitive; a share of few kinds of items is rounded down")),
        (0, listed) => Err(Error::plan(format!("none of the {listed} sensitive names occurs in the data"))
            .help("check the list, and whether [data] delimiter is what separates items")),
        _ => Ok(sensitive),
    }
}

/// Kinds of items by how many records hold them, each step twice the one before.
pub(super) fn bands(supports: &[u64]) -> Vec<Band> {
    let most = supports.iter().copied().max().unwrap_or(0);
    let mut bands: Vec<Band> = Vec::new();
    let mut low = 1;
    while low <= most {
        let high = low * 2 - 1;
        let kinds = supports.iter().filter(|support| (low..=high).contains(*support)).count() as u64;
        bands.push(Band { low, high, kinds });
        low = high + 1;
    }
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_cover_every_item_once() {
        let found = bands(&[0, 1, 2, 3, 8]);
        let counts: Vec<(u64, u64, u64)> = found.iter().map(|band| (band.low, band.high, band.kinds)).collect();
        assert_eq!(counts, [(1, 1, 1), (2, 3, 2), (4, 7, 0), (8, 15, 1)]);
        assert!(bands(&[0]).is_empty());
    }

    #[test]
    fn sensitive_items_stay_out_of_records_that_tell_them_apart() {
        let shared = b"first,last,item,count\n1,2,s,1\n";
        let released = crate::transactions::read_released(b"a\nt\n", Some(shared), None).unwrap();
        assert!(ObservedSets::new(released.clone(), &["s".into()]).is_ok());
        assert!(ObservedSets::new(released, &["s".into(), "t".into()]).is_err());
    }
}
