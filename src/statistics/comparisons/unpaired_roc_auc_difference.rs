//! The difference of two areas of different rows, and the test that they are equal.

use crate::math::{normal, student_t};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Hypothesis, Interval, SampleSize, WilsonDifference, WilsonScale, welch};
use crate::statistics::kinds::Columnwise;
use crate::statistics::options::{from_options, words};

/// The method of comparing two areas of different rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DifferenceMethod {
    /// Wilson-type limits for either area: see [`WilsonDifference`].
    #[default]
    Wilson,
    /// Standard errors, against Student's t with Welch-Satterthwaite degrees of freedom over rows.
    DeLong,
}

words!(DifferenceMethod { "wilson" => Wilson, "delong" => DeLong });

/// The interval and the test of a difference.
#[derive(Clone, Copy, Debug)]
pub struct TestResult {
    /// The interval of the difference.
    pub interval: Interval,
    /// The degrees of freedom; `None` for the normal distribution.
    pub df: Option<f64>,
    /// The difference in standard errors; `None` if a standard error is 0.
    pub statistic: Option<f64>,
    /// The p-value.
    pub p_value: Option<f64>,
}

impl TestResult {
    /// From the standard error of the difference and the variances of both areas. An estimated variance of 0
    /// is inconclusive, and gives no test.
    pub fn delong(
        difference: f64,
        se: f64,
        variances: [f64; 2],
        df: Option<f64>,
        level: f64,
        test: Hypothesis,
    ) -> Self {
        let df = df.filter(|_| se != 0.0);
        let interval = match df {
            Some(df) => Interval::student(difference, se, level, df),
            None => Interval::normal(difference, se, level),
        };
        let upper_tail = |statistic: f64| match df {
            Some(df) => student_t::upper_tail(statistic, df),
            None => normal::upper_tail(statistic),
        };
        let (statistic, p_value) = if se == 0.0 || variances.contains(&0.0) {
            (None, None)
        } else if se.is_nan() {
            (Some(f64::NAN), Some(f64::NAN))
        } else {
            test.test(0.0, |value| difference - value, se, upper_tail)
        };
        TestResult { interval, df, statistic, p_value }
    }

    /// From the limits of both areas, which have this covariance.
    pub fn wilson(areas: [WilsonScale; 2], covariance: f64, se: f64, level: f64, test: Hypothesis) -> Self {
        let difference = WilsonDifference::new(areas[0], areas[1], covariance);
        if se == 0.0 && covariance != 0.0 {
            // The areas are perfectly correlated, such as the area of all rows and of their only segment.
            let interval = Interval::normal(difference.value(), se, level);
            return TestResult { interval, df: None, statistic: None, p_value: None };
        }
        let (lower, upper) = difference.limits(level);
        let upper_tail = |statistic: f64| student_t::upper_tail(statistic, difference.df);
        let (statistic, p_value) = test.test(0.0, |value| difference.above(value), 1.0, upper_tail);
        let interval = Interval { se: Some(se), lower: Some(lower), upper: Some(upper) };
        TestResult { interval, df: Some(difference.df), statistic, p_value }
    }
}

/// The difference of two estimated areas of different rows, row by row.
///
/// With the numbers of positives and negatives, by [`WilsonDifference`] or by DeLong. DeLong's is
/// `d = (A1 - A2) / sqrt(S1² + S2²)` of the standard errors S, against Student's t with Welch-Satterthwaite
/// degrees of freedom, as pROC's unpaired test. Without these numbers d is compared with the normal
/// distribution.
#[derive(Clone, Copy, Debug)]
pub struct UnpairedRocAucDifference {
    /// The method; by default [`DifferenceMethod::Wilson`] if the numbers of rows are known.
    pub method: Option<DifferenceMethod>,
    /// The coverage of the interval.
    pub level: f64,
    /// The hypothesis; no difference by default.
    pub test: Hypothesis,
}

from_options!(|options| UnpairedRocAucDifference {
    method: options.optional_word("method")?,
    test: Hypothesis::parse(options, -1.0)?,
    level: options.level()?,
});

impl Columnwise for UnpairedRocAucDifference {
    const ROLES: &'static [&'static str] =
        &["auc", "se", "versus_auc", "versus_se", "n_pos", "n_neg", "versus_n_pos", "versus_n_neg"];
    const FIELDS: &'static [&'static str] =
        &["difference", "se", "lower", "upper", "statistic", "df", "p_value"];

    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        for (column, &role) in Self::ROLES.iter().enumerate() {
            let values = columns[column].iter().flatten();
            let is_se = role.ends_with("se");
            let bounds = match role {
                "auc" | "versus_auc" => (0.0, 1.0),
                _ => (0.0, f64::INFINITY),
            };
            let mut wrong = values
                .filter(|&&value| value < bounds.0 || value > bounds.1 || (column >= 4 && value.is_nan()));
            if let Some(wrong) = wrong.next() {
                let what = match role {
                    "auc" | "versus_auc" => "an AUC lies between 0 and 1",
                    _ if is_se => "a standard error is not negative",
                    _ => "a number of rows is not negative",
                };
                return Err(format!("{role} contains {wrong}, but {what}"));
            }
        }
        let row = |row: usize| self.row(std::array::from_fn(|column| columns[column][row]));
        let records: Vec<_> = (0..columns[0].len()).map(row).collect();
        let field = |field: usize| records.iter().map(|record| record[field]).collect();
        Ok((0..Self::FIELDS.len()).map(field).collect())
    }
}

impl UnpairedRocAucDifference {
    /// The fields of one row. The difference is defined even if its error is not.
    fn row(&self, numbers: [Option<f64>; 8]) -> [Option<f64>; 7] {
        let [auc, se, versus_auc, versus_se, n_pos, n_neg, versus_n_pos, versus_n_neg] = numbers;
        let (Some(auc), Some(versus_auc)) = (auc, versus_auc) else { return [None; 7] };
        let difference = auc - versus_auc;
        let (Some(se), Some(versus_se)) = (se, versus_se) else {
            return [Some(difference), None, None, None, None, None, None];
        };
        let variances = [se * se, versus_se * versus_se];
        let total = (variances[0] + variances[1]).sqrt();
        let rows = |pos: Option<f64>, neg: Option<f64>| pos.zip(neg).map(|(pos, neg)| Count { pos, neg });
        let sizes = rows(n_pos, n_neg).zip(rows(versus_n_pos, versus_n_neg));
        let fewest = |rows: Count<f64>| rows.pos.min(rows.neg);
        if sizes.is_some_and(|(size, versus)| fewest(size).min(fewest(versus)) < 2.0) {
            return [Some(difference), Some(total), None, None, None, None, None];
        }
        let result = match sizes {
            Some((size, versus)) if self.method != Some(DifferenceMethod::DeLong) => {
                let scale = |auc: f64, variance: f64, rows: Count<f64>| {
                    WilsonScale::new(auc, variance, SampleSize { rows, units: rows })
                };
                let areas = [scale(auc, variances[0], size), scale(versus_auc, variances[1], versus)];
                TestResult::wilson(areas, 0.0, total, self.level, self.test)
            }
            sizes => {
                let df = sizes
                    .map(|(size, versus)| welch(variances, [size.pos + size.neg, versus.pos + versus.neg]));
                TestResult::delong(difference, total, variances, df, self.level, self.test)
            }
        };
        let TestResult { interval: Interval { se, lower, upper }, df, statistic, p_value } = result;
        [Some(difference), se, lower, upper, statistic, df, p_value]
    }
}

declaration! {
    /// The difference of two AUCs of different rows, from their standard errors, such as a published AUC or the AUC
    /// of an earlier report.
    ///
    /// Words: unpaired test, independent samples, published AUC, two studies.
    UnpairedRocAucDifference {
        /// The AUC and its standard error, as returned by `roc_auc_ci()`: columns or numbers.
        auc: python("_Number"),
        se: python("_Number"),
        /// The AUC that is subtracted, and its standard error: columns or numbers.
        versus_auc: python("_Number"),
        versus_se: python("_Number");
        /// The numbers of positives and negatives of each AUC: columns or numbers, all four or none.
        n_pos: python("_Number") = None,
        n_neg: python("_Number") = None,
        versus_n_pos: python("_Number") = None,
        versus_n_neg: python("_Number") = None,
        /// - `"wilson"`, the default with numbers of rows: from the `"wilson"` limits of both AUCs, as in
        ///   `roc_auc_ci()`. It keeps its level with few positives.
        /// - `"delong"`, the default without numbers of rows: the difference divided by its standard error. It is
        ///   compared with Student's t, or without numbers of rows with the normal distribution.
        method: word<DifferenceMethod> = None,
        level = 0.95,
        /// The interval is always two-sided.
        alternative = "two-sided",
        /// 0 by default.
        null = None, margin = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::inference::Alternative;

    const STATISTIC: UnpairedRocAucDifference = UnpairedRocAucDifference {
        method: None,
        level: 0.95,
        test: Hypothesis { alternative: Alternative::TwoSided, null: None, margin: None },
    };

    fn by(method: Option<DifferenceMethod>, row: [Option<f64>; 8]) -> Vec<Option<f64>> {
        let columns: Vec<Vec<Option<f64>>> = row.iter().map(|&value| vec![value]).collect();
        let statistic = UnpairedRocAucDifference { method, ..STATISTIC };
        statistic.evaluate(&columns).unwrap().into_iter().map(|field| field[0]).collect()
    }

    /// Without numbers of rows.
    fn normal(row: [Option<f64>; 4]) -> Vec<Option<f64>> {
        by(None, [row[0], row[1], row[2], row[3], None, None, None, None])
    }

    #[test]
    fn normal_without_numbers_of_rows() {
        let got = normal([Some(0.8), Some(0.03), Some(0.7), Some(0.04)]);
        let expected = [0.1, 0.05, 0.1 - 1.959963984540054 * 0.05, 0.1 + 1.959963984540054 * 0.05, 2.0];
        for (got, expected) in got.iter().zip(expected) {
            assert!((got.unwrap() - expected).abs() < 1e-12, "{got:?} {expected}");
        }
        assert_eq!(got[5], None);
        // 2 pnorm(-2) in R.
        assert!((got[6].unwrap() - 0.04550026389635842).abs() < 1e-12);
    }

    #[test]
    fn delong_is_welch() {
        let row = [0.8, 0.03, 0.7, 0.04, 4.0, 6.0, 12.0, 8.0].map(Some);
        let got = by(Some(DifferenceMethod::DeLong), row);
        let df = 0.0025f64.powi(2) / (0.0009f64.powi(2) / 9.0 + 0.0016f64.powi(2) / 19.0);
        assert!((got[5].unwrap() - df).abs() < 1e-9);
        assert!(got[6].unwrap() > 0.0455);
    }

    /// Two misordered rows of each class are inconclusive, whatever DeLong's error is.
    #[test]
    fn few_rows_are_inconclusive() {
        let row = [0.0, 0.0, 0.75, 0.02, 2.0, 2.0, 300.0, 300.0].map(Some);
        let got = by(None, row);
        assert!(got[6].unwrap() > 0.01 && got[3].unwrap() > -0.2, "{got:?}");
        let delong = by(Some(DifferenceMethod::DeLong), row);
        assert_eq!((delong[4], delong[6]), (None, None));
    }

    #[test]
    fn unknown_numbers_are_null() {
        assert_eq!(normal([None, Some(0.1), Some(0.5), Some(0.1)]), [None; 7]);
        let got = normal([Some(0.75), None, Some(0.5), Some(0.1)]);
        assert_eq!((got[0], got[1], got[6]), (Some(0.25), None, None));
        let got = normal([Some(0.75), Some(0.0), Some(0.5), Some(0.0)]);
        assert_eq!((got[2], got[3], got[4], got[6]), (Some(0.25), Some(0.25), None, None));
        let got = by(None, [0.75, 0.1, 0.5, 0.1, 1.0, 9.0, 9.0, 9.0].map(Some));
        assert_eq!((got[0], got[2], got[6]), (Some(0.25), None, None));
        assert!(normal([Some(f64::NAN), Some(f64::NAN), Some(0.5), Some(0.1)])[6].unwrap().is_nan());
        let nan = by(None, [f64::NAN, f64::NAN, 0.5, 0.1, 9.0, 9.0, 9.0, 9.0].map(Some));
        assert!(nan[2].unwrap().is_nan() && nan[6].unwrap().is_nan());
    }

    #[test]
    fn impossible_numbers_are_refused() {
        let error = |row: [f64; 8]| STATISTIC.evaluate(&row.map(|value| vec![Some(value)])).unwrap_err();
        assert!(error([0.5, -0.1, 0.5, 0.1, 9.0, 9.0, 9.0, 9.0]).contains("se contains -0.1"));
        assert!(error([0.5, 0.1, 1.5, 0.1, 9.0, 9.0, 9.0, 9.0]).contains("versus_auc contains 1.5"));
        assert!(error([0.5, 0.1, 0.5, 0.1, 9.0, f64::NAN, 9.0, 9.0]).contains("n_neg contains NaN"));
    }
}
