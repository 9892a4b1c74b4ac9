//! The area under the ROC curve of weighted rows: for each key, for all rows, and for all rows except a
//! key's.
//!
//! All keys share one unit of weights, so the ties of all rows except a key's are exact differences.

use super::by_cluster::counts_by_weight;
use super::weighted_areas::{units_of_classes, units_of_rows};
use super::weighted_key::{SquareUnit, WeightedArea, WeightedKey, WeightedTie, exact_share, influences};
use super::weighted_rests::{AllRows, is_light};
use super::wilson_scale::WeightTotals;
use crate::interrupt;
use crate::math::quotient;
use crate::ranking::tasks;
use crate::ranking::ties::{Count, units::Units};
use crate::states::{State, weight_sums::WeightSums, weighted::CommonUnits};
use crate::statistics::rows::Rows;

/// The rows of each key.
#[derive(Clone, Debug)]
pub struct WeightedKeys {
    /// The rows of each key.
    pub keys: Vec<WeightedKey>,
    all: WeightedKey,
}

/// The rows that are ranked together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// The rows of each key.
    Keys,
    /// The rows of each key, and all rows.
    KeysAndAll,
}

impl WeightedKeys {
    /// The rows of each key, if they have weights. With [`Together::Keys`] there is no
    /// [`overall`](Self::overall) and no comparison with it.
    pub fn from_rows_or_states(rows: &Rows, score: usize, together: Together) -> Option<Self> {
        match &rows.weighted {
            Some(states) => Some(Self::from_states(states)),
            None => rows.weights.as_ref().map(|_| Self::new(rows, score, together)),
        }
    }

    /// The area of each key's rows, if they have weights; undefined without positives or negatives.
    pub fn areas_of_rows_or_states(rows: &Rows, score: usize) -> Option<Vec<Option<f64>>> {
        if let Some(states) = &rows.weighted {
            let keys = Self::from_states(states).keys;
            return Some(keys.iter().map(|key| key.area().map(|area| area.auc)).collect());
        }
        rows.weights.as_ref()?;
        let members = members(rows, score, &units_of_rows(rows));
        Some(tasks::par_map_owned(members, |members| area(&in_order(members))))
    }

    /// The power of two between the units of both classes: a unit of positives is `2^shift` units of
    /// negatives.
    pub fn shift_of_positives(rows: &Rows) -> i32 {
        let Count { pos, neg } = match &rows.weighted {
            Some(states) => CommonUnits::new(states).exponents(),
            None => {
                let Units { pos, neg, .. } = units_of_classes(rows);
                Count { pos: pos.exponent(), neg: neg.exponent() }
            }
        };
        neg - pos
    }

    /// Sorts weighted rows by one score, key by key.
    fn new(rows: &Rows, score: usize, together: Together) -> Self {
        let units = units_of_rows(rows);
        let key = |members| {
            let members = in_order(members);
            WeightedKey::from_rows(members.chunk_by(|a, b| a.0 == b.0).count(), members.into_iter().rev())
        };
        let keys = tasks::par_map_owned(members(rows, score, &units), key);
        let all = match together {
            Together::Keys => WeightedKey::new(SquareUnit::Rows),
            Together::KeysAndAll => {
                let score = &rows.scores[score];
                let in_order = score.in_order(|row| row as u32).into_iter().rev();
                WeightedKey::from_rows(
                    score.distinct,
                    in_order.map(|(code, row)| (code, rows.labels[row as usize], units[row as usize])),
                )
            }
        };
        WeightedKeys { keys, all }
    }

    /// The stored rows of each key, by codes.
    fn from_states(states: &[State<WeightSums>]) -> Self {
        let units = CommonUnits::new(states);
        let unit = SquareUnit::States(units);
        let mut ties: Vec<WeightedTie> = Vec::new();
        let mut all = WeightedKey::new(unit);
        let key = |state: &State<WeightSums>| {
            let mut key = WeightedKey::new(unit);
            key.rows = Count { pos: state.rows.n_pos, neg: state.rows.n_neg };
            all.rows = all.rows.plus(key.rows);
            for (bin, &sums) in state.bins.each().iter().enumerate() {
                let code = state.bins.key(bin) as u32;
                let squares = Count { pos: sums.pos.squares, neg: sums.neg.squares };
                let tie = WeightedTie { units: units.units(sums), squares, ..WeightedTie::none(code) };
                ties.extend((ties.len() as u32..=code).map(WeightedTie::none));
                let every = &mut ties[code as usize];
                *every = every.plus(tie);
                // A bin may be so light that it has no units. It is then missing among all ties too.
                if tie.units != Count::default() {
                    key.ties.push(tie);
                }
            }
            key
        };
        let mut keys: Vec<WeightedKey> = states.iter().map(key).collect();
        all.ties = ties.into_iter().rev().filter(|tie| tie.units != Count::default()).collect();
        keys.iter_mut().chain([&mut all]).for_each(WeightedKey::square);
        WeightedKeys { keys, all }
    }

    /// For each key its share of the weight of a class, times the number of rows of the class. With equal
    /// weights these are its rows.
    pub fn counts_by_weight(&self) -> Vec<Count<f64>> {
        let rows = self.keys.iter().map(|key| key.rows).collect();
        counts_by_weight(rows, tasks::par_map_items(&self.keys, WeightedKey::units))
    }

    /// The weights of all rows.
    pub fn weights(&self) -> WeightTotals {
        self.all.weights()
    }

    /// The area of all rows.
    pub fn overall(&self) -> Option<WeightedArea> {
        self.all.area()
    }

    /// For each key, the area of all rows except its rows. `O(n log n)` for n rows, plus `O(n)` for each key
    /// of many rows or with a rest of almost no variance.
    pub fn without_each(&self) -> Vec<Option<WeightedArea>> {
        let total = self.all.total();
        let is_light = |key: &WeightedKey| is_light(key, total.units);
        let all = if self.keys.iter().any(is_light) { AllRows::new(&self.all) } else { None };
        let without = |key: &WeightedKey| match &all {
            Some(all) if is_light(key) => all.without(key).or_else(|| self.all.area_without(key)),
            _ => self.all.area_without(key),
        };
        tasks::par_map_items(&self.keys, without)
    }

    /// For each key, the covariance of its area with the area of all rows; undefined if the key's variance
    /// is.
    pub fn covariances_with_all(&self) -> Vec<Option<f64>> {
        let Some(overall) = self.overall() else { return vec![None; self.keys.len()] };
        let total = self.all.total().units;
        let influences = influences(self.all.ties.iter().copied(), total, overall.auc, exact_share);
        let all_influences: Vec<Count<f64>> = influences.map(|(_, influence)| influence).collect();
        tasks::par_map_items(&self.keys, |key| self.covariance_with_all(key, total, &all_influences))
    }

    fn covariance_with_all(
        &self,
        key: &WeightedKey,
        all: Count,
        all_influences: &[Count<f64>],
    ) -> Option<f64> {
        let area = key.area()?;
        area.variance?;
        let key_units = key.total().units;
        let (mut pos_part, mut neg_part) = (0.0, 0.0);
        for (tie, influence) in influences(key.ties.iter().copied(), key_units, area.auc, exact_share) {
            let in_all = all_influences[self.all.ties.partition_point(|all| all.code > tie.code)];
            pos_part += tie.squared.pos * influence.pos * in_all.pos;
            neg_part += tie.squared.neg * influence.neg * in_all.neg;
        }
        let part = |sum: f64, key_units: u64, all: u64| sum / (key_units as f64 * all as f64);
        Some(part(pos_part, key_units.pos, all.pos) + part(neg_part, key_units.neg, all.neg))
    }
}

/// A row of a key: its code, its label and its units.
type Member = (u32, bool, u64);

/// The rows of each key.
fn members(rows: &Rows, score: usize, units: &[u64]) -> Vec<Vec<Member>> {
    let number = rows.keys.histogram(|_| true);
    let mut members: Vec<Vec<Member>> =
        number.into_iter().map(|number| Vec::with_capacity(number as usize)).collect();
    let labelled_units = rows.scores[score].row_codes.iter().zip(&rows.labels).zip(units);
    for (&key, ((&code, &label), &units)) in rows.keys.row_codes.iter().zip(labelled_units) {
        members[key as usize].push((code, label, units));
    }
    members
}

/// The rows of a key, lowest score first.
fn in_order(mut members: Vec<Member>) -> Vec<Member> {
    interrupt::check();
    members.sort_unstable();
    members
}

/// The area of sorted rows; undefined without positives or negatives.
fn area(in_order: &[Member]) -> Option<f64> {
    let (mut below, mut twice_u) = (Count::<u64>::default(), 0u128);
    for tied in in_order.chunk_by(|a, b| a.0 == b.0) {
        let mut tie = Count::default();
        tied.iter().for_each(|&(_, label, units)| tie.add(label, units));
        twice_u += u128::from(tie.pos) * u128::from(2 * below.neg + tie.neg);
        below = below.plus(tie);
    }
    let Count { pos, neg } = below;
    (pos > 0 && neg > 0).then(|| quotient(twice_u, 2 * u128::from(pos) * u128::from(neg)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    /// Light and heavy keys with few and with many scores; a class may have no rows outside a key.
    #[test]
    fn equals_iteration_over_all_scores() {
        let mut light = 0;
        for (scores, spread) in [(7u32, 30u32), (7, 1), (1000, 30), (1000, 5)] {
            let mixed = |row: u32, by: u32| row.wrapping_mul(by) >> 16;
            let rows = 0..3000u32;
            let labels: Vec<u8> =
                rows.clone().map(|row| u8::from(mixed(row, 0x9E37_79B1) % 10 < 3)).collect();
            let score =
                |row: u32| mixed(row, 0x85EB_CA6B) % scores + scores / 5 * u32::from(labels[row as usize]);
            let keys: Vec<u32> = rows
                .clone()
                .map(|row| (mixed(row, 0xC2B2_AE35) % (spread * 4)) / spread.min(1 + row % 3))
                .collect();
            let weights = rows.clone().map(|row| f64::from(1 + mixed(row, 0x27D4_EB2F) % 50) / 7.0).collect();
            let scores: Vec<f64> = rows.map(|row| f64::from(score(row))).collect();
            let rows = Rows { weights: Some(weights), ..rows_of(&labels, &[&scores], &keys) };
            let keys = WeightedKeys::from_rows_or_states(&rows, 0, Together::KeysAndAll).unwrap();
            let total = keys.all.total().units;
            for (key, got) in keys.keys.iter().zip(keys.without_each()) {
                light += u32::from(is_light(key, total));
                let (got, expected) = (got.unwrap(), keys.all.area_without(key).unwrap());
                assert_eq!((got.auc, got.ties), (expected.auc, expected.ties));
                let (got, expected) = (got.variance.unwrap(), expected.variance.unwrap());
                assert!((got / expected - 1.0).abs() < 1e-12, "{got} {expected}");
            }
        }
        assert!(light > 100);
    }

    proptest! {
        /// Few rows, some without weight: all keys that are light.
        #[test]
        fn few_rows(rows in prop::collection::vec((any::<bool>(), 0u8..9, 0u8..4, 0u32..60), 40..200)) {
            let labels: Vec<u8> = rows.iter().map(|row| row.0.into()).collect();
            let scores: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
            let keys: Vec<u32> = rows.iter().map(|row| row.3).collect();
            let weights = rows.iter().map(|row| f64::from(row.2)).collect();
            let rows = Rows { weights: Some(weights), ..rows_of(&labels, &[&scores], &keys) };
            let keys = WeightedKeys::from_rows_or_states(&rows, 0, Together::KeysAndAll).unwrap();
            let alone = WeightedKeys::from_rows_or_states(&rows, 0, Together::Keys).unwrap();
            let areas: Vec<Option<f64>> = keys.keys.iter().map(|key| key.area().map(|area| area.auc)).collect();
            prop_assert_eq!(WeightedKeys::areas_of_rows_or_states(&rows, 0), Some(areas));
            prop_assert_eq!(alone.counts_by_weight(), keys.counts_by_weight());
            for (key, got) in keys.keys.iter().zip(keys.without_each()) {
                let expected = keys.all.area_without(key);
                prop_assert_eq!(got.map(|area| (area.auc, area.ties)), expected.map(|area| (area.auc, area.ties)));
                let variances = got.and_then(|area| area.variance).zip(expected.and_then(|area| area.variance));
                prop_assert_eq!(got.map(|area| area.variance.is_some()), expected.map(|area| area.variance.is_some()));
                if let Some((got, expected)) = variances {
                    prop_assert!((got - expected).abs() <= 1e-11 * expected, "{} {}", got, expected);
                }
            }
        }
    }

    /// One key ranks its rows in the wrong order, all others in the right order; without it there is no
    /// variance.
    #[test]
    fn zero_variance_without_a_key() {
        let rows = 0..400u32;
        let labels: Vec<u8> = rows.clone().map(|row| u8::from(row % 3 == 0)).collect();
        let keys: Vec<u32> = rows.clone().map(|row| row % 40).collect();
        let height = |row: u32| if row.is_multiple_of(40) { 10.0 } else { 0.0 };
        let scores: Vec<f64> = rows
            .clone()
            .map(|row| if row.is_multiple_of(3) { 9.0 - height(row) } else { height(row) })
            .collect();
        let weights = rows.map(|row| f64::from(1 + row % 7) / 3.0).collect();
        let rows = Rows { weights: Some(weights), ..rows_of(&labels, &[&scores], &keys) };
        let keys = WeightedKeys::from_rows_or_states(&rows, 0, Together::KeysAndAll).unwrap();
        let without = keys.without_each();
        assert!(is_light(&keys.keys[0], keys.all.total().units));
        assert_eq!(without[0].map(|area| (area.auc, area.variance)), Some((1.0, Some(0.0))));
        assert!(without[1].unwrap().variance.unwrap() > 0.0);
    }
}
