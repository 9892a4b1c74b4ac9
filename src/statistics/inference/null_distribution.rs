//! Which distribution of a rank statistic under the null hypothesis a p-value comes from.

use crate::statistics::options::words;

/// Which null distribution is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullDistribution {
    /// The exact one for small groups.
    #[default]
    Auto,
    /// The exact one wherever it can be counted.
    Exact,
    /// The limit for many rows.
    Asymptotic,
}

words!(NullDistribution { "auto" => Auto, "exact" => Exact, "asymptotic" => Asymptotic });
