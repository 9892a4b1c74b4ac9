//! Tests of the predicted probability of each rating grade.

use statrs::function::beta::{beta_reg, inv_beta_reg};

use super::masses::Masses;
use crate::math::binomial;
use crate::ranking::ties::Ties;
use crate::statistics::comparisons::adjust_p_values::Adjustment;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{RateInterval, interval::tail};
use crate::statistics::kinds::{Column, Curve, Record, record};
use crate::statistics::losses::probability;
use crate::statistics::options::from_options;

/// Columns with more distinct scores are not grades.
const MAX_GRADES: usize = 1000;

/// The rate of positives of each distinct score, and a test whether the score is too low.
#[derive(Clone, Copy, Debug)]
pub struct CalibrationByGrade {
    /// The coverage of the intervals.
    pub level: f64,
    /// The adjustment of p-values for the number of grades.
    pub adjust: Adjustment,
}

record! {
    /// One grade.
    pub struct GradeRecord {
        /// The predicted probability of the grade.
        pub score: f64,
        /// The number of rows in the grade.
        pub n: u64,
        /// The number of positives in the grade.
        pub n_pos: u64,
        /// The expected number of positives: `n score`.
        pub expected: f64,
        /// - `rate`: the share of positives.
        /// - `rate_lower`, `rate_upper`: its Jeffreys limits, quantiles of the beta distribution with parameters
        ///   `n_pos + 1/2` and `n - n_pos + 1/2`.
        pub rate: RateInterval,
        /// The p-value of Jeffreys' test that the score is not too low: the probability below the score under this
        /// beta distribution.
        pub jeffreys_p_value: f64,
        /// The p-value of the exact binomial test of the same hypothesis: the probability of `n_pos` or more
        /// positives.
        pub binomial_p_value: f64,
        /// `jeffreys_p_value`, adjusted for the number of grades.
        pub p_adjusted: Option<f64>,
    }
}

from_options!(|options| CalibrationByGrade {
    level: options.level()?,
    adjust: Adjustment::parse(options, "adjust")?,
});

impl Curve for CalibrationByGrade {
    type Record = GradeRecord;

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        probability::check(ties)?;
        match ties.counts().len() {
            grades if grades > MAX_GRADES => Err(format!(
                "expected the stated probability of each grade, at most {MAX_GRADES} distinct values, got {grades}; for scores \
                 without grades use calibration_curve"
            )),
            _ => Ok(()),
        }
    }

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(masses) = Masses::from_ties(&mut ties) else { return false };
        let grade = |score: f64, n: u64, n_pos: u64| {
            let (a, b) = (n_pos as f64 + 0.5, (n - n_pos) as f64 + 0.5);
            let limit = |probability: f64| inv_beta_reg(a, b, probability);
            let below = tail(self.level);
            GradeRecord {
                score,
                n,
                n_pos,
                expected: n as f64 * score,
                rate: RateInterval::new(
                    Some(n_pos as f64 / n as f64),
                    Some((limit(below), limit(1.0 - below))),
                ),
                jeffreys_p_value: beta_reg(a, b, score),
                binomial_p_value: binomial::upper_tail(n_pos, n, score),
                p_adjusted: None,
            }
        };
        let mut grades: Vec<GradeRecord> = masses
            .scores
            .iter()
            .map(|at| grade(at.score, at.mass.rows() as u64, at.mass.pos as u64))
            .collect();
        self.adjust.adjust(&mut grades, |grade| (Some(grade.jeffreys_p_value), &mut grade.p_adjusted));
        grades.into_iter().for_each(|grade| grade.append(columns));
        true
    }
}

declaration! {
    /// The rate of positives and the predicted probability of each rating grade, with Jeffreys and binomial tests.
    ///
    /// Words: PD calibration, rating grades, Jeffreys test, binomial test, backtesting, default rate.
    CalibrationByGrade => GradeRecord {
        label = None,
        /// The predicted probability of the grade, from 0 to 1: at most 1,000 distinct values, one per grade.
        score: column = None;
        level = 0.95,
        /// The adjustment of `jeffreys_p_value` for the number of grades, as in `adjust_p_values()`, or `None`.
        adjust: python("Adjustment | None") = "holm",
        count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::curve_points;

    #[test]
    fn two_grades() {
        let by_grade = CalibrationByGrade { level: 0.95, adjust: Adjustment::Holm };
        let (labels, scores) = ([0, 1, 0, 0, 1, 1, 1, 0], [0.1, 0.1, 0.1, 0.1, 0.4, 0.4, 0.4, 0.4]);
        let points = curve_points(&by_grade, &labels, &scores).unwrap();
        assert_eq!((points.counts("n"), points.counts("n_pos")), (&[4, 4][..], &[1, 3][..]));
        // scipy.stats.beta(1.5, 3.5).cdf(0.1), beta(3.5, 1.5).cdf(0.4), and binomial tails.
        for (field, expected) in [
            ("jeffreys_p_value", [0.147_384_196_440_682_96, 0.078_118_515_000_915_81]),
            ("binomial_p_value", [0.3439, 0.1792]),
            ("p_adjusted", [0.156_237_030_001_831_62, 0.156_237_030_001_831_62]),
        ] {
            for (value, expected) in points.numbers(field).iter().zip(expected) {
                assert!((value - expected).abs() < 1e-12, "{field} {value}");
            }
        }
    }
}
