//! The exact null distribution of the Mann-Whitney U, given the ties.
//!
//! Under the null hypothesis every choice of P of the n rows as positives is equally likely. Without ties
//! the number of choices that give U is a coefficient of the Gaussian binomial (n choose P) (Mann and Whitney
//! 1947), counted here in integers. With ties the choices are counted tie by tie with what each adds to twice
//! U: the shift algorithm (Streitberg and Röhmel 1986) on placements instead of ranks. Only the tail that is
//! needed is kept in memory, so memory is at most the size of the rarer class times that tail.

use crate::math;
use crate::ranking::Count;

/// The most steps that are taken: the product of rows, rarer class and tail. So many steps take some seconds.
const MOST_STEPS: u128 = 1 << 31;

/// The largest number of arrangements: sums of more would leave the range of floats.
const MOST_ARRANGEMENTS: f64 = 1e290;

/// Tails of twice U at the value observed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tails {
    /// The probability of no more than observed.
    pub lower: f64,
    /// The probability of no less than observed.
    pub upper: f64,
    /// The probability of being at least as far from the expectation as observed.
    pub deviation: f64,
}

/// The tails at `twice_u` of groups with these counts, the highest score first; `None` if counting them takes too long.
pub fn tails(counts: &[Count], twice_u: u128) -> Option<Tails> {
    let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
    let pairs = u128::from(n_pos) * u128::from(n_neg);
    let rarer = n_pos.min(n_neg);
    let rows = n_pos + n_neg;
    // The expectation of twice U is the number of pairs; the nearer tail begins here.
    let deviation = twice_u.abs_diff(pairs);
    let nearer = pairs - deviation;
    let untied = counts.iter().all(|count| count.rows() == 1);
    if untied && arrangements(rows, rarer) < 2f64.powi(126) {
        if nearer.saturating_mul(rarer.into()) > MOST_STEPS {
            return None;
        }
        // The distribution is symmetric, so one tail gives both.
        let (near, at) = untied_tail(n_pos.max(n_neg) as usize, rarer as usize, nearer as usize / 2);
        let far = 1.0 - near + at;
        let (lower, upper) = if twice_u <= pairs { (near, far) } else { (far, near) };
        return Some(Tails { lower, upper, deviation: if deviation == 0 { 1.0 } else { 2.0 * near } });
    }
    let steps = u128::from(rows) * u128::from(rarer);
    if steps.saturating_mul(nearer + 1) > MOST_STEPS || arrangements(rows, rarer) > MOST_ARRANGEMENTS {
        return None;
    }
    let sizes: Vec<u64> = counts.iter().map(|count| count.rows()).collect();
    let reversed: Vec<u64> = sizes.iter().rev().copied().collect();
    // Rows may be chosen from either class and counted from either end. One direction gives twice U, and the other
    // gives the difference of twice U from its maximum.
    let (winning, losing) = if n_pos <= n_neg { (&reversed, &sizes) } else { (&sizes, &reversed) };
    let at_most = |most: u128| tail(winning, rarer as usize, most as usize);
    let at_least = |least: u128| tail(losing, rarer as usize, (2 * pairs - least) as usize);
    if deviation == 0 {
        let lower = at_most(twice_u);
        let upper = at_least(twice_u);
        return Some(Tails { lower, upper, deviation: 1.0 });
    }
    let (low, high) = (at_most(nearer), at_least(2 * pairs - nearer));
    let (lower, upper) = if twice_u < pairs {
        (low, 1.0 - if twice_u == 0 { 0.0 } else { at_most(twice_u - 1) })
    } else {
        (1.0 - if twice_u == 2 * pairs { 0.0 } else { at_least(twice_u + 1) }, high)
    };
    Some(Tails { lower, upper, deviation: low + high })
}

/// The number of ways to choose `chosen` of `rows`, rounded.
fn arrangements(rows: u64, chosen: u64) -> f64 {
    (0..chosen).map(|k| (rows - k) as f64 / (k + 1) as f64).product()
}

/// The probabilities that U without ties is at most `most`, and that it is exactly that.
fn untied_tail(m: usize, n: usize, most: usize) -> (f64, f64) {
    let counts = untied_counts(m, n, most);
    let all = choices(m + n, n);
    (math::quotient(counts.iter().sum(), all), math::quotient(counts[most], all))
}

/// The least U of two classes without ties whose lower tail is at least `tail`, for a tail of no more than one half.
/// The classes may have no more than 126 rows together.
pub fn untied_quantile(m: usize, n: usize, tail: f64) -> u64 {
    let counts = untied_counts(m.max(n), m.min(n), m * n / 2);
    let all = choices(m + n, m.min(n));
    let mut sum = 0;
    let below = counts.iter().take_while(|&&count| {
        sum += count;
        math::quotient(sum, all) < tail
    });
    below.count() as u64
}

/// The number of ways to choose, which must be below 2^127.
fn choices(rows: usize, chosen: usize) -> u128 {
    (0..chosen as u128).fold(1u128, |ways, k| ways * (rows as u128 - k) / (k + 1))
}

/// For each U up to `most`, how many choices of n among m + n rows without ties give it.
fn untied_counts(m: usize, n: usize, most: usize) -> Vec<u128> {
    // counts[u] becomes the coefficient of q^u in the product over i of (1 - q^(m + i)) / (1 - q^i). All are
    // below 2^127, so what wraps around on the way wraps back.
    let mut counts = vec![0u128; most + 1];
    counts[0] = 1;
    for i in 1..=n {
        for u in (m + i..=most).rev() {
            counts[u] = counts[u].wrapping_sub(counts[u - m - i]);
        }
        for u in i..=most {
            counts[u] = counts[u].wrapping_add(counts[u - i]);
        }
    }
    counts
}

/// The probability that the sum over `chosen` rows, drawn from ties of these sizes, of twice the rows of
/// the others in earlier ties and once those in the same tie, is at most `most`.
fn tail(sizes: &[u64], chosen: usize, most: usize) -> f64 {
    // ways[p][s]: choices of p rows so far with the sum s, of which the highest so far is tops[p].
    let mut ways = vec![vec![0.0f64; most + 1]; chosen + 1];
    let mut tops = vec![None; chosen + 1];
    (ways[0][0], tops[0]) = (1.0, Some(0));
    let mut before = 0;
    for &size in sizes {
        let size = size as usize;
        for p in (1..=chosen).rev() {
            let mut choices = 1.0;
            for j in 1..=size.min(p) {
                choices *= (size + 1 - j) as f64 / j as f64;
                let earlier = p - j;
                let Some(top) = tops[earlier] else { continue };
                let added = j * (2 * (before - earlier) + size - j);
                if added > most {
                    continue;
                }
                let top = (top + added).min(most);
                tops[p] = tops[p].max(Some(top));
                let (lower, upper) = ways.split_at_mut(p);
                for (sum, ways) in upper[0][added..=top].iter_mut().zip(&lower[earlier]) {
                    *sum += choices * ways;
                }
            }
        }
        before += size;
    }
    ways[chosen].iter().sum::<f64>() / arrangements(before as u64, chosen as u64)
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
        let (mut all, mut lower, mut upper, mut far) = (0.0, 0.0, 0.0, 0.0);
        for chosen in 0u32..1 << codes.len() {
            if chosen.count_ones() != n_pos {
                continue;
            }
            let mut got = 0u128;
            for (a, &pos) in codes.iter().enumerate().filter(|row| chosen >> row.0 & 1 == 1) {
                for (_, &neg) in codes.iter().enumerate().filter(|row| row.0 != a && chosen >> row.0 & 1 == 0)
                {
                    got += u128::from(pos < neg) + u128::from(pos <= neg);
                }
            }
            all += 1.0;
            lower += f64::from(u8::from(got <= twice_u));
            upper += f64::from(u8::from(got >= twice_u));
            far += f64::from(u8::from(got.abs_diff(pairs) >= twice_u.abs_diff(pairs)));
        }
        Tails { lower: lower / all, upper: upper / all, deviation: far / all }
    }

    fn counted(ties: &[(u64, u64)]) -> Vec<Count> {
        ties.iter().map(|&(pos, neg)| Count { pos, neg }).collect()
    }

    fn twice_u(ties: &[(u64, u64)]) -> u128 {
        crate::ranking::counts::twice_u(&counted(ties))
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
            let got = tails(&counted(&ties), twice_u(&ties)).unwrap();
            let expected = by_enumeration(&ties, twice_u(&ties));
            prop_assert!((got.lower - expected.lower).abs() < 1e-12, "{got:?} {expected:?}");
            prop_assert!((got.upper - expected.upper).abs() < 1e-12, "{got:?} {expected:?}");
            prop_assert!((got.deviation - expected.deviation).abs() < 1e-12, "{got:?} {expected:?}");
        }
    }

    #[test]
    fn both_ways_of_counting_agree() {
        // 60 rows without ties, alternating with a drift.
        let ties: Vec<(u64, u64)> =
            (0..60).map(|i| if (i * 7) % 11 < 6 - i / 20 { (1, 0) } else { (0, 1) }).collect();
        let n_pos: u64 = ties.iter().map(|tie| tie.0).sum();
        let observed = twice_u(&ties);
        let got = tails(&counted(&ties), observed).unwrap();
        let rarer = n_pos.min(60 - n_pos) as usize;
        assert!(rarer > 10 && got.deviation < 0.9, "{rarer} {got:?}");
        let most = observed.min(2 * u128::from(n_pos * (60 - n_pos)) - observed) as usize;
        let counted = tail(&[1; 60], rarer, most);
        assert!((2.0 * counted / got.deviation - 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_takes_too_long_is_left() {
        let many: Vec<(u64, u64)> = (0..4000).map(|i| if i % 2 == 0 { (1, 0) } else { (0, 1) }).collect();
        assert_eq!(tails(&counted(&many), twice_u(&many)), None);
        // One positive among many is quick.
        let mut lone = vec![(0, 2); 500];
        lone.insert(3, (1, 0));
        let got = tails(&counted(&lone), twice_u(&lone)).unwrap();
        assert!((got.upper - 7.0 / 1001.0).abs() < 1e-15, "{got:?}");
    }
}
