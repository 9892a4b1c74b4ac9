//! The rows of one group, ranked by the strategy for their number.

use crate::paths::Path;
use crate::ranking::order::{
    blocks::blocks, distinct_keys::DistinctKeys, one_thread::OneThread, shards::Shards,
};
use crate::ranking::scores::{
    Key, Observations, Parts, Score, number::Domain, observations::Mass, parts::PartFacts,
    score_type::ScoreType,
};
use crate::ranking::ties::{Ties, row_counts::RowCounts, source::Source, units};
use crate::ranking::tuning::{ROWS_PER_KEY, SHARD_ROWS};
use crate::ranking::weighted::Weighted;

/// How a group is ranked. All strategies give the same results; tests and benchmarks select one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Chosen by the group's size.
    #[default]
    Fitting,
    /// By the keys of each class, on one thread.
    ClassKeys,
    /// In shards, on all threads.
    Shards,
    /// By counting distinct scores; falls back to the keys of each class if there are too many.
    Counting,
}

impl Strategy {
    /// The selectable strategies, by name.
    pub const NAMES: [(&'static str, Strategy); 3] =
        [("class_keys", Strategy::ClassKeys), ("shards", Strategy::Shards), ("counted", Strategy::Counting)];
}

/// The rows of one group, whose scores have keys of type `K`. Memory is reused from group to group.
#[derive(Debug)]
pub struct Group<K> {
    strategy: Strategy,
    domain: Domain,
    score_type: ScoreType,
    one_thread: OneThread<K>,
    layout: Layout,
    /// All rows, including skipped ones.
    all_rows: u64,
    /// Skipped rows in which only the label is missing; `None` if unknown.
    n_unlabelled: Option<u64>,
}

/// The layout that the ties are read from.
#[derive(Debug)]
enum Layout {
    /// The rows are in `one_thread`.
    OneThread,
    Other(Box<dyn Source>),
}

impl<K: Key> Default for Group<K> {
    fn default() -> Self {
        Self::new(Strategy::Fitting, Domain::Any)
    }
}

impl<K: Key> Group<K> {
    /// An empty group with its ranking strategy.
    pub fn new(strategy: Strategy, domain: Domain) -> Self {
        Group {
            strategy,
            domain,
            score_type: ScoreType::new::<K>(domain),
            one_thread: OneThread::default(),
            layout: Layout::OneThread,
            all_rows: 0,
            n_unlabelled: None,
        }
    }

    /// The score type `S` in this group's domain.
    pub fn score_type_of<S: Score<Key = K>>(&self) -> ScoreType {
        ScoreType::new::<S>(self.domain)
    }

    /// Loads rows.
    pub fn load<S: Score<Key = K>>(&mut self, rows: Observations<'_, S>) {
        self.load_pieces(&[rows]);
    }

    /// Loads rows in several pieces. Rows with weights or counts must be in one piece.
    ///
    /// # Panics
    /// Panics if rows in several pieces have weights or counts.
    pub fn load_pieces<S: Score<Key = K>>(&mut self, pieces: &[Observations<'_, S>]) {
        self.score_type = self.score_type_of::<S>();
        self.all_rows = pieces.iter().map(|rows| rows.all_rows).sum();
        self.n_unlabelled = Some(pieces.iter().map(|rows| rows.n_unlabelled).sum());
        let in_shards = self.strategy == Strategy::Shards;
        let has_mass = |rows: &Observations<'_, S>| !matches!(rows.mass, Mass::Row);
        let [rows] = pieces else {
            assert!(!pieces.iter().any(has_mass), "several pieces with weights or counts");
            self.layout = self.load_unweighted(pieces);
            return;
        };
        self.layout = match rows.mass {
            Mass::Row => self.load_unweighted(pieces),
            Mass::Counts(_) => Layout::Other(Box::new(Weighted::new(rows, None, in_shards))),
            Mass::Weights(_) => {
                Layout::Other(Box::new(Weighted::new(rows, Some(units::units(rows)), in_shards)))
            }
        };
    }

    fn load_unweighted<S: Score<Key = K>>(&mut self, pieces: &[Observations<'_, S>]) -> Layout {
        let n_rows = pieces.iter().map(|rows| rows.scores.len()).sum::<usize>();
        let max = match self.strategy {
            Strategy::Fitting if n_rows >= SHARD_ROWS && Path::DistinctKeys.is_on() => {
                Some(n_rows / ROWS_PER_KEY).filter(|&max| DistinctKeys::may_be_few(pieces, max))
            }
            Strategy::Counting => Some(n_rows),
            _ => None,
        };
        let many = n_rows >= SHARD_ROWS;
        if let Some(max) = max {
            let blocks = if many { blocks() } else { 1 };
            if let Some(keys) = DistinctKeys::count(pieces, blocks, max) {
                return Layout::Other(Box::new(keys));
            }
        }
        if (many && self.strategy != Strategy::ClassKeys) || self.strategy == Strategy::Shards {
            return Layout::Other(Box::new(Shards::<K>::part(pieces, Default::default())));
        }
        self.one_thread.load(pieces);
        Layout::OneThread
    }

    /// Loads many rows in parts; they are counted or sharded, whatever the strategy.
    pub fn load_parts<S: Score<Key = K>>(&mut self, parts: &dyn Parts<S>) {
        let facts = PartFacts::new(parts);
        self.score_type = self.score_type_of::<S>();
        self.all_rows = facts.all_rows;
        self.n_unlabelled = Some(facts.n_unlabelled);
        let max = facts.rows / ROWS_PER_KEY;
        let mut may_be_few = parts.count() > 0;
        if may_be_few {
            parts.show(0, &mut |rows| may_be_few = DistinctKeys::may_be_few(&[*rows], max));
        }
        let counted = may_be_few.then(|| DistinctKeys::count_parts(parts, blocks(), max)).flatten();
        self.layout = Layout::Other(match counted {
            Some(keys) => Box::new(keys),
            None => Box::new(Shards::<K>::from_parts(parts, &facts)),
        });
    }

    /// Loads the ties of a source; `all_rows` includes skipped rows.
    pub fn load_source(&mut self, source: Box<dyn Source>, score_type: ScoreType, all_rows: u64) {
        self.score_type = score_type;
        self.all_rows = all_rows;
        self.n_unlabelled = None;
        self.layout = Layout::Other(source);
    }

    /// The row counts of the group.
    pub fn row_counts(&self) -> RowCounts {
        let (n_pos, n_neg) = self.source().rows();
        let have_weights = self.source().units().is_some();
        let n_missing = self.all_rows - n_pos - n_neg;
        RowCounts { n_pos, n_neg, n_missing, n_unlabelled: self.n_unlabelled, have_weights }
    }

    /// Whether the score of any row in use is NaN, so that the group cannot be ranked.
    pub fn has_nan(&self) -> bool {
        self.source().has_nan()
    }

    /// The ties of the rows.
    pub fn ties(&mut self) -> Ties<'_> {
        let source: &mut dyn Source = match &mut self.layout {
            Layout::OneThread => &mut self.one_thread,
            Layout::Other(source) => source.as_mut(),
        };
        Ties::new(source, self.score_type).with_all_rows(self.all_rows, self.n_unlabelled)
    }

    fn source(&self) -> &dyn Source {
        match &self.layout {
            Layout::OneThread => &self.one_thread,
            Layout::Other(source) => source.as_ref(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ranking::scores::{Bits, bits::tests::packed};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    /// A group of scores and labels.
    pub fn group_of<S: Score>(rows: &[(S, bool)], domain: Domain) -> Group<S::Key> {
        let scores: Vec<S> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let mut group = Group::new(Strategy::Fitting, domain);
        group.load(Observations::new(&scores, Bits::new(&labels, 0, rows.len()), None));
        group
    }

    proptest! {
        #[test]
        fn missing_rows_are_absent(rows in proptest::collection::vec((-3i64..3, any::<bool>(), any::<bool>()), 0..300)) {
            let scores: Vec<i64> = rows.iter().map(|row| row.0).collect();
            let labels = packed(rows.iter().map(|row| row.1));
            let valid = packed(rows.iter().map(|row| row.2));
            let bits = |bytes| Bits::new(bytes, 0, rows.len());
            let all_rows = Observations::new(&scores, bits(&labels), Some(bits(&valid)));
            let mut group = Group::default();
            group.load(Observations::new(&[7i64; 50], Bits::new(&[255; 8], 3, 50), None)); // memory from before
            group.load(all_rows);
            let valid_rows: Vec<&(i64, bool, bool)> = rows.iter().filter(|row| row.2).collect();
            let counted = group.row_counts();
            prop_assert_eq!(counted.n_pos as usize, valid_rows.iter().filter(|row| row.1).count());
            prop_assert_eq!(counted.n_neg as usize, valid_rows.iter().filter(|row| !row.1).count());
            prop_assert_eq!(counted.n_missing as usize, rows.len() - valid_rows.len());
            prop_assert_eq!(group.ties().row_counts(), counted);
            let twice_u = group.ties().twice_u();
            let kept: Vec<i64> = valid_rows.iter().map(|row| row.0).collect();
            let labels_kept = packed(valid_rows.iter().map(|row| row.1));
            group.load(Observations::new(&kept, Bits::new(&labels_kept, 0, kept.len()), None));
            prop_assert_eq!(group.ties().twice_u(), twice_u);
            let mut shards = Shards::<u64>::part_as(&[all_rows], Default::default(), 3, 4);
            prop_assert_eq!(Ties::new(&mut shards, ScoreType::new::<i64>(Domain::Any)).twice_u(), twice_u);
        }
    }

    #[test]
    fn nan_in_skipped_rows_is_ignored() {
        let scores = [f64::NAN, 1.0];
        let (labels, second) = (Bits::new(&[0b01], 0, 2), Bits::new(&[0b10], 0, 2));
        let (all, valid) =
            (Observations::new(&scores, labels, None), Observations::new(&scores, labels, Some(second)));
        let mut group = Group::default();
        group.load(all);
        assert!(group.has_nan());
        group.load(valid);
        assert!(!group.has_nan());
        assert!(Shards::<u64>::part_as(&[all], Default::default(), 2, 2).has_nan());
        assert!(!Shards::<u64>::part_as(&[valid], Default::default(), 2, 2).has_nan());
    }

    /// Runs of rows of one class are copied 64 at a time.
    #[test]
    fn sorted_classes() {
        let mixed: Vec<(i64, bool)> = (0..500).map(|row| (row * 37 % 101, row * 29 % 31 < 11)).collect();
        let mut sorted = mixed.clone();
        sorted.sort_by_key(|row| row.1);
        let facts = |rows: &[(i64, bool)]| {
            let mut group = group_of(rows, Domain::Any);
            (group.row_counts(), group.ties().placements())
        };
        assert_eq!(facts(&sorted), facts(&mixed));
    }

    /// Groups on both sides of the size limit, compared with the other strategy.
    #[test]
    fn large_groups_are_ranked_alike() {
        let scores: Vec<f64> =
            (0..SHARD_ROWS as u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64).collect();
        let labels = vec![0b0011_0101; scores.len() / 8];
        let labels = Bits::new(&labels, 0, scores.len());
        let mut group = Group::default();
        group.load(Observations::new(&scores, labels, None));
        assert!(group.ties().is_large());
        let mut alone = Group::new(Strategy::ClassKeys, Domain::Any);
        alone.load(Observations::new(&scores, labels, None));
        assert_eq!(group.ties().twice_u(), alone.ties().twice_u());
    }
}
