//! Which value was the most frequent one, to who computes: base tables that lead to a release of
//! R-suppression are counted, not listed.
//!
//! # What is computed
//!
//! A *base table* gives each of the m published values a positive number of records, n in all, one
//! value (S1) strictly more than every other, and more than n/l. All are taken for equally likely.
//! The belief that a value v is S1 is the share of v in the sum, over base tables, of the chance
//! that R-suppression leads from them to what is published.
//!
//! # Claim
//!
//! Let L be the largest published number and k = |TS|. Ranks are those of the base table.
//!
//! 1. *What was touched.* D-suppression brought each value that had L or more to L, then r of them
//!    to L − 1, the lowest ranked first; it touched no other value. S1 is not among the r: it is
//!    the last to be lowered, and that would end the level. So S1 = v is at L, and was lowered to
//!    some F ≥ L before, or it is untouched at F < L.
//! 2. *Where it must not have stopped before.* Candidacy, once reached, stays. Eligibility, once it
//!    holds at the start of a level, does at the start of every later one, and within a level it is
//!    lost and not won (see `levels` for both). So candidacy must have failed in the last eligible
//!    state before, and no other state matters. For r ≥ 1 that is the state one drop earlier. For r
//!    = 0, with j values above L at first, it is at level L + 1 with x values left there, x =
//!    max(1, l(L + 1) − |TP|) being what eligibility needs; if j < x there is none. So r = 0 is
//!    possible with every j, or only with j < x, and TP tells which. x ≤ l, since TP is eligible.
//! 3. *Who was lowered.* Let U be the u others that had L or more. Which r of them are ranked
//!    lowest depends on their numbers, but in the sum over all numbers every choice weighs the
//!    same: 1/C(u, r) of what the sum is without that question.
//! 4. *What the base table was.* All values but v and U have what is published. Those have any
//!    numbers that make up n: in U at least L, and v more than each of U and more than n/l, which
//!    is at least L. If j is limited, take apart which values of U are above L: the others of U
//!    have L, so that they are known, too. Call those of U that are not known *free*, mu the
//!    smallest number of a free one (that of v, if there is none), and g the largest known number
//!    (0, if there is none).
//! 5. *How likely F was.* For h > free + 1, both ends of the gap [F_{h+1}, F_h] are known: 1/(its
//!    size) if F is in it. For h = free + 1 it is [g, mu], and each F in it has chance 1/(mu − g +
//!    1). For h ≤ free it is above the known numbers, and each F in it leads to v at L. Only h ≤ l
//!    count, each with chance 1/l, a factor that is left out.
//!
//! So two figures are needed for each family of base tables: how many there are, and the sum of
//! 1/(mu − g + 1) over them.
//!
//! # How they are counted
//!
//! Let V(mu) be the number of base tables that have no free number below mu. If v has M, each free
//! one has one of mu, …, M − 1; inclusion and exclusion give V(mu) = Σ_M Σ_i (−1)^i C(free, i) C(A,
//! free − 1) with A = rest − (i + 1)M − (free − i)mu + free − 1, where rest is what v and the free
//! ones have together. For each i, A runs down a progression with step i + 1, from the least M on,
//! and the sum of a polynomial over a progression is known from its differences: a count takes
//! free³ steps, whatever n. For the sums of 1/(mu − g + 1), mu goes down: the progressions only
//! grow at their upper ends, and one running sum for each residue is kept. That takes at most k
//! steps for each i ≤ free, most often far fewer (only free < l needs them), and no memory that
//! grows with n.
//!
//! *Cost*, measured: below a millisecond for twenty values and thousands of records; a tenth of a
//! second for 300 values and half a million; four seconds for ten million records of which almost
//! all are withheld. Slowest is a large l with about as many values far above L: about fifteen
//! seconds for l = 150, 120 values and 35,000 withheld records.

use super::PublishedCounts;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// How many fractions are added exactly; their common denominator may be as long as all of them
/// together.
const EXACT: u64 = 2000;

/// Where there are more, each is cut off after so many bits. At most n of them enter the weight of
/// a family, with a factor of at most n; and a family weighs at least 1/(n + 1) if it has a base
/// table at all. So no weight is off by more than n²(n + 1) · 2^−256 of itself, and no belief by
/// more than twice that: 2^−185 for ten million records.
const BITS: usize = 256;

/// How many steps, as withheld records times l, and how many values are counted with at most: more
/// would take minutes, or for ever where somebody made up a certificate.
const MOST_STEPS: u128 = 500_000_000;
const MOST_VALUES: usize = 2000;

/// How far somebody who knows the method, n and l believes of each published value that it is S1;
/// nothing if no base table leads there, or if counting would take too long.
pub(super) fn beliefs(seen: &PublishedCounts) -> Option<Vec<RBig>> {
    let release = Release::new(seen)?;
    let steps = u128::from(seen.records - seen.published()) * u128::from(seen.l);
    if steps > MOST_STEPS || seen.counts.len() > MOST_VALUES {
        return None;
    }
    let classes: Vec<&[u64]> = seen.counts.chunk_by(|a, b| a == b).collect();
    let weights: Vec<RBig> = classes.iter().map(|class| release.weight(class[0])).collect();
    let total = classes.iter().zip(&weights).fold(RBig::ZERO, |sum, (class, weight)| sum + weight * times(class.len()));
    if total.is_zero() {
        return None;
    }
    let belief = |(class, weight): (&&[u64], &RBig)| vec![weight / &total; class.len()];
    Some(classes.iter().zip(&weights).flat_map(belief).collect())
}

fn times(count: usize) -> RBig {
    RBig::from(UBig::from(count))
}

/// What is published, and what it tells about where D-suppression may have stopped.
struct Release<'a> {
    seen: &'a PublishedCounts,
    /// The largest published number, L.
    level: u64,
    /// The l-th largest.
    l_th: u64,
    /// How many values have the largest.
    at_level: u64,
    /// How many have one less.
    below: u64,
    /// Whether D-suppression may have stopped within a level.
    stops_within: bool,
    /// With how many values above L it may have begun if it stopped at the start of the level;
    /// nothing if with any number.
    most_above: Option<u64>,
}

impl<'a> Release<'a> {
    /// Nothing if R-suppression would not have stopped there.
    fn new(seen: &'a PublishedCounts) -> Option<Release<'a>> {
        let (&level, &last) = (seen.counts.first()?, seen.counts.last()?);
        let (l, published) = (seen.l, seen.published());
        let l_th = *seen.counts.get(usize::try_from(l.checked_sub(1)?).ok()?)?;
        let withheld = seen.records.checked_sub(published)?;
        let enough = |most: i128| i128::from(l) * most > seen.records.into();
        let candidates = |l_th: u64, drops_before: u64| enough(i128::from(l_th + withheld) - i128::from(drops_before));
        let needed = i128::from(l) * (i128::from(level) + 1) - i128::from(published);
        if last == 0 || needed > l.into() || !candidates(l_th, 0) {
            return None;
        }
        let at_level = seen.top() as u64;
        let one_earlier = if at_level + 1 == l { level } else { l_th };
        let left = needed.max(1) as u64;
        let l_th_before = if left >= l { level + 1 } else { l_th };
        Some(Release {
            seen,
            level,
            l_th,
            at_level,
            below: seen.counts.iter().filter(|&&count| count + 1 == level).count() as u64,
            stops_within: !candidates(one_earlier, 1),
            most_above: candidates(l_th_before, left).then_some(left - 1),
        })
    }

    /// The chances to lead here, summed over base tables in which S1 is one given value that is
    /// published so often; times l.
    fn weight(&self, kept: u64) -> RBig {
        if kept < self.l_th {
            // S1 is lowered to no less than what l others have.
            return RBig::ZERO;
        }
        let below = self.below - u64::from(kept + 1 == self.level);
        let most_lowered = if self.stops_within { below } else { 0 };
        let part = |lowered: u64| {
            let weight = self.weight_with(kept, lowered);
            if weight.is_zero() {
                return weight;
            }
            let (choices, rankings) = (binomial(below, lowered), binomial(self.touched(kept, lowered), lowered));
            weight * RBig::from_parts(choices.into(), rankings)
        };
        (0..=most_lowered).map(part).fold(RBig::ZERO, |sum, part| sum + part)
    }

    /// How many values besides S1 had L or more, u.
    fn touched(&self, kept: u64, lowered: u64) -> u64 {
        self.at_level - u64::from(kept == self.level) + lowered
    }

    /// The same as `weight` if given values, so many, were lowered to L − 1, whoever is ranked
    /// lowest.
    fn weight_with(&self, kept: u64, lowered: u64) -> RBig {
        let touched = self.touched(kept, lowered);
        let untouched = self.untouched(kept, lowered);
        let rest = self.seen.records - untouched.iter().sum::<u64>();
        let most_above = if lowered == 0 { self.most_above } else { None };
        let Some(most) = most_above else {
            let family = self.family(touched, rest, self.level);
            return self.weight_of(kept, &family, &untouched, true);
        };
        let part = |free: u64| {
            let tied = touched - free;
            let family = self.family(free, rest - tied * self.level, self.level + 1);
            let known: Vec<u64> =
                std::iter::repeat_n(self.level, tied as usize).chain(untouched.iter().copied()).collect();
            self.weight_of(kept, &family, &known, free < most) * RBig::from(binomial(touched, free))
        };
        (0..=most.min(touched)).map(part).fold(RBig::ZERO, |sum, part| sum + part)
    }

    /// The numbers of all values but S1 and those that had L or more, largest first.
    fn untouched(&self, kept: u64, lowered: u64) -> Vec<u64> {
        let mut untouched = self.seen.counts[(self.at_level + lowered) as usize..].to_vec();
        if let Some(at) = untouched.iter().position(|&count| count == kept) {
            untouched.remove(at);
        }
        untouched
    }

    fn family(&self, free: u64, rest: u64, least: u64) -> Family {
        Family { free, rest, least, share: self.seen.records / self.seen.l }
    }

    /// The same as `weight` for one family. S1 at L may have been lowered to L, and if `above` to
    /// more than that.
    fn weight_of(&self, kept: u64, family: &Family, known: &[u64], above: bool) -> RBig {
        let l = self.seen.l;
        let largest = known.first().copied().unwrap_or(0);
        let mut each = self.within_known(kept, family.free, known);
        let mut slope = RBig::from(u64::from(family.free < l && kept >= largest));
        if kept == self.level && above {
            each += RBig::from(l.min(family.free + 1));
            if family.free < l {
                // Of the levels g, …, mu those up to L are not above it.
                slope -= RBig::from(self.level - largest + 1);
            }
        }
        let all = if each.is_zero() { RBig::ZERO } else { each * RBig::from(family.count()) };
        let by_smallest = if slope.is_zero() { RBig::ZERO } else { slope * family.reciprocals(largest) };
        all + by_smallest
    }

    /// The chances of S1's level in the gaps between known numbers.
    fn within_known(&self, kept: u64, free: u64, known: &[u64]) -> RBig {
        let next = known.iter().skip(1).chain(&[0]);
        let gaps = known.iter().zip(next).take(self.seen.l.saturating_sub(free + 1) as usize);
        let inside = gaps.filter(|&(&high, &low)| low <= kept && kept <= high);
        inside.fold(RBig::ZERO, |sum, (high, low)| sum + one_of(high - low + 1))
    }
}

fn one_of(number: u64) -> RBig {
    RBig::from_parts(IBig::ONE, number.into())
}

/// Base tables that differ only in the numbers of S1 and of `free` others.
struct Family {
    free: u64,
    /// What S1 and the free ones have together.
    rest: u64,
    /// The least that a free one has.
    least: u64,
    /// What S1 has more than; at least as much as the known ones have.
    share: u64,
}

impl Family {
    /// How many base tables there are.
    fn count(&self) -> UBig {
        if self.free == 0 {
            return UBig::from(u64::from(self.rest > self.share));
        }
        let sums = self.progressions().map(|step| progression(self.top(step, self.least), step, self.free - 1));
        self.alternating(sums)
    }

    /// The sum of 1/(mu − g + 1), mu the smallest number of a free one, of S1 if there are none.
    fn reciprocals(&self, largest: u64) -> RBig {
        if self.free == 0 {
            return if self.rest > self.share { one_of(self.rest - largest + 1) } else { RBig::ZERO };
        }
        let Some(most) = self.most() else { return RBig::ZERO };
        let mut columns: Vec<Column> = self.progressions().map(|step| Column::new(step, self.free - 1)).collect();
        let mut from_here = UBig::ZERO;
        let terms = (self.least..=most).rev().map(|smallest| {
            let sums = columns.iter_mut().map(|column| column.up_to(self.top(column.step, smallest)).clone());
            let before = std::mem::replace(&mut from_here, self.alternating(sums));
            (&from_here - before, smallest - largest + 1)
        });
        if most - self.least < EXACT { added(&terms.collect::<Vec<_>>()) } else { added_cut_off(terms) }
    }

    /// The largest number that the smallest free one can have.
    fn most(&self) -> Option<u64> {
        let most = (self.rest.checked_sub(self.share + 1)? / self.free).min((self.rest - 1) / (self.free + 1));
        (most >= self.least).then_some(most)
    }

    /// The steps i + 1 of the progressions that are not empty.
    fn progressions(&self) -> impl Iterator<Item = u64> {
        (1..=self.free + 1).take_while(|&step| self.top(step, self.least) >= i128::from(self.free) - 1)
    }

    /// The largest A of the progression with a step if no free number is below `smallest`.
    fn top(&self, step: u64, smallest: u64) -> i128 {
        let [free, rest, step, smallest] = [self.free, self.rest, step, smallest].map(i128::from);
        let least_of_first = i128::from(self.share).max(smallest) + 1;
        rest - step * least_of_first - (free + 1 - step) * smallest + free - 1
    }

    /// Inclusion and exclusion.
    fn alternating(&self, sums: impl Iterator<Item = UBig>) -> UBig {
        let (mut included, mut excluded) = (UBig::ZERO, UBig::ZERO);
        let mut ways = UBig::ONE;
        for (i, sum) in (0..).zip(sums) {
            *if i % 2 == 0 { &mut included } else { &mut excluded } += &ways * sum;
            ways = ways * (self.free - i) / (i + 1);
        }
        included - excluded
    }
}

/// C(n, k).
fn binomial(n: u64, k: u64) -> UBig {
    (0..k).fold(UBig::ONE, |product, i| if i < n { product * (n - i) / (i + 1) } else { UBig::ZERO })
}

/// The sum of C(A, order) over A = top, top − step, … as far as A ≥ order.
///
/// C(a + step·t, order) is a polynomial in t, so it is the sum of its differences at t = 0 times
/// C(t, 0), C(t, 1), …; those are easily added up.
fn progression(top: i128, step: u64, order: u64) -> UBig {
    let Ok(span) = u64::try_from(top - i128::from(order)) else { return UBig::ZERO };
    let (first, terms) = (order + span % step, span / step + 1);
    let mut differences: Vec<UBig> = (0..terms.min(order + 1)).map(|t| binomial(first + step * t, order)).collect();
    let (mut sum, mut ways) = (UBig::ZERO, UBig::ONE);
    for j in 0..differences.len() {
        ways = ways * (terms - j as u64) / (j as u64 + 1);
        sum += &ways * &differences[0];
        for t in 1..differences.len() - j {
            differences[t - 1] = &differences[t] - &differences[t - 1];
        }
    }
    sum
}

/// Running sums of C(A, order), one for each residue of A.
struct Column {
    step: u64,
    order: u64,
    next: u64,
    /// C(next, order).
    binomial: UBig,
    sums: Vec<UBig>,
}

impl Column {
    fn new(step: u64, order: u64) -> Column {
        Column { step, order, next: order, binomial: UBig::ONE, sums: vec![UBig::ZERO; step as usize] }
    }

    /// The sum over A = top, top − step, …; tops must not fall.
    fn up_to(&mut self, top: i128) -> &UBig {
        while i128::from(self.next) <= top {
            self.sums[(self.next % self.step) as usize] += &self.binomial;
            self.next += 1;
            self.binomial *= self.next;
            self.binomial /= self.next - self.order;
        }
        &self.sums[top.rem_euclid(self.step.into()) as usize]
    }
}

/// The exact sum of fractions, by halves so that factors are of equal length.
fn added(terms: &[(UBig, u64)]) -> RBig {
    let (numerator, denominator) = halves(terms);
    RBig::from_parts(numerator.into(), denominator)
}

fn halves(terms: &[(UBig, u64)]) -> (UBig, UBig) {
    if let [(numerator, denominator)] = terms {
        return (numerator.clone(), UBig::from(*denominator));
    }
    let (left, right) = terms.split_at(terms.len() / 2);
    let ((a, b), (c, d)) = (halves(left), halves(right));
    (a * &d + c * &b, b * d)
}

/// The sum of fractions, each cut off after some bits.
fn added_cut_off(terms: impl Iterator<Item = (UBig, u64)>) -> RBig {
    let sum = terms.fold(UBig::ZERO, |sum, (numerator, denominator)| sum + (numerator << BITS) / denominator);
    RBig::from_parts(sum.into(), UBig::ONE << BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn seen(counts: &[u64], records: u64, l: u64) -> PublishedCounts {
        PublishedCounts { counts: counts.to_vec(), records, l }
    }

    fn floats(counts: &[u64], records: u64, l: u64) -> Vec<f64> {
        beliefs(&seen(counts, records, l)).unwrap().iter().map(|belief| belief.to_f64().value()).collect()
    }

    /// Numbers up to `most`, largest first, so many, with a sum.
    fn partitions(sum: u64, parts: u64, most: u64) -> Vec<Vec<u64>> {
        if parts == 0 {
            return if sum == 0 { vec![Vec::new()] } else { Vec::new() };
        }
        let with = |first: u64| {
            let rest = partitions(sum - first, parts - 1, first).into_iter();
            rest.map(move |rest| [vec![first], rest].concat()).collect::<Vec<_>>()
        };
        (1..=most.min(sum)).flat_map(with).collect()
    }

    /// D-suppression record by record; numbers by rank.
    fn d_suppression(mut kept: Vec<u64>, records: u64, l: u64) -> Vec<u64> {
        loop {
            let published: u64 = kept.iter().sum();
            let mut sorted = kept.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let l_th = sorted.get(l as usize - 1).copied().unwrap_or(0);
            if l * sorted[0] <= published && l * (l_th + records - published) > records {
                return kept;
            }
            let lowest = kept.iter().rposition(|&count| count == sorted[0]).unwrap();
            kept[lowest] -= 1;
        }
    }

    /// By what is published, and how often S1 is: the chances, summed over all base tables and
    /// rankings.
    fn listed(values: u64, records: u64, l: u64) -> BTreeMap<Vec<u64>, BTreeMap<u64, RBig>> {
        let mut chances: BTreeMap<Vec<u64>, BTreeMap<u64, RBig>> = BTreeMap::new();
        let skewed = |base: &Vec<u64>| base[0] * l > records && base.get(1) != Some(&base[0]);
        for base in partitions(records, values, records).into_iter().filter(skewed) {
            // Each order of the labels is a base table and a ranking of it, drawn from as many as
            // ties can be ordered.
            let ties: u64 = base.chunk_by(|a, b| a == b).map(|tied| (1..=tied.len() as u64).product::<u64>()).product();
            for h in 1..=l as usize {
                let high = base.get(h - 1).copied().unwrap_or(0);
                let low = base.get(h).copied().unwrap_or(0);
                for first in low..=high {
                    let mut kept = d_suppression([&[first], &base[1..]].concat(), records, l);
                    let of_first = kept[0];
                    kept.sort_unstable_by(|a, b| b.cmp(a));
                    *chances.entry(kept).or_default().entry(of_first).or_default() += one_of((high - low + 1) * ties);
                }
            }
        }
        chances
    }

    fn check_all(values: u64, records: u64, l: u64) {
        let listed = listed(values, records, l);
        for published in values..=records {
            for counts in partitions(published, values, published) {
                let found = beliefs(&seen(&counts, records, l));
                let Some(chances) = listed.get(&counts) else {
                    assert_eq!(found, None, "{counts:?} of {records}, l = {l}");
                    continue;
                };
                let total = chances.values().fold(RBig::ZERO, |sum, chance| sum + chance);
                let belief = |count: &u64| {
                    let alike = counts.iter().filter(|other| *other == count).count();
                    chances.get(count).cloned().unwrap_or_default() / (&total * times(alike))
                };
                let expected: Vec<RBig> = counts.iter().map(belief).collect();
                assert_eq!(found, Some(expected), "{counts:?} of {records}, l = {l}");
            }
        }
    }

    #[test]
    fn the_published_example() {
        let rounded =
            |counts: &[u64]| floats(counts, 18, 3).iter().map(|b| (b * 1e4).round() / 1e4).collect::<Vec<_>>();
        assert_eq!(rounded(&[4, 4, 2, 1, 1]), [0.461, 0.461, 0.078, 0.0, 0.0]);
        assert_eq!(rounded(&[3, 2, 2, 1, 1]), [0.1216, 0.4392, 0.4392, 0.0, 0.0]);
    }

    #[test]
    fn counting_agrees_with_listing_every_base_table() {
        for values in 1..=6 {
            for records in values..=20 {
                (1..=5).for_each(|l| check_all(values, records, l));
            }
        }
    }

    #[test]
    fn a_stop_within_a_level() {
        // (4, 3, 2, 2) leads here with S1 at 3 and S2 lowered to 2, or with S1 at 2; (5, 2, 2, 2)
        // with S1 at 3.
        let release = seen(&[3, 2, 2, 2], 11, 3);
        let thirteenths = [7, 2, 2, 2].map(|part| RBig::from_parts(part.into(), 13u8.into()));
        assert_eq!(beliefs(&release).unwrap(), thirteenths);
        let release = Release::new(&release).unwrap();
        assert!(release.stops_within && !release.weight_with(3, 1).is_zero());
    }

    #[test]
    fn what_no_base_table_leads_to() {
        let nothing = |counts: &[u64], records: u64, l: u64| assert_eq!(beliefs(&seen(counts, records, l)), None);
        nothing(&[], 18, 3);
        nothing(&[0, 0, 0], 18, 3);
        nothing(&[4, 4, 2, 1, 1], 11, 3); // More than there were.
        nothing(&[4, 4, 2, 1, 1], 12, 3); // Nothing had to be withheld.
        nothing(&[4, 4, 2, 1, 1], 18, 0);
        nothing(&[4, 4, 2, 1, 1], 18, 1);
        nothing(&[4, 4, 2, 1, 1], 18, 4); // Not eligible.
        nothing(&[4, 4, 2, 1, 1], 18, u64::MAX);
    }

    #[test]
    fn beliefs_of_large_releases_add_up() {
        let steps: Vec<u64> = (0..297).map(|i| 400 - i).collect();
        let wide = [&[1000, 1000, 1000], steps.as_slice()].concat();
        let tables = [
            (wide.clone(), wide.iter().sum::<u64>() + 40_000, 5),
            (vec![3_000_000, 3_000_000, 2_500_000, 200_000, 150_000, 100_000, 50_000], 10_000_000, 3),
            (vec![490, 490, 333, 250, 200, 167, 143, 125, 111, 100, 91, 83, 77, 71, 67, 63, 59, 56, 53, 50], 3599, 5),
        ];
        for (counts, records, l) in tables {
            let beliefs = beliefs(&seen(&counts, records, l)).unwrap();
            assert_eq!(beliefs.iter().fold(RBig::ZERO, |sum, belief| sum + belief), RBig::ONE);
            assert_eq!(beliefs[0], beliefs[1]);
            assert!(beliefs[0] > RBig::ZERO && beliefs[counts.len() - 1].is_zero());
        }
    }

    #[test]
    fn sums_over_progressions_agree() {
        for (step, order) in [(1, 0), (1, 5), (2, 3), (3, 7), (7, 2), (4, 12)] {
            let mut column = Column::new(step, order);
            for top in [-3, 0, 1, 5, 6, 19, 20, 300] {
                assert_eq!(*column.up_to(top), progression(top, step, order), "{top} {step} {order}");
            }
        }
    }

    #[test]
    fn what_is_cut_off_is_little() {
        let terms: Vec<(UBig, u64)> = (1..500u64).map(|i| (binomial(500, i), 3 * i + 1)).collect();
        let missing = added(&terms) - added_cut_off(terms.into_iter());
        assert!(missing > RBig::ZERO && missing < RBig::from_parts(500.into(), UBig::ONE << BITS));
    }
}
