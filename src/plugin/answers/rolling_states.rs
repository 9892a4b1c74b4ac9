//! The merged states of windows: for each row, the states since the start of its window.

use std::cmp::Ordering;
use std::ops::Range;

use arrow::array::PrimitiveArray;
use arrow::bitmap::{Bitmap, MutableBitmap};
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::columns::{self, Lookups};
use super::conversion::Conversion;
use crate::plugin::abi::ffi::Input;
use crate::plugin::arrays::{
    downcast::downcast,
    dtype,
    values::{Values, concatenated},
};
use crate::plugin::inputs::{
    dtypes::Dtypes,
    keys::{self, KeyCodes},
    score::{Native, WithScores, dispatch},
    state_dtypes,
    states::States,
};
use crate::plugin::threads::Threads;
use crate::ranking::scores::Key;
use crate::ranking::tasks::{self, Pool};
use crate::ranking::ties::Count;
use crate::statistics::kinds::{Column, KeyKind, Runs, Value, record::Record};
use crate::statistics::states::{RollingMergeStates, roc_state::RocStateRecord};

impl Conversion for RollingMergeStates {
    fn field(&self, inputs: &[Field]) -> Result<Field, String> {
        let (state, by, start, within) = match inputs {
            [state, by, start] => (state, by, start, None),
            [state, by, start, within] => (state, by, start, Some(within)),
            _ => {
                return Err(format!(
                    "expected a state, by, its start and groups, got {} columns",
                    inputs.len()
                ));
            }
        };
        check_positions(by)?;
        check_positions(start)?;
        // Polars offsets times by durations, and integers by integers.
        if matches!(by.dtype(), Dtype::Date32 | Dtype::Timestamp(..)) && by.dtype() != start.dtype() {
            let (name, dtype) = (&by.name, dtype::display(by));
            return Err(format!(
                "by \"{name}\" has dtype {dtype}, but the window is an integer. Hint: write window=\"28d\""
            ));
        }
        within.map_or(Ok(()), |within| keys::check("within", &within.name, within))?;
        let record = columns::record_dtype(RocStateRecord::FIELDS, &dtypes_of(state)?);
        Ok(Field::new(state.name.clone(), record, true))
    }

    /// Merges the states of each row's window; the result is null for a row without a position in the order.
    fn column(&self, inputs: &[Input]) -> Result<Values, String> {
        let fields: Vec<Field> = inputs.iter().map(|input| input.field.clone()).collect();
        let field = self.field(&fields)?;
        if let Some(other) = inputs.iter().find(|input| input.len() != inputs[0].len()) {
            let (name, rows, states) = (&other.field.name, other.len(), inputs[0].len());
            return Err(format!("\"{name}\" has {rows} rows, expected {states}, as many as states"));
        }
        let column = |input: &Input| {
            Ok::<_, String>(Values { field: input.field.clone(), array: concatenated(&input.chunks)? })
        };
        let (states, scores) = States::read(&column(&inputs[0])?)?;
        let keys = match inputs.get(3) {
            Some(within) => KeyCodes::read("within", &column(within)?, KeyKind::Any)?.codes,
            None => vec![0; states.len()],
        };
        let windows =
            Windows::new(&keys, &positions(&column(&inputs[1])?)?, &positions(&column(&inputs[2])?)?)?;
        let filled = dispatch(scores.as_ref(), Rolling { states: &states, windows: &windows })?;
        let lookups = Lookups { dtypes: dtypes_of(&fields[0])?, names: Vec::new(), keys: None };
        let records = columns::structs(RocStateRecord::FIELDS, filled, &lookups)?;
        Ok(Values { field, array: records.with_validity(windows.rows_with_position(states.len())) })
    }
}

/// The dtypes of the record of a merged state.
fn dtypes_of(state: &Field) -> Result<Dtypes, String> {
    let dtypes = state_dtypes::check(&state.name, state)?;
    Ok(Dtypes::from_score(dtypes.score.dtype.clone(), dtypes.has_weights))
}

/// Rejects a dtype without a distance between values.
fn check_positions(column: &Field) -> Result<(), String> {
    match column.dtype() {
        Dtype::Int8 | Dtype::Int16 | Dtype::Int32 | Dtype::Int64 => Ok(()),
        Dtype::UInt8 | Dtype::UInt16 | Dtype::UInt32 | Dtype::UInt64 => Ok(()),
        Dtype::Date32 | Dtype::Timestamp(..) => Ok(()),
        _ => {
            let (name, dtype) = (&column.name, dtype::display(column));
            Err(format!("by \"{name}\" has dtype {dtype}, expected dates, datetimes or integers"))
        }
    }
}

/// The positions of rows in the order, as integers.
fn positions(column: &Values) -> Result<Vec<Option<i64>>, String> {
    let array = column.array.as_ref();
    macro_rules! by_dtype {
        ($($($dtype:pat_param)|+ => $value:ty;)*) => {
            match array.dtype() {
                $($($dtype)|+ => {
                    let values = downcast::<PrimitiveArray<$value>>(array)?.iter();
                    let position = |&value: &$value| i64::try_from(value).map_err(|_| {
                        format!("by \"{}\" contains {value}, which is above 2^63", column.name())
                    });
                    values.map(|value| value.map(position).transpose()).collect()
                })*
                _ => Err("by has another dtype than was planned".into()),
            }
        };
    }
    by_dtype! {
        Dtype::Int8 => i8;
        Dtype::Int16 => i16;
        Dtype::Int32 | Dtype::Date32 => i32;
        Dtype::Int64 | Dtype::Timestamp(..) => i64;
        Dtype::UInt8 => u8;
        Dtype::UInt16 => u16;
        Dtype::UInt32 => u32;
        Dtype::UInt64 => u64;
    }
}

/// The windows of rows with a position, sorted by group and position.
struct Windows {
    /// The sorted row indices.
    rows: Vec<usize>,
    /// The window of each of them, as a range of these rows.
    ranges: Vec<Range<usize>>,
}

impl Windows {
    /// The window of each row: the rows of its group whose position is above its start and not above its
    /// position.
    fn new(keys: &[u32], by: &[Option<i64>], start: &[Option<i64>]) -> Result<Self, String> {
        let mut positions: Vec<(u32, i64, i64, usize)> = Vec::with_capacity(by.len());
        for (row, ((&key, by), start)) in keys.iter().zip(by).zip(start).enumerate() {
            if let Some(by) = *by {
                positions.push((key, by, start.ok_or("a window without a start")?, row));
            }
        }
        positions.sort_unstable();
        let upto =
            |key: u32, position: i64| positions.partition_point(|row| (row.0, row.1) <= (key, position));
        // A window includes its row. A window whose start equals its end is therefore shorter than one step
        // of the column. A start above the end is an integer overflow below the minimum.
        let range = |&(key, by, start, _): &(u32, i64, i64, usize)| {
            let first = match start.cmp(&by) {
                Ordering::Less => upto(key, start),
                Ordering::Equal => positions.partition_point(|row| (row.0, row.1) < (key, by)),
                Ordering::Greater => positions.partition_point(|row| row.0 < key),
            };
            first..upto(key, by)
        };
        let ranges = positions.iter().map(range).collect();
        Ok(Windows { rows: positions.into_iter().map(|position| position.3).collect(), ranges })
    }

    /// The rows with a position; `None` if all have one.
    fn rows_with_position(&self, rows: usize) -> Option<Bitmap> {
        let mut with_position = MutableBitmap::from_len_zeroed(rows);
        self.rows.iter().for_each(|&row| with_position.set(row, true));
        (self.rows.len() < rows).then(|| with_position.into())
    }

    /// The rank of each row in the order; rows without a position get the last one.
    fn numbers(&self, rows: usize) -> Vec<usize> {
        let mut numbers = vec![self.rows.len(); rows];
        self.rows.iter().enumerate().for_each(|(number, &row)| numbers[row] = number);
        numbers
    }
}

/// States and sliding windows over them.
struct Rolling<'a> {
    states: &'a States,
    windows: &'a Windows,
}

impl WithScores for Rolling<'_> {
    type Output = Vec<Column>;

    fn with<S: Native>(self, scores: &[S]) -> Result<Vec<Column>, String> {
        let Windows { rows, ranges } = self.windows;
        let bins = |window: usize| self.states.bins(rows[window]..rows[window] + 1).len();
        let new = |windows| Column::all_of(RocStateRecord::FIELDS, <S::Key as Key>::WIDTH, windows);
        // Each state is merged three times, or added and subtracted, and written once.
        let fill = |windows: Range<usize>| -> Result<Vec<Column>, String> {
            let mut filled = new(windows.len());
            let Some(first) = ranges[windows.clone()].iter().map(|range| range.start).min() else {
                return Ok(filled);
            };
            let spans: Vec<Range<usize>> =
                ranges[windows].iter().map(|range| range.start - first..range.end - first).collect();
            let last = spans.last().map_or(0, |range| range.end);
            let states = &rows[first..first + last];
            self.states.moving(states, &spans, scores, &mut |state| {
                state.append(&mut filled);
                if filled[0].len() == 1 {
                    Column::reserve_alike(&mut filled, spans.len() - 1);
                }
            })?;
            Ok(filled)
        };
        let parts = tasks::run(&Threads, ranges.len(), 4, &bins, &fill);
        let mut parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
        if ranges.len() < self.states.len() {
            // The record of rows without a position.
            let mut without_position = new(1);
            RocStateRecord::undefined(Count::default()).append(&mut without_position);
            parts.push(without_position);
        }
        let sizes: Vec<usize> = parts.iter().map(|part| part[0].len()).collect();
        let in_order = Runs::in_order(&sizes, self.windows.numbers(self.states.len()).into_iter());
        Ok(Threads.install(|| Column::rows_of(parts, &in_order)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_rows_in_any_order() {
        let by = [Some(3), None, Some(1), Some(3), Some(7)];
        let start = by.map(|by| by.map(|by| by - 2));
        let windows = Windows::new(&[0; 5], &by, &start).unwrap();
        assert_eq!(windows.rows, [2, 0, 3, 4]);
        assert_eq!(windows.ranges, [0..1, 1..3, 1..3, 3..4]);
        assert_eq!(windows.numbers(5), [1, 4, 0, 2, 3]);
        let with_position = windows.rows_with_position(5).unwrap();
        assert_eq!(with_position.iter().collect::<Vec<_>>(), [true, false, true, true, true]);
        let (ones, earlier) = ([Some(1), Some(2)], [Some(0), Some(-1)]);
        assert_eq!(Windows::new(&[0, 0], &ones, &earlier).unwrap().ranges, [0..1, 0..2]);
        assert!(Windows::new(&[0], &[Some(1)], &[None]).is_err());
        let apart = Windows::new(&[0, 1], &ones, &earlier).unwrap();
        assert_eq!(apart.ranges, [0..1, 1..2]);
        let in_order = Windows::new(&[0, 0], &ones, &ones).unwrap();
        assert_eq!((&in_order.ranges[..], in_order.rows_with_position(2)), (&[0..1, 1..2][..], None));
        let lowest = Windows::new(&[0, 0], &[Some(i64::MIN), Some(0)], &[Some(i64::MAX), Some(1)]).unwrap();
        assert_eq!(lowest.ranges, [0..1, 0..2]);
    }
}
