//! The AUC of one score for ordered classes.

use super::class_pairs::twice_u_of_pairs;
use crate::math::{mean, quotient};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Inputs, Joint, KeyCode, KeyInput, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// Discrimination of ordered classes by one score: the mean over all pairs of classes, and the share of
/// concordant pairs of rows.
///
/// The area of a pair of classes has the higher class as positives. `auc` is the mean of these areas (Hand
/// and Till 2001, with one score for all pairs). `concordance` is the share of pairs of rows of different
/// classes in which the higher class scores higher, with ties as one half. This is Harrell's C for an ordinal
/// outcome, which weights each pair of classes by its pairs of rows. `O(n log n + n k + k² log k)` for k
/// classes.
#[derive(Clone, Copy, Debug)]
pub struct OrdinalRocAuc {
    /// Whether all pairs of classes are listed, which takes by far the most memory.
    pub pairs: bool,
}

record! {
    /// A pair of classes.
    pub struct OrdinalPairRecord {
        /// The lower class.
        pub class_a: KeyCode,
        /// The higher class.
        pub class_b: KeyCode,
        /// The AUC of the higher class against the lower class.
        pub auc: f64,
    }
}

record! {
    /// The areas of one group.
    pub struct OrdinalRocAucRecord {
        /// The mean AUC of the higher class against the lower class, over all pairs of classes.
        pub auc: Option<f64>,
        /// Over all pairs of rows of different classes, the share in which the row of the higher class scores higher;
        /// a tie counts one half.
        pub concordance: Option<f64>,
        /// For each pair, the lower class `class_a` and the higher class `class_b` (in the dtype of the label), and
        /// their `auc` (Float64). Null with `pairs=False`.
        pub pairs: Option<Vec<OrdinalPairRecord>>,
        /// The number of classes.
        pub n_classes: u64,
        /// The number of rows used.
        pub n: u64,
    }
}

/// The maximum number of classes. The record lists all pairs of classes, half a million for this number.
const MAX_CLASSES: usize = 1000;

from_options!(|options| OrdinalRocAuc { pairs: options.flag("pairs")? });

impl Joint for OrdinalRocAuc {
    type Record = OrdinalRocAucRecord;

    const INPUTS: Inputs = Inputs::scores(Some(1))
        .without_label()
        .keyed(KeyInput { max: MAX_CLASSES, ..KeyInput::called("label") });

    fn evaluate(&self, rows: &Rows) -> OrdinalRocAucRecord {
        let classes = rows.keys.distinct;
        let counts = rows.keys.histogram(|_| true);
        let twice_u = twice_u_of_pairs(&rows.scores[0], &rows.keys, 0..classes as u32);
        let (mut twice_concordant, mut comparable) = (0, 0);
        let mut areas: Vec<(f64, u128)> = Vec::with_capacity(classes * classes.saturating_sub(1) / 2);
        let mut pairs: Option<Vec<OrdinalPairRecord>> =
            self.pairs.then(|| Vec::with_capacity(areas.capacity()));
        let key = |class: usize| KeyCode(rows.key_codes[class]);
        for low in 0..classes {
            for high in low + 1..classes {
                let pairs_of_rows = u128::from(counts[low]) * u128::from(counts[high]);
                let twice_u = u128::from(twice_u[high][low]);
                twice_concordant += twice_u;
                comparable += pairs_of_rows;
                let auc = quotient(twice_u, 2 * pairs_of_rows);
                areas.push((auc, 1));
                if let Some(pairs) = &mut pairs {
                    pairs.push(OrdinalPairRecord::new(key(low), key(high), auc));
                }
            }
        }
        let auc = mean::weighted(areas);
        let concordance = (comparable > 0).then(|| quotient(twice_concordant, 2 * comparable));
        OrdinalRocAucRecord::new(auc, concordance, pairs, classes as u64, rows.len as u64)
    }

    fn nan_record(&self, rows: &Rows) -> OrdinalRocAucRecord {
        let (n_classes, n) = (rows.keys.distinct as u64, rows.len as u64);
        OrdinalRocAucRecord { n_classes, n, ..OrdinalRocAucRecord::nan(rows) }
    }
}

declaration! {
    /// One score for ordered classes: the mean AUC of all pairs of classes, and the C-index.
    ///
    /// Words: ordinal AUC, ordered classes, rating, Jonckheere-Terpstra.
    OrdinalRocAuc => OrdinalRocAucRecord {
        /// The class of each row: any dtype except lists. Classes are ordered by their values, for an Enum by its
        /// categories. At most 1000 classes in a group.
        label: column,
        /// Any numeric or Boolean column; higher means a higher class.
        score: column;
        /// Whether to list the AUC of every pair of classes. k classes give k (k - 1) / 2 records: about 500,000 (15
        /// MB) for 1000 classes. With `False`, `pairs` is null; the other fields do not change.
        pairs: flag = true,
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    #[test]
    fn three_classes() {
        // 4 | 3 4 | 5 1: 0 against 1 has 1/2 of 2 pairs, 0 against 2 has 1 of 2, 1 against 2 has 2 of 4.
        let rows = rows_of(&[], &[&[4.0, 3.0, 4.0, 5.0, 1.0]], &[0, 1, 1, 2, 2]);
        let record = OrdinalRocAuc { pairs: true }.evaluate(&Rows { key_codes: vec![3, 4, 9], ..rows });
        let pairs = record.pairs.unwrap();
        assert_eq!(pairs.iter().map(|pair| pair.auc).collect::<Vec<_>>(), [0.25, 0.5, 0.5]);
        assert_eq!((pairs[1].class_a, pairs[1].class_b), (KeyCode(3), KeyCode(9)));
        assert_eq!((record.concordance, record.n_classes, record.n), (Some(3.5 / 8.0), 3, 5));
        let rows = rows_of(&[], &[&[4.0, 3.0, 4.0, 5.0, 1.0]], &[0, 1, 1, 2, 2]);
        let without = OrdinalRocAuc { pairs: false }.evaluate(&Rows { key_codes: vec![3, 4, 9], ..rows });
        assert_eq!((without.auc, without.concordance), (record.auc, record.concordance));
        assert_eq!((without.pairs, without.n_classes, without.n), (None, 3, 5));
        assert!((record.auc.unwrap() - 1.25 / 3.0).abs() < 1e-16);
    }

    #[test]
    fn nothing_to_compare() {
        let record = OrdinalRocAuc { pairs: true }
            .evaluate(&Rows { key_codes: vec![0], ..rows_of(&[], &[&[4.0, 3.0]], &[0, 0]) });
        assert_eq!((record.auc, record.concordance, record.pairs), (None, None, Some(Vec::new())));
        let nan = OrdinalRocAuc { pairs: true }.nan_record(&rows_of(&[], &[&[4.0, f64::NAN]], &[0, 1]));
        assert!(nan.auc.unwrap().is_nan() && nan.pairs.is_none() && nan.n_classes == 2);
    }
}
