//! The AUC of segments whose rows were counted earlier, as states, each compared with others.

use super::compare_segments::{CompareSegments, SegmentRecord};
use crate::ranking::rows::Rows;
use crate::statistics::kinds::{Inputs, Joint, KeyKind, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, Options};

/// [`CompareSegments`] of states. Of small states, the area of a segment is that of rows of which those in one bin of its
/// own state tie; the rest and all rows tie by the bins of all segments' states together.
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
        let records = self.0.of_rows(rows)?.into_iter();
        Some(records.map(|segment| SegmentOfStatesRecord { segment, exact }).collect())
    }
}
