//! One rate of the ROC curve at several values of the other, with intervals.

use super::rate_at_rate::{FprAtTpr, FprAtTprRecord, TprAtFpr, TprAtFprRecord};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::kinds::{Column, Curve, Record, Summary, record};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options};

macro_rules! rates {
    ($($several:ident of $statistic:ident: $record:ident of $one:ident at $fixed:ident;)*) => {$(
        /// The same at several rates, in the order of the option. Each has the limits of its separate
        /// computation, since all use the same resamples.
        #[derive(Clone, Debug)]
        pub struct $several(pub Vec<$statistic>);

        record! {
            /// The rate of one group at one of them.
            pub struct $record {
                /// The rate that is fixed.
                pub $fixed: f64,
                /// The rate there.
                pub rate: $one,
            }
        }

        impl FromOptions for $several {
            fn from_options(options: &Options) -> Result<Self, OptionError> {
                let name = stringify!($fixed);
                let one = |rate: f64| {
                    let mut options = options.clone();
                    options.values.insert(name.into(), OptionValue::Float(rate));
                    $statistic::from_options(&options)
                };
                options.rates(name)?.into_iter().map(one).collect::<Result<_, _>>().map($several)
            }
        }

        impl Curve for $several {
            type Record = $record;

            const WEIGHTS: bool = true;

            fn passes(&self) -> usize {
                self.0.iter().map(|one| one.resampling.passes()).sum()
            }

            fn for_large_groups(&self) -> Option<&'static str> {
                self.0.first().and_then($statistic::for_large_groups)
            }

            fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
                let rows = Count::from(&ties);
                let mut counts = ties.counts();
                for one in &self.0 {
                    let rate = $one { rows, ..one.evaluate(counts.ties()) };
                    $record::new(one.$fixed, rate).append(columns);
                }
                true
            }
        }
    )*};
}
rates! {
    TprAtFprs of TprAtFpr: TprAtFprsRecord of TprAtFprRecord at fpr;
    FprAtTprs of FprAtTpr: FprAtTprsRecord of FprAtTprRecord at tpr;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::options::tests::options;
    use crate::statistics::resampling::Resampling;
    use crate::statistics::tests::{curve_points, summary};
    use crate::statistics::thresholds::rate_at_rate::RateLimits;

    #[test]
    fn each_equals_its_separate_result() {
        let scores: Vec<u32> = (0..40).map(|row| row * 7 % 11 + row / 10).collect();
        let labels: Vec<u8> = (0..40).map(|row| u8::from(row > 14)).collect();
        let resampling = Resampling { n_resamples: 50, seed: 3 };
        let at = |fpr| TprAtFpr { fpr, interval: RateLimits::Wilson, level: 0.9, resampling };
        let several = TprAtFprs([0.3, 0.0, 1.0].map(at).into());
        let points = curve_points(&several, &labels, &scores).unwrap();
        assert_eq!(points.numbers("fpr"), [0.3, 0.0, 1.0]);
        for (index, one) in several.0.iter().enumerate() {
            let alone = summary(one, &labels, &scores);
            assert_eq!(Some(points.numbers("tpr")[index]), alone.tpr);
            assert_eq!(Some(points.numbers("lower")[index]), alone.interval.lower);
            assert_eq!(points.counts("n_pos")[index], alone.rows.pos);
        }
    }

    #[test]
    fn options_are_checked() {
        let list = |rates: &[f64]| OptionValue::List(rates.iter().copied().map(OptionValue::Float).collect());
        let error = FprAtTprs::from_options(&options([("tpr", list(&[0.5, 1.5]))])).unwrap_err();
        assert_eq!(error.to_string(), "`tpr` must lie between 0 and 1, got 1.5");
    }
}
