//! The lattice of all choices of levels, as numbers.

/// All choices of one level per column. A choice is a number: levels are its digits, the last
/// column's fastest; a coarser choice has a larger number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lattice {
    lowest: Vec<usize>,
    radices: Vec<usize>,
    strides: Vec<usize>,
    nodes: usize,
}

impl Lattice {
    /// The lattice of columns with so many levels each.
    ///
    /// # Panics
    /// When there are more choices than a `usize` holds.
    pub fn new(radices: Vec<usize>) -> Lattice {
        Lattice::between(&radices.iter().map(|radix| (0, radix - 1)).collect::<Vec<_>>())
    }

    /// The lattice of columns with a lowest and a highest level each.
    ///
    /// # Panics
    /// When there are more choices than a `usize` holds.
    pub fn between(ranges: &[(usize, usize)]) -> Lattice {
        let radices: Vec<usize> = ranges.iter().map(|(low, high)| high - low + 1).collect();
        let lowest = ranges.iter().map(|range| range.0).collect();
        let mut strides = vec![1; radices.len()];
        for at in (1..radices.len()).rev() {
            strides[at - 1] = strides[at] * radices[at];
        }
        let nodes =
            radices.iter().try_fold(1usize, |nodes, &radix| nodes.checked_mul(radix)).expect("within the budget");
        Lattice { lowest, radices, strides, nodes }
    }

    /// How many choices there are.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.radices.len()
    }

    /// The level of a column in a choice.
    pub fn level(&self, node: usize, column: usize) -> usize {
        self.lowest[column] + self.step(node, column)
    }

    /// How far a column is above its lowest level.
    fn step(&self, node: usize, column: usize) -> usize {
        node / self.strides[column] % self.radices[column]
    }

    /// The levels of a choice.
    pub fn levels(&self, node: usize) -> Vec<usize> {
        (0..self.columns()).map(|column| self.level(node, column)).collect()
    }

    /// The number of a choice.
    pub fn number(&self, levels: &[usize]) -> usize {
        let steps = levels.iter().zip(&self.lowest).map(|(level, lowest)| level - lowest);
        steps.zip(&self.strides).map(|(step, stride)| step * stride).sum()
    }

    /// The sum of levels.
    pub fn height(&self, node: usize) -> usize {
        (0..self.columns()).map(|column| self.level(node, column)).sum()
    }

    /// How many columns are below their highest level.
    pub fn breadth(&self, node: usize) -> usize {
        (0..self.columns()).filter(|&column| self.step(node, column) + 1 < self.radices[column]).count()
    }

    /// The choices one step coarser.
    pub fn coarser(&self, node: usize) -> impl Iterator<Item = usize> {
        let can = move |column: &usize| self.step(node, *column) + 1 < self.radices[*column];
        (0..self.columns()).filter(can).map(move |column| node + self.strides[column])
    }

    /// The choices one step finer.
    pub fn finer(&self, node: usize) -> impl Iterator<Item = usize> {
        (0..self.columns())
            .filter(move |&column| self.step(node, column) > 0)
            .map(move |column| node - self.strides[column])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_levels_agree() {
        let lattice = Lattice::new(vec![2, 5, 3]);
        assert_eq!(lattice.nodes(), 30);
        let mut seen = std::collections::HashSet::new();
        for node in 0..lattice.nodes() {
            let levels = lattice.levels(node);
            assert_eq!((levels.iter().sum::<usize>(), lattice.number(&levels)), (lattice.height(node), node));
            for coarser in lattice.coarser(node) {
                let up = lattice.levels(coarser);
                assert_eq!(up.iter().zip(&levels).map(|(a, b)| a - b).sum::<usize>(), 1);
                assert!(coarser > node && lattice.finer(coarser).any(|back| back == node));
            }
            assert!(seen.insert(levels));
        }
        assert_eq!((lattice.breadth(29), lattice.breadth(0)), (0, 3));
    }

    #[test]
    fn levels_stay_in_their_range() {
        let lattice = Lattice::between(&[(1, 2), (0, 0), (2, 4)]);
        assert_eq!(lattice.nodes(), 6);
        assert_eq!((lattice.levels(0), lattice.levels(5)), (vec![1, 0, 2], vec![2, 0, 4]));
        assert_eq!((lattice.coarser(5).count(), lattice.finer(0).count()), (0, 0));
    }
}
