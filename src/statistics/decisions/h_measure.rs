//! Hand's H measure.

use statrs::function::beta::beta_reg;

use crate::math::sum::Sum;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::calibration::isotonic::Blocks;
use crate::statistics::calibration::masses::Masses;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{OptionError, Options, from_options};

/// One minus the minimum expected loss, as a share of the loss of an uninformative score (Hand 2009).
///
/// The cost of a false positive is c and of a false negative 1 - c, where c has a beta distribution. The best
/// threshold at c calls the blocks of the isotonic fit with a rate above c positive. The blocks are the
/// pieces of the convex hull of the ROC curve. The loss is therefore a sum over blocks with rate r: negatives
/// cost c if `c < r`, and positives `1 - c` if `c >= r`.
#[derive(Clone, Copy, Debug)]
pub struct HMeasure {
    /// The cost of a false positive, in costs of a false negative, at the mode of c. By default c has the
    /// distribution of Hand and Anagnostopoulos (2014), `Beta(1 + rate, 2 - rate)` with the rate of
    /// positives.
    pub severity_ratio: Option<f64>,
}

record! {
    /// The H measure of one group.
    pub struct HMeasureRecord {
        /// The H measure, from 0 (uninformative) to 1; null with no positives or no negatives.
        pub h_measure: Option<f64>,
    }
}

/// The maximum severity ratio, against typing errors.
const MAX_SEVERITY: f64 = 1e6;

from_options!(|options| HMeasure { severity_ratio: severity_ratio(options)? });

fn severity_ratio(options: &Options) -> Result<Option<f64>, OptionError> {
    let has_ratio = options.has("severity_ratio");
    has_ratio.then(|| options.above_0("severity_ratio", MAX_SEVERITY)).transpose()
}

impl Summary for HMeasure {
    type Record = HMeasureRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> HMeasureRecord {
        let has_pairs = ties.has_pairs();
        let masses = Masses::from_ties(&mut ties).filter(|_| has_pairs);
        HMeasureRecord::new(masses.map(|masses| self.evaluate_masses(&masses)))
    }
}

impl HMeasure {
    fn evaluate_masses(&self, masses: &Masses) -> f64 {
        let mut blocks = Blocks::<f64>::default();
        masses.scores.iter().rev().for_each(|score| blocks.push(score.mass));
        let (pos, neg) = (masses.all.pos / masses.all.rows(), masses.all.neg / masses.all.rows());
        let (a, b) = self.severity_ratio.map_or((1.0 + pos, 1.0 + neg), |ratio| (2.0, 1.0 + 1.0 / ratio));
        // The integrals of the losses of a block over c.
        let loss = |block: &Count<f64>| {
            let rate = |part: f64| part / block.rows();
            block.neg * a / (a + b) * beta_reg(a + 1.0, b, rate(block.pos))
                + block.pos * b / (a + b) * beta_reg(b + 1.0, a, rate(block.neg))
        };
        let min = Sum::sum(blocks.counts().iter().map(loss));
        (1.0 - min / loss(&masses.all)).clamp(0.0, 1.0)
    }
}

declaration! {
    /// Hand's H measure: the expected minimum loss over a distribution of costs, relative to an uninformative score.
    ///
    /// Words: H measure, Hand's H, misclassification loss, cost-weighted, severity ratio.
    HMeasure {
        label = None, score = None;
        /// The cost of a false positive in false negatives, above 0, at the mode of the cost distribution `Beta(2, 1
        /// + 1 / ratio)`. The default is the distribution of Hand and Anagnostopoulos (2014), `Beta(1 + rate, 2 -
        /// rate)` with the rate of positives. 1 gives the symmetric distribution of Hand (2009), and `n_pos / n_neg`
        /// the default of R's hmeasure.
        severity_ratio: number = None,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn few_rows() {
        let compute = |severity_ratio: Option<f64>, labels: &[u8], scores: &[f64]| {
            summary(&HMeasure { severity_ratio }, labels, scores).h_measure
        };
        assert_eq!(compute(None, &[1, 0], &[2.0, 1.0]), Some(1.0));
        assert_eq!(compute(None, &[0, 1], &[2.0, 1.0]), Some(0.0));
        assert_eq!(compute(Some(1.0), &[0, 1], &[1.0, 1.0]), Some(0.0));
        // One block of a positive, and one block of a positive and a negative.
        let expected = 1.0
            - (beta_reg(3.0, 2.0, 0.5) + beta_reg(3.0, 2.0, 0.5))
                / (beta_reg(3.0, 2.0, 2.0 / 3.0) + 2.0 * beta_reg(3.0, 2.0, 1.0 / 3.0));
        let got = compute(Some(1.0), &[1, 0, 1], &[3.0, 2.0, 1.0]).unwrap();
        assert!((got - expected).abs() < 1e-15);
        assert_eq!(compute(None, &[1, 1], &[2.0, 1.0]), None);
    }
}
