//! A hash table of bins, which merges bins of one score or of one interval.

use super::scale::Intervals;
use super::state::State;
use crate::ranking::scores::{Key, score_type::ScoreType};
use crate::ranking::ties::{Count, CountValue, Counts};

/// Rows with a common score or interval.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bin<K, T> {
    /// The interval; unused without a partition.
    pub interval: u64,
    /// The rows; the slot is free if there are none.
    pub count: Count<T>,
    /// The lowest score.
    pub low: K,
    /// Whether all scores equal the lowest.
    pub tied: bool,
}

/// Bins by open addressing: each is at the slot of its hash or behind it.
pub(super) struct BinTable<K, T> {
    slots: Vec<Bin<K, T>>,
    /// The right shift of a hash to a slot number.
    shift: u32,
    used: usize,
    by_interval: bool,
}

/// The minimum number of slots.
const FEWEST_SLOTS: usize = 1024;

impl<K: Key, T: CountValue> BinTable<K, T> {
    /// An empty table with capacity; merges bins by interval, or else by score.
    pub fn new(slots: usize, by_interval: bool) -> Self {
        let slots = slots.next_power_of_two().max(FEWEST_SLOTS);
        let free = Bin { interval: 0, count: Count::default(), low: K::default(), tied: false };
        BinTable { slots: vec![free; slots], shift: u64::BITS - slots.ilog2(), used: 0, by_interval }
    }

    /// The number of bins.
    pub fn len(&self) -> usize {
        self.used
    }

    /// The number of slots.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Whether half of the slots stay free after `more` insertions.
    pub fn has_room(&self, more: usize) -> bool {
        2 * (self.used + more) <= self.slots.len()
    }

    /// Adds rows of one score or of one interval to their bin.
    #[inline(always)]
    pub fn add(&mut self, added: Bin<K, T>) {
        let last = self.slots.len() - 1;
        // Many integers that round to one float share an interval, but without a partition they have separate
        // bins.
        let hash = if self.by_interval {
            added.interval.wrapping_mul(0x9E37_79B9_7F4A_7C15)
        } else {
            added.low.hash()
        };
        let mut index = (hash >> self.shift) as usize;
        loop {
            let bin = &mut self.slots[index];
            if bin.count == Count::default() {
                *bin = added;
                self.used += 1;
                return;
            }
            let is_same =
                if self.by_interval { bin.interval == added.interval } else { bin.low == added.low };
            if is_same {
                bin.count = bin.count.plus(added.count);
                bin.tied &= added.tied && bin.low == added.low;
                bin.low = bin.low.min(added.low);
                return;
            }
            index = (index + 1) & last;
        }
    }

    /// Adds the bins of a state.
    pub fn add_state(&mut self, state: &State<T>, intervals: Intervals) {
        let filled = intervals.assign(&state.bins.score_type().values(state.bins.keys()));
        let (keys, counts) = state.columns::<K>();
        self.make_room(keys.len());
        for (index, ((&interval, &low), &count)) in filled.iter().zip(keys).zip(counts).enumerate() {
            self.add(Bin { interval, count, low, tied: state.is_tied(index) });
        }
    }

    /// Grows the table if necessary for `more` insertions.
    pub fn make_room(&mut self, more: usize) {
        if !self.has_room(more) {
            let mut larger = BinTable::new(2 * (self.used + more).max(self.slots.len()), self.by_interval);
            self.bins().for_each(|bin| larger.add(bin));
            *self = larger;
        }
    }

    fn bins(&self) -> impl Iterator<Item = Bin<K, T>> {
        self.slots.iter().copied().filter(|bin| bin.count != Count::default())
    }

    /// The bins, highest score first, and a flag for each with a single score; no flags if all have one.
    pub fn bins_in_order(&self, score_type: ScoreType) -> (Counts<T>, Vec<bool>) {
        let mut keys_and_slots: Vec<(K, u32)> = Vec::with_capacity(self.used);
        let used = self.slots.iter().zip(0..).filter(|(bin, _)| bin.count != Count::default());
        keys_and_slots.extend(used.map(|(bin, slot)| (bin.low, slot)));
        keys_and_slots.sort_unstable_by_key(|slot| std::cmp::Reverse(slot.0));
        let keys: Vec<K> = keys_and_slots.iter().map(|slot| slot.0).collect();
        let in_order = || keys_and_slots.iter().map(|slot| &self.slots[slot.1 as usize]);
        let counts = in_order().map(|bin| bin.count).collect();
        let all_tied = in_order().all(|bin| bin.tied);
        let tied = if all_tied { Vec::new() } else { in_order().map(|bin| bin.tied).collect() };
        (Counts::from_parts(keys.into(), counts, score_type), tied)
    }
}
