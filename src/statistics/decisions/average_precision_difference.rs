//! The difference of the average precisions of two scores on the same rows.

use super::average_precision_ci::derivatives;
use super::paired_difference::{PairedDifferenceRecord, PairedTest};
use crate::math::exact_sum::ExactSum;
use crate::ranking::rows::Codes;
use crate::ranking::scores::{Domain, Key, Score, ScoreType};
use crate::ranking::ties::{Count, Counts, Units};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::weighted_areas::{units_of_classes, units_of_rows};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Summary};
use crate::statistics::numbers::AveragePrecision;
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::rows::Rows;

/// The paired comparison of the average precisions of two scores.
///
/// The influence of a row on the difference is its influence on the first average precision minus that on the
/// second. The variance is the infinitesimal jackknife's, the sum of the squared influences (Jaeckel 1972).
/// With clusters the influences are first summed by cluster. The variance is exactly 0 for scores that rank
/// alike.
#[derive(Clone, Copy, Debug)]
pub struct AveragePrecisionDifference {
    /// The test and the interval.
    pub paired: PairedTest,
}

impl FromOptions for AveragePrecisionDifference {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(AveragePrecisionDifference { paired: PairedTest::from_options(options)? })
    }
}

impl Joint for AveragePrecisionDifference {
    type Record = PairedDifferenceRecord;

    const INPUTS: Inputs =
        Inputs::scores(Some(2)).keyed(KeyInput { is_optional: true, ..KeyInput::called("cluster") });

    const WEIGHTS: bool = true;

    fn evaluate(&self, rows: &Rows) -> PairedDifferenceRecord {
        let units = rows.weights.as_ref().map(|_| (units_of_classes(rows), units_of_rows(rows)));
        let units = units.as_ref().map(|(units, row_units)| (*units, row_units.as_slice()));
        let score_precision = |score: usize| Precision::new(&rows.scores[score], &rows.labels, units);
        let (Some(a), Some(b)) = (score_precision(0), score_precision(1)) else {
            return PairedDifferenceRecord::undefined(rows);
        };
        let n_pos = match units {
            None => rows.n_pos() as f64,
            Some((units, row_units)) => {
                let pos_units = row_units.iter().zip(&rows.labels).filter(|row| *row.1).map(|row| row.0);
                units.pos.weight(pos_units.sum())
            }
        };
        let (mut squares, mut sums) = (ExactSum::default(), vec![0; rows.keys.distinct]);
        for (row, &label) in rows.labels.iter().enumerate() {
            let weight = rows.weights.as_ref().map_or(1.0, |weights| weights[row]);
            let influence = |f: &Precision, codes: &Codes| {
                let derivative = f.derivatives[codes.row_codes[row] as usize];
                if label { derivative.pos } else { derivative.neg }
            };
            let difference = influence(&a, &rows.scores[0]) - influence(&b, &rows.scores[1]);
            let influence = weight / n_pos * difference;
            match rows.keys.row_codes.get(row) {
                None => squares.add(influence.powi(2), 1),
                Some(&cluster) => sums[cluster as usize] += (influence * INFLUENCE_UNIT) as i128,
            }
        }
        sums.into_iter().for_each(|sum| squares.add((sum as f64 / INFLUENCE_UNIT).powi(2), 1));
        // All influences together are 0, except for rounding.
        let is_defined = rows.keys.row_codes.is_empty() || rows.keys.distinct > 1;
        let se = is_defined.then(|| squares.value().sqrt());
        self.paired.record([a.value, b.value], a.value - b.value, se, rows.into())
    }
}

/// An influence of 1 in fixed point: sums of integers do not depend on the order of rows.
const INFLUENCE_UNIT: f64 = (1u128 << 80) as f64;

/// The average precision of a score, with its derivatives.
struct Precision {
    value: f64,
    /// The derivatives by the weights of a positive and of a negative, for each code.
    derivatives: Vec<Count<f64>>,
}

impl Precision {
    /// The average precision of a score; undefined without positives.
    fn new(codes: &Codes, labels: &[bool], units: Option<(Units, &[u64])>) -> Option<Precision> {
        let mut rows_of_code = vec![Count::default(); codes.distinct];
        for (row, (&code, &label)) in codes.row_codes.iter().zip(labels).enumerate() {
            rows_of_code[code as usize].add(label, units.map_or(1, |(_, row_units)| row_units[row]));
        }
        // Codes replace scores, which gives the same value as the statistic of a single score.
        let mut counts = Counts::new(ScoreType::new::<u32>(Domain::Any), units.map(|(units, _)| units));
        for (code, rows) in rows_of_code.iter().enumerate().rev().filter(|code| code.1.rows() > 0) {
            counts.push((code as u32).key().wide(), rows.pos, rows.neg);
        }
        let value = AveragePrecision::default().evaluate(counts.ties()).average_precision?;
        let all = Count::sum(&rows_of_code);
        let units = units.map(|(units, _)| units.relative(all).0);
        let mass = |rows: &Count| match units {
            None => Count { pos: rows.pos as f64, neg: rows.neg as f64 },
            Some(units) => Count { pos: units.pos.weight(rows.pos), neg: units.neg.weight(rows.neg) },
        };
        let mut derivatives_of_code: Vec<Count<f64>> = rows_of_code.iter().map(mass).collect();
        derivatives(&mut derivatives_of_code, value);
        Some(Precision { value, derivatives: derivatives_of_code })
    }
}

declaration! {
    /// The difference of the average precisions of two scores on the same rows, with its interval and test.
    ///
    /// Words: compare average precision, compare PR AUC, AUPRC difference, paired test.
    AveragePrecisionDifference => PairedDifferenceRecord {
        label, score_a, score_b;
        /// With `"greater"`, the alternative is that the first score is better.
        alternative = "two-sided",
        /// 0 by default.
        null = None, margin = None, level = 0.95, weight = None,
        /// The standard error is then the infinitesimal jackknife's of whole clusters; null with a single cluster.
        cluster = None,
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::decisions::{AveragePrecisionCi, average_precision_ci::PrecisionInterval};
    use crate::statistics::tests::{rows_of, summary, three_scores, weighted_summary};

    fn paired() -> AveragePrecisionDifference {
        let paired = PairedTest { level: 0.95, ..PairedTest::default() };
        AveragePrecisionDifference { paired }
    }

    #[test]
    fn uninformative_second_score() {
        let (labels, [a, _, _]) = three_scores();
        let constant = vec![1.0; a.len()];
        let record = paired().evaluate(&rows_of(&labels, &[&a, &constant], &[]));
        let alone = AveragePrecisionCi { method: PrecisionInterval::Influence, level: 0.95 };
        let alone = summary(&alone, &labels, &a);
        assert_eq!((record.estimate_a, record.estimate_b), (alone.average_precision, Some(36.0 / 90.0)));
        // The influence of a row on the rate is (label - rate) / n.
        assert!(record.interval.se.unwrap() > 0.5 * alone.interval.se.unwrap());
        assert!(record.z.unwrap() > 0.0);
    }

    #[test]
    fn equal_ranks() {
        let (labels, [a, ..]) = three_scores();
        let twice: Vec<f64> = a.iter().map(|score| 2.0 * score + 1.0).collect();
        let record = paired().evaluate(&rows_of(&labels, &[&a, &twice], &[]));
        assert_eq!((record.difference, record.interval.se), (Some(0.0), Some(0.0)));
        assert_eq!((record.z, record.p_value), (Some(0.0), Some(1.0)));
        assert_eq!(paired().evaluate(&rows_of(&[0, 0], &[&[1.0, 2.0], &[2.0, 1.0]], &[])).estimate_a, None);
    }

    #[test]
    fn clusters() {
        let (labels, [a, b, _]) = three_scores();
        let n = labels.len() as u32;
        let record = paired().evaluate(&rows_of(&labels, &[&a, &b], &[]));
        let se = record.interval.se.unwrap();
        let clustered = |times: usize, keys: &[u32]| {
            let repeated = |scores: &[f64]| scores.repeat(times);
            let rows = rows_of(&labels.repeat(times), &[&repeated(&a), &repeated(&b)], keys);
            paired().evaluate(&rows)
        };
        // Each row is a cluster, alone or with its copies.
        let keys: Vec<u32> = (0..n).collect();
        for times in [1, 3] {
            let record = clustered(times, &keys.repeat(times));
            assert!((record.interval.se.unwrap() / se - 1.0).abs() < 1e-12, "{record:?}");
        }
        let one = clustered(1, &vec![0; n as usize]);
        assert_eq!((one.difference, one.interval.se, one.p_value), (record.difference, None, None));
    }

    #[test]
    fn weights_of_any_size() {
        let (labels, [a, b, _]) = three_scores();
        let weights: Vec<f64> = (0..90).map(|row| f64::from(1 + row % 3)).collect();
        let compute = |scale: f64| {
            let weights = weights.iter().map(|weight| weight * scale).collect();
            paired().evaluate(&Rows { weights: Some(weights), ..rows_of(&labels, &[&a, &b], &[]) })
        };
        let record = compute(1.0);
        let alone = AveragePrecisionCi { method: PrecisionInterval::Logit, level: 0.95 };
        let alone = weighted_summary(&alone, &labels, &a, &weights);
        assert_eq!(record.estimate_a, alone.average_precision);
        assert_eq!(record.interval, compute(2f64.powi(-700)).interval);
        assert_eq!(record.interval, compute(2f64.powi(900)).interval);
    }
}
