//! The powers of two that weights lie above, added up by class: many at a time, where no sum is rounded.
//!
//! A sum of floats is exact, whatever its order, if all of them are multiples of one power of two and their sum is below
//! `2^53` of it. Most columns of weights are so.

use crate::ranking::scores::Observations;
use crate::simd::{self, Kernel};

/// The powers of two that weights lie above: the highest and the sum of each class, negatives and positives, and the lowest of
/// all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Powers {
    /// The highest of each class, 0 without a weight.
    pub highest: [f64; 2],
    /// The lowest of all, infinite without a weight, and 0 if there is a weight below the smallest normal number.
    lowest: f64,
    /// The sum of each class.
    pub sums: [f64; 2],
}

impl Powers {
    /// Those of rows whose scores are weights.
    pub fn of(weights: &Observations<'_, f64>) -> Self {
        simd::dispatch(Adding(weights))
    }

    /// Those of all rows of both.
    pub fn with(self, other: Self) -> Self {
        let both = |of: fn(&Self) -> [f64; 2], join: fn(f64, f64) -> f64| {
            [0, 1].map(|class| join(of(&self)[class], of(&other)[class]))
        };
        Powers {
            highest: both(|powers| powers.highest, f64::max),
            lowest: self.lowest.min(other.lowest),
            sums: both(|powers| powers.sums, |one, other| one + other),
        }
    }

    /// Whether no sum was rounded, or left the range of floats: a sum of numbers above 0 does not fall, so that one which is low
    /// enough at the end was so at any time.
    pub fn are_exact(&self) -> bool {
        let most = self.lowest * (1u64 << f64::MANTISSA_DIGITS) as f64;
        self.sums.iter().all(|&sum| sum < most)
    }
}

/// The kernel of adding up powers of two.
struct Adding<'a, 'w>(&'a Observations<'w, f64>);

impl Kernel for Adding<'_, '_> {
    type Output = Powers;

    #[inline(always)]
    fn run(self) -> Powers {
        // A sum for each row of a word, so that the compiler can use SIMD registers. Powers that are compared stay bits:
        // those of floats above 0 are in the order of the floats.
        let (mut sums, mut highest, mut lowest) = ([[0.0; 64]; 2], [0; 2], INFINITY);
        let mut some: [f64; 64];
        for word in self.0.words() {
            let weights: &[f64; 64] = match word.scores.try_into() {
                Ok(all) if word.are_all_used() => all,
                _ => {
                    let used = |row| if word.is_used(row) { word.scores[row] } else { f64::INFINITY };
                    some = std::array::from_fn(used);
                    &some
                }
            };
            let (neg, pos) = (!word.labels & word.used, word.labels & word.used);
            for (row, weight) in weights.iter().enumerate() {
                let power = weight.to_bits().cast_signed() & INFINITY;
                let of_class = |rows: u64| power & (rows >> row & 1).cast_signed().wrapping_neg();
                let (of_neg, of_pos) = (of_class(neg), of_class(pos));
                lowest = lowest.min(power);
                sums[0][row] += float(of_neg);
                sums[1][row] += float(of_pos);
                highest[0] = highest[0].max(of_neg);
                highest[1] = highest[1].max(of_pos);
            }
        }
        Powers {
            highest: highest.map(float),
            lowest: float(lowest),
            sums: sums.map(|rows| rows.iter().sum()),
        }
    }
}

/// The bits of infinity: those that say the power of two of a float.
const INFINITY: i64 = f64::INFINITY.to_bits().cast_signed();

#[inline(always)]
fn float(bits: i64) -> f64 {
    f64::from_bits(bits.cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::{Bits, bits::tests::packed};
    use proptest::prelude::*;

    proptest! {
        /// Against one addition after the other.
        #[test]
        fn of_each_class(rows in prop::collection::vec((-40i32..40, 1.0..2.0, any::<bool>(), 0..9), 0..300)) {
            let weights: Vec<f64> = rows.iter().map(|row| row.1 * 2f64.powi(row.0)).collect();
            let bits = |truth: fn(&(i32, f64, bool, i32)) -> bool| packed(rows.iter().map(truth));
            let (labels, valid) = (bits(|row| row.2), bits(|row| row.3 > 0));
            let of = |bytes| Bits::new(bytes, 0, rows.len());
            let all = Observations::new(&weights, of(&labels), Some(of(&valid)));
            let powers = all.blocks(2).iter().map(Powers::of).reduce(Powers::with);
            let powers = powers.unwrap_or_else(|| Powers::of(&all));
            let mut lowest = f64::INFINITY;
            let (mut highest, mut sums) = ([0.0; 2], [0.0; 2]);
            for &(power, _, label, _) in rows.iter().filter(|row| row.3 > 0) {
                let (class, power) = (usize::from(label), 2f64.powi(power));
                lowest = power.min(lowest);
                highest[class] = power.max(highest[class]);
                sums[class] += power;
            }
            prop_assert_eq!(powers.highest, highest);
            prop_assert_eq!(powers.lowest, lowest);
            if powers.are_exact() {
                prop_assert_eq!(powers.sums, sums);
            }
        }
    }

    #[test]
    fn sums_that_may_be_rounded_are_not_exact() {
        let of = |weights: &[f64]| {
            let labels = vec![0b0101_0101; weights.len() / 8 + 1];
            Powers::of(&Observations::new(weights, Bits::new(&labels, 0, weights.len()), None))
        };
        assert!(of(&[1.5, 2f64.powi(-52)]).are_exact() && !of(&[1.5, 2f64.powi(-53)]).are_exact());
        assert!(!of(&[1.5, 2f64.powi(-52), 1.0]).are_exact());
        assert!(!of(&[1.0, f64::MIN_POSITIVE / 2.0]).are_exact());
        assert!(!of(&[1e300, 1e-300]).are_exact());
        assert!(!of(&[f64::MAX; 4]).are_exact() && of(&[f64::MAX; 2]).are_exact());
        assert!(of(&[]).are_exact());
    }
}
