//! Robbins' normal mixture: the evidence of a sum against its mean, valid at all times simultaneously.

use crate::math::normal;

/// A mixture of likelihood ratios of a sum; the effect is normal with variance `1 / scale`.
///
/// Let a sum be `d` above its mean, with variance V so far. If the terms are normal,
/// `E = (1 + V / s)^(-1/2) exp(d² / (2 (s + V)))` is a martingale of mean 1 (Robbins 1970). It is therefore
/// at most `1 / alpha` at all times with probability `1 - alpha` (Ville 1939). For other independent terms
/// with estimated variances, also of different distributions, this holds in the limit. See Waudby-Smith,
/// Arbour, Sinha, Kennedy and Ramdas (2024), proposition 2.5, where s is `1 / rho²`.
#[derive(Clone, Copy, Debug)]
pub struct NormalMixture {
    /// The `s` above, in the unit of the variance.
    scale: f64,
}

/// The ratio of variance to scale at which a mixture is tightest for its level: the solution of
/// `c = ln(1 + c) - 2 ln alpha`. By Lambert's W it is `-W(-alpha² / e) - 1`.
pub fn tightest_ratio(ln_alpha: f64) -> f64 {
    let u = -2.0 * ln_alpha;
    // An upper bound of the root (Chatzigeorgiou 2013), from which Newton's method descends.
    let mut c = (2.0 * u).sqrt() + u;
    for _ in 0..8 {
        c -= (c - c.ln_1p() - u) * (1.0 + c) / c;
    }
    c
}

impl NormalMixture {
    /// The mixture whose interval of coverage `1 - alpha` is tightest at this variance.
    pub fn tightest_at(variance: f64, ln_alpha: f64) -> Self {
        NormalMixture { scale: variance / tightest_ratio(ln_alpha) }
    }

    /// The variance of the sum plus the variance of the effect: `s + V`.
    pub fn total(self, variance: f64) -> f64 {
        self.scale + variance
    }

    /// The logarithm of `1 + V / s`.
    pub fn ln_ratio(self, variance: f64) -> f64 {
        (variance / self.scale).ln_1p()
    }

    /// The logarithm of the evidence that the mean differs.
    pub fn ln_evidence(self, above: f64, variance: f64) -> f64 {
        0.5 * (above * above / self.total(variance) - self.ln_ratio(variance))
    }

    /// The same for a higher mean: positive effects, with the half-normal distribution. If the mean is lower,
    /// the evidence decreases.
    pub fn ln_evidence_of_higher(self, above: f64, variance: f64) -> f64 {
        let z = above / self.total(variance).sqrt();
        std::f64::consts::LN_2 + normal::ln_scaled_tail(-z) - 0.5 * self.ln_ratio(variance)
    }

    /// The distance of a sum from its mean at which the evidence is `1 / alpha`.
    pub fn margin(self, variance: f64, ln_alpha: f64) -> f64 {
        (self.total(variance) * (self.ln_ratio(variance) - 2.0 * ln_alpha)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tightest_at_is_optimal() {
        for alpha in [1e-300f64, 0.001, 0.05, 0.5, 0.999, 1.0 - 1e-9] {
            let width = |at: f64| NormalMixture::tightest_at(at, alpha.ln()).margin(7.0, alpha.ln());
            assert!(width(7.0) < width(6.0).min(width(8.0)), "{alpha}");
        }
        // -W_{-1}(-0.05² / e) - 1 of scipy.
        assert!((tightest_ratio(0.05f64.ln()) - 8.211_968_062_068_255).abs() < 1e-12);
    }

    #[test]
    fn margin_inverts_the_evidence() {
        let mixture = NormalMixture::tightest_at(3.0, 0.05f64.ln());
        for variance in [0.0, 1e-9, 1.0, 3.0, 1e9] {
            let margin = mixture.margin(variance, 0.05f64.ln());
            for above in [margin, -margin] {
                assert!((mixture.ln_evidence(above, variance) - 20f64.ln()).abs() < 1e-12);
            }
        }
    }

    /// The two halves of a normal effect are half-normal.
    #[test]
    fn sides_add_up() {
        let mixture = NormalMixture::tightest_at(3.0, 0.05f64.ln());
        for above in [0.0, 0.1, -2.0, 5.0, 40.0] {
            let sides = [above, -above].map(|above| mixture.ln_evidence_of_higher(above, 2.0).exp());
            let both = mixture.ln_evidence(above, 2.0).exp();
            assert!((0.5 * (sides[0] + sides[1]) / both - 1.0).abs() < 1e-12);
        }
    }
}
