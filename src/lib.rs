//! ROC AUC, ROC curves, rank-sum statistics and their inference, as Polars expression plugins.
//!
//! The layers, each of which uses only the layers above it:
//!
//! - [`interrupt`]: interrupts of long computations.
//! - [`paths`]: switches for benchmarks, which turn off each special path.
//! - `cache`, `memory`, `simd`: prefetch, huge pages, and runtime dispatch of SIMD.
//! - [`math`]: exact quotients, distributions.
//! - [`ranking`]: order-preserving keys, the rows of a group, its ties.
//! - [`states`]: counts of rows that are stored, merged and packed, also as a source of ties.
//! - [`statistics`]: one file per statistic, a fold over the ties.
//! - `plugin` (feature `plugin`): Arrow columns to groups, records to Arrow columns, and the table of all
//!   expressions. The Python package `polars_auc` uses it (feature `python`).
//!
//! Without these features, Polars, Arrow and Python are not compiled, and the kernel is a plain library:
//!
//! ```
//! use polars_auc::ranking::{Bits, Group, Observations};
//! use polars_auc::statistics::{RocAuc, Summary};
//!
//! let scores = [0.9, 0.4, 0.4, 0.1];
//! let labels = Bits::new(&[0b0101], 0, 4); // the first row and the third
//! let mut group = Group::default();
//! group.load(Observations::new(&scores, labels, None));
//! assert_eq!(RocAuc::default().evaluate(group.ties()).auc, Some(0.875));
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
