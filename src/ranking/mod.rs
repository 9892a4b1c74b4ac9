//! The kernel: from scores and labels to [`Ties`], on which every unpaired statistic stands.
//!
//! The folders. Each uses only those above it:
//!
//! - [`scores`]: a score as an integer key with the same order; labels as bits; [`Observations`], the rows of a group
//!   before they are ranked.
//! - `bucket_map`: scores to buckets, fitted to a sample.
//! - `partition`: the radix partition of rows by a histogram, a prefix sum and a scatter.
//! - [`ties`]: the distinct scores of a group, highest first, each with its positives and negatives. A statistic cannot
//!   tell whether the rows behind them were ranked, or were counted earlier.
//! - `index`: one class of keys in buckets, and its probe: how many of them are below any key of the other class.
//! - [`order`]: the ways to rank rows without weights. Few rows are compared in pairs, and few distinct scores are
//!   counted. Otherwise one class is bucketed, and the other class looks up its ranks in it.
//! - [`weighted`]: the same for rows with weights, which count units of a fixed-point number.
//! - [`group`]: the rows of one group, ranked in the way that suits their number.
//! - [`rows`]: several columns row by row: codes of scores and keys, and placements of rows.
//!
//! [`tasks`] divides many groups among threads. `tuning` has all numbers that decide the speed.

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
