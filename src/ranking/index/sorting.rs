//! Insertion sort for small slices and for nearly sorted keys.

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

/// Insertion sort.
#[inline]
pub(in crate::ranking) fn sort_few<T: Copy + Ord>(keys: &mut [T]) {
    for sorted in 1..keys.len() {
        let key = keys[sorted];
        let mut index = sorted;
        while index > 0 && keys[index - 1] > key {
            keys[index] = keys[index - 1];
            index -= 1;
        }
        keys[index] = key;
    }
}

/// Sorts nearly sorted keys, most of which are at most one index off. The time grows with the total
/// displacement.
pub(in crate::ranking) fn sort_nearly_sorted<T: Copy + Ord>(keys: &mut [T]) {
    // The first pass exchanges neighbours without branches. It leaves few keys to the second pass, whose
    // branches may be mispredicted.
    if let Some((first, rest)) = keys.split_first_mut() {
        let mut before = first;
        for key in rest {
            (*before, *key) = ((*before).min(*key), (*before).max(*key));
            before = key;
        }
    }
    sort_few(keys);
}
