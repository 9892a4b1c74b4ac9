//! Results as columns, and their planned fields.

pub(super) mod batch_summaries;
pub(super) mod columns;
pub(super) mod columnwise;
pub(super) mod conversion;
pub(super) mod curvewise;
pub(super) mod each_score;
pub(super) mod group_lists;
pub(super) mod joint;
pub(super) mod one_score;
pub(super) mod packed_states;
pub(super) mod planned;
pub(super) mod ranges;
pub(super) mod rolling_states;
