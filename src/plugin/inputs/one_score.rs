//! The inputs of statistics of one score: their validation, and the resulting dtype.

use arrow::datatypes::Field;

use super::dtypes::Dtypes;
use super::state_dtypes::{self, StateDtypes};
use super::{count, label, score, weight};
use crate::plugin::abi::arguments::Roles;
use crate::plugin::arrays::dtype;

/// The kind of the inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Inputs {
    /// A score and a label for each row.
    Rows,
    /// Also a weight for each row.
    Weighted,
    /// Also the number of identical rows for each row.
    Counted,
    /// States.
    States,
    /// States of two samples, with a label for each state instead of the labels of its rows.
    Samples,
}

impl Inputs {
    /// The kind for a call, by the roles of its columns.
    pub fn new(roles: &Roles) -> Self {
        let has = |role: &str| roles.index(role, roles.0.len()).is_some();
        match () {
            () if has("state") && has("label") => Inputs::Samples,
            () if has("state") => Inputs::States,
            () if has("count") => Inputs::Counted,
            () if has("weight") => Inputs::Weighted,
            () => Inputs::Rows,
        }
    }

    /// The roles of the columns, in reading order.
    fn roles(self) -> &'static [&'static str] {
        match self {
            Inputs::Rows => &["score", "label"],
            Inputs::Weighted => &["score", "label", "weight"],
            Inputs::Counted => &["score", "label", "count"],
            Inputs::States => &["state"],
            Inputs::Samples => &["state", "label"],
        }
    }

    /// The columns of these roles.
    pub fn columns<'a, T>(self, roles: &Roles, columns: &'a [T]) -> Result<Vec<&'a T>, String> {
        let column = |role: &&str| {
            let index = roles.index(role, columns.len());
            index.and_then(|index| columns.get(index)).ok_or_else(|| format!("there is no column {role}"))
        };
        self.roles().iter().map(column).collect()
    }
}

/// The kind for a call with several scores, and the columns of each score; only score and state columns are
/// not shared.
pub fn split_scores<'a, T>(roles: &Roles, columns: &'a [T]) -> Result<(Inputs, Vec<Vec<&'a T>>), String> {
    let shared = roles.0.iter().filter(|role| !role.starts_with("score") && !role.starts_with("state"));
    let has_rows = roles.0.first().is_none_or(|role| role.starts_with("score"));
    let first = if has_rows { "score" } else { "state" };
    let one_roles = Roles(std::iter::once(first.to_string()).chain(shared.cloned()).collect());
    let scores = (columns.len() + 1).saturating_sub(one_roles.0.len());
    let kind = Inputs::new(&one_roles);
    let score_columns = |score: &'a T| {
        let columns: Vec<&T> = std::iter::once(score).chain(&columns[scores..]).collect();
        Ok(kind.columns(&one_roles, &columns)?.into_iter().copied().collect())
    };
    Ok((kind, columns[..scores].iter().map(score_columns).collect::<Result<_, String>>()?))
}

/// Validates all inputs, and returns the dtypes that depend on them; `weights` is true if rows may have
/// weights.
pub fn checked(inputs: &[&Field], kind: Inputs, weights: bool) -> Result<Dtypes, String> {
    let (scores, labels, mass) = match inputs {
        [column, labels @ ..] if kind == Inputs::States || kind == Inputs::Samples => {
            let StateDtypes { score, has_weights } =
                state_dtypes::check(&column.name, dtype::listed(column)?)?;
            if let [labels] = labels {
                label::check("label", &labels.name, dtype::listed(labels)?)?;
            }
            if has_weights && !weights {
                return Err(state_dtypes::weights_message(&column.name));
            }
            return Ok(Dtypes::from_score(score.dtype.clone(), has_weights));
        }
        [scores, labels] => (scores, labels, None),
        [scores, labels, mass] if weights || kind == Inputs::Counted => (scores, labels, Some(mass)),
        _ => return Err(format!("expected a score and a label, got {} columns", inputs.len())),
    };
    let item = dtype::listed(scores)?;
    score::check("score", &scores.name, item)?;
    label::check("label", &labels.name, dtype::listed(labels)?)?;
    if let Some(mass) = mass {
        let check = if kind == Inputs::Counted { count::check } else { weight::check };
        check(&mass.name, dtype::listed(mass)?)?;
    }
    Ok(Dtypes::from_score(item.dtype.clone(), kind == Inputs::Weighted))
}
