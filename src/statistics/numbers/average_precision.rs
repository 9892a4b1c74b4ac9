//! The average precision of a score.

use crate::math;
use crate::ranking::ties::{Above, Indexed, PositiveScore, PositiveScores, Run, Segment, Ties};
use crate::simd::{self, Kernel};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{from_options, words};
use crate::statistics::thresholds::confusion::Confusion;

/// The mean, over positives, of the precision at their score.
///
/// `sum (tpr_i - tpr_(i-1)) precision_i` over the distinct scores, without interpolation (Manning, Raghavan
/// and Schütze 2008, section 8.4). It is the area under the precision-recall curve as a step function.
#[derive(Clone, Copy, Debug, Default)]
pub struct AveragePrecision {
    /// The curve between its points.
    pub interpolation: PrecisionInterpolation,
}

/// Precision-recall curves between their points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrecisionInterpolation {
    /// Steps.
    #[default]
    Step,
    /// Linear in the counts: between two points, false positives increase in proportion to true positives
    /// (Davis and Goadrich 2006).
    Continuous,
}
words!(PrecisionInterpolation { "step" => Step, "continuous" => Continuous });

record! {
    /// The average precision of one group.
    pub struct AveragePrecisionRecord {
        /// 0 to 1; 1 with no negatives, null with no positives.
        pub average_precision: Option<f64>,
    }
}

/// A precision of 1 in fixed point; the units keep all 53 bits of any precision above 1/1000.
const PRECISION_UNIT: u64 = 1 << 63;

/// Units per unit of the high half of a precision.
const HALF: f64 = (1u64 << 32) as f64;

/// A precision in fixed point. Integers, so that the sum does not depend on the order of rows.
#[inline]
fn units_of(precision: f64) -> u128 {
    u128::from((precision * PRECISION_UNIT as f64) as u64)
}

/// The sum of the precisions at the scores of positives, in fixed point.
#[inline(always)]
pub(in crate::statistics) fn precisions(scores: &PositiveScores) -> u128 {
    let precision = |tp: u32, fp: u32| f64::from(tp) / (f64::from(tp) + f64::from(fp));
    if let Some((tp, fp)) = scores.at_full() {
        return precisions_of_all(tp, fp);
    }
    let units = |score: PositiveScore| u128::from(score.pos) * units_of(precision(score.tp, score.fp));
    scores.iter().map(units).sum()
}

/// The same for scores of one positive each, vectorised. Few processors convert floats to 64-bit integers
/// with SIMD, and a sum of units has more than 64 bits. The high half and the low half of each precision are
/// therefore summed separately, as floats.
#[inline(always)]
fn precisions_of_all<const N: usize>(tp: &[u32; N], fp: &[u32; N]) -> u128 {
    let (mut high, mut low) = ([0.0; N], [0.0; N]);
    for (((high, low), &tp), &fp) in high.iter_mut().zip(&mut low).zip(tp).zip(fp) {
        // Both are below 2^31.
        let (tp, fp) = (f64::from(tp.cast_signed()), f64::from(fp.cast_signed()));
        // Except for the division, only the last step rounds, and truncates like `units_of`.
        let precision = tp / (tp + fp) * (PRECISION_UNIT as f64 / HALF);
        *high = precision.floor();
        *low = ((precision - *high) * HALF).floor();
    }
    u128::from(sum(high) as u64) * HALF as u128 + u128::from(sum(low) as u64)
}

/// The kernel of [`precisions`].
struct Precisions<'a>(&'a PositiveScores);

impl Kernel for Precisions<'_> {
    type Output = u128;

    #[inline(always)]
    fn run(self) -> u128 {
        precisions(self.0)
    }
}

/// The sum of integers whose sums are below 2^53, so that it is exact in any order.
#[inline(always)]
fn sum<const N: usize>(mut numbers: [f64; N]) -> f64 {
    const { assert!(N.is_power_of_two(), "halves of halves") };
    let mut len = N;
    while len > 1 {
        len /= 2;
        for index in 0..len {
            numbers[index] += numbers[index + len];
        }
    }
    numbers[0]
}

/// The same for a run in a group with weights, or with too many rows for [`PositiveScore`]; returns the
/// counts above the next run. `visit` is also called with each segment.
pub(in crate::statistics) fn precisions_of_run(
    run: Run<'_>,
    all: &Confusion,
    mut visit: impl FnMut(&Segment),
) -> (u128, Above) {
    let mut sum = 0;
    let above = run.each(|segment| {
        visit(&segment);
        if segment.pos > 0 {
            let precision = all.with(segment.tp(), segment.fp()).precision();
            sum += u128::from(segment.pos) * units_of(precision.unwrap_or_default());
        }
    });
    (sum, above)
}

/// The mean over positives of the sum in fixed point.
pub(in crate::statistics) fn mean_precision(units: u128, n_pos: u64) -> f64 {
    math::quotient(units, u128::from(n_pos) * u128::from(PRECISION_UNIT))
}

/// The average precision of a group without pairs: without negatives every precision is 1.
pub(in crate::statistics) fn one_class_precision(n_pos: u64) -> Option<f64> {
    (n_pos > 0).then_some(1.0)
}

/// The mean precision, over the positives of a score, of the curve that is linear in the counts.
///
/// With `a` positives among the `m` rows above, and `d` positives among the `n` rows of the score, the integral
/// of `(a + t) / (m + t n / d)` over `t` from 0 to `d` (Keilwagen, Grosse and Grau 2014), divided by `d`. It is
/// the mean of `a / m` and `d / n` with the weights `ln(1 + x) / x` and the rest, where `x = n / m`.
fn mean_between(above: Confusion, inside: Confusion) -> f64 {
    let score_values = inside.precision().unwrap_or_default();
    let Some(precision) = above.precision() else { return score_values };
    let share = share_of_score(inside.rows_called() / above.rows_called());
    precision + (score_values - precision) * share
}

/// `1 - ln(1 + x) / x` for a positive x, without cancellation.
fn share_of_score(x: f64) -> f64 {
    if x > 1.0 {
        return 1.0 - x.ln_1p() / x;
    }
    // `ln(1 + x) = 2 (s + s³ / 3 + s⁵ / 5 + ...)` with this s.
    let s = x / (2.0 + x);
    let (mut rest, mut power, mut divisor) = (0.0, s * s, 3.0);
    while rest + power / divisor > rest {
        rest += power / divisor;
        power *= s * s;
        divisor += 2.0;
    }
    s - rest * (1.0 - s)
}

from_options!(|options| AveragePrecision {
    interpolation: options.optional_word("interpolation")?.unwrap_or_default(),
});

impl Summary for AveragePrecision {
    type Record = AveragePrecisionRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> AveragePrecisionRecord {
        if !ties.has_pairs() {
            return AveragePrecisionRecord::new(one_class_precision(ties.n_pos()));
        }
        let all = Confusion::all_negative(&ties);
        let units = if self.interpolation == PrecisionInterpolation::Continuous {
            ties.fold_runs(
                Indexed::Positives,
                |units: &mut u128, run| {
                    run.each(|segment| {
                        if segment.pos > 0 {
                            let above = all.with(segment.pos_above, segment.neg_above);
                            let mean = mean_between(above, all.with(segment.pos, segment.neg));
                            *units += u128::from(segment.pos) * units_of(mean);
                        }
                    })
                },
                |units, more| *units += more,
            )
        } else if ties.has_small_classes() {
            ties.fold_positives(
                |units: &mut u128, scores| *units += simd::dispatch(Precisions(scores)),
                |units, more| *units += more,
            )
        } else {
            // Every distinct score with a positive is a separate segment.
            ties.fold_runs(
                Indexed::Positives,
                |units: &mut u128, run| {
                    let (sum, above) = precisions_of_run(run, &all, |_| {});
                    *units += sum;
                    above
                },
                |units, more| *units += more,
            )
        };
        AveragePrecisionRecord::new(Some(mean_precision(units, ties.n_pos())))
    }
}

declaration! {
    /// The average precision: the mean, over positives, of the precision at their score; 1 with no negatives.
    ///
    /// Words: average precision, AP, PR AUC, AUPRC, area under the precision-recall curve.
    AveragePrecision {
        label = None, score = None;
        /// The curve between its points. `"step"`: steps, whose area is the average precision. `"continuous"`: the interpolation of
        /// Davis and Goadrich (2006) in the continuous form of Keilwagen, Grosse and Grau (2014): between two points, false
        /// positives increase in proportion to true positives.
        interpolation: word<PrecisionInterpolation> = "step",
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    #[test]
    fn four_rows() {
        let record = summary(&AveragePrecision::default(), &[0, 0, 1, 1], &[0.1, 0.4, 0.35, 0.8]);
        assert!((record.average_precision.unwrap() - 0.833_333_333_333_333_3).abs() < 1e-15);
        assert_eq!(
            summary(&AveragePrecision::default(), &[1, 0, 0], &[1u8, 1, 1]).average_precision,
            Some(1.0 / 3.0)
        );
    }

    fn continuous(labels: &[u8], scores: &[u8]) -> f64 {
        let statistic = AveragePrecision { interpolation: PrecisionInterpolation::Continuous };
        summary(&statistic, labels, scores).average_precision.unwrap()
    }

    /// The integral of `tp / (tp + fp)`, with `fp` linear in `tp`, by its antiderivative.
    #[test]
    fn continuous_interpolation() {
        // One positive, a negative, then two positives that tie with a negative: `(1 + t) / (2 + 3 t / 2)`.
        let area = |t: f64| t / 1.5 - 1.0 / 3.0 / 1.5 * (1.0 + 0.75 * t).ln();
        let value = continuous(&[1, 0, 1, 1, 0], &[9, 8, 7, 7, 7]);
        assert!((value - (1.0 + area(2.0)) / 3.0).abs() < 1e-15, "{value}");
        // With a negative first, the curve begins at a precision of 0: `t / (1 + t)`.
        assert!((continuous(&[0, 1], &[9, 8]) - (1.0 - 2f64.ln())).abs() < 1e-15);
        assert_eq!(continuous(&[1, 1, 0, 0], &[9, 8, 7, 6]), 1.0);
        assert_eq!(continuous(&[1, 0, 0, 0], &[9; 4]), 0.25);
        assert_eq!(continuous(&[1, 1], &[9, 8]), 1.0);
    }

    #[test]
    fn share_of_a_score() {
        for x in [1e-300f64, 1e-9, 1e-4, 0.01, 0.3, 1.0, 1.5, 1e6, 1e300] {
            let terms = |term: i32| x * (-x).powi(term) / f64::from(term + 2);
            let expected = if x < 0.1 { (0..20).map(terms).sum() } else { 1.0 - f64::ln_1p(x) / x };
            assert!((share_of_score(x) / expected - 1.0).abs() < 1e-14, "{x}");
        }
    }

    /// As sklearn.metrics.average_precision_score([1, 1], [1, 2]), so that the mean over queries includes
    /// those whose documents are all relevant.
    #[test]
    fn without_negatives_it_is_1() {
        assert_eq!(summary(&AveragePrecision::default(), &[1, 1], &[1u8, 2]).average_precision, Some(1.0));
        assert_eq!(summary(&AveragePrecision::default(), &[0, 0], &[1u8, 2]).average_precision, None);
        assert_eq!(summary(&AveragePrecision::default(), &[], &[0u8; 0]).average_precision, None);
    }

    proptest! {
        /// Each precision is truncated to units separately, for any vector width.
        #[test]
        fn vectorised_precisions_are_bit_identical(labels in prop::collection::vec(0u8..2, 0..300), first in 0u32..3) {
            let labels: Vec<u8> = std::iter::repeat_n(u8::from(first > 0), 40 * first as usize).chain(labels).collect();
            let scores: Vec<i32> = (0..labels.len() as i32).rev().collect();
            let (mut tp, mut units) = (0u64, 0);
            for (above, &label) in labels.iter().enumerate() {
                if label == 1 {
                    tp += 1;
                    units += units_of(tp as f64 / (above + 1) as f64);
                }
            }
            prop_assume!(tp > 0 && tp < labels.len() as u64);
            let expected = Some(mean_precision(units, tp));
            prop_assert_eq!(summary(&AveragePrecision::default(), &labels, &scores).average_precision, expected);
        }
    }
}
