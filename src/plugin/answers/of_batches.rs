//! From batches of rows to an array of records for each group, and one for all rows.

use std::ops::Range;

use arrow::array::{Array, BooleanArray, ListArray, StructArray};
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::columns;
use super::conversion::Conversion;
use super::group_lists::{key_codes, lists};
use super::one_score::{Form, OfSummary, ScoreGroups, Statistic};
use super::planned::summaries_field_of;
use crate::plugin::abi::{
    arguments::{Arguments, Roles},
    ffi::Input,
};
use crate::plugin::arrays::{
    downcast::{NOWHERE, message},
    values::{Values, concatenated, gathered},
};
use crate::plugin::batches::{self, Batch};
use crate::plugin::inputs::{keys::KeyCodes, label, one_score::Inputs};
use crate::plugin::threads::Threads;
use crate::ranking::rows::RowGroups;
use crate::ranking::tasks::{self, Pool};
use crate::statistics::kinds::{Column, KeyKind, Runs, Summary};
use crate::statistics::options::from_options;

/// Adds a batch to a collection, and says whether it was added: not if its groups are too many, or if a label is neither 0
/// nor 1. The columns are the number of the collection, the keys, the scores, and the label last.
#[derive(Clone, Copy, Debug)]
pub struct AddBatch {}

from_options!(|_| AddBatch {});

impl Conversion for AddBatch {
    fn field(&self, inputs: &[Field]) -> Result<Field, String> {
        let [number, ..] = inputs else { return Err("expected the number of a collection".into()) };
        Ok(Field::new(number.name.clone(), Dtype::Boolean, true))
    }

    fn column(&self, inputs: &[Input]) -> Result<Values, String> {
        let [number, by, scores @ .., labels] = inputs else {
            return Err(format!("expected a number, keys, scores and a label, got {} columns", inputs.len()));
        };
        let rows = Values { field: labels.field.clone(), array: concatenated(&labels.chunks)? };
        // What is wrong with a label is said of all rows, which are then read at once.
        let Ok((truths, validity)) = label::bits("label", &rows) else { return Ok(is_added(number, false)) };
        let truths = BooleanArray::new(Dtype::Boolean, truths, validity).boxed();
        let labels =
            Input { field: Field::new(rows.name().into(), Dtype::Boolean, true), chunks: vec![truths] };
        let KeyCodes { codes, values, .. } = key_codes(by)?;
        let (groups, collection) = (values.array.len(), batches::number(number)?);
        let has_room = batches::have_room(collection, codes.len(), groups)?;
        if has_room {
            let columns = lists(codes, groups, &scores.iter().chain([&labels]).collect::<Vec<_>>())?;
            batches::add(collection, Batch { keys: values.array, columns })?;
        }
        Ok(is_added(number, has_room))
    }
}

fn is_added(number: &Input, added: bool) -> Values {
    Values::new(&number.field.name, BooleanArray::from_slice([added]).boxed())
}

/// The columns of a call: scores and a label, of which the dtypes are read, the number of the collection, and the keys if
/// groups are asked for.
struct Asked<'a, T> {
    columns: &'a [T],
    roles: Roles,
    number: &'a T,
    by: Option<&'a T>,
}

impl<'a, T> Asked<'a, T> {
    fn of(roles: &Roles, all: &'a [T]) -> Result<Self, String> {
        let place = roles.place("batches", all.len()).ok_or("expected the number of a collection")?;
        let (columns, others) = all.split_at(place);
        let [number, by @ ..] = others else { return Err("expected the number of a collection".into()) };
        let of_columns = roles.0.iter().take_while(|role| *role != "batches");
        Ok(Asked { columns, roles: Roles(of_columns.cloned().collect()), number, by: by.first() })
    }
}

/// The planned field, which is named as the number of the collection is: an array of records, and with them the keys if
/// groups are asked for.
pub fn of_batches_field<M: Summary>(inputs: &[Field], call: &Arguments<M>) -> Result<Field, String> {
    let Asked { columns, roles, number, by } = Asked::of(&call.roles, inputs)?;
    let list = |column: &Field| Field::new(column.name.clone(), columns::list_of(column.dtype.clone()), true);
    let lists: Vec<Field> = columns.iter().map(list).collect();
    let records = Field { name: number.name.clone(), ..summaries_field_of(&lists, &call.options, &roles)? };
    Ok(match by {
        None => records,
        Some(by) => Field::new(number.name.clone(), Dtype::Struct(vec![by.clone(), records]), true),
    })
}

/// Answers every group of a collection in order, those whose keys are missing last, and then all rows together, without keys;
/// or all rows alone. The collection ends.
pub fn of_batches<M: Summary>(inputs: &[Input], call: &Arguments<M>) -> Result<Values, String> {
    let fields: Vec<Field> = inputs.iter().map(|input| input.field.clone()).collect();
    let field = of_batches_field(&fields, call)?;
    let Asked { columns, number, by, .. } = Asked::of(&call.roles, inputs)?;
    let [scores @ .., label] = columns else { return Err("expected scores and a label".into()) };
    let mut batches = batches::take(batches::number(number)?)?;
    let (keys, pieces) = by.map(|by| groups_of(&batches, by)).transpose()?.unzip();
    let groups = pieces.as_ref().map_or(0, |pieces: &Pieces| pieces.rows.len());
    let answer = OfSummary(&call.options);
    let labels = batches.iter_mut().filter_map(|batch| batch.columns.pop());
    let labels: Vec<Input> = labels.map(|labels| input(&label.field, labels)).collect();
    let mut of_batches: Vec<_> = batches.into_iter().map(|batch| batch.columns.into_iter()).collect();
    let (mut records, mut lookups) = (Vec::new(), None);
    for score in scores {
        // The lists of a score are freed before the next one is read.
        let part = |(columns, labels): (&mut std::vec::IntoIter<ListArray<i64>>, &Input)| {
            let scores = input(&score.field, columns.next().ok_or("a batch without a score")?);
            ScoreGroups::read(&[&scores, labels], Inputs::Rows, M::WEIGHTS, Form::Record, &answer)
        };
        let parts = of_batches.iter_mut().zip(&labels).map(part).collect::<Result<Vec<_>, String>>()?;
        if let Some(pieces) = &pieces {
            let size = |group: usize| pieces.rows[group];
            let of_groups = tasks::run(&Threads, groups, 1, &size, &|groups: Range<usize>| {
                ScoreGroups::records_in_parts(&parts, groups, &|group| pieces.of_group(group))
            });
            for filled in of_groups {
                records.push(filled?.columns);
            }
        }
        let (whole, of_score) = Threads.install(|| ScoreGroups::record_of_parts(parts))?;
        records.push(whole.columns);
        lookups = lookups.or(Some(of_score));
    }
    let in_turn = Runs::in_turn(scores.len(), groups + 1);
    let columns = Threads.install(|| Column::rows_of(records, &in_turn));
    let records = columns::structs(answer.fields(), columns, &lookups.ok_or("expected a score")?)?;
    let records = columns::arrays(records, scores.len(), groups + 1)?;
    let Some(keys) = keys else { return Ok(Values { field, array: records }) };
    let with_none: Vec<u32> = (0..groups as u32).chain([NOWHERE]).collect();
    let arrays = vec![gathered(keys.as_ref(), &with_none)?, records];
    let array = StructArray::try_new(field.dtype.clone(), groups + 1, arrays, None).map_err(message)?.boxed();
    Ok(Values { field, array })
}

/// The distinct keys of all batches in order, and the pieces of their groups.
fn groups_of(batches: &[Batch], by: &Input) -> Result<(Box<dyn Array>, Pieces), String> {
    let keys: Vec<Box<dyn Array>> = batches.iter().map(|batch| batch.keys.clone()).collect();
    let keys = Values { field: by.field.clone(), array: concatenated(&keys)? };
    let KeyCodes { codes, values, .. } = KeyCodes::read("by", &keys, KeyKind::MissingLast)?;
    let pieces = Pieces::of(batches, codes, values.array.len());
    Ok((values.array, pieces))
}

/// A column of lists under a name.
fn input(field: &Field, lists: ListArray<i64>) -> Input {
    Input { field: Field::new(field.name.clone(), lists.dtype().clone(), true), chunks: vec![lists.boxed()] }
}

/// Where the rows of each group of all batches are.
struct Pieces {
    /// A batch, and the place of a group in it; group after group.
    pieces: Vec<(u32, u32)>,
    /// Where the pieces of each group begin, and those of the last one end.
    borders: Vec<usize>,
    /// The rows of each group.
    rows: Vec<usize>,
}

impl Pieces {
    /// Those of so many groups; `codes` are the groups of the keys of all batches.
    fn of(batches: &[Batch], codes: Vec<u32>, groups: usize) -> Self {
        let mut rows = vec![0; groups];
        let lengths = batches.iter().flat_map(|batch| batch.columns[0].offsets().lengths());
        lengths.zip(&codes).for_each(|(length, &group)| rows[group as usize] += length);
        let of_batch =
            |(batch, own): (u32, &Batch)| (0..own.keys.len() as u32).map(move |place| (batch, place));
        let pieces: Vec<(u32, u32)> = (0..).zip(batches).flat_map(of_batch).collect();
        Threads.install(|| {
            let groups = RowGroups::of(codes.into(), groups, rayon::current_num_threads());
            Pieces { pieces: groups.by_group(&pieces), borders: groups.borders().to_vec(), rows }
        })
    }

    fn of_group(&self, group: usize) -> &[(u32, u32)] {
        &self.pieces[self.borders[group]..self.borders[group + 1]]
    }
}
