//! The calibration error of binned probabilities.

use super::bins::{Bin, Binning};
use super::masses::Masses;
use crate::math::sum::Sum;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::losses::probability;
use crate::statistics::options::from_options;

/// Distances between the rate of positives and the mean score in bins.
#[derive(Clone, Debug)]
pub struct CalibrationError {
    /// The bins.
    pub binning: Binning,
}

record! {
    /// The calibration error of one group.
    pub struct CalibrationErrorRecord {
        /// The expected calibration error: the mean of `|rate - mean score|` over rows; null with no rows in bins.
        pub ece: Option<f64>,
        /// The maximum calibration error: the largest `|rate - mean score|`.
        pub mce: Option<f64>,
        /// The root mean square of `rate - mean score` over rows.
        pub rmsce: Option<f64>,
        /// `rmsce` corrected for the bias of small bins: each square is reduced by the variance of the rate, `rate (1
        /// - rate) / (n - 1)`. A bin of one row counts as 0, and so does a negative mean. Null with weights.
        pub rmsce_debiased: Option<f64>,
        /// The number of bins with rows.
        pub n_bins: Option<u64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| CalibrationError { binning: Binning::from_options(options)? });

impl Summary for CalibrationError {
    type Record = CalibrationErrorRecord;

    const WEIGHTS: bool = true;

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        probability::check(ties)
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> CalibrationErrorRecord {
        let rows = Count::from(&ties);
        let Some(masses) = Masses::from_ties(&mut ties) else {
            return CalibrationErrorRecord::undefined(rows);
        };
        let bins = self.binning.bins(&masses);
        let n = Sum::sum(bins.iter().map(|bin| bin.mass.rows()));
        if n == 0.0 {
            return CalibrationErrorRecord { n_bins: Some(0), ..CalibrationErrorRecord::undefined(rows) };
        }
        let mean =
            |f: &dyn Fn(&Bin) -> f64| Sum::sum_repeated(bins.iter().map(|bin| (f(bin), bin.mass.rows()))) / n;
        let distance = |bin: &Bin| bin.rate() - bin.mean_score();
        let without_bias = |bin: &Bin| {
            let (rate, others) = (bin.rate(), bin.mass.rows() - 1.0);
            if others > 0.0 { distance(bin).powi(2) - rate * (1.0 - rate) / others } else { 0.0 }
        };
        CalibrationErrorRecord {
            ece: Some(mean(&|bin| distance(bin).abs())),
            mce: Some(bins.iter().map(|bin| distance(bin).abs()).fold(0.0, f64::max)),
            rmsce: Some(mean(&|bin| distance(bin).powi(2)).sqrt()),
            rmsce_debiased: (!masses.has_weights).then(|| mean(&without_bias).max(0.0).sqrt()),
            n_bins: Some(bins.len() as u64),
            rows,
        }
    }
}

declaration! {
    /// The expected, maximum and root mean square calibration error of binned probabilities.
    ///
    /// Words: ECE, expected calibration error, MCE, maximum calibration error, RMSCE, debiased calibration error.
    CalibrationError => CalibrationErrorRecord {
        label = None,
        /// The predicted probability of a positive: any numeric column with values from 0 to 1.
        score: column = None;
        /// The bins, as in `calibration_curve()`: `"quantile"` (default) or `"uniform"`.
        method: word<super::bins::EdgeMethod> = None,
        /// The number of bins, 10 by default.
        bins: integer = None,
        /// The edges of the bins in ascending order, instead of `bins`. Scores outside the edges are in no bin.
        edges: numbers = None,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn two_bins() {
        let error = CalibrationError { binning: Binning::Uniform(2) };
        let record = summary(&error, &[1, 0, 1, 1], &[0.25, 0.5, 0.75, 1.0]);
        // Rates of 1/2 and 1 against means of 3/8 and 7/8.
        assert_eq!((record.ece, record.mce, record.rmsce), (Some(0.125), Some(0.125), Some(0.125)));
        // The variance of the first rate, 1/4, exceeds the squares.
        assert_eq!((record.rmsce_debiased, record.n_bins), (Some(0.0), Some(2)));
        let beyond = CalibrationError { binning: Binning::Edges(vec![0.0, 0.1]) };
        let nothing = summary(&beyond, &[1], &[0.5]);
        assert_eq!((nothing.ece, nothing.n_bins), (None, Some(0)));
    }
}
