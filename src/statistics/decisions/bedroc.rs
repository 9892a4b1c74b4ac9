//! The Boltzmann-enhanced discrimination of the ROC curve (BEDROC).

use crate::math::sum::Sum;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::calibration::masses::Masses;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::from_options;

/// The mean of `exp(-alpha rank / n)` over positives, scaled so that the worst order is 0 and the best 1
/// (Truchon and Bayly 2007, equations 32 and 36).
///
/// A positive in a tie has the mean over the ranks of the tie. Sums over ranks are geometric series. Let
/// `E(r) = exp(-alpha r / n)`, and consider a tie of t rows below r others. Each of its positives contributes
/// `(E(r) - E(r + t)) / t`, up to a factor that cancels with the scale.
#[derive(Clone, Copy, Debug)]
pub struct Bedroc {
    /// The weight of early ranks: 80 % of the maximum come from a fraction of `1.6 / alpha` of the rows.
    pub alpha: f64,
}

record! {
    /// The BEDROC of one group.
    pub struct BedrocRecord {
        /// The BEDROC, 0 to 1; null with no positives or no negatives.
        pub bedroc: Option<f64>,
    }
}

/// The maximum alpha; beyond it, only the first rank contributes.
const MAX_ALPHA: f64 = 1e6;

from_options!(|options| Bedroc { alpha: options.above_0("alpha", MAX_ALPHA)? });

impl Summary for Bedroc {
    type Record = BedrocRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> BedrocRecord {
        let has_pairs = ties.has_pairs();
        let masses = Masses::from_ties(&mut ties).filter(|_| has_pairs);
        BedrocRecord::new(masses.map(|masses| self.evaluate_masses(&masses)))
    }
}

impl Bedroc {
    fn evaluate_masses(&self, masses: &Masses) -> f64 {
        let Count { pos: n_pos, neg: n_neg } = masses.all;
        let scale = self.alpha / (n_pos + n_neg);
        let (mut above, mut sum) = (0.0, Sum::default());
        for score in masses.scores.iter().rev() {
            let rows = score.mass.rows();
            sum.add(score.mass.pos / rows * (-scale * above).exp() * -(-scale * rows).exp_m1());
            above += rows;
        }
        let best = -(-scale * n_pos).exp_m1();
        let worst = (-scale * n_neg).exp();
        // 1 - worst, without cancellation.
        ((sum.total() / best - worst) / -(-scale * n_neg).exp_m1()).clamp(0.0, 1.0)
    }
}

declaration! {
    /// The Boltzmann-enhanced discrimination of ROC: a measure of early recognition that weights the highest ranks
    /// most.
    ///
    /// Words: BEDROC, RIE, robust initial enhancement, virtual screening, early recognition.
    Bedroc {
        label = None, score = None;
        /// The weight of the highest ranks, above 0. With 20, the first 8 % of the rows contribute 80 % of the
        /// largest possible sum.
        alpha: number = 20.0,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn few_rows() {
        let compute =
            |alpha: f64, labels: &[u8], scores: &[f64]| summary(&Bedroc { alpha }, labels, scores).bedroc;
        assert_eq!(compute(20.0, &[1, 0, 0], &[3.0, 2.0, 1.0]), Some(1.0));
        assert_eq!(compute(20.0, &[0, 0, 1], &[3.0, 2.0, 1.0]), Some(0.0));
        // The mean over both ranks of the tie.
        let tied = compute(20.0, &[1, 0], &[1.0, 1.0]).unwrap();
        assert!((tied - 0.5).abs() < 1e-15);
        // The definition: one positive at rank 2 of 4.
        let e = |rank: f64| (-3.0 * rank / 4.0).exp();
        let rie = e(2.0) / ((e(1.0) + e(2.0) + e(3.0) + e(4.0)) / 4.0);
        let limits = |sign: f64| (1.0 - (sign * 3.0 / 4.0).exp()) / (0.25 * (1.0 - (sign * 3.0).exp()));
        let expected = (rie - limits(1.0)) / (limits(-1.0) - limits(1.0));
        assert!((compute(3.0, &[0, 1, 0, 0], &[4.0, 3.0, 2.0, 1.0]).unwrap() - expected).abs() < 1e-15);
        assert_eq!(compute(20.0, &[1, 1], &[1.0, 2.0]), None);
    }
}
