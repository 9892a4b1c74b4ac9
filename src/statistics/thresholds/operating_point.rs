//! The best threshold by a criterion, with its counts and rates.

use super::confusion::{Calls, Confusion};
use super::criterion::{Criterion, Merit, Rule, ratio};
use crate::ranking::ties::{Count, Indexed, Step, StepKind, Ties};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Summary, Threshold, record};
use crate::statistics::options::{FromOptions, OptionError, Options};

/// The maximum beta. With a larger one, precision would not affect the F measure.
pub(in crate::statistics) const MAX_BETA: f64 = 1e9;

/// The maximum cost of a false negative, in costs of a false positive.
const MAX_COST: f64 = 1e9;

/// The best threshold by a criterion, with its counts and rates.
///
/// Every distinct score is a candidate, and so is a threshold above all scores, which calls no rows positive.
/// Among equally good thresholds the highest score is selected. Calling no rows positive is selected only if
/// it is better than every score. With a range of the false positive rate, only thresholds within the range
/// are compared.
#[derive(Clone, Copy, Debug)]
pub struct OperatingPoint {
    /// The criterion.
    pub criterion: Criterion,
    /// The weight of recall in the F measure.
    pub beta: f64,
    /// The closed range of false positive rates of the search; all by default.
    pub fpr: Option<(f64, f64)>,
}

impl FromOptions for OperatingPoint {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let criterion: Criterion = options.word("criterion")?;
        let beta = options.above_0("beta", MAX_BETA)?;
        let cost = options.above_0("cost", MAX_COST)?;
        let prevalence =
            options.has("prevalence").then(|| options.between_0_and_1("prevalence")).transpose()?;
        let (word, target) = (options.value("criterion"), options.value("target"));
        let by_cost = matches!(
            criterion,
            Criterion::Youden { .. } | Criterion::ClosestTopleft { .. } | Criterion::Cost { .. }
        );
        if !by_cost && (cost != 1.0 || prevalence.is_some()) {
            let reason = "and `prevalence` are for 'youden', 'closest_topleft', 'cost', got `criterion`";
            return Err(OptionError::new("cost", format!("{reason} {word}")));
        }
        let by_target = matches!(
            criterion,
            Criterion::TargetFpr(_) | Criterion::TargetTpr(_) | Criterion::TargetPrecision(_)
        );
        if options.has("target") != by_target {
            let reason = "is for 'target_fpr', 'target_tpr', 'target_precision' and must be given there";
            return Err(OptionError::new(
                "target",
                format!("{reason}, got `criterion` {word} and `target` {target}"),
            ));
        }
        let fpr = options.bounds("fpr")?;
        if fpr.is_some() && matches!(criterion, Criterion::TargetFpr(_) | Criterion::TopP) {
            return Err(OptionError::new("min_fpr", format!("and `max_fpr` are not for `criterion` {word}"))
                .hint("leave them out, or take another criterion"));
        }
        let reached = || match options.rate("target")? {
            0.0 => Err(OptionError::new("target", format!("must be above 0 for {word}, got {target}"))),
            rate => Ok(rate),
        };
        let criterion = match criterion {
            Criterion::Youden { .. } => Criterion::Youden { ratio: ratio(cost, prevalence)? },
            Criterion::ClosestTopleft { .. } => Criterion::ClosestTopleft { ratio: ratio(cost, prevalence)? },
            Criterion::Cost { .. } => Criterion::Cost { cost, prevalence },
            Criterion::TargetFpr(_) => Criterion::TargetFpr(options.rate("target")?),
            Criterion::TargetTpr(_) => Criterion::TargetTpr(reached()?),
            Criterion::TargetPrecision(_) => Criterion::TargetPrecision(reached()?),
            Criterion::MaxF | Criterion::TopP => criterion,
        };
        Ok(OperatingPoint { criterion, beta, fpr })
    }
}

record! {
    /// The best threshold of one group.
    pub struct OperatingPointRecord {
        /// - `threshold`: a row is predicted positive if `score >= threshold`. Null if it is best to predict no row
        ///   positive.
        /// - `tp`, `fp`, `tn`, `fn`: the four counts; with weights, the sums of weights (Float64).
        pub calls: Calls,
        /// `tp / P`, 0 to 1.
        pub tpr: Option<f64>,
        /// `fp / N`.
        pub fpr: Option<f64>,
        /// `tp / (tp + fp)`; null if no row is predicted positive.
        pub precision: Option<f64>,
        /// `(tp + tn) / (P + N)`.
        pub accuracy: Option<f64>,
        /// `(1 + beta²) precision tpr / (beta² precision + tpr)`.
        pub f: Option<f64>,
        /// The value of the criterion at this threshold; for `"top_p"` the accuracy, for a target the rate reached.
        pub criterion: Option<f64>,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

/// A candidate for the best threshold.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    key: u128,
    tp: u64,
    fp: u64,
    merit: Merit,
}

impl Summary for OperatingPoint {
    type Record = OperatingPointRecord;

    const WEIGHTS: bool = true;

    fn evaluate(&self, mut ties: Ties<'_>) -> OperatingPointRecord {
        let rows = Count::from(&ties);
        if !ties.has_pairs() {
            return OperatingPointRecord::undefined(rows);
        }
        let all_negative = Confusion::all_negative(&ties);
        let rule = Rule::new(self.criterion, self.beta, all_negative);
        let weighted = all_negative.units.is_some();
        let merit = |calls: &Confusion| if self.reaches(calls) { rule.merit(calls) } else { None };
        let candidate = |key: u128, tp: u64, fp: u64| {
            let merit = merit(&all_negative.with(tp, fp))?;
            Some(Candidate { key, tp, fp, merit })
        };
        let min = ties
            .parts()
            .iter()
            // The nearest row above such a border that has positives is at least as good as the border.
            .filter(|part| part.tp() > 0)
            .filter_map(|part| merit(&all_negative.with(part.tp(), part.fp())))
            .reduce(|min, border| if border > min { border } else { min });
        // No threshold within a part calls more positives than its end, or fewer negatives than its
        // beginning.
        let may_be_best = |part: &Step| {
            let corner = rule.merit(&all_negative.with(part.tp(), part.neg_above));
            let is_better = min.is_none_or(|min| corner.is_some_and(|corner| corner.reaches(min)));
            self.criterion == Criterion::TopP
                || weighted
                || (is_better && self.is_within(part, &all_negative))
        };
        let best = if self.criterion == Criterion::TopP && !weighted {
            // The highest score at which at least as many rows are predicted positive as there are positives.
            ties.at_rank(rows.pos).and_then(|tie| candidate(tie.key, tie.tp(), tie.fp()))
        } else if self.criterion == Criterion::TopP || self.fpr.is_some() {
            // With a range, a threshold that dominates a score of negatives alone may lie outside.
            ties.fold_pruned(
                StepKind::Ties,
                may_be_best,
                |best: &mut Option<Candidate>, tie| better(best, candidate(tie.key, tie.tp(), tie.fp())),
                better,
            )
        } else {
            // A score of negatives alone only adds false positives. By every other criterion it is worse than
            // the score above it, or than predicting no row positive.
            let best = ties.fold_pruned(
                StepKind::Segments(Indexed::Positives),
                may_be_best,
                |best: &mut Option<Candidate>, segment| {
                    // Weighted rows are visited as ties, and a tie of small weight may have zero units.
                    if segment.pos > 0 || weighted {
                        better(best, candidate(segment.key, segment.tp(), segment.fp()));
                    }
                },
                better,
            );
            match best {
                // For a target fpr, a score of negatives alone may be as good as predicting no row positive.
                None if matches!(self.criterion, Criterion::TargetFpr(_)) => {
                    ties.at_rank(1).and_then(|tie| candidate(tie.key, tie.tp(), tie.fp()))
                }
                best => best,
            }
        };
        let nobody_better = match (&best, merit(&all_negative)) {
            (Some(best), Some(merit)) => merit > best.merit,
            (None, merit) => merit.is_some(),
            (_, None) => false,
        };
        let (threshold, calls) = match best {
            Some(best) if !nobody_better => (Some(Threshold(best.key)), all_negative.with(best.tp, best.fp)),
            None if !nobody_better => return OperatingPointRecord::undefined(rows),
            _ => (None, all_negative),
        };
        OperatingPointRecord::new(
            calls.at(threshold),
            calls.tpr(),
            calls.fpr(),
            calls.precision(),
            calls.accuracy(),
            calls.f(self.beta),
            rule.value(&calls),
            rows,
        )
    }
}

impl OperatingPoint {
    /// Whether the false positive rate of these calls is in the range.
    fn reaches(&self, calls: &Confusion) -> bool {
        let within = |(low, high): (f64, f64)| calls.fpr().is_some_and(|fpr| low <= fpr && fpr <= high);
        self.fpr.is_none_or(within)
    }

    /// Whether a threshold within a part may be in the range.
    fn is_within(&self, part: &Step, all_negative: &Confusion) -> bool {
        let fpr = |fp| all_negative.with(0, fp).fpr();
        self.fpr.is_none_or(|(low, high)| {
            fpr(part.neg_above).is_some_and(|from| from <= high) && fpr(part.fp()).is_some_and(|to| low <= to)
        })
    }
}

/// The better of two candidates; if equal the first, which has the higher score.
fn better(best: &mut Option<Candidate>, other: Option<Candidate>) {
    if other.map(|other| other.merit) > best.map(|best| best.merit) {
        *best = other;
    }
}

declaration! {
    /// The best threshold by Youden's index, distance to the corner, cost, F, or a target fpr, tpr or precision; also
    /// within a range of fpr.
    ///
    /// Words: optimal threshold, optimal cutoff, best cutpoint, Youden, J statistic, cost-sensitive, F1, closest top left,
    /// recall at precision.
    OperatingPoint => OperatingPointRecord {
        label = None, score = None;
        /// - `"youden"`: the largest `tpr - r fpr`, with `r = (1 - prevalence) / (cost prevalence)`. With neither
        ///   cost nor prevalence, r is 1, which is Youden's index.
        /// - `"closest_topleft"`: the smallest `(1 - tpr)² + r fpr²`, the point nearest to the upper left corner.
        /// - `"cost"`: the smallest expected cost per row, `cost prevalence (1 - tpr) + (1 - prevalence) fpr`.
        /// - `"max_f"`: the largest F measure.
        /// - `"target_fpr"`: the largest tpr with an fpr of at most `target`.
        /// - `"target_tpr"`: the smallest fpr with a tpr of at least `target`.
        /// - `"target_precision"`: the largest tpr with a precision of at least `target`.
        /// - `"top_p"`: as many rows predicted positive as there are positives, or slightly more if scores tie. Ling,
        ///   Huang and Zhang measure accuracy at this threshold.
        criterion: python("Criterion") = "youden",
        /// The rate for `"target_fpr"`, `"target_tpr"` or `"target_precision"`, from 0 to 1.
        target: number = None,
        /// The cost of a false negative, above 0, if a false positive costs 1.
        cost: number = 1.0,
        /// The share of positives in the target population, between 0 and 1. By default, `"cost"` uses the share in
        /// the group; `"youden"` and `"closest_topleft"` use one half, so that r depends on the cost only.
        prevalence: number = None,
        /// The weight of recall in the F measure, above 0: with 2, recall counts four times as much as precision.
        beta: number = 1.0,
        /// Bounds of the false positive rate, 0 to 1, both included: the result is the best threshold within them.
        /// Not with `"target_fpr"`, whose target is such a bound, and not with `"top_p"`.
        min_fpr: number = None,
        max_fpr: number = None,
        weight = None, count = None, state = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::scores::Score;
    use crate::statistics::kinds::Mass;
    use crate::statistics::options::{OptionValue, tests::options};
    use crate::statistics::tests::summary;

    fn best(criterion: Criterion, labels: &[u8], scores: &[i16]) -> OperatingPointRecord {
        let statistic = OperatingPoint { criterion, beta: 1.0, fpr: None };
        summary(&statistic, labels, scores)
    }

    fn at(record: &OperatingPointRecord) -> Option<i16> {
        record.calls.threshold.map(|threshold| i16::from_key(threshold.0 as u16))
    }

    const LABELS: [u8; 8] = [1, 1, 0, 1, 0, 1, 0, 0];
    const SCORES: [i16; 8] = [8, 7, 6, 5, 4, 3, 2, 1];

    #[test]
    fn every_criterion() {
        let ratio = 1.0;
        for (criterion, threshold, value) in [
            // tpr 1/2, 3/4 and 1 with fpr 0, 1/4 and 1/2: three equal merits, and the highest score is
            // selected.
            (Criterion::Youden { ratio }, 7, 0.5),
            (Criterion::ClosestTopleft { ratio }, 5, 0.125),
            (Criterion::Cost { cost: 3.0, prevalence: None }, 3, 0.25),
            (Criterion::MaxF, 3, 0.8),
            (Criterion::TargetFpr(0.3), 5, 0.25),
            (Criterion::TargetFpr(0.0), 7, 0.0),
            (Criterion::TargetTpr(0.6), 5, 0.75),
            (Criterion::TargetPrecision(0.7), 5, 0.75),
            (Criterion::TopP, 5, 0.75),
        ] {
            let record = best(criterion, &LABELS, &SCORES);
            assert_eq!(at(&record), Some(threshold), "{criterion:?}");
            assert!((record.criterion.unwrap() - value).abs() < 1e-15, "{criterion:?}");
        }
    }

    #[test]
    fn no_rows_called_positive() {
        // If a false positive costs nine times as much, no score is better than predicting no row positive.
        let costly = best(Criterion::Youden { ratio: 9.0 }, &[0, 1, 0], &[3, 2, 1]);
        assert_eq!(
            (at(&costly), costly.calls.tp, costly.fpr, costly.precision),
            (None, Some(Mass(0)), Some(0.0), None)
        );
        let equal = best(Criterion::Youden { ratio: 1.0 }, &[0, 1], &[2, 1]);
        assert_eq!(at(&equal), Some(1), "all predicted positive is as good as nobody");
        let none = best(Criterion::TargetFpr(0.0), &[0, 1], &[2, 1]);
        assert_eq!((at(&none), none.calls.tp), (None, Some(Mass(0))));
        let as_good = best(Criterion::TargetFpr(0.5), &[0, 1, 0], &[3, 2, 2]);
        assert_eq!((at(&as_good), as_good.tpr, as_good.fpr), (Some(3), Some(0.0), Some(0.5)));
        let never = best(Criterion::TargetPrecision(0.9), &[0, 1], &[2, 1]);
        assert_eq!((at(&never), never.calls.tp, never.rows.pos), (None, None, 1));
        let alone = best(Criterion::MaxF, &[1], &[2]);
        assert_eq!((alone.calls.tp, alone.rows.pos), (None, 1));
    }

    #[test]
    fn options_are_checked() {
        let parse = |criterion: &str, changes: &[(&str, f64)]| {
            let [beta, cost] = [1.0, 1.0].map(OptionValue::Float);
            let criterion = OptionValue::Word(criterion.into());
            let mut options = options([("criterion", criterion), ("beta", beta), ("cost", cost)]);
            options
                .values
                .extend(changes.iter().map(|&(name, value)| (name.into(), OptionValue::Float(value))));
            OperatingPoint::from_options(&options)
        };
        let costly = parse("youden", &[("cost", 3.0), ("prevalence", 0.1), ("max_fpr", 0.5)]).unwrap();
        assert_eq!(costly.criterion, Criterion::Youden { ratio: 0.9 / (3.0 * 0.1) });
        assert_eq!((costly.beta, costly.fpr), (1.0, Some((0.0, 0.5))));
        assert_eq!(parse("target_fpr", &[("target", 0.0)]).unwrap().criterion, Criterion::TargetFpr(0.0));
        let prevalence = Some(0.25);
        assert_eq!(
            parse("cost", &[("prevalence", 0.25)]).unwrap().criterion,
            Criterion::Cost { cost: 1.0, prevalence }
        );
        for (criterion, changes, reason) in [
            ("best", &[][..], "`criterion` must be one of 'youden', "),
            ("youden", &[("prevalence", 1e-300)], "(1 - `prevalence`) / (`cost` `prevalence`) must be a"),
            ("cost", &[("prevalence", 1.0)], "`prevalence` must lie between 0 and 1, such as"),
            ("cost", &[("cost", f64::NAN)], "`cost` must be a number above 0, from 1e-9 to 1e9, got nan"),
            (
                "max_f",
                &[("cost", 2.0)],
                "`cost` and `prevalence` are for 'youden', 'closest_topleft', 'cost', ",
            ),
            ("max_f", &[("beta", 0.0)], "`beta` must be a number above 0"),
            (
                "max_f",
                &[("target", 0.5)],
                "`target` is for 'target_fpr', 'target_tpr', 'target_precision' and ",
            ),
            ("target_tpr", &[], "`target` is for "),
            ("target_tpr", &[("target", 1.5)], "`target` must lie between 0 and 1, got 1.5"),
            ("target_tpr", &[("target", -0.0)], "`target` must be above 0 for 'target_tpr', got -0.0"),
            ("target_fpr", &[("target", -0.5)], "`target` must lie between 0 and 1, got -0.5"),
            (
                "target_fpr",
                &[("target", 0.1), ("max_fpr", 0.5)],
                "`min_fpr` and `max_fpr` are not for `criterion`",
            ),
            (
                "top_p",
                &[("max_fpr", 0.5)],
                "`min_fpr` and `max_fpr` are not for `criterion` 'top_p'. Hint: leave them",
            ),
            ("max_f", &[("min_fpr", 0.5), ("max_fpr", 0.5)], "`min_fpr` must be below `max_fpr`"),
            ("max_f", &[("min_fpr", -0.1)], "`min_fpr` must lie between 0 and 1"),
            ("max_f", &[("min_fpr", f64::NAN)], "`min_fpr` must lie between 0 and 1"),
        ] {
            let error = parse(criterion, changes).unwrap_err().to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }

    #[test]
    fn within_a_range_of_fpr() {
        let within = |criterion, fpr, labels: &[u8], scores: &[i16]| {
            let statistic = OperatingPoint { criterion, beta: 1.0, fpr: Some(fpr) };
            summary(&statistic, labels, scores)
        };
        let youden = Criterion::Youden { ratio: 1.0 };
        for (fpr, threshold) in
            [((0.0, 0.2), Some(7)), ((0.25, 1.0), Some(5)), ((0.3, 0.6), Some(3)), ((0.75, 1.0), Some(2))]
        {
            assert_eq!(at(&within(youden, fpr, &LABELS, &SCORES)), threshold, "{fpr:?}");
        }
        // Between 1/4 and 1/2 there is no threshold, so the point is undefined.
        let none = within(youden, (0.3, 0.4), &LABELS, &SCORES);
        assert_eq!((at(&none), none.calls.tp, none.fpr, none.rows.pos), (None, None, None, 4));
        // Calling no rows positive has an fpr of 0.
        let all_negative = within(youden, (0.0, 0.9), &[0, 1], &[2, 1]);
        assert_eq!((at(&all_negative), all_negative.calls.tp), (None, Some(Mass(0))));
        let beyond = within(youden, (0.1, 1.0), &[0, 1], &[2, 1]);
        assert_eq!((at(&beyond), beyond.fpr), (Some(1), Some(1.0)));
        // The threshold of a single negative is the only one in the range.
        let alone = within(Criterion::MaxF, (0.1, 0.9), &[0, 0, 1], &[3, 2, 1]);
        assert_eq!((at(&alone), alone.fpr, alone.f), (Some(3), Some(0.5), Some(0.0)));
    }
}
