//! The division of work among threads: groups cut into tasks by their rows, not by their number.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::interrupt;
use crate::ranking::tuning::{PARALLEL_ROWS, PARTS_PER_THREAD, ROWS_PER_GROUP, SHARD_ROWS, TASKS_PER_THREAD};

/// A pool of threads, to be asked only if there is enough work.
pub trait Pool {
    /// Runs `work` where it may use the pool's threads.
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T;
}

/// The pool that this is called in.
pub struct Here;

impl Pool for Here {
    fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        work()
    }
}

/// Whether this is called in a pool, whose threads may share the work. Elsewhere Rayon would begin threads of its own.
pub fn in_pool() -> bool {
    rayon::current_thread_index().is_some()
}

/// Runs `work` over ranges of groups that together cover all `groups`, and gives the results in order.
///
/// A group larger than a task is a task of its own, and divides its work further in the same pool, so that small groups
/// do not wait for it. Work of more than one pass over its rows may divide its work in any group, so it is always done
/// in the pool.
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
        cut(groups, cost, share).into_par_iter().map(work).collect()
    })
}

/// What `work` makes of each number of a range, in order, by all threads of the pool that this is called in; it is
/// given something that it keeps from one number to the next.
///
/// The threads call the work through a pointer, so that little code is compiled for each statistic.
pub fn par_map<W, T: Send>(
    numbers: Range<usize>,
    start: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize) -> T + Sync,
) -> Vec<T> {
    let slots: Vec<Mutex<Option<T>>> = numbers.clone().map(|_| Mutex::new(None)).collect();
    in_parallel(numbers.len(), &|part| {
        let mut kept = start();
        for index in part {
            interrupt::check();
            let result = work(&mut kept, numbers.start + index);
            // Each slot is used by one number only, so its lock is free and not poisoned.
            *slots[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    });
    slots.into_iter().filter_map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Does `work` with each item of a list and its number, by all threads of the pool that this is called in; it is given
/// something that it keeps from one item to the next.
pub fn par_for_each<W, I: Send>(
    items: Vec<I>,
    start: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize, I) + Sync,
) {
    let slots: Vec<Mutex<Option<I>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    par_map(0..slots.len(), start, |kept, number| {
        // Each item is taken once, so its lock is free and not poisoned.
        if let Some(item) = slots[number].lock().unwrap_or_else(PoisonError::into_inner).take() {
            work(kept, number, item);
        }
    });
}

/// What `work` makes of each item, in order; by all threads of the pool that this is called in if the items, of which each
/// means `rows` rows, are many rows together.
pub fn par_map_items<I: Send, T: Send>(
    items: Vec<I>,
    rows: usize,
    work: impl Fn(I) -> T + Sync + Send,
) -> Vec<T> {
    if items.len().saturating_mul(rows) < SHARD_ROWS {
        items.into_iter().map(work).collect()
    } else {
        items.into_par_iter().map(work).collect()
    }
}

/// What `work` makes of each of so many rows, in order; by all threads of the pool that this is called in if they are many.
pub fn par_map_rows<T: Send>(rows: usize, work: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if rows < SHARD_ROWS {
        (0..rows).map(work).collect()
    } else {
        (0..rows).into_par_iter().map(work).collect()
    }
}

/// Hands parts of `0..count` to all threads.
fn in_parallel(count: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    let part = count.div_ceil(rayon::current_num_threads() * PARTS_PER_THREAD).max(1);
    (0..count.div_ceil(part)).into_par_iter().for_each(|number| {
        work(number * part..count.min((number + 1) * part));
    });
}

/// Sorts rows, many of them by all threads of the pool that this is called in. Equal rows may change their order.
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
    fn threads_of_a_pool_know_it() {
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
    fn little_work_stays_here() {
        assert_eq!(run(&Forbidden, 10, 1, &|_| 10, &|range| range.len()), [10]);
        assert_eq!(run(&Forbidden, 0, 1, &|_| 10, &|range| range.len()), [0]);
    }
}
