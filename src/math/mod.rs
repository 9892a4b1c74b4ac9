//! Arithmetic and distributions that statistics stand on: the only layer that knows how a number
//! is rounded, and the only one that imports a library of distributions.

#![forbid(unsafe_code)]

pub mod exact;
pub mod kolmogorov;
pub mod normal;

pub use exact::{product_difference, quotient, signed_quotient};
