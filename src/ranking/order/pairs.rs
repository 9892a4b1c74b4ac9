//! Placements of a few rows by pairwise comparison.
//!
//! For a few rows this is faster than sorting, and it has no unpredictable branch.

use crate::ranking::index::rank_histogram::Ranks;
use crate::ranking::scores::Key;
use crate::ranking::ties::placements::Moments;
use crate::ranking::tuning::FEW_ROWS;
use crate::simd::{self, Kernel};

/// 2 if the positive scores higher, 1 for a tie, else 0.
#[inline]
pub(in crate::ranking) fn twice_higher<K: Key>(pos: K, neg: K) -> u64 {
    u64::from(neg < pos) + u64::from(neg <= pos)
}

/// Sums over the ranks of the indexed rows and of the others, fewer than [`FEW_ROWS`] in total. `visit`
/// visits the ranks of each indexed row.
#[inline(always)]
pub(in crate::ranking) fn midrank_sums<K: Key>(
    indexed: &[&[K]],
    others: &[&[K]],
    visit: impl FnMut(Ranks),
) -> [Moments<u128>; 2] {
    let rows = |pieces: &[&[K]]| pieces.iter().map(|piece| piece.len()).sum::<usize>();
    let n_indexed = rows(indexed);
    let n_rows = n_indexed + rows(others);
    let mut keys = [K::default(); FEW_ROWS];
    let mut copied = 0;
    for piece in indexed.iter().chain(others) {
        keys[copied..copied + piece.len()].copy_from_slice(piece);
        copied += piece.len();
    }
    simd::dispatch(MidrankSums { keys: &keys[..n_rows], n_indexed, visit })
}

/// The kernel of [`midrank_sums`].
struct MidrankSums<'a, K, F> {
    /// The keys of the indexed rows, then of the others.
    keys: &'a [K],
    n_indexed: usize,
    visit: F,
}

impl<K: Key, F: FnMut(Ranks)> Kernel for MidrankSums<'_, K, F> {
    type Output = [Moments<u128>; 2];

    #[inline(always)]
    fn run(mut self) -> [Moments<u128>; 2] {
        let (indexed, others) = self.keys.split_at(self.n_indexed);
        let (mut indexed_moments, mut other_moments) = (Moments::<u64>::default(), Moments::<u64>::default());
        // For each other key, twice the indexed keys below it plus the indexed keys equal to it.
        let mut twice_ranks = [0u32; FEW_ROWS];
        let twice_ranks = &mut twice_ranks[..others.len()];
        for &key in indexed {
            let mut ranks = Ranks::default();
            for (&other, twice_below) in others.iter().zip(twice_ranks.iter_mut()) {
                let (lower, not_above) = (u32::from(other < key), u32::from(other <= key));
                ranks.others_lower += lower;
                ranks.others_upper += not_above;
                *twice_below += 2 - lower - not_above;
            }
            for &other in indexed {
                ranks.indexed_lower += u32::from(other < key);
                ranks.indexed_upper += u32::from(other <= key);
            }
            indexed_moments.add(1, ranks.among_others());
            (self.visit)(ranks);
        }
        for &twice_below in twice_ranks.iter() {
            other_moments.add(1, twice_below.into());
        }
        [indexed_moments.wide(), other_moments.wide()]
    }
}
