//! The estimates of periods, in order, and their sums.

use crate::interrupt;

/// The roles of the columns of periods.
pub const ROLES: &[&str] = &["auc", "se", "weight"];

/// The largest weight, and 1 by the smallest: no sum of squares leaves the range of floats.
const MOST_WEIGHT: f64 = 1e100;

/// No standard error of a difference of two areas is larger.
const MOST_SE: f64 = 2.0;

/// The estimate of a period, independent of those of other periods.
#[derive(Clone, Copy, Debug)]
pub struct Period {
    /// The estimate.
    pub auc: f64,
    /// Its standard error.
    pub se: f64,
    /// How much it counts; above 0.
    pub weight: f64,
}

impl Period {
    /// The variance of the weighted estimate.
    pub fn variance(self) -> f64 {
        (self.weight * self.se).powi(2)
    }
}

/// Sums of some periods that follow each other.
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

    /// A variance of the sum as one of the mean.
    pub fn of_mean(self, variance: f64) -> f64 {
        variance / self.weights.powi(2)
    }

    /// How far the sum is above what it would be if each estimate were `value`.
    pub fn above(self, value: f64) -> f64 {
        self.estimates - self.weights * value
    }
}

/// The periods of these columns, which are nothing where a number is missing or the weight is 0.
pub fn periods(columns: &[Vec<Option<f64>>]) -> Result<Vec<Option<Period>>, String> {
    let refused = |role: usize, wrong: f64, what: &str| {
        let role = ROLES[role];
        Err(format!("{role} holds {wrong}, but {what}"))
    };
    (0..columns[0].len())
        .map(|row| {
            interrupt::check();
            let (auc, se, weight) = (columns[0][row], columns[1][row], columns[2][row]);
            if let Some(wrong) = auc.filter(|auc| auc.abs() > 1.0) {
                return refused(0, wrong, "an AUC lies between 0 and 1, and a difference between -1 and 1");
            }
            if let Some(wrong) = se.filter(|&se| !se.is_nan() && !(0.0..=MOST_SE).contains(&se)) {
                return refused(1, wrong, &format!("a standard error of AUCs lies between 0 and {MOST_SE}"));
            }
            let is_weight =
                |weight: f64| weight == 0.0 || (1.0 / MOST_WEIGHT..=MOST_WEIGHT).contains(&weight);
            if let Some(wrong) = weight.filter(|&weight| !is_weight(weight)) {
                let (least, most) = (1.0 / MOST_WEIGHT, MOST_WEIGHT);
                return refused(2, wrong, &format!("a weight is 0 or a number from {least:e} to {most:e}"));
            }
            let period = |((auc, se), weight)| Period { auc, se, weight };
            Ok(auc.zip(se).zip(weight.filter(|&weight| weight > 0.0)).map(period))
        })
        .collect()
}
