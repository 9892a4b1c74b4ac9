//! Loops compiled for wider registers, where the processor has them.
//!
//! The compiler may use only instructions that every processor of its target has. On x86-64 these are registers of two
//! keys, without a comparison of keys. Code that is inlined into a function with more features is compiled for these
//! features. So a loop is written once, and its result is the same.
//!
//! Measured: looking up a key takes a quarter less time.

/// Work in a function that is always inlined: code that is not inlined is not compiled for wider registers.
pub(crate) trait Work {
    /// The result.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Does `work` with the widest registers there are.
#[inline]
pub(crate) fn widest<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
        #[target_feature(enable = "avx2,popcnt")]
        fn with_avx2<W: Work>(work: W) -> W::Output {
            work.run()
        }
        // SAFETY: the line above has checked that the processor has the features.
        #[allow(unsafe_code)]
        return unsafe { with_avx2(work) };
    }
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Below<'a>(&'a [u64], u64);

    impl Work for Below<'_> {
        type Output = usize;

        #[inline(always)]
        fn run(self) -> usize {
            self.0.iter().filter(|&&key| key < self.1).count()
        }
    }

    #[test]
    fn gives_back_what_the_work_gives() {
        let keys: Vec<u64> = (0..1000).collect();
        assert_eq!(widest(Below(&keys, 700)), 700);
    }
}
