//! Functions of whole columns: one answer a row, not one a group.

/// A function of columns of numbers that answers every row.
pub trait Columnwise {
    /// What the columns are called.
    const ROLES: &'static [&'static str];

    /// The fields of an answer; a single one stands for itself.
    const FIELDS: &'static [&'static str];

    /// The fields that are counts, or places of rows.
    const COUNTS: &'static [&'static str] = &[];

    /// The columns of the answer, from columns of one length; or what is wrong with the numbers.
    fn answer(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String>;
}

/// What `number` makes of the numbers of each row, one from each column; null where one is null, or the answer is NaN.
pub fn of_each_row<const N: usize>(
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
