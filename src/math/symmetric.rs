//! Symmetric linear systems.

use rayon::prelude::*;

use crate::interrupt;

/// From this number of rows, all threads share the elimination.
const LARGE: usize = 128;

/// The quadratic form `v' A⁺ v` of a symmetric positive semidefinite matrix, and the rank of the matrix. The
/// form is `None`, for infinity, if the vector has a component outside the range of the matrix.
///
/// Gaussian elimination with the largest remaining diagonal element as pivot, which is the largest element of
/// such a matrix. It stops at a pivot below `1e-10` of the first, so that directions without variance, such
/// as the difference of two equal curves, drop out. `O(k³)`.
pub fn quadratic_form(mut matrix: Vec<Vec<f64>>, mut vector: Vec<f64>) -> (Option<f64>, usize) {
    const NO_VARIANCE: f64 = 1e-10;
    let mut form = 0.0;
    let mut first = 0.0f64;
    let longest = vector.iter().fold(0.0f64, |longest, part| longest.max(part.abs()));
    let size = vector.len();
    for rank in 0..size {
        interrupt::check();
        let diagonal = |index: usize| matrix[index][index];
        let pivot = (rank..size).max_by(|&a, &b| diagonal(a).total_cmp(&diagonal(b))).unwrap_or(rank);
        if pivot != rank {
            matrix.swap(rank, pivot);
            vector.swap(rank, pivot);
            for row in &mut matrix[rank..] {
                row.swap(rank, pivot);
            }
        }
        let height = matrix[rank][rank];
        first = first.max(height);
        if height <= NO_VARIANCE * first {
            let left = vector[rank..].iter().any(|part| part.abs() > NO_VARIANCE.sqrt() * longest);
            return ((!left).then_some(form), rank);
        }
        form += vector[rank] * vector[rank] / height;
        let (above, below) = matrix.split_at_mut(rank + 1);
        let (known, unknown) = vector.split_at_mut(rank + 1);
        let (pivot_row, known) = (&above[rank][rank..], known[rank]);
        let eliminate = |(row, part): (&mut Vec<f64>, &mut f64)| {
            let share = row[rank] / height;
            *part -= share * known;
            for (left, &right) in row[rank..].iter_mut().zip(pivot_row) {
                *left -= share * right;
            }
        };
        if below.len() >= LARGE {
            below.par_iter_mut().zip(unknown).with_min_len(LARGE / 4).for_each(eliminate);
        } else {
            below.iter_mut().zip(unknown).for_each(eliminate);
        }
    }
    (Some(form), size)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix with a known inverse: 1 on the diagonal, and a constant elsewhere.
    #[test]
    fn large_forms() {
        let size = LARGE + 40;
        let (correlation, k) = (0.25, size as f64);
        let row = |a: usize| (0..size).map(|b| if a == b { 1.0 } else { correlation }).collect();
        let vector: Vec<f64> = (0..size).map(|index| (index % 7) as f64).collect();
        let (squares, sum): (f64, f64) = (vector.iter().map(|x| x * x).sum(), vector.iter().sum());
        let known =
            (squares - correlation / (1.0 + (k - 1.0) * correlation) * sum * sum) / (1.0 - correlation);
        let (form, rank) = quadratic_form((0..size).map(row).collect(), vector);
        assert!((form.unwrap() / known - 1.0).abs() < 1e-12);
        assert_eq!(rank, size);
    }

    #[test]
    fn known_forms() {
        // [[4, 2], [2, 3]] has the inverse [[3, -2], [-2, 4]] / 8: (1, 2) gives (3 - 8 + 16) / 8.
        let (form, rank) = quadratic_form(vec![vec![4.0, 2.0], vec![2.0, 3.0]], vec![1.0, 2.0]);
        assert!((form.unwrap() - 11.0 / 8.0).abs() < 1e-15);
        assert_eq!(rank, 2);
        let (form, rank) = quadratic_form(vec![vec![1.0, 1.0], vec![1.0, 1.0]], vec![2.0, 2.0]);
        assert!((form.unwrap() - 4.0).abs() < 1e-15, "{form:?}");
        assert_eq!(rank, 1);
        assert_eq!(quadratic_form(vec![vec![0.0]], vec![0.0]), (Some(0.0), 0));
        assert_eq!(quadratic_form(vec![vec![0.0]], vec![0.5]), (None, 0));
        assert_eq!(quadratic_form(vec![], vec![]), (Some(0.0), 0));
    }
}
