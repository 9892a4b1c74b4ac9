//! SIMD with runtime dispatch: loops are also compiled for AVX2, and that version runs if the processor
//! supports it.
//!
//! By default the compiler may use only instructions that every processor of the target supports. On x86-64
//! these have registers of two keys, and no comparison of 64-bit keys. A function inlined into one with more
//! target features is compiled with these features. A loop is therefore written once, and both versions give
//! the same result.
//!
//! Measured: looking up a key takes 1/4 less time.

use crate::paths::Path;

/// A loop in an always-inlined function, since other code is not compiled for AVX2.
pub(crate) trait Kernel {
    /// The result.
    type Output;

    /// Runs the loop.
    fn run(self) -> Self::Output;
}

/// Runs `kernel` with AVX2 if the processor supports it.
#[inline]
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if Path::Simd.is_on()
        && std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("popcnt")
    {
        #[target_feature(enable = "avx2,popcnt")]
        fn with_avx2<K: Kernel>(kernel: K) -> K::Output {
            kernel.run()
        }
        // SAFETY: the line above has checked the features of the processor.
        #[allow(unsafe_code)]
        return unsafe { with_avx2(kernel) };
    }
    kernel.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Below<'a>(&'a [u64], u64);

    impl Kernel for Below<'_> {
        type Output = usize;

        #[inline(always)]
        fn run(self) -> usize {
            self.0.iter().filter(|&&key| key < self.1).count()
        }
    }

    #[test]
    fn returns_the_result() {
        let keys: Vec<u64> = (0..1000).collect();
        assert_eq!(dispatch(Below(&keys, 700)), 700);
    }
}
