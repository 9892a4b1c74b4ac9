//! The inputs of statistics of several columns row by row: which is what, and what each may be.

use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::dtypes::Dtypes;
use super::{count, keys, label, score, state_dtypes, weight};
use crate::plugin::abi::arguments::{Arguments, Roles};
use crate::plugin::arrays::dtype;
use crate::statistics::kinds::{Inputs, Joint, KeyKind, Needs};

/// Where each column is: scores come first.
pub struct Places {
    /// How many scores there are.
    pub scores: usize,
    /// The place of states, if they stand in place of the score and the label.
    pub state: Option<usize>,
    /// The place of the label.
    pub label: Option<usize>,
    /// That of the cluster, if it is not the key.
    pub cluster: Option<usize>,
    /// That of the key, and what it is called.
    pub key: Option<(usize, &'static str)>,
    /// That of the truth values which say what rows are of the reference.
    pub reference: Option<usize>,
    /// That of what says how many rows a row stands for.
    pub mass: Option<(usize, Mass)>,
}

impl Places {
    /// The places of the columns of these roles among so many.
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

    /// What a column is called in a message.
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

/// What a statistic says about its columns, as far as reading them needs it.
pub struct InputRules<'a> {
    /// What it takes.
    pub inputs: Inputs,
    /// What the values of the key are.
    pub keys: KeyKind<'a>,
    /// What it needs to know of scores.
    pub needs: Needs,
    reference: Option<usize>,
    roles: &'a Roles,
    /// Whether rows may have weights.
    weights: bool,
    /// Whether the rows of states may.
    weighted_states: bool,
}

/// What a column is that says how many rows a row stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mass {
    /// So many identical rows.
    Count,
    /// A row of so much weight.
    Weight,
}

impl Mass {
    /// What the column is called in a message.
    pub fn name(self) -> &'static str {
        match self {
            Mass::Count => "count",
            Mass::Weight => "weight",
        }
    }
}

impl<'a> InputRules<'a> {
    /// Those of a call.
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

    /// Where each of so many columns is.
    pub fn places(&self, columns: usize) -> Result<Places, String> {
        Places::of(self.inputs, self.keys, self.roles, columns)
    }

    /// What a column that is ranked is called in a message: a score, unless the function calls it otherwise, such as a time.
    fn role(&self, column: usize, columns: usize) -> &str {
        let roles = &self.roles.0;
        let role = roles.get(column).filter(|_| roles.len() == columns);
        match role {
            Some(role) if !role.starts_with("score") => {
                // Columns of one role have numbers behind it.
                role.trim_end_matches(|letter: char| letter == '_' || letter.is_ascii_digit())
            }
            _ => "score",
        }
    }

    /// The dtypes of a record's fields that depend on the inputs, once all inputs are known to be what they must be.
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
