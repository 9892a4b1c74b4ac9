//! Groups: what each row of two List columns holds, as one run of scores and labels.
//!
//! The one place that turns a row of a List column into observations.

use arrow::bitmap::Bitmap;
use arrow::compute::utils::combine_validities_and;
use polars::prelude::*;

use super::{label, score};
use crate::ranking::Bits;

/// The rows of all groups, scores and labels side by side, and where each group's begin and end.
pub struct Groups {
    /// In the type that ranks them, one chunk; without the groups' borders.
    pub scores: Series,
    labels: Bitmap,
    /// Rows whose score and label are both there, where any is missing.
    valid: Option<Bitmap>,
    /// Where group `i` begins; one more entry than groups.
    borders: Vec<usize>,
}

impl Groups {
    /// Reads groups from a List column of scores and one of labels.
    ///
    /// A column with a single row beside one with many is the same for every group (that is how a
    /// literal arrives). Inside a group both must have the same number of rows.
    pub fn read(scores: &Series, labels: &Series) -> PolarsResult<Groups> {
        let groups = match (scores.len(), labels.len()) {
            (1, groups) | (groups, 1) => groups,
            (scores, labels) if scores == labels => scores,
            (scores, labels) => {
                polars_bail!(ComputeError: "score has {scores} groups but label has {labels}")
            }
        };
        let (score_rows, score_borders) = rows_and_borders(scores, groups)?;
        let (label_rows, label_borders) = rows_and_borders(labels, groups)?;
        if score_borders != label_borders {
            let length = |borders: &[usize], group: usize| borders[group + 1] - borders[group];
            for group in 0..groups {
                let (scores_here, labels_here) =
                    (length(&score_borders, group), length(&label_borders, group));
                polars_ensure!(scores_here == labels_here, ComputeError:
                    "label \"{}\" has {labels_here} rows but score \"{}\" has {scores_here} in the same group. \
                     Both must come from the same rows: filter, sort or sample both alike",
                    labels.name(), scores.name());
            }
        }
        let scores = score::rankable(&score_rows.with_name(scores.name().clone()))?;
        let (labels, labels_there) = label::bits(&label_rows.with_name(labels.name().clone()))?;
        let scores_there = scores.chunks()[0].validity();
        let valid = combine_validities_and(scores_there, labels_there.as_ref())
            .filter(|valid| valid.unset_bits() > 0);
        Ok(Groups { scores, labels, valid, borders: score_borders })
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

    /// Which rows are whole, if not all are.
    pub fn valid(&self) -> Option<Bits<'_>> {
        self.valid.as_ref().map(bits)
    }
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
