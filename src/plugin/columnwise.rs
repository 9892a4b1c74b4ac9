//! Functions of whole columns: one answer a row, not one a group.

use polars::prelude::*;
use serde::Deserialize;

use super::answer::CALLS;
use crate::statistics::Adjustment;
use crate::statistics::power::{self, Plan};

/// A function of columns of numbers that answers every row.
pub trait Columnwise {
    /// What the columns are called.
    const ROLES: &'static [&'static str];

    /// The fields of an answer; a single one stands for itself.
    const FIELDS: &'static [&'static str];

    /// Says what is wrong with the options.
    fn check(&self) -> Result<(), String>;

    /// The columns of the answer.
    fn answer(&self, columns: &[Float64Chunked]) -> Result<Vec<Float64Chunked>, String>;
}

fn checked<C: Columnwise>(inputs: &[Field], function: &C) -> PolarsResult<()> {
    function.check().map_err(|wrong| polars_err!(ComputeError: "{wrong}"))?;
    polars_ensure!(inputs.len() == C::ROLES.len(), ComputeError:
        "expected {} columns, got {}", C::ROLES.len(), inputs.len());
    for (role, input) in C::ROLES.iter().zip(inputs) {
        let dtype = input.dtype();
        polars_ensure!(dtype.is_primitive_numeric() || dtype.is_null(), ComputeError:
            "{role} \"{}\" has dtype {dtype}, but must be a number", input.name());
    }
    Ok(())
}

/// The planned field of a function of columns.
pub fn columnwise_field<C: Columnwise>(inputs: &[Field], function: &C) -> PolarsResult<Field> {
    checked(inputs, function)?;
    let dtype = match C::FIELDS {
        [_] => DataType::Float64,
        fields => DataType::Struct(
            fields.iter().map(|name| Field::new(PlSmallStr::from_static(name), DataType::Float64)).collect(),
        ),
    };
    Ok(Field::new(inputs[0].name().clone(), dtype))
}

/// Answers every row.
pub fn columnwise<C: Columnwise>(inputs: &[Series], function: &C) -> PolarsResult<Series> {
    CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let fields: Vec<Field> = inputs.iter().map(|input| input.field().into_owned()).collect();
    checked(&fields, function)?;
    let name = inputs[0].name().clone();
    // A column of a single row beside longer ones is the same in every row.
    let rows = if inputs.iter().any(|input| input.is_empty()) {
        0
    } else {
        inputs.iter().map(|input| input.len()).max().unwrap_or(0)
    };
    let columns = inputs
        .iter()
        .zip(C::ROLES)
        .map(|(input, role)| {
            polars_ensure!(input.len() == rows || input.len() == 1, ComputeError:
                "{role} has {} rows but another column has {rows}", input.len());
            let column = input.cast(&DataType::Float64)?;
            let column = if column.len() == rows { column } else { column.new_from_index(0, rows) };
            Ok(column.f64()?.clone())
        })
        .collect::<PolarsResult<Vec<_>>>()?;
    let answers = function.answer(&columns).map_err(|wrong| polars_err!(ComputeError: "{wrong}"))?;
    let mut answers = answers
        .into_iter()
        .zip(C::FIELDS)
        .map(|(answer, field)| answer.with_name(PlSmallStr::from_static(field)).into_series())
        .collect::<Vec<_>>();
    match (C::FIELDS, answers.pop()) {
        ([_], Some(answer)) => Ok(answer.with_name(name)),
        (_, last) => {
            answers.extend(last);
            Ok(StructChunked::from_series(name, rows, answers.iter())?.into_series())
        }
    }
}

/// Adjusted p-values.
#[derive(Deserialize)]
pub struct AdjustPValues {
    method: Adjustment,
}

impl Columnwise for AdjustPValues {
    const ROLES: &'static [&'static str] = &["p"];
    const FIELDS: &'static [&'static str] = &["p"];

    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    fn answer(&self, columns: &[Float64Chunked]) -> Result<Vec<Float64Chunked>, String> {
        let p_values: Vec<Option<f64>> = columns[0].iter().collect();
        if let Some(wrong) = p_values.iter().flatten().find(|&&p| !p.is_nan() && !(0.0..=1.0).contains(&p)) {
            return Err(format!("p holds {wrong}, but p-values lie between 0 and 1"));
        }
        Ok(vec![self.method.of(&p_values).into_iter().collect_ca(PlSmallStr::EMPTY)])
    }
}

/// The power of a test of one AUC.
#[derive(Deserialize)]
pub struct RocAucPower {
    plan: Plan,
}

impl Columnwise for RocAucPower {
    const ROLES: &'static [&'static str] = &["auc", "n_pos", "n_neg"];
    const FIELDS: &'static [&'static str] = &["power"];

    fn check(&self) -> Result<(), String> {
        self.plan.check()
    }

    fn answer(&self, columns: &[Float64Chunked]) -> Result<Vec<Float64Chunked>, String> {
        let rows = columns[0].iter().zip(columns[1].iter()).zip(columns[2].iter());
        let power = rows.map(|((auc, n_pos), n_neg)| Some(power::power(self.plan, auc?, n_pos?, n_neg?)));
        Ok(vec![power.map(defined).collect_ca(PlSmallStr::EMPTY)])
    }
}

/// The rows that a test of one AUC needs.
#[derive(Deserialize)]
pub struct RocAucSampleSize {
    plan: Plan,
    power: f64,
    ratio: f64,
}

impl Columnwise for RocAucSampleSize {
    const ROLES: &'static [&'static str] = &["auc"];
    const FIELDS: &'static [&'static str] = &["n_pos", "n_neg"];

    fn check(&self) -> Result<(), String> {
        self.plan.check()?;
        if !(0.0 < self.power && self.power < 1.0) {
            return Err(format!("power must lie between 0 and 1, such as 0.8, got {}", self.power));
        }
        if !(self.ratio > 0.0 && self.ratio.is_finite()) {
            return Err(format!(
                "ratio must be above 0, such as 2 for two negatives a positive, got {}",
                self.ratio
            ));
        }
        Ok(())
    }

    fn answer(&self, columns: &[Float64Chunked]) -> Result<Vec<Float64Chunked>, String> {
        let sizes: Vec<Option<(f64, f64)>> = columns[0]
            .iter()
            .map(|auc| auc.map(|auc| power::sample_size(self.plan, auc, self.power, self.ratio)))
            .collect();
        let column = |of: fn((f64, f64)) -> f64| -> Float64Chunked {
            sizes.iter().map(|size| defined(size.map(of))).collect_ca(PlSmallStr::EMPTY)
        };
        Ok(vec![column(|size| size.0), column(|size| size.1)])
    }
}

/// What is undefined is null.
fn defined(value: Option<f64>) -> Option<f64> {
    value.filter(|value| !value.is_nan())
}
