//! Memory of large columns, in large pages where the system has them.
//!
//! Memory that is new comes in pages of 4 KiB, and for each of them the system is asked when it is first written. Of a large
//! column that is written once, this takes longer than the writing. Pages of 2 MiB are asked for less often. Linux gives
//! them to memory that wants them, unless they are switched off.

#[cfg(all(target_os = "linux", not(miri)))]
use crate::paths::Path;

/// Fewer bytes than these do not ask: so many hold a page of 2 MiB wherever they begin.
#[cfg(all(target_os = "linux", not(miri)))]
const LEAST_BYTES: usize = 1 << 22;

/// Default values, which for numbers are zeros that the system gives: each thread that fills a part of them gets its own pages.
pub fn zeroed_lazily<T: Copy + Default>(len: usize) -> Vec<T> {
    let mut values = vec![T::default(); len];
    advise_huge_pages(&mut values);
    values
}

/// Default values that are written here, for one thread to fill.
///
/// To have zeros without writing them, an allocator asks the system for new pages, even where it has memory that was in use
/// just before. New pages take longer than the writing. Measured with the allocator of Polars: comparisons of segments take
/// less time when the values of each block are written.
pub fn zeroed_prefaulted<T: Copy + Default>(len: usize) -> Vec<T> {
    let mut values = with_capacity(len);
    values.resize(len, T::default());
    values
}

/// All values of an iterator whose number is known.
pub fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut collected = with_capacity(values.len());
    collected.extend(values);
    collected
}

/// All values of some vectors, one after the other.
pub fn concatenated<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = with_capacity(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|part| all.extend(part));
    all
}

/// Makes room for so many more values.
pub fn reserve<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() >= more {
        return;
    }
    // Twice the room each time, so that each value is moved a few times only; for the first values just enough.
    let twice = if values.is_empty() { 0 } else { 2 * values.capacity() };
    let mut roomy = with_capacity(twice.max(values.len() + more));
    roomy.append(values);
    *values = roomy;
}

/// An empty vector with room for so many values.
pub fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(capacity);
    advise_huge_pages(&mut values);
    values
}

#[cfg(all(target_os = "linux", not(miri)))]
fn advise_huge_pages<T>(values: &mut Vec<T>) {
    let bytes = values.capacity() * size_of::<T>();
    if bytes < LEAST_BYTES || !Path::HugePages.is_on() {
        return;
    }
    let start = values.as_mut_ptr().cast::<u8>();
    // The system wants the address of a page; the largest page of any Linux has 64 KiB.
    let skipped = start.align_offset(1 << 16);
    // SAFETY: the range is inside the vector's memory. The call says how pages are to be made, and changes no byte of them;
    // where it fails, pages are as they were.
    unsafe {
        libc::madvise(start.add(skipped).cast(), bytes - skipped, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn advise_huge_pages<T>(_: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_many_pages() {
        let values: Vec<u64> = zeroed_lazily(3_000_000);
        assert!(values.len() == 3_000_000 && values.iter().all(|value| *value == 0));
        let mut room: Vec<u16> = with_capacity(5_000_000);
        room.extend((0..5_000_000u32).map(|row| row as u16));
        assert_eq!((room.len(), room[4_999_999]), (5_000_000, 4_999_999u32 as u16));
        assert_eq!(zeroed_lazily::<u8>(3), [0; 3]);
        assert_eq!(zeroed_prefaulted::<u8>(3), [0; 3]);
        reserve(&mut room, 7);
        assert_eq!((room.len(), room[4_999_999]), (5_000_000, 4_999_999u32 as u16));
        let more = collected(0..9u16);
        assert_eq!(concatenated(vec![more, Vec::new(), vec![5]]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 5]);
    }
}
