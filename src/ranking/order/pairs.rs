//! Placements of a few rows, pair by pair.
//!
//! Comparing all pairs of a small group is cheaper than bringing it into any order.

use super::classes::Classes;
use crate::ranking::scores::Key;
use crate::ranking::ties::Placements;
use crate::ranking::tuning::FEW_ROWS;

/// 2 if the positive scores higher, 1 if both tie, else 0.
#[inline]
pub(in crate::ranking) fn twice_higher<K: Key>(pos: K, neg: K) -> u64 {
    u64::from(neg < pos) + u64::from(neg <= pos)
}

/// The sums over the placements of a whole group that [is of few rows](Classes::are_few).
pub(in crate::ranking) fn placements<K: Key>(group: &Classes<'_, K>) -> Placements {
    let mut sums = Placements::default();
    let mut of_neg = [0; FEW_ROWS];
    if group.n_pos == 0 || group.n_neg == 0 {
        return sums;
    }
    let of_neg = &mut of_neg[..group.n_neg];
    for &pos in group.pos.iter().copied().flatten() {
        let mut placement = 0;
        for (&neg, of_neg) in group.neg.iter().copied().flatten().zip(of_neg.iter_mut()) {
            let twice = twice_higher(pos, neg);
            placement += twice;
            *of_neg += twice;
        }
        sums.add_pos(1, placement);
    }
    for &placement in of_neg.iter() {
        sums.add_neg(1, placement);
    }
    sums
}
