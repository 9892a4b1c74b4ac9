//! Where the standard error of an area or of a difference comes from.

use crate::statistics::options::words;

/// Where the standard error comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorMethod {
    /// From the placements.
    #[default]
    DeLong,
    /// From resamples.
    Bootstrap,
}

words!(ErrorMethod { "delong" => DeLong, "bootstrap" => Bootstrap });
