//! Collections of rows that arrive batch by batch, until a query evaluates all of them.
//!
//! Polars cannot add rows to an earlier call. Python therefore begins a collection, an expression adds each
//! batch to it, and others evaluate it. Python always ends it, even after errors. Each batch is stored
//! partitioned by group, with one number per row and column.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow::array::{Array, ListArray, PrimitiveArray};

use super::abi::ffi::Input;
use super::arrays::downcast::downcast;

/// A batch: its distinct keys, and for each other column a list per key.
pub struct Batch {
    /// The keys.
    pub keys: Box<dyn Array>,
    /// The lists, column by column.
    pub columns: Vec<ListArray<i64>>,
}

impl Batch {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |lists| lists.values().len())
    }
}

/// The minimum average number of rows of a group in a batch. With fewer, keys and offsets would take as much
/// memory as the rows, and a group would be assembled from too many pieces.
const MIN_ROWS: usize = 32;

/// For the limit of groups, a collection counts at least this many rows.
const FEW_ROWS: usize = 1 << 20;

/// The batches of each collection, by its number.
static COLLECTIONS: Mutex<BTreeMap<u64, Vec<Batch>>> = Mutex::new(BTreeMap::new());

/// The number of collections begun so far.
static BEGUN: AtomicU64 = AtomicU64::new(0);

fn collections() -> MutexGuard<'static, BTreeMap<u64, Vec<Batch>>> {
    // No fallible code runs under the lock, so it is not poisoned.
    COLLECTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a collection, and returns its number.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
pub fn begin() -> u64 {
    let number = BEGUN.fetch_add(1, Ordering::Relaxed);
    collections().insert(number, Vec::new());
    number
}

/// Ends a collection, if it exists.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
pub fn end(number: u64) {
    let ended = collections().remove(&number);
    // The memory is freed after the lock is released.
    drop(ended);
}

/// The number of a collection, from its column.
pub fn number(input: &Input) -> Result<u64, String> {
    let chunk = input.chunks.first().ok_or("expected the number of a collection")?;
    let numbers = downcast::<PrimitiveArray<u64>>(chunk.as_ref())?;
    numbers.values().first().copied().ok_or_else(|| "expected the number of a collection".into())
}

/// Whether a collection accepts a batch of this many rows in this many groups. Only one caller adds to a
/// collection, so the result remains valid until the batch is added.
pub fn have_room(number: u64, rows: usize, groups: usize) -> Result<bool, String> {
    let all = collections();
    let batches = all.get(&number).ok_or_else(|| unknown(number))?;
    let all_groups = groups + batches.iter().map(|batch| batch.keys.len()).sum::<usize>();
    let all_rows = rows + batches.iter().map(Batch::rows).sum::<usize>();
    Ok(all_groups * MIN_ROWS <= all_rows.max(FEW_ROWS))
}

/// Adds a batch to a collection.
pub fn add(number: u64, batch: Batch) -> Result<(), String> {
    collections().get_mut(&number).ok_or_else(|| unknown(number))?.push(batch);
    Ok(())
}

/// The keys of each batch of a collection.
pub fn keys(number: u64) -> Result<Vec<Box<dyn Array>>, String> {
    let all = collections();
    let batches = all.get(&number).ok_or_else(|| unknown(number))?;
    Ok(batches.iter().map(|batch| batch.keys.clone()).collect())
}

/// Takes the batches of a collection and ends it.
pub fn take(number: u64) -> Result<Vec<Batch>, String> {
    collections().remove(&number).ok_or_else(|| unknown(number))
}

fn unknown(number: u64) -> String {
    format!("there is no collection {number} of batches")
}
