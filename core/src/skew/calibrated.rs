//! Calibrated suppression: S1 is put at one of l places in a shape that does not depend on which
//! place it is.
//!
//! **Withholds** F1 − F_l records, and what it takes to make the rest l-eligible; the same number
//! whatever is drawn. **Tells** nothing: S1 stands at each of the l first places with the same
//! chance. **Cost**: of all ways to suppress that make the same promise, the least, for every table
//! (below). **Reference**: this project; the question is that of "Publishing Skewed Sensitive
//! Microdata" (l-dichotomy), Definition 1.
//!
//! The *shape* is (F2, …, F_l, F_l, F_{l+1}, …, F_m), no entry above the largest c for which what
//! is left is l-eligible. A place h is drawn uniformly from 1, …, l. S1 is published with entry h,
//! S2, …, S_h with entries 1, …, h − 1, every other value with the entry of its own rank. Each
//! entry is at most the value's frequency, so records are only withheld.
//!
//! # Claim
//!
//! For every prior that treats values alike, no value is believed to be S1 by more than 1/l, even
//! by somebody who knows all frequencies and only not which value has which. *Proof.* Let somebody
//! know F1, …, Fm. Then the shape is known, and what is published is the shape with values at its
//! places. All assignments of values to ranks are equally likely; h is independent of them; and for
//! each h the map from assignments to published tables is a bijection. So given what is published,
//! every h is as likely as before: the value at place h ≤ l is S1 with belief 1/l, others not at
//! all; and where several places have the same number of records, of c places s among the first l,
//! each of those values is S1 with belief s/(c·l). Who knows less has a mixture of such beliefs,
//! over the frequencies that are possible, and all of them give the same ones, since they depend on
//! what is published alone. ∎
//!
//! # No way to suppress that keeps this promise withholds less
//!
//! Let TP come out of a table with frequencies F1 ≥ … ≥ Fm by whatever way, only by withholding
//! records; let TP be l-eligible, with numbers G1 ≥ G2 ≥ …; and let somebody who knows the
//! frequencies, and takes all assignments of values to them for equally likely, believe of no value
//! by more than 1/l that it is S1. Then TP has at most as many records as calibrated suppression
//! leaves. *Proof.* Beliefs add up to 1, so at least l values may be S1: of these, let x be the one
//! that stands last, at place i ≥ l, and y the one that stands first, before i (ties stand in any
//! order; values that were withheld altogether stand last, with 0). If x is S1, the other places
//! are filled by values with frequencies F2, …, Fm, each with at most as many records as its value
//! has; sorted against sorted, so G_j ≤ F_{j+1} for j < i, and G_j ≤ F_j for j > i. If y is S1,
//! then G_j ≤ F_j for every j after y's place, i among them. So G_j ≤ F_{j+1} for j < l, G_l ≤ F_l
//! (from y if i = l; from x if i > l, as then G_l ≤ F_{l+1}) and G_j ≤ F_j for j > l (from x,
//! whichever side of i it is on, and from y for j = i): G is nowhere above the uncapped shape. Now
//! l·G1 ≤ |TP|, and |TP| is at most the sum of the shape capped at G1, so the shape capped at G1 is
//! l-eligible, G1 is at most c, and |TP| is at most the sum of the shape capped at c. ∎
//!
//! The bound holds for every outcome, so chance cannot beat it in the mean either. Withholding less
//! is possible only with a weaker promise, such as one that needs a certain prior over frequencies.
//!
//! ```
//! use sfumato::skew::{Skewed, find};
//!
//! let calibrated = (find("calibrated")?.build)(&Default::default());
//! let outcomes = calibrated.outcomes(&Skewed::new(&[10, 4, 2, 1, 1], 3)?, 3).unwrap();
//! assert!(outcomes.iter().all(|outcome| outcome.seen() == [3, 2, 2, 1, 1]));
//! assert_eq!(outcomes[2].kept, [2, 3, 2, 1, 1]); // S1 at the third place
//! # Ok::<(), sfumato::Error>(())
//! ```

use super::deterministic::KNOWS_FREQUENCIES;
use super::{Build, PossibleDraw, PublishedCounts, Skewed, Suppression};
use crate::kind::Kind;
use dashu_int::UBig;
use dashu_ratio::RBig;
use rand::RngExt;
use rand_chacha::ChaCha20Rng;

/// The description of calibrated suppression.
pub const KIND: Kind<Build> = Kind {
    name: "calibrated",
    summary: "Puts the most frequent value at one of l places at random: keeps to 1/l whatever is known about frequencies, with the least possible loss",
    reference: "this project, docs/guide",
    params: &[],
    example: &[],
    build: |_| Box::new(Calibrated),
};

struct Calibrated;

/// What is published, whatever is drawn, as numbers of records at places.
fn shape(table: &Skewed) -> Vec<u64> {
    let l = table.l() as usize;
    let mut shape = table.frequencies().to_vec();
    shape.copy_within(1..l, 0);
    shape[l - 1] = table.frequency(table.l());
    let cap = largest_eligible_cap(&shape, table.l());
    shape.iter_mut().for_each(|entry| *entry = (*entry).min(cap));
    shape
}

/// The largest number that, if no entry may be above it, has at most 1/l of the sum. Up to the l-th
/// entry every number does; from there on each step adds l to what is asked for, and less to the
/// sum.
fn largest_eligible_cap(shape: &[u64], l: u64) -> u64 {
    let is_eligible = |cap: u64| {
        let sum: u128 = shape.iter().map(|&entry| u128::from(entry.min(cap))).sum();
        u128::from(cap) * u128::from(l) <= sum
    };
    let (mut low, mut high) = (shape[l as usize - 1], shape[0]);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if is_eligible(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// How many records each value keeps, by rank, where S1 stands at a place.
fn placed(shape: &[u64], place: usize) -> Vec<u64> {
    let mut kept = shape.to_vec();
    kept[..place].rotate_right(1);
    kept
}

impl Suppression for Calibrated {
    fn draw(&self, table: &Skewed, generator: &mut ChaCha20Rng) -> Vec<u64> {
        placed(&shape(table), generator.random_range(1..=table.l() as usize))
    }

    fn expected(&self, table: &Skewed) -> RBig {
        (table.records() - shape(table).iter().sum::<u64>()).into()
    }

    fn outcomes(&self, table: &Skewed, most: u64) -> Option<Vec<PossibleDraw>> {
        if table.l() > most {
            return None;
        }
        let shape = shape(table);
        let chance = RBig::from_parts(1.into(), table.l().into());
        let outcome = |place| PossibleDraw { kept: placed(&shape, place), chance: chance.clone() };
        Some((1..=table.l() as usize).map(outcome).collect())
    }

    /// # Claim
    /// It leads to every table that is eligible, has candidates, and has G_{l−1} = G_l, which are
    /// both F_l: from F1 = G_l + |TS| and the other frequencies as they are published, of which the
    /// shape is made that is published, and eligible without a cap. The candidates say that F1 >
    /// n/l, and that is more than G1, which is at most |TP|/l.
    fn beliefs(&self, published: &PublishedCounts) -> Option<Vec<RBig>> {
        let l = usize::try_from(published.l).ok()?;
        if !published.is_dichotomous() || published.counts.get(l - 1)? != published.counts.get(l.checked_sub(2)?)? {
            return None;
        }
        let mut beliefs = Vec::with_capacity(published.counts.len());
        for alike in published.counts.chunk_by(|a, b| a == b) {
            let places = alike.len().min(l.saturating_sub(beliefs.len()));
            let belief = RBig::from_parts(places.into(), UBig::from(alike.len()) * published.l);
            beliefs.extend(std::iter::repeat_n(belief, alike.len()));
        }
        Some(beliefs)
    }

    fn knowledge(&self) -> &'static str {
        KNOWS_FREQUENCIES
    }

    fn figure(&self) -> &'static str {
        "calibrated"
    }

    fn keeps_to_limit(&self) -> bool {
        true
    }
}
