//! Weighted rows in order of a score: their area, its variance, and the influence of each row.
//!
//! The weights of a class are integers in one unit, and so are their squares, in squared units or in the
//! steps of a state. The ties of rows without a subset are therefore exact differences.

use super::wilson_scale::WeightTotals;
use crate::interrupt;
use crate::math::quotient;
use crate::ranking::ties::Count;
use crate::states::{weight_sums::Squares, weighted::CommonUnits};

/// The rows of one score.
#[derive(Clone, Copy, Debug)]
pub struct WeightedTie {
    pub(super) code: u32,
    pub(super) units: Count,
    pub(super) squares: Count<Squares>,
    /// The squares in squared units; NaN if unknown.
    pub(super) squared: Count<f64>,
}

/// The unit of sums of squares.
#[derive(Clone, Copy, Debug)]
pub(super) enum SquareUnit {
    /// The square of the unit of weights.
    Rows,
    /// The steps of states, to which the square of each row was rounded.
    States(CommonUnits),
}

/// Weighted rows, highest score first.
#[derive(Clone, Debug)]
pub struct WeightedKey {
    pub(super) ties: Vec<WeightedTie>,
    unit: SquareUnit,
    /// Positives and negatives, independent of weights.
    pub rows: Count,
}

/// An area and its variance.
#[derive(Clone, Copy, Debug)]
pub struct WeightedArea {
    /// The area.
    pub auc: f64,
    /// Its variance; undefined with fewer than two rows of a class, or if squared weights are unknown.
    pub variance: Option<f64>,
    /// The number of ties.
    pub ties: usize,
}

impl WeightedTie {
    /// No rows so far.
    pub(super) fn none(code: u32) -> Self {
        WeightedTie {
            code,
            units: Count::default(),
            squares: Count::default(),
            squared: Count { pos: 0.0, neg: 0.0 },
        }
    }

    pub(super) fn plus(self, more: Self) -> Self {
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
    /// Sums of squares in squared units; NaN if unknown.
    fn squared(&self, squares: Count<Squares>) -> Count<f64> {
        let known = match self {
            SquareUnit::States(units) => units.squared(squares),
            SquareUnit::Rows => {
                let class_squares = |squares: Squares| squares.known().map(|squares| squares as f64);
                class_squares(squares.pos)
                    .zip(class_squares(squares.neg))
                    .map(|(pos, neg)| Count { pos, neg })
            }
        };
        known.unwrap_or(Count { pos: f64::NAN, neg: f64::NAN })
    }

    /// Whether these squares suffice for a standard error: there are two rows of either class, and the
    /// squares are accurate enough.
    fn are_known(&self, rows: Count, squares: Count<Squares>) -> bool {
        let is_known = |rows: u64, squares: Squares| {
            rows > 1
                && match self {
                    SquareUnit::Rows => squares.known().is_some(),
                    SquareUnit::States(_) => squares.are_known_of(rows),
                }
        };
        is_known(rows.pos, squares.pos) && is_known(rows.neg, squares.neg)
    }
}

impl WeightedKey {
    /// No rows so far.
    pub(super) fn new(unit: SquareUnit) -> Self {
        WeightedKey { ties: Vec::new(), unit, rows: Count::default() }
    }

    /// From the code, the label and the units of rows, highest code first; `distinct` is the number of codes.
    pub(super) fn from_rows(distinct: usize, rows: impl Iterator<Item = (u32, bool, u64)>) -> Self {
        let mut key = WeightedKey::new(SquareUnit::Rows);
        key.ties.reserve_exact(distinct);
        rows.for_each(|(code, positive, units)| key.add(code, positive, units));
        key.square();
        key
    }

    /// Adds a row whose score is not above the existing ones.
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

    /// Computes the squares of all ties in squared units.
    pub(super) fn square(&mut self) {
        let unit = self.unit;
        self.ties.iter_mut().for_each(|tie| tie.squared = unit.squared(tie.squares));
    }

    /// The sum of all ties.
    pub(super) fn total(&self) -> WeightedTie {
        self.ties.iter().fold(WeightedTie::none(0), |total, &tie| total.plus(tie))
    }

    /// The total weight of either class, in its units.
    pub fn units(&self) -> Count {
        self.total().units
    }

    /// The sums of weights and of their squares, in units of either class; NaN if squares are unknown.
    pub fn weights(&self) -> WeightTotals {
        let total = self.total();
        let sums = Count { pos: total.units.pos as f64, neg: total.units.neg as f64 };
        WeightTotals { sums, squares: self.unit.squared(total.squares) }
    }

    /// The ties of these rows except a key's, which must be among them.
    fn ties_without(&self, key: &WeightedKey) -> impl Iterator<Item = WeightedTie> + Clone {
        let mut key_ties = key.ties.iter().peekable();
        let rest = move |tie: &WeightedTie| match key_ties.next_if(|key_ties| key_ties.code == tie.code) {
            None => *tie,
            Some(key_ties) => self.tie_without(tie, key_ties),
        };
        self.ties.iter().map(rest)
    }

    /// A tie without some of its rows.
    pub(super) fn tie_without(&self, tie: &WeightedTie, part: &WeightedTie) -> WeightedTie {
        let rest = tie.without(*part);
        WeightedTie { squared: self.unit.squared(rest.squares), ..rest }
    }

    /// Whether the squares of these rows except a key's suffice for a standard error; `rest` is their total.
    pub(super) fn knows_squares_without(&self, key: &WeightedKey, rest: WeightedTie) -> bool {
        let rows = Count { pos: self.rows.pos - key.rows.pos, neg: self.rows.neg - key.rows.neg };
        self.unit.are_known(rows, rest.squares)
    }

    /// The area of these rows except a key's, by iteration over all scores.
    pub(super) fn area_without(&self, key: &WeightedKey) -> Option<WeightedArea> {
        let rest = self.total().without(key.total());
        let is_known = self.knows_squares_without(key, rest);
        // A float division for each score: the exact one takes ten times as long.
        area(self.ties_without(key), rest, is_known, float_share)
    }

    /// The area of these rows with the [infinitesimal jackknife](super::weighted_areas) variance; undefined
    /// without positives or negatives.
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

/// The area of ties whose total is `total`; `share` is the division. The variance is undefined if squares are
/// unknown.
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
        let (mut pos_part, mut neg_part) = (0.0, 0.0);
        for (tie, influence) in influences(ties.clone(), total.units, auc, share) {
            pos_part += tie.squared.pos * influence.pos * influence.pos;
            neg_part += tie.squared.neg * influence.neg * influence.neg;
        }
        pos_part / (pos as f64).powi(2) + neg_part / (neg as f64).powi(2)
    };
    Some(WeightedArea { auc, variance: is_known.then(variance), ties: number })
}

/// Each tie with the influence of its positives and of its negatives.
pub(super) fn influences(
    ties: impl Iterator<Item = WeightedTie>,
    total: Count,
    auc: f64,
    share: impl Fn(u64, u64) -> f64,
) -> impl Iterator<Item = (WeightedTie, Count<f64>)> {
    with_twice_beaten(ties, total).map(move |(tie, beaten)| (tie, influence(beaten, total, auc, &share)))
}

/// The share of negatives that the positives of a tie beat, and of positives that beat its negatives, minus
/// the area. It is the influence of a row with the total weight of its class.
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

/// Each tie of a key with twice the units that its positives beat, and twice the units that beat its
/// negatives, ties counting once.
pub(super) fn twice_beaten(key: &WeightedKey) -> impl Iterator<Item = (WeightedTie, Count)> {
    with_twice_beaten(key.ties.iter().copied(), key.total().units)
}

/// The same for ties whose total is `total`. Twice a total takes at most 64 bits.
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
