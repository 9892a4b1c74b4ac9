//! The Gini coefficient of a score.

use crate::math;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::from_options;

/// `2 AUC - 1`: the area between the ROC curve and the diagonal, relative to a perfect score.
///
/// Also called accuracy ratio, or Somers' D of the score given the label (Somers 1962). Computed as
/// `(2U - P N) / (P N)` in integers and rounded once. It is exactly 0 if positives score higher in as many
/// pairs as they score lower.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gini {}

record! {
    /// The coefficient of one group.
    pub struct GiniRecord {
        /// The coefficient, -1 to 1; null with no positives or no negatives.
        pub gini: Option<f64>,
    }
}

from_options!(|_| Gini {});

impl Summary for Gini {
    type Record = GiniRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> GiniRecord {
        let gini = ties.has_pairs().then(|| {
            let surplus = ties.twice_u().cast_signed() - ties.pairs().cast_signed();
            math::signed_quotient(surplus, ties.pairs())
        });
        GiniRecord::new(gini)
    }
}

declaration! {
    /// The Gini coefficient, `2 AUC - 1`.
    ///
    /// Words: Gini, Gini coefficient, accuracy ratio, Somers' D, normalized Gini.
    Gini {
        label = None, score = None; weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn surplus_of_won_pairs() {
        let gini = |labels: &[u8], scores: &[i32]| summary(&Gini {}, labels, scores).gini;
        assert_eq!(gini(&[0, 1], &[1, 2]), Some(1.0));
        assert_eq!(gini(&[1, 0], &[1, 2]), Some(-1.0));
        assert_eq!(gini(&[1, 0, 1], &[1, 2, 2]), Some(-0.5));
        assert_eq!(gini(&[1, 0, 1, 0, 0, 1], &[6, 5, 4, 3, 2, 1]), Some(1.0 / 9.0));
        assert_eq!(gini(&[1, 1], &[1, 2]), None);
    }
}
