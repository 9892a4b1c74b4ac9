//! Statistics of bands and curves, which are lists of points.

use super::record::Record;

/// A statistic of bands and curves, which answers each group with one record.
pub trait Curvewise {
    /// The record of a group.
    type Record: Record;

    /// What the columns are called, which expression makes them, and the fields that are read.
    const ROLES: &'static [(&'static str, &'static str, &'static [&'static str])];

    /// The answer for a group. Each row has for each column the fields of its points; rows with a null are left out.
    fn of_curves(&self, rows: &[Vec<Vec<&[f64]>>]) -> Self::Record;
}
