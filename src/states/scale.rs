//! Scales: sequences of nested partitions of all scores, used to coarsen states.
//!
//! A partition divides the numbers into intervals. The next partition of the sequence merges some neighbours,
//! so every interval lies in one interval of each later partition. The merged intervals depend only on the
//! scale, never on the rows. Coarsening step by step, in parts, or at once therefore gives the same
//! intervals.
//!
//! A score has a side and a distance, and each side is divided separately. The distance is raised to a power
//! below 1, which gives finer intervals near the end of the side. It is then divided into intervals of length
//! `2^h`. There are 32 partitions from `2^h` to `2^(h+1)`: each merges the pairs of neighbours with one
//! residue modulo 32. A state therefore loses at most a few percent of its intervals per step.
//!
//! All arithmetic consists of square roots and products of floats in a fixed order, which IEEE 754 rounds
//! correctly. The partitions are therefore the same on every machine.

use crate::math::power_of_two;
use crate::simd::{self, Kernel};

/// Partitions from one interval length to its double.
const STEPS: i32 = 32;

/// An offset that keeps partition numbers positive: the shortest intervals have length `2^-512`.
const FIRST: i32 = 512 * STEPS;

/// The number of the last partition, in which every side is one interval.
pub const LAST: Resolution = 2 * FIRST as Resolution;

/// The distribution of scores, which determines where intervals are fine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Any numbers: fine intervals near 0. The sides are the negative and the other numbers, and the distance
    /// is the absolute value to the power 3/8. A power is scale-free: multiplying all scores by a constant
    /// makes no difference. The optimal power is 1/2 for normal scores, and lower for heavy tails.
    #[default]
    Real,
    /// Numbers from 0 to 1: fine intervals near both ends. The sides are below 1/2 and from 1/2 up, and the
    /// distance is the distance from 0 or 1 to the power 1/4.
    Probability,
}

impl Scale {
    /// The lowest and the highest score of the scale.
    pub fn ends(self) -> (f64, f64) {
        match self {
            Scale::Real => (f64::NEG_INFINITY, f64::INFINITY),
            Scale::Probability => (0.0, 1.0),
        }
    }

    /// All scales by name.
    pub const NAMES: [(&'static str, Scale); 2] =
        [("real", Scale::Real), ("probability", Scale::Probability)];

    /// The name of the scale.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// Whether a score is within the scale.
    pub fn holds(self, score: f64) -> bool {
        let (lowest, highest) = self.ends();
        (lowest..=highest).contains(&score)
    }

    /// The side of a score, as 1.0 or -1.0.
    #[inline(always)]
    fn sign(self, score: f64) -> f64 {
        let border = if self == Scale::Real { 0.0 } else { 0.5 };
        if score < border { -1.0 } else { 1.0 }
    }

    /// The transformed distance of a score from the end of its side; infinite outside the scale.
    #[inline(always)]
    fn distance(self, score: f64) -> f64 {
        match self {
            Scale::Real => three_eighths(score.abs()),
            Scale::Probability if self.holds(score) => score.min(1.0 - score).sqrt().sqrt(),
            Scale::Probability => f64::INFINITY,
        }
    }

    /// The positions of scores.
    pub fn positions(self, scores: &[f64]) -> Vec<Position> {
        let distances = simd::dispatch(Distances { scale: self, scores });
        let position = |(&score, distance)| Position { is_low: self.sign(score) < 0.0, distance };
        scores.iter().zip(distances).map(position).collect()
    }

    /// The intervals of a partition; resolution 0, no partition, has the intervals of the finest one.
    pub fn intervals(self, resolution: Resolution) -> Intervals {
        let number = resolution.max(1) as i32 - FIRST;
        Intervals {
            scale: self,
            lengths: power_of_two(-number.div_euclid(STEPS)),
            joined: (0..STEPS as u64)
                .filter(|&pair| bit_reversed(pair) < number.rem_euclid(STEPS) as u32)
                .fold(0, |joined, pair| joined | 1 << pair),
        }
    }
}

/// The kernel that computes distances: a loop of roots, which vectorises.
struct Distances<'a> {
    scale: Scale,
    scores: &'a [f64],
}

impl Kernel for Distances<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn run(self) -> Vec<f64> {
        self.scores.iter().map(|&score| self.scale.distance(score)).collect()
    }
}

/// The intervals of a partition, by their lengths and merged pairs.
#[derive(Clone, Copy, Debug)]
pub struct Intervals {
    scale: Scale,
    /// Intervals per distance of 1: a power of two, so that products with it are exact.
    lengths: f64,
    /// A bit for each residue of a pair modulo 32: whether these pairs are already merged.
    joined: u64,
}

impl Intervals {
    /// The scale of the partition.
    pub fn scale(self) -> Scale {
        self.scale
    }

    /// An identifier of the interval of a score, unique to the interval.
    #[inline(always)]
    fn interval(self, score: f64) -> u64 {
        let lengths = (self.scale.distance(score) * self.lengths).floor();
        let pair = (0.5 * lengths).floor();
        // The lowest bits of the integer, without a scalar conversion. Above 2^53 only even numbers occur,
        // which merging does not change.
        let number = (pair + MANY_PAIRS).to_bits() % STEPS as u64;
        let first = if self.joined >> number & 1 == 1 { 2.0 * pair } else { lengths };
        first.copysign(self.scale.sign(score)).to_bits()
    }

    /// The number of a score's interval: increasing in the score, and unique to the interval if it [is
    /// exact](Intervals::is_exact).
    pub fn number(self, score: f64) -> u64 {
        let interval = f64::from_bits(self.interval(score));
        let from_end = match interval.abs() {
            // No partition merges infinite scores with others.
            lengths if lengths.is_infinite() => MAX_LENGTHS,
            lengths => (lengths as u64).min(MAX_LENGTHS - 1),
        };
        match (self.scale, interval.is_sign_negative()) {
            (Scale::Real, false) => BORDER + from_end,
            (Scale::Real, true) => BORDER - 1 - from_end,
            (Scale::Probability, false) => 2 * BORDER - from_end,
            (Scale::Probability, true) => from_end,
        }
    }

    /// The side of the interval of this number, as 1.0 or -1.0, and its offset from the end of the side in
    /// interval lengths.
    fn side(self, number: u64) -> (f64, u64) {
        match (self.scale, number >= BORDER) {
            (Scale::Real, true) => (1.0, number - BORDER),
            (Scale::Real, false) => (-1.0, BORDER - 1 - number),
            (Scale::Probability, true) => (1.0, (2 * BORDER).saturating_sub(number)),
            (Scale::Probability, false) => (-1.0, number),
        }
    }

    /// Whether the number belongs to a single interval, which requires that its offset is small enough.
    pub fn is_exact(self, number: u64) -> bool {
        let from_end = self.side(number).1;
        from_end <= MAX_LENGTHS && from_end != MAX_LENGTHS - 1
    }

    /// The number of the highest score of the scale.
    pub fn highest_number(self) -> u64 {
        match self.scale {
            Scale::Real => BORDER + MAX_LENGTHS,
            Scale::Probability => 2 * BORDER,
        }
    }

    /// An approximation of the lowest score in the interval of this number.
    pub fn about(self, number: u64) -> f64 {
        let (sign, first) = self.side(number);
        let joined = first % 2 == 0 && self.joined >> (first / 2 % STEPS as u64) & 1 == 1;
        let falls = (self.scale == Scale::Real) == (sign < 0.0);
        // If scores decrease with the distance, the far end of the interval is its lowest score.
        let lengths = if falls { first + 1 + u64::from(joined) } else { first };
        let distance = lengths as f64 / self.lengths;
        match self.scale {
            Scale::Real => sign * distance.cbrt().powi(8),
            Scale::Probability if falls => 1.0 - distance.powi(4),
            Scale::Probability => distance.powi(4),
        }
    }

    /// Writes the interval of each score.
    #[inline(always)]
    pub fn fill(self, scores: &[f64], intervals: &mut [u64]) {
        for (interval, &score) in intervals.iter_mut().zip(scores) {
            *interval = self.interval(score);
        }
    }

    /// The interval of each score.
    pub fn assign(self, scores: &[f64]) -> Vec<u64> {
        simd::dispatch(Filling { intervals: self, scores })
    }
}

/// The kernel that computes intervals.
struct Filling<'a> {
    intervals: Intervals,
    scores: &'a [f64],
}

impl Kernel for Filling<'_> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run(self) -> Vec<u64> {
        let mut filled = vec![0; self.scores.len()];
        self.intervals.fill(self.scores, &mut filled);
        filled
    }
}

/// The maximum offset from the end of a side; up to here, floats represent all integers.
const MAX_LENGTHS: u64 = 2 << MANTISSA;

/// From here on floats are integers, and up to twice this value their lowest bits are the bits of the
/// integer.
const MANY_PAIRS: f64 = (1u64 << MANTISSA) as f64;

/// The lowest interval number of the upper side.
const BORDER: u64 = 2 * MAX_LENGTHS;

/// The merge order of the pair with this residue: bit reversal keeps neighbouring pairs far apart in the
/// order.
#[inline(always)]
fn bit_reversed(pair: u64) -> u32 {
    (pair as u32 % STEPS as u32).reverse_bits() >> (u32::BITS - STEPS.ilog2())
}

/// `size^(3/8)`, by roots and products only.
#[inline(always)]
fn three_eighths(size: f64) -> f64 {
    let fourth = size.sqrt().sqrt();
    fourth * fourth.sqrt()
}

/// The position of a score on a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// The side; no partition merges the two sides.
    is_low: bool,
    /// The distance from the end of the side: non-negative, possibly infinite.
    distance: f64,
}

/// The level of coarsening: 0 is no partition, and every distinct score is separate. From 1 on, each
/// partition is coarser than the one before.
pub type Resolution = u32;

impl Position {
    /// The first partition with both positions in one interval; `None` if there is none.
    pub fn common_resolution(self, other: Position) -> Option<Resolution> {
        let (near, far) = if self.distance < other.distance { (self, other) } else { (other, self) };
        if near == far {
            return Some(1);
        }
        if near.is_low != far.is_low || far.distance.is_infinite() {
            return None;
        }
        let (near, far) = (near.distance.to_bits(), far.distance.to_bits());
        let exponent = |bits: u64| (bits >> MANTISSA) as i32 - BIAS;
        // The lowest h for which both distances have the same integer part in units of 2^h.
        let length = if exponent(near) == exponent(far) {
            exponent(far) - MANTISSA as i32 + 64 - (near ^ far).leading_zeros() as i32
        } else {
            exponent(far) + 1
        };
        // That integer part. Above 2^63 only its highest bits are available, and the lowest five are 0.
        let whole = (far & ((1 << MANTISSA) - 1)) | (1 << MANTISSA);
        let shift = length - (exponent(far) - MANTISSA as i32);
        let pair = whole.checked_shr(shift as u32).unwrap_or(0);
        Some((FIRST + STEPS * (length - 1) + bit_reversed(pair) as i32 + 1).max(1) as u32)
    }
}

/// Mantissa bits of a float.
const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;

/// The exponent bias of a float.
const BIAS: i32 = f64::MAX_EXP - 1;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The interval of a position in a partition by definition: the number of whole lengths, or of pairs of
    /// lengths if the pair is merged. Only for distances whose number of lengths fits a `u64`.
    fn interval(position: Position, resolution: Resolution) -> Option<(bool, u64, bool)> {
        let number = resolution as i32 - FIRST;
        let (length, turns) = (number.div_euclid(STEPS), number.rem_euclid(STEPS));
        let lengths = (position.distance / f64::powi(2.0, length)).floor();
        if lengths >= 2f64.powi(63) {
            return None;
        }
        let lengths = lengths as u64;
        let turn = ((lengths / 2) as u8 % 32).reverse_bits() >> 3;
        let joined = i32::from(turn) < turns;
        Some((position.is_low, if joined { lengths / 2 } else { lengths }, joined))
    }

    impl Scale {
        fn position(self, score: f64) -> Position {
            self.positions(&[score])[0]
        }
    }

    fn score() -> impl Strategy<Value = f64> {
        prop_oneof![-2f64..2.0, -1e9f64..1e9, any::<f64>(), Just(0.0), Just(f64::INFINITY), Just(-5e-324)]
            .prop_filter("not NaN", |score| !score.is_nan())
    }

    proptest! {
        #[test]
        fn common_resolution(a in score(), b in score(), near in any::<bool>(), probability in any::<bool>()) {
            let scale = if probability { Scale::Probability } else { Scale::Real };
            let b = if near { a * (1.0 + b.clamp(-1.0, 1.0) * 1e-6) } else { b };
            let [a, b] = [a, b].map(|score| if probability { score.abs() % 1.0 } else { score });
            prop_assume!(!a.is_nan() && !b.is_nan());
            let (a, b) = (scale.position(a), scale.position(b));
            prop_assert_eq!(a.common_resolution(b), b.common_resolution(a));
            if let Some(first) = a.common_resolution(b) {
                for resolution in [first, first + 1, first + 40, first + 500] {
                    if let (Some(interval_a), Some(interval_b)) = (interval(a, resolution), interval(b, resolution)) {
                        prop_assert_eq!(interval_a, interval_b);
                    }
                }
                if first > 1 && let (Some(interval_a), Some(interval_b)) = (interval(a, first - 1), interval(b, first - 1)) {
                    prop_assert_ne!(interval_a, interval_b);
                }
            } else {
                prop_assert!(a.is_low != b.is_low || a.distance.is_infinite() != b.distance.is_infinite());
            }
        }

        /// Two scores share an interval from the partition that merges them onwards, and not before.
        #[test]
        fn intervals_join_as_positions(a in score(), b in score(), near in any::<bool>(), probability in any::<bool>(), later in 0u32..2000) {
            let scale = if probability { Scale::Probability } else { Scale::Real };
            let b = if near { a * (1.0 + b.clamp(-1.0, 1.0) * 1e-6) } else { b };
            let [a, b] = [a, b].map(|score| if probability { score.abs() % 1.0 } else { score });
            prop_assume!(!a.is_nan() && !b.is_nan());
            let first = scale.position(a).common_resolution(scale.position(b));
            let about = first.into_iter().flat_map(|first| [first - 1, first, first + 1, first + later]);
            for resolution in about.chain([1, FIRST as u32 + later]).filter(|resolution| (1..=LAST).contains(resolution)) {
                let intervals = scale.intervals(resolution).assign(&[a, b]);
                prop_assert_eq!(intervals[0] == intervals[1], first.is_some_and(|first| first <= resolution));
            }
        }

        #[test]
        fn positions_are_in_order(a in score(), b in score()) {
            let (low, high) = (a.min(b), a.max(b));
            let key = |position: Position| if position.is_low { -position.distance } else { position.distance };
            prop_assert!(key(Scale::Real.position(low)) <= key(Scale::Real.position(high)));
            let (low, high) = (low.abs().min(1.0).min(high.abs()), high.abs().min(1.0).max(low.abs().min(1.0)));
            let (low, high) = (Scale::Probability.position(low), Scale::Probability.position(high));
            match (low.is_low, high.is_low) {
                (true, true) => prop_assert!(low.distance <= high.distance),
                (false, false) => prop_assert!(low.distance >= high.distance),
                sides => prop_assert_eq!(sides, (true, false)),
            }
        }

        /// Between two scores of one interval, every score is in that interval.
        #[test]
        fn intervals_have_no_gaps(scores in prop::array::uniform3(-3f64..3.0)) {
            let mut scores = scores;
            scores.sort_by(f64::total_cmp);
            let [low, middle, high] = scores.map(|score| Scale::Real.position(score));
            if let Some(all) = low.common_resolution(high) {
                prop_assert_eq!(Some(all), low.common_resolution(middle).max(middle.common_resolution(high)));
            }
        }
    }

    #[test]
    fn ends() {
        let position = |score| Scale::Real.position(score);
        assert_eq!(position(-0.0), position(0.0));
        assert_eq!(position(0.0).common_resolution(position(-5e-324)), None);
        assert_eq!(position(f64::INFINITY).common_resolution(position(f64::MAX)), None);
        assert_eq!(position(f64::INFINITY).common_resolution(position(f64::INFINITY)), Some(1));
        assert!(position(0.0).common_resolution(position(5e-324)).is_some_and(|first| first > 1));
        assert!(
            position(0.0).common_resolution(position(f64::MAX)).is_some_and(|last| last < 2 * FIRST as u32)
        );
        assert!(
            Scale::Probability.holds(0.0)
                && Scale::Probability.holds(1.0)
                && !Scale::Probability.holds(-1e-9)
        );
        assert_eq!(Scale::Probability.position(0.25), Scale::Probability.position(0.25));
        for (name, scale) in Scale::NAMES {
            assert_eq!(scale.name(), name);
        }
    }
}
