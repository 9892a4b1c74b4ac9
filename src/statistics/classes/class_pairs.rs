//! Pairwise comparisons between the rows of two classes. All areas of several classes follow from these
//! counts.

use std::ops::Range;

use crate::ranking::rows::Codes;

/// The score and the class of each row, sorted by score, then by class.
pub fn rows_in_order(scores: &Codes, classes: &Codes) -> Vec<(u32, u32)> {
    scores.in_order(|row| classes.row_codes[row])
}

/// For each of the `winners` and each other class: twice the pairs in which the winner's row scores higher,
/// plus the tied pairs. The number for a class against itself is unspecified. `O(n log n + n k)` for k
/// classes. A group has fewer than 2^32 rows, so every number fits 64 bits.
pub fn twice_u_of_pairs(scores: &Codes, classes: &Codes, winners: Range<u32>) -> Vec<Vec<u64>> {
    let rows = rows_in_order(scores, classes);
    let mut below = vec![0u64; classes.distinct];
    let mut twice_u = vec![vec![0u64; classes.distinct]; winners.len()];
    for tie in rows.chunk_by(|a, b| a.0 == b.0) {
        for class_rows in tie.chunk_by(|a, b| a.1 == b.1) {
            if !winners.contains(&class_rows[0].1) {
                continue;
            }
            let twice_u = &mut twice_u[(class_rows[0].1 - winners.start) as usize];
            let rows = class_rows.len() as u64;
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

/// The same for one winner, where rows count as units: twice the number of pairs of units. All units together
/// are below 2^63. `O(n log n + n k)`.
pub fn twice_u_of_units(scores: &Codes, classes: &Codes, units: &[u64], winner: u32) -> Vec<u128> {
    let rows = scores.in_order(|row| (classes.row_codes[row], units[row]));
    let class = |row: &(u32, (u32, u64))| row.1.0;
    let sum = |rows: &[(u32, (u32, u64))]| rows.iter().map(|row| u128::from(row.1.1)).sum::<u128>();
    let mut below = vec![0u128; classes.distinct];
    let mut twice_u = vec![0u128; classes.distinct];
    for tie in rows.chunk_by(|a, b| a.0 == b.0) {
        let winner_rows =
            tie.partition_point(|row| class(row) < winner)..tie.partition_point(|row| class(row) <= winner);
        let winner_units = sum(&tie[winner_rows]);
        if winner_units > 0 {
            twice_u.iter_mut().zip(&below).for_each(|(twice_u, &below)| *twice_u += 2 * winner_units * below);
        }
        for other in tie.chunk_by(|a, b| class(a) == class(b)) {
            let units = sum(other);
            twice_u[class(&other[0]) as usize] += winner_units * units;
            below[class(&other[0]) as usize] += units;
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
        fn units_are_rows(rows in proptest::collection::vec((0u32..6, 0u32..4, 0u64..4), 0..20), winner in 0u32..4) {
            let classes = |keys: Vec<u32>| Codes { row_codes: keys, distinct: 4 };
            let codes = |scores: Vec<u32>| Codes { row_codes: scores, distinct: 6 };
            let repeated = || rows.iter().flat_map(|row| (0..row.2).map(move |_| row));
            let expected = twice_u_of_pairs(
                &codes(repeated().map(|row| row.0).collect()),
                &classes(repeated().map(|row| row.1).collect()),
                winner..winner + 1,
            );
            let units: Vec<u64> = rows.iter().map(|row| row.2).collect();
            let got = twice_u_of_units(
                &codes(rows.iter().map(|row| row.0).collect()),
                &classes(rows.iter().map(|row| row.1).collect()),
                &units,
                winner,
            );
            for class in (0..4).filter(|&class| class != winner) {
                prop_assert_eq!(got[class as usize], u128::from(expected[0][class as usize]));
            }
        }

        #[test]
        fn all_pairs(rows in proptest::collection::vec((0u32..6, 0u32..4), 0..40)) {
            let scores = Codes::new(&rows.iter().map(|row| row.0).collect::<Vec<_>>());
            let classes = Codes::new(&rows.iter().map(|row| row.1).collect::<Vec<_>>());
            let k = classes.distinct as u32;
            let twice_u = twice_u_of_pairs(&scores, &classes, 0..k);
            for a in 0..k {
                prop_assert_eq!(&twice_u_of_pairs(&scores, &classes, a..a + 1)[0], &twice_u[a as usize]);
                for b in (0..k).filter(|&b| b != a) {
                    let class_scores = |class| classes.row_codes.iter().zip(&scores.row_codes).filter(move |row| *row.0 == class);
                    let pairs = class_scores(a).flat_map(|winner| class_scores(b).map(move |loser| (winner.1, loser.1)));
                    let twice: u128 =
                        pairs.map(|(winner, loser)| 2 * u128::from(winner > loser) + u128::from(winner == loser)).sum();
                    prop_assert_eq!(u128::from(twice_u[a as usize][b as usize]), twice);
                }
            }
        }
    }
}
