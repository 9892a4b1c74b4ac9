//! The difference of the losses of two scores on the same rows.

use crate::math::normal::upper_tail;
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Hypothesis, Interval};
use crate::statistics::kinds::{Inputs, Joint, Needs, record};
use crate::statistics::losses::{LOGARITHMIC, Loss, RowLosses, SQUARED, probability};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The difference of the Brier scores of two probabilities.
#[derive(Clone, Copy, Debug)]
pub struct BrierScoreDifference {
    /// The hypothesis; no difference by default.
    pub test: Hypothesis,
    /// The coverage of the interval.
    pub level: f64,
}

/// The difference of the logarithmic losses of two probabilities.
#[derive(Clone, Copy, Debug)]
pub struct LogLossDifference {
    /// The hypothesis; no difference by default.
    pub test: Hypothesis,
    /// The coverage of the interval.
    pub level: f64,
}

record! {
    /// The comparison of one group.
    pub struct LossDifferenceRecord {
        /// The mean loss of the first score; lower is better. Null with no rows.
        pub estimate_a: Option<f64>,
        /// The mean loss of the second score.
        pub estimate_b: Option<f64>,
        /// `estimate_a - estimate_b`; null if both are infinite.
        pub difference: Option<f64>,
        /// - `se`: the standard error of the difference; null with a single row, and if a loss is infinite.
        /// - `lower`, `upper`: the confidence limits, by the normal distribution.
        pub interval: Interval,
        /// `(difference - null) / se`. With a margin, the distance from the bound `null ± margin` that determines the
        /// p-value.
        pub z: Option<f64>,
        /// The p-value of the test of `null`, by the normal distribution.
        pub p_value: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| BrierScoreDifference {
    test: Hypothesis::parse(options, -1.0)?,
    level: options.level()?,
});

from_options!(|options| LogLossDifference {
    test: Hypothesis::parse(options, -1.0)?,
    level: options.level()?,
});

/// The mean losses of two scores, and their row-wise difference. The standard error is the standard error of
/// a mean, with weights as in [`RowLosses`].
fn compare(loss: &Loss, rows: &Rows, test: Hypothesis, level: f64) -> LossDifferenceRecord {
    let Some(losses) = RowLosses::from_rows(loss, rows) else { return LossDifferenceRecord::undefined(rows) };
    let difference = losses.difference(0, 1);
    let se = losses.se_of_difference(0, 1);
    let (z, p_value) =
        se.map_or((None, None), |se| test.test(0.0, |value| difference - value, se, upper_tail));
    let interval = se.map(|se| Interval::normal(difference, se, level).within(-loss.max, loss.max));
    LossDifferenceRecord::new(
        Some(losses.means[0]),
        Some(losses.means[1]),
        Some(difference).filter(|difference| !difference.is_nan()),
        interval.unwrap_or_default(),
        z,
        p_value,
        rows.into(),
    )
}

macro_rules! losses_of_rows {
    ($($statistic:ty => $loss:ident;)*) => {$(
        impl Joint for $statistic {
            type Record = LossDifferenceRecord;

            const INPUTS: Inputs = Inputs::scores(Some(2));

            const WEIGHTS: bool = true;

            fn needs(&self) -> Needs {
                Needs::VALUES
            }

            fn check_rows(&self, rows: &Rows) -> Result<(), String> {
                probability::check_rows(rows)
            }

            fn evaluate(&self, rows: &Rows) -> LossDifferenceRecord {
                compare(&$loss, rows, self.test, self.level)
            }
        }
    )*};
}
losses_of_rows! {
    BrierScoreDifference => SQUARED;
    LogLossDifference => LOGARITHMIC;
}

declaration! {
    /// The difference of the Brier scores of two probabilities on the same rows, with its interval and test.
    ///
    /// Words: compare Brier scores, paired test of Brier scores, Diebold-Mariano.
    BrierScoreDifference => LossDifferenceRecord {
        label,
        /// The predicted probabilities of a positive: numeric columns with values from 0 to 1.
        score_a: column,
        score_b: column;
        /// With `"less"`, the alternative is that the first score is better.
        alternative = "two-sided",
        /// 0 by default.
        null = None, margin = None, level = 0.95, weight = None, count = None,
    }
}

declaration! {
    /// The difference of the logarithmic losses of two probabilities on the same rows, with its interval and test.
    ///
    /// Words: compare log losses, paired test of cross-entropies.
    LogLossDifference => LossDifferenceRecord {
        label,
        /// The predicted probabilities of a positive: numeric columns with values from 0 to 1.
        score_a: column,
        score_b: column;
        /// With `"less"`, the alternative is that the first score is better.
        alternative = "two-sided",
        /// 0 by default.
        null = None, margin = None, level = 0.95, weight = None, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows() {
        let compute = |labels: &[bool], a: &[f64], b: &[f64]| {
            let rows = Rows {
                len: a.len(),
                labels: labels.into(),
                values: vec![a.into(), b.into()],
                ..Rows::default()
            };
            let statistic = BrierScoreDifference { test: Hypothesis::default(), level: 0.95 };
            statistic.check_rows(&rows).map(|()| statistic.evaluate(&rows))
        };
        let record = compute(&[true, false], &[0.75, 0.5], &[0.5, 0.5]).unwrap();
        assert_eq!((record.estimate_a, record.estimate_b), (Some(0.15625), Some(0.25)));
        assert_eq!((record.difference, record.interval.se), (Some(-0.09375), Some(0.09375)));
        assert_eq!(record.z, Some(-1.0));
        let same = compute(&[true, false], &[0.75, 0.5], &[0.75, 0.5]).unwrap();
        assert_eq!((same.difference, same.z, same.p_value), (Some(0.0), Some(0.0), Some(1.0)));
        assert!(compute(&[true], &[1.5], &[0.5]).unwrap_err().contains("got 1.5"));
        let infinite = LogLossDifference { test: Hypothesis::default(), level: 0.95 };
        let rows = Rows { len: 1, labels: vec![true], values: vec![vec![0.0], vec![0.5]], ..Rows::default() };
        let record = infinite.evaluate(&rows);
        assert_eq!(
            (record.estimate_a, record.difference, record.z),
            (Some(f64::INFINITY), Some(f64::INFINITY), None)
        );
    }
}
