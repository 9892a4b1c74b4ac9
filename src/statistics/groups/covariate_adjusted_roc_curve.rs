//! The ROC curve within strata of a covariate.

use std::cmp::Ordering;

use crate::math::{quotient, sum::in_order};
use crate::ranking::rows::KeyRows;
use crate::ranking::ties::counts::steps;
use crate::statistics::curves::points::RatePoint;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::rows_by_key;
use crate::statistics::kinds::{Inputs, Joint, KeyInput};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The covariate-adjusted ROC curve `AROC(f)`: the share of positives whose placement value is at most f. The
/// placement value is the share of negatives of the same stratum with the same score or a higher one (Janes
/// and Pepe 2009, section 2).
///
/// It is the mean of the strata's ROC curves at each false positive rate, weighted by positives. A tie of
/// positives and negatives is a diagonal. The area under it is the mean of the strata's areas with these
/// weights. Strata that lack a class have no curve. `O(n log n + n k)` for k strata.
#[derive(Clone, Copy, Debug)]
pub struct CovariateAdjustedRocCurve {}

from_options!(|_| CovariateAdjustedRocCurve {});

impl Joint for CovariateAdjustedRocCurve {
    /// The points; null if no stratum has a curve, and if a score is NaN.
    type Record = Option<Vec<RatePoint>>;

    const INPUTS: Inputs = Inputs::scores(Some(1)).keyed(KeyInput::called("by"));

    fn evaluate(&self, rows: &Rows) -> Option<Vec<RatePoint>> {
        let mut strata = rows_by_key(rows, 0).into_owned();
        strata.retain(|stratum| stratum.n_pos > 0 && stratum.n_neg > 0);
        (!strata.is_empty()).then(|| points(&strata))
    }
}

/// A false positive rate, as a number of a stratum's negatives.
#[derive(Clone, Copy, Debug)]
struct Rate {
    fp: u64,
    n_neg: u64,
}

impl Rate {
    fn value(self) -> f64 {
        quotient(self.fp.into(), self.n_neg.into())
    }

    /// Compares exact values, which may be closer than floats can distinguish.
    fn order(self, other: Rate) -> Ordering {
        let cross = |a: u64, b: u64| u128::from(a) * u128::from(b);
        cross(self.fp, other.n_neg).cmp(&cross(other.fp, self.n_neg))
    }
}

/// The positives of one score in a stratum: a step of its curve, or a diagonal if they tie with negatives.
#[derive(Clone, Copy, Debug)]
struct StepDelta {
    pos: u64,
    from: Rate,
    tied: u64,
}

impl StepDelta {
    fn to(self) -> Rate {
        Rate { fp: self.from.fp + self.tied, ..self.from }
    }

    /// The positives below a rate on the diagonal.
    fn risen(self, at: Rate) -> f64 {
        let wide = |x: u64| u128::from(x);
        let along = wide(at.fp) * wide(self.from.n_neg) - wide(self.from.fp) * wide(at.n_neg);
        quotient(wide(self.pos) * along, wide(at.n_neg) * wide(self.tied))
    }
}

/// The points of the curve: its ends, and both ends of each step and each diagonal of a stratum.
fn points(strata: &[KeyRows]) -> Vec<RatePoint> {
    let mut deltas = Vec::new();
    for stratum in strata {
        for step in steps(&stratum.counts).filter(|step| step.pos > 0) {
            let from = Rate { fp: step.neg_above, n_neg: stratum.n_neg };
            deltas.push(StepDelta { pos: step.pos, from, tied: step.neg });
        }
    }
    deltas.sort_unstable_by(|a, b| a.from.order(b.from));
    let mut rates: Vec<Rate> = vec![Rate { fp: 0, n_neg: 1 }, Rate { fp: 1, n_neg: 1 }];
    rates.extend(deltas.iter().flat_map(|rise| [rise.from, rise.to()]));
    rates.sort_unstable_by(|a, b| a.order(*b));
    rates.dedup_by(|a, b| a.order(*b).is_eq());
    let n_pos = strata.iter().map(|stratum| stratum.n_pos).sum::<u64>();
    let mut points = Vec::with_capacity(rates.len());
    let (mut next, mut diagonals, mut below) = (deltas.iter().peekable(), Vec::<StepDelta>::new(), 0u64);
    for rate in rates {
        diagonals.retain(|diagonal| {
            let ends = diagonal.to().order(rate).is_eq();
            below += if ends { diagonal.pos } else { 0 };
            !ends
        });
        let partly = |diagonals: &[StepDelta]| -> f64 {
            in_order(diagonals.iter().map(|diagonal| diagonal.risen(rate))).into_iter().sum()
        };
        let tpr = |below: u64, diagonals: &[StepDelta]| match diagonals {
            [] => quotient(below.into(), n_pos.into()),
            _ => (below as f64 + partly(diagonals)) / n_pos as f64,
        };
        points.push(RatePoint::new(rate.value(), tpr(below, &diagonals)));
        let before = below;
        let begun = diagonals.len();
        while let Some(&rise) = next.next_if(|rise| rise.from.order(rate).is_eq()) {
            if rise.tied == 0 {
                below += rise.pos;
            } else {
                diagonals.push(rise);
            }
        }
        if below > before {
            // Diagonals that begin here have zero height so far.
            points.push(RatePoint::new(rate.value(), tpr(below, &diagonals[..begun])));
        }
    }
    points
}

declaration! {
    /// The covariate-adjusted ROC curve: each stratum, such as an age class, has its own threshold.
    ///
    /// Words: covariate-adjusted ROC, AROC, stratified ROC curve, age-adjusted.
    CovariateAdjustedRocCurve => RatePoint {
        label, score,
        /// The stratum of each row, such as its age class, or a list of columns that define it together, such as
        /// `["sex", "age_class"]`; any dtype except lists.
        by: columns;
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::groups::grouped_roc_auc::{ErrorSource, GroupedRocAuc, KeyWeight};
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    fn curve(labels: &[u8], scores: &[f64], strata: &[u32]) -> Option<Vec<(f64, f64)>> {
        let record = CovariateAdjustedRocCurve {}.evaluate(&rows_of(labels, &[scores], strata));
        record.map(|points| points.iter().map(|point| (point.fpr, point.tpr)).collect())
    }

    #[test]
    fn two_strata() {
        // (0, 0) (0, 1/2) (1/2, 1/2) (1, 1) of two positives, and a diagonal of one positive.
        let labels = [1, 0, 1, 0, 1, 0, 1];
        let scores = [9.0, 7.0, 5.0, 5.0, 5.0, 5.0, 8.0];
        assert_eq!(
            curve(&labels, &scores, &[0, 0, 0, 0, 1, 1, 2]).unwrap(),
            [(0.0, 0.0), (0.0, 1.0 / 3.0), (0.5, 0.5), (1.0, 1.0)]
        );
        // One stratum: the curve of the stratum.
        assert_eq!(
            curve(&[1, 0, 1, 0], &[4.0, 3.0, 2.0, 1.0], &[3; 4]).unwrap(),
            [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]
        );
        assert_eq!(curve(&[1, 0], &[1.0, 1.0], &[0, 1]), None);
    }

    proptest! {
        #[test]
        fn area_is_the_mean_of_the_strata(rows in proptest::collection::vec((0u8..2, -4i8..4, 0u32..5), 1..80)) {
            let labels: Vec<u8> = rows.iter().map(|row| row.0).collect();
            let scores: Vec<f64> = rows.iter().map(|row| row.1.into()).collect();
            let strata: Vec<u32> = rows.iter().map(|row| row.2).collect();
            let mean = GroupedRocAuc { average: KeyWeight::Positives, error: ErrorSource::Within, level: 0.9 };
            let mean = mean.evaluate(&rows_of(&labels, &[&scores], &strata)).auc;
            let area = curve(&labels, &scores, &strata).map(|points| {
                assert!(points.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1 && a != b));
                points.windows(2).map(|ends| (ends[1].0 - ends[0].0) * 0.5 * (ends[0].1 + ends[1].1)).sum::<f64>()
            });
            prop_assert_eq!(area.is_some(), mean.is_some());
            prop_assert!((area.unwrap_or(0.0) - mean.unwrap_or(0.0)).abs() < 1e-14);
        }
    }
}
