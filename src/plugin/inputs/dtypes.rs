//! The dtypes of result fields that depend on the inputs.

use arrow::datatypes::{ArrowDataType as Dtype, Field};

/// The dtypes that depend on the inputs.
#[derive(Clone)]
pub struct Dtypes {
    /// The dtype of the score.
    pub score: Dtype,
    /// The field of the key, with Polars' metadata.
    pub key: Field,
    /// The dtype of a mass: a count, or a sum of weights.
    pub mass: Dtype,
}

impl Dtypes {
    /// The dtypes of a statistic without keys.
    pub fn from_score(score: Dtype, weighted: bool) -> Self {
        let mass = if weighted { Dtype::Float64 } else { Dtype::UInt64 };
        Dtypes { score, key: Field::default(), mass }
    }

    /// Whether rows have weights.
    pub fn have_weights(&self) -> bool {
        self.mass == Dtype::Float64
    }
}
