//! The AUC of segments of the rows, each compared with others.

use rayon::prelude::*;

use super::adjust_p_values::Adjustment;
use super::delong::variance;
use super::record::{KeyCode, Many, record};
use super::{Alternative, Columns, Joint, check_level};
use crate::math::{chi_square, normal, quotient, student_t};
use crate::ranking::{Placements, Rows};

/// Every segment's area with its DeLong interval, compared with other rows, and the test that all are equal.
///
/// Two areas of different rows are compared by `d = (A1 - A2) / sqrt(V1 + V2)` against Student's t with Welch and
/// Satterthwaite's degrees of freedom `(V1 + V2)² / (V1² / (n1 - 1) + V2² / (n2 - 1))` over all rows of either, as
/// pROC's unpaired test. Against all rows together, which hold the segment's own, the covariance of the two areas
/// is taken off the variance and the statistic is held against the normal distribution. The heterogeneity is
/// `Q = sum w (A - mean)²` with `w = 1 / V` and `mean = sum w A / sum w`, against chi-square with one degree of freedom
/// less than there are segments (Cochran 1954). Against the rest or all rows: `O(n log n + s d)` for s segments
/// and d distinct scores, otherwise `O(n log n)`.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct CompareSegments {
    /// What each segment is compared with.
    pub versus: Versus,
    /// The segment that [comes first](Joint::reference), in words.
    pub reference: Option<String>,
    /// How the p-values are adjusted for the number of segments.
    pub adjust: Adjustment,
    /// The coverage of all intervals.
    pub level: f64,
}

/// What a segment is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Versus {
    /// All other segments' rows together.
    #[default]
    Rest,
    /// All rows together.
    Overall,
    /// The segment before it, in order.
    Previous,
    /// The first segment, which the reference is.
    First,
}

record! {
    /// One segment.
    pub struct SegmentRecord<K> {
        /// The segment.
        pub segment: KeyCode,
        /// Positives of the segment.
        pub n_pos: u64,
        /// Negatives of the segment.
        pub n_neg: u64,
        /// Its area; null without a positive or without a negative.
        pub auc: Option<f64>,
        /// The standard error; null with fewer than two positives or negatives.
        pub se: Option<f64>,
        /// The lower limit, clipped to 0.
        pub lower: Option<f64>,
        /// The upper limit, clipped to 1.
        pub upper: Option<f64>,
        /// The area that it is compared with; null if there is nothing to compare with.
        pub versus_auc: Option<f64>,
        /// The area less the other.
        pub difference: Option<f64>,
        /// The standard error of the difference.
        pub difference_se: Option<f64>,
        /// The lower limit of the difference.
        pub difference_lower: Option<f64>,
        /// The upper limit of the difference.
        pub difference_upper: Option<f64>,
        /// The difference in standard errors.
        pub statistic: Option<f64>,
        /// Welch's degrees of freedom; null against all rows, where the normal distribution is taken.
        pub df: Option<f64>,
        /// The two-sided p-value.
        pub p_value: Option<f64>,
        /// The same, adjusted for the number of segments.
        pub p_adjusted: Option<f64>,
        /// Q over all segments that have a standard error above 0; null with fewer than two.
        pub heterogeneity: Option<f64>,
        /// Its degrees of freedom; null where Q is.
        pub heterogeneity_df: Option<u64>,
        /// Its p-value; null where Q is.
        pub heterogeneity_p_value: Option<f64>,
    }
}

record! {
    /// All segments of one group.
    pub struct CompareSegmentsRecord<K> {
        /// The segments, in order; null if a score is NaN.
        pub segments: Option<Many<SegmentRecord<K>>>,
    }
}

/// An area, its variance, and the rows behind it.
#[derive(Clone, Copy, Debug)]
struct Area {
    auc: f64,
    variance: Option<f64>,
    rows: u64,
}

impl Area {
    /// Where a score is NaN.
    const NAN: Area = Area { auc: f64::NAN, variance: Some(f64::NAN), rows: 2 };

    /// From counts of (positives, negatives), lowest score first.
    fn of(counts: impl Iterator<Item = (u64, u64)>, n_pos: u64, n_neg: u64) -> Option<Area> {
        if n_pos == 0 || n_neg == 0 {
            return None;
        }
        let mut sums = Placements::default();
        let (mut pos_above, mut neg_below) = (n_pos, 0);
        for (pos, neg) in counts {
            pos_above -= pos;
            sums.add_rows(pos, 2 * neg_below + neg, neg, 2 * pos_above + pos);
            neg_below += neg;
        }
        Some(Area {
            auc: quotient(sums.sum, 2 * u128::from(n_pos) * u128::from(n_neg)),
            variance: variance(&sums, n_pos, n_neg),
            rows: n_pos + n_neg,
        })
    }
}

/// One segment's distinct scores, lowest first, with their (positives, negatives).
type Ties = Vec<(u32, (u64, u64))>;

impl Joint for CompareSegments {
    type Record = CompareSegmentsRecord<u8>;

    const COLUMNS: Columns = Columns::scores(Some(1)).keyed("by");

    const NAN_BY_KEY: bool = true;

    fn check(&self) -> Result<(), String> {
        check_level(self.level)
    }

    fn passes(&self) -> usize {
        8
    }

    fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    fn of_rows(&self, rows: &Rows) -> CompareSegmentsRecord<u8> {
        let segments = by_segment(rows);
        let sizes: Vec<(u64, u64)> = segments
            .iter()
            .map(|ties| ties.iter().fold((0, 0), |sums, tie| (sums.0 + tie.1.0, sums.1 + tie.1.1)))
            .collect();
        let has_nan = |segment: usize| rows.nan_keys.get(segment) == Some(&true);
        let any_nan = !rows.nan_keys.is_empty();
        let areas: Vec<Option<Area>> = segments
            .iter()
            .zip(&sizes)
            .enumerate()
            .map(|(segment, (ties, size))| {
                let area = Area::of(ties.iter().map(|tie| tie.1), size.0, size.1);
                if has_nan(segment) { Some(Area::NAN) } else { area }
            })
            .collect();
        let mut total = vec![(0, 0); rows.scores[0].distinct];
        for tie in segments.iter().flatten() {
            let (pos, neg) = &mut total[tie.0 as usize];
            *pos += tie.1.0;
            *neg += tie.1.1;
        }
        let whole = (rows.n_pos(), rows.n_neg());
        let overall =
            if any_nan { Some(Area::NAN) } else { Area::of(total.iter().copied(), whole.0, whole.1) };
        // Each segment with what it is compared with, and the covariance of both areas.
        let others: Vec<Option<(Area, f64)>> = match self.versus {
            Versus::Rest => (segments.par_iter().zip(&sizes))
                .map(|(ties, size)| {
                    // Only a segment that holds every NaN has a rest without one, and itself no area.
                    let rest = if any_nan { Area::NAN } else { rest(&total, ties, whole, *size)? };
                    Some((rest, 0.0))
                })
                .collect(),
            Versus::Overall => (segments.par_iter().zip(&sizes))
                .map(|(ties, size)| Some((overall?, covariance_with_all(&total, ties, whole, *size)?)))
                .collect(),
            Versus::Previous => std::iter::once(None)
                .chain(areas.iter().map(|area| Some(((*area)?, 0.0))))
                .take(areas.len())
                .collect(),
            Versus::First => {
                // The reference is the first of all keys, but these rows may lack it.
                let is_reference = |segment: usize| rows.key_places.get(segment) == Some(&0);
                let reference = areas.first().copied().flatten().filter(|_| is_reference(0));
                (0..areas.len())
                    .map(|segment| reference.filter(|_| !is_reference(segment)).map(|area| (area, 0.0)))
                    .collect()
            }
        };
        let heterogeneity = heterogeneity(&areas);
        let mut records: Vec<SegmentRecord<u8>> = Vec::with_capacity(areas.len());
        for (place, (area, other)) in areas.iter().zip(&others).enumerate() {
            let mut record = self.alone(
                KeyCode(rows.key_places.get(place).copied().unwrap_or(place as u32)),
                sizes[place],
                *area,
            );
            if let (Some(area), Some((other, covariance))) = (area, other) {
                self.compare(&mut record, *area, *other, *covariance);
            }
            if let Some((q, df)) = heterogeneity {
                record.heterogeneity = Some(q);
                record.heterogeneity_df = Some(df);
                record.heterogeneity_p_value = Some(chi_square::upper_tail(q, df as f64));
            }
            records.push(record);
        }
        let p_values: Vec<Option<f64>> = records.iter().map(|record| record.p_value).collect();
        for (record, p_adjusted) in records.iter_mut().zip(self.adjust.of(&p_values)) {
            record.p_adjusted = p_adjusted;
        }
        CompareSegmentsRecord::new(Some(Many(records)))
    }

    fn of_nan(&self, _: &Rows) -> CompareSegmentsRecord<u8> {
        CompareSegmentsRecord::nan()
    }
}

impl CompareSegments {
    /// What there is to say of a segment by itself.
    fn alone(&self, segment: KeyCode, size: (u64, u64), area: Option<Area>) -> SegmentRecord<u8> {
        let z = normal::upper_quantile(0.5 * (1.0 - self.level));
        let auc = area.map(|area| area.auc);
        let se = area.and_then(|area| area.variance).map(f64::sqrt);
        let limit = |side: f64| Some((auc? + side * z * se?).clamp(0.0, 1.0));
        SegmentRecord::new(
            segment,
            size.0,
            size.1,
            auc,
            se,
            limit(-1.0),
            limit(1.0),
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
        )
    }

    /// Adds the comparison with another area.
    fn compare(&self, record: &mut SegmentRecord<u8>, area: Area, other: Area, covariance: f64) {
        record.versus_auc = Some(other.auc);
        let difference = area.auc - other.auc;
        record.difference = Some(difference);
        let (Some(v1), Some(v2)) = (area.variance, other.variance) else {
            return;
        };
        let variance = v1 + v2 - 2.0 * covariance;
        // Rounding may leave less than nothing.
        let se = if variance < 0.0 { 0.0 } else { variance.sqrt() };
        record.difference_se = Some(se);
        let tail = 0.5 * (1.0 - self.level);
        let both =
            (v1 + v2).powi(2) / (v1.powi(2) / (area.rows - 1) as f64 + v2.powi(2) / (other.rows - 1) as f64);
        let df = (self.versus != Versus::Overall && se != 0.0).then_some(both);
        let margin =
            se * df.map_or_else(|| normal::upper_quantile(tail), |df| student_t::upper_quantile(tail, df));
        record.difference_lower = Some(difference - margin);
        record.difference_upper = Some(difference + margin);
        record.df = df;
        // NaN is not 0.
        record.statistic = (se != 0.0).then(|| difference / se);
        record.p_value = record.statistic.map(|statistic| {
            Alternative::TwoSided.p_value(statistic, |statistic| match df {
                Some(df) => student_t::upper_tail(statistic, df),
                None => normal::upper_tail(statistic),
            })
        });
    }
}

/// The rows of each segment, counted by their codes.
fn by_segment(rows: &Rows) -> Vec<Ties> {
    let mut members: Vec<Vec<(u32, bool)>> = vec![Vec::new(); rows.keys.distinct];
    for ((&segment, &code), &label) in rows.keys.of_row.iter().zip(&rows.scores[0].of_row).zip(&rows.labels) {
        members[segment as usize].push((code, label));
    }
    members
        .into_par_iter()
        .map(|mut members| {
            members.sort_unstable();
            members
                .chunk_by(|a, b| a.0 == b.0)
                .map(|tie| {
                    let pos = tie.iter().filter(|row| row.1).count() as u64;
                    (tie[0].0, (pos, tie.len() as u64 - pos))
                })
                .collect()
        })
        .collect()
}

/// The area of all rows but a segment's.
fn rest(total: &[(u64, u64)], ties: &Ties, whole: (u64, u64), size: (u64, u64)) -> Option<Area> {
    let mut ties = ties.iter().peekable();
    let counts = (0u32..).zip(total).map(|(code, &(pos, neg))| match ties.next_if(|tie| tie.0 == code) {
        Some((_, own)) => (pos - own.0, neg - own.1),
        None => (pos, neg),
    });
    Area::of(counts, whole.0 - size.0, whole.1 - size.1)
}

/// The covariance of a segment's area and that of all rows: of its rows' placements among their own segment and among
/// all, over the number of all rows of a class.
fn covariance_with_all(
    total: &[(u64, u64)],
    ties: &Ties,
    whole: (u64, u64),
    size: (u64, u64),
) -> Option<f64> {
    if size.0 < 2 || size.1 < 2 {
        return None;
    }
    let mut ties = ties.iter().peekable();
    let (mut all_pos_above, mut all_neg_below) = (whole.0, 0);
    let (mut own_pos_above, mut own_neg_below) = (size.0, 0);
    // For either class: sums of both placements, doubled, and of their products.
    let (mut of_pos, mut of_neg) = ((0u128, 0u128, 0u128), (0u128, 0u128, 0u128));
    for (code, &(all_pos, all_neg)) in (0u32..).zip(total) {
        all_pos_above -= all_pos;
        if let Some((_, (pos, neg))) = ties.next_if(|tie| tie.0 == code) {
            own_pos_above -= pos;
            for (sums, rows, own, all) in [
                (&mut of_pos, pos, 2 * own_neg_below + neg, 2 * all_neg_below + all_neg),
                (&mut of_neg, neg, 2 * own_pos_above + pos, 2 * all_pos_above + all_pos),
            ] {
                sums.0 += u128::from(*rows) * u128::from(own);
                sums.1 += u128::from(*rows) * u128::from(all);
                sums.2 += u128::from(*rows) * u128::from(own) * u128::from(all);
            }
            own_neg_below += neg;
        }
        all_neg_below += all_neg;
    }
    let part = |sums: (u128, u128, u128), n: u64, others: u64, all: u64, all_others: u64| {
        let products = crate::math::signed_product_difference(n.into(), sums.2, sums.0, sums.1);
        let scale = n as f64 * (n - 1) as f64 * 4.0 * others as f64 * all_others as f64;
        products / scale / all as f64
    };
    Some(part(of_pos, size.0, size.1, whole.0, whole.1) + part(of_neg, size.1, size.0, whole.1, whole.0))
}

/// Q and its degrees of freedom.
fn heterogeneity(areas: &[Option<Area>]) -> Option<(f64, u64)> {
    let weighed: Vec<(f64, f64)> = areas
        .iter()
        .flatten()
        .filter_map(|area| {
            area.variance.filter(|&variance| variance != 0.0).map(|variance| (area.auc, 1.0 / variance))
        })
        .collect();
    if weighed.len() < 2 {
        return None;
    }
    let weights: f64 = weighed.iter().map(|area| area.1).sum();
    let mean = weighed.iter().map(|area| area.0 * area.1).sum::<f64>() / weights;
    let q = weighed.iter().map(|area| area.1 * (area.0 - mean).powi(2)).sum();
    Some((q, weighed.len() as u64 - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::delong::Areas;
    use crate::statistics::tests::rows_of;

    fn sample() -> (Vec<u8>, Vec<f64>, Vec<u32>) {
        let labels: Vec<u8> = (0..120u32).map(|row| u8::from(row * 7 % 5 < 2)).collect();
        let scores =
            (0..120u32).map(|row| f64::from((row * 17) % 23 + 6 * u32::from(row * 7 % 5 < 2))).collect();
        (labels, scores, (0..120u32).map(|row| (row * row) % 3 + row % 2 * 5).collect())
    }

    fn records(versus: Versus) -> Vec<SegmentRecord<u8>> {
        let (labels, scores, segments) = sample();
        let statistic = CompareSegments { versus, reference: None, adjust: Adjustment::Holm, level: 0.95 };
        let mut rows = rows_of(&labels, &[&scores], &segments);
        rows.key_places = (0..rows.keys.distinct as u32).collect();
        let records = statistic.of_rows(&rows).segments.unwrap().0;
        rows.key_places.iter_mut().for_each(|place| *place += 1);
        if versus == Versus::First {
            let without = statistic.of_rows(&rows).segments.unwrap().0;
            assert!(without.iter().all(|record| record.versus_auc.is_none() && record.auc.is_some()));
        }
        records
    }

    /// The area and variance of the rows that are kept.
    fn kept(keep: impl Fn(u32) -> bool) -> (f64, f64, u64) {
        let (labels, scores, segments) = sample();
        let at: Vec<usize> = (0..labels.len()).filter(|&row| keep(segments[row])).collect();
        let labels: Vec<u8> = at.iter().map(|&row| labels[row]).collect();
        let scores: Vec<f64> = at.iter().map(|&row| scores[row]).collect();
        let rows = rows_of(&labels, &[&scores], &[]);
        let areas = Areas::of(&rows).unwrap();
        (areas.auc(0), areas.covariance(0, 0).unwrap(), at.len() as u64)
    }

    #[test]
    fn against_the_rest_and_one_another() {
        let names: Vec<u32> = {
            let mut names = sample().2;
            names.sort_unstable();
            names.dedup();
            names
        };
        let (rest, previous, first) =
            (records(Versus::Rest), records(Versus::Previous), records(Versus::First));
        assert_eq!(rest.len(), names.len());
        for (place, &name) in names.iter().enumerate() {
            let (auc, v1, n1) = kept(|segment| segment == name);
            assert_eq!(rest[place].auc, Some(auc));
            assert!((rest[place].se.unwrap() - v1.sqrt()).abs() < 1e-14);
            let against = |record: &SegmentRecord<u8>, (other, v2, n2): (f64, f64, u64)| {
                assert!((record.difference.unwrap() - (auc - other)).abs() < 1e-14);
                let se = (v1 + v2).sqrt();
                assert!((record.difference_se.unwrap() - se).abs() < 1e-14);
                let df = (v1 + v2).powi(2) / (v1 * v1 / (n1 - 1) as f64 + v2 * v2 / (n2 - 1) as f64);
                assert!((record.df.unwrap() / df - 1.0).abs() < 1e-12);
                let p = 2.0 * student_t::upper_tail(((auc - other) / se).abs(), df);
                assert!((record.p_value.unwrap() - p).abs() < 1e-12);
            };
            against(&rest[place], kept(|segment| segment != name));
            if place > 0 {
                against(&previous[place], kept(|segment| segment == names[place - 1]));
                against(&first[place], kept(|segment| segment == names[0]));
            } else {
                assert_eq!((previous[0].p_value, first[0].versus_auc), (None, None));
            }
        }
    }

    /// The covariance with all rows, against the influence of each row on both areas.
    #[test]
    fn against_all_rows() {
        let (labels, scores, segments) = sample();
        let all = records(Versus::Overall);
        let (overall, v2, _) = kept(|_| true);
        let placement = |row: usize, among: &dyn Fn(usize) -> bool| {
            let others: Vec<usize> =
                (0..labels.len()).filter(|&o| labels[o] != labels[row] && among(o)).collect();
            let won = |o: &usize| {
                let (p, n) = if labels[row] == 1 { (row, *o) } else { (*o, row) };
                f64::from(u8::from(scores[p] > scores[n])) + 0.5 * f64::from(u8::from(scores[p] == scores[n]))
            };
            others.iter().map(won).sum::<f64>() / others.len() as f64
        };
        let mut names = segments.clone();
        names.sort_unstable();
        names.dedup();
        for (record, name) in all.iter().zip(names) {
            let own = |row: usize| segments[row] == name;
            let (auc, v1, _) = kept(|segment| segment == name);
            let mut covariance = 0.0;
            for class in [0, 1] {
                let rows: Vec<usize> =
                    (0..labels.len()).filter(|&row| own(row) && labels[row] == class).collect();
                let inner: Vec<f64> = rows.iter().map(|&row| placement(row, &own)).collect();
                let outer: Vec<f64> = rows.iter().map(|&row| placement(row, &|_| true)).collect();
                let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
                let (mean_inner, mean_outer) = (mean(&inner), mean(&outer));
                let sum: f64 =
                    inner.iter().zip(&outer).map(|(x, y)| (x - mean_inner) * (y - mean_outer)).sum();
                let of_class = labels.iter().filter(|&&label| label == class).count() as f64;
                covariance += sum / (rows.len() - 1) as f64 / of_class;
            }
            assert!((record.difference.unwrap() - (auc - overall)).abs() < 1e-14);
            let se = (v1 + v2 - 2.0 * covariance).sqrt();
            assert!(
                (record.difference_se.unwrap() - se).abs() < 1e-13,
                "{} {se}",
                record.difference_se.unwrap()
            );
            assert_eq!(record.df, None);
        }
    }

    #[test]
    fn segments_without_a_class() {
        let rows = rows_of(&[1, 0, 1, 1], &[&[2.0, 1.0, 4.0, 3.0]], &[0, 0, 1, 1]);
        let statistic =
            CompareSegments { versus: Versus::Rest, reference: None, adjust: Adjustment::Holm, level: 0.95 };
        let records = statistic.of_rows(&rows).segments.unwrap().0;
        assert_eq!((records[0].auc, records[0].se, records[0].versus_auc), (Some(1.0), None, None));
        assert_eq!((records[1].auc, records[1].n_pos, records[1].heterogeneity), (None, 2, None));
    }
}
