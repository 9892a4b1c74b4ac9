//! The AUC of segments of the rows, each compared with other rows.

use super::segment_areas::{Comparator, EstimatedArea, IndependentSegments, Segments};
use super::weighted_segments::WeightedSegments;
use super::within_segments::WithinSegments;
use crate::math::chi_square;
use crate::ranking::tasks;
use crate::ranking::ties::Count;
use crate::statistics::comparisons::adjust_p_values::Adjustment;
use crate::statistics::comparisons::unpaired_roc_auc_difference::{DifferenceMethod, TestResult};
use crate::statistics::inference::{
    Estimate, Hypothesis, Interval, Together, WeightedKeys, delong::beyond_rounding, welch,
};
use crate::statistics::kinds::{Inputs, Joint, KeyCode, KeyInput, KeyKind, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options, words};
use crate::statistics::rows::Rows;

/// Every segment's area with its interval, its comparison with other rows, and the test that all areas are
/// equal.
///
/// The rest is the [mean of the other areas within their segments](super::within_segments), with a variance
/// like an area. All rows together include the segment, so both areas have a covariance.
///
/// Wilson, the default: Wilson-type intervals. A difference has the limits and the test of
/// [`WilsonDifference`](crate::statistics::inference::WilsonDifference), with the correlation of both areas
/// (Zou 2007). The rest is treated as an area of the rows of all its segments.
///
/// DeLong: two areas of different rows are compared by `d = (A1 - A2) / sqrt(V1 + V2)` against Student's t.
/// Its Welch-Satterthwaite degrees of freedom are `(V1 + V2)² / (V1² / (n1 - 1) + V2² / (n2 - 1))` over all
/// rows of either, as in pROC's unpaired test. Against all rows, twice the covariance is subtracted from the
/// variance, and the statistic is compared with the normal distribution.
///
/// The heterogeneity is `Q = sum w (A - mean)²` with `w = 1 / V` and `mean = sum w A / sum w`. It is compared
/// with chi-square, with one degree of freedom fewer than segments (Cochran 1954). For DeLong V is the
/// estimated variance, for Wilson the [variance under the mean](super::segment_areas::heterogeneity).
/// `O(n log n)`.
///
/// Areas of weighted rows have variances from the [infinitesimal
/// jackknife](crate::statistics::inference::weighted_areas); against the pooled rest `O(n k)` for k segments.
#[derive(Clone, Debug)]
pub struct CompareSegments {
    /// The comparator of each segment.
    pub versus: Versus,
    /// The name of the reference, which [comes first](KeyKind::Against).
    pub reference: Option<String>,
    /// The method of comparison.
    pub method: DifferenceMethod,
    /// The adjustment of p-values for the number of segments.
    pub adjust: Adjustment,
    /// The coverage of all intervals.
    pub level: f64,
    /// The hypothesis; no difference by default.
    pub test: Hypothesis,
}

/// The comparator of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versus {
    /// All other segments: the mean of their areas, each [within its segment](super::within_segments).
    #[default]
    Rest,
    /// The pooled rows of all other segments. Their area also ranks rows of different segments against each
    /// other.
    PooledRest,
    /// All rows together.
    Overall,
    /// The previous segment in its [series](KeyKind::Series).
    Previous,
    /// The first segment, which is the reference.
    First,
}

record! {
    /// One segment.
    pub struct SegmentRecord {
        /// The segment.
        pub segment: KeyCode,
        /// The numbers of positives and negatives in the segment.
        pub rows: Count,
        /// Its AUC; null with no positives or no negatives.
        pub auc: Option<f64>,
        /// The standard error and limits; null with fewer than two positives or negatives.
        pub interval: Interval,
        /// The AUC that it is compared with; null if there is no comparison.
        pub versus_auc: Option<f64>,
        /// `auc - versus_auc`, with its interval.
        pub difference: Estimate,
        /// The difference in standard errors; by Wilson, the quantile of Student's t whose limit is the tested value.
        pub statistic: Option<f64>,
        /// The degrees of freedom of Welch and Satterthwaite; by DeLong null against all rows, where the normal
        /// distribution is used.
        pub df: Option<f64>,
        /// The p-value.
        pub p_value: Option<f64>,
        /// `p_value`, adjusted for the number of segments.
        pub p_adjusted: Option<f64>,
        /// The mean AUC of all segments that have a variance. With fewer than two of these, the mean of all AUCs, and
        /// no comparison with the rest has a p-value. Null if no segment has an AUC.
        pub within_auc: Option<f64>,
        /// Q over all segments that have a variance, by DeLong above 0; null with fewer than two.
        pub heterogeneity: Option<f64>,
        /// Its degrees of freedom; null where Q is null.
        pub heterogeneity_df: Option<u64>,
        /// Its p-value; null where Q is null.
        pub heterogeneity_p_value: Option<f64>,
    }
}

// The first segment is selected by `reference`.
words!(Versus { "rest" => Rest, "pooled_rest" => PooledRest, "overall" => Overall, "previous" => Previous });

impl FromOptions for CompareSegments {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let reference = match options.value("reference") {
            OptionValue::Word(words) => Some(words.clone()),
            _ => None,
        };
        Ok(CompareSegments {
            versus: if reference.is_some() { Versus::First } else { options.word("versus")? },
            reference,
            method: options.optional_word("method")?.unwrap_or_default(),
            adjust: Adjustment::parse(options, "adjust")?,
            level: options.level()?,
            test: Hypothesis::parse(options, -1.0)?,
        })
    }
}

impl Joint for CompareSegments {
    /// The segments, in order.
    type Record = Option<Vec<SegmentRecord>>;

    const INPUTS: Inputs =
        Inputs::scores(Some(1)).keyed(KeyInput { nan_by_key: true, ..KeyInput::called("by") });

    const WEIGHTS: bool = true;

    fn needs(&self) -> Needs {
        match self.versus {
            Versus::PooledRest | Versus::Overall => Needs::ALL_PLACEMENTS,
            Versus::Rest | Versus::Previous | Versus::First => Needs::KEY_PLACEMENTS,
        }
    }

    fn needs_with_weights(&self) -> Needs {
        Needs::CODES
    }

    fn passes(&self) -> usize {
        8
    }

    fn key_kind(&self) -> KeyKind<'_> {
        match (&self.reference, self.versus) {
            (Some(reference), _) => KeyKind::Against(reference),
            (None, Versus::Previous) => KeyKind::Series,
            (None, _) => KeyKind::Any,
        }
    }

    fn evaluate(&self, rows: &Rows) -> Option<Vec<SegmentRecord>> {
        let together = match self.versus {
            Versus::PooledRest | Versus::Overall => Together::KeysAndAll,
            Versus::Rest | Versus::Previous | Versus::First => Together::Keys,
        };
        if let Some(weighted) = WeightedKeys::from_rows_or_states(rows, 0, together) {
            return Some(self.records(rows, &WeightedSegments(weighted)));
        }
        let segments =
            IndependentSegments { keys: &rows.key_placements[0], all: rows.all_placements.as_ref() };
        Some(self.records(rows, &segments))
    }
}

impl CompareSegments {
    /// The records of all segments.
    pub(in crate::statistics) fn records(&self, rows: &Rows, segments: &dyn Segments) -> Vec<SegmentRecord> {
        let nan = EstimatedArea::nan();
        let is_nan = |segment: usize| rows.nan_keys.get(segment) == Some(&true);
        let areas: Vec<Option<EstimatedArea>> = tasks::par_map(
            0..segments.number(),
            || (),
            |(), segment| if is_nan(segment) { Some(nan) } else { segments.area(segment) },
        );
        let weights = segments.mean_weights(&areas);
        let covariances = if self.versus == Versus::Rest { segments.covariances(&weights) } else { None };
        let within = WithinSegments { areas: &areas, weights: &weights, covariances };
        let within_auc = if rows.nan_keys.is_empty() { within.mean() } else { Some(f64::NAN) };
        let others = self.comparators(rows, segments, &within);
        let heterogeneity = segments.heterogeneity(&areas, self.method);
        let record = |_: &mut (), index: usize| {
            let (area, other) = (&areas[index], &others[index]);
            let mut record = self.alone(
                KeyCode(rows.key_codes.get(index).copied().unwrap_or(index as u32)),
                segments.count(index),
                *area,
            );
            if let (Some(area), Some(other)) = (area, other) {
                self.compare(&mut record, *area, *other);
            }
            record.within_auc = within_auc;
            if let Some((q, df)) = heterogeneity {
                record.heterogeneity = Some(q);
                record.heterogeneity_df = Some(df);
                record.heterogeneity_p_value = Some(chi_square::upper_tail(q, df as f64));
            }
            record
        };
        // The quantiles of Student's t dominate the time.
        let mut records: Vec<SegmentRecord> = tasks::par_map(0..areas.len(), || (), record);
        self.adjust.adjust(&mut records, |record| (record.p_value, &mut record.p_adjusted));
        records
    }

    fn comparators(
        &self,
        rows: &Rows,
        segments: &dyn Segments,
        within: &WithinSegments,
    ) -> Vec<Option<Comparator>> {
        let areas = within.areas;
        let any_nan = !rows.nan_keys.is_empty();
        let nan = EstimatedArea::nan();
        let is_nan = |segment: usize| rows.nan_keys.get(segment) == Some(&true);
        let with = |segment: usize, other: usize| {
            let area = areas[other]?;
            Some(if is_nan(segment) || is_nan(other) {
                Comparator::independent(area)
            } else {
                Comparator { area, covariance: segments.covariance(segment, other) }
            })
        };
        match self.versus {
            // Only a segment that has all NaN scores has a rest without NaN, and the area of that segment is
            // NaN.
            Versus::Rest | Versus::PooledRest | Versus::Overall if any_nan => {
                vec![Some(Comparator::independent(nan)); segments.number()]
            }
            Versus::Rest => within.others(),
            Versus::PooledRest => segments.against_pooled_rest(),
            Versus::Overall => segments.against_overall(),
            Versus::Previous => {
                // Keys of one series are adjacent, in the order of their axis.
                let series = |segment: usize| rows.key_series.get(segment).copied().flatten();
                let previous = |segment: usize| {
                    let before = segment.checked_sub(1)?;
                    (series(segment).is_some() && series(segment) == series(before)).then_some(before)
                };
                (0..areas.len()).map(|segment| with(segment, previous(segment)?)).collect()
            }
            Versus::First => {
                // The reference is the first of all keys, but this group may have no rows of it.
                let is_reference = |segment: usize| rows.key_codes.get(segment) == Some(&0);
                let is_present = !areas.is_empty() && is_reference(0);
                (0..areas.len())
                    .map(|segment| if is_present && segment > 0 { with(segment, 0) } else { None })
                    .collect()
            }
        }
    }

    /// The fields of a segment that do not depend on other segments.
    fn alone(&self, segment: KeyCode, count: Count, area: Option<EstimatedArea>) -> SegmentRecord {
        let auc = area.map(|area| area.auc);
        let variance = area.and_then(|area| area.variance);
        let interval = match (self.method, area.and_then(|area| area.wilson())) {
            (DifferenceMethod::Wilson, Some(scale)) => scale.interval(self.level),
            _ => Interval::from_area(auc, variance, self.level),
        };
        SegmentRecord { segment, auc, interval, ..SegmentRecord::undefined(count) }
    }

    /// Adds the comparison with another area. The difference is defined even if its error is not.
    fn compare(
        &self,
        record: &mut SegmentRecord,
        area: EstimatedArea,
        Comparator { area: other, covariance }: Comparator,
    ) {
        record.versus_auc = Some(other.auc);
        let difference = area.auc - other.auc;
        record.difference.value = Some(difference);
        let (Some(v1), Some(v2), Some(covariance)) = (area.variance, other.variance, covariance) else {
            return;
        };
        // Both variances and the covariance have this rounding error.
        let rounding = 2.0 * (area.rounding + other.rounding);
        let se = beyond_rounding(v1 + v2 - 2.0 * covariance, rounding).sqrt();
        let result = match (self.method, area.wilson().zip(other.wilson())) {
            (DifferenceMethod::Wilson, Some((scale, versus))) => {
                TestResult::wilson([scale, versus], covariance, se, self.level, self.test)
            }
            _ => {
                let is_overall = self.versus == Versus::Overall;
                let df = (!is_overall).then(|| welch([v1, v2], [area.rows as f64, other.rows as f64]));
                TestResult::delong(difference, se, [v1, v2], df, self.level, self.test)
            }
        };
        record.difference = Estimate::new(Some(difference), result.interval);
        record.df = result.df;
        record.statistic = result.statistic;
        record.p_value = result.p_value;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::math::student_t;
    use crate::statistics::inference::Areas;
    use crate::statistics::tests::rows_of;

    pub fn sample() -> (Vec<u8>, Vec<f64>, Vec<u32>) {
        let labels: Vec<u8> = (0..120u32).map(|row| u8::from(row * 7 % 5 < 2)).collect();
        let scores =
            (0..120u32).map(|row| f64::from((row * 17) % 23 + 6 * u32::from(row * 7 % 5 < 2))).collect();
        (labels, scores, (0..120u32).map(|row| (row * row) % 3 + row % 2 * 5).collect())
    }

    pub fn statistic(versus: Versus) -> CompareSegments {
        let (adjust, test) = (Adjustment::Holm, Hypothesis::default());
        CompareSegments {
            versus,
            reference: None,
            method: DifferenceMethod::DeLong,
            adjust,
            level: 0.95,
            test,
        }
    }

    fn records(versus: Versus) -> Vec<SegmentRecord> {
        let (labels, scores, segments) = sample();
        let statistic = statistic(versus);
        let mut rows = rows_of(&labels, &[&scores], &segments);
        rows.key_codes = (0..rows.keys.distinct as u32).collect();
        rows.key_series = vec![Some(0); rows.keys.distinct];
        let records = statistic.evaluate(&rows).unwrap();
        rows.key_codes.iter_mut().for_each(|index| *index += 1);
        if versus == Versus::First {
            let without = statistic.evaluate(&rows).unwrap();
            assert!(without.iter().all(|record| record.versus_auc.is_none() && record.auc.is_some()));
        }
        records
    }

    /// The area and variance of the rows for which `keep` holds.
    fn kept(keep: impl Fn(u32) -> bool) -> (f64, f64, u64) {
        let (labels, scores, segments) = sample();
        let at: Vec<usize> = (0..labels.len()).filter(|&row| keep(segments[row])).collect();
        let labels: Vec<u8> = at.iter().map(|&row| labels[row]).collect();
        let scores: Vec<f64> = at.iter().map(|&row| scores[row]).collect();
        let rows = rows_of(&labels, &[&scores], &[]);
        let areas = Areas::new(&rows).unwrap();
        (areas.auc(0), areas.covariance(0, 0).unwrap(), at.len() as u64)
    }

    #[test]
    fn against_pooled_rest_and_pairwise() {
        let names: Vec<u32> = BTreeSet::from_iter(sample().2).into_iter().collect();
        let (rest, previous, first) =
            (records(Versus::PooledRest), records(Versus::Previous), records(Versus::First));
        assert_eq!(rest.len(), names.len());
        for (index, &name) in names.iter().enumerate() {
            let (auc, v1, n1) = kept(|segment| segment == name);
            assert_eq!(rest[index].auc, Some(auc));
            assert!((rest[index].interval.se.unwrap() - v1.sqrt()).abs() < 1e-14);
            let against = |record: &SegmentRecord, (other, v2, n2): (f64, f64, u64)| {
                assert!((record.difference.value.unwrap() - (auc - other)).abs() < 1e-14);
                let se = (v1 + v2).sqrt();
                assert!((record.difference.se.unwrap() - se).abs() < 1e-14);
                let df = (v1 + v2).powi(2) / (v1 * v1 / (n1 - 1) as f64 + v2 * v2 / (n2 - 1) as f64);
                assert!((record.df.unwrap() / df - 1.0).abs() < 1e-12);
                let p = 2.0 * student_t::upper_tail(((auc - other) / se).abs(), df);
                assert!((record.p_value.unwrap() - p).abs() < 1e-12);
            };
            against(&rest[index], kept(|segment| segment != name));
            if index > 0 {
                against(&previous[index], kept(|segment| segment == names[index - 1]));
                against(&first[index], kept(|segment| segment == names[0]));
            } else {
                assert_eq!((previous[0].p_value, first[0].versus_auc), (None, None));
            }
        }
    }

    /// The covariance with all rows, compared with the influence of each row on both areas.
    #[test]
    fn against_all_rows() {
        let (labels, scores, segments) = sample();
        let all = records(Versus::Overall);
        let (overall, v2, _) = kept(|_| true);
        let placement = |row: usize, among: &dyn Fn(usize) -> bool| {
            let others: Vec<usize> =
                (0..labels.len()).filter(|&o| labels[o] != labels[row] && among(o)).collect();
            let concordance = |o: &usize| {
                let (p, n) = if labels[row] == 1 { (row, *o) } else { (*o, row) };
                f64::from(u8::from(scores[p] > scores[n])) + 0.5 * f64::from(u8::from(scores[p] == scores[n]))
            };
            others.iter().map(concordance).sum::<f64>() / others.len() as f64
        };
        for (record, &name) in all.iter().zip(&BTreeSet::from_iter(segments.clone())) {
            let is_member = |row: usize| segments[row] == name;
            let (auc, v1, _) = kept(|segment| segment == name);
            let mut covariance = 0.0;
            for class in [0, 1] {
                let rows: Vec<usize> =
                    (0..labels.len()).filter(|&row| is_member(row) && labels[row] == class).collect();
                let inner: Vec<f64> = rows.iter().map(|&row| placement(row, &is_member)).collect();
                let outer: Vec<f64> = rows.iter().map(|&row| placement(row, &|_| true)).collect();
                let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
                let (mean_inner, mean_outer) = (mean(&inner), mean(&outer));
                let sum: f64 =
                    inner.iter().zip(&outer).map(|(x, y)| (x - mean_inner) * (y - mean_outer)).sum();
                let class_rows = labels.iter().filter(|&&label| label == class).count() as f64;
                covariance += sum / (rows.len() - 1) as f64 / class_rows;
            }
            assert!((record.difference.value.unwrap() - (auc - overall)).abs() < 1e-14);
            let se = (v1 + v2 - 2.0 * covariance).sqrt();
            assert!(
                (record.difference.se.unwrap() - se).abs() < 1e-13,
                "{} {se}",
                record.difference.se.unwrap()
            );
            assert_eq!(record.df, None);
        }
    }

    /// Two regions of two years, and between them a row without a year.
    #[test]
    fn previous_is_within_the_series() {
        let labels = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0];
        let scores = [2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0];
        let mut rows = rows_of(&labels, &[&scores], &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
        rows.key_series = vec![Some(0), Some(0), None, Some(1), Some(1)];
        let statistic = statistic(Versus::Previous);
        let records = statistic.evaluate(&rows).unwrap();
        let versus: Vec<Option<f64>> = records.iter().map(|record| record.versus_auc).collect();
        assert_eq!(versus, [None, Some(1.0), None, None, Some(1.0)]);
    }

    /// With one positive there is no variance, but a difference.
    #[test]
    fn a_difference_without_an_error() {
        let labels = [1, 0, 0, 1, 1, 0, 0];
        let scores = [1.0, 2.0, 3.0, 5.0, 6.0, 4.0, 0.0];
        let rows = rows_of(&labels, &[&scores], &[0, 0, 0, 1, 1, 1, 1]);
        for (versus, other) in [(Versus::Rest, 1.0), (Versus::Overall, 9.0 / 12.0)] {
            let statistic = statistic(versus);
            let records = statistic.evaluate(&rows).unwrap();
            let single = &records[0];
            assert_eq!(
                (single.auc, single.versus_auc, single.difference.value),
                (Some(0.0), Some(other), Some(-other))
            );
            assert_eq!(
                (single.interval.se, single.difference.se, single.difference.lower),
                (None, None, None)
            );
            assert_eq!((single.statistic, single.p_value, single.p_adjusted), (None, None, None));
        }
    }

    #[test]
    fn segments_without_a_class() {
        let rows = rows_of(&[1, 0, 1, 1], &[&[2.0, 1.0, 4.0, 3.0]], &[0, 0, 1, 1]);
        let statistic = statistic(Versus::Rest);
        let records = statistic.evaluate(&rows).unwrap();
        assert_eq!((records[0].auc, records[0].interval.se, records[0].versus_auc), (Some(1.0), None, None));
        assert_eq!((records[1].auc, records[1].rows.pos, records[1].heterogeneity), (None, 2, None));
    }
}
