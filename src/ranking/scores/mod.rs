//! Scores as ordered integer keys, labels as bits, and the rows of a group before ranking.

pub mod bits;
pub mod key;
pub mod keys;
pub mod number;
pub mod observations;
pub mod parts;
pub mod score_type;

pub use bits::Bits;
pub use key::{Key, Score, Width};
pub use keys::Keys;
pub use number::{Domain, Number};
pub use observations::Observations;
pub use parts::Parts;
pub use score_type::ScoreType;
