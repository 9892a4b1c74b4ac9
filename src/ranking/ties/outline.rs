//! An outline of a large group's ties: cumulative counts at some tens of thousands of scores, computed
//! without sorting.
//!
//! A grid over the keys determines which rows are counted together. The grid depends only on the keys, so the
//! outline is the same for every row order and partition. The lowest key of a cell is an observed score, and
//! the rows with this score or a higher one are counted exactly.

use super::grid::{Cells, Grid};
use super::pieces::{Piece, PieceRows};
use crate::cache;
use crate::ranking::scores::Key;
use crate::ranking::tuning::{COUNTS_OF_A_CELL, TOO_MANY_TIMES};

/// Consecutive distinct scores, counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell<K> {
    /// The lowest key.
    pub lowest: K,
    /// The highest key.
    pub highest: K,
    /// Positives, or their units.
    pub pos: u64,
    /// Negatives, or their units.
    pub neg: u64,
    rows: u64,
}

impl<K: Key> Cell<K> {
    /// The same with widened keys.
    fn wide(self) -> Cell<u128> {
        let Cell { lowest, highest, pos, neg, rows } = self;
        Cell { lowest: lowest.wide(), highest: highest.wide(), pos, neg, rows }
    }

    /// A cell of one distinct score.
    pub(in crate::ranking) fn from_tie(key: K, pos: u64, neg: u64) -> Self {
        Cell { lowest: key, highest: key, pos, neg, rows: 1 }
    }

    fn empty() -> Self {
        Cell { lowest: K::NAN, highest: K::default(), pos: 0, neg: 0, rows: 0 }
    }

    #[inline]
    fn add(&mut self, key: K, class: usize, units: u64) {
        // Few keys are new minima or maxima. A branch avoids a store for the others, and thus a dependency on
        // the previous key.
        if key < self.lowest {
            self.lowest = key;
        }
        if key > self.highest {
            self.highest = key;
        }
        let count = if class == 1 { &mut self.pos } else { &mut self.neg };
        *count += units;
    }

    fn join(&mut self, other: &Self) {
        self.lowest = self.lowest.min(other.lowest);
        self.highest = self.highest.max(other.highest);
        self.pos += other.pos;
        self.neg += other.neg;
        self.rows += other.rows;
    }
}

/// A cell and its number in a grid.
pub(in crate::ranking) type Numbered<K> = (u32, Cell<K>);

/// A function of the index and the pieces of a shard.
pub(in crate::ranking) type Evaluate<'a, K> = dyn Fn(usize, &[Piece<'_, K>]) -> Vec<Numbered<K>> + Sync + 'a;

/// The outline of rows in shards with about `cells` cells, highest scores first; `None` if it would be too
/// coarse anywhere.
///
/// `each` calls a function with the index and the pieces of the shards at some indices, and returns its
/// results. `filled` are the indices of shards with rows, highest scores first.
pub(in crate::ranking) fn outline<K: Key>(
    each: impl Fn(&[usize], &Evaluate<'_, K>) -> Vec<Vec<Numbered<K>>>,
    filled: &[usize],
    cells: usize,
) -> Option<Vec<Cell<u128>>> {
    let (&highest, &lowest) = filled.first().zip(filled.last())?;
    let outer = [highest, lowest];
    let outer = joined(each(&outer, &|_, pieces| vec![(0, whole(pieces))])).pop()?;
    let grid = Grid::first(outer.lowest, outer.highest);
    let shard_cells = each(filled, &|_, pieces| rows_by_cell(&grid, pieces));
    let (mut ends, mut rows, mut all_rows) =
        (vec![Cell::empty(); lowest + 1], vec![0; grid.first_cells()], 0);
    for (&index, cells_of_shard) in filled.iter().zip(shard_cells) {
        let [(_, shard), inner @ ..] = &cells_of_shard[..] else { return None };
        ends[index] = *shard;
        all_rows += shard.rows;
        inner.iter().for_each(|(number, cell)| rows[*number as usize] += cell.rows);
    }
    let max = all_rows.div_ceil(cells as u64).max(1);
    let grid = grid.cut(&rows, max);
    let outline = joined(each(filled, &|index, pieces| counted(&grid, pieces, &ends[index])));
    let fine = |cell: &Cell<K>| cell.lowest == cell.highest || cell.rows <= TOO_MANY_TIMES * max;
    outline.iter().all(fine).then(|| outline.into_iter().map(Cell::wide).collect())
}

/// One cell for all rows of a shard, without the split by class.
fn whole<K: Key>(pieces: &[Piece<'_, K>]) -> Cell<K> {
    let mut all: Cell<K> = Cell::empty();
    for piece in cache::prefetching_next(pieces, Piece::prefetch) {
        let (lowest, highest) = piece.ends();
        all.join(&Cell { lowest, highest, rows: piece.rows(), ..Cell::empty() });
    }
    all
}

/// One cell for all rows of a shard, followed by the counts of rows in each cell of the first grid.
fn rows_by_cell<K: Key>(grid: &Grid<K>, pieces: &[Piece<'_, K>]) -> Vec<Numbered<K>> {
    let ends = whole(pieces);
    let cells = Cells::between(grid, ends.lowest, ends.highest);
    if cells.count() == 1 {
        return vec![(0, ends), (cells.first, Cell { rows: ends.rows, ..Cell::empty() })];
    }
    // Most shards lie in a few cells. Each cell has several counters, so that consecutive rows rarely depend
    // on each other.
    let mut counts = vec![[0; COUNTS_OF_A_CELL]; cells.count()];
    // The keys are already in the cache.
    for piece in pieces {
        let (counts, mut turn) = (&mut counts[..], 0);
        cells.each_key(piece, move |cell, _, _, rows| {
            counts[cell][turn % COUNTS_OF_A_CELL] += rows;
            turn += 1;
        });
    }
    let inner = (cells.first..).zip(counts).map(|(number, counts)| {
        let rows = counts.iter().sum();
        (number, Cell { rows, ..Cell::empty() })
    });
    std::iter::once((0, ends)).chain(inner).collect()
}

/// The non-empty cells of a shard, highest first.
fn counted<K: Key>(grid: &Grid<K>, pieces: &[Piece<'_, K>], ends: &Cell<K>) -> Vec<Numbered<K>> {
    let cells = Cells::between(grid, ends.lowest, ends.highest);
    let mut counts = vec![Cell::empty(); cells.count()];
    let mut weighted = false;
    for piece in cache::prefetching_next(pieces, Piece::prefetch) {
        let (counts, class) = (&mut counts[..], piece.class);
        let has_units = matches!(piece.rows, PieceRows::WithUnits(_));
        weighted |= has_units;
        cells.each_key(piece, move |cell, key, units, rows| {
            counts[cell].add(key, class, units);
            // Without units, the number of rows is `pos + neg`, which is set below.
            if has_units {
                counts[cell].rows += rows;
            }
        });
    }
    if !weighted {
        counts.iter_mut().for_each(|cell| cell.rows = cell.pos + cell.neg);
    }
    let mut filled: Vec<Numbered<K>> = (cells.first..).zip(counts).filter(|cell| cell.1.rows > 0).collect();
    filled.reverse();
    filled
}

/// The cells of all shards in order. The two parts of a cell on a border between shards are merged.
fn joined<K: Key>(shards: Vec<Vec<Numbered<K>>>) -> Vec<Cell<K>> {
    let mut cells: Vec<Numbered<K>> = Vec::new();
    for (number, cell) in shards.into_iter().flatten() {
        match cells.last_mut() {
            Some((last, whole)) if *last == number => whole.join(&cell),
            _ => cells.push((number, cell)),
        }
    }
    cells.into_iter().map(|(_, cell)| cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::{Group, Strategy};
    use crate::ranking::scores::{Bits, Domain, Observations, Score, bits::tests::packed};
    use proptest::prelude::*;

    /// The outline of keys in shards that begin at these indices.
    fn outlined(rows: &[(u32, usize)], borders: [usize; 2], cells: usize) -> Option<Vec<Cell<u128>>> {
        let mut sorted = rows.to_vec();
        sorted.sort_unstable();
        let [a, b] = borders.map(|border| {
            let mut border = border.min(sorted.len());
            while border > 0 && border < sorted.len() && sorted[border].0 == sorted[border - 1].0 {
                border -= 1;
            }
            border
        });
        let shards = [&sorted[a.max(b)..], &sorted[a.min(b)..a.max(b)], &sorted[..a.min(b)]];
        let pieces: Vec<Vec<(usize, Vec<u32>)>> = shards
            .iter()
            .map(|rows| {
                [0, 1]
                    .map(|class| (class, rows.iter().filter(|row| row.1 == class).map(|row| row.0).collect()))
                    .to_vec()
            })
            .collect();
        let has_rows = |shard: &[(usize, Vec<u32>)]| shard.iter().any(|piece| !piece.1.is_empty());
        let filled: Vec<usize> = (0..3).filter(|&index| has_rows(&pieces[index])).collect();
        outline(
            |indices, evaluate| {
                let evaluate_shard = |&index: &usize| {
                    let pieces: Vec<Piece<'_, u32>> = pieces[index]
                        .iter()
                        .map(|piece| Piece { class: piece.0, rows: PieceRows::Keys(&piece.1) })
                        .collect();
                    evaluate(index, &pieces)
                };
                indices.iter().map(evaluate_shard).collect()
            },
            &filled,
            cells,
        )
    }

    proptest! {
        #[test]
        fn cells_are_runs_of_the_order(
            rows in proptest::collection::vec((prop_oneof![0u32..40, any::<u32>()], 0usize..2), 1..300),
            borders in any::<[u16; 2]>(),
        ) {
            let borders = borders.map(|border| usize::from(border) % (rows.len() + 1));
            let Some(cells) = outlined(&rows, borders, 20) else { return Ok(()) };
            let total: u64 = cells.iter().map(|cell| cell.rows).sum();
            prop_assert_eq!(total, rows.len() as u64);
            for cell in &cells {
                let inside = |class| rows.iter().filter(|row| row.1 == class && (cell.lowest..=cell.highest).contains(&u128::from(row.0))).count() as u64;
                prop_assert_eq!((cell.neg, cell.pos), (inside(0), inside(1)));
                prop_assert!(rows.iter().any(|row| u128::from(row.0) == cell.lowest) && rows.iter().any(|row| u128::from(row.0) == cell.highest));
            }
            prop_assert!(cells.windows(2).all(|pair| pair[0].lowest > pair[1].highest));
            prop_assert_eq!(Some(cells), outlined(&rows, [0, 0], 20));
        }
    }

    #[test]
    fn dense_scores_are_too_coarse() {
        let rows: Vec<(u32, usize)> = (0..5000).map(|row| (13 * row, 0)).chain([(u32::MAX, 1)]).collect();
        assert!(outlined(&rows, [0, 0], 50).is_some(), "cut again");
        let rows: Vec<(u32, usize)> = (0..5000).map(|row| (row, 0)).chain([(u32::MAX, 1)]).collect();
        assert_eq!(outlined(&rows, [0, 0], 50), None, "a corner of a cell");
    }

    /// Rows of relatively tiny weight have zero units, and are in the outline.
    #[test]
    fn light_rows() {
        let n = 200_000usize;
        let mixed = |row: usize| (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let outline_of = |rows: &[usize]| {
            let scores: Vec<f64> = rows.iter().map(|&row| mixed(row) as f64).collect();
            let lightest = f64::powi(2.0, 24) * 0.2;
            let weights: Vec<f64> =
                scores.iter().map(|&score| if score < lightest { 1e-30 } else { 1.0 }).collect();
            let labels = packed(rows.iter().map(|&row| mixed(row).is_multiple_of(3)));
            let mut group = Group::new(Strategy::Shards, Domain::Any);
            let rows = Observations::new(&scores, Bits::new(&labels, 0, n), None).with_weights(&weights);
            group.load(rows);
            group.ties().outline(500)
        };
        let rows: Vec<usize> = (0..n).collect();
        let outline = outline_of(&rows);
        let lowest = (0..n).map(|row| (mixed(row) as f64).key()).min().unwrap();
        assert_eq!(outline.last().unwrap().lowest, lowest.wide());
        let reversed: Vec<usize> = (0..n).rev().collect();
        let mut turned = rows;
        turned.rotate_left(n / 3);
        assert_eq!((&outline_of(&reversed), &outline_of(&turned)), (&outline, &outline));
    }

    /// A sample decides between counting and shards, so both must give the same outline.
    #[test]
    fn counted_or_in_shards() {
        let n = 200_000usize;
        let mixed = |row: usize| (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        for distinct in [3u64, 900, 7000] {
            let score = |row: usize| ((mixed(row) % distinct) as f64 - 3.0).powi(3) / 7.0;
            let scores: Vec<f64> = (0..n).map(score).collect();
            let labels = packed((0..n).map(|row| mixed(row).is_multiple_of(3)));
            let outline_of = |way: Strategy, reversed: bool| {
                let (mut scores, mut labels) = (scores.clone(), labels.clone());
                if reversed {
                    scores.reverse();
                    labels = packed((0..n).rev().map(|row| mixed(row).is_multiple_of(3)));
                }
                let mut group = Group::new(way, Domain::Any);
                group.load(Observations::new(&scores, Bits::new(&labels, 0, n), None));
                group.ties().outline(500)
            };
            let expected = outline_of(Strategy::Shards, false);
            assert_eq!(outline_of(Strategy::Counting, false), expected);
            assert_eq!(outline_of(Strategy::Counting, true), expected);
            assert_eq!(outline_of(Strategy::Shards, true), expected);
            assert!(distinct < 7000 || expected.len() < 5000, "runs of scores, not all of them");
        }
    }
}
