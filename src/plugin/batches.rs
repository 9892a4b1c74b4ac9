//! Collections of rows that come batch by batch, until a query asks for the answers of all of them.
//!
//! Polars has no call that adds rows to those of an earlier call. So Python begins a collection, an expression adds a batch
//! to it, others answer, and Python ends it, whatever happens in between. Each batch is kept group after group: a number
//! for each row, and no more.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use arrow::array::{Array, ListArray, PrimitiveArray};

use super::abi::ffi::Input;
use super::arrays::downcast::downcast;

/// A batch: its distinct keys, and for each other column a list of each key.
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

/// Rows of a group in a batch, on average, or more. With fewer, its keys and borders would take as much memory as its rows, and
/// a group would be put together from too many places.
const LEAST_ROWS: usize = 32;

/// The first rows of a collection, of which groups may be as many as if they were all.
const FEW_ROWS: usize = 1 << 20;

/// The batches of each collection, by its number.
static COLLECTIONS: Mutex<BTreeMap<u64, Vec<Batch>>> = Mutex::new(BTreeMap::new());

/// How many collections there have been.
static BEGUN: AtomicU64 = AtomicU64::new(0);

fn collections() -> MutexGuard<'static, BTreeMap<u64, Vec<Batch>>> {
    // Nothing that may fail is done under the lock, so that it is not poisoned.
    COLLECTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a collection, and returns its number.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
pub fn begin() -> u64 {
    let number = BEGUN.fetch_add(1, Ordering::Relaxed);
    collections().insert(number, Vec::new());
    number
}

/// Ends a collection, if it is there.
#[cfg_attr(not(feature = "python"), allow(dead_code))]
pub fn end(number: u64) {
    let ended = collections().remove(&number);
    // Its memory is freed after the lock is.
    drop(ended);
}

/// The number of a collection, which stands in a column of its own.
pub fn number(input: &Input) -> Result<u64, String> {
    let chunk = input.chunks.first().ok_or("expected the number of a collection")?;
    let numbers = downcast::<PrimitiveArray<u64>>(chunk.as_ref())?;
    numbers.values().first().copied().ok_or_else(|| "expected the number of a collection".into())
}

/// Whether a collection has room for a batch of so many rows in so many groups. One caller adds to a collection, so that
/// nothing comes between this question and the batch.
pub fn have_room(number: u64, rows: usize, groups: usize) -> Result<bool, String> {
    let all = collections();
    let batches = all.get(&number).ok_or_else(|| unknown(number))?;
    let all_groups = groups + batches.iter().map(|batch| batch.keys.len()).sum::<usize>();
    let all_rows = rows + batches.iter().map(Batch::rows).sum::<usize>();
    Ok(all_groups * LEAST_ROWS <= all_rows.max(FEW_ROWS))
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

/// The batches of a collection, which ends.
pub fn take(number: u64) -> Result<Vec<Batch>, String> {
    collections().remove(&number).ok_or_else(|| unknown(number))
}

fn unknown(number: u64) -> String {
    format!("there is no collection {number} of batches")
}
