//! R-suppression: S1 is lowered to a random level, then the most frequent values as far as they
//! must be.
//!
//! **Withholds** records of S1 down to F, then of the most frequent values by D-suppression. h is
//! drawn uniformly from 1, …, l, and F uniformly from the whole numbers in [F_{h+1}, F_h], where
//! F_{m+1} is 0. **Tells** more than was claimed: its authors bound the belief in S1 by 1/l, with a proof
//! that takes all releases that can come out for equally likely, whichever value is S1. Who
//! computes how likely each is can believe more: T = {10, 4, 2, 1, 1}, l = 3, leads to
//! (4, 4, 2, 1, 1) with chance 4/9, and then each of the two top values is S1 with belief 0.461.
//! **Cost**: in the mean little more than the bound. **Reference**: "Publishing Skewed Sensitive
//! Microdata" (l-dichotomy), Section 4, Figure 3.
//!
//! # The mean is exact
//!
//! What is withheld, as a function of F, has few pieces, one for each reason to stop, each number
//! of values above the level at which D-suppression stops, and each such level that a value has by
//! itself. Within a piece it is a line with steps: a level more for every l − j of F where it waits
//! for eligibility with j others above, the same again after every j of F where it waits for the
//! level to be over, else without steps. So each residue of F modulo that period is an arithmetic
//! progression, and the sum over a piece is known from two of its members for each residue.
//!
//! ```
//! use sfumato::skew::{Skewed, find};
//!
//! let random = (find("r-suppression")?.build)(&Default::default());
//! assert_eq!(random.expected(&Skewed::new(&[10, 4, 2, 1, 1], 3)?).to_string(), "71/9");
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::levels::{Lowered, Reason, Stop};
use super::{Build, PossibleDraw, PublishedCounts, Skewed, Suppression, worlds};
use crate::kind::Kind;
use dashu_ratio::RBig;
use rand::RngExt;
use rand_chacha::ChaCha20Rng;
use std::collections::BTreeMap;

/// The description of R-suppression.
pub const KIND: Kind<Build> = Kind {
    name: "r-suppression",
    summary: "Lowers the most frequent value to a random level: withholds little more than the bound in most tables, but who computes may believe more than 1/l",
    reference: "l-dichotomy, Section 4",
    params: &[],
    example: &[],
    build: |_| Box::new(RSuppression),
};

struct RSuppression;

/// The levels that S1 may be lowered to once h is drawn, and how many there are.
fn levels(table: &Skewed, h: u64) -> (std::ops::RangeInclusive<u64>, u64) {
    let (low, high) = (table.frequency(h + 1), table.frequency(h));
    (low..=high, high - low + 1)
}

/// What the number of withheld records depends on besides S1's level.
#[derive(PartialEq, Eq)]
enum Piece {
    /// Nothing: D-suppression goes below S1's level, or stops after a number of drops.
    Constant,
    /// The level, which another value has by itself: several of S1's levels lead to it.
    At(u64),
    /// It waits for eligibility, so many others being at the level or above.
    Eligible(u64),
    /// It waits for the end of a level, likewise.
    LevelOver(u64),
}

impl Piece {
    fn of(table: &Skewed, first: u64, stop: Stop) -> Piece {
        match stop.reason {
            Reason::Candidates => Piece::Constant,
            _ if stop.level < first => Piece::Constant,
            Reason::LevelOver => Piece::LevelOver(table.others_from(stop.level + 1)),
            Reason::Eligible if table.others_from(stop.level) > table.others_from(stop.level + 1) => {
                Piece::At(stop.level)
            }
            Reason::Eligible => Piece::Eligible(table.others_from(stop.level)),
        }
    }

    fn period(&self, table: &Skewed) -> u64 {
        match self {
            Piece::Constant | Piece::At(_) => 1,
            Piece::Eligible(above) => table.l().saturating_sub(*above).max(1),
            Piece::LevelOver(above) => (*above).max(1),
        }
    }
}

/// How many records are withheld, summed over a range of levels that S1 is lowered to.
fn total(table: &Skewed, low: u64, high: u64) -> u128 {
    let stop = |first: u64| Lowered::new(table, first).stop();
    let piece = |first: u64| Piece::of(table, first, stop(first));
    let (mut sum, mut from) = (0, high);
    loop {
        let here = piece(from);
        let (mut least, mut most) = (low, from);
        while least < most {
            let middle = least + (most - least) / 2;
            if piece(middle) == here { most = middle } else { least = middle + 1 }
        }
        sum += stepped(least, from, here.period(table), |first| stop(first).withheld);
        if least == low {
            return sum;
        }
        from = least - 1;
    }
}

/// The sum of a function over a range, given that it is a line on every residue.
fn stepped(low: u64, high: u64, period: u64, value: impl Fn(u64) -> u64) -> u128 {
    let progression = |last: u64| {
        let terms = (last - low) / period + 1;
        let ends = u128::from(value(last)) + u128::from(value(last - (terms - 1) * period));
        ends * u128::from(terms) / 2
    };
    (0..period.min(high - low + 1)).map(|residue| progression(high - residue)).sum()
}

impl Suppression for RSuppression {
    fn draw(&self, table: &Skewed, generator: &mut ChaCha20Rng) -> Vec<u64> {
        let (levels, _) = levels(table, generator.random_range(1..=table.l()));
        let lowered = Lowered::new(table, generator.random_range(levels));
        lowered.kept_at(lowered.stop())
    }

    fn expected(&self, table: &Skewed) -> RBig {
        let of_gap = |h: u64| {
            let (levels, count) = levels(table, h);
            RBig::from_parts(total(table, *levels.start(), *levels.end()).into(), count.into())
        };
        let sum = (1..=table.l()).map(of_gap).fold(RBig::ZERO, |sum, mean| sum + mean);
        sum / RBig::from(table.l())
    }

    fn outcomes(&self, table: &Skewed, most: u64) -> Option<Vec<PossibleDraw>> {
        let choices: u64 = (1..=table.l()).map(|h| levels(table, h).1).sum();
        if choices.saturating_mul(table.frequencies().len() as u64) > most {
            return None;
        }
        let mut chances: BTreeMap<Vec<u64>, RBig> = BTreeMap::new();
        for h in 1..=table.l() {
            let (levels, count) = levels(table, h);
            let chance = RBig::from_parts(1.into(), (count * table.l()).into());
            for first in levels {
                let lowered = Lowered::new(table, first);
                *chances.entry(lowered.kept_at(lowered.stop())).or_default() += &chance;
            }
        }
        Some(chances.into_iter().map(|(kept, chance)| PossibleDraw { kept, chance }).collect())
    }

    fn beliefs(&self, published: &PublishedCounts) -> Option<Vec<RBig>> {
        worlds::beliefs(published)
    }

    fn knowledge(&self) -> &'static str {
        "the method, l, how many records the table had, and takes all tables of as many records and values for equally likely in which a single most frequent value has more than one in l"
    }

    fn figure(&self) -> &'static str {
        "r_expected"
    }

    fn keeps_to_limit(&self) -> bool {
        false
    }
}
