//! Validation of the dtypes of columns of states, which may come from other programs.

use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::{count, score};
use crate::plugin::arrays::dtype;
use crate::states::weight_sums::DECIMALS;
use crate::statistics::kinds::record::Record;
use crate::statistics::states::roc_state::{BIN, RocStateRecord};

/// Counts of rows: non-negative integers.
pub const COUNTS: [&str; 5] = ["n_pos", "n_neg", "n_missing", "resolution", "max_bins"];

/// Sums of the squared weights of positives and of negatives, in bins of weighted rows.
pub const SQUARES: [&str; 2] = ["pos_squares", "neg_squares"];

/// The dtypes within a column of states.
pub struct StateDtypes<'a> {
    /// The field of the scores.
    pub score: &'a Field,
    /// Whether positives and negatives are sums of weights.
    pub has_weights: bool,
}

/// Validates a column of states, and returns its dtypes.
pub fn check<'a>(name: &str, item: &'a Field) -> Result<StateDtypes<'a>, String> {
    let refused = |problem: String| {
        format!(
            "state \"{name}\" {problem}, expected structs from roc_state(label, score): bins (a list of \
             structs: score, the integers pos and neg, or decimals of 1 to 18 places, both, if rows have weights, the \
             Boolean tied), the integers {}, has_nan (Boolean) and scale \
             (String)",
            COUNTS.join(", ")
        )
    };
    if matches!(item.dtype(), Dtype::BinaryView | Dtype::LargeBinary) {
        return Err(format!(
            "state \"{name}\" has dtype binary, expected structs. Hint: for packed states write unpack_state(\"{name}\")"
        ));
    }
    let Dtype::Struct(fields) = item.dtype() else {
        return Err(refused(format!("has dtype {}", dtype::display(item))));
    };
    let field_of = |fields: &'a [Field], name: &str, within: &str| {
        let field = fields.iter().find(|field| field.name == name);
        field.ok_or_else(|| refused(format!("has no field {name}{within}")))
    };
    let wrong =
        |field: &Field| refused(format!("has a field {} of dtype {}", field.name, dtype::display(field)));
    for record_field in RocStateRecord::FIELDS {
        let field = field_of(fields, record_field.name, "")?;
        let fits = match (field.name.as_str(), field.dtype()) {
            ("bins", Dtype::LargeList(_)) | ("has_nan", Dtype::Boolean) => true,
            ("scale", Dtype::Utf8View | Dtype::Null) | ("max_bins", Dtype::Null) => true,
            (name, _) => COUNTS.contains(&name) && is_whole(field),
        };
        if !fits {
            return Err(wrong(field));
        }
    }
    let bins = dtype::listed(field_of(fields, "bins", "")?)?;
    let Dtype::Struct(bin) = bins.dtype() else { return Err(wrong(field_of(fields, "bins", "")?)) };
    let has_weights = is_sum(field_of(bin, "pos", " in its bins")?);
    let is_number = if has_weights { is_sum } else { is_whole };
    for (name, is_right) in [("pos", is_number as fn(&Field) -> bool), ("neg", is_number), ("tied", is_truth)]
    {
        let field = field_of(bin, name, " in its bins")?;
        if !is_right(field) {
            return Err(wrong(field));
        }
    }
    // States of earlier versions have no squares.
    let squares = bin.iter().filter(|field| has_weights && SQUARES.contains(&field.name.as_str()));
    if let Some(field) = squares.into_iter().find(|field| !is_sum(field) && field.dtype() != &Dtype::Null) {
        return Err(wrong(field));
    }
    let scores = field_of(bin, BIN[0].name, " in its bins")?;
    if score::check("score", name, scores).is_err() {
        return Err(wrong(scores));
    }
    Ok(StateDtypes { score: scores, has_weights })
}

/// The error for states of weighted rows where counts are required.
pub fn weights_message(name: &str) -> String {
    format!("state \"{name}\" is of weighted rows, expected states without weights")
}

fn is_sum(field: &Field) -> bool {
    matches!(field.dtype(), Dtype::Decimal(_, decimals) if (1..=DECIMALS as usize).contains(decimals))
}

/// Whether the values are integers, or decimals with scale 0, which Spark uses for unsigned integers.
fn is_whole(field: &Field) -> bool {
    matches!(field.dtype(), Dtype::Decimal(_, 0)) || count::check("", field).is_ok()
}

fn is_truth(field: &Field) -> bool {
    matches!(field.dtype(), Dtype::Boolean)
}
