//! The difference of two areas of different rows, and the test that they are equal.

use crate::math::{normal, student_t};
use crate::statistics::inference::{Hypothesis, Interval, welch};
use crate::statistics::kinds::Columnwise;
use crate::statistics::options::from_options;

/// The interval and the test of a difference whose standard error is known.
#[derive(Clone, Copy, Debug)]
pub struct TestResult {
    /// The interval of the difference.
    pub interval: Interval,
    /// The degrees of freedom; none where the normal distribution is taken.
    pub df: Option<f64>,
    /// The difference in standard errors; none if the standard error is 0.
    pub statistic: Option<f64>,
    /// The p-value.
    pub p_value: Option<f64>,
}

impl TestResult {
    /// The test of a difference with this standard error, and its interval of coverage `level`.
    pub fn new(difference: f64, se: f64, df: Option<f64>, level: f64, test: Hypothesis) -> Self {
        let df = df.filter(|_| se != 0.0);
        let interval = match df {
            Some(df) => Interval::student(difference, se, level, df),
            None => Interval::normal(difference, se, level),
        };
        let upper_tail = |statistic: f64| match df {
            Some(df) => student_t::upper_tail(statistic, df),
            None => normal::upper_tail(statistic),
        };
        let (statistic, p_value) = if se == 0.0 {
            (None, None)
        } else if se.is_nan() {
            (Some(f64::NAN), Some(f64::NAN))
        } else {
            test.test(0.0, |value| difference - value, se, upper_tail)
        };
        TestResult { interval, df, statistic, p_value }
    }
}

/// The difference of two estimated areas of different rows, row by row.
///
/// `d = (A1 - A2) / sqrt(S1² + S2²)` of the standard errors S, against Student's t with Welch and Satterthwaite's degrees of
/// freedom if the numbers of rows are there, as pROC's unpaired test; against the normal distribution if not.
#[derive(Clone, Copy, Debug)]
pub struct UnpairedRocAucDifference {
    /// The coverage of the interval.
    pub level: f64,
    /// What is tested, if not that there is no difference.
    pub test: Hypothesis,
}

from_options!(|options| UnpairedRocAucDifference {
    test: Hypothesis::of_options(options, -1.0)?,
    level: options.level()?,
});

impl Columnwise for UnpairedRocAucDifference {
    const ROLES: &'static [&'static str] = &["auc", "se", "versus_auc", "versus_se", "n", "versus_n"];
    const FIELDS: &'static [&'static str] =
        &["difference", "se", "lower", "upper", "statistic", "df", "p_value"];

    fn answer(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        for (column, role) in [(1, "se"), (3, "versus_se")] {
            if let Some(wrong) = columns[column].iter().flatten().find(|&&se| se < 0.0) {
                return Err(format!("{role} holds {wrong}, but a standard error is not negative"));
            }
        }
        for (column, role) in [(4, "n"), (5, "versus_n")] {
            if let Some(wrong) = columns[column].iter().flatten().find(|&&n| n.is_nan() || n < 0.0) {
                return Err(format!("{role} holds {wrong}, but a number of rows is not negative"));
            }
        }
        let row = |row: usize| self.row([0, 1, 2, 3, 4, 5].map(|column| columns[column][row]));
        let answers: Vec<_> = (0..columns[0].len()).map(row).collect();
        let field = |field: usize| answers.iter().map(|answer| answer[field]).collect();
        Ok((0..Self::FIELDS.len()).map(field).collect())
    }
}

impl UnpairedRocAucDifference {
    /// The fields of one row. The difference is known even where its error is not.
    fn row(&self, [auc, se, versus_auc, versus_se, n, versus_n]: [Option<f64>; 6]) -> [Option<f64>; 7] {
        let difference = auc.zip(versus_auc).map(|(auc, versus)| auc - versus);
        let (Some(difference), Some(se), Some(versus_se)) = (difference, se, versus_se) else {
            return [difference, None, None, None, None, None, None];
        };
        let variances = [se * se, versus_se * versus_se];
        let total = (variances[0] + variances[1]).sqrt();
        let rows = n.zip(versus_n);
        if rows.is_some_and(|(n, versus_n)| n.min(versus_n) < 2.0) {
            return [Some(difference), Some(total), None, None, None, None, None];
        }
        let df = rows.map(|(n, versus_n)| welch(variances, [n, versus_n]));
        let TestResult { interval: Interval { se, lower, upper }, df, statistic, p_value } =
            TestResult::new(difference, total, df, self.level, self.test);
        [Some(difference), se, lower, upper, statistic, df, p_value]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::inference::Alternative;

    const STATISTIC: UnpairedRocAucDifference = UnpairedRocAucDifference {
        level: 0.95,
        test: Hypothesis { alternative: Alternative::TwoSided, null: None, margin: None },
    };

    fn fields(row: [Option<f64>; 6]) -> Vec<Option<f64>> {
        let columns: Vec<Vec<Option<f64>>> = row.iter().map(|&value| vec![value]).collect();
        STATISTIC.answer(&columns).unwrap().into_iter().map(|field| field[0]).collect()
    }

    #[test]
    fn without_numbers_of_rows_it_is_normal() {
        let got = fields([Some(0.8), Some(0.03), Some(0.7), Some(0.04), None, None]);
        let expected = [0.1, 0.05, 0.1 - 1.959963984540054 * 0.05, 0.1 + 1.959963984540054 * 0.05, 2.0];
        for (got, expected) in got.iter().zip(expected) {
            assert!((got.unwrap() - expected).abs() < 1e-12, "{got:?} {expected}");
        }
        assert_eq!(got[5], None);
        // 2 pnorm(-2) of R.
        assert!((got[6].unwrap() - 0.04550026389635842).abs() < 1e-12);
    }

    #[test]
    fn with_numbers_of_rows_it_is_welch() {
        let got = fields([Some(0.8), Some(0.03), Some(0.7), Some(0.04), Some(10.0), Some(20.0)]);
        let df = 0.0025f64.powi(2) / (0.0009f64.powi(2) / 9.0 + 0.0016f64.powi(2) / 19.0);
        assert!((got[5].unwrap() - df).abs() < 1e-9);
        assert!(got[6].unwrap() > 0.0455);
    }

    #[test]
    fn what_is_unknown_is_null() {
        assert_eq!(fields([None, Some(0.1), Some(0.5), Some(0.1), None, None]), [None; 7]);
        let got = fields([Some(0.75), None, Some(0.5), Some(0.1), None, None]);
        assert_eq!((got[0], got[1], got[6]), (Some(0.25), None, None));
        let got = fields([Some(0.75), Some(0.0), Some(0.5), Some(0.0), Some(9.0), Some(9.0)]);
        assert_eq!((got[2], got[3], got[4], got[6]), (Some(0.25), Some(0.25), None, None));
        let got = fields([Some(0.75), Some(0.1), Some(0.5), Some(0.1), Some(1.0), Some(9.0)]);
        assert_eq!((got[0], got[2], got[6]), (Some(0.25), None, None));
        assert!(
            fields([Some(f64::NAN), Some(f64::NAN), Some(0.5), Some(0.1), None, None])[6].unwrap().is_nan()
        );
    }

    #[test]
    fn a_negative_standard_error_is_refused() {
        let column = |value| vec![Some(value)];
        let columns = [0.5, -0.1, 0.5, 0.1, 9.0, 9.0].map(column);
        assert!(STATISTIC.answer(&columns).unwrap_err().contains("se holds -0.1"));
    }
}
