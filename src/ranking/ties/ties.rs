//! Ties: the distinct scores of a group, highest first, each with the number of its positives and negatives.
//!
//! Every unpaired ROC statistic is a function of the ties. [`Ties`] has no type parameter. Statistics
//! therefore do not depend on the score type, nor on whether the rows are present or only counts
//! ([`Counts`](crate::ranking::Counts)). Sources have fast paths; a fast path gives the same result as a walk
//! over all ties.
//!
//! Invariants: keys are strictly descending, every tie has at least one row, and each has the exact counts
//! above it. Counts are integers, so sums over ties do not depend on how a walk is divided.

use super::duplicates;
use super::outline::Cell;
use super::placements::Placements;
use super::positives::PositiveScore;
use super::row_counts::RowCounts;
use super::source::{Indexed, Source, SquaredUnits};
use super::steps::Tie;
use super::units::Units;
use crate::paths::Path;
use crate::ranking::scores::{Number, score_type::ScoreType};

/// If both classes have fewer rows than this, their product fits 62 bits, and differences of such products
/// fit 63.
pub const SMALL_CLASS: u64 = 1 << 31;

/// The ties of one group.
pub struct Ties<'a> {
    pub(super) source: &'a mut dyn Source,
    score_type: ScoreType,
    n_pos: u64,
    n_neg: u64,
    /// All rows, including skipped ones; `None` if unknown.
    all_rows: Option<u64>,
    /// Skipped rows in which only the label is missing; `None` if unknown.
    n_unlabelled: Option<u64>,
}

impl<'a> Ties<'a> {
    /// The ties of a source with this score type.
    pub fn new(source: &'a mut dyn Source, score_type: ScoreType) -> Self {
        let (n_pos, n_neg) = source.totals();
        Ties { source, score_type, n_pos, n_neg, all_rows: None, n_unlabelled: None }
    }

    /// Sets the numbers of all rows, including skipped ones, and of skipped rows in which only the label is
    /// missing.
    pub(crate) fn with_all_rows(self, all_rows: u64, n_unlabelled: Option<u64>) -> Self {
        Ties { all_rows: Some(all_rows), n_unlabelled, ..self }
    }

    /// The numbers of rows, independent of weights.
    pub fn row_counts(&self) -> RowCounts {
        let (n_pos, n_neg) = self.source.rows();
        let n_missing = self.all_rows.map_or(0, |rows| rows - n_pos - n_neg);
        RowCounts {
            n_pos,
            n_neg,
            n_missing,
            n_unlabelled: self.n_unlabelled,
            have_weights: self.units().is_some(),
        }
    }

    /// The origin of the ties, if it has this type.
    pub(crate) fn origin<T: 'static>(&self) -> Option<&T> {
        self.source.origin()?.downcast_ref()
    }

    /// All positives; with weights, their units.
    pub fn n_pos(&self) -> u64 {
        self.n_pos
    }

    /// All negatives; with weights, their units.
    pub fn n_neg(&self) -> u64 {
        self.n_neg
    }

    /// Rows of positives and of negatives, independent of weights.
    pub fn rows(&self) -> (u64, u64) {
        self.source.rows()
    }

    /// The units of positives and negatives; `None` if they are counted as rows.
    pub fn units(&self) -> Option<Units> {
        self.source.units()
    }

    /// The type of the scores.
    pub fn score_type(&self) -> ScoreType {
        self.score_type
    }

    /// An upper bound of the number of distinct scores in a large group; 0 for other groups.
    pub fn max_distinct(&self) -> usize {
        let (n_pos, n_neg) = self.rows();
        if self.is_large() { (n_pos + n_neg) as usize } else { 0 }
    }

    /// An estimate of the same for one part.
    pub fn max_distinct_of_part(&self) -> usize {
        self.max_distinct() / self.parts().len().max(1)
    }

    /// Whether rows are unweighted and each class has fewer than [`SMALL_CLASS`] rows.
    pub fn has_small_classes(&self) -> bool {
        self.units().is_none() && (self.n_pos | self.n_neg) < SMALL_CLASS
    }

    /// Whether both classes are present, so that there are pairs to rank.
    pub fn has_pairs(&self) -> bool {
        self.n_pos > 0 && self.n_neg > 0
    }

    /// The number of pairs of one positive and one negative.
    pub fn pairs(&self) -> u128 {
        u128::from(self.n_pos) * u128::from(self.n_neg)
    }

    /// The ties with their sums of squared units, if rows have weights and the sums are available.
    pub fn squared_units(&self) -> Option<Vec<SquaredUnits>> {
        self.source.squared_units()
    }

    /// The ties, highest score first. For a large group, about `cells` cells of several ties, if that avoids
    /// a sort. The result does not depend on the order of rows.
    pub fn outline(&mut self, cells: usize) -> Vec<Cell<u128>> {
        Path::Outline.is_on().then(|| self.source.outline(cells)).flatten().unwrap_or_else(|| {
            self.fold(
                |cells: &mut Vec<_>, tie| cells.push(Cell::from_tie(tie.key, tie.pos, tie.neg)),
                |cells, lower| cells.extend(lower),
            )
        })
    }

    /// Twice the Mann-Whitney U of the positives: pairs in which the positive scores higher count 2, tied
    /// pairs 1. The integer is exact for every row order.
    pub fn twice_u(&mut self) -> u128 {
        let n_neg = self.n_neg;
        self.source.twice_u().unwrap_or_else(|| {
            self.fold(|twice_u, tie| *twice_u += tie.twice_u(n_neg), |twice_u, more| *twice_u += more)
        })
    }

    /// Twice the Mann-Whitney U, and the sum of `t³ - t` over the distinct scores, where `t` is the number of
    /// rows of a score.
    pub fn twice_u_and_cubes(&mut self) -> (u128, u128) {
        let n_neg = self.n_neg;
        Path::Duplicates.is_on().then(|| self.source.twice_u_and_cubes()).flatten().unwrap_or_else(|| {
            self.fold(
                |(twice_u, cubes): &mut (u128, u128), tie| {
                    *twice_u += tie.twice_u(n_neg);
                    *cubes += duplicates::cube(tie.pos + tie.neg);
                },
                |sums, more| *sums = (sums.0 + more.0, sums.1 + more.1),
            )
        })
    }

    /// Sums over the placements of all rows.
    pub fn placements(&mut self) -> Placements {
        let n_neg = self.n_neg;
        Path::RankHistogram.is_on().then(|| self.source.placements()).flatten().unwrap_or_else(|| {
            self.fold_runs(
                Indexed::Rarer,
                |sums: &mut Placements, run| sums.add_run(run, &run.whole(), n_neg),
                |sums, more| *sums = sums.plus(more),
            )
        })
    }

    /// Sums over the placements of all rows, and the largest `|tp N - fp P|`. The latter is the distance of
    /// the curve from the diagonal times all pairs.
    ///
    /// Requires a group that [has small classes](Self::has_small_classes).
    pub fn placements_and_ks_distance(&mut self) -> (Placements, u64) {
        let (n_pos, n_neg) = (self.n_pos, self.n_neg);
        debug_assert!(self.has_small_classes(), "{n_pos} positives, {n_neg} negatives");
        self.source.placements_and_ks_distance().unwrap_or_else(|| {
            self.fold_runs(
                Indexed::Rarer,
                |(placements, ks_distance): &mut (Placements, u64), run| {
                    let whole = run.whole();
                    placements.add_run(run, &whole, n_neg);
                    run.each(|segment| {
                        *ks_distance =
                            (*ks_distance).max((segment.tp() * n_neg).abs_diff(segment.fp() * n_pos));
                    })
                },
                |sums, more| *sums = (sums.0.plus(more.0), sums.1.max(more.1)),
            )
        })
    }

    /// The key of the lowest possible score that is not below a number; `None` if all are.
    pub fn at_least(&self, number: Number) -> Option<u128> {
        self.score_type.at_least(number)
    }

    /// The score of a key, as a float.
    pub fn value(&self, key: u128) -> f64 {
        self.score_type.value(key)
    }

    /// Positives and negatives with this key or a higher one.
    pub fn reached(&mut self, key: u128) -> (u64, u64) {
        Path::Ranks.is_on().then(|| self.source.reached(key)).flatten().unwrap_or_else(|| {
            self.fold(
                |sums: &mut (u64, u64), tie| {
                    if tie.key >= key {
                        *sums = (sums.0 + tie.pos, sums.1 + tie.neg);
                    }
                },
                |sums, more| *sums = (sums.0 + more.0, sums.1 + more.1),
            )
        })
    }

    /// The tie of the row at this rank (the highest row is 1): the highest score for which at least `rank`
    /// rows score as high. `None` if there are fewer rows. With weights, ranks count units.
    pub fn at_rank(&mut self, rank: u64) -> Option<Tie> {
        Path::Ranks.is_on().then(|| self.source.at_rank(rank)).flatten().unwrap_or_else(|| {
            self.fold(
                |found: &mut Option<Tie>, tie| {
                    if found.is_none() && tie.tp() + tie.fp() >= rank {
                        *found = Some(tie);
                    }
                },
                |found, lower| *found = found.or(lower),
            )
        })
    }

    /// The key of the row at this rank: the key of [`at_rank`](Ties::at_rank).
    pub fn threshold(&mut self, rank: u64) -> Option<u128> {
        match Path::Ranks.is_on().then(|| self.source.threshold(rank)).flatten() {
            Some(key) => key,
            None => self.at_rank(rank).map(|tie| tie.key),
        }
    }

    /// The key of the positives of a score.
    pub fn key_of(&mut self, score: PositiveScore) -> Option<u128> {
        match Path::Ranks.is_on().then(|| self.source.positive_at(score.tp.into())).flatten() {
            Some(key) => key,
            None => self.threshold(u64::from(score.tp) + u64::from(score.fp)),
        }
    }

    /// Whether the group is so large that finding the score at a rank is much faster than a walk.
    pub fn is_large(&self) -> bool {
        self.source.parts().is_some() && self.units().is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::Group;
    use crate::ranking::order::{distinct_keys::DistinctKeys, shards::Shards};
    use crate::ranking::scores::parts::{PartFacts, tests::Cut};
    use crate::ranking::scores::{Bits, Domain, Key, Observations, Score, bits::tests::packed};
    use crate::ranking::ties::{source::StepKind, steps::Segment};
    use proptest::prelude::*;

    type Question<'a> = &'a dyn Fn(Ties<'_>) -> Result<(), TestCaseError>;

    /// The definition, one row at a time.
    fn by_definition<S: Score + PartialOrd>(rows: &[(bool, S)]) -> Vec<Tie> {
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
                key: key.wide(),
                pos: count(true, &|other| other == score),
                neg: count(false, &|other| other == score),
                pos_above: count(true, &|other| other > score),
                neg_above: count(false, &|other| other > score),
            }
        };
        keys.into_iter().map(tie).collect()
    }

    fn twice_u_by_definition<S: PartialOrd + Copy>(rows: &[(bool, S)]) -> u128 {
        let class_scores = |label| rows.iter().filter(move |row| row.0 == label).map(|row| row.1);
        class_scores(true)
            .flat_map(|p| class_scores(false).map(move |n| u128::from(p > n) + u128::from(p >= n)))
            .sum()
    }

    /// Checks segments against the ties. Borders between segments are borders between ties. A segment of
    /// several ties has only rows of the class that is not indexed.
    fn check_segments(segments: &[Segment], ties: &[Tie], indexed: Indexed) -> Result<(), TestCaseError> {
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
            if segment.pos > 0 && (segment.neg > 0 || indexed == Indexed::Positives) {
                prop_assert_eq!(inside.iter().map(|tie| tie.key).collect::<Vec<_>>(), [segment.key]);
            }
            rest = lower;
        }
        prop_assert!(rest.is_empty());
        Ok(())
    }

    /// Every ranking strategy, for any number of rows.
    fn check<S: Score + PartialOrd>(rows: &[(bool, S)]) -> Result<(), TestCaseError> {
        let bytes = packed(rows.iter().map(|row| row.0));
        let labels = Bits::new(&bytes, 0, rows.len());
        let scores: Vec<S> = rows.iter().map(|row| row.1).collect();
        let expected = by_definition(rows);
        let twice_u = twice_u_by_definition(rows);
        let n_neg = rows.iter().filter(|row| !row.0).count() as u64;
        let mut group = Group::default();
        let observations = Observations::new(&scores, labels, None);
        let mut distinct = DistinctKeys::count(&[observations], 3, usize::MAX).unwrap();
        let parted: Vec<(S, bool, bool)> = rows.iter().map(|row| (row.1, row.0, true)).collect();
        for blocks in
            [None, Some((0, 0)), Some((0, 3)), Some((1, 1)), Some((1, 8)), Some((3, 4)), Some((7, 64))]
        {
            let score_type = ScoreType::new::<S>(Domain::Any);
            let mut forced = blocks.filter(|&blocks| blocks != (0, 0)).map(|blocks| match blocks {
                (0, parts) => {
                    let parts = Cut::new(&parted, &(1..parts).map(|part| 5 * part).collect::<Vec<_>>());
                    let facts = PartFacts::new(&parts);
                    Shards::from_parts(&parts, &facts)
                }
                (blocks, shards) => {
                    Shards::<S::Key>::part_as(&[observations], Default::default(), blocks, shards)
                }
            });
            group.load(observations);
            let mut run = |question: Question<'_>| match (&blocks, &mut forced) {
                (None, _) => question(group.ties()),
                (_, None) => question(Ties::new(&mut distinct, score_type)),
                (_, Some(shards)) => question(Ties::new(shards, score_type)),
            };
            run(&|mut ties| {
                prop_assert_eq!(ties.n_pos() + ties.n_neg(), rows.len() as u64);
                prop_assert_eq!(ties.twice_u(), twice_u, "{:?}", blocks);
                Ok(())
            })?;
            let placements = expected.iter().fold(Placements::default(), |sums, tie| {
                let twice_pos = u128::from(2 * (n_neg - tie.fp()) + tie.neg);
                let twice_neg = u128::from(2 * tie.pos_above + tie.pos);
                sums.plus(Placements {
                    sum: u128::from(tie.pos) * twice_pos,
                    squares_of_pos: u128::from(tie.pos) * twice_pos * twice_pos,
                    squares_of_neg: u128::from(tie.neg) * twice_neg * twice_neg,
                })
            });
            run(&|mut ties| {
                let cubes: u128 = expected.iter().map(|tie| duplicates::cube(tie.pos + tie.neg)).sum();
                prop_assert_eq!(ties.twice_u_and_cubes(), (twice_u, cubes), "{:?}", blocks);
                Ok(())
            })?;
            run(&|mut ties| {
                prop_assert_eq!(ties.placements(), placements, "{:?}", blocks);
                Ok(())
            })?;
            run(&|mut ties| {
                let distance = |tie: &Tie| (tie.tp() * ties.n_neg()).abs_diff(tie.fp() * ties.n_pos());
                let ks_distance = expected.iter().map(distance).max().unwrap_or(0);
                prop_assert_eq!(ties.placements_and_ks_distance(), (placements, ks_distance), "{:?}", blocks);
                Ok(())
            })?;
            run(&|mut ties| {
                let (mut scores, sums) = ties.fold_positives_and_placements(
                    |all: &mut Vec<PositiveScore>, scores| all.extend(scores.iter()),
                    |all, more| all.extend(more),
                );
                prop_assert_eq!(sums, placements, "{:?}", blocks);
                // Positives with equal scores may be emitted one by one; the first has the lowest count above
                // it.
                scores.sort_unstable_by_key(|score| (score.tp, score.pos_above));
                scores.dedup_by(|more, first| {
                    let is_same = more.tp == first.tp;
                    first.pos += if is_same { more.pos } else { 0 };
                    is_same
                });
                let with_positives = expected.iter().filter(|tie| tie.pos > 0);
                prop_assert_eq!(scores.len(), with_positives.clone().count(), "{:?}", blocks);
                for (score, tie) in scores.into_iter().zip(with_positives) {
                    let step =
                        [tie.pos, tie.pos_above, tie.neg_above, tie.tp(), tie.fp()].map(|rows| rows as u32);
                    let PositiveScore { pos, pos_above, neg_above, tp, fp } = score;
                    prop_assert_eq!([pos, pos_above, neg_above, tp, fp], step, "{:?}", blocks);
                    if expected.len() < 300 {
                        prop_assert_eq!(ties.key_of(score), Some(tie.key), "{:?}", blocks);
                    }
                }
                Ok(())
            })?;
            for indexed in [Indexed::Rarer, Indexed::Positives] {
                run(&|mut ties| {
                    let segments = ties.fold_pruned(
                        StepKind::Segments(indexed),
                        |_| true,
                        |walked: &mut Vec<_>, segment| walked.push(segment),
                        |walked, more| walked.extend(more),
                    );
                    check_segments(&segments, &expected, indexed)
                })?;
            }
            run(&|mut ties| {
                // Each rank is searched among all rows.
                for tie in expected.iter().step_by(1 + expected.len() / 300) {
                    prop_assert_eq!(ties.at_rank(tie.tp() + tie.fp()), Some(*tie), "{:?}", blocks);
                    prop_assert_eq!(
                        ties.at_rank(tie.pos_above + tie.neg_above + 1),
                        Some(*tie),
                        "{:?}",
                        blocks
                    );
                }
                Ok(())
            })?;
            run(&|mut ties| {
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
    fn no_rows() {
        check::<f64>(&[]).unwrap();
        check(&[(true, f64::INFINITY)]).unwrap();
        check(&[(true, 1u16), (false, 1)]).unwrap();
    }

    fn uniform(i: u32) -> f64 {
        f64::from(i.wrapping_mul(2_654_435_769)) / f64::from(u32::MAX)
    }

    macro_rules! sampled_maps {
        ($($name:ident: $score:expr;)*) => {$(
            /// Enough rows for the map to use a sample.
            #[test]
            fn $name() {
                let score: fn(u32) -> f64 = $score;
                // Also buckets with many rows of a single class.
                check(&(0..2500).map(|i| (i == 7, score(i))).collect::<Vec<_>>()).unwrap();
                check(&(0..2500).map(|i| (uniform(i ^ 0x5555) < 0.3, score(i))).collect::<Vec<_>>()).unwrap();
            }
        )*};
    }
    sampled_maps! {
        sampled_evenly: uniform;
        sampled_over_twelve_decades: |i| 10f64.powf(12.0 * uniform(i) - 6.0);
        sampled_in_two_clusters: |i| if i % 2 == 0 { uniform(i) * 1e-9 } else { 1e9 + uniform(i) };
        sampled_with_outliers: |i| if i % 500 == 0 { 1e300 } else { uniform(i) };
        sampled_in_three_steps: |i| 1.0 + f64::EPSILON * f64::from(i % 3);
        sampled_with_infinities: |i| if i % 3 == 0 { f64::INFINITY } else { uniform(i).round() };
    }

    /// Scores shared within one class and absent from the other: many such scores, or one.
    #[test]
    fn shared_in_one_class() {
        for rarer in [false, true] {
            for (rarer_rows, other_rows) in [(1u32, 7), (7, 1), (7, 7), (1, 1)] {
                for sharing in [100, 1000] {
                    let score = |i: u32| {
                        let rows = if i.is_multiple_of(3) { rarer_rows } else { other_rows };
                        let first = if i < sharing { i - i % (3 * rows) + i % 3 } else { i };
                        uniform(4 * first + i % 3)
                    };
                    let rows = (0..1000u32).map(|i| (i.is_multiple_of(3) == rarer, score(i)));
                    check(&rows.collect::<Vec<_>>()).unwrap();
                }
            }
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
