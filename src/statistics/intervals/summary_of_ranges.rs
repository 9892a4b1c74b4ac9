//! The summary of a group whose rows are distributed by ranges of the score, each counted locally.
//!
//! A range has no information about the rows above and below it. The placement of a positive is its placement
//! within the range, plus twice the negatives below the range, which is constant in the range. The sums over
//! placements and over their squares therefore follow from the sums within ranges. `tp N - fp P` is linear in
//! the point of the curve. Its extremes are at corners of the convex hull of the points of a range, wherever
//! the range begins. All sums are integers, so the result does not depend on the range borders.

use super::roc_auc_ci::RocAucCi;
use super::roc_summary_short::ShortSummaryRecord;
use crate::math;
use crate::ranking::ties::{Count, Placements, RowCounts, Step, row_counts::MAX_ROWS};
use crate::states::State;
use crate::statistics::curves::thinning::{hull, lower_hull};
use crate::statistics::options::{FromOptions, OptionError, Options, from_options};

/// The contribution of a range of scores to the summary of its group, from the state of its rows. It is a
/// byte string for [`SummaryOfRanges`] of the same version, not for storage.
#[derive(Clone, Copy, Debug)]
pub struct RangeSums {}

from_options!(|_| RangeSums {});

/// The numbers of [`RocSummaryShort`](super::RocSummaryShort), from the [`RangeSums`] of ranges that contain
/// all rows of a group.
#[derive(Clone, Copy, Debug)]
pub struct SummaryOfRanges {
    /// The method of the interval.
    pub ci: RocAucCi,
}

/// The sums of one range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    rows: Count,
    n_missing: u64,
    has_nan: bool,
    /// The placements within the range.
    placements: Placements,
    /// Corners of the convex hull of the points `(fp, tp)`, counted within the range, without (0, 0).
    corners: Vec<(u64, u64)>,
}

impl From<&State> for Sums {
    fn from(state: &State) -> Self {
        let RowCounts { n_pos, n_neg, n_missing, .. } = state.rows;
        let mut sums = Sums {
            rows: Count { pos: n_pos, neg: n_neg },
            n_missing,
            has_nan: state.has_nan,
            ..Sums::default()
        };
        let mut above = Count::default();
        let mut points = vec![(0, 0)];
        for &count in state.bins.each() {
            let Count { pos, neg } = count;
            let step = Step { key: 0, pos, neg, pos_above: above.pos, neg_above: above.neg };
            sums.placements.add(&step, n_neg);
            above = above.plus(count);
            points.push((above.neg, above.pos));
        }
        let mut corners = [hull(&points), lower_hull(&points)].concat();
        corners.sort_unstable();
        corners.dedup();
        // The first point is the last point of the range above.
        sums.corners = corners[1..].iter().map(|&corner| points[corner]).collect();
        sums
    }
}

impl Sums {
    /// The sums as bytes: 64-bit integers, with 128-bit integers as two.
    pub fn bytes(&self) -> Vec<u8> {
        let Placements { sum, squares_of_pos, squares_of_neg } = self.placements;
        let wide = [sum, squares_of_pos, squares_of_neg].into_iter();
        let head = [self.rows.pos, self.rows.neg, self.n_missing, self.has_nan.into()];
        let wide = wide.flat_map(|sum| [sum as u64, (sum >> 64) as u64]);
        let corners = self.corners.iter().flat_map(|&(fp, tp)| [fp, tp]);
        head.into_iter().chain(wide).chain(corners).flat_map(u64::to_le_bytes).collect()
    }

    /// Parses the sums; `None` if no rows have such sums.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<u64> = numbers.iter().map(|&number| u64::from_le_bytes(number)).collect();
        let [pos, neg, n_missing, has_nan, s0, s1, p0, p1, n0, n1, ref corners @ ..] = numbers[..] else {
            return None;
        };
        let wide = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
        let placements =
            Placements { sum: wide(s0, s1), squares_of_pos: wide(p0, p1), squares_of_neg: wide(n0, n1) };
        let (corners, odd) = corners.as_chunks::<2>();
        let corners: Vec<(u64, u64)> = corners.iter().map(|&[fp, tp]| (fp, tp)).collect();
        let is_whole = rest.is_empty() && odd.is_empty() && has_nan <= 1;
        let are_few = pos <= MAX_ROWS && neg <= MAX_ROWS && pos + neg <= MAX_ROWS;
        if !is_whole || !are_few || corners.iter().any(|&(fp, tp)| fp > neg || tp > pos) {
            return None;
        }
        // No placement exceeds twice the other class, and no squared sum exceeds the number of rows times the
        // sum of squares.
        let fits = |squares: u128, rows: u64, others: u64| {
            let max = 2 * u128::from(others);
            placements.sum <= u128::from(rows) * max
                && squares <= u128::from(rows) * max * max
                && math::signed_product_difference(rows.into(), squares, placements.sum, placements.sum)
                    >= 0.0
        };
        let fit = fits(placements.squares_of_pos, pos, neg) && fits(placements.squares_of_neg, neg, pos);
        let rows = Count { pos, neg };
        fit.then_some(Sums { rows, n_missing, has_nan: has_nan == 1, placements, corners })
    }
}

impl FromOptions for SummaryOfRanges {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(SummaryOfRanges { ci: RocAucCi::parse_placements(options)? })
    }
}

impl SummaryOfRanges {
    /// The numbers of a group from the sums of its ranges, highest scores first. `None` if there are too many
    /// rows.
    pub fn record(&self, ranges: &[Sums]) -> Option<ShortSummaryRecord> {
        let mut rows = Count::default();
        let mut n_missing = 0u64;
        for range in ranges {
            rows = rows.plus(range.rows);
            n_missing = n_missing.checked_add(range.n_missing)?;
            if rows.rows() > MAX_ROWS {
                return None;
            }
        }
        let counts = RowCounts { n_pos: rows.pos, n_neg: rows.neg, n_missing, ..RowCounts::default() };
        if ranges.iter().any(|range| range.has_nan) {
            return Some(ShortSummaryRecord::with_nan(counts));
        }
        let (placements, ks_distance) = whole(ranges, rows);
        Some(ShortSummaryRecord::from_sums(counts, &placements, ks_distance, &self.ci))
    }
}

/// The sums over placements among all these rows, and the largest `|tp N - fp P|`.
fn whole(ranges: &[Sums], rows: Count) -> (Placements, u128) {
    let mut above = Count::default();
    let (mut placements, mut ks_distance) = (Placements::default(), 0);
    for Sums { rows: range_rows, placements: within, corners, .. } in ranges {
        // Twice the rows outside the range that its rows beat, or lose to.
        let below = 2 * u128::from(rows.neg - above.neg - range_rows.neg);
        let higher = 2 * u128::from(above.pos);
        let moved = |squares: u128, rows: u64, more: u128| {
            squares + 2 * more * within.sum + u128::from(rows) * more * more
        };
        placements = placements.plus(Placements {
            sum: within.sum + u128::from(range_rows.pos) * below,
            squares_of_pos: moved(within.squares_of_pos, range_rows.pos, below),
            squares_of_neg: moved(within.squares_of_neg, range_rows.neg, higher),
        });
        for &(fp, tp) in corners {
            let height = u128::from(above.pos + tp) * u128::from(rows.neg);
            let distance = u128::from(above.neg + fp) * u128::from(rows.pos);
            ks_distance = ks_distance.max(height.abs_diff(distance));
        }
        above = above.plus(*range_rows);
    }
    (placements, ks_distance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Score;
    use crate::statistics::intervals::{RocSummaryShort, roc_auc_ci::IntervalMethod};
    use crate::statistics::tests::{summary, with_ties};
    use proptest::prelude::*;

    const METHODS: [IntervalMethod; 4] =
        [IntervalMethod::Wilson, IntervalMethod::DeLong, IntervalMethod::Logit, IntervalMethod::HanleyMcneil];

    /// Via the byte encoding.
    fn sums<S: Score>(labels: &[u8], scores: &[S]) -> Sums {
        let sums = with_ties(labels, scores, |mut ties| Sums::from(&ties.state()));
        assert_eq!(Sums::from_bytes(&sums.bytes()), Some(sums.clone()));
        sums
    }

    /// The numbers of rows, split below each of some scores.
    fn cut(rows: &[(u8, i8)], borders: &[i8], ci: RocAucCi) -> ShortSummaryRecord {
        let mut borders = borders.to_vec();
        borders.sort_unstable_by(|a, b| b.cmp(a));
        let range_of = |score: i8| borders.iter().filter(|&&border| border > score).count();
        let ranges: Vec<Sums> = (0..=borders.len())
            .map(|range| {
                let in_range = rows.iter().filter(|row| range_of(row.1) == range);
                let (labels, scores): (Vec<u8>, Vec<i8>) = in_range.copied().unzip();
                sums(&labels, &scores)
            })
            .collect();
        SummaryOfRanges { ci }.record(&ranges).unwrap()
    }

    fn assert_same(rows: &[(u8, i8)], borders: &[i8]) {
        for method in METHODS {
            let ci = RocAucCi { method, ..RocAucCi::default() };
            let (labels, scores): (Vec<u8>, Vec<i8>) = rows.iter().copied().unzip();
            let whole = summary(&RocSummaryShort { ci }, &labels, &scores);
            let range_record = cut(rows, borders, ci);
            assert_eq!(
                (range_record.auc, range_record.interval, range_record.gini, range_record.ks),
                (whole.auc, whole.interval, whole.gini, whole.ks)
            );
            assert_eq!(
                (range_record.n, range_record.n_pos, range_record.prevalence, range_record.n_missing),
                (whole.n, whole.n_pos, whole.prevalence, whole.n_missing)
            );
        }
    }

    #[test]
    fn edges() {
        assert_same(&[], &[]);
        assert_same(&[], &[1, 2]);
        assert_same(&[(1, 3), (1, 5)], &[4]);
        assert_same(&[(0, 3), (0, 5)], &[4]);
        assert_same(&[(0, 3), (1, 3), (0, 3)], &[3, 4]);
        assert_same(&[(0, 3), (1, 5)], &[4]);
    }

    #[test]
    fn a_nan_in_one_range() {
        let nan = Sums { rows: Count { pos: 1, neg: 0 }, has_nan: true, ..Sums::default() };
        let record =
            SummaryOfRanges { ci: RocAucCi::default() }.record(&[sums(&[0, 1], &[1, 2]), nan]).unwrap();
        assert!(record.auc.unwrap().is_nan() && record.ks.unwrap().is_nan());
        assert_eq!((record.n, record.n_pos, record.prevalence), (3, 2, Some(2.0 / 3.0)));
    }

    /// The maximum number of rows, half of either class, in the order with the largest squares: nothing
    /// overflows.
    #[test]
    fn the_largest_group() {
        let half = MAX_ROWS / 2;
        let pos = Sums { rows: Count { pos: half, neg: 0 }, corners: vec![(0, half)], ..Sums::default() };
        let neg = Sums { rows: Count { pos: 0, neg: half }, corners: vec![(half, 0)], ..Sums::default() };
        let ranges = [pos, neg];
        let record = SummaryOfRanges { ci: RocAucCi::default() }.record(&ranges).unwrap();
        assert_eq!((record.auc, record.gini.value, record.ks), (Some(1.0), Some(1.0), Some(1.0)));
        assert_eq!(record.interval.se, Some(0.0));
        assert_eq!(
            SummaryOfRanges { ci: RocAucCi::default() }.record(&[&ranges[..], &ranges].concat()),
            None
        );
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        let bytes = sums(&[0, 1, 1, 0], &[1, 2, 3, 4]).bytes();
        assert_eq!(Sums::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(Sums::from_bytes(&bytes[..bytes.len() - 8]), None);
        assert_eq!(Sums::from_bytes(&bytes[..72]), None);
        for (index, number) in
            [(0, u64::MAX), (3, 2), (4, 9), (5, 1), (6, 1), (7, 1), (8, 1), (9, 1), (10, 9)]
        {
            let mut wrong = bytes.clone();
            wrong[8 * index..8 * index + 8].copy_from_slice(&number.to_le_bytes());
            assert_eq!(Sums::from_bytes(&wrong), None, "{index} {number}");
        }
    }

    proptest! {
        #[test]
        fn independent_of_range_borders(
            rows in proptest::collection::vec((0u8..2, -9i8..9), 0..120),
            borders in proptest::collection::vec(-10i8..10, 0..6),
        ) {
            assert_same(&rows, &borders);
        }
    }
}
