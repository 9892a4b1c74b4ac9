//! The area under the ROC curve if some rows have no label yet.

use crate::interrupt;
use crate::math;
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::Area;
use crate::statistics::kinds::{Inputs, Joint, KeyInput, KeyKind, Needs, record};
use crate::statistics::options::{from_options, words};
use crate::statistics::rows::Rows;

/// The bounds of the area over all possible missing labels, and its expectation if scores are calibrated
/// probabilities.
///
/// Consider all assignments with a fixed number of new positives. The highest scores give the maximum area
/// and the lowest scores the minimum: each new positive then beats as many rows as possible, or as few. For u
/// unlabelled rows, the bounds are thus the maximum and the minimum over u + 1 areas.
///
/// For calibrated scores, each unlabelled row counts as a positive with its score as the weight, and as a
/// negative with the rest. It is not paired with itself. This is the model-based concordance of van Klaveren,
/// Gönen, Steyerberg and Vergouwe (2016), for the rows without a label. The correction shifts the logits of
/// all scores by one number, so that the scores of the labelled rows sum to their positives. It is the update
/// of the intercept of Steyerberg et al. (2004). `O(n log n)`.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnlabelledRocAuc {
    /// The assumption about the scores, if any.
    pub assume: Option<Assumption>,
}

/// Assumptions about scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// Among rows with a score, the share of positives equals the score.
    Calibrated,
}

words!(Assumption { "calibrated" => Calibrated });

from_options!(|options| UnlabelledRocAuc { assume: options.optional_word("assume")? });

record! {
    /// The areas of one group.
    pub struct UnlabelledRocAucRecord {
        /// The AUC of the labelled rows, as in `roc_auc()`.
        pub auc: Option<f64>,
        /// The smallest AUC of all rows over all possible labels of the unlabelled rows; null if no labels give an
        /// AUC.
        pub lower: Option<f64>,
        /// The largest AUC over all possible labels.
        pub upper: Option<f64>,
        /// With `assume`, the expected number of concordant pairs divided by the expected number of pairs of all
        /// rows, 0 to 1; otherwise null.
        pub expected_auc: Option<f64>,
        /// The same after all logits are shifted by one constant, so that the scores of the labelled rows sum to the
        /// number of labelled positives. Null if no constant does so, as with no labelled positives or no labelled
        /// negatives.
        pub corrected_auc: Option<f64>,
        /// The numbers of labelled positives and negatives.
        pub rows: Count,
        /// The number of rows with a score and no label.
        pub n_unlabelled: u64,
    }
}

/// The rows of one score.
#[derive(Clone, Copy, Default)]
struct Part {
    labelled: Count,
    unlabelled: u64,
    /// The score, if needed.
    score: f64,
}

impl Joint for UnlabelledRocAuc {
    type Record = UnlabelledRocAucRecord;

    /// The key marks the labelled rows. The labels of other rows are arbitrary.
    const INPUTS: Inputs = Inputs::scores(Some(1)).keyed(KeyInput::called("labelled"));

    fn needs(&self) -> Needs {
        Needs { codes: true, values: self.assume.is_some(), unlabelled: true, ..Needs::default() }
    }

    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Truth
    }

    fn evaluate(&self, rows: &Rows) -> UnlabelledRocAucRecord {
        let mut parts = parts(rows);
        let area = Area::new(&parts.iter().map(|part| part.labelled).collect::<Vec<_>>());
        let counts = counts(rows);
        let (expected_auc, corrected_auc) = match self.assume {
            None => (None, None),
            Some(Assumption::Calibrated) if parts.iter().any(|part| !(0.0..=1.0).contains(&part.score)) => {
                (Some(f64::NAN), Some(f64::NAN))
            }
            Some(Assumption::Calibrated) => {
                (expected(&parts, 0.0), shift(&parts).and_then(|shift| expected(&parts, shift)))
            }
        };
        let upper = largest(&parts).map(|(twice_u, pairs)| math::quotient(twice_u, 2 * pairs));
        parts.reverse();
        let lower = largest(&parts).map(|(twice_u, pairs)| math::quotient(2 * pairs - twice_u, 2 * pairs));
        UnlabelledRocAucRecord {
            auc: area.map(|area| area.auc),
            lower,
            upper,
            expected_auc,
            corrected_auc,
            ..counts
        }
    }

    fn nan_record(&self, rows: &Rows) -> UnlabelledRocAucRecord {
        let UnlabelledRocAucRecord { rows: labelled, n_unlabelled, .. } = counts(rows);
        let assumed = self.assume.map(|_| f64::NAN);
        let areas = UnlabelledRocAucRecord::nan(rows);
        UnlabelledRocAucRecord {
            expected_auc: assumed,
            corrected_auc: assumed,
            rows: labelled,
            n_unlabelled,
            ..areas
        }
    }
}

/// Only the counts of rows.
fn counts(rows: &Rows) -> UnlabelledRocAucRecord {
    let mut record = UnlabelledRocAucRecord::undefined(Count::default());
    for (is_labelled, &label) in are_labelled(rows).zip(&rows.labels) {
        if is_labelled { record.rows.add(label, 1) } else { record.n_unlabelled += 1 }
    }
    record
}

fn are_labelled(rows: &Rows) -> impl Iterator<Item = bool> {
    rows.keys.row_codes.iter().map(|&key| rows.key_codes[key as usize] == 1)
}

/// The rows of each score, highest first.
fn parts(rows: &Rows) -> Vec<Part> {
    let codes = &rows.scores[0];
    let mut parts = vec![Part::default(); codes.distinct];
    let values = rows.values.first();
    for (row, (is_labelled, &label)) in are_labelled(rows).zip(&rows.labels).enumerate() {
        let part = &mut parts[codes.descending(codes.row_codes[row])];
        if is_labelled {
            part.labelled.add(label, 1)
        } else {
            part.unlabelled += 1
        }
        part.score = values.map_or(0.0, |values| values[row]);
    }
    parts
}

/// Twice the concordant pairs, ties counting once, and all pairs, at the maximum of their quotient over all
/// assignments of labels. Parts are ordered from the one that beats all others downwards.
fn largest(parts: &[Part]) -> Option<(u128, u128)> {
    let labelled = Count::sum(&parts.iter().map(|part| part.labelled).collect::<Vec<_>>());
    let unlabelled: u64 = parts.iter().map(|part| part.unlabelled).sum();
    // First all unlabelled rows are negative.
    let (mut pos, mut neg) = (labelled.pos, labelled.neg + unlabelled);
    let (mut twice_u, mut above) = (0u128, 0u64);
    for part in parts {
        let beaten_by = 2 * above + part.labelled.pos;
        twice_u += u128::from(part.labelled.neg + part.unlabelled) * u128::from(beaten_by);
        above += part.labelled.pos;
    }
    let mut best: Option<(f64, u128, u128)> = None;
    let mut look = |twice_u: u128, pos: u64, neg: u64| {
        let pairs = u128::from(pos) * u128::from(neg);
        if pairs > 0 {
            let area = math::quotient(twice_u, 2 * pairs);
            if best.is_none_or(|best| area > best.0) {
                best = Some((area, twice_u, pairs));
            }
        }
    };
    look(twice_u, pos, neg);
    // Then they become positive one at a time, from the first part on.
    let (mut pos_above, mut neg_below) = (0u64, neg);
    for part in parts {
        interrupt::check();
        neg_below -= part.labelled.neg + part.unlabelled;
        for turned in 0..part.unlabelled {
            let as_negative = 2 * pos_above + part.labelled.pos + turned;
            let others_below = part.labelled.neg + part.unlabelled - turned - 1;
            twice_u = twice_u + u128::from(2 * neg_below + others_below) - u128::from(as_negative);
            (pos, neg) = (pos + 1, neg - 1);
            look(twice_u, pos, neg);
        }
        pos_above += part.labelled.pos + part.unlabelled;
    }
    best.map(|best| (best.1, best.2))
}

/// A probability with a shifted logit, and its complement, both with full relative precision.
fn moved(probability: f64, shift: f64) -> (f64, f64) {
    if shift == 0.0 {
        return (probability, 1.0 - probability);
    }
    let logit = (probability / (1.0 - probability)).ln() + shift;
    (1.0 / (1.0 + (-logit).exp()), 1.0 / (1.0 + logit.exp()))
}

/// The expected area: expected concordant pairs divided by expected pairs. Parts are ordered from the highest
/// score down.
fn expected(parts: &[Part], shift: f64) -> Option<f64> {
    let (mut pos, mut neg, mut twice_u, mut self_pairs) = (0.0, 0.0, 0.0, 0.0);
    for part in parts {
        let ((probability, complement), unlabelled) = (moved(part.score, shift), part.unlabelled as f64);
        let pos_here = part.labelled.pos as f64 + unlabelled * probability;
        let neg_here = part.labelled.neg as f64 + unlabelled * complement;
        twice_u += neg_here * (2.0 * pos + pos_here);
        self_pairs += unlabelled * probability * complement;
        pos += pos_here;
        neg += neg_here;
    }
    // A row paired with itself contributes half a concordant pair and one pair.
    let pairs = pos * neg - self_pairs;
    (pairs > 0.0).then(|| ((twice_u - self_pairs) / (2.0 * pairs)).clamp(0.0, 1.0))
}

/// The shift of all logits such that the scores of the labelled rows sum to the labelled positives; `None` if
/// there is none.
///
/// The complements of the positives' scores then sum to the sum of the negatives' scores. Neither sum
/// cancels, even if scores separate the classes and all terms are near 0. The logarithm of their quotient
/// increases with the shift, and is nearly linear far from the root.
fn shift(parts: &[Part]) -> Option<f64> {
    let n_pos: u64 = parts.iter().map(|part| part.labelled.pos).sum();
    let (surely, possibly) = parts.iter().fold((0, 0), |(surely, possibly), part| {
        let rows = part.labelled.rows();
        (
            surely + if part.score >= 1.0 { rows } else { 0 },
            possibly + if part.score > 0.0 { rows } else { 0 },
        )
    });
    if n_pos <= surely || n_pos >= possibly {
        return None;
    }
    // The logits of floats lie between -745 and 745. Newton's method, with bisection if a step leaves the
    // range.
    let (mut low, mut high, mut shift) = (-1500.0, 1500.0, 0.0);
    for _ in 0..MAX_STEPS {
        interrupt::check();
        let (mut pos_sum, mut neg_sum) = (0.0, 0.0);
        let (mut slope_of_pos, mut slope_of_neg) = (0.0, 0.0);
        for part in parts {
            let (pos, neg) = (part.labelled.pos as f64, part.labelled.neg as f64);
            let (probability, complement) = moved(part.score, shift);
            pos_sum += pos * complement;
            neg_sum += neg * probability;
            slope_of_pos += pos * complement * probability;
            slope_of_neg += neg * complement * probability;
        }
        if neg_sum == pos_sum {
            break;
        }
        (low, high) = if neg_sum > pos_sum { (low, shift) } else { (shift, high) };
        let next = shift - (neg_sum / pos_sum).ln() / (slope_of_neg / neg_sum + slope_of_pos / pos_sum);
        let next = if next > low && next < high { next } else { f64::midpoint(low, high) };
        if (next - shift).abs() <= NEAR * (1.0 + shift.abs()) {
            return Some(next);
        }
        shift = next;
    }
    Some(shift)
}

/// After this number of steps, bisection alone has exhausted the range of floats.
const MAX_STEPS: usize = 200;

/// A step that changes no area beyond rounding.
const NEAR: f64 = 1e-14;

declaration! {
    /// The bounds and the expected value of the AUC while some labels are unknown.
    ///
    /// Words: late labels, delayed labels, missing outcomes, immature vintages, verification bias, model-based concordance.
    UnlabelledRocAuc => UnlabelledRocAucRecord {
        /// Null means unknown.
        label,
        score;
        /// `None` makes no assumption. `"calibrated"` assumes that scores are probabilities: of the rows with a given
        /// score, labelled or not, this share is positive.
        assume: word<Assumption> = None,
        count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::tests::rows_of;
    use proptest::prelude::*;

    fn rows(rows: &[(Option<bool>, f64)]) -> Rows {
        let labels: Vec<u8> = rows.iter().map(|row| u8::from(row.0 == Some(true))).collect();
        let scores: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let keys: Vec<u32> = rows.iter().map(|row| u32::from(row.0.is_some())).collect();
        // Codes of keys count only existing keys.
        let key_codes = [0, 1].into_iter().filter(|key| keys.contains(key)).collect();
        Rows { key_codes, values: vec![scores.clone()], ..rows_of(&labels, &[&scores], &keys) }
    }

    /// One half for a tie.
    fn beats(one: f64, other: f64) -> f64 {
        f64::from(u8::from(one > other)) / 2.0 + f64::from(u8::from(one >= other)) / 2.0
    }

    proptest! {
        /// Compares with all assignments of labels, and with the sum over all pairs of rows.
        #[test]
        fn by_definition(sample in prop::collection::vec((prop::option::weighted(0.6, any::<bool>()), 0u8..6), 0..9)) {
            let sample: Vec<(Option<bool>, f64)> = sample.into_iter().map(|row| (row.0, f64::from(row.1) / 5.0)).collect();
            let record = UnlabelledRocAuc { assume: Some(Assumption::Calibrated) }.evaluate(&rows(&sample));
            let unlabelled: Vec<usize> = (0..sample.len()).filter(|&row| sample[row].0.is_none()).collect();
            let mut areas = Vec::new();
            for way in 0..1u32 << unlabelled.len() {
                let mut labels: Vec<bool> = sample.iter().map(|row| row.0 == Some(true)).collect();
                for (index, &row) in unlabelled.iter().enumerate() {
                    labels[row] = way >> index & 1 == 1;
                }
                let class_rows = |label| (0..sample.len()).filter(|&row| labels[row] == label).collect::<Vec<_>>();
                let (pos, neg) = (class_rows(true), class_rows(false));
                if !pos.is_empty() && !neg.is_empty() {
                    let u: f64 = pos.iter().flat_map(|&p| neg.iter().map(move |&n| (p, n))).map(|(p, n)| beats(sample[p].1, sample[n].1)).sum();
                    areas.push(u / (pos.len() * neg.len()) as f64);
                }
            }
            let extreme = |f: fn(f64, f64) -> f64| areas.iter().copied().reduce(f);
            prop_assert_eq!((record.lower, record.upper), (extreme(f64::min), extreme(f64::max)));
            let chance = |row: (Option<bool>, f64)| row.0.map_or(row.1, |label| f64::from(u8::from(label)));
            let (mut u, mut pairs) = (0.0, 0.0);
            for (i, &one) in sample.iter().enumerate() {
                for (j, &other) in sample.iter().enumerate() {
                    if i != j {
                        let both = chance(one) * (1.0 - chance(other));
                        u += both * beats(one.1, other.1);
                        pairs += both;
                    }
                }
            }
            match record.expected_auc {
                None => prop_assert!(pairs < 1e-12),
                Some(expected) => prop_assert!((expected - u / pairs).abs() < 1e-12),
            }
        }
    }

    #[test]
    fn overconfident_scores() {
        // Of four labelled rows with 0.8 two are positive: all logits shift by -ln 4.
        let sample: Vec<(Option<bool>, f64)> = [
            (Some(true), 0.8),
            (Some(false), 0.8),
            (Some(true), 0.8),
            (Some(false), 0.8),
            (None, 0.8),
            (None, 0.5),
        ]
        .into();
        let record = UnlabelledRocAuc { assume: Some(Assumption::Calibrated) }.evaluate(&rows(&sample));
        let parts = [
            Part { labelled: Count { pos: 2, neg: 2 }, unlabelled: 1, score: 0.5 },
            Part { unlabelled: 1, score: 0.2, ..Part::default() },
        ];
        let expected = expected(&parts, 0.0).unwrap();
        assert!((record.corrected_auc.unwrap() - expected).abs() < 1e-12);
        assert!(shift(&[Part { labelled: Count { pos: 1, neg: 0 }, unlabelled: 1, score: 0.3 }]).is_none());
    }

    #[test]
    fn scores_far_from_the_labels() {
        let part = |pos, neg, score| Part { labelled: Count { pos, neg }, unlabelled: 1, score };
        let parts = [part(999, 1, 1e-300), part(1, 0, 1e-301)];
        let shift = shift(&parts).unwrap();
        let sum: f64 = parts
            .iter()
            .map(|part| moved(part.score, shift).0 * (part.labelled.pos + part.labelled.neg) as f64)
            .sum();
        assert!((sum - 1000.0).abs() < 1e-6, "{shift} {sum}");
    }

    /// The root and the area from 60-digit arithmetic.
    #[test]
    fn extreme_scores_that_separate_the_classes() {
        let sample = [
            (Some(true), 1.0 - 1e-13),
            (Some(false), 1e-20),
            (Some(false), 1e-20),
            (None, 0.01),
            (None, 0.5),
            (None, 0.001),
        ];
        let record = UnlabelledRocAuc { assume: Some(Assumption::Calibrated) }.evaluate(&rows(&sample));
        assert!((record.corrected_auc.unwrap() - 0.996_391_800_173_101_6).abs() < 1e-12, "{record:?}");
    }

    #[test]
    fn scores_that_are_no_probabilities() {
        let rows = rows(&[(Some(true), 2.0), (None, 0.5), (Some(false), 0.1)]);
        let record = UnlabelledRocAuc { assume: Some(Assumption::Calibrated) }.evaluate(&rows);
        assert!(record.expected_auc.unwrap().is_nan() && record.corrected_auc.unwrap().is_nan());
        assert_eq!(
            (record.auc, record.lower, record.upper, record.n_unlabelled),
            (Some(1.0), Some(1.0), Some(1.0), 1)
        );
        let alone = UnlabelledRocAuc::default().evaluate(&rows);
        assert_eq!((alone.expected_auc, alone.corrected_auc), (None, None));
        let nan = UnlabelledRocAuc::default().nan_record(&rows);
        assert!(nan.upper.unwrap().is_nan() && nan.expected_auc.is_none());
        assert_eq!((nan.rows.pos, nan.rows.neg, nan.n_unlabelled), (1, 1, 1));
    }
}
