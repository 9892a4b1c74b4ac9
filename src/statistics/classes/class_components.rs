//! The variance of an average of areas of several classes, from the components of rows.

use crate::ranking::rows::RowPlacements;
use crate::ranking::tasks;
use crate::ranking::ties::Placements;
use crate::statistics::inference::delong;

/// The variance of a mean over the rows of one class: the sample variance of the components divided by the
/// number of rows. Each component comes with its number of rows. Undefined with fewer than two rows. The
/// result is the same for every row order, and exactly 0 for equal components.
pub fn variance_of_class(mut components: Vec<(f64, u64)>) -> Option<f64> {
    tasks::sort_by(&mut components, |a, b| a.0.total_cmp(&b.0));
    let min = components.first()?.0;
    let rows = components.iter().map(|row| row.1).sum::<u64>();
    let n = rows as f64;
    // The mean distance from the smallest component: exactly 0 for equal components.
    let mean = components.iter().map(|&(value, rows)| (value - min) * rows as f64).sum::<f64>() / n;
    let squares = components.iter().map(|&(value, rows)| rows as f64 * (value - min - mean).powi(2));
    (rows > 1).then(|| squares.sum::<f64>() / ((n - 1.0) * n))
}

/// The DeLong variance of an area, from twice the placements of all rows; undefined with a single row in a
/// class.
pub fn variance_of_area(twice: &RowPlacements) -> Option<f64> {
    let squares = |class_placements: &[u32]| {
        class_placements.iter().map(|&twice| u128::from(u64::from(twice).pow(2))).sum::<u128>()
    };
    let placements = Placements {
        sum: twice.pos.iter().map(|&twice| u128::from(twice)).sum(),
        squares_of_pos: squares(&twice.pos),
        squares_of_neg: squares(&twice.neg),
    };
    delong::variance(&placements, twice.pos.len() as u64, twice.neg.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_of_components() {
        // 1, 2, 2, 6: the mean is 11/4, and the squared deviations sum to 14.75.
        let variance = variance_of_class(vec![(6.0, 1), (2.0, 2), (1.0, 1)]).unwrap();
        assert!((variance - 14.75 / 12.0).abs() < 1e-15);
        assert_eq!(variance_of_class(vec![(0.1, 3), (0.1, 4)]), Some(0.0));
        assert_eq!(variance_of_class(vec![(0.1, 1)]), None);
        assert_eq!(variance_of_class(Vec::new()), None);
    }
}
