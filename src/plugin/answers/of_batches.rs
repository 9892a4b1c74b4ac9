//! From batches of rows to an array of records for each group, and to one for all rows.

use std::ops::Range;

use arrow::array::{Array, BooleanArray, ListArray, StructArray};
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use arrow::offset::OffsetsBuffer;

use super::columns;
use super::conversion::Conversion;
use super::each_score::summaries_of;
use super::group_lists::{key_codes, lists};
use super::one_score::{Form, OfSummary, ScoreGroups, Statistic};
use super::planned::summaries_field_of;
use crate::interrupt;
use crate::plugin::abi::{
    arguments::{Arguments, Roles},
    ffi::Input,
};
use crate::plugin::arrays::{
    downcast::message,
    values::{Values, concatenated},
};
use crate::plugin::batches::{self, Batch};
use crate::plugin::inputs::{keys::KeyCodes, label, one_score::Inputs};
use crate::plugin::threads::Threads;
use crate::ranking::SHARD_ROWS;
use crate::ranking::rows::RowGroups;
use crate::ranking::tasks::{self, Pool};
use crate::statistics::kinds::{Column, KeyKind, Summary};
use crate::statistics::options::from_options;

/// Rows that are put together for their groups at a time, beside those of the batches.
const ROWS_AT_A_TIME: usize = 1 << 22;

/// Adds a batch to a collection, and says whether it was added: not if its groups are too many. The columns are the number of
/// the collection, the keys, the scores, and the label last.
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
        let (truths, validity) = label::bits("label", &rows)?;
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
        Ok(Values::new(&number.field.name, BooleanArray::from_slice([has_room]).boxed()))
    }
}

/// The columns of a call: scores and a label, the number of the collection, and the keys if groups are asked for. Only those
/// of the number are read, and the dtypes of the others.
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

/// The planned field, which is named as the number of the collection is: an array of records, and beside it the keys if
/// groups are asked for.
pub fn of_batches_field<M: Summary>(inputs: &[Field], call: &Arguments<M>) -> Result<Field, String> {
    let Asked { columns, roles, number, by } = Asked::of(&call.roles, inputs)?;
    let lists: Vec<Field> = columns.iter().map(list_field).collect();
    let records = Field { name: number.name.clone(), ..summaries_field_of(&lists, &call.options, &roles)? };
    Ok(match by {
        None => records,
        Some(by) => Field::new(number.name.clone(), Dtype::Struct(vec![by.clone(), records]), true),
    })
}

/// Answers every group of a collection in order, those whose keys are missing last; or all rows together, which ends the
/// collection.
pub fn of_batches<M: Summary>(inputs: &[Input], call: &Arguments<M>) -> Result<Values, String> {
    let fields: Vec<Field> = inputs.iter().map(|input| input.field.clone()).collect();
    let field = of_batches_field(&fields, call)?;
    let Asked { columns, roles, number, by } = Asked::of(&call.roles, inputs)?;
    let lists: Vec<Field> = columns.iter().map(|column| list_field(&column.field)).collect();
    let number = batches::number(number)?;
    let array = match by {
        None => of_all_rows(batches::taken(number)?, &lists, &call.options, &roles)?.array,
        Some(by) => {
            let (keys, records) = of_groups(&batches::all(number)?, by, &lists, &call.options, &roles)?;
            let (groups, arrays) = (keys.len(), vec![keys, records]);
            StructArray::try_new(field.dtype.clone(), groups, arrays, None).map_err(message)?.boxed()
        }
    };
    Ok(Values { field, array })
}

fn list_field(column: &Field) -> Field {
    Field::new(column.name.clone(), columns::list_of(column.dtype.clone()), true)
}

/// Where the rows of each group of all batches are.
struct Runs<'a> {
    batches: &'a [Batch],
    /// A batch, and the place of a group in it; group after group.
    runs: Vec<(u32, u32)>,
    /// Where the runs of each group begin, and those of the last one end.
    borders: Vec<usize>,
}

impl<'a> Runs<'a> {
    /// Those of the groups of all batches, which are coded in this order.
    fn of(batches: &'a [Batch], codes: Vec<u32>, groups: usize) -> Self {
        let of_batch =
            |(batch, own): (u32, &Batch)| (0..own.keys.len() as u32).map(move |place| (batch, place));
        let runs: Vec<(u32, u32)> = (0..).zip(batches).flat_map(of_batch).collect();
        Threads.install(|| {
            let groups = RowGroups::of(codes.into(), groups, rayon::current_num_threads());
            Runs { batches, runs: groups.by_group(&runs), borders: groups.borders().to_vec() }
        })
    }

    fn of_group(&self, group: usize) -> impl Iterator<Item = (&'a Batch, usize)> {
        let runs = &self.runs[self.borders[group]..self.borders[group + 1]];
        runs.iter().map(|&(batch, place)| (&self.batches[batch as usize], place as usize))
    }

    /// The rows of a group.
    fn rows(&self, group: usize) -> usize {
        self.of_group(group).map(|(batch, place)| batch.columns[0].offsets().length_at(place)).sum()
    }

    /// The lists of a column for some groups.
    fn lists(&self, groups: Range<usize>, place: usize, field: &Field) -> Result<Input, String> {
        interrupt::check();
        let mut borders = vec![0];
        let mut values = Vec::new();
        for group in groups {
            values.extend(self.of_group(group).map(|(batch, own)| batch.columns[place].value(own)));
            borders.push(borders[borders.len() - 1] + self.rows(group) as i64);
        }
        input(field, OffsetsBuffer::try_from(borders).map_err(message)?, concatenated(&values)?)
    }

    /// The groups in ranges of about so many rows each, or of one group.
    fn ranges(&self, rows: usize) -> Vec<Range<usize>> {
        let (mut ranges, mut first, mut so_far) = (Vec::new(), 0, 0);
        let groups = self.borders.len() - 1;
        for group in 0..groups {
            so_far += self.rows(group);
            if so_far >= rows || group + 1 == groups {
                ranges.push(first..group + 1);
                (first, so_far) = (group + 1, 0);
            }
        }
        ranges
    }
}

fn of_groups<M: Summary>(
    batches: &[Batch],
    by: &Input,
    lists: &[Field],
    options: &M,
    roles: &Roles,
) -> Result<(Box<dyn Array>, Box<dyn Array>), String> {
    let keys: Vec<Box<dyn Array>> = batches.iter().map(|batch| batch.keys.clone()).collect();
    let keys = Values { field: by.field.clone(), array: concatenated(&keys)? };
    let KeyCodes { codes, values, .. } = KeyCodes::read("by", &keys, KeyKind::MissingLast)?;
    let runs = Runs::of(batches, codes, values.array.len());
    let mut records = Vec::new();
    for range in runs.ranges(ROWS_AT_A_TIME) {
        let size = |group| runs.rows(range.start + group);
        let parts: Vec<Result<_, String>> =
            tasks::run(&Threads, range.len(), 1, &size, &|groups: Range<usize>| {
                let groups = range.start + groups.start..range.start + groups.end;
                let list = |(place, field)| runs.lists(groups.clone(), place, field);
                let lists = lists.iter().enumerate().map(list).collect::<Result<Vec<_>, String>>()?;
                Ok(summaries_of(&lists, options, roles)?.array)
            });
        for part in parts {
            records.push(part?);
        }
    }
    Ok((values.array, concatenated(&records)?))
}

fn of_all_rows<M: Summary>(
    mut batches: Vec<Batch>,
    lists: &[Field],
    options: &M,
    roles: &Roles,
) -> Result<Values, String> {
    let answer = OfSummary(options);
    let rows: usize = batches.iter().map(Batch::rows).sum();
    let [scores @ .., label] = lists else { return Err("expected scores and a label".into()) };
    if rows < SHARD_ROWS || batches.len() == 1 {
        let list = |(place, field): (usize, &Field)| {
            let values = batches.iter().map(|batch| batch.columns[place].values().clone());
            one_list(field, concatenated(&values.collect::<Vec<_>>())?)
        };
        let lists = lists.iter().enumerate().map(list).collect::<Result<Vec<_>, String>>()?;
        return summaries_of(&lists, options, roles);
    }
    let values = |list: ListArray<i64>| list.values().clone();
    let labels: Vec<_> = batches.iter_mut().filter_map(|batch| batch.columns.pop().map(values)).collect();
    let labels = labels.into_iter().map(|labels| one_list(label, labels)).collect::<Result<Vec<_>, _>>()?;
    // The scores of a batch are freed as soon as they are in their shards.
    let mut columns: Vec<_> =
        batches.into_iter().map(|batch| batch.columns.into_iter().map(values)).collect();
    let (mut records, mut lookups) = (Vec::new(), None);
    for score in scores {
        let of_batch = |(columns, labels): (&mut _, &Input)| {
            let values = Iterator::next(columns).ok_or("a batch without a score")?;
            let score = one_list(score, values)?;
            ScoreGroups::read(&[&score, labels], Inputs::Rows, M::WEIGHTS, Form::Record, &answer)
        };
        let parts = columns.iter_mut().zip(&labels).map(of_batch).collect::<Result<Vec<_>, String>>()?;
        let (filled, of_score) = Threads.install(|| ScoreGroups::record_of_parts(parts))?;
        records.push(filled.columns);
        lookups = lookups.or(Some(of_score));
    }
    let records =
        columns::structs(answer.fields(), Column::joined(records), &lookups.ok_or("expected a score")?)?;
    Ok(Values::new(&scores[0].name, columns::arrays(records, scores.len(), 1)?))
}

/// A column of one list, which has all these values.
fn one_list(field: &Field, values: Box<dyn Array>) -> Result<Input, String> {
    input(field, OffsetsBuffer::try_from(vec![0, values.len() as i64]).map_err(message)?, values)
}

/// A column of lists of these values.
fn input(field: &Field, borders: OffsetsBuffer<i64>, values: Box<dyn Array>) -> Result<Input, String> {
    let list = ListArray::<i64>::try_new(columns::list_of(values.dtype().clone()), borders, values, None);
    let list = list.map_err(message)?;
    Ok(Input {
        field: Field::new(field.name.clone(), list.dtype().clone(), true),
        chunks: vec![list.boxed()],
    })
}
