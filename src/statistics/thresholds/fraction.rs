//! The simplest fraction that a float represents.

/// Numerators and denominators up to here are simple: ratios of costs or prevalences with a few digits.
const SIMPLE: u64 = 1 << 24;

/// The fraction of small integers within four units in the last place of a positive float, if any:
/// `0.9 / 0.3` becomes exactly 3.
///
/// Uses continued fractions, each convergent of which is the best approximation of its size (Khinchin 1964,
/// theorem 16).
pub fn fraction(number: f64) -> Option<(u64, u64)> {
    if !(number > 0.0 && number.is_finite()) {
        return None;
    }
    let (mut before, mut now) = ((0, 1), (1, 0));
    let mut rest = number;
    loop {
        let whole = rest.floor();
        if whole > SIMPLE as f64 {
            return None;
        }
        let next = (whole as u64 * now.0 + before.0, whole as u64 * now.1 + before.1);
        if next.0.max(next.1) > SIMPLE {
            return None;
        }
        let error = (next.0 as f64 / next.1 as f64 - number).abs();
        if error <= 2.0 * f64::EPSILON * number {
            return (next.0 > 0).then_some(next);
        }
        (before, now) = (now, next);
        if rest == whole {
            return None;
        }
        rest = 1.0 / (rest - whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn simple_ones() {
        assert_eq!(fraction(1.0), Some((1, 1)));
        assert_eq!(fraction((1.0 - 0.3) / (2.0 * 0.3)), Some((7, 6)));
        assert_eq!(fraction(0.9 / 0.3), Some((3, 1)));
        assert_eq!(fraction((1.0 - 0.001) / 0.001), Some((999, 1)));
        assert_eq!(fraction(1e-3), Some((1, 1000)));
        for none in [std::f64::consts::PI, 1e300, 1e-300, 0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(fraction(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn recovers_fractions(above in 1u64..3000, below in 1u64..3000) {
            let (found, under) = fraction(above as f64 / below as f64).unwrap();
            prop_assert_eq!(found * below, under * above);
        }
    }
}
