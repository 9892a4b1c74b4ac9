//! Ranks a group on one thread, from the keys of each class.

use super::class_keys::ClassKeys;
use super::classes::{Classes, for_each_tie};
use super::kernel_table::KernelTable;
use crate::ranking::index::{Index, rank_histogram::RankHistogram};
use crate::ranking::scores::{Key, Observations, Score};
use crate::ranking::ties::{
    Placements,
    duplicates::Duplicates,
    positives::WalkPositives,
    source::{Indexed, Source, StepKind},
    steps::{Above, Runs, Sink, StepDelta, Tie},
};

/// The rows of a group for one thread. Memory is reused from group to group.
#[derive(Debug)]
pub(in crate::ranking) struct OneThread<K> {
    kernels: KernelTable<K>,
    class_keys: ClassKeys<K>,
    memory: WalkMemory<K>,
}

/// The memory of a walk, which is reused.
#[derive(Debug, Default)]
pub(in crate::ranking) struct WalkMemory<K> {
    pub histogram: RankHistogram<K>,
    /// The negatives of a walk over ties; the index of `histogram` has the positives.
    neg: Index<K>,
    pub deltas: Vec<StepDelta>,
}

impl<K: Key> WalkMemory<K> {
    /// Emits the ties of keys; `above` counts the rows above them.
    pub fn ties(
        &mut self,
        classes: &Classes<'_, K>,
        kernels: KernelTable<K>,
        above: Above,
        take: &mut Sink<'_>,
    ) {
        let WalkMemory { histogram: RankHistogram { index: pos, .. }, neg, deltas } = self;
        (kernels.sort)(pos, classes.pos);
        (kernels.sort)(neg, classes.neg);
        Runs::emit(above, deltas, take, |runs| for_each_tie(pos.keys(), neg.keys(), runs));
    }

    /// Emits the segments of the curve of keys; `above` counts the rows above them.
    pub fn segments(
        &mut self,
        classes: &Classes<'_, K>,
        kernels: KernelTable<K>,
        indexed: Indexed,
        above: Above,
        take: &mut Sink<'_>,
    ) {
        let WalkMemory { histogram, deltas, .. } = self;
        Runs::emit(above, deltas, take, |runs| classes.for_each_segment(histogram, kernels, indexed, runs));
    }
}

impl<K: Key> Default for OneThread<K> {
    fn default() -> Self {
        OneThread {
            kernels: KernelTable::new::<K>(),
            class_keys: ClassKeys::default(),
            memory: WalkMemory::default(),
        }
    }
}

impl<K: Key> OneThread<K> {
    /// Loads rows.
    pub fn load<S: Score<Key = K>>(&mut self, rows: &[Observations<'_, S>]) {
        self.kernels = KernelTable::new::<S>();
        self.class_keys.part(rows);
    }

    fn evaluate<T>(
        &mut self,
        evaluate: impl FnOnce(&Classes<'_, K>, KernelTable<K>, &mut WalkMemory<K>) -> T,
    ) -> T {
        let (pos, neg) = (self.class_keys.pos.keys(), self.class_keys.neg.keys());
        let classes = Classes { pos: &[pos], neg: &[neg], n_pos: pos.len(), n_neg: neg.len() };
        evaluate(&classes, self.kernels, &mut self.memory)
    }
}

impl<K: Key> Source for OneThread<K> {
    fn totals(&self) -> (u64, u64) {
        (self.class_keys.n_pos(), self.class_keys.n_neg())
    }

    fn has_nan(&self) -> bool {
        self.class_keys.has_nan()
    }

    fn walk(&mut self, steps: StepKind, take: &mut Sink<'_>) {
        self.evaluate(|classes, kernels, memory| match steps {
            StepKind::Segments(indexed) if !classes.are_few() => {
                memory.segments(classes, kernels, indexed, Above::default(), take);
            }
            _ => memory.ties(classes, kernels, Above::default(), take),
        });
    }

    fn twice_u(&mut self) -> Option<u128> {
        Some(self.evaluate(|classes, kernels, memory| {
            classes.twice_u(&mut memory.histogram.index, kernels).into()
        }))
    }

    fn twice_u_and_cubes(&mut self) -> Option<(u128, u128)> {
        self.evaluate(|classes, kernels, memory| {
            let sums = || {
                classes.twice_u_and_cubes(&mut memory.histogram.index, &mut Duplicates::default(), kernels)
            };
            (!classes.are_few()).then(sums).map(|(twice_u, cubes)| (twice_u.into(), cubes))
        })
    }

    fn placements(&mut self) -> Option<Placements> {
        let n_neg = self.class_keys.n_neg();
        let sums = self.evaluate(|classes, kernels, memory| {
            classes.placements(&mut memory.histogram, kernels, Above::default(), n_neg)
        });
        Some(sums)
    }

    fn placements_and_ks_distance(&mut self) -> Option<(Placements, u64)> {
        let totals = [self.class_keys.n_neg(), self.class_keys.n_pos()];
        Some(self.evaluate(|classes, kernels, memory| {
            classes.placements_and_ks_distance(&mut memory.histogram, kernels, Above::default(), totals)
        }))
    }

    fn walk_positives(&mut self, sums: bool, part: &(dyn Fn(&mut WalkPositives<'_>) + Sync)) -> bool {
        let n_neg = self.class_keys.n_neg();
        self.evaluate(|classes, kernels, memory| {
            let histogram = &mut memory.histogram;
            part(&mut |take| classes.positives(sums, histogram, kernels, Above::default(), n_neg, take));
        });
        true
    }

    fn reached(&mut self, key: u128) -> Option<(u64, u64)> {
        Some(self.evaluate(|classes, _, _| classes.reached(K::narrow(key))))
    }

    fn at_rank(&mut self, rank: u64) -> Option<Option<Tie>> {
        Some(self.evaluate(|classes, _, _| classes.at_rank(rank as usize, Above::default())))
    }

    fn positive_at(&mut self, rank: u64) -> Option<Option<u128>> {
        Some(self.evaluate(|classes, _, _| classes.highest_positive(rank as usize)).map(K::wide))
    }

    fn threshold(&mut self, rank: u64) -> Option<Option<u128>> {
        Some(self.evaluate(|classes, _, _| classes.highest(rank as usize)).map(K::wide))
    }
}
