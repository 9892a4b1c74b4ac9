//! The exact null distribution of the Mann-Whitney U, given the ties.
//!
//! Under the null hypothesis every choice of P of the n rows as positives is equally likely. Without ties the
//! number of choices with a given U is a coefficient of the Gaussian binomial (n choose P) (Mann and Whitney
//! 1947), computed in integers. With ties the choices are counted tie by tie with their contribution to twice
//! U: the shift algorithm (Streitberg and Röhmel 1986) on placements instead of ranks. Choices are counted in
//! integers while 128 bits suffice, and every probability is one quotient of such counts. Only the required
//! tail is in memory, so memory is at most the size of the rarer class times that tail.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

use crate::interrupt;
use crate::math;
use crate::ranking::ties::Count;

/// The maximum number of steps: the product of rows, rarer class and tail. This many steps take some seconds.
const MAX_STEPS: u128 = 1 << 31;

/// The maximum number of arrangements: sums of more would exceed the range of floats.
const MAX_ARRANGEMENTS: f64 = 1e290;

/// Up to this number, arrangements are counted in 128 bits, with room for the rounding of this number and for
/// two tails.
const INTEGERS: f64 = (1u128 << 126) as f64;

/// Up to this number, arrangements are counted in 64 bits.
const SHORT_INTEGERS: f64 = (1u64 << 62) as f64;

/// The tail probabilities of twice U at the observed value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tails {
    /// The probability of the observed value or a smaller one.
    pub lower: f64,
    /// The probability of the observed value or a larger one.
    pub upper: f64,
    /// The probability of a value at least as far from the expectation.
    pub deviation: f64,
}

/// The tails at `twice_u` of groups with these counts, highest score first; `None` if the enumeration takes
/// too long.
pub fn tails(counts: &[Count], twice_u: u128) -> Option<Tails> {
    let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
    let pairs = u128::from(n_pos) * u128::from(n_neg);
    let rarer = n_pos.min(n_neg);
    let rows = n_pos + n_neg;
    // The expectation of twice U is the number of pairs; the nearer tail begins here.
    let deviation = twice_u.abs_diff(pairs);
    let nearer = pairs - deviation;
    let untied = counts.iter().all(|count| count.rows() == 1);
    if untied && arrangements(rows, rarer) < INTEGERS {
        if nearer.saturating_mul(rarer.into()) > MAX_STEPS {
            return None;
        }
        // The distribution is symmetric, so one tail gives both.
        let counts = untied_counts(n_pos.max(n_neg) as usize, rarer as usize, nearer as usize / 2);
        let at: u128 = counts.last().copied().unwrap_or_default();
        let upto: u128 = counts.iter().sum();
        let [near, far, both] = u128::shares(upto - at, upto, upto, u128::all(rows, rarer));
        let (lower, upper) = if twice_u <= pairs { (near, far) } else { (far, near) };
        return Some(Tails { lower, upper, deviation: if deviation == 0 { 1.0 } else { both } });
    }
    let steps = u128::from(rows) * u128::from(rarer);
    if steps.saturating_mul(nearer + 1) > MAX_STEPS || arrangements(rows, rarer) > MAX_ARRANGEMENTS {
        return None;
    }
    Some(if arrangements(rows, rarer) < SHORT_INTEGERS {
        tied_tails::<u64>(counts, twice_u)
    } else if arrangements(rows, rarer) < INTEGERS {
        tied_tails::<u128>(counts, twice_u)
    } else {
        tied_tails::<f64>(counts, twice_u)
    })
}

/// The tails of groups with ties, with the choices counted in a sufficiently large type.
fn tied_tails<W: Ways>(counts: &[Count], twice_u: u128) -> Tails {
    let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
    let pairs = u128::from(n_pos) * u128::from(n_neg);
    let rarer = n_pos.min(n_neg);
    let sizes: Vec<u64> = counts.iter().map(|count| count.rows()).collect();
    let reversed: Vec<u64> = sizes.iter().rev().copied().collect();
    // Rows may be chosen from either class and counted from either end. One direction gives twice U, and the
    // other gives the difference of twice U from its maximum.
    let (winning, losing) = if n_pos <= n_neg { (&reversed, &sizes) } else { (&sizes, &reversed) };
    let nearer = (pairs - twice_u.abs_diff(pairs)) as usize;
    let (below, low) = tail::<W>(winning, rarer as usize, nearer);
    let (above, high) = tail::<W>(losing, rarer as usize, nearer);
    let all = W::all(n_pos + n_neg, rarer);
    let [low_share, not_above, both] = W::shares(above, low, high, all);
    let [high_share, not_below, _] = W::shares(below, high, low, all);
    match twice_u.cmp(&pairs) {
        Ordering::Less => Tails { lower: low_share, upper: not_below, deviation: both },
        Ordering::Equal => Tails { lower: low_share, upper: high_share, deviation: 1.0 },
        Ordering::Greater => Tails { lower: not_above, upper: high_share, deviation: both },
    }
}

/// A type in which choices are counted.
trait Ways: Copy + Default + From<u8> + AddAssign + Add<Output = Self> + Mul<Output = Self> + Sum {
    /// With `self` ways to choose `j - 1` of `size` rows, the ways to choose `j`.
    fn one_more(self, size: u64, j: u64) -> Self;

    /// The number of ways to choose `subset` of `rows` rows.
    fn all(rows: u64, subset: u64) -> Self {
        (1..=subset).fold(Self::from(1), |ways, j| ways.one_more(rows, j))
    }

    /// The probabilities of the near tail, of the complement of `beyond`, and of both tails.
    fn shares(beyond: Self, near: Self, opposite: Self, all: Self) -> [f64; 3];
}

/// Integers, with one rounding for each share.
macro_rules! exact_ways {
    ($($integer:ty)*) => {$(
        impl Ways for $integer {
            fn one_more(self, size: u64, j: u64) -> Self {
                // self (size + 1 - j) / j is an integer, but the product may overflow: divide in two parts.
                let (left, j) = (<$integer>::from(size + 1 - j), <$integer>::from(j));
                self / j * left + self % j * left / j
            }

            fn shares(beyond: Self, near: Self, opposite: Self, all: Self) -> [f64; 3] {
                [near, all - beyond, near + opposite].map(|part| math::quotient(part.into(), all.into()))
            }
        }
    )*};
}
exact_ways!(u64 u128);

/// Floats, for numbers of choices beyond integers.
impl Ways for f64 {
    fn one_more(self, size: u64, j: u64) -> Self {
        self * ((size + 1 - j) as f64 / j as f64)
    }

    fn all(rows: u64, subset: u64) -> Self {
        arrangements(rows, subset)
    }

    fn shares(beyond: Self, near: Self, opposite: Self, all: Self) -> [f64; 3] {
        [near / all, 1.0 - beyond / all, near / all + opposite / all]
    }
}

/// The number of ways to choose `subset` of `rows` rows, rounded.
fn arrangements(rows: u64, subset: u64) -> f64 {
    (0..subset).map(|k| (rows - k) as f64 / (k + 1) as f64).product()
}

/// The smallest U of two classes without ties whose lower tail is at least `tail`, for a tail of at most one
/// half. The classes may have at most 126 rows in total.
pub fn untied_quantile(m: usize, n: usize, tail: f64) -> u64 {
    let counts = untied_counts(m.max(n), m.min(n), m * n / 2);
    let all = u128::all((m + n) as u64, m.min(n) as u64);
    let mut sum = 0;
    let below = counts.iter().take_while(|&&count| {
        sum += count;
        math::quotient(sum, all) < tail
    });
    below.count() as u64
}

/// For each U up to `max`, the number of choices of n among m + n untied rows with this U.
fn untied_counts(m: usize, n: usize, max: usize) -> Vec<u128> {
    // counts[u] becomes the coefficient of q^u in the product over i of (1 - q^(m + i)) / (1 - q^i). All
    // final values are below 2^127, so intermediate wrap-around cancels.
    let mut counts = vec![0u128; max + 1];
    counts[0] = 1;
    for i in 1..=n {
        interrupt::check();
        for u in (m + i..=max).rev() {
            counts[u] = counts[u].wrapping_sub(counts[u - m - i]);
        }
        for u in i..=max {
            counts[u] = counts[u].wrapping_add(counts[u - i]);
        }
    }
    counts
}

/// Over the choices of `subset` rows from ties of these sizes, a sum counts the other rows. Rows in earlier
/// ties count twice, and rows in the same tie once. Returns how often it is below `max`, and how often at
/// most `max`.
fn tail<W: Ways>(sizes: &[u64], subset: usize, max: usize) -> (W, W) {
    // ways[p][s]: choices of p rows so far with the sum s; tops[p] is the largest such s so far.
    let mut ways = vec![vec![W::default(); max + 1]; subset + 1];
    let mut tops = vec![None; subset + 1];
    (ways[0][0], tops[0]) = (W::from(1), Some(0));
    let mut before = 0;
    for &size in sizes {
        interrupt::check();
        let size = size as usize;
        for p in (1..=subset).rev() {
            let mut choices = W::from(1);
            for j in 1..=size.min(p) {
                choices = choices.one_more(size as u64, j as u64);
                let earlier = p - j;
                let Some(top) = tops[earlier] else { continue };
                let added = j * (2 * (before - earlier) + size - j);
                if added > max {
                    continue;
                }
                let top = (top + added).min(max);
                tops[p] = tops[p].max(Some(top));
                let (lower, upper) = ways.split_at_mut(p);
                for (sum, &ways) in upper[0][added..=top].iter_mut().zip(&lower[earlier]) {
                    *sum += choices * ways;
                }
            }
        }
        before += size;
    }
    let below = ways[subset][..max].iter().copied().sum();
    (below, below + ways[subset][max])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition: every choice of positives.
    fn by_enumeration(ties: &[(u64, u64)], twice_u: u128) -> Tails {
        let codes: Vec<usize> =
            ties.iter().enumerate().flat_map(|(code, tie)| vec![code; (tie.0 + tie.1) as usize]).collect();
        let n_pos = ties.iter().map(|tie| tie.0).sum::<u64>() as u32;
        let pairs = u128::from(n_pos) * (codes.len() as u128 - u128::from(n_pos));
        let (mut all, mut lower, mut upper, mut far) = (0u128, 0u128, 0u128, 0u128);
        for subset in 0u32..1 << codes.len() {
            if subset.count_ones() != n_pos {
                continue;
            }
            let mut got = 0u128;
            for (a, &pos) in codes.iter().enumerate().filter(|row| subset >> row.0 & 1 == 1) {
                for (_, &neg) in codes.iter().enumerate().filter(|row| row.0 != a && subset >> row.0 & 1 == 0)
                {
                    got += u128::from(pos < neg) + u128::from(pos <= neg);
                }
            }
            all += 1;
            lower += u128::from(got <= twice_u);
            upper += u128::from(got >= twice_u);
            far += u128::from(got.abs_diff(pairs) >= twice_u.abs_diff(pairs));
        }
        let share = |part| math::quotient(part, all);
        Tails { lower: share(lower), upper: share(upper), deviation: share(far) }
    }

    fn counts_of(ties: &[(u64, u64)]) -> Vec<Count> {
        ties.iter().map(|&(pos, neg)| Count { pos, neg }).collect()
    }

    fn twice_u(ties: &[(u64, u64)]) -> u128 {
        crate::ranking::ties::counts::twice_u(&counts_of(ties))
    }

    proptest! {
        #[test]
        fn every_choice(ties in proptest::collection::vec((0u64..3, 0u64..3), 1..6), untied in any::<bool>()) {
            let ties: Vec<(u64, u64)> = if untied {
                ties.iter().enumerate().map(|(i, tie)| if (i as u64 + tie.0).is_multiple_of(2) { (1, 0) } else { (0, 1) }).collect()
            } else {
                ties.into_iter().filter(|tie| tie.0 + tie.1 > 0).collect()
            };
            prop_assume!(ties.iter().any(|tie| tie.0 > 0) && ties.iter().any(|tie| tie.1 > 0));
            let got = tails(&counts_of(&ties), twice_u(&ties)).unwrap();
            let expected = by_enumeration(&ties, twice_u(&ties));
            prop_assert_eq!(got, expected);
            // The types for more choices; floats round each step.
            prop_assert_eq!(tied_tails::<u64>(&counts_of(&ties), twice_u(&ties)), expected);
            prop_assert_eq!(tied_tails::<u128>(&counts_of(&ties), twice_u(&ties)), expected);
            let floats = tied_tails::<f64>(&counts_of(&ties), twice_u(&ties));
            prop_assert!((floats.lower - expected.lower).abs() < 1e-12, "{floats:?} {expected:?}");
            prop_assert!((floats.upper - expected.upper).abs() < 1e-12, "{floats:?} {expected:?}");
            prop_assert!((floats.deviation - expected.deviation).abs() < 1e-12, "{floats:?} {expected:?}");
        }
    }

    /// 1, 2, 3 against 1.5, 2.5: 6 of 10 choices have at most this U, and by symmetry 6 have at least it. All
    /// other groups of so few rows without ties are checked as well.
    #[test]
    fn three_against_two_is_six_tenths() {
        let ties = [(1, 0), (0, 1), (1, 0), (0, 1), (1, 0)];
        let sixth = Tails { lower: 0.6, upper: 0.6, deviation: 1.0 };
        assert_eq!(tails(&counts_of(&ties), twice_u(&ties)), Some(sixth));
        for rows in 2..9 {
            for positives in 1..(1u32 << rows) - 1 {
                let ties: Vec<(u64, u64)> =
                    (0..rows).map(|row| if positives >> row & 1 == 1 { (1, 0) } else { (0, 1) }).collect();
                let expected = by_enumeration(&ties, twice_u(&ties));
                assert_eq!(tails(&counts_of(&ties), twice_u(&ties)), Some(expected), "{ties:?}");
            }
        }
    }

    #[test]
    fn no_number_of_choices_overflows() {
        // Up to 126 rows there are always fewer than 2^126 choices, but not fewer than 2^126 / 64.
        let mut pascal = vec![1u128];
        for rows in 1..=126u64 {
            pascal = (0..=rows as usize)
                .map(|k| pascal.get(k).unwrap_or(&0) + if k > 0 { pascal[k - 1] } else { 0 })
                .collect();
            for (subset, &ways) in pascal.iter().enumerate() {
                assert_eq!(u128::all(rows, subset as u64), ways);
            }
        }
        let counts = untied_counts(63, 63, 63 * 63);
        assert_eq!(counts.iter().sum::<u128>(), u128::all(126, 63));
        // Positives and negatives alternate. scipy.stats.mannwhitneyu(range(0, 126, 2), range(1, 126, 2),
        // method="exact")
        let ties: Vec<(u64, u64)> = (0..126).map(|row| if row % 2 == 0 { (0, 1) } else { (1, 0) }).collect();
        let got = tails(&counts_of(&ties), twice_u(&ties)).unwrap();
        assert!((got.deviation / 0.880199207926453 - 1.0).abs() < 1e-12, "{got:?}");
    }

    #[test]
    fn both_algorithms_agree() {
        // 60 untied rows, alternating with a drift.
        let ties: Vec<(u64, u64)> =
            (0..60).map(|i| if (i * 7) % 11 < 6 - i / 20 { (1, 0) } else { (0, 1) }).collect();
        let n_pos: u64 = ties.iter().map(|tie| tie.0).sum();
        let observed = twice_u(&ties);
        let got = tails(&counts_of(&ties), observed).unwrap();
        let rarer = n_pos.min(60 - n_pos) as usize;
        assert!(rarer > 10 && got.deviation < 0.9, "{rarer} {got:?}");
        let max = observed.min(2 * u128::from(n_pos * (60 - n_pos)) - observed) as usize;
        let (_, counted) = tail::<u128>(&[1; 60], rarer, max);
        assert_eq!(math::quotient(2 * counted, u128::all(60, rarer as u64)), got.deviation);
        // Floats round each step.
        let (_, rounded) = tail::<f64>(&[1; 60], rarer, max);
        assert!((2.0 * rounded / arrangements(60, rarer as u64) / got.deviation - 1.0).abs() < 1e-12);
    }

    #[test]
    fn none_if_too_slow() {
        let many: Vec<(u64, u64)> = (0..4000).map(|i| if i % 2 == 0 { (1, 0) } else { (0, 1) }).collect();
        assert_eq!(tails(&counts_of(&many), twice_u(&many)), None);
        // One positive among many is quick.
        let mut single = vec![(0, 2); 500];
        single.insert(3, (1, 0));
        let got = tails(&counts_of(&single), twice_u(&single)).unwrap();
        assert!((got.upper - 7.0 / 1001.0).abs() < 1e-15, "{got:?}");
    }
}
