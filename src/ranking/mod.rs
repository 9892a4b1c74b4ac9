//! The kernel: from scores and labels to *ties*, on which every unpaired statistic stands.
//!
//! A score becomes an order-preserving integer key ([`key`]). The keys of a [`group`] are parted by class (`class_keys`
//! for one thread; `shards` and `streams` for groups that all threads share) or, if few are distinct, counted
//! (`counted`). One class is brought near its order and the other looks up its place (`index`, `look_up`); a few rows
//! are compared in pairs ([`pairs`]). Rows with weights (`weighted`, `weighted_shards`) count units of a fixed-point
//! number ([`fixed_point`]). Each of these is a source of [`ties`], and so are stored [`counts`]: statistics see no
//! difference. A [`state`] is counts that are kept: exact, or in bins of a [`scale`], and [packed](packed_state) as
//! bytes; of rows with weights it has exact sums
//! ([`weighted_state`]). For a small state rows are not ranked but counted (`bounded`). What concerns several columns row by row takes [`rows`], whose scores are [`codes`],
//! [`row_placements`] or [`key_placements`]. [`tasks`] divides many groups among threads. `tuning` has all numbers that decide the speed.

#![deny(unsafe_code)]

pub mod bits;
mod bounded;
mod class_keys;
mod classes;
pub mod codes;
mod counted;
pub mod counts;
mod duplicates;
pub mod fixed_point;
pub mod group;
mod index;
pub mod key;
pub mod key_placements;
pub mod keys;
mod look_up;
mod map;
pub mod number;
mod one_thread;
pub mod outline;
pub mod packed_state;
pub mod pairs;
pub mod placements;
pub mod row_counts;
pub mod row_placements;
pub mod rows;
pub mod scale;
mod score_ops;
pub mod score_type;
mod shards;
mod sorting;
mod source;
pub mod state;
mod steps;
mod stored;
mod streams;
pub mod tasks;
pub mod ties;
mod tuning;
mod weighted;
mod weighted_rows;
mod weighted_shards;
pub mod weighted_state;
mod wide;

pub use bits::Bits;
pub use bounded::UnrankedRows;
pub use codes::Codes;
pub use counts::{Count, Counts};
pub use fixed_point::{Unit, Units, unit_of_all};
pub use group::{Group, Strategy};
pub use key::{Key, Score, Width};
pub use key_placements::KeyPlacements;
pub use keys::Keys;
pub use number::{Domain, Number};
pub use outline::Cell;
pub use placements::Placements;
pub use row_counts::RowCounts;
pub use row_placements::RowPlacements;
pub use rows::Rows;
pub use scale::Scale;
pub use score_type::ScoreType;
pub use source::{Indexed, Squared};
pub use state::{Limit, State};
pub use steps::{Segment, Step, Tie};
pub use ties::Ties;
pub use tuning::SHARD_ROWS;
pub use weighted_state::{WeightedRows, WeightedState};
