//! The detection error tradeoff curve.

use crate::ranking::ties::Ties;
use crate::statistics::kinds::{
    Curve,
    column::Column,
    options::no_options,
    record::{Mass, Record, Threshold, record},
};
use crate::statistics::thresholds::confusion::Confusion;

/// Both errors of the rows called positive, at every distinct score.
///
/// It starts where nothing is called positive, so that every positive is missed, and ends where everything is
/// (Martin et al. 1997, who draw both rates on normal scales). The points are those of the ROC curve with
/// `fnr = 1 - tpr`, taken from the counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct DetCurve {}

record! {
    /// One point of the curve.
    pub struct DetPoint {
        /// Rows with this score or a higher one are called positive; null where nothing is.
        pub threshold: Option<Threshold>,
        /// Negatives called positive.
        pub fp: Mass,
        /// Positives called negative.
        pub r#fn: Mass,
        /// `fp / N`.
        pub fpr: f64,
        /// `fn / P`.
        pub fnr: f64,
    }
}

no_options!(DetCurve);

impl Curve for DetCurve {
    type Record = DetPoint;

    const WEIGHTS: bool = true;

    fn points(&self, mut ties: Ties<'_>, columns: &mut Vec<Column>) -> bool {
        if !ties.has_pairs() {
            return false;
        }
        let all = Confusion::nobody(&ties);
        let point = |threshold, calls: Confusion| {
            let [_, fp, _, missed] = calls.masses();
            let (fpr, fnr) = (calls.fpr().unwrap_or_default(), calls.fnr().unwrap_or_default());
            DetPoint::new(threshold, fp, missed, fpr, fnr)
        };
        point(None, all).append(columns);
        let width = ties.score_type().width();
        ties.fold_into(
            columns,
            || Column::all_of(DetPoint::FIELDS, width, 0),
            |columns, tie| {
                point(Some(Threshold(tie.key)), all.with(tie.tp(), tie.fp())).append(columns);
            },
            Column::extend_all,
        );
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Width;
    use crate::statistics::tests::with_ties;

    #[test]
    fn both_errors() {
        let mut columns = Column::all_of(DetPoint::FIELDS, Width::W128, 0);
        assert!(
            with_ties(&[1, 0, 1, 1, 0], &[3u8, 2, 2, 2, 1], |ties| DetCurve {}.points(ties, &mut columns))
        );
        let [
            Column::Threshold(threshold),
            Column::Mass(fp),
            Column::Mass(missed),
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
