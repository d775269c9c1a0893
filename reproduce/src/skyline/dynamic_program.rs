//! The highest belief by the dynamic program of Appendix A6 of the privacy skyline: every way to
//! spread the others and the family over the groups, without knowing that they congregate.
//!
//! Floats, and the formulas of Appendix A3 once more: shares no code with the library, and nothing
//! with its neighbours, so that the library's tests can take it as an oracle. Here it is the
//! baseline.

/// How many values a person has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semantics {
    Single,
    Set,
    Multiset,
}

/// A group as it concerns one sensitive value.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// How many people are in it.
    pub people: u32,
    /// How often the value occurs.
    pub own: u32,
    /// How often each other value occurs, the most frequent first.
    pub others: Vec<u32>,
}

impl Bucket {
    /// A group from how often each value occurs.
    pub fn new(people: u32, counts: &[u32], value: usize) -> Bucket {
        let mut others: Vec<u32> =
            (0..).zip(counts).filter(|(other, _)| *other != value).map(|(_, count)| *count).collect();
        others.sort_unstable_by(|a, b| b.cmp(a));
        Bucket { people, own: counts[value], others }
    }

    /// T(g, l, k); infinite in a group without the value.
    fn target(&self, semantics: Semantics, l: usize, k: usize) -> f64 {
        if self.own == 0 {
            return f64::INFINITY;
        }
        let (n, own, k) = (f64::from(self.people), f64::from(self.own), k as f64);
        let known = self.others.iter().take(l).map(|&count| f64::from(count));
        match semantics {
            Semantics::Single => (n - own - known.sum::<f64>() - k).max(0.0) / own,
            Semantics::Set => (n - own - k).max(0.0) / own * known.map(|count| (n - count) / n).product::<f64>(),
            Semantics::Multiset if n <= k + 1.0 => 0.0,
            Semantics::Multiset => {
                let without = ((n - k - 1.0) / (n - k)).powf(own);
                without * ((n - 1.0) / n).powf(known.sum()) / (1.0 - without)
            }
        }
    }

    /// V(g, m, k) for every m up to `most`.
    fn family(&self, semantics: Semantics, most: usize, k: usize, found: &mut [f64]) {
        let (n, own, k) = (f64::from(self.people), f64::from(self.own), k as f64);
        found[0] = 1.0;
        for m in 1..=most {
            let before = (m - 1) as f64;
            found[m] = match semantics {
                _ if self.own == 0 => 1.0,
                _ if n - k - before <= 0.0 => 0.0,
                Semantics::Multiset => ((n - k - m as f64).max(0.0) / (n - k)).powf(own),
                _ => found[m - 1] * (n - own - k - before).max(0.0) / (n - k - before),
            };
        }
    }
}

/// The highest belief of an attacker who knows l things about the target, k others and m of the
/// family.
pub fn breach(semantics: Semantics, buckets: &[Bucket], (l, k, m): (usize, usize, usize)) -> f64 {
    let width = m + 1;
    let cells = (k + 1) * width;
    // By how many of the others and of the family are in the groups so far: the least product with
    // the target among them, and without.
    let mut with = vec![f64::INFINITY; cells];
    let mut without = vec![f64::INFINITY; cells];
    without[0] = 1.0;
    let mut families = vec![0.0; (k + 2) * width];
    let mut targets = vec![0.0; k + 1];
    for bucket in buckets {
        for known in 0..=k + 1 {
            bucket.family(semantics, m, known, &mut families[known * width..][..width]);
        }
        for (known, target) in targets.iter_mut().enumerate() {
            *target = bucket.target(semantics, l, known);
        }
        // Downwards: what a cell is made of has not changed yet.
        for to_k in (0..=k).rev() {
            for to_m in (0..=m).rev() {
                let (mut best_with, mut best_without) = (f64::INFINITY, f64::INFINITY);
                for from_k in 0..=to_k {
                    let more = to_k - from_k;
                    let target = targets[more];
                    let elsewhere = &families[more * width..][..=to_m];
                    let beside = &families[(more + 1) * width..][..=to_m];
                    let from = from_k * width;
                    for from_m in 0..=to_m {
                        let family = elsewhere[to_m - from_m];
                        best_with = best_with.min(with[from + from_m] * family);
                        best_without = best_without.min(without[from + from_m] * family);
                        if bucket.own > 0 {
                            best_with = best_with.min(without[from + from_m] * (target * beside[to_m - from_m]));
                        }
                    }
                }
                with[to_k * width + to_m] = best_with;
                without[to_k * width + to_m] = best_without;
            }
        }
    }
    1.0 / (1.0 + with[cells - 1])
}
