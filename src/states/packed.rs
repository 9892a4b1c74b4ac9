//! Packed states: a state as a compact byte string, for storage outside of columns.
//!
//! Format, version 1. A *number* is an unsigned LEB128 integer: groups of seven bits, lowest first, one to a
//! byte. The highest bit of a byte is set if more bytes follow. The encoding is minimal.
//!
//! | bytes | content |
//! |---|---|
//! | 4 | `ROC` in ASCII, and the version, 1 |
//! | 1 and n | the length of the name of the dtype of scores, and the name in ASCII, such as `f64` or `decimal[10,2]` |
//! | 1 | flags: 1 a score is NaN, 2 the state has a limit, 4 the limit's scale is for probabilities, 8 bins store intervals, 16 rows have weights |
//! | a number | skipped rows |
//! | 2 numbers | if a score is NaN, or rows have weights: positives, and negatives; with a NaN nothing follows |
//! | 2 numbers | if the state has a limit: the maximum number of bins, and the number of the partition |
//! | a number | the number of bins |
//! | the bins | highest score first |
//!
//! A bin is
//!
//! - a number: the distance of its key below the key of the previous bin, or of the highest score of the
//!   dtype. A key is the unsigned integer that orders scores, as wide as the score
//!   ([`key`](crate::ranking::scores::key)). Integers of 8 and 16 bits and booleans have the keys of `i32`,
//!   `f16` has the keys of `f32`, and decimals have the keys of `i128`. If bins store intervals, it is the
//!   distance between interval numbers ([`Intervals::number`]): from the previous bin, or from the highest
//!   score of the scale;
//! - a number: twice the positives, plus 1 if the rows have several scores;
//! - a number: the negatives;
//! - if bins store intervals, and the rows have one score, a number: the distance of the key above the lowest
//!   key of the interval.
//!
//! With weights, the positives and negatives of a bin are sums of weights in steps of `10^-18`. Two numbers
//! follow at the end of the bin, the squared weights of its positives and of its negatives: their steps plus
//! 1, or 0 if unknown.
//!
//! Input is untrusted: any bytes are parsed as a state or rejected with an error. Allocations are limited to
//! the number of bins that the bytes can encode.

use super::scale::{Intervals, LAST, Resolution, Scale};
use super::state::{CheckedSums, LIMITS, Limit, State};
use super::weight_sums::{MAX_STEPS, Squares, WeightSums};
use crate::ranking::scores::{Number, ScoreType};
use crate::ranking::ties::{Count, CountValue, Counts, RowCounts, row_counts::MAX_ROWS};

/// The first bytes of every packed state: three letters and the format version.
const VERSION: &[u8; 4] = b"ROC\x01";

// The flags, one bit each.
const NAN: u8 = 1;
const LIMITED: u8 = 2;
const PROBABILITY: u8 = 4;
const INTERVALS: u8 = 8;
const WEIGHTS: u8 = 16;

/// The minimum number of bytes of a bin.
const MIN_BYTES: usize = 3;

/// The count type of packed states.
pub trait Packed: CountValue {
    /// Whether rows have weights.
    const WEIGHTS: bool;

    /// A sum from its number, and from the number of its squares if present.
    fn from_number(number: u128, squares: Option<u128>) -> Result<Self, String>;

    /// The number that encodes the squares of weights, if any.
    fn squares(self) -> Option<u128>;
}

impl Packed for u64 {
    const WEIGHTS: bool = false;

    fn from_number(number: u128, _: Option<u128>) -> Result<Self, String> {
        rows_of(number)
    }

    fn squares(self) -> Option<u128> {
        None
    }
}

impl Packed for WeightSums {
    const WEIGHTS: bool = true;

    fn from_number(number: u128, squares: Option<u128>) -> Result<Self, String> {
        let squares = squares.and_then(|squares| squares.checked_sub(1));
        if number.max(squares.unwrap_or_default()) > MAX_STEPS {
            return Err("contains weights, or squares of them, that add up to 1e20 or more".into());
        }
        Ok(WeightSums { steps: number, squares: squares.map_or(Squares::UNKNOWN, Squares::new) })
    }

    fn squares(self) -> Option<u128> {
        Some(self.squares.known().map_or(0, |steps| steps + 1))
    }
}

impl<T: Packed> State<T>
where
    State<T>: CheckedSums,
{
    /// Packs the state; `dtype` is the name of the dtype of its scores.
    ///
    /// Without `keep_scores`, a bin of several scores stores its interval instead of its lowest score. The
    /// decoded threshold is reached by the same rows, and all counts are unchanged. Bins of one score, and
    /// exact states, keep their scores.
    pub fn packed(&self, dtype: &str, keep_scores: bool) -> Vec<u8> {
        let score_type = self.bins.score_type();
        let intervals = if keep_scores { None } else { self.intervals() };
        let coding = Coding::new(intervals, score_type);
        let flags = [
            (NAN, self.has_nan),
            (LIMITED, self.limit.is_some()),
            (PROBABILITY, self.limit.is_some_and(|limit| limit.scale == Scale::Probability)),
            (INTERVALS, intervals.is_some()),
            (WEIGHTS, T::WEIGHTS),
        ];
        let mut bytes = VERSION.to_vec();
        bytes.push(dtype.len() as u8);
        bytes.extend_from_slice(dtype.as_bytes());
        bytes.push(flags.into_iter().filter(|flag| flag.1).map(|flag| flag.0).sum());
        push(&mut bytes, self.rows.n_missing.into());
        if self.has_nan || T::WEIGHTS {
            push(&mut bytes, self.rows.n_pos.into());
            push(&mut bytes, self.rows.n_neg.into());
        }
        if self.has_nan {
            return bytes;
        }
        if let Some(limit) = self.limit {
            push(&mut bytes, limit.max_bins.into());
            push(&mut bytes, self.resolution.into());
        }
        push(&mut bytes, self.bins.len() as u128);
        let mut above = coding.highest;
        for (bin, &Count { pos, neg }) in self.bins.each().iter().enumerate() {
            let (key, tied) = (self.bins.key(bin), self.is_tied(bin));
            let number = coding.number(key);
            push(&mut bytes, above - number);
            above = number;
            push(&mut bytes, 2 * pos.into() + u128::from(!tied));
            push(&mut bytes, neg.into());
            if tied && intervals.is_some() {
                push(&mut bytes, key - coding.lowest_key(number));
            }
            [pos.squares(), neg.squares()]
                .into_iter()
                .flatten()
                .for_each(|squares| push(&mut bytes, squares));
        }
        bytes
    }

    /// The intervals of the partition of the bins. `None` without a partition, or if a bin is too far from
    /// the end of its side.
    fn intervals(&self) -> Option<Intervals> {
        let intervals = self.limit.filter(|_| self.resolution > 0)?.scale.intervals(self.resolution);
        let values = self.bins.score_type().values(self.bins.keys());
        values.into_iter().all(|value| intervals.is_exact(intervals.number(value))).then_some(intervals)
    }

    /// Unpacks the state of a dtype with this name and score type; an error gives the reason if the bytes are
    /// invalid.
    pub fn unpacked(bytes: &[u8], dtype: &str, score_type: ScoreType) -> Result<Self, String> {
        let mut bytes = Bytes(bytes);
        let flags = bytes.flags(dtype)?;
        let is = |flag: u8| flags & flag > 0;
        match (is(WEIGHTS), T::WEIGHTS) {
            (true, false) => return Err("contains rows with weights. Hint: write `weights=True`".into()),
            (false, true) => return Err("contains counts of rows. Hint: leave `weights` out".into()),
            _ => {}
        }
        let n_missing = bytes.rows()?;
        let mut rows = RowCounts { n_missing, have_weights: T::WEIGHTS, ..RowCounts::default() };
        if is(NAN) || T::WEIGHTS {
            (rows.n_pos, rows.n_neg) = (bytes.rows()?, bytes.rows()?);
            rows.check()?;
        }
        if is(NAN) {
            bytes.end()?;
            return Ok(State::nan(score_type, rows));
        }
        let (mut limit, mut resolution) = (None, 0);
        if is(LIMITED) {
            let number = bytes.number()?;
            let max_bins = u64::try_from(number).ok().filter(|bins| LIMITS.contains(bins));
            let max_bins =
                max_bins.ok_or_else(|| format!("contains max_bins {number}, expected 16 to 2^31"))?;
            let scale = if is(PROBABILITY) { Scale::Probability } else { Scale::Real };
            limit = Some(Limit { max_bins, scale });
            let number = bytes.number()?;
            if number > u128::from(LAST) {
                return Err(format!("contains the resolution {number}, but the last one is {LAST}"));
            }
            resolution = number as Resolution;
        }
        let intervals = limit.filter(|_| is(INTERVALS)).map(|limit| limit.scale.intervals(resolution));
        if intervals.is_some() && resolution == 0 {
            return Err("says intervals, but has no resolution".into());
        }
        let coding = Coding::new(intervals, score_type);
        let n_bins = bytes.number()?;
        if n_bins > (bytes.0.len() / MIN_BYTES) as u128 {
            return Err(ENDS.into());
        }
        let n_bins = n_bins as usize;
        let mut bins = Counts::with_capacity(score_type, None, n_bins);
        let mut tied = Vec::with_capacity(n_bins);
        let mut above = coding.highest;
        for bin in 0..n_bins {
            let step = bytes.number()?;
            let number = above.checked_sub(step).filter(|_| step > 0 || bin == 0);
            let number = number.ok_or("has bins that are not in order")?;
            let pos = bytes.number()?;
            let neg = bytes.number()?;
            let is_tied = pos % 2 == 0;
            let lowest = coding.lowest_key(number);
            let within = if is_tied && intervals.is_some() { bytes.number()? } else { 0 };
            let key = lowest
                .checked_add(within)
                .filter(|&key| score_type.holds(key) && coding.number(key) == number);
            let mut squares = || if T::WEIGHTS { bytes.number().map(Some) } else { Ok(None) };
            let count =
                Count { pos: T::from_number(pos / 2, squares()?)?, neg: T::from_number(neg, squares()?)? };
            bins.push(key.ok_or("has a bin whose score the dtype does not have")?, count.pos, count.neg);
            tied.push(is_tied);
            above = number;
            if !T::WEIGHTS {
                rows.n_pos += count.pos.into() as u64;
                rows.n_neg += count.neg.into() as u64;
                rows.check()?;
            }
        }
        bytes.end()?;
        let state = State { bins, tied, limit, resolution, rows, has_nan: false };
        Ok(state.checked(limit.map(|limit| limit.scale))?)
    }
}

/// The encoding of the position of bins: by key, or by the number of the interval.
struct Coding {
    intervals: Option<Intervals>,
    score_type: ScoreType,
    /// The highest number.
    highest: u128,
    /// The keys of the lowest and of the highest score in intervals with numbers.
    ends: (u128, u128),
}

impl Coding {
    fn new(intervals: Option<Intervals>, score_type: ScoreType) -> Self {
        let ends = score_type.ends();
        let Some(intervals) = intervals else {
            return Coding { intervals: None, score_type, highest: ends.1, ends };
        };
        let (low, high) = intervals.scale().ends();
        let key = |score| score_type.at_least(Number::Float(score));
        let ends = (key(low).unwrap_or(ends.0), key(high).unwrap_or(ends.1));
        Coding { intervals: Some(intervals), score_type, highest: intervals.highest_number().into(), ends }
    }

    /// The number of a key.
    fn number(&self, key: u128) -> u128 {
        match self.intervals {
            None => key,
            Some(intervals) => {
                let number = intervals.number(self.score_type.value(key));
                // The interval of an inexact number is ambiguous.
                if intervals.is_exact(number) { number.into() } else { u128::MAX }
            }
        }
    }

    /// The lowest key in the interval of this number, or above it if there is none.
    fn lowest_key(&self, number: u128) -> u128 {
        let Some(intervals) = self.intervals else { return number };
        let (mut low, mut high) = self.ends;
        let Ok(number) = u64::try_from(number) else { return high };
        let reaches = |key: u128| intervals.number(self.score_type.value(key)) >= number;
        let near = self.score_type.at_least(Number::Float(intervals.about(number)));
        let near = near.unwrap_or(high).clamp(low, high);
        // Exponential search from the estimate, then bisection.
        let mut step = 1;
        if reaches(near) {
            high = near;
            while high > low && reaches(high.saturating_sub(step).max(low)) {
                high = high.saturating_sub(step).max(low);
                step = step.saturating_mul(2);
            }
            low = high.saturating_sub(step).max(low);
        } else {
            low = near;
            while low < high && !reaches(low.saturating_add(step).min(high)) {
                low = low.saturating_add(step).min(high);
                step = step.saturating_mul(2);
            }
            high = low.saturating_add(step).min(high);
        }
        while low < high {
            let middle = low + (high - low) / 2;
            (low, high) = if reaches(middle) { (low, middle) } else { (middle + 1, high) };
        }
        match self.score_type.at_least(Number::Float(self.score_type.value(low))) {
            // Half precision is stored in wider floats: rounds up to the next half-precision float.
            Some(half) if self.score_type.is_half() => half,
            _ => low,
        }
    }
}

/// Appends a number.
fn push(bytes: &mut Vec<u8>, mut number: u128) {
    while number > u128::from(LOW_BITS) {
        bytes.push(number as u8 | MORE);
        number >>= GROUP;
    }
    bytes.push(number as u8);
}

/// The number of bits of a group.
const GROUP: u32 = 7;

/// The continuation bit of a byte.
const MORE: u8 = 1 << GROUP;

/// The mask of the bits of a group.
const LOW_BITS: u8 = MORE - 1;

/// The error for truncated bytes.
const ENDS: &str = "ends too early";

/// The error for excessive counts.
const MANY_ROWS: &str = "contains more than 2^42 rows";

/// The unread bytes.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// Reads the flags, after the version and the name of the dtype, which must equal `dtype`.
    fn flags(&mut self, dtype: &str) -> Result<u8, String> {
        if self.take(VERSION.len())? != VERSION {
            return Err("does not begin with ROC and the version 1, as pack_state writes it".into());
        }
        let length = self.byte()?;
        let stored = self.take(length.into())?;
        if stored != dtype.as_bytes() {
            let stored = String::from_utf8_lossy(stored);
            return Err(format!("contains scores of dtype {stored}, but score_dtype is {dtype}"));
        }
        let flags = self.byte()?;
        if flags > NAN + LIMITED + PROBABILITY + INTERVALS + WEIGHTS {
            return Err("has flags that this version does not have".into());
        }
        let is = |flag: u8| flags & flag > 0;
        let needs_limit = is(PROBABILITY) || is(INTERVALS);
        if is(NAN) && flags & !WEIGHTS != NAN || needs_limit && !is(LIMITED) {
            return Err("has flags that exclude each other".into());
        }
        Ok(flags)
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8], String> {
        let (head, rest) = self.0.split_at_checked(bytes).ok_or(ENDS)?;
        self.0 = rest;
        Ok(head)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self) -> Result<u128, String> {
        let mut number = 0;
        for shift in (0..u128::BITS).step_by(GROUP as usize) {
            let byte = self.byte()?;
            let group = u128::from(byte & LOW_BITS);
            if byte == 0 && shift > 0 {
                return Err("has a number in more bytes than it takes".into());
            }
            if group << shift >> shift != group {
                break;
            }
            number |= group << shift;
            if byte & MORE == 0 {
                return Ok(number);
            }
        }
        Err("has a number above 2^128".into())
    }

    fn rows(&mut self) -> Result<u64, String> {
        rows_of(self.number()?)
    }

    fn end(&self) -> Result<(), String> {
        if self.0.is_empty() { Ok(()) } else { Err("goes on after its last bin".into()) }
    }
}

impl RowCounts {
    /// Rejects more rows than a state may have.
    fn check(&self) -> Result<(), String> {
        if self.n_pos + self.n_neg > MAX_ROWS { Err(MANY_ROWS.into()) } else { Ok(()) }
    }
}

/// A count of rows.
fn rows_of(number: u128) -> Result<u64, String> {
    u64::try_from(number).ok().filter(|&rows| rows <= MAX_ROWS).ok_or(MANY_ROWS.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::tests::group_of;
    use crate::ranking::scores::{Domain, Score};
    use crate::states::state::tests::each;
    use proptest::prelude::*;

    fn state<S: Score>(rows: &[(S, bool)], domain: Domain, limit: Option<Limit>) -> State {
        group_of(rows, domain).ties().state().limited(limit)
    }

    fn agrees<S: Score>(
        rows: &[(S, bool)],
        domain: Domain,
        limit: Option<Limit>,
    ) -> Result<(), TestCaseError> {
        let state = state(rows, domain, limit);
        let score_type = ScoreType::new::<S>(domain);
        let bytes = state.packed("name", true);
        let same = State::unpacked(&bytes, "name", score_type).map_err(TestCaseError::fail)?;
        prop_assert_eq!(each(&same), each(&state));
        prop_assert_eq!(
            (same.rows, same.limit, same.resolution),
            (state.rows, state.limit, state.resolution)
        );
        prop_assert_eq!(same.packed("name", true), bytes);
        // Without scores: the same bins in the same intervals.
        let short = state.packed("name", false);
        let close = State::unpacked(&short, "name", score_type).map_err(TestCaseError::fail)?;
        let counts = |state: &State| each(state).into_iter().map(|bin| (bin.1, bin.2)).collect::<Vec<_>>();
        prop_assert_eq!(counts(&close), counts(&state));
        prop_assert_eq!(close.packed("name", false), short.clone());
        for (found, bin) in each(&close).into_iter().zip(each(&state)) {
            prop_assert!(found.0 <= bin.0 && (!bin.2 || found.0 == bin.0));
        }
        let cut = State::<u64>::unpacked(&short[..short.len() - 1], "name", score_type);
        prop_assert!(cut.is_err());
        let other = State::<u64>::unpacked(&short, "other", score_type).map(|_| ());
        prop_assert_eq!(other, Err("contains scores of dtype name, but score_dtype is other".into()));
        Ok(())
    }

    proptest! {
        #[test]
        fn round_trip(
            rows in prop::collection::vec((any::<f64>(), -1f64..1.0, any::<bool>(), 0..30), 0..400),
            max_bins in 16u64..60,
            power in -300i32..300,
            wild in any::<bool>(),
        ) {
            let score = |row: &(f64, f64, bool, i32)| match row.3 {
                0 => (row.1 * 8.0).round(),
                1 => f64::INFINITY.copysign(row.1),
                _ if wild && !row.0.is_nan() => row.0,
                _ => row.1 * 10f64.powi(power),
            };
            let real = |max_bins| Some(Limit { max_bins, scale: Scale::Real });
            let reals: Vec<(f64, bool)> = rows.iter().map(|row| (score(row), row.2)).collect();
            agrees(&reals, Domain::Any, None)?;
            agrees(&reals, Domain::Any, real(max_bins))?;
            let shares: Vec<(f64, bool)> = rows.iter().map(|row| (row.1.abs().powi(1 + power.abs() / 30), row.2)).collect();
            agrees(&shares, Domain::Any, Some(Limit { max_bins, scale: Scale::Probability }))?;
            let narrow: Vec<(f32, bool)> = reals.iter().map(|row| (row.0 as f32, row.1)).collect();
            agrees(&narrow, Domain::Any, real(max_bins))?;
            let whole: Vec<(i128, bool)> = reals.iter().map(|row| (row.0 as i128, row.1)).collect();
            agrees(&whole, Domain::Any, real(max_bins))?;
            let cents = Domain::Whole { lowest: -99999, highest: 99999, decimals: 2 };
            let prices: Vec<(i128, bool)> = rows.iter().map(|row| ((row.1 * 99999.0) as i128, row.2)).collect();
            agrees(&prices, cents, real(max_bins))?;
            let counts: Vec<(u64, bool)> = reals.iter().map(|row| (row.0 as u64, row.1)).collect();
            agrees(&counts, Domain::Any, real(max_bins))?;
            let halves: Vec<(f32, bool)> = rows.iter().map(|row| (((row.1 * 1024.0) as f32).round() / 64.0, row.2)).collect();
            agrees(&halves, Domain::Half, real(max_bins))?;
        }

        #[test]
        fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 0..60), flags in 0u8..32, begin in any::<bool>()) {
            if begin {
                bytes.splice(0..0, [b'R', b'O', b'C', 1, 1, b's', flags]);
            }
            for score_type in [ScoreType::new::<f64>(Domain::Any), ScoreType::new::<u128>(Domain::Any)] {
                let keep_scores = flags & INTERVALS == 0;
                if let Ok(state) = State::<u64>::unpacked(&bytes, "s", score_type) {
                    prop_assert_eq!(state.packed("s", keep_scores), &bytes[..]);
                }
                if let Ok(state) = State::<WeightSums>::unpacked(&bytes, "s", score_type) {
                    prop_assert_eq!(state.packed("s", keep_scores), &bytes[..]);
                }
            }
        }
    }

    #[test]
    fn weights() {
        let score_type = ScoreType::new::<u32>(Domain::Any);
        let sums = |steps: u128, squares: Option<u128>| WeightSums {
            steps,
            squares: squares.map_or(Squares::UNKNOWN, Squares::new),
        };
        let counts = vec![
            Count { pos: sums(MAX_STEPS - 3, Some(7)), neg: sums(0, Some(0)) },
            Count { pos: sums(1, None), neg: sums(10u128.pow(18), Some(10u128.pow(18))) },
        ];
        let rows = RowCounts { n_pos: 3, n_neg: 1, n_missing: 5, have_weights: true, ..RowCounts::default() };
        let keys: Vec<u32> = vec![9, 4];
        let state = State::exact(Counts::from_parts(keys.into(), counts, score_type), rows);
        let bytes = state.packed("u32", true);
        let back = State::<WeightSums>::unpacked(&bytes, "u32", score_type).unwrap();
        assert_eq!((back.bins.each(), back.rows), (state.bins.each(), rows));
        assert_eq!(back.packed("u32", true), bytes);
        let wrong = State::<u64>::unpacked(&bytes, "u32", score_type).map(|_| ());
        assert_eq!(wrong, Err("contains rows with weights. Hint: write `weights=True`".into()));
        let nan = State::<WeightSums>::nan(score_type, rows).packed("u32", true);
        let back = State::<WeightSums>::unpacked(&nan, "u32", score_type).unwrap();
        assert!(back.has_nan && back.rows == rows);
        let none = State::<u64>::nan(score_type, rows).packed("u32", true);
        assert!(State::<WeightSums>::unpacked(&none, "u32", score_type).is_err());
    }

    /// States merged from short encodings have the encoding of the whole.
    #[test]
    fn merged_parts_without_scores_equal_the_whole() {
        let limit = Some(Limit { max_bins: 64, scale: Scale::Real });
        let rows: Vec<(f64, bool)> =
            (0..4000).map(|i| ((f64::from(i) * 0.7).sin() * 3.0, i % 3 == 0)).collect();
        let score_type = ScoreType::new::<f64>(Domain::Any);
        let part = |from: usize, to: usize| {
            let bytes = state(&rows[from..to], Domain::Any, limit).packed("f64", false);
            State::unpacked(&bytes, "f64", score_type).unwrap()
        };
        let parts = [part(0, 30), part(30, 1000), part(1000, 3999), part(3999, 4000)];
        let merged =
            State::merged::<u64, ()>(0..4, &|_| 0, &|state| Ok(parts[state].clone())).unwrap().unwrap();
        let whole = state(&rows, Domain::Any, limit);
        assert!(whole.resolution > 0);
        assert_eq!(merged.packed("f64", false), whole.packed("f64", false));
        assert_eq!(merged.bins.clone().ties().twice_u(), whole.bins.clone().ties().twice_u());
        // Five bytes per bin, each with many rows.
        assert!(whole.packed("f64", false).len() < 5 * whole.bins.len() + 40);
    }
}
