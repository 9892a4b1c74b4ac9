//! Converts states of ranges of scores to sums, row by row, and lists of these to the numbers of their
//! groups.

use arrow::array::{Array, BinaryViewArray, ListArray};
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::columns::{self, Lookups};
use super::conversion::Conversion;
use crate::interrupt;
use crate::plugin::abi::ffi::Input;
use crate::plugin::arrays::{
    downcast::downcast,
    dtype,
    values::{Values, concatenated},
};
use crate::plugin::inputs::{
    dtypes::Dtypes,
    score::{Native, WithScores, dispatch},
    state_dtypes,
    states::States,
};
use crate::ranking::scores::Width;
use crate::statistics::kinds::{Column, record::Record};
use crate::statistics::{
    RangeSums, SummaryOfRanges,
    intervals::{roc_summary_short::ShortSummaryRecord, summary_of_ranges::Sums},
};

impl Conversion for RangeSums {
    fn field(&self, inputs: &[Field]) -> Result<Field, String> {
        let [state] = inputs else { return Err(format!("expected a state, got {} columns", inputs.len())) };
        if state_dtypes::check(&state.name, state)?.has_weights {
            return Err(state_dtypes::weights_message(&state.name));
        }
        Ok(Field::new(state.name.clone(), Dtype::BinaryView, true))
    }

    /// The sums of the state of every row; nulls stay null.
    fn column(&self, inputs: &[Input]) -> Result<Values, String> {
        let [state] = inputs else { return Err(format!("expected a state, got {} columns", inputs.len())) };
        self.field(std::slice::from_ref(&state.field))?;
        let column = Values { field: state.field.clone(), array: concatenated(&state.chunks)? };
        let (states, scores) = States::read(&column)?;
        let rows = dispatch(scores.as_ref(), Summing(&states))?;
        Ok(Values::new(column.name(), BinaryViewArray::from_slice(rows).boxed()))
    }
}

/// The conversion of states to sums.
struct Summing<'a>(&'a States);

impl WithScores for Summing<'_> {
    type Output = Vec<Option<Vec<u8>>>;

    fn with<S: Native>(self, scores: &[S]) -> Result<Self::Output, String> {
        let bytes = |row: usize| {
            interrupt::check();
            if !self.0.is_present(row) {
                return Ok(None);
            }
            Ok(Some(Sums::from(&self.0.merged(&[row], scores)?.counts).bytes()))
        };
        (0..self.0.len()).map(bytes).collect()
    }
}

/// The record contains no score, so the dtype of scores does not matter.
fn dtypes() -> Dtypes {
    Dtypes::from_score(Dtype::Float64, false)
}

impl Conversion for SummaryOfRanges {
    fn field(&self, inputs: &[Field]) -> Result<Field, String> {
        let [ranges] = inputs else { return Err(format!("expected ranges, got {} columns", inputs.len())) };
        let found = || format!("ranges \"{}\" has dtype {}", ranges.name, dtype::display(ranges));
        match ranges.dtype() {
            Dtype::LargeList(item) if *item.dtype() == Dtype::BinaryView => {}
            _ => return Err(format!("{}, expected lists of Binary from range_sums", found())),
        }
        let record = columns::record_dtype(ShortSummaryRecord::FIELDS, &dtypes());
        Ok(Field::new(ranges.name.clone(), record, true))
    }

    /// The numbers of the list of every row, highest scores first. Nulls are skipped.
    fn column(&self, inputs: &[Input]) -> Result<Values, String> {
        let fields: Vec<Field> = inputs.iter().map(|input| input.field.clone()).collect();
        let field = self.field(&fields)?;
        let array = concatenated(&inputs[0].chunks)?;
        let lists = downcast::<ListArray<i64>>(array.as_ref())?;
        let mut filled = Column::all_of(ShortSummaryRecord::FIELDS, Width::W64, lists.len());
        for list in lists.iter() {
            interrupt::check();
            let ranges = list.map_or(Ok(Some(Vec::new())), |list| sums(list.as_ref()))?;
            let record = ranges.and_then(|ranges| self.record(&ranges));
            let wrong = || format!("ranges \"{}\" hold bytes that are no sums of any rows", field.name);
            record.ok_or_else(wrong)?.append(&mut filled);
        }
        let lookups = Lookups { dtypes: dtypes(), names: Vec::new(), keys: None };
        let array = columns::structs(ShortSummaryRecord::FIELDS, filled, &lookups)?;
        Ok(Values { field, array })
    }
}

/// The sums of ranges; `None` if some bytes are invalid.
fn sums(list: &dyn Array) -> Result<Option<Vec<Sums>>, String> {
    let ranges = downcast::<BinaryViewArray>(list)?.iter().flatten();
    Ok(ranges.map(Sums::from_bytes).collect())
}
