//! Whether acting on a score is worth it.

pub mod net_benefit;

pub use net_benefit::NetBenefit;
