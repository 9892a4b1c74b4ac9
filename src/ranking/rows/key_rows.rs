//! Counts by score of the rows of each key, such as a fold or a segment.

use crate::memory;
use crate::ranking::tasks;
use crate::ranking::ties::{Count, Placements, counts::placements};

/// The rows of one key.
#[derive(Clone, Debug, Default)]
pub struct KeyRows {
    /// The codes of the distinct scores, highest first. For approximate states, several bins of a key may
    /// share a code, if they lie in one bin of all keys' states.
    pub codes: Vec<u32>,
    /// The number of rows of each code.
    pub counts: Vec<Count>,
    /// All positives.
    pub n_pos: u64,
    /// All negatives.
    pub n_neg: u64,
}

/// The code of a score and its label, packed into an integer that sorts by code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodeAndLabel(u64);

impl CodeAndLabel {
    /// From the code and the label of one row.
    pub fn new(code: u32, label: bool) -> Self {
        CodeAndLabel(u64::from(code) << 1 | u64::from(label))
    }

    fn code(self) -> u32 {
        (self.0 >> 1) as u32
    }

    fn is_positive(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The rows of all keys, counted by score.
#[derive(Clone, Debug, Default)]
pub struct CountedKeys {
    /// The rows of each key, by its code.
    pub keys: Vec<KeyRows>,
    /// The number of distinct codes.
    pub distinct: usize,
    /// Whether the order of every positive and negative is exact, within keys and between keys.
    pub is_exact: bool,
}

impl KeyRows {
    fn with_room(scores: usize) -> Self {
        KeyRows {
            codes: memory::with_capacity(scores),
            counts: memory::with_capacity(scores),
            n_pos: 0,
            n_neg: 0,
        }
    }

    fn push(&mut self, code: u32, count: Count) {
        self.codes.push(code);
        self.counts.push(count);
        self.n_pos += count.pos;
        self.n_neg += count.neg;
    }

    /// Counts the rows of a key by score.
    pub fn new(mut members: Vec<CodeAndLabel>) -> Self {
        tasks::sort_by(&mut members, |a, b| b.cmp(a));
        let ties = || members.chunk_by(|a, b| a.code() == b.code());
        let distinct = ties().count();
        let mut key_rows = KeyRows::with_room(distinct);
        for tie in ties() {
            let pos = tie.iter().filter(|row| row.is_positive()).count() as u64;
            key_rows.push(tie[0].code(), Count { pos, neg: tie.len() as u64 - pos });
        }
        key_rows
    }

    /// The sums over placements within these rows; 0 if a class is missing.
    pub fn placements(&self) -> Placements {
        if self.n_pos > 0 && self.n_neg > 0 { placements(&self.counts) } else { Placements::default() }
    }

    /// Merges the counts of equal codes.
    pub fn join_codes(&mut self) {
        let mut last = 0;
        for next in 1..self.codes.len() {
            let count = self.counts[next];
            if self.codes[next] == self.codes[last] {
                self.counts[last] = self.counts[last].plus(count);
            } else {
                last += 1;
                self.codes[last] = self.codes[next];
                self.counts[last] = count;
            }
        }
        self.codes.truncate(last + 1);
        self.counts.truncate(last + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_of_one_code_are_joined() {
        let count = |pos, neg| Count { pos, neg };
        let counts = vec![count(1, 0), count(0, 2), count(3, 1), count(0, 1)];
        let mut key = KeyRows { codes: vec![7, 5, 5, 2], counts, n_pos: 4, n_neg: 4 };
        key.join_codes();
        assert_eq!((&key.codes[..], key.n_pos, key.n_neg), (&[7, 5, 2][..], 4, 4));
        assert_eq!(key.counts, [count(1, 0), count(3, 3), count(0, 1)]);
        let mut none = KeyRows { codes: Vec::new(), counts: Vec::new(), n_pos: 0, n_neg: 0 };
        none.join_codes();
        assert!(none.codes.is_empty());
        assert_eq!(KeyRows { n_neg: 0, ..key.clone() }.placements(), Placements::default());
    }
}
