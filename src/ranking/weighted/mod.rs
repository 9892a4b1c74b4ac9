//! The weighted rows of one group, and their ties.
//!
//! Weights are counted in units ([`Unit`]). Ties count units instead of rows, and folds over ties need no
//! special case. The rows of a small group or of a shard are sorted by key, then by weight. Float sums over
//! the rows of a tie thus have a fixed order.

pub(super) mod rows;
pub(super) mod shards;

use crate::paths::Path;
use crate::ranking::order::shards::Shards;
use crate::ranking::scores::{Key, Observations, Score};
use crate::ranking::ties::{
    outline::Cell,
    source::{Source, SquaredUnits, StepKind, Walk},
    steps::{Above, Sink, Step},
    units::{Unit, Units},
};
use crate::ranking::tuning::SHARD_ROWS;
use crate::ranking::weighted::rows::{WeightedRow, each_tie, emit};

/// The weighted rows of a group. Memory is not reused between groups.
#[derive(Debug)]
pub struct Weighted<K: Key> {
    layout: Layout<K>,
    /// The units of negatives and positives; `None` if rows have counts, and a unit is a row.
    units: Option<[Unit; 2]>,
    /// The numbers of negatives and positives.
    rows: [u64; 2],
    totals: Totals,
}

#[derive(Debug)]
enum Layout<K: Key> {
    /// Highest first.
    Rows(Vec<WeightedRow<K>>),
    Shards(Shards<(K, u64)>),
}

/// Totals over all rows, for negatives and positives.
#[derive(Debug, Default)]
struct Totals {
    units: [u64; 2],
    /// The bitwise OR of the units.
    any_bits: [u64; 2],
    nan: bool,
}

impl<K: Key> Weighted<K> {
    /// Loads rows with weights in these units, or rows with counts.
    pub fn new<S: Score<Key = K>>(
        rows: &Observations<'_, S>,
        units: Option<[Unit; 2]>,
        in_shards: bool,
    ) -> Self {
        let unit_of = units.unwrap_or_default();
        let (layout, totals) = if in_shards || rows.scores.len() >= SHARD_ROWS {
            let shards = Shards::part(std::slice::from_ref(rows), unit_of);
            let (units, any_bits, nan) = (shards.totals, shards.any_bits(), shards.any_nan());
            (Layout::Shards(shards), Totals { units, any_bits, nan })
        } else {
            let (sorted, totals) = sorted(rows, unit_of);
            (Layout::Rows(sorted), totals)
        };
        Weighted { layout, units, rows: rows.rows_of_classes().map(|rows| rows as u64), totals }
    }
}

/// Rows in descending order of keys.
fn sorted<S: Score>(rows: &Observations<'_, S>, unit_of: [Unit; 2]) -> (Vec<WeightedRow<S::Key>>, Totals) {
    let mut sorted = Vec::with_capacity(rows.scores.len());
    let mut totals = Totals::default();
    for word in rows.words() {
        totals.nan |= word.has_nan();
        for (row, (&score, &mass)) in word.scores.iter().zip(word.masses).enumerate() {
            if word.is_used(row) {
                let class = word.class(row);
                let units = unit_of[class].units(mass);
                totals.units[class] += units;
                totals.any_bits[class] |= units;
                sorted.push((score.key(), units << 1 | class as u64));
            }
        }
    }
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    (sorted, totals)
}

impl<K: Key> Source for Weighted<K> {
    fn totals(&self) -> (u64, u64) {
        (self.totals.units[1], self.totals.units[0])
    }

    fn rows(&self) -> (u64, u64) {
        if self.units.is_none() { self.totals() } else { (self.rows[1], self.rows[0]) }
    }

    fn has_nan(&self) -> bool {
        self.totals.nan
    }

    fn units(&self) -> Option<Units> {
        let [neg_bits, pos_bits] = self.totals.any_bits.map(|any| any.trailing_zeros() % u64::BITS);
        self.units.map(|[neg, pos]| Units { pos, neg, pos_bits, neg_bits })
    }

    fn parts(&self) -> Option<Vec<Step>> {
        match &self.layout {
            Layout::Rows(_) => None,
            Layout::Shards(shards) => Some(shards.steps()),
        }
    }

    fn walk(&mut self, _: StepKind, take: &mut Sink<'_>) {
        if let Layout::Rows(rows) = &self.layout {
            emit(rows, Above::default(), take);
        }
    }

    fn walk_parts(
        &self,
        _: StepKind,
        numbers: &[usize],
        part: &(dyn Fn(usize, &mut Walk<'_>) + Sync),
        done: &mut dyn FnMut(usize),
    ) {
        if let Layout::Shards(shards) = &self.layout {
            shards.each_of(numbers, Vec::new, |rows, index, shard, above| {
                shard.sorted(rows);
                part(index, &mut |take| emit(rows, above, take));
            });
            numbers.iter().copied().for_each(done);
        }
    }

    fn twice_u(&mut self) -> Option<u128> {
        match &self.layout {
            Layout::Rows(_) => None,
            Layout::Shards(shards) => Path::IndexedUnits.is_on().then(|| shards.twice_u_of_units()),
        }
    }

    fn squared_units(&self) -> Option<Vec<SquaredUnits>> {
        let squared_rows = |rows: &[WeightedRow<K>], above| {
            let mut ties = Vec::new();
            each_tie(rows, above, &mut |squared| ties.push(squared));
            ties
        };
        self.units?;
        Some(match &self.layout {
            Layout::Rows(rows) => squared_rows(rows, Above::default()),
            Layout::Shards(shards) => {
                let parts = shards.each(Vec::new, |rows, _, shard, above| {
                    shard.sorted(rows);
                    squared_rows(rows, above)
                });
                parts.concat()
            }
        })
    }

    fn outline(&self, cells: usize) -> Option<Vec<Cell<u128>>> {
        match &self.layout {
            Layout::Shards(shards) if self.rows[0] + self.rows[1] >= SHARD_ROWS as u64 => shards.cells(cells),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::{Group, Strategy};
    use crate::ranking::scores::{Bits, Domain, bits::tests::packed};
    use crate::ranking::ties::{Ties, steps::Tie};
    use proptest::prelude::*;

    /// Applies `evaluate` to the ties of weighted rows, on one thread and in shards.
    fn both_ways<T>(rows: &[(i16, bool, f64, bool)], evaluate: impl Fn(Ties<'_>) -> T) -> [T; 2] {
        let scores: Vec<i16> = rows.iter().map(|row| row.0).collect();
        let labels = packed(rows.iter().map(|row| row.1));
        let weights: Vec<f64> = rows.iter().map(|row| row.2).collect();
        let valid = packed(rows.iter().map(|row| row.3));
        let bits = |bytes| Bits::new(bytes, 0, rows.len());
        [Strategy::Fitting, Strategy::Shards].map(|way| {
            let mut group = Group::new(way, Domain::Any);
            let rows = Observations::new(&scores, bits(&labels), Some(bits(&valid)));
            group.load(rows.with_weights(&weights));
            evaluate(group.ties())
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
            let labels = packed(repeated.iter().map(|row| row.1));
            group.load(Observations::new(&scores, Bits::new(&labels, 0, repeated.len()), None));
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
            let both = both_ways(&rows, |mut ties| (ties.rows(), ties.twice_u(), ties.pairs(), ties.squared_units().unwrap().iter().map(|tie| tie.pos).sum::<f64>(), ties.units().unwrap()));
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
