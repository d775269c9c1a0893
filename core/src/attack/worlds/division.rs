//! Counting the worlds of a group that was tried to be divided in one way, where criteria limit
//! each value by itself: any number of records and values.
//!
//! # Claim
//! The group has n records, m of them on the one side of the division, and c records of a value. A
//! world has a of these on the one side in `C(c, a)` ways, and the sides are safe if a is within
//! limits that belong to the value. So the number of worlds in which both sides are safe is the
//! coefficient of `x^m` in the product, over all values, of `Σ C(c, a)·x^a` over the permitted a.
//! Worlds in which a side is unsafe are counted beside them: the product so far is unsafe, or it is
//! safe and this value is not. So nothing is ever subtracted, and floats lose about one part in
//! 10¹⁶ for each of at most n terms. What is believed of one value takes the product of the others,
//! which is that of the ones before it times that of the ones after it.

use super::exact::Tally;
use super::number::Number;
use super::{Atom, Case, Scene};

/// A value, or all values that are within their limits wherever they are.
struct Factor {
    /// The atoms that it stands for.
    atoms: Vec<usize>,
    /// How many records have it.
    count: u32,
    /// On the one side there may be from so many to so many.
    least: u32,
    most: u32,
    /// Whether some world is outside these limits.
    is_limited: bool,
}

/// Numbers of worlds by how many records are on the one side.
struct Ways<N> {
    safe: Vec<N>,
    not_safe: Vec<N>,
}

/// How many multiplications counting takes; nothing if the group is not of this kind.
pub(super) fn steps(scene: &Scene<'_>, case: &Case) -> Option<u64> {
    is_of_this_kind(scene, case).then(|| {
        let (rows, side) = (u64::from(case.rows()), u64::from(case.block_size(0).min(case.block_size(1))));
        6 * (rows + side) * side
    })
}

/// Whether there is one test, of one side or both, and all criteria go value by value.
fn is_of_this_kind(scene: &Scene<'_>, case: &Case) -> bool {
    is_one(scene, case) && scene.readers.iter().all(|reader| reader.criterion.properties().is_by_value)
}

/// Whether there is one test, of one side or both, and each value that a criterion reads is an atom.
pub(super) fn is_one(scene: &Scene<'_>, case: &Case) -> bool {
    let is_divided = case.sizes.len() == 2
        && case.urns.len() == 1
        && matches!(&case.tests[..], [parts] if parts.iter().all(|part| part.len() == 1));
    let are_apart = |reader: usize| {
        let mut codes: Vec<u32> = case.atoms.iter().map(|atom| atom.codes[reader].code).collect();
        codes.sort_unstable();
        codes.windows(2).all(|pair| pair[0] != pair[1])
    };
    is_divided && case.passed.num == 0 && (0..scene.readers.len()).all(are_apart)
}

/// Counts; nothing if the group is not of this kind, or the numbers are too small to count with.
pub(super) fn count<N: Number>(scene: &Scene<'_>, case: &Case) -> Option<Tally<N::Share>> {
    if !is_of_this_kind(scene, case) {
        return None;
    }
    // The smaller block is the one side.
    let one = usize::from(case.block_size(1) < case.block_size(0));
    let (rows, side) = (case.rows(), case.block_size(one));
    let factors = factors(scene, case, one);
    if !factors.iter().any(|factor| factor.is_limited) {
        // Both sides would have been safe in every world.
        return Some(Tally::Impossible);
    }
    if !is_ever_safe(&factors, side) {
        return Some(Tally::Even);
    }
    let weights = |count: u32| N::choices(count, side, rows);
    // Before each factor, and after it.
    let mut before: Vec<Ways<N>> = vec![Ways::none()];
    let mut drawn = 0;
    for factor in &factors {
        let last = before.last().expect("there is a first");
        before.push(last.with(factor, &weights(factor.count), &weights(drawn), side));
        drawn += factor.count;
    }
    let all = before.last().expect("there is a first");
    if all.not_safe[side as usize].is_lost() {
        return None;
    }
    let mut beliefs: Vec<Vec<N::Share>> = vec![Vec::new(); case.classes];
    let mut after = Ways::none();
    let mut drawn = 0;
    for (factor, before) in factors.iter().zip(&before).rev() {
        let is_wanted = |at: &usize| case.atoms[*at].wanted && beliefs[case.atoms[*at].class].is_empty();
        if factor.atoms.iter().any(is_wanted) {
            let others = rows - factor.count;
            let beside = Beside { before, after: &after, whole_after: weights(drawn) };
            let found = beside.counted(factor, &weights(factor.count), &weights(others), (side, rows));
            for &at in factor.atoms.iter().filter(|&&at| case.atoms[at].wanted) {
                let part = (case.atoms[at].counts[0], factor.count);
                let share = |(own, others): &(N, N)| N::share(own, others, part);
                let mut shares = found.iter().map(share).collect::<Option<Vec<_>>>()?;
                if one == 1 {
                    shares.reverse();
                }
                beliefs[case.atoms[at].class] = shares;
            }
        }
        after = after.with(factor, &weights(factor.count), &weights(drawn), side);
        drawn += factor.count;
    }
    Some(Tally::Counted(beliefs))
}

/// What each value permits on the side of a block; those that permit everything are one.
fn factors(scene: &Scene<'_>, case: &Case, one: usize) -> Vec<Factor> {
    let (side, rest) = (case.block_size(one), case.block_size(1 - one));
    let is_tested = |block: usize| case.tests[0].iter().any(|part| part[..] == [block as u32]);
    let most_of = |atom: &Atom, block: usize, size: u32| {
        let count = atom.total();
        let excess = if is_tested(block) {
            (1..=count).find(|&some| scene.rules_out(atom, some, u64::from(size)))
        } else {
            None
        };
        excess.map_or(count, |excess| excess - 1)
    };
    let mut free = Factor { atoms: Vec::new(), count: 0, least: 0, most: 0, is_limited: false };
    let mut factors = Vec::new();
    for (at, atom) in case.atoms.iter().enumerate() {
        let count = atom.total();
        let (most, most_of_rest) = (most_of(atom, one, side), most_of(atom, 1 - one, rest));
        let least = count - most_of_rest;
        if most >= count.min(side) && least <= count.saturating_sub(rest) {
            free.atoms.push(at);
            free.count += count;
            free.most += count;
        } else {
            factors.push(Factor { atoms: vec![at], count, least, most, is_limited: true });
        }
    }
    if free.count > 0 {
        factors.push(free);
    }
    factors
}

/// Whether any world is within all limits.
fn is_ever_safe(factors: &[Factor], side: u32) -> bool {
    let (least, most) = factors.iter().fold((0, 0), |sum, factor| (sum.0 + factor.least, sum.1 + factor.most));
    factors.iter().all(|factor| factor.least <= factor.most) && (least..=most).contains(&side)
}

impl<N: Number> Ways<N> {
    /// Of no values.
    fn none() -> Ways<N> {
        Ways { safe: vec![N::one()], not_safe: vec![N::zero()] }
    }

    /// With one more value; `whole` are the worlds so far, safe or not.
    fn with(&self, factor: &Factor, weights: &[N], whole: &[N], side: u32) -> Ways<N> {
        let length = (self.safe.len() + factor.count as usize).min(side as usize + 1);
        let mut ways = Ways { safe: vec![N::zero(); length], not_safe: vec![N::zero(); length] };
        for (some, weight) in (0u32..).zip(weights).take(length) {
            let permitted = factor.least <= some && some <= factor.most;
            if permitted {
                add(&mut ways.safe, &self.safe, weight, some);
                add(&mut ways.not_safe, &self.not_safe, weight, some);
            } else {
                add(&mut ways.not_safe, whole, weight, some);
            }
        }
        ways
    }
}

/// Adds numbers times a weight, so many places further on.
fn add<N: Number>(sums: &mut [N], numbers: &[N], weight: &N, by: u32) {
    if let Some(sums) = sums.get_mut(by as usize..) {
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| sum.add_product(number, weight));
    }
}

/// The values other than one.
struct Beside<'a, N> {
    before: &'a Ways<N>,
    after: &'a Ways<N>,
    /// All worlds of those after, safe or not.
    whole_after: Vec<N>,
}

impl<N: Number> Beside<'_, N> {
    /// For the one side and the other: how much weight a record has the value in worlds that are
    /// not safe, or another.
    fn counted(&self, factor: &Factor, weights: &[N], whole: &[N], (side, rows): (u32, u32)) -> [(N, N); 2] {
        let mut cells = [(N::zero(), N::zero()), (N::zero(), N::zero())];
        let rest = rows - side;
        for some in factor.count.saturating_sub(rest)..=factor.count.min(side) {
            let permitted = factor.least <= some && some <= factor.most;
            let others = (side - some) as usize;
            let beside = if permitted { self.not_safe(others) } else { whole[others].clone() };
            let worlds = beside.times(&weights[some as usize]);
            for (cell, own, all) in [(0, some, side), (1, factor.count - some, rest)] {
                cells[cell].0.add(&worlds.times_small(own));
                cells[cell].1.add(&worlds.times_small(all - own));
            }
        }
        cells
    }

    /// In how many worlds so many records are on the one side and something is not safe.
    fn not_safe(&self, records: usize) -> N {
        let mut sum = N::zero();
        let product = |sum: &mut N, some: &[N], others: &[N]| {
            let first = (records + 1).saturating_sub(others.len());
            let last = records.min(some.len() - 1);
            for at in first..=last {
                sum.add_product(&some[at], &others[records - at]);
            }
        };
        product(&mut sum, &self.before.not_safe, &self.whole_after);
        product(&mut sum, &self.before.safe, &self.after.not_safe);
        sum
    }
}
