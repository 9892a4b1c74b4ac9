//! Arrow dtypes: their names in Polars, and their categories.

use arrow::datatypes::{ArrowDataType as Dtype, Field, MAINTAIN_PL_TYPE, PL_KEY, TimeUnit};

/// The Polars name of the dtype of a field, for messages.
pub fn display(field: &Field) -> String {
    let word = match field.dtype() {
        Dtype::Null => "null",
        Dtype::Boolean => "bool",
        Dtype::Int8 => "i8",
        Dtype::Int16 => "i16",
        Dtype::Int32 => "i32",
        Dtype::Int64 => "i64",
        Dtype::Int128 => "i128",
        Dtype::UInt8 => "u8",
        Dtype::UInt16 => "u16",
        Dtype::UInt32 => "u32",
        Dtype::UInt64 => "u64",
        Dtype::UInt128 => "u128",
        Dtype::Float16 => "f16",
        Dtype::Float32 => "f32",
        Dtype::Float64 => "f64",
        Dtype::Utf8View | Dtype::LargeUtf8 | Dtype::Utf8 => "str",
        Dtype::LargeBinary if keeps_its_type(field) => "binary[offset]",
        Dtype::BinaryView | Dtype::LargeBinary | Dtype::Binary | Dtype::FixedSizeBinary(_) => "binary",
        Dtype::Date32 => "date",
        Dtype::Time32(_) | Dtype::Time64(_) => "time",
        Dtype::Dictionary(..) if is_enum(field) => "enum",
        Dtype::Dictionary(..) => "cat",
        Dtype::Date64 => "datetime[ms]",
        Dtype::Timestamp(unit, None) => return format!("datetime[{}]", unit_name(*unit)),
        Dtype::Timestamp(unit, Some(zone)) => return format!("datetime[{}, {zone}]", unit_name(*unit)),
        Dtype::Duration(unit) => return format!("duration[{}]", unit_name(*unit)),
        Dtype::Decimal(precision, scale)
        | Dtype::Decimal32(precision, scale)
        | Dtype::Decimal64(precision, scale)
        | Dtype::Decimal256(precision, scale) => return format!("decimal[{precision},{scale}]"),
        Dtype::LargeList(item) | Dtype::List(item) | Dtype::Map(item, _) => {
            return format!("list[{}]", display(item));
        }
        Dtype::FixedSizeList(item, width) => return array_name(item, *width),
        Dtype::Struct(fields) => return format!("struct[{}]", fields.len()),
        Dtype::Extension(extension) if extension.name == OBJECT => "object",
        Dtype::Extension(extension) => return format!("ext[{}]", extension.name),
        other => return format!("{other:?}"),
    };
    word.into()
}

/// The name under which Polars passes Python objects.
const OBJECT: &str = "POLARS_EXTENSION_TYPE";

fn keeps_its_type(field: &Field) -> bool {
    field
        .metadata
        .as_ref()
        .is_some_and(|about| about.get(PL_KEY).is_some_and(|kept| kept == MAINTAIN_PL_TYPE))
}

/// The Polars name of a unit of time.
pub fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Nanosecond => "ns",
        TimeUnit::Microsecond => "μs",
        TimeUnit::Second | TimeUnit::Millisecond => "ms",
    }
}

/// An array dtype with its width, or with all widths if nested.
fn array_name(item: &Field, width: usize) -> String {
    let mut widths = vec![width.to_string()];
    let mut leaf = item;
    while let Dtype::FixedSizeList(item, width) = leaf.dtype() {
        widths.push(width.to_string());
        leaf = item;
    }
    match &widths[..] {
        [width] => format!("array[{}, {width}]", display(leaf)),
        _ => format!("array[{}, ({})]", display(leaf), widths.join(", ")),
    }
}

/// Whether the values are an Enum, which has a category order; other dictionaries are sorted alphabetically.
pub fn is_enum(field: &Field) -> bool {
    field.is_enum()
}

/// Whether the values are strings, plain or dictionary-encoded.
pub fn is_words(field: &Field) -> bool {
    matches!(field.dtype(), Dtype::Utf8View | Dtype::LargeUtf8 | Dtype::Utf8 | Dtype::Dictionary(..))
}

/// Whether the values are dictionary-encoded strings.
pub fn is_coded(field: &Field) -> bool {
    matches!(field.dtype(), Dtype::Dictionary(..))
}

/// Whether the values are integers or floats.
pub fn is_number(field: &Field) -> bool {
    matches!(
        field.dtype(),
        Dtype::Int8
            | Dtype::Int16
            | Dtype::Int32
            | Dtype::Int64
            | Dtype::Int128
            | Dtype::UInt8
            | Dtype::UInt16
            | Dtype::UInt32
            | Dtype::UInt64
            | Dtype::UInt128
            | Dtype::Float16
            | Dtype::Float32
            | Dtype::Float64
    )
}

/// Whether the values are numbers (including decimals), booleans, or only nulls.
pub fn is_numeric(field: &Field) -> bool {
    is_number(field) || matches!(field.dtype(), Dtype::Decimal(..) | Dtype::Boolean | Dtype::Null)
}

/// Whether the values are dates, times or durations.
pub fn is_temporal(field: &Field) -> bool {
    matches!(
        field.dtype(),
        Dtype::Date32
            | Dtype::Date64
            | Dtype::Timestamp(..)
            | Dtype::Duration(_)
            | Dtype::Time32(_)
            | Dtype::Time64(_)
    )
}

/// Whether the dtype is nested.
pub fn is_nested(field: &Field) -> bool {
    matches!(
        field.dtype(),
        Dtype::LargeList(_) | Dtype::List(_) | Dtype::Map(..) | Dtype::FixedSizeList(..) | Dtype::Struct(_)
    )
}

/// Whether the dtype is an extension type.
pub fn is_extension(field: &Field) -> bool {
    matches!(field.dtype(), Dtype::Extension(_))
}

/// The item field of a List column.
pub fn listed(field: &Field) -> Result<&Field, String> {
    match field.dtype() {
        Dtype::LargeList(item) => Ok(item),
        _ => Err(format!("expected List columns, got {}", display(field))),
    }
}
