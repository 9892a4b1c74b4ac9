//! The alternative hypothesis of a test.

/// Which departure from the null hypothesis counts against it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "plugin", derive(serde::Deserialize))]
pub enum Alternative {
    /// A departure to either side.
    #[default]
    #[cfg_attr(feature = "plugin", serde(rename = "two-sided"))]
    TwoSided,
    /// Positives tend to score higher.
    #[cfg_attr(feature = "plugin", serde(rename = "greater"))]
    Greater,
    /// Positives tend to score lower.
    #[cfg_attr(feature = "plugin", serde(rename = "less"))]
    Less,
}
