//! The Mann-Whitney U test, which is Wilcoxon's rank-sum test.

use super::record::record;
use super::{Alternative, Summary};
use crate::math;
use crate::math::normal::upper_tail;
use crate::ranking::{Key, Ties};

/// The Mann-Whitney U of the positives and its test by the tie-corrected normal approximation.
///
/// Under the null hypothesis of one common distribution, given the ties of t rows each,
/// `Var U = P N / 12 ((n + 1) - sum(t³ - t) / (n (n - 1)))` (Lehmann 1975, section 1.4), n = P + N. The
/// sum is counted in integers.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct MannWhitneyU {
    /// Which departure counts.
    pub alternative: Alternative,
    /// Whether U is moved by one half towards its expectation.
    pub continuity: bool,
}

record! {
    /// The test of one group.
    pub struct MannWhitneyRecord<K> {
        /// Pairs that a positive wins, ties counting half; null without a positive or without a negative.
        pub u_statistic: Option<f64>,
        /// The standardised U, positive if positives tend to score higher; null also when all scores tie.
        pub z: Option<f64>,
        /// The p-value; null where z is.
        pub p_value: Option<f64>,
        /// `U / (P N)`.
        pub auc: Option<f64>,
        /// Positives that were used.
        pub n_pos: u64,
        /// Negatives that were used.
        pub n_neg: u64,
    }
}

impl Summary for MannWhitneyU {
    type Record<K: Key> = MannWhitneyRecord<K>;

    fn of_ties<K: Key>(&self, mut ties: Ties<'_, K>) -> MannWhitneyRecord<K> {
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        if !ties.has_pairs() {
            return MannWhitneyRecord::new(None, None, None, None, n_pos, n_neg);
        }
        let pairs = ties.pairs();
        let (twice_u, tied) = ties.twice_u_and_cubes();
        let n = u128::from(n_pos + n_neg);
        // (n + 1) - tied / (n (n - 1)) over one denominator: exact until the division.
        let spread = math::quotient(n * n * n - n - tied, 12 * n * (n - 1));
        let deviation = (pairs as f64 * spread).sqrt();
        let (z, p_value) = if deviation > 0.0 {
            let (z, p_value) = self.test(twice_u.cast_signed() - pairs.cast_signed(), deviation);
            (Some(z), Some(p_value))
        } else {
            (None, None)
        };
        let auc = math::quotient(twice_u, 2 * pairs);
        MannWhitneyRecord::new(Some(math::quotient(twice_u, 2)), z, p_value, Some(auc), n_pos, n_neg)
    }

    fn of_nan<K: Key>(&self, n_pos: u64, n_neg: u64) -> MannWhitneyRecord<K> {
        MannWhitneyRecord { n_pos, n_neg, ..MannWhitneyRecord::nan() }
    }
}

impl MannWhitneyU {
    /// z and p-value of twice the surplus of U over its expectation.
    fn test(&self, twice_surplus: i128, deviation: f64) -> (f64, f64) {
        let toward_expectation = match self.alternative {
            Alternative::TwoSided => -twice_surplus.signum(),
            Alternative::Greater => -1,
            Alternative::Less => 1,
        };
        let correction = if self.continuity { toward_expectation } else { 0 };
        let z = math::signed_quotient(twice_surplus + correction, 2) / deviation;
        let p_value = match self.alternative {
            Alternative::TwoSided => 2.0 * upper_tail(z.abs()),
            Alternative::Greater => upper_tail(z),
            Alternative::Less => upper_tail(-z),
        };
        (z, p_value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    fn test(alternative: Alternative, continuity: bool) -> MannWhitneyU {
        MannWhitneyU { alternative, continuity }
    }

    /// scipy.stats.mannwhitneyu([3, 3, 5, 8], [1, 3, 4], method="asymptotic")
    #[test]
    fn agrees_with_scipy() {
        let (labels, scores) = ([1, 1, 1, 1, 0, 0, 0], [3, 3, 5, 8, 1, 3, 4]);
        for (alternative, continuity, p_value) in [
            (Alternative::TwoSided, true, 0.359_012_053_786_429_4),
            (Alternative::TwoSided, false, 0.271_027_647_429_376_7),
            (Alternative::Greater, true, 0.179_506_026_893_214_7),
            (Alternative::Less, true, 0.900_455_073_925_897_6),
        ] {
            let record = summary(&test(alternative, continuity), &labels, &scores);
            assert_eq!(record.u_statistic, Some(9.0));
            assert_eq!(record.auc, Some(0.75));
            assert!((record.p_value.unwrap() / p_value - 1.0).abs() < 1e-13, "{alternative:?} {record:?}");
        }
    }

    #[test]
    fn nothing_to_test() {
        let two_sided = test(Alternative::TwoSided, true);
        let tied = summary(&two_sided, &[0, 1, 1], &[2.5, 2.5, 2.5]);
        assert_eq!((tied.u_statistic, tied.z, tied.p_value, tied.auc), (Some(1.0), None, None, Some(0.5)));
        let even = summary(&two_sided, &[1, 0, 0, 1], &[1, 2, 3, 4]);
        assert_eq!((even.z, even.p_value), (Some(0.0), Some(1.0)), "the correction does not overshoot");
        let alone = summary(&two_sided, &[1, 1], &[1, 2]);
        assert_eq!((alone.u_statistic, alone.n_pos, alone.n_neg), (None, 2, 0));
    }
}
