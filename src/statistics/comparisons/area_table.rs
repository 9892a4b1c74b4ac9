//! The areas of modalities and readers: their means, mean squares and mean covariances.

use crate::math;

/// The areas of each modality and reader, and their covariances.
///
/// All areas have the same rows, and therefore one denominator. Means and contrasts of areas are thus
/// quotients of integers: equal contrasts are bit-identical, and their mean square is exactly 0.
pub(super) struct AreaTable<'a> {
    /// Twice the Mann-Whitney U, by modality and reader.
    pub twice_u: Vec<Vec<i128>>,
    /// Twice the number of pairs of a positive and a negative.
    pub twice_pairs: u128,
    /// The covariance of two areas, each by modality and reader.
    pub covariance: &'a dyn Fn((usize, usize), (usize, usize)) -> f64,
}

impl AreaTable<'_> {
    /// The numbers of modalities and of readers.
    pub fn sizes(&self) -> (usize, usize) {
        (self.twice_u.len(), self.twice_u.first().map_or(0, Vec::len))
    }

    /// The mean of `areas` areas with this total of `twice_u`.
    fn area(&self, twice_u: i128, areas: usize) -> f64 {
        math::signed_quotient(twice_u, areas as u128 * self.twice_pairs)
    }

    fn sum_of_modality(&self, modality: usize) -> i128 {
        self.twice_u[modality].iter().sum()
    }

    /// The mean area of a modality.
    pub fn modality_sum(&self, modality: usize) -> f64 {
        self.area(self.sum_of_modality(modality), self.sizes().1)
    }

    /// The difference of the mean areas of two modalities.
    pub fn difference(&self, a: usize, b: usize) -> f64 {
        self.area(self.sum_of_modality(a) - self.sum_of_modality(b), self.sizes().1)
    }

    /// A difference of mean covariances, or 0 within rounding error. The bound is a few units in the last
    /// place of the largest variance for each term of a mean.
    pub fn beyond_rounding(&self, difference: f64) -> f64 {
        let (modalities, readers) = self.sizes();
        let cells = modalities * readers;
        let cell = |index: usize| (index / readers, index % readers);
        let largest = (0..cells).map(|index| (self.covariance)(cell(index), cell(index))).fold(0.0, f64::max);
        let rounding = (cells * cells + 8) as f64 * f64::EPSILON * largest;
        if difference.abs() <= rounding { 0.0 } else { difference }
    }

    /// The mean covariance over the `is_selected` pairs of areas, the earlier area first; undefined if one is
    /// NaN.
    pub fn mean_covariance(
        &self,
        is_selected: impl Fn((usize, usize), (usize, usize)) -> bool,
    ) -> Option<f64> {
        let (modalities, readers) = self.sizes();
        let cells: Vec<(usize, usize)> =
            (0..modalities).flat_map(|modality| (0..readers).map(move |reader| (modality, reader))).collect();
        let pairs =
            cells.iter().enumerate().flat_map(|(index, &a)| cells[index..].iter().map(move |&b| (a, b)));
        let covariances = pairs.filter(|&(a, b)| is_selected(a, b)).map(|(a, b)| (self.covariance)(a, b));
        mean(covariances).filter(|mean| !mean.is_nan())
    }

    /// The sum of squares of contrasts, which are differences of mean areas with this common denominator.
    fn squares_of(&self, contrasts: impl Iterator<Item = i128>, areas: usize) -> f64 {
        contrasts.map(|contrast| self.area(contrast, areas).powi(2)).sum()
    }

    /// The mean square over readers of the areas of one modality.
    pub fn square_of_readers(&self, modality: usize) -> f64 {
        let (_, readers) = self.sizes();
        let sum = self.sum_of_modality(modality);
        let contrasts = self.twice_u[modality].iter().map(|area| readers as i128 * area - sum);
        self.squares_of(contrasts, readers) / (readers - 1) as f64
    }

    /// The mean squares of modalities, readers and their interaction; undefined for a single one.
    pub fn squares(&self) -> (Option<f64>, Option<f64>, Option<f64>) {
        let (modalities, readers) = self.sizes();
        let (i, j) = (modalities as i128, readers as i128);
        let cells = modalities * readers;
        let modality_sums: Vec<i128> =
            (0..modalities).map(|modality| self.sum_of_modality(modality)).collect();
        let reader_sums: Vec<i128> =
            (0..readers).map(|reader| self.twice_u.iter().map(|areas| areas[reader]).sum()).collect();
        let all: i128 = modality_sums.iter().sum();
        let sum_of_modalities = self.squares_of(modality_sums.iter().map(|sum| i * sum - all), cells);
        let sum_of_readers = self.squares_of(reader_sums.iter().map(|sum| j * sum - all), cells);
        let rest = |modality: usize, reader: usize| {
            i * j * self.twice_u[modality][reader] - i * modality_sums[modality] - j * reader_sums[reader]
                + all
        };
        let both = self.squares_of((0..cells).map(|cell| rest(cell / readers, cell % readers)), cells);
        let (i, j) = (modalities as f64, readers as f64);
        (
            (modalities > 1).then(|| j * sum_of_modalities / (i - 1.0)),
            (readers > 1).then(|| i * sum_of_readers / (j - 1.0)),
            (modalities > 1 && readers > 1).then(|| both / ((i - 1.0) * (j - 1.0))),
        )
    }
}

/// A variance with its degrees of freedom, infinite for the normal distribution.
#[derive(Clone, Copy)]
pub(super) struct Error {
    pub variance: f64,
    pub df: f64,
}

impl Error {
    /// The sum of a mean square with these degrees of freedom and a known term, by Satterthwaite's
    /// approximation.
    pub fn from_sum(square: f64, df: f64, term: f64) -> Self {
        let variance = square + term;
        Error {
            variance,
            df: if square > 0.0 { variance * variance * df / (square * square) } else { f64::INFINITY },
        }
    }

    pub fn df(self) -> Option<f64> {
        self.df.is_finite().then_some(self.df)
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}
