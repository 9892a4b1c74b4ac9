//! The Mann-Whitney U test, also called Wilcoxon's rank-sum test.

use super::exact_rank_sum;
use crate::math;
use crate::math::normal::upper_tail;
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Alternative, NullDistribution};
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{from_options, words};

/// The Mann-Whitney U of the positives and its test, exact or by the tie-corrected normal approximation.
///
/// Under the null hypothesis of a common distribution, given the ties of t rows each,
/// `Var U = P N / 12 ((n + 1) - sum(t³ - t) / (n (n - 1)))` with n = P + N (Lehmann 1975, section 1.4). The
/// sum is an exact integer. The exact distribution is also given the ties: [`exact_rank_sum`].
#[derive(Clone, Copy, Debug)]
pub struct MannWhitneyU {
    /// The alternative.
    pub alternative: Alternative,
    /// The null distribution.
    pub method: NullDistribution,
    /// Whether the normal approximation has a continuity correction of one half. It is towards the
    /// expectation if two-sided, otherwise against the alternative (down for `Greater`, up for `Less`).
    pub continuity: bool,
    /// The kind of the two-sided exact p-value.
    pub two_sided: TwoSided,
}

impl Default for MannWhitneyU {
    /// Two-sided, exact for small groups, otherwise with continuity correction.
    fn default() -> Self {
        MannWhitneyU {
            alternative: Alternative::TwoSided,
            method: NullDistribution::Auto,
            continuity: true,
            two_sided: TwoSided::Deviation,
        }
    }
}

/// The kind of a two-sided exact p-value. Without ties both are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TwoSided {
    /// The probability of a U at least as far from its expectation.
    #[default]
    Deviation,
    /// Twice the smaller tail, at most 1.
    Doubled,
}

/// `auto` is exact without ties if both classes have fewer rows than this, as in R's `wilcox.test`. The
/// slowest such group (49 and 49 rows) takes 0.1 ms. For 50 and 50 rows the approximation is 1 % above an
/// exact p-value of 0.05, and 15 % above one of 0.001.
const UNTIED_ROWS: u64 = 50;

/// `auto` is exact with ties up to this total number of rows. The slowest such group (25 and 25 rows, hardly
/// any tie) takes 0.2 ms; the time grows with the fourth power of the rows.
const TIED_ROWS: u64 = 50;

record! {
    /// The test of one group.
    pub struct MannWhitneyRecord {
        /// The number of pairs in which the positive scores higher than the negative, where a tie counts one half.
        pub u_statistic: Option<f64>,
        /// The standardized U, positive if positives tend to score higher. `continuity` is applied to U first, so
        /// that an asymptotic `p_value` is the tail of `z`: below it for `"less"`, above it for `"greater"`, and
        /// twice the tail beyond `abs(z)` for `"two-sided"`.
        pub z: Option<f64>,
        /// The p-value of the hypothesis that both classes have the same distribution.
        pub p_value: Option<f64>,
        /// The method of the p-value, `"exact"` or `"asymptotic"`; null where the p-value is null.
        pub method: Option<&'static str>,
        /// `U / (P N)`.
        pub auc: Option<f64>,
        /// `2 auc - 1`, from -1 to 1.
        pub rank_biserial: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

words!(TwoSided { "deviation" => Deviation, "doubled" => Doubled });

from_options!(|options| MannWhitneyU {
    alternative: options.word("alternative")?,
    method: options.word("method")?,
    continuity: options.flag("continuity")?,
    two_sided: options.word("two_sided")?,
});

impl Summary for MannWhitneyU {
    type Record = MannWhitneyRecord;

    fn evaluate(&self, mut ties: Ties<'_>) -> MannWhitneyRecord {
        let rows = Count::from(&ties);
        if !ties.has_pairs() {
            return MannWhitneyRecord::undefined(rows);
        }
        let pairs = ties.pairs();
        let (twice_u, tied) = ties.twice_u_and_cubes();
        let n = u128::from(rows.rows());
        // (n + 1) - tied / (n (n - 1)) over one denominator: exact until the division.
        let spread = math::quotient(n * n * n - n - tied, 12 * n * (n - 1));
        let deviation = (pairs as f64 * spread).sqrt();
        let twice_surplus = twice_u.cast_signed() - pairs.cast_signed();
        let (mut z, mut p_value, mut method) = (None, None, None);
        if deviation > 0.0 {
            let standardised_u = self.z(twice_surplus, deviation);
            z = Some(standardised_u);
            let exact = match self.method {
                NullDistribution::Auto if tied == 0 => rows.pos.max(rows.neg) < UNTIED_ROWS,
                NullDistribution::Auto => rows.rows() <= TIED_ROWS,
                NullDistribution::Exact => true,
                NullDistribution::Asymptotic => false,
            };
            if exact {
                p_value = self.exact(&mut ties, twice_u);
                method = p_value.map(|_| "exact");
            } else {
                method = Some("asymptotic");
                p_value = Some(self.alternative.p_value(standardised_u, upper_tail));
            }
        }
        let u = math::quotient(twice_u, 2);
        let auc = math::quotient(twice_u, 2 * pairs);
        let rank_biserial = math::signed_quotient(twice_surplus, pairs);
        MannWhitneyRecord::new(Some(u), z, p_value, method, Some(auc), Some(rank_biserial), rows)
    }
}

impl MannWhitneyU {
    /// z from twice the difference between U and its expectation.
    fn z(&self, twice_surplus: i128, deviation: f64) -> f64 {
        // One-sided corrections are as in R and scipy: the p-value is the tail of z and includes the observed
        // U.
        let half_steps = match self.alternative {
            Alternative::TwoSided => -twice_surplus.signum(),
            Alternative::Greater => -1,
            Alternative::Less => 1,
        };
        let correction = if self.continuity { half_steps } else { 0 };
        math::signed_quotient(twice_surplus + correction, 2) / deviation
    }

    /// The p-value of the exact distribution, if it can be enumerated.
    fn exact(&self, ties: &mut Ties<'_>, twice_u: u128) -> Option<f64> {
        let tails = exact_rank_sum::tails(ties.counts().each(), twice_u)?;
        Some(match (self.alternative, self.two_sided) {
            (Alternative::Greater, _) => tails.upper,
            (Alternative::Less, _) => tails.lower,
            (Alternative::TwoSided, TwoSided::Deviation) => tails.deviation.min(1.0),
            (Alternative::TwoSided, TwoSided::Doubled) => (2.0 * tails.lower.min(tails.upper)).min(1.0),
        })
    }
}

declaration! {
    /// The Mann-Whitney or Wilcoxon rank-sum test, exact (also with ties) or by the normal approximation.
    ///
    /// Words: Mann-Whitney, Wilcoxon, rank-sum test, U test, rank-biserial, effect size, permutation test.
    MannWhitneyU => MannWhitneyRecord {
        label = None, score = None;
        /// With `"greater"`, the alternative is that positives tend to score higher.
        alternative = "two-sided",
        /// - `"exact"`: the exact distribution, in which every choice of the positives among the rows is equally
        ///   likely, also with ties. Null if it needs more than 2^31 steps, which take several seconds: from about
        ///   180 and 180 rows on for a U near its expectation, and from more rows on in the tails.
        /// - `"asymptotic"`: the normal approximation.
        /// - `"auto"`: exact if both classes have fewer than 50 rows and no scores tie (R's rule), or if scores tie
        ///   and there are at most 50 rows in all. The slowest such group takes some tenths of a millisecond; the
        ///   time grows with the fourth power of the number of rows. With 50 and 50 rows the approximation is 1 %
        ///   above an exact p-value of 0.05, 4 % above 0.01 and 15 % above 0.001. With 50 and 10 rows it is 2, 16 and
        ///   67 % above. If a class is small and small p-values matter, use `"exact"`.
        method: word<NullDistribution> = "auto",
        /// The two-sided exact p-value; without ties both are equal.
        ///
        /// - `"deviation"`: the probability of a U at least as far from its expectation, as in coin and
        ///   exactRankTests.
        /// - `"doubled"`: twice the smaller tail, as in R's `wilcox.test` and scipy, which have no exact test with
        ///   ties.
        two_sided: word<TwoSided> = "deviation",
        /// Whether the normal approximation uses a continuity correction of one half, as scipy and R do by default. A
        /// two-sided test moves U towards its expectation. A one-sided test moves U against the alternative, also
        /// beyond its expectation: down for `"greater"`, up for `"less"`.
        continuity: flag = true,
        count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    fn test(alternative: Alternative, continuity: bool) -> MannWhitneyU {
        MannWhitneyU {
            alternative,
            method: NullDistribution::Asymptotic,
            continuity,
            ..MannWhitneyU::default()
        }
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

    /// scipy.stats.mannwhitneyu([4, 5, 6], [1, 2, 5.5], method="asymptotic") has U = 7 and the same p-values.
    /// Without the correction z is 2.5 / sqrt(5.25).
    #[test]
    fn one_sided_tests_move_u_against_the_alternative() {
        let (labels, scores) = ([1, 1, 1, 0, 0, 0], [4.0, 5.0, 6.0, 1.0, 2.0, 5.5]);
        for (alternative, continuity, surplus, p_value) in [
            (Alternative::Less, true, 3.0, 0.904_784_868_087_238),
            (Alternative::Less, false, 2.5, 0.862_383_237_962_582_9),
            (Alternative::Greater, true, 2.0, 0.191_366_544_442_612_97),
            (Alternative::TwoSided, true, 2.0, 0.382_733_088_885_225_95),
        ] {
            let record = summary(&test(alternative, continuity), &labels, &scores);
            // z is one quotient and one root, with an error of a few units in the last place.
            assert!(
                (record.z.unwrap() - surplus / 5.25f64.sqrt()).abs() < 1e-15,
                "{alternative:?} {record:?}"
            );
            assert!((record.p_value.unwrap() / p_value - 1.0).abs() < 1e-13, "{alternative:?} {record:?}");
        }
    }

    /// All 35 choices of four of the rows, counted.
    #[test]
    fn exact_with_ties() {
        let (labels, scores) = ([1, 1, 1, 1, 0, 0, 0], [3, 3, 5, 8, 1, 3, 4]);
        for (alternative, two_sided, arrangements) in [
            (Alternative::Greater, TwoSided::Deviation, 7.0),
            (Alternative::Less, TwoSided::Deviation, 32.0),
            (Alternative::TwoSided, TwoSided::Deviation, 14.0),
            (Alternative::TwoSided, TwoSided::Doubled, 14.0),
        ] {
            for method in [NullDistribution::Auto, NullDistribution::Exact] {
                let statistic = MannWhitneyU { alternative, method, continuity: true, two_sided };
                let record = summary(&statistic, &labels, &scores);
                assert_eq!(record.method, Some("exact"));
                assert_eq!(record.p_value, Some(arrangements / 35.0), "{alternative:?}");
            }
        }
    }

    #[test]
    fn auto_is_exact_for_small_groups() {
        let auto = MannWhitneyU { method: NullDistribution::Auto, ..test(Alternative::TwoSided, true) };
        let used = |rows: u64, tied: bool| {
            let labels: Vec<u8> = (0..rows).map(|row| u8::from(row % 2 == 0)).collect();
            let scores: Vec<u64> = (0..rows).map(|row| if tied { row / 2 } else { row }).collect();
            summary(&auto, &labels, &scores).method
        };
        assert_eq!((used(98, false), used(99, false)), (Some("exact"), Some("asymptotic")));
        assert_eq!((used(50, true), used(51, true)), (Some("exact"), Some("asymptotic")));
    }

    #[test]
    fn nothing_to_test() {
        let two_sided = test(Alternative::TwoSided, true);
        let tied = summary(&two_sided, &[0, 1, 1], &[2.5, 2.5, 2.5]);
        assert_eq!((tied.u_statistic, tied.z, tied.p_value, tied.auc), (Some(1.0), None, None, Some(0.5)));
        let even = summary(&two_sided, &[1, 0, 0, 1], &[1, 2, 3, 4]);
        assert_eq!((even.z, even.p_value), (Some(0.0), Some(1.0)), "the correction does not overshoot");
        let alone = summary(&two_sided, &[1, 1], &[1, 2]);
        assert_eq!((alone.u_statistic, alone.rows.pos, alone.rows.neg), (None, 2, 0));
    }
}
