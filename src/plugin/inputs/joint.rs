//! The inputs of statistics of several columns row by row: which is what, and what each may be.

use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::dtypes::Dtypes;
use super::{count, keys, label, score, weight};
use crate::plugin::abi::arguments::Arguments;
use crate::plugin::arrays::dtype;
use crate::statistics::kinds::{Inputs, Joint, KeyKind, Needs};

/// Which input is what: scores first, then the label, the cluster, the key, and which rows are of the reference.
pub struct Roles {
    /// How many scores there are.
    pub scores: usize,
    /// The place of the label.
    pub label: Option<usize>,
    /// That of the cluster.
    pub cluster: Option<usize>,
    /// That of the key, and what it is called.
    pub key: Option<(usize, &'static str)>,
    /// That of the truth values which say what rows are of the reference.
    pub reference: Option<usize>,
}

impl Roles {
    /// Which of so many inputs is what.
    pub fn of(
        Inputs { scores, label, cluster, key }: Inputs,
        kind: KeyKind<'_>,
        inputs: usize,
    ) -> Result<Self, String> {
        let all_inputs = inputs;
        let has_reference = matches!(kind, KeyKind::Against(_));
        let inputs = inputs.saturating_sub(usize::from(has_reference));
        let plain = usize::from(label) + usize::from(cluster);
        let others = plain + usize::from(key.is_some());
        let all_there = scores.is_none_or(|scores| inputs == scores + others);
        let has_key = key.is_some_and(|key| !key.is_optional || all_there);
        let n_scores = inputs.saturating_sub(plain + usize::from(has_key));
        let expected = scores.map_or_else(|| "two or more".into(), |scores| scores.to_string());
        if !scores.map_or(n_scores >= 2, |scores| n_scores == scores) {
            return Err(format!("expected {expected} scores, got {n_scores}"));
        }
        Ok(Roles {
            scores: n_scores,
            label: label.then_some(n_scores),
            cluster: cluster.then_some(n_scores + usize::from(label)),
            key: key.filter(|_| has_key).map(|key| (inputs - 1, key.role)),
            reference: has_reference.then(|| all_inputs - 1),
        })
    }

    /// What an input is called in a message.
    pub fn name(&self, input: usize) -> &'static str {
        match (self.label, self.key) {
            (Some(label), _) if input == label => "label",
            (_, Some((key, role))) if input == key => role,
            _ if self.reference == Some(input) => "reference",
            _ if self.cluster == Some(input) => "cluster",
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
    /// What the last column says of how many rows a row stands for, if it says so.
    pub mass: Option<Mass>,
    /// Whether rows may have weights.
    weights: bool,
}

/// What a last column is that says how many rows a row stands for.
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
    pub fn of<J: Joint>(Arguments { options: statistic, counted, weighted, .. }: &'a Arguments<J>) -> Self {
        let mass = if *counted { Some(Mass::Count) } else { weighted.then_some(Mass::Weight) };
        InputRules {
            mass,
            weights: J::WEIGHTS,
            inputs: J::INPUTS,
            keys: statistic.key_kind(),
            needs: statistic.needs(),
            reference: statistic.reference_score(),
        }
    }

    /// The dtypes of a record's fields that depend on the inputs, once all inputs are known to be what they must be.
    pub fn checked(&self, inputs: &[&Field]) -> Result<Dtypes, String> {
        let (inputs, masses) = inputs.split_at(inputs.len().saturating_sub(usize::from(self.mass.is_some())));
        for masses in masses {
            let check = if self.mass == Some(Mass::Weight) { weight::check } else { count::check };
            check(&masses.name, dtype::listed(masses)?)?;
        }
        if self.mass == Some(Mass::Weight) && !self.weights {
            return Err("rows cannot have weights here; leave weight out".into());
        }
        let roles = Roles::of(self.inputs, self.keys, inputs.len())?;
        let mut dtypes = Dtypes::of_score(Dtype::Null, false);
        for (place, input) in inputs.iter().enumerate() {
            let item = dtype::listed(input)?;
            match roles.key {
                Some((place_of_key, role)) if place == place_of_key => {
                    if self.keys == KeyKind::Truth {
                        label::check(role, &input.name, item)?;
                    } else {
                        keys::check(role, &input.name, item)?;
                    }
                    dtypes.key = item.clone();
                }
                _ if roles.cluster == Some(place) => keys::check("cluster", &input.name, item)?,
                _ if roles.label == Some(place) => label::check("label", &input.name, item)?,
                _ if roles.reference == Some(place) => label::check("reference", &input.name, item)?,
                _ => score::check(&input.name, item)?,
            }
        }
        if let Some(reference) = self.reference.filter(|&reference| reference >= roles.scores) {
            return Err(format!(
                "reference must be a score's place, from 0 to {}, got {reference}; the expressions of several columns \
                 gave {} scores in all",
                roles.scores - 1,
                roles.scores
            ));
        }
        match self.keys {
            KeyKind::Among(classes) if classes.len() != roles.scores => {
                Err(format!("{} classes for {} columns: each class has one", classes.len(), roles.scores))
            }
            _ => Ok(dtypes),
        }
    }

    /// The same when the query is planned, with what the options say.
    pub fn planned(&self, inputs: &[Field], options: Result<(), String>) -> Result<Dtypes, String> {
        options?;
        self.checked(&inputs.iter().collect::<Vec<_>>())
    }
}
