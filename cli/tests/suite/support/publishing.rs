//! What the tests of releases share: a table of patients, plans for it, publishing, and looking
//! into what was published.

use super::{CANARY, Folder};
use serde_json::Value;
use sfumato::data::{Formats, ReadOptions};
use std::collections::BTreeMap;

/// Thirteen people; the last one is like nobody. No plan names the column `ward`.
pub const PATIENTS: &str = "\
name,zip,age,sex,job,ward,disease
Zid01,13053,28,f,clerk,Zward1,flu
Zid02,13068,29,m,cook,Zward2,cancer
Zid03,13068,21,m,clerk,Zward3,flu
Zid04,13053,23,f,cook,Zward4,cold
Zid05,14853,50,m,clerk,Zward5,cancer
Zid06,14853,55,m,cook,Zward6,flu
Zid07,14850,47,m,clerk,Zward7,cold
Zid08,14850,49,m,cook,Zward8,cold
Zid09,13053,31,f,clerk,Zward9,cancer
Zid10,13053,37,m,cook,Zward10,flu
Zid11,13068,36,m,clerk,Zward11,cold
Zid12,13068,35,f,cook,Zward12,cancer
Zid13,99999,99,m,diver,Zward13,plague
";

/// What the columns of [`PATIENTS`] are.
pub const COLUMNS: &str = "\
name = \"identifier\"
zip = { role = \"quasi\", hierarchy = { redact = 5 } }
age = { role = \"quasi\", hierarchy = { intervals = [10, 20] } }
sex = \"quasi\"
job = \"insensitive\"
disease = \"sensitive\"
";

/// Groups of three with two diseases: one record must go, unless everybody is in one group.
pub const CRITERIA: &str = "\
[[require]]
criterion = \"k-anonymity\"
k = 3
[[require]]
criterion = \"distinct-l-diversity\"
on = \"disease\"
l = 2
";

/// Lets the one record go that is like no other.
pub const SUPPRESSING: &str = "[release]\nmax_suppressed = \"10%\"\n";

/// So many made-up people: names, ages from 20 to 60, four jobs, four diseases.
pub fn people(records: usize) -> String {
    let row = |at: usize| {
        let job = ["clerk", "cook", "nurse", "pilot"][at * 7 % 11 % 4];
        let disease = ["flu", "cold", "cancer", "ulcer"][at * 5 % 13 % 4];
        format!("Zid{at},{},{job},{disease}\n", 20 + at * 17 % 41)
    };
    format!("name,age,job,disease\n{}", (0..records).map(row).collect::<String>())
}

/// A folder with `table.csv` and a `plan.toml` of lines on columns and further sections.
pub fn folder(table: &str, columns: &str, sections: &str) -> Folder {
    Folder::new(&[("table.csv", table), ("plan.toml", &plan(columns, sections))])
}

/// A plan for `table.csv`. Insensitive columns are accepted by name unless sections mention them.
pub fn plan(columns: &str, sections: &str) -> String {
    let accepted = if sections.contains("insensitive") { String::new() } else { accepting(columns) };
    format!("[data]\npath = \"table.csv\"\n[columns]\n{columns}\n{sections}{accepted}")
}

/// The section that accepts every column of some lines that is `"insensitive"`, whatever it
/// discloses.
pub fn accepting(columns: &str) -> String {
    let names = columns.lines().filter_map(|line| line.strip_suffix(" = \"insensitive\""));
    let quoted = names.map(|name| if name.starts_with('"') { name.to_string() } else { format!("\"{name}\"") });
    let list = quoted.collect::<Vec<_>>().join(", ");
    if list.is_empty() { list } else { format!("[release.insensitive]\naccept = [{list}]\n") }
}

/// Lines on columns for a plan with these sections. Methods that form groups publish the values
/// themselves in a bucketized release, so that a hierarchy would do nothing, and a plan that has
/// one is refused.
pub fn columns_for(columns: &str, sections: &str) -> String {
    let by_levels = !sections.contains("name = ") || BY_LEVELS.iter().any(|name| sections.contains(name));
    if by_levels || !sections.contains("form = \"bucketized\"") {
        return columns.to_string();
    }
    let mut left = columns.to_string();
    while let Some(start) = left.find(", hierarchy = {") {
        let end = start + left[start..].find('}').expect("a hierarchy ends") + 1;
        left.replace_range(start..end, "");
    }
    left
}

/// The methods that choose levels of hierarchies.
const BY_LEVELS: [&str; 2] = ["incognito", "optimal"];

/// The patients' folder with further sections beside the criteria.
pub fn patients(sections: &str) -> Folder {
    folder(PATIENTS, COLUMNS, &format!("{CRITERIA}{sections}"))
}

/// Publishes the folder's table as `release`, and hands on the certificate. What is published
/// verifies, and nothing else is left in the folder.
pub fn publish(folder: &Folder) -> Value {
    let before = names(folder, "");
    let certificate = folder.json("publish plan.toml --out release --json", 0);
    // Where a criterion reads more than what is published, nothing is confirmed.
    let verified = folder.run("verify release --json");
    let code = verified.get_output().status.code().unwrap();
    assert!([0, 8].contains(&code), "{verified}");
    let verified: Value = serde_json::from_slice(&verified.get_output().stdout).unwrap();
    assert_eq!(verified["holds"], true, "{verified:#}");
    assert_eq!(verified["seal"], certificate["seal"]);
    let after: Vec<String> = names(folder, "").into_iter().filter(|name| name != "release").collect();
    assert_eq!(after, before, "publishing left something behind");
    certificate
}

/// Publishes the folder's table as `release`, and hands on what the custodian alone is told.
pub fn publish_internally(folder: &Folder) -> Value {
    folder.run("publish plan.toml --out release --internal-report internal.json").code(0);
    serde_json::from_slice(&std::fs::read(folder.path("internal.json")).unwrap()).expect("one JSON document")
}

/// Publishing is refused: with this code, nothing on standard output, these parts in the error, and
/// nothing written.
pub fn refuse(folder: &Folder, arguments: &str, code: i32, parts: &[&str]) {
    let before = contents(folder);
    let run = folder.run(arguments).code(code).stdout("");
    let error = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    for part in parts {
        assert!(error.contains(part), "`{arguments}` says {error:?}, without {part:?}");
    }
    assert!(contents(folder) == before, "`{arguments}` changed the folder: {:?}", names(folder, ""));
}

/// The names in a folder, hidden ones too.
pub fn names(folder: &Folder, under: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path(under)).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// All files of a folder, with those in folders of it.
pub fn contents(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![String::new()];
    while let Some(under) = waiting.pop() {
        for name in names(folder, &under) {
            let path = format!("{under}{name}");
            match std::fs::read(folder.path(&path)) {
                Ok(bytes) => drop(found.insert(path, bytes)),
                Err(_) => waiting.push(format!("{path}/")),
            }
        }
    }
    found
}

/// A file of the release.
pub fn released(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path("release").join(name)).unwrap()
}

/// A table as a header and records, read as text whatever its format.
pub fn cells(folder: &Folder, file: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let options = ReadOptions { missing: Vec::new(), ..ReadOptions::default() };
    let formats = Formats::default().with(sfumato_columnar::formats());
    let table = formats.read(&folder.path(file), &options).unwrap();
    let header = table.columns().iter().map(|column| column.name().to_string()).collect();
    let record = |row| table.columns().iter().map(|column| column.value(row).to_string()).collect();
    (header, (0..table.rows()).map(record).collect())
}

/// Asserts that no file of the release holds the canary.
pub fn assert_no_canary(folder: &Folder) {
    for name in names(folder, "release") {
        let bytes = std::fs::read(folder.path("release").join(&name)).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(CANARY), "{name} holds a withheld cell");
    }
}

/// The levels that a certificate states, in the order of the plan.
pub fn levels(certificate: &Value) -> Vec<u64> {
    numbers(&certificate["method"]["levels"])
}

/// The numbers of an object, in order.
pub fn numbers(object: &Value) -> Vec<u64> {
    object.as_object().unwrap().values().map(|level| level.as_u64().unwrap()).collect()
}
