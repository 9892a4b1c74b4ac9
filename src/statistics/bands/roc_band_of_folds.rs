//! A band from the ROC curves of folds, or of other sets of rows.

use super::roc_band::{BandRecord, Construction, RocBand};
use crate::ranking::rows::KeyRows;
use crate::ranking::ties::Count;
use crate::statistics::curve_samples::{
    curve_sample::CurveSample,
    sweep::{Positions, Sweep},
};
use crate::statistics::inference::rows_by_key;
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The band of the curves of folds, constructed like [`RocBand`] from the curves of resamples. A fold without
/// positives or negatives has no curve.
#[derive(Clone, Copy, Debug)]
pub struct RocBandOfFolds {
    /// The options; those for resampling are unused.
    pub band: RocBand,
}

from_options!(|options| RocBandOfFolds { band: RocBand::from_options(options)? });

impl Joint for RocBandOfFolds {
    /// The places; null with fewer than two curves, and if a score is NaN.
    type Record = Option<Vec<BandRecord>>;

    const INPUTS: Inputs = Inputs::scores(Some(1)).keyed(KeyInput::called("fold"));

    fn needs(&self) -> Needs {
        let construction = self.band.method.construction();
        let values = matches!(construction, Construction::FromSample(Positions::Thresholds, _));
        Needs { values, ..Needs::CODES }
    }

    fn evaluate(&self, rows: &Rows) -> Option<Vec<BandRecord>> {
        let Construction::FromSample(positions, band) = self.band.method.construction() else { return None };
        let codes = &rows.scores[0];
        let sweep = Sweep::at(positions, self.band.n_points, codes.distinct);
        let read = |fold: &KeyRows| match sweep {
            Sweep::Threshold(_) => {
                // Thresholds are places among the scores of all folds.
                let mut counts = vec![Count::default(); codes.distinct];
                for (&code, &count) in fold.codes.iter().zip(&fold.counts) {
                    counts[codes.distinct - 1 - code as usize] = count;
                }
                sweep.read(&counts)
            }
            Sweep::Vertical(_) | Sweep::Radial(_) => sweep.read(&fold.counts),
        };
        let curves: Vec<_> = rows_by_key(rows, 0).iter().filter_map(read).collect();
        let mut scores = vec![f64::NAN; codes.distinct];
        if let Some(values) = rows.values.first() {
            for (&code, &score) in codes.row_codes.iter().zip(values) {
                scores[codes.distinct - 1 - code as usize] = score;
            }
        }
        let points = band(&self.band, &sweep, &CurveSample::new(&curves)?);
        Some(points.into_iter().map(|point| BandRecord::from_point(point, |index| scores[index])).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::bands::pointwise::Distribution;
    use crate::statistics::bands::roc_band::BandMethod;
    use crate::statistics::resampling::{Draw, Resampling};
    use crate::statistics::tests::rows_of;

    fn compute(method: BandMethod, keys: &[u32]) -> Option<Vec<BandRecord>> {
        let band = RocBand {
            method,
            distribution: Distribution::Normal,
            level: 0.95,
            n_points: 3,
            resampling: Resampling::default(),
            resample: Draw::Stratified,
            region: [0.0, 1.0],
        };
        // The curve of fold 0 is (0, 0) (0, 1/2) (1/2, 1/2) (1, 1), and of fold 1 the diagonal. Fold 2 has no
        // negatives.
        let labels = [1, 0, 1, 0, 1, 0, 1];
        let scores = [9.0, 7.0, 5.0, 5.0, 5.0, 5.0, 8.0];
        RocBandOfFolds { band }.evaluate(&rows_of(&labels, &[&scores], keys))
    }

    #[test]
    fn curves_of_folds() {
        let points = compute(BandMethod::Vertical, &[0, 0, 0, 0, 1, 1, 2]).unwrap();
        assert_eq!(
            points.iter().map(|point| (point.fpr, point.tpr)).collect::<Vec<_>>(),
            [(0.0, 0.25), (0.5, 0.5), (1.0, 1.0)]
        );
        assert_eq!((points[1].lower_tpr, points[1].upper_tpr), (0.5, 0.5));
        assert!(points[0].upper_tpr == 0.5 && points[0].lower_tpr == 0.0);
        let points = compute(BandMethod::ThresholdBox, &[0, 0, 0, 0, 1, 1, 2]).unwrap();
        let at: Vec<_> = points.iter().map(|point| (point.threshold, point.fpr, point.tpr)).collect();
        assert_eq!(at, [(None, 0.0, 0.0), (Some(9.0), 0.0, 0.25), (Some(5.0), 1.0, 1.0)]);
        assert_eq!(compute(BandMethod::Radial, &[0, 0, 0, 0, 0, 0, 2]), None);
        assert_eq!(compute(BandMethod::OptimizedRadial, &[0, 0, 0, 0, 1, 1, 2]).unwrap().len(), 3);
    }
}
