//! Detection of a change between periods, its time and size, with limits and a test that are valid at all
//! periods simultaneously.

use super::always_valid::{Largest, ln_alpha};
use super::normal_mixture::NormalMixture;
use super::periods::{Period, ROLES, Sums, periods};
use crate::interrupt;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Alternative, Hypothesis};
use crate::statistics::kinds::Columnwise;
use crate::statistics::options::{OptionError, Options, from_options};

/// For each possible start of a change, compares the periods from it on with all periods before it.
///
/// For a start j, the evidence is against a common mean of the periods before and after. It is the minimum
/// over that mean of the product of both [`NormalMixture`]s. With means m, variances V of the sums and sums
/// of weights W:
///
/// ```text
/// E_j = ((1 + V0 / s0) (1 + V1 / s1))^(-1/2) exp((m1 - m0 - null)² / (2 ((V0 + s0) / W0² + (V1 + s1) / W1²)))
/// ```
///
/// The product of independent e-values for one mean is an e-value for it. The minimum over all means is an
/// e-value for the hypothesis of a common mean, as in universal inference (Wasserman, Ramdas and Balakrishnan
/// 2020). The mixture before j has a fixed time, and is tightest there.
///
/// The starts have weights that sum to 1: the i-th has `w_i = ln 2 (1 / ln(i + 1) - 1 / ln(i + 2))`. The
/// result uses the largest `w_j E_j`. It is an e-process, being bounded by the sum over all starts
/// (e-processes started at consecutive times: Shin, Ramdas and Rinaldo 2024). Its interval has the level
/// `alpha w_j`, so the intervals of all possible results are simultaneously valid. `O(n²)` for n periods.
#[derive(Clone, Copy, Debug)]
pub struct AlwaysValidChange {
    /// The simultaneous coverage of all intervals.
    pub level: f64,
    /// The baseline of a change.
    pub versus: Versus,
    /// The hypothesis; no change by default.
    pub test: Hypothesis,
    /// The number of periods, like those of the baseline, after which the interval of a change is tightest.
    pub tightest_at: f64,
}

/// The baseline of a change.
#[derive(Clone, Copy, Debug)]
pub enum Versus {
    /// The periods before it, at least this many.
    Before(usize),
    /// An area without an error; the mixture of the periods before, and its terms, are omitted.
    Reference(f64),
}

impl Versus {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        if !options.has("reference") {
            return Ok(Versus::Before(
                options.optional_integer("baseline", 1..=1_000_000_000)?.unwrap_or(28),
            ));
        }
        if options.has("baseline") {
            let hint = "leave out one of both";
            return Err(OptionError::new("baseline", "cannot be combined with `reference`").hint(hint));
        }
        let reference = options.value("reference").number();
        if (-1.0..=1.0).contains(&reference) {
            return Ok(Versus::Reference(reference));
        }
        Err(options.must_be("reference", "be a number from -1 to 1"))
    }
}

from_options!(|options| AlwaysValidChange {
    level: options.level()?,
    versus: Versus::from_options(options)?,
    test: Hypothesis::parse(options, -1.0)?,
    tightest_at: options.above_0("tightest_at", 1e9)?,
});

/// The change at one period, for the start with the largest evidence.
#[derive(Clone, Copy, Debug)]
struct Change {
    since: usize,
    before: f64,
    after: f64,
    /// The variance of the change plus the variance of the effects.
    total: f64,
    ln_ratios: f64,
    ln_weight: f64,
    ln_evidence: f64,
}

/// The logarithm of the weight of the i-th start, counted from 1; the weights sum to 1.
fn ln_weight(i: usize) -> f64 {
    let ln = |n: usize| (n as f64).ln();
    // The difference of the two inverses, without cancellation.
    (std::f64::consts::LN_2 * (1.0 / (i + 1) as f64).ln_1p() / (ln(i + 1) * ln(i + 2))).ln()
}

impl Columnwise for AlwaysValidChange {
    const ROLES: &'static [&'static str] = ROLES;
    const FIELDS: &'static [&'static str] =
        &["since", "before", "after", "change", "lower", "upper", "e_value", "p_value"];
    const COUNTS: &'static [&'static str] = &["since"];

    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        let rows = periods(columns)?;
        let used: Vec<(usize, Period)> =
            rows.iter().enumerate().filter_map(|(row, period)| period.map(|period| (row, period))).collect();
        let changes = self.changes(&used);
        // Only the last periods have a change; the first ones have none.
        let mut none = used.len() - changes.len();
        let mut changes = changes.into_iter();
        let (mut record, mut largest) = ([None; 8], Largest::default());
        let mut fields = vec![Vec::with_capacity(rows.len()); Self::FIELDS.len()];
        for period in rows {
            if period.is_some() && none > 0 {
                none -= 1;
            } else if period.is_some()
                && let Some(change) = changes.next()
            {
                record = self.record(change, &mut largest);
            }
            fields.iter_mut().zip(record).for_each(|(field, value)| field.push(value));
        }
        Ok(fields)
    }
}

impl AlwaysValidChange {
    /// The change at each period from the first possible start on, which needs a period with an error.
    fn changes(&self, used: &[(usize, Period)]) -> Vec<Change> {
        let mut before = Sums::default();
        let (first, per_period) = match self.versus {
            Versus::Before(periods) => {
                used.iter().take(periods).for_each(|&(_, period)| before.add(period));
                (periods, before.variance / periods as f64)
            }
            Versus::Reference(_) => {
                let first =
                    used.iter().position(|(_, period)| period.variance() != 0.0).unwrap_or(used.len());
                (first, used.get(first).map_or(0.0, |(_, period)| period.variance()))
            }
        };
        if used.len() <= first || per_period == 0.0 {
            return Vec::new();
        }
        let ln_alpha = ln_alpha(self.level);
        let mixture = NormalMixture::tightest_at(self.tightest_at * per_period, ln_alpha);
        let mut best: Vec<Change> = Vec::with_capacity(used.len() - first);
        for (i, &(_, period)) in used[first..].iter().enumerate() {
            let start = match self.versus {
                Versus::Before(_) => {
                    let mixture_before = NormalMixture::tightest_at(before.variance, ln_alpha);
                    let total = before.mean_variance(mixture_before.total(before.variance));
                    (before.mean(), total, mixture_before.ln_ratio(before.variance))
                }
                Versus::Reference(reference) => (reference, 0.0, 0.0),
            };
            let candidates = self.changes_since(start, ln_weight(i + 1), mixture, &used[first + i..]);
            for (index, change) in candidates.enumerate() {
                match best.get_mut(i + index) {
                    None => best.push(change),
                    Some(best) if change.ln_evidence > best.ln_evidence => *best = change,
                    _ => {}
                }
            }
            before.add(period);
        }
        best
    }

    /// The change for one start at each period from it on. The baseline has a mean, its variance plus the
    /// variance of the effect, and the logarithm of their ratio.
    fn changes_since(
        &self,
        (before, total_before, ln_ratio): (f64, f64, f64),
        ln_weight: f64,
        mixture: NormalMixture,
        periods: &[(usize, Period)],
    ) -> impl Iterator<Item = Change> {
        let (mut sums, since) = (Sums::default(), periods.first().map_or(0, |&(row, _)| row));
        periods.iter().map(move |&(_, period)| {
            interrupt::check();
            sums.add(period);
            let after = sums.mean();
            let total = total_before + sums.mean_variance(mixture.total(sums.variance));
            let ln_ratios = ln_ratio + mixture.ln_ratio(sums.variance);
            let distance = self.distance(after - before);
            let ln_evidence = ln_weight + 0.5 * (distance * distance / total - ln_ratios);
            Change { since, before, after, total, ln_ratios, ln_weight, ln_evidence }
        })
    }

    /// The distance of a change from the tested one, in the direction of the alternative. NaN is preserved.
    fn distance(&self, change: f64) -> f64 {
        let distance = change - self.test.null.unwrap_or(0.0);
        match self.test.alternative {
            Alternative::Greater if distance < 0.0 => 0.0,
            Alternative::Less if distance > 0.0 => 0.0,
            _ => distance,
        }
    }

    fn record(&self, change: Change, largest: &mut Largest) -> [Option<f64>; 8] {
        let Change { since, before, after, total, ln_ratios, ln_weight, ln_evidence } = change;
        let margin = (total * (ln_ratios - 2.0 * (ln_alpha(self.level) + ln_weight))).sqrt();
        let [e_value, p_value] = largest.e_and_p(ln_evidence);
        let change = after - before;
        let fields = [since as f64, before, after, change, change - margin, change + margin];
        let [since, before, after, change, lower, upper] = fields.map(Some);
        [since, before, after, change, lower, upper, e_value, p_value]
    }
}

declaration! {
    /// The period since which the AUC differs from earlier periods or from a reference, and the change, with an
    /// interval and a test valid at all periods jointly.
    ///
    /// Words: change point, change detection, drift of the AUC over time, model decay, degradation, e-detector, CUSUM,
    /// alarm.
    AlwaysValidChange {
        /// The AUC of each period and its standard error, as returned by `roc_auc_ci()`. Periods must contain
        /// different rows. Differences of AUCs are supported.
        auc: column,
        se: column;
        /// The numbers of positives and negatives of each AUC, as in `always_valid()`.
        n_pos: column = None,
        n_neg: column = None,
        /// The number of periods at the start in which no change can begin; the first result is for the next period.
        /// By default 3 with `n_pos` and `n_neg`, otherwise 28, four weeks of nights.
        baseline: integer = None,
        /// The AUC to compare periods with instead of earlier periods, such as a validation result or a limit. It is
        /// assumed to be known without error. A change may then begin with the first period.
        reference: number = None,
        /// The weight of each period, as in `always_valid()`.
        weight: column = None,
        /// It applies to the intervals of all periods jointly.
        level = 0.95,
        /// `"greater"` detects a rise, and `"less"` a fall. The interval is always two-sided.
        alternative = "two-sided",
        /// It is a change; 0 by default. With `alternative="less"` and -0.01, the test is for a fall of more than
        /// 0.01.
        null = None,
        /// The number of periods after a change at which its interval is narrowest relative to other always-valid
        /// intervals.
        tightest_at: number = 28,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::monitoring::periods::without_counts;

    const STATISTIC: AlwaysValidChange = AlwaysValidChange {
        level: 0.95,
        versus: Versus::Before(3),
        test: Hypothesis { alternative: Alternative::TwoSided, null: None, margin: None },
        tightest_at: 5.0,
    };

    #[test]
    fn weights_of_beginnings_sum_to_1() {
        let sum: f64 = (1..=1000).map(|i| ln_weight(i).exp()).sum();
        assert!((sum - (1.0 - std::f64::consts::LN_2 / 1002f64.ln())).abs() < 1e-12);
    }

    #[test]
    fn one_mixture_of_a_reference() {
        let below = AlwaysValidChange { versus: Versus::Reference(0.8), ..STATISTIC };
        let results =
            below.evaluate(&without_counts([vec![Some(0.7)], vec![Some(0.02)], vec![Some(1.0)]])).unwrap();
        let mixture = NormalMixture::tightest_at(5.0 * 0.0004, ln_alpha(0.95));
        let e_value = (mixture.ln_evidence(-0.1, 0.0004) + ln_weight(1)).exp();
        assert!((results[6][0].unwrap() / e_value - 1.0).abs() < 1e-12);
        let margin = mixture.margin(0.0004, ln_alpha(0.95) + ln_weight(1));
        assert!((results[5][0].unwrap() + 0.1 - margin).abs() < 1e-12);
    }

    #[test]
    fn a_change_is_located() {
        let auc: Vec<Option<f64>> = (0..20).map(|row| Some(if row < 9 { 0.8 } else { 0.7 })).collect();
        let columns = without_counts([auc, vec![Some(0.01); 20], vec![Some(1.0); 20]]);
        let results = STATISTIC.evaluate(&columns).unwrap();
        assert_eq!(results[0][2], None);
        assert_eq!(results[0][19], Some(9.0));
        assert!((results[1][19].unwrap() - 0.8).abs() < 1e-12);
        assert!((results[3][19].unwrap() + 0.1).abs() < 1e-12);
        assert!(results[5][19].unwrap() < 0.0 && results[7][19].unwrap() < 1e-6, "{results:?}");
        // A rise is not in the direction of this alternative.
        let test = Hypothesis { alternative: Alternative::Greater, null: None, margin: None };
        let up = AlwaysValidChange { test, ..STATISTIC };
        assert_eq!(up.evaluate(&columns).unwrap()[7][19], Some(1.0));
    }

    #[test]
    fn interval_and_test_agree() {
        let auc: Vec<Option<f64>> = (0..60).map(|row| Some(0.75 - 0.001 * f64::from(row))).collect();
        let results =
            STATISTIC.evaluate(&without_counts([auc, vec![Some(0.02); 60], vec![Some(1.0); 60]])).unwrap();
        let excluded = |row: usize| results[5][row].is_some_and(|upper| upper < 0.0);
        let rejected = |row: usize| results[7][row].is_some_and(|p_value| p_value < 0.05);
        assert!(rejected(59) && (0..60).all(|row| excluded(row) == rejected(row)), "{results:?}");
    }

    #[test]
    fn without_an_error_no_change() {
        let columns = without_counts([vec![Some(0.8); 9], vec![Some(0.0); 9], vec![Some(1.0); 9]]);
        let with_reference = AlwaysValidChange { versus: Versus::Reference(0.7), ..STATISTIC };
        for statistic in [STATISTIC, with_reference] {
            assert!(statistic.evaluate(&columns).unwrap().iter().flatten().all(Option::is_none));
        }
    }
}
