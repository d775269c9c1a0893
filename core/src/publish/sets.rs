//! The stages of sets of items.

use super::stages::{Stages, Work};
use super::transactions::{
    Answer, Finding, Made, Measured, ObservedSets, OfOriginal, Publication, SensitiveSource, bands, sensitive_items,
};
use crate::data::Formats;
use crate::error::{Error, Fault, Result};
use crate::plan::{SensitiveItems, SetPlan};
use crate::transactions::method::Task;
use crate::transactions::metric::Compared;
use crate::transactions::{Demand, Read, Released, Sensitive, Together, Transactions, Written};
use std::collections::HashSet;

/// Transactions that were read, and which items are sensitive.
pub struct KeptSets<'a> {
    read: &'a Read,
    sensitive: Sensitive,
    sensitive_names: Vec<String>,
    /// Listed names that no record has.
    unknown: Vec<String>,
    demand: Demand,
    formats: &'a Formats,
}

/// What would be published: the bytes, and which names are sensitive in it.
pub struct RecodedSets {
    written: Written,
    sensitive_names: Vec<String>,
}

impl Stages for SetPlan {
    type Data = Read;
    type Loaded<'a> = KeptSets<'a>;
    type Kept<'a> = KeptSets<'a>;
    type Formed = Released;
    type Recoded = RecodedSets;
    type Audited = (ObservedSets, Vec<Answer>);
    type Attacked = BeforeAndAfter;
    type Made = Made;

    fn load<'a>(&'a self, read: &'a Read, formats: &'a Formats) -> Result<KeptSets<'a>> {
        let demand = self.demand()?;
        if read.table.is_empty() {
            return Err(Error::data("there are no records"));
        }
        let sensitive_names = self.sensitive_names(&read.table)?;
        let sensitive = sensitive_items(&read.table, &sensitive_names)?;
        let unknown = unknown_names(&read.table, &sensitive_names);
        refuse_unknown(self, &unknown)?;
        Ok(KeptSets { read, sensitive, sensitive_names, unknown, demand, formats })
    }

    /// No item is too frequent for a method here: all suppress or generalize until rules are weak.
    fn withhold<'a>(&'a self, loaded: KeptSets<'a>) -> Result<KeptSets<'a>> {
        Ok(loaded)
    }

    fn form(&self, kept: &KeptSets<'_>) -> Result<Released> {
        self.method.build().make(&Task {
            table: &kept.read.table,
            sensitive: &kept.sensitive,
            demand: kept.demand,
            chance: self.chance,
            folder: &self.folder,
            watch: kept.formats.watch(),
        })
    }

    fn recode(&self, kept: &KeptSets<'_>, formed: &mut Released) -> Result<RecodedSets> {
        let mut sensitive_names = kept.sensitive_names.clone();
        sensitive_names.extend(coarse_names(formed, &kept.sensitive));
        let ordered = if keeps_order(self, formed) { formed.clone() } else { formed.shuffled(self.chance)? };
        Ok(RecodedSets { written: Written::new(&ordered, self.layout.delimiter())?, sensitive_names })
    }

    fn audit(&self, work: &Work<'_, SetPlan>) -> Result<(ObservedSets, Vec<Answer>)> {
        let RecodedSets { written, sensitive_names } = &work.recoded;
        let seen = ObservedSets::new(written.read_back()?, sensitive_names)?;
        refuse_different(&work.formed, &seen)?;
        let criteria = seen.answers(&self.requirements)?;
        refuse_violated(self, &criteria)?;
        Ok((seen, criteria))
    }

    fn attack(&self, work: &Work<'_, SetPlan>, (seen, _): &Self::Audited) -> Result<BeforeAndAfter> {
        let KeptSets { read, sensitive, demand, formats, .. } = &work.kept;
        let before = ObservedSets::raw(&read.table, sensitive).findings(&self.attacks, *demand)?;
        Ok(BeforeAndAfter { before, after: seen.watched_findings(&self.attacks, *demand, formats.watch())? })
    }

    fn measure(&self, work: Work<'_, SetPlan>, audited: Self::Audited, found: BeforeAndAfter) -> Result<Made> {
        let Work { kept, formed, recoded: RecodedSets { written, sensitive_names } } = work;
        let (seen, criteria) = audited;
        let known =
            SetFacts { plan: self, read: kept.read, sensitive: &kept.sensitive, released: &formed, seen: &seen };
        let mut publication = Publication {
            criteria,
            attacks: found.after,
            delimiter: written.delimiter,
            sensitive_listed: sensitive_names.len() as u64,
            original: Some(known.original(&kept.unknown, found.before)),
            ..known.describe()
        };
        publication.notes = publication.standing_notes(seen.empty_records());
        Ok(Made { publication, written, sensitive_names })
    }
}

/// What attacks find in the original, as if it were published, and in what would be.
pub struct BeforeAndAfter {
    before: Vec<Finding>,
    after: Vec<Finding>,
}

/// Names of sensitive items that no record has.
fn unknown_names(table: &Transactions, names: &[String]) -> Vec<String> {
    let known: HashSet<&str> = table.names().iter().map(String::as_str).collect();
    names.iter().filter(|name| !known.contains(name.as_str())).cloned().collect()
}

/// Refuses a name that somebody typed into the plan and that no record has: a slip would leave an
/// item unprotected. A file may be a catalogue of which a table has a part.
fn refuse_unknown(plan: &SetPlan, unknown: &[String]) -> Result<()> {
    match (&plan.sensitive, unknown) {
        (SensitiveItems::Items(_), [first, ..]) => {
            let error = Error::plan(format!("[data] sensitive: the item \"{first}\" occurs nowhere in the data"));
            Err(error.help("correct it or leave it out; a list of more than this table holds belongs into a file: sensitive = { file = \"names.txt\" }"))
        }
        _ => Ok(()),
    }
}

/// Whether lines are in the order of the input. Where sensitive items are told for groups of lines,
/// they cannot be.
fn keeps_order(plan: &SetPlan, released: &Released) -> bool {
    plan.keeps_order && matches!(released, Released::Together(_))
}

/// Names of coarser items that stand for sensitive ones: whoever reads the release must know that
/// they are sensitive.
fn coarse_names(released: &Released, sensitive: &Sensitive) -> Vec<String> {
    let Released::Together(Together { table, published_as: Some(published_as) }) = released else { return Vec::new() };
    let coarse =
        sensitive.items().filter_map(|item| published_as[item as usize].filter(|published| *published != item));
    let mut names: Vec<String> = coarse.map(|item| table.names()[item as usize].clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Refuses what is not read as it was meant.
fn refuse_different(meant: &Released, seen: &ObservedSets) -> Result<()> {
    let occurrences = meant.supports().iter().sum::<u64>();
    if meant.table().len() as u64 == seen.records() && occurrences == seen.occurrences() {
        return Ok(());
    }
    let message = "what would be written is read in another way than it was meant: nothing was published";
    Err(Error::new(Fault::Gate, message).help("check that names of items have no blanks at their ends"))
}

/// Refuses what does not satisfy every criterion, whatever the method believed.
fn refuse_violated(plan: &SetPlan, answers: &[Answer]) -> Result<()> {
    let Some(violated) = answers.iter().find(|answer| !answer.holds) else { return Ok(()) };
    let (criterion, method) = (violated.wanted.kind.name, plan.method.kind.name);
    let message = format!("{criterion} does not hold for what {method} made: nothing was published");
    Err(Error::new(Fault::Internal, message).help("this is a defect of the method: use another one, and report it"))
}

/// What a description is made from.
struct SetFacts<'a> {
    plan: &'a SetPlan,
    read: &'a Read,
    sensitive: &'a Sensitive,
    released: &'a Released,
    seen: &'a ObservedSets,
}

impl SetFacts<'_> {
    /// What the release and the plan tell; what was found is added by the caller.
    fn describe(&self) -> Publication {
        Publication {
            heading: self.plan.heading.clone(),
            risk: self.seen.risk(),
            records: self.read.table.len() as u64,
            published_occurrences: self.seen.occurrences(),
            published_items: self.seen.kinds(),
            published_sensitive: self.seen.sensitive_kinds(),
            groups: self.seen.groups(),
            is_generalized: matches!(self.released, Released::Together(Together { published_as: Some(_), .. })),
            delimiter: ' ',
            keeps_order: keeps_order(self.plan, self.released),
            method: self.plan.method.clone(),
            insecure_seed: !self.plan.chance.is_secure(),
            sensitive: SensitiveSource::of(&self.plan.sensitive),
            sensitive_listed: 0,
            criteria: Vec::new(),
            attacks: Vec::new(),
            attacks_refuse: self.plan.attacks_refuse,
            bands: self.seen.bands(),
            earlier: 0,
            notes: Vec::new(),
            original: None,
        }
    }

    /// What only the custodian may know.
    fn original(&self, unknown: &[String], attacks: Vec<Finding>) -> OfOriginal {
        let table = &self.read.table;
        let supports = table.supports();
        let deleted = deleted(table, self.released);
        OfOriginal {
            items: supports.iter().filter(|support| **support > 0).count() as u64,
            occurrences: table.occurrences(),
            deleted,
            merged: table.occurrences() - deleted - self.seen.occurrences(),
            sensitive_kinds: self.sensitive.count() as u64,
            attacks,
            utility: self.measured(),
            bands: bands(&supports),
            notes: self.notes(unknown),
        }
    }

    fn measured(&self) -> Vec<Measured> {
        let compared = Compared::new(&self.read.table, self.sensitive, self.released);
        let mut measured: Vec<Measured> = Vec::new();
        for wanted in &self.plan.metrics {
            let own = wanted.kind.name;
            let before = self.plan.metrics[..measured.len()].iter().filter(|other| other.kind.name == own).count();
            measured.push(Measured {
                name: if before == 0 { own.to_string() } else { format!("{own} ({})", before + 1) },
                params: wanted.params.clone(),
                summary: wanted.kind.summary,
                value: (wanted.kind.build)(&wanted.params).measure(&compared),
            });
        }
        measured
    }

    fn notes(&self, unknown: &[String]) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some((first, others)) = unknown.split_first() {
            notes.push(match others.len() {
                0 => format!("The listed sensitive item \"{first}\" occurs nowhere in the data: check how it is written."),
                more => format!("{} of the listed sensitive items occur nowhere in the data, \"{first}\" for one: check how they are written.", more + 1),
            });
        }
        let (kinds, left) = (self.sensitive.count() as u64, self.seen.sensitive_kinds());
        if left < kinds {
            notes.push(format!("{left} of the {kinds} sensitive kinds of items are still in the release."));
        }
        if self.read.empty > 0 {
            notes.push(format!(
                "{} of the original's records have no items; they are published as empty lines.",
                self.read.empty
            ));
        }
        if self.read.repeated > 0 {
            notes.push(format!("{} items stood in their record more than once; they count once.", self.read.repeated));
        }
        notes
    }
}

/// How many items of the original's records are not published in any form.
fn deleted(original: &Transactions, released: &Released) -> u64 {
    let Released::Together(Together { table, published_as: Some(published_as) }) = released else {
        return original.occurrences().saturating_sub(released.supports().iter().sum());
    };
    let kept = |at: usize, item: &u32| {
        published_as[*item as usize].is_some_and(|published| table.record(at).binary_search(&published).is_ok())
    };
    let all = original.iter().enumerate();
    all.map(|(at, record)| record.iter().filter(|item| !kept(at, item)).count() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_that_became_coarser_was_not_deleted() {
        let original = Transactions::from_names([vec!["a", "b", "s"], vec!["b"], vec!["a", "s"]]);
        let names: Vec<String> = ["a", "b", "s", "ab"].map(String::from).to_vec();
        let table = Transactions::new(names.into(), [vec![3u32], vec![3], vec![3]]);
        let coarse = Released::Together(Together { table, published_as: Some(vec![Some(3), Some(3), None]) });
        assert_eq!(deleted(&original, &coarse), 2);
        let fewer = Transactions::new(original.names().clone(), [vec![0u32, 1], vec![1], vec![]]);
        assert_eq!(deleted(&original, &Released::Together(Together { table: fewer, published_as: None })), 3);
    }
}
