//! The type of the scores of a group, as statistics need it.

use super::key::{Key, Score, Width};
use super::keys::Keys;
use super::number::{Domain, Number};

/// A score type, independent of the type of keys.
#[derive(Clone, Copy, Debug)]
pub struct ScoreType {
    at_least: fn(Number) -> Option<u128>,
    value: fn(u128) -> f64,
    values: fn(&Keys) -> Vec<f64>,
    width: Width,
    domain: Domain,
}

impl ScoreType {
    /// The score type for values stored as `S` within a domain.
    pub fn new<S: Score>(domain: Domain) -> Self {
        ScoreType {
            at_least: |number| S::at_least(number).map(|score| score.key().wide()),
            value: |key| S::from_key(Key::narrow(key)).position(),
            values: |keys| {
                let keys = keys.slice::<S::Key>().unwrap_or_default();
                keys.iter().map(|&key| S::from_key(key).position()).collect()
            },
            width: S::Key::WIDTH,
            domain,
        }
    }

    /// The width of the keys.
    pub fn width(&self) -> Width {
        self.width
    }

    /// The key of the lowest possible score that is not below a number; `None` if all are.
    pub fn at_least(&self, number: Number) -> Option<u128> {
        number.up_to(self.domain).and_then(self.at_least)
    }

    /// The keys of the lowest and the highest score; the keys of NaN lie outside.
    pub fn ends(&self) -> (u128, u128) {
        let highest = match self.domain {
            Domain::Whole { highest, decimals, .. } => Number::Decimal { digits: highest, decimals },
            _ => Number::Float(f64::INFINITY),
        };
        let lowest = self.at_least(Number::Float(f64::NEG_INFINITY)).unwrap_or(0);
        // Unbounded integers use all keys.
        (lowest, self.at_least(highest).unwrap_or(u128::MAX >> (u128::BITS - self.width as u32)))
    }

    /// Whether a key represents a score.
    pub fn holds(&self, key: u128) -> bool {
        let (lowest, highest) = self.ends();
        let is_half = || self.at_least(Number::Float(self.value(key))) == Some(key);
        (lowest..=highest).contains(&key) && (!self.is_half() || is_half())
    }

    /// Whether scores are half-precision floats, which are stored in wider ones.
    pub fn is_half(&self) -> bool {
        self.domain == Domain::Half
    }

    /// The score of a key as a float, rounded if necessary.
    pub fn value(&self, key: u128) -> f64 {
        (self.value)(key) / self.unit()
    }

    /// The scores of many keys as floats.
    pub fn values(&self, keys: &Keys) -> Vec<f64> {
        let unit = self.unit();
        (self.values)(keys).into_iter().map(|value| value / unit).collect()
    }

    /// The divisor of stored values.
    pub(crate) fn unit(&self) -> f64 {
        match self.domain {
            // The scale of a decimal type is a power of ten, which a float represents exactly up to 22
            // digits.
            Domain::Whole { decimals, .. } => 10f64.powi(decimals as i32),
            _ => 1.0,
        }
    }
}
