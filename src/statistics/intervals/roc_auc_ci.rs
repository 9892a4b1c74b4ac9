//! Confidence intervals of the area under the ROC curve.

use super::jackknife;
use crate::math;
use crate::math::normal::{upper_quantile, upper_tail};
use crate::math::quantile::mean_and_deviation;
use crate::math::student_t;
use crate::ranking::ties::{Count, Placements, Ties};
use crate::statistics::curves::binormal::BinormalLine;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{
    Hypothesis, Interval, LogitScale, SampleSize, WilsonScale, delong, interval::tail,
    logit_scale::hanley_mcneil,
};
use crate::statistics::kinds::{Summary, record};
use crate::statistics::numbers::partial_area::Range;
use crate::statistics::options::{FromOptions, OptionError, Options, Word, words};
use crate::statistics::resampling::{
    Resampling,
    bca::{self, acceleration, bca_probabilities},
};

/// The AUC with its standard error and interval.
///
/// For weighted rows the variance is from the infinitesimal jackknife: see [`jackknife`].
#[derive(Clone, Copy, Debug)]
pub struct RocAucCi {
    /// The method of the interval.
    pub method: IntervalMethod,
    /// The coverage of the interval.
    pub level: f64,
    /// The resampling of the bootstrap; 2000 resamples by default.
    pub resampling: Option<Resampling>,
    /// The bootstrap interval; percentiles by default.
    pub interval: Option<BootstrapInterval>,
    /// The hypothesis; an area of one half by default.
    pub test: Hypothesis,
}

/// The method of the interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalMethod {
    /// The areas whose distance from the estimate, under their variance, is Student's t quantile: see
    /// [`WilsonScale`].
    #[default]
    Wilson,
    /// Normal, with the DeLong standard error: `auc ± z se`, clipped to 0 and 1.
    DeLong,
    /// Normal on the logit scale: `logit(auc) ± z se / (auc (1 - auc))`, which stays within 0 to 1. For an
    /// AUC of 0 or 1, the inner limit is computed as if half a row of the rarer class were misranked.
    Logit,
    /// Normal, with the standard error of Hanley and McNeil (1982, table II) for exponential scores, a
    /// function of the AUC; clipped.
    HanleyMcneil,
    /// Normal, with the standard error of the fitted binormal area (Obuchowski and McClish 1997): see
    /// [`BinormalLine::variance`]; clipped.
    Obuchowski,
    /// From resamples within each class.
    Bootstrap,
}

/// The interval from resamples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BootstrapInterval {
    /// Quantiles of the resampled areas.
    #[default]
    Percentile,
    /// Quantiles corrected for bias and acceleration (Efron 1987).
    Bca,
}

impl Default for RocAucCi {
    /// The 95 % interval of Wilson's type.
    fn default() -> Self {
        RocAucCi {
            method: IntervalMethod::Wilson,
            level: 0.95,
            resampling: None,
            interval: None,
            test: Hypothesis::default(),
        }
    }
}

record! {
    /// The interval of one group.
    pub struct RocAucCiRecord {
        /// The AUC, as in `roc_auc()`.
        pub auc: Option<f64>,
        /// - `se`: the standard error of `auc`; for the bootstrap, the standard deviation of the resamples.
        /// - `lower`, `upper`: the confidence limits.
        pub interval: Interval,
        /// `(auc - null) / se`; for `"wilson"` with the standard error under `null`, for `"logit"` on the logit
        /// scale. With a margin, the distance from the bound `null ± margin` that determines the p-value.
        pub z: Option<f64>,
        /// The p-value of the test of `null`, by the normal distribution; for `"wilson"`, and for `"logit"` of a
        /// partial area, by Student's t.
        pub p_value: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

impl Summary for RocAucCi {
    type Record = RocAucCiRecord;

    const WEIGHTS: bool = true;

    fn check_sums_of_weights(&self) -> Result<(), OptionError> {
        self.check_weights("method", "does not support weights, but the states have weights")
    }

    fn resampling(&self) -> Option<Resampling> {
        (self.method == IntervalMethod::Bootstrap).then(|| self.resampling.unwrap_or_default())
    }

    fn for_large_groups(&self) -> Option<&'static str> {
        self.resampling().map(|_| "take the interval by \"wilson\", \"delong\" or \"logit\"")
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> RocAucCiRecord {
        let rows = Count::from(&ties);
        if !ties.has_pairs() {
            return RocAucCiRecord::undefined(rows);
        }
        let placements = if self.method.has_estimated_variance() && ties.units().is_none() {
            ties.placements()
        } else {
            Placements { sum: ties.twice_u(), ..Placements::default() }
        };
        let auc = math::quotient(placements.sum, 2 * ties.pairs());
        let (interval, size) = self.interval_of(auc, &placements, &mut ties);
        let (z, p_value) = interval.se.map_or((None, None), |se| self.test_of(auc, se, size));
        RocAucCiRecord::new(Some(auc), interval, z, p_value, rows)
    }
}

words!(IntervalMethod {
    "wilson" => Wilson,
    "delong" => DeLong,
    "logit" => Logit,
    "hanley_mcneil" => HanleyMcneil,
    "obuchowski" => Obuchowski,
    "bootstrap" => Bootstrap,
});
words!(BootstrapInterval { "percentile" => Percentile, "bca" => Bca });

impl IntervalMethod {
    /// Whether the standard error is estimated from the placements, or from the weights of rows.
    pub(in crate::statistics) fn has_estimated_variance(self) -> bool {
        matches!(self, IntervalMethod::Wilson | IntervalMethod::DeLong | IntervalMethod::Logit)
    }
}

impl FromOptions for RocAucCi {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        // Partial areas have another statistic; a scale without bounds is rejected here.
        Range::parse(options)?;
        let test = Hypothesis::parse(options, 0.0)?;
        let method = options.optional_word("method")?.unwrap_or_default();
        Ok(RocAucCi { test, ..RocAucCi::parse(options, "method", method)? })
    }
}

impl RocAucCi {
    /// The interval by this method; `option` is the name of the option that selects it.
    pub fn parse(options: &Options, option: &str, method: IntervalMethod) -> Result<Self, OptionError> {
        let ci = RocAucCi { method, ..RocAucCi::default() };
        if options.has_column("weight") {
            ci.check_weights(option, "does not take a weight")?;
        }
        Ok(RocAucCi {
            level: options.level()?,
            interval: options.optional_word("interval")?,
            resampling: Resampling::from_method(
                options,
                option,
                method,
                IntervalMethod::Bootstrap,
                &["interval"],
            )?,
            ..ci
        })
    }

    /// The interval for a method that needs only sums over placements, from the options of a report.
    pub(in crate::statistics) fn parse_placements(options: &Options) -> Result<Self, OptionError> {
        let ci = RocAucCi::parse(options, "ci", options.word("ci")?)?;
        if ci.method.has_estimated_variance() || ci.method == IntervalMethod::HanleyMcneil {
            return Ok(ci);
        }
        let reason =
            format!("'{}' needs all scores together, and not sums over placements", ci.method.word());
        Err(OptionError::new("ci", reason).hint("write `ci=\"wilson\"`"))
    }

    /// Rejects weights if the method, the option of this name, has no variance for them.
    pub(in crate::statistics) fn check_weights(&self, option: &str, reason: &str) -> Result<(), OptionError> {
        if self.method.has_estimated_variance() {
            return Ok(());
        }
        let error = OptionError::new(option, format!("'{}' {reason}", self.method.word()));
        let write = |word: &str| format!("`{option}=\"{word}\"`");
        Err(error.hint(format!("write {}, {} or {}", write("wilson"), write("delong"), write("logit"))))
    }

    /// The interval of the area, and the underlying sample. Only an estimated variance of unweighted rows
    /// needs the placements.
    pub(in crate::statistics) fn interval_of(
        &self,
        auc: f64,
        placements: &Placements,
        ties: &mut Ties<'_>,
    ) -> (Interval, SampleSize) {
        let rows = Count::from(&*ties);
        let size = SampleSize::from_rows(rows);
        let has_two = rows.pos > 1 && rows.neg > 1;
        let variance = match self.method {
            _ if ties.units().is_some() => {
                let weighted = jackknife::variance(ties, auc).filter(|_| has_two);
                let interval =
                    weighted.map(|(variance, size)| (self.limits(auc, variance.sqrt(), size), size));
                return interval.unwrap_or((Interval::default(), size));
            }
            IntervalMethod::Obuchowski => {
                BinormalLine::from_ties(ties).map(|line| line.variance(rows.pos, rows.neg))
            }
            IntervalMethod::Bootstrap if has_two => {
                let counts = ties.counts();
                let areas = self.resampling.unwrap_or_default().areas(counts.each());
                let interval = self.resample_interval(auc, areas, || {
                    acceleration(counts.each(), bca::placements(counts.each()))
                });
                return (interval, size);
            }
            IntervalMethod::Bootstrap => None,
            _ => return (self.placement_interval(auc, placements, rows), size),
        };
        (variance.map(|variance| self.limits(auc, variance.sqrt(), size)).unwrap_or_default(), size)
    }

    /// The interval of the area of unweighted rows, for a method that needs only sums over placements.
    pub(in crate::statistics) fn placement_interval(
        &self,
        auc: f64,
        placements: &Placements,
        rows: Count,
    ) -> Interval {
        let size = SampleSize::from_rows(rows);
        if self.method == IntervalMethod::HanleyMcneil {
            return self.limits(auc, hanley_mcneil(auc, rows.pos as f64, rows.neg as f64), size);
        }
        let variance = delong::variance(placements, rows.pos, rows.neg);
        variance.map(|variance| self.limits(auc, variance.sqrt(), size)).unwrap_or_default()
    }

    /// The interval of an area with this standard error, on the scale of the method.
    pub(in crate::statistics) fn limits(&self, auc: f64, se: f64, size: SampleSize) -> Interval {
        match self.method {
            IntervalMethod::Wilson => WilsonScale::new(auc, se * se, size).interval(self.level),
            IntervalMethod::Logit => {
                LogitScale::new(auc, se, size.units).interval(upper_quantile(tail(self.level)))
            }
            _ => Interval::normal(auc, se, self.level).within(0.0, 1.0),
        }
    }

    /// The statistic and the p-value of an area with this standard error, on the scale of the interval.
    pub(in crate::statistics) fn test_of(
        &self,
        auc: f64,
        se: f64,
        size: SampleSize,
    ) -> (Option<f64>, Option<f64>) {
        match self.method {
            IntervalMethod::Wilson => {
                let scale = WilsonScale::new(auc, se * se, size);
                let upper_tail = |t: f64| student_t::upper_tail(t, scale.df);
                self.test.test(0.5, |value| scale.above(value), 1.0, upper_tail)
            }
            IntervalMethod::Logit => {
                let scale = LogitScale::new(auc, se, size.units);
                self.test.test(0.5, |value| scale.above(value), scale.se_of_logit, upper_tail)
            }
            _ => self.test.test(0.5, |value| auc - value, se, upper_tail),
        }
    }

    /// The interval from resampled areas.
    pub(in crate::statistics) fn resample_interval(
        &self,
        auc: f64,
        mut areas: Vec<f64>,
        acceleration: impl FnOnce() -> f64,
    ) -> Interval {
        // Sorted before summation, so that equal samples have equal sums.
        areas.sort_unstable_by(f64::total_cmp);
        let (_, se) = mean_and_deviation(&areas);
        let tail = tail(self.level);
        let probabilities = match self.interval.unwrap_or_default() {
            BootstrapInterval::Percentile => (tail, 1.0 - tail),
            BootstrapInterval::Bca => bca_probabilities(auc, &areas, tail, acceleration()),
        };
        Interval::between(se, &areas, probabilities)
    }
}

declaration! {
    /// The AUC or a partial area with its interval (Wilson, DeLong, logit, Hanley-McNeil, Obuchowski, bootstrap) and
    /// test, also with a margin; also for rows in clusters.
    ///
    /// Words: AUC confidence interval, Wilson, DeLong, Hanley-McNeil, logit interval, standard error of the AUC, clustered
    /// AUC, Obuchowski, BCa.
    RocAucCi => RocAucCiRecord, super::roc_auc_ci_clustered::RocAucCiClusteredRecord {
        label = None, score = None;
        /// `None` is `"wilson"` for the whole area, and `"logit"` for a partial area.
        ///
        /// - `"wilson"`: all AUCs that the test does not reject, each with the variance that it implies, as in
        ///   Wilson's interval of a proportion. The limits are within 0 to 1 and never equal. They keep their level
        ///   from three rows of the rarer class on.
        /// - `"delong"`: normal limits with the DeLong standard error, clipped to 0 and 1.
        /// - `"logit"`: normal limits on the logit scale, with the DeLong standard error. They are within 0 to 1, and
        ///   not equal if the classes do not overlap. For a partial area: on the logit scale of its share of the
        ///   largest possible area, with the jackknife standard error and Student's t, because few rows lie within
        ///   the bounds.
        /// - `"hanley_mcneil"`: normal limits with the standard error that Hanley and McNeil derive from the AUC and
        ///   both counts, clipped to 0 and 1. Only this method is defined with a single positive or a single
        ///   negative. (With one of each, the AUC is 0, 1/2 or 1; if it is 0 or 1, both limits equal the AUC.)
        /// - `"obuchowski"`: normal limits with the standard error of the area under the binormal curve of
        ///   `binormal_roc_auc()`, clipped to 0 and 1. The variance is that of `pROC::var(method="obuchowski")`, null
        ///   if no line can be fitted, and often larger than DeLong's.
        /// - `"bootstrap"`: from resamples of the rows within each class (with `cluster`: of whole clusters). With
        ///   more than 16,384 rows, neighbouring scores are merged as in `bootstrap_ci()`.
        method: word<IntervalMethod> = None,
        level = 0.95,
        /// Weights are for rows sampled with unequal probabilities; the standard error is then by the infinitesimal
        /// jackknife. If a weight is a number of identical rows, use `count`: with `weight` the standard error would
        /// be too large. Only for `"wilson"`, `"delong"` and `"logit"`.
        weight = None,
        /// The standard error is then Obuchowski's (1997), with `weight` the jackknife's over clusters. Not for
        /// `"hanley_mcneil"` and `"obuchowski"`.
        cluster = None,
        /// The bootstrap limits: `"percentile"` (the default), quantiles of the resampled AUCs, or `"bca"`, quantiles
        /// corrected for bias and acceleration (not with `cluster`).
        interval: word<BootstrapInterval> = None,
        /// 2000 by default (bootstrap only).
        n_resamples = None,
        /// 0 by default (bootstrap only).
        seed = None,
        /// Bounds of the false positive rate for a partial area: see `roc_auc()`. Partial areas support `"logit"`,
        /// `"delong"` and `"bootstrap"`, without weights and clusters.
        min_fpr: number = None,
        max_fpr: number = None,
        /// Bounds of the true positive rate; mutually exclusive with bounds of the false positive rate.
        min_tpr: number = None,
        max_tpr: number = None,
        /// Whether to scale a partial area like a whole area: see `roc_auc()`.
        standardized: python("bool | Literal[\"always\"]") = false,
        /// The interval is always two-sided.
        alternative = "two-sided",
        /// 0.5 by default; for a partial area, the area of an uninformative score.
        null = None, margin = None, count = None,
        /// instead of `label` and `score`. The states of a group are merged. With `max_bins` the result is
        /// approximate: scores in the same bin count as ties. For weighted states whose squares of weights are
        /// unknown, the standard error and all fields derived from it are null: see `roc_state()`.
        state = None,
    }
}

#[cfg(test)]
pub(in crate::statistics) mod tests {
    use super::*;
    use crate::statistics::inference::Alternative;
    use crate::statistics::options::{OptionValue, tests::options};
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    pub(in crate::statistics) const NINETY_FIVE: RocAucCi = RocAucCi {
        method: IntervalMethod::DeLong,
        level: 0.95,
        resampling: None,
        interval: None,
        test: Hypothesis { alternative: Alternative::TwoSided, null: None, margin: None },
    };

    /// Ratings of 109 CT images (Hanley and McNeil 1982, table I): AUC 0.893.
    #[test]
    fn radiologist_ratings() {
        let counts = [(33, 3), (6, 2), (6, 2), (11, 11), (2, 33)];
        let (mut labels, mut scores) = (Vec::new(), Vec::new());
        for (rating, (normal, abnormal)) in (1u8..).zip(counts) {
            labels.extend(std::iter::repeat_n(0, normal).chain(std::iter::repeat_n(1, abnormal)));
            scores.extend(std::iter::repeat_n(rating, normal + abnormal));
        }
        let record = summary(&NINETY_FIVE, &labels, &scores);
        assert_eq!(record.auc, Some(2642.0 / 2958.0));
        assert_eq!((record.rows.pos, record.rows.neg), (51, 58));
        assert!((record.auc.unwrap() - 0.893).abs() < 0.0005);
        assert!((record.interval.se.unwrap() - 0.0307).abs() < 0.0005, "{record:?}");
    }

    #[test]
    fn edges() {
        let perfect = summary(&NINETY_FIVE, &[0, 0, 1, 1], &[1, 2, 3, 4]);
        assert_eq!((perfect.auc, perfect.interval.se), (Some(1.0), Some(0.0)));
        assert_eq!((perfect.interval.lower, perfect.interval.upper), (Some(1.0), Some(1.0)));
        let one_positive = summary(&NINETY_FIVE, &[0, 0, 1], &[1, 3, 2]);
        assert_eq!(
            (one_positive.auc, one_positive.interval.se, one_positive.interval.lower),
            (Some(0.5), None, None)
        );
        let wide = summary(&NINETY_FIVE, &[0, 1, 0, 1, 1], &[1, 2, 3, 4, 5]);
        assert_eq!(wide.interval.upper, Some(1.0), "clipped");
    }

    #[test]
    fn limits_where_the_classes_do_not_overlap() {
        let compute = |method, labels: &[u8]| {
            let scores: Vec<u32> = (0..labels.len() as u32).collect();
            let record = summary(&RocAucCi { method, ..NINETY_FIVE }, labels, &scores);
            (record.interval.se, record.interval.lower.unwrap(), record.interval.upper.unwrap())
        };
        let perfect = [0; 50].iter().chain(&[1; 50]).copied().collect::<Vec<u8>>();
        let (se, lower, upper) = compute(IntervalMethod::Logit, &perfect);
        assert_eq!((se, upper), (Some(0.0), 1.0));
        // If none of 50 rows is misranked, the share of such rows is at most 3.7 / 50, at 97.5 %.
        assert!((0.92..0.94).contains(&lower), "{lower}");
        let worst = [1; 50].iter().chain(&[0; 50]).copied().collect::<Vec<u8>>();
        let (_, low, high) = compute(IntervalMethod::Logit, &worst);
        assert!((high - (1.0 - lower)).abs() < 1e-12 && low == 0.0, "the mirror image");
        let (_, few, _) = compute(IntervalMethod::Logit, &[0, 0, 1, 1]);
        assert!((0.1..0.4).contains(&few), "{few}");
        for method in [IntervalMethod::DeLong, IntervalMethod::HanleyMcneil, IntervalMethod::Bootstrap] {
            assert_eq!(compute(method, &perfect), (Some(0.0), 1.0, 1.0), "{method:?}");
        }
    }

    #[test]
    fn single_rows_and_ties() {
        let compute = |method, labels: &[u8], scores: &[i32]| {
            let record = summary(&RocAucCi { method, ..NINETY_FIVE }, labels, scores);
            (record.auc.unwrap(), record.interval.se, record.interval.lower, record.interval.upper)
        };
        for method in [IntervalMethod::DeLong, IntervalMethod::Logit, IntervalMethod::Bootstrap] {
            assert_eq!(compute(method, &[0, 0, 1], &[1, 3, 2]), (0.5, None, None, None));
            let (half, se, lower, upper) = compute(method, &[0, 0, 1, 1], &[7; 4]);
            assert_eq!((half, se, lower), (0.5, Some(0.0), Some(0.5)));
            assert!((upper.unwrap() - 0.5).abs() < 1e-15);
        }
        // From the AUC alone: P = 1, N = 2, A = 1/2, Q2 = 1/3.
        let (_, se, lower, upper) = compute(IntervalMethod::HanleyMcneil, &[0, 0, 1], &[1, 3, 2]);
        assert!((se.unwrap() - ((0.25 + 1.0 / 3.0 - 0.25) / 2.0f64).sqrt()).abs() < 1e-15);
        assert_eq!((lower, upper), (Some(0.0), Some(1.0)));
    }

    /// boot.ci of R's package boot gives similar limits. BCa shifts the percentile limits towards the side of
    /// the skewness, and both cover the area.
    #[test]
    fn bootstrap_limits() {
        let labels: Vec<u8> = (0..120).map(|row| u8::from(row % 7 < 3 && row > 25)).collect();
        let scores: Vec<i32> =
            (0..120).map(|row| (row * 37) % 101 + 30 * i32::from(row % 7 < 3 && row > 25)).collect();
        let compute = |interval| {
            let statistic =
                RocAucCi { method: IntervalMethod::Bootstrap, interval: Some(interval), ..NINETY_FIVE };
            summary(&statistic, &labels, &scores)
        };
        let (delong, percentile, bca) = (
            summary(&NINETY_FIVE, &labels, &scores),
            compute(BootstrapInterval::Percentile),
            compute(BootstrapInterval::Bca),
        );
        let se = delong.interval.se.unwrap();
        assert!((percentile.interval.se.unwrap() / se - 1.0).abs() < 0.08);
        assert!((percentile.interval.lower.unwrap() - delong.interval.lower.unwrap()).abs() < 0.3 * se);
        assert!((percentile.interval.upper.unwrap() - delong.interval.upper.unwrap()).abs() < 0.3 * se);
        assert!(
            bca.interval.lower < percentile.interval.lower
                && bca.interval.lower > delong.interval.lower.map(|l| l - se),
            "{bca:?} {percentile:?}"
        );
        assert_eq!(compute(BootstrapInterval::Bca), bca, "the same again");
    }

    #[test]
    fn options_that_do_not_apply() {
        let word = |text: &str| OptionValue::Word(text.into());
        let parse = |method: &str, more: &[(&str, OptionValue)], column: Option<&str>| {
            let mut written = options([
                ("method", word(method)),
                ("level", OptionValue::Float(0.95)),
                ("standardized", OptionValue::Truth(false)),
                ("alternative", word("two-sided")),
            ]);
            written.values.extend(more.iter().map(|(name, value)| (name.to_string(), value.clone())));
            written.columns.extend(column.map(Into::into));
            RocAucCi::from_options(&written).map_err(|error| error.to_string())
        };
        for (method, more, column, option_text) in [
            ("delong", &[("n_resamples", OptionValue::Integer(20))][..], None, "`n_resamples` applies"),
            ("delong", &[("interval", word("bca"))], None, "`interval` applies"),
            ("delong", &[("seed", OptionValue::Integer(1))], Some("weight"), "`seed` applies"),
            ("bootstrap", &[], Some("weight"), "does not take a weight"),
            ("hanley_mcneil", &[], Some("weight"), "does not take a weight"),
            ("delong", &[("level", OptionValue::Integer(1))], None, "`level` must lie between 0 and 1"),
        ] {
            let error = parse(method, more, column).unwrap_err();
            assert!(error.contains(option_text), "{error}");
        }
        assert_eq!(parse("delong", &[], Some("weight")).map(|ci| ci.method), Ok(IntervalMethod::DeLong));
    }

    proptest! {
        /// The definition: sample variances of the placements.
        #[test]
        fn variance_of_placements(rows in proptest::collection::vec((0u8..2, -4i8..4), 4..60)) {
            let (labels, scores): (Vec<u8>, Vec<i8>) = rows.into_iter().unzip();
            let class_scores = |class| -> Vec<i8> {
                labels.iter().zip(&scores).filter(|row| *row.0 == class).map(|row| *row.1).collect()
            };
            let (pos, neg) = (class_scores(1), class_scores(0));
            prop_assume!(pos.len() > 1 && neg.len() > 1);
            let wins = |p: i8, n: i8| if p > n { 1.0 } else if p == n { 0.5 } else { 0.0 };
            let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
            let variance = |x: &[f64]| x.iter().map(|v| (v - mean(x)).powi(2)).sum::<f64>() / (x.len() - 1) as f64;
            let v10: Vec<f64> = pos.iter().map(|&p| mean(&neg.iter().map(|&n| wins(p, n)).collect::<Vec<_>>())).collect();
            let v01: Vec<f64> = neg.iter().map(|&n| mean(&pos.iter().map(|&p| wins(p, n)).collect::<Vec<_>>())).collect();
            let expected = variance(&v10) / pos.len() as f64 + variance(&v01) / neg.len() as f64;
            let record = summary(&NINETY_FIVE, &labels, &scores);
            // The oracle sums floats; its error is some ulps of 1.
            prop_assert!((record.interval.se.unwrap().powi(2) - expected).abs() < 1e-15);
        }
    }
}
