//! The frequency set: distinct quasi-identifier vectors with their histograms, and what they become
//! on coarser levels.
//!
//! A lattice search never looks at rows. It starts from the distinct vectors of base values; a
//! candidate is a roll-up of these, and a roll-up is a frequency set again, so that coarser
//! candidates are made from finer ones.
//!
//! Columns are packed into a few *parts*. A part knows the distinct combinations of its columns;
//! what a combination becomes on given levels is computed once for each choice of the part's
//! levels. A vector is then one small number per part, and its group one table look-up per part,
//! however many columns there are.

use super::{Counter, Histogram, dense_ids};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// What the base codes of a column become on each of its levels.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// For each level the code of every base code.
    pub maps: Vec<Vec<u32>>,
    /// For each level how many codes there are.
    pub sizes: Vec<usize>,
}

/// A coded column of which groups need histograms: its codes, and how many codes there are.
pub type Coded<'a> = (&'a [u32], usize);

/// Distinct vectors, how many records have each, and the histograms of their subjects.
#[derive(Clone, Debug)]
pub struct FrequencySet {
    parts: Arc<[Part]>,
    /// For each column its part and its place there.
    places: Arc<[(usize, usize)]>,
    /// For each part the combination of every entry.
    combinations: Vec<Vec<u32>>,
    sizes: Vec<u64>,
    subjects: Vec<Histograms>,
}

/// Histograms of all entries over one subject, one after the other.
#[derive(Clone, Debug)]
struct Histograms {
    domain: usize,
    /// Where each entry's counts start, and the end.
    starts: Vec<u32>,
    /// Code and count.
    pairs: Vec<(u32, u64)>,
}

/// Some of the columns, packed.
#[derive(Debug)]
struct Part {
    columns: Vec<usize>,
    ladders: Vec<Ladder>,
    /// For each column the base code of every combination.
    codes: Vec<Vec<u32>>,
    /// For each choice of levels what combinations become: filled when first asked for.
    levels: Vec<OnceLock<Rolled>>,
}

/// What the combinations of a part become on chosen levels.
#[derive(Debug)]
struct Rolled {
    ids: Vec<u32>,
    count: usize,
}

/// What a part becomes on chosen levels, with the combination of every entry.
type Telling<'a> = (&'a Rolled, &'a Vec<u32>);

impl Part {
    fn new(columns: &[usize], ladders: &[Ladder], base: &[Coded<'_>], entries: &[u32]) -> (Part, Vec<u32>) {
        let of_entries: Vec<Vec<u32>> =
            columns.iter().map(|&column| entries.iter().map(|&row| base[column].0[row as usize]).collect()).collect();
        let coded: Vec<Coded<'_>> =
            of_entries.iter().zip(columns).map(|(codes, &column)| (codes.as_slice(), base[column].1)).collect();
        let (combination, count) = dense_ids(&coded, entries.len());
        let mut codes = vec![vec![0; count]; columns.len()];
        for (own, all) in codes.iter_mut().zip(&of_entries) {
            combination.iter().zip(all).for_each(|(&at, &code)| own[at as usize] = code);
        }
        let ladders: Vec<Ladder> = columns.iter().map(|&column| ladders[column].clone()).collect();
        let choices = ladders.iter().map(|ladder| ladder.maps.len()).product();
        let levels = std::iter::repeat_with(OnceLock::new).take(choices).collect();
        (Part { columns: columns.to_vec(), ladders, codes, levels }, combination)
    }

    fn combinations(&self) -> usize {
        self.codes.first().map_or(1, Vec::len)
    }

    fn rolled(&self, levels: &[usize]) -> &Rolled {
        let choice = self
            .columns
            .iter()
            .zip(&self.ladders)
            .fold(0, |at, (&column, ladder)| at * ladder.maps.len() + levels[column]);
        self.levels[choice].get_or_init(|| {
            let coarse: Vec<(Vec<u32>, usize)> = self
                .columns
                .iter()
                .zip(&self.ladders)
                .zip(&self.codes)
                // A column on a level with one value tells nothing.
                .filter(|((column, ladder), _)| ladder.sizes[levels[**column]] > 1)
                .map(|((&column, ladder), codes)| {
                    let map = &ladder.maps[levels[column]];
                    (codes.iter().map(|&code| map[code as usize]).collect(), ladder.sizes[levels[column]])
                })
                .collect();
            let coded: Vec<Coded<'_>> = coarse.iter().map(|(codes, size)| (codes.as_slice(), *size)).collect();
            let (ids, count) = dense_ids(&coded, self.combinations());
            Rolled { ids, count: count.max(1) }
        })
    }
}

/// Memory that is used again from candidate to candidate.
#[derive(Debug, Default)]
pub struct Scratch {
    /// For each entry its group.
    groups: Vec<u32>,
    /// For each group its records.
    sizes: Vec<u64>,
    /// For each group the first of its entries.
    first: Vec<u32>,
    slots: Vec<u32>,
    keys: Vec<u64>,
    table: HashTable<(u64, u32)>,
    matrix: Vec<u64>,
    order: Vec<u32>,
    starts: Vec<u32>,
}

impl Scratch {
    /// How many records each group has.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// An entry of each group: any of them tells the group's values on the levels it was formed on.
    pub fn first(&self) -> &[u32] {
        &self.first
    }
}

/// Key spaces up to this size are always addressed directly.
const SMALL_SPACE: u64 = 1 << 14;

/// Parts have at most this many choices of levels times combinations, so that what they remember
/// stays small.
const PART_CELLS: usize = 1 << 24;

impl FrequencySet {
    /// The distinct vectors of the quasi-identifiers, each given by its codes and its ladder, with
    /// histograms of the subjects.
    pub fn new(quasi: &[Coded<'_>], ladders: &[Ladder], subjects: &[Coded<'_>], rows: usize) -> FrequencySet {
        FrequencySet::weighted(quasi, ladders, subjects, rows, |_| 1)
    }

    /// The same where somebody counted: every row stands for so many records, and rows may be
    /// alike.
    ///
    /// ```
    /// use sfumato::candidate::{FrequencySet, Ladder, Scratch};
    ///
    /// let ladder = Ladder { maps: vec![vec![0, 1], vec![0, 0]], sizes: vec![2, 1] };
    /// let set = FrequencySet::from_counts(&[(&[0, 1, 0], 2)], &[ladder], &[], &[2, 1 << 40, 5]);
    /// let mut scratch = Scratch::default();
    /// assert_eq!(set.group(&[0], &mut scratch), 2);
    /// assert_eq!(scratch.sizes(), [7, 1 << 40]);
    /// ```
    pub fn from_counts(
        quasi: &[Coded<'_>],
        ladders: &[Ladder],
        subjects: &[Coded<'_>],
        counts: &[u64],
    ) -> FrequencySet {
        FrequencySet::weighted(quasi, ladders, subjects, counts.len(), |row| counts[row])
    }

    fn weighted(
        quasi: &[Coded<'_>],
        ladders: &[Ladder],
        subjects: &[Coded<'_>],
        rows: usize,
        weight: impl Fn(usize) -> u64 + Copy,
    ) -> FrequencySet {
        let (ids, count) = dense_ids(quasi, rows);
        let mut row_of = vec![u32::MAX; count];
        let mut sizes = vec![0; count];
        for (row, &id) in (0u32..).zip(&ids) {
            sizes[id as usize] += weight(row as usize);
            row_of[id as usize] = row_of[id as usize].min(row);
        }
        let (parts, combinations) = pack(quasi, ladders, &row_of);
        let subjects = subjects.iter().map(|subject| Histograms::of_rows(&ids, count, *subject, weight)).collect();
        let places = (0..quasi.len()).map(|column| place(&parts, column)).collect();
        FrequencySet { parts: parts.into(), places, combinations, sizes, subjects }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The counts of all histograms of a subject.
    pub fn counts(&self, subject: usize) -> impl Iterator<Item = u64> {
        self.subjects[subject].pairs.iter().map(|pair| pair.1)
    }

    /// How many codes a subject has.
    pub fn domain(&self, subject: usize) -> usize {
        self.subjects[subject].domain
    }

    /// A base code that an entry stands for in a column. For a rolled-up entry it is one of
    /// several, equal on the levels it was rolled up to and above.
    pub fn base_code(&self, entry: u32, column: usize) -> u32 {
        let (part, at) = self.places[column];
        self.parts[part].codes[at][self.combinations[part][entry as usize] as usize]
    }

    /// An upper bound of the number of groups on these levels, without forming them.
    pub fn most_groups(&self, levels: &[usize]) -> u64 {
        let space = self.parts.iter().map(|part| part.rolled(levels).count as u64).fold(1, u64::saturating_mul);
        space.min(self.len() as u64)
    }

    /// How many steps it takes to form the groups on these levels, with their histograms: about.
    pub fn steps(&self, levels: &[usize]) -> u64 {
        let tells = |part: &&Part| part.columns.iter().zip(&part.ladders).any(|(&at, own)| own.sizes[levels[at]] > 1);
        let pairs: usize = self.subjects.iter().map(|counts| counts.pairs.len()).sum();
        (self.len() * (self.parts.iter().filter(tells).count() + 3) + 3 * pairs) as u64
    }

    /// Forms the groups on these levels; says how many there are.
    pub fn group(&self, levels: &[usize], scratch: &mut Scratch) -> usize {
        // A part on levels with one value tells nothing.
        let telling = self.parts.iter().map(|part| part.rolled(levels)).zip(&self.combinations);
        let telling: Vec<Telling<'_>> = telling.filter(|(part, _)| part.count > 1).collect();
        scratch.sizes.clear();
        scratch.first.clear();
        scratch.groups.clear();
        let space = telling.iter().try_fold(1u64, |space, (part, _)| space.checked_mul(part.count as u64));
        match (space, telling.as_slice()) {
            (Some(space), [(a, a_of)]) if self.is_direct(space) => {
                self.number_directly(space, a_of.iter().map(|&at| u64::from(a.ids[at as usize])), scratch);
            }
            (Some(space), [(a, a_of), (b, b_of)]) if self.is_direct(space) => {
                let pairs = a_of.iter().zip(*b_of);
                let width = b.count as u64;
                let keys = pairs.map(|(&x, &y)| u64::from(a.ids[x as usize]) * width + u64::from(b.ids[y as usize]));
                self.number_directly(space, keys, scratch);
            }
            _ => self.number_by_hash(&telling, scratch),
        }
        scratch.sizes.len()
    }

    fn is_direct(&self, space: u64) -> bool {
        space <= SMALL_SPACE.max(4 * self.len() as u64)
    }

    fn number_directly(&self, space: u64, keys: impl Iterator<Item = u64>, scratch: &mut Scratch) {
        let Scratch { groups, sizes, first, slots, .. } = scratch;
        slots.clear();
        slots.resize(space as usize, 0);
        for ((entry, key), &size) in (0u32..).zip(keys).zip(&self.sizes) {
            let slot = &mut slots[key as usize];
            if *slot == 0 {
                sizes.push(0);
                first.push(entry);
                *slot = sizes.len() as u32;
            }
            let group = *slot - 1;
            sizes[group as usize] += size;
            groups.push(group);
        }
    }

    /// Any number of parts, folded two by two where a word is too small for all.
    fn number_by_hash(&self, telling: &[Telling<'_>], scratch: &mut Scratch) {
        let Scratch { groups, sizes, first, keys, table, .. } = scratch;
        keys.clear();
        keys.resize(self.len(), 0);
        let mut space = 1u64;
        for (part, combinations) in telling {
            let grown = space.checked_mul(part.count as u64);
            if grown.is_none() {
                space = renumber(keys, table);
            }
            let width = part.count as u64;
            for (key, &at) in keys.iter_mut().zip(*combinations) {
                *key = *key * width + u64::from(part.ids[at as usize]);
            }
            space = grown.unwrap_or(space * width);
        }
        let count = renumber(keys, table) as usize;
        sizes.resize(count, 0);
        first.resize(count, u32::MAX);
        for ((entry, &key), &size) in (0u32..).zip(keys.iter()).zip(&self.sizes) {
            sizes[key as usize] += size;
            first[key as usize] = first[key as usize].min(entry);
            groups.push(key as u32);
        }
    }

    /// Shows the histogram of each group that is not left out, for a subject, until told to stop.
    pub fn histograms(
        &self,
        subject: usize,
        scratch: &mut Scratch,
        leave_out: &[bool],
        mut visit: impl FnMut(&Histogram<'_>) -> ControlFlow<()>,
    ) {
        let counts = &self.subjects[subject];
        let count = scratch.sizes.len();
        let mut counter = Counter::new(counts.domain);
        let cells = count.saturating_mul(counts.domain);
        if cells <= (4 * counts.pairs.len()).max(1 << 14) {
            counts.fill_matrix(scratch, cells);
            for (group, row) in
                scratch.matrix.chunks(counts.domain.max(1)).enumerate().filter(|(at, _)| !leave_out[*at])
            {
                let present = (0u32..).zip(row.iter().copied()).filter(|pair| pair.1 > 0);
                if visit(&counter.take(group, present)).is_break() {
                    return;
                }
            }
            return;
        }
        scratch.order_entries();
        for group in (0..count).filter(|&group| !leave_out[group]) {
            let entries = &scratch.order[scratch.starts[group] as usize..scratch.starts[group + 1] as usize];
            let pairs = entries.iter().flat_map(|&entry| counts.of_entry(entry).iter().copied());
            if visit(&counter.add(group, pairs)).is_break() {
                return;
            }
        }
    }

    /// The groups that the scratch holds as a frequency set of their own.
    pub fn rolled_up(&self, scratch: &mut Scratch) -> FrequencySet {
        scratch.order_entries();
        let combinations = self
            .combinations
            .iter()
            .map(|all| scratch.first.iter().map(|&entry| all[entry as usize]).collect())
            .collect();
        let subjects = self.subjects.iter().map(|counts| counts.rolled_up(scratch)).collect();
        let (parts, places) = (self.parts.clone(), self.places.clone());
        FrequencySet { parts, places, combinations, sizes: scratch.sizes.clone(), subjects }
    }
}

impl Scratch {
    /// Entries group after group.
    fn order_entries(&mut self) {
        let Scratch { groups, sizes, order, starts, .. } = self;
        starts.clear();
        starts.resize(sizes.len() + 1, 0);
        groups.iter().for_each(|&group| starts[group as usize + 1] += 1);
        for group in 0..sizes.len() {
            starts[group + 1] += starts[group];
        }
        order.clear();
        order.resize(groups.len(), 0);
        // Filled from each group's end, so that `starts` ends where it must be.
        for (entry, &group) in groups.iter().enumerate().rev() {
            let place = &mut starts[group as usize + 1];
            *place -= 1;
            order[*place as usize] = entry as u32;
        }
        starts.remove(0);
        starts.push(groups.len() as u32);
    }
}

impl Histograms {
    fn of_rows(ids: &[u32], entries: usize, (codes, domain): Coded<'_>, weight: impl Fn(usize) -> u64) -> Histograms {
        let (pairs, count) = dense_ids(&[(ids, entries), (codes, domain)], ids.len());
        let mut counts: Vec<(u32, u64)> = vec![(0, 0); count];
        let mut starts = vec![0; entries + 1];
        for (row, ((&pair, &id), &code)) in pairs.iter().zip(ids).zip(codes).enumerate() {
            let place = &mut counts[pair as usize];
            if place.1 == 0 {
                starts[id as usize + 1] += 1;
            }
            *place = (code, place.1 + weight(row));
        }
        for entry in 0..entries {
            starts[entry + 1] += starts[entry];
        }
        Histograms { domain, starts, pairs: counts }
    }

    fn of_entry(&self, entry: u32) -> &[(u32, u64)] {
        &self.pairs[self.starts[entry as usize] as usize..self.starts[entry as usize + 1] as usize]
    }

    fn fill_matrix(&self, scratch: &mut Scratch, cells: usize) {
        scratch.matrix.clear();
        scratch.matrix.resize(cells, 0);
        for (entry, &group) in (0u32..).zip(&scratch.groups) {
            let start = group as usize * self.domain;
            for &(code, count) in self.of_entry(entry) {
                scratch.matrix[start + code as usize] += count;
            }
        }
    }

    fn rolled_up(&self, scratch: &Scratch) -> Histograms {
        let mut counter = Counter::new(self.domain);
        let mut starts = vec![0];
        let mut pairs = Vec::new();
        for bounds in scratch.starts.windows(2) {
            let entries = &scratch.order[bounds[0] as usize..bounds[1] as usize];
            let own = entries.iter().flat_map(|&entry| self.of_entry(entry).iter().copied());
            pairs.extend_from_slice(counter.add(0, own).entries());
            starts.push(pairs.len() as u32);
        }
        Histograms { domain: self.domain, starts, pairs }
    }
}

/// Replaces keys by numbers in the order of their first occurrence; says how many there are.
fn renumber(keys: &mut [u64], table: &mut HashTable<(u64, u32)>) -> u64 {
    let hasher = FixedState::default();
    table.clear();
    let mut count = 0;
    for key in keys.iter_mut() {
        let hash = hasher.hash_one(*key);
        let found = table.entry(hash, |(known, _)| known == key, |(known, _)| hasher.hash_one(known));
        let (_, id) = *found
            .or_insert_with(|| {
                count += 1;
                (*key, count - 1)
            })
            .get();
        *key = u64::from(id);
    }
    u64::from(count)
}

/// Packs columns into as few parts as keep small: two, mostly.
fn pack(quasi: &[Coded<'_>], ladders: &[Ladder], entries: &[u32]) -> (Vec<Part>, Vec<Vec<u32>>) {
    let most_combinations = (entries.len() / 2).max(4096);
    let mut wanted = quasi.len().min(2);
    loop {
        let dealt = balanced(quasi, wanted);
        // What a part must remember is told before it is made: its choices can be astronomically
        // many.
        let choices = |columns: &Vec<usize>| {
            columns.iter().fold(1usize, |choices, &column| choices.saturating_mul(ladders[column].maps.len()))
        };
        if wanted < quasi.len() && dealt.iter().any(|columns| columns.len() > 1 && choices(columns) > PART_CELLS / 64) {
            wanted += 1;
            continue;
        }
        let packed: Vec<(Part, Vec<u32>)> =
            dealt.iter().map(|columns| Part::new(columns, ladders, quasi, entries)).collect();
        let small = |part: &Part| {
            let combinations = part.combinations();
            combinations <= most_combinations && combinations.saturating_mul(part.levels.len()) <= PART_CELLS
        };
        if wanted >= quasi.len() || packed.iter().all(|(part, _)| part.columns.len() == 1 || small(part)) {
            return packed.into_iter().unzip();
        }
        wanted += 1;
    }
}

/// The part that has a column, and where.
fn place(parts: &[Part], column: usize) -> (usize, usize) {
    let find = |part: &Part| part.columns.iter().position(|&own| own == column);
    parts.iter().enumerate().find_map(|(part, own)| Some((part, find(own)?))).expect("every column is dealt")
}

/// Columns dealt to so many parts, the largest first, each to the part with the fewest possible
/// combinations so far.
fn balanced(quasi: &[Coded<'_>], parts: usize) -> Vec<Vec<usize>> {
    let mut by_size: Vec<usize> = (0..quasi.len()).collect();
    by_size.sort_by_key(|&column| (std::cmp::Reverse(quasi[column].1), column));
    let mut dealt: Vec<(f64, Vec<usize>)> = vec![(0.0, Vec::new()); parts];
    for column in by_size {
        let least = dealt.iter_mut().min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a part");
        least.0 += (quasi[column].1.max(2) as f64).ln();
        least.1.push(column);
    }
    dealt.into_iter().map(|(_, columns)| columns).collect()
}
