//! Confidence intervals of the area under the ROC curve.

use super::Summary;
use super::delong::variance;
use super::record::record;
use crate::math;
use crate::math::normal::upper_quantile;
use crate::ranking::{Key, Ties};

/// The AUC with its DeLong standard error and normal interval.
///
/// The placement of a positive is the share of negatives it beats, ties counting half; of a negative,
/// the share of positives that beat it. With their sample variances S10 and S01,
/// `Var AUC = S10 / P + S01 / N` (DeLong, DeLong and Clarke-Pearson 1988), and the interval is
/// `auc ± z se`, clipped to 0 and 1. Placements are half integers over P or N, so both variances come
/// from exact integer sums.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct RocAucCi {
    /// How the interval is made.
    pub method: Method,
    /// The interval's coverage.
    pub level: f64,
}

/// How the interval is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub enum Method {
    /// Normal, with the DeLong standard error.
    #[default]
    #[cfg_attr(feature = "plugin", serde(rename = "delong"))]
    DeLong,
}

record! {
    /// The interval of one group.
    pub struct RocAucCiRecord<K> {
        /// The area; null without a positive or without a negative.
        pub auc: Option<f64>,
        /// Its standard error; null with fewer than two positives or fewer than two negatives.
        pub se: Option<f64>,
        /// The lower limit; null where the standard error is.
        pub lower: Option<f64>,
        /// The upper limit; null where the standard error is.
        pub upper: Option<f64>,
        /// Positives that were used.
        pub n_pos: u64,
        /// Negatives that were used.
        pub n_neg: u64,
    }
}

impl Summary for RocAucCi {
    type Record<K: Key> = RocAucCiRecord<K>;

    fn check(&self) -> Result<(), String> {
        if 0.0 < self.level && self.level < 1.0 {
            Ok(())
        } else {
            Err(format!("level must lie between 0 and 1, such as 0.95, got {}", self.level))
        }
    }

    fn of_ties<K: Key>(&self, mut ties: Ties<'_, K>) -> RocAucCiRecord<K> {
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        if !ties.has_pairs() {
            return RocAucCiRecord::new(None, None, None, None, n_pos, n_neg);
        }
        let placements = ties.placements();
        let auc = math::quotient(placements.sum, 2 * ties.pairs());
        let Some(variance) = variance(&placements, n_pos, n_neg) else {
            return RocAucCiRecord::new(Some(auc), None, None, None, n_pos, n_neg);
        };
        let se = variance.sqrt();
        let Method::DeLong = self.method;
        let margin = upper_quantile(0.5 * (1.0 - self.level)) * se;
        let (lower, upper) = ((auc - margin).max(0.0), (auc + margin).min(1.0));
        RocAucCiRecord::new(Some(auc), Some(se), Some(lower), Some(upper), n_pos, n_neg)
    }

    fn of_nan<K: Key>(&self, n_pos: u64, n_neg: u64) -> RocAucCiRecord<K> {
        RocAucCiRecord { n_pos, n_neg, ..RocAucCiRecord::nan() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    const NINETY_FIVE: RocAucCi = RocAucCi { method: Method::DeLong, level: 0.95 };

    /// Ratings of 109 CT images (Hanley and McNeil 1982, table I): AUC 0.893.
    #[test]
    fn radiologist_ratings() {
        let counts = [(33, 3), (6, 2), (6, 2), (11, 11), (2, 33)];
        let (mut labels, mut scores) = (Vec::new(), Vec::new());
        for (rating, (normal, abnormal)) in (1u8..).zip(counts) {
            labels.extend(std::iter::repeat_n(0, normal).chain(std::iter::repeat_n(1, abnormal)));
            scores.extend(std::iter::repeat_n(rating, normal + abnormal));
        }
        let record = summary(&NINETY_FIVE, &labels, &scores);
        assert_eq!(record.auc, Some(2642.0 / 2958.0));
        assert_eq!((record.n_pos, record.n_neg), (51, 58));
        assert!((record.auc.unwrap() - 0.893).abs() < 0.0005);
        assert!((record.se.unwrap() - 0.0307).abs() < 0.0005, "{record:?}");
    }

    #[test]
    fn edges() {
        let perfect = summary(&NINETY_FIVE, &[0, 0, 1, 1], &[1, 2, 3, 4]);
        assert_eq!((perfect.auc, perfect.se), (Some(1.0), Some(0.0)));
        assert_eq!((perfect.lower, perfect.upper), (Some(1.0), Some(1.0)));
        let one_positive = summary(&NINETY_FIVE, &[0, 0, 1], &[1, 3, 2]);
        assert_eq!((one_positive.auc, one_positive.se, one_positive.lower), (Some(0.5), None, None));
        let wide = summary(&NINETY_FIVE, &[0, 1, 0, 1, 1], &[1, 2, 3, 4, 5]);
        assert_eq!(wide.upper, Some(1.0), "clipped");
        assert!(RocAucCi { level: 1.0, ..NINETY_FIVE }.check().is_err());
        assert!(RocAucCi { level: f64::NAN, ..NINETY_FIVE }.check().is_err());
    }

    proptest! {
        /// The definition: sample variances of the placements.
        #[test]
        fn variance_of_placements(rows in proptest::collection::vec((0u8..2, -4i8..4), 4..60)) {
            let (labels, scores): (Vec<u8>, Vec<i8>) = rows.into_iter().unzip();
            let of_class = |class| -> Vec<i8> {
                labels.iter().zip(&scores).filter(|row| *row.0 == class).map(|row| *row.1).collect()
            };
            let (pos, neg) = (of_class(1), of_class(0));
            prop_assume!(pos.len() > 1 && neg.len() > 1);
            let wins = |p: i8, n: i8| if p > n { 1.0 } else if p == n { 0.5 } else { 0.0 };
            let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
            let variance = |x: &[f64]| x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>() / (x.len() - 1) as f64;
            let v10: Vec<f64> = pos.iter().map(|&p| mean(&neg.iter().map(|&n| wins(p, n)).collect::<Vec<_>>())).collect();
            let v01: Vec<f64> = neg.iter().map(|&n| mean(&pos.iter().map(|&p| wins(p, n)).collect::<Vec<_>>())).collect();
            let expected = variance(&v10) / pos.len() as f64 + variance(&v01) / neg.len() as f64;
            let record = summary(&NINETY_FIVE, &labels, &scores);
            // The oracle sums floats: its error is some ulps of 1.
            prop_assert!((record.se.unwrap().powi(2) - expected).abs() < 1e-15);
        }
    }
}
