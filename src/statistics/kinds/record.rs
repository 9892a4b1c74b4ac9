//! Records as columns: the results of a statistic, field by field.
//!
//! A statistic declares its record once with the macro `record!`. The field names, their kinds and the
//! conversion to columns follow from that declaration. A field may itself be a record; its columns are then
//! flattened, under their names.

use std::slice::IterMut;

use super::column::{Column, Field, FieldKind};
use crate::ranking::ties::{Count, RowCounts, Ties, Unit};
use crate::statistics::rows::Rows;

/// The result of a statistic: named fields with kinds.
pub trait Record: Value {
    /// The fields, in order.
    const FIELDS: &'static [Field] = Self::COLUMNS;

    /// The number of columns and the sentence of each declared field.
    const SENTENCES: &'static [(usize, &'static str)] = &[];

    /// Appends each field to its column.
    #[inline]
    fn append(self, columns: &mut [Column]) {
        self.write(&mut columns.iter_mut());
    }

    /// Appends several records.
    fn append_all(records: Vec<Self>, columns: &mut [Column]) {
        records.into_iter().for_each(|record| record.append(columns));
    }
}

/// A score in a record, as its widened key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold(pub u128);

/// A count of rows, or the bits of a sum of weights. All masses of a result are of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mass(pub u64);

impl Mass {
    /// Rows, or units if there are weights.
    #[inline]
    pub fn new(count: u64, unit: Option<Unit>) -> Self {
        Mass(unit.map_or(count, |unit| unit.weight(count).to_bits()))
    }
}

/// The index of a score column; the record contains its name or class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name(pub u32);

/// The code of a key; the record contains its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyCode(pub u32);

/// A value in a record. Most values have one column; a record has several.
pub trait Value: Sized {
    /// The columns of the value. A column with an empty name gets the name of the field; the names `_se`,
    /// `_lower` and `_upper` are suffixes to it.
    const COLUMNS: &'static [Field];

    /// The value for a group that cannot be ranked because of a NaN score; `rows` are its counts.
    fn nan(rows: Count) -> Self;

    /// The value for a group where it is undefined: null, or a count of 0; `rows` are its counts.
    fn undefined(rows: Count) -> Self;

    /// Appends the value to the next columns, as many as it has.
    fn write(self, columns: &mut IterMut<'_, Column>);

    /// Appends several values to the next columns, as many as each has.
    fn write_each(values: impl Iterator<Item = Self> + Clone, columns: &mut IterMut<'_, Column>) {
        let (columns_of_value, others) =
            std::mem::take(columns).into_slice().split_at_mut(Self::COLUMNS.len());
        *columns = others.iter_mut();
        values.for_each(|value| value.write(&mut columns_of_value.iter_mut()));
    }
}

/// The column of a single-column value, with the name of the field.
const fn field_of(kind: FieldKind) -> Field {
    Field { name: "", kind }
}

macro_rules! values {
    ($($value:ty: $kind:ident, nan $nan:expr, undefined $undefined:expr, as $this:ident => $into:expr;)*) => {$(
        impl Value for $value {
            const COLUMNS: &'static [Field] = &[field_of(FieldKind::$kind)];

            fn nan(_: Count) -> Self {
                $nan
            }

            fn undefined(_: Count) -> Self {
                $undefined
            }

            #[inline]
            fn write(self, columns: &mut IterMut<'_, Column>) {
                let $this = self;
                match columns.next() {
                    Some(Column::$kind(rows)) => rows.push($into),
                    _ => unreachable!("the column was made for this field"),
                }
            }

            #[inline]
            fn write_each(values: impl Iterator<Item = Self> + Clone, columns: &mut IterMut<'_, Column>) {
                match columns.next() {
                    Some(Column::$kind(rows)) => rows.push_each(values.map(|$this| $into)),
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
    Option<bool>: Truth, nan None, undefined None, as truth => truth;
    Option<Threshold>: Threshold, nan Some(Threshold(u128::MAX)), undefined None, as score => score.map(|score| score.0);
    Option<&'static str>: Word, nan None, undefined None, as word => word;
    Name: Name, nan Name(0), undefined Name(0), as name => Some(name.0);
    KeyCode: Key, nan KeyCode(0), undefined KeyCode(0), as key => Some(key.0);
    Option<KeyCode>: Key, nan None, undefined None, as key => key.map(|key| key.0);
}

impl Value for Vec<f64> {
    const COLUMNS: &'static [Field] = &[field_of(FieldKind::Numbers)];

    fn nan(_: Count) -> Self {
        Vec::new()
    }

    fn undefined(_: Count) -> Self {
        Vec::new()
    }

    fn write(self, columns: &mut IterMut<'_, Column>) {
        let Some(Column::Numbers(lists)) = columns.next() else {
            unreachable!("the column was made for this field")
        };
        lists.items.extend(self);
        lists.close(lists.items.len(), true);
    }
}

impl<R: Record> Value for Option<Vec<R>> {
    const COLUMNS: &'static [Field] = &[field_of(FieldKind::Records(R::FIELDS))];

    fn nan(_: Count) -> Self {
        None
    }

    fn undefined(_: Count) -> Self {
        None
    }

    fn write(self, columns: &mut IterMut<'_, Column>) {
        let Some(Column::Records(lists)) = columns.next() else {
            unreachable!("the column was made for this field")
        };
        let present = self.is_some();
        for record in self.into_iter().flatten() {
            record.append(&mut lists.items);
        }
        lists.close(lists.items.first().map_or(0, Column::len), present);
    }
}

/// A record that is just a list of records.
impl<R: Record> Record for Option<Vec<R>> {}

/// The positives and negatives of a group, which are defined for any scores: the columns `n_pos` and `n_neg`.
impl Value for Count {
    const COLUMNS: &'static [Field] =
        &[Field { name: "n_pos", kind: FieldKind::Count }, Field { name: "n_neg", kind: FieldKind::Count }];

    fn nan(rows: Count) -> Self {
        rows
    }

    fn undefined(rows: Count) -> Self {
        rows
    }

    #[inline]
    fn write(self, columns: &mut IterMut<'_, Column>) {
        self.pos.write(columns);
        self.neg.write(columns);
    }
}

impl From<RowCounts> for Count {
    fn from(RowCounts { n_pos, n_neg, .. }: RowCounts) -> Self {
        Count { pos: n_pos, neg: n_neg }
    }
}

impl From<&Ties<'_>> for Count {
    /// The rows, independent of weights.
    fn from(ties: &Ties<'_>) -> Self {
        let (pos, neg) = ties.rows();
        Count { pos, neg }
    }
}

impl From<&Rows> for Count {
    fn from(rows: &Rows) -> Self {
        let [neg, pos] = rows.rows_of_classes();
        Count { pos, neg }
    }
}

/// A field of a record: its possible column names, alone and with each suffix, and the columns of its value.
pub(crate) struct FieldColumns {
    pub names: [&'static str; 4],
    pub columns: &'static [Field],
}

/// The number of columns of these fields.
pub(crate) const fn number_of_columns(fields: &[FieldColumns]) -> usize {
    let (mut number, mut field) = (0, 0);
    while field < fields.len() {
        number += fields[field].columns.len();
        field += 1;
    }
    number
}

/// The concatenated columns of these fields.
pub(crate) const fn columns_of<const N: usize>(fields: &[FieldColumns]) -> [Field; N] {
    let mut columns = [field_of(FieldKind::Number); N];
    let (mut index, mut field) = (0, 0);
    while field < fields.len() {
        let FieldColumns { names: [alone, se, lower, upper], columns: value_fields } = fields[field];
        let mut column = 0;
        while column < value_fields.len() {
            let Field { name, kind } = value_fields[column];
            let name = match name.as_bytes() {
                b"" => plain(alone),
                b"_se" => se,
                b"_lower" => lower,
                b"_upper" => upper,
                _ => name,
            };
            columns[index] = Field { name, kind };
            index += 1;
            column += 1;
        }
        field += 1;
    }
    columns
}

/// A field's name without the `r#` prefix of a raw identifier, for keywords such as `fn`.
const fn plain(name: &str) -> &str {
    match name.as_bytes() {
        [b'r', b'#', ..] => name.split_at(2).1,
        _ => name,
    }
}

/// Declares a record: a struct whose fields are columns, with its NaN and undefined values.
macro_rules! record {
    ($(#[$doc:meta])* pub struct $name:ident {
        $($(#[doc = $sentence:literal])* pub $field:ident: $value:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $sentence])* pub $field: $value,)*
        }

        #[allow(dead_code)]
        impl $name {
            /// The record from its fields, in order.
            #[allow(clippy::too_many_arguments)]
            pub(in crate::statistics) fn new($($field: $value),*) -> Self {
                $name { $($field,)* }
            }

            /// The record of a group of these rows that cannot be ranked: NaN numbers, other counts of 0.
            pub(in crate::statistics) fn nan(rows: impl Into<$crate::ranking::ties::Count>) -> Self {
                $crate::statistics::kinds::record::Value::nan(rows.into())
            }

            /// The record of a group of these rows in which all other fields are undefined: nulls, other
            /// counts of 0.
            pub(in crate::statistics) fn undefined(rows: impl Into<$crate::ranking::ties::Count>) -> Self {
                $crate::statistics::kinds::record::Value::undefined(rows.into())
            }
        }

        impl $crate::statistics::kinds::record::Value for $name {
            const COLUMNS: &'static [$crate::statistics::kinds::column::Field] = {
                use $crate::statistics::kinds::record::{FieldColumns, Value, columns_of, number_of_columns};
                const FIELDS: &[FieldColumns] = &[$(FieldColumns {
                    names: [
                        stringify!($field),
                        concat!(stringify!($field), "_se"),
                        concat!(stringify!($field), "_lower"),
                        concat!(stringify!($field), "_upper"),
                    ],
                    columns: <$value as Value>::COLUMNS,
                }),*];
                &columns_of::<{ number_of_columns(FIELDS) }>(FIELDS)
            };

            fn nan(rows: $crate::ranking::ties::Count) -> Self {
                $name { $($field: $crate::statistics::kinds::record::Value::nan(rows),)* }
            }

            fn undefined(rows: $crate::ranking::ties::Count) -> Self {
                $name { $($field: $crate::statistics::kinds::record::Value::undefined(rows),)* }
            }

            #[inline]
            fn write(self, columns: &mut std::slice::IterMut<'_, $crate::statistics::kinds::column::Column>) {
                $($crate::statistics::kinds::record::Value::write(self.$field, columns);)*
            }
        }

        impl $crate::statistics::kinds::record::Record for $name {
            const SENTENCES: &'static [(usize, &'static str)] = &[$((
                <$value as $crate::statistics::kinds::record::Value>::COLUMNS.len(),
                concat!($($sentence, "\n"),*),
            )),*];

            // One field after the other.
            fn append_all(records: Vec<Self>, columns: &mut [$crate::statistics::kinds::column::Column]) {
                let mut columns = columns.iter_mut();
                $($crate::statistics::kinds::record::Value::write_each(
                    records.iter().map(|record| record.$field.clone()),
                    &mut columns,
                );)*
            }
        }
    };
}
pub(crate) use record;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::{Keys, Width};

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

    record! {
        /// A record with another in it.
        pub struct Outer {
            /// A keyword.
            pub r#fn: bool,
            /// The other.
            pub every: Every,
            /// The rows.
            pub rows: Count,
        }
    }

    #[test]
    fn nested_records_are_flattened() {
        let names = Outer::FIELDS.iter().map(|field| field.name).collect::<Vec<_>>();
        assert_eq!(names, ["fn", "number", "count", "score", "n_pos", "n_neg"]);
        let rows = Count { pos: 2, neg: 3 };
        let mut columns = Column::all_of(Outer::FIELDS, Width::W8, 2);
        Outer { every: Every { count: 7, ..Every::nan(rows) }, ..Outer::undefined(rows) }
            .append(&mut columns);
        let [
            Column::Truth(truth),
            Column::Number(number),
            Column::Count(count),
            _,
            Column::Count(pos),
            Column::Count(neg),
        ] = &columns[..]
        else {
            panic!("six columns")
        };
        assert!(!truth.values[0] && number.values[0].is_nan());
        assert_eq!((count.values[0], pos.values[0], neg.values[0]), (7, 2, 3));
    }

    #[test]
    fn values_are_appended_to_their_columns() {
        let fields = Every::FIELDS;
        assert_eq!(fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["number", "count", "score"]);
        let mut first = Column::all_of(fields, Width::W8, 2);
        Every { number: Some(0.5), count: 3, score: Some(Threshold(9)) }.append(&mut first);
        let mut second = Column::all_of(fields, Width::W8, 2);
        Every { number: None, count: 4, score: None }.append(&mut second);
        Every::nan(Count::default()).append(&mut second);
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

    /// Appending several records at once gives the same columns as one by one, for any pattern of nulls.
    #[test]
    fn several_records_at_once() {
        let every = |row: u64| Every {
            number: (row % 5 != 3).then_some(row as f64),
            count: row,
            score: (row % 7 != 2).then_some(Threshold(row.into())),
        };
        let outer = |row: u64| Outer {
            r#fn: row.is_multiple_of(2),
            every: every(row),
            rows: Count { pos: row, neg: row + 1 },
        };
        let columns = || Column::all_of(Outer::FIELDS, Width::W64, 2);
        let compare = |ranges: &[std::ops::Range<u64>]| {
            let [mut at_once, mut one_by_one] = [columns(), columns()];
            for rows in ranges {
                Outer::append_all(rows.clone().map(outer).collect(), &mut at_once);
                rows.clone().for_each(|row| outer(row).append(&mut one_by_one));
            }
            assert_eq!(format!("{at_once:?}"), format!("{one_by_one:?}"));
            one_by_one
        };
        // A null in the first records, or only in later ones, followed by none.
        compare(&[2..4, 4..6]);
        let columns = compare(&[0..2, 4..7, 0..0, 7..13, 14..16]);
        let [Column::Truth(_), Column::Number(number), _, Column::Threshold(score), _, _] = &columns[..]
        else {
            panic!("six columns")
        };
        assert!(number.present.contains(&false) && score.present.contains(&false));
    }
}
