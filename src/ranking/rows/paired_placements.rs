//! Sums over the placements of the same rows by two scores, which say how the difference of their areas varies.
//!
//! The rows are gone through once for both scores. Neither has its placements brought into the order of the rows.

use rayon::prelude::*;

use super::parted_placements::{BlockRows, PartedPlacements};
use crate::interrupt;

/// Sums over the doubled placements of two scores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PairedPlacements {
    /// Positives.
    pub n_pos: u64,
    /// Negatives.
    pub n_neg: u64,
    /// Of each score, twice the Mann-Whitney U.
    pub twice_u: [u128; 2],
    /// The sum of the squared differences of the placements of positives.
    pub squares_of_pos: u128,
    /// That of negatives.
    pub squares_of_neg: u128,
}

impl PairedPlacements {
    /// Of two scores of the same rows; all threads of the pool that this is called in share them.
    pub fn of(a: &PartedPlacements, b: &PartedPlacements) -> Self {
        let [n_neg, n_pos] = a.classes().map(|rows| rows as u64);
        let blocks: Vec<(BlockRows<'_>, BlockRows<'_>)> = a.blocks().zip(b.blocks()).collect();
        let of_blocks: Vec<[u128; 2]> = if blocks.len() > 1 {
            blocks.into_par_iter().map(squares).collect()
        } else {
            blocks.into_iter().map(squares).collect()
        };
        let [squares_of_neg, squares_of_pos] =
            [0, 1].map(|class: usize| of_blocks.iter().map(|squares| squares[class]).sum());
        PairedPlacements { n_pos, n_neg, twice_u: [a.twice_u, b.twice_u], squares_of_pos, squares_of_neg }
    }
}

/// Over the negatives and over the positives of a block, the sum of squared differences.
fn squares((mut a, mut b): (BlockRows<'_>, BlockRows<'_>)) -> [u128; 2] {
    interrupt::check();
    // The halves of a number are added apart, so that no addition waits for the carry of another; and those of positives
    // beside those of all rows, because a branch on the class would be mispredicted.
    let (mut all, mut pos) = ([0u64; 2], [0u64; 2]);
    for (&of_a, &of_b) in a.streams.iter().zip(b.streams) {
        let square = u64::from(a.next(of_a).abs_diff(b.next(of_b))).pow(2);
        let of_pos = square * u64::from(of_a & 1);
        for (sums, number) in [(&mut all, square), (&mut pos, of_pos)] {
            sums[0] += number & u64::from(u32::MAX);
            sums[1] += number >> 32;
        }
    }
    let [all, pos] = [all, pos].map(|[low, high]| (u128::from(high) << 32) + u128::from(low));
    [all - pos, pos]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ranking::rows::RowPlacements;
    use crate::ranking::tuning::SHARD_ROWS;
    use proptest::prelude::*;

    /// By definition, from the placements row by row.
    fn assert_sums(scores: [&[i32]; 2], labels: &[bool]) {
        let [a, b] = scores.map(|scores| RowPlacements::of(scores, labels));
        let sum = |rows: &[u32]| rows.iter().map(|&twice| u128::from(twice)).sum::<u128>();
        let squares = |a: &[u32], b: &[u32]| -> u128 {
            a.iter().zip(b).map(|(a, b)| u128::from(a.abs_diff(*b)).pow(2)).sum()
        };
        let expected = PairedPlacements {
            n_pos: a.of_pos.len() as u64,
            n_neg: a.of_neg.len() as u64,
            twice_u: [sum(&a.of_pos), sum(&b.of_pos)],
            squares_of_pos: squares(&a.of_pos, &b.of_pos),
            squares_of_neg: squares(&a.of_neg, &b.of_neg),
        };
        let [a, b] = scores.map(|scores| PartedPlacements::of(scores, labels).unwrap());
        assert_eq!(PairedPlacements::of(&a, &b), expected);
    }

    proptest! {
        #[test]
        fn few_rows(rows in proptest::collection::vec((-5i32..5, -5i32..5, any::<bool>()), 0..80)) {
            let (a, b): (Vec<i32>, Vec<i32>) = rows.iter().map(|row| (row.0, row.1)).unzip();
            assert_sums([&a, &b], &rows.iter().map(|row| row.2).collect::<Vec<_>>());
        }
    }

    /// Labels and three scores of rows that are several blocks. The first score has few ties, the second has very many.
    pub fn several_blocks() -> (Vec<bool>, [Vec<i32>; 3]) {
        let rows = 0..3 * SHARD_ROWS as u32 + 5;
        let mixed = |by: u32| rows.clone().map(move |row| (row.wrapping_mul(by) >> 8) as i32);
        let labels = mixed(0x9E37_79B1).map(|row| row % 10 < 3).collect();
        let few = |by, number| mixed(by).map(|row| row % number).collect();
        (labels, [mixed(0x85EB_CA6B).collect(), few(0xC2B2_AE35, 50), few(0x27D4_EB2F, 5000)])
    }

    /// Blocks that several threads take, and scores that one after the other are in parts and are not.
    #[test]
    fn many_rows() {
        let (labels, [a, b, _]) = several_blocks();
        assert_sums([&a, &b], &labels);
        assert_sums([&b, &b], &labels);
    }
}
