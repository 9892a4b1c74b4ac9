//! Groups: what each row of two List columns holds, as one run of scores and labels.
//!
//! The one place that turns a row of a List column into observations.

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

/// The rows or states of all groups, and where each group's begin and end.
pub struct Groups {
    /// In the type that ranks them, without the groups' borders; of states those of all bins.
    pub scores: Box<dyn Array>,
    content: Content,
    /// Where group `i` begins; one more entry than groups.
    borders: Vec<usize>,
}

/// What stands beside the scores.
enum Content {
    Rows(Rows),
    States(Box<States>, Option<Samples>),
}

/// Which sample each state is of, in place of the labels of its rows.
struct Samples {
    labels: Bitmap,
    /// Which states have a label, if not all.
    valid: Option<Bitmap>,
}

impl Samples {
    /// The states of a sample among those of a group.
    fn states(&self, group: Range<usize>, label: bool) -> Vec<usize> {
        let is_present = |state: usize| self.valid.as_ref().is_none_or(|valid| valid.get_bit(state));
        group.filter(|&state| is_present(state) && self.labels.get_bit(state) == label).collect()
    }
}

/// Rows, beside their scores.
struct Rows {
    labels: Bitmap,
    /// What each row stands for, if not for one row.
    masses: Option<Masses>,
    /// Rows of which nothing is missing and whose weight is not 0, where any is not so.
    valid: Option<Bitmap>,
    /// Rows of which only the label is missing, where any is so.
    unlabelled: Option<Bitmap>,
}

impl Groups {
    /// Reads groups from a List column of scores, one of labels and, perhaps, one of weights or, if rows are counted, of
    /// counts.
    ///
    /// A column with a single row beside one with many is the same for every group (that is how a
    /// literal arrives). Inside a group all must have the same number of rows.
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

    /// Reads groups of states from a List column and, perhaps, one of the labels of states.
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

    /// How many rows a group has, or how many bins its states have.
    pub fn size(&self, group: usize) -> usize {
        let rows = self.rows(group);
        match &self.content {
            Content::Rows(_) => rows.len(),
            Content::States(states, _) => states.bins(rows).len(),
        }
    }

    /// Where a group's rows or states are.
    fn rows(&self, group: usize) -> Range<usize> {
        self.borders[group]..self.borders[group + 1]
    }

    /// The rows of a group, or of all groups together, whose scores are a part of these; none of states.
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

    /// Loads the rows or states of a group, whose scores are a part of these. If a state is all that is needed, rows with
    /// weights are loaded as one, and so are many rows if it may be small.
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
                let of = |label| states.merged(&samples.states(range.clone(), label), scores);
                match (of(true)?.into_parts(), of(false)?.into_parts()) {
                    ((_, Some(positive)), (_, Some(negative))) => {
                        into.load_state(State::of_samples::<S::Key>(positive, negative));
                    }
                    ((positive, _), (negative, _)) => {
                        into.load_state(State::of_samples::<S::Key>(positive, negative));
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
    /// The rows of a group.
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

    /// What is wrong with weights, with the name of their column.
    fn with_name(&self, problem: &str) -> String {
        match &self.masses {
            Some(Masses::Weights { name, .. }) => {
                format!("weight \"{name}\" {problem}. Hint: multiply all weights by the same number")
            }
            _ => problem.into(),
        }
    }
}

/// What rows stand for.
enum Masses {
    /// Each weighs so much; the column has a name.
    Weights { name: String, values: PrimitiveArray<f64> },
    /// Each is so many identical rows.
    Counts(PrimitiveArray<f64>),
}

/// The rows of List columns, one list after the other, and the borders between lists, which must be those of the
/// first column in all; `role` says what an input is.
///
/// A column with a single list beside others with many is the same for every group (that is how a literal arrives).
pub fn same_groups(
    inputs: &[&Input],
    role: impl Fn(usize) -> &'static str,
) -> Result<(Vec<Values>, Vec<usize>), String> {
    // An empty column has no groups, whatever a literal beside it says.
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

/// The rows of a List column's lists, one after the other, and the borders between lists; a single
/// list is repeated for all `groups`. A null list holds the rows that its borders say, which are none.
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
