//! The table of the population stability index: the shares and the contribution of each band of scores.

use crate::math;
use crate::ranking::ties::Ties;
use crate::statistics::comparisons::PopulationStability;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Mass, Record, Threshold, record};
use crate::statistics::options::from_options;
use crate::statistics::thresholds::confusion::Confusion;

/// The bands of [`PopulationStability`], highest scores first, with the shares of both samples.
#[derive(Clone, Debug)]
pub struct PopulationStabilityTable {
    /// The index whose terms are tabulated.
    pub stability: PopulationStability,
}

record! {
    /// One band.
    pub struct StabilityBand {
        /// The number of the band. Empty bands are omitted.
        pub band: u64,
        /// The highest score in the band.
        pub highest: Option<Threshold>,
        /// The lowest score in the band.
        pub lowest: Option<Threshold>,
        /// The number of reference rows in the band; with weights, the sum of their weights.
        pub n_pos: Mass,
        /// The number of other rows in the band; with weights, the sum of their weights.
        pub n_neg: Mass,
        /// `n_pos` as a share of all reference rows, 0 to 1.
        pub pos_share: f64,
        /// `n_neg` as a share of all other rows, 0 to 1.
        pub neg_share: f64,
        /// The contribution of the band to the index, 0 or above; infinite with rows of only one sample, unless
        /// `empty_share` is above 0; null if there is no other band.
        pub psi: Option<f64>,
    }
}

from_options!(|options| PopulationStabilityTable { stability: PopulationStability::from_options(options)? });

impl Curve for PopulationStabilityTable {
    type Record = StabilityBand;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if !ties.has_pairs() {
            return false;
        }
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        let all_negative = Confusion::all_negative(&ties);
        let bands = self.stability.bands.positive_bands(&mut ties);
        let has_others = bands.len() > 1;
        for band in bands {
            let [reference_mass, other_mass, ..] = all_negative.with(band.pos, band.neg).masses();
            StabilityBand::new(
                band.number(),
                Some(Threshold(band.highest)),
                Some(Threshold(band.lowest)),
                reference_mass,
                other_mass,
                math::quotient(band.pos.into(), n_pos.into()),
                math::quotient(band.neg.into(), n_neg.into()),
                has_others.then(|| self.stability.term((band.pos, n_pos), (band.neg, n_neg))),
            )
            .append(columns);
        }
        true
    }
}

declaration! {
    /// The bands of the population stability index: the rows of both samples in each band, and its contribution to
    /// the index.
    ///
    /// Words: bands of the PSI, characteristic analysis, score distribution shift by band.
    PopulationStabilityTable => StabilityBand {
        /// The sample of each row, as in `population_stability()`: true or 1 is the reference.
        label: column = None,
        /// Any numeric or Boolean column.
        score: column = None;
        /// The number of bands of scores, from 1 to 1,000,000; 10 by default. Each contains about the same number of
        /// reference rows.
        bands: integer = None,
        /// The edges between bands in ascending order, instead of `bands`, as in `gains_table()`.
        edges: numbers = None,
        /// The share, from 0 to less than 1, that replaces the share of a band without rows of a sample.
        empty_share: number = 0.0,
        /// Shares are then shares of weight, as in `population_stability()`.
        weight = None, count = None,
        /// instead of `score`, or of `label` and `score`, as in `population_stability()`.
        state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::{curve_points, summary};
    use crate::statistics::thresholds::score_bands::ScoreBands;

    #[test]
    fn the_terms_make_the_index() {
        let labels = [1, 1, 1, 1, 0, 0, 0, 0];
        let scores = [4u8, 3, 2, 1, 3, 1, 1, 0];
        let stability = PopulationStability { bands: ScoreBands { bands: 2, edges: None }, empty_share: 0.0 };
        let table = PopulationStabilityTable { stability: stability.clone() };
        let points = curve_points(&table, &labels, &scores).unwrap();
        assert_eq!(points.counts("band"), [1, 2]);
        assert_eq!(points.counts("n_pos"), [2, 2]);
        assert_eq!(points.counts("n_neg"), [1, 3]);
        assert_eq!(points.numbers("pos_share"), [0.5, 0.5]);
        assert_eq!(points.numbers("neg_share"), [0.25, 0.75]);
        assert_eq!(Some(points.numbers("psi").iter().sum()), summary(&stability, &labels, &scores).psi);
        assert!(curve_points(&table, &[1, 1], &[1u8, 2]).is_none());
    }

    #[test]
    fn a_band_of_one_sample_is_infinite() {
        let bands = ScoreBands { bands: 2, edges: None };
        let table = PopulationStabilityTable { stability: PopulationStability { bands, empty_share: 0.0 } };
        let points = curve_points(&table, &[1, 1, 0, 0], &[2u8, 1, 1, 1]).unwrap();
        assert_eq!(points.numbers("psi")[0], f64::INFINITY);
    }
}
