//! From List columns to the answers of all groups: a column of numbers, of structs, or of lists.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use polars::prelude::*;
use pyo3_polars::export::polars_core::runtime::RAYON;
use serde::Deserialize;

use super::columns::{Dtypes, Told};
use super::groups::Groups;
use super::score::{Held, WithScores, dispatch};
use super::{columns, label, score, weight};
use crate::ranking::number::Kind;
use crate::ranking::{Group, Key, Strategy, tasks};
use crate::statistics::{Column, Curve, Record, Summary};

/// The keyword arguments of an expression.
#[derive(Deserialize)]
pub struct Arguments<O> {
    /// The statistic's own options.
    pub options: O,
}

/// Calls of any expression since the process began.
pub static CALLS: AtomicUsize = AtomicUsize::new(0);

/// The way to rank all groups, where the environment forces one: for tests and benchmarks.
static STRATEGY: LazyLock<Strategy> = LazyLock::new(|| {
    let forced = std::env::var("POLARS_AUC_WAY").unwrap_or_default();
    Strategy::NAMED.into_iter().find(|(name, _)| *name == forced).map_or(Strategy::Fitting, |(_, way)| way)
});

type RecordOf<M> = <M as Summary>::Record<u8>;
type PointOf<C> = <C as Curve>::Record<u8>;

/// The score's name and the dtypes that fields take from the inputs, once all inputs are known to be what they must be.
fn checked(
    inputs: &[Field],
    options: Result<(), String>,
    weights: bool,
) -> PolarsResult<(PlSmallStr, Dtypes)> {
    options.map_err(|wrong| polars_err!(ComputeError: "{wrong}"))?;
    let inner = |input: &Field| match input.dtype() {
        DataType::List(inner) => Ok((**inner).clone()),
        dtype => Err(polars_err!(ComputeError: "expected List columns, got {dtype}")),
    };
    let (scores, labels, weight) = match inputs {
        [scores, labels] => (scores, labels, None),
        [scores, labels, weight] if weights => (scores, labels, Some(weight)),
        _ => polars_bail!(ComputeError: "expected a score and a label, got {} columns", inputs.len()),
    };
    score::check(scores.name(), &inner(scores)?)?;
    label::check("label", labels.name(), &inner(labels)?)?;
    if let Some(weight) = weight {
        weight::check(weight.name(), &inner(weight)?)?;
    }
    Ok((scores.name().clone(), Dtypes::of_score(inner(scores)?, weight.is_some())))
}

/// The planned field of a statistic that answers with a single number.
pub fn number_field<M: Summary>(inputs: &[Field], statistic: &M) -> PolarsResult<Field> {
    let (name, _) = checked(inputs, statistic.check(), M::WEIGHTS)?;
    Ok(Field::new(name, DataType::Float64))
}

/// The planned field of a statistic that answers with a record.
pub fn summary_field<M: Summary>(inputs: &[Field], statistic: &M) -> PolarsResult<Field> {
    let (name, dtypes) = checked(inputs, statistic.check(), M::WEIGHTS)?;
    Ok(Field::new(name, columns::record_dtype(RecordOf::<M>::FIELDS, &dtypes)))
}

/// The planned field of a statistic that answers with a list of records.
pub fn curve_field<C: Curve>(inputs: &[Field], statistic: &C) -> PolarsResult<Field> {
    let (name, dtypes) = checked(inputs, statistic.check(), C::WEIGHTS)?;
    Ok(Field::new(name, DataType::List(Box::new(columns::record_dtype(PointOf::<C>::FIELDS, &dtypes)))))
}

/// Answers every group with a number.
pub fn number<M: Summary>(inputs: &[Series], statistic: &M) -> PolarsResult<Series> {
    answer(inputs, M::WEIGHTS, SummaryAnswer { statistic, single: true })
}

/// Answers every group with a record.
pub fn summary<M: Summary>(inputs: &[Series], statistic: &M) -> PolarsResult<Series> {
    answer(inputs, M::WEIGHTS, SummaryAnswer { statistic, single: false })
}

/// Answers every group with a list of records.
pub fn curve<C: Curve>(inputs: &[Series], statistic: &C) -> PolarsResult<Series> {
    answer(inputs, C::WEIGHTS, CurveAnswer { statistic })
}

/// The threads that POLARS_MAX_THREADS allows: one pool for all expressions of the process.
pub struct Threads;

impl tasks::Pool for Threads {
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        RAYON.install(work)
    }
}

/// How one kind of statistic goes from groups to a column.
trait Answer: Sync {
    /// The answers for all groups, from their scores.
    fn column<S: Held>(&self, groups: &Ranked<'_, S>, name: PlSmallStr, told: &Told) -> PolarsResult<Series>;
}

/// All groups with their scores and weights as slices.
struct Ranked<'a, S> {
    groups: &'a Groups,
    scores: &'a [S],
    weights: Option<&'a [f64]>,
    /// Which numbers scores can be.
    kind: Kind,
}

fn answer<A: Answer>(inputs: &[Series], weights: bool, answer: A) -> PolarsResult<Series> {
    CALLS.fetch_add(1, Ordering::Relaxed);
    let fields: Vec<Field> = inputs.iter().map(|input| input.field().into_owned()).collect();
    let (name, dtypes) = checked(&fields, Ok(()), weights)?;
    let groups = Groups::read(inputs)?;
    let told = Told { dtypes, names: Vec::new(), keys: None };
    dispatch(&groups.scores, InColumn { answer, groups: &groups, name, told })
}

struct InColumn<'a, A> {
    answer: A,
    groups: &'a Groups,
    name: PlSmallStr,
    told: Told,
}

impl<A: Answer> WithScores for InColumn<'_, A> {
    type Output = Series;

    fn with<S: Held>(self, scores: &ChunkedArray<S::Column>) -> PolarsResult<Series> {
        let kind = score::kind(&self.told.dtypes.score);
        let (groups, scores) = (self.groups, scores.downcast_as_array().values().as_slice());
        let ranked = Ranked { groups, scores, weights: groups.weights()?, kind };
        self.answer.column::<S>(&ranked, self.name, &self.told)
    }
}

impl<S: Held> Ranked<'_, S> {
    /// What `work` makes of ranges of groups, in order.
    ///
    /// Work is behind a pointer, here and below: every statistic of every type of score comes through, and would
    /// otherwise bring its own copy of what divides it among threads.
    fn in_tasks<T: Send>(&self, passes: usize, work: &(dyn Fn(Range<usize>) -> T + Send + Sync)) -> Vec<T> {
        tasks::run(&Threads, self.groups.len(), passes, &|group| self.groups.rows(group).len(), work)
    }

    /// Takes in the rows of one group after the other, and asks of each.
    fn each_group(&self, range: Range<usize>, ask: &mut dyn FnMut(&mut Group<S::Key>)) {
        let mut group_rows = Group::ranked(*STRATEGY).of_kind(self.kind);
        for group in range {
            let rows = self.groups.rows(group);
            let labels = self.groups.labels().slice(rows.start, rows.len());
            let valid = self.groups.valid().map(|valid| valid.slice(rows.start, rows.len()));
            match self.weights {
                None => group_rows.load(&self.scores[rows], labels, valid),
                Some(weights) => {
                    group_rows.load_weighted(&self.scores[rows.clone()], labels, &weights[rows], valid)
                }
            }
            ask(&mut group_rows);
        }
    }
}

struct SummaryAnswer<'a, M> {
    statistic: &'a M,
    /// Whether the record's only field stands for the record.
    single: bool,
}

impl<M: Summary> Answer for SummaryAnswer<'_, M> {
    fn column<S: Held>(&self, groups: &Ranked<'_, S>, name: PlSmallStr, told: &Told) -> PolarsResult<Series> {
        let fields = <M::Record<S::Key> as Record<S::Key>>::FIELDS;
        let parts = groups.in_tasks(self.statistic.passes(), &|range| {
            let mut columns = Column::all_of(fields, range.len());
            groups.each_group(range, &mut |rows| {
                let record = if rows.has_nan() {
                    self.statistic.of_nan(rows.n_pos(), rows.n_neg())
                } else {
                    self.statistic.of_ties(rows.ties::<S>())
                };
                record.append(&mut columns);
            });
            columns
        });
        let mut columns = joined(parts);
        match (self.single, columns.pop()) {
            (true, Some(column)) => columns::series::<S>(&name, column, &fields[0].kind, told),
            (_, last) => {
                columns.extend(last);
                columns::structs::<S>(name, fields, columns, told)
            }
        }
    }
}

struct CurveAnswer<'a, C> {
    statistic: &'a C,
}

impl<C: Curve> Answer for CurveAnswer<'_, C> {
    fn column<S: Held>(&self, groups: &Ranked<'_, S>, name: PlSmallStr, told: &Told) -> PolarsResult<Series> {
        let fields = <C::Record<S::Key> as Record<S::Key>>::FIELDS;
        let parts = groups.in_tasks(1, &|range| {
            let mut columns = Column::all_of(fields, 0);
            let mut counts = Vec::with_capacity(range.len());
            let mut present = Vec::with_capacity(range.len());
            groups.each_group(range, &mut |rows| {
                let before = columns[0].len();
                present.push(!rows.has_nan() && self.statistic.points(rows.ties::<S>(), &mut columns));
                counts.push((columns[0].len() - before) as i64);
            });
            (columns, counts, present)
        });
        let mut borders = vec![0];
        let mut present = Vec::with_capacity(groups.groups.len());
        let mut points = 0;
        let parts = parts.into_iter().map(|(columns, counts, there)| {
            for count in counts {
                points += count;
                borders.push(points);
            }
            present.extend(there);
            columns
        });
        let columns = joined(parts.collect());
        let items = columns::structs::<S>(PlSmallStr::EMPTY, fields, columns, told)?;
        columns::lists(name, items, borders, present)
    }
}

/// Columns that were filled in parts, as one.
pub fn joined<K: Key>(parts: Vec<Vec<Column<K>>>) -> Vec<Column<K>> {
    let mut parts = parts.into_iter();
    let mut columns = parts.next().unwrap_or_default();
    for part in parts {
        Column::extend_all(&mut columns, part);
    }
    columns
}
