//! Paired differences of two scores: of areas, partial areas, or points of their curves.

use crate::math::{normal::upper_tail, quantile::mean_and_deviation};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Areas, ErrorMethod, Hypothesis, Interval, WeightedAreas, interval::tail};
use crate::statistics::intervals::partial_placements::{Bounds, placement_shares};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, record};
use crate::statistics::numbers::partial_area::Range;
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::resampling::{Measure, Resampling};
use crate::statistics::rows::Rows;

/// The paired comparison of two scores.
///
/// DeLong: `z = (A_a - A_b) / se` with `se² = Var A_a + Var A_b - 2 Cov` (DeLong, DeLong and Clarke-Pearson
/// 1988), and the interval `difference ± z se`. Bootstrap: both scores of the same resampled rows. The
/// standard error is the standard deviation of the resampled differences. `z = difference / se` is compared
/// with the normal distribution, and the limits are quantiles (Hanley and McNeil 1983; as pROC). With
/// clusters: Obuchowski's (1997) covariances, or whole clusters resampled. Weighted rows: whole areas, with
/// the variance of the [infinitesimal jackknife](crate::statistics::inference::weighted_areas).
#[derive(Clone, Copy, Debug)]
pub struct RocAucDifference {
    /// The method of the standard error.
    pub method: ErrorMethod,
    /// The measure to compare. Points of the curve need the bootstrap, and so do partial areas with clusters.
    pub measure: Measure,
    /// The hypothesis, no difference by default; `greater` means that the first score is better.
    pub test: Hypothesis,
    /// The coverage of the interval.
    pub level: f64,
    /// The resampling of the bootstrap.
    pub resampling: Option<Resampling>,
}

record! {
    /// The comparison of one group.
    pub struct RocAucDifferenceRecord {
        /// The AUC of the first score, or the other quantity compared; higher is better.
        pub estimate_a: Option<f64>,
        /// The same for the second score.
        pub estimate_b: Option<f64>,
        /// `estimate_a - estimate_b`.
        pub difference: Option<f64>,
        /// - `se`: the standard error of the difference.
        /// - `lower`, `upper`: the confidence limits.
        pub interval: Interval,
        /// `(difference - null) / se`. With a margin, the distance from the bound `null ± margin` that determines the
        /// p-value.
        pub z: Option<f64>,
        /// The p-value of the test of `null`, by the normal distribution.
        pub p_value: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

impl FromOptions for RocAucDifference {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let difference = RocAucDifference {
            method: options.word("method")?,
            measure: Measure::from_options(options)?,
            test: Hypothesis::parse(options, -1.0)?,
            level: options.level()?,
            resampling: Resampling::from_bootstrap(options, "method", ErrorMethod::Bootstrap, &[])?,
        };
        let has_clusters = options.has_column("cluster");
        if options.has_column("weight") {
            if difference.method != ErrorMethod::DeLong {
                return Err(OptionError::new("method", "'bootstrap' does not take a weight")
                    .hint("write `method=\"delong\"`"));
            }
            if difference.measure != Measure::Auc {
                return Err(OptionError::new("weight", "goes with whole areas only")
                    .hint("leave the part of the curve out, or leave `weight` out"));
            }
        }
        let by_placements =
            difference.measure == Measure::Auc || (difference.bounds().is_some() && !has_clusters);
        if difference.method == ErrorMethod::DeLong && !by_placements {
            let areas = if has_clusters { "whole areas of clusters" } else { "areas" };
            return Err(OptionError::new("method", format!("'delong' compares {areas}"))
                .hint("take `method=\"bootstrap\"`"));
        }
        Ok(difference)
    }
}

impl Joint for RocAucDifference {
    type Record = RocAucDifferenceRecord;

    const INPUTS: Inputs =
        Inputs::scores(Some(2)).keyed(KeyInput { is_optional: true, ..KeyInput::called("cluster") });

    fn needs(&self) -> Needs {
        let whole = self.method == ErrorMethod::DeLong && self.measure == Measure::Auc;
        if whole { Needs::PLACEMENT_PRODUCTS } else { Needs { codes: true, ..Needs::PLACEMENTS } }
    }

    const WEIGHTS: bool = true;

    fn needs_with_weights(&self) -> Needs {
        Needs::CODES
    }

    fn passes(&self) -> usize {
        if self.method == ErrorMethod::Bootstrap {
            4 * self.resampling.unwrap_or_default().n_resamples as usize
        } else {
            8
        }
    }

    fn evaluate(&self, rows: &Rows) -> RocAucDifferenceRecord {
        if rows.weights.is_some() {
            return self.evaluate_weighted(rows);
        }
        let Some(areas) = Areas::new(rows) else { return RocAucDifferenceRecord::undefined(rows) };
        let clustered = !rows.keys.row_codes.is_empty();
        let (estimate_a, estimate_b, difference) = if self.measure == Measure::Auc {
            (areas.auc(0), areas.auc(1), areas.difference(0, 1))
        } else {
            let area = |score: usize| {
                self.measure.evaluate(&rows.scores[score].counts(&rows.labels)).unwrap_or(f64::NAN)
            };
            let (a, b) = (area(0), area(1));
            (a, b, beyond_rounding(a - b))
        };
        let variance = match self.bounds() {
            Some(bounds) if self.method == ErrorMethod::DeLong => {
                (!clustered && areas.n_pos > 1 && areas.n_neg > 1).then(|| partial_variance(rows, bounds))
            }
            _ if clustered => {
                let areas = areas.clustered(rows);
                areas[0].variance_of_difference(&areas[1])
            }
            _ => areas.variance_of_difference(0, 1),
        };
        let estimates = [estimate_a, estimate_b, difference];
        let Some(variance) = variance else { return self.record(rows, estimates, None) };
        let interval = match self.method {
            ErrorMethod::DeLong => Interval::normal(difference, variance.sqrt(), self.level),
            ErrorMethod::Bootstrap => {
                let measures = self
                    .resampling
                    .unwrap_or_default()
                    .measures_of_rows(&rows.in_canonical_order(), self.measure);
                let mut differences: Vec<f64> = measures
                    .into_iter()
                    .filter_map(|area| Some(beyond_rounding(area[0]? - area[1]?)))
                    .collect();
                let se = beyond_rounding(mean_and_deviation(&differences).1);
                differences.sort_unstable_by(f64::total_cmp);
                let tail = tail(self.level);
                Interval::between(se, &differences, (tail, 1.0 - tail))
            }
        };
        self.record(rows, estimates, Some(interval))
    }
}

impl RocAucDifference {
    /// The record of two measures and their difference; without an interval there is no test.
    fn record(
        &self,
        rows: &Rows,
        [a, b, difference]: [f64; 3],
        interval: Option<Interval>,
    ) -> RocAucDifferenceRecord {
        let se = interval.and_then(|interval| interval.se);
        let test = |se| self.test.test(0.0, |value| difference - value, se, upper_tail);
        let (z, p_value) = se.map_or((None, None), test);
        let interval = interval.unwrap_or_default();
        RocAucDifferenceRecord::new(Some(a), Some(b), Some(difference), interval, z, p_value, rows.into())
    }

    fn evaluate_weighted(&self, rows: &Rows) -> RocAucDifferenceRecord {
        let Some(areas) = WeightedAreas::new(rows) else { return RocAucDifferenceRecord::undefined(rows) };
        let difference = areas.difference(0, 1);
        let interval = areas
            .variance_of_difference(0, 1)
            .map(|variance| Interval::normal(difference, variance.sqrt(), self.level));
        self.record(rows, [areas.auc(0), areas.auc(1), difference], interval)
    }

    /// The bounds of the areas, for partial areas.
    fn bounds(&self) -> Option<Bounds> {
        match self.measure {
            Measure::FprRange(low, high) => Bounds::new(Range::Fpr(low, high)),
            Measure::TprRange(low, high) => Bounds::new(Range::Tpr(low, high)),
            _ => None,
        }
    }
}

/// The variance of the difference of two partial areas, from the differences of the rows' placements within
/// the bounds.
fn partial_variance(rows: &Rows, bounds: Bounds) -> f64 {
    let placements = [0, 1].map(|score| placement_shares(&rows.scores[score].counts(&rows.labels), bounds));
    let placement = |score: usize, row: usize| {
        let codes = &rows.scores[score];
        let (pos, neg) = placements[score][codes.descending(codes.row_codes[row])];
        if rows.labels[row] { pos } else { neg }
    };
    let class_variance = |class: bool| {
        let members = (0..rows.len).filter(|&row| rows.labels[row] == class);
        let mut differences: Vec<f64> = members.map(|row| placement(0, row) - placement(1, row)).collect();
        // The sum must not depend on the order of rows.
        differences.sort_unstable_by(f64::total_cmp);
        mean_and_deviation(&differences).1.powi(2) / differences.len() as f64
    };
    class_variance(true) + class_variance(false)
}

/// Partial areas are sums of rounded strips, so differences within rounding error count as 0. A true
/// difference of two rates is at least one over the number of pairs.
fn beyond_rounding(difference: f64) -> f64 {
    const ROUNDING: f64 = 1e-13;
    if difference.abs() < ROUNDING { 0.0 } else { difference }
}

declaration! {
    /// The difference of two scores on the same rows, in AUC, partial area, tpr at an fpr, or specificity at a tpr;
    /// with tests, also of non-inferiority and equivalence.
    ///
    /// Words: DeLong test, compare two models, paired AUC test, difference of AUCs, non-inferiority, equivalence,
    /// superiority.
    RocAucDifference => RocAucDifferenceRecord {
        label, score_a, score_b;
        /// `"delong"`, from the placements of the rows, or `"bootstrap"`, from resamples of the rows within each
        /// class. Each resample uses the same rows for both scores. To resample both classes together, make each row
        /// a cluster: `cluster=pl.int_range(pl.len())`.
        method: word<ErrorMethod> = "delong",
        /// With `"greater"`, the alternative is that the first score is better. The interval is always two-sided.
        alternative = "two-sided",
        /// 0 by default.
        null = None, margin = None,
        level = 0.95,
        /// Weights are for rows sampled with unequal probabilities; the standard error is then by the infinitesimal
        /// jackknife. Only for whole areas by `"delong"`.
        weight = None,
        /// The standard error is then Obuchowski's (1997), with `weight` the jackknife's over clusters; the bootstrap
        /// resamples whole clusters.
        cluster = None,
        /// Compare the areas between these false positive rates, not standardized (with `cluster`: bootstrap only).
        min_fpr: number = None,
        max_fpr: number = None,
        /// Compare the areas between these true positive rates: the integral of `1 - fpr` (with `cluster`: bootstrap only).
        min_tpr: number = None,
        max_tpr: number = None,
        /// Compare the tpr at this fpr: the sensitivity at a fixed specificity (bootstrap only).
        at_fpr: number = None,
        /// Compare `1 - fpr` at this tpr: the specificity at a fixed sensitivity (bootstrap only). Only one quantity can be
        /// compared: an area, or one of these two.
        at_tpr: number = None,
        /// 2000 by default (bootstrap only).
        n_resamples = None,
        /// 0 by default (bootstrap only).
        seed = None, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::inference::Alternative;
    use crate::statistics::tests::rows_of;

    const DELONG: RocAucDifference = RocAucDifference {
        method: ErrorMethod::DeLong,
        measure: Measure::Auc,
        test: Hypothesis { alternative: Alternative::TwoSided, null: None, margin: None },
        level: 0.95,
        resampling: Some(Resampling { n_resamples: 2000, seed: 3 }),
    };

    fn sample() -> Rows {
        let labels: Vec<u8> = (0..90).map(|row| u8::from(row % 5 < 2)).collect();
        let a: Vec<f64> =
            (0..90).map(|row| f64::from((row * 17) % 23 + 9 * i32::from(row % 5 < 2))).collect();
        let b: Vec<f64> =
            (0..90).map(|row| f64::from((row * 13) % 29 + 4 * i32::from(row % 5 < 2))).collect();
        rows_of(&labels, &[&a, &b], &[])
    }

    #[test]
    fn both_methods_agree() {
        let rows = sample();
        let delong = DELONG.evaluate(&rows);
        let bootstrap = RocAucDifference { method: ErrorMethod::Bootstrap, ..DELONG }.evaluate(&rows);
        assert_eq!(delong.difference, bootstrap.difference);
        let (se, too) = (delong.interval.se.unwrap(), bootstrap.interval.se.unwrap());
        assert!((too / se - 1.0).abs() < 0.08, "{se} {too}");
        assert!((delong.interval.lower.unwrap() - bootstrap.interval.lower.unwrap()).abs() < 0.3 * se);
        assert!((delong.interval.upper.unwrap() - bootstrap.interval.upper.unwrap()).abs() < 0.3 * se);
        let greater = RocAucDifference {
            test: Hypothesis { alternative: Alternative::Greater, ..DELONG.test },
            ..DELONG
        }
        .evaluate(&rows);
        assert!((2.0 * greater.p_value.unwrap() - delong.p_value.unwrap()).abs() < 1e-15);
        assert_eq!(greater.interval, delong.interval);
    }

    #[test]
    fn points_and_parts() {
        let rows = sample();
        for measure in [
            Measure::FprRange(0.0, 0.3),
            Measure::TprRange(0.7, 1.0),
            Measure::TprAtFpr(0.2),
            Measure::SpecificityAtTpr(0.8),
        ] {
            let statistic = RocAucDifference { method: ErrorMethod::Bootstrap, measure, ..DELONG };
            let record = statistic.evaluate(&rows);
            assert!(
                record.interval.se.unwrap() > 0.0 && record.interval.lower < record.interval.upper,
                "{record:?}"
            );
            assert!(record.difference.unwrap() > 0.0);
            let delong = RocAucDifference { measure, ..DELONG };
            if delong.bounds().is_some() {
                let by_placements = delong.evaluate(&rows);
                assert_eq!(by_placements.difference, record.difference);
                let ratio = record.interval.se.unwrap() / by_placements.interval.se.unwrap();
                assert!((ratio - 1.0).abs() < 0.1, "{measure:?} {ratio}");
            }
        }
    }

    #[test]
    fn no_difference_to_test() {
        let alike = rows_of(&[0, 1, 0, 1], &[&[1.0, 2.0, 3.0, 4.0], &[1.0, 5.0, 6.0, 7.0]], &[]);
        let record = DELONG.evaluate(&alike);
        assert_eq!(
            (record.difference, record.interval.se, record.z, record.p_value),
            (Some(0.0), Some(0.0), Some(0.0), Some(1.0))
        );
        // The partial areas of two perfect scores differ only by rounding, which must not be significant.
        let labels: Vec<u8> = (0..100).map(|row| u8::from(row < 30)).collect();
        let one: Vec<f64> = (0..100).map(|row| f64::from(100 - row)).collect();
        let other: Vec<f64> = labels.iter().map(|&label| f64::from(label)).collect();
        for measure in [Measure::FprRange(0.1, 0.37), Measure::TprRange(0.21, 0.83)] {
            let statistic = RocAucDifference { method: ErrorMethod::Bootstrap, measure, ..DELONG };
            let record = statistic.evaluate(&rows_of(&labels, &[&one, &other], &[]));
            assert_eq!(
                (record.difference, record.interval.se, record.p_value),
                (Some(0.0), Some(0.0), Some(1.0))
            );
            let reversed: Vec<f64> = other.iter().map(|score| -score).collect();
            let record = statistic.evaluate(&rows_of(&labels, &[&one, &reversed], &[]));
            assert_eq!((record.interval.se, record.z, record.p_value), (Some(0.0), None, None));
        }
        let apart = rows_of(&[0, 0, 1, 1], &[&[1.0, 2.0, 3.0, 4.0], &[4.0, 3.0, 2.0, 1.0]], &[]);
        let record = DELONG.evaluate(&apart);
        assert_eq!(
            (record.difference, record.interval.se, record.z, record.p_value),
            (Some(1.0), Some(0.0), None, None)
        );
        assert_eq!(DELONG.evaluate(&rows_of(&[1, 1], &[&[1.0, 2.0], &[1.0, 2.0]], &[])).difference, None);
    }
}
