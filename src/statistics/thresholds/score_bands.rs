//! Bands of scores: rows in groups of about equal size, or between edges, highest scores first.

use std::cmp::Ordering;

use crate::ranking::scores::Number;
use crate::ranking::ties::{Tie, Ties, Units};
use crate::statistics::options::{FromOptions, OptionError, OptionValue, Options};

/// The maximum number of bands.
const MAX_BANDS: i128 = 1_000_000;

/// Up to this number of bands, the bands of a large group are found one by one, by the rank of each border's
/// row.
const FEW_BANDS: u32 = 100;

/// The division of scores into bands. A distinct score is never divided.
#[derive(Clone, Debug)]
pub struct ScoreBands {
    /// The number of bands, if no scores tie.
    pub bands: u32,
    /// The scores at which bands begin, ascending; without them, bands of equal size.
    pub edges: Option<Vec<Number>>,
}

/// Consecutive rows of one band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    position: Position,
    /// The highest score.
    pub highest: u128,
    /// The lowest score.
    pub lowest: u128,
    /// Positives; with weights, their units.
    pub pos: u64,
    /// Negatives; with weights, their units.
    pub neg: u64,
    /// The positives of the lowest score that has any.
    lowest_pos: u64,
}

/// The band of a score, as far as the rows above and below determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// The number of the band; 1 has the highest scores.
    Number(u64),
    /// The border between the two middle bands.
    Middle,
    /// Between two scores with positives: the positives above.
    Between(u64),
}

impl Band {
    fn new(position: Position, highest: u128, lowest: u128, (pos, neg): (u64, u64)) -> Self {
        Band { position, highest, lowest, pos, neg, lowest_pos: pos }
    }

    /// The number of the band; 1 has the highest scores.
    pub fn number(&self) -> u64 {
        match self.position {
            Position::Number(number) => number,
            Position::Middle | Position::Between(_) => 1,
        }
    }

    /// Adds the rows just below.
    fn join(&mut self, lower: &Self) {
        self.lowest = lower.lowest;
        self.pos += lower.pos;
        self.neg += lower.neg;
        if lower.pos > 0 {
            self.lowest_pos = lower.lowest_pos;
        }
    }

    /// These rows together with the rows just below, at the position of the latter.
    fn on_top_of(self, lower: &Self) -> Self {
        let mut joined = Band { position: lower.position, ..self };
        joined.join(lower);
        joined
    }

    /// The distance of the middle of the band from the upper end, in half bands.
    fn middle(&self, bands: u64) -> u64 {
        match self.position {
            Position::Number(number) => 2 * number - 1,
            Position::Middle | Position::Between(_) => bands,
        }
    }
}

/// Appends lower rows to the bands so far, which may belong to a part of the scores.
fn push(bands: &mut Vec<Band>, lower: Band) {
    match &mut bands[..] {
        [.., last] if last.position == lower.position => last.join(&lower),
        [.., above, between]
            if matches!(between.position, Position::Between(_)) && above.position == lower.position =>
        {
            above.join(between);
            above.join(&lower);
            bands.pop();
        }
        _ => bands.push(lower),
    }
}

impl FromOptions for ScoreBands {
    fn from_options(options: &Options) -> Result<Self, OptionError> {
        let (bands, edges) = (options.value("bands"), options.value("edges"));
        if !options.has("edges") {
            let bands = options.optional_integer("bands", 1..=MAX_BANDS)?.unwrap_or(10);
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

/// Compares two numbers by all of their digits.
fn order(a: &OptionValue, b: &OptionValue) -> Ordering {
    let near = a.number().partial_cmp(&b.number());
    near.filter(|order| order.is_ne()).unwrap_or_else(|| {
        let text = |value: &OptionValue| match value {
            // A float has at most this many decimals.
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
    /// Bands of about equal numbers of rows, or of equal weight. Empty bands are omitted.
    ///
    /// Rows divide the range from 0 to 1 into equal parts, highest first, and so do bands. A score belongs to
    /// the band of the middle of its rows. A score on a border belongs to the outer band. On the middle
    /// border it belongs to the band with fewer rows, then with fewer positives, then to the upper one.
    /// Flipping the signs of all scores therefore reverses the bands, unless the two middle bands have equal
    /// counts.
    pub fn row_bands(&self, ties: &mut Ties<'_>) -> Vec<Band> {
        if let Some(bands) = self.by_edges(ties) {
            return bands;
        }
        let n_pos = ties.n_pos();
        let Some(Units { pos, neg, .. }) = ties.units() else {
            let all = n_pos + ties.n_neg();
            let bands = if self.bands <= FEW_BANDS && ties.is_large() {
                self.by_rank_of_rows(ties)
            } else {
                self.placed(ties, |tie| {
                    self.position(tie.pos_above + tie.neg_above, all - tie.tp() - tie.fp(), all)
                })
            };
            return self.numbered(bands, n_pos, |band| ((band.pos + band.neg) as f64, band.pos));
        };
        // The classes have separate units, so weights of both are added as floats.
        let weight = |pos_units, neg_units| pos.weight(pos_units) + neg.weight(neg_units);
        let n_neg = ties.n_neg();
        let all = weight(n_pos, n_neg);
        let bands = self.placed(ties, |tie| {
            let below = weight(n_pos - tie.tp(), n_neg - tie.fp());
            self.weight_position(weight(tie.pos_above, tie.neg_above), below, all)
        });
        self.numbered(bands, n_pos, |band| (weight(band.pos, band.neg), band.pos))
    }

    /// Bands of about equal numbers of positives, at least one in each, unless there are edges.
    ///
    /// Scores with positives are divided as in [`row_bands`](Self::row_bands), ignoring other rows. A score
    /// without positives lies between two scores with positives, and is in the band of one of them. If these
    /// differ, it is in the band with the nearer middle.
    pub fn positive_bands(&self, ties: &mut Ties<'_>) -> Vec<Band> {
        if let Some(bands) = self.by_edges(ties) {
            return bands;
        }
        let n_pos = ties.n_pos();
        self.numbered(self.placed_positives(ties), n_pos, |band| (band.pos as f64, band.neg))
    }

    /// Scores and their numbers of positives, at most four per band. [`positive_bands`](Self::positive_bands)
    /// builds the same bands from them as from all positives, for any other rows.
    pub fn reduced_positives(&self, ties: &mut Ties<'_>) -> Vec<(u128, u64)> {
        // The middle of several scores of one band is in this band.
        let scores = |band: Band| {
            let upper = (band.highest, band.pos - band.lowest_pos);
            [upper, (band.lowest, band.lowest_pos)].into_iter().filter(|score| score.1 > 0)
        };
        let bands = self.placed_positives(ties);
        bands.into_iter().filter(|band| band.pos > 0).flat_map(scores).collect()
    }

    /// Bands between edges, if any.
    fn by_edges(&self, ties: &mut Ties<'_>) -> Option<Vec<Band>> {
        let edges: Vec<Option<u128>> = self.edges.as_ref()?.iter().map(|&edge| ties.at_least(edge)).collect();
        Some(self.placed(ties, |tie| {
            // Edges above the score.
            let reached = edges.partition_point(|edge| edge.is_some_and(|edge| edge <= tie.key));
            Position::Number((edges.len() - reached) as u64 + 1)
        }))
    }

    /// The rows of each position.
    fn placed(&self, ties: &mut Ties<'_>, position: impl Fn(&Tie) -> Position + Sync) -> Vec<Band> {
        ties.fold(
            |bands: &mut Vec<Band>, tie| {
                push(bands, Band::new(position(&tie), tie.key, tie.key, (tie.pos, tie.neg)));
            },
            |bands, lower| lower.into_iter().for_each(|band| push(bands, band)),
        )
    }

    fn placed_positives(&self, ties: &mut Ties<'_>) -> Vec<Band> {
        let n_pos = ties.n_pos();
        self.placed(ties, |tie| match tie.pos {
            0 => Position::Between(tie.pos_above),
            _ => self.position(tie.pos_above, n_pos - tie.tp(), n_pos),
        })
    }

    /// The position of a score, from the numbers of rows above it, below it and in total. It is computed from
    /// the nearer end, so that it is symmetric under flipping the signs of scores.
    fn position(&self, above: u64, below: u64, all: u64) -> Position {
        let twice_middle = u128::from(all - above.abs_diff(below));
        let number = (twice_middle * u128::from(self.bands)).div_ceil(2 * u128::from(all)) as u64;
        self.counted_from_end(number, above.cmp(&below))
    }

    /// The same for weights.
    fn weight_position(&self, above: f64, below: f64, all: f64) -> Position {
        // Sums of weights are rounded: a middle this close to a border is on it.
        const ON_BORDER: f64 = 1e-12;
        let bands = f64::from(self.bands);
        let difference = (above - below) / all;
        let middle = 0.5 * bands * (1.0 - difference.abs());
        let number = (middle - ON_BORDER * bands).ceil().max(1.0) as u64;
        let is_in_middle = difference.abs() <= ON_BORDER;
        self.counted_from_end(number, if is_in_middle { Ordering::Equal } else { above.total_cmp(&below) })
    }

    fn counted_from_end(&self, number: u64, side: Ordering) -> Position {
        let bands = u64::from(self.bands);
        match side {
            Ordering::Less => Position::Number(number),
            Ordering::Greater => Position::Number(bands + 1 - number),
            Ordering::Equal if bands % 2 == 1 => Position::Number(bands.div_ceil(2)),
            Ordering::Equal => Position::Middle,
        }
    }

    /// The bands after each position is numbered; `size` decides about rows between two bands.
    fn numbered(&self, placed: Vec<Band>, n_pos: u64, size: impl Fn(&Band) -> (f64, u64)) -> Vec<Band> {
        let mut bands: Vec<Band> = Vec::with_capacity(placed.len());
        let mut on_top: Option<Band> = None;
        for (index, band) in placed.iter().enumerate() {
            let Position::Between(above) = band.position else {
                let band = on_top.take().map_or(*band, |top| top.on_top_of(band));
                bands.push(band);
                continue;
            };
            let side = match (bands.last(), placed.get(index + 1)) {
                (None, _) => Ordering::Greater,
                (_, None) => Ordering::Less,
                (Some(upper), Some(lower)) => self.nearer(above, n_pos, upper, lower),
            };
            match (side, bands.last_mut()) {
                (Ordering::Less, Some(upper)) => upper.join(band),
                (Ordering::Equal, _) => bands.push(*band),
                _ => on_top = Some(*band),
            }
        }
        self.number_middle(&mut bands, size);
        bands
    }

    /// Whether rows between two bands are closer to the upper one (less) or to the lower one, given the
    /// number of positives above.
    fn nearer(&self, above: u64, n_pos: u64, upper: &Band, lower: &Band) -> Ordering {
        let bands = u64::from(self.bands);
        // In quarters of a band from the upper end.
        let border = upper.middle(bands) + lower.middle(bands);
        let position = 4 * u128::from(above) * u128::from(bands);
        position.cmp(&(u128::from(border) * u128::from(n_pos))).then(border.cmp(&(2 * bands)))
    }

    /// Joins rows exactly at the middle border to the smaller of the two bands.
    fn number_middle(&self, bands: &mut Vec<Band>, size: impl Fn(&Band) -> (f64, u64)) {
        let is_numbered = |band: &Band| matches!(band.position, Position::Number(_));
        let Some(index) = bands.iter().position(|band| !is_numbered(band)) else { return };
        let rows = bands.remove(index);
        let upper_number = u64::from(self.bands) / 2;
        let is_next = |band: &&Band, number| rows.position != Position::Middle || band.number() == number;
        let upper =
            index.checked_sub(1).map(|upper| &bands[upper]).filter(|band| is_next(band, upper_number));
        let lower = bands.get(index).filter(|band| is_next(band, upper_number + 1));
        let size = |band: Option<&Band>| band.map_or((0.0, 0), &size);
        let is_upper = size(upper) <= size(lower);
        match (is_upper, upper.is_some(), lower.is_some()) {
            (true, true, _) => bands[index - 1].join(&rows),
            (false, _, true) => bands[index] = rows.on_top_of(&bands[index]),
            _ => {
                let position = Position::Number(if is_upper { upper_number } else { upper_number + 1 });
                bands.insert(index, Band { position, ..rows });
            }
        }
    }

    /// The rows of each position, by the rank of the row at each border.
    fn by_rank_of_rows(&self, ties: &mut Ties<'_>) -> Vec<Band> {
        let all = ties.n_pos() + ties.n_neg();
        let mut bands = Vec::new();
        let (mut tp, mut fp) = (0, 0);
        let mut push_to = |ties: &mut Ties<'_>, position: Position, end: (u64, u64)| {
            if end == (tp, fp) {
                return;
            }
            let (highest, lowest) = (ties.threshold(tp + fp + 1), ties.threshold(end.0 + end.1));
            if let Some((highest, lowest)) = highest.zip(lowest) {
                push(&mut bands, Band::new(position, highest, lowest, (end.0 - tp, end.1 - fp)));
            }
            (tp, fp) = end;
        };
        for number in 1..u64::from(self.bands) {
            // All scores above this row's score are above the border, and all scores below it are below.
            let row = (u128::from(number) * u128::from(all)).div_ceil(u128::from(self.bands)) as u64;
            let Some(tie) = ties.at_rank(row) else { break };
            let (start, end) = ((tie.pos_above, tie.neg_above), (tie.tp(), tie.fp()));
            let position = self.position(start.0 + start.1, all - end.0 - end.1, all);
            let is_above = match position {
                Position::Number(value) => value <= number,
                Position::Middle | Position::Between(_) => 2 * number > u64::from(self.bands),
            };
            push_to(ties, Position::Number(number), if is_above { end } else { start });
            if position == Position::Middle && 2 * number == u64::from(self.bands) {
                push_to(ties, position, end);
            }
        }
        let end = (ties.n_pos(), ties.n_neg());
        push_to(ties, Position::Number(self.bands.into()), end);
        bands
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranking::scores::{Bits, Domain, Observations, Score, bits::tests::packed};
    use crate::ranking::{Group, SHARD_ROWS, Strategy};
    use crate::statistics::options::tests::options;
    use crate::statistics::tests::with_ties;

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
        let parse = |edges: &[OptionValue]| {
            ScoreBands::from_options(&options([("edges", OptionValue::List(edges.to_vec()))]))
        };
        assert_eq!(parse(&ascending).unwrap().edges.map(|edges| edges.len()), Some(ascending.len()));
        let error = parse(&[OptionValue::Integer(0), OptionValue::Float(-0.0)]).unwrap_err();
        assert_eq!(error.to_string(), "`edges` must ascend, got [0, -0.0]");
    }

    fn band(position: Position, key: u128, pos: u64, neg: u64) -> Band {
        Band::new(position, key, key, (pos, neg))
    }

    /// The rows of each position, from rows in parts, highest scores first.
    fn placed_in_parts<'a>(parts: impl IntoIterator<Item = &'a [Band]>) -> Vec<Band> {
        let mut bands = Vec::new();
        for part in parts {
            let mut lower = Vec::new();
            part.iter().for_each(|row| push(&mut lower, *row));
            lower.into_iter().for_each(|band| push(&mut bands, band));
        }
        bands
    }

    proptest! {
        #[test]
        fn parts_change_no_band(
            steps in prop::collection::vec((any::<bool>(), 0u64..2), 0..12),
            mut cuts in prop::collection::vec(0usize..12, 0..4),
        ) {
            let (mut number, mut above) = (1, 0);
            let rows: Vec<Band> = steps
                .iter()
                .zip((0..20).rev())
                .map(|(&(has_positive, step), key)| {
                    if !has_positive {
                        return band(Position::Between(above), key, 0, 1);
                    }
                    (number, above) = (number + step, above + 1);
                    band(Position::Number(number), key, 1, 1)
                })
                .collect();
            cuts.iter_mut().for_each(|cut| *cut = (*cut).min(rows.len()));
            cuts.extend([0, rows.len()]);
            cuts.sort_unstable();
            let parts = cuts.windows(2).map(|cut| &rows[cut[0]..cut[1]]);
            prop_assert_eq!(placed_in_parts(parts), placed_in_parts([&rows[..]]));
        }

        /// Compares with the definition in fractions, and with the bands of negated scores.
        #[test]
        fn bands_of_negated_scores(
            rows in prop::collection::vec((0u8..2, 0i8..12), 2..40),
            bands in 1u32..9,
        ) {
            let (labels, scores): (Vec<u8>, Vec<i8>) = rows.iter().copied().unzip();
            let negatives: Vec<i8> = scores.iter().map(|score| -score).collect();
            let n_pos = labels.iter().filter(|&&label| label == 1).count();
            prop_assume!(n_pos > 0);
            let division = ScoreBands { bands, edges: None };
            type Divide = fn(&ScoreBands, &mut Ties<'_>) -> Vec<Band>;
            for (divide, total) in [(ScoreBands::row_bands as Divide, rows.len()), (ScoreBands::positive_bands, n_pos)] {
                let divided = |scores: &[i8]| with_ties(&labels, scores, |mut ties| divide(&division, &mut ties));
                let counts = |bands: &[Band]| bands.iter().map(|band| (band.pos, band.neg)).collect::<Vec<_>>();
                let (upwards, downwards) = (divided(&scores), divided(&negatives));
                let mut sorted = [counts(&upwards), counts(&downwards)];
                sorted.iter_mut().for_each(|counts| counts.sort_unstable());
                prop_assert_eq!(&sorted[0], &sorted[1]);
                let is_mirrored = counts(&downwards).into_iter().rev().eq(counts(&upwards));
                // Only a score with equal numbers of rows above and below can be in the upper band both
                // times.
                let is_in_middle = scores.iter().any(|&score| {
                    let rows = rows.iter().filter(|row| total > n_pos || row.0 == 1);
                    let (above, below): (Vec<&(u8, i8)>, Vec<_>) = rows.filter(|row| row.1 != score).partition(|row| row.1 > score);
                    above.len() == below.len()
                });
                prop_assert!(is_mirrored || is_in_middle);
                prop_assert_eq!(upwards.iter().map(|band| band.pos + band.neg).sum::<u64>(), rows.len() as u64);
                prop_assert!(upwards.windows(2).all(|pair| pair[0].number() < pair[1].number()));
                for band in &upwards {
                    let inside = |score: i8| (band.lowest..=band.highest).contains(&i8_key(score));
                    for &(label, score) in rows.iter().filter(|row| inside(row.1)) {
                        let counted = |at: &dyn Fn(i8) -> bool| {
                            rows.iter().filter(|row| at(row.1) && (total > n_pos || row.0 == 1)).count() as u64
                        };
                        let twice = 2 * counted(&|other| other > score) + counted(&|other| other == score);
                        let middle = twice * u64::from(bands);
                        let (low, high) = (2 * total as u64 * (band.number() - 1), 2 * total as u64 * band.number());
                        let has_rows = label == 1 || total > n_pos;
                        prop_assert!(!has_rows || (low..=high).contains(&middle));
                    }
                }
            }
            let reduced = with_ties(&labels, &scores, |mut ties| division.reduced_positives(&mut ties));
            prop_assert_eq!(reduced.iter().map(|score| score.1).sum::<u64>(), n_pos as u64);
            let (mut fewer_labels, mut fewer_scores) = (vec![], vec![]);
            for &(key, pos) in &reduced {
                let score = (0..12).find(|&score| i8_key(score) == key).unwrap();
                fewer_labels.extend(vec![1; pos as usize]);
                fewer_scores.extend(vec![score; pos as usize]);
            }
            for &(label, score) in rows.iter().filter(|row| row.0 == 0) {
                fewer_labels.push(label);
                fewer_scores.push(score);
            }
            let counts = |labels: &[u8], scores: &[i8]| {
                with_ties(labels, scores, |mut ties| division.positive_bands(&mut ties))
                    .iter()
                    .map(|band| (band.number(), band.pos, band.neg))
                    .collect::<Vec<_>>()
            };
            prop_assert_eq!(counts(&fewer_labels, &fewer_scores), counts(&labels, &scores));
        }
    }

    fn i8_key(score: i8) -> u128 {
        score.key().into()
    }

    /// Most rows have the lowest score, or the highest one.
    #[test]
    fn dominant_score() {
        let labels = [1u8; 100];
        let lowest: Vec<i32> = (0..100).map(|row| (row - 94).max(0)).collect();
        let highest: Vec<i32> = lowest.iter().map(|score| -score).collect();
        let bands = ScoreBands { bands: 10, edges: None };
        let divided = |scores: &[i32]| {
            let bands = with_ties(&labels, scores, |mut ties| bands.positive_bands(&mut ties));
            bands.iter().map(|band| (band.number(), band.pos)).collect::<Vec<_>>()
        };
        assert_eq!(divided(&lowest), [(1, 5), (6, 95)]);
        assert_eq!(divided(&highest), [(5, 95), (10, 5)]);
    }

    /// Large groups find borders by rank.
    #[test]
    fn bands_of_large_groups() {
        let mixed = |row: usize| (row as u32).wrapping_mul(0x9E37_79B1) >> 7;
        for (values, bands) in [(7u32, 10u32), (7, 4), (3, 2), (1000, 10), (100_000, 100), (2, 3), (1, 4)] {
            let rows = 0..SHARD_ROWS + 99;
            let labels: Vec<bool> = rows.clone().map(|row| mixed(row) % 10 < 3).collect();
            let scores: Vec<i64> = rows.map(|row| i64::from(mixed(row * 3) % values)).collect();
            let bytes = packed(labels.iter().copied());
            let division = ScoreBands { bands, edges: None };
            let divided = |is_by_rank: bool| {
                let mut group = Group::new(Strategy::Shards, Domain::Any);
                group.load(Observations::new(&scores, Bits::new(&bytes, 0, labels.len()), None));
                let mut ties = group.ties();
                assert!(ties.is_large());
                let all = ties.n_pos() + ties.n_neg();
                if is_by_rank {
                    return division.by_rank_of_rows(&mut ties);
                }
                division.placed(&mut ties, |tie| {
                    division.position(tie.pos_above + tie.neg_above, all - tie.tp() - tie.fp(), all)
                })
            };
            let without_lowest = |bands: Vec<Band>| -> Vec<Band> {
                bands.into_iter().map(|band| Band { lowest_pos: 0, ..band }).collect()
            };
            assert_eq!(without_lowest(divided(true)), without_lowest(divided(false)), "{values} {bands}");
        }
    }
}
