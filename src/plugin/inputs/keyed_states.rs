//! States with keys: the stored rows of each key of a group.

use arrow::array::Array;
use arrow::bitmap::Bitmap;

use super::score::{Native, WithScores, dispatch};
use super::states::States;
use crate::interrupt;
use crate::plugin::arrays::values::Values;
use crate::ranking::rows::{AllPlacements, Codes, CountedKeys, KeyPlacements, KeyRows};
use crate::ranking::scores::Key;
use crate::ranking::tasks;
use crate::states::{State, StoredState, weight_sums::WeightSums};
use crate::statistics::kinds::Needs;
use crate::statistics::rows::Rows;

/// A column of states, with the scores of all their bins.
pub struct KeyedStates {
    states: States,
    scores: Box<dyn Array>,
}

impl KeyedStates {
    /// Reads states.
    pub fn read(column: &Values) -> Result<Self, String> {
        let (states, scores) = States::read(column)?;
        Ok(KeyedStates { states, scores })
    }

    /// The mask of states with rows. A key of other states does not count, as for a key whose rows are all
    /// missing.
    pub fn validity(&self) -> Bitmap {
        (0..self.states.len()).map(|state| self.states.has_rows(state)).collect()
    }

    /// The number of bins of a range of states.
    pub fn bins(&self, states: std::ops::Range<usize>) -> usize {
        self.states.bins(states).len()
    }

    /// The rows of each key of a group, and whether any score was NaN.
    pub fn rows(&self, group: &[usize], keys: Codes, needs: Needs) -> Result<(Rows, bool), String> {
        dispatch(self.scores.as_ref(), Counting { states: &self.states, group, keys, needs })
    }
}

struct Counting<'a> {
    states: &'a States,
    /// The indices of the group's states.
    group: &'a [usize],
    keys: Codes,
    needs: Needs,
}

impl WithScores for Counting<'_> {
    type Output = (Rows, bool);

    fn with<S: Native>(self, scores: &[S]) -> Result<(Rows, bool), String> {
        self.states.check_rows(self.group)?;
        let mut states = vec![Vec::new(); self.keys.distinct];
        self.group
            .iter()
            .zip(&self.keys.row_codes)
            .for_each(|(&state, &key)| states[key as usize].push(state));
        let merged = |states: &Vec<usize>| {
            interrupt::check();
            self.states.merged(states, scores)
        };
        let states = tasks::par_map_items(&states, merged)
            .into_iter()
            .collect::<Result<Vec<StoredState>, String>>()?;
        let (states, weights): (Vec<State>, Vec<Option<State<WeightSums>>>) =
            states.into_iter().map(StoredState::into_parts).unzip();
        let nan_keys: Vec<bool> = states.iter().map(|state| state.has_nan).collect();
        let mut counted = CountedKeys {
            keys: states.iter().map(key_rows).collect(),
            distinct: 0,
            is_exact: states.iter().all(|state| state.unordered_pairs() == 0),
        };
        // Each key separately; its codes are independent of other keys.
        let key_weights = |weight_state: &Option<State<WeightSums>>| {
            weight_state
                .as_ref()
                .map(|weight_state| weight_state.by_codes(&descending(weight_state.bins.len())))
        };
        let mut weighted = weights.iter().map(key_weights).collect();
        if self.needs.codes || self.needs.all_placements {
            // Keys are compared by the bins of all states; a NaN would leave no bins.
            let has_scores = |&(_, &key): &(&usize, &u32)| !nan_keys[key as usize];
            let ordered = self.group.iter().zip(&self.keys.row_codes).filter(has_scores);
            let all =
                self.states.merged(&ordered.map(|(&state, _)| state).collect::<Vec<_>>(), scores)?.counts;
            let all_keys = keys_of::<S::Key>(&all);
            if u32::try_from(all_keys.len()).is_err() {
                return Err("the states of a group have more than 2^32 bins together".into());
            }
            // Keys are compared, so scores that tie among all keys must tie in each key: differences within a
            // bin are ignored.
            let with_codes = |_: &mut (), number: usize, key: &mut KeyRows| {
                key.codes = codes(keys_of::<S::Key>(&states[number]), all_keys);
                if self.needs.all_placements {
                    key.join_codes();
                }
            };
            tasks::par_for_each(counted.keys.iter_mut().collect(), || (), with_codes);
            let by_codes = |key: usize| -> Option<State<WeightSums>> {
                Some(weights[key].as_ref()?.by_codes(&codes(keys_of::<S::Key>(&states[key]), all_keys)))
            };
            weighted = tasks::par_map(0..states.len(), || (), |(), key| by_codes(key)).into_iter().collect();
            counted.distinct = all_keys.len();
            counted.is_exact &= all.unordered_pairs() == 0;
        }
        let placements =
            |key: &KeyRows| KeyPlacements { n_pos: key.n_pos, n_neg: key.n_neg, sums: key.placements() };
        let key_placements = match self.needs.key_placements || self.needs.all_placements {
            true => vec![tasks::par_map_items(&counted.keys, placements)],
            false => Vec::new(),
        };
        let has_nan = nan_keys.contains(&true);
        let all_placements =
            (self.needs.all_placements && !has_nan).then(|| AllPlacements::from_counted(&counted));
        let rows = Rows {
            keys: self.keys,
            nan_keys: if has_nan { nan_keys } else { Vec::new() },
            key_placements,
            all_placements,
            ..Rows::default()
        };
        let len = (counted.keys.iter().map(|key| key.n_pos + key.n_neg).sum::<u64>()) as usize;
        Ok((Rows { len, counted: Some(counted), weighted, ..rows }, has_nan))
    }
}

/// The codes of this number of bins, highest first.
fn descending(bins: usize) -> Vec<u32> {
    (0..bins as u32).rev().collect()
}

/// The rows of a key, without codes.
fn key_rows(state: &State) -> KeyRows {
    let (n_pos, n_neg) = (state.rows.n_pos, state.rows.n_neg);
    KeyRows { codes: Vec::new(), counts: state.bins.each().to_vec(), n_pos, n_neg }
}

/// The keys of the scores of all bins.
fn keys_of<K: Key>(state: &State) -> &[K] {
    state.bins.keys().slice().unwrap_or_default()
}

/// For each bin of a key, the bin of all keys that contains it, which has the lowest score of its rows. Keys
/// of scores descend, and codes are counted from the lowest.
fn codes<K: Key>(keys: &[K], all: &[K]) -> Vec<u32> {
    let mut index = 0;
    let code = |key: &K| {
        // Exponential search, because the next bin of a key is usually near.
        let mut step = 1;
        while all.get(index + step).is_some_and(|other| other > key) {
            index += step;
            step *= 2;
        }
        index += all[index..all.len().min(index + step)].partition_point(|other| other > key);
        all.len().saturating_sub(index + 1) as u32
    };
    keys.iter().map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::codes;

    #[test]
    fn bins_map_to_bins_of_all_keys() {
        assert_eq!(codes(&[9u32, 8, 7, 2], &[8, 5, 2, 1]), [3, 3, 2, 1]);
        assert!(codes::<u32>(&[], &[]).is_empty());
    }
}
