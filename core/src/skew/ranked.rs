//! Values by how many records they have, and whether one has too many.

use crate::error::{Error, ErrorCode, Fault, Result};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha20Rng;

/// The values of a column that occur, most frequent first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Their codes.
    pub codes: Vec<u32>,
    /// How many records have each.
    pub frequencies: Vec<u64>,
}

impl Ranked {
    /// Ranks values by their counts; those that do not occur are left out, and ties are in the
    /// order of codes.
    ///
    /// ```
    /// use sfumato::skew::Ranked;
    ///
    /// let ranked = Ranked::new(&[1, 10, 0, 4]);
    /// assert_eq!((ranked.codes.as_slice(), ranked.frequencies.as_slice()), (&[1, 3, 0][..], &[10, 4, 1][..]));
    /// assert!(ranked.is_eligible(1) && !ranked.is_eligible(2));
    /// ```
    pub fn new(counts: &[u64]) -> Ranked {
        let mut ranked: Vec<(u64, u32)> = counts.iter().copied().zip(0..).filter(|(count, _)| *count > 0).collect();
        ranked.sort_unstable_by_key(|&(count, code)| (std::cmp::Reverse(count), code));
        let (frequencies, codes) = ranked.into_iter().unzip();
        Ranked { codes, frequencies }
    }

    /// The same, ties ranked by lot.
    pub fn by_lot(mut self, generator: &mut ChaCha20Rng) -> Ranked {
        let mut start = 0;
        for tied in self.frequencies.chunk_by(|a, b| a == b) {
            self.codes[start..start + tied.len()].shuffle(generator);
            start += tied.len();
        }
        self
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.frequencies.iter().sum()
    }

    /// Whether no value has more than 1/l of the records.
    pub fn is_eligible(&self, l: u64) -> bool {
        let first = self.frequencies.first().copied().unwrap_or(0);
        u128::from(first) * u128::from(l) <= u128::from(self.records())
    }
}

/// A table in which one value is too frequent, and enough values to hide it among.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skewed {
    frequencies: Vec<u64>,
    /// Sums of all frequencies from a rank on; one more entry than frequencies.
    from: Vec<u64>,
    l: u64,
}

impl Skewed {
    /// From frequencies, largest first. Refuses what is eligible, and fewer than l values:
    /// whichever records are withheld, some value always has more than 1/l of the rest.
    ///
    /// ```
    /// use sfumato::skew::Skewed;
    ///
    /// assert!(Skewed::new(&[10, 4, 2, 1, 1], 3).is_ok());
    /// assert!(Skewed::new(&[10, 8], 3).is_err());
    /// assert!(Skewed::new(&[2, 2, 2], 3).is_err());
    /// ```
    pub fn new(frequencies: &[u64], l: u64) -> Result<Skewed> {
        let (Some(&first), Some(&last)) = (frequencies.first(), frequencies.last()) else {
            return Err(Error::data("the table has no records"));
        };
        if last == 0 || !frequencies.is_sorted_by(|a, b| a >= b) {
            return Err(Error::new(Fault::Internal, "frequencies are ranked, and above zero"));
        }
        if (frequencies.len() as u64) < l {
            let message = format!("{} different values: no part of the table is {l}-eligible", frequencies.len());
            return Err(Error::of(ErrorCode::TooFrequent, message).help("ask for less diversity"));
        }
        let mut from = vec![0; frequencies.len() + 1];
        for rank in (0..frequencies.len()).rev() {
            from[rank] = from[rank + 1] + frequencies[rank];
        }
        if u128::from(first) * u128::from(l) <= u128::from(from[0]) {
            return Err(Error::new(Fault::Internal, "an eligible table needs no suppression"));
        }
        Ok(Skewed { frequencies: frequencies.to_vec(), from, l })
    }

    /// How many records each value has, largest first.
    pub fn frequencies(&self) -> &[u64] {
        &self.frequencies
    }

    /// Among how many values S1 is to hide.
    pub fn l(&self) -> u64 {
        self.l
    }

    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.from[0]
    }

    /// The frequency of a rank from 1; zero beyond the last.
    pub fn frequency(&self, rank: u64) -> u64 {
        usize::try_from(rank - 1).ok().and_then(|at| self.frequencies.get(at)).copied().unwrap_or(0)
    }

    /// How many of the values S2, S3, … have at least so many records.
    pub fn others_from(&self, level: u64) -> u64 {
        self.frequencies[1..].partition_point(|&frequency| frequency >= level) as u64
    }

    /// How many records S2, S3, … have if none may have more than `level`.
    pub fn others_kept(&self, level: u64) -> u64 {
        let above = self.others_from(level);
        above * level + self.from[1 + above as usize]
    }
}
