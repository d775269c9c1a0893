//! Releases of transactions: `data.dat`, `sensitive.txt` with the names of sensitive items,
//! `sensitive.csv` where those are told for groups of records, and what can be told from them
//! alone.

use super::certify::{ESCAPED, SEAL, blank, hashes, merge, seal};
use super::stated::{array, broken, check_format, read_earlier, read_heading, text, written};
use super::verify::{Claims, certificate, check_attacks, check_rest, differing, plain_file};
use super::{Destination, REPORT, unreadable, write_file};
use crate::data::Formats;
use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::kind::Member;
use crate::plan::{Heading, demanded};
use crate::publish::earlier_sentence;
use crate::publish::transactions::{Finding, Made, ObservedSets, Publication, SensitiveSource};
use crate::report::html::{Audience, transactions_html};
use crate::report::transactions::publication_json;
use crate::transactions::{
    Demand, Released, Written, attack, criterion, method, name_order, read_delimiter, read_lines, read_released,
};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;

/// Records, one per line.
pub const DATA: &str = "data.dat";
/// Sensitive items that are told for groups of lines.
pub const SHARED: &str = "sensitive.csv";
/// The names of sensitive items, one per line.
pub const NAMES: &str = "sensitive.txt";

/// What the attacker is assumed to know.
const KNOWLEDGE: [&str; 3] = [
    "The release, and which items are sensitive.",
    "Any items that a person has, sensitive ones among them, as many as each criterion grants.",
    "That the person is in the data.",
];

/// Writes a release directory: files in a folder nobody sees, verification of what was written, and
/// one rename. Returns the certificate.
pub fn write(made: &Made, place: &Destination<'_>, formats: &Formats) -> Result<Value> {
    place.write(formats, |folder| {
        let mut names = made.sensitive_names.clone();
        let order = name_order(&names);
        names.sort_by(|a, b| order(a, b));
        let list = name_list(&names);
        let mut files = vec![(DATA, made.written.data.as_slice()), (NAMES, list.as_bytes())];
        files.extend(made.written.shared.as_deref().map(|shared| (SHARED, shared)));
        for (name, bytes) in &files {
            write_file(&folder.join(name), bytes)?;
        }
        let files: Vec<String> = files.iter().map(|(name, _)| name.to_string()).collect();
        // What cannot be read is a disk that fails, not a release that is wrong.
        let mut hashed = hashes(folder, &files)?;
        // The declared part is read as verifiers read it, so that they come to the same.
        let mut declared = blank();
        merge(&mut declared, publication_json(&made.publication));
        declared["earlier_releases"] = place.earlier_seals(&hashed).into();
        let stated = Stated::read(&declared).map_err(unreadable)?;
        let Statement { mut document, report, .. } = Statement::new(&stated, folder).map_err(unreadable)?;
        write_file(&folder.join(REPORT), report.as_bytes())?;
        hashed.extend(hashes(folder, &[REPORT.to_string()])?);
        document["files"] = hashed.into();
        Ok(seal(document))
    })
}

/// The names of sensitive items as they are written.
fn name_list(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}\n")).collect()
}

/// What is said about a release in public: its certificate, but for hashes of files and the seal,
/// and its report.
struct Statement {
    document: Value,
    report: String,
    publication: Publication,
    /// What must be so of the files beside the figures.
    order: FileOrder,
}

/// Whether the files are written in the one way that tells nothing.
struct FileOrder {
    names_once: bool,
    told_are_listed: bool,
    items: bool,
}

impl Statement {
    /// From what is declared and what is in the folder, and from nothing else.
    fn new(stated: &Stated, folder: &Path) -> Result<Statement> {
        let (publication, order) = describe(stated, folder)?;
        let mut document = blank();
        merge(&mut document, publication_json(&publication));
        document["earlier_releases"] = json!(stated.earlier);
        document["knowledge_assumed"] = json!(KNOWLEDGE);
        document["not_promised"] = publication.not_promised().into_iter().chain([SEAL.to_string()]).collect();
        document["notes"] = json!(publication.notes);
        document["data"] = json!(DATA);
        if stated.is_separated {
            document["formulas"] = json!(ESCAPED);
        }
        let report = transactions_html(&publication, Audience::External);
        Ok(Statement { document, report, publication, order })
    }
}

/// Whether a certificate is about transactions.
pub(super) fn is_certificate(document: &Value) -> bool {
    document["kind"] == "transactions"
}

/// Whether a release directory is one of transactions.
pub fn is_release(folder: &Path) -> Result<bool> {
    Ok(is_certificate(&certificate(folder)?))
}

/// The names of files that a certificate must be about, as far as it says them right.
pub(super) fn needed(document: &Value) -> Vec<&Value> {
    // A name that is not that of the data is none.
    let data = if document["data"] == DATA { &document["data"] } else { &Value::Null };
    vec![data]
}

/// What a certificate declares: the plan as far as everybody may know it, and how to read the
/// release.
struct Stated {
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

impl Stated {
    fn read(document: &Value) -> Result<Stated> {
        check_format(document)?;
        let mut letters = text(&document["delimiter"])?.chars();
        let (Some(delimiter), None) = (letters.next(), letters.next()) else { return Err(broken("no delimiter")) };
        let method = method::find(text(&document["method"]["name"])?)?;
        let requirements = members(&document["criteria"], "criterion", criterion::find)?;
        let attacks: Vec<Member<attack::Build>> = members(&document["attacks"], "attack", attack::find)?;
        if let Some(missing) = attack::KINDS.iter().find(|kind| !attacks.iter().any(|own| own.kind.name == kind.name)) {
            return Err(broken(&format!("no {} attack, which is always made", missing.name)));
        }
        Ok(Stated {
            heading: read_heading(document)?,
            delimiter,
            is_separated: document["form"] == "separated",
            is_generalized: document["generalized"] == true,
            keeps_order: document["order"] == "input",
            method: Member { kind: method, params: method.check(&written(&document["method"]["params"]))? },
            insecure_seed: document["method"]["insecure_seed"] == true,
            sensitive: read_source(&document["sensitive"])?,
            attacks_refuse: document["gate"]["attacks"] != "report",
            requirements,
            attacks,
            earlier: read_earlier(document)?,
        })
    }

    fn demand(&self) -> Result<Demand> {
        demanded(&self.requirements).ok_or_else(|| broken("no criterion"))
    }

    fn released(&self, folder: &Path) -> Result<Released> {
        let shared = self.is_separated.then(|| file(folder, SHARED)).transpose()?;
        read_released(&file(folder, DATA)?, shared.as_deref(), read_delimiter(self.delimiter))
    }
}

/// How a certificate says that the plan tells which items are sensitive.
fn read_source(stated: &Value) -> Result<SensitiveSource> {
    Ok(match (stated["file"].as_str(), stated["share"].as_str()) {
        (Some(name), None) => SensitiveSource::File(name.to_string()),
        (None, Some(written)) => {
            let seed = stated["seed"].as_u64().ok_or_else(|| broken("a share without a seed"))?;
            SensitiveSource::Share { written: written.to_string(), seed }
        }
        _ => SensitiveSource::Items,
    })
}

/// Members that a certificate names, with their parameters.
fn members<B: Copy>(list: &Value, key: &str, find: fn(&str) -> Result<&'static Kind<B>>) -> Result<Vec<Member<B>>> {
    let member = |one: &Value| {
        let kind = find(text(&one[key])?)?;
        Ok(Member { kind, params: kind.check(&written(&one["params"]))? })
    };
    array(list).iter().map(member).collect()
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
    let stated = Stated::read(&certificate(folder)?)?;
    let released = stated.released(folder).map_err(|error| error.file(folder.join(DATA)))?;
    match names {
        Some(names) => ObservedSets::new(released, names),
        None => ObservedSets::new(released, &sensitive_names(folder)?),
    }
}

/// What attacks find in a release directory, against what its certificate demands.
pub fn attack(folder: &Path, wanted: &[Member<attack::Build>]) -> Result<Vec<Finding>> {
    let demand = Stated::read(&certificate(folder)?)?.demand()?;
    read(folder, None)?.findings(wanted, demand)
}

/// What may be said in public: what follows from the files and from what is declared.
fn describe(stated: &Stated, folder: &Path) -> Result<(Publication, FileOrder)> {
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
        attacks: seen.findings(&stated.attacks, stated.demand()?)?,
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

fn file_order(stated: &Stated, folder: &Path, names: &[String], released: &Released) -> Result<FileOrder> {
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

/// Says everything anew, from what is declared and what is published, and compares.
pub(super) fn check_figures(folder: &Path, document: &Value, claims: &mut Claims) -> Result<()> {
    let listed = |name: &str| document["files"].get(name).is_some();
    let is_separated = document["form"] == "separated";
    claims.checked("form", is_separated || document["form"] == "together", "there is no such form of release");
    let own = [DATA, NAMES, REPORT].into_iter().chain(is_separated.then_some(SHARED));
    let files = document["files"].as_object().map_or(0, serde_json::Map::len);
    claims.checked("files of the release", own.clone().all(listed) && own.count() == files, "there are others");
    claims.checked(
        "sensitive items",
        listed(NAMES) && listed(SHARED) == is_separated,
        "the certificate states no hash of them",
    );
    let anew = Stated::read(document).and_then(|stated| Statement::new(&stated, folder));
    let Some(found) = claims.recomputed(anew)? else { return Ok(()) };
    for key in ["records", "published_items", "published_occurrences", "groups"] {
        claims.same(key, &document[key], &found.document[key]);
    }
    let key = "reidentification_risk";
    claims.same("re-identification risk", &document[key], &found.document[key]);
    claims.same("sensitive items of the release", &document["sensitive"], &found.document["sensitive"]);
    let order = &found.order;
    claims.checked("order of sensitive items", order.names_once, "they are not each once, in the order of names");
    claims.checked("sensitive items of groups", order.told_are_listed, "some are not listed as sensitive");
    let otherwise = "items of a line, or lines of the list, are not in the order of names";
    claims.checked("order of items", order.items, otherwise);
    check_criteria(document, &found.publication, &found.document, claims);
    check_attacks(document, &found.document, claims);
    let excessive = found.publication.attacks.iter().any(Finding::is_excessive);
    let stays = !found.publication.attacks_refuse || !excessive;
    claims.checked("limits", stays, "an attack finds more than is demanded, and the plan refuses such a release");
    check_rest(folder, document, (&found.document, &found.report), claims)?;
    claims.unverifiable("what the plan asks for, and how the release was made", DECLARED);
    Ok(())
}

/// What nobody can tell from a release.
const DECLARED: &str = "declared by the publisher: that the listed items are all that are sensitive, the method with its parameters, whether items are coarser ones, the order of lines, title and date, and earlier releases of the same records";

fn check_criteria(document: &Value, publication: &Publication, found: &Value, claims: &mut Claims) {
    let stated = array(&document["criteria"]);
    for (at, (stated, answer)) in stated.iter().zip(&publication.criteria).enumerate() {
        let name = format!("criterion {}: {}", at + 1, answer.wanted.kind.name);
        let differing = differing(stated, &found["criteria"][at]);
        let fails = if answer.holds { "" } else { "it does not hold; " };
        let otherwise = format!("{fails}{differing}");
        claims.criterion(&name, answer.holds && differing.is_empty(), &otherwise, true);
    }
    claims.same("most confident rule", &document["worst_rule"], &found["worst_rule"]);
}
