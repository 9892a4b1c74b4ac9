//! One group's rows, ranked in the way that suits their number.

use crate::ranking::order::{
    counted::Counted,
    one_thread::OneThread,
    shards::{self, Shards},
};
use crate::ranking::scores::{Bits, Key, Score, number::Domain, score_type::ScoreType};
use crate::ranking::states::{
    UnrankedRows,
    state::{Limit, State},
    weighted::WeightedState,
};
use crate::ranking::ties::{Ties, row_counts::RowCounts, source::Source};
use crate::ranking::tuning::{COUNTED_ROWS, ROWS_PER_KEY, SHARD_ROWS};
use crate::ranking::weighted::Weighted;

/// The way in which a group is ranked. All give the same answers; tests and benchmarks force one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// The one that suits the group.
    #[default]
    Fitting,
    /// By the keys of each class, by one thread.
    ClassKeys,
    /// In shards, by all threads.
    Shards,
    /// By counting distinct scores; by the keys of each class if there are too many.
    Counted,
}

impl Strategy {
    /// The ways that can be forced, by name.
    pub const NAMED: [(&'static str, Strategy); 3] =
        [("class_keys", Strategy::ClassKeys), ("shards", Strategy::Shards), ("counted", Strategy::Counted)];
}

/// The rows of one group, whose scores have keys of type `K`. Keeps its memory from group to group.
#[derive(Debug)]
pub struct Group<K> {
    strategy: Strategy,
    domain: Domain,
    score_type: ScoreType,
    layout: Layout<K>,
    one_thread: OneThread<K>,
    nan: bool,
    /// All rows, those that were skipped among them.
    rows: u64,
}

/// Where the rows are.
#[derive(Debug)]
enum Layout<K> {
    OneThread,
    Shards(Shards<K>),
    Counted(Counted<K>),
    Weighted(Weighted<K>),
    State(State),
    WeightedState(Box<WeightedState>),
}

impl<K: Key> Default for Group<K> {
    fn default() -> Self {
        Self::new(Strategy::Fitting, Domain::Any)
    }
}

impl<K: Key> Group<K> {
    /// No rows yet, and how they are to be ranked.
    pub fn new(strategy: Strategy, domain: Domain) -> Self {
        Group {
            strategy,
            domain,
            score_type: ScoreType::of::<K>(domain),
            layout: Layout::OneThread,
            one_thread: OneThread::default(),
            nan: false,
            rows: 0,
        }
    }

    /// The type of scores `S` in this group.
    pub fn score_type_of<S: Score<Key = K>>(&self) -> ScoreType {
        ScoreType::of::<S>(self.domain)
    }

    /// Takes in rows; those whose `valid` bit is 0 are skipped.
    ///
    /// # Panics
    /// If `labels` or `valid` have another length than `scores`.
    pub fn load<S: Score<Key = K>>(&mut self, scores: &[S], labels: Bits<'_>, valid: Option<Bits<'_>>) {
        let rows = scores.len();
        assert!(labels.len() == rows && valid.is_none_or(|valid| valid.len() == rows));
        self.score_type = self.score_type_of::<S>();
        self.rows = rows as u64;
        let most = match self.strategy {
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
                self.nan = counted.has_nan();
                self.layout = Layout::Counted(counted);
                return;
            }
        }
        if (many && self.strategy != Strategy::ClassKeys) || self.strategy == Strategy::Shards {
            let shards = Shards::part(scores, labels, valid);
            self.nan = shards.has_nan();
            self.layout = Layout::Shards(shards);
        } else {
            self.one_thread.load(scores, labels, valid);
            self.nan = self.one_thread.has_nan();
            self.layout = Layout::OneThread;
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
        self.score_type = self.score_type_of::<S>();
        self.rows = rows as u64;
        let in_shards = self.strategy == Strategy::Shards;
        let weighted = Weighted::part(scores, labels, weights, valid, in_shards);
        self.nan = weighted.has_nan();
        self.layout = Layout::Weighted(weighted);
    }

    /// Takes in rows with counts, all whole and above 0: each stands for so many identical rows. Rows whose `valid` bit is
    /// 0 are skipped; `rows` is the number of all that are meant, those that are skipped among them.
    ///
    /// # Panics
    /// If `labels`, `counts` or `valid` have another length than `scores`.
    pub fn load_counted<S: Score<Key = K>>(
        &mut self,
        scores: &[S],
        labels: Bits<'_>,
        counts: &[f64],
        valid: Option<Bits<'_>>,
        rows: u64,
    ) {
        let same = |len| len == scores.len();
        assert!(same(labels.len()) && same(counts.len()) && valid.is_none_or(|valid| same(valid.len())));
        self.score_type = self.score_type_of::<S>();
        self.rows = rows;
        let in_shards = self.strategy == Strategy::Shards;
        let counted = Weighted::counted(scores, labels, counts, valid, in_shards);
        self.nan = counted.has_nan();
        self.layout = Layout::Weighted(counted);
    }

    /// Takes in rows that are to be a state in at most so many bins; `all_rows` are meant, those that are skipped among
    /// them.
    pub fn load_bounded<S: Score<Key = K>>(
        &mut self,
        rows: UnrankedRows<'_, S>,
        limit: Limit,
        all_rows: u64,
    ) {
        self.load_state(rows.state(limit, self.score_type_of::<S>(), all_rows));
    }

    /// Takes in rows that were counted earlier.
    pub fn load_state(&mut self, state: State) {
        self.begin(state.bins.score_type(), state.rows, state.has_nan);
        self.layout = Layout::State(state);
    }

    /// Takes in rows with weights whose sums are known.
    pub fn load_weighted_state(&mut self, state: State<u128>) {
        self.begin(state.bins.score_type(), state.rows, state.has_nan);
        self.layout = Layout::WeightedState(Box::new(WeightedState::new(state)));
    }

    fn begin(&mut self, score_type: ScoreType, rows: RowCounts, has_nan: bool) {
        self.score_type = score_type;
        self.rows = rows.n_pos + rows.n_neg + rows.n_missing;
        self.nan = has_nan;
    }

    /// How many rows there are.
    pub fn row_counts(&self) -> RowCounts {
        let (n_pos, n_neg) = self.source().rows();
        let have_weights = self.source().units().is_some();
        RowCounts { n_pos, n_neg, n_missing: self.rows - n_pos - n_neg, have_weights }
    }

    /// Whether a score that is not missing is NaN, and the group therefore cannot be ranked.
    pub fn has_nan(&self) -> bool {
        self.nan
    }

    /// The ties of the rows.
    pub fn ties(&mut self) -> Ties<'_> {
        let source: &mut dyn Source = match &mut self.layout {
            Layout::OneThread => &mut self.one_thread,
            Layout::Shards(shards) => shards,
            Layout::Counted(counted) => counted,
            Layout::Weighted(weighted) => weighted,
            Layout::State(state) => state,
            Layout::WeightedState(state) => state.as_mut(),
        };
        Ties::of(source, self.score_type).of_all_rows(self.rows)
    }

    fn source(&self) -> &dyn Source {
        match &self.layout {
            Layout::OneThread => &self.one_thread,
            Layout::Shards(shards) => shards,
            Layout::Counted(counted) => counted,
            Layout::Weighted(weighted) => weighted,
            Layout::State(state) => state,
            Layout::WeightedState(state) => state.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::Strategy;
    use crate::ranking::scores::bits::tests::packed;
    use proptest::prelude::{any, prop_assert_eq, proptest};

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
            let valid_rows: Vec<&(i64, bool, bool)> = rows.iter().filter(|row| row.2).collect();
            let counted = group.row_counts();
            prop_assert_eq!(counted.n_pos as usize, valid_rows.iter().filter(|row| row.1).count());
            prop_assert_eq!(counted.n_neg as usize, valid_rows.iter().filter(|row| !row.1).count());
            prop_assert_eq!(counted.n_missing as usize, rows.len() - valid_rows.len());
            prop_assert_eq!(group.ties().row_counts(), counted);
            let twice_u = group.ties().twice_u();
            let kept: Vec<i64> = valid_rows.iter().map(|row| row.0).collect();
            let labels_kept = packed(valid_rows.iter().map(|row| row.1));
            group.load(&kept, Bits::new(&labels_kept, 0, kept.len()), None);
            prop_assert_eq!(group.ties().twice_u(), twice_u);
            let mut shards = Shards::part_as(&scores, bits(&labels), Some(bits(&valid)), 3, 4);
            prop_assert_eq!(Ties::of(&mut shards, ScoreType::of::<i64>(Domain::Any)).twice_u(), twice_u);
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
        assert!(matches!(group.layout, Layout::Shards(_)));
        let mut alone = Group::new(Strategy::ClassKeys, Domain::Any);
        alone.load(&scores, labels, None);
        assert_eq!(group.ties().twice_u(), alone.ties().twice_u());
    }
}
