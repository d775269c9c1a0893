//! Figure 7: partial suppression beside permutation.

use super::data::Data;
use super::run::{DIST, MINE, Run, Way};
use crate::Setting;
use crate::page::{Cell, Chart, Column, Section, Table, Unit};
use sfumato::Result;
use sfumato::exact::Fraction;
use sfumato::transactions::{Released, Sensitive, Separated, Transactions};

const WAYS: [Way; 3] = [DIST, MINE, Way::Permutation];
const NAMES: [&str; 3] = ["Dist", "Mine", "Permutation"];
/// The privacy degrees of the paper.
const DEGREES: [usize; 4] = [4, 6, 8, 10];

/// What came of the ways at one privacy degree; nothing where no release is possible.
struct Degree {
    p: usize,
    kl: [Option<f64>; 3],
    pairs: [Option<f64>; 3],
    seconds: [Option<f64>; 3],
}

/// One of the measurements, for each way.
type Values = fn(&Degree) -> [Option<f64>; 3];

/// Divergence and time over the privacy degree.
pub fn figure_7(setting: &Setting<'_>, web_view: &Data) -> Result<Section> {
    let mut degrees = Vec::new();
    for p in DEGREES {
        setting.now(&format!("Figure 7: p = {p}"));
        degrees.push(degree(web_view, p)?);
    }
    let number = |name: &str| Column::number(name, 5);
    let kl = ("(a) Divergence of the frequencies of items", "KL divergence");
    let pairs = ("Divergence of the frequencies of pairs", "symmetric divergence");
    let section = Section::new("figure-7", "Figure 7: partial suppression and permutation, ρ = 1/p", web_view.source.clone())
        .timing()
        .words(
            "Permutation groups records and tells sensitive items for groups only (Ghinita et al.); nearly all items are still published, so that the frequencies of single items hardly change. What it blurs is which items go together. \
             The paper does not say how it measured the divergence of permuted records: (a) takes equation (3) and the items as published; the table of pairs takes each pair of a sensitive item and another one, in a permuted group as often as chance would have it.",
        )
        .words("The paper speaks of three variants of its algorithm here and describes two. Times are of one run, with the exact check.")
        .table(over_degrees(&degrees, kl, number, |degree| degree.kl))
        .table(over_degrees(&degrees, pairs, number, |degree| degree.pairs))
        .table(over_degrees(&degrees, ("(b) Time", "seconds"), |name| Column::time(name), |degree| degree.seconds));
    Ok(compare(section, &degrees))
}

/// A measurement in a row for each degree, and lines of the ways that have one.
fn over_degrees(degrees: &[Degree], (title, up): (&str, &str), column: fn(&str) -> Column, values: Values) -> Table {
    let is_there = |place: &usize| degrees.iter().any(|degree| values(degree)[*place].is_some_and(f64::is_finite));
    let drawn = (0..NAMES.len()).filter(is_there).map(|place| NAMES[place]);
    let columns = [Column::count("p")].into_iter().chain(NAMES.map(column));
    let mut table = Table::new(title, columns).chart(Chart::lines(title, "p", up, drawn).log());
    for degree in degrees {
        let cells = values(degree).map(|value| value.map_or(Cell::from("impossible"), Cell::from));
        table.row([Cell::from(degree.p)].into_iter().chain(cells));
    }
    table
}

fn degree(data: &Data, p: usize) -> Result<Degree> {
    let mut degree = Degree { p, kl: [None; 3], pairs: [None; 3], seconds: [None; 3] };
    let before = pairs(&data.table, &data.sensitive);
    for (place, way) in WAYS.into_iter().enumerate() {
        let Some(run) = data.run(way, Fraction::new(1, p as u128))? else { continue };
        degree.kl[place] = Some(run.kl()?);
        degree.pairs[place] = Some(symmetric(&before, &published_pairs(&run, &data.sensitive)));
        degree.seconds[place] = Some(run.timed.all());
    }
    Ok(degree)
}

/// How often an item that is not sensitive and a sensitive one go together, in the order of items;
/// pairs that never do are left out.
type Pairs = Vec<((u32, u32), f64)>;

fn pairs(table: &Transactions, sensitive: &Sensitive) -> Pairs {
    let of_record = |record: &[u32]| {
        let (hidden, plain): (Vec<u32>, Vec<u32>) = record.iter().partition(|item| sensitive.has(**item));
        plain.into_iter().flat_map(move |item| hidden.clone().into_iter().map(move |end| ((item, end), 1.0)))
    };
    summed(table.iter().flat_map(of_record).collect())
}

fn published_pairs(run: &Run<'_>, sensitive: &Sensitive) -> Pairs {
    match &run.released {
        Released::Together(together) => pairs(&together.table, sensitive),
        Released::Separated(separated) => permuted_pairs(separated),
    }
}

/// In a group of n records of which a have a sensitive item and b another one, a·b/n are expected
/// to have both.
fn permuted_pairs(separated: &Separated) -> Pairs {
    let (mut all, mut start) = (Vec::new(), 0);
    for group in &separated.groups {
        let items = (start..start + group.records).flat_map(|at| separated.table.record(at));
        let plain = summed(items.map(|item| ((*item, 0), 1.0)).collect());
        for ((item, _), had) in plain {
            let both =
                group.items.iter().map(|(end, count)| ((item, *end), had * *count as f64 / group.records as f64));
            all.extend(both);
        }
        start += group.records;
    }
    summed(all)
}

/// Each pair once.
fn summed(mut pairs: Pairs) -> Pairs {
    // Stable, so that sums are the same in every run.
    pairs.sort_by_key(|(pair, _)| *pair);
    pairs.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0.0 };
        is_same
    });
    pairs
}

/// The symmetric divergence of two distributions of pairs: from 0 to ln 2.
fn symmetric(before: &Pairs, after: &Pairs) -> f64 {
    let totals = [before, after].map(|pairs| pairs.iter().map(|(_, count)| count).sum::<f64>());
    if totals.contains(&0.0) {
        return if totals[0] == totals[1] { 0.0 } else { std::f64::consts::LN_2 };
    }
    let half = |own: &Pairs, other: &Pairs, [own_total, other_total]: [f64; 2]| {
        let term = |(pair, count): &((u32, u32), f64)| {
            let share = count / own_total;
            let place = other.binary_search_by_key(pair, |(pair, _)| *pair);
            let others = place.map_or(0.0, |place| other[place].1 / other_total);
            share * (2.0 * share / (share + others)).ln()
        };
        own.iter().map(term).sum::<f64>()
    };
    (half(before, after, totals) + half(after, before, [totals[1], totals[0]])) / 2.0
}

fn compare(mut section: Section, degrees: &[Degree]) -> Section {
    let possible: Vec<&Degree> = degrees.iter().filter(|degree| degree.seconds[2].is_some()).collect();
    let all = possible.len();
    if possible.is_empty() {
        return section.words(
            "At none of these degrees is a permutation possible: a sensitive item is in more than one of p of the records that have others besides sensitive ones, and whatever the groups, in one of them it is too frequent. So there is nothing to compare with.",
        );
    }
    let measures: [(&str, Values, &str); 2] = [
        (
            "items",
            |degree| degree.kl,
            "Permuted records keep all items but the sensitive ones of records without others, so that by equation (3) their frequencies hardly change; the paper does not say how it counted them.",
        ),
        (
            "pairs",
            |degree| degree.pairs,
            "Where a record loses its sensitive items all its pairs go, while a group keeps them and adds some of its neighbours'.",
        ),
    ];
    for (what, values, why) in measures {
        for (place, name) in NAMES[..2].iter().enumerate() {
            let nearer = possible.iter().filter(|degree| values(degree)[place] < values(degree)[2]).count();
            section = section.compare(
                format!("of {all} degrees at which permutation is possible, {name} is nearer than permutation by the frequencies of {what} in"),
                (nearer as f64, Unit::Count),
                "\"All variants of our algorithm outperform M in preserving the data distribution\"",
                nearer == all,
                why,
            );
        }
    }
    let is_fastest = |degree: &&&Degree| degree.seconds[..2].iter().all(|other| degree.seconds[2] < *other);
    let faster = possible.iter().filter(is_fastest).count();
    let mean = |place: usize| possible.iter().filter_map(|degree| degree.seconds[place]).sum::<f64>() / all as f64;
    let [dist, mine, permuted] = [0, 1, 2].map(|place| Unit::Time.show(mean(place)));
    section.compare(
        format!("of {all} degrees, permutation takes least time in"),
        (faster as f64, Unit::Count),
        "\"M is faster\"",
        faster == all,
        &format!("Our partial suppression enumerates no subsets of records, unlike the paper's: in the mean over these degrees permutation took {permuted} here, Dist {dist} and Mine {mine}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use sfumato::transactions::{Shared, sample};

    #[test]
    fn pairs_are_counted_and_guessed() {
        let table = sample::purchases();
        let sensitive = Sensitive::named(&table, ["condom"]);
        let before = pairs(&table, &sensitive);
        // Bread, milk, condom, flour and fruits have the numbers 0 to 4.
        assert_eq!(before, [((0, 2), 1.0), ((1, 2), 2.0), ((3, 2), 1.0), ((4, 2), 1.0)]);
        assert_eq!(symmetric(&before, &before), 0.0);
        assert_eq!(symmetric(&before, &Vec::new()), std::f64::consts::LN_2);
        let names = table.names().clone();
        let groups = vec![Shared { records: 2, items: vec![(2, 1)] }];
        let separated = Separated { table: Transactions::new(names, [vec![0, 1], vec![1]]), groups };
        assert_eq!(permuted_pairs(&separated), [((0, 2), 0.5), ((1, 2), 1.0)]);
    }
}
