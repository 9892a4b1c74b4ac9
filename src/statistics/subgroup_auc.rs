//! The AUC of a subgroup of the rows, and of the subgroup against the background.

use super::by_key::Area;
use super::record::record;
use super::{Columns, Joint};
use crate::ranking::Rows;

/// The areas that tell how a score treats a subgroup: of its own rows, and of either class of it against the other
/// class of the background, which is all rows outside it.
///
/// Borkan, Dixon, Sorensen, Thain and Vasserman (2019): a low BPSN area means that negatives of the subgroup score
/// above positives of the background (false positives), a low BNSP area that positives of the subgroup score
/// below negatives of the background (false negatives). `O(n log n)`.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct SubgroupAuc {}

record! {
    /// The areas of one group.
    pub struct SubgroupAucRecord {
        /// Of the subgroup's rows; null without a positive or without a negative, as all areas.
        pub subgroup_auc: Option<f64>,
        /// Of the background's positives and the subgroup's negatives.
        pub bpsn_auc: Option<f64>,
        /// Of the background's negatives and the subgroup's positives.
        pub bnsp_auc: Option<f64>,
        /// Of the background's rows.
        pub background_auc: Option<f64>,
        /// Of all rows.
        pub auc: Option<f64>,
        /// Positives of the subgroup.
        pub n_subgroup_pos: u64,
        /// Negatives of the subgroup.
        pub n_subgroup_neg: u64,
        /// Positives of the background.
        pub n_background_pos: u64,
        /// Negatives of the background.
        pub n_background_neg: u64,
    }
}

/// Rows of the subgroup and of the background, of either class.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// (positives, negatives).
    subgroup: (u64, u64),
    background: (u64, u64),
}

impl Counts {
    fn add(&mut self, in_subgroup: bool, positive: bool) {
        let part = if in_subgroup { &mut self.subgroup } else { &mut self.background };
        *(if positive { &mut part.0 } else { &mut part.1 }) += 1;
    }
}

/// Which rows are of the subgroup.
fn in_subgroup(rows: &Rows) -> impl Iterator<Item = bool> {
    rows.keys.of_row.iter().map(|&key| rows.key_places[key as usize] == 1)
}

impl Joint for SubgroupAuc {
    type Record = SubgroupAucRecord;

    const COLUMNS: Columns = Columns::scores(Some(1)).keyed("subgroup");

    const KEY_IS_TRUTH: bool = true;

    fn of_rows(&self, rows: &Rows) -> SubgroupAucRecord {
        let codes = &rows.scores[0];
        let mut counts = vec![Counts::default(); codes.distinct];
        for ((inside, &label), &code) in in_subgroup(rows).zip(&rows.labels).zip(&codes.of_row) {
            counts[code as usize].add(inside, label);
        }
        let all = of_all(rows);
        let area = |taken: fn(&Counts) -> (u64, u64)| {
            let (n_pos, n_neg) = taken(&all);
            Area::of(counts.iter().map(taken), n_pos, n_neg).map(|area| area.auc)
        };
        SubgroupAucRecord::new(
            area(|counts| counts.subgroup),
            area(|counts| (counts.background.0, counts.subgroup.1)),
            area(|counts| (counts.subgroup.0, counts.background.1)),
            area(|counts| counts.background),
            area(|counts| (counts.subgroup.0 + counts.background.0, counts.subgroup.1 + counts.background.1)),
            all.subgroup.0,
            all.subgroup.1,
            all.background.0,
            all.background.1,
        )
    }

    fn of_nan(&self, rows: &Rows) -> SubgroupAucRecord {
        let Counts { subgroup, background } = of_all(rows);
        SubgroupAucRecord {
            n_subgroup_pos: subgroup.0,
            n_subgroup_neg: subgroup.1,
            n_background_pos: background.0,
            n_background_neg: background.1,
            ..SubgroupAucRecord::nan()
        }
    }
}

fn of_all(rows: &Rows) -> Counts {
    let mut all = Counts::default();
    in_subgroup(rows).zip(&rows.labels).for_each(|(inside, &label)| all.add(inside, label));
    all
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
        let rows = Rows { key_places: vec![0, 1], ..rows };
        let record = SubgroupAuc {}.of_rows(&rows);
        assert_eq!(record.subgroup_auc, Some(1.5 / 4.0));
        assert_eq!(record.bpsn_auc, Some(1.0));
        assert_eq!(record.bnsp_auc, Some(1.5 / 4.0));
        assert_eq!(record.background_auc, Some(0.5));
        assert_eq!(record.auc, Some(6.0 / 12.0));
        assert_eq!((record.n_subgroup_pos, record.n_subgroup_neg), (2, 2));
        assert_eq!((record.n_background_pos, record.n_background_neg), (1, 2));
        let nan = SubgroupAuc {}.of_nan(&rows);
        assert!(nan.auc.unwrap().is_nan() && nan.n_background_neg == 2);
    }

    #[test]
    fn no_background() {
        let rows = rows_of(&[1, 0], &[&[2.0, 1.0]], &[1, 1]);
        let record = SubgroupAuc {}.of_rows(&Rows { key_places: vec![1], ..rows });
        assert_eq!((record.subgroup_auc, record.auc), (Some(1.0), Some(1.0)));
        assert_eq!((record.bpsn_auc, record.bnsp_auc, record.background_auc), (None, None, None));
        assert_eq!(
            SubgroupAuc {}.of_rows(&Rows { scores: vec![Default::default()], ..Rows::default() }).auc,
            None
        );
    }
}
