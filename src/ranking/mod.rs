//! The kernel: from scores and labels to *ties*, on which every unpaired statistic stands.
//!
//! A score becomes an order-preserving integer key ([`key`]), and the keys of a group are parted by class
//! (`piles`; `shards` and `streams` for groups that all threads share) or, if few are distinct, counted (`counted`).
//! One class is brought near its order and the other looks up its place (`index`, `classes`); a few rows are compared
//! in pairs ([`pairs`]). [`ties`] asks all of them, and [`group`] is the door. Nothing here knows where the
//! scores came from, and nothing behind [`Ties`] knows how they were counted. Weights become counts of a [`mod@unit`], and
//! rows with weights (`weighed`, `weighed_shards`) give ties like any others. What concerns several columns
//! row by row takes [`rows`], whose scores are [`codes`] or [`placed`]. [`tasks`] divides many groups among threads.

#![deny(unsafe_code)]

pub mod bits;
mod classes;
pub mod codes;
mod counted;
pub mod group;
mod index;
pub mod key;
mod map;
pub mod number;
pub mod outline;
pub mod pairs;
mod piles;
pub mod placed;
pub mod rows;
mod shards;
mod shared;
mod steps;
mod streams;
pub mod tasks;
mod thresholds;
pub mod ties;
pub mod unit;
mod weighed;
mod weighed_shards;
mod wide;
mod won;

pub use bits::Bits;
pub use classes::Indexed;
pub use codes::Codes;
pub use group::{Group, Way};
pub use key::{Key, Score};
pub use number::Number;
pub use outline::Cell;
pub use pairs::Placements;
use piles::Piles;
pub use placed::Placed;
pub use rows::Rows;
pub use shards::SHARD_ROWS;
pub use steps::{Segment, Step, Tie};
pub use ties::Ties;
pub use unit::{Unit, Units};
