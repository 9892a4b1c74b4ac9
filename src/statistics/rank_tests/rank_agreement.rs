//! The agreement between the orders of rows by two columns.

use crate::interrupt;
use crate::math;
use crate::math::normal::upper_tail;
use crate::ranking::rows::Codes;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Alternative, NullDistribution};
use crate::statistics::kinds::{Inputs, Joint, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The numbers of pairs of rows that two columns order alike, oppositely, or tie, and the coefficients
/// derived from them.
///
/// Of all `n (n - 1) / 2` pairs, C are concordant, D discordant, X tied in x only, Y in y only, B in both.
/// Kendall (1938; 1945): `tau_a = (C - D) / (n (n - 1) / 2)` and
/// `tau_b = (C - D) / sqrt((C + D + X) (C + D + Y))`. Somers (1962): `(C - D) / (C + D + Y)` of y given x and
/// `(C - D) / (C + D + X)` of x given y. Goodman and Kruskal (1954): `gamma = (C - D) / (C + D)`. Ling, Huang
/// and Zhang (2003): the degree of consistency `C / (C + D)`, and the degree of discriminancy of x over y
/// `Y / X`. The latter is the ratio of pairs that only x separates to pairs that only y separates. Stuart
/// (1953): `tau_c = 2 m (C - D) / (n² (m - 1))`, where m is the smaller number of distinct values. Knight's
/// (1966) count: `O(n log n)`.
///
/// The p-value is from Kendall's test that all orders of y are equally likely. It uses the exact distribution
/// of the discordant pairs without ties, or the normal limit with the variance given the ties (Kendall 1970,
/// equation 4.4).
#[derive(Clone, Copy, Debug, Default)]
pub struct RankAgreement {
    /// The alternative; `greater` means positive association.
    pub alternative: Alternative,
    /// The method of the p-value.
    pub method: NullDistribution,
}

/// Below this number of untied rows the p-value is exact by default: R's rule.
const AUTO_ROWS: u64 = 50;

/// The maximum number of rows for an exact p-value. This takes 0.46 s, and the time grows with the cube of
/// the number of rows.
const MAX_ROWS: u64 = 1500;

record! {
    /// The agreement of one group.
    pub struct RankAgreementRecord {
        /// The number of untied pairs in the same order in both columns.
        pub concordant: u64,
        /// The number of untied pairs in opposite orders.
        pub discordant: u64,
        /// The number of pairs tied in x only.
        pub tied_x: u64,
        /// The number of pairs tied in y only.
        pub tied_y: u64,
        /// The number of pairs tied in both.
        pub tied_both: u64,
        /// Kendall's tau-a; null with no pairs.
        pub tau_a: Option<f64>,
        /// Kendall's tau-b; null if all pairs tie in x or in y.
        pub tau_b: Option<f64>,
        /// Stuart's tau-c, which can reach 1 even if x and y have different numbers of values.
        pub tau_c: Option<f64>,
        /// Somers' D of y given x; 0 if only y is constant, null if x is constant. scipy's `somersd` gives NaN in
        /// both cases.
        pub somers_yx: Option<f64>,
        /// Somers' D of x given y; null if all pairs tie in y.
        pub somers_xy: Option<f64>,
        /// Goodman and Kruskal's gamma.
        pub gamma: Option<f64>,
        /// Ling's degree of consistency: the share of concordant pairs among the concordant and discordant pairs.
        pub consistency: Option<f64>,
        /// Ling's degree of discriminancy: `tied_y / tied_x`.
        pub discriminancy: Option<f64>,
        /// `concordant - discordant`, divided by its standard deviation under independence of x and y.
        pub z: Option<f64>,
        /// The p-value of Kendall's test; null where `z` is null, and where an exact p-value cannot be computed.
        pub p_value: Option<f64>,
        /// The method of the p-value, `"exact"` or `"asymptotic"`; null where the p-value is null.
        pub method: Option<&'static str>,
        /// The number of rows used.
        pub n: u64,
    }
}

from_options!(|options| RankAgreement {
    alternative: options.word("alternative")?,
    method: options.word("method")?
});

impl Joint for RankAgreement {
    type Record = RankAgreementRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2)).without_label();

    fn evaluate(&self, rows: &Rows) -> RankAgreementRecord {
        let n = rows.len as u64;
        let (x, y) = (&rows.scores[0], &rows.scores[1]);
        let pairs = |rows: u64| rows * rows.saturating_sub(1) / 2;
        let (ties_x, ties_y) = (TieSums::new(x), TieSums::new(y));
        let (in_x, in_y) = (ties_x.pairs, ties_y.pairs);
        let both = x.in_order(|row| y.row_codes[row]);
        let tied_both: u64 = both.chunk_by(|a, b| a == b).map(|tie| pairs(tie.len() as u64)).sum();
        let discordant = inversions(both.into_iter().map(|row| row.1).collect());
        let (tied_x, tied_y) = (in_x - tied_both, in_y - tied_both);
        let all = pairs(n);
        let concordant = all - discordant - tied_x - tied_y - tied_both;
        let surplus = i128::from(concordant) - i128::from(discordant);
        let ordered = concordant + discordant;
        let share = |total: u64| (total > 0).then(|| math::signed_quotient(surplus, total.into()));
        let (apart_in_x, apart_in_y) = (ordered + tied_y, ordered + tied_x);
        let tau_b = (apart_in_x > 0 && apart_in_y > 0)
            .then(|| surplus as f64 / ((apart_in_x as f64).sqrt() * (apart_in_y as f64).sqrt()));
        let fewest = ties_x.values.min(ties_y.values);
        let tau_c = (fewest > 1).then(|| {
            let (m, n) = (u128::from(fewest), u128::from(n));
            math::signed_quotient(2 * m as i128 * surplus, n * n * (m - 1))
        });
        let z = (fewest > 1).then(|| surplus as f64 / variance(n, &ties_x, &ties_y).sqrt());
        let (p_value, method) = z.map_or((None, None), |z| self.p_value(z, n, discordant, in_x + in_y));
        RankAgreementRecord::new(
            concordant,
            discordant,
            tied_x,
            tied_y,
            tied_both,
            share(all),
            tau_b.map(|tau| tau.clamp(-1.0, 1.0)),
            tau_c,
            share(apart_in_x),
            share(apart_in_y),
            share(ordered),
            (ordered > 0).then(|| math::quotient(concordant.into(), ordered.into())),
            (tied_x > 0).then(|| math::quotient(tied_y.into(), tied_x.into())),
            z,
            p_value,
            method,
            n,
        )
    }

    fn nan_record(&self, rows: &Rows) -> RankAgreementRecord {
        RankAgreementRecord { n: rows.len as u64, ..RankAgreementRecord::nan(rows) }
    }
}

impl RankAgreement {
    fn p_value(&self, z: f64, n: u64, discordant: u64, tied: u64) -> (Option<f64>, Option<&'static str>) {
        let countable = tied == 0 && n <= MAX_ROWS;
        match self.method {
            NullDistribution::Exact if !countable => (None, None),
            NullDistribution::Asymptotic => {
                (Some(self.alternative.p_value(z, upper_tail)), Some("asymptotic"))
            }
            NullDistribution::Auto if !countable || n >= AUTO_ROWS => {
                (Some(self.alternative.p_value(z, upper_tail)), Some("asymptotic"))
            }
            _ => {
                let max = n * (n - 1) / 2;
                let p_value = match self.alternative {
                    Alternative::Greater => at_most(discordant, n),
                    Alternative::Less => at_most(max - discordant, n),
                    Alternative::TwoSided => (2.0 * at_most(discordant.min(max - discordant), n)).min(1.0),
                };
                (Some(p_value), Some("exact"))
            }
        }
    }
}

/// Sums over the ties of one column, for the variance.
struct TieSums {
    /// Distinct values.
    values: u64,
    /// `sum t (t - 1) / 2` over ties of t rows.
    pairs: u64,
    /// `sum t (t - 1) (t - 2)`.
    triples: f64,
    /// `sum t (t - 1) (2 t + 5)`.
    spread: f64,
}

impl TieSums {
    fn new(codes: &Codes) -> Self {
        let none = TieSums { values: codes.distinct as u64, pairs: 0, triples: 0.0, spread: 0.0 };
        let histogram = codes.histogram(|_| true);
        histogram.into_iter().filter(|&rows| rows > 1).fold(none, |sums, rows| {
            let (pairs, t) = (u64::from(rows) * u64::from(rows - 1) / 2, f64::from(rows));
            TieSums {
                pairs: sums.pairs + pairs,
                triples: sums.triples + t * (t - 1.0) * (t - 2.0),
                spread: sums.spread + t * (t - 1.0) * (2.0 * t + 5.0),
                ..sums
            }
        })
    }
}

/// The variance of `C - D` if all orders are equally likely, given the ties.
fn variance(n: u64, x: &TieSums, y: &TieSums) -> f64 {
    let n = n as f64;
    let ordered_pairs = n * (n - 1.0);
    let triples = if x.triples * y.triples > 0.0 {
        x.triples * y.triples / (9.0 * ordered_pairs * (n - 2.0))
    } else {
        0.0
    };
    (ordered_pairs * (2.0 * n + 5.0) - x.spread - y.spread) / 18.0
        + triples
        + 2.0 * x.pairs as f64 * y.pairs as f64 / ordered_pairs
}

/// The probability that `rows` items in random order have at most `max` inversions.
///
/// The k-th item is inserted before 0 to k - 1 of the previous items with equal probability. The distribution
/// for k items is therefore the mean of k shifted copies of the distribution for k - 1 (Kendall 1938).
fn at_most(max: u64, rows: u64) -> f64 {
    let all = rows * (rows - 1) / 2;
    if 2 * max > all {
        return if max < all { 1.0 - at_most(all - max - 1, rows) } else { 1.0 };
    }
    let max = max as usize;
    let mut chances = vec![0.0; max + 1];
    chances[0] = 1.0;
    let mut next = chances.clone();
    for k in 2..=rows as usize {
        let mut sum = 0.0;
        // This number of items has no more pairs; the probabilities beyond stay 0.
        let reach = max.min(k * (k - 1) / 2);
        for (pairs, next) in next[..=reach].iter_mut().enumerate() {
            sum += chances[pairs];
            if pairs >= k {
                sum -= chances[pairs - k];
            }
            *next = sum / k as f64;
        }
        std::mem::swap(&mut chances, &mut next);
    }
    chances.iter().sum()
}

/// The number of inversions, counted during a merge sort.
fn inversions(mut items: Vec<u32>) -> u64 {
    let mut merged = items.clone();
    let mut count = 0;
    let mut width = 1;
    while width < items.len() {
        for (from, into) in items.chunks(2 * width).zip(merged.chunks_mut(2 * width)) {
            interrupt::check();
            let (left, right) = from.split_at(width.min(from.len()));
            let (mut l, mut r) = (0, 0);
            for slot in into {
                if l < left.len() && (r == right.len() || left[l] <= right[r]) {
                    *slot = left[l];
                    l += 1;
                } else {
                    *slot = right[r];
                    r += 1;
                    count += (left.len() - l) as u64;
                }
            }
        }
        std::mem::swap(&mut items, &mut merged);
        width *= 2;
    }
    count
}

declaration! {
    /// The agreement of the orders of two columns: Kendall's tau with its test, Somers' D, gamma, consistency and
    /// discriminancy.
    ///
    /// Words: Kendall's tau, Somers' D, Goodman-Kruskal gamma, concordance of two scores, rank correlation, consistency and
    /// discriminancy.
    RankAgreement => RankAgreementRecord {
        /// Any numeric or Boolean columns, such as two scores, or two measures of the same things.
        x: column,
        y: column;
        /// With `"greater"`, the alternative is that both columns order rows alike.
        alternative = "two-sided",
        /// - `"exact"`: the exact distribution of the discordant pairs, in which every order of y is equally likely.
        ///   Null with ties, and with more than 1500 rows, because the time grows with the cube of the number of
        ///   rows.
        /// - `"asymptotic"`: the normal approximation, with a variance corrected for ties.
        /// - `"auto"`: exact without ties and with fewer than 50 rows (R's rule).
        method: word<NullDistribution> = "auto",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows_of_two(x: &[i8], y: &[i8]) -> Rows {
        Rows { len: x.len(), scores: vec![Codes::new(x), Codes::new(y)], ..Rows::default() }
    }

    fn compute(x: &[i8], y: &[i8]) -> RankAgreementRecord {
        RankAgreement::default().evaluate(&rows_of_two(x, y))
    }

    proptest! {
        #[test]
        fn every_pair(rows in proptest::collection::vec((-4i8..4, -4i8..4), 0..40)) {
            let (x, y): (Vec<i8>, Vec<i8>) = rows.iter().copied().unzip();
            let (mut concordant, mut discordant, mut tied_x, mut tied_y, mut both) = (0, 0, 0, 0, 0);
            for (i, a) in rows.iter().enumerate() {
                for b in &rows[..i] {
                    match (a.0.cmp(&b.0) as i8) * (a.1.cmp(&b.1) as i8) {
                        1 => concordant += 1,
                        -1 => discordant += 1,
                        _ if a == b => both += 1,
                        _ if a.0 == b.0 => tied_x += 1,
                        _ => tied_y += 1,
                    }
                }
            }
            let got = compute(&x, &y);
            prop_assert_eq!(
                (got.concordant, got.discordant, got.tied_x, got.tied_y, got.tied_both),
                (concordant, discordant, tied_x, tied_y, both)
            );
            let surplus = f64::from(concordant as i32 - discordant as i32);
            if concordant + discordant > 0 {
                let ordered = (concordant + discordant) as f64;
                prop_assert_eq!(got.gamma, Some(surplus / ordered));
                prop_assert_eq!(got.somers_yx, Some(surplus / (ordered + tied_y as f64)));
                prop_assert_eq!(got.somers_xy, Some(surplus / (ordered + tied_x as f64)));
                let tau_b = surplus / ((ordered + tied_x as f64) * (ordered + tied_y as f64)).sqrt();
                prop_assert!((got.tau_b.unwrap() - tau_b).abs() < 1e-15);
            }
        }
    }

    /// Calls `each` with every permutation of the items.
    fn orders(items: &mut Vec<i8>, from: usize, each: &mut impl FnMut(&[i8])) {
        if from + 1 >= items.len() {
            return each(items);
        }
        for index in from..items.len() {
            items.swap(from, index);
            orders(items, from + 1, each);
            items.swap(from, index);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn all_orders_are_equally_likely(x in proptest::collection::vec(-2i8..3, 2..7), y in proptest::collection::vec(-2i8..3, 7)) {
            let surplus = |record: &RankAgreementRecord| record.concordant as f64 - record.discordant as f64;
            let mut y = y[..x.len()].to_vec();
            let got = compute(&x, &y);
            let (mut squares, mut n_orders) = (0.0, 0.0);
            orders(&mut y, 0, &mut |y| {
                squares += surplus(&compute(&x, y)).powi(2);
                n_orders += 1.0;
            });
            match got.z {
                Some(z) => prop_assert!((z - surplus(&got) / f64::sqrt(squares / n_orders)).abs() < 1e-12),
                None => prop_assert_eq!(squares, 0.0),
            }
        }

        #[test]
        fn exact_p_values(rows in 2usize..7, seed in any::<u64>()) {
            let x: Vec<i8> = (0..rows as i8).collect();
            let mut y = x.clone();
            (1..rows).for_each(|row| y.swap(row, (seed >> row) as usize % (row + 1)));
            let discordant = compute(&x, &y).discordant;
            let (mut fewer, mut more, mut n_orders) = (0.0, 0.0, 0.0);
            orders(&mut y.clone(), 0, &mut |y| {
                let discordant_in_order = compute(&x, y).discordant;
                fewer += f64::from(u8::from(discordant_in_order <= discordant));
                more += f64::from(u8::from(discordant_in_order >= discordant));
                n_orders += 1.0;
            });
            for (alternative, expected) in [
                (Alternative::Greater, fewer / n_orders),
                (Alternative::Less, more / n_orders),
                (Alternative::TwoSided, (2.0 * f64::min(fewer, more) / n_orders).min(1.0)),
            ] {
                let statistic = RankAgreement { alternative, method: NullDistribution::Auto };
                let got = statistic.evaluate(&rows_of_two(&x, &y));
                prop_assert!((got.p_value.unwrap() - expected).abs() < 1e-14);
                prop_assert_eq!(got.method, Some("exact"));
            }
        }
    }

    #[test]
    fn exact_p_values_are_limited() {
        let exact = RankAgreement { method: NullDistribution::Exact, ..RankAgreement::default() };
        let tied = exact.evaluate(&rows_of_two(&[1, 1, 2], &[1, 2, 3]));
        assert_eq!((tied.p_value, tied.method, tied.z.is_some()), (None, None, true));
        assert_eq!(compute(&[1, 1, 2], &[1, 2, 3]).method, Some("asymptotic"));
    }

    #[test]
    fn without_pairs() {
        let record = compute(&[1], &[2]);
        assert_eq!((record.tau_a, record.tau_b, record.gamma, record.n), (None, None, None, 1));
        let tied = compute(&[1, 1], &[2, 3]);
        assert_eq!(
            (tied.tied_x, tied.tau_a, tied.somers_yx, tied.somers_xy),
            (1, Some(0.0), None, Some(0.0))
        );
        assert_eq!(tied.discriminancy, Some(0.0));
    }
}
