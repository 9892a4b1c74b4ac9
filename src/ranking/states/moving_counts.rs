//! Windows that move over exact states: what comes is added, and what leaves is subtracted.
//!
//! Of states without a partition, the rows of a score in a window are those of the window before, more those of states that
//! came, less those of states that left: whole numbers, so that nothing is rounded. So the scores of neighbouring
//! windows are put in order once, each has a slot there, and a window is read off the slots that have rows. Of a bin of
//! several scores the lowest is not known once it has left: states of a partition are [merged](super::moving), and so are
//! weights, whose squares may be unknown. Windows of few states are merged as well, which takes less time.

use std::ops::Range;

use super::moving::{Answer, Read, moving};
use super::state::State;
use crate::interrupt;
use crate::ranking::scores::{Key, score_type::ScoreType};
use crate::ranking::ties::{Counts, counts::Count, row_counts::RowCounts};
use crate::ranking::tuning::{FEWEST_BINS_OF_WINDOWS, FEWEST_STATES_OF_WINDOW, MOST_BINS_OF_WINDOWS};

/// Says how many bins a state has.
pub type Bins<'a> = dyn Fn(usize) -> usize + 'a;

/// The same as [`moving`] for counts; `bins` says how many bins each state has.
pub fn moving_counts<K: Key, E>(
    windows: &[Range<usize>],
    bins: &Bins<'_>,
    read: &Read<'_, u64, E>,
    answer: &mut Answer<'_, u64>,
) -> Result<(), E> {
    let mut rest = windows;
    while !rest.is_empty() {
        let neighbours = Neighbours::first_of(rest, bins);
        let (own, others) = rest.split_at(neighbours.number);
        let states = own[0].start..own[own.len() - 1].end;
        match if neighbours.are_counted { exact_states(states, read)? } else { None } {
            Some(states) => counted::<K>(own, &states, answer),
            None => moving::<K, u64, E>(own, read, answer)?,
        }
        rest = others;
    }
    Ok(())
}

/// Windows that are answered together.
struct Neighbours {
    number: usize,
    /// Whether they are worth being counted, if they are exact.
    are_counted: bool,
}

impl Neighbours {
    /// The first of some windows: as many as share states with the one before, and have not too many bins together.
    fn first_of(windows: &[Range<usize>], bins: &Bins<'_>) -> Self {
        let all = |states: Range<usize>| states.map(bins).sum::<usize>();
        let of_first = all(windows[0].clone());
        let is_large = of_first > MOST_BINS_OF_WINDOWS / 4;
        // Every window asks for the slots of all, 64 at a time.
        let most = (64 * of_first).clamp(FEWEST_BINS_OF_WINDOWS, MOST_BINS_OF_WINDOWS);
        let (mut number, mut total, mut states) = (1, of_first, windows[0].len());
        for pair in windows.windows(2) {
            let [before, window] = pair else { break };
            // A window that starts before the one before it would want states back that have left.
            if !(before.start..before.end).contains(&window.start) {
                break;
            }
            total += all(before.end..window.end);
            if total > most && !is_large {
                break;
            }
            number += 1;
            states += window.len();
        }
        Neighbours { number, are_counted: !is_large && states >= FEWEST_STATES_OF_WINDOW * number }
    }
}

/// The states of a range, if all are exact.
fn exact_states<E>(range: Range<usize>, read: &Read<'_, u64, E>) -> Result<Option<Vec<State>>, E> {
    let mut states = Vec::with_capacity(range.len());
    for place in range {
        let state = read(place)?;
        if state.resolution > 0 {
            return Ok(None);
        }
        states.push(state);
    }
    Ok(Some(states))
}

/// Answers windows of exact states, the first of which the first window starts with.
fn counted<K: Key>(windows: &[Range<usize>], states: &[State], answer: &mut Answer<'_, u64>) {
    let first = windows[0].start;
    let slots = Slots::<K>::of(states);
    let mut counts = Window::new(slots.keys.len());
    let (mut start, mut end) = (first, first);
    for window in windows {
        interrupt::check();
        for place in end..window.end {
            counts.add(&states[place - first], slots.of_state(place - first));
        }
        for place in start..window.start {
            counts.subtract(&states[place - first], slots.of_state(place - first));
        }
        (start, end) = (window.start, window.end);
        let own = &states[start - first..end - first];
        answer(own.first().map(|state| {
            let score_type = state.bins.score_type();
            if counts.nan_states > 0 {
                return State::nan(score_type, counts.rows);
            }
            let limit = own.iter().filter_map(|state| state.limit).min_by_key(|limit| limit.max_bins);
            let bins = counts.bins(&slots.keys, score_type);
            State { limit, ..State::exact(bins, counts.rows) }.fitted()
        }));
    }
}

/// The scores of all states in order, and where each bin has its score there.
struct Slots<K> {
    /// The scores, the highest first.
    keys: Vec<K>,
    /// For the bins of one state after the other, the places of their scores.
    of_bins: Vec<u32>,
    /// Where the bins of each state begin, and where the last one's end.
    borders: Vec<usize>,
}

impl<K: Key> Slots<K> {
    fn of(states: &[State]) -> Self {
        let bins: usize = states.iter().map(|state| state.bins.len()).sum();
        let mut borders = vec![0];
        let mut of_bins: Vec<u32> = Vec::with_capacity(bins);
        // Each score is found by its hash, at the place that this names or behind it: a number in `keys`, from 1 on.
        let size = (2 * bins).next_power_of_two().max(2);
        let (shift, last) = (u64::BITS - size.ilog2(), size - 1);
        let mut table = vec![0u32; size];
        let mut keys: Vec<K> = Vec::new();
        for state in states {
            for &key in state.columns::<K>().0 {
                let mut place = (key.hash() >> shift) as usize;
                while table[place] > 0 && keys[table[place] as usize - 1] != key {
                    place = (place + 1) & last;
                }
                if table[place] == 0 {
                    keys.push(key);
                    table[place] = keys.len() as u32;
                }
                of_bins.push(table[place] - 1);
            }
            borders.push(of_bins.len());
        }
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_unstable_by_key(|&number| std::cmp::Reverse(keys[number as usize]));
        let mut slots = vec![0; keys.len()];
        (0..).zip(&order).for_each(|(slot, &number)| slots[number as usize] = slot);
        of_bins.iter_mut().for_each(|number| *number = slots[*number as usize]);
        Slots { keys: order.iter().map(|&number| keys[number as usize]).collect(), of_bins, borders }
    }

    fn of_state(&self, state: usize) -> &[u32] {
        &self.of_bins[self.borders[state]..self.borders[state + 1]]
    }
}

/// The rows of a window.
struct Window {
    /// Those of each slot.
    counts: Vec<Count>,
    /// Which slots have any: a bit for each.
    used: Vec<u64>,
    rows: RowCounts,
    /// How many states have a NaN.
    nan_states: usize,
}

impl Window {
    fn new(slots: usize) -> Self {
        Window {
            counts: vec![Count::default(); slots],
            used: vec![0; slots.div_ceil(64)],
            rows: RowCounts::default(),
            nan_states: 0,
        }
    }

    fn add(&mut self, state: &State, slots: &[u32]) {
        self.rows = self.rows.plus(state.rows);
        self.nan_states += usize::from(state.has_nan);
        for (&slot, &count) in slots.iter().zip(state.bins.each()) {
            let slot = slot as usize;
            self.counts[slot] = self.counts[slot].plus(count);
            self.used[slot / 64] |= 1 << (slot % 64);
        }
    }

    fn subtract(&mut self, state: &State, slots: &[u32]) {
        self.rows = self.rows.minus(state.rows);
        self.nan_states -= usize::from(state.has_nan);
        for (&slot, &count) in slots.iter().zip(state.bins.each()) {
            let slot = slot as usize;
            let own = &mut self.counts[slot];
            *own = Count { pos: own.pos - count.pos, neg: own.neg - count.neg };
            self.used[slot / 64] &= !(u64::from(*own == Count::default()) << (slot % 64));
        }
    }

    /// The bins of the window.
    fn bins<K: Key>(&self, keys: &[K], score_type: ScoreType) -> Counts {
        let number = self.used.iter().map(|bits| bits.count_ones() as usize).sum();
        let (mut own, mut counts) = (Vec::with_capacity(number), Vec::with_capacity(number));
        for (word, &bits) in self.used.iter().enumerate() {
            let mut bits = bits;
            while bits > 0 {
                let slot = 64 * word + bits.trailing_zeros() as usize;
                own.push(keys[slot]);
                counts.push(self.counts[slot]);
                bits &= bits - 1;
            }
        }
        Counts::from_parts(own.into(), counts, score_type)
    }
}
