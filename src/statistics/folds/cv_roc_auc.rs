//! The AUC over the folds of a cross-validation.

use crate::math::{quantile::mean_and_deviation, student_t, sum::in_order};
use crate::ranking::rows::KeyRows;
use crate::ranking::ties::{Count, counts::steps};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{
    Area, Interval, LogitScale, TieShare, WeightedKeys, by_key, interval::tail,
};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, Options, Word, words};
use crate::statistics::rows::Rows;

/// The mean of the areas of the folds, with an interval.
///
/// Student's t: `mean ± t se` with `se = sd / sqrt(k)` and k - 1 degrees of freedom over the k folds (Komarek
/// 2004). Influence: `se² = sum over folds of the mean square / k / n`, with a normal interval (LeDell,
/// Petersen and van der Laan 2015, section 4). It averages the squared influence values of all rows on the
/// area of their fold. The value of a positive is `(placement - auc) n / P`, of a negative
/// `(placement - auc) n / N`. Ties count one half, or zero as in the R package cvAUC. Weighted rows support
/// only the first interval. DeLong: [`WithinFolds`], on the logit scale. Folds without positives or negatives
/// have no area, and are counted.
#[derive(Clone, Copy, Debug)]
pub struct CvRocAuc {
    /// The source of the standard error.
    pub method: FoldInterval,
    /// The value of a tie in the influence values; in the areas a tie always counts one half.
    pub ties: TieShare,
    /// The coverage of the interval.
    pub level: f64,
}

/// The source of the standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FoldInterval {
    /// The variation between the folds' areas.
    #[default]
    T,
    /// The influence of each row on its fold's area.
    Influence,
    /// DeLong's variances of the folds' areas, for few rows.
    DeLong,
}

record! {
    /// The cross-validated area of one group.
    pub struct CvRocAucRecord {
        /// The mean AUC of the folds.
        pub auc: Option<f64>,
        /// The standard deviation of the folds' AUCs.
        pub sd: Option<f64>,
        /// - `se`: the standard error of the mean.
        /// - `lower`, `upper`: the confidence limits, not clipped to 0 and 1 (by DeLong they are always within).
        pub interval: Interval,
        /// The number of folds with an AUC.
        pub n_folds: u64,
        /// The number of folds with no positives or no negatives.
        pub n_undefined: u64,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

words!(FoldInterval { "t" => T, "influence" => Influence, "delong" => DeLong });

/// DeLong's variance of a mean over k folds, under the assumption of equal variation of rows in all folds.
///
/// DeLong's variance of a fold's area scales the squares of a class by `P / (P - 1)` for its P rows. A fold
/// may have few rows. Here the factor is `P / (P - k)` for the P rows of all folds, as in an analysis of
/// variance. Clustered rows are summed by cluster first, and P is the sum over folds of the clusters with
/// rows of the class (Obuchowski 1997). The limits are on the logit scale, by Student's t with the smaller of
/// the two classes' degrees of freedom (over rows, or clusters).
#[derive(Clone, Copy, Debug)]
pub struct WithinFolds {
    pos: f64,
    neg: f64,
    folds: f64,
}

impl WithinFolds {
    /// For these numbers of positives and negatives (or of clusters with them) and of folds; undefined if a
    /// class has a single one in each.
    pub fn new(pos: u64, neg: u64, folds: u64) -> Option<Self> {
        let within = WithinFolds { pos: pos as f64, neg: neg as f64, folds: folds as f64 };
        (pos > folds && neg > folds).then_some(within)
    }

    /// The factors of the squares of positives and of negatives.
    pub fn factors(&self) -> (f64, f64) {
        (self.pos / (self.pos - self.folds), self.neg / (self.neg - self.folds))
    }

    /// The limits of a mean with this standard error.
    pub fn interval(&self, mean: f64, se: f64, level: f64) -> Interval {
        let df = self.pos.min(self.neg) - self.folds;
        LogitScale::new(mean, se, Count { pos: self.pos, neg: self.neg })
            .interval(student_t::upper_quantile(tail(level), df))
    }
}

impl FromOptions for CvRocAuc {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let method: FoldInterval = options.word("method")?;
        let ties = options.optional_word("ties")?;
        if ties.is_some() && method != FoldInterval::Influence {
            let reason =
                format!("says what a tie counts in influence values, and `method` is '{}'", method.word());
            return Err(
                OptionError::new("ties", reason).hint("write `method=\"influence\"`, or leave `ties` out")
            );
        }
        if options.has_column("weight") && method != FoldInterval::T {
            return Err(OptionError::new("method", format!("'{}' does not take a weight", method.word()))
                .hint("write `method=\"t\"`"));
        }
        Ok(CvRocAuc { method, ties: ties.unwrap_or_default(), level: options.level()? })
    }
}

impl Joint for CvRocAuc {
    type Record = CvRocAucRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1)).or_states().keyed(KeyInput::called("fold"));

    const WEIGHTS: bool = true;

    fn takes_weighted_states(&self) -> bool {
        self.method == FoldInterval::T
    }

    fn needs_with_weights(&self) -> Needs {
        Needs::CODES
    }

    fn needs(&self) -> Needs {
        if self.ties == TieShare::Half { Needs::KEY_PLACEMENTS } else { Needs::CODES }
    }

    fn evaluate(&self, rows: &Rows) -> CvRocAucRecord {
        let none = CvRocAucRecord::undefined(rows);
        if let Some(folds) = WeightedKeys::areas_of_rows_or_states(rows, 0) {
            return self.with_t_interval(none.with_areas(folds.into_iter().flatten(), rows.keys.distinct));
        }
        let folds: Vec<Fold> = match self.ties {
            TieShare::Half => by_key::areas(rows, 0).flatten().map(|area| (area, area.squares())).collect(),
            TieShare::Zero => {
                let fold = |fold: &KeyRows| fold.area().map(|area| (area, squares_without_ties(fold, &area)));
                by_key::rows_by_key(rows, 0).iter().filter_map(fold).collect()
            }
        };
        let mut record = none.with_areas(folds.iter().map(|fold| fold.0.auc), rows.keys.distinct);
        let Some(mean) = record.auc else { return record };
        record.interval = match self.method {
            FoldInterval::T => return self.with_t_interval(record),
            FoldInterval::Influence => Interval::normal(mean, influence_error(&folds), self.level),
            FoldInterval::DeLong => self.within_folds(mean, &folds),
        };
        record
    }
}

impl CvRocAuc {
    /// Adds the interval from the variation between the folds' areas.
    fn with_t_interval(&self, record: CvRocAucRecord) -> CvRocAucRecord {
        let k = record.n_folds as f64;
        let interval = |(mean, sd): (f64, f64)| Interval::student(mean, sd / k.sqrt(), self.level, k - 1.0);
        let interval = record.auc.zip(record.sd).map(interval).unwrap_or_default();
        CvRocAucRecord { interval, ..record }
    }

    /// From DeLong's variances.
    fn within_folds(&self, mean: f64, folds: &[Fold]) -> Interval {
        let class_total = |count: fn(&Area) -> u64| folds.iter().map(|fold| count(&fold.0)).sum::<u64>();
        let (pos, neg) = (class_total(|fold| fold.n_pos), class_total(|fold| fold.n_neg));
        let Some(within) = WithinFolds::new(pos, neg, folds.len() as u64) else { return Interval::default() };
        let factors = within.factors();
        let variance = |(fold, (pos_squares, neg_squares)): &Fold| {
            factors.0 * pos_squares / (fold.n_pos as f64).powi(2)
                + factors.1 * neg_squares / (fold.n_neg as f64).powi(2)
        };
        let variances: f64 = in_order(folds.iter().map(variance)).into_iter().sum();
        within.interval(mean, variances.sqrt() / folds.len() as f64, self.level)
    }
}

/// The area of a fold, with the sums of squares of its influence values over positives and negatives.
type Fold = (Area, (f64, f64));

/// The standard error from influence values.
fn influence_error(folds: &[Fold]) -> f64 {
    let class_total = |count: fn(&Area) -> u64| folds.iter().map(|fold| count(&fold.0)).sum::<u64>() as f64;
    let (pos, neg) = (class_total(|fold| fold.n_pos), class_total(|fold| fold.n_neg));
    let n = pos + neg;
    let mean_square = |(fold, (pos_squares, neg_squares)): &Fold| {
        ((n / pos).powi(2) * pos_squares + (n / neg).powi(2) * neg_squares) / fold.rows() as f64
    };
    let mean_squares: f64 = in_order(folds.iter().map(mean_square)).into_iter().sum();
    (mean_squares / folds.len() as f64 / n).sqrt()
}

impl CvRocAucRecord {
    /// Adds the mean and the deviation of the folds' areas, and the number of folds with an area.
    pub(super) fn with_areas(self, areas: impl Iterator<Item = f64>, folds: usize) -> Self {
        let areas = in_order(areas);
        let record =
            CvRocAucRecord { n_folds: areas.len() as u64, n_undefined: (folds - areas.len()) as u64, ..self };
        if areas.is_empty() {
            return record;
        }
        let (mean, deviation) = mean_and_deviation(&areas);
        CvRocAucRecord { auc: Some(mean), sd: (areas.len() > 1).then_some(deviation), ..record }
    }
}

/// For positives and for negatives, the sum of squared distances of placements from the area, where a tie
/// counts zero in a placement.
fn squares_without_ties(fold: &KeyRows, area: &Area) -> (f64, f64) {
    let square = |rows: u64, beaten: u64, others: u64| {
        rows as f64 * (beaten as f64 / others as f64 - area.auc).powi(2)
    };
    let (mut pos_squares, mut neg_squares) = (0.0, 0.0);
    for step in steps(&fold.counts) {
        pos_squares += square(step.pos, fold.n_neg - step.fp(), fold.n_neg);
        neg_squares += square(step.neg, step.pos_above, fold.n_pos);
    }
    (pos_squares, neg_squares)
}

declaration! {
    /// The mean AUC of the folds, with an interval by Student's t, the influence curve or DeLong; also for rows in
    /// clusters.
    ///
    /// Words: cross-validation, CV AUC, k-fold, cvAUC, mean AUC of folds, repeated folds.
    CvRocAuc => CvRocAucRecord, super::cv_roc_auc_clustered::CvRocAucClusteredRecord {
        label = None, score = None,
        /// The fold in which the row was test data; any dtype except lists. With `state`, the fold of each state.
        fold: column = None;
        /// - `"t"`: from the standard deviation of the folds' AUCs, with Student's t.
        /// - `"influence"`: from the influence of each row on the AUC of its fold, with normal limits; needs many
        ///   rows, but not many folds.
        /// - `"delong"`: from DeLong's variance of each fold's AUC, on the logit scale with Student's t; for few
        ///   rows, or few clusters.
        method: word<FoldInterval> = "t",
        /// How a tie counts in the influence values: `"half"` (the default), as in the AUC, or `"zero"`, as in the R
        /// package cvAUC. Only for `method="influence"`.
        ties: word<TieShare> = None,
        level = 0.95,
        /// The AUCs of the folds are then weighted, and all folds count equally. Only for `method="t"`.
        weight = None,
        /// A cluster may span folds. Requires `method="delong"`, or `"influence"`, which sums the influence values by
        /// cluster. If each cluster is in one fold, `"t"` needs no `cluster`.
        cluster = None, count = None,
        /// instead of `label` and `score`, one or more for each fold: the states of a fold are merged. With
        /// `max_bins` the result is approximate: scores in the same bin of a fold count as ties. Weighted states only
        /// for `method="t"`.
        state = None,
    }
}

#[cfg(test)]
pub(in crate::statistics) mod tests {
    use super::*;
    use crate::statistics::options::{OptionValue, tests::options};
    use crate::statistics::tests::rows_of;

    const T: CvRocAuc = CvRocAuc { method: FoldInterval::T, ties: TieShare::Half, level: 0.95 };

    /// Three folds with areas 1, 1/2 and 3/4, and one without negatives.
    pub(in crate::statistics) fn sample() -> Rows {
        let labels = [1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 1];
        let scores = [2.0, 1.0, 3.0, 3.0, 4.0, 3.0, 5.0, 6.0, 1.0, 1.0, 2.0, 9.0];
        let folds = [7, 7, 8, 8, 9, 9, 9, 9, 10, 10, 10, 11];
        rows_of(&labels, &[&scores, &scores.map(|score: f64| -score)], &folds)
    }

    #[test]
    fn mean_of_folds() {
        let record = T.evaluate(&sample());
        let areas: [f64; 4] = [1.0, 0.5, 0.75, 0.75];
        let (mean, deviation) = mean_and_deviation(&areas);
        assert_eq!((record.n_folds, record.n_undefined, record.rows.pos, record.rows.neg), (4, 1, 7, 5));
        assert!((record.auc.unwrap() - mean).abs() < 1e-15);
        assert!((record.interval.se.unwrap() - deviation / 2.0).abs() < 1e-15);
        // t(0.975, 3) = 3.182446
        assert!(
            (record.interval.upper.unwrap() - mean - 3.182_446_305_284_263 * deviation / 2.0).abs() < 1e-12
        );
    }

    #[test]
    fn influence() {
        let influence = CvRocAuc { method: FoldInterval::Influence, ..T };
        let record = influence.evaluate(&sample());
        // By hand, over the 11 rows of folds with an area, 6 positive. Fold 9 has placements 1/2, 1 and 1,
        // 1/2; fold 10 has 1/2, 1 and 3/4.
        let (p, q) = ((11.0f64 / 6.0).powi(2), (11.0f64 / 5.0).powi(2));
        let nine = (p + q) * 2.0 * 0.0625 / 4.0;
        let ten = p * 2.0 * 0.0625 / 3.0;
        let se = ((nine + ten) / 4.0 / 11.0).sqrt();
        assert!((record.interval.se.unwrap() - se).abs() < 1e-15, "{record:?} {se}");
        assert_eq!(record.auc, T.evaluate(&sample()).auc);
        // A tie counts zero. In fold 8 both placements are 0, not 1/2; in fold 10 the tied rows have 0 and
        // 1/2, not 1/2 and 3/4. Fold 9 has no ties.
        let zero = CvRocAuc { ties: TieShare::Zero, ..influence };
        let record = zero.evaluate(&sample());
        let eight = (p + q) * 0.25 / 2.0;
        let nine = (p + q) * 2.0 * 0.0625 / 4.0;
        let ten = (p * (0.75f64.powi(2) + 0.25f64.powi(2)) + q * 0.25f64.powi(2)) / 3.0;
        let se = ((eight + nine + ten) / 4.0 / 11.0).sqrt();
        assert!((record.interval.se.unwrap() - se).abs() < 1e-15, "{record:?} {se}");
    }

    #[test]
    fn delong() {
        let record = CvRocAuc { method: FoldInterval::DeLong, ..T }.evaluate(&sample());
        // The same squares by hand, for 6 positives and 5 negatives in 4 folds.
        let (p, q) = (6.0f64 / 2.0, 5.0f64);
        let nine = (p + q) * 2.0 * 0.0625 / 4.0;
        let ten = p * 2.0 * 0.0625 / 4.0;
        let se = (nine + ten).sqrt() / 4.0;
        assert!((record.interval.se.unwrap() - se).abs() < 1e-15, "{record:?} {se}");
        let limits = LogitScale::new(0.75, se, Count { pos: 6.0, neg: 5.0 })
            .interval(student_t::upper_quantile(0.025, 1.0));
        assert!((record.interval.lower.unwrap() - limits.lower.unwrap()).abs() < 1e-12);
        assert!((record.interval.upper.unwrap() - limits.upper.unwrap()).abs() < 1e-12);
        let one_each = rows_of(&[1, 0, 1, 0], &[&[2.0, 1.0, 1.0, 2.0]], &[3, 3, 4, 4]);
        let record = CvRocAuc { method: FoldInterval::DeLong, ..T }.evaluate(&one_each);
        assert_eq!((record.auc, record.interval), (Some(0.5), Interval::default()));
    }

    #[test]
    fn ties_in_influence_values() {
        let word = |word: &str| OptionValue::Word(word.into());
        let parse = |method, ties| {
            CvRocAuc::from_options(&options([
                ("method", word(method)),
                ("ties", ties),
                ("level", OptionValue::Float(0.9)),
            ]))
        };
        assert_eq!(parse("influence", word("zero")).unwrap().ties, TieShare::Zero);
        assert_eq!(parse("t", OptionValue::Absent).unwrap().ties, TieShare::Half);
        assert_eq!(parse("t", word("half")).unwrap_err().option, "ties");
    }

    #[test]
    fn without_folds() {
        let single = rows_of(&[1, 0], &[&[2.0, 1.0], &[2.0, 1.0]], &[3, 3]);
        let record = T.evaluate(&single);
        assert_eq!((record.auc, record.interval.se, record.n_folds), (Some(1.0), None, 1));
        assert_eq!(T.evaluate(&rows_of(&[1, 1], &[&[2.0, 1.0]], &[3, 4])).n_undefined, 2);
    }
}
