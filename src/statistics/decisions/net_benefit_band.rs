//! The band of a decision curve.

use super::net_benefit::{Masses, NetBenefit, NetBenefitRecord};
use crate::interrupt;
use crate::math::{Stream, normal::upper_quantile, quantile::reach};
use crate::statistics::inference::{Interval, interval::tail};
use crate::statistics::resampling::Resampling;

/// A threshold as a linear function of normal sums over rows, in standard errors.
struct Step {
    /// The deviations of the sums over positives and negatives between the threshold and the next higher one.
    deviations: Masses,
    /// The factors of the sums over the rows that reach the threshold.
    reached: Masses,
    /// The factors of the sums over all rows.
    all: Masses,
}

impl NetBenefit {
    /// Replaces the limits of points by limits that hold at all thresholds simultaneously.
    ///
    /// The limits are the net benefit plus and minus a multiple of a standard error. The multiple is a quantile
    /// of the largest standardised distance over the thresholds, by a multiplier bootstrap with normal
    /// multipliers: `sum of g (contribution - net benefit) / n` over rows (Chernozhukov, Chetverikov and Kato
    /// 2013). Rows between two thresholds contribute alike, so their sum is one normal number. The standard
    /// errors have `z² / 2` more rows of each class at the threshold, and with a prevalence as many below it (as
    /// Agresti and Coull 1998 for a rate): if no row or every row reaches a threshold, its error is not 0.
    pub(super) fn widen(
        &self,
        points: &mut [NetBenefitRecord],
        squares: &[(Masses, Masses)],
        all: Masses,
        rows: f64,
        resampling: Resampling,
    ) {
        let z = upper_quantile(tail(self.level));
        let multiple = reach(self.largest_distances(points, squares, all, resampling), self.level).max(z);
        for (point, &(called, all_squares)) in points.iter_mut().zip(squares) {
            // The squared weight of a mean row.
            let further = z * z / 2.0 * all_squares.rows() / rows;
            let se = self.variance(point, called, all_squares, further, all, rows).map(f64::sqrt);
            if let (Some(value), Some(se)) = (point.net_benefit, se) {
                let limits = Interval::around(value, se, multiple);
                point.interval = Interval { se: point.interval.se, ..limits };
            }
        }
    }

    /// The largest distance over the thresholds, in standard errors, of each resample.
    fn largest_distances(
        &self,
        points: &[NetBenefitRecord],
        squares: &[(Masses, Masses)],
        all: Masses,
        Resampling { n_resamples, seed }: Resampling,
    ) -> Vec<f64> {
        // From the highest threshold to the lowest.
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_unstable_by(|&a, &b| points[b].threshold.total_cmp(&points[a].threshold));
        let deviations = |from: Masses, to: Masses| Masses {
            pos: (to.pos - from.pos).max(0.0).sqrt(),
            neg: (to.neg - from.neg).max(0.0).sqrt(),
        };
        let mut above = Masses::default();
        let mut step = |&index: &usize| {
            let called = squares[index].0;
            let deviations = deviations(above, called);
            above = called;
            self.step(&points[index], deviations, all)
        };
        let steps: Vec<Step> = order.iter().map(&mut step).collect();
        let below = squares.first().map_or(above, |&(_, all)| deviations(above, all));
        let mut reached = vec![Masses::default(); steps.len()];
        let mut largest = |replicate: u64| {
            interrupt::check();
            let mut stream = Stream::new(seed, replicate);
            let mut sums = Masses::default();
            let mut add = |sums: &mut Masses, deviations: Masses| {
                for (sum, deviation) in [(&mut sums.pos, deviations.pos), (&mut sums.neg, deviations.neg)] {
                    // Without rows, no number is used.
                    if deviation > 0.0 {
                        *sum += deviation * stream.normal();
                    }
                }
            };
            for (reached, step) in reached.iter_mut().zip(&steps) {
                add(&mut sums, step.deviations);
                *reached = sums;
            }
            add(&mut sums, below);
            let distance = |(reached, step): (&Masses, &Step)| {
                step.reached.pos * reached.pos - step.reached.neg * reached.neg - step.all.pos * sums.pos
                    + step.all.neg * sums.neg
            };
            reached.iter().zip(&steps).map(distance).fold(0.0, |max: f64, each| max.max(each.abs()))
        };
        (0..n_resamples.into()).map(&mut largest).collect()
    }

    /// The linear function of a point; 0 without an error.
    fn step(&self, point: &NetBenefitRecord, deviations: Masses, all: Masses) -> Step {
        let odds = point.threshold / (1.0 - point.threshold);
        let se = point.interval.se.filter(|&se| se > 0.0);
        let scaled = |factor: f64| se.map_or(0.0, |se| factor / se);
        if let (Some(prevalence), Some(tpr), Some(fpr)) = (self.prevalence, point.tpr, point.fpr) {
            let (pos_part, neg_part) = (prevalence / all.pos, (1.0 - prevalence) * odds / all.neg);
            return Step {
                deviations,
                reached: Masses { pos: scaled(pos_part), neg: scaled(neg_part) },
                all: Masses { pos: scaled(pos_part * tpr), neg: scaled(neg_part * fpr) },
            };
        }
        let n = all.rows();
        let mean = scaled(point.net_benefit.unwrap_or_default() / n);
        Step {
            deviations,
            reached: Masses { pos: scaled(1.0 / n), neg: scaled(odds / n) },
            all: Masses { pos: mean, neg: -mean },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::curve_points;

    #[test]
    fn limits_of_a_range() {
        let (labels, scores): (Vec<u8>, Vec<f64>) =
            (0..400u32).map(|row| (u8::from(row * 7 % 400 < row), f64::from(row) / 400.0)).unzip();
        let compute = |thresholds: &[f64], prevalence, is_simultaneous: bool| {
            let band = is_simultaneous.then(Resampling::default);
            let statistic = NetBenefit { thresholds: thresholds.into(), prevalence, level: 0.95, band };
            curve_points(&statistic, &labels, &scores).unwrap()
        };
        for prevalence in [None, Some(0.2)] {
            let thresholds = [0.5, 0.1, 0.3, 0.1, 0.7];
            let (plain, band) =
                (compute(&thresholds, prevalence, false), compute(&thresholds, prevalence, true));
            assert_eq!(plain.numbers("se"), band.numbers("se"));
            let width = |points: &crate::statistics::tests::PointFields, at: usize| {
                points.numbers("upper")[at] - points.numbers("lower")[at]
            };
            for at in 0..5 {
                let ratio = width(&band, at) / width(&plain, at);
                // Between one threshold and four independent ones. At 0.1 nearly all rows are called, and with a
                // prevalence the further rows below the threshold have most effect.
                let further = if prevalence.is_some() { 0.25 } else { 0.15 };
                assert!(1.0 < ratio && ratio < 2.5 / 1.96 + further, "{ratio}");
            }
            assert_eq!(width(&band, 1), width(&band, 3));
            // A single threshold has nearly the pointwise limits.
            let one = [compute(&[0.5], prevalence, false), compute(&[0.5], prevalence, true)];
            let ratio = width(&one[1], 0) / width(&one[0], 0);
            assert!((1.0..1.08).contains(&ratio), "{ratio}");
        }
        // No row reaches 0.9999, but the limits differ.
        let none = compute(&[0.3, 0.9999], None, true);
        assert!(none.numbers("se")[1] == 0.0 && none.numbers("upper")[1] > 0.0);
    }
}
