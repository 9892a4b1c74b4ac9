//! The method of the standard error of an area or of a difference.

use crate::statistics::options::words;

/// The method of the standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorMethod {
    /// From the placements.
    #[default]
    DeLong,
    /// From resamples.
    Bootstrap,
}

words!(ErrorMethod { "delong" => DeLong, "bootstrap" => Bootstrap });
