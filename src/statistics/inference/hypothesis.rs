//! The hypothesis of a test: that a parameter has one value, or that it is within a margin of it. The null
//! distribution of a rank statistic.

use super::alternative::Alternative;
use crate::statistics::options::{OptionError, Options, words};

/// The hypothesis of a test.
///
/// Without a margin the null hypothesis is a single value. With a margin it is a range, and its rejection
/// shows that the parameter is on the right side of a bound. `Greater`: above `null - margin`,
/// non-inferiority if higher is better. `Less`: below `null + margin`. `TwoSided`: between both bounds,
/// equivalence by two one-sided tests (Schuirmann 1987).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hypothesis {
    /// The direction of the alternative.
    pub alternative: Alternative,
    /// The null value; `None` for the default.
    pub null: Option<f64>,
    /// The margin around the null value.
    pub margin: Option<f64>,
}

/// The choice of the null distribution of a rank statistic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullDistribution {
    /// Exact for small groups.
    #[default]
    Auto,
    /// Exact whenever it can be enumerated.
    Exact,
    /// The limiting distribution for many rows.
    Asymptotic,
}

words!(NullDistribution { "auto" => Auto, "exact" => Exact, "asymptotic" => Asymptotic });

impl Hypothesis {
    /// The hypothesis about a parameter between `min` (-1 or 0) and 1.
    pub fn parse(options: &Options, min: f64) -> Result<Self, OptionError> {
        let number = |name: &str| options.has(name).then(|| options.value(name).number());
        let (null, margin) = (number("null"), number("margin"));
        if null.is_some_and(|null| !(min..=1.0).contains(&null)) {
            return Err(options.must_be("null", format_args!("be a number from {min} to 1")));
        }
        if margin.is_some_and(|margin| !(0.0 < margin && margin < 1.0)) {
            return Err(options.must_be("margin", "lie between 0 and 1, such as 0.05"));
        }
        Ok(Hypothesis { alternative: options.word("alternative")?, null, margin })
    }

    /// The statistic and the p-value; undefined if only the standard error is 0. `above` returns the estimate
    /// minus a value, in the unit of `se`. With a margin the statistic is the distance from the decisive
    /// bound, positive on its right side for `Greater` and `TwoSided`.
    pub fn test(
        self,
        usual: f64,
        above: impl Fn(f64) -> f64,
        se: f64,
        upper_tail: impl Fn(f64) -> f64,
    ) -> (Option<f64>, Option<f64>) {
        let null = self.null.unwrap_or(usual);
        let from = |value: f64| in_standard_errors(above(value), se);
        let Some(margin) = self.margin else {
            let statistic = from(null);
            return (statistic, statistic.map(|statistic| self.alternative.p_value(statistic, upper_tail)));
        };
        match self.alternative {
            Alternative::Less => {
                let statistic = from(null + margin);
                (statistic, statistic.map(|statistic| upper_tail(-statistic)))
            }
            alternative => {
                let mut statistic = from(null - margin);
                if alternative == Alternative::TwoSided {
                    let upper = from(null + margin).map(|upper| -upper);
                    statistic = statistic.zip(upper).map(|(lower, upper)| lower.min(upper));
                }
                (statistic, statistic.map(upper_tail))
            }
        }
    }
}

/// A difference in standard errors. It is 0 for two scores that rank alike, with difference and standard
/// error 0. It is undefined if only the standard error is 0 (the classes overlap in neither score).
pub fn in_standard_errors(difference: f64, se: f64) -> Option<f64> {
    if difference == 0.0 && se == 0.0 {
        return Some(0.0);
    }
    (se > 0.0).then(|| difference / se)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal::upper_tail;

    fn p_value(alternative: Alternative, null: f64, margin: Option<f64>) -> f64 {
        let hypothesis = Hypothesis { alternative, null: Some(null), margin };
        hypothesis.test(0.0, |value| 0.75 - value, 0.1, upper_tail).1.unwrap()
    }

    #[test]
    fn tests_of_a_value_and_of_a_margin() {
        let normal = |z: f64| upper_tail(z);
        assert!((p_value(Alternative::TwoSided, 0.5, None) - 2.0 * normal(2.5)).abs() < 1e-15);
        assert!((p_value(Alternative::Greater, 0.5, None) - normal(2.5)).abs() < 1e-15);
        assert!((p_value(Alternative::Greater, 0.8, Some(0.1)) - normal(0.5)).abs() < 1e-15);
        assert!((p_value(Alternative::Less, 0.8, Some(0.1)) - normal(1.5)).abs() < 1e-14);
        // The upper bound is closer.
        assert!((p_value(Alternative::TwoSided, 0.7, Some(0.2)) - normal(1.5)).abs() < 1e-14);
    }

    #[test]
    fn without_an_error() {
        let hypothesis = Hypothesis::default();
        assert_eq!(hypothesis.test(0.5, |value| 0.5 - value, 0.0, upper_tail), (Some(0.0), Some(1.0)));
        assert_eq!(hypothesis.test(0.5, |value| 1.0 - value, 0.0, upper_tail), (None, None));
    }
}
