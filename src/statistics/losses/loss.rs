//! Losses of a probability.

use crate::ranking::ties::Count;
use crate::statistics::options::words;

/// A strictly proper loss of a probability. It is a value rather than a type, so that the walk over ties is
/// compiled once.
pub struct Loss {
    /// The largest loss.
    pub max: f64,
    /// The losses of a probability for a positive and for a negative label.
    pub losses: fn(f64) -> Count<f64>,
    /// The total loss of rows whose probability is their rate of positives.
    pub rate_loss: fn(Count<f64>) -> f64,
    /// The derivative, by the rate, of the mean loss of the rate itself.
    pub derivative: fn(Count<f64>) -> f64,
}

/// The squared error.
pub const SQUARED: Loss = Loss {
    max: 1.0,
    losses: |probability| Count { pos: (1.0 - probability).powi(2), neg: probability.powi(2) },
    rate_loss: |rows| rows.pos * rows.neg / rows.rows(),
    derivative: |rows| (rows.neg - rows.pos) / rows.rows(),
};

/// The logarithmic loss of a row.
pub const LOGARITHMIC: Loss = Loss {
    max: f64::INFINITY,
    losses: |probability| Count { pos: -probability.ln(), neg: -(-probability).ln_1p() },
    rate_loss: |rows| {
        let entropy = |part: f64| if part > 0.0 { -part * (part / rows.rows()).ln() } else { 0.0 };
        entropy(rows.pos) + entropy(rows.neg)
    },
    derivative: |rows| (rows.neg / rows.pos).ln(),
};

/// A loss by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossName {
    /// The squared error.
    BrierScore,
    /// The logarithmic loss.
    LogLoss,
}

words!(LossName { "brier_score" => BrierScore, "log_loss" => LogLoss });

impl LossName {
    /// The loss.
    pub fn loss(self) -> &'static Loss {
        match self {
            LossName::BrierScore => &SQUARED,
            LossName::LogLoss => &LOGARITHMIC,
        }
    }
}
