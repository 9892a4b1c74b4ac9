//! Records as columns: the answers of a statistic, field by field.
//!
//! A statistic declares its record once with the macro `record!`; the
//! field names, their kinds and the way into columns follow from that declaration.

use crate::ranking::{Keys, Unit, Width};

/// What a field holds.
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
    /// A truth value.
    Truth,
    /// A score of the group, in the score's own type.
    Threshold,
    /// A word of the statistic's own.
    Word,
    /// The name of one of the score columns, or of the class that it is for.
    Name,
    /// A value of the key column, such as a segment.
    Key,
    /// A list of 64-bit floats.
    Numbers,
    /// A list of records.
    Records(&'static [Field]),
}

/// The name of a field and what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name, the same in every language.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
}

/// The answer of a statistic: named fields of known kinds.
pub trait Record {
    /// The fields, in order.
    const FIELDS: &'static [Field];

    /// Appends each field to the column of its place.
    fn append(self, columns: &mut [Column]);
}

/// One field of many records.
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
    /// Truth values.
    Truth(Nullable<bool>),
    /// Keys of scores.
    Threshold(Thresholds),
    /// Words.
    Word(Nullable<&'static str>),
    /// Places of score columns.
    Name(Nullable<u32>),
    /// Codes of keys.
    Key(Nullable<u32>),
    /// Lists of 64-bit floats.
    Numbers(Lists<Vec<f64>>),
    /// Lists of records, their fields as columns.
    Records(Lists<Vec<Column>>),
}

/// Lists of which some may be missing, one after the other.
#[derive(Debug)]
pub struct Lists<T> {
    /// Where each list ends among the items.
    pub ends: Nullable<u64>,
    /// The items of all lists.
    pub items: T,
}

/// Counts, or exact sums of weights: never both.
#[derive(Debug, Default)]
pub struct Sums {
    /// Rows, if they have no weights.
    pub counts: Vec<u64>,
    /// Steps of weights; see [`weighted_state`](crate::ranking::weighted_state).
    pub steps: Vec<u128>,
}

/// Values of which some may be missing.
#[derive(Debug)]
pub struct Nullable<T> {
    /// A value for each row; where it is missing, any value.
    pub values: Vec<T>,
    /// Which values are there; empty as long as all are.
    pub present: Vec<bool>,
}

/// Keys of scores of which some may be missing.
#[derive(Debug)]
pub struct Thresholds {
    /// A key for each row; where it is missing, any.
    pub keys: Keys,
    /// Which keys are there; empty as long as all are.
    pub present: Vec<bool>,
}

impl<T: Copy + Default> Nullable<T> {
    fn with_capacity(rows: usize) -> Self {
        Nullable { values: Vec::with_capacity(rows), present: Vec::new() }
    }

    #[inline]
    fn push(&mut self, value: Option<T>) {
        mark(&mut self.present, value.is_some(), (self.values.len(), self.values.capacity()));
        self.values.push(value.unwrap_or_default());
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
    fn push(&mut self, key: Option<u128>) {
        mark(&mut self.present, key.is_some(), (self.keys.len(), self.keys.capacity()));
        self.keys.push(key.unwrap_or_default());
    }

    fn extend(&mut self, more: Self) {
        mark_more(&mut self.present, &more.present, (self.keys.len(), more.keys.len()));
        self.keys.extend(&more.keys);
    }
}

/// Marks the next row as present or missing, after so many rows and with room for more.
#[inline]
fn mark(present: &mut Vec<bool>, is_there: bool, (rows, room): (usize, usize)) {
    if is_there && present.is_empty() {
        return;
    }
    if present.is_empty() {
        present.resize(rows, true);
        present.reserve(room - rows);
    }
    present.push(is_there);
}

/// Appends the marks of further rows to those of the rows before.
fn mark_more(present: &mut Vec<bool>, further: &[bool], (rows, more): (usize, usize)) {
    if !(present.is_empty() && further.is_empty()) {
        present.resize(rows, true);
        present.extend_from_slice(further);
        present.resize(rows + more, true);
    }
}

impl<T> Lists<T> {
    /// Closes a list after `items` items in all, or says that it is missing.
    pub(super) fn close(&mut self, items: usize, present: bool) {
        self.ends.values.push(items as u64);
        if !present && self.ends.present.is_empty() {
            self.ends.present.resize(self.ends.values.len() - 1, true);
        }
        if !present || !self.ends.present.is_empty() {
            self.ends.present.push(present);
        }
    }

    /// Appends other lists, whose items are to be put behind the `before` items here.
    fn extend(&mut self, mut more: Nullable<u64>, before: usize) {
        more.values.iter_mut().for_each(|end| *end += before as u64);
        self.ends.extend(more);
    }
}

impl Column {
    /// Empty columns for the fields of a record, with room for `rows` records, of scores with keys of a width.
    pub fn all_of(fields: &[Field], width: Width, rows: usize) -> Vec<Self> {
        fields
            .iter()
            .map(|field| match field.kind {
                FieldKind::Number => Column::Number(Nullable::with_capacity(rows)),
                FieldKind::Count => Column::Count(Nullable::with_capacity(rows)),
                FieldKind::Mass => Column::Mass(Nullable::with_capacity(rows)),
                FieldKind::Sum => Column::Sum(Sums::default()),
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

    /// Appends the rows of other columns of the same record.
    #[allow(clippy::ptr_arg)]
    pub fn extend_all(columns: &mut Vec<Self>, more: Vec<Self>) {
        for (column, more) in columns.iter_mut().zip(more) {
            column.extend(more);
        }
    }

    /// Makes room for so many more rows of numbers, if an upper bound of their number is known. Without it, a column
    /// that grows is copied, and is in memory twice for a while.
    pub fn reserve_all(columns: &mut [Self], rows: usize) {
        fn reserve<T>(values: &mut Vec<T>, rows: usize) {
            // The room is exact for the first group only. If it were exact for later groups, each would move all rows.
            if values.is_empty() { values.reserve_exact(rows) } else { values.reserve(rows) }
        }
        for column in columns {
            match column {
                Column::Number(filled) => reserve(&mut filled.values, rows),
                Column::Count(filled) | Column::Mass(filled) => reserve(&mut filled.values, rows),
                Column::Threshold(filled) => filled.keys.reserve(rows),
                _ => {}
            }
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Column::Number(rows) => rows.values.len(),
            Column::Count(rows) | Column::Mass(rows) => rows.values.len(),
            Column::Sum(rows) => rows.counts.len().max(rows.steps.len()),
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

/// A score that a record names, by its key, widened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold(pub u128);

/// A count of rows, or the bits of a sum of weights. All masses of an answer are of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mass(pub u64);

impl Mass {
    /// Rows, or units if there are weights.
    #[inline]
    pub fn of(count: u64, unit: Option<Unit>) -> Self {
        Mass(unit.map_or(count, |unit| unit.weight(count).to_bits()))
    }
}

/// The place of a score column, whose name or class the record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name(pub u32);

/// The code of a key, whose value the record tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyCode(pub u32);

/// Records in a field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Many<R>(pub Vec<R>);

/// A value that can stand in a record.
pub trait Value {
    /// What the field holds.
    const KIND: FieldKind;

    /// The value of the field in a group that has a NaN score.
    const NAN: Self;

    /// The value of the field in a group where it is undefined: null, or a count of 0.
    const UNDEFINED: Self;

    /// Appends the value to its column.
    fn append(self, column: &mut Column);
}

macro_rules! values {
    ($($value:ty: $kind:ident, nan $nan:expr, undefined $undefined:expr, as $this:ident => $into:expr;)*) => {$(
        impl Value for $value {
            const KIND: FieldKind = FieldKind::$kind;
            const NAN: Self = $nan;
            const UNDEFINED: Self = $undefined;

            #[inline]
            fn append(self, column: &mut Column) {
                let $this = self;
                match column {
                    Column::$kind(rows) => rows.push($into),
                    _ => unreachable!("the column was made for this field"),
                }
            }
        }
    )*};
}
values! {
    f64: Number, nan f64::NAN, undefined f64::NAN, as value => Some(value);
    Option<f64>: Number, nan Some(f64::NAN), undefined None, as value => value;
    u64: Count, nan 0, undefined 0, as count => Some(count);
    Option<u64>: Count, nan None, undefined None, as count => count;
    Mass: Mass, nan Mass(0), undefined Mass(0), as mass => Some(mass.0);
    Option<Mass>: Mass, nan None, undefined None, as mass => mass.map(|mass| mass.0);
    bool: Truth, nan false, undefined false, as truth => Some(truth);
    Option<Threshold>: Threshold, nan Some(Threshold(u128::MAX)), undefined None, as score => score.map(|score| score.0);
    Option<&'static str>: Word, nan None, undefined None, as word => word;
    Name: Name, nan Name(0), undefined Name(0), as name => Some(name.0);
    KeyCode: Key, nan KeyCode(0), undefined KeyCode(0), as key => Some(key.0);
    Option<KeyCode>: Key, nan None, undefined None, as key => key.map(|key| key.0);
}

impl Value for Vec<f64> {
    const KIND: FieldKind = FieldKind::Numbers;
    const NAN: Self = Vec::new();
    const UNDEFINED: Self = Vec::new();

    fn append(self, column: &mut Column) {
        match column {
            Column::Numbers(lists) => {
                lists.items.extend(self);
                lists.close(lists.items.len(), true);
            }
            _ => unreachable!("the column was made for this field"),
        }
    }
}

impl<R: Record> Value for Option<Many<R>> {
    const KIND: FieldKind = FieldKind::Records(R::FIELDS);
    const NAN: Self = None;
    const UNDEFINED: Self = None;

    fn append(self, column: &mut Column) {
        match column {
            Column::Records(lists) => {
                let present = self.is_some();
                for record in self.into_iter().flat_map(|many| many.0) {
                    record.append(&mut lists.items);
                }
                lists.close(lists.items.first().map_or(0, Column::len), present);
            }
            _ => unreachable!("the column was made for this field"),
        }
    }
}

/// A field's name without the mark of a raw identifier, which a keyword such as `fn` needs.
pub(crate) const fn plain(name: &str) -> &str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Declares a record: a struct whose fields are columns, with a `nan` value of it.
macro_rules! record {
    ($(#[$doc:meta])* pub struct $name:ident {
        $($(#[$field_doc:meta])* pub $field:ident: $value:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $value,)*
        }

        impl $name {
            /// The record from its fields, in order.
            #[allow(clippy::too_many_arguments, dead_code)]
            pub(in crate::statistics) fn new($($field: $value),*) -> Self {
                $name { $($field,)* }
            }

            /// The record of a group that cannot be ranked: NaN numbers, counts of 0.
            #[allow(dead_code)]
            pub(in crate::statistics) fn nan() -> Self {
                $name { $($field: <$value as $crate::statistics::record::Value>::NAN,)* }
            }

            /// The record of a group in which everything is undefined: nulls, counts of 0.
            #[allow(dead_code)]
            pub(in crate::statistics) fn undefined() -> Self {
                $name { $($field: <$value as $crate::statistics::record::Value>::UNDEFINED,)* }
            }
        }

        impl $crate::statistics::record::Record for $name {
            const FIELDS: &'static [$crate::statistics::record::Field] = &[$(
                $crate::statistics::record::Field {
                    name: $crate::statistics::record::plain(stringify!($field)),
                    kind: <$value as $crate::statistics::record::Value>::KIND,
                }
            ),*];

            #[inline]
            fn append(self, columns: &mut [$crate::statistics::record::Column]) {
                let mut columns = columns.iter_mut();
                $(if let Some(column) = columns.next() {
                    $crate::statistics::record::Value::append(self.$field, column);
                })*
            }
        }
    };
}
pub(crate) use record;

#[cfg(test)]
mod tests {
    use super::*;

    record! {
        /// A record of every kind.
        pub struct Every {
            /// A number.
            pub number: Option<f64>,
            /// A count.
            pub count: u64,
            /// A score.
            pub score: Option<Threshold>,
        }
    }

    #[test]
    fn rows_land_in_their_columns() {
        let fields = Every::FIELDS;
        assert_eq!(fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["number", "count", "score"]);
        let mut first = Column::all_of(fields, Width::W8, 2);
        Every { number: Some(0.5), count: 3, score: Some(Threshold(9)) }.append(&mut first);
        let mut second = Column::all_of(fields, Width::W8, 2);
        Every { number: None, count: 4, score: None }.append(&mut second);
        Every::nan().append(&mut second);
        for (column, more) in first.iter_mut().zip(second) {
            column.extend(more);
        }
        let [Column::Number(number), Column::Count(count), Column::Threshold(score)] = &first[..] else {
            panic!("three kinds")
        };
        assert_eq!(number.present, [true, false, true]);
        assert!(number.values[2].is_nan());
        assert_eq!((&count.values[..], &count.present[..]), (&[3, 4, 0][..], &[][..]));
        assert_eq!((&score.keys, &score.present[..]), (&Keys::W8(vec![9, 0, 255]), &[true, false, true][..]));
    }
}
