//! The dtypes that the fields of an answer take from the inputs.

use arrow::datatypes::{ArrowDataType as Dtype, Field};

/// The dtypes that fields take from the inputs.
#[derive(Clone)]
pub struct Dtypes {
    /// Of the score.
    pub score: Dtype,
    /// Of the key, with what Polars says of it beside the dtype.
    pub key: Field,
    /// Of a mass: a count, or a sum of weights.
    pub mass: Dtype,
}

impl Dtypes {
    /// Those of a statistic without keys.
    pub fn of_score(score: Dtype, weighted: bool) -> Self {
        let mass = if weighted { Dtype::Float64 } else { Dtype::UInt64 };
        Dtypes { score, key: Field::default(), mass }
    }

    /// Whether rows have weights.
    pub fn have_weights(&self) -> bool {
        self.mass == Dtype::Float64
    }
}
