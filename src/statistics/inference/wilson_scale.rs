//! Wilson-type limits and tests of an area, with the variance under the tested area.

use super::interval::{Interval, tail};
use crate::math::{root, student_t};
use crate::ranking::ties::Count;

/// The weight of the model's variance in the average with DeLong's, as rows of the rarer class.
///
/// With 2, tails of 2.5 % exceed 3.5 % if positives have twice the spread of negatives
/// (benches/small_segments.py). With 10, intervals of AUCs near 1 are wider than needed up to thousands of
/// rows.
const MODEL_ROWS: f64 = 3.0;

/// Added to the degrees of freedom of the rarer class: part of the variance comes from the model and is not
/// estimated.
const MODEL_DF: f64 = 3.0;

/// An area from 0 to 1, and its variance as a function of the true area.
///
/// The limits are the areas `x` with `|A - x| = t sqrt(r V(x))`. This is Wilson's construction (1927) as in
/// Newcombe's method 5 (2006), which never collapses to a point.
///
/// ```text
/// V(x) = x (1 - x) (1 + (b - 1) g + (a - 1) (g + h) / 2) / (P N)
/// g = m / (1 + m), h = (1 - m) / (2 - m), m = max(x, 1 - x), a = min(P, N), b = max(P, N)
/// ```
///
/// `V` is the variance of Hanley and McNeil (1982) for exponential scores, with one change. The larger of its
/// two terms, g and h, is used for the rarer class, and their mean for the other. The variance is thus
/// symmetric in the classes, and exact for equal distributions at `x = 1/2`. The ratio
/// `r = (k S² / V(A) + 3) / (k + 3)`, or `S² / V(A)` if larger, scales it to the estimated variance S². The
/// weight of S² grows with the number of discordant pairs: `k = 4 A (1 - A) P N / (P + N)`. The quantile t is
/// Student's with `min(P, N) + 2` degrees of freedom.
///
/// For weighted rows, P and N are Kish's effective numbers (1965), `(sum w)² / sum w²`. For clustered rows, k
/// and the degrees of freedom count clusters. V also counts clusters if no pair is discordant, since the
/// correlation is then unknown.
#[derive(Clone, Copy, Debug)]
pub struct WilsonScale {
    area: f64,
    variance: f64,
    /// The estimated variance divided by the model's, averaged with 1.
    ratio: f64,
    rows: Count<f64>,
    /// The degrees of freedom of Student's t.
    pub df: f64,
}

/// The numbers of positives and negatives behind an area.
#[derive(Clone, Copy, Debug, Default)]
pub struct SampleSize {
    /// Rows, or their effective number with weights.
    pub rows: Count<f64>,
    /// Independent units of either class: rows, or clusters.
    pub units: Count<f64>,
}

/// The weights of rows.
#[derive(Clone, Copy, Debug)]
pub struct WeightTotals {
    /// The sums of either class.
    pub sums: Count<f64>,
    /// The sums of the squares.
    pub squares: Count<f64>,
}

impl WeightTotals {
    /// The weights without a subset of the rows.
    pub fn without(self, part: Self) -> Self {
        let difference =
            |all: Count<f64>, part: Count<f64>| Count { pos: all.pos - part.pos, neg: all.neg - part.neg };
        WeightTotals {
            sums: difference(self.sums, part.sums),
            squares: difference(self.squares, part.squares),
        }
    }
}

impl SampleSize {
    /// Independent rows.
    pub fn from_rows(rows: Count) -> Self {
        let rows = Count { pos: rows.pos as f64, neg: rows.neg as f64 };
        SampleSize { rows, units: rows }
    }

    /// Independent weighted rows: Kish's effective numbers.
    pub fn from_weights(WeightTotals { sums, squares }: WeightTotals) -> Self {
        let rows = Count { pos: sums.pos * sums.pos / squares.pos, neg: sums.neg * sums.neg / squares.neg };
        SampleSize { rows, units: rows }
    }

    /// The same rows in these numbers of clusters per class.
    pub fn in_clusters(self, clusters: Count) -> Self {
        SampleSize { units: Count { pos: clusters.pos as f64, neg: clusters.neg as f64 }, ..self }
    }

    /// Both samples together.
    pub fn plus(self, other: Self) -> Self {
        let sum = |a: Count<f64>, b: Count<f64>| Count { pos: a.pos + b.pos, neg: a.neg + b.neg };
        SampleSize { rows: sum(self.rows, other.rows), units: sum(self.units, other.units) }
    }

    /// The same rows in at most this number of clusters.
    pub fn with_most_units(self, units: u64) -> Self {
        let Count { pos, neg } = self.units;
        SampleSize { units: Count { pos: pos.min(units as f64), neg: neg.min(units as f64) }, ..self }
    }

    /// The degrees of freedom of the variance of an area.
    fn df(self) -> f64 {
        self.units.pos.min(self.units.neg) - 1.0 + MODEL_DF
    }
}

impl WilsonScale {
    /// The area with its estimated variance.
    pub fn new(area: f64, variance: f64, size: SampleSize) -> Self {
        let SampleSize { rows, units } = size;
        let is_separated = area == 0.0 || area == 1.0;
        let rows = if is_separated { units } else { rows };
        let scale = model_scale(area, rows);
        let units = 4.0 * units.pos * units.neg / (units.pos + units.neg);
        let spread = area * (1.0 - area);
        let ratio = (units * variance / scale + MODEL_ROWS) / (units * spread + MODEL_ROWS);
        let observed = if is_separated { 0.0 } else { variance / (scale * spread) };
        let ratio = if observed > ratio { observed } else { ratio };
        WilsonScale { area, variance, ratio, rows, df: size.df() }
    }

    /// The variance for this true area.
    pub fn variance_at(&self, area: f64) -> f64 {
        self.scale_at(area) * area * (1.0 - area)
    }

    /// The variance divided by `area (1 - area)`.
    fn scale_at(&self, area: f64) -> f64 {
        self.ratio * model_scale(area, self.rows)
    }

    /// The area below the estimate at a distance of this number of its standard errors.
    pub fn lower(&self, errors: f64) -> f64 {
        self.limit(0.0, errors)
    }

    /// The area above the estimate at a distance of this number of its standard errors.
    pub fn upper(&self, errors: f64) -> f64 {
        self.limit(1.0, errors)
    }

    fn limit(&self, end: f64, errors: f64) -> f64 {
        // The standardised distance decreases from the end to the estimate.
        let square = errors * errors;
        let from_end = |distance: f64| {
            let x = end + distance * (self.area - end);
            square * self.variance_at(x) - (self.area - x).powi(2)
        };
        if self.area == end {
            return end;
        }
        // An area of 1 has variance 0, hence standardised distance 0 from itself; the limit is the other
        // root.
        let nearest = if self.area == 1.0 - end { 1.0 - f64::EPSILON } else { 1.0 };
        end + root(0.0, nearest, from_end) * (self.area - end)
    }

    /// The limits of coverage `level`, with the estimated standard error.
    pub fn interval(&self, level: f64) -> Interval {
        let errors = student_t::upper_quantile(tail(level), self.df);
        let (lower, upper) = (self.lower(errors), self.upper(errors));
        Interval { se: Some(self.variance.sqrt()), lower: Some(lower), upper: Some(upper) }
    }

    /// The distance of the estimate above a true area, in standard errors under that area.
    pub fn above(&self, area: f64) -> f64 {
        let distance = self.area - area;
        // True areas outside [0, 1] are as impossible as 0 or 1.
        let variance = self.variance_at(area.clamp(0.0, 1.0));
        if distance == 0.0 { 0.0 } else { distance / variance.sqrt() }
    }
}

/// The model's variance of an area divided by `area (1 - area)`.
fn model_scale(area: f64, rows: Count<f64>) -> f64 {
    let farther = area.max(1.0 - area);
    let (rarer, other) = (rows.pos.min(rows.neg), rows.pos.max(rows.neg));
    let (larger, smaller) = (farther / (1.0 + farther), (1.0 - farther) / (2.0 - farther));
    (1.0 + (other - 1.0) * larger + (rarer - 1.0) * 0.5 * (larger + smaller)) / (rarer * other)
}

/// The difference of two areas from their scales, with limits by Newcombe's square-and-add (MOVER).
///
/// The lower limit of `A - B` is `A - B - sqrt(a² + b² - 2 c a b)`. Here `a` is the distance from A to its
/// lower limit and `b` from B to its upper limit, both at quantile t, and c is the correlation. The sources
/// are Newcombe (1998, method 10), Zou and Donner (2008), and Zou (2007) for the correlation. The test
/// statistic of a value is the t whose limit is that value, so interval and test agree. The degrees of
/// freedom are Welch-Satterthwaite's, from the variances at the mean of both areas.
///
/// With a correlation the square root need not increase with t: at large t all limits approach 0 and 1, and
/// the distances become equal. It is therefore bounded below by t standard errors of the difference, from the
/// variances at the mean of both areas.
#[derive(Clone, Copy, Debug)]
pub struct WilsonDifference {
    first: WilsonScale,
    versus: WilsonScale,
    correlation: f64,
    /// The standard error of the difference at the mean area; 0 without a correlation.
    min_error: f64,
    /// The degrees of freedom of Student's t.
    pub df: f64,
}

/// Beyond this statistic the tail underflows.
const MAX_ERRORS: f64 = 1e160;

impl WilsonDifference {
    /// The difference of two areas with this covariance.
    pub fn new(first: WilsonScale, versus: WilsonScale, covariance: f64) -> Self {
        let product = (first.variance * versus.variance).sqrt();
        let correlation = if product > 0.0 { (covariance / product).clamp(-1.0, 1.0) } else { 0.0 };
        let weight = |scale: &WilsonScale| 1.0 / scale.scale_at(0.5);
        let (a, b) = (weight(&first), weight(&versus));
        let mean = (a * first.area + b * versus.area) / (a + b);
        let (v1, v2) = (first.scale_at(mean), versus.scale_at(mean));
        let df = (v1 + v2).powi(2) / (v1 * v1 / first.df + v2 * v2 / versus.df);
        let min_error = if correlation == 0.0 {
            0.0
        } else {
            (mean * (1.0 - mean) * (v1 + v2 - 2.0 * correlation * (v1 * v2).sqrt())).max(0.0).sqrt()
        };
        WilsonDifference { first, versus, correlation, min_error, df }
    }

    /// The first area minus the second.
    pub fn value(&self) -> f64 {
        self.first.area - self.versus.area
    }

    /// The distance from the difference down to its lower limit.
    fn below(&self, errors: f64) -> f64 {
        let distance = self.first.area - self.first.lower(errors);
        self.together(errors, distance, self.versus.upper(errors) - self.versus.area)
    }

    /// The distance from the difference up to its upper limit.
    fn beyond(&self, errors: f64) -> f64 {
        let distance = self.first.upper(errors) - self.first.area;
        self.together(errors, distance, self.versus.area - self.versus.lower(errors))
    }

    fn together(&self, errors: f64, a: f64, b: f64) -> f64 {
        let distance = (a * a + b * b - 2.0 * self.correlation * a * b).max(0.0).sqrt();
        distance.max(errors * self.min_error)
    }

    /// The limits of coverage `level`.
    pub fn limits(&self, level: f64) -> (f64, f64) {
        let errors = student_t::upper_quantile(tail(level), self.df);
        let difference = self.value();
        let limits = [difference - self.below(errors), difference + self.beyond(errors)];
        let [lower, upper] = limits.map(|limit| limit.clamp(-1.0, 1.0));
        (lower, upper)
    }

    /// The distance of the difference above a value, in standard errors.
    pub fn above(&self, value: f64) -> f64 {
        let distance = self.value() - value;
        if distance == 0.0 || distance.is_nan() {
            return distance;
        }
        let reach = |errors: f64| if distance > 0.0 { self.below(errors) } else { self.beyond(errors) };
        let mut max = 2.0;
        while reach(max) < distance.abs() && max < MAX_ERRORS {
            max *= 4.0;
        }
        root(0.0, max, |errors| reach(errors) - distance.abs()).copysign(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scale(area: f64, variance: f64, pos: u64, neg: u64) -> WilsonScale {
        WilsonScale::new(area, variance, SampleSize::from_rows(Count { pos, neg }))
    }

    /// For equal distributions of any shape: `(P + N + 1) / (12 P N)`.
    #[test]
    fn the_model_at_one_half() {
        let at_half = model_scale(0.5, Count { pos: 7.0, neg: 30.0 }) / 4.0;
        assert!((at_half - 38.0 / (12.0 * 210.0)).abs() < 1e-16);
    }

    #[test]
    fn limits_are_never_a_point() {
        for (pos, neg) in [(3, 30), (30, 3), (50, 2000)] {
            let all = scale(1.0, 0.0, pos, neg).interval(0.95);
            let none = scale(0.0, 0.0, pos, neg).interval(0.95);
            let (lower, upper) = (all.lower.unwrap(), none.upper.unwrap());
            assert_eq!((all.upper, none.lower, all.se), (Some(1.0), Some(0.0), Some(0.0)));
            assert!(lower < 0.97 && (upper - (1.0 - lower)).abs() < 1e-12, "{lower} {upper}");
        }
    }

    #[test]
    fn limits_of_large_samples_are_delong() {
        let (area, variance): (f64, f64) = (0.8, 1e-6);
        let Interval { lower, upper, .. } = scale(area, variance, 100_000, 100_000).interval(0.95);
        let margin = 1.959_963_984_540_054 * variance.sqrt();
        assert!(((area - lower.unwrap()) / margin - 1.0).abs() < 0.005);
        assert!(((upper.unwrap() - area) / margin - 1.0).abs() < 0.005);
    }

    #[test]
    fn nan_is_preserved() {
        let nan = scale(f64::NAN, f64::NAN, 5, 5);
        assert!(nan.interval(0.95).lower.unwrap().is_nan() && nan.above(0.5).is_nan());
        let difference = WilsonDifference::new(nan, scale(0.8, 0.01, 5, 5), 0.0);
        assert!(difference.limits(0.95).0.is_nan() && difference.above(0.0).is_nan());
    }

    proptest! {
        /// The definition of the limits, exchanged classes, negated scores, and agreement of test and
        /// interval.
        #[test]
        fn definition(area in 0u32..=40, spread in 0.0f64..1.5, pos in 2u64..60, neg in 2u64..60, level in 0.5f64..0.999) {
            let area = f64::from(area) / 40.0;
            let variance = spread * area * (1.0 - area) / pos.min(neg) as f64;
            let wilson = scale(area, variance, pos, neg);
            let Interval { lower: Some(lower), upper: Some(upper), .. } = wilson.interval(level) else {
                return Err(TestCaseError::fail("no limits"));
            };
            prop_assert!(0.0 <= lower && lower <= area && area <= upper && upper <= 1.0 && lower < upper);
            let t = student_t::upper_quantile(tail(level), pos.min(neg) as f64 + 2.0);
            for (limit, t) in [(lower, t), (upper, -t)] {
                if 0.0 < limit && limit < 1.0 {
                    prop_assert!((wilson.above(limit) / t - 1.0).abs() < 1e-6, "{} {}", wilson.above(limit), t);
                }
            }
            let mirrored = scale(1.0 - area, variance, neg, pos).interval(level);
            prop_assert!((mirrored.lower.unwrap() - (1.0 - upper)).abs() < 1e-9);
            prop_assert!((mirrored.upper.unwrap() - (1.0 - lower)).abs() < 1e-9);
        }

        /// Correlated areas never differ with certainty, however few the rows and whatever the correlation.
        #[test]
        fn differences_with_a_correlation(a in 1u32..40, b in 0u32..=40, pos in 2u64..9, others in 2u64..60, correlation in 0.0f64..1.0) {
            let [a, b] = [a, b].map(|area| f64::from(area) / 40.0);
            let first = scale(a, 0.5 * a * (1.0 - a) / pos as f64, pos, 12);
            let versus = scale(b, 0.5 * b * (1.0 - b) / (pos + others) as f64, pos + others, 90);
            let product = (first.variance * versus.variance).sqrt();
            let difference = WilsonDifference::new(first, versus, correlation * product);
            let statistic = difference.above(0.0);
            prop_assert!(statistic.abs() * difference.min_error <= (a - b).abs() * (1.0 + 1e-9));
            prop_assert!(product == 0.0 || difference.min_error > 0.0);
            let (lower, upper) = difference.limits(0.9);
            prop_assert!(lower <= a - b && a - b <= upper);
        }

        /// The statistic of a limit is the quantile; exchanging the areas negates it.
        #[test]
        fn differences(a in 0u32..=40, b in 0u32..=40, pos in 2u64..60, others in 2u64..600, level in 0.5f64..0.999) {
            let [a, b] = [a, b].map(|area| f64::from(area) / 40.0);
            let first = scale(a, 0.5 * a * (1.0 - a) / pos as f64, pos, 100);
            let versus = scale(b, 0.5 * b * (1.0 - b) / others as f64, others, 90);
            let difference = WilsonDifference::new(first, versus, 0.0);
            let t = student_t::upper_quantile(tail(level), difference.df);
            let (lower, upper) = difference.limits(level);
            for (limit, t) in [(lower, t), (upper, -t)] {
                if limit.abs() < 1.0 {
                    prop_assert!((difference.above(limit) / t - 1.0).abs() < 1e-6, "{} {}", difference.above(limit), t);
                }
            }
            let mirrored = WilsonDifference::new(versus, first, 0.0);
            prop_assert!((mirrored.above(0.1) + difference.above(-0.1)).abs() < 1e-6 * (1.0 + difference.above(-0.1).abs()));
        }
    }
}
