//! The cumulative accuracy profile.

use super::points::append_points;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Mass, Threshold, record};
use crate::statistics::options::from_options;

/// The share of positives among the rows predicted positive, at every distinct score, against the share of all
/// rows.
///
/// Also called Lorenz curve of the positives or cumulative gains curve (Sobehart, Keenan and Stein 2000).
/// With prevalence `π` the area between the curve and the diagonal is `(1 - π) (AUC - 1/2)`; for a perfect
/// score it is `(1 - π) / 2`. Their ratio, the accuracy ratio, is the Gini coefficient (Engelmann, Hayden and
/// Tasche 2003).
#[derive(Clone, Copy, Debug, Default)]
pub struct CapCurve {}

record! {
    /// One point of the profile.
    pub struct CapPoint {
        /// A row is predicted positive if `score >= threshold`; null in element 0.
        pub threshold: Option<Threshold>,
        /// Rows predicted positive; with weights, the sum of their weights.
        pub n: Mass,
        /// Positives among them; with weights, the sum of their weights.
        pub tp: Mass,
        /// `n` as a share of all rows.
        pub population: f64,
        /// `tp` as a share of all positives.
        pub captured: f64,
    }
}

from_options!(|_| CapCurve {});

impl Curve for CapCurve {
    type Record = CapPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if !ties.has_pairs() {
            return false;
        }
        append_points(&mut ties, columns, |threshold, calls| {
            let [tp, ..] = calls.masses();
            let population = calls.predicted_rate().unwrap_or_default();
            CapPoint::new(threshold, calls.called(), tp, population, calls.tpr().unwrap_or_default())
        });
        true
    }
}

declaration! {
    /// The cumulative accuracy profile; its accuracy ratio is `gini`.
    ///
    /// Words: CAP curve, cumulative accuracy profile, power curve, cumulative gains.
    CapCurve => CapPoint {
        label = None, score = None; weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::numbers::Gini;
    use crate::statistics::tests::{curve_points, summary};
    use proptest::prelude::*;

    /// Population and share captured.
    fn profile(labels: &[u8], scores: &[u8]) -> Option<Vec<(f64, f64)>> {
        let points = curve_points(&CapCurve {}, labels, scores)?;
        let population = points.numbers("population").iter().copied();
        Some(population.zip(points.numbers("captured").iter().copied()).collect())
    }

    #[test]
    fn points() {
        let points = profile(&[1, 0, 1, 1, 0], &[3, 2, 2, 2, 1]).unwrap();
        assert_eq!(points, [(0.0, 0.0), (0.2, 1.0 / 3.0), (0.8, 1.0), (1.0, 1.0)]);
        assert!(profile(&[0, 0], &[1, 2]).is_none());
    }

    proptest! {
        #[test]
        fn accuracy_ratio_is_gini(rows in prop::collection::vec((0u8..2, 0u8..9), 2..60)) {
            let (labels, scores): (Vec<u8>, Vec<u8>) = rows.into_iter().unzip();
            if let Some(points) = profile(&labels, &scores) {
                let area: f64 =
                    points.windows(2).map(|two| 0.5 * (two[1].0 - two[0].0) * (two[1].1 + two[0].1)).sum();
                let negatives = labels.iter().filter(|&&label| label == 0).count();
                let perfect = 0.5 * negatives as f64 / labels.len() as f64;
                let gini = summary(&Gini {}, &labels, &scores).gini.unwrap();
                prop_assert!(((area - 0.5) / perfect - gini).abs() < 1e-11);
            }
        }
    }
}
