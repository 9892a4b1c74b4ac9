//! The rows of all groups, column by column, for statistics of several columns row by row.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;

use arrow::array::{Array, PrimitiveArray};
use arrow::bitmap::{Bitmap, and_not};
use arrow::compute::utils::combine_validities_and;

use super::dtypes::Dtypes;
use super::groups::same_groups;
use super::joint::{InputRules, Mass};
use super::keyed_states::KeyedStates;
use super::keys::KeyCodes;
use super::score::{Native, WithScores, dispatch};
use super::{count, label, score, weight};
use crate::interrupt;
use crate::plugin::abi::ffi::Input;
use crate::plugin::arrays::{unpack_bits::unpack_bits, values::Values};
use crate::plugin::threads::Threads;
use crate::ranking::SHARD_ROWS;
use crate::ranking::rows::{
    AllPlacements, Codes, KeyPlacements, PartedPlacements, PlacementProducts, RowPlacements,
    placement_products::MAX_SCORES,
};
use crate::ranking::scores::{Score, Width};
use crate::ranking::tasks;
use crate::statistics::kinds::{Column, Field as RecordField, KeyKind, Needs};
use crate::statistics::rows::{Rows, SkippedRows};

/// A function that appends the record of one group.
pub type Append<'a> = &'a (dyn Fn(usize, &mut [Column]) -> Result<(), String> + Sync);

/// The rows of all groups, column by column.
pub struct GroupTable {
    scores: Vec<Box<dyn Array>>,
    /// States instead of scores and labels.
    states: Option<KeyedStates>,
    labels: Option<Bitmap>,
    values: Vec<PrimitiveArray<f64>>,
    /// The keys, if any.
    pub keys: Option<KeyCodes>,
    clusters: Option<KeyCodes>,
    /// The number of identical rows of each row, if counted.
    counts: Option<PrimitiveArray<f64>>,
    /// The weight of each row, if weighted.
    weights: Option<PrimitiveArray<f64>>,
    /// The mask of rows without a missing value; `None` if no value is missing.
    valid: Option<Bitmap>,
    /// The mask of rows in which only the label is missing, if the statistic needs it and there are any.
    unlabelled: Option<Bitmap>,
    borders: Vec<usize>,
}

impl GroupTable {
    /// Reads the columns.
    pub fn read(inputs: &[Input], rules: &InputRules) -> Result<(GroupTable, Dtypes), String> {
        let dtypes = rules.checked(&inputs.iter().map(|input| &input.field).collect::<Vec<_>>())?;
        let indices = rules.indices(inputs.len())?;
        let (rows, borders) = same_groups(&inputs.iter().collect::<Vec<_>>(), |input| indices.name(input))?;
        let mut valid: Option<Bitmap> = None;
        let mut narrow = |validity: Option<&Bitmap>| valid = combine_validities_and(valid.as_ref(), validity);
        let mut scores = Vec::with_capacity(indices.scores);
        for rows in &rows[..indices.scores] {
            let rankable = score::rankable(rows)?;
            narrow(rankable.validity());
            scores.push(rankable);
        }
        let mut states = None;
        if let Some(index) = indices.state {
            let read = KeyedStates::read(&rows[index])?;
            narrow(Some(&read.validity()));
            states = Some(read);
        }
        let valued = if rules.needs.values { &rows[..indices.scores] } else { &[] };
        let values = valued.iter().map(Values::floats).collect::<Result<Vec<_>, String>>()?;
        let (mut labels, mut labelled) = (None, None);
        if let Some(index) = indices.label {
            let (truths, validity) = label::bits("label", &rows[index])?;
            labelled = validity.filter(|_| !rules.needs.unlabelled);
            labels = Some(truths);
        }
        let mut keys = None;
        if let Some((index, role)) = indices.key {
            let keys_of_rows = &rows[index];
            narrow(keys_of_rows.validity().as_ref());
            let mut codes = KeyCodes::read(role, keys_of_rows, rules.keys)?;
            if let (KeyKind::Against(reference), Some(index)) = (rules.keys, indices.reference) {
                let (is_reference, _) = label::bits("reference", &rows[index])?;
                codes.put_first(&is_reference, keys_of_rows, reference)?;
            }
            keys = Some(codes);
        }
        let mut clusters = None;
        if let Some(index) = indices.cluster {
            narrow(rows[index].validity().as_ref());
            clusters = Some(KeyCodes::read("cluster", &rows[index], KeyKind::Any)?);
        }
        let (mut counts, mut weights) = (None, None);
        if let Some((index, mass)) = indices.mass {
            let (rows, is_weight) = (&rows[index], mass == Mass::Weight);
            let (values, used) = if is_weight { weight::values(rows)? } else { count::values(rows)? };
            narrow(used.as_ref());
            *(if is_weight { &mut weights } else { &mut counts }) = Some(values);
        }
        let some = |bitmap: Bitmap| Some(bitmap).filter(|bitmap| bitmap.unset_bits() > 0);
        let unlabelled = labelled.clone().filter(|_| rules.needs.skipped).and_then(some).map(|labelled| {
            let others = valid.as_ref();
            others.map_or_else(|| !&labelled, |others| and_not(others, &labelled))
        });
        let valid = combine_validities_and(valid.as_ref(), labelled.as_ref()).and_then(some);
        let table = GroupTable {
            scores,
            states,
            labels,
            values,
            keys,
            clusters,
            counts,
            weights,
            valid,
            unlabelled,
            borders,
        };
        Ok((table, dtypes))
    }

    fn rows(&self, group: usize) -> Range<usize> {
        self.borders[group]..self.borders[group + 1]
    }

    /// The records of all groups, in order.
    pub fn records(
        &self,
        fields: &[RecordField],
        passes: usize,
        append: Append,
    ) -> Result<Vec<Column>, String> {
        let groups = self.borders.len() - 1;
        let size = |group: usize| {
            let rows = self.rows(group);
            self.states.as_ref().map_or(rows.len(), |states| states.bins(rows))
        };
        let parts = tasks::run(&Threads, groups, passes, &size, &|range| {
            let mut columns = Column::all_of(fields, Width::default(), range.len());
            for group in range {
                interrupt::check();
                append(group, &mut columns)?;
            }
            Ok(columns)
        });
        let columns = Column::joined(parts.into_iter().collect::<Result<Vec<_>, String>>()?);
        Ok(if columns.is_empty() { Column::all_of(fields, Width::default(), 0) } else { columns })
    }

    /// The complete rows of a range, repeated by their counts.
    fn complete_rows(&self, range: Range<usize>) -> Result<CompleteRows, String> {
        let is_used = |&row: &usize| self.valid.as_ref().is_none_or(|valid| valid.get_bit(row));
        let rows = match &self.counts {
            None => self.valid.as_ref().map(|_| range.clone().filter(is_used).collect()),
            Some(counts) => {
                let used = || range.clone().filter(is_used).map(|row| (row, counts.value(row) as usize));
                count::check_repeated_rows(used().map(|(_, count)| count as u64).sum())?;
                Some(used().flat_map(|(row, count)| std::iter::repeat_n(row, count)).collect())
            }
        };
        Ok(CompleteRows { range, rows })
    }

    /// The number of rows with a missing value for each key in a range.
    fn skipped(&self, range: Range<usize>) -> Vec<SkippedRows> {
        let (Some(valid), Some(keys)) = (&self.valid, &self.keys) else { return Vec::new() };
        let rows: Vec<usize> = range.filter(|&row| !valid.get_bit(row)).collect();
        let (codes, key_codes) = keys.among(&rows.iter().map(|&row| keys.codes[row]).collect::<Vec<_>>());
        let key_rows = |key_code| SkippedRows { key_code, ..SkippedRows::default() };
        let mut skipped: Vec<SkippedRows> = key_codes.into_iter().map(key_rows).collect();
        for (&row, &code) in rows.iter().zip(&codes.row_codes) {
            let is_unlabelled = self.unlabelled.as_ref().is_some_and(|unlabelled| unlabelled.get_bit(row));
            let key_rows = &mut skipped[code as usize];
            key_rows.rows += 1;
            key_rows.unlabelled += u64::from(is_unlabelled);
        }
        skipped
    }

    /// The complete rows of a group, and whether a score among them is NaN. Such a score is coded like a
    /// number, and its key is marked.
    pub fn group(&self, group: usize, mut needs: Needs) -> Result<(Rows, bool), String> {
        let has_keys = self.keys.is_some();
        let row_by_row = needs.placement_products && (has_keys || self.scores.len() > MAX_SCORES);
        if row_by_row {
            needs = Needs { placement_products: false, placements: true, ..needs };
        }
        let complete = self.complete_rows(self.rows(group))?;
        let (keys, key_codes) = self
            .keys
            .as_ref()
            .map_or_else(Default::default, |keys| keys.among(&complete.select(&keys.codes)));
        let series = self.keys.as_ref().map_or(&[][..], |keys| &keys.series);
        let key_series = key_codes.iter().filter_map(|&key| series.get(key as usize).copied()).collect();
        if let Some(states) = &self.states {
            let (rows, has_nan) = states.rows(&complete.indices(), keys, needs)?;
            return Ok((Rows { key_codes, key_series, ..rows }, has_nan));
        }
        let mut rows = Rows {
            len: complete.len(),
            labels: self.labels.as_ref().map_or_else(Vec::new, |labels| complete.truths(labels)),
            keys,
            clusters: self.clusters.as_ref().map_or_else(Default::default, |clusters| {
                clusters.among(&complete.select(&clusters.codes)).0
            }),
            key_codes,
            key_series,
            weights: self.weights.as_ref().map(|weights| complete.select(weights.values()).into_owned()),
            skipped: if needs.skipped { self.skipped(self.rows(group)) } else { Vec::new() },
            ..Rows::default()
        };
        for values in &self.values {
            rows.values.push(complete.select(values.values()).into_owned());
        }
        #[allow(clippy::borrowed_box)]
        let facts_of = |scores: &Box<dyn Array>| {
            let reader = ScoreReader { complete: &complete, labels: &rows.labels, keys: &rows.keys, needs };
            dispatch(scores.as_ref(), reader)
        };
        let facts = if self.scores.len() > 1 && rows.len >= SHARD_ROWS {
            // Large score columns are ranked in parallel.
            tasks::par_map_items(&self.scores, facts_of).into_iter().collect::<Result<Vec<_>, String>>()?
        } else {
            self.scores.iter().map(facts_of).collect::<Result<Vec<_>, String>>()?
        };
        let mut has_nan = false;
        let mut parted_placements = Vec::new();
        for ScoreFacts { codes, placements, parted, key_placements, all_placements, key_distance, nan } in
            facts
        {
            parted_placements.extend(parted);
            has_nan |= !nan.is_empty();
            if !nan.is_empty() && rows.nan_keys.is_empty() {
                rows.nan_keys = vec![false; rows.keys.distinct];
            }
            for row in nan {
                if let Some(&key) = rows.keys.row_codes.get(row) {
                    rows.nan_keys[key as usize] = true;
                }
            }
            rows.scores.extend(codes);
            rows.placements.extend(placements);
            rows.key_placements.extend(key_placements);
            rows.all_placements = rows.all_placements.or(all_placements);
            rows.key_distance.extend(key_distance);
        }
        if needs.placement_products && !has_nan {
            rows.placement_products = Some(PlacementProducts::new(&parted_placements));
        }
        Ok((rows, has_nan))
    }
}

/// The complete rows of a group.
struct CompleteRows {
    range: Range<usize>,
    /// Their indices, if not each row once.
    rows: Option<Vec<usize>>,
}

impl CompleteRows {
    fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.range.len(), Vec::len)
    }

    fn indices(&self) -> Cow<'_, [usize]> {
        self.rows.as_ref().map_or_else(|| self.range.clone().collect(), Cow::from)
    }

    fn select<'a, T: Copy>(&self, column: &'a [T]) -> Cow<'a, [T]> {
        match &self.rows {
            None => Cow::Borrowed(&column[self.range.clone()]),
            Some(rows) => rows.iter().map(|&row| column[row]).collect::<Vec<T>>().into(),
        }
    }

    fn truths(&self, labels: &Bitmap) -> Vec<bool> {
        match &self.rows {
            None => unpack_bits(labels, self.range.clone()),
            Some(rows) => rows.iter().map(|&row| labels.get_bit(row)).collect(),
        }
    }
}

/// Computes the inputs of a statistic from a score column.
struct ScoreReader<'a> {
    complete: &'a CompleteRows,
    labels: &'a [bool],
    keys: &'a Codes,
    needs: Needs,
}

/// The inputs of a statistic from a score column.
struct ScoreFacts {
    codes: Option<Codes>,
    placements: Option<RowPlacements>,
    parted: Option<PartedPlacements>,
    key_placements: Option<Vec<KeyPlacements>>,
    all_placements: Option<AllPlacements>,
    key_distance: Vec<u128>,
    /// The rows with NaN.
    nan: Vec<usize>,
}

impl WithScores for ScoreReader<'_> {
    type Output = ScoreFacts;

    fn with<S: Native>(self, scores: &[S]) -> Result<ScoreFacts, String> {
        let scores = self.complete.select(scores);
        let nan = LazyCell::new(|| nan_rows(&scores));
        let create = if self.needs.ks_distance { AllPlacements::with_heights } else { AllPlacements::new };
        let all_placements =
            (self.needs.all_placements && nan.is_empty()).then(|| create(&scores, self.labels, self.keys));
        let key_distance = match &all_placements {
            Some(all) => all.ks_distance(),
            None if self.needs.ks_distance => self.farthest_without(&nan, &scores),
            None => Vec::new(),
        };
        let placements =
            (self.needs.placements && nan.is_empty()).then(|| RowPlacements::new(&scores, self.labels));
        let parted =
            self.needs.placement_products.then(|| PartedPlacements::new(&scores, self.labels)).flatten();
        // Keys with a NaN have no placements; all others do.
        let (key_placements, keys_have_nan) = match &all_placements {
            Some(all) => (Some(all.keys()), Some(false)),
            None if self.needs.key_placements || self.needs.all_placements => {
                let (key_placements, has_nan) = KeyPlacements::new(&scores, self.labels, self.keys);
                (Some(key_placements), Some(has_nan))
            }
            None => (None, None),
        };
        // Ranking detects NaN scores.
        let has_no_nan = parted.is_some() || keys_have_nan == Some(false);
        Ok(ScoreFacts {
            codes: self.needs.codes.then(|| Codes::new(&scores)),
            placements,
            parted,
            key_placements,
            all_placements,
            key_distance,
            nan: if has_no_nan { Vec::new() } else { nan.to_vec() },
        })
    }
}

fn nan_rows<S: Score>(scores: &[S]) -> Vec<usize> {
    // Most columns have no NaN, which a loop without branches checks fastest.
    let any_nan = |scores: &[S]| scores.iter().fold(false, |any, score| any | score.is_nan());
    let has_nan = if scores.len() < SHARD_ROWS {
        any_nan(scores)
    } else {
        let chunks: Vec<&[S]> = scores.chunks(SHARD_ROWS).collect();
        tasks::par_map_items(&chunks, |scores| any_nan(scores)).contains(&true)
    };
    if has_nan { (0..scores.len()).filter(|&row| scores[row].is_nan()).collect() } else { Vec::new() }
}

impl ScoreReader<'_> {
    /// The largest `|tp N - fp P|` of each key's rows; 0 for keys with a NaN score.
    fn farthest_without<S: Score>(&self, nan: &[usize], scores: &[S]) -> Vec<u128> {
        let mut has_nan = vec![false; self.keys.distinct];
        nan.iter().for_each(|&row| has_nan[self.keys.row_codes[row] as usize] = true);
        let is_kept = |&row: &u32| !has_nan[self.keys.row_codes[row as usize] as usize];
        let rows: Vec<u32> = (0..scores.len() as u32).filter(is_kept).collect();
        let scores: Vec<S> = rows.iter().map(|&row| scores[row as usize]).collect();
        let labels: Vec<bool> = rows.iter().map(|&row| self.labels[row as usize]).collect();
        let mut ks_distance =
            AllPlacements::with_heights(&scores, &labels, &self.keys.select(&rows)).ks_distance();
        // The value for all of these rows together is not needed.
        ks_distance.truncate(self.keys.distinct);
        ks_distance
    }
}
