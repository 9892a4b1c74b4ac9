//! The numbers that decide how fast states are made and merged; none changes an answer.

/// States of no more bins together are merged by one thread. Only work of so many bins is done inside a pool.
pub(super) const MOST_BINS_ALONE: usize = 1 << 15;

/// Fewer states of a partition are merged in order, two at a time.
pub(super) const STATES_TOGETHER: usize = 8;

/// Bins that are merged without a look at whether bins are left: a power of two.
pub(super) const MERGE_BLOCK: usize = 16;
const _: () = assert!(MERGE_BLOCK.is_power_of_two());

/// The least number of rows that one thread counts into the bins of a small state at a time.
pub(super) const BOUNDED_ROWS: usize = 1 << 18;

/// Groups of fewer rows are ranked to make a small state: a table of bins takes longer to begin with.
pub(super) const BOUNDED_LEAST: usize = 1 << 12;

/// Groups with fewer rows for each bin are ranked as well.
///
/// Measured on normal scores: with 20 rows for each of 1,024 bins, counting takes as long as ranking; with 24 rows for each
/// of 4,096 bins, a sixth less time; with 60 to 100 rows for each of 1,024 to 16,384 bins, half of the time or less.
pub(super) const ROWS_PER_BIN: usize = 24;

/// For more bins than these, a table needs as many times more rows for each: it does not stay in L2.
///
/// Measured: with 30 rows for each of 32,768 bins, counting takes as long as ranking; with 15 rows for each of 65,536 bins,
/// twice as long.
pub(super) const CACHED_BINS: u64 = 1 << 14;

/// Sampled rows for each bin of a state, whose partition its table begins with. They are so many that the bins of all
/// rows in this partition seldom outgrow the table.
///
/// Measured: with 4 rows, states of 512 to 4,096 bins take a tenth to a fifth longer; with 1 row, two to three times as long.
pub(super) const SAMPLED_PER_BIN: usize = 2;

/// A table of rows for a small state has at most so many times the bins of the state.
pub(super) const BINS_PER_LIMIT: usize = 4;
