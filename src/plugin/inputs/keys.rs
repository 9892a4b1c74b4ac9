//! Keys: folds, clusters and segments of any dtype, as integers in the order of their values.

use arrow::array::{
    Array, BinaryArray, BinaryViewArray, BooleanArray, PrimitiveArray, StructArray, Utf8ViewArray,
};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, DTYPE_ENUM_VALUES_LEGACY, DTYPE_ENUM_VALUES_NEW, Field};
use polars::prelude::{PlHashMap, pf16};

use super::label;
use crate::plugin::arrays::{
    distinct::{Factorized, dense_codes, each},
    downcast::{downcast, message},
    dtype, text,
    values::{Values, gathered},
    words::Words,
};
use crate::ranking::rows::Codes;
use crate::ranking::scores::{Key, Score};
use crate::statistics::kinds::KeyKind;
use crate::statistics::monitoring::{ORDERED, period_order};

/// The maximum number of values in a message.
const MAX_LISTED: usize = 10;

/// A column of keys as codes.
pub struct KeyCodes {
    /// For each row, the index of its key in `values`.
    pub codes: Vec<u32>,
    /// The distinct keys, in order.
    pub values: Values,
    /// An upper bound of the codes.
    n_codes: usize,
    /// For each distinct key its series, or `None` if it has no value on the axis; empty unless keys are
    /// [series](KeyKind::Series).
    pub series: Vec<Option<u32>>,
}

impl KeyCodes {
    /// Codes the rows of a key column of a kind.
    pub fn read(role: &str, rows: &Values, kind: KeyKind<'_>) -> Result<KeyCodes, String> {
        if kind == KeyKind::Truth {
            return Self::from_truths(role, rows);
        }
        check(role, rows.name(), &rows.field)?;
        let Factorized { row_codes: mut codes, rows: firsts } =
            factorize(&rows.field, rows.array.as_ref(), kind)?;
        let array = one_zero(gathered(rows.array.as_ref(), &firsts)?)?;
        let values = Values { field: rows.field.clone(), array };
        let mut n_codes = values.array.len();
        if let KeyKind::Among(classes) = kind {
            n_codes = classes.len();
            let indices = among(classes, role, &values)?;
            codes
                .iter_mut()
                .for_each(|code| *code = indices.get(*code as usize).copied().unwrap_or_default());
        }
        let series = if kind == KeyKind::Series { series(&values)? } else { Vec::new() };
        Ok(KeyCodes { codes, values, n_codes, series })
    }

    /// Codes the rows of a boolean column: false is 0, and true is 1.
    fn from_truths(role: &str, rows: &Values) -> Result<KeyCodes, String> {
        let (truths, _) = label::bits(role, rows)?;
        let values = Values::new(rows.name(), BooleanArray::from_slice([false, true]).boxed());
        let codes = truths.iter().map(u32::from).collect();
        Ok(KeyCodes { codes, values, n_codes: 2, series: Vec::new() })
    }

    /// Moves the keys of the reference before all others; an error if no row has it.
    pub fn put_first(&mut self, is_reference: &Bitmap, rows: &Values, reference: &str) -> Result<(), String> {
        let mut in_reference = vec![false; self.values.array.len()];
        let validity = rows.validity();
        for (row, &code) in self.codes.iter().enumerate() {
            if is_reference.get_bit(row) && validity.as_ref().is_none_or(|validity| validity.get_bit(row)) {
                in_reference[code as usize] = true;
            }
        }
        // Without any keys there is no comparison, and no reference is needed.
        if !in_reference.is_empty() && !in_reference.contains(&true) {
            return Err(without_reference(&self.values, reference, validity.is_some())?);
        }
        let mut order: Vec<u32> = (0..in_reference.len() as u32).collect();
        order.sort_by_key(|&code| !in_reference[code as usize]);
        let mut indices = vec![0; order.len()];
        for (index, &code) in (0..).zip(&order) {
            indices[code as usize] = index;
        }
        self.codes
            .iter_mut()
            .for_each(|code| *code = indices.get(*code as usize).copied().unwrap_or_default());
        self.values.array = gathered(self.values.array.as_ref(), &order)?;
        Ok(())
    }

    /// The codes of some rows as dense codes, and the key of each.
    pub fn among(&self, codes: &[u32]) -> (Codes, Vec<u32>) {
        // The maximum code is not needed if a table of all keys is small enough.
        let largest = || codes.iter().max().map_or(0, |&largest| largest as usize + 1);
        dense_codes(codes, if self.n_codes <= codes.len() { self.n_codes } else { largest() })
    }
}

/// Rejects a dtype whose values cannot be keys.
pub fn check(role: &str, name: &str, item: &Field) -> Result<(), String> {
    let plain = |field: &Field| !dtype::is_nested(field) && !dtype::is_extension(field);
    let has_names = match item.dtype() {
        Dtype::Struct(fields) => fields.iter().all(plain),
        _ => plain(item),
    };
    if has_names {
        return Ok(());
    }
    let dtype = dtype::display(item);
    Err(format!("{role} \"{name}\" has dtype {dtype}, expected plain values such as strings or integers"))
}

/// The index of each value among the distinct ones.
fn factorize(field: &Field, array: &dyn Array, kind: KeyKind<'_>) -> Result<Factorized, String> {
    let validity = array.validity();
    // The usual dtypes are read in place. Others are copied to the integers of their keys, to limit
    // monomorphisation.
    macro_rules! factorize_as {
        ($value:ty) => {
            Ok(Factorized::from_values(downcast::<PrimitiveArray<$value>>(array)?.values(), key, validity))
        };
    }
    macro_rules! copied {
        ($value:ty, $key:expr) => {
            Ok(Factorized::new(&each(downcast::<PrimitiveArray<$value>>(array)?.values(), $key), validity))
        };
    }
    match array.dtype() {
        Dtype::Null => Ok(Factorized { row_codes: vec![0; array.len()], rows: Vec::new() }),
        Dtype::Boolean => {
            let truths = downcast::<BooleanArray>(array)?.values().iter();
            Ok(Factorized::new(&truths.map(u32::from).collect::<Vec<_>>(), validity))
        }
        Dtype::Int8 => copied!(i8, |&value| u32::from(key(value))),
        Dtype::Int16 => copied!(i16, |&value| u32::from(key(value))),
        Dtype::Int32 | Dtype::Date32 | Dtype::Time32(_) => factorize_as!(i32),
        Dtype::Int64 | Dtype::Date64 | Dtype::Time64(_) | Dtype::Timestamp(..) | Dtype::Duration(_) => {
            factorize_as!(i64)
        }
        Dtype::Int128 | Dtype::Decimal(..) => copied!(i128, |&value| key(value)),
        Dtype::UInt8 => copied!(u8, |&value| u32::from(value)),
        Dtype::UInt16 => copied!(u16, |&value| u32::from(value)),
        Dtype::UInt32 => Ok(Factorized::new(downcast::<PrimitiveArray<u32>>(array)?.values(), validity)),
        Dtype::UInt64 => Ok(Factorized::new(downcast::<PrimitiveArray<u64>>(array)?.values(), validity)),
        Dtype::UInt128 => Ok(Factorized::new(downcast::<PrimitiveArray<u128>>(array)?.values(), validity)),
        Dtype::Float16 => copied!(pf16, |&value| key(f32::from(value))),
        Dtype::Float32 => copied!(f32, |&value| key(value)),
        Dtype::Float64 => copied!(f64, |&value| key(value)),
        Dtype::Utf8View => {
            let words = downcast::<Utf8ViewArray>(array)?.values_iter();
            Ok(Factorized::from_bytes(&words.map(str::as_bytes).collect::<Vec<_>>(), validity))
        }
        Dtype::BinaryView => Ok(Factorized::from_bytes(
            &downcast::<BinaryViewArray>(array)?.values_iter().collect::<Vec<_>>(),
            validity,
        )),
        Dtype::LargeBinary => Ok(Factorized::from_bytes(
            &downcast::<BinaryArray<i64>>(array)?.values_iter().collect::<Vec<_>>(),
            validity,
        )),
        Dtype::Dictionary(..) => factorize_words(field, &Words::new(array)?),
        Dtype::Struct(fields) => factorize_structs(fields, downcast(array)?, kind),
        _ => {
            Err(format!("\"{}\" has dtype {}, whose values have no order", field.name, dtype::display(field)))
        }
    }
}

/// The key of a value; all NaN have one key, which comes last.
fn key<S: Score>(value: S) -> S::Key {
    if value.is_nan() { S::Key::NAN } else { value.key() }
}

/// Words of an Enum are in category order, others in alphabetical order.
fn factorize_words(field: &Field, words: &Words) -> Result<Factorized, String> {
    let order = categories(field);
    let ranks = if order.is_empty() {
        Factorized::from_bytes(&words.words.values_iter().map(str::as_bytes).collect::<Vec<_>>(), None)
            .row_codes
    } else {
        let rank_of: PlHashMap<&str, u32> = order.into_iter().zip(0..).collect();
        let rank = |word| {
            rank_of
                .get(word)
                .copied()
                .ok_or_else(|| format!("\"{}\" contains {word:?}, which is not in its Enum", field.name))
        };
        words.words.values_iter().map(rank).collect::<Result<Vec<u32>, String>>()?
    };
    // Under a null, the index may be out of range.
    let rank = |&code: &u32| ranks.get(code as usize).copied().unwrap_or_default();
    Ok(Factorized::new(&each(&words.codes, rank), words.validity.as_ref()))
}

/// The categories of an Enum in order; the field's metadata has each as a length, a semicolon and the text.
fn categories(field: &Field) -> Vec<&str> {
    let about = field.metadata.as_ref();
    let listed = about
        .and_then(|about| about.get(DTYPE_ENUM_VALUES_NEW).or_else(|| about.get(DTYPE_ENUM_VALUES_LEGACY)));
    let mut rest = listed.map_or("", |listed| listed.as_str());
    let next = || {
        let (len, tail) = rest.split_once(';')?;
        let (category, tail) = tail.split_at_checked(len.parse().ok()?)?;
        rest = tail;
        Some(category)
    };
    std::iter::from_fn(next).collect()
}

/// Structs are ordered lexicographically by their fields.
fn factorize_structs(
    fields: &[Field],
    structs: &StructArray,
    kind: KeyKind<'_>,
) -> Result<Factorized, String> {
    let mut so_far: Option<Factorized> = None;
    for (index, (field, values)) in fields.iter().zip(structs.values()).enumerate() {
        let mut next = factorize_with_missing(field, values.as_ref(), kind)?;
        if kind == KeyKind::Series && index + 1 == fields.len() {
            in_order_of_periods(&mut next, field, values.as_ref())?;
        }
        so_far = Some(match so_far {
            None => next,
            Some(so_far) => {
                let width = next.rows.len() as u64;
                let pairs = so_far.row_codes.iter().zip(&next.row_codes);
                let keys: Vec<u64> =
                    pairs.map(|(&before, &index)| u64::from(before) * width + u64::from(index)).collect();
                Factorized::new(&keys, None)
            }
        });
    }
    let so_far = so_far.unwrap_or(Factorized { row_codes: vec![0; structs.len()], rows: Vec::new() });
    let are_missing = fields.is_empty() || structs.null_count() > 0;
    Ok(if are_missing { Factorized::new(&so_far.row_codes, structs.validity()) } else { so_far })
}

/// The index of each value among the distinct ones. Nulls come first, or last for [`KeyKind::MissingLast`].
fn factorize_with_missing(field: &Field, array: &dyn Array, kind: KeyKind<'_>) -> Result<Factorized, String> {
    let mut factorized = factorize(field, array, kind)?;
    if array.null_count() > 0 {
        let is_null = |&row: &usize| *array.dtype() == Dtype::Null || array.is_null(row);
        let missing = (0..array.len()).filter(is_null);
        let first = missing.clone().take(1).map(|row| row as u32);
        let index = if kind == KeyKind::MissingLast { factorized.rows.len() } else { 0 };
        factorized.rows.splice(index..index, first);
        if index == 0 {
            factorized.row_codes.iter_mut().for_each(|index| *index += 1);
        }
        missing.for_each(|row| factorized.row_codes[row] = index as u32);
    }
    Ok(factorized)
}

/// Sorts the distinct texts of an axis by their periods; other values keep their order.
fn in_order_of_periods(factorized: &mut Factorized, field: &Field, array: &dyn Array) -> Result<(), String> {
    let is_text = match array.dtype() {
        Dtype::Utf8View => true,
        Dtype::Dictionary(..) => categories(field).is_empty(),
        _ => false,
    };
    let missing = factorized.rows.iter().take_while(|&&row| array.is_null(row as usize)).count();
    if !is_text || factorized.rows.len() - missing < 2 {
        return Ok(());
    }
    let name = |&row: &u32| text::display(field, array, row as usize);
    let names = factorized.rows[missing..].iter().map(name).collect::<Result<Vec<_>, _>>()?;
    let order = period_order(&names.iter().map(String::as_str).collect::<Vec<_>>()).map_err(|reason| {
        format!("by \"{}\" has periods without an order: {reason}; {ORDERED}, or use a column of dates, numbers or an Enum", field.name)
    })?;
    let old = factorized.rows.clone();
    let mut index_of: Vec<u32> = (0..old.len() as u32).collect();
    for (index, &name) in order.iter().enumerate() {
        factorized.rows[missing + index] = old[missing + name as usize];
        index_of[missing + name as usize] = (missing + index) as u32;
    }
    factorized.row_codes.iter_mut().for_each(|index| *index = index_of[*index as usize]);
    Ok(())
}

/// The series of each key: the values of all fields except the last. A key with a null last field has no
/// series, since it has no value on the axis.
fn series(keys: &Values) -> Result<Vec<Option<u32>>, String> {
    let Dtype::Struct(fields) = keys.array.dtype() else {
        return Ok(vec![Some(0); keys.array.len()]);
    };
    let structs = downcast::<StructArray>(keys.array.as_ref())?;
    let (Some((_, others)), Some(axis)) = (fields.split_last(), structs.values().last()) else {
        return Ok(vec![None; structs.len()]);
    };
    let indices = factorize_structs(others, structs, KeyKind::Any)?.row_codes;
    Ok(indices.into_iter().enumerate().map(|(key, index)| axis.is_valid(key).then_some(index)).collect())
}

/// Floats without -0.0. Both zeros are one key, whose name would otherwise depend on the order of the rows.
fn one_zero(values: Box<dyn Array>) -> Result<Box<dyn Array>, String> {
    Ok(match values.dtype() {
        Dtype::Float64 => {
            let floats = downcast::<PrimitiveArray<f64>>(values.as_ref())?;
            let no_minus = floats.values().iter().map(|value| value + 0.0).collect();
            PrimitiveArray::from_vec(no_minus).with_validity(floats.validity().cloned()).boxed()
        }
        Dtype::Float32 => {
            let floats = downcast::<PrimitiveArray<f32>>(values.as_ref())?;
            let no_minus = floats.values().iter().map(|value| value + 0.0).collect();
            PrimitiveArray::from_vec(no_minus).with_validity(floats.validity().cloned()).boxed()
        }
        Dtype::Struct(_) => {
            let structs = downcast::<StructArray>(values.as_ref())?;
            let fields = structs.values().iter().map(|values| one_zero(values.clone()));
            let fields = fields.collect::<Result<_, _>>()?;
            let validity = structs.validity().cloned();
            StructArray::try_new(structs.dtype().clone(), structs.len(), fields, validity)
                .map_err(message)?
                .boxed()
        }
        _ => values,
    })
}

/// The indices of keys among classes, compared as text.
fn among(classes: &[String], role: &str, keys: &Values) -> Result<Vec<u32>, String> {
    let index = |key: String| match (0..).zip(classes).find(|(_, class)| **class == key) {
        Some((index, _)) => Ok(index),
        None => Err(format!(
            "{role} \"{}\" contains {key:?}, which is not one of the classes {}{}. Hint: write the class of each column, in \
             order: classes=[...]",
            keys.name(),
            classes.iter().take(MAX_LISTED).map(|class| format!("{class:?}")).collect::<Vec<_>>().join(", "),
            if classes.len() > MAX_LISTED { ", ..." } else { "" }
        )),
    };
    (0..keys.array.len()).map(|row| index(text::cast(&keys.field, keys.array.as_ref(), row)?)).collect()
}

/// The error for a missing reference; `missing` is true if there are rows without a key.
fn without_reference(values: &Values, reference: &str, missing: bool) -> Result<String, String> {
    let structs = downcast::<StructArray>(values.array.as_ref())?;
    let (Dtype::Struct(fields), names) = (structs.dtype(), structs.values()) else {
        return Err("a key with a reference has no fields".into());
    };
    let texts_of = |row: usize| {
        let texts = fields.iter().zip(names).map(|(field, names)| text::display(field, names.as_ref(), row));
        Ok(texts.collect::<Result<Vec<_>, String>>()?.join(", "))
    };
    let mut listed = (0..structs.len()).take(MAX_LISTED).map(texts_of).collect::<Result<Vec<_>, String>>()?;
    let mut keys = structs.len();
    if missing {
        keys += 1;
        listed.extend((listed.len() < MAX_LISTED).then(|| vec!["null"; names.len()].join(", ")));
    }
    Ok(format!(
        "`versus` names the segment {reference}, which the rows do not have, expected one of {}{}",
        listed.join("; "),
        if keys > MAX_LISTED { "; ..." } else { "" }
    ))
}

#[cfg(test)]
mod tests {
    use arrow::array::{DictionaryArray, NullArray};

    use super::*;
    use crate::plugin::arrays::values::concatenated;

    /// The codes of a column of keys, and the keys as text.
    fn read(field: Field, array: Box<dyn Array>) -> (Vec<u32>, Vec<String>) {
        read_as(KeyKind::Any, field, array)
    }

    fn read_as(kind: KeyKind<'_>, field: Field, array: Box<dyn Array>) -> (Vec<u32>, Vec<String>) {
        let rows = Values { field, array };
        let keys = KeyCodes::read("fold", &rows, kind).unwrap();
        assert_eq!(keys.values.array.dtype(), rows.array.dtype());
        let texts = (0..keys.values.array.len())
            .map(|row| text::display(&keys.values.field, keys.values.array.as_ref(), row).unwrap());
        (keys.codes, texts.collect())
    }

    fn field_of(array: &dyn Array) -> Field {
        Field::new("k".into(), array.dtype().clone(), true)
    }

    fn coded(words: &[&str], indices: &[Option<u8>]) -> Box<dyn Array> {
        let words = Utf8ViewArray::from_slice_values(words).boxed();
        DictionaryArray::try_from_keys(PrimitiveArray::<u8>::from(indices.to_vec()), words, false)
            .unwrap()
            .boxed()
    }

    #[test]
    fn in_the_order_of_values() {
        let floats = PrimitiveArray::<f64>::from_slice([f64::NAN, -0.0, 1.5, 0.0, -f64::NAN]).boxed();
        assert_eq!(
            read(field_of(floats.as_ref()), floats.clone()),
            (vec![2, 0, 1, 0, 2], ["0.0", "1.5", "NaN"].map(String::from).to_vec())
        );
        let words = Utf8ViewArray::from_slice([Some("b"), None, Some("a longer word"), Some("b")]).boxed();
        assert_eq!(
            read(field_of(words.as_ref()), words.clone()),
            (vec![1, 0, 0, 1], vec!["a longer word".into(), "b".into()])
        );
        let nothing = NullArray::new(Dtype::Null, 2).boxed();
        assert_eq!(read(field_of(nothing.as_ref()), nothing.clone()), (vec![0, 0], Vec::new()));
    }

    #[test]
    fn words_by_number() {
        let parts = [
            coded(&["b", "c"], &[Some(0), None, Some(1)]),
            coded(&["a", "b"], &[Some(1), Some(0)]).sliced(0, 2),
        ];
        let all = concatenated(&parts).unwrap();
        assert_eq!(
            read(field_of(all.as_ref()), all.clone()),
            (vec![1, 0, 2, 1, 0], ["a", "b", "c"].map(String::from).to_vec())
        );
        let about = [(DTYPE_ENUM_VALUES_NEW.into(), "1;c1;z1;b1;a".into())].into_iter().collect();
        let enum_field = field_of(all.as_ref()).with_metadata(about);
        assert_eq!(categories(&enum_field), ["c", "z", "b", "a"]);
        assert_eq!(read(enum_field, all), (vec![1, 0, 0, 1, 2], ["c", "b", "a"].map(String::from).to_vec()));
    }

    #[test]
    fn series_of_structs() {
        let column = |values: [Option<i16>; 5]| PrimitiveArray::from(values.to_vec()).boxed();
        let region = column([Some(1), Some(2), None, Some(1), Some(1)]);
        let year = column([Some(16), Some(15), Some(15), Some(15), None]);
        let fields = ["region", "year"].map(|name| Field::new(name.into(), Dtype::Int16, true)).to_vec();
        let array = StructArray::try_new(Dtype::Struct(fields), 5, vec![region, year], None).unwrap().boxed();
        let rows = Values { field: field_of(array.as_ref()), array };
        let keys = KeyCodes::read("by", &rows, KeyKind::Series).unwrap();
        assert_eq!(keys.codes, [3, 4, 0, 2, 1]);
        assert_eq!(keys.series, [Some(0), None, Some(1), Some(1), Some(2)]);
        let numbers = PrimitiveArray::<i16>::from_slice([5, 4]).boxed();
        let rows = Values { field: field_of(numbers.as_ref()), array: numbers };
        assert_eq!(KeyCodes::read("by", &rows, KeyKind::Series).unwrap().series, [Some(0); 2]);
    }

    #[test]
    fn text_axis_is_ordered_by_numbers() {
        let read = |weeks: [Option<&str>; 5]| {
            let weeks = Utf8ViewArray::from_slice(weeks).boxed();
            let region = PrimitiveArray::<i16>::from_slice([1, 1, 0, 1, 1]).boxed();
            let fields = vec![
                Field::new("region".into(), Dtype::Int16, true),
                Field::new("week".into(), weeks.dtype().clone(), true),
            ];
            let array =
                StructArray::try_new(Dtype::Struct(fields), 5, vec![region, weeks], None).unwrap().boxed();
            let keys =
                KeyCodes::read("by", &Values { field: field_of(array.as_ref()), array }, KeyKind::Series)?;
            Ok::<_, String>((keys.codes, keys.series))
        };
        let (codes, series) = read([Some("W10"), Some("W9"), Some("W9"), None, Some("W11")]).unwrap();
        assert_eq!(codes, [3, 2, 0, 1, 4]);
        assert_eq!(series, [Some(0), None, Some(1), Some(1), Some(1)]);
        let error = read([Some("Sep 2026"), Some("Oct 2026"), None, None, None]).unwrap_err();
        assert!(
            error.starts_with("by \"week\" has periods without an order: \"Oct 2026\" names \"Oct\""),
            "{error}"
        );
        // A single distinct word needs no order.
        assert!(read([Some("baseline"), None, None, None, Some("baseline")]).is_ok());
    }

    #[test]
    fn structs() {
        let numbers = PrimitiveArray::from(vec![Some(2i16), None, Some(2), Some(1)]).boxed();
        let words = coded(&["b", "a"], &[Some(0), Some(0), Some(1), Some(0)]);
        let fields = vec![
            Field::new("n".into(), Dtype::Int16, true),
            Field::new("w".into(), words.dtype().clone(), true),
        ];
        let structs =
            StructArray::try_new(Dtype::Struct(fields), 4, vec![numbers, words], None).unwrap().boxed();
        let expected = ["{null,\"b\"}", "{1,\"b\"}", "{2,\"a\"}", "{2,\"b\"}"].map(String::from).to_vec();
        assert_eq!(read(field_of(structs.as_ref()), structs.clone()), (vec![3, 0, 2, 1], expected.clone()));
        let last = ["{1,\"b\"}", "{2,\"a\"}", "{2,\"b\"}", "{null,\"b\"}"].map(String::from).to_vec();
        let missing_last = read_as(KeyKind::MissingLast, field_of(structs.as_ref()), structs.clone());
        assert_eq!(missing_last, (vec![2, 3, 1, 0], last));
        let twice = concatenated(&[structs.clone(), structs.clone()]).unwrap();
        assert_eq!(read(field_of(twice.as_ref()), twice).1, expected);
        let missing = structs.with_validity(Some([true, false, true, false].into_iter().collect()));
        assert_eq!(read(field_of(missing.as_ref()), missing).1, expected[2..]);
    }
}
