//! Statistics of several columns row by row, which answer each group with one record.

use super::record::{Record, Value};
use crate::statistics::rows::Rows;

/// Which columns a statistic of rows takes, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// How many scores; `None` for two or more.
    pub scores: Option<usize>,
    /// Whether a label follows.
    pub label: bool,
    /// Whether the cluster of each row follows, beside another key.
    pub cluster: bool,
    /// The key, which comes last, if the statistic takes one.
    pub key: Option<KeyInput>,
    /// Whether states may stand in place of the score and the label: the statistic then reads
    /// [`counted`](Rows::counted) rows, and [placements](Needs::key_placements) by key.
    pub states: bool,
}

/// The key column of a statistic of rows: folds, clusters, segments, classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyInput {
    /// What it is called.
    pub role: &'static str,
    /// Whether it may be left out.
    pub is_optional: bool,
    /// How many distinct keys a group may have: more are an error.
    pub most: usize,
    /// Whether the statistic handles NaN scores itself, key by key. It then gets the rows with
    /// [`nan_keys`](Rows::nan_keys).
    pub nan_by_key: bool,
}

/// What the values of a key column are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyKind<'a> {
    /// Any plain values; their places are in their order.
    #[default]
    Any,
    /// Any plain values, in the order in which tables show them: what is missing comes last, and not first.
    MissingLast,
    /// Truth values, as labels are: false has place 0, and true place 1.
    Truth,
    /// These names and no others, as text; each has its place here, and a [`Name`](super::record::Name) in the record is one
    /// of them. They say what the score columns are for, in order.
    Among(&'a [String]),
    /// Any plain values, with a column of truth values behind them that says which rows are of the reference: its key
    /// has place 0, and all others follow in their order. The reference is given in words, for messages.
    Against(&'a str),
    /// Structs whose last field is an axis, such as time: keys with the same other fields are one series, in the order of
    /// that field.
    Series,
}

/// The facts about the scores that a statistic of rows needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The place of each row among the distinct scores.
    pub codes: bool,
    /// How many rows of the other class each row beats.
    pub placements: bool,
    /// Of several scores, sums of products of the placements instead; if there are many scores, or if rows have keys, the
    /// placements themselves.
    pub placement_products: bool,
    /// The same among the rows of its key alone, summed key by key.
    pub key_placements: bool,
    /// The placements of each key's rows, by a single score, among its own rows, all rows and those of other keys.
    pub all_placements: bool,
    /// How far the curve of each key's rows and that of all rows are from the diagonal, by the same score.
    pub farthest: bool,
    /// How many rows of each key something is missing in.
    pub skipped: bool,
    /// The values of all scores.
    pub values: bool,
    /// Rows without a label as well, with any label.
    pub unlabelled: bool,
}

impl Needs {
    /// Codes alone.
    pub const CODES: Needs = Needs { codes: true, ..Needs::NOTHING };

    /// Placements alone.
    pub const PLACEMENTS: Needs = Needs { placements: true, ..Needs::NOTHING };

    /// Sums of products of the placements of several scores alone.
    pub const PLACEMENT_PRODUCTS: Needs = Needs { placement_products: true, ..Needs::NOTHING };

    /// Placements key by key alone.
    pub const KEY_PLACEMENTS: Needs = Needs { key_placements: true, ..Needs::NOTHING };

    /// Placements of keys among all rows alone.
    pub const ALL_PLACEMENTS: Needs = Needs { all_placements: true, ..Needs::NOTHING };

    /// The same, and what else the numbers of each key's rows and of all rows need.
    pub const SUMMARIES: Needs = Needs { farthest: true, skipped: true, ..Needs::ALL_PLACEMENTS };

    /// Values alone.
    pub const VALUES: Needs = Needs { values: true, ..Needs::NOTHING };

    const NOTHING: Needs = Needs {
        codes: false,
        placements: false,
        placement_products: false,
        key_placements: false,
        all_placements: false,
        farthest: false,
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

    /// The same, or states in place of the score and the label.
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
        KeyInput { role, is_optional: false, most: usize::MAX, nan_by_key: false }
    }
}

/// A statistic of several columns row by row, which answers each group with one record.
pub trait Joint: Sync {
    /// The record of a group. No field is a threshold, so the type of its key does not matter.
    type Record: Record;

    /// The columns that the statistic takes.
    const INPUTS: Inputs;

    /// Whether rows may have [`weights`](Rows::weights).
    const WEIGHTS: bool = false;

    /// Whether states may be of rows with weights. The statistic then reads [`weighted`](Rows::weighted) rows.
    fn takes_weighted_states(&self) -> bool {
        false
    }

    /// The facts about the scores that the statistic needs.
    fn needs(&self) -> Needs {
        Needs::CODES
    }

    /// The same of rows with weights.
    fn needs_with_weights(&self) -> Needs {
        self.needs()
    }

    /// About how often the statistic goes through the rows of a group: its cost per row.
    fn passes(&self) -> usize {
        4
    }

    /// What the values of the key column are.
    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Any
    }

    /// The place of the score that the options name, if any. It must be one of the scores.
    fn reference_score(&self) -> Option<usize> {
        None
    }

    /// Checks the rows of a group without NaN scores, if the statistic is for some scores only.
    fn check_rows(&self, _rows: &Rows) -> Result<(), String> {
        Ok(())
    }

    /// The record of a group. A field that is undefined there is `None`.
    fn of_rows(&self, rows: &Rows) -> Self::Record;

    /// The record of a group that has a NaN score: numbers that would depend on ranks are NaN.
    fn of_nan(&self, rows: &Rows) -> Self::Record {
        Value::nan(rows.into())
    }
}
