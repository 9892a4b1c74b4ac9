//! The bootstrap interval with corrections for bias and acceleration (Efron 1987).

use crate::math::normal::{upper_quantile, upper_tail};
use crate::ranking::ties::{Count, counts::steps};

/// The probabilities whose quantiles are the BCa limits (Efron 1987, equation 2.3). Resamples equal to the
/// area count one half, since areas are discrete.
pub fn bca_probabilities(auc: f64, sorted: &[f64], tail: f64, acceleration: f64) -> (f64, f64) {
    let below = sorted.partition_point(|&area| area < auc);
    let equal = sorted.partition_point(|&area| area <= auc) - below;
    let share = (below as f64 + 0.5 * equal as f64) / sorted.len() as f64;
    // If all resamples are on one side, the bias is set to the largest value that this number of resamples
    // can show.
    let smallest = 0.5 / sorted.len() as f64;
    let bias = -upper_quantile(share.clamp(smallest, 1.0 - smallest));
    let probability = |z: f64| {
        let shifted = bias + z;
        1.0 - upper_tail(bias + shifted / (1.0 - acceleration * shifted))
    };
    let z = upper_quantile(tail);
    (probability(-z), probability(z))
}

/// The placements of positives and of negatives with each score, highest first.
pub fn placements(counts: &[Count]) -> Vec<(f64, f64)> {
    let Count { pos, neg } = Count::sum(counts);
    let (n_pos, n_neg) = (pos as f64, neg as f64);
    let placements = steps(counts).map(|step| {
        let pos_placement = 1.0 - (step.neg_above as f64 + 0.5 * step.neg as f64) / n_neg;
        let neg_placement = (step.pos_above as f64 + 0.5 * step.pos as f64) / n_pos;
        (pos_placement, neg_placement)
    });
    placements.collect()
}

/// The acceleration of an area: one sixth of the skewness of its empirical influence values (Davison and
/// Hinkley 1997, section 5.3.2, for several samples). `placements` are the placements of positives and of
/// negatives with each score; larger ones increase the area.
pub fn acceleration(counts: &[Count], placements: Vec<(f64, f64)>) -> f64 {
    let Count { pos, neg } = Count::sum(counts);
    let class_placements = |rows: fn(&Count) -> u64, placement: fn(&(f64, f64)) -> f64| -> Vec<(f64, f64)> {
        counts.iter().zip(&placements).map(|(count, both)| (rows(count) as f64, placement(both))).collect()
    };
    let (mut squares, mut cubes) = (0.0, 0.0);
    for (rows, class_placements) in [
        (pos, class_placements(|count| count.pos, |both| both.0)),
        (neg, class_placements(|count| count.neg, |both| both.1)),
    ] {
        let n = rows as f64;
        let mean = class_placements.iter().map(|(rows, placement)| rows * placement).sum::<f64>() / n;
        for (rows, placement) in class_placements {
            let influence = (placement - mean) / n;
            squares += rows * influence.powi(2);
            cubes += rows * influence.powi(3);
        }
    }
    if squares > 0.0 { cubes / (6.0 * squares.powf(1.5)) } else { 0.0 }
}
