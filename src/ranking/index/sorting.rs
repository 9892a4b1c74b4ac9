//! Sorting of few keys, inside the loop that needs them in order.

use crate::ranking::tuning::INSERTION_KEYS;

/// Sorts a bucket.
#[inline]
pub(in crate::ranking) fn sort<T: Copy + Ord>(bucket: &mut [T]) {
    if bucket.len() > INSERTION_KEYS {
        bucket.sort_unstable();
    } else {
        sort_few(bucket);
    }
}

/// Sorts by insertion.
#[inline]
pub(in crate::ranking) fn sort_few<T: Copy + Ord>(keys: &mut [T]) {
    for sorted in 1..keys.len() {
        let key = keys[sorted];
        let mut place = sorted;
        while place > 0 && keys[place - 1] > key {
            keys[place] = keys[place - 1];
            place -= 1;
        }
        keys[place] = key;
    }
}
