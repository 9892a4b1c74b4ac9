//! The inputs of statistics of several columns row by row: their positions and requirements.

use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::dtypes::Dtypes;
use super::{count, keys, label, score, state_dtypes, weight};
use crate::plugin::abi::arguments::{Arguments, Roles};
use crate::plugin::arrays::dtype;
use crate::statistics::kinds::{Inputs, Joint, KeyKind, Needs};

/// The position of each column; scores come first.
pub struct Places {
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

impl Places {
    /// The positions of the columns with these roles.
    pub fn of(
        Inputs { scores, label, cluster, key, states }: Inputs,
        kind: KeyKind<'_>,
        roles: &Roles,
        columns: usize,
    ) -> Result<Self, String> {
        let place = |role: &str| roles.place(role, columns);
        let mass = |mass: Mass| place(mass.name()).map(|place| (place, mass));
        let mut places = Places {
            scores: 0,
            state: states.then(|| place("state")).flatten(),
            label: label.then(|| place("label")).flatten(),
            cluster: cluster.then(|| place("cluster")).flatten(),
            key: key.and_then(|key| place(key.role).map(|place| (place, key.role))),
            reference: matches!(kind, KeyKind::Against(_)).then(|| place("reference")).flatten(),
            mass: mass(Mass::Count).or_else(|| mass(Mass::Weight)),
        };
        places.scores = (0..columns).take_while(|&column| places.name(column) == "score").count();
        let absent = (label && places.label.is_none() && places.state.is_none())
            .then_some("label")
            .or((cluster && places.cluster.is_none()).then_some("cluster"))
            .or(key.filter(|key| !key.is_optional && places.key.is_none()).map(|key| key.role));
        if let Some(role) = absent {
            return Err(format!("there is no column {role}"));
        }
        if places.state.is_none() && !scores.map_or(places.scores >= 2, |scores| places.scores == scores) {
            let expected = scores.map_or_else(|| "two or more".into(), |scores| scores.to_string());
            return Err(format!("expected {expected} scores, got {}", places.scores));
        }
        Ok(places)
    }

    /// The name of a column in messages.
    pub fn name(&self, column: usize) -> &'static str {
        match (self.key, self.mass) {
            _ if self.label == Some(column) => "label",
            _ if self.state == Some(column) => "state",
            (Some((key, role)), _) if column == key => role,
            (_, Some((place, mass))) if column == place => mass.name(),
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
    pub fn of<J: Joint>(Arguments { options: statistic, roles }: &'a Arguments<J>) -> Self {
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
    pub fn places(&self, columns: usize) -> Result<Places, String> {
        Places::of(self.inputs, self.keys, self.roles, columns)
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
        let places = self.places(inputs.len())?;
        if let Some((_, Mass::Weight)) = places.mass.filter(|_| !self.weights) {
            return Err("rows cannot have weights here. Hint: leave `weight` out".into());
        }
        if let Some((_, mass)) = places.mass.filter(|_| places.state.is_some()) {
            let name = mass.name();
            return Err(format!("a state holds counted rows already. Hint: leave `{name}` out"));
        }
        let mut dtypes = Dtypes::of_score(Dtype::Null, false);
        for (place, input) in inputs.iter().enumerate() {
            let item = dtype::listed(input)?;
            match places.key {
                _ if places.state == Some(place) => {
                    if state_dtypes::check(&input.name, item)?.has_weights && !self.weighted_states {
                        return Err(state_dtypes::of_weights(&input.name));
                    }
                }
                _ if places.mass == Some((place, Mass::Weight)) => weight::check(&input.name, item)?,
                _ if places.mass == Some((place, Mass::Count)) => count::check(&input.name, item)?,
                Some((place_of_key, role)) if place == place_of_key => {
                    if self.keys == KeyKind::Truth {
                        label::check(role, &input.name, item)?;
                    } else {
                        keys::check(role, &input.name, item)?;
                    }
                    dtypes.key = item.clone();
                }
                _ if places.cluster == Some(place) => keys::check("cluster", &input.name, item)?,
                _ if places.label == Some(place) => label::check("label", &input.name, item)?,
                _ if places.reference == Some(place) => label::check("reference", &input.name, item)?,
                _ => score::check(self.role(place, inputs.len()), &input.name, item)?,
            }
        }
        if let Some(reference) = self.reference.filter(|&reference| reference >= places.scores) {
            return Err(format!(
                "reference must be a score's place, from 0 to {}, got {reference}; the expressions of several columns \
                 gave {} scores in all",
                places.scores - 1,
                places.scores
            ));
        }
        match self.keys {
            KeyKind::Among(classes) if classes.len() != places.scores => {
                Err(format!("{} classes for {} columns: each class has one", classes.len(), places.scores))
            }
            _ => Ok(dtypes),
        }
    }
}
