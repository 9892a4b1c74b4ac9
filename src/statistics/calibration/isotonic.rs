//! The isotonic regression of the label on the score.

use std::ops::Add;

use crate::ranking::ties::Count;

/// The blocks of the isotonic regression, highest scores first. The rate of positives of a block is the
/// fitted probability; rates decrease from block to block.
///
/// Pool adjacent violators (Ayer, Brunk, Ewing, Reid and Silverman 1955): a block is merged with the previous
/// block if its rate is not lower. Rates are compared as exact fractions of counts, so the blocks match the
/// definition, and blocks of parts can be merged. `O(n)` for sorted scores.
#[derive(Clone, Debug)]
pub struct Blocks<T = u64>(Vec<Count<T>>);

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Blocks(Vec::new())
    }
}

impl<T: Rate> Blocks<T> {
    /// Adds the rows of the next lower score.
    pub fn push(&mut self, lower: Count<T>) {
        if lower.rows() != T::default() {
            pool(&mut self.0, lower, |last, lower| T::is_below(*lower, *last), Count::plus);
        }
    }

    /// Adds the blocks of lower scores.
    pub fn append(&mut self, lower: Blocks<T>) {
        lower.0.into_iter().for_each(|block| self.push(block));
    }

    /// The counts of each block.
    pub fn counts(&self) -> &[Count<T>] {
        &self.0
    }
}

/// Appends a block and merges it with the previous ones until rates decrease.
pub fn pool<B>(
    blocks: &mut Vec<B>,
    mut block: B,
    are_in_order: impl Fn(&B, &B) -> bool,
    join: impl Fn(B, B) -> B,
) {
    while let Some(last) = blocks.pop_if(|last| !are_in_order(last, &block)) {
        block = join(last, block);
    }
    blocks.push(block);
}

/// The number type of rates: counts of rows, or weights.
pub trait Rate: Add<Output = Self> + Copy + Default + PartialEq {
    /// Whether the rate of some rows is below the rate of others.
    fn is_below(these: Count<Self>, others: Count<Self>) -> bool;
}

impl Rate for u64 {
    fn is_below(these: Count, others: Count) -> bool {
        let product = |pos: u64, other: Count| u128::from(pos) * u128::from(other.pos + other.neg);
        product(these.pos, others) < product(others.pos, these)
    }
}

impl Rate for f64 {
    fn is_below(these: Count<f64>, others: Count<f64>) -> bool {
        these.pos / these.rows() < others.pos / others.rows()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blocks(counts: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut blocks = Blocks::<u64>::default();
        counts.iter().for_each(|&(pos, neg)| blocks.push(Count { pos, neg }));
        blocks.counts().iter().map(|block| (block.pos, block.neg)).collect()
    }

    #[test]
    fn few_scores() {
        assert_eq!(blocks(&[]), []);
        assert_eq!(blocks(&[(1, 0), (0, 0), (0, 1)]), [(1, 0), (0, 1)]);
        assert_eq!(blocks(&[(0, 1), (1, 0)]), [(1, 1)]);
        // Equal rates are merged.
        assert_eq!(blocks(&[(1, 1), (2, 2), (0, 3)]), [(3, 3), (0, 3)]);
        assert_eq!(blocks(&[(2, 1), (0, 2), (1, 1), (0, 1)]), [(2, 1), (1, 3), (0, 1)]);
    }

    proptest! {
        /// The min-max formula. A run starts at or above a score and ends at or below it. The fit is the
        /// minimum over starts of the maximum rate over ends.
        #[test]
        fn definition_and_parts(counts in prop::collection::vec((0u64..4, 0u64..4), 0..12), cut in 0usize..12) {
            let counts: Vec<(u64, u64)> = counts.into_iter().filter(|count| count.0 + count.1 > 0).collect();
            let rate = |from: usize, to: usize| {
                let (pos, all) = counts[from..=to].iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.0 + count.1));
                pos as f64 / all as f64
            };
            let n = counts.len();
            let fit: Vec<f64> = (0..n)
                .map(|at| {
                    let largest = |from: usize| (at..n).map(|to| rate(from, to)).fold(0.0, f64::max);
                    (0..=at).map(largest).fold(f64::INFINITY, f64::min)
                })
                .collect();
            let mut fitted = Vec::new();
            let mut rest = counts.iter();
            for (pos, neg) in blocks(&counts) {
                let mut left = pos + neg;
                while left > 0 {
                    let count = rest.next().unwrap();
                    left -= count.0 + count.1;
                    fitted.push(pos as f64 / (pos + neg) as f64);
                }
            }
            prop_assert_eq!(&fitted, &fit);
            let (higher, lower) = counts.split_at(cut.min(n));
            let pooled = |counts: &[(u64, u64)]| {
                let mut blocks = Blocks::<u64>::default();
                counts.iter().for_each(|&(pos, neg)| blocks.push(Count { pos, neg }));
                blocks
            };
            let mut joined = pooled(higher);
            joined.append(pooled(lower));
            let whole = pooled(&counts);
            prop_assert_eq!(joined.counts(), whole.counts());
        }
    }
}
