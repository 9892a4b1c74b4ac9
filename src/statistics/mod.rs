//! One file a statistic: its options, its record, the formula with its source, and its tests.
//!
//! A statistic is a plain value holding its options. A [`Summary`] answers a group with one record,
//! a [`Curve`] with any number of them. Both see the [`Ties`] of rows that can be ranked; what NaN
//! and missing rows mean is settled before they are asked.

#![forbid(unsafe_code)]

pub mod alternative;
pub mod gini;
pub mod ks_statistic;
pub mod mann_whitney_u;
pub mod record;
pub mod roc_auc;
pub mod roc_auc_ci;
pub mod roc_curve;
pub mod roc_summary;

pub use alternative::Alternative;
pub use gini::Gini;
pub use ks_statistic::KsStatistic;
pub use mann_whitney_u::MannWhitneyU;
pub use record::{Column, Field, Kind, Record};
pub use roc_auc::RocAuc;
pub use roc_auc_ci::RocAucCi;
pub use roc_curve::RocCurve;
pub use roc_summary::RocSummary;

use crate::ranking::{Key, Ties};

/// A statistic that answers each group with one record.
pub trait Summary: Sync {
    /// What a group is answered with.
    type Record<K: Key>: Record<K>;

    /// Says what is wrong with the options, in words that name the option and what it may be.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// The answer for a group; `None` in a field says that it is undefined there.
    fn of_ties<K: Key>(&self, ties: Ties<'_, K>) -> Self::Record<K>;

    /// The answer for a group that holds a NaN score: NaN wherever a number would depend on ranks.
    fn of_nan<K: Key>(&self, n_pos: u64, n_neg: u64) -> Self::Record<K>;
}

/// A statistic that answers each group with a list of records. A group that holds a NaN score is
/// answered with null.
pub trait Curve: Sync {
    /// One point.
    type Record<K: Key>: Record<K>;

    /// Says what is wrong with the options, in words that name the option and what it may be.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Appends the points of a group in order, or returns `false`, before appending any, where the curve
    /// is undefined.
    fn points<K: Key>(&self, ties: Ties<'_, K>, columns: &mut Vec<Column<K>>) -> bool;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ranking::{Bits, Group, Score};

    /// Calls `ask` with the ties of scores and 0/1 labels.
    pub fn with_ties<S: Score, R>(labels: &[u8], scores: &[S], ask: impl FnOnce(Ties<'_, S::Key>) -> R) -> R {
        assert_eq!(labels.len(), scores.len());
        let mut bytes = vec![0; labels.len() / 8 + 1];
        for (row, label) in labels.iter().enumerate() {
            bytes[row / 8] |= label << (row % 8);
        }
        let mut group = Group::default();
        group.part(scores, Bits::new(&bytes, 0, labels.len()), None);
        ask(group.ties::<S>())
    }

    /// The record of one group.
    pub fn summary<M: Summary, S: Score>(statistic: &M, labels: &[u8], scores: &[S]) -> M::Record<S::Key> {
        with_ties(labels, scores, |ties| statistic.of_ties(ties))
    }
}
