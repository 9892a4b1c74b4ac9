//! Ties: the distinct scores, highest first, each with its count of positives and negatives.
//!
//! Every unpaired ROC statistic is a function of this object. It is walked, not stored: the piles
//! that hold the keys are its only memory.

use super::Key;

/// One distinct score and the rows that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie<K> {
    /// The score's key.
    pub key: K,
    /// Positives with this score.
    pub pos: u64,
    /// Negatives with this score.
    pub neg: u64,
    /// Positives with a higher score.
    pub pos_above: u64,
    /// Negatives with a higher score.
    pub neg_above: u64,
}

impl<K> Tie<K> {
    /// True positives when this score is the threshold: positives with this score or a higher one.
    pub fn tp(&self) -> u64 {
        self.pos_above + self.pos
    }

    /// False positives when this score is the threshold: negatives with this score or a higher one.
    pub fn fp(&self) -> u64 {
        self.neg_above + self.neg
    }
}

/// The ties of one group.
#[derive(Clone, Copy, Debug)]
pub struct Ties<'a, K> {
    /// Ascending, like `neg`.
    pos: &'a [K],
    neg: &'a [K],
}

impl<'a, K: Key> Ties<'a, K> {
    /// The ties of two piles of keys, both sorted upwards.
    pub fn new(pos: &'a [K], neg: &'a [K]) -> Self {
        debug_assert!(pos.is_sorted() && neg.is_sorted());
        Ties { pos, neg }
    }

    /// All positives.
    pub fn n_pos(&self) -> u64 {
        self.pos.len() as u64
    }

    /// All negatives.
    pub fn n_neg(&self) -> u64 {
        self.neg.len() as u64
    }

    /// Whether both classes are there, so that there is a pair to rank.
    pub fn has_pairs(&self) -> bool {
        !self.pos.is_empty() && !self.neg.is_empty()
    }

    /// The number of pairs of one positive and one negative.
    pub fn pairs(&self) -> u128 {
        u128::from(self.n_pos()) * u128::from(self.n_neg())
    }

    /// Walks the distinct scores from the highest to the lowest.
    pub fn for_each(&self, mut visit: impl FnMut(Tie<K>)) {
        let (mut pos, mut neg) = (self.pos, self.neg);
        while let Some(key) = highest(pos, neg) {
            let pos_below = without(pos, key);
            let neg_below = without(neg, key);
            visit(Tie {
                key,
                pos: (pos.len() - pos_below.len()) as u64,
                neg: (neg.len() - neg_below.len()) as u64,
                pos_above: (self.pos.len() - pos.len()) as u64,
                neg_above: (self.neg.len() - neg.len()) as u64,
            });
            (pos, neg) = (pos_below, neg_below);
        }
    }

    /// Twice the Mann-Whitney U of the positives: pairs in which the positive scores higher count 2,
    /// tied pairs 1. An exact integer, whatever the order in which the rows came.
    pub fn twice_u(&self) -> u128 {
        let mut twice_u = 0;
        self.for_each(|tie| {
            let neg_below = self.n_neg() - tie.fp();
            twice_u += u128::from(tie.pos) * u128::from(2 * neg_below + tie.neg);
        });
        twice_u
    }

    #[cfg(test)]
    pub(super) fn piles(&self) -> (&[K], &[K]) {
        (self.pos, self.neg)
    }
}

/// The highest key of two ascending piles.
#[inline]
fn highest<K: Key>(pos: &[K], neg: &[K]) -> Option<K> {
    match (pos.last(), neg.last()) {
        (Some(&pos), Some(&neg)) => Some(pos.max(neg)),
        (Some(&one), None) | (None, Some(&one)) => Some(one),
        (None, None) => None,
    }
}

/// An ascending pile without the keys at its end that equal `key`.
#[inline]
fn without<K: Key>(pile: &[K], key: K) -> &[K] {
    // Few equal keys are counted one by one; a long run of them is skipped by halving.
    const STEPS: usize = 8;
    let mut end = pile.len();
    while end > 0 && pile[end - 1] == key {
        end -= 1;
        if pile.len() - end == STEPS {
            return &pile[..pile[..end].partition_point(|&other| other < key)];
        }
    }
    &pile[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, one row at a time.
    fn by_definition(pos: &[u8], neg: &[u8]) -> Vec<Tie<u8>> {
        let count =
            |keys: &[u8], test: &dyn Fn(u8) -> bool| keys.iter().filter(|&&key| test(key)).count() as u64;
        (0..=u8::MAX)
            .rev()
            .filter(|key| pos.contains(key) || neg.contains(key))
            .map(|key| Tie {
                key,
                pos: count(pos, &|other| other == key),
                neg: count(neg, &|other| other == key),
                pos_above: count(pos, &|other| other > key),
                neg_above: count(neg, &|other| other > key),
            })
            .collect()
    }

    fn keys() -> impl Strategy<Value = Vec<u8>> {
        proptest::collection::vec(prop_oneof![0u8..4, any::<u8>()], 0..40)
    }

    proptest! {
        #[test]
        fn walk_is_the_definition(mut pos in keys(), mut neg in keys()) {
            pos.sort();
            neg.sort();
            let ties = Ties::new(&pos, &neg);
            let mut walked = Vec::new();
            ties.for_each(|tie| walked.push(tie));
            prop_assert_eq!(walked, by_definition(&pos, &neg));
            let twice_u: u128 = pos
                .iter()
                .flat_map(|p| neg.iter().map(move |n| match p.cmp(n) {
                    std::cmp::Ordering::Greater => 2,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Less => 0,
                }))
                .sum();
            prop_assert_eq!(ties.twice_u(), twice_u);
        }
    }

    #[test]
    fn nothing_at_all() {
        let ties = Ties::<u64>::new(&[], &[]);
        ties.for_each(|_| panic!("no tie"));
        assert!(!ties.has_pairs());
        assert_eq!(ties.twice_u(), 0);
    }
}
