//! The AUC of a subgroup of the rows, and of the subgroup against the background, with intervals.

use super::subgroup_auc::{SubgroupAuc, SubgroupCounts, subgroup_counts};
use crate::ranking::rows::Rows;
use crate::ranking::ties::Count;
use crate::statistics::inference::{by_key::Area, interval::Limits};
use crate::statistics::kinds::{
    FromOptions, Inputs, Joint, KeyKind, OptionError, Options,
    record::{Many, record},
};

/// The numbers of [`SubgroupAuc`], each with a normal interval.
///
/// Each is an area of two samples of rows, or one half less such an area, so that its standard error is that of
/// DeLong, DeLong and Clarke-Pearson (1988). `O(n log n)`.
#[derive(Clone, Copy, Debug)]
pub struct SubgroupAucCi {
    /// The coverage of all intervals.
    pub level: f64,
}

record! {
    /// A number of a subgroup.
    pub struct SubgroupIntervalRecord {
        /// What the number is called in [`SubgroupAuc`]'s record.
        pub field: Option<&'static str>,
        /// The number; null without a row of either sample.
        pub estimate: Option<f64>,
        /// The standard error; null with fewer than two rows of either sample.
        pub se: Option<f64>,
        /// The lower limit; null where the standard error is.
        pub lower: Option<f64>,
        /// The upper limit; null where the standard error is.
        pub upper: Option<f64>,
        /// Positives that the number is made of.
        pub n_pos: u64,
        /// Negatives that the number is made of.
        pub n_neg: u64,
    }
}

record! {
    /// The numbers of one group.
    pub struct SubgroupAucCiRecord {
        /// The areas and gaps; null if a score is NaN.
        pub fields: Option<Many<SubgroupIntervalRecord>>,
    }
}

impl FromOptions for SubgroupAucCi {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        Ok(SubgroupAucCi { level: options.level()? })
    }
}

impl Joint for SubgroupAucCi {
    type Record = SubgroupAucCiRecord;

    const INPUTS: Inputs = SubgroupAuc::INPUTS;

    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Truth
    }

    fn of_rows(&self, rows: &Rows) -> SubgroupAucCiRecord {
        let parts = subgroup_counts(rows);
        let counts =
            |taken: fn(&SubgroupCounts) -> Count| -> Vec<Count> { parts.iter().map(taken).collect() };
        let area = |field: &'static str, taken: fn(&SubgroupCounts) -> Count| {
            let counts = counts(taken);
            let Count { pos, neg } = Count::sum(&counts);
            let area = Area::of(&counts);
            self.record(field, area, |area| area.auc, (0.0, 1.0), pos, neg)
        };
        let gap = |field: &'static str, is_pos: bool, taken: fn(&SubgroupCounts) -> Count| {
            let counts = counts(taken);
            let rows = Count::sum(&counts).rows();
            let (pos, neg) = if is_pos { (rows, 0) } else { (0, rows) };
            self.record(field, Area::of(&counts), Area::below_half, (-0.5, 0.5), pos, neg)
        };
        SubgroupAucCiRecord::new(Some(Many(vec![
            area("subgroup_auc", SubgroupCounts::of_subgroup),
            area("bpsn_auc", SubgroupCounts::bpsn),
            area("bnsp_auc", SubgroupCounts::bnsp),
            area("background_auc", SubgroupCounts::of_background),
            area("auc", SubgroupCounts::of_all),
            gap("positive_aeg", true, SubgroupCounts::positives),
            gap("negative_aeg", false, SubgroupCounts::negatives),
        ])))
    }

    fn of_nan(&self, _: &Rows) -> SubgroupAucCiRecord {
        SubgroupAucCiRecord::new(None)
    }
}

impl SubgroupAucCi {
    fn record(
        &self,
        field: &'static str,
        area: Option<Area>,
        estimate: fn(&Area) -> f64,
        range: (f64, f64),
        n_pos: u64,
        n_neg: u64,
    ) -> SubgroupIntervalRecord {
        let of_area = |area: Area| Limits::of(estimate(&area), area.variance(), self.level, range);
        let Limits { se, lower, upper } = area.map_or_else(Limits::default, of_area);
        let estimate = area.map(|area| estimate(&area));
        SubgroupIntervalRecord { field: Some(field), estimate, se, lower, upper, n_pos, n_neg }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::intervals::RocAucCi;
    use crate::statistics::kinds::{OptionValue, options::tests::options};
    use crate::statistics::tests::{rows_of, summary};

    const NINETY_FIVE: SubgroupAucCi = SubgroupAucCi { level: 0.95 };

    #[test]
    fn delongs_intervals() {
        let labels = [1, 0, 1, 0, 0, 1, 0, 1];
        let scores = [3.0, 2.0, 1.0, 3.0, 1.0, 4.0, 5.0, 2.0];
        let inside = [1, 1, 1, 1, 0, 0, 0, 0];
        let rows = Rows { key_places: vec![0, 1], ..rows_of(&labels, &[&scores], &inside) };
        let fields = NINETY_FIVE.of_rows(&rows).fields.unwrap().0;
        // Which rows are positives and negatives of each number, by label and place.
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
            let of_rows = (0..8).filter_map(|row| Some((kept(labels[row], inside[row])?, scores[row])));
            let (labels, scores): (Vec<u8>, Vec<f64>) = of_rows.unzip();
            let ci = summary(&RocAucCi::default(), &labels, &scores);
            let is_gap = field.field.unwrap().ends_with("aeg");
            assert_eq!(field.estimate, ci.auc.map(|auc| if is_gap { 0.5 - auc } else { auc }), "{field:?}");
            assert_eq!(field.se, ci.se, "{field:?}");
            assert_eq!(field.n_pos + field.n_neg, labels.len() as u64);
            if !is_gap {
                assert_eq!((field.lower, field.upper), (ci.lower, ci.upper));
                assert_eq!((field.n_pos, field.n_neg), (ci.n_pos, ci.n_neg));
            }
        }
    }

    #[test]
    fn undefined() {
        let rows = rows_of(&[1, 0], &[&[2.0, 1.0]], &[1, 1]);
        let fields = NINETY_FIVE.of_rows(&Rows { key_places: vec![1], ..rows }).fields.unwrap().0;
        assert_eq!((fields[0].estimate, fields[0].se, fields[0].lower), (Some(1.0), None, None));
        assert_eq!((fields[1].estimate, fields[1].n_neg, fields[5].n_pos), (None, 1, 1));
        assert!(NINETY_FIVE.of_nan(&Rows::default()).fields.is_none());
        let level = |level| SubgroupAucCi::from_options(&options([("level", OptionValue::Float(level))]));
        assert!(level(0.9).is_ok() && level(2.0).is_err());
    }
}
