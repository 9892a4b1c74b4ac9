//! Whether probabilities are too high or low, too extreme or too moderate.

use super::bins::{self, Bin};
use super::masses::Masses;
use super::recalibration::Recalibration;
use crate::math::normal::{self, upper_tail};
use crate::math::{chi_square, sum::Sum};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Estimate, Interval, RateInterval, interval::tail};
use crate::statistics::kinds::{Mass, Summary, record};
use crate::statistics::losses::probability;
use crate::statistics::options::from_options;

/// Calibration in the large, the slope of the logistic recalibration, tests, and distances from the isotonic
/// fit.
#[derive(Clone, Copy, Debug)]
pub struct CalibrationSummary {
    /// The number of groups of the Hosmer-Lemeshow test.
    pub bins: u32,
    /// Whether the score was fitted to these rows.
    pub fitted: bool,
    /// The coverage of the intervals.
    pub level: f64,
}

/// The weight of the floor of the variance of observed minus expected, in rows of the rarer class.
///
/// In `benches/always_valid.py` the error rate over nights holds with it, from one positive a night on. A
/// larger weight makes intervals of miscalibrated scores wider.
const FLOOR_ROWS: f64 = 5.0;

record! {
    /// The calibration of one group.
    pub struct CalibrationRecord {
        /// The mean score; null with no rows.
        pub mean_score: Option<f64>,
        /// The share of positives.
        pub rate: Option<f64>,
        /// - `observed_expected`: `rate / mean_score`; 1 is best, and above 1 the scores are too low. Null if all
        ///   scores are 0.
        /// - `observed_expected_lower`, `observed_expected_upper`: its confidence limits, on the log scale; null with
        ///   no positives.
        pub observed_expected: RateInterval,
        /// - `observed_minus_expected`: `rate - mean_score`; 0 is best, above 0 the scores are too low.
        /// - `observed_minus_expected_se`: its standard error, with few positives at least the standard error under
        ///   correct probabilities; null with a single row.
        /// - `observed_minus_expected_lower`, `observed_minus_expected_upper`: its confidence limits, by the normal
        ///   distribution.
        pub observed_minus_expected: Estimate,
        /// The p-value of the two-sided score test that the expected number of positives is correct; null if all
        /// scores are 0 or 1.
        pub observed_expected_p_value: Option<f64>,
        /// - `in_the_large`: calibration in the large, the intercept of the logistic recalibration with slope 1; 0 is
        ///   best. Null with no positives or no negatives, and if a score is 0 or 1.
        /// - `in_the_large_se`, `in_the_large_lower`, `in_the_large_upper`: its standard error and confidence limits.
        pub in_the_large: Estimate,
        /// - `slope`: the slope of the logistic recalibration; 1 is best, and below 1 the scores are too extreme.
        ///   Null also if the scores separate the classes or are all equal.
        /// - `slope_se`, `slope_lower`, `slope_upper`: its standard error and confidence limits.
        pub slope: Estimate,
        /// - `intercept`: the intercept of the logistic recalibration with this slope; not calibration in the large.
        /// - `intercept_se`, `intercept_lower`, `intercept_upper`: its standard error and confidence limits.
        pub intercept: Estimate,
        /// Spiegelhalter's z, positive if errors are larger than expected. Null if all scores are 0, 0.5 or 1.
        pub spiegelhalter_z: Option<f64>,
        /// The two-sided p-value of `spiegelhalter_z`.
        pub spiegelhalter_p_value: Option<f64>,
        /// The Hosmer-Lemeshow statistic; null with weights, and if all scores are equal.
        pub hosmer_lemeshow: Option<f64>,
        /// Its degrees of freedom: the number of groups, minus 2 with `fitted=True`.
        pub hosmer_lemeshow_df: Option<u64>,
        /// The p-value of `hosmer_lemeshow`.
        pub hosmer_lemeshow_p_value: Option<f64>,
        /// The integrated calibration index: the mean distance between the score and the isotonic fit.
        pub ici: Option<f64>,
        /// The median distance.
        pub e50: Option<f64>,
        /// The 90th percentile of the distance.
        pub e90: Option<f64>,
        /// The largest distance.
        pub emax: Option<f64>,
        /// The number of rows with a score of 0 or 1.
        pub n_certain: Mass,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

from_options!(|options| CalibrationSummary {
    bins: options.integer("bins", 2..=1_000_000)?,
    fitted: options.flag("fitted")?,
    level: options.level()?,
});

impl Summary for CalibrationSummary {
    type Record = CalibrationRecord;

    const WEIGHTS: bool = true;

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        probability::check(ties)
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> CalibrationRecord {
        let rows = Count::from(&ties);
        let Some(masses) = Masses::from_ties(&mut ties) else { return CalibrationRecord::undefined(rows) };
        let n = masses.all.rows();
        let expected = masses.sum_of_scores();
        let (mean_score, rate) = (expected / n, masses.all.pos / n);
        let recalibration = Recalibration::new(&masses, self.level);
        let z = spiegelhalter(&masses);
        let hosmer_lemeshow = if masses.has_weights { None } else { self.hosmer_lemeshow(&masses) };
        let [ici, e50, e90, emax] = distances(&masses);
        let certain = masses.scores.iter().filter(|score| score.score <= 0.0 || score.score >= 1.0);
        let certain: f64 = certain.map(|score| score.mass.rows()).sum();
        CalibrationRecord {
            mean_score: Some(mean_score),
            rate: Some(rate),
            observed_expected: self.observed_expected(&masses, rate, expected),
            observed_minus_expected: self.observed_minus_expected(&masses, expected, rows),
            observed_expected_p_value: observed_expected_p_value(&masses, expected),
            in_the_large: recalibration.in_the_large,
            slope: recalibration.slope,
            intercept: recalibration.intercept,
            spiegelhalter_z: z,
            spiegelhalter_p_value: z.map(|z| 2.0 * upper_tail(z.abs())),
            hosmer_lemeshow: hosmer_lemeshow.map(|(statistic, _)| statistic),
            hosmer_lemeshow_df: hosmer_lemeshow.map(|(_, df)| df),
            hosmer_lemeshow_p_value: hosmer_lemeshow
                .filter(|&(_, df)| df > 0)
                .map(|(statistic, df)| chi_square::upper_tail(statistic, df as f64)),
            ici: Some(ici),
            e50: Some(e50),
            e90: Some(e90),
            emax: Some(emax),
            n_certain: masses.mass(certain),
            rows,
        }
    }
}

impl CalibrationSummary {
    /// The ratio with limits `exp(ln ratio ± z se / rate)`, where se is the standard error of the rate
    /// (Debray and others 2017).
    fn observed_expected(&self, masses: &Masses, rate: f64, expected: f64) -> RateInterval {
        if expected == 0.0 {
            return RateInterval::default();
        }
        let ratio = masses.all.pos / expected;
        let squares =
            masses.sum(|score| score.squares.pos * (1.0 - rate).powi(2) + score.squares.neg * rate * rate);
        let limits = (masses.all.pos > 0.0 && masses.has_squares).then(|| {
            let margin =
                normal::upper_quantile(tail(self.level)) * squares.sqrt() / (masses.all.rows() * rate);
            (ratio * (-margin).exp(), ratio * margin.exp())
        });
        RateInterval::new(Some(ratio), limits)
    }

    /// The mean of `label - score`. With few positives the variation of rows is a poor estimate of the error,
    /// and depends on the mean. With R rows of the rarer class and weight K of the floor, the variance is
    /// `(R v + K max(v, f)) / (R + K)`, with `f = sum p (1 - p) / n²`.
    fn observed_minus_expected(&self, masses: &Masses, expected: f64, rows: Count) -> Estimate {
        let n = masses.all.rows();
        let mean = (masses.all.pos - expected) / n;
        let se = masses.bessel().map(|factor| {
            let squares = masses.sum(|at| {
                at.squares.pos * (1.0 - at.score - mean).powi(2) + at.squares.neg * (at.score + mean).powi(2)
            });
            let (variance, rarer) = (factor * squares, rows.pos.min(rows.neg) as f64);
            let floor = variance.max(expected_variance(masses));
            ((rarer * variance + FLOOR_ROWS * floor) / (rarer + FLOOR_ROWS)).sqrt() / n
        });
        let limits = se.map(|se| Interval::normal(mean, se, self.level).within(-1.0, 1.0));
        Estimate::new(Some(mean), limits.unwrap_or_default())
    }

    /// The statistic `sum (O - E)² / (E (1 - E / n))` over groups, and its degrees of freedom (Hosmer and
    /// Lemeshow 1980).
    fn hosmer_lemeshow(&self, masses: &Masses) -> Option<(f64, u64)> {
        let mut edges = bins::quantile_edges(masses, self.bins);
        edges.dedup();
        if edges.len() < 2 {
            return None;
        }
        let groups = bins::between(&edges, masses);
        let part = |group: &Bin| {
            let (n, mean) = (group.mass.rows(), group.mean_score());
            let (distance, variance) = (group.mass.pos - n * mean, n * mean * (1.0 - mean));
            // Without variance no error is possible, and there is none.
            if distance == 0.0 { 0.0 } else { distance * distance / variance }
        };
        let parts: Vec<f64> = groups.iter().map(part).collect();
        // The compensated sum does not support infinity.
        let infinite = parts.iter().copied().find(|part| part.is_infinite());
        let statistic = infinite.unwrap_or_else(|| Sum::sum(parts.into_iter()));
        Some((statistic, (groups.len() as u64).saturating_sub(if self.fitted { 2 } else { 0 })))
    }
}

/// The variance of the number of positives if scores are the probabilities; with weights, of their weight.
fn expected_variance(masses: &Masses) -> f64 {
    masses.sum(|at| at.squares.rows() * at.score * (1.0 - at.score))
}

/// The two-sided tail probability of `(O - E) / sqrt(sum p (1 - p))`, with squared weights in the sum.
fn observed_expected_p_value(masses: &Masses, expected: f64) -> Option<f64> {
    let variance = expected_variance(masses);
    let z = (masses.all.pos - expected) / variance.sqrt();
    (masses.has_squares && variance > 0.0).then(|| 2.0 * upper_tail(z.abs()))
}

/// `sum (y - p) (1 - 2 p) / sqrt(sum (1 - 2 p)² p (1 - p))` (Spiegelhalter 1986). The first sum has weights
/// w, the second w².
fn spiegelhalter(masses: &Masses) -> Option<f64> {
    let surplus =
        masses.sum(|at| (at.mass.pos * (1.0 - at.score) - at.mass.neg * at.score) * (1.0 - 2.0 * at.score));
    let variance =
        masses.sum(|at| at.squares.rows() * (1.0 - 2.0 * at.score).powi(2) * at.score * (1.0 - at.score));
    (masses.has_squares && variance > 0.0).then(|| surplus / variance.sqrt())
}

/// The mean, the median, the 90th percentile and the maximum of the distances from the isotonic fit (Austin
/// and Steyerberg 2019).
fn distances(masses: &Masses) -> [f64; 4] {
    let blocks = bins::isotonic(masses);
    let mut block = blocks.iter().peekable();
    let mut distances: Vec<(f64, f64)> = Vec::with_capacity(masses.scores.len());
    for at in &masses.scores {
        while block.next_if(|block| block.edges.1 < at.score).is_some() {}
        if let Some(block) = block.peek() {
            distances.push(((at.score - block.rate()).abs(), at.mass.rows()));
        }
    }
    distances.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let n = masses.all.rows();
    let quantile = |share: f64| {
        let mut reach = 0.0;
        let reached = distances.iter().find(|&&(_, rows)| {
            reach += rows;
            reach >= share * n
        });
        reached.or(distances.last()).map_or(0.0, |&(distance, _)| distance)
    };
    let mean = Sum::sum_repeated(distances.iter().copied()) / n;
    [mean, quantile(0.5), quantile(0.9), quantile(1.0)]
}

declaration! {
    /// The calibration of probabilities: observed-to-expected ratio, calibration in the large, slope, intercept,
    /// tests, and distances from the isotonic fit.
    ///
    /// Words: calibration slope, calibration in the large, observed expected ratio, O/E, Cox recalibration, Spiegelhalter, Hosmer-Lemeshow,
    /// ICI, E50, E90, Emax.
    CalibrationSummary => CalibrationRecord {
        label = None,
        /// The predicted probability of a positive: any numeric column with values from 0 to 1.
        score: column = None;
        /// The number of groups of the Hosmer-Lemeshow test, 2 or more.
        bins: integer = 10,
        /// Whether the score was fitted to these rows, which reduces the degrees of freedom of the Hosmer-Lemeshow
        /// test by 2.
        fitted: flag = false,
        level = 0.95, weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::{summary, weighted_summary};

    const PLAIN: CalibrationSummary = CalibrationSummary { bins: 2, fitted: false, level: 0.95 };

    #[test]
    fn few_rows() {
        let record = summary(&PLAIN, &[1, 0, 1, 0], &[0.5, 0.25, 0.75, 0.5]);
        assert_eq!(
            (record.mean_score, record.rate, record.observed_expected.value),
            (Some(0.5), Some(0.5), Some(1.0))
        );
        assert!(record.in_the_large.value.unwrap().abs() < 1e-12);
        // Distances of 1/2, 1/4, 1/4 and 1/2; as probabilities the scores have a larger variance. Two rows are
        // of the rarer class.
        let minus = record.observed_minus_expected;
        let variance: f64 = (2.0 * 0.625 * 4.0 / 3.0 + 5.0 * 0.875) / 7.0;
        assert_eq!(minus.value, Some(0.0));
        assert!((minus.se.unwrap() - variance.sqrt() / 4.0).abs() < 1e-15);
        let wrong = summary(&PLAIN, &[1, 0], &[0.0, 1.0]).observed_minus_expected;
        assert_eq!((wrong.value, wrong.se, wrong.lower), (Some(0.0), Some(1.0), Some(-1.0)));
        // A single score with both classes still leaves the classes separated.
        assert_eq!(record.slope.value, None);
        assert_eq!(record.observed_expected_p_value, Some(1.0));
        // Both scores of 1/2 are fitted by 1/2; the others are off by 1/4.
        assert_eq!((record.ici, record.emax, record.e50), (Some(0.125), Some(0.25), Some(0.0)));
        // The surplus is 2 (1/4 (1/2)), the variance 2 (1/4) (3/16).
        assert!((record.spiegelhalter_z.unwrap() + 0.25 / f64::sqrt(3.0 / 32.0)).abs() < 1e-15);
    }

    #[test]
    fn certain_scores() {
        let record = summary(&PLAIN, &[1, 0, 1, 0], &[1.0, 0.0, 0.5, 1.0]);
        assert_eq!((record.n_certain, record.slope.value, record.in_the_large.value), (Mass(3), None, None));
        assert_eq!(record.hosmer_lemeshow, Some(f64::INFINITY));
        let none = summary(&PLAIN, &[], &[0.5; 0]);
        assert_eq!((none.mean_score, none.ici), (None, None));
    }

    #[test]
    fn weights_of_any_size() {
        let (labels, scores) = ([1, 0, 1, 0, 0, 1], [0.9, 0.6, 0.4, 0.1, 0.2, 1.0]);
        let scaled = |power: i32| {
            let weights = [1.0, 2.0, 3.0, 1.0, 2.0, 2.0].map(|weight: f64| weight * 2f64.powi(power));
            weighted_summary(&PLAIN, &labels, &scores, &weights)
        };
        assert!(scaled(0).spiegelhalter_z.is_some() && scaled(0).observed_expected.lower > Some(0.0));
        for power in [-1000, -600, 600, 900] {
            // Masses are in the scale of the rows.
            assert_eq!(scaled(power).n_certain, Mass((2.0 * 2f64.powi(power)).to_bits()));
            let record = CalibrationRecord { n_certain: scaled(0).n_certain, ..scaled(power) };
            assert_eq!(record, scaled(0));
        }
    }
}
