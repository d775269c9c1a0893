//! What a release tells of the value that a record has in a column: the value itself, or a label
//! that stands for several, of which each is as likely.

/// What a release tells of one quasi-identifier of its records.
#[derive(Clone, Copy, Debug)]
pub enum Published<'a> {
    /// The value itself: for every row its code in the original domain.
    Exact(&'a [u32]),
    /// A label that stands for several values.
    Covers {
        /// For every row the number of its label.
        labels: &'a [u32],
        /// For every label the codes of the original domain that it stands for, each once.
        covers: &'a [Vec<u32>],
    },
}

impl Published<'_> {
    /// The number of a row's label; of a value itself, its code.
    pub(super) fn label(&self, row: usize) -> u32 {
        match self {
            Published::Exact(codes) => codes[row],
            Published::Covers { labels, .. } => labels[row],
        }
    }

    /// How many labels there are of a column with so many values.
    pub(super) fn labels(&self, domain: usize) -> usize {
        match self {
            Published::Exact(_) => domain,
            Published::Covers { covers, .. } => covers.len(),
        }
    }

    /// Visits the values that a row may have, each with its share.
    pub(super) fn each_value(&self, row: usize, mut visit: impl FnMut(u32, f64)) {
        match self {
            Published::Exact(codes) => visit(codes[row], 1.0),
            Published::Covers { labels, covers } => {
                let values = &covers[labels[row] as usize];
                values.iter().for_each(|&value| visit(value, 1.0 / values.len() as f64));
            }
        }
    }

    /// Numbers of labels, `width` of each next to each other, as numbers of the column's values:
    /// each value of a label takes its share.
    pub(super) fn spread(&self, of_labels: Vec<f64>, domain: usize, width: usize) -> Vec<f64> {
        let Published::Covers { covers, .. } = self else { return of_labels };
        let mut of_values = vec![0.0; domain * width];
        for (values, numbers) in covers.iter().zip(of_labels.chunks_exact(width)) {
            for &value in values {
                let own = &mut of_values[value as usize * width..][..width];
                own.iter_mut().zip(numbers).for_each(|(own, number)| *own += number / values.len() as f64);
            }
        }
        of_values
    }
}
