//! The two-sample Kolmogorov-Smirnov statistic of positives against negatives.

use super::Summary;
use super::record::{Threshold, record};
use crate::math;
use crate::ranking::{Indexed, RowCounts, Ties};

/// The largest vertical distance between the ROC curve and the diagonal, `max |tpr - fpr|`.
///
/// It equals the two-sample Kolmogorov-Smirnov distance between the scores of positives and negatives
/// (Smirnov 1939). The maximum is taken over the integers `|tp N - fp P|` and divided once.
///
/// The p-value is that of the limiting distribution, `sqrt(P N / (P + N)) ks` in Kolmogorov's series: for
/// large samples without ties; with ties, or few rows, it is conservative.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct KsStatistic {}

record! {
    /// The distance of one group, and where it is attained.
    pub struct KsRecord {
        /// The distance, 0 to 1; null without a positive or without a negative.
        pub ks: Option<f64>,
        /// The score at which it is attained, positive if `score >= threshold`; the highest of several.
        pub threshold: Option<Threshold>,
        /// Two-sided, asymptotic; null with weights, because weights do not say how many observations there are.
        pub p_value: Option<f64>,
        /// Positives that were used.
        pub n_pos: u64,
        /// Negatives that were used.
        pub n_neg: u64,
    }
}

impl Summary for KsStatistic {
    type Record = KsRecord;

    const WEIGHTS: bool = true;

    fn of_ties(&self, mut ties: Ties<'_>) -> KsRecord {
        let rows = ties.rows();
        if !ties.has_pairs() {
            return KsRecord { n_pos: rows.0, n_neg: rows.1, ..KsRecord::undefined() };
        }
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        // The farther of two points; of equals the first, which has the higher score.
        let farther = |best: &mut Option<(u128, u64)>, other: Option<(u128, u64)>| {
            if other.map(|other| other.0) > best.map(|best| best.0) {
                *best = other;
            }
        };
        // Within a segment the distance either grows or shrinks, so only an end of a segment can be the farthest point.
        let farthest = ties.fold_segments(
            Indexed::Rarer,
            |best, segment| {
                let above = u128::from(segment.tp()) * u128::from(n_neg);
                let distance = above.abs_diff(u128::from(segment.fp()) * u128::from(n_pos));
                farther(best, Some((distance, segment.tp() + segment.fp())));
            },
            farther,
        );
        let (farthest, reached) = farthest.unwrap_or_default();
        // If the distance is 0 everywhere, every score is a farthest point, and the highest score is taken.
        let threshold = ties.threshold(if farthest == 0 { 1 } else { reached }).map(Threshold);
        let ks = math::quotient(farthest, ties.pairs());
        let effective = ties.pairs() as f64 / (n_pos + n_neg) as f64;
        let p_value = math::kolmogorov::upper_tail(effective.sqrt() * ks);
        let p_value = ties.units().is_none().then_some(p_value);
        KsRecord::new(Some(ks), threshold, p_value, rows.0, rows.1)
    }

    fn of_nan(&self, RowCounts { n_pos, n_neg, .. }: RowCounts) -> KsRecord {
        KsRecord { n_pos, n_neg, ..KsRecord::nan() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Score;
    use crate::statistics::tests::summary;

    #[test]
    fn widest_gap() {
        let record = summary(&KsStatistic {}, &[1, 1, 0, 1, 0, 0], &[6i16, 5, 4, 3, 2, 1]);
        assert_eq!(record.ks, Some(2.0 / 3.0));
        assert_eq!(record.threshold, Some(Threshold(5i16.key().into())), "the higher of 5 and 3");
        // Positives that score lower are as far from the diagonal.
        let record = summary(&KsStatistic {}, &[0, 0, 1], &[3.0, 2.0, 1.0]);
        assert_eq!((record.ks, record.threshold), (Some(1.0), Some(Threshold(2.0f64.key().into()))));
        let tied = summary(&KsStatistic {}, &[0, 1], &[7u8, 7]);
        assert_eq!((tied.ks, tied.threshold, tied.p_value), (Some(0.0), Some(Threshold(7)), Some(1.0)));
        let alone = summary(&KsStatistic {}, &[0, 0], &[1u8, 2]);
        assert_eq!((alone.ks, alone.threshold, alone.p_value, alone.n_neg), (None, None, None, 2));
    }
}
