//! Two classes of keys, each in pieces, and what is asked of them together.
//!
//! The rarer class is indexed and the other one looks up its place, so that the work on more than half of the
//! rows is the cheaper one. A few rows are compared pair by pair instead.

use rayon::prelude::*;

use super::index::Index;
use super::steps::{Above, Segment};
use super::{ClassKeys, Key, Score};

/// Fewer rows are compared pair by pair.
///
/// Measured, against spreading both classes over buckets: with 40 rows, comparing all pairs takes half as long; with
/// 100 both take as long.
pub(super) const FEW_ROWS: usize = 64;

/// Pieces that are looked up in one go where threads share the work.
const PIECES: usize = 64;

/// The keys of positives and negatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Classes<'a, K> {
    pub pos: &'a [&'a [K]],
    pub neg: &'a [&'a [K]],
    pub n_pos: usize,
    pub n_neg: usize,
}

/// Which class is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed {
    /// The one with fewer rows.
    Rarer,
    /// The positives, so that each of their distinct scores is a segment of its own.
    Positives,
}

/// What depends on the type that scores came in, of which a key alone does not tell.
#[allow(clippy::type_complexity)] // each is said once, and here
#[derive(Debug)]
pub(super) struct ScoreOps<K> {
    pub build: fn(&mut Index<K>, &[&[K]]),
    pub twice_below: fn(&Index<K>, &[&[K]]) -> u64,
    pub tally: fn(&mut Index<K>, &[&[K]]),
    pub add_units: fn(&Index<K>, (&[K], &[u64]), &mut [u64]),
    pub twice_units_below: fn(&Index<K>, (&[K], &[u64]), &[u64]) -> u128,
    pub spread: fn(&mut ClassKeys<K>),
}

impl<K> Clone for ScoreOps<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for ScoreOps<K> {}

impl<K: Key> ScoreOps<K> {
    /// For scores of type `S`.
    pub fn of<S: Score<Key = K>>() -> Self {
        ScoreOps {
            build: Index::build::<S>,
            twice_below: Index::twice_below::<S>,
            tally: Index::tally::<S>,
            add_units: Index::add_units::<S>,
            twice_units_below: Index::twice_units_below::<S>,
            spread: ClassKeys::spread::<S>,
        }
    }
}

impl<K: Key> Classes<'_, K> {
    /// All rows.
    pub fn rows(&self) -> usize {
        self.n_pos + self.n_neg
    }

    /// Whether pairs of rows are better compared one by one.
    pub fn are_few(&self) -> bool {
        self.rows() < FEW_ROWS || self.n_pos == 0 || self.n_neg == 0
    }

    /// Twice the Mann-Whitney U of these positives against these negatives.
    pub fn twice_u(&self, index: &mut Index<K>, by: ScoreOps<K>) -> u64 {
        if self.are_few() {
            return self.twice_u_by_pairs();
        }
        let (indexed, others) = self.indexed(Indexed::Rarer);
        (by.build)(index, indexed);
        let index = &*index;
        let twice_below = if self.rows() < super::SHARD_ROWS {
            (by.twice_below)(index, others)
        } else {
            others.par_chunks(PIECES).map(|pieces| (by.twice_below)(index, pieces)).sum()
        };
        if self.indexes_pos(Indexed::Rarer) {
            // What the negatives are above, the positives lose.
            2 * self.n_pos as u64 * self.n_neg as u64 - twice_below
        } else {
            twice_below
        }
    }

    fn twice_u_by_pairs(&self) -> u64 {
        let mut twice_u = 0;
        for &pos in self.pos.iter().copied().flatten() {
            for &neg in self.neg.iter().copied().flatten() {
                twice_u += super::pairs::won(pos, neg);
            }
        }
        twice_u
    }

    /// Walks the segments of the curve from the highest scores down, where `above` tells the rows that score
    /// higher than these.
    pub fn for_each_segment(
        &self,
        index: &mut Index<K>,
        by: ScoreOps<K>,
        which: Indexed,
        above: Above,
        visit: impl FnMut(Segment<K>),
    ) {
        let (indexed, others) = self.indexed(which);
        (by.build)(index, indexed);
        index.order();
        (by.tally)(index, others);
        index.for_each_segment(above, self.indexes_pos(which), visit);
    }

    /// The key at this place among all, the highest being at 1.
    pub fn highest(&self, rank: usize) -> Option<K> {
        let mut keys: Vec<K> = self.pos.iter().chain(self.neg).copied().flatten().copied().collect();
        let place = keys.len().checked_sub(rank)?;
        (rank > 0).then(|| *keys.select_nth_unstable(place).1)
    }

    fn indexes_pos(&self, which: Indexed) -> bool {
        which == Indexed::Positives || self.n_pos <= self.n_neg
    }

    fn indexed(&self, which: Indexed) -> (&[&[K]], &[&[K]]) {
        if self.indexes_pos(which) { (self.pos, self.neg) } else { (self.neg, self.pos) }
    }
}
