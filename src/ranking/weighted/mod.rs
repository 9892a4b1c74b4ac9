//! One group's rows with weights, and their ties.
//!
//! A weight is so many units ([`Unit`]), so a tie counts units where rows without weights are counted, and whatever
//! folds over ties does not see a difference. The rows are sorted: by key, then by what they weigh, so that even a
//! sum of floats over the rows of a tie has an order of its own.

pub(super) mod rows;
pub(super) mod shards;

use crate::ranking::order::score_ops::ScoreOps;
use crate::ranking::scores::{Bits, Key, Score};
use crate::ranking::ties::{
    outline::{Cell, outline},
    source::{Source, Squared, Steps, Walk},
    steps::{Above, Take},
    units::{self, Unit, Units},
};
use crate::ranking::tuning::SHARD_ROWS;
use crate::ranking::weighted::{
    rows::{WeightedRow, each_tie, hand_out},
    shards::WeightedShards,
};

/// The weighted rows of a group. Keeps no memory from group to group.
#[derive(Debug)]
pub struct Weighted<K> {
    layout: WeightedLayout<K>,
    ops: ScoreOps<K>,
    units: [Unit; 2],
    /// How many rows are negatives and positives.
    rows: [u64; 2],
    /// How many units they have.
    totals: [u64; 2],
    /// Low bits that no row has in its units.
    empty_bits: [u32; 2],
    /// Whether a unit is a row: rows are counted, not weighted.
    counted: bool,
    nan: bool,
}

#[derive(Debug)]
enum WeightedLayout<K> {
    /// Highest first.
    Rows(Vec<WeightedRow<K>>),
    Shards(WeightedShards<K>),
}

impl<K: Key> Weighted<K> {
    /// Takes in rows with weights, all finite and above 0; rows whose `valid` bit is 0 are skipped.
    pub fn part<S: Score<Key = K>>(
        scores: &[S],
        labels: Bits<'_>,
        weights: &[f64],
        valid: Option<Bits<'_>>,
        in_shards: bool,
    ) -> Self {
        let units = units::units(weights, labels, valid);
        Self::in_units(scores, labels, weights, valid, units, in_shards)
    }

    /// Takes in rows with counts, all whole and above 0: each stands for so many identical rows. Rows whose `valid` bit is
    /// 0 are skipped.
    pub fn counted<S: Score<Key = K>>(
        scores: &[S],
        labels: Bits<'_>,
        counts: &[f64],
        valid: Option<Bits<'_>>,
        in_shards: bool,
    ) -> Self {
        let rows = [Unit::default(); 2];
        Weighted { counted: true, ..Self::in_units(scores, labels, counts, valid, rows, in_shards) }
    }

    fn in_units<S: Score<Key = K>>(
        scores: &[S],
        labels: Bits<'_>,
        weights: &[f64],
        valid: Option<Bits<'_>>,
        units: [Unit; 2],
        in_shards: bool,
    ) -> Self {
        let n_pos = labels.count(valid) as u64;
        let n_neg = valid.map_or(scores.len(), |valid| valid.count(None)) as u64 - n_pos;
        let rows = [n_neg, n_pos];
        if in_shards || scores.len() >= SHARD_ROWS {
            let shards = WeightedShards::part(scores, labels, weights, valid, units);
            let (totals, nan, empty_bits) = (shards.totals(), shards.has_nan(), shards.empty_bits());
            return Weighted {
                ops: ScoreOps::of::<S>(),
                layout: WeightedLayout::Shards(shards),
                units,
                rows,
                totals,
                empty_bits,
                counted: false,
                nan,
            };
        }
        let mut sorted: Vec<WeightedRow<K>> = Vec::with_capacity(scores.len());
        let (mut totals, mut any, mut nan) = ([0; 2], [0u64; 2], false);
        for (row, (&score, &weight)) in scores.iter().zip(weights).enumerate() {
            if valid.is_none_or(|valid| valid.word(row) & 1 == 1) {
                let label = labels.word(row) & 1;
                let units = units[label as usize].units(weight);
                totals[label as usize] += units;
                any[label as usize] |= units;
                nan |= score.is_nan();
                sorted.push((score.key(), units << 1 | label));
            }
        }
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let empty_bits = any.map(|any| any.trailing_zeros() % u64::BITS);
        Weighted {
            ops: ScoreOps::of::<S>(),
            layout: WeightedLayout::Rows(sorted),
            units,
            rows,
            totals,
            empty_bits,
            counted: false,
            nan,
        }
    }

    /// Whether a score that is not missing is NaN.
    pub fn has_nan(&self) -> bool {
        self.nan
    }
}

impl<K: Key> Source for Weighted<K> {
    fn totals(&self) -> (u64, u64) {
        (self.totals[1], self.totals[0])
    }

    fn rows(&self) -> (u64, u64) {
        if self.counted { self.totals() } else { (self.rows[1], self.rows[0]) }
    }

    fn units(&self) -> Option<Units> {
        let ([neg, pos], [neg_bits, pos_bits]) = (self.units, self.empty_bits);
        (!self.counted).then_some(Units { pos, neg, pos_bits, neg_bits })
    }

    fn parts(&self) -> Option<usize> {
        match &self.layout {
            WeightedLayout::Rows(_) => None,
            WeightedLayout::Shards(shards) => Some(shards.len()),
        }
    }

    fn walk(&mut self, _: Steps, take: &mut Take<'_>) {
        if let WeightedLayout::Rows(rows) = &self.layout {
            hand_out(rows, Above::default(), take);
        }
    }

    fn walk_parts(
        &self,
        _: Steps,
        part: &(dyn Fn(usize, &mut Walk<'_>) + Sync),
        done: &mut dyn FnMut(usize),
    ) {
        if let WeightedLayout::Shards(shards) = &self.layout {
            shards.each(Vec::new, |room, place, shard, above| {
                shard.sorted(room);
                part(place, &mut |take| hand_out(room, above, take));
            });
            (0..shards.len()).for_each(done);
        }
    }

    fn twice_u(&mut self) -> Option<u128> {
        match &self.layout {
            WeightedLayout::Rows(_) => None,
            WeightedLayout::Shards(shards) => Some(shards.twice_u(self.ops)),
        }
    }

    fn squared(&self) -> Option<Vec<Squared>> {
        let of = |rows: &[WeightedRow<K>], above| {
            let mut ties = Vec::new();
            each_tie(rows, above, &mut |squared| ties.push(squared));
            ties
        };
        match &self.layout {
            _ if self.counted => None,
            WeightedLayout::Rows(rows) => Some(of(rows, Above::default())),
            WeightedLayout::Shards(shards) => {
                let parts = shards.each(Vec::new, |room, _, shard, above| {
                    shard.sorted(room);
                    of(room, above)
                });
                Some(parts.into_iter().flatten().collect())
            }
        }
    }

    fn outline(&self, cells: usize) -> Option<Vec<Cell<u128>>> {
        match &self.layout {
            WeightedLayout::Shards(shards) if self.rows[0] + self.rows[1] >= SHARD_ROWS as u64 => {
                let each = |ask: &crate::ranking::ties::outline::Ask<'_, K>| {
                    shards.each(|| (), |(), place, shard, _| ask(place, &shard.pieces()))
                };
                outline(each, cells)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::{Group, Strategy};
    use crate::ranking::scores::{Domain, bits::tests::packed};
    use crate::ranking::ties::{Ties, steps::Tie};
    use proptest::prelude::*;

    /// Asks the ties of weighted rows, by one thread and in shards.
    fn both_ways<T>(rows: &[(i16, bool, f64, bool)], ask: impl Fn(Ties<'_>) -> T) -> [T; 2] {
        let scores: Vec<i16> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let valid = packed(rows.iter().map(|row| row.3));
        let bits = |bytes| Bits::new(bytes, 0, rows.len());
        [Strategy::Fitting, Strategy::Shards].map(|way| {
            let mut group = Group::new(way, Domain::Any);
            group.load_weighted(&scores, bits(&labels), &weights, Some(bits(&valid)));
            ask(group.ties())
        })
    }

    fn ties_of(mut ties: Ties<'_>) -> Vec<Tie> {
        ties.fold(|ties: &mut Vec<Tie>, tie| ties.push(tie), |ties, lower| ties.extend(lower))
    }

    proptest! {
        #[test]
        fn whole_weights_are_repeated_rows(rows in proptest::collection::vec((-9i16..9, any::<bool>(), 1u8..5, any::<bool>()), 1..120)) {
            let weighted: Vec<(i16, bool, f64, bool)> = rows.iter().map(|row| (row.0, row.1, f64::from(row.2), row.3)).collect();
            let repeated: Vec<(i16, bool)> = rows.iter().filter(|row| row.3).flat_map(|row| vec![(row.0, row.1); row.2.into()]).collect();
            let mut group = Group::default();
            let scores: Vec<i16> = repeated.iter().map(|row| row.0).collect();
            group.load(&scores, Bits::new(&packed(repeated.iter().map(|row| row.1)), 0, repeated.len()), None);
            let expected = ties_of(group.ties());
            let twice_u = group.ties().twice_u();
            let reached = group.ties().reached(1i16.key().into());
            for (ties, units) in both_ways(&weighted, |ties| { let units = ties.units().unwrap(); (ties_of(ties), units) }) {
                let weights = |units: Unit, count: u64| units.weight(count) as u64;
                let unweighted: Vec<Tie> = ties.iter().map(|tie| Tie {
                    key: tie.key,
                    pos: weights(units.pos, tie.pos),
                    neg: weights(units.neg, tie.neg),
                    pos_above: weights(units.pos, tie.pos_above),
                    neg_above: weights(units.neg, tie.neg_above),
                }).collect();
                prop_assert_eq!(&unweighted, &expected);
            }
            for (twice, units) in both_ways(&weighted, |mut ties| { let units = ties.units().unwrap(); (ties.twice_u(), units) }) {
                let one = u128::from(units.pos.units(1.0)) * u128::from(units.neg.units(1.0));
                prop_assert_eq!(twice, twice_u * one);
            }
            for (pos, neg) in both_ways(&weighted, |mut ties| { let units = ties.units().unwrap(); let (pos, neg) = ties.reached(1i16.key().into()); (units.pos.weight(pos), units.neg.weight(neg)) }) {
                prop_assert_eq!((pos as u64, neg as u64), reached);
            }
        }

        #[test]
        fn any_weights(rows in proptest::collection::vec((-9i16..9, any::<bool>(), 1e-9f64..1.0, any::<bool>()), 1..120)) {
            let used: Vec<_> = rows.iter().filter(|row| row.3).collect();
            let total = |label| used.iter().filter(|row| row.1 == label).map(|row| row.2).sum::<f64>();
            let expected_twice_u: f64 = used.iter().filter(|row| row.1).flat_map(|p| used.iter().filter(|row| !row.1).map(move |n| p.2 * n.2 * (f64::from(u8::from(p.0 > n.0)) + f64::from(u8::from(p.0 >= n.0))))).sum();
            let both = both_ways(&rows, |mut ties| (ties.rows(), ties.twice_u(), ties.pairs(), ties.squared().unwrap().iter().map(|tie| tie.pos).sum::<f64>(), ties.units().unwrap()));
            prop_assert_eq!((both[0].0, both[0].1, both[0].2), (both[1].0, both[1].1, both[1].2));
            for (n, twice_u, pairs, squares, units) in both {
                prop_assert_eq!(n.0 + n.1, used.len() as u64);
                if pairs > 0 {
                    let auc = twice_u as f64 / 2.0 / pairs as f64;
                    prop_assert!((auc - expected_twice_u / 2.0 / total(true) / total(false)).abs() < 1e-12);
                }
                let expected: f64 = used.iter().filter(|row| row.1).map(|row| row.2 * row.2).sum();
                let weighted = units.pos.weight_of(units.pos.weight_of(squares));
                prop_assert!((weighted - expected).abs() <= 1e-12 * expected);
            }
        }
    }
}
