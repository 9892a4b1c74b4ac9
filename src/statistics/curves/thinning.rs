//! Fewer points of a curve, chosen so that its area changes little.

use super::tournament_tree::TournamentTree;

/// Drops points of a monotone curve until `max` are left; returns the remaining ones. Each step drops the
/// point whose removal changes the area least (Visvalingam and Whyatt 1993). The first and the last point
/// always remain.
///
/// Dropping a point changes the area by its triangle with its neighbours. Points are integers, so the areas
/// are exact; for equal areas the earlier point is dropped first. O(n log n).
pub fn thin(points: &[(u64, u64)], max: usize) -> Vec<usize> {
    let Some(&(x, y)) = points.last().filter(|_| points.len() > max.max(2)) else {
        return (0..points.len()).collect();
    };
    // Twice the area of a triangle is at most the area of the rectangle around the curve.
    let area_bits = u128::BITS - (u128::from(x) * u128::from(y)).leading_zeros();
    let index_bits = usize::BITS - points.len().leading_zeros();
    // An area and an index are packed into one integer if it has enough bits. The minimum then contains its
    // index.
    if area_bits + index_bits < u64::BITS {
        let number = |area: u128, index: usize| {
            debug_assert!(area >> area_bits == 0, "the last point is the highest one");
            (area as u64) << index_bits | index as u64
        };
        let index = |number: u64| (number & ((1 << index_bits) - 1)) as usize;
        thin_by(points, max, u64::MAX, number, |numbers| numbers.value().map(index))
    } else {
        thin_by(points, max, u128::MAX, |area, _| area, TournamentTree::index)
    }
}

/// The same with a generic order: `number` combines an area and its index into an ordered value, and `lowest`
/// returns the index of the minimum. `none` is above all such values.
fn thin_by<N: Copy + Ord>(
    points: &[(u64, u64)],
    max: usize,
    none: N,
    number: impl Fn(u128, usize) -> N,
    lowest: impl Fn(&TournamentTree<N>) -> Option<usize>,
) -> Vec<usize> {
    let n = points.len();
    let last = n - 1;
    // The previous and next remaining point of each point.
    let mut neighbours: Vec<(usize, usize)> =
        (0..n).map(|point| (point.wrapping_sub(1), point + 1)).collect();
    let number_of = |point: usize, (before, after): (usize, usize)| {
        if point == 0 || point == last {
            return none;
        }
        let area = turn(points[before], points[point], points[after]).unsigned_abs();
        number(area, point)
    };
    let numbers = (0..n).map(|point| number_of(point, neighbours[point])).collect();
    let mut numbers = TournamentTree::new(numbers, none);
    for _ in max.max(2)..n {
        let Some(point) = lowest(&numbers) else { break };
        let (before, after) = std::mem::take(&mut neighbours[point]);
        (neighbours[before].1, neighbours[after].0) = (after, before);
        numbers.change(point, none);
        for point in [before, after] {
            numbers.change(point, number_of(point, neighbours[point]));
        }
    }
    // A dropped point has neighbours (0, 0); every other point has a next one, which is not the first.
    (0..n).filter(|&point| neighbours[point].1 > 0).collect()
}

/// The corners of the upper convex hull of a monotone curve, including the first and the last point.
pub fn hull(points: &[(u64, u64)]) -> Vec<usize> {
    // The curve turns right at a corner. A point on or below the line is no corner.
    points_that(points, |turn| turn < 0)
}

/// The same for the lower convex hull.
pub fn lower_hull(points: &[(u64, u64)]) -> Vec<usize> {
    points_that(points, |turn| turn > 0)
}

/// The points that are not collinear with their neighbours.
pub fn corners(points: &[(u64, u64)]) -> Vec<usize> {
    points_that(points, |turn| turn != 0)
}

/// The points at which the curve makes such a [`turn`] from the last selected point, and the first and the
/// last point.
fn points_that(points: &[(u64, u64)], make: impl Fn(i128) -> bool) -> Vec<usize> {
    let mut corners: Vec<usize> = Vec::new();
    for (i, &point) in points.iter().enumerate() {
        while let [.., a, b] = corners[..]
            && !make(turn(points[a], points[b], point))
        {
            corners.pop();
        }
        corners.push(i);
    }
    corners
}

/// Positive for a left turn from `a` over `b` to `c`, negative for a right turn: twice the area of the
/// triangle.
fn turn(a: (u64, u64), b: (u64, u64), c: (u64, u64)) -> i128 {
    let by = |to: (u64, u64)| (i128::from(to.0) - i128::from(a.0), i128::from(to.1) - i128::from(a.1));
    let ((x1, y1), (x2, y2)) = (by(b), by(c));
    x1 * y2 - y1 * x2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curve(steps: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut points = vec![(0, 0)];
        for step in steps.iter().filter(|step| **step != (0, 0)) {
            let last = points[points.len() - 1];
            points.push((last.0 + step.0, last.1 + step.1));
        }
        points
    }

    /// Drops one point after the other, recomputing all areas each time.
    fn thin_by_definition(points: &[(u64, u64)], max: usize) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..points.len()).collect();
        while rest.len() > max.max(2) {
            let index = (1..rest.len() - 1)
                .min_by_key(|&i| {
                    (turn(points[rest[i - 1]], points[rest[i]], points[rest[i + 1]]).unsigned_abs(), rest[i])
                })
                .unwrap();
            rest.remove(index);
        }
        rest
    }

    proptest! {
        #[test]
        fn as_defined(
            steps in proptest::collection::vec((0u64..5, 0u64..5), 0..60), max in 0usize..30, bits in 0u32..=40,
        ) {
            let points = curve(&steps);
            prop_assert_eq!(thin(&points, max), thin_by_definition(&points, max));
            // Large counts: scaling a curve keeps the order of its triangles.
            let large: Vec<_> = points.iter().map(|(x, y)| (x << bits, y << bits)).collect();
            prop_assert_eq!(thin(&large, max), thin_by_definition(&large, max));
            // A corner of the hull lies above every line between two other points.
            let above = |i: usize| {
                (0..i).all(|a| (i + 1..points.len()).all(|c| turn(points[a], points[i], points[c]) < 0))
            };
            prop_assert_eq!(hull(&points), (0..points.len()).filter(|&i| above(i)).collect::<Vec<_>>());
            let turns = corners(&points);
            prop_assert!(turns.windows(3).all(|w| turn(points[w[0]], points[w[1]], points[w[2]]) != 0));
            let twice_area = |corners: &[usize]| -> u64 {
                corners.windows(2).map(|w| (points[w[1]].0 - points[w[0]].0) * (points[w[1]].1 + points[w[0]].1)).sum()
            };
            prop_assert_eq!(twice_area(&turns), twice_area(&(0..points.len()).collect::<Vec<_>>()));
        }
    }
}
