//! The numbers of a group in a report with bounded memory, from its rows or from their state.

use super::roc_auc_bounds::RocAucBounds;
use super::roc_state::RocState;
use crate::ranking::ties::{RowCounts, Ties};
use crate::states::{Limit, StoredState};
use crate::statistics::intervals::RocSummaryShort;
use crate::statistics::intervals::roc_summary_short::ShortSummaryRecord;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::from_options;
use crate::statistics::resampling::Resampling;

/// The numbers of [`RocSummaryShort`] and the bounds of [`RocAucBounds`] of the state with at most `max_bins`
/// bins.
///
/// If a group has fewer rows than bins, its state is exact, and its numbers are those of the rows. Such a
/// group needs no state, which would take more memory than its rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct RocSummaryBounded {
    /// The numbers.
    pub summary: RocSummaryShort,
    /// The state.
    pub state: RocState,
}

record! {
    /// The numbers of one group.
    pub struct BoundedSummaryRecord {
        /// The numbers of the state.
        pub summary: ShortSummaryRecord,
        /// The lowest possible AUC of the rows.
        pub auc_min: Option<f64>,
        /// The highest possible AUC of the rows.
        pub auc_max: Option<f64>,
        /// Whether each distinct score has its own bin.
        pub exact: bool,
    }
}

from_options!(|options| RocSummaryBounded {
    summary: RocSummaryShort::from_options(options)?,
    state: RocState::from_options(options)?,
});

impl Summary for RocSummaryBounded {
    type Record = BoundedSummaryRecord;

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        self.state.check_ties(ties)
    }

    fn state(&self) -> Option<Option<Limit>> {
        self.state.state()
    }

    fn resampling(&self) -> Option<Resampling> {
        self.summary.resampling()
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> BoundedSummaryRecord {
        let rows = ties.n_pos() + ties.n_neg();
        if ties.stored().is_none() && self.state.max_bins.is_none_or(|max_bins| rows <= max_bins) {
            let summary = ShortSummaryRecord { n_unlabelled: None, ..self.summary.evaluate(ties) };
            return BoundedSummaryRecord { auc_min: summary.auc, auc_max: summary.auc, exact: true, summary };
        }
        let mut state = StoredState::from(self.state.state_of(&mut ties));
        let bounds = RocAucBounds {}.evaluate(state.ties());
        BoundedSummaryRecord {
            summary: self.summary.evaluate(state.ties()),
            auc_min: bounds.lower,
            auc_max: bounds.upper,
            exact: bounds.exact,
        }
    }

    fn nan_record(&self, rows: RowCounts) -> BoundedSummaryRecord {
        let summary = self.summary.nan_record(rows.stored());
        BoundedSummaryRecord { summary, exact: true, ..BoundedSummaryRecord::nan(rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::{Group, tests::group_of};
    use crate::ranking::scores::Domain;
    use proptest::prelude::*;

    proptest! {
        /// The numbers equal those of the state, whether a group has more rows than bins or not.
        #[test]
        fn equals_the_state(
            rows in prop::collection::vec((-30i32..30, any::<bool>()), 0..150),
            max_bins in 16u64..80,
        ) {
            let state = RocState { max_bins: Some(max_bins), scale: None };
            let bounded = RocSummaryBounded { state, ..RocSummaryBounded::default() };
            let mut group = group_of(&rows, Domain::Any);
            let record = bounded.evaluate(group.ties());
            let mut stored = Group::<u32>::default();
            stored.load_state(state.state_of(&mut group.ties()));
            prop_assert_eq!(&record.summary, &RocSummaryShort::default().evaluate(stored.ties()));
            let bounds = RocAucBounds {}.evaluate(stored.ties());
            prop_assert_eq!((record.auc_min, record.auc_max, record.exact), (bounds.lower, bounds.upper, bounds.exact));
            prop_assert_eq!(bounded.evaluate(stored.ties()), record);
        }
    }
}
