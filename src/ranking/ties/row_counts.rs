//! How many rows a group has, whatever they weigh.

/// The most rows of a group, with all that a count stands for, 4.4e12: products of three sums then fit 128 bits.
pub const MOST_ROWS: u64 = 1 << 42;

/// How many rows a group has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowCounts {
    /// Positives: rows that are not missing and whose label is 1.
    pub n_pos: u64,
    /// Negatives: rows that are not missing and whose label is 0.
    pub n_neg: u64,
    /// Rows that were skipped.
    pub n_missing: u64,
    /// Skipped rows that lack only the label; `None` if unknown, as in states.
    pub n_unlabelled: Option<u64>,
    /// Whether the rows have weights, which these numbers do not tell.
    pub have_weights: bool,
}

impl RowCounts {
    /// What a state knows of them: not of which rows only the label is missing.
    pub fn stored(self) -> Self {
        RowCounts { n_unlabelled: None, ..self }
    }

    /// The rows of both, as a state knows them.
    pub fn plus(self, more: Self) -> Self {
        RowCounts {
            n_pos: self.n_pos + more.n_pos,
            n_neg: self.n_neg + more.n_neg,
            n_missing: self.n_missing + more.n_missing,
            n_unlabelled: None,
            have_weights: self.have_weights || more.have_weights,
        }
    }

    /// All rows, those that were skipped among them.
    pub fn all(self) -> u64 {
        self.n_pos + self.n_neg + self.n_missing
    }
}
