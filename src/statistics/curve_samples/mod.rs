//! Several curves, read at the same places.

pub mod curve_likelihood;
pub mod curve_sample;
pub mod moved_ranks;
pub mod simultaneous_limits;
pub mod smooth_curve;
pub mod sweep;
