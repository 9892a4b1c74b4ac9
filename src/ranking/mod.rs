//! The kernel: from scores and labels to [`Ties`], the input of every unpaired statistic.
//!
//! Each module uses only the modules above it:
//!
//! - [`scores`]: scores as order-preserving integer keys; labels as bits; [`Observations`], the rows of a
//!   group before ranking.
//! - `bucket_map`: maps of scores to buckets, fitted to a sample.
//! - `partition`: the radix partition of rows by a histogram, a prefix sum and a scatter.
//! - [`ties`]: the distinct scores of a group, highest first, each with the number of its positives and
//!   negatives. Statistics see the same ties for ranked rows and for stored counts.
//! - `index`: the keys of one class in buckets, and the look-up of any key of the other class.
//! - [`order`]: strategies to rank unweighted rows. A few rows are compared in pairs, and a few distinct
//!   scores are counted. Otherwise one class is bucketed, and the other class looks up its ranks.
//! - [`weighted`]: the same for rows with weights, which are integers in units of fixed point.
//! - [`group`]: the rows of one group, ranked by the strategy for their number.
//! - [`rows`]: several columns row by row: codes of scores and keys, placements of rows.
//!
//! [`tasks`] schedules many groups over threads. `tuning` has all constants that affect the speed.

#![deny(unsafe_code)]

mod bucket_map;
pub mod group;
mod index;
pub mod order;
mod partition;
pub mod rows;
pub mod scores;
pub mod tasks;
pub mod ties;
mod tuning;
pub mod weighted;

pub use group::{Group, Strategy};
pub use order::*;
pub use rows::*;
pub use scores::*;
pub use ties::*;
pub use tuning::SHARD_ROWS;
pub use weighted::*;
