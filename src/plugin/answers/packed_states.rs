//! Converts states to bytes and back, row by row.

use arrow::array::{Array, BinaryViewArray};
use arrow::bitmap::Bitmap;
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
    score::{self, Native, WithScores, dispatch, threshold_dtype},
    state_dtypes,
    states::States,
};
use crate::ranking::scores::{Domain, Key, ScoreType};
use crate::statistics::kinds::{Column, record::Record};
use crate::statistics::states::{PackState, UnpackState, roc_state::RocStateRecord};

impl Conversion for PackState {
    fn field(&self, inputs: &[Field]) -> Result<Field, String> {
        let [state] = inputs else { return Err(format!("expected a state, got {} columns", inputs.len())) };
        scores_of(state)?;
        Ok(Field::new(state.name.clone(), Dtype::BinaryView, true))
    }

    /// Packs the state of every row; nulls stay null.
    fn column(&self, inputs: &[Input]) -> Result<Values, String> {
        let [state] = inputs else { return Err(format!("expected a state, got {} columns", inputs.len())) };
        let dtype = dtype_name(&scores_of(&state.field)?.dtype);
        let column = Values { field: state.field.clone(), array: concatenated(&state.chunks)? };
        let (states, scores) = States::read(&column)?;
        let rows = dispatch(scores.as_ref(), Packing { states: &states, options: *self, dtype: &dtype })?;
        Ok(Values::new(column.name(), BinaryViewArray::from_slice(rows).boxed()))
    }
}

/// The score field of states that can be packed.
fn scores_of(state: &Field) -> Result<&Field, String> {
    let dtypes = state_dtypes::check(&state.name, state)?;
    Ok(dtypes.score)
}

/// The conversion of states to bytes.
struct Packing<'a> {
    states: &'a States,
    options: PackState,
    dtype: &'a str,
}

impl WithScores for Packing<'_> {
    type Output = Vec<Option<Vec<u8>>>;

    fn with<S: Native>(self, scores: &[S]) -> Result<Self::Output, String> {
        let bytes = |row: usize| {
            interrupt::check();
            if !self.states.is_present(row) {
                return Ok(None);
            }
            Ok(Some(self.options.bytes(self.states.merged(&[row], scores)?, self.dtype)))
        };
        (0..self.states.len()).map(bytes).collect()
    }
}

/// The columns of bytes and of the scores' dtype.
fn columns_of<'a>(inputs: &[&'a Field]) -> Result<(&'a Field, &'a Field), String> {
    let [bytes, scores] = inputs else {
        return Err(format!("expected bytes and a dtype, got {} columns", inputs.len()));
    };
    if *bytes.dtype() != Dtype::BinaryView {
        let found = dtype::display(bytes);
        return Err(format!(
            "packed \"{}\" has dtype {found}, expected Binary from pack_state(state)",
            bytes.name
        ));
    }
    if !dtype::is_numeric(scores) {
        let found = dtype::display(scores);
        return Err(format!(
            "score_dtype is {found}, expected a numeric dtype or Boolean. Hint: write pl.Float64"
        ));
    }
    Ok((bytes, scores))
}

impl Conversion for UnpackState {
    fn field(&self, inputs: &[Field]) -> Result<Field, String> {
        let (bytes, scores) = columns_of(&inputs.iter().collect::<Vec<_>>())?;
        let dtypes = Dtypes::from_score(scores.dtype.clone(), self.weights);
        Ok(Field::new(bytes.name.clone(), columns::record_dtype(RocStateRecord::FIELDS, &dtypes), true))
    }

    /// Unpacks the state of every row; nulls stay null.
    fn column(&self, inputs: &[Input]) -> Result<Values, String> {
        let (bytes, scores) = columns_of(&inputs.iter().map(|input| &input.field).collect::<Vec<_>>())?;
        let array = concatenated(&inputs[0].chunks)?;
        let rows = downcast::<BinaryViewArray>(array.as_ref())?;
        let none = Values { field: scores.clone(), array: concatenated(&inputs[1].chunks)? };
        let unpacking = Unpacking {
            name: &bytes.name,
            rows,
            options: *self,
            dtype: &dtype_name(&scores.dtype),
            domain: score::domain(&scores.dtype),
        };
        let filled = dispatch(score::rankable(&none)?.as_ref(), unpacking)?;
        let lookups = Lookups {
            dtypes: Dtypes::from_score(scores.dtype.clone(), self.weights),
            names: Vec::new(),
            keys: None,
        };
        let records = columns::structs(RocStateRecord::FIELDS, filled, &lookups)?;
        let validity = Bitmap::from_iter((0..rows.len()).map(|row| rows.is_valid(row)));
        Ok(Values::new(&bytes.name, records.with_validity(Some(validity))))
    }
}

/// The conversion of bytes to states.
struct Unpacking<'a> {
    name: &'a str,
    rows: &'a BinaryViewArray,
    options: UnpackState,
    dtype: &'a str,
    domain: Domain,
}

impl WithScores for Unpacking<'_> {
    type Output = Vec<Column>;

    fn with<S: Native>(self, _: &[S]) -> Result<Vec<Column>, String> {
        let score_type = ScoreType::new::<S>(self.domain);
        let mut filled = Column::all_of(RocStateRecord::FIELDS, <S::Key as Key>::WIDTH, self.rows.len());
        for bytes in self.rows.iter() {
            interrupt::check();
            let record = self.options.record(bytes, self.dtype, score_type);
            record.map_err(|problem| format!("packed \"{}\" {problem}", self.name))?.append(&mut filled);
        }
        Ok(filled)
    }
}

fn dtype_name(dtype: &Dtype) -> String {
    dtype::display(&Field::new("score".into(), threshold_dtype(dtype), true))
}
