//! The difference of the net benefits of two scores on the same rows.

use super::NetBenefit;
use crate::math::normal::upper_tail;
use crate::ranking::ties::{Count, Unit};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{
    Hypothesis, Interval,
    weighted_areas::{units_of_classes, units_of_rows},
};
use crate::statistics::kinds::{Inputs, Joint, Needs, record};
use crate::statistics::losses::probability;
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::rows::Rows;

/// The paired difference of the net benefits of two probabilities, by threshold.
///
/// A row that only the first score calls positive contributes 1 if it is positive, and `-t / (1 - t)` if it
/// is negative. A row that only the second score calls positive contributes the opposite. The difference is
/// the mean of the contributions, with the standard error of a mean. With another prevalence it combines the
/// means of both classes (Vickers, Cronin, Elkin and Gonen 2008).
#[derive(Clone, Debug)]
pub struct NetBenefitDifference {
    /// The thresholds, the prevalence and the coverage.
    pub curve: NetBenefit,
}

record! {
    /// The difference at one threshold.
    pub struct NetBenefitDifferenceRecord {
        /// A row is predicted positive if `score >= threshold`.
        pub threshold: f64,
        /// The net benefit of the first score, in true positives per row.
        pub net_benefit_a: f64,
        /// The net benefit of the second score.
        pub net_benefit_b: f64,
        /// `net_benefit_a - net_benefit_b`.
        pub difference: f64,
        /// - `se`: the standard error of the difference; null with a single row.
        /// - `lower`, `upper`: the confidence limits, by the normal distribution.
        pub interval: Interval,
        /// The two-sided p-value of no difference at this threshold, by the normal distribution.
        pub p_value: Option<f64>,
        /// The interventions that the first score avoids per 100 rows, at the true positives of the second score:
        /// `100 difference (1 - t) / t`.
        pub interventions_avoided_per_100: f64,
    }
}

impl FromOptions for NetBenefitDifference {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(NetBenefitDifference { curve: NetBenefit::from_options(options)? })
    }
}

/// The weights of rows that both scores call positive, only the first, and only the second; and the sums of
/// squares of the last two.
#[derive(Clone, Copy, Default)]
struct Calls {
    both: i64,
    only: [i64; 2],
    squares: [i128; 2],
}

/// The sums of one class as floats.
struct ClassCalls {
    all: f64,
    both: f64,
    only: [f64; 2],
    all_squares: f64,
    squares: [f64; 2],
}

impl Joint for NetBenefitDifference {
    /// One record per threshold, in order. Null without rows and if a score is NaN; with another prevalence,
    /// also if a class is missing.
    type Record = Option<Vec<NetBenefitDifferenceRecord>>;

    const INPUTS: Inputs = Inputs::scores(Some(2));

    const WEIGHTS: bool = true;

    fn needs(&self) -> Needs {
        Needs::VALUES
    }

    fn check_rows(&self, rows: &Rows) -> Result<(), String> {
        probability::check_rows(rows)
    }

    fn evaluate(&self, rows: &Rows) -> Option<Vec<NetBenefitDifferenceRecord>> {
        let row_units = rows.weights.as_ref().map(|_| units_of_rows(rows));
        let units_of = |row: usize| row_units.as_ref().map_or(1, |row_units| row_units[row]);
        let (mut all, mut all_squares) = (Count::default(), [0; 2]);
        for (row, &label) in rows.labels.iter().enumerate() {
            all.add(label, units_of(row));
            all_squares[usize::from(label)] += i128::from(units_of(row)).pow(2);
        }
        let has_pairs = all.pos > 0 && all.neg > 0;
        if all.rows() == 0 || self.curve.prevalence.is_some() && !has_pairs {
            return None;
        }
        let units = row_units.as_ref().map(|_| units_of_classes(rows).relative(all).0);
        let calls = self.calls(rows, units_of);
        let records = self.curve.thresholds.iter().zip(calls).map(|(&threshold, [neg, pos])| {
            let pos = ClassCalls::new(pos, (all.pos, all_squares[1]), units.map(|units| units.pos));
            let neg = ClassCalls::new(neg, (all.neg, all_squares[0]), units.map(|units| units.neg));
            self.record(threshold, &pos, &neg, rows.len as f64)
        });
        Some(records.collect())
    }
}

impl NetBenefitDifference {
    /// For each threshold, in order, the calls of negatives and of positives.
    fn calls(&self, rows: &Rows, units_of: impl Fn(usize) -> u64) -> Vec<[Calls; 2]> {
        let mut ascending = self.curve.thresholds.clone();
        ascending.sort_unstable_by(f64::total_cmp);
        // The changes at each threshold. All sums are integers, so their order does not matter.
        let mut steps = vec![[Calls::default(); 2]; ascending.len() + 1];
        for (row, &label) in rows.labels.iter().enumerate() {
            let (units, class) = (units_of(row).cast_signed(), usize::from(label));
            let reach =
                [0, 1].map(|score: usize| ascending.partition_point(|&at| at <= rows.values[score][row]));
            let (first, last) = (reach[0].min(reach[1]), reach[0].max(reach[1]));
            steps[0][class].both += units;
            steps[first][class].both -= units;
            if first < last {
                let (only, square) = (usize::from(reach[1] > reach[0]), i128::from(units).pow(2));
                steps[first][class].only[only] += units;
                steps[last][class].only[only] -= units;
                steps[first][class].squares[only] += square;
                steps[last][class].squares[only] -= square;
            }
        }
        let mut sums = [Calls::default(); 2];
        for step in &mut steps {
            for (sum, class) in sums.iter_mut().zip(step) {
                sum.both += class.both;
                for only in 0..2 {
                    sum.only[only] += class.only[only];
                    sum.squares[only] += class.squares[only];
                }
                *class = *sum;
            }
        }
        let index = |threshold: &f64| ascending.partition_point(|at| at < threshold);
        self.curve.thresholds.iter().map(|threshold| steps[index(threshold)]).collect()
    }

    /// The record at a threshold.
    fn record(
        &self,
        threshold: f64,
        pos: &ClassCalls,
        neg: &ClassCalls,
        rows: f64,
    ) -> NetBenefitDifferenceRecord {
        let odds = threshold / (1.0 - threshold);
        let n = pos.all + neg.all;
        let difference_of = |class: &ClassCalls| class.only[0] - class.only[1];
        let called = |class: &ClassCalls, score: usize| class.both + class.only[score];
        let ([a, b], difference, variance) = match self.curve.prevalence {
            None => {
                let estimates = [0, 1].map(|score| (called(pos, score) - odds * called(neg, score)) / n);
                let difference = (difference_of(pos) - odds * difference_of(neg)) / n;
                let squares = pos.squares_from(1.0, difference) + neg.squares_from(-odds, difference);
                let variance = (rows > 1.0).then(|| squares * rows / (rows - 1.0) / (n * n));
                (estimates, difference, variance)
            }
            // The rates are estimated from separate samples.
            Some(prevalence) => {
                let (pos_weight, neg_weight) = (prevalence / pos.all, (1.0 - prevalence) * odds / neg.all);
                let estimates =
                    [0, 1].map(|score| pos_weight * called(pos, score) - neg_weight * called(neg, score));
                let difference = pos_weight * difference_of(pos) - neg_weight * difference_of(neg);
                let variance = |class: &ClassCalls| class.squares_from(1.0, difference_of(class) / class.all);
                let variance =
                    pos_weight * pos_weight * variance(pos) + neg_weight * neg_weight * variance(neg);
                (estimates, difference, Some(variance))
            }
        };
        let se = variance.map(|variance| variance.max(0.0).sqrt());
        let test = |se| Hypothesis::default().test(0.0, |value| difference - value, se, upper_tail).1;
        NetBenefitDifferenceRecord::new(
            threshold,
            a,
            b,
            difference,
            se.map(|se| Interval::normal(difference, se, self.curve.level)).unwrap_or_default(),
            se.and_then(test),
            100.0 * difference / odds,
        )
    }
}

impl ClassCalls {
    /// The calls of a class from its total weight and sum of squares; weights are in a unit.
    fn new(calls: Calls, (all, all_squares): (u64, i128), unit: Option<Unit>) -> Self {
        let weight = |units: f64| unit.map_or(units, |unit| unit.weight_of(units));
        let square = |units: i128| weight(weight(units as f64));
        ClassCalls {
            all: weight(all as f64),
            both: weight(calls.both as f64),
            only: calls.only.map(|units| weight(units as f64)),
            all_squares: square(all_squares),
            squares: calls.squares.map(square),
        }
    }

    /// The sum of squared weights times squared distances of contributions from a mean. The contribution is
    /// `gain` if only the first score calls the row positive, `-gain` if only the second does, and
    /// otherwise 0.
    fn squares_from(&self, gain: f64, mean: f64) -> f64 {
        let rest = (self.all_squares - self.squares[0] - self.squares[1]).max(0.0);
        self.squares[0] * (gain - mean).powi(2) + self.squares[1] * (gain + mean).powi(2) + rest * mean * mean
    }
}

declaration! {
    /// The difference of the net benefits of two probabilities on the same rows, at given thresholds, with its
    /// interval and test.
    ///
    /// Words: compare decision curves, net benefit difference, net reduction of interventions, paired net benefit.
    NetBenefitDifference => NetBenefitDifferenceRecord {
        label,
        /// The predicted probabilities of a positive: numeric columns with values from 0 to 1.
        score_a: column,
        score_b: column;
        /// The thresholds, each between 0 and 1; 0.01, 0.02 ... 0.99 by default.
        thresholds: numbers = None,
        /// The share of positives in the target population, between 0 and 1; by default the share in the group.
        prevalence: number = None,
        level = 0.95, weight = None, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(a: &[f64], b: &[f64], labels: &[bool]) -> Rows {
        Rows { len: a.len(), labels: labels.into(), values: vec![a.into(), b.into()], ..Rows::default() }
    }

    fn at(thresholds: &[f64], prevalence: Option<f64>) -> NetBenefitDifference {
        let curve = NetBenefit { thresholds: thresholds.into(), prevalence, level: 0.95, band: None };
        NetBenefitDifference { curve }
    }

    #[test]
    fn few_rows() {
        let labels = [true, true, false, false, true];
        let (a, b) = ([0.75, 0.5, 0.5, 0.25, 0.125], [0.75, 0.25, 0.25, 0.5, 0.5]);
        let compute = |statistic: NetBenefitDifference| statistic.evaluate(&rows(&a, &b, &labels)).unwrap();
        let [half, fifth] = &compute(at(&[0.5, 0.2], None))[..] else { panic!("two thresholds") };
        // Two true positives and one false positive for either score.
        assert_eq!((half.net_benefit_a, half.net_benefit_b, half.difference), (0.2, 0.2, 0.0));
        // Rows contribute 0, 1, -1, 1 and -1.
        assert_eq!(half.interval.se, Some((4.0 / 4.0 / 5.0f64).sqrt()));
        assert_eq!((half.p_value, half.interventions_avoided_per_100), (Some(1.0), 0.0));
        // Only the second score calls the last row positive, at odds of 1 to 4.
        assert_eq!((fifth.difference, fifth.interventions_avoided_per_100), (-0.2, -80.0));
        let other = &compute(at(&[0.2], Some(0.5)))[0];
        assert!((other.difference + 0.5 / 3.0).abs() < 1e-15);
        // Positives contribute 0, 0 and -1.
        let variance = 0.25 / 9.0 * (2.0 / 9.0 + 4.0 / 9.0);
        assert!((other.interval.se.unwrap() - f64::sqrt(variance)).abs() < 1e-15);
        assert!(at(&[0.5], Some(0.1)).evaluate(&rows(&[0.5], &[0.5], &[true])).is_none());
        assert!(at(&[0.5], None).evaluate(&rows(&[], &[], &[])).is_none());
        assert_eq!(at(&[0.5], None).evaluate(&rows(&[0.5], &[0.5], &[true])).unwrap()[0].interval.se, None);
    }

    #[test]
    fn weights_of_any_size() {
        let labels = [true, true, false, false, true];
        let rows = rows(&[0.75, 0.5, 0.5, 0.25, 0.125], &[0.75, 0.25, 0.25, 0.5, 0.5], &labels);
        let compute = |weight: f64| {
            let weights = [1.0, 2.0, 3.0, 1.0, 2.0].map(|times| times * weight).into();
            at(&[0.3], None).evaluate(&Rows { weights: Some(weights), ..rows.clone() }).unwrap()
        };
        assert_eq!(compute(1.0), compute(2f64.powi(-800)));
        assert_eq!(compute(1.0), compute(2f64.powi(800)));
        assert!(compute(1.0)[0].interval.se.unwrap() > 0.1);
    }
}
