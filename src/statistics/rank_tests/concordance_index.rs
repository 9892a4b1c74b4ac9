//! The concordance of a risk score with event times under censoring.

use crate::math::{quotient, student_t};
use crate::ranking::ties::Count;
use crate::statistics::declaration::declaration;
use crate::statistics::inference::{Interval, LogitScale, interval::tail};
use crate::statistics::kinds::{Inputs, Joint, KeyInput, KeyKind, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, Options, words};
use crate::statistics::rows::Rows;

/// The share of comparable pairs of rows in which the row with the earlier event has the higher score.
///
/// A pair is comparable if the row with the earlier time had the event, or if both times are equal and only
/// one row had it. The event time of the other row is then later (Harrell, Lee and Mark 1996). Pairs with
/// equal scores count one half. Uno's index (Uno, Cai, Pencina, D'Agostino and Wei 2011, equation 6) weights
/// a pair by `1 / G²`. G is the Kaplan-Meier estimate of the probability that a row is not censored before
/// the earlier time.
///
/// The standard error is from the infinitesimal jackknife. Let `s` be the concordance over all pairs of a row
/// and `n` their weight; the row's influence is `(s - C n)` divided by the total weight of pairs. Under heavy
/// censoring few events determine the index, and it is skewed. The limits are therefore on the logit scale,
/// by Student's t with one degree of freedom fewer than events followed by a row. `O(n log n)`.
#[derive(Clone, Copy, Debug)]
pub struct ConcordanceIndex {
    /// The weight of a pair.
    pub method: PairWeight,
    /// The method of the limits.
    pub interval: IndexLimits,
    /// The coverage of the interval.
    pub level: f64,
    /// Only pairs with an earlier time below this limit are compared.
    pub tau: Option<f64>,
}

/// The method of the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexLimits {
    /// On the logit scale, by Student's t.
    #[default]
    Logit,
    /// Normal, clipped at 0 and 1.
    Normal,
}

/// The weight of a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PairWeight {
    /// Equal weights.
    #[default]
    Harrell,
    /// Higher weights for pairs that censoring often removes.
    Uno,
}

record! {
    /// The index of one group.
    pub struct ConcordanceRecord {
        /// The concordance index, 0 to 1; 1/2 for an uninformative score.
        pub concordance: Option<f64>,
        /// - `se`: its standard error, by the infinitesimal jackknife.
        /// - `lower`, `upper`: the confidence limits.
        pub interval: Interval,
        /// The number of comparable pairs in which the earlier event has the higher score.
        pub concordant: u64,
        /// The number of comparable pairs in which the earlier event has the lower score.
        pub discordant: u64,
        /// The number of comparable pairs with equal scores.
        pub tied: u64,
        /// The number of rows with the event.
        pub n_events: u64,
        /// The number of rows used.
        pub n: u64,
    }
}

words!(IndexLimits { "logit" => Logit, "normal" => Normal });
words!(PairWeight { "harrell" => Harrell, "uno" => Uno });

impl FromOptions for ConcordanceIndex {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let tau = options.has("tau").then(|| options.value("tau").number());
        if tau.is_some_and(f64::is_nan) {
            return Err(options.must_be("tau", "be a time, such as 365.0"));
        }
        let (method, interval) = (options.word("method")?, options.word("interval")?);
        Ok(ConcordanceIndex { method, interval, level: options.level()?, tau })
    }
}

impl Joint for ConcordanceIndex {
    type Record = ConcordanceRecord;

    /// The score, and the time as a second score.
    const INPUTS: Inputs = Inputs::scores(Some(2)).without_label().keyed(KeyInput::called("event"));

    fn needs(&self) -> Needs {
        Needs { codes: true, values: self.tau.is_some(), ..Needs::default() }
    }

    fn passes(&self) -> usize {
        20
    }

    fn key_kind(&self) -> KeyKind<'_> {
        KeyKind::Truth
    }

    fn evaluate(&self, rows: &Rows) -> ConcordanceRecord {
        let (n_events, n) = (events(rows).filter(|&event| event).count() as u64, rows.len as u64);
        let (in_time_order, scores) = (rows_by_time(rows), rows.scores[0].distinct);
        let moments = self.moments(&in_time_order, self.times_in_use(rows));
        let mut tally = Tally::default();
        // For each event, the concordant pairs with later rows, and all of these pairs.
        let mut event_pairs = vec![(0.0, 0.0); rows.len];
        walk_back(&moments, scores, |index, later, weight| {
            tally.add(&later, weight);
            event_pairs[index] = (later.concordance(), later.all());
        });
        let none = ConcordanceRecord { n_events, n, ..ConcordanceRecord::undefined(rows) };
        if tally.weight <= 0.0 {
            return none;
        }
        let (concordant, comparable) = (tally.concordant, tally.concordant + tally.discordant + tally.tied);
        let concordance = match self.method {
            PairWeight::Harrell => {
                quotient(2 * u128::from(concordant) + u128::from(tally.tied), 2 * u128::from(comparable))
            }
            PairWeight::Uno => (tally.concordance / tally.weight).clamp(0.0, 1.0),
        };
        let se = jackknife_error(&moments, scores, &event_pairs, concordance) / tally.weight;
        let followed = event_pairs.iter().filter(|(_, later)| *later > 0.0).count() as u64;
        ConcordanceRecord {
            concordance: Some(concordance),
            interval: self.limits(concordance, se, Count { pos: followed, neg: n - 1 }),
            concordant,
            discordant: tally.discordant,
            tied: tally.tied,
            ..none
        }
    }

    fn nan_record(&self, rows: &Rows) -> ConcordanceRecord {
        let n_events = events(rows).filter(|&event| event).count() as u64;
        ConcordanceRecord { n_events, n: rows.len as u64, ..ConcordanceRecord::nan(rows) }
    }
}

/// Whether each row had the event.
fn events(rows: &Rows) -> impl Iterator<Item = bool> {
    rows.keys.row_codes.iter().map(|&key| rows.key_codes[key as usize] == 1)
}

/// A row: the code of its time, whether it is censored, and the code of its score. In this order events come
/// first at equal times, because censored rows have later event times.
type Row = (u32, bool, u32);

/// The rows of one time.
#[derive(Debug)]
struct Moment<'a> {
    /// The number of earlier rows.
    start: usize,
    events: &'a [Row],
    censored: &'a [Row],
    /// The weight of each pair whose earlier row has this time.
    weight: f64,
}

impl ConcordanceIndex {
    /// The interval of an index, from the numbers of events and of rows that each is compared with.
    fn limits(&self, concordance: f64, se: f64, rows: Count) -> Interval {
        match self.interval {
            IndexLimits::Normal => Interval::normal(concordance, se, self.level).within(0.0, 1.0),
            IndexLimits::Logit => {
                let df = (rows.pos as f64 - 1.0).max(1.0);
                let rows = Count { pos: rows.pos as f64, neg: rows.neg as f64 };
                let scale = LogitScale::new(concordance, se, rows);
                scale.interval(student_t::upper_quantile(tail(self.level), df))
            }
        }
    }

    /// The rows of each time, earliest first.
    fn moments<'a>(&self, in_time_order: &'a [Row], times_in_use: u32) -> Vec<Moment<'a>> {
        let mut start = 0;
        let mut uncensored = 1.0f64;
        let mut moments = Vec::new();
        for moment in in_time_order.chunk_by(|a, b| a.0 == b.0) {
            let (events, censored) = moment.split_at(moment.partition_point(|row| !row.1));
            let weight = match self.method {
                _ if moment[0].0 >= times_in_use => 0.0,
                PairWeight::Harrell => 1.0,
                PairWeight::Uno => uncensored.powi(-2),
            };
            moments.push(Moment { start, events, censored, weight });
            // Rows with the event at this time are no longer at risk of censoring.
            let at_risk = in_time_order.len() - start - events.len();
            if !censored.is_empty() {
                uncensored *= 1.0 - censored.len() as f64 / at_risk as f64;
            }
            start += moment.len();
        }
        moments
    }

    /// The number of distinct times below the limit.
    fn times_in_use(&self, rows: &Rows) -> u32 {
        let times = &rows.scores[1];
        let Some(tau) = self.tau else { return times.distinct as u32 };
        let below = times.row_codes.iter().zip(&rows.values[1]).filter(|&(_, &value)| value < tau);
        below.map(|(&time, _)| time + 1).max().unwrap_or(0)
    }
}

/// The rows by time, with events first at equal times; the result does not depend on the input order.
fn rows_by_time(rows: &Rows) -> Vec<Row> {
    let (scores, times) = (&rows.scores[0].row_codes, &rows.scores[1]);
    let events: Vec<bool> = events(rows).collect();
    let in_order = times.in_order(|row| (!events[row], scores[row]));
    in_order.into_iter().map(|(time, (is_censored, score))| (time, is_censored, score)).collect()
}

/// Pairs of an event and a later row.
#[derive(Debug, Default)]
struct Tally {
    concordant: u64,
    discordant: u64,
    tied: u64,
    /// The weight of the concordant pairs plus half the weight of the tied ones.
    concordance: f64,
    /// The weight of all pairs.
    weight: f64,
}

impl Tally {
    fn add(&mut self, rows: &Against<u64>, weight: f64) {
        self.concordant += rows.below;
        self.tied += rows.equal;
        self.discordant += rows.above;
        self.concordance += weight * rows.concordance();
        self.weight += weight * rows.all();
    }
}

/// Rows that score below, equal to and above one score.
struct Against<T> {
    below: T,
    equal: T,
    above: T,
}

impl Against<u64> {
    fn concordance(&self) -> f64 {
        self.below as f64 + 0.5 * self.equal as f64
    }

    fn all(&self) -> f64 {
        (self.below + self.equal + self.above) as f64
    }
}

/// Calls `each` with every event, last to earliest: its index, its later rows, and the weight of a pair.
fn walk_back(moments: &[Moment<'_>], scores: usize, mut each: impl FnMut(usize, Against<u64>, f64)) {
    let mut later = FenwickTree::<u64>::new(scores);
    for moment in moments.iter().rev() {
        moment.censored.iter().for_each(|row| later.add(row.2, 1));
        if moment.weight > 0.0 {
            for (index, row) in (moment.start..).zip(moment.events) {
                each(index, later.against(row.2), moment.weight);
            }
        }
        moment.events.iter().for_each(|row| later.add(row.2, 1));
    }
}

/// The root of the sum of squared influences, times the total weight of pairs.
fn jackknife_error(
    moments: &[Moment<'_>],
    scores: usize,
    event_pairs: &[(f64, f64)],
    concordance: f64,
) -> f64 {
    let mut earlier = FenwickTree::<f64>::new(scores);
    // As the later row, it is concordant with earlier events of higher scores.
    let as_later = |earlier: &FenwickTree<f64>, row: &Row| {
        let Against { below, equal, above } = earlier.against(row.2);
        above + 0.5 * equal - concordance * (below + equal + above)
    };
    let mut squares = 0.0;
    for moment in moments {
        for (row, (concordant, all)) in moment.events.iter().zip(&event_pairs[moment.start..]) {
            let as_earlier = moment.weight * (concordant - concordance * all);
            squares += (as_earlier + as_later(&earlier, row)).powi(2);
        }
        if moment.weight > 0.0 {
            moment.events.iter().for_each(|row| earlier.add(row.2, moment.weight));
        }
        for row in moment.censored {
            squares += as_later(&earlier, row).powi(2);
        }
    }
    squares.sqrt()
}

/// Prefix sums over codes in a tree of partial sums (Fenwick 1994), with logarithmic time per operation.
struct FenwickTree<T> {
    sums: Vec<T>,
    values: Vec<T>,
    all: T,
}

impl<T: Copy + Default + std::ops::AddAssign + std::ops::Sub<Output = T>> FenwickTree<T> {
    fn new(codes: usize) -> Self {
        FenwickTree {
            sums: vec![T::default(); codes + 1],
            values: vec![T::default(); codes],
            all: T::default(),
        }
    }

    fn add(&mut self, code: u32, value: T) {
        self.all += value;
        self.values[code as usize] += value;
        let mut index = code as usize + 1;
        while index < self.sums.len() {
            self.sums[index] += value;
            index += index & index.wrapping_neg();
        }
    }

    /// The sums over lower codes, this one, and higher ones.
    fn against(&self, code: u32) -> Against<T> {
        let mut below = T::default();
        let mut index = code as usize;
        while index > 0 {
            below += self.sums[index];
            index &= index - 1;
        }
        let equal = self.values[code as usize];
        Against { below, equal, above: self.all - below - equal }
    }
}

declaration! {
    /// The concordance index: how well a score orders rows by the time of an event, with censoring (Harrell, Uno).
    ///
    /// Words: C-index, concordance index, Harrell's C, Uno's C, survival, censored, time to event.
    ConcordanceIndex => ConcordanceRecord {
        /// The time of the event, or for a censored row the time of its last observation: any numeric column.
        time: column,
        /// Whether the row had the event at its time; False or 0 means censored: last observed without the event.
        /// Boolean, or an integer or float column that contains only 0 and 1.
        event: column,
        /// Any numeric or Boolean column; higher means a higher risk, that is, an earlier event. For predicted times
        /// write `-pl.col("predicted")`.
        score: column;
        /// - `"harrell"`: all comparable pairs have equal weight. What the index estimates depends on the censoring.
        /// - `"uno"`: a pair has the weight `1 / G²`. G is the Kaplan-Meier estimate, from the rows of the group, of
        ///   the probability that a row is not censored before the earlier time. The estimated quantity is then the
        ///   same for any censoring that is independent of score and time. Also set `tau`, because at late times few
        ///   rows have large weights.
        method: word<PairWeight> = "harrell",
        /// Only pairs whose earlier time is below `tau` are compared, in the unit of `time`; `None` compares all.
        tau: number = None,
        /// - `"logit"`: on the logit scale, by Student's t. Its degrees of freedom are the number of events that are
        ///   followed by a row, minus 1.
        /// - `"normal"`: normal limits, clipped to 0 and 1.
        interval: word<IndexLimits> = "logit",
        level = 0.95, count = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::rows::Codes;
    use crate::statistics::options::{OptionValue, tests::options};
    use proptest::prelude::*;

    const HARRELL: ConcordanceIndex = ConcordanceIndex {
        method: PairWeight::Harrell,
        interval: IndexLimits::Logit,
        level: 0.95,
        tau: None,
    };

    fn compute(statistic: ConcordanceIndex, rows: &[(u8, bool, u8)]) -> ConcordanceRecord {
        let codes = |f: fn(&(u8, bool, u8)) -> u8| Codes::new(&rows.iter().map(f).collect::<Vec<_>>());
        statistic.evaluate(&Rows {
            len: rows.len(),
            scores: vec![codes(|row| row.2), codes(|row| row.0)],
            values: vec![Vec::new(), rows.iter().map(|row| row.0.into()).collect()],
            keys: Codes { row_codes: rows.iter().map(|row| row.1.into()).collect(), distinct: 2 },
            key_codes: vec![0, 1],
            ..Rows::default()
        })
    }

    /// Whether a row is certainly earlier than another.
    fn is_earlier(a: &(u8, bool, u8), b: &(u8, bool, u8)) -> bool {
        a.1 && (a.0 < b.0 || (a.0 == b.0 && !b.1))
    }

    #[test]
    fn rows_without_a_comparable_pair() {
        for rows in [&[][..], &[(3, true, 1)], &[(3, false, 1), (4, true, 2)], &[(3, true, 1), (3, true, 2)]]
        {
            let record = compute(HARRELL, rows);
            assert_eq!(
                (record.concordance, record.interval.se, record.interval.lower),
                (None, None, None),
                "{rows:?}"
            );
            assert_eq!(record.n, rows.len() as u64);
        }
    }

    #[test]
    fn a_time_limit() {
        let rows = [(1, true, 9), (2, true, 1), (3, true, 5), (4, false, 0)];
        assert_eq!(compute(HARRELL, &rows).concordance, Some(5.0 / 6.0));
        assert_eq!(compute(ConcordanceIndex { tau: Some(2.0), ..HARRELL }, &rows).concordance, Some(1.0));
        assert_eq!(compute(ConcordanceIndex { tau: Some(1.0), ..HARRELL }, &rows).concordance, None);
        let with = |tau| {
            let level = ("level", OptionValue::Float(0.9));
            let all = options([
                ("method", OptionValue::Word("uno".into())),
                ("interval", OptionValue::Word("normal".into())),
                level,
                ("tau", tau),
            ]);
            ConcordanceIndex::from_options(&all).map(|index| index.tau).map_err(|error| error.to_string())
        };
        assert_eq!(with(OptionValue::Absent), Ok(None));
        assert_eq!(with(OptionValue::Integer(3)), Ok(Some(3.0)));
        let reason = "`tau` must be a time, such as 365.0, got nan";
        assert_eq!(with(OptionValue::Float(f64::NAN)), Err(reason.into()));
    }

    proptest! {
        #[test]
        fn every_pair(rows in proptest::collection::vec((0u8..6, any::<bool>(), 0u8..5), 0..24), uno in any::<bool>()) {
            let statistic = ConcordanceIndex { method: if uno { PairWeight::Uno } else { PairWeight::Harrell }, ..HARRELL };
            let record = compute(statistic, &rows);
            // The Kaplan-Meier product over earlier times.
            let weight = |time: u8| -> f64 {
                let uncensored: f64 = (0..time).map(|before| {
                    let at = |event| rows.iter().filter(|row| row.0 == before && row.1 == event).count() as f64;
                    let at_risk = rows.iter().filter(|row| row.0 >= before).count() as f64 - at(true);
                    if at(false) > 0.0 { 1.0 - at(false) / at_risk } else { 1.0 }
                }).product();
                if uno { uncensored.powi(-2) } else { 1.0 }
            };
            let pair = |a: &(u8, bool, u8), b: &(u8, bool, u8)| -> (f64, f64) {
                if !is_earlier(a, b) { return (0.0, 0.0); }
                let half = match a.2.cmp(&b.2) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 1.0,
                };
                (weight(a.0) * half, weight(a.0))
            };
            let row_sums = |a: &(u8, bool, u8)| rows.iter().fold((0.0, 0.0), |sum, b| {
                let (as_earlier, as_later) = (pair(a, b), pair(b, a));
                (sum.0 + as_earlier.0 + as_later.0, sum.1 + as_earlier.1 + as_later.1)
            });
            let sums: Vec<(f64, f64)> = rows.iter().map(row_sums).collect();
            let all = sums.iter().fold((0.0, 0.0), |all, sum| (all.0 + sum.0 / 2.0, all.1 + sum.1 / 2.0));
            if all.1 == 0.0 {
                prop_assert_eq!(record.concordance, None);
            } else {
                let expected = all.0 / all.1;
                let se = sums.iter().map(|sum| ((sum.0 - expected * sum.1) / all.1).powi(2)).sum::<f64>().sqrt();
                prop_assert!((record.concordance.unwrap() - expected).abs() < 1e-13);
                // The root of a sum that is 0 up to rounding.
                prop_assert!((record.interval.se.unwrap() - se).abs() < 1e-7, "{:?} {}", record.interval.se, se);
            }
            let count = |is_selected: fn(u8, u8) -> bool| rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b)))
                .filter(|(a, b)| is_earlier(a, b) && is_selected(a.2, b.2)).count() as u64;
            prop_assert_eq!(
                (record.concordant, record.discordant, record.tied),
                (count(|a, b| a > b), count(|a, b| a < b), count(|a, b| a == b))
            );
        }
    }
}
