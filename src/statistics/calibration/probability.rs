//! Validation of scores as probabilities.

use crate::ranking::ties::Ties;

/// Rejects scores below 0 or above 1.
pub fn check(ties: &mut Ties<'_>) -> Result<(), String> {
    for rank in [1, ties.n_pos() + ties.n_neg()] {
        let score = ties.threshold(rank).map(|key| ties.value(key));
        score.map_or(Ok(()), check_score)?;
    }
    Ok(())
}

/// Rejects a score below 0 or above 1.
pub fn check_score(score: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&score) {
        return Ok(());
    }
    Err(format!(
        "scores must be probabilities from 0 to 1, got {score:?}; for logits write 1 / (1 + (-pl.col(\"logit\")).exp())"
    ))
}
