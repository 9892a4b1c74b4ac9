//! Bands of the isotonic calibration curve.

use super::bins::{Bin, rows_of};
use super::isotonic::{Rate, pool};
use super::masses::Masses;
use crate::math::{binomial, quantile};
use crate::ranking::ties::Count;
use crate::statistics::inference::interval::tail;
use crate::statistics::options::words;
use crate::statistics::resampling::Resampling;

/// The maximum number of cells of the confidence band. Measured for 200 to 50,000 rows with distinct scores: the
/// mean width is at most 4 % above that of the best number, which is 25 for the fewest rows and 200 for the
/// most.
const MAX_CELLS: usize = 200;

/// Bands of the isotonic regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandMethod {
    /// Contains the probabilities of a positive.
    Confidence,
    /// Contains the rates of calibrated scores.
    Consistency,
}
words!(BandMethod { "confidence" => Confidence, "consistency" => Consistency });

/// A band with its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// Contains the probabilities of a positive.
    Confidence,
    /// Contains the rates of calibrated scores, from resampled labels.
    Consistency(Resampling),
}

/// A probability p and 1 - p.
type Both = (f64, f64);

/// Consecutive scores.
#[derive(Clone, Copy, Debug)]
struct Cell {
    lowest: f64,
    highest: f64,
    count: Count,
}

impl Band {
    /// The approximate number of passes over the rows of a group.
    pub fn passes(self) -> usize {
        match self {
            Band::Confidence => MAX_CELLS,
            Band::Consistency(resampling) => resampling.passes(),
        }
    }

    /// The limits of the isotonic blocks of rows without weights.
    pub fn limits(self, masses: &Masses, blocks: &[Bin], level: f64) -> Vec<(f64, f64)> {
        match self {
            Band::Confidence => confidence(&cells(masses, MAX_CELLS), blocks, level),
            Band::Consistency(resampling) => consistency(masses, blocks, level, resampling),
        }
    }
}

/// The distinct scores, or if they are more than `max`, at most so many cells of about equal numbers of
/// rows.
fn cells(masses: &Masses, max: usize) -> Vec<Cell> {
    let is_joined = masses.scores.len() > max;
    let rows = u128::from(rows_of(masses.all).rows());
    let (mut before, mut last) = (0, None);
    let mut cells: Vec<Cell> = Vec::with_capacity(masses.scores.len().min(max));
    for score in &masses.scores {
        let count = rows_of(score.mass);
        let number = is_joined.then(|| u128::from(before) * max as u128 / rows);
        before += count.rows();
        match cells.last_mut() {
            Some(cell) if is_joined && last == number => {
                (cell.highest, cell.count) = (score.score, cell.count.plus(count));
            }
            _ => cells.push(Cell { lowest: score.score, highest: score.score, count }),
        }
        last = number;
    }
    cells
}

/// The simultaneous confidence band of the probabilities of a positive (Dimitriadis, Duembgen, Henzi, Puke
/// and Ziegel 2023).
///
/// The probability at a score is at most the highest, and at least the lowest, of any run of cells. The
/// positives of a run that begins at the score are thus stochastically at least binomial with the probability
/// there. An upper limit of Clopper and Pearson (1934) for the run is an upper limit at the score and below.
/// The lower limits are the mirror image. All runs hold together by Bonferroni's inequality.
///
/// Limits of a block hold at all scores in it: the lower one is of its lowest score, the upper one of its
/// highest. If rates decrease significantly within a block, no isotonic probabilities fit. The limits are
/// then extended to its rate.
fn confidence(cells: &[Cell], blocks: &[Bin], level: f64) -> Vec<(f64, f64)> {
    let run_level = (1.0 - level) / (cells.len() as f64 * (cells.len() as f64 + 1.0));
    let lower = lower_limits(cells.iter().map(|cell| cell.count), run_level);
    let mirrored = |cell: &Cell| Count { pos: cell.count.neg, neg: cell.count.pos };
    let mut upper = lower_limits(cells.iter().rev().map(mirrored), run_level);
    upper.reverse();
    let block_limits = |block: &Bin| {
        let (lowest, highest) = block.edges;
        let below = cells.partition_point(|cell| cell.highest <= lowest);
        let above = cells.partition_point(|cell| cell.lowest < highest);
        let (low, high) = (below.checked_sub(1).map_or(0.0, |cell| lower[cell].0), upper.get(above));
        (low.min(block.rate()), high.map_or(1.0, |high| high.1).max(block.rate()))
    };
    blocks.iter().map(block_limits).collect()
}

/// For each cell, the highest lower limit of all runs of cells that end there or before.
fn lower_limits(counts: impl Iterator<Item = Count>, run_level: f64) -> Vec<Both> {
    let counts: Vec<Count> = counts.collect();
    let mut highest = (0.0, 1.0);
    let end_limits = |end: usize| {
        let mut run = Count::default();
        for &count in counts[..=end].iter().rev() {
            run = run.plus(count);
            if let Some(limit) = binomial::lower_limit_above(run.pos, run.rows(), run_level, highest) {
                highest = limit;
            }
        }
        highest
    };
    (0..counts.len()).map(end_limits).collect()
}

/// The consistency band: quantiles of the isotonic fit at the mean score of each block, for labels that are
/// positive with the probability of their score.
///
/// Between two distinct scores the fit is linear, as in the diagrams of Dimitriadis, Gneiting and Jordan
/// (2021). Labels are drawn in ascending order of scores.
fn consistency(masses: &Masses, blocks: &[Bin], level: f64, resampling: Resampling) -> Vec<(f64, f64)> {
    let scores = &masses.scores;
    // The last score up to the mean, and the share of the way to the next one.
    let position = |block: &Bin| {
        let mean = block.mean_score().clamp(block.edges.0, block.edges.1);
        let index = scores.partition_point(|score| score.score <= mean).saturating_sub(1);
        let low = scores[index].score;
        let share = scores.get(index + 1).map_or(0.0, |next| (mean - low) / (next.score - low));
        (index, share)
    };
    let positions: Vec<(usize, f64)> = blocks.iter().map(position).collect();
    let fits = resampling.each(Vec::new, |fitted: &mut Vec<(Count, usize)>, mut stream| {
        fitted.clear();
        for (index, score) in scores.iter().enumerate() {
            let rows = rows_of(score.mass).rows();
            let pos = stream.binomial(rows, score.score);
            let are_in_order =
                |lower: &(Count, usize), upper: &(Count, usize)| u64::is_below(lower.0, upper.0);
            let join = |lower: (Count, usize), upper: (Count, usize)| (lower.0.plus(upper.0), upper.1);
            pool(fitted, (Count { pos, neg: rows - pos }, index), are_in_order, join);
        }
        let fit = |index: usize| {
            let block = fitted.partition_point(|&(_, last)| last < index);
            fitted.get(block).map_or(f64::NAN, |(count, _)| count.pos as f64 / count.rows() as f64)
        };
        let value_at = |&(index, share): &(usize, f64)| match share > 0.0 {
            true => fit(index) + share * (fit(index + 1) - fit(index)),
            false => fit(index),
        };
        positions.iter().map(value_at).collect::<Vec<f64>>()
    });
    let quantiles = |block: usize| {
        let mut rates: Vec<f64> = fits.iter().map(|fit| fit[block]).collect();
        let lower = quantile::unsorted_quantile(&mut rates, tail(level));
        (lower, quantile::unsorted_quantile(&mut rates, 1.0 - tail(level)))
    };
    (0..blocks.len()).map(quantiles).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Stream;
    use crate::statistics::calibration::bins::isotonic;
    use crate::statistics::calibration::masses::tests::masses;

    /// Labels of scores (i + 1/2) / m, each with `rows` rows, that are positive with their probability.
    fn calibrated(m: u32, rows: u64, seed: u64) -> Masses {
        let mut stream = Stream::new(seed, 1);
        let scores: Vec<(f64, f64, f64)> = (0..m)
            .map(|index| {
                let score = (f64::from(index) + 0.5) / f64::from(m);
                let pos = stream.binomial(rows, score);
                (score, pos as f64, (rows - pos) as f64)
            })
            .collect();
        masses(&scores)
    }

    #[test]
    fn cells_have_about_equal_rows() {
        let masses = calibrated(1000, 3, 2);
        let join = |max: usize| cells(&masses, max);
        assert_eq!((join(1000).len(), join(200).len(), join(7).len(), join(1).len()), (1000, 200, 7, 1));
        assert!(join(200).iter().all(|cell| cell.count.rows() == 15));
        assert!(join(7).is_sorted_by(|a, b| a.highest < b.lowest));
        assert_eq!(join(7).iter().map(|cell| cell.count.rows()).sum::<u64>(), 3000);
    }

    /// The definition, for all runs.
    #[test]
    fn confidence_limits_are_those_of_all_runs() {
        for (m, max) in [(1, 200), (6, 200), (40, 200), (40, 9)] {
            let masses = calibrated(m, 20, m.into());
            let (cells, blocks) = (cells(&masses, max), isotonic(&masses));
            let run_level = 0.1 / (cells.len() as f64 * (cells.len() as f64 + 1.0));
            for (block, (lower, upper)) in blocks.iter().zip(confidence(&cells, &blocks, 0.9)) {
                let (mut low, mut high) = (0.0f64, 1.0f64);
                for first in 0..cells.len() {
                    for last in first..cells.len() {
                        let run = Count::sum(cells[first..=last].iter().map(|cell| &cell.count));
                        let (p, q) = binomial::clopper_pearson(run.pos, run.rows(), 1.0 - 2.0 * run_level);
                        if cells[last].highest <= block.edges.0 {
                            low = low.max(p);
                        }
                        if cells[first].lowest >= block.edges.1 {
                            high = high.min(q);
                        }
                    }
                }
                assert!((lower - low.min(block.rate())).abs() < 1e-9, "{lower} {low}");
                assert!((upper - high.max(block.rate())).abs() < 1e-9, "{upper} {high}");
            }
        }
    }

    #[test]
    fn confidence_bands_contain_the_probabilities() {
        let holds = |seed: u64| {
            let masses = calibrated(300, 4, seed);
            let blocks = isotonic(&masses);
            let limits = Band::Confidence.limits(&masses, &blocks, 0.8);
            blocks
                .iter()
                .zip(limits)
                .all(|(block, (lower, upper))| lower <= block.edges.0 && block.edges.1 <= upper)
        };
        assert!((0..100).filter(|&seed| holds(seed)).count() >= 80);
    }

    #[test]
    fn limits_extend_to_the_rate_of_a_block() {
        let masses = masses(&[(0.2, 900.0, 100.0), (0.8, 100.0, 900.0)]);
        let blocks = isotonic(&masses);
        assert_eq!(Band::Confidence.limits(&masses, &blocks, 0.95), [(0.5, 0.5)]);
    }

    #[test]
    fn consistency_bands_contain_calibrated_rates() {
        let resampling = Resampling { n_resamples: 100, seed: 3 };
        let (mut blocks_inside, mut all) = (0, 0);
        for seed in 0..50 {
            let masses = calibrated(40, 5, seed);
            let blocks = isotonic(&masses);
            let limits = Band::Consistency(resampling).limits(&masses, &blocks, 0.9);
            let is_inside =
                |(block, (lower, upper)): (&Bin, (f64, f64))| lower <= block.rate() && block.rate() <= upper;
            all += blocks.len();
            blocks_inside += blocks.iter().zip(limits).filter(|&pair| is_inside(pair)).count();
        }
        assert!(blocks_inside as f64 >= 0.85 * all as f64, "{blocks_inside} of {all}");
    }

    #[test]
    fn miscalibrated_blocks_are_outside() {
        let masses = masses(&[(0.1, 50.0, 50.0), (0.9, 90.0, 10.0)]);
        let resampling = Resampling { n_resamples: 200, seed: 0 };
        let limits = Band::Consistency(resampling).limits(&masses, &isotonic(&masses), 0.95);
        assert!(limits[0].1 < 0.5 && limits[1].0 < 0.9 && limits[1].1 > 0.9, "{limits:?}");
        // Certain scores have no spread.
        let masses = masses_of_certain_scores();
        let limits = Band::Consistency(resampling).limits(&masses, &isotonic(&masses), 0.95);
        assert_eq!(limits, [(0.0, 0.0), (1.0, 1.0)]);
    }

    fn masses_of_certain_scores() -> Masses {
        masses(&[(0.0, 1.0, 3.0), (1.0, 3.0, 1.0)])
    }
}
