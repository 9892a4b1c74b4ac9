//! The difference of two scores' losses over the folds of a cross-validation.

use super::cv_roc_auc_difference::{CvRocAucDifference, FoldTest};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Interval;
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, record};
use crate::statistics::losses::{LossName, RowLosses, probability};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The difference of two scores' losses over the same folds, with the corrected resampled t-test of
/// [`CvRocAucDifference`].
#[derive(Clone, Copy, Debug)]
pub struct CvLossDifference {
    /// The loss.
    pub loss: LossName,
    /// The test; `less` means that the first score is better.
    pub test: CvRocAucDifference,
}

record! {
    /// The comparison over the folds of one group.
    pub struct CvLossDifferenceRecord {
        /// The mean of the folds' losses of the first score; lower is better. Infinite if a loss is.
        pub estimate_a: Option<f64>,
        /// The mean of the folds' losses of the second score.
        pub estimate_b: Option<f64>,
        /// The mean of the folds' differences, `estimate_a - estimate_b`; null if both are infinite.
        pub difference: Option<f64>,
        /// - `se`: its corrected standard error; null if a loss is infinite.
        /// - `lower`, `upper`: the confidence limits.
        pub interval: Interval,
        /// The difference divided by its standard error; 0 if both are 0, null if only the standard error is 0.
        pub t: Option<f64>,
        /// The degrees of freedom; null where `se` is null.
        pub df: Option<u64>,
        /// The p-value of no difference; null where `t` is null.
        pub p_value: Option<f64>,
        /// The number of folds with rows.
        pub n_folds: u64,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| CvLossDifference {
    loss: options.word("loss")?,
    test: CvRocAucDifference::from_options(options)?,
});

impl Joint for CvLossDifference {
    type Record = CvLossDifferenceRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2)).keyed(KeyInput::called("fold"));

    fn needs(&self) -> Needs {
        Needs::VALUES
    }

    fn check_rows(&self, rows: &Rows) -> Result<(), String> {
        probability::check_rows(rows)
    }

    fn evaluate(&self, rows: &Rows) -> CvLossDifferenceRecord {
        let folds = RowLosses::from_keys(self.loss.loss(), rows);
        let losses = |fold: &RowLosses| [fold.means[0], fold.means[1], fold.difference(0, 1)];
        let losses: Vec<[f64; 3]> = folds.iter().map(losses).collect();
        let n_folds = losses.len() as u64;
        let none = CvLossDifferenceRecord { n_folds, ..CvLossDifferenceRecord::undefined(rows) };
        let Some(FoldTest { means: [a, b, difference], interval, t, df, p_value }) = self.test.test(losses)
        else {
            return none;
        };
        let difference = Some(difference).filter(|difference| !difference.is_nan());
        CvLossDifferenceRecord {
            estimate_a: Some(a),
            estimate_b: Some(b),
            difference,
            interval,
            t,
            df,
            p_value,
            ..none
        }
    }
}

declaration! {
    /// The difference of the losses of two models over the same folds, by the corrected resampled t-test.
    ///
    /// Words: compare Brier scores by cross-validation, compare log losses by cross-validation, corrected resampled t-test.
    CvLossDifference => CvLossDifferenceRecord {
        label,
        /// The probabilities of a positive: numeric columns of numbers from 0 to 1.
        score_a: column,
        score_b: column,
        /// The fold in which each row was test data; any dtype except lists.
        fold: column;
        /// The loss.
        loss: word<LossName> = "brier_score",
        /// `"less"` means that the first score is better.
        alternative = "two-sided",
        /// The interval of the difference is always two-sided.
        level = 0.95,
        /// The number of test rows for each training row. The variance is corrected with it, because folds share training rows.
        /// `None` takes `1 / (k - 1)`, the ratio of k folds; 0 gives the plain paired t-test, which rejects too often.
        test_train_ratio: number = None,
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::inference::Alternative;
    use crate::statistics::tests::rows_of;

    #[test]
    fn differences_of_folds() {
        let test =
            CvRocAucDifference { alternative: Alternative::Less, level: 0.95, test_train_ratio: Some(0.0) };
        let scores: [&[f64]; 2] = [&[0.5, 0.5, 0.5, 1.0], &[0.0, 1.0, 0.5, 0.5]];
        let rows = rows_of(&[1, 0, 1, 1], &scores, &[7, 7, 8, 8]);
        let compute = |loss| CvLossDifference { loss, test }.evaluate(&rows);
        let record = compute(LossName::BrierScore);
        // The differences are -3/4 and -1/8.
        assert_eq!((record.estimate_a, record.estimate_b), (Some(0.1875), Some(0.625)));
        assert_eq!((record.difference, record.df), (Some(-0.4375), Some(1)));
        assert!((record.interval.se.unwrap() - 0.3125).abs() < 1e-15);
        assert!((record.t.unwrap() + 1.4).abs() < 1e-14 && record.p_value < Some(0.5));
        let infinite = compute(LossName::LogLoss);
        assert_eq!((infinite.difference, infinite.t), (Some(f64::NEG_INFINITY), None));
        assert_eq!((infinite.estimate_b, infinite.n_folds), (Some(f64::INFINITY), 2));
    }
}
