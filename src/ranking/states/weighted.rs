//! States of rows with weights.
//!
//! The units of weighted rows (see [`units`](crate::ranking::ties::units)) follow from all rows of a group, so the units of
//! parts cannot be added up. A state therefore has sums of one fixed step, `10^-18`: every weight is rounded to it once, by
//! itself, and sums of whole steps are exact in any order. So the state depends on the rows alone, however they were
//! divided and merged. Only when a state is asked are its sums turned into units, by a rule that depends on the totals.
//!
//! A weight that is a multiple of `2^-18` is a whole number of steps. If all are, and their total is below `2^43`, units
//! lose nothing either, and every answer is that of the rows, to the last bit.

use super::state::{CheckedSums, State};
use crate::ranking::scores::{Observations, Score, score_type::ScoreType};
use crate::ranking::tasks;
use crate::ranking::ties::{
    counts::{Count, Counts, Tally},
    row_counts::RowCounts,
    units::{Unit, Units},
};

/// Decimal places of sums of weights.
pub const DECIMALS: u32 = 18;

/// The steps of a weight of 1.
const ONE: u128 = 10u128.pow(DECIMALS);

/// The most steps of all weights of a class together: 38 decimal digits, which is what decimal columns hold.
pub const MOST_STEPS: u128 = 10u128.pow(38) - 1;

impl Tally for u128 {}

/// The steps of a weight that is finite and above 0: the nearest number of them, or `u128::MAX` if they are too many.
fn decimal_steps(weight: f64) -> u128 {
    let bits = weight.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i32, u128::from(bits & ((1 << 52) - 1)));
    let digits = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let product = digits * ONE;
    let shift = exponent.max(1) - 1075;
    if shift >= 0 {
        let room = product.leading_zeros() as i32;
        return if shift < room { product << shift } else { u128::MAX };
    }
    // Half a step more, and then whole steps only.
    product.checked_shr((-shift - 1) as u32).map_or(0, |twice| (twice + 1) >> 1)
}

impl<S: Score> Observations<'_, S> {
    /// The exact state of rows with weights, or why their weights cannot be added up.
    pub(super) fn weighted_state(&self, score_type: ScoreType) -> Result<State<u128>, String> {
        let [n_neg, n_pos] = self.rows_of_classes().map(|rows| rows as u64);
        let n_missing = self.all_rows - n_pos - n_neg;
        let rows = RowCounts { n_pos, n_neg, n_missing, have_weights: true, ..RowCounts::default() };
        let mut totals = [0u128; 2];
        let mut nan = false;
        // A negative's weight has a minus sign.
        let mut sorted: Vec<(S::Key, f64)> = Vec::with_capacity(self.scores.len());
        for word in self.words() {
            nan |= word.has_nan();
            for (row, (&score, &weight)) in word.scores.iter().zip(word.masses).enumerate() {
                if !word.is_used(row) {
                    continue;
                }
                let steps = decimal_steps(weight);
                if steps == 0 {
                    return Err(format!(
                        "holds {weight:?}, which is too light for a state: its weights are from 5e-19"
                    ));
                }
                let total = &mut totals[word.class(row)];
                *total = total.saturating_add(steps);
                if *total > MOST_STEPS {
                    return Err("adds up to 1e20 or more in a class, but a state has room for less".into());
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
            tie.iter().for_each(|row| count.add(row.1 > 0.0, decimal_steps(row.1.abs())));
            keys.push(tie[0].0);
            counts.push(count);
        }
        Ok(State::exact(Counts::from_parts(keys.into(), counts, score_type), rows))
    }
}

impl CheckedSums for State<u128> {
    fn check_sums(&self) -> Result<(), &'static str> {
        let all =
            |sum: fn(&Count<u128>) -> u128| self.bins.each().iter().map(sum).fold(0, u128::saturating_add);
        let (pos, neg) = (all(|count| count.pos), all(|count| count.neg));
        if pos.max(neg) > MOST_STEPS {
            return Err("has weights of a class that add up to 1e20 or more");
        }
        let bins = |of: fn(&Count<u128>) -> u128| {
            self.bins.each().iter().filter(|count| of(count) > 0).count() as u64
        };
        if bins(|count| count.pos) > self.rows.n_pos || bins(|count| count.neg) > self.rows.n_neg {
            return Err("has fewer rows of a class in n_pos or n_neg than bins with rows of it");
        }
        if (pos > 0, neg > 0) != (self.rows.n_pos > 0, self.rows.n_neg > 0) {
            return Err("has weights of a class without rows, or rows of a class without weights");
        }
        Ok(())
    }
}

impl State<u128> {
    /// The same in units, which every statistic understands.
    pub(super) fn in_units(&self) -> State {
        let total = Count::sum(self.bins.each());
        let (pos, neg) = (Exponent::of(total.pos), Exponent::of(total.neg));
        let in_units = |count: &Count<u128>| Count { pos: pos.units(count.pos), neg: neg.units(count.neg) };
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

    /// How far the area under the ROC curve may be off because weights were rounded: those of the rows to steps, sums of
    /// steps to units, and where the rows themselves are asked, theirs to units as well.
    pub fn rounding(&self) -> f64 {
        // Roundings of at most half a step of each row, and 2^-60 of the class's total of each row and of each bin, change
        // the shares of a class by at most the first factor, in the numerator and in the denominator.
        let total = Count::sum(self.bins.each());
        let of_class = |rows: u64, steps: u128| {
            if steps == 0 { 0.0 } else { rows as f64 * (f64::powi(2.0, -58) + 1.0 / steps as f64) }
        };
        of_class(self.rows.n_pos, total.pos) + of_class(self.rows.n_neg, total.neg)
    }
}

/// The exponent of a unit `2^-exponent`.
#[derive(Clone, Copy)]
struct Exponent(i32);

impl Exponent {
    /// Bits that the steps of all weights of a class get: in units they then take at most 62, as those of rows do.
    const BITS: i32 = 121;

    /// That of a class, by the steps of all its weights.
    fn of(total: u128) -> Self {
        Exponent(if total == 0 { 0 } else { Self::BITS - (u128::BITS - total.leading_zeros()) as i32 })
    }

    fn unit(self) -> Unit {
        Unit::of(self.0)
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
    use crate::ranking::scores::{Bits, Domain, bits::tests::packed};
    use crate::ranking::states::{Limit, Scale, state::tests::each};
    use proptest::prelude::*;

    type Row = (f64, bool, f64);

    fn with_columns<T>(rows: &[Row], ask: impl FnOnce(Observations<'_, f64>) -> T) -> T {
        let scores: Vec<f64> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let labels = Bits::new(&labels, 0, rows.len());
        ask(Observations::new(&scores, labels, None).with_weights(&weights))
    }

    fn state(rows: &[Row]) -> State<u128> {
        with_columns(rows, |rows| rows.weighted_state(ScoreType::of::<f64>(Domain::Any))).unwrap()
    }

    fn merged(states: &[State<u128>]) -> State<u128> {
        State::merged::<u64, ()>(0..states.len(), &|_| 0, &|place| Ok(states[place].clone()))
            .unwrap()
            .unwrap()
    }

    fn rows() -> impl Strategy<Value = Vec<Row>> {
        let weight = prop_oneof![0.001f64..5.0, (1u32..9).prop_map(f64::from), 1e-12f64..1e-6, 1e6f64..1e12];
        prop::collection::vec(((-20i32..20).prop_map(|n| f64::from(n) / 8.0), any::<bool>(), weight), 1..120)
    }

    #[test]
    fn steps_of_a_weight() {
        for (weight, expected) in [
            (1.0, ONE),
            (0.5, ONE / 2),
            (3.0, 3 * ONE),
            (1e-18, 1),
            (6e-19, 1),
            (4e-19, 0),
            (f64::MIN_POSITIVE, 0),
            (5e-324, 0),
            (2f64.powi(-18), ONE >> 18),
            (0.1, 100_000_000_000_000_006),
            (1e19, 10_000_000_000_000_000_000 * ONE),
            (1e30, u128::MAX),
            (f64::MAX, u128::MAX),
        ] {
            assert_eq!(decimal_steps(weight), expected, "{weight}");
        }
    }

    #[test]
    fn weights_that_cannot_be_added_up() {
        let problem = |rows: &[Row]| {
            with_columns(rows, |rows| rows.weighted_state(ScoreType::of::<f64>(Domain::Any))).unwrap_err()
        };
        assert!(problem(&[(1.0, true, 1e-30)]).contains("holds 1e-30"));
        assert!(problem(&[(1.0, true, 9e19), (1.0, true, 2e19)]).contains("1e20"));
        assert!(state(&[(1.0, true, 9e19), (1.0, false, 9e19)]).checked(None).is_ok());
    }

    /// Asserts that a state has the answers of its rows, to the last bit if all weights are whole numbers.
    fn agrees_with_rows(rows: &[Row], whole: bool) {
        let state = state(rows);
        let rounding = state.rounding();
        let mut stored = Group::<u64>::default();
        stored.load_state(state);
        let mut group = Group::default();
        with_columns(rows, |rows| group.load(rows));
        assert_eq!(stored.row_counts(), group.row_counts().stored());
        let [(u, pairs), (own_u, own_pairs)] =
            [group.ties(), stored.ties()].map(|mut ties| (ties.twice_u(), ties.pairs()));
        if whole {
            // The units may differ by powers of two.
            let odd = |number: u128| number.checked_shr(number.trailing_zeros()).unwrap_or(0);
            assert_eq!((odd(u), odd(pairs)), (odd(own_u), odd(own_pairs)));
        }
        if pairs > 0 {
            let auc = |u: u128, pairs: u128| u as f64 / pairs as f64;
            // Each of the two quotients is rounded, and so are the numbers that it is made of.
            let off = (auc(u, pairs) - auc(own_u, own_pairs)).abs();
            assert!(off <= rounding + 4.0 * f64::EPSILON, "off by {off:e}, expected at most {rounding:e}");
        }
    }

    #[test]
    fn a_class_of_light_weights_only() {
        // Of each positive's weight 12 digits are left in steps of 1e-18.
        agrees_with_rows(
            &[(0.0, true, 2.684610427954397e-7), (0.0, false, 0.001), (-0.125, true, 4.4276328311953046e-7)],
            false,
        );
    }

    proptest! {
        #[test]
        fn parts_make_the_whole(rows in rows(), parts in prop::collection::vec(0usize..4, 120), max_bins in 4u64..40) {
            let limit = Some(Limit { max_bins, scale: Scale::Real });
            let part = |number| -> Vec<Row> {
                rows.iter().zip(&parts).filter(|(_, part)| **part == number).map(|(row, _)| *row).collect()
            };
            let whole = state(&rows).limited(limit);
            let parts: Vec<State<u128>> = (0..4).map(|number| state(&part(number)).limited(limit)).collect();
            let [a, b, c, d] = &parts[..] else { unreachable!() };
            let pair = |one: &State<u128>, other: &State<u128>| merged(&[one.clone(), other.clone()]);
            for tree in [merged(&parts), pair(d, &pair(&pair(c, a), b))] {
                prop_assert_eq!(each(&tree), each(&whole));
                prop_assert_eq!((tree.resolution, tree.rows), (whole.resolution, whole.rows));
            }
        }

        #[test]
        fn answers_are_those_of_the_rows(rows in rows(), whole in any::<bool>()) {
            let rows: Vec<Row> = rows.iter().map(|row| (row.0, row.1, if whole { row.2.ceil().min(1e9) } else { row.2 })).collect();
            agrees_with_rows(&rows, whole);
        }
    }
}
