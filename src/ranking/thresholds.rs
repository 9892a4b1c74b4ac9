//! One score among the ties of a group: the one that a number or a count of rows stands for, and the rows that reach it.

use super::ties::{Source, Ties, in_classes};
use super::{Key, Number};

impl<K: Key> Ties<'_, K> {
    /// The key of the lowest possible score that is not below a number; none if all are.
    pub fn at_least(&self, number: Number) -> Option<K> {
        number.up_to(self.kind).and_then(self.at_least)
    }

    /// Positives and negatives that score as high as a key, or higher.
    pub fn reached(&mut self, key: K) -> (u64, u64) {
        let count = |pieces: &[&[K]]| -> u64 {
            pieces.iter().map(|keys| keys.iter().filter(|&&other| other >= key).count() as u64).sum()
        };
        let parts = match &mut self.source {
            Source::ClassKeys { class_keys, .. } => {
                return in_classes(class_keys, |classes| (count(classes.pos), count(classes.neg)));
            }
            Source::Shards(shards) => {
                shards.each(|| (), |(), classes, _| (count(classes.pos), count(classes.neg)))
            }
            Source::Counted(counted) => counted
                .descending()
                .take_while(|&(other, ..)| other >= key)
                .map(|(_, pos, neg)| (pos, neg))
                .collect(),
            Source::Weighted(..) => {
                let mut sums = (0, 0);
                self.fold_into(
                    &mut sums,
                    || (0, 0),
                    |sums, tie| {
                        if tie.key >= key {
                            *sums = (sums.0 + tie.pos, sums.1 + tie.neg);
                        }
                    },
                    |sums, more| *sums = (sums.0 + more.0, sums.1 + more.1),
                );
                return sums;
            }
        };
        parts.into_iter().fold((0, 0), |sums, part| (sums.0 + part.0, sums.1 + part.1))
    }

    /// The key of the score that exactly so many rows reach or exceed, where there is one.
    pub fn threshold(&mut self, rows: u64) -> Option<K> {
        match &mut self.source {
            Source::ClassKeys { class_keys, .. } => {
                in_classes(class_keys, |classes| classes.highest(rows as usize))
            }
            Source::Shards(shards) => shards.highest(rows),
            Source::Counted(counted) => {
                let mut above = 0;
                counted.descending().find_map(|(key, pos, neg)| {
                    above += pos + neg;
                    (above >= rows).then_some(key)
                })
            }
            Source::Weighted(..) => self.fold(
                |found: &mut Option<K>, tie| {
                    if found.is_none() && tie.tp() + tie.fp() >= rows {
                        *found = Some(tie.key);
                    }
                },
                |found, lower| *found = found.or(lower),
            ),
        }
    }
}
