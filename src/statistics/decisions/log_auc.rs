//! The area under the ROC curve with a logarithmic axis.

use crate::math::sum::Sum;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::calibration::masses::Masses;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{OptionError, Options, from_options};

/// The mean of tpr over the logarithm of fpr between two false positive rates (Mysinger and Shoichet 2010).
/// The curve is linear between points, and the integral is exact.
#[derive(Clone, Copy, Debug)]
pub struct LogAuc {
    /// The lowest and the highest fpr.
    pub range: (f64, f64),
}

record! {
    /// The area of one group.
    pub struct LogAucRecord {
        /// The area as a share of the largest possible area, 0 to 1; null with no positives or no negatives.
        pub log_auc: Option<f64>,
    }
}

from_options!(|options| LogAuc { range: range(options)? });

fn range(options: &Options) -> Result<(f64, f64), OptionError> {
    match options.bounds("fpr")? {
        Some((low, high)) if low > 0.0 => Ok((low, high)),
        _ => Err(options.must_be("min_fpr", "be above 0, such as 0.001")),
    }
}

impl Summary for LogAuc {
    type Record = LogAucRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> LogAucRecord {
        let has_pairs = ties.has_pairs();
        let masses = Masses::from_ties(&mut ties).filter(|_| has_pairs);
        LogAucRecord::new(masses.map(|masses| self.evaluate_masses(&masses)))
    }
}

impl LogAuc {
    fn evaluate_masses(&self, masses: &Masses) -> f64 {
        let (low, high) = self.range;
        let point = |reach: Count<f64>| (reach.neg / masses.all.neg, reach.pos / masses.all.pos);
        let (mut reach, mut sum) = (Count::default(), Sum::default());
        for score in masses.scores.iter().rev() {
            let (fpr, tpr) = point(reach);
            reach = reach.plus(score.mass);
            let (next_fpr, next_tpr) = point(reach);
            let (from, to) = (fpr.max(low), next_fpr.min(high));
            if from < to {
                // The integral of `tpr + slope (x - fpr)` over the logarithm of x.
                let slope = (next_tpr - tpr) / (next_fpr - fpr);
                sum.add((tpr - slope * fpr) * (to / from).ln());
                sum.add(slope * (to - from));
            }
        }
        (sum.total() / (high / low).ln()).clamp(0.0, 1.0)
    }
}

declaration! {
    /// The area under the ROC curve with a logarithmic fpr axis: the mean tpr at low false positive rates.
    ///
    /// Words: log AUC, logarithmic AUC, semilogarithmic ROC, virtual screening, early recognition.
    LogAuc {
        label = None, score = None;
        /// The lowest fpr, above 0, and the highest fpr.
        min_fpr: number = 0.001,
        max_fpr: number = 0.1,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn few_rows() {
        let compute = |range: (f64, f64), labels: &[u8], scores: &[f64]| {
            summary(&LogAuc { range }, labels, scores).log_auc
        };
        assert_eq!(compute((0.001, 0.1), &[1, 0], &[2.0, 1.0]), Some(1.0));
        assert_eq!(compute((0.001, 0.1), &[0, 1], &[2.0, 1.0]), Some(0.0));
        // The diagonal.
        let diagonal = compute((0.01, 1.0), &[1, 0], &[1.0, 1.0]).unwrap();
        assert!((diagonal - 0.99 / 100f64.ln()).abs() < 1e-15);
        // Half of the positives first, and the others in the middle.
        let middle = compute((0.01, 1.0), &[1, 0, 1, 0], &[4.0, 3.0, 2.0, 1.0]).unwrap();
        assert!((middle - (0.5 * 50f64.ln() + 2f64.ln()) / 100f64.ln()).abs() < 1e-15);
        assert_eq!(compute((0.01, 1.0), &[1, 1], &[1.0, 2.0]), None);
    }
}
