//! The gains table with the mean score and the expected positives of each band.

use super::gains_table::{GainsBand, GainsTable};
use crate::math::{exact_sum::ExactSum, power_of_two, sum::Sum};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::kinds::{Column, Curve, Record, Threshold, record};
use crate::statistics::options::{FromOptions, OptionError, Options};

/// The gains table with sums of scores. Each sum is exact and rounded once.
#[derive(Clone, Debug)]
pub struct CalibratedGainsTable(pub GainsTable);

record! {
    /// One band.
    pub struct CalibratedBand {
        /// The fields of the table without `calibration`.
        pub band: GainsBand,
        /// The mean score in the band; only with `calibration`, as the next.
        pub mean_score: Option<f64>,
        /// The sum of the scores in the band, each times its weight: the expected number of positives. Null if a score of the group
        /// is not a probability from 0 to 1.
        pub expected_positives: Option<f64>,
    }
}

impl FromOptions for CalibratedGainsTable {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        GainsTable::from_options(options).map(CalibratedGainsTable)
    }
}

impl Curve for CalibratedGainsTable {
    type Record = CalibratedBand;

    const WEIGHTS: bool = true;

    fn passes(&self) -> usize {
        2
    }

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let mut bands = Vec::new();
        if !self.0.each_band(&mut ties, &mut |band| bands.push(band)) {
            return false;
        }
        let key_of = |score: &Option<Threshold>| score.map(|score| score.0).unwrap_or_default();
        let lowest: Vec<u128> = bands.iter().map(|band| key_of(&band.lowest)).collect();
        let range = [bands.first().map(|band| &band.highest), bands.last().map(|band| &band.lowest)];
        let is_probability = |key: u128| (0.0..=1.0).contains(&ties.value(key));
        let are_probabilities = range.into_iter().flatten().all(|score| is_probability(key_of(score)));
        let sums = ScoreSums::from_ties(&mut ties, &lowest);
        for (band, (mean, sum)) in bands.into_iter().zip(sums) {
            CalibratedBand {
                band,
                mean_score: Some(mean).filter(|mean| !mean.is_nan()),
                expected_positives: are_probabilities.then_some(sum),
            }
            .append(columns);
        }
        true
    }
}

/// The sums of the scores of one band.
struct ScoreSums {
    /// The lowest score of the band.
    lowest: u128,
    /// Positives and negatives, or their units.
    rows: Count,
    /// The exact sums by class, while the band may still have further scores.
    exact: Option<Box<Count<ExactSum>>>,
    /// The sums by class after that, to twice the digits.
    sums: Count<Sum>,
}

impl ScoreSums {
    /// The mean and the sum of the scores of each band, from the lowest scores of the bands, highest first.
    fn from_ties(ties: &mut Ties<'_>, lowest: &[u128]) -> Vec<(f64, f64)> {
        let score_type = ties.score_type();
        let units = ties.units();
        let mut bands = ties.fold(
            |bands: &mut Vec<ScoreSums>, tie| {
                if bands.last().is_none_or(|band| band.lowest > tie.key) {
                    let band = lowest.partition_point(|&lowest| lowest > tie.key);
                    Self::push(bands, ScoreSums::new(lowest[band]));
                }
                let Some(band) = bands.last_mut() else { return };
                band.rows = band.rows.plus(Count { pos: tie.pos, neg: tie.neg });
                let Some(exact) = &mut band.exact else { return };
                let score = score_type.value(tie.key);
                match units {
                    None => exact.pos.add(score, tie.pos + tie.neg),
                    Some(_) => {
                        exact.pos.add(score, tie.pos);
                        exact.neg.add(score, tie.neg);
                    }
                }
            },
            |bands, lower| lower.into_iter().for_each(|band| Self::push(bands, band)),
        );
        let all = Count { pos: ties.n_pos(), neg: ties.n_neg() };
        let (units, power) = units.map(|units| units.relative(all)).unzip();
        let unscaled = |sum: f64| {
            let power = power.unwrap_or(0);
            sum / power_of_two(power / 2) / power_of_two(power - power / 2)
        };
        let band_sums = |band: &mut ScoreSums| {
            band.close();
            let (pos, neg) = (band.sums.pos, band.sums.neg);
            let (sum, rows) = match units {
                None => (pos, Sum::from(band.rows.rows() as f64)),
                Some(units) => (
                    pos.map(|sum| units.pos.weight_of(sum)).plus(neg.map(|sum| units.neg.weight_of(sum))),
                    Sum::from(units.pos.weight(band.rows.pos)).plus(units.neg.weight(band.rows.neg).into()),
                ),
            };
            (sum.quotient(rows), unscaled(sum.total()))
        };
        bands.iter_mut().map(band_sums).collect()
    }

    fn new(lowest: u128) -> Self {
        ScoreSums { lowest, rows: Count::default(), exact: Some(Box::default()), sums: Count::default() }
    }

    /// Appends sums of lower scores, which may belong to the last band. Only the first and the last band of a
    /// part may have further scores.
    fn push(bands: &mut Vec<ScoreSums>, lower: ScoreSums) {
        let is_only = bands.len() == 1;
        if let Some(last) = bands.last_mut() {
            if last.lowest == lower.lowest {
                if let (Some(exact), Some(more)) = (&mut last.exact, &lower.exact) {
                    exact.pos.add_all(&more.pos);
                    exact.neg.add_all(&more.neg);
                }
                last.rows = last.rows.plus(lower.rows);
                return;
            }
            if !is_only {
                last.close();
            }
        }
        bands.push(lower);
    }

    /// Converts the exact sums of a complete band, which are large.
    fn close(&mut self) {
        if let Some(exact) = self.exact.take() {
            self.sums = Count { pos: exact.pos.sum(), neg: exact.neg.sum() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::curve_points;
    use crate::statistics::thresholds::score_bands::ScoreBands;
    use proptest::prelude::*;

    fn table(bands: u32) -> CalibratedGainsTable {
        CalibratedGainsTable(GainsTable { bands: ScoreBands { bands, edges: None } })
    }

    #[test]
    fn halves() {
        let points =
            curve_points(&table(2), &[1, 1, 0, 1, 0, 0], &[1.0, 0.5, 0.5, 0.25, 0.125, 0.0]).unwrap();
        assert_eq!(points.counts("n"), [3, 3]);
        assert_eq!(points.numbers("mean_score"), [2.0 / 3.0, 0.125]);
        assert_eq!(points.numbers_or_null("expected_positives"), [Some(2.0), Some(0.375)]);
        // Logits have a mean, and no expected positives.
        let points = curve_points(&table(1), &[1, 0, 0], &[-2.0, 0.5, 0.0]).unwrap();
        assert_eq!(points.numbers("mean_score"), [-0.5]);
        assert_eq!(points.numbers_or_null("expected_positives"), [None]);
        let points = curve_points(&table(1), &[1, 0], &[f64::INFINITY, f64::NEG_INFINITY]).unwrap();
        assert_eq!(points.numbers_or_null("mean_score"), [None]);
        assert!(curve_points(&table(2), &[1, 1], &[0.5, 0.5]).is_none());
    }

    proptest! {
        /// However a walk is divided, also within a band.
        #[test]
        fn parts(scores in prop::collection::vec(0u32..40, 1..60), cut in 0usize..60, width in 1u32..12) {
            let mut scores: Vec<u32> = scores;
            scores.sort_unstable_by(|a, b| b.cmp(a));
            let sums = |scores: &[u32]| {
                let mut bands = Vec::new();
                for &score in scores {
                    let mut one = ScoreSums::new(u128::from(score / width));
                    one.rows.pos = 1;
                    one.exact.as_mut().unwrap().pos.add(0.1 * f64::from(score), 1);
                    ScoreSums::push(&mut bands, one);
                }
                bands
            };
            let (upper, lower) = scores.split_at(cut.min(scores.len()));
            let mut parts = sums(upper);
            sums(lower).into_iter().for_each(|band| ScoreSums::push(&mut parts, band));
            let totals = |mut bands: Vec<ScoreSums>| -> Vec<(u64, f64)> {
                bands.iter_mut().for_each(ScoreSums::close);
                bands.iter().map(|band| (band.rows.pos, band.sums.pos.total())).collect()
            };
            prop_assert_eq!(totals(parts), totals(sums(&scores)));
        }
    }
}
