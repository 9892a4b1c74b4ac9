//! The partial area under the ROC curve.
//!
//! The curve is linear between points, and it is clipped at the bounds (McClish 1989). Ties entirely within
//! the bounds are counted as integer pairs. At most two ties are cut.

use crate::math;
use crate::ranking::ties::{Indexed, Segment, StepKind, Tie, Ties};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options};

/// Bounds of an area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Between two false positive rates: the integral of tpr over fpr.
    Fpr(f64, f64),
    /// Between two true positive rates: the integral of 1 - fpr over tpr.
    Tpr(f64, f64),
    /// The area below the curve in the corner where the fpr is at most `max_fpr` and the tpr at least
    /// `min_tpr` (Yang, Lu, Lyu and Hu 2017).
    TwoWay {
        /// The largest fpr.
        max_fpr: f64,
        /// The smallest tpr.
        min_tpr: f64,
    },
}

/// Whether a partial area is standardised, so that an uninformative score has 1/2 and a perfect one 1:
/// `(1 + (area - diagonal) / (full - diagonal)) / 2` (McClish 1989).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standardized {
    /// Not standardised.
    #[default]
    Never,
    /// Standardised, and undefined below the diagonal's area, where McClish's scale is meaningless.
    AboveDiagonal,
    /// Standardised, with the linear scale extended below the diagonal's area.
    Always,
}

/// The area under the curve within bounds; both classes must be present.
pub fn partial_area(ties: &mut Ties<'_>, range: Range, standardized: Standardized) -> Option<f64> {
    partial_area_and(ties, range, standardized, |(): &mut (), _| {}, |(), ()| {}).0
}

/// The area, and the result of `step` and `join` over the segments that begin less than a row after the upper
/// bound. Segments that end more than a row before the lower bound may be merged.
pub fn partial_area_and<T: Default + Send>(
    ties: &mut Ties<'_>,
    range: Range,
    standardized: Standardized,
    step: impl Fn(&mut T, &Segment) + Sync,
    join: impl Fn(&mut T, T),
) -> (Option<f64>, T) {
    let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
    let ([low, high], bounds_tpr) = range.bounds((n_pos, n_neg));
    // Most segments lie outside most ranges, and integers compare faster.
    let (low, high) = (low.floor() as u64, high.ceil() as u64);
    let (mut area, more) = ties.fold_pruned(
        StepKind::Segments(Indexed::Rarer),
        |part| {
            let (from, to) = Range::along(bounds_tpr, part);
            from <= high && low < to + 2
        },
        |(area, more): &mut (PartialArea, T), segment| {
            let (from, to) = Range::along(bounds_tpr, &segment);
            if from > high {
                return;
            }
            step(more, &segment);
            if to <= low || from == high {
                return;
            }
            let bends = segment.pos > 0 && segment.neg > 0;
            if bends || !range.cuts(&segment, (n_pos, n_neg)) {
                area.add(range, &segment, (n_pos, n_neg));
            } else {
                area.open.push(segment);
            }
        },
        |(area, so_far), (more, more_so_far)| {
            join(so_far, more_so_far);
            area.twice += more.twice;
            area.width += more.width;
            area.cut += more.cut;
            area.open.extend(more.open);
        },
    );
    // Rows of one class with a bound among them: the tie at the bound is cut, and its neighbours are whole.
    for segment in std::mem::take(&mut area.open) {
        for piece in range.around_cuts(&segment, ties) {
            area.add(range, &piece, (n_pos, n_neg));
        }
    }
    let (positives, negatives) = (n_pos as f64, n_neg as f64);
    let whole = math::quotient(area.twice, 2 * ties.pairs()) + area.cut / (positives * negatives);
    let area = match range {
        Range::TwoWay { min_tpr, .. } => {
            Some(whole - min_tpr * math::quotient(area.width.into(), n_neg.into()))
        }
        _ => on_scale(standardized, whole, range.extremes()),
    };
    (area, more)
}

impl FromOptions for Standardized {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        match options.value("standardized") {
            OptionValue::Truth(true) => Ok(Standardized::AboveDiagonal),
            OptionValue::Truth(false) => Ok(Standardized::Never),
            OptionValue::Word(word) if word == "always" => Ok(Standardized::Always),
            _ => Err(options.must_be("standardized", "be True or False, or \"always\"")),
        }
    }
}

impl Range {
    /// The bounds from the options `min_fpr`, `max_fpr`, `min_tpr` and `max_tpr`, if any; and the scale,
    /// which requires bounds.
    pub fn parse(options: &Options) -> Result<(Option<Self>, Standardized), OptionError> {
        let standardized = Standardized::from_options(options)?;
        let is_scaled = standardized != Standardized::Never;
        let range = match (options.bounds("fpr")?, options.bounds("tpr")?) {
            (None, None) if is_scaled => {
                return Err(OptionError::new("standardized", "is for a part of the curve")
                    .hint("give `max_fpr` or another bound, or leave it out"));
            }
            (None, None) => None,
            (Some((low, high)), None) => Some(Range::Fpr(low, high)),
            (None, Some((low, high))) => Some(Range::Tpr(low, high)),
            (Some((_, max_fpr)), Some((min_tpr, _)))
                if !options.has("min_fpr") && !options.has("max_tpr") && !is_scaled =>
            {
                Some(Range::TwoWay { max_fpr, min_tpr })
            }
            _ => {
                return Err(OptionError::new("", "both rates are bounded").hint(
                    "write a range of one of them, or `max_fpr` with `min_tpr` for the two-way partial area, which has \
                     no standardized form",
                ));
            }
        };
        Ok((range, standardized))
    }

    /// The areas of an uninformative and of a perfect score.
    pub fn extremes(self) -> (f64, f64) {
        match self {
            Range::Fpr(low, high) => (0.5 * (high - low) * (high + low), high - low),
            Range::Tpr(low, high) => (0.5 * (high - low) * (2.0 - high - low), high - low),
            Range::TwoWay { max_fpr, min_tpr } => {
                (0.5 * (max_fpr - min_tpr).max(0.0).powi(2), max_fpr * (1.0 - min_tpr))
            }
        }
    }

    /// The bounds in rows of the class whose rate they bound, and whether that rate is the tpr.
    fn bounds(self, (n_pos, n_neg): (u64, u64)) -> ([f64; 2], bool) {
        let (positives, negatives) = (n_pos as f64, n_neg as f64);
        match self {
            Range::Fpr(low, high) => ([low * negatives, high * negatives], false),
            Range::Tpr(low, high) => ([low * positives, high * positives], true),
            Range::TwoWay { max_fpr, .. } => ([0.0, max_fpr * negatives], false),
        }
    }

    /// The rows of that class above a segment, and the rows that reach it.
    fn along(bounds_tpr: bool, segment: &Segment) -> (u64, u64) {
        if bounds_tpr { (segment.pos_above, segment.tp()) } else { (segment.neg_above, segment.fp()) }
    }

    /// Whether a bound lies within the rows of a segment.
    fn cuts(self, segment: &Segment, totals: (u64, u64)) -> bool {
        let (bounds, bounds_tpr) = self.bounds(totals);
        let (from, to) = Self::along(bounds_tpr, segment);
        bounds.iter().any(|&bound| (from as f64) < bound && bound < to as f64)
    }

    /// Splits a segment of one class into the ties that a bound cuts, and the rows between them.
    fn around_cuts(self, segment: &Segment, ties: &mut Ties<'_>) -> Vec<Segment> {
        let (bounds, bounds_tpr) = self.bounds((ties.n_pos(), ties.n_neg()));
        let mut borders = vec![(segment.pos_above, segment.neg_above)];
        for bound in bounds {
            let (from, to) = Self::along(bounds_tpr, segment);
            if (from as f64) < bound && bound < to as f64 {
                // All rows of the segment are of one class, so ranks advance with its rows.
                let rank = segment.pos_above + segment.neg_above + (bound.floor() as u64 - from) + 1;
                let Some(tie) = ties.at_rank(rank) else { continue };
                borders.extend([(tie.pos_above, tie.neg_above), (tie.tp(), tie.fp())]);
            }
        }
        borders.push((segment.tp(), segment.fp()));
        let piece = |pair: &[(u64, u64)]| Segment {
            key: 0,
            pos: pair[1].0 - pair[0].0,
            neg: pair[1].1 - pair[0].1,
            pos_above: pair[0].0,
            neg_above: pair[0].1,
        };
        // Both bounds may lie within one tie.
        borders.sort_unstable();
        borders.dedup();
        borders.windows(2).map(piece).collect()
    }
}

/// The standardised area, from the area of the diagonal and the maximum area.
fn on_scale(standardized: Standardized, area: f64, (diagonal, full): (f64, f64)) -> Option<f64> {
    if standardized == Standardized::Never {
        return Some(area);
    }
    // An uninformative score is on the diagonal up to rounding. If the range is too narrow to distinguish the
    // diagonal's area from the full one, there is no scale.
    let above = area - diagonal;
    let rounding = 4.0 * f64::EPSILON * full;
    let has_scale = above >= -rounding || standardized == Standardized::Always;
    (has_scale && full - diagonal > rounding)
        .then(|| 0.5 * (1.0 + (if above.abs() > rounding { above } else { 0.0 }) / (full - diagonal)))
}

/// The sums of a walk, in pairs.
#[derive(Debug, Default)]
struct PartialArea {
    /// Twice the area over ties entirely within the bounds.
    twice: u128,
    /// The width of these ties.
    width: u64,
    /// The area of the parts of cut ties: at most two, so the order of the sum does not matter.
    cut: f64,
    /// Segments of one class that a bound cuts: one or two.
    open: Vec<Segment>,
}

impl PartialArea {
    /// Adds the part of a straight piece of curve within bounds.
    #[inline]
    fn add(&mut self, range: Range, piece: &Tie, (n_pos, n_neg): (u64, u64)) {
        let (from, to) = ((piece.neg_above, piece.pos_above), (piece.fp(), piece.tp()));
        let ([low, high], _) = range.bounds((n_pos, n_neg));
        match range {
            Range::Fpr(..) => self.add_piece(from, to, (low, high), 0.0),
            // Exchanges the axes; the height is the distance from the right edge.
            Range::Tpr(..) => {
                self.add_piece((from.1, n_neg - from.0), (to.1, n_neg - to.0), (low, high), 0.0);
            }
            Range::TwoWay { min_tpr, .. } => self.add_piece(from, to, (low, high), min_tpr * n_pos as f64),
        }
    }

    /// Adds a straight piece of curve: the part above `floor` and between two bounds of x.
    #[inline]
    fn add_piece(&mut self, from: (u64, u64), to: (u64, u64), bounds: (f64, f64), floor: f64) {
        let (x0, x1, y0, y1) = (from.0 as f64, to.0 as f64, from.1 as f64, to.1 as f64);
        if x0 >= x1 || x1 <= bounds.0 || x0 >= bounds.1 || y0.max(y1) <= floor {
            return;
        }
        if x0 >= bounds.0 && x1 <= bounds.1 && y0.min(y1) >= floor {
            self.twice += u128::from(to.0 - from.0) * (u128::from(from.1) + u128::from(to.1));
            // The width is needed only with a floor.
            self.width += to.0 - from.0;
            return;
        }
        let slope = (y1 - y0) / (x1 - x0);
        let mut left = x0.max(bounds.0);
        let right = x1.min(bounds.1);
        if y0 < floor {
            left = left.max(x0 + (floor - y0) / slope);
        }
        if left < right {
            let height = |x: f64| y0 + slope * (x - x0) - floor;
            self.cut += 0.5 * (right - left) * (height(left) + height(right));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::ties::Count;
    use crate::statistics::numbers::RocAuc;
    use crate::statistics::resampling::Measure;
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    fn area(range: Range, standardized: Standardized, labels: &[u8], scores: &[u8]) -> Option<f64> {
        let statistic = RocAuc { range: Some(range), standardized };
        summary(&statistic, labels, scores).auc
    }

    /// The curve (0, 1/2), (1/4, 3/4), (1/2, 3/4), (1/2, 1), (1, 1).
    const LABELS: [u8; 8] = [1, 1, 1, 0, 0, 1, 0, 0];
    const SCORES: [u8; 8] = [9, 8, 5, 5, 4, 3, 2, 1];

    #[test]
    fn two_way() {
        let corner = |max_fpr, min_tpr| {
            area(Range::TwoWay { max_fpr, min_tpr }, Standardized::Never, &LABELS, &SCORES).unwrap()
        };
        assert!((corner(0.5, 0.5) - (0.25 * 0.125 + 0.25 * 0.25)).abs() < 1e-15);
        assert!((corner(0.375, 0.625) - (0.125 * 0.0625 + 0.125 * 0.125)).abs() < 1e-15);
        assert_eq!(corner(0.5, 0.75), 0.0);
        assert!(
            (corner(1.0, 0.0) - area(Range::Fpr(0.0, 1.0), Standardized::Never, &LABELS, &SCORES).unwrap())
                .abs()
                < 1e-15
        );
    }

    #[test]
    fn standardized() {
        assert_eq!(area(Range::Fpr(0.0, 0.3), Standardized::AboveDiagonal, &[1, 0], &[1, 1]), Some(0.5));
        assert_eq!(area(Range::Tpr(0.2, 0.9), Standardized::AboveDiagonal, &[1, 0], &[1, 1]), Some(0.5));
        assert_eq!(area(Range::Fpr(0.0, 0.3), Standardized::AboveDiagonal, &[1, 0], &[2, 1]), Some(1.0));
        assert_eq!(
            area(Range::Fpr(0.0, 0.3), Standardized::AboveDiagonal, &[1, 0], &[1, 2]),
            None,
            "below the diagonal"
        );
        let always = |range, scores: &[u8]| area(range, Standardized::Always, &[1, 0], scores).unwrap();
        assert_eq!(
            (always(Range::Fpr(0.0, 0.3), &[2, 1]), always(Range::Fpr(0.0, 0.3), &[1, 1])),
            (1.0, 0.5)
        );
        assert!((always(Range::Fpr(0.0, 0.3), &[1, 2]) - 0.5 * (1.0 - 0.045 / 0.255)).abs() < 1e-15);
        assert!((always(Range::Fpr(0.5, 1.0), &[1, 2]) + 1.0).abs() < 1e-15);
        assert_eq!(area(Range::Fpr(0.0, 0.3), Standardized::Never, &[1, 0], &[1, 2]), Some(0.0));
        assert_eq!(area(Range::Fpr(0.0, 0.3), Standardized::Never, &[1], &[1]), None);
    }

    proptest! {
        #[test]
        fn one_way(rows in proptest::collection::vec((0u8..2, 0u8..9), 2..60), low in 0.0f64..0.9, width in 0.01f64..1.0) {
            let (labels, scores): (Vec<u8>, Vec<u8>) = rows.into_iter().unzip();
            let high = (low + width).min(1.0);
            let count = |label, score| labels.iter().zip(&scores).filter(|row| (*row.0, *row.1) == (label, score)).count() as u64;
            let counts: Vec<Count> = (0..9).rev().map(|score| Count { pos: count(1, score), neg: count(0, score) }).collect();
            for (range, measure) in [(Range::Fpr(low, high), Measure::FprRange(low, high)), (Range::Tpr(low, high), Measure::TprRange(low, high))] {
                match (area(range, Standardized::Never, &labels, &scores), measure.evaluate(&counts)) {
                    (Some(area), Some(expected)) => prop_assert!((area - expected).abs() < 1e-14),
                    (area, expected) => prop_assert_eq!(area, expected),
                }
            }
        }
    }
}
