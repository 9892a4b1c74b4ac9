//! All numbers that decide how fast the kernel is.
//!
//! Each says what it decides, and what was measured or what it follows from. None of them changes an answer, except
//! that those of the outline, and [`SHARD_ROWS`] from which on there is one, decide which points stand for a large
//! curve. The tests of [`ties`](crate::ranking::ties::ties) hold every way of ranking against the definition.

// Which way a group is ranked.

/// From this many rows on, a group is ranked by all threads, in shards. It is about where the keys of a group outgrow
/// the cache of one core.
pub const SHARD_ROWS: usize = 1 << 17;

/// A group is counted as long as this many of its rows share a score, on average. It decides when counting stops, and
/// so how many rows are counted in vain where scores are distinct.
pub(super) const ROWS_PER_KEY: usize = 64;

/// A group of fewer rows is compared pair by pair.
///
/// Measured against distributing both classes over buckets: with 40 rows, comparing all pairs takes half as long; with 100
/// rows both take as long.
pub(super) const FEW_ROWS: usize = 64;

// Keys in buckets (`sorting`, `score_order`).

/// A bucket of at most this many keys is sorted by insertion in the loop itself. The standard sort does the same for
/// few keys, but behind a call. Rows whose buckets all have at most so many are sorted together (`score_order`).
pub(super) const INSERTION_KEYS: usize = 12;

/// Equal keys that are counted one by one. The end of a longer run of equal keys is found by halving.
pub(super) const EQUAL_STEPS: usize = 8;

/// Keys whose lowest and highest position are sought at once: one 512-bit register of floats, or two of 256 bits.
pub(super) const LANES: usize = 8;

// The index of a class (`ranking::index`, `classes`).

/// Buckets for each indexed key.
///
/// Measured on groups of 10^4 normal scores, whose middle is four times as dense as their average: with 1, the AUC
/// takes a tenth longer, because more buckets hold more than [`PROBE_LANES`] keys.
pub(super) const BUCKETS_PER_KEY: usize = 2;

/// Keys that a lookup compares at once. A bucket of more keys is sorted, and searched by halving unless it has one score.
pub(super) const PROBE_LANES: usize = 4;

/// Keys whose buckets are found together, rows whose offsets are, and steps that one call emits. So many numbers must fit the
/// bits of a word.
///
/// Measured on groups of 10^4 normal scores: the AUC takes a quarter less time than with one key after the other.
pub(super) const TOGETHER: usize = 64;

// Maps of scores to buckets (`bucket_map`).

/// From this many keys on, a sample of [`SAMPLE`] keys decides how they are spread. With fewer keys, sorting the sample
/// would take too large a share of the time.
pub(super) const SAMPLED_KEYS: usize = 2048;

/// Scores in a sample, at most.
pub(super) const SAMPLE: usize = 256;

/// A straight line is judged by the number of sampled scores in each of this many equal stretches of it.
pub(super) const STRETCHES: usize = 64;

/// A straight line is good enough if no stretch holds more than one in this many of the sampled distinct scores. The
/// fullest stretch of normal scores holds about one in thirty.
pub(super) const FULLEST_SHARE: usize = 8;

/// Cells of a grid of many lines. It must be a power of two, and it is so small that the lines stay in L1.
pub(super) const GRID_CELLS: usize = 512;
const _: () = assert!(GRID_CELLS.is_power_of_two());

/// From this many sampled scores on, a cell's line goes through them. With fewer, it goes from border to border.
pub(super) const TRUSTED_SCORES: usize = 4;

// Shards of a large group (`shards`, `blocks`).

/// Bytes of the indexed keys of a shard, at most on average, unless there are [`MAX_SHARDS`]. Together with their buckets and with the other rows of the shard,
/// they stay in 512 KiB, the L2 of the core where this was measured.
pub(super) const INDEXED_BYTES: usize = 1 << 16;

/// Shards of a large group, at least. A map of many lines needs some shards for each of them.
pub(super) const MIN_SHARDS: usize = 64;

/// Shards of a large group, at most. Each shard is two partitions of every block.
pub(super) const MAX_SHARDS: usize = 512;
const _: () = assert!(
    2 * MAX_SHARDS < u16::MAX as usize,
    "the partitions of two classes, and one more, are numbered by u16"
);

/// Blocks of a large group for each thread, so that other threads can help one that falls behind.
pub(super) const BLOCKS_PER_THREAD: usize = 4;

/// Rows of a block that are partitioned together: they, their partitions and where they go stay in L2 or L3 from the histogram to
/// the scatter.
pub(super) const PARTITIONED_ROWS: usize = 1 << 18;
const _: () = assert!(PARTITIONED_ROWS.is_multiple_of(64), "labels come as words of 64 rows");

/// Shards for each thread that are walked before their answers are joined. Where an answer is as large as its shard,
/// the number bounds the memory of answers that wait.
pub(super) const SHARDS_AT_A_TIME: usize = 2;

/// Prefetch distance in rows: a page of scores of 64 bits. Many processors do not look beyond a page by
/// themselves.
///
/// Measured on 10^7 rows: `roc_auc` of scores of 32 bits takes a twentieth less time, and of 64 bits a fiftieth. With twice as many
/// rows it takes as long.
pub(super) const PREFETCH_DISTANCE: usize = 512;

// Few distinct scores (`distinct_keys`).

/// Distinct keys that a table holds, at most.
pub(super) const MOST_KEYS: usize = 1 << 13;

/// Slots of a table for each of its keys, at least. Of keys spread at random, all but one in thirty are then in the
/// slot of their hash.
pub(super) const SLOTS_PER_KEY: usize = 16;

/// Slots of a new table. It doubles whenever its keys call for more.
pub(super) const FIRST_SLOTS: usize = 1 << 8;

// Rows in parts of the score (`parted_placements`, `score_order`).

/// Rows in a part, about.
///
/// Measured on two normal scores of 10^6 rows, 30 % positive: with one part the lookups wait for memory, and the paired
/// test takes 2.6 times as long.
pub(super) const PART_ROWS: usize = 1 << 14;

/// Parts, at most. Each part is two partitions, and more of them leave L1.
pub(super) const MOST_PARTS: usize = 256;

// Placements of keys among all rows (`all_placements`).

/// Rows of a range of scores that a key has at least, on average: each range has sums for each key.
pub(super) const ROWS_OF_KEY: usize = 64;

/// The same where there would be fewer ranges than threads, some of which would then have no work.
pub(super) const LEAST_ROWS_OF_KEY: usize = 4;

/// Codes of a range of rows that were counted earlier, so that the counts of a range stay in the cache; keys whose sums in two
/// ranges one task adds.
pub(super) const RANGE_CODES: usize = 1 << 13;

// Rows group after group (`row_groups`).

/// The fewest rows that a block has of each group, on average. Every block needs an offset in every group, and with
/// fewer rows these offsets are more than the rows.
pub(super) const ROWS_PER_OFFSET: usize = 16;

/// The fewest rows of a block: fewer are moved, or have their weights read, before another thread wakes.
pub(super) const BLOCK_ROWS: usize = 1 << 15;

/// Rows whose groups are written before the rows are moved, if they follow from keys and labels: these groups stay in the
/// cache.
pub(super) const SLICE_ROWS: usize = 1 << 12;

/// The most groups that rows go to at once: the next offsets of so many, and the lines of memory that they are in, fit
/// into L2 of a core. Measured with reports of 2,500 to 4,000 groups: they take less time than where rows go to
/// ranges of groups first.
pub(super) const MOST_GROUPS: usize = 1 << 12;

// Scores that several rows share (`duplicates`).

/// Bits of the Bloom filter for each row. With 16, one key in sixteen is left in vain.
pub(super) const BITS_PER_ROW: usize = 16;

/// Words of the Bloom filter of keys that were seen twice, which stay in L1: 4 KiB.
pub(super) const TWICE_WORDS: usize = 1 << 9;

// The outline of a large group (`outline`, `grid`).

/// Bits of the cell numbers of the first grid.
///
/// Floats of one sign that differ by a factor of 1000 spread over some hundreds of cells, each of which is then cut
/// again.
pub(super) const FIRST_GRID_BITS: u32 = 16;

/// An outline is too coarse if a cell has more than this many times the rows that it should have.
pub(super) const TOO_MANY_TIMES: u64 = 8;

/// Counts of a cell of the first grid, which rows add to in turn.
///
/// Measured on 10^7 normal scores, whose shards lie in one to three cells: rows are counted in three fifths of the time that one
/// count takes.
pub(super) const COUNTS_OF_A_CELL: usize = 4;

// Steps, scores of positives, counts and weights (`steps`, `positives`, `counts`, `units`).

/// Scores of positives that are handed out at a time: a power of two.
///
/// Measured: the average precision of groups of ten rows takes three per cent fewer instructions than with 64, because less
/// room is cleared. In groups of 10^4 rows it takes a third of a per cent more.
pub(super) const POSITIVES_AT_A_TIME: usize = 16;

/// The exponents of fewer weights are put in order, those of more are counted in a table, which is 32 KiB for either class
/// together.
pub(super) const COUNTED_WEIGHTS: usize = 1 << 7;

// The division of work among threads (`tasks`).

/// What a group costs besides its rows, in rows: one entry into the kernel, and one record.
pub(super) const ROWS_PER_GROUP: usize = 16;

/// Work of fewer rows in all is done by one thread, because waking other threads takes longer; a task has as many. Groups
/// of [`SHARD_ROWS`] divide their work, and may only do so inside a pool.
pub(super) const PARALLEL_ROWS: usize = 1 << 14;
const _: () = assert!(PARALLEL_ROWS <= SHARD_ROWS);

/// Tasks for each thread, so that other threads can help one that falls behind.
pub(super) const TASKS_PER_THREAD: usize = 8;

/// Parts for each thread of work whose pieces all take about as long. The threads that are done wait for the last part,
/// so parts are small.
pub(super) const PARTS_PER_THREAD: usize = 32;
