//! How many rows a test of an AUC needs, and how often it rejects if the AUC differs.

use super::columnwise::Columnwise;
use super::delong::Areas;
use super::record::record;
use super::{Alternative, Inputs, Joint, Needs};
use crate::math::normal::{upper_quantile, upper_tail};
use crate::ranking::Rows;

/// The level and the side of a planned test.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct Plan {
    /// The probability of rejecting equality where it holds.
    pub alpha: f64,
    /// Which departure counts; a one-sided test is planned for the side on which the effect lies.
    pub alternative: Alternative,
}

impl Plan {
    /// Says what is wrong with the level.
    pub fn check(self) -> Result<(), String> {
        proportion("alpha", self.alpha)
    }

    /// The standard errors that a difference must exceed.
    fn critical(self) -> f64 {
        upper_quantile(if self.alternative == Alternative::TwoSided { 0.5 * self.alpha } else { self.alpha })
    }
}

fn proportion(name: &str, value: f64) -> Result<(), String> {
    if 0.0 < value && value < 1.0 {
        Ok(())
    } else {
        Err(format!("{name} must lie between 0 and 1, got {value}"))
    }
}

/// Twice the variance of one positive's placement, by the binormal model (Obuchowski 1994, with the published
/// 1.414 for the root of 2): `0.0099 exp(-a²/2) ((5 a² + 8) + (a² + 8) / ratio)`, `a = 1.414 probit(auc)`.
fn variance_of_one(auc: f64, ratio: f64) -> f64 {
    let a = 1.414 * upper_quantile(1.0 - auc);
    let square = a * a;
    0.0099 * (-0.5 * square).exp() * ((5.0 * square + 8.0) + (square + 8.0) / ratio)
}

/// The same for an AUC of one half.
fn variance_of_half(ratio: f64) -> f64 {
    0.0792 * (1.0 + 1.0 / ratio)
}

/// The power of the test that one AUC is one half: the probability that it rejects if the AUC is this.
///
/// `sqrt(P) |auc - 1/2| = z_alpha sqrt(V0) + z_power sqrt(V)` (Obuchowski, Lieber and Wians 2004, equation 1) with
/// the variances above; NaN for an AUC outside 0 to 1 or counts that are not above 0.
pub fn power(plan: Plan, auc: f64, n_pos: f64, n_neg: f64) -> f64 {
    if !(auc > 0.0 && auc < 1.0 && n_pos > 0.0 && n_neg > 0.0) {
        return f64::NAN;
    }
    let auc = auc.max(1.0 - auc);
    let ratio = n_neg / n_pos;
    let surplus = n_pos.sqrt() * (auc - 0.5) - plan.critical() * variance_of_half(ratio).sqrt();
    upper_tail(-surplus / variance_of_one(auc, ratio).sqrt())
}

/// The positives and negatives, `ratio` negatives for each positive and not rounded, that give the test of one AUC
/// this power; NaN where no number does.
pub fn sample_size(plan: Plan, auc: f64, power: f64, ratio: f64) -> (f64, f64) {
    let ordinary = auc > 0.0 && auc < 1.0 && auc != 0.5 && 0.0 < power && power < 1.0 && ratio > 0.0;
    if !(ordinary && ratio.is_finite()) {
        return (f64::NAN, f64::NAN);
    }
    let auc = auc.max(1.0 - auc);
    let errors = plan.critical() * variance_of_half(ratio).sqrt()
        + upper_quantile(1.0 - power) * variance_of_one(auc, ratio).sqrt();
    let n_pos = (errors / (auc - 0.5)).powi(2);
    (n_pos, ratio * n_pos)
}

/// The power of the test of one AUC, row by row.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct RocAucPower {
    /// The test.
    pub plan: Plan,
}

impl Columnwise for RocAucPower {
    const ROLES: &'static [&'static str] = &["auc", "n_pos", "n_neg"];
    const FIELDS: &'static [&'static str] = &["power"];

    fn check(&self) -> Result<(), String> {
        self.plan.check()
    }

    fn answer(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        let rows = columns[0].iter().zip(&columns[1]).zip(&columns[2]);
        let power = rows.map(|((auc, n_pos), n_neg)| Some(power(self.plan, (*auc)?, (*n_pos)?, (*n_neg)?)));
        Ok(vec![power.map(defined).collect()])
    }
}

/// The rows that a test of one AUC needs, row by row.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct RocAucSampleSize {
    /// The test.
    pub plan: Plan,
    /// The power that the rows are counted for.
    pub power: f64,
    /// Negatives for each positive.
    pub ratio: f64,
}

impl Columnwise for RocAucSampleSize {
    const ROLES: &'static [&'static str] = &["auc"];
    const FIELDS: &'static [&'static str] = &["n_pos", "n_neg"];

    fn check(&self) -> Result<(), String> {
        self.plan.check()?;
        if !(0.0 < self.power && self.power < 1.0) {
            return Err(format!("power must lie between 0 and 1, such as 0.8, got {}", self.power));
        }
        if !(self.ratio > 0.0 && self.ratio.is_finite()) {
            return Err(format!(
                "ratio must be above 0, such as 2 for two negatives a positive, got {}",
                self.ratio
            ));
        }
        Ok(())
    }

    fn answer(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        let size = |auc: &Option<f64>| auc.map(|auc| sample_size(self.plan, auc, self.power, self.ratio));
        let sizes: Vec<Option<(f64, f64)>> = columns[0].iter().map(size).collect();
        let column = |of: fn((f64, f64)) -> f64| sizes.iter().map(|size| defined(size.map(of))).collect();
        Ok(vec![column(|size| size.0), column(|size| size.1)])
    }
}

/// The number, or null where it is undefined.
fn defined(value: Option<f64>) -> Option<f64> {
    value.filter(|value| !value.is_nan())
}

/// The power of the paired comparison of two scores, and the rows it needs, from a pilot sample.
///
/// `sqrt(P / P0) |difference| = (z_alpha + z_power) sqrt(V)` with the pilot's P0 positives and V its variance of the
/// difference (DeLong, DeLong and Clarke-Pearson 1988), by which the test itself divides. Negatives grow with the
/// positives.
///
/// Obuchowski and McClish (1997, equation 4) have a variance of its own for equal areas. If both areas then vary as the
/// mean of the two, `V0 = 2 ((Var A_a + Var A_b) / 2 - Cov)` is V again. If both vary as the first one alone, V0 depends
/// on which score is the first, and can be below 0.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct RocAucDifferencePower {
    /// The test.
    pub plan: Plan,
    /// The power that the rows are counted for.
    pub power: f64,
}

record! {
    /// The power of one group.
    pub struct RocAucDifferencePowerRecord {
        /// The difference of the areas; null without a positive or without a negative.
        pub difference: Option<f64>,
        /// The power of the test with as many rows as here; null with fewer than two rows in a class, and if
        /// neither area varies.
        pub power: Option<f64>,
        /// The positives that the power asked for needs, not rounded; null where the power is, and for no difference.
        pub needed_pos: Option<f64>,
        /// The negatives that it needs.
        pub needed_neg: Option<f64>,
        /// Positives that were used.
        pub n_pos: u64,
        /// Negatives that were used.
        pub n_neg: u64,
    }
}

impl Joint for RocAucDifferencePower {
    type Record = RocAucDifferencePowerRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2));

    fn needs(&self) -> Needs {
        Needs::PLACEMENTS
    }

    fn check(&self) -> Result<(), String> {
        self.plan.check().and_then(|()| proportion("power", self.power))
    }

    fn of_rows(&self, rows: &Rows) -> RocAucDifferencePowerRecord {
        let (n_pos, n_neg) = (rows.n_pos(), rows.n_neg());
        let Some(areas) = Areas::of(rows) else {
            return RocAucDifferencePowerRecord { n_pos, n_neg, ..RocAucDifferencePowerRecord::undefined() };
        };
        let difference = areas.difference(0, 1);
        let Some(variance) = areas.variance_of_difference(0, 1).filter(|variance| *variance > 0.0) else {
            return RocAucDifferencePowerRecord::new(Some(difference), None, None, None, n_pos, n_neg);
        };
        let (se, critical) = (variance.sqrt(), self.plan.critical());
        let power = upper_tail(critical - difference.abs() / se);
        let errors = (critical + upper_quantile(1.0 - self.power)) * se;
        let times = (difference != 0.0).then(|| (errors / difference).powi(2));
        RocAucDifferencePowerRecord::new(
            Some(difference),
            Some(power),
            times.map(|times| times * n_pos as f64),
            times.map(|times| times * n_neg as f64),
            n_pos,
            n_neg,
        )
    }

    fn of_nan(&self, rows: &Rows) -> RocAucDifferencePowerRecord {
        RocAucDifferencePowerRecord {
            n_pos: rows.n_pos(),
            n_neg: rows.n_neg(),
            ..RocAucDifferencePowerRecord::nan()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    const TWO_SIDED: Plan = Plan { alpha: 0.05, alternative: Alternative::TwoSided };

    #[test]
    fn size_and_power_are_inverse() {
        for (auc, ratio, aim) in [(0.73, 1.7, 0.95), (0.6, 1.0, 0.8), (0.2, 3.0, 0.9)] {
            let (n_pos, n_neg) = sample_size(TWO_SIDED, auc, aim, ratio);
            assert!((power(TWO_SIDED, auc, n_pos, n_neg) - aim).abs() < 1e-12);
            assert!((n_neg / n_pos - ratio).abs() < 1e-12);
        }
        // pROC's example: with 41 and 72 rows, the test rejects nearly always if the AUC is 0.73.
        assert!((power(TWO_SIDED, 0.73, 41.0, 72.0) - 0.989_745_343_551_401_1).abs() < 1e-8);
        assert!(power(TWO_SIDED, 1.0, 5.0, 5.0).is_nan() && sample_size(TWO_SIDED, 0.5, 0.8, 1.0).0.is_nan());
        assert!(Plan { alpha: 1.0, ..TWO_SIDED }.check().is_err());
    }

    #[test]
    fn of_columns() {
        let plan = TWO_SIDED;
        let size = RocAucSampleSize { plan, power: 0.9, ratio: 2.0 };
        let sizes = size.answer(&[vec![Some(0.7), None, Some(0.5)]]).unwrap();
        assert_eq!((sizes[0][1], sizes[1][2]), (None, None));
        let (n_pos, n_neg) = (sizes[0][0], sizes[1][0]);
        let power = RocAucPower { plan }.answer(&[vec![Some(0.7)], vec![n_pos], vec![n_neg]]).unwrap();
        assert!((power[0][0].unwrap() - 0.9).abs() < 1e-12);
        assert!(
            RocAucSampleSize { ratio: 0.0, ..size }.check().unwrap_err().contains("ratio must be above 0")
        );
        assert!(RocAucSampleSize { power: 1.0, ..size }.check().unwrap_err().contains("power must lie"));
    }

    #[test]
    fn paired() {
        let labels: Vec<u8> = (0..90).map(|row| u8::from(row % 5 < 2)).collect();
        let score = |step: i32, lift: i32| -> Vec<f64> {
            (0..90).map(|row| f64::from((row * step) % 31 + lift * i32::from(row % 5 < 2))).collect()
        };
        let (a, b) = (score(17, 9), score(13, 4));
        let statistic = RocAucDifferencePower { plan: TWO_SIDED, power: 0.8 };
        let record = statistic.of_rows(&rows_of(&labels, &[&a, &b], &[]));
        // As many rows as there are have the power that they have.
        let here = RocAucDifferencePower { power: record.power.unwrap(), ..statistic };
        let needed = here.of_rows(&rows_of(&labels, &[&a, &b], &[]));
        assert!((needed.needed_pos.unwrap() - 36.0).abs() < 1e-9, "{needed:?}");
        // The order of the scores does not matter, though the first varies less than both have in common.
        let labels = [0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0];
        let a = [-1.0, 2.0, 4.0, 9.0, 8.0, 12.0, 6.0, 5.0, 1.0, -7.0, 1.0, -1.0];
        let b = [0.0, 6.0, 8.0, 8.0, 5.0, -2.0, 9.0, 4.0, 0.0, -3.0, 2.0, 3.0];
        let record = statistic.of_rows(&rows_of(&labels, &[&a, &b], &[]));
        let swapped = statistic.of_rows(&rows_of(&labels, &[&b, &a], &[]));
        assert_eq!((record.power, record.needed_pos), (swapped.power, swapped.needed_pos));
        assert!(record.power.unwrap() < 0.5 && record.needed_pos.unwrap() > 10.0, "{record:?}");
        let alike = statistic.of_rows(&rows_of(&labels, &[&a, &a], &[]));
        assert_eq!((alike.difference, alike.power, alike.needed_pos), (Some(0.0), None, None));
    }
}
