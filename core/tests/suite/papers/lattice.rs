//! Optima that other tools find on the same data: METHODS, section 7.

use super::real_data::adult_arx;
use sfumato::data::{Formats, Table};
use sfumato::publish::{Made, make};
use sfumato::{Fault, TablePlan};
use std::path::Path;

const QUASI: [&str; 7] = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];

/// The hierarchies, with the one misspelt continent of the file (England lies in "Europa",
/// everybody else's Europe in "Europe") put right: the published optima are for it.
fn mended(folder: &Path) -> tempfile::TempDir {
    let mended = tempfile::tempdir().unwrap();
    for name in QUASI.iter().chain(&["occupation"]) {
        let file = format!("adult_hierarchy_{name}.csv");
        let text = std::fs::read_to_string(folder.join(&file)).unwrap().replace("Europa", "Europe");
        std::fs::write(mended.path().join(file), text).unwrap();
    }
    mended
}

fn publish(table: &Table, folder: &Path, criteria: &str, suppressed: &str, method: &str) -> sfumato::Result<Made> {
    let columns: String = QUASI
        .iter()
        .map(|name| {
            format!("{name} = {{ role = \"quasi\", hierarchy = {{ file = \"adult_hierarchy_{name}.csv\" }} }}\n")
        })
        .collect();
    let text = format!(
        "[columns]\n{columns}occupation = \"sensitive\"\n{criteria}\n[method]\nname = \"{method}\"\nmetric = \"loss\"\n\
         [release]\nmax_suppressed = \"{suppressed}\"\n"
    );
    let plan = TablePlan::parse(&text, folder)?;
    make(&plan, table, &Formats::default())?.pass()
}

const FIVE: &str = "[[require]]\ncriterion = \"k-anonymity\"\nk = 5\n";

struct Expected {
    levels: [usize; 7],
    loss: f64,
    suppressed: usize,
    groups: usize,
}

#[test]
fn the_optima_on_adult_come_out() {
    let Some((table, folder)) = adult_arx() else { return };
    let mended = mended(&folder);
    let entropy = format!("{FIVE}[[require]]\ncriterion = \"entropy-l-diversity\"\nl = 5\n");
    let close = format!("{FIVE}[[require]]\ncriterion = \"t-closeness\"\nt = 0.2\ndistance = \"equal\"\n");
    let cases = [
        (FIVE, "0%", Expected { levels: [0, 4, 0, 1, 3, 2, 2], loss: 0.564390, suppressed: 0, groups: 20 }),
        (FIVE, "2%", Expected { levels: [0, 3, 0, 1, 2, 1, 1], loss: 0.226000, suppressed: 552, groups: 233 }),
        (&entropy, "2%", Expected { levels: [0, 3, 0, 1, 3, 1, 2], loss: 0.374959, suppressed: 554, groups: 74 }),
        (&close, "2%", Expected { levels: [1, 4, 1, 1, 3, 1, 2], loss: 0.790011, suppressed: 235, groups: 6 }),
    ];
    for (criteria, suppressed, expected) in &cases {
        for method in ["optimal", "incognito"] {
            let made = publish(&table, mended.path(), criteria, suppressed, method).unwrap();
            let found = &made.publication;
            let levels: Vec<usize> =
                found.method.chosen.as_ref().unwrap().levels.iter().map(|(_, level)| *level).collect();
            assert_eq!(levels, expected.levels, "{criteria} {suppressed} {method}");
            assert!(
                (found.method.search.as_ref().unwrap().value - expected.loss).abs() < 5e-7,
                "{}",
                found.method.search.as_ref().unwrap().value
            );
            assert_eq!((found.suppressed, found.groups), (expected.suppressed, expected.groups));
        }
    }
}

/// With the file as it is, England's records are a continent of their own.
#[test]
fn the_file_as_it_is_has_another_optimum() {
    let Some((table, folder)) = adult_arx() else { return };
    let made = publish(&table, &folder, FIVE, "2%", "optimal").unwrap();
    let found = &made.publication;
    let levels: Vec<usize> = found.method.chosen.as_ref().unwrap().levels.iter().map(|(_, level)| *level).collect();
    assert_eq!((levels, found.suppressed), (vec![0, 3, 0, 1, 3, 1, 0], 603));
    assert!((found.method.search.as_ref().unwrap().value - 0.249999).abs() < 5e-7);
}

/// No generalization of Adult is recursive (3,12)-diverse on occupation, and the error says what
/// could be met.
#[test]
fn what_cannot_be_met_is_said() {
    let Some((table, folder)) = adult_arx() else { return };
    let criterion = "[[require]]\ncriterion = \"recursive-cl-diversity\"\nc = 3\nl = 12\n";
    let error = publish(&table, &folder, criterion, "0%", "optimal").err().expect("infeasible");
    assert_eq!(error.fault(), Fault::Infeasible);
    assert!(error.to_string().contains("recursive-cl-diversity"), "{error}");
}
