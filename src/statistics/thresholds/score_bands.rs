//! Bands of scores: rows in groups of about equal size, or between edges, the highest scores first.

use std::cmp::Ordering;

use crate::ranking::scores::Number;
use crate::ranking::ties::{Ties, Units};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options};

/// The largest number of bands.
const MOST_BANDS: i128 = 1_000_000;

/// Up to this many bands of a large group are found one by one, by the rank of the row that ends each band.
const FEW_BANDS: u32 = 100;

/// How scores are divided into bands. A distinct score is never divided.
#[derive(Clone, Debug)]
pub struct ScoreBands {
    /// How many bands there are, if no scores tie.
    pub bands: u32,
    /// The scores at which bands begin, in ascending order; bands of equal size without them.
    pub edges: Option<Vec<Number>>,
}

/// Consecutive rows of one band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The band's number, from 1 for the highest scores; none for rows of the band above them, whichever that is.
    number: Option<u64>,
    /// The highest score.
    pub highest: u128,
    /// The lowest score.
    pub lowest: u128,
    /// Positives; with weights, their units.
    pub pos: u64,
    /// Negatives; with weights, their units.
    pub neg: u64,
}

impl Band {
    /// The band's number, from 1 for the highest scores.
    pub fn number(&self) -> u64 {
        self.number.unwrap_or(1)
    }

    /// Takes in the rows just below.
    fn join(&mut self, lower: &Self) {
        self.lowest = lower.lowest;
        self.pos += lower.pos;
        self.neg += lower.neg;
    }
}

/// Appends lower rows to the bands so far.
///
/// Rows without a number at the top of a part of the scores stay apart: only when the parts are joined is it known which
/// band is above them.
fn take(bands: &mut Vec<Band>, lower: Band) {
    match bands.last_mut() {
        Some(last) if lower.number.is_none() || last.number == lower.number => last.join(&lower),
        _ => bands.push(lower),
    }
}

/// Joins rows without a number at the top of all scores to the first band that has one: there is no band above them.
fn first_has_number(bands: &mut Vec<Band>) {
    if let [top, first, ..] = &mut bands[..]
        && top.number.is_none()
    {
        top.join(first);
        top.number = first.number;
        bands.remove(1);
    }
}

impl FromOptions for ScoreBands {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let (bands, edges) = (options.value("bands"), options.value("edges"));
        if !options.has("edges") {
            let bands = options.optional_integer("bands", 1..=MOST_BANDS)?.unwrap_or(10);
            return Ok(ScoreBands { bands, edges: None });
        }
        if options.has("bands") {
            return Err(format!("give `bands` or `edges`, got bands={bands} and edges={edges}").into());
        }
        let numbers = options.thresholds("edges")?;
        if options.list("edges")?.windows(2).any(|pair| order(&pair[0], &pair[1]).is_ge()) {
            return Err(OptionError::new("edges", format!("must ascend, got {edges}")));
        }
        Ok(ScoreBands { bands: 1, edges: Some(numbers) })
    }
}

/// Which of two numbers is larger, by all of their digits.
fn order(a: &OptionValue, b: &OptionValue) -> Ordering {
    let near = a.number().partial_cmp(&b.number());
    near.filter(|order| order.is_ne()).unwrap_or_else(|| {
        let text = |value: &OptionValue| match value {
            // A float has no more decimals.
            OptionValue::Float(value) => format!("{value:.1074}"),
            OptionValue::Digits(digits) => digits.clone(),
            value => value.to_string(),
        };
        let size = |text: &str| {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let whole = whole.trim_start_matches(['-', '0']);
            (whole == "inf", whole.len(), whole.to_string(), fraction.trim_end_matches('0').to_string())
        };
        let (a, b) = (text(a), text(b));
        let order = size(&a).cmp(&size(&b));
        if a.starts_with('-') { order.reverse() } else { order }
    })
}

impl ScoreBands {
    /// Bands of about equal numbers of rows, or of equal weight: a score is in band `floor(rows above it * bands / all rows) + 1`. A band that
    /// no score falls into is left out.
    pub fn of_rows(&self, ties: &mut Ties<'_>) -> Vec<Band> {
        if self.edges.is_none() && self.bands <= FEW_BANDS && ties.is_large() && ties.units().is_none() {
            return self.by_rank_of_rows(ties);
        }
        let Some(Units { pos, neg, .. }) = ties.units() else {
            let all = ties.n_pos() + ties.n_neg();
            return self.numbered(ties, |_, above| Some(self.number(above.0 + above.1, all)));
        };
        // The classes have units of their own, so that weights of both are added as floats.
        let weight = |(pos_units, neg_units)| pos.weight(pos_units) + neg.weight(neg_units);
        let all = weight((ties.n_pos(), ties.n_neg()));
        self.numbered(ties, |_, above| {
            Some(((weight(above) * f64::from(self.bands) / all) as u64 + 1).min(self.bands.into()))
        })
    }

    /// Bands of about equal numbers of positives: a score with positives is in band
    /// `floor(positives above it * bands / all positives) + 1`, and a score without in that of the score above it. So every
    /// band has a positive, unless there are edges.
    pub fn of_positives(&self, ties: &mut Ties<'_>) -> Vec<Band> {
        let n_pos = ties.n_pos();
        self.numbered(ties, |pos, above| (pos > 0).then(|| self.number(above.0, n_pos)))
    }

    fn number(&self, above: u64, all: u64) -> u64 {
        (u128::from(above) * u128::from(self.bands) / u128::from(all)) as u64 + 1
    }

    /// Bands by the edges or, without them, by the positives of a score and the rows above it.
    fn numbered(
        &self,
        ties: &mut Ties<'_>,
        number: impl Fn(u64, (u64, u64)) -> Option<u64> + Sync,
    ) -> Vec<Band> {
        let edges = self
            .edges
            .as_ref()
            .map(|edges| -> Vec<Option<u128>> { edges.iter().map(|&edge| ties.at_least(edge)).collect() });
        let mut bands = ties.fold(
            |bands: &mut Vec<Band>, tie| {
                let number = match &edges {
                    // Edges that the score does not reach.
                    Some(edges) => {
                        let reached = edges.partition_point(|edge| edge.is_some_and(|edge| edge <= tie.key));
                        Some((edges.len() - reached) as u64 + 1)
                    }
                    None => number(tie.pos, (tie.pos_above, tie.neg_above)),
                };
                take(bands, Band { number, highest: tie.key, lowest: tie.key, pos: tie.pos, neg: tie.neg });
            },
            |bands, lower| lower.into_iter().for_each(|band| take(bands, band)),
        );
        first_has_number(&mut bands);
        bands
    }

    /// Bands of equal numbers of rows, as far as ties allow.
    fn by_rank_of_rows(&self, ties: &mut Ties<'_>) -> Vec<Band> {
        let all = u128::from(ties.n_pos() + ties.n_neg());
        let mut bands = Vec::new();
        let (mut tp, mut fp) = (0, 0);
        for number in 1..=u64::from(self.bands) {
            // A score is in the first band that its first row is in; the band ends with the score that holds this row.
            let last_row = (u128::from(number) * all).div_ceil(u128::from(self.bands)) as u64;
            let (Some(first), Some(last)) = (ties.at_rank(tp + fp + 1), ties.at_rank(last_row)) else {
                break;
            };
            if last.tp() + last.fp() > tp + fp {
                let (pos, neg) = (last.tp() - tp, last.fp() - fp);
                bands.push(Band { number: Some(number), highest: first.key, lowest: last.key, pos, neg });
                (tp, fp) = (last.tp(), last.fp());
            }
        }
        bands
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::statistics::options::tests::options;

    #[test]
    fn edges_ascend_by_all_of_their_digits() {
        let digits = |text: &str| OptionValue::Digits(text.into());
        let large = format!("1{}", "0".repeat(400));
        let ascending = [
            OptionValue::Float(f64::NEG_INFINITY),
            digits(&format!("-{large}")),
            OptionValue::Integer(-(1 << 60) - 1),
            OptionValue::Float(-f64::powi(2.0, 60)),
            digits("-0.3"),
            OptionValue::Float(-0.3),
            OptionValue::Float(0.0),
            OptionValue::Float(0.3),
            digits("0.3"),
            OptionValue::Integer(1),
            OptionValue::Float(f64::powi(2.0, 60)),
            OptionValue::Integer((1 << 60) + 1),
            digits(&large),
            OptionValue::Float(f64::INFINITY),
        ];
        for (a, b) in (0..ascending.len()).flat_map(|a| (0..ascending.len()).map(move |b| (a, b))) {
            assert_eq!(order(&ascending[a], &ascending[b]), a.cmp(&b), "{} {}", ascending[a], ascending[b]);
        }
        let of = |edges: &[OptionValue]| {
            ScoreBands::from_options(&options([("edges", OptionValue::List(edges.to_vec()))]))
        };
        assert_eq!(of(&ascending).unwrap().edges.map(|edges| edges.len()), Some(ascending.len()));
        let error = of(&[OptionValue::Integer(0), OptionValue::Float(-0.0)]).unwrap_err();
        assert_eq!(error.to_string(), "`edges` must ascend, got [0, -0.0]");
    }

    fn rows(number: Option<u64>, key: u128) -> Band {
        Band { number, highest: key, lowest: key, pos: number.is_some().into(), neg: 1 }
    }

    /// The bands of rows that come in parts, the highest scores first.
    fn bands_of_parts<'a>(parts: impl IntoIterator<Item = &'a [Band]>) -> Vec<Band> {
        let mut bands = Vec::new();
        for part in parts {
            let mut lower = Vec::new();
            part.iter().for_each(|row| take(&mut lower, *row));
            lower.into_iter().for_each(|band| take(&mut bands, band));
        }
        first_has_number(&mut bands);
        bands
    }

    /// The second part begins with rows without a number, and its first number is not that of the band above.
    #[test]
    fn rows_without_a_number_are_of_the_band_above_in_another_part() {
        let rows = [rows(Some(1), 9), rows(None, 8), rows(Some(2), 7)];
        let bands = bands_of_parts([&rows[..1], &rows[1..]]);
        assert_eq!(bands.iter().map(Band::number).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(bands.iter().map(|band| band.neg).collect::<Vec<_>>(), [2, 1]);
    }

    proptest! {
        #[test]
        fn parts_change_no_band(
            steps in prop::collection::vec((any::<bool>(), 0u64..2), 0..12),
            mut cuts in prop::collection::vec(0usize..12, 0..4),
        ) {
            let mut number = 1;
            let rows: Vec<Band> = steps
                .iter()
                .zip((0..20).rev())
                .map(|(&(numbered, step), key)| {
                    number += step;
                    rows(numbered.then_some(number), key)
                })
                .collect();
            cuts.iter_mut().for_each(|cut| *cut = (*cut).min(rows.len()));
            cuts.extend([0, rows.len()]);
            cuts.sort_unstable();
            let parts = cuts.windows(2).map(|cut| &rows[cut[0]..cut[1]]);
            prop_assert_eq!(bands_of_parts(parts), bands_of_parts([&rows[..]]));
        }
    }
}
