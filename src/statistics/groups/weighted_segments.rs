//! The areas of segments of rows with weights, whose sums and squares are known by score.
//!
//! The variance of an area is that of the [jackknife]. With all rows together, which have the rows of a segment among them,
//! the segment's area has the covariance of their influences: `sum w² (v - auc) (v' - auc') / (W W')` over the positives of
//! the segment, whose v are their placements in it and v' those in all rows, plus the same over negatives.

use rayon::prelude::*;

use super::segment_areas::{Comparator, EstimatedArea, Segments, heterogeneity};
use crate::interrupt;
use crate::math;
use crate::ranking::scores::{Domain, ScoreType};
use crate::ranking::states::{
    State, StoredState,
    weight_sums::{ONE, Squares, WeightSums},
};
use crate::ranking::ties::{Count, Counts, RowCounts, Ties};
use crate::statistics::intervals::jackknife;

/// Segments whose rows have weights, and are independent of each other.
pub struct WeightedSegments<'a> {
    segments: &'a [State<WeightSums>],
    /// All rows together.
    all: State<WeightSums>,
}

impl<'a> WeightedSegments<'a> {
    /// Those of these sums by codes, highest first.
    pub fn of(segments: &'a [State<WeightSums>]) -> Self {
        let mut counts: Vec<Count<WeightSums>> = Vec::new();
        let mut rows = RowCounts { have_weights: true, ..RowCounts::default() };
        for segment in segments {
            (rows.n_pos, rows.n_neg) = (rows.n_pos + segment.rows.n_pos, rows.n_neg + segment.rows.n_neg);
            for (code, count) in by_code(segment) {
                if counts.len() <= code {
                    counts.resize(code + 1, Count::default());
                }
                counts[code] = counts[code].plus(count);
            }
        }
        WeightedSegments { segments, all: in_order(counts, rows) }
    }

    /// All rows but those of a segment.
    fn rest(&self, segment: &State<WeightSums>) -> State<WeightSums> {
        let mut counts: Vec<Count<WeightSums>> = self.all.bins.each().iter().rev().copied().collect();
        for (code, own) in by_code(segment) {
            let all = &mut counts[code];
            *all = Count { pos: minus(all.pos, own.pos), neg: minus(all.neg, own.neg) };
        }
        let n_pos = self.all.rows.n_pos - segment.rows.n_pos;
        in_order(
            counts,
            RowCounts { n_pos, n_neg: self.all.rows.n_neg - segment.rows.n_neg, ..self.all.rows },
        )
    }
}

/// The codes of a segment and the sums of each.
fn by_code(segment: &State<WeightSums>) -> impl Iterator<Item = (usize, Count<WeightSums>)> {
    let bins = &segment.bins;
    (0..bins.len()).map(|bin| (bins.key(bin) as usize, bins.each()[bin]))
}

/// What is left of sums without a part of them; of unknown squares nothing is.
fn minus(all: WeightSums, part: WeightSums) -> WeightSums {
    let squares = all.squares.known().zip(part.squares.known()).map(|(all, part)| all - part);
    WeightSums { steps: all.steps - part.steps, squares: squares.map_or(Squares::UNKNOWN, Squares::new) }
}

/// The state of sums whose codes are 0, 1 and so on.
fn in_order(counts: Vec<Count<WeightSums>>, rows: RowCounts) -> State<WeightSums> {
    let codes: Vec<u32> = (0..counts.len() as u32).rev().collect();
    let counts = counts.into_iter().rev().collect();
    State::exact(Counts::from_parts(codes.into(), counts, ScoreType::of::<u32>(Domain::Any)), rows)
}

/// The area of weighted rows; undefined without a positive or without a negative.
fn area(state: &State<WeightSums>) -> Option<EstimatedArea> {
    let score_type = state.bins.score_type();
    let mut stored = StoredState::from(state.clone());
    let mut ties = Ties::of(&mut stored, score_type);
    if !ties.has_pairs() {
        return None;
    }
    let auc = math::quotient(ties.twice_u(), 2 * ties.pairs());
    let (n_pos, n_neg) = ties.rows();
    let variance = jackknife::variance(&ties, auc).filter(|_| n_pos > 1 && n_neg > 1);
    // Each bin adds to a sum of floats.
    let rounding = (state.bins.len() + 4) as f64 * f64::EPSILON * variance.unwrap_or_default();
    Some(EstimatedArea { auc, variance, rounding, rows: n_pos + n_neg })
}

/// How far the placements of rows lie from the area, bin by bin, over the total weight of their class.
struct Influences<'a> {
    state: &'a State<WeightSums>,
    total: Count<WeightSums>,
    auc: f64,
}

impl<'a> Influences<'a> {
    fn of(state: &'a State<WeightSums>, auc: f64) -> Self {
        Influences { state, total: Count::sum(state.bins.each()), auc }
    }

    /// Calls `visit` with each code, its sums, and the influence of a positive and of a negative of weight 1.
    fn each(&self, visit: &mut dyn FnMut(usize, Count<WeightSums>, [f64; 2])) {
        let weight = |sums: WeightSums| math::quotient(sums.steps, ONE);
        let (pos, neg) = (self.total.pos.steps, self.total.neg.steps);
        let (mut pos_above, mut neg_above) = (0, 0);
        for (code, count) in by_code(self.state) {
            let beats = 2 * (neg - neg_above - count.neg.steps) + count.neg.steps;
            let beaten = 2 * pos_above + count.pos.steps;
            let of_pos = (math::quotient(beats, 2 * neg) - self.auc) / weight(self.total.pos);
            let of_neg = (math::quotient(beaten, 2 * pos) - self.auc) / weight(self.total.neg);
            visit(code, count, [of_pos, of_neg]);
            (pos_above, neg_above) = (pos_above + count.pos.steps, neg_above + count.neg.steps);
        }
    }
}

impl Segments for WeightedSegments<'_> {
    fn number(&self) -> usize {
        self.segments.len()
    }

    fn count(&self, segment: usize) -> Count {
        let rows = self.segments[segment].rows;
        Count { pos: rows.n_pos, neg: rows.n_neg }
    }

    fn area(&self, segment: usize) -> Option<EstimatedArea> {
        area(&self.segments[segment])
    }

    fn against_rest(&self) -> Vec<Option<Comparator>> {
        let rest = |segment: &State<WeightSums>| {
            interrupt::check();
            area(&self.rest(segment)).map(Comparator::independent)
        };
        self.segments.par_iter().map(rest).collect()
    }

    fn against_overall(&self) -> Vec<Option<Comparator>> {
        let Some(overall) = area(&self.all) else { return vec![None; self.segments.len()] };
        let mut of_all = vec![[0.0; 2]; self.all.bins.len()];
        Influences::of(&self.all, overall.auc).each(&mut |code, _, influences| of_all[code] = influences);
        let other = |segment: &State<WeightSums>| {
            interrupt::check();
            let own = area(segment).filter(|own| own.variance.is_some());
            let covariance = own.map(|own| {
                let mut covariance = 0.0;
                Influences::of(segment, own.auc).each(&mut |code, count, influences| {
                    for (class, sums) in [count.pos, count.neg].into_iter().enumerate() {
                        // The variance is known, and so are the squares.
                        let squares = sums.squares.value().unwrap_or(f64::NAN);
                        covariance += squares * influences[class] * of_all[code][class];
                    }
                });
                covariance
            });
            Some(Comparator { area: overall, covariance })
        };
        self.segments.par_iter().map(other).collect()
    }

    fn covariance(&self, _: usize, _: usize) -> Option<f64> {
        Some(0.0)
    }

    fn heterogeneity(&self, areas: &[Option<EstimatedArea>]) -> Option<(f64, u64)> {
        heterogeneity(areas)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::rows::Rows;
    use crate::ranking::scores::{Bits, Observations, bits::tests::packed};
    use crate::statistics::groups::compare_segments::{Versus, tests::statistic};
    use crate::statistics::groups::compare_segments_of_states::CompareSegmentsOfStates;
    use crate::statistics::kinds::Joint;
    use proptest::prelude::*;

    type Row = (u32, bool, f64);

    /// The state of some rows whose scores are codes.
    fn state(rows: &[Row]) -> State<WeightSums> {
        let codes: Vec<u32> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let rows = Observations::new(&codes, Bits::new(&labels, 0, rows.len()), None).with_weights(&weights);
        let score_type = ScoreType::of::<u32>(Domain::Any);
        rows.unranked_state(None, score_type).unwrap().unwrap().into_parts().1.unwrap()
    }

    /// The area of rows, and how far it moves with the weight of each row that there is, times the weight.
    fn influences(all: &[Row], is_used: &dyn Fn(usize) -> bool) -> Option<(f64, Vec<f64>)> {
        let used: Vec<Row> = (0..all.len()).filter(|&row| is_used(row)).map(|row| all[row]).collect();
        let of = |class| used.iter().filter(move |row| row.1 == class);
        let total = |class| of(class).map(|row| row.2).sum::<f64>();
        let wins = |p: u32, n: u32| {
            if p > n {
                1.0
            } else if p == n {
                0.5
            } else {
                0.0
            }
        };
        let area: f64 = of(true).flat_map(|p| of(false).map(move |n| p.2 * n.2 * wins(p.0, n.0))).sum();
        if total(true) * total(false) == 0.0 {
            return None;
        }
        let area = area / total(true) / total(false);
        let influence = |row: usize| {
            let (score, label, weight) = all[row];
            let win = |other: u32| if label { wins(score, other) } else { wins(other, score) };
            let beats: f64 = of(!label).map(|other| other.2 * win(other.0)).sum();
            if is_used(row) { weight * (beats / total(!label) - area) / total(label) } else { 0.0 }
        };
        Some((area, (0..all.len()).map(influence).collect()))
    }

    proptest! {
        #[test]
        fn differences_by_definition(
            rows in prop::collection::vec((0u32..5, any::<bool>(), prop_oneof![Just(1.0), 0.01f64..10.0], 0usize..3), 1..40),
            versus in prop_oneof![Just(Versus::Rest), Just(Versus::Overall)],
        ) {
            let all: Vec<Row> = rows.iter().map(|row| (row.0, row.1, row.2)).collect();
            let of = |segment: usize| -> Vec<Row> {
                rows.iter().filter(|row| row.3 == segment).map(|row| (row.0, row.1, row.2)).collect()
            };
            let segments: Vec<_> = (0..3).map(|segment| state(&of(segment))).collect();
            let table = Rows { weighted: Some(segments), ..Rows::default() };
            let records = CompareSegmentsOfStates(statistic(versus)).of_rows(&table).unwrap();
            for (segment, record) in records.iter().enumerate() {
                let record = &record.segment;
                let own = influences(&all, &|row| rows[row].3 == segment);
                let other = influences(&all, &|row| versus == Versus::Overall || rows[row].3 != segment);
                let near = |got: Option<f64>, expected: f64| got.is_some_and(|got| (got - expected).abs() < 1e-12);
                prop_assert_eq!(record.auc.is_some(), own.is_some());
                let Some((area, own)) = own else { continue };
                prop_assert!(near(record.auc, area));
                prop_assert_eq!(record.interval.se.is_some(), record.rows.pos > 1 && record.rows.neg > 1);
                if let Some(se) = record.interval.se {
                    prop_assert!(near(Some(se * se), own.iter().map(|own| own * own).sum()));
                }
                let Some((versus_area, other)) = other else { continue };
                prop_assert!(near(record.versus_auc, versus_area));
                if let Some(se) = record.difference.se {
                    let expected = own.iter().zip(&other).map(|(own, other)| (own - other).powi(2)).sum();
                    prop_assert!(near(Some(se * se), expected), "{} {expected}", se * se);
                }
            }
        }
    }

    #[test]
    fn one_segment_differs_from_all_rows_by_nothing() {
        let rows: Vec<Row> =
            (0..50).map(|row| (row * 7 % 11, row % 3 == 0, f64::from(row) / 7.0 + 0.1)).collect();
        let table = Rows { weighted: Some(vec![state(&rows)]), ..Rows::default() };
        let records = CompareSegmentsOfStates(statistic(Versus::Overall)).of_rows(&table).unwrap();
        let difference = records[0].segment.difference;
        assert_eq!((difference.value, difference.se), (Some(0.0), Some(0.0)));
    }
}
