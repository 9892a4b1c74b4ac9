//! The AUC of segments whose rows are stored as states, each compared with other rows.

use super::compare_segments::{CompareSegments, SegmentRecord};
use crate::statistics::kinds::{Inputs, Joint, KeyKind, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::rows::Rows;

/// [`CompareSegments`] for states. For bounded states all areas are approximate: scores in one bin of all
/// segments' states count as ties.
#[derive(Clone, Debug)]
pub struct CompareSegmentsOfStates(pub CompareSegments);

record! {
    /// One segment of states.
    pub struct SegmentOfStatesRecord {
        /// The fields of the record of rows.
        pub segment: SegmentRecord,
        /// Whether all numbers of all segments equal those of the rows.
        pub exact: bool,
    }
}

impl FromOptions for CompareSegmentsOfStates {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        CompareSegments::from_options(options).map(CompareSegmentsOfStates)
    }
}

impl Joint for CompareSegmentsOfStates {
    /// The segments, in order.
    type Record = Option<Vec<SegmentOfStatesRecord>>;

    const INPUTS: Inputs = CompareSegments::INPUTS.or_states();

    fn takes_weighted_states(&self) -> bool {
        true
    }

    fn needs(&self) -> Needs {
        // Scores that tie among all states tie in each segment too, for any comparator.
        Needs::ALL_PLACEMENTS
    }

    fn passes(&self) -> usize {
        self.0.passes()
    }

    fn key_kind(&self) -> KeyKind<'_> {
        self.0.key_kind()
    }

    fn evaluate(&self, rows: &Rows) -> Option<Vec<SegmentOfStatesRecord>> {
        let exact = rows.counted.as_ref().is_none_or(|counted| counted.is_exact);
        let records = self.0.evaluate(rows)?;
        Some(records.into_iter().map(|segment| SegmentOfStatesRecord { segment, exact }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::rows::CountedKeys;
    use crate::statistics::groups::compare_segments::{
        Versus,
        tests::{sample, statistic},
    };
    use crate::statistics::inference::rows_by_key;
    use crate::statistics::tests::rows_of;

    #[test]
    fn states_equal_rows() {
        let (labels, scores, segments) = sample();
        let rows = rows_of(&labels, &[&scores], &segments);
        let counted = Rows {
            keys: rows.keys.clone(),
            key_placements: rows.key_placements.clone(),
            all_placements: rows.all_placements.clone(),
            counted: Some(CountedKeys {
                keys: rows_by_key(&rows, 0).into_owned(),
                distinct: rows.distinct(0),
                is_exact: false,
            }),
            ..Rows::default()
        };
        assert_eq!((counted.n_pos(), counted.n_neg()), (rows.n_pos(), rows.n_neg()));
        for versus in [Versus::Rest, Versus::PooledRest, Versus::Overall] {
            let statistic = CompareSegmentsOfStates(statistic(versus));
            let [expected, records] = [&rows, &counted].map(|rows| statistic.evaluate(rows).unwrap());
            for (record, expected) in records.iter().zip(&expected) {
                let texts = [&record.segment, &expected.segment].map(|segment| format!("{segment:?}"));
                assert_eq!(texts[0], texts[1]);
                assert_eq!((record.exact, expected.exact), (false, true));
            }
            assert_eq!(records.len(), expected.len());
        }
    }
}

#[cfg(test)]
mod tests_of_weights {
    use super::*;
    use crate::ranking::Group;
    use crate::ranking::scores::{Bits, Observations, bits::tests::packed};
    use crate::states::{State, weight_sums::WeightSums};
    use crate::statistics::groups::compare_segments::{Versus, tests::statistic};
    use proptest::prelude::*;

    type Row = (u32, bool, f64);

    /// The state of some rows whose scores are codes.
    fn state(rows: &[Row]) -> State<WeightSums> {
        let codes: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let rows = Observations::new(&codes, Bits::new(&labels, 0, rows.len()), None).with_weights(&weights);
        let mut group = Group::default();
        group.load_for(&[rows], Some(None)).unwrap();
        group.ties().stored_weights().unwrap().clone()
    }

    /// The area of rows, and for each row its weight times the derivative of the area by the weight.
    fn influences(all: &[Row], is_used: &dyn Fn(usize) -> bool) -> Option<(f64, Vec<f64>)> {
        let used: Vec<Row> = (0..all.len()).filter(|&row| is_used(row)).map(|row| all[row]).collect();
        let class_rows = |class| used.iter().filter(move |row| row.1 == class);
        let total = |class| class_rows(class).map(|row| row.2).sum::<f64>();
        let wins = |p: u32, n: u32| {
            if p > n {
                1.0
            } else if p == n {
                0.5
            } else {
                0.0
            }
        };
        let area: f64 =
            class_rows(true).flat_map(|p| class_rows(false).map(move |n| p.2 * n.2 * wins(p.0, n.0))).sum();
        if total(true) * total(false) == 0.0 {
            return None;
        }
        let area = area / total(true) / total(false);
        let influence = |row: usize| {
            let (score, label, weight) = all[row];
            let win = |other: u32| if label { wins(score, other) } else { wins(other, score) };
            let beats: f64 = class_rows(!label).map(|other| other.2 * win(other.0)).sum();
            if is_used(row) { weight * (beats / total(!label) - area) / total(label) } else { 0.0 }
        };
        Some((area, (0..all.len()).map(influence).collect()))
    }

    proptest! {
        #[test]
        fn differences_by_definition(
            rows in prop::collection::vec((0u32..5, any::<bool>(), prop_oneof![Just(1.0), 0.01f64..10.0], 0usize..3), 1..40),
            versus in prop_oneof![Just(Versus::PooledRest), Just(Versus::Overall)],
        ) {
            let all: Vec<Row> = rows.iter().map(|row| (row.0, row.1, row.2)).collect();
            let segment_rows = |segment: usize| -> Vec<Row> {
                rows.iter().filter(|row| row.3 == segment).map(|row| (row.0, row.1, row.2)).collect()
            };
            let segments: Vec<_> = (0..3).map(|segment| state(&segment_rows(segment))).collect();
            let table = Rows { weighted: Some(segments), ..Rows::default() };
            let records = CompareSegmentsOfStates(statistic(versus)).evaluate(&table).unwrap();
            for (segment, record) in records.iter().enumerate() {
                let record = &record.segment;
                let segment_influences = influences(&all, &|row| rows[row].3 == segment);
                let other = influences(&all, &|row| versus == Versus::Overall || rows[row].3 != segment);
                let near = |got: Option<f64>, expected: f64| got.is_some_and(|got| (got - expected).abs() < 1e-12);
                prop_assert_eq!(record.auc.is_some(), segment_influences.is_some());
                let Some((area, segment_influences)) = segment_influences else { continue };
                prop_assert!(near(record.auc, area));
                prop_assert_eq!(record.interval.se.is_some(), record.rows.pos > 1 && record.rows.neg > 1);
                if let Some(se) = record.interval.se {
                    prop_assert!(near(Some(se * se), segment_influences.iter().map(|segment_influences| segment_influences * segment_influences).sum()));
                }
                let Some((versus_area, other)) = other else { continue };
                prop_assert!(near(record.versus_auc, versus_area));
                if let Some(se) = record.difference.se {
                    let expected = segment_influences.iter().zip(&other).map(|(segment_influences, other)| (segment_influences - other).powi(2)).sum();
                    prop_assert!(near(Some(se * se), expected), "{} {expected}", se * se);
                }
            }
        }
    }

    #[test]
    fn single_segment_equals_all_rows() {
        let rows: Vec<Row> =
            (0..50).map(|row| (row * 7 % 11, row % 3 == 0, f64::from(row) / 7.0 + 0.1)).collect();
        let table = Rows { weighted: Some(vec![state(&rows)]), ..Rows::default() };
        let records = CompareSegmentsOfStates(statistic(Versus::Overall)).evaluate(&table).unwrap();
        let difference = records[0].segment.difference;
        assert_eq!((difference.value, difference.se), (Some(0.0), Some(0.0)));
    }
}
