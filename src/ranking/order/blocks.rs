//! A block of a large group: rows that one thread spreads over streams, two for each shard.

use super::streams::{Streams, place_keys};
use crate::interrupt;
use crate::ranking::index::map::{Map, with_buckets};
use crate::ranking::index::row::Row;
use crate::ranking::scores::{Key, Observations, Score};
use crate::ranking::ties::units::Unit;
use crate::ranking::tuning::BLOCKS_PER_THREAD;
use crate::wide::{Work, widest};

/// The rows of one block: two streams for each shard, negatives and positives.
#[derive(Debug)]
pub(in crate::ranking) struct Block<R> {
    pub streams: Streams<R>,
    /// The units of each stream.
    pub units: Vec<u64>,
    /// For either class, the bits that any row has in its units.
    pub any_bits: [u64; 2],
    pub nan: bool,
}

/// Blocks that a large group is cut into.
pub(in crate::ranking) fn blocks() -> usize {
    BLOCKS_PER_THREAD * rayon::current_num_threads()
}

impl<R: Row> Block<R> {
    /// Spreads rows over shards that a map names.
    pub fn part<S: Score<Key = R::Key>>(
        pieces: &[Observations<'_, S>],
        unit_of: [Unit; 2],
        shards: usize,
        map: &Map,
    ) -> Self {
        let rows = pieces.iter().map(|rows| rows.scores.len()).sum();
        let mut streams = Streams::<R>::new(2 * shards, rows);
        let mut units = vec![0; 2 * shards];
        let (any_bits, nan) = with_buckets!(map, shard => widest(Dealing {
            pieces,
            unit_of,
            shard,
            streams: &mut streams,
            units: &mut units,
        }));
        if !R::HAS_WEIGHT {
            units = (0..2 * shards).map(|stream| streams.rows(stream) as u64).collect();
        }
        Block { streams, units, any_bits, nan }
    }
}

impl<K: Key> Block<K> {
    /// The same for rows without weights. The keys go to memory that may have been in use: they are counted first, so that
    /// there are no more places than rows.
    pub fn part_into<S: Score<Key = K>>(
        mut memory: Vec<K>,
        rows: &Observations<'_, S>,
        shards: usize,
        map: &Map,
    ) -> Self {
        // Rows that are skipped have a stream of their own, the last one.
        let mut streams_of = vec![0; rows.scores.len()];
        let mut ends = vec![0; 2 * shards + 1];
        let (streams, sizes) = (&mut streams_of[..], &mut ends[..]);
        let nan = with_buckets!(map, shard => widest(Counting { rows, shard, streams, sizes }));
        ends.pop();
        let units: Vec<u64> = ends.iter().map(|&rows| u64::from(rows)).collect();
        let mut before = 0;
        for end in &mut ends {
            before += std::mem::replace(end, before);
        }
        ends.push(before);
        memory.clear();
        memory.resize(rows.scores.len(), K::default());
        place_keys(rows.scores, &streams_of, &mut ends, &mut memory);
        ends.pop();
        Block { streams: Streams::side_by_side(memory, ends), units, any_bits: [1; 2], nan }
    }
}

/// The memory of scores that are not needed any more, for their keys.
pub(in crate::ranking) fn memory_of<S: Score>(mut scores: Vec<S>) -> Vec<S::Key> {
    scores.clear();
    // The standard library collects values of another type in the memory of those that they come from, if they are as large.
    scores.into_iter().map(Score::key).collect()
}

/// The work of finding the stream of each row, and the number of rows of each stream.
struct Counting<'a, 'b, S: Score, F> {
    rows: &'a Observations<'b, S>,
    shard: F,
    streams: &'a mut [u16],
    sizes: &'a mut [u32],
}

impl<S: Score, F: Fn(f64) -> u32> Work for Counting<'_, '_, S, F> {
    /// Whether a score that is used is NaN.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Counting { rows, shard, streams, sizes } = self;
        let skipped = (sizes.len() - 1) as u16;
        let mut nan = false;
        for (word, streams) in rows.words().zip(streams.chunks_mut(64)) {
            interrupt::check();
            for (row, (stream, &score)) in streams.iter_mut().zip(word.scores).enumerate() {
                *stream = (2 * shard(score.position()) + (word.labels >> row & 1) as u32) as u16;
            }
            if !word.are_all_used() {
                for (_, stream) in streams.iter_mut().enumerate().filter(|row| !word.is_used(row.0)) {
                    *stream = skipped;
                }
            }
            nan |= word.has_nan();
            for &stream in &*streams {
                sizes[usize::from(stream)] += 1;
            }
        }
        nan
    }
}

/// The work of spreading a block's rows over streams.
struct Dealing<'a, 'b, S: Score, R, F> {
    pieces: &'a [Observations<'b, S>],
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
        let Dealing { pieces, unit_of, shard, streams, units } = self;
        let (mut any_bits, mut nan) = ([0; 2], false);
        // Short loops find the streams of 64 rows, their keys and their units, and then move the rows. Values stay in registers, so
        // that they take half the time of one long loop.
        let (mut streams_of, mut keys) = ([0u32; 64], [S::Key::default(); 64]);
        let mut beside = [R::Beside::default(); 64];
        for piece in pieces {
            for word in piece.words() {
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
                let mut n_used = word.scores.len();
                if !word.are_all_used() {
                    n_used = 0;
                    for row in (0..word.scores.len()).filter(|&row| word.is_used(row)) {
                        (streams_of[n_used], keys[n_used], beside[n_used]) =
                            (streams_of[row], keys[row], beside[row]);
                        n_used += 1;
                    }
                }
                let streams_of = &streams_of[..n_used];
                if R::HAS_WEIGHT {
                    for (&stream, &beside) in streams_of.iter().zip(&beside) {
                        units[stream as usize] += R::units(beside);
                    }
                }
                streams
                    .push_all(streams_of, keys.iter().zip(&beside).map(|(&key, &beside)| R::of(key, beside)));
            }
        }
        (any_bits, nan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_kept_where_scores_were() {
        let scores = vec![1.5; 1000];
        let place = scores.as_ptr() as usize;
        let keys = memory_of(scores);
        assert_eq!((keys.as_ptr() as usize, keys.len(), keys.capacity()), (place, 0, 1000));
        assert_eq!(memory_of(Vec::<i32>::new()).len(), 0);
    }
}
