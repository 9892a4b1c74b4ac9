//! The placements of rows within a part of the ROC curve, and the variance of the partial area.
//!
//! The bounds are rates of one class; x is such a rate, the variable of integration, and y is the height of
//! the curve. The placement of a row of the bounded class is the height at its x. The placement of a row of
//! the other class is the length of x over which it counts. Rows outside the bounds are treated as if they
//! were at the nearest bound. The area is the mean placement of the other class. The placements are the
//! influences of rows on the area: its derivatives by the row weights, including the effect on the thresholds
//! at the bounds (Jaeckel 1972). Without bounds they are DeLong's.
//!
//! With few rows within the bounds the curve is steep, and the result depends on where its height at a bound
//! is evaluated. Removing a row of the bounded class moves a bound `b` from `b n` to `b (n - 1)` rows. A row
//! outside then has the mean height over a length of one row about the bound, from `b - b / n` to
//! `b + (1 - b) / n`. The slope of a tie that a bound cuts changes too. This is the jackknife variance, which
//! leaves out one row at a time (Tukey 1958). The logit interval uses it.

use crate::math;
use crate::ranking::ties::{Count, Segment, counts::steps, placements::squares};
use crate::statistics::numbers::partial_area::Range;

/// Bounds of a rate.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    low: f64,
    high: f64,
    /// Whether they bound the tpr instead of the fpr.
    is_tpr: bool,
}

/// Bounds in rows of a group.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    bounds: Bounds,
    totals: (u64, u64),
    outside: Outside,
    in_rows: (f64, f64),
    /// The bounds after removing a row of the bounded class.
    in_fewer_rows: (f64, f64),
    about: (About, About),
    /// Pieces within this range touch no bound and are not adjacent to one. Most pieces are within it, and
    /// integers compare faster.
    inner: (u64, u64),
}

/// A straight piece of the curve, in rows. For bounds of the tpr, the height is measured downwards.
#[derive(Clone, Copy, Debug)]
struct Piece {
    x: (u64, u64),
    y: (u64, u64),
}

/// A length of one row about a bound, as its parts in the two rows that it touches.
#[derive(Clone, Copy, Debug)]
struct About([(f64, f64); 2]);

impl About {
    fn bound(start: f64) -> Self {
        let middle = start.floor() + 1.0;
        About([(start, middle), (middle, start + 1.0)])
    }

    /// The mean of the heights in the two rows.
    fn mean(self, heights: [Option<f64>; 2]) -> f64 {
        let part = |((from, to), height): ((f64, f64), Option<f64>)| (to - from) * height.unwrap_or_default();
        self.0.into_iter().zip(heights).map(part).sum()
    }
}

/// The position of a piece.
enum Position {
    Before,
    After,
    Inside,
    /// Partly inside: the mean of x within the bounds over the rows of the piece, and the height there.
    Cut(f64, f64),
}

impl Bounds {
    /// The bounds of a range of one rate.
    pub fn new(range: Range) -> Option<Bounds> {
        match range {
            Range::Fpr(low, high) => Some(Bounds { low, high, is_tpr: false }),
            Range::Tpr(low, high) => Some(Bounds { low, high, is_tpr: true }),
            Range::TwoWay { .. } => None,
        }
    }

    /// The bounds for these numbers of positives and negatives.
    pub fn window(self, totals: (u64, u64), outside: Outside) -> Window {
        let in_rows = self.in_rows(totals);
        let in_fewer_rows = (in_rows.0 - self.low, in_rows.1 - self.high);
        let about = (About::bound(in_fewer_rows.0), About::bound(in_fewer_rows.1));
        let inner = ((in_rows.0 + 1.0).ceil() as u64, (in_rows.1 - 1.0).max(0.0).floor() as u64);
        Window { bounds: self, totals, outside, in_rows, in_fewer_rows, about, inner }
    }

    /// Flips the placements of positives and negatives such that larger ones increase the area: over fpr a
    /// positive contributes more if its fpr is lower.
    pub fn for_larger(self, placements: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
        let directed = |placement: f64| if self.is_tpr { placement } else { -placement };
        placements.into_iter().map(|(pos, neg)| (directed(pos), neg)).collect()
    }

    fn piece(self, segment: &Segment, n_neg: u64) -> Piece {
        let (fpr, tpr) = ((segment.neg_above, segment.fp()), (segment.pos_above, segment.tp()));
        if self.is_tpr {
            Piece { x: tpr, y: (n_neg - fpr.0, n_neg - fpr.1) }
        } else {
            Piece { x: fpr, y: tpr }
        }
    }

    /// The numbers of rows of the bounded class, and of the other.
    fn totals(self, (n_pos, n_neg): (u64, u64)) -> (u64, u64) {
        if self.is_tpr { (n_pos, n_neg) } else { (n_neg, n_pos) }
    }

    /// The bounds in rows.
    fn in_rows(self, totals: (u64, u64)) -> (f64, f64) {
        let all = self.totals(totals).0 as f64;
        (self.low * all, self.high * all)
    }
}

impl Piece {
    /// The rows of the bounded class, and of the other.
    fn rows(self) -> (u64, u64) {
        (self.x.1 - self.x.0, self.y.0.abs_diff(self.y.1))
    }

    fn is_flat(self) -> bool {
        self.y.0 == self.y.1
    }

    /// The rows of a horizontal piece before and within the bounds. They have one height, so the row at a
    /// bound may count on either side.
    fn parts(self, window: &Window) -> [u64; 2] {
        let (x0, x1) = self.x;
        let (low, high) = match window.outside {
            Outside::Bound => window.in_rows,
            Outside::Jackknife => (window.in_fewer_rows.0 + 1.0, window.in_fewer_rows.1),
        };
        let low = (low.floor() as u64).clamp(x0, x1);
        let high = (high.ceil() as u64).clamp(low, x1);
        [low - x0, high - low]
    }

    fn height(self, x: f64) -> f64 {
        let (x0, y0) = (self.x.0 as f64, self.y.0 as f64);
        y0 + (self.y.1 as f64 - y0) * ((x - x0) / (self.x.1 as f64 - x0))
    }

    fn position(self, (low, high): (f64, f64)) -> Position {
        let (x0, x1) = (self.x.0 as f64, self.x.1 as f64);
        if x1 <= low {
            Position::Before
        } else if x0 >= high {
            Position::After
        } else if low <= x0 && x1 <= high {
            Position::Inside
        } else {
            let (left, right) = (x0.max(low), x1.min(high));
            let sum = (left - x0) * left + (right - left) * 0.5 * (left + right) + (x1 - right) * right;
            let mean = sum / (x1 - x0);
            Position::Cut(mean, self.height(mean))
        }
    }

    /// The position of the rows of the bounded class after removing one of them. If a bound cuts the piece,
    /// the height is the lost area.
    fn without_row(self, (low, high): (f64, f64)) -> Position {
        let (x0, last) = (self.x.0 as f64, self.x.1 as f64 - 1.0);
        if last <= low {
            return Position::Before;
        }
        if x0 >= high {
            return Position::After;
        }
        if low <= x0 && last <= high {
            return Position::Inside;
        }
        // The piece then has two rows or more. After the removal it rises by the same amount over one row
        // less.
        let (y0, rise) = (self.y.0 as f64, self.y.1 as f64 - self.y.0 as f64);
        let (slope, steeper) = (rise / (last + 1.0 - x0), rise / (last - x0));
        let lost_to_high = if last <= high {
            y0 + 0.5 * rise
        } else {
            y0 + 0.5 * (slope * (high + 1.0 - x0).powi(2) - steeper * (high - x0).powi(2))
        };
        let lost_to_low = 0.5 * (slope - steeper) * (low - x0).max(0.0).powi(2);
        Position::Cut(0.0, lost_to_high - lost_to_low)
    }

    /// The heights at the middle of both parts of the length about a bound, if they are on the piece. A row
    /// belongs to one piece.
    fn heights(self, About(parts): About) -> [Option<f64>; 2] {
        let (x0, x1) = (self.x.0 as f64, self.x.1 as f64);
        parts.map(|(from, to)| {
            let middle = 0.5 * (from + to);
            (x0 <= middle && middle < x1 && from < to).then(|| self.height(middle))
        })
    }

    /// The heights at the bounds, if the piece reaches them from inside.
    fn edges(self, (low, high): (f64, f64)) -> (Option<f64>, Option<f64>) {
        let (x0, x1) = (self.x.0 as f64, self.x.1 as f64);
        (
            (x0 <= low && low < x1).then(|| self.height(low)),
            (x0 < high && high <= x1).then(|| self.height(high)),
        )
    }
}

/// Sums over the placements of one class.
#[derive(Clone, Debug, Default)]
struct ClassSums {
    /// Rows within the bounds, with the sum and the sum of squares of their placements, in half rows of the
    /// other class.
    inside: u64,
    sum: u128,
    squares: u128,
    before: u64,
    /// Rows of the at most two pieces that a bound cuts, with their placements in rows.
    cut: Vec<(u64, f64)>,
}

impl ClassSums {
    fn add(&mut self, rows: u64, position: &Position, placement_inside: u64, cut: impl Fn(f64, f64) -> f64) {
        match *position {
            _ if rows == 0 => {}
            Position::Before => self.before += rows,
            // All rows that are not counted.
            Position::After => {}
            Position::Inside => self.add_inside(rows, placement_inside),
            Position::Cut(x, y) => self.cut.push((rows, cut(x, y))),
        }
    }

    #[inline]
    fn add_inside(&mut self, rows: u64, placement: u64) {
        self.inside += rows;
        self.sum += u128::from(rows) * u128::from(placement);
        self.squares += squares(rows, placement);
    }

    fn join(&mut self, more: ClassSums) {
        self.inside += more.inside;
        self.sum += more.sum;
        self.squares += more.squares;
        self.before += more.before;
        self.cut.extend(more.cut);
    }

    /// The variance of the mean placement of `all` rows, as shares of `others` rows of the other class.
    /// `before` and `after` are the placements of rows before and after the bounds.
    fn variance(&self, (before, after): (f64, f64), all: u64, others: u64) -> f64 {
        let others = others as f64;
        let rows_after = all - self.inside - self.before - self.cut.iter().map(|part| part.0).sum::<u64>();
        let (inside, sum) = (self.inside as f64, self.sum as f64);
        let mut parts: Vec<(f64, f64)> = [(self.before, before), (rows_after, after)]
            .into_iter()
            .chain(self.cut.iter().copied())
            .filter(|part| part.0 > 0)
            .map(|(rows, placement)| (rows as f64, placement / others))
            .collect();
        let mut squares = 0.0;
        if self.inside > 0 {
            parts.push((inside, sum / (2.0 * others * inside)));
            let spread = math::product_difference(self.inside.into(), self.squares, self.sum, self.sum);
            squares = spread / (4.0 * others * others * inside);
        }
        let rows: f64 = parts.iter().map(|part| part.0).sum();
        let mean = parts.iter().map(|part| part.0 * part.1).sum::<f64>() / rows;
        squares += parts.iter().map(|part| part.0 * (part.1 - mean).powi(2)).sum::<f64>();
        squares / (rows - 1.0) / rows
    }
}

/// Sums over the placements of all rows.
#[derive(Clone, Debug, Default)]
pub struct PartialPlacements {
    bounded: ClassSums,
    others: ClassSums,
    edges: (Option<f64>, Option<f64>),
    /// The heights in the two rows about either bound.
    near: ([Option<f64>; 2], [Option<f64>; 2]),
}

/// The height for rows outside the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The height at the bound.
    Bound,
    /// The mean height over a length of one row about the bound, as in the jackknife.
    Jackknife,
}

impl PartialPlacements {
    /// Adds a segment; segments that begin at least one row after the bounds may be omitted. Rows of the
    /// bounded class between two scores of the other may be split over any number of segments, with the same
    /// sums.
    pub fn add(&mut self, window: &Window, segment: &Segment) {
        let Window { bounds, totals, outside, in_rows, in_fewer_rows, about, inner } = *window;
        let piece = bounds.piece(segment, totals.1);
        let (bounded, others) = piece.rows();
        if inner.0 <= piece.x.0 && piece.x.1 <= inner.1 {
            self.bounded.add_inside(bounded, piece.y.0 + piece.y.1);
            self.others.add_inside(others, piece.x.0 + piece.x.1);
            return;
        }
        self.add_edges(piece.edges(in_rows));
        self.add_near((piece.heights(about.0), piece.heights(about.1)));
        if piece.is_flat() {
            let [before, inside] = piece.parts(window);
            self.bounded.add(before, &Position::Before, 0, |_, y| y);
            self.bounded.add(inside, &Position::Inside, 2 * piece.y.0, |_, y| y);
            return;
        }
        let position = piece.position(in_rows);
        let bounded_position = match outside {
            Outside::Bound => &position,
            Outside::Jackknife => &piece.without_row(in_fewer_rows),
        };
        self.bounded.add(bounded, bounded_position, piece.y.0 + piece.y.1, |_, y| y);
        self.others.add(others, &position, piece.x.0 + piece.x.1, |x, _| x);
    }

    fn add_edges(&mut self, (low, high): (Option<f64>, Option<f64>)) {
        self.edges = (self.edges.0.or(low), self.edges.1.or(high));
    }

    fn add_near(&mut self, (low, high): ([Option<f64>; 2], [Option<f64>; 2])) {
        let first =
            |so_far: [Option<f64>; 2], more: [Option<f64>; 2]| [0, 1].map(|row| so_far[row].or(more[row]));
        self.near = (first(self.near.0, low), first(self.near.1, high));
    }

    /// Adds the sums of lower scores.
    pub fn join(&mut self, more: PartialPlacements) {
        self.bounded.join(more.bounded);
        self.others.join(more.others);
        self.add_edges(more.edges);
        self.add_near(more.near);
    }

    /// The two parts of the variance of the area, from the bounded class and from the other; undefined with a
    /// single row in a class.
    pub fn variances(&self, window: Window) -> Option<(f64, f64)> {
        let Window { bounds, totals, outside, about, .. } = window;
        if totals.0 < 2 || totals.1 < 2 {
            return None;
        }
        let (bounded, others) = bounds.totals(totals);
        let edges = match outside {
            Outside::Bound => (self.edges.0.unwrap_or_default(), self.edges.1.unwrap_or_default()),
            Outside::Jackknife => (about.0.mean(self.near.0), about.1.mean(self.near.1)),
        };
        let bounded_part = self.bounded.variance(edges, bounded, others);
        Some((bounded_part, self.others.variance(bounds.in_rows(totals), others, bounded)))
    }
}

impl Window {
    /// The numbers of rows of the bounded class and of the other behind the area. For the first, these are
    /// the rows within the bounds, at least one.
    pub fn rows(&self) -> (f64, f64) {
        let within = self.in_rows.1 - self.in_rows.0;
        (within.max(1.0), self.bounds.totals(self.totals).1 as f64)
    }
}

/// The placements of positives and of negatives with each score, highest first, as shares of the other class.
pub fn placement_shares(counts: &[Count], bounds: Bounds) -> Vec<(f64, f64)> {
    let Count { pos, neg } = Count::sum(counts);
    let totals = (pos, neg);
    let (bounded, others) = bounds.totals(totals);
    let in_rows = bounds.in_rows(totals);
    let pieces: Vec<Piece> = steps(counts).map(|segment| bounds.piece(&segment, neg)).collect();
    let mut edges = (0.0, 0.0);
    for (low, high) in pieces.iter().map(|piece| piece.edges(in_rows)) {
        edges = (low.unwrap_or(edges.0), high.unwrap_or(edges.1));
    }
    let placements = |piece: &Piece| {
        let (x, y) = match piece.position(in_rows) {
            Position::Before => (in_rows.0, edges.0),
            Position::After => (in_rows.1, edges.1),
            Position::Inside => (0.5 * (piece.x.0 + piece.x.1) as f64, 0.5 * (piece.y.0 + piece.y.1) as f64),
            Position::Cut(x, y) => (x, y),
        };
        let (other_share, bounded_share) = (x / bounded as f64, y / others as f64);
        if bounds.is_tpr { (bounded_share, other_share) } else { (other_share, bounded_share) }
    };
    pieces.iter().map(placements).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::inference::delong;
    use crate::statistics::numbers::partial_area;
    use crate::statistics::resampling::Measure;
    use crate::statistics::tests::with_ties;
    use proptest::prelude::*;

    fn counts(rows: &[(u8, u8)]) -> Vec<Count> {
        let count = |label, score| rows.iter().filter(|row| **row == (label, score)).count() as u64;
        (0..9).rev().map(|score| Count { pos: count(1, score), neg: count(0, score) }).collect()
    }

    fn compute(range: Range, rows: &[(u8, u8)]) -> (f64, Option<f64>, Option<f64>) {
        let (labels, scores): (Vec<u8>, Vec<u8>) = rows.iter().copied().unzip();
        let bounds = Bounds::new(range).unwrap();
        let [(area, at_the_bound), (_, jackknife)] = [Outside::Bound, Outside::Jackknife].map(|outside| {
            with_ties(&labels, &scores, |mut ties| {
                let window = bounds.window((ties.n_pos(), ties.n_neg()), outside);
                let (area, placements) = partial_area::partial_area_and(
                    &mut ties,
                    range,
                    partial_area::Standardized::Never,
                    |placements: &mut PartialPlacements, segment| placements.add(&window, segment),
                    PartialPlacements::join,
                );
                (area.unwrap(), placements.variances(window).map(|(a, b)| a + b))
            })
        });
        (area, at_the_bound, jackknife)
    }

    proptest! {
        /// The mean placement of the other class is the area, and the variance matches the definition. With
        /// bounds of 0 and 1 it is DeLong's.
        #[test]
        fn sums_equal_placements(
            rows in prop::collection::vec((0u8..2, 0u8..9), 4..60),
            low in 0.0f64..0.9,
            width in 0.01f64..1.0,
            is_tpr in any::<bool>(),
            on_steps in any::<bool>(),
        ) {
            let counts = counts(&rows);
            let Count { pos, neg } = Count::sum(&counts);
            prop_assume!(pos > 1 && neg > 1);
            let mut high = (low + width).min(1.0);
            let mut low = low;
            if on_steps {
                // Bounds at the corners of the curve.
                let all = if is_tpr { pos } else { neg } as f64;
                (low, high) = ((low * all).floor() / all, (high * all).ceil() / all);
            }
            let range = if is_tpr { Range::Tpr(low, high) } else { Range::Fpr(low, high) };
            let (area, variance, _) = compute(range, &rows);
            let placements = placement_shares(&counts, Bounds::new(range).unwrap());
            let class_placements = |class: u8| -> Vec<f64> {
                rows.iter().filter(|row| row.0 == class)
                    .map(|row| placements[8 - row.1 as usize])
                    .map(|both| if class == 1 { both.0 } else { both.1 })
                    .collect()
            };
            let spread = |values: &[f64]| {
                let n = values.len() as f64;
                let mean = values.iter().sum::<f64>() / n;
                (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0) / n)
            };
            let ((pos_mean, spread_pos), (neg_mean, spread_neg)) = (spread(&class_placements(1)), spread(&class_placements(0)));
            let mean = if is_tpr { neg_mean - low } else { high - pos_mean };
            prop_assert!((mean - area).abs() < 1e-13, "{mean} {area}");
            prop_assert!((variance.unwrap() - spread_pos - spread_neg).abs() < 1e-14);
        }

        #[test]
        fn delong_without_bounds(rows in prop::collection::vec((0u8..2, 0u8..9), 4..60), is_tpr in any::<bool>()) {
            let counts = counts(&rows);
            let Count { pos, neg } = Count::sum(&counts);
            prop_assume!(pos > 1 && neg > 1);
            let range = if is_tpr { Range::Tpr(0.0, 1.0) } else { Range::Fpr(0.0, 1.0) };
            let whole = delong::variance(&crate::ranking::ties::counts::placements(&counts), pos, neg);
            prop_assert!((compute(range, &rows).1.unwrap() - whole.unwrap()).abs() < 1e-15);
        }
    }

    /// The variance by leaving out one row at a time.
    fn without_each_row(range: Range, rows: &[(u8, u8)]) -> f64 {
        let measure = match range {
            Range::Fpr(low, high) => Measure::FprRange(low, high),
            Range::Tpr(low, high) => Measure::TprRange(low, high),
            Range::TwoWay { .. } => unreachable!(),
        };
        let counts = counts(rows);
        let without = |label: u8| -> f64 {
            let left_out = (0..rows.len()).filter(|&row| rows[row].0 == label).map(|row| {
                let mut fewer = counts.clone();
                let count = &mut fewer[8 - rows[row].1 as usize];
                *(if label == 1 { &mut count.pos } else { &mut count.neg }) -= 1;
                measure.evaluate(&fewer).unwrap()
            });
            let areas: Vec<f64> = left_out.collect();
            let n = areas.len() as f64;
            let mean = areas.iter().sum::<f64>() / n;
            (n - 1.0) / n * areas.iter().map(|area| (area - mean).powi(2)).sum::<f64>()
        };
        without(0) + without(1)
    }

    proptest! {
        #[test]
        fn the_jackknife_leaves_out_one_row_at_a_time(
            rows in prop::collection::vec((0u8..2, 0u8..9), 4..60),
            distinct in 1u8..10,
            low in 0.0f64..0.9,
            width in 0.01f64..1.0,
            is_tpr in any::<bool>(),
            on_steps in any::<bool>(),
        ) {
            let rows: Vec<(u8, u8)> = rows.into_iter().map(|row| (row.0, row.1 % distinct)).collect();
            let Count { pos, neg } = Count::sum(&counts(&rows));
            prop_assume!(pos > 1 && neg > 1);
            let (mut low, mut high) = (low, (low + width).min(1.0));
            if on_steps {
                let all = if is_tpr { pos } else { neg } as f64;
                (low, high) = ((low * all).floor() / all, (high * all).ceil() / all);
            }
            let range = if is_tpr { Range::Tpr(low, high) } else { Range::Fpr(low, high) };
            let jackknife = compute(range, &rows).2.unwrap();
            let expected = without_each_row(range, &rows);
            prop_assert!((jackknife - expected).abs() < 1e-13, "{jackknife} {expected}");
        }
    }

    /// The derivative of the area by the weight of each row, from many copies of all rows plus one row.
    #[test]
    fn placements_are_influences() {
        let rows = [(1, 8), (1, 6), (0, 7), (1, 5), (0, 5), (0, 3), (1, 2), (0, 1), (0, 0), (1, 4)];
        let times = 20_000;
        for range in [Range::Fpr(0.13, 0.57), Range::Tpr(0.31, 0.83)] {
            let measure = match range {
                Range::Fpr(low, high) => Measure::FprRange(low, high),
                Range::Tpr(low, high) => Measure::TprRange(low, high),
                Range::TwoWay { .. } => unreachable!(),
            };
            let mut many = counts(&rows);
            many.iter_mut()
                .for_each(|count| *count = Count { pos: count.pos * times, neg: count.neg * times });
            let area = measure.evaluate(&many).unwrap();
            let placements = placement_shares(&counts(&rows), Bounds::new(range).unwrap());
            for class in [0, 1] {
                let members: Vec<&(u8, u8)> = rows.iter().filter(|row| row.0 == class).collect();
                let placement = |row: &(u8, u8)| {
                    let both = placements[8 - row.1 as usize];
                    if class == 1 { both.0 } else { both.1 }
                };
                let mean = members.iter().map(|row| placement(row)).sum::<f64>() / 5.0;
                for row in &members {
                    let mut more = many.clone();
                    more[8 - row.1 as usize].add(class == 1, 1);
                    let influence = (measure.evaluate(&more).unwrap() - area) * (5 * times) as f64;
                    let expected = (placement(row) - mean).abs();
                    assert!(
                        (influence.abs() - expected).abs() < 1e-3,
                        "{range:?} {row:?} {influence} {expected}"
                    );
                }
            }
        }
    }
}
