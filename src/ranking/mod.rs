//! The kernel: from scores and labels to *ties*, on which every unpaired statistic stands.
//!
//! A score becomes an order-preserving integer key ([`key`]), and the keys of a group are parted by class
//! (`class_keys`; `shards` and `streams` for groups that all threads share) or, if few are distinct, counted (`counted`).
//! One class is brought near its order and the other looks up its place (`index`, `classes`); a few rows are compared
//! in pairs ([`pairs`]). [`ties`] asks all of them, and [`group`] is the door. Nothing here knows where the
//! scores came from, and nothing behind [`Ties`] knows how they were counted. Weights become counts of a [`fixed_point`] unit, and
//! rows with weights (`weighted`, `weighted_shards`) give ties like any others. What concerns several columns
//! row by row takes [`rows`], whose scores are [`codes`] or [`row_placements`]. [`tasks`] divides many groups among threads.

#![deny(unsafe_code)]

pub mod bits;
mod class_keys;
mod classes;
pub mod codes;
mod counted;
mod duplicates;
pub mod fixed_point;
pub mod group;
mod index;
pub mod key;
mod map;
pub mod number;
pub mod outline;
pub mod pairs;
pub mod row_placements;
pub mod rows;
mod shards;
mod steps;
mod streams;
pub mod tasks;
mod thresholds;
pub mod ties;

mod rank_sums;
mod weighted;
mod weighted_shards;
mod wide;

pub use bits::Bits;
use class_keys::ClassKeys;
pub use classes::Indexed;
pub use codes::Codes;
pub use fixed_point::{Unit, Units};
pub use group::{Group, Strategy};
pub use key::{Key, Score};
pub use number::Number;
pub use outline::Cell;
pub use pairs::Placements;
pub use row_placements::RowPlacements;
pub use rows::Rows;
pub use shards::SHARD_ROWS;
pub use steps::{Segment, Step, Tie};
pub use ties::Ties;
