//! Answers as columns, and their planned fields.

pub(super) mod columns;
pub(super) mod columnwise;
pub(super) mod curvewise;
pub(super) mod joint;
pub(super) mod one_score;
pub(super) mod packed_states;
pub(super) mod planned;
