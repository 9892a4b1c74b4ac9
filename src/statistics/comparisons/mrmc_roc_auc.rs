//! Comparison of modalities over several readers of the same cases (MRMC).

use super::adjust_p_values::Adjustment;
use super::area_table::{AreaTable, Error};
use crate::math::{chi_square, f_distribution, student_t};
use crate::ranking::ties::Count;
use crate::statistics::inference::{Alternative, Areas, Interval, in_standard_errors};
use crate::statistics::kinds::{Inputs, Joint, Needs, record};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options, words};
use crate::statistics::rows::Rows;

/// The mean areas of modalities over readers, and the test that they are equal.
///
/// Every reader scores every case with every modality, and each column has the scores of one reader with one
/// modality. The analysis of variance of the areas follows Obuchowski and Rockette (1995), with the degrees
/// of freedom of Hillis (2007). DeLong covariances are averaged over kinds of pairs. `Cov1` is for one reader
/// and two modalities, `Cov2` for two readers and one modality, `Cov3` for two readers and two modalities.
/// `O(k n log n + k² n)` for k columns.
#[derive(Clone, Debug)]
pub struct MrmcRocAuc {
    /// The reader of each column of scores, counted from 0.
    pub readers: Vec<u32>,
    /// The modality of each column.
    pub modalities: Vec<u32>,
    /// The scope of the conclusion; by default, other readers and cases like these.
    pub fixed: Option<Fixed>,
    /// The adjustment of the p-values of the differences.
    pub adjust: Adjustment,
    /// The coverage of all intervals.
    pub level: f64,
}

/// The part of the study that is fixed rather than a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// Conclusions hold for these readers only, but for other cases like these.
    Readers,
    /// Conclusions hold for these cases only, but for other readers like these.
    Cases,
}

record! {
    /// One modality.
    pub struct ModalityRecord {
        /// Its number.
        pub modality: u64,
        /// The mean of the readers' AUCs.
        pub auc: Option<f64>,
        /// Its standard error, from the rows of this modality alone.
        pub se: Option<f64>,
        /// Degrees of freedom; null where the normal distribution is used.
        pub df: Option<f64>,
        /// The lower limit, clipped to 0.
        pub lower: Option<f64>,
        /// The upper limit, clipped to 1.
        pub upper: Option<f64>,
    }
}

record! {
    /// Two modalities.
    pub struct ModalityDifferenceRecord {
        /// The number of the first.
        pub modality_a: u64,
        /// The number of the second.
        pub modality_b: u64,
        /// The mean AUC of the first modality minus the mean AUC of the second.
        pub difference: Option<f64>,
        /// Its standard error.
        pub se: Option<f64>,
        /// Degrees of freedom; null where the normal distribution is used.
        pub df: Option<f64>,
        /// The lower limit.
        pub lower: Option<f64>,
        /// The upper limit.
        pub upper: Option<f64>,
        /// `difference / se`; 0 if both are 0, null if only `se` is 0.
        pub t: Option<f64>,
        /// The two-sided p-value; null where `t` is null.
        pub p_value: Option<f64>,
        /// `p_value`, adjusted for the number of differences.
        pub p_adjusted: Option<f64>,
    }
}

record! {
    /// The comparison of one group.
    pub struct MrmcRocAucRecord {
        /// One record for each modality.
        pub modalities: Option<Vec<ModalityRecord>>,
        /// One record for each pair of modalities.
        pub differences: Option<Vec<ModalityDifferenceRecord>>,
        /// The statistic of the test that all modalities have the same AUC; null with a single modality.
        pub f: Option<f64>,
        /// Degrees of freedom of the modalities.
        pub df1: Option<f64>,
        /// Degrees of freedom of the error; null where the chi-square distribution is used.
        pub df2: Option<f64>,
        /// The p-value; null where `f` is null.
        pub p_value: Option<f64>,
        /// The mean square of modalities.
        pub ms_modality: Option<f64>,
        /// The mean square of readers.
        pub ms_reader: Option<f64>,
        /// The mean square of modalities and readers.
        pub ms_interaction: Option<f64>,
        /// The mean variance of an AUC.
        pub variance: Option<f64>,
        /// The mean covariance of one reader's AUCs with two modalities.
        pub cov1: Option<f64>,
        /// The mean covariance of two readers' AUCs with one modality.
        pub cov2: Option<f64>,
        /// The mean covariance of two readers' AUCs with two modalities.
        pub cov3: Option<f64>,
        /// The number of modalities.
        pub n_modalities: u64,
        /// The number of readers.
        pub n_readers: u64,
        /// The numbers of positives and negatives used.
        pub rows: Count,
    }
}

words!(Fixed { "readers" => Readers, "cases" => Cases });

impl FromOptions for MrmcRocAuc {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let numbers = |name: &str| -> Result<Vec<u32>, OptionError> {
            let number = |value: &OptionValue| match value {
                OptionValue::Integer(number) => u32::try_from(*number).ok(),
                _ => None,
            };
            let numbers: Option<Vec<u32>> = options.list(name)?.iter().map(number).collect();
            numbers.ok_or_else(|| options.must_be(name, "hold a number for each column"))
        };
        let (readers, modalities) = (numbers("readers")?, numbers("modalities")?);
        let mut pairs: Vec<(&u32, &u32)> = modalities.iter().zip(&readers).collect();
        pairs.sort_unstable();
        pairs.dedup();
        if readers.len() != modalities.len() || pairs.len() != distinct(&readers) * distinct(&modalities) {
            return Err("every reader must have one column of scores with every modality".into());
        }
        Ok(MrmcRocAuc {
            readers,
            modalities,
            fixed: options.optional_word("fixed")?,
            adjust: Adjustment::parse(options, "adjust")?,
            level: options.level()?,
        })
    }
}

/// The number of distinct readers or modalities.
fn distinct(numbers: &[u32]) -> usize {
    numbers.iter().max().map_or(0, |&max| max as usize + 1)
}

impl Joint for MrmcRocAuc {
    type Record = MrmcRocAucRecord;

    const INPUTS: Inputs = Inputs::scores(None);

    fn needs(&self) -> Needs {
        Needs::PLACEMENT_PRODUCTS
    }

    fn passes(&self) -> usize {
        16
    }

    fn evaluate(&self, rows: &Rows) -> MrmcRocAucRecord {
        let none = self.with_sizes(MrmcRocAucRecord::undefined(rows));
        let Some(areas) = Areas::new(rows) else { return none };
        let mut column = vec![vec![0; distinct(&self.readers)]; distinct(&self.modalities)];
        for (index, (&modality, &reader)) in self.modalities.iter().zip(&self.readers).enumerate() {
            column[modality as usize][reader as usize] = index;
        }
        let covariances = areas.covariances();
        let covariance = |a: (usize, usize), b: (usize, usize)| {
            let (a, b) = (column[a.0][a.1], column[b.0][b.1]);
            covariances.as_ref().map_or(f64::NAN, |all| all.covariance(a.max(b), a.min(b)))
        };
        let twice_u = column
            .iter()
            .map(|readers| readers.iter().map(|&index| areas.twice_u[index].cast_signed()).collect())
            .collect();
        let twice_pairs = areas.twice_pairs();
        self.evaluate_table(&AreaTable { twice_u, twice_pairs, covariance: &covariance }, none)
    }

    fn nan_record(&self, rows: &Rows) -> MrmcRocAucRecord {
        self.with_sizes(MrmcRocAucRecord::nan(rows))
    }
}

impl MrmcRocAuc {
    /// A record with the numbers of modalities and readers.
    fn with_sizes(&self, record: MrmcRocAucRecord) -> MrmcRocAucRecord {
        let (n_modalities, n_readers) = (distinct(&self.modalities) as u64, distinct(&self.readers) as u64);
        MrmcRocAucRecord { n_modalities, n_readers, ..record }
    }

    /// The analysis of a table of areas. NaN covariances mean that they are unavailable.
    fn evaluate_table(&self, table: &AreaTable<'_>, none: MrmcRocAucRecord) -> MrmcRocAucRecord {
        let (modalities, readers) = table.sizes();
        let variance = table.mean_covariance(|a, b| a == b);
        let cov1 = table.mean_covariance(|a, b| a.1 == b.1 && a.0 != b.0);
        let cov2 = table.mean_covariance(|a, b| a.0 == b.0 && a.1 != b.1);
        let cov3 = table.mean_covariance(|a, b| a.0 != b.0 && a.1 != b.1);
        let (ms_modality, ms_reader, ms_interaction) = table.squares();
        let j = readers as f64;
        // The error variance of the difference of two modalities.
        let between = cov2.zip(cov3).map(|(cov2, cov3)| table.beyond_rounding(cov2 - cov3).max(0.0));
        let df = ((modalities.saturating_sub(1)) * (readers.saturating_sub(1))) as f64;
        let error = match self.fixed {
            None => {
                ms_interaction.zip(between).map(|(square, between)| Error::from_sum(square, df, j * between))
            }
            Some(Fixed::Cases) => ms_interaction.map(|variance| Error { variance, df }),
            Some(Fixed::Readers) => variance.zip(cov1).map(|(variance, cov1)| Error {
                variance: table.beyond_rounding(variance - cov1) + (j - 1.0) * between.unwrap_or_default(),
                df: f64::INFINITY,
            }),
        };
        let pairs = (0..modalities).flat_map(|a| (a + 1..modalities).map(move |b| (a, b)));
        let mut differences: Vec<ModalityDifferenceRecord> =
            pairs.map(|(a, b)| self.difference(table, error, a, b)).collect();
        self.adjust.adjust(&mut differences, |record| (record.p_value, &mut record.p_adjusted));
        let df1 = modalities.saturating_sub(1) as f64;
        let f = ms_modality.zip(error).and_then(|(square, error)| in_standard_errors(square, error.variance));
        let p_value = f.zip(error).map(|(f, error)| {
            if error.df.is_finite() {
                f_distribution::upper_tail(f, df1, error.df)
            } else {
                chi_square::upper_tail(f * df1, df1)
            }
        });
        MrmcRocAucRecord {
            modalities: Some((0..modalities).map(|modality| self.modality(table, modality)).collect()),
            differences: Some(differences),
            f,
            df1: f.map(|_| df1),
            df2: f.and(error).and_then(Error::df),
            p_value,
            ms_modality,
            ms_reader,
            ms_interaction,
            variance,
            cov1,
            cov2,
            cov3,
            ..none
        }
    }

    /// One modality, from its rows of the table.
    fn modality(&self, table: &AreaTable<'_>, modality: usize) -> ModalityRecord {
        let (_, readers) = table.sizes();
        let j = readers as f64;
        let auc = table.modality_sum(modality);
        let cov2 = table.mean_covariance(|a, b| a.0 == modality && b.0 == modality && a.1 != b.1);
        let cov2 = cov2.map(|cov2| table.beyond_rounding(cov2).max(0.0));
        let error = match self.fixed {
            None => cov2.map(|cov2| Error::from_sum(table.square_of_readers(modality), j - 1.0, j * cov2)),
            Some(Fixed::Cases) => {
                (readers > 1).then(|| Error { variance: table.square_of_readers(modality), df: j - 1.0 })
            }
            Some(Fixed::Readers) => table.mean_covariance(|a, b| a == b && a.0 == modality).map(|variance| {
                Error { variance: variance + (j - 1.0) * cov2.unwrap_or_default(), df: f64::INFINITY }
            }),
        };
        let se = error.map(|error| (error.variance / j).sqrt());
        let Interval { se, lower, upper } = self.interval(auc, se, error).within(0.0, 1.0);
        let df = error.and_then(Error::df);
        ModalityRecord { modality: modality as u64, auc: Some(auc), se, df, lower, upper }
    }

    /// The difference of two modalities, whose areas have this error.
    fn difference(
        &self,
        table: &AreaTable<'_>,
        error: Option<Error>,
        a: usize,
        b: usize,
    ) -> ModalityDifferenceRecord {
        let (_, readers) = table.sizes();
        let j = readers as f64;
        let difference = table.difference(a, b);
        let se = error.map(|error| (2.0 / j * error.variance).max(0.0).sqrt());
        let Interval { se, lower, upper } = self.interval(difference, se, error);
        let t = se.and_then(|se| in_standard_errors(difference, se));
        let tail = |t: f64| student_t::upper_tail(t, error.map_or(f64::NAN, |error| error.df));
        ModalityDifferenceRecord {
            modality_a: a as u64,
            modality_b: b as u64,
            difference: Some(difference),
            se,
            df: error.and_then(Error::df),
            lower,
            upper,
            t,
            p_value: t.map(|t| Alternative::TwoSided.p_value(t, tail)),
            p_adjusted: None,
        }
    }

    /// The interval of an estimate; undefined without an error.
    fn interval(&self, estimate: f64, se: Option<f64>, error: Option<Error>) -> Interval {
        let interval = |(se, error): (f64, Error)| Interval::student(estimate, se, self.level, error.df);
        se.zip(error).map(interval).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::options::tests::options;

    /// The areas of Van Dyke et al. (1993): two modalities, five readers, 45 cases with a dissection of the
    /// aorta and 69 without. Their DeLong covariances are from MRMCaov's user guide (Smith and Hillis 2020).
    fn van_dyke(fixed: Option<Fixed>) -> MrmcRocAucRecord {
        // Multiples of 1 / 6210: 45 times 69 pairs, each of which counts twice.
        let twice_pairs = 2 * 45 * 69;
        let whole = |area: f64| (area * f64::from(twice_pairs)).round() as i128;
        let twice_u = VAN_DYKE.iter().map(|areas| areas.iter().map(|&area| whole(area)).collect()).collect();
        let covariance = |a: (usize, usize), b: (usize, usize)| match (a.0 == b.0, a.1 == b.1) {
            (true, true) => 0.000_792_132_5,
            (false, true) => 0.000_342_009_0,
            (true, false) => [0.000_477_523_9, 0.000_201_529_2][a.0],
            (false, false) => 0.000_235_849_7,
        };
        let statistic = MrmcRocAuc {
            readers: vec![0, 1, 2, 3, 4, 0, 1, 2, 3, 4],
            modalities: vec![0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
            fixed,
            adjust: Adjustment::None,
            level: 0.95,
        };
        statistic.evaluate_table(
            &AreaTable { twice_u, twice_pairs: twice_pairs as u128, covariance: &covariance },
            MrmcRocAucRecord::undefined(Count::default()),
        )
    }

    const VAN_DYKE: [[f64; 5]; 2] = [
        [0.919_645_732_7, 0.858_776_167_5, 0.903_864_734_3, 0.973_107_890_5, 0.829_790_660_2],
        [0.947_826_087_0, 0.905_314_009_7, 0.921_739_130_4, 0.999_355_877_6, 0.929_951_690_8],
    ];

    fn close(got: Option<f64>, published: f64, digits: i32) {
        let got = got.unwrap();
        assert!((got / published - 1.0).abs() < 10f64.powi(-digits), "{got} {published}");
    }

    #[test]
    fn random_readers_and_cases() {
        let record = van_dyke(None);
        close(record.ms_modality, 0.004_796_171, 6);
        close(record.ms_interaction, 0.000_551_030_6, 6);
        close(record.cov2, 0.000_339_526_5, 6);
        close(record.f, 4.484_854, 6);
        close(record.df2, 15.066_11, 6);
        close(record.p_value, 0.051_233_03, 5);
        let differences = record.differences.unwrap();
        close(differences[0].difference, -0.043_800_32, 6);
        close(differences[0].se, 0.020_682_5, 5);
        close(differences[0].lower, -0.087_867_196_0, 6);
        close(differences[0].t, -2.117_747, 6);
        close(differences[0].p_value, 0.051_233_03, 5);
        let modalities = record.modalities.unwrap();
        let published = [
            (0.897_037_0, 0.033_076_42, 12.595_97, 0.825_346_1, 0.968_728_0),
            (0.940_837_4, 0.021_504_64, 12.565_30, 0.894_215_5, 0.987_459_2),
        ];
        for (modality, (auc, se, df, lower, upper)) in modalities.iter().zip(published) {
            close(modality.auc, auc, 6);
            close(modality.se, se, 5);
            close(modality.df, df, 5);
            close(modality.lower, lower, 6);
            close(modality.upper, upper, 6);
        }
    }

    #[test]
    fn fixed_factors_add_no_error() {
        let (both, readers, cases) =
            (van_dyke(None), van_dyke(Some(Fixed::Readers)), van_dyke(Some(Fixed::Cases)));
        // The error is Var - Cov1 + 4 (Cov2 - Cov3) against chi-square, or the mean square alone with 4
        // degrees of freedom.
        let error = 0.000_792_132_5 - 0.000_342_009_0 + 4.0 * (0.000_339_526_55 - 0.000_235_849_7);
        close(readers.f, 0.004_796_171 / error, 6);
        assert_eq!((readers.df1, readers.df2, cases.df2), (Some(1.0), None, Some(4.0)));
        close(cases.f, 0.004_796_171 / 0.000_551_030_6, 6);
        assert!(both.f < cases.f && both.f < readers.f);
        close(readers.p_value, chi_square::upper_tail(readers.f.unwrap(), 1.0), 12);
    }

    #[test]
    fn designs_that_lack_a_column() {
        let design = |readers: &[i128], modalities: &[i128]| {
            let list = |numbers: &[i128]| {
                OptionValue::List(numbers.iter().map(|&number| OptionValue::Integer(number)).collect())
            };
            MrmcRocAuc::from_options(&options([
                ("readers", list(readers)),
                ("modalities", list(modalities)),
                ("level", OptionValue::Float(0.9)),
            ]))
        };
        assert!(design(&[0, 1, 0, 1], &[0, 0, 1, 1]).is_ok());
        for (readers, modalities) in [([0, 1, 0, 0], [0, 0, 1, 1]), ([0, 0, 1, 1], [0, 0, 1, 1])] {
            assert!(design(&readers, &modalities).is_err());
        }
        assert!(design(&[0, 1, 0], &[0, 0, 1]).is_err());
        assert!(design(&[0], &[0, 1]).is_err());
        assert!(design(&[-1], &[0]).is_err());
    }
}
