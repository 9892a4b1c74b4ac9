//! An interval: a standard error and two limits of a given coverage.

use crate::math::quantile::{mean_and_deviation, sorted_quantile};
use crate::math::{normal, student_t};
use crate::ranking::ties::Count;
use crate::statistics::kinds::{Column, Field, FieldKind};
use crate::statistics::kinds::{Value, record};

record! {
    /// The standard error of an estimate, and its confidence limits; all are null where the error is undefined.
    #[derive(Copy, Default)]
    pub struct Interval {
        /// The standard error.
        pub se: Option<f64>,
        /// The lower limit.
        pub lower: Option<f64>,
        /// The upper limit.
        pub upper: Option<f64>,
    }
}

impl Interval {
    /// Limits at this number of standard errors on either side of an estimate.
    pub fn around(estimate: f64, se: f64, errors: f64) -> Self {
        let margin = errors * se;
        Interval { se: Some(se), lower: Some(estimate - margin), upper: Some(estimate + margin) }
    }

    /// Normal limits of coverage `level`.
    pub fn normal(estimate: f64, se: f64, level: f64) -> Self {
        Self::around(estimate, se, normal::upper_quantile(tail(level)))
    }

    /// Student's t limits of coverage `level`; normal if `df` is infinite.
    pub fn student(estimate: f64, se: f64, level: f64, df: f64) -> Self {
        Self::around(estimate, se, student_t::upper_quantile(tail(level), df))
    }

    /// Normal limits of an area, clipped; undefined without an area or its variance.
    pub fn from_area(area: Option<f64>, variance: Option<f64>, level: f64) -> Self {
        let interval =
            |(area, variance): (f64, f64)| Self::normal(area, variance.sqrt(), level).within(0.0, 1.0);
        area.zip(variance).map(interval).unwrap_or_default()
    }

    /// Limits between two quantiles of resampled estimates, in ascending order.
    pub fn between(se: f64, resampled: &[f64], (low, high): (f64, f64)) -> Self {
        let limit = |probability| Some(sorted_quantile(resampled, probability));
        Interval { se: Some(se), lower: limit(low), upper: limit(high) }
    }

    /// The standard deviation of resampled estimates, and their quantiles as limits of coverage `level`.
    pub fn from_resamples(mut resampled: Vec<f64>, level: f64) -> Self {
        // Sorted before summation, so that equal samples have equal sums.
        resampled.sort_unstable_by(f64::total_cmp);
        Self::between(mean_and_deviation(&resampled).1, &resampled, (tail(level), 1.0 - tail(level)))
    }

    /// The limits clipped to the range of the estimate. NaN is preserved.
    pub fn within(self, min: f64, max: f64) -> Self {
        Interval {
            lower: self.lower.map(|lower| if lower < min { min } else { lower }),
            upper: self.upper.map(|upper| if upper > max { max } else { upper }),
            ..self
        }
    }
}

macro_rules! named_by_field {
    ($($(#[$doc:meta])* $name:ident: $($(#[$part_doc:meta])* $part:ident $ending:literal),*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$part_doc])* pub $part: Option<f64>,)*
        }

        impl Value for $name {
            const COLUMNS: &'static [Field] = &[$(Field { name: $ending, kind: FieldKind::Number }),*];

            fn nan(_: Count) -> Self {
                $name { $($part: Some(f64::NAN)),* }
            }

            fn undefined(_: Count) -> Self {
                $name::default()
            }

            fn write(self, columns: &mut std::slice::IterMut<'_, Column>) {
                $(self.$part.write(columns);)*
            }
        }
    )*};
}
named_by_field! {
    /// A rate with limits, for a field `x` of a record: the columns `x`, `x_lower` and `x_upper`.
    RateInterval:
        /// The rate.
        value "",
        /// The lower limit.
        lower "_lower",
        /// The upper limit.
        upper "_upper";
    /// An estimate with an interval, for a field `x` of a record: the columns `x`, `x_se`, `x_lower` and
    /// `x_upper`.
    Estimate:
        /// The estimate.
        value "",
        /// The standard error.
        se "_se",
        /// The lower limit.
        lower "_lower",
        /// The upper limit.
        upper "_upper";
}

impl RateInterval {
    /// A rate with limits, if available.
    pub fn new(value: Option<f64>, limits: Option<(f64, f64)>) -> Self {
        let (lower, upper) = limits.unzip();
        RateInterval { value, lower, upper }
    }
}

impl Estimate {
    /// An estimate with its interval.
    pub fn new(value: Option<f64>, Interval { se, lower, upper }: Interval) -> Self {
        Estimate { value, se, lower, upper }
    }
}

/// Welch-Satterthwaite degrees of freedom of the sum of two variances from these numbers of rows.
pub fn welch([v1, v2]: [f64; 2], [rows, others]: [f64; 2]) -> f64 {
    (v1 + v2).powi(2) / (v1.powi(2) / (rows - 1.0) + v2.powi(2) / (others - 1.0))
}

/// The probability beyond each limit of an interval with this coverage.
pub fn tail(level: f64) -> f64 {
    0.5 * (1.0 - level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipped() {
        let interval = Interval::from_area(Some(0.9), Some(0.01), 0.95);
        assert_eq!((interval.se, interval.upper), (Some(0.1), Some(1.0)));
        assert!((interval.lower.unwrap() - (0.9 - 0.195_996_398_454_005_4)).abs() < 1e-10);
        assert_eq!(Interval::from_area(Some(0.9), None, 0.95), Interval::default());
        assert_eq!(Interval::from_area(None, Some(0.01), 0.95), Interval::default());
        assert!(Interval::around(f64::NAN, 0.1, 2.0).within(0.0, 1.0).lower.unwrap().is_nan());
    }
}
