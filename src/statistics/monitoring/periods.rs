//! The estimates of periods, in order, and their sums.

use crate::interrupt;

/// The roles of the columns of periods.
pub const ROLES: &[&str] = &["auc", "se", "weight", "n_pos", "n_neg"];

/// The maximum weight, and the inverse of the minimum: no sum of squares leaves the range of floats.
const MAX_WEIGHT: f64 = 1e100;

/// The upper limit of a standard error of a difference of two areas.
const MAX_SE: f64 = 2.0;

/// The weight of the floor of a variance, in rows of the rarer class, against the rows of all periods so far.
///
/// In `benches/few_positives.py` the error rate holds with 300, even if positives are of two kinds. With 100
/// it does not for ten segments of these.
const FLOOR_ROWS: f64 = 300.0;

/// The estimate of a period, independent of those of other periods.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    /// The estimate.
    pub auc: f64,
    /// Its standard error.
    pub se: f64,
    /// Its weight; positive.
    pub weight: f64,
}

impl Period {
    /// The variance of the weighted estimate.
    pub fn variance(self) -> f64 {
        (self.weight * self.se).powi(2)
    }
}

/// Sums over consecutive periods.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    weights: f64,
    estimates: f64,
    /// The variance of the sum of the weighted estimates.
    pub variance: f64,
}

impl Sums {
    /// Adds a period.
    pub fn add(&mut self, period: Period) {
        self.weights += period.weight;
        self.estimates += period.weight * period.auc;
        self.variance += period.variance();
    }

    /// The weighted mean.
    pub fn mean(self) -> f64 {
        self.estimates / self.weights
    }

    /// Converts a variance of the sum to one of the mean.
    pub fn mean_variance(self, variance: f64) -> f64 {
        variance / self.weights.powi(2)
    }

    /// The excess of the sum over its value if each estimate were `value`.
    pub fn above(self, value: f64) -> f64 {
        self.estimates - self.weights * value
    }
}

/// The area of all periods so far, and the number of its rows of the rarer class.
///
/// DeLong's variance for few positives is smaller the higher their area happens to be, and almost 0 if two
/// placements happen to be equal. It therefore has a floor, which fades as rows accumulate: the variance of
/// an exponential model at the area of all periods so far. With R rows of the rarer class so far and weight K
/// of the floor, the variance is `(R v + K max(v, floor)) / (R + K)`.
#[derive(Clone, Copy, Debug, Default)]
struct Pooled {
    rows: f64,
    areas: f64,
}

impl Pooled {
    /// Adds a period with these numbers of positives and negatives; returns its standard error with the
    /// floor.
    fn se(&mut self, auc: f64, se: f64, (pos, neg): (f64, f64)) -> f64 {
        let rarer = pos.min(neg);
        self.rows += rarer;
        self.areas += rarer * auc;
        // Half a row on either side, since the area of few rows may be 1 by chance.
        let area = (self.areas + 0.5) / (self.rows + 1.0);
        let variance = se * se;
        let higher = variance.max(exponential_variance(area, pos, neg));
        ((self.rows * variance + FLOOR_ROWS * higher) / (self.rows + FLOOR_ROWS)).sqrt()
    }
}

/// The larger of Hanley and McNeil's (1982) two forms for each class: `A (1 - A) (1 + (P + N - 2) g) / (P N)`
/// with `g = B / (1 + B)` and `B = max(A, 1 - A)`.
fn exponential_variance(area: f64, pos: f64, neg: f64) -> f64 {
    let larger = area.max(1.0 - area);
    area * (1.0 - area) * (1.0 + (pos + neg - 2.0) * larger / (1.0 + larger)) / (pos * neg)
}

/// The periods of these columns; `None` for a missing number or zero weight.
pub fn periods(columns: &[Vec<Option<f64>>]) -> Result<Vec<Option<Period>>, String> {
    let refused = |role: usize, wrong: f64, what: &str| {
        let role = ROLES[role];
        Err(format!("{role} contains {wrong}, but {what}"))
    };
    let mut pooled = Pooled::default();
    (0..columns[0].len())
        .map(|row| {
            interrupt::check();
            let [auc, se, weight, pos, neg] = [0, 1, 2, 3, 4].map(|role| columns[role][row]);
            if let Some(wrong) = auc.filter(|auc| auc.abs() > 1.0) {
                return refused(0, wrong, "an AUC lies between 0 and 1, and a difference between -1 and 1");
            }
            if let Some(wrong) = se.filter(|&se| !se.is_nan() && !(0.0..=MAX_SE).contains(&se)) {
                return refused(1, wrong, &format!("a standard error of AUCs lies between 0 and {MAX_SE}"));
            }
            let is_weight = |weight: f64| weight == 0.0 || (1.0 / MAX_WEIGHT..=MAX_WEIGHT).contains(&weight);
            if let Some(wrong) = weight.filter(|&weight| !is_weight(weight)) {
                let (min, max) = (1.0 / MAX_WEIGHT, MAX_WEIGHT);
                return refused(2, wrong, &format!("a weight is 0 or a number from {min:e} to {max:e}"));
            }
            let Some(((auc, se), weight)) = auc.zip(se).zip(weight.filter(|&weight| weight > 0.0)) else {
                return Ok(None);
            };
            let Some(classes) = pos.zip(neg) else { return Ok(Some(Period { auc, se, weight })) };
            for (role, rows) in [(3, classes.0), (4, classes.1)] {
                if !(1.0..=f64::MAX).contains(&rows) {
                    return refused(role, rows, "an AUC is of 1 positive and 1 negative or more");
                }
            }
            if auc < 0.0 {
                return refused(
                    0,
                    auc,
                    "n_pos and n_neg are for AUCs, and not for differences. Hint: leave them out",
                );
            }
            Ok(Some(Period { auc, se: pooled.se(auc, se, classes), weight }))
        })
        .collect()
}

/// Columns of periods without counts.
#[cfg(test)]
pub fn without_counts([auc, se, weight]: [Vec<Option<f64>>; 3]) -> [Vec<Option<f64>>; 5] {
    let none = vec![None; auc.len()];
    [auc, se, weight, none.clone(), none]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(auc: &[f64], se: &[f64], classes: (f64, f64)) -> Vec<Vec<Option<f64>>> {
        let all = |value: f64| vec![Some(value); auc.len()];
        let some = |values: &[f64]| values.iter().copied().map(Some).collect();
        vec![some(auc), some(se), all(1.0), all(classes.0), all(classes.1)]
    }

    #[test]
    fn few_positives_have_a_floor_that_fades() {
        let columns = columns(&[1.0, 0.7, 0.9], &[0.0, 0.1, 1e-6], (2.0, 1000.0));
        let se: Vec<f64> = periods(&columns).unwrap().into_iter().map(|period| period.unwrap().se).collect();
        let floor = |area: f64| exponential_variance(area, 2.0, 1000.0);
        assert!((se[0].powi(2) - floor(2.5 / 3.0) * FLOOR_ROWS / (FLOOR_ROWS + 2.0)).abs() < 1e-15);
        let second = floor(3.9 / 5.0);
        assert!(
            second > 0.01
                && (se[1].powi(2) - (0.04 + FLOOR_ROWS * second) / (FLOOR_ROWS + 4.0)).abs() < 1e-15
        );
        // A large error is unchanged, and the error of many rows nearly so.
        let large = periods(&self::columns(&[0.9], &[0.4], (2.0, 1000.0))).unwrap()[0].unwrap().se;
        assert!((large - 0.4).abs() < 1e-15);
        let many = periods(&self::columns(&[0.9], &[0.001], (1e6, 1e6))).unwrap()[0].unwrap().se;
        assert!((many - 0.001).abs() < 1e-6);
    }

    #[test]
    fn variance_is_symmetric_in_the_classes() {
        for (area, pos, neg) in [(0.9, 3.0, 50.0), (0.2, 40.0, 5.0)] {
            let variance = exponential_variance(area, pos, neg);
            assert!((variance - exponential_variance(1.0 - area, neg, pos)).abs() < 1e-15);
            assert!((variance - exponential_variance(area, neg, pos)).abs() < 1e-15);
        }
    }

    #[test]
    fn invalid_counts() {
        for (role, classes) in
            [("n_pos", (0.0, 5.0)), ("n_neg", (5.0, f64::NAN)), ("n_neg", (5.0, f64::INFINITY))]
        {
            let error = periods(&columns(&[0.9], &[0.1], classes)).unwrap_err();
            assert!(error.starts_with(&format!("{role} contains ")), "{error}");
        }
        let error = periods(&columns(&[-0.1], &[0.1], (9.0, 9.0))).unwrap_err();
        assert!(error.contains("not for differences"), "{error}");
        // Without an area, no value is rejected.
        let mut none = columns(&[0.9], &[0.1], (0.0, 5.0));
        none[0][0] = None;
        assert!(periods(&none).unwrap()[0].is_none());
    }
}
