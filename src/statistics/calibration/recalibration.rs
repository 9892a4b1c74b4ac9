//! The logistic regression of the label on the logit of the score.

use super::masses::{Masses, ScoreMass};
use crate::statistics::inference::{Estimate, Interval};

/// Newton's steps at most; about six are taken.
const MOST_STEPS: usize = 100;

/// Coefficients change by less than this much of themselves in the last step.
const TOLERANCE: f64 = 1e-12;

/// `logit P(label) = intercept + slope logit(score)` by maximum likelihood (Cox 1958).
#[derive(Clone, Copy, Debug, Default)]
pub struct Recalibration {
    /// The intercept of the model whose slope is 1.
    pub in_the_large: Estimate,
    /// The intercept of the model with both coefficients.
    pub intercept: Estimate,
    /// Its slope.
    pub slope: Estimate,
}

impl Recalibration {
    /// The regression on these scores. Undefined without both classes and if a score is 0 or 1; the slope also if the scores
    /// separate the classes, or are all equal. The variance is the inverse information; with weights it is the sandwich
    /// `n / (n - 1) I⁻¹ (sum w² r² x x') I⁻¹` (Binder 1983).
    pub fn of(masses: &Masses, level: f64) -> Recalibration {
        let (first, last) = (&masses.scores[0], &masses.scores[masses.scores.len() - 1]);
        if masses.all.pos == 0.0 || masses.all.neg == 0.0 || first.score <= 0.0 || last.score >= 1.0 {
            return Recalibration::default();
        }
        let estimate = |coefficients: [f64; 2], place: usize, free: Free| {
            let value = coefficients[place];
            let interval = variance(masses, coefficients, free)
                .map(|variance| Interval::normal(value, variance[place].max(0.0).sqrt(), level))
                .unwrap_or_default();
            Estimate::of(Some(value), interval)
        };
        let in_the_large = fit(masses, Free::Intercept);
        let both = if separates(masses) { None } else { fit(masses, Free::Both) };
        let of = |fit: Option<[f64; 2]>, place: usize, free: Free| {
            fit.map(|coefficients| estimate(coefficients, place, free)).unwrap_or_default()
        };
        Recalibration {
            in_the_large: of(in_the_large, 0, Free::Intercept),
            intercept: of(both, 0, Free::Both),
            slope: of(both, 1, Free::Both),
        }
    }
}

/// The coefficients that are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Free {
    Intercept,
    Both,
}

/// Whether no score, or a single one, lies between the classes: a likelihood without a maximum.
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

fn expit(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// The sums of `weight(score, fitted) x x'` over all scores.
fn matrix(masses: &Masses, coefficients: [f64; 2], weight: impl Fn(&ScoreMass, f64) -> f64) -> [f64; 3] {
    [0, 1, 2].map(|power| {
        masses.sum(|score| {
            let x = logit(score.score);
            weight(score, expit(coefficients[0] + coefficients[1] * x)) * x.powi(power)
        })
    })
}

fn information(masses: &Masses, coefficients: [f64; 2]) -> [f64; 3] {
    matrix(masses, coefficients, |score, fitted| score.mass.rows() * fitted * (1.0 - fitted))
}

/// The inverse of `[[a, b], [b, c]]` as `[a, b, c]`; of the first element alone if only the intercept is free.
fn inverse([a, b, c]: [f64; 3], free: Free) -> [f64; 3] {
    if free == Free::Intercept {
        return [1.0 / a, 0.0, 0.0];
    }
    let determinant = a * c - b * b;
    [c / determinant, -b / determinant, a / determinant]
}

/// The coefficients by Newton's method, with steps halved until the likelihood grows; none without a maximum.
fn fit(masses: &Masses, free: Free) -> Option<[f64; 2]> {
    let log_likelihood = |[intercept, slope]: [f64; 2]| {
        masses.sum(|score| {
            let linear = intercept + slope * logit(score.score);
            // ln expit, without overflow.
            let log = |linear: f64| {
                if linear > 0.0 { -(-linear).exp().ln_1p() } else { linear - linear.exp().ln_1p() }
            };
            let part = |mass: f64, linear: f64| if mass > 0.0 { mass * log(linear) } else { 0.0 };
            part(score.mass.pos, linear) + part(score.mass.neg, -linear)
        })
    };
    let mut coefficients = [0.0, 1.0];
    let mut height = log_likelihood(coefficients);
    for _ in 0..MOST_STEPS {
        let gradient = matrix(masses, coefficients, |score, fitted| {
            score.mass.pos * (1.0 - fitted) - score.mass.neg * fitted
        });
        let [a, b, c] = inverse(information(masses, coefficients), free);
        let step = [a * gradient[0] + b * gradient[1], b * gradient[0] + c * gradient[1]];
        if !step.iter().all(|step| step.is_finite()) {
            return None;
        }
        let mut factor = 1.0;
        let (next, next_height) = loop {
            let next = [coefficients[0] + factor * step[0], coefficients[1] + factor * step[1]];
            let next_height = log_likelihood(next);
            if next_height >= height || factor < 1e-3 {
                break (next, next_height);
            }
            factor *= 0.5;
        };
        (coefficients, height) = (next, next_height);
        if step.iter().zip(coefficients).all(|(step, now)| step.abs() <= TOLERANCE * (1.0 + now.abs())) {
            return Some(coefficients);
        }
    }
    None
}

/// The variances of the intercept and of the slope; undefined without squared weights.
fn variance(masses: &Masses, coefficients: [f64; 2], free: Free) -> Option<[f64; 2]> {
    let [a, b, c] = inverse(information(masses, coefficients), free);
    if !masses.has_weights {
        return Some([a, c]);
    }
    let bessel = masses.bessel()?;
    let [p, q, r] = matrix(masses, coefficients, |score, fitted| {
        score.squares.pos * (1.0 - fitted).powi(2) + score.squares.neg * fitted.powi(2)
    });
    let sandwich = |[x, y]: [f64; 2]| bessel * (x * x * p + 2.0 * x * y * q + y * y * r);
    Some([sandwich([a, b]), sandwich([b, c])])
}
