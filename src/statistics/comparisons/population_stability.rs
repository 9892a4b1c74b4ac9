//! The population stability index: the shift of the scores of one sample against another.

use crate::math::{self, chi_square};
use crate::ranking::ties::{Count, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, record};
use crate::statistics::options::{FromOptions, OptionError, Options};
use crate::statistics::thresholds::score_bands::ScoreBands;

/// The shift of the scores of a sample (the negatives) against a reference (the positives).
///
/// `sum (e - a) ln(e / a)` over bands of scores, with the shares e of the reference and a of the sample in a
/// band (Siddiqi 2006, chapter 10; the symmetric divergence of Jeffreys 1946). Bands have about equal numbers
/// of reference rows. If both samples come from one population, the index divided by `1 / P + 1 / N` has a
/// chi-square distribution. Its degrees of freedom are one fewer than the bands (Yurdakul and Naranjo 2020).
/// Weighted rows have shares of weights, and no p-value.
#[derive(Clone, Debug)]
pub struct PopulationStability {
    /// The bands of scores.
    pub bands: ScoreBands,
    /// The share used for a band without rows of a sample.
    pub empty_share: f64,
}

record! {
    /// The index of one group.
    pub struct StabilityRecord {
        /// The index, 0 or above; infinite as described for `empty_share`. Null if a sample has no rows, and with a
        /// single band, as when all reference scores are equal: no shift can then appear.
        pub psi: Option<f64>,
        /// The probability of an index at least this large if both samples are from the same population,
        /// asymptotically. Null with a single band, with weights, and where the index is infinite: a small sample may
        /// have no row in a band by chance.
        pub p_value: Option<f64>,
        /// The number of bands with rows.
        pub n_bands: Option<u64>,
        /// The numbers of reference rows and of other rows.
        pub rows: Count,
    }
}

impl FromOptions for PopulationStability {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let empty_share = options.value("empty_share").number();
        if !(0.0..1.0).contains(&empty_share) {
            return Err(options.must_be("empty_share", "be a share below 1, such as 0.0001"));
        }
        Ok(PopulationStability { bands: ScoreBands::from_options(options)?, empty_share })
    }
}

impl PopulationStability {
    /// The contribution of a band to the index, from its rows and all rows of the reference and of the
    /// sample.
    pub(super) fn term(&self, (pos, n_pos): (u64, u64), (neg, n_neg): (u64, u64)) -> f64 {
        let share = |rows: u64, all: u64| match rows {
            0 => self.empty_share,
            _ => math::quotient(rows.into(), all.into()),
        };
        let (expected, actual) = (share(pos, n_pos), share(neg, n_neg));
        match expected == actual {
            true => 0.0,
            false => (expected - actual) * (expected / actual).ln(),
        }
    }
}

impl Summary for PopulationStability {
    type Record = StabilityRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> StabilityRecord {
        let rows = Count::from(&ties);
        if !ties.has_pairs() {
            return StabilityRecord::undefined(rows);
        }
        let bands = self.bands.positive_bands(&mut ties);
        // With weights, units are counted.
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        if bands.len() == 1 {
            return StabilityRecord { n_bands: Some(1), ..StabilityRecord::undefined(rows) };
        }
        let mut terms: Vec<f64> =
            bands.iter().map(|band| self.term((band.pos, n_pos), (band.neg, n_neg))).collect();
        // Ascending order, so that the sum is bit-identical if the signs of all scores are flipped.
        terms.sort_unstable_by(f64::total_cmp);
        let psi: f64 = terms.iter().sum();
        let scale = 1.0 / rows.pos as f64 + 1.0 / rows.neg as f64;
        // In a small sample a band may be empty by chance. The index is then infinite, and the test is
        // undefined.
        let has_test = psi.is_finite() && ties.units().is_none();
        let p_value = has_test.then(|| chi_square::upper_tail(psi / scale, (bands.len() - 1) as f64));
        StabilityRecord::new(Some(psi), p_value, Some(bands.len() as u64), rows)
    }
}

declaration! {
    /// The population stability index: how far the scores of a sample (label 0) have shifted from a reference (label
    /// 1).
    ///
    /// Words: PSI, population stability index, score drift, data drift.
    PopulationStability => StabilityRecord {
        /// The sample of each row: Boolean, or an integer or float column that contains only 0 and 1. True or 1 is
        /// the reference, such as the training rows; false or 0 is the sample compared with it, such as this month's
        /// rows.
        label: column = None,
        /// Any numeric or Boolean column.
        score: column = None;
        /// The number of bands of scores, from 1 to 1,000,000; 10 by default. Each contains about the same number of
        /// reference rows.
        bands: integer = None,
        /// The edges between bands in ascending order, instead of `bands`, as in `gains_table()`.
        edges: numbers = None,
        /// The share, from 0 to less than 1, that replaces the share of a band without rows of a sample. With 0, the
        /// index is infinite if a band has rows of only one sample. Some packages use 0.0001.
        empty_share: number = 0.0,
        /// Shares are then shares of weight, bands contain about the same weight of the reference, and there is no
        /// p-value.
        weight = None, count = None,
        /// instead of `score`. With `label`, each state contains rows of one sample, whatever their labels: the
        /// states of a month can be compared with the states of a reference. Without `label`, the positives of the
        /// states are the reference. The states of a sample are merged. With `max_bins` the result is approximate:
        /// scores in the same bin of all states together count as ties. States do not count rows with a null label.
        /// If labels arrive late, the index of states covers only the rows with a label.
        state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::summary;

    fn stability(bands: u32) -> PopulationStability {
        PopulationStability { bands: ScoreBands { bands, edges: None }, empty_share: 0.0 }
    }

    #[test]
    fn two_bands() {
        // Half of the reference is above 2 and half below; a quarter of the sample is above.
        let labels = [1, 1, 1, 1, 0, 0, 0, 0];
        let scores = [4.0, 3.0, 2.0, 1.0, 3.5, 0.5, 0.25, 1.5];
        let record = summary(&stability(2), &labels, &scores);
        let expected = 0.25 * (0.5f64 / 0.25).ln() - 0.25 * (0.5f64 / 0.75).ln();
        assert!((record.psi.unwrap() - expected).abs() < 1e-15);
        assert_eq!((record.n_bands, record.rows.pos, record.rows.neg), (Some(2), 4, 4));
        let p_value = chi_square::upper_tail(expected / 0.5, 1.0);
        assert!((record.p_value.unwrap() - p_value).abs() < 1e-15);
    }

    #[test]
    fn equal_samples_have_index_zero() {
        let record = summary(&stability(3), &[1, 0, 1, 0, 1, 0], &[3u8, 3, 2, 2, 1, 1]);
        assert_eq!((record.psi, record.p_value), (Some(0.0), Some(1.0)));
    }

    #[test]
    fn a_band_without_rows_of_one_sample() {
        let (labels, scores) = ([1, 1, 0, 0], [2u8, 1, 1, 1]);
        let record = summary(&stability(2), &labels, &scores);
        assert_eq!((record.psi, record.p_value), (Some(f64::INFINITY), None));
        let padded = PopulationStability { empty_share: 0.01, ..stability(2) };
        let expected = 0.49 * (0.5f64 / 0.01).ln() + (0.5 - 1.0) * (0.5f64 / 1.0).ln();
        assert!((summary(&padded, &labels, &scores).psi.unwrap() - expected).abs() < 1e-15);
    }

    #[test]
    fn scores_above_and_below_the_reference_join_its_first_and_last_band() {
        let record = summary(&stability(2), &[0, 1, 1, 0], &[4u8, 3, 2, 1]);
        assert_eq!((record.psi, record.n_bands), (Some(0.0), Some(2)));
    }

    #[test]
    fn one_band_has_no_index() {
        let record = summary(&stability(5), &[1, 0, 1, 0], &[1u8; 4]);
        assert_eq!((record.psi, record.p_value, record.n_bands), (None, None, Some(1)));
    }
}
