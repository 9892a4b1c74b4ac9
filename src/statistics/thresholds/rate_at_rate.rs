//! One rate of the ROC curve at a fixed value of the other, with an interval.
//!
//! The standard error is the standard deviation of the rate over stratified resamples, and includes the
//! variation of the threshold (Efron 1979; Platt, Hanley and Yang 2000). Wilson's interval treats the rate as
//! a proportion of `n` effective rows, at most the rows of its class. The variance `r (1 - r) / n` then
//! equals that of the resamples. Survey statistics treats proportions with extra variance in the same way
//! (Korn and Graubard 1998). The interval does not collapse if all resamples agree. Its quantile is Student's
//! with Welch-Satterthwaite degrees of freedom. The variance beyond that of the proportion comes from the
//! threshold. It rests on the rows of the other class on the smaller side of the fixed rate.
//!
//! With weights, the curve has weighted rates, and there is no interval: weights do not determine the number
//! of observations to resample.

use crate::math::{binomial::wilson_effective, student_t};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Interval, interval::tail, welch};
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{FromOptions, OptionError, Options, words};
use crate::statistics::resampling::{Measure, Resampling};

/// The tpr of the ROC curve at an fpr: sensitivity at a fixed specificity.
///
/// Between two points the curve is linear, and on a vertical piece the highest point counts.
#[derive(Clone, Copy, Debug)]
pub struct TprAtFpr {
    /// The false positive rate.
    pub fpr: f64,
    /// The method of the limits.
    pub interval: RateLimits,
    /// The coverage of the interval.
    pub level: f64,
    /// The resampling of the bootstrap.
    pub resampling: Resampling,
}

/// The fpr of the ROC curve at a tpr: 1 minus the specificity at a fixed sensitivity.
///
/// As [`TprAtFpr`] with the axes exchanged: on a horizontal piece the leftmost point counts.
#[derive(Clone, Copy, Debug)]
pub struct FprAtTpr {
    /// The true positive rate.
    pub tpr: f64,
    /// The method of the limits.
    pub interval: RateLimits,
    /// The coverage of the interval.
    pub level: f64,
    /// The resampling of the bootstrap.
    pub resampling: Resampling,
}

/// The limits from the resamples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateLimits {
    /// Wilson's, with the effective number of rows.
    #[default]
    Wilson,
    /// Quantiles of the resamples.
    Percentile,
}

words!(RateLimits { "wilson" => Wilson, "percentile" => Percentile });

macro_rules! rates {
    ($($statistic:ident: $record:ident, $rate:ident of $class:ident at $fixed:ident of $other:ident;)*) => {$(
        record! {
            /// The rate of one group.
            pub struct $record {
                /// The rate; null with no positives or no negatives.
                pub $rate: Option<f64>,
                /// The standard deviation and the confidence limits from resamples; null with fewer than two
                /// positives or fewer than two negatives, and with weights.
                pub interval: Interval,
                /// The numbers of positives and negatives used.
                pub rows: Count,
            }
        }

        impl FromOptions for $statistic {
            fn from_options(options: &Options) -> Result<Self, OptionError> {
                Ok($statistic {
                    $fixed: options.rate(stringify!($fixed))?,
                    interval: options.word("interval")?,
                    level: options.level()?,
                    resampling: Resampling::required(options)?,
                })
            }
        }

        impl Summary for $statistic {
            type Record = $record;

            const WEIGHTS: bool = true;

            fn resampling(&self) -> Option<Resampling> {
                Some(self.resampling)
            }

            fn for_large_groups(&self) -> Option<&'static str> {
                Some(concat!(
                    "write roc_curve with at_",
                    stringify!($fixed),
                    "=[...] for the rate, and roc_band for its limits"
                ))
            }

            fn evaluate(&self, ties: Ties<'_>) -> $record {
                let rows = Count::from(&ties);
                let measure = Measure::$statistic(self.$fixed);
                let at_threshold = rows.$other as f64 * self.$fixed.min(1.0 - self.$fixed);
                let (rate, interval) = rate(
                    ties,
                    measure,
                    (rows.$class, at_threshold),
                    (self.interval, self.level, self.resampling),
                );
                $record::new(rate, interval, rows)
            }
        }
    )*};
}
rates! {
    TprAtFpr: TprAtFprRecord, tpr of pos at fpr of neg;
    FprAtTpr: FprAtTprRecord, fpr of neg at tpr of pos;
}

/// A rate with its interval, from the number of its rows and of the other class's rows that determine the
/// threshold.
fn rate(
    mut ties: Ties<'_>,
    measure: Measure,
    rows: (u64, f64),
    (limits, level, resampling): (RateLimits, f64, Resampling),
) -> (Option<f64>, Interval) {
    let counts = ties.counts();
    // Rates are quotients of units, which equal the quotients of the weights.
    let rate = measure.evaluate(counts.each());
    if ties.units().is_some() || ties.n_pos() < 2 || ties.n_neg() < 2 {
        return (rate, Interval::default());
    }
    let percentiles = Interval::from_resamples(resampling.measures_of_counts(counts.each(), measure), level);
    (rate, if limits == RateLimits::Wilson { wilson(rate, rows, percentiles, level) } else { percentiles })
}

/// Wilson's limits of a rate with a known standard error.
fn wilson(rate: Option<f64>, (rows, at_threshold): (u64, f64), interval: Interval, level: f64) -> Interval {
    let limits = |(rate, se): (f64, f64)| {
        // For rates strictly between 0 and 1, a proportion of this number of rows has this variance.
        let (spread, max) = (rate * (1.0 - rate), rows as f64);
        let effective = spread / (se * se);
        let share_variance = spread / max;
        let threshold_variance = (se * se - share_variance).max(0.0);
        let df = if threshold_variance > 0.0 {
            welch([share_variance, threshold_variance], [max, at_threshold.max(1.0) + 1.0])
        } else {
            max - 1.0
        };
        let trials = if effective > 0.0 && effective < max { effective } else { max };
        wilson_effective(rate, trials, student_t::upper_quantile(tail(level), df))
    };
    let (lower, upper) = rate.zip(interval.se).map(limits).unzip();
    Interval { lower, upper, ..interval }
}

declaration! {
    /// The tpr at a fixed fpr (the sensitivity at a fixed specificity), with its bootstrap interval.
    ///
    /// Words: sensitivity at specificity, TPR at FPR, recall at a false positive rate.
    TprAtFpr {
        label = None, score = None,
        /// The false positive rate, from 0 to 1. A list of rates gives a list of records.
        fpr: python("float | Iterable[float]") = None;
        /// - `"wilson"`: Wilson's interval of a proportion. Its number of rows is the one that gives the variance of
        ///   the resamples, at most the rows of the class.
        /// - `"percentile"`: quantiles of the resamples, as in `pROC::ci.se`.
        interval: word<RateLimits> = "wilson",
        level = 0.95, n_resamples = 2000, seed = 0, weight = None, count = None, state = None,
    }
}

declaration! {
    /// The fpr at a fixed tpr (1 minus the specificity at a fixed sensitivity), with its bootstrap interval.
    ///
    /// Words: specificity at sensitivity, FPR at TPR, FPR95.
    FprAtTpr {
        label = None, score = None,
        /// The true positive rate, from 0 to 1. A list of rates gives a list of records.
        tpr: python("float | Iterable[float]") = None;
        /// - `"wilson"`: Wilson's interval of a proportion. Its number of rows is the one that gives the variance of
        ///   the resamples, at most the rows of the class.
        /// - `"percentile"`: quantiles of the resamples, as in `pROC::ci.sp`.
        interval: word<RateLimits> = "wilson",
        level = 0.95, n_resamples = 2000, seed = 0, weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::options::{OptionValue, tests::options};
    use crate::statistics::tests::{summary, weighted_summary};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    const RESAMPLING: Resampling = Resampling { n_resamples: 4000, seed: 3 };

    #[test]
    fn both_rates_and_their_intervals() {
        // Every negative scores its index, every positive 20 more: the tpr at fpr 0.25 is 0.25 + 0.2.
        let scores: Vec<f64> = (0..100).chain(20..120).map(f64::from).collect();
        let labels: Vec<u8> = (0..200).map(|row| u8::from(row >= 100)).collect();
        let at =
            TprAtFpr { fpr: 0.25, interval: RateLimits::Percentile, level: 0.95, resampling: RESAMPLING };
        let record = summary(&at, &labels, &scores);
        assert_eq!((record.tpr, record.rows.pos, record.rows.neg), (Some(0.45), 100, 100));
        // The variance due to the threshold, plus the variance of the share above it.
        let se = (0.25 * 0.75 / 100.0 + 0.45 * 0.55 / 100.0f64).sqrt();
        assert!((record.interval.se.unwrap() / se - 1.0).abs() < 0.1, "{record:?} {se}");
        let half = 0.5 * (record.interval.upper.unwrap() - record.interval.lower.unwrap());
        assert!((half / (1.96 * se) - 1.0).abs() < 0.1, "{record:?}");
        let back =
            FprAtTpr { tpr: 0.45, interval: RateLimits::Percentile, level: 0.95, resampling: RESAMPLING };
        assert_eq!(summary(&back, &labels, &scores).fpr, Some(0.25));
    }

    /// The variance of the proportion of effective rows equals that of the resamples.
    #[test]
    fn effective_rows() {
        let interval = Interval { se: Some(0.1), lower: Some(0.0), upper: Some(1.0) };
        let got = wilson(Some(0.2), (50, 5.0), interval, 0.95);
        // 0.2 * 0.8 / 0.1²: 16 rows, of which 3.2 count. The variance is 0.0068 from the threshold, with 5
        // degrees of freedom, and 0.0032 from the share, with 49.
        let df = 0.0001 / (0.0068f64.powi(2) / 5.0 + 0.0032f64.powi(2) / 49.0);
        let z = student_t::upper_quantile(0.025, df);
        let half = z / (1.0 + z * z / 16.0) * (0.01 + z * z / 1024.0f64).sqrt();
        let middle = (0.2 + z * z / 32.0) / (1.0 + z * z / 16.0);
        assert!((got.lower.unwrap() - (middle - half)).abs() < 1e-14);
        assert!((got.upper.unwrap() - (middle + half)).abs() < 1e-14);
        let few = wilson(Some(0.2), (10, 5.0), interval, 0.95);
        let expected = wilson_effective(0.2, 10.0, student_t::upper_quantile(0.025, 9.0));
        assert!((few.upper.unwrap() - expected.1).abs() < 1e-14, "no more rows than there are");
    }

    proptest! {
        #[test]
        fn whole_weights_are_repeated_rows(
            rows in proptest::collection::vec((0u8..2, -4i8..4, 1u8..6), 1..30),
            rate in 0.0..1.0f64,
            power in any::<i8>(),
        ) {
            let column_values = |column: fn(&(u8, i8, u8)) -> u8| rows.iter().map(column).collect::<Vec<u8>>();
            let (labels, scores) = (column_values(|row| row.0), rows.iter().map(|row| row.1).collect::<Vec<i8>>());
            let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2) * f64::from(power).exp2()).collect();
            let repeated = rows.iter().flat_map(|&(label, score, times)| vec![(label, score); times.into()]);
            let (labels_repeated, scores_repeated): (Vec<u8>, Vec<i8>) = repeated.unzip();
            let at = TprAtFpr {
                fpr: rate,
                interval: RateLimits::Wilson,
                level: 0.9,
                resampling: Resampling { n_resamples: 2, seed: 0 },
            };
            let record = weighted_summary(&at, &labels, &scores, &weights);
            prop_assert_eq!(record.tpr, summary(&at, &labels_repeated, &scores_repeated).tpr);
            prop_assert_eq!((record.interval.se, record.interval.lower, record.interval.upper), (None, None, None));
            prop_assert_eq!(record.rows.pos + record.rows.neg, rows.len() as u64);
            let back = FprAtTpr { tpr: rate, interval: RateLimits::Wilson, level: 0.9, resampling: at.resampling };
            let fpr = weighted_summary(&back, &labels, &scores, &weights).fpr;
            prop_assert_eq!(fpr, summary(&back, &labels_repeated, &scores_repeated).fpr);
        }
    }

    #[test]
    fn edges() {
        let statistic = |fpr: f64, interval: RateLimits| TprAtFpr {
            fpr,
            interval,
            level: 0.9,
            resampling: Resampling { n_resamples: 9, seed: 0 },
        };
        let at = |fpr: f64| statistic(fpr, RateLimits::Percentile);
        let alone = summary(&at(0.1), &[1, 1], &[1.0, 2.0]);
        assert_eq!((alone.tpr, alone.interval.se, alone.rows.pos), (None, None, 2));
        let single = summary(&at(0.0), &[1, 1, 0], &[1.0, 3.0, 2.0]);
        assert_eq!((single.tpr, single.interval.se, single.interval.lower), (Some(0.5), None, None));
        let apart = summary(&at(0.0), &[1, 1, 0, 0], &[4.0, 3.0, 2.0, 1.0]);
        assert_eq!(
            (apart.tpr, apart.interval.se, apart.interval.lower, apart.interval.upper),
            (Some(1.0), Some(0.0), Some(1.0), Some(1.0))
        );
        // If all resamples agree, Wilson's interval is that of two out of two rows.
        let apart =
            summary(&statistic(0.0, RateLimits::Wilson), &[1, 1, 0, 0], &[4.0, 3.0, 2.0, 1.0]).interval;
        let expected = wilson_effective(1.0, 2.0, student_t::upper_quantile(tail(0.9), 1.0));
        assert_eq!((apart.se, apart.lower, apart.upper), (Some(0.0), Some(expected.0), Some(expected.1)));
        let back = FprAtTpr { tpr: 0.0, interval: RateLimits::Wilson, level: 0.9, resampling: RESAMPLING };
        assert_eq!(summary(&back, &[0, 1, 1], &[3.0, 2.0, 1.0]).fpr, Some(0.0));
    }

    #[test]
    fn options_are_checked() {
        let is_valid = |rate: f64, level: f64| {
            let [n_resamples, seed] = [9, 0].map(OptionValue::Integer);
            let [rate, level] = [rate, level].map(OptionValue::Float);
            let values = [("fpr", rate.clone()), ("tpr", rate), ("level", level)];
            let mut options = options(values);
            options.values.extend([("n_resamples".into(), n_resamples), ("seed".into(), seed)]);
            options.values.insert("interval".into(), OptionValue::Word("wilson".into()));
            (TprAtFpr::from_options(&options).is_ok(), FprAtTpr::from_options(&options).is_ok())
        };
        assert_eq!(is_valid(0.1, 0.9), (true, true));
        for (rate, level) in [(1.5, 0.9), (f64::NAN, 0.9), (-0.1, 0.9), (0.1, 1.0)] {
            assert_eq!(is_valid(rate, level), (false, false));
        }
    }
}
