//! A number that a user names, as a score of any type.

/// A number of no particular type, exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i128),
    /// A float, not NaN.
    Float(f64),
}

impl Number {
    /// The number in units of `10^-decimals`, in which scores of a decimal type are held.
    pub fn scaled(self, decimals: u32) -> Self {
        match self {
            number if decimals == 0 => number,
            Number::Integer(number) => {
                match 10i128.checked_pow(decimals).and_then(|scale| number.checked_mul(scale)) {
                    Some(number) => Number::Integer(number),
                    None => Number::Float(number as f64 * 10f64.powi(decimals as i32)),
                }
            }
            // The product is rounded to the whole number that the decimal fraction stood for.
            Number::Float(number) => Number::Float(number * 10f64.powi(decimals as i32)),
        }
    }

    /// The lowest number of a domain that is not below this one; none if all are.
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

/// Which numbers scores can be, among all numbers of the Rust type that they are stored in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Domain {
    /// All of them.
    #[default]
    Any,
    /// Whole numbers between two, of units of `10^-decimals`: truth values, and decimals of some digits.
    Whole {
        /// The lowest.
        lowest: i128,
        /// The highest.
        highest: i128,
        /// Digits behind the point.
        decimals: u32,
    },
    /// Floats of half precision.
    Half,
}

/// The lowest float of half precision (IEEE 754 binary16) that is not below a number.
fn half(number: f64) -> f64 {
    const HIGHEST: f64 = 65504.0;
    if !number.is_finite() || number > HIGHEST {
        return if number < 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // A float of half precision has eleven bits from its highest bit on, and no bit below 2^-24.
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
                    Number::Float(number) => {
                        let up = number.ceil();
                        // The highest of a wide type rounds up to a float that the type does not hold.
                        let above = up > HIGHEST || (<$score>::BITS > f64::MANTISSA_DIGITS && up == HIGHEST);
                        // The conversion saturates below.
                        (!above).then_some(up as $score)
                    }
                }
            }
        }
    )*};
}

/// Types of scores in which the lowest value that is not below a number can be found.
pub trait AtLeast: Sized {
    /// The lowest value that is not below the number; none if all are.
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
        assert_eq!(Float(0.1).scaled(1), Float(1.0));
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

    proptest! {
        #[test]
        fn lowest_that_is_not_below(number in -200f64..400.0, score in any::<u8>()) {
            let found = u8::at_least(Number::Float(number));
            prop_assert_eq!(found.is_some_and(|found| score >= found), f64::from(score) >= number);
            let found = f32::at_least(Number::Float(number)).unwrap();
            prop_assert!(f64::from(found) >= number && f64::from(found.next_down()) < number);
        }
    }
}
