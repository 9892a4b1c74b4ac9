//! Bootstrap resamples: rows with replacement, within each class or by whole clusters.
//!
//! Resamples are not sorted. A row is represented by the index of its distinct score. A resample is therefore
//! an array of counts, from which the curve follows. All threads of the current pool compute replicates. Each
//! replicate has a separate random stream, so the results do not depend on the threads.

use rayon::prelude::*;

use super::measure::Measure;
use super::redraw::{self, Draw, Redraw};
use crate::interrupt;
use crate::math::{Stream, quotient};
use crate::ranking::rows::Codes;
use crate::ranking::ties::Count;
use crate::statistics::options::{FromOptions, OptionError, Options, Word};
use crate::statistics::rows::Rows;

/// The maximum number of resamples.
pub(in crate::statistics) const MAX_RESAMPLES: u32 = 10_000_000;

/// The maximum number of parts of the resamples per thread. At the end, other threads wait for at most one
/// part.
const PARTS_PER_THREAD: usize = 64;

/// The number and the seed of resamples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// The number of resamples.
    pub n_resamples: u32,
    /// The seed of the random streams.
    pub seed: u64,
}

impl Default for Resampling {
    fn default() -> Self {
        Resampling { n_resamples: 2000, seed: 0 }
    }
}

impl FromOptions for Resampling {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let Resampling { n_resamples, seed } = Resampling::default();
        Ok(Resampling {
            n_resamples: options
                .optional_integer("n_resamples", 2..=MAX_RESAMPLES.into())?
                .unwrap_or(n_resamples),
            seed: options.optional_integer("seed", 0..=i64::MAX.into())?.unwrap_or(seed),
        })
    }
}

impl Resampling {
    /// The resampling of a statistic that always resamples: both options are required.
    pub fn required(options: &Options) -> Result<Self, OptionError> {
        Ok(Resampling {
            n_resamples: options.integer("n_resamples", 2..=MAX_RESAMPLES.into())?,
            seed: options.integer("seed", 0..=i64::MAX.into())?,
        })
    }

    /// The resampling, if the option `method` selects the bootstrap. With any other method its options and
    /// `others` are rejected.
    pub fn from_bootstrap<W: Word>(
        options: &Options,
        method: &str,
        bootstrap: W,
        others: &[&'static str],
    ) -> Result<Option<Self>, OptionError> {
        Self::from_method(options, method, options.word(method)?, bootstrap, others)
    }

    /// The same, if the option `method` has this value or is absent.
    pub fn from_method<W: Word>(
        options: &Options,
        method: &str,
        value: W,
        bootstrap: W,
        others: &[&'static str],
    ) -> Result<Option<Self>, OptionError> {
        if value == bootstrap {
            return Resampling::from_options(options).map(Some);
        }
        let used = ["n_resamples", "seed"].iter().chain(others).filter(|name| options.has(name));
        let used: Vec<&str> = used.copied().collect();
        let Some((first, more)) = used.split_first() else { return Ok(None) };
        let and_more: String = more.iter().map(|name| format!("and `{name}` ")).collect();
        let applies = if more.is_empty() { "applies" } else { "apply" };
        let reason =
            format!("{and_more}{applies} to the bootstrap only, and `{method}` is '{}'", value.word());
        let hint = format!("leave this out, or write `{method}=\"{}\"`", bootstrap.word());
        Err(OptionError::new(first, reason).hint(hint))
    }

    /// The approximate number of passes of all resamples over the rows of a group.
    pub fn passes(self) -> usize {
        self.n_resamples as usize
    }

    /// Calls `draw` once per replicate with the replicate's stream, and collects the results in order.
    /// `scratch` creates the memory of each thread.
    pub fn each<T: Send, M: Send>(
        self,
        scratch: impl Fn() -> M + Sync + Send,
        draw: impl Fn(&mut M, Stream) -> T + Sync + Send,
    ) -> Vec<T> {
        let stream = |replicate: u32| Stream::new(self.seed, replicate.into());
        // Every part of the work checks for interrupts, so the number of parts is limited.
        let max_parts = rayon::current_num_threads() * PARTS_PER_THREAD;
        (0..self.n_resamples)
            .into_par_iter()
            .with_min_len(self.n_resamples as usize / max_parts)
            .map_init(scratch, |memory, replicate| {
                interrupt::check();
                draw(memory, stream(replicate))
            })
            .collect()
    }

    /// The areas of stratified resamples of a group with these counts, highest score first. Both classes must
    /// be present. For many rows, [cells](redraw::cells) are resampled, and the loss of area from joining
    /// scores is added back.
    pub fn areas(self, counts: &[Count]) -> Vec<f64> {
        let Count { pos: n_pos, neg: n_neg } = Count::sum(counts);
        let (redraw, _) = Redraw::fitting(counts, Draw::Stratified);
        if redraw.draws_cells() {
            let loss = joining_loss(counts, redraw.counts());
            let areas = self.measures_of(&redraw, Measure::Auc);
            return areas.into_iter().map(|area| (area + loss).clamp(0.0, 1.0)).collect();
        }
        // The rows of the rarer class are counted, and every row of the other class looks up its placement in
        // the counts. In score order, the ties of counted rows have odd numbers, and the gaps between them
        // even ones.
        let counts_pos = n_pos <= n_neg;
        let (mut counted, mut reading) = (Vec::new(), Vec::new());
        let mut n_ties = 0u32;
        for &Count { pos, neg } in counts {
            let (counted_rows, reading_rows) = if counts_pos { (pos, neg) } else { (neg, pos) };
            let here = if counted_rows > 0 { 2 * n_ties + 1 } else { 2 * n_ties };
            reading.extend(std::iter::repeat_n(here, reading_rows as usize));
            counted.extend(std::iter::repeat_n(n_ties, counted_rows as usize));
            n_ties += u32::from(counted_rows > 0);
        }
        let (n_counted, n_reading) = (counted.len() as u32, reading.len() as u32);
        let distinct = n_ties == n_counted;
        let twice_pairs = 2 * u128::from(n_pos) * u128::from(n_neg);
        let memory = || (vec![0u32; n_ties as usize], vec![0u32; 2 * n_ties as usize + 1]);
        self.each(memory, |(counts, placements), mut stream| {
            counts.fill(0);
            stream.indices(n_counted, n_counted as usize, |row| {
                let index = if distinct { row } else { counted[row] as usize };
                counts[index] += 1;
            });
            let mut above = 0;
            for (pair, count) in placements.chunks_exact_mut(2).zip(&*counts) {
                pair[0] = 2 * above;
                pair[1] = 2 * above + count;
                above += count;
            }
            placements[2 * n_ties as usize] = 2 * above;
            let mut twice: u64 = 0;
            stream.indices(n_reading, n_reading as usize, |row| {
                twice += u64::from(placements[reading[row] as usize]);
            });
            // The positives above a negative score higher than it. The negatives above a positive do not
            // score lower.
            let twice_u = if counts_pos { u128::from(twice) } else { twice_pairs - u128::from(twice) };
            quotient(twice_u, twice_pairs)
        })
    }

    /// The measure of each stratified resample of a group with these counts, highest score first. Both
    /// classes must be present.
    pub fn measures_of_counts(self, counts: &[Count], measure: Measure) -> Vec<f64> {
        self.measures_of(&Redraw::rows(counts, Draw::Stratified), measure)
    }

    fn measures_of(self, redraw: &Redraw, measure: Measure) -> Vec<f64> {
        let measures = self.each(Vec::new, |counts, mut stream| {
            redraw.draw(&mut stream, counts);
            measure.evaluate(counts)
        });
        measures.into_iter().flatten().collect()
    }

    /// The measures of each score in each resample of rows. Resamples of clusters may lack a class; their
    /// measures are undefined.
    ///
    /// The rows must be in canonical order.
    pub fn measures_of_rows(self, rows: &Rows, measure: Measure) -> Vec<Vec<Option<f64>>> {
        self.measures_by(rows, &rows.scores, measure)
    }

    fn measures_by(self, rows: &Rows, scores: &[Codes], measure: Measure) -> Vec<Vec<Option<f64>>> {
        let add = |counts: &mut [Vec<Count>], row: usize, _: &mut Stream| {
            for (counts, codes) in counts.iter_mut().zip(scores) {
                counts[codes.descending(codes.row_codes[row])].add(rows.labels[row], 1);
            }
        };
        self.resample_rows(rows, scores, add, |scores| {
            scores.iter().map(|counts| measure.evaluate(counts)).collect()
        })
    }

    /// The areas by the first score in each resample of rows; a resample of clusters without a class has
    /// none. For many rows, scores are joined as in [`areas`](Self::areas), so that the counts of a resample
    /// stay in the cache.
    ///
    /// The rows must be in canonical order.
    pub fn areas_of_rows(self, rows: &Rows) -> Vec<f64> {
        let codes = &rows.scores[0];
        let counts = codes.counts(&rows.labels);
        let (mut scores, mut loss) = (&rows.scores[..1], 0.0);
        let joined: Codes;
        if let Some((cells, last)) = redraw::cells(&counts) {
            loss = joining_loss(&counts, &cells);
            let cell = |code: u32| last.partition_point(|&last| last < codes.descending(code));
            let row_codes =
                codes.row_codes.iter().map(|&code| (cells.len() - 1 - cell(code)) as u32).collect();
            joined = Codes { row_codes, distinct: cells.len() };
            scores = std::slice::from_ref(&joined);
        }
        let areas = self.measures_by(rows, scores, Measure::Auc);
        areas.into_iter().filter_map(|measured| Some((measured[0]? + loss).clamp(0.0, 1.0))).collect()
    }

    /// Applies `of` to the counts of each of `scores` in each resample of rows: of whole clusters if there
    /// are keys, otherwise within each class. `add` adds one row of a resample to the counts of each score,
    /// highest score first.
    ///
    /// The rows must be in canonical order.
    pub fn resample_rows<T: Send>(
        self,
        rows: &Rows,
        scores: &[Codes],
        add: impl Fn(&mut [Vec<Count>], usize, &mut Stream) + Sync + Send,
        f: impl Fn(&[Vec<Count>]) -> T + Sync + Send,
    ) -> Vec<T> {
        let n_neg = rows.n_neg() as u32;
        let n_pos = rows.len as u32 - n_neg;
        let by_cluster = (!rows.keys.row_codes.is_empty()).then(|| {
            let mut clusters = vec![Vec::new(); rows.keys.distinct];
            for (row, &cluster) in (0u32..).zip(&rows.keys.row_codes) {
                clusters[cluster as usize].push(row);
            }
            clusters
        });
        let memory = || -> Vec<Vec<Count>> {
            scores.iter().map(|codes| vec![Count::default(); codes.distinct]).collect()
        };
        self.each(memory, |counts, mut stream| {
            counts.iter_mut().for_each(|counts| counts.fill(Count::default()));
            match &by_cluster {
                Some(clusters) => {
                    for _ in clusters {
                        let cluster = stream.index(clusters.len() as u32) as usize;
                        clusters[cluster].iter().for_each(|&row| add(counts, row as usize, &mut stream));
                    }
                }
                None => {
                    // In canonical order the negatives come first.
                    for (first, rows) in [(0, n_neg), (n_neg, n_pos)] {
                        for _ in 0..rows {
                            let row = first + stream.index(rows);
                            add(counts, row as usize, &mut stream);
                        }
                    }
                }
            }
            f(counts)
        })
    }
}

/// The area of the counts minus the area through the cells that join them.
fn joining_loss(counts: &[Count], cells: &[Count]) -> f64 {
    let area = |counts: &[Count]| Measure::Auc.evaluate(counts).unwrap_or(f64::NAN);
    area(counts) - area(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::quantile::mean_and_deviation;
    use crate::statistics::tests::rows_of;

    const TWO_THOUSAND: Resampling = Resampling { n_resamples: 2000, seed: 5 };

    #[test]
    fn resampled_areas_vary_as_delong() {
        // Either class as the rarer one, with ties.
        for flip in [false, true] {
            let ties: Vec<(u64, u64)> = (0..40u64)
                .map(|i| (u64::from(i % 3 != 2 || i < 10), (i * i) % 4))
                .map(|tie| if flip { (tie.1, tie.0) } else { tie })
                .filter(|tie| *tie != (0, 0))
                .collect();
            let counts = ties.iter().map(|&(pos, neg)| Count { pos, neg }).collect::<Vec<_>>();
            let areas = TWO_THOUSAND.areas(&counts);
            let (mut labels, mut scores) = (Vec::new(), Vec::new());
            for (&(pos, neg), score) in ties.iter().zip((0..100).rev()) {
                labels.extend(
                    std::iter::repeat_n(1u8, pos as usize).chain(std::iter::repeat_n(0, neg as usize)),
                );
                scores.extend(std::iter::repeat_n(f64::from(score), (pos + neg) as usize));
            }
            let rows = rows_of(&labels, &[&scores], &[]);
            let exact = crate::statistics::inference::delong::Areas::new(&rows).unwrap();
            let (mean, deviation) = mean_and_deviation(&areas);
            let se = exact.covariance(0, 0).unwrap().sqrt();
            assert!((mean - exact.auc(0)).abs() < 4.0 * se / 2000f64.sqrt(), "{mean} {}", exact.auc(0));
            // The bootstrap's variances lack the n / (n - 1), 5 % here; its Monte Carlo error is 1.6 %.
            assert!((deviation / se - 1.0).abs() < 0.09, "{deviation} {se}");
            let measures: Vec<f64> = TWO_THOUSAND
                .measures_of_rows(&rows.in_canonical_order(), Measure::Auc)
                .into_iter()
                .filter_map(|measured| measured[0])
                .collect();
            let (mean_too, deviation_too) = mean_and_deviation(&measures);
            assert_eq!(
                measures,
                TWO_THOUSAND.measures_of_counts(&counts, Measure::Auc),
                "by rows or by counts"
            );
            assert!((mean_too - mean).abs() < 6.0 * se / 2000f64.sqrt());
            assert!((deviation_too / deviation - 1.0).abs() < 0.09);
        }
    }

    /// For many rows cells are resampled: the variance of areas about the exact one matches DeLong's, also
    /// for rows in clusters of one.
    #[test]
    fn areas_of_many_rows() {
        let rows = 40_000u64;
        let labels: Vec<u8> = (0..rows).map(|row| u8::from(row * row % 7 < 2)).collect();
        let score = |row: u64| ((row.wrapping_mul(0x9E37_79B9) >> 7) % 100_003) as f64;
        let scores: Vec<f64> =
            (0..rows).map(|row| score(row) + 9e3 * f64::from(labels[row as usize])).collect();
        let clusters: Vec<u32> = (0..rows as u32).collect();
        let rows = rows_of(&labels, &[&scores], &clusters);
        let exact = crate::statistics::inference::delong::Areas::new(&rows).unwrap();
        let se = exact.covariance(0, 0).unwrap().sqrt();
        let resampling = Resampling { n_resamples: 400, seed: 5 };
        let counts = rows.scores[0].counts(&rows.labels);
        for areas in [resampling.areas(&counts), resampling.areas_of_rows(&rows.in_canonical_order())] {
            let (mean, deviation) = mean_and_deviation(&areas);
            assert!((mean - exact.auc(0)).abs() < 4.0 * se / 20.0, "{mean} {}", exact.auc(0));
            // The bootstrap's Monte Carlo error is 3.5 %.
            assert!((deviation / se - 1.0).abs() < 0.12, "{deviation} {se}");
        }
    }

    #[test]
    fn separated_classes_remain_separated() {
        let all_are = |counts: &[(u64, u64)], area: f64| {
            let counts: Vec<Count> = counts.iter().map(|&(pos, neg)| Count { pos, neg }).collect();
            TWO_THOUSAND.areas(&counts).iter().all(|&resampled| resampled == area)
        };
        assert!(all_are(&[(3, 0), (0, 2)], 1.0));
        assert!(all_are(&[(0, 3), (5, 0)], 0.0));
        assert!(all_are(&[(4, 3)], 0.5));
    }

    #[test]
    fn clusters_are_resampled_whole() {
        // Each cluster has one class only, so resamples of one kind have no area.
        let rows = rows_of(&[1, 1, 0], &[&[3.0, 2.0, 1.0]], &[7, 7, 9]).in_canonical_order();
        let measures = TWO_THOUSAND.measures_of_rows(&rows, Measure::Auc);
        let undefined = measures.iter().filter(|measured| measured[0].is_none()).count();
        assert!((900..1100).contains(&undefined), "{undefined}");
        assert!(measures.iter().all(|measured| measured[0].is_none_or(|area| area == 1.0)));
    }
}
