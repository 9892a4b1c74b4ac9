//! Columns of records: the kinds of fields, and appending to columns.

use rayon::prelude::*;

use crate::memory;
use crate::ranking::scores::{Keys, Width};
use crate::ranking::tasks;

/// From this number of rows, the columns of a part are appended by several threads: page faults dominate the
/// time.
const MANY_ROWS: usize = 1 << 12;

/// The maximum number of items reserved for a list column before their number is known. For states, these are
/// bins of about 100 MB, or of 170 MB with weights.
const MAX_ITEMS_AHEAD: usize = 1 << 22;

/// The kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A 64-bit float.
    Number,
    /// An unsigned 64-bit count.
    Count,
    /// A count of rows or, if rows have weights, the sum of their weights.
    Mass,
    /// A count of rows or, if rows have weights, the exact sum of their weights, as a decimal number.
    Sum,
    /// The exact sum of squared weights, as a decimal number; absent if rows have no weights.
    Squares,
    /// A boolean.
    Truth,
    /// A score of the group, in the type of the scores.
    Threshold,
    /// One of the statistic's words.
    Word,
    /// The name of a score column, or of its class.
    Name,
    /// A value of the key column, such as a segment.
    Key,
    /// A list of 64-bit floats.
    Numbers,
    /// A list of records.
    Records(&'static [Field]),
}

/// The name and the kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name, the same in every language.
    pub name: &'static str,
    /// The kind.
    pub kind: FieldKind,
}

/// The values of one field over many records.
#[derive(Debug)]
pub enum Column {
    /// 64-bit floats.
    Number(Nullable<f64>),
    /// Counts.
    Count(Nullable<u64>),
    /// Counts, or the bits of sums of weights.
    Mass(Nullable<u64>),
    /// Counts, or exact sums of weights.
    Sum(Sums),
    /// Steps of sums of squared weights; empty if rows have no weights.
    Squares(Nullable<u128>),
    /// Booleans.
    Truth(Nullable<bool>),
    /// Keys of scores.
    Threshold(Thresholds),
    /// Words.
    Word(Nullable<&'static str>),
    /// Indices of score columns.
    Name(Nullable<u32>),
    /// Codes of keys.
    Key(Nullable<u32>),
    /// Lists of 64-bit floats.
    Numbers(Lists<Vec<f64>>),
    /// Lists of records, their fields as columns.
    Records(Lists<Vec<Column>>),
}

/// Nullable lists, concatenated.
#[derive(Debug)]
pub struct Lists<T> {
    /// The end of each list among the items.
    pub ends: Nullable<u64>,
    /// The items of all lists.
    pub items: T,
}

/// Counts, or exact sums of weights: never both.
#[derive(Debug, Default)]
pub struct Sums {
    /// Rows, if they have no weights.
    pub counts: Vec<u64>,
    /// Steps of weights; see [`weight_sums`](crate::states::weight_sums).
    pub steps: Vec<u128>,
}

/// Nullable values.
#[derive(Debug)]
pub struct Nullable<T> {
    /// A value for each row; unspecified for null.
    pub values: Vec<T>,
    /// The validity of each value; empty if all are valid.
    pub present: Vec<bool>,
}

/// Nullable keys of scores.
#[derive(Debug)]
pub struct Thresholds {
    /// A key for each row; unspecified for null.
    pub keys: Keys,
    /// The validity of each key; empty if all are valid.
    pub present: Vec<bool>,
}

impl<T: Copy + Default> Nullable<T> {
    fn with_capacity(rows: usize) -> Self {
        Nullable { values: Vec::with_capacity(rows), present: Vec::new() }
    }

    #[inline]
    pub(in crate::statistics) fn push(&mut self, value: Option<T>) {
        mark(&mut self.present, value.is_some(), (self.values.len(), self.values.capacity()));
        self.values.push(value.unwrap_or_default());
    }

    /// Appends several values. Nulls are rare, so the values are first checked for them.
    #[inline]
    pub(in crate::statistics) fn push_each(&mut self, values: impl Iterator<Item = Option<T>> + Clone) {
        if self.present.is_empty() && values.clone().all(|value| value.is_some()) {
            self.values.extend(values.map(Option::unwrap_or_default));
        } else {
            values.for_each(|value| self.push(value));
        }
    }

    fn extend(&mut self, more: Self) {
        mark_more(&mut self.present, &more.present, (self.values.len(), more.values.len()));
        self.values.extend_from_slice(&more.values);
    }
}

impl Thresholds {
    fn with_capacity(width: Width, rows: usize) -> Self {
        Thresholds { keys: Keys::with_capacity(width, rows), present: Vec::new() }
    }

    #[inline]
    pub(in crate::statistics) fn push(&mut self, key: Option<u128>) {
        mark(&mut self.present, key.is_some(), (self.keys.len(), self.keys.capacity()));
        self.keys.push(key.unwrap_or_default());
    }

    /// Appends several keys.
    #[inline]
    pub(in crate::statistics) fn push_each(&mut self, keys: impl Iterator<Item = Option<u128>> + Clone) {
        if !self.present.is_empty() || keys.clone().any(|key| key.is_none()) {
            self.present.resize(self.keys.len(), true);
            self.present.extend(keys.clone().map(|key| key.is_some()));
        }
        self.keys.extend_wide(keys.map(Option::unwrap_or_default));
    }

    fn extend(&mut self, more: Self) {
        mark_more(&mut self.present, &more.present, (self.keys.len(), more.keys.len()));
        self.keys.extend(&more.keys);
    }
}

/// Sets the validity of the next row after `rows` rows; `room` is the capacity for more.
#[inline]
fn mark(present: &mut Vec<bool>, is_present: bool, (rows, room): (usize, usize)) {
    if is_present && present.is_empty() {
        return;
    }
    if present.is_empty() {
        present.resize(rows, true);
        present.reserve(room - rows);
    }
    present.push(is_present);
}

/// Appends the validity of further rows.
fn mark_more(present: &mut Vec<bool>, further: &[bool], (rows, more): (usize, usize)) {
    if !(present.is_empty() && further.is_empty()) {
        present.resize(rows, true);
        present.extend_from_slice(further);
        present.resize(rows + more, true);
    }
}

impl<T> Lists<T> {
    /// Closes a list at `items` items in total, possibly as null.
    pub(in crate::statistics) fn close(&mut self, items: usize, present: bool) {
        self.ends.values.push(items as u64);
        if !present && self.ends.present.is_empty() {
            self.ends.present.resize(self.ends.values.len() - 1, true);
        }
        if !present || !self.ends.present.is_empty() {
            self.ends.present.push(present);
        }
    }

    /// Appends other lists, whose items follow the `before` items here.
    fn extend(&mut self, mut more: Nullable<u64>, before: usize) {
        more.values.iter_mut().for_each(|end| *end += before as u64);
        self.ends.extend(more);
    }
}

impl Column {
    /// Empty columns for the fields of a record, with capacity for `rows` records and keys of this width.
    pub fn all_of(fields: &[Field], width: Width, rows: usize) -> Vec<Self> {
        fields
            .iter()
            .map(|field| match field.kind {
                FieldKind::Number => Column::Number(Nullable::with_capacity(rows)),
                FieldKind::Count => Column::Count(Nullable::with_capacity(rows)),
                FieldKind::Mass => Column::Mass(Nullable::with_capacity(rows)),
                FieldKind::Sum => Column::Sum(Sums::default()),
                FieldKind::Squares => Column::Squares(Nullable::with_capacity(0)),
                FieldKind::Truth => Column::Truth(Nullable::with_capacity(rows)),
                FieldKind::Threshold => Column::Threshold(Thresholds::with_capacity(width, rows)),
                FieldKind::Word => Column::Word(Nullable::with_capacity(rows)),
                FieldKind::Name => Column::Name(Nullable::with_capacity(rows)),
                FieldKind::Key => Column::Key(Nullable::with_capacity(rows)),
                FieldKind::Numbers => {
                    Column::Numbers(Lists { ends: Nullable::with_capacity(rows), items: Vec::new() })
                }
                FieldKind::Records(fields) => {
                    let items = Column::all_of(fields, width, rows);
                    Column::Records(Lists { ends: Nullable::with_capacity(rows), items })
                }
            })
            .collect()
    }

    /// Appends the rows of another column of the same field.
    pub fn extend(&mut self, more: Self) {
        match (self, more) {
            (Column::Number(rows), Column::Number(more)) => rows.extend(more),
            (Column::Count(rows), Column::Count(more)) | (Column::Mass(rows), Column::Mass(more)) => {
                rows.extend(more);
            }
            (Column::Sum(rows), Column::Sum(more)) => {
                rows.counts.extend(more.counts);
                rows.steps.extend(more.steps);
            }
            (Column::Squares(rows), Column::Squares(more)) => rows.extend(more),
            (Column::Truth(rows), Column::Truth(more)) => rows.extend(more),
            (Column::Threshold(rows), Column::Threshold(more)) => rows.extend(more),
            (Column::Word(rows), Column::Word(more)) => rows.extend(more),
            (Column::Name(rows), Column::Name(more)) | (Column::Key(rows), Column::Key(more)) => {
                rows.extend(more)
            }
            (Column::Numbers(lists), Column::Numbers(more)) => {
                lists.extend(more.ends, lists.items.len());
                lists.items.extend(more.items);
            }
            (Column::Records(lists), Column::Records(more)) => {
                lists.extend(more.ends, lists.items.first().map_or(0, Column::len));
                Column::extend_all(&mut lists.items, more.items);
            }
            _ => unreachable!("columns of one field have one kind"),
        }
    }

    /// Concatenates the columns of one record that were filled in parts.
    pub fn joined(parts: Vec<Vec<Self>>) -> Vec<Self> {
        let mut parts = parts.into_iter();
        let mut columns = parts.next().unwrap_or_default();
        let more: Vec<Vec<Self>> = parts.collect();
        Column::reserve_for(&mut columns, &more.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for part in more {
            Column::extend_all(&mut columns, part);
        }
        columns
    }

    /// Reserves capacity for the rows of other columns of the same record, so that none is moved twice.
    fn reserve_for(columns: &mut [Self], more: &[&[Self]]) {
        for (index, column) in columns.iter_mut().enumerate() {
            let parts = more.iter().map(|part| &part[index]);
            if let Column::Records(lists) = column {
                let items = parts.filter_map(Column::items).collect::<Vec<_>>();
                Column::reserve_for(&mut lists.items, &items);
            } else {
                column.reserve(parts.map(Column::len).sum());
            }
        }
    }

    /// The columns of a list of records.
    fn items(&self) -> Option<&[Self]> {
        if let Column::Records(lists) = self { Some(&lists.items) } else { None }
    }

    fn reserve(&mut self, rows: usize) {
        match self {
            Column::Number(filled) => memory::reserve(&mut filled.values, rows),
            Column::Count(filled) | Column::Mass(filled) => memory::reserve(&mut filled.values, rows),
            Column::Threshold(filled) => filled.keys.reserve(rows),
            Column::Sum(sums) if sums.steps.is_empty() => memory::reserve(&mut sums.counts, rows),
            Column::Sum(sums) => memory::reserve(&mut sums.steps, rows),
            _ => {}
        }
    }

    /// Appends the rows of other columns of the same record; many rows use all threads of a pool.
    #[allow(clippy::ptr_arg)]
    pub fn extend_all(columns: &mut Vec<Self>, more: Vec<Self>) {
        if more.first().is_some_and(|column| column.len() >= MANY_ROWS) && tasks::in_pool() {
            columns.par_iter_mut().zip(more).for_each(|(column, more)| column.extend(more));
        } else {
            columns.iter_mut().zip(more).for_each(|(column, more)| column.extend(more));
        }
    }

    /// Reserves capacity for more rows of numbers, if an upper bound of their number is known. Otherwise a
    /// growing column would be copied, and be in memory twice for a while.
    pub fn reserve_all(columns: &mut [Self], rows: usize) {
        columns.iter_mut().for_each(|column| column.reserve(rows));
    }

    /// Reserves capacity for more rows with lists of the current mean length. The number of items is limited,
    /// because the next lists may be much shorter.
    pub fn reserve_alike(columns: &mut [Self], rows: usize) {
        for column in columns {
            match column {
                Column::Records(lists) if !lists.ends.values.is_empty() => {
                    let items = lists.items.first().map_or(0, Column::len);
                    let more = items.saturating_mul(rows) / lists.ends.values.len();
                    Column::reserve_all(&mut lists.items, more.min(MAX_ITEMS_AHEAD));
                }
                column => column.reserve(rows),
            }
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Number(rows) => rows.values.len(),
            Column::Count(rows) | Column::Mass(rows) => rows.values.len(),
            Column::Sum(rows) => rows.counts.len().max(rows.steps.len()),
            Column::Squares(rows) => rows.values.len(),
            Column::Truth(rows) => rows.values.len(),
            Column::Threshold(rows) => rows.keys.len(),
            Column::Word(rows) => rows.values.len(),
            Column::Name(rows) | Column::Key(rows) => rows.values.len(),
            Column::Numbers(lists) => lists.ends.values.len(),
            Column::Records(lists) => lists.ends.values.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
