//! The Hodges-Lehmann shift between two classes.

use super::exact_rank_sum;
use crate::math::normal::upper_quantile;
use crate::ranking::scores::Score;
use crate::ranking::tasks;
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::interval::tail;
use crate::statistics::kinds::{Inputs, Joint, Needs, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The median of all differences between a positive's score and a negative's, with an interval.
///
/// The estimate is Hodges and Lehmann's (1963). The limits are order statistics of the differences: the
/// extreme shifts that the Mann-Whitney test does not reject (Hollander, Wolfe and Chicken 2014, section
/// 4.3). Their ranks come from its exact distribution for small groups without ties. Otherwise they come from
/// the normal approximation with continuity correction and the variance given the ties within the classes.
/// The differences are never materialised. The k-th smallest is found by bisection over the range of floats,
/// counting the pairs below in one pass over both sorted classes. `O(n log n)`.
#[derive(Clone, Copy, Debug)]
pub struct HodgesLehmann {
    /// The coverage of the interval.
    pub level: f64,
}

/// The exact distribution is used if no scores tie and both classes have fewer rows than this, as in R's
/// `wilcox.test`.
const EXACT_ROWS: usize = 50;

record! {
    /// The shift of one group.
    pub struct HodgesLehmannRecord {
        /// The median of the differences between the scores of a positive and a negative, in the unit of the scores.
        pub shift: Option<f64>,
        /// The lower limit; null where `shift` is null, -infinity with too few rows for the level.
        pub lower: Option<f64>,
        /// The upper limit; null where `shift` is null, infinity with too few rows for the level.
        pub upper: Option<f64>,
        /// The method of the limits, `"exact"` or `"asymptotic"`.
        pub method: Option<&'static str>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| HodgesLehmann { level: options.level()? });

impl Joint for HodgesLehmann {
    type Record = HodgesLehmannRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1));

    fn needs(&self) -> Needs {
        Needs::VALUES
    }

    fn passes(&self) -> usize {
        64
    }

    fn evaluate(&self, rows: &Rows) -> HodgesLehmannRecord {
        let class_scores = |class: bool| -> Vec<f64> {
            let mut scores: Vec<f64> = rows.values[0]
                .iter()
                .zip(&rows.labels)
                .filter(|row| *row.1 == class)
                .map(|row| *row.0)
                .collect();
            scores.sort_unstable_by(f64::total_cmp);
            scores
        };
        let (pos, neg) = (class_scores(true), class_scores(false));
        if pos.is_empty() || neg.is_empty() {
            return HodgesLehmannRecord::undefined(rows);
        }
        let infinite =
            |scores: &[f64], infinity: f64| scores[0] == infinity || scores[scores.len() - 1] == infinity;
        let undefined = |infinity| infinite(&pos, infinity) && infinite(&neg, infinity);
        if undefined(f64::INFINITY) || undefined(f64::NEG_INFINITY) {
            let nan = Some(f64::NAN);
            return HodgesLehmannRecord::new(nan, nan, nan, None, rows.into());
        }
        let pairs = pos.len() as u64 * neg.len() as u64;
        let untied = {
            let mut all: Vec<f64> = pos.iter().chain(&neg).map(|score| score + 0.0).collect();
            all.sort_unstable_by(f64::total_cmp);
            all.windows(2).all(|pair| pair[0] < pair[1])
        };
        let exact = untied && pos.len().max(neg.len()) < EXACT_ROWS;
        let tail = tail(self.level);
        // The first and the last rank of differences inside the interval.
        let first = if exact {
            exact_rank_sum::untied_quantile(pos.len(), neg.len(), tail)
        } else {
            asymptotic_rank(&pos, &neg, tail)
        };
        let limits = || {
            if first == 0 {
                return (f64::NEG_INFINITY, f64::INFINITY);
            }
            tasks::join(|| smallest(&pos, &neg, first), || smallest(&pos, &neg, pairs + 1 - first))
        };
        let median = || {
            let upper = smallest(&pos, &neg, pairs / 2 + 1);
            if pairs % 2 == 1 { upper } else { midpoint(smallest(&pos, &neg, pairs / 2), upper) }
        };
        let (median, (lower, upper)) = tasks::join(median, limits);
        let method = if exact { "exact" } else { "asymptotic" };
        // A shift of 0 is always +0.0.
        let median = median + 0.0;
        HodgesLehmannRecord::new(Some(median), Some(lower), Some(upper), Some(method), rows.into())
    }
}

/// The midpoint of two floats, even if their sum overflows.
fn midpoint(a: f64, b: f64) -> f64 {
    if a == b { a } else { f64::midpoint(a, b) }
}

/// The `rank`-th smallest difference, counted from 1, between a positive's score and a negative's; both
/// classes are in ascending order.
///
/// Bisects the range of floats until at most as many differences as rows remain, and lists those.
fn smallest(pos: &[f64], neg: &[f64], rank: u64) -> f64 {
    let few = (pos.len() + neg.len()) as u64;
    let (mut low, mut high) = (f64::NEG_INFINITY.key(), f64::INFINITY.key());
    // The number of differences below the range, its upper bound, and the number of differences up to it.
    let (mut below, mut bound, mut upto) = (0, None, pos.len() as u64 * neg.len() as u64);
    while low < high && upto - below > few {
        let middle = low + (high - low) / 2;
        let count = differences(pos, neg, f64::from_key(middle)).map(|(_, count)| count as u64).sum();
        if count >= rank {
            (high, upto) = (middle, count);
        } else {
            (low, below, bound) = (middle + 1, count, Some(f64::from_key(middle)));
        }
    }
    if low == high {
        return f64::from_key(low);
    }
    let mut lower = bound.map(|bound| differences(pos, neg, bound));
    let mut listed: Vec<f64> = differences(pos, neg, f64::from_key(high))
        .flat_map(|(p, upto)| {
            let below = lower.as_mut().and_then(Iterator::next).map_or(0, |(_, count)| count);
            // The count starts at the highest negative.
            neg[neg.len() - upto..neg.len() - below].iter().map(move |n| p - n)
        })
        .collect();
    let (_, difference, _) = listed.select_nth_unstable_by((rank - below - 1) as usize, f64::total_cmp);
    *difference
}

/// For each positive, highest first: the number of highest negatives that it exceeds by at most `bound`.
///
/// Rounding is monotone, so rounded differences keep the order of exact ones, and one pass over both classes
/// counts them.
fn differences(pos: &[f64], neg: &[f64], bound: f64) -> impl Iterator<Item = (f64, usize)> {
    let mut count = 0;
    pos.iter().rev().map(move |&p| {
        while count < neg.len() && p - neg[neg.len() - 1 - count] <= bound {
            count += 1;
        }
        (p, count)
    })
}

/// The rank of the lower limit by the normal approximation, or 0.
fn asymptotic_rank(pos: &[f64], neg: &[f64], tail: f64) -> u64 {
    let (m, n) = (pos.len() as f64, neg.len() as f64);
    let cubes = |scores: &[f64]| -> f64 {
        scores.chunk_by(|a, b| a == b).map(|tie| (tie.len() as f64).powi(3) - tie.len() as f64).sum()
    };
    let all = m + n;
    let tied = (cubes(pos) + cubes(neg)) / (all * (all - 1.0));
    let deviation = (m * n / 12.0 * (all + 1.0 - tied)).sqrt();
    // A shift is rejected if U minus one half, standardised, exceeds the quantile.
    let largest_kept = 0.5 * m * n + 0.5 + upper_quantile(tail) * deviation;
    let rank = (m * n - largest_kept).floor() + 1.0;
    if rank >= 1.0 { rank as u64 } else { 0 }
}

declaration! {
    /// The Hodges-Lehmann estimate: how much higher positives score, in the unit of the scores.
    ///
    /// Words: Hodges-Lehmann, location shift, pseudomedian of differences.
    HodgesLehmann => HodgesLehmannRecord {
        label,
        /// Any numeric or Boolean column. Differences are computed in Float64, so integers beyond 2^53 lose their last digits.
        score: column;
        level = 0.95, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    fn compute(labels: &[u8], scores: &[f64], level: f64) -> HodgesLehmannRecord {
        HodgesLehmann { level }.evaluate(&rows_of(labels, &[scores], &[]))
    }

    /// Permeability of chorioamnion (Hollander and Wolfe 1973, table 4.1), as in R's help of wilcox.test:
    /// positives at term, negatives at 12 to 26 weeks. R 4.2: shift 0.305, limits -0.15 and 0.76 (exact, 95
    /// %).
    #[test]
    fn permeability() {
        let term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let early = [1.15, 0.88, 0.90, 0.74, 1.21];
        let labels: Vec<u8> = [1; 10].into_iter().chain([0; 5]).collect();
        let scores: Vec<f64> = term.into_iter().chain(early).collect();
        let record = compute(&labels, &scores, 0.95);
        assert!((record.shift.unwrap() - 0.305).abs() < 1e-12, "{record:?}");
        assert!((record.lower.unwrap() + 0.15).abs() < 1e-12, "{record:?}");
        assert!((record.upper.unwrap() - 0.76).abs() < 1e-12, "{record:?}");
        assert_eq!(record.method, Some("exact"));
    }

    #[test]
    fn too_few_rows_for_the_level() {
        let record = compute(&[1, 0], &[3.0, 1.0], 0.95);
        assert_eq!(
            (record.shift, record.lower, record.upper),
            (Some(2.0), Some(f64::NEG_INFINITY), Some(f64::INFINITY))
        );
        assert_eq!(compute(&[1, 1], &[3.0, 1.0], 0.95).shift, None);
        assert!(compute(&[1, 0], &[f64::INFINITY, f64::INFINITY], 0.95).shift.unwrap().is_nan());
        assert_eq!(compute(&[1, 0], &[f64::INFINITY, 1.0], 0.95).shift, Some(f64::INFINITY));
    }

    proptest! {
        #[test]
        fn any_rank(pos in proptest::collection::vec(-9i8..9, 1..12), neg in proptest::collection::vec(-9i8..9, 1..12)) {
            let floats = |scores: &[i8]| -> Vec<f64> {
                let mut scores: Vec<f64> = scores.iter().map(|&score| f64::from(score) * 0.1).collect();
                scores.sort_unstable_by(f64::total_cmp);
                scores
            };
            let (pos, neg) = (floats(&pos), floats(&neg));
            let mut all: Vec<f64> = pos.iter().flat_map(|p| neg.iter().map(move |n| p - n)).collect();
            all.sort_unstable_by(f64::total_cmp);
            for (rank, difference) in (1..).zip(&all) {
                prop_assert_eq!(smallest(&pos, &neg, rank), *difference);
            }
        }
    }
}
