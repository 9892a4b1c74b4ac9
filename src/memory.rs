//! Memory of large columns, in huge pages if available.
//!
//! New memory consists of pages of 4 KiB, each with a page fault on its first write. For a large column that
//! is written once, the faults take longer than the writes. Pages of 2 MiB need fewer faults. Linux provides
//! them on request, unless they are disabled.

#[cfg(all(target_os = "linux", not(miri)))]
use crate::paths::Path;

/// Smaller allocations do not request huge pages; this size contains a page of 2 MiB at any alignment.
#[cfg(all(target_os = "linux", not(miri)))]
const MIN_BYTES: usize = 1 << 22;

/// Default values; for numbers these are zero pages of the system. Each thread that fills a part faults its
/// pages.
pub fn zeroed_lazily<T: Copy + Default>(len: usize) -> Vec<T> {
    let mut values = vec![T::default(); len];
    advise_huge_pages(&mut values);
    values
}

/// Default values, written eagerly, for one thread to fill.
///
/// For zeros without a write, an allocator requests new pages from the system, even if it has recently used
/// memory. Page faults take longer than the write. Measured with the allocator of Polars: comparisons of
/// segments take less time with an eager write of each block.
pub fn zeroed_prefaulted<T: Copy + Default>(len: usize) -> Vec<T> {
    let mut values = with_capacity(len);
    values.resize(len, T::default());
    values
}

/// Collects an iterator of known length.
pub fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Vec<T> {
    let mut collected = with_capacity(values.len());
    collected.extend(values);
    collected
}

/// Concatenates vectors.
pub fn concatenated<T>(parts: Vec<Vec<T>>) -> Vec<T> {
    let mut all = with_capacity(parts.iter().map(Vec::len).sum());
    parts.into_iter().for_each(|part| all.extend(part));
    all
}

/// Reserves capacity for more values.
pub fn reserve<T>(values: &mut Vec<T>, more: usize) {
    if values.capacity() - values.len() >= more {
        return;
    }
    // Doubling the capacity amortises moves; the first allocation is exact.
    let twice = if values.is_empty() { 0 } else { 2 * values.capacity() };
    let mut roomy = with_capacity(twice.max(values.len() + more));
    roomy.append(values);
    *values = roomy;
}

/// An empty vector with this capacity.
pub fn with_capacity<T>(capacity: usize) -> Vec<T> {
    let mut values = Vec::with_capacity(capacity);
    advise_huge_pages(&mut values);
    values
}

#[cfg(all(target_os = "linux", not(miri)))]
fn advise_huge_pages<T>(values: &mut Vec<T>) {
    let bytes = values.capacity() * size_of::<T>();
    if bytes < MIN_BYTES || !Path::HugePages.is_on() {
        return;
    }
    let start = values.as_mut_ptr().cast::<u8>();
    // madvise needs a page-aligned address; the largest page size of Linux is 64 KiB.
    let skipped = start.align_offset(1 << 16);
    // SAFETY: the range is within the vector's allocation. The call only sets the page size and changes no
    // byte; if it fails, pages are unchanged.
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
