//! ROC AUC, ROC curves, rank-sum statistics and their inference, as Polars expression plugins.
//!
//! The layers, each of which knows only those above it:
//!
//! - [`interrupt`]: how a user stops a long computation.
//! - [`paths`]: which way a group goes, and the switches by which benchmarks find what each special path buys.
//! - `cache`, `memory`, `simd`: prefetch, memory in large pages, and runtime dispatch of SIMD.
//! - [`math`]: exact quotients, distributions.
//! - [`ranking`]: order-preserving keys, the rows of a group, its ties.
//! - [`states`]: counts of rows that are kept, merged and packed; they are a source of ties as well.
//! - [`statistics`]: one file a statistic, a fold over the ties.
//! - `plugin` (feature `plugin`): Arrow columns to groups, records to Arrow columns, and the table of
//!   all expressions. The Python package `polars_auc` stands on it (feature `python`).
//!
//! Without these features, Polars, Arrow and Python are not compiled, and the kernel is an ordinary library:
//!
//! ```
//! use polars_auc::ranking::{Bits, Group, Observations};
//! use polars_auc::statistics::{RocAuc, Summary};
//!
//! let scores = [0.9, 0.4, 0.4, 0.1];
//! let labels = Bits::new(&[0b0101], 0, 4); // the first row and the third
//! let mut group = Group::default();
//! group.load(Observations::new(&scores, labels, None));
//! assert_eq!(RocAuc::default().of_ties(group.ties()).auc, Some(0.875));
//! ```

#![warn(missing_docs)]

mod cache;
pub mod interrupt;
pub mod math;
mod memory;
pub mod paths;
pub mod ranking;
mod simd;
pub mod states;
pub mod statistics;

#[cfg(any(feature = "plugin", test))]
mod front_end;
#[cfg(any(feature = "plugin", test))]
mod guard;
#[cfg(feature = "plugin")]
mod plugin;
