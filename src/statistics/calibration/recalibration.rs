//! The logistic regression of the label on the logit of the score.

use super::masses::{Masses, ScoreMass};
use crate::math::sum::Sum;
use crate::ranking::{tasks, ties::Count};
use crate::statistics::inference::{Estimate, Interval};

/// The maximum number of Newton steps; about six are typical, and more if scores are far from the rates.
const MAX_STEPS: usize = 1000;

/// The maximum change of a logit per step: if all fitted probabilities are near 0 or 1, there is no
/// information.
const FARTHEST: f64 = 3.0;

/// Converged if a further step would change logits by at most this.
const TOLERANCE: f64 = 1e-12;

/// The minimum factor of a halved step.
const MIN_FACTOR: f64 = 1e-10;

/// A smaller step, relative to the standard error, that does not increase the likelihood is a rounding error.
const ROUNDING: f64 = 1e-6;

/// The number of scores that one thread sums.
const BLOCK_SCORES: usize = 1 << 15;

/// `logit P(label) = intercept + slope logit(score)` by maximum likelihood (Cox 1958).
#[derive(Clone, Copy, Debug, Default)]
pub struct Recalibration {
    /// The intercept of the model whose slope is 1.
    pub in_the_large: Estimate,
    /// The intercept of the model with both coefficients.
    pub intercept: Estimate,
    /// The slope of that model.
    pub slope: Estimate,
}

impl Recalibration {
    /// The regression on these scores. It is undefined without both classes and if a score is 0 or 1. The
    /// slope is also undefined if the scores separate the classes or are all equal. The variance is the
    /// inverse information. With weights it is the sandwich `n / (n - 1) I⁻¹ (sum w² r² x x') I⁻¹` (Binder
    /// 1983).
    pub fn new(masses: &Masses, level: f64) -> Recalibration {
        let (first, last) = (&masses.scores[0], &masses.scores[masses.scores.len() - 1]);
        if masses.all.pos == 0.0 || masses.all.neg == 0.0 || first.score <= 0.0 || last.score >= 1.0 {
            return Recalibration::default();
        }
        let logits: Vec<f64> = masses.scores.iter().map(|score| logit(score.score)).collect();
        let products = logits.iter().zip(&masses.scores).map(|(&x, score)| (x, score.mass.rows()));
        let center = Sum::sum_repeated(products) / masses.all.rows();
        let model = Model { masses, logits: logits.iter().map(|x| x - center).collect(), center };
        let estimate = |fit: Option<Fit>, index: usize| {
            fit.map_or(Estimate::default(), |fit| {
                let [intercept, slope] = fit.coefficients;
                let value = [intercept - slope * center, slope][index];
                let interval = |variance: f64| Interval::normal(value, variance.max(0.0).sqrt(), level);
                let variances = model.variances(&fit);
                Estimate::new(Some(value), variances.map_or(Interval::default(), |all| interval(all[index])))
            })
        };
        let both = if separates(masses) { None } else { model.fit(Free::Both) };
        Recalibration {
            in_the_large: estimate(model.fit(Free::Intercept), 0),
            intercept: estimate(both, 0),
            slope: estimate(both, 1),
        }
    }
}

/// The free coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Free {
    Intercept,
    Both,
}

/// Whether the classes overlap in at most one score, so that the likelihood has no maximum.
fn separates(masses: &Masses) -> bool {
    let is_pos = |score: &&ScoreMass| score.mass.pos > 0.0;
    let is_neg = |score: &&ScoreMass| score.mass.neg > 0.0;
    let score = |score: Option<&ScoreMass>| score.map_or(f64::NAN, |score| score.score);
    let scores = &masses.scores;
    let (lowest_pos, highest_pos) = (score(scores.iter().find(is_pos)), score(scores.iter().rfind(is_pos)));
    let (lowest_neg, highest_neg) = (score(scores.iter().find(is_neg)), score(scores.iter().rfind(is_neg)));
    lowest_pos >= highest_neg || lowest_neg >= highest_pos
}

fn logit(score: f64) -> f64 {
    score.ln() - (-score).ln_1p()
}

/// The scores, with logits centred at their mean so that the information of close scores is invertible.
struct Model<'a> {
    masses: &'a Masses,
    logits: Vec<f64>,
    center: f64,
}

/// The maximum of the likelihood.
#[derive(Clone, Copy, Debug)]
struct Fit {
    /// The intercept at the mean logit, and the slope.
    coefficients: [f64; 2],
    free: Free,
    /// The inverse information `[[a, b], [b, c]]` as `[a, b, c]`.
    inverse: [f64; 3],
}

/// Sums over all scores at some coefficients.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    log_likelihood: Sum,
    gradient: [Sum; 2],
    information: [Sum; 3],
    /// Sums of squared weights times squared residuals.
    squares: [Sum; 3],
}

impl Sums {
    /// Adds a score; `shift` is the origin of the moments.
    fn add(&mut self, score: &ScoreMass, x: f64, [intercept, slope]: [f64; 2], shift: f64) {
        let linear = intercept + slope * x;
        // The smaller of the fitted probability and its complement, without overflow.
        let tail = (-linear.abs()).exp();
        let (small, large) = (tail / (1.0 + tail), 1.0 / (1.0 + tail));
        let (fitted, rest) = if linear > 0.0 { (large, small) } else { (small, large) };
        let (log_large, log_small) = (-tail.ln_1p(), -linear.abs() - tail.ln_1p());
        let Count { pos, neg } = score.mass;
        let (likely, unlikely) = if linear > 0.0 { (pos, neg) } else { (neg, pos) };
        self.log_likelihood.add(likely * log_large);
        self.log_likelihood.add(unlikely * log_small);
        let residual = pos * rest - neg * fitted;
        self.gradient[0].add(residual);
        self.gradient[1].add(residual * x);
        let weight = (pos + neg) * fitted * rest;
        let square = score.squares.pos * rest * rest + score.squares.neg * fitted * fitted;
        let x = x - shift;
        for (power, factor) in [1.0, x, x * x].into_iter().enumerate() {
            self.information[power].add(weight * factor);
            self.squares[power].add(square * factor);
        }
    }

    fn plus(self, other: Sums) -> Sums {
        Sums {
            log_likelihood: self.log_likelihood.plus(other.log_likelihood),
            gradient: [0, 1].map(|index| self.gradient[index].plus(other.gradient[index])),
            information: [0, 1, 2].map(|index| self.information[index].plus(other.information[index])),
            squares: [0, 1, 2].map(|index| self.squares[index].plus(other.squares[index])),
        }
    }
}

/// The inverse of `[[a, b], [b, c]]` as `[a, b, c]`; only the first element if only the intercept is free.
fn inverse([a, b, c]: [f64; 3], free: Free) -> [f64; 3] {
    if free == Free::Intercept {
        return [1.0 / a, 0.0, 0.0];
    }
    let determinant = a * c - b * b;
    [c / determinant, -b / determinant, a / determinant]
}

impl Model<'_> {
    /// The sums at some coefficients, by blocks of scores on all threads; the number of threads does not
    /// change the result.
    fn sums(&self, coefficients: [f64; 2], shift: f64) -> Sums {
        let block_sums = |block: usize| {
            let rows = block * BLOCK_SCORES..self.logits.len().min((block + 1) * BLOCK_SCORES);
            let mut sums = Sums::default();
            for (score, &x) in self.masses.scores[rows.clone()].iter().zip(&self.logits[rows]) {
                sums.add(score, x, coefficients, shift);
            }
            sums
        };
        let blocks = self.logits.len().div_ceil(BLOCK_SCORES);
        if blocks == 1 {
            return block_sums(0);
        }
        tasks::par_map(0..blocks, || (), |(), block| block_sums(block))
            .into_iter()
            .fold(Sums::default(), Sums::plus)
    }

    /// Newton's method with step halving; `None` if the likelihood has no maximum.
    fn fit(&self, free: Free) -> Option<Fit> {
        // Starts with the score unchanged.
        let mut coefficients = [self.center, 1.0];
        let mut sums = self.sums(coefficients, 0.0);
        for _ in 0..MAX_STEPS {
            let inverse = inverse(sums.information.map(|sum| sum.total()), free);
            let [a, b, c] = inverse;
            let gradient = sums.gradient.map(|sum| sum.total());
            let step = [a * gradient[0] + b * gradient[1], b * gradient[0] + c * gradient[1]];
            if !step.iter().all(|step| step.is_finite()) {
                return None;
            }
            // The maximum change of any logit, at the lowest or the highest one.
            let moved = |x: Option<&f64>| x.map_or(0.0, |x| (step[0] + step[1] * x).abs());
            let distance = moved(self.logits.first()).max(moved(self.logits.last()));
            let fit = Fit { coefficients, free, inverse };
            if distance <= TOLERANCE {
                return Some(fit);
            }
            let mut factor = if distance > FARTHEST { FARTHEST / distance } else { 1.0 };
            loop {
                let next = [coefficients[0] + factor * step[0], coefficients[1] + factor * step[1]];
                let next_sums = self.sums(next, 0.0);
                let (height, next_height) = (sums.log_likelihood.total(), next_sums.log_likelihood.total());
                // A rounding error does not count as a decrease.
                if next_height >= height - TOLERANCE * height.abs() || factor < MIN_FACTOR {
                    (coefficients, sums) = (next, next_sums);
                    if next_height <= height && distance <= ROUNDING * (1.0 + a.sqrt()) {
                        let inverse = self::inverse(sums.information.map(|sum| sum.total()), free);
                        return Some(Fit { coefficients, free, inverse });
                    }
                    break;
                }
                factor *= 0.5;
            }
        }
        None
    }

    /// The variances of the intercept and of the slope; undefined without squared weights.
    fn variances(&self, fit: &Fit) -> Option<[f64; 2]> {
        if fit.free == Free::Intercept && !self.masses.has_weights {
            return Some([fit.inverse[0], 0.0]);
        }
        // About the mean logit weighted by information, the information of intercept and slope is diagonal, so
        // that its inverse has no cancellation.
        let [_, b, c] = fit.inverse;
        let shift = if fit.free == Free::Intercept { 0.0 } else { -b / c };
        let sums = self.sums(fit.coefficients, shift);
        let [a, b, c] = inverse(sums.information.map(|sum| sum.total()), fit.free);
        // The row of the inverse for the intercept at logit 0.
        let center = if fit.free == Free::Intercept { 0.0 } else { self.center + shift };
        let [x, y] = [a - center * b, b - center * c];
        if !self.masses.has_weights {
            return Some([x - center * y, c]);
        }
        let bessel = self.masses.bessel()?;
        let [p, q, r] = sums.squares.map(|sum| sum.total());
        let sandwich = |[x, y]: [f64; 2]| bessel * (x * x * p + 2.0 * x * y * q + y * y * r);
        Some(if fit.free == Free::Intercept {
            [sandwich([a, 0.0]), 0.0]
        } else {
            [sandwich([x, y]), sandwich([b, c])]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::calibration::masses::tests::masses;

    #[test]
    fn two_scores_are_fitted_exactly() {
        // Rates of 1/4 and 3/4 at the logits of 0.1 and 0.9: a slope of ln 3 / ln 9.
        let fit = Recalibration::new(&masses(&[(0.1, 1.0, 3.0), (0.9, 3.0, 1.0)]), 0.95);
        assert!((fit.slope.value.unwrap() - 0.5).abs() < 1e-12);
        assert!(fit.intercept.value.unwrap().abs() < 1e-12 && fit.in_the_large.value.unwrap().abs() < 1e-12);
        // The inverse of 2 (4) (3/16) for the intercept.
        assert!((fit.intercept.se.unwrap() - (1.0f64 / 1.5).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn without_a_maximum() {
        let separate = Recalibration::new(&masses(&[(0.1, 0.0, 3.0), (0.9, 3.0, 0.0)]), 0.95);
        assert!(separate.slope.value.is_none() && separate.in_the_large.value.is_some());
        let one_score = Recalibration::new(&masses(&[(0.25, 1.0, 1.0)]), 0.95);
        assert!(one_score.slope.value.is_none());
        assert!((one_score.in_the_large.value.unwrap() - 3f64.ln()).abs() < 1e-12);
        assert!(
            Recalibration::new(&masses(&[(0.0, 0.0, 1.0), (0.5, 1.0, 1.0)]), 0.95)
                .in_the_large
                .value
                .is_none()
        );
        assert!(
            Recalibration::new(&masses(&[(0.2, 1.0, 0.0), (0.5, 1.0, 0.0)]), 0.95)
                .in_the_large
                .value
                .is_none()
        );
    }

    /// Two scores that nearly coincide and have nearly all the information.
    #[test]
    fn information_of_close_scores() {
        let mut rows = masses(&[(0.3125, 1.0, 0.0), (0.5, 0.0, 1.0), (0.500_001_25, 1.0, 0.0)]);
        rows.has_weights = true;
        let fit = Recalibration::new(&rows, 0.95);
        // In decimal arithmetic of 80 digits.
        let close = |got: Option<f64>, expected: f64| (got.unwrap() / expected - 1.0).abs() < 1e-10;
        assert!(close(fit.slope.value, -16.058_542_859_353_6), "{fit:?}");
        assert!(close(fit.slope.se, 2.906_059_839_605_02), "{fit:?}");
    }

    #[test]
    fn scores_far_from_the_rates() {
        let fit = Recalibration::new(&masses(&[(1e-12, 1.0, 3.0), (1e-9, 3.0, 1.0)]), 0.95);
        let slope = 2.0 * 3f64.ln() / (logit(1e-9) - logit(1e-12));
        assert!((fit.slope.value.unwrap() / slope - 1.0).abs() < 1e-9);
    }
}
