//! The mean loss of probabilities: its standard error, its skill, and its decomposition.

use super::isotonic::Blocks;
use crate::math::exact_sum::ExactSum;
use crate::math::sum::Sum;
use crate::ranking::ties::{Count, Ties, units::Units};
use crate::statistics::inference::Interval;
use crate::statistics::kinds::Mass;
use crate::statistics::losses::Loss;

/// The mean loss of a group.
#[derive(Clone, Copy, Debug)]
pub struct MeanLoss {
    /// The mean.
    pub value: f64,
    /// Its standard error and limits.
    pub interval: Interval,
    /// `1 - value / uncertainty`; undefined without positives or negatives.
    pub skill: Option<f64>,
    /// Its standard error.
    pub skill_se: Option<f64>,
    /// The reduction of the loss by an isotonic fit to the group.
    pub miscalibration: f64,
    /// The reduction by that fit compared with the rate of the group.
    pub discrimination: f64,
    /// The mean loss of the group's rate as the probability.
    pub uncertainty: f64,
    /// Rows whose loss is infinite.
    pub n_infinite: Mass,
}

/// Sums over the rows of a group, and its isotonic fit.
#[derive(Default)]
struct Sums<T> {
    losses: Count<ExactSum>,
    /// The sum of squared losses.
    squares: ExactSum,
    n_infinite: Count,
    blocks: Blocks<T>,
}

impl<T> Sums<T> {
    /// Adds the rows of a score.
    fn add(&mut self, loss: &Loss, probability: f64, rows: Count) -> Count<f64> {
        let loss = (loss.losses)(probability);
        self.losses.pos.add(loss.pos, rows.pos);
        self.losses.neg.add(loss.neg, rows.neg);
        self.n_infinite.pos += if loss.pos.is_infinite() { rows.pos } else { 0 };
        self.n_infinite.neg += if loss.neg.is_infinite() { rows.neg } else { 0 };
        loss
    }
}

impl MeanLoss {
    /// The mean loss of a group; undefined without rows.
    ///
    /// `value = miscalibration - discrimination + uncertainty` (CORP: Dimitriadis, Gneiting and Jordan 2021).
    /// The standard error is the standard error of a mean. With weights its square is
    /// `n / (n - 1) sum w² (loss - value)² / (sum w)²`. The standard error of the skill uses the influence of
    /// each row on the value and on the rate.
    pub fn from_ties(loss: &Loss, ties: &mut Ties<'_>, level: f64) -> Option<MeanLoss> {
        let rows = Count::from(&*ties).rows() as f64;
        match ties.units() {
            _ if rows == 0.0 => None,
            None => Some(Self::from_rows(loss, ties, rows, level)),
            Some(units) => Self::from_weights(loss, ties, units, rows, level),
        }
    }

    fn from_rows(loss: &Loss, ties: &mut Ties<'_>, n: f64, level: f64) -> MeanLoss {
        let score_type = ties.score_type();
        let sums = ties.fold(
            |sums: &mut Sums<u64>, tie| {
                let rows = Count { pos: tie.pos, neg: tie.neg };
                let losses = sums.add(loss, score_type.value(tie.key), rows);
                sums.squares.add_square(losses.pos, tie.pos);
                sums.squares.add_square(losses.neg, tie.neg);
                sums.blocks.push(rows);
            },
            |sums, lower| {
                sums.losses.pos.add_all(&lower.losses.pos);
                sums.losses.neg.add_all(&lower.losses.neg);
                sums.squares.add_all(&lower.squares);
                sums.n_infinite = sums.n_infinite.plus(lower.n_infinite);
                sums.blocks.append(lower.blocks);
            },
        );
        let all = Count { pos: ties.n_pos() as f64, neg: ties.n_neg() as f64 };
        let fitted = Sum::sum(
            sums.blocks
                .counts()
                .iter()
                .map(|block| (loss.rate_loss)(Count { pos: block.pos as f64, neg: block.neg as f64 })),
        );
        let losses = Count { pos: sums.losses.pos.sum(), neg: sums.losses.neg.sum() };
        let mean = Self::new(loss, losses, fitted, all, Mass(sums.n_infinite.rows()));
        // n times the sum of squared distances from the mean, without loss of digits.
        let (total, squares) = (losses.pos.plus(losses.neg), sums.squares.sum());
        let spread = squares.times(n).plus(total.squared().negative()).total();
        // If losses are equal, the remainder is a rounding error.
        let spread =
            if spread <= n * squares.total() * 16.0 * f64::EPSILON.powi(2) { 0.0 } else { spread / n };
        let shared = losses.pos.total() - mean.value * all.pos;
        let (by_loss, by_rate) = mean.influence_on_skill(loss, all);
        let skill_variance = [
            by_loss * by_loss * spread,
            2.0 * by_loss * by_rate * shared,
            by_rate * by_rate * all.pos * (all.neg / n),
        ];
        let magnitude: f64 = skill_variance.iter().map(|part| part.abs()).sum();
        let skill_variance = Sum::sum(skill_variance.into_iter());
        // If the terms cancel, the remainder is a rounding error.
        let skill_variance =
            if skill_variance <= 64.0 * f64::EPSILON * magnitude { 0.0 } else { skill_variance };
        mean.with_variances(loss, spread / (n * n), skill_variance / (n * n), n, level)
    }

    /// The same for weighted rows; undefined if all weights are 0.
    fn from_weights(
        loss: &Loss,
        ties: &mut Ties<'_>,
        units: Units,
        rows: f64,
        level: f64,
    ) -> Option<MeanLoss> {
        let weights_in = |units: Units, rows: Count| Count {
            pos: units.pos.weight(rows.pos),
            neg: units.neg.weight(rows.neg),
        };
        let all = Count { pos: ties.n_pos(), neg: ties.n_neg() };
        let (absolute, (units, _)) = (units, units.relative(all));
        let weights = |rows: Count| weights_in(units, rows);
        let all = weights(all);
        if all.rows() == 0.0 {
            return None;
        }
        let counts = ties.counts();
        let mut sums = Sums::<f64>::default();
        for (index, &rows) in counts.each().iter().enumerate() {
            sums.add(loss, ties.value(counts.key(index)), rows);
            sums.blocks.push(weights(rows));
        }
        let fitted = Sum::sum(sums.blocks.counts().iter().map(|&block| (loss.rate_loss)(block)));
        let losses = Count {
            pos: sums.losses.pos.sum().map(|sum| units.pos.weight_of(sum)),
            neg: sums.losses.neg.sum().map(|sum| units.neg.weight_of(sum)),
        };
        let n_infinite = Mass(weights_in(absolute, sums.n_infinite).rows().to_bits());
        let mean = Self::new(loss, losses, fitted, all, n_infinite);
        let Some(squared_units) = ties.squared_units() else { return Some(mean) };
        let (by_loss, by_rate) = mean.influence_on_skill(loss, all);
        let rate = all.pos / all.rows();
        let (mut mean_variance, mut skill_variance) = (Sum::default(), Sum::default());
        for squared in squared_units {
            let losses = (loss.losses)(ties.value(squared.tie.key));
            let squares = Count {
                pos: units.pos.weight_of(units.pos.weight_of(squared.pos)),
                neg: units.neg.weight_of(units.neg.weight_of(squared.neg)),
            };
            for (squares, loss, label) in [(squares.pos, losses.pos, 1.0), (squares.neg, losses.neg, 0.0)] {
                if squares > 0.0 {
                    let distance = loss - mean.value;
                    mean_variance.add(squares * distance * distance);
                    skill_variance.add(squares * (by_loss * distance + by_rate * (label - rate)).powi(2));
                }
            }
        }
        let square = all.rows().powi(2);
        Some(mean.with_variances(
            loss,
            mean_variance.total() / square,
            skill_variance.total() / square,
            rows,
            level,
        ))
    }

    /// The mean without standard errors, from the sums of losses by class, and the loss of the isotonic fit.
    fn new(loss: &Loss, losses: Count<Sum>, fitted: f64, all: Count<f64>, n_infinite: Mass) -> MeanLoss {
        let n = all.rows();
        let total = losses.pos.plus(losses.neg);
        let is_finite = [losses.pos, losses.neg].iter().all(|sum| sum.total().is_finite());
        let value = if is_finite { total.quotient(Sum::from(n)) } else { f64::INFINITY };
        let uncertainty = (loss.rate_loss)(all) / n;
        MeanLoss {
            value,
            interval: Interval::default(),
            skill: (all.pos > 0.0 && all.neg > 0.0).then(|| 1.0 - value / uncertainty),
            skill_se: None,
            miscalibration: (value - fitted / n).max(0.0),
            discrimination: (uncertainty - fitted / n).max(0.0),
            uncertainty,
            n_infinite,
        }
    }

    /// The influence of a row on the skill is `by_loss (loss - value) + by_rate (label - rate)`, divided by
    /// the number of rows.
    fn influence_on_skill(&self, loss: &Loss, all: Count<f64>) -> (f64, f64) {
        (-1.0 / self.uncertainty, self.value / self.uncertainty.powi(2) * (loss.derivative)(all))
    }

    /// Adds the standard errors, from variances that divide by the number of rows.
    fn with_variances(
        self,
        loss: &Loss,
        mean_variance: f64,
        skill_variance: f64,
        rows: f64,
        level: f64,
    ) -> MeanLoss {
        if rows < 2.0 || self.value.is_infinite() {
            return self;
        }
        let se = |variance: f64| (variance.max(0.0) * (rows / (rows - 1.0))).sqrt();
        MeanLoss {
            interval: Interval::normal(self.value, se(mean_variance), level).within(0.0, loss.max),
            skill_se: self.skill.map(|_| se(skill_variance)),
            ..self
        }
    }
}
