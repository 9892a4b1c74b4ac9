//! Keys: folds, clusters and segments of any dtype, as numbers in the order of their values.

use polars::frame::group_by::GroupsIndicator;
use polars::prelude::*;

use super::label;

/// How many values a message lists.
const SHOWN: usize = 10;

/// A column of keys as codes.
pub struct Keys {
    /// For each row, the place of its key among `values`.
    pub codes: Vec<u32>,
    /// The distinct keys, in order.
    pub values: Series,
}

impl Keys {
    /// Codes the rows of a key column; one with a reference must [have it](crate::statistics::Joint::reference), and one
    /// with classes [nothing else](crate::statistics::Joint::classes).
    pub fn read(
        role: &str,
        rows: &Series,
        reference: Option<&str>,
        classes: Option<&[String]>,
    ) -> PolarsResult<Keys> {
        check(role, rows.name(), rows.dtype())?;
        let rows = &one_zero(rows)?;
        let name = PlSmallStr::from_static("key");
        let frame = DataFrame::new(rows.len(), vec![rows.clone().with_name(name.clone()).into_column()])?;
        let grouped = frame.group_by([name])?;
        let groups = grouped.get_groups();
        let first: IdxCa = groups.iter().map(|group| Some(group.first())).collect_ca(PlSmallStr::EMPTY);
        let values = rows.take(&first)?;
        let order = values.arg_sort(SortOptions { nulls_last: true, ..SortOptions::default() });
        let order: Vec<IdxSize> = order.into_no_null_iter().collect();
        if let Some(reference) = reference {
            refers(&values.take(&IdxCa::from_slice(PlSmallStr::EMPTY, &order))?, reference)?;
        }
        let places = match classes {
            Some(classes) => among(classes, role, &values)?,
            None => {
                let mut places = vec![0u32; order.len()];
                for (place, &group) in (0..).zip(&order) {
                    places[group as usize] = place;
                }
                places
            }
        };
        let mut codes = vec![0; rows.len()];
        for (group, &place) in groups.iter().zip(&places) {
            match group {
                GroupsIndicator::Idx((_, members)) => {
                    members.iter().for_each(|&row| codes[row as usize] = place)
                }
                GroupsIndicator::Slice([start, len]) => {
                    codes[start as usize..(start + len) as usize].fill(place)
                }
            }
        }
        let order = IdxCa::from_vec(PlSmallStr::EMPTY, order);
        Ok(Keys { codes, values: values.take(&order)? })
    }

    /// Codes the rows of a column of truth values: false is 0, and true is 1.
    pub fn of_truths(role: &str, rows: &Series) -> PolarsResult<Keys> {
        let (truths, _) = label::bits(role, rows)?;
        let values = Series::new(PlSmallStr::EMPTY, [false, true]);
        Ok(Keys { codes: truths.iter().map(u32::from).collect(), values })
    }
}

/// Floats with one zero: Polars groups both as one, and would name the group after the one that comes first.
fn one_zero(rows: &Series) -> PolarsResult<Series> {
    Ok(match rows.dtype() {
        DataType::Float64 => rows.f64()?.apply_values(|value| value + 0.0).into_series(),
        DataType::Float32 => rows.f32()?.apply_values(|value| value + 0.0).into_series(),
        _ => rows.clone(),
    })
}

/// Refuses a dtype whose values do not name anything.
pub fn check(role: &str, name: &str, dtype: &DataType) -> PolarsResult<()> {
    let refused = match dtype {
        DataType::Struct(fields) => fields.iter().any(|field| field.dtype().is_nested()),
        dtype => dtype.is_nested() || matches!(dtype, DataType::Object(_)),
    };
    polars_ensure!(!refused, ComputeError:
        "{role} \"{name}\" has dtype {dtype}, but a {role} is a column of plain values, such as strings or integers");
    Ok(())
}

/// The places of keys among classes, which are compared as text; of a missing key any.
fn among(classes: &[String], role: &str, keys: &Series) -> PolarsResult<Vec<u32>> {
    let texts = keys.cast(&DataType::String)?;
    let place = |key: Option<&str>| match key {
        None => Ok(0),
        Some(key) => match (0..).zip(classes).find(|(_, class)| class.as_str() == key) {
            Some((place, _)) => Ok(place),
            None => polars_bail!(ComputeError:
                "{role} \"{}\" holds {key:?}, which is none of the classes {}{}. Say which class each column is for, in \
                 order: classes=[...]",
                keys.name(), classes.iter().take(SHOWN).map(|class| format!("{class:?}")).collect::<Vec<_>>().join(", "),
                if classes.len() > SHOWN { ", ..." } else { "" }),
        },
    };
    texts.str()?.iter().map(place).collect()
}

/// Refuses keys among which the reference is not.
fn refers(values: &Series, reference: &str) -> PolarsResult<()> {
    let fields = values.struct_()?.fields_as_series();
    let Some((others, names)) = fields.split_first() else {
        polars_bail!(ComputeError: "a key with a reference has no fields");
    };
    // Nothing, and missing keys alone, refer to nothing.
    if values.is_empty() || others.bool()?.get(0) != Some(true) {
        return Ok(());
    }
    let told = |row: usize| -> PolarsResult<String> {
        let texts = names.iter().map(|name| Ok(name.get(row)?.str_value().into_owned()));
        Ok(texts.collect::<PolarsResult<Vec<_>>>()?.join(", "))
    };
    let there = (0..values.len().min(SHOWN)).map(told).collect::<PolarsResult<Vec<_>>>()?;
    polars_bail!(ComputeError: "versus names the segment {reference}, which the rows do not have; there are: {}{}",
        there.join("; "), if values.len() > SHOWN { "; ..." } else { "" });
}
