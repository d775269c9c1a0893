//! How long it takes to decide what to withhold: by jumps over levels, against the paper's loop
//! over records and against counting the values of the column.

use super::{RANDOM, SAFE, UNSAFE, WAYS, by_loop, way};
use crate::Setting;
use crate::clock::{best, ratio, with_threads};
use crate::page::{Chart, Column, Filled, Section, Source, Table};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use sfumato::Result;
use sfumato::data::{Column as Values, Dictionary, Domain, ValueType};
use sfumato::report::grouped;
use sfumato::skew::Skewed;
use std::hint::black_box;
use std::time::Duration;

/// F_i = F1/i for so many values, and about so many records.
pub fn zipf(values: u64, records: u64, l: u64) -> Result<Skewed> {
    let harmonic: f64 = (1..=values).map(|rank| 1.0 / rank as f64).sum();
    let first = records as f64 / harmonic;
    let frequencies: Vec<u64> = (1..=values).map(|rank| (first / rank as f64).max(1.0) as u64).collect();
    Skewed::new(&frequencies, l)
}

/// Three values with 80, 15 and 5 % of the records.
pub fn three(records: u64) -> Result<Skewed> {
    Skewed::new(&[80, 15, 5].map(|percent| records * percent / 100), 3)
}

/// Sizes from ten thousand on, each ten times the one before.
pub fn sizes(most: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(10_000), |size| Some(size * 10)).take_while(move |&size| size <= most)
}

/// The largest size.
pub fn most(setting: &Setting<'_>) -> u64 {
    setting.pick(100_000, 10_000_000)
}

pub fn sections(setting: &Setting<'_>) -> Result<Vec<Section>> {
    Ok(vec![against_loops(setting)?, against_counting(setting)?])
}

// Against the loop over records.

/// Times of one table.
struct Measured {
    records: u64,
    /// All ways and their means.
    everything: Duration,
    /// Unsafe D and Safe D, by jumps and by loops.
    both: [Duration; 2],
    /// The mean of R-suppression: exactly, by loops over every level, by a hundred of them.
    mean: [Duration; 3],
    /// One in how many levels was looped over.
    one_in: usize,
    /// How far the estimate by a hundred loops is off.
    off: f64,
    /// Whether loops and jumps decided the same.
    is_same: bool,
}

impl Measured {
    fn new(setting: &Setting<'_>, table: &Skewed) -> Measured {
        setting.now(&format!("deciding, {} records", grouped(table.records() as usize)));
        let drops: u64 = setting.pick(5_000_000, 300_000_000);
        let runs = setting.pick(10, 50);
        let members: Vec<_> = (0..WAYS.len()).map(way).collect();
        let mut unused = ChaCha20Rng::seed_from_u64(1);
        let mut decide = || -> Vec<(Vec<u64>, f64)> {
            let decided =
                members.iter().map(|way| (way.draw(table, &mut unused), way.expected(table).to_f64().value()));
            black_box(decided.collect())
        };
        let (everything, _) = best(runs, &mut decide);
        let mut unused = ChaCha20Rng::seed_from_u64(1);
        let (jumps, jumped) = best(runs, || black_box([UNSAFE, SAFE].map(|at| members[at].draw(table, &mut unused))));
        let (loops, looped) = best(3, || [by_loop::bound(table, table.frequency(1)), by_loop::safe(table)]);

        let choices: u64 = (1..=table.l()).map(|h| table.frequency(h) - table.frequency(h + 1) + 1).sum();
        let one_in = (choices * by_loop::withheld(table, &looped[0])).div_ceil(drops) as usize;
        let (some, by_loops) = best(1, || by_loop::mean(table, one_in));
        let (exact, mean) = best(runs, || black_box(members[RANDOM].expected(table).to_f64().value()));
        let (hundred, estimate) = best(1, || by_loop::mean_of_a_hundred(table));
        Measured {
            records: table.records(),
            everything,
            both: [jumps, loops],
            mean: [exact, some * one_in as u32, hundred],
            one_in,
            off: estimate / mean - 1.0,
            is_same: jumped == looped && (one_in > 1 || (by_loops / mean - 1.0).abs() < 1e-9),
        }
    }
}

fn against_loops(setting: &Setting<'_>) -> Result<Section> {
    let of_sizes = |make: fn(u64) -> Result<Skewed>| -> Result<Vec<Measured>> {
        sizes(most(setting)).map(|size| Ok(Measured::new(setting, &make(size)?))).collect()
    };
    let many = of_sizes(|records| zipf(100, records, 6))?;
    let few = of_sizes(three)?;
    let same = many.iter().chain(&few).all(|one| one.is_same);
    let table = |title: &str, measured: &[Measured]| {
        let columns: [Filled<'_, &Measured>; 12] = [
            (Column::count("records"), &|one| one.records.into()),
            (Column::time("all four ways and their means"), &|one| one.everything.into()),
            (Column::time("Unsafe D and Safe D"), &|one| one.both[0].into()),
            (Column::time("the same by loops"), &|one| one.both[1].into()),
            (Column::times("loops: times as long"), &|one| ratio(one.both[1], one.both[0]).into()),
            (Column::time("exact mean of R"), &|one| one.mean[0].into()),
            (Column::time("mean of R by loops"), &|one| one.mean[1].into()),
            (Column::count("levels: one in"), &|one| one.one_in.into()),
            (Column::times("mean by loops: times as long"), &|one| ratio(one.mean[1], one.mean[0]).into()),
            (Column::time("estimate by 100 loops"), &|one| one.mean[2].into()),
            (Column::times("estimate: times as long"), &|one| ratio(one.mean[2], one.mean[0]).into()),
            (Column::share("estimate off by", 1), &|one| one.off.into()),
        ];
        let series = ["all four ways and their means", "the same by loops", "estimate by 100 loops"];
        Table::of(title, measured, columns).chart(Chart::lines("Time to decide", "records", "seconds", series).log())
    };
    let source = Source::synthetic("frequencies by Zipf's law, and three values");
    let section = Section::new("deciding", "Deciding what to withhold, against the loop over records", source)
        .words(
            "The paper drops records one by one; the loop here keeps its numbers sorted, so that a record takes a few instructions. The library jumps over levels. The mean of R-suppression by loops is one loop for each level that \
             S1 may be lowered to; where those are too many, one in so many is run and the time is scaled. The paper estimates it by a hundred random loops.",
        )
        .words(if same {
            "Loops and jumps decided the same in every run."
        } else {
            "Loops and jumps did not decide the same: please report it."
        })
        .table(table("100 values by Zipf's law, l = 6", &many))
        .table(table("Three values with 80, 15 and 5 %, l = 3", &few));
    Ok(section.timing())
}

// What comes before: the values of the column are counted.

fn column(table: &Skewed) -> Values {
    let mut labels = Dictionary::new();
    for value in 0..table.frequencies().len() {
        labels.push(&format!("value {value:04}"));
    }
    let of_value = |(code, &count): (u32, &u64)| std::iter::repeat_n(code, count as usize);
    let mut codes: Vec<u32> = (0..).zip(table.frequencies()).flat_map(of_value).collect();
    codes.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    Values::new("s", codes, Domain::new(labels, ValueType::Text, None))
}

fn against_counting(setting: &Setting<'_>) -> Result<Section> {
    setting.now("deciding against counting");
    let table = zipf(100, most(setting), 6)?;
    let column = column(&table);
    let (few, many) = setting.pick((3, 10), (7, 50));
    let counting = [1, 2].map(|threads| with_threads(threads, || best(few, || column.counts()).0));
    let columns = [
        Column::text("what is done"),
        Column::time("time"),
        Column::number("times counting, one thread", 5),
        Column::number("times counting, two threads", 5),
    ];
    let mut rows = Table::new("", columns);
    let mut row = |what: String, time: Duration| {
        let [one, two] = counting.map(|baseline| ratio(time, baseline));
        rows.row([what.into(), time.into(), one.into(), two.into()]);
    };
    row("counting the values of the column, one thread".into(), counting[0]);
    row("counting the values of the column, two threads".into(), counting[1]);
    for (at, name) in WAYS.into_iter().enumerate() {
        let (way, mut generator) = (way(at), ChaCha20Rng::seed_from_u64(1));
        row(format!("{name}, drawn"), best(many, || black_box(way.draw(&table, &mut generator))).0);
        row(format!("{name}, its mean"), best(many, || black_box(way.expected(&table))).0);
    }
    let records = grouped(table.records() as usize);
    let source = Source::synthetic(format!("{records} records, 100 values by Zipf's law, l = 6"));
    let section = Section::new("deciding-counting", "Deciding what to withhold, against counting values", source)
        .words(format!(
            "Values must be counted before anything is decided. Best of {few} runs, of {many} for decisions."
        ))
        .table(rows);
    Ok(section.timing())
}
