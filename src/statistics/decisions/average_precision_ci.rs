//! The average precision with an interval.

use crate::math::{normal, sum::Sum};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::calibration::masses::Masses;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Interval, interval::tail};
use crate::statistics::kinds::{Summary, record};
use crate::statistics::numbers::AveragePrecision;
use crate::statistics::options::{from_options, words};

/// The average precision, its standard error from influence values, and its limits.
#[derive(Clone, Copy, Debug)]
pub struct AveragePrecisionCi {
    /// The kind of limits.
    pub method: PrecisionInterval,
    /// The coverage.
    pub level: f64,
}

/// The kinds of limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrecisionInterval {
    /// On the logit scale, with the variance of a proportion of positives.
    Logit,
    /// Normal, with the variance from influence values.
    Influence,
}
words!(PrecisionInterval { "logit" => Logit, "influence" => Influence });

record! {
    /// The average precision of one group.
    pub struct AveragePrecisionCiRecord {
        /// The average precision, from 0 to 1; null with no positives.
        pub average_precision: Option<f64>,
        /// - `se`: the standard error from the influence of each row.
        /// - `lower`, `upper`: the confidence limits; null with `"logit"` if the average precision is 1.
        pub interval: Interval,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| AveragePrecisionCi { method: options.word("method")?, level: options.level()? });

impl Summary for AveragePrecisionCi {
    type Record = AveragePrecisionCiRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> AveragePrecisionCiRecord {
        let rows = Count::from(&ties);
        let undefined = AveragePrecisionCiRecord::undefined(rows);
        let masses = Masses::from_ties(&mut ties);
        // Bit-identical to the average precision without an interval.
        let value = AveragePrecision::default().evaluate(ties).average_precision;
        let (Some(masses), Some(value)) = (masses, value) else { return undefined };
        let se = masses.has_squares.then(|| variance(&masses, value).sqrt());
        let interval = se.map(|se| match self.method {
            PrecisionInterval::Influence => Interval::normal(value, se, self.level).within(0.0, 1.0),
            PrecisionInterval::Logit => Interval { se: Some(se), ..self.logit_limits(value, &masses) },
        });
        AveragePrecisionCiRecord {
            average_precision: Some(value),
            interval: interval.unwrap_or_default(),
            ..undefined
        }
    }
}

impl AveragePrecisionCi {
    /// `expit(logit AP ± z / sqrt(P AP (1 - AP)))` (Boyd, Eng and Page 2013, section 3.3), with Kish's
    /// effective number of positives for weights.
    fn logit_limits(&self, value: f64, masses: &Masses) -> Interval {
        if value >= 1.0 {
            return Interval::default();
        }
        let n_pos = masses.all.pos * (masses.all.pos / masses.sum(|score| score.squares.pos));
        let logit = (value / (1.0 - value)).ln();
        let margin = normal::upper_quantile(tail(self.level)) / (n_pos * value * (1.0 - value)).sqrt();
        let expit = |logit: f64| Some(1.0 / (1.0 + (-logit).exp()));
        Interval { se: None, lower: expit(logit - margin), upper: expit(logit + margin) }
    }
}

/// The sum over rows of the squared weight times the squared derivative of the average precision by the
/// weight (Jaeckel 1972).
fn variance(masses: &Masses, value: f64) -> f64 {
    let n_pos = masses.all.pos;
    let mut variance = Sum::default();
    let mut ascending: Vec<Count<f64>> = masses.scores.iter().map(|score| score.mass).collect();
    derivatives(&mut ascending, value);
    for (score, derivative) in masses.scores.iter().zip(ascending) {
        variance.add(score.squares.pos * derivative.pos.powi(2));
        variance.add(score.squares.neg * derivative.neg.powi(2));
    }
    variance.total() / (n_pos * n_pos)
}

/// Replaces the masses of each score, in ascending order, by the derivatives of the average precision: by the
/// weight of a positive and by that of a negative with this score. Both are times the total weight of positives.
pub(super) fn derivatives(ascending: &mut [Count<f64>], value: f64) {
    let mut reached = Count::<f64>::default();
    // Positives and negatives with each score or a higher one.
    let mut reach = vec![reached; ascending.len()];
    for (reach, &mass) in reach.iter_mut().zip(ascending.iter()).rev() {
        reached = reached.plus(mass);
        *reach = reached;
    }
    let precision = |reach: Count<f64>| reach.pos / reach.rows();
    // A row changes the precision at its score and at all lower ones.
    let (mut by_pos, mut by_neg) = (Sum::default(), Sum::default());
    for (mass, &reach) in ascending.iter_mut().zip(&reach).filter(|score| score.1.rows() > 0.0) {
        by_pos.add(mass.pos / reach.rows() * (reach.neg / reach.rows()));
        by_neg.add(-(mass.pos / reach.rows() * precision(reach)));
        *mass = Count { pos: precision(reach) - value + by_pos.total(), neg: by_neg.total() };
    }
}

declaration! {
    /// The average precision with its standard error and interval.
    ///
    /// Words: average precision interval, AUPRC confidence interval, area under the precision-recall curve.
    AveragePrecisionCi => AveragePrecisionCiRecord {
        label = None, score = None;
        /// `"logit"`: limits on the logit scale, with the variance of a proportion of `n_pos` trials (Boyd, Eng and
        /// Page 2013). `"influence"`: normal limits with the standard error `se`.
        method: word<PrecisionInterval> = "logit",
        level = 0.95, weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn four_rows() {
        let logit = AveragePrecisionCi { method: PrecisionInterval::Logit, level: 0.95 };
        let record = summary(&logit, &[0, 0, 1, 1], &[0.1, 0.4, 0.35, 0.8]);
        assert_eq!(record.average_precision, Some((1.0 + 2.0 / 3.0) / 2.0));
        // Derivatives for the positives, for the negative above one of them, and for the last row.
        let (first, second, neg) =
            (1.0 - 5.0 / 6.0 + 1.0 / 9.0, 2.0 / 3.0 - 5.0 / 6.0 + 1.0 / 9.0, -2.0 / 9.0);
        let variance: f64 = (first * first + second * second + neg * neg) / 4.0;
        assert!((record.interval.se.unwrap() - variance.sqrt()).abs() < 1e-15);
        let perfect = summary(&logit, &[0, 1], &[0.1, 0.4]);
        assert_eq!((perfect.average_precision, perfect.interval.lower), (Some(1.0), None));
        assert_eq!(summary(&logit, &[0], &[0.1]).average_precision, None);
    }
}
