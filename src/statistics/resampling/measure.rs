//! Measures of a ROC curve for the comparison of two scores: its area, a partial area, or a point.

use crate::ranking::ties::{
    Count,
    counts::{steps, twice_u},
};
use crate::statistics::options::{FromOptions, OptionError, Options};

/// A measure of a ROC curve, the larger the better.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Measure {
    /// The whole area.
    #[default]
    Auc,
    /// The area between two false positive rates: the integral of tpr over fpr.
    FprRange(f64, f64),
    /// The area between two true positive rates: the integral of 1 - fpr over tpr.
    TprRange(f64, f64),
    /// The tpr at an fpr: sensitivity at a fixed specificity.
    TprAtFpr(f64),
    /// 1 - fpr at a tpr: specificity at a fixed sensitivity.
    SpecificityAtTpr(f64),
    /// The fpr at a tpr, the smaller the better.
    FprAtTpr(f64),
}

impl FromOptions for Measure {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let measures = [
            (
                "`min_fpr` and `max_fpr`",
                options.bounds("fpr")?.map(|(low, high)| Measure::FprRange(low, high)),
            ),
            (
                "`min_tpr` and `max_tpr`",
                options.bounds("tpr")?.map(|(low, high)| Measure::TprRange(low, high)),
            ),
            ("`at_fpr`", options.optional_rate("at_fpr")?.map(Measure::TprAtFpr)),
            ("`at_tpr`", options.optional_rate("at_tpr")?.map(Measure::SpecificityAtTpr)),
        ];
        let written: Vec<_> =
            measures.into_iter().filter_map(|(names, measure)| Some((names, measure?))).collect();
        match written[..] {
            [] => Ok(Measure::Auc),
            [(_, measure)] => Ok(measure),
            _ => {
                let names: Vec<&str> = written.into_iter().map(|(names, _)| names).collect();
                Err(format!("compare one thing at a time, got {}", names.join(", ")).into())
            }
        }
    }
}

impl Measure {
    /// The measure of the curve through these counts, highest score first; undefined without positives or
    /// negatives. Between two points the curve is linear.
    pub fn evaluate(self, counts: &[Count]) -> Option<f64> {
        let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
        if n_pos == 0 || n_neg == 0 {
            return None;
        }
        let (positives, negatives) = (n_pos as f64, n_neg as f64);
        if self == Measure::Auc {
            return Some(crate::math::quotient(twice_u(counts), 2 * u128::from(n_pos) * u128::from(n_neg)));
        }
        let (mut area, mut best) = (0.0, 0.0f64);
        for step in steps(counts).filter(|step| step.pos + step.neg > 0) {
            let (y0, x0) = (step.pos_above as f64 / positives, step.neg_above as f64 / negatives);
            let (y1, x1) = (step.tp() as f64 / positives, step.fp() as f64 / negatives);
            match self {
                Measure::Auc => {}
                Measure::FprRange(low, high) => area += strip((x0, y0), (x1, y1), low, high),
                // The same with the axes exchanged; the height is the distance from the right edge.
                Measure::TprRange(low, high) => area += strip((y0, 1.0 - x0), (y1, 1.0 - x1), low, high),
                Measure::TprAtFpr(at) if x0 <= at => best = best.max(height_at((x0, y0), (x1, y1), at)),
                Measure::SpecificityAtTpr(at) if y1 >= at && y0 < at => {
                    return Some(1.0 - height_at((y0, x0), (y1, x1), at));
                }
                Measure::FprAtTpr(at) if y1 >= at && y0 < at => {
                    return Some(height_at((y0, x0), (y1, x1), at));
                }
                Measure::TprAtFpr(_) | Measure::SpecificityAtTpr(_) | Measure::FprAtTpr(_) => {}
            }
        }
        Some(match self {
            Measure::TprAtFpr(_) => best,
            // A tpr of 0 is reached at fpr 0.
            Measure::SpecificityAtTpr(_) => 1.0,
            Measure::FprAtTpr(_) => 0.0,
            _ => area,
        })
    }
}

/// The area under a straight piece between two bounds of x.
fn strip(from: (f64, f64), to: (f64, f64), low: f64, high: f64) -> f64 {
    let (left, right) = (from.0.max(low), to.0.min(high));
    if left >= right {
        return 0.0;
    }
    let height = |x: f64| from.1 + (to.1 - from.1) * ((x - from.0) / (to.0 - from.0));
    0.5 * (right - left) * (height(left) + height(right))
}

/// The y of a straight piece at x, or at its end if that is earlier.
fn height_at(from: (f64, f64), to: (f64, f64), x: f64) -> f64 {
    if to.0 <= x { to.1 } else { from.1 + (to.1 - from.1) * ((x - from.0) / (to.0 - from.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two positives, a tie of both classes, a negative, the last positive, two negatives. The curve is
    /// (0, 1/2), (1/4, 3/4), (1/2, 3/4), (1/2, 1), (1, 1).
    const COUNTS: [(u64, u64); 6] = [(2, 0), (1, 1), (0, 1), (1, 0), (0, 0), (0, 2)];

    fn compute(measure: Measure) -> f64 {
        measure.evaluate(&COUNTS.map(|(pos, neg)| Count { pos, neg })).unwrap()
    }

    #[test]
    fn areas() {
        let whole = 0.25 * 0.625 + 0.25 * 0.75 + 0.5;
        assert_eq!(compute(Measure::Auc), whole);
        assert_eq!(compute(Measure::FprRange(0.0, 1.0)), whole);
        assert_eq!(compute(Measure::TprRange(0.0, 1.0)), whole);
        assert_eq!(compute(Measure::FprRange(0.0, 0.125)), 0.125 * 0.5625);
        assert_eq!(compute(Measure::FprRange(0.125, 0.5)), 0.125 * 0.6875 + 0.25 * 0.75);
        assert_eq!(compute(Measure::TprRange(0.75, 1.0)), 0.25 * 0.5);
        assert_eq!(compute(Measure::TprRange(0.625, 0.75)), 0.125 * (0.875 + 0.75) / 2.0);
    }

    #[test]
    fn points() {
        for (at, tpr) in
            [(0.0, 0.5), (0.125, 0.625), (0.25, 0.75), (0.4, 0.75), (0.5, 1.0), (0.7, 1.0), (1.0, 1.0)]
        {
            assert_eq!(compute(Measure::TprAtFpr(at)), tpr, "{at}");
        }
        for (at, specificity) in
            [(0.0, 1.0), (0.5, 1.0), (0.625, 0.875), (0.75, 0.75), (0.8, 0.5), (1.0, 0.5)]
        {
            assert_eq!(compute(Measure::SpecificityAtTpr(at)), specificity, "{at}");
            assert_eq!(compute(Measure::FprAtTpr(at)), 1.0 - specificity, "{at}");
        }
    }

    #[test]
    fn undefined() {
        assert_eq!(Measure::Auc.evaluate(&[Count { pos: 1, neg: 0 }]), None);
        assert_eq!(Measure::TprAtFpr(0.1).evaluate(&[Count { pos: 0, neg: 3 }]), None);
    }
}
