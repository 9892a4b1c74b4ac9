//! The areas of all weighted rows except a light key's, from sums over all rows.
//!
//! Without a key, a row of influence `i` has the influence `a i + b`. Here `a` is the total weight of the
//! other class divided by its weight without the key. `b` is constant between two scores of the key. Prefix
//! sums of squared weights, and of these times `i`, therefore give all terms between two scores of the key.
//! Only the scores of the key are visited.
//!
//! If the remainder of the sums is small, they are too inaccurate, and [`WeightedKeys`](super::WeightedKeys)
//! iterates over all scores. It does the same for heavy keys, for which `a` and `b` are large.

use super::weighted_key::{
    WeightedArea, WeightedKey, WeightedTie, exact_share, float_share, influence, twice_beaten,
};
use crate::interrupt;
use crate::math::{quotient, sum::Sum};
use crate::ranking::ties::Count;

/// A key is light if its share of either class is at most 1 / `LIGHT`; then `a` is at most 8/7. At most 14
/// keys are not light.
const LIGHT: u64 = 8;

/// A variance is accurate enough if it is at least this share of its value for influences of 1. The error of
/// each sum is some `2^-53` of that value.
const ENOUGH: f64 = 1.0 / (1 << 17) as f64;

/// Whether a key is light relative to all rows.
pub(super) fn is_light(key: &WeightedKey, all: Count) -> bool {
    let segment = key.total().units;
    segment.pos <= all.pos / LIGHT && segment.neg <= all.neg / LIGHT
}

/// Sums over all rows.
pub(super) struct AllRows<'a> {
    all: &'a WeightedKey,
    total: WeightedTie,
    twice_u: u128,
    auc: f64,
    /// The result of [`twice_beaten`] for each tie.
    twice_beaten: Vec<Count>,
    /// The sums above each tie, and last the total.
    before: Vec<Sums>,
    /// Sum of squared weights times squared influences.
    squares: Count<f64>,
}

/// For either class the sum of squared weights, and of squared weights times influences.
#[derive(Clone, Copy, Default)]
struct Sums {
    weights: Count<f64>,
    influences: Count<f64>,
}

/// The running sums.
#[derive(Default)]
struct RunningSums {
    weights: Count<Sum>,
    influences: Count<Sum>,
}

impl RunningSums {
    fn total(&self) -> Sums {
        let total = |sums: &Count<Sum>| Count { pos: sums.pos.total(), neg: sums.neg.total() };
        Sums { weights: total(&self.weights), influences: total(&self.influences) }
    }
}

impl<'a> AllRows<'a> {
    /// `None` without positives or negatives.
    pub fn new(all: &'a WeightedKey) -> Option<Self> {
        let total = all.total();
        let pairs = u128::from(total.units.pos) * u128::from(total.units.neg);
        if pairs == 0 {
            return None;
        }
        let twice_beaten: Vec<Count> = twice_beaten(all).map(|(_, beaten)| beaten).collect();
        let twice_of_pos = all.ties.iter().zip(&twice_beaten);
        let twice_u =
            twice_of_pos.map(|(tie, beaten)| u128::from(tie.units.pos) * u128::from(beaten.pos)).sum();
        let auc = quotient(twice_u, 2 * pairs);
        let mut before = Vec::with_capacity(all.ties.len() + 1);
        let (mut sums, mut squares) = (RunningSums::default(), Count::<Sum>::default());
        for (tie, &beaten) in all.ties.iter().zip(&twice_beaten) {
            let influence = influence(beaten, total.units, auc, exact_share);
            before.push(sums.total());
            sums.weights.pos.add(tie.squared.pos);
            sums.weights.neg.add(tie.squared.neg);
            sums.influences.pos.add(tie.squared.pos * influence.pos);
            sums.influences.neg.add(tie.squared.neg * influence.neg);
            squares.pos.add(tie.squared.pos * influence.pos * influence.pos);
            squares.neg.add(tie.squared.neg * influence.neg * influence.neg);
        }
        before.push(sums.total());
        let squares = Count { pos: squares.pos.total(), neg: squares.neg.total() };
        Some(AllRows { all, total, twice_u, auc, twice_beaten, before, squares })
    }

    /// The area of all rows except a light key's; `None` if the sums are too inaccurate for its variance.
    pub fn without(&self, key: &WeightedKey) -> Option<WeightedArea> {
        interrupt::check();
        let indices = key.ties.iter().map(|tie| self.all.ties.partition_point(|all| all.code > tie.code));
        let indices: Vec<usize> = indices.collect();
        let segment = key.total();
        let rest = self.total.without(segment);
        let mut lost = 0u128;
        for ((tie, beaten_in_key), &index) in twice_beaten(key).zip(&indices) {
            // Pairs of two rows of the key are subtracted once.
            let beaten_in_all = self.twice_beaten[index];
            lost += u128::from(tie.units.pos) * u128::from(beaten_in_all.pos);
            lost += u128::from(tie.units.neg) * u128::from(beaten_in_all.neg - beaten_in_key.neg);
        }
        let auc = quotient(self.twice_u - lost, 2 * u128::from(rest.units.pos) * u128::from(rest.units.neg));
        let variance = if self.all.knows_squares_without(key, rest) {
            Some(self.variance_without(key, &indices, [segment.units, rest.units], auc)?)
        } else {
            None
        };
        Some(WeightedArea { auc, variance, ties: self.all.ties.len() })
    }

    /// The variance of that area; `indices` are the indices of the key's ties among all.
    fn variance_without(
        &self,
        key: &WeightedKey,
        indices: &[usize],
        [segment, rest]: [Count; 2],
        auc: f64,
    ) -> Option<f64> {
        let all = self.total.units;
        let times = Count { pos: float_share(all.neg, rest.neg), neg: float_share(all.pos, rest.pos) };
        let mut sums = Count::<Sum>::default();
        sums.pos.add(times.pos * times.pos * self.squares.pos);
        sums.neg.add(times.neg * times.neg * self.squares.neg);
        let mut between = |from: Sums, to: Sums, above: Count| {
            let part = |sum: &mut Sum, times: f64, added: f64, weights: f64, influences: f64| {
                sum.add(added * (2.0 * times * influences + added * weights));
            };
            let added = times.pos * self.auc - float_share(segment.neg - above.neg, rest.neg) - auc;
            let (weights, influences) =
                (to.weights.pos - from.weights.pos, to.influences.pos - from.influences.pos);
            part(&mut sums.pos, times.pos, added, weights, influences);
            let added = times.neg * self.auc - float_share(above.pos, rest.pos) - auc;
            let (weights, influences) =
                (to.weights.neg - from.weights.neg, to.influences.neg - from.influences.neg);
            part(&mut sums.neg, times.neg, added, weights, influences);
        };
        let (mut from, mut above) = (Sums::default(), Count::<u64>::default());
        for (tie, &index) in key.ties.iter().zip(indices) {
            between(from, self.before[index], above);
            above = above.plus(tie.units);
            from = self.before[index + 1];
        }
        let end = self.before[self.all.ties.len()];
        between(from, end, above);
        // Replaces the terms of the key's ties.
        for ((tie, beaten_in_key), &index) in twice_beaten(key).zip(indices) {
            let (tie_of_all, beaten_in_all) = (self.all.ties[index], self.twice_beaten[index]);
            let in_all = influence(beaten_in_all, all, self.auc, exact_share);
            let beaten_in_rest = Count {
                pos: beaten_in_all.pos - beaten_in_key.pos,
                neg: beaten_in_all.neg - beaten_in_key.neg,
            };
            let in_rest = influence(beaten_in_rest, rest, auc, float_share);
            let squared = self.all.tie_without(&tie_of_all, &tie).squared;
            sums.pos.add(-(times.pos * times.pos * (tie_of_all.squared.pos * in_all.pos * in_all.pos)));
            sums.pos.add(squared.pos * in_rest.pos * in_rest.pos);
            sums.neg.add(-(times.neg * times.neg * (tie_of_all.squared.neg * in_all.neg * in_all.neg)));
            sums.neg.add(squared.neg * in_rest.neg * in_rest.neg);
        }
        let (sums, max) = (Count { pos: sums.pos.total(), neg: sums.neg.total() }, end.weights);
        let is_enough = sums.pos >= ENOUGH * max.pos && sums.neg >= ENOUGH * max.neg;
        is_enough.then(|| sums.pos / (rest.pos as f64).powi(2) + sums.neg / (rest.neg as f64).powi(2))
    }
}
