//! Statistics of bands and curves, which are lists of points.

use super::record::Record;

/// A statistic of bands and curves, with one record per group.
pub trait Curvewise {
    /// The record of a group.
    type Record: Record;

    /// For each column: its name, the expression that creates it, and the fields that are read.
    const ROLES: &'static [(&'static str, &'static str, &'static [&'static str])];

    /// The result of a group. Each row has, for each column, the fields of its points; rows with a null are
    /// excluded.
    fn evaluate(&self, rows: &[Vec<Vec<&[f64]>>]) -> Self::Record;
}
