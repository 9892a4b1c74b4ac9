//! The difference of two scores' mean areas over users, or over other keys.

use super::grouped_roc_auc::KeyWeight;
use crate::math::{mean, student_t};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Alternative, Interval, by_key, in_standard_errors};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The difference of two scores' mean areas over keys, and its test.
///
/// Both scores have the same rows, so a key has both areas or none. The mean of the keys' differences is
/// therefore the difference of the means. Keys are assumed to be independent, and the standard error is
/// between keys. Keys that both scores rank easily do not widen it. The test is Student's with one degree of
/// freedom fewer than keys; with equal weights it is the paired t-test. `O(n log n)`.
#[derive(Clone, Copy, Debug)]
pub struct GroupedRocAucDifference {
    /// The weight of a key.
    pub average: KeyWeight,
    /// The alternative; `greater` means that the first score is better.
    pub alternative: Alternative,
    /// The coverage of the interval.
    pub level: f64,
}

record! {
    /// The comparison of one group.
    pub struct GroupedRocAucDifferenceRecord {
        /// The mean AUC of the users for the first score.
        pub auc_a: Option<f64>,
        /// The mean AUC of the users for the second score.
        pub auc_b: Option<f64>,
        /// The mean of the users' differences, `auc_a - auc_b`.
        pub difference: Option<f64>,
        /// - `se`: its standard error.
        /// - `lower`, `upper`: the confidence limits.
        pub interval: Interval,
        /// `difference / se`; 0 if both are 0, null if only `se` is 0.
        pub t: Option<f64>,
        /// The p-value of the test of no difference; null where `t` is null.
        pub p_value: Option<f64>,
        /// The number of users with AUCs.
        pub n_groups: u64,
        /// The number of users with no positives or no negatives.
        pub n_undefined: u64,
        /// The numbers of positives and negatives of all users.
        pub rows: Count,
    }
}

from_options!(|options| GroupedRocAucDifference {
    average: options.word("average")?,
    alternative: options.word("alternative")?,
    level: options.level()?,
});

impl Joint for GroupedRocAucDifference {
    type Record = GroupedRocAucDifferenceRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2)).keyed(KeyInput::called("by"));

    fn needs(&self) -> Needs {
        Needs::KEY_PLACEMENTS
    }

    fn evaluate(&self, rows: &Rows) -> GroupedRocAucDifferenceRecord {
        // Both areas of each key, their difference, and the weight of the key.
        let areas: Vec<([f64; 3], u128)> = by_key::areas(rows, 0)
            .zip(by_key::areas(rows, 1))
            .filter_map(|(a, b)| a.zip(b))
            .map(|(a, b)| ([a.auc, b.auc, a.minus(&b)], self.average.weight(&a)))
            .collect();
        let n_groups = areas.len() as u64;
        let key_values = |index: usize| -> Vec<(f64, u128)> {
            areas.iter().map(|(areas, weight)| (areas[index], *weight)).collect()
        };
        let difference = mean::weighted_with_error(key_values(2));
        let (difference, se) = difference.map_or((None, None), |(difference, se)| (Some(difference), se));
        let df = n_groups as f64 - 1.0;
        let interval = |(difference, se)| Interval::student(difference, se, self.level, df);
        let t = difference.zip(se).and_then(|(difference, se)| in_standard_errors(difference, se));
        GroupedRocAucDifferenceRecord {
            auc_a: mean::weighted(key_values(0)),
            auc_b: mean::weighted(key_values(1)),
            difference,
            interval: difference.zip(se).map(interval).unwrap_or_default(),
            t,
            p_value: t.map(|t| self.alternative.p_value(t, |t| student_t::upper_tail(t, df))),
            n_groups,
            n_undefined: rows.keys.distinct as u64 - n_groups,
            rows: rows.into(),
        }
    }
}

declaration! {
    /// The difference of two scores' mean AUCs over users, with its interval and test.
    ///
    /// Words: difference of GAUC, A/B of two rankers, per-user comparison.
    GroupedRocAucDifference => GroupedRocAucDifferenceRecord {
        label, score_a, score_b,
        /// The user of each row, or a list of columns that define it together; any dtype except lists.
        by: columns;
        /// The weight of a user, as in `grouped_roc_auc()`.
        average: word<KeyWeight> = "macro",
        /// With `"greater"`, the alternative is that the first score is better. The interval is always two-sided.
        alternative = "two-sided",
        level = 0.95, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    fn compute(average: KeyWeight, a: &[f64], b: &[f64]) -> GroupedRocAucDifferenceRecord {
        let statistic = GroupedRocAucDifference { average, alternative: Alternative::TwoSided, level: 0.9 };
        // Keys of (1, 1), (1, 2), (1, 1) and, without an area, (1, 0).
        statistic.evaluate(&rows_of(&[1, 0, 1, 0, 0, 1, 0, 1], &[a, b], &[0, 0, 1, 1, 1, 2, 2, 3]))
    }

    #[test]
    fn a_paired_t_test_over_keys() {
        let a = [2.0, 1.0, 3.0, 2.0, 1.0, 5.0, 5.0, 0.0];
        let b = [1.0, 2.0, 2.0, 3.0, 1.0, 5.0, 4.0, 0.0];
        // Areas 1, 1, 1/2 against 0, 1/2, 1.
        let plain = compute(KeyWeight::Macro, &a, &b);
        assert!((plain.auc_a.unwrap() - 2.5 / 3.0).abs() < 1e-15);
        assert_eq!((plain.auc_b, plain.n_groups, plain.n_undefined), (Some(0.5), 3, 1));
        // R: t.test(c(1, 1, 0.5), c(0, 0.5, 1), paired = TRUE): t = 0.75593, df = 2, p-value = 0.5286.
        assert!((plain.difference.unwrap() - 1.0 / 3.0).abs() < 1e-15);
        assert!((plain.t.unwrap() - 0.755_928_946_018_454_5).abs() < 1e-14);
        assert!((plain.p_value.unwrap() - (1.0 - f64::sqrt(2.0 / 9.0))).abs() < 1e-14);
        let by_rows = compute(KeyWeight::Rows, &a, &b);
        assert!((by_rows.difference.unwrap() - (2.0 + 1.5 - 1.0) / 7.0).abs() < 1e-15);
    }

    #[test]
    fn scores_that_rank_alike() {
        let a = [2.0, 1.0, 3.0, 2.0, 1.0, 5.0, 5.0, 0.0];
        let record = compute(KeyWeight::Pairs, &a, &a.map(|score| 2.0 * score));
        assert_eq!(
            (record.difference, record.interval.se, record.t, record.p_value),
            (Some(0.0), Some(0.0), Some(0.0), Some(1.0))
        );
    }
}
