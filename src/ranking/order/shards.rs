//! A group too large for one thread: a radix partition by score into shards, which are ranked separately.
//!
//! The rows are cut into blocks, one task each. A [block](super::blocks) is partitioned by a shared map into
//! separate memory, so no two threads write to the same slot. A shard consists of its pieces in all blocks.
//! One thread ranks a shard, which is small enough for its index to stay in L2.
//!
//! ```text
//! block 0   | - + |  - +  |   - +   |        - negatives, + positives of a shard
//! block 1   |  - +  | - + |  - +  |
//!              0      1       2              shard 1 is the second pieces of both blocks
//! ```
//!
//! The counts above a shard are sums over the shards above it, so shards can be ranked in any order.
//!
//! A row may have a weight in units ([`Row`]); the arithmetic on weights is in `weighted`.
//!
//! Invariant: every key of a shard is below every key of the next, and equal keys are in one shard.

use std::sync::{Mutex, PoisonError};

use super::blocks::{Block, blocks, memory_of};
use super::classes::Classes;
use super::kernel_table::KernelTable;
use super::one_thread::WalkMemory;
use crate::ranking::bucket_map::BucketMap;
use crate::ranking::index::Index;
use crate::ranking::index::rank_histogram::RankHistogram;
use crate::ranking::index::row::Row;
use crate::ranking::scores::{
    Key, Observations, Parts, Score,
    observations::{self, rows_of_classes},
    parts::PartFacts,
};
use crate::ranking::tasks;
use crate::ranking::ties::{
    Placements,
    duplicates::Duplicates,
    outline::{self, Cell},
    positives::WalkPositives,
    source::{Source, StepKind, Walk},
    steps::{Above, Sink, Step, Tie},
    units::Unit,
};
use crate::ranking::tuning::{INDEXED_BYTES, MAX_SHARDS, MIN_SHARDS, SHARD_ROWS, SHARDS_AT_A_TIME};

/// The partitioned rows of a large group.
#[derive(Debug)]
pub struct Shards<R: Row> {
    blocks: Vec<Block<R>>,
    /// The shards, highest first, with the units above each.
    order: Vec<(usize, Above)>,
    pub(in crate::ranking) kernels: KernelTable<R::Key>,
    /// Units of negatives and of positives.
    pub(in crate::ranking) totals: [u64; 2],
}

/// The rows of one shard.
pub(in crate::ranking) struct Shard<'a, R> {
    blocks: &'a [Block<R>],
    number: usize,
}

impl<'a, R: Row> Shard<'a, R> {
    /// The rows of a class in pieces.
    pub fn pieces(&self, class: usize) -> impl Iterator<Item = &'a [R]> + use<'a, R> {
        let partition = 2 * self.number + class;
        self.blocks.iter().flat_map(move |block| block.rows(partition)).filter(|rows| !rows.is_empty())
    }

    /// The units of a class.
    pub fn units(&self, class: usize) -> u64 {
        self.blocks.iter().map(|block| block.units[2 * self.number + class]).sum()
    }
}

impl<K: Key> Shard<'_, K> {
    fn with_classes<T>(&self, evaluate: impl FnOnce(&Classes<'_, K>) -> T) -> T {
        let [neg, pos] = [0, 1].map(|class| self.pieces(class).collect::<Vec<&[K]>>());
        let (n_neg, n_pos) = (self.units(0) as usize, self.units(1) as usize);
        evaluate(&Classes { pos: &pos, neg: &neg, n_pos, n_neg })
    }
}

impl<R: Row> Shards<R> {
    /// Partitions rows by label and score; the weights of either class are counted in `units`.
    pub fn part<S: Score<Key = R::Key>>(pieces: &[Observations<'_, S>], units: [Unit; 2]) -> Self {
        Self::part_as(pieces, units, blocks(), Self::number(rows_of_classes(pieces)))
    }

    /// The number of shards for these numbers of negatives and positives.
    fn number([n_neg, n_pos]: [usize; 2]) -> usize {
        let shards = n_pos.min(n_neg) * size_of::<R::Key>() / INDEXED_BYTES;
        shards.next_power_of_two().clamp(MIN_SHARDS, MAX_SHARDS)
    }

    /// Partitions rows into about `blocks` blocks and `shards` shards.
    pub(in crate::ranking) fn part_as<S: Score<Key = R::Key>>(
        pieces: &[Observations<'_, S>],
        units: [Unit; 2],
        blocks: usize,
        shards: usize,
    ) -> Self {
        // Skipped rows may be in the sample.
        let map = BucketMap::from_pieces(pieces, shards);
        let blocks = observations::blocks(pieces, blocks);
        let part =
            |(): &mut (), block: usize| Block::partition(&blocks[block], units, shards, &map, Vec::new());
        Self::from_blocks::<S>(tasks::par_map(0..blocks.len(), || (), part), shards)
    }

    fn from_blocks<S: Score<Key = R::Key>>(blocks: Vec<Block<R>>, shards: usize) -> Self {
        let mut above = Above::default();
        let mut order = Vec::with_capacity(shards);
        for number in (0..shards).rev() {
            order.push((number, above));
            let shard = Shard { blocks: &blocks, number };
            above.neg += shard.units(0);
            above.pos += shard.units(1);
        }
        Shards { blocks, order, kernels: KernelTable::new::<S>(), totals: [above.neg, above.pos] }
    }

    /// The number of shards.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// For each class, the bitwise OR of the units of its rows.
    pub fn any_bits(&self) -> [u64; 2] {
        [0, 1].map(|class| self.blocks.iter().fold(0, |any, block| any | block.any_bits[class]))
    }

    /// Whether the score of any row in use is NaN.
    pub fn any_nan(&self) -> bool {
        self.blocks.iter().any(|block| block.nan)
    }

    /// All units of each shard as one step without a key, highest scores first.
    pub fn steps(&self) -> Vec<Step> {
        let step = |&(number, above): &(usize, Above)| {
            let shard = Shard { blocks: &self.blocks, number };
            let (pos, neg) = (shard.units(1), shard.units(0));
            Step { key: 0, pos, neg, pos_above: above.pos, neg_above: above.neg }
        };
        self.order.iter().map(step).collect()
    }

    /// The results of `evaluate` for all shards, highest scores first. `evaluate` gets the memory of its
    /// thread (from `memory`), the index of the shard, its rows, and the units above it.
    pub fn each<M, T: Send>(
        &self,
        memory: impl Fn() -> M + Sync,
        evaluate: impl Fn(&mut M, usize, &Shard<'_, R>, Above) -> T + Sync,
    ) -> Vec<T> {
        self.each_of(&(0..self.len()).collect::<Vec<_>>(), memory, evaluate)
    }

    /// The same for the shards at these indices.
    pub fn each_of<M, T: Send>(
        &self,
        indices: &[usize],
        memory: impl Fn() -> M + Sync,
        evaluate: impl Fn(&mut M, usize, &Shard<'_, R>, Above) -> T + Sync,
    ) -> Vec<T> {
        tasks::par_map(0..indices.len(), memory, |memory, number| {
            let index = indices[number];
            let (number, above) = self.order[index];
            evaluate(memory, index, &Shard { blocks: &self.blocks, number }, above)
        })
    }

    /// See [`Ties::outline`](crate::ranking::Ties::outline); `None` if the group is too small.
    pub fn cells(&self, cells: usize) -> Option<Vec<Cell<u128>>> {
        // A row of small weight may have zero units.
        let has_rows = |&index: &usize| {
            let shard = Shard { blocks: &self.blocks, number: self.order[index].0 };
            (0..2).any(|class| shard.pieces(class).any(|rows| !rows.is_empty()))
        };
        let filled = (0..self.len()).filter(has_rows).collect::<Vec<_>>();
        let each = |indices: &[usize], evaluate: &outline::Evaluate<'_, R::Key>| {
            self.each_of(
                indices,
                || (),
                |(), index, shard, _| {
                    let class_pieces = |class| shard.pieces(class).map(move |rows| R::piece(class, rows));
                    evaluate(index, &class_pieces(0).chain(class_pieces(1)).collect::<Vec<_>>())
                },
            )
        };
        outline::outline(each, &filled, cells)
    }
}

impl<K: Key> Shards<K> {
    /// Partitions rows in parts; the scores of a part are released once they are in shards.
    pub fn from_parts<S: Score<Key = K>>(parts: &dyn Parts<S>, facts: &PartFacts) -> Self {
        let shards = Self::number(facts.rows_of_classes);
        let map = BucketMap::from_parts(parts, shards);
        // The memory of a partitioned part is reused for the next one.
        let free = Mutex::new(Vec::new());
        let blocks = tasks::par_map(
            0..parts.count(),
            || (),
            |(), part| {
                let memory = free.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let (mut memory, mut block) = (memory.unwrap_or_default(), None);
                parts.show(part, &mut |rows| {
                    let (rows, memory) = (std::slice::from_ref(rows), std::mem::take(&mut memory));
                    block = Some(Block::partition(rows, Default::default(), shards, &map, memory));
                });
                let scores = memory_of(parts.take(part));
                free.lock().unwrap_or_else(PoisonError::into_inner).push(scores);
                block
            },
        );
        let blocks = blocks.into_iter().flatten().collect();
        Self::from_blocks::<S>(blocks, shards)
    }

    /// The results of `evaluate` for the keys of each shard and the counts above it, highest scores first.
    /// `memory` creates the memory of each thread.
    fn each_classes<M, T: Send>(
        &self,
        memory: impl Fn() -> M + Sync,
        evaluate: impl Fn(&mut M, &Classes<'_, K>, Above) -> T + Sync,
    ) -> Vec<T> {
        self.each(memory, |memory, _, shard, above| {
            shard.with_classes(|classes| evaluate(memory, classes, above))
        })
    }

    /// Twice the U of a shard's positives against all negatives of the group, from U within the shard.
    fn twice_u_of(&self, classes: &Classes<'_, K>, above: Above, twice_u: u64) -> u128 {
        let neg_below = self.totals[0] - above.neg - classes.n_neg as u64;
        u128::from(twice_u) + 2 * classes.n_pos as u128 * u128::from(neg_below)
    }

    /// Calls `evaluate` with the shard of the row at a rank (the highest row is 1), and the rank within the
    /// shard.
    fn with_rank<T>(
        &self,
        rank: u64,
        evaluate: impl FnOnce(&Classes<'_, K>, usize, Above) -> Option<T>,
    ) -> Option<T> {
        let rows_above = |above: Above| above.pos + above.neg;
        let (shard, above) = self.last_that_begins_above(|above| rows_above(above) < rank)?;
        shard.with_classes(|classes| evaluate(classes, (rank - rows_above(above)) as usize, above))
    }

    /// Calls `evaluate` with the shard of the positive at a rank among positives, and its rank within the
    /// shard.
    fn with_positive<T>(
        &self,
        rank: u64,
        evaluate: impl FnOnce(&Classes<'_, K>, usize) -> Option<T>,
    ) -> Option<T> {
        let (shard, above) = self.last_that_begins_above(|above| above.pos < rank)?;
        shard.with_classes(|classes| evaluate(classes, (rank - above.pos) as usize))
    }

    /// The last shard, highest scores first, for which `begins_above` holds for the counts above it.
    fn last_that_begins_above(&self, begins_above: impl Fn(Above) -> bool) -> Option<(Shard<'_, K>, Above)> {
        let index = self.order.partition_point(|&(_, above)| begins_above(above)).checked_sub(1)?;
        let (number, above) = self.order[index];
        Some((Shard { blocks: &self.blocks, number }, above))
    }
}

impl<K: Key> Source for Shards<K> {
    fn totals(&self) -> (u64, u64) {
        (self.totals[1], self.totals[0])
    }

    fn has_nan(&self) -> bool {
        self.any_nan()
    }

    fn parts(&self) -> Option<Vec<Step>> {
        Some(self.steps())
    }

    // A sharded group has parts instead of one walk.
    fn walk(&mut self, _: StepKind, _: &mut Sink<'_>) {}

    fn walk_parts(
        &self,
        steps: StepKind,
        numbers: &[usize],
        part: &(dyn Fn(usize, &mut Walk<'_>) + Sync),
        done: &mut dyn FnMut(usize),
    ) {
        // Results built from ties may be as large as the ties, so only the results of a few shards are in
        // memory at once.
        let at_a_time = match steps {
            StepKind::Ties => SHARDS_AT_A_TIME * rayon::current_num_threads(),
            StepKind::Segments(_) => self.len().max(1),
        };
        for some in numbers.chunks(at_a_time) {
            self.each_of(some, WalkMemory::default, |memory, index, shard, above| {
                shard.with_classes(|classes| {
                    part(index, &mut |take| match steps {
                        StepKind::Ties => memory.ties(classes, self.kernels, above, take),
                        StepKind::Segments(indexed) => {
                            memory.segments(classes, self.kernels, indexed, above, take)
                        }
                    });
                });
            });
            some.iter().copied().for_each(&mut *done);
        }
    }

    fn twice_u(&mut self) -> Option<u128> {
        let parts = self.each_classes(Index::default, |index, classes, above| {
            self.twice_u_of(classes, above, classes.twice_u(index, self.kernels))
        });
        Some(parts.into_iter().sum())
    }

    fn twice_u_and_cubes(&mut self) -> Option<(u128, u128)> {
        let memory = <(Index<K>, Duplicates<K>)>::default;
        let parts = self.each_classes(memory, |(index, duplicates), classes, above| {
            let (twice_u, cubes) = classes.twice_u_and_cubes(index, duplicates, self.kernels);
            (self.twice_u_of(classes, above, twice_u), cubes)
        });
        Some(parts.into_iter().fold((0, 0), |sums, part| (sums.0 + part.0, sums.1 + part.1)))
    }

    fn placements(&mut self) -> Option<Placements> {
        let parts = self.each_classes(RankHistogram::default, |histogram, classes, above| {
            classes.placements(histogram, self.kernels, above, self.totals[0])
        });
        Some(parts.into_iter().fold(Placements::default(), Placements::plus))
    }

    fn placements_and_ks_distance(&mut self) -> Option<(Placements, u64)> {
        let parts = self.each_classes(RankHistogram::default, |histogram, classes, above| {
            classes.placements_and_ks_distance(histogram, self.kernels, above, self.totals)
        });
        let join =
            |sums: (Placements, u64), part: (Placements, u64)| (sums.0.plus(part.0), sums.1.max(part.1));
        Some(parts.into_iter().fold(Default::default(), join))
    }

    fn walk_positives(&mut self, sums: bool, part: &(dyn Fn(&mut WalkPositives<'_>) + Sync)) -> bool {
        self.each_classes(RankHistogram::default, |histogram, classes, above| {
            part(&mut |take| classes.positives(sums, histogram, self.kernels, above, self.totals[0], take));
        });
        true
    }

    fn reached(&mut self, key: u128) -> Option<(u64, u64)> {
        let parts = self.each_classes(|| (), |(), classes, _| classes.reached(K::narrow(key)));
        Some(parts.into_iter().fold((0, 0), |sums, part| (sums.0 + part.0, sums.1 + part.1)))
    }

    fn at_rank(&mut self, rank: u64) -> Option<Option<Tie>> {
        // All rows of one score are in one shard.
        Some(self.with_rank(rank, |classes, rank, above| classes.at_rank(rank, above)))
    }

    fn positive_at(&mut self, rank: u64) -> Option<Option<u128>> {
        Some(self.with_positive(rank, |classes, rank| classes.highest_positive(rank)).map(K::wide))
    }

    fn threshold(&mut self, rank: u64) -> Option<Option<u128>> {
        Some(self.with_rank(rank, |classes, rank, _| classes.highest(rank)).map(K::wide))
    }

    fn outline(&self, cells: usize) -> Option<Vec<Cell<u128>>> {
        if self.totals[0] + self.totals[1] < SHARD_ROWS as u64 { None } else { self.cells(cells) }
    }
}
