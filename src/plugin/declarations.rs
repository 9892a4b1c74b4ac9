//! The declarations in Rust for Python: expressions, standard parameters, and the parameters and fields of
//! statistics.

use std::collections::BTreeMap;

use pyo3::prelude::*;

use crate::plugin::expressions;
use crate::statistics::declaration::{Fields, ParameterKind};
use crate::statistics::kinds::FieldKind;
use crate::statistics::standard::STANDARD;

/// All declarations; a dictionary in Python.
#[derive(IntoPyObject)]
pub struct Declarations {
    /// The name of each expression, its public function, and its statistics.
    expressions: Vec<(&'static str, &'static str, Vec<&'static str>)>,
    standard: Vec<Parameter>,
    /// The parameters and fields of each function that a statistic declares.
    functions: BTreeMap<&'static str, Function>,
}

#[derive(IntoPyObject)]
struct Function {
    /// The kind of the result in the table of expressions.
    kind: &'static str,
    text: &'static str,
    parameters: Vec<Parameter>,
    records: Vec<Vec<Field>>,
}

#[derive(IntoPyObject)]
struct Parameter {
    name: &'static str,
    /// Whether it is a column, not an option.
    column: bool,
    /// The type in Python without None; empty for the type of the standard parameter.
    annotation: String,
    by_name: bool,
    default: &'static str,
    text: &'static str,
}

/// A declared field: the names and dtypes of its columns.
#[derive(IntoPyObject)]
struct Field {
    columns: Vec<&'static str>,
    dtypes: Vec<&'static str>,
    text: &'static str,
}

impl Declarations {
    /// All declarations.
    pub fn new() -> Self {
        let row = |&(name, function, statistics): &(&'static str, &'static str, &[&'static str])| {
            (name, function, statistics.to_vec())
        };
        let standard = STANDARD.iter().map(|each| Parameter::new(each.name, each.kind, each.text));
        let declared = expressions::DECLARATIONS.iter().filter(|declared| !declared.parameters.is_empty());
        let function = |declared: &expressions::Declared| {
            let parameters = declared.parameters.iter().map(|each| Parameter {
                by_name: each.by_name,
                default: each.default,
                ..Parameter::new(each.name, each.kind, each.text)
            });
            let records = declared.records.iter().map(fields).collect();
            (
                declared.name,
                Function {
                    kind: declared.kind,
                    text: declared.text,
                    parameters: parameters.collect(),
                    records,
                },
            )
        };
        Declarations {
            expressions: expressions::TABLE.iter().map(row).collect(),
            standard: standard.collect(),
            functions: declared.map(function).collect(),
        }
    }
}

impl Parameter {
    fn new(name: &'static str, kind: ParameterKind, text: &'static str) -> Self {
        let standard = STANDARD.iter().find(|standard| standard.name == name).map(|standard| standard.kind);
        let column = matches!(kind, ParameterKind::Column | ParameterKind::Columns)
            || matches!((kind, standard), (ParameterKind::Standard, Some(ParameterKind::Column)));
        Parameter { name, column, annotation: kind.annotation(), by_name: false, default: "", text }
    }
}

fn fields(record: &Fields) -> Vec<Field> {
    let mut columns = record.columns.iter();
    let field = |&(length, text): &(usize, &'static str)| {
        let (columns, dtypes) =
            columns.by_ref().take(length).map(|field| (field.name, dtype(field.kind))).unzip();
        Field { columns, dtypes, text }
    };
    record.sentences.iter().map(field).collect()
}

/// The dtype of a field, for users.
fn dtype(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Number => "Float64",
        FieldKind::Count => "UInt64",
        FieldKind::Mass => "UInt64; with weights Float64",
        FieldKind::Sum | FieldKind::Squares => "UInt64; with weights Decimal",
        FieldKind::Truth => "Boolean",
        FieldKind::Threshold => "the score's dtype",
        FieldKind::Word | FieldKind::Name => "String",
        FieldKind::Key => "its own dtype",
        FieldKind::Numbers => "List of Float64",
        FieldKind::Records(_) => "List of Struct",
    }
}
