//! Standard columns and options, which mean the same in every statistic, with their kinds and sentences.
//!
//! Docstrings begin with these sentences. After a change here, `python tests/python/package/generate.py`
//! rewrites them.

use crate::statistics::declaration::{ParameterKind, words};
use crate::statistics::inference::Alternative;

/// A parameter that means the same in every statistic.
#[derive(Clone, Copy, Debug)]
pub struct Standard {
    /// The name.
    pub name: &'static str,
    /// The kind.
    pub kind: ParameterKind,
    /// The description; empty if the sentence of the previous parameter covers both.
    pub text: &'static str,
}

const fn standard(name: &'static str, kind: ParameterKind, text: &'static str) -> Standard {
    Standard { name, kind, text }
}

/// The standard parameters.
pub const STANDARD: &[Standard] = &[
    standard("alpha", ParameterKind::Number, "The level of the test, between 0 and 1."),
    standard(
        "alternative",
        ParameterKind::Word(words::<Alternative>),
        "The alternative hypothesis: `\"two-sided\"`, `\"greater\"` or `\"less\"`.",
    ),
    standard(
        "cluster",
        ParameterKind::Column,
        "A column of clusters: the rows of one cluster, such as those of one customer, are not independent.",
    ),
    standard(
        "count",
        ParameterKind::Column,
        "The number of identical rows that each row represents: a column of integers that are not negative. The \
         result equals that of the repeated rows. Rows of count 0 or null are left out.",
    ),
    standard(
        "label",
        ParameterKind::Column,
        "Boolean, or an integer or float column that holds only 0 and 1.",
    ),
    standard("level", ParameterKind::Number, "The coverage, between 0 and 1."),
    standard(
        "margin",
        ParameterKind::Number,
        "With a margin, a small p-value shows that the value is above `null - margin` \
         (`alternative=\"greater\"`: not inferior), below `null + margin` (`\"less\"`), or between both \
         (`\"two-sided\"`: equivalent, by two one-sided tests).",
    ),
    standard("n_resamples", ParameterKind::Integer, "The number of resamples, from 2 to 10^7."),
    standard("null", ParameterKind::Number, "The value that is tested."),
    standard("score", ParameterKind::Column, "Any numeric or Boolean column; higher means more positive."),
    standard("score_a", ParameterKind::Column, "Any numeric or Boolean columns; higher means more positive."),
    standard("score_b", ParameterKind::Column, ""),
    standard(
        "seed",
        ParameterKind::Integer,
        "The seed of the random numbers, 0 or more. The same seed gives the same result for every order of rows and \
         groups, every number of threads and every engine.",
    ),
    standard("state", ParameterKind::Column, "A column of states from `roc_state()`."),
    standard(
        "weight",
        ParameterKind::Column,
        "The weight of each row: a column of finite numbers that are not negative. Rows of weight 0 or null are left \
         out.",
    ),
];
