//! Columns of keys of one width, which store thresholds.
//!
//! Statistics see the key of any score as a 128-bit number. A column of keys has the width of the scores and
//! takes no more memory.

use std::any::Any;

use super::key::{Key, Width};
use crate::memory;
use crate::simd::{self, Kernel};

/// Keys of one width.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// 8 bits.
    W8(Vec<u8>),
    /// 16 bits.
    W16(Vec<u16>),
    /// 32 bits.
    W32(Vec<u32>),
    /// 64 bits.
    W64(Vec<u64>),
    /// 128 bits.
    W128(Vec<u128>),
}

/// Expands an expression for keys of each width.
macro_rules! any_width {
    ($keys:expr, $vec:ident => $does:expr) => {
        match $keys {
            Keys::W8($vec) => $does,
            Keys::W16($vec) => $does,
            Keys::W32($vec) => $does,
            Keys::W64($vec) => $does,
            Keys::W128($vec) => $does,
        }
    };
}

impl<K: Key> From<Vec<K>> for Keys {
    fn from(keys: Vec<K>) -> Keys {
        let mut same_width = Keys::with_capacity(K::WIDTH, 0);
        let slot: &mut dyn Any = any_width!(&mut same_width, keys => keys);
        if let Some(slot) = slot.downcast_mut() {
            *slot = keys;
        }
        same_width
    }
}

impl Keys {
    /// An empty column with capacity.
    pub fn with_capacity(width: Width, rows: usize) -> Self {
        match width {
            Width::W8 => Keys::W8(Vec::with_capacity(rows)),
            Width::W16 => Keys::W16(Vec::with_capacity(rows)),
            Width::W32 => Keys::W32(Vec::with_capacity(rows)),
            Width::W64 => Keys::W64(Vec::with_capacity(rows)),
            Width::W128 => Keys::W128(Vec::with_capacity(rows)),
        }
    }

    /// An empty column with large capacity, in huge pages.
    pub fn with_room(width: Width, rows: usize) -> Self {
        let mut keys = Keys::with_capacity(width, 0);
        any_width!(&mut keys, keys => *keys = memory::with_capacity(rows));
        keys
    }

    /// The keys as a slice; `None` if `K` has another width.
    pub fn slice<K: Key>(&self) -> Option<&[K]> {
        let keys: &dyn Any = any_width!(self, keys => keys);
        keys.downcast_ref::<Vec<K>>().map(Vec::as_slice)
    }

    /// The width of the keys.
    pub fn width(&self) -> Width {
        match self {
            Keys::W8(_) => Width::W8,
            Keys::W16(_) => Width::W16,
            Keys::W32(_) => Width::W32,
            Keys::W64(_) => Width::W64,
            Keys::W128(_) => Width::W128,
        }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        any_width!(self, keys => keys.len())
    }

    /// Whether the column is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The widened key at an index.
    #[inline]
    pub fn at(&self, index: usize) -> u128 {
        any_width!(self, keys => keys[index].wide())
    }

    /// Iterates over the widened keys.
    pub fn iter(&self) -> impl Iterator<Item = u128> {
        (0..self.len()).map(|index| self.at(index))
    }

    /// The keys at these indices, in this order.
    pub fn gather(&self, indices: &[usize]) -> Self {
        fn at<K: Key>(keys: &[K], indices: &[usize]) -> Keys {
            indices.iter().map(|&index| keys[index]).collect::<Vec<K>>().into()
        }
        any_width!(self, keys => at(keys, indices))
    }

    /// Whether the keys are strictly descending.
    pub fn descend(&self) -> bool {
        any_width!(self, keys => simd::dispatch(Descend(keys)))
    }

    /// Appends a key.
    #[inline]
    pub fn push(&mut self, key: u128) {
        any_width!(self, keys => keys.push(Key::narrow(key)));
    }

    /// Appends widened keys.
    pub fn extend_wide(&mut self, more: impl Iterator<Item = u128>) {
        fn extend<K: Key>(keys: &mut Vec<K>, more: impl Iterator<Item = u128>) {
            keys.extend(more.map(K::narrow));
        }
        any_width!(self, keys => extend(keys, more));
    }

    /// Appends another column; moves it if this one is empty.
    pub fn append(&mut self, more: Keys) {
        if self.is_empty() { *self = more } else { self.extend(&more) }
    }

    /// Appends another column.
    pub fn extend(&mut self, more: &Keys) {
        match (self, more) {
            (Keys::W8(keys), Keys::W8(more)) => keys.extend_from_slice(more),
            (Keys::W16(keys), Keys::W16(more)) => keys.extend_from_slice(more),
            (Keys::W32(keys), Keys::W32(more)) => keys.extend_from_slice(more),
            (Keys::W64(keys), Keys::W64(more)) => keys.extend_from_slice(more),
            (Keys::W128(keys), Keys::W128(more)) => keys.extend_from_slice(more),
            (keys, more) => (0..more.len()).for_each(|index| keys.push(more.at(index))),
        }
    }

    /// The keys as a vector; `None` if `K` has another width.
    pub fn into_vec<K: Key>(self) -> Option<Vec<K>> {
        let keys: Box<dyn Any> = any_width!(self, keys => Box::new(keys));
        keys.downcast().ok().map(|keys| *keys)
    }

    /// Reserves capacity for more keys.
    pub fn reserve(&mut self, rows: usize) {
        any_width!(self, keys => memory::reserve(keys, rows));
    }

    /// The capacity.
    pub fn capacity(&self) -> usize {
        any_width!(self, keys => keys.capacity())
    }
}

/// Whether keys are strictly descending: a SIMD loop without early exit.
struct Descend<'a, K>(&'a [K]);

impl<K: Key> Kernel for Descend<'_, K> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let lower = self.0.get(1..).unwrap_or_default();
        self.0.iter().zip(lower).fold(true, |all, (high, low)| all & (high > low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_width_keeps_its_keys() {
        for (width, highest) in [
            (Width::W8, u128::from(u8::MAX)),
            (Width::W16, u128::from(u16::MAX)),
            (Width::W32, u128::from(u32::MAX)),
            (Width::W64, u128::from(u64::MAX)),
            (Width::W128, u128::MAX),
        ] {
            let mut keys = Keys::with_capacity(width, 2);
            assert!(keys.is_empty() && keys.width() == width && keys.capacity() >= 2);
            keys.push(7);
            keys.push(highest);
            // The key of NaN in the widest type becomes the key of NaN in each type.
            keys.push(u128::MAX);
            let more = keys.clone();
            keys.extend(&more);
            let length = match width {
                Width::W8 => keys.clone().into_vec::<u8>().map(|keys| keys.len()),
                Width::W64 => keys.clone().into_vec::<u64>().map(|keys| keys.len()),
                _ => Some(6),
            };
            assert_eq!((length, keys.clone().into_vec::<u32>().is_some()), (Some(6), width == Width::W32));
            let all: Vec<u128> = keys.iter().collect();
            assert_eq!(all, [7, highest, highest, 7, highest, highest]);
        }
    }
}
