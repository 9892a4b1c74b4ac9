//! A band about the ROC curve.

use super::{
    fixed_width, likelihood, order_statistics, regional, smoothed_bootstrap, threshold_ellipses,
    working_hotelling,
};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::curve_samples::{
    curve_sample::{At, BandPoint, Corner, CurveSample, Distribution, Limits, band},
    simultaneous_limits,
    sweep::Sweep,
};
use crate::statistics::kinds::{
    Curve, FromOptions, OptionError, Options, Word,
    column::Column,
    options::words,
    record::{Record, record},
};
use crate::statistics::resampling::{
    bootstrap::Resampling,
    redraw::{Draw, Redraw},
};

/// A band about the ROC curve of a group.
///
/// The curves of resamples are read at the places of a sweep, and the band lies between limits of what is read there
/// (Macskassy, Provost and Littman 2003), or between limits of them all together; or it follows from the curve alone.
#[derive(Clone, Copy, Debug)]
pub struct RocBand {
    /// How the band is found.
    pub method: BandMethod,
    /// What readings are distributed as, for methods with limits place by place.
    pub distribution: Distribution,
    /// The coverage: of each place by itself, or of whole curves.
    pub level: f64,
    /// At how many places curves are read.
    pub points: u32,
    /// How many resamples are drawn.
    pub resampling: Resampling,
    /// How they are drawn.
    pub resample: Draw,
    /// The first and the last rate of a regional band; 0 and 1 with other methods.
    pub region: [f64; 2],
}

/// How a band is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandMethod {
    /// Limits of the tpr at each fpr.
    Vertical,
    /// Limits of the tpr at each threshold, drawn at the mean fpr.
    Threshold,
    /// Limits of both rates at each threshold: the corners of the box that they make.
    ThresholdBox,
    /// The ellipse of both rates at each threshold.
    ThresholdEllipse,
    /// Limits of the distance from (1, 0) on each ray.
    Radial,
    /// On each ray the order statistics that together hold the share `level` of whole curves.
    OptimizedRadial,
    /// From the least to the greatest tpr of the share `level` of curves that are the deepest.
    CentralRegion,
    /// As many deviations about the mean of the curves as hold the share `level` of them, each of them whole.
    Envelope,
    /// As far about the curve as samples of a smooth curve near it are from that one, by likelihood.
    Likelihood,
    /// As many deviations about the curve as samples of a smooth curve near it are from that one.
    SmoothedBootstrap,
    /// As many deviations about the curve as its limiting process is from 0 in a region.
    Regional,
    /// Limits of the tpr at each fpr from order statistics of both classes.
    OrderStatistics,
    /// As far about the curve as Kolmogorov's and Smirnov's bands of both distributions reach.
    FixedWidth,
    /// About the binormal curve of the moments, after Working and Hotelling.
    WorkingHotelling,
}

impl BandMethod {
    /// Whether places are thresholds.
    pub fn is_by_threshold(self) -> bool {
        matches!(self, BandMethod::Threshold | BandMethod::ThresholdBox | BandMethod::ThresholdEllipse)
    }

    /// Whether several curves have such a band, not only the curve of a group's rows.
    pub fn is_of_curves(self) -> bool {
        matches!(
            self,
            BandMethod::Vertical
                | BandMethod::Radial
                | BandMethod::OptimizedRadial
                | BandMethod::CentralRegion
        ) || self.is_by_threshold()
    }
}

/// The most places: the readings of all resamples are kept for each of them.
pub const MOST_POINTS: u32 = 10_000;

record! {
    /// One place of a band.
    pub struct BandRecord {
        /// Where the sweep stands: the fpr, or the angle in radians; null with thresholds.
        pub at: Option<f64>,
        /// The threshold, positive if `score >= threshold`; null where nothing is called positive, and without thresholds.
        pub threshold: Option<f64>,
        /// The fpr of the mean curve.
        pub fpr: f64,
        /// The tpr of the mean curve.
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
    /// The record of a place; `score` gives the value of a score by its place.
    pub fn of(point: BandPoint, score: impl Fn(usize) -> f64) -> BandRecord {
        let (at, threshold) = match point.at {
            At::Number(number) => (Some(number), None),
            // A threshold of zero has no sign, whichever row it comes from.
            At::Score(place) => (None, place.map(|place| score(place) + 0.0)),
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
            |option: &str, said: String, instead: &str| Err(OptionError::new(option, said).instead(instead));
        let method: BandMethod = options.word("method")?;
        let distribution = options.optional_word("distribution")?;
        let resample = options.optional_word("resample")?;
        let level = options.level()?;
        let named = format!("`method` {}", options.value("method"));
        let (of_folds, is_of_curves) = (options.has_column("fold"), method.is_of_curves());
        let why = |draws: &str| match of_folds {
            true => "`fold` gives the curves".to_string(),
            false => format!("{named} draws {draws}"),
        };
        use BandMethod::*;
        if distribution.is_some() && !matches!(method, Vertical | Threshold | ThresholdBox | Radial) {
            let said = format!("applies to limits place by place only, and `method` is '{}'", method.word());
            return refuse("distribution", said, "leave it out, or write `method=\"vertical\"`");
        }
        if (of_folds || matches!(method, OrderStatistics | FixedWidth | WorkingHotelling))
            && let Some(option) = ["n_resamples", "seed"].into_iter().find(|option| options.has(option))
        {
            let said = format!("applies to curves of resamples only, and {}", why("none"));
            return refuse(option, said, "leave it out");
        }
        if resample.is_some() && (of_folds || !(is_of_curves || method == Envelope)) {
            return refuse(
                "resample",
                format!("says how rows are drawn, and {}", why("no rows")),
                "leave it out",
            );
        }
        if of_folds && !is_of_curves {
            let said = format!("gives several curves, and {named} makes a band of one");
            return refuse("fold", said, "leave `fold` out, or write `method=\"optimized_radial\"`");
        }
        let region = options.bounds("fpr")?;
        if region.is_some() && method != Regional {
            let said =
                format!("and `max_fpr` are for the regional band, and `method` is '{}'", method.word());
            return refuse("min_fpr", said, "leave them out, or write `method=\"regional\"`");
        }
        Ok(RocBand {
            method,
            distribution: distribution.unwrap_or_default(),
            level,
            points: options.integer("points", 3..=MOST_POINTS.into())?,
            resampling: Resampling::from_options(options)?,
            resample: resample.unwrap_or_default(),
            region: region.map_or([0.0, 1.0], <[f64; 2]>::from),
        })
    }
}

impl RocBand {
    /// The sweep over curves with so many distinct scores.
    pub fn sweep(&self, distinct: usize) -> Sweep {
        match self.method {
            method if method.is_by_threshold() => Sweep::thresholds(self.points, distinct),
            BandMethod::Radial | BandMethod::OptimizedRadial => Sweep::radial(self.points),
            _ => Sweep::vertical(self.points),
        }
    }

    /// The band of curves that were read by a sweep; none of fewer than two.
    pub fn of_sample(&self, sweep: &Sweep, curves: &[Vec<f64>]) -> Option<Vec<BandPoint>> {
        let sample = CurveSample::new(curves)?;
        if let (BandMethod::ThresholdEllipse, Sweep::Threshold(places)) = (self.method, sweep) {
            return threshold_ellipses::band(&sample, places, self.level);
        }
        let limits = match self.method {
            BandMethod::OptimizedRadial => sample.optimized(self.level)?,
            BandMethod::CentralRegion => simultaneous_limits::central_region(&sample, self.level)?,
            _ => sample.pointwise(self.distribution, self.level)?,
        };
        let corner = if self.method == BandMethod::ThresholdBox { Corner::Box } else { Corner::Tpr };
        Some(band(sweep, &sample.means(), &limits, corner))
    }

    /// The band of curves of resamples.
    fn resampled(&self, counts: &[Count]) -> Option<(Vec<BandPoint>, Vec<usize>)> {
        let (redraw, last) = Redraw::fitting(counts, self.resample);
        let sweep = self.sweep(redraw.counts().len());
        let curves = self.resampling.each(Vec::new, |drawn, mut stream| {
            redraw.draw(&mut stream, drawn);
            sweep.read(drawn)
        });
        // A resample of all rows may lack a class.
        let curves: Vec<_> = curves.into_iter().flatten().collect();
        if self.method != BandMethod::Envelope {
            return Some((self.of_sample(&sweep, &curves)?, last));
        }
        let sample = CurveSample::new(&curves)?;
        let limits = simultaneous_limits::sup_t(&sample, self.level, Count::sum(counts).pos)?;
        Some((band(&sweep, &sample.means(), &limits, Corner::Tpr), last))
    }

    /// The places of the band; none with fewer than two rows in a class.
    fn records(&self, mut ties: Ties<'_>) -> Option<Vec<BandRecord>> {
        if ties.n_pos() < 2 || ties.n_neg() < 2 {
            return None;
        }
        let counts = ties.counts();
        let of_curve = |(rates, means, limits): (Vec<f64>, Vec<f64>, Limits)| {
            (band(&Sweep::Vertical(rates), &means, &limits, Corner::Tpr), Vec::new())
        };
        let (points, last) = match self.method {
            BandMethod::FixedWidth => of_curve(fixed_width::limits(counts.each(), self.level, self.points)),
            BandMethod::Likelihood => {
                of_curve(likelihood::limits(counts.each(), self.level, self.points, self.resampling))
            }
            BandMethod::WorkingHotelling => {
                of_curve(working_hotelling::limits(&ties, &counts, self.level, self.points)?)
            }
            BandMethod::OrderStatistics => {
                of_curve(order_statistics::limits(counts.each(), self.level, self.points))
            }
            BandMethod::SmoothedBootstrap => {
                of_curve(smoothed_bootstrap::limits(counts.each(), self.level, self.points, self.resampling)?)
            }
            BandMethod::Regional => of_curve(regional::limits(
                counts.each(),
                self.level,
                self.points,
                self.region,
                self.resampling,
            )?),
            _ => self.resampled(counts.each())?,
        };
        let score = |cell: usize| ties.value(counts.key(last[cell]));
        Some(points.into_iter().map(|point| BandRecord::of(point, score)).collect())
    }
}

impl Curve for RocBand {
    type Record = BandRecord;

    fn passes(&self) -> usize {
        match self.method {
            // What a regional band draws are walks over its places, not rows.
            BandMethod::FixedWidth
            | BandMethod::WorkingHotelling
            | BandMethod::OrderStatistics
            | BandMethod::Regional => 2,
            _ => self.resampling.passes(),
        }
    }

    fn points(&self, ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        let Some(records) = self.records(ties) else { return false };
        records.into_iter().for_each(|record| record.append(columns));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quantile::of_sorted;
    use crate::statistics::kinds::{OptionValue, options::tests::options};
    use crate::statistics::resampling::Measure;
    use crate::statistics::tests::with_ties;
    use crate::statistics::thresholds::TprAtFpr;
    use proptest::prelude::*;

    const METHODS: [BandMethod; 14] = [
        BandMethod::Likelihood,
        BandMethod::Envelope,
        BandMethod::CentralRegion,
        BandMethod::SmoothedBootstrap,
        BandMethod::Regional,
        BandMethod::OrderStatistics,
        BandMethod::Vertical,
        BandMethod::Threshold,
        BandMethod::ThresholdBox,
        BandMethod::ThresholdEllipse,
        BandMethod::Radial,
        BandMethod::OptimizedRadial,
        BandMethod::FixedWidth,
        BandMethod::WorkingHotelling,
    ];

    fn option(method: BandMethod, distribution: Distribution) -> RocBand {
        RocBand {
            method,
            distribution,
            level: 0.95,
            points: 11,
            resampling: Resampling { n_resamples: 60, seed: 4 },
            resample: Draw::Stratified,
            region: [0.0, 1.0],
        }
    }

    fn of(band: &RocBand, labels: &[u8], scores: &[f64]) -> Option<Vec<[f64; 6]>> {
        let row = |point: BandRecord| {
            let BandRecord { fpr, tpr, lower_fpr, lower_tpr, upper_fpr, upper_tpr, .. } = point;
            [fpr, tpr, lower_fpr, lower_tpr, upper_fpr, upper_tpr]
        };
        with_ties(labels, scores, |ties| band.records(ties))
            .map(|points| points.into_iter().map(row).collect())
    }

    proptest! {
        // Each case makes two dozen bands.
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn bands_hold_their_mean_rise_and_stay_in_the_square(
            rows in prop::collection::vec((any::<bool>(), 0u8..12), 0..60), plain in any::<bool>()
        ) {
            let labels: Vec<u8> = rows.iter().map(|row| u8::from(row.0)).collect();
            let scores: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let pos = labels.iter().filter(|label| **label == 1).count();
            for method in METHODS {
                for distribution in [Distribution::Normal, Distribution::Binomial, Distribution::Empirical] {
                    let resample = if plain { Draw::Plain } else { Draw::Stratified };
                    let band = RocBand { resample, ..option(method, distribution) };
                    let points = of(&band, &labels, &scores);
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

    /// The interval at a rate is that of the statistic of one rate.
    #[test]
    fn vertical_limits_are_those_of_each_rate() {
        let labels: Vec<u8> = (0..90).map(|row| u8::from(row % 3 == 0)).collect();
        let scores: Vec<f64> = (0..90).map(|row| f64::from((row * 37) % 41 + 10 * (row % 3 / 2))).collect();
        let band = option(BandMethod::Vertical, Distribution::Empirical);
        for point in of(&band, &labels, &scores).unwrap() {
            let at = TprAtFpr { fpr: point[0], level: band.level, resampling: band.resampling };
            let record = crate::statistics::tests::summary(&at, &labels, &scores);
            assert_eq!((record.lower, record.upper), (Some(point[3]), Some(point[5])));
        }
        let counts: Vec<Count> = with_ties(&labels, &scores, |mut ties| ties.counts().each().to_vec());
        let mut drawn = band.resampling.measured(&counts, Measure::TprAtFpr(0.3));
        drawn.sort_unstable_by(f64::total_cmp);
        assert_eq!(of(&band, &labels, &scores).unwrap()[3][3], of_sorted(&drawn, 0.5 * (1.0 - 0.95)));
    }

    #[test]
    fn options_are_checked() {
        let word = |text: &str| OptionValue::Word(text.into());
        let with = |method: &str, changes: &[(&str, OptionValue)], columns: &[&str]| {
            let mut all = options([
                ("method", word(method)),
                ("level", OptionValue::Float(0.9)),
                ("points", OptionValue::Integer(11)),
            ]);
            all.values.extend(changes.iter().map(|(name, value)| (name.to_string(), value.clone())));
            all.columns = columns.iter().map(ToString::to_string).collect();
            RocBand::from_options(&all).map_err(|error| error.to_string())
        };
        let (half, one) = (OptionValue::Float(0.5), OptionValue::Integer(1));
        for method in METHODS {
            let band = with(method.word(), &[], &[]).unwrap();
            assert_eq!((band.method, band.points, band.region), (method, 11, [0.0, 1.0]));
            let of_folds = with(method.word(), &[], &["fold"]);
            assert_eq!(of_folds.is_ok(), method.is_of_curves(), "{of_folds:?}");
        }
        assert_eq!(with("regional", &[("max_fpr", half.clone())], &[]).unwrap().region, [0.0, 0.5]);
        for (method, changes, columns, said) in [
            ("vertical", ("level", one.clone()), &[][..], "`level` must lie between 0 and 1"),
            ("vertical", ("points", OptionValue::Integer(2)), &[], "`points` must be an integer from 3 to"),
            ("regional", ("min_fpr", one.clone()), &[], "`min_fpr` must be below `max_fpr`, got 1 and None"),
            (
                "regional",
                ("min_fpr", OptionValue::Float(f64::NAN)),
                &[],
                "`min_fpr` must lie between 0 and 1",
            ),
            ("likelihood", ("min_fpr", half), &[], "`min_fpr` and `max_fpr` are for the regional band"),
            ("envelope", ("distribution", word("normal")), &[], "`distribution` applies to limits place by"),
            ("fixed_width", ("seed", one.clone()), &[], "`seed` applies to curves of resamples only, and `m"),
            ("radial", ("seed", one), &["fold"], "`seed` applies to curves of resamples only, and `fold` g"),
            (
                "regional",
                ("resample", word("plain")),
                &[],
                "`resample` says how rows are drawn, and `method`",
            ),
        ] {
            let error = with(method, &[changes], columns).unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
