//! Bootstrap intervals for all numbers of a statistic.

use super::roc_summary::RocSummary;
use crate::ranking::scores::ScoreType;
use crate::ranking::ties::{Counts, Ties};
use crate::statistics::inference::Interval;
use crate::statistics::kinds::{Column, Curve, Field, FieldKind, Record, Summary, record};
use crate::statistics::numbers::{AveragePrecision, Gini, KsStatistic, MeanPositiveRank, RocAuc};
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::resampling::{Draw, Redraw, Resampling};
use crate::statistics::thresholds::{ConfusionAt, OperatingPoint};

/// The numbers of a statistic with percentile intervals: two quantiles over bootstrap resamples of the rows
/// (Efron 1979; Efron and Tibshirani 1993, section 13.3).
///
/// For many rows, cells are resampled instead of rows: see [`redraw`](crate::statistics::resampling::redraw).
#[derive(Clone, Copy, Debug)]
pub struct BootstrapCi<M> {
    /// The statistic, with its options.
    pub statistic: M,
    /// The coverage of the interval.
    pub level: f64,
    /// The number of resamples.
    pub resampling: Resampling,
    /// The kind of resampling.
    pub resample: Draw,
}

/// Resamples of [`AveragePrecision`].
pub type BootstrapAveragePrecision = BootstrapCi<AveragePrecision>;
/// Resamples of [`ConfusionAt`].
pub type BootstrapConfusionAt = BootstrapCi<ConfusionAt>;
/// Resamples of [`Gini`].
pub type BootstrapGini = BootstrapCi<Gini>;
/// Resamples of [`KsStatistic`].
pub type BootstrapKsStatistic = BootstrapCi<KsStatistic>;
/// Resamples of [`MeanPositiveRank`].
pub type BootstrapMeanPositiveRank = BootstrapCi<MeanPositiveRank>;
/// Resamples of [`OperatingPoint`].
pub type BootstrapOperatingPoint = BootstrapCi<OperatingPoint>;
/// Resamples of [`RocAuc`].
pub type BootstrapRocAuc = BootstrapCi<RocAuc>;
/// Resamples of [`RocSummary`].
pub type BootstrapRocSummary = BootstrapCi<RocSummary>;

record! {
    /// One number of the statistic.
    pub struct BootstrapRecord {
        /// The name of the number in the record of the statistic.
        pub field: Option<&'static str>,
        /// The number; null where it is undefined.
        pub estimate: Option<f64>,
        /// The standard deviation and the confidence limits from the resamples in which the number is defined. Null
        /// with fewer than two positives or fewer than two negatives, and if fewer than two resamples define it. `se`
        /// is also null if a resample has an infinite threshold.
        pub interval: Interval,
        /// The number of resamples in which the number is undefined. They are skipped.
        pub n_undefined: u64,
    }
}

/// Whether a field is an estimate, not a count of rows or part of the inference about another field.
fn is_estimate(field: &Field) -> bool {
    let inferred = ["se", "lower", "upper", "p_value", "prevalence"];
    let is_number = matches!(field.kind, FieldKind::Number | FieldKind::Mass | FieldKind::Threshold);
    is_number
        && !inferred.contains(&field.name)
        && !field.name.ends_with("_lower")
        && !field.name.ends_with("_upper")
}

/// The single number of a column, if defined.
fn number(column: &Column, score_type: ScoreType) -> Option<f64> {
    let is_present = |present: &[bool]| present.first().copied().unwrap_or(true);
    match column {
        Column::Number(rows) if is_present(&rows.present) => rows.values.first().copied(),
        Column::Mass(rows) if is_present(&rows.present) => rows.values.first().map(|&count| count as f64),
        Column::Threshold(rows) if is_present(&rows.present) => Some(score_type.value(rows.keys.at(0))),
        _ => None,
    }
}

impl<M: FromOptions> FromOptions for BootstrapCi<M> {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(BootstrapCi {
            statistic: M::from_options(&options.within("statistic"))?,
            level: options.level()?,
            resampling: Resampling::required(options)?,
            resample: options.word("resample")?,
        })
    }
}

impl<M: Summary> Curve for BootstrapCi<M> {
    type Record = BootstrapRecord;

    fn check_sums_of_weights(&self) -> Result<(), OptionError> {
        self.statistic.check_sums_of_weights()
    }

    fn passes(&self) -> usize {
        self.resampling.passes()
    }

    fn points(&self, ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let fields = M::Record::FIELDS;
        let numbers = |ties: Ties<'_>| -> Vec<Option<f64>> {
            let score_type = ties.score_type();
            let mut columns = Column::all_of(fields, score_type.width(), 1);
            self.statistic.evaluate(ties).append(&mut columns);
            let estimates = fields.iter().zip(&columns).filter(|(field, _)| is_estimate(field));
            estimates.map(|(_, column)| number(column, score_type)).collect()
        };
        let names = fields.iter().filter(|field| is_estimate(field)).map(|field| field.name).collect();
        let bootstrap =
            Bootstrap { names, level: self.level, resampling: self.resampling, draw: self.resample };
        bootstrap.records(ties, &numbers).into_iter().for_each(|record| record.append(columns));
        true
    }
}

/// The options of the bootstrap and the names of the numbers. This part is independent of the statistic's
/// type, so it is compiled once.
struct Bootstrap {
    names: Vec<&'static str>,
    level: f64,
    resampling: Resampling,
    draw: Draw,
}

impl Bootstrap {
    fn records(
        &self,
        mut ties: Ties<'_>,
        numbers: &(dyn Fn(Ties<'_>) -> Vec<Option<f64>> + Sync),
    ) -> Vec<BootstrapRecord> {
        let mut counts = ties.counts();
        let resamples =
            if ties.n_pos() < 2 || ties.n_neg() < 2 { Vec::new() } else { self.resamples(&counts, numbers) };
        let estimates = numbers(counts.ties());
        let record = |(index, (&name, estimate)): (usize, (&&'static str, Option<f64>))| {
            let values = resamples.iter().filter_map(|numbers| numbers[index]).collect();
            let n_undefined = resamples.iter().filter(|numbers| numbers[index].is_none()).count();
            self.record(name, estimate, values, n_undefined)
        };
        self.names.iter().zip(estimates).enumerate().map(record).collect()
    }

    /// The numbers of each resample.
    fn resamples(
        &self,
        counts: &Counts,
        numbers: &(dyn Fn(Ties<'_>) -> Vec<Option<f64>> + Sync),
    ) -> Vec<Vec<Option<f64>>> {
        let (redraw, last) = Redraw::fitting(counts.each(), self.draw);
        self.resampling.each(Vec::new, |counts_of_resample, mut stream| {
            redraw.draw(&mut stream, counts_of_resample);
            let mut resample = Counts::with_capacity(counts.score_type(), None, counts_of_resample.len());
            for (count, &index) in counts_of_resample.iter().zip(&last).filter(|(count, _)| count.rows() > 0)
            {
                resample.push(counts.key(index), count.pos, count.neg);
            }
            numbers(resample.ties())
        })
    }

    fn record(
        &self,
        name: &'static str,
        estimate: Option<f64>,
        values: Vec<f64>,
        n_undefined: usize,
    ) -> BootstrapRecord {
        let mut interval = Interval::default();
        if values.len() > 1 {
            interval = Interval::from_resamples(values, self.level);
            interval.se = interval.se.filter(|se| se.is_finite());
        }
        BootstrapRecord { field: Some(name), estimate, interval, n_undefined: n_undefined as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quantile::sorted_quantile;
    use crate::ranking::ties::counts::twice_u;
    use crate::statistics::tests::with_ties;

    const RESAMPLING: Resampling = Resampling { n_resamples: 400, seed: 5 };

    fn columns<M: Summary>(statistic: M, labels: &[u8], scores: &[f64]) -> Vec<Column> {
        let bootstrap =
            BootstrapCi { statistic, level: 0.9, resampling: RESAMPLING, resample: Draw::Stratified };
        with_ties(labels, scores, |ties| {
            let mut columns = Column::all_of(BootstrapRecord::FIELDS, ties.score_type().width(), 4);
            assert!(bootstrap.points(ties, &mut columns));
            columns
        })
    }

    fn numbers(column: &Column) -> Vec<Option<f64>> {
        let Column::Number(rows) = column else { panic!("a number") };
        let is_present = |row: usize| rows.present.get(row).copied().unwrap_or(true);
        rows.values.iter().enumerate().map(|(row, &value)| is_present(row).then_some(value)).collect()
    }

    /// The same resamples and quantiles as for [`TprAtFpr`](crate::statistics::TprAtFpr), one by one.
    #[test]
    fn equals_manual_resampling() {
        let labels: Vec<u8> = (0..60).map(|i| u8::from(i % 3 > 0)).collect();
        let scores: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17) + f64::from(i % 3)).collect();
        let result = columns(RocAuc::default(), &labels, &scores);
        let (estimate, mut areas) = with_ties(&labels, &scores, |mut ties| {
            let counts = ties.counts();
            let redraw = Redraw::rows(counts.each(), Draw::Stratified);
            let twice_pairs = (2 * ties.pairs()) as f64;
            let areas = RESAMPLING.each(Vec::new, |counts_of_resample, mut stream| {
                redraw.draw(&mut stream, counts_of_resample);
                twice_u(counts_of_resample) as f64 / twice_pairs
            });
            (RocAuc::default().evaluate(ties).auc, areas)
        });
        areas.sort_unstable_by(f64::total_cmp);
        let limits = [Some(sorted_quantile(&areas, 0.05)), Some(sorted_quantile(&areas, 0.95))];
        assert_eq!(numbers(&result[1]), [estimate]);
        assert_eq!([numbers(&result[3])[0], numbers(&result[4])[0]], limits);
    }

    #[test]
    fn undefined_without_two_rows_of_a_class() {
        let result = columns(KsStatistic::default(), &[1, 0, 0], &[2.0, 1.0, 3.0]);
        assert_eq!(numbers(&result[1]), [Some(0.5), Some(-0.5), Some(3.0)]);
        assert_eq!(numbers(&result[2]), [None; 3]);
    }
}
