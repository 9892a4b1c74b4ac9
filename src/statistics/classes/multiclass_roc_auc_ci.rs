//! The AUC of more than two classes with its standard error and interval.

use rayon::prelude::*;

use super::class_components::{variance_of_area, variance_of_class};
use super::multiclass_roc_auc::{ClassAverage, ClassCounts, ClassPairRecord, ClassRecord, MulticlassRocAuc};
use crate::interrupt;
use crate::ranking::rows::RowPlacements;
use crate::ranking::ties::Placements;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Interval, delong};
use crate::statistics::kinds::{Inputs, Joint, KeyKind, Name, record};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options, Word};
use crate::statistics::rows::Rows;

/// The average area of several classes, and the area of each class or pair, with normal intervals.
///
/// An area of two classes is a mean over the pairs of their rows. The contribution of a row is its placement:
/// the share of the other class's rows that it beats, or that beat it (DeLong, DeLong and Clarke-Pearson
/// 1988). An average of areas is a weighted sum of such means. The component `V` of a row of class a is the
/// sum of its weighted placements in all areas that include the class. Then
/// `se² = sum over classes of S_a² / n_a`, where `S_a²` is the sample variance of the components of class a
/// (Hoeffding 1948 for several samples; Lehmann 1951). The numbers of rows of the classes are taken as fixed,
/// and so are weights derived from them.
///
/// For M of Hand and Till (2001), the component of row i of a is
/// `sum over b of (P(s_a(i) > s_a(j)) + P(s_b(j) > s_b(i))) / (k (k - 1))`, over rows j of b. Ties count
/// half. An area against the rest is `sum over b of n_b / (n - n_a) A(a | b)`, which gives the components of
/// their average. The interval of a single class against the rest is DeLong's, with the rest as one sample.
/// `O(k n log n)` for one class against the rest, `O(k n log n + k² log k)` for pairs.
#[derive(Clone, Debug)]
pub struct MulticlassRocAucCi {
    /// The areas.
    pub statistic: MulticlassRocAuc,
    /// The coverage of all intervals.
    pub level: f64,
}

record! {
    /// A class.
    pub struct ClassIntervalRecord {
        /// The fields of the record without an interval.
        pub class: ClassRecord,
        /// The standard error and confidence limits; null with fewer than two rows in the class or in the rest.
        pub interval: Interval,
    }
}

record! {
    /// A pair of classes.
    pub struct ClassPairIntervalRecord {
        /// The fields of the record without an interval.
        pub pair: ClassPairRecord,
        /// The standard error and confidence limits; null with fewer than two rows in either class.
        pub interval: Interval,
    }
}

record! {
    /// The areas of one group.
    pub struct MulticlassRocAucCiRecord {
        /// The average AUC, 0 to 1, as in `multiclass_roc_auc()`.
        pub auc: Option<f64>,
        /// Its standard error and confidence limits.
        pub interval: Interval,
        /// For each of the `classes`, its name `class` (String), number of rows `n` (UInt64), and `auc`, `se`,
        /// `lower`, `upper` (Float64) against the rest, as in `roc_auc_ci()`.
        pub classes: Option<Vec<ClassIntervalRecord>>,
        /// With `"ovo"`, for each pair of classes, `class_a`, `class_b` (String), the number of rows in both `n`
        /// (UInt64), and `auc`, `se`, `lower`, `upper` (Float64) for the mean of both directions; otherwise null.
        pub pairs: Option<Vec<ClassPairIntervalRecord>>,
        /// - `n_classes`, `n_missing`: the number of classes with rows, and without rows.
        /// - `n`: the number of rows used.
        pub counts: ClassCounts,
    }
}

/// A kind of average that has an interval.
#[derive(Clone, Copy, PartialEq)]
struct IndependentAverage(ClassAverage);

impl Word for IndependentAverage {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("macro", IndependentAverage(ClassAverage::Macro)),
        ("weighted", IndependentAverage(ClassAverage::Weighted)),
    ];
}

impl FromOptions for MulticlassRocAucCi {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        if *options.value("average") == OptionValue::Word(ClassAverage::Micro.word().into()) {
            let reason = "`average=\"micro\"` pools cells of one row, which are not independent";
            return Err(OptionError::new("", reason).hint(
                "write `average=\"macro\"`, or make a row of each cell and write \
                 roc_auc_ci(..., cluster=\"row\")",
            ));
        }
        let average: Option<IndependentAverage> = options.optional_word("average")?;
        let average = average.map_or(ClassAverage::None, |average| average.0);
        Ok(MulticlassRocAucCi {
            statistic: MulticlassRocAuc::parse(options, average)?,
            level: options.level()?,
        })
    }
}

impl Joint for MulticlassRocAucCi {
    type Record = MulticlassRocAucCiRecord;

    const INPUTS: Inputs = MulticlassRocAuc::INPUTS;

    fn passes(&self) -> usize {
        3 * self.statistic.passes()
    }

    fn key_kind(&self) -> KeyKind<'_> {
        self.statistic.key_kind()
    }

    fn evaluate(&self, rows: &Rows) -> MulticlassRocAucCiRecord {
        let areas = self.statistic.evaluate(rows);
        let mut members = vec![Vec::new(); rows.keys.distinct];
        for (row, &class) in (0..).zip(&rows.keys.row_codes) {
            members[class as usize].push(row);
        }
        let classes = Classes {
            rows,
            members,
            by_rows: self.statistic.average == ClassAverage::Weighted,
            components: vec![0.0; rows.len],
            weights: 0.0,
        };
        let is_averaged = areas.auc.is_some();
        let against_rest = classes.clone().against_rest(is_averaged && areas.pairs.is_none());
        let pair_variances = areas.pairs.as_ref().map(|_| classes.pairwise());
        let variance = match &pair_variances {
            None => against_rest.average,
            Some(pair_variances) => pair_variances.average,
        };
        let interval = |auc, variance| Interval::from_area(auc, variance, self.level);
        let index_of = |class: Name| rows.key_codes.binary_search(&class.0).ok();
        let class_records = areas.classes.map(|classes| {
            let classes = classes.into_iter().map(|class| {
                let variance = index_of(class.class).and_then(|index| against_rest.each[index][0]);
                ClassIntervalRecord { interval: interval(class.auc, variance), class }
            });
            classes.collect()
        });
        let pair_records = areas.pairs.zip(pair_variances).map(|(pairs, variances)| {
            let pairs = pairs.into_iter().map(|pair| {
                let indices = index_of(pair.class_a).zip(index_of(pair.class_b));
                let variance = indices.and_then(|(a, b)| variances.each[a][b - a - 1]);
                ClassPairIntervalRecord { interval: interval(pair.auc, variance), pair }
            });
            pairs.collect()
        });
        MulticlassRocAucCiRecord {
            auc: areas.auc,
            interval: interval(areas.auc, variance),
            classes: class_records,
            pairs: pair_records,
            counts: areas.counts,
        }
    }

    fn nan_record(&self, rows: &Rows) -> MulticlassRocAucCiRecord {
        let areas = self.statistic.nan_record(rows);
        MulticlassRocAucCiRecord {
            auc: areas.auc,
            interval: Interval { se: areas.auc, lower: areas.auc, upper: areas.auc },
            classes: None,
            pairs: None,
            counts: areas.counts,
        }
    }
}

/// The classes with rows, and the component of each row.
#[derive(Clone, Debug)]
struct Classes<'a> {
    rows: &'a Rows,
    /// The rows of each class.
    members: Vec<Vec<u32>>,
    /// Whether areas are weighted by their rows.
    by_rows: bool,
    /// The component of each row, summed over the areas so far.
    components: Vec<f64>,
    /// The total weight of the areas so far.
    weights: f64,
}

/// The variances of the average and of each area. For class a these are one area against the rest, or its
/// pairs with later classes.
struct Variances {
    average: Option<f64>,
    each: Vec<Vec<Option<f64>>>,
}

impl Classes<'_> {
    fn n(&self, class: usize) -> f64 {
        self.members[class].len() as f64
    }

    fn weigh(&self, rows: f64) -> f64 {
        if self.by_rows { rows } else { 1.0 }
    }

    /// Each class against the rest.
    fn against_rest(mut self, is_averaged: bool) -> Variances {
        let mut each = Vec::with_capacity(self.members.len());
        for class in 0..self.members.len() {
            interrupt::check();
            let column = &self.rows.scores[self.rows.key_codes[class] as usize];
            let is_class: Vec<bool> =
                self.rows.keys.row_codes.iter().map(|&key| key as usize == class).collect();
            let twice = RowPlacements::new(&column.row_codes, &is_class);
            each.push(vec![variance_of_area(&twice)]);
            if is_averaged {
                self.add_against_rest(class, &is_class, &twice);
            }
        }
        Variances { average: if is_averaged { self.variance() } else { None }, each }
    }

    fn add_against_rest(&mut self, class: usize, is_class: &[bool], twice: &RowPlacements) {
        let (n, others) = (self.n(class), self.rows.len as f64 - self.n(class));
        let weight = self.weigh(n);
        self.weights += weight;
        let (mut class_placements, mut rest_placements) = (twice.pos.iter(), twice.neg.iter());
        // The share of the area that belongs to the class of a row of the rest.
        let shares: Vec<f64> = (0..self.members.len()).map(|class| self.n(class) / others).collect();
        for ((component, &is_class), &class) in
            self.components.iter_mut().zip(is_class).zip(&self.rows.keys.row_codes)
        {
            let placement = |twice: Option<&u32>, rows: f64| f64::from(*twice.unwrap_or(&0)) / (2.0 * rows);
            *component += if is_class {
                weight * placement(class_placements.next(), others)
            } else {
                weight * shares[class as usize] * placement(rest_placements.next(), n)
            };
        }
    }

    /// All pairs of classes.
    fn pairwise(mut self) -> Variances {
        let k = self.members.len();
        let mut each = Vec::with_capacity(k);
        for a in 0..k {
            interrupt::check();
            let pairs: Vec<PairPlacements> = (a + 1..k)
                .into_par_iter()
                .map(|b| PairPlacements::new(self.rows, &self.members, a, b))
                .collect();
            each.push(pairs.iter().map(PairPlacements::variance).collect());
            for (b, pair) in (a + 1..k).zip(pairs) {
                let weight = self.weigh(self.n(a) + self.n(b));
                self.weights += weight;
                for (one, other, fourfold) in [(a, b, pair.a), (b, a, pair.b)] {
                    let scale = 4.0 * self.n(other);
                    for (&row, fourfold) in self.members[one].iter().zip(fourfold) {
                        self.components[row as usize] += weight * (fourfold as f64 / scale);
                    }
                }
            }
        }
        Variances { average: self.variance(), each }
    }

    /// The variance of the average; undefined if a class has a single row.
    fn variance(&self) -> Option<f64> {
        let class_variance = |members: &Vec<u32>| {
            let components =
                members.iter().map(|&row| (self.components[row as usize] / self.weights, 1)).collect();
            variance_of_class(components)
        };
        self.members.iter().map(class_variance).sum()
    }
}

/// For each row of two classes, four times its placement in the other class, as the sum of two doubled
/// placements. One is by the score for one class, the other by the score for the other.
struct PairPlacements {
    a: Vec<u64>,
    b: Vec<u64>,
}

impl PairPlacements {
    fn new(rows: &Rows, members: &[Vec<u32>], a: usize, b: usize) -> Self {
        let both_rows = || members[a].iter().chain(&members[b]);
        let is_a: Vec<bool> =
            (0..members[a].len() + members[b].len()).map(|row| row < members[a].len()).collect();
        let placements = |class: usize, is_class: &[bool]| {
            let column = &rows.scores[rows.key_codes[class] as usize].row_codes;
            let codes: Vec<u32> = both_rows().map(|&row| column[row as usize]).collect();
            RowPlacements::new(&codes, is_class)
        };
        let by_a = placements(a, &is_a);
        let by_b = placements(b, &is_a.iter().map(|is_a| !is_a).collect::<Vec<_>>());
        let both = |one: &[u32], other: &[u32]| -> Vec<u64> {
            one.iter().zip(other).map(|(&one, &other)| u64::from(one) + u64::from(other)).collect()
        };
        PairPlacements { a: both(&by_a.pos, &by_b.neg), b: both(&by_a.neg, &by_b.pos) }
    }

    /// The variance of the mean of both areas; undefined with a single row in a class.
    fn variance(&self) -> Option<f64> {
        let squares = |class_placements: &[u64]| {
            class_placements.iter().map(|&fourfold| u128::from(fourfold).pow(2)).sum()
        };
        let placements = Placements {
            sum: self.a.iter().map(|&fourfold| u128::from(fourfold)).sum(),
            squares_of_pos: squares(&self.a),
            squares_of_neg: squares(&self.b),
        };
        // These placements are twice the doubled placements of one area.
        Some(delong::variance(&placements, self.a.len() as u64, self.b.len() as u64)? / 4.0)
    }
}

declaration! {
    /// The average AUC, and the AUC of each class and pair, with DeLong intervals.
    ///
    /// Words: confidence interval of a multiclass AUC, one-vs-rest interval.
    MulticlassRocAucCi => MulticlassRocAucCiRecord {
        /// The class of each row, such as strings or integers; any dtype except lists.
        label: column,
        /// One numeric column per class, or one List or Array column with a number per class, as in
        /// `multiclass_roc_auc()`.
        probabilities: column;
        /// The class of each column, in order; with `None`, the column names.
        classes: python("Iterable[object]") = None,
        /// - `"ovr"`: each class against the rest, by the column of the class.
        /// - `"ovo"`: each pair of classes, by the columns of both.
        multi_class: word<super::multiclass_roc_auc::MultiClass> = "ovr",
        /// - `"macro"`: the unweighted mean; with `"ovo"` the M of Hand and Till.
        /// - `"weighted"`: the mean weighted by the number of rows of the class, or of both classes of the pair.
        /// - `None`: no average, only the AUCs of the classes or pairs.
        ///
        /// `"micro"` is not supported: the pairs of a row with each class are not independent.
        average: python("Literal[\"macro\", \"weighted\"] | None") = "macro",
        level = 0.95, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::classes::multiclass_roc_auc::MultiClass;
    use crate::statistics::intervals::roc_auc_ci::tests::NINETY_FIVE as DELONG;
    use crate::statistics::tests::{rows_of, summary};

    fn statistic(multi_class: MultiClass, average: ClassAverage) -> MulticlassRocAucCi {
        let classes = ["a", "b", "c"].map(String::from).to_vec();
        MulticlassRocAucCi { statistic: MulticlassRocAuc { classes, multi_class, average }, level: 0.95 }
    }

    /// Three rows of each class, with ties.
    fn sample() -> Rows {
        let scores: [&[f64]; 3] = [
            &[0.7, 0.2, 0.3, 0.1, 0.2, 0.2, 0.4, 0.1],
            &[0.2, 0.4, 0.5, 0.3, 0.1, 0.7, 0.5, 0.2],
            &[0.1, 0.4, 0.2, 0.6, 0.7, 0.1, 0.1, 0.4],
        ];
        Rows { key_codes: vec![0, 1, 2], ..rows_of(&[], &scores, &[0, 0, 1, 2, 2, 1, 1, 0]) }
    }

    #[test]
    fn a_class_against_the_rest_has_delongs_interval() {
        let rows = sample();
        let record = statistic(MultiClass::Ovr, ClassAverage::Macro).evaluate(&rows);
        for (class, one) in record.classes.unwrap().iter().enumerate() {
            let labels: Vec<u8> =
                rows.keys.row_codes.iter().map(|&key| u8::from(key as usize == class)).collect();
            let ci = summary(&DELONG, &labels, &rows.values[class]);
            assert_eq!((one.class.auc, one.interval), (ci.auc, ci.interval));
        }
    }

    /// Components by their definition over all pairs of rows, for both kinds of averages.
    #[test]
    fn averages_by_definition() {
        let rows = sample();
        let key = |row: usize| rows.keys.row_codes[row] as usize;
        let wins = |class: usize, i: usize, j: usize| {
            let (high, low) = (rows.values[class][i], rows.values[class][j]);
            f64::from(u8::from(high > low)) + 0.5 * f64::from(u8::from(high == low))
        };
        let n: Vec<f64> =
            (0..3).map(|class| (0..8).filter(|&row| key(row) == class).count() as f64).collect();
        for (multi_class, average) in [
            (MultiClass::Ovr, ClassAverage::Macro),
            (MultiClass::Ovr, ClassAverage::Weighted),
            (MultiClass::Ovo, ClassAverage::Macro),
            (MultiClass::Ovo, ClassAverage::Weighted),
        ] {
            // The share of one class pair's area in the average.
            let share = |one: usize, other: usize| match (multi_class, average) {
                (MultiClass::Ovr, ClassAverage::Macro) => n[other] / (8.0 - n[one]) / 3.0,
                (MultiClass::Ovr, _) => n[one] / 8.0 * n[other] / (8.0 - n[one]),
                (MultiClass::Ovo, ClassAverage::Macro) => 1.0 / 6.0,
                (MultiClass::Ovo, _) => (n[one] + n[other]) / 16.0 / 2.0,
            };
            let component = |i: usize| -> f64 {
                let others = (0..8).filter(|&j| key(j) != key(i));
                others
                    .map(|j| {
                        let (a, b) = (key(i), key(j));
                        (share(a, b) * wins(a, i, j) + share(b, a) * wins(b, j, i)) / n[b]
                    })
                    .sum()
            };
            let mut variance = 0.0;
            let mut mean = 0.0;
            for (class, &rows_of_class) in n.iter().enumerate() {
                let values: Vec<f64> = (0..8).filter(|&row| key(row) == class).map(component).collect();
                let center = values.iter().sum::<f64>() / rows_of_class;
                mean += center;
                variance += values.iter().map(|value| (value - center).powi(2)).sum::<f64>()
                    / (rows_of_class - 1.0)
                    / rows_of_class;
            }
            let record = statistic(multi_class, average).evaluate(&rows);
            // Every area contributes to the components of both of its classes.
            assert!((record.auc.unwrap() - mean / 2.0).abs() < 1e-15, "{record:?}");
            assert!((record.interval.se.unwrap().powi(2) - variance).abs() < 1e-15, "{record:?} {variance}");
        }
    }

    /// With a score and its negative for two classes, every interval equals the interval of two classes.
    #[test]
    fn two_classes() {
        let scores = [0.7, 0.2, 0.3, 0.1, 0.2, 0.2, 0.4, 0.1];
        let keys = [0, 0, 1, 1, 1, 0, 0, 1];
        let turned = scores.map(|score: f64| -score);
        let rows = Rows { key_codes: vec![0, 2], ..rows_of(&[], &[&scores, &scores, &turned], &keys) };
        let labels = keys.map(|key| u8::from(key == 0));
        let ci = summary(&DELONG, &labels, &scores);
        for multi_class in [MultiClass::Ovr, MultiClass::Ovo] {
            let record = statistic(multi_class, ClassAverage::Macro).evaluate(&rows);
            assert!((record.interval.se.unwrap() - ci.interval.se.unwrap()).abs() < 1e-15);
            assert_eq!(record.counts.n_missing, 1);
            for pair in record.pairs.iter().flatten() {
                let found = pair.pair.class_a == Name(0) && pair.pair.class_b == Name(2);
                assert_eq!(pair.interval.se.is_some(), found);
                assert!(!found || (pair.interval.se.unwrap() - ci.interval.se.unwrap()).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn undefined() {
        let scores: [&[f64]; 3] = [&[0.7, 0.2, 0.3], &[0.2, 0.4, 0.5], &[0.1, 0.4, 0.2]];
        let single = Rows { key_codes: vec![0, 2], ..rows_of(&[], &scores, &[0, 0, 2]) };
        let record = statistic(MultiClass::Ovo, ClassAverage::Macro).evaluate(&single);
        assert_eq!((record.auc, record.interval), (Some(0.5), Interval::default()));
        let separate: [&[f64]; 3] = [&[4.0, 3.0, 2.0, 1.0], &[0.0; 4], &[1.0, 2.0, 3.0, 4.0]];
        let rows = Rows { key_codes: vec![0, 2], ..rows_of(&[], &separate, &[0, 0, 2, 2]) };
        let record = statistic(MultiClass::Ovr, ClassAverage::Weighted).evaluate(&rows);
        assert_eq!((record.auc, record.interval), (Some(1.0), Interval::around(1.0, 0.0, 0.0)));
        let none = statistic(MultiClass::Ovr, ClassAverage::None).evaluate(&rows);
        assert_eq!((none.auc, none.interval), (None, Interval::default()));
        assert_eq!(none.classes.unwrap()[0].interval.se, Some(0.0));
        let empty = statistic(MultiClass::Ovo, ClassAverage::Macro).evaluate(&Rows::default());
        assert_eq!((empty.auc, empty.interval.se, empty.counts.n), (None, None, 0));
        let nan = statistic(MultiClass::Ovr, ClassAverage::Macro).nan_record(&rows);
        assert!(
            nan.interval.se.unwrap().is_nan()
                && nan.interval.upper.unwrap().is_nan()
                && nan.classes.is_none()
        );
    }
}
