//! Scheduling over threads: groups are divided into tasks by rows, not by number.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::interrupt;
use crate::ranking::tuning::{
    BLOCK_ROWS, PARALLEL_ROWS, PARTS_PER_THREAD, ROWS_PER_GROUP, SHARD_ROWS, TASKS_PER_THREAD,
};

/// A pool of threads, used only if there is enough work.
pub trait Pool {
    /// Runs `work` in the pool.
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T;
}

/// The current pool.
pub struct Here;

impl Pool for Here {
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        work()
    }
}

/// Whether the caller runs in a pool. Outside a pool, Rayon would start its global threads.
pub fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Runs `work` over ranges that cover `0..groups`, and returns the results in order.
///
/// A group larger than a task is a separate task and divides its work in the same pool. Small groups do not
/// wait for it. Work with more than one pass over its rows may parallelise within any group, so it always
/// runs in the pool.
pub fn run<T: Send>(
    pool: &impl Pool,
    groups: usize,
    passes: usize,
    rows: &(dyn Fn(usize) -> usize + Send + Sync),
    work: &(dyn Fn(Range<usize>) -> T + Send + Sync),
) -> Vec<T> {
    let cost = |group| rows(group).saturating_mul(passes).saturating_add(ROWS_PER_GROUP);
    let total = (0..groups).map(cost).fold(0usize, usize::saturating_add);
    if total < PARALLEL_ROWS && passes == 1 {
        return vec![work(0..groups)];
    }
    pool.install(|| {
        let share = (total / (rayon::current_num_threads() * TASKS_PER_THREAD)).max(PARALLEL_ROWS / 4);
        let tasks = cut(groups, cost, share);
        par_map(0..tasks.len(), || (), |(), task| work(tasks[task].clone()))
    })
}

/// The results of `work` for each number of a range, in order, on all threads of the current pool. `work`
/// also gets state that is reused between numbers.
///
/// Threads call the work through a pointer, to limit monomorphisation.
pub fn par_map<W, T: Send>(
    numbers: Range<usize>,
    start: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize) -> T + Sync,
) -> Vec<T> {
    let slots: Vec<Mutex<Option<T>>> = numbers.clone().map(|_| Mutex::new(None)).collect();
    in_parallel(numbers.len(), &|part| {
        let mut state = start();
        for index in part {
            interrupt::check();
            let result = work(&mut state, numbers.start + index);
            // Each slot belongs to one number, so its lock is free and not poisoned.
            *slots[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    });
    slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Calls `work` with each item of a list and its index, on all threads of the current pool. `work` also gets
/// state that is reused between items.
pub fn par_for_each<W, I: Send>(
    items: Vec<I>,
    start: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize, I) + Sync,
) {
    let slots: Vec<Mutex<Option<I>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    par_map(0..slots.len(), start, |state, number| {
        // Each item is taken once, so its lock is free and not poisoned.
        if let Some(item) = slots[number].lock().unwrap_or_else(PoisonError::into_inner).take() {
            work(state, number, item);
        }
    });
}

/// Whether this many rows justify more than one thread.
pub fn are_many(rows: usize) -> bool {
    rows >= SHARD_ROWS
}

/// The results of `work` for each item, in order, on all threads of the current pool.
pub fn par_map_items<'a, I: Sync, T: Send>(items: &'a [I], work: impl Fn(&'a I) -> T + Sync) -> Vec<T> {
    par_map(0..items.len(), || (), |(), item| work(&items[item]))
}

/// The same for items that `work` consumes.
pub fn par_map_owned<I: Send, T: Send>(items: Vec<I>, work: impl Fn(I) -> T + Sync) -> Vec<T> {
    let slots: Vec<Mutex<Option<I>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    // Each item is taken once, so its lock is free and not poisoned.
    let take = |item: usize| slots[item].lock().unwrap_or_else(PoisonError::into_inner).take();
    par_map(0..slots.len(), || (), |(), item| take(item).map(&work)).into_iter().flatten().collect()
}

/// The results of `work` for each row, in order; many rows use all threads of the current pool.
pub fn par_map_rows<T: Clone + Default + Send>(rows: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if !are_many(rows) {
        return (0..rows).map(work).collect();
    }
    let mut results = vec![T::default(); rows];
    let fill = |(): &mut (), block: usize, results: &mut [T]| {
        let first_row = block * BLOCK_ROWS;
        results.iter_mut().enumerate().for_each(|(row, result)| *result = work(first_row + row));
    };
    par_for_each(results.chunks_mut(BLOCK_ROWS).collect(), || (), fill);
    results
}

/// Two results, computed on two threads if another thread of the current pool is idle.
pub fn join<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut a, mut b) = (None, None);
    let (mut one, mut other) = (Some(one), Some(other));
    // Through pointers, as in `par_map`.
    let both: [&mut (dyn FnMut() + Send); 2] =
        [&mut || a = one.take().map(|one| one()), &mut || b = other.take().map(|other| other())];
    let [first, second] = both;
    rayon::join(first, second);
    match (a, b) {
        (Some(a), Some(b)) => (a, b),
        _ => unreachable!("both have run"),
    }
}

/// Passes ranges that cover `0..count` to all threads.
fn in_parallel(count: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    let part = count.div_ceil(rayon::current_num_threads() * PARTS_PER_THREAD).max(1);
    (0..count.div_ceil(part)).into_par_iter().for_each(|number| {
        work(number * part..count.min((number + 1) * part));
    });
}

/// Sorts rows; many rows use all threads of the current pool. The sort is unstable.
pub fn sort_by<T: Send>(rows: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    sort(rows, |one, other| {
        interrupt::check();
        order(one, other)
    });
}

fn sort<T: Send>(rows: &mut [T], order: impl Fn(&T, &T) -> Ordering + Sync) {
    if rows.len() >= SHARD_ROWS {
        rows.par_sort_unstable_by(order);
    } else {
        rows.sort_unstable_by(order);
    }
}

/// Cuts `0..groups` into ranges of about `share` cost each.
fn cut(groups: usize, cost: impl Fn(usize) -> usize, share: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut cost_so_far) = (0, 0usize);
    for group in 0..groups {
        let more = cost(group);
        if cost_so_far > 0 && cost_so_far.saturating_add(more) > share {
            ranges.push(start..group);
            (start, cost_so_far) = (group, 0);
        }
        cost_so_far = cost_so_far.saturating_add(more);
    }
    ranges.push(start..groups);
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Forbidden;

    impl Pool for Forbidden {
        fn install<T: Send>(&self, _: impl FnOnce() -> T + Send) -> T {
            panic!("little work needs no pool")
        }
    }

    #[test]
    fn in_pool_on_pool_threads() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert!(pool.install(in_pool) && !std::thread::spawn(in_pool).join().unwrap());
    }

    #[test]
    fn a_large_group_is_one_task() {
        let rows = [1, 2, 900, 3, 4];
        assert_eq!(cut(5, |group| rows[group], 100), [0..2, 2..3, 3..5]);
        assert_eq!(cut(0, |_| 1, 100), std::slice::from_ref(&(0..0)));
        assert_eq!(cut(4, |_| 50, 100), [0..2, 2..4]);
    }

    #[test]
    fn results_come_in_order() {
        let starts = run(&Here, 100_000, 1, &|_| 10, &|range| range);
        assert!(starts.len() > 1);
        assert_eq!(starts.iter().map(|range| range.len()).sum::<usize>(), 100_000);
        assert!(starts.is_sorted_by_key(|range| range.start));
    }

    #[test]
    fn little_work_runs_on_the_calling_thread() {
        assert_eq!(run(&Forbidden, 10, 1, &|_| 10, &|range| range.len()), [10]);
        assert_eq!(run(&Forbidden, 0, 1, &|_| 10, &|range| range.len()), [0]);
    }
}
