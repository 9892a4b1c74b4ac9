//! Pairs that positives win: U, its correction for ties, and placements.

use super::classes::{Classes, Indexed};
use super::duplicates::{self, Duplicates};
use super::index::Index;
use super::shards::Shards;
use super::steps::Above;
use super::ties::{Source, Ties, each_counted, in_classes};
use super::{Key, Placements, pairs};

impl<K: Key> Ties<'_, K> {
    /// Twice the Mann-Whitney U of the positives: pairs in which the positive scores higher count 2,
    /// tied pairs 1. An exact integer, whatever the order in which the rows came.
    pub fn twice_u(&mut self) -> u128 {
        let n_neg = self.n_neg();
        match &mut self.source {
            Source::ClassKeys { class_keys, index, by } => {
                in_classes(class_keys, |classes| u128::from(classes.twice_u(index, *by)))
            }
            Source::Shards(shards) => {
                let parts = shards.each(Index::default, |index, classes, above| {
                    twice_u_of_shard(shards, index, classes, above, n_neg)
                });
                parts.into_iter().sum()
            }
            Source::Counted(counted) => {
                let mut twice_u = 0;
                each_counted(counted, &mut |tie| {
                    twice_u += u128::from(tie.pos) * u128::from(2 * (n_neg - tie.fp()) + tie.neg);
                });
                twice_u
            }
            Source::Weighted(weighted, by) => weighted.twice_u(*by),
        }
    }

    /// Twice the Mann-Whitney U, and the sum of `t³ - t` over the distinct scores, each shared by t rows.
    pub fn twice_u_and_cubes(&mut self) -> (u128, u128) {
        let n_neg = self.n_neg();
        match &mut self.source {
            Source::ClassKeys { class_keys, index, by } => {
                let many = in_classes(class_keys, |classes| {
                    let both = || {
                        (u128::from(classes.twice_u(index, *by)), cubes(&mut Duplicates::default(), classes))
                    };
                    (!classes.are_few()).then(both)
                });
                if let Some(both) = many {
                    return both;
                }
            }
            Source::Shards(shards) => {
                let parts = shards.each(
                    <(Index<K>, Duplicates<K>)>::default,
                    |(index, duplicates), classes, above| {
                        (twice_u_of_shard(shards, index, classes, above, n_neg), cubes(duplicates, classes))
                    },
                );
                return parts.into_iter().fold((0, 0), |sums, part| (sums.0 + part.0, sums.1 + part.1));
            }
            Source::Counted(_) | Source::Weighted(..) => {}
        }
        self.fold(
            |(twice_u, cubes): &mut (u128, u128), tie| {
                *twice_u += u128::from(tie.pos) * u128::from(2 * (n_neg - tie.fp()) + tie.neg);
                *cubes += duplicates::cube(tie.pos + tie.neg);
            },
            |sums, more| *sums = (sums.0 + more.0, sums.1 + more.1),
        )
    }

    /// Sums over the placements of all rows.
    pub fn placements(&mut self) -> Placements {
        if let Source::ClassKeys { class_keys, .. } = &self.source {
            let few = in_classes(class_keys, |classes| classes.are_few().then(|| pairs::placements(classes)));
            if let Some(placements) = few {
                return placements;
            }
        }
        let n_neg = self.n_neg();
        self.fold_segments(
            Indexed::Rarer,
            |sums: &mut Placements, segment| sums.add(&segment, n_neg),
            |sums, more| *sums = sums.plus(more),
        )
    }
}

/// Twice the U of a shard's positives against all `n_neg` negatives of the group.
fn twice_u_of_shard<K: Key>(
    shards: &Shards<K>,
    index: &mut Index<K>,
    classes: &Classes<'_, K>,
    above: Above,
    n_neg: u64,
) -> u128 {
    let neg_below = n_neg - above.neg - classes.n_neg as u64;
    u128::from(classes.twice_u(index, shards.by())) + 2 * classes.n_pos as u128 * u128::from(neg_below)
}

/// The sum of `t³ - t` over the distinct scores of both classes.
fn cubes<K: Key>(duplicates: &mut Duplicates<K>, classes: &Classes<'_, K>) -> u128 {
    duplicates.cubes(&[classes.pos, classes.neg])
}
