//! Placements row by row: how many negatives score lower than each positive, and how many positives score higher than
//! each negative.
//!
//! The covariance of two areas comes from the placements of the same rows by both scores. So placements are in the
//! order of the rows, each class by itself. The rows are divided by score into parts, so that the index of a part stays
//! in the second cache. In a part the rarer class is indexed. The rows of the other class look up their places, which
//! are their placements. How many rows look up each place then gives the placements of the rarer class.

use std::ops::Range;

use crate::cache;
use crate::interrupt;
use crate::memory;
use crate::ranking::order::{
    index::Index,
    map::{Map, with_buckets},
};
use crate::ranking::scores::{Key, Score};
use crate::ranking::tuning::{MOST_PARTS, PART_ROWS};

/// Twice the placements of all rows, ties counting once, not divided by the number of rows of the other class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowPlacements {
    /// For each positive, twice the negatives that score lower.
    pub of_pos: Vec<u32>,
    /// For each negative, twice the positives that score higher.
    pub of_neg: Vec<u32>,
}

impl RowPlacements {
    /// The placements of rows of scores and labels, none of the scores NaN.
    ///
    /// # Panics
    /// If there are 2^31 rows or more, or another number of labels.
    pub fn of<S: Score>(scores: &[S], labels: &[bool]) -> Self {
        assert!(scores.len() == labels.len() && scores.len() < 1 << 31, "a group has fewer than 2^31 rows");
        let n_pos = labels.iter().filter(|&&label| label).count();
        let mut parts = ScoreParts::of(scores, labels);
        let mut twice = memory::default_values(scores.len());
        let mut below = Below::default();
        // Of either class, the rows of lower parts.
        let (mut pos_below, mut neg_below) = (0, 0);
        for part in parts.rows.chunks_exact(2) {
            interrupt::check();
            let [neg, pos] = [&part[0], &part[1]];
            let (neg_keys, pos_keys) = (&parts.keys[neg.clone()], &parts.keys[pos.clone()]);
            let (of_neg, of_pos) = if pos.len() <= neg.len() {
                let (of_pos, of_neg) = below.one_another::<S>(pos_keys, neg_keys);
                (of_neg, of_pos)
            } else {
                below.one_another::<S>(neg_keys, pos_keys)
            };
            // The positives above a negative are all but those below it.
            for (placement, within) in twice[neg.clone()].iter_mut().zip(of_neg) {
                *placement = 2 * (n_pos as u32 - pos_below) - within;
            }
            for (placement, within) in twice[pos.clone()].iter_mut().zip(of_pos) {
                *placement = 2 * neg_below + within;
            }
            pos_below += pos.len() as u32;
            neg_below += neg.len() as u32;
        }
        // What comes next takes its memory.
        parts.keys = Vec::new();
        // Every part holds its rows in their order, so the next row's placement is the next one of its part.
        let mut next = parts.starts();
        let mut of_classes = [scores.len() - n_pos, n_pos].map(memory::default_values);
        let mut places = [0; 2];
        for &part in &parts.of_row {
            // The lowest bit of a stream is the class of its rows. A branch on it would be mispredicted.
            let (next, class) = (&mut next[usize::from(part)], usize::from(part & 1));
            of_classes[class][places[class]] = twice[*next];
            cache::expect_next_line(&twice, *next);
            places[class] += 1;
            *next += 1;
        }
        let [of_neg, of_pos] = of_classes;
        RowPlacements { of_pos, of_neg }
    }
}

/// Rows parted by score and class: of part `i` the negatives are stream `2 i`, the positives stream `2 i + 1`.
struct ScoreParts<K> {
    /// The stream that each row is in.
    of_row: Vec<u16>,
    /// The keys of one stream after the other, each in the order of its rows.
    keys: Vec<K>,
    /// For each stream, where its keys are, lowest scores first.
    rows: Vec<Range<usize>>,
}

impl<K: Key> ScoreParts<K> {
    fn of<S: Score<Key = K>>(scores: &[S], labels: &[bool]) -> Self {
        let n_parts = (scores.len() / PART_ROWS).clamp(1, MOST_PARTS);
        let of_row = if n_parts == 1 {
            streams(scores, labels, |_| 0)
        } else {
            with_buckets!(&Map::of_scores(scores, n_parts), part => streams(scores, labels, part))
        };
        let mut counts = vec![0usize; 2 * n_parts];
        of_row.iter().for_each(|&stream| counts[usize::from(stream)] += 1);
        let mut end = 0;
        let rows = counts.iter().map(|rows| {
            end += rows;
            end - rows..end
        });
        let rows = rows.collect();
        let mut parts = ScoreParts { of_row, keys: memory::default_values(scores.len()), rows };
        let mut next = parts.starts();
        for (&stream, score) in parts.of_row.iter().zip(scores) {
            let next = &mut next[usize::from(stream)];
            parts.keys[*next] = score.key();
            cache::expect_next_line(&parts.keys, *next);
            *next += 1;
        }
        parts
    }

    /// Where the keys of each stream begin.
    fn starts(&self) -> Vec<usize> {
        self.rows.iter().map(|rows| rows.start).collect()
    }
}

/// The stream of each row, where `part` says the part of a score.
fn streams<S: Score>(scores: &[S], labels: &[bool], part: impl Fn(f64) -> u32) -> Vec<u16> {
    let rows = scores.iter().zip(labels);
    memory::collected(rows.map(|(score, &label)| 2 * part(score.position()) as u16 + u16::from(label)))
}

/// Counts the rows of one class below those of the other. Keeps its memory from part to part.
#[derive(Default)]
struct Below<K> {
    index: Index<K>,
    more: Vec<u32>,
    of_indexed: Vec<u32>,
    of_others: Vec<u32>,
}

impl<K: Key> Below<K> {
    /// For each indexed key twice the other keys below it, those equal to it once; and for each of the others the
    /// same of the indexed ones.
    fn one_another<S: Score<Key = K>>(&mut self, indexed: &[K], others: &[K]) -> (&[u32], &[u32]) {
        let Below { index, more, of_indexed, of_others } = self;
        index.build::<S>(&[indexed]);
        // `more[i]` is twice the number of other rows that are below indexed key i but not below key i - 1. A row between
        // two keys counts twice for the higher key. A row that ties with a key counts once for that key, and once for the
        // next. (Equal keys all have the place of the first of them.)
        more.clear();
        more.resize(indexed.len() + 2, 0);
        of_others.clear();
        of_others.reserve(others.len());
        index.look_up::<S>(others, &mut |places| {
            for &(below, not_above) in places {
                of_others.push(below + not_above);
                let tied = u32::from(below != not_above);
                more[below as usize] += 2 - tied;
                more[below as usize + 1] += tied;
            }
        });
        let mut sum = 0;
        for more in more.iter_mut() {
            sum += *more;
            *more = sum;
        }
        of_indexed.clear();
        of_indexed.reserve(indexed.len());
        index.look_up::<S>(indexed, &mut |places| {
            of_indexed.extend(places.iter().map(|&(below, _)| more[below as usize]));
        });
        (of_indexed, of_others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_definition<S: PartialOrd + Copy>(rows: &[(S, bool)]) -> RowPlacements {
        let twice = |of: bool| -> Vec<u32> {
            rows.iter()
                .filter(|row| row.1 == of)
                .map(|row| {
                    let others = rows.iter().filter(|other| other.1 != of);
                    let in_order = |other: &(S, bool)| if of { (other.0, row.0) } else { (row.0, other.0) };
                    others
                        .map(in_order)
                        .map(|(low, high)| u32::from(low < high) + u32::from(low <= high))
                        .sum()
                })
                .collect()
        };
        RowPlacements { of_pos: twice(true), of_neg: twice(false) }
    }

    fn ranked<S: Score>(rows: &[(S, bool)]) -> RowPlacements {
        let (scores, labels): (Vec<S>, Vec<bool>) = rows.iter().copied().unzip();
        RowPlacements::of(&scores, &labels)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn ties(rows in proptest::collection::vec((-5i16..5, any::<bool>()), 0..80)) {
            prop_assert_eq!(ranked(&rows), by_definition(&rows));
        }

        #[test]
        fn many_rows(seed in any::<u64>(), shape in 0..4) {
            // There are enough rows for several parts. All pairs would take too long, so sorted scores are searched
            // instead.
            let rows = 3 * PART_ROWS + 17;
            let score = |row: u64| {
                let bits = (row ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let even = (bits >> 11) as f64 / (1u64 << 53) as f64;
                match shape {
                    0 => even,
                    1 => (even * 50.0).floor(),
                    2 => 10f64.powf(40.0 * even) * if bits & 1 == 0 { 1.0 } else { -1.0 },
                    _ => if bits & 7 == 0 { even } else { 0.25 },
                }
            };
            let scores: Vec<f64> = (0..rows as u64).map(score).collect();
            let labels: Vec<bool> = (0..rows as u64).map(|row| (row.wrapping_mul(seed | 5) >> 7) % 3 == 0).collect();
            let got = RowPlacements::of(&scores, &labels);
            let of_class = |class: bool| -> Vec<f64> {
                scores.iter().zip(&labels).filter(|row| *row.1 == class).map(|row| *row.0).collect()
            };
            let sorted = |mut scores: Vec<f64>| { scores.sort_by(f64::total_cmp); scores };
            let (pos, neg) = (sorted(of_class(true)), sorted(of_class(false)));
            let twice_below = |sorted: &[f64], score: f64| {
                (sorted.partition_point(|&other| other < score) + sorted.partition_point(|&other| other <= score)) as u32
            };
            let of_pos: Vec<u32> = of_class(true).into_iter().map(|score| twice_below(&neg, score)).collect();
            let of_neg: Vec<u32> =
                of_class(false).into_iter().map(|score| 2 * pos.len() as u32 - twice_below(&pos, score)).collect();
            prop_assert!(got.of_pos == of_pos);
            prop_assert!(got.of_neg == of_neg);
        }

        #[test]
        fn any_floats(rows in proptest::collection::vec((any::<f64>(), any::<bool>()), 0..80)) {
            let rows: Vec<(f64, bool)> = rows.into_iter().filter(|row| !row.0.is_nan()).collect();
            prop_assert_eq!(ranked(&rows), by_definition(&rows));
        }

        #[test]
        fn wide_and_heavily_tied(rows in proptest::collection::vec((0u32..2000, 0u32..10), 0..600)) {
            let scores = rows.iter().map(|row| if row.0 < 1500 { 7 } else { i128::from(row.0) << (row.0 % 90) });
            let rows: Vec<(i128, bool)> = scores.zip(rows.iter().map(|row| row.1 == 0)).collect();
            prop_assert_eq!(ranked(&rows), by_definition(&rows));
        }
    }
}
