//! The average of the ROC curves of folds.

use rayon::prelude::*;

use crate::interrupt;
use crate::math::{quantile::mean_and_deviation, sum::in_order};
use crate::ranking::rows::{CountedKeys, KeyRows};
use crate::ranking::ties::{Count, Step, counts::steps};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::rows_by_key;
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options, words};
use crate::statistics::rows::Rows;

/// The mean of the folds' ROC curves, and their variation.
///
/// Vertical: the mean of the folds' true positive rates at some false positive rates. A curve is linear
/// between two points, and at a vertical step its top counts (Provost, Fawcett and Kohavi 1998; Fawcett 2006,
/// algorithm 3). Threshold: the mean of the folds' points, in both rates, at some thresholds (Fawcett 2006,
/// algorithm 4). Pooled: the curve of all rows, ignoring folds, at the same rates as the vertical average.
/// `O(n log n + p k log n)` for p points and k folds.
#[derive(Clone, Debug)]
pub struct CvRocCurve {
    /// The kind of average.
    pub method: Averaging,
    /// The number of evenly spaced points.
    pub n_points: usize,
    /// The false positive rates; evenly spaced by default.
    pub at_fpr: Option<Vec<f64>>,
}

/// The maximum number of points: each of them is kept for every fold.
const MAX_POINTS: i128 = 1_000_000;

/// Parts of the points per thread.
const PARTS_PER_THREAD: usize = 64;

/// The kind of average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Averaging {
    /// The true positive rates at a false positive rate.
    #[default]
    Vertical,
    /// Both rates at a threshold.
    Threshold,
    /// No average: the curve of all rows.
    Pooled,
}

record! {
    /// A point of the curve.
    pub struct AveragePointRecord {
        /// The false positive rate; with `"threshold"`, the mean of the folds' rates.
        pub fpr: f64,
        /// With `"threshold"`, the standard deviation of the folds' false positive rates; otherwise null.
        pub fpr_sd: Option<f64>,
        /// The mean of the folds' true positive rates.
        pub tpr: f64,
        /// The standard deviation of the folds' true positive rates; null if pooled.
        pub tpr_sd: Option<f64>,
        /// With `"threshold"`, a row is predicted positive if `score >= threshold`. Null at the first point, where no
        /// row is predicted positive, and with the other methods.
        pub threshold: Option<f64>,
        /// The number of folds used.
        pub n_folds: u64,
    }
}

words!(Averaging { "vertical" => Vertical, "threshold" => Threshold, "pooled" => Pooled });

impl FromOptions for CvRocCurve {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let method = options.word("method")?;
        if method == Averaging::Threshold && options.has_column("state") {
            let reason = "'threshold' needs the scores of rows, which states with bins do not have";
            return Err(OptionError::new("method", reason).hint("write `method=\"vertical\"`"));
        }
        let n_points = options.integer("n_points", 3..=MAX_POINTS)?;
        let at_fpr = match options.value("at_fpr") {
            OptionValue::Absent => None,
            _ if method == Averaging::Threshold => {
                let reason = "says where curves are averaged vertically";
                return Err(OptionError::new("at_fpr", reason).hint("write `method=\"vertical\"`"));
            }
            OptionValue::List(rates) if !rates.is_empty() => Some(options.rates("at_fpr")?),
            OptionValue::List(_) => {
                return Err(options.must_be("at_fpr", "hold a rate at least, such as [0.01, 0.1]"));
            }
            _ => return Err(options.must_be("at_fpr", "be a list of numbers, such as [0.05, 0.1]")),
        };
        Ok(CvRocCurve { method, n_points, at_fpr })
    }
}

impl Joint for CvRocCurve {
    /// The points; null if no fold has a curve (pooled: if all rows have none), and if a score is NaN.
    type Record = Option<Vec<AveragePointRecord>>;

    const INPUTS: Inputs = Inputs::scores(Some(1)).or_states().keyed(KeyInput::called("fold"));

    fn needs(&self) -> Needs {
        Needs { values: self.method == Averaging::Threshold, ..Needs::CODES }
    }

    fn evaluate(&self, rows: &Rows) -> Option<Vec<AveragePointRecord>> {
        let curves = || rows_by_key(rows, 0).iter().filter_map(FoldCurve::from_fold).collect::<Vec<_>>();
        match self.method {
            Averaging::Vertical => self.vertical(&curves()),
            Averaging::Threshold => self.by_threshold(rows, &curves()),
            Averaging::Pooled => self.pooled(rows),
        }
    }
}

impl CvRocCurve {
    fn rates(&self) -> Vec<f64> {
        let last = (self.n_points - 1) as f64;
        let even = || (0..self.n_points).map(|point| point as f64 / last).collect();
        self.at_fpr.clone().unwrap_or_else(even)
    }

    fn vertical(&self, curves: &[FoldCurve]) -> Option<Vec<AveragePointRecord>> {
        let point = |fpr: f64| {
            let (tpr, tpr_sd) = mean_and_sd(curves.iter().map(|curve| curve.tpr_at(fpr)));
            AveragePointRecord::new(fpr, None, tpr, tpr_sd, None, curves.len() as u64)
        };
        (!curves.is_empty()).then(|| in_parts(self.rates()).map(point).collect())
    }

    fn pooled(&self, rows: &Rows) -> Option<Vec<AveragePointRecord>> {
        let counts = match &rows.counted {
            Some(counted) => in_all_keys(counted),
            None => rows.scores[0].counts(&rows.labels),
        };
        let codes: Vec<u32> = (0..counts.len() as u32).rev().collect();
        let curve = FoldCurve::new(&codes, &counts)?;
        let folds = rows.keys.distinct as u64;
        let point = |fpr: f64| AveragePointRecord::new(fpr, None, curve.tpr_at(fpr), None, None, folds);
        Some(in_parts(self.rates()).map(point).collect())
    }

    fn by_threshold(&self, rows: &Rows, curves: &[FoldCurve]) -> Option<Vec<AveragePointRecord>> {
        if curves.is_empty() {
            return None;
        }
        let codes = &rows.scores[0];
        let mut scores = vec![0.0; codes.distinct];
        for (&code, &score) in codes.row_codes.iter().zip(&rows.values[0]) {
            // A threshold of zero is always +0.0, for every row order.
            scores[code as usize] = score + 0.0;
        }
        // Above the highest score no rows are predicted positive.
        let codes_of_thresholds = self.spread(codes.distinct);
        let thresholds = rayon::iter::once((codes.distinct, None))
            .chain(in_parts(codes_of_thresholds).map(|code| (code, Some(scores[code]))));
        let point = |(code, threshold): (usize, Option<f64>)| {
            let (fpr, fpr_sd) = mean_and_sd(curves.iter().map(|curve| curve.above(code).0));
            let (tpr, tpr_sd) = mean_and_sd(curves.iter().map(|curve| curve.above(code).1));
            AveragePointRecord::new(fpr, fpr_sd, tpr, tpr_sd, threshold, curves.len() as u64)
        };
        Some(thresholds.map(point).collect())
    }

    /// The indices of the scores that are thresholds, highest first: both ends, and evenly between.
    fn spread(&self, distinct: usize) -> Vec<usize> {
        let max = self.n_points - 1;
        if distinct <= max {
            return (0..distinct).rev().collect();
        }
        let (gaps, last) = ((max - 1) as u128, (distinct - 1) as u128);
        // Rounded half up.
        (0..max as u128).rev().map(|step| ((2 * step * last + gaps) / (2 * gaps)) as usize).collect()
    }
}

/// The rows of all keys by the codes of their scores, highest first.
fn in_all_keys(counted: &CountedKeys) -> Vec<Count> {
    let mut counts = vec![Count::default(); counted.distinct];
    for key in &counted.keys {
        for (&code, key_count) in key.codes.iter().zip(&key.counts) {
            let count = &mut counts[counted.distinct - 1 - code as usize];
            (count.pos, count.neg) = (count.pos + key_count.pos, count.neg + key_count.neg);
        }
    }
    counts
}

/// A parallel iterator in several parts per thread; every part checks for interrupts.
fn in_parts<T: Send>(items: Vec<T>) -> impl IndexedParallelIterator<Item = T> {
    let min = items.len() / (rayon::current_num_threads() * PARTS_PER_THREAD);
    items.into_par_iter().with_min_len(min)
}

/// The mean, and the standard deviation if there are two or more.
fn mean_and_sd(rates: impl Iterator<Item = f64>) -> (f64, Option<f64>) {
    interrupt::check();
    let rates = in_order(rates);
    let (mean, deviation) = mean_and_deviation(&rates);
    (mean, (rates.len() > 1).then_some(deviation))
}

struct FoldCurve {
    /// The codes of its scores, highest first.
    codes: Vec<u32>,
    /// The origin, and for each score the (fpr, tpr) of predicting it and all higher ones positive.
    points: Vec<(f64, f64)>,
}

impl FoldCurve {
    fn from_fold(fold: &KeyRows) -> Option<Self> {
        FoldCurve::new(&fold.codes, &fold.counts)
    }

    /// From codes and their counts, highest first; undefined without positives or negatives.
    fn new(codes: &[u32], counts: &[Count]) -> Option<Self> {
        let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
        let point = |step: Step| (step.fp() as f64 / n_neg as f64, step.tp() as f64 / n_pos as f64);
        (n_pos > 0 && n_neg > 0).then(|| FoldCurve {
            codes: codes.to_vec(),
            points: std::iter::once((0.0, 0.0)).chain(steps(counts).map(point)).collect(),
        })
    }

    /// The point at which the score of this code and all higher ones are predicted positive.
    fn above(&self, code: usize) -> (f64, f64) {
        self.points[self.codes.partition_point(|&key_code| key_code as usize >= code)]
    }

    /// The tpr at an fpr.
    fn tpr_at(&self, fpr: f64) -> f64 {
        // The first point, the origin, is never beyond the fpr.
        let beyond = self.points.partition_point(|point| point.0 <= fpr);
        let from = self.points[beyond - 1];
        match self.points.get(beyond) {
            Some(to) if from.0 < fpr => from.1 + (to.1 - from.1) * ((fpr - from.0) / (to.0 - from.0)),
            _ => from.1,
        }
    }
}

declaration! {
    /// The mean curve of the folds: vertical, by threshold, or pooled.
    ///
    /// Words: mean ROC curve, vertical averaging, threshold averaging, cross-validated ROC curve.
    CvRocCurve => AveragePointRecord {
        label = None, score = None,
        /// The fold in which the row was test data; any dtype except lists. With `state`, the fold of each state.
        fold: column = None;
        /// - `"vertical"`: the mean of the folds' true positive rates at fixed false positive rates. The scale of the scores may
        ///   differ between folds.
        /// - `"threshold"`: the mean of the folds' points (of both rates) at fixed thresholds. Scores must have the same meaning
        ///   in all folds.
        /// - `"pooled"`: the curve of the rows of all folds together, at the false positive rates of `"vertical"`. Scores must
        ///   have the same meaning in all folds.
        method: word<Averaging> = "vertical",
        /// The number of points, 3 or more: equally spaced false positive rates from 0 to 1. With `"threshold"`: the
        /// point where no row is predicted positive, and thresholds spread evenly over the distinct scores of all
        /// folds, including the highest and the lowest (all if there are fewer).
        n_points: integer = 101,
        /// The false positive rates, in any order, instead of equally spaced rates; not with `"threshold"`.
        at_fpr: python("Iterable[float]") = None,
        count = None,
        /// instead of `label` and `score`, one or more for each fold: the states of a fold are merged. With
        /// `max_bins` the result is approximate: scores in the same bin of a fold (pooled: of all folds together)
        /// count as ties. Not with `"threshold"`.
        state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::options::tests::options;
    use crate::statistics::tests::rows_of;

    /// The curve of fold 0 is (0, 0) (0, 1/2) (1/2, 1/2) (1, 1), and of fold 1 the diagonal. Fold 2 has no
    /// negatives.
    fn sample() -> Rows {
        let labels = [1, 0, 1, 0, 1, 0, 1];
        let scores = [9.0, 7.0, 5.0, 5.0, 5.0, 5.0, 8.0];
        rows_of(&labels, &[&scores], &[0, 0, 0, 0, 1, 1, 2])
    }

    fn compute(method: Averaging, n_points: usize) -> Vec<AveragePointRecord> {
        let curve = CvRocCurve { method, n_points, at_fpr: None };
        curve.evaluate(&sample()).unwrap()
    }

    #[test]
    fn vertically() {
        let points = compute(Averaging::Vertical, 5);
        let rates: Vec<(f64, f64)> = points.iter().map(|point| (point.fpr, point.tpr)).collect();
        assert_eq!(rates, [(0.0, 0.25), (0.25, 0.375), (0.5, 0.5), (0.75, 0.75), (1.0, 1.0)]);
        assert_eq!(points[2].tpr_sd, Some(0.0));
        assert!((points[0].tpr_sd.unwrap() - 0.125f64.sqrt()).abs() < 1e-15);
        assert!(
            points
                .iter()
                .all(|point| point.n_folds == 2 && point.fpr_sd.is_none() && point.threshold.is_none())
        );
        let at = CvRocCurve { method: Averaging::Vertical, n_points: 3, at_fpr: Some(vec![0.5, 0.0]) };
        let points = at.evaluate(&sample()).unwrap();
        assert_eq!(points.iter().map(|point| point.tpr).collect::<Vec<_>>(), [0.5, 0.25]);
    }

    #[test]
    fn by_threshold() {
        let points = compute(Averaging::Threshold, 101);
        let fields: Vec<_> = points.iter().map(|point| (point.threshold, point.fpr, point.tpr)).collect();
        assert_eq!(
            fields,
            [
                (None, 0.0, 0.0),
                (Some(9.0), 0.0, 0.25),
                (Some(8.0), 0.0, 0.25),
                (Some(7.0), 0.25, 0.25),
                (Some(5.0), 1.0, 1.0)
            ]
        );
        let fewer = compute(Averaging::Threshold, 3);
        assert_eq!(
            fewer.iter().map(|point| point.threshold).collect::<Vec<_>>(),
            [None, Some(9.0), Some(5.0)]
        );
        let curve = CvRocCurve { method: Averaging::Threshold, n_points: 6, at_fpr: None };
        assert_eq!(curve.spread(11), [10, 8, 5, 3, 0]);
    }

    #[test]
    fn pooled() {
        let points = compute(Averaging::Pooled, 4);
        // Positives at 9, 8, 5, 5 and negatives at 7, 5, 5: (0, 1/2), (1/3, 1/2), (1, 1).
        let expected = [0.5, 0.5, 0.75, 1.0];
        for (point, tpr) in points.iter().zip(expected) {
            assert!((point.tpr - tpr).abs() < 1e-15, "{point:?}");
            assert_eq!((point.tpr_sd, point.n_folds), (None, 3));
        }
    }

    #[test]
    fn no_curve() {
        for method in [Averaging::Vertical, Averaging::Threshold, Averaging::Pooled] {
            let curve = CvRocCurve { method, n_points: 3, at_fpr: None };
            assert!(curve.evaluate(&rows_of(&[1, 1], &[&[2.0, 1.0]], &[3, 4])).is_none());
            // Each fold lacks a class, but the pooled rows do not.
            let apart = curve.evaluate(&rows_of(&[1, 0], &[&[2.0, 1.0]], &[3, 4]));
            assert_eq!(apart.is_some(), method == Averaging::Pooled);
            let single = curve.evaluate(&rows_of(&[1, 0], &[&[2.0, 1.0]], &[3, 3])).unwrap();
            assert!(single.iter().all(|point| point.tpr_sd.is_none()));
        }
        let refused = |method: &str, n_points, at_fpr: Option<&[f64]>| {
            let rates =
                |rates: &[f64]| OptionValue::List(rates.iter().copied().map(OptionValue::Float).collect());
            CvRocCurve::from_options(&options([
                ("method", OptionValue::Word(method.into())),
                ("n_points", OptionValue::Integer(n_points)),
                ("at_fpr", at_fpr.map_or(OptionValue::Absent, rates)),
            ]))
            .is_err()
        };
        assert!(!refused("vertical", 3, None) && !refused("pooled", 3, Some(&[0.1])));
        assert!(refused("vertical", 2, None) && refused("vertical", 3, Some(&[f64::NAN])));
        assert!(refused("pooled", 3, Some(&[])) && refused("threshold", 3, Some(&[0.1])));
    }
}
