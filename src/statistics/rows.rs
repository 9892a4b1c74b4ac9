//! Rows: several columns of a group row by row, with scores as codes.

use crate::interrupt;
use crate::math::{exponent, power_of_two};
use crate::ranking::rows::{
    AllPlacements, Codes, CountedKeys, KeyPlacements, PlacementProducts, RowPlacements,
};
use crate::states::{State, weight_sums::WeightSums};

/// The complete rows of one group.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The number of rows.
    pub len: usize,
    /// Whether each row is positive; empty if the statistic has no label.
    pub labels: Vec<bool>,
    /// The codes of each score column, if the statistic needs them.
    pub scores: Vec<Codes>,
    /// The placements of each score column, if the statistic needs them.
    pub placements: Vec<RowPlacements>,
    /// Sums of products of the placements of several scores, if the statistic needs them.
    pub placement_products: Option<PlacementProducts>,
    /// For each score column, the placements within each key, if the statistic needs them.
    pub key_placements: Vec<Vec<KeyPlacements>>,
    /// The placements of each key's rows among all rows and among other keys, if the statistic needs them.
    pub all_placements: Option<AllPlacements>,
    /// For each key, the largest `|tp N - fp P|` of its rows (0 with a NaN). The value of all rows follows if
    /// no score is NaN. Only if the statistic needs them.
    pub key_distance: Vec<u128>,
    /// The number of skipped rows for each key, by key index, if the statistic needs it and any were skipped.
    pub skipped: Vec<SkippedRows>,
    /// The scores of each column as floats, only if the statistic needs values.
    pub values: Vec<Vec<f64>>,
    /// The codes of the key column: folds, clusters or segments.
    pub keys: Codes,
    /// The codes of the clusters, if rows have both a cluster and another key.
    pub clusters: Codes,
    /// For each code of the key column, whether it has a NaN score; empty if there is none.
    pub nan_keys: Vec<bool>,
    /// For each code of the key column, its index among the keys of all groups.
    pub key_codes: Vec<u32>,
    /// For each code of the key column, its series; `None` if it has no value on the axis. Only if the keys
    /// are series.
    pub key_series: Vec<Option<u32>>,
    /// The weight of each row, if rows have weights: positive and finite.
    pub weights: Option<Vec<f64>>,
    /// The rows of each key counted by score, if they come from states. There are then no labels, and no
    /// codes of rows.
    pub counted: Option<CountedKeys>,
    /// The states of each key, if they have weights; `counted` then has only their numbers of rows.
    pub weighted: Option<Vec<State<WeightSums>>>,
}

/// The number of rows of a key with a missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedRows {
    /// The index of the key among the keys of all groups.
    pub key_code: u32,
    /// The rows.
    pub rows: u64,
    /// Rows among them in which only the label is missing.
    pub unlabelled: u64,
}

impl Rows {
    /// The numbers of negatives and positives.
    pub fn rows_of_classes(&self) -> [u64; 2] {
        match &self.counted {
            Some(counted) => {
                counted.keys.iter().fold([0, 0], |[neg, pos], key| [neg + key.n_neg, pos + key.n_pos])
            }
            None => {
                // A byte holds the sum of 255 labels, which vectorises.
                let sum =
                    |labels: &[bool]| usize::from(labels.iter().map(|&label| u8::from(label)).sum::<u8>());
                let n_pos: usize = self.labels.chunks(255).map(sum).sum();
                [self.labels.len() - n_pos, n_pos].map(|rows| rows as u64)
            }
        }
    }

    /// The weight of each row (1 without weights), scaled by a power of two such that the largest is about 1.
    /// Squares then neither overflow nor underflow.
    pub fn relative_weight(&self) -> impl Fn(usize) -> f64 + '_ {
        let largest = self.weights.iter().flatten().fold(0.0, |largest: f64, &weight| largest.max(weight));
        let scale = if largest > 0.0 { power_of_two((-exponent(largest)).clamp(-1022, 1023)) } else { 1.0 };
        move |row| self.weights.as_ref().map_or(1.0, |weights| weights[row] * scale)
    }

    /// The number of positives.
    pub fn n_pos(&self) -> u64 {
        self.rows_of_classes()[1]
    }

    /// The number of negatives.
    pub fn n_neg(&self) -> u64 {
        self.rows_of_classes()[0]
    }

    /// The number of distinct scores of a column.
    pub fn distinct(&self, score: usize) -> usize {
        self.counted.as_ref().map_or_else(|| self.scores[score].distinct, |counted| counted.distinct)
    }

    /// The same rows in an order that depends only on their values: by label, then by the codes of each
    /// column. Random sampling by row number is then the same for every order of the rows. Placements are
    /// omitted.
    pub fn in_canonical_order(&self) -> Rows {
        let mut order: Vec<u32> = (0..self.len as u32).collect();
        let columns: Vec<&Codes> = self.scores.iter().chain([&self.keys, &self.clusters]).collect();
        order.sort_unstable_by(|&a, &b| {
            interrupt::check();
            let (a, b) = (a as usize, b as usize);
            let label = |row: usize| self.labels.get(row).copied();
            columns
                .iter()
                .filter(|column| !column.row_codes.is_empty())
                .fold(label(a).cmp(&label(b)), |so_far, column| {
                    so_far.then_with(|| column.row_codes[a].cmp(&column.row_codes[b]))
                })
        });
        let reordered =
            |codes: &Codes| if codes.row_codes.is_empty() { codes.clone() } else { codes.select(&order) };
        Rows {
            len: self.len,
            labels: order.iter().filter_map(|&row| self.labels.get(row as usize).copied()).collect(),
            scores: self.scores.iter().map(reordered).collect(),
            placements: Vec::new(),
            placement_products: None,
            key_placements: Vec::new(),
            all_placements: None,
            key_distance: Vec::new(),
            skipped: self.skipped.clone(),
            values: self
                .values
                .iter()
                .map(|values| order.iter().map(|&row| values[row as usize]).collect())
                .collect(),
            keys: reordered(&self.keys),
            clusters: reordered(&self.clusters),
            nan_keys: self.nan_keys.clone(),
            key_codes: self.key_codes.clone(),
            key_series: self.key_series.clone(),
            weights: self
                .weights
                .as_ref()
                .map(|weights| order.iter().map(|&row| weights[row as usize]).collect()),
            counted: self.counted.clone(),
            weighted: self.weighted.clone(),
        }
    }
}
