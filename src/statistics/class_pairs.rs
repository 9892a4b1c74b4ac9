//! How often the rows of one class score higher than those of another class. All areas of several classes follow from
//! these counts.

use std::ops::Range;

use rayon::prelude::*;

use crate::ranking::{Codes, SHARD_ROWS};

/// For each of the `winners`, and there for each class: twice the number of pairs in which a row of the winner scores
/// higher than one of that class, plus the number of pairs of equal scores. The number for a class against itself has
/// no meaning. `O(n log n + n k)` for k classes. A group has fewer than 2^32 rows, so that 64 bits hold every number.
pub fn twice_u_of_pairs(scores: &Codes, classes: &Codes, winners: Range<u32>) -> Vec<Vec<u64>> {
    let mut rows: Vec<(u32, u32)> =
        scores.of_row.iter().copied().zip(classes.of_row.iter().copied()).collect();
    if rows.len() >= SHARD_ROWS {
        rows.par_sort_unstable();
    } else {
        rows.sort_unstable();
    }
    let mut below = vec![0u64; classes.distinct];
    let mut twice_u = vec![vec![0u64; classes.distinct]; winners.len()];
    for tie in rows.chunk_by(|a, b| a.0 == b.0) {
        for own in tie.chunk_by(|a, b| a.1 == b.1) {
            if !winners.contains(&own[0].1) {
                continue;
            }
            let twice_u = &mut twice_u[(own[0].1 - winners.start) as usize];
            let rows = own.len() as u64;
            for (twice_u, &below) in twice_u.iter_mut().zip(&below) {
                *twice_u += rows * 2 * below;
            }
            for other in tie {
                twice_u[other.1 as usize] += rows;
            }
        }
        for row in tie {
            below[row.1 as usize] += 1;
        }
    }
    twice_u
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_pairs(rows in proptest::collection::vec((0u32..6, 0u32..4), 0..40)) {
            let scores = Codes::of(rows.iter().map(|row| row.0));
            let classes = Codes::of(rows.iter().map(|row| row.1));
            let k = classes.distinct as u32;
            let twice_u = twice_u_of_pairs(&scores, &classes, 0..k);
            for a in 0..k {
                prop_assert_eq!(&twice_u_of_pairs(&scores, &classes, a..a + 1)[0], &twice_u[a as usize]);
                for b in (0..k).filter(|&b| b != a) {
                    let of = |class| classes.of_row.iter().zip(&scores.of_row).filter(move |row| *row.0 == class);
                    let pairs = of(a).flat_map(|winner| of(b).map(move |loser| (winner.1, loser.1)));
                    let twice: u128 =
                        pairs.map(|(winner, loser)| 2 * u128::from(winner > loser) + u128::from(winner == loser)).sum();
                    prop_assert_eq!(u128::from(twice_u[a as usize][b as usize]), twice);
                }
            }
        }
    }
}
