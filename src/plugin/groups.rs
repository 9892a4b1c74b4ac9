//! Groups: what each row of two List columns holds, as one run of scores and labels.
//!
//! The one place that turns a row of a List column into observations.

use arrow::bitmap::Bitmap;
use arrow::compute::utils::combine_validities_and;
use polars::prelude::*;

use super::{label, score, weight};
use crate::ranking::Bits;

/// The rows of all groups, scores and labels side by side, and where each group's begin and end.
pub struct Groups {
    /// In the type that ranks them, one chunk; without the groups' borders.
    pub scores: Series,
    labels: Bitmap,
    /// What each row weighs, if rows have weights.
    weights: Option<Series>,
    /// Rows of which nothing is missing and whose weight is not 0, where any is not so.
    valid: Option<Bitmap>,
    /// Where group `i` begins; one more entry than groups.
    borders: Vec<usize>,
}

impl Groups {
    /// Reads groups from a List column of scores, one of labels and, perhaps, one of weights.
    ///
    /// A column with a single row beside one with many is the same for every group (that is how a
    /// literal arrives). Inside a group all must have the same number of rows.
    pub fn read(inputs: &[Series]) -> PolarsResult<Groups> {
        let (rows, borders) = same_groups(inputs, |input| ["score", "label", "weight"][input.min(2)])?;
        let [score_rows, label_rows, weight_rows @ ..] = &rows[..] else {
            polars_bail!(ComputeError: "expected a score and a label");
        };
        let scores = score::rankable(score_rows)?;
        let (labels, labels_there) = label::bits("label", label_rows)?;
        let mut valid = combine_validities_and(scores.chunks()[0].validity(), labels_there.as_ref());
        let mut weights = None;
        if let Some(weight_rows) = weight_rows.first() {
            let (values, counted) = weight::values(weight_rows)?;
            valid = combine_validities_and(valid.as_ref(), counted.as_ref());
            weights = Some(values);
        }
        let valid = valid.filter(|valid| valid.unset_bits() > 0);
        Ok(Groups { scores, labels, weights, valid, borders })
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.borders.len() - 1
    }

    /// Where a group's rows are.
    pub fn rows(&self, group: usize) -> std::ops::Range<usize> {
        self.borders[group]..self.borders[group + 1]
    }

    /// All rows' labels.
    pub fn labels(&self) -> Bits<'_> {
        bits(&self.labels)
    }

    /// What each row weighs, if rows have weights.
    pub fn weights(&self) -> PolarsResult<Option<&[f64]>> {
        let column = self.weights.as_ref().map(|weights| weights.f64()).transpose()?;
        Ok(column.map(|column| column.downcast_as_array().values().as_slice()))
    }

    /// Which rows are whole, if not all are.
    pub fn valid(&self) -> Option<Bits<'_>> {
        self.valid.as_ref().map(bits)
    }
}

/// The rows of List columns, one list after the other, and the borders between lists, which must be those of the
/// first column in all; `role` says what an input is.
///
/// A column with a single list beside others with many is the same for every group (that is how a literal arrives).
pub fn same_groups(
    inputs: &[Series],
    role: impl Fn(usize) -> &'static str,
) -> PolarsResult<(Vec<Series>, Vec<usize>)> {
    // An empty column has no groups, whatever a literal beside it says.
    let groups = inputs.iter().map(|input| input.len()).find(|&groups| groups != 1).unwrap_or(1);
    let mut columns = Vec::with_capacity(inputs.len());
    let mut first: Option<Vec<usize>> = None;
    for (input, lists) in inputs.iter().enumerate() {
        polars_ensure!(lists.len() == groups || lists.len() == 1, ComputeError:
            "{} has {} groups but {} has {groups}", role(0), inputs[0].len(), role(input));
        let (rows, borders) = rows_and_borders(lists, groups)?;
        let first = first.get_or_insert_with(|| borders.clone());
        if *first != borders {
            let length = |borders: &[usize], group: usize| borders[group + 1] - borders[group];
            for group in 0..groups {
                let (there, here) = (length(first, group), length(&borders, group));
                polars_ensure!(there == here, ComputeError:
                    "{} \"{}\" has {here} rows but {} \"{}\" has {there} in the same group. \
                     Both must come from the same rows: filter, sort or sample both alike",
                    role(input), lists.name(), role(0), inputs[0].name());
            }
        }
        columns.push(rows.with_name(lists.name().clone()));
    }
    Ok((columns, first.unwrap_or_default()))
}

fn bits(bitmap: &Bitmap) -> Bits<'_> {
    let (bytes, start, rows) = bitmap.as_slice();
    Bits::new(bytes, start, rows)
}

/// The rows of a List column's lists, one after the other, and the borders between lists; a single
/// list is repeated for all `groups`.
fn rows_and_borders(lists: &Series, groups: usize) -> PolarsResult<(Series, Vec<usize>)> {
    let lists = if lists.len() == groups { lists.rechunk() } else { lists.new_from_index(0, groups) };
    let lists = lists.trim_lists_to_normalized_offsets().unwrap_or(lists);
    let lists = lists.list()?;
    let array = lists.downcast_as_array();
    let borders = array.offsets().iter().map(|&border| border as usize).collect();
    Ok((lists.get_inner(), borders))
}
