//! The band of fixed width, from Kolmogorov-Smirnov bands of both distributions.

use crate::math::kolmogorov::upper_tail;
use crate::ranking::ties::Count;
use crate::statistics::curve_samples::{
    curve_sample::{BandAtRates, Limits},
    sweep::{Sweep, even_rates},
};

/// Rates from 0 to 1, the curve there, and the limits of its tpr (Campbell 1994).
///
/// The distribution functions of both classes are within `d0` and `d1` everywhere with probability `level`,
/// if each is with its square root. The curve then lies in boxes of twice these widths about the points of
/// the empirical curve, for any distributions. `d` is the quantile of the Kolmogorov distribution, divided by
/// `√n + 0.12 + 0.11 / √n` (Stephens 1970).
pub fn limits(counts: &[Count], level: f64, n_points: u32) -> BandAtRates {
    let all = Count::sum(counts);
    let half_width = |rows: u64| {
        let root = (rows as f64).sqrt();
        quantile(1.0 - level.sqrt()) / (root + 0.12 + 0.11 / root)
    };
    let (width, height) = (half_width(all.neg), half_width(all.pos));
    let rates = even_rates(n_points);
    let shifted = |by: f64| Sweep::Vertical(rates.iter().map(|rate| (rate + by).min(1.0)).collect());
    let read = |sweep: Sweep, counts: &[Count]| sweep.read(counts).unwrap_or_default();
    // Reversing the curve maps its lowest points to its highest ones.
    let reversed: Vec<Count> = counts.iter().rev().copied().collect();
    let mut below = read(shifted(width), &reversed);
    below.reverse();
    let upper = read(shifted(width), counts).iter().map(|tpr| tpr + height).collect();
    let lower = below.iter().map(|tpr| 1.0 - tpr - height).collect();
    let means = read(Sweep::Vertical(rates.clone()), counts);
    (rates, means, Limits { lower, upper })
}

/// The upper quantile of Kolmogorov's limiting distribution.
fn quantile(probability: f64) -> f64 {
    // The tail decreases from 1 to 0 in this range; 100 bisections reach adjacent floats.
    let (mut low, mut high) = (0.0, 20.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if upper_tail(middle) > probability { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_kolmogorov() {
        assert!((quantile(0.05) - 1.358_098_639_322_595_3).abs() < 1e-12);
        assert!((quantile(0.27) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn boxes_about_the_curve() {
        // Through (0, 1/2), (1/2, 1/2), (1/2, 1), (1, 1), with many rows.
        let counts = [(5000, 0), (0, 5000), (5000, 0), (0, 5000)].map(|(pos, neg)| Count { pos, neg });
        let (_, means, limits) = limits(&counts, 0.95, 101);
        let reach = quantile(1.0 - 0.95f64.sqrt()) / (100.0 + 0.12 + 0.0011);
        assert!((0.014..0.016).contains(&reach));
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-12, "{got} {expected}");
        near(means[30], 0.5);
        near(limits.upper[30], 0.5 + reach);
        near(limits.lower[30], 0.5 - reach);
        // At one place before the step and one behind it, the step is within the boxes; at two places it is
        // not.
        near(limits.upper[49], 1.0 + reach);
        near(limits.upper[48], 0.5 + reach);
        near(limits.lower[51], 0.5 - reach);
        near(limits.lower[52], 1.0 - reach);
        near(limits.lower[1], 0.0 - reach);
    }
}
