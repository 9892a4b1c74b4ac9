//! One group's rows, ranked in the way that suits their number.

use super::classes::ScoreOps;
use super::counted::Counted;
use super::index::Index;
use super::number::Kind;
use super::shards::{self, SHARD_ROWS, Shards};
use super::weighted::Weighted;
use super::{Bits, ClassKeys, Key, Score, Ties};

/// Groups of fewer rows are not searched for few distinct scores.
const COUNTED_ROWS: usize = 1 << 11;

/// A group is counted as long as a score is shared by as many of its rows, on average.
const ROWS_PER_KEY: usize = 64;

/// The way in which a group is ranked. All give the same answers; tests and benchmarks force one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// The one that suits the group.
    #[default]
    Fitting,
    /// In class_keys, by one thread.
    ClassKeys,
    /// In shards, by all threads.
    Shards,
    /// By counting distinct scores; in class_keys if there are too many.
    Counted,
}

impl Strategy {
    /// The ways that can be forced, by name.
    pub const NAMED: [(&'static str, Strategy); 3] =
        [("class_keys", Strategy::ClassKeys), ("shards", Strategy::Shards), ("counted", Strategy::Counted)];
}

/// The rows of one group. Keeps its memory from group to group.
#[derive(Debug)]
pub struct Group<K> {
    way: Strategy,
    kind: Kind,
    held: Held<K>,
    class_keys: ClassKeys<K>,
    index: Index<K>,
}

/// Where the rows are.
#[derive(Debug)]
enum Held<K> {
    ClassKeys,
    Shards(Shards<K>),
    Counted(Counted<K>),
    Weighted(Weighted<K>),
}

/// Gives the same answer of each way.
macro_rules! ask {
    ($group:expr, $question:ident) => {
        match &$group.held {
            Held::ClassKeys => $group.class_keys.$question(),
            Held::Shards(shards) => shards.$question(),
            Held::Counted(counted) => counted.$question(),
            Held::Weighted(weighted) => weighted.$question(),
        }
    };
}

impl<K: Key> Default for Group<K> {
    fn default() -> Self {
        Self::ranked(Strategy::Fitting)
    }
}

impl<K: Key> Group<K> {
    /// No rows yet, and how they are to be ranked.
    pub fn ranked(way: Strategy) -> Self {
        Group {
            way,
            kind: Kind::Any,
            held: Held::ClassKeys,
            class_keys: ClassKeys::default(),
            index: Index::default(),
        }
    }

    /// The same for scores of a kind.
    pub fn of_kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Takes in rows; those whose `valid` bit is 0 are skipped.
    ///
    /// # Panics
    /// If `labels` or `valid` have another length than `scores`.
    pub fn load<S: Score<Key = K>>(&mut self, scores: &[S], labels: Bits<'_>, valid: Option<Bits<'_>>) {
        let rows = scores.len();
        assert!(labels.len() == rows && valid.is_none_or(|valid| valid.len() == rows));
        let most = match self.way {
            Strategy::Fitting if rows >= COUNTED_ROWS => {
                Some(rows / ROWS_PER_KEY).filter(|&most| Counted::may_be_few(scores, most))
            }
            Strategy::Counted => Some(rows),
            _ => None,
        };
        let many = rows >= SHARD_ROWS;
        if let Some(most) = most {
            let blocks = if many { shards::blocks() } else { 1 };
            if let Some(counted) = Counted::count(scores, labels, valid, blocks, most) {
                self.held = Held::Counted(counted);
                return;
            }
        }
        if (many && self.way != Strategy::ClassKeys) || self.way == Strategy::Shards {
            self.held = Held::Shards(Shards::part(scores, labels, valid));
        } else {
            self.class_keys.part(scores, labels, valid);
            self.held = Held::ClassKeys;
        }
    }

    /// Takes in rows with weights, all finite and above 0; rows whose `valid` bit is 0 are skipped.
    ///
    /// # Panics
    /// If `labels`, `weights` or `valid` have another length than `scores`.
    pub fn load_weighted<S: Score<Key = K>>(
        &mut self,
        scores: &[S],
        labels: Bits<'_>,
        weights: &[f64],
        valid: Option<Bits<'_>>,
    ) {
        let rows = scores.len();
        assert!(
            labels.len() == rows && weights.len() == rows && valid.is_none_or(|valid| valid.len() == rows)
        );
        let in_shards = self.way == Strategy::Shards;
        self.held = Held::Weighted(Weighted::part(scores, labels, weights, valid, in_shards));
    }

    /// Positives: rows that are not missing and whose label is 1.
    pub fn n_pos(&self) -> u64 {
        ask!(self, n_pos)
    }

    /// Negatives: rows that are not missing and whose label is 0.
    pub fn n_neg(&self) -> u64 {
        ask!(self, n_neg)
    }

    /// Whether a score that is not missing is NaN, and the group therefore cannot be ranked.
    pub fn has_nan(&self) -> bool {
        ask!(self, has_nan)
    }

    /// The ties of the rows, which came as scores of type `S`.
    pub fn ties<S: Score<Key = K>>(&mut self) -> Ties<'_, K> {
        let ties = match &self.held {
            Held::ClassKeys => {
                Ties::of_class_keys(&mut self.class_keys, &mut self.index, ScoreOps::of::<S>())
            }
            Held::Shards(shards) => Ties::of_shards(shards),
            Held::Counted(counted) => Ties::of_counted(counted),
            Held::Weighted(weighted) => Ties::of_weighed(weighted, ScoreOps::of::<S>()),
        };
        ties.of_scores::<S>(self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::bits::tests::packed;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn missing_rows_are_absent(rows in proptest::collection::vec((-3i64..3, any::<bool>(), any::<bool>()), 0..300)) {
            let scores: Vec<i64> = rows.iter().map(|row| row.0).collect();
            let labels = packed(rows.iter().map(|row| row.1));
            let valid = packed(rows.iter().map(|row| row.2));
            let bits = |bytes| Bits::new(bytes, 0, rows.len());
            let mut group = Group::default();
            group.load(&[7i64; 50], Bits::new(&[255; 8], 3, 50), None); // memory from before
            group.load(&scores, bits(&labels), Some(bits(&valid)));
            let there: Vec<&(i64, bool, bool)> = rows.iter().filter(|row| row.2).collect();
            prop_assert_eq!(group.n_pos() as usize, there.iter().filter(|row| row.1).count());
            prop_assert_eq!(group.n_neg() as usize, there.iter().filter(|row| !row.1).count());
            let twice_u = group.ties::<i64>().twice_u();
            let kept: Vec<i64> = there.iter().map(|row| row.0).collect();
            let labels_kept = packed(there.iter().map(|row| row.1));
            group.load(&kept, Bits::new(&labels_kept, 0, kept.len()), None);
            prop_assert_eq!(group.ties::<i64>().twice_u(), twice_u);
            let shards = Shards::part_as(&scores, bits(&labels), Some(bits(&valid)), 3, 4);
            prop_assert_eq!(Ties::of_shards(&shards).twice_u(), twice_u);
        }
    }

    #[test]
    fn a_nan_counts_only_where_it_is_used() {
        let scores = [f64::NAN, 1.0];
        let (labels, second) = (Bits::new(&[0b01], 0, 2), Bits::new(&[0b10], 0, 2));
        let mut group = Group::default();
        group.load(&scores, labels, None);
        assert!(group.has_nan());
        group.load(&scores, labels, Some(second));
        assert!(!group.has_nan());
        assert!(Shards::part_as(&scores, labels, None, 2, 2).has_nan());
        assert!(!Shards::part_as(&scores, labels, Some(second), 2, 2).has_nan());
    }

    /// A group on either side of the border, against the other way of ranking.
    #[test]
    fn large_groups_are_ranked_alike() {
        let scores: Vec<f64> =
            (0..SHARD_ROWS as u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64).collect();
        let labels = vec![0b0011_0101; scores.len() / 8];
        let labels = Bits::new(&labels, 0, scores.len());
        let mut group = Group::default();
        group.load(&scores, labels, None);
        assert!(matches!(group.held, Held::Shards(_)));
        let mut class_keys = ClassKeys::default();
        class_keys.part(&scores, labels, None);
        let mut index = Index::default();
        let mut ties = Ties::of_class_keys(&mut class_keys, &mut index, ScoreOps::of::<f64>());
        assert_eq!(group.ties::<f64>().twice_u(), ties.twice_u());
    }
}
