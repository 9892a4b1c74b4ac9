//! The mean of the areas of users, or of other keys.

use crate::math::mean;
use crate::memory;
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{
    Area, Interval, Together, WeightedArea, WeightedKey, WeightedKeys, by_key,
};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, Needs, record};
use crate::statistics::options::{from_options, words};
use crate::statistics::rows::Rows;

/// The weighted mean of the areas of all keys: the quality of the ranking within users, not between users.
///
/// Zhou et al. (2018, section 5.3) weight by impressions (rows) and call it GAUC; Zhu et al. (2017) weight by
/// impressions or clicks (rows or positives). All variants are also known as uAUC. By pairs, it is the share
/// of concordant pairs among the pairs of a positive and a negative of one key. Weighted rows count by their
/// weight, in the area of a key and in its weight. `O(n log n)`.
#[derive(Clone, Copy, Debug)]
pub struct GroupedRocAuc {
    /// The weight of a key.
    pub average: KeyWeight,
    /// The source of the standard error.
    pub error: ErrorSource,
    /// The coverage of the interval.
    pub level: f64,
}

/// The source of uncertainty of the mean area.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorSource {
    /// Keys are a sample, such as users: the variation between their areas, with Student's t and one degree
    /// of freedom fewer than keys.
    #[default]
    Between,
    /// Keys are fixed, such as strata, and their rows are a sample: DeLong's variance of each key's area, or
    /// for weighted rows that of the [infinitesimal
    /// jackknife](crate::statistics::inference::weighted_areas), with the normal distribution.
    Within,
}

/// The weight of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyWeight {
    /// Equal weights.
    #[default]
    Macro,
    /// The number of rows.
    Rows,
    /// The number of positives.
    Positives,
    /// The number of pairs of a positive and a negative.
    Pairs,
}

record! {
    /// The mean of one group.
    pub struct GroupedRocAucRecord {
        /// The mean AUC of the users with an AUC, 0 to 1.
        pub auc: Option<f64>,
        /// - `se`: its standard error.
        /// - `lower`, `upper`: the confidence limits.
        pub interval: Interval,
        /// The number of users with an AUC.
        pub n_groups: u64,
        /// The number of users with no positives or no negatives.
        pub n_undefined: u64,
        /// The numbers of positives and negatives of all users, including users without an AUC, which do not affect
        /// `auc`.
        pub rows: Count,
    }
}

impl KeyWeight {
    /// The weight of a key's area.
    pub(in crate::statistics) fn weight(self, area: &Area) -> u128 {
        match self {
            KeyWeight::Macro => 1,
            KeyWeight::Rows => area.rows().into(),
            KeyWeight::Positives => area.n_pos.into(),
            KeyWeight::Pairs => u128::from(area.n_pos) * u128::from(area.n_neg),
        }
    }

    /// The weight of the area of weighted rows with these units; a positive is worth `2^shift` units of
    /// negatives.
    fn weight_of_units(self, Count { pos, neg }: Count, shift: i32) -> u128 {
        match self {
            KeyWeight::Macro => 1,
            KeyWeight::Rows => {
                let [coarse, fine] = if shift < 0 { [neg, pos] } else { [pos, neg] };
                // Totals have at most 63 bits. Beyond 64 bits, finer units are worth less than a coarse one.
                let bits = shift.unsigned_abs();
                let fine = fine.checked_shr(bits.saturating_sub(64)).unwrap_or(0);
                (u128::from(coarse) << bits.min(64)) + u128::from(fine)
            }
            KeyWeight::Positives => pos.into(),
            KeyWeight::Pairs => u128::from(pos) * u128::from(neg),
        }
    }
}

words!(KeyWeight { "macro" => Macro, "rows" => Rows, "positives" => Positives, "pairs" => Pairs });
words!(ErrorSource { "between" => Between, "within" => Within });

from_options!(|options| GroupedRocAuc {
    average: options.word("average")?,
    error: options.word("error")?,
    level: options.level()?,
});

impl Joint for GroupedRocAuc {
    type Record = GroupedRocAucRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1)).or_states().keyed(KeyInput::called("by"));

    const WEIGHTS: bool = true;

    fn takes_weighted_states(&self) -> bool {
        true
    }

    fn needs(&self) -> Needs {
        Needs::KEY_PLACEMENTS
    }

    fn needs_with_weights(&self) -> Needs {
        Needs::CODES
    }

    fn evaluate(&self, rows: &Rows) -> GroupedRocAucRecord {
        if let Some(keys) = WeightedKeys::from_rows_or_states(rows, 0, Together::Keys) {
            let shift = WeightedKeys::shift_of_positives(rows);
            let area =
                |key: &WeightedKey| Some((key.area()?, self.average.weight_of_units(key.units(), shift)));
            let areas: Vec<(WeightedArea, u128)> = keys.keys.iter().filter_map(area).collect();
            return self.record(
                rows,
                areas.iter().map(|(area, weight)| (area.auc, *weight)),
                areas.iter().map(|(area, weight)| (area.variance, *weight)),
            );
        }
        let areas = || by_key::areas(rows, 0).flatten().map(|area| (self.average.weight(&area), area));
        self.record(
            rows,
            areas().map(|(weight, area)| (area.auc, weight)),
            areas().map(|(weight, area)| (area.variance(), weight)),
        )
    }
}

impl GroupedRocAuc {
    /// The record of areas with their weights; the variances may be undefined.
    fn record(
        &self,
        rows: &Rows,
        key_areas: impl Iterator<Item = (f64, u128)>,
        variances: impl Iterator<Item = (Option<f64>, u128)>,
    ) -> GroupedRocAucRecord {
        let mut areas = memory::with_capacity(rows.keys.distinct);
        areas.extend(key_areas);
        let defined = areas.len() as u64;
        let undefined = rows.keys.distinct as u64 - defined;
        let (auc, se, df) = match self.error {
            ErrorSource::Between => {
                let (auc, se) = mean::weighted_with_error(areas).unzip();
                (auc, se.flatten(), defined as f64 - 1.0)
            }
            ErrorSource::Within => (mean::weighted(areas), error_within(variances), f64::INFINITY),
        };
        let interval = |(auc, se)| Interval::student(auc, se, self.level, df).within(0.0, 1.0);
        let interval = auc.zip(se).map(interval).unwrap_or_default();
        GroupedRocAucRecord::new(auc, interval, defined, undefined, rows.into())
    }
}

/// The standard error from the rows of each key; undefined if a key with an area has no variance, such as
/// with a single row in a class.
fn error_within(key_areas: impl Iterator<Item = (Option<f64>, u128)>) -> Option<f64> {
    let mut variances = Vec::with_capacity(key_areas.size_hint().0);
    let mut weights = 0;
    for (variance, weight) in key_areas {
        weights += weight;
        variances.push(variance? * (weight as f64).powi(2));
    }
    variances.sort_unstable_by(f64::total_cmp);
    (weights > 0).then(|| variances.iter().sum::<f64>().sqrt() / weights as f64)
}

declaration! {
    /// The mean AUC of groups such as users (GAUC, uAUC), plain or weighted, with its interval over users; also the
    /// covariate-adjusted AUC.
    ///
    /// Words: GAUC, uAUC, group AUC, per-user AUC, query-level AUC, recommender, stratified AUC, covariate-adjusted AUC.
    GroupedRocAuc => GroupedRocAucRecord {
        label = None, score = None,
        /// The user of each row, or a list of columns that define it together; any dtype except lists. With `state`,
        /// the user of each state.
        by: columns = None;
        /// The weight of a user: equal for all users (`"macro"`), or the number of their `"rows"` (impressions),
        /// `"positives"` (clicks), or `"pairs"` of a positive and a negative.
        average: word<KeyWeight> = "macro",
        /// The source of the standard error. `"between"`: the variation of the AUCs between users, if the users are a
        /// sample. `"within"`: DeLong's variance of each user's AUC, if `by` defines a fixed set of strata, such as
        /// age classes, with many rows each.
        error: word<ErrorSource> = "between",
        level = 0.95,
        /// The AUC of each user is then weighted. Rows, positives and pairs count by their weights in `average`. With
        /// `error="within"`, standard errors are by the infinitesimal jackknife.
        weight = None, count = None,
        /// instead of `label` and `score`, one or more for each user: the states of a user are merged. With
        /// `max_bins` the result is approximate: scores in the same bin of a user count as ties.
        state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    fn compute(average: KeyWeight) -> GroupedRocAucRecord {
        // Areas of 1 for (1, 1), 1/2 for (1, 3), and none for (2, 0).
        let labels = [1, 0, 1, 0, 0, 0, 1, 1];
        let scores = [2.0, 1.0, 5.0, 5.0, 9.0, 1.0, 4.0, 4.0];
        GroupedRocAuc { average, error: ErrorSource::Between, level: 0.9 }.evaluate(&rows_of(
            &labels,
            &[&scores],
            &[0, 0, 1, 1, 1, 1, 2, 2],
        ))
    }

    #[test]
    fn weights() {
        assert_eq!(compute(KeyWeight::Macro).auc, Some(0.75));
        assert_eq!(compute(KeyWeight::Rows).auc, Some((2.0 + 4.0 * 0.5) / 6.0));
        assert_eq!(compute(KeyWeight::Positives).auc, Some(0.75));
        assert_eq!(compute(KeyWeight::Pairs).auc, Some((1.0 + 3.0 * 0.5) / 4.0));
        let record = compute(KeyWeight::Macro);
        // Two areas at distance 1/2, and Student's quantile with one degree of freedom.
        assert!((record.interval.se.unwrap() - 0.25).abs() < 1e-15);
        assert!((record.interval.lower.unwrap() - 0.0).abs() < 1e-15 && record.interval.upper == Some(1.0));
        assert!((compute(KeyWeight::Rows).interval.se.unwrap() - 2.0 / 9.0).abs() < 1e-15);
        assert_eq!((record.n_groups, record.n_undefined, record.rows.pos, record.rows.neg), (2, 1, 4, 4));
    }

    /// Two strata, with DeLong's variance of each.
    #[test]
    fn strata() {
        let labels = [1, 0, 1, 0, 1, 0, 0, 1, 0, 1];
        let scores = [5.0, 1.0, 2.0, 3.0, 4.0, 2.0, 1.0, 0.0, 6.0, 7.0];
        let rows = rows_of(&labels, &[&scores], &[0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
        let areas: Vec<Area> = by_key::areas(&rows, 0).flatten().collect();
        let statistic = GroupedRocAuc { average: KeyWeight::Pairs, error: ErrorSource::Within, level: 0.95 };
        let record = statistic.evaluate(&rows);
        let (a, b) = (areas[0].variance().unwrap(), areas[1].variance().unwrap());
        let se = (16.0 * a + 81.0 * b).sqrt() / 13.0;
        assert!((record.interval.se.unwrap() - se).abs() < 1e-15);
        assert!((record.auc.unwrap() - (4.0 * areas[0].auc + 9.0 * areas[1].auc) / 13.0).abs() < 1e-15);
        assert!(
            (record.interval.lower.unwrap() - (record.auc.unwrap() - 1.959_963_984_540_054 * se)).abs()
                < 1e-12
        );
        let single = rows_of(&[1, 0, 1, 0, 0], &[&[2.0, 1.0, 3.0, 1.0, 2.0]], &[0, 0, 1, 1, 1]);
        assert_eq!(statistic.evaluate(&single).interval.se, None);
    }

    /// Weights in coarse and in fine units of the classes, and weights whose ratio is beyond 64 bits.
    #[test]
    fn units_of_classes() {
        let units = Count { pos: 3, neg: 40 };
        for (shift, expected) in [(0, 43), (4, 88), (-1, 83), (70, 3 << 64), (-200, 40 << 64)] {
            assert_eq!(KeyWeight::Rows.weight_of_units(units, shift), expected, "{shift}");
        }
        assert_eq!(
            KeyWeight::Rows.weight_of_units(Count { pos: 1, neg: 1 << 60 }, 70),
            (1 << 64) + (1 << 54)
        );
        assert_eq!(KeyWeight::Positives.weight_of_units(units, 4), 3);
        assert_eq!(KeyWeight::Pairs.weight_of_units(units, 4), 120);
    }

    /// With weights that are equal powers of two, the same bits as without weights.
    #[test]
    fn equal_weights() {
        let labels = [1, 0, 1, 0, 0, 0, 1, 1];
        let scores = [2.0, 1.0, 5.0, 5.0, 9.0, 1.0, 4.0, 4.0];
        for average in [KeyWeight::Macro, KeyWeight::Rows, KeyWeight::Positives, KeyWeight::Pairs] {
            let rows = rows_of(&labels, &[&scores], &[0, 0, 1, 1, 1, 1, 2, 2]);
            let statistic = GroupedRocAuc { average, error: ErrorSource::Between, level: 0.9 };
            let weighted = statistic.evaluate(&Rows { weights: Some(vec![0.25; 8]), ..rows });
            let plain = compute(average);
            assert_eq!((weighted.auc, weighted.interval), (plain.auc, plain.interval));
            assert_eq!((weighted.n_groups, weighted.n_undefined), (plain.n_groups, plain.n_undefined));
        }
    }

    #[test]
    fn all_negative() {
        let record = GroupedRocAuc { average: KeyWeight::Rows, error: ErrorSource::Between, level: 0.9 }
            .evaluate(&rows_of(&[1], &[&[2.0]], &[3]));
        assert_eq!((record.auc, record.n_groups, record.n_undefined), (None, 0, 1));
    }
}
