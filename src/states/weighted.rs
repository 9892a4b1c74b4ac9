//! States of rows with weights.
//!
//! The units of weighted rows (see [`units`](crate::ranking::ties::units)) depend on all rows of a group, so
//! the units of parts cannot be added up. A state therefore has sums in a fixed step of `10^-18`. Every
//! weight is rounded to it once, and sums of integers are exact in any order. The state thus depends only on
//! the rows, however they were divided and merged. Statistics convert its sums to units, by a rule that
//! depends on the totals.
//!
//! A weight that is a multiple of `2^-18` is an integer number of steps. If all weights are, and their total
//! is below `2^43`, units are exact too, and every result is bit-identical to the result from the rows.
//! Standard errors also need squares. They are bit-identical for multiples of `2^-9` whose squares sum to
//! fewer than 53 bits in each tie.

use super::state::{CheckedSums, State};
use super::weight_sums::{MAX_STEPS, ONE, Squares, WeightSums};
use crate::ranking::scores::{Domain, Observations, Score, score_type::ScoreType};
use crate::ranking::tasks;
use crate::ranking::ties::{
    Count, Counts,
    row_counts::RowCounts,
    source::{Source, SquaredUnits},
    steps::{Above, Tie},
    units::{Unit, Units},
};

impl<S: Score> Observations<'_, S> {
    /// The exact state of weighted rows, or an error if their weights cannot be added up.
    pub(super) fn weighted_state(&self, score_type: ScoreType) -> Result<State<WeightSums>, String> {
        let [n_neg, n_pos] = self.rows_of_classes().map(|rows| rows as u64);
        let n_missing = self.all_rows - n_pos - n_neg;
        let rows = RowCounts { n_pos, n_neg, n_missing, have_weights: true, ..RowCounts::default() };
        let mut totals = [0u128; 2];
        let mut nan = false;
        // The weight of a negative has a minus sign.
        let mut sorted: Vec<(S::Key, f64)> = Vec::with_capacity(self.scores.len());
        for word in self.words() {
            nan |= word.has_nan();
            for (row, (&score, &weight)) in word.scores.iter().zip(word.masses).enumerate() {
                if !word.is_used(row) {
                    continue;
                }
                let WeightSums { steps, .. } = WeightSums::new(weight);
                if steps == 0 {
                    return Err(format!(
                        "contains {weight:?}, which is too light for a state: its weights are from 5e-19"
                    ));
                }
                let total = &mut totals[word.class(row)];
                *total = total.saturating_add(steps);
                if *total > MAX_STEPS {
                    return Err("adds up to 1e20 or more in a class, which is too much for a state".into());
                }
                sorted.push((score.key(), if word.class(row) == 1 { weight } else { -weight }));
            }
        }
        if nan {
            return Ok(State::nan(score_type, rows));
        }
        tasks::sort_by(&mut sorted, |one, other| other.0.cmp(&one.0));
        let (mut keys, mut counts) = (Vec::new(), Vec::new());
        for tie in sorted.chunk_by(|one, other| one.0 == other.0) {
            let mut count = Count::default();
            tie.iter().for_each(|row| count.add(row.1 > 0.0, WeightSums::new(row.1.abs())));
            keys.push(tie[0].0);
            counts.push(count);
        }
        Ok(State::exact(Counts::from_parts(keys.into(), counts, score_type), rows))
    }
}

impl CheckedSums for State<WeightSums> {
    fn check_sums(&self) -> Result<(), &'static str> {
        let each = self.bins.each();
        let all = |f: fn(&Count<WeightSums>) -> WeightSums| {
            each.iter().map(|count| f(count).steps).fold(0, u128::saturating_add)
        };
        let (pos, neg) = (all(|count| count.pos), all(|count| count.neg));
        if pos.max(neg) > MAX_STEPS {
            return Err("has weights of a class that add up to 1e20 or more");
        }
        let bins = |f: fn(&Count<WeightSums>) -> WeightSums| {
            each.iter().filter(|count| f(count).steps > 0).count() as u64
        };
        if bins(|count| count.pos) > self.rows.n_pos || bins(|count| count.neg) > self.rows.n_neg {
            return Err("has fewer rows of a class in n_pos or n_neg than bins with rows of it");
        }
        if (pos > 0, neg > 0) != (self.rows.n_pos > 0, self.rows.n_neg > 0) {
            return Err("has weights of a class without rows, or rows of a class without weights");
        }
        let rows = self.rows;
        if each
            .iter()
            .any(|count| has_large_squares(count.pos, rows.n_pos) || has_large_squares(count.neg, rows.n_neg))
        {
            return Err("has a bin whose squared weights add up to more than the square of their sum");
        }
        Ok(())
    }
}

/// Whether the squares of at most `rows` rows exceed the square of the total weight, with a tolerance for
/// rounding.
fn has_large_squares(sums: WeightSums, rows: u64) -> bool {
    if sums.steps == 0 {
        return sums.squares != Squares::default();
    }
    // A fast path: an exact comparison that holds even without the tolerance.
    let known = sums.squares.known();
    let exact = known.and_then(|squares| squares.checked_mul(ONE)).zip(sums.steps.checked_mul(sums.steps));
    if exact.is_some_and(|(squares, square)| squares <= square) {
        return false;
    }
    let one = ONE as f64;
    let max = (sums.steps as f64 / one).powi(2) * (1.0 + 1e-6) + rows as f64 / one;
    known.is_some_and(|squares| squares as f64 / one > max)
}

impl State<WeightSums> {
    /// The state in units, the representation that every statistic supports.
    pub(super) fn in_units(&self) -> State {
        let total = Count::sum(self.bins.each());
        let (pos, neg) = (Exponent::new(total.pos.steps), Exponent::new(total.neg.steps));
        let in_units = |count: &Count<WeightSums>| Count {
            pos: pos.units(count.pos.steps),
            neg: neg.units(count.neg.steps),
        };
        let counts: Vec<Count> = self.bins.each().iter().map(in_units).collect();
        let any = counts.iter().fold(Count::<u64>::default(), |any, count| Count {
            pos: any.pos | count.pos,
            neg: any.neg | count.neg,
        });
        let units = Units {
            pos: pos.unit(),
            neg: neg.unit(),
            pos_bits: any.pos.trailing_zeros() % u64::BITS,
            neg_bits: any.neg.trailing_zeros() % u64::BITS,
        };
        let bins = Counts::from_parts(self.bins.keys().clone(), counts, self.bins.score_type());
        State {
            bins: bins.in_units(units),
            tied: self.tied.clone(),
            limit: self.limit,
            resolution: self.resolution,
            rows: self.rows,
            has_nan: self.has_nan,
        }
    }

    /// The state with codes instead of scores, highest first; bins of one code are merged.
    pub fn by_codes(&self, codes: &[u32]) -> Self {
        let (mut keys, mut counts) = (Vec::<u32>::new(), Vec::<Count<WeightSums>>::new());
        for (&code, &count) in codes.iter().zip(self.bins.each()) {
            match counts.last_mut().filter(|_| keys.last() == Some(&code)) {
                Some(last) => *last = last.plus(count),
                None => {
                    keys.push(code);
                    counts.push(count);
                }
            }
        }
        let score_type = ScoreType::new::<u32>(Domain::Any);
        State::exact(Counts::from_parts(keys.into(), counts, score_type), self.rows)
    }

    /// An upper bound of the rounding error of the area under the ROC curve. It covers the rounding of
    /// weights to steps, of sums to units, and of the rows' weights to units.
    pub fn rounding(&self) -> f64 {
        // The rounding error is half a step per row, and 2^-60 of the class's total per row and per bin. It
        // changes the shares of a class by at most the first factor, in numerator and denominator.
        let total = Count::sum(self.bins.each());
        let class_rounding = |rows: u64, steps: u128| {
            if steps == 0 { 0.0 } else { rows as f64 * (f64::powi(2.0, -58) + 1.0 / steps as f64) }
        };
        class_rounding(self.rows.n_pos, total.pos.steps) + class_rounding(self.rows.n_neg, total.neg.steps)
    }
}

impl State<WeightSums> {
    /// The ties of the state in units, with squared units. `None` if squares are unknown, or too small for
    /// rounding errors of half a step per row to be negligible.
    pub(super) fn squared_units(&self, counts: &Counts) -> Option<Vec<SquaredUnits>> {
        let total = Count::sum(self.bins.each());
        if !total.pos.squares.are_known_of(self.rows.n_pos)
            || !total.neg.squares.are_known_of(self.rows.n_neg)
        {
            return None;
        }
        let units = counts.units()?;
        let squared =
            |unit: Unit, sums: WeightSums| sums.squares.value().map(|squares| unit.squared(squares));
        let mut above = Above::default();
        let ties = self.bins.each().iter().zip(counts.each()).enumerate().map(|(bin, (sums, count))| {
            let (pos, neg) = (count.pos, count.neg);
            let tie = Tie { key: counts.key(bin), pos, neg, pos_above: above.pos, neg_above: above.neg };
            above = Above { pos: above.pos + pos, neg: above.neg + neg };
            Some(SquaredUnits { tie, pos: squared(units.pos, sums.pos)?, neg: squared(units.neg, sums.neg)? })
        });
        ties.collect()
    }
}

/// Common units for the weights of several states.
#[derive(Clone, Copy, Debug)]
pub struct CommonUnits {
    pos: Exponent,
    neg: Exponent,
}

impl CommonUnits {
    /// The units for the total weights of these states.
    pub fn new(states: &[State<WeightSums>]) -> Self {
        let sums = states.iter().map(|state| Count::sum(state.bins.each()));
        let total = sums.fold(Count::default(), Count::plus);
        CommonUnits { pos: Exponent::new(total.pos.steps), neg: Exponent::new(total.neg.steps) }
    }

    /// The exponents of the units `2^-exponent` of both classes.
    pub fn exponents(&self) -> Count<i32> {
        Count { pos: self.pos.0, neg: self.neg.0 }
    }

    /// Converts sums to units.
    pub fn units(&self, sums: Count<WeightSums>) -> Count {
        Count { pos: self.pos.units(sums.pos.steps), neg: self.neg.units(sums.neg.steps) }
    }

    /// Converts sums of squares to squared units, if they are known.
    pub fn squared(&self, squares: Count<Squares>) -> Option<Count<f64>> {
        Some(Count {
            pos: self.pos.unit().squared(squares.pos.value()?),
            neg: self.neg.unit().squared(squares.neg.value()?),
        })
    }
}

/// The exponent of a unit `2^-exponent`.
#[derive(Clone, Copy, Debug)]
struct Exponent(i32);

impl Exponent {
    /// The number of bits of a class's total in steps, so that it takes at most 62 bits in units, as for
    /// rows.
    const BITS: i32 = 121;

    /// The exponent for a class with this total in steps.
    fn new(total: u128) -> Self {
        Exponent(if total == 0 { 0 } else { Self::BITS - (u128::BITS - total.leading_zeros()) as i32 })
    }

    fn unit(self) -> Unit {
        Unit::new(self.0)
    }

    /// The nearest number of units.
    fn units(self, steps: u128) -> u64 {
        let (dividend, divisor) = if self.0 >= 0 { (steps << self.0, ONE) } else { (steps, ONE << -self.0) };
        ((dividend + divisor / 2) / divisor) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::Group;
    use crate::ranking::scores::{Bits, bits::tests::packed};
    use crate::states::{Limit, Scale, state::tests::each};
    use proptest::prelude::*;

    type Row = (f64, bool, f64);

    fn with_columns<T>(rows: &[Row], evaluate: impl FnOnce(Observations<'_, f64>) -> T) -> T {
        let scores: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let labels = Bits::new(&labels, 0, rows.len());
        evaluate(Observations::new(&scores, labels, None).with_weights(&weights))
    }

    fn state(rows: &[Row]) -> State<WeightSums> {
        with_columns(rows, |rows| rows.weighted_state(ScoreType::new::<f64>(Domain::Any))).unwrap()
    }

    fn merged(states: &[State<WeightSums>]) -> State<WeightSums> {
        State::merged::<u64, ()>(0..states.len(), &|_| 0, &|index| Ok(states[index].clone()))
            .unwrap()
            .unwrap()
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let weight = prop_oneof![0.001f64..5.0, (1u32..9).prop_map(f64::from), 1e-12f64..1e-6, 1e6f64..1e12];
        prop::collection::vec(((-20i32..20).prop_map(|n| f64::from(n) / 8.0), any::<bool>(), weight), 1..120)
    }

    #[test]
    fn overflowing_weights() {
        let problem = |rows: &[Row]| {
            with_columns(rows, |rows| rows.weighted_state(ScoreType::new::<f64>(Domain::Any))).unwrap_err()
        };
        assert!(problem(&[(1.0, true, 1e-30)]).contains("contains 1e-30"));
        assert!(problem(&[(1.0, true, 9e19), (1.0, true, 2e19)]).contains("1e20"));
        assert!(state(&[(1.0, true, 9e19), (1.0, false, 9e19)]).checked(None).is_ok());
    }

    /// Asserts that a state gives the results of its rows, bit-identical if all weights are integers.
    fn agrees_with_rows(rows: &[Row], whole: bool) {
        let state = state(rows);
        let rounding = state.rounding();
        let mut stored = Group::<u64>::default();
        stored.load_state(state);
        let mut group = Group::default();
        with_columns(rows, |rows| group.load(rows));
        assert_eq!(stored.row_counts(), group.row_counts().stored());
        let [(u, pairs), (expected_u, expected_pairs)] =
            [group.ties(), stored.ties()].map(|mut ties| (ties.twice_u(), ties.pairs()));
        if whole {
            // The units may differ by powers of two.
            let odd = |number: u128| number.checked_shr(number.trailing_zeros()).unwrap_or(0);
            assert_eq!((odd(u), odd(pairs)), (odd(expected_u), odd(expected_pairs)));
        }
        if pairs > 0 {
            let auc = |u: u128, pairs: u128| u as f64 / pairs as f64;
            // Both quotients are rounded, and so are their operands.
            let off = (auc(u, pairs) - auc(expected_u, expected_pairs)).abs();
            assert!(off <= rounding + 4.0 * f64::EPSILON, "off by {off:e}, expected at most {rounding:e}");
        }
    }

    type Squared = Vec<(f64, f64)>;

    /// The squared units of each tie as squared weights, from the rows and from their state.
    fn squares(rows: &[Row]) -> (Squared, Option<Squared>) {
        let mut group = Group::default();
        with_columns(rows, |rows| group.load(rows));
        let mut stored = Group::<u64>::default();
        stored.load_state(state(rows));
        let squares = |ties: crate::ranking::ties::Ties<'_>| {
            let units = ties.units()?;
            let weight = |unit: Unit, squares| unit.weight_of(unit.weight_of(squares));
            let squared = ties.squared_units()?.into_iter();
            Some(squared.map(|tie| (weight(units.pos, tie.pos), weight(units.neg, tie.neg))).collect())
        };
        (squares(group.ties()).unwrap(), squares(stored.ties()))
    }

    /// Asserts that a state has the sums of squares of its rows, up to rounding.
    fn has_squares_of_rows(rows: &[Row]) {
        let (row_squares, state_squares) = squares(rows);
        let Some(state_squares) = state_squares else {
            // One weight is too heavy, or a class is light or absent.
            let heavy = rows.iter().any(|row| row.2 > 1e9);
            let light = |class| rows.iter().filter(|row| row.1 == class).all(|row| row.2 < 1e-5);
            assert!(heavy || light(true) || light(false), "{rows:?}");
            return;
        };
        assert_eq!(state_squares.len(), row_squares.len());
        let n = rows.len() as f64;
        let total = |class| rows.iter().filter(|row| row.1 == class).map(|row| row.2).sum::<f64>();
        for (got, expected) in state_squares.iter().zip(&row_squares) {
            for (got, expected, class) in [(got.0, expected.0, true), (got.1, expected.1, false)] {
                // For the state, the error of each square is half a step. For the rows, each weight has an
                // error of 2^-60 of its class, and its square and the sum are rounded.
                let units = f64::powi(2.0, -58) * total(class) * (n * expected).sqrt();
                let max = n * 5e-19 + units + (n + 4.0) * f64::EPSILON * expected;
                assert!((got - expected).abs() <= max, "{got:e} {expected:e} {max:e}");
            }
        }
    }

    #[test]
    fn unknown_squares() {
        let known = |weights: [f64; 3]| {
            squares(&[(1.0, true, weights[0]), (1.0, false, weights[1]), (0.0, true, weights[2])]).1
        };
        assert_eq!(known([1.0, 2.0, 3.0]), Some(vec![(1.0, 4.0), (9.0, 0.0)]));
        // A light row among heavy ones is negligible.
        assert_eq!(known([1.0, 2.0, 1e-10]), Some(vec![(1.0, 4.0), (0.0, 0.0)]));
        assert_eq!(known([1e-8, 2.0, 2e-8]), None, "two digits are left of the squares");
        assert_eq!(known([1e-3, 1e-10, 1.0]), None, "no digit is left");
        assert_eq!(known([1e10, 2.0, 3.0]), None, "too heavy");
        assert_eq!(known([8e9, 2.0, 8e9]), None, "too heavy together, though each bin is not");
    }

    #[test]
    fn squares_that_exceed_the_squared_sum() {
        let mut counts = state(&[(1.0, true, 2.0), (1.0, true, 1.0), (0.0, false, 1.0)]);
        assert!(counts.clone().checked(None).is_ok());
        let squares = Count { pos: WeightSums::read(3 * ONE, Some(10 * ONE)), neg: WeightSums::default() };
        let neg = counts.bins.each()[1];
        counts.bins =
            Counts::from_parts(counts.bins.keys().clone(), vec![squares, neg], counts.bins.score_type());
        assert!(counts.checked(None).unwrap_err().contains("squared weights"));
    }

    #[test]
    fn class_of_light_weights() {
        // Each positive's weight has 12 significant digits in steps of 1e-18.
        agrees_with_rows(
            &[(0.0, true, 2.684610427954397e-7), (0.0, false, 0.001), (-0.125, true, 4.4276328311953046e-7)],
            false,
        );
    }

    proptest! {
        #[test]
        fn merged_parts_equal_the_whole(rows in rows(), parts in prop::collection::vec(0usize..4, 120), max_bins in 4u64..40) {
            let limit = Some(Limit { max_bins, scale: Scale::Real });
            let part = |number| -> Vec<Row> {
                rows.iter().zip(&parts).filter(|(_, part)| **part == number).map(|(row, _)| *row).collect()
            };
            let whole = state(&rows).limited(limit);
            let parts: Vec<State<WeightSums>> = (0..4).map(|number| state(&part(number)).limited(limit)).collect();
            let [a, b, c, d] = &parts[..] else { unreachable!() };
            let pair = |one: &State<WeightSums>, other: &State<WeightSums>| merged(&[one.clone(), other.clone()]);
            for tree in [merged(&parts), pair(d, &pair(&pair(c, a), b))] {
                prop_assert_eq!(each(&tree), each(&whole));
                prop_assert_eq!((tree.resolution, tree.rows), (whole.resolution, whole.rows));
            }
        }

        #[test]
        fn state_equals_rows(rows in rows(), whole in any::<bool>()) {
            let rows: Vec<Row> = rows.iter().map(|row| (row.0, row.1, if whole { row.2.ceil().min(1e9) } else { row.2 })).collect();
            agrees_with_rows(&rows, whole);
            has_squares_of_rows(&rows);
        }

        #[test]
        fn squares_of_short_weights_equal_rows(rows in prop::collection::vec((-3i8..4, any::<bool>(), 1u32..1 << 18), 1..120)) {
            let rows: Vec<Row> = rows.iter().map(|row| (row.0.into(), row.1, f64::from(row.2) / 512.0)).collect();
            let (row_squares, state_squares) = squares(&rows);
            prop_assume!(rows.iter().any(|row| row.1) && rows.iter().any(|row| !row.1));
            prop_assert_eq!(Some(row_squares), state_squares);
        }
    }
}
