//! Sums of products of placements of the same rows by several scores, for the covariance of their areas.
//!
//! Batches of rows are processed for all scores at once. The placements need not be gathered into row order
//! first.

use std::hint::select_unpredictable;
use std::ops::Range;

use rayon::prelude::*;

use super::parted_placements::{BlockRows, PartedPlacements};
use crate::interrupt;
use crate::math::Products;
use crate::simd::{self, Kernel};

/// Sums of products of the doubled placements of several scores.
#[derive(Clone, Debug)]
pub struct PlacementProducts {
    /// Positives.
    pub n_pos: u64,
    /// Negatives.
    pub n_neg: u64,
    /// For each score, twice the Mann-Whitney U.
    pub twice_u: Vec<u128>,
    /// The sums over positives.
    pub pos: Products,
    /// The sums over negatives.
    pub neg: Products,
}

/// The maximum number of scores that are processed together. Each score reads many memory regions at once,
/// and all placements are in memory at the same time.
///
/// Measured with 3, 5 and 8 scores of 3 * 10^6 rows: 1/5 less time than with the placements of each score in
/// row order.
pub const MAX_SCORES: usize = 8;

/// Rows per batch: their placements by all scores stay in L1.
const ROWS: usize = 512;

impl PlacementProducts {
    /// The products for scores of the same rows; all threads of the current pool share the work.
    pub fn new(scores: &[PartedPlacements]) -> Self {
        let [n_neg, n_pos] = scores.first().map_or([0; 2], PartedPlacements::classes);
        let mut blocks: Vec<Vec<BlockRows<'_>>> = Vec::new();
        for score in scores {
            for (number, rows) in score.blocks().enumerate() {
                if number == blocks.len() {
                    blocks.push(Vec::with_capacity(scores.len()));
                }
                blocks[number].push(rows);
            }
        }
        let max = [2 * n_pos as u32, 2 * n_neg as u32];
        let block_products = |scores: Vec<BlockRows<'_>>| simd::dispatch(BlockProducts { scores, max });
        let products: Vec<[Products; 2]> = if blocks.len() > 1 {
            blocks.into_par_iter().map(block_products).collect()
        } else {
            blocks.into_iter().map(block_products).collect()
        };
        let none = || Products::none(scores.len());
        let (neg, pos) = products.into_iter().fold((none(), none()), |(neg, pos), [more_neg, more_pos]| {
            (neg.plus(more_neg), pos.plus(more_pos))
        });
        PlacementProducts {
            n_pos: n_pos as u64,
            n_neg: n_neg as u64,
            twice_u: scores.iter().map(|score| score.twice_u).collect(),
            pos,
            neg,
        }
    }
}

/// The kernel that sums over the negatives and the positives of a block.
struct BlockProducts<'a> {
    scores: Vec<BlockRows<'a>>,
    /// Upper bounds of the placements of each class.
    max: [u32; 2],
}

impl Kernel for BlockProducts<'_> {
    type Output = [Products; 2];

    #[inline(always)]
    fn run(mut self) -> [Products; 2] {
        let number = self.scores.len();
        let [mut neg, mut pos] = [Products::none(number), Products::none(number)];
        let classes = self.scores.first().map_or(&[][..], |score| score.partitions);
        let mut columns = vec![vec![0; ROWS.min(classes.len())]; number];
        let mut indices = [0u16; ROWS];
        for (first, classes) in (0..).step_by(ROWS).zip(classes.chunks(ROWS)) {
            interrupt::check();
            // Negatives first, so that there is no branch on the class.
            let n_neg = classes.iter().filter(|&partition| partition & 1 == 0).count();
            let mut n_pos = 0;
            for (row, (index, partition)) in indices.iter_mut().zip(classes).enumerate() {
                let is_pos = usize::from(partition & 1);
                *index = select_unpredictable(is_pos == 1, n_neg + n_pos, row - n_pos) as u16;
                n_pos += is_pos;
            }
            for (score, column) in self.scores.iter_mut().zip(&mut columns) {
                let column = &mut column[..];
                score.each(first..first + classes.len(), |row, twice| {
                    column[usize::from(indices[row])] = twice;
                });
            }
            let part = |rows: Range<usize>| -> Vec<&[u32]> {
                columns.iter().map(|column| &column[rows.clone()]).collect()
            };
            neg.add(&part(0..n_neg), self.max[0]);
            pos.add(&part(n_neg..classes.len()), self.max[1]);
        }
        [neg, pos]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::{rows::RowPlacements, tuning::SHARD_ROWS};
    use proptest::prelude::*;

    /// Compares with the definition, from placements row by row.
    fn assert_products(scores: &[&[i32]], labels: &[bool]) {
        let by_rows: Vec<RowPlacements> =
            scores.iter().map(|column| RowPlacements::new(column, labels)).collect();
        let parted: Vec<PartedPlacements> =
            scores.iter().map(|column| PartedPlacements::new(column, labels).unwrap()).collect();
        let products = PlacementProducts::new(&parted);
        let sum = |a: &[u32], b: &[u32]| -> u128 {
            a.iter().zip(b).map(|(&a, &b)| u128::from(a) * u128::from(b)).sum()
        };
        for (a, placements_a) in by_rows.iter().enumerate() {
            let twice_u: u128 = placements_a.pos.iter().map(|&twice| u128::from(twice)).sum();
            assert_eq!(products.twice_u[a], twice_u);
            for (b, placements_b) in by_rows.iter().enumerate() {
                assert_eq!(products.pos.sum(a, b), sum(&placements_a.pos, &placements_b.pos));
                assert_eq!(products.neg.sum(a, b), sum(&placements_a.neg, &placements_b.neg));
            }
        }
        let n_pos = labels.iter().filter(|&&label| label).count();
        assert_eq!((products.n_pos, products.n_neg), (n_pos as u64, (labels.len() - n_pos) as u64));
    }

    proptest! {
        #[test]
        fn few_rows(rows in proptest::collection::vec((prop::array::uniform5(-5i32..5), any::<bool>()), 0..80), k in 1usize..6) {
            let columns: Vec<Vec<i32>> = (0..k).map(|score| rows.iter().map(|row| row.0[score]).collect()).collect();
            let columns: Vec<&[i32]> = columns.iter().map(Vec::as_slice).collect();
            assert_products(&columns, &rows.iter().map(|row| row.1).collect::<Vec<_>>());
        }
    }

    /// Labels and three scores of rows in several blocks. The first score has few ties, the second very many.
    fn several_blocks() -> (Vec<bool>, [Vec<i32>; 3]) {
        let rows = 0..3 * SHARD_ROWS as u32 + 5;
        let mixed = |by: u32| rows.clone().map(move |row| (row.wrapping_mul(by) >> 8) as i32);
        let labels = mixed(0x9E37_79B1).map(|row| row % 10 < 3).collect();
        let few = |by, number| mixed(by).map(|row| row % number).collect();
        (labels, [mixed(0x85EB_CA6B).collect(), few(0xC2B2_AE35, 50), few(0x27D4_EB2F, 5000)])
    }

    /// Blocks on several threads, with scores that alternately have one part or several.
    #[test]
    fn many_rows() {
        let (labels, [a, b, c]) = several_blocks();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        pool.install(|| assert_products(&[&a, &b, &c], &labels));
        assert_products(&[&a, &c], &labels);
    }
}
