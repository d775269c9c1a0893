//! Variance kept: how much of the spread of numbers is left where groups are published by one
//! number each.
//!
//! **Definition**: one minus the sum of squared differences between values and published numbers
//! (SSE) over that between values and their mean (SST), of published records. With means it is
//! between 0 and 1. **Reference**: Domingo-Ferrer and Mateo-Sanz 2002 (information loss SSE/SST).

/// The share that is kept, given each value with its published number; `None` where values do not
/// differ.
///
/// ```
/// use sfumato::utility::variance::kept;
///
/// assert_eq!(kept(&[(1.0, 2.0), (3.0, 2.0), (7.0, 8.0), (9.0, 8.0)]), Some(0.9)); // 1 − 4/40
/// assert_eq!(kept(&[(1.0, 1.0)]), None);
/// ```
pub fn kept(pairs: &[(f64, f64)]) -> Option<f64> {
    let mean = pairs.iter().map(|(value, _)| value).sum::<f64>() / pairs.len().max(1) as f64;
    let squares =
        |difference: fn(&(f64, f64), f64) -> f64| pairs.iter().map(|pair| difference(pair, mean).powi(2)).sum();
    let all: f64 = squares(|pair, mean| pair.0 - mean);
    let within: f64 = squares(|pair, _| pair.0 - pair.1);
    (all > 0.0).then(|| 1.0 - within / all)
}
