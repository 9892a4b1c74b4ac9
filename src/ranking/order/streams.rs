//! Keys are divided into many streams in one pass, without counting them first.
//!
//! A stream is a list of chunks in one arena. A stream takes a new chunk when it needs one. So the places that are
//! written to are close together for any number of streams, and no key is moved twice.
//!
//! Invariant: chunk `c` is `arena[c * CHUNK..(c + 1) * CHUNK]` and belongs to one stream; all chunks of a
//! stream but its last are full.

use crate::cache;
use crate::memory;
use crate::ranking::scores::Key;
use crate::ranking::tuning::CHUNK;

/// Keys of many streams, each with something beside it: nothing, or its weight.
#[derive(Debug)]
pub(in crate::ranking) struct Streams<K, W = ()> {
    arena: Vec<K>,
    /// What is beside each key of the arena.
    beside: Vec<W>,
    /// Where each stream's next key goes; on a chunk's border (as at the beginning), to a new chunk.
    next: Vec<u32>,
    /// For each chunk, where its stream's next key would have gone when the chunk was taken.
    before: Vec<u32>,
}

impl<K: Key, W: Copy + Default> Streams<K, W> {
    /// Empty streams that will hold about `rows` keys together.
    pub fn new(streams: usize, rows: usize) -> Self {
        let room = rows + streams * CHUNK;
        assert!(u32::try_from(room).is_ok(), "{rows} rows in one block");
        Streams {
            arena: memory::with_room(room),
            beside: memory::with_room(room),
            next: vec![0; streams],
            before: Vec::with_capacity(room / CHUNK),
        }
    }

    /// Puts a key into a stream, and what is beside it.
    #[inline(always)]
    pub fn push(&mut self, stream: usize, key: K, beside: W) {
        let mut place = self.next[stream];
        if (place as usize).is_multiple_of(CHUNK) {
            place = self.take_chunk(place);
        }
        self.arena[place as usize] = key;
        // Nothing has no place.
        if size_of::<W>() > 0 {
            self.beside[place as usize] = beside;
            cache::expect_next_line(&self.beside, place as usize);
        }
        self.next[stream] = place + 1;
        // Measured on 10^7 rows: the AUC takes a twentieth less time, and no less with two lines ahead.
        cache::expect_next_line(&self.arena, place as usize);
    }

    #[cold]
    #[inline(never)]
    fn take_chunk(&mut self, before: u32) -> u32 {
        let start = self.arena.len();
        self.before.push(before);
        self.arena.resize(start + CHUNK, K::default());
        self.beside.resize(start + CHUNK, W::default());
        start as u32
    }

    /// The keys of a stream and what is beside them, in pieces.
    pub fn pieces(&self, stream: usize) -> impl Iterator<Item = (&[K], &[W])> {
        self.ranges(stream).map(|range| (&self.arena[range.clone()], &self.beside[range]))
    }

    fn ranges(&self, stream: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut end = self.next[stream] as usize;
        std::iter::from_fn(move || {
            let chunk = end.checked_sub(1)? / CHUNK;
            let range = chunk * CHUNK..end;
            end = self.before[chunk] as usize;
            Some(range)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_key_arrives(keys in proptest::collection::vec((0usize..5, any::<u16>()), 0..3000)) {
            let mut streams: Streams<u16, u16> = Streams::new(6, keys.len());
            for &(stream, key) in &keys {
                streams.push(stream, key, !key);
            }
            for stream in 0..6 {
                let mut received: Vec<u16> = streams.pieces(stream).flat_map(|piece| piece.0).copied().collect();
                let mut sent: Vec<u16> = keys.iter().filter(|key| key.0 == stream).map(|key| key.1).collect();
                received.sort_unstable();
                sent.sort_unstable();
                prop_assert_eq!(received, sent);
                let together = streams.pieces(stream).all(|(keys, beside)| keys.iter().zip(beside).all(|(a, b)| *a == !b));
                prop_assert!(together);
            }
        }
    }
}
