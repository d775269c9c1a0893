//! Releases of transactions: `data.dat`, `sensitive.txt` with the names of sensitive items, `sensitive.csv` where those are told for groups of records, and what can be told from them alone.

use super::certify::{Certificate, ESCAPED, SEAL, blank, hashes, merge, seal};
use super::recompute::{array, broken, text, written};
use super::verify::{Claims, certificate, differing, plain_file};
use super::{Place, REPORT, Signer, write_file};
use crate::data::Formats;
use crate::error::{Error, Fault, Result};
use crate::kind::Kind;
use crate::plan::{Member, demanded};
use crate::publish::transactions::{Finding, Made, Publication, Seen, worst_rule};
use crate::report::html::{Audience, transactions_html};
use crate::report::transactions::{answer_json, found_json, publication_json, rule_json};
use crate::transactions::{
    Demand, Released, Written, attack, criterion, name_order, read_delimiter, read_lines, read_released,
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

/// Refuses a publication in which attacks found more than is demanded.
pub fn pass_gate(publication: &Publication) -> Result<()> {
    let excessive = publication.attacks.iter().map(|attacked| &attacked.after).filter(|after| after.is_excessive());
    let found: Vec<String> = excessive
        .map(|after| format!("{} tells a sensitive item of {} people", after.attack.kind.name, after.people))
        .collect();
    if found.is_empty() || !publication.attacks_refuse {
        return Ok(());
    }
    let message = format!("attacks found more than is demanded: {}", found.join("; "));
    let help = "require a criterion that keeps to it (`sfumato list transaction-criteria`), or tolerate it: [gate] attacks = \"report\"";
    Err(Error::new(Fault::Gate, message).help(help))
}

/// Writes a release directory: gate, files in a folder nobody sees, verification of what was written, and one rename. Returns the certificate.
pub fn write(made: &Made, place: &Place<'_>, formats: &Formats) -> Result<Value> {
    write_signed(made, place, None, formats)
}

/// The same, with a signature of the certificate among the files.
pub fn write_signed(made: &Made, place: &Place<'_>, signer: Option<&dyn Signer>, formats: &Formats) -> Result<Value> {
    pass_gate(&made.publication)?;
    place.write(signer, formats, |folder| {
        let mut names = made.sensitive_names.clone();
        let order = name_order(&names);
        names.sort_by(|a, b| order(a, b));
        let list = name_list(&names);
        let report = transactions_html(&made.publication, Audience::External, "Release report");
        let mut files = vec![(DATA, made.written.data.as_slice()), (NAMES, list.as_bytes())];
        files.extend(made.written.shared.as_deref().map(|shared| (SHARED, shared)));
        files.push((REPORT, report.as_bytes()));
        for (name, bytes) in &files {
            write_file(&folder.join(name), bytes)?;
        }
        let files: Vec<String> = files.iter().map(|(name, _)| name.to_string()).collect();
        draw_up(&made.publication, folder, &files)
    })
}

/// The names of sensitive items as they are written.
fn name_list(names: &[String]) -> String {
    names.iter().map(|name| format!("{name}\n")).collect()
}

fn draw_up(publication: &Publication, folder: &Path, files: &[String]) -> Result<Certificate> {
    let mut document = blank();
    merge(&mut document, publication_json(publication));
    document["knowledge_assumed"] = json!(KNOWLEDGE);
    document["not_promised"] = publication.not_promised().into_iter().chain([SEAL.to_string()]).collect();
    document["notes"] = json!(publication.notes);
    document["files"] = hashes(folder, files)?.into();
    document["data"] = json!(DATA);
    if files.iter().any(|name| name == SHARED) {
        document["formulas"] = json!(ESCAPED);
    }
    Ok(seal(document))
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

/// What a certificate states that is needed to read and check its release.
struct Stated {
    delimiter: char,
    is_separated: bool,
    requirements: Vec<Member<criterion::Build>>,
    attacks: Vec<Member<attack::Build>>,
}

impl Stated {
    fn read(document: &Value) -> Result<Stated> {
        let mut letters = text(&document["delimiter"])?.chars();
        let (Some(delimiter), None) = (letters.next(), letters.next()) else { return Err(broken("no delimiter")) };
        Ok(Stated {
            delimiter,
            is_separated: document["form"] == "separated",
            requirements: members(&document["criteria"], "criterion", criterion::find)?,
            attacks: members(&document["attacks"], "attack", attack::find)?,
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

/// The records of a release directory, and its own names of sensitive items unless others are given.
pub fn read(folder: &Path, names: Option<&[String]>) -> Result<Seen> {
    let stated = Stated::read(&certificate(folder)?)?;
    let released = stated.released(folder).map_err(|error| error.file(folder.join(DATA)))?;
    match names {
        Some(names) => Seen::new(released, names),
        None => Seen::new(released, &sensitive_names(folder)?),
    }
}

/// What attacks find in a release directory, against what its certificate demands.
pub fn attack(folder: &Path, wanted: &[Member<attack::Build>]) -> Result<Vec<Finding>> {
    let demand = Stated::read(&certificate(folder)?)?.demand()?;
    read(folder, None)?.findings(wanted, demand)
}

/// Everything that the directory alone tells, in the form in which the certificate states it.
fn recompute(folder: &Path, stated: &Stated) -> Result<Value> {
    let names = sensitive_names(folder)?;
    let released = stated.released(folder)?;
    let again = Written::new(&released, Some(stated.delimiter))?;
    let shared = if stated.is_separated { Some(file(folder, SHARED)?) } else { None };
    let is_in_order = again.data == file(folder, DATA)? && again.shared == shared;
    let list = name_list(&names);
    let listed: HashSet<&str> = names.iter().map(String::as_str).collect();
    let is_listed = |item: u32| listed.contains(released.table().names()[item as usize].as_str());
    let told_are_listed = match &released {
        Released::Together(_) => true,
        Released::Separated(separated) => {
            separated.groups.iter().flat_map(|group| &group.items).all(|(item, _)| is_listed(*item))
        }
    };
    let order = name_order(&names);
    let is_plain_list = list.as_bytes() == file(folder, NAMES)?;
    let seen = Seen::new(released, &names)?;
    let answers = seen.answers(&stated.requirements)?;
    let findings = seen.findings(&stated.attacks, stated.demand()?)?;
    Ok(json!({
        "records": seen.records(),
        "published_items": seen.kinds(),
        "published_occurrences": seen.occurrences(),
        "groups": seen.groups(),
        "listed": names.len(),
        "names_once_in_order": is_plain_list && names.iter().zip(names.iter().skip(1)).all(|(a, b)| order(a, b).is_lt()),
        "told_are_listed": told_are_listed,
        "items_in_order": is_in_order,
        "criteria": answers.iter().map(answer_json).collect::<Vec<_>>(),
        "worst_rule": worst_rule(&answers).map(rule_json),
        "attacks": findings.iter().map(found_json).collect::<Vec<_>>(),
    }))
}

/// Checks what a certificate states against what its files tell.
pub(super) fn check_figures(folder: &Path, document: &Value, claims: &mut Claims) -> Result<()> {
    let listed = |name: &str| document["files"].get(name).is_some();
    let is_separated = document["form"] == "separated";
    claims.told("form", is_separated || document["form"] == "together", "there is no such form of release");
    let own = [DATA, NAMES, REPORT].into_iter().chain(is_separated.then_some(SHARED));
    let files = document["files"].as_object().map_or(0, serde_json::Map::len);
    claims.told("files of the release", own.clone().all(listed) && own.count() == files, "there are others");
    claims.told(
        "sensitive items",
        listed(NAMES) && listed(SHARED) == is_separated,
        "the certificate states no hash of them",
    );
    let recomputed = Stated::read(document).and_then(|stated| recompute(folder, &stated));
    let Some(found) = claims.recomputed(recomputed)? else { return Ok(()) };
    for key in ["records", "published_items", "published_occurrences", "groups"] {
        claims.same(key, &document[key], &found[key]);
    }
    check_deleted(document, claims);
    claims.same("listed sensitive items", &document["sensitive"]["listed"], &found["listed"]);
    claims.told(
        "order of sensitive items",
        found["names_once_in_order"] == true,
        "they are not each once, in the order of names",
    );
    claims.told("sensitive items of groups", found["told_are_listed"] == true, "some are not listed as sensitive");
    claims.told(
        "order of items",
        found["items_in_order"] == true,
        "items of a line, or lines of the list, are not in the order of names",
    );
    check_criteria(document, &found, claims);
    check_attacks(document, &found, claims);
    claims.untold(
        "utility, and what the original had",
        "they compare with the original, which is not part of the release",
    );
    Ok(())
}

/// What was there is deleted, merged or published.
fn check_deleted(document: &Value, claims: &mut Claims) {
    let [all, deleted, merged, published] =
        ["occurrences", "deleted", "merged", "published_occurrences"].map(|key| document[key].as_u64());
    let sum = deleted.zip(merged).zip(published).and_then(|((a, b), c)| a.checked_add(b)?.checked_add(c));
    claims.told("deleted items", all.is_some() && all == sum, "all items are not those deleted, merged and published");
    let share = deleted.zip(all).map(|(deleted, all)| deleted as f64 / all.max(1) as f64);
    claims.same("deleted share", &document["deleted_share"], &json!(share));
}

fn check_criteria(document: &Value, found: &Value, claims: &mut Claims) {
    // How many rules were looked at is about the search, not about the release.
    let verdict = |answer: &Value| {
        let mut verdict = answer.clone();
        verdict.as_object_mut().and_then(|entries| entries.shift_remove("looked_at"));
        verdict
    };
    for (at, stated) in array(&document["criteria"]).iter().enumerate() {
        let name = format!("criterion {}: {}", at + 1, stated["criterion"].as_str().unwrap_or("?"));
        let (stated, again) = (verdict(stated), verdict(&found["criteria"][at]));
        let fails = if again["holds"] == true { "" } else { "it does not hold; " };
        let otherwise = format!("{fails}{}", differing(&stated, &again));
        claims.told(&name, again["holds"] == true && stated == again, &otherwise);
    }
    claims.same("most confident rule", &document["worst_rule"], &found["worst_rule"]);
}

fn check_attacks(document: &Value, found: &Value, claims: &mut Claims) {
    for (at, stated) in array(&document["attacks"]).iter().enumerate() {
        let name = format!("attack: {}", stated["attack"].as_str().unwrap_or("?"));
        let again = &found["attacks"][at];
        claims.told(&name, &stated["after"] == again, &differing(&stated["after"], again));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TransactionPlan;

    #[test]
    fn what_does_not_hold_is_said_first() {
        let document = json!({ "criteria": [{ "criterion": "rho-uncertainty", "holds": true, "looked_at": 1 }] });
        for (holds, expected) in [(true, ""), (false, "it does not hold; holds: stated true, found false")] {
            let found = json!({ "criteria": [{ "criterion": "rho-uncertainty", "holds": holds, "looked_at": 2 }] });
            let mut claims = Claims(Vec::new());
            check_criteria(&document, &found, &mut claims);
            assert_eq!(claims.0[0].detail, expected);
        }
    }

    const PLAN: &str = r#"
        data = { kind = "transactions", sensitive = { items = ["wine"] } }
        require = [{ criterion = "rho-uncertainty", rho = "0.5" }]
    "#;

    #[test]
    fn attacks_that_find_more_than_is_demanded_refuse() {
        let plan = TransactionPlan::parse(PLAN, Path::new(".")).unwrap();
        let read = read_lines(b"bread wine\nbread milk\nmilk wine\nmilk bread\n", None).unwrap();
        let mut publication = crate::publish::transactions::make(&plan, &read).unwrap().publication;
        assert!(pass_gate(&publication).is_ok());
        publication.attacks[0].after.people = 2;
        assert!(pass_gate(&publication).unwrap_err().to_string().contains("of 2 people"));
        publication.attacks_refuse = false;
        assert!(pass_gate(&publication).is_ok());
    }
}
