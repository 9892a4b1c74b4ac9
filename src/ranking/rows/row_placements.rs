//! Placements in row order: the negatives below each positive, and the positives above each negative.
//!
//! Products of placements of the same rows by several scores give the covariance of their areas. Placements
//! are therefore gathered from their [parts](super::parted_placements) into row order, each class separately.

use rayon::prelude::*;

use super::parted_placements::{BlockRows, PartedPlacements};
use crate::interrupt;
use crate::memory;
use crate::ranking::scores::Score;

/// Twice the placements of all rows, with ties as one half, not divided by the number of rows of the other
/// class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowPlacements {
    /// For each positive, twice the negatives below it.
    pub pos: Vec<u32>,
    /// For each negative, twice the positives above it.
    pub neg: Vec<u32>,
}

impl RowPlacements {
    /// The placements of scores and labels; large inputs use all threads of the current pool.
    ///
    /// # Panics
    /// Panics if a score is NaN, if there are 2^31 rows or more, or if the lengths differ.
    pub fn new<S: Score>(scores: &[S], labels: &[bool]) -> Self {
        let parted = PartedPlacements::new(scores, labels).expect("no score is NaN");
        let mut by_class = parted.classes().map(memory::zeroed_lazily);
        let [mut rest_of_neg, mut rest_of_pos] = by_class.each_mut().map(Vec::as_mut_slice);
        let blocks = parted.blocks().map(|block| {
            let n_pos = block.partitions.iter().filter(|&&partition| partition & 1 == 1).count();
            let (neg, pos);
            (neg, rest_of_neg) =
                std::mem::take(&mut rest_of_neg).split_at_mut(block.partitions.len() - n_pos);
            (pos, rest_of_pos) = std::mem::take(&mut rest_of_pos).split_at_mut(n_pos);
            (block, [neg, pos])
        });
        if blocks.len() > 1 {
            blocks.collect::<Vec<_>>().into_par_iter().for_each(in_order);
        } else {
            blocks.for_each(in_order);
        }
        let [neg, pos] = by_class;
        RowPlacements { pos, neg }
    }
}

/// Gathers the placements of a block into row order, separately for each class.
fn in_order((mut block, by_class): (BlockRows<'_>, [&mut [u32]; 2])) {
    interrupt::check();
    let (partitions, mut indices) = (block.partitions, [0; 2]);
    block.each(0..partitions.len(), |row, twice| {
        // A branch on the class would be mispredicted.
        let class = usize::from(partitions[row] & 1);
        by_class[class][indices[class]] = twice;
        indices[class] += 1;
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::tuning::{PART_ROWS, SHARD_ROWS};
    use proptest::prelude::*;

    fn by_definition<S: PartialOrd + Copy>(rows: &[(S, bool)]) -> RowPlacements {
        let twice = |label: bool| -> Vec<u32> {
            rows.iter()
                .filter(|row| row.1 == label)
                .map(|row| {
                    let others = rows.iter().filter(|other| other.1 != label);
                    let in_order =
                        |other: &(S, bool)| if label { (other.0, row.0) } else { (row.0, other.0) };
                    others
                        .map(in_order)
                        .map(|(low, high)| u32::from(low < high) + u32::from(low <= high))
                        .sum()
                })
                .collect()
        };
        RowPlacements { pos: twice(true), neg: twice(false) }
    }

    fn ranked<S: Score>(rows: &[(S, bool)]) -> RowPlacements {
        let (scores, labels): (Vec<S>, Vec<bool>) = rows.iter().copied().unzip();
        RowPlacements::new(&scores, &labels)
    }

    /// Compares the placements of enough rows for several parts. All pairs would take too long, so sorted
    /// scores are searched instead.
    fn assert_placed(seed: u64, shape: i32, rows: usize) {
        let score = |row: u64| {
            let bits = (row ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let even = (bits >> 11) as f64 / (1u64 << 53) as f64;
            match shape {
                0 => even,
                1 => (even * 50.0).floor(),
                2 => 10f64.powf(40.0 * even) * if bits & 1 == 0 { 1.0 } else { -1.0 },
                _ if bits & 7 == 0 => even,
                _ => 0.25,
            }
        };
        let scores: Vec<f64> = (0..rows as u64).map(score).collect();
        let labels: Vec<bool> =
            (0..rows as u64).map(|row| (row.wrapping_mul(seed | 5) >> 7) % 3 == 0).collect();
        let class_scores = |class: bool| -> Vec<f64> {
            scores.iter().zip(&labels).filter(|row| *row.1 == class).map(|row| *row.0).collect()
        };
        let sorted = |mut scores: Vec<f64>| {
            scores.sort_by(f64::total_cmp);
            scores
        };
        let (pos, neg) = (sorted(class_scores(true)), sorted(class_scores(false)));
        let twice_below = |sorted: &[f64], score: f64| {
            (sorted.partition_point(|&other| other < score) + sorted.partition_point(|&other| other <= score))
                as u32
        };
        let twice_pos: Vec<u32> =
            class_scores(true).into_iter().map(|score| twice_below(&neg, score)).collect();
        let twice_neg: Vec<u32> = class_scores(false)
            .into_iter()
            .map(|score| 2 * pos.len() as u32 - twice_below(&pos, score))
            .collect();
        let got = RowPlacements::new(&scores, &labels);
        assert!(got.pos == twice_pos);
        assert!(got.neg == twice_neg);
    }

    /// Rows in several blocks on a pool of threads.
    #[test]
    fn several_blocks() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        for shape in 0..4 {
            for rows in [2 * SHARD_ROWS, 2 * SHARD_ROWS + 17, 5 * SHARD_ROWS] {
                pool.install(|| assert_placed(0x2545_F491_4F6C_DD1D, shape, rows));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn ties(rows in proptest::collection::vec((-5i16..5, any::<bool>()), 0..80)) {
            prop_assert_eq!(ranked(&rows), by_definition(&rows));
        }

        #[test]
        fn many_rows(seed in any::<u64>(), shape in 0..4) {
            assert_placed(seed, shape, 3 * PART_ROWS + 17);
        }

        #[test]
        fn any_floats(rows in proptest::collection::vec((any::<f64>(), any::<bool>()), 0..80)) {
            let rows: Vec<(f64, bool)> = rows.into_iter().filter(|row| !row.0.is_nan()).collect();
            prop_assert_eq!(ranked(&rows), by_definition(&rows));
        }

        #[test]
        fn wide_and_heavily_tied(rows in proptest::collection::vec((0u32..2000, 0u32..10), 0..600)) {
            let scores = rows.iter().map(|row| if row.0 < 1500 { 7 } else { i128::from(row.0) << (row.0 % 90) });
            let rows: Vec<(i128, bool)> = scores.zip(rows.iter().map(|row| row.1 == 0)).collect();
            prop_assert_eq!(ranked(&rows), by_definition(&rows));
        }
    }
}
