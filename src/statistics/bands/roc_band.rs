//! A band about the ROC curve.

use super::pointwise::Distribution;
use super::{
    central_region, envelope, fixed_width, likelihood, optimized_radial, order_statistics, pointwise,
    regional, smoothed_bootstrap, threshold_ellipses, working_hotelling,
};
use crate::ranking::ties::{Count, Counts, Ties};
use crate::statistics::curve_samples::{
    curve_sample::{At, BandAtRates, BandPoint, Corner, CurveSample, Limits, band},
    sweep::{Positions, Sweep, even_rates},
};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Curve, Record, record};
use crate::statistics::options::{FromOptions, OptionError, Options, Word, words};
use crate::statistics::resampling::{Draw, Redraw, Resampling};

/// A band about the ROC curve of a group.
///
/// Most methods read the curves of resamples at the places of a sweep. The band lies between limits of the
/// readings, per place (Macskassy, Provost and Littman 2003) or for all places jointly. The other methods use
/// only the curve itself.
#[derive(Clone, Copy, Debug)]
pub struct RocBand {
    /// The method of the band.
    pub method: BandMethod,
    /// The distribution of readings, for methods with pointwise limits.
    pub distribution: Distribution,
    /// The coverage: pointwise, or of whole curves.
    pub level: f64,
    /// The number of places at which curves are read.
    pub n_points: u32,
    /// The number of resamples.
    pub resampling: Resampling,
    /// The kind of resampling.
    pub resample: Draw,
    /// The first and the last rate of a regional band; 0 and 1 for other methods.
    pub region: [f64; 2],
}

/// The method of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandMethod {
    /// Limits of the tpr at each fpr.
    Vertical,
    /// Limits of the tpr at each threshold, placed at the mean fpr.
    Threshold,
    /// Limits of both rates at each threshold: the corners of their box.
    ThresholdBox,
    /// The ellipse of both rates at each threshold.
    ThresholdEllipse,
    /// Limits of the distance from (1, 0) on each ray.
    Radial,
    /// On each ray, the order statistics that contain the share `level` of whole curves.
    OptimizedRadial,
    /// The range of the tpr over the deepest curves, the share `level` of all.
    CentralRegion,
    /// The mean of the curves plus and minus a multiple of the deviation that contains the share `level` of
    /// whole curves.
    Envelope,
    /// All points within the likelihood distance of samples from a smooth curve.
    Likelihood,
    /// The curve plus and minus standard deviations, with multiples from samples of a smooth curve.
    SmoothedBootstrap,
    /// The curve plus and minus standard deviations, with a multiple from its limiting process in a region.
    Regional,
    /// Limits of the tpr at each fpr from order statistics of both classes.
    OrderStatistics,
    /// The curve plus and minus the half-widths of Kolmogorov-Smirnov bands of both distributions.
    FixedWidth,
    /// The binormal curve by moments, with the limits of Working and Hotelling.
    WorkingHotelling,
}

/// The construction of a band for a method.
pub enum Construction {
    /// From several curves, such as those of resamples or of folds: the places of reading, and the function
    /// from readings to the band.
    FromSample(Positions, fn(&RocBand, &Sweep, &CurveSample) -> Vec<BandPoint>),
    /// From one curve, at rates: the function to the band, and whether it resamples rows.
    FromCurve(fn(&RocBand, &Ties<'_>, &Counts) -> Option<BandAtRates>, bool),
}

impl BandMethod {
    /// The construction for this method. The match is long because it is the only list of all methods.
    pub fn construction(self) -> Construction {
        use Construction::{FromCurve, FromSample};
        match self {
            Self::Vertical => FromSample(Positions::Rates, pointwise_band),
            Self::Threshold => FromSample(Positions::Thresholds, pointwise_band),
            Self::ThresholdBox => FromSample(Positions::Thresholds, |options, sweep, sample| {
                let limits = pointwise::limits(sample, options.distribution, options.level);
                band(sweep, &sample.means(), &limits, Corner::Box)
            }),
            Self::ThresholdEllipse => FromSample(Positions::Thresholds, |options, sweep, sample| {
                let Sweep::Threshold(indices) = sweep else { return Vec::new() };
                threshold_ellipses::band(sample, indices, options.level)
            }),
            Self::Radial => FromSample(Positions::Rays, pointwise_band),
            Self::OptimizedRadial => FromSample(Positions::Rays, |options, sweep, sample| {
                between_limits(sweep, sample, optimized_radial::limits(sample, options.level))
            }),
            Self::CentralRegion => FromSample(Positions::Rates, |options, sweep, sample| {
                between_limits(sweep, sample, central_region::limits(sample, options.level))
            }),
            Self::Envelope => FromCurve(
                |options, _, counts| {
                    let (_, curves, _) = options.resamples(Positions::Rates, counts.each());
                    let sample = CurveSample::new(&curves)?;
                    let limits = envelope::limits(&sample, options.level, Count::sum(counts.each()).pos);
                    Some((even_rates(options.n_points), sample.means(), limits))
                },
                true,
            ),
            Self::Likelihood => FromCurve(
                |&RocBand { level, n_points, resampling, .. }, _, counts| {
                    Some(likelihood::limits(counts.each(), level, n_points, resampling))
                },
                true,
            ),
            Self::SmoothedBootstrap => FromCurve(
                |&RocBand { level, n_points, resampling, .. }, _, counts| {
                    smoothed_bootstrap::limits(counts.each(), level, n_points, resampling)
                },
                true,
            ),
            // A regional band simulates walks over its places and does not resample rows.
            Self::Regional => FromCurve(
                |&RocBand { level, n_points, region, resampling, .. }, _, counts| {
                    regional::limits(counts.each(), level, n_points, region, resampling)
                },
                false,
            ),
            Self::OrderStatistics => FromCurve(
                |options, _, counts| {
                    Some(order_statistics::limits(counts.each(), options.level, options.n_points))
                },
                false,
            ),
            Self::FixedWidth => FromCurve(
                |options, _, counts| {
                    Some(fixed_width::limits(counts.each(), options.level, options.n_points))
                },
                false,
            ),
            Self::WorkingHotelling => FromCurve(
                |options, ties, counts| {
                    working_hotelling::limits(ties, counts, options.level, options.n_points)
                },
                false,
            ),
        }
    }
}

/// The pointwise band.
fn pointwise_band(options: &RocBand, sweep: &Sweep, sample: &CurveSample) -> Vec<BandPoint> {
    between_limits(sweep, sample, pointwise::limits(sample, options.distribution, options.level))
}

/// The band between limits of the tpr, or of the distance along a ray.
fn between_limits(sweep: &Sweep, sample: &CurveSample, limits: Limits) -> Vec<BandPoint> {
    band(sweep, &sample.means(), &limits, Corner::Tpr)
}

/// The maximum number of places: the readings of all resamples are kept for each of them.
pub const MAX_POINTS: u32 = 10_000;

record! {
    /// One place of a band.
    pub struct BandRecord {
        /// The false positive rate, or for rays the angle in radians, from 0 to π/2; null for thresholds.
        pub at: Option<f64>,
        /// A row is predicted positive if `score >= threshold`. Null where no row is predicted positive, and for
        /// methods without thresholds.
        pub threshold: Option<f64>,
        /// The mean fpr of the curves; with a single curve, its fpr.
        pub fpr: f64,
        /// The mean tpr of the curves; with a single curve, its tpr.
        pub tpr: f64,
        /// The fpr of the lower curve.
        pub lower_fpr: f64,
        /// The tpr of the lower curve.
        pub lower_tpr: f64,
        /// The fpr of the upper curve.
        pub upper_fpr: f64,
        /// The tpr of the upper curve.
        pub upper_tpr: f64,
    }
}

impl BandRecord {
    /// The record of a place; `score` returns the value of the score at a place.
    pub fn from_point(point: BandPoint, score: impl Fn(usize) -> f64) -> BandRecord {
        let (at, threshold) = match point.at {
            At::Number(number) => (Some(number), None),
            // A threshold of zero is always +0.0, for every row order.
            At::Score(index) => (None, index.map(|index| score(index) + 0.0)),
        };
        let BandPoint { mean, lower, upper, .. } = point;
        BandRecord::new(at, threshold, mean.0, mean.1, lower.0, lower.1, upper.0, upper.1)
    }
}

words!(BandMethod {
    "vertical" => Vertical,
    "threshold" => Threshold,
    "threshold_box" => ThresholdBox,
    "radial" => Radial,
    "threshold_ellipse" => ThresholdEllipse,
    "optimized_radial" => OptimizedRadial,
    "central_region" => CentralRegion,
    "envelope" => Envelope,
    "likelihood" => Likelihood,
    "smoothed_bootstrap" => SmoothedBootstrap,
    "regional" => Regional,
    "order_statistics" => OrderStatistics,
    "fixed_width" => FixedWidth,
    "working_hotelling" => WorkingHotelling,
});
words!(Distribution { "normal" => Normal, "binomial" => Binomial, "empirical" => Empirical });

impl FromOptions for RocBand {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let refuse =
            |option: &str, reason: String, hint: &str| Err(OptionError::new(option, reason).hint(hint));
        let method: BandMethod = options.word("method")?;
        let distribution = options.optional_word("distribution")?;
        let resample = options.optional_word("resample")?;
        let level = options.level()?;
        let method_text = format!("`method` {}", options.value("method"));
        let has_folds = options.has_column("fold");
        let is_sampled = matches!(method.construction(), Construction::FromSample(..));
        let why = |draws: &str| match has_folds {
            true => "`fold` gives the curves".to_string(),
            false => format!("{method_text} draws {draws}"),
        };
        use BandMethod::*;
        if distribution.is_some() && !matches!(method, Vertical | Threshold | ThresholdBox | Radial) {
            let reason =
                format!("applies to limits place by place only, and `method` is '{}'", method.word());
            return refuse("distribution", reason, "leave it out, or write `method=\"vertical\"`");
        }
        if (has_folds || matches!(method, OrderStatistics | FixedWidth | WorkingHotelling))
            && let Some(option) = ["n_resamples", "seed"].into_iter().find(|option| options.has(option))
        {
            let reason = format!("applies to curves of resamples only, and {}", why("none"));
            return refuse(option, reason, "leave it out");
        }
        if resample.is_some() && (has_folds || !(is_sampled || method == Envelope)) {
            return refuse(
                "resample",
                format!("says how rows are drawn, and {}", why("no rows")),
                "leave it out",
            );
        }
        if has_folds && !is_sampled {
            let reason = format!("gives several curves, and {method_text} makes a band of one");
            return refuse("fold", reason, "leave `fold` out, or write `method=\"optimized_radial\"`");
        }
        let region = options.bounds("fpr")?;
        if region.is_some() && method != Regional {
            let reason =
                format!("and `max_fpr` are for the regional band, and `method` is '{}'", method.word());
            return refuse("min_fpr", reason, "leave them out, or write `method=\"regional\"`");
        }
        Ok(RocBand {
            method,
            distribution: distribution.unwrap_or_default(),
            level,
            n_points: options.integer("n_points", 3..=MAX_POINTS.into())?,
            resampling: Resampling::from_options(options)?,
            resample: resample.unwrap_or_default(),
            region: region.map_or([0.0, 1.0], <[f64; 2]>::from),
        })
    }
}

impl RocBand {
    /// The curves of resamples, the sweep of their places, and the index of the last count of each place.
    fn resamples(&self, positions: Positions, counts: &[Count]) -> (Sweep, Vec<Vec<f64>>, Vec<usize>) {
        let (redraw, last) = Redraw::fitting(counts, self.resample);
        let sweep = Sweep::at(positions, self.n_points, redraw.counts().len());
        let curves = self.resampling.each(Vec::new, |counts, mut stream| {
            redraw.draw(&mut stream, counts);
            sweep.read(counts)
        });
        // A resample of all rows may lack a class.
        let curves = curves.into_iter().flatten().collect();
        (sweep, curves, last)
    }

    /// The places of the band; `None` with fewer than two rows in a class.
    fn records(&self, mut ties: Ties<'_>) -> Option<Vec<BandRecord>> {
        if ties.n_pos() < 2 || ties.n_neg() < 2 {
            return None;
        }
        let counts = ties.counts();
        let (points, last) = match self.method.construction() {
            Construction::FromSample(positions, band) => {
                let (sweep, curves, last) = self.resamples(positions, counts.each());
                (band(self, &sweep, &CurveSample::new(&curves)?), last)
            }
            Construction::FromCurve(limits, _) => {
                let (rates, means, limits) = limits(self, &ties, &counts)?;
                (band(&Sweep::Vertical(rates), &means, &limits, Corner::Tpr), Vec::new())
            }
        };
        let score = |cell: usize| ties.value(counts.key(last[cell]));
        Some(points.into_iter().map(|point| BandRecord::from_point(point, score)).collect())
    }
}

impl Curve for RocBand {
    type Record = BandRecord;

    fn passes(&self) -> usize {
        match self.method.construction() {
            Construction::FromCurve(_, false) => 2,
            _ => self.resampling.passes(),
        }
    }

    fn points(&self, ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(records) = self.records(ties) else { return false };
        records.into_iter().for_each(|record| record.append(columns));
        true
    }
}

declaration! {
    /// A confidence band for the ROC curve: simultaneous (for the whole curve) or pointwise.
    ///
    /// Words: confidence band, simultaneous band, ROC confidence region, Working-Hotelling, fixed-width band, pointwise
    /// band.
    RocBand => BandRecord {
        label = None, score = None;
        /// Simultaneous bands, for the whole curve:
        ///
        /// - `"likelihood"` (the default): all points close to the curve by the likelihood of both rates. It makes no
        ///   assumption about the scores. In simulations the band contained the whole curve about as often as `level`
        ///   states.
        /// - `"envelope"`: the mean curve of the resamples plus and minus a multiple of their standard deviation. The
        ///   share `level` of the resampled curves lies entirely within the band.
        /// - `"smoothed_bootstrap"`: the observed curve minus and plus multiples of the standard deviation of samples
        ///   from a smooth curve. The two multiples give the narrowest band (the method PSN of nsROC).
        /// - `"regional"`: the observed curve plus and minus a multiple of its standard deviation, from `min_fpr` to
        ///   `max_fpr`. The multiple is simulated from the limiting process, two Brownian bridges (the method JMS of
        ///   nsROC).
        /// - `"fixed_width"`: from the Kolmogorov-Smirnov bands of both classes. It is valid for all distributions,
        ///   and wide.
        /// - `"working_hotelling"`: around the binormal curve of the class means and standard deviations. It is valid
        ///   if the scores of both classes are normally distributed.
        ///
        /// Pointwise bands: the interval at each place has the coverage `level`, but the whole band contains the
        /// curve less often. All but `"order_statistics"` use curves of resamples or of folds.
        ///
        /// - `"vertical"`: limits of the tpr at each fpr.
        /// - `"threshold"`: limits of the tpr at each threshold, placed at the mean fpr of that threshold.
        /// - `"threshold_box"`: limits of both rates at each threshold. The band passes through the corners of these
        ///   boxes.
        /// - `"threshold_ellipse"`: the joint ellipse of both rates at each threshold, if they are jointly normal.
        ///   The band encloses the ellipses of all thresholds.
        /// - `"radial"`: limits of the distance from the corner (1, 0), on rays from (0, 0) to (1, 1).
        /// - `"order_statistics"`: limits of the tpr at each fpr, valid for all distributions and numbers of rows.
        ///
        /// Bands that contain the share `level` of whole curves, of resamples or of folds. Resampled curves follow
        /// the steps of one sample, so these bands contain the curve of the population less often.
        ///
        /// - `"optimized_radial"`: on each ray the k-th smallest and the k-th largest distance. k is the largest
        ///   number for which the share `level` of the curves lies entirely within the band.
        /// - `"central_region"`: the range of the tpr over the deepest curves, the share `level` of all.
        method: python("BandMethod") = "likelihood",
        /// For `"vertical"`, `"threshold"`, `"threshold_box"` and `"radial"`, the limits at each place:
        ///
        /// - `"empirical"` (the default): quantiles of the curves.
        /// - `"normal"`: the mean plus and minus a multiple of the standard deviation.
        /// - `"binomial"`: the same with the variance `p (1 - p) / k` for the mean p of k curves, as in the paper. It
        ///   is for comparison only: the limits narrow as the number of resamples grows.
        distribution: word<Distribution> = None,
        level = 0.95,
        /// The number of places, from 3 to 10,000. The band is linear between two places, so use 100 or more. For
        /// `"likelihood"`, at most this many false positive rates, denser near both ends of the curve. For
        /// thresholds, the point where no row is predicted positive, and thresholds spread evenly over the distinct
        /// scores, including the highest and the lowest (all if there are fewer). Otherwise, equally spaced false
        /// positive rates from `min_fpr` to `max_fpr`, or angles, both ends included.
        n_points: integer = 101,
        /// The number of resamples (for `"regional"`, of simulations), 2000 by default, and the seed of the random
        /// numbers, 0 by default. With the same seed, the band does not depend on row order, group order, thread
        /// count or engine.
        n_resamples: integer = None,
        seed: integer = None,
        /// For `"envelope"` and the methods that support `fold`: `"stratified"` (the default) resamples the rows of
        /// each class, `"plain"` the rows of both classes together.
        resample: word<Draw> = None,
        /// For `"regional"`, the range of false positive rates of the band, by default 0 to 1. A band for a range is
        /// narrower than a band for the whole curve.
        min_fpr: number = None,
        max_fpr: number = None,
        /// A column that assigns each row to one of several curves, such as the fold of a cross-validation or a test
        /// set; any dtype except lists. The band is then computed from these curves, without resampling. Only for
        /// `"vertical"`, `"threshold"`, `"threshold_box"`, `"threshold_ellipse"`, `"radial"`, `"optimized_radial"`
        /// and `"central_region"`.
        fold: column = None,
        count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quantile::sorted_quantile;
    use crate::statistics::resampling::Measure;
    use crate::statistics::tests::with_ties;
    use crate::statistics::thresholds::{TprAtFpr, rate_at_rate::RateLimits};
    use proptest::prelude::*;

    fn option(method: BandMethod, distribution: Distribution) -> RocBand {
        RocBand {
            method,
            distribution,
            level: 0.95,
            n_points: 11,
            resampling: Resampling { n_resamples: 60, seed: 4 },
            resample: Draw::Stratified,
            region: [0.0, 1.0],
        }
    }

    fn compute(band: &RocBand, labels: &[u8], scores: &[f64]) -> Option<Vec<[f64; 6]>> {
        let row = |point: BandRecord| {
            let BandRecord { fpr, tpr, lower_fpr, lower_tpr, upper_fpr, upper_tpr, .. } = point;
            [fpr, tpr, lower_fpr, lower_tpr, upper_fpr, upper_tpr]
        };
        with_ties(labels, scores, |ties| band.records(ties))
            .map(|points| points.into_iter().map(row).collect())
    }

    proptest! {
        // Each case computes two dozen bands.
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn bands_contain_the_mean_and_are_monotone_in_the_square(
            rows in prop::collection::vec((any::<bool>(), 0u8..12), 0..60), plain in any::<bool>()
        ) {
            let labels: Vec<u8> = rows.iter().map(|row| u8::from(row.0)).collect();
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let pos = labels.iter().filter(|label| **label == 1).count();
            for &(_, method) in BandMethod::WORDS {
                for distribution in [Distribution::Normal, Distribution::Binomial, Distribution::Empirical] {
                    let resample = if plain { Draw::Plain } else { Draw::Stratified };
                    let band = RocBand { resample, ..option(method, distribution) };
                    let points = compute(&band, &labels, &scores);
                    let defined = pos >= 2 && rows.len() - pos >= 2;
                    prop_assert!(points.is_some() == defined || method == BandMethod::WorkingHotelling);
                    for [fpr, tpr, lower_fpr, lower_tpr, upper_fpr, upper_tpr] in points.clone().unwrap_or_default() {
                        prop_assert!(upper_fpr <= fpr + 1e-12 && fpr <= lower_fpr + 1e-12 && lower_tpr <= tpr + 1e-12 && tpr <= upper_tpr + 1e-12);
                        prop_assert!([lower_fpr, lower_tpr, upper_fpr, upper_tpr].iter().all(|rate| (-1e-12..=1.0 + 1e-12).contains(rate)));
                    }
                    for pair in points.unwrap_or_default().windows(2) {
                        prop_assert!(pair[0].iter().zip(pair[1]).all(|(one, other)| *one <= other + 1e-12), "{:?} {:?}", method, pair);
                    }
                }
            }
        }
    }

    /// The interval at a rate equals the interval of the statistic at that rate.
    #[test]
    fn vertical_limits_equal_single_rates() {
        let labels: Vec<u8> = (0..90).map(|row| u8::from(row % 3 == 0)).collect();
        let scores: Vec<f64> = (0..90).map(|row| f64::from((row * 37) % 41 + 10 * (row % 3 / 2))).collect();
        let band = option(BandMethod::Vertical, Distribution::Empirical);
        for point in compute(&band, &labels, &scores).unwrap() {
            let interval = RateLimits::Percentile;
            let at = TprAtFpr { fpr: point[0], interval, level: band.level, resampling: band.resampling };
            let record = crate::statistics::tests::summary(&at, &labels, &scores);
            assert_eq!((record.interval.lower, record.interval.upper), (Some(point[3]), Some(point[5])));
        }
        let counts: Vec<Count> = with_ties(&labels, &scores, |mut ties| ties.counts().each().to_vec());
        let mut rates = band.resampling.measures_of_counts(&counts, Measure::TprAtFpr(0.3));
        rates.sort_unstable_by(f64::total_cmp);
        assert_eq!(
            compute(&band, &labels, &scores).unwrap()[3][3],
            sorted_quantile(&rates, 0.5 * (1.0 - 0.95))
        );
    }
}
