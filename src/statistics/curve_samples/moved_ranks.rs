//! Pairs of scores perturbed among their ranks, for the smoothed bootstrap.
//!
//! A resample repeats rows, so its curves are rougher than curves of distinct rows. Each resampled row
//! therefore moves to nearby ranks (Silverman and Young 1987). On the scale of normal scores, the distance
//! has standard deviation `BANDWIDTH` times the -1/5 power of the rows in the class. The two distances of a
//! row are correlated like the scores of the class. Ties are wide ranges of ranks, so their rows mostly stay
//! in place. No new score values arise.

use std::f64::consts::TAU;

use crate::math::Stream;
use crate::math::normal::upper_quantile;
use crate::ranking::rows::Codes;
use crate::ranking::ties::Count;
use crate::statistics::rows::Rows;

/// The standard deviation of moves, in normal scores. From 0.2 to 0.9, the coverage of bands for the
/// difference of two curves of normal scores was equal within error.
const BANDWIDTH: f64 = 0.4;

/// Random bits of each of three uniform numbers.
const PART: u32 = 21;

/// Two scores of the same rows.
pub struct MovedRanks<'a> {
    rows: &'a Rows,
    scores: [RankedScore; 2],
    /// The correlation of both distances of a row, for negatives and for positives.
    correlations: [f64; 2],
    /// The move of rows of a class, relative to a class with one row.
    shares: [f64; 2],
}

/// The ranks of one score, lowest score first.
struct RankedScore {
    /// For each rank the index of its score; 0 is the highest score.
    index_of_rank: Vec<u32>,
    /// By code.
    ties: Vec<Tie>,
}

/// The ranks of one distinct score.
#[derive(Clone, Copy, Default)]
struct Tie {
    first: f64,
    rows: f64,
    /// The normal score of the middle rank.
    normal: f64,
    /// The number of ranks per unit of normal score at this place.
    density: f64,
}

impl RankedScore {
    fn new(codes: &Codes) -> RankedScore {
        let rows_of_code = codes.histogram(|_| true);
        let rows = codes.row_codes.len() as f64;
        let mut index_of_rank = Vec::with_capacity(codes.row_codes.len());
        let mut ties = Vec::with_capacity(codes.distinct);
        for (code, &code_rows) in (0u32..).zip(&rows_of_code) {
            let first = index_of_rank.len() as f64;
            let normal = -upper_quantile((first + 0.5 * f64::from(code_rows)) / rows);
            let density = rows * (-0.5 * normal * normal).exp() / TAU.sqrt();
            ties.push(Tie { first, rows: code_rows.into(), normal, density });
            index_of_rank.extend(std::iter::repeat_n(codes.descending(code) as u32, code_rows as usize));
        }
        RankedScore { index_of_rank, ties }
    }

    /// The new place of a row with this code: `within` is its position in the tie, `distance` its move in
    /// normal scores.
    #[inline]
    fn moved_index(&self, code: u32, within: f64, distance: f64) -> usize {
        let Tie { first, rows, density, .. } = self.ties[code as usize];
        let to = first + rows * within + density * distance;
        // Moves beyond either end are reflected.
        let ranks = self.index_of_rank.len();
        let to = if to > ranks as f64 { 2.0 * ranks as f64 - to } else { to.abs() };
        self.index_of_rank[(to as usize).min(ranks - 1)] as usize
    }
}

impl MovedRanks<'_> {
    /// The ranks of the first two scores of rows.
    pub fn new(rows: &Rows) -> MovedRanks<'_> {
        let scores = [0, 1].map(|score: usize| RankedScore::new(&rows.scores[score]));
        let correlations = [false, true].map(|label| {
            let normal = |score: usize| {
                let labelled_codes = rows.scores[score].row_codes.iter().zip(&rows.labels);
                let class_codes = labelled_codes.filter(move |row| *row.1 == label);
                class_codes.map(|row| scores[score].ties[*row.0 as usize].normal).collect::<Vec<f64>>()
            };
            correlation(&normal(0), &normal(1))
        });
        let shares = [rows.n_neg(), rows.n_pos()].map(|rows| (rows.max(1) as f64).powf(-0.2));
        MovedRanks { rows, scores, correlations, shares }
    }

    /// Counts a row at its new places for both scores, among the distinct scores, highest first.
    #[inline]
    pub fn add(&self, counts: &mut [Vec<Count>], row: usize, stream: &mut Stream) {
        let label = self.rows.labels[row];
        let bits = stream.bits();
        let uniform =
            |part: u32| (bits >> (part * PART) & ((1 << PART) - 1)) as f64 / f64::from(1u32 << PART);
        let (within, one, other) = (uniform(0), uniform(1), uniform(2));
        let correlation = self.correlations[usize::from(label)];
        // A uniform number up to the root of 3 has a standard deviation of 1.
        let [one, other] = [one, other].map(|uniform| 3f64.sqrt() * (2.0 * uniform - 1.0));
        let distances = [one, correlation * one + (1.0 - correlation * correlation).sqrt() * other];
        let share = BANDWIDTH * self.shares[usize::from(label)];
        for score in [0, 1] {
            let code = self.rows.scores[score].row_codes[row];
            let index = self.scores[score].moved_index(code, within, share * distances[score]);
            counts[score][index].add(label, 1);
        }
    }
}

/// Pearson's correlation; 0 if one of the inputs is constant.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let product = |one: &[f64], mean_one: f64, other: &[f64], mean_other: f64| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - mean_one) * (other - mean_other)).sum()
    };
    let squares = product(a, mean_a, a, mean_a) * product(b, mean_b, b, mean_b);
    if squares > 0.0 { (product(a, mean_a, b, mean_b) / squares.sqrt()).clamp(-1.0, 1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quantile::mean_and_deviation;
    use crate::statistics::tests::rows_of;

    /// The places of a row of two scores in repeated draws.
    fn moved(scores: [&[f64]; 2], labels: &[u8], row: usize, draws: u64) -> Vec<[usize; 2]> {
        let rows = rows_of(labels, &scores, &[]);
        let ranks = MovedRanks::new(&rows);
        let mut stream = Stream::new(7, 0);
        let draw = |_| {
            let mut counts = [0, 1].map(|score: usize| vec![Count::default(); rows.scores[score].distinct]);
            ranks.add(&mut counts, row, &mut stream);
            counts.map(|counts| counts.iter().position(|count| count.rows() == 1).unwrap())
        };
        (0..draws).map(draw).collect()
    }

    fn mean_and_deviation_of(indices: impl Iterator<Item = usize>) -> (f64, f64) {
        mean_and_deviation(&indices.map(|index| index as f64).collect::<Vec<_>>())
    }

    #[test]
    fn rows_move_evenly_to_both_sides() {
        let a: Vec<f64> = (0..1001).map(f64::from).collect();
        let b: Vec<f64> = (0..1001).map(|row| f64::from((row * 500) % 1001)).collect();
        let labels: Vec<u8> = (0..1001).map(|row| u8::from(row % 2 == 0)).collect();
        let indices = moved([&a, &b], &labels, 500, 20_000);
        // The change of a normal score per share of rows is its density.
        let expected = BANDWIDTH * 501f64.powf(-0.2) * 1001.0 / TAU.sqrt();
        let (mean, deviation) = mean_and_deviation_of(indices.iter().map(|indices| indices[0]));
        assert!((mean - 500.0).abs() < 4.0 * expected / 20_000f64.sqrt(), "{mean}");
        assert!((deviation / expected - 1.0).abs() < 0.02, "{deviation} {expected}");
    }

    #[test]
    fn scores_that_agree_move_alike() {
        let a: Vec<f64> = (0..60).map(|row| f64::from(row * row)).collect();
        let (b, opposite): (Vec<f64>, Vec<f64>) = a.iter().map(|score| (score.sqrt(), -score)).unzip();
        let labels: Vec<u8> = (0..60).map(|row| u8::from(row % 3 == 0)).collect();
        assert!(moved([&a, &b], &labels, 20, 500).iter().all(|indices| indices[0] == indices[1]));
        let opposed = moved([&a, &opposite], &labels, 30, 4_000);
        let (mean, deviation) = mean_and_deviation_of(opposed.iter().map(|indices| indices[0] + indices[1]));
        assert!((mean - 59.0).abs() < 0.1 && deviation < 1.0, "{mean} {deviation}");
    }

    #[test]
    fn no_row_leaves_the_ranks() {
        for rows in [2usize, 3, 10] {
            let scores: Vec<f64> = (0..rows).map(|row| row as f64).collect();
            let labels: Vec<u8> = (0..rows).map(|row| u8::from(row == 0)).collect();
            for row in 0..rows {
                let indices = moved([&scores, &scores], &labels, row, 2_000);
                assert!(indices.iter().flatten().all(|&index| index < rows));
                assert!(indices.contains(&[rows - 1 - row; 2]));
            }
        }
    }

    #[test]
    fn rows_of_a_wide_tie_mostly_stay() {
        let scores: Vec<f64> = (0..3000).map(|row| f64::from(row / 1000)).collect();
        let labels: Vec<u8> = (0..3000).map(|row| u8::from(row % 2 == 0)).collect();
        let indices = moved([&scores, &scores], &labels, 1500, 10_000);
        let stayed = indices.iter().filter(|indices| indices[0] == 1).count();
        assert!((8_500..9_500).contains(&stayed), "{stayed}");
        assert_eq!(correlation(&[1.0, 1.0], &[0.0, 1.0]), 0.0);
        assert!((correlation(&[1.0, 2.0, 4.0], &[3.0, 2.0, 0.0]) + 1.0).abs() < 1e-15);
    }
}
