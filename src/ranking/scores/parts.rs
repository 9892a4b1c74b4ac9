//! The rows of a group in several parts of memory.

use super::key::Score;
use super::observations::Observations;

/// Rows in parts, ranked as if they were concatenated. Weights and counts are not supported.
pub trait Parts<S: Score>: Sync {
    /// The number of parts.
    fn count(&self) -> usize;

    /// Passes the rows of a part to a callback. Several threads may call this for different parts.
    fn show(&self, part: usize, to: &mut dyn FnMut(&Observations<'_, S>));

    /// Takes the scores of a part that is not read again, to reuse their memory; empty if the scores are
    /// shared.
    fn take(&self, part: usize) -> Vec<S>;
}

/// The properties of rows in parts before ranking.
#[derive(Debug, Default)]
pub(in crate::ranking) struct PartFacts {
    /// The number of rows.
    pub rows: usize,
    /// Negatives and positives.
    pub rows_of_classes: [usize; 2],
    /// All rows, including skipped ones.
    pub all_rows: u64,
    /// Rows in which only the label is missing.
    pub n_unlabelled: u64,
}

impl PartFacts {
    /// Collects the properties of parts.
    pub fn new<S: Score>(parts: &dyn Parts<S>) -> Self {
        let mut facts = PartFacts::default();
        for part in 0..parts.count() {
            parts.show(part, &mut |rows| {
                let [n_neg, n_pos] = rows.rows_of_classes();
                facts.rows += rows.scores.len();
                facts.rows_of_classes[0] += n_neg;
                facts.rows_of_classes[1] += n_pos;
                facts.all_rows += rows.all_rows;
                facts.n_unlabelled += rows.n_unlabelled;
            });
        }
        facts
    }
}

#[cfg(test)]
pub(in crate::ranking) mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::ranking::group::{Group, Strategy};
    use crate::ranking::scores::{Bits, Domain, bits::tests::packed};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    /// Rows split into parts, whose scores are taken once.
    pub struct Cut<S>(Vec<Mutex<Part<S>>>);

    /// Scores, labels as bits, and rows in use as bits.
    struct Part<S> {
        scores: Vec<S>,
        labels: Vec<u8>,
        used: Vec<u8>,
    }

    impl<S: Score> Cut<S> {
        /// Splits rows (score, label, in use) before these indices.
        pub fn new(rows: &[(S, bool, bool)], cuts: &[usize]) -> Self {
            let borders: Vec<usize> = [&[0], cuts, &[rows.len()]].concat();
            let part = |range: &[usize]| {
                let rows = &rows[range[0].min(rows.len())..range[1].min(rows.len())];
                let scores = rows.iter().map(|row| row.0).collect();
                let bits = |bit: fn(&(S, bool, bool)) -> bool| packed(rows.iter().map(bit));
                Mutex::new(Part { scores, labels: bits(|row| row.1), used: bits(|row| row.2) })
            };
            Cut(borders.windows(2).map(part).collect())
        }
    }

    impl<S: Score> Parts<S> for Cut<S> {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn show(&self, part: usize, to: &mut dyn FnMut(&Observations<'_, S>)) {
            let Part { scores, labels, used } = &*self.0[part].lock().unwrap();
            let bits = |bytes| Bits::new(bytes, 0, scores.len());
            to(&Observations::new(scores, bits(labels), Some(bits(used))));
        }

        fn take(&self, part: usize) -> Vec<S> {
            std::mem::take(&mut self.0[part].lock().unwrap().scores)
        }
    }

    /// A group of parts has the same counts as the group of all rows.
    fn check<S: Score>(
        rows: &[(S, bool, bool)],
        cuts: &[usize],
    ) -> Result<(), proptest::test_runner::TestCaseError> {
        let mut group = Group::default();
        group.load_parts(&Cut::new(rows, cuts));
        let scores: Vec<S> = rows.iter().map(|row| row.0).collect();
        let (labels, used) = (packed(rows.iter().map(|row| row.1)), packed(rows.iter().map(|row| row.2)));
        let bits = |bytes| Bits::new(bytes, 0, rows.len());
        let mut whole = Group::default();
        whole.load(Observations::new(&scores, bits(&labels), Some(bits(&used))));
        let all = Observations::new(&scores, bits(&labels), Some(bits(&used)));
        let borders: Vec<usize> = [&[0], cuts, &[rows.len()]].concat();
        let piece = |range: &[usize]| {
            let (first, end) = (range[0].min(rows.len()), range[1].min(rows.len()));
            all.slice(first, end - first)
        };
        let pieces: Vec<Observations<'_, S>> = borders.windows(2).map(piece).collect();
        let strategies = Strategy::NAMES.map(|(_, strategy)| strategy);
        let mut in_pieces: Vec<Group<S::Key>> =
            strategies.map(|strategy| Group::new(strategy, Domain::Any)).into();
        in_pieces.iter_mut().for_each(|group| group.load_pieces(&pieces));
        for mut group in in_pieces.into_iter().chain([group]) {
            prop_assert_eq!(group.has_nan(), whole.has_nan());
            prop_assert_eq!(group.row_counts(), whole.row_counts());
            if !group.has_nan() {
                prop_assert_eq!(group.ties().twice_u(), whole.ties().twice_u());
                prop_assert_eq!(group.ties().placements(), whole.ties().placements());
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn parts_are_ranked_as_one(
            rows in proptest::collection::vec((-40i32..40, any::<bool>(), 0..9), 0..400),
            cuts in (0usize..200, 200usize..400),
            scale in 0..3,
        ) {
            let cuts = [cuts.0, cuts.0, cuts.1];
            // Few distinct scores, many distinct scores, and scores with NaN.
            let score = |index: usize, score: i32| match scale {
                0 => f64::from(score / 20),
                1 => f64::from(score) + index as f64 / 1e3,
                _ if score == 39 => f64::NAN,
                _ => f64::from(score),
            };
            let rows = |used: &dyn Fn(i32) -> bool| -> Vec<(f64, bool, bool)> {
                let row = |(index, row): (usize, &(i32, bool, i32))| (score(index, row.0), row.1, used(row.2));
                rows.iter().enumerate().map(row).collect()
            };
            check(&rows(&|used| used > 0), &cuts)?;
            check(&rows(&|_| true), &cuts)?;
            let narrow: Vec<(i32, bool, bool)> =
                rows(&|_| true).into_iter().map(|row| (row.0 as i32, row.1, row.2)).collect();
            check(&narrow, &cuts)?;
        }
    }

    #[test]
    fn parts_without_rows() {
        for cuts in [&[][..], &[0, 0]] {
            check::<f64>(&[], cuts).unwrap();
        }
    }
}
