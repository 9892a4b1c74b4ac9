//! Any bytes are either the keyword arguments of an expression, which is planned or rejected with a message,
//! or invalid.
//!
//! The first byte selects the expression, the second the columns. The pickle follows.

#![no_main]

use arrow::datatypes::{ArrowDataType as Dtype, Field};
use libfuzzer_sys::fuzz_target;

// This target makes no calls.
#[allow(dead_code)]
mod plugin;

/// A column of a call, as a List column.
fn listed(name: &str, dtype: Dtype) -> Field {
    Field::new(name.into(), Dtype::LargeList(Box::new(Field::new("item".into(), dtype, true))), true)
}

fuzz_target!(init: plugin::watch_panics(), |bytes: &[u8]| {
    let [name, columns, pickle @ ..] = bytes else { return };
    let expression = &plugin::EXPRESSIONS[usize::from(*name) % plugin::EXPRESSIONS.len()];
    let all = [
        listed("score", Dtype::Float64),
        listed("label", Dtype::Boolean),
        listed("weight", Dtype::Float64),
        listed("fold", Dtype::Int64),
        Field::new("auc".into(), Dtype::Float64, true),
        Field::new("n".into(), Dtype::Int64, true),
    ];
    // Up to four columns, starting at any of these.
    let (first, count) = (usize::from(columns % 6), usize::from(columns / 6 % 5));
    let fields: Vec<Field> = all.iter().cycle().skip(first).take(count).cloned().collect();
    let planned = expression.planned(&fields, pickle);
    // Planning is deterministic, also for rejections.
    assert_eq!(planned, expression.planned(&fields, pickle));
    // Without columns every expression is rejected.
    assert!(count > 0 || planned.is_err());
});
