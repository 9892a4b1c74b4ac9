//! The studentised band from a smoothed bootstrap.

use crate::ranking::ties::Count;
use crate::statistics::curve_samples::{
    curve_likelihood::Path,
    curve_sample::{BandAtRates, CurveSample, Limits},
    simultaneous_limits::{at_least_wilson, from_corner_to_corner},
    smooth_curve::SmoothCurve,
    sweep::{Sweep, even_rates},
};
use crate::statistics::resampling::{Draw, Redraw, Resampling};

/// Rates from 0 to 1, the curve there, and the limits of its tpr (Martínez-Camblor, Pérez-Fernández and
/// Corral 2018). The method is PSN of Pérez-Fernández, Martínez-Camblor, Filzmoser and Corral (2018).
///
/// Samples of the same size come from a smooth curve near the observed one. At each rate `σ` is the standard
/// deviation of their curves, and `(curve - smooth curve) / σ` estimates `(observed - population) / σ`. Its
/// maximum over all rates exceeds `c1` in the share α1 of the samples, and its minimum is below `c2` in the
/// share α2. The band is from `observed - c1 σ` to `observed - c2 σ`. Its error probability is at most α1 +
/// α2, which is `1 - level`. Among all such pairs the narrowest band is used.
///
/// The authors smooth both distributions with kernels over the scores. Here it is a [`SmoothCurve`] over the
/// ranks, so that the band is invariant under increasing maps of the scores. In their package no lower limit
/// exceeds 0.95, and no upper limit is below 0.05. Here `σ` is [`at_least_wilson`], which narrows as the
/// number of rows grows.
pub fn limits(counts: &[Count], level: f64, n_points: u32, resampling: Resampling) -> Option<BandAtRates> {
    let rates = even_rates(n_points);
    let sweep = Sweep::Vertical(rates.clone());
    let means = sweep.read(counts)?;
    let (cells, _) = Redraw::fitting(counts, Draw::Stratified);
    let smooth = SmoothCurve::near(cells.counts(), cells.draws_cells());
    let curves: Vec<Vec<f64>> = resampling
        .each(<(Vec<Count>, Path)>::default, |(counts, path), mut stream| {
            smooth.draw(&mut stream, counts, path);
            sweep.read(counts)
        })
        .into_iter()
        .flatten()
        .collect();
    let sample = CurveSample::new(&curves)?;
    let center: Vec<f64> = rates.iter().map(|&rate| smooth.at(rate).0).collect();
    let n_pos = Count::sum(counts).pos;
    let deviations = at_least_wilson(sample.deviations(), &center, n_pos, level);
    let mut extremes = vec![(0.0f64, 0.0f64); curves.len()];
    for (index, values) in sample.positions().iter().enumerate() {
        // All curves meet at both ends.
        if rates[index] <= 0.0 || rates[index] >= 1.0 {
            continue;
        }
        for (extreme, value) in extremes.iter_mut().zip(values) {
            let distance = (value - center[index]) / deviations[index];
            *extreme = (extreme.0.min(distance), extreme.1.max(distance));
        }
    }
    let (smallest, greatest): (Vec<f64>, Vec<f64>) = extremes.into_iter().unzip();
    let (c1, c2) = narrowest(smallest, greatest, level);
    let limit =
        |c: f64| means.iter().zip(&deviations).map(|(mean, deviation)| mean - c * deviation).collect();
    let limits = Limits { lower: limit(c1), upper: limit(c2) };
    Some((rates, means, from_corner_to_corner(limits)))
}

/// The pair of `c1` and `c2` with the smallest difference such that at most `1 - level` of the samples are
/// beyond either. One extra sample counts as beyond each.
fn narrowest(mut smallest: Vec<f64>, mut greatest: Vec<f64>, level: f64) -> (f64, f64) {
    smallest.sort_unstable_by(f64::total_cmp);
    greatest.sort_unstable_by(|one, other| other.total_cmp(one));
    // Rounding must not turn an integer into the next lower one.
    let beyond = ((1.0 - level) * (smallest.len() + 1) as f64 + 1e-9).floor() as usize;
    let beyond = beyond.saturating_sub(2).min(smallest.len() - 1);
    let pair = |above: usize| (greatest[above], smallest[beyond - above]);
    let width = |pair: &(f64, f64)| pair.0 - pair.1;
    (1..=beyond).map(pair).fold(pair(0), |best, pair| if width(&pair) < width(&best) { pair } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Stream;

    #[test]
    fn the_narrowest_pair() {
        // Four of 119 may be beyond: 0.05 of 120, minus one for each end.
        let greatest: Vec<f64> = (0..119).map(|draw| f64::from(draw) / 100.0).collect();
        let smallest: Vec<f64> =
            (0..119).map(|draw| if draw < 3 { -9.0 } else { -0.5 - 0.001 * f64::from(draw) }).collect();
        // Three extreme samples are excluded below, and therefore one above.
        let (c1, c2) = narrowest(smallest.clone(), greatest.clone(), 0.95);
        assert!(c1 == 1.17 && (c2 + 0.618).abs() < 1e-12, "{c1} {c2}");
        assert_eq!(narrowest(smallest, greatest, 0.999), (1.18, -9.0));
        assert_eq!(narrowest(vec![-1.0, -2.0], vec![1.0, 3.0], 0.5), (3.0, -2.0));
    }

    #[test]
    fn a_chance_curve_has_about_the_nominal_coverage() {
        let held = |seed: u64| {
            let mut labels: Vec<bool> = (0..120).map(|row| row < 60).collect();
            Stream::new(seed, 7).shuffle(&mut labels);
            let counts: Vec<Count> =
                labels.iter().map(|&pos| Count { pos: u64::from(pos), neg: u64::from(!pos) }).collect();
            let (rates, _, band) = limits(&counts, 0.8, 31, Resampling { n_resamples: 200, seed }).unwrap();
            (1..30).all(|index| band.lower[index] <= rates[index] && rates[index] <= band.upper[index])
        };
        let held = (0..200).filter(|&seed| held(seed)).count();
        assert!((130..=185).contains(&held), "{held}");
    }
}
