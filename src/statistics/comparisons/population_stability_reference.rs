//! The reference of the population stability index, reduced to a few scores.

use crate::ranking::ties::Ties;
use crate::statistics::kinds::{Column, Curve, Mass, Record, Threshold, record};
use crate::statistics::options::from_options;
use crate::statistics::thresholds::score_bands::ScoreBands;

/// Scores that represent the reference (the positives): they give the same index against any sample.
#[derive(Clone, Debug)]
pub struct PopulationStabilityReference {
    /// The bands of scores.
    pub bands: ScoreBands,
}

record! {
    /// One score.
    pub struct ReferenceScore {
        /// The score.
        pub score: Option<Threshold>,
        /// The number of reference rows that it represents.
        pub n: Mass,
    }
}

from_options!(|options| PopulationStabilityReference { bands: ScoreBands::from_options(options)? });

impl Curve for PopulationStabilityReference {
    type Record = ReferenceScore;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if ties.n_pos() == 0 {
            return false;
        }
        for (score, n) in self.bands.reduced_positives(&mut ties) {
            ReferenceScore::new(Some(Threshold(score)), Mass::new(n, None)).append(columns);
        }
        true
    }
}
