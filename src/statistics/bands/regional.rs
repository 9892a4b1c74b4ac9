//! The band from the limiting process of an empirical ROC curve, over a region of rates.

use crate::math::{Stream, quantile::reach};
use crate::ranking::ties::Count;
use crate::statistics::curve_samples::{
    curve_sample::{BandAtRates, Limits},
    simultaneous_limits::at_least_wilson,
    smooth_curve::SmoothCurve,
    sweep::Sweep,
};
use crate::statistics::resampling::{Draw, Redraw, Resampling};

/// Rates in a closed region, the curve there, and the limits of its tpr (Jensen, Müller and Schäfer 2000).
///
/// Let R be the curve of the population. Take large samples of P positives and N negatives. The empirical
/// curve minus R is about `B1(R(x)) / √P + R'(x) B2(x) / √N`, with two independent Brownian bridges (Hsieh
/// and Turnbull 1996). Its variance is `R (1 - R) / P + R'² x (1 - x) / N`. The half-width of the band is a
/// multiple of the standard deviation. The multiple is the `level` quantile of the largest standardised value
/// of the process in the region. The quantile is estimated by simulating bridges.
///
/// The variance needs R and its slope, the ratio of the densities. Both come from a [`SmoothCurve`], which
/// depends only on ranks, so that the band is invariant under increasing maps of the scores. At the rates 0
/// and 1 a curve has no variance. The limits there are 0 and 1, so that they do not affect the band at other
/// rates. Elsewhere the deviation is [`at_least_wilson`], because the estimate is near 0 where the classes
/// hardly overlap.
pub fn limits(
    counts: &[Count],
    level: f64,
    n_points: u32,
    region: [f64; 2],
    resampling: Resampling,
) -> Option<BandAtRates> {
    let [first, last] = region;
    let share = |point: u32| f64::from(point) / f64::from(n_points - 1);
    let rates: Vec<f64> = (0..n_points).map(|point| first + (last - first) * share(point)).collect();
    let means = Sweep::Vertical(rates.clone()).read(counts)?;
    let process = Process::new(counts, &rates, level);
    let ks_distance =
        |memory: &mut Vec<(f64, f64)>, mut stream: Stream| process.ks_distance(&mut stream, memory);
    let reach = reach(resampling.each(Vec::new, ks_distance), level);
    let limit = |side: f64| -> Vec<f64> {
        let at = |(index, &rate): (usize, &f64)| {
            let inner = 0.0 < rate && rate < 1.0;
            if inner { means[index] + side * reach * process.deviations[index] } else { 0.5 * (1.0 + side) }
        };
        rates.iter().enumerate().map(at).collect()
    };
    let (lower, upper) = (limit(-1.0), limit(1.0));
    Some((rates, means, Limits { lower, upper }))
}

/// The limiting process of the empirical curve about the population's curve.
#[derive(Clone, Debug)]
struct Process {
    /// At each place: the fpr, the tpr, and the slope of the curve.
    curve: Vec<[f64; 3]>,
    /// The standard deviation at each place.
    deviations: Vec<f64>,
    /// The square roots of the numbers of negatives and of positives.
    roots: (f64, f64),
}

impl Process {
    /// The process for the smooth curve near these counts, at ascending rates.
    fn new(counts: &[Count], rates: &[f64], level: f64) -> Process {
        let all = Count::sum(counts);
        let (cells, _) = Redraw::fitting(counts, Draw::Stratified);
        let smooth = SmoothCurve::near(cells.counts(), cells.draws_cells());
        let curve: Vec<[f64; 3]> = rates
            .iter()
            .map(|&rate| {
                let (tpr, slope) = smooth.at(rate);
                [rate, tpr, slope]
            })
            .collect();
        let deviation = |&[fpr, tpr, slope]: &[f64; 3]| {
            let (pos_part, neg_part) =
                (tpr * (1.0 - tpr) / all.pos as f64, fpr * (1.0 - fpr) / all.neg as f64);
            (pos_part + slope * slope * neg_part).max(0.0).sqrt()
        };
        let tpr: Vec<f64> = curve.iter().map(|point| point[1]).collect();
        let deviations = at_least_wilson(curve.iter().map(deviation).collect(), &tpr, all.pos, level);
        Process { deviations, curve, roots: ((all.neg as f64).sqrt(), (all.pos as f64).sqrt()) }
    }

    /// The largest standardised distance of the process from 0 in one simulation; `walks` is scratch memory.
    fn ks_distance(&self, stream: &mut Stream, walks: &mut Vec<(f64, f64)>) -> f64 {
        walks.clear();
        let (mut walk, mut before) = ((0.0, 0.0), (0.0, 0.0));
        let mut to = |fpr: f64, tpr: f64| {
            walk.0 += (fpr - before.0).max(0.0).sqrt() * stream.normal();
            walk.1 += (tpr - before.1).max(0.0).sqrt() * stream.normal();
            before = (fpr, tpr);
            walk
        };
        walks.extend(self.curve.iter().map(|&[fpr, tpr, _]| to(fpr, tpr)));
        // A bridge is a walk minus its linear path to the end.
        let end = to(1.0, 1.0);
        let points = self.curve.iter().zip(&*walks).zip(&self.deviations);
        points
            .map(|((&[fpr, tpr, slope], walk), deviation)| {
                let (neg_part, pos_part) = (walk.0 - fpr * end.0, walk.1 - tpr * end.1);
                (pos_part / self.roots.1 + slope * neg_part / self.roots.0).abs() / deviation
            })
            .fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Alternating scores of both classes, whose curve is near the diagonal.
    fn chance(rows: u64) -> Vec<Count> {
        (0..rows).map(|index| Count { pos: index % 2, neg: 1 - index % 2 }).collect()
    }

    #[test]
    fn the_process_has_its_variance() {
        let rates = [0.1, 0.3, 0.5, 0.9];
        let process = Process::new(&chance(400), &rates, 0.95);
        for (rate, deviation) in rates.iter().zip(&process.deviations) {
            // The slope of the diagonal is 1, and both classes have 200 rows.
            let expected = (rate * (1.0 - rate) / 100.0).sqrt();
            assert!((deviation / expected - 1.0).abs() < 0.02, "{deviation} {expected}");
        }
        // At a single place the process is normal.
        let one = Process::new(&chance(400), &[0.4], 0.95);
        let exceeded = (0..4000)
            .filter(|&draw| one.ks_distance(&mut Stream::new(1, draw), &mut Vec::new()) > 1.96)
            .count();
        assert!((140..=260).contains(&exceeded), "{exceeded}");
    }

    /// The band is wider for a larger region.
    #[test]
    fn a_region_has_a_narrower_band() {
        let resampling = Resampling { n_resamples: 2000, seed: 3 };
        let width = |region: [f64; 2], at: f64| {
            let (rates, means, limits) = limits(&chance(400), 0.9, 101, region, resampling).unwrap();
            let index = rates.iter().position(|rate| (rate - at).abs() < 1e-9).unwrap();
            assert!(
                (limits.upper[index] - means[index] - (means[index] - limits.lower[index])).abs() < 1e-12
            );
            limits.upper[index] - limits.lower[index]
        };
        let (whole, region) = (width([0.0, 1.0], 0.5), width([0.4, 0.6], 0.5));
        let one = 2.0 * 1.645 * (0.25f64 / 100.0).sqrt();
        assert!(one < region && region < 0.9 * whole && whole < 2.2 * one, "{one} {region} {whole}");
        let (rates, _, limits) = limits(&chance(40), 0.9, 3, [0.0, 1.0], resampling).unwrap();
        assert_eq!((rates, limits.lower[0], limits.upper[0]), (vec![0.0, 0.5, 1.0], 0.0, 1.0));
    }
}
