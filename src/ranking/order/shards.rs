//! A group too large for one thread: its rows in shards of score, each of which is ranked alone.
//!
//! The rows are cut into blocks, one task each. A block spreads its rows over shards by a map that all blocks share.
//! Each block has memory of its own, so no two threads write to the same place. A shard is made of the pieces that all
//! blocks have of it. One thread ranks a shard, which is small enough to stay in the cache of its core.
//!
//! A row may have a weight, in units ([`Row`]); what is done with weights is in `weighted`.
//!
//! Invariant: every key of a shard is below every key of the next, and equal keys are in one shard.

use rayon::prelude::*;

use super::class_keys::ClassKeys;
use super::classes::Classes;
use super::index::Index;
use super::map::{Map, with_buckets};
use super::one_thread::WalkMemory;
use super::row::Row;
use super::score_ops::ScoreOps;
use super::streams::Streams;
use super::tally::Tally;
use crate::interrupt;
use crate::ranking::scores::{
    Key, Observations, Score,
    wide::{Work, widest},
};
use crate::ranking::tasks;
use crate::ranking::ties::{
    Placements,
    duplicates::Duplicates,
    outline::{self, Cell},
    positives::WalkPositives,
    source::{Source, StepKind, Walk},
    steps::{Above, Step, Take, Tie},
    units::Unit,
};
use crate::ranking::tuning::{
    BLOCKS_PER_THREAD, INDEXED_BYTES, MAX_SHARDS, MIN_SHARDS, SHARD_ROWS, SHARDS_AT_A_TIME,
};

/// The rows of a large group.
#[derive(Debug)]
pub struct Shards<R: Row> {
    blocks: Vec<Block<R>>,
    /// Highest first: which shard, and the units above it.
    order: Vec<(usize, Above)>,
    pub(in crate::ranking) ops: ScoreOps<R::Key>,
    /// Units of negatives and of positives.
    pub(in crate::ranking) totals: [u64; 2],
}

/// The rows of one block: two streams for each shard, negatives and positives.
#[derive(Debug)]
struct Block<R> {
    streams: Streams<R>,
    /// The units of each stream.
    units: Vec<u64>,
    /// For either class, the bits that any row has in its units.
    any_bits: [u64; 2],
    nan: bool,
}

/// The rows of one shard.
pub(in crate::ranking) struct Shard<'a, R> {
    blocks: &'a [Block<R>],
    number: usize,
}

impl<'a, R: Row> Shard<'a, R> {
    /// The rows of a class, in pieces.
    pub fn pieces(&self, class: usize) -> impl Iterator<Item = &'a [R]> + use<'a, R> {
        let stream = 2 * self.number + class;
        self.blocks.iter().flat_map(move |block| block.streams.pieces(stream))
    }

    /// The units of a class.
    pub fn units(&self, class: usize) -> u64 {
        self.blocks.iter().map(|block| block.units[2 * self.number + class]).sum()
    }
}

impl<K: Key> Shard<'_, K> {
    fn with_classes<T>(&self, ask: impl FnOnce(&Classes<'_, K>) -> T) -> T {
        let [neg, pos] = [0, 1].map(|class| self.pieces(class).collect::<Vec<&[K]>>());
        let (n_neg, n_pos) = (self.units(0) as usize, self.units(1) as usize);
        ask(&Classes { pos: &pos, neg: &neg, n_pos, n_neg })
    }
}

impl<R: Row> Shards<R> {
    /// Parts rows by their labels and scores; weights of either class are counted in `units`.
    pub fn part<S: Score<Key = R::Key>>(rows: &Observations<'_, S>, units: [Unit; 2]) -> Self {
        let [n_neg, n_pos] = rows.rows_of_classes();
        let shards = n_pos.min(n_neg) * size_of::<R::Key>() / INDEXED_BYTES;
        let shards = shards.next_power_of_two().clamp(MIN_SHARDS, MAX_SHARDS);
        Self::part_as(rows, units, blocks(), shards)
    }

    /// Parts rows in about as many blocks and into as many shards as are asked for.
    pub(in crate::ranking) fn part_as<S: Score<Key = R::Key>>(
        rows: &Observations<'_, S>,
        units: [Unit; 2],
        blocks: usize,
        shards: usize,
    ) -> Self {
        // Rows that are skipped may be in the sample.
        let map = Map::of_scores(rows.scores, shards);
        let blocks: Vec<Block<R>> = rows
            .blocks(blocks)
            .par_iter()
            .map(|rows| with_buckets!(&map, shard => Block::part(rows, units, shards, shard)))
            .collect();
        let mut above = Above::default();
        let mut order = Vec::with_capacity(shards);
        for number in (0..shards).rev() {
            order.push((number, above));
            let shard = Shard { blocks: &blocks, number };
            above.neg += shard.units(0);
            above.pos += shard.units(1);
        }
        Shards { blocks, order, ops: ScoreOps::of::<S>(), totals: [above.neg, above.pos] }
    }

    /// The number of shards.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// For either class, the bits that any row has in its units.
    pub fn any_bits(&self) -> [u64; 2] {
        [0, 1].map(|class| self.blocks.iter().fold(0, |any, block| any | block.any_bits[class]))
    }

    /// Whether a score that is not missing is NaN.
    pub fn any_nan(&self) -> bool {
        self.blocks.iter().any(|block| block.nan)
    }

    /// All units of each shard as one step without a key, from the highest scores down.
    pub fn steps(&self) -> Vec<Step> {
        let step = |&(number, above): &(usize, Above)| {
            let shard = Shard { blocks: &self.blocks, number };
            let (pos, neg) = (shard.units(1), shard.units(0));
            Step { key: 0, pos, neg, pos_above: above.pos, neg_above: above.neg }
        };
        self.order.iter().map(step).collect()
    }

    /// The results of `ask` for all shards, from the highest scores down. `ask` gets memory that `memory` made for its
    /// thread, the place of the shard, its rows, and the units above it.
    pub fn each<M, T: Send>(
        &self,
        memory: impl Fn() -> M + Sync,
        ask: impl Fn(&mut M, usize, &Shard<'_, R>, Above) -> T + Sync,
    ) -> Vec<T> {
        self.each_of(&(0..self.len()).collect::<Vec<_>>(), memory, ask)
    }

    /// The same for the shards of these places.
    pub fn each_of<M, T: Send>(
        &self,
        places: &[usize],
        memory: impl Fn() -> M + Sync,
        ask: impl Fn(&mut M, usize, &Shard<'_, R>, Above) -> T + Sync,
    ) -> Vec<T> {
        tasks::each(0..places.len(), memory, |memory, number| {
            let place = places[number];
            let (number, above) = self.order[place];
            ask(memory, place, &Shard { blocks: &self.blocks, number }, above)
        })
    }

    /// As [`Ties::outline`](crate::ranking::Ties::outline), if the group is large enough.
    pub fn cells(&self, cells: usize) -> Option<Vec<Cell<u128>>> {
        // A light row may have no units.
        let has_rows = |&place: &usize| {
            let shard = Shard { blocks: &self.blocks, number: self.order[place].0 };
            (0..2).any(|class| shard.pieces(class).any(|rows| !rows.is_empty()))
        };
        let filled = (0..self.len()).filter(has_rows).collect::<Vec<_>>();
        let each = |places: &[usize], ask: &outline::Ask<'_, R::Key>| {
            self.each_of(
                places,
                || (),
                |(), place, shard, _| {
                    let of_class = |class| shard.pieces(class).map(move |rows| R::piece(class, rows));
                    ask(place, &of_class(0).chain(of_class(1)).collect::<Vec<_>>())
                },
            )
        };
        outline::outline(each, &filled, cells)
    }
}

impl<K: Key> Shards<K> {
    /// The results of `ask` for the keys of each shard and what lies above them, from the highest scores down; `memory`
    /// makes the memory that each thread uses.
    fn each_classes<M, T: Send>(
        &self,
        memory: impl Fn() -> M + Sync,
        ask: impl Fn(&mut M, &Classes<'_, K>, Above) -> T + Sync,
    ) -> Vec<T> {
        self.each(memory, |memory, _, shard, above| shard.with_classes(|classes| ask(memory, classes, above)))
    }

    /// Twice the U of a shard's positives against all negatives of the group, from that against the negatives of the shard.
    fn twice_u_of(&self, classes: &Classes<'_, K>, above: Above, twice_u: u64) -> u128 {
        let neg_below = self.totals[0] - above.neg - classes.n_neg as u64;
        u128::from(twice_u) + 2 * classes.n_pos as u128 * u128::from(neg_below)
    }

    /// Asks the shard of the row at a rank, the highest row being at 1, with that row's rank in the shard.
    fn with_rank<T>(
        &self,
        rank: u64,
        ask: impl FnOnce(&Classes<'_, K>, usize, Above) -> Option<T>,
    ) -> Option<T> {
        let rows_above = |above: Above| above.pos + above.neg;
        let (shard, above) = self.last_that_begins_above(|above| rows_above(above) < rank)?;
        shard.with_classes(|classes| ask(classes, (rank - rows_above(above)) as usize, above))
    }

    /// Asks the shard of the positive at a rank among positives, with its rank among those of the shard.
    fn with_positive<T>(
        &self,
        rank: u64,
        ask: impl FnOnce(&Classes<'_, K>, usize) -> Option<T>,
    ) -> Option<T> {
        let (shard, above) = self.last_that_begins_above(|above| above.pos < rank)?;
        shard.with_classes(|classes| ask(classes, (rank - above.pos) as usize))
    }

    /// The last shard, from the highest scores down, that begins above a row by what lies above the shard.
    fn last_that_begins_above(&self, begins_above: impl Fn(Above) -> bool) -> Option<(Shard<'_, K>, Above)> {
        let place = self.order.partition_point(|&(_, above)| begins_above(above)).checked_sub(1)?;
        let (number, above) = self.order[place];
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

    // A group in shards has parts.
    fn walk(&mut self, _: StepKind, _: &mut Take<'_>) {}

    fn walk_parts(
        &self,
        steps: StepKind,
        numbers: &[usize],
        part: &(dyn Fn(usize, &mut Walk<'_>) + Sync),
        done: &mut dyn FnMut(usize),
    ) {
        // An answer made of ties may be as large as the ties, so the answers of all shards are never kept at once.
        let at_a_time = match steps {
            StepKind::Ties => SHARDS_AT_A_TIME * rayon::current_num_threads(),
            StepKind::Segments(_) => self.len().max(1),
        };
        for some in numbers.chunks(at_a_time) {
            let memory = <(ClassKeys<K>, WalkMemory<K>)>::default;
            self.each_of(some, memory, |(class_keys, memory), place, shard, above| {
                shard.with_classes(|classes| {
                    part(place, &mut |take| match steps {
                        StepKind::Ties => {
                            class_keys.collect(classes);
                            memory.ties(class_keys, self.ops, above, take);
                        }
                        StepKind::Segments(indexed) => {
                            memory.segments(classes, self.ops, indexed, above, take)
                        }
                    });
                });
            });
            some.iter().copied().for_each(&mut *done);
        }
    }

    fn twice_u(&mut self) -> Option<u128> {
        let parts = self.each_classes(Index::default, |index, classes, above| {
            self.twice_u_of(classes, above, classes.twice_u(index, self.ops))
        });
        Some(parts.into_iter().sum())
    }

    fn twice_u_and_cubes(&mut self) -> Option<(u128, u128)> {
        let memory = <(Index<K>, Duplicates<K>)>::default;
        let parts = self.each_classes(memory, |(index, duplicates), classes, above| {
            let (twice_u, cubes) = classes.twice_u_and_cubes(index, duplicates, self.ops);
            (self.twice_u_of(classes, above, twice_u), cubes)
        });
        Some(parts.into_iter().fold((0, 0), |sums, part| (sums.0 + part.0, sums.1 + part.1)))
    }

    fn placements(&mut self) -> Option<Placements> {
        let parts = self.each_classes(Tally::default, |tally, classes, above| {
            classes.placements(tally, self.ops, above, self.totals[0])
        });
        Some(parts.into_iter().fold(Placements::default(), Placements::plus))
    }

    fn placements_and_farthest(&mut self) -> Option<(Placements, u64)> {
        let parts = self.each_classes(Tally::default, |tally, classes, above| {
            classes.placements_and_farthest(tally, self.ops, above, self.totals)
        });
        let join =
            |sums: (Placements, u64), part: (Placements, u64)| (sums.0.plus(part.0), sums.1.max(part.1));
        Some(parts.into_iter().fold(Default::default(), join))
    }

    fn walk_positives(&mut self, sums: bool, part: &(dyn Fn(&mut WalkPositives<'_>) + Sync)) -> bool {
        self.each_classes(Tally::default, |tally, classes, above| {
            part(&mut |take| classes.positives(sums, tally, self.ops, above, self.totals[0], take));
        });
        true
    }

    fn reached(&mut self, key: u128) -> Option<(u64, u64)> {
        let parts = self.each_classes(|| (), |(), classes, _| classes.reached(K::narrow(key)));
        Some(parts.into_iter().fold((0, 0), |sums, part| (sums.0 + part.0, sums.1 + part.1)))
    }

    fn at_rank(&mut self, rank: u64) -> Option<Option<Tie>> {
        // Rows of one score are all in one shard.
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

/// Blocks that a large group is cut into.
pub(in crate::ranking) fn blocks() -> usize {
    BLOCKS_PER_THREAD * rayon::current_num_threads()
}

impl<R: Row> Block<R> {
    fn part<S: Score<Key = R::Key>>(
        rows: &Observations<'_, S>,
        unit_of: [Unit; 2],
        shards: usize,
        shard: impl Fn(f64) -> u32,
    ) -> Self {
        let mut streams = Streams::<R>::new(2 * shards, rows.scores.len());
        let mut units = vec![0; 2 * shards];
        let dealing = Dealing { rows, unit_of, shard, streams: &mut streams, units: &mut units };
        let (any_bits, nan) = widest(dealing);
        if !R::HAS_WEIGHT {
            units = (0..2 * shards).map(|stream| streams.rows(stream) as u64).collect();
        }
        Block { streams, units, any_bits, nan }
    }
}

/// The work of spreading a block's rows over streams.
struct Dealing<'a, 'b, S: Score, R, F> {
    rows: &'a Observations<'b, S>,
    unit_of: [Unit; 2],
    shard: F,
    streams: &'a mut Streams<R>,
    /// The units of each stream, if rows have weights.
    units: &'a mut [u64],
}

impl<S: Score, R: Row<Key = S::Key>, F: Fn(f64) -> u32> Work for Dealing<'_, '_, S, R, F> {
    /// For either class the bits that any row has in its units, and whether a score that is used is NaN.
    type Output = ([u64; 2], bool);

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Dealing { rows, unit_of, shard, streams, units } = self;
        let (mut any_bits, mut nan) = ([0; 2], false);
        let mut push = |stream: u32, key: S::Key, beside: R::Beside| {
            if R::HAS_WEIGHT {
                units[stream as usize] += R::units(beside);
            }
            streams.push(stream as usize, R::of(key, beside));
        };
        // The first loops find the streams of 64 rows, their keys and their units, and the last one moves the rows. Short
        // loops whose values stay in registers take half the time of one long loop.
        let (mut streams_of, mut keys) = ([0u32; 64], [S::Key::default(); 64]);
        let mut beside = [R::Beside::default(); 64];
        for word in rows.words() {
            interrupt::check();
            for (row, ((stream, key), &score)) in
                streams_of.iter_mut().zip(&mut keys).zip(word.scores).enumerate()
            {
                *stream = 2 * shard(score.position()) + (word.labels >> row & 1) as u32;
                *key = score.key();
            }
            let [neg_bits, pos_bits] = R::fill(&mut beside, &word, unit_of);
            any_bits = [any_bits[0] | neg_bits, any_bits[1] | pos_bits];
            nan |= word.has_nan();
            let rows = streams_of.iter().zip(&keys).zip(&beside).take(word.scores.len());
            if word.are_all_used() {
                for ((&stream, &key), &beside) in rows {
                    push(stream, key, beside);
                }
            } else {
                for (_, ((&stream, &key), &beside)) in rows.enumerate().filter(|row| word.is_used(row.0)) {
                    push(stream, key, beside);
                }
            }
        }
        (any_bits, nan)
    }
}
