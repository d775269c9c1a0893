//! Whole numbers of which only bounds and some sums are known.
//!
//! # Claim
//! Numbers that lie within their bounds and keep to all sums still do after [`Bounds::tighten`]: it
//! takes away nothing that is possible. If it finds a contradiction, there are no such numbers.

/// No numbers keep to all that is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Contradiction;

/// Sums over some numbers each: every number counts for one of them.
pub(super) struct Sums {
    /// The sum that each number counts for.
    pub of: Vec<u32>,
    pub least: Vec<i64>,
    pub most: Vec<i64>,
}

/// What each number is at least and at most.
pub(super) struct Bounds {
    pub least: Vec<i64>,
    pub most: Vec<i64>,
}

impl Bounds {
    /// Numbers from none to this many.
    pub fn up_to(most: Vec<i64>) -> Bounds {
        Bounds { least: vec![0; most.len()], most }
    }

    /// Tightens until nothing changes, or for so many rounds; every round is sound.
    pub fn settle(&mut self, sums: &[&Sums], rounds: usize) -> Result<(), Contradiction> {
        for _ in 0..rounds {
            let mut changed = false;
            for sums in sums {
                changed |= self.tighten(sums)?;
            }
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Each number is at least what the others of its sum cannot make up, and at most what they
    /// leave.
    pub fn tighten(&mut self, sums: &Sums) -> Result<bool, Contradiction> {
        let [low, high] = self.totals(sums);
        let fits = |at: usize| low[at] <= sums.most[at] && high[at] >= sums.least[at];
        if !(0..low.len()).all(fits) {
            return Err(Contradiction);
        }
        let mut changed = false;
        for (at, &sum) in sums.of.iter().enumerate() {
            let sum = sum as usize;
            let (least, most) = (self.least[at], self.most[at]);
            self.least[at] = least.max(sums.least[sum] - (high[sum] - most));
            self.most[at] = most.min(sums.most[sum] - (low[sum] - least));
            if self.least[at] > self.most[at] {
                return Err(Contradiction);
            }
            changed |= (self.least[at], self.most[at]) != (least, most);
        }
        Ok(changed)
    }

    /// What the numbers of each sum make up, at least and at most.
    pub fn totals(&self, sums: &Sums) -> [Vec<i64>; 2] {
        [&self.least, &self.most].map(|bounds| {
            let mut totals = vec![0; sums.least.len()];
            bounds.iter().zip(&sums.of).for_each(|(bound, &sum)| totals[sum as usize] += bound);
            totals
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_cannot_hold_is_here() {
        // Three people in two places, one of which has room for one.
        let mut bounds = Bounds::up_to(vec![1, 3]);
        let sums = Sums { of: vec![0, 0], least: vec![3], most: vec![3] };
        assert_eq!(bounds.tighten(&sums), Ok(true));
        assert_eq!((bounds.least, bounds.most), (vec![0, 2], vec![1, 3]));
    }

    #[test]
    fn nothing_possible_is_taken_away() {
        // A table of two by two with all sums known but for the diagonal, in every way.
        for cells in 0..81usize {
            let cells: Vec<i64> = (0..4u32).map(|at| (cells / 3usize.pow(at) % 3) as i64).collect();
            let rows = vec![cells[0] + cells[1], cells[2] + cells[3]];
            let columns = vec![cells[0] + cells[2], cells[1] + cells[3]];
            let rows = Sums { of: vec![0, 0, 1, 1], least: rows.clone(), most: rows };
            let columns = Sums { of: vec![0, 1, 0, 1], least: columns.clone(), most: columns };
            let mut bounds = Bounds::up_to(vec![2; 4]);
            assert_eq!(bounds.settle(&[&rows, &columns], 10), Ok(()));
            let within = |at: usize| bounds.least[at] <= cells[at] && cells[at] <= bounds.most[at];
            assert!((0..4).all(within), "{cells:?}");
        }
    }

    #[test]
    fn sums_that_cannot_be_are_a_contradiction() {
        let sums = |least: i64, most: i64| Sums { of: vec![0], least: vec![least], most: vec![most] };
        assert_eq!(Bounds::up_to(vec![1]).tighten(&sums(2, 2)), Err(Contradiction));
        let empty = Sums { of: vec![], least: vec![1], most: vec![1] };
        assert_eq!(Bounds::up_to(vec![]).tighten(&empty), Err(Contradiction), "nobody can be there");
    }
}
