//! The numbers of rows of a group, independent of weights.

/// The maximum number of rows of a group, including counts: 4.4e12. Products of three sums then fit 128 bits.
pub const MAX_ROWS: u64 = 1 << 42;

/// The numbers of rows of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Positives: rows in use whose label is 1.
    pub n_pos: u64,
    /// Negatives: rows in use whose label is 0.
    pub n_neg: u64,
    /// Skipped rows.
    pub n_missing: u64,
    /// Skipped rows in which only the label is missing; `None` if unknown, as in states.
    pub n_unlabelled: Option<u64>,
    /// Whether the rows have weights, which are not part of these numbers.
    pub have_weights: bool,
}

impl RowCounts {
    /// The numbers that a state stores: without `n_unlabelled`.
    pub fn stored(self) -> Self {
        RowCounts { n_unlabelled: None, ..self }
    }

    /// The sum of two counts, as a state stores it.
    pub fn plus(self, more: Self) -> Self {
        RowCounts {
            n_pos: self.n_pos + more.n_pos,
            n_neg: self.n_neg + more.n_neg,
            n_missing: self.n_missing + more.n_missing,
            n_unlabelled: None,
            have_weights: self.have_weights || more.have_weights,
        }
    }

    /// All rows, including skipped ones.
    pub fn all(self) -> u64 {
        self.n_pos + self.n_neg + self.n_missing
    }
}
