//! The area under a part of the ROC curve.

use super::Summary;
use super::roc_auc::RocAucRecord;
use crate::math;
use crate::ranking::{Tie, Ties};

/// The area under the ROC curve within bounds.
///
/// The curve is a straight line from point to point, and cut at the bounds (McClish 1989). What lies wholly within them
/// is counted in whole pairs; at most two ties are cut.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct RocAucPartial {
    /// The bounds.
    pub range: Range,
    /// Whether the area is put on a scale where a useless score has 1/2 and a perfect one 1: `(1 + (area - diagonal) /
    /// (full - diagonal)) / 2` (McClish 1989), undefined below the diagonal's area, where it would say nothing.
    pub standardized: bool,
}

/// Bounds of an area.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Range {
    /// Between two false positive rates: the integral of tpr over fpr.
    Fpr(f64, f64),
    /// Between two true positive rates: the integral of 1 - fpr over tpr.
    Tpr(f64, f64),
    /// Where the fpr is at most the one and the tpr at least the other: the area of that corner below the curve (Yang,
    /// Lu, Lyu and Hu 2017).
    TwoWay {
        /// The largest fpr.
        max_fpr: f64,
        /// The smallest tpr.
        min_tpr: f64,
    },
}

/// What a walk gathers, in pairs.
#[derive(Debug, Default)]
struct Area {
    /// Twice the area over ties that are wholly within.
    twice: u128,
    /// How wide they are.
    width: u64,
    /// What is within of those that are cut: two at most, so the order of the sum does not matter.
    cut: f64,
}

impl Summary for RocAucPartial {
    type Record = RocAucRecord;

    const WEIGHTS: bool = true;

    fn check(&self) -> Result<(), String> {
        let rate = |rate: f64| (0.0..=1.0).contains(&rate);
        let fine = match self.range {
            Range::Fpr(low, high) | Range::Tpr(low, high) => rate(low) && rate(high) && low < high,
            Range::TwoWay { max_fpr, min_tpr } => {
                rate(max_fpr) && rate(min_tpr) && max_fpr > 0.0 && min_tpr < 1.0
            }
        };
        match self.range {
            range if !fine => Err(format!("rates lie between 0 and 1, the lower one first, got {range:?}")),
            Range::TwoWay { .. } if self.standardized => {
                Err("standardized is for a range of fpr or of tpr, not for both".into())
            }
            _ => Ok(()),
        }
    }

    fn of_ties(&self, mut ties: Ties<'_>) -> RocAucRecord {
        if !ties.has_pairs() {
            return RocAucRecord::undefined();
        }
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        let (positives, negatives) = (n_pos as f64, n_neg as f64);
        let area = ties.fold(
            |area: &mut Area, tie: Tie| {
                let (from, to) = ((tie.neg_above, tie.pos_above), (tie.fp(), tie.tp()));
                match self.range {
                    Range::Fpr(low, high) => area.add(from, to, (low * negatives, high * negatives), 0.0),
                    // The axes exchanged, and the distance from the right edge as height.
                    Range::Tpr(low, high) => area.add(
                        (from.1, n_neg - from.0),
                        (to.1, n_neg - to.0),
                        (low * positives, high * positives),
                        0.0,
                    ),
                    Range::TwoWay { max_fpr, min_tpr } => {
                        area.add(from, to, (0.0, max_fpr * negatives), min_tpr * positives);
                    }
                }
            },
            |area, more| {
                area.twice += more.twice;
                area.width += more.width;
                area.cut += more.cut;
            },
        );
        let whole = math::quotient(area.twice, 2 * ties.pairs()) + area.cut / (positives * negatives);
        RocAucRecord::new(match self.range {
            Range::Fpr(low, high) => self.scaled(whole, 0.5 * (high - low) * (high + low), high - low),
            Range::Tpr(low, high) => self.scaled(whole, 0.5 * (high - low) * (2.0 - high - low), high - low),
            Range::TwoWay { min_tpr, .. } => {
                Some(whole - min_tpr * math::quotient(area.width.into(), n_neg.into()))
            }
        })
    }

    fn of_nan(&self, _: u64, _: u64) -> RocAucRecord {
        RocAucRecord::nan()
    }
}

impl RocAucPartial {
    /// The area, beside the diagonal's and the largest possible.
    fn scaled(&self, area: f64, diagonal: f64, full: f64) -> Option<f64> {
        if !self.standardized {
            return Some(area);
        }
        // A score that says nothing is on the diagonal, but for the last bits; a range so narrow that the diagonal's area
        // cannot be told from the full one has no scale.
        let above = area - diagonal;
        let rounding = 4.0 * f64::EPSILON * full;
        (above >= -rounding && full - diagonal > rounding)
            .then(|| 0.5 * (1.0 + (if above > rounding { above } else { 0.0 }) / (full - diagonal)))
    }
}

impl Area {
    /// Adds a straight piece of curve: the part above `floor` and between two bounds of x.
    #[inline]
    fn add(&mut self, from: (u64, u64), to: (u64, u64), bounds: (f64, f64), floor: f64) {
        let (x0, x1, y0, y1) = (from.0 as f64, to.0 as f64, from.1 as f64, to.1 as f64);
        if x0 >= x1 || x1 <= bounds.0 || x0 >= bounds.1 || y0.max(y1) <= floor {
            return;
        }
        if x0 >= bounds.0 && x1 <= bounds.1 && y0.min(y1) >= floor {
            self.twice += u128::from(to.0 - from.0) * (u128::from(from.1) + u128::from(to.1));
            // Only above a floor is the width asked for.
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
    use crate::statistics::Measure;
    use crate::statistics::tests::summary;
    use proptest::prelude::*;

    fn area(range: Range, standardized: bool, labels: &[u8], scores: &[u8]) -> Option<f64> {
        let statistic = RocAucPartial { range, standardized };
        statistic.check().unwrap();
        summary(&statistic, labels, scores).auc
    }

    /// The curve goes through (0, 1/2), (1/4, 3/4), (1/2, 3/4), (1/2, 1), (1, 1).
    const LABELS: [u8; 8] = [1, 1, 1, 0, 0, 1, 0, 0];
    const SCORES: [u8; 8] = [9, 8, 5, 5, 4, 3, 2, 1];

    #[test]
    fn two_way() {
        let corner =
            |max_fpr, min_tpr| area(Range::TwoWay { max_fpr, min_tpr }, false, &LABELS, &SCORES).unwrap();
        assert!((corner(0.5, 0.5) - (0.25 * 0.125 + 0.25 * 0.25)).abs() < 1e-15);
        assert!((corner(0.375, 0.625) - (0.125 * 0.0625 + 0.125 * 0.125)).abs() < 1e-15);
        assert_eq!(corner(0.5, 0.75), 0.0);
        assert!(
            (corner(1.0, 0.0) - area(Range::Fpr(0.0, 1.0), false, &LABELS, &SCORES).unwrap()).abs() < 1e-15
        );
    }

    #[test]
    fn standardized() {
        assert_eq!(area(Range::Fpr(0.0, 0.3), true, &[1, 0], &[1, 1]), Some(0.5));
        assert_eq!(area(Range::Tpr(0.2, 0.9), true, &[1, 0], &[1, 1]), Some(0.5));
        assert_eq!(area(Range::Fpr(0.0, 0.3), true, &[1, 0], &[2, 1]), Some(1.0));
        assert_eq!(area(Range::Fpr(0.0, 0.3), true, &[1, 0], &[1, 2]), None, "below the diagonal");
        assert_eq!(area(Range::Fpr(0.0, 0.3), false, &[1, 0], &[1, 2]), Some(0.0));
        assert_eq!(area(Range::Fpr(0.0, 0.3), false, &[1], &[1]), None);
        for range in
            [Range::Fpr(0.3, 0.3), Range::Tpr(-0.1, 1.0), Range::TwoWay { max_fpr: 0.0, min_tpr: 0.5 }]
        {
            assert!(RocAucPartial { range, standardized: false }.check().is_err());
        }
        let both = Range::TwoWay { max_fpr: 0.5, min_tpr: 0.5 };
        assert!(RocAucPartial { range: both, standardized: true }.check().is_err());
    }

    proptest! {
        #[test]
        fn one_way(rows in proptest::collection::vec((0u8..2, 0u8..9), 2..60), low in 0.0f64..0.9, width in 0.01f64..1.0) {
            let (labels, scores): (Vec<u8>, Vec<u8>) = rows.into_iter().unzip();
            let high = (low + width).min(1.0);
            let count = |label, score| labels.iter().zip(&scores).filter(|row| (*row.0, *row.1) == (label, score)).count() as u32;
            let counts: Vec<(u32, u32)> = (0..9).rev().map(|score| (count(1, score), count(0, score))).collect();
            for (range, measure) in [(Range::Fpr(low, high), Measure::FprRange(low, high)), (Range::Tpr(low, high), Measure::TprRange(low, high))] {
                match (area(range, false, &labels, &scores), measure.of(counts.iter().copied())) {
                    (Some(area), Some(expected)) => prop_assert!((area - expected).abs() < 1e-14),
                    (area, expected) => prop_assert_eq!(area, expected),
                }
            }
        }
    }
}
