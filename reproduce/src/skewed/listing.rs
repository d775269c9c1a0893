//! How long the eligibility attack takes: tables that lead to a release are counted, against
//! listing them.

use super::deciding::{most, sizes, three, zipf};
use super::{RANDOM, by_loop, way};
use crate::Setting;
use crate::clock::{best, ratio};
use crate::page::{Cell, Chart, Column, Section, Source, Table};
use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;
use sfumato::report::grouped;
use sfumato::skew::{PublishedCounts, Skewed};
use sfumato::{Error, Fault, Result};
use std::collections::BTreeMap;
use std::time::Duration;

pub fn sections(setting: &Setting<'_>) -> Result<Vec<Section>> {
    Ok(vec![against_listing(setting)?, growth(setting)?])
}

/// What R-suppression publishes of a table.
fn released(table: &Skewed, seed: u64) -> PublishedCounts {
    let mut counts = way(RANDOM).draw(table, &mut ChaCha20Rng::seed_from_u64(seed));
    counts.sort_unstable_by(|a, b| b.cmp(a));
    PublishedCounts { counts, records: table.records(), l: table.l() }
}

/// Beliefs about a release, by counting.
fn counted(seen: &PublishedCounts) -> Result<Vec<f64>> {
    let found = way(RANDOM).beliefs(seen).ok_or_else(|| Error::new(Fault::Internal, "a release of no table"))?;
    Ok(found.iter().map(|belief| belief.to_f64().value()).collect())
}

// Against listing.

/// Calls for every base table with so many values, as numbers of records, largest first.
fn each_base(so_far: &mut Vec<u64>, left: u64, values: u64, use_it: &mut impl FnMut(&[u64])) {
    if values == 0 {
        return use_it(so_far);
    }
    let most = so_far.last().map_or(left, |&last| last.min(left + 1 - values));
    for count in left.div_ceil(values)..=most.min(left + 1 - values) {
        so_far.push(count);
        each_base(so_far, left - count, values - 1, use_it);
        so_far.pop();
    }
}

/// The chances that base tables lead to a release, by how many records S1 has in it, and how many
/// base tables there are. Orders of values and ranks of ties are not listed but counted.
fn listed(seen: &PublishedCounts) -> (BTreeMap<u64, f64>, usize) {
    let (mut chances, mut bases) = (BTreeMap::new(), 0);
    each_base(&mut Vec::new(), seen.records, seen.counts.len() as u64, &mut |base: &[u64]| {
        let Ok(table) = Skewed::new(base, seen.l) else { return };
        if base[0] == base[1] {
            return;
        }
        bases += 1;
        let orders = |tied: &[u64]| (1..=tied.len()).product::<usize>();
        let ties = base.chunk_by(|a, b| a == b).map(orders).product::<usize>() as f64;
        for h in 1..=seen.l {
            let (low, high) = (table.frequency(h + 1), table.frequency(h));
            for first in low..=high {
                let kept = by_loop::bound(&table, first);
                if kept == seen.counts {
                    // S1 is the last to be lowered within a level.
                    *chances.entry(first.min(kept[0])).or_insert(0.0) += 1.0 / (ties * (high - low + 1) as f64);
                }
            }
        }
    });
    (chances, bases)
}

/// Beliefs by what was listed, in the order of the release.
fn beliefs(seen: &PublishedCounts, chances: &BTreeMap<u64, f64>) -> Vec<f64> {
    let total: f64 = chances.values().sum();
    let belief = |count: &u64| {
        let alike = seen.counts.iter().filter(|other| *other == count).count() as f64;
        chances.get(count).copied().unwrap_or(0.0) / (total * alike)
    };
    seen.counts.iter().map(belief).collect()
}

fn against_listing(setting: &Setting<'_>) -> Result<Section> {
    let columns = [
        Column::count("records"),
        Column::count("base tables"),
        Column::time("listed"),
        Column::time("counted"),
        Column::times("listing: times as long"),
    ];
    let chart = Chart::lines("Time of the attack", "records", "seconds", ["listed", "counted"]).log();
    let mut table = Table::new("", columns).chart(chart);
    let mut difference: f64 = 0.0;
    for records in setting.pick(vec![20, 40], vec![20, 40, 80, 160]) {
        setting.now(&format!("listing base tables of {records} records"));
        let seen = released(&zipf(5, records, 4)?, 1);
        let (listing, (chances, bases)) = best(1, || listed(&seen));
        let (counting, found) = best(20, || counted(&seen));
        let pairs = beliefs(&seen, &chances).into_iter().zip(found?);
        difference = pairs.map(|(listed, counted)| (listed - counted).abs()).fold(difference, f64::max);
        table.row([
            (seen.records as usize).into(),
            bases.into(),
            listing.into(),
            counting.into(),
            ratio(listing, counting).into(),
        ]);
    }
    let source = Source::synthetic("five values by Zipf's law, l = 4");
    let section = Section::new("attack-listing", "The eligibility attack: counting tables against listing them", source)
        .words(format!(
            "One release of R-suppression of each table. Listing goes through every base table and every choice of R-suppression, with the loop over records; orders of values and ranks of ties are counted. The beliefs that both \
             find differ by {difference:.0e} at most."
        ))
        .table(table);
    Ok(section.timing())
}

// Growth.

/// Beliefs about several releases of a table.
struct Growth {
    mean: Duration,
    longest: Duration,
    /// The highest belief, in units of 1/l.
    highest: f64,
}

impl Growth {
    fn new(setting: &Setting<'_>, table: &Skewed) -> Result<Growth> {
        let values = table.frequencies().len();
        setting.now(&format!(
            "beliefs, {} records, {values} values, l = {}",
            grouped(table.records() as usize),
            table.l()
        ));
        let releases = setting.pick(2, 5);
        let mut found = Growth { mean: Duration::ZERO, longest: Duration::ZERO, highest: 0.0 };
        for seed in 1..=releases {
            let seen = released(table, seed);
            let (time, beliefs) = best(1, || counted(&seen));
            found.mean += time / releases as u32;
            found.longest = found.longest.max(time);
            found.highest = beliefs?.into_iter().map(|belief| belief * table.l() as f64).fold(found.highest, f64::max);
        }
        Ok(found)
    }

    fn cells(&self) -> [Cell; 3] {
        [self.mean.into(), self.longest.into(), self.highest.into()]
    }
}

fn growth_columns(of: &str) -> [Column; 3] {
    [
        Column::time(format!("{of}mean")),
        Column::time(format!("{of}longest")),
        Column::number(format!("{of}l × highest belief"), 2),
    ]
}

fn growth(setting: &Setting<'_>) -> Result<Section> {
    let source = Source::synthetic("frequencies by Zipf's law, and three values");
    let section = Section::new("attack-growth", "The eligibility attack: how its time grows", source)
        .words(format!(
            "{} releases of R-suppression of each table, one thread; which release is drawn matters as much as anything.",
            setting.pick(2, 5)
        ))
        .table(by_records(setting)?)
        .table(by_values_and_l(setting)?);
    Ok(section.timing())
}

fn by_records(setting: &Setting<'_>) -> Result<Table> {
    let (zipf_of, three_of) = ("Zipf, 20 values, l = 5: ", "three values, l = 3: ");
    let columns =
        [Column::count("records")].into_iter().chain([zipf_of, three_of].into_iter().flat_map(growth_columns));
    let series = [zipf_of, three_of].map(|of| format!("{of}longest"));
    let chart = Chart::lines("Time of the attack", "records", "seconds", series).log();
    let mut table = Table::new("By records", columns).chart(chart);
    for size in sizes(most(setting)) {
        let zipf = Growth::new(setting, &zipf(20, size, 5)?)?;
        let three = Growth::new(setting, &three(size)?)?;
        table.row([Cell::from(size as usize)].into_iter().chain(zipf.cells()).chain(three.cells()));
    }
    Ok(table)
}

fn by_values_and_l(setting: &Setting<'_>) -> Result<Table> {
    let title = format!("By values and l, {} records by Zipf's law", grouped(most(setting) as usize));
    let columns = [Column::count("values"), Column::count("l")].into_iter().chain(growth_columns(""));
    let mut table = Table::new(title, columns);
    for (values, l) in [(20, 8), (100, 8), (300, 8), (300, 10), (300, 20), (300, 40)] {
        let found = Growth::new(setting, &zipf(values, most(setting), l)?)?;
        table.row([(values as usize).into(), (l as usize).into()].into_iter().chain(found.cells()));
    }
    Ok(table)
}
