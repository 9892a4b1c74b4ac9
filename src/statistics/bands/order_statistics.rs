//! Distribution-free limits of the curve at each rate, from order statistics of both classes.

use crate::math::{binomial::clopper_pearson, first};
use crate::ranking::ties::{Count, counts::steps};
use crate::statistics::curve_samples::{
    curve_sample::{BandAtRates, Limits},
    sweep::{Sweep, even_rates},
};

/// Rates from 0 to 1, the curve there, and pointwise limits of its tpr (after Hilgers 1991).
///
/// Consider the share of the negatives' population above the j-th highest of N negatives. Its distribution is
/// Beta(j, N - j + 1) for any continuous distribution of scores. With ties a bound from it is conservative.
/// There is thus a negative above which at most the share x lies with probability q, and another above which
/// at least x lies. The tpr at both thresholds is bounded by Beta quantiles from the order statistics of the
/// positives (Clopper and Pearson 1934). The classes are independent, so both bounds of a side hold with
/// `q² = (1 + level) / 2`. Both sides then hold with `level`, for all distributions and numbers of rows.
pub fn limits(counts: &[Count], level: f64, n_points: u32) -> BandAtRates {
    let all = Count::sum(counts);
    // The error of a single bound is one tail of an interval of this level.
    let level_of_each = 2.0 * (0.5 * (1.0 + level)).sqrt() - 1.0;
    let bounds = |rows: u64, trials: u64| clopper_pearson(rows, trials, level_of_each);
    let (fp, tp): (Vec<u64>, Vec<u64>) = steps(counts).map(|step| (step.fp(), step.tp())).unzip();
    // Positives above the n-th negative, and positives not below it.
    let positives = |negative: u64| {
        let step = fp.partition_point(|&fp| fp < negative);
        let before = step.checked_sub(1).map_or(0, |before| tp[before]);
        (before, tp.get(step).copied())
    };
    let at = |rate: f64| -> (f64, f64) {
        let surely_below = first(all.neg as usize + 1, |fp| bounds(fp as u64, all.neg).1 > rate) as u64;
        let lower = match surely_below.checked_sub(1) {
            Some(fp) => bounds(positives(fp + 1).0, all.pos).0,
            None => 0.0,
        };
        // The curve at 0 is its point before the first negative.
        let surely_above = first(all.neg as usize + 1, |fp| bounds(fp as u64, all.neg).0 >= rate).max(1);
        (lower, positives(surely_above as u64).1.map_or(1.0, |tp| bounds(tp, all.pos).1))
    };
    let rates = even_rates(n_points);
    let means = Sweep::Vertical(rates.clone()).read(counts).unwrap_or_default();
    let (lower, upper) = rates.iter().map(|&rate| at(rate)).unzip();
    (rates, means, Limits { lower, upper })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Stream;

    #[test]
    fn bounds_of_a_step_curve() {
        // Ten negatives and ten positives alternate, starting with a positive.
        let counts: Vec<Count> = (0..20)
            .map(|index| Count { pos: u64::from(index % 2 == 0), neg: u64::from(index % 2 == 1) })
            .collect();
        let (rates, means, limits) = limits(&counts, 0.9, 11);
        let tails = 2.0 * 0.95f64.sqrt() - 1.0;
        for (index, &rate) in rates.iter().enumerate() {
            assert!((means[index] - (0.1 * (index as f64 + 1.0)).min(1.0)).abs() < 1e-12);
            // Counted from the other end: the maximum number of negatives whose upper bound is not above the
            // rate.
            let under = (0..=10).rev().find(|&fp| clopper_pearson(fp, 10, tails).1 <= rate);
            // Above the next negative there is one more positive than negatives.
            let lower = under.map_or(0.0, |fp| clopper_pearson((fp + 1).min(10), 10, tails).0);
            assert_eq!(limits.lower[index], lower);
            let over = (1..=10).find(|&fp| clopper_pearson(fp, 10, tails).0 >= rate);
            assert_eq!(limits.upper[index], over.map_or(1.0, |fp| clopper_pearson(fp, 10, tails).1));
        }
        assert_eq!((limits.lower[0], limits.upper[10]), (0.0, 1.0));
    }

    /// At a fixed rate, the coverage of the chance curve is at least the nominal level.
    #[test]
    fn limits_hold_at_each_rate() {
        let mut missed = [0; 5];
        for seed in 0..400 {
            let mut labels: Vec<bool> = (0..70).map(|row| row < 30).collect();
            Stream::new(seed, 3).shuffle(&mut labels);
            let counts: Vec<Count> =
                labels.iter().map(|&pos| Count { pos: u64::from(pos), neg: u64::from(!pos) }).collect();
            let (rates, _, limits) = limits(&counts, 0.8, 7);
            for (missed, index) in missed.iter_mut().zip(1..6) {
                let inside = limits.lower[index] <= rates[index] && rates[index] <= limits.upper[index];
                *missed += i32::from(!inside);
            }
        }
        // A fifth of 400, plus three standard errors.
        assert!(missed.iter().all(|&missed| missed <= 80 + 24), "{missed:?}");
        assert!(missed.iter().sum::<i32>() > 20, "{missed:?}");
    }
}
