//! From List columns of several scores to an array of records per group, one for each score.

use polars_core::runtime::RAYON;

use super::columns;
use super::one_score::{Form, ScoreGroups, Statistic, SummaryStatistic};
use crate::plugin::abi::{arguments::Arguments, ffi::Input};
use crate::plugin::arrays::values::Values;
use crate::plugin::inputs::one_score;
use crate::plugin::threads::Threads;
use crate::ranking::tasks::{self, Pool};
use crate::statistics::kinds::{Column, Runs, Summary};

/// The number of scores per thread that are read at once. Scores of narrow types are widened on reading.
const SCORES_PER_THREAD: usize = 2;

/// Returns an array of records per group, one for each score.
pub fn summaries<M: Summary>(inputs: &[Input], call: &Arguments<M>) -> Result<Values, String> {
    let statistic = SummaryStatistic(&call.options);
    let (kind, score_columns) = one_score::split_scores(&call.roles, inputs)?;
    let read = |inputs: &Vec<_>| ScoreGroups::read(inputs, kind, M::WEIGHTS, Form::Record, &statistic);
    let (mut columns, mut groups, mut lookups) = (Vec::new(), None, None);
    for inputs in score_columns.chunks(SCORES_PER_THREAD * RAYON.current_num_threads()) {
        let scores = inputs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let groups = *groups.get_or_insert(scores[0].groups.len());
        if scores.iter().any(|score| score.groups.len() != groups) {
            return Err("all scores must have the same groups".into());
        }
        columns.extend(all_records(&scores, groups)?);
        lookups = lookups.or(scores.into_iter().next().map(|first| first.lookups));
    }
    let (Some(groups), Some(lookups)) = (groups, lookups) else { return Err("expected a score".into()) };
    let in_turn = Runs::in_turn(score_columns.len(), groups);
    let columns = Threads.install(|| Column::rows_of(columns, &in_turn));
    let records = columns::structs(statistic.fields(), columns, &lookups)?;
    Ok(Values::new(&inputs[0].field.name, columns::arrays(records, score_columns.len(), groups)?))
}

/// The records of all groups in parts, score by score.
fn all_records(scores: &[ScoreGroups<'_>], groups: usize) -> Result<Vec<Vec<Column>>, String> {
    let size = |index: usize| scores[index / groups].groups.size(index % groups);
    let passes = scores[0].statistic.passes();
    let parts = tasks::run(&Threads, groups * scores.len(), passes, &size, &|range| {
        // All groups of a part have scores of one type.
        let score_records = |score: usize| {
            let before = score * groups;
            scores[score].records(range.start.max(before) - before..range.end.min(before + groups) - before)
        };
        // Without groups the columns are empty.
        let part_scores = range.start / groups.max(1)..range.end.div_ceil(groups.max(1)).max(1);
        part_scores.map(score_records).collect::<Result<Vec<_>, _>>()
    });
    let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
    Ok(parts.map(|filled| filled.columns).collect())
}
