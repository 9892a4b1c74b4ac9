//! The Brier score.

use super::loss::MeanLoss;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Interval;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::losses::{SQUARED, probability};
use crate::statistics::options::from_options;

/// The mean of `(label - score)²` (Brier 1950).
#[derive(Clone, Copy, Debug)]
pub struct BrierScore {
    /// The coverage of the interval.
    pub level: f64,
}

record! {
    /// The Brier score of one group.
    pub struct BrierScoreRecord {
        /// The Brier score, from 0 (best) to 1; null with no rows.
        pub brier_score: Option<f64>,
        /// - `se`: the standard error of the Brier score; null with a single row.
        /// - `lower`, `upper`: the confidence limits, by the normal distribution.
        pub interval: Interval,
        /// The Brier skill score, relative to a constant score equal to the rate of the group: `1 - brier_score /
        /// uncertainty`; null with no positives or no negatives.
        pub skill: Option<f64>,
        /// The standard error of `skill`.
        pub skill_se: Option<f64>,
        /// The loss due to miscalibration, 0 or above: `brier_score` minus the Brier score of the isotonic fit.
        pub miscalibration: Option<f64>,
        /// The gain from discrimination, 0 or above: `uncertainty` minus the Brier score of the isotonic fit.
        pub discrimination: Option<f64>,
        /// The Brier score of a constant score equal to the rate of the group: `rate (1 - rate)`.
        pub uncertainty: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| BrierScore { level: options.level()? });

impl Summary for BrierScore {
    type Record = BrierScoreRecord;

    const WEIGHTS: bool = true;

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        probability::check(ties)
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> BrierScoreRecord {
        let rows = Count::from(&ties);
        let Some(loss) = MeanLoss::from_ties(&SQUARED, &mut ties, self.level) else {
            return BrierScoreRecord::undefined(rows);
        };
        BrierScoreRecord {
            brier_score: Some(loss.value),
            interval: loss.interval,
            skill: loss.skill,
            skill_se: loss.skill_se,
            miscalibration: Some(loss.miscalibration),
            discrimination: Some(loss.discrimination),
            uncertainty: Some(loss.uncertainty),
            rows,
        }
    }
}

declaration! {
    /// The Brier score with its interval, its skill, and its parts: miscalibration, discrimination and uncertainty.
    ///
    /// Words: Brier score, mean squared error, quadratic score, Brier skill score, calibration, reliability and resolution, CORP.
    BrierScore => BrierScoreRecord {
        label = None,
        /// The predicted probability of a positive: any numeric column with values from 0 to 1.
        score: column = None;
        level = 0.95, weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::{summary, weighted_summary};
    use proptest::prelude::*;

    const NINETY_FIVE: BrierScore = BrierScore { level: 0.95 };

    #[test]
    fn few_rows() {
        let record = summary(&NINETY_FIVE, &[1, 0], &[0.75, 0.5]);
        assert_eq!((record.brier_score, record.interval.se), (Some(0.15625), Some(0.09375)));
        assert_eq!((record.skill, record.skill_se), (Some(0.375), Some(0.375)));
        assert_eq!(
            (record.miscalibration, record.discrimination, record.uncertainty),
            (Some(0.15625), Some(0.25), Some(0.25))
        );
        let one = summary(&NINETY_FIVE, &[1], &[0.5]);
        assert_eq!(
            (one.brier_score, one.interval.se, one.skill, one.uncertainty),
            (Some(0.25), None, None, Some(0.0))
        );
        assert_eq!(summary(&NINETY_FIVE, &[], &[0.5; 0]).brier_score, None);
        // All losses are equal.
        let half = summary(&NINETY_FIVE, &[1, 0, 1, 0, 0], &[0.5; 5]);
        assert_eq!(
            (half.brier_score, half.interval.se, half.interval.lower),
            (Some(0.25), Some(0.0), Some(0.25))
        );
        let same = summary(&NINETY_FIVE, &[1; 7], &[0.3; 7]);
        assert_eq!(same.interval.se, Some(0.0));
    }

    /// Weights whose squares, or inverse squares, exceed the range of floats.
    #[test]
    fn weights_of_any_size() {
        let (labels, scores) = ([1, 0, 1, 0, 0], [0.9, 0.6, 0.4, 0.1, 0.2]);
        let compute = |power: i32| {
            let weights = [1.0, 2.0, 3.0, 1.0, 2.0].map(|weight: f64| weight * 2f64.powi(power));
            weighted_summary(&NINETY_FIVE, &labels, &scores, &weights)
        };
        assert!(compute(0).interval.se > Some(0.01) && compute(0).skill_se > Some(0.01));
        assert!([-1000, -600, 600, 900].into_iter().all(|power| compute(power) == compute(0)));
    }

    proptest! {
        #[test]
        fn definition(rows in prop::collection::vec((0u8..2, 0u32..=8), 1..40)) {
            let (labels, eighths): (Vec<u8>, Vec<u32>) = rows.into_iter().unzip();
            let scores: Vec<f64> = eighths.iter().map(|&eighth| f64::from(eighth) / 8.0).collect();
            let record = summary(&NINETY_FIVE, &labels, &scores);
            let n = labels.len() as f64;
            // Losses of eighths are exact, and so are their sums.
            let losses: Vec<f64> = labels.iter().zip(&scores).map(|(&label, score)| (f64::from(label) - score).powi(2)).collect();
            let mean = losses.iter().sum::<f64>() / n;
            prop_assert_eq!(record.brier_score, Some(mean));
            let parts = record.miscalibration.unwrap() - record.discrimination.unwrap() + record.uncertainty.unwrap();
            prop_assert!((parts - mean).abs() < 1e-15);
            let variance = losses.iter().map(|loss| (loss - mean).powi(2)).sum::<f64>() / (n - 1.0) / n;
            if n > 1.0 {
                prop_assert!((record.interval.se.unwrap() - variance.sqrt()).abs() < 1e-14);
            }
        }
    }
}
