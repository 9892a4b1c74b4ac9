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
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::rows::Rows;

/// The areas of k scores with their DeLong covariance matrix, the test that all are equal, and the
/// differences.
///
/// The test is `(L A)' (L V L')⁺ (L A)` with the contrasts L of each score against the first. It is compared
/// with chi-square, with the rank of `L V L'` as degrees of freedom (DeLong, DeLong and Clarke-Pearson 1988,
/// equation 5): k - 1 unless scores rank alike. For weighted rows the covariances come from the
/// [infinitesimal jackknife](crate::statistics::inference::weighted_areas). The differences are computed as
/// in [`RocAucDifference`](crate::statistics::RocAucDifference), with p-values adjusted for their number.
/// `O(k n log n + k² n + k³)`.
#[derive(Clone, Copy, Debug)]
pub struct CompareScores {
    /// The index of the reference score; `None` to compare every pair.
    pub reference: Option<usize>,
    /// The adjustment of the p-values of the differences.
    pub adjust: Adjustment,
    /// The coverage of all intervals.
    pub level: f64,
}

record! {
    /// The area of one score.
    pub struct AreaRecord {
        /// The score's name.
        pub score: Name,
        /// Its AUC.
        pub auc: Option<f64>,
        /// The standard error and confidence limits.
        pub interval: Interval,
        /// The covariance with the AUC of each score, in their order; empty where the standard error is null.
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
        /// The first AUC minus the second.
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
        /// For each score, its name `score`, `auc`, `se`, `lower`, `upper` as in `roc_auc_ci()` by DeLong, and
        /// `covariance` (List of Float64), its row of the covariance matrix.
        pub areas: Option<Vec<AreaRecord>>,
        /// For each pair, the names `score_a` and `score_b`; `difference` (`score_a` minus `score_b`), `se`, `lower`,
        /// `upper`, `z`, `p_value` as in `roc_auc_difference()`; and `p_adjusted`. A `reference` is always `score_b`.
        pub differences: Option<Vec<DifferenceRecord>>,
        /// The statistic of the test that all AUCs are equal; null with fewer than two rows in a class, and if AUCs
        /// without variance differ.
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
            let place = format_args!("be a score's place, from 0 to {last}");
            options.must_be("reference", place).hint("an expression of several columns counts as one place")
        };
        Ok(CompareScores {
            reference: options.optional_integer("reference", 0..=last).map_err(refused)?,
            adjust: Adjustment::of_options(options, "adjust")?,
            level: options.level()?,
        })
    }
}

impl Joint for CompareScores {
    type Record = CompareScoresRecord;

    const INPUTS: Inputs = Inputs::scores(None);

    fn needs(&self) -> Needs {
        Needs::PLACEMENT_PRODUCTS
    }

    fn passes(&self) -> usize {
        16
    }

    const WEIGHTS: bool = true;

    fn needs_with_weights(&self) -> Needs {
        Needs::CODES
    }

    fn reference_score(&self) -> Option<usize> {
        self.reference
    }

    fn of_rows(&self, rows: &Rows) -> CompareScoresRecord {
        let undefined = || CompareScoresRecord::undefined(rows);
        if rows.weights.is_some() {
            return WeightedAreas::of(rows).map_or_else(undefined, |areas| {
                let pairs = self.pairs(areas.number()).collect::<Vec<_>>();
                self.of_areas(rows, &WeightedPairs::of(&areas, &pairs, rows.len))
            });
        }
        Areas::of(rows).map_or_else(undefined, |areas| {
            let covariances = areas.covariances();
            self.of_areas(rows, &DeLongAreas { areas: &areas, covariances })
        })
    }
}

/// The areas of several scores of the same rows, and their covariances.
trait PairedAreas {
    /// The number of scores.
    fn number(&self) -> usize;

    /// The area of a score.
    fn auc(&self, score: usize) -> f64;

    /// The difference of two areas.
    fn difference(&self, a: usize, b: usize) -> f64;

    /// The covariance of two areas; undefined with a single row in a class.
    fn covariance(&self, a: usize, b: usize) -> Option<f64>;

    /// The variance of the difference of two areas; undefined if the covariance is.
    fn variance_of_difference(&self, a: usize, b: usize) -> Option<f64>;
}

/// Areas of unweighted rows, with all covariances computed together.
struct DeLongAreas<'a> {
    areas: &'a Areas<'a>,
    covariances: Option<Covariances<'a>>,
}

impl PairedAreas for DeLongAreas<'_> {
    fn number(&self) -> usize {
        self.areas.twice_u.len()
    }

    fn auc(&self, score: usize) -> f64 {
        self.areas.auc(score)
    }

    fn difference(&self, a: usize, b: usize) -> f64 {
        self.areas.difference(a, b)
    }

    fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        Some(self.covariances.as_ref()?.covariance(a, b))
    }

    fn variance_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        Some(self.covariances.as_ref()?.variance_of_difference(a, b))
    }
}

/// Areas of weighted rows. Each variance needs a pass over all rows, so each is computed once; many rows use
/// all threads.
struct WeightedPairs<'a> {
    areas: &'a WeightedAreas<'a>,
    covariances: OfPairs,
    differences: OfPairs,
}

/// The variances of pairs of scores, keyed by the later score first.
type OfPairs = BTreeMap<(usize, usize), Option<f64>>;

impl<'a> WeightedPairs<'a> {
    /// For `rows` rows and these pairs of scores.
    fn of(areas: &'a WeightedAreas<'a>, pairs: &[(usize, usize)], rows: usize) -> Self {
        type Evaluate<'a> = dyn Fn(usize, usize) -> Option<f64> + Sync + 'a;
        let of_each = |pairs: BTreeSet<(usize, usize)>, evaluate: &Evaluate<'_>| -> OfPairs {
            let pairs: Vec<_> = pairs.into_iter().collect();
            let of_pair = |&(a, b): &(usize, usize)| ((a, b), evaluate(a, b));
            let of_pairs = if tasks::are_many(pairs.len().saturating_mul(rows)) {
                tasks::par_map_items(&pairs, of_pair)
            } else {
                pairs.iter().map(of_pair).collect()
            };
            of_pairs.into_iter().collect()
        };
        let scores = areas.number();
        let all = (0..scores).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
        let against_first = (1..scores).map(|a| (a, 0));
        let compared = pairs.iter().map(|&(a, b)| later_first(a, b)).chain(against_first).collect();
        WeightedPairs {
            areas,
            covariances: of_each(all, &|a, b| areas.covariance(a, b)),
            differences: of_each(compared, &|a, b| areas.variance_of_difference(a, b)),
        }
    }
}

/// A canonical order of a pair of scores.
fn later_first(a: usize, b: usize) -> (usize, usize) {
    (a.max(b), a.min(b))
}

impl PairedAreas for WeightedPairs<'_> {
    fn number(&self) -> usize {
        self.areas.number()
    }

    fn auc(&self, score: usize) -> f64 {
        self.areas.auc(score)
    }

    fn difference(&self, a: usize, b: usize) -> f64 {
        self.areas.difference(a, b)
    }

    fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        self.covariances.get(&later_first(a, b)).copied().flatten()
    }

    fn variance_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        self.differences.get(&later_first(a, b)).copied().flatten()
    }
}

impl CompareScores {
    fn of_areas(&self, rows: &Rows, areas: &impl PairedAreas) -> CompareScoresRecord {
        let scores = areas.number();
        let row = |a: usize| (0..scores).map(|b| areas.covariance(a.max(b), a.min(b))).collect();
        let matrix: Option<Vec<Vec<f64>>> = (0..scores).map(row).collect();
        let of_each = (0..scores)
            .map(|score| {
                let auc = areas.auc(score);
                let variance = matrix.as_ref().map(|matrix| matrix[score][score]);
                let interval = Interval::of_area(Some(auc), variance, self.level);
                let covariance = matrix.as_ref().map_or_else(Vec::new, |matrix| matrix[score].clone());
                AreaRecord::new(Name(score as u32), Some(auc), interval, covariance)
            })
            .collect();
        let mut differences: Vec<DifferenceRecord> = self
            .pairs(scores)
            .map(|(a, b)| {
                let difference = areas.difference(a, b);
                let se = areas.variance_of_difference(a, b).map(f64::sqrt);
                let z = se.and_then(|se| in_standard_errors(difference, se));
                DifferenceRecord::new(
                    Name(a as u32),
                    Name(b as u32),
                    Some(difference),
                    se.map(|se| Interval::normal(difference, se, self.level)).unwrap_or_default(),
                    z,
                    z.map(|z| Alternative::TwoSided.p_value(z, upper_tail)),
                    None,
                )
            })
            .collect();
        self.adjust.adjust(&mut differences, |record| (record.p_value, &mut record.p_adjusted));
        let test = matrix.and_then(|matrix| joint(areas, &matrix));
        CompareScoresRecord::new(
            Some(of_each),
            Some(differences),
            test.map(|test| test.0),
            test.map(|test| test.1 as u64),
            test.filter(|test| test.1 > 0).map(|test| chi_square::upper_tail(test.0, test.1 as f64)),
            rows.into(),
        )
    }
}

/// The statistic of the test that all areas are equal, and its degrees of freedom; `None` if areas differ
/// without variance.
fn joint(areas: &impl PairedAreas, matrix: &[Vec<f64>]) -> Option<(f64, usize)> {
    // Contrasts with the first score are standardised, so that small ones count as much as large ones. A
    // variance of exactly 0 belongs to a score that ranks alike.
    let se = |a: usize| areas.variance_of_difference(a, 0).map(|variance| (a, variance.sqrt()));
    let against_first: Vec<(usize, f64)> = (1..matrix.len()).map(se).collect::<Option<_>>()?;
    if against_first.iter().any(|&(a, se)| se == 0.0 && areas.difference(a, 0) != 0.0) {
        return None;
    }
    let varying = || against_first.iter().filter(|score| score.1 > 0.0);
    let correlation = |a: &(usize, f64), b: &(usize, f64)| {
        let covariance = matrix[a.0][b.0] - matrix[a.0][0] - matrix[0][b.0] + matrix[0][0];
        if a.0 == b.0 { 1.0 } else { covariance / (a.1 * b.1) }
    };
    let correlations = varying().map(|a| varying().map(|b| correlation(a, b)).collect()).collect();
    let differences = varying().map(|score| areas.difference(score.0, 0) / score.1).collect();
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
        /// The position, from 0, of the score that all others are compared with; `None` compares every pair. An
        /// expression of several columns counts as one position here, so write the reference before it.
        reference: integer = None,
        /// The adjustment of the p-values for the number of differences: see `adjust_p_values()`.
        adjust: python("Adjustment | None") = "holm",
        level = 0.95,
        /// Weights are for rows sampled with unequal probabilities; covariances are then by the infinitesimal
        /// jackknife.
        weight = None, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::{rows_of, three_scores};

    const HOLM: CompareScores = CompareScores { reference: None, adjust: Adjustment::Holm, level: 0.95 };

    #[test]
    fn two_scores_are_the_paired_test() {
        let (labels, [a, b, _]) = three_scores();
        let record = HOLM.of_rows(&rows_of(&labels, &[&a, &b], &[]));
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
        let record = HOLM.of_rows(&rows);
        let names: Vec<(u32, u32)> =
            record.differences.unwrap().iter().map(|pair| (pair.score_a.0, pair.score_b.0)).collect();
        assert_eq!(names, [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(record.df, Some(2));
        let areas = record.areas.unwrap();
        assert_eq!(areas[0].covariance[1], areas[1].covariance[0]);
        assert!((areas[2].covariance[2].sqrt() - areas[2].interval.se.unwrap()).abs() < 1e-15);
        let against = CompareScores { reference: Some(1), ..HOLM }.of_rows(&rows);
        let names: Vec<(u32, u32)> =
            against.differences.unwrap().iter().map(|pair| (pair.score_a.0, pair.score_b.0)).collect();
        assert_eq!(names, [(0, 1), (2, 1)]);
        // A duplicate score adds no variance.
        let twice = HOLM.of_rows(&rows_of(&labels, &[&a, &b, &a], &[]));
        assert_eq!(twice.df, Some(1));
        let all_alike = HOLM.of_rows(&rows_of(&labels, &[&a, &a], &[]));
        assert_eq!((all_alike.chi_square, all_alike.df, all_alike.p_value), (Some(0.0), Some(0), None));
    }
}
