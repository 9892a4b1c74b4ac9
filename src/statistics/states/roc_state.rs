//! The state of a group: a summary of its rows for later evaluation, alone or merged with others.

use std::slice::IterMut;

use rayon::prelude::*;

use crate::memory;
use crate::ranking::scores::Keys;
use crate::ranking::ties::{Count, CountColumns, CountValue, Counts, RowCounts, Ties};
use crate::ranking::{SHARD_ROWS, tasks};
use crate::states::{Limit, Scale, State, state::LIMITS, weight_sums::WeightSums};
use crate::statistics::declaration::declaration;
use crate::statistics::kinds::{Column, Field, FieldKind, Summary, Value, record};
use crate::statistics::options::{FromOptions, OptionError, Options, Word};

/// Counts of a group's rows by score, exact or with a limited number of bins.
#[derive(Clone, Copy, Debug, Default)]
pub struct RocState {
    /// The maximum number of bins; `None` for an exact state.
    pub max_bins: Option<u64>,
    /// The scale of scores; real numbers by default.
    pub scale: Option<Scale>,
}

record! {
    /// The state of one group.
    pub struct RocStateRecord {
        /// A list of structs, highest score first. `score` is the lowest score of the bin, in the dtype of the score.
        /// `pos` and `neg` are its positives and negatives (UInt64), or the sums of their weights (Decimal with 38
        /// digits, 18 of them after the point). `tied` is whether all its rows share one score. With weights,
        /// `pos_squares` and `neg_squares` are the sums of the squared weights (Decimal like the others); null if
        /// unknown.
        pub bins: Bins,
        /// The numbers of positives and negatives used.
        pub rows: Count,
        /// The number of rows skipped.
        pub n_missing: u64,
        /// Whether a score is NaN. There are then no bins, and every result is as for rows with a NaN score.
        pub has_nan: bool,
        /// 0 if every distinct score has its own bin, otherwise the number of the partition.
        pub resolution: u64,
        /// The maximum number of bins; null for a state that is always exact.
        pub max_bins: Option<u64>,
        /// The scale of the partitions; null where `max_bins` is null.
        pub scale: Option<&'static str>,
    }
}

/// The bins of a state, as a list of records.
#[derive(Clone, Debug)]
pub enum Bins {
    /// No bins.
    Absent,
    /// Bins of unweighted rows.
    Counts(State),
    /// Bins of a very large number of rows, one for each score.
    Columns(CountColumns),
    /// Bins of weighted rows.
    Weights(State<WeightSums>),
}

/// The fields of a bin.
pub const BIN: &[Field] = &[
    Field { name: "score", kind: FieldKind::Threshold },
    Field { name: "pos", kind: FieldKind::Sum },
    Field { name: "neg", kind: FieldKind::Sum },
    Field { name: "tied", kind: FieldKind::Truth },
    Field { name: "pos_squares", kind: FieldKind::Squares },
    Field { name: "neg_squares", kind: FieldKind::Squares },
];

/// For each bin its score, its count, and whether it is tied.
fn each<T: CountValue>(state: &State<T>) -> impl Iterator<Item = (u128, Count<T>, bool)> {
    let bins = &state.bins;
    (0..bins.len()).map(move |bin| (bins.key(bin), bins.each()[bin], state.is_tied(bin)))
}

impl Bins {
    /// The bins of unweighted rows.
    fn rows(&self) -> Option<Vec<(u128, Count, bool)>> {
        match self {
            Bins::Counts(state) => Some(each(state).collect()),
            Bins::Columns(CountColumns { keys, pos, neg }) => {
                let counts = pos.iter().zip(neg).map(|(&pos, &neg)| Count { pos, neg });
                Some(keys.iter().zip(counts).map(|(key, count)| (key, count, true)).collect())
            }
            Bins::Absent | Bins::Weights(_) => None,
        }
    }
}

impl PartialEq for Bins {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Bins::Absent, Bins::Absent) => true,
            (Bins::Weights(one), Bins::Weights(other)) => each(one).eq(each(other)),
            _ => self.rows().zip(other.rows()).is_some_and(|(one, other)| one == other),
        }
    }
}

/// The number type of bins, as columns.
trait Counted: CountValue {
    /// Appends the positives or the negatives of bins to a column of sums, or of squares.
    fn append(values: impl ExactSizeIterator<Item = Self>, column: &mut Column);
}

impl Counted for u64 {
    fn append(values: impl ExactSizeIterator<Item = Self>, column: &mut Column) {
        if let Column::Sum(sums) = column {
            if sums.counts.is_empty() {
                sums.counts = memory::with_capacity(values.len());
            }
            sums.counts.extend(values);
        }
    }
}

impl Counted for WeightSums {
    fn append(values: impl ExactSizeIterator<Item = Self>, column: &mut Column) {
        match column {
            Column::Sum(sums) => sums.steps.extend(values.map(|sums| sums.steps)),
            Column::Squares(squares) => values.for_each(|sums| squares.push(sums.squares.known())),
            _ => {}
        }
    }
}

/// Appends bins column by column; very many bins use all threads of a pool.
fn append<T: Counted>(state: State<T>, columns: &mut [Column]) {
    let State { bins, tied, .. } = state;
    let (keys, counts) = bins.into_parts();
    let fill = |(field, column): (&Field, &mut Column)| match (column, field.name) {
        (Column::Threshold(_), _) => {}
        (Column::Truth(column), _) if tied.is_empty() => {
            column.values.resize(column.values.len() + counts.len(), true);
        }
        (Column::Truth(column), _) => column.values.extend_from_slice(&tied),
        (column, "pos" | "pos_squares") => T::append(counts.iter().map(|count| count.pos), column),
        (column, _) => T::append(counts.iter().map(|count| count.neg), column),
    };
    if counts.len() >= SHARD_ROWS && tasks::in_pool() {
        BIN.par_iter().zip(&mut *columns).for_each(fill);
    } else {
        BIN.iter().zip(&mut *columns).for_each(fill);
    }
    append_keys(keys, columns);
}

fn append_keys(keys: Keys, columns: &mut [Column]) {
    if let Some(Column::Threshold(scores)) =
        columns.iter_mut().find(|column| matches!(column, Column::Threshold(_)))
    {
        scores.keys.append(keys);
    }
}

/// Appends the bins of a large group; its columns are moved if there are no bins yet.
fn append_columns(CountColumns { keys, pos, neg }: CountColumns, columns: &mut [Column]) {
    let rows = pos.len();
    append_keys(keys, columns);
    let mut counts = [pos, neg].into_iter();
    for column in columns {
        match column {
            Column::Sum(sums) => {
                let more = counts.next().unwrap_or_default();
                if sums.counts.is_empty() { sums.counts = more } else { sums.counts.extend(more) }
            }
            Column::Truth(tied) => tied.values.resize(tied.values.len() + rows, true),
            _ => {}
        }
    }
}

impl Value for Bins {
    const COLUMNS: &'static [Field] = &[Field { name: "", kind: FieldKind::Records(BIN) }];

    fn nan(_: Count) -> Self {
        Bins::Absent
    }

    fn undefined(_: Count) -> Self {
        Bins::Absent
    }

    fn write(self, columns: &mut IterMut<'_, Column>) {
        let Some(Column::Records(lists)) = columns.next() else {
            unreachable!("the column was made for this field")
        };
        match self {
            Bins::Absent => {}
            Bins::Counts(state) => append(state, &mut lists.items),
            Bins::Columns(columns) => append_columns(columns, &mut lists.items),
            Bins::Weights(state) => append(state, &mut lists.items),
        }
        lists.close(lists.items[0].len(), true);
    }
}

impl RocStateRecord {
    /// The state of rows with a NaN score.
    fn with_nan(rows: RowCounts) -> Self {
        RocStateRecord { n_missing: rows.n_missing, has_nan: true, ..RocStateRecord::nan(rows) }
    }

    fn from_state<T>(state: State<T>, bins: impl FnOnce(State<T>) -> Bins) -> Self {
        if state.has_nan {
            return RocStateRecord::with_nan(state.rows);
        }
        let (limit, resolution) = (state.limit, state.resolution);
        RocStateRecord {
            rows: state.rows.into(),
            n_missing: state.rows.n_missing,
            bins: bins(state),
            has_nan: false,
            resolution: resolution.into(),
            max_bins: limit.map(|limit| limit.max_bins),
            scale: limit.map(|limit| limit.scale.name()),
        }
    }
}

impl From<State> for RocStateRecord {
    fn from(state: State) -> Self {
        RocStateRecord::from_state(state, Bins::Counts)
    }
}

impl From<State<WeightSums>> for RocStateRecord {
    fn from(state: State<WeightSums>) -> Self {
        RocStateRecord::from_state(state, Bins::Weights)
    }
}

impl Word for Scale {
    const WORDS: &'static [(&'static str, Self)] = &Scale::NAMES;
}

impl FromOptions for RocState {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        if options.has("scale") && !options.has("max_bins") {
            return Err(OptionError::new("scale", "says where a state of `max_bins` has small bins")
                .hint("give `max_bins`, or leave `scale` out"));
        }
        let scale = options.optional_word("scale")?;
        let limits = i128::from(*LIMITS.start())..=i128::from(*LIMITS.end());
        Ok(RocState { max_bins: options.optional_integer("max_bins", limits)?, scale })
    }
}

impl RocState {
    fn limit(&self) -> Option<Limit> {
        self.max_bins.map(|max_bins| Limit { max_bins, scale: self.scale.unwrap_or_default() })
    }

    /// The state of unweighted rows.
    pub(in crate::statistics) fn state_of(&self, ties: &mut Ties<'_>) -> State {
        ties.state().limited(self.limit())
    }
}

impl Summary for RocState {
    type Record = RocStateRecord;
    const WEIGHTS: bool = true;

    fn state(&self) -> Option<Option<Limit>> {
        Some(self.limit())
    }

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        let state_scale = ties.stored().and_then(|state| state.limit).map(|limit| limit.scale);
        let Some(limit) = self.limit() else { return Ok(()) };
        if let (Some(state_scale), Some(scale)) = (state_scale, self.scale)
            && state_scale != scale
        {
            return Err(format!(
                "scale is \"{}\", but the states have the scale \"{}\". Hint: leave scale out",
                scale.name(),
                state_scale.name()
            ));
        }
        let scale = state_scale.unwrap_or(limit.scale);
        if scale == Scale::Real {
            return Ok(());
        }
        for rank in [1, ties.n_pos() + ties.n_neg()] {
            let score = ties.threshold(rank).map(|key| ties.value(key));
            if let Some(score) = score.filter(|&score| !scale.holds(score)) {
                return Err(format!(
                    "`scale=\"probability\"` expects scores from 0 to 1, got {score}. Hint: leave `scale` out"
                ));
            }
        }
        Ok(())
    }

    fn evaluate(&self, mut ties: Ties<'_>) -> RocStateRecord {
        if let Some(sums) = ties.stored_weights() {
            return sums.clone().limited(self.limit()).into();
        }
        if self.max_bins.is_none()
            && ties.stored().is_none()
            && let Some(columns) = ties.count_columns()
        {
            let nothing: State = State::exact(Counts::new(ties.score_type(), None), ties.row_counts());
            return RocStateRecord { bins: Bins::Columns(columns), ..nothing.into() };
        }
        self.state_of(&mut ties).into()
    }

    fn nan_record(&self, rows: RowCounts) -> RocStateRecord {
        RocStateRecord::with_nan(rows)
    }
}

declaration! {
    /// The counts of rows by score: a mergeable state for all functions of one score; exact, or with at most
    /// `max_bins` bins.
    ///
    /// Words: sketch, sufficient statistics, pre-aggregation, histogram of scores, incremental AUC, streaming AUC.
    RocState {
        label, score;
        /// The maximum number of bins, from 16 to 2^31. `None` makes an exact state, with a bin for each distinct
        /// score. A state with at most `max_bins` distinct scores is exact as well.
        max_bins: integer = None,
        /// Where a state with `max_bins` has its narrow bins: `"real"` near 0, for any numbers; `"probability"` near
        /// 0 and near 1, for scores from 0 to 1. `None` is `"real"`. States with different scales cannot be merged.
        scale: python("Scale") = None,
        /// Weights are read as Float64, and must be at least 5e-19; the weights of a class must sum to less than
        /// 1e20. The state then contains sums of weights, for every function with a `weight`.
        weight = None, count = None,
    }
}

/// The declaration of the expression that merges states.
pub struct MergeStates;

declaration! {
    /// One state for the rows of several states.
    ///
    /// Words: merge, combine partitions, rollup, distributed AUC, federated.
    MergeStates {
        /// Null states hold no rows.
        state;
        /// The most bins of the merged state, from 16 to 2^31. None keeps the limit of the states; of several limits the lowest
        /// counts.
        max_bins: integer = None,
        /// The scale of `max_bins`, for exact states; states with a limit have a scale already.
        scale: python("Scale") = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::tests::group_of;
    use crate::ranking::scores::{Domain, Width};
    use crate::statistics::kinds::Record;

    /// A large group is counted column by column. Its columns are moved if there are no bins yet, and
    /// otherwise appended.
    #[test]
    fn large_groups_and_small_ones() {
        let mixed = |row: u32| (row.wrapping_mul(0x9E37_79B1) >> 4) as i32;
        let rows = |number: u32, scores: i32| -> Vec<(i32, bool)> {
            (0..number).map(|row| (mixed(row) % scores, row % 3 == 0)).collect()
        };
        let large = SHARD_ROWS as u32 + 99;
        // There are few scores, each shared by very many rows.
        let groups = [
            (rows(large, i32::MAX), true),
            (rows(90, 20), false),
            (rows(large, 70_000), true),
            (rows(large, 50), false),
        ];
        let width = Width::W32;
        let [mut columns, mut expected] = [(); 2].map(|()| Column::all_of(RocStateRecord::FIELDS, width, 0));
        for (rows, are_many) in &groups {
            let mut group = group_of(rows, Domain::Any);
            let record = RocState::default().evaluate(group.ties());
            assert_eq!(matches!(record.bins, Bins::Columns(_)), *are_many);
            let by_state = RocStateRecord::from(group.ties().state());
            assert!(record == by_state);
            record.append(&mut columns);
            by_state.append(&mut expected);
            assert!(format!("{columns:?}") == format!("{expected:?}"));
        }
    }
}
