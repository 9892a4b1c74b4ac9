//! Constants that affect the speed of building and merging states, but not the results.

/// Up to this total number of bins, states are merged by one thread. Only larger merges run inside a pool.
pub(super) const MAX_BINS_ALONE: usize = 1 << 15;

/// Fewer states with a partition are merged in order, two at a time.
pub(super) const STATES_TOGETHER: usize = 8;

/// Bins that are merged without a check for the end: a power of two.
pub(super) const MERGE_BLOCK: usize = 16;
const _: () = assert!(MERGE_BLOCK.is_power_of_two());

/// The minimum number of rows that one thread counts into the bins of a bounded state.
pub(super) const BOUNDED_ROWS: usize = 1 << 18;

/// Groups with fewer rows are ranked to build a bounded state, because of the set-up cost of a table.
pub(super) const BOUNDED_LEAST: usize = 1 << 12;

/// Groups with fewer rows per bin are ranked as well.
///
/// Measured on normal scores: with 20 rows for each of 1,024 bins, counting takes as long as ranking. With 24
/// rows for each of 4,096 bins it takes 1/6 less time. With 60 to 100 rows for each of 1,024 to 16,384 bins
/// it takes at most half.
pub(super) const ROWS_PER_BIN: usize = 24;

/// Above this number of bins the required rows per bin grow in proportion, since the table exceeds L2.
///
/// Measured: with 30 rows for each of 32,768 bins, counting takes as long as ranking; with 15 rows for each
/// of 65,536 bins, twice as long.
pub(super) const CACHED_BINS: u64 = 1 << 14;

/// Sampled rows per bin of a state; the sample determines the first partition of its table. With this sample
/// size, the bins of all rows in this partition rarely outgrow the table.
///
/// Measured: with 4 rows, states of 512 to 4,096 bins take 10 % to 20 % longer; with 1 row, two to three
/// times as long.
pub(super) const SAMPLED_PER_BIN: usize = 2;

/// The maximum number of bins of a table, as a multiple of the bins of the state.
pub(super) const BINS_PER_LIMIT: usize = 4;
