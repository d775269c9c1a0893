//! Uniques of a population, estimated from Adult: the 30,162 complete training rows are a sample of
//! the 45,222 complete ones, of whom it is known who is unique.

use super::real_data::{adult_arx, adult_complete};
use sfumato::data::{Column, Table};
use sfumato::inspect::{Estimator, Population, population};

const QUASI: [&str; 7] = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];

fn estimated(table: &Table, quasi: &[&str], people: u64) -> Population {
    let columns: Vec<&Column> = quasi.iter().map(|name| table.column(name).unwrap()).collect();
    population(&columns, table.rows(), people).unwrap()
}

fn close(found: Option<f64>, expected: f64, digits: f64) {
    let found = found.expect("an estimate");
    assert!((found - expected).abs() < digits, "{found} where {expected} is expected");
}

#[test]
fn estimates_on_adult_are_those_of_the_literature() {
    let Some((table, _)) = adult_arx() else { return };
    let found = estimated(&table, &QUASI, 45_222);
    close(found.estimate(Estimator::Zayatz), 9_921.349, 1e-3);
    close(found.estimate(Estimator::Pitman), 10_126.36, 1e-2);
    close(found.estimate(Estimator::Snb), 9_965.28, 1e-2);
    assert_eq!(found.advised, Some(Estimator::Zayatz), "two thirds of the people are in the sample");

    let found = estimated(&table, &QUASI, 1_000_000);
    close(found.estimate(Estimator::Zayatz), 91_799.44, 1e-2);
    close(found.estimate(Estimator::Pitman), 77_275.04, 1e-2);
    close(found.estimate(Estimator::Snb), 50_816.6, 1e-1);
    assert_eq!(found.advised, Some(Estimator::Pitman));
}

#[test]
fn distinction_and_separation_of_adult() {
    let Some((table, _)) = adult_arx() else { return };
    let all = estimated(&table, &QUASI, 45_222);
    close(Some(all.distinction()), 0.367_648_0, 1e-7);
    close(all.separation, 0.999_357_1, 1e-7);
    let age = estimated(&table, &["age"], 45_222);
    close(Some(age.distinction()), 0.002_387_1, 1e-7);
    close(age.separation, 0.978_117_3, 1e-7);
}

#[test]
fn so_many_of_the_people_are_unique() {
    let Some(table) = adult_complete() else { return };
    let found = estimated(&table, &QUASI, 45_222);
    assert_eq!(found.sample_uniques, 9_892);
    assert!(found.estimates.iter().all(|(_, count)| *count == Some(9_892.0)), "nobody is left to estimate");
}
