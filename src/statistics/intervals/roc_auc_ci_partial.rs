//! Confidence intervals of the partial area under the ROC curve.

use super::partial_placements::{Bounds, Outside, PartialPlacements, Window, placement_shares};
use super::roc_auc_ci::{BootstrapInterval, IntervalMethod, RocAucCi, RocAucCiRecord};
use crate::math::{normal, student_t};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::inference::{Hypothesis, Interval, LogitScale, interval::tail, welch};
use crate::statistics::kinds::Summary;
use crate::statistics::numbers::partial_area::{Range, Standardized, partial_area_and};
use crate::statistics::options::{FromOptions, OptionError, Options, Word};
use crate::statistics::resampling::{Measure, Resampling, bca};

/// The partial area under the curve with its standard error and interval.
///
/// DeLong: the variance of the placements within the bounds (see
/// [`partial_placements`](super::partial_placements)), with a normal interval. It is clipped to 0 and the
/// maximum area, or, on a scale that extends below the diagonal, to the minimum. Logit, the default: the
/// share of the maximum area, with the jackknife variance and Student's t. The Welch-Satterthwaite degrees of
/// freedom count the rows within the bounds for the bounded class. Bootstrap: quantiles of stratified
/// resamples. A standardised area is null below the diagonal, if the scale ends there.
#[derive(Clone, Copy, Debug)]
pub struct RocAucCiPartial {
    /// The bounds.
    pub range: Range,
    /// Whether and how the area is standardised.
    pub standardized: Standardized,
    /// The method of the interval.
    pub method: PartialMethod,
    /// The coverage of the interval.
    pub level: f64,
    /// The hypothesis; an uninformative score by default.
    pub test: Hypothesis,
}

/// The method of the interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartialMethod {
    /// Normal, with DeLong's standard error.
    DeLong,
    /// On the logit scale, with the jackknife's.
    Logit,
    /// From resamples.
    Bootstrap(Resampling, BootstrapInterval),
}

impl FromOptions for RocAucCiPartial {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let (range, standardized) = Range::parse(options)?;
        let method = options.optional_word("method")?.unwrap_or(IntervalMethod::Logit);
        let ci = RocAucCi::parse(options, "method", method)?;
        if let Some(column) = ["weight", "cluster"].into_iter().find(|column| options.has_column(column)) {
            return Err(OptionError::new(column, "cannot be combined with a part of the curve")
                .hint("leave one of them out"));
        }
        let method = match ci.method {
            IntervalMethod::DeLong => PartialMethod::DeLong,
            IntervalMethod::Logit => PartialMethod::Logit,
            IntervalMethod::Bootstrap => {
                PartialMethod::Bootstrap(ci.resampling.unwrap_or_default(), ci.interval.unwrap_or_default())
            }
            method => {
                let reason = format!("'{}' is not for a part of the curve", method.word());
                return Err(
                    OptionError::new("method", reason).hint("take \"logit\", \"delong\" or \"bootstrap\"")
                );
            }
        };
        let range = match range {
            Some(range @ (Range::Fpr(..) | Range::Tpr(..))) => range,
            _ => {
                let reason =
                    "bounds both rates, but the interval of a partial area is for a range of fpr or of tpr";
                return Err(OptionError::new("min_tpr", format!("with `max_fpr` {reason}"))
                    .hint("leave one of them out"));
            }
        };
        let test = Hypothesis::parse(options, 0.0)?;
        Ok(RocAucCiPartial { range, standardized, method, level: ci.level, test })
    }
}

/// The scale of the result.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// The area per unit.
    unit: f64,
    /// The area of an uninformative score, and its value on this scale.
    diagonal: f64,
    useless: f64,
    /// The largest possible area.
    full: f64,
    /// The minimum and the maximum limit.
    limits: (f64, f64),
}

impl Scale {
    fn new(range: Range, standardized: Standardized) -> Self {
        let (diagonal, full) = range.extremes();
        let (unit, useless, max) = match standardized {
            Standardized::Never => (1.0, diagonal, full),
            Standardized::AboveDiagonal | Standardized::Always => (0.5 / (full - diagonal), 0.5, 1.0),
        };
        let min = if standardized == Standardized::Always { useless - unit * diagonal } else { 0.0 };
        Scale { unit, diagonal, useless, full, limits: (min, max) }
    }

    /// An area on this scale.
    fn scaled(&self, area: f64) -> f64 {
        self.useless + self.unit * (area - self.diagonal)
    }

    /// The share of the maximum area. Rounding errors do not hide a share of 0 or 1.
    fn share(&self, scaled: f64) -> f64 {
        let share = ((scaled - self.useless) / self.unit + self.diagonal) / self.full;
        if share < Self::ROUNDING {
            0.0
        } else if share > 1.0 - Self::ROUNDING {
            1.0
        } else {
            share
        }
    }

    /// Smaller than any true difference from a share of 0 or 1.
    const ROUNDING: f64 = 1e-14;
}

impl RocAucCiPartial {
    fn measure(&self) -> Option<Measure> {
        match self.range {
            Range::Fpr(low, high) => Some(Measure::FprRange(low, high)),
            Range::Tpr(low, high) => Some(Measure::TprRange(low, high)),
            Range::TwoWay { .. } => None,
        }
    }

    /// From placements.
    fn delong(
        &self,
        record: RocAucCiRecord,
        auc: f64,
        placements: &PartialPlacements,
        window: Window,
    ) -> RocAucCiRecord {
        let scale = Scale::new(self.range, self.standardized);
        let (bounded_part, other_part) = placements.variances(window).unwrap_or_default();
        let se = scale.unit * (bounded_part + other_part).sqrt();
        let interval = Interval::normal(auc, se, self.level).within(scale.limits.0, scale.limits.1);
        let (z, p_value) = self.test.test(scale.useless, |value| auc - value, se, normal::upper_tail);
        RocAucCiRecord { interval, z, p_value, ..record }
    }

    /// On the logit scale.
    fn logit(
        &self,
        record: RocAucCiRecord,
        auc: f64,
        placements: &PartialPlacements,
        window: Window,
    ) -> RocAucCiRecord {
        let scale = Scale::new(self.range, self.standardized);
        let (bounded_part, other_part) = placements.variances(window).unwrap_or_default();
        let se = (bounded_part + other_part).sqrt();
        let (bounded, others) = window.rows();
        // A single row within the bounds gets one degree of freedom here, not zero.
        let rows = [bounded.max(2.0), others];
        let varies = se > Scale::ROUNDING * scale.full;
        let df = if varies { welch([bounded_part, other_part], rows) } else { rows[0].min(rows[1]) - 1.0 };
        let share = LogitScale::new(scale.share(auc), se / scale.full, Count { pos: bounded, neg: others });
        let share_interval = share.interval(student_t::upper_quantile(tail(self.level), df));
        let limit = |share: Option<f64>| share.map(|share| scale.scaled(scale.full * share));
        let interval = Interval {
            se: Some(scale.unit * se),
            lower: limit(share_interval.lower),
            upper: limit(share_interval.upper),
        };
        let above = |value: f64| share.above(scale.share(value));
        let upper_tail = |t: f64| student_t::upper_tail(t, df);
        let (z, p_value) = self.test.test(scale.useless, above, share.se_of_logit, upper_tail);
        RocAucCiRecord { interval: interval.within(scale.limits.0, scale.limits.1), z, p_value, ..record }
    }

    /// From resamples.
    fn bootstrap(
        &self,
        record: RocAucCiRecord,
        auc: f64,
        counts: &[Count],
        (bounds, measure): (Bounds, Measure),
        (resampling, limits): (Resampling, BootstrapInterval),
    ) -> RocAucCiRecord {
        let scale = Scale::new(self.range, self.standardized);
        let areas = resampling.measures_of_counts(counts, measure);
        let areas = areas.into_iter().map(|area| scale.scaled(area)).collect();
        // Uses the same arithmetic as the resamples, some of which are equal to it.
        let estimate = measure.evaluate(counts).map_or(auc, |area| scale.scaled(area));
        let acceleration = || bca::acceleration(counts, bounds.for_larger(placement_shares(counts, bounds)));
        let ci = RocAucCi { level: self.level, interval: Some(limits), ..RocAucCi::default() };
        let interval = ci.resample_interval(estimate, areas, acceleration);
        let se = interval.se.unwrap_or_default();
        let (z, p_value) = self.test.test(scale.useless, |value| auc - value, se, normal::upper_tail);
        RocAucCiRecord { interval, z, p_value, ..record }
    }
}

impl Summary for RocAucCiPartial {
    type Record = RocAucCiRecord;

    fn resampling(&self) -> Option<Resampling> {
        match self.method {
            PartialMethod::Bootstrap(resampling, _) => Some(resampling),
            PartialMethod::DeLong | PartialMethod::Logit => None,
        }
    }

    fn for_large_groups(&self) -> Option<&'static str> {
        self.resampling().map(|_| "take the interval by \"delong\" or \"logit\"")
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> RocAucCiRecord {
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        let none = RocAucCiRecord::undefined(&ties);
        let (Some(bounds), Some(measure), true) = (Bounds::new(self.range), self.measure(), ties.has_pairs())
        else {
            return none;
        };
        let outside = match self.method {
            PartialMethod::Logit => Outside::Jackknife,
            PartialMethod::DeLong | PartialMethod::Bootstrap(..) => Outside::Bound,
        };
        let window = bounds.window((n_pos, n_neg), outside);
        let by_placements = self.resampling().is_none();
        let (area, placements) = partial_area_and(
            &mut ties,
            self.range,
            self.standardized,
            |placements: &mut PartialPlacements, segment| {
                if by_placements {
                    placements.add(&window, segment);
                }
            },
            PartialPlacements::join,
        );
        let Some(auc) = area else { return none };
        let record = RocAucCiRecord { auc: Some(auc), ..none };
        if n_pos < 2 || n_neg < 2 {
            return record;
        }
        match self.method {
            PartialMethod::DeLong => self.delong(record, auc, &placements, window),
            PartialMethod::Logit => self.logit(record, auc, &placements, window),
            PartialMethod::Bootstrap(resampling, limits) => {
                let counts = ties.counts();
                self.bootstrap(record, auc, counts.each(), (bounds, measure), (resampling, limits))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    const PERCENTILES: PartialMethod =
        PartialMethod::Bootstrap(Resampling { n_resamples: 2000, seed: 0 }, BootstrapInterval::Percentile);

    fn sample() -> (Vec<u8>, Vec<i32>) {
        let labels: Vec<u8> = (0..400).map(|row| u8::from(row % 7 < 3)).collect();
        let scores = (0..400).map(|row| (row * 37) % 101 + 30 * i32::from(row % 7 < 3)).collect();
        (labels, scores)
    }

    fn compute(range: Range, standardized: Standardized, method: PartialMethod) -> RocAucCiRecord {
        let (labels, scores) = sample();
        let statistic =
            RocAucCiPartial { range, standardized, method, level: 0.9, test: Hypothesis::default() };
        summary(&statistic, &labels, &scores)
    }

    #[test]
    fn as_the_bootstrap() {
        for range in [Range::Fpr(0.0, 0.3), Range::Fpr(0.2, 0.6), Range::Tpr(0.6, 1.0), Range::Tpr(0.3, 0.8)]
        {
            for standardized in [Standardized::Never, Standardized::AboveDiagonal, Standardized::Always] {
                let [delong, bootstrap] =
                    [PartialMethod::DeLong, PERCENTILES].map(|method| compute(range, standardized, method));
                let se = delong.interval.se.unwrap();
                assert_eq!(delong.auc, bootstrap.auc);
                assert!((bootstrap.interval.se.unwrap() / se - 1.0).abs() < 0.08, "{delong:?} {bootstrap:?}");
                assert!(
                    (bootstrap.interval.lower.unwrap() - delong.interval.lower.unwrap()).abs() < 0.3 * se
                );
                assert!(delong.z.unwrap() > 2.0 && delong.p_value.unwrap() < 0.03, "{range:?} {delong:?}");
            }
        }
    }

    #[test]
    fn logit_limits() {
        for range in [Range::Fpr(0.0, 0.05), Range::Fpr(0.2, 0.6), Range::Tpr(0.9, 1.0), Range::Tpr(0.3, 0.8)]
        {
            let [plain, standardized] = [Standardized::Never, Standardized::Always]
                .map(|standardized| compute(range, standardized, PartialMethod::Logit));
            let delong = compute(range, Standardized::Never, PartialMethod::DeLong);
            let (lower, upper) = (plain.interval.lower.unwrap(), plain.interval.upper.unwrap());
            let full = range.extremes().1;
            assert!(0.0 < lower && lower < plain.auc.unwrap() && plain.auc.unwrap() < upper && upper < full);
            // Student's t and the jackknife widen it.
            let length =
                |record: &RocAucCiRecord| record.interval.upper.unwrap() - record.interval.lower.unwrap();
            assert!(length(&plain) > 0.95 * length(&delong), "{range:?} {plain:?} {delong:?}");
            let (diagonal, full) = range.extremes();
            let scaled = 0.5 + 0.5 * (upper - diagonal) / (full - diagonal);
            assert!((standardized.interval.upper.unwrap() - scaled).abs() < 1e-12);
            assert!((plain.z.unwrap() - standardized.z.unwrap()).abs() < 1e-9);
        }
    }

    #[test]
    fn bca_limits_are_quantiles_of_the_same_resamples() {
        let bca = PartialMethod::Bootstrap(Resampling { n_resamples: 2000, seed: 0 }, BootstrapInterval::Bca);
        for range in [Range::Fpr(0.0, 0.1), Range::Tpr(0.6, 1.0)] {
            let [percentile, bca] =
                [PERCENTILES, bca].map(|method| compute(range, Standardized::Never, method));
            assert_eq!(percentile.interval.se, bca.interval.se);
            let se = bca.interval.se.unwrap();
            let shift = bca.interval.lower.unwrap() - percentile.interval.lower.unwrap();
            assert!(shift != 0.0 && shift.abs() < se, "{percentile:?} {bca:?}");
        }
    }

    #[test]
    fn a_standardized_area_has_the_same_statistic() {
        let [plain, standardized] = [Standardized::Never, Standardized::AboveDiagonal]
            .map(|standardized| compute(Range::Fpr(0.0, 0.3), standardized, PartialMethod::DeLong));
        assert!((plain.z.unwrap() - standardized.z.unwrap()).abs() < 1e-10);
    }
}
