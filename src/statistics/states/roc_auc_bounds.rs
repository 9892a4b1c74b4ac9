//! Bounds of the area under the ROC curve of rows, from their state.

use crate::math;
use crate::ranking::ties::{Count, RowCounts, Ties};
use crate::states::State;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::from_options;

/// The lowest and the highest possible AUC of the rows of a state.
///
/// The order of rows in different bins is known. In a bin of several scores, a pair of a positive and a
/// negative may be concordant, discordant or tied. The bounds count all such pairs as discordant, and as
/// concordant. Rounding is monotone, so the AUC of the rows lies between the bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct RocAucBounds {}

record! {
    /// The bounds of one group.
    pub struct RocAucBoundsRecord {
        /// The AUC if rows of the same bin tie; null with no positives or no negatives.
        pub auc: Option<f64>,
        /// The lowest possible AUC of the rows; null where `auc` is null.
        pub lower: Option<f64>,
        /// The highest possible AUC of the rows; null where `auc` is null.
        pub upper: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
        /// Whether each distinct score has its own bin, so that every number equals that of the rows.
        pub exact: bool,
    }
}

from_options!(|_| RocAucBounds {});

impl Summary for RocAucBounds {
    type Record = RocAucBoundsRecord;
    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> RocAucBoundsRecord {
        let rows = Count::from(&ties);
        let has_exact_counts = ties.stored().is_none_or(|state| state.resolution == 0);
        let exact = has_exact_counts && ties.stored_weights().is_none_or(|state| state.resolution == 0);
        if !ties.has_pairs() {
            return RocAucBoundsRecord { exact, ..RocAucBoundsRecord::undefined(rows) };
        }
        let (twice_u, twice_pairs) = (ties.twice_u(), 2 * ties.pairs());
        let unordered = ties.stored().map_or(0, |state| state.unordered_pairs());
        let area = |twice_u| Some(math::quotient(twice_u, twice_pairs));
        let (mut lower, mut upper) = (area(twice_u - unordered), area(twice_u + unordered));
        if let Some(rounding) = ties.stored_weights().map(State::rounding) {
            lower = lower.map(|lower| (lower - rounding).next_down().max(0.0));
            upper = upper.map(|upper| (upper + rounding).next_up().min(1.0));
        }
        RocAucBoundsRecord { auc: area(twice_u), lower, upper, rows, exact }
    }

    /// All numbers are NaN, as for the rows.
    fn nan_record(&self, rows: RowCounts) -> RocAucBoundsRecord {
        RocAucBoundsRecord { exact: true, ..RocAucBoundsRecord::nan(rows) }
    }
}

declaration! {
    /// The AUC of states, with bounds of the AUC of their rows.
    ///
    /// Words: bounds of the AUC, binned AUC, approximate AUC, error of a histogram.
    RocAucBounds {
        label = None, score = None; weight = None, count = None,
        /// instead of `label` and `score`. The states of a group are merged.
        state = None,
    }
}
