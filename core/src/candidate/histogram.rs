//! The values of a group and how often each occurs.

/// The histogram of one group over one coded column.
#[derive(Clone, Copy, Debug)]
pub struct Histogram<'a> {
    group: usize,
    size: u64,
    entries: &'a [(u32, u64)],
    descending: &'a [u64],
}

impl<'a> Histogram<'a> {
    /// A group of which only the size matters.
    pub fn of_size(group: usize, size: u64) -> Self {
        Histogram { group, size, entries: &[], descending: &[] }
    }

    /// The number of the group.
    pub fn group(&self) -> usize {
        self.group
    }

    /// How many rows the group has.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The codes that occur, ascending, with their counts.
    pub fn entries(&self) -> &'a [(u32, u64)] {
        self.entries
    }

    /// The counts, largest first.
    pub fn descending(&self) -> &'a [u64] {
        self.descending
    }

    /// How often a code occurs.
    pub fn count(&self, code: u32) -> u64 {
        self.entries.binary_search_by_key(&code, |entry| entry.0).map_or(0, |at| self.entries[at].1)
    }
}

/// Makes one histogram after another in the same memory.
///
/// ```
/// use sfumato::candidate::Counter;
///
/// let mut counter = Counter::new(5);
/// let histogram = counter.count(0, [3, 1, 3].into_iter());
/// assert_eq!(histogram.entries(), [(1, 1), (3, 2)]);
/// assert_eq!(histogram.descending(), [2, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Counter {
    counts: Vec<u64>,
    entries: Vec<(u32, u64)>,
    descending: Vec<u64>,
}

impl Counter {
    /// For codes below `domain`.
    pub fn new(domain: usize) -> Self {
        Counter { counts: vec![0; domain], entries: Vec::new(), descending: Vec::new() }
    }

    /// The histogram of a group with these codes.
    #[inline]
    pub fn count(&mut self, group: usize, codes: impl Iterator<Item = u32>) -> Histogram<'_> {
        self.add(group, codes.map(|code| (code, 1)))
    }

    /// The histogram of a group with these codes and counts, codes ascending.
    pub fn take(&mut self, group: usize, entries: impl Iterator<Item = (u32, u64)>) -> Histogram<'_> {
        self.entries.clear();
        self.entries.extend(entries);
        let size = self.entries.iter().map(|entry| entry.1).sum();
        self.ranked(group, size)
    }

    /// The histogram of a group with these codes and counts, in any order and with codes repeated.
    #[inline]
    pub fn add(&mut self, group: usize, entries: impl Iterator<Item = (u32, u64)>) -> Histogram<'_> {
        let mut size = 0;
        self.entries.clear();
        if self.counts.len() <= 64 {
            // Codes that occur as bits of one word: found in order without sorting.
            let mut present = 0u64;
            for (code, more) in entries {
                self.counts[code as usize] += more;
                present |= 1 << code;
                size += more;
            }
            while present != 0 {
                let code = present.trailing_zeros();
                present &= present - 1;
                self.entries.push((code, std::mem::take(&mut self.counts[code as usize])));
            }
        } else {
            for (code, more) in entries {
                let count = &mut self.counts[code as usize];
                if *count == 0 {
                    self.entries.push((code, 0));
                }
                *count += more;
                size += more;
            }
            self.entries.sort_unstable();
            for (code, count) in &mut self.entries {
                *count = std::mem::take(&mut self.counts[*code as usize]);
            }
        }
        self.ranked(group, size)
    }

    /// Puts the counts in order: small ones, which most are, without comparing.
    fn rank(&mut self) {
        self.descending.clear();
        let most = self.entries.iter().map(|entry| entry.1).max().unwrap_or(0);
        if most >= u64::from(u64::BITS) || self.entries.len() <= 4 {
            self.descending.extend(self.entries.iter().map(|entry| entry.1));
            self.descending.sort_unstable_by(|a, b| b.cmp(a));
            return;
        }
        let (mut times, mut present) = ([0u32; u64::BITS as usize], 0u64);
        for &(_, count) in &self.entries {
            times[count as usize] += 1;
            present |= 1 << count;
        }
        // Where the counts of each size go, the largest first.
        let mut next = 0;
        while present != 0 {
            let count = present.ilog2();
            present ^= 1 << count;
            let slot = &mut times[count as usize];
            next += std::mem::replace(slot, next);
        }
        self.descending.resize(self.entries.len(), 0);
        for &(_, count) in &self.entries {
            let slot = &mut times[count as usize];
            self.descending[*slot as usize] = count;
            *slot += 1;
        }
    }

    fn ranked(&mut self, group: usize, size: u64) -> Histogram<'_> {
        self.rank();
        Histogram { group, size, entries: &self.entries, descending: &self.descending }
    }
}
