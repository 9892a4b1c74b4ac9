//! The inputs of statistics of several columns row by row: their positions and requirements.

use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::dtypes::Dtypes;
use super::{count, keys, label, score, state_dtypes, weight};
use crate::plugin::abi::arguments::{Arguments, Roles};
use crate::plugin::arrays::dtype;
use crate::statistics::kinds::{Inputs, Joint, KeyKind, Needs};

/// The position of each column; scores come first.
pub struct ColumnIndices {
    /// The number of scores.
    pub scores: usize,
    /// The position of states, if they replace the score and the label.
    pub state: Option<usize>,
    /// The position of the label.
    pub label: Option<usize>,
    /// The position of the cluster, if it is not the key.
    pub cluster: Option<usize>,
    /// The position of the key, and its role.
    pub key: Option<(usize, &'static str)>,
    /// The position of the booleans that mark the rows of the reference.
    pub reference: Option<usize>,
    /// The position of the counts or weights.
    pub mass: Option<(usize, Mass)>,
}

impl ColumnIndices {
    /// The positions of the columns with these roles.
    pub fn new(
        Inputs { scores, label, cluster, key, states }: Inputs,
        kind: KeyKind<'_>,
        roles: &Roles,
        columns: usize,
    ) -> Result<Self, String> {
        let index = |role: &str| roles.index(role, columns);
        let mass = |mass: Mass| index(mass.name()).map(|index| (index, mass));
        let mut indices = ColumnIndices {
            scores: 0,
            state: states.then(|| index("state")).flatten(),
            label: label.then(|| index("label")).flatten(),
            cluster: cluster.then(|| index("cluster")).flatten(),
            key: key.and_then(|key| index(key.role).map(|index| (index, key.role))),
            reference: matches!(kind, KeyKind::Against(_)).then(|| index("reference")).flatten(),
            mass: mass(Mass::Count).or_else(|| mass(Mass::Weight)),
        };
        indices.scores = (0..columns).take_while(|&column| indices.name(column) == "score").count();
        let absent = (label && indices.label.is_none() && indices.state.is_none())
            .then_some("label")
            .or((cluster && indices.cluster.is_none()).then_some("cluster"))
            .or(key.filter(|key| !key.is_optional && indices.key.is_none()).map(|key| key.role));
        if let Some(role) = absent {
            return Err(format!("there is no column {role}"));
        }
        if indices.state.is_none() && !scores.map_or(indices.scores >= 2, |scores| indices.scores == scores) {
            let expected = scores.map_or_else(|| "two or more".into(), |scores| scores.to_string());
            return Err(format!("expected {expected} scores, got {}", indices.scores));
        }
        Ok(indices)
    }

    /// The name of a column in messages.
    pub fn name(&self, column: usize) -> &'static str {
        match (self.key, self.mass) {
            _ if self.label == Some(column) => "label",
            _ if self.state == Some(column) => "state",
            (Some((key, role)), _) if column == key => role,
            (_, Some((index, mass))) if column == index => mass.name(),
            _ if self.reference == Some(column) => "reference",
            _ if self.cluster == Some(column) => "cluster",
            _ => "score",
        }
    }
}

/// The requirements of a statistic for its columns.
pub struct InputRules<'a> {
    /// The columns.
    pub inputs: Inputs,
    /// The kind of the key.
    pub keys: KeyKind<'a>,
    /// The derived inputs.
    pub needs: Needs,
    reference: Option<usize>,
    roles: &'a Roles,
    /// Whether rows may have weights.
    weights: bool,
    /// Whether states may have weights.
    weighted_states: bool,
}

/// The kind of a mass column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mass {
    /// Counts of identical rows.
    Count,
    /// Weights.
    Weight,
}

impl Mass {
    /// The name of the column in messages.
    pub fn name(self) -> &'static str {
        match self {
            Mass::Count => "count",
            Mass::Weight => "weight",
        }
    }
}

impl<'a> InputRules<'a> {
    /// The requirements of a call.
    pub fn new<J: Joint>(Arguments { options: statistic, roles }: &'a Arguments<J>) -> Self {
        InputRules {
            roles,
            weights: J::WEIGHTS,
            weighted_states: statistic.takes_weighted_states(),
            inputs: J::INPUTS,
            keys: statistic.key_kind(),
            needs: if roles.has("weight") { statistic.needs_with_weights() } else { statistic.needs() },
            reference: statistic.reference_score(),
        }
    }

    /// The position of each column.
    pub fn indices(&self, columns: usize) -> Result<ColumnIndices, String> {
        ColumnIndices::new(self.inputs, self.keys, self.roles, columns)
    }

    /// The name of a ranked column in messages: a score, unless the function has another name for it, such as
    /// a time.
    fn role(&self, column: usize, columns: usize) -> &str {
        let roles = &self.roles.0;
        let role = roles.get(column).filter(|_| roles.len() == columns);
        match role {
            Some(role) if !role.starts_with("score") => {
                // Several columns of one role have numeric suffixes.
                role.trim_end_matches(|letter: char| letter == '_' || letter.is_ascii_digit())
            }
            _ => "score",
        }
    }

    /// Validates all inputs, and returns the dtypes of a record's fields that depend on them.
    pub fn checked(&self, inputs: &[&Field]) -> Result<Dtypes, String> {
        let indices = self.indices(inputs.len())?;
        if let Some((_, Mass::Weight)) = indices.mass.filter(|_| !self.weights) {
            return Err("rows cannot have weights here. Hint: leave `weight` out".into());
        }
        if let Some((_, mass)) = indices.mass.filter(|_| indices.state.is_some()) {
            let name = mass.name();
            return Err(format!("a state contains counted rows already. Hint: leave `{name}` out"));
        }
        let mut dtypes = Dtypes::from_score(Dtype::Null, false);
        for (index, input) in inputs.iter().enumerate() {
            let item = dtype::listed(input)?;
            match indices.key {
                _ if indices.state == Some(index) => {
                    if state_dtypes::check(&input.name, item)?.has_weights && !self.weighted_states {
                        return Err(state_dtypes::weights_message(&input.name));
                    }
                }
                _ if indices.mass == Some((index, Mass::Weight)) => weight::check(&input.name, item)?,
                _ if indices.mass == Some((index, Mass::Count)) => count::check(&input.name, item)?,
                Some((key_index, role)) if index == key_index => {
                    if self.keys == KeyKind::Truth {
                        label::check(role, &input.name, item)?;
                    } else {
                        keys::check(role, &input.name, item)?;
                    }
                    dtypes.key = item.clone();
                }
                _ if indices.cluster == Some(index) => keys::check("cluster", &input.name, item)?,
                _ if indices.label == Some(index) => label::check("label", &input.name, item)?,
                _ if indices.reference == Some(index) => label::check("reference", &input.name, item)?,
                _ => score::check(self.role(index, inputs.len()), &input.name, item)?,
            }
        }
        if let Some(reference) = self.reference.filter(|&reference| reference >= indices.scores) {
            return Err(format!(
                "reference must be a score's place, from 0 to {}, got {reference}; the expressions of several columns \
                 gave {} scores in all",
                indices.scores - 1,
                indices.scores
            ));
        }
        match self.keys {
            KeyKind::Among(classes) if classes.len() != indices.scores => {
                Err(format!("{} classes for {} columns: each class has one", classes.len(), indices.scores))
            }
            _ => Ok(dtypes),
        }
    }
}
