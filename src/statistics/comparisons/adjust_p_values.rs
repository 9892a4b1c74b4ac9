//! p-values adjusted for multiple testing.

use crate::interrupt;
use crate::math::first;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::Columnwise;
use crate::statistics::options::{OptionError, Options, from_options, words};

/// The method of adjustment, as in `p.adjust` of R.
///
/// Let p-values be ascending, m in number; every adjusted p-value is at most 1. Bonferroni: `m p`. Holm
/// (1979): the maximum of `(m + 1 - j) p_j` over ranks j up to i. Both control the probability of any false
/// rejection. Benjamini and Hochberg (1995): the minimum of `m p_j / j` over ranks j from i, which controls
/// the expected share of false rejections. Benjamini and Yekutieli (2001): the same times
/// `1 + 1/2 + ... + 1/m`, for any dependence. Hochberg (1988): the minimum of `(m + 1 - j) p_j` over ranks j
/// from i. Sidak (1967): `1 - (1 - p)^m`; stepwise like Holm, the maximum of `1 - (1 - p_j)^(m + 1 - j)`.
///
/// Hommel (1988) rejects a hypothesis if Simes' test rejects every set of hypotheses that contains it. Among
/// the sets of size s with rank i, Simes' p-value `min_k s p_(k) / k` is largest for the set with the s - 1
/// largest other p-values. With `c = min_k s p_{m-s+k} / k` over k from 2 to s, that is `min(s p_i, c)`. If i
/// is among the s - 1 largest, it is `min(s p_{m-s+1}, c)`. The adjusted p-value is the maximum of these over
/// all s, in `O(m log m)`.
///
/// Nulls and NaN are unchanged and not counted in m.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adjustment {
    /// Holm's.
    #[default]
    Holm,
    /// Bonferroni's.
    Bonferroni,
    /// Benjamini and Hochberg's.
    Bh,
    /// Benjamini and Yekutieli's.
    By,
    /// Hochberg's.
    Hochberg,
    /// Hommel's.
    Hommel,
    /// Sidak's, in a single step.
    Sidak,
    /// Sidak's, stepwise like Holm's.
    HolmSidak,
    /// No adjustment.
    None,
}

words!(Adjustment {
    "holm" => Holm,
    "hochberg" => Hochberg,
    "hommel" => Hommel,
    "bonferroni" => Bonferroni,
    "sidak" => Sidak,
    "holm-sidak" => HolmSidak,
    "bh" => Bh,
    "by" => By,
    // What R and statsmodels call them.
    "BH" => Bh,
    "BY" => By,
    "fdr" => Bh,
    "fdr_bh" => Bh,
    "fdr_by" => By,
    "simes-hochberg" => Hochberg,
});

impl Adjustment {
    /// The adjustment in the option of this name; none by default.
    pub fn parse(options: &Options, name: &str) -> Result<Self, OptionError> {
        Ok(options.optional_word(name)?.unwrap_or(Adjustment::None))
    }

    /// Adjusts the p-values of records. `fields` returns the p-value of a record and the field of the
    /// adjusted one.
    pub fn adjust<R>(self, records: &mut [R], fields: impl Fn(&mut R) -> (Option<f64>, &mut Option<f64>)) {
        let p_values: Vec<Option<f64>> = records.iter_mut().map(|record| fields(record).0).collect();
        for (record, p_adjusted) in records.iter_mut().zip(self.apply(&p_values)) {
            *fields(record).1 = p_adjusted;
        }
    }

    /// The adjusted p-values, in the same order.
    pub fn apply(self, p_values: &[Option<f64>]) -> Vec<Option<f64>> {
        let mut adjusted = p_values.to_vec();
        let mut order: Vec<usize> =
            (0..p_values.len()).filter(|&at| p_values[at].is_some_and(|p| !p.is_nan())).collect();
        let p = |at: usize| p_values[at].unwrap_or(f64::NAN);
        order.sort_by(|&a, &b| {
            interrupt::check();
            p(a).total_cmp(&p(b))
        });
        let m = order.len() as f64;
        let from_below = matches!(self, Adjustment::Holm | Adjustment::HolmSidak);
        let mut bound = if from_below { 0.0f64 } else { 1.0 };
        // The probability that at least one of `number` independent p-values is at most p; accurate for small
        // p.
        let sidak = |p: f64, number: f64| -(number * (-p).ln_1p()).exp_m1();
        match self {
            Adjustment::None => {}
            Adjustment::Bonferroni => order.iter().for_each(|&at| adjusted[at] = Some((m * p(at)).min(1.0))),
            Adjustment::Sidak => order.iter().for_each(|&at| adjusted[at] = Some(sidak(p(at), m))),
            Adjustment::Holm | Adjustment::HolmSidak => {
                for (rank, &at) in order.iter().enumerate() {
                    let rest = m - rank as f64;
                    let adjusted_p = if self == Adjustment::Holm { rest * p(at) } else { sidak(p(at), rest) };
                    bound = bound.max(adjusted_p).min(1.0);
                    adjusted[at] = Some(bound);
                }
            }
            Adjustment::Hommel => {
                let ascending: Vec<f64> = order.iter().map(|&at| p(at)).collect();
                for (&at, hommel) in order.iter().zip(hommel(&ascending)) {
                    adjusted[at] = Some(hommel);
                }
            }
            Adjustment::Hochberg | Adjustment::Bh | Adjustment::By => {
                let sum = match self {
                    Adjustment::By => (1..=order.len()).map(|rank| 1.0 / rank as f64).sum(),
                    _ => 1.0,
                };
                for (rank, &at) in order.iter().enumerate().rev() {
                    let times = match self {
                        Adjustment::Hochberg => m - rank as f64,
                        _ => sum * m / (rank + 1) as f64,
                    };
                    bound = bound.min(times * p(at));
                    adjusted[at] = Some(bound);
                }
            }
        }
        adjusted
    }
}

/// Hommel's adjustment of p-values in ascending order.
fn hommel(p: &[f64]) -> Vec<f64> {
    let m = p.len();
    let c = min_of_largest(p);
    let scaled = |s: usize, rank: usize| s as f64 * p[rank];
    let mut adjusted = p.to_vec();
    // The sizes s up to `m - rank` whose c exceeds the c of all larger sizes. An excluded size has a smaller
    // `s p` and no larger c than an included one. Along these sizes `s p` increases and c decreases, so the
    // maximum of the minimum is at their crossing.
    let mut sizes: Vec<usize> = Vec::new();
    for rank in (0..m.saturating_sub(1)).rev() {
        interrupt::check();
        let size = m - rank;
        while sizes.pop_if(|smaller| c[*smaller] <= c[size]).is_some() {}
        sizes.push(size);
        let meeting = sizes.partition_point(|&s| scaled(s, rank) < c[s]);
        for &s in &sizes[meeting.saturating_sub(1)..sizes.len().min(meeting + 1)] {
            adjusted[rank] = adjusted[rank].max(c[s].min(scaled(s, rank)));
        }
    }
    // For larger sizes the rank is among the s - 1 largest.
    let mut larger = 0.0f64;
    for (rank, adjusted) in adjusted.iter_mut().enumerate() {
        let s = m - rank + 1;
        if s <= m {
            larger = larger.max(c[s].min(scaled(s, m - s)));
        }
        *adjusted = adjusted.max(larger).min(1.0);
    }
    adjusted
}

/// For each size s, the minimum of `s p_{m-s+k} / k` over k from 2 to s; infinite for s below 2.
///
/// `p_j / (j - (m - s))` is the slope from a point on the axis to `(j, p_j)`. The minimum slope belongs to a
/// tangent of the lower convex hull of the points: `O(m log m)`.
fn min_of_largest(p: &[f64]) -> Vec<f64> {
    let m = p.len();
    let mut min = vec![f64::INFINITY; m.min(1) + 1];
    // The hull of the points to the right, leftmost last.
    let mut hull: Vec<usize> = Vec::new();
    // Whether the slope from (x, y) to b is at least the slope from b to c, where y is at most p_b.
    let above = |(x, y): (f64, f64), b: usize, c: usize| {
        (p[b] - y) * (c - b) as f64 >= (p[c] - p[b]) * (b as f64 - x)
    };
    for s in 2..=m {
        interrupt::check();
        // Points are indexed from 0 like `p`: the point on the axis is one place before the first of the set.
        let (start, added) = (m - s, m - s + 1);
        while let [.., c, b] = hull[..]
            && above((added as f64, p[added]), b, c)
        {
            hull.pop();
        }
        hull.push(added);
        let before = start as f64 - 1.0;
        // The first hull point from the right that is not above the line from the axis through its left
        // neighbour.
        let tangent = hull[first(hull.len() - 1, |index| above((before, 0.0), hull[index + 1], hull[index]))];
        min.push(s as f64 * p[tangent] / (tangent as f64 - before));
    }
    min
}

/// Adjusted p-values.
#[derive(Clone, Copy, Debug)]
pub struct AdjustPValues {
    /// The method of adjustment.
    pub method: Adjustment,
}

from_options!(|options| AdjustPValues { method: Adjustment::parse(options, "method")? });

impl Columnwise for AdjustPValues {
    const ROLES: &'static [&'static str] = &["p"];
    const FIELDS: &'static [&'static str] = &["p"];

    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String> {
        let p_values = &columns[0];
        if let Some(wrong) = p_values.iter().flatten().find(|&&p| !p.is_nan() && !(0.0..=1.0).contains(&p)) {
            return Err(format!("p contains {wrong}, but p-values lie between 0 and 1"));
        }
        Ok(vec![self.method.apply(p_values)])
    }
}

declaration! {
    /// Adjusted p-values by Holm, Hochberg, Hommel, Bonferroni, Sidak, Benjamini-Hochberg or Benjamini-Yekutieli.
    ///
    /// Words: multiple testing, Bonferroni, Holm, false discovery rate, Benjamini-Hochberg, adjusted p-value.
    AdjustPValues {
        /// The p-values.
        p: column;
        /// - `"holm"`, `"bonferroni"`: control the family-wise error rate, the probability of any false rejection.
        ///   Holm rejects at least as often.
        /// - `"hochberg"`, `"hommel"`: reject at least as often as Holm. `"holm-sidak"` and `"sidak"` reject slightly
        ///   more often than `"holm"` and `"bonferroni"`. All four control the family-wise error rate for independent
        ///   p-values, and for most positively dependent ones.
        /// - `"bh"` (Benjamini and Hochberg), `"by"` (Benjamini and Yekutieli, valid for any dependence): control the
        ///   false discovery rate, the expected share of false rejections.
        /// - `None`: no adjustment.
        ///
        /// The names of R and statsmodels, such as `"BH"` and `"fdr_bh"`, are accepted.
        method: python("Adjustment | None") = "holm",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn adjusted_column() {
        let holm = AdjustPValues { method: Adjustment::Holm };
        let adjusted = holm.evaluate(&[vec![Some(0.04), None, Some(0.01)]]);
        assert_eq!(adjusted, Ok(vec![vec![Some(0.04), None, Some(0.02)]]));
        assert!(holm.evaluate(&[vec![Some(1.5)]]).unwrap_err().contains("p contains 1.5"));
    }

    /// R's p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.55, 0.04, 0.2), method).
    #[test]
    fn as_r() {
        let p = [0.01, 0.04, 0.03, 0.005, 0.55, 0.04, 0.2].map(Some);
        for (adjustment, expected) in [
            (Adjustment::Holm, [0.06, 0.16, 0.15, 0.035, 0.55, 0.16, 0.4]),
            (Adjustment::Bonferroni, [0.07, 0.28, 0.21, 0.035, 1.0, 0.28, 1.0]),
            (Adjustment::Bh, [0.035, 0.056, 0.056, 0.035, 0.55, 0.056, 0.7 / 3.0]),
            (Adjustment::By, [0.09075, 0.1452, 0.1452, 0.09075, 1.0, 0.1452, 0.605]),
            (Adjustment::Hochberg, [0.06, 0.12, 0.12, 0.035, 0.55, 0.12, 0.4]),
            (Adjustment::Hommel, [0.06, 0.12, 0.09, 0.035, 0.55, 0.12, 0.4]),
            (Adjustment::None, p.map(Option::unwrap)),
        ] {
            for (got, expected) in adjustment.apply(&p).into_iter().zip(expected) {
                assert!((got.unwrap() - expected).abs() < 1e-15, "{adjustment:?} {got:?} {expected}");
            }
        }
    }

    /// Hommel's adjustment of ascending p-values, by definition.
    fn hommel_as_defined(p: &[f64]) -> Vec<f64> {
        let m = p.len();
        let mut adjusted = p.to_vec();
        for s in 2..=m {
            let size = s as f64;
            let largest = p[m - s + 1..].iter().zip(2..);
            let c = largest.map(|(p, k)| size * p / f64::from(k)).fold(f64::INFINITY, f64::min);
            for (rank, adjusted) in adjusted.iter_mut().enumerate() {
                *adjusted = adjusted.max(c.min(size * p[rank.min(m - s)])).min(1.0);
            }
        }
        adjusted
    }

    fn same_as_defined(mut p: Vec<f64>) {
        p.sort_unstable_by(f64::total_cmp);
        for (got, expected) in hommel(&p).into_iter().zip(hommel_as_defined(&p)) {
            // Two sets whose Simes p-values are equal up to rounding may be swapped.
            assert!((got - expected).abs() <= 4.0 * f64::EPSILON * expected, "{got:e} {expected:e} {p:?}");
        }
    }

    #[test]
    fn hommel_of_many() {
        let mut stream = crate::math::Stream::new(3, 4);
        for power in [1, 2, 8, 60] {
            let p = (0..1500).map(|_| (f64::from(stream.index(1 << 30)) / f64::from(1 << 30)).powi(power));
            same_as_defined(p.collect());
        }
        same_as_defined((1..=1500).map(|rank| f64::from(rank) / 1500.0).collect());
        same_as_defined(vec![0.01; 1500]);
    }

    proptest! {
        #[test]
        fn hommel_of_few(p in prop::collection::vec(prop_oneof![0.0..=1.0, (0u8..=10).prop_map(|tenths| f64::from(tenths) / 10.0), 0.0..0.02f64], 0..25)) {
            same_as_defined(p);
        }
    }

    #[test]
    fn hommel_excludes_nulls() {
        let got = Adjustment::Hommel.apply(&[Some(0.04), None, Some(0.01), Some(f64::NAN), Some(0.04)]);
        let expected = Adjustment::Hommel.apply(&[Some(0.04), Some(0.01), Some(0.04)]);
        assert_eq!([got[0], got[2], got[4]], [expected[0], expected[1], expected[2]]);
        assert_eq!(got[1], None);
    }

    #[test]
    fn nulls_are_not_counted() {
        let got = Adjustment::Bonferroni.apply(&[Some(0.1), None, Some(f64::NAN), Some(0.3)]);
        assert_eq!((got[0], got[1], got[3]), (Some(0.2), None, Some(0.6)));
        assert!(got[2].unwrap().is_nan());
        assert!(Adjustment::By.apply(&[]).is_empty());
    }
}
