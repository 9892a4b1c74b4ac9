//! The exact null distribution of the Kolmogorov-Smirnov distance, given the ties.

use std::iter::zip;

use crate::statistics::inference::Alternative;

/// The probability that the distance is at least `farthest` if labels are assigned to the rows at random.
///
/// `sizes` are the numbers of rows of the distinct scores, in order. The distance is the maximum of
/// `|tp N - fp P|` over the ends of ties, or of one sign of it. After k rows with i positives, let `t_k(i)`
/// be the share of assignments that have reached the distance at the end of some tie. The last of these rows
/// is positive with probability i / k, so `t_k(i) = (i t_{k-1}(i - 1) + (k - i) t_{k-1}(i)) / k`. It is 1 if
/// k ends a tie and i is far enough. There are no subtractions, so small probabilities keep their digits.
/// `O(P N)`.
pub fn upper_tail(sizes: &[u64], n_pos: u64, n_neg: u64, ks_distance: u128, alternative: Alternative) -> f64 {
    if ks_distance == 0 {
        return 1.0;
    }
    let all = n_pos + n_neg;
    let counts: Vec<f64> = (0..=n_pos).map(|count| count as f64).collect();
    let mut share = vec![0.0; counts.len()];
    let mut next = share.clone();
    let (ks_distance, all_wide, pos) = (ks_distance.cast_signed(), i128::from(all), i128::from(n_pos));
    let mut ends = sizes.iter();
    let mut end = *ends.next().unwrap_or(&0);
    for k in 1..=all {
        // The possible numbers of positives among k rows.
        let (low, high) = (k.saturating_sub(n_neg) as usize, k.min(n_pos) as usize);
        let (rows, each) = (k as f64, 1.0 / k as f64);
        next[0] = share[0];
        // Independent iterations, which vectorise.
        let first = low.max(1);
        let before = zip(&share[first - 1..high], &share[first..=high]);
        for ((next, &count), (below, previous)) in
            zip(&mut next[first..=high], &counts[first..=high]).zip(before)
        {
            *next = (count * below + (rows - count) * previous) * each;
        }
        if k == end {
            // i N - (k - i) P = i (P + N) - k P
            let expected = i128::from(k) * pos;
            if alternative != Alternative::Less {
                let first = (ks_distance + expected + all_wide - 1).div_euclid(all_wide);
                let first = usize::try_from(first).unwrap_or(0).clamp(low, high + 1);
                next[first..=high].fill(1.0);
            }
            if alternative != Alternative::Greater {
                let last = (expected - ks_distance).div_euclid(all_wide);
                if let Ok(last) = usize::try_from(last)
                    && last >= low
                {
                    next[low..=last.min(high)].fill(1.0);
                }
            }
            end += ends.next().unwrap_or(&0);
        }
        std::mem::swap(&mut share, &mut next);
    }
    share[n_pos as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All assignments of the labels.
    fn by_counting(
        sizes: &[u64],
        n_pos: u64,
        n_neg: u64,
        ks_distance: i128,
        alternative: Alternative,
    ) -> f64 {
        let all = n_pos + n_neg;
        let (mut reached, mut ways) = (0u32, 0u32);
        for labels in (0u32..1 << all).filter(|labels| u64::from(labels.count_ones()) == n_pos) {
            ways += 1;
            let (mut row, mut is_far) = (0, false);
            for size in sizes {
                row += size;
                let tp = i128::from((labels & ((1u32 << row) - 1)).count_ones());
                let signed = tp * i128::from(n_neg) - (i128::from(row) - tp) * i128::from(n_pos);
                is_far |= match alternative {
                    Alternative::TwoSided => signed.abs() >= ks_distance,
                    Alternative::Greater => signed >= ks_distance,
                    Alternative::Less => -signed >= ks_distance,
                };
            }
            reached += u32::from(is_far);
        }
        f64::from(reached) / f64::from(ways)
    }

    proptest! {
        #[test]
        fn all_assignments_are_counted(sizes in prop::collection::vec(1u64..4, 1..6), n_pos in 1u64..8, ks_distance in 0u128..40) {
            let all: u64 = sizes.iter().sum();
            prop_assume!(n_pos < all);
            for alternative in [Alternative::TwoSided, Alternative::Greater, Alternative::Less] {
                let got = upper_tail(&sizes, n_pos, all - n_pos, ks_distance, alternative);
                let expected = by_counting(&sizes, n_pos, all - n_pos, ks_distance.cast_signed(), alternative);
                prop_assert!((got - expected).abs() <= 1e-13, "{got} {expected} {alternative:?}");
            }
        }
    }

    /// Separated classes: a single assignment of all.
    #[test]
    fn small_probabilities_keep_their_digits() {
        let sizes = vec![1; 60];
        let got = upper_tail(&sizes, 30, 30, 900, Alternative::Greater);
        let ways: f64 = (1..=30).map(|k| (30.0 + f64::from(k)) / f64::from(k)).product();
        assert!((got * ways - 1.0).abs() < 1e-12, "{got} {ways}");
    }
}
