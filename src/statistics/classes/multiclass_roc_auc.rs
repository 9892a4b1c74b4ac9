//! The AUC of more than two classes.

use super::class_pairs::{twice_u_of_pairs, twice_u_of_units};
use crate::interrupt;
use crate::math::{mean, quotient};
use crate::ranking::rows::Codes;
use crate::ranking::tasks;
use crate::ranking::ties::{Count, counts::twice_u, unit_of_all};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Inputs, Joint, KeyInput, KeyKind, Name, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options, words};
use crate::statistics::rows::Rows;

/// The average of the areas of each class against the rest, or of each pair of classes, with one score per
/// class.
///
/// Against the rest, the area of class c has its rows as positives and uses the score for c. For a pair,
/// `A(a, b) = (A(a | b) + A(b | a)) / 2`. Here `A(a | b)` is the area of the rows of both classes by the
/// score for a, with class a as positives. The mean over all pairs is the M of Hand and Till (2001). For the
/// micro average, every row has a cell for each class, positive for the class of the row. The area is
/// computed over all cells. Classes without rows have no area and are excluded from averages. A row with a
/// weight counts as that many rows. `O(k n log n + k² log k)` for k classes.
#[derive(Clone, Debug)]
pub struct MulticlassRocAuc {
    /// The class of each score, in order.
    pub classes: Vec<String>,
    /// The areas to average.
    pub multi_class: MultiClass,
    /// The kind of average.
    pub average: ClassAverage,
}

/// The areas to average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MultiClass {
    /// Each class against the rest.
    #[default]
    Ovr,
    /// Each pair of classes.
    Ovo,
}

/// The kind of average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassAverage {
    /// Equal weights.
    #[default]
    Macro,
    /// Weighted by the number of rows of the class, or of both classes.
    Weighted,
    /// One area over all cells.
    Micro,
    /// No average.
    None,
}

record! {
    /// A class.
    pub struct ClassRecord {
        /// The class.
        pub class: Name,
        /// Its rows.
        pub n: u64,
        /// Its AUC against the rest; null with no rows in the class or in the rest.
        pub auc: Option<f64>,
    }
}

record! {
    /// A pair of classes.
    pub struct ClassPairRecord {
        /// The class that comes first.
        pub class_a: Name,
        /// The class that comes second.
        pub class_b: Name,
        /// The rows of both.
        pub n: u64,
        /// The mean of the two AUCs; null with no rows in either class.
        pub auc: Option<f64>,
    }
}

record! {
    /// The classes and rows of one group.
    #[derive(Copy)]
    pub struct ClassCounts {
        /// The number of classes with rows.
        pub n_classes: u64,
        /// The number of classes without rows.
        pub n_missing: u64,
        /// The number of rows used.
        pub n: u64,
    }
}

record! {
    /// The areas of one group.
    pub struct MulticlassRocAucRecord {
        /// The average AUC, 0 to 1.
        pub auc: Option<f64>,
        /// For each of the `classes`, its name `class` (String), number of rows `n` (UInt64), and `auc` (Float64)
        /// against the rest.
        pub classes: Option<Vec<ClassRecord>>,
        /// With `"ovo"`, for each pair of classes, `class_a`, `class_b` (String), the number of rows in both `n`
        /// (UInt64), and the mean `auc` (Float64) of both directions; otherwise null.
        pub pairs: Option<Vec<ClassPairRecord>>,
        /// - `n_classes`, `n_missing`: the number of classes with rows, and without rows.
        /// - `n`: the number of rows used.
        pub counts: ClassCounts,
    }
}

words!(MultiClass { "ovr" => Ovr, "ovo" => Ovo });
words!(ClassAverage { "macro" => Macro, "weighted" => Weighted, "micro" => Micro });

impl FromOptions for MulticlassRocAuc {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let average = options.optional_word("average")?.unwrap_or(ClassAverage::None);
        let areas = MulticlassRocAuc::parse(options, average)?;
        if areas.multi_class == MultiClass::Ovo && average == ClassAverage::Micro {
            return Err(OptionError::new("", "`average=\"micro\"` pools each class against the rest")
                .hint("write `multi_class=\"ovr\"`"));
        }
        Ok(areas)
    }
}

impl MulticlassRocAuc {
    /// The areas with this average.
    pub fn parse(options: &Options, average: ClassAverage) -> Result<Self, OptionError> {
        let multi_class = options.word("multi_class")?;
        let refuse = |reason: String, hint: &str| Err(OptionError::new("classes", reason).hint(hint));
        let text = |class: &OptionValue| match class {
            OptionValue::Word(class) => class.clone(),
            class => class.to_string(),
        };
        let classes: Vec<String> = options.list("classes")?.iter().map(text).collect();
        let (in_order, classes_text) =
            ("write one class for each column, in order", options.value("classes"));
        let columns = options.columns.iter().filter(|role| role.starts_with("probability_")).count();
        if classes.len() < 2 {
            return refuse(format!("must be two or more, got {classes_text}"), in_order);
        }
        if let Some(index) = (1..classes.len()).find(|&index| classes[..index].contains(&classes[index])) {
            let reason = format!("hold '{}' twice, compared as text", classes[index]);
            return refuse(reason, "write each once, as the columns are");
        }
        if classes.len() != columns {
            return refuse(
                format!("are {}, {classes_text}, and columns are {columns}", classes.len()),
                in_order,
            );
        }
        Ok(MulticlassRocAuc { classes, multi_class, average })
    }
}

impl Joint for MulticlassRocAuc {
    type Record = MulticlassRocAucRecord;

    const INPUTS: Inputs = Inputs::scores(None).without_label().keyed(KeyInput::called("label"));

    const WEIGHTS: bool = true;

    fn needs(&self) -> Needs {
        Needs { values: self.average == ClassAverage::Micro, ..Needs::CODES }
    }

    fn passes(&self) -> usize {
        4 * self.classes.len()
    }

    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Among(&self.classes)
    }

    fn evaluate(&self, rows: &Rows) -> MulticlassRocAucRecord {
        let counts = rows.keys.histogram(|_| true);
        // All rows share one unit of weight, because the rest of a class has several classes. For the micro
        // average, a row has a cell for each class.
        let cells = if self.average == ClassAverage::Micro { self.classes.len() } else { 1 };
        let units: Option<Vec<u64>> = rows.weights.as_ref().map(|weights| {
            let unit = unit_of_all(weights, cells);
            weights.iter().map(|&weight| unit.units(weight)).collect()
        });
        let masses = masses(rows, units.as_deref());
        let all: u128 = masses.iter().sum();
        let twice_u = twice_u_of_classes(rows, units.as_deref());
        let index_of = |class: usize| rows.key_codes.binary_search(&(class as u32)).ok();
        let count = |index: Option<usize>| index.map_or(0, |index| u64::from(counts[index]));
        let mass = |index: Option<usize>| index.map_or(0, |index| masses[index]);
        let against_rest = |index: usize| {
            let class_mass = masses[index];
            let others = all - class_mass;
            let other_classes = twice_u[index].iter().enumerate().filter(|other| other.0 != index);
            (class_mass > 0 && others > 0)
                .then(|| quotient(other_classes.map(|other| other.1).sum(), 2 * class_mass * others))
        };
        let k = self.classes.len();
        let class_record = |class: usize| {
            let index = index_of(class);
            ClassRecord::new(Name(class as u32), count(index), index.and_then(against_rest))
        };
        let classes: Vec<ClassRecord> = (0..k).map(class_record).collect();
        let pair_area = |a: usize, b: usize| {
            let pairs = masses[a] * masses[b];
            (pairs > 0).then(|| quotient(twice_u[a][b] + twice_u[b][a], 4 * pairs))
        };
        let pairs: Option<Vec<ClassPairRecord>> = (self.multi_class == MultiClass::Ovo).then(|| {
            let pairs = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b)));
            pairs
                .map(|(a, b)| {
                    let (first, second) = (index_of(a), index_of(b));
                    let auc = first.zip(second).and_then(|(a, b)| pair_area(a, b));
                    let n = count(first) + count(second);
                    ClassPairRecord::new(Name(a as u32), Name(b as u32), n, auc)
                })
                .collect()
        });
        let mass_of = |class: Name| mass(index_of(class.0 as usize));
        let auc = match (&pairs, self.average) {
            (_, ClassAverage::None) => None,
            (_, ClassAverage::Micro) => micro(rows, units.as_deref()),
            (None, _) => self.mean(classes.iter().map(|class| (class.auc, mass_of(class.class)))),
            (Some(pairs), _) => {
                let mass_of = |pair: &ClassPairRecord| mass_of(pair.class_a) + mass_of(pair.class_b);
                self.mean(pairs.iter().map(|pair| (pair.auc, mass_of(pair))))
            }
        };
        MulticlassRocAucRecord::new(auc, Some(classes), pairs, self.counts(rows))
    }

    fn nan_record(&self, rows: &Rows) -> MulticlassRocAucRecord {
        let auc = if self.average == ClassAverage::None { None } else { Some(f64::NAN) };
        MulticlassRocAucRecord::new(auc, None, None, self.counts(rows))
    }
}

impl MulticlassRocAuc {
    fn counts(&self, rows: &Rows) -> ClassCounts {
        let n_classes = rows.keys.distinct as u64;
        ClassCounts::new(n_classes, self.classes.len() as u64 - n_classes, rows.len as u64)
    }

    /// The mean of areas, each with the number of rows of its classes.
    fn mean(&self, areas: impl Iterator<Item = (Option<f64>, u128)>) -> Option<f64> {
        let weight = |mass: u128| if self.average == ClassAverage::Weighted { mass } else { 1 };
        mean::weighted(areas.filter_map(|(auc, mass)| Some((auc?, weight(mass)))).collect())
    }
}

/// The rows of each class, or their units.
fn masses(rows: &Rows, units: Option<&[u64]>) -> Vec<u128> {
    let mut masses = vec![0; rows.keys.distinct];
    for (row, &class) in rows.keys.row_codes.iter().enumerate() {
        masses[class as usize] += units.map_or(1, |units| u128::from(units[row]));
    }
    masses
}

/// For each class with rows: twice the number of pairs in which its rows score higher, by the score for the
/// class.
fn twice_u_of_classes(rows: &Rows, units: Option<&[u64]>) -> Vec<Vec<u128>> {
    let class_sums = |class: u32| {
        interrupt::check();
        let score = &rows.scores[rows.key_codes[class as usize] as usize];
        match units {
            None => {
                let twice_u = twice_u_of_pairs(score, &rows.keys, class..class + 1).swap_remove(0);
                twice_u.into_iter().map(u128::from).collect()
            }
            Some(units) => twice_u_of_units(score, &rows.keys, units, class),
        }
    };
    tasks::par_map(0..rows.keys.distinct, || (), |(), class| class_sums(class as u32))
}

/// The area over all cells; undefined without rows. Cells count as one, or as the units of their row.
fn micro(rows: &Rows, units: Option<&[u64]>) -> Option<f64> {
    let n = rows.len;
    // The values of all columns, concatenated.
    let codes_of_cells = Codes::new(&rows.values.concat());
    let mut counts = vec![Count::default(); codes_of_cells.distinct];
    for (class, codes) in codes_of_cells.row_codes.chunks(n.max(1)).enumerate() {
        for (row, (&code, &key)) in codes.iter().zip(&rows.keys.row_codes).enumerate() {
            let mass = units.map_or(1, |units| units[row]);
            counts[codes_of_cells.descending(code)].add(rows.key_codes[key as usize] as usize == class, mass);
        }
    }
    let Count { pos, neg } = Count::sum(&counts);
    let pairs = u128::from(pos) * u128::from(neg);
    (pairs > 0).then(|| quotient(twice_u(&counts), 2 * pairs))
}

declaration! {
    /// The average AUC of each class against the rest, or of each pair of classes (Hand and Till), from one column
    /// per class or one List column.
    ///
    /// Words: multiclass AUC, one-vs-rest, one-vs-one, OVR, OVO, Hand and Till, macro average.
    MulticlassRocAuc => MulticlassRocAucRecord {
        /// The class of each row, such as strings or integers; any dtype except lists.
        label: column,
        /// One numeric column per class, in which higher values mean that the class is more likely; or one List or
        /// Array column with a number per class, which requires `classes`. The numbers need not sum to 1.
        probabilities: column;
        /// The class of each column, in order; with `None`, the column names. Classes and labels are compared as
        /// text, after a cast to String: `1` matches the label 1 and the label `"1"`. Every label must be one of the
        /// classes.
        classes: python("Iterable[object]") = None,
        /// - `"ovr"`: each class against the rest, by the column of the class.
        /// - `"ovo"`: each pair of classes, by the columns of both.
        multi_class: word<MultiClass> = "ovr",
        /// - `"macro"`: the unweighted mean.
        /// - `"weighted"`: the mean weighted by the number of rows (with `weight`, the sum of their weights) of the
        ///   class, or of both classes of the pair.
        /// - `"micro"`: one AUC over all pairs of a row and a class. Each row is a positive for its class and a
        ///   negative for every other class. Only with `"ovr"`.
        /// - `None`: no average, only the AUCs of the classes or pairs.
        average: python("Literal[\"macro\", \"weighted\", \"micro\"] | None") = "macro",
        /// A weight acts as a number of identical rows.
        weight = None, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;

    fn statistic(multi_class: MultiClass, average: ClassAverage) -> MulticlassRocAuc {
        MulticlassRocAuc { classes: ["a", "b", "c"].map(String::from).to_vec(), multi_class, average }
    }

    /// Two rows of a, one of b and two of c.
    fn sample() -> Rows {
        let scores: [&[f64]; 3] =
            [&[0.7, 0.2, 0.3, 0.1, 0.2], &[0.2, 0.4, 0.5, 0.3, 0.1], &[0.1, 0.4, 0.2, 0.6, 0.7]];
        Rows { key_codes: vec![0, 1, 2], ..rows_of(&[], &scores, &[0, 0, 1, 2, 2]) }
    }

    fn areas(record: &MulticlassRocAucRecord) -> Vec<Option<f64>> {
        record.classes.as_ref().unwrap().iter().map(|class| class.auc).collect()
    }

    #[test]
    fn against_the_rest() {
        let record = statistic(MultiClass::Ovr, ClassAverage::Macro).evaluate(&sample());
        // a: 0.7 beats all three; 0.2 loses, wins and ties. b beats all. c beats all.
        assert_eq!(areas(&record), [Some(4.5 / 6.0), Some(1.0), Some(1.0)]);
        assert!((record.auc.unwrap() - 2.75 / 3.0).abs() < 1e-15);
        assert_eq!((record.counts, record.pairs), (ClassCounts::new(3, 0, 5), None));
        let weighted = statistic(MultiClass::Ovr, ClassAverage::Weighted).evaluate(&sample());
        assert!((weighted.auc.unwrap() - (2.0 * 0.75 + 1.0 + 2.0) / 5.0).abs() < 1e-15);
        assert_eq!(statistic(MultiClass::Ovr, ClassAverage::None).evaluate(&sample()).auc, None);
    }

    #[test]
    fn pairs_of_classes() {
        let record = statistic(MultiClass::Ovo, ClassAverage::Macro).evaluate(&sample());
        let pairs: Vec<(u64, Option<f64>)> =
            record.pairs.as_ref().unwrap().iter().map(|pair| (pair.n, pair.auc)).collect();
        // A(a | b) = 1/2 and A(b | a) = 1; A(a | c) = 3.5/4 and A(c | a) = 1; both scores separate b and c.
        assert_eq!(pairs, [(3, Some(0.75)), (4, Some(0.9375)), (3, Some(1.0))]);
        assert!((record.auc.unwrap() - 2.6875 / 3.0).abs() < 1e-15);
        let weighted = statistic(MultiClass::Ovo, ClassAverage::Weighted).evaluate(&sample());
        assert!((weighted.auc.unwrap() - (3.0 * 0.75 + 4.0 * 0.9375 + 3.0) / 10.0).abs() < 1e-15);
    }

    #[test]
    fn cells() {
        let rows = sample();
        let mut twice = 0.0;
        let row_classes = [0, 0, 1, 2, 2];
        for (pos, &class) in row_classes.iter().enumerate() {
            for (neg, &not) in row_classes.iter().enumerate() {
                for other in (0..3).filter(|&other| other != not) {
                    let (high, low) = (rows.values[class][pos], rows.values[other][neg]);
                    twice += if high > low { 2.0 } else { f64::from(u8::from(high == low)) };
                }
            }
        }
        let record = statistic(MultiClass::Ovr, ClassAverage::Micro).evaluate(&rows);
        assert_eq!(record.auc, Some(twice / 100.0));
    }

    #[test]
    fn absent_classes() {
        let scores: [&[f64]; 3] = [&[0.7, 0.2, 0.3], &[0.2, 0.4, 0.5], &[0.1, 0.4, 0.2]];
        let two = Rows { key_codes: vec![0, 2], ..rows_of(&[], &scores, &[0, 0, 2]) };
        let record = statistic(MultiClass::Ovo, ClassAverage::Macro).evaluate(&two);
        assert_eq!(areas(&record), [Some(0.5), None, Some(0.5)]);
        assert_eq!((record.auc, record.counts), (Some(0.5), ClassCounts::new(2, 1, 3)));
        let one = Rows { key_codes: vec![1], ..rows_of(&[], &scores, &[1, 1, 1]) };
        let record = statistic(MultiClass::Ovr, ClassAverage::Weighted).evaluate(&one);
        assert_eq!((record.auc, areas(&record), record.counts.n_missing), (None, vec![None; 3], 2));
        let none = statistic(MultiClass::Ovr, ClassAverage::Micro).evaluate(&Rows::default());
        assert_eq!((none.auc, none.counts), (None, ClassCounts::new(0, 3, 0)));
    }

    #[test]
    fn weights() {
        let plain = sample();
        let weights = vec![3.0, 0.5, 2.0, 1.0, 0.5];
        let weighted = Rows { weights: Some(weights.clone()), ..plain.clone() };
        // Twice the weights are integers, which correspond to repeated rows.
        let repeated: Vec<u32> =
            (0..5).flat_map(|row: u32| vec![row; (2.0 * weights[row as usize]) as usize]).collect();
        let repeat = |values: &Vec<f64>| repeated.iter().map(|&row| values[row as usize]).collect();
        let repeated = Rows {
            len: repeated.len(),
            scores: plain.scores.iter().map(|codes| codes.select(&repeated)).collect(),
            values: plain.values.iter().map(repeat).collect(),
            keys: plain.keys.select(&repeated),
            ..plain.clone()
        };
        for (multi_class, average) in [
            (MultiClass::Ovr, ClassAverage::Macro),
            (MultiClass::Ovr, ClassAverage::Weighted),
            (MultiClass::Ovr, ClassAverage::Micro),
            (MultiClass::Ovo, ClassAverage::Weighted),
        ] {
            let (got, expected) = (
                statistic(multi_class, average).evaluate(&weighted),
                statistic(multi_class, average).evaluate(&repeated),
            );
            assert_eq!((got.auc, areas(&got), got.counts.n), (expected.auc, areas(&expected), 5));
            let pairs = |record: MulticlassRocAucRecord| -> Vec<Option<f64>> {
                record.pairs.into_iter().flatten().map(|pair| pair.auc).collect()
            };
            assert_eq!(pairs(got), pairs(expected));
        }
        // A class of negligible weight has no area.
        let heavy = Rows { weights: Some(vec![1.0, 1.0, 1e-300, 1.0, 1.0]), ..sample() };
        let record = statistic(MultiClass::Ovo, ClassAverage::Macro).evaluate(&heavy);
        assert_eq!((areas(&record)[1], record.counts.n_classes), (None, 3));
    }
}
