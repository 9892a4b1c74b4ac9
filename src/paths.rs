//! Special paths, and what each of them buys: a path stays only if a query that people run often takes 15 % longer without it.
//!
//! ```text
//! rows of a group          way of ranking
//! fewer than 64            pair by pair
//! fewer than 2^17          by one thread: the rarer class is indexed, the other one looks up its ranks
//! 2^17 or more             few distinct scores: a hash table of counts; else a radix partition by score, then the same by shards
//! with weights or counts   fewer than 2^17 rows are sorted; else a radix partition by score, with sums of fixed-point units
//! two scores               a partition by score, then the index of each part, row by row
//! segments                 a partition by score, a bucket sort of each part, then sums by segment; folds by a partition by group
//! states                   stored bins are used as ties; a small state of many rows is a hash table of bins
//! ```
//!
//! How much longer the query takes without a path that gains most by it (2026-11-29, Intel(R) Xeon(R) Processor, 2 cores, medians
//! of 9 rounds). All queries are in `benches/results/paths.csv`:
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
    /// Memory in pages of 2 MiB.
    HugePages,
    /// A bucket map of many lines.
    PiecewiseLinear,
    /// Distinct scores counted in a hash table.
    DistinctKeys,
    /// The bounds of the last key in a long bucket, kept for the next one.
    LastProbe,
    /// U and midranks of fewer than 64 rows by pairs.
    Pairs,
    /// Sums of placements by a histogram of ranks.
    RankHistogram,
    /// The score of a rank, or the rank of a score, by selection within one shard.
    Ranks,
    /// Folds that skip shards which cannot matter.
    PrunedFold,
    /// Scores of positives without an order.
    Positives,
    /// A Bloom filter for scores that several rows share.
    Duplicates,
    /// The points of a large curve by a histogram of two levels.
    Outline,
    /// Exponents of few weights in order, without a table.
    UnitsOfFew,
    /// Twice U of weights by prefix sums of their units.
    IndexedUnits,
    /// Rows to ranges of groups first, and then to groups.
    TwoPasses,
    /// Rows of a part in buckets by score, and not by a comparison sort.
    ScoreBuckets,
    /// Sums over segments in 64 bits where they fit.
    NarrowSums,
    /// Small states by a hash table of bins.
    BoundedState,
    /// Many states merged in a hash table of bins.
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

    /// Whether the path is taken: always, unless a benchmark has switched it off.
    #[cfg(not(feature = "paths"))]
    #[inline(always)]
    pub(crate) const fn is_on(self) -> bool {
        true
    }

    /// Whether the path is taken: always, unless a benchmark has switched it off.
    #[cfg(feature = "paths")]
    #[inline(always)]
    pub(crate) fn is_on(self) -> bool {
        OFF.load(std::sync::atomic::Ordering::Relaxed) != self as u8
    }

    /// Switches one path off, or with none all of them on.
    #[cfg(feature = "paths")]
    pub fn switch_off(path: Option<Path>) {
        OFF.store(path.map_or(u8::MAX, |path| path as u8), std::sync::atomic::Ordering::Relaxed);
    }
}

/// The path that is off.
#[cfg(feature = "paths")]
static OFF: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(u8::MAX);
