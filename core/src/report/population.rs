//! How many people of a population are unique, as text and as JSON.

use super::terminal::{counted, grouped, table};
use crate::inspect::{Estimator, Population};
use serde_json::{Value, json};

/// The document of `inspect --population --json`.
pub fn population_json(found: &Population) -> Value {
    let estimates: serde_json::Map<String, Value> =
        found.estimates.iter().map(|(estimator, count)| (estimator.name().to_lowercase(), json!(count))).collect();
    json!({
        "people": found.people,
        "records": found.records,
        "sampling_fraction": found.sampling_fraction(),
        "classes": found.classes,
        "sample_uniques": found.sample_uniques,
        "distinction": found.distinction(),
        "separation": found.separation,
        "population_uniques": estimates,
        "advised": found.advised.map(|estimator| estimator.name().to_lowercase()),
    })
}

/// The same for people who read.
pub fn population_text(found: &Population) -> String {
    let share = |part: f64, whole: f64| format!("{:.2} %", 100.0 * part / whole);
    let (people, records) = (found.people as f64, found.records as f64);
    let mut text = format!(
        "{} of {} people ({}); quasi-identifiers as they stand in the table\n\n",
        counted(found.records, "record"),
        grouped(found.people as usize),
        share(records, people)
    );
    text += &format!(
        "Unique in the table: {} records ({}); {} classes, {:.4} per record (distinction).\n",
        grouped(found.sample_uniques as usize),
        share(found.sample_uniques as f64, records),
        grouped(found.classes as usize),
        found.distinction()
    );
    if let Some(separation) = found.separation {
        text += &format!("Pairs of records that differ: {:.4} % (separation).\n", 100.0 * separation);
    }
    text += "\nUnique among all people, estimated\n";
    let mut rows = table(&["estimator", "people", "share of the people", ""], &[1, 2]);
    for (estimator, count) in &found.estimates {
        let mark = if found.advised == Some(*estimator) { "advised" } else { "" };
        let cells = count.map_or(["no solution".to_string(), String::new()], |count| {
            [grouped(count.round() as usize), share(count, people)]
        });
        let [count, part] = cells;
        rows.add_row([estimator.name().to_string(), count, part, mark.to_string()]);
    }
    text += &format!("{rows}\n");
    text += &format!(
        "Estimators assume how the population is spread, and differ: none is a bound. {} is advised by Dankar et al. (2012) for this share of the people.\n",
        found.advised.map_or("None", Estimator::name)
    );
    text
}
