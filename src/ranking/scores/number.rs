//! A number from user input, as a score of any type.

use crate::math;

/// An exact number, independent of a score type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// An integer that exceeds `i128`.
    Large(u128),
    /// The decimal fraction `digits / 10^decimals`.
    Decimal {
        /// All digits as one integer.
        digits: i128,
        /// The number of fractional digits.
        decimals: u32,
    },
    /// A float, not NaN.
    Float(f64),
}

impl Number {
    /// Parses a number in decimal digits, such as `-12.5`; `None` for other text or NaN.
    ///
    /// The result is exact up to 38 digits. With more digits it is the nearest float; integers are rounded up
    /// to the next float.
    pub fn from_digits(text: &str) -> Option<Self> {
        Self::exactly(text).or_else(|| {
            let near: f64 = text.parse().ok().filter(|near: &f64| !near.is_nan())?;
            Some(Number::Float(if is_below(near, text) { near.next_up() } else { near }))
        })
    }

    fn exactly(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() {
            let large = || whole.parse().map(Number::Large);
            return whole.parse().map(Number::Integer).or_else(|_| large()).ok();
        }
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Number::Decimal { digits, decimals: fraction.len() as u32 })
    }

    /// The number in units of `10^-decimals`, the representation of decimal scores.
    pub fn scaled(self, decimals: u32) -> Self {
        let shifted = |digits: i128, stored_decimals: u32| {
            10i128
                .checked_pow(stored_decimals)
                .and_then(|scale| digits.checked_mul(scale))
                .map(Number::Integer)
        };
        match self {
            number if decimals == 0 => number,
            Number::Integer(number) => shifted(number, decimals)
                .unwrap_or_else(|| Number::Float(number as f64 * 10f64.powi(decimals as i32))),
            Number::Large(number) => Number::Float(number as f64 * 10f64.powi(decimals as i32)),
            Number::Decimal { digits, decimals: stored_decimals } if stored_decimals > decimals => {
                Number::Decimal { digits, decimals: stored_decimals - decimals }
            }
            Number::Decimal { digits, decimals: stored_decimals } => {
                shifted(digits, decimals - stored_decimals).unwrap_or_else(|| {
                    Number::Float(digits as f64 * 10f64.powi(decimals as i32 - stored_decimals as i32))
                })
            }
            // A float is taken as its shortest decimal fraction: 0.07 as 7 hundredths, although its product
            // with 100 exceeds 7.
            Number::Float(number) => match Self::exactly(&number.to_string()) {
                Some(written) => written.scaled(decimals),
                None => Number::Float(number * 10f64.powi(decimals as i32)),
            },
        }
    }

    /// The lowest number of a domain that is not below this one; `None` if all are.
    pub fn up_to(self, domain: Domain) -> Option<Self> {
        match domain {
            Domain::Any => Some(self),
            Domain::Whole { lowest, highest, decimals } => {
                let whole = i128::at_least(self.scaled(decimals));
                whole.filter(|&whole| whole <= highest).map(|whole| Number::Integer(whole.max(lowest)))
            }
            Domain::Half => f64::at_least(self).map(|number| Number::Float(half(number))),
        }
    }
}

/// Whether a float is below the integer with these digits; false for a fraction.
fn is_below(near: f64, digits: &str) -> bool {
    // A float with this many digits is an integer, and Rust formats all its digits.
    let exact = format!("{near:.0}");
    let [size, expected] = [&exact, digits].map(|text| text.trim_start_matches(['-', '0']));
    let order = size.len().cmp(&expected.len()).then_with(|| size.cmp(expected));
    near.is_finite() && !digits.contains('.') && if near < 0.0 { order.is_gt() } else { order.is_lt() }
}

/// The possible values of scores among all values of the Rust type that stores them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Domain {
    /// All values.
    #[default]
    Any,
    /// Integers in a range, in units of `10^-decimals`: booleans and decimals.
    Whole {
        /// The lowest.
        lowest: i128,
        /// The highest.
        highest: i128,
        /// Fractional digits.
        decimals: u32,
    },
    /// Floats of half precision.
    Half,
}

/// The lowest half-precision float (IEEE 754 binary16) that is not below a number.
fn half(number: f64) -> f64 {
    const HIGHEST: f64 = 65504.0;
    if !number.is_finite() || number > HIGHEST {
        return if number < 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // A half-precision float has an 11-bit significand and no bit below 2^-24.
    let exponent = number.abs().max(f64::powi(2.0, -14)).log2().floor() as i32;
    let step = f64::powi(2.0, exponent - 10);
    ((number / step).ceil() * step).max(-HIGHEST)
}

macro_rules! whole {
    ($($score:ty)*) => {$(
        impl AtLeast for $score {
            fn at_least(number: Number) -> Option<$score> {
                const HIGHEST: f64 = <$score>::MAX as f64;
                match number {
                    Number::Integer(number) if number < 0 => {
                        Some(<$score>::try_from(number).unwrap_or(<$score>::MIN))
                    }
                    Number::Integer(number) => <$score>::try_from(number).ok(),
                    Number::Large(number) => <$score>::try_from(number).ok(),
                    Number::Decimal { digits, decimals } => {
                        let up = match 10i128.checked_pow(decimals) {
                            Some(unit) => digits.div_euclid(unit) + i128::from(digits.rem_euclid(unit) > 0),
                            // A unit that overflows exceeds all digits.
                            None => i128::from(digits > 0),
                        };
                        <$score>::at_least(Number::Integer(up))
                    }
                    Number::Float(number) => {
                        let up = number.ceil();
                        // The maximum of a wide type rounds up to a float that exceeds the type.
                        let above = up > HIGHEST || (<$score>::BITS > f64::MANTISSA_DIGITS && up == HIGHEST);
                        // The conversion saturates at the minimum.
                        (!above).then_some(up as $score)
                    }
                }
            }
        }
    )*};
}

/// Score types that can find the lowest value not below a number.
pub trait AtLeast: Sized {
    /// The lowest value that is not below the number; `None` if all are.
    fn at_least(number: Number) -> Option<Self>;
}
whole!(i8 i16 i32 i64 i128 u8 u16 u32 u64 u128);

impl AtLeast for f64 {
    fn at_least(number: Number) -> Option<f64> {
        match number {
            Number::Float(number) => Some(number),
            Number::Integer(number) => {
                let near = number as f64;
                Some(if (near as i128) < number { near.next_up() } else { near })
            }
            Number::Large(number) => {
                let near = number as f64;
                Some(if (near as u128) < number { near.next_up() } else { near })
            }
            // Equal to a literal with these digits: the nearest float.
            Number::Decimal { digits, decimals } => Some(match 10u128.checked_pow(decimals) {
                Some(unit) => math::signed_quotient(digits, unit),
                None => digits as f64 / 10f64.powi(decimals as i32),
            }),
        }
    }
}

impl AtLeast for f32 {
    fn at_least(number: Number) -> Option<f32> {
        let number = f64::at_least(number)?;
        let near = number as f32;
        Some(if f64::from(near) < number { near.next_up() } else { near })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_of_types() {
        use Number::{Float, Integer};
        assert_eq!(u8::at_least(Float(2.5)), Some(3));
        assert_eq!(u8::at_least(Float(-7.0)), Some(0));
        assert_eq!(u8::at_least(Integer(-7)), Some(0));
        assert_eq!(u8::at_least(Float(255.0)), Some(255));
        assert_eq!(u8::at_least(Float(255.5)), None);
        assert_eq!(i64::at_least(Float(2f64.powi(63))), None);
        assert_eq!(i64::at_least(Integer((1 << 53) + 1)), Some((1 << 53) + 1));
        assert_eq!(i128::at_least(Float(f64::NEG_INFINITY)), Some(i128::MIN));
        assert_eq!(u64::at_least(Float(f64::INFINITY)), None);
        assert_eq!(f32::at_least(Float(0.1)), Some(0.1));
        assert_eq!(f32::at_least(Float(0.3)), Some(0.3));
        assert_eq!(f32::at_least(Float(1e300)), Some(f32::INFINITY));
        assert_eq!(f64::at_least(Integer((1 << 53) + 1)), Some(9_007_199_254_740_994.0));
        assert_eq!(Float(0.1).scaled(1), Integer(1));
        assert_eq!(Integer(3).scaled(2), Integer(300));
        let price = Domain::Whole { lowest: -9999, highest: 9999, decimals: 2 };
        assert_eq!(Float(1.5).up_to(price), Some(Integer(150)));
        assert_eq!(Float(0.001).up_to(price), Some(Integer(1)));
        assert_eq!((Integer(1000).up_to(price), Float(99.995).up_to(price)), (None, None));
        assert_eq!(Integer(-1000).up_to(price), Some(Integer(-9999)));
        assert_eq!(Float(1.5).up_to(Domain::Whole { lowest: 0, highest: 1, decimals: 0 }), None);
        assert_eq!(Float(0.1).up_to(Domain::Half), Some(Float(0.100_036_621_093_75)));
        assert_eq!(Float(-0.1).up_to(Domain::Half), Some(Float(-0.099_975_585_937_5)));
        assert_eq!(Float(65_519.0).up_to(Domain::Half), Some(Float(f64::INFINITY)));
        assert_eq!(Float(-1e9).up_to(Domain::Half), Some(Float(-65504.0)));
        assert_eq!(Float(1e-9).up_to(Domain::Half), Some(Float(f64::powi(2.0, -24))));
    }

    #[test]
    fn integers_up_to_the_last_of_u128() {
        for number in [(1u128 << 127) - 1, 1 << 127, (1 << 127) + 1, u128::MAX - 1, u128::MAX] {
            let parsed = Number::from_digits(&number.to_string()).unwrap();
            assert_eq!(u128::at_least(parsed), Some(number));
            assert_eq!(i128::at_least(parsed), i128::try_from(number).ok());
            assert!(f64::at_least(parsed).is_some_and(|near| near >= number as f64));
        }
        let above = Number::from_digits("340282366920938463463374607431768211456").unwrap();
        assert_eq!((above, u128::at_least(above)), (Number::Float(2f64.powi(128)), None));
        let below = Number::from_digits("-170141183460469231731687303715884105729").unwrap();
        assert_eq!((i128::at_least(below), u128::at_least(below)), (Some(i128::MIN), Some(0)));
        // The nearest float of 10^60 is slightly less.
        let digits = format!("1{}", "0".repeat(60));
        assert_eq!(Number::from_digits(&digits), Some(Number::Float(1e60f64.next_up())));
        assert_eq!(Number::from_digits(&format!("-{digits}")), Some(Number::Float(-1e60)));
        assert_eq!(Number::from_digits("seven").or(Number::from_digits("NaN")), None);
    }

    #[test]
    fn decimal_fractions_are_exact() {
        let cents = Domain::Whole { lowest: -9999, highest: 9999, decimals: 2 };
        // As floats, the product of 0.07 and 100 is slightly above 7, and the product of 1.1 and 100 is
        // above 110.
        for cent in -9999..=9999i128 {
            let (sign, size) = (if cent < 0 { "-" } else { "" }, cent.unsigned_abs());
            let text = format!("{sign}{}.{:02}", size / 100, size % 100);
            let float = Number::Float(text.parse().unwrap());
            let parsed = Number::from_digits(&text).unwrap();
            assert_eq!(
                (float.up_to(cents), parsed.up_to(cents)),
                (Some(Number::Integer(cent)), Some(Number::Integer(cent)))
            );
            assert_eq!(f64::at_least(parsed), text.parse().ok());
        }
        let long = Number::from_digits("12345678901234567890.02").unwrap();
        assert_eq!(long.scaled(2), Number::Integer(1_234_567_890_123_456_789_002));
        assert_eq!(long.scaled(1).up_to(Domain::Any).and_then(i64::at_least), None);
        assert_eq!(i128::at_least(long), Some(12_345_678_901_234_567_891));
        assert_eq!(i128::at_least(Number::from_digits("-2.5").unwrap()), Some(-2));
        assert_eq!(i128::at_least(Number::Float(1e-300).scaled(3)), Some(1));
        assert_eq!(i128::at_least(Number::Float(-1e-300).scaled(3)), Some(0));
    }

    proptest! {
        #[test]
        fn lowest_value_not_below(number in -200f64..400.0, score in any::<u8>()) {
            let found = u8::at_least(Number::Float(number));
            prop_assert_eq!(found.is_some_and(|found| score >= found), f64::from(score) >= number);
            let found = f32::at_least(Number::Float(number)).unwrap();
            prop_assert!(f64::from(found) >= number && f64::from(found.next_down()) < number);
        }
    }
}
