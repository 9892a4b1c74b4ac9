//! Arithmetic and distributions for the statistics. Only this layer knows how a number is rounded, and only this one
//! imports a library of distributions.

#![forbid(unsafe_code)]

pub mod binomial;
pub mod chances;
pub mod chi_square;
pub mod exact;
pub mod f_distribution;
pub mod fraction;
pub mod kolmogorov;
pub mod mean;
pub mod normal;
pub mod products;
pub mod quantile;
pub mod random;
pub mod student_t;
pub mod sum;
pub mod symmetric;

pub use chances::Chances;
pub use exact::{product_difference, quotient, signed_product_difference, signed_quotient};
pub use products::Products;
pub use random::Stream;
