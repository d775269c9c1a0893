//! SkylineCheck as Section 5.1 prints it: one scan of the groups, which keeps five sufficient
//! statistics for each value. Nothing is left out, and nothing is clever.

use super::Knowledge;

/// The highest belief in one of the first values of an attacker who knows l things about the
/// target, k others and m of the family; each person has one value.
///
/// # Claim
/// The same as by the dynamic program (Theorem 2): others and family congregate, in the target's
/// group or in another one.
pub fn highest_belief<const VALUES: usize>(groups: &[[u32; VALUES]], (l, k, m): Knowledge, values: usize) -> f64 {
    let mut lowest = vec![[f64::INFINITY; 5]; values];
    for counts in groups {
        let people = counts.iter().sum::<u32>();
        let mut ranked = *counts;
        ranked.sort_unstable_by(|a, b| b.cmp(a));
        for (&own, lowest) in counts.iter().zip(&mut lowest).filter(|(own, _)| **own > 0) {
            let group = Group { people: people.into(), own: own.into() };
            let ruled_out = most_frequent_others(&ranked, own, l);
            let (target, aware) = (group.target(ruled_out, 0), group.target(ruled_out, k));
            let found = [aware * group.family(m, k + 1), target, aware, group.family(m, 0), group.family(m, k)];
            lowest.iter_mut().zip(found).for_each(|(lowest, found)| *lowest = lowest.min(found));
        }
    }
    let belief = |[together, target, aware, alone, with_others]: [f64; 5]| {
        1.0 / (1.0 + together.min(target * with_others).min(aware * alone))
    };
    lowest.into_iter().map(belief).fold(0.0, f64::max)
}

/// How many people have one of the l most frequent values but the own one.
fn most_frequent_others(ranked: &[u32], own: u32, l: usize) -> f64 {
    let place = ranked.iter().take(l).position(|&count| count == own);
    let taken: u32 = ranked.iter().take(l + usize::from(place.is_some())).sum();
    f64::from(if place.is_some() { taken - own } else { taken })
}

/// A group as it concerns a value that occurs in it.
struct Group {
    people: f64,
    own: f64,
}

impl Group {
    /// T(g, l, k).
    fn target(&self, ruled_out: f64, k: usize) -> f64 {
        (self.people - self.own - ruled_out - k as f64).max(0.0) / self.own
    }

    /// V(g, m, k).
    fn family(&self, m: usize, k: usize) -> f64 {
        let factor = |before: usize| {
            let left = self.people - (k + before) as f64;
            if left <= 0.0 { 0.0 } else { (left - self.own).max(0.0) / left }
        };
        (0..m).map(factor).product()
    }
}

#[cfg(test)]
mod tests {
    use super::super::dynamic_program::{Bucket, Semantics, breach};
    use super::*;

    #[test]
    fn five_minima_are_enough() {
        let groups = [[4, 3, 2, 0], [2, 2, 2, 9], [1, 7, 3, 3], [0, 5, 5, 5]];
        for knowledge in [(0, 0, 0), (1, 0, 0), (0, 3, 0), (0, 0, 3), (1, 2, 2), (2, 4, 1)] {
            let by_program = |value: usize| {
                let bucket = |counts: &[u32; 4]| Bucket::new(counts.iter().sum(), counts, value);
                breach(Semantics::Single, &groups.iter().map(bucket).collect::<Vec<Bucket>>(), knowledge)
            };
            let expected = (0..4).map(by_program).fold(0.0, f64::max);
            assert!((highest_belief(&groups, knowledge, 4) - expected).abs() < 1e-12, "{knowledge:?}");
        }
    }
}
