//! Counts and rates of predicting rows positive from a score on.

use crate::math;
use crate::ranking::ties::{Ties, Units};
use crate::statistics::kinds::{Mass, Threshold, record};

record! {
    /// The four counts at a threshold, in a record.
    pub struct Calls {
        /// A row is predicted positive if `score >= threshold`; null if no value is that high.
        pub threshold: Option<Threshold>,
        /// True positives.
        pub tp: Option<Mass>,
        /// False positives.
        pub fp: Option<Mass>,
        /// True negatives.
        pub tn: Option<Mass>,
        /// False negatives.
        pub r#fn: Option<Mass>,
    }
}

/// The numbers of positives and of negatives predicted positive, and of all positives and negatives.
#[derive(Clone, Copy, Debug)]
pub struct Confusion {
    /// Positives predicted positive; with weights, their units.
    pub tp: u64,
    /// Negatives predicted positive.
    pub fp: u64,
    /// All positives.
    pub n_pos: u64,
    /// All negatives.
    pub n_neg: u64,
    /// The units of these numbers, if rows have weights.
    pub units: Option<Units>,
}

/// The weights of the four kinds of rows.
#[derive(Clone, Copy, Debug)]
struct ConfusionWeights {
    tp: f64,
    fp: f64,
    tn: f64,
    fn_: f64,
}

impl Confusion {
    /// No rows predicted positive.
    pub fn all_negative(ties: &Ties<'_>) -> Self {
        Confusion { tp: 0, fp: 0, n_pos: ties.n_pos(), n_neg: ties.n_neg(), units: ties.units() }
    }

    /// The same with these numbers of either class predicted positive.
    pub fn with(self, tp: u64, fp: u64) -> Self {
        Confusion { tp, fp, ..self }
    }

    /// Shifts out the low bits that are zero in every sum of weights: integer weights become small numbers
    /// again.
    pub fn without_empty_bits(&self) -> Self {
        let Some(Units { pos_bits, neg_bits, .. }) = self.units else { return *self };
        let (tp, n_pos) = (self.tp >> pos_bits, self.n_pos >> pos_bits);
        Confusion { tp, n_pos, fp: self.fp >> neg_bits, n_neg: self.n_neg >> neg_bits, ..*self }
    }

    /// True positives, false positives, true negatives and false negatives.
    pub fn masses(&self) -> [Mass; 4] {
        let (pos, neg) = (self.units.map(|units| units.pos), self.units.map(|units| units.neg));
        [
            Mass::new(self.tp, pos),
            Mass::new(self.fp, neg),
            Mass::new(self.n_neg - self.fp, neg),
            Mass::new(self.n_pos - self.tp, pos),
        ]
    }

    /// The counts with their threshold.
    pub fn at(&self, threshold: Option<Threshold>) -> Calls {
        let [tp, fp, tn, fn_] = self.masses().map(Some);
        Calls::new(threshold, tp, fp, tn, fn_)
    }

    /// Rows predicted positive.
    pub fn called(&self) -> Mass {
        let ConfusionWeights { tp, fp, .. } = self.weights();
        Mass(if self.units.is_some() { (tp + fp).to_bits() } else { self.tp + self.fp })
    }

    /// The number of rows predicted positive, or their weight.
    pub fn rows_called(&self) -> f64 {
        let ConfusionWeights { tp, fp, .. } = self.weights();
        tp + fp
    }

    /// Positives predicted positive, divided by all positives; undefined without positives.
    pub fn tpr(&self) -> Option<f64> {
        (self.n_pos > 0).then(|| math::quotient(self.tp.into(), self.n_pos.into()))
    }

    /// Negatives predicted positive, divided by all negatives; undefined without negatives.
    pub fn fpr(&self) -> Option<f64> {
        (self.n_neg > 0).then(|| math::quotient(self.fp.into(), self.n_neg.into()))
    }

    /// The share of positives among the rows predicted positive; undefined if there are none.
    pub fn precision(&self) -> Option<f64> {
        let ConfusionWeights { tp, fp, .. } = self.weights();
        share(tp, tp + fp)
    }

    /// The precision divided by the share of positives among all rows; undefined if no rows are called
    /// positive or without positives.
    pub fn lift(&self) -> Option<f64> {
        match self.units {
            None => {
                let (called, all) = (self.tp + self.fp, self.n_pos + self.n_neg);
                (called > 0 && self.n_pos > 0).then(|| {
                    let part = u128::from(self.tp) * u128::from(all);
                    math::quotient(part, u128::from(called) * u128::from(self.n_pos))
                })
            }
            Some(_) => {
                let ConfusionWeights { tp, fp, tn, fn_ } = self.weights();
                share(tp * (tp + fp + tn + fn_), (tp + fp) * (tp + fn_))
            }
        }
    }

    /// The share of negatives among the rows predicted negative; undefined if there are none.
    pub fn npv(&self) -> Option<f64> {
        let ConfusionWeights { tn, fn_, .. } = self.weights();
        share(tn, tn + fn_)
    }

    /// The positive likelihood ratio `tpr / fpr`; undefined if no negative is predicted positive.
    pub fn positive_likelihood(&self) -> Option<f64> {
        share(self.tpr()?, self.fpr()?)
    }

    /// Positives predicted negative, divided by all positives; undefined without positives.
    pub fn fnr(&self) -> Option<f64> {
        Confusion { tp: self.n_pos - self.tp, ..*self }.tpr()
    }

    /// The negative likelihood ratio `(1 - tpr) / (1 - fpr)`; undefined if no negative is predicted negative.
    pub fn negative_likelihood(&self) -> Option<f64> {
        share(self.fnr()?, Confusion { fp: self.n_neg - self.fp, ..*self }.fpr()?)
    }

    /// The odds of being predicted positive for positives, divided by the odds for negatives. Undefined if
    /// either is infinite, or if no negative is predicted positive.
    pub fn odds_ratio(&self) -> Option<f64> {
        let ConfusionWeights { tp, fp, tn, fn_ } = self.shares();
        (self.n_pos > 0 && self.n_neg > 0).then(|| share(tp * tn, fp * fn_)).flatten()
    }

    /// The share of correct calls; undefined without rows.
    pub fn accuracy(&self) -> Option<f64> {
        let ConfusionWeights { tp, fp, tn, fn_ } = self.weights();
        share(tp + tn, tp + fp + tn + fn_)
    }

    /// The share of wrong calls; undefined without rows.
    pub fn error(&self) -> Option<f64> {
        let ConfusionWeights { tp, fp, tn, fn_ } = self.weights();
        share(fp + fn_, tp + fp + tn + fn_)
    }

    /// The mean of the true positive and the true negative rate; undefined if a class is missing.
    pub fn balanced_accuracy(&self) -> Option<f64> {
        let (tpr, fpr) = (self.tpr()?, self.fpr()?);
        Some(0.5 * (tpr + (1.0 - fpr)))
    }

    /// The harmonic mean of precision and recall with weight `beta²` of recall (van Rijsbergen 1979);
    /// undefined without positives.
    pub fn f(&self, beta: f64) -> Option<f64> {
        let ConfusionWeights { tp, fp, fn_, .. } = self.weights();
        let square = beta * beta;
        let hits = (1.0 + square) * tp;
        if self.n_pos == 0 { None } else { share(hits, hits + square * fn_ + fp) }
    }

    /// The correlation of labels and calls (Matthews 1975); undefined if either is constant.
    pub fn mcc(&self) -> Option<f64> {
        let ConfusionWeights { tp, fp, tn, fn_ } = self.shares();
        let product = (tp + fp) * (tp + fn_) * (tn + fp) * (tn + fn_);
        (product > 0.0).then(|| (tp * tn - fp * fn_) / product.sqrt())
    }

    /// The agreement beyond chance (Cohen 1960); undefined if chance alone always agrees.
    pub fn kappa(&self) -> Option<f64> {
        let ConfusionWeights { tp, fp, tn, fn_ } = self.shares();
        let chance = (tp + fp) * (fp + tn) + (tp + fn_) * (fn_ + tn);
        share(2.0 * (tp * tn - fn_ * fp), chance)
    }

    /// The share of rows predicted positive; undefined without rows.
    pub fn predicted_rate(&self) -> Option<f64> {
        let ConfusionWeights { tp, fp, tn, fn_ } = self.weights();
        share(tp + fp, tp + fp + tn + fn_)
    }

    /// The four weights as shares of all, where products of them could exceed the range of floats.
    fn shares(&self) -> ConfusionWeights {
        let weights = self.weights();
        let all = weights.tp + weights.fp + weights.tn + weights.fn_;
        ConfusionWeights {
            tp: weights.tp / all,
            fp: weights.fp / all,
            tn: weights.tn / all,
            fn_: weights.fn_ / all,
        }
    }

    fn weights(&self) -> ConfusionWeights {
        let (not_n, not_p) = (self.n_neg - self.fp, self.n_pos - self.tp);
        match self.units {
            None => ConfusionWeights {
                tp: self.tp as f64,
                fp: self.fp as f64,
                tn: not_n as f64,
                fn_: not_p as f64,
            },
            Some(Units { pos, neg, .. }) => ConfusionWeights {
                tp: pos.weight(self.tp),
                fp: neg.weight(self.fp),
                tn: neg.weight(not_n),
                fn_: pos.weight(not_p),
            },
        }
    }
}

fn share(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six rows of ten predicted positive, four of them correctly.
    #[test]
    fn rates() {
        let confusion = Confusion { tp: 4, fp: 2, n_pos: 5, n_neg: 5, units: None };
        assert_eq!(confusion.masses(), [Mass(4), Mass(2), Mass(3), Mass(1)]);
        assert_eq!(
            (confusion.tpr(), confusion.fpr(), confusion.precision()),
            (Some(0.8), Some(0.4), Some(4.0 / 6.0))
        );
        assert_eq!(
            (confusion.npv(), confusion.accuracy(), confusion.predicted_rate()),
            (Some(0.75), Some(0.7), Some(0.6))
        );
        assert_eq!((confusion.f(1.0), confusion.f(2.0)), (Some(8.0 / 11.0), Some(20.0 / 26.0)));
        assert!((confusion.balanced_accuracy().unwrap() - 0.7).abs() < 1e-15);
        assert!((confusion.mcc().unwrap() - 10.0 / 600f64.sqrt()).abs() < 1e-15);
        assert!((confusion.kappa().unwrap() - 0.4).abs() < 1e-15);
    }

    #[test]
    fn undefined() {
        let all_negative = Confusion { tp: 0, fp: 0, n_pos: 2, n_neg: 0, units: None };
        assert_eq!(
            (all_negative.tpr(), all_negative.fpr(), all_negative.precision()),
            (Some(0.0), None, None)
        );
        assert_eq!(
            (all_negative.f(1.0), all_negative.mcc(), all_negative.accuracy()),
            (Some(0.0), None, Some(0.0))
        );
        assert_eq!(
            (all_negative.npv(), all_negative.kappa(), all_negative.balanced_accuracy()),
            (Some(0.0), Some(0.0), None)
        );
        let empty = Confusion { n_pos: 0, ..all_negative };
        assert_eq!(
            (empty.tpr(), empty.f(1.0), empty.accuracy(), empty.predicted_rate()),
            (None, None, None, None)
        );
    }
}
