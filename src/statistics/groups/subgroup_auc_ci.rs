//! The AUC of a subgroup of the rows, and of the subgroup against the background, with intervals.

use super::subgroup_auc::{SubgroupAuc, SubgroupCounts, subgroup_counts};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Area, Interval};
use crate::statistics::kinds::{Inputs, Joint, KeyKind, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The numbers of [`SubgroupAuc`], each with a normal interval.
///
/// Each is an area of two samples of rows, or one half minus such an area. Its standard error is DeLong's
/// (DeLong, DeLong and Clarke-Pearson 1988). `O(n log n)`.
#[derive(Clone, Copy, Debug)]
pub struct SubgroupAucCi {
    /// The coverage of all intervals.
    pub level: f64,
}

record! {
    /// A number of a subgroup.
    pub struct SubgroupIntervalRecord {
        /// The name of the number.
        pub field: Option<&'static str>,
        /// The value of the number.
        pub estimate: Option<f64>,
        /// Its standard error and confidence limits.
        pub interval: Interval,
        /// The numbers of positives and negatives in its two samples.
        pub rows: Count,
    }
}

from_options!(|options| SubgroupAucCi { level: options.level()? });

impl Joint for SubgroupAucCi {
    /// The areas and gaps; null if a score is NaN.
    type Record = Option<Vec<SubgroupIntervalRecord>>;

    const INPUTS: Inputs = SubgroupAuc::INPUTS;

    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Truth
    }

    fn evaluate(&self, rows: &Rows) -> Option<Vec<SubgroupIntervalRecord>> {
        let parts = subgroup_counts(rows);
        let counts = |part: fn(&SubgroupCounts) -> Count| -> Vec<Count> { parts.iter().map(part).collect() };
        let area = |field: &'static str, part: fn(&SubgroupCounts) -> Count| {
            let counts = counts(part);
            self.record(field, Area::new(&counts), |area| area.auc, (0.0, 1.0), Count::sum(&counts))
        };
        let gap = |field: &'static str, is_pos: bool, part: fn(&SubgroupCounts) -> Count| {
            let counts = counts(part);
            let rows = Count::sum(&counts).rows();
            let rows = if is_pos { Count { pos: rows, neg: 0 } } else { Count { pos: 0, neg: rows } };
            self.record(field, Area::new(&counts), Area::below_half, (-0.5, 0.5), rows)
        };
        Some(vec![
            area("subgroup_auc", SubgroupCounts::subgroup_count),
            area("bpsn_auc", SubgroupCounts::bpsn),
            area("bnsp_auc", SubgroupCounts::bnsp),
            area("background_auc", SubgroupCounts::background_count),
            area("auc", SubgroupCounts::all_count),
            gap("positive_aeg", true, SubgroupCounts::positives),
            gap("negative_aeg", false, SubgroupCounts::negatives),
        ])
    }
}

impl SubgroupAucCi {
    fn record(
        &self,
        field: &'static str,
        area: Option<Area>,
        estimate: fn(&Area) -> f64,
        (min, max): (f64, f64),
        rows: Count,
    ) -> SubgroupIntervalRecord {
        let estimate = area.map(|area| estimate(&area));
        let variance = area.and_then(|area| area.variance());
        let interval =
            |(estimate, variance): (f64, f64)| Interval::normal(estimate, variance.sqrt(), self.level);
        let interval = estimate.zip(variance).map(interval).unwrap_or_default().within(min, max);
        SubgroupIntervalRecord { field: Some(field), estimate, interval, rows }
    }
}

declaration! {
    /// The AUCs and gaps of a subgroup, each with its DeLong interval.
    ///
    /// Words: confidence interval of a subgroup AUC, fairness, bias.
    SubgroupAucCi => SubgroupIntervalRecord {
        label, score,
        /// Whether each row belongs to the subgroup; all other rows are the background. Boolean, or an integer or
        /// float column that contains only 0 and 1.
        subgroup: column;
        level = 0.95, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::intervals::roc_auc_ci::tests::NINETY_FIVE as DELONG;
    use crate::statistics::tests::{rows_of, summary};

    const NINETY_FIVE: SubgroupAucCi = SubgroupAucCi { level: 0.95 };

    #[test]
    fn delongs_intervals() {
        let labels = [1, 0, 1, 0, 0, 1, 0, 1];
        let scores = [3.0, 2.0, 1.0, 3.0, 1.0, 4.0, 5.0, 2.0];
        let inside = [1, 1, 1, 1, 0, 0, 0, 0];
        let rows = Rows { key_codes: vec![0, 1], ..rows_of(&labels, &[&scores], &inside) };
        let fields = NINETY_FIVE.evaluate(&rows).unwrap();
        // The positives and negatives of each number, by label and membership.
        let kept: [fn(u8, u32) -> Option<u8>; 7] = [
            |label, inside| (inside == 1).then_some(label),
            |label, inside| (u32::from(label) != inside).then_some(label),
            |label, inside| (u32::from(label) == inside).then_some(label),
            |label, inside| (inside == 0).then_some(label),
            |label, _| Some(label),
            |label, inside| (label == 1).then_some(inside as u8),
            |label, inside| (label == 0).then_some(inside as u8),
        ];
        for (field, kept) in fields.iter().zip(kept) {
            let kept_rows = (0..8).filter_map(|row| Some((kept(labels[row], inside[row])?, scores[row])));
            let (labels, scores): (Vec<u8>, Vec<f64>) = kept_rows.unzip();
            let ci = summary(&DELONG, &labels, &scores);
            let is_gap = field.field.unwrap().ends_with("aeg");
            assert_eq!(field.estimate, ci.auc.map(|auc| if is_gap { 0.5 - auc } else { auc }), "{field:?}");
            assert_eq!(field.interval.se, ci.interval.se, "{field:?}");
            assert_eq!(field.rows.pos + field.rows.neg, labels.len() as u64);
            if !is_gap {
                assert_eq!(field.interval, ci.interval);
                assert_eq!((field.rows.pos, field.rows.neg), (ci.rows.pos, ci.rows.neg));
            }
        }
    }

    #[test]
    fn undefined() {
        let rows = rows_of(&[1, 0], &[&[2.0, 1.0]], &[1, 1]);
        let fields = NINETY_FIVE.evaluate(&Rows { key_codes: vec![1], ..rows }).unwrap();
        assert_eq!((fields[0].estimate, fields[0].interval), (Some(1.0), Interval::default()));
        assert_eq!((fields[1].estimate, fields[1].rows.neg, fields[5].rows.pos), (None, 1, 1));
        assert!(NINETY_FIVE.nan_record(&Rows::default()).is_none());
    }
}
