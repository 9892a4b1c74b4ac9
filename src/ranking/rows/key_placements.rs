//! Placements by key: the rows of each fold, user or other key, ranked within the key.
//!
//! Rows are grouped by key, and each key is then ranked like any other group. Scores of different keys are
//! never compared.

use super::codes::Codes;
use super::row_groups::RowGroups;
use crate::interrupt;
use crate::memory;
use crate::ranking::group::Group;
use crate::ranking::scores::{Bits, Observations, Score};
use crate::ranking::tasks;
use crate::ranking::ties::Placements;

/// The sums over placements within one key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyPlacements {
    /// Positives.
    pub n_pos: u64,
    /// Negatives.
    pub n_neg: u64,
    /// The sums; 0 if a class is missing or a score is NaN.
    pub sums: Placements,
}

impl KeyPlacements {
    /// The sums of each key, in the order of the codes, and whether any score is NaN. All threads of the
    /// current pool move the rows; many keys are divided among them.
    ///
    /// # Panics
    /// Panics if the lengths of scores, labels and keys differ, or if there are 2^31 keys or more.
    pub fn new<S: Score>(scores: &[S], labels: &[bool], keys: &Codes) -> (Vec<Self>, bool) {
        assert!(scores.len() == labels.len() && scores.len() == keys.row_codes.len());
        // The negatives of a key precede its positives, so labels need not move with scores.
        let threads = if tasks::in_pool() { rayon::current_num_threads() } else { 1 };
        let groups = RowGroups::from_classes(&keys.row_codes, labels, keys.distinct, threads);
        let (by_key, borders) = (groups.by_group(scores), groups.borders());
        let pos_ranges = (0..keys.distinct).map(|key| borders[2 * key + 1]..borders[2 * key + 2]);
        let positive = Bits::from_ranges(scores.len(), pos_ranges);
        let rows_of = |key: usize| borders[2 * key + 2] - borders[2 * key];
        let range_placements = tasks::run(&tasks::Here, keys.distinct, 1, &rows_of, &|range| {
            let (mut group, mut any_nan) = (Group::default(), false);
            let key_placements = |key: usize| {
                interrupt::check();
                let (start, rows) = (borders[2 * key], rows_of(key));
                group.load(Observations::new(
                    &by_key[start..start + rows],
                    Bits::new(&positive, start, rows),
                    None,
                ));
                let has_nan = group.has_nan();
                any_nan |= has_nan;
                let mut ties = group.ties();
                let sums =
                    if ties.has_pairs() && !has_nan { ties.placements() } else { Placements::default() };
                KeyPlacements { n_pos: ties.n_pos(), n_neg: ties.n_neg(), sums }
            };
            let placements: Vec<Self> = range.map(key_placements).collect();
            (placements, any_nan)
        });
        let (placements, any_nan): (Vec<_>, Vec<bool>) = range_placements.into_iter().unzip();
        (memory::concatenated(placements), any_nan.contains(&true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::ties::counts;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_key_separately(rows in proptest::collection::vec((-4i16..4, any::<bool>(), 0u32..6), 0..120)) {
            let column = |f: fn(&(i16, bool, u32)) -> u32| rows.iter().map(f).collect::<Vec<u32>>();
            let scores: Vec<i16> = rows.iter().map(|row| row.0).collect();
            let labels: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let keys = Codes::new(&column(|row| row.2));
            let (placements, has_nan) = KeyPlacements::new(&scores, &labels, &keys);
            prop_assert!(!has_nan);
            prop_assert_eq!(placements.len(), keys.distinct);
            for (key, key_placements) in placements.iter().enumerate() {
                let members = |row: &usize| keys.row_codes[*row] as usize == key;
                let members: Vec<usize> = (0..rows.len()).filter(members).collect();
                let member_labels: Vec<bool> = members.iter().map(|&row| labels[row]).collect();
                let codes = Codes::new(&members.iter().map(|&row| scores[row]).collect::<Vec<_>>());
                let tied = codes.counts(&member_labels);
                prop_assert_eq!(key_placements.n_pos, member_labels.iter().filter(|&&label| label).count() as u64);
                prop_assert_eq!(key_placements.n_neg, (members.len() as u64) - key_placements.n_pos);
                if key_placements.n_pos > 0 && key_placements.n_neg > 0 {
                    prop_assert_eq!(key_placements.sums, counts::placements(&tied));
                }
            }
        }
    }

    /// A key with a NaN has no sums; other keys are unaffected.
    #[test]
    fn nan_affects_only_its_key() {
        let labels = [true, false, true, false];
        let keys = Codes { row_codes: vec![0, 0, 1, 1], distinct: 2 };
        let (placements, has_nan) = KeyPlacements::new(&[2.0, 1.0, f64::NAN, 1.0], &labels, &keys);
        let (expected, _) = KeyPlacements::new(&[2.0, 1.0], &labels[..2], &keys.select(&[0, 1]));
        assert!(has_nan);
        assert_eq!(placements[0], expected[0]);
        assert_eq!(placements[1], KeyPlacements { n_pos: 1, n_neg: 1, sums: Placements::default() });
    }
}
