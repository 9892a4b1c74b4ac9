//! Power analysis of the test of an AUC: required rows, power, detectable AUC, and level.

use crate::math::normal::{upper_quantile, upper_tail};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Alternative;
use crate::statistics::kinds::{Columnwise, of_each_row};
use crate::statistics::options::{OptionError, Options, from_options};

/// The level and the alternative of a planned test.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The probability of a false rejection.
    pub alpha: f64,
    /// The alternative; a one-sided test is planned for the side of the effect.
    pub alternative: Alternative,
}

from_options!(|options| Plan {
    alternative: options.word("alternative")?,
    alpha: options.between_0_and_1("alpha")?
});

impl Plan {
    /// The critical value, in standard errors.
    pub(in crate::statistics) fn critical(self) -> f64 {
        upper_quantile(self.alpha / tails(self.alternative))
    }
}

/// The number of rejection tails.
fn tails(alternative: Alternative) -> f64 {
    if alternative == Alternative::TwoSided { 2.0 } else { 1.0 }
}

/// Rejects options that leave none or several of the AUC, the power and the level unknown.
fn check_unknown(options: &Options) -> Result<(), OptionError> {
    let numbers = ["power", "alpha"].into_iter().filter(|name| options.has(name));
    let written: Vec<&str> = options.has_column("auc").then_some("auc").into_iter().chain(numbers).collect();
    if written.len() == 2 {
        return Ok(());
    }
    let written = if written.is_empty() { "none of them".into() } else { written.join(", ") };
    let reason = format!(
        "exactly one of `auc`, `power` and `alpha` must be None, which is then returned, got {written}"
    );
    Err(OptionError::new("", reason).hint(
        "write roc_auc_power(auc, n_pos, n_neg), roc_auc_power(None, n_pos, n_neg, `power=0.8`) or \
         roc_auc_power(auc, n_pos, n_neg, `power=0.8`, `alpha=None`)",
    ))
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

/// The power of the test of one AUC against one half: its rejection probability for this AUC.
///
/// `sqrt(P) |auc - 1/2| = z_alpha sqrt(V0) + z_power sqrt(V)` (Obuchowski, Lieber and Wians 2004, equation 1)
/// with the variances above. NaN for an AUC outside 0 to 1, or for counts that are not positive.
pub fn power(plan: Plan, auc: f64, n_pos: f64, n_neg: f64) -> f64 {
    if !(auc > 0.0 && auc < 1.0 && n_pos > 0.0 && n_neg > 0.0) {
        return f64::NAN;
    }
    let auc = auc.max(1.0 - auc);
    let ratio = n_neg / n_pos;
    let surplus = n_pos.sqrt() * (auc - 0.5) - plan.critical() * variance_of_half(ratio).sqrt();
    upper_tail(-surplus / variance_of_one(auc, ratio).sqrt())
}

/// The level at which the test of one AUC has this power. NaN if even a level of 1 has less power, or if the
/// [power] is NaN.
pub fn level(alternative: Alternative, auc: f64, n_pos: f64, n_neg: f64, power: f64) -> f64 {
    if !(auc > 0.0 && auc < 1.0 && n_pos > 0.0 && n_neg > 0.0) {
        return f64::NAN;
    }
    let auc = auc.max(1.0 - auc);
    let ratio = n_neg / n_pos;
    let surplus =
        n_pos.sqrt() * (auc - 0.5) - upper_quantile(1.0 - power) * variance_of_one(auc, ratio).sqrt();
    let alpha = tails(alternative) * upper_tail(surplus / variance_of_half(ratio).sqrt());
    if alpha < 1.0 { alpha } else { f64::NAN }
}

/// The lowest AUC above one half for which the test has this power. NaN if every AUC has more, or none has
/// enough, or if counts are not positive.
pub fn detectable_auc(plan: Plan, n_pos: f64, n_neg: f64, aim: f64) -> f64 {
    if !(n_pos > 0.0 && n_neg > 0.0) {
        return f64::NAN;
    }
    // With few rows the power increases and decreases again, so its first crossing is searched from one half
    // on.
    const STEPS: u32 = 512;
    let reaches = |auc: f64| power(plan, auc, n_pos, n_neg) >= aim;
    let at = |step: u32| 0.5 + 0.5 * f64::from(step) / f64::from(STEPS);
    if reaches(0.5) {
        return f64::NAN;
    }
    let Some(step) = (1..=STEPS).find(|&step| reaches(at(step).min(ALMOST_ONE))) else { return f64::NAN };
    let (mut below, mut above) = (at(step - 1), at(step).min(ALMOST_ONE));
    loop {
        let middle = 0.5 * (below + above);
        if middle <= below || middle >= above {
            return above;
        }
        *(if reaches(middle) { &mut above } else { &mut below }) = middle;
    }
}

/// The highest AUC of the search; closer to one, its normal quantile is too inaccurate.
const ALMOST_ONE: f64 = 1.0 - 1e-12;

/// The positives and negatives, unrounded with `ratio` negatives per positive, for which the test of one AUC
/// has this power; NaN if there are none.
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
pub struct RocAucPower {
    /// The test.
    pub plan: Plan,
}

from_options!(check_unknown, |options| RocAucPower { plan: Plan::from_options(options)? });

impl Columnwise for RocAucPower {
    const ROLES: &'static [&'static str] = &["auc", "n_pos", "n_neg"];
    const FIELDS: &'static [&'static str] = &["power"];

    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        Ok(vec![of_each_row(columns, |[auc, n_pos, n_neg]| power(self.plan, auc, n_pos, n_neg))])
    }
}

/// The level of the test of one AUC for a given power, row by row.
#[derive(Clone, Copy, Debug)]
pub struct RocAucPowerLevel {
    /// The alternative.
    pub alternative: Alternative,
    /// The power.
    pub power: f64,
}

from_options!(check_unknown, |options| RocAucPowerLevel {
    alternative: options.word("alternative")?,
    power: options.between_0_and_1("power")?,
});

impl Columnwise for RocAucPowerLevel {
    const ROLES: &'static [&'static str] = &["auc", "n_pos", "n_neg"];
    const FIELDS: &'static [&'static str] = &["alpha"];

    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        let level = |[auc, n_pos, n_neg]: [f64; 3]| level(self.alternative, auc, n_pos, n_neg, self.power);
        Ok(vec![of_each_row(columns, level)])
    }
}

/// The detectable AUC of the test for a given power, row by row.
#[derive(Clone, Copy, Debug)]
pub struct RocAucPowerAuc {
    /// The test.
    pub plan: Plan,
    /// The power.
    pub power: f64,
}

from_options!(check_unknown, |options| RocAucPowerAuc {
    plan: Plan::from_options(options)?,
    power: options.between_0_and_1("power")?,
});

impl Columnwise for RocAucPowerAuc {
    const ROLES: &'static [&'static str] = &["n_pos", "n_neg"];
    const FIELDS: &'static [&'static str] = &["auc"];

    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        Ok(vec![of_each_row(columns, |[n_pos, n_neg]| detectable_auc(self.plan, n_pos, n_neg, self.power))])
    }
}

/// The number of rows for the test of one AUC, row by row.
#[derive(Clone, Copy, Debug)]
pub struct RocAucSampleSize {
    /// The test.
    pub plan: Plan,
    /// The required power.
    pub power: f64,
    /// Negatives per positive.
    pub ratio: f64,
}

from_options!(|options| RocAucSampleSize {
    plan: Plan::from_options(options)?,
    power: options.between_0_and_1("power")?,
    ratio: ratio_of(options)?,
});

impl Columnwise for RocAucSampleSize {
    const ROLES: &'static [&'static str] = &["auc"];
    const FIELDS: &'static [&'static str] = &["n_pos", "n_neg"];

    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        let size = |auc: f64| sample_size(self.plan, auc, self.power, self.ratio);
        Ok(vec![of_each_row(columns, |[auc]| size(auc).0), of_each_row(columns, |[auc]| size(auc).1)])
    }
}

/// The number of negatives per positive.
pub(in crate::statistics) fn ratio_of(options: &Options) -> Result<f64, OptionError> {
    let ratio = options.value("ratio").number();
    if ratio > 0.0 && ratio.is_finite() {
        return Ok(ratio);
    }
    Err(options.must_be("ratio", "be a finite number above 0, such as 2 for two negatives a positive"))
}

declaration! {
    /// The power of the test of one AUC, or the AUC or level with a given power; for plain numbers, such as
    /// `roc_auc_power(0.73, 41, 72)`, a float.
    ///
    /// Words: power, power analysis, statistical power, minimal detectable AUC.
    RocAucPower {
        /// The AUC, between 0 and 1: a column or a number. `None` returns the smallest AUC above 1/2 that the test
        /// detects with the given power; 1 minus this AUC has the same power.
        auc: python("IntoExpr | float | None"),
        /// The numbers of positives and negatives: columns or numbers.
        n_pos: python("IntoExpr | float"),
        n_neg: python("IntoExpr | float");
        /// The power: the probability that the test rejects, between 0 and 1. By default it is returned.
        power: number = None,
        /// `"greater"` and `"less"` both mean a one-sided test in the direction of the effect.
        alternative = "two-sided",
        /// The significance level of the test, between 0 and 1. `None` returns the level at which the test has the
        /// given power.
        alpha: python("float | None") = 0.05,
    }
}

declaration! {
    /// The number of rows that the test of one AUC needs for a given power; for a plain number, a dictionary.
    ///
    /// Words: sample size, number of patients, number of cases, how many rows.
    RocAucSampleSize {
        /// The AUC, between 0 and 1: a column or a number.
        auc: python("IntoExpr | float");
        /// The power: the probability that the test rejects, between 0 and 1.
        power: number = 0.8,
        /// The number of negatives per positive.
        ratio: number = 1.0,
        /// `"greater"` and `"less"` both mean a one-sided test in the direction of the effect.
        alternative = "two-sided",
        alpha = 0.05,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_SIDED: Plan = Plan { alpha: 0.05, alternative: Alternative::TwoSided };

    #[test]
    fn size_and_power_are_inverse() {
        for (auc, ratio, aim) in [(0.73, 1.7, 0.95), (0.6, 1.0, 0.8), (0.2, 3.0, 0.9)] {
            let (n_pos, n_neg) = sample_size(TWO_SIDED, auc, aim, ratio);
            assert!((power(TWO_SIDED, auc, n_pos, n_neg) - aim).abs() < 1e-12);
            assert!((n_neg / n_pos - ratio).abs() < 1e-12);
        }
        // pROC's example: with 41 and 72 rows, the test almost always rejects if the AUC is 0.73.
        assert!((power(TWO_SIDED, 0.73, 41.0, 72.0) - 0.989_745_343_551_401_1).abs() < 1e-8);
        assert!(power(TWO_SIDED, 1.0, 5.0, 5.0).is_nan() && sample_size(TWO_SIDED, 0.5, 0.8, 1.0).0.is_nan());
    }

    #[test]
    fn auc_and_level_are_inverse_to_power() {
        let mut solved = 0;
        for alternative in [Alternative::TwoSided, Alternative::Greater] {
            for alpha in [0.2, 0.05, 1e-6] {
                let plan = Plan { alpha, alternative };
                for aim in [0.11, 0.3, 0.8, 0.95, 0.9999] {
                    for (n_pos, n_neg) in [(5.0, 9.0), (41.0, 72.0), (30.5, 8.0), (1e4, 3e7)] {
                        let auc = detectable_auc(plan, n_pos, n_neg, aim);
                        if auc.is_nan() {
                            continue;
                        }
                        solved += 1;
                        assert!(
                            (power(plan, auc, n_pos, n_neg) - aim).abs() < 1e-9,
                            "{plan:?} {n_pos} {n_neg} {aim}"
                        );
                        let alpha = level(alternative, auc, n_pos, n_neg, aim);
                        assert!(
                            (alpha / plan.alpha - 1.0).abs() < 1e-9,
                            "{plan:?} {n_pos} {n_neg} {aim} {alpha}"
                        );
                    }
                }
            }
        }
        assert!(solved > 90, "{solved}");
        // One positive and one negative never have this power; for an AUC of one half the power is the level.
        assert!(
            detectable_auc(TWO_SIDED, 1.0, 1.0, 0.9).is_nan()
                && detectable_auc(TWO_SIDED, 0.0, 9.0, 0.9).is_nan()
        );
        assert!(detectable_auc(TWO_SIDED, 40.0, 40.0, 0.02).is_nan());
        assert!(level(Alternative::TwoSided, 0.6, 5.0, 5.0, 0.9999).is_nan());
        assert!(level(Alternative::TwoSided, 1.0, 40.0, 40.0, 0.5).is_nan());
    }

    #[test]
    fn columns() {
        let plan = TWO_SIDED;
        let size = RocAucSampleSize { plan, power: 0.9, ratio: 2.0 };
        let sizes = size.evaluate(&[vec![Some(0.7), None, Some(0.5)]]).unwrap();
        assert_eq!((sizes[0][1], sizes[1][2]), (None, None));
        let (n_pos, n_neg) = (sizes[0][0], sizes[1][0]);
        let power = RocAucPower { plan }.evaluate(&[vec![Some(0.7)], vec![n_pos], vec![n_neg]]).unwrap();
        assert!((power[0][0].unwrap() - 0.9).abs() < 1e-12);
    }
}
