//! One file per statistic: its options, its record, the formula with its source, and its tests.
//!
//! A statistic is a plain value with its options. Its trait in [`kinds`] depends on the result: a [`Summary`]
//! has one record per group, a [`Curve`] a list of records. Both take the [`Ties`] of rows that can be
//! ranked. A [`Joint`] statistic takes several columns row by row, as [`Rows`]. Missing rows are removed and
//! NaN scores are handled before a statistic is called.
//!
//! The modules, each of which uses only the modules above it:
//!
//! - [`kinds`], [`resampling`], [`inference`], [`losses`]: shared by statistics.
//! - [`thresholds`], [`curves`], [`numbers`], [`rank_tests`], [`classes`], [`intervals`], [`comparisons`]:
//!   families of statistics.
//! - [`curve_samples`]: several curves read at the same places, for [`bands`] and [`folds`].
//! - [`calibration`], [`decisions`], [`groups`], [`states`], [`planning`], [`monitoring`]: further families.
//!
//! [`Ties`]: crate::ranking::Ties
//! [`Rows`]: crate::statistics::rows::Rows

#![forbid(unsafe_code)]

pub mod bands;
pub mod calibration;
pub mod classes;
pub mod comparisons;
pub mod curve_samples;
pub mod curves;
pub mod decisions;
pub mod declaration;
pub mod folds;
pub mod groups;
pub mod inference;
pub mod intervals;
pub mod kinds;
pub mod losses;
pub mod monitoring;
pub mod numbers;
pub mod option_value;
pub mod options;
pub mod planning;
pub mod rank_tests;
pub mod resampling;
pub mod rows;
pub mod standard;
pub mod states;
pub mod thresholds;

pub use bands::*;
pub use calibration::*;
pub use classes::*;
pub use comparisons::*;
pub use curve_samples::*;
pub use curves::*;
pub use decisions::*;
pub use folds::*;
pub use groups::*;
pub use inference::*;
pub use intervals::*;
pub use kinds::*;
pub use monitoring::*;
pub use numbers::*;
pub use options::*;
pub use planning::*;
pub use rank_tests::*;
pub use resampling::*;
pub use states::*;
pub use thresholds::*;

#[cfg(test)]
pub(crate) mod tests {
    use super::{kinds::column::Nullable, *};
    use crate::ranking::bits::tests::packed;
    use crate::ranking::{
        AllPlacements, Bits, Codes, Domain, Group, KeyPlacements, Observations, RowPlacements, Score,
        Strategy, Ties, Width,
    };
    use crate::statistics::numbers::partial_area::{Range, Standardized};
    use crate::statistics::rows::Rows;
    use crate::statistics::{intervals::roc_auc_ci_partial::*, thresholds::criterion::Criterion};
    use proptest::prelude::*;

    /// Calls `evaluate` with the ties of scores and 0/1 labels.
    pub fn with_ties<S: Score, R>(labels: &[u8], scores: &[S], evaluate: impl FnOnce(Ties<'_>) -> R) -> R {
        assert_eq!(labels.len(), scores.len());
        let bytes = packed(labels.iter().map(|&label| label == 1));
        let mut group = Group::default();
        group.load(Observations::new(scores, Bits::new(&bytes, 0, labels.len()), None));
        evaluate(group.ties())
    }

    /// The points of a curve, field by field.
    pub struct PointFields(&'static [Field], Vec<Column>);

    /// The points of a curve; `None` if it is undefined, in which case nothing was appended.
    pub fn curve_points<C: Curve, S: Score>(curve: &C, labels: &[u8], scores: &[S]) -> Option<PointFields> {
        with_ties(labels, scores, |ties| points_of_ties(curve, ties))
    }

    /// The same for ties.
    pub fn points_of_ties<C: Curve>(curve: &C, ties: Ties<'_>) -> Option<PointFields> {
        let mut columns = Column::all_of(C::Record::FIELDS, Width::W128, 0);
        let defined = curve.points(ties, &mut columns);
        assert!(defined || columns.iter().all(|column| column.is_empty()));
        defined.then_some(PointFields(C::Record::FIELDS, columns))
    }

    impl PointFields {
        fn column(&self, name: &str) -> &Column {
            &self.1[self.0.iter().position(|field| field.name == name).unwrap()]
        }

        pub fn numbers(&self, name: &str) -> &[f64] {
            let Column::Number(rows) = self.column(name) else { panic!("{name} is no number") };
            &rows.values
        }

        pub fn numbers_or_null(&self, name: &str) -> Vec<Option<f64>> {
            let Column::Number(rows) = self.column(name) else { panic!("{name} is no number") };
            or_null(rows.values.iter().copied(), &rows.present)
        }

        fn nullable_counts(&self, name: &str) -> &Nullable<u64> {
            match self.column(name) {
                Column::Count(rows) | Column::Mass(rows) => rows,
                _ => panic!("{name} is no count"),
            }
        }

        pub fn counts(&self, name: &str) -> &[u64] {
            &self.nullable_counts(name).values
        }

        pub fn counts_or_null(&self, name: &str) -> Vec<Option<u64>> {
            let Nullable { values, present } = self.nullable_counts(name);
            or_null(values.iter().copied(), present)
        }

        pub fn keys(&self, name: &str) -> Vec<Option<u128>> {
            let Column::Threshold(rows) = self.column(name) else { panic!("{name} is no score") };
            or_null(rows.keys.iter(), &rows.present)
        }
    }

    fn or_null<T>(values: impl Iterator<Item = T>, present: &[bool]) -> Vec<Option<T>> {
        let is_present = |row: usize| present.is_empty() || present[row];
        values.enumerate().map(|(row, value)| is_present(row).then_some(value)).collect()
    }

    /// The record of one group with weighted rows.
    pub fn weighted_summary<M: Summary, S: Score>(
        statistic: &M,
        labels: &[u8],
        scores: &[S],
        weights: &[f64],
    ) -> M::Record {
        assert!(M::WEIGHTS);
        let bytes = packed(labels.iter().map(|&label| label == 1));
        let mut group = Group::default();
        group.load(Observations::new(scores, Bits::new(&bytes, 0, labels.len()), None).with_weights(weights));
        statistic.evaluate(group.ties())
    }

    /// 90 rows of two classes with three scores, the first of which separates the classes best.
    pub fn three_scores() -> (Vec<u8>, [Vec<f64>; 3]) {
        let labels: Vec<u8> = (0..90).map(|row| u8::from(row % 5 < 2)).collect();
        let score = |step: i32, lift: i32| {
            (0..90)
                .zip(&labels)
                .map(move |(row, &label)| f64::from((row * step) % 31 + lift * i32::from(label)))
        };
        let scores = [(17, 9), (13, 4), (7, 12)].map(|(step, lift)| score(step, lift).collect());
        (labels, scores)
    }

    /// Rows of labels and scores.
    pub fn rows_of(labels: &[u8], scores: &[&[f64]], keys: &[u32]) -> Rows {
        let is_positive: Vec<bool> = labels.iter().map(|&label| label == 1).collect();
        let mut rows = Rows {
            len: scores[0].len(),
            scores: scores.iter().map(|scores| Codes::new(scores)).collect(),
            values: scores.iter().map(|scores| scores.to_vec()).collect(),
            keys: Codes::new(keys),
            ..Rows::default()
        };
        if labels.len() == rows.len {
            rows.placements = scores.iter().map(|scores| RowPlacements::new(scores, &is_positive)).collect();
        }
        if labels.len() == keys.len() {
            let key_placements = |scores: &&[f64]| KeyPlacements::new(scores, &is_positive, &rows.keys).0;
            rows.key_placements = scores.iter().map(key_placements).collect();
            rows.all_placements = Some(AllPlacements::new(scores[0], &is_positive, &rows.keys));
        }
        Rows { labels: is_positive, ..rows }
    }

    /// The record of one group.
    pub fn summary<M: Summary, S: Score>(statistic: &M, labels: &[u8], scores: &[S]) -> M::Record {
        with_ties(labels, scores, |ties| statistic.evaluate(ties))
    }

    /// The results of statistics that skip parts of a large group, for one ranking strategy.
    fn some_parts(way: Strategy, labels: &[u8], scores: &[i16]) -> Vec<String> {
        let bytes = packed(labels.iter().map(|&label| label == 1));
        let mut group = Group::new(way, Domain::Any);
        group.load(Observations::new(scores, Bits::new(&bytes, 0, labels.len()), None));
        let mut texts = Vec::new();
        let mut add = |record: &dyn std::fmt::Debug| texts.push(format!("{record:?}"));
        for alternative in [Alternative::TwoSided, Alternative::Greater, Alternative::Less] {
            add(&KsStatistic { alternative, ..KsStatistic::default() }.evaluate(group.ties()));
        }
        let criteria = [
            Criterion::Youden { ratio: 1.0 },
            Criterion::Youden { ratio: 0.3 },
            Criterion::ClosestTopleft { ratio: 1.0 },
            Criterion::Cost { cost: 3.0, prevalence: Some(0.1) },
            Criterion::MaxF,
            Criterion::TargetFpr(0.2),
            Criterion::TargetFpr(0.0),
            Criterion::TargetTpr(0.7),
            Criterion::TargetPrecision(0.6),
            Criterion::TopP,
        ];
        for criterion in criteria {
            let ranges = match criterion {
                Criterion::TargetFpr(_) | Criterion::TopP => vec![None],
                _ => vec![None, Some((0.2, 0.5)), Some((0.0, 0.1))],
            };
            for fpr in ranges {
                add(&OperatingPoint { criterion, beta: 1.5, fpr }.evaluate(group.ties()));
            }
        }
        let ranges = [
            Range::Fpr(0.0, 0.1),
            Range::Fpr(0.35, 0.8),
            Range::Tpr(0.6, 0.9),
            Range::TwoWay { max_fpr: 0.4, min_tpr: 0.5 },
        ];
        for range in ranges {
            let standardized = Standardized::Never;
            add(&RocAuc { range: Some(range), standardized }.evaluate(group.ties()));
            for method in [PartialMethod::DeLong, PartialMethod::Logit] {
                let test = Hypothesis::default();
                let ci = RocAucCiPartial { range, standardized, method, level: 0.95, test };
                add(&ci.evaluate(group.ties()));
            }
        }
        add(&RocSummary::default().evaluate(group.ties()));
        texts
    }

    proptest! {
        #[test]
        fn skipped_parts_do_not_change_results(
            rows in proptest::collection::vec((0u8..10, -400i16..400), 0..600), share in 1u8..9, lift in -200i16..300,
        ) {
            let labels: Vec<u8> = rows.iter().map(|row| u8::from(row.0 < share)).collect();
            let scores: Vec<i16> = rows.iter().zip(&labels).map(|(row, &label)| row.1 + lift * i16::from(label)).collect();
            let [alone, parts] = [Strategy::ClassKeys, Strategy::Shards].map(|way| some_parts(way, &labels, &scores));
            prop_assert_eq!(alone, parts);
        }
    }
}
