//! From above: descents, exchanges, and restarts around the best.

use super::{Anytime, Place, Sight, stepped};

/// How many columns are looked at before the best of them is taken. A constant, so that the
/// number of threads changes nothing.
const LANES: usize = 6;

/// How much breaking up groups counts when a column is refined: each descent takes the next.
const POWERS: [f64; 4] = [1.0, 0.5, 1.5, 0.75];

/// Every restart counts as so many steps for each column, so that searches end that know all.
const STEPS_PER_RESTART: u64 = 1000;

/// After so many restarts that saw nothing new there are no more.
const MOST_IDLE: usize = 100;

/// Numbers that look as if drawn by lot, and are always the same.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, bound: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((word ^ (word >> 31)) % bound as u64) as usize
    }
}

impl Anytime<'_> {
    /// Descends from the coarsest candidate and, if there is one, from another.
    pub(super) fn descend(&mut self, start: Option<Place>) {
        let Some(best) = self.best.clone() else { return };
        let from = [Some(self.coarsest().unwrap_or(best)), start];
        let mut ends: Vec<Place> = Vec::new();
        for place in from.into_iter().flatten() {
            ends.extend(POWERS.map(|power| self.refine(place.clone(), power, &[])));
        }
        ends.sort_by(|a, b| a.value.total_cmp(&b.value));
        ends.dedup_by(|a, b| a.levels == b.levels);
        ends.into_iter().take(3).for_each(|place| self.exchange_all(place));
    }

    /// Goes on around the best as long as it may, or until nothing new is seen.
    pub(super) fn restart_all(&mut self) {
        let mut sequence = Sequence(0);
        let (mut seen, mut idle) = (self.checked, 0);
        for power in POWERS.into_iter().cycle() {
            let Some(best) = self.best.clone().filter(|_| self.may_go_on() && idle < MOST_IDLE) else { return };
            self.spend(STEPS_PER_RESTART * best.levels.len() as u64);
            self.restart(&best, &mut sequence, power);
            idle = if self.checked == seen { idle + 1 } else { 0 };
            seen = self.checked;
        }
    }

    fn coarsest(&mut self) -> Option<Place> {
        let high = self.whole.high.clone();
        match self.look_at_base(&[high]).pop() {
            Some(Sight::Safe(place)) => Some(place),
            _ => None,
        }
    }

    /// Refines column after column: the one that gains most for the groups it breaks up.
    fn refine(&mut self, mut at: Place, power: f64, fixed: &[usize]) -> Place {
        let open = self.columns().filter(|column| !fixed.contains(column));
        // Gains are known from steps before; the most promising are looked at anew.
        let mut open: Vec<(f64, usize)> = open.map(|column| (f64::INFINITY, column)).collect();
        while self.may_go_on() {
            let Some((next, column)) = self.best_step(&at, power, &mut open) else { break };
            open.retain(|one| one.1 != column || next.levels[column] > self.whole.low[column]);
            at = next;
        }
        at
    }

    fn best_step(&mut self, at: &Place, power: f64, open: &mut Vec<(f64, usize)>) -> Option<(Place, usize)> {
        let mut found: Vec<(f64, usize, Place)> = Vec::new();
        loop {
            open.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let fresh = |column: usize| found.iter().any(|one| one.1 == column);
            let best = found.iter().map(|one| one.0).fold(f64::NEG_INFINITY, f64::max);
            let stale = open.iter().filter(|one| !fresh(one.1) && one.0 > best);
            let some: Vec<usize> = stale.map(|one| one.1).take(LANES).collect();
            if some.is_empty() {
                break;
            }
            let finer = |column: usize| {
                (at.levels[column] > self.whole.low[column]).then(|| stepped(&at.levels, column, at.levels[column] - 1))
            };
            let (steps, dead): (Vec<_>, Vec<_>) = some
                .into_iter()
                .map(|column| (column, finer(column).filter(|levels| !self.conflicts.rule_out(levels))))
                .partition(|one| one.1.is_some());
            open.retain(|one| dead.iter().all(|dead| dead.0 != one.1));
            let (columns, levels): (Vec<usize>, Vec<Vec<usize>>) =
                steps.into_iter().filter_map(|(column, levels)| Some((column, levels?))).unzip();
            for (column, sight) in columns.into_iter().zip(self.look_at_base(&levels)) {
                match sight {
                    Sight::Safe(place) if place.is_better_than(at) => {
                        let score = score(at, &place, power);
                        open.iter_mut().filter(|one| one.1 == column).for_each(|one| one.0 = score);
                        found.push((score, column, place));
                    }
                    _ => open.retain(|one| one.1 != column),
                }
            }
        }
        let best = found.into_iter().reduce(|best, one| if one.0 > best.0 { one } else { best })?;
        Some((best.2, best.1))
    }

    /// Exchanges until no exchange improves.
    fn exchange_all(&mut self, mut at: Place) {
        while let Some(better) = self.exchange(&at).filter(|_| self.may_go_on()) {
            at = self.refine(better, 1.0, &[]);
        }
    }

    /// One column finer and another coarser, if that is better.
    fn exchange(&mut self, at: &Place) -> Option<Place> {
        for column in self.columns() {
            if at.levels[column] == self.whole.low[column] {
                continue;
            }
            let finer = stepped(&at.levels, column, at.levels[column] - 1);
            let others = self.columns().filter(|&other| other != column && at.levels[other] < self.whole.high[other]);
            let all = others.map(|other| stepped(&finer, other, at.levels[other] + 1));
            let all: Vec<Vec<usize>> = all.filter(|levels| self.may_be_better(levels, at)).collect();
            if all.is_empty() || !self.may_go_on() {
                continue;
            }
            let base = self.base.clone();
            let set = self.roll_up(&base, &finer);
            let mut best = at.clone();
            for sight in self.look(&set, &all) {
                if let Sight::Safe(place) = sight
                    && place.is_better_than(&best)
                {
                    best = place;
                }
            }
            if best != *at {
                return Some(best);
            }
            if self.look(&set, std::slice::from_ref(&finer)) == [Sight::Below] {
                let order = self.by_gain(&finer);
                self.learn(&set, &finer, &order);
            }
        }
        None
    }

    fn may_be_better(&self, levels: &[usize], than: &Place) -> bool {
        let is_open = |sight: &Sight| !matches!(sight, Sight::Below | Sight::Unsafe);
        !super::exceeds(self.judge.bound(levels), than.value)
            && self.known.get(levels).is_none_or(is_open)
            && !self.conflicts.rule_out(levels)
    }

    /// Columns that are not on their highest level, those first that gain most by being fine.
    fn by_gain(&self, levels: &[usize]) -> Vec<usize> {
        let at = self.judge.bound(levels);
        let gain = |column: usize| self.judge.bound(&stepped(levels, column, self.whole.high[column])) - at;
        let mut columns: Vec<(f64, usize)> = self
            .columns()
            .filter(|&column| levels[column] < self.whole.high[column])
            .map(|column| (gain(column), column))
            .collect();
        columns.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        columns.into_iter().map(|one| one.1).collect()
    }

    /// Gives up some columns of the best, and goes on from there.
    fn restart(&mut self, best: &Place, sequence: &mut Sequence, power: f64) {
        let high = &self.whole.high;
        let mut fine: Vec<usize> = self.columns().filter(|&column| best.levels[column] < high[column]).collect();
        let mut levels = best.levels.clone();
        let mut given: Vec<usize> = Vec::new();
        for _ in 0..1 + sequence.below(3) {
            if fine.is_empty() {
                break;
            }
            let column = fine.swap_remove(sequence.below(fine.len()));
            levels[column] += 1 + sequence.below(high[column] - levels[column]);
            given.push(column);
        }
        let Some(Sight::Safe(place)) = self.look_at_base(&[levels]).pop() else { return };
        // Others are refined first, so that another place is reached.
        let other = self.refine(place, power, &given);
        let end = self.refine(other, power, &[]);
        if end.levels != best.levels {
            self.exchange_all(end);
        }
    }
}

/// How much a step gains for the groups that it breaks up.
fn score(from: &Place, to: &Place, power: f64) -> f64 {
    let gain = (from.value - to.value).max(0.0) + 1e-9 * from.value.abs();
    let broken = (to.groups.max(1) as f64 / from.groups.max(1) as f64).ln();
    gain / (broken.max(0.0) + 1e-3).powf(power)
}
