//! The planned field of an expression: its name and dtype, before any row is read.

use arrow::datatypes::{ArrowDataType as Dtype, Field};

use super::columns;
use crate::plugin::abi::arguments::{Arguments, Roles};
use crate::plugin::inputs::{
    dtypes::Dtypes,
    joint::InputRules,
    one_score::{self, Inputs, checked},
};
use crate::statistics::kinds::{Curve, Joint, Record, Summary};
use crate::statistics::options::OptionError;

fn planned(
    inputs: &[Field],
    check_sums_of_weights: &dyn Fn() -> Result<(), OptionError>,
    roles: &Roles,
    weights: bool,
    dtype: &dyn Fn(&Dtypes) -> Dtype,
) -> Result<Field, String> {
    let kind = Inputs::new(roles);
    let inputs = kind.columns(roles, inputs)?;
    let dtypes = checked_with(&inputs, check_sums_of_weights, kind, weights)?;
    Ok(Field::new(inputs[0].name.clone(), dtype(&dtypes), true))
}

/// Validates all inputs and returns their dtypes.
fn checked_with(
    inputs: &[&Field],
    check_sums_of_weights: &dyn Fn() -> Result<(), OptionError>,
    kind: Inputs,
    weights: bool,
) -> Result<Dtypes, String> {
    let dtypes = checked(inputs, kind, weights)?;
    if kind == Inputs::States && dtypes.have_weights() {
        check_sums_of_weights()?;
    }
    Ok(dtypes)
}

/// The planned field of a statistic with a single number.
pub fn number_field<M: Summary>(inputs: &[Field], call: &Arguments<M>) -> Result<Field, String> {
    let check = || call.options.check_sums_of_weights();
    planned(inputs, &check, &call.roles, M::WEIGHTS, &|_| Dtype::Float64)
}

/// The planned field of a statistic with a record.
pub fn summary_field<M: Summary>(inputs: &[Field], call: &Arguments<M>) -> Result<Field, String> {
    let check = || call.options.check_sums_of_weights();
    let dtype = |dtypes: &Dtypes| columns::record_dtype(M::Record::FIELDS, dtypes);
    planned(inputs, &check, &call.roles, M::WEIGHTS, &dtype)
}

/// The planned field of a statistic with a record per score.
pub fn summaries_field<M: Summary>(inputs: &[Field], call: &Arguments<M>) -> Result<Field, String> {
    summaries_field_of(inputs, &call.options, &call.roles)
}

/// The same with the options and the roles of a call separate.
pub(super) fn summaries_field_of<M: Summary>(
    inputs: &[Field],
    options: &M,
    roles: &Roles,
) -> Result<Field, String> {
    let check = || options.check_sums_of_weights();
    let (kind, score_fields) = one_score::split_scores(roles, inputs)?;
    let dtype_of = |inputs: &Vec<&Field>| {
        let dtypes = checked_with(inputs, &check, kind, M::WEIGHTS)?;
        Ok(columns::record_dtype(M::Record::FIELDS, &dtypes))
    };
    let dtypes = score_fields.iter().map(dtype_of).collect::<Result<Vec<_>, String>>()?;
    let [first, others @ ..] = &dtypes[..] else { return Err("expected a score".into()) };
    if others.iter().any(|other| other != first) {
        return Err("the record has other dtypes for other scores".into());
    }
    Ok(Field::new(inputs[0].name.clone(), columns::array_of(first.clone(), dtypes.len()), true))
}

/// The planned field of a statistic with a list of records.
pub fn curve_field<C: Curve>(inputs: &[Field], call: &Arguments<C>) -> Result<Field, String> {
    let check = || call.options.check_sums_of_weights();
    let dtype = |dtypes: &Dtypes| columns::list_of(columns::record_dtype(C::Record::FIELDS, dtypes));
    planned(inputs, &check, &call.roles, C::WEIGHTS, &dtype)
}

/// The planned field of a statistic of rows.
pub fn joint_field<J: Joint>(inputs: &[Field], call: &Arguments<J>) -> Result<Field, String> {
    let dtypes = InputRules::new(call).checked(&inputs.iter().collect::<Vec<_>>())?;
    Ok(Field::new(inputs[0].name.clone(), columns::record_dtype(J::Record::FIELDS, &dtypes), true))
}

/// The planned field of a statistic of rows whose record has one field, which replaces the record.
pub fn joint_single_field<J: Joint>(inputs: &[Field], call: &Arguments<J>) -> Result<Field, String> {
    let dtypes = InputRules::new(call).checked(&inputs.iter().collect::<Vec<_>>())?;
    Ok(columns::field(&inputs[0].name, &J::Record::FIELDS[0].kind, &dtypes))
}
