//! Validation of scores as probabilities.

use crate::ranking::ties::Ties;
use crate::statistics::options::{per_front_end, score_name};
use crate::statistics::rows::Rows;

/// Rejects scores below 0 or above 1.
pub fn check(ties: &mut Ties<'_>) -> Result<(), String> {
    for rank in [1, ties.n_pos() + ties.n_neg()] {
        let score = ties.threshold(rank).map(|key| ties.value(key));
        score.map_or(Ok(()), |score| check_score(score, 0))?;
    }
    Ok(())
}

/// Rejects rows with a score below 0 or above 1.
pub fn check_rows(rows: &Rows) -> Result<(), String> {
    let mut scores = rows.values.iter().enumerate();
    scores.try_for_each(|(index, values)| values.iter().try_for_each(|&score| check_score(score, index)))
}

/// Rejects a score below 0 or above 1; `index` is the index of its column.
fn check_score(score: f64, index: usize) -> Result<(), String> {
    if (0.0..=1.0).contains(&score) {
        return Ok(());
    }
    let name = score_name(index);
    let logistic =
        per_front_end("1 / (1 + (-pl.col(\"logit\")).exp())", "--score \"1 / (1 + EXP(-logit)) AS p\"");
    Err(format!(
        "scores must be probabilities from 0 to 1, got {score:?}{name}. Hint: for logits write {logistic}"
    ))
}
