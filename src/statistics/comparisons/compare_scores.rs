//! Joint comparison of several scores of the same rows.

use std::collections::{BTreeMap, BTreeSet};

use super::adjust_p_values::Adjustment;
use crate::math::{chi_square, normal::upper_tail, symmetric};
use crate::ranking::tasks;
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{
    Alternative, Areas, Covariances, Interval, WeightedAreas, in_standard_errors,
};
use crate::statistics::kinds::{Inputs, Joint, Name, Needs, record};
use crate::statistics::losses::{LOGARITHMIC, Loss, RowLosses, SQUARED, probability};
use crate::statistics::options::{FromOptions, OptionError, Options, words};
use crate::statistics::rows::Rows;

/// The areas or mean losses of k scores with their covariance matrix, the test that all are equal, and the
/// differences.
///
/// The covariances of areas are DeLong's, those of losses the covariances of means ([`RowLosses`]). The test is `(L A)' (L V L')⁺ (L A)` with the contrasts L of each score against the first. It is compared
/// with chi-square, with the rank of `L V L'` as degrees of freedom (DeLong, DeLong and Clarke-Pearson 1988,
/// equation 5): k - 1 unless scores rank alike. For weighted rows the covariances come from the
/// [infinitesimal jackknife](crate::statistics::inference::weighted_areas). The differences are computed as
/// in [`RocAucDifference`](crate::statistics::RocAucDifference), with p-values adjusted for their number.
/// `O(k n log n + k² n + k³)`.
#[derive(Clone, Copy, Debug)]
pub struct CompareScores {
    /// The compared statistic.
    pub statistic: Compared,
    /// The index of the reference score; `None` to compare every pair.
    pub reference: Option<usize>,
    /// The adjustment of the p-values of the differences.
    pub adjust: Adjustment,
    /// The coverage of all intervals.
    pub level: f64,
}

/// The compared statistic of scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compared {
    /// The area under the ROC curve.
    #[default]
    RocAuc,
    /// The Brier score.
    BrierScore,
    /// The logarithmic loss.
    LogLoss,
}

words!(Compared { "roc_auc" => RocAuc, "brier_score" => BrierScore, "log_loss" => LogLoss });

impl Compared {
    /// The loss, if it is one.
    fn loss(self) -> Option<&'static Loss> {
        match self {
            Compared::RocAuc => None,
            Compared::BrierScore => Some(&SQUARED),
            Compared::LogLoss => Some(&LOGARITHMIC),
        }
    }
}

record! {
    /// The estimate of one score.
    pub struct EstimateRecord {
        /// The score's name.
        pub score: Name,
        /// Its AUC, or its mean loss.
        pub estimate: Option<f64>,
        /// The standard error and confidence limits.
        pub interval: Interval,
        /// The covariance with the estimate of each score, in their order; empty where the standard error is null.
        pub covariance: Vec<f64>,
    }
}

record! {
    /// The difference of two scores.
    pub struct DifferenceRecord {
        /// The first score's name.
        pub score_a: Name,
        /// The second score's name.
        pub score_b: Name,
        /// The first estimate minus the second.
        pub difference: Option<f64>,
        /// Its standard error and limits.
        pub interval: Interval,
        /// `difference / se`.
        pub z: Option<f64>,
        /// The two-sided p-value.
        pub p_value: Option<f64>,
        /// `p_value`, adjusted for the number of differences.
        pub p_adjusted: Option<f64>,
    }
}

record! {
    /// The comparison of one group.
    pub struct CompareScoresRecord {
        /// For each score, its name `score`, `estimate`, `se`, `lower`, `upper` as in `roc_auc_ci()` by DeLong,
        /// `brier_score()` or `log_loss()`, and `covariance` (List of Float64), its row of the covariance matrix.
        pub estimates: Option<Vec<EstimateRecord>>,
        /// For each pair, the names `score_a` and `score_b`; `difference` (`score_a` minus `score_b`), `se`, `lower`,
        /// `upper`, `z`, `p_value` as in `roc_auc_difference()`, `brier_score_difference()` or
        /// `log_loss_difference()`; and `p_adjusted`. A `reference` is always `score_b`.
        pub differences: Option<Vec<DifferenceRecord>>,
        /// The statistic of the test that all estimates are equal; null with fewer than two rows (in each class, for
        /// AUCs), if estimates without variance differ, and if a loss is infinite.
        pub chi_square: Option<f64>,
        /// Its degrees of freedom; null where `chi_square` is null.
        pub df: Option<u64>,
        /// The p-value of `chi_square`; null where it is null, or with 0 degrees of freedom.
        pub p_value: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

impl FromOptions for CompareScores {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let last = options.columns.iter().filter(|role| role.starts_with("score_")).count() as i128 - 1;
        let refused = |_| {
            let expected = format_args!("be a score's place, from 0 to {last}");
            options
                .must_be("reference", expected)
                .hint("an expression of several columns counts as one place")
        };
        Ok(CompareScores {
            statistic: options.word("statistic")?,
            reference: options.optional_integer("reference", 0..=last).map_err(refused)?,
            adjust: Adjustment::parse(options, "adjust")?,
            level: options.level()?,
        })
    }
}

impl Joint for CompareScores {
    type Record = CompareScoresRecord;

    const INPUTS: Inputs = Inputs::scores(None);

    fn needs(&self) -> Needs {
        if self.statistic.loss().is_some() { Needs::VALUES } else { Needs::PLACEMENT_PRODUCTS }
    }

    fn passes(&self) -> usize {
        16
    }

    const WEIGHTS: bool = true;

    fn needs_with_weights(&self) -> Needs {
        if self.statistic.loss().is_some() { Needs::VALUES } else { Needs::CODES }
    }

    fn check_rows(&self, rows: &Rows) -> Result<(), String> {
        if self.statistic.loss().is_some() { probability::check_rows(rows) } else { Ok(()) }
    }

    fn reference_score(&self) -> Option<usize> {
        self.reference
    }

    fn evaluate(&self, rows: &Rows) -> CompareScoresRecord {
        let undefined = || CompareScoresRecord::undefined(rows);
        if let Some(loss) = self.statistic.loss() {
            let losses = RowLosses::from_rows(loss, rows);
            return losses.map_or_else(undefined, |losses| self.evaluate_estimates(rows, &losses));
        }
        if rows.weights.is_some() {
            let areas = WeightedAreas::new(rows);
            return areas.map_or_else(undefined, |areas| self.evaluate_estimates(rows, &areas));
        }
        Areas::new(rows).map_or_else(undefined, |areas| {
            let covariances = areas.covariances();
            self.record(rows, &DeLongAreas { areas: &areas, covariances })
        })
    }
}

/// The estimates of several scores of the same rows, and their covariances.
trait PairedEstimates: Sync {
    /// The number of scores.
    fn number(&self) -> usize;

    /// The estimate of a score.
    fn estimate(&self, score: usize) -> f64;

    /// The difference of two estimates; NaN if both are infinite.
    fn difference(&self, a: usize, b: usize) -> f64;

    /// The covariance of two estimates; undefined with a single row, for areas in a class.
    fn covariance(&self, a: usize, b: usize) -> Option<f64>;

    /// The standard error of the difference of two estimates; undefined if the covariance is.
    fn se_of_difference(&self, a: usize, b: usize) -> Option<f64>;

    /// The largest estimate, and the largest limit of a difference.
    fn max(&self) -> (f64, f64) {
        (1.0, f64::INFINITY)
    }
}

/// Areas of unweighted rows, with all covariances computed together.
struct DeLongAreas<'a> {
    areas: &'a Areas<'a>,
    covariances: Option<Covariances<'a>>,
}

impl PairedEstimates for DeLongAreas<'_> {
    fn number(&self) -> usize {
        self.areas.twice_u.len()
    }

    fn estimate(&self, score: usize) -> f64 {
        self.areas.auc(score)
    }

    fn difference(&self, a: usize, b: usize) -> f64 {
        self.areas.difference(a, b)
    }

    fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        Some(self.covariances.as_ref()?.covariance(a, b))
    }

    fn se_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        Some(self.covariances.as_ref()?.variance_of_difference(a, b).sqrt())
    }
}

impl PairedEstimates for WeightedAreas<'_> {
    fn number(&self) -> usize {
        WeightedAreas::number(self)
    }

    fn estimate(&self, score: usize) -> f64 {
        self.auc(score)
    }

    fn difference(&self, a: usize, b: usize) -> f64 {
        WeightedAreas::difference(self, a, b)
    }

    fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        WeightedAreas::covariance(self, a, b)
    }

    fn se_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        self.variance_of_difference(a, b).map(f64::sqrt)
    }
}

impl PairedEstimates for RowLosses {
    fn number(&self) -> usize {
        self.means.len()
    }

    fn estimate(&self, score: usize) -> f64 {
        self.means[score]
    }

    fn difference(&self, a: usize, b: usize) -> f64 {
        RowLosses::difference(self, a, b)
    }

    fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        RowLosses::covariance(self, a, b)
    }

    fn se_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        RowLosses::se_of_difference(self, a, b)
    }

    fn max(&self) -> (f64, f64) {
        (self.max, self.max)
    }
}

/// Estimates of which each covariance needs a pass over all rows, so each is computed once; many rows use all
/// threads.
struct EachPair<'a> {
    estimates: &'a dyn PairedEstimates,
    covariances: PairVariances,
    errors: PairVariances,
}

/// Values of pairs of scores, keyed by the later score first.
type PairVariances = BTreeMap<(usize, usize), Option<f64>>;

impl<'a> EachPair<'a> {
    /// For `rows` rows and these pairs of scores.
    fn new(estimates: &'a dyn PairedEstimates, pairs: &[(usize, usize)], rows: usize) -> Self {
        type Evaluate<'a> = dyn Fn(usize, usize) -> Option<f64> + Sync + 'a;
        let variances = |pairs: BTreeSet<(usize, usize)>, evaluate: &Evaluate<'_>| -> PairVariances {
            let pairs: Vec<_> = pairs.into_iter().collect();
            let pair_variance = |&(a, b): &(usize, usize)| ((a, b), evaluate(a, b));
            let results = if tasks::are_many(pairs.len().saturating_mul(rows)) {
                tasks::par_map_items(&pairs, pair_variance)
            } else {
                pairs.iter().map(pair_variance).collect()
            };
            results.into_iter().collect()
        };
        let scores = estimates.number();
        let all = (0..scores).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
        let against_first = (1..scores).map(|a| (a, 0));
        let compared = pairs.iter().map(|&(a, b)| later_first(a, b)).chain(against_first).collect();
        EachPair {
            estimates,
            covariances: variances(all, &|a, b| estimates.covariance(a, b)),
            errors: variances(compared, &|a, b| estimates.se_of_difference(a, b)),
        }
    }
}

/// A canonical order of a pair of scores.
fn later_first(a: usize, b: usize) -> (usize, usize) {
    (a.max(b), a.min(b))
}

impl PairedEstimates for EachPair<'_> {
    fn number(&self) -> usize {
        self.estimates.number()
    }

    fn estimate(&self, score: usize) -> f64 {
        self.estimates.estimate(score)
    }

    fn difference(&self, a: usize, b: usize) -> f64 {
        self.estimates.difference(a, b)
    }

    fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        self.covariances.get(&later_first(a, b)).copied().flatten()
    }

    fn se_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        self.errors.get(&later_first(a, b)).copied().flatten()
    }

    fn max(&self) -> (f64, f64) {
        self.estimates.max()
    }
}

impl CompareScores {
    /// The record of estimates, with each pair evaluated once.
    fn evaluate_estimates(&self, rows: &Rows, estimates: &dyn PairedEstimates) -> CompareScoresRecord {
        let pairs = self.pairs(estimates.number()).collect::<Vec<_>>();
        self.record(rows, &EachPair::new(estimates, &pairs, rows.len))
    }

    fn record(&self, rows: &Rows, estimates: &dyn PairedEstimates) -> CompareScoresRecord {
        let scores = estimates.number();
        let row = |a: usize| (0..scores).map(|b| estimates.covariance(a.max(b), a.min(b))).collect();
        let matrix: Option<Vec<Vec<f64>>> = (0..scores).map(row).collect();
        let (max, most_difference) = estimates.max();
        let score_estimates = (0..scores)
            .map(|score| {
                let estimate = estimates.estimate(score);
                let interval = estimates
                    .covariance(score, score)
                    .map(|variance| Interval::normal(estimate, variance.sqrt(), self.level).within(0.0, max));
                let covariance = matrix.as_ref().map_or_else(Vec::new, |matrix| matrix[score].clone());
                EstimateRecord::new(
                    Name(score as u32),
                    Some(estimate),
                    interval.unwrap_or_default(),
                    covariance,
                )
            })
            .collect();
        let mut differences: Vec<DifferenceRecord> = self
            .pairs(scores)
            .map(|(a, b)| {
                let difference = estimates.difference(a, b);
                let se = estimates.se_of_difference(a, b);
                let z = se.and_then(|se| in_standard_errors(difference, se));
                let interval = se.map(|se| {
                    Interval::normal(difference, se, self.level).within(-most_difference, most_difference)
                });
                DifferenceRecord::new(
                    Name(a as u32),
                    Name(b as u32),
                    Some(difference).filter(|difference| !difference.is_nan()),
                    interval.unwrap_or_default(),
                    z,
                    z.map(|z| Alternative::TwoSided.p_value(z, upper_tail)),
                    None,
                )
            })
            .collect();
        self.adjust.adjust(&mut differences, |record| (record.p_value, &mut record.p_adjusted));
        let test = matrix.and_then(|matrix| joint(estimates, &matrix));
        CompareScoresRecord::new(
            Some(score_estimates),
            Some(differences),
            test.map(|test| test.0),
            test.map(|test| test.1 as u64),
            test.filter(|test| test.1 > 0).map(|test| chi_square::upper_tail(test.0, test.1 as f64)),
            rows.into(),
        )
    }
}

/// The statistic of the test that all estimates are equal, and its degrees of freedom; `None` if estimates
/// differ without variance.
fn joint(estimates: &dyn PairedEstimates, matrix: &[Vec<f64>]) -> Option<(f64, usize)> {
    // Contrasts with the first score are standardised, so that small ones count as much as large ones. A
    // variance of exactly 0 belongs to a score that ranks alike.
    let se = |a: usize| estimates.se_of_difference(a, 0).map(|se| (a, se));
    let against_first: Vec<(usize, f64)> = (1..matrix.len()).map(se).collect::<Option<_>>()?;
    if against_first.iter().any(|&(a, se)| se == 0.0 && estimates.difference(a, 0) != 0.0) {
        return None;
    }
    let varying = || against_first.iter().filter(|score| score.1 > 0.0);
    let correlation = |a: &(usize, f64), b: &(usize, f64)| {
        let covariance = matrix[a.0][b.0] - matrix[a.0][0] - matrix[0][b.0] + matrix[0][0];
        if a.0 == b.0 { 1.0 } else { covariance / (a.1 * b.1) }
    };
    let correlations = varying().map(|a| varying().map(|b| correlation(a, b)).collect()).collect();
    let differences = varying().map(|score| estimates.difference(score.0, 0) / score.1).collect();
    let (statistic, df) = symmetric::quadratic_form(correlations, differences);
    Some((statistic?, df))
}

impl CompareScores {
    /// The pairs of scores to compare.
    fn pairs(&self, scores: usize) -> impl Iterator<Item = (usize, usize)> {
        let reference = self.reference;
        (0..scores).flat_map(move |a| (0..scores).map(move |b| (a, b))).filter(move |&(a, b)| match reference
        {
            Some(reference) => b == reference && a != b,
            None => a < b,
        })
    }
}

declaration! {
    /// The AUCs of several scores on the same rows: their covariance matrix, the joint test, and the test of each
    /// pair.
    ///
    /// Words: compare many models, covariance of AUCs, joint test, all pairs, leaderboard.
    CompareScores => CompareScoresRecord {
        label,
        /// Two or more numeric or Boolean columns; higher means more positive. Names, expressions, lists of them, and
        /// expressions of several columns such as `cs.starts_with("p_")` or `pl.col("a", "b")`.
        scores: python("IntoExpr | Iterable[IntoExpr]");
        /// What is compared: `"roc_auc"`, or the loss of probabilities, `"brier_score"` or `"log_loss"`. Losses require
        /// scores from 0 to 1, and lower is better.
        statistic: word<Compared> = "roc_auc",
        /// The position, from 0, of the score that all others are compared with; `None` compares every pair. An
        /// expression of several columns counts as one position here, so write the reference before it.
        reference: integer = None,
        /// The adjustment of the p-values for the number of differences: see `adjust_p_values()`.
        adjust: python("Adjustment | None") = "holm",
        level = 0.95,
        /// Weights are for rows sampled with unequal probabilities; the covariances of AUCs are then by the infinitesimal
        /// jackknife.
        weight = None, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::{rows_of, three_scores};

    const HOLM: CompareScores =
        CompareScores { statistic: Compared::RocAuc, reference: None, adjust: Adjustment::Holm, level: 0.95 };

    #[test]
    fn two_scores_are_the_paired_test() {
        let (labels, [a, b, _]) = three_scores();
        let record = HOLM.evaluate(&rows_of(&labels, &[&a, &b], &[]));
        let differences = record.differences.unwrap();
        assert_eq!((differences.len(), record.df), (1, Some(1)));
        assert!((record.chi_square.unwrap() - differences[0].z.unwrap().powi(2)).abs() < 1e-12);
        assert!((record.p_value.unwrap() - differences[0].p_value.unwrap()).abs() < 1e-13);
        assert_eq!(differences[0].p_value, differences[0].p_adjusted);
    }

    #[test]
    fn three_at_once() {
        let (labels, [a, b, c]) = three_scores();
        let rows = rows_of(&labels, &[&a, &b, &c], &[]);
        let record = HOLM.evaluate(&rows);
        let names: Vec<(u32, u32)> =
            record.differences.unwrap().iter().map(|pair| (pair.score_a.0, pair.score_b.0)).collect();
        assert_eq!(names, [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(record.df, Some(2));
        let areas = record.estimates.unwrap();
        assert_eq!(areas[0].covariance[1], areas[1].covariance[0]);
        assert!((areas[2].covariance[2].sqrt() - areas[2].interval.se.unwrap()).abs() < 1e-15);
        let against = CompareScores { reference: Some(1), ..HOLM }.evaluate(&rows);
        let names: Vec<(u32, u32)> =
            against.differences.unwrap().iter().map(|pair| (pair.score_a.0, pair.score_b.0)).collect();
        assert_eq!(names, [(0, 1), (2, 1)]);
        // A duplicate score adds no variance.
        let twice = HOLM.evaluate(&rows_of(&labels, &[&a, &b, &a], &[]));
        assert_eq!(twice.df, Some(1));
        let all_alike = HOLM.evaluate(&rows_of(&labels, &[&a, &a], &[]));
        assert_eq!((all_alike.chi_square, all_alike.df, all_alike.p_value), (Some(0.0), Some(0), None));
    }

    #[test]
    fn losses() {
        let (labels, scores) = three_scores();
        let scores = scores.map(|scores| scores.iter().map(|score| score / 64.0).collect::<Vec<f64>>());
        let rows = rows_of(&labels, &[&scores[0], &scores[1], &scores[2]], &[]);
        for (statistic, loss) in [(Compared::BrierScore, &SQUARED), (Compared::LogLoss, &LOGARITHMIC)] {
            let record = CompareScores { statistic, ..HOLM }.evaluate(&rows);
            let (estimates, differences) = (record.estimates.unwrap(), record.differences.unwrap());
            let losses = RowLosses::from_rows(loss, &rows).unwrap();
            assert_eq!(estimates[1].estimate, Some(losses.means[1]));
            assert_eq!(differences[2].interval.se, losses.se_of_difference(1, 2));
            let by_covariances =
                estimates[1].covariance[1] + estimates[2].covariance[2] - 2.0 * estimates[1].covariance[2];
            let se = differences[2].interval.se.unwrap_or(f64::NAN);
            assert!(by_covariances.is_nan() || (by_covariances.sqrt() / se - 1.0).abs() < 1e-12);
            assert_eq!(record.df, record.chi_square.map(|_| 2));
        }
    }
}
