//! Ties: the distinct scores, highest first, each with its count of positives and negatives.
//!
//! Every unpaired ROC statistic is a fold over this object. It is walked, not stored: the keys of the
//! group are its only memory. What is asked of pairs stands in `rank_sums`, what is asked of one score in `thresholds`.

use super::classes::{Classes, Indexed, ScoreOps};
use super::counted::Counted;
use super::fixed_point::Units;
use super::index::Index;
use super::number::Kind;
use super::outline::Cell;
use super::shards::{SHARD_ROWS, Shards};
use super::steps::{Above, Segment, Tie};
use super::weighted::{Squared, Weighted};
use super::{ClassKeys, Key, Number, Score};

/// The ties of one group.
#[derive(Debug)]
pub struct Ties<'a, K> {
    pub(super) source: Source<'a, K>,
    n_pos: u64,
    n_neg: u64,
    /// The key of the lowest score not below a number, in the scores' own type.
    pub(super) at_least: fn(Number) -> Option<K>,
    pub(super) kind: Kind,
}

/// Where the ties are counted from.
#[derive(Debug)]
pub(super) enum Source<'a, K> {
    /// A group that one thread ranks.
    ClassKeys { class_keys: &'a mut ClassKeys<K>, index: &'a mut Index<K>, by: ScoreOps<K> },
    /// A group that all threads rank.
    Shards(&'a Shards<K>),
    /// A group of few distinct scores.
    Counted(&'a Counted<K>),
    /// A group with weights.
    Weighted(&'a Weighted<K>, ScoreOps<K>),
}

impl<'a, K: Key> Ties<'a, K> {
    /// The ties of class_keys.
    pub(super) fn of_class_keys(
        class_keys: &'a mut ClassKeys<K>,
        index: &'a mut Index<K>,
        by: ScoreOps<K>,
    ) -> Self {
        let (n_pos, n_neg) = (class_keys.n_pos(), class_keys.n_neg());
        Self::of(Source::ClassKeys { class_keys, index, by }, n_pos, n_neg)
    }

    /// The ties of a group in shards.
    pub(super) fn of_shards(shards: &'a Shards<K>) -> Self {
        Self::of(Source::Shards(shards), shards.n_pos(), shards.n_neg())
    }

    /// The ties of a group that is counted.
    pub(super) fn of_counted(counted: &'a Counted<K>) -> Self {
        Self::of(Source::Counted(counted), counted.n_pos(), counted.n_neg())
    }

    /// The ties of a group with weights.
    pub(super) fn of_weighed(weighted: &'a Weighted<K>, by: ScoreOps<K>) -> Self {
        let [n_neg, n_pos] = weighted.totals();
        Self::of(Source::Weighted(weighted, by), n_pos, n_neg)
    }

    fn of(source: Source<'a, K>, n_pos: u64, n_neg: u64) -> Self {
        Ties { source, n_pos, n_neg, at_least: |_| None, kind: Kind::Any }
    }

    /// The same, knowing the type that scores came in.
    pub(super) fn of_scores<S: Score<Key = K>>(self, kind: Kind) -> Self {
        Ties { at_least: Number::key::<S>, kind, ..self }
    }

    /// All positives; with weights, their units.
    pub fn n_pos(&self) -> u64 {
        self.n_pos
    }

    /// All negatives; with weights, their units.
    pub fn n_neg(&self) -> u64 {
        self.n_neg
    }

    /// Rows of positives and of negatives, whatever they weigh.
    pub fn rows(&self) -> (u64, u64) {
        match &self.source {
            Source::Weighted(weighted, _) => (weighted.n_pos(), weighted.n_neg()),
            _ => (self.n_pos, self.n_neg),
        }
    }

    /// Distinct scores at most, in a group of so many rows that it matters; otherwise 0.
    pub fn most_distinct(&self) -> usize {
        match &self.source {
            Source::Shards(_) => (self.n_pos + self.n_neg) as usize,
            _ => 0,
        }
    }

    /// What positives and negatives are counted in; none if they are counted as rows.
    pub fn units(&self) -> Option<Units> {
        match &self.source {
            Source::Weighted(weighted, _) => {
                let ([neg, pos], [neg_bits, pos_bits]) = (weighted.units(), weighted.empty_bits());
                Some(Units { pos, neg, pos_bits, neg_bits })
            }
            _ => None,
        }
    }

    /// Whether both classes are there, so that there is a pair to rank.
    pub fn has_pairs(&self) -> bool {
        self.n_pos > 0 && self.n_neg > 0
    }

    /// The number of pairs of one positive and one negative.
    pub fn pairs(&self) -> u128 {
        u128::from(self.n_pos) * u128::from(self.n_neg)
    }

    /// Folds the distinct scores from the highest to the lowest: `step` takes one into a result, and
    /// `join` puts the result of lower scores behind that of higher ones.
    ///
    /// `step` must not depend on where the fold began; what lies above is told by the tie.
    pub fn fold<T: Default + Send>(
        &mut self,
        step: impl Fn(&mut T, Tie<K>) + Sync,
        join: impl Fn(&mut T, T),
    ) -> T {
        let mut result = T::default();
        self.fold_into(&mut result, T::default, step, join);
        result
    }

    /// Like [`fold`](Ties::fold), onto a result that exists; parts that are to be joined to it begin
    /// as `start()`.
    pub fn fold_into<T: Send>(
        &mut self,
        result: &mut T,
        start: impl Fn() -> T + Sync,
        step: impl Fn(&mut T, Tie<K>) + Sync,
        join: impl Fn(&mut T, T),
    ) {
        match &mut self.source {
            Source::ClassKeys { class_keys, by, .. } => {
                (by.spread)(class_keys);
                class_keys.for_each(Above::default(), &mut |tie| step(result, tie));
            }
            Source::Shards(shards) => shards.each_in_turn(
                ClassKeys::default,
                |class_keys, classes, above| {
                    class_keys.collect(classes);
                    (shards.by().spread)(class_keys);
                    let mut part = start();
                    class_keys.for_each(above, &mut |tie| step(&mut part, tie));
                    part
                },
                |part| join(result, part),
            ),
            Source::Counted(counted) => each_counted(counted, &mut |tie| step(result, tie)),
            Source::Weighted(weighted, _) => {
                weighted.fold_into(result, start, |result, squared| step(result, squared.tie), join);
            }
        }
    }

    /// The ties in order with their sums of squared units, of a group with weights; empty without.
    pub fn squared(&self) -> Vec<Squared<K>> {
        let mut ties = Vec::new();
        if let Source::Weighted(weighted, _) = &self.source {
            weighted.fold_into(&mut ties, Vec::new, Vec::push, |ties, lower| ties.extend(lower));
        }
        ties
    }

    /// The ties from the highest score down, in a large group about `cells` runs of them: never fewer than there are
    /// ties unless that saves ordering the rows. It depends on the rows alone, not on how they came.
    pub fn outline(&mut self, cells: usize) -> Vec<Cell<K>> {
        let large = self.n_pos + self.n_neg >= SHARD_ROWS as u64;
        let outlined = match &self.source {
            Source::Shards(shards) if large => shards.outline(cells),
            // Whether a group is counted is no property of its rows: the answer is that of its shards.
            Source::Counted(counted) if large => counted.outline(cells),
            Source::Weighted(weighted, _) => weighted.outline(cells),
            _ => None,
        };
        outlined.unwrap_or_else(|| {
            self.fold(
                |cells: &mut Vec<Cell<K>>, tie| cells.push(Cell::of_tie(tie.key, tie.pos, tie.neg)),
                |cells, lower| cells.extend(lower),
            )
        })
    }

    /// Folds the segments of the curve from the highest scores to the lowest, like [`fold`](Ties::fold)
    /// but without order among the rows of one class between two scores of the other.
    pub fn fold_segments<T: Default + Send>(
        &mut self,
        indexed: Indexed,
        step: impl Fn(&mut T, Segment<K>) + Sync,
        join: impl Fn(&mut T, T),
    ) -> T {
        let mut result = T::default();
        match &mut self.source {
            Source::ClassKeys { class_keys, index, by } => {
                let few = in_classes(class_keys, |classes| {
                    let few = classes.are_few();
                    if !few {
                        classes.for_each_segment(index, *by, indexed, Above::default(), |segment| {
                            step(&mut result, segment);
                        });
                    }
                    few
                });
                if few {
                    (by.spread)(class_keys);
                    class_keys.for_each(Above::default(), &mut |tie| step(&mut result, tie.into_segment()));
                }
            }
            Source::Shards(shards) => {
                let parts = shards.each(Index::default, |index, classes, above| {
                    let mut part = T::default();
                    classes.for_each_segment(index, shards.by(), indexed, above, |segment| {
                        step(&mut part, segment);
                    });
                    part
                });
                for part in parts {
                    join(&mut result, part);
                }
            }
            Source::Counted(counted) => {
                each_counted(counted, &mut |tie| step(&mut result, tie.into_segment()))
            }
            Source::Weighted(weighted, _) => weighted.fold_into(
                &mut result,
                T::default,
                |result, squared| step(result, squared.tie.into_segment()),
                join,
            ),
        }
        result
    }
}

/// Asks the classes of class_keys.
pub(super) fn in_classes<K: Key, T>(class_keys: &ClassKeys<K>, ask: impl FnOnce(&Classes<'_, K>) -> T) -> T {
    let (pos, neg) = (class_keys.pos.keys(), class_keys.neg.keys());
    ask(&Classes { pos: &[pos], neg: &[neg], n_pos: pos.len(), n_neg: neg.len() })
}

/// Walks what is counted, from the highest score down.
pub(super) fn each_counted<K: Key>(counted: &Counted<K>, visit: &mut dyn FnMut(Tie<K>)) {
    let mut above = Above::default();
    for (key, pos, neg) in counted.descending() {
        visit(Tie { key, pos, neg, pos_above: above.pos, neg_above: above.neg });
        above = Above { pos: above.pos + pos, neg: above.neg + neg };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::{Bits, Group, Placements, duplicates};
    use proptest::prelude::*;

    type Question<'a, K> = &'a dyn Fn(Ties<'_, K>) -> Result<(), TestCaseError>;

    /// The definition, one row at a time.
    fn by_definition<S: Score + PartialOrd>(rows: &[(bool, S)]) -> Vec<Tie<S::Key>> {
        let count = |label: bool, test: &dyn Fn(S) -> bool| {
            rows.iter().filter(|row| row.0 == label && test(row.1)).count() as u64
        };
        let mut keys: Vec<S::Key> = rows.iter().map(|row| row.1.key()).collect();
        keys.sort();
        keys.dedup();
        keys.reverse();
        let tie = |key| {
            let score = S::from_key(key);
            Tie {
                key,
                pos: count(true, &|other| other == score),
                neg: count(false, &|other| other == score),
                pos_above: count(true, &|other| other > score),
                neg_above: count(false, &|other| other > score),
            }
        };
        keys.into_iter().map(tie).collect()
    }

    fn twice_u_by_definition<S: PartialOrd + Copy>(rows: &[(bool, S)]) -> u128 {
        let of_class = |label| rows.iter().filter(move |row| row.0 == label).map(|row| row.1);
        of_class(true)
            .flat_map(|p| of_class(false).map(move |n| u128::from(p > n) + u128::from(p >= n)))
            .sum()
    }

    /// Whether segments are what the ties make of them: borders between segments are borders between ties,
    /// and a segment of several ties is of one class, not of the one that is indexed.
    fn check_segments<K: Key>(
        segments: &[Segment<K>],
        ties: &[Tie<K>],
        indexed: Indexed,
    ) -> Result<(), TestCaseError> {
        let mut rest = ties;
        for segment in segments.iter().filter(|segment| segment.pos + segment.neg > 0) {
            let here =
                rest.iter().take_while(|tie| tie.tp() + tie.fp() <= segment.tp() + segment.fp()).count();
            let (inside, lower) = rest.split_at(here);
            prop_assert!(!inside.is_empty());
            let above = (inside[0].pos_above, inside[0].neg_above);
            prop_assert_eq!((segment.pos_above, segment.neg_above), above);
            prop_assert_eq!(segment.pos, inside.iter().map(|tie| tie.pos).sum::<u64>());
            prop_assert_eq!(segment.neg, inside.iter().map(|tie| tie.neg).sum::<u64>());
            match segment.key {
                Some(key) => prop_assert_eq!(inside.iter().map(|tie| tie.key).collect::<Vec<_>>(), [key]),
                None => {
                    prop_assert!(segment.pos == 0 || segment.neg == 0);
                    prop_assert!(indexed == Indexed::Rarer || segment.pos == 0);
                }
            }
            rest = lower;
        }
        prop_assert!(rest.is_empty());
        Ok(())
    }

    /// All ways of ranking, whatever the number of rows.
    fn check<S: Score + PartialOrd>(rows: &[(bool, S)]) -> Result<(), TestCaseError> {
        let mut bytes = vec![0; rows.len() / 8 + 1];
        for (row, _) in rows.iter().enumerate().filter(|(_, row)| row.0) {
            bytes[row / 8] |= 1 << (row % 8);
        }
        let labels = Bits::new(&bytes, 0, rows.len());
        let scores: Vec<S> = rows.iter().map(|row| row.1).collect();
        let expected = by_definition(rows);
        let twice_u = twice_u_by_definition(rows);
        let mut group = Group::default();
        let counted = Counted::count(&scores, labels, None, 3, usize::MAX).unwrap();
        for blocks in [None, Some((0, 0)), Some((1, 1)), Some((1, 8)), Some((3, 4)), Some((7, 64))] {
            let forced = blocks
                .filter(|&blocks| blocks != (0, 0))
                .map(|(blocks, shards)| Shards::part_as(&scores, labels, None, blocks, shards));
            group.load(&scores, labels, None);
            let mut ask = |question: Question<'_, S::Key>| match (&blocks, &forced) {
                (None, _) => question(group.ties::<S>()),
                (_, None) => question(Ties::of_counted(&counted)),
                (_, Some(shards)) => question(Ties::of_shards(shards)),
            };
            ask(&|mut ties| {
                prop_assert_eq!(ties.n_pos() + ties.n_neg(), rows.len() as u64);
                prop_assert_eq!(ties.twice_u(), twice_u, "{:?}", blocks);
                Ok(())
            })?;
            let placements = expected.iter().fold(Placements::default(), |sums, tie| {
                let n_neg = rows.iter().filter(|row| !row.0).count() as u64;
                let of_pos = u128::from(2 * (n_neg - tie.fp()) + tie.neg);
                let of_neg = u128::from(2 * tie.pos_above + tie.pos);
                sums.plus(Placements {
                    sum: u128::from(tie.pos) * of_pos,
                    squares_of_pos: u128::from(tie.pos) * of_pos * of_pos,
                    squares_of_neg: u128::from(tie.neg) * of_neg * of_neg,
                })
            });
            ask(&|mut ties| {
                let cubes: u128 = expected.iter().map(|tie| duplicates::cube(tie.pos + tie.neg)).sum();
                prop_assert_eq!(ties.twice_u_and_cubes(), (twice_u, cubes), "{:?}", blocks);
                Ok(())
            })?;
            ask(&|mut ties| {
                prop_assert_eq!(ties.placements(), placements, "{:?}", blocks);
                Ok(())
            })?;
            for indexed in [Indexed::Rarer, Indexed::Positives] {
                ask(&|mut ties| {
                    let segments = ties.fold_segments(
                        indexed,
                        |walked: &mut Vec<_>, segment| walked.push(segment),
                        |walked, more| walked.extend(more),
                    );
                    check_segments(&segments, &expected, indexed)
                })?;
            }
            ask(&|mut ties| {
                for tie in &expected {
                    prop_assert_eq!(ties.threshold(tie.tp() + tie.fp()), Some(tie.key), "{:?}", blocks);
                }
                Ok(())
            })?;
            ask(&|mut ties| {
                let walked = ties
                    .fold(|walked: &mut Vec<_>, tie| walked.push(tie), |walked, more| walked.extend(more));
                prop_assert_eq!(&walked, &expected, "{:?}", blocks);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn rows<T: std::fmt::Debug + Clone>(
        score: impl Strategy<Value = T>,
    ) -> impl Strategy<Value = Vec<(bool, T)>> {
        proptest::collection::vec((any::<bool>(), score), 0..300)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn few_distinct(rows in rows(0u8..5)) {
            check(&rows)?;
        }

        #[test]
        fn any_float(rows in rows(any::<f64>().prop_filter("ranks", |score| !score.is_nan()))) {
            check(&rows)?;
        }

        #[test]
        fn floats_in_a_row(rows in rows((-40i64..40).prop_map(|ulps| f64::from_bits(1.0f64.to_bits().wrapping_add_signed(ulps))))) {
            check(&rows)?;
        }

        #[test]
        fn around_zero(rows in rows(prop_oneof![Just(-0.0), Just(0.0), Just(5e-324), Just(-5e-324), -1e-300..1e-300])) {
            check(&rows)?;
        }

        #[test]
        fn over_twelve_decades(rows in rows((-6.0..6.0).prop_map(|x: f64| 10f64.powf(x)))) {
            check(&rows)?;
        }

        #[test]
        fn with_outliers(rows in rows(prop_oneof![
            9 => -1.0..1.0,
            1 => prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY), Just(1e300), Just(f64::MAX), Just(f64::MIN)],
        ])) {
            check(&rows)?;
        }

        #[test]
        fn two_clusters(rows in rows(prop_oneof![0.0..1e-9, 1e9..1.000_000_1e9])) {
            check(&rows)?;
        }

        #[test]
        fn integers_beyond_floats(rows in rows((-300i64..300).prop_map(|x| (1 << 53) + x))) {
            check(&rows)?;
        }

        #[test]
        fn integers_of_all_sizes(rows in rows(any::<i128>())) {
            check(&rows)?;
            let narrow: Vec<(bool, i8)> = rows.iter().map(|row| (row.0, row.1 as i8)).collect();
            check(&narrow)?;
        }

        #[test]
        fn short_floats(rows in rows(-1e3f32..1e3)) {
            check(&rows)?;
        }
    }

    #[test]
    fn nothing_at_all() {
        check::<f64>(&[]).unwrap();
        check(&[(true, f64::INFINITY)]).unwrap();
        check(&[(true, 1u16), (false, 1)]).unwrap();
    }

    /// Enough rows for the map to be chosen by a sample.
    #[test]
    fn sampled_maps() {
        let uniform = |i: u32| f64::from(i.wrapping_mul(2_654_435_769)) / f64::from(u32::MAX);
        let shapes: [&dyn Fn(u32) -> f64; 6] = [
            &uniform,
            &|i| 10f64.powf(12.0 * uniform(i) - 6.0),
            &|i| if i % 2 == 0 { uniform(i) * 1e-9 } else { 1e9 + uniform(i) },
            &|i| if i % 500 == 0 { 1e300 } else { uniform(i) },
            &|i| 1.0 + f64::EPSILON * f64::from(i % 3),
            &|i| if i % 3 == 0 { f64::INFINITY } else { uniform(i).round() },
        ];
        for shape in shapes {
            // Buckets of many rows of a single class, too.
            check(&(0..2500).map(|i| (i == 7, shape(i))).collect::<Vec<_>>()).unwrap();
            check(&(0..2500).map(|i| (uniform(i ^ 0x5555) < 0.3, shape(i))).collect::<Vec<_>>()).unwrap();
        }
    }

    #[test]
    fn constant_and_sorted_columns() {
        let label = |i: u32| i.is_multiple_of(3);
        for n in [47, 48, 49, 1000] {
            check(&(0..n).map(|i| (label(i), 2.5)).collect::<Vec<_>>()).unwrap();
            check(&(0..n).map(|i| (label(i), i)).collect::<Vec<_>>()).unwrap();
            check(&(0..n).map(|i| (label(i), -f64::from(i))).collect::<Vec<_>>()).unwrap();
        }
    }
}
