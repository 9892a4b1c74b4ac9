//! Intervals of a binomial proportion.
//!
//! The exact limits invert the tail of the binomial distribution. The tail is summed directly, with positive
//! terms, because the incomplete beta function of `statrs` is off by 1e-8 at 10^7 trials.

use std::f64::consts::PI;

use super::normal;

/// From here on, five terms of Stirling's series have an error below 1e-16.
const STIRLING_FROM: u64 = 16;

/// The maximum number of Newton steps; convergence is quadratic, so few are needed.
const MAX_STEPS: usize = 200;

/// The exact interval of a proportion: all probabilities for which both tails beyond the observation are at
/// least `(1 - level) / 2`. NaN without trials.
///
/// Clopper and Pearson (1934). The limits are quantiles of beta distributions; the time grows with the square
/// root of the trials.
pub fn clopper_pearson(successes: u64, trials: u64, level: f64) -> (f64, f64) {
    if trials == 0 || successes > trials || !(level > 0.0 && level < 1.0) {
        return (f64::NAN, f64::NAN);
    }
    let tail = 0.5 * (1.0 - level);
    // The lower limit for the failures gives the upper limit for the successes.
    let (lower, _) = lower_limit(successes, trials, tail);
    let (_, upper) = lower_limit(trials - successes, trials, tail);
    (lower, upper)
}

/// The lower limit of [`clopper_pearson`] with this probability beyond it, and 1 minus the limit, if it is
/// above the probability p, with `q = 1 - p`. Most limits below p are recognised in constant time.
pub fn lower_limit_above(successes: u64, trials: u64, tail: f64, (p, q): (f64, f64)) -> Option<(f64, f64)> {
    let failures = trials - successes;
    if successes as f64 * q <= failures as f64 * p {
        return None;
    }
    // The tail at p includes the probability of exactly this number.
    if failures > 0 && Pmf::new(successes, trials).log(p, q) >= tail.ln() {
        return None;
    }
    let limit = lower_limit(successes, trials, tail);
    (limit.0 > p || limit.1 < q).then_some(limit)
}

/// The interval of a proportion by inversion of the score test: all probabilities within `z` standard errors
/// of the observed share. NaN without trials.
///
/// Wilson (1927), without correction for continuity.
pub fn wilson(successes: u64, trials: u64, level: f64) -> (f64, f64) {
    if trials == 0 || successes > trials || !(level > 0.0 && level < 1.0) {
        return (f64::NAN, f64::NAN);
    }
    let failures = trials - successes;
    if successes > failures {
        // Only one side is computed: the interval of the failures is the exact mirror image.
        let (lower, upper) = wilson(failures, trials, level);
        return (1.0 - upper, 1.0 - lower);
    }
    wilson_of_share(successes as f64, failures as f64, normal::upper_quantile(0.5 * (1.0 - level)))
}

/// The same for fractional numbers of successes and failures, the smaller number first.
fn wilson_of_share(k: f64, failures: f64, z: f64) -> (f64, f64) {
    let n = k + failures;
    let spread = z * (k * (failures / n) + 0.25 * z * z).sqrt();
    let upper = (k + 0.5 * z * z + spread) / (n + z * z);
    // The other root from the product of both, which does not cancel, and is 0 without successes.
    (k * k / (n * (n + z * z)) / upper, upper)
}

/// Wilson's interval of a proportion with the variance of `trials` trials, possibly fractional: the effective
/// number, if there is additional variance (Korn and Graubard 1998). The limits are at a distance of `errors`
/// standard errors. NaN is preserved.
pub fn wilson_effective(share: f64, trials: f64, errors: f64) -> (f64, f64) {
    if share > 0.5 {
        let (lower, upper) = wilson_of_share((1.0 - share) * trials, share * trials, errors);
        return (1.0 - upper, 1.0 - lower);
    }
    wilson_of_share(share * trials, (1.0 - share) * trials, errors)
}

/// The probability p, and 1 - p, for which the probability of at least this number of successes is `tail`; 0
/// without successes.
///
/// Newton's method on the logarithm of the tail as a function of the log odds of p. The function is concave,
/// so all steps after the first approach from the left.
fn lower_limit(successes: u64, trials: u64, tail: f64) -> (f64, f64) {
    if successes == 0 {
        return (0.0, 1.0);
    }
    if successes == trials {
        let log = tail.ln() / trials as f64;
        return (log.exp(), -log.exp_m1());
    }
    let pmf = Pmf::new(successes, trials);
    let mut log_odds = (successes as f64 / (trials - successes) as f64).ln();
    let both = |log_odds: f64| (1.0 / (1.0 + (-log_odds).exp()), 1.0 / (1.0 + log_odds.exp()));
    for _ in 0..MAX_STEPS {
        let (p, q) = both(log_odds);
        let times = pmf.tail_by_first(p / q);
        let surplus = pmf.log(p, q) + times.ln() - tail.ln();
        let step = surplus * times / (successes as f64 * q);
        log_odds -= step;
        if step.abs() <= 4.0 * f64::EPSILON * log_odds.abs().max(1.0) {
            break;
        }
    }
    both(log_odds)
}

/// The probability of at least this number of successes, each with probability p. The time grows with the
/// square root of the trials.
pub fn upper_tail(successes: u64, trials: u64, p: f64) -> f64 {
    if successes == 0 || p >= 1.0 {
        return 1.0;
    }
    if p <= 0.0 {
        return 0.0;
    }
    if successes == trials {
        return (trials as f64 * p.ln()).exp();
    }
    // Terms decrease from the first on only beyond the mean.
    if successes as f64 <= trials as f64 * p {
        return 1.0 - upper_tail(trials - successes + 1, trials, 1.0 - p);
    }
    let pmf = Pmf::new(successes, trials);
    pmf.log(p, 1.0 - p).exp() * pmf.tail_by_first(p / (1.0 - p))
}

/// The probability of a number of successes, neither none nor all, as a function of p.
///
/// Relative to the most probable number, after Loader (2000), so that logarithms of large factorials, which
/// would cancel, are avoided.
struct Pmf {
    successes: u64,
    trials: u64,
    /// The log probability at p = successes / trials.
    log_max: f64,
}

impl Pmf {
    fn new(successes: u64, trials: u64) -> Self {
        let failures = trials - successes;
        let (k, n) = (successes as f64, trials as f64);
        let log_max = stirling_error(trials)
            - stirling_error(successes)
            - stirling_error(failures)
            - 0.5 * (2.0 * PI * k * (failures as f64 / n)).ln();
        Pmf { successes, trials, log_max }
    }

    /// The log probability of exactly this number of successes.
    fn log(&self, p: f64, q: f64) -> f64 {
        let (k, n) = (self.successes as f64, self.trials as f64);
        self.log_max - deviance(k, n * p) - deviance((self.trials - self.successes) as f64, n * q)
    }

    /// The probability of at least this number of successes, divided by the probability of exactly this
    /// number.
    fn tail_by_first(&self, odds: f64) -> f64 {
        let (mut term, mut sum) = (1.0, 1.0);
        let (mut failures, mut next) = ((self.trials - self.successes) as f64, self.successes as f64 + 1.0);
        while failures > 0.0 {
            let ratio = failures / next * odds;
            term *= ratio;
            sum += term;
            // The ratios decrease, so the remainder is less than a geometric series.
            if ratio < 1.0 && term * ratio < (1.0 - ratio) * (f64::EPSILON / 8.0) * sum {
                break;
            }
            failures -= 1.0;
            next += 1.0;
        }
        sum
    }
}

/// `x ln(x / mean) + mean - x`, without cancellation for x near the mean.
fn deviance(x: f64, mean: f64) -> f64 {
    let v = (x - mean) / (x + mean);
    if v.abs() > 0.1 {
        return x * (x / mean).ln() + mean - x;
    }
    // x / mean = (1 + v) / (1 - v), with the logarithm 2 (v + v³ / 3 + v⁵ / 5 + ...).
    let (mut power, mut odd, mut sum) = (v, 1.0, v * (x - mean));
    loop {
        power *= v * v;
        odd += 2.0;
        let more = sum + 2.0 * x * power / odd;
        if more == sum {
            return sum;
        }
        sum = more;
    }
}

/// `ln(n!) - ln(√(2πn) (n / e)^n)` for positive n: the error of Stirling's formula.
fn stirling_error(n: u64) -> f64 {
    let x = n as f64;
    if n < STIRLING_FROM {
        let factorial: f64 = (1..=n).map(|factor| factor as f64).product();
        return factorial.ln() - ((x + 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln());
    }
    let square = 1.0 / (x * x);
    let series = [1.0 / 1188.0, -1.0 / 1680.0, 1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0];
    series.into_iter().fold(0.0, |sum, term| sum * square + term) / x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(got: f64, expected: f64, relative: f64) -> bool {
        got == expected || (got / expected - 1.0).abs() <= relative
    }

    /// scipy.stats.beta.ppf and isf, and binomtest(k, n).proportion_ci(level, method="wilson"), 1.17.1;
    /// scipy.stats.binom.sf(k - 1, n, p). The upper limit of 1 of 10^7 is from 60-digit decimals, since isf
    /// is off by 7e-11 there.
    #[test]
    fn upper_tails() {
        for (k, n, p, expected) in [
            (1, 4, 0.1, 0.3439),
            (3, 4, 0.4, 0.1792),
            (4, 4, 0.5, 0.0625),
            (0, 4, 0.5, 1.0),
            (2, 4, 0.0, 0.0),
            (2, 4, 1.0, 1.0),
            (1, 10, 0.9, 0.999_999_999_9),
        ] {
            assert!((upper_tail(k, n, p) - expected).abs() < 1e-14, "{k} of {n} with {p}");
        }
    }

    #[test]
    fn known_limits() {
        const TEN_MILLION: u64 = 10_000_000;
        for (k, n, level, exact, score) in [
            (
                1,
                10,
                0.95,
                (0.002_528_578_544_461_786_5, 0.445_016_117_028_195_4),
                (0.017_876_213_095_072_896, 0.404_150_026_795_238_5),
            ),
            (
                3,
                10,
                0.95,
                (0.066_739_511_177_734_5, 0.652_452_850_059_997_3),
                (0.107_791_267_406_301_02, 0.603_221_852_538_854_6),
            ),
            (
                9,
                10,
                0.99,
                (0.455_712_943_100_313_2, 0.999_498_871_424_535_4),
                (0.492_768_228_767_106_46, 0.988_148_496_588_967_1),
            ),
            (0, 10, 0.95, (0.0, 0.308_497_107_818_760_7), (0.0, 0.277_532_799_862_889_26)),
            (10, 10, 0.95, (0.691_502_892_181_239_2, 1.0), (0.722_467_200_137_110_9, 1.0)),
            (
                123,
                1000,
                0.95,
                (0.103_276_909_641_417_7, 0.144_972_238_673_568_43),
                (0.104_074_143_251_072_96, 0.144_811_232_647_035_6),
            ),
            (
                2,
                3,
                0.999_999,
                (0.000_408_303_864_933_908_35, 0.999_999_833_333_305_6),
                // Wilson's formula at norm.isf: binomtest uses the quantile of 1 - 5e-7, which is rounded.
                (0.050_168_338_106_124_845, 0.986_967_553_330_312_6),
            ),
            (
                7,
                8,
                0.01,
                (0.797_157_215_594_550_1, 0.918_145_314_512_182_1),
                (0.873_527_134_141_806_5, 0.876_458_139_160_687_6),
            ),
            (
                16,
                33,
                0.95,
                (0.307_963_443_604_732_2, 0.664_555_521_611_444_2),
                (0.325_040_421_081_336_96, 0.647_816_245_510_858_5),
            ),
            (
                1,
                TEN_MILLION,
                0.95,
                (2.531_780_795_224_032_4e-9, 5.571_642_117_360_73e-7),
                (1.765_245_571_161_743_4e-8, 5.664_932_019_606_462e-7),
            ),
            (
                10_000,
                TEN_MILLION,
                0.95,
                (0.000_980_504_762_309_166_6, 0.001_019_785_066_511_183_3),
                (0.000_980_600_917_084_522, 0.001_019_782_460_358_510_8),
            ),
            (
                TEN_MILLION / 2,
                TEN_MILLION,
                0.95,
                (0.499_690_052_521_371_1, 0.500_309_947_478_628_9),
                (0.499_690_102_543_370_65, 0.500_309_897_456_629_3),
            ),
            (0, TEN_MILLION, 0.95, (0.0, 3.688_878_773_722_437_6e-7), (0.0, 3.841_457_345_014_105e-7)),
            (TEN_MILLION, TEN_MILLION, 0.95, (0.999_999_631_112_122_6, 1.0), (0.999_999_615_854_265_6, 1.0)),
        ] {
            for (name, got, expected) in
                [("exact", clopper_pearson(k, n, level), exact), ("score", wilson(k, n, level), score)]
            {
                assert!(close(got.0, expected.0, 1e-12), "{name} {k} of {n}: {got:?} against {expected:?}");
                assert!(close(got.1, expected.1, 1e-12), "{name} {k} of {n}: {got:?} against {expected:?}");
            }
        }
    }

    #[test]
    fn limits_above_a_probability() {
        for (k, n, tail) in [(0, 5, 0.1), (1, 5, 1e-9), (3, 5, 0.4), (5, 5, 1e-4), (40, 1000, 1e-6)] {
            let limit = lower_limit(k, n, tail);
            for p in [0.0, 1e-6, 0.01, 0.03, 0.2, 0.5, 0.9, 1.0] {
                let expected = (limit.0 > p).then_some(limit);
                assert_eq!(lower_limit_above(k, n, tail, (p, 1.0 - p)), expected, "{k} of {n} above {p}");
            }
            assert_eq!(lower_limit_above(k, n, tail, limit), None);
        }
    }

    #[test]
    fn undefined() {
        for (k, n, level) in [(0, 0, 0.95), (3, 2, 0.95), (1, 2, 0.0), (1, 2, 1.0), (1, 2, f64::NAN)] {
            for (lower, upper) in [clopper_pearson(k, n, level), wilson(k, n, level)] {
                assert!(lower.is_nan() && upper.is_nan(), "{k} {n} {level}");
            }
        }
    }

    /// P(X >= k) by definition.
    fn tail(k: u64, n: u64, p: f64) -> f64 {
        (k..=n)
            .map(|x| {
                let ways: f64 = (0..x).map(|i| (n - i) as f64 / (x - i) as f64).product();
                ways * p.powi(x as i32) * (1.0 - p).powi((n - x) as i32)
            })
            .sum()
    }

    proptest! {
        #[test]
        fn tails_have_half_of_the_rest(n in 1u64..80, share in 0.0..=1.0f64, level in 0.001..0.999_9f64) {
            let k = (share * n as f64).round() as u64;
            let half = 0.5 * (1.0 - level);
            let (lower, upper) = clopper_pearson(k, n, level);
            if k > 0 {
                prop_assert!(close(tail(k, n, lower), half, 1e-9), "{lower}");
            }
            if k < n {
                // As failures, so that p close to 1 does not cancel.
                let (other, _) = clopper_pearson(n - k, n, level);
                prop_assert!(close(tail(n - k, n, other), half, 1e-9), "{upper}");
                prop_assert!((1.0 - other - upper).abs() < 1e-15);
            }
        }

        #[test]
        fn score_test_at_the_limits(n in 1u64..10_000, share in 0.0..=1.0f64, level in 0.001..0.999_9f64) {
            let k = (share * n as f64).round() as u64;
            let observed = k as f64 / n as f64;
            let z = normal::upper_quantile(0.5 * (1.0 - level));
            let (lower, upper) = wilson(k, n, level);
            prop_assert!(0.0 <= lower && lower <= observed && observed <= upper && upper <= 1.0);
            for p in [lower, upper] {
                let distance = (observed - p).powi(2) - z * z * p * (1.0 - p) / n as f64;
                prop_assert!(distance.abs() < 1e-13, "{p}: {distance}");
            }
        }

        #[test]
        fn intervals_are_nested_and_contain_the_share(n in 1u64..1_000_000_000_000, share in 0.0..=1.0f64) {
            let n = n.min(10_000_000);
            let k = (share * n as f64).round() as u64;
            let (inner, outer) = (clopper_pearson(k, n, 0.5), clopper_pearson(k, n, 0.95));
            let observed = k as f64 / n as f64;
            prop_assert!(outer.0 <= inner.0 && inner.0 <= observed && observed <= inner.1 && inner.1 <= outer.1);
        }
    }
}
