//! Quantiles of a sample.

/// The `probability` quantile of values in ascending order, with linear interpolation: type 7 of Hyndman and
/// Fan (1996), the default of R and numpy. NaN for no values.
pub fn sorted_quantile(values: &[f64], probability: f64) -> f64 {
    let Some(last) = values.len().checked_sub(1) else {
        return f64::NAN;
    };
    let position = probability.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(last);
    let (low, high, share) = (values[below], values[above], position - below as f64);
    // There is no interpolation with infinity.
    if low == high || share == 0.0 || low.is_infinite() {
        return low;
    }
    let step = high - low;
    // The difference of two large values may overflow.
    if step.is_finite() || high.is_infinite() {
        low + share * step
    } else {
        low * (1.0 - share) + high * share
    }
}

/// The same for unsorted values, which are reordered: `O(n)`.
pub fn unsorted_quantile(values: &mut [f64], probability: f64) -> f64 {
    let Some(last) = values.len().checked_sub(1) else {
        return f64::NAN;
    };
    let position = probability.clamp(0.0, 1.0) * last as f64;
    let (_, &mut below, higher) = values.select_nth_unstable_by(position.floor() as usize, f64::total_cmp);
    let above = higher.iter().copied().min_by(f64::total_cmp).unwrap_or(below);
    below + position.fract() * (above - below)
}

/// The quantile that one more number would exceed with probability `1 - level`; at most the maximum.
pub fn reach(mut each: Vec<f64>, level: f64) -> f64 {
    each.sort_unstable_by(f64::total_cmp);
    let rank = (level * (each.len() + 1) as f64).ceil() as usize;
    each[rank.clamp(1, each.len()) - 1]
}

/// Mean and standard deviation (with divisor n - 1) of a sample; the latter is NaN for fewer than two values.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    // Distances from one of the values are summed, so that equal values have a deviation of exactly 0.
    let center = values.first().copied().unwrap_or(f64::NAN);
    let mean = center + values.iter().map(|value| value - center).sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = if values.len() > 1 { (squares / (n - 1.0)).sqrt() } else { f64::NAN };
    (mean, deviation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reach_is_a_quantile() {
        let each: Vec<f64> = (1..=99).rev().map(f64::from).collect();
        assert_eq!((reach(each.clone(), 0.95), reach(each.clone(), 0.5)), (95.0, 50.0));
        assert_eq!((reach(vec![2.0, 1.0], 0.99), reach(vec![2.0, 1.0], 0.01)), (2.0, 1.0));
    }

    #[test]
    fn unsorted_values() {
        let mut stream = crate::math::Stream::new(1, 2);
        for n in 1..40 {
            let values: Vec<f64> = (0..n).map(|_| f64::from(stream.index(20)) / 7.0).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            for probability in [0.0, 0.025, 0.3, 0.5, 0.975, 1.0] {
                assert_eq!(
                    unsorted_quantile(&mut values.clone(), probability),
                    sorted_quantile(&sorted, probability)
                );
            }
        }
        assert!(unsorted_quantile(&mut [], 0.5).is_nan());
    }

    /// numpy.quantile and numpy.std(ddof=1)
    #[test]
    fn as_numpy() {
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(sorted_quantile(&values, 0.0), 1.0);
        assert_eq!(sorted_quantile(&values, 0.5), 3.0);
        assert!((sorted_quantile(&values, 0.9) - 6.8).abs() < 1e-12);
        assert_eq!(sorted_quantile(&values, 1.0), 8.0);
        assert_eq!(sorted_quantile(&[5.0], 0.3), 5.0);
        assert_eq!(sorted_quantile(&[1.0, f64::INFINITY, f64::INFINITY], 0.7), f64::INFINITY);
        assert_eq!(sorted_quantile(&[1.0, 2.0, f64::INFINITY], 0.5), 2.0);
        assert_eq!(sorted_quantile(&[f64::NEG_INFINITY, 2.0], 0.5), f64::NEG_INFINITY);
        assert_eq!(sorted_quantile(&[f64::NEG_INFINITY, f64::INFINITY], 0.5), f64::NEG_INFINITY);
        assert_eq!(sorted_quantile(&[-f64::MAX, f64::MAX], 0.5), 0.0);
        assert!(sorted_quantile(&[], 0.5).is_nan());
        let (mean, deviation) = mean_and_deviation(&values);
        assert_eq!(mean, 3.75);
        assert!((deviation - 3.095_695_936_834_451).abs() < 1e-12);
        assert!(mean_and_deviation(&[2.0]).1.is_nan());
        assert_eq!(mean_and_deviation(&[0.1; 7]), (0.1, 0.0));
        assert!(mean_and_deviation(&[]).0.is_nan());
    }
}
