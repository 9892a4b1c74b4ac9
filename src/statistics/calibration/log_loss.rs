//! The logarithmic loss.

use super::loss::MeanLoss;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Interval;
use crate::statistics::kinds::{Mass, Summary, record};
use crate::statistics::losses::{LOGARITHMIC, probability};
use crate::statistics::options::from_options;

/// The mean of `-ln score` over positives and `-ln (1 - score)` over negatives (Good 1952).
#[derive(Clone, Copy, Debug)]
pub struct LogLoss {
    /// The coverage of the interval.
    pub level: f64,
}

record! {
    /// The logarithmic loss of one group.
    pub struct LogLossRecord {
        /// The mean loss in natural logarithms, 0 or above; infinite if a score of 0 or 1 is wrong, null with no
        /// rows.
        pub log_loss: Option<f64>,
        /// - `se`: the standard error of the mean; null with a single row, and if the loss is infinite.
        /// - `lower`, `upper`: the confidence limits, by the normal distribution.
        pub interval: Interval,
        /// `log_loss / uncertainty`, the loss relative to a constant score equal to the rate of the group. Below 1,
        /// the score is more informative than the rate. Null with no positives or no negatives.
        pub normalized_entropy: Option<f64>,
        /// `1 - normalized_entropy`.
        pub skill: Option<f64>,
        /// The standard error of `normalized_entropy` and of `skill`.
        pub skill_se: Option<f64>,
        /// The loss due to miscalibration, 0 or above: `log_loss` minus the loss of the isotonic fit.
        pub miscalibration: Option<f64>,
        /// The gain from discrimination, 0 or above: `uncertainty` minus the loss of the isotonic fit.
        pub discrimination: Option<f64>,
        /// The loss of a constant score equal to the rate of the group: the entropy of the rate.
        pub uncertainty: Option<f64>,
        /// The number of rows with an infinite loss: positives with score 0, and negatives with score 1.
        pub n_infinite: Mass,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| LogLoss { level: options.level()? });

impl Summary for LogLoss {
    type Record = LogLossRecord;

    const WEIGHTS: bool = true;

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        probability::check(ties)
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> LogLossRecord {
        let rows = Count::from(&ties);
        let Some(loss) = MeanLoss::from_ties(&LOGARITHMIC, &mut ties, self.level) else {
            return LogLossRecord::undefined(rows);
        };
        LogLossRecord {
            log_loss: Some(loss.value),
            interval: loss.interval,
            normalized_entropy: loss.skill.map(|_| loss.value / loss.uncertainty),
            skill: loss.skill,
            skill_se: loss.skill_se,
            miscalibration: Some(loss.miscalibration),
            discrimination: Some(loss.discrimination),
            uncertainty: Some(loss.uncertainty),
            n_infinite: loss.n_infinite,
            rows,
        }
    }
}

declaration! {
    /// The logarithmic loss of probabilities with its interval, its normalized entropy, and its parts.
    ///
    /// Words: log loss, logistic loss, cross-entropy, deviance, logarithmic score, normalized entropy, NE, ignorance score.
    LogLoss => LogLossRecord {
        label = None,
        /// The predicted probability of a positive: any numeric column with values from 0 to 1.
        score: column = None;
        level = 0.95, weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    const NINETY_FIVE: LogLoss = LogLoss { level: 0.95 };

    #[test]
    fn few_rows() {
        let record = summary(&NINETY_FIVE, &[1, 0], &[0.75, 0.5]);
        let expected = (0.75f64.ln() + 0.5f64.ln()) / -2.0;
        assert!((record.log_loss.unwrap() - expected).abs() < 1e-16);
        assert_eq!(record.uncertainty, Some(2f64.ln()));
        assert!((record.normalized_entropy.unwrap() - expected / 2f64.ln()).abs() < 1e-15);
        assert_eq!(record.n_infinite, Mass(0));
        // Wrong predictions with certainty make the loss infinite, and are counted.
        let wrong = summary(&NINETY_FIVE, &[1, 0, 1, 1], &[0.0, 1.0, 1.0, 0.5]);
        assert_eq!(
            (wrong.log_loss, wrong.interval.se, wrong.n_infinite),
            (Some(f64::INFINITY), None, Mass(2))
        );
        assert_eq!((wrong.miscalibration, wrong.skill), (Some(f64::INFINITY), Some(f64::NEG_INFINITY)));
        // Right predictions with certainty.
        let right = summary(&NINETY_FIVE, &[1, 0], &[1.0, 0.0]);
        assert_eq!((right.log_loss, right.skill, right.interval.se), (Some(0.0), Some(1.0), Some(0.0)));
    }
}
