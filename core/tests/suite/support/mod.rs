//! A second, plain reading of every definition, in floats and loops: shares no code with the
//! library.

#[path = "../../../../reproduce/src/skyline/dynamic_program.rs"]
pub mod dynamic_program;
pub mod settings;
pub mod worlds;

use dynamic_program::{Bucket, Semantics, breach};
use settings::{Asked, DISEASES, Sensitive, settings};
use sfumato::criterion::{Build, Requirement};
use sfumato::data::{Column, Schema, Table};
use sfumato::kind::{Kind, Raw};
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

/// A row of the small tables that tests draw at random.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub zip: u32,
    pub disease: u32,
    pub drug: u32,
}

pub fn table_of(rows: &[Row]) -> Table {
    Table::new(vec![
        Column::from_values("zip", rows.iter().map(|row| row.zip.to_string())),
        Column::from_values("disease", rows.iter().map(|row| DISEASES[row.disease as usize])),
        Column::from_values("drug", rows.iter().map(|row| format!("drug {}", row.drug))),
    ])
    .unwrap()
}

/// Values as written in a plan.
pub fn raw<'a>(written: &[(&'a str, &str)]) -> Vec<(&'a str, Raw)> {
    fn of(value: &DeValue<'_>) -> Raw {
        match value {
            DeValue::String(text) => Raw::Text(text.to_string()),
            DeValue::Boolean(flag) => Raw::Flag(*flag),
            DeValue::Array(items) => Raw::List(items.iter().map(|item| of(item.get_ref())).collect()),
            DeValue::Table(table) => Raw::Table(
                table.iter().map(|(name, value)| (name.get_ref().to_string(), of(value.get_ref()))).collect(),
            ),
            DeValue::Integer(number) => Raw::Number(number.to_string()),
            DeValue::Float(number) => Raw::Number(number.to_string()),
            DeValue::Datetime(_) => Raw::Other("a date"),
        }
    }
    let value = |text: &str| {
        let line = format!("value = {text}");
        let document = DeTable::parse(&line).unwrap_or_else(|error| panic!("{text}: {error}"));
        of(document.get_ref()["value"].get_ref())
    };
    written.iter().map(|(name, text)| (*name, value(text))).collect()
}

/// A requirement as a plan writes it.
pub fn text_of(kind: &Kind<Build>, written: &[(&str, &str)], on: &[&str]) -> String {
    let lines: String = written.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    let on = if on.is_empty() { String::new() } else { format!("on = {on:?}\n") };
    format!("criterion = \"{}\"\n{on}{lines}", kind.name)
}

/// How many cases of a property are tried: more with SFUMATO_CASES.
pub fn cases(usual: u32) -> u32 {
    std::env::var("SFUMATO_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The sensitive column of the tables that tests draw at random.
pub const DISEASE: Sensitive = Sensitive { name: "disease", values: &DISEASES };

/// A criterion with its example and with further settings.
pub fn requirement_of(kind: &'static Kind<Build>, schema: &Schema) -> Vec<Requirement> {
    let read = |asked: Asked| sfumato::plan::requirement(&asked.text(), schema).unwrap();
    settings(kind, DISEASE, 2).into_iter().map(read).collect()
}

/// Criteria that ask how many people there are, and not for shares alone: with more people of each
/// kind they hold the sooner.
pub const COUNT_PEOPLE: [&str; 4] = ["k-anonymity", "alpha-k-anonymity", "ck-safety", "skyline"];

/// What a plain reading finds.
pub struct Plain {
    pub measured: f64,
    /// Nothing where floats cannot tell.
    pub holds: Option<bool>,
}

type Counts = BTreeMap<u32, f64>;

fn counts(values: impl Iterator<Item = u32>) -> Counts {
    values.fold(Counts::new(), |mut counts, value| {
        *counts.entry(value).or_default() += 1.0;
        counts
    })
}

fn descending(counts: &Counts) -> Vec<f64> {
    let mut list: Vec<f64> = counts.values().copied().collect();
    list.sort_by(|a, b| b.total_cmp(a));
    list
}

fn total(counts: &Counts) -> f64 {
    counts.values().sum()
}

fn share(counts: &Counts, value: u32) -> f64 {
    counts.get(&value).copied().unwrap_or(0.0) / total(counts)
}

fn effective(counts: &[f64]) -> f64 {
    let sum: f64 = counts.iter().sum();
    (-counts.iter().filter(|&&count| count > 0.0).map(|count| count / sum * (count / sum).ln()).sum::<f64>()).exp()
}

/// Algorithm 1 of the paper, as printed.
fn adjusted(sensitive: &[f64], dont_care: &[f64]) -> f64 {
    if sensitive.is_empty() {
        return f64::INFINITY;
    }
    let mean = |fixed: &[f64]| fixed.iter().map(|c| c * c.ln()).sum::<f64>() / fixed.iter().sum::<f64>();
    let mut fixed = sensitive.to_vec();
    let mut changeable = dont_care.to_vec();
    changeable.sort_by(|a, b| b.total_cmp(a));
    while changeable.last().is_some_and(|least| least.ln() < mean(&fixed)) {
        fixed.extend(changeable.pop());
    }
    let lowered = mean(&fixed).exp();
    fixed.extend(changeable.iter().map(|_| lowered));
    effective(&fixed)
}

/// Definition 4.3, as printed; infinite without a tail, zero with nothing to protect.
fn pd_ratio(counts: &Counts, dont_care: &[u32], l: usize) -> f64 {
    if l == 1 {
        return 0.0;
    }
    let mut ranked: Vec<(f64, bool)> =
        counts.iter().map(|(value, count)| (*count, dont_care.contains(value))).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some(y) = ranked.iter().position(|entry| !entry.1).map(|at| at + 1) else { return 0.0 };
    let r = |rank: usize| ranked.get(rank - 1).map_or(0.0, |entry| entry.0);
    let m = ranked.len();
    let tail: f64 =
        if y < l { (l..=m).map(r).sum() } else { (l - 1..y).map(r).sum::<f64>() + (y + 1..=m).map(r).sum::<f64>() };
    // An empty sum of floats is −0, which would divide to −∞.
    r(y) / (tail + 0.0)
}

/// The least chance that so many statements about people of one group are all false, people before
/// having been named at most so many values.
fn all_false(counts: &[f64], statements: usize, person: usize, at_most: usize) -> f64 {
    if statements == 0 {
        return 1.0;
    }
    let left = counts.iter().sum::<f64>() - person as f64;
    let named = (1..=statements.min(at_most)).map(|named| {
        let possible = (left - counts.iter().take(named).sum::<f64>()).max(0.0);
        if possible == 0.0 { 0.0 } else { possible / left * all_false(counts, statements - named, person + 1, named) }
    });
    named.fold(f64::INFINITY, f64::min)
}

/// The least negated ratio of (c,k)-safety: every way to spread statements over groups, one of
/// which is the target's.
fn least_ratio(groups: &[Vec<f64>], statements: usize, has_target: bool) -> f64 {
    let Some((first, rest)) = groups.split_first() else {
        return if statements == 0 && has_target { 1.0 } else { f64::INFINITY };
    };
    let mut least = f64::INFINITY;
    for here in 0..=statements {
        let chance = all_false(first, here, 0, here);
        let elsewhere = least_ratio(rest, statements - here, has_target);
        least = least.min(if elsewhere.is_infinite() { elsewhere } else { chance * elsewhere });
        if here > 0 && !has_target {
            let elsewhere = least_ratio(rest, statements - here, true);
            let ratio = chance * first.iter().sum::<f64>() / first[0];
            least = least.min(if elsewhere.is_infinite() { elsewhere } else { ratio * elsewhere });
        }
    }
    least
}

/// The plain reading of a requirement on a table. Rows tell values by their places in this list.
pub fn naive(wanted: &Requirement, rows: &[Row], values: &[&str]) -> Plain {
    let all = 0..values.len() as u32;
    let name = wanted.criterion.kind.name;
    let params = &wanted.criterion.params;
    let decimal = |param: &str| params.decimal(param).to_f64();
    let codes = |param: &str| -> Vec<u32> {
        let of = |value: &String| values.iter().position(|known| known == value).unwrap() as u32;
        params.values(param).iter().map(of).collect()
    };
    let mut zips: Vec<u32> = rows.iter().map(|row| row.zip).collect();
    zips.sort_unstable();
    zips.dedup();
    let groups: Vec<Vec<Row>> =
        zips.iter().map(|zip| rows.iter().filter(|row| row.zip == *zip).copied().collect()).collect();
    let whole = counts(rows.iter().map(|row| row.disease));
    let diseases: Vec<Counts> = groups.iter().map(|group| counts(group.iter().map(|row| row.disease))).collect();

    let least = |values: Vec<f64>| values.into_iter().fold(f64::INFINITY, f64::min);
    let most = |values: Vec<f64>| values.into_iter().fold(0.0, f64::max);
    let each = |measure: &dyn Fn(&Counts) -> f64| diseases.iter().map(measure).collect::<Vec<f64>>();
    let at_least = |measured: f64, bound: f64| Plain { measured, holds: apart(measured, bound) };
    let at_most = |measured: f64, bound: f64| Plain { measured, holds: apart(bound, measured) };

    if let Some(inner) = name.strip_prefix("multi-attribute-") {
        // Definition 4.6: each sensitive column alone, the other one among the quasi-identifiers.
        let mut parts: Vec<Counts> = Vec::new();
        for group in &groups {
            for drug in all.clone() {
                parts.push(counts(group.iter().filter(|row| row.drug == drug).map(|row| row.disease)));
            }
            for disease in all.clone() {
                parts.push(counts(group.iter().filter(|row| row.disease == disease).map(|row| row.drug)));
            }
        }
        parts.retain(|part| !part.is_empty());
        let each = |measure: &dyn Fn(&Counts) -> f64| parts.iter().map(measure).collect::<Vec<f64>>();
        return match inner {
            "distinct-l-diversity" => at_least(least(each(&|part| part.len() as f64)), params.count("l") as f64 - 0.5),
            "frequency-l-diversity" => at_least(least(each(&|part| total(part) / descending(part)[0])), decimal("l")),
            "entropy-l-diversity" => at_least(least(each(&|part| effective(&descending(part)))), decimal("l")),
            "recursive-cl-diversity" => {
                at_most(most(each(&|part| pd_ratio(part, &[], params.count("l") as usize))), decimal("c"))
            }
            other => panic!("no plain reading of multi-attribute {other}"),
        };
    }
    match name {
        "k-anonymity" => at_least(least(each(&total)), params.count("k") as f64 - 0.5),
        "alpha-k-anonymity" => {
            let share = most(each(&|group| descending(group)[0] / total(group)));
            let size = least(each(&total));
            let holds = apart(decimal("alpha"), share).map(|fine| fine && size >= params.count("k") as f64);
            Plain { measured: share, holds: if size < params.count("k") as f64 { Some(false) } else { holds } }
        }
        "distinct-l-diversity" => at_least(least(each(&|group| group.len() as f64)), params.count("l") as f64 - 0.5),
        "frequency-l-diversity" => at_least(least(each(&|group| total(group) / descending(group)[0])), decimal("l")),
        "entropy-l-diversity" => at_least(least(each(&|group| effective(&descending(group)))), decimal("l")),
        "recursive-cl-diversity" => {
            at_most(most(each(&|group| pd_ratio(group, &[], params.count("l") as usize))), decimal("c"))
        }
        "pd-recursive-cl-diversity" => {
            let dont_care = codes("dont_care");
            at_most(most(each(&|group| pd_ratio(group, &dont_care, params.count("l") as usize))), decimal("c"))
        }
        "npd-recursive-cl-diversity" => {
            let dont_care = codes("dont_care");
            let ratio = most(each(&|group| pd_ratio(group, &dont_care, params.count("l") as usize)));
            let percent = least(each(&|group| 100.0 * least(codes("keep").iter().map(|&v| share(group, v)).collect())));
            let holds = apart(decimal("c1"), ratio).zip(apart(percent, decimal("c2"))).map(|(a, b)| a && b);
            Plain { measured: ratio, holds }
        }
        "entropy-l-diversity-dont-care" => {
            let dont_care = codes("dont_care");
            let number = |group: &Counts| {
                let side = |free: bool| -> Vec<f64> {
                    group.iter().filter(|(v, _)| dont_care.contains(v) == free).map(|(_, count)| *count).collect()
                };
                adjusted(&side(false), &side(true))
            };
            at_least(least(each(&number)), decimal("l"))
        }
        "t-closeness" => {
            let distance =
                |group: &Counts| all.clone().map(|v| (share(group, v) - share(&whole, v)).abs()).sum::<f64>() / 2.0;
            at_most(most(each(&distance)), decimal("t"))
        }
        "delta-disclosure" => {
            let ignore = params.choice("absent") == "ignore";
            let largest = |group: &Counts| {
                let values = whole.keys().filter(|v| !ignore || group.contains_key(v));
                most(values.map(|&v| (share(group, v) / share(&whole, v)).ln().abs()).collect())
            };
            at_most(most(each(&largest)), decimal("delta"))
        }
        "beta-likeness" => {
            let enhanced = params.choice("variant") == "enhanced";
            let gain = |group: &Counts| {
                let of = |v: &u32| {
                    let gain = (share(group, *v) - share(&whole, *v)) / share(&whole, *v);
                    if enhanced && gain > -share(&whole, *v).ln() + 1e-12 { f64::INFINITY } else { gain.max(0.0) }
                };
                most(group.keys().map(of).collect())
            };
            at_most(most(each(&gain)), decimal("beta"))
        }
        "bayes-optimal" => {
            // Estimated from the table that is grouped by the same columns, belief is the prior.
            let needed = |group: &Counts| {
                let of = |v: u32| {
                    let belief = share(group, v);
                    let low = if belief < decimal("rho1") - 1e-12 { belief } else { 0.0 };
                    let high = if belief > 1.0 - decimal("rho1") + 1e-12 { 1.0 - belief } else { 0.0 };
                    low.max(high)
                };
                most(all.clone().map(of).collect())
            };
            at_most(most(each(&needed)), decimal("rho2"))
        }
        "ck-safety" => {
            let groups: Vec<Vec<f64>> = diseases.iter().map(descending).collect();
            let statements = params.count("k") as usize + 1;
            at_most(1.0 / (1.0 + least_ratio(&groups, statements, false)), decimal("c"))
        }
        "skyline" => {
            let counts_of = |group: &Counts| -> Vec<u32> {
                all.clone().map(|value| group.get(&value).copied().unwrap_or(0.0) as u32).collect()
            };
            let belief = |point: &sfumato::kind::Point, value: usize| {
                let buckets: Vec<Bucket> =
                    diseases.iter().map(|group| Bucket::new(total(group) as u32, &counts_of(group), value)).collect();
                breach(Semantics::Single, &buckets, (point.l as usize, point.k as usize, point.m as usize))
            };
            // A point is about the value that it names, or about all that no other one names.
            let points = params.points("points");
            let is_named = |value: &str| points.iter().any(|point| point.value.as_deref() == Some(value));
            let is_about = |point: &sfumato::kind::Point, value: &str| match &point.value {
                Some(own) => own == value,
                None => !is_named(value),
            };
            let highest = |point: &sfumato::kind::Point| {
                let about = (0..values.len()).filter(|&value| is_about(point, values[value]));
                most(about.map(|value| belief(point, value)).collect())
            };
            let points: Vec<(f64, f64)> = points.iter().map(|point| (highest(point), point.c.to_f64())).collect();
            let decided: Vec<Option<bool>> = points.iter().map(|(belief, c)| apart(*c, *belief)).collect();
            let holds = if decided.contains(&Some(false)) {
                Some(false)
            } else {
                decided.iter().copied().collect::<Option<Vec<bool>>>().map(|_| true)
            };
            // The point that decides: one that fails if any does, and of those the one that is
            // strained most. At exactly c a point fails.
            let strain = |(belief, c): &(f64, f64)| (*belief > c - 1e-9, belief / c);
            let deciding = points.iter().max_by(|a, b| strain(a).partial_cmp(&strain(b)).expect("numbers"));
            Plain { measured: deciding.expect("a point").0, holds }
        }
        other => panic!("no plain reading of {other}: write one"),
    }
}

/// Whether the first is the larger, unless floats cannot tell.
fn apart(a: f64, b: f64) -> Option<bool> {
    if (a - b).abs() < 1e-9 { None } else { Some(a > b) }
}
