//! Bins of scores.

use super::isotonic::{Rate, pool};
use super::masses::{Masses, ScoreMass};
use crate::math::sum::Sum;
use crate::ranking::ties::Count;
use crate::statistics::options::{FromOptions, OptionError, Options, words};

/// The division of scores into bins; each excludes its lower edge and includes its upper edge.
#[derive(Clone, Debug)]
pub enum Binning {
    /// This number of bins between quantiles of the scores.
    Quantile(u32),
    /// This number of bins of equal width.
    Uniform(u32),
    /// Bins between specified edges.
    Edges(Vec<f64>),
}

/// Methods for bins with edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeMethod {
    /// About equal numbers of rows.
    Quantile,
    /// Equal widths.
    Uniform,
}
words!(EdgeMethod { "quantile" => Quantile, "uniform" => Uniform });

/// Methods for the bins of a calibration curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinMethod {
    /// About equal numbers of rows.
    Quantile,
    /// Equal widths.
    Uniform,
    /// The blocks of the isotonic regression.
    Isotonic,
}
words!(BinMethod { "quantile" => Quantile, "uniform" => Uniform, "isotonic" => Isotonic });

/// The rows of a bin.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bin {
    /// The bin number; 1 for the lowest scores.
    pub number: u64,
    /// Its edges.
    pub edges: (f64, f64),
    /// Positives and negatives, or their weights.
    pub mass: Count<f64>,
    /// The sum of squared weights.
    pub squares: f64,
    /// The sum of the scores of all rows.
    score_sum: Sum,
}

impl Bin {
    /// The mean score.
    pub fn mean_score(&self) -> f64 {
        self.score_sum.total() / self.mass.rows()
    }

    /// The share of positives.
    pub fn rate(&self) -> f64 {
        self.mass.pos / self.mass.rows()
    }

    /// The number of rows; with weights, Kish's effective number (1965).
    pub fn effective_rows(&self) -> f64 {
        self.mass.rows() * (self.mass.rows() / self.squares)
    }

    fn add(&mut self, score: &ScoreMass) {
        self.mass = self.mass.plus(score.mass);
        self.squares += score.squares.rows();
        self.score_sum.add_product(score.score, score.mass.rows());
    }
}

impl FromOptions for Binning {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let method = options.optional_word("method")?;
        let bins = options.optional_integer("bins", 1..=1_000_000)?;
        if options.has("edges") {
            if let Some(other) = ["method", "bins"].iter().find(|name| options.has(name)) {
                return Err(OptionError::new("edges", format!("cannot be combined with `{other}`")));
            }
            let edges = options.rates("edges")?;
            if edges.len() < 2 || !edges.is_sorted_by(|a, b| a < b) {
                return Err(options.must_be("edges", "be two or more ascending numbers"));
            }
            return Ok(Binning::Edges(edges));
        }
        let bins = bins.unwrap_or(10);
        Ok(match method.unwrap_or(EdgeMethod::Quantile) {
            EdgeMethod::Quantile => Binning::Quantile(bins),
            EdgeMethod::Uniform => Binning::Uniform(bins),
        })
    }
}

impl Binning {
    /// The non-empty bins, lowest scores first.
    pub fn bins(&self, masses: &Masses) -> Vec<Bin> {
        match self {
            Binning::Edges(edges) => between(edges, masses),
            &Binning::Uniform(bins) => {
                let width = 1.0 / f64::from(bins);
                let edge = |edge: u32| if edge == bins { 1.0 } else { f64::from(edge) * width };
                between(&(0..=bins).map(edge).collect::<Vec<_>>(), masses)
            }
            &Binning::Quantile(bins) => between(&quantile_edges(masses, bins), masses),
        }
    }
}

/// Quantiles of the scores, including minimum and maximum. For rows they are interpolated linearly (Hyndman
/// and Fan 1996, type 7); for weights they use the distribution function.
pub fn quantile_edges(masses: &Masses, bins: u32) -> Vec<f64> {
    let scores = &masses.scores;
    let (mut reach, mut sum) = (Vec::with_capacity(scores.len()), 0.0);
    for score in scores {
        sum += score.mass.rows();
        reach.push(sum);
    }
    let last = scores.len() - 1;
    let at = |rank: f64| scores[reach.partition_point(|&reach| reach <= rank).min(last)].score;
    (0..=bins)
        .map(|edge| {
            if masses.has_weights {
                let mass = sum * f64::from(edge) / f64::from(bins);
                return scores[reach.partition_point(|&reach| reach < mass).min(last)].score;
            }
            // As integers: a rounded rank would move the rows of a score on an edge to the next bin.
            let (ranks, bins) = ((sum - 1.0) * f64::from(edge), f64::from(bins));
            let rest = ranks % bins;
            let rank = (ranks - rest) / bins;
            let (low, high) = (at(rank), at(rank + 1.0));
            low + (high - low) * (rest / bins)
        })
        .collect()
}

/// The non-empty bins between these edges. Scores beyond the edges belong to no bin.
pub fn between(edges: &[f64], masses: &Masses) -> Vec<Bin> {
    let (lowest, inner) = (edges[0], &edges[1..edges.len() - 1]);
    let highest = edges[edges.len() - 1];
    let mut bins: Vec<Bin> = Vec::new();
    for score in masses.scores.iter().filter(|score| (lowest..=highest).contains(&score.score)) {
        let index = inner.partition_point(|&edge| edge < score.score);
        let number = index as u64 + 1;
        if bins.last().is_none_or(|bin| bin.number != number) {
            bins.push(Bin { number, edges: (edges[index], edges[index + 1]), ..Bin::default() });
        }
        if let Some(bin) = bins.last_mut() {
            bin.add(score);
        }
    }
    bins
}

/// Masses of rows without weights, as counts.
pub fn rows_of(mass: Count<f64>) -> Count {
    Count { pos: mass.pos as u64, neg: mass.neg as u64 }
}

/// The blocks of the isotonic regression, lowest scores first; their edges are the lowest and the highest
/// score.
pub fn isotonic(masses: &Masses) -> Vec<Bin> {
    let mut blocks: Vec<Bin> = Vec::new();
    let are_in_order = |lower: &Bin, upper: &Bin| match masses.has_weights {
        true => f64::is_below(lower.mass, upper.mass),
        false => u64::is_below(rows_of(lower.mass), rows_of(upper.mass)),
    };
    let join = |lower: Bin, upper: Bin| Bin {
        edges: (lower.edges.0, upper.edges.1),
        mass: lower.mass.plus(upper.mass),
        squares: lower.squares + upper.squares,
        score_sum: lower.score_sum.plus(upper.score_sum),
        ..upper
    };
    for score in &masses.scores {
        let mut block = Bin { edges: (score.score, score.score), ..Bin::default() };
        block.add(score);
        pool(&mut blocks, block, are_in_order, join);
    }
    (1..).zip(&mut blocks).for_each(|(number, block)| block.number = number);
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::calibration::masses::tests::masses;

    #[test]
    fn edges_belong_to_the_bin_below() {
        let bins = Binning::Uniform(2).bins(&masses(&[
            (0.0, 1.0, 0.0),
            (0.5, 1.0, 1.0),
            (0.75, 0.0, 1.0),
            (1.0, 2.0, 0.0),
        ]));
        let rows: Vec<(u64, f64, f64)> =
            bins.iter().map(|bin| (bin.number, bin.mass.pos, bin.mass.neg)).collect();
        assert_eq!(rows, [(1, 2.0, 1.0), (2, 2.0, 1.0)]);
        assert_eq!((bins[0].edges, bins[1].mean_score()), ((0.0, 0.5), 2.75 / 3.0));
        // Scores beyond the edges belong to no bin, and empty bins are omitted.
        let some = between(&[0.5, 0.6, 0.8], &masses(&[(0.25, 1.0, 0.0), (0.75, 1.0, 0.0)]));
        assert_eq!((some.len(), some[0].number), (1, 2));
    }

    #[test]
    fn weighted_quantiles_equal_repeated_rows() {
        let edges = quantile_edges(&masses(&[(0.25, 2.0, 0.0), (0.5, 1.0, 0.0), (0.75, 1.0, 1.0)]), 4);
        assert_eq!(edges, [0.25, 0.25, 0.5, 0.75, 0.75]);
        assert_eq!(quantile_edges(&masses(&[(0.0, 1.0, 0.0), (1.0, 1.0, 0.0)]), 2), [0.0, 0.5, 1.0]);
    }

    #[test]
    fn isotonic_blocks() {
        let blocks = isotonic(&masses(&[(0.1, 0.0, 2.0), (0.2, 1.0, 1.0), (0.3, 0.0, 1.0), (0.4, 2.0, 0.0)]));
        let rates: Vec<f64> = blocks.iter().map(Bin::rate).collect();
        assert_eq!(rates, [0.0, 1.0 / 3.0, 1.0]);
        assert_eq!((blocks[1].edges, blocks[1].number), ((0.2, 0.3), 2));
    }
}
