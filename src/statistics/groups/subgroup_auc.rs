//! The AUC of a subgroup of the rows, and of the subgroup against the background.

use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Area;
use crate::statistics::kinds::{Inputs, Joint, KeyInput, KeyKind, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The areas that describe the treatment of a subgroup by a score. They are the area within the subgroup, and
/// the areas of either class of it against the other class of the background. The background is all rows
/// outside it.
///
/// Borkan, Dixon, Sorensen, Thain and Vasserman (2019). A low BPSN area means that negatives of the subgroup
/// score above positives of the background (false positives). A low BNSP area means that positives of the
/// subgroup score below negatives of the background (false negatives). The average equality gaps are
/// `1/2 - A`. Here A is the probability that a row of the subgroup scores above a background row of the same
/// class, with ties as one half. `O(n log n)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SubgroupAuc {}

record! {
    /// The areas of one group.
    pub struct SubgroupAucRecord {
        /// The AUC of the rows of the subgroup.
        pub subgroup_auc: Option<f64>,
        /// The AUC of background positives and subgroup negatives. It is low if negatives of the subgroup score too
        /// high, which gives false positives.
        pub bpsn_auc: Option<f64>,
        /// The AUC of background negatives and subgroup positives. It is low if positives of the subgroup score too
        /// low, which gives false negatives.
        pub bnsp_auc: Option<f64>,
        /// The AUC of the rows of the background.
        pub background_auc: Option<f64>,
        /// The AUC of all rows.
        pub auc: Option<f64>,
        /// The average equality gap of positives, -1/2 to 1/2: above 0 if positives of the subgroup score lower than
        /// positives of the background. Null with no positives in the subgroup or in the background.
        pub positive_aeg: Option<f64>,
        /// The same for negatives.
        pub negative_aeg: Option<f64>,
        /// The number of positives in the subgroup.
        pub n_subgroup_pos: u64,
        /// The number of negatives in the subgroup.
        pub n_subgroup_neg: u64,
        /// The number of positives in the background.
        pub n_background_pos: u64,
        /// The number of negatives in the background.
        pub n_background_neg: u64,
    }
}

/// Rows of the background and of the subgroup.
#[derive(Clone, Copy, Default)]
pub(in crate::statistics) struct SubgroupCounts {
    background: Count,
    subgroup: Count,
}

impl SubgroupCounts {
    fn add(&mut self, in_subgroup: bool, positive: bool) {
        (if in_subgroup { &mut self.subgroup } else { &mut self.background }).add(positive, 1);
    }

    /// The rows of the subgroup.
    pub fn subgroup_count(&self) -> Count {
        self.subgroup
    }

    /// The rows of the background.
    pub fn background_count(&self) -> Count {
        self.background
    }

    /// All rows.
    pub fn all_count(&self) -> Count {
        self.subgroup.plus(self.background)
    }

    /// Positives of the background and negatives of the subgroup.
    pub fn bpsn(&self) -> Count {
        Count { pos: self.background.pos, neg: self.subgroup.neg }
    }

    /// Negatives of the background and positives of the subgroup.
    pub fn bnsp(&self) -> Count {
        Count { pos: self.subgroup.pos, neg: self.background.neg }
    }

    /// Positives only: those of the subgroup as positives, those of the background as negatives.
    pub fn positives(&self) -> Count {
        Count { pos: self.subgroup.pos, neg: self.background.pos }
    }

    /// Negatives only, with the same roles.
    pub fn negatives(&self) -> Count {
        Count { pos: self.subgroup.neg, neg: self.background.neg }
    }
}

/// The rows of each distinct score, highest first.
pub(in crate::statistics) fn subgroup_counts(rows: &Rows) -> Vec<SubgroupCounts> {
    let codes = &rows.scores[0];
    let mut parts = vec![SubgroupCounts::default(); codes.distinct];
    for ((inside, &label), &code) in in_subgroup(rows).zip(&rows.labels).zip(&codes.row_codes) {
        parts[codes.descending(code)].add(inside, label);
    }
    parts
}

/// Whether each row is in the subgroup.
pub(super) fn in_subgroup(rows: &Rows) -> impl Iterator<Item = bool> {
    rows.keys.row_codes.iter().map(|&key| rows.key_codes[key as usize] == 1)
}

from_options!(|_| SubgroupAuc {});

impl Joint for SubgroupAuc {
    type Record = SubgroupAucRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1)).keyed(KeyInput::called("subgroup"));

    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Truth
    }

    fn evaluate(&self, rows: &Rows) -> SubgroupAucRecord {
        let parts = subgroup_counts(rows);
        let all = counts(rows);
        let whole =
            |part: fn(&SubgroupCounts) -> Count| Area::new(&parts.iter().map(part).collect::<Vec<_>>());
        let area = |part| whole(part).map(|area| area.auc);
        let gap = |part| whole(part).map(|area| area.below_half());
        SubgroupAucRecord::new(
            area(SubgroupCounts::subgroup_count),
            area(SubgroupCounts::bpsn),
            area(SubgroupCounts::bnsp),
            area(SubgroupCounts::background_count),
            area(SubgroupCounts::all_count),
            gap(SubgroupCounts::positives),
            gap(SubgroupCounts::negatives),
            all.subgroup.pos,
            all.subgroup.neg,
            all.background.pos,
            all.background.neg,
        )
    }

    fn nan_record(&self, rows: &Rows) -> SubgroupAucRecord {
        let SubgroupCounts { background, subgroup } = counts(rows);
        SubgroupAucRecord {
            n_subgroup_pos: subgroup.pos,
            n_subgroup_neg: subgroup.neg,
            n_background_pos: background.pos,
            n_background_neg: background.neg,
            ..SubgroupAucRecord::nan(rows)
        }
    }
}

fn counts(rows: &Rows) -> SubgroupCounts {
    let mut all = SubgroupCounts::default();
    in_subgroup(rows).zip(&rows.labels).for_each(|(inside, &label)| all.add(inside, label));
    all
}

declaration! {
    /// The AUC within a subgroup, within the background (all other rows), and between the two, with the average
    /// equality gaps.
    ///
    /// Words: fairness, bias, subgroup AUC, BPSN, BNSP, average equality gap, protected group.
    SubgroupAuc => SubgroupAucRecord {
        label, score,
        /// Whether each row belongs to the subgroup; all other rows are the background. Boolean, such as
        /// `pl.col("country") == "NO"`, or an integer or float column that contains only 0 and 1.
        subgroup: column;
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    #[test]
    fn both_parts() {
        let labels = [1, 0, 1, 0, 0, 1, 0];
        let scores = [3.0, 2.0, 1.0, 3.0, 1.0, 4.0, 5.0];
        // The subgroup: 3+ 2- 1+ 3-; the background: 1- 4+ 5-.
        let rows = rows_of(&labels, &[&scores], &[1, 1, 1, 1, 0, 0, 0]);
        let rows = Rows { key_codes: vec![0, 1], ..rows };
        let record = SubgroupAuc {}.evaluate(&rows);
        assert_eq!(record.subgroup_auc, Some(1.5 / 4.0));
        assert_eq!(record.bpsn_auc, Some(1.0));
        assert_eq!(record.bnsp_auc, Some(1.5 / 4.0));
        assert_eq!(record.background_auc, Some(0.5));
        assert_eq!(record.auc, Some(6.0 / 12.0));
        // 3 and 1 against 4: below both. 2 and 3 against 1 and 5: half above.
        assert_eq!((record.positive_aeg, record.negative_aeg), (Some(0.5), Some(0.0)));
        assert_eq!((record.n_subgroup_pos, record.n_subgroup_neg), (2, 2));
        assert_eq!((record.n_background_pos, record.n_background_neg), (1, 2));
        let nan = SubgroupAuc {}.nan_record(&rows);
        assert!(nan.auc.unwrap().is_nan() && nan.n_background_neg == 2);
    }

    #[test]
    fn no_background() {
        let rows = rows_of(&[1, 0], &[&[2.0, 1.0]], &[1, 1]);
        let record = SubgroupAuc {}.evaluate(&Rows { key_codes: vec![1], ..rows });
        assert_eq!((record.subgroup_auc, record.auc), (Some(1.0), Some(1.0)));
        assert_eq!((record.bpsn_auc, record.bnsp_auc, record.background_auc), (None, None, None));
        assert_eq!(
            SubgroupAuc {}.evaluate(&Rows { scores: vec![Default::default()], ..Rows::default() }).auc,
            None
        );
    }
}
