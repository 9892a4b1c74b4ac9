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
    standard("alpha", ParameterKind::Number, "The significance level of the test, between 0 and 1."),
    standard(
        "alternative",
        ParameterKind::Word(words::<Alternative>),
        "The alternative hypothesis: `\"two-sided\"`, `\"greater\"` or `\"less\"`.",
    ),
    standard(
        "cluster",
        ParameterKind::Column,
        "The cluster of each row, such as the customer: rows of the same cluster are not independent.",
    ),
    standard(
        "count",
        ParameterKind::Column,
        "The number of identical rows that each row represents: a column of integers, 0 or more. The result equals \
         the result of the repeated rows. Rows with a count of 0 or null are skipped.",
    ),
    standard(
        "label",
        ParameterKind::Column,
        "Boolean, or an integer or float column that contains only 0 and 1.",
    ),
    standard("level", ParameterKind::Number, "The confidence level, between 0 and 1."),
    standard(
        "margin",
        ParameterKind::Number,
        "Tests against a bound instead of `null`. A small p-value shows that the value is above `null - margin` \
         (`alternative=\"greater\"`: non-inferiority), below `null + margin` (`\"less\"`), or between both \
         (`\"two-sided\"`: equivalence, by two one-sided tests).",
    ),
    standard("n_resamples", ParameterKind::Integer, "The number of resamples, from 2 to 10^7."),
    standard("null", ParameterKind::Number, "The value under the null hypothesis."),
    standard("score", ParameterKind::Column, "Any numeric or Boolean column; higher means more positive."),
    standard("score_a", ParameterKind::Column, "Any numeric or Boolean columns; higher means more positive."),
    standard("score_b", ParameterKind::Column, ""),
    standard(
        "seed",
        ParameterKind::Integer,
        "The seed of the random numbers, 0 or more. With the same seed, the result does not depend on row order, group \
         order, thread count or engine.",
    ),
    standard("state", ParameterKind::Column, "A column of states from `roc_state()`."),
    standard(
        "weight",
        ParameterKind::Column,
        "The weight of each row: a column of finite numbers, 0 or more. Rows with a weight of 0 or null are skipped.",
    ),
];
