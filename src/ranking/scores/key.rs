//! Order-preserving keys: every numeric score as an unsigned integer with the same order.
//!
//! The kernel processes only integers, each as wide as its score. One kernel therefore ranks every dtype,
//! equality is exact, and no integer is rounded to a float.

use super::number::AtLeast;

/// The width of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// 8 bits.
    #[default]
    W8 = 8,
    /// 16 bits.
    W16 = 16,
    /// 32 bits.
    W32 = 32,
    /// 64 bits.
    W64 = 64,
    /// 128 bits.
    W128 = 128,
}

/// An unsigned integer that represents a score: `a < b` if and only if the score of `a` is lower.
///
/// A key is also a score, with itself as the key.
pub trait Key: Score<Key = Self> + Ord + std::fmt::Debug + Default {
    /// The largest key. For floats it is the key of NaN, for integers the key of the largest integer.
    const NAN: Self;

    /// The type of counts kept beside keys in registers: as wide as the key, but at least 16 and at most 64
    /// bits.
    type Lane: Copy + Default + From<bool> + From<u16> + Into<u64> + std::ops::AddAssign;

    /// The width of the key.
    const WIDTH: Width;

    /// The key as a 128-bit key in the same order; [`narrow`](Key::narrow) is the inverse.
    fn wide(self) -> u128;

    /// The key of a widened key; [`u128::MAX`], which represents NaN, becomes [`NAN`](Key::NAN).
    fn narrow(wide: u128) -> Self;

    /// A hash whose high bits differ for most pairs of different keys.
    fn hash(self) -> u64;

    /// The number of steps of `2^shift` from a lower key to this key.
    fn above(self, low: Self, shift: u32) -> u128;
}

macro_rules! keys {
    ($($key:ty, $width:ident, $lane:ty, $bits:ident => $folded:expr;)*) => {$(
        impl Key for $key {
            const NAN: Self = <$key>::MAX;

            type Lane = $lane;

            const WIDTH: Width = Width::$width;

            #[inline]
            fn wide(self) -> u128 {
                self.into()
            }

            #[inline]
            fn narrow(wide: u128) -> Self {
                wide as $key
            }

            /// Multiplicative hash (Knuth 1973, section 6.4) after folding the high half onto the low one:
            /// floats with integer values differ only in their high bits.
            #[inline]
            fn hash(self) -> u64 {
                let $bits = self;
                let folded: u64 = $folded;
                folded.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            }

            #[inline]
            fn above(self, low: Self, shift: u32) -> u128 {
                ((self - low) >> shift).into()
            }
        }
    )*};
}
keys! {
    u8, W8, u16, bits => bits.into();
    u16, W16, u16, bits => bits.into();
    u32, W32, u32, bits => bits.into();
    u64, W64, u64, bits => bits ^ (bits >> 32);
    u128, W128, u64, bits => { let low = bits as u64; (low ^ (low >> 32)).wrapping_add((bits >> 64) as u64) };
}

/// A score of a numeric type, and its key.
pub trait Score: Copy + Default + Send + Sync + AtLeast + 'static {
    /// The key type, of the same width.
    type Key: Key;

    /// The key: order-preserving, with equal keys for equal scores (-0.0 and 0.0 share a key).
    fn key(self) -> Self::Key;

    /// The score of a key; 0.0 for the key of both zeros.
    fn from_key(key: Self::Key) -> Self;

    /// The score as an `f64`, rounded. Rounding keeps the order, but different scores may become equal.
    fn position(self) -> f64;

    /// Whether the score cannot be ranked.
    #[inline]
    fn is_nan(self) -> bool {
        false
    }
}

macro_rules! unsigned_scores {
    ($($score:ty)*) => {$(
        impl Score for $score {
            type Key = $score;

            #[inline]
            fn key(self) -> $score {
                self
            }

            #[inline]
            fn from_key(key: $score) -> Self {
                key
            }

            #[inline]
            fn position(self) -> f64 {
                self as f64
            }
        }
    )*};
}
unsigned_scores!(u8 u16 u32 u64 u128);

macro_rules! signed_scores {
    ($($score:ty => $key:ty),*) => {$(
        impl Score for $score {
            type Key = $key;

            /// Flipping the sign bit moves the negative half below the positive half.
            #[inline]
            fn key(self) -> $key {
                self.cast_unsigned() ^ (1 << (<$key>::BITS - 1))
            }

            #[inline]
            fn from_key(key: $key) -> Self {
                (key ^ (1 << (<$key>::BITS - 1))).cast_signed()
            }

            #[inline]
            fn position(self) -> f64 {
                self as f64
            }
        }
    )*};
}
signed_scores!(i8 => u8, i16 => u16, i32 => u32, i64 => u64, i128 => u128);

macro_rules! float_scores {
    ($($score:ty => $key:ty, $signed:ty),*) => {$(
        impl Score for $score {
            type Key = $key;

            /// IEEE 754 orders floats of one sign by their bits, negative floats in descending order. All
            /// bits of negative floats are therefore inverted, and positive floats get the sign bit, which
            /// puts them above.
            #[inline]
            fn key(self) -> $key {
                // Adding 0.0 turns -0.0 into 0.0 and changes no other value.
                let bits = (self + 0.0).to_bits();
                let negative = (bits.cast_signed() >> (<$key>::BITS - 1)).cast_unsigned();
                bits ^ (negative | (1 << (<$key>::BITS - 1)))
            }

            #[inline]
            fn from_key(key: $key) -> Self {
                let positive = (key.cast_signed() >> (<$key>::BITS - 1)).cast_unsigned();
                <$score>::from_bits(key ^ (!positive | (1 << (<$key>::BITS - 1))))
            }

            #[inline]
            #[allow(clippy::unnecessary_cast)]
            fn position(self) -> f64 {
                self as f64
            }

            #[inline]
            fn is_nan(self) -> bool {
                self != self
            }
        }
    )*};
}
float_scores!(f32 => u32, i32, f64 => u64, i64);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn orders<S: Score + PartialOrd + std::fmt::Debug>(a: S, b: S) {
        assert_eq!(a.partial_cmp(&b), Some(a.key().cmp(&b.key())), "{a:?} {b:?}");
        assert_eq!(S::from_key(a.key()).partial_cmp(&a), Some(std::cmp::Ordering::Equal));
    }

    #[test]
    fn extremes_and_neighbours() {
        let floats = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.0 - f64::EPSILON,
            -1.0,
            -f64::MIN_POSITIVE,
            -5e-324,
            -0.0,
            0.0,
            5e-324,
            f64::MIN_POSITIVE,
            1.0,
            1.0 + f64::EPSILON,
            f64::MAX,
            f64::INFINITY,
        ];
        for &a in &floats {
            for &b in &floats {
                orders(a, b);
                orders(a as f32, b as f32);
            }
        }
        assert_eq!((-0.0f64).key(), 0.0f64.key());
        orders(i64::MAX, i64::MAX - 1);
        orders((1i64 << 53) + 1, 1i64 << 53);
        orders(i128::MIN, i128::MAX);
        orders(i8::MIN, 0);
        assert!(f64::from_key(u64::NAN).is_nan());
        assert!(f32::from_key(u32::NAN).is_nan());
        assert!(f64::INFINITY.key() < u64::NAN);
    }

    proptest! {
        #[test]
        fn any_two_scores(a in any::<u128>(), b in any::<u128>()) {
            orders(a, b);
            orders(a as i128, b as i128);
            orders(a as u64, b as u64);
            orders(a as i64, b as i64);
            orders(a as i32, b as i32);
            orders(a as i16, b as i16);
            orders(a as i8, b as i8);
            let (x, y) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
            if !x.is_nan() && !y.is_nan() {
                orders(x, y);
            }
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            if !x.is_nan() && !y.is_nan() {
                orders(x, y);
            }
        }
    }
}
