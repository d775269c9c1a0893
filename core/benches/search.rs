//! Lattice search on Adult: the best generalization for 5-anonymity alone and with diversity or closeness, with and without suppression.

mod support;

use sfumato::anonymize::{Task, Wanted};
use sfumato::criterion::{Bound, Requirement};
use sfumato::data::{Formats, ReadOptions, Role, Schema, Table};
use sfumato::plan::{self, Plan};
use sfumato::utility::Chosen;
use std::path::Path;
use support::best;

const SEARCHED: [&str; 9] =
    ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class", "occupation"];

fn schema(folder: &Path, quasi: &[&str], sensitive: Option<&str>) -> Schema {
    let columns: String = quasi
        .iter()
        .map(|name| {
            format!("{name} = {{ role = \"quasi\", hierarchy = {{ file = \"adult_hierarchy_{name}.csv\" }} }}\n")
        })
        .collect();
    let sensitive = sensitive.map_or(String::new(), |name| format!("{name} = \"sensitive\"\n"));
    Plan::parse(&format!("[columns]\n{columns}{sensitive}"), folder).expect("a plan").schema
}

fn run(table: &Table, schema: &Schema, criteria: &[&str], share: f64, method: &str, metric: &str, label: &str) {
    if std::env::args().nth(1).is_some_and(|only| !only.starts_with("--") && !label.contains(&only)) {
        return;
    }
    let requirements: Vec<Requirement> =
        criteria.iter().map(|text| plan::requirement(text, schema).expect("a criterion")).collect();
    let bound: Vec<Bound> =
        requirements.iter().map(|wanted| wanted.bind(table, schema, Path::new(".")).expect("it binds")).collect();
    let metric = Chosen::new(metric, &[]).expect("a metric");
    let limit = (share * table.rows() as f64).floor() as u64;
    let task = Task { table, schema, requirements: &requirements, bound: &bound, limit, metric: &metric };
    let method = Wanted::new(method, &[]).expect("a method").build();
    let (time, found) = best(5, || method.run(&task).expect("it runs"));
    let time = time.as_secs_f64();
    match found {
        Some(found) => println!(
            "{label:<60} {:>9.2} ms  {:?} {:.6} suppressed {} nodes {} checked {} safe {} minimal {}",
            time * 1e3,
            found.levels,
            found.value,
            found.suppressed,
            found.nodes,
            found.checked,
            found.safe,
            found.minimal.len()
        ),
        None => println!("{label:<60} {:>9.2} ms  infeasible", time * 1e3),
    }
}

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/adult-arx");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    let table = Formats::default().read(&folder.join("adult.csv"), &ReadOptions::default()).expect("Adult");
    let k = "criterion = \"k-anonymity\"\nk = 5";
    let with = |more: &'static str| vec![k, more];
    let cases = [
        ("5-anonymity", vec![k]),
        ("recursive (3,4)", with("criterion = \"recursive-cl-diversity\"\non = \"occupation\"\nc = 3\nl = 4")),
        ("entropy 5", with("criterion = \"entropy-l-diversity\"\non = \"occupation\"\nl = 5")),
        ("distinct 5", with("criterion = \"distinct-l-diversity\"\non = \"occupation\"\nl = 5")),
        ("t-closeness 0.2", with("criterion = \"t-closeness\"\non = \"occupation\"\nt = 0.2")),
    ];
    for qis in [7, 8] {
        let schema = schema(&folder, &SEARCHED[..qis], Some("occupation"));
        assert_eq!(schema.names(Role::Quasi).len(), qis);
        for (name, criteria) in &cases {
            for share in [0.0, 0.02] {
                for method in ["optimal", "incognito"] {
                    run(
                        &table,
                        &schema,
                        criteria,
                        share,
                        method,
                        "loss",
                        &format!("{qis} QIs, {name}, {share}, {method}"),
                    );
                }
            }
        }
    }
    let schema = schema(&folder, &SEARCHED, None);
    for share in [0.0, 0.02] {
        run(&table, &schema, &[k], share, "optimal", "loss", &format!("9 QIs, 5-anonymity, {share}"));
    }
}
