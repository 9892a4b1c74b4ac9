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
        /// The mean loss in natural logarithms, 0 or above; infinite if a probability of 0 or 1 is wrong, null without rows.
        pub log_loss: Option<f64>,
        /// - `se`: the standard error of the mean; null with a single row, and if the loss is infinite.
        /// - `lower`, `upper`: the limits of its interval, by the normal distribution.
        pub interval: Interval,
        /// The loss in comparison with that of the rate of the group: `log_loss / uncertainty`; null without a positive or without a
        /// negative. Below 1 if the score says more than the rate.
        pub normalized_entropy: Option<f64>,
        /// `1 - normalized_entropy`.
        pub skill: Option<f64>,
        /// The standard error of both.
        pub skill_se: Option<f64>,
        /// What is lost because probabilities are not right, 0 or above: the difference from the loss of the isotonic fit.
        pub miscalibration: Option<f64>,
        /// What the isotonic fit gains in comparison with the rate of the group, 0 or above.
        pub discrimination: Option<f64>,
        /// The loss of the rate of the group, its entropy.
        pub uncertainty: Option<f64>,
        /// Rows whose loss is infinite: positives with the score 0, and negatives with the score 1.
        pub n_infinite: Mass,
        /// Positives and negatives that were used.
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

    fn of_ties(&self, mut ties: Ties<'_>) -> LogLossRecord {
        let rows = Count::from(&ties);
        let Some(loss) = MeanLoss::of_ties(&LOGARITHMIC, &mut ties, self.level) else {
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
    /// The logarithmic loss of probabilities with its interval, as normalized entropy, and its parts.
    ///
    /// Words: log loss, logistic loss, cross-entropy, deviance, logarithmic score, normalized entropy, NE, ignorance score.
    LogLoss => LogLossRecord {
        label = None,
        /// The probability of a positive: any numeric column of numbers from 0 to 1.
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
