//! The calibration curve, also called reliability diagram.

use super::bins::{self, Bin, BinMethod, Binning};
use super::isotonic_bands::{Band, BandMethod};
use super::masses::Masses;
use crate::math::{binomial, normal};
use crate::ranking::ties::Ties;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{RateInterval, interval::tail};
use crate::statistics::kinds::{Column, Curve, Mass, Record, record};
use crate::statistics::losses::probability;
use crate::statistics::options::{FromOptions, OptionError, Options, Word, from_options};
use crate::statistics::resampling::Resampling;

/// The mean score and the rate of positives in bins of scores.
#[derive(Clone, Debug)]
pub struct CalibrationCurve {
    /// The bins; if `None`, the blocks of the isotonic regression.
    pub binning: Option<Binning>,
    /// The band of the isotonic blocks.
    pub band: Option<Band>,
    /// The coverage of the intervals and of the band.
    pub level: f64,
}

record! {
    /// One bin.
    pub struct CalibrationPoint {
        /// The number of the bin, 1 for the lowest scores. Empty bins are omitted.
        pub bin: u64,
        /// The lower edge of the bin; for an isotonic block, its lowest score.
        pub lowest: f64,
        /// The upper edge of the bin, inclusive; for an isotonic block, its highest score.
        pub highest: f64,
        /// The number of rows in the bin; with weights, the sum of their weights.
        pub n: Mass,
        /// The number of positives in the bin; with weights, the sum of their weights.
        pub n_pos: Mass,
        /// The mean score in the bin.
        pub mean_score: f64,
        /// - `rate`: the share of positives.
        /// - `rate_lower`, `rate_upper`: its Wilson limits; with weights, for Kish's effective number of rows.
        ///   Isotonic blocks have the limits of `band` instead, because their edges depend on the labels: null
        ///   without `band` and for weighted states.
        pub rate: RateInterval,
    }
}

from_options!(|options| CalibrationCurve {
    binning: binning(options)?,
    band: band(options)?,
    level: options.level()?,
});

fn binning(options: &Options) -> Result<Option<Binning>, OptionError> {
    if options.optional_word("method")? != Some(BinMethod::Isotonic) {
        return Binning::from_options(options).map(Some);
    }
    match ["bins", "edges"].iter().find(|name| options.has(name)) {
        Some(other) => Err(OptionError::new(other, "does not apply to `method=\"isotonic\"`")),
        None => Ok(None),
    }
}

fn band(options: &Options) -> Result<Option<Band>, OptionError> {
    let method: Option<BandMethod> = options.optional_word("band")?;
    let bins: Option<BinMethod> = options.optional_word("method")?;
    let refuse =
        |option: &str, reason: &str, hint: &str| Err(OptionError::new(option, reason.to_string()).hint(hint));
    if method.is_some() && bins != Some(BinMethod::Isotonic) {
        let reason = match options.has("edges") {
            true => "does not apply to `edges`".to_string(),
            false => {
                format!("does not apply to `method=\"{}\"`", bins.unwrap_or(BinMethod::Quantile).word())
            }
        };
        return refuse("band", &reason, "write `method=\"isotonic\"`");
    }
    if method.is_some() && options.has_column("weight") {
        return refuse("band", "does not take a weight", "leave one of them out");
    }
    if method != Some(BandMethod::Consistency)
        && let Some(option) = ["n_resamples", "seed"].into_iter().find(|option| options.has(option))
    {
        return refuse(option, "applies to `band=\"consistency\"` only", "leave it out");
    }
    Ok(match method {
        None => None,
        Some(BandMethod::Confidence) => Some(Band::Confidence),
        Some(BandMethod::Consistency) => Some(Band::Consistency(Resampling::from_options(options)?)),
    })
}

impl Curve for CalibrationCurve {
    type Record = CalibrationPoint;

    const WEIGHTS: bool = true;

    fn passes(&self) -> usize {
        self.band.map_or(1, Band::passes)
    }

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        probability::check(ties)
    }

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(masses) = Masses::from_ties(&mut ties) else { return false };
        let bins =
            self.binning.as_ref().map_or_else(|| bins::isotonic(&masses), |binning| binning.bins(&masses));
        let errors = normal::upper_quantile(tail(self.level));
        let limits = |bin: &Bin| {
            if masses.has_weights {
                return binomial::wilson_effective(bin.rate(), bin.effective_rows(), errors);
            }
            binomial::wilson(bin.mass.pos as u64, bin.mass.rows() as u64, self.level)
        };
        let has_limits = self.binning.is_some() && masses.has_squares;
        let band = self.band.filter(|_| !masses.has_weights);
        let band = band.map(|band| band.limits(&masses, &bins, self.level));
        for (index, bin) in bins.iter().enumerate() {
            let band_limits = band.as_ref().map(|band| band[index]);
            CalibrationPoint::new(
                bin.number,
                bin.edges.0,
                bin.edges.1,
                masses.mass(bin.mass.rows()),
                masses.mass(bin.mass.pos),
                bin.mean_score(),
                RateInterval::new(Some(bin.rate()), band_limits.or_else(|| has_limits.then(|| limits(bin)))),
            )
            .append(columns);
        }
        true
    }
}

declaration! {
    /// The mean score and the share of positives in bins of probabilities: a calibration curve or reliability diagram.
    ///
    /// Words: calibration curve, reliability diagram, calibration plot, binned probabilities, isotonic regression, CORP diagram.
    CalibrationCurve => CalibrationPoint {
        label = None,
        /// The predicted probability of a positive: any numeric column with values from 0 to 1.
        score: column = None;
        /// - `"quantile"` (default): bins with about the same number of rows, between type 7 quantiles of the scores
        ///   (Hyndman and Fan 1996; with weights, quantiles of the weighted distribution).
        /// - `"uniform"`: bins of equal width.
        /// - `"isotonic"`: the blocks of the isotonic regression, which need no choice of bins.
        method: word<super::bins::BinMethod> = None,
        /// The number of bins, 10 by default.
        bins: integer = None,
        /// The edges of the bins in ascending order, instead of `bins`. Scores outside the edges are in no bin.
        edges: numbers = None,
        /// The limits of isotonic blocks.
        ///
        /// - `"confidence"`: a simultaneous confidence band at `level` for the probabilities of a positive at all
        ///   scores, if they do not decrease with the score. It is valid for any number of rows. With more than 200
        ///   distinct scores, neighbouring scores are merged.
        /// - `"consistency"`: a range for the rate of each block if the scores are the true probabilities, from
        ///   resampled labels. A block outside is miscalibrated. Not with `weight`.
        band: word<BandMethod> = None,
        /// For `"consistency"`, the number of resamples, 2000 by default, and the seed of the random numbers, 0 by
        /// default. With the same seed, the band does not depend on row order, group order, thread count or engine.
        n_resamples: integer = None,
        seed: integer = None,
        level = 0.95, weight = None, count = None, state = None,
    }
}
