//! The enrichment factor of the highest scores.

use crate::ranking::ties::Ties;
use crate::statistics::calibration::masses::Masses;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{OptionError, Options, from_options};

/// The rate of positives among a fraction of rows with the highest scores, divided by the rate among all
/// rows.
///
/// A fractional number of rows counts as a fraction of a row. A tie at the cut is split: its positives are
/// counted in proportion, which is the mean over all orders of the tie.
#[derive(Clone, Copy, Debug)]
pub struct EnrichmentFactor {
    /// The fraction of rows.
    pub fraction: f64,
}

record! {
    /// The enrichment factor of one group.
    pub struct EnrichmentRecord {
        /// The factor, 0 to `1 / fraction`; 1 if the score is uninformative, null with no positives.
        pub enrichment_factor: Option<f64>,
    }
}

from_options!(|options| EnrichmentFactor { fraction: fraction(options)? });

fn fraction(options: &Options) -> Result<f64, OptionError> {
    match options.rate("fraction")? {
        0.0 => Err(options.must_be("fraction", "be above 0, such as 0.01")),
        fraction => Ok(fraction),
    }
}

impl Summary for EnrichmentFactor {
    type Record = EnrichmentRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> EnrichmentRecord {
        let masses = Masses::from_ties(&mut ties).filter(|masses| masses.all.pos > 0.0);
        let factor = masses.map(|masses| self.share(&masses) / self.fraction);
        EnrichmentRecord::new(factor)
    }
}

impl EnrichmentFactor {
    /// The share of positives among the highest scores.
    fn share(&self, masses: &Masses) -> f64 {
        let max = self.fraction * masses.all.rows();
        let (mut rows, mut pos) = (0.0, 0.0);
        for score in masses.scores.iter().rev() {
            let score_rows = score.mass.rows();
            if rows + score_rows >= max {
                let part = (max - rows) / score_rows;
                return (pos + part * score.mass.pos) / masses.all.pos;
            }
            rows += score_rows;
            pos += score.mass.pos;
        }
        1.0
    }
}

declaration! {
    /// The enrichment factor: how much more frequent positives are among the highest scores than among all rows.
    ///
    /// Words: enrichment factor, EF 1 %, virtual screening, early recognition, lift at a fraction.
    EnrichmentFactor {
        label = None, score = None;
        /// The fraction of rows with the highest scores, above 0 and at most 1.
        fraction: number = 0.01,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    #[test]
    fn few_rows() {
        let compute = |fraction: f64, labels: &[u8], scores: &[f64]| {
            summary(&EnrichmentFactor { fraction }, labels, scores).enrichment_factor
        };
        let (labels, scores) =
            ([1, 0, 1, 0, 0, 0, 0, 0, 0, 0], [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0]);
        assert_eq!(compute(0.1, &labels, &scores), Some(5.0));
        assert_eq!(compute(0.25, &labels, &scores), Some(0.75 / 0.25));
        assert_eq!(compute(1.0, &labels, &scores), Some(1.0));
        // Half of a tie has half of its positives.
        assert_eq!(compute(0.5, &[1, 0, 0, 1], &[1.0, 1.0, 1.0, 1.0]), Some(1.0));
        assert_eq!(compute(0.5, &[0, 0], &[1.0, 2.0]), None);
    }
}
