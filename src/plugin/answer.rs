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
use super::{columns, label, score};
use crate::ranking::{Group, Key, Way, tasks};
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
static WAY: LazyLock<Way> = LazyLock::new(|| {
    let forced = std::env::var("POLARS_AUC_WAY").unwrap_or_default();
    Way::NAMED.into_iter().find(|(name, _)| *name == forced).map_or(Way::Fitting, |(_, way)| way)
});

type RecordOf<M> = <M as Summary>::Record<u8>;
type PointOf<C> = <C as Curve>::Record<u8>;

/// The score's name and dtype, once both inputs are known to be what they must be.
fn checked_score(inputs: &[Field], options: Result<(), String>) -> PolarsResult<(PlSmallStr, DataType)> {
    options.map_err(|wrong| polars_err!(ComputeError: "{wrong}"))?;
    let [scores, labels] = inputs else {
        polars_bail!(ComputeError: "expected a score and a label, got {} columns", inputs.len());
    };
    let (DataType::List(score), DataType::List(label)) = (scores.dtype(), labels.dtype()) else {
        polars_bail!(ComputeError: "expected List columns, got {} and {}", scores.dtype(), labels.dtype());
    };
    score::check(scores.name(), score)?;
    label::check("label", labels.name(), label)?;
    Ok((scores.name().clone(), (**score).clone()))
}

/// The planned field of a statistic that answers with a single number.
pub fn number_field<M: Summary>(inputs: &[Field], statistic: &M) -> PolarsResult<Field> {
    let (name, _) = checked_score(inputs, statistic.check())?;
    Ok(Field::new(name, DataType::Float64))
}

/// The planned field of a statistic that answers with a record.
pub fn summary_field<M: Summary>(inputs: &[Field], statistic: &M) -> PolarsResult<Field> {
    let (name, score) = checked_score(inputs, statistic.check())?;
    Ok(Field::new(name, columns::record_dtype(RecordOf::<M>::FIELDS, &Dtypes::of_score(score))))
}

/// The planned field of a statistic that answers with a list of records.
pub fn curve_field<C: Curve>(inputs: &[Field], statistic: &C) -> PolarsResult<Field> {
    let (name, score) = checked_score(inputs, statistic.check())?;
    Ok(Field::new(
        name,
        DataType::List(Box::new(columns::record_dtype(PointOf::<C>::FIELDS, &Dtypes::of_score(score)))),
    ))
}

/// Answers every group with a number.
pub fn number<M: Summary>(inputs: &[Series], statistic: &M) -> PolarsResult<Series> {
    answer(inputs, SummaryAnswer { statistic, single: true })
}

/// Answers every group with a record.
pub fn summary<M: Summary>(inputs: &[Series], statistic: &M) -> PolarsResult<Series> {
    answer(inputs, SummaryAnswer { statistic, single: false })
}

/// Answers every group with a list of records.
pub fn curve<C: Curve>(inputs: &[Series], statistic: &C) -> PolarsResult<Series> {
    answer(inputs, CurveAnswer { statistic })
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
    /// The answers for all groups, from scores of type `S` that came as dtype `score`.
    fn column<S: Held>(
        &self,
        groups: &Groups,
        scores: &[S],
        name: PlSmallStr,
        score: &DataType,
    ) -> PolarsResult<Series>;
}

fn answer<A: Answer>(inputs: &[Series], answer: A) -> PolarsResult<Series> {
    CALLS.fetch_add(1, Ordering::Relaxed);
    let fields: Vec<Field> = inputs.iter().map(|input| input.field().into_owned()).collect();
    let (name, score) = checked_score(&fields, Ok(()))?;
    let groups = Groups::read(&inputs[0], &inputs[1])?;
    dispatch(&groups.scores, InColumn { answer, groups: &groups, name, score: &score })
}

struct InColumn<'a, A> {
    answer: A,
    groups: &'a Groups,
    name: PlSmallStr,
    score: &'a DataType,
}

impl<A: Answer> WithScores for InColumn<'_, A> {
    type Output = Series;

    fn with<S: Held>(self, scores: &ChunkedArray<S::Column>) -> PolarsResult<Series> {
        let array = scores.downcast_as_array();
        self.answer.column::<S>(self.groups, array.values(), self.name, self.score)
    }
}

/// What `work` makes of ranges of groups, in order.
fn in_tasks<T: Send>(
    groups: &Groups,
    passes: usize,
    work: impl Fn(Range<usize>) -> T + Send + Sync,
) -> Vec<T> {
    tasks::run(&Threads, groups.len(), passes, |group| groups.rows(group).len(), work)
}

/// Takes in the rows of one group after the other, and asks of each.
fn each_group<S: Held>(
    groups: &Groups,
    scores: &[S],
    range: Range<usize>,
    mut ask: impl FnMut(&mut Group<S::Key>),
) {
    let mut group_rows = Group::ranked(*WAY);
    for group in range {
        let rows = groups.rows(group);
        let labels = groups.labels().slice(rows.start, rows.len());
        let valid = groups.valid().map(|valid| valid.slice(rows.start, rows.len()));
        group_rows.part(&scores[rows], labels, valid);
        ask(&mut group_rows);
    }
}

struct SummaryAnswer<'a, M> {
    statistic: &'a M,
    /// Whether the record's only field stands for the record.
    single: bool,
}

impl<M: Summary> Answer for SummaryAnswer<'_, M> {
    fn column<S: Held>(
        &self,
        groups: &Groups,
        scores: &[S],
        name: PlSmallStr,
        score: &DataType,
    ) -> PolarsResult<Series> {
        let fields = <M::Record<S::Key> as Record<S::Key>>::FIELDS;
        let parts = in_tasks(groups, self.statistic.passes(), |range| {
            let mut columns = Column::all_of(fields, range.len());
            each_group(groups, scores, range, |rows| {
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
            (true, Some(column)) => {
                columns::series::<S>(&name, column, &fields[0].kind, &Told::of_score(score))
            }
            (_, last) => {
                columns.extend(last);
                columns::structs::<S>(name, fields, columns, &Told::of_score(score))
            }
        }
    }
}

struct CurveAnswer<'a, C> {
    statistic: &'a C,
}

impl<C: Curve> Answer for CurveAnswer<'_, C> {
    fn column<S: Held>(
        &self,
        groups: &Groups,
        scores: &[S],
        name: PlSmallStr,
        score: &DataType,
    ) -> PolarsResult<Series> {
        let fields = <C::Record<S::Key> as Record<S::Key>>::FIELDS;
        let parts = in_tasks(groups, 1, |range| {
            let mut columns = Column::all_of(fields, 0);
            let mut counts = Vec::with_capacity(range.len());
            let mut present = Vec::with_capacity(range.len());
            each_group(groups, scores, range, |rows| {
                let before = columns[0].len();
                present.push(!rows.has_nan() && self.statistic.points(rows.ties::<S>(), &mut columns));
                counts.push((columns[0].len() - before) as i64);
            });
            (columns, counts, present)
        });
        let mut borders = vec![0];
        let mut present = Vec::with_capacity(groups.len());
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
        let items = columns::structs::<S>(PlSmallStr::EMPTY, fields, columns, &Told::of_score(score))?;
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
