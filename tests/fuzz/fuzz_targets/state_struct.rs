//! Any column of structs is either states or rejected: accepted columns give a result, and merging again
//! changes nothing.
//!
//! The bytes determine the column. Most of it is valid, so that some columns are accepted.

#![no_main]

use arrow::array::{Array, BooleanArray, ListArray, NullArray, PrimitiveArray, StructArray, Utf8ViewArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::{ArrowDataType as Dtype, Field};
use arrow::offset::OffsetsBuffer;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

mod plugin;

/// `pickle.dumps({"roles": ["state"], "options": {}}, protocol=1)`, without memo opcodes.
const STATE_ARGUMENTS: &[u8] = b"}(X\x05\0\0\0roles](X\x05\0\0\0stateeX\x07\0\0\0options}u.";

/// Expressions without required options.
const ANSWERS: [&str; 14] = [
    "merge_states",
    "roc_auc",
    "roc_curve",
    "gini",
    "average_precision",
    "mean_positive_rank",
    "roc_auc_bounds",
    "gains_table",
    "pr_curve",
    "cap_curve",
    "cost_curve",
    "det_curve",
    "roc_convex_hull",
    "binormal_roc_auc",
];

fuzz_target!(init: plugin::watch_panics(), |bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    if let Ok((name, states)) = answer_and_states(&mut bytes) {
        check(name, states);
    }
});

fn check(name: &str, states: Box<dyn Array>) {
    let packed = plugin::expression("pack_state");
    let row_by_row = (field_of(states.dtype().clone()), states.clone());
    let packs = packed.evaluate(std::slice::from_ref(&row_by_row), STATE_ARGUMENTS);
    assert!(packs.is_err() || packed.planned(std::slice::from_ref(&row_by_row.0), STATE_ARGUMENTS).is_ok());
    let groups = grouped(states);
    let merged = evaluate("merge_states", &groups);
    // States are validated on reading, so all expressions reject the same ones.
    let result = evaluate(name, &groups);
    if let (Some(merged), Some(result)) = (&merged, &result) {
        assert_eq!(merged.len(), result.len());
        let again =
            evaluate("merge_states", &one_by_one(merged.clone())).expect("states that merge once merge again");
        assert!(equal(&merged, &again), "{merged:?}\n{again:?}");
        let same = evaluate(name, &one_by_one(merged.clone())).expect("states that answer also answer merged");
        assert!(equal(&result, &same), "{name}\n{result:?}\n{same:?}");
    }
    assert!(merged.is_some() || result.is_none());
}

/// Whether two columns are equal. NaN equals itself; the text contains all digits.
fn equal(one: &Box<dyn Array>, other: &Box<dyn Array>) -> bool {
    arrow::array::equal(one.as_ref(), other.as_ref()) || format!("{one:?}") == format!("{other:?}")
}

/// The result of an expression, with the planned dtype; `None` if the states are rejected.
fn evaluate(name: &str, groups: &(Field, Box<dyn Array>)) -> Option<Box<dyn Array>> {
    let expression = plugin::expression(name);
    let planned = expression.planned(std::slice::from_ref(&groups.0), STATE_ARGUMENTS);
    let result = expression.evaluate(std::slice::from_ref(groups), STATE_ARGUMENTS);
    let (field, array) = result.ok()?;
    let planned = planned.expect("a plan of what is answered");
    assert_eq!((field.dtype(), array.dtype()), (planned.dtype(), planned.dtype()));
    assert_eq!(array.len(), groups.1.len());
    Some(array)
}

fn field_of(dtype: Dtype) -> Field {
    Field::new("state".into(), dtype, true)
}

fn item(dtype: &Dtype) -> Field {
    Field::new("item".into(), dtype.clone(), true)
}

fn lists(borders: Vec<i64>, items: Box<dyn Array>, validity: Option<Bitmap>) -> Box<dyn Array> {
    let dtype = Dtype::LargeList(Box::new(item(items.dtype())));
    ListArray::new(dtype, OffsetsBuffer::try_from(borders).expect("ordered borders"), items, validity).boxed()
}

/// All states in two groups.
fn grouped(states: Box<dyn Array>) -> (Field, Box<dyn Array>) {
    let all = states.len() as i64;
    let groups = lists(vec![0, all / 2, all], states, None);
    (field_of(groups.dtype().clone()), groups)
}

/// One group per state.
fn one_by_one(states: Box<dyn Array>) -> (Field, Box<dyn Array>) {
    let groups = lists((0..=states.len() as i64).collect(), states, None);
    (field_of(groups.dtype().clone()), groups)
}

/// An expression, and a column of up to four states with up to three bins each.
fn answer_and_states(bytes: &mut Unstructured<'_>) -> Result<(&'static str, Box<dyn Array>)> {
    let name = ANSWERS[bytes.choose_index(ANSWERS.len())?];
    let states = bytes.int_in_range(0..=4)?;
    let mut borders = vec![i64::from(bytes.ratio(1u8, 8u8)?)];
    for _ in 0..states {
        borders.push(borders[borders.len() - 1] + bytes.int_in_range(0..=3)?);
    }
    let bins = borders[states] as usize + usize::from(bytes.ratio(1u8, 8u8)?);
    // Bins with equal scores are invalid, but the order of scores is arbitrary.
    let descends = bytes.ratio(7u8, 8u8)?;
    let scores = numbers(bytes, bins, Dtype::Float64, |bytes, bin| {
        let score = if bytes.ratio(1u8, 8u8)? { bytes.arbitrary()? } else { bytes.arbitrary::<i8>()?.into() };
        Ok(if descends { 1e3 - bin as f64 } else { score })
    })?;
    let has_weights = bytes.ratio(1u8, 4u8)?;
    let class = if has_weights { Dtype::Decimal(38, 18) } else { Dtype::UInt64 };
    let count = |bytes: &mut Unstructured<'_>, _| Ok(f64::from(bytes.arbitrary::<u8>()?));
    let (pos, neg) = (numbers(bytes, bins, class.clone(), count)?, numbers(bytes, bins, class.clone(), count)?);
    let in_bins = |class: &Box<dyn Array>, state: usize| {
        let sum = class.as_any().downcast_ref::<PrimitiveArray<u64>>().map(|counts| {
            let counts = &counts.values()[borders[state] as usize..borders[state + 1] as usize];
            counts.iter().fold(0, |sum: u64, &count| sum.saturating_add(count))
        });
        sum.unwrap_or(3) as f64
    };
    let (n_pos, n_neg): (Vec<f64>, Vec<f64>) =
        (0..states).map(|state| (in_bins(&pos, state), in_bins(&neg, state))).unzip();
    let bins_tied = truths(bytes, bins, true)?;
    let mut fields = vec![("score", scores), ("pos", pos), ("neg", neg), ("tied", bins_tied)];
    if has_weights && bytes.ratio(1u8, 2u8)? {
        for squares in ["pos_squares", "neg_squares"] {
            fields.push((squares, numbers(bytes, bins, class.clone(), count)?));
        }
    }
    let bins = record(fields, bins, bytes)?;
    let bins_validity = validity(bytes, states)?;
    let bins = lists(borders, bins, bins_validity);
    let counts_field = |counts: Vec<f64>| {
        move |bytes: &mut Unstructured<'_>, state: usize| {
            let is_off = bytes.ratio(1u8, 16u8)?;
            Ok(if is_off { f64::from(bytes.arbitrary::<u8>()?) } else { counts[state] })
        }
    };
    let is_limited = bytes.ratio(1u8, 2u8)?;
    let limit = |bytes: &mut Unstructured<'_>, _| Ok(16.0 + f64::from(bytes.arbitrary::<u8>()?) - 1.0);
    let resolution = |bytes: &mut Unstructured<'_>, _| {
        bytes.int_in_range(0..=if is_limited { 70 } else { 0 }).map(f64::from)
    };
    let fields = vec![
        ("bins", bins),
        ("n_pos", numbers(bytes, states, Dtype::UInt64, counts_field(n_pos))?),
        ("n_neg", numbers(bytes, states, Dtype::UInt64, counts_field(n_neg))?),
        ("n_missing", numbers(bytes, states, Dtype::UInt64, count)?),
        ("has_nan", truths(bytes, states, false)?),
        ("resolution", numbers(bytes, states, Dtype::UInt64, resolution)?),
        (
            "max_bins",
            if is_limited { numbers(bytes, states, Dtype::UInt64, limit)? } else { nothing(states) },
        ),
        ("scale", if is_limited { scales(bytes, states)? } else { nothing(states) }),
    ];
    Ok((name, record(fields, states, bytes)?))
}

fn nothing(rows: usize) -> Box<dyn Array> {
    NullArray::new(Dtype::Null, rows).boxed()
}

/// Structs with these fields in any order, possibly without one of them.
fn record(
    mut fields: Vec<(&str, Box<dyn Array>)>,
    rows: usize,
    bytes: &mut Unstructured<'_>,
) -> Result<Box<dyn Array>> {
    if bytes.ratio(1u8, 16u8)? {
        fields.swap_remove(bytes.choose_index(fields.len())?);
    }
    let validity = validity(bytes, rows)?;
    let field =
        |(name, values): &(&str, Box<dyn Array>)| Field::new((*name).into(), values.dtype().clone(), true);
    let dtype = Dtype::Struct(fields.iter().map(field).collect());
    let values = fields.into_iter().map(|(_, values)| values).collect();
    Ok(StructArray::new(dtype, rows, values, validity).boxed())
}

/// The validity of rows, mostly all valid.
fn validity(bytes: &mut Unstructured<'_>, rows: usize) -> Result<Option<Bitmap>> {
    if !bytes.ratio(1u8, 8u8)? {
        return Ok(None);
    }
    let mask: u64 = bytes.arbitrary()?;
    Ok(Some((0..rows).map(|row| mask >> (row % 64) & 1 == 1).collect()))
}

fn truths(bytes: &mut Unstructured<'_>, rows: usize, usual: bool) -> Result<Box<dyn Array>> {
    let others: u64 = if bytes.ratio(1u8, 4u8)? { bytes.arbitrary()? } else { 0 };
    let values = (0..rows).map(|row| usual ^ (others >> (row % 64) & 1 == 1)).collect();
    Ok(BooleanArray::new(Dtype::Boolean, values, validity(bytes, rows)?).boxed())
}

fn scales(bytes: &mut Unstructured<'_>, rows: usize) -> Result<Box<dyn Array>> {
    let one = bytes.choose(&["real", "probability", "rea", ""])?;
    let words: Vec<Option<&str>> = (0..rows)
        .map(|_| Ok(if bytes.ratio(1u8, 16u8)? { None } else { Some(*one) }))
        .collect::<Result<_>>()?;
    Ok(Utf8ViewArray::from_slice(words).boxed())
}

/// Numbers, mostly of the usual dtype and with the usual values.
fn numbers(
    bytes: &mut Unstructured<'_>,
    rows: usize,
    usual: Dtype,
    value: impl Fn(&mut Unstructured<'_>, usize) -> Result<f64>,
) -> Result<Box<dyn Array>> {
    let odd = [
        Dtype::Int8,
        Dtype::Int64,
        Dtype::UInt32,
        Dtype::Float32,
        Dtype::Float64,
        Dtype::Decimal(38, 2),
        Dtype::Decimal(38, 30),
        Dtype::Null,
        Dtype::Utf8View,
        Dtype::Boolean,
        Dtype::Int128,
        Dtype::UInt64,
    ];
    let dtype = if bytes.ratio(1u8, 16u8)? { bytes.choose(&odd)?.clone() } else { usual };
    let mut values = Vec::with_capacity(rows);
    for row in 0..rows {
        let extremes =
            [-1.0, 0.0, -0.0, f64::NAN, f64::INFINITY, 4_398_046_511_104.0, 4_398_046_511_105.0, 1e20, 2e19];
        let is_extreme = bytes.ratio(1u8, 16u8)?;
        values.push(if is_extreme { *bytes.choose(&extremes)? } else { value(bytes, row)? });
    }
    let validity = validity(bytes, rows)?;
    // Float conversions saturate at the limits of each type.
    macro_rules! primitive {
        ($type:ty) => {
            PrimitiveArray::<$type>::from_vec(values.iter().map(|&value| value as $type).collect())
        };
    }
    macro_rules! array {
        ($type:ty) => {
            primitive!($type).with_validity(validity).boxed()
        };
    }
    Ok(match dtype {
        Dtype::Int8 => array!(i8),
        Dtype::Int64 => array!(i64),
        Dtype::UInt32 => array!(u32),
        Dtype::UInt64 => array!(u64),
        Dtype::Int128 => array!(i128),
        Dtype::Float32 => array!(f32),
        Dtype::Float64 => array!(f64),
        Dtype::Decimal(_, decimals) => {
            let unit = 10f64.powi(decimals as i32);
            let units = values.iter().map(|&value| (value * unit) as i128).collect();
            PrimitiveArray::<i128>::from_vec(units).to(dtype).with_validity(validity).boxed()
        }
        Dtype::Boolean => {
            BooleanArray::from_slice(values.iter().map(|&value| value > 0.0).collect::<Vec<_>>()).boxed()
        }
        Dtype::Utf8View => Utf8ViewArray::from_slice_values(vec!["1"; rows]).boxed(),
        _ => nothing(rows),
    })
}
