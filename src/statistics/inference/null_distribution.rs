//! The null distribution of a rank statistic.

use crate::statistics::options::words;

/// The choice of the null distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullDistribution {
    /// Exact for small groups.
    #[default]
    Auto,
    /// Exact whenever it can be enumerated.
    Exact,
    /// The limiting distribution for many rows.
    Asymptotic,
}

words!(NullDistribution { "auto" => Auto, "exact" => Exact, "asymptotic" => Asymptotic });
