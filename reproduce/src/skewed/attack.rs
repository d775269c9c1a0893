//! The eligibility attack: how far somebody who computes believes of a value that it was the most
//! frequent one, where 1/l was claimed.

use super::samples::{Drawn, NAMED, Population, named};
use super::{RANDOM, Sight, Told, WAYS, rates, sights, way, zipf};
use crate::Setting;
use crate::page::{Cell, Chart, Column, Filled, Section, Source, Table, Unit};
use rayon::prelude::*;
use sfumato::Result;
use sfumato::report::grouped;
use sfumato::skew::Skewed;

/// T of the paper's Figure 1, and its l.
const WORKED: ([u64; 5], u64) = ([10, 4, 2, 1, 1], 3);

/// Why Theorem 3 is not what is found.
const NOT_ALIKE: &str = "the proof of Theorem 3 takes all releases that R-suppression can make for equally likely, \
                         whichever value is S1; by its true chances they are not: of the worked example, for instance, \
                         all levels of S1 from 4 to 10 end in (4, 4, 2, 1, 1)";

const COMPUTED: &str = "chance of what was computed";

/// What every way costs and tells for Zipf's law with one l.
pub struct ByL {
    pub l: u64,
    pub rates: [f64; WAYS.len()],
    pub told: [Told; WAYS.len()],
}

/// The tables of Figure 8(b).
pub fn zipf_by_l(setting: &Setting<'_>) -> Result<Vec<ByL>> {
    setting.now("beliefs about tables by Zipf's law");
    let of_l = |l: u64| {
        let table = Skewed::new(&zipf::frequencies(1.0), l)?;
        let told = std::array::from_fn(|at| Told::new(&sights(&*way(at), &table), l));
        Ok(ByL { l, rates: rates(&table), told })
    };
    (4..=10).map(of_l).collect()
}

const CLAIM: &str = "R-suppression claims that nobody believes of a value by more than 1/l that it was the most \
                     frequent one, S1 (Theorem 3). Here that belief is computed: over all base tables with as many \
                     records and values and one most frequent value above 1/l, equally likely, by the true chance that \
                     R-suppression leads from them to what is published. Tables are counted, not listed, and every \
                     belief is exact.";

const SHOWN: &str = "For each table: what may be published, each with its chance, and the highest belief of somebody who \
                     sees it. Where counting would take too long a release is left out; the chance of those that are \
                     not stands in the last column, and means are over them.";

/// The attack on the paper's example and on Zipf's law, and on samples of Adult.
pub fn sections(setting: &Setting<'_>, population: &Population, drawn: &[Drawn], zipf: &[ByL]) -> Result<[Section; 2]> {
    let worked = sights(&*way(RANDOM), &Skewed::new(&WORKED.0, WORKED.1)?);
    setting.now("beliefs about samples of Adult");
    let samples = Samples::new(setting, drawn);
    let title = "The eligibility attack: what R-suppression leaves to believe";
    let section = Section::new("eligibility-attack", title, Source::synthetic("the paper's example, and Zipf's law"))
        .words(CLAIM)
        .words(SHOWN)
        .table(worked_table(&worked))
        .table(zipf_table(zipf));
    let section = compare_zipf(compare_worked(section, &worked), zipf);
    let title = "The eligibility attack on samples of Adult";
    let of_samples = Section::new("eligibility-attack-samples", title, population.source.clone())
        .words(samples.in_words())
        .table(samples.table());
    Ok([section, samples.compare(of_samples)])
}

fn worked_table(worked: &[Sight]) -> Table {
    let columns = [
        Column::text("published"),
        Column::share("chance", 1),
        Column::number("highest belief", 3),
        Column::number("claimed", 3).printed(),
    ];
    let mut table = Table::new("The paper's example: 10, 4, 2, 1 and 1 records, l = 3", columns);
    for sight in worked {
        let claimed = 1.0 / WORKED.1 as f64;
        table.row([format!("{:?}", sight.counts).into(), sight.chance.into(), sight.belief.into(), claimed.into()]);
    }
    table
}

fn compare_worked(section: Section, worked: &[Sight]) -> Section {
    let find = |counts: [u64; 5]| worked.iter().find(|sight| sight.counts == counts);
    let belief = |counts| find(counts).map_or(f64::NAN, |sight| sight.belief);
    let (likeliest, lower) = (belief([4, 4, 2, 1, 1]), belief([3, 2, 2, 1, 1]));
    let chance = find([4, 4, 2, 1, 1]).map_or(f64::NAN, |sight| sight.chance);
    let example = belief([3, 3, 2, 1, 1]);
    let is = |ours: f64, enumerated: f64| (ours - enumerated).abs() < 5e-4;
    section
        .compare(
            "belief after (4, 4, 2, 1, 1)",
            (likeliest, Unit::Number(3)),
            "at most 1/3 (Theorem 3)",
            likeliest <= 1.0 / 3.0 + 1e-9,
            NOT_ALIKE,
        )
        .compare(
            "belief after (3, 3, 2, 1, 1), Example 5",
            (example, Unit::Number(3)),
            "1/3 for each of three values",
            is(example, 1.0 / 3.0),
            NOT_ALIKE,
        )
        .verify(
            "belief after (4, 4, 2, 1, 1)",
            (likeliest, Unit::Number(3)),
            "0.461, by listing worlds",
            is(likeliest, 0.461),
        )
        .verify(
            "chance of (4, 4, 2, 1, 1)",
            (chance, Unit::Number(4)),
            "4/9, by listing choices",
            is(chance, 4.0 / 9.0),
        )
        .verify("belief after (3, 2, 2, 1, 1)", (lower, Unit::Number(3)), "0.439, by listing worlds", is(lower, 0.439))
}

fn zipf_table(zipf: &[ByL]) -> Table {
    let (claimed, mean, worst) = ("claimed, 1/l", "highest belief, in the mean", "highest belief, at worst");
    let columns = [
        Column::count("l"),
        Column::number(claimed, 3).printed(),
        Column::number(mean, 3),
        Column::number(worst, 3),
        Column::share("chance of more than 1/l", 1),
        Column::share(COMPUTED, 1),
    ];
    let chart = Chart::lines("Belief in which value was the most frequent", "l", "belief", [claimed, mean, worst]);
    let mut table = Table::new("Zipf's law, the tables of Figure 8(b)", columns).chart(chart);
    for ByL { l, told, .. } in zipf {
        let first = [(*l as usize).into(), (1.0 / *l as f64).into()];
        table.row(first.into_iter().chain(cells(told[RANDOM])).chain([told[RANDOM].computed.into()]));
    }
    table
}

fn compare_zipf(section: Section, zipf: &[ByL]) -> Section {
    let most = |of: fn(&ByL) -> f64| zipf.iter().map(of).fold(0.0, f64::max);
    let worst = most(|by_l| by_l.told[RANDOM].worst * by_l.l as f64);
    let mean = most(|by_l| by_l.told[RANDOM].mean * by_l.l as f64);
    let is_kept = |times: f64| times <= 1.0 + 1e-9;
    let paper = "at most 1× (Theorem 3)";
    section
        .compare("Zipf's law: worst belief, in units of 1/l", (worst, Unit::Times), paper, is_kept(worst), NOT_ALIKE)
        .compare(
            "Zipf's law: mean belief at the worst l, in units of 1/l",
            (mean, Unit::Times),
            paper,
            is_kept(mean),
            NOT_ALIKE,
        )
}

/// What R-suppression tells about samples that are not eligible.
struct Samples {
    told: Vec<Told>,
    /// How many samples there are that are not eligible.
    violating: usize,
}

impl Samples {
    fn new(setting: &Setting<'_>, drawn: &[Drawn]) -> Samples {
        let l = NAMED.1;
        let violating: Vec<Skewed> = named(drawn)
            .hundreds
            .iter()
            .flatten()
            .filter(|ranked| !ranked.is_eligible(l))
            .filter_map(|ranked| Skewed::new(&ranked.frequencies, l).ok())
            .collect();
        let told = |table: &Skewed| {
            let sights = sights(&*way(RANDOM), table);
            (!sights.is_empty()).then(|| Told::new(&sights, l))
        };
        let first = &violating[..violating.len().min(setting.pick(20, 400))];
        Samples { told: first.par_iter().filter_map(told).collect(), violating: violating.len() }
    }

    fn in_words(&self) -> String {
        format!(
            "Samples of 0.5 % of the population of Figure 5 that violate {}-eligibility: the first {} of {}, by the numbers that they were drawn with.",
            NAMED.1,
            grouped(self.told.len()),
            grouped(self.violating)
        )
    }

    fn mean(&self, of: fn(&Told) -> f64) -> f64 {
        self.told.iter().map(of).sum::<f64>() / self.told.len() as f64
    }

    fn worst(&self) -> f64 {
        self.told.iter().map(|told| told.worst).fold(0.0, f64::max)
    }

    /// How many of the samples may lead to a belief above 1/l.
    fn exceeding(&self) -> f64 {
        self.mean(|told| f64::from(u8::from(told.above > 0.0)))
    }

    fn table(&self) -> Table {
        let columns: [Filled<'_, &Self>; 7] = [
            (Column::count("violating samples"), &|all| all.told.len().into()),
            (Column::number("claimed, 1/l", 3).printed(), &|_| (1.0 / NAMED.1 as f64).into()),
            (Column::number("highest belief, in the mean", 3), &|all| all.mean(|told| told.mean).into()),
            (Column::number("highest belief, at worst", 3), &|all| all.worst().into()),
            (Column::share("chance of more than 1/l", 1), &|all| all.mean(|told| told.above).into()),
            (Column::share("samples that may lead to more", 1), &|all| all.exceeding().into()),
            (Column::share(COMPUTED, 1), &|all| all.mean(|told| told.computed).into()),
        ];
        Table::of("", [self], columns)
    }

    fn compare(&self, section: Section) -> Section {
        let worst = self.worst() * NAMED.1 as f64;
        section.compare(
            format!("{} violating samples: worst belief, in units of 1/l", grouped(self.told.len())),
            (worst, Unit::Times),
            "at most 1× (Theorem 3)",
            worst <= 1.0 + 1e-9,
            NOT_ALIKE,
        )
    }
}

/// Cells of what is told.
pub fn cells(told: Told) -> [Cell; 3] {
    [told.mean.into(), told.worst.into(), told.above.into()]
}
