//! The Brunner-Munzel test.

use crate::math;
use crate::math::{normal, student_t};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Alternative, delong};
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{from_options, words};

/// The test that the AUC is one half, without the assumption of equal distributions.
///
/// The statistic of Brunner and Munzel (2000) equals `(A - 1/2) / se` with the DeLong standard error. Its
/// reference distribution is Student's t or the normal distribution. Satterthwaite's degrees of freedom are
/// `(S10/P + S01/N)² / ((S10/P)²/(P-1) + (S01/N)²/(N-1))`.
#[derive(Clone, Copy, Debug)]
pub struct BrunnerMunzel {
    /// The alternative.
    pub alternative: Alternative,
    /// The reference distribution of the statistic.
    pub distribution: Distribution,
}

/// The reference distribution of the statistic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distribution {
    /// Student's t.
    #[default]
    T,
    /// The normal distribution.
    Normal,
}

record! {
    /// The test of one group.
    pub struct BrunnerMunzelRecord {
        /// `(auc - 1/2) / se`, positive if positives tend to score higher. In scipy the sign is opposite if positives
        /// are its first sample.
        pub statistic: Option<f64>,
        /// The degrees of freedom of Student's t.
        pub df: Option<f64>,
        /// The p-value of the hypothesis that the AUC is 1/2.
        pub p_value: Option<f64>,
        /// The AUC.
        pub auc: Option<f64>,
        /// The DeLong standard error of the AUC.
        pub se: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

words!(Distribution { "t" => T, "normal" => Normal });

from_options!(|options| BrunnerMunzel {
    alternative: options.word("alternative")?,
    distribution: options.word("distribution")?,
});

impl Summary for BrunnerMunzel {
    type Record = BrunnerMunzelRecord;

    fn evaluate(&self, mut ties: Ties<'_>) -> BrunnerMunzelRecord {
        let rows = Count::from(&ties);
        let mut record = BrunnerMunzelRecord::undefined(rows);
        if !ties.has_pairs() {
            return record;
        }
        let placements = ties.placements();
        let twice_pairs = 2 * ties.pairs();
        record.auc = Some(math::quotient(placements.sum, twice_pairs));
        let Some((pos_part, neg_part)) = delong::parts(&placements, rows.pos, rows.neg) else {
            return record;
        };
        let variance = pos_part + neg_part;
        let se = variance.sqrt();
        record.se = Some(se);
        if variance == 0.0 {
            return record;
        }
        let surplus = placements.sum.cast_signed() - ties.pairs().cast_signed();
        let statistic = math::signed_quotient(surplus, twice_pairs) / se;
        let df = variance.powi(2)
            / (pos_part.powi(2) / (rows.pos - 1) as f64 + neg_part.powi(2) / (rows.neg - 1) as f64);
        let p_value = match self.distribution {
            Distribution::T => self.alternative.p_value(statistic, |t| student_t::upper_tail(t, df)),
            Distribution::Normal => self.alternative.p_value(statistic, normal::upper_tail),
        };
        BrunnerMunzelRecord { statistic: Some(statistic), df: Some(df), p_value: Some(p_value), ..record }
    }
}

declaration! {
    /// The Brunner-Munzel test that the AUC is 1/2, which does not assume that the classes have equal distributions.
    ///
    /// Words: Brunner-Munzel, nonparametric Behrens-Fisher, stochastic superiority, relative effect, unequal variances.
    BrunnerMunzel => BrunnerMunzelRecord {
        label = None, score = None;
        /// With `"greater"`, the alternative is that positives tend to score higher.
        alternative = "two-sided",
        /// The distribution of the statistic: `"t"`, or `"normal"` for large groups, which gives the z-test of the
        /// AUC with its DeLong standard error.
        distribution: word<Distribution> = "t",
        count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    /// Pain scores of two treatments (Brunner and Munzel 2000), as in scipy's documentation of brunnermunzel:
    /// statistic 3.1374674823029505, p-value 0.0057862086661515377.
    #[test]
    fn pain_scores() {
        let treated = [3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4];
        let control = [1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1];
        let labels: Vec<u8> = [1; 11].into_iter().chain([0; 14]).collect();
        let scores: Vec<i32> = treated.into_iter().chain(control).collect();
        let two_sided = BrunnerMunzel { alternative: Alternative::TwoSided, distribution: Distribution::T };
        let record = summary(&two_sided, &labels, &scores);
        assert!((record.statistic.unwrap() - 3.137_467_482_302_950_5).abs() < 1e-12, "{record:?}");
        assert!((record.p_value.unwrap() - 0.005_786_208_666_151_538).abs() < 1e-12);
        assert!((record.df.unwrap() - 17.682_841_979_481_54).abs() < 1e-9);
        let normal = BrunnerMunzel { distribution: Distribution::Normal, ..two_sided };
        assert!(summary(&normal, &labels, &scores).p_value < record.p_value);
        let less = BrunnerMunzel { alternative: Alternative::Less, ..two_sided };
        assert!((summary(&less, &labels, &scores).p_value.unwrap() - 0.997_106_895_666_924_2).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_test() {
        let two_sided = BrunnerMunzel { alternative: Alternative::TwoSided, distribution: Distribution::T };
        let perfect = summary(&two_sided, &[0, 0, 1, 1], &[1, 2, 3, 4]);
        assert_eq!(
            (perfect.auc, perfect.se, perfect.statistic, perfect.p_value),
            (Some(1.0), Some(0.0), None, None)
        );
        let single = summary(&two_sided, &[0, 0, 1], &[1, 3, 2]);
        assert_eq!((single.auc, single.se, single.df), (Some(0.5), None, None));
    }
}
