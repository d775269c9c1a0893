//! Skewed values: deciding what to withhold, exactly and by jumps over levels, against the paper's loop over records; and what somebody who computes makes of it, counted against listed.
//!
//! The loop keeps its numbers sorted, so that one record takes a few instructions. The mean of R-suppression by it is one loop for each level that S1 may be lowered to; where those are too many, some are run and the time
//! is scaled; the paper itself estimates it by a hundred loops. `cargo bench -p sfumato --bench skew [-- --rows N --full]`: sizes up to a million records, to ten million with `--full`.

mod support;

use dashu_ratio::RBig;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use sfumato::data::{Column, Dictionary, Domain, ValueType};
use sfumato::skew::{KINDS, Ranked, Seen, Skewed, Suppression, find};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;
use support::{best, rows, with_threads};

/// About how many records the loops of one figure may drop.
const DROPS: u64 = 300_000_000;

fn member(name: &str) -> Box<dyn Suppression> {
    (find(name).expect("a way").build)(&Default::default())
}

/// F_i = F1/i for so many values, and about so many records.
fn zipf(values: u64, records: u64, l: u64) -> Skewed {
    let harmonic: f64 = (1..=values).map(|rank| 1.0 / rank as f64).sum();
    let first = records as f64 / harmonic;
    let frequencies: Vec<u64> = (1..=values).map(|rank| (first / rank as f64).max(1.0) as u64).collect();
    Skewed::new(&frequencies, l).expect("a skewed table")
}

/// Three values with 80, 15 and 5 % of the records.
fn three(records: u64) -> Skewed {
    Skewed::new(&[80, 15, 5].map(|percent| records * percent / 100), 3).expect("a skewed table")
}

/// Sizes from ten thousand on, each ten times the one before.
fn sizes(most: u64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(10_000), |size| Some(size * 10)).take_while(move |&size| size <= most)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn times(slow: Duration, fast: Duration) -> f64 {
    slow.as_secs_f64() / fast.as_secs_f64()
}

// The paper's loop.

/// Drops records one by one after S1 was lowered: one of the most frequent value, the lowest ranked first. What is left, largest first.
fn one_by_one(table: &Skewed, first: u64, is_over: impl Fn(&[u64], u64) -> bool) -> Vec<u64> {
    let others = &table.frequencies()[1..];
    let place = others.partition_point(|&other| other > first);
    let mut kept = [&others[..place], &[first], &others[place..]].concat();
    let mut published = kept.iter().sum();
    let mut at_top = 0;
    while !is_over(&kept, published) {
        if at_top == 0 {
            at_top = kept.iter().take_while(|&&count| count == kept[0]).count();
        }
        at_top -= 1;
        kept[at_top] -= 1;
        published -= 1;
    }
    kept
}

/// The loop until what is left is eligible and has l candidates.
fn bound_one_by_one(table: &Skewed, first: u64) -> Vec<u64> {
    let (records, l) = (table.records(), table.l());
    one_by_one(table, first, |kept, published| {
        kept[0] * l <= published && (kept[l as usize - 1] + records - published) * l > records
    })
}

/// The loop until l values share the top.
fn safe_one_by_one(table: &Skewed) -> Vec<u64> {
    one_by_one(table, table.frequency(1), |kept, _| kept[0] == kept[table.l() as usize - 1])
}

fn withheld(table: &Skewed, kept: &[u64]) -> u64 {
    table.records() - kept.iter().sum::<u64>()
}

/// The mean of R-suppression with a loop for every level, or for one in so many.
fn mean_one_by_one(table: &Skewed, one_in: usize) -> f64 {
    let of_gap = |h: u64| {
        let levels = table.frequency(h + 1)..=table.frequency(h);
        let withheld = |first| withheld(table, &bound_one_by_one(table, first)) as f64;
        let (sum, run) =
            levels.step_by(one_in).fold((0.0, 0.0), |(sum, run), first| (sum + withheld(first), run + 1.0));
        sum / run
    };
    (1..=table.l()).map(of_gap).sum::<f64>() / table.l() as f64
}

/// The mean over a hundred random levels, which is how the paper estimates it.
fn mean_of_a_hundred(table: &Skewed) -> f64 {
    let mut generator = ChaCha8Rng::seed_from_u64(1);
    let mut one = || {
        let h = generator.random_range(1..=table.l());
        let first = generator.random_range(table.frequency(h + 1)..=table.frequency(h));
        withheld(table, &bound_one_by_one(table, first)) as f64
    };
    (0..100).map(|_| one()).sum::<f64>() / 100.0
}

// Decisions.

/// What is decided about a table: what to keep, each way, and how much that costs in the mean.
fn decide(table: &Skewed, members: &[Box<dyn Suppression>]) -> Vec<(Vec<u64>, RBig)> {
    let mut generator = ChaCha20Rng::seed_from_u64(1);
    members.iter().map(|member| (member.draw(table, &mut generator), member.expected(table))).collect()
}

/// Decisions against the loops.
fn compare(table: &Skewed) {
    let members = KINDS.map(|kind| (kind.build)(&Default::default()));
    let (everything, _) = best(50, || black_box(decide(table, &members)));
    let [bound, safe, random] = ["unsafe-d", "safe-d", "r-suppression"].map(member);
    let mut unused = ChaCha20Rng::seed_from_u64(1);
    let (jumps, jumped) = best(50, || black_box([&bound, &safe].map(|way| way.draw(table, &mut unused))));
    let (loops, looped) = best(3, || [bound_one_by_one(table, table.frequency(1)), safe_one_by_one(table)]);
    assert_eq!(jumped, looped);

    let choices: u64 = (1..=table.l()).map(|h| table.frequency(h) - table.frequency(h + 1) + 1).sum();
    let one_in = (choices * withheld(table, &looped[0])).div_ceil(DROPS) as usize;
    let (some, by_loops) = best(1, || mean_one_by_one(table, one_in));
    let (exact, mean) = best(50, || black_box(random.expected(table)));
    let mean = mean.to_f64().value();
    assert!(one_in > 1 || (by_loops / mean - 1.0).abs() < 1e-9, "{by_loops} is not {mean}");
    let all = some * one_in as u32;
    let (hundred, estimate) = best(1, || mean_of_a_hundred(table));
    println!(
        "{:>9} records: all four and their means {:.3} ms | D and Safe D {:.1} µs, by loops {:.3} ms, {:.0}× | mean of R {:.1} µs, by loops {:.3} s (1 in {one_in} run), {:.0}×; estimated by a hundred loops {:.2} ms, {:.0}×, {:+.1} % off",
        table.records(),
        milliseconds(everything),
        microseconds(jumps),
        milliseconds(loops),
        times(loops, jumps),
        microseconds(exact),
        all.as_secs_f64(),
        times(all, exact),
        milliseconds(hundred),
        times(hundred, exact),
        (estimate / mean - 1.0) * 100.0,
    );
}

// What comes before: the values of the column are counted.

fn column(table: &Skewed) -> Column {
    let mut labels = Dictionary::new();
    for value in 0..table.frequencies().len() {
        labels.push(&format!("value {value:04}"));
    }
    let of_value = |(code, &count): (u32, &u64)| std::iter::repeat_n(code, count as usize);
    let mut codes: Vec<u32> = (0..).zip(table.frequencies()).flat_map(of_value).collect();
    codes.shuffle(&mut ChaCha8Rng::seed_from_u64(1));
    Column::new("s", codes, Domain::new(labels, ValueType::Text, None))
}

fn against_counting(table: &Skewed) {
    let column = column(table);
    let members = KINDS.map(|kind| (kind.build)(&Default::default()));
    for threads in [1, 2] {
        with_threads(threads, || {
            println!("\n{} records, {} values, {threads} thread(s)", table.records(), table.frequencies().len());
            let (counting, counts) = best(7, || column.counts());
            assert_eq!(Ranked::new(&counts).frequencies, table.frequencies());
            println!(
                "{:<44} {:>9.1} µs {:>9.4}×",
                "counting the values of the column (baseline)",
                microseconds(counting),
                1.0
            );
            for (kind, member) in KINDS.iter().zip(&members) {
                let mut generator = ChaCha20Rng::seed_from_u64(1);
                let (draw, _) = best(50, || black_box(member.draw(table, &mut generator)));
                let (mean, _) = best(50, || black_box(member.expected(table)));
                for (what, time) in [("drawn", draw), ("its mean", mean)] {
                    let what = format!("{}, {what}", kind.name);
                    println!("{what:<44} {:>9.1} µs {:>9.4}×", microseconds(time), times(time, counting));
                }
            }
        });
    }
}

// What somebody believes who computes.

/// What R-suppression publishes of a table.
fn released(table: &Skewed, seed: u64) -> Seen {
    let mut counts = member("r-suppression").draw(table, &mut ChaCha20Rng::seed_from_u64(seed));
    counts.sort_unstable_by(|a, b| b.cmp(a));
    Seen { counts, records: table.records(), l: table.l() }
}

/// Beliefs about five releases of a table.
fn count_worlds(table: &Skewed) {
    let random = member("r-suppression");
    let time = |seed: u64| {
        let seen = released(table, seed);
        let (time, beliefs) = best(1, || random.beliefs(&seen).expect("it came out"));
        (time, beliefs.iter().fold(RBig::ZERO, |highest, belief| highest.max(belief.clone())))
    };
    let found: Vec<(Duration, RBig)> = (1..=5).map(time).collect();
    let longest = found.iter().map(|(time, _)| *time).max().expect("five");
    let mean = found.iter().map(|(time, _)| *time).sum::<Duration>() / 5;
    let highest = found.into_iter().map(|(_, highest)| highest).max().expect("five").to_f64().value();
    println!(
        "{:>9} records, {:>3} values, l = {}: {:.2} ms in the mean of five releases, at most {:.2} ms; highest belief {:.2}/l",
        table.records(),
        table.frequencies().len(),
        table.l(),
        milliseconds(mean),
        milliseconds(longest),
        highest * table.l() as f64,
    );
}

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

/// The chances that base tables lead to a release, by how many records S1 has in it, and how many base tables there are. Orders of values and ranks of ties are not listed but counted.
fn listed(seen: &Seen) -> (BTreeMap<u64, f64>, u64) {
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
                let kept = bound_one_by_one(&table, first);
                if kept == seen.counts {
                    // S1 is the last to be lowered within a level.
                    *chances.entry(first.min(kept[0])).or_insert(0.0) += 1.0 / (ties * (high - low + 1) as f64);
                }
            }
        }
    });
    (chances, bases)
}

fn against_listing(records: u64) {
    let table = zipf(5, records, 4);
    let seen = released(&table, 1);
    let (listing, (chances, bases)) = best(1, || listed(&seen));
    let random = member("r-suppression");
    let (counting, beliefs) = best(20, || random.beliefs(&seen).expect("it came out"));
    let total: f64 = chances.values().sum();
    for (count, belief) in seen.counts.iter().zip(&beliefs) {
        let alike = seen.counts.iter().filter(|other| *other == count).count() as f64;
        let expected = chances.get(count).copied().unwrap_or(0.0) / (total * alike);
        assert!((expected - belief.to_f64().value()).abs() < 1e-9, "{expected} is not {belief}");
    }
    println!(
        "{:>4} records, 5 values, l = 4: counted {:.3} ms, {bases} base tables listed {:.1} ms, {:.0}×",
        table.records(),
        milliseconds(counting),
        milliseconds(listing),
        times(listing, counting),
    );
}

fn main() {
    let full = std::env::args().any(|word| word == "--full");
    let most = rows(if full { 10_000_000 } else { 1_000_000 }) as u64;
    println!("deciding, Zipf's law, 100 values, l = 6");
    sizes(most).for_each(|size| compare(&zipf(100, size, 6)));
    println!("\ndeciding, three values with 80, 15 and 5 %, l = 3");
    sizes(most).for_each(|size| compare(&three(size)));
    against_counting(&zipf(100, most, 6));

    println!("\nbeliefs by listing");
    [20, 40, 80].into_iter().for_each(against_listing);
    if full {
        against_listing(160);
    }
    println!("\nbeliefs by records");
    sizes(most).for_each(|size| count_worlds(&zipf(20, size, 5)));
    sizes(most).for_each(|size| count_worlds(&three(size)));
    println!("\nbeliefs by values");
    [20, 100, 300].into_iter().for_each(|values| count_worlds(&zipf(values, most, 8)));
    println!("\nbeliefs by l");
    [10, 20, 40].into_iter().for_each(|l| count_worlds(&zipf(300, most, l)));
}
