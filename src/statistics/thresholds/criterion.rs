//! Criteria for the best threshold.

use super::confusion::Confusion;
use super::fraction::fraction;
use crate::math;
use crate::statistics::options::{OptionError, Word};

/// The maximum weight of the false positive rate.
const MAX_RATIO: f64 = 1e100;

/// The criterion of the best threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Criterion {
    /// The largest `tpr - r fpr`, with `r = (1 - prevalence) / (cost prevalence)` if a false negative costs
    /// `cost` times a false positive. For r = 1 it is Youden's (1950) index (Perkins and Schisterman 2006).
    Youden {
        /// `r`.
        ratio: f64,
    },
    /// The smallest `(1 - tpr)² + r fpr²`: the point closest to the upper left corner (Perkins and
    /// Schisterman 2006).
    ClosestTopleft {
        /// `r`.
        ratio: f64,
    },
    /// The smallest expected cost per row, `cost prevalence (1 - tpr) + (1 - prevalence) fpr`.
    Cost {
        /// The cost of a false negative, in costs of a false positive.
        cost: f64,
        /// The prevalence in the target population; by default, the prevalence of the group.
        prevalence: Option<f64>,
    },
    /// The largest F measure.
    MaxF,
    /// The largest tpr with at most this fpr.
    TargetFpr(f64),
    /// The smallest fpr with at least this tpr.
    TargetTpr(f64),
    /// The largest tpr with at least this precision.
    TargetPrecision(f64),
    /// The highest threshold that calls at least as many rows positive as there are positives: Ling's top P
    /// rows.
    TopP,
}

/// The values with each word are those without options.
impl Word for Criterion {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("youden", Criterion::Youden { ratio: 1.0 }),
        ("closest_topleft", Criterion::ClosestTopleft { ratio: 1.0 }),
        ("cost", Criterion::Cost { cost: 1.0, prevalence: None }),
        ("max_f", Criterion::MaxF),
        ("target_fpr", Criterion::TargetFpr(0.0)),
        ("target_tpr", Criterion::TargetTpr(1.0)),
        ("target_precision", Criterion::TargetPrecision(1.0)),
        ("top_p", Criterion::TopP),
    ];
}

/// The weight of the false positive rate; the false negative rate has weight 1.
pub(super) fn ratio(cost: f64, prevalence: Option<f64>) -> Result<f64, OptionError> {
    let share = prevalence.unwrap_or(0.5);
    let ratio = (1.0 - share) / (cost * share).max(f64::MIN_POSITIVE);
    let min = 1.0 / MAX_RATIO;
    if (min..=MAX_RATIO).contains(&ratio) {
        return Ok(ratio);
    }
    let expected = format!("a number above 0, from {min:e} to {MAX_RATIO:e}");
    let reason = format!("(1 - `prevalence`) / (`cost` `prevalence`) must be {expected}, got {ratio:e}");
    Err(reason.into())
}

/// Above the relative rounding error of an F measure, which takes six operations. The other float merits are
/// monotone even after rounding.
const MERIT_ROUNDING: f64 = 1e-14;

/// The merit of a threshold: larger is better. It is an integer if that fits.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) enum Merit {
    /// An integer.
    Whole(i128),
    /// Any number.
    Float(f64),
}

impl Merit {
    /// Whether it may be at least as good as another one before rounding.
    pub fn reaches(self, other: Merit) -> bool {
        match (self, other) {
            (Merit::Float(merit), Merit::Float(other)) => merit >= other - MERIT_ROUNDING * other.abs(),
            (merit, other) => merit >= other,
        }
    }
}

/// A criterion with the numbers of positives and negatives of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    criterion: Criterion,
    beta: f64,
    /// The weight of the false positive rate; the false negative rate has weight 1.
    ratio: f64,
    /// The weight as a fraction, if integer merits fit 128 bits.
    whole: Option<(i128, i128)>,
}

impl Rule {
    /// The criterion for the rows in `all`; `beta` is the weight of recall in the F measure.
    pub fn new(criterion: Criterion, beta: f64, all: Confusion) -> Self {
        let ratio = match criterion {
            Criterion::Youden { ratio } | Criterion::ClosestTopleft { ratio } => ratio,
            Criterion::Cost { cost, prevalence } => {
                let prevalence =
                    prevalence.or_else(|| all.with(all.n_pos, all.n_neg).precision()).unwrap_or(0.5);
                (1.0 - prevalence) / (cost * prevalence)
            }
            _ => 1.0,
        };
        let bits = |number: u64| u64::BITS - number.leading_zeros();
        let counts = all.without_empty_bits();
        let pairs = bits(counts.n_pos) + bits(counts.n_neg);
        let whole = fraction(ratio).filter(|&(above, below)| {
            let merits = match criterion {
                Criterion::ClosestTopleft { .. } => 2 * pairs,
                _ => pairs,
            };
            bits(above.max(below)) + merits + 1 < i128::BITS - 1
        });
        let whole = whole.map(|(above, below)| (i128::from(above), i128::from(below)));
        Rule { criterion, beta, ratio, whole }
    }

    /// The merit of calls; `None` if the criterion excludes them.
    #[inline]
    pub fn merit(&self, calls: &Confusion) -> Option<Merit> {
        // Rates over a common denominator, without the zero low bits of weights.
        let Confusion { tp, fp, n_pos, n_neg, .. } = calls.without_empty_bits();
        let tpr = || i128::from(tp) * i128::from(n_neg);
        let fnr = || i128::from(n_pos - tp) * i128::from(n_neg);
        let fpr = || i128::from(fp) * i128::from(n_pos);
        match (self.criterion, self.whole) {
            (Criterion::Youden { .. } | Criterion::Cost { .. }, Some((above, below))) => {
                Some(Merit::Whole(below * tpr() - above * fpr()))
            }
            (Criterion::ClosestTopleft { .. }, Some((above, below))) => {
                Some(Merit::Whole(-(below * fnr() * fnr() + above * fpr() * fpr())))
            }
            (Criterion::Youden { .. } | Criterion::Cost { .. }, None) => {
                Some(Merit::Float(calls.tpr()? - self.ratio * calls.fpr()?))
            }
            (Criterion::ClosestTopleft { .. }, None) => {
                Some(Merit::Float(-((1.0 - calls.tpr()?).powi(2) + self.ratio * calls.fpr()?.powi(2))))
            }
            (Criterion::MaxF, _) => calls.f(self.beta).map(Merit::Float),
            (Criterion::TargetFpr(target), _) => {
                (calls.fpr()? <= target).then(|| Merit::Whole(i128::from(calls.tp)))
            }
            (Criterion::TargetPrecision(target), _) => {
                (calls.precision()? >= target).then(|| Merit::Whole(i128::from(calls.tp)))
            }
            (Criterion::TargetTpr(target), _) => {
                (calls.tpr()? >= target).then(|| Merit::Whole(-i128::from(calls.fp)))
            }
            (Criterion::TopP, _) => {
                let positives = calls.with(calls.n_pos, 0).predicted_rate()?;
                (calls.predicted_rate()? >= positives)
                    .then(|| Merit::Whole(-(i128::from(calls.tp) + i128::from(calls.fp))))
            }
        }
    }

    /// The value of the criterion.
    pub fn value(&self, calls: &Confusion) -> Option<f64> {
        let (tpr, fpr) = (calls.tpr()?, calls.fpr()?);
        match self.criterion {
            Criterion::Youden { ratio } => Some(match (self.merit(calls), self.whole) {
                (Some(Merit::Whole(merit)), Some((_, below))) => {
                    let counts = calls.without_empty_bits();
                    let pairs = below.unsigned_abs() * u128::from(counts.n_pos) * u128::from(counts.n_neg);
                    math::signed_quotient(merit, pairs)
                }
                _ => tpr - ratio * fpr,
            }),
            Criterion::ClosestTopleft { ratio } => Some((1.0 - tpr).powi(2) + ratio * fpr.powi(2)),
            Criterion::Cost { cost, prevalence } => {
                let prevalence = prevalence.or_else(|| calls.with(calls.n_pos, calls.n_neg).precision())?;
                Some(cost * prevalence * (1.0 - tpr) + (1.0 - prevalence) * fpr)
            }
            Criterion::MaxF => calls.f(self.beta),
            Criterion::TargetFpr(_) => Some(fpr),
            Criterion::TargetTpr(_) => Some(tpr),
            Criterion::TargetPrecision(_) => calls.precision(),
            Criterion::TopP => calls.accuracy(),
        }
    }
}
