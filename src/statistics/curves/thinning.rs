//! Fewer points of a curve, chosen so that its area changes little.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::{Mul, Sub};

use crate::ranking::ties::SMALL_CLASS;

/// Which points remain when points are dropped until `most` are left, each time the point whose loss changes the area
/// least (Visvalingam and Whyatt 1993). The first and the last point always remain.
///
/// Dropping a point changes the area by the triangle that it makes with the points beside it. Points are whole numbers,
/// so the areas are exact; of equal ones the earlier point goes first. O(n log n).
pub fn thin(points: &[(u64, u64)], most: usize) -> Vec<usize> {
    // In 64 bits the areas of very many points stay in the cache.
    let fit = |&(x, y): &(u64, u64)| (x | y) < SMALL_CLASS;
    if points.last().is_none_or(fit) {
        thin_by(points, most, |a, b, c| turn(a, b, c, |count| count as i64).unsigned_abs())
    } else {
        thin_by(points, most, |a, b, c| turn(a, b, c, i128::from).unsigned_abs())
    }
}

/// The same, where `triangle` says twice the area of a triangle.
fn thin_by<A: Copy + Default + Ord>(
    points: &[(u64, u64)],
    most: usize,
    triangle: impl Fn((u64, u64), (u64, u64), (u64, u64)) -> A,
) -> Vec<usize> {
    let n = points.len();
    if n <= most.max(2) {
        return (0..n).collect();
    }
    let (mut before, mut after): (Vec<usize>, Vec<usize>) =
        ((0..n).map(|i| i.wrapping_sub(1)).collect(), (1..=n).collect());
    let mut areas = vec![A::default(); n];
    for point in 1..n - 1 {
        areas[point] = triangle(points[point - 1], points[point], points[point + 1]);
    }
    // The first areas are sorted once, which takes less time than to pop each from a heap. The heap has those
    // that come to be when points are dropped.
    let mut first_areas: Vec<(A, usize)> = (1..n - 1).map(|point| (areas[point], point)).collect();
    first_areas.sort_unstable();
    let mut first_areas = first_areas.into_iter().peekable();
    let mut new_areas: BinaryHeap<Reverse<(A, usize)>> = BinaryHeap::new();
    let mut rest = n;
    while rest > most.max(2) {
        let new = new_areas.peek().map(|lowest| lowest.0);
        let lowest = first_areas.next_if(|first| new.is_none_or(|new| *first < new));
        let Some((area, point)) = lowest.or_else(|| new_areas.pop().map(|lowest| lowest.0)) else { break };
        if after[point] == 0 {
            continue;
        }
        // An area that has grown since takes its place only here; most points are dropped before.
        if areas[point] > area {
            new_areas.push(Reverse((areas[point], point)));
            continue;
        }
        let (a, b) = (before[point], after[point]);
        (after[a], before[b], after[point]) = (b, a, 0);
        rest -= 1;
        for beside in [a, b] {
            if beside > 0 && beside < n - 1 {
                let area = triangle(points[before[beside]], points[beside], points[after[beside]]);
                if area < areas[beside] {
                    new_areas.push(Reverse((area, beside)));
                }
                areas[beside] = area;
            }
        }
    }
    (0..n).filter(|&i| i == 0 || after[i] != 0).collect()
}

/// Which points of a curve that never goes down or left are corners of its upper convex hull; the first and the last
/// are.
pub fn hull(points: &[(u64, u64)]) -> Vec<usize> {
    // The curve turns right at a corner. A point on the line or below it is no corner.
    points_that(points, |turn| turn < 0)
}

/// The same of the lower convex hull.
pub fn lower_hull(points: &[(u64, u64)]) -> Vec<usize> {
    points_that(points, |turn| turn > 0)
}

/// Which points turn the curve: those that do not lie on the line between the points beside them.
pub fn corners(points: &[(u64, u64)]) -> Vec<usize> {
    points_that(points, |turn| turn != 0)
}

/// The points at which the curve makes such a [`turn`] from the last of these points before; the first and the last point.
fn points_that(points: &[(u64, u64)], make: impl Fn(i128) -> bool) -> Vec<usize> {
    let mut corners: Vec<usize> = Vec::new();
    for (i, &point) in points.iter().enumerate() {
        while let [.., a, b] = corners[..]
            && !make(turn(points[a], points[b], point, i128::from))
        {
            corners.pop();
        }
        corners.push(i);
    }
    corners
}

/// Above 0 where the way from `a` over `b` to `c` turns left, below where it turns right: twice the triangle's area. `number`
/// makes a number of a count; 64 bits are enough for counts below [`SMALL_CLASS`].
fn turn<T: Copy + Mul<Output = T> + Sub<Output = T>>(
    a: (u64, u64),
    b: (u64, u64),
    c: (u64, u64),
    number: impl Fn(u64) -> T,
) -> T {
    let by = |to: (u64, u64)| (number(to.0) - number(a.0), number(to.1) - number(a.1));
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

    /// One point after the other, each time all areas anew.
    fn thin_by_definition(points: &[(u64, u64)], most: usize) -> Vec<usize> {
        let mut rest: Vec<usize> = (0..points.len()).collect();
        while rest.len() > most.max(2) {
            let place = (1..rest.len() - 1)
                .min_by_key(|&i| {
                    (
                        turn(points[rest[i - 1]], points[rest[i]], points[rest[i + 1]], i128::from)
                            .unsigned_abs(),
                        rest[i],
                    )
                })
                .unwrap();
            rest.remove(place);
        }
        rest
    }

    proptest! {
        #[test]
        fn as_defined(steps in proptest::collection::vec((0u64..5, 0u64..5), 0..60), most in 0usize..30) {
            let points = curve(&steps);
            prop_assert_eq!(thin(&points, most), thin_by_definition(&points, most));
            // Counts of any size: the triangles of a curve that is as many times as large keep their order.
            let large: Vec<_> = points.iter().map(|(x, y)| (x << 40, y << 40)).collect();
            prop_assert_eq!(thin(&large, most), thin_by_definition(&large, most));
            // A corner of the hull lies above every line between two other points.
            let above = |i: usize| {
                (0..i).all(|a| (i + 1..points.len()).all(|c| turn(points[a], points[i], points[c], i128::from) < 0))
            };
            prop_assert_eq!(hull(&points), (0..points.len()).filter(|&i| above(i)).collect::<Vec<_>>());
            let turns = corners(&points);
            prop_assert!(turns.windows(3).all(|w| turn(points[w[0]], points[w[1]], points[w[2]], i128::from) != 0));
            let twice_area = |corners: &[usize]| -> u64 {
                corners.windows(2).map(|w| (points[w[1]].0 - points[w[0]].0) * (points[w[1]].1 + points[w[0]].1)).sum()
            };
            prop_assert_eq!(twice_area(&turns), twice_area(&(0..points.len()).collect::<Vec<_>>()));
        }
    }
}
