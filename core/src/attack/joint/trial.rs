//! Other groups that a method would have taken, had they been safe.

use super::Urns;
use crate::anonymize::{Checker, Rivals, Safety};
use crate::candidate::Counter;
use crate::criterion::Criterion;

/// Groups that would have been taken if records in unsafe ones had numbered at most a limit.
#[derive(Clone)]
pub(in crate::attack) struct Trial<'a> {
    parts: Vec<Part>,
    /// How many records are in parts that are unsafe in every world.
    forced: u64,
    limit: u64,
    preferred: Option<Preferred<'a>>,
}

/// One of the groups.
#[derive(Clone)]
struct Part {
    /// Rows, and how many records have the values of each in every world.
    fixed: Vec<(u32, u32)>,
    /// Places whose values depend on the world.
    places: Vec<u32>,
    size: u64,
    /// A row of it.
    row: u32,
    state: State,
}

/// How far the safety of a part depends on who has which value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Safe,
    Unsafe,
    Open,
}

/// Where records may be suppressed, whether groups are preferred depends on which are.
#[derive(Clone, Copy)]
pub(in crate::attack) struct Preferred<'a> {
    pub rivals: &'a Rivals<'a>,
    pub levels: &'a [usize],
    /// A base code of a row in a quasi-identifier.
    pub base_code: &'a (dyn Fn(u32, usize) -> u32 + Sync),
}

impl<'a> Trial<'a> {
    /// Groups, by ascending places, of which some may be unsafe.
    pub fn new<'p>(
        urns: &Urns<'_>,
        parts: impl Iterator<Item = &'p [u32]>,
        limit: u64,
        preferred: Option<Preferred<'a>>,
    ) -> Trial<'a> {
        let (mut checker, mut counter) = (urns.safety.checker(), Counter::new(0));
        let parts: Vec<Part> = parts.map(|places| Part::new(urns, places, &mut checker, &mut counter)).collect();
        let forced = parts.iter().filter(|part| part.state == State::Unsafe).map(|part| part.size).sum();
        let mut trial = Trial { parts, forced, limit, preferred };
        if trial.may_pass() && !trial.is_preferred(&trial.unsafe_parts()) {
            // Whatever else is suppressed makes it worth less.
            trial.forced = u64::MAX;
        }
        trial
    }

    /// Whether it passes in any world, as far as is known.
    pub fn may_pass(&self) -> bool {
        self.forced <= self.limit
    }

    fn unsafe_parts(&self) -> Vec<bool> {
        self.parts.iter().map(|part| part.state == State::Unsafe).collect()
    }

    /// The same with other numbers for places.
    pub fn renumbered(&self, place: impl Fn(u32) -> u32) -> Trial<'a> {
        let mut trial = self.clone();
        trial.parts.iter_mut().flat_map(|part| &mut part.places).for_each(|own| *own = place(*own));
        trial
    }

    /// For each place its part, and how many there are; of records whose part depends on no world
    /// it does not matter.
    pub(super) fn part_of(&self, places: usize) -> (Vec<u32>, usize) {
        let mut part_of = vec![0; places];
        for (number, part) in (1u32..).zip(&self.parts).filter(|(_, part)| part.state == State::Open) {
            part.places.iter().for_each(|&place| part_of[place as usize] = number);
        }
        (part_of, self.parts.len() + 1)
    }

    /// The places that it depends on.
    pub fn open_places(&self) -> impl Iterator<Item = u32> {
        self.parts.iter().filter(|part| part.state == State::Open).flat_map(|part| part.places.iter().copied())
    }

    /// About how many steps it takes to try it: it ends with the first part that is not safe.
    pub(super) fn steps(&self) -> u64 {
        let open = self.parts.iter().filter(|part| part.state == State::Open);
        let steps = open.map(|part| 60 + 3 * (part.places.len() + part.fixed.len()) as u64);
        steps.min().unwrap_or(0) * if self.limit == 0 { 1 } else { self.parts.len() as u64 }
    }

    /// The parts that depend on the world, in an order to begin with.
    pub(super) fn order(&self) -> Vec<u32> {
        let open = (0u32..).zip(&self.parts).filter(|(_, part)| part.state == State::Open);
        let mut order: Vec<u32> = open.map(|(number, _)| number).collect();
        order.sort_by_key(|&part| self.parts[part as usize].size);
        order
    }

    /// Whether it passes in a world. What made it fail comes earlier the next time.
    pub(super) fn passes(&self, world: &[u32], order: &mut [u32], work: &mut Work<'_>) -> bool {
        let mut lost = self.forced;
        work.unsafe_parts.clear();
        for at in 0..order.len() {
            let part = &self.parts[order[at] as usize];
            work.records.clear();
            work.records.extend_from_slice(&part.fixed);
            work.records.extend(part.places.iter().map(|&place| (world[place as usize], 1)));
            if work.checker.holds_counted(&work.records) {
                continue;
            }
            lost += part.size;
            work.unsafe_parts.push(order[at] as usize);
            order.swap(at, at / 2);
            if lost > self.limit {
                return false;
            }
        }
        if self.limit == 0 {
            return true;
        }
        let mut suppressed = self.unsafe_parts();
        work.unsafe_parts.iter().for_each(|&part| suppressed[part] = true);
        self.is_preferred(&suppressed)
    }

    fn is_preferred(&self, suppressed: &[bool]) -> bool {
        let Some(Preferred { rivals, levels, base_code }) = self.preferred else { return true };
        let sizes: Vec<u64> = self.parts.iter().map(|part| part.size).collect();
        let code = |part: usize, column: usize| base_code(self.parts[part].row, column);
        rivals.is_preferred(levels, &sizes, suppressed, &code)
    }
}

impl Part {
    fn new(urns: &Urns<'_>, places: &[u32], checker: &mut Checker<'_>, counter: &mut Counter) -> Part {
        let (size, row) = (places.len() as u64, urns.row(places[0]));
        let mut part = Part { fixed: Vec::new(), places: Vec::new(), size, row, state: State::Unsafe };
        if size < urns.known.least {
            return part;
        }
        let (mut fixed, mut pieces) = (Vec::new(), Vec::new());
        for piece in places.chunk_by(|a, b| urns.urn_of[*a as usize] == urns.urn_of[*b as usize]) {
            let urn = urns.urn_of[piece[0] as usize];
            if piece.len() as u64 == urns.size(urn as usize) {
                fixed.extend(piece.iter().map(|&place| urns.row(place)));
            } else {
                pieces.push((urn, piece.len() as u64));
                part.places.extend_from_slice(piece);
            }
        }
        part.fixed = urns.counted(fixed);
        part.state = if part.places.is_empty() {
            if checker.holds_counted(&part.fixed) { State::Safe } else { State::Unsafe }
        } else if urns.known.readers.iter().any(|reader| reader.never_holds(urns, &part.fixed, &pieces, size, counter))
        {
            State::Unsafe
        } else {
            State::Open
        };
        part
    }
}

/// Memory of one thread.
pub(super) struct Work<'a> {
    checker: Checker<'a>,
    records: Vec<(u32, u32)>,
    unsafe_parts: Vec<usize>,
}

impl<'a> Work<'a> {
    pub fn new(urns: &Urns<'a>) -> Work<'a> {
        Work { checker: urns.safety.checker(), records: Vec::new(), unsafe_parts: Vec::new() }
    }
}

/// What urns hold, as each criterion reads it.
pub(super) struct Known<'a> {
    least: u64,
    readers: Vec<Reader<'a>>,
}

struct Reader<'a> {
    criterion: &'a dyn Criterion,
    codes: &'a [u32],
    /// For each urn the codes in it, ascending, and how often.
    urns: Vec<Vec<(u32, u64)>>,
}

impl<'a> Known<'a> {
    /// Of urns that hold these rows.
    pub fn new<'r>(safety: &'a Safety<'a>, urns: impl Iterator<Item = &'r [u32]> + Clone) -> Known<'a> {
        let readers = safety.criteria().filter_map(|(criterion, coded)| {
            let (codes, domain) = coded?;
            let mut counter = Counter::new(domain);
            let held = |rows: &[u32]| counter.count(0, rows.iter().map(|&row| codes[row as usize])).entries().to_vec();
            Some(Reader { criterion, codes, urns: urns.clone().map(held).collect() })
        });
        Known { least: safety.least_size(), readers: readers.collect() }
    }
}

impl Reader<'_> {
    /// Whether the criterion holds in no world for a part with some fixed records and such pieces of
    /// urns.
    ///
    /// # Claim
    /// A piece of m records of an urn of n, h of which have a value, has at least m − (n − h) and
    /// at most min(h, m) records with it. A criterion is violated in every world if it is by so
    /// many records of a value as there are at least; or if too few values can be there; or, where
    /// more even counts are never worse, if it is by the most even ones that the upper limits
    /// allow, which every other counts majorize.
    fn never_holds(
        &self,
        urns: &Urns<'_>,
        fixed: &[(u32, u32)],
        pieces: &[(u32, u64)],
        size: u64,
        counter: &mut Counter,
    ) -> bool {
        let mut most: Vec<(u32, u64)> =
            fixed.iter().map(|&(row, count)| (self.codes[row as usize], u64::from(count))).collect();
        let mut least = most.clone();
        for &(urn, piece) in pieces {
            let all = urns.size(urn as usize);
            for &(code, held) in &self.urns[urn as usize] {
                most.push((code, held.min(piece)));
                least.push((code, piece.saturating_sub(all - held)));
            }
        }
        let (most, least) = (summed(most), summed(least));
        let properties = self.criterion.properties();
        if least.iter().any(|&(code, count)| count > 0 && self.criterion.rules_out(code, count, size)) {
            return true;
        }
        (most.len() as u64) < properties.least.values
            || properties.prefers_even && {
                let even = most_even(&most, size);
                !self.criterion.holds_among(&counter.take(0, even.into_iter()))
            }
    }
}

/// The sums for each code, ascending.
fn summed(mut entries: Vec<(u32, u64)>) -> Vec<(u32, u64)> {
    entries.sort_unstable();
    let sums = entries.chunk_by(|a, b| a.0 == b.0).map(|same| (same[0].0, same.iter().map(|entry| entry.1).sum()));
    sums.collect()
}

/// The most even counts that add up to a size and are at most those given.
fn most_even(most: &[(u32, u64)], size: u64) -> Vec<(u32, u64)> {
    let up_to = |level: u64| most.iter().map(|entry| entry.1.min(level)).sum::<u64>();
    let (mut low, mut high) = (0, size);
    while low < high {
        let middle = (low + high) / 2;
        if up_to(middle) >= size { high = middle } else { low = middle + 1 }
    }
    // All up to one step below the level; what is left over, one each to those that reach it.
    let below = low.saturating_sub(1);
    let mut left = size - up_to(below).min(size);
    let counts = most.iter().map(|&(code, most)| {
        let more = u64::from(left > 0 && most > below);
        left -= more;
        (code, most.min(below) + more)
    });
    counts.filter(|entry| entry.1 > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn water_is_level_where_nothing_is_in_its_way() {
        assert_eq!(most_even(&[(0, 9), (1, 1), (2, 5)], 7), [(0, 3), (1, 1), (2, 3)]);
        assert_eq!(most_even(&[(0, 9), (1, 1), (2, 5)], 8), [(0, 4), (1, 1), (2, 3)]);
        assert_eq!(most_even(&[(4, 2), (7, 2)], 4), [(4, 2), (7, 2)]);
        assert_eq!(most_even(&[(4, 2), (7, 2)], 1), [(4, 1)]);
    }

    #[test]
    fn sums_are_by_code() {
        assert_eq!(summed(vec![(3, 1), (1, 2), (3, 4)]), [(1, 2), (3, 5)]);
    }
}
