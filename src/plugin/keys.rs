//! Keys: folds, clusters and segments of any dtype, as numbers in the order of their values.

use polars::frame::group_by::GroupsIndicator;
use polars::prelude::*;

/// A column of keys as codes.
pub struct Keys {
    /// For each row, the place of its key among `values`.
    pub codes: Vec<u32>,
    /// The distinct keys, in order; the reference first, if there is one.
    pub values: Series,
}

impl Keys {
    /// Codes the rows of a key column. `reference`, given as the strings of its fields, comes before all others.
    pub fn read(role: &str, rows: &Series, reference: Option<&[String]>) -> PolarsResult<Keys> {
        check(role, rows.name(), rows.dtype())?;
        let name = PlSmallStr::from_static("key");
        let frame = DataFrame::new(rows.len(), vec![rows.clone().with_name(name.clone()).into_column()])?;
        let grouped = frame.group_by([name])?;
        let groups = grouped.get_groups();
        let first: IdxCa = groups.iter().map(|group| Some(group.first())).collect_ca(PlSmallStr::EMPTY);
        let values = rows.take(&first)?;
        let order = values.arg_sort(SortOptions { nulls_last: true, ..SortOptions::default() });
        let mut order: Vec<IdxSize> = order.into_no_null_iter().collect();
        if let Some(reference) = reference {
            let texts = texts(&values)?;
            let is_reference = |place: IdxSize| {
                texts.iter().zip(reference).all(|(texts, text)| {
                    texts.get(place as usize).is_some_and(|there| there.as_str() == text)
                })
            };
            let Some(at) =
                order.iter().position(|&place| texts.len() == reference.len() && is_reference(place))
            else {
                let there: Vec<String> = order
                    .iter()
                    .take(10)
                    .map(|&place| {
                        let fields: Vec<&str> = texts
                            .iter()
                            .filter_map(|texts| texts.get(place as usize).map(PlSmallStr::as_str))
                            .collect();
                        format!("\"{}\"", fields.join(", "))
                    })
                    .collect();
                polars_bail!(ComputeError:
                    "versus names the segment \"{}\", which the rows do not have; there are: {}{}",
                    reference.join(", "), there.join(", "), if order.len() > 10 { ", ..." } else { "" });
            };
            let chosen = order.remove(at);
            order.insert(0, chosen);
        }
        let mut places = vec![0u32; order.len()];
        for (place, &group) in (0..).zip(&order) {
            places[group as usize] = place;
        }
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

/// The values as strings, field by field.
fn texts(values: &Series) -> PolarsResult<Vec<Vec<PlSmallStr>>> {
    let fields = match values.dtype() {
        DataType::Struct(_) => values.struct_()?.fields_as_series(),
        _ => vec![values.clone()],
    };
    fields
        .iter()
        .map(|field| {
            let strings = field.cast(&DataType::String)?;
            let strings = strings.str()?;
            Ok(strings.iter().map(|text| PlSmallStr::from_str(text.unwrap_or("null"))).collect())
        })
        .collect()
}
