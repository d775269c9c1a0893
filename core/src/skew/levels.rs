//! D-suppression by levels: where it stops, without dropping records one by one.
//!
//! D-suppression drops one record of the currently most frequent value, the lowest ranked of them
//! first, again and again. Its state after k drops is a *level* L, the most records that any value
//! has, and how many of the values at L were lowered to L − 1 already. It stops when, for the first
//! time,
//!
//! - *P-eligibility*: l·L ≤ |TP|, and
//! - *l-candidacy*: l·(F_l′ + |TS|) > n, with F_l′ the l-th largest number in TP.
//!
//! # Claim
//!
//! Let S1 have been lowered to F before (F = F1 where it was not), with k₀ = F1 − F, and let v_l be
//! the l-th largest number then. Write kept(L) for the records left at the start of level L.
//!
//! 1. The levels at whose start P-eligibility holds are all those up to a largest one, L*: where
//!    fewer than l values are at L or above, a level less takes l from l·L and less than l from
//!    kept(L); where at least l are, kept(L) ≥ l·L.
//! 2. Within a level P-eligibility gets lost and not won: l·L stays, |TP| falls.
//! 3. Candidacy, once reached, stays: each drop raises |TS| by one and lowers F_l′ by at most one.
//!    While the level is not below v_l, F_l′ = v_l, so it is reached after k_c = max(k₀, ⌊n/l⌋ −
//!    v_l + 1) drops; and the level is not below v_l until then, since at the start of level v_l,
//!    v_l + |TS| ≥ F1 > n/l.
//!
//! So D-suppression stops at the start of L* if candidacy is reached until then; else after k_c
//! drops if P-eligibility holds there; else at the start of the next level.

use super::Skewed;

/// Where D-suppression stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stop {
    /// The most records that any value has.
    pub level: u64,
    /// How many values, of those that had as many or more, have one less already; the lowest
    /// ranked.
    pub lowered: u64,
    /// How many records were dropped.
    pub withheld: u64,
    /// What it waited for.
    pub reason: Reason,
}

/// What D-suppression waited for at last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// That no value has more than 1/l.
    Eligible,
    /// That l values could be S1.
    Candidates,
    /// That the level at which l values could be S1 is over.
    LevelOver,
}

/// The table after S1 was lowered.
#[derive(Clone, Copy)]
pub(super) struct Lowered<'a> {
    table: &'a Skewed,
    /// What S1 has left.
    first: u64,
}

impl<'a> Lowered<'a> {
    pub fn new(table: &'a Skewed, first: u64) -> Lowered<'a> {
        Lowered { table, first }
    }

    /// How many records are left at the start of a level.
    fn kept(&self, level: u64) -> u64 {
        self.first.min(level) + self.table.others_kept(level)
    }

    /// How many records are dropped at the start of a level.
    fn withheld(&self, level: u64) -> u64 {
        self.table.records() - self.kept(level)
    }

    fn top(&self) -> u64 {
        self.first.max(self.table.frequency(2))
    }

    fn is_eligible(&self, level: u64, kept: u64) -> bool {
        u128::from(level) * u128::from(self.table.l()) <= u128::from(kept)
    }

    /// The l-th largest number: S1 stands among the others.
    fn l_th(&self) -> u64 {
        // Without it, the one of rank l would be the (l − 1)-th, the next one the l-th.
        self.first.clamp(self.table.frequency(self.table.l() + 1), self.table.frequency(self.table.l()))
    }

    /// The largest level up to a limit for which something holds that holds for all smaller ones,
    /// and for 0.
    fn largest(limit: u64, holds: impl Fn(u64) -> bool) -> u64 {
        let (mut low, mut high) = (0, limit);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if holds(middle) { low = middle } else { high = middle - 1 }
        }
        low
    }

    /// Where D-suppression stops that starts here.
    pub fn stop(&self) -> Stop {
        let (records, l) = (self.table.records(), self.table.l());
        let start = |level: u64, reason| Stop { level, lowered: 0, withheld: self.withheld(level), reason };
        let eligible = Self::largest(self.top(), |level| self.is_eligible(level, self.kept(level)));
        let before = self.table.frequency(1) - self.first;
        let candidates = before.max((records / l + 1).saturating_sub(self.l_th()));
        if candidates <= self.withheld(eligible) {
            return start(eligible, Reason::Eligible);
        }
        // The level at which so many are dropped.
        let level = self.top() - Self::largest(self.top(), |below| self.withheld(self.top() - below) <= candidates);
        if !self.is_eligible(level, records - candidates) {
            return start(level - 1, Reason::LevelOver);
        }
        let lowered = candidates - self.withheld(level);
        Stop { level, lowered, withheld: candidates, reason: Reason::Candidates }
    }

    /// How many records each value has left, by rank, where D-suppression stopped.
    pub fn kept_at(&self, stop: Stop) -> Vec<u64> {
        let mut kept: Vec<u64> = self.table.frequencies().iter().map(|&frequency| frequency.min(stop.level)).collect();
        kept[0] = self.first.min(stop.level);
        let from = self.table.others_from(stop.level) as usize;
        // S1 is the highest ranked, so it is the last to be lowered: that would end the level.
        kept[1 + from - stop.lowered as usize..=from].iter_mut().for_each(|kept| *kept -= 1);
        kept
    }
}
