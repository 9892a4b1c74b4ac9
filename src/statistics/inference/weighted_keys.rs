//! The area under the ROC curve of each key's rows with weights, of all rows, and of all but a key's.
//!
//! The weights of a class are whole numbers of one unit for all keys, and their squares are whole numbers too, of squared
//! units or of the steps of a state. So the ties of all rows but a key's are exact differences.

use rayon::prelude::*;

use super::weighted_areas::units_of_rows;
use super::weighted_rests::{AllRows, is_light};
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
    pub(super) code: u32,
    pub(super) units: Count,
    pub(super) squares: Count<Squares>,
    /// The same in squared units; NaN where they are unknown.
    pub(super) squared: Count<f64>,
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
    pub(super) ties: Vec<WeightedTie>,
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
    pub(super) all: WeightedKey,
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
        Self::new(keys, all)
    }

    fn new(mut keys: Vec<WeightedKey>, mut all: WeightedKey) -> Self {
        keys.iter_mut().chain([&mut all]).for_each(WeightedKey::square);
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
                let tie = WeightedTie { units: units.units(sums), squares, ..WeightedTie::none(code) };
                of_codes.extend((of_codes.len() as u32..=code).map(WeightedTie::none));
                let every = &mut of_codes[code as usize];
                *every = every.plus(tie);
                // A bin may be so light that it has no units. Then it is not among all ties either.
                if tie.units != Count::default() {
                    key.ties.push(tie);
                }
            }
            key
        };
        let keys = states.iter().map(key).collect();
        all.ties = of_codes.into_iter().rev().filter(|tie| tie.units != Count::default()).collect();
        Self::new(keys, all)
    }

    /// The area of all rows.
    pub fn overall(&self) -> Option<WeightedArea> {
        self.all.area()
    }

    /// For each key, the area of all rows but its own. `O(n log n)` for n rows, and `O(n)` for each
    /// key of many rows or whose rest hardly varies.
    pub fn without_each(&self) -> Vec<Option<WeightedArea>> {
        let total = self.all.total();
        let is_light = |key: &WeightedKey| is_light(key, total.units);
        let all = if self.keys.iter().any(is_light) { AllRows::of(&self.all) } else { None };
        let without = |key: &WeightedKey| match &all {
            Some(all) if is_light(key) => all.without(key).or_else(|| self.without(key)),
            _ => self.without(key),
        };
        self.keys.par_iter().map(without).collect()
    }

    /// The area of all rows but those of a key, by all scores.
    pub(super) fn without(&self, key: &WeightedKey) -> Option<WeightedArea> {
        let total = self.all.total().without(key.total());
        let is_known = self.all.knows_squares_without(key, total);
        // A division of floats for each score: the exact one takes ten times as long.
        area(self.all.ties_without(key), total, is_known, float_share)
    }

    /// For each key, the covariance of its area and that of all rows; undefined where the key's variance is.
    pub fn covariances_with_all(&self) -> Vec<Option<f64>> {
        let Some(overall) = self.overall() else { return vec![None; self.keys.len()] };
        let total = self.all.total().units;
        let influences = influences(self.all.ties.iter().copied(), total, overall.auc, exact_share);
        let of_all: Vec<Count<f64>> = influences.map(|(_, influence)| influence).collect();
        self.keys.par_iter().map(|key| self.covariance_with_all(key, total, &of_all)).collect()
    }

    fn covariance_with_all(&self, key: &WeightedKey, all: Count, of_all: &[Count<f64>]) -> Option<f64> {
        let area = key.area()?;
        area.variance?;
        let own = key.total().units;
        let (mut of_pos, mut of_neg) = (0.0, 0.0);
        for (tie, influence) in influences(key.ties.iter().copied(), own, area.auc, exact_share) {
            let in_all = of_all[self.all.ties.partition_point(|all| all.code > tie.code)];
            of_pos += tie.squared.pos * influence.pos * in_all.pos;
            of_neg += tie.squared.neg * influence.neg * in_all.neg;
        }
        let part = |sum: f64, own: u64, all: u64| sum / (own as f64 * all as f64);
        Some(part(of_pos, own.pos, all.pos) + part(of_neg, own.neg, all.neg))
    }
}

impl WeightedTie {
    /// No rows yet.
    fn none(code: u32) -> Self {
        WeightedTie {
            code,
            units: Count::default(),
            squares: Count::default(),
            squared: Count { pos: 0.0, neg: 0.0 },
        }
    }

    fn plus(self, more: Self) -> Self {
        WeightedTie { units: self.units.plus(more.units), squares: self.squares.plus(more.squares), ..self }
    }

    pub(super) fn without(self, part: Self) -> Self {
        let units = Count { pos: self.units.pos - part.units.pos, neg: self.units.neg - part.units.neg };
        let squares = Count {
            pos: self.squares.pos.without(part.squares.pos),
            neg: self.squares.neg.without(part.squares.neg),
        };
        WeightedTie { units, squares, ..self }
    }
}

impl SquareUnit {
    /// Sums of squares in squared units; NaN where they are unknown.
    fn squared(&self, squares: Count<Squares>) -> Count<f64> {
        let known = match self {
            SquareUnit::OfStates(units) => units.squared(squares),
            SquareUnit::OfRows => {
                let of_class = |squares: Squares| squares.known().map(|squares| squares as f64);
                of_class(squares.pos).zip(of_class(squares.neg)).map(|(pos, neg)| Count { pos, neg })
            }
        };
        known.unwrap_or(Count { pos: f64::NAN, neg: f64::NAN })
    }

    /// Whether a standard error may rest on the squares of so many rows: there are two of either class, and they are known so
    /// well.
    fn are_known(&self, rows: Count, squares: Count<Squares>) -> bool {
        let of_class = |rows: u64, squares: Squares| {
            rows > 1
                && match self {
                    SquareUnit::OfRows => squares.known().is_some(),
                    SquareUnit::OfStates(_) => squares.are_known_of(rows),
                }
        };
        of_class(rows.pos, squares.pos) && of_class(rows.neg, squares.neg)
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

    /// Knows the squares of all ties in squared units.
    fn square(&mut self) {
        let unit = self.unit;
        self.ties.iter_mut().for_each(|tie| tie.squared = unit.squared(tie.squares));
    }

    /// All ties together.
    pub(super) fn total(&self) -> WeightedTie {
        self.ties.iter().fold(WeightedTie::none(0), |total, &tie| total.plus(tie))
    }

    /// The ties of these rows but those of a key, all of which are here.
    fn ties_without(&self, key: &WeightedKey) -> impl Iterator<Item = WeightedTie> + Clone {
        let mut own = key.ties.iter().peekable();
        let rest = move |tie: &WeightedTie| match own.next_if(|own| own.code == tie.code) {
            None => *tie,
            Some(own) => self.tie_without(tie, own),
        };
        self.ties.iter().map(rest)
    }

    /// A tie without some of its rows.
    pub(super) fn tie_without(&self, tie: &WeightedTie, part: &WeightedTie) -> WeightedTie {
        let rest = tie.without(*part);
        WeightedTie { squared: self.unit.squared(rest.squares), ..rest }
    }

    /// Whether a standard error may rest on these rows but those of a key, which are `rest` together.
    pub(super) fn knows_squares_without(&self, key: &WeightedKey, rest: WeightedTie) -> bool {
        let rows = Count { pos: self.rows.pos - key.rows.pos, neg: self.rows.neg - key.rows.neg };
        self.unit.are_known(rows, rest.squares)
    }

    /// The area of these rows with the variance of the [infinitesimal jackknife](super::weighted_areas); undefined without a
    /// positive or without a negative.
    pub fn area(&self) -> Option<WeightedArea> {
        let total = self.total();
        let is_known = self.unit.are_known(self.rows, total.squares);
        area(self.ties.iter().copied(), total, is_known, exact_share)
    }
}

/// The correctly rounded quotient.
pub(super) fn exact_share(part: u64, whole: u64) -> f64 {
    quotient(part.into(), whole.into())
}

/// The quotient of two rounded numbers.
pub(super) fn float_share(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// The area of ties that are `total` together; `share` divides. The variance is undefined if their squares are not known.
fn area(
    ties: impl Iterator<Item = WeightedTie> + Clone,
    total: WeightedTie,
    is_known: bool,
    share: impl Fn(u64, u64) -> f64,
) -> Option<WeightedArea> {
    interrupt::check();
    let Count { pos, neg } = total.units;
    if pos == 0 || neg == 0 {
        return None;
    }
    let (mut above, mut number, mut twice_u) = (0u64, 0, 0u128);
    for tie in ties.clone() {
        // Twice the positives above each negative.
        twice_u += u128::from(tie.units.neg) * u128::from(2 * above + tie.units.pos);
        above += tie.units.pos;
        number += 1;
    }
    let auc = quotient(twice_u, 2 * u128::from(pos) * u128::from(neg));
    let variance = || {
        let (mut of_pos, mut of_neg) = (0.0, 0.0);
        for (tie, influence) in influences(ties.clone(), total.units, auc, share) {
            of_pos += tie.squared.pos * influence.pos * influence.pos;
            of_neg += tie.squared.neg * influence.neg * influence.neg;
        }
        of_pos / (pos as f64).powi(2) + of_neg / (neg as f64).powi(2)
    };
    Some(WeightedArea { auc, variance: is_known.then(variance), ties: number })
}

/// Each tie with the influence of its positives and of its negatives.
fn influences(
    ties: impl Iterator<Item = WeightedTie>,
    total: Count,
    auc: f64,
    share: impl Fn(u64, u64) -> f64,
) -> impl Iterator<Item = (WeightedTie, Count<f64>)> {
    with_twice_beaten(ties, total).map(move |(tie, beaten)| (tie, influence(beaten, total, auc, &share)))
}

/// The share of negatives that the positives of a tie beat and that of positives that beat its negatives, less the area: the
/// influence of a row whose weight is that of its class.
pub(super) fn influence(
    twice_beaten: Count,
    total: Count,
    auc: f64,
    share: impl Fn(u64, u64) -> f64,
) -> Count<f64> {
    Count {
        pos: share(twice_beaten.pos, 2 * total.neg) - auc,
        neg: share(twice_beaten.neg, 2 * total.pos) - auc,
    }
}

/// Each tie of a key with twice the units that its positives beat and twice those that beat its negatives, ties counting once.
pub(super) fn twice_beaten(key: &WeightedKey) -> impl Iterator<Item = (WeightedTie, Count)> {
    with_twice_beaten(key.ties.iter().copied(), key.total().units)
}

/// The same of ties that are `total` together. Twice a total takes at most 64 bits.
fn with_twice_beaten(
    ties: impl Iterator<Item = WeightedTie>,
    total: Count,
) -> impl Iterator<Item = (WeightedTie, Count)> {
    let mut above = Count::<u64>::default();
    ties.map(move |tie| {
        let next = above.plus(tie.units);
        let beaten = Count { pos: 2 * total.neg - above.neg - next.neg, neg: above.pos + next.pos };
        above = next;
        (tie, beaten)
    })
}
