//! The columns of a call: scores, labels, weights, counts, keys, states; by group or row by row.

pub(super) mod count;
pub(super) mod dtypes;
pub(super) mod group_table;
pub(super) mod groups;
pub(super) mod joint;
pub(super) mod keyed_states;
pub(super) mod keys;
pub(super) mod label;
pub(super) mod one_score;
pub(super) mod score;
pub(super) mod state_dtypes;
pub(super) mod state_numbers;
pub(super) mod states;
pub(super) mod weight;
