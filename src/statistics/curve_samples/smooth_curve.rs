//! A smooth curve near an observed one, for sampling.

use super::curve_likelihood::Path;
use super::sweep::Point;
use crate::math::normal::upper_quantile;
use crate::math::{Chances, Stream};
use crate::ranking::ties::Count;

/// The bandwidth of the smoother in normal deviations, times the fifth root of the number of rows. From 0.3
/// to 0.8 the coverage and the width of bands differed by less than 2 %. This was measured over 11 shapes
/// with 50 and 100 rows per class.
const BANDWIDTH: f64 = 0.8;

/// A smooth curve near the observed one, for sampling.
#[derive(Clone, Debug)]
pub struct SmoothCurve {
    /// For each score, highest first, the shares of negatives and of positives down to it.
    above: Vec<(f64, f64)>,
    /// The probabilities of scores for negatives and for positives; empty if whole cells are resampled.
    chances: [Chances; 2],
    all: Count,
    by_cell: bool,
}

impl SmoothCurve {
    /// Smooths the share of positives among rows, with equal class weights, along the ranks. The smoother is
    /// a normal kernel between normal quantiles (Nadaraya 1964; Watson 1964). Each score keeps its total of
    /// rows, so that large ties remain ties.
    pub fn near(counts: &[Count], by_cell: bool) -> SmoothCurve {
        let all = Count::sum(counts);
        let (n_neg, n_pos) = (all.neg as f64, all.pos as f64);
        let bandwidth = BANDWIDTH * (4.0 * n_neg * n_pos / (n_neg + n_pos)).powf(-0.2);
        let shares = |count: &Count| (count.neg as f64 / n_neg, count.pos as f64 / n_pos);
        let mut above_before = 0.0;
        // From the highest score on, as normal deviations; the lowest scores have the largest numbers.
        let deviations: Vec<f64> = counts
            .iter()
            .map(|count| {
                let (neg, pos) = shares(count);
                let mass = 0.5 * (neg + pos);
                above_before += mass;
                -upper_quantile((above_before - 0.5 * mass).clamp(1e-12, 1.0 - 1e-12))
            })
            .collect();
        // Rows are binned on a grid, smoothed there, and interpolated: linear time and sufficient accuracy.
        let step = bandwidth / 8.0;
        let first = deviations.first().copied().unwrap_or(0.0);
        let nodes = deviations.last().map_or(0, |last| ((last - first) / step) as usize) + 2;
        let mut rows = vec![(0.0, 0.0); nodes];
        let locate = |deviation: f64| {
            let at = (deviation - first) / step;
            (at as usize, at.fract())
        };
        for (count, &deviation) in counts.iter().zip(&deviations) {
            let ((neg, pos), (node, part)) = (shares(count), locate(deviation));
            for (node, part) in [(node, 1.0 - part), (node + 1, part)] {
                rows[node].0 += part * neg;
                rows[node].1 += part * pos;
            }
        }
        let positive = smoothed_shares(&rows);
        let (mut neg, mut pos) = (0.0, 0.0);
        let mut above: Vec<(f64, f64)> = counts
            .iter()
            .zip(&deviations)
            .map(|(count, &deviation)| {
                let ((neg_share, pos_share), (node, part)) = (shares(count), locate(deviation));
                let share = positive[node] * (1.0 - part) + positive[node + 1] * part;
                neg += (1.0 - share) * (neg_share + pos_share);
                pos += share * (neg_share + pos_share);
                (neg, pos)
            })
            .collect();
        above.iter_mut().for_each(|share| *share = (share.0 / neg, share.1 / pos));
        let chances = |f: fn(&(f64, f64)) -> f64| {
            let mut above_before = 0.0;
            let weight = |share: &(f64, f64)| f(share) - std::mem::replace(&mut above_before, f(share));
            Chances::new(above.iter().map(weight).collect())
        };
        let chances =
            if by_cell { Default::default() } else { [chances(|share| share.0), chances(|share| share.1)] };
        SmoothCurve { chances, above, all, by_cell }
    }

    /// The tpr at an fpr, and the slope of the curve there: the ratio of the densities.
    pub fn at(&self, fpr: f64) -> (f64, f64) {
        let after = self.above.partition_point(|share| share.0 <= fpr).min(self.above.len() - 1);
        let (x0, y0) = after.checked_sub(1).map_or((0.0, 0.0), |before| self.above[before]);
        let (x1, y1) = self.above[after];
        if x1 <= x0 {
            return (y1, 0.0);
        }
        let slope = (y1 - y0) / (x1 - x0);
        ((y0 + slope * (fpr - x0)).clamp(0.0, 1.0), slope)
    }

    /// At most `max` places along the curve, denser near both ends; all corners of the curve if there are
    /// fewer.
    pub fn points(&self, max: usize) -> Vec<Point> {
        let mut corners = vec![(0.0, 0.0)];
        corners.extend(&self.above);
        let mut points = along(&corners, max);
        if corners.len() <= max {
            points.extend(&corners);
        }
        points.retain(|&(x, y)| 0.0 < x && x < 1.0 && 0.0 < y && y < 1.0);
        points.sort_unstable_by(|one, other| (one.0 + one.1).total_cmp(&(other.0 + other.1)));
        points
    }

    /// Samples the same number of rows per class, as a path; `counts` is scratch memory.
    ///
    /// Rows of both classes at one place are tied: the path is a straight line between its ends.
    pub fn draw(&self, stream: &mut Stream, counts: &mut Vec<Count>, path: &mut Path) {
        counts.clear();
        counts.resize(self.above.len(), Count::default());
        if self.by_cell {
            self.draw_cells(stream, counts);
        } else {
            self.draw_rows(stream, counts);
        }
        path.set(counts);
    }

    fn draw_rows(&self, stream: &mut Stream, counts: &mut [Count]) {
        let [neg_chances, pos_chances] = &self.chances;
        for _ in 0..self.all.neg {
            counts[neg_chances.draw(stream)].neg += 1;
        }
        for _ in 0..self.all.pos {
            counts[pos_chances.draw(stream)].pos += 1;
        }
    }

    fn draw_cells(&self, stream: &mut Stream, counts: &mut [Count]) {
        let mut rest = self.all;
        let mut above_before = (0.0, 0.0);
        let last = counts.len() - 1;
        for (index, (counts, &above)) in counts.iter_mut().zip(&self.above).enumerate() {
            let mut share_of = |rest: &mut u64, above_before: f64, above: f64| {
                let share = ((above - above_before) / (1.0 - above_before)).clamp(0.0, 1.0);
                let rows = if index == last { *rest } else { stream.binomial(*rest, share) };
                *rest -= rows;
                rows
            };
            counts.neg = share_of(&mut rest.neg, above_before.0, above.0);
            counts.pos = share_of(&mut rest.pos, above_before.1, above.1);
            above_before = above;
        }
    }
}

/// The share of positives at each node of a grid of negatives and positives. The smoother is a normal kernel
/// with a standard deviation of 8 nodes.
fn smoothed_shares(rows: &[(f64, f64)]) -> Vec<f64> {
    let nodes = rows.len();
    let reach = 40;
    let kernel: Vec<f64> = (0..=reach).map(|away| (-0.5 * (f64::from(away) / 8.0).powi(2)).exp()).collect();
    let smoothed = |node: usize| {
        let near = node.saturating_sub(reach as usize)..(node + reach as usize + 1).min(nodes);
        let (mut neg, mut pos) = (0.0, 0.0);
        for other in near {
            let weight = kernel[other.abs_diff(node)];
            neg += weight * rows[other].0;
            pos += weight * rows[other].1;
        }
        pos / (neg + pos)
    };
    (0..nodes).map(smoothed).collect()
}

/// Points of a curve of shares, one fewer than `steps`, denser near both ends.
pub fn along(corners: &[Point], steps: usize) -> Vec<Point> {
    let mut corner = 0;
    let point_at = |step: usize| {
        let angle = std::f64::consts::FRAC_PI_2 * (step as f64 / steps as f64);
        // The sum of both rates measures the position along the curve.
        let along = 2.0 * angle.sin().powi(2);
        while corner + 2 < corners.len() && corners[corner + 1].0 + corners[corner + 1].1 < along {
            corner += 1;
        }
        let ((x0, y0), (x1, y1)) = (corners[corner], corners[corner + 1]);
        let share = ((along - x0 - y0) / (x1 + y1 - x0 - y0)).clamp(0.0, 1.0);
        (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
    };
    (1..steps).map(point_at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::resampling::{Draw, Redraw};

    /// Samples vary about the smooth curve, and have the rows of either class.
    #[test]
    fn samples_of_the_smooth_curve() {
        let few: Vec<Count> = (0..60u64)
            .map(|index| Count { pos: u64::from(index % 2 == 0), neg: 1 - u64::from(index % 2 == 0) })
            .collect();
        let many: Vec<Count> = (0..9000u64).map(|index| Count { pos: 1 + index % 2, neg: 1 }).collect();
        for counts in [few, many] {
            let (cells, _) = Redraw::fitting(&counts, Draw::Stratified);
            let curve = SmoothCurve::near(cells.counts(), cells.draws_cells());
            assert_eq!(curve.by_cell, counts.len() > 100);
            let (mut counts, mut path, all) = (Vec::new(), Path::default(), Count::sum(&counts));
            let mut half = 0.0;
            for replicate in 0..200 {
                curve.draw(&mut Stream::new(1, replicate), &mut counts, &mut path);
                assert_eq!(path.0.last(), Some(&(all.neg as f64, all.pos as f64)));
                let middle = path.0.iter().find(|vertex| vertex.0 >= 0.5 * all.neg as f64).unwrap();
                half += middle.1 / all.pos as f64 / 200.0;
            }
            // The classes are evenly mixed, so the curve is the diagonal.
            assert!((half - 0.5).abs() < 0.05, "{half}");
        }
    }
}
