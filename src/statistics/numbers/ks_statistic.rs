//! The two-sample Kolmogorov-Smirnov statistic of positives against negatives.

use super::exact_ks;
use crate::math;
use crate::ranking::ties::{Count, Indexed, Step, StepKind, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Alternative, NullDistribution};
use crate::statistics::kinds::{Summary, Threshold, record};
use crate::statistics::options::{FromOptions, OptionError, Options};

/// The largest vertical distance between the ROC curve and the diagonal, `max |tpr - fpr|`.
///
/// It equals the two-sample Kolmogorov-Smirnov distance between the scores of positives and negatives
/// (Smirnov 1939). The maximum is taken over the integers `|tp N - fp P|` and divided once.
///
/// The p-value is exact over all assignments of labels to rows, given the ties, or from the limiting
/// distribution (Smirnov 1939). The latter is the Kolmogorov series of `sqrt(P N / (P + N)) ks`, or one-sided
/// `exp(-2 P N / (P + N) ks²)`. The limit is for large samples without ties; with ties, or few rows, it is
/// conservative.
#[derive(Clone, Copy, Debug, Default)]
pub struct KsStatistic {
    /// The side of the diagonal on which the distance is measured.
    pub alternative: Alternative,
    /// The method of the p-value.
    pub method: NullDistribution,
}

/// Below this number of pairs the p-value is exact by default: R's rule. The enumeration then takes a few
/// times as long as ranking.
const AUTO_PAIRS: u128 = 10_000;

/// The maximum number of pairs for an exact p-value, which takes a second.
const MAX_PAIRS: u128 = 2_000_000_000;

record! {
    /// The distance of one group, and where it is attained.
    pub struct KsRecord {
        /// The distance, 0 to 1.
        pub ks: Option<f64>,
        /// `tpr - fpr` at `threshold`: the distance with its sign.
        pub difference: Option<f64>,
        /// The score with this distance, the highest of several: a row is predicted positive if `score >= threshold`.
        pub threshold: Option<Threshold>,
        /// The p-value of the hypothesis that both classes have the same distribution. Null with weights, which do
        /// not give the number of observations.
        pub p_value: Option<f64>,
        /// The method of the p-value, `"exact"` or `"asymptotic"`; null where the p-value is null.
        pub method: Option<&'static str>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

impl FromOptions for KsStatistic {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let ks = KsStatistic { alternative: options.word("alternative")?, method: options.word("method")? };
        ks.check_weights(options.has_column("weight"))?;
        Ok(ks)
    }
}

impl Summary for KsStatistic {
    type Record = KsRecord;

    const WEIGHTS: bool = true;

    fn check_sums_of_weights(&self) -> Result<(), OptionError> {
        self.check_weights(true)
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> KsRecord {
        let rows = Count::from(&ties);
        if !ties.has_pairs() {
            return KsRecord::undefined(rows);
        }
        let Farthest { distance, is_above, reached } = self.ks_distance(&mut ties);
        // If the distance is 0 everywhere, every score is a farthest point, and the highest score is
        // returned.
        let threshold = ties.threshold(if distance == 0 { 1 } else { reached }).map(Threshold);
        let ks = math::quotient(distance, ties.pairs());
        let difference = if is_above || distance == 0 { ks } else { -ks };
        let (p_value, method) = match ties.units() {
            Some(_) => (None, None),
            None => self.p_value(&mut ties, distance, ks),
        };
        KsRecord::new(Some(ks), Some(difference), threshold, p_value, method, rows)
    }
}

/// A point of the curve with its distance from the diagonal, times `P N`.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::statistics) struct Farthest {
    pub distance: u128,
    is_above: bool,
    reached: u64,
}

impl KsStatistic {
    /// The farthest point of a group that has pairs; of several the one with the highest score.
    pub(in crate::statistics) fn ks_distance(&self, ties: &mut Ties<'_>) -> Farthest {
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        // The farther of two points; for equal distances the first, which has the higher score.
        let farther = |best: &mut Option<Farthest>, other: Option<Farthest>| {
            if other.map(|other| other.distance) > best.map(|best| best.distance) {
                *best = other;
            }
        };
        let alternative = self.alternative;
        let point = |tp: u64, fp: u64| {
            let above = u128::from(tp) * u128::from(n_neg);
            let below = u128::from(fp) * u128::from(n_pos);
            let distance = match alternative {
                Alternative::TwoSided => above.abs_diff(below),
                Alternative::Greater => above.saturating_sub(below),
                Alternative::Less => below.saturating_sub(above),
            };
            Farthest { distance, is_above: above >= below, reached: tp + fp }
        };
        let min = ties.parts().iter().map(|part| point(part.tp(), part.fp()).distance).max().unwrap_or(0);
        // The curve of a part lies between two corners, and none of its points is farther than both.
        let corners = |part: &Step| (point(part.tp(), part.neg_above), point(part.pos_above, part.fp()));
        let may_be_farthest = |part: &Step| {
            let (upper, lower) = corners(part);
            upper.distance.max(lower.distance) >= min
        };
        // Within a segment the distance is monotone, so only an end of a segment can be the farthest point.
        let ks_distance = ties.fold_pruned(
            StepKind::Segments(Indexed::Rarer),
            may_be_farthest,
            |best, segment| farther(best, Some(point(segment.tp(), segment.fp()))),
            farther,
        );
        ks_distance.unwrap_or_default()
    }

    /// Rejects weights if rows must be counted.
    fn check_weights(&self, has_weights: bool) -> Result<(), OptionError> {
        if has_weights && self.method == NullDistribution::Exact {
            return Err(
                "`method=\"exact\"` counts rows, and weights do not say how many there are. Hint: leave one out"
                    .into(),
            );
        }
        Ok(())
    }

    fn p_value(&self, ties: &mut Ties<'_>, distance: u128, ks: f64) -> (Option<f64>, Option<&'static str>) {
        let pairs = ties.pairs();
        let is_exact = match self.method {
            NullDistribution::Auto => pairs < AUTO_PAIRS,
            NullDistribution::Exact => true,
            NullDistribution::Asymptotic => false,
        };
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        if !is_exact {
            let scaled = (pairs as f64 / (n_pos + n_neg) as f64).sqrt() * ks;
            let p_value = match self.alternative {
                Alternative::TwoSided => math::kolmogorov::upper_tail(scaled),
                _ => (-2.0 * scaled * scaled).exp(),
            };
            return (Some(p_value), Some("asymptotic"));
        }
        if pairs > MAX_PAIRS {
            return (None, None);
        }
        let sizes = ties.fold(
            |sizes: &mut Vec<u64>, tie| sizes.push(tie.pos + tie.neg),
            |sizes, lower| sizes.extend(lower),
        );
        (Some(exact_ks::upper_tail(&sizes, n_pos, n_neg, distance, self.alternative)), Some("exact"))
    }
}

declaration! {
    /// The largest vertical distance between the ROC curve and the diagonal, and the threshold where it occurs.
    ///
    /// Words: KS, Kolmogorov-Smirnov, two-sample test, maximum separation.
    KsStatistic => KsRecord {
        label = None, score = None;
        /// The distance is `max |tpr - fpr|` (two-sided), `max (tpr - fpr)` (greater), which is large if positives score higher,
        /// or `max (fpr - tpr)` (less).
        alternative = "two-sided",
        /// The method of the p-value:
        ///
        /// - `"exact"`: from all assignments of the labels to these rows, with their ties. The time grows with
        ///   positives times negatives: a second for 2 * 10^9 pairs, beyond which it is null. Not with weights.
        /// - `"asymptotic"`: the limit for many rows; conservative with few rows, or with ties.
        /// - `"auto"`: exact for fewer than 10,000 pairs of a positive and a negative, which is R's rule.
        method: word<NullDistribution> = "auto",
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Score;
    use crate::statistics::tests::summary;

    #[test]
    fn widest_gap() {
        let record = summary(&KsStatistic::default(), &[1, 1, 0, 1, 0, 0], &[6i16, 5, 4, 3, 2, 1]);
        assert_eq!(record.ks, Some(2.0 / 3.0));
        // scipy.stats.ks_2samp([6, 5, 3], [4, 2, 1])
        assert!((record.p_value.unwrap() - 0.6).abs() < 1e-15);
        assert_eq!(record.method, Some("exact"));
        assert_eq!(record.threshold, Some(Threshold(5i16.key().into())), "the higher of 5 and 3");
        // Positives that score lower have the same distance from the diagonal.
        let record = summary(&KsStatistic::default(), &[0, 0, 1], &[3.0, 2.0, 1.0]);
        assert_eq!((record.ks, record.threshold), (Some(1.0), Some(Threshold(2.0f64.key().into()))));
        assert_eq!(record.difference, Some(-1.0));
        let greater = KsStatistic { alternative: Alternative::Greater, ..KsStatistic::default() };
        let record = summary(&greater, &[0, 0, 1], &[3.0, 2.0, 1.0]);
        assert_eq!((record.ks, record.difference, record.p_value), (Some(0.0), Some(0.0), Some(1.0)));
        let tied = summary(&KsStatistic::default(), &[0, 1], &[7u8, 7]);
        assert_eq!((tied.ks, tied.threshold, tied.p_value), (Some(0.0), Some(Threshold(7)), Some(1.0)));
        let alone = summary(&KsStatistic::default(), &[0, 0], &[1u8, 2]);
        assert_eq!((alone.ks, alone.threshold, alone.p_value, alone.rows.neg), (None, None, None, 2));
    }
}
