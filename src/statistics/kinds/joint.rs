//! Statistics of several columns row by row, with one record per group.

use super::record::{Record, Value};
use crate::statistics::rows::Rows;

/// The columns of a statistic of rows, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// The number of scores; `None` for two or more.
    pub scores: Option<usize>,
    /// Whether a label follows.
    pub label: bool,
    /// Whether a cluster column follows, in addition to another key.
    pub cluster: bool,
    /// The key, which is the last column, if any.
    pub key: Option<KeyInput>,
    /// Whether states may replace the score and the label. The statistic then reads
    /// [`counted`](Rows::counted) rows, and [placements](Needs::key_placements) by key.
    pub states: bool,
}

/// The key column of a statistic of rows: folds, clusters, segments, classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyInput {
    /// The name.
    pub role: &'static str,
    /// Whether it is optional.
    pub is_optional: bool,
    /// The maximum number of distinct keys of a group.
    pub max: usize,
    /// Whether the statistic handles NaN scores itself, key by key. It then gets the rows with
    /// [`nan_keys`](Rows::nan_keys).
    pub nan_by_key: bool,
}

/// The values of a key column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyKind<'a> {
    /// Any plain values, with indices in sorted order.
    #[default]
    Any,
    /// Any plain values, in the order of tables: missing values last.
    MissingLast,
    /// Booleans as labels: false has index 0, and true index 1.
    Truth,
    /// Only these names, as text. Each has its index here, and a [`Name`](super::record::Name) in the record
    /// is one of them. They describe the score columns, in order.
    Among(&'a [String]),
    /// Any plain values, followed by a boolean column that marks the rows of the reference. Its key has index
    /// 0, and all others follow in sorted order. The string is the name of the reference, for messages.
    Against(&'a str),
    /// Structs whose last field is an axis, such as time. Keys with the same other fields form a series,
    /// ordered by that field.
    Series,
}

/// The derived inputs that a statistic of rows needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The index of each row's score among the distinct scores.
    pub codes: bool,
    /// The number of rows of the other class that each row beats.
    pub placements: bool,
    /// For several scores, sums of products of the placements instead. If there are many scores, or if rows
    /// have keys, the placements themselves.
    pub placement_products: bool,
    /// The placements within each key, summed by key.
    pub key_placements: bool,
    /// The placements of each key's rows by a single score: within the key, among all rows, and among other
    /// keys.
    pub all_placements: bool,
    /// The distances of the curves of each key and of all rows from the diagonal, by the same score.
    pub ks_distance: bool,
    /// The number of rows of each key with a missing value.
    pub skipped: bool,
    /// The values of all scores.
    pub values: bool,
    /// Also rows without a label, with an arbitrary label.
    pub unlabelled: bool,
}

impl Needs {
    /// Only codes.
    pub const CODES: Needs = Needs { codes: true, ..Needs::NOTHING };

    /// Only placements.
    pub const PLACEMENTS: Needs = Needs { placements: true, ..Needs::NOTHING };

    /// Only sums of products of the placements of several scores.
    pub const PLACEMENT_PRODUCTS: Needs = Needs { placement_products: true, ..Needs::NOTHING };

    /// Only placements by key.
    pub const KEY_PLACEMENTS: Needs = Needs { key_placements: true, ..Needs::NOTHING };

    /// Only placements of keys among all rows.
    pub const ALL_PLACEMENTS: Needs = Needs { all_placements: true, ..Needs::NOTHING };

    /// The same, and all other inputs for the numbers of each key and of all rows.
    pub const SUMMARIES: Needs = Needs { ks_distance: true, skipped: true, ..Needs::ALL_PLACEMENTS };

    /// Only values.
    pub const VALUES: Needs = Needs { values: true, ..Needs::NOTHING };

    const NOTHING: Needs = Needs {
        codes: false,
        placements: false,
        placement_products: false,
        key_placements: false,
        all_placements: false,
        ks_distance: false,
        skipped: false,
        values: false,
        unlabelled: false,
    };
}

impl Inputs {
    /// Scores and a label.
    pub const fn scores(scores: Option<usize>) -> Self {
        Inputs { scores, label: true, cluster: false, key: None, states: false }
    }

    /// The same without a label.
    pub const fn without_label(self) -> Self {
        Inputs { label: false, ..self }
    }

    /// The same with a column of clusters before the key column.
    pub const fn clustered(self) -> Self {
        Inputs { cluster: true, ..self }
    }

    /// The same, with states as an alternative to the score and the label.
    pub const fn or_states(self) -> Self {
        Inputs { states: true, ..self }
    }

    /// The same with a key column.
    pub const fn keyed(self, key: KeyInput) -> Self {
        Inputs { key: Some(key), ..self }
    }
}

impl KeyInput {
    /// A key column of this name.
    pub const fn called(role: &'static str) -> Self {
        KeyInput { role, is_optional: false, max: usize::MAX, nan_by_key: false }
    }
}

/// A statistic of several columns row by row, with one record per group.
pub trait Joint: Sync {
    /// The record of a group. No field is a threshold, so the type of its keys does not matter.
    type Record: Record;

    /// The columns that the statistic takes.
    const INPUTS: Inputs;

    /// Whether rows may have [`weights`](Rows::weights).
    const WEIGHTS: bool = false;

    /// Whether states may have weights. The statistic then reads [`weighted`](Rows::weighted) rows.
    fn takes_weighted_states(&self) -> bool {
        false
    }

    /// The derived inputs that the statistic needs.
    fn needs(&self) -> Needs {
        Needs::CODES
    }

    /// The same for weighted rows.
    fn needs_with_weights(&self) -> Needs {
        self.needs()
    }

    /// The approximate number of passes over the rows of a group: its cost per row.
    fn passes(&self) -> usize {
        4
    }

    /// The kind of the key column.
    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Any
    }

    /// The index of the score that the options name, if any. It must be one of the scores.
    fn reference_score(&self) -> Option<usize> {
        None
    }

    /// Checks the rows of a group without NaN scores, if the statistic supports only some scores.
    fn check_rows(&self, _rows: &Rows) -> Result<(), String> {
        Ok(())
    }

    /// The record of a group. Undefined fields are `None`.
    fn evaluate(&self, rows: &Rows) -> Self::Record;

    /// The record of a group with a NaN score: numbers that depend on ranks are NaN.
    fn nan_record(&self, rows: &Rows) -> Self::Record {
        Value::nan(rows.into())
    }
}
