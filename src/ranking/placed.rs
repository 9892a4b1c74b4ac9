//! Placements row by row: how many rows of the other class each row beats, or is beaten by.
//!
//! What two scores have in common shows in the placements of the same rows, so these come in the order of the rows, each
//! class by itself. The rarer class is indexed; the other class looks up its place in it, and is counted there, from
//! which the rarer class learns its own.

use super::Score;
use super::index::Index;

/// Twice the placements of all rows, ties counting once, not divided by the number of rows of the other class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    /// For each positive, twice the negatives it beats.
    pub of_pos: Vec<u32>,
    /// For each negative, twice the positives that beat it.
    pub of_neg: Vec<u32>,
}

impl Placed {
    /// The placements of rows of scores and labels, none of the scores NaN.
    ///
    /// # Panics
    /// If there are 2^31 rows or more.
    pub fn of<S: Score>(rows: impl Iterator<Item = (S, bool)>) -> Self {
        let (mut pos, mut neg) = (Vec::new(), Vec::new());
        for (score, label) in rows {
            if label { pos.push(score.key()) } else { neg.push(score.key()) }
        }
        assert!(pos.len() + neg.len() < 1 << 31, "a group has fewer than 2^31 rows");
        let twice_pos = 2 * pos.len() as u32;
        let mut index = Index::default();
        // What lies below a positive it beats; what lies below a negative does not beat it.
        if pos.len() <= neg.len() {
            let (of_pos, mut of_neg) = below_one_another::<S>(&mut index, &pos, &neg);
            of_neg.iter_mut().for_each(|twice| *twice = twice_pos - *twice);
            Placed { of_pos, of_neg }
        } else {
            let (mut of_neg, of_pos) = below_one_another::<S>(&mut index, &neg, &pos);
            of_neg.iter_mut().for_each(|twice| *twice = twice_pos - *twice);
            Placed { of_pos, of_neg }
        }
    }
}

/// For each of the rarer keys twice the other keys below it, those equal to it once; and for each of the
/// others the same of the rarer keys.
fn below_one_another<S: Score>(
    index: &mut Index<S::Key>,
    rarer: &[S::Key],
    others: &[S::Key],
) -> (Vec<u32>, Vec<u32>) {
    index.build::<S>(&[rarer]);
    // Of the others: how many lie right above so many rarer keys, and how many tie with those from there on.
    let mut above = vec![0u32; rarer.len() + 1];
    let mut tied = vec![0u32; rarer.len() + 1];
    let mut of_others = Vec::with_capacity(others.len());
    index.look_up::<S>(others, |below, not_above| {
        of_others.push(below + not_above);
        let counts = if below == not_above { &mut above } else { &mut tied };
        counts[below as usize] += 1;
    });
    let mut below = 0;
    for (above, tied) in above.iter_mut().zip(&tied) {
        below += *above;
        *above = 2 * below + tied;
        below += tied;
    }
    let mut of_rarer = Vec::with_capacity(rarer.len());
    index.look_up::<S>(rarer, |below, _| of_rarer.push(above[below as usize]));
    (of_rarer, of_others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_definition<S: PartialOrd + Copy>(rows: &[(S, bool)]) -> Placed {
        let twice = |of: bool| -> Vec<u32> {
            rows.iter()
                .filter(|row| row.1 == of)
                .map(|row| {
                    let others = rows.iter().filter(|other| other.1 != of);
                    let won = |other: &(S, bool)| if of { (other.0, row.0) } else { (row.0, other.0) };
                    others.map(won).map(|(low, high)| u32::from(low < high) + u32::from(low <= high)).sum()
                })
                .collect()
        };
        Placed { of_pos: twice(true), of_neg: twice(false) }
    }

    proptest! {
        #[test]
        fn ties(rows in proptest::collection::vec((-5i16..5, any::<bool>()), 0..80)) {
            prop_assert_eq!(Placed::of(rows.iter().copied()), by_definition(&rows));
        }

        #[test]
        fn any_floats(rows in proptest::collection::vec((any::<f64>(), any::<bool>()), 0..80)) {
            let rows: Vec<(f64, bool)> = rows.into_iter().filter(|row| !row.0.is_nan()).collect();
            prop_assert_eq!(Placed::of(rows.iter().copied()), by_definition(&rows));
        }

        #[test]
        fn wide_and_heavily_tied(rows in proptest::collection::vec((0u32..2000, 0u32..10), 0..600)) {
            let scores = rows.iter().map(|row| if row.0 < 1500 { 7 } else { i128::from(row.0) << (row.0 % 90) });
            let rows: Vec<(i128, bool)> = scores.zip(rows.iter().map(|row| row.1 == 0)).collect();
            prop_assert_eq!(Placed::of(rows.iter().copied()), by_definition(&rows));
        }
    }
}
