//! Weights in fixed point: integers in units of a power of two, so that exact counting also applies to
//! weights.
//!
//! The weights of a class are rounded to multiples of a power of two, chosen so that their sum is below 2^63.
//! Every sum is then an exact integer in any order, and every product of two sums fits 128 bits. The rounding
//! error of a weight is at most 2^-60 of its class's total, usually less than the error of a float sum.
//! Integers and other multiples of a power of two are exact as long as the total leaves room: an integer
//! weight equals that many rows. The classes have separate units, since rank statistics do not compare
//! weights across classes. Statistics that combine both convert the sums back to weights first.
//!
//! The unit depends only on how many weights have each exponent, never on the row order.

use rayon::prelude::*;

use super::count::Count;
use crate::math::{exponent, power_of_two};
use crate::paths::Path;
use crate::ranking::scores::{Observations, Score};
use crate::ranking::tuning::{BLOCK_ROWS, COUNTED_WEIGHTS, SHARD_ROWS};

/// The maximum number of bits of the total weight of a class, before rounding.
const TOTAL_BITS: u32 = 62;

/// The unit of a class's weights: a power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Units per weight of 1, as the product of two powers of two, since it may exceed the range of a float.
    factors: (f64, f64),
}

impl Default for Unit {
    /// One unit per row.
    fn default() -> Self {
        Unit::new(0)
    }
}

impl Unit {
    /// `2^-exponent`.
    pub(crate) fn new(exponent: i32) -> Self {
        let half = exponent / 2;
        Unit { factors: (power_of_two(half), power_of_two(exponent - half)) }
    }

    /// The exponent of the number of units per weight of 1, which is a power of two.
    pub fn exponent(self) -> i32 {
        exponent(self.factors.0) + exponent(self.factors.1)
    }

    /// The units of a weight.
    #[inline]
    pub fn units(self, weight: f64) -> u64 {
        // Non-negative and below 2^63, so the faster signed conversion does not saturate.
        (weight * self.factors.0 * self.factors.1 + 0.5) as i64 as u64
    }

    /// The units of a non-negative weight, and whether they are fewer than 2^52; if not, the value is
    /// unspecified. This vectorises, unlike a conversion to integers.
    #[inline(always)]
    pub(in crate::ranking) fn small_units(self, weight: f64) -> (u64, bool) {
        // Floats from here on are integers, and the low bits of the mantissa are their value.
        const WHOLE: f64 = (1u64 << 52) as f64;
        let more = weight * self.factors.0 * self.factors.1 + 0.5;
        let rounded = more + WHOLE;
        let is_rounded_up = rounded - WHOLE > more;
        let units = rounded.to_bits().wrapping_sub(WHOLE.to_bits()).wrapping_sub(is_rounded_up.into());
        (units, more < WHOLE)
    }

    /// The weight of units.
    pub fn weight(self, units: u64) -> f64 {
        self.weight_of(units as f64)
    }

    /// The weight of a fractional number of units.
    pub fn weight_of(self, units: f64) -> f64 {
        units / self.factors.0 / self.factors.1
    }

    /// The sum of squared weights in squared units.
    pub(crate) fn squared(self, squares: f64) -> f64 {
        let units_of = |weight: f64| weight * self.factors.0 * self.factors.1;
        units_of(units_of(squares))
    }
}

/// The units of the weights of both classes.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    /// The unit of positives.
    pub pos: Unit,
    /// The unit of negatives.
    pub neg: Unit,
    /// Low bits that are zero in the units of every positive.
    pub pos_bits: u32,
    /// Low bits that are zero in the units of every negative.
    pub neg_bits: u32,
}

/// Sums of weights with exponents up to this, and down to its negative, have squares within the range of
/// floats.
const ORDINARY: i32 = 256;

impl Units {
    /// The units of weights that are scaled by a power of two, and its exponent. With this scale the squares
    /// of weights neither overflow nor underflow. Weights of ordinary size are not scaled. `all` are the
    /// total units of both classes.
    pub fn relative(self, all: Count) -> (Units, i32) {
        let exponent_of =
            |(units, unit): (u64, Unit)| (units > 0).then(|| exponent(units as f64) - unit.exponent());
        let heavier = [(all.pos, self.pos), (all.neg, self.neg)].into_iter().filter_map(exponent_of).max();
        let power = heavier.filter(|power| power.abs() > ORDINARY).map_or(0, |power| -power);
        let shifted = |unit: Unit| Unit::new((unit.exponent() - power).clamp(-2044, 2044));
        (Units { pos: shifted(self.pos), neg: shifted(self.neg), ..self }, power)
    }
}

/// The units of negatives and of positives, for rows with weights.
pub fn units<S: Score>(rows: &Observations<'_, S>) -> [Unit; 2] {
    let n_rows = rows.scores.len();
    if n_rows < COUNTED_WEIGHTS && Path::UnitsOfFew.is_on() {
        return units_of_few(rows);
    }
    let weights = rows.with_masses_as_scores();
    let joined = |mut a: ExponentCounts, b: ExponentCounts| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let counts = if n_rows < SHARD_ROWS {
        exponent_counts(&weights)
    } else {
        let blocks = weights.blocks(n_rows.div_ceil(BLOCK_ROWS));
        blocks.par_iter().map(exponent_counts).reduce(|| vec![0; 2 * POWERS], joined)
    };
    [0, 1].map(|class| unit(descending(&counts[class * POWERS..][..POWERS])))
}

/// The same for few rows, for which a table of all exponents would be slower.
fn units_of_few<S: Score>(rows: &Observations<'_, S>) -> [Unit; 2] {
    let (mut exponents, mut n_rows) = ([[0; COUNTED_WEIGHTS]; 2], [0; 2]);
    for word in rows.words() {
        for (row, &weight) in word.masses.iter().enumerate().filter(|row| word.is_used(row.0)) {
            let class = word.class(row);
            exponents[class][n_rows[class]] = exponent_of(weight) as u16;
            n_rows[class] += 1;
        }
    }
    [0, 1].map(|class| unit_of_exponents(&mut exponents[class][..n_rows[class]], 1))
}

/// The unit for weights with these exponents, each counted `times` times. There are few distinct exponents,
/// so sorting is fast.
fn unit_of_exponents(exponents: &mut [u16], times: usize) -> Unit {
    exponents.sort_unstable_by(|a, b| b.cmp(a));
    unit(exponents.chunk_by(u16::eq).map(|equal| (equal[0].into(), (equal.len() * times) as u64)))
}

/// A common unit for all rows: the weights, each counted `times` times, sum to fewer than 2^63 units. All
/// weights must be positive and finite.
pub fn unit_of_all(weights: &[f64], times: usize) -> Unit {
    unit_of_exponents(
        &mut weights.iter().map(|&weight| exponent_of(weight) as u16).collect::<Vec<_>>(),
        times,
    )
}

/// The number of exponents of a float.
const POWERS: usize = 1 << 11;

/// The biased exponent of a weight. A weight under a null may have any bits, including a negative value.
#[inline]
fn exponent_of(weight: f64) -> usize {
    (weight.to_bits() >> 52) as usize % POWERS
}

/// The number of weights with each exponent, for negatives and then for positives.
type ExponentCounts = Vec<u64>;

fn exponent_counts(weights: &Observations<'_, f64>) -> ExponentCounts {
    let mut counts = vec![0; 2 * POWERS];
    for word in weights.words() {
        for (row, &weight) in word.scores.iter().enumerate().filter(|row| word.is_used(row.0)) {
            counts[word.class(row) * POWERS + exponent_of(weight)] += 1;
        }
    }
    counts
}

/// The exponents in use, highest first, with the number of weights of each.
fn descending(counts: &[u64]) -> impl Iterator<Item = (usize, u64)> {
    counts.iter().copied().enumerate().rev().filter(|count| count.1 > 0)
}

/// The smallest unit for which these weights sum to fewer than `2^TOTAL_BITS`; exponents are descending, with
/// the number of weights of each.
fn unit(counts: impl Iterator<Item = (usize, u64)>) -> Unit {
    let mut counts = counts.peekable();
    let Some(&(highest, _)) = counts.peek() else { return Unit::default() };
    // Every weight is below the next power of two, so this is an upper bound of their sum, by at most a
    // factor of two.
    let share = |(exponent, count): (usize, u64)| {
        count as f64 * power_of_two(-((highest - exponent).min(1000) as i32))
    };
    let sum = counts.map(share).sum::<f64>();
    // Subnormal numbers have no implicit highest bit, and share the lowest exponent.
    let bits = (highest.max(1) as i32 - 1022) + sum.log2().ceil() as i32;
    Unit::new(TOTAL_BITS as i32 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Bits;
    use proptest::prelude::*;

    /// Compares both methods: a table of exponents, and sorting.
    fn all_positive(weights: &[f64]) -> Unit {
        let bytes = vec![255; weights.len() / 8 + 1];
        let labels = Bits::new(&bytes, 0, weights.len());
        units(&Observations::new(weights, labels, None).with_weights(weights))[1]
    }

    #[test]
    fn whole_numbers_are_exact() {
        let weights = [1.0, 4.0, 3.0, 1e6, 0.0, 2f64.powi(40)];
        let unit = all_positive(&weights);
        let one = unit.units(1.0);
        assert!(one.is_power_of_two());
        for weight in weights {
            assert_eq!(unit.units(weight), one * weight as u64);
            assert_eq!(unit.weight(unit.units(weight)), weight);
        }
    }

    #[test]
    fn one_heavy_weight_among_light_ones() {
        let mut weights = vec![1e-7; 300_000];
        weights[77] = 1.0;
        let unit = all_positive(&weights);
        let total: u64 = weights.iter().map(|&weight| unit.units(weight)).sum();
        let expected = 1.0 + 1e-7 * 299_999.0;
        assert!((unit.weight(total) / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn light_weights_do_not_change_the_unit() {
        // A sum of 200 powers of two loses the lowest one.
        let mut weights = vec![1.0; 200];
        let expected = all_positive(&weights);
        weights[7] = 2f64.powi(-60);
        assert_eq!(all_positive(&weights), expected);
        weights[8] = f64::MIN_POSITIVE / 4.0;
        assert_eq!(all_positive(&weights), expected);
        assert_eq!(
            all_positive(&vec![f64::MIN_POSITIVE / 4.0; 200]),
            unit_of_all(&[f64::MIN_POSITIVE / 4.0], 200)
        );
    }

    #[test]
    fn units_on_either_side_of_a_half() {
        for (weight, units) in
            [(0.0, 0), (0.49, 0), (0.5, 1), (1.5, 2), (2.5, 3), (2.0f64.powi(52) - 1.0, (1 << 52) - 1)]
        {
            assert_eq!(
                (Unit::default().small_units(weight), Unit::default().units(weight)),
                ((units, true), units)
            );
        }
        assert!(!Unit::default().small_units(2f64.powi(52)).1);
        assert!(!Unit::default().small_units(f64::NAN).1);
    }

    proptest! {
        #[test]
        fn small_units_are_units(mantissa in 0u64..1 << 53, shift in 0i32..60, exponent in -100i32..100) {
            let weight = mantissa as f64 * 2f64.powi(-shift - exponent);
            let (units, is_small) = Unit::new(exponent).small_units(weight);
            prop_assert!(is_small || mantissa >> shift >= (1 << 52) - 1);
            if is_small {
                prop_assert_eq!(units, Unit::new(exponent).units(weight));
            }
        }

        /// Tabulated and sorted exponents give the same unit.
        #[test]
        fn one_unit_in_every_way(
            rows in prop::collection::vec((-1074i32..950, 1.0..2.0), 128..150),
            near in any::<bool>(),
        ) {
            let power = |power: i32| if near { power % 15 } else { power };
            let weights: Vec<f64> = rows.iter().map(|row| row.1 * 2f64.powi(power(row.0))).collect();
            prop_assert_eq!(all_positive(&weights), unit_of_all(&weights, 1));
        }

        #[test]
        fn totals_leave_room(weights in proptest::collection::vec(0.0f64..f64::MAX, 1..200), scale in -320i32..=0, more in proptest::collection::vec(any::<bool>(), 200)) {
            let weights: Vec<f64> = weights.iter().zip(more).map(|(w, more)| if more { w * 10f64.powi(scale) } else { *w }).collect();
            let unit = all_positive(&weights);
            let total: u128 = weights.iter().map(|&weight| u128::from(unit.units(weight))).sum();
            prop_assert!(total < 1 << 63);
            if weights.iter().any(|&weight| weight > 0.0) {
                prop_assert!(total > 1 << 58);
            }
        }
    }
}
