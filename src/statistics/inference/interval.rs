//! An interval: a standard error and two limits, and the coverage that it is to have.

use crate::math::normal::upper_quantile;

/// The standard error of an estimate, and the limits of its normal interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// The standard error.
    pub se: Option<f64>,
    /// The lower limit.
    pub lower: Option<f64>,
    /// The upper limit.
    pub upper: Option<f64>,
}

impl Limits {
    /// Limits of coverage `level`, clipped to what the estimate can be; undefined without a variance.
    pub fn of(estimate: f64, variance: Option<f64>, level: f64, (least, most): (f64, f64)) -> Self {
        let Some(variance) = variance else {
            return Limits::default();
        };
        let (z, se) = (upper_quantile(0.5 * (1.0 - level)), variance.sqrt());
        let (lower, upper) = ((estimate - z * se).max(least), (estimate + z * se).min(most));
        Limits { se: Some(se), lower: Some(lower), upper: Some(upper) }
    }

    /// Limits of an area.
    pub fn of_area(area: f64, variance: Option<f64>, level: f64) -> Self {
        Self::of(area, variance, level, (0.0, 1.0))
    }
}

/// Says what is wrong with a coverage.
pub fn check_level(level: f64) -> Result<(), String> {
    if 0.0 < level && level < 1.0 {
        Ok(())
    } else {
        Err(format!("level must lie between 0 and 1, such as 0.95, got {level}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipped() {
        let limits = Limits::of_area(0.9, Some(0.01), 0.95);
        assert_eq!((limits.se, limits.upper), (Some(0.1), Some(1.0)));
        assert!((limits.lower.unwrap() - (0.9 - 0.195_996_398_454_005_4)).abs() < 1e-10);
        assert_eq!(Limits::of_area(0.9, None, 0.95), Limits::default());
    }
}
