//! Special paths and their benefit: a path stays only if a common query takes 15 % longer without it.
//!
//! ```text
//! rows of a group          strategy
//! fewer than 64            pairwise comparison
//! fewer than 2^17          one thread: an index of the rarer class, look-ups of the other class
//! 2^17 or more             few distinct scores: a hash table of counts; otherwise a radix partition by score into shards
//! with weights or counts   fewer than 2^17 rows: a sort; otherwise a radix partition by score, with fixed-point sums
//! two scores               a partition by score, then the index of each part, row by row
//! segments                 a partition by score, a bucket sort of each part, then sums by segment; folds: a partition by group
//! states                   stored bins as ties; a bounded state of many rows: a hash table of bins
//! ```
//!
//! The slowdown without each path, for a query that gains most from it (2026-11-29, Intel(R) Xeon(R)
//! Processor, 2 cores, medians of 9 rounds). All queries are in `benches/results/paths.csv`:
//!
//! ```text
//! Simd             roc_auc, normal, 10^7 rows                                   1.25
//! Prefetch         roc_auc_ci, normal, 10^7 rows                                1.21
//! HugePages        by group, normal, 10^7 rows, 1000000 groups                  1.40
//! PiecewiseLinear  roc_auc, log-uniform, 10^7 rows                             14.36
//! DistinctKeys     roc_auc_ci, three decimals, 10^7 rows                        5.17
//! LastProbe        roc_auc, half ties, 2^20 rows, groups of 10000               1.24
//! Pairs            roc_auc, normal, 2^20 rows, groups of 10                     3.25
//! RankHistogram    roc_auc_ci, normal, 10^7 rows                                1.40
//! Ranks            ks_statistic, normal, 10^7 rows                              3.71
//! PrunedFold       ks_statistic, normal, 10^7 rows                              2.11
//! Positives        roc_summary, normal, 10^7 rows                               1.25
//! Duplicates       mann_whitney_u, normal, 10^7 rows                            1.65
//! Outline          outline, normal, 10^7 rows                                   7.48
//! UnitsOfFew       weights, normal, 2^20 rows, groups of 10                     3.92
//! IndexedUnits     weights, normal, 10^7 rows                                   2.43
//! TwoPasses        by group, normal, 10^7 rows, 1000000 groups                  2.24
//! ScoreBuckets     codes, normal, 10^7 rows                                     1.60
//! NarrowSums       segments, normal, 2^20 rows, 1049 groups                     1.39
//! BoundedState     state of 1024 bins, normal, 10^7 rows                       11.91
//! MergeTable       merge of states, normal, 2^20 rows, groups of 1000           2.20
//! ```
//!
//! With 10^5 groups the query by group takes 0.86 of the time without `TwoPasses`.
//!
//! One command switches each path off and on in turn:
//!
//! `cargo bench --no-default-features --features paths --bench paths`

/// A path that the feature `paths` can switch off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// Loops compiled for AVX2.
    Simd,
    /// Software prefetch.
    Prefetch,
    /// Huge pages of 2 MiB.
    HugePages,
    /// Piecewise-linear bucket maps.
    PiecewiseLinear,
    /// Counting of distinct scores in a hash table.
    DistinctKeys,
    /// The cache of the last key's bounds in a long bucket.
    LastProbe,
    /// U and midranks of fewer than 64 rows by pairs.
    Pairs,
    /// Sums of placements from a histogram of ranks.
    RankHistogram,
    /// The score at a rank, or the rank of a score, by selection within one shard.
    Ranks,
    /// Folds that skip irrelevant shards.
    PrunedFold,
    /// Unordered scores of positives.
    Positives,
    /// A Bloom filter for scores that several rows share.
    Duplicates,
    /// The points of a large curve from a two-level histogram.
    Outline,
    /// Sorting the exponents of few weights, without a table.
    UnitsOfFew,
    /// Twice U of weights by prefix sums of units.
    IndexedUnits,
    /// Two passes of partitioning by group.
    TwoPasses,
    /// Sorting rows of a part by buckets, not by comparison.
    ScoreBuckets,
    /// 64-bit sums over segments where they fit.
    NarrowSums,
    /// Bounded states from a hash table of bins.
    BoundedState,
    /// Merging many states in a hash table of bins.
    MergeTable,
}

impl Path {
    /// All paths.
    pub const ALL: [Path; 20] = [
        Path::Simd,
        Path::Prefetch,
        Path::HugePages,
        Path::PiecewiseLinear,
        Path::DistinctKeys,
        Path::LastProbe,
        Path::Pairs,
        Path::RankHistogram,
        Path::Ranks,
        Path::PrunedFold,
        Path::Positives,
        Path::Duplicates,
        Path::Outline,
        Path::UnitsOfFew,
        Path::IndexedUnits,
        Path::TwoPasses,
        Path::ScoreBuckets,
        Path::NarrowSums,
        Path::BoundedState,
        Path::MergeTable,
    ];

    /// Whether the path is enabled; only benchmarks disable one.
    #[cfg(not(feature = "paths"))]
    #[inline(always)]
    pub(crate) const fn is_on(self) -> bool {
        true
    }

    /// Whether the path is enabled; only benchmarks disable one.
    #[cfg(feature = "paths")]
    #[inline(always)]
    pub(crate) fn is_on(self) -> bool {
        OFF.load(std::sync::atomic::Ordering::Relaxed) != self as u8
    }

    /// Disables one path, or enables all.
    #[cfg(feature = "paths")]
    pub fn switch_off(path: Option<Path>) {
        OFF.store(path.map_or(u8::MAX, |path| path as u8), std::sync::atomic::Ordering::Relaxed);
    }
}

/// The disabled path.
#[cfg(feature = "paths")]
static OFF: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(u8::MAX);
