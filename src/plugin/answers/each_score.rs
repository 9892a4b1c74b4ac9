//! From List columns of several scores to an array of records per group, one for each score.

use polars_core::runtime::RAYON;

use super::columns;
use super::one_score::{Form, OfSummary, ScoreGroups, Statistic};
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
    let statistic = OfSummary(&call.options);
    let (kind, of_scores) = one_score::of_each_score(&call.roles, inputs)?;
    let read = |inputs: &Vec<_>| ScoreGroups::read(inputs, kind, M::WEIGHTS, Form::Record, &statistic);
    let (mut columns, mut groups, mut lookups) = (Vec::new(), None, None);
    for inputs in of_scores.chunks(SCORES_PER_THREAD * RAYON.current_num_threads()) {
        let scores = inputs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let groups = *groups.get_or_insert(scores[0].groups.len());
        if scores.iter().any(|score| score.groups.len() != groups) {
            return Err("all scores must have the same groups".into());
        }
        columns.extend(of_all_groups(&scores, groups)?);
        lookups = lookups.or(scores.into_iter().next().map(|first| first.lookups));
    }
    let (Some(groups), Some(lookups)) = (groups, lookups) else { return Err("expected a score".into()) };
    let in_turn = Runs::in_turn(of_scores.len(), groups);
    let columns = Threads.install(|| Column::rows_of(columns, &in_turn));
    let records = columns::structs(statistic.fields(), columns, &lookups)?;
    Ok(Values::new(&inputs[0].field.name, columns::arrays(records, of_scores.len(), groups)?))
}

/// The records of all groups in parts, score by score.
fn of_all_groups(scores: &[ScoreGroups<'_>], groups: usize) -> Result<Vec<Vec<Column>>, String> {
    let size = |place: usize| scores[place / groups].groups.size(place % groups);
    let passes = scores[0].statistic.passes();
    let parts = tasks::run(&Threads, groups * scores.len(), passes, &size, &|places| {
        // All groups of a part have scores of one type.
        let of_score = |score: usize| {
            let before = score * groups;
            scores[score].records(places.start.max(before) - before..places.end.min(before + groups) - before)
        };
        // Without groups the columns are empty.
        let of_part = places.start / groups.max(1)..places.end.div_ceil(groups.max(1)).max(1);
        of_part.map(of_score).collect::<Result<Vec<_>, _>>()
    });
    let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
    Ok(parts.map(|filled| filled.columns).collect())
}
