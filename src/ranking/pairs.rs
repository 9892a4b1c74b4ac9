//! Sums over pairs of one positive and one negative, without any order inside a bucket.
//!
//! Between buckets the order is known, so whole buckets are counted at once; inside a bucket of few rows
//! every pair is compared, which is cheaper than sorting them; a bucket of many rows is walked in order.

use super::Key;
use super::piles::{Bucket, Piles, for_each_in_order};
use super::ties::Above;

/// A bucket with more pairs than this for each of its rows is put in order instead.
const PAIRS_PER_ROW: usize = 32;

/// Negatives that a bucket may have for each to have a counter of its own.
const FEW: usize = 128;

/// Sums over placements, in integers.
///
/// The placement of a positive is counted as twice the negatives it beats, those it ties with once; that of
/// a negative as twice the positives that beat it, those it ties with once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placements {
    /// Over either class: twice the Mann-Whitney U.
    pub sum: u128,
    /// Over positives, of squares.
    pub squares_of_pos: u128,
    /// Over negatives, of squares.
    pub squares_of_neg: u128,
}

impl Placements {
    /// The sums over both.
    pub fn plus(self, more: Self) -> Self {
        Placements {
            sum: self.sum + more.sum,
            squares_of_pos: self.squares_of_pos + more.squares_of_pos,
            squares_of_neg: self.squares_of_neg + more.squares_of_neg,
        }
    }

    /// Takes in `rows` positives of one placement.
    #[inline]
    fn add_pos(&mut self, rows: u64, placement: u64) {
        self.sum += u128::from(rows) * u128::from(placement);
        self.squares_of_pos += u128::from(rows) * (u128::from(placement) * u128::from(placement));
    }

    /// Takes in `rows` negatives of one placement.
    #[inline]
    fn add_neg(&mut self, rows: u64, placement: u64) {
        self.squares_of_neg += u128::from(rows) * (u128::from(placement) * u128::from(placement));
    }
}

/// 2 if the positive scores higher, 1 if both tie, else 0.
#[inline]
fn won<K: Key>(pos: K, neg: K) -> u64 {
    u64::from(neg < pos) + u64::from(neg <= pos)
}

/// Whether comparing all pairs is the cheaper way.
#[inline]
fn few<K>(bucket: &Bucket<'_, K>) -> bool {
    let (pos, neg) = (bucket.pos.len(), bucket.neg.len());
    pos * neg <= PAIRS_PER_ROW * (pos + neg)
}

impl<K: Key> Piles<K> {
    /// Twice the Mann-Whitney U of these positives against these negatives.
    pub fn twice_u(&mut self) -> u128 {
        let mut twice_u = 0u64;
        for bucket in self.buckets() {
            twice_u += 2 * bucket.pos.len() as u64 * u64::from(bucket.neg_below);
            if few(&bucket) {
                for &pos in bucket.pos.iter() {
                    for &neg in bucket.neg.iter() {
                        twice_u += won(pos, neg);
                    }
                }
            } else {
                twice_u += twice_u_of_many(bucket);
            }
        }
        u128::from(twice_u)
    }

    /// The sums over the placements of these rows, where the group has `n_neg` negatives in all and `above`
    /// tells the rows that score higher than these.
    pub fn placements(&mut self, above: Above, n_neg: u64) -> Placements {
        let pos_top = above.pos + self.n_pos();
        let neg_base = n_neg - above.neg - self.n_neg();
        let mut sums = Placements::default();
        let mut lost = [0; FEW];
        for bucket in self.buckets() {
            // What every row of the bucket wins from, or loses to, the rows of other buckets.
            let of_pos = 2 * (neg_base + u64::from(bucket.neg_below));
            let of_neg = 2 * (pos_top - u64::from(bucket.pos_below) - bucket.pos.len() as u64);
            if bucket.neg.is_empty() {
                sums.add_pos(bucket.pos.len() as u64, of_pos);
            } else if bucket.pos.is_empty() {
                sums.add_neg(bucket.neg.len() as u64, of_neg);
            } else if few(&bucket) && bucket.neg.len() <= FEW {
                let lost = &mut lost[..bucket.neg.len()];
                lost.fill(of_neg);
                for &pos in bucket.pos.iter() {
                    let mut placement = of_pos;
                    for (&neg, lost) in bucket.neg.iter().zip(lost.iter_mut()) {
                        let won = won(pos, neg);
                        placement += won;
                        *lost += won;
                    }
                    sums.add_pos(1, placement);
                }
                for &placement in lost.iter() {
                    sums.add_neg(1, placement);
                }
            } else {
                placements_of_many(bucket, of_pos, of_neg, &mut sums);
            }
        }
        sums
    }
}

#[cold]
#[inline(never)]
fn twice_u_of_many<K: Key>(bucket: Bucket<'_, K>) -> u64 {
    let first = bucket.pos[0];
    if bucket.pos.iter().chain(bucket.neg.iter()).all(|&key| key == first) {
        return bucket.pos.len() as u64 * bucket.neg.len() as u64;
    }
    let mut twice_u = 0;
    let n_neg = bucket.neg.len() as u64;
    for_each_in_order(bucket.pos, bucket.neg, Above::default(), &mut |tie| {
        twice_u += tie.pos * (2 * (n_neg - tie.fp()) + tie.neg);
    });
    twice_u
}

#[cold]
#[inline(never)]
fn placements_of_many<K: Key>(bucket: Bucket<'_, K>, of_pos: u64, of_neg: u64, sums: &mut Placements) {
    let n_neg = bucket.neg.len() as u64;
    for_each_in_order(bucket.pos, bucket.neg, Above::default(), &mut |tie| {
        sums.add_pos(tie.pos, of_pos + 2 * (n_neg - tie.fp()) + tie.neg);
        sums.add_neg(tie.neg, of_neg + 2 * tie.pos_above + tie.pos);
    });
}
