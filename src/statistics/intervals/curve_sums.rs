//! The inputs of a summary from one curve: sums over placements and precisions, and the points farthest from
//! the diagonal.
//!
//! All are sums or maxima over scores, so the scores of positives are visited in any order. With weights, and
//! in groups of large classes whose heights take 128 bits, the segments of the curve are walked instead.

use crate::ranking::ties::{Indexed, Placements, PositiveScore, PositiveScores, Step, Ties};
use crate::simd::{self, Kernel};
use crate::statistics::numbers::average_precision::{precisions, precisions_of_run};
use crate::statistics::thresholds::confusion::Confusion;

/// The sums and the farthest points of a curve.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CurveSums {
    /// The placements; with weights, without squares.
    pub placements: Placements,
    /// The largest `|tp N - fp P|`.
    pub ks_distance: u128,
    /// The highest key among the positives with the largest `tp N - fp P`.
    pub best: Option<u128>,
    /// The sum of precisions over positives.
    pub precisions: u128,
}

impl CurveSums {
    /// For a group that has pairs; `all` has its totals.
    pub fn new(ties: &mut Ties<'_>, all: &Confusion) -> Self {
        if ties.has_small_classes() { Self::from_positives(ties) } else { Self::from_segments(ties, all) }
    }

    fn from_positives(ties: &mut Ties<'_>) -> Self {
        // The group has small classes, below 2^31.
        let totals = [ties.n_pos() as u32, ties.n_neg() as u32];
        let add =
            |peaks: &mut Peaks, scores: &PositiveScores| simd::dispatch(AddScores { peaks, scores, totals });
        let (peaks, placements) = ties.fold_positives_and_placements(add, Peaks::join);
        CurveSums {
            placements,
            ks_distance: peaks.ks_distance.unsigned_abs().into(),
            best: peaks.best.and_then(|(_, score)| ties.key_of(score)),
            precisions: peaks.precisions,
        }
    }

    fn from_segments(ties: &mut Ties<'_>, all: &Confusion) -> Self {
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        let has_weights = ties.units().is_some();
        let heights = Heights { n_pos, n_neg };
        let borders = heights.at_ends_of(&ties.parts());
        // Every distinct score with a positive is a segment, and precision is needed only there.
        let mut walk = ties.fold_runs(
            Indexed::Positives,
            |walk: &mut WalkSums, run| {
                let whole = run.whole();
                // With weights the squares would overflow, and are not needed.
                if !has_weights {
                    walk.placements.add_run(run, &whole, n_neg);
                }
                let (sum, above) = if heights.may_be_highest(&whole, &borders, &walk.highest) {
                    precisions_of_run(run, all, |segment| walk.highest.join(heights.at(segment)))
                } else {
                    precisions_of_run(run, all, |_| {})
                };
                walk.precisions += sum;
                above
            },
            |walk, more| {
                walk.placements = walk.placements.plus(more.placements);
                walk.highest.join(more.highest);
                walk.precisions += more.precisions;
            },
        );
        if has_weights {
            walk.placements.sum = ties.twice_u();
        }
        CurveSums {
            placements: walk.placements,
            ks_distance: walk.highest.ks_distance,
            best: walk.highest.best.map(|best| best.1),
            precisions: walk.precisions,
        }
    }
}

/// Maxima and sums over the scores of positives.
#[derive(Clone, Copy, Debug, Default)]
struct Peaks {
    /// The largest `|tp N - fp P|`.
    ks_distance: i64,
    /// The largest `tp N - fp P` at the score of a positive, and the highest such score.
    best: Option<(i64, PositiveScore)>,
    /// The sum of precisions over positives.
    precisions: u128,
}

impl Peaks {
    #[inline(always)]
    fn add(&mut self, scores: &PositiveScores, [n_pos, n_neg]: [u32; 2]) {
        let height = |tp: u32, fp: u32| {
            let [tp, fp] = [u64::from(tp) * u64::from(n_neg), u64::from(fp) * u64::from(n_pos)];
            tp.cast_signed() - fp.cast_signed()
        };
        // The curve is farthest above the diagonal at the score of a positive, and farthest below it just
        // above one. Positives with equal scores that are emitted one by one are never farther below it than
        // all together.
        let ((tp, fp), (pos_above, neg_above)) = (scores.at(), scores.above());
        let highest = tp.iter().zip(fp).fold(i64::MIN, |highest, (&tp, &fp)| highest.max(height(tp, fp)));
        let lowest =
            pos_above.iter().zip(neg_above).fold(0, |lowest, (&pos, &neg)| lowest.min(height(pos, neg)));
        self.ks_distance = self.ks_distance.max(highest).max(-lowest);
        if self.best.is_none_or(|(best, _)| highest >= best) {
            scores.iter().for_each(|score| self.take_best(height(score.tp, score.fp), &score));
        }
        self.precisions += precisions(scores);
    }

    #[inline]
    fn take_best(&mut self, height: i64, score: &PositiveScore) {
        // At equal height, the highest score has the fewest true positives.
        if self.best.is_none_or(|(best, other)| height > best || height == best && score.tp < other.tp) {
            self.best = Some((height, *score));
        }
    }

    fn join(&mut self, more: Self) {
        self.ks_distance = self.ks_distance.max(more.ks_distance);
        if let Some((height, score)) = more.best {
            self.take_best(height, &score);
        }
        self.precisions += more.precisions;
    }
}

/// The kernel of [`Peaks::add`].
struct AddScores<'a> {
    peaks: &'a mut Peaks,
    scores: &'a PositiveScores,
    /// The numbers of positives and of negatives.
    totals: [u32; 2],
}

impl Kernel for AddScores<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.peaks.add(self.scores, self.totals);
    }
}

/// The sums of a walk.
#[derive(Debug, Default)]
struct WalkSums {
    placements: Placements,
    highest: Highest,
    /// The sum of precisions over positives.
    precisions: u128,
}

/// The largest distances of the curve from the diagonal.
#[derive(Clone, Copy, Debug, Default)]
struct Highest {
    /// The largest `|tp N - fp P|`.
    ks_distance: u128,
    /// The largest `tp N - fp P` at the score of a positive, and the highest such key.
    best: Option<(i128, u128)>,
}

impl Highest {
    #[inline]
    fn join(&mut self, lower: Highest) {
        self.ks_distance = self.ks_distance.max(lower.ks_distance);
        if lower.best.map(|best| best.0) > self.best.map(|best| best.0) {
            self.best = lower.best;
        }
    }
}

/// The heights of a curve above the diagonal, in pairs.
#[derive(Clone, Copy)]
struct Heights {
    n_pos: u64,
    n_neg: u64,
}

impl Heights {
    #[inline]
    fn height(self, tp: u64, fp: u64) -> i128 {
        let (above, below) =
            (u128::from(tp) * u128::from(self.n_neg), u128::from(fp) * u128::from(self.n_pos));
        above.cast_signed() - below.cast_signed()
    }

    /// The height at the end of a step.
    #[inline]
    fn at(self, step: &Step) -> Highest {
        let height = self.height(step.tp(), step.fp());
        let best = (step.pos > 0).then_some((height, step.key));
        Highest { ks_distance: height.unsigned_abs(), best }
    }

    /// The largest distances at the ends of parts. They are lower bounds for the curve, and for the scores of
    /// positives: the nearest one above such an end.
    fn at_ends_of(self, parts: &[Step]) -> Highest {
        let mut highest = Highest::default();
        for part in parts {
            let end = self.at(&Step { pos_above: 0, pos: part.tp(), ..*part });
            highest.join(end);
        }
        highest
    }

    /// Whether a step may contain a larger distance than all before it and than the bounds from the borders.
    /// The curve of its rows lies between two corners.
    #[inline]
    fn may_be_highest(self, step: &Step, borders: &Highest, before: &Highest) -> bool {
        let (upper, lower) = (self.height(step.tp(), step.neg_above), self.height(step.pos_above, step.fp()));
        let ks_distance = upper.unsigned_abs().max(lower.unsigned_abs());
        let is_farther = ks_distance > before.ks_distance && ks_distance >= borders.ks_distance;
        let is_better =
            before.best.is_none_or(|best| upper > best.0) && borders.best.is_none_or(|best| upper >= best.0);
        is_farther || is_better
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::with_ties;

    /// Rows of 40 distinct scores plus two scores that positives share with each other and with negatives:
    /// the minimum number of rows for look-ups.
    #[test]
    fn partial_ties_are_never_the_farthest() {
        let rows: Vec<(u8, i16)> = (0..40)
            .map(|row| (u8::from(row % 3 == 0), 10 * row))
            .chain([(1, 55), (1, 55), (1, 55), (0, 55), (0, 55), (0, 55), (0, 55)])
            .chain((0..30).map(|row| (u8::from(row < 12), 205)))
            .collect();
        let (labels, scores): (Vec<u8>, Vec<i16>) = rows.into_iter().unzip();
        let by_positives = with_ties(&labels, &scores, |mut ties| CurveSums::from_positives(&mut ties));
        let by_segments = with_ties(&labels, &scores, |mut ties| {
            let all = Confusion::all_negative(&ties);
            CurveSums::from_segments(&mut ties, &all)
        });
        assert_eq!(by_positives, by_segments);
    }
}
