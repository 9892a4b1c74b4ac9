//! The paired difference of a statistic between two scores, with its interval and test.

use crate::math::normal::upper_tail;
use crate::ranking::ties::Count;
use crate::statistics::inference::{Hypothesis, Interval};
use crate::statistics::kinds::record;
use crate::statistics::options::{FromOptions, OptionError, Options};

/// The options of a paired difference.
#[derive(Clone, Copy, Debug, Default)]
pub struct PairedTest {
    /// The hypothesis; no difference by default.
    pub test: Hypothesis,
    /// The coverage of the interval.
    pub level: f64,
}

record! {
    /// The comparison of one group.
    pub struct PairedDifferenceRecord {
        /// The value of the first score; higher is better.
        pub estimate_a: Option<f64>,
        /// The value of the second score.
        pub estimate_b: Option<f64>,
        /// `estimate_a - estimate_b`.
        pub difference: Option<f64>,
        /// - `se`: the standard error of the difference.
        /// - `lower`, `upper`: the confidence limits, by the normal distribution.
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

impl FromOptions for PairedTest {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(PairedTest { test: Hypothesis::parse(options, -1.0)?, level: options.level()? })
    }
}

impl PairedTest {
    /// The record of two estimates, from the difference and its standard error.
    pub fn record(
        &self,
        [a, b]: [f64; 2],
        difference: f64,
        se: Option<f64>,
        rows: Count,
    ) -> PairedDifferenceRecord {
        let test = |se| self.test.test(0.0, |value| difference - value, se, upper_tail);
        let (z, p_value) = se.map_or((None, None), test);
        let interval = se.map(|se| Interval::normal(difference, se, self.level).within(-1.0, 1.0));
        let interval = interval.unwrap_or_default();
        PairedDifferenceRecord::new(Some(a), Some(b), Some(difference), interval, z, p_value, rows)
    }
}
