//! From List columns to the results of all groups: a column of numbers, of structs, or of lists.

use std::ops::Range;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use arrow::array::{Array, PrimitiveArray, new_empty_array};

use super::columns;
use super::columns::Lookups;
use crate::interrupt;
use crate::plugin::abi::{
    arguments::{Arguments, Roles},
    ffi::Input,
};
use crate::plugin::arrays::{downcast::downcast, values::Values};
use crate::plugin::inputs::{
    count,
    groups::Groups,
    one_score::{Inputs, checked},
    score::{self, Native, WithScores, dispatch},
};
use crate::plugin::threads::Threads;
use crate::ranking::SHARD_ROWS;
use crate::ranking::group::{Group, Strategy};
use crate::ranking::scores::{Domain, Key, Observations, Parts, Width};
use crate::ranking::tasks;
use crate::ranking::ties::{RowCounts, Ties};
use crate::states::Limit;
use crate::statistics::kinds::{Column, Curve, Field as RecordField, Record, Summary};
use crate::statistics::resampling::Resampling;

/// The ranking strategy from the environment, for tests and benchmarks.
static STRATEGY: LazyLock<Strategy> = LazyLock::new(|| {
    let forced = std::env::var("POLARS_AUC_STRATEGY").unwrap_or_default();
    let found = Strategy::NAMES.into_iter().find(|(name, _)| *name == forced);
    found.map_or(Strategy::Fitting, |(_, strategy)| strategy)
});

type RecordOf<M> = <M as Summary>::Record;
type PointOf<C> = <C as Curve>::Record;

/// Returns a number per group.
pub fn number<M: Summary>(inputs: &[Input], call: &Arguments<M>) -> Result<Values, String> {
    evaluate(inputs, &call.roles, M::WEIGHTS, Form::Number, &SummaryStatistic(&call.options))
}

/// Returns a record per group.
pub fn summary<M: Summary>(inputs: &[Input], call: &Arguments<M>) -> Result<Values, String> {
    evaluate(inputs, &call.roles, M::WEIGHTS, Form::Record, &SummaryStatistic(&call.options))
}

/// Returns a list of records per group.
pub fn curve<C: Curve>(inputs: &[Input], call: &Arguments<C>) -> Result<Values, String> {
    evaluate(inputs, &call.roles, C::WEIGHTS, Form::Records, &CurveStatistic(&call.options))
}

/// The value in each row of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The record's only field.
    Number,
    /// The record.
    Record,
    /// A list of records.
    Records,
}

/// A statistic that appends to columns.
pub(super) trait Statistic: Sync {
    fn fields(&self) -> &'static [RecordField];

    /// The resampling of rows, if any.
    fn resampling(&self) -> Option<Resampling> {
        None
    }

    /// The alternative statistic for groups of 2^31 rows or more, if this one resamples rows one by one.
    fn for_large_groups(&self) -> Option<&'static str> {
        None
    }

    /// The limit of the state, if the statistic needs only a state of the rows.
    fn state(&self) -> Option<Option<Limit>> {
        None
    }

    /// The approximate number of passes over the rows of a group.
    fn passes(&self) -> usize {
        self.resampling().map_or(1, Resampling::passes)
    }

    /// Appends the records of a group; returns `false` if the result is null. Returns an error if the rows
    /// contradict the options.
    fn append(&self, rows: GroupRows<'_>, columns: &mut Vec<Column>) -> Result<bool, String>;
}

/// The rows of one group, as a statistic gets them.
pub(super) enum GroupRows<'a> {
    /// Rows that can be ranked.
    Ties(Ties<'a>),
    /// Rows with a NaN score.
    Nan(RowCounts),
}

/// A summary as a [`Statistic`].
pub(super) struct SummaryStatistic<'a, M>(pub(super) &'a M);

impl<M: Summary> Statistic for SummaryStatistic<'_, M> {
    fn fields(&self) -> &'static [RecordField] {
        RecordOf::<M>::FIELDS
    }

    fn resampling(&self) -> Option<Resampling> {
        self.0.resampling()
    }

    fn for_large_groups(&self) -> Option<&'static str> {
        self.0.for_large_groups()
    }

    fn state(&self) -> Option<Option<Limit>> {
        self.0.state()
    }

    fn append(&self, rows: GroupRows<'_>, columns: &mut Vec<Column>) -> Result<bool, String> {
        let record = match rows {
            GroupRows::Ties(mut ties) => {
                self.0.check_ties(&mut ties)?;
                self.0.evaluate(ties)
            }
            GroupRows::Nan(counts) => self.0.nan_record(counts),
        };
        record.append(columns);
        Ok(true)
    }
}

struct CurveStatistic<'a, C>(&'a C);

impl<C: Curve> Statistic for CurveStatistic<'_, C> {
    fn fields(&self) -> &'static [RecordField] {
        PointOf::<C>::FIELDS
    }

    fn for_large_groups(&self) -> Option<&'static str> {
        self.0.for_large_groups()
    }

    fn passes(&self) -> usize {
        self.0.passes()
    }

    fn append(&self, rows: GroupRows<'_>, columns: &mut Vec<Column>) -> Result<bool, String> {
        match rows {
            GroupRows::Ties(mut ties) => {
                self.0.check_ties(&mut ties)?;
                Ok(self.0.points(ties, columns))
            }
            GroupRows::Nan(_) => Ok(false),
        }
    }
}

fn evaluate(
    inputs: &[Input],
    roles: &Roles,
    weights: bool,
    form: Form,
    statistic: &dyn Statistic,
) -> Result<Values, String> {
    let kind = Inputs::new(roles);
    let score = ScoreGroups::read(&kind.columns(roles, inputs)?, kind, weights, form, statistic)?;
    let size = |group| score.groups.size(group);
    let parts =
        tasks::run(&Threads, score.groups.len(), statistic.passes(), &size, &|groups| score.records(groups));
    let filled = Filled::joined(parts.into_iter().collect::<Result<_, _>>()?);
    Ok(Values::new(&inputs[0].field.name, filled.array(statistic.fields(), form, &score.lookups)?))
}

/// The groups of a score, with their statistic.
pub(super) struct ScoreGroups<'a> {
    pub(super) statistic: &'a dyn Statistic,
    form: Form,
    pub(super) groups: Groups,
    /// The possible values of scores.
    domain: Domain,
    pub(super) lookups: Lookups,
}

impl<'a> ScoreGroups<'a> {
    /// Reads the inputs of one score.
    pub(super) fn read(
        inputs: &[&Input],
        kind: Inputs,
        weights: bool,
        form: Form,
        statistic: &'a dyn Statistic,
    ) -> Result<Self, String> {
        let dtypes = checked(&inputs.iter().map(|input| &input.field).collect::<Vec<_>>(), kind, weights)?;
        let groups = match kind {
            Inputs::States | Inputs::Samples => Groups::read_states(inputs)?,
            _ => Groups::read(inputs, kind == Inputs::Counted)?,
        };
        let domain = score::domain(&dtypes.score);
        Ok(ScoreGroups {
            statistic,
            form,
            groups,
            domain,
            lookups: Lookups { dtypes, names: Vec::new(), keys: None },
        })
    }

    /// The records of some groups.
    pub(super) fn records(&self, groups: Range<usize>) -> Result<Filled, String> {
        dispatch(self.groups.scores.as_ref(), SomeGroups { all: self, groups })
    }
}

impl ScoreGroups<'_> {
    /// The records of some groups whose rows lie in several parts; `pieces` has the parts of each group and
    /// its indices there.
    pub(super) fn records_in_parts<'p>(
        parts: &[Self],
        groups: Range<usize>,
        pieces: &(dyn Fn(usize) -> &'p [(u32, u32)] + Sync),
    ) -> Result<Filled, String> {
        let first = parts.first().ok_or("expected rows")?;
        dispatch(first.groups.scores.as_ref(), GroupsInParts { parts, groups, pieces })
    }

    /// The record of all rows of all parts. The memory of their scores is reused or freed meanwhile.
    pub(super) fn record_of_parts(parts: Vec<Self>) -> Result<Filled, String> {
        let first = parts.first().ok_or("expected rows")?;
        let nothing = new_empty_array(first.groups.scores.dtype().clone());
        dispatch(nothing.as_ref(), AllParts(parts))
    }

    /// The values behind the indices and codes in records.
    pub(super) fn lookups(&self) -> Lookups {
        Lookups { dtypes: self.lookups.dtypes.clone(), names: Vec::new(), keys: None }
    }

    fn scores<S: Native>(&self) -> Result<&[S], String> {
        Ok(downcast::<PrimitiveArray<S>>(self.groups.scores.as_ref())?.values())
    }
}

/// Some groups with rows in several parts.
struct GroupsInParts<'a, 'p> {
    parts: &'a [ScoreGroups<'a>],
    groups: Range<usize>,
    pieces: &'a (dyn Fn(usize) -> &'p [(u32, u32)] + Sync),
}

impl WithScores for GroupsInParts<'_, '_> {
    type Output = Filled;

    fn with<S: Native>(self, _: &[S]) -> Result<Filled, String> {
        let GroupsInParts { parts: [first, ..], .. } = self else { return Err("expected rows".into()) };
        let scores = self.parts.iter().map(ScoreGroups::scores).collect::<Result<Vec<&[S]>, String>>()?;
        let mut filled =
            Filled::new(first.statistic.fields(), <S::Key as Key>::WIDTH, false, self.groups.len());
        let mut rows = Group::new(*STRATEGY, first.domain);
        for group in self.groups {
            interrupt::check();
            let observations = |&(part, index): &(u32, u32)| {
                let part = part as usize;
                self.parts[part].groups.observations(Some(index as usize), scores[part])
            };
            let pieces = (self.pieces)(group).iter().map(observations).collect::<Option<Vec<_>>>();
            rows.load_for(&pieces.ok_or("expected rows")?, first.statistic.state())?;
            filled.append(first.statistic, &mut rows)?;
        }
        Ok(filled)
    }
}

/// One group of all rows of these parts.
struct AllParts<'a>(Vec<ScoreGroups<'a>>);

impl WithScores for AllParts<'_> {
    type Output = Filled;

    fn with<S: Native>(self, _: &[S]) -> Result<Filled, String> {
        let AllParts(parts) = self;
        let scores = parts.iter().map(ScoreGroups::scores).collect::<Result<Vec<&[S]>, String>>()?;
        let first = parts.first().ok_or("expected rows")?;
        let statistic = first.statistic;
        let mut filled = Filled::new(statistic.fields(), <S::Key as Key>::WIDTH, false, 1);
        let mut rows = Group::new(*STRATEGY, first.domain);
        let all_rows = scores.iter().map(|scores| scores.len()).sum::<usize>();
        if *STRATEGY != Strategy::Fitting || all_rows < SHARD_ROWS || statistic.state().is_some() {
            let part_scores = parts.iter().zip(&scores);
            let pieces = part_scores.filter_map(|(part, scores)| part.groups.observations(None, scores));
            rows.load_for(&pieces.collect::<Vec<_>>(), statistic.state())?;
        } else {
            rows.load_parts::<S>(&ConsumedParts(
                parts.into_iter().map(|part| Mutex::new(Some(part))).collect(),
            ));
        }
        let RowCounts { n_pos, n_neg, n_missing, .. } = rows.row_counts();
        if n_pos + n_neg + n_missing != all_rows as u64 {
            return Err(format!("of {all_rows} rows, {} were ranked", n_pos + n_neg));
        }
        filled.append(statistic, &mut rows)?;
        Ok(filled)
    }
}

/// Parts that are consumed one by one.
struct ConsumedParts<'a>(Vec<Mutex<Option<ScoreGroups<'a>>>>);

impl<'a> ConsumedParts<'a> {
    fn part(&self, part: usize) -> MutexGuard<'_, Option<ScoreGroups<'a>>> {
        self.0[part].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Native> Parts<S> for ConsumedParts<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn show(&self, part: usize, to: &mut dyn FnMut(&Observations<'_, S>)) {
        // No part is read after it is taken, and the scores of all parts have this type.
        let part = self.part(part);
        let rows = part.as_ref().and_then(|part| part.groups.observations(None, part.scores().ok()?));
        if let Some(rows) = rows {
            to(&rows);
        }
    }

    fn take(&self, part: usize) -> Vec<S> {
        let scores = self.part(part).take().map(|part| part.groups.scores);
        let scores = scores.and_then(|scores| downcast::<PrimitiveArray<S>>(scores.as_ref()).ok().cloned());
        scores.and_then(|scores| scores.into_inner().1.into_mut().right()).unwrap_or_default()
    }
}

/// Some of the groups of a score.
struct SomeGroups<'a> {
    all: &'a ScoreGroups<'a>,
    groups: Range<usize>,
}

/// Only this code is monomorphised for each type of scores. It calls the statistic through a pointer.
impl WithScores for SomeGroups<'_> {
    type Output = Filled;

    fn with<S: Native>(self, scores: &[S]) -> Result<Filled, String> {
        let ScoreGroups { statistic, form, groups, domain, .. } = self.all;
        let lists = *form == Form::Records;
        let mut filled = Filled::new(statistic.fields(), <S::Key as Key>::WIDTH, lists, self.groups.len());
        let mut rows = Group::new(*STRATEGY, *domain);
        for group in self.groups {
            interrupt::check();
            groups.load(group, scores, statistic.state(), &mut rows)?;
            if let Some(alternative) = statistic.for_large_groups() {
                let RowCounts { n_pos, n_neg, have_weights, .. } = rows.row_counts();
                // Weighted rows are not resampled.
                count::check_repeated_rows(if have_weights { 0 } else { n_pos + n_neg })
                    .map_err(|message| format!("{message}. Hint: for more rows {alternative}"))?;
            }
            let present = filled.append(*statistic, &mut rows)?;
            filled.close(lists, present);
        }
        Ok(filled)
    }
}

/// The records of groups.
pub(super) struct Filled {
    pub(super) columns: Vec<Column>,
    /// The end of the records of each group, if they are a list.
    ends: Vec<i64>,
    /// The validity of the lists.
    present: Vec<bool>,
}

impl Filled {
    fn new(fields: &[RecordField], width: Width, lists: bool, groups: usize) -> Self {
        let (records, lists) = if lists { (0, groups) } else { (groups, 0) };
        Filled {
            columns: Column::all_of(fields, width, records),
            ends: Vec::with_capacity(lists),
            present: Vec::with_capacity(lists),
        }
    }

    /// Appends the records of a group; returns `false` if there are none.
    fn append<K: Key>(&mut self, statistic: &dyn Statistic, rows: &mut Group<K>) -> Result<bool, String> {
        let nan = rows.has_nan();
        let group_rows = if nan { GroupRows::Nan(rows.row_counts()) } else { GroupRows::Ties(rows.ties()) };
        statistic.append(group_rows, &mut self.columns)
    }

    /// Closes the list of a group, if records form lists.
    fn close(&mut self, lists: bool, present: bool) {
        if lists {
            self.ends.push(self.columns[0].len() as i64);
            self.present.push(present);
        }
    }

    fn joined(parts: Vec<Self>) -> Self {
        let (mut ends, mut present, mut columns) = (Vec::new(), Vec::new(), Vec::with_capacity(parts.len()));
        let mut before = 0;
        for part in parts {
            ends.extend(part.ends.iter().map(|end| before + end));
            present.extend(part.present);
            before += part.columns.first().map_or(0, Column::len) as i64;
            columns.push(part.columns);
        }
        Filled { columns: Column::joined(columns), ends, present }
    }

    fn array(
        mut self,
        fields: &[RecordField],
        form: Form,
        lookups: &Lookups,
    ) -> Result<Box<dyn Array>, String> {
        match form {
            Form::Number => {
                let column = self.columns.pop().ok_or("a record without fields")?;
                columns::array(column, &fields[0].kind, lookups)
            }
            Form::Record => columns::structs(fields, self.columns, lookups),
            Form::Records => {
                let items = columns::structs(fields, self.columns, lookups)?;
                self.ends.insert(0, 0);
                columns::lists(items, self.ends, self.present)
            }
        }
    }
}
