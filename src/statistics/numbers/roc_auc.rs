//! The area under the ROC curve.

use super::partial_area::{Range, Standardized, partial_area};
use crate::math;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{FromOptions, OptionError, Options};

/// The probability that a random positive scores higher than a random negative, with ties as one half.
///
/// `AUC = U / (P N)` with the Mann-Whitney U of the P positives against the N negatives (Bamber 1975; Hanley
/// and McNeil 1982). It is the trapezoidal area under the ROC curve, with ties as diagonals. U is an exact
/// integer, and the quotient is correctly rounded.
///
/// With bounds it is the partial area: see [`partial_area`].
#[derive(Clone, Copy, Debug, Default)]
pub struct RocAuc {
    /// The bounds of a partial area.
    pub range: Option<Range>,
    /// Whether and how a partial area is standardised.
    pub standardized: Standardized,
}

record! {
    /// The area of one group.
    pub struct RocAucRecord {
        /// The AUC, 0 to 1; null with no positives or no negatives.
        pub auc: Option<f64>,
    }
}

impl FromOptions for RocAuc {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let (range, standardized) = Range::parse(options)?;
        Ok(RocAuc { range, standardized })
    }
}

impl Summary for RocAuc {
    type Record = RocAucRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> RocAucRecord {
        let auc = if !ties.has_pairs() {
            None
        } else if let Some(range) = self.range {
            partial_area(&mut ties, range, self.standardized)
        } else {
            Some(math::quotient(ties.twice_u(), 2 * ties.pairs()))
        };
        RocAucRecord { auc }
    }
}

declaration! {
    /// The AUC: the probability that a random positive scores higher than a random negative, where a tie counts one
    /// half; or a partial area.
    ///
    /// Words: AUC, AUROC, ROC AUC, area under the curve, partial AUC, pAUC, McClish, c-statistic.
    RocAuc {
        label = None,
        /// Scores are compared in their own dtype.
        score = None;
        /// A weight acts as a number of identical rows.
        weight = None,
        /// Bounds of the false positive rate, for the partial area between them: the integral of tpr over fpr.
        min_fpr: number = None,
        max_fpr: number = None,
        /// Bounds of the true positive rate, for the partial area between them: the integral of 1 - fpr over tpr.
        /// `max_fpr` with `min_tpr` gives the two-way partial area: the part of the corner `fpr <= max_fpr`, `tpr >=
        /// min_tpr` below the curve. Other bounds of both rates are not supported.
        min_tpr: number = None,
        max_tpr: number = None,
        /// Whether to scale a partial area like a whole area: 1/2 for the diagonal, 1 for a perfect score. Below the
        /// diagonal the result is null; `"always"` applies the same formula there, as scikit-learn does, with results
        /// below 1/2, possibly below 0. Not for the two-way area.
        standardized: python("bool | Literal[\"always\"]") = false,
        count = None,
        /// instead of `label` and `score`. The states of a group are merged. With `max_bins` the result is
        /// approximate: scores in the same bin count as ties.
        state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    fn auc(labels: &[u8], scores: &[f64]) -> Option<f64> {
        summary(&RocAuc::default(), labels, scores).auc
    }

    #[test]
    fn published_examples() {
        // Komarek 2004: six rows, area 5 of 8.
        assert_eq!(auc(&[1, 1, 0, 1, 0, 1], &[0.89, 0.8, 0.7, 0.6, 0.5, 0.17]), Some(5.0 / 8.0));
        // Ling, Huang and Zhang 2003, rank formula: C1, C2, C3, ranks 10 down to 1.
        let ranks: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        assert_eq!(auc(&[1, 1, 1, 1, 0, 1, 0, 0, 0, 0], &ranks), Some(24.0 / 25.0));
        assert_eq!(auc(&[0, 1, 1, 1, 1, 0, 0, 0, 0, 1], &ranks), Some(16.0 / 25.0));
        assert_eq!(auc(&[1, 1, 1, 0, 0, 1, 1, 0, 0, 0], &ranks), Some(21.0 / 25.0));
        // Konstantin 2011, chocolate bars: Lindt and Ferrero-Rocher tie.
        assert_eq!(auc(&[1, 0, 1, 1, 0, 0, 0], &[8.0, 5.0, 3.0, 3.0, 1.0, -3.0, -5.0]), Some(10.0 / 12.0));
    }

    #[test]
    fn undefined_without_pairs() {
        assert_eq!(auc(&[], &[]), None);
        assert_eq!(auc(&[1], &[0.5]), None);
        assert_eq!(auc(&[0, 0], &[0.5, 0.7]), None);
        assert_eq!(auc(&[0, 1], &[f64::NEG_INFINITY, f64::INFINITY]), Some(1.0));
        assert_eq!(auc(&[0, 1], &[-0.0, 0.0]), Some(0.5));
    }

    proptest! {
        #[test]
        fn average_of_pairs(rows in proptest::collection::vec((0u8..2, -3i8..3), 0..60)) {
            let (labels, scores): (Vec<u8>, Vec<i8>) = rows.into_iter().unzip();
            let class_scores = |class| labels.iter().zip(&scores).filter(move |row| *row.0 == class).map(|row| *row.1);
            let mut wins = 0.0;
            let mut pairs = 0.0;
            for p in class_scores(1) {
                for n in class_scores(0) {
                    pairs += 1.0;
                    wins += if p > n { 1.0 } else if p == n { 0.5 } else { 0.0 };
                }
            }
            let expected = (pairs > 0.0).then(|| wins / pairs);
            prop_assert_eq!(summary(&RocAuc::default(), &labels, &scores).auc, expected);
        }
    }
}
