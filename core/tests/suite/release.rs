//! Releases on disk: forged certificates are found out, and certificates tell nothing about who was
//! suppressed.

use serde_json::{Value, json};
use sfumato::attack;
use sfumato::data::{Column, Formats, Table, sample};
use sfumato::kind::Member;
use sfumato::release::{self, Destination, verify};
use sfumato::{TablePlan, publish};
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

    [method]
    name = "optimal"

    [release]
    max_suppressed = "5%"
"#;

fn publish(table: &Table, folder: &Path) -> Value {
    publish_by(PLAN, table, folder)
}

fn publish_by(plan: &str, table: &Table, folder: &Path) -> Value {
    let plan = TablePlan::parse(plan, Path::new(".")).unwrap();
    let formats = Formats::default();
    let made = publish::make(&plan, table, &formats).unwrap().pass().unwrap();
    let target = folder.join("release");
    let order = Destination { replace: true, ..Destination::new(&target) };
    release::write(&made, &plan, &order, &formats).unwrap().document
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a certificate with a seal of its own, as a forger would.
fn forge(folder: &Path, mut document: Value) {
    let zeros = "0".repeat(64);
    document["seal"] = json!(zeros);
    document["seal"] = json!(digest(format!("{document:#}\n").as_bytes()));
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
    let forgeries: [Forgery; 18] = [
        ("a larger k", |one| {
            one["criteria"][0]["params"]["k"] = json!("100");
            one["criteria"][0]["measured"] = json!(100);
        }),
        ("another verdict", |one| one["criteria"][0]["violating"]["groups"] = json!(7)),
        ("no criteria", |one| one["criteria"] = json!([])),
        ("an earlier release without a seal", |one| one["earlier_releases"] = json!(["first"])),
        ("an earlier release that no note tells", |one| one["earlier_releases"] = json!(["5".repeat(64)])),
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

/// Records that are suppressed by stars are told from the others, however many there are.
#[test]
fn starred_records_are_counted_again() {
    let folder = tempfile::tempdir().unwrap();
    let plan = format!("{PLAN}    suppressed = \"starred\"\n");
    let honest = publish_by(&plan, &sample::hospital(3000, 1), folder.path());
    assert!(honest["suppressed"].as_u64().unwrap() > 1);
    let release = folder.path().join("release");
    let failed = || -> Vec<String> {
        verify(&release, &Formats::default()).unwrap().failed().map(|claim| claim.name.clone()).collect()
    };
    assert_eq!(failed(), Vec::<String>::new());
    let mut document = honest.clone();
    for (key, by) in [("suppressed", 1), ("records", 1)] {
        document[key] = json!(honest[key].as_u64().unwrap() + by);
    }
    forge(&release, document);
    assert!(failed().contains(&"starred records".to_string()), "{:?}", failed());
}

/// A table outside the folder is none of the release, whatever the certificate says of it.
#[test]
fn a_table_elsewhere_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut document = publish(&sample::hospital(3000, 1), folder.path());
    let release = folder.path().join("release");
    std::fs::rename(release.join("data.csv"), folder.path().join("data.csv")).unwrap();
    let files = document["files"].as_object_mut().unwrap();
    let own = files.remove("data.csv").unwrap();
    files.insert("../data.csv".into(), own);
    document["data"] = json!("../data.csv");
    forge(&release, document);
    let found = verify(&release, &Formats::default()).unwrap();
    let failed: Vec<&str> = found.failed().map(|claim| claim.name.as_str()).collect();
    assert!(failed.contains(&"sha256 of ../data.csv") && failed.contains(&"figures"), "{failed:?}");
}

/// What stands twice, in another order or beside the rest could carry who has which value, though
/// every figure is the same.
#[test]
fn tables_of_a_bucketized_release_hold_nothing_else() {
    const BUCKETIZED: &str = "[columns]\nage = \"quasi\"\nsex = \"quasi\"\ndisease = \"sensitive\"\n\
        [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 3\n\
        [method]\nname = \"symmetric-grouping\"\n[release]\nform = \"bucketized\"\n";
    let folder = tempfile::tempdir().unwrap();
    let honest = publish_by(BUCKETIZED, &sample::hospital(1500, 1), folder.path());
    let release = folder.path().join("release");
    let [quasi, sensitive] =
        ["quasi.csv", "sensitive.csv"].map(|name| std::fs::read_to_string(release.join(name)).unwrap());
    let lines: Vec<&str> = sensitive.lines().collect();
    let (at, twice) = lines.iter().enumerate().skip(1).find(|(_, line)| line.ends_with(",2")).expect("two alike");
    let once = twice.strip_suffix('2').unwrap();
    let with = |line: &str| {
        let changed = lines.iter().enumerate().map(|(place, own)| if place == at { line } else { own });
        changed.map(|line| format!("{line}\n")).collect::<String>()
    };
    let beside = |text: &str, name: &str| {
        let mut names = std::iter::once(name).chain(std::iter::repeat("x"));
        text.lines().map(|line| format!("{line},{}\n", names.next().unwrap())).collect::<String>()
    };
    let check = |what: &str, quasi: &str, sensitive: &str, is_found: bool| {
        let mut document = honest.clone();
        for (name, text) in [("quasi.csv", quasi), ("sensitive.csv", sensitive)] {
            std::fs::write(release.join(name), text).unwrap();
            document["files"][name]["sha256"] = json!(digest(text.as_bytes()));
        }
        forge(&release, document);
        let found = verify(&release, &Formats::default()).unwrap();
        assert_eq!(found.failed().any(|claim| claim.name == "figures"), is_found, "{what}: {:?}", found.claims);
    };
    check("nothing changed", &quasi, &sensitive, false);
    check("a value twice", &quasi, &with(&format!("{once}1\n{once}1")), true);
    check("a sign", &quasi, &with(&format!("{once}+2")), true);
    check("a zero", &quasi, &with(&format!("{once}02")), true);
    check("another column", &quasi, &beside(&sensitive, "more"), true);
    check("the sensitive column", &beside(&quasi, "disease"), &sensitive, true);
}

/// Nothing is guessed about a table that the certificate describes: neither its delimiter, nor what
/// its numbers mean.
#[test]
fn tables_are_read_as_they_were_written() {
    let folder = tempfile::tempdir().unwrap();
    let semicolons = Table::new(vec![Column::from_values("a;b", ["x;y"; 4])]).unwrap();
    let plan = "[columns]\n\"a;b\" = \"quasi\"\n[[require]]\ncriterion = \"k-anonymity\"\nk = 2\n";
    publish_by(plan, &semicolons, folder.path());

    // Whether salaries are numbers, only the certificate tells; and that no pain is a value, and
    // not a missing one.
    let sex = Column::from_values("sex", (0..12).map(|person| ["f", "m"][person % 2]));
    let salary = Column::from_values("salary", (1..=12).map(|salary: u32| (salary * 900).to_string()));
    let pain = Column::from_values("pain", (0..12).map(|person| ["", "some", "much"][person % 3]));
    for (sensitive, words, form) in
        [(salary, "", "bucketized"), (pain, ", order = [\"\", \"some\", \"much\"]", "generalized")]
    {
        let plan = format!(
            "[columns]\nsex = \"quasi\"\n{} = {{ role = \"sensitive\"{words} }}\n\
            [[require]]\ncriterion = \"t-closeness\"\nt = 0.5\ndistance = \"ordered\"\n\
            [method]\nname = \"mondrian\"\n[release]\nform = \"{form}\"\n",
            sensitive.name()
        );
        publish_by(&plan, &Table::new(vec![sex.clone(), sensitive]).unwrap(), folder.path());
        let found = verify(&folder.path().join("release"), &Formats::default()).unwrap();
        let told = found.claims.iter().find(|claim| claim.name == "criterion 1: t-closeness").unwrap();
        assert_eq!(told.holds, Some(true), "{told:?}");
    }
}

/// How many people an attack could be sure of is counted again.
#[test]
fn shares_of_vulnerable_people_are_counted_again() {
    let plan = "[columns]\nage = \"quasi\"\nsex = \"quasi\"\ndisease = \"sensitive\"\n\
        [[require]]\ncriterion = \"frequency-l-diversity\"\nl = 2\n\
        [method]\nname = \"greedy-grouping\"\n[release]\nform = \"bucketized\"\n\
        [[attack]]\nattack = \"minimality\"\n[gate]\nattacks = \"report\"\n";
    let folder = tempfile::tempdir().unwrap();
    let mut document = publish_by(plan, &sample::hospital(300, 1), folder.path());
    let release = folder.path().join("release");
    let share = &mut document["attacks"][0]["details"]["vulnerable_share"];
    assert!(share.as_f64().unwrap() > 0.0, "{share}");
    *share = json!(0);
    forge(&release, document);
    let found = verify(&release, &Formats::default()).unwrap();
    let failed: Vec<&str> = found.failed().map(|claim| claim.name.as_str()).collect();
    assert!(failed.contains(&"attack: minimality on disease"), "{failed:?}");
}

/// What needs the original is not in the certificate, but for that it was made; what stands there
/// anybody finds again.
#[test]
fn attacks_that_need_the_original_are_named_and_no_more() {
    let table = sample::hospital(1500, 1);
    let ward = (0..table.rows()).map(|row| format!("ward {}", row * 7 % 11 % 5));
    let columns = table.columns().iter().cloned().chain([Column::from_values("ward", ward)]);
    let plan = PLAN.replace("    disease = \"sensitive\"", "    disease = \"sensitive\"\n    ward = \"sensitive\"");
    let plan = plan.replace("t-closeness\"\n    t = 0.6", "t-closeness\"\n    on = \"disease\"\n    t = 0.6");
    let folder = tempfile::tempdir().unwrap();
    let document = publish_by(&plan, &Table::new(columns.collect()).unwrap(), folder.path());
    assert_eq!(document["undisclosed_attacks"], json!(["definetti", "demographic"]));
    let stated = document["attacks"].as_array().unwrap();
    assert!(stated.iter().all(|one| one["attack"] != "demographic"));
    for one in stated {
        let kind = attack::find(one["attack"].as_str().unwrap()).unwrap();
        let wanted = [Member::of(kind, &[]).unwrap()];
        let found = release::attack(&folder.path().join("release"), &wanted, &Formats::default()).unwrap();
        let same = found
            .iter()
            .any(|again| json!(again.finding.on) == one["on"] && again.finding.highest_belief == one["highest_belief"]);
        assert!(same, "{one}");
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
    let plan = TablePlan::parse(PLAN, Path::new(".")).unwrap();
    let made = publish::make(&plan, &table, &Formats::default()).unwrap().pass().unwrap();
    let row = (0..3000u32).find(|row| !made.recoded.row_of.contains(row)).unwrap() as usize;
    let disease = table.column("disease").unwrap();
    for code in 0..disease.domain().len() as u32 {
        let mut codes = disease.codes().to_vec();
        codes[row] = code;
        let changed = Column::new("disease", codes, disease.domain().clone());
        let other = publish(&table.clone().with_column(changed).unwrap(), folder.path());
        // With another disease the record might not have to be suppressed at all: then there is
        // nothing to compare.
        if other["suppressed"] == first["suppressed"] {
            assert_eq!(differences(&first, &other, ""), Vec::<String>::new(), "disease {code}");
        }
    }
}

#[test]
fn copies_are_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let honest = publish(&sample::hospital(1000, 1), folder.path());
    let (release, copied) = (folder.path().join("release"), folder.path().join("copy"));
    let certificate = release::copy(&release, &Destination::new(&copied)).unwrap();
    assert_eq!(certificate.document, honest);
    assert!(verify(&copied, &Formats::default()).unwrap().holds());
    assert!(release::copy(&release, &Destination::new(&copied)).is_err(), "nothing is replaced unasked");

    let other = folder.path().join("other");
    let refused = |what: &str| {
        let error = release::copy(&release, &Destination::new(&other)).err();
        assert_eq!(error.map(|error| error.fault()), Some(sfumato::Fault::Gate), "{what}");
        assert!(!other.exists(), "{what}");
    };
    let data = std::fs::read(release.join("data.csv")).unwrap();
    std::fs::write(release.join("data.csv"), b"changed").unwrap();
    refused("a changed table");
    std::fs::remove_file(release.join("data.csv")).unwrap();
    refused("a table that is gone");
    std::fs::write(folder.path().join("elsewhere.csv"), &data).unwrap();
    let mut elsewhere = honest.clone();
    let facts = elsewhere["files"].as_object_mut().unwrap().remove("data.csv").unwrap();
    elsewhere["files"]["../elsewhere.csv"] = facts;
    forge(&release, elsewhere);
    refused("a table elsewhere");
}

#[test]
fn what_could_be_met_is_told() {
    let wanted = PLAN.replace("t = 0.6", "t = 0.6\n[[require]]\ncriterion = \"entropy-l-diversity\"\nl = 100");
    let plan = TablePlan::parse(&wanted, Path::new(".")).unwrap();
    let table = sample::hospital(1000, 1);
    let error = publish::make(&plan, &table, &Formats::default()).err().expect("nobody has so many values");
    let [one] = error.attainable() else { panic!("{:?}", error.attainable()) };
    assert_eq!((one.criterion.as_str(), &one.on[..]), ("entropy-l-diversity", &["disease".to_string()][..]));
    let best: f64 = one.best.as_ref().unwrap().parse().unwrap();
    let met = wanted.replace("l = 100", &format!("l = {}", best - 0.01));
    let plan = TablePlan::parse(&met, Path::new(".")).unwrap();
    assert!(publish::make(&plan, &table, &Formats::default()).is_ok());
}
