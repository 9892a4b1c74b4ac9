//! Sweeps: the places at which several ROC curves are read for comparison.
//!
//! A sweep moves a vertical line from fpr 0 to fpr 1, a ray about the corner (1, 0) from (0, 0) to (1, 1), or
//! a threshold downwards (Macskassy, Provost and Littman 2003, section 3.2.2).

use std::f64::consts::FRAC_PI_2;

use crate::ranking::ties::{Count, counts::steps};

/// A point of the ROC space: fpr and tpr.
pub type Point = (f64, f64);

/// The places at which curves are read, in order.
#[derive(Clone, Debug)]
pub enum Sweep {
    /// At false positive rates, in ascending order.
    Vertical(Vec<f64>),
    /// On rays from (1, 0), at angles in ascending order, 0 on the axis of the fpr.
    Radial(Vec<Ray>),
    /// At thresholds: the index of each among the counts, highest first. Before the first one, no rows are
    /// predicted positive.
    Threshold(Vec<usize>),
}

/// A ray from (1, 0).
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// The angle, in radians.
    pub angle: f64,
    sine: f64,
    cosine: f64,
}

impl Ray {
    fn at(index: u32, last: u32) -> Ray {
        let angle = FRAC_PI_2 * (f64::from(index) / f64::from(last));
        // The rays along the axes are exact.
        let (sine, cosine) = match index {
            0 => (0.0, 1.0),
            _ if index == last => (1.0, 0.0),
            _ => angle.sin_cos(),
        };
        Ray { angle, sine, cosine }
    }

    /// The point of the ray at a distance from (1, 0).
    pub fn point(self, distance: f64) -> Point {
        (1.0 - distance * self.cosine, distance * self.sine)
    }

    /// The maximum distance, where the ray leaves the unit square.
    pub fn longest(self) -> f64 {
        1.0 / self.sine.max(self.cosine)
    }

    /// The signed distance of a point beyond the ray in the direction of the curve.
    fn beyond(self, point: Point) -> f64 {
        point.1 * self.cosine - (1.0 - point.0) * self.sine
    }

    /// The intersection of the line between two points with the ray.
    fn crossing(self, from: Point, to: Point) -> f64 {
        let (before, after) = (self.beyond(from), self.beyond(to));
        let share = if after > before { -before / (after - before) } else { 1.0 };
        let meets = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
        (1.0 - meets.0).hypot(meets.1)
    }
}

/// The kind of places of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// False positive rates from 0 to 1.
    Rates,
    /// Rays from one axis to the other.
    Rays,
    /// Some or all of the distinct scores.
    Thresholds,
}

/// This number of rates from 0 to 1 at equal distances.
pub fn even_rates(points: u32) -> Vec<f64> {
    let last = f64::from(points - 1);
    (0..points).map(|point| f64::from(point) / last).collect()
}

impl Sweep {
    /// A sweep with this number of places, over curves with this number of distinct scores.
    pub fn at(positions: Positions, points: u32, distinct: usize) -> Sweep {
        match positions {
            Positions::Rates => Sweep::Vertical(even_rates(points)),
            Positions::Rays => Sweep::Radial((0..points).map(|ray| Ray::at(ray, points - 1)).collect()),
            Positions::Thresholds => Sweep::thresholds(points, distinct),
        }
    }

    /// A sweep over evenly spaced distinct scores including both ends, or over all if there are fewer. At the
    /// first point no rows are predicted positive.
    fn thresholds(points: u32, distinct: usize) -> Sweep {
        let max = points as usize - 1;
        if distinct <= max {
            return Sweep::Threshold((0..distinct).collect());
        }
        let (gaps, last) = (max as u128 - 1, distinct as u128 - 1);
        // Rounded half up.
        Sweep::Threshold(
            (0..max as u128).map(|step| ((2 * step * last + gaps) / (2 * gaps)) as usize).collect(),
        )
    }

    /// The number of readings per curve.
    pub fn readings(&self) -> usize {
        match self {
            Sweep::Vertical(rates) => rates.len(),
            Sweep::Radial(rays) => rays.len(),
            Sweep::Threshold(indices) => 2 * (indices.len() + 1),
        }
    }

    /// Reads the curve of counts, highest score first: each tpr, each distance from (1, 0), or each fpr
    /// followed by each tpr. `None` without positives or negatives.
    pub fn read(&self, counts: &[Count]) -> Option<Vec<f64>> {
        let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
        if n_pos == 0 || n_neg == 0 {
            return None;
        }
        let mut read = Vec::with_capacity(self.readings());
        match self {
            Sweep::Vertical(rates) => read_tpr(counts, n_pos, n_neg, rates, &mut read),
            Sweep::Radial(rays) => read_distances(counts, n_pos, n_neg, rays, &mut read),
            Sweep::Threshold(indices) => {
                read.push(0.0);
                let mut tpr = vec![0.0];
                let mut next = indices.iter().peekable();
                for (index, step) in steps(counts).enumerate() {
                    if next.next_if(|&&next| next == index).is_some() {
                        read.push(step.fp() as f64 / n_neg as f64);
                        tpr.push(step.tp() as f64 / n_pos as f64);
                    }
                }
                read.append(&mut tpr);
            }
        }
        Some(read)
    }
}

/// The tpr at each rate, by linear interpolation; on a vertical piece the highest point.
fn read_tpr(counts: &[Count], n_pos: u64, n_neg: u64, rates: &[f64], read: &mut Vec<f64>) {
    let (positives, negatives) = (n_pos as f64, n_neg as f64);
    let (mut tp, mut fp, mut left) = (0, 0, 0.0);
    let mut next = 0;
    for count in counts {
        // Without negatives the fpr is constant, and no line is crossed.
        let right = (fp + count.neg) as f64 / negatives;
        while next < rates.len() && rates[next] < right {
            let (low, high) = (tp as f64 / positives, (tp + count.pos) as f64 / positives);
            read.push(low + (high - low) * ((rates[next] - left) / (right - left)));
            next += 1;
        }
        left = right;
        tp += count.pos;
        fp += count.neg;
    }
    read.resize(rates.len(), 1.0);
}

/// The distance from (1, 0) at which the curve crosses each ray.
fn read_distances(counts: &[Count], n_pos: u64, n_neg: u64, rays: &[Ray], read: &mut Vec<f64>) {
    let (positives, negatives) = (n_pos as f64, n_neg as f64);
    // Every curve begins and ends at a corner.
    read.push(1.0);
    let mut next = rays[1..rays.len() - 1].iter().peekable();
    let mut from = (0.0, 0.0);
    for step in steps(counts) {
        let Some(&&ray) = next.peek() else { break };
        let to = (step.fp() as f64 / negatives, step.tp() as f64 / positives);
        if ray.beyond(to) >= 0.0 {
            while let Some(&ray) = next.next_if(|ray| ray.beyond(to) >= 0.0) {
                read.push(ray.crossing(from, to));
            }
        }
        from = to;
    }
    read.resize(rays.len(), 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::resampling::Measure;
    use proptest::prelude::*;

    fn counts(each: &[(u64, u64)]) -> Vec<Count> {
        each.iter().map(|&(pos, neg)| Count { pos, neg }).collect()
    }

    /// The curve (0, 1/2), (1/2, 1/2), (1/2, 1), (1, 1).
    fn stairs() -> Vec<Count> {
        counts(&[(1, 0), (0, 1), (1, 0), (0, 1)])
    }

    #[test]
    fn rays_meet_the_curve() {
        let distances = Sweep::at(Positions::Rays, 5, 0).read(&stairs()).unwrap();
        // At 22.5 and 67.5 degrees the ray crosses the lines of tpr 1/2 and of fpr 1/2.
        let upright = 0.5 / 67.5f64.to_radians().cos();
        let flat = 0.5 / 22.5f64.to_radians().sin();
        // The ray at 22.5 degrees leaves the square before tpr 1/2, at the axis of the tpr.
        let left = 1.0 / 22.5f64.to_radians().cos();
        assert!(flat > left);
        let expected = [1.0, left, 0.5 * 2f64.sqrt(), upright.min(1.0 / 67.5f64.to_radians().sin()), 1.0];
        for (got, expected) in distances.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-15, "{distances:?} {expected}");
        }
    }

    #[test]
    fn thresholds_and_no_curve() {
        assert_eq!(
            Sweep::thresholds(9, 4).read(&stairs()),
            Some(vec![0.0, 0.0, 0.5, 0.5, 1.0, 0.0, 0.5, 0.5, 1.0, 1.0])
        );
        assert_eq!(Sweep::thresholds(3, 4).read(&stairs()), Some(vec![0.0, 0.0, 1.0, 0.0, 0.5, 1.0]));
        for sweep in
            [Sweep::at(Positions::Rates, 3, 0), Sweep::at(Positions::Rays, 3, 0), Sweep::thresholds(3, 2)]
        {
            assert_eq!(sweep.read(&counts(&[(2, 0), (1, 0)])), None);
            assert_eq!(sweep.read(&counts(&[(1, 1), (1, 2)])).unwrap().len(), sweep.readings());
        }
    }

    proptest! {
        #[test]
        fn readings_are_points_of_the_curve(each in prop::collection::vec((0u64..4, 0u64..4), 1..40), lines in 2u32..40) {
            let counts = counts(&each);
            prop_assume!(Count::sum(&counts).pos > 0 && Count::sum(&counts).neg > 0);
            let Sweep::Vertical(rates) = Sweep::at(Positions::Rates, lines, 0) else { unreachable!() };
            let read = Sweep::at(Positions::Rates, lines, 0).read(&counts).unwrap();
            for (rate, tpr) in rates.iter().zip(&read) {
                prop_assert_eq!(Some(*tpr), Measure::TprAtFpr(*rate).evaluate(&counts));
            }
            let Sweep::Radial(rays) = Sweep::at(Positions::Rays, lines, 0) else { unreachable!() };
            let read = Sweep::at(Positions::Rays, lines, 0).read(&counts).unwrap();
            prop_assert_eq!(read.len(), rays.len());
            for (ray, distance) in rays.iter().zip(&read) {
                let (fpr, tpr) = ray.point(*distance);
                prop_assert!((-1e-12..=1.0 + 1e-12).contains(&fpr) && (-1e-12..=1.0 + 1e-12).contains(&tpr));
                // Just before the point the curve is not above it, and just after not below it.
                let above = Measure::TprAtFpr((fpr + 1e-9).clamp(0.0, 1.0)).evaluate(&counts).unwrap();
                let below = if fpr < 1e-9 { 0.0 } else { Measure::TprAtFpr((fpr - 1e-9).clamp(0.0, 1.0)).evaluate(&counts).unwrap() };
                prop_assert!(below - 1e-7 <= tpr && tpr <= above + 1e-7, "{} {} {} {}", below, tpr, above, fpr);
            }
        }
    }
}
