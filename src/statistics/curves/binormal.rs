//! The binormal ROC curve: a straight line between normal quantiles.

use super::points::RatePoint;
use crate::math::normal::{upper_quantile, upper_tail};
use crate::math::quotient;
use crate::math::sum::Sum;
use crate::ranking::ties::{Count, Counts, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Record, Summary, record};
use crate::statistics::options::{from_options, words};

/// The maximum number of points of a curve.
const MAX_POINTS: i128 = 10_000_000;

/// Sums of scores up to here stay within the range of floats.
const SUMMABLE: f64 = 1e280;

/// The curve `Φ⁻¹(specificity) = intercept + slope Φ⁻¹(sensitivity)` of two distributions that an increasing
/// map turns into normal ones (Green and Swets 1966; Hanley 1988). The slope is never positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BinormalLine {
    /// The quantile of the specificity at sensitivity 1/2.
    pub intercept: f64,
    /// The change of the specificity's quantile per unit of the sensitivity's.
    pub slope: f64,
}

impl BinormalLine {
    /// The least-squares line of the specificity's quantile on the sensitivity's, over the points of the
    /// curve with finite quantiles, one per distinct score. `None` if fewer than two sensitivities differ.
    /// With weights, the points belong to the weighted curve; each score is one point, whatever its weight.
    pub fn from_ties(ties: &mut Ties<'_>) -> Option<BinormalLine> {
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        // The parts of a parallel fold are sorted before any summation.
        let points = ties.fold(
            |points: &mut Vec<(f64, f64)>, tie| {
                let (tp, fp) = (tie.tp(), tie.fp());
                // A score of negligible weight adds no point.
                if tie.pos + tie.neg > 0 && 0 < tp && tp < n_pos && 0 < fp && fp < n_neg {
                    points.push((quantile(tp, n_pos), quantile(n_neg - fp, n_neg)));
                }
            },
            |points, lower| points.extend(lower),
        );
        let x = centered(points.iter().map(|point| point.0));
        let y = centered(points.iter().map(|point| point.1));
        let products = Sum::sum(points.iter().map(|point| (point.0 - x.mean) * (point.1 - y.mean)));
        (x.squares > 0.0).then(|| {
            // Along the curve one quantile increases as the other decreases, so a positive sum is a rounding
            // error.
            let slope = if products < 0.0 { products / x.squares } else { 0.0 };
            BinormalLine { intercept: y.mean - slope * x.mean, slope }
        })
    }

    /// The area under the curve.
    pub fn auc(self) -> f64 {
        upper_tail(-self.intercept / self.slope.hypot(1.0))
    }

    /// The variance of the area under the curve (Obuchowski and McClish 1997) is `f² var(a) + g² var(b)`.
    /// Here `a` is the intercept, `b` the absolute slope, and `f` and `g` are the derivatives of the area by
    /// them. The parameters of two normal distributions have `var(a) = (N (a² + 2) + 2 P b²) / (2 P N)` and
    /// `var(b) = (P + N) b² / (2 P N)`. The covariance of `a` and `b` is omitted as in R's pROC, which makes
    /// the variance larger.
    pub fn variance(self, n_pos: u64, n_neg: u64) -> f64 {
        let (p, n) = (n_pos as f64, n_neg as f64);
        let (a, b) = (self.intercept, -self.slope);
        let spread = 1.0 + b * b;
        let density = (-0.5 * a * a / spread).exp() / (std::f64::consts::TAU * spread).sqrt();
        let (f, g) = (density, density * a * b / spread);
        let var_a = (n * (a * a + 2.0) + 2.0 * p * b * b) / (2.0 * p * n);
        let var_b = (p + n) * b * b / (2.0 * p * n);
        f * f * var_a + g * g * var_b
    }

    /// The tpr of the curve at an fpr; at a step its upper end.
    pub fn tpr(self, fpr: f64) -> f64 {
        if fpr <= 0.0 || fpr >= 1.0 {
            return fpr;
        }
        let surplus = self.intercept - upper_quantile(fpr);
        if self.slope == 0.0 {
            return if surplus >= 0.0 { 1.0 } else { 0.0 };
        }
        upper_tail(-surplus / self.slope.abs())
    }
}

/// The normal quantile of a share between 0 and 1, exactly antisymmetric: the complement has the same bits up
/// to the sign.
fn quantile(count: u64, all: u64) -> f64 {
    let rest = all - count;
    if count <= rest {
        -upper_quantile(quotient(count.into(), all.into()))
    } else {
        upper_quantile(quotient(rest.into(), all.into()))
    }
}

/// The mean of numbers, and the sum of squared distances from it; NaN and 0 for no numbers.
struct Centered {
    mean: f64,
    squares: f64,
}

fn centered(values: impl Iterator<Item = f64> + Clone) -> Centered {
    let n = values.clone().count() as f64;
    // Distances from one of the values are summed, so that equal values have a spread of exactly 0.
    let center = values.clone().next().unwrap_or(f64::NAN);
    let mean = center + Sum::sum(values.clone().map(|value| value - center)) / n;
    Centered { mean, squares: Sum::sum(values.map(|value| (value - mean).powi(2))) }
}

/// The binormal curve of a group, and its area.
#[derive(Clone, Copy, Debug, Default)]
pub struct BinormalRocAuc {
    /// The method of the fit.
    pub method: BinormalFit,
}

/// The methods of fitting a binormal curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinormalFit {
    /// The least-squares line through the points of the ROC curve.
    #[default]
    LeastSquares,
    /// From the means and standard deviations of the classes.
    ///
    /// With means `m` and maximum likelihood deviations `s`, the quantile of the specificity at a threshold
    /// `c` is `(c - m0) / s0`, and of the sensitivity `(m1 - c) / s1`. The intercept is `(m1 - m0) / s0`, the
    /// slope `-s1 / s0`, and the area `Φ((m1 - m0) / √(s0² + s1²))` (Green and Swets 1966). This method
    /// depends on the values of scores, not only on their order.
    Moments,
}

record! {
    /// The fit of one group.
    pub struct BinormalRocAucRecord {
        /// The area under the fitted curve, 0 to 1; `roc_auc()` is the area under the ROC curve itself.
        pub auc: Option<f64>,
        /// The intercept of the line: the normal quantile of the specificity where the sensitivity is 1/2.
        pub intercept: Option<f64>,
        /// The slope of the line, 0 or below.
        pub slope: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

words!(BinormalFit { "least_squares" => LeastSquares, "moments" => Moments });

from_options!(|options| BinormalRocAuc { method: options.word("method")? });

impl Summary for BinormalRocAuc {
    type Record = BinormalRocAucRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> BinormalRocAucRecord {
        let rows = Count::from(&ties);
        if self.method == BinormalFit::Moments {
            return moment_record(&mut ties);
        }
        let line = if ties.has_pairs() { BinormalLine::from_ties(&mut ties) } else { None };
        let Some(line) = line else { return BinormalRocAucRecord::undefined(rows) };
        BinormalRocAucRecord::new(Some(line.auc()), Some(line.intercept), Some(line.slope), rows)
    }
}

/// The moments of both classes.
pub struct Moments {
    /// The mean of the positives minus the mean of the negatives.
    pub distance: f64,
    /// The standard deviation of the positives, with divisor n.
    pub pos: f64,
    /// The standard deviation of the negatives, with divisor n.
    pub neg: f64,
}

/// The moments of the classes. Very large or small scores are scaled by a power of two, so that sums and
/// deviations stay within the range of floats. `None` with fewer than two rows in a class, or if a score is
/// infinite. With weights, scores are weighted by units.
pub fn moments(ties: &Ties<'_>, counts: &Counts) -> Option<Moments> {
    let (n_pos, n_neg) = ties.rows();
    // The scores are sorted, so the result does not depend on the order of rows.
    let values: Vec<f64> = (0..counts.len()).rev().map(|index| ties.value(counts.key(index))).collect();
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if n_pos < 2 || n_neg < 2 || largest == f64::INFINITY {
        return None;
    }
    // The lowest score of a class is subtracted first, so that a large common offset does not cost digits.
    let scale = match largest {
        _ if largest > SUMMABLE => f64::powi(2.0, -100),
        _ if largest < 1.0 / SUMMABLE => f64::powi(2.0, 100),
        _ => 1.0,
    };
    let class_moments = |f: fn(&Count) -> u64| {
        let values_and_counts =
            values.iter().zip(counts.each().iter().rev()).map(|(value, count)| (value * scale, f(count)));
        let mut offsets: Vec<(f64, u64)> = values_and_counts.filter(|&(_, times)| times > 0).collect();
        let lowest = offsets.first().map_or(f64::NAN, |first| first.0);
        offsets.iter_mut().for_each(|(value, _)| *value -= lowest);
        (lowest, mean_and_deviation(&offsets))
    };
    let ((lowest1, (m1, s1)), (lowest0, (m0, s0))) =
        (class_moments(|count| count.pos), class_moments(|count| count.neg));
    Some(Moments { distance: (lowest1 - lowest0) + (m1 - m0), pos: s1, neg: s0 })
}

/// The binormal curve of normal distributions with the means and standard deviations of the classes.
fn moment_record(ties: &mut Ties<'_>) -> BinormalRocAucRecord {
    let undefined = BinormalRocAucRecord::undefined(&*ties);
    let counts = ties.counts();
    let Some(Moments { distance, pos, neg }) = moments(ties, &counts) else { return undefined };
    let spread = neg.hypot(pos);
    if spread == 0.0 {
        return undefined;
    }
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    BinormalRocAucRecord {
        auc: Some(upper_tail(-distance / spread)),
        intercept: finite(distance / neg),
        slope: finite(-pos / neg),
        ..undefined
    }
}

/// The weighted mean and standard deviation (with divisor n) of numbers with counts. The deviation is exactly
/// 0 if all numbers are equal.
///
/// If all counts are multiplied by a power of two, every step is too, and the result is bit-identical.
/// Integer weights therefore give the same result as repeated rows, whatever their unit.
fn mean_and_deviation(values: &[(f64, u64)]) -> (f64, f64) {
    let n = values.iter().map(|value| value.1).sum::<u64>() as f64;
    let around = |center: f64| values.iter().map(move |&(value, times)| (value - center, times as f64));
    // Distances from one of the values are summed, so that equal values have a spread of exactly 0.
    let center = values.first().map_or(f64::NAN, |value| value.0);
    let mean = center + Sum::sum_repeated(around(center)) / n;
    let widest = around(mean).fold(0.0, |widest: f64, (distance, _)| widest.max(distance.abs()));
    if widest == 0.0 {
        return (mean, 0.0);
    }
    // Distances are divided by the largest one, so that their squares neither overflow nor underflow.
    let squares = around(mean).map(|(distance, times)| ((distance / widest).powi(2), times));
    (mean, widest * (Sum::sum_repeated(squares) / n).sqrt())
}

/// The fitted curve.
#[derive(Clone, Debug)]
pub struct BinormalRocCurve {
    /// The rates of the points; evenly spaced by default.
    pub at_fpr: Option<Vec<f64>>,
    /// The number of points from 0 to 1.
    pub n_points: u32,
}

from_options!(|options| BinormalRocCurve {
    at_fpr: options.has("at_fpr").then(|| options.rates("at_fpr")).transpose()?,
    n_points: options.integer("n_points", 2..=MAX_POINTS)?,
});

impl Curve for BinormalRocCurve {
    type Record = RatePoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(line) = (if ties.has_pairs() { BinormalLine::from_ties(&mut ties) } else { None }) else {
            return false;
        };
        let mut point = |fpr: f64| RatePoint::new(fpr, line.tpr(fpr)).append(columns);
        match &self.at_fpr {
            Some(rates) => rates.iter().for_each(|&fpr| point(fpr)),
            None => {
                let last = u128::from(self.n_points - 1);
                (0..=last).for_each(|i| point(quotient(i, last)));
            }
        }
        true
    }
}

declaration! {
    /// The binormal curve and its AUC, fitted by least squares or by the means and variances of the classes.
    ///
    /// Words: binormal model, smooth ROC, parametric AUC, Dorfman and Alf.
    BinormalRocAuc => BinormalRocAucRecord {
        label = None, score = None;
        /// - `"least_squares"`: the line that fits the points of the ROC curve best. It depends only on the order of
        ///   the scores.
        /// - `"moments"`: the curve of two normal distributions with the means and standard deviations of the
        ///   classes. It depends on the values of the scores, as Float64.
        method: word<BinormalFit> = "least_squares",
        weight = None, count = None, state = None,
    }
}

declaration! {
    /// Points of the fitted binormal curve.
    ///
    /// Words: binormal curve, smooth ROC curve, parametric ROC curve.
    BinormalRocCurve => RatePoint {
        label = None,
        /// Only the order of the scores matters.
        score = None;
        /// The false positive rates of the points, each from 0 to 1.
        at_fpr: numbers = None,
        /// Without `at_fpr`: the number of points, from 2 to 10,000,000, equally spaced from fpr 0 to 1.
        n_points: integer = 101,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::{curve_points, summary, weighted_summary};
    use proptest::prelude::*;

    fn fit(labels: &[u8], scores: &[f64]) -> (Option<f64>, Option<f64>, Option<f64>) {
        let record = summary(&BinormalRocAuc::default(), labels, scores);
        (record.auc, record.intercept, record.slope)
    }

    #[test]
    fn line_through_two_points() {
        // The points (fpr, tpr) = (1/4, 1/2) and (1/2, 3/4): quantiles (0, q) and (q, 0).
        let labels = [1, 1, 0, 1, 0, 1, 0, 0];
        let scores = [3.0, 3.0, 3.0, 2.0, 2.0, 1.0, 1.0, 1.0];
        let q = upper_quantile(0.25);
        let (auc, intercept, slope) = fit(&labels, &scores);
        assert_eq!((intercept, slope), (Some(q), Some(-1.0)));
        assert!((auc.unwrap() - upper_tail(-q / 2f64.sqrt())).abs() < 1e-15);
        let line = BinormalLine { intercept: q, slope: -1.0 };
        assert!((line.tpr(0.25) - 0.5).abs() < 1e-15 && (line.tpr(0.5) - 0.75).abs() < 1e-15);
        assert_eq!((line.tpr(0.0), line.tpr(1.0)), (0.0, 1.0));
    }

    #[test]
    fn undefined_and_degenerate() {
        assert_eq!(fit(&[1, 0, 1, 0], &[4.0, 3.0, 2.0, 1.0]), (None, None, None), "one finite point");
        assert_eq!(fit(&[1, 1, 1], &[4.0, 3.0, 2.0]), (None, None, None));
        assert_eq!(fit(&[1, 0, 0, 0, 1], &[5.0, 4.0, 3.0, 2.0, 1.0]), (None, None, None), "one sensitivity");
        // Both points are at specificity 1/2: a step, with no area to its left.
        let (auc, intercept, slope) = fit(&[1, 0, 1, 1, 0], &[5.0, 4.0, 3.0, 2.0, 1.0]);
        assert_eq!((auc, intercept, slope), (Some(0.5), Some(0.0), Some(0.0)));
        let step = BinormalLine { intercept: 0.0, slope: -0.0 };
        assert_eq!((step.tpr(0.4), step.tpr(0.5), step.tpr(0.6)), (0.0, 1.0, 1.0));
    }

    #[test]
    fn points_of_the_curve() {
        let labels = [1, 1, 0, 1, 0, 1, 0, 0];
        let scores = [3u8, 3, 3, 2, 2, 1, 1, 1];
        let points =
            |curve: BinormalRocCurve| curve_points(&curve, &labels, &scores).unwrap().numbers("fpr").to_vec();
        assert_eq!(points(BinormalRocCurve { at_fpr: None, n_points: 5 }), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(points(BinormalRocCurve { at_fpr: Some(vec![0.5, 0.1]), n_points: 5 }), [0.5, 0.1]);
    }

    /// Scores of a class that differ in their last bit have a spread, even if the other class is far away.
    #[test]
    fn neighbouring_scores_of_one_class() {
        let fit = BinormalRocAuc { method: BinormalFit::Moments };
        let record = summary(&fit, &[0, 1, 1, 0], &[1.0f64.next_up(), -1.0, -1.0, 1.0]);
        assert_eq!((record.auc, record.slope), (Some(0.0), Some(-0.0)));
        assert!(record.intercept.is_some_and(|intercept| intercept < -1e15));
    }

    #[test]
    fn moments() {
        let compute = |labels: &[u8], scores: &[f64]| {
            let record = summary(&BinormalRocAuc { method: BinormalFit::Moments }, labels, scores);
            (record.auc, record.intercept, record.slope)
        };
        // Positives 4 ± 2 and negatives 1 ± 1, shifted and scaled.
        let expected = (Some(upper_tail(-3.0 / 5f64.sqrt())), Some(3.0), Some(-2.0));
        for (shift, scale) in [
            (0.0, 1.0),
            (1024.0, 1.0),
            (-7.0, 0.5),
            (0.0, 2f64.powi(1020)),
            (0.0, 2f64.powi(-1000)),
            (0.0, 5e-324),
        ] {
            let scores = [6.0, 2.0, 0.0, 2.0].map(|score| (score + shift) * scale);
            let record = compute(&[1, 1, 0, 0], &scores);
            assert_eq!((record.1, record.2), (expected.1, expected.2), "{shift} {scale}");
            assert!((record.0.unwrap() - expected.0.unwrap()).abs() < 1e-15, "{shift} {scale}");
        }
        let labels = [1, 1, 1, 0, 0, 0];
        assert_eq!(compute(&labels, &[3.0, 2.0, 1.0, 5.0, 5.0, 5.0]).1, None, "negatives that do not differ");
        assert!(compute(&labels, &[3.0, 2.0, 1.0, 5.0, 5.0, 5.0]).0.is_some_and(|auc| auc < 0.01));
        assert_eq!(compute(&labels, &[0.1, 0.1, 0.1, 0.3, 0.3, 0.3]), (None, None, None));
        assert_eq!(compute(&labels, &[f64::INFINITY, 2.0, 1.0, 5.0, 4.0, 5.0]), (None, None, None));
        assert_eq!(compute(&[1, 0, 0], &[2.0, 1.0, 0.0]), (None, None, None));
    }

    /// The mean and the deviation of all values one by one, to verify the sums over counts.
    fn one_by_one(values: &[f64]) -> (f64, f64) {
        let mean = centered(values.iter().copied()).mean;
        let around = || values.iter().map(|value| value - mean);
        let widest = around().fold(0.0, |widest: f64, distance| widest.max(distance.abs()));
        if widest == 0.0 {
            return (mean, 0.0);
        }
        let squares = Sum::sum(around().map(|distance| (distance / widest).powi(2)));
        (mean, widest * (squares / values.len() as f64).sqrt())
    }

    proptest! {
        #[test]
        fn whole_weights_are_repeated_rows(
            rows in proptest::collection::vec((0u8..2, -2.0..2.0f64, 1u8..6), 4..30),
            power in any::<i8>(),
        ) {
            // A single row has no deviation, whatever its weight, so each class has two rows here.
            let label = |row: usize, label: u8| if row < 4 { row as u8 % 2 } else { label };
            let labels: Vec<u8> = rows.iter().enumerate().map(|(row, count)| label(row, count.0)).collect();
            let scores: Vec<f64> = rows.iter().map(|row| row.1).collect();
            let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2) * f64::from(power).exp2()).collect();
            let repeated = rows.iter().zip(&labels).flat_map(|(row, &label)| vec![(label, row.1); row.2.into()]);
            let (labels_repeated, scores_repeated): (Vec<u8>, Vec<f64>) = repeated.unzip();
            for method in [BinormalFit::LeastSquares, BinormalFit::Moments] {
                let fit = BinormalRocAuc { method };
                let got = weighted_summary(&fit, &labels, &scores, &weights);
                let expected = summary(&fit, &labels_repeated, &scores_repeated);
                prop_assert_eq!((got.auc, got.intercept, got.slope), (expected.auc, expected.intercept, expected.slope));
                prop_assert_eq!(got.rows.pos + got.rows.neg, rows.len() as u64);
            }
        }

        #[test]
        fn counts_equal_repeated_values(values in proptest::collection::vec((-3.0..3.0f64, 1u64..6), 1..40), power in 0u32..50) {
            let all: Vec<f64> = values.iter().flat_map(|&(value, times)| std::iter::repeat_n(value, times as usize)).collect();
            let values_and_counts: Vec<(f64, u64)> = values.iter().map(|&(value, times)| (value, times << power)).collect();
            let got = mean_and_deviation(&values);
            prop_assert_eq!(got, one_by_one(&all));
            prop_assert_eq!(got, mean_and_deviation(&values_and_counts));
        }

        #[test]
        fn area_is_the_integral(intercept in -2.0..2.0f64, slope in -3.0..-0.2f64) {
            let line = BinormalLine { intercept, slope };
            // Integrates over the quantiles of the fpr, where the curve is smooth.
            let step = 1e-2;
            let area: f64 = (-900..900)
                .map(|i| {
                    let z = (f64::from(i) + 0.5) * step;
                    let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
                    line.tpr(upper_tail(z)) * density * step
                })
                .sum();
            prop_assert!((area - line.auc()).abs() < 1e-6, "{area} {}", line.auc());
        }
    }
}
