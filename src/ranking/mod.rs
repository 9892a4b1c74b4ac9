//! The kernel: from scores and labels to *ties*, on which every unpaired statistic stands.
//!
//! A score becomes an order-preserving integer key ([`key`]), the keys of a group are put into one
//! pile for each class ([`classes`]), each pile is sorted, and the two are walked together from the
//! highest score down ([`ties`]). Nothing here knows where the scores came from, and nothing behind
//! [`Ties`] knows how they were counted.

pub mod bits;
pub mod classes;
pub mod key;
pub mod ties;

pub use bits::Bits;
pub use classes::Classes;
pub use key::{Key, Score};
pub use ties::{Tie, Ties};
