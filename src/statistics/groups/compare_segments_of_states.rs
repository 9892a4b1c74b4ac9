//! The AUC of segments whose rows were counted earlier, as states, each compared with others.

use super::compare_segments::{CompareSegments, SegmentRecord};
use super::weighted_segments::WeightedSegments;
use crate::ranking::rows::Rows;
use crate::statistics::kinds::{Inputs, Joint, KeyKind, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, Options};

/// [`CompareSegments`] of states. Of small states, all areas are those of rows of which those in one bin of all segments'
/// states together tie.
#[derive(Clone, Debug)]
pub struct CompareSegmentsOfStates(pub CompareSegments);

record! {
    /// One segment of states.
    pub struct SegmentOfStatesRecord {
        /// The fields of the record of rows.
        pub segment: SegmentRecord,
        /// Whether all numbers of all segments are those of the rows.
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

    const WEIGHTED_STATES: bool = true;

    fn needs(&self) -> Needs {
        self.0.needs()
    }

    fn passes(&self) -> usize {
        self.0.passes()
    }

    fn key_kind(&self) -> KeyKind<'_> {
        self.0.key_kind()
    }

    fn of_rows(&self, rows: &Rows) -> Option<Vec<SegmentOfStatesRecord>> {
        let exact = rows.counted.as_ref().is_none_or(|counted| counted.is_exact);
        let records = match &rows.weighted {
            Some(segments) => self.0.records(rows, &WeightedSegments::of(segments)),
            None => self.0.of_rows(rows)?,
        };
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
    fn counted_rows_answer_as_rows_do() {
        let (labels, scores, segments) = sample();
        let rows = rows_of(&labels, &[&scores], &segments);
        let counted = Rows {
            keys: rows.keys.clone(),
            counted: Some(CountedKeys {
                keys: rows_by_key(&rows, 0).into_owned(),
                distinct: rows.distinct(0),
                is_exact: false,
            }),
            ..Rows::default()
        };
        assert_eq!((counted.n_pos(), counted.n_neg()), (rows.n_pos(), rows.n_neg()));
        for versus in [Versus::Rest, Versus::Overall] {
            let statistic = CompareSegmentsOfStates(statistic(versus));
            let [expected, records] = [&rows, &counted].map(|rows| statistic.of_rows(rows).unwrap());
            for (record, expected) in records.iter().zip(&expected) {
                let shown = [&record.segment, &expected.segment].map(|segment| format!("{segment:?}"));
                assert_eq!(shown[0], shown[1]);
                assert_eq!((record.exact, expected.exact), (false, true));
            }
            assert_eq!(records.len(), expected.len());
        }
    }
}
