//! Records as columns: the answers of a statistic, field by field.
//!
//! A statistic declares its record once with the macro `record!`; the
//! field names, their kinds and the way into columns follow from that declaration.

use super::column::{Column, Field, FieldKind};
use crate::ranking::ties::Unit;

/// The answer of a statistic: named fields of known kinds.
pub trait Record {
    /// The fields, in order.
    const FIELDS: &'static [Field];

    /// Appends each field to the column of its place.
    fn append(self, columns: &mut [Column]);
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
                $name { $($field: <$value as $crate::statistics::kinds::record::Value>::NAN,)* }
            }

            /// The record of a group in which everything is undefined: nulls, counts of 0.
            #[allow(dead_code)]
            pub(in crate::statistics) fn undefined() -> Self {
                $name { $($field: <$value as $crate::statistics::kinds::record::Value>::UNDEFINED,)* }
            }
        }

        impl $crate::statistics::kinds::record::Record for $name {
            const FIELDS: &'static [$crate::statistics::kinds::column::Field] = &[$(
                $crate::statistics::kinds::column::Field {
                    name: $crate::statistics::kinds::record::plain(stringify!($field)),
                    kind: <$value as $crate::statistics::kinds::record::Value>::KIND,
                }
            ),*];

            #[inline]
            fn append(self, columns: &mut [$crate::statistics::kinds::column::Column]) {
                let mut columns = columns.iter_mut();
                $(if let Some(column) = columns.next() {
                    $crate::statistics::kinds::record::Value::append(self.$field, column);
                })*
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
