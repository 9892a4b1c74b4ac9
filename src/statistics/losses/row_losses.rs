//! The losses of several scores, row by row: their means, and the errors of differences.

use super::loss::Loss;
use crate::math::exact_sum::ExactSum;
use crate::math::sum::Sum;
use crate::statistics::rows::Rows;

/// The losses of scores of the same rows, and their means over all weights.
///
/// The square of the standard error of a mean is `n / (n - 1) sum w² (loss - mean)² / (sum w)²`. A covariance
/// has the product of two distances instead. All sums are exact, so results do not depend on the order of
/// rows.
#[derive(Clone, Debug)]
pub struct RowLosses {
    /// The largest loss.
    pub max: f64,
    /// The mean loss of each score; infinite if a loss is.
    pub means: Vec<f64>,
    /// The loss of each row, by score.
    score_values: Vec<Vec<f64>>,
    weights: Vec<f64>,
    total: Sum,
}

impl RowLosses {
    /// The losses of all rows; undefined without rows.
    pub fn from_rows(loss: &Loss, rows: &Rows) -> Option<Self> {
        let all: Vec<usize> = (0..rows.len).collect();
        (rows.len > 0).then(|| Self::from_selected(loss, rows, &all))
    }

    /// The losses of the rows of each key, in the order of keys.
    pub fn from_keys(loss: &Loss, rows: &Rows) -> Vec<Self> {
        let mut order: Vec<usize> = (0..rows.len).collect();
        order.sort_unstable_by_key(|&row| rows.keys.row_codes[row]);
        let key_values = order.chunk_by(|&a, &b| rows.keys.row_codes[a] == rows.keys.row_codes[b]);
        key_values.map(|selected| Self::from_selected(loss, rows, selected)).collect()
    }

    fn from_selected(loss: &Loss, rows: &Rows, selected: &[usize]) -> Self {
        let row_codes = |values: &Vec<f64>| {
            let loss = |&row: &usize| {
                let losses = (loss.losses)(values[row]);
                if rows.labels[row] { losses.pos } else { losses.neg }
            };
            selected.iter().map(loss).collect()
        };
        let weight = rows.relative_weight();
        let mut losses = RowLosses {
            max: loss.max,
            means: Vec::new(),
            score_values: rows.values.iter().map(row_codes).collect(),
            weights: selected.iter().map(|&row| weight(row)).collect(),
            total: Sum::default(),
        };
        losses.total = losses.sum(&|row| losses.weights[row]).sum();
        losses.means =
            losses.score_values.iter().map(|row_codes| losses.mean(&|row| row_codes[row])).collect();
        losses
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.weights.len()
    }

    /// The difference of two mean losses; NaN if both are infinite.
    pub fn difference(&self, a: usize, b: usize) -> f64 {
        if self.is_finite(a, b) {
            self.mean(&|row| self.score_values[a][row] - self.score_values[b][row])
        } else {
            self.means[a] - self.means[b]
        }
    }

    /// The standard error of a difference; undefined for a single row and if a mean is infinite.
    pub fn se_of_difference(&self, a: usize, b: usize) -> Option<f64> {
        let difference = self.difference(a, b);
        self.se(&|row| self.score_values[a][row] - self.score_values[b][row] - difference)
            .filter(|_| self.is_finite(a, b))
    }

    /// The covariance of two means; undefined for a single row and if a mean is infinite.
    pub fn covariance(&self, a: usize, b: usize) -> Option<f64> {
        let distance = |score: usize, row: usize| self.score_values[score][row] - self.means[score];
        let product = |row: usize| self.weights[row].powi(2) * distance(a, row) * distance(b, row);
        let factor = self.factor().filter(|_| self.is_finite(a, b))?;
        Some(self.sum(&product).sum().total() * factor / self.total.total().powi(2))
    }

    /// The sum of the squared distances of the losses of a score from their mean.
    pub fn squares(&self, score: usize) -> f64 {
        self.sum(&|row| (self.score_values[score][row] - self.means[score]).powi(2)).value()
    }

    fn is_finite(&self, a: usize, b: usize) -> bool {
        self.means[a].is_finite() && self.means[b].is_finite()
    }

    /// The standard error of a mean, from the distance of each row.
    fn se(&self, distance: &dyn Fn(usize) -> f64) -> Option<f64> {
        let squares = || self.sum(&|row| (self.weights[row] * distance(row)).powi(2)).sum();
        self.factor().map(|_| {
            let n = self.rows() as f64;
            (squares().total() * n / (n - 1.0)).sqrt() / self.total.total()
        })
    }

    /// `n / (n - 1)`; undefined for a single row.
    fn factor(&self) -> Option<f64> {
        let n = self.rows() as f64;
        (n > 1.0).then(|| n / (n - 1.0))
    }

    fn mean(&self, f: &dyn Fn(usize) -> f64) -> f64 {
        let sum = self.sum(&|row| self.weights[row] * f(row));
        let value = sum.value();
        if value.is_finite() { sum.sum().quotient(self.total) } else { value }
    }

    fn sum(&self, f: &dyn Fn(usize) -> f64) -> ExactSum {
        let mut sum = ExactSum::default();
        (0..self.rows()).for_each(|row| sum.add(f(row), 1));
        sum
    }
}
