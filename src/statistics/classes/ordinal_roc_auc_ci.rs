//! The AUC of one score for ordered classes, with its standard error and interval.

use super::class_components::variance_of_class;
use super::class_pairs::rows_in_order;
use super::ordinal_roc_auc::{OrdinalPairRecord, OrdinalRocAuc};
use crate::math::product_difference;
use crate::ranking::ties::Placements;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Estimate, Interval, delong};
use crate::statistics::kinds::{Inputs, Joint, record};
use crate::statistics::options::from_options;
use crate::statistics::rows::Rows;

/// The mean area over all pairs of ordered classes, and the share of concordant pairs of rows, with normal
/// intervals.
///
/// Both are weighted sums of means over pairs of rows: `sum w_ab A_ab / sum w_ab`, with weights of 1, or of
/// `n_a n_b`. The component of a row of class a is the weighted sum of its placements. A placement is the
/// share of a lower class's rows that it beats, or of a higher class's rows that beat it. With the sample
/// variance `S_a²` of the components of class a, `se² = sum over classes of S_a² / n_a / (sum w_ab)²`
/// (DeLong, DeLong and Clarke-Pearson 1988; Lehmann 1951 for several samples). The numbers of rows of the
/// classes are taken as fixed. The variance of one pair is DeLong's. `O(n log n + n k + k²)` for k classes.
#[derive(Clone, Copy, Debug)]
pub struct OrdinalRocAucCi {
    /// The areas.
    pub statistic: OrdinalRocAuc,
    /// The coverage of all intervals.
    pub level: f64,
}

record! {
    /// A pair of classes.
    pub struct OrdinalPairIntervalRecord {
        /// The fields of the record without an interval.
        pub pair: OrdinalPairRecord,
        /// The standard error and confidence limits; null with fewer than two rows in either class.
        pub interval: Interval,
    }
}

record! {
    /// The areas of one group.
    pub struct OrdinalRocAucCiRecord {
        /// The mean AUC of the higher class against the lower class, over all pairs of classes.
        pub auc: Option<f64>,
        /// Its standard error and confidence limits.
        pub interval: Interval,
        /// - `concordance`: over all pairs of rows of different classes, the share in which the row of the higher
        ///   class scores higher; a tie counts one half.
        /// - `concordance_se`, `concordance_lower`, `concordance_upper`: its standard error and confidence limits.
        pub concordance: Estimate,
        /// For each pair, the lower class `class_a` and the higher class `class_b` (in the dtype of the label), and
        /// `auc`, `se`, `lower`, `upper` (Float64), as in `roc_auc_ci()`. Null with `pairs=False`.
        pub pairs: Option<Vec<OrdinalPairIntervalRecord>>,
        /// The number of classes.
        pub n_classes: u64,
        /// The number of rows used.
        pub n: u64,
    }
}

from_options!(|options| OrdinalRocAucCi {
    statistic: OrdinalRocAuc::from_options(options)?,
    level: options.level()?
});

impl Joint for OrdinalRocAucCi {
    type Record = OrdinalRocAucCiRecord;

    const INPUTS: Inputs = OrdinalRocAuc::INPUTS;

    fn passes(&self) -> usize {
        2 * self.statistic.passes()
    }

    fn evaluate(&self, rows: &Rows) -> OrdinalRocAucCiRecord {
        let areas = self.statistic.evaluate(rows);
        let placements = OrdinalPlacements::new(rows, self.statistic.pairs);
        let interval = |area, variance| Interval::from_area(area, variance, self.level);
        let concordance_interval = interval(areas.concordance, placements.variance_of_concordance());
        let k = placements.counts.len();
        let both = (0..k).flat_map(|low| (low + 1..k).map(move |high| (low, high)));
        let pairs = areas.pairs.map(|pairs| {
            let pairs = pairs.into_iter().zip(both).map(|(pair, (low, high))| {
                let variance = placements.variance_of_pair(low, high);
                OrdinalPairIntervalRecord { interval: interval(Some(pair.auc), variance), pair }
            });
            pairs.collect()
        });
        OrdinalRocAucCiRecord {
            auc: areas.auc,
            interval: interval(areas.auc, placements.variance_of_mean()),
            concordance: Estimate::new(areas.concordance, concordance_interval),
            pairs,
            n_classes: areas.n_classes,
            n: areas.n,
        }
    }

    fn nan_record(&self, rows: &Rows) -> OrdinalRocAucCiRecord {
        let (n_classes, n) = (rows.keys.distinct as u64, rows.len as u64);
        OrdinalRocAucCiRecord { n_classes, n, ..OrdinalRocAucCiRecord::nan(rows) }
    }
}

/// The placements of the rows of each class in the other classes.
struct OrdinalPlacements {
    /// The rows of each class.
    counts: Vec<u64>,
    /// For each class, the distinct components with their numbers of rows.
    components: Vec<Vec<(f64, u64)>>,
    /// For each class, sums over its rows of twice the concordant pairs with other classes, and of their
    /// squares.
    right: Vec<(u128, u128)>,
    /// For two classes, the sum and the sum of squares of the doubled placements of the first one's rows;
    /// empty if pairs are not requested.
    squares: Vec<Vec<(u128, u128)>>,
}

impl OrdinalPlacements {
    fn new(rows: &Rows, pairs: bool) -> Self {
        let k = rows.keys.distinct;
        let counts: Vec<u64> = rows.keys.histogram(|_| true).into_iter().map(u64::from).collect();
        let in_order = rows_in_order(&rows.scores[0], &rows.keys);
        let mut placements = OrdinalPlacements {
            components: vec![Vec::new(); k],
            right: vec![(0, 0); k],
            squares: if pairs { vec![vec![(0, 0); k]; k] } else { Vec::new() },
            counts,
        };
        // For each class, twice its rows below the score, plus its rows with the score.
        let mut twice_below = vec![0u64; k];
        for tie in in_order.chunk_by(|a, b| a.0 == b.0) {
            tie.iter().for_each(|row| twice_below[row.1 as usize] += 1);
            for class_rows in tie.chunk_by(|a, b| a.1 == b.1) {
                placements.add(class_rows[0].1 as usize, class_rows.len() as u64, &twice_below);
            }
            tie.iter().for_each(|row| twice_below[row.1 as usize] += 1);
        }
        placements
    }

    /// Adds rows of one class and score.
    fn add(&mut self, class: usize, rows: u64, twice_below: &[u64]) {
        let (mut component, mut right) = (0.0, 0u128);
        for (other, (&twice_below, &n)) in twice_below.iter().zip(&self.counts).enumerate() {
            if other == class {
                continue;
            }
            let twice = if other < class { twice_below } else { 2 * n - twice_below };
            component += twice as f64 / (2 * n) as f64;
            right += u128::from(twice);
            if let Some(squares) = self.squares.get_mut(class) {
                squares[other].0 += u128::from(rows) * u128::from(twice);
                squares[other].1 += u128::from(rows) * u128::from(twice).pow(2);
            }
        }
        self.components[class].push((component, rows));
        self.right[class].0 += u128::from(rows) * right;
        self.right[class].1 += u128::from(rows) * right.pow(2);
    }

    /// The variance of the mean of all areas; undefined if a class has a single row.
    fn variance_of_mean(&self) -> Option<f64> {
        let k = self.counts.len() as f64;
        let sum = self.components.iter().cloned().map(variance_of_class).sum::<Option<f64>>()?;
        Some(sum / (0.5 * k * (k - 1.0)).powi(2))
    }

    /// The variance of the share of concordant pairs; undefined if a class has a single row.
    fn variance_of_concordance(&self) -> Option<f64> {
        let class_variance = |(&n, &(sum, squares)): (&u64, &(u128, u128))| {
            // A row of class a contributes its pairs, scaled by n_a: n_a² S² / n_a.
            (n > 1).then(|| product_difference(n.into(), squares, sum, sum) / (4.0 * (n - 1) as f64))
        };
        let sum = self.counts.iter().zip(&self.right).map(class_variance).sum::<Option<f64>>()?;
        let n: u128 = self.counts.iter().map(|&n| u128::from(n)).sum();
        let twice_pairs = n.pow(2) - self.counts.iter().map(|&n| u128::from(n).pow(2)).sum::<u128>();
        Some(sum / (0.5 * twice_pairs as f64).powi(2))
    }

    /// The DeLong variance of the area of a pair; undefined with a single row in a class.
    fn variance_of_pair(&self, low: usize, high: usize) -> Option<f64> {
        let placements = Placements {
            sum: self.squares[high][low].0,
            squares_of_pos: self.squares[high][low].1,
            squares_of_neg: self.squares[low][high].1,
        };
        delong::variance(&placements, self.counts[high], self.counts[low])
    }
}

declaration! {
    /// The mean AUC of ordered classes, the C-index, and the AUC of each pair, with DeLong intervals.
    ///
    /// Words: confidence interval of an ordinal AUC, ordered classes.
    OrdinalRocAucCi => OrdinalRocAucCiRecord {
        /// The class of each row: any dtype except lists. Classes are ordered by their values, for an Enum by its
        /// categories. At most 1000 classes in a group.
        label: column,
        /// Any numeric or Boolean column; higher means a higher class.
        score: column;
        /// Whether to list every pair of classes, as in `ordinal_roc_auc()`.
        pairs: flag = true,
        level = 0.95, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::intervals::roc_auc_ci::tests::NINETY_FIVE as DELONG;
    use crate::statistics::tests::{rows_of, summary};

    const NINETY_FIVE: OrdinalRocAucCi =
        OrdinalRocAucCi { statistic: OrdinalRocAuc { pairs: true }, level: 0.95 };

    fn rows(scores: &[f64], keys: &[u32]) -> Rows {
        let indices = (0..keys.iter().max().map_or(0, |max| max + 1)).collect();
        Rows { key_codes: indices, ..rows_of(&[], &[scores], keys) }
    }

    #[test]
    fn two_classes_have_delongs_interval() {
        let scores = [1.0, 3.0, 3.0, 4.0, 2.0, 3.0, 7.0];
        let keys = [0, 0, 1, 1, 1, 0, 1];
        let record = NINETY_FIVE.evaluate(&rows(&scores, &keys));
        let ci = summary(&DELONG, &keys.map(|key| key as u8), &scores);
        let pair = &record.pairs.as_ref().unwrap()[0];
        assert_eq!((Some(pair.pair.auc), pair.interval), (ci.auc, ci.interval));
        assert_eq!((record.auc, record.concordance.value), (ci.auc, ci.auc));
        assert!((record.interval.se.unwrap() - ci.interval.se.unwrap()).abs() < 1e-15);
        assert!((record.concordance.se.unwrap() - ci.interval.se.unwrap()).abs() < 1e-15);
    }

    /// Components by their definition over all pairs of rows.
    #[test]
    fn three_classes_by_definition() {
        let scores = [4.0, 3.0, 4.0, 5.0, 1.0, 2.0, 3.0, 9.0];
        let keys = [0u32, 1, 1, 2, 2, 0, 1, 2];
        let n = [2.0, 3.0, 3.0];
        let right = |i: usize, j: usize| {
            let (low, high) = if keys[i] < keys[j] { (i, j) } else { (j, i) };
            f64::from(u8::from(scores[high] > scores[low]))
                + 0.5 * f64::from(u8::from(scores[high] == scores[low]))
        };
        let record = NINETY_FIVE.evaluate(&rows(&scores, &keys));
        let weights: [fn(f64, f64) -> f64; 2] = [|_, _| 1.0, |a, b| a * b];
        for (weight, se) in weights.into_iter().zip([record.interval.se, record.concordance.se]) {
            let total = weight(n[0], n[1]) + weight(n[0], n[2]) + weight(n[1], n[2]);
            let mut variance = 0.0;
            for class in 0..3u32 {
                let values: Vec<f64> = (0..8)
                    .filter(|&i| keys[i] == class)
                    .map(|i| {
                        let others = (0..8).filter(|&j| keys[j] != class);
                        let add = |j: usize| {
                            let (a, b) = (n[class as usize], n[keys[j] as usize]);
                            weight(a, b) / total * right(i, j) / b
                        };
                        others.map(add).sum()
                    })
                    .collect();
                let rows = values.len() as f64;
                let mean = values.iter().sum::<f64>() / rows;
                variance +=
                    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (rows - 1.0) / rows;
            }
            assert!((se.unwrap().powi(2) - variance).abs() < 1e-15, "{se:?} {variance}");
        }
    }

    #[test]
    fn undefined() {
        let single = NINETY_FIVE.evaluate(&rows(&[1.0, 2.0, 3.0], &[0, 1, 1]));
        assert_eq!((single.auc, single.interval.se, single.concordance.se), (Some(1.0), None, None));
        assert_eq!(single.pairs.unwrap()[0].interval.se, None);
        let one = NINETY_FIVE.evaluate(&rows(&[1.0, 2.0, 3.0], &[0, 0, 0]));
        assert_eq!((one.auc, one.interval, one.concordance.upper), (None, Interval::default(), None));
        let separate = NINETY_FIVE.evaluate(&rows(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[0, 0, 1, 1, 2, 2]));
        assert_eq!((separate.interval.se, separate.concordance.se), (Some(0.0), Some(0.0)));
        let nan = NINETY_FIVE.nan_record(&rows(&[f64::NAN], &[0]));
        assert!(
            nan.interval.se.unwrap().is_nan()
                && nan.concordance.lower.unwrap().is_nan()
                && nan.pairs.is_none()
        );
    }
}
