//! The alternative hypothesis of a test.

use crate::statistics::options::words;

/// The alternative hypothesis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alternative {
    /// Two-sided.
    #[default]
    TwoSided,
    /// Positives tend to score higher.
    Greater,
    /// Positives tend to score lower.
    Less,
}

words!(Alternative { "two-sided" => TwoSided, "greater" => Greater, "less" => Less });

impl Alternative {
    /// The p-value of a statistic with a distribution symmetric around 0 under the null hypothesis, and this
    /// upper tail. NaN is preserved.
    pub fn p_value(self, statistic: f64, upper_tail: impl Fn(f64) -> f64) -> f64 {
        match self {
            // Rounding may lift the tail at 0 above one half; twice the tail is limited to 1. (`min` would
            // turn NaN into 1.)
            Alternative::TwoSided => {
                let both = 2.0 * upper_tail(statistic.abs());
                if both > 1.0 { 1.0 } else { both }
            }
            Alternative::Greater => upper_tail(statistic),
            Alternative::Less => upper_tail(-statistic),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_preserved() {
        for alternative in [Alternative::TwoSided, Alternative::Greater, Alternative::Less] {
            assert!(alternative.p_value(f64::NAN, |z| z).is_nan());
        }
        assert_eq!(Alternative::TwoSided.p_value(0.0, |_| 0.500_000_1), 1.0);
    }
}
