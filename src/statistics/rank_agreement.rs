//! How well the orders of rows by two columns agree.

use super::record::record;
use super::{Inputs, Joint};
use crate::math;
use crate::ranking::{Codes, Rows};

/// The pairs of rows that two columns order alike, order against each other, or leave tied, and what
/// follows from their numbers.
///
/// Of all `n (n - 1) / 2` pairs, C are concordant, D discordant, X tied in x only, Y in y only, B in both. Kendall's
/// `tau_a = (C - D) / (n (n - 1) / 2)` (1938) and `tau_b = (C - D) / sqrt((C + D + X) (C + D + Y))` (1945), Somers'
/// `(C - D) / (C + D + Y)` of y given x and `(C - D) / (C + D + X)` of x given y (1962), Goodman and Kruskal's
/// `gamma = (C - D) / (C + D)` (1954), and Ling, Huang and Zhang's (2003) degree of consistency `C / (C + D)` and
/// degree of discriminancy of x over y, `Y / X`: pairs that x tells apart and y does not, for each pair that y tells
/// apart and x does not. Knight's (1966) count: `O(n log n)`.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct RankAgreement {}

record! {
    /// The agreement of one group.
    pub struct RankAgreementRecord {
        /// Pairs that both order alike.
        pub concordant: u64,
        /// Pairs that both order, against each other.
        pub discordant: u64,
        /// Pairs that tie in x only.
        pub tied_x: u64,
        /// Pairs that tie in y only.
        pub tied_y: u64,
        /// Pairs that tie in both.
        pub tied_both: u64,
        /// Kendall's tau-a; null without a pair.
        pub tau_a: Option<f64>,
        /// Kendall's tau-b; null if all pairs tie in x or in y.
        pub tau_b: Option<f64>,
        /// Somers' D of y given x; null if all pairs tie in x.
        pub somers_yx: Option<f64>,
        /// Somers' D of x given y; null if all pairs tie in y.
        pub somers_xy: Option<f64>,
        /// Goodman and Kruskal's gamma; null if every pair ties.
        pub gamma: Option<f64>,
        /// Ling's degree of consistency; null if every pair ties.
        pub consistency: Option<f64>,
        /// Ling's degree of discriminancy of x over y; null if no pair ties in x only.
        pub discriminancy: Option<f64>,
        /// Rows that were used.
        pub n: u64,
    }
}

impl Joint for RankAgreement {
    type Record = RankAgreementRecord;

    const INPUTS: Inputs = Inputs::scores(Some(2)).without_label();

    fn of_rows(&self, rows: &Rows) -> RankAgreementRecord {
        let n = rows.len as u64;
        let (x, y) = (&rows.scores[0], &rows.scores[1]);
        let pairs = |rows: u64| rows * rows.saturating_sub(1) / 2;
        let tied = |codes: &Codes| -> u64 {
            codes.histogram(|_| true).into_iter().map(|count| pairs(count.into())).sum()
        };
        let (in_x, in_y) = (tied(x), tied(y));
        let mut both: Vec<(u32, u32)> = x.of_row.iter().copied().zip(y.of_row.iter().copied()).collect();
        both.sort_unstable();
        let tied_both: u64 = both.chunk_by(|a, b| a == b).map(|tie| pairs(tie.len() as u64)).sum();
        let discordant = inversions(both.into_iter().map(|row| row.1).collect());
        let (tied_x, tied_y) = (in_x - tied_both, in_y - tied_both);
        let all = pairs(n);
        let concordant = all - discordant - tied_x - tied_y - tied_both;
        let surplus = i128::from(concordant) - i128::from(discordant);
        let ordered = concordant + discordant;
        let share = |of: u64| (of > 0).then(|| math::signed_quotient(surplus, of.into()));
        let (apart_in_x, apart_in_y) = (ordered + tied_y, ordered + tied_x);
        let tau_b = (apart_in_x > 0 && apart_in_y > 0)
            .then(|| surplus as f64 / ((apart_in_x as f64).sqrt() * (apart_in_y as f64).sqrt()));
        RankAgreementRecord::new(
            concordant,
            discordant,
            tied_x,
            tied_y,
            tied_both,
            share(all),
            tau_b.map(|tau| tau.clamp(-1.0, 1.0)),
            share(apart_in_x),
            share(apart_in_y),
            share(ordered),
            (ordered > 0).then(|| math::quotient(concordant.into(), ordered.into())),
            (tied_x > 0).then(|| math::quotient(tied_y.into(), tied_x.into())),
            n,
        )
    }

    fn of_nan(&self, rows: &Rows) -> RankAgreementRecord {
        RankAgreementRecord { n: rows.len as u64, ..RankAgreementRecord::nan() }
    }
}

/// The number of pairs in which the earlier item is the larger, counted while merging.
fn inversions(mut items: Vec<u32>) -> u64 {
    let mut merged = items.clone();
    let mut count = 0;
    let mut width = 1;
    while width < items.len() {
        for (from, into) in items.chunks(2 * width).zip(merged.chunks_mut(2 * width)) {
            let (left, right) = from.split_at(width.min(from.len()));
            let (mut l, mut r) = (0, 0);
            for place in into {
                if l < left.len() && (r == right.len() || left[l] <= right[r]) {
                    *place = left[l];
                    l += 1;
                } else {
                    *place = right[r];
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(x: &[i8], y: &[i8]) -> RankAgreementRecord {
        RankAgreement {}.of_rows(&Rows {
            len: x.len(),
            scores: vec![Codes::of(x.iter().copied()), Codes::of(y.iter().copied())],
            ..Rows::default()
        })
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
            let got = of(&x, &y);
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

    #[test]
    fn without_pairs() {
        let record = of(&[1], &[2]);
        assert_eq!((record.tau_a, record.tau_b, record.gamma, record.n), (None, None, None, 1));
        let tied = of(&[1, 1], &[2, 3]);
        assert_eq!(
            (tied.tied_x, tied.tau_a, tied.somers_yx, tied.somers_xy),
            (1, Some(0.0), None, Some(0.0))
        );
        assert_eq!(tied.discriminancy, Some(0.0));
    }
}
