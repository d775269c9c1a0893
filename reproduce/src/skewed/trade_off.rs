//! What hiding the most frequent value costs, against how far it is told.

use super::attack::{ByL, cells};
use super::{RANDOM, RANK, SAFE, WAYS, zipf};
use crate::page::{Cell, Chart, Column, Filled, Section, Source, Table};
use sfumato::data::Column as Values;
use sfumato::inspect::{Eligibility, eligibility};

/// The l of the table by way: the paper's default.
const L: u64 = 5;

pub fn section(zipf: &[ByL]) -> Section {
    let kept = |at: usize| zipf.iter().all(|by_l| by_l.told[at].above == 0.0);
    let keeping: Vec<&str> = (0..WAYS.len()).filter(|&at| kept(at)).map(|at| WAYS[at]).collect();
    let source = Source::synthetic("frequencies by Zipf's law, twenty values, α = 1");
    Section::new("trade-off", "Records withheld against belief reached", source)
        .words(
            "Rank insertion, `calibrated` in plans, puts S1 at one of l places by lot, in a row of numbers that does not depend on which: whatever is known about frequencies, each of the l is as likely as before, and no way \
             that promises this withholds less (docs/guide/skewed-values.md has both proofs). Withheld is the exact mean. Beliefs are those of the eligibility attack; for rank insertion, Safe D and Unsafe D somebody may know \
             all frequencies, only not which value has which.",
        )
        .words(
            "The last column is about another question: how far somebody who knows all frequencies believes in one value of a person whose record is missing, at worst in the fifty likeliest things that may be published.",
        )
        .words(format!("Ways that kept to 1/l in everything that they may publish here: {}.", keeping.join(", ")))
        .table(by_way(zipf))
        .table(by_l(zipf))
}

/// One l: a point for each way.
fn by_way(zipf: &[ByL]) -> Table {
    let (mean, worst) = ("highest belief, in the mean", "highest belief, at worst");
    let columns = [
        Column::text("way"),
        Column::share("withheld", 2),
        Column::number(mean, 3),
        Column::number(worst, 3),
        Column::share("chance of more than 1/l", 1),
        Column::number("a missing person's value, at worst", 3),
    ];
    let chart = Chart::lines("What is withheld, and what is told", "withheld", "belief", [mean, worst])
        .limit(1.0 / L as f64, "1/l");
    let mut table = Table::new(format!("l = {L}"), columns).chart(chart);
    let found = eligibility(&column(), L);
    for by_l in zipf.iter().filter(|by_l| by_l.l == L) {
        for (at, name) in WAYS.into_iter().enumerate() {
            let last = [missing(&found, at)];
            table.row([name.into(), by_l.rates[at].into()].into_iter().chain(cells(by_l.told[at])).chain(last));
        }
    }
    table
}

/// The records of Zipf's law, as a column.
fn column() -> Values {
    let frequencies = zipf::frequencies(1.0);
    let of_value = |(at, &count): (usize, &u64)| vec![format!("value {at:02}"); count as usize];
    Values::from_values("s", frequencies.iter().enumerate().flat_map(of_value))
}

/// How far the value of somebody who is missing is believed at worst; of the fifty likeliest things
/// that may be published.
fn missing(found: &Eligibility, at: usize) -> Cell {
    let sights = found.ways[at].sights.iter().flatten();
    sights.map(|sight| sight.missing_belief.to_f64().value()).reduce(f64::max).into()
}

/// All l: what a promise costs, and what R-suppression tells instead.
fn by_l(zipf: &[ByL]) -> Table {
    let random = ["R-suppression: l × belief, in the mean", "R-suppression: l × belief, at worst"];
    let rank = "rank insertion: l × belief, at worst";
    let times = |by_l: &ByL, belief: f64| Cell::from(belief * by_l.l as f64);
    let more = |by_l: &ByL, way: usize| Cell::from(by_l.rates[way] - by_l.rates[RANDOM]);
    let columns: [Filled<'_, &ByL>; 6] = [
        (Column::count("l"), &|one| one.l.into()),
        (Column::share("rank insertion: withheld more than R-suppression", 2), &|one| more(one, RANK)),
        (Column::share("Safe D: withheld more than R-suppression", 2), &|one| more(one, SAFE)),
        (Column::number(random[0], 2), &|one| times(one, one.told[RANDOM].mean)),
        (Column::number(random[1], 2), &|one| times(one, one.told[RANDOM].worst)),
        (Column::number(rank, 2), &|one| times(one, one.told[RANK].worst)),
    ];
    let chart =
        Chart::lines("Belief in units of 1/l", "l", "l × belief", [random[0], random[1], rank]).limit(1.0, "claimed");
    Table::of("By l", zipf, columns).chart(chart)
}
