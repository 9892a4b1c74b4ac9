//! Statistics of several columns row by row: from List columns to rows, and from records to a column.

use std::borrow::Cow;
use std::ops::Range;

use arrow::bitmap::Bitmap;
use arrow::compute::utils::combine_validities_and;
use polars::prelude::*;

use super::answer::{CALLS, Threads, joined};
use super::groups::same_groups;
use super::keys::{self, Keys};
use super::score::{Held, WithScores, dispatch};
use super::{columns, label, score};
use crate::ranking::{Codes, RowPlacements, Rows, tasks};
use crate::statistics::{Column, Columns, Joint, Needs, Record};

/// Which input is what: scores first, then the label, then the key.
struct Roles {
    scores: usize,
    label: Option<usize>,
    key: Option<(usize, &'static str)>,
}

impl Roles {
    fn of<J: Joint>(inputs: usize) -> PolarsResult<Self> {
        let Columns { scores, label, key, key_is_optional, .. } = J::COLUMNS;
        let others = usize::from(label) + usize::from(key.is_some());
        let has_key =
            key.is_some() && (!key_is_optional || scores.is_none_or(|scores| inputs == scores + others));
        let there = inputs.saturating_sub(usize::from(label) + usize::from(has_key));
        let expected = scores.map_or_else(|| "two or more".into(), |scores| scores.to_string());
        polars_ensure!(scores.map_or(there >= 2, |scores| there == scores), ComputeError:
            "expected {expected} scores, got {there}");
        Ok(Roles {
            scores: there,
            label: label.then_some(there),
            key: key.filter(|_| has_key).map(|role| (inputs - 1, role)),
        })
    }

    /// What an input is called in a message.
    fn name(&self, input: usize) -> &'static str {
        match (self.label, self.key) {
            (Some(label), _) if input == label => "label",
            (_, Some((key, role))) if input == key => role,
            _ => "score",
        }
    }
}

/// The dtypes of a record's fields that depend on the inputs.
fn checked<J: Joint>(inputs: &[Field], statistic: &J) -> PolarsResult<(PlSmallStr, columns::Dtypes)> {
    statistic.check().map_err(|wrong| polars_err!(ComputeError: "{wrong}"))?;
    let roles = Roles::of::<J>(inputs.len())?;
    let mut key = None;
    for (place, input) in inputs.iter().enumerate() {
        let DataType::List(inner) = input.dtype() else {
            polars_bail!(ComputeError: "expected List columns, got {}", input.dtype());
        };
        match roles.key {
            Some((place_of_key, role)) if place == place_of_key => {
                if J::KEY_IS_TRUTH {
                    label::check(role, input.name(), inner)?;
                } else {
                    keys::check(role, input.name(), inner)?;
                }
                key = Some((**inner).clone());
            }
            _ if roles.label == Some(place) => label::check("label", input.name(), inner)?,
            _ => score::check(input.name(), inner)?,
        }
    }
    if let Some(classes) = statistic.classes() {
        polars_ensure!(classes.len() == roles.scores, ComputeError:
            "{} classes for {} columns: each class has one", classes.len(), roles.scores);
    }
    Ok((
        inputs[0].name().clone(),
        columns::Dtypes {
            key: key.unwrap_or(DataType::Null),
            ..columns::Dtypes::of_score(DataType::Null, false)
        },
    ))
}

/// The planned field of a statistic of rows.
pub fn joint_field<J: Joint>(inputs: &[Field], statistic: &J) -> PolarsResult<Field> {
    let (name, dtypes) = checked(inputs, statistic)?;
    Ok(Field::new(name, columns::record_dtype(J::Record::FIELDS, &dtypes)))
}

/// The planned field of a statistic of rows whose record has one field, which stands for the record.
pub fn joint_single_field<J: Joint>(inputs: &[Field], statistic: &J) -> PolarsResult<Field> {
    let (name, dtypes) = checked(inputs, statistic)?;
    Ok(Field::new(name, columns::field_dtype(&J::Record::FIELDS[0].kind, &dtypes)))
}

/// Answers every group with a record.
pub fn joint<J: Joint>(inputs: &[Series], statistic: &J) -> PolarsResult<Series> {
    let (name, columns, told) = answers(inputs, statistic)?;
    columns::structs::<u8>(name, J::Record::FIELDS, columns, &told)
}

/// Answers every group with the record's only field.
pub fn joint_single<J: Joint>(inputs: &[Series], statistic: &J) -> PolarsResult<Series> {
    let (name, columns, told) = answers(inputs, statistic)?;
    match columns.into_iter().next() {
        Some(column) => columns::series::<u8>(&name, column, &J::Record::FIELDS[0].kind, &told),
        None => polars_bail!(ComputeError: "a record without fields"),
    }
}

fn answers<J: Joint>(
    inputs: &[Series],
    statistic: &J,
) -> PolarsResult<(PlSmallStr, Vec<Column<u8>>, columns::Told)> {
    CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let fields: Vec<Field> = inputs.iter().map(|input| input.field().into_owned()).collect();
    let (name, dtypes) = checked(&fields, statistic)?;
    let needs = statistic.needs();
    let table = Table::read(inputs, needs, statistic)?;
    let passes = statistic.passes().max(2);
    let parts =
        tasks::run(&Threads, table.borders.len() - 1, passes, &|group| table.rows(group).len(), &|range| {
            let mut columns = Column::all_of(J::Record::FIELDS, range.len());
            for group in range {
                let (rows, has_nan) = table.group(group, needs)?;
                polars_ensure!(rows.keys.distinct <= J::MOST_KEYS, ComputeError:
                    "{} distinct values of {} in a group, but at most {} are possible",
                    rows.keys.distinct, J::COLUMNS.key.unwrap_or("key"), J::MOST_KEYS);
                let record = if has_nan && !J::NAN_BY_KEY {
                    statistic.of_nan(&rows)
                } else {
                    statistic.of_rows(&rows)
                };
                record.append(&mut columns);
            }
            Ok(columns)
        });
    let columns = joined(parts.into_iter().collect::<PolarsResult<Vec<_>>>()?);
    let names = match statistic.classes() {
        Some(classes) => classes.iter().map(|class| class.as_str().into()).collect(),
        None => inputs.iter().map(|input| input.name().clone()).collect(),
    };
    let told = columns::Told { dtypes, names, keys: table.keys.map(|keys| keys.values) };
    Ok((name, if columns.is_empty() { Column::all_of(J::Record::FIELDS, 0) } else { columns }, told))
}

/// The rows of all groups, column by column.
struct Table {
    scores: Vec<Series>,
    labels: Option<Bitmap>,
    values: Vec<Series>,
    keys: Option<Keys>,
    /// Rows in which nothing is missing, where anything is.
    valid: Option<Bitmap>,
    borders: Vec<usize>,
}

impl Table {
    fn read<J: Joint>(inputs: &[Series], needs: Needs, statistic: &J) -> PolarsResult<Table> {
        let roles = Roles::of::<J>(inputs.len())?;
        let (rows, borders) = same_groups(inputs, |input| roles.name(input))?;
        let mut valid: Option<Bitmap> = None;
        let mut hold = |there: Option<&Bitmap>| valid = combine_validities_and(valid.as_ref(), there);
        let mut scores = Vec::with_capacity(roles.scores);
        for rows in &rows[..roles.scores] {
            let rankable = score::rankable(rows)?;
            hold(rankable.chunks()[0].validity());
            scores.push(rankable);
        }
        let valued = if needs.values { &rows[..roles.scores] } else { &[] };
        let values = valued
            .iter()
            .map(|rows| Ok(rows.cast(&DataType::Float64)?.rechunk()))
            .collect::<PolarsResult<Vec<Series>>>()?;
        let mut labels = None;
        if let Some(place) = roles.label {
            let (truths, there) = label::bits("label", &rows[place])?;
            hold(there.as_ref());
            labels = Some(truths);
        }
        let mut keys = None;
        if let Some((place, role)) = roles.key {
            let rows = rows[place].rechunk();
            if rows.null_count() > 0 {
                hold(Some(&rows.is_not_null().iter().map(|there| there == Some(true)).collect()));
            }
            keys = Some(if J::KEY_IS_TRUTH {
                Keys::of_truths(role, &rows)?
            } else {
                Keys::read(role, &rows, statistic.reference(), statistic.classes())?
            });
        }
        Ok(Table {
            scores,
            labels,
            values,
            keys,
            valid: valid.filter(|valid| valid.unset_bits() > 0),
            borders,
        })
    }

    fn rows(&self, group: usize) -> Range<usize> {
        self.borders[group]..self.borders[group + 1]
    }

    /// The rows of a group in which nothing is missing, and whether a score among them is NaN; such a score is coded
    /// like a number, and its key is marked.
    fn group(&self, group: usize, needs: Needs) -> PolarsResult<(Rows, bool)> {
        let range = self.rows(group);
        let kept = self
            .valid
            .as_ref()
            .map(|valid| range.clone().filter(|&row| valid.get_bit(row)).collect::<Vec<usize>>());
        let kept = Kept { range, rows: kept };
        let keys = self.keys.as_ref().map(|keys| kept.of(&keys.codes));
        let mut key_places = Vec::new();
        let keys = keys.map_or_else(Codes::default, |keys| {
            key_places = keys.to_vec();
            key_places.sort_unstable();
            key_places.dedup();
            Codes::of(keys.iter().copied())
        });
        let mut rows = Rows {
            len: kept.len(),
            labels: self.labels.as_ref().map_or_else(Vec::new, |labels| kept.truths(labels)),
            keys,
            key_places,
            ..Rows::default()
        };
        for values in &self.values {
            rows.values.push(kept.of(values.f64()?.downcast_as_array().values()).into_owned());
        }
        let learn = |scores: &Series| dispatch(scores, Learning { kept: &kept, labels: &rows.labels, needs });
        let learnt = if self.scores.len() > 1 && rows.len >= crate::ranking::SHARD_ROWS {
            // Large scores are ranked side by side.
            use rayon::prelude::*;
            self.scores.par_iter().map(learn).collect::<PolarsResult<Vec<_>>>()?
        } else {
            self.scores.iter().map(learn).collect::<PolarsResult<Vec<_>>>()?
        };
        let mut has_nan = false;
        for Learnt { codes, placed, nan } in learnt {
            has_nan |= !nan.is_empty();
            if !nan.is_empty() && rows.nan_keys.is_empty() {
                rows.nan_keys = vec![false; rows.keys.distinct];
            }
            for row in nan {
                if let Some(&key) = rows.keys.of_row.get(row) {
                    rows.nan_keys[key as usize] = true;
                }
            }
            rows.scores.extend(codes);
            rows.placed.extend(placed);
        }
        Ok((rows, has_nan))
    }
}

/// The rows of a group in which nothing is missing.
struct Kept {
    range: Range<usize>,
    /// Which rows those are, if not all.
    rows: Option<Vec<usize>>,
}

impl Kept {
    fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.range.len(), Vec::len)
    }

    fn of<'a, T: Copy>(&self, column: &'a [T]) -> Cow<'a, [T]> {
        match &self.rows {
            None => Cow::Borrowed(&column[self.range.clone()]),
            Some(rows) => rows.iter().map(|&row| column[row]).collect::<Vec<T>>().into(),
        }
    }

    fn truths(&self, labels: &Bitmap) -> Vec<bool> {
        match &self.rows {
            None => self.range.clone().map(|row| labels.get_bit(row)).collect(),
            Some(rows) => rows.iter().map(|&row| labels.get_bit(row)).collect(),
        }
    }
}

/// Learns what a statistic needs to know of a score column.
struct Learning<'a> {
    kept: &'a Kept,
    labels: &'a [bool],
    needs: Needs,
}

/// What was learnt of a score column.
struct Learnt {
    codes: Option<Codes>,
    placed: Option<RowPlacements>,
    /// Which rows are NaN.
    nan: Vec<usize>,
}

impl WithScores for Learning<'_> {
    type Output = Learnt;

    fn with<S: Held>(self, scores: &ChunkedArray<S::Column>) -> PolarsResult<Learnt> {
        let scores = self.kept.of(scores.downcast_as_array().values());
        let nan: Vec<usize> =
            scores.iter().enumerate().filter(|row| row.1.is_nan()).map(|row| row.0).collect();
        Ok(Learnt {
            codes: self.needs.codes.then(|| Codes::of(scores.iter().copied())),
            placed: (self.needs.placements && nan.is_empty())
                .then(|| RowPlacements::of(&scores, self.labels)),
            nan,
        })
    }
}
