//! The detection error tradeoff curve.

use super::Curve;
use super::record::{Column, Record, Threshold, record};
use crate::math;
use crate::ranking::Ties;

/// Both errors of the rows called positive, at every distinct score.
///
/// It starts where nothing is called positive, so that every positive is missed, and ends where everything is
/// (Martin et al. 1997, who draw both rates on normal scales). The points are those of the ROC curve with
/// `fnr = 1 - tpr`, taken from the counts.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub struct DetCurve {}

record! {
    /// One point of the curve.
    pub struct DetPoint {
        /// Rows with this score or a higher one are called positive; null where nothing is.
        pub threshold: Option<Threshold>,
        /// Negatives called positive.
        pub fp: u64,
        /// Positives called negative.
        pub r#fn: u64,
        /// `fp / N`.
        pub fpr: f64,
        /// `fn / P`.
        pub fnr: f64,
    }
}

impl Curve for DetCurve {
    type Record = DetPoint;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if !ties.has_pairs() {
            return false;
        }
        let share = |count: u64, all: u64| math::quotient(count.into(), all.into());
        let (n_pos, n_neg) = (ties.n_pos(), ties.n_neg());
        DetPoint::new(None, 0, n_pos, 0.0, 1.0).append(columns);
        let width = ties.score_type().width();
        ties.fold_into(
            columns,
            || Column::all_of(DetPoint::FIELDS, width, 0),
            |columns, tie| {
                let (fp, missed) = (tie.fp(), n_pos - tie.tp());
                let (fpr, fnr) = (share(fp, n_neg), share(missed, n_pos));
                DetPoint::new(Some(Threshold(tie.key)), fp, missed, fpr, fnr).append(columns);
            },
            Column::extend_all,
        );
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::Width;
    use crate::statistics::tests::with_ties;

    #[test]
    fn both_errors() {
        let mut columns = Column::all_of(DetPoint::FIELDS, Width::W128, 0);
        assert!(
            with_ties(&[1, 0, 1, 1, 0], &[3u8, 2, 2, 2, 1], |ties| DetCurve {}.points(ties, &mut columns))
        );
        let [
            Column::Threshold(threshold),
            Column::Count(fp),
            Column::Count(missed),
            Column::Number(fpr),
            Column::Number(fnr),
        ] = &columns[..]
        else {
            panic!("the fields of a point")
        };
        assert_eq!(
            (&threshold.keys.iter().collect::<Vec<_>>()[1..], &threshold.present[..2]),
            (&[3, 2, 1][..], &[false, true][..])
        );
        assert_eq!((&fp.values[..], &missed.values[..]), (&[0, 0, 1, 2][..], &[3, 2, 0, 0][..]));
        assert_eq!(fpr.values, [0.0, 0.0, 0.5, 1.0]);
        assert_eq!(fnr.values, [1.0, 2.0 / 3.0, 0.0, 0.0]);
        assert_eq!(DetPoint::FIELDS[2].name, "fn");
        assert!(!with_ties(&[1, 1], &[1u8, 2], |ties| DetCurve {}.points(ties, &mut columns)));
    }
}
