//! All constants that affect the speed of the kernel.
//!
//! Each documents its purpose, and a measurement or derivation. They do not change results, with one
//! exception: the outline's constants and [`SHARD_ROWS`] determine which points represent a large curve. The
//! tests of [`ties`](crate::ranking::ties::ties) compare every strategy with the definition.

// Choice of the ranking strategy.

/// From this number of rows, a group is ranked by all threads, in shards. The keys of a group then start to
/// exceed the cache of one core.
pub const SHARD_ROWS: usize = 1 << 17;

/// A group is counted while, on average, at least this many of its rows share a score. It limits how many
/// rows are counted in vain if scores are distinct.
pub(super) const ROWS_PER_KEY: usize = 64;

/// A group with fewer rows is compared pair by pair.
///
/// Measured against bucketing both classes: for 40 rows all pairs take half the time; for 100 rows the times
/// are equal.
pub(super) const FEW_ROWS: usize = 64;

// Keys in buckets (`sorting`, `score_order`).

/// A bucket of at most this many keys is sorted by an inlined insertion sort. The standard sort does the same
/// for few keys, but behind a call. Consecutive buckets within the limit are sorted together (`score_order`).
pub(super) const INSERTION_KEYS: usize = 12;

/// Equal keys that are counted one by one. The end of a longer run is found by binary search.
pub(super) const EQUAL_STEPS: usize = 8;

/// Keys whose minimum and maximum positions are computed together: one 512-bit register of floats, or two of
/// 256 bits.
pub(super) const LANES: usize = 8;

// The index of a class (`ranking::index`, `classes`).

/// Buckets per indexed key.
///
/// Measured on groups of 10^4 normal scores, whose middle is four times as dense as the average. With 1, the
/// AUC takes 1/10 longer, because more buckets exceed [`PROBE_LANES`] keys.
pub(super) const BUCKETS_PER_KEY: usize = 2;

/// Keys that a look-up compares at once. A longer bucket is sorted, and searched by bisection unless it has
/// one score.
pub(super) const PROBE_LANES: usize = 4;

/// The batch size of bucket computations, of row offsets and of emitted steps. It must fit the bits of a
/// word.
///
/// Measured on groups of 10^4 normal scores: the AUC takes 1/4 less time than with one key at a time.
pub(super) const TOGETHER: usize = 64;

// Maps of scores to buckets (`bucket_map`).

/// From this number of keys, the map is fitted to a sample of [`SAMPLE`] keys. With fewer keys, sorting the
/// sample would take too large a share of the time.
pub(super) const SAMPLED_KEYS: usize = 2048;

/// The maximum number of scores in a sample.
pub(super) const SAMPLE: usize = 256;

/// The number of equal stretches in which a straight line is tested against the sample.
pub(super) const STRETCHES: usize = 64;

/// A straight line is accepted if no stretch has more than 1 / `FULLEST_SHARE` of the sampled distinct
/// scores. The fullest stretch of normal scores has about 1/30.
pub(super) const FULLEST_SHARE: usize = 8;

/// Cells of the grid of a piecewise-linear map. It must be a power of two, small enough for the lines to stay
/// in L1.
pub(super) const GRID_CELLS: usize = 512;
const _: () = assert!(GRID_CELLS.is_power_of_two());

/// From this number of sampled scores, a cell's line is fitted to them. With fewer, it spans the cell.
pub(super) const TRUSTED_SCORES: usize = 4;

// Shards of a large group (`shards`, `blocks`).

/// The maximum average size in bytes of the indexed keys of a shard, unless there are [`MAX_SHARDS`]. With
/// their buckets and the other rows of the shard, they stay in 512 KiB, the L2 of the core of the
/// measurement.
pub(super) const INDEXED_BYTES: usize = 1 << 16;

/// The minimum number of shards of a large group. A piecewise-linear map needs some shards for each line.
pub(super) const MIN_SHARDS: usize = 64;

/// The maximum number of shards of a large group. Each shard has two partitions in every block.
pub(super) const MAX_SHARDS: usize = 512;
const _: () = assert!(
    2 * MAX_SHARDS < u16::MAX as usize,
    "the partitions of two classes, and one more, are numbered by u16"
);

/// Blocks per thread of a large group, for load balancing.
pub(super) const BLOCKS_PER_THREAD: usize = 4;

/// Rows of a block that are partitioned together. With their partitions and offsets they stay in L2 or L3
/// from the histogram to the scatter.
pub(super) const PARTITIONED_ROWS: usize = 1 << 18;
const _: () = assert!(PARTITIONED_ROWS.is_multiple_of(64), "labels come as words of 64 rows");

/// Shards per thread that are walked before their results are joined. It bounds the memory of pending
/// results, which may be as large as the shards.
pub(super) const SHARDS_AT_A_TIME: usize = 2;

/// Prefetch distance in rows: one page of 64-bit scores. Many hardware prefetchers stop at page boundaries.
///
/// Measured on 10^7 rows: `roc_auc` takes 1/20 less time for 32-bit scores, and 1/50 less for 64-bit scores.
/// Twice the distance gives the same time.
pub(super) const PREFETCH_DISTANCE: usize = 512;

// Few distinct scores (`distinct_keys`).

/// The maximum number of distinct keys of a table.
pub(super) const MAX_KEYS: usize = 1 << 13;

/// The minimum number of slots per key. With random keys, all but 1 in 30 are then in their home slot.
pub(super) const SLOTS_PER_KEY: usize = 16;

/// Slots of a new table. The table doubles when it becomes too full.
pub(super) const FIRST_SLOTS: usize = 1 << 8;

// Rows in parts by score (`parted_placements`, `score_order`).

/// The approximate number of rows in a part.
///
/// Measured on two normal scores of 10^6 rows, 30 % positive. With a single part the look-ups wait for
/// memory, and the paired test takes 2.6 times as long.
pub(super) const PART_ROWS: usize = 1 << 14;

/// The maximum number of parts. Each part has two partitions, and more of them would exceed L1.
pub(super) const MAX_PARTS: usize = 256;

// Placements of keys among all rows (`all_placements`).

/// The minimum average number of rows of a key in a range of scores: each range has sums for each key.
pub(super) const ROWS_OF_KEY: usize = 64;

/// The same if there would otherwise be fewer ranges than threads, which would leave threads idle.
pub(super) const MIN_ROWS_OF_KEY: usize = 4;

/// Codes in a range of counted rows, so that the counts of a range stay in the cache. Also the number of keys
/// whose sums of two ranges one task adds.
pub(super) const RANGE_CODES: usize = 1 << 13;

// Rows sorted by group (`row_groups`).

/// The minimum average number of rows of a block per group. Every block needs an offset in every group; with
/// fewer rows the offsets would outnumber the rows.
pub(super) const ROWS_PER_OFFSET: usize = 16;

/// The minimum number of rows of a block: fewer are processed in less time than waking another thread takes.
pub(super) const BLOCK_ROWS: usize = 1 << 15;

/// Rows whose group codes are computed from keys and labels before the rows are moved; the codes stay in the
/// cache.
pub(super) const SLICE_ROWS: usize = 1 << 12;

/// The maximum number of groups of a single pass: their offsets and current cache lines fit the L2 of a core.
/// Measured with reports of 2,500 to 4,000 groups: a single pass is faster than two.
pub(super) const MAX_GROUPS: usize = 1 << 12;

// Scores that several rows share (`duplicates`).

/// Bits per row of the Bloom filter. With 16, the false positive rate is 1/16.
pub(super) const BITS_PER_ROW: usize = 16;

/// Words of the Bloom filter for keys seen twice, 4 KiB, which stay in L1.
pub(super) const TWICE_WORDS: usize = 1 << 9;

// The outline of a large group (`outline`, `grid`).

/// Bits of the cell numbers of the first grid.
///
/// Floats of one sign within a factor of 1000 spread over some hundreds of cells, each of which is
/// subdivided.
pub(super) const FIRST_GRID_BITS: u32 = 16;

/// An outline is too coarse if a cell has more than this multiple of the intended number of rows.
pub(super) const TOO_MANY_TIMES: u64 = 8;

/// Counters per cell of the first grid, used in turn.
///
/// Measured on 10^7 normal scores, whose shards lie in one to three cells: counting takes 3/5 of the time of
/// a single counter.
pub(super) const COUNTS_OF_A_CELL: usize = 4;

// Steps, scores of positives, counts and weights (`steps`, `positives`, `counts`, `units`).

/// The batch size of emitted scores of positives: a power of two.
///
/// Measured: the average precision of groups of ten rows takes 3 % fewer instructions than with 64, because
/// less memory is cleared. For groups of 10^4 rows it takes 0.3 % more.
pub(super) const POSITIVES_AT_A_TIME: usize = 16;

/// Below this number of weights, exponents are sorted; above it, they are counted in a table of 32 KiB for
/// both classes.
pub(super) const COUNTED_WEIGHTS: usize = 1 << 7;

// Scheduling over threads (`tasks`).

/// The overhead of a group, in rows: one kernel call and one record.
pub(super) const ROWS_PER_GROUP: usize = 16;

/// Below this total number of rows, one thread does all the work, since waking other threads takes longer. It
/// is also the size of a task. Groups of [`SHARD_ROWS`] parallelise internally, and may only do so inside a
/// pool.
pub(super) const PARALLEL_ROWS: usize = 1 << 14;
const _: () = assert!(PARALLEL_ROWS <= SHARD_ROWS);

/// Tasks per thread, for load balancing.
pub(super) const TASKS_PER_THREAD: usize = 8;

/// Parts per thread of work with pieces of similar cost. Threads that finish early wait for the last part, so
/// parts are small.
pub(super) const PARTS_PER_THREAD: usize = 32;
