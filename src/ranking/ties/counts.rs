//! Counts: the ties of a group as a value.
//!
//! Invariants: keys are strictly descending, and every key has at least one row. Groups of the same rows have
//! equal counts, whatever the order of the rows. A [`State`](crate::states::State) consists of counts that
//! can be merged and coarsened.

use super::count::{Count, CountValue};
use super::placements::Placements;
use super::source::{Source, StepKind};
use super::steps::{Above, Runs, Sink, Step};
use super::ties::Ties;
use super::units::Units;
use crate::memory;
use crate::ranking::scores::{keys::Keys, score_type::ScoreType};
use crate::ranking::tasks;
use crate::ranking::tuning::{FEW_ROWS, PARALLEL_ROWS};

/// The distinct scores of a group, highest first, each with its positives and negatives.
#[derive(Clone, Debug)]
pub struct Counts<T = u64> {
    keys: Keys,
    counts: Vec<Count<T>>,
    score_type: ScoreType,
    units: Option<Units>,
}

impl<T: CountValue> Counts<T> {
    /// Empty counts of a score type; positives and negatives are counted in `units` if rows have weights.
    pub fn new(score_type: ScoreType, units: Option<Units>) -> Self {
        Self::with_capacity(score_type, units, 0)
    }

    /// The same with capacity.
    pub fn with_capacity(score_type: ScoreType, units: Option<Units>, scores: usize) -> Self {
        let keys = Keys::with_capacity(score_type.width(), scores);
        Counts { keys, counts: Vec::with_capacity(scores), score_type, units }
    }

    /// Counts from descending keys and the counts of each key.
    pub fn from_parts(keys: Keys, counts: Vec<Count<T>>, score_type: ScoreType) -> Self {
        debug_assert_eq!(keys.len(), counts.len());
        Counts { keys, counts, score_type, units: None }
    }

    /// The type of the scores.
    pub fn score_type(&self) -> ScoreType {
        self.score_type
    }

    /// Appends a score lower than all existing ones.
    pub fn push(&mut self, key: u128, pos: T, neg: T) {
        self.keys.push(key);
        self.counts.push(Count { pos, neg });
    }

    /// Appends counts of lower scores.
    pub fn append(&mut self, lower: &Self) {
        let (keys, counts) = (&mut self.keys, &mut self.counts);
        append_both(lower.len(), || keys.extend(&lower.keys), || counts.extend_from_slice(&lower.counts));
    }

    /// Adds counts of the same scores.
    pub fn add_each(&mut self, more: &[Count<T>]) {
        self.counts.iter_mut().zip(more).for_each(|(count, more)| *count = count.plus(*more));
    }

    /// The number of distinct scores.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are no scores.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The key at an index; the highest score has index 0.
    pub fn key(&self, index: usize) -> u128 {
        self.keys.at(index)
    }

    /// The score at an index as a float; the highest has index 0. `None` if out of range.
    pub fn value(&self, index: usize) -> Option<f64> {
        (index < self.len()).then(|| self.score_type.value(self.key(index)))
    }

    /// The keys, highest first.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The counts, highest score first.
    pub fn each(&self) -> &[Count<T>] {
        &self.counts
    }

    /// Splits into keys and counts.
    pub fn into_parts(self) -> (Keys, Vec<Count<T>>) {
        (self.keys, self.counts)
    }
}

impl Counts {
    /// The same counts in these units of weight.
    pub fn in_units(self, units: Units) -> Self {
        Counts { units: Some(units), ..self }
    }

    /// The ties, for any statistic of one score.
    pub fn ties(&mut self) -> Ties<'_> {
        let score_type = self.score_type;
        Ties::new(self, score_type)
    }
}

/// Appends keys and counts of `scores` scores; in parallel for many scores.
fn append_both(scores: usize, keys: impl FnOnce() + Send, counts: impl FnOnce() + Send) {
    if scores >= PARALLEL_ROWS && tasks::in_pool() {
        tasks::join(keys, counts);
    } else {
        keys();
        counts();
    }
}

/// Counts as columns, for results of very large groups.
#[derive(Clone, Debug)]
pub struct CountColumns {
    /// The distinct scores, highest first.
    pub keys: Keys,
    /// The positives of each score.
    pub pos: Vec<u64>,
    /// The negatives of each score.
    pub neg: Vec<u64>,
}

impl CountColumns {
    fn append(&mut self, lower: &Self) {
        let CountColumns { keys, pos, neg } = self;
        let append_keys = || keys.extend(&lower.keys);
        let append_counts = || {
            pos.extend_from_slice(&lower.pos);
            neg.extend_from_slice(&lower.neg);
        };
        append_both(lower.pos.len(), append_keys, append_counts);
    }
}

impl Ties<'_> {
    /// All ties of a large group as columns; `None` for other groups. For a large group, writing the counts
    /// twice would dominate memory and time.
    pub fn count_columns(&mut self) -> Option<CountColumns> {
        let (width, max) = (self.score_type().width(), self.max_distinct());
        if max == 0 {
            return None;
        }
        let mut columns = CountColumns {
            keys: Keys::with_room(width, max),
            pos: memory::with_capacity(max),
            neg: memory::with_capacity(max),
        };
        let part_capacity = self.max_distinct_of_part();
        self.fold_runs_into(
            &mut columns,
            || CountColumns {
                keys: Keys::with_capacity(width, part_capacity),
                pos: Vec::with_capacity(part_capacity),
                neg: Vec::with_capacity(part_capacity),
            },
            |columns, run| {
                columns.keys.extend_wide(run.keys());
                columns.pos.extend(run.rows().map(|rows| rows.0));
                columns.neg.extend(run.rows().map(|rows| rows.1));
                run.below()
            },
            |columns, lower| columns.append(&lower),
        );
        Some(columns)
    }

    /// All ties as a value.
    pub fn counts(&mut self) -> Counts {
        let (score_type, units) = (self.score_type(), self.units());
        // Unused capacity of a large group is never touched. Groups of [`FEW_ROWS`] rows or more rarely have
        // as many distinct scores as rows.
        let mut counts = match self.max_distinct() {
            0 => Counts::with_capacity(
                score_type,
                units,
                (self.n_pos() + self.n_neg()).min(FEW_ROWS as u64) as usize,
            ),
            max => Counts {
                keys: Keys::with_room(score_type.width(), max),
                counts: memory::with_capacity(max),
                score_type,
                units,
            },
        };
        self.fold_runs_into(
            &mut counts,
            || Counts::with_capacity(score_type, units, 0),
            |counts, run| {
                counts.keys.extend_wide(run.keys());
                counts.counts.extend(run.rows().map(|(pos, neg)| Count { pos, neg }));
                run.below()
            },
            |counts, lower| counts.append(&lower),
        );
        counts
    }
}

/// The steps of counts, highest score first; keys are unknown and set to 0.
pub fn steps(counts: &[Count]) -> impl Iterator<Item = Step> {
    let mut above = Above::default();
    counts.iter().map(move |&Count { pos, neg }| {
        let step = Step { key: 0, pos, neg, pos_above: above.pos, neg_above: above.neg };
        above = Above { pos: above.pos + pos, neg: above.neg + neg };
        step
    })
}

/// Sums over the placements of counted rows, highest score first.
pub fn placements(counts: &[Count]) -> Placements {
    let n_neg = Count::sum(counts).neg;
    steps(counts).fold(Placements::default(), |mut sums, step| {
        sums.add(&step, n_neg);
        sums
    })
}

/// Twice the Mann-Whitney U of counts, highest score first.
pub fn twice_u(counts: &[Count]) -> u128 {
    let n_neg = Count::sum(counts).neg;
    steps(counts).map(|step| step.twice_u(n_neg)).sum()
}

impl Source for Counts {
    fn totals(&self) -> (u64, u64) {
        let Count { pos, neg } = Count::sum(&self.counts);
        (pos, neg)
    }

    fn units(&self) -> Option<Units> {
        self.units
    }

    fn walk(&mut self, _: StepKind, take: &mut Sink<'_>) {
        Runs::emit(Above::default(), &mut Vec::new(), take, |runs| {
            for (index, count) in self.counts.iter().enumerate() {
                runs.push(self.keys.at(index), count.pos, count.neg);
            }
        });
    }

    fn twice_u(&mut self) -> Option<u128> {
        Some(twice_u(&self.counts))
    }

    fn placements(&mut self) -> Option<Placements> {
        Some(placements(&self.counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::tests::group_of;
    use crate::ranking::scores::Domain;
    use crate::ranking::ties::Indexed;
    use proptest::prelude::*;

    fn counted(rows: &[(i32, bool)]) -> Counts {
        group_of(rows, Domain::Any).ties().counts()
    }

    proptest! {
        #[test]
        fn stored_counts_equal_ranked_rows(rows in prop::collection::vec((-9i32..9, any::<bool>()), 0..200)) {
            let mut group = group_of(&rows, Domain::Any);
            let mut counts = group.ties().counts();
            prop_assert_eq!(counts.ties().twice_u(), group.ties().twice_u());
            prop_assert_eq!(twice_u(counts.each()), group.ties().twice_u());
            prop_assert_eq!(counts.ties().twice_u_and_cubes(), group.ties().twice_u_and_cubes());
            prop_assert_eq!(counts.ties().placements(), group.ties().placements());
            prop_assert_eq!(placements(counts.each()), group.ties().placements());
            prop_assert_eq!(counts.ties().reached(group.ties().at_least(crate::ranking::Number::Integer(2)).unwrap()), group.ties().reached(2i32.cast_unsigned() as u128 ^ (1 << 31)));
            for count in [1, 5, 50] {
                let exists = count <= rows.len() as u64;
                let (now, earlier) = (group.ties().at_rank(count), counts.ties().at_rank(count));
                prop_assert_eq!((now, now.is_some()), (earlier, exists));
            }
            let (pos, neg) = counts.ties().fold_pruned(StepKind::Segments(Indexed::Rarer), |_| true, |sum: &mut (u64, u64), segment| { sum.0 += segment.pos; sum.1 += segment.neg; }, |_, _| ());
            prop_assert_eq!((pos, neg), (group.row_counts().n_pos, group.row_counts().n_neg));
        }
    }

    #[test]
    fn values_are_scores() {
        let counts = counted(&[(-3, true), (7, false)]);
        assert_eq!(
            (counts.score_type.value(counts.key(0)), counts.score_type.value(counts.key(1))),
            (7.0, -3.0)
        );
        let (keys, each) = counts.into_parts();
        assert_eq!((keys.len(), each[1]), (2, Count { pos: 1, neg: 0 }));
    }
}
