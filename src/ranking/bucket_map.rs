//! Monotone maps of positions to buckets: a cumulative distribution, fitted to a sample by one straight line
//! or piecewise linearly.
//!
//! Invariant: a map is non-decreasing. Each of its operations is monotone even after rounding, and the order
//! of the buckets depends on nothing else. The fit affects only how evenly the buckets fill, and so only the
//! speed. A small sample is therefore enough to choose the map. A straight line is used if it spreads the
//! sample well. Otherwise the map has one line for each cell of a grid, which is fine at every order of
//! magnitude.
//!
//! A line from -2 to 2 over 8 buckets maps -2, -0.1, 0.4 and 7 to the buckets 0, 3, 4 and 7. It would map
//! nearly all scores over twelve orders of magnitude to bucket 0. A piecewise map gives each decade buckets
//! by its share of the sample.

use crate::paths::Path;
use crate::ranking::scores::{Observations, Parts, Score};
use crate::ranking::tuning::{
    FULLEST_SHARE, GRID_CELLS, LANES, SAMPLE, SAMPLED_KEYS, STRETCHES, TRUSTED_SCORES,
};

/// A map of positions to `0..buckets`.
#[derive(Clone, Debug)]
pub(in crate::ranking) enum BucketMap {
    /// One straight line: two operations per key.
    Line(Line),
    /// One line per cell, for scores over many orders of magnitude or in clusters.
    PiecewiseLinear(PiecewiseLinear),
}

/// Evaluates an expression with the bucket function of a map; the code is monomorphised for both kinds of
/// map.
macro_rules! with_buckets {
    ($map:expr, $bucket:ident => $does:expr) => {
        match $map {
            BucketMap::Line(line) => {
                let line = *line;
                let $bucket = move |position: f64| line.bucket(position);
                $does
            }
            BucketMap::PiecewiseLinear(lines) => {
                let $bucket = |position: f64| lines.bucket(position);
                $does
            }
        }
    };
}
pub(in crate::ranking) use with_buckets;

/// Row indices of a sample of `rows` rows: evenly spread, with jitter in case the rows are periodic.
pub(in crate::ranking) fn sampled(rows: usize) -> impl Iterator<Item = usize> {
    let every = (rows / SAMPLE).max(1);
    (0..rows / every).take(SAMPLE).map(move |number| {
        // Two multiplications: multiples of a single number are so evenly spread that equal scores would
        // rarely be sampled.
        let mixed = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let jitter = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32;
        number * every + jitter as usize % every
    })
}

/// Scores sampled from all pieces.
pub(in crate::ranking) fn sampled_scores<S: Score>(
    pieces: &[Observations<'_, S>],
) -> impl Iterator<Item = S> {
    let rows = pieces.iter().map(|rows| rows.scores.len()).sum();
    let (mut piece, mut before) = (0, 0);
    // Row indices ascend.
    sampled(rows).map(move |row| {
        while row - before >= pieces[piece].scores.len() {
            before += pieces[piece].scores.len();
            piece += 1;
        }
        pieces[piece].scores[row - before]
    })
}

/// The lowest and the highest position of these keys.
fn ends_of<S: Score, R: Copy>(rows: &[R], key_of: impl Fn(R) -> S::Key) -> (f64, f64) {
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (chunks, rest) = rows.as_chunks::<LANES>();
    let mut widen = |lane: usize, key: S::Key| {
        let position = S::from_key(key).position();
        low[lane] = if position < low[lane] { position } else { low[lane] };
        high[lane] = if position > high[lane] { position } else { high[lane] };
    };
    for chunk in chunks {
        for (lane, &row) in chunk.iter().enumerate() {
            widen(lane, key_of(row));
        }
    }
    for &row in rest {
        widen(0, key_of(row));
    }
    (low.into_iter().fold(f64::INFINITY, f64::min), high.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

impl Default for BucketMap {
    fn default() -> Self {
        BucketMap::Line(Line::default())
    }
}

impl BucketMap {
    /// The map for rows with these keys; the pieces have `rows` rows in total.
    pub fn from_keys<S: Score, R: Copy>(
        pieces: &[&[R]],
        key_of: impl Fn(R) -> S::Key,
        rows: usize,
        buckets: usize,
    ) -> Self {
        if rows < SAMPLED_KEYS {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for piece in pieces {
                let (lowest, highest) = ends_of::<S, R>(piece, &key_of);
                (low, high) = (low.min(lowest), high.max(highest));
            }
            return BucketMap::Line(Line::over(low, high, buckets));
        }
        let mut sample = [0.0; SAMPLE];
        let mut pieces = pieces.iter();
        let (mut piece, mut before) = (&[][..], 0);
        for (position, row) in sample.iter_mut().zip(sampled(rows)) {
            while row - before >= piece.len() {
                before += piece.len();
                piece = pieces.next().copied().unwrap_or_default();
            }
            *position = S::from_key(key_of(piece[row - before])).position();
        }
        BucketMap::fitting(&mut sample, buckets)
    }

    /// The map for these scores; NaN is allowed.
    pub fn from_scores<S: Score>(scores: &[S], buckets: usize) -> Self {
        BucketMap::from_sample(sampled(scores.len()).map(|row| scores[row].position()).collect(), buckets)
    }

    /// The map for the scores of all pieces; NaN is allowed.
    pub fn from_pieces<S: Score>(pieces: &[Observations<'_, S>], buckets: usize) -> Self {
        BucketMap::from_sample(sampled_scores(pieces).map(Score::position).collect(), buckets)
    }

    /// The map for the scores of all parts; NaN is allowed.
    pub fn from_parts<S: Score>(parts: &dyn Parts<S>, buckets: usize) -> Self {
        let mut positions = Vec::new();
        let step = parts.count().min(SAMPLE);
        for part in 0..parts.count() {
            parts.show(part, &mut |rows| {
                // Each part contributes different row indices, because parts may be ordered alike.
                let rows_of_part = sampled(rows.scores.len()).skip(part % step).step_by(step);
                positions.extend(rows_of_part.map(|row| rows.scores[row].position()));
            });
        }
        BucketMap::from_sample(positions, buckets)
    }

    fn from_sample(mut positions: Vec<f64>, buckets: usize) -> Self {
        positions.retain(|position| !position.is_nan());
        BucketMap::fitting(&mut positions, buckets)
    }

    /// The map fitted to a sample of positions. NaN in the sample only worsens the fit.
    fn fitting(sample: &mut [f64], buckets: usize) -> Self {
        sample.sort_unstable_by(f64::total_cmp);
        let [first, .., last] = *sample else {
            return BucketMap::Line(Line::over(0.0, 0.0, buckets));
        };
        // The extremes of a large sample may be outliers, so the line ends at their expected positions. The
        // first and the last bucket take everything beyond. A small sample gives no better estimate than its
        // range.
        let is_large = sample.len() >= SAMPLE / 2;
        let (low, high) = if is_large {
            let (low, high) = (sample[1], sample[sample.len() - 2]);
            let beyond = (high - low) * 2.0 / sample.len() as f64;
            (low - beyond, high + beyond)
        } else {
            (first, last)
        };
        let line = Line::over(low, high, STRETCHES);
        // A tie fills one bucket under any map, so it counts once.
        let mut cells = [0usize; STRETCHES];
        for tie in sample.chunk_by(PartialEq::eq) {
            cells[line.bucket(tie[0]) as usize] += 1;
        }
        let (fullest, distinct) = (cells.into_iter().max().unwrap_or(0), cells.iter().sum::<usize>());
        if !is_large || !Path::PiecewiseLinear.is_on() || fullest * FULLEST_SHARE <= distinct {
            return BucketMap::Line(Line::over(low, high, buckets));
        }
        BucketMap::PiecewiseLinear(PiecewiseLinear::through(sample, buckets))
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ranking) struct Line {
    low: f64,
    scale: f64,
    last: f64,
}

impl Line {
    /// The line that maps `low..=high` to `buckets` buckets.
    pub fn over(low: f64, high: f64, buckets: usize) -> Self {
        // With infinities, or if the range overflows, the line covers the middle of the range. All other
        // numbers go to the first or the last bucket.
        let (low, high) =
            (low.clamp(f64::MIN / 4.0, f64::MAX / 4.0), high.clamp(f64::MIN / 4.0, f64::MAX / 4.0));
        let last = (buckets - 1) as f64;
        Line { low, scale: last / (high - low), last }
    }

    #[inline]
    pub fn bucket(&self, position: f64) -> u32 {
        // `max` also turns NaN into 0; NaN arises if the range is a single point.
        let bucket = ((position - self.low) * self.scale).max(0.0).min(self.last);
        // Adding 2^52 leaves the rounded integer in the low bits, which is cheaper than a saturating cast.
        (bucket + 4_503_599_627_370_496.0).to_bits() as u32
    }
}

/// One line for each cell of a grid over the keys of positions.
///
/// Keys grow with the logarithm of the distance from 0, so cells are fine at every order of magnitude. Each
/// cell gets buckets by its share of the sample, and a line interpolates within the cell.
#[derive(Clone, Debug)]
pub(in crate::ranking) struct PiecewiseLinear {
    /// Key of the lowest position in the sample.
    low: u64,
    /// Cells are `2^shift` keys wide.
    shift: u32,
    cells: Vec<CellLine>,
}

/// The buckets of one cell.
#[derive(Clone, Copy, Debug, Default)]
struct CellLine {
    first: u32,
    line: Line,
}

impl PiecewiseLinear {
    /// Fits the lines to a sorted sample.
    fn through(sample: &[f64], buckets: usize) -> Self {
        let (low, high) = (sample[0].key(), sample[sample.len() - 1].key());
        let shift = (u64::BITS - (high - low).leading_zeros()).saturating_sub(GRID_CELLS.ilog2());
        let mut pieces = PiecewiseLinear { low, shift, cells: vec![CellLine::default(); GRID_CELLS] };
        let first_bucket = |index: usize| (index * buckets / sample.len()).min(buckets - 1);
        let mut index = 0;
        for number in 0..GRID_CELLS {
            let here =
                sample[index..].iter().take_while(|&&position| pieces.cell(position) <= number).count();
            let (first, end) = (first_bucket(index), first_bucket(index + here));
            let line = match sample[index..index + here] {
                [from, .., to] if here >= TRUSTED_SCORES => Line::over(from, to, (end - first).max(1)),
                _ => {
                    let border = |number: usize| f64::from_key(low.saturating_add((number as u64) << shift));
                    Line::over(border(number), border(number + 1), (end - first).max(1))
                }
            };
            pieces.cells[number] = CellLine { first: first as u32, line };
            index += here;
        }
        pieces
    }

    #[inline]
    fn cell(&self, position: f64) -> usize {
        ((position.key().saturating_sub(self.low) >> self.shift) as usize).min(GRID_CELLS - 1)
    }

    #[inline]
    pub fn bucket(&self, position: f64) -> u32 {
        let CellLine { first, line } = self.cells[self.cell(position)];
        first + line.bucket(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn position() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<f64>().prop_filter("ranks", |position| !position.is_nan()),
            -1.0..1.0,
            Just(f64::INFINITY),
            Just(f64::NEG_INFINITY),
            Just(0.0),
            (-30.0..30.0).prop_map(|x: f64| 10f64.powf(x)),
        ]
    }

    proptest! {
        #[test]
        fn is_monotone(mut sample in proptest::collection::vec(position(), 0..300), mut positions in proptest::collection::vec(position(), 2..50), log_buckets in 0u32..12) {
            let buckets = 1usize << log_buckets;
            positions.extend_from_slice(&sample);
            positions.sort_by(f64::total_cmp);
            let map = BucketMap::fitting(&mut sample, buckets);
            let found: Vec<u32> =
                with_buckets!(&map, bucket => positions.iter().map(|&position| bucket(position)).collect());
            prop_assert!(found.is_sorted());
            prop_assert!(found.iter().all(|&bucket| (bucket as usize) < buckets));
            if !sample.is_empty() {
                let pieces = PiecewiseLinear::through(&sample, buckets);
                let found: Vec<u32> = positions.iter().map(|&position| pieces.bucket(position)).collect();
                prop_assert!(found.is_sorted());
                prop_assert!(found.iter().all(|&bucket| (bucket as usize) < buckets));
            }
        }
    }

    #[test]
    fn sample_selects_the_map() {
        let select = |score: &dyn Fn(f64) -> f64| {
            let mut sample: Vec<f64> = (0..SAMPLE).map(|i| score((i as f64 + 0.5) / SAMPLE as f64)).collect();
            BucketMap::fitting(&mut sample, 1024)
        };
        assert!(matches!(select(&|u| u), BucketMap::Line(_)));
        assert!(matches!(select(&|u| if u > 0.999 { 1e300 } else { u }), BucketMap::Line(_)), "one outlier");
        assert!(matches!(select(&|u| 10f64.powf(12.0 * u)), BucketMap::PiecewiseLinear(_)));
        assert!(matches!(
            select(&|u| if u < 0.5 { u * 1e-9 } else { 1e9 + u }),
            BucketMap::PiecewiseLinear(_)
        ));
        assert!(
            matches!(select(&|u| if u < 0.5 { 0.25 } else { u }), BucketMap::Line(_)),
            "half of the rows tie"
        );
        assert!(matches!(select(&|_| 0.5), BucketMap::PiecewiseLinear(_)));
    }
}
