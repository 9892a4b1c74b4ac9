//! States: columns of counted rows in the format of [`RocState`](crate::statistics::RocState).
//!
//! Such a column may come from any program. Invalid states are rejected with the name of the column before
//! use.

use std::ops::Range;

use arrow::array::{Array, BooleanArray, ListArray, PrimitiveArray, StructArray, Utf8ViewArray};
use arrow::bitmap::Bitmap;
use arrow::datatypes::ArrowDataType as Dtype;

use super::state_dtypes::SQUARES;
use super::state_numbers::{bin_counts, bin_weights, check_counts, numbers};
use super::{score, state_dtypes};
use crate::interrupt;
use crate::plugin::arrays::{
    downcast::{NOWHERE, downcast},
    values::{Values, gathered},
};
use crate::ranking::scores::{Domain, Score, ScoreType};
use crate::ranking::ties::{Count, CountValue, Counts, RowCounts, row_counts::MAX_ROWS};
use crate::states::{
    Limit, Scale, State, StoredState,
    moving::moving,
    scale::{LAST, Resolution},
    state::{CheckedSums, LIMITS},
    weight_sums::{MAX_STEPS, WeightSums},
};
use crate::statistics::states::roc_state::{BIN, RocStateRecord};

/// A column of states, without their scores.
pub struct States {
    name: String,
    /// The fields of each state except its bins; `None` for a null state, which has no rows.
    heads: Vec<Option<Head>>,
    /// The start of the bins of state `i`; one more entry than states.
    borders: Vec<usize>,
    counts: BinCounts,
    tied: Bitmap,
    /// The possible values of scores.
    domain: Domain,
}

/// The positives and negatives of all bins.
enum BinCounts {
    Counts { pos: PrimitiveArray<u64>, neg: PrimitiveArray<u64> },
    Weights { pos: Vec<WeightSums>, neg: Vec<WeightSums> },
}

/// The fields of a state except its bins.
struct Head {
    rows: RowCounts,
    has_nan: bool,
    limit: Option<Limit>,
    resolution: Resolution,
}

impl States {
    /// Reads states, and the scores of all their bins in the type that ranks them.
    pub fn read(column: &Values) -> Result<(States, Box<dyn Array>), String> {
        let name = column.name();
        let has_weights = state_dtypes::check(name, &column.field)?.has_weights;
        let structs = downcast::<StructArray>(column.array.as_ref())?;
        let lists = fields_of(structs, "bins")?;
        let lists = downcast::<ListArray<i64>>(lists.array.as_ref())?;
        let (borders, bins) = bins_of(structs, lists)?;
        let bins = downcast::<StructArray>(bins.as_ref())?;
        let scores = fields_of(bins, BIN[0].name)?;
        let domain = score::domain(scores.field.dtype());
        let tied = fields_of(bins, "tied")?;
        let has_null = bins.null_count() > 0 || scores.array.null_count() > 0 || tied.array.null_count() > 0;
        if has_null {
            return Err(format!("state \"{name}\" contains a bin with a null"));
        }
        let (pos, neg) = (fields_of(bins, "pos")?, fields_of(bins, "neg")?);
        let counts = if has_weights {
            let [pos_squares, neg_squares] = SQUARES.map(|field| fields_of(bins, field).ok());
            BinCounts::Weights {
                pos: bin_weights(name, &pos, pos_squares.as_ref())?,
                neg: bin_weights(name, &neg, neg_squares.as_ref())?,
            }
        } else {
            BinCounts::Counts { pos: bin_counts(name, &pos)?, neg: bin_counts(name, &neg)? }
        };
        let tied = downcast::<BooleanArray>(tied.array.as_ref())?.values().clone();
        let columns =
            state_dtypes::COUNTS.map(|field| numbers(name, &fields_of(structs, field)?, structs.validity()));
        let [n_pos, n_neg, n_missing, resolution, max_bins] = columns;
        let (n_pos, n_neg, n_missing, resolution, max_bins) =
            (n_pos?, n_neg?, n_missing?, resolution?, max_bins?);
        let has_nan = fields_of(structs, "has_nan")?;
        let has_nan = downcast::<BooleanArray>(has_nan.array.as_ref())?;
        let scales = fields_of(structs, "scale")?;
        let head = |state: usize| -> Result<Option<Head>, String> {
            if !structs.is_valid(state) {
                return Ok(None);
            }
            let missing = |field: &str| format!("state \"{name}\" contains a null {field}");
            let value = |column: &[Option<u64>], field: &str| column[state].ok_or_else(|| missing(field));
            let rows = RowCounts {
                n_pos: value(&n_pos, "n_pos")?,
                n_neg: value(&n_neg, "n_neg")?,
                n_missing: value(&n_missing, "n_missing")?,
                n_unlabelled: None,
                have_weights: has_weights,
            };
            let has_nan = has_nan.get(state).ok_or_else(|| missing("has_nan"))?;
            if !lists.is_valid(state) {
                return Err(missing("bins"));
            }
            let limit = limit(name, max_bins[state], word(&scales, state)?)?;
            let resolution = checked_resolution(name, value(&resolution, "resolution")?, limit)?;
            Ok(Some(Head { rows, has_nan, limit, resolution }))
        };
        let heads = (0..structs.len()).map(head).collect::<Result<Vec<_>, _>>()?;
        let states = States { name: name.into(), heads, borders, counts, tied, domain };
        Ok((states, score::rankable(&scores)?))
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether a state is valid and has complete rows.
    pub fn has_rows(&self, state: usize) -> bool {
        self.heads[state].as_ref().is_some_and(|head| head.rows.n_pos > 0 || head.rows.n_neg > 0)
    }

    /// Whether a state is valid (not null).
    pub fn is_present(&self, state: usize) -> bool {
        self.heads[state].is_some()
    }

    /// The bins of a range of states.
    pub fn bins(&self, states: Range<usize>) -> Range<usize> {
        self.borders[states.start]..self.borders[states.end]
    }

    /// Rejects states with more rows than a group may have.
    pub fn check_rows(&self, states: &[usize]) -> Result<(), String> {
        let all_rows = |head: &Head| head.rows.n_pos + head.rows.n_neg + head.rows.n_missing;
        let heads = states.iter().filter_map(|&state| self.heads[state].as_ref());
        if heads.map(all_rows).fold(0, u64::saturating_add) > MAX_ROWS {
            return Err(format!("state \"{}\" contains more than 2^42 rows in a group", self.name));
        }
        Ok(())
    }

    /// The scale of states, if any has one; rejects several different ones.
    pub fn scale(&self, states: &[usize]) -> Result<Option<Scale>, String> {
        let limits = states.iter().filter_map(|&state| self.heads[state].as_ref()?.limit);
        let mut scales = limits.map(|limit| limit.scale);
        let scale = scales.next();
        if scales.any(|other| Some(other) != scale) {
            return Err(format!(
                "state \"{}\" contains states of different scales, which cannot be merged",
                self.name
            ));
        }
        Ok(scale)
    }

    /// The merged state of some states; `scores` are the scores of all bins.
    pub fn merged<S: Score>(&self, states: &[usize], scores: &[S]) -> Result<StoredState, String> {
        Ok(match &self.counts {
            BinCounts::Counts { pos, neg } => {
                let counts =
                    |bins: Range<usize>| self.counts_of(&pos.values()[bins.clone()], &neg.values()[bins]);
                self.merged_as(states, scores, &counts)?.into()
            }
            BinCounts::Weights { pos, neg } => {
                self.check_weights(states, [pos, neg])?;
                let counts = |bins: Range<usize>| Ok(in_pairs(&pos[bins.clone()], &neg[bins]));
                self.merged_as(states, scores, &counts)?.into()
            }
        })
    }

    /// Rejects sums of weights that exceed the limit of a state.
    fn check_weights(&self, states: &[usize], sums: [&[WeightSums]; 2]) -> Result<(), String> {
        let total = |sums: &[WeightSums]| {
            let sums = states.iter().flat_map(|&state| &sums[self.bins(state..state + 1)]);
            sums.fold(0, |total: u128, sum| total.saturating_add(sum.steps))
        };
        if sums.into_iter().all(|sums| total(sums) <= MAX_STEPS) {
            return Ok(());
        }
        Err(format!(
            "state \"{}\" has weights of a class in a group that add up to 1e20 or more. Hint: make the states anew, with all \
             weights multiplied by the same number",
            self.name
        ))
    }

    /// Calls `emit` with the merged state of each window over some states, like [`moving`].
    pub fn moving<S: Score>(
        &self,
        states: &[usize],
        windows: &[Range<usize>],
        scores: &[S],
        emit: &mut impl FnMut(RocStateRecord),
    ) -> Result<(), String> {
        match &self.counts {
            BinCounts::Counts { pos, neg } => {
                let counts =
                    |bins: Range<usize>| self.counts_of(&pos.values()[bins.clone()], &neg.values()[bins]);
                self.moving_as(states, windows, scores, &counts, emit)
            }
            BinCounts::Weights { pos, neg } => {
                self.check_weights(states, [pos, neg])?;
                let counts = |bins: Range<usize>| Ok(in_pairs(&pos[bins.clone()], &neg[bins]));
                self.moving_as(states, windows, scores, &counts, emit)
            }
        }
    }

    fn moving_as<S: Score, T: CountValue>(
        &self,
        states: &[usize],
        windows: &[Range<usize>],
        scores: &[S],
        counts: &impl Fn(Range<usize>) -> Result<Vec<Count<T>>, String>,
        emit: &mut impl FnMut(RocStateRecord),
    ) -> Result<(), String>
    where
        State<T>: CheckedSums + Into<RocStateRecord>,
    {
        let scale = self.scale(states)?;
        self.check_rows(states)?;
        let read = |index: usize| self.checked(states[index], scores, counts, scale);
        moving::<S::Key, _, _>(windows, &read, &mut |state| {
            interrupt::check();
            emit(state.unwrap_or_else(|| self.empty::<S, T>()).into());
        })
    }

    fn merged_as<S: Score, T: CountValue>(
        &self,
        states: &[usize],
        scores: &[S],
        counts: &(impl Fn(Range<usize>) -> Result<Vec<Count<T>>, String> + Sync),
    ) -> Result<State<T>, String>
    where
        State<T>: CheckedSums,
    {
        let scale = self.scale(states)?;
        self.check_rows(states)?;
        let read = |index: usize| self.checked(states[index], scores, counts, scale);
        let bins = |indices: Range<usize>| {
            states[indices].iter().map(|&state| self.bins(state..state + 1).len()).sum()
        };
        let merged = State::<T>::merged::<S::Key, String>(0..states.len(), &bins, &read)?;
        Ok(merged.unwrap_or_else(|| self.empty::<S, T>()))
    }

    /// The state without rows.
    fn empty<S: Score, T: CountValue>(&self) -> State<T> {
        State::exact(Counts::new(ScoreType::new::<S>(self.domain), None), RowCounts::default())
    }

    /// A validated state.
    fn checked<S: Score, T: CountValue>(
        &self,
        state: usize,
        scores: &[S],
        counts: &impl Fn(Range<usize>) -> Result<Vec<Count<T>>, String>,
        scale: Option<Scale>,
    ) -> Result<State<T>, String>
    where
        State<T>: CheckedSums,
    {
        let Some(head) = &self.heads[state] else { return Ok(self.empty::<S, T>()) };
        let checked = self.state(state, head, scores, counts)?.checked(scale);
        checked.map_err(|problem| format!("state \"{}\" {problem}", self.name))
    }

    /// A state as it was written.
    fn state<S: Score, T: CountValue>(
        &self,
        state: usize,
        head: &Head,
        scores: &[S],
        counts: &impl Fn(Range<usize>) -> Result<Vec<Count<T>>, String>,
    ) -> Result<State<T>, String> {
        let bins = self.bins(state..state + 1);
        let counts = counts(bins.clone())?;
        let keys: Vec<S::Key> = scores[bins.clone()].iter().map(|score| score.key()).collect();
        let tied = self.tied.clone().sliced(bins.start, bins.len());
        let all_tied = tied.unset_bits() == 0;
        Ok(State {
            bins: Counts::from_parts(keys.into(), counts, ScoreType::new::<S>(self.domain)),
            tied: if all_tied { Vec::new() } else { tied.iter().collect() },
            limit: head.limit,
            resolution: head.resolution,
            rows: head.rows,
            has_nan: head.has_nan,
        })
    }

    /// Positives and negatives of the bins of a state, after validation as counts of rows.
    fn counts_of(&self, pos: &[u64], neg: &[u64]) -> Result<Vec<Count>, String> {
        check_counts(&self.name, "pos", pos)?;
        check_counts(&self.name, "neg", neg)?;
        Ok(in_pairs(pos, neg))
    }
}

/// Positives and negatives of each bin.
fn in_pairs<T: CountValue>(pos: &[T], neg: &[T]) -> Vec<Count<T>> {
    pos.iter().zip(neg).map(|(&pos, &neg)| Count { pos, neg }).collect()
}

/// A field of structs, by name.
fn fields_of(structs: &StructArray, name: &str) -> Result<Values, String> {
    let index = structs.fields().iter().position(|field| field.name == name);
    let index = index.ok_or_else(|| format!("no field {name}"))?;
    Ok(Values { field: structs.fields()[index].clone(), array: structs.values()[index].clone() })
}

/// The bins of all states, and the start of each state's bins. A null state has none, whatever is stored
/// under the null.
fn bins_of(structs: &StructArray, lists: &ListArray<i64>) -> Result<(Vec<usize>, Box<dyn Array>), String> {
    let offsets = lists.offsets();
    if structs.null_count() == 0 {
        let (start, bins) = (*offsets.first() as usize, offsets.range() as usize);
        let borders = offsets.iter().map(|&border| border as usize - start).collect();
        return Ok((borders, lists.values().sliced(start, bins)));
    }
    if *offsets.last() >= NOWHERE.into() {
        return Err(
            "states with nulls among them hold more than 2^32 bins. Hint: leave out the nulls by drop_nulls()"
                .into(),
        );
    }
    let (mut borders, mut used) = (vec![0], Vec::new());
    for (state, ends) in offsets.windows(2).enumerate() {
        if structs.is_valid(state) {
            used.extend(ends[0] as u32..ends[1] as u32);
        }
        borders.push(used.len());
    }
    Ok((borders, gathered(lists.values().as_ref(), &used)?))
}

/// The word of a row, if not null.
fn word(words: &Values, row: usize) -> Result<Option<&str>, String> {
    match words.field.dtype() {
        Dtype::Null => Ok(None),
        _ => Ok(downcast::<Utf8ViewArray>(words.array.as_ref())?.get(row)),
    }
}

/// Validates the resolution of a state against its scale.
fn checked_resolution(name: &str, resolution: u64, limit: Option<Limit>) -> Result<Resolution, String> {
    if resolution > LAST.into() {
        return Err(format!(
            "state \"{name}\" contains the resolution {resolution}, but the last one is {LAST}"
        ));
    }
    if resolution > 0 && limit.is_none() {
        return Err(format!("state \"{name}\" contains the resolution {resolution}, which has no scale"));
    }
    Ok(resolution as Resolution)
}

fn limit(state: &str, max_bins: Option<u64>, scale: Option<&str>) -> Result<Option<Limit>, String> {
    let (max_bins, scale_name) = match (max_bins, scale) {
        (None, None) => return Ok(None),
        (Some(max_bins), Some(scale_name)) => (max_bins, scale_name),
        _ => return Err(format!("state \"{state}\" has only one of max_bins and scale")),
    };
    let scale = Scale::NAMES.into_iter().find(|(name, _)| *name == scale_name);
    let Some((_, scale)) = scale else {
        return Err(format!(
            "state \"{state}\" has the unknown scale \"{scale_name}\"; expected real or probability"
        ));
    };
    if !LIMITS.contains(&max_bins) {
        return Err(format!("state \"{state}\" contains max_bins {max_bins}, expected 16 to 2^31"));
    }
    Ok(Some(Limit { max_bins, scale }))
}
