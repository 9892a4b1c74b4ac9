//! Confidence intervals of the area under a part of the ROC curve.

use super::partial_placements::{Bounds, PartialPlacements};
use super::roc_auc_ci::{BootstrapInterval, IntervalMethod, RocAucCi, RocAucCiRecord};
use crate::math::normal::upper_tail;
use crate::ranking::ties::Ties;
use crate::statistics::inference::{ErrorMethod, Hypothesis, Interval};
use crate::statistics::kinds::Summary;
use crate::statistics::numbers::partial_area::{Range, Standardized, partial_area_and};
use crate::statistics::options::{FromOptions, OptionError, Options, Word};
use crate::statistics::resampling::{Measure, Resampling};

/// The area under a part of the curve with its standard error and interval.
///
/// By DeLong: the variance of the placements within the bounds (see [`partial_placements`](super::partial_placements)), with
/// a normal interval that is cut at 0 and at the largest possible area; on a scale that goes on below the diagonal, at the
/// smallest. By bootstrap: quantiles of stratified resamples. An area on the scale of a whole one is null below the
/// diagonal, if that scale ends there.
#[derive(Clone, Copy, Debug)]
pub struct RocAucCiPartial {
    /// The bounds.
    pub range: Range,
    /// Whether the area is put on the scale of a whole one.
    pub standardized: Standardized,
    /// Where the standard error comes from.
    pub method: ErrorMethod,
    /// The interval's coverage.
    pub level: f64,
    /// How the bootstrap draws; 2000 resamples if not said.
    pub resampling: Option<Resampling>,
    /// What is tested; that the score says nothing, if not said.
    pub test: Hypothesis,
}

impl FromOptions for RocAucCiPartial {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let (range, standardized) = Range::of_options(options)?;
        let ci = RocAucCi::of_options(options, "method")?;
        if let Some(column) = ["weight", "cluster"].into_iter().find(|column| options.has_column(column)) {
            return Err(OptionError::new(column, "cannot be combined with a part of the curve")
                .instead("leave one of them out"));
        }
        let method = match (ci.method, ci.interval) {
            (IntervalMethod::DeLong, None) => ErrorMethod::DeLong,
            (IntervalMethod::Bootstrap, None | Some(BootstrapInterval::Percentile)) => ErrorMethod::Bootstrap,
            (method, interval) => {
                let (option, word) =
                    interval.map_or(("method", method.word()), |interval| ("interval", interval.word()));
                return Err(OptionError::new(option, format!("'{word}' is not for a part of the curve"))
                    .instead(
                        "take `method=\"delong\"`, or `method=\"bootstrap\"` with `interval=\"percentile\"`",
                    ));
            }
        };
        let range = match range {
            Some(range @ (Range::Fpr(..) | Range::Tpr(..))) => range,
            _ => {
                let said =
                    "bounds both rates, but the interval of a partial area is for a range of fpr or of tpr";
                return Err(OptionError::new("min_tpr", format!("with `max_fpr` {said}"))
                    .instead("leave one of them out"));
            }
        };
        let test = Hypothesis::of_options(options, 0.0)?;
        Ok(RocAucCiPartial { range, standardized, method, level: ci.level, resampling: ci.resampling, test })
    }
}

impl RocAucCiPartial {
    fn measure(&self) -> Option<Measure> {
        match self.range {
            Range::Fpr(low, high) => Some(Measure::FprRange(low, high)),
            Range::Tpr(low, high) => Some(Measure::TprRange(low, high)),
            Range::TwoWay { .. } => None,
        }
    }
}

impl Summary for RocAucCiPartial {
    type Record = RocAucCiRecord;

    fn resampling(&self) -> Option<Resampling> {
        (self.method == ErrorMethod::Bootstrap).then(|| self.resampling.unwrap_or_default())
    }

    fn of_ties(&self, mut ties: Ties<'_>) -> RocAucCiRecord {
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        let none = RocAucCiRecord::undefined(&ties);
        let (Some(bounds), Some(measure), true) = (Bounds::of(self.range), self.measure(), ties.has_pairs())
        else {
            return none;
        };
        let window = bounds.window((n_pos, n_neg));
        let by_placements = self.method == ErrorMethod::DeLong;
        let (area, placements) = partial_area_and(
            &mut ties,
            self.range,
            self.standardized,
            |placements: &mut PartialPlacements, segment| {
                if by_placements {
                    placements.add(&window, segment);
                }
            },
            PartialPlacements::join,
        );
        let Some(auc) = area else { return none };
        let record = RocAucCiRecord { auc: Some(auc), ..none };
        if n_pos < 2 || n_neg < 2 {
            return record;
        }
        let (diagonal, full) = self.range.extremes();
        // What one unit of area is on the scale of the answer, where a useless score is, and the largest area.
        let (unit, useless, most) = match self.standardized {
            Standardized::Never => (1.0, diagonal, full),
            Standardized::AboveDiagonal | Standardized::Always => (0.5 / (full - diagonal), 0.5, 1.0),
        };
        let least = if self.standardized == Standardized::Always { useless - unit * diagonal } else { 0.0 };
        let interval = if by_placements {
            let se = unit * placements.variance(window).unwrap_or_default().sqrt();
            Interval::normal(auc, se, self.level).within(least, most)
        } else {
            let mut areas =
                self.resampling.unwrap_or_default().measures_of_counts(ties.counts().each(), measure);
            areas.iter_mut().for_each(|area| *area = useless + unit * (*area - diagonal));
            Interval::of_resamples(areas, self.level)
        };
        let se = interval.se.unwrap_or_default();
        let (z, p_value) = self.test.test(useless, |value| auc - value, se, upper_tail);
        RocAucCiRecord { interval, z, p_value, ..record }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    fn sample() -> (Vec<u8>, Vec<i32>) {
        let labels: Vec<u8> = (0..400).map(|row| u8::from(row % 7 < 3)).collect();
        let scores = (0..400).map(|row| (row * 37) % 101 + 30 * i32::from(row % 7 < 3)).collect();
        (labels, scores)
    }

    fn of(range: Range, standardized: Standardized, method: ErrorMethod) -> RocAucCiRecord {
        let (labels, scores) = sample();
        let statistic = RocAucCiPartial {
            range,
            standardized,
            method,
            level: 0.9,
            resampling: None,
            test: Hypothesis::default(),
        };
        summary(&statistic, &labels, &scores)
    }

    #[test]
    fn as_the_bootstrap() {
        for range in [Range::Fpr(0.0, 0.3), Range::Fpr(0.2, 0.6), Range::Tpr(0.6, 1.0), Range::Tpr(0.3, 0.8)]
        {
            for standardized in [Standardized::Never, Standardized::AboveDiagonal, Standardized::Always] {
                let [delong, bootstrap] = [ErrorMethod::DeLong, ErrorMethod::Bootstrap]
                    .map(|method| of(range, standardized, method));
                let se = delong.interval.se.unwrap();
                assert_eq!(delong.auc, bootstrap.auc);
                assert!((bootstrap.interval.se.unwrap() / se - 1.0).abs() < 0.08, "{delong:?} {bootstrap:?}");
                assert!(
                    (bootstrap.interval.lower.unwrap() - delong.interval.lower.unwrap()).abs() < 0.3 * se
                );
                assert!(delong.z.unwrap() > 2.0 && delong.p_value.unwrap() < 0.03, "{range:?} {delong:?}");
            }
        }
    }

    #[test]
    fn a_standardized_area_has_the_same_statistic() {
        let [plain, standardized] = [Standardized::Never, Standardized::AboveDiagonal]
            .map(|standardized| of(Range::Fpr(0.0, 0.3), standardized, ErrorMethod::DeLong));
        assert!((plain.z.unwrap() - standardized.z.unwrap()).abs() < 1e-10);
    }
}
