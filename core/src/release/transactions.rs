//! Releases of transactions: `data.dat`, `sensitive.txt` with the names of sensitive items,
//! `sensitive.csv` where those are told for groups of records, and what can be told from them
//! alone.

use super::statement::{Answered, Public, Statement, check_earlier};
use super::verify::{Claim, certificate, plain_file};
use super::{Certified, write_file};
pub use crate::certificate::sets::DATA;
use crate::certificate::sets::{Declared, Figures, FormWord, OrderWord, SensitiveDeclared};
use crate::certificate::{broken, heading, member};
use crate::data::Formats;
use crate::error::{Error, Result};
use crate::kind::Member;
use crate::plan::{Heading, SetPlan, demanded};
use crate::publish::earlier_sentence;
use crate::publish::transactions::{Finding, Made, ObservedSets, Publication, SensitiveSource};
use crate::report::html::{Audience, transactions_html};
use crate::transactions::{
    Demand, Released, Written, attack, criterion, method, name_order, read_delimiter, read_lines, read_released,
};
use std::collections::HashSet;
use std::path::Path;

/// Sensitive items that are told for groups of lines.
pub const SHARED: &str = "sensitive.csv";
/// The names of sensitive items, one per line.
pub const NAMES: &str = "sensitive.txt";

impl Certified for SetPlan {
    type Stated = StatedSets;

    fn write_files(&self, made: &Made, folder: &Path, _: &Formats) -> Result<Vec<String>> {
        let mut names = made.sensitive_names.clone();
        let order = name_order(&names);
        names.sort_by(|a, b| order(a, b));
        let list = name_list(&names);
        let mut files = vec![(DATA, made.written.data.as_slice()), (NAMES, list.as_bytes())];
        files.extend(made.written.shared.as_deref().map(|shared| (SHARED, shared)));
        files.iter().try_for_each(|(name, bytes)| write_file(&folder.join(name), bytes))?;
        Ok(files.iter().map(|(name, _)| name.to_string()).collect())
    }

    fn declare(&self, made: &Made, _: &[String], earlier_releases: Vec<String>, _: &Formats) -> Result<Declared> {
        Ok(Declared { earlier_releases, ..Declared::from(&made.publication) })
    }
}

/// The names of sensitive items as they are written.
fn name_list(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}\n")).collect()
}

/// Whether the files are written in the one way that tells nothing.
struct FileOrder {
    names_once: bool,
    told_are_listed: bool,
    items: bool,
}

/// Whether a release directory is one of transactions.
pub fn is_release(folder: &Path) -> Result<bool> {
    Ok(certificate(folder)?.is_sets())
}

/// What a certificate declares: the plan as far as everybody may know it, and how to read the
/// release.
pub struct StatedSets {
    heading: Heading,
    delimiter: char,
    is_separated: bool,
    is_generalized: bool,
    keeps_order: bool,
    method: Member<method::Build>,
    insecure_seed: bool,
    sensitive: SensitiveSource,
    attacks_refuse: bool,
    requirements: Vec<Member<criterion::Build>>,
    attacks: Vec<Member<attack::Build>>,
    /// The seals of earlier releases of the same records, as far as the publisher knows.
    earlier: Vec<String>,
}

/// What nobody can tell from a release.
const DECLARED: &str = "declared by the publisher: that the listed items are all that are sensitive, the method with its parameters, whether items are coarser ones, the order of lines, whether attacks that find too much refuse a release, title and date, and earlier releases of the same records";

impl Public for StatedSets {
    type Declared = Declared;

    fn read(declared: Declared) -> Result<StatedSets> {
        let requirements = declared.criteria.iter().map(|one| member(&one.criterion, &one.params, criterion::find));
        let attacks = declared.attacks.iter().map(|one| member(&one.attack, &one.params, attack::find));
        let attacks: Vec<Member<attack::Build>> = attacks.collect::<Result<_>>()?;
        if let Some(missing) = attack::KINDS.iter().find(|kind| !attacks.iter().any(|own| own.kind.name == kind.name)) {
            return Err(broken(&format!("no {} attack, which is always made", missing.name)));
        }
        check_earlier(&declared.earlier_releases)?;
        Ok(StatedSets {
            heading: heading(declared.title, declared.date)?,
            delimiter: declared.delimiter,
            is_separated: declared.form == FormWord::Separated,
            is_generalized: declared.generalized,
            keeps_order: declared.order == OrderWord::Input,
            method: member(&declared.method.name, &declared.method.params, method::find)?,
            insecure_seed: declared.method.insecure_seed,
            sensitive: read_source(declared.sensitive)?,
            attacks_refuse: declared.gate.attacks.refuses(),
            requirements: requirements.collect::<Result<_>>()?,
            attacks,
            earlier: declared.earlier_releases,
        })
    }

    fn files(&self) -> Vec<String> {
        let shared = self.is_separated.then_some(SHARED);
        [DATA, NAMES].into_iter().chain(shared).map(str::to_string).collect()
    }

    fn say(&self, folder: &Path, formats: &Formats) -> Result<Statement> {
        let (publication, order) = describe(self, folder, formats)?;
        let declared = Declared { earlier_releases: self.earlier.clone(), ..Declared::from(&publication) };
        let report = transactions_html(&publication, Audience::External);
        let mut said = Statement::new(&declared, &Figures::from(&publication), report, DECLARED);
        for key in ["records", "published_items", "published_occurrences", "groups"] {
            said.figure(key, &format!("/{key}"));
        }
        said.figure("sensitive items of the release", "/sensitive");
        said.figure("re-identification risk", "/reidentification_risk");
        let otherwise = "they are not each once, in the order of names";
        said.claims.push(Claim::checked("order of sensitive items", order.names_once, otherwise));
        let otherwise = "some are not listed as sensitive";
        said.claims.push(Claim::checked("sensitive items of groups", order.told_are_listed, otherwise));
        let otherwise = "items of a line, or lines of the list, are not in the order of names";
        said.claims.push(Claim::checked("order of items", order.items, otherwise));
        said.criteria(
            publication
                .criteria
                .iter()
                .map(|answer| (answer.wanted.kind.name, Answered { holds: answer.holds, is_checked: true })),
        );
        said.figure("most confident rule", "/worst_rule");
        said.attacks(publication.attacks.iter().map(|finding| (finding.attack.kind.name, None)));
        let excessive = publication.attacks.iter().filter(|finding| finding.is_excessive());
        said.limits(excessive.count(), publication.attacks_refuse);
        Ok(said)
    }
}

impl StatedSets {
    fn demand(&self) -> Result<Demand> {
        demanded(&self.requirements).ok_or_else(|| broken("no criterion"))
    }

    fn released(&self, folder: &Path) -> Result<Released> {
        let shared = self.is_separated.then(|| file(folder, SHARED)).transpose()?;
        read_released(&file(folder, DATA)?, shared.as_deref(), read_delimiter(self.delimiter))
    }
}

/// How a certificate says that the plan tells which items are sensitive.
fn read_source(stated: SensitiveDeclared) -> Result<SensitiveSource> {
    match (stated.file, stated.share, stated.seed) {
        (Some(name), None, None) => Ok(SensitiveSource::File(name)),
        (None, Some(written), Some(seed)) => Ok(SensitiveSource::Share { written, seed }),
        (None, None, None) => Ok(SensitiveSource::Items),
        _ => Err(broken("sensitive items in more than one way, or a share without a seed")),
    }
}

fn file(folder: &Path, name: &str) -> Result<Vec<u8>> {
    plain_file(folder, name)?.ok_or_else(|| Error::data("is not there, or no plain file").file(folder.join(name)))
}

/// The names of sensitive items in a release directory, as they stand there.
pub fn sensitive_names(folder: &Path) -> Result<Vec<String>> {
    // A line is one name, whatever separates items in records: no line holds a line feed.
    let read = read_lines(&file(folder, NAMES)?, Some('\n')).map_err(|error| error.file(folder.join(NAMES)))?;
    let name = |record: &[u32]| record.first().map_or(String::new(), |item| read.table.names()[*item as usize].clone());
    Ok(read.table.iter().map(name).collect())
}

/// The records of a release directory, and its own names of sensitive items unless others are
/// given.
pub fn read(folder: &Path, names: Option<&[String]>) -> Result<ObservedSets> {
    let stated = StatedSets::read(certificate(folder)?.part()?)?;
    let released = stated.released(folder).map_err(|error| error.file(folder.join(DATA)))?;
    match names {
        Some(names) => ObservedSets::new(released, names),
        None => ObservedSets::new(released, &sensitive_names(folder)?),
    }
}

/// The records of a release directory, as its certificate says how to read them.
pub fn released(folder: &Path) -> Result<Released> {
    StatedSets::read(certificate(folder)?.part()?)?.released(folder)
}

/// What attacks find in a release directory, against what its certificate demands.
pub fn attack(folder: &Path, wanted: &[Member<attack::Build>]) -> Result<Vec<Finding>> {
    let demand = StatedSets::read(certificate(folder)?.part()?)?.demand()?;
    read(folder, None)?.findings(wanted, demand)
}

/// What may be said in public: what follows from the files and from what is declared.
fn describe(stated: &StatedSets, folder: &Path, formats: &Formats) -> Result<(Publication, FileOrder)> {
    let names = sensitive_names(folder)?;
    let released = stated.released(folder)?;
    let order = file_order(stated, folder, &names, &released)?;
    let seen = ObservedSets::new(released, &names)?;
    let mut publication = Publication {
        heading: stated.heading.clone(),
        records: seen.records(),
        published_occurrences: seen.occurrences(),
        published_items: seen.kinds(),
        published_sensitive: seen.sensitive_kinds(),
        groups: seen.groups(),
        is_generalized: stated.is_generalized,
        delimiter: stated.delimiter,
        keeps_order: stated.keeps_order,
        method: stated.method.clone(),
        insecure_seed: stated.insecure_seed,
        sensitive: stated.sensitive.clone(),
        sensitive_listed: names.len() as u64,
        criteria: seen.answers(&stated.requirements)?,
        risk: seen.risk(),
        attacks: seen.watched_findings(&stated.attacks, stated.demand()?, formats.watch())?,
        attacks_refuse: stated.attacks_refuse,
        bands: seen.bands(),
        earlier: stated.earlier.len(),
        notes: Vec::new(),
        original: None,
    };
    publication.notes = earlier_sentence(stated.earlier.len()).into_iter().collect();
    publication.notes.extend(publication.standing_notes(seen.empty_records()));
    Ok((publication, order))
}

fn file_order(stated: &StatedSets, folder: &Path, names: &[String], released: &Released) -> Result<FileOrder> {
    let again = Written::new(released, Some(stated.delimiter))?;
    let shared = if stated.is_separated { Some(file(folder, SHARED)?) } else { None };
    let listed: HashSet<&str> = names.iter().map(String::as_str).collect();
    let is_listed = |item: u32| listed.contains(released.table().names()[item as usize].as_str());
    let order = name_order(names);
    let is_plain_list = name_list(names).as_bytes() == file(folder, NAMES)?;
    Ok(FileOrder {
        items: again.data == file(folder, DATA)? && again.shared == shared,
        names_once: is_plain_list && names.iter().zip(names.iter().skip(1)).all(|(a, b)| order(a, b).is_lt()),
        told_are_listed: match released {
            Released::Together(_) => true,
            Released::Separated(separated) => {
                separated.groups.iter().flat_map(|group| &group.items).all(|(item, _)| is_listed(*item))
            }
        },
    })
}
