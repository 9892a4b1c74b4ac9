//! The alternative hypothesis of a test.

use crate::statistics::options::words;

/// Which departure from the null hypothesis is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alternative {
    /// A departure to either side.
    #[default]
    TwoSided,
    /// Positives tend to score higher.
    Greater,
    /// Positives tend to score lower.
    Less,
}

words!(Alternative { "two-sided" => TwoSided, "greater" => Greater, "less" => Less });

impl Alternative {
    /// The p-value of a statistic that is symmetric around 0 under the null hypothesis, and whose upper tail
    /// is this. NaN stays NaN.
    pub fn p_value(self, statistic: f64, upper_tail: impl Fn(f64) -> f64) -> f64 {
        match self {
            // Twice a tail at 0 that rounding lifted above a half is still no more than 1. (`min` would make 1 of NaN.)
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
    fn nan_stays_nan() {
        for alternative in [Alternative::TwoSided, Alternative::Greater, Alternative::Less] {
            assert!(alternative.p_value(f64::NAN, |z| z).is_nan());
        }
        assert_eq!(Alternative::TwoSided.p_value(0.0, |_| 0.500_000_1), 1.0);
    }
}
