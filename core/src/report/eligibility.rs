//! Whether sensitive values are too skewed, and what could be done about it: as text and as JSON.

use super::terminal::{counted, grouped, number, percent, table, trimmed};
use crate::inspect::{Batches, Eligibility, Sight, Way};
use dashu_ratio::RBig;
use serde_json::{Map, Value, json};

/// What `inspect --eligibility` prints. Columns of dates that nobody asked about are pointed out.
pub fn eligibility_text(found: &[Eligibility], unasked_dates: &[&str]) -> String {
    let mut text = found.iter().map(column_text).collect::<Vec<_>>().join("\n");
    if !unasked_dates.is_empty() {
        let options: Vec<String> = unasked_dates.iter().map(|name| format!("--dates {name}")).collect();
        text += &format!(
            "\nPublished day by day, week by week or month by month, fewer records are more skewed: add {} to see how much.\n",
            options.join(" or ")
        );
    }
    text
}

fn column_text(found: &Eligibility) -> String {
    let mut text = format!("{}\n{}\n", verdict(found), values_text(found));
    text += &if found.eligible {
        "Nothing needs to be withheld.\n".to_string()
    } else if found.is_hopeless() {
        format!(
            "Whatever is withheld, no part of the table is {0}-eligible: that takes {0} different values.\n",
            found.l
        )
    } else {
        ways_text(found)
    };
    if !found.batches.is_empty() {
        text += &batches_text(&found.batches, found.l);
    }
    text
}

/// Whether the column is eligible, and why.
fn verdict(found: &Eligibility) -> String {
    let Eligibility { column, l, records, largest, .. } = found;
    if *records == 0 {
        return format!("✓ {column} is {l}-eligible: the table has no records.");
    }
    let most = format!(
        "the most frequent value has {} of {} ({})",
        grouped(*largest as usize),
        counted(*records, "record"),
        percent(found.largest_share().to_f64()),
    );
    let limit = format!("1/{l} ({})", percent(1.0 / (*l).max(1) as f64));
    if found.eligible {
        format!("✓ {column} is {l}-eligible: {most}, not more than {limit}.")
    } else {
        format!("✗ {column} is not {l}-eligible: {most}, more than {limit}.")
    }
}

fn values_text(found: &Eligibility) -> String {
    let mut text = counted(found.values as u64, "different value");
    if found.values_above > 0 {
        text += &format!(", {} above 1/{}", grouped(found.values_above), found.l);
    }
    match found.largest_l() {
        None => {}
        Some(1) => text += "; not eligible for any l from 2 on",
        Some(largest) => text += &format!("; eligible up to l = {}", grouped(largest as usize)),
    }
    text + "."
}

/// What each way to suppress would withhold and tell.
fn ways_text(found: &Eligibility) -> String {
    let header = ["", "way", "withheld (mean)", "share", "belief", "at worst", "of the missing", ""];
    let mut rows = table(&header, &[2, 3, 4, 5, 6]);
    for way in &found.ways {
        rows.add_row(way_row(way, found));
    }
    let mut text = format!(
        "\nWays to withhold records until it is. Belief: how sure somebody who knows the way can be which value was the most frequent one, \
         in the likeliest outcome and in the worst; and, at worst, which value a missing person had.\n\n{}",
        trimmed(&rows.to_string())
    );
    if found.ways.iter().any(|way| way.sights.is_some() && !way.is_listed_in_full()) {
        text += "  (≥: of the fifty likeliest outcomes)\n";
    }
    if found.values_above > 1 {
        text += &format!(
            "  ({} values are above 1/{}: what is promised is about the most frequent one alone)\n",
            found.values_above, found.l
        );
    }
    if found.ways.iter().any(|way| worst(way).is_none()) {
        text += "  (– where there are too many outcomes to look at)\n";
    }
    if let Some(way) = found.recommended() {
        text += &format!("\nTo publish, write in the plan: [skew] method = \"{}\"\n", way.name);
    }
    text
}

fn way_row(way: &Way, found: &Eligibility) -> Vec<String> {
    let withheld = way.expected.as_ref().map(|withheld| withheld.to_f64().value());
    let belief =
        |belief: Option<&RBig>| belief.map_or_else(|| "–".to_string(), |belief| percent(belief.to_f64().value()));
    // Where not all is listed, something else may be worse.
    let open = if way.is_listed_in_full() { "" } else { "≥ " };
    let at_worst = |worst: Option<&RBig>| match worst {
        Some(_) => format!("{open}{}", belief(worst)),
        None => belief(worst),
    };
    let likeliest = way.sights.iter().flatten().next().and_then(|sight| sight.max_belief.as_ref());
    vec![
        String::new(),
        way.name.to_string(),
        withheld.map_or_else(String::new, amount),
        withheld.map_or_else(String::new, |withheld| percent(withheld / found.records as f64)),
        belief(likeliest),
        at_worst(worst(way)),
        at_worst(way.sights.iter().flatten().map(|sight| &sight.missing_belief).max()),
        remark(way, found.l),
    ]
}

/// The highest belief that any outcome leads to, where all are known.
fn worst(way: &Way) -> Option<&RBig> {
    way.sights.iter().flatten().filter_map(|sight| sight.max_belief.as_ref()).max()
}

fn remark(way: &Way, l: u64) -> String {
    let is_above = || worst(way).is_some_and(|belief| belief * RBig::from(l) > RBig::ONE);
    if !way.is_publishable {
        "bound only, not for release".to_string()
    } else if way.keeps_to_limit {
        format!("promises 1/{l}")
    } else if is_above() {
        format!("claims 1/{l}, which does not hold")
    } else {
        format!("claims 1/{l}, which does not always hold")
    }
}

/// 12,345 or 7.88889
fn amount(value: f64) -> String {
    let is_whole = value.fract() == 0.0 || value >= 10_000.0;
    if is_whole { grouped(value.round() as usize) } else { number(value) }
}

fn batches_text(batches: &[Batches], l: u64) -> String {
    let names = batches.iter().take(1).flat_map(|first| first.rates.iter().map(|rate| rate.name));
    let header: Vec<&str> =
        ["", "batch", "batches", "violating", "share", "records in them"].into_iter().chain(names).collect();
    let mut rows = table(&header, &(2..header.len()).collect::<Vec<_>>());
    for found in batches {
        let fixed = [
            String::new(),
            found.period.name().to_string(),
            grouped(found.batches),
            grouped(found.violating),
            percent(found.violating as f64 / found.batches.max(1) as f64),
            grouped(found.violating_records as usize),
        ];
        rows.add_row(fixed.into_iter().chain(found.rates.iter().map(|rate| percent(rate.mean))));
    }
    let dates = &batches[0].dates;
    let mut text = format!(
        "\nPublished in batches by {dates}: how many are not {l}-eligible, and which share of a batch each way would withhold, in the mean over all.\n\n{}",
        trimmed(&rows.to_string())
    );
    if batches[0].undated > 0 {
        text += &format!("  ({} without a date in no batch)\n", counted(batches[0].undated, "record"));
    }
    text
}

/// The document of `inspect --eligibility --json`: the first column's, and all of them in a list.
pub fn eligibility_json(found: &[Eligibility]) -> Value {
    let columns: Vec<Value> = found.iter().map(|found| column_json(found).into()).collect();
    let mut document = found.first().map(column_json).unwrap_or_default();
    if columns.len() > 1 {
        document.insert("columns".into(), columns.into());
    }
    document.into()
}

fn column_json(found: &Eligibility) -> Map<String, Value> {
    let mut document = Map::new();
    let mut set = |name: &str, value: Value| document.insert(name.to_string(), value);
    set("column", json!(found.column));
    set("l", json!(found.l));
    set("eligible", json!(found.eligible));
    set("records", json!(found.records));
    set("values", json!(found.values));
    set("largest_share", json!(found.largest_share().to_f64()));
    set("values_above", json!(found.values_above));
    set("largest_l", json!(found.largest_l()));
    for way in &found.ways {
        set(way.figure, way.expected.as_ref().map_or(Value::Null, whole_or_real));
    }
    let listed = |way: &Way| Some((way.name.to_string(), sights_json(way.sights.as_ref()?)));
    let posterior: Map<String, Value> = found.ways.iter().filter_map(listed).collect();
    if !posterior.is_empty() {
        set("posterior", posterior.into());
    }
    let is_cut = |way: &&Way| way.sights.is_some() && !way.is_listed_in_full();
    let cut: Vec<&str> = found.ways.iter().filter(is_cut).map(|way| way.name).collect();
    if !cut.is_empty() {
        set("posterior_likeliest_only", json!(cut));
    }
    if !found.batches.is_empty() {
        set("batches", found.batches.iter().map(batches_json).collect());
    }
    document
}

fn sights_json(sights: &[Sight]) -> Value {
    let sight = |sight: &Sight| {
        json!({
            "published": sight.published,
            "probability": sight.probability.to_f64().value(),
            "max_belief": sight.max_belief.as_ref().map(|belief| belief.to_f64().value()),
            "missing_belief": sight.missing_belief.to_f64().value(),
        })
    };
    sights.iter().map(sight).collect()
}

fn batches_json(found: &Batches) -> Value {
    let rates: Map<String, Value> =
        found.rates.iter().map(|rate| (rate.figure.to_string(), json!(rate.mean))).collect();
    json!({
        "dates": found.dates,
        "period": found.period.name(),
        "batches": found.batches,
        "violating": found.violating,
        "violating_records": found.violating_records,
        "undated": found.undated,
        "rates": rates,
    })
}

/// Whole numbers without a point.
fn whole_or_real(number: &RBig) -> Value {
    let float = number.to_f64().value();
    if number.is_int() && float < 9e15 { json!(float as u64) } else { json!(float) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Column;
    use crate::inspect::{Period, batches, eligibility};

    #[test]
    fn amounts_are_short() {
        assert_eq!([amount(9.0), amount(71.0 / 9.0), amount(12_345.6)], ["9", "7.889", "12,346"]);
    }

    #[test]
    fn a_table_without_records_needs_nothing() {
        let nothing = |name| Column::from_values(name, Vec::<&str>::new());
        let mut found = eligibility(&nothing("disease"), 3);
        found.batches = batches(&nothing("day"), &nothing("disease"), 3, &[Period::Day]).unwrap();
        let text = eligibility_text(&[found.clone()], &[]);
        assert!(
            text.starts_with("✓ disease is 3-eligible: the table has no records.\n0 different values.\n"),
            "{text}"
        );
        let document = eligibility_json(&[found]);
        assert_eq!((&document["largest_l"], &document["safe_d"]), (&Value::Null, &json!(0)));
        assert_eq!(document["batches"][0]["rates"]["safe_d"], 0.0);
    }
}
