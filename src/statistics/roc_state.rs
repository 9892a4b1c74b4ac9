//! The state of a group: what is kept of its rows to answer later, alone or merged with others.

use super::record::{Column, Field, FieldKind, Value, record};
use super::{Given, Summary};
use crate::ranking::state::LIMITS;
use crate::ranking::{Count, Limit, RowCounts, Scale, State, Ties};

/// Counts of a group's rows by score, exact or in at most so many bins.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
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
        /// Positives that were used.
        pub n_pos: u64,
        /// Negatives that were used.
        pub n_neg: u64,
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

/// The bins of a state, if there are any, as a list of records.
#[derive(Clone, Debug)]
pub struct Bins(Option<State>);

/// The fields of a bin.
pub const BIN: &[Field] = &[
    Field { name: "score", kind: FieldKind::Threshold },
    Field { name: "pos", kind: FieldKind::Count },
    Field { name: "neg", kind: FieldKind::Count },
    Field { name: "tied", kind: FieldKind::Truth },
];

impl PartialEq for Bins {
    fn eq(&self, other: &Self) -> bool {
        let each = |bins: &Bins| -> Vec<(u128, Count, bool)> {
            let bin = |state: &State, bin| (state.bins.key(bin), state.bins.each()[bin], state.is_tied(bin));
            bins.0.iter().flat_map(|state| (0..state.bins.len()).map(|place| bin(state, place))).collect()
        };
        each(self) == each(other)
    }
}

impl Value for Bins {
    const KIND: FieldKind = FieldKind::Records(BIN);
    const NAN: Self = Bins(None);
    const UNDEFINED: Self = Bins(None);

    /// Column by column, since bins may be many.
    fn append(self, column: &mut Column) {
        let Column::Records(lists) = column else { unreachable!("the column was made for this field") };
        if let Some(state) = self.0 {
            let counts = state.bins.each();
            for (field, column) in BIN.iter().zip(&mut lists.items) {
                match (column, field.name) {
                    (Column::Threshold(scores), _) => scores.keys.extend(state.bins.keys()),
                    (Column::Count(pos), "pos") => pos.values.extend(counts.iter().map(|count| count.pos)),
                    (Column::Count(neg), _) => neg.values.extend(counts.iter().map(|count| count.neg)),
                    (Column::Truth(tied), _) => {
                        tied.values.extend((0..counts.len()).map(|bin| state.is_tied(bin)));
                    }
                    _ => unreachable!("a bin has no other fields"),
                }
            }
        }
        lists.close(lists.items[0].len(), true);
    }
}

impl From<State> for RocStateRecord {
    fn from(state: State) -> Self {
        let RowCounts { n_pos, n_neg, n_missing, .. } = state.rows;
        if state.has_nan {
            return RocStateRecord { n_pos, n_neg, n_missing, has_nan: true, ..RocStateRecord::nan() };
        }
        let (limit, resolution) = (state.limit, state.resolution);
        RocStateRecord {
            bins: Bins(Some(state)),
            n_pos,
            n_neg,
            n_missing,
            has_nan: false,
            resolution: resolution.into(),
            max_bins: limit.map(|limit| limit.max_bins),
            scale: limit.map(|limit| limit.scale.name()),
        }
    }
}

impl Summary for RocState {
    type Record = RocStateRecord;

    fn check(&self, _: Given) -> Result<(), String> {
        match self.max_bins {
            Some(bins) if !LIMITS.contains(&bins) => {
                let (fewest, most) = (LIMITS.start(), LIMITS.end());
                Err(format!("max_bins must be an integer from {fewest} to {most}, such as 4096, got {bins}"))
            }
            None if self.scale.is_some() => {
                Err("scale says where a state of max_bins has small bins; without max_bins leave it out"
                    .into())
            }
            _ => Ok(()),
        }
    }

    fn limit(&self) -> Option<Limit> {
        self.max_bins.map(|max_bins| Limit { max_bins, scale: self.scale.unwrap_or_default() })
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
                    "scale=\"probability\" is for scores from 0 to 1, but a score is {score}; leave scale out"
                ));
            }
        }
        Ok(())
    }

    fn of_ties(&self, mut ties: Ties<'_>) -> RocStateRecord {
        ties.state().limited(self.limit()).into()
    }

    fn of_nan(&self, RowCounts { n_pos, n_neg, n_missing, .. }: RowCounts) -> RocStateRecord {
        RocStateRecord { n_pos, n_neg, n_missing, has_nan: true, ..RocStateRecord::nan() }
    }
}
