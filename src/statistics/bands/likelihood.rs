//! The likelihood band: all points close enough to the curve by the likelihood ratio of both rates.
//!
//! The distance of `(x, y)` from a point `(f, t)` of the empirical curve is `n0 K(f, x) + n1 K(t, y)`, half
//! the deviance of two binomial samples. Here `K(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q))`. Its
//! distance from the curve is the minimum over the points of the curve: the likelihood ratio, maximised over
//! the threshold. The band contains all points whose distance from the curve is at most `reach`.
//!
//! For one distribution function this is the band of Berk and Jones (1979) and Owen (1995). For a point of
//! the ROC curve it is the interval of Claeskens, Jing, Peng and Zhou (2003). Its precision is about uniform
//! along the curve. The reach is a quantile of the largest distance between a smooth curve near the observed
//! one and its samples. This is a smoothed bootstrap (Bertail, Clemencon and Vayatis 2008).

use crate::math::quantile::reach;
use crate::ranking::ties::{Count, Step, counts::steps};
use crate::statistics::curve_samples::{
    curve_likelihood::{Likelihood, Path, Rate},
    curve_sample::BandAtRates,
    smooth_curve::{SmoothCurve, along},
    sweep::{Point, Sweep},
};
use crate::statistics::resampling::{Draw, Redraw, Resampling};

/// The number of places of the smooth curve at which the distance from samples is computed. With half as
/// many, the reach is 2 % too small.
const POINTS: usize = 200;

/// Scratch memory of a thread.
#[derive(Debug, Default)]
struct Memory {
    counts: Vec<Count>,
    path: Path,
    /// The vertex of the path near each place.
    vertices: Vec<usize>,
}

/// At most `n_points` rates from 0 to 1, the curve there, and the limits of its tpr.
///
/// Limits are as steep as the curve, and linear interpolation must not cut off a part of the band. The rates
/// therefore belong to places spaced along the curve.
pub fn limits(counts: &[Count], level: f64, n_points: u32, resampling: Resampling) -> BandAtRates {
    let all = Count::sum(counts);
    let share = |step: Step| (step.fp() as f64 / all.neg as f64, step.tp() as f64 / all.pos as f64);
    let corners: Vec<(f64, f64)> = std::iter::once((0.0, 0.0)).chain(steps(counts).map(share)).collect();
    let mut rates: Vec<f64> =
        along(&corners, n_points as usize - 1).into_iter().map(|point| point.0).collect();
    rates.insert(0, 0.0);
    rates.push(1.0);
    rates.dedup();
    let means = Sweep::Vertical(rates.clone()).read(counts).unwrap_or_default();
    let (cells, _) = Redraw::fitting(counts, Draw::Stratified);
    let counts = cells.counts();
    let curve = SmoothCurve::near(counts, cells.draws_cells());
    let likelihood = Likelihood::new(Count::sum(counts));
    let rates_of = |point: Point| (Rate::new(point.0), Rate::new(point.1));
    let truth: Vec<(Rate, Rate)> = curve.points(POINTS).into_iter().map(rates_of).collect();
    let distances = resampling.each(Memory::default, |memory, mut stream| {
        let Memory { counts, path, vertices } = memory;
        curve.draw(&mut stream, counts, path);
        likelihood.ks_distance(path, &truth, vertices)
    });
    let band = likelihood.band(
        &Path::new(counts).with_vertices_on_ties(&likelihood),
        reach(distances, level),
        &rates,
    );
    (rates, means, band)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Stream;
    use crate::statistics::curve_samples::curve_sample::Limits;

    #[test]
    fn a_chance_curve_has_the_nominal_coverage() {
        let band_holds = |seed: u64| {
            let mut labels: Vec<bool> = (0..60).map(|row| row < 30).collect();
            Stream::new(seed, 7).shuffle(&mut labels);
            let counts: Vec<Count> =
                labels.iter().map(|&pos| Count { pos: u64::from(pos), neg: u64::from(!pos) }).collect();
            let (rates, _, Limits { lower, upper }) =
                limits(&counts, 0.8, 61, Resampling { n_resamples: 200, seed });
            (1..rates.len() - 1).all(|index| lower[index] <= rates[index] && rates[index] <= upper[index])
        };
        let held = (0..200).filter(|&seed| band_holds(seed)).count();
        // Three standard errors of 160 of 200 are 17.
        assert!((143..=185).contains(&held), "{held}");
    }
}
