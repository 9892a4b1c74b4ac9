//! Functions of whole columns, with one result per row.

/// A function of numeric columns with one result per row.
pub trait Columnwise {
    /// The names of the columns.
    const ROLES: &'static [&'static str];

    /// The fields of a result; a single field is not wrapped in a struct.
    const FIELDS: &'static [&'static str];

    /// The fields that are counts or row indices.
    const COUNTS: &'static [&'static str] = &[];

    /// The result columns, from columns of one length; an error describes invalid numbers.
    fn evaluate(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String>;
}

/// Applies `number` to each row, with one number from each column; null if one is null or the result is NaN.
pub fn map_rows<const N: usize>(
    columns: &[Vec<Option<f64>>],
    number: impl Fn([f64; N]) -> f64,
) -> Vec<Option<f64>> {
    let numbers = |row: usize| {
        let mut numbers = [0.0; N];
        for (number, column) in numbers.iter_mut().zip(columns) {
            *number = column[row]?;
        }
        Some(numbers)
    };
    (0..columns[0].len()).map(|row| numbers(row).map(&number).filter(|number| !number.is_nan())).collect()
}
