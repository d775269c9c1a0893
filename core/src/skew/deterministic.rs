//! D-suppression: ways in which nothing is drawn by lot. They differ in where they stop.

use super::{PossibleDraw, PublishedCounts, Skewed, Suppression};
use dashu_ratio::RBig;
use rand_chacha::ChaCha20Rng;

/// What beliefs that are the same for every prior are those of.
pub(super) const KNOWS_FREQUENCIES: &str =
    "the method, l, how many records the table had, and anything about frequencies but which value has which";

/// D-suppression with a place to stop.
pub(super) struct DSuppression {
    /// How many records each value keeps, by rank.
    pub kept: fn(&Skewed) -> Vec<u64>,
    /// Whether at least l values have the most records then.
    pub is_safe: bool,
    pub figure: &'static str,
}

impl Suppression for DSuppression {
    fn draw(&self, table: &Skewed, _generator: &mut ChaCha20Rng) -> Vec<u64> {
        (self.kept)(table)
    }

    fn expected(&self, table: &Skewed) -> RBig {
        (table.records() - (self.kept)(table).iter().sum::<u64>()).into()
    }

    fn outcomes(&self, table: &Skewed, _most: u64) -> Option<Vec<PossibleDraw>> {
        Some(vec![PossibleDraw { kept: (self.kept)(table), chance: RBig::ONE }])
    }

    /// # Claim
    /// D-suppression keeps the order of frequencies, so S1 is among the values with the most
    /// records; a prior that treats values alike makes each of them as likely.
    ///
    /// Safe D leads to every table that is eligible, has candidates and l values at the top: from
    /// the one in which the first of them has all that was withheld.
    fn beliefs(&self, published: &PublishedCounts) -> Option<Vec<RBig>> {
        let top = published.top();
        if !published.is_dichotomous() || (self.is_safe && (top as u64) < published.l) {
            return None;
        }
        let belief = |at: usize| if at < top { RBig::from_parts(1.into(), top.into()) } else { RBig::ZERO };
        Some((0..published.counts.len()).map(belief).collect())
    }

    fn knowledge(&self) -> &'static str {
        KNOWS_FREQUENCIES
    }

    fn figure(&self) -> &'static str {
        self.figure
    }

    fn keeps_to_limit(&self) -> bool {
        self.is_safe
    }

    fn is_publishable(&self) -> bool {
        self.is_safe
    }
}
