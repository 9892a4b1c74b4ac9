//! Functions of whole columns: one answer a row, not one a group.

/// A function of columns of numbers that answers every row.
pub trait Columnwise {
    /// What the columns are called.
    const ROLES: &'static [&'static str];

    /// The fields of an answer; a single one stands for itself.
    const FIELDS: &'static [&'static str];

    /// Says what is wrong with the options, in words that name the option and what it may be.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// The columns of the answer, from columns of one length; or what is wrong with the numbers.
    fn answer(&self, columns: &[Vec<Option<f64>>]) -> Result<Vec<Vec<Option<f64>>>, String>;
}
