//! The only source of randomness: streams that are a function of a seed and a replicate number.
//!
//! The numbers of a replicate depend neither on the thread nor on other replicates.

use std::convert::Infallible;

use rand_core::TryRng;
use rand_distr::{Binomial, Distribution, StandardNormal};

/// A stream of random numbers: xoshiro256++ (Blackman and Vigna 2021), its state filled by SplitMix64
/// (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct Stream {
    state: [u64; 4],
    /// The unused half of the last number.
    half: Option<u32>,
}

impl Stream {
    /// The stream of one replicate.
    pub fn new(seed: u64, replicate: u64) -> Self {
        // Two rounds of mixing between the seed and the replicate separate the streams of adjacent seeds.
        let mut mixed =
            split_mix(&mut split_mix(&mut { seed })) ^ replicate.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Stream { state: std::array::from_fn(|_| split_mix(&mut mixed)), half: None }
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let bits = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        bits
    }

    #[inline]
    fn half_bits(&mut self) -> u32 {
        match self.half.take() {
            Some(half) => half,
            None => {
                let bits = self.bits();
                self.half = Some((bits >> 32) as u32);
                bits as u32
            }
        }
    }

    /// A number from 0 to `below - 1`, exactly uniform (Lemire 2019). `below` must not be 0.
    #[inline]
    pub fn index(&mut self, below: u32) -> u32 {
        let mut product = u64::from(self.half_bits()) * u64::from(below);
        if (product as u32) < below {
            let surplus = below.wrapping_neg() % below;
            while (product as u32) < surplus {
                product = u64::from(self.half_bits()) * u64::from(below);
            }
        }
        (product >> 32) as u32
    }

    /// This number of values from 0 to `below - 1`, identical to repeated calls of [`index`](Self::index).
    #[inline]
    pub fn indices(&mut self, below: u32, count: usize, mut take: impl FnMut(usize)) {
        let mut rest = count;
        if rest > 0 && self.half.is_some() {
            take(self.index(below) as usize);
            rest -= 1;
        }
        // Both halves of a number at once, from a copy that stays in registers.
        let mut stream = self.clone();
        while rest >= 2 {
            let before = stream.clone();
            let bits = stream.bits();
            let (low, high) = (u64::from(bits as u32) * u64::from(below), (bits >> 32) * u64::from(below));
            if (low as u32) < below || (high as u32) < below {
                // A half may be rejected, which is very rare.
                *self = before;
                for _ in 0..rest {
                    take(self.index(below) as usize);
                }
                return;
            }
            take((low >> 32) as usize);
            take((high >> 32) as usize);
            rest -= 2;
        }
        *self = stream;
        for _ in 0..rest {
            take(self.index(below) as usize);
        }
    }

    /// The number of successes in `trials` trials with this probability, from 0 to 1.
    pub fn binomial(&mut self, trials: u64, probability: f64) -> u64 {
        match Binomial::new(trials, probability) {
            Ok(binomial) => binomial.sample(self),
            Err(_) => 0,
        }
    }

    /// A standard normal number.
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(self)
    }

    /// Shuffles the items uniformly (Fisher and Yates; Durstenfeld 1964).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

/// The interface for the distributions of `rand_distr`.
impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.bits() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.bits())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.bits().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the reference implementations: SplitMix64 from 1234567, xoshiro256++ from 1, 2,
    /// 3, 4.
    #[test]
    fn reference_numbers() {
        let mut state = 1_234_567;
        assert_eq!(split_mix(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(split_mix(&mut state), 3_203_168_211_198_807_973);
        let mut stream = Stream { state: [1, 2, 3, 4], half: None };
        let first: Vec<u64> = (0..4).map(|_| stream.bits()).collect();
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386]);
    }

    #[test]
    fn indices_are_even() {
        let mut stream = Stream::new(7, 0);
        for below in [1u32, 2, 7, 100] {
            let mut counts = vec![0u32; below as usize];
            let draws = 20_000 * below;
            for _ in 0..draws {
                counts[stream.index(below) as usize] += 1;
            }
            // The chi-square statistic against the uniform distribution is never six standard deviations
            // above its mean.
            let even = f64::from(draws / below);
            let distance: f64 = counts.iter().map(|&count| (f64::from(count) - even).powi(2) / even).sum();
            let df = f64::from(below - 1);
            assert!(distance <= df + 6.0 * (2.0 * df).sqrt(), "{below}: {distance}");
        }
    }

    #[test]
    fn batched_indices_equal_single_calls() {
        for (below, count) in [(3, 100), (1, 7), (u32::MAX - 5, 2000), (1 << 31, 33), (7, 0)] {
            let (mut one, mut other) = (Stream::new(2, 9), Stream::new(2, 9));
            for _ in 0..2 {
                let expected: Vec<usize> = (0..count).map(|_| one.index(below) as usize).collect();
                let mut got = Vec::new();
                other.indices(below, count, |index| got.push(index));
                assert_eq!(got, expected, "{below}");
            }
            assert_eq!(one.index(100), other.index(100));
        }
    }

    #[test]
    fn normal_numbers() {
        let mut stream = Stream::new(5, 0);
        let numbers: Vec<f64> = (0..40_000).map(|_| stream.normal()).collect();
        let (mean, deviation) = crate::math::quantile::mean_and_deviation(&numbers);
        assert!(mean.abs() < 0.025 && (deviation - 1.0).abs() < 0.018, "{mean} {deviation}");
        let beyond = numbers.iter().filter(|number| number.abs() > 1.959_963_984_540_054).count();
        assert!((1800..=2200).contains(&beyond), "{beyond}");
    }

    #[test]
    fn binomial_counts() {
        let mut stream = Stream::new(11, 0);
        for (trials, probability) in [(5, 0.3), (1000, 0.004), (1000, 0.7), (1 << 40, 0.5)] {
            let expected = trials as f64 * probability;
            let deviation = (expected * (1.0 - probability)).sqrt();
            let sum: f64 = (0..4000).map(|_| stream.binomial(trials, probability) as f64 - expected).sum();
            assert!(sum.abs() < 5.0 * deviation * 4000f64.sqrt(), "{trials} {probability} {sum}");
        }
        assert_eq!((stream.binomial(9, 0.0), stream.binomial(9, 1.0), stream.binomial(0, 0.5)), (0, 9, 0));
    }

    #[test]
    fn streams_differ_and_repeat() {
        let first = |seed, replicate| Stream::new(seed, replicate).bits();
        let mut seen: Vec<u64> = (0..50).flat_map(|seed| (0..50).map(move |r| first(seed, r))).collect();
        assert_eq!(first(3, 4), first(3, 4));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 2500);
    }

    #[test]
    fn shuffles_keep_the_items() {
        let mut items: Vec<u32> = (0..100).collect();
        Stream::new(1, 2).shuffle(&mut items);
        assert_ne!(items[..20], (0..20).collect::<Vec<_>>()[..]);
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
