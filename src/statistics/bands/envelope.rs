//! A simultaneous band from resampled curves: the mean plus and minus a multiple of the standard deviation.

use crate::math::quantile::reach;
use crate::statistics::curve_samples::{
    curve_sample::{CurveSample, Limits},
    simultaneous_limits::{at_least_wilson, from_corner_to_corner},
};

/// The sup-t band (Montiel Olea and Plagborg-Møller 2019): the mean curve plus and minus a multiple of the
/// standard deviations. The multiple is the quantile `level` of the curves' largest standardised distance
/// from the mean. Places are ordered from rate 0 to rate 1. The standard deviations are [`at_least_wilson`].
pub fn limits(sample: &CurveSample, level: f64, n_pos: u64) -> Limits {
    let center = sample.means();
    let spread = at_least_wilson(sample.deviations(), &center, n_pos, level);
    let mut reaches = vec![0.0f64; sample.curves()];
    for (index, values) in sample.positions().iter().enumerate() {
        for (reach, value) in reaches.iter_mut().zip(values) {
            *reach = reach.max((value - center[index]).abs() / spread[index]);
        }
    }
    let reach = reach(reaches, level);
    let limit =
        |side: f64| center.iter().zip(&spread).map(|(mean, spread)| mean + side * reach * spread).collect();
    from_corner_to_corner(Limits { lower: limit(-1.0), upper: limit(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::normal::upper_quantile;

    /// All curves but one are within the limits; the farthest one is not.
    #[test]
    fn the_farthest_curves_are_left_out() {
        let curves: Vec<Vec<f64>> =
            (0..9).map(|curve| vec![0.1, 0.5 + 0.01 * f64::from(curve), 0.7, 0.9]).collect();
        let limits = super::limits(&CurveSample::new(&curves).unwrap(), 0.8, 10);
        // The eighth of nine: both outermost curves are equally far away.
        assert!(
            (limits.lower[1] - 0.5).abs() < 1e-12 && (limits.upper[1] - 0.58).abs() < 1e-12,
            "{limits:?}"
        );
        // The other places have no variance, so their deviation is Wilson's.
        let z = upper_quantile(0.1);
        let min = |share: f64| (share * (1.0 - share) / 10.0 + z * z / 400.0).sqrt() / (1.0 + z * z / 10.0);
        let reach = 0.04 / min(0.54);
        assert!((limits.upper[2] - 0.7 - reach * min(0.7)).abs() < 1e-12, "{limits:?}");
        assert!((limits.lower[3] - 0.9 + reach * min(0.9)).abs() < 1e-12, "{limits:?}");
        assert_eq!((limits.lower[0], limits.upper[3]), (0.0, 1.0));
    }
}
