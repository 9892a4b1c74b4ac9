//! Resampled counts: the counts of a group in a bootstrap resample.
//!
//! A few rows are resampled one by one. For many rows, the distinct scores are first joined into cells, each
//! with at most 1/512 of either class in addition to its first score. A resample draws the number of rows of
//! each cell, so its time depends on the number of cells, not of rows. The curve through the cells is within
//! a cell of the curve of all scores, and its points are points of that curve.

use crate::math::Stream;
use crate::ranking::ties::Count;
use crate::statistics::options::words;

/// Up to this number of rows, rows are resampled one by one. This takes as long as 2^10 cells.
const MAX_ROWS: u64 = 1 << 14;

/// A cell contains at most 1 / `CELLS` of either class, in addition to its first score. With 512, the loss
/// within a cell is less than 1/20 of the differences between resamples.
const CELLS: u64 = 1 << 9;

/// The kind of resampling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draw {
    /// The observed number of positives and of negatives.
    #[default]
    Stratified,
    /// The observed number of rows, of either class.
    Plain,
}

words!(Draw { "stratified" => Stratified, "plain" => Plain });

/// The counts of cells, and the index of the last count of each; `None` if there are few rows.
pub fn cells(counts: &[Count]) -> Option<(Vec<Count>, Vec<usize>)> {
    let all = Count::sum(counts);
    if all.rows() <= MAX_ROWS {
        return None;
    }
    let max = Count { pos: all.pos / CELLS, neg: all.neg / CELLS };
    let (mut cells, mut last) = (Vec::<Count>::new(), Vec::new());
    for (index, &count) in counts.iter().enumerate() {
        let together = cells.last().map(|cell| cell.plus(count));
        match together.filter(|together| together.pos <= max.pos && together.neg <= max.neg) {
            Some(together) => {
                *cells.last_mut().expect("there is a cell") = together;
                *last.last_mut().expect("there is a cell") = index;
            }
            None => {
                cells.push(count);
                last.push(index);
            }
        }
    }
    Some((cells, last))
}

/// The counts that are resampled, highest score first.
#[derive(Clone, Debug)]
pub struct Redraw {
    counts: Vec<Count>,
    /// For each row, the index of its count; negatives first, and within a class lowest scores first. Empty
    /// if cells are resampled.
    indices: Vec<u32>,
    all: Count,
    draw: Draw,
}

impl Redraw {
    /// Resamples rows one by one, for any number of rows.
    pub fn rows(counts: &[Count], draw: Draw) -> Self {
        let class_indices = |f: fn(&Count) -> u64| {
            let lowest_first = (0u32..).zip(counts).collect::<Vec<_>>().into_iter().rev();
            lowest_first.flat_map(move |(index, count)| std::iter::repeat_n(index, f(count) as usize))
        };
        let indices = class_indices(|count| count.neg).chain(class_indices(|count| count.pos)).collect();
        Redraw { counts: counts.to_vec(), indices, all: Count::sum(counts), draw }
    }

    /// Resamples rows if there are few, otherwise cells. Also returns the index of the last count of each
    /// cell.
    pub fn fitting(counts: &[Count], draw: Draw) -> (Self, Vec<usize>) {
        let Some((cells, last)) = cells(counts) else {
            return (Self::rows(counts, draw), (0..counts.len()).collect());
        };
        (Redraw { counts: cells, indices: Vec::new(), all: Count::sum(counts), draw }, last)
    }

    /// Whether cells are resampled, not rows.
    pub fn draws_cells(&self) -> bool {
        self.indices.is_empty()
    }

    /// The counts that are resampled.
    pub fn counts(&self) -> &[Count] {
        &self.counts
    }

    /// Writes a resample into `resample`, which gets the length of the counts.
    pub fn draw(&self, stream: &mut Stream, resample: &mut Vec<Count>) {
        resample.clear();
        resample.resize(self.counts.len(), Count::default());
        if self.draws_cells() {
            return self.draw_cells(stream, resample);
        }
        let (neg, pos) = self.indices.split_at(self.all.neg as usize);
        match self.draw {
            Draw::Stratified => {
                stream.indices(neg.len() as u32, neg.len(), |row| resample[neg[row] as usize].neg += 1);
                stream.indices(pos.len() as u32, pos.len(), |row| resample[pos[row] as usize].pos += 1);
            }
            Draw::Plain => {
                let rows = self.indices.len();
                stream.indices(rows as u32, rows, |row| {
                    resample[self.indices[row] as usize].add(row >= neg.len(), 1);
                });
            }
        }
    }

    /// Draws the number of rows of each cell in turn: each takes its share of the remaining rows.
    fn draw_cells(&self, stream: &mut Stream, resample: &mut [Count]) {
        let mut rest = match self.draw {
            Draw::Stratified => self.all,
            Draw::Plain => {
                let rows = self.all.rows();
                let pos = stream.binomial(rows, self.all.pos as f64 / rows as f64);
                Count { pos, neg: rows - pos }
            }
        };
        let mut below = self.all;
        for (resample, cell) in resample.iter_mut().zip(&self.counts) {
            let mut share = |rest: &mut u64, below: &mut u64, cell: u64| {
                let rows =
                    if cell == *below { *rest } else { stream.binomial(*rest, cell as f64 / *below as f64) };
                *rest -= rows;
                *below -= cell;
                rows
            };
            if cell.neg > 0 {
                resample.neg = share(&mut rest.neg, &mut below.neg, cell.neg);
            }
            if cell.pos > 0 {
                resample.pos = share(&mut rest.pos, &mut below.pos, cell.pos);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(ties: u64, f: impl Fn(u64) -> (u64, u64)) -> Vec<Count> {
        (0..ties).map(f).map(|(pos, neg)| Count { pos, neg }).collect()
    }

    #[test]
    fn classes_keep_their_rows() {
        let few = counts(300, |i| (i % 3, (i + 1) % 2));
        let many = counts(70_000, |i| (u64::from(i % 5 == 0), u64::from(i % 5 > 0)));
        for counts in [few, many] {
            let (redraw, last) = Redraw::fitting(&counts, Draw::Stratified);
            assert_eq!(redraw.counts().len(), last.len());
            assert_eq!(last.last(), Some(&(counts.len() - 1)));
            let mut resample = Vec::new();
            for replicate in 0..20 {
                redraw.draw(&mut Stream::new(1, replicate), &mut resample);
                assert_eq!(Count::sum(&resample), Count::sum(&counts));
            }
            let (plain, _) = Redraw::fitting(&counts, Draw::Plain);
            plain.draw(&mut Stream::new(1, 0), &mut resample);
            assert_eq!(Count::sum(&resample).rows(), Count::sum(&counts).rows());
            assert_ne!(Count::sum(&resample), Count::sum(&counts));
        }
    }

    #[test]
    fn cells_are_small_and_complete() {
        // A heavy tie is a separate cell, or the first score of one.
        let counts = counts(60_000, |i| if i == 777 { (30_000, 5) } else { (i % 2, 1 - i % 2) });
        let (redraw, last) = Redraw::fitting(&counts, Draw::Stratified);
        assert_eq!(Count::sum(redraw.counts()), Count::sum(&counts));
        assert!(redraw.counts().len() < 3 * CELLS as usize, "{}", redraw.counts().len());
        let mut first = 0;
        for (cell, &last) in redraw.counts().iter().zip(&last) {
            assert_eq!(*cell, Count::sum(&counts[first..=last]));
            first = last + 1;
        }
    }

    /// Cells have the variation of resampled rows: the mean and the variance of the rows above a score.
    #[test]
    fn cells_vary_as_rows_do() {
        let counts = counts(20_000, |i| (u64::from(i % 4 == 0), u64::from(i % 4 > 0)));
        let (cells, last) = Redraw::fitting(&counts, Draw::Stratified);
        assert!(last.len() < 2500);
        let half = last.iter().position(|&index| index >= 9_999).unwrap() + 1;
        let share = Count::sum(&cells.counts()[..half]).neg as f64 / 15_000.0;
        let mut resample = Vec::new();
        let above: Vec<f64> = (0..2000)
            .map(|replicate| {
                cells.draw(&mut Stream::new(3, replicate), &mut resample);
                Count::sum(&resample[..half]).neg as f64 / 15_000.0
            })
            .collect();
        let (mean, deviation) = crate::math::quantile::mean_and_deviation(&above);
        let expected = (share * (1.0 - share) / 15_000.0).sqrt();
        assert!((mean - share).abs() < 5.0 * expected / 2000f64.sqrt(), "{mean} {share}");
        assert!((deviation / expected - 1.0).abs() < 0.08, "{deviation} {expected}");
    }
}
