//! The net benefit of decisions by a probability threshold.

use crate::ranking::scores::Number;
use crate::ranking::ties::{Count, Ties, units::Units};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Interval;
use crate::statistics::kinds::{Column, Curve, Record, record};
use crate::statistics::losses::probability;
use crate::statistics::options::{FromOptions, OptionError, Options, words};
use crate::statistics::resampling::Resampling;

/// The net benefit of predicting rows positive from a threshold t: `tp / n - fp / n * t / (1 - t)` (Vickers and
/// Elkin 2006, equation 1). The cost of a false positive is `t / (1 - t)` times the benefit of a true
/// positive. Acting from a probability of t on implies this trade-off.
#[derive(Clone, Debug)]
pub struct NetBenefit {
    /// The thresholds, in the specified order.
    pub thresholds: Vec<f64>,
    /// The prevalence in the target population; by default, the prevalence of the group.
    pub prevalence: Option<f64>,
    /// The coverage of the intervals, or of the band.
    pub level: f64,
    /// The resampling of a band for all thresholds; `None` for pointwise limits.
    pub band: Option<Resampling>,
}

/// The band of a decision curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetBenefitBand {
    /// For all thresholds simultaneously.
    Simultaneous,
}

words!(NetBenefitBand { "simultaneous" => Simultaneous });

record! {
    /// The net benefit at one threshold.
    pub struct NetBenefitRecord {
        /// A row is predicted positive if `score >= threshold`.
        pub threshold: f64,
        /// The net benefit in true positives per row, at most the share of positives.
        pub net_benefit: Option<f64>,
        /// - `se`: the standard error of the net benefit; null with a single row.
        /// - `lower`, `upper`: the confidence limits, by the normal distribution, or the limits of the band.
        pub interval: Interval,
        /// The net benefit of predicting all rows positive; the net benefit of predicting none positive is 0.
        pub treat_all: Option<f64>,
        /// The net benefit as a share of the largest possible, `net_benefit / prevalence`; null with no positives.
        pub standardized: Option<f64>,
        /// The net reduction of interventions per row, relative to predicting all rows positive: `(net_benefit -
        /// treat_all) (1 - t) / t`.
        pub interventions_avoided: Option<f64>,
        /// `tp / P`; null with no positives.
        pub tpr: Option<f64>,
        /// `fp / N`; null with no negatives.
        pub fpr: Option<f64>,
    }
}

impl FromOptions for NetBenefit {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let thresholds = if options.has("thresholds") {
            options.rates("thresholds")?
        } else {
            (1..100).map(|percent| f64::from(percent) / 100.0).collect()
        };
        if let Some(threshold) = thresholds.iter().find(|&&threshold| threshold == 0.0 || threshold == 1.0) {
            return Err(OptionError::new("thresholds", format!("must lie between 0 and 1, got {threshold}")));
        }
        let prevalence = match options.optional_rate("prevalence")? {
            Some(0.0 | 1.0) => return Err(options.must_be("prevalence", "lie between 0 and 1")),
            prevalence => prevalence,
        };
        let band = match options.optional_word("band")? {
            Some(NetBenefitBand::Simultaneous) => Some(Resampling::from_options(options)?),
            None => None,
        };
        if band.is_none()
            && let Some(option) = ["n_resamples", "seed"].into_iter().find(|option| options.has(option))
        {
            let reason = "applies to `band=\"simultaneous\"` only";
            return Err(OptionError::new(option, reason).hint("leave it out"));
        }
        Ok(NetBenefit { thresholds, prevalence, level: options.level()?, band })
    }
}

impl Curve for NetBenefit {
    type Record = NetBenefitRecord;

    const WEIGHTS: bool = true;

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        probability::check(ties)
    }

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let rows = Count::from(&ties).rows();
        let all = Count { pos: ties.n_pos(), neg: ties.n_neg() };
        let units = ties.units().map(|units| units.relative(all).0);
        let all = Masses::new(all, units);
        if rows == 0 || all.rows() == 0.0 || self.prevalence.is_some() && !ties.has_pairs() {
            return false;
        }
        let keys: Vec<Option<u128>> =
            self.thresholds.iter().map(|&threshold| ties.at_least(Number::Float(threshold))).collect();
        let calls = reached(&mut ties, &keys);
        // Without weights the sums of squares are the counts.
        let squares = match units {
            None => Some(calls.iter().map(|&calls| (Masses::new(calls, None), all)).collect::<Vec<_>>()),
            Some(units) => squares(&ties, &keys, units),
        };
        let point = |(index, &threshold): (usize, &f64)| {
            let calls = Masses::new(calls[index], units);
            let squares = squares.as_ref().map(|squares| squares[index]);
            self.record(threshold, calls, all, squares, rows as f64)
        };
        let mut points: Vec<NetBenefitRecord> = self.thresholds.iter().enumerate().map(point).collect();
        if let (Some(resampling), Some(squares)) = (self.band, &squares) {
            self.widen(&mut points, squares, all, rows as f64, resampling);
        }
        points.into_iter().for_each(|point| point.append(columns));
        true
    }
}

/// Weights of positives and negatives, or their counts.
pub(super) type Masses = Count<f64>;

impl Masses {
    fn new(rows: Count, units: Option<Units>) -> Self {
        match units {
            None => Count { pos: rows.pos as f64, neg: rows.neg as f64 },
            Some(units) => Count { pos: units.pos.weight(rows.pos), neg: units.neg.weight(rows.neg) },
        }
    }
}

/// The rows with each key or a higher one, in one pass; no rows for a missing key.
fn reached(ties: &mut Ties<'_>, keys: &[Option<u128>]) -> Vec<Count> {
    let mut ascending: Vec<u128> = keys.iter().flatten().copied().collect();
    ascending.sort_unstable();
    // The rows between consecutive keys, after the rows below all keys.
    let between = ties.fold(
        |between: &mut Vec<Count>, tie| {
            between.resize(ascending.len() + 1, Count::default());
            let reaches = ascending.partition_point(|&key| key <= tie.key);
            between[reaches] = between[reaches].plus(Count { pos: tie.pos, neg: tie.neg });
        },
        |between, lower| {
            between.resize(ascending.len() + 1, Count::default());
            between.iter_mut().zip(&lower).for_each(|(sum, more)| *sum = sum.plus(*more));
        },
    );
    let count_at = |key: &u128| {
        let above = between.iter().skip(ascending.partition_point(|other| other < key) + 1);
        above.fold(Count::default(), |sum, &more| sum.plus(more))
    };
    keys.iter().map(|key| key.as_ref().map_or(Count::default(), count_at)).collect()
}

/// Sums of squared weights of the rows that reach each key, and of all rows, if the squares are known.
fn squares(ties: &Ties<'_>, keys: &[Option<u128>], units: Units) -> Option<Vec<(Masses, Masses)>> {
    let weight = |pos: f64, neg: f64| Count {
        pos: units.pos.weight_of(units.pos.weight_of(pos)),
        neg: units.neg.weight_of(units.neg.weight_of(neg)),
    };
    let squared = ties.squared_units()?;
    let mut sums = vec![Masses::default()];
    for square in &squared {
        sums.push(sums[sums.len() - 1].plus(weight(square.pos, square.neg)));
    }
    let all = sums[squared.len()];
    let squares_at = |key: &Option<u128>| {
        let reach = key.map_or(0, |key| squared.partition_point(|square| square.tie.key >= key));
        (sums[reach], all)
    };
    Some(keys.iter().map(squares_at).collect())
}

impl NetBenefit {
    /// The record at a threshold, from the weights of rows predicted positive and of all rows, and the sums of
    /// their squares.
    fn record(
        &self,
        threshold: f64,
        calls: Masses,
        all: Masses,
        squares: Option<(Masses, Masses)>,
        rows: f64,
    ) -> NetBenefitRecord {
        let odds = threshold / (1.0 - threshold);
        let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let (tpr, fpr) = (share(calls.pos, all.pos), share(calls.neg, all.neg));
        let n = all.rows();
        let prevalence = self.prevalence.unwrap_or(all.pos / n);
        let net_benefit = match (self.prevalence, tpr, fpr) {
            (Some(prevalence), Some(tpr), Some(fpr)) => prevalence * tpr - (1.0 - prevalence) * odds * fpr,
            _ => (calls.pos - odds * calls.neg) / n,
        };
        let treat_all = prevalence - (1.0 - prevalence) * odds;
        let point = NetBenefitRecord {
            threshold,
            net_benefit: Some(net_benefit),
            interval: Interval::default(),
            treat_all: Some(treat_all),
            standardized: share(net_benefit, prevalence),
            interventions_avoided: Some((net_benefit - treat_all) / odds),
            tpr,
            fpr,
        };
        let variance = squares
            .and_then(|(called, all_squares)| self.variance(&point, called, all_squares, 0.0, all, rows));
        let interval = variance.map(|variance| Interval::normal(net_benefit, variance.sqrt(), self.level));
        NetBenefitRecord { interval: interval.unwrap_or_default(), ..point }
    }

    /// The variance of the net benefit of a point, from the sums of squared weights of the rows predicted
    /// positive and of all rows; with `further` squares of both classes at the threshold, and for rates as many
    /// below it. Undefined with a single row.
    pub(super) fn variance(
        &self,
        point: &NetBenefitRecord,
        called: Masses,
        all_squares: Masses,
        further: f64,
        all: Masses,
        rows: f64,
    ) -> Option<f64> {
        let odds = point.threshold / (1.0 - point.threshold);
        let (pos, neg) = (called.pos + further, called.neg + further);
        if let (Some(prevalence), Some(tpr), Some(fpr)) = (self.prevalence, point.tpr, point.fpr) {
            // The rates are estimated from separate samples.
            let rate_variance = |called: f64, rest: f64, rate: f64| {
                called * (1.0 - rate).powi(2) + (rest.max(0.0) + further) * rate * rate
            };
            let pos = rate_variance(pos, all_squares.pos - called.pos, tpr) / all.pos.powi(2);
            let neg = rate_variance(neg, all_squares.neg - called.neg, fpr) / all.neg.powi(2);
            return Some(prevalence * prevalence * pos + ((1.0 - prevalence) * odds).powi(2) * neg);
        }
        // The net benefit is the mean of the contributions of rows.
        let net_benefit = point.net_benefit?;
        (rows > 1.0).then(|| {
            let n = all.rows();
            let rest = (all_squares.rows() - called.rows()).max(0.0);
            let squares = pos * (1.0 - net_benefit).powi(2)
                + neg * (odds + net_benefit).powi(2)
                + rest * net_benefit * net_benefit;
            squares * rows / (rows - 1.0) / (n * n)
        })
    }
}

declaration! {
    /// The net benefit of acting on a probability at given thresholds, compared with treating all and none: a
    /// decision curve.
    ///
    /// Words: net benefit, decision curve analysis, DCA, standardized net benefit, interventions avoided, treat all.
    NetBenefit => NetBenefitRecord {
        label = None,
        /// The predicted probability of a positive: any numeric column with values from 0 to 1.
        score: column = None;
        /// The thresholds, each between 0 and 1; 0.01, 0.02 ... 0.99 by default.
        thresholds: numbers = None,
        /// The share of positives in the target population, between 0 and 1; by default the share in the group.
        prevalence: number = None,
        /// `"simultaneous"`: the limits are a band that contains the net benefits at all thresholds jointly, with the
        /// confidence level `level`. It is narrower for a smaller range of thresholds. By default the limits are pointwise.
        band: word<NetBenefitBand> = None,
        /// For the band, the number of resamples, 2000 by default, and the seed of the random numbers, 0 by default. The
        /// same seed gives the same band for every order of rows and groups, every number of threads and every engine.
        n_resamples: integer = None,
        seed: integer = None,
        level = 0.95, weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::curve_points;

    fn at(thresholds: &[f64], prevalence: Option<f64>) -> NetBenefit {
        NetBenefit { thresholds: thresholds.into(), prevalence, level: 0.95, band: None }
    }

    #[test]
    fn few_rows() {
        let (labels, scores) = ([1, 1, 0, 0, 1], [0.75, 0.5, 0.5, 0.25, 0.125]);
        let points = curve_points(&at(&[0.5, 0.2, 0.9], None), &labels, &scores).unwrap();
        assert_eq!(points.numbers("threshold"), [0.5, 0.2, 0.9]);
        // Two true positives and one false positive; two and two at odds of 1 to 4; no rows.
        assert_eq!(points.numbers("net_benefit"), [1.0 / 5.0, (2.0 - 2.0 * 0.25) / 5.0, 0.0]);
        assert_eq!(points.numbers("tpr"), [2.0 / 3.0, 2.0 / 3.0, 0.0]);
        assert_eq!(points.numbers("fpr"), [0.5, 1.0, 0.0]);
        // Contributions 1, 1, -1, 0, 0.
        let variance = (2.0 * 0.64 + 1.44 + 2.0 * 0.04) / 4.0 / 5.0;
        assert!((points.numbers("se")[0] - f64::sqrt(variance)).abs() < 1e-15);
        let other = curve_points(&at(&[0.5], Some(0.1)), &labels, &scores).unwrap();
        assert!((other.numbers("net_benefit")[0] - (0.1 * 2.0 / 3.0 - 0.9 * 0.5)).abs() < 1e-15);
        assert!(curve_points(&at(&[0.5], Some(0.1)), &[1], &[0.5]).is_none());
        assert!(curve_points(&at(&[0.5], None), &[1], &[0.5]).is_some());
        assert!(curve_points(&at(&[0.5], None), &[], &[0.5; 0]).is_none());
    }
}
