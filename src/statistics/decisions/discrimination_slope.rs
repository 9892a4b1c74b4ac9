//! The discrimination slope of probabilities, and the difference of two: the integrated discrimination improvement.

use super::paired_difference::{PairedDifferenceRecord, PairedTest};
use crate::math::exact_sum::ExactSum;
use crate::math::sum::Sum;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::calibration::masses::{Masses, ScoreMass};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Interval;
use crate::statistics::kinds::{Inputs, Joint, Needs, Summary, record};
use crate::statistics::losses::probability;
use crate::statistics::options::{FromOptions, OptionError, Options, from_options};
use crate::statistics::rows::Rows;

/// The mean score of positives minus that of negatives (Yates 1982; Tjur 2009).
///
/// The means of both classes are independent: `se² = s₁² / P + s₀² / N` with the sample variances. With weights the variance of a
/// mean is `n / (n - 1) sum w² (score - mean)² / (sum w)²`.
#[derive(Clone, Copy, Debug)]
pub struct DiscriminationSlope {
    /// The coverage of the interval.
    pub level: f64,
}

/// The difference of the discrimination slopes of two probabilities of the same rows (Pencina, D'Agostino,
/// D'Agostino and Vasan 2008). It is the slope of the row-wise differences, with its standard error.
#[derive(Clone, Copy, Debug)]
pub struct DiscriminationSlopeDifference {
    /// The test and the interval.
    pub paired: PairedTest,
}

record! {
    /// The discrimination slope of one group.
    pub struct DiscriminationSlopeRecord {
        /// The slope, `mean_pos - mean_neg`, from -1 to 1; null with no positives or no negatives.
        pub discrimination_slope: Option<f64>,
        /// - `se`: the standard error of the slope; null with fewer than two positives or negatives.
        /// - `lower`, `upper`: the confidence limits, by the normal distribution.
        pub interval: Interval,
        /// The mean score of positives; null with no positives.
        pub mean_pos: Option<f64>,
        /// The mean score of negatives; null with no negatives.
        pub mean_neg: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| DiscriminationSlope { level: options.level()? });

impl FromOptions for DiscriminationSlopeDifference {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(DiscriminationSlopeDifference { paired: PairedTest::from_options(options)? })
    }
}

impl Summary for DiscriminationSlope {
    type Record = DiscriminationSlopeRecord;

    const WEIGHTS: bool = true;

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        probability::check(ties)
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> DiscriminationSlopeRecord {
        let rows = Count::from(&ties);
        let undefined = DiscriminationSlopeRecord::undefined(rows);
        let Some(masses) = Masses::from_ties(&mut ties) else { return undefined };
        let mean = |all: f64, f: &dyn Fn(&ScoreMass) -> f64| {
            let sum = masses.scores.iter().map(|score| (score.score, f(score)));
            (all > 0.0).then(|| Sum::sum_repeated(sum) / all)
        };
        let mean_pos = mean(masses.all.pos, &|score| score.mass.pos);
        let mean_neg = mean(masses.all.neg, &|score| score.mass.neg);
        let (Some(pos), Some(neg)) = (mean_pos, mean_neg) else {
            return DiscriminationSlopeRecord { mean_pos, mean_neg, ..undefined };
        };
        let variance = |rows: u64, all: f64, mean: f64, f: &dyn Fn(&ScoreMass) -> f64| {
            let squares = masses.sum(|score| f(score) * (score.score - mean).powi(2));
            squares / (all * all) * bessel(rows)
        };
        let has_two = masses.has_squares && rows.pos > 1 && rows.neg > 1;
        let interval = has_two.then(|| {
            let pos_variance = variance(rows.pos, masses.all.pos, pos, &|score| score.squares.pos);
            let neg_variance = variance(rows.neg, masses.all.neg, neg, &|score| score.squares.neg);
            Interval::normal(pos - neg, (pos_variance + neg_variance).sqrt(), self.level).within(-1.0, 1.0)
        });
        DiscriminationSlopeRecord {
            discrimination_slope: Some(pos - neg),
            interval: interval.unwrap_or_default(),
            mean_pos,
            mean_neg,
            rows,
        }
    }
}

/// `n / (n - 1)`, for the variance of a mean of n rows.
fn bessel(rows: u64) -> f64 {
    rows as f64 / (rows - 1) as f64
}

impl Joint for DiscriminationSlopeDifference {
    type Record = PairedDifferenceRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2));

    const WEIGHTS: bool = true;

    fn needs(&self) -> Needs {
        Needs::VALUES
    }

    fn check_rows(&self, rows: &Rows) -> Result<(), String> {
        probability::check_rows(rows)
    }

    fn evaluate(&self, rows: &Rows) -> PairedDifferenceRecord {
        let count = Count::from(rows);
        if count.pos == 0 || count.neg == 0 {
            return PairedDifferenceRecord::undefined(rows);
        }
        let weight = rows.relative_weight();
        // Exact sums, so that the result does not depend on the order of rows.
        let sum = |class: bool, f: &dyn Fn(usize) -> f64| {
            let mut sum = ExactSum::default();
            (0..rows.len).filter(|&row| rows.labels[row] == class).for_each(|row| sum.add(f(row), 1));
            sum.sum()
        };
        let totals = [false, true].map(|class| sum(class, &weight));
        let mean = |class: bool, f: &dyn Fn(usize) -> f64| {
            sum(class, &|row| weight(row) * f(row)).quotient(totals[usize::from(class)])
        };
        let slope = |f: &dyn Fn(usize) -> f64| mean(true, f) - mean(false, f);
        let estimates = [0, 1].map(|score: usize| slope(&|row| rows.values[score][row]));
        let change = |row: usize| rows.values[0][row] - rows.values[1][row];
        let means = [false, true].map(|class| mean(class, &change));
        let variance = |class: bool| {
            let distance = |row: usize| weight(row) * (change(row) - means[usize::from(class)]);
            let rows = if class { count.pos } else { count.neg };
            let squares = sum(class, &|row| distance(row).powi(2)).total();
            squares / totals[usize::from(class)].total().powi(2) * bessel(rows)
        };
        let se = (count.pos > 1 && count.neg > 1).then(|| (variance(true) + variance(false)).sqrt());
        self.paired.record(estimates, means[1] - means[0], se, count)
    }
}

declaration! {
    /// The discrimination slope of probabilities: the mean score of positives minus the mean score of negatives, with
    /// its interval.
    ///
    /// Words: discrimination slope, coefficient of discrimination, Tjur's R squared, Yates slope.
    DiscriminationSlope => DiscriminationSlopeRecord {
        label = None,
        /// The predicted probability of a positive: any numeric column with values from 0 to 1.
        score: column = None;
        level = 0.95, weight = None, count = None, state = None,
    }
}

declaration! {
    /// The difference of the discrimination slopes of two probabilities on the same rows, with its interval and test.
    ///
    /// Words: IDI, integrated discrimination improvement, compare discrimination slopes.
    DiscriminationSlopeDifference => PairedDifferenceRecord {
        label,
        /// The predicted probabilities of a positive: numeric columns with values from 0 to 1.
        score_a: column,
        score_b: column;
        /// With `"greater"`, the alternative is that the first score is better.
        alternative = "two-sided",
        /// 0 by default.
        null = None, margin = None, level = 0.95, weight = None, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn few_rows() {
        let slope = DiscriminationSlope { level: 0.95 };
        let record = summary(&slope, &[1, 1, 0, 0], &[0.75, 0.25, 0.5, 0.25]);
        assert_eq!((record.mean_pos, record.mean_neg), (Some(0.5), Some(0.375)));
        assert_eq!(record.discrimination_slope, Some(0.125));
        // Sample variances of 1/8 and 1/32, each over two rows.
        assert_eq!(record.interval.se, Some((0.125f64 / 2.0 + 0.03125 / 2.0).sqrt()));
        let one = summary(&slope, &[1, 0, 0], &[0.75, 0.5, 0.25]);
        assert_eq!((one.discrimination_slope, one.interval.se), (Some(0.375), None));
        let pos = summary(&slope, &[1], &[0.75]);
        assert_eq!((pos.discrimination_slope, pos.mean_pos, pos.mean_neg), (None, Some(0.75), None));
    }

    #[test]
    fn difference_of_few_rows() {
        let values = vec![vec![0.75, 0.25, 0.5, 0.25], vec![0.5, 0.25, 0.5, 0.5]];
        let rows = Rows { len: 4, labels: vec![true, true, false, false], values, ..Rows::default() };
        let paired = PairedTest { level: 0.95, ..PairedTest::default() };
        let statistic = DiscriminationSlopeDifference { paired };
        let record = statistic.evaluate(&rows);
        assert_eq!((record.estimate_a, record.estimate_b), (Some(0.125), Some(-0.125)));
        // Changes of 1/4 and 0 for positives, 0 and -1/4 for negatives.
        assert_eq!((record.difference, record.interval.se), (Some(0.25), Some(0.03125f64.sqrt())));
        let tiny = Rows { weights: Some(vec![1e-300; 4]), ..rows };
        assert_eq!(statistic.evaluate(&tiny).interval.se, record.interval.se);
        assert!(statistic.check_rows(&Rows { values: vec![vec![2.0]], ..Rows::default() }).is_err());
    }
}
