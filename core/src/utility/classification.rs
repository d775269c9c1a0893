//! How well a classifier predicts one column from others: what a release is worth to whoever learns
//! from it.
//!
//! **Measures** the share of the original's rows whose class a naive Bayes classifier tells right,
//! each row by a model that has not seen it: once learned from the original, once from what is
//! published of the other rows. Both are tried on the same rows, so that the figures can be
//! compared. A row that is not published has no label to tell its class by: the most frequent class
//! is said of it. **Definition**: the class c with the largest ln P(c) + Σ ln P(v|c) over the
//! features' values v, P(c) = (n_c + 1)/(n + C) and P(v|c) = (n_cv + 1)/(n_c + V): Laplace
//! smoothing over C classes and V values. Ties go to the class with the lowest code. Ten folds;
//! which row is in which is drawn once with a fixed seed, since randomness is no defence here and
//! equal input must give equal figures. **Cost**: counted once; each fold subtracts its own rows.
//! Rows times features times classes, in parallel over folds. **Reference**: Domingos and Pazzani
//! 1997 (naive Bayes); Kohavi 1995 (cross-validation).
//!
//! ```
//! use sfumato::utility::classification::accuracy;
//!
//! let weather = [0, 1].repeat(20); // it rains every other day,
//! let umbrella = [1, 0].repeat(20); // and then no umbrella is left
//! let found = accuracy(&[(&weather, 2)], (&umbrella, 2), 40).unwrap();
//! assert_eq!((found.model, found.baseline), (1.0, 0.5));
//! ```

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const FOLDS: usize = 10;

/// Any number would do.
const SEED: u64 = 20_070_301;

/// How often a class is told right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// By the classifier.
    pub model: f64,
    /// By always saying the most frequent class.
    pub baseline: f64,
    /// How far `model` may be from what it would be for as many other people, 95 times in 100.
    pub margin: f64,
}

/// The accuracy with which features predict the target: coded columns with the sizes of their
/// domains. Nothing where there are fewer rows than folds, or fewer than two classes.
pub fn accuracy(features: &[(&[u32], usize)], target: (&[u32], usize), rows: usize) -> Option<Accuracy> {
    accuracy_of_published(features, target, &vec![true; rows])
}

/// The same where only some rows are published: nothing is learned from the others, and their
/// features are not known.
pub fn accuracy_of_published(
    features: &[(&[u32], usize)],
    target: (&[u32], usize),
    is_published: &[bool],
) -> Option<Accuracy> {
    let rows = is_published.len();
    let mut all = Counts::new(features, target.1);
    (0..rows).filter(|row| is_published[*row]).for_each(|row| all.add(features, target.0, row));
    let mut classes = vec![0u32; target.1];
    target.0.iter().for_each(|&class| classes[class as usize] += 1);
    if rows < FOLDS || classes.iter().filter(|&&count| count > 0).count() < 2 {
        return None;
    }
    let data = Data { features, target: target.0, is_published, logarithms: Logarithms::new(features, &all) };
    let right = folds(rows).par_iter().map(|fold| data.told_right(fold, &all)).sum::<usize>();
    let most = classes.iter().max().copied().unwrap_or(0);
    let model = right as f64 / rows as f64;
    Some(Accuracy { model, baseline: f64::from(most) / rows as f64, margin: margin(right, rows) })
}

/// How far a share may be from what it would be for others, 95 times in 100 (Agresti and Coull
/// 1998): not nothing where the share is none or all.
fn margin(right: usize, rows: usize) -> f64 {
    let (tries, share) = (rows as f64 + 4.0, (right as f64 + 2.0) / (rows as f64 + 4.0));
    1.96 * (share * (1.0 - share) / tries).sqrt()
}

/// What is learned from and tried on.
struct Data<'a> {
    features: &'a [(&'a [u32], usize)],
    target: &'a [u32],
    is_published: &'a [bool],
    logarithms: Logarithms,
}

/// Rows in random order, dealt out evenly.
fn folds(rows: usize) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
    (0..FOLDS).map(|fold| order.iter().copied().skip(fold).step_by(FOLDS).collect()).collect()
}

/// How often each class occurs, and each value of each feature with it.
struct Counts {
    classes: Vec<u32>,
    /// For each feature and value one count per class, next to each other.
    values: Vec<Vec<u32>>,
}

impl Counts {
    fn new(features: &[(&[u32], usize)], classes: usize) -> Self {
        let values = features.iter().map(|(_, domain)| vec![0; domain * classes]).collect();
        Counts { classes: vec![0; classes], values }
    }

    fn add(&mut self, features: &[(&[u32], usize)], target: &[u32], row: usize) {
        let class = target[row] as usize;
        let width = self.classes.len();
        self.classes[class] += 1;
        for (counts, (codes, _)) in self.values.iter_mut().zip(features) {
            counts[codes[row] as usize * width + class] += 1;
        }
    }
}

/// Logarithms of the whole numbers that smoothed counts can be.
struct Logarithms(Vec<f64>);

impl Logarithms {
    fn new(features: &[(&[u32], usize)], all: &Counts) -> Self {
        let widest = features.iter().map(|feature| feature.1).max().unwrap_or(0);
        let most = all.classes.iter().max().copied().unwrap_or(0) as usize;
        Logarithms((0..=most + widest.max(1)).map(|number| (number as f64).ln()).collect())
    }

    fn of(&self, number: u32) -> f64 {
        self.0[number as usize]
    }
}

impl Data<'_> {
    /// How many rows of a fold the published others tell right.
    fn told_right(&self, fold: &[u32], all: &Counts) -> usize {
        let (features, logarithms) = (self.features, &self.logarithms);
        let width = all.classes.len();
        let mut own = Counts::new(features, width);
        let published = fold.iter().filter(|row| self.is_published[**row as usize]);
        published.for_each(|&row| own.add(features, self.target, row as usize));
        let seen: Vec<u32> = all.classes.iter().zip(&own.classes).map(|(all, own)| all - own).collect();
        // The number of rows is the same for all classes, so it does not matter for which is
        // largest.
        let start: Vec<f64> = seen
            .iter()
            .map(|&count| {
                let of_features: f64 = features.iter().map(|feature| logarithms.of(count + feature.1 as u32)).sum();
                logarithms.of(count + 1) - of_features
            })
            .collect();
        let without_features: Vec<f64> = seen.iter().map(|&count| logarithms.of(count + 1)).collect();
        let mut scores = vec![0.0; width];
        let right = fold.iter().filter(|&&row| {
            let row = row as usize;
            if !self.is_published[row] {
                return best(&without_features) == self.target[row] as usize;
            }
            scores.copy_from_slice(&start);
            for ((codes, _), (all, own)) in features.iter().zip(all.values.iter().zip(&own.values)) {
                let from = codes[row] as usize * width;
                let counts = all[from..from + width].iter().zip(&own[from..from + width]);
                for (score, (all, own)) in scores.iter_mut().zip(counts) {
                    *score += logarithms.of(all - own + 1);
                }
            }
            best(&scores) == self.target[row] as usize
        });
        right.count()
    }
}

/// The first of the largest. Equal products are sums of logarithms that differ in the last bits at
/// most.
fn best(scores: &[f64]) -> usize {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    scores.iter().position(|&score| score >= largest - 1e-9).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The same from the definition: a model counted anew for every row.
    fn plainly(features: &[(&[u32], usize)], target: (&[u32], usize), rows: usize) -> f64 {
        let mut right = 0;
        for fold in folds(rows) {
            let others: Vec<usize> = (0..rows).filter(|row| !fold.contains(&(*row as u32))).collect();
            for &row in &fold {
                let score = |class: u32| {
                    let of_class: Vec<usize> =
                        others.iter().copied().filter(|&other| target.0[other] == class).collect();
                    let mut score = ((of_class.len() + 1) as f64).ln();
                    for (codes, domain) in features {
                        let same = of_class.iter().filter(|&&other| codes[other] == codes[row as usize]).count();
                        score += (same as f64 + 1.0).ln() - ((of_class.len() + domain) as f64).ln();
                    }
                    score
                };
                let scores: Vec<f64> = (0..target.1 as u32).map(score).collect();
                right += usize::from(best(&scores) == target.0[row as usize] as usize);
            }
        }
        right as f64 / rows as f64
    }

    proptest! {
        #[test]
        fn subtracting_the_fold_is_counting_the_others(
            rows in proptest::collection::vec((0u32..3, 0u32..4, 0u32..3), 10..60),
        ) {
            let [a, b, c]: [Vec<u32>; 3] = [0, 1, 2].map(|at| rows.iter().map(|row| [row.0, row.1, row.2][at]).collect());
            let features: [(&[u32], usize); 2] = [(&a, 3), (&b, 4)];
            if let Some(found) = accuracy(&features, (&c, 3), rows.len()) {
                let plain = plainly(&features, (&c, 3), rows.len());
                prop_assert_eq!(found.model, plain);
            }
        }
    }

    #[test]
    fn threads_change_nothing_and_useless_features_give_the_baseline() {
        let target: Vec<u32> = (0..500).map(|row| u32::from(row % 5 == 0)).collect();
        let constant = vec![0; 500];
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| accuracy(&[(&constant, 1)], (&target, 2), 500))
        };
        assert_eq!(run(1), run(3));
        let found = run(2).unwrap();
        assert_eq!((found.model, found.baseline), (0.8, 0.8));
        assert!((found.margin - 0.03508).abs() < 1e-5, "{}", found.margin);
    }

    #[test]
    fn nothing_is_learned_from_rows_that_are_not_published() {
        // Whoever has the label 1 is of class 1. Where half of the rows are missing, the most
        // frequent class is said of them.
        let label: Vec<u32> = (0..400).map(|row| row % 2).collect();
        let class: Vec<u32> = (0..400).map(|row| if row < 100 { 0 } else { row % 2 }).collect();
        let published: Vec<bool> = (0..400).map(|row| row >= 200).collect();
        let found = accuracy_of_published(&[(&label, 2)], (&class, 2), &published).unwrap();
        assert!(found.model > 0.6 && found.model < 0.9, "{found:?}");
        let all = accuracy(&[(&label, 2)], (&class, 2), 400).unwrap();
        assert_eq!((all.baseline, found.baseline), (0.625, 0.625), "both are tried on the same rows");
    }

    #[test]
    fn too_little_gives_nothing() {
        assert_eq!(accuracy(&[], (&[0, 1], 2), 2), None, "fewer rows than folds");
        assert_eq!(accuracy(&[], (&[1; 20], 2), 20), None, "one class");
        assert_eq!(accuracy(&[], (&[], 0), 0), None);
        assert!(accuracy(&[], (&[0, 1].repeat(10), 2), 20).is_some(), "without features the class alone decides");
    }
}
