//! The rows of a group before ranking: scores, labels, and the mass of each row.

use super::bits::Bits;
use super::key::Score;
use crate::cache;
use crate::ranking::tuning::PREFETCH_DISTANCE;

/// The mass of rows.
#[derive(Clone, Copy, Debug)]
pub enum Mass<'a> {
    /// One each.
    Row,
    /// A number of identical rows: positive integers for rows in use.
    Counts(&'a [f64]),
    /// A weight: positive and finite for rows in use.
    Weights(&'a [f64]),
}

/// The rows of a group before ranking.
#[derive(Clone, Copy, Debug)]
pub struct Observations<'a, S> {
    pub(crate) scores: &'a [S],
    pub(crate) labels: Bits<'a>,
    pub(crate) valid: Option<Bits<'a>>,
    pub(crate) mass: Mass<'a>,
    /// All represented rows, including skipped ones.
    pub(crate) all_rows: u64,
    /// Rows in which only the label is missing.
    pub(crate) n_unlabelled: u64,
}

impl<'a, S: Score> Observations<'a, S> {
    /// Rows of scores and labels; rows whose `valid` bit is 0 are skipped.
    ///
    /// # Panics
    /// Panics if `labels` or `valid` differ in length from `scores`.
    pub fn new(scores: &'a [S], labels: Bits<'a>, valid: Option<Bits<'a>>) -> Self {
        let rows = scores.len();
        assert!(labels.len() == rows && valid.is_none_or(|valid| valid.len() == rows));
        Observations { scores, labels, valid, mass: Mass::Row, all_rows: rows as u64, n_unlabelled: 0 }
    }

    /// Sets the number of skipped rows in which only the label is missing.
    pub fn with_unlabelled(self, n_unlabelled: u64) -> Self {
        Observations { n_unlabelled, ..self }
    }

    /// Adds weights, which are positive and finite for rows in use.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn with_weights(self, weights: &'a [f64]) -> Self {
        assert_eq!(weights.len(), self.scores.len());
        Observations { mass: Mass::Weights(weights), ..self }
    }

    /// Adds counts of identical rows, which are positive integers for rows in use. `all_rows` is the number
    /// of represented rows, including skipped ones.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn with_counts(self, counts: &'a [f64], all_rows: u64) -> Self {
        assert_eq!(counts.len(), self.scores.len());
        Observations { mass: Mass::Counts(counts), all_rows, ..self }
    }

    /// The numbers of negatives and positives in use.
    pub(crate) fn rows_of_classes(&self) -> [usize; 2] {
        let n_pos = self.labels.count(self.valid);
        [self.valid.map_or(self.scores.len(), |valid| valid.count(None)) - n_pos, n_pos]
    }

    /// The same rows with their masses as scores; no rows if each mass is one row.
    pub(crate) fn with_masses_as_scores(&self) -> Observations<'a, f64> {
        let Observations { labels, valid, all_rows, n_unlabelled, .. } = *self;
        match self.mass {
            Mass::Row => Observations::new(&[], labels.slice(0, 0), None),
            Mass::Counts(scores) | Mass::Weights(scores) => {
                Observations { scores, labels, valid, mass: Mass::Row, all_rows, n_unlabelled }
            }
        }
    }

    /// `rows` rows from row `first` on.
    pub(crate) fn slice(&self, first: usize, rows: usize) -> Self {
        let mass = match self.mass {
            Mass::Row => Mass::Row,
            Mass::Counts(counts) => Mass::Counts(&counts[first..first + rows]),
            Mass::Weights(weights) => Mass::Weights(&weights[first..first + rows]),
        };
        Observations {
            scores: &self.scores[first..first + rows],
            labels: self.labels.slice(first, rows),
            valid: self.valid.map(|valid| valid.slice(first, rows)),
            mass,
            all_rows: rows as u64,
            n_unlabelled: 0,
        }
    }

    /// The rows in about `blocks` blocks of one length; the last block may be shorter.
    pub(crate) fn blocks(&self, blocks: usize) -> Vec<Self> {
        self.blocks_of(self.scores.len().div_ceil(blocks).max(1)).collect()
    }

    /// The rows in blocks of this length; the last block may be shorter.
    pub(crate) fn blocks_of(&self, block: usize) -> impl Iterator<Item = Self> {
        let rows = self.scores.len();
        (0..rows).step_by(block).map(move |first| self.slice(first, block.min(rows - first)))
    }

    /// All rows, 64 at a time.
    #[inline]
    pub(crate) fn words(&self) -> Words<'_, 'a, S> {
        Words { rows: self, first: 0 }
    }
}

/// The iterator of [`Observations::words`].
pub(crate) struct Words<'r, 'a, S> {
    rows: &'r Observations<'a, S>,
    /// The first remaining row.
    first: usize,
}

impl<'a, S> Iterator for Words<'_, 'a, S> {
    type Item = Word<'a, S>;

    // Always inlined, so that a word stays in registers. Through memory it would be stored in small pieces
    // and loaded in larger ones, which defeats store forwarding. Measured on 10^7 rows: `roc_auc` takes 3 %
    // less time.
    #[inline(always)]
    fn next(&mut self) -> Option<Word<'a, S>> {
        let Observations { scores: all, labels, valid, mass, .. } = *self.rows;
        let first = self.first;
        let scores = all.get(first..all.len().min(first + 64)).filter(|scores| !scores.is_empty())?;
        self.first = first + scores.len();
        cache::prefetch(
            all.get(first + PREFETCH_DISTANCE..first + PREFETCH_DISTANCE + 64).unwrap_or_default(),
        );
        let masses = match mass {
            Mass::Row => &[],
            Mass::Counts(masses) | Mass::Weights(masses) => &masses[first..self.first],
        };
        Some(Word {
            scores,
            masses,
            labels: labels.word(first),
            used: valid.map_or(u64::MAX >> (64 - scores.len()), |valid| valid.word(first)),
        })
    }
}

/// The numbers of negatives and positives in use, over all pieces.
pub(crate) fn rows_of_classes<S: Score>(pieces: &[Observations<'_, S>]) -> [usize; 2] {
    let sum = |[neg, pos]: [usize; 2], rows: &Observations<'_, S>| {
        let [more_neg, more_pos] = rows.rows_of_classes();
        [neg + more_neg, pos + more_pos]
    };
    pieces.iter().fold([0, 0], sum)
}

/// The rows of all pieces in about `blocks` blocks, each of one or more pieces.
pub(crate) fn blocks<'a, S: Score>(
    pieces: &[Observations<'a, S>],
    blocks: usize,
) -> Vec<Vec<Observations<'a, S>>> {
    if pieces.len() >= blocks {
        return pieces.chunks(pieces.len().div_ceil(blocks)).map(<[_]>::to_vec).collect();
    }
    let piece_blocks = |rows: &Observations<'a, S>| rows.blocks(blocks.div_ceil(pieces.len()));
    pieces.iter().flat_map(piece_blocks).map(|rows| vec![rows]).collect()
}

/// Up to 64 consecutive rows, the first in the lowest bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a, S> {
    pub scores: &'a [S],
    /// The counts or weights of the rows, if any.
    pub masses: &'a [f64],
    /// Which rows are positives.
    pub labels: u64,
    /// Rows in use.
    pub used: u64,
}

impl<S: Score> Word<'_, S> {
    /// The class of a row: 1 for positives.
    #[inline]
    pub fn class(&self, row: usize) -> usize {
        (self.labels >> row & 1) as usize
    }

    /// Whether a row is in use.
    #[inline]
    pub fn is_used(&self, row: usize) -> bool {
        self.used >> row & 1 == 1
    }

    /// Whether all rows are in use.
    #[inline]
    pub fn are_all_used(&self) -> bool {
        self.used.count_ones() as usize == self.scores.len()
    }

    /// Whether the score of any row in use is NaN.
    #[inline]
    pub fn has_nan(&self) -> bool {
        // A SIMD test of all scores. NaN is rare, so the exact test is rarely needed.
        let any = self.scores.iter().fold(false, |any, score| any | score.is_nan());
        any && self.scores.iter().enumerate().any(|(row, score)| self.is_used(row) && score.is_nan())
    }
}
