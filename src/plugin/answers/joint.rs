//! Statistics of several columns row by row: their planned fields, and their records as a column.

use super::columns;
use crate::plugin::abi::{arguments::Arguments, ffi::Input};
use crate::plugin::arrays::values::Values;
use crate::plugin::inputs::{group_table::GroupTable, joint::InputRules};
use crate::statistics::kinds::{Column, Joint, KeyInput, KeyKind, Record};

/// Returns a record per group.
pub fn joint<J: Joint>(inputs: &[Input], call: &Arguments<J>) -> Result<Values, String> {
    let (columns, lookups) = evaluate(inputs, call)?;
    Ok(Values::new(&inputs[0].field.name, columns::structs(J::Record::FIELDS, columns, &lookups)?))
}

/// Returns the record's only field per group.
pub fn joint_single<J: Joint>(inputs: &[Input], call: &Arguments<J>) -> Result<Values, String> {
    let (columns, lookups) = evaluate(inputs, call)?;
    let column = columns.into_iter().next().ok_or("a record without fields")?;
    let kind = &J::Record::FIELDS[0].kind;
    Ok(Values::new(&inputs[0].field.name, columns::array(column, kind, &lookups)?))
}

fn evaluate<J: Joint>(
    inputs: &[Input],
    call: &Arguments<J>,
) -> Result<(Vec<Column>, columns::Lookups), String> {
    let (statistic, rules) = (&call.options, InputRules::new(call));
    let (table, dtypes) = GroupTable::read(inputs, &rules)?;
    let passes = statistic.passes().max(2);
    let columns = table.records(J::Record::FIELDS, passes, &|group, columns| {
        let (rows, has_nan) = table.group(group, rules.needs)?;
        let KeyInput { role, max, nan_by_key, .. } = J::INPUTS.key.unwrap_or(KeyInput::called("key"));
        if rows.keys.distinct > max {
            return Err(format!(
                "{} distinct values of {role} in a group, expected at most {max}",
                rows.keys.distinct
            ));
        }
        if has_nan && !nan_by_key {
            statistic.nan_record(&rows).append(columns);
        } else {
            statistic.check_rows(&rows)?;
            statistic.evaluate(&rows).append(columns);
        }
        Ok(())
    })?;
    let names = match rules.keys {
        KeyKind::Among(classes) => classes.to_vec(),
        _ => inputs.iter().map(|input| input.field.name.to_string()).collect(),
    };
    Ok((columns, columns::Lookups { dtypes, names, keys: table.keys.map(|keys| keys.values) }))
}
