//! How well a classifier predicts one column from others: what a release is worth to whoever learns
//! from it.
//!
//! **Measures** the share of the original's rows whose class a naive Bayes classifier tells right
//! from their original values, each row by a model that has not seen it: once learned from the
//! original, once from what is published of the other rows. Both are tried on the same rows, those
//! that are not published among them. **Definition**: the class c with the largest ln P(c) + Σ ln
//! P(v|c) over the features' values v, P(c) = (n_c + 1)/(n + C) and P(v|c) = (n_cv + 1)/(n_c + V):
//! Laplace smoothing over C classes and V values. Ties go to the class with the lowest code. A
//! published row whose label stands for a set of values counts for each of them with its share, 1
//! over their number; so a row that is tried is compared with the labels that cover its values, and
//! its own label is not used. A class that is published as a label counts likewise. Where a release
//! separates the classes, each row of a group counts for every class with the class's share in the
//! group. Ten folds; which row is in which is drawn once with a fixed seed, since randomness is no
//! defence here and equal input must give equal figures. **Cost**: for each fold, rows times
//! features times classes of a row; in parallel over folds. **Reference**: Domingos and Pazzani
//! 1997 (naive Bayes); Kohavi 1995 (cross-validation); Inan, Kantarcioglu and Bertino 2009
//! (learning from generalized values).
//!
//! ```
//! use sfumato::utility::classification::accuracy;
//!
//! let weather = [0, 1].repeat(20); // it rains every other day,
//! let umbrella = [1, 0].repeat(20); // and then no umbrella is left
//! let found = accuracy(&[(&weather, 2)], (&umbrella, 2)).unwrap();
//! assert_eq!((found.model, found.baseline), (1.0, 0.5));
//! ```

use super::queries::Published;
use crate::candidate::{Coded, Groups};
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

/// What is learned from: a release of the rows that are tried.
#[derive(Clone, Debug)]
pub struct Training<'a> {
    /// The features as they are published.
    pub features: Vec<Published<'a>>,
    /// The class as it is published.
    pub target: Published<'a>,
    /// The groups within which nobody can tell whose class is whose, if classes are published apart
    /// from features.
    pub separated: Option<&'a Groups>,
    /// Which rows are published.
    pub is_published: &'a [bool],
}

/// The accuracy with which features predict the target, learned from the original: coded columns
/// with the sizes of their domains. `None` where there are fewer rows than folds, or fewer than two
/// classes.
pub fn accuracy(features: &[Coded<'_>], target: Coded<'_>) -> Option<Accuracy> {
    let training = Training {
        features: features.iter().map(|(codes, _)| Published::Exact(codes)).collect(),
        target: Published::Exact(target.0),
        separated: None,
        is_published: &vec![true; target.0.len()],
    };
    accuracy_of_release(&training, features, target)
}

/// The same, learned from a release and tried on the original.
pub fn accuracy_of_release(training: &Training<'_>, features: &[Coded<'_>], target: Coded<'_>) -> Option<Accuracy> {
    let rows = target.0.len();
    let mut classes = vec![0u32; target.1];
    target.0.iter().for_each(|&class| classes[class as usize] += 1);
    if rows < FOLDS || classes.iter().filter(|&&count| count > 0).count() < 2 {
        return None;
    }
    let told_right = |fold: &Vec<u32>| {
        let model = Model::learn(training, fold, features, target.1);
        fold.iter().filter(|&&row| model.class_of(features, row as usize) == target.0[row as usize] as usize).count()
    };
    let right = folds(rows).par_iter().map(told_right).sum::<usize>();
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

/// Rows in random order, dealt out evenly.
fn folds(rows: usize) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(SEED));
    (0..FOLDS).map(|fold| order.iter().copied().skip(fold).step_by(FOLDS).collect()).collect()
}

/// How often each class occurs, and each label of each feature with it.
struct Counts {
    classes: Vec<f64>,
    /// For each feature and label one count per class, next to each other.
    labels: Vec<Vec<f64>>,
}

impl Counts {
    /// Adds a row that is of each of some classes with a share.
    fn add(&mut self, features: &[Published<'_>], row: usize, shares: &[(u32, f64)]) {
        let width = self.classes.len();
        for &(class, share) in shares {
            self.classes[class as usize] += share;
            for (counts, feature) in self.labels.iter_mut().zip(features) {
                counts[feature.label(row) as usize * width + class as usize] += share;
            }
        }
    }
}

impl Training<'_> {
    /// Counts what is published of the rows that are not in a fold.
    fn count(&self, fold: &[u32], features: &[Coded<'_>], classes: usize) -> Counts {
        let mut is_seen = self.is_published.to_vec();
        fold.iter().for_each(|&row| is_seen[row as usize] = false);
        let labels = self.features.iter().zip(features).map(|(feature, (_, domain))| feature.labels(*domain));
        let labels = labels.map(|labels| vec![0.0; labels * classes]).collect();
        let mut counts = Counts { classes: vec![0.0; classes], labels };
        let Some(groups) = self.separated else {
            let mut shares = Vec::new();
            for row in (0..is_seen.len()).filter(|row| is_seen[*row]) {
                shares.clear();
                self.target.each_value(row, |class, share| shares.push((class, share)));
                counts.add(&self.features, row, &shares);
            }
            return counts;
        };
        for group in 0..groups.len() {
            let seen = || groups.rows(group).iter().map(|&row| row as usize).filter(|row| is_seen[*row]);
            let shares = shares_in(seen().map(|row| self.target.label(row)).collect());
            seen().for_each(|row| counts.add(&self.features, row, &shares));
        }
        counts
    }
}

/// How often each code occurs, as a share.
fn shares_in(mut codes: Vec<u32>) -> Vec<(u32, f64)> {
    codes.sort_unstable();
    let all = codes.len() as f64;
    codes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64 / all)).collect()
}

/// What was learned: logarithms of probabilities.
struct Model {
    classes: Vec<f64>,
    /// For each feature and value of the original one number per class, next to each other.
    values: Vec<Vec<f64>>,
}

impl Model {
    fn learn(training: &Training<'_>, fold: &[u32], features: &[Coded<'_>], classes: usize) -> Model {
        let Counts { classes: seen, labels } = training.count(fold, features, classes);
        let of_feature = |((feature, counts), (_, domain)): ((&Published<'_>, Vec<f64>), &Coded<'_>)| {
            let mut values = feature.spread(counts, *domain, classes);
            for of_value in values.chunks_exact_mut(classes) {
                for (number, seen) in of_value.iter_mut().zip(&seen) {
                    *number = ((*number + 1.0) / (seen + *domain as f64)).ln();
                }
            }
            values
        };
        let values = training.features.iter().zip(labels).zip(features).map(of_feature).collect();
        // The number of rows is the same for all classes, so it does not matter for which is
        // largest.
        Model { classes: seen.iter().map(|seen| (seen + 1.0).ln()).collect(), values }
    }

    fn class_of(&self, features: &[Coded<'_>], row: usize) -> usize {
        let (mut scores, width) = (self.classes.clone(), self.classes.len());
        for (values, (codes, _)) in self.values.iter().zip(features) {
            let from = codes[row] as usize * width;
            scores.iter_mut().zip(&values[from..from + width]).for_each(|(score, number)| *score += number);
        }
        best(&scores)
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
            if let Some(found) = accuracy(&features, (&c, 3)) {
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
            pool.install(|| accuracy(&[(&constant, 1)], (&target, 2)))
        };
        assert_eq!(run(1), run(3));
        let found = run(2).unwrap();
        assert_eq!((found.model, found.baseline), (0.8, 0.8));
        assert!((found.margin - 0.03508).abs() < 1e-5, "{}", found.margin);
    }

    /// Learned from labels, and tried on values.
    fn from_labels(
        labels: &[u32],
        covers: &[Vec<u32>],
        is_published: &[bool],
        values: Coded<'_>,
        classes: Coded<'_>,
    ) -> Accuracy {
        let features = vec![Published::Covers { labels, covers }];
        let training = Training { features, target: Published::Exact(classes.0), separated: None, is_published };
        accuracy_of_release(&training, &[values], classes).unwrap()
    }

    #[test]
    fn nothing_is_learned_from_rows_that_are_not_published() {
        // Whoever has value 1 is of class 1; of the first half that is not so.
        let value: Vec<u32> = (0..400).map(|row| row % 2).collect();
        let class: Vec<u32> = (0..400).map(|row| if row < 100 { 1 - row % 2 } else { row % 2 }).collect();
        let later: Vec<bool> = (0..400).map(|row| row >= 200).collect();
        let exact = [vec![0], vec![1]];
        let found = from_labels(&value, &exact, &later, (&value, 2), (&class, 2));
        assert_eq!((found.model, found.baseline), (0.75, 0.5), "those that are not published are tried too");
        let first: Vec<bool> = (0..400).map(|row| row < 100).collect();
        assert_eq!(from_labels(&value, &exact, &first, (&value, 2), (&class, 2)).model, 0.25);
    }

    #[test]
    fn rows_are_tried_by_their_values_and_not_by_their_labels() {
        // The class is whether the value is 2 or 3. Labels that stand for all values tell nothing,
        // though rows of one class have one label and rows of the other another.
        let value: Vec<u32> = (0..400).map(|row| row % 4).collect();
        let class: Vec<u32> = value.iter().map(|value| value / 2).collect();
        let (all, everywhere) = (vec![true; 400], vec![0, 1, 2, 3]);
        let blind = from_labels(&class, &[everywhere.clone(), everywhere], &all, (&value, 4), (&class, 2));
        // Where the class alone decides, a fold with more of one leaves fewer to learn from.
        assert!(blind.model <= 0.5, "{blind:?}");
        let halves = from_labels(&class, &[vec![0, 1], vec![2, 3]], &all, (&value, 4), (&class, 2));
        assert_eq!(halves.model, 1.0);
        // Labels that overlap count where they overlap: 0 and 1 are more likely of class 0.
        let wide = from_labels(&class, &[vec![0, 1], vec![0, 1, 2, 3]], &all, (&value, 4), (&class, 2));
        assert_eq!(wide.model, 1.0);
    }

    #[test]
    fn classes_published_apart_are_learned_by_group() {
        let value: Vec<u32> = (0..400).map(|row| row % 2).collect();
        let is_published = &vec![true; 400];
        let learned = |groups: &Groups| {
            let (features, target) = (vec![Published::Exact(&value)], Published::Exact(&value));
            let training = Training { features, target, separated: Some(groups), is_published };
            accuracy_of_release(&training, &[(&value, 2)], (&value, 2)).unwrap().model
        };
        assert_eq!(learned(&Groups::by_ids(&value, 2)), 1.0, "groups of one class tell whose it is");
        assert!(learned(&Groups::by_ids(&vec![0; 400], 1)) <= 0.5, "one group of all tells nothing");
    }

    #[test]
    fn too_little_gives_nothing() {
        assert_eq!(accuracy(&[], (&[0, 1], 2)), None, "fewer rows than folds");
        assert_eq!(accuracy(&[], (&[1; 20], 2)), None, "one class");
        assert_eq!(accuracy(&[], (&[], 0)), None);
        assert!(accuracy(&[], (&[0, 1].repeat(10), 2)).is_some(), "without features the class alone decides");
    }
}
