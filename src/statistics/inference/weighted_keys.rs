//! The area under the ROC curve of each key's rows with weights, of all rows, and of all but a key's.
//!
//! The weights of a class are whole numbers of one unit for all keys, and their squares are whole numbers too, of squared
//! units or of the steps of a state. So the ties of all rows but a key's are exact differences.

use std::borrow::Borrow;

use rayon::prelude::*;

use super::weighted_areas::units_of_rows;
use crate::interrupt;
use crate::math::quotient;
use crate::ranking::rows::Rows;
use crate::ranking::states::{
    State,
    weight_sums::{Squares, WeightSums},
    weighted::CommonUnits,
};
use crate::ranking::tasks;
use crate::ranking::ties::Count;

/// The rows that share a score.
#[derive(Clone, Copy, Debug)]
pub struct WeightedTie {
    code: u32,
    units: Count,
    squares: Count<Squares>,
}

/// What sums of squares are counted in.
#[derive(Clone, Copy, Debug)]
enum SquareUnit {
    /// The square of the unit of weights.
    OfRows,
    /// The steps of states, to which the square of each row was rounded.
    OfStates(CommonUnits),
}

/// Rows with weights, the highest score first.
#[derive(Clone, Debug)]
pub struct WeightedKey {
    ties: Vec<WeightedTie>,
    unit: SquareUnit,
    /// Positives and negatives, whatever they weigh.
    pub rows: Count,
}

/// An area and its variance.
#[derive(Clone, Copy, Debug)]
pub struct WeightedArea {
    /// The area.
    pub auc: f64,
    /// Its variance; undefined with fewer than two rows of a class, and where the squares of weights are unknown.
    pub variance: Option<f64>,
    /// How many scores it rests on.
    pub ties: usize,
}

/// The rows of each key.
#[derive(Clone, Debug)]
pub struct WeightedKeys {
    /// Those of each.
    pub keys: Vec<WeightedKey>,
    all: WeightedKey,
}

impl WeightedKeys {
    /// The rows of each key, if they have weights.
    pub fn of_rows_or_states(rows: &Rows, score: usize) -> Option<Self> {
        match &rows.weighted {
            Some(states) => Some(Self::of_states(states)),
            None => rows.weights.as_ref().map(|_| Self::of(rows, score)),
        }
    }

    /// Puts rows with weights in the order of one score, key by key.
    fn of(rows: &Rows, score: usize) -> Self {
        let units = units_of_rows(rows);
        let codes = &rows.scores[score].of_row;
        let mut order: Vec<u32> = (0..rows.len as u32).collect();
        // What is counted is the same for every order of equal scores.
        tasks::sort_by(&mut order, |&one, &other| codes[other as usize].cmp(&codes[one as usize]));
        let mut all = WeightedKey::new(SquareUnit::OfRows);
        let mut keys = vec![WeightedKey::new(SquareUnit::OfRows); rows.keys.distinct];
        for row in order.into_iter().map(|row| row as usize) {
            for key in [&mut all, &mut keys[rows.keys.of_row[row] as usize]] {
                key.add(codes[row], rows.labels[row], units[row]);
            }
        }
        WeightedKeys { keys, all }
    }

    /// The rows of each key that were counted earlier, by codes.
    fn of_states(states: &[State<WeightSums>]) -> Self {
        let units = CommonUnits::of(states);
        let unit = SquareUnit::OfStates(units);
        let mut of_codes: Vec<WeightedTie> = Vec::new();
        let mut all = WeightedKey::new(unit);
        let key = |state: &State<WeightSums>| {
            let mut key = WeightedKey::new(unit);
            key.rows = Count { pos: state.rows.n_pos, neg: state.rows.n_neg };
            all.rows = all.rows.plus(key.rows);
            for (bin, &sums) in state.bins.each().iter().enumerate() {
                let code = state.bins.key(bin) as u32;
                let squares = Count { pos: sums.pos.squares, neg: sums.neg.squares };
                let tie = WeightedTie { code, units: units.units(sums), squares };
                of_codes.extend((of_codes.len() as u32..=code).map(WeightedTie::none));
                let every = &mut of_codes[code as usize];
                *every = every.plus(tie);
                key.ties.push(tie);
            }
            key
        };
        let keys = states.iter().map(key).collect();
        all.ties = of_codes.into_iter().rev().filter(|tie| tie.units != Count::default()).collect();
        WeightedKeys { keys, all }
    }

    /// The area of all rows.
    pub fn overall(&self) -> Option<WeightedArea> {
        self.all.area()
    }

    /// For each key, the area of all rows but its own. `O(k n)` for k keys and n distinct scores.
    pub fn without_each(&self) -> Vec<Option<WeightedArea>> {
        // A division of floats for each score and key: the exact one takes ten times as long.
        let share = |part: u128, whole: u128| part as f64 / whole as f64;
        let without = |key: &WeightedKey| {
            let rows = Count { pos: self.all.rows.pos - key.rows.pos, neg: self.all.rows.neg - key.rows.neg };
            area(self.all.ties_without(key), rows, self.all.unit, share)
        };
        self.keys.par_iter().map(without).collect()
    }

    /// For each key, the covariance of its area and that of all rows; undefined where the key's variance is.
    pub fn covariances_with_all(&self) -> Vec<Option<f64>> {
        let Some(overall) = self.overall() else { return vec![None; self.keys.len()] };
        let total = self.all.total();
        let influences: Vec<(f64, f64)> = influences(&self.all.ties, total, overall.auc, quotient).collect();
        self.keys.par_iter().map(|key| self.covariance_with_all(key, &influences)).collect()
    }

    fn covariance_with_all(&self, key: &WeightedKey, of_all: &[(f64, f64)]) -> Option<f64> {
        let area = key.area()?;
        area.variance?;
        let mut among_all = self.all.ties.iter().zip(of_all);
        let (mut of_pos, mut of_neg) = (0.0, 0.0);
        for (tie, influence) in key.ties.iter().zip(influences(&key.ties, key.total(), area.auc, quotient)) {
            let (_, in_all) = among_all.find(|(all, _)| all.code == tie.code)?;
            let squares = key.unit.squares(tie)?;
            of_pos += squares.pos * influence.0 * in_all.0;
            of_neg += squares.neg * influence.1 * in_all.1;
        }
        let (own, all) = (key.total(), self.all.total());
        let part = |sum: f64, own: u64, all: u64| sum / (own as f64 * all as f64);
        Some(part(of_pos, own.pos, all.pos) + part(of_neg, own.neg, all.neg))
    }
}

impl WeightedTie {
    /// No rows yet.
    fn none(code: u32) -> Self {
        WeightedTie { code, units: Count::default(), squares: Count::default() }
    }

    fn plus(self, more: Self) -> Self {
        WeightedTie { units: self.units.plus(more.units), squares: self.squares.plus(more.squares), ..self }
    }

    fn without(self, part: Self) -> Self {
        let units = Count { pos: self.units.pos - part.units.pos, neg: self.units.neg - part.units.neg };
        let squares = Count {
            pos: self.squares.pos.without(part.squares.pos),
            neg: self.squares.neg.without(part.squares.neg),
        };
        WeightedTie { units, squares, ..self }
    }
}

impl SquareUnit {
    /// The squared units of a tie, if they are known.
    fn squares(&self, tie: &WeightedTie) -> Option<Count<f64>> {
        match self {
            SquareUnit::OfStates(units) => units.squared(tie.squares),
            SquareUnit::OfRows => {
                let Count { pos, neg } = tie.squares;
                Some(Count { pos: pos.known()? as f64, neg: neg.known()? as f64 })
            }
        }
    }

    /// Whether the squares of so many rows are known so well that a standard error may rest on them.
    fn are_known(&self, rows: u64, squares: Squares) -> bool {
        match self {
            SquareUnit::OfRows => squares.known().is_some(),
            SquareUnit::OfStates(_) => squares.are_known_of(rows),
        }
    }
}

impl WeightedKey {
    /// No rows yet.
    fn new(unit: SquareUnit) -> Self {
        WeightedKey { ties: Vec::new(), unit, rows: Count::default() }
    }

    /// Adds a row whose score is not above those that are there.
    fn add(&mut self, code: u32, positive: bool, units: u64) {
        if self.ties.last().is_none_or(|tie| tie.code != code) {
            self.ties.push(WeightedTie::none(code));
        }
        self.rows.add(positive, 1);
        if let Some(tie) = self.ties.last_mut() {
            tie.units.add(positive, units);
            tie.squares.add(positive, Squares::new(u128::from(units).pow(2)));
        }
    }

    /// What all rows weigh.
    fn total(&self) -> Count {
        self.ties.iter().fold(Count::default(), |total, tie| total.plus(tie.units))
    }

    /// The ties of these rows but those of a key, all of which are here.
    fn ties_without(&self, key: &WeightedKey) -> impl Iterator<Item = WeightedTie> + Clone {
        let mut own = key.ties.iter().peekable();
        let rest = move |tie: &WeightedTie| match own.next_if(|own| own.code == tie.code) {
            None => Some(*tie),
            Some(own) => {
                let tie = tie.without(*own);
                (tie.units != Count::default()).then_some(tie)
            }
        };
        self.ties.iter().filter_map(rest)
    }

    /// The area of these rows with the variance of the [infinitesimal jackknife](super::weighted_areas); undefined without a
    /// positive or without a negative.
    pub fn area(&self) -> Option<WeightedArea> {
        area(self.ties.iter().copied(), self.rows, self.unit, quotient)
    }
}

/// The area of ties of so many rows; `share` divides.
fn area(
    ties: impl Iterator<Item = WeightedTie> + Clone,
    rows: Count,
    unit: SquareUnit,
    share: impl Fn(u128, u128) -> f64,
) -> Option<WeightedArea> {
    interrupt::check();
    let (mut all, mut number, mut twice_u) = (WeightedTie::none(0), 0, 0);
    for tie in ties.clone() {
        // Twice the positives above each negative; sums do not depend on what follows.
        let above = 2 * u128::from(all.units.pos) + u128::from(tie.units.pos);
        twice_u += u128::from(tie.units.neg) * above;
        all = all.plus(tie);
        number += 1;
    }
    let total = all.units;
    if total.pos == 0 || total.neg == 0 {
        return None;
    }
    let auc = quotient(twice_u, 2 * u128::from(total.pos) * u128::from(total.neg));
    let has_two = rows.pos > 1 && rows.neg > 1;
    let are_known = unit.are_known(rows.pos, all.squares.pos) && unit.are_known(rows.neg, all.squares.neg);
    let variance = || {
        let (mut of_pos, mut of_neg) = (0.0, 0.0);
        for (tie, influence) in ties.clone().zip(influences(ties.clone(), total, auc, &share)) {
            let squares = unit.squares(&tie)?;
            of_pos += squares.pos * influence.0 * influence.0;
            of_neg += squares.neg * influence.1 * influence.1;
        }
        Some(of_pos / (total.pos as f64).powi(2) + of_neg / (total.neg as f64).powi(2))
    };
    Some(WeightedArea { auc, variance: if has_two && are_known { variance() } else { None }, ties: number })
}

/// For each tie, the share of negatives that its positives beat and that of positives that beat its negatives, less the area:
/// the influence of a row whose weight is that of its class.
fn influences<T: Borrow<WeightedTie>>(
    ties: impl IntoIterator<Item = T>,
    total: Count,
    auc: f64,
    share: impl Fn(u128, u128) -> f64,
) -> impl Iterator<Item = (f64, f64)> {
    let (pos, neg) = (2 * u128::from(total.pos), 2 * u128::from(total.neg));
    let mut above = Count::default();
    ties.into_iter().map(move |tie| {
        let next = above.plus(tie.borrow().units);
        let of_pos = neg - u128::from(above.neg) - u128::from(next.neg);
        let of_neg = u128::from(above.pos) + u128::from(next.pos);
        above = next;
        (share(of_pos, neg) - auc, share(of_neg, pos) - auc)
    })
}
