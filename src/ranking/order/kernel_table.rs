//! A table of kernels for one score type, since a key type does not determine the score type.

use crate::ranking::index::{Index, look_ups::LookUpFn};
use crate::ranking::scores::{Key, Score};

/// The functions of one score type, for code that is generic over the key type.
#[allow(clippy::type_complexity)] // each type is written only here
#[derive(Debug)]
pub(in crate::ranking) struct KernelTable<K> {
    pub build: fn(&mut Index<K>, &[&[K]]),
    pub look_up: LookUpFn<K>,
    pub below_and_equal: fn(&Index<K>, &[&[K]]) -> [u64; 2],
    pub build_with_units: fn(&mut Index<K>, &[&[(K, u64)]]),
    pub twice_units_below: fn(&Index<K>, &[&[(K, u64)]]) -> u128,
    pub sort: fn(&mut Index<K>, &[&[K]]),
}

impl<K> Clone for KernelTable<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for KernelTable<K> {}

impl<K: Key> KernelTable<K> {
    /// The table for scores of type `S`.
    pub fn new<S: Score<Key = K>>() -> Self {
        KernelTable {
            build: Index::build::<S>,
            look_up: Index::look_up::<S>,
            below_and_equal: Index::below_and_equal::<S>,
            build_with_units: Index::build_with_units::<S>,
            twice_units_below: Index::twice_units_below::<S>,
            sort: Index::sort::<S>,
        }
    }
}
