//! The average precision of a score.

use crate::math;
use crate::ranking::ties::{Above, Indexed, Run, Segment, Ties};
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

/// The sum, over the positives of a run, of the precision at their score, in those units, and what lies above the next run.
/// The units are integers, so that the order in which parts are joined does not matter. `beside` sees each segment, too.
#[inline]
pub(in crate::statistics) fn precisions(
    run: Run<'_>,
    all: &Confusion,
    mut beside: impl FnMut(&Segment),
) -> (u128, Above) {
    let mut sum = 0;
    let mut add = |pos: u64, precision: f64| {
        sum += u128::from(pos) * u128::from((precision * PRECISION_UNIT as f64) as u64);
    };
    let above = if all.units.is_none() {
        // Counts of rows are below 2^63, and a signed number is one instruction away from a float.
        let float = |rows: u64| rows.cast_signed() as f64;
        run.each(|segment| {
            beside(&segment);
            if segment.pos > 0 {
                add(segment.pos, float(segment.tp()) / float(segment.tp() + segment.fp()));
            }
        })
    } else {
        run.each(|segment| {
            beside(&segment);
            if segment.pos > 0 {
                let confusion = all.with(segment.tp(), segment.fp());
                add(segment.pos, confusion.precision().unwrap_or_default());
            }
        })
    };
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
        let all = Confusion::all_negative(&ties);
        // Every distinct score with a positive is a segment of its own.
        let units = ties.fold_runs(
            Indexed::Positives,
            |units: &mut u128, run| {
                let (sum, above) = precisions(run, &all, |_| {});
                *units += sum;
                above
            },
            |units, more| *units += more,
        );
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
