//! Rates at a threshold, row by row.

use crate::statistics::options::{OptionError, Options, Word, words};

/// A rate at a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// Among all rows, positives predicted positive and negatives predicted negative.
    Accuracy,
    /// Among positives, rows predicted positive.
    Tpr,
    /// Among negatives, rows predicted positive.
    Fpr,
    /// Among rows predicted positive, positives.
    Ppv,
    /// Among all rows, rows predicted positive.
    SelectionRate,
}
words!(Rate { "tpr" => Tpr, "fpr" => Fpr, "ppv" => Ppv, "selection_rate" => SelectionRate, "accuracy" => Accuracy });

/// A rate whose denominator does not depend on the score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairedRate(pub Rate);

impl Word for PairedRate {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("accuracy", PairedRate(Rate::Accuracy)),
        ("tpr", PairedRate(Rate::Tpr)),
        ("fpr", PairedRate(Rate::Fpr)),
        ("selection_rate", PairedRate(Rate::SelectionRate)),
    ];
}

impl Rate {
    /// Whether a row counts for the rate; `None` if it is not in the denominator.
    #[inline]
    pub fn outcome(self, label: bool, is_called: bool) -> Option<bool> {
        match self {
            Rate::Accuracy => Some(label == is_called),
            Rate::Tpr => label.then_some(is_called),
            Rate::Fpr => (!label).then_some(is_called),
            Rate::Ppv => is_called.then_some(label),
            Rate::SelectionRate => Some(is_called),
        }
    }
}

/// A threshold as a float.
pub fn threshold(options: &Options, name: &str) -> Result<f64, OptionError> {
    let number = options.value(name).number();
    if number.is_nan() { Err(options.must_be(name, "be a number, such as 0.5")) } else { Ok(number) }
}
