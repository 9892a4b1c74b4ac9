//! Scores as ordered integer keys, and labels as bits.

pub mod bits;
pub mod key;
pub mod keys;
pub mod number;
pub mod score_type;
pub(super) mod wide;

pub use bits::Bits;
pub use key::{Key, Score, Width};
pub use keys::Keys;
pub use number::{Domain, Number};
pub use score_type::ScoreType;
