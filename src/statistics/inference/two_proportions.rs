//! The difference and the ratio of two independent proportions.

use crate::math::{binomial::wilson, normal::upper_quantile, root};

/// Ratios with logarithms beyond this size are treated as 0 and as infinite.
const MAX_LOG: f64 = 200.0;

/// A number of successes in at least one trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proportion {
    /// Successes.
    pub successes: u64,
    /// Trials.
    pub trials: u64,
}

impl Proportion {
    /// The share of successes.
    pub fn share(self) -> f64 {
        self.successes as f64 / self.trials as f64
    }
}

/// The limits of the difference of two proportions from the Wilson limits of each (Newcombe 1998, Interval
/// estimation for the difference between independent proportions, method 10).
pub fn newcombe(a: Proportion, b: Proportion, level: f64) -> (f64, f64) {
    let [limits_a, limits_b] =
        [a, b].map(|proportion| wilson(proportion.successes, proportion.trials, level));
    let (p, q) = (a.share(), b.share());
    let difference = p - q;
    (difference - (p - limits_a.0).hypot(limits_b.1 - q), difference + (limits_a.1 - p).hypot(q - limits_b.0))
}

/// The distance of the first proportion above a multiple of the second, in standard errors. The variance is
/// the constrained maximum likelihood estimate for that multiple, times `N / (N - 1)` (Miettinen and Nurminen
/// 1985, equations 4 and 10).
pub fn miettinen_nurminen_z(a: Proportion, b: Proportion, ratio: f64) -> f64 {
    let [x, m, y, n] = [a.successes, a.trials, b.successes, b.trials].map(|count| count as f64);
    let all = m + n;
    let distance = a.share() - ratio * b.share();
    // The smaller root of `all ratio q² - (m ratio + x + n + y ratio) q + x + y`, without cancellation.
    let half = 0.5 * (m * ratio + x + n + y * ratio);
    let root_of_square = (half * half - all * ratio * (x + y)).max(0.0).sqrt();
    let q = if x + y > 0.0 { ((x + y) / (half + root_of_square)).min(1.0) } else { 0.0 };
    let p = (ratio * q).min(1.0);
    let variance = (p * (1.0 - p) / m + ratio * ratio * q * (1.0 - q) / n) * (all / (all - 1.0));
    if distance == 0.0 { 0.0 } else { distance / variance.sqrt() }
}

/// The score limits of the ratio of two proportions (Miettinen and Nurminen 1985). Without successes of the
/// second the upper limit is infinite; at least one success is required.
pub fn miettinen_nurminen(a: Proportion, b: Proportion, level: f64) -> (f64, f64) {
    let errors = upper_quantile(0.5 * (1.0 - level));
    // The score decreases as the ratio increases.
    let limit =
        |errors: f64| root(-MAX_LOG, MAX_LOG, |log| errors - miettinen_nurminen_z(a, b, log.exp())).exp();
    let lower = if a.successes == 0 { 0.0 } else { limit(errors) };
    let upper = if b.successes == 0 { f64::INFINITY } else { limit(-errors) };
    (lower, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn proportion(successes: u64, trials: u64) -> Proportion {
        Proportion { successes, trials }
    }

    /// R's ratesci 1.0.0, and Newcombe's example.
    #[test]
    fn known_limits() {
        let close = |got: (f64, f64), expected: (f64, f64)| {
            assert!((got.0 - expected.0).abs() < 1e-9 && (got.1 - expected.1).abs() < 1e-9, "{got:?}");
        };
        close(newcombe(proportion(56, 70), proportion(48, 80), 0.95), (0.052431472402365, 0.333872654036906));
        close(newcombe(proportion(0, 10), proportion(0, 20), 0.95), (-0.161125158052819, 0.277532799862889));
        close(newcombe(proportion(10, 10), proportion(0, 10), 0.95), (0.607509350430524, 1.0));
        close(
            miettinen_nurminen(proportion(10, 20), proportion(10, 21), 0.95),
            (0.550170770041097, 2.00166274796348),
        );
    }

    #[test]
    fn without_successes() {
        let (lower, upper) = miettinen_nurminen(proportion(0, 10), proportion(5, 10), 0.95);
        assert!(lower == 0.0 && upper > 0.3 && upper < 1.0, "{upper}");
        let (lower, upper) = miettinen_nurminen(proportion(5, 10), proportion(0, 10), 0.95);
        assert!(upper == f64::INFINITY && lower > 1.0 && lower < 3.0, "{lower}");
        let (lower, upper) = miettinen_nurminen(proportion(9, 9), proportion(7, 7), 0.95);
        assert!(lower < 1.0 && upper > 1.0 && upper.is_finite(), "{lower} {upper}");
        assert_eq!(miettinen_nurminen_z(proportion(9, 9), proportion(7, 7), 1.0), 0.0);
    }

    proptest! {
        /// The limits contain the ratio, the score at a limit is the quantile, and exchanged proportions have
        /// reciprocal limits.
        #[test]
        fn limits_match_the_score(a in 1u64..30, m in 0u64..30, b in 1u64..30, n in 0u64..30) {
            let (a, b) = (proportion(a, a + m), proportion(b, b + n));
            prop_assume!(a.trials + b.trials > 2);
            let (lower, upper) = miettinen_nurminen(a, b, 0.9);
            let ratio = a.share() / b.share();
            prop_assert!(lower <= ratio && ratio <= upper, "{lower} {upper}");
            for (limit, errors) in [(lower, 1.6448536269514722), (upper, -1.6448536269514722)] {
                prop_assert!((miettinen_nurminen_z(a, b, limit) - errors).abs() < 1e-9);
            }
            let (other_lower, other_upper) = miettinen_nurminen(b, a, 0.9);
            prop_assert!((other_lower * upper - 1.0).abs() < 1e-9 && (other_upper * lower - 1.0).abs() < 1e-9);
        }
    }
}
