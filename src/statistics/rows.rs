//! Rows: what several columns of a group say row by row, their scores as codes.

use crate::interrupt;
use crate::math::{exponent, power_of_two};
use crate::ranking::rows::{
    AllPlacements, Codes, CountedKeys, KeyPlacements, PlacementProducts, RowPlacements,
};
use crate::states::{State, weight_sums::WeightSums};

/// The rows of one group in which nothing is missing.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// How many rows there are.
    pub len: usize,
    /// Which rows are positive; empty if the statistic has no label.
    pub labels: Vec<bool>,
    /// The codes of each score column, if the statistic needs them.
    pub scores: Vec<Codes>,
    /// The placements of each score column, if the statistic needs them.
    pub placements: Vec<RowPlacements>,
    /// Sums of products of the placements of several scores, if that is what the statistic needs.
    pub placement_products: Option<PlacementProducts>,
    /// For each score column, the placements of each key's rows among themselves, if the statistic needs them.
    pub key_placements: Vec<Vec<KeyPlacements>>,
    /// The placements of each key's rows among all rows and those of other keys, if the statistic needs them.
    pub all_placements: Option<AllPlacements>,
    /// For each key, the largest `|tp N - fp P|` of its rows, 0 with a NaN, and then that of all rows, if no score is NaN;
    /// only if the statistic needs them.
    pub key_farthest: Vec<u128>,
    /// How many rows of each key were left out, by the places of keys, if the statistic needs it and any were.
    pub skipped: Vec<SkippedRows>,
    /// The scores of each column as floats, only if the statistic asks for values.
    pub values: Vec<Vec<f64>>,
    /// The codes of the key column: folds, clusters or segments.
    pub keys: Codes,
    /// The codes of the clusters, if rows have both a cluster and another key.
    pub clusters: Codes,
    /// For each code of the key column, whether a score with it is NaN; empty if none is.
    pub nan_keys: Vec<bool>,
    /// For each code of the key column, its place among the keys of all groups.
    pub key_places: Vec<u32>,
    /// For each code of the key column, the series that it is in, none if it has no place on the axis; only if the keys
    /// are series.
    pub key_series: Vec<Option<u32>>,
    /// What each row weighs, if rows have weights: all are finite and above 0.
    pub weights: Option<Vec<f64>>,
    /// The rows of each key counted by score, if they were counted earlier. Then there are no labels, and no codes row
    /// by row.
    pub counted: Option<CountedKeys>,
    /// The rows of each key that were counted earlier and have weights; `counted` then says only how many they are.
    pub weighted: Option<Vec<State<WeightSums>>>,
}

/// How many rows of a key have something missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkippedRows {
    /// The place of the key among those of all groups.
    pub key_place: u32,
    /// The rows.
    pub rows: u64,
    /// Those of them of which only the label is missing.
    pub unlabelled: u64,
}

impl Rows {
    /// How many rows are negatives and positives.
    pub fn rows_of_classes(&self) -> [u64; 2] {
        match &self.counted {
            Some(counted) => {
                counted.keys.iter().fold([0, 0], |[neg, pos], key| [neg + key.n_neg, pos + key.n_pos])
            }
            None => {
                // A byte holds the sum of 255 labels, so that many bytes are added at once.
                let sum =
                    |labels: &[bool]| usize::from(labels.iter().map(|&label| u8::from(label)).sum::<u8>());
                let n_pos: usize = self.labels.chunks(255).map(sum).sum();
                [self.labels.len() - n_pos, n_pos].map(|rows| rows as u64)
            }
        }
    }

    /// The weight of each row, 1 without weights; times a power of two, with which the largest is about 1, so that squares neither
    /// overflow nor vanish.
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

    /// The same rows in an order that depends on their values alone: by label, then by the codes of each column. A
    /// random draw by row number is then the same for every order of the rows. Placements are left out.
    pub fn in_canonical_order(&self) -> Rows {
        let mut order: Vec<u32> = (0..self.len as u32).collect();
        let columns: Vec<&Codes> = self.scores.iter().chain([&self.keys, &self.clusters]).collect();
        order.sort_unstable_by(|&a, &b| {
            interrupt::check();
            let (a, b) = (a as usize, b as usize);
            let label = |row: usize| self.labels.get(row).copied();
            columns
                .iter()
                .filter(|column| !column.of_row.is_empty())
                .fold(label(a).cmp(&label(b)), |so_far, column| {
                    so_far.then_with(|| column.of_row[a].cmp(&column.of_row[b]))
                })
        });
        let reordered =
            |codes: &Codes| if codes.of_row.is_empty() { codes.clone() } else { codes.select(&order) };
        Rows {
            len: self.len,
            labels: order.iter().filter_map(|&row| self.labels.get(row as usize).copied()).collect(),
            scores: self.scores.iter().map(reordered).collect(),
            placements: Vec::new(),
            placement_products: None,
            key_placements: Vec::new(),
            all_placements: None,
            key_farthest: Vec::new(),
            skipped: self.skipped.clone(),
            values: self
                .values
                .iter()
                .map(|values| order.iter().map(|&row| values[row as usize]).collect())
                .collect(),
            keys: reordered(&self.keys),
            clusters: reordered(&self.clusters),
            nan_keys: self.nan_keys.clone(),
            key_places: self.key_places.clone(),
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
