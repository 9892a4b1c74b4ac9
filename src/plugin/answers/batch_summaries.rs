//! From batches of rows to an array of records per group, and one for all rows.

use std::ops::Range;

use arrow::array::{Array, BooleanArray, ListArray};
use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::columns;
use super::conversion::Conversion;
use super::group_lists::{key_codes, lists};
use super::one_score::{Form, ScoreGroups, Statistic, SummaryStatistic};
use super::planned::summaries_field_of;
use crate::plugin::abi::{
    arguments::{Arguments, Roles},
    ffi::Input,
};
use crate::plugin::arrays::{
    downcast::NOWHERE,
    values::{Values, concatenated, gathered},
};
use crate::plugin::batches::{self, Batch};
use crate::plugin::inputs::{
    keys::KeyCodes,
    label,
    one_score::{Inputs, checked},
};
use crate::plugin::threads::Threads;
use crate::ranking::rows::RowGroups;
use crate::ranking::tasks::{self, Pool};
use crate::statistics::kinds::{Column, KeyKind, Record, Runs, Summary};
use crate::statistics::options::from_options;

/// Adds a batch to a collection; returns whether it was added. It is rejected if it has too many groups, or
/// if a label is neither 0 nor 1. The columns are the number of the collection, the keys, the scores, and
/// finally the label.
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
        // An invalid label is reported when all rows are read at once.
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

/// The columns of a call: scores and a label, of which only the dtypes matter, and the number of the
/// collection. If groups are requested, also the keys.
struct Request<'a, T> {
    columns: &'a [T],
    roles: Roles,
    number: &'a T,
    by: Option<&'a T>,
}

impl<'a, T> Request<'a, T> {
    fn new(roles: &Roles, all: &'a [T]) -> Result<Self, String> {
        let index = roles.index("batches", all.len()).ok_or("expected the number of a collection")?;
        let (columns, others) = all.split_at(index);
        let [number, by @ ..] = others else { return Err("expected the number of a collection".into()) };
        let column_roles = roles.0.iter().take_while(|role| *role != "batches");
        Ok(Request { columns, roles: Roles(column_roles.cloned().collect()), number, by: by.first() })
    }
}

/// The planned field, with the name of the column of the collection's number: an array of records, and the
/// keys if groups are requested.
pub fn batch_summaries_field<M: Summary>(inputs: &[Field], call: &Arguments<M>) -> Result<Field, String> {
    let Request { columns, roles, number, by } = Request::new(&call.roles, inputs)?;
    let lists: Vec<Field> = columns.iter().map(list).collect();
    let records = Field { name: number.name.clone(), ..summaries_field_of(&lists, &call.options, &roles)? };
    Ok(match by {
        None => records,
        Some(by) => Field::new(number.name.clone(), Dtype::Struct(vec![by.clone(), records]), true),
    })
}

/// Returns the records of every group of a collection in order, null keys last, followed by a record of all
/// rows without keys. Without keys it returns only the latter. Ends the collection.
pub fn batch_summaries<M: Summary>(inputs: &[Input], call: &Arguments<M>) -> Result<Values, String> {
    let fields: Vec<Field> = inputs.iter().map(|input| input.field.clone()).collect();
    let field = batch_summaries_field(&fields, call)?;
    let request = Request::new(&call.roles, inputs)?;
    let statistic = SummaryStatistic(&call.options);
    let (mut records, mut lookups) = (Vec::new(), None);
    let keys = request.each_score(M::WEIGHTS, &statistic, &mut |group_columns, parts| {
        records.extend(group_columns);
        lookups = lookups.take().or(parts.first().map(ScoreGroups::lookups));
        records.push(Threads.install(|| ScoreGroups::record_of_parts(parts))?.columns);
        Ok(())
    })?;
    let scores = request.columns.len() - 1;
    let rows = 1 + keys.as_ref().map_or(0, |keys| keys.len());
    let in_turn = Runs::in_turn(scores, rows);
    let columns = Threads.install(|| Column::rows_of(records, &in_turn));
    let records = columns::structs(statistic.fields(), columns, &lookups.ok_or("expected a score")?)?;
    let records = columns::arrays(records, scores, rows)?;
    let Some(keys) = keys else { return Ok(Values { field, array: records }) };
    let with_none: Vec<u32> = (0..keys.len() as u32).chain([NOWHERE]).collect();
    let arrays = vec![gathered(keys.as_ref(), &with_none)?, records];
    Ok(Values { array: columns::struct_of(field.dtype.clone(), rows, arrays)?, field })
}

/// The planned field of the records of groups, whose dtypes may differ between scores: the keys, and a record
/// under the name of each score.
pub fn groups_of_batches_field<M: Summary>(inputs: &[Field], call: &Arguments<M>) -> Result<Field, String> {
    let Request { columns, number, by, .. } = Request::new(&call.roles, inputs)?;
    let (Some(by), [scores @ .., label]) = (by, columns) else {
        return Err("expected scores, a label, and keys".into());
    };
    let record = |score: &Field| {
        let dtypes = checked(&[&list(score), &list(label)], Inputs::Rows, M::WEIGHTS)?;
        let dtype = columns::record_dtype(M::Record::FIELDS, &dtypes);
        Ok(Field::new(score.name.clone(), dtype, true))
    };
    let fields = std::iter::once(Ok(by.clone())).chain(scores.iter().map(record));
    let fields = fields.collect::<Result<Vec<Field>, String>>()?;
    Ok(Field::new(number.name.clone(), Dtype::Struct(fields), true))
}

/// Returns the records of every group of a collection in order, null keys last. Ends the collection.
pub fn groups_of_batches<M: Summary>(inputs: &[Input], call: &Arguments<M>) -> Result<Values, String> {
    let fields: Vec<Field> = inputs.iter().map(|input| input.field.clone()).collect();
    let field = groups_of_batches_field(&fields, call)?;
    let statistic = SummaryStatistic(&call.options);
    let mut records = Vec::new();
    let keys = Request::new(&call.roles, inputs)?.each_score(
        M::WEIGHTS,
        &statistic,
        &mut |group_columns, parts| {
            let lookups = parts.first().ok_or("expected rows")?.lookups();
            records.push(columns::structs(statistic.fields(), Column::joined(group_columns), &lookups)?);
            Ok(())
        },
    )?;
    let keys = keys.ok_or("expected keys")?;
    let rows = keys.len();
    let arrays = std::iter::once(keys).chain(records).collect();
    Ok(Values { array: columns::struct_of(field.dtype.clone(), rows, arrays)?, field })
}

/// A List column of this field.
fn list(column: &Field) -> Field {
    Field::new(column.name.clone(), columns::list_of(column.dtype.clone()), true)
}

/// A consumer of the records of the groups of a score, and of its parts.
type PerScore<'s> = &'s mut dyn FnMut(Vec<Vec<Column>>, Vec<ScoreGroups<'_>>) -> Result<(), String>;

impl Request<'_, Input> {
    /// Takes the collection and returns the keys of its groups, if any. For each score, the consumer gets the
    /// records of groups and the parts with all rows.
    fn each_score(
        &self,
        weights: bool,
        statistic: &dyn Statistic,
        per_score: PerScore<'_>,
    ) -> Result<Option<Box<dyn Array>>, String> {
        let [scores @ .., label] = self.columns else { return Err("expected scores and a label".into()) };
        let mut batches = batches::take(batches::number(self.number)?)?;
        let (keys, pieces) = self.by.map(|by| groups_of(&batches, by)).transpose()?.unzip();
        let labels = batches.iter_mut().filter_map(|batch| batch.columns.pop());
        let labels: Vec<Input> = labels.map(|labels| input(&label.field, labels)).collect();
        let mut batch_columns: Vec<_> = batches.into_iter().map(|batch| batch.columns.into_iter()).collect();
        for score in scores {
            // The lists of a score are freed before the next one is read.
            let part = |(columns, labels): (&mut std::vec::IntoIter<ListArray<i64>>, &Input)| {
                let scores = input(&score.field, columns.next().ok_or("a batch without a score")?);
                ScoreGroups::read(&[&scores, labels], Inputs::Rows, weights, Form::Record, statistic)
            };
            let parts =
                batch_columns.iter_mut().zip(&labels).map(part).collect::<Result<Vec<_>, String>>()?;
            let group_columns = pieces.as_ref().map_or(Ok(Vec::new()), |pieces| records(&parts, pieces))?;
            per_score(group_columns, parts)?;
        }
        Ok(keys)
    }
}

/// The records of groups, in parts.
fn records(parts: &[ScoreGroups<'_>], pieces: &Pieces) -> Result<Vec<Vec<Column>>, String> {
    let size = |group: usize| pieces.rows[group];
    let group_columns = tasks::run(&Threads, pieces.rows.len(), 1, &size, &|groups: Range<usize>| {
        ScoreGroups::records_in_parts(parts, groups, &|group| pieces.group(group))
    });
    group_columns.into_iter().map(|filled| Ok(filled?.columns)).collect()
}

/// The number of groups of a collection.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
pub fn number_of_groups(collection: u64) -> Result<usize, String> {
    let keys = batches::keys(collection)?;
    let Some(first) = keys.first() else { return Ok(0) };
    let field = Field::new("by".into(), first.dtype().clone(), true);
    let keys = Values { field, array: concatenated(&keys)? };
    Ok(KeyCodes::read("by", &keys, KeyKind::MissingLast)?.values.array.len())
}

/// The distinct keys of all batches in order, and the pieces of their groups.
fn groups_of(batches: &[Batch], by: &Input) -> Result<(Box<dyn Array>, Pieces), String> {
    let keys: Vec<Box<dyn Array>> = batches.iter().map(|batch| batch.keys.clone()).collect();
    let keys = Values { field: by.field.clone(), array: concatenated(&keys)? };
    let KeyCodes { codes, values, .. } = KeyCodes::read("by", &keys, KeyKind::MissingLast)?;
    let pieces = Pieces::new(batches, codes, values.array.len());
    Ok((values.array, pieces))
}

/// A column of lists with a name.
fn input(field: &Field, lists: ListArray<i64>) -> Input {
    Input { field: Field::new(field.name.clone(), lists.dtype().clone(), true), chunks: vec![lists.boxed()] }
}

/// The positions of each group's rows in all batches.
struct Pieces {
    /// A batch and the index of the group in it, sorted by group.
    pieces: Vec<(u32, u32)>,
    /// The start of the pieces of each group, and the end of the last one.
    borders: Vec<usize>,
    /// The number of rows of each group.
    rows: Vec<usize>,
}

impl Pieces {
    /// The pieces of `groups` groups; `codes` are the groups of the keys of all batches.
    fn new(batches: &[Batch], codes: Vec<u32>, groups: usize) -> Self {
        let mut rows = vec![0; groups];
        let lengths = batches.iter().flat_map(|batch| batch.columns[0].offsets().lengths());
        lengths.zip(&codes).for_each(|(length, &group)| rows[group as usize] += length);
        let batch_pieces = |(batch, batch_rows): (u32, &Batch)| {
            (0..batch_rows.keys.len() as u32).map(move |index| (batch, index))
        };
        let pieces: Vec<(u32, u32)> = (0..).zip(batches).flat_map(batch_pieces).collect();
        Threads.install(|| {
            let groups = RowGroups::new(codes.into(), groups, rayon::current_num_threads());
            Pieces { pieces: groups.by_group(&pieces), borders: groups.borders().to_vec(), rows }
        })
    }

    fn group(&self, group: usize) -> &[(u32, u32)] {
        &self.pieces[self.borders[group]..self.borders[group + 1]]
    }
}
