//! The state of a group: what is kept of its rows to answer later, alone or merged with others.

use std::slice::IterMut;

use rayon::prelude::*;

use crate::memory;
use crate::ranking::states::{Limit, Scale, State, state::LIMITS, weight_sums::WeightSums};
use crate::ranking::ties::{Count, RowCounts, Ties, counts::Tally};
use crate::ranking::{SHARD_ROWS, tasks};
use crate::statistics::kinds::{Column, Field, FieldKind, Summary, Value, record};
use crate::statistics::options::{FromOptions, OptionError, Options, Word};

/// Counts of a group's rows by score, exact or in at most so many bins.
#[derive(Clone, Copy, Debug, Default)]
pub struct RocState {
    /// The most bins; none for an exact state.
    pub max_bins: Option<u64>,
    /// How scores are spread; real numbers if not said.
    pub scale: Option<Scale>,
}

record! {
    /// The state of one group.
    pub struct RocStateRecord {
        /// The bins, highest score first.
        pub bins: Bins,
        /// Positives and negatives that were used.
        pub rows: Count,
        /// Rows that were skipped.
        pub n_missing: u64,
        /// Whether a score was NaN. There are no bins then.
        pub has_nan: bool,
        /// The number of the partition that the bins belong to; 0 if each distinct score has its own bin.
        pub resolution: u64,
        /// The most bins; null in a state that is exact whatever comes.
        pub max_bins: Option<u64>,
        /// The scale of the partitions; null where `max_bins` is.
        pub scale: Option<&'static str>,
    }
}

/// The bins of a state, as a list of records.
#[derive(Clone, Debug)]
pub enum Bins {
    /// There are none.
    Absent,
    /// Of rows.
    Counts(State),
    /// Of rows with weights.
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

/// The score and the count of each bin, and whether it is tied.
fn each<T: Tally>(state: &State<T>) -> impl Iterator<Item = (u128, Count<T>, bool)> {
    let bins = &state.bins;
    (0..bins.len()).map(move |bin| (bins.key(bin), bins.each()[bin], state.is_tied(bin)))
}

impl PartialEq for Bins {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Bins::Absent, Bins::Absent) => true,
            (Bins::Counts(own), Bins::Counts(other)) => each(own).eq(each(other)),
            (Bins::Weights(own), Bins::Weights(other)) => each(own).eq(each(other)),
            _ => false,
        }
    }
}

/// What bins count, as columns.
trait Counted: Tally {
    /// Appends the positives or the negatives of bins to a column of sums, or of squares.
    fn append(of_bins: impl ExactSizeIterator<Item = Self>, column: &mut Column);
}

impl Counted for u64 {
    fn append(of_bins: impl ExactSizeIterator<Item = Self>, column: &mut Column) {
        if let Column::Sum(sums) = column {
            if sums.counts.is_empty() {
                sums.counts = memory::with_room(of_bins.len());
            }
            sums.counts.extend(of_bins);
        }
    }
}

impl Counted for WeightSums {
    fn append(of_bins: impl ExactSizeIterator<Item = Self>, column: &mut Column) {
        match column {
            Column::Sum(sums) => sums.steps.extend(of_bins.map(|sums| sums.steps)),
            Column::Squares(squares) => of_bins.for_each(|sums| squares.push(sums.squares.known())),
            _ => {}
        }
    }
}

/// Appends bins column by column, since they may be many; very many by all threads of a pool.
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
    if let Some(Column::Threshold(scores)) =
        columns.iter_mut().find(|column| matches!(column, Column::Threshold(_)))
    {
        scores.keys.append(keys);
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
            Bins::Weights(state) => append(state, &mut lists.items),
        }
        lists.close(lists.items[0].len(), true);
    }
}

impl RocStateRecord {
    /// The state of rows of which one has a NaN score.
    fn of_nan(rows: RowCounts) -> Self {
        RocStateRecord { n_missing: rows.n_missing, has_nan: true, ..RocStateRecord::nan(rows) }
    }

    fn of<T>(state: State<T>, bins: impl FnOnce(State<T>) -> Bins) -> Self {
        if state.has_nan {
            return RocStateRecord::of_nan(state.rows);
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
        RocStateRecord::of(state, Bins::Counts)
    }
}

impl From<State<WeightSums>> for RocStateRecord {
    fn from(state: State<WeightSums>) -> Self {
        RocStateRecord::of(state, Bins::Weights)
    }
}

impl Word for Scale {
    const WORDS: &'static [(&'static str, Self)] = &Scale::NAMED;
}

impl FromOptions for RocState {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        if options.has("scale") && !options.has("max_bins") {
            return Err(OptionError::new("scale", "says where a state of `max_bins` has small bins")
                .instead("give `max_bins`, or leave `scale` out"));
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
}

impl Summary for RocState {
    type Record = RocStateRecord;
    const WEIGHTS: bool = true;

    fn state(&self) -> Option<Option<Limit>> {
        Some(self.limit())
    }

    fn check_ties(&self, ties: &mut Ties<'_>) -> Result<(), String> {
        let own = ties.stored().and_then(|state| state.limit).map(|limit| limit.scale);
        let Some(limit) = self.limit() else { return Ok(()) };
        if let (Some(own), Some(scale)) = (own, self.scale)
            && own != scale
        {
            return Err(format!(
                "scale is \"{}\", but the states have the scale \"{}\"; leave scale out",
                scale.name(),
                own.name()
            ));
        }
        let scale = own.unwrap_or(limit.scale);
        if scale == Scale::Real {
            return Ok(());
        }
        for rank in [1, ties.n_pos() + ties.n_neg()] {
            let score = ties.threshold(rank).map(|key| ties.value(key));
            if let Some(score) = score.filter(|&score| !scale.holds(score)) {
                return Err(format!(
                    "`scale=\"probability\"` is for scores from 0 to 1, but a score is {score}; leave `scale` out"
                ));
            }
        }
        Ok(())
    }

    fn of_ties(&self, mut ties: Ties<'_>) -> RocStateRecord {
        match ties.stored_weights() {
            Some(sums) => sums.clone().limited(self.limit()).into(),
            None => ties.state().limited(self.limit()).into(),
        }
    }

    fn of_nan(&self, rows: RowCounts) -> RocStateRecord {
        RocStateRecord::of_nan(rows)
    }
}
