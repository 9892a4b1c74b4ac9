//! The distinct scores of a group with the positives and negatives of each.

use crate::math::{power_of_two, sum::Sum};
use crate::ranking::ties::{Count, Ties, Units};
use crate::statistics::kinds::Mass;

/// The rows of one score.
#[derive(Clone, Copy, Debug)]
pub struct ScoreMass {
    /// The score.
    pub score: f64,
    /// Positives and negatives; with weights, the sums of their weights times a [power of
    /// two](Units::relative).
    pub mass: Count<f64>,
    /// The sums of squared weights; without weights, positives and negatives.
    pub squares: Count<f64>,
}

/// The distinct scores of a group in ascending order.
#[derive(Clone, Debug)]
pub struct Masses {
    /// The scores.
    pub scores: Vec<ScoreMass>,
    /// Positives and negatives of all scores.
    pub all: Count<f64>,
    /// The number of rows, independent of weights.
    pub rows: f64,
    /// Whether rows have weights.
    pub has_weights: bool,
    /// Whether the squared weights are known.
    pub has_squares: bool,
    /// The exponent of the power of two that scales weights.
    power: i32,
}

impl Masses {
    /// The scores of a group; undefined without rows, and if all weights are 0.
    pub fn from_ties(ties: &mut Ties<'_>) -> Option<Masses> {
        let rows = Count::from(&*ties).rows() as f64;
        let all = Count { pos: ties.n_pos(), neg: ties.n_neg() };
        let (units, power) = ties.units().map(|units| units.relative(all)).unzip();
        // Without weights a unit is a row. A branch on the weights would be compiled to a division by undefined
        // numbers, which is slow.
        let [pos_unit, neg_unit] = units.map_or_else(Default::default, |units: Units| [units.pos, units.neg]);
        let (pos, neg) = (|units: f64| pos_unit.weight_of(units), |units: f64| neg_unit.weight_of(units));
        let all = Count { pos: pos(all.pos as f64), neg: neg(all.neg as f64) };
        if rows == 0.0 || all.rows() == 0.0 {
            return None;
        }
        let squared = if units.is_some() { ties.squared_units() } else { None };
        let counts = ties.counts();
        let mut scores: Vec<ScoreMass> = counts
            .each()
            .iter()
            .enumerate()
            .map(|(index, count)| {
                let mass = Count { pos: pos(count.pos as f64), neg: neg(count.neg as f64) };
                let squares = match (&squared, units) {
                    (Some(squared), _) => {
                        Count { pos: pos(pos(squared[index].pos)), neg: neg(neg(squared[index].neg)) }
                    }
                    (None, None) => mass,
                    (None, Some(_)) => Count::default(),
                };
                ScoreMass { score: ties.value(counts.key(index)), mass, squares }
            })
            .collect();
        scores.retain(|score| score.mass.rows() > 0.0);
        scores.reverse();
        let has_squares = units.is_none() || squared.is_some();
        let power = power.unwrap_or(0);
        Some(Masses { scores, all, rows, has_weights: units.is_some(), has_squares, power })
    }

    /// Converts a scaled mass to a mass for the record.
    pub fn mass(&self, rows: f64) -> Mass {
        if !self.has_weights {
            return Mass(rows as u64);
        }
        let half = self.power / 2;
        Mass((rows / power_of_two(half) / power_of_two(self.power - half)).to_bits())
    }

    /// The sum over all scores.
    pub fn sum(&self, f: impl Fn(&ScoreMass) -> f64) -> f64 {
        Sum::sum(self.scores.iter().map(f))
    }

    /// The sum of all scores, each times its number of rows.
    pub fn sum_of_scores(&self) -> f64 {
        Sum::sum_repeated(self.scores.iter().map(|score| (score.score, score.mass.rows())))
    }

    /// `n / (n - 1)` for the variance of a sum of weighted rows; undefined for a single row and without
    /// squared weights.
    pub fn bessel(&self) -> Option<f64> {
        (self.has_squares && self.rows > 1.0).then(|| self.rows / (self.rows - 1.0))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Ascending scores, each with its positives and negatives.
    pub fn masses(scores: &[(f64, f64, f64)]) -> Masses {
        let score_mass = |&(score, pos, neg): &(f64, f64, f64)| {
            let mass = Count { pos, neg };
            ScoreMass { score, mass, squares: mass }
        };
        let scores: Vec<ScoreMass> = scores.iter().map(score_mass).collect();
        let all = scores.iter().fold(Count::default(), |all, score| all.plus(score.mass));
        Masses { scores, all, rows: all.rows(), has_weights: false, has_squares: true, power: 0 }
    }
}
