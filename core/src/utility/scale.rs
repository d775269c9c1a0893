//! What each level of each quasi-identifier is worth, before any group is formed.

use crate::candidate::Ladder;
use crate::data::Weight;
use crate::data::hierarchy::Hierarchy;

/// Sums of logarithms are kept in units of 2⁻⁴⁰, so that they do not depend on the order of
/// summands.
pub type Fixed = i128;

/// One, as a [`Fixed`].
pub const UNIT: f64 = (1u64 << 40) as f64;

/// A number as a [`Fixed`].
pub fn fixed(number: f64) -> Fixed {
    (number * UNIT).round() as Fixed
}

/// `count·ln count` as a [`Fixed`].
pub fn times_ln(count: u64) -> Fixed {
    if count < 2 { 0 } else { fixed(count as f64 * (count as f64).ln()) }
}

/// The quasi-identifiers of a table with what their levels are worth.
#[derive(Clone, Debug)]
pub struct Scales {
    /// Records in the table.
    pub records: u64,
    /// The quasi-identifiers, in the order of the plan.
    pub columns: Vec<Scale>,
    /// `Σ c·ln c` over the distinct vectors of quasi-identifiers and sensitive values of the table.
    pub joint: Fixed,
}

impl Scales {
    /// The sum of the weights.
    pub fn weights(&self) -> f64 {
        self.columns.iter().map(|scale| scale.weight.to_f64()).sum::<f64>().max(f64::MIN_POSITIVE)
    }
}

/// One quasi-identifier.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Its name.
    pub name: String,
    /// How much it counts beside the others.
    pub weight: Weight,
    /// Leaves of its hierarchy.
    pub leaves: u64,
    /// Its levels, the values themselves first.
    pub levels: Vec<Level>,
}

/// One level of a quasi-identifier.
#[derive(Clone, Debug)]
pub struct Level {
    /// The code of every base code.
    pub code_of: Vec<u32>,
    /// How many leaves stand under each code.
    pub leaves_under: Vec<u32>,
    /// How many records have each code.
    pub counts: Vec<u64>,
    /// Leaves under the value, summed over records.
    pub leaves: u128,
    /// Logarithm of the leaves under the value, summed over records.
    pub ln_leaves: Fixed,
    /// `−log₂(records with the base value / records with this value)`, summed over records.
    pub entropy: Fixed,
}

impl Scale {
    /// The scale of a column, of whose values so many records have each.
    pub fn new(name: &str, weight: Weight, counts: &[u64], hierarchy: &Hierarchy) -> Scale {
        let levels = (0..=hierarchy.height()).map(|level| Level::new(hierarchy, level, counts)).collect();
        Scale { name: name.to_string(), weight, leaves: u64::from(hierarchy.leaves()), levels }
    }

    /// The top level.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }

    /// What frequency sets need to know.
    pub fn ladder(&self) -> Ladder {
        Ladder {
            maps: self.levels.iter().map(|level| level.code_of.clone()).collect(),
            sizes: self.levels.iter().map(|level| level.counts.len()).collect(),
        }
    }
}

impl Level {
    fn new(hierarchy: &Hierarchy, level: usize, base: &[u64]) -> Level {
        let code_of = hierarchy.codes(level).to_vec();
        let leaves_under = hierarchy.leaves_under(level).to_vec();
        let mut counts = vec![0; leaves_under.len()];
        code_of.iter().zip(base).for_each(|(&code, count)| counts[code as usize] += count);
        let with_leaves = || counts.iter().zip(&leaves_under);
        let leaves = with_leaves().map(|(&count, &under)| u128::from(count) * u128::from(under)).sum();
        let ln_leaves = with_leaves().map(|(&count, &under)| fixed(count as f64 * f64::from(under.max(1)).ln())).sum();
        let lost = |(&code, &count): (&u32, &u64)| match count {
            0 => 0,
            _ => fixed(count as f64 * (counts[code as usize] as f64 / count as f64).log2()),
        };
        let entropy = code_of.iter().zip(base).map(lost).sum();
        Level { code_of, leaves_under, counts, leaves, ln_leaves, entropy }
    }
}
