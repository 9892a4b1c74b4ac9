//! Groups: the rows of two List columns as contiguous scores and labels.
//!
//! This is the only place that converts a row of a List column to observations.

use std::ops::Range;

use arrow::array::{Array, ListArray, PrimitiveArray, new_empty_array};
use arrow::bitmap::{Bitmap, and_not};
use arrow::compute::utils::combine_validities_and;
use arrow::datatypes::Field;

use super::states::States;
use super::{count, label, score, weight};
use crate::plugin::abi::ffi::Input;
use crate::plugin::arrays::{
    downcast::downcast,
    dtype,
    values::{Values, concatenated},
};
use crate::ranking::group::Group;
use crate::ranking::scores::{Bits, Observations, Score};
use crate::states::{Limit, State};

/// The rows or states of all groups, and the borders of groups.
pub struct Groups {
    /// The scores in the type that ranks them, of all groups; for states, of all bins.
    pub scores: Box<dyn Array>,
    content: Content,
    /// The start of group `i`; one more entry than groups.
    borders: Vec<usize>,
}

/// The data besides the scores.
enum Content {
    Rows(Rows),
    States(Box<States>, Option<Samples>),
}

/// The sample of each state, instead of the labels of its rows.
struct Samples {
    labels: Bitmap,
    /// The mask of states with a label, if not all have one.
    valid: Option<Bitmap>,
}

impl Samples {
    /// The states of a sample within a group.
    fn states(&self, group: Range<usize>, label: bool) -> Vec<usize> {
        let is_present = |state: usize| self.valid.as_ref().is_none_or(|valid| valid.get_bit(state));
        group.filter(|&state| is_present(state) && self.labels.get_bit(state) == label).collect()
    }
}

/// The data of rows besides their scores.
struct Rows {
    labels: Bitmap,
    /// The counts or weights of rows, if any.
    masses: Option<Masses>,
    /// The mask of complete rows with non-zero weight, if not all are.
    valid: Option<Bitmap>,
    /// The mask of rows in which only the label is missing, if any.
    unlabelled: Option<Bitmap>,
}

impl Groups {
    /// Reads groups from a List column of scores, one of labels, and optionally one of weights or of counts.
    ///
    /// A single-row column is broadcast to all groups; literals arrive in this way. Within a group all
    /// columns must have the same number of rows.
    pub fn read(inputs: &[&Input], counted: bool) -> Result<Groups, String> {
        let third = if counted { "count" } else { "weight" };
        let (rows, borders) = same_groups(inputs, |input| ["score", "label", third][input.min(2)])?;
        let [score_rows, label_rows, mass_rows @ ..] = &rows[..] else {
            return Err("expected a score and a label".into());
        };
        let scores = score::rankable(score_rows)?;
        let (labels, labels_valid) = label::bits("label", label_rows)?;
        let mut others_valid = scores.validity().cloned();
        let mut masses = None;
        if let Some(mass_rows) = mass_rows.first() {
            let (values, used) = if counted { count::values(mass_rows)? } else { weight::values(mass_rows)? };
            others_valid = combine_validities_and(others_valid.as_ref(), used.as_ref());
            let name = mass_rows.name().to_string();
            masses = Some(if counted { Masses::Counts(values) } else { Masses::Weights { name, values } });
        }
        let some = |bitmap: Bitmap| Some(bitmap).filter(|bitmap| bitmap.unset_bits() > 0);
        let valid = combine_validities_and(others_valid.as_ref(), labels_valid.as_ref()).and_then(some);
        let unlabelled = labels_valid.and_then(some).map(|valid_labels| match &others_valid {
            None => !&valid_labels,
            Some(others) => and_not(others, &valid_labels),
        });
        Ok(Groups { scores, content: Content::Rows(Rows { labels, masses, valid, unlabelled }), borders })
    }

    /// Reads groups of states from a List column, and optionally one of the labels of states.
    pub fn read_states(inputs: &[&Input]) -> Result<Groups, String> {
        let (columns, borders) = same_groups(inputs, |input| ["state", "label"][input.min(1)])?;
        let [column, label_rows @ ..] = &columns[..] else { return Err("expected a state".into()) };
        let (states, scores) = States::read(column)?;
        let mut samples = None;
        if let Some(label_rows) = label_rows.first() {
            let (labels, valid) = label::bits("label", label_rows)?;
            samples = Some(Samples { labels, valid });
        }
        Ok(Groups { scores, content: Content::States(Box::new(states), samples), borders })
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.borders.len() - 1
    }

    /// The number of rows of a group, or of bins of its states.
    pub fn size(&self, group: usize) -> usize {
        let rows = self.rows(group);
        match &self.content {
            Content::Rows(_) => rows.len(),
            Content::States(states, _) => states.bins(rows).len(),
        }
    }

    /// The range of a group's rows or states.
    fn rows(&self, group: usize) -> Range<usize> {
        self.borders[group]..self.borders[group + 1]
    }

    /// The rows of a group, or of all groups together, with these scores; `None` for states.
    pub fn observations<'a, S: Score>(
        &'a self,
        group: Option<usize>,
        scores: &'a [S],
    ) -> Option<Observations<'a, S>> {
        let range = group.map_or(0..scores.len(), |group| self.rows(group));
        match &self.content {
            Content::Rows(rows) => Some(rows.observations(range, scores)),
            Content::States(..) => None,
        }
    }

    /// Loads the rows or states of a group, with these scores. If only a state is needed, weighted rows are
    /// loaded as a state, and so are many rows for a bounded state.
    pub fn load<S: Score>(
        &self,
        group: usize,
        scores: &[S],
        state: Option<Option<Limit>>,
        into: &mut Group<S::Key>,
    ) -> Result<(), String> {
        let range = self.rows(group);
        match &self.content {
            Content::States(states, None) => {
                into.load_state(states.merged(&range.collect::<Vec<_>>(), scores)?);
            }
            Content::States(states, Some(samples)) => {
                let all = range.clone().collect::<Vec<_>>();
                states.check_rows(&all)?;
                states.scale(&all)?;
                let merged = |label| states.merged(&samples.states(range.clone(), label), scores);
                match (merged(true)?.into_parts(), merged(false)?.into_parts()) {
                    ((_, Some(positive)), (_, Some(negative))) => {
                        into.load_state(State::from_samples::<S::Key>(positive, negative));
                    }
                    ((positive, _), (negative, _)) => {
                        into.load_state(State::from_samples::<S::Key>(positive, negative));
                    }
                }
            }
            Content::Rows(rows) => {
                let observations = rows.observations(range, scores);
                into.load_for(&[observations], state).map_err(|problem| rows.with_name(&problem))?;
            }
        }
        Ok(())
    }
}

impl Rows {
    fn observations<'a, S: Score>(&'a self, rows: Range<usize>, scores: &'a [S]) -> Observations<'a, S> {
        let slice = |bitmap| bits(bitmap).slice(rows.start, rows.len());
        let valid = self.valid.as_ref().map(slice);
        let n_unlabelled = match (&self.unlabelled, &self.masses) {
            (None, _) => 0,
            (Some(unlabelled), Some(Masses::Counts(counts))) => {
                rows.clone().filter(|&row| unlabelled.get_bit(row)).map(|row| counts.value(row) as u64).sum()
            }
            (Some(unlabelled), _) => slice(unlabelled).count(None) as u64,
        };
        let observations = Observations::new(&scores[rows.clone()], slice(&self.labels), valid)
            .with_unlabelled(n_unlabelled);
        match &self.masses {
            None => observations,
            Some(Masses::Weights { values, .. }) => observations.with_weights(&values.values()[rows]),
            Some(Masses::Counts(counts)) => {
                let all_rows = count::rows(counts, rows.clone());
                observations.with_counts(&counts.values()[rows], all_rows)
            }
        }
    }

    /// Adds the name of the column to an error about weights.
    fn with_name(&self, problem: &str) -> String {
        match &self.masses {
            Some(Masses::Weights { name, .. }) => {
                format!("weight \"{name}\" {problem}. Hint: multiply all weights by the same number")
            }
            _ => problem.into(),
        }
    }
}

/// The masses of rows.
enum Masses {
    /// Weights, with the name of their column.
    Weights { name: String, values: PrimitiveArray<f64> },
    /// Counts of identical rows.
    Counts(PrimitiveArray<f64>),
}

/// The concatenated rows of List columns, and the borders between lists, which must be the same in all
/// columns. `role` returns the role of an input.
///
/// A single-list column is broadcast to all groups; literals arrive in this way.
pub fn same_groups(
    inputs: &[&Input],
    role: impl Fn(usize) -> &'static str,
) -> Result<(Vec<Values>, Vec<usize>), String> {
    // If a column is empty there are no groups, even next to a literal.
    let groups = inputs.iter().map(|input| input.len()).find(|&groups| groups != 1).unwrap_or(1);
    let mut columns = Vec::with_capacity(inputs.len());
    let mut first: Option<Vec<usize>> = None;
    for (input, lists) in inputs.iter().enumerate() {
        if lists.len() != groups && lists.len() != 1 {
            return Err(format!(
                "{} has {} groups but {} has {groups}",
                role(0),
                inputs[0].len(),
                role(input)
            ));
        }
        let (rows, borders) = rows_and_borders(lists, groups)?;
        let first = first.get_or_insert_with(|| borders.clone());
        if *first != borders {
            let length = |borders: &[usize], group: usize| borders[group + 1] - borders[group];
            let lengths = |group: usize| (length(first, group), length(&borders, group));
            if let Some((others, n_rows)) = (0..groups).map(lengths).find(|(others, n_rows)| others != n_rows)
            {
                return Err(format!(
                    "{} \"{}\" has {n_rows} rows but {} \"{}\" has {others} in the same group. \
                     Both must come from the same rows: filter, sort or sample both alike",
                    role(input),
                    lists.field.name,
                    role(0),
                    inputs[0].field.name
                ));
            }
        }
        columns.push(rows);
    }
    Ok((columns, first.unwrap_or_default()))
}

fn bits(bitmap: &Bitmap) -> Bits<'_> {
    let (bytes, start, rows) = bitmap.as_slice();
    Bits::new(bytes, start, rows)
}

/// The concatenated rows of a List column, and the borders between lists; a single list is repeated `groups`
/// times. A null list has the rows between its borders, which are none.
fn rows_and_borders(lists: &Input, groups: usize) -> Result<(Values, Vec<usize>), String> {
    let item = dtype::listed(&lists.field)?;
    let mut parts = Vec::with_capacity(lists.chunks.len().max(1));
    let mut borders = vec![0];
    for chunk in &lists.chunks {
        let chunk = downcast::<ListArray<i64>>(chunk.as_ref())?;
        let (start, len) = (*chunk.offsets().first() as usize, chunk.offsets().range() as usize);
        let before = borders[borders.len() - 1];
        borders.extend(chunk.offsets().iter().skip(1).map(|&border| before + border as usize - start));
        parts.push(chunk.values().sliced(start, len));
    }
    if parts.is_empty() {
        parts.push(new_empty_array(item.dtype.clone()));
    }
    if lists.len() != groups {
        let list = concatenated(&parts)?;
        borders = (0..=groups).map(|group| group * list.len()).collect();
        parts = if groups == 0 { vec![list.sliced(0, 0)] } else { vec![list; groups] };
    }
    let field = Field { name: lists.field.name.clone(), ..item.clone() };
    Ok((Values { field, array: concatenated(&parts)? }, borders))
}
