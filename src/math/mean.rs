//! Weighted means.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::memory;

/// The weighted mean of values, independent of their order; `None` if no weight is positive.
pub fn weighted(mut values: Vec<(f64, u128)>) -> Option<f64> {
    values.retain(|value| value.1 > 0);
    sort(&mut values, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (min, max) = (values.first()?.0, values.last()?.0);
    // Distances from the minimum are averaged, so that the mean of equal values is exact.
    let surplus: f64 = values.iter().map(|&(value, weight)| (value - min) * weight as f64).sum();
    let weights: u128 = values.iter().map(|value| value.1).sum();
    Some((min + surplus / weights as f64).clamp(min, max))
}

/// The weighted mean and its standard error, if values are independent together with their weights. This is
/// the ratio estimator's `sqrt(k / (k - 1) sum w² (x - mean)²) / sum w` over k values (Cochran 1977, section
/// 6.4). Undefined for one value.
pub fn weighted_with_error(mut values: Vec<(f64, u128)>) -> Option<(f64, Option<f64>)> {
    values.retain(|value| value.1 > 0);
    let mean = weighted(memory::collected(values.iter().copied()))?;
    let squares = |&(value, weight): &(f64, u128)| (weight as f64 * (value - mean)).powi(2);
    let mut squares = memory::collected(values.iter().map(squares));
    sort(&mut squares, f64::total_cmp);
    let weights: u128 = values.iter().map(|value| value.1).sum();
    let k = values.len() as f64;
    let error = || (k / (k - 1.0) * squares.iter().sum::<f64>()).sqrt() / weights as f64;
    Some((mean, (values.len() > 1).then(error)))
}

/// From this number of values, all threads of a pool sort them.
const MANY: usize = 1 << 16;

fn sort<T: Send>(values: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    if values.len() >= MANY && rayon::current_thread_index().is_some() {
        values.par_sort_unstable_by(order);
    } else {
        values.sort_unstable_by(order);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_weight() {
        assert_eq!(weighted(vec![(1.0, 1), (0.5, 3)]), Some(0.625));
        assert_eq!(weighted(vec![(0.1, 3), (0.1, 4)]), Some(0.1));
        assert_eq!(weighted(vec![(0.1, 0), (0.7, 2)]), Some(0.7));
        assert_eq!(weighted(vec![(0.1, 0)]), None);
        assert_eq!(weighted(Vec::new()), None);
        let values = vec![(0.3, 7), (0.9, 1), (0.61, 5), (0.30000000000000004, 2)];
        let turned = values.iter().rev().copied().collect();
        assert_eq!(weighted(values), weighted(turned));
    }

    #[test]
    fn with_error() {
        // For equal weights, the plain standard error of a mean.
        let (mean, error) = weighted_with_error(vec![(1.0, 2), (2.0, 2), (6.0, 2)]).unwrap();
        assert_eq!(mean, 3.0);
        assert!((error.unwrap() - (7.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(weighted_with_error(vec![(0.7, 3), (0.1, 0)]), Some((0.7, None)));
        assert_eq!(weighted_with_error(Vec::new()), None);
    }
}
