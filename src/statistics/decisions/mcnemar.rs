//! McNemar's test of two scores at their thresholds on the same rows.

use super::rate::{PairedRate, threshold};
use crate::math::{binomial, chi_square, normal::upper_quantile};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Interval, interval::tail};
use crate::statistics::kinds::{Inputs, Joint, Needs, record};
use crate::statistics::options::{from_options, words};
use crate::statistics::rows::Rows;

/// The difference of a rate between two scores, each at its threshold, on the same rows, and McNemar's test
/// (1947).
///
/// Only discordant rows are informative: b for which only the first score is right, and c for which only the
/// second is. If both are equally good, b is binomial with `b + c` trials of probability 1/2.
#[derive(Clone, Copy, Debug)]
pub struct McNemar {
    /// For each score, the threshold from which rows are predicted positive.
    pub at: [f64; 2],
    /// The rate.
    pub rate: PairedRate,
    /// The method of the p-value.
    pub method: McNemarMethod,
    /// The coverage of the interval.
    pub level: f64,
}

/// The method of the p-value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McNemarMethod {
    /// Twice the smaller tail of the binomial distribution.
    Exact,
    /// The same, with half the probability of the observation (Fagerland, Lydersen and Laake 2013).
    MidP,
    /// `(b - c)² / (b + c)` against chi-square, without continuity correction.
    ChiSquare,
}
words!(McNemarMethod { "exact" => Exact, "mid_p" => MidP, "chi_square" => ChiSquare });

record! {
    /// The comparison of one group.
    pub struct McNemarRecord {
        /// The rate of the first score at its threshold; null if its denominator is 0.
        pub estimate_a: Option<f64>,
        /// The rate of the second score.
        pub estimate_b: Option<f64>,
        /// `estimate_a - estimate_b`.
        pub difference: Option<f64>,
        /// - `se`: the standard error of the difference.
        /// - `lower`, `upper`: the confidence limits by Bonett and Price.
        pub interval: Interval,
        /// The two-sided p-value of equal rates, by `method`; 1 if the scores differ in no row.
        pub p_value: Option<f64>,
        /// The number of rows counted in the rate of the first score only.
        pub n_only_a: u64,
        /// The number of rows counted in the rate of the second score only.
        pub n_only_b: u64,
        /// The number of rows in the denominator of the rates.
        pub n: u64,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| McNemar {
    at: [threshold(options, "at_a")?, threshold(options, "at_b")?],
    rate: options.word("rate")?,
    method: options.word("method")?,
    level: options.level()?,
});

impl Joint for McNemar {
    type Record = McNemarRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2));

    fn needs(&self) -> Needs {
        Needs::VALUES
    }

    fn evaluate(&self, rows: &Rows) -> McNemarRecord {
        let (mut both, mut only, mut n) = (0u64, [0u64; 2], 0u64);
        for (row, &label) in rows.labels.iter().enumerate() {
            let outcome =
                |score: usize| self.rate.0.outcome(label, rows.values[score][row] >= self.at[score]);
            if let (Some(a), Some(b)) = (outcome(0), outcome(1)) {
                n += 1;
                both += u64::from(a && b);
                only[0] += u64::from(a && !b);
                only[1] += u64::from(b && !a);
            }
        }
        if n == 0 {
            return McNemarRecord::undefined(rows);
        }
        let share = |count: u64| count as f64 / n as f64;
        let [a, b] = only.map(|only| share(both + only));
        let difference = (only[0] as f64 - only[1] as f64) / n as f64;
        McNemarRecord {
            estimate_a: Some(a),
            estimate_b: Some(b),
            difference: Some(difference),
            interval: bonett_price(only, n, self.level),
            p_value: Some(self.method.p_value(only)),
            n_only_a: only[0],
            n_only_b: only[1],
            n,
            rows: rows.into(),
        }
    }
}

/// The standard error of a difference of paired rates, and limits with one more row in either discordant cell
/// (Bonett and Price 2012).
fn bonett_price(only: [u64; 2], n: u64, level: f64) -> Interval {
    let error = |only: [f64; 2], n: f64| {
        let difference = (only[0] - only[1]) / n;
        (difference, (((only[0] + only[1]) / n - difference * difference).max(0.0) / n).sqrt())
    };
    let (_, se) = error(only.map(|rows| rows as f64), n as f64);
    let (center, spread) = error(only.map(|rows| rows as f64 + 1.0), n as f64 + 2.0);
    let limits = Interval::around(center, spread, upper_quantile(tail(level))).within(-1.0, 1.0);
    Interval { se: Some(se), ..limits }
}

impl McNemarMethod {
    /// The p-value from the numbers of rows of which only one score is right.
    fn p_value(self, only: [u64; 2]) -> f64 {
        let (larger, all) = (only[0].max(only[1]), only[0] + only[1]);
        if only[0] == only[1] {
            return 1.0;
        }
        let upper_tail = |rows: u64| if rows > all { 0.0 } else { binomial::upper_tail(rows, all, 0.5) };
        match self {
            McNemarMethod::Exact => (2.0 * upper_tail(larger)).min(1.0),
            McNemarMethod::MidP => (upper_tail(larger) + upper_tail(larger + 1)).min(1.0),
            McNemarMethod::ChiSquare => {
                let difference = (2 * larger - all) as f64;
                chi_square::upper_tail(difference * difference / all as f64, 1.0)
            }
        }
    }
}

declaration! {
    /// McNemar's test: the difference of a rate of two scores, each at its threshold, on the same rows.
    ///
    /// Words: McNemar test, compare classifiers, compare accuracy, paired proportions, discordant pairs.
    McNemar => McNemarRecord {
        label, score_a, score_b;
        /// The threshold of the first score: a row is predicted positive if `score_a >= at_a`.
        at_a: number,
        /// The threshold of the second score.
        at_b: number,
        /// The rate compared: `"accuracy"`, the share of rows predicted correctly; `"tpr"`, the share of positives
        /// predicted positive; `"fpr"`, the share of negatives predicted positive; or `"selection_rate"`, the share
        /// of all rows predicted positive.
        rate: word<PairedRate> = "accuracy",
        /// `"exact"`: twice the smaller binomial tail. `"mid_p"`: the same with half the probability of the observed
        /// count, which is less conservative. `"chi_square"`: without continuity correction.
        method: word<McNemarMethod> = "exact",
        level = 0.95, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::decisions::rate::Rate;

    fn compute(rate: Rate, method: McNemarMethod) -> McNemarRecord {
        let labels = vec![true, true, true, true, false, false];
        let a = vec![0.9, 0.8, 0.7, 0.2, 0.6, 0.1];
        let b = vec![9.0, 1.0, 2.0, 3.0, 8.0, 4.0];
        let rows = Rows { len: 6, labels, values: vec![a, b], ..Rows::default() };
        McNemar { at: [0.5, 4.0], rate: PairedRate(rate), method, level: 0.95 }.evaluate(&rows)
    }

    #[test]
    fn few_rows() {
        let tpr = compute(Rate::Tpr, McNemarMethod::Exact);
        assert_eq!((tpr.estimate_a, tpr.estimate_b, tpr.difference), (Some(0.75), Some(0.25), Some(0.5)));
        assert_eq!((tpr.n_only_a, tpr.n_only_b, tpr.n, tpr.p_value), (2, 0, 4, Some(0.5)));
        assert_eq!(tpr.interval.se, Some(0.25));
        // With one more row on either side: 3 and 1 of 6.
        let spread = ((4.0 / 6.0 - 1.0 / 9.0) / 6.0f64).sqrt() * 1.959_963_984_540_054;
        assert!((tpr.interval.lower.unwrap() - (1.0 / 3.0 - spread)).abs() < 1e-9);
        let accuracy = compute(Rate::Accuracy, McNemarMethod::MidP);
        assert_eq!((accuracy.n_only_a, accuracy.n_only_b, accuracy.n), (3, 0, 6));
        assert!((accuracy.p_value.unwrap() - 0.125).abs() < 1e-15);
        let fpr = compute(Rate::Fpr, McNemarMethod::ChiSquare);
        assert_eq!((fpr.estimate_a, fpr.estimate_b, fpr.n_only_b), (Some(0.5), Some(1.0), 1));
        assert!((fpr.p_value.unwrap() - 0.317_310_507_862_914_1).abs() < 1e-12);
    }

    /// exact2x2::mcnemar.exact and statsmodels.
    #[test]
    fn known_p_values() {
        for (only, exact, mid, chi_square) in [
            ([1, 7], 0.0703125, 0.0390625, 0.033_894_853_524_689_3),
            ([4, 4], 1.0, 1.0, 1.0),
            ([0, 0], 1.0, 1.0, 1.0),
            ([12, 30], 0.007_915_897_334_896_73, 0.005_401_572_654_591_29, 0.005_478_553_242_547_37),
        ] {
            let p_values = [McNemarMethod::Exact, McNemarMethod::MidP, McNemarMethod::ChiSquare];
            for (method, expected) in p_values.iter().zip([exact, mid, chi_square]) {
                assert!((method.p_value(only) / expected - 1.0).abs() < 1e-12, "{method:?} {only:?}");
            }
        }
    }
}
