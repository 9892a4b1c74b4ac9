//! Limits and tests of an estimate from 0 to 1 on the logit scale.

use super::interval::Interval;
use crate::ranking::ties::Count;

/// An estimate from 0 to 1 with its standard error on the logit scale, `se / (x (1 - x))`.
///
/// The logit of 0 or 1 is infinite, and its standard error is 0. The estimate is then replaced by
/// `1 - 1 / (2 min(P, N))` (for 1): half a row of the rarer class is misranked. The standard error is Hanley
/// and McNeil's at that area.
#[derive(Clone, Copy, Debug)]
pub struct LogitScale {
    estimate: f64,
    se: f64,
    center: f64,
    /// The standard error of the logit.
    pub se_of_logit: f64,
}

impl LogitScale {
    /// The estimate with its standard error, from these numbers of positives and negatives.
    pub fn new(estimate: f64, se: f64, Count { pos, neg }: Count<f64>) -> Self {
        let separated = estimate == 0.0 || estimate == 1.0;
        let half_a_row = 0.5 / pos.min(neg);
        let center = if separated { (estimate - half_a_row).abs() } else { estimate };
        let logit_se = if separated { hanley_mcneil(center, pos, neg) } else { se };
        LogitScale { estimate, se, center, se_of_logit: logit_se / (center * (1.0 - center)) }
    }

    /// Limits at this number of standard errors on either side. For an estimate of 0 or 1, the limit on that
    /// side is the estimate.
    pub fn interval(&self, errors: f64) -> Interval {
        let logit = (self.center / (1.0 - self.center)).ln();
        let margin = errors * self.se_of_logit;
        let back = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        Interval {
            se: Some(self.se),
            lower: Some(if self.estimate == 0.0 { 0.0 } else { back(logit - margin) }),
            upper: Some(if self.estimate == 1.0 { 1.0 } else { back(logit + margin) }),
        }
    }

    /// The distance of the estimate above a value, on this scale.
    pub fn above(&self, value: f64) -> f64 {
        let logit = |rate: f64| (rate.clamp(0.0, 1.0) / (1.0 - rate.clamp(0.0, 1.0))).ln();
        logit(self.center) - logit(value)
    }
}

/// The standard error of an area by Hanley and McNeil (1982): `Q1 = A / (2 - A)`, `Q2 = 2 A² / (1 + A)`,
/// `se² = (A (1 - A) + (P - 1) (Q1 - A²) + (N - 1) (Q2 - A²)) / (P N)`.
pub fn hanley_mcneil(auc: f64, pos: f64, neg: f64) -> f64 {
    let square = auc * auc;
    let (q1, q2) = (auc / (2.0 - auc), 2.0 * square / (1.0 + auc));
    let variance =
        (auc * (1.0 - auc) + (pos - 1.0) * (q1 - square) + (neg - 1.0) * (q2 - square)) / (pos * neg);
    variance.max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_stay_within() {
        let scale = LogitScale::new(0.9, 0.05, Count { pos: 50.0, neg: 50.0 });
        let interval = scale.interval(2.0);
        let (lower, upper) = (interval.lower.unwrap(), interval.upper.unwrap());
        let logit = |rate: f64| (rate / (1.0 - rate)).ln();
        assert!((logit(upper) - logit(0.9) - 2.0 * 0.05 / 0.09).abs() < 1e-12);
        assert!((logit(0.9) - logit(lower) - 2.0 * 0.05 / 0.09).abs() < 1e-12);
        assert!((scale.above(lower) - 2.0 * scale.se_of_logit).abs() < 1e-12);
        assert_eq!(scale.above(1.0), f64::NEG_INFINITY);
    }

    #[test]
    fn an_estimate_at_the_end_has_one_limit_inside() {
        let all = LogitScale::new(1.0, 0.0, Count { pos: 10.0, neg: 40.0 }).interval(2.0);
        assert_eq!((all.se, all.upper), (Some(0.0), Some(1.0)));
        assert!((0.5..0.95).contains(&all.lower.unwrap()), "{all:?}");
        let none = LogitScale::new(0.0, 0.0, Count { pos: 10.0, neg: 40.0 }).interval(2.0);
        assert!(none.lower == Some(0.0) && (0.05..0.5).contains(&none.upper.unwrap()), "{none:?}");
    }
}
