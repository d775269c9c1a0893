//! Any one statement of a certificate changed, and the certificate sealed again: found, or said to
//! be declared only.

use serde_json::{Value, json};
use sfumato::attack::ATTACKING;
use sfumato::certificate::leaves;
use sfumato::chance::Chance;
use sfumato::data::{Column, Formats, Table, sample};
use sfumato::plan::SetPlan;
use sfumato::release::{self, Certified, Destination, Verification, verify};
use sfumato::watch::{Observer, Progress, Watcher};
use sfumato::{TablePlan, publish};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes a certificate with a seal of its own, as a forger would.
fn forge(folder: &Path, mut document: Value) {
    document["seal"] = json!("0".repeat(64));
    let digest = Sha256::digest(format!("{document:#}\n").as_bytes());
    document["seal"] = json!(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    std::fs::write(folder.join("certificate.json"), format!("{document:#}\n")).unwrap();
}

fn publish_table(plan: &str, table: &Table, target: &Path) -> Value {
    let mut plan = TablePlan::parse(plan, Path::new(".")).unwrap_or_else(|error| panic!("{plan}\n{error}"));
    plan.publishing.chance = Chance::insecure(7);
    let formats = Formats::default();
    let made = publish::make(&plan, table, &formats).unwrap().pass().unwrap();
    let order = Destination { replace: true, ..Destination::new(target) };
    release::write(&made, &plan, &order, &formats).unwrap().document
}

/// Every place of a document: a path to each value, containers included.
fn places(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(entries) => entries.iter().for_each(|(key, one)| {
            let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
            found.push(path.clone());
            places(one, &path, found);
        }),
        Value::Array(items) => items.iter().enumerate().for_each(|(at, one)| {
            let path = format!("{path}/{at}");
            found.push(path.clone());
            places(one, &path, found);
        }),
        _ => {}
    }
}

/// Words that stand in the same places.
const WORDS: [&[&str]; 9] = [
    &["integer", "decimal", "date", "text"],
    &["numbers", "dates", "characters", "values", "spans"],
    &["escaped", "kept", "none"],
    &["refuse", "report"],
    &["withheld", "starred"],
    &["generalized", "bucketized"],
    &["together", "separated"],
    &["quasi", "sensitive", "insensitive", "identifier"],
    &["exact", "at least"],
];

/// Other values in the place of one.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(1), json!("x")],
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Number(number) => {
            let real = number.as_f64().unwrap();
            let mut others = vec![json!(real / 2.0 + 0.125)];
            others.extend(number.as_u64().map(|whole| json!(whole + 1)));
            others.extend((real != 0.0).then(|| json!(0)));
            others
        }
        Value::String(text) => {
            let words = WORDS.iter().filter(|words| words.contains(&text.as_str())).flat_map(|words| words.iter());
            words.map(|word| json!(word)).chain([json!(format!("{text}x")), json!("")]).collect()
        }
        Value::Array(items) => {
            let mut fewer = items.clone();
            let more: Vec<Value> = items.iter().chain(items.last()).chain([&json!("x")]).cloned().collect();
            fewer.pop();
            [items.is_empty().then(|| json!(["x"])), (!items.is_empty()).then(|| fewer.into()), Some(more.into())]
                .into_iter()
                .flatten()
                .collect()
        }
        Value::Object(_) => {
            let mut more = value.clone();
            more["trust"] = json!("me");
            vec![more, json!({})]
        }
    }
}

/// What only the publisher knows, and no word of the report repeats: verify says that it is
/// declared. Everything else that is changed is found.
const DECLARED: [&str; 9] = [
    "/formulas",
    "/gate/attacks",
    "/plan/max_suppressed",
    "/plan/metric/params",
    "/plan/columns/*/height",
    "/plan/columns/*/type",
    "/plan/columns/*/measured_by",
    "/plan/attacks/*/named",
    // The name of a file that only the publisher has.
    "/method/params/taxonomy",
];

fn is_declared(path: &str) -> bool {
    DECLARED.iter().any(|known| is_under(path, known))
}

fn is_under(path: &str, known: &str) -> bool {
    let (parts, known): (Vec<&str>, Vec<&str>) = (path.split('/').collect(), known.split('/').collect());
    known.len() <= parts.len() && known.iter().zip(&parts).all(|(known, own)| *known == "*" || known == own)
}

/// Whether a changed limit is one that the stated beliefs may keep to. A limit on an attack of
/// which nothing is stated can be any.
fn is_possible_limit(honest: &Value, path: &str, other: Option<&Value>) -> bool {
    let limits = ["/plan/gate/max_belief", "/plan/gate/max_risk", "/plan/attacks/*/max_belief"];
    if !limits.iter().any(|limit| is_under(path, limit)) {
        return false;
    }
    let named = path.strip_suffix("/max_belief").and_then(|attempt| honest.pointer(attempt)?["attack"].as_str());
    let attacks = honest["attacks"].as_array().unwrap().iter();
    let own = attacks.filter(|attack| named.is_none_or(|named| attack["attack"] == named));
    let lowest = own.filter_map(|attack| attack["highest_belief"].as_f64()).reduce(f64::min);
    let limit = other.and_then(Value::as_f64);
    limit.is_none_or(|limit| lowest.is_none_or(|lowest| limit >= lowest))
}

/// Every statement is checked, or said to be declared only; and no claim is about something else.
fn check_every_leaf_is_claimed(honest: &Value, found: &Verification) {
    for path in leaves(honest) {
        assert!(found.claims.iter().any(|claim| claim.is_about(&path)), "no claim is about {path}");
    }
    for path in found.claims.iter().flat_map(|claim| &claim.about) {
        assert!(honest.pointer(path).is_some(), "{path} is not in the certificate");
    }
}

/// Changes everything, one thing at a time; says how many changes were made.
fn check_every_change(honest: &Value, folder: &Path) -> usize {
    let formats = Formats::default();
    forge(folder, honest.clone());
    let found = verify(folder, &formats).unwrap();
    let failed: Vec<_> = found.failed().collect();
    assert!(found.holds() && found.confirmed > 0, "the forger's pen is good enough: {failed:?}");
    check_every_leaf_is_claimed(honest, &found);
    let is_said_to_be_declared =
        |path: &str| found.claims.iter().any(|claim| claim.holds.is_none() && claim.is_about(path));
    let mut all = Vec::new();
    places(honest, "", &mut all);
    let mut changes = 0;
    for path in all.iter().filter(|path| *path != "/seal") {
        let own = honest.pointer(path).unwrap();
        let (parent, key) = path.rsplit_once('/').unwrap();
        let changed = others(own).into_iter().map(Some).chain([None]);
        for other in changed {
            let mut document = honest.clone();
            match &other {
                Some(other) => *document.pointer_mut(path).unwrap() = other.clone(),
                None => match document.pointer_mut(parent).unwrap() {
                    Value::Object(entries) => {
                        entries.shift_remove(&key.replace("~1", "/").replace("~0", "~"));
                    }
                    Value::Array(items) => {
                        items.remove(key.parse().unwrap());
                    }
                    _ => unreachable!(),
                },
            }
            if document == *honest {
                continue;
            }
            forge(folder, document);
            changes += 1;
            let is_confirmed = verify(folder, &formats).is_ok_and(|found| found.holds() && found.confirmed > 0);
            // How records would have been suppressed if there were any.
            let is_idle = path == "/suppressed_as" && honest["suppressed"] == 0;
            let is_free = is_declared(path) || is_idle || is_possible_limit(honest, path, other.as_ref());
            let is_open = is_free && is_said_to_be_declared(path);
            assert!(!is_confirmed || is_open, "{path}: {own} became {other:?}, and nobody noticed");
        }
    }
    changes
}

const HOSPITAL: &str = "[columns]\npatient = \"identifier\"\n\
    age = { role = \"quasi\", hierarchy = { intervals = [5, 10, 20] } }\n\
    sex = \"quasi\"\nzip = { role = \"quasi\", hierarchy = { redact = 5 } }\ndisease = \"sensitive\"\n\
    [[require]]\ncriterion = \"k-anonymity\"\nk = 5\n\
    [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 1.5\n";

#[test]
fn no_statement_about_a_table_can_be_changed_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("release");
    let table = sample::hospital(300, 1);
    let mut changes = 0;
    for sections in [
        "[release]\nmax_suppressed = \"5%\"\n[gate]\nmax_risk = 0.3\n",
        "[method]\nname = \"mondrian\"\n",
        "[method]\nname = \"greedy-grouping\"\n[release]\nform = \"bucketized\"\n[gate]\nattacks = \"report\"\n",
        "[release]\nmax_suppressed = \"5%\"\nsuppressed = \"starred\"\n[[attack]]\nattack = \"homogeneity\"\nmax_belief = 0.9\n",
        "[method]\nname = \"symmetric-grouping\"\n[[attack]]\nattack = \"minimality\"\nmax_belief = 0.95\n",
        "[method]\nname = \"base\"\n[skew]\nmethod = \"safe-d\"\nl = 5\non = \"disease\"\n[gate]\nattacks = \"report\"\n",
    ] {
        // Where values are published as they are, a hierarchy would do nothing.
        let columns = match sections.contains("bucketized") {
            true => HOSPITAL
                .replace(", hierarchy = { intervals = [5, 10, 20] }", "")
                .replace(", hierarchy = { redact = 5 }", ""),
            // Weights are declared, and what is kept of all columns goes by them.
            false if sections.contains("mondrian") => {
                HOSPITAL.replace("age = { role = \"quasi\"", "age = { role = \"quasi\", weight = 2.5")
            }
            false => HOSPITAL.to_string(),
        };
        let honest = publish_table(&format!("{columns}{sections}"), &table, &release);
        changes += check_every_change(&honest, &release);
    }
    eprintln!("{changes} changes");
}

#[test]
fn no_statement_about_transactions_can_be_changed_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("release");
    let lines = "milk beer\nmilk bread\nbread wine\nmilk\nbread beer milk\nwine milk\nbread\nmilk bread wine\n";
    let read = sfumato::transactions::read_lines(lines.as_bytes(), None).unwrap();
    let taxonomy = "milk;drink;*\nbeer;drink;*\nwine;drink;*\nbread;food;*\n";
    std::fs::write(folder.path().join("items.txt"), taxonomy).unwrap();
    for (method, params) in [
        ("partial-suppression", ""),
        ("permutation", ""),
        ("global-suppression", ""),
        ("tdcontrol", "taxonomy = \"items.txt\"\n"),
    ] {
        let plan = format!(
            "[data]\nkind = \"transactions\"\nsensitive = {{ items = [\"beer\", \"wine\"] }}\n\
             [[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.6\"\n[method]\nname = \"{method}\"\n{params}"
        );
        let plan = SetPlan::parse(&plan, folder.path()).unwrap();
        let made = publish::make(&plan, &read, &Formats::default()).unwrap().pass().unwrap();
        let place = Destination { replace: true, ..Destination::new(&release) };
        let honest = release::write(&made, &plan, &place, &Formats::default()).unwrap().document;
        let changes = check_every_change(&honest, &release);
        eprintln!("{changes} changes");
    }
}

/// What a forger adds: a file, or the same key once more for whoever reads the first one.
#[test]
fn nothing_can_be_added_unnoticed() {
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("release");
    let mut honest = publish_table(HOSPITAL, &sample::hospital(200, 1), &release);
    let failing = || {
        let found = verify(&release, &Formats::default()).unwrap();
        found.failed().map(|claim| claim.name.clone()).collect::<Vec<_>>()
    };
    for (key, value) in [("not_promised", "[]"), ("records", "1000000"), ("criteria", "[]")] {
        let text = format!("{honest:#}\n").replacen('{', &format!("{{\n  \"{key}\": {value},"), 1);
        let blank = text.replace(honest["seal"].as_str().unwrap(), &"0".repeat(64));
        let seal: String = Sha256::digest(blank.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        std::fs::write(release.join("certificate.json"), blank.replace(&"0".repeat(64), &seal)).unwrap();
        assert_eq!(failing(), ["text of the certificate"], "{key}");
    }
    let raw = b"name,disease\nAnn,flu\n";
    std::fs::write(release.join("raw.csv"), raw).unwrap();
    let hash: String = Sha256::digest(raw).iter().map(|byte| format!("{byte:02x}")).collect();
    honest["files"]["raw.csv"] = json!({ "sha256": hash, "bytes": raw.len() });
    forge(&release, honest);
    assert_eq!(failing(), ["files of the release"]);
}

/// A text column that is declared to hold numbers would have an order that nobody can check.
#[test]
fn types_that_values_do_not_have_are_refuted() {
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("release");
    let honest = publish_table(HOSPITAL, &sample::hospital(200, 1), &release);
    for wrong in ["integer", "decimal", "date"] {
        let mut document = honest.clone();
        let columns = document["plan"]["columns"].as_array_mut().unwrap();
        columns.iter_mut().find(|column| column["role"] == "sensitive").unwrap()["type"] = json!(wrong);
        forge(&release, document);
        assert!(!verify(&release, &Formats::default()).is_ok_and(|found| found.holds()), "{wrong}");
    }
}

/// Where records were withheld for a frequent value, and where some may be missing besides.
#[test]
fn every_statement_about_withheld_records_is_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("release");
    let diseases = (0..60).map(|person| ["flu", "flu", "flu", "cold", "ulcer", "cancer"][person % 6]);
    let table = Table::new(vec![
        Column::from_values("age", (0..60).map(|person| (person / 6).to_string())),
        Column::from_values("disease", diseases),
    ])
    .unwrap();
    for (method, form) in [("anatomy", "bucketized"), ("mondrian", "generalized")] {
        let plan = format!(
            "[columns]\nage = \"quasi\"\ndisease = \"sensitive\"\n\
             [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 3\n[skew]\nmethod = \"calibrated\"\n\
             [method]\nname = \"{method}\"\n[release]\nform = \"{form}\"\n[gate]\nattacks = \"report\"\n"
        );
        let honest = publish_table(&plan, &table, &release);
        assert!(honest["skew"].is_object(), "{honest:#}");
        check_every_leaf_is_claimed(&honest, &verify(&release, &Formats::default()).unwrap());
    }
}

/// Counts attacks.
#[derive(Default)]
struct Attacks(AtomicUsize);

impl Observer for Attacks {
    fn progress(&self, progress: &Progress<'_>) {
        if progress.stage == ATTACKING && progress.done > 0 {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_cancelled(&self) -> bool {
        false
    }
}

/// Every attack is made once on what is to be published, and once on what anybody reads again.
#[test]
fn every_attack_is_made_twice() {
    fn check<P: Certified>(plan: &P, data: &P::Data, attacks: usize) {
        let folder = tempfile::tempdir().unwrap();
        let counted = Arc::new(Attacks::default());
        let formats = Formats::default().watched(Watcher::new(counted.clone()));
        let made = publish::make(plan, data, &formats).unwrap().pass().unwrap();
        assert_eq!(counted.0.load(Ordering::Relaxed), attacks);
        release::write(&made, plan, &Destination::new(&folder.path().join("release")), &formats).unwrap();
        assert_eq!(counted.0.load(Ordering::Relaxed), 2 * attacks);
    }
    let plan = TablePlan::parse(HOSPITAL, Path::new(".")).unwrap();
    check(&plan, &sample::hospital(400, 1), plan.publishing.attacks.len());
    let plan = "[data]\nkind = \"transactions\"\nsensitive = { items = [\"beer\"] }\n\
        [[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.6\"\n";
    let plan = SetPlan::parse(plan, Path::new(".")).unwrap();
    let read = sfumato::transactions::read_lines(b"milk beer\nmilk\nbread\nbread milk\n", None).unwrap();
    check(&plan, &read, plan.attacks.len());
}

/// Statements that belong together are changed together, as a forger who thinks would.
#[test]
fn refutable_plans_are_refuted() {
    let folder = tempfile::tempdir().unwrap();
    let release = folder.path().join("release");
    let plan = format!("{HOSPITAL}[release]\nmax_suppressed = \"5%\"\n");
    let honest = publish_table(&plan, &sample::hospital(400, 1), &release);
    type Forgery = (&'static str, fn(&mut Value));
    let forgeries: [Forgery; 6] = [
        ("no value needs protection", |one| {
            let columns = one["plan"]["columns"].as_array_mut().unwrap();
            let disease = columns.iter_mut().find(|column| column["role"] == "sensitive").unwrap();
            disease["sensitive_values"] = json!([]);
        }),
        ("an order of what has none", |one| {
            one["criteria"][1] = json!({
                "criterion": "t-closeness", "on": "disease", "params": { "t": "0", "distance": "ordered" },
                "holds": true, "measured": null, "worst_group": { "size": null, "first_record": null },
                "violating": { "groups": 0, "records": 0 }, "checked": false,
            });
        }),
        ("no attacks", |one| {
            one["attacks"] = json!([]);
            one["plan"]["attacks"] = json!([]);
        }),
        ("another method", |one| one["method"]["name"] = json!("mondrian")),
        ("a limit that is not kept to", |one| one["plan"]["gate"]["max_risk"] = json!(0.01)),
        ("nothing is not promised", |one| one["not_promised"] = json!([])),
    ];
    for (name, forgery) in forgeries {
        let mut document = honest.clone();
        forgery(&mut document);
        forge(&release, document);
        let found = verify(&release, &Formats::default());
        assert!(!found.is_ok_and(|found| found.holds() && found.confirmed > 0), "{name}");
    }
    forge(&release, honest);
    let report = release.join("report.html");
    let page = std::fs::read_to_string(&report).unwrap();
    std::fs::write(&report, page.replace("holds", "certainly holds")).unwrap();
    let certificate = release.join("certificate.json");
    let mut document: Value = serde_json::from_slice(&std::fs::read(&certificate).unwrap()).unwrap();
    let bytes = std::fs::read(&report).unwrap();
    let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    document["files"]["report.html"] = json!({ "sha256": hash, "bytes": bytes.len() });
    forge(&release, document);
    let found = verify(&release, &Formats::default()).unwrap();
    assert_eq!(found.failed().map(|claim| claim.name.as_str()).collect::<Vec<_>>(), ["report"]);
}
