//! The average precision of a score.

use crate::math;
use crate::ranking::ties::{Above, Indexed, PositiveScore, Run, Segment, Ties};
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::from_options;
use crate::statistics::thresholds::confusion::Confusion;

/// The mean, over positives, of the precision at their score.
///
/// `sum (tpr_i - tpr_(i-1)) precision_i` over the distinct scores, without interpolation (Manning, Raghavan and Schütze
/// 2008, section 8.4): the area of the steps under the precision-recall curve.
#[derive(Clone, Copy, Debug, Default)]
pub struct AveragePrecision {}

record! {
    /// The average precision of one group.
    pub struct AveragePrecisionRecord {
        /// 0 to 1; 1 without a negative, null without a positive.
        pub average_precision: Option<f64>,
    }
}

/// A precision of 1, in units that keep all 53 bits of any precision above a thousandth.
const PRECISION_UNIT: u64 = 1 << 63;

/// A precision in those units. They are integers, so that the order in which rows are summed does not matter.
#[inline]
fn units_of(precision: f64) -> u128 {
    u128::from((precision * PRECISION_UNIT as f64) as u64)
}

/// The sum of the precisions at the scores of positives, in those units.
#[inline]
pub(in crate::statistics) fn precisions(scores: &[PositiveScore]) -> u128 {
    let precision = |score: &PositiveScore| f64::from(score.tp) / (f64::from(score.tp) + f64::from(score.fp));
    scores.iter().map(|score| u128::from(score.pos) * units_of(precision(score))).sum()
}

/// The same of a run in a group whose rows have weights, or are too many for [`PositiveScore`], and what lies above the next
/// run. `beside` sees each segment, too.
pub(in crate::statistics) fn precisions_of_run(
    run: Run<'_>,
    all: &Confusion,
    mut beside: impl FnMut(&Segment),
) -> (u128, Above) {
    let mut sum = 0;
    let above = run.each(|segment| {
        beside(&segment);
        if segment.pos > 0 {
            let precision = all.with(segment.tp(), segment.fp()).precision();
            sum += u128::from(segment.pos) * units_of(precision.unwrap_or_default());
        }
    });
    (sum, above)
}

/// The mean of the sum of units over positives.
pub(in crate::statistics) fn mean_precision(units: u128, n_pos: u64) -> f64 {
    math::quotient(units, u128::from(n_pos) * u128::from(PRECISION_UNIT))
}

/// The average precision of a group without pairs: without negatives every precision is 1.
pub(in crate::statistics) fn of_one_class(n_pos: u64) -> Option<f64> {
    (n_pos > 0).then_some(1.0)
}

from_options!(|_| AveragePrecision {});

impl Summary for AveragePrecision {
    type Record = AveragePrecisionRecord;

    const WEIGHTS: bool = true;

    fn of_ties(&self, mut ties: Ties<'_>) -> AveragePrecisionRecord {
        if !ties.has_pairs() {
            return AveragePrecisionRecord::new(of_one_class(ties.n_pos()));
        }
        let units = if ties.has_small_classes() {
            ties.fold_positives(
                |units: &mut u128, scores| *units += precisions(scores),
                |units, more| *units += more,
            )
        } else {
            let all = Confusion::all_negative(&ties);
            // Every distinct score with a positive is a segment of its own.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn four_rows() {
        let record = summary(&AveragePrecision {}, &[0, 0, 1, 1], &[0.1, 0.4, 0.35, 0.8]);
        assert!((record.average_precision.unwrap() - 0.833_333_333_333_333_3).abs() < 1e-15);
        assert_eq!(
            summary(&AveragePrecision {}, &[1, 0, 0], &[1u8, 1, 1]).average_precision,
            Some(1.0 / 3.0)
        );
    }

    /// As sklearn.metrics.average_precision_score([1, 1], [1, 2]), so that the mean over queries keeps those whose
    /// documents are all relevant.
    #[test]
    fn without_negatives_it_is_1() {
        assert_eq!(summary(&AveragePrecision {}, &[1, 1], &[1u8, 2]).average_precision, Some(1.0));
        assert_eq!(summary(&AveragePrecision {}, &[0, 0], &[1u8, 2]).average_precision, None);
        assert_eq!(summary(&AveragePrecision {}, &[], &[0u8; 0]).average_precision, None);
    }
}
