//! The loss of probabilities over the folds of a cross-validation.

use crate::math::{quantile::mean_and_deviation, sum::in_order};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Interval;
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, record};
use crate::statistics::losses::{LossName, RowLosses, probability};
use crate::statistics::options::{FromOptions, OptionError, Options, Word, words};
use crate::statistics::rows::Rows;

/// The mean of the folds' mean losses, with an interval.
///
/// Student's t and influence are those of [`CvRocAuc`](super::CvRocAuc). The influence of a row on the loss of
/// its fold is `loss - mean`: `se² = sum over folds of the variance / k / n` for k folds and n rows.
/// Weighted rows support only the first interval.
#[derive(Clone, Copy, Debug)]
pub struct CvLoss {
    /// The loss.
    pub loss: LossName,
    /// The source of the standard error.
    pub method: LossInterval,
    /// The coverage of the interval.
    pub level: f64,
}

/// The source of the standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossInterval {
    /// The variation between the folds' losses.
    #[default]
    T,
    /// The variation of rows within folds.
    Influence,
}

words!(LossInterval { "t" => T, "influence" => Influence });

record! {
    /// The cross-validated loss of one group.
    pub struct CvLossRecord {
        /// The mean of the folds' losses, each a mean over its rows; lower is better. Infinite if a loss is.
        pub estimate: Option<f64>,
        /// The standard deviation of the folds' losses; null if a loss is infinite.
        pub sd: Option<f64>,
        /// - `se`: the standard error of the mean; null if a loss is infinite, and with `"influence"` if a fold has a
        ///   single row.
        /// - `lower`, `upper`: the confidence limits, within the range of the loss.
        pub interval: Interval,
        /// The number of folds with rows.
        pub n_folds: u64,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

impl FromOptions for CvLoss {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let method: LossInterval = options.word("method")?;
        if options.has_column("weight") && method != LossInterval::T {
            return Err(OptionError::new("method", format!("'{}' does not take a weight", method.word()))
                .hint("write `method=\"t\"`"));
        }
        Ok(CvLoss { loss: options.word("loss")?, method, level: options.level()? })
    }
}

impl Joint for CvLoss {
    type Record = CvLossRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1)).keyed(KeyInput::called("fold"));

    const WEIGHTS: bool = true;

    fn needs(&self) -> Needs {
        Needs::VALUES
    }

    fn check_rows(&self, rows: &Rows) -> Result<(), String> {
        probability::check_rows(rows)
    }

    fn evaluate(&self, rows: &Rows) -> CvLossRecord {
        let folds = RowLosses::from_keys(self.loss.loss(), rows);
        let losses = in_order(folds.iter().map(|fold| fold.means[0]));
        let record = CvLossRecord { n_folds: folds.len() as u64, ..CvLossRecord::undefined(rows) };
        let Some(&highest) = losses.last() else { return record };
        if highest.is_infinite() {
            return CvLossRecord { estimate: Some(highest), ..record };
        }
        let k = folds.len() as f64;
        let (mean, deviation) = mean_and_deviation(&losses);
        let interval = match self.method {
            LossInterval::T if folds.len() < 2 => Interval::default(),
            LossInterval::T => Interval::student(mean, deviation / k.sqrt(), self.level, k - 1.0),
            LossInterval::Influence if folds.iter().any(|fold| fold.rows() < 2) => Interval::default(),
            LossInterval::Influence => {
                let squares = folds.iter().map(|fold| fold.squares(0) / (fold.rows() as f64 - 1.0));
                let squares: f64 = in_order(squares).into_iter().sum();
                Interval::normal(mean, (squares / k / rows.len as f64).sqrt(), self.level)
            }
        };
        CvLossRecord {
            estimate: Some(mean),
            sd: (folds.len() > 1).then_some(deviation),
            interval: interval.within(0.0, self.loss.loss().max),
            ..record
        }
    }
}

declaration! {
    /// The mean Brier score or log loss of the folds, with an interval by Student's t or by influence functions.
    ///
    /// Words: cross-validated Brier score, cross-validated log loss, CV loss, k-fold.
    CvLoss => CvLossRecord {
        label,
        /// The probability of a positive: any numeric column of numbers from 0 to 1.
        score: column,
        /// The fold in which each row was test data; any dtype except lists.
        fold: column;
        /// The loss.
        loss: word<LossName> = "brier_score",
        /// - `"t"`: from the variation between the folds' losses, with Student's t.
        /// - `"influence"`: from the variation of the losses of rows within folds, with a normal interval; it requires
        ///   many rows in each fold, but not many folds.
        method: word<LossInterval> = "t",
        level = 0.95,
        /// The loss of each fold is then weighted; folds have equal weights. Only for `method="t"`.
        weight = None, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    const T: CvLoss = CvLoss { loss: LossName::BrierScore, method: LossInterval::T, level: 0.95 };

    #[test]
    fn mean_of_folds() {
        let rows = rows_of(&[1, 0, 1, 1], &[&[0.5, 0.5, 0.5, 1.0]], &[7, 7, 8, 8]);
        let record = T.evaluate(&rows);
        assert_eq!((record.estimate, record.n_folds), (Some(0.1875), 2));
        assert_eq!(record.interval.se, Some(0.0625));
        let influence = CvLoss { method: LossInterval::Influence, ..T }.evaluate(&rows);
        // Squared distances of 1/8 in the second fold.
        assert_eq!(influence.interval.se, Some((0.125f64.powi(2) * 2.0 / 2.0 / 4.0).sqrt()));
        let alone = rows_of(&[0, 1, 1], &[&[0.2, 0.7, 0.4]], &[1, 2, 2]);
        assert_eq!(CvLoss { method: LossInterval::Influence, ..T }.evaluate(&alone).interval.se, None);
        let infinite = rows_of(&[1, 0, 0, 1], &[&[0.0, 0.5, 0.5, 1.0]], &[7, 7, 8, 8]);
        let record = CvLoss { loss: LossName::LogLoss, ..T }.evaluate(&infinite);
        assert_eq!((record.estimate, record.sd, record.interval.se), (Some(f64::INFINITY), None, None));
        assert_eq!(T.evaluate(&Rows::default()).estimate, None);
    }
}
