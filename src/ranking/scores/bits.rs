//! A view of packed bits, one per row, least significant first, in Arrow's layout.

use std::ops::Range;

/// Boolean values of rows, packed eight to a byte, starting at any bit of the first byte.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    start: usize,
    rows: usize,
}

impl<'a> Bits<'a> {
    /// `rows` bits of `bytes`, the first of them at bit `start`.
    ///
    /// # Panics
    /// Panics if `bytes` has fewer than `start + rows` bits.
    pub fn new(bytes: &'a [u8], start: usize, rows: usize) -> Self {
        assert!(start + rows <= bytes.len() * 8, "{rows} bits from {start} of {} bytes", bytes.len());
        Bits { bytes, start, rows }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// `rows` rows from row `first` on.
    pub fn slice(&self, first: usize, rows: usize) -> Self {
        assert!(first + rows <= self.rows);
        Bits { bytes: self.bytes, start: self.start + first, rows }
    }

    /// The 64 rows from row `first` on, in the low bits first; rows past the end are 0.
    #[inline]
    pub fn word(&self, first: usize) -> u64 {
        let bit = self.start + first;
        let bytes = &self.bytes[bit / 8..];
        let shift = bit % 8;
        let word = match bytes.first_chunk::<9>() {
            Some(chunk) => {
                let low = u64::from_le_bytes([
                    chunk[0], chunk[1], chunk[2], chunk[3], chunk[4], chunk[5], chunk[6], chunk[7],
                ]);
                // The ninth byte fills the bits that the shift leaves empty. It is shifted in two steps,
                // because a shift by 64 in one step would overflow.
                (low >> shift) | ((u64::from(chunk[8]) << 1) << (63 - shift))
            }
            None => {
                let mut padded = [0; 16];
                padded[..bytes.len()].copy_from_slice(bytes);
                (u128::from_le_bytes(padded) >> shift) as u64
            }
        };
        match self.rows - first {
            left @ 0..64 => word & ((1 << left) - 1),
            _ => word,
        }
    }

    /// Unpacks the bits to booleans.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    pub fn unpack_into(&self, truths: &mut [bool]) {
        assert_eq!(truths.len(), self.rows);
        for (first, truths) in (0..).step_by(64).zip(truths.chunks_mut(64)) {
            let word = self.word(first);
            truths.iter_mut().enumerate().for_each(|(row, truth)| *truth = word >> row & 1 == 1);
        }
    }

    /// Packs booleans; the first row is the lowest bit of the first byte.
    pub fn packed(truths: &[bool]) -> Vec<u8> {
        // The multiplication moves the lowest bit of each byte to a separate bit of the highest byte.
        let byte = |truths: [bool; 8]| {
            (u64::from_le_bytes(truths.map(u8::from)).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
        };
        let (eights, rest) = truths.as_chunks();
        let last = |truths: &[bool]| byte(std::array::from_fn(|row| truths.get(row) == Some(&true)));
        eights.iter().map(|&eight| byte(eight)).chain([last(rest)]).collect()
    }

    /// The packed bits of rows in any of these ranges.
    pub fn from_ranges(rows: usize, ranges: impl Iterator<Item = Range<usize>>) -> Vec<u8> {
        let mut bytes = vec![0; rows / 8 + 1];
        for range in ranges {
            let (first, last) = (range.start / 8, range.end / 8);
            let (from, below) = (u8::MAX << (range.start % 8), !(u8::MAX << (range.end % 8)));
            if first == last {
                bytes[first] |= from & below;
            } else {
                bytes[first] |= from;
                bytes[first + 1..last].fill(u8::MAX);
                bytes[last] |= below;
            }
        }
        bytes
    }

    /// The number of set bits, also set in `mask` if present.
    pub fn count(&self, mask: Option<Bits<'_>>) -> usize {
        (0..self.rows)
            .step_by(64)
            .map(|first| {
                let masked = mask.map_or(u64::MAX, |mask| mask.word(first));
                (self.word(first) & masked).count_ones() as usize
            })
            .sum()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Booleans as packed bits.
    pub fn packed(truths: impl ExactSizeIterator<Item = bool>) -> Vec<u8> {
        let mut bytes = vec![0; truths.len() / 8 + 1];
        for (row, _) in truths.enumerate().filter(|(_, truth)| *truth) {
            bytes[row / 8] |= 1 << (row % 8);
        }
        bytes
    }

    proptest! {
        #[test]
        fn words_are_the_bits(bytes in proptest::collection::vec(0u8.., 0..40), start in 0usize..20, cut in 0usize..20, first in 0usize..80) {
            let total = bytes.len() * 8;
            prop_assume!(start + cut <= total);
            let bits = Bits::new(&bytes, start, total - start - cut);
            prop_assume!(first <= bits.len());
            let bit = |row: usize| row < bits.len() && bytes[(start + row) / 8] >> ((start + row) % 8) & 1 == 1;
            let expected = (0..64).fold(0u64, |word, i| word | u64::from(bit(first + i)) << i);
            if first < bits.len() {
                prop_assert_eq!(bits.word(first), expected);
            }
            prop_assert_eq!(bits.count(None), (0..bits.len()).filter(|&row| bit(row)).count());
            let tail = bits.slice(first, bits.len() - first);
            let truths: Vec<bool> = (first..bits.len()).map(bit).collect();
            let mut written = vec![false; tail.len()];
            tail.unpack_into(&mut written);
            prop_assert_eq!(&written, &truths);
            prop_assert_eq!(Bits::packed(&truths), packed(truths.iter().copied()));
            let ranges = [first / 3..first / 2, first..first, first..bits.len()];
            let in_ranges = |row: usize| ranges.iter().any(|range| range.contains(&row));
            let expected = packed((0..bits.len()).map(in_ranges));
            prop_assert_eq!(Bits::from_ranges(bits.len(), ranges.iter().cloned()), expected);
            prop_assert_eq!(tail.count(Some(tail)), (first..bits.len()).filter(|&row| bit(row)).count());
        }
    }
}
