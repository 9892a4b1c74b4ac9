//! The area under the ROC curve of each key's rows with weights, of all rows, and of all but a key's.
//!
//! The weights of a class are whole numbers of one unit for all keys, and their squares are whole numbers too, of squared
//! units or of the steps of a state. So the ties of all rows but a key's are exact differences.

use rayon::prelude::*;

use super::weighted_areas::units_of_rows;
use crate::interrupt;
use crate::math::quotient;
use crate::ranking::rows::Rows;
use crate::ranking::states::{
    State,
    weight_sums::{Squares, WeightSums},
    weighted::{CommonUnits, ROUNDED_PART},
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

/// An area, and what is needed for its covariances.
#[derive(Clone, Debug)]
pub struct WeightedArea {
    /// The area.
    pub auc: f64,
    /// Its variance; undefined with fewer than two rows of a class, and where the squares of weights are unknown.
    pub variance: Option<f64>,
    /// How many scores it rests on.
    pub ties: usize,
    total: Count,
    /// For each tie, the shares that its positives beat and that beat its negatives, less the area.
    centered: Vec<(f64, f64)>,
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
        self.keys.par_iter().map(|key| self.all.without(key).area()).collect()
    }

    /// For each key, the covariance of its area and that of all rows; undefined where the key's variance is.
    pub fn covariances_with_all(&self) -> Vec<Option<f64>> {
        let overall = self.overall();
        self.keys.par_iter().map(|key| self.covariance_with_all(key, overall.as_ref()?)).collect()
    }

    fn covariance_with_all(&self, key: &WeightedKey, overall: &WeightedArea) -> Option<f64> {
        interrupt::check();
        let area = key.area()?;
        area.variance?;
        let mut among_all = self.all.ties.iter().zip(&overall.centered);
        let (mut of_pos, mut of_neg) = (0.0, 0.0);
        for (tie, centered) in key.ties.iter().zip(&area.centered) {
            let (_, in_all) = among_all.find(|(all, _)| all.code == tie.code)?;
            let squares = key.unit.squares(tie)?;
            of_pos += squares.pos * centered.0 * in_all.0;
            of_neg += squares.neg * centered.1 * in_all.1;
        }
        let part = |sum: f64, own: u64, all: u64| sum / own as f64 / all as f64;
        Some(
            part(of_pos, area.total.pos, overall.total.pos) + part(of_neg, area.total.neg, overall.total.neg),
        )
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
        let rounding = match self {
            SquareUnit::OfRows => 0.0,
            SquareUnit::OfStates(_) => rows as f64 / 2.0,
        };
        squares.known().is_some_and(|squares| rounding <= ROUNDED_PART * squares as f64)
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

    /// These rows but those of a key, all of which are here.
    fn without(&self, key: &WeightedKey) -> WeightedKey {
        let mut own = key.ties.iter().peekable();
        let rest = |tie: &WeightedTie| match own.next_if(|own| own.code == tie.code) {
            None => Some(*tie),
            Some(own) => {
                let units = Count { pos: tie.units.pos - own.units.pos, neg: tie.units.neg - own.units.neg };
                let squares = Count {
                    pos: tie.squares.pos.without(own.squares.pos),
                    neg: tie.squares.neg.without(own.squares.neg),
                };
                (units != Count::default()).then_some(WeightedTie { units, squares, ..*tie })
            }
        };
        WeightedKey {
            ties: self.ties.iter().filter_map(rest).collect(),
            unit: self.unit,
            rows: Count { pos: self.rows.pos - key.rows.pos, neg: self.rows.neg - key.rows.neg },
        }
    }

    /// The area of these rows with the variance of the [infinitesimal jackknife](super::weighted_areas); undefined without a
    /// positive or without a negative.
    pub fn area(&self) -> Option<WeightedArea> {
        interrupt::check();
        let WeightedTie { units: total, squares, .. } =
            self.ties.iter().fold(WeightedTie::none(0), |all, &tie| all.plus(tie));
        let (pos, neg) = (u128::from(total.pos), u128::from(total.neg));
        if pos == 0 || neg == 0 {
            return None;
        }
        let mut above = Count::default();
        let mut twice_u = 0;
        let placements: Vec<(u128, u128)> = self
            .ties
            .iter()
            .map(|tie| {
                let next = above.plus(tie.units);
                let of_pos = 2 * neg - u128::from(above.neg) - u128::from(next.neg);
                let of_neg = u128::from(above.pos) + u128::from(next.pos);
                twice_u += u128::from(tie.units.pos) * of_pos;
                above = next;
                (of_pos, of_neg)
            })
            .collect();
        let auc = quotient(twice_u, 2 * pos * neg);
        let centered = |(of_pos, of_neg)| (quotient(of_pos, 2 * neg) - auc, quotient(of_neg, 2 * pos) - auc);
        let centered: Vec<(f64, f64)> = placements.into_iter().map(centered).collect();
        let has_two = self.rows.pos > 1 && self.rows.neg > 1;
        let are_known = self.unit.are_known(self.rows.pos, squares.pos)
            && self.unit.are_known(self.rows.neg, squares.neg);
        let variance = if has_two && are_known { self.variance(total, &centered) } else { None };
        Some(WeightedArea { auc, variance, ties: self.ties.len(), total, centered })
    }

    fn variance(&self, total: Count, centered: &[(f64, f64)]) -> Option<f64> {
        let (mut of_pos, mut of_neg) = (0.0, 0.0);
        for (tie, centered) in self.ties.iter().zip(centered) {
            let squares = self.unit.squares(tie)?;
            of_pos += squares.pos * centered.0 * centered.0;
            of_neg += squares.neg * centered.1 * centered.1;
        }
        Some(of_pos / (total.pos as f64).powi(2) + of_neg / (total.neg as f64).powi(2))
    }
}
