//! The difference of two models' areas over the folds of a cross-validation.

use crate::math::{quantile::mean_and_deviation, student_t};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Alternative, Interval, by_key, in_standard_errors};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::rows::Rows;

/// The difference of two scores' areas over the same folds, with the corrected resampled t-test.
///
/// For the differences d of k folds, `t = mean(d) / sqrt((1/k + q) var(d))` with k - 1 degrees of freedom.
/// Here q is the ratio of test to training rows, 1 / (k - 1) for k folds, because the training rows of folds
/// overlap (Nadeau and Bengio 2003, equation 9). q = 0 is the plain paired t-test, which is
/// anti-conservative.
#[derive(Clone, Copy, Debug)]
pub struct CvRocAucDifference {
    /// The alternative; `greater` means that the first score is better.
    pub alternative: Alternative,
    /// The coverage of the interval.
    pub level: f64,
    /// The ratio of test rows to training rows; `1 / (k - 1)` by default.
    pub test_train_ratio: Option<f64>,
}

record! {
    /// The comparison over the folds of one group.
    pub struct CvRocAucDifferenceRecord {
        /// The mean of the folds' AUCs for the first score.
        pub auc_a: Option<f64>,
        /// The mean of the folds' AUCs for the second score.
        pub auc_b: Option<f64>,
        /// The mean of the folds' differences, `auc_a - auc_b`.
        pub difference: Option<f64>,
        /// - `se`: the corrected standard error of the difference.
        /// - `lower`, `upper`: the confidence limits.
        pub interval: Interval,
        /// `difference / se`; 0 if both are 0, null if only `se` is 0.
        pub t: Option<f64>,
        /// Degrees of freedom; null where `se` is null.
        pub df: Option<u64>,
        /// The p-value of the test of no difference; null where `t` is null.
        pub p_value: Option<f64>,
        /// The number of folds with AUCs.
        pub n_folds: u64,
        /// The number of folds with no positives or no negatives.
        pub n_undefined: u64,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

impl FromOptions for CvRocAucDifference {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let name = "test_train_ratio";
        let test_train_ratio = options.has(name).then(|| options.value(name).number());
        if test_train_ratio.is_some_and(|ratio| !(ratio >= 0.0 && ratio.is_finite())) {
            return Err(options.must_be(name, "be a finite number, 0 or more, such as 1/9 for ten folds"));
        }
        let alternative = options.word("alternative")?;
        Ok(CvRocAucDifference { alternative, level: options.level()?, test_train_ratio })
    }
}

impl Joint for CvRocAucDifference {
    type Record = CvRocAucDifferenceRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2)).keyed(KeyInput::called("fold"));

    fn needs(&self) -> Needs {
        Needs::KEY_PLACEMENTS
    }

    fn evaluate(&self, rows: &Rows) -> CvRocAucDifferenceRecord {
        // Both areas of each fold, and their difference.
        let areas: Vec<[f64; 3]> = by_key::areas(rows, 0)
            .zip(by_key::areas(rows, 1))
            .filter_map(|(a, b)| a.zip(b))
            .map(|(a, b)| [a.auc, b.auc, a.minus(&b)])
            .collect();
        let n_folds = areas.len() as u64;
        let n_undefined = rows.keys.distinct as u64 - n_folds;
        let none =
            CvRocAucDifferenceRecord { n_folds, n_undefined, ..CvRocAucDifferenceRecord::undefined(rows) };
        let Some(FoldTest { means: [a, b, difference], interval, t, df, p_value }) = self.test(areas) else {
            return none;
        };
        CvRocAucDifferenceRecord {
            auc_a: Some(a),
            auc_b: Some(b),
            difference: Some(difference),
            interval,
            t,
            df,
            p_value,
            ..none
        }
    }
}

/// The test of differences over folds.
#[derive(Clone, Copy, Debug, Default)]
pub struct FoldTest {
    /// The means of both estimates and of their difference.
    pub means: [f64; 3],
    /// The interval of the difference.
    pub interval: Interval,
    /// The difference in standard errors.
    pub t: Option<f64>,
    /// Degrees of freedom.
    pub df: Option<u64>,
    /// The p-value of no difference.
    pub p_value: Option<f64>,
}

impl CvRocAucDifference {
    /// The test of the estimates of each fold and their difference; undefined without folds. With an infinite
    /// estimate, and with a single fold, there are only means.
    pub fn test(&self, mut folds: Vec<[f64; 3]>) -> Option<FoldTest> {
        folds.sort_unstable_by(|x, y| {
            x[0].total_cmp(&y[0]).then(x[1].total_cmp(&y[1])).then(x[2].total_cmp(&y[2]))
        });
        let (n_folds, k) = (folds.len() as u64, folds.len() as f64);
        if folds.is_empty() {
            return None;
        }
        if !folds.iter().flatten().all(|estimate| estimate.is_finite()) {
            let [a, b] = [0, 1].map(|compute| folds.iter().map(|fold| fold[compute]).sum::<f64>() / k);
            return Some(FoldTest { means: [a, b, a - b], ..FoldTest::default() });
        }
        let mean =
            |compute: usize| mean_and_deviation(&folds.iter().map(|fold| fold[compute]).collect::<Vec<_>>());
        let (difference, deviation) = mean(2);
        let means = [mean(0).0, mean(1).0, difference];
        if n_folds < 2 {
            return Some(FoldTest { means, ..FoldTest::default() });
        }
        let ratio = self.test_train_ratio.unwrap_or(1.0 / (k - 1.0));
        let se = (1.0 / k + ratio).sqrt() * deviation;
        let t = in_standard_errors(difference, se);
        Some(FoldTest {
            means,
            interval: Interval::student(difference, se, self.level, k - 1.0),
            t,
            df: Some(n_folds - 1),
            p_value: t.map(|t| self.alternative.p_value(t, |t| student_t::upper_tail(t, k - 1.0))),
        })
    }
}

declaration! {
    /// The difference of two models' AUCs over the same folds, by the corrected resampled t-test.
    ///
    /// Words: corrected resampled t-test, Nadeau and Bengio, compare two models by cross-validation.
    CvRocAucDifference => CvRocAucDifferenceRecord {
        label, score_a, score_b,
        /// The fold in which the row was test data; any dtype except lists.
        fold: column;
        /// With `"greater"`, the alternative is that the first score is better. The interval is always two-sided.
        alternative = "two-sided",
        level = 0.95,
        /// The ratio of test rows to training rows. It corrects the variance, because folds share training rows.
        /// `None` uses `1 / (k - 1)`, the ratio of k folds; 0 gives the plain paired t-test, which rejects too often.
        test_train_ratio: number = None,
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::folds::cv_roc_auc::tests::sample;
    use crate::statistics::options::{OptionValue, tests::options};

    #[test]
    fn differences_over_folds() {
        let plain = CvRocAucDifference {
            alternative: Alternative::TwoSided,
            level: 0.95,
            test_train_ratio: Some(0.0),
        };
        let record = plain.evaluate(&sample());
        let differences = [1.0, 0.0, 0.5, 0.5];
        let (mean, deviation) = mean_and_deviation(&differences);
        assert_eq!((record.difference, record.df, record.n_undefined), (Some(mean), Some(3), 1));
        assert!((record.t.unwrap() - mean / (deviation / 2.0)).abs() < 1e-14);
        let corrected = CvRocAucDifference { test_train_ratio: None, ..plain }.evaluate(&sample());
        assert!((corrected.t.unwrap() - mean / (deviation * (0.25f64 + 1.0 / 3.0).sqrt())).abs() < 1e-14);
    }

    #[test]
    fn ratios() {
        let parse = |ratio| {
            CvRocAucDifference::from_options(&options([
                ("alternative", OptionValue::Word("less".into())),
                ("level", OptionValue::Float(0.9)),
                ("test_train_ratio", ratio),
            ]))
        };
        assert_eq!(parse(OptionValue::Integer(0)).unwrap().test_train_ratio, Some(0.0));
        assert_eq!(parse(OptionValue::Absent).unwrap().test_train_ratio, None);
        for wrong in [-1.0, f64::INFINITY, f64::NAN] {
            assert_eq!(parse(OptionValue::Float(wrong)).unwrap_err().option, "test_train_ratio");
        }
    }
}
