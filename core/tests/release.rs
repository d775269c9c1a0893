//! Releases on disk: forged certificates are found out, and certificates tell nothing about who was suppressed.

use serde_json::{Value, json};
use sfumato::data::{Column, Formats, Table, sample};
use sfumato::release::{self, Order, verify};
use sfumato::{Plan, publish};
use sha2::{Digest, Sha256};
use std::path::Path;

const PLAN: &str = r#"
    [columns]
    patient = "identifier"
    age     = { role = "quasi", hierarchy = { intervals = [5, 10, 20] } }
    sex     = "quasi"
    zip     = { role = "quasi", hierarchy = { redact = 5 } }
    disease = "sensitive"

    [[require]]
    criterion = "k-anonymity"
    k = 5

    [[require]]
    criterion = "t-closeness"
    t = 0.6

    [release]
    max_suppressed = "5%"
"#;

fn publish(table: &Table, folder: &Path) -> Value {
    let plan = Plan::parse(PLAN, Path::new(".")).unwrap();
    let publishing = plan.publishing().unwrap();
    let formats = Formats::default();
    let made = publish::make(&plan, &publishing, table, &formats).unwrap();
    let target = folder.join("release");
    let order = Order { plan: &plan, publishing: &publishing, table, target: &target, replace: true, inputs: &[] };
    release::write(&made, &order, &formats).unwrap()
}

/// Writes a certificate with a seal of its own, as a forger would.
fn forge(folder: &Path, mut document: Value) {
    let zeros = "0".repeat(64);
    document["seal"] = json!(zeros);
    let digest = Sha256::digest(format!("{document:#}\n").as_bytes());
    document["seal"] = json!(digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    std::fs::write(folder.join("certificate.json"), format!("{document:#}\n")).unwrap();
}

#[test]
fn forged_certificates_are_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let honest = publish(&sample::hospital(3000, 1), folder.path());
    let release = folder.path().join("release");
    std::fs::write(folder.path().join("elsewhere.csv"), "age,sex,zip,disease\n*,*,*,Flu\n").unwrap();
    let formats = Formats::default();
    forge(&release, honest.clone());
    assert!(verify(&release, &formats).unwrap().holds(), "the forger's pen is good enough");

    type Forgery = (&'static str, fn(&mut Value));
    let forgeries: [Forgery; 16] = [
        ("a larger k", |one| {
            one["criteria"][0]["params"]["k"] = json!("100");
            one["criteria"][0]["measured"] = json!(100);
        }),
        ("another verdict", |one| one["criteria"][0]["violating"]["groups"] = json!(7)),
        ("no criteria", |one| one["criteria"] = json!([])),
        ("an unknown criterion", |one| one["criteria"][0]["criterion"] = json!("trust-me")),
        ("a criterion that does not hold", |one| one["criteria"][1]["holds"] = json!(false)),
        ("another table", |one| one["data"] = json!("../elsewhere.csv")),
        ("no files", |one| one["files"] = json!({})),
        ("other levels", |one| one["method"]["levels"]["age"] = json!(0)),
        ("fewer suppressed", |one| one["suppressed"] = json!(0)),
        ("more records than there are numbers", |one| one["suppressed"] = json!(u64::MAX)),
        ("other groups", |one| one["groups"] = json!(1)),
        ("an attack that found nothing", |one| one["attacks"][0]["highest_belief"] = json!(0)),
        ("no loss", |one| one["utility"]["loss"] = json!(0)),
        ("a hidden column", |one| one["plan"]["columns"][1]["published"] = json!(false)),
        ("a role that is none", |one| one["plan"]["columns"][1]["role"] = json!(["quasi"])),
        ("no columns", |one| one["plan"] = Value::Null),
    ];
    for (name, forgery) in forgeries {
        let mut document = honest.clone();
        forgery(&mut document);
        forge(&release, document);
        let found = verify(&release, &formats).unwrap();
        assert!(!found.holds(), "{name}");
    }
}

/// Where two documents differ.
fn differences(a: &Value, b: &Value, path: &str) -> Vec<String> {
    match (a, b) {
        (Value::Object(a), Value::Object(_)) => {
            a.iter().flat_map(|(key, value)| differences(value, &b[key], &format!("{path}/{key}"))).collect()
        }
        (Value::Array(a), Value::Array(_)) => {
            a.iter().enumerate().flat_map(|(at, value)| differences(value, &b[at], &format!("{path}/{at}"))).collect()
        }
        _ if a == b => Vec::new(),
        _ => vec![format!("{path}: {a} {b}")],
    }
}

/// Two tables that differ in one suppressed record's disease give the same certificate to the byte.
#[test]
fn a_certificate_does_not_tell_what_suppressed_people_have() {
    let table = sample::hospital(3000, 1);
    let folder = tempfile::tempdir().unwrap();
    let first = publish(&table, folder.path());
    let suppressed = first["suppressed"].as_u64().unwrap();
    assert!(suppressed > 0 && suppressed < 150, "{suppressed}");
    let plan = Plan::parse(PLAN, Path::new(".")).unwrap();
    let made = publish::make(&plan, &plan.publishing().unwrap(), &table, &Formats::default()).unwrap();
    let row = (0..3000u32).find(|row| !made.recoded.row_of.contains(row)).unwrap() as usize;
    let disease = table.column("disease").unwrap();
    for code in 0..disease.domain().len() as u32 {
        let mut codes = disease.codes().to_vec();
        codes[row] = code;
        let changed = Column::new("disease", codes, disease.domain().clone());
        let other = publish(&table.clone().with_column(changed).unwrap(), folder.path());
        // With another disease the record might not have to be suppressed at all: then there is nothing to compare.
        if other["suppressed"] == first["suppressed"] {
            assert_eq!(differences(&first, &other, ""), Vec::<String>::new(), "disease {code}");
        }
    }
}
