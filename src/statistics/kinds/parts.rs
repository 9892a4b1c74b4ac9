//! A selection of rows from columns that were filled in parts, in any order.

use std::borrow::Cow;
use std::iter;

use super::column::{Column, Lists, Nullable, Sums, Thresholds};
use super::runs::Runs;
use crate::ranking::scores::{Key, Keys, Width};

impl Column {
    /// Selects rows from columns of one record that were filled in parts.
    pub fn rows_of(parts: Vec<Vec<Self>>, rows: &Runs) -> Vec<Self> {
        let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
        // One field after the other, so that freed memory is reused for the next one.
        let field_parts = iter::from_fn(|| parts.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>());
        field_parts.take_while(|parts| !parts.is_empty()).map(|parts| join_field(parts, rows)).collect()
    }
}

/// Selects rows from a field that was filled in parts.
fn join_field(parts: Vec<Column>, rows: &Runs) -> Column {
    macro_rules! any_kind {
        ($($kind:ident)*) => {
            match parts[0] {
                $(Column::$kind(_) => {
                    let values = |part| match part {
                        Column::$kind(column) => column,
                        _ => unreachable!("columns of one field have one kind"),
                    };
                    Column::$kind(InParts::rows_of(parts.into_iter().map(values).collect(), rows))
                })*
            }
        };
    }
    any_kind!(Number Count Mass Sum Squares Truth Threshold Word Name Key Numbers Records)
}

/// A column, or a component of one, that was filled in parts.
trait InParts: Sized {
    /// Selects rows from the parts.
    fn rows_of(parts: Vec<Self>, rows: &Runs) -> Self;
}

impl InParts for Vec<Column> {
    fn rows_of(parts: Vec<Self>, rows: &Runs) -> Self {
        Column::rows_of(parts, rows)
    }
}

impl InParts for Vec<f64> {
    fn rows_of(parts: Vec<Self>, rows: &Runs) -> Self {
        rows.gather(&parts)
    }
}

impl<T: Copy + Default + Send + Sync> InParts for Nullable<T> {
    fn rows_of(parts: Vec<Self>, rows: &Runs) -> Self {
        // There are no squared weights if rows have no weights.
        if parts.iter().all(|part| part.values.is_empty()) {
            return Nullable { values: Vec::new(), present: Vec::new() };
        }
        let marks = |part: &Self| (part.present.clone(), part.values.len());
        let present = marks_of(parts.iter().map(marks).collect(), rows);
        Nullable {
            values: rows.gather(&parts.into_iter().map(|part| part.values).collect::<Vec<_>>()),
            present,
        }
    }
}

impl InParts for Thresholds {
    fn rows_of(parts: Vec<Self>, rows: &Runs) -> Self {
        let marks = |part: &Self| (part.present.clone(), part.keys.len());
        let present = marks_of(parts.iter().map(marks).collect(), rows);
        Thresholds {
            keys: InParts::rows_of(parts.into_iter().map(|part| part.keys).collect(), rows),
            present,
        }
    }
}

/// The validity of the selected rows, from each part's validity and number of rows; empty if all rows are
/// valid.
fn marks_of(parts: Vec<(Vec<bool>, usize)>, rows: &Runs) -> Vec<bool> {
    if parts.iter().all(|(marks, _)| marks.is_empty()) {
        return Vec::new();
    }
    let all = |(marks, rows): (Vec<bool>, usize)| if marks.is_empty() { vec![true; rows] } else { marks };
    let marks = rows.gather(&parts.into_iter().map(all).collect::<Vec<_>>());
    if marks.contains(&false) { marks } else { Vec::new() }
}

impl InParts for Keys {
    fn rows_of(parts: Vec<Self>, rows: &Runs) -> Self {
        fn as_width<K: Key>(keys: &Keys) -> Cow<'_, [K]> {
            keys.slice().map_or_else(|| keys.iter().map(K::narrow).collect(), Cow::Borrowed)
        }
        fn with_width<K: Key>(parts: &[Keys], rows: &Runs) -> Keys {
            rows.gather(&parts.iter().map(as_width::<K>).collect::<Vec<_>>()).into()
        }
        // A part without keys may have another width than the others.
        let width = parts
            .iter()
            .find(|part| !part.is_empty())
            .or(parts.first())
            .map_or(Width::default(), Keys::width);
        match width {
            Width::W8 => with_width::<u8>(&parts, rows),
            Width::W16 => with_width::<u16>(&parts, rows),
            Width::W32 => with_width::<u32>(&parts, rows),
            Width::W64 => with_width::<u64>(&parts, rows),
            Width::W128 => with_width::<u128>(&parts, rows),
        }
    }
}

impl InParts for Sums {
    fn rows_of(parts: Vec<Self>, rows: &Runs) -> Self {
        let (counts, steps): (Vec<Vec<u64>>, Vec<Vec<u128>>) =
            parts.into_iter().map(|part| (part.counts, part.steps)).unzip();
        if steps.iter().any(|steps| !steps.is_empty()) {
            return Sums { counts: Vec::new(), steps: rows.gather(&steps) };
        }
        Sums { counts: rows.gather(&counts), steps: Vec::new() }
    }
}

impl<T: InParts> InParts for Lists<T> {
    fn rows_of(parts: Vec<Self>, rows: &Runs) -> Self {
        let (ends, items): (Vec<Nullable<u64>>, Vec<T>) =
            parts.into_iter().map(|part| (part.ends, part.items)).unzip();
        let items_of_rows = rows.items(&ends);
        let present =
            marks_of(ends.into_iter().map(|ends| (ends.present, ends.values.len())).collect(), rows);
        let ends = Nullable { values: items_of_rows.ends, present };
        Lists { ends, items: T::rows_of(items, &items_of_rows.runs) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::SHARD_ROWS;
    use crate::statistics::kinds::{Field, FieldKind};
    use proptest::prelude::*;

    const ITEM: &[Field] = &[
        Field { name: "score", kind: FieldKind::Threshold },
        Field { name: "sum", kind: FieldKind::Sum },
        Field { name: "squares", kind: FieldKind::Squares },
    ];
    const FIELDS: &[Field] = &[
        Field { name: "number", kind: FieldKind::Number },
        Field { name: "items", kind: FieldKind::Records(ITEM) },
        Field { name: "numbers", kind: FieldKind::Numbers },
    ];

    /// A row with as many items as its last digit; no items if it is null.
    fn append(row: Option<u64>, weighted: bool, columns: &mut [Column]) {
        let [Column::Number(number), Column::Records(records), Column::Numbers(numbers)] = columns else {
            panic!("three kinds")
        };
        number.push(row.map(|row| row as f64));
        for item in 0..row.map_or(0, |row| row % 10) {
            let [Column::Threshold(scores), Column::Sum(sums), Column::Squares(squares)] =
                &mut records.items[..]
            else {
                panic!("three kinds")
            };
            scores.push((item != 3).then_some(item.into()));
            if weighted {
                sums.steps.push(item.into());
                squares.push(Some(row.unwrap_or_default().into()));
            } else {
                sums.counts.push(item);
            }
            numbers.items.push(item as f64);
        }
        records.close(records.items[0].len(), row.is_some());
        numbers.close(numbers.items.len(), row.is_some());
    }

    fn filled(rows: impl IntoIterator<Item = Option<u64>>, weighted: bool) -> Vec<Column> {
        let mut columns = Column::all_of(FIELDS, Width::W8, 0);
        rows.into_iter().for_each(|row| append(row, weighted, &mut columns));
        columns
    }

    fn contents(columns: &[Column]) -> String {
        format!("{columns:?}")
    }

    proptest! {
        #[test]
        fn equals_filling_in_order(
            parts in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.8, 0u64..1000), 0..9), 1..5),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 0..30),
            weighted in any::<bool>(),
        ) {
            let filled_parts = || parts.iter().map(|part| filled(part.clone(), weighted)).collect::<Vec<_>>();
            let all: Vec<_> = parts.concat();
            prop_assert_eq!(contents(&Column::joined(filled_parts())), contents(&filled(all.clone(), weighted)));
            let picks: Vec<usize> = picks.iter().filter(|_| !all.is_empty()).map(|pick| pick.index(all.len())).collect();
            let sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
            let rows = Runs::in_order(&sizes, picks.iter().copied());
            let expected = filled(picks.iter().map(|&row| all[row]), weighted);
            prop_assert_eq!(contents(&Column::rows_of(filled_parts(), &rows)), contents(&expected));
        }

        /// Sequences that begin and end anywhere in the parts.
        #[test]
        fn sequences_in_turn(
            sequences in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.8, 0u64..1000), 9), 1..5),
            rows in 0usize..9,
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..5),
            weighted in any::<bool>(),
        ) {
            let all: Vec<_> = sequences.iter().flat_map(|sequence| &sequence[..rows]).copied().collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(all.len() + 1)).chain([0, all.len()]).collect();
            cuts.sort();
            let parts = cuts.windows(2).map(|cut| filled(all[cut[0]..cut[1]].to_vec(), weighted)).collect();
            let in_turn = (0..rows).flat_map(|row| sequences.iter().map(move |sequence| sequence[row]));
            let columns = Column::rows_of(parts, &Runs::in_turn(sequences.len(), rows));
            prop_assert_eq!(contents(&columns), contents(&filled(in_turn, weighted)));
        }
    }

    #[test]
    fn many_rows_by_several_threads() {
        let rows = SHARD_ROWS as u64;
        let parts = || [0..rows / 3, rows / 3..rows].map(|part| filled(part.map(Some), false)).into();
        let sizes = [rows as usize / 3, (rows - rows / 3) as usize];
        let backwards = Runs::in_order(&sizes, (0..rows as usize).rev());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let (joined, reversed) =
            pool.install(|| (Column::joined(parts()), Column::rows_of(parts(), &backwards)));
        assert!(contents(&joined) == contents(&filled((0..rows).map(Some), false)));
        let sequences =
            || [0..rows / 3, rows / 3..rows - rows % 2].map(|part| filled(part.map(Some), false)).into();
        let in_turn = pool.install(|| Column::rows_of(sequences(), &Runs::in_turn(2, rows as usize / 2)));
        let expected = (0..rows / 2).flat_map(|row| [row, rows / 2 + row]);
        assert!(contents(&in_turn) == contents(&filled(expected.map(Some), false)));
        assert!(contents(&reversed) == contents(&filled((0..rows).rev().map(Some), false)));
    }

    #[test]
    fn nothing() {
        for parts in [Vec::new(), vec![Vec::new(), Vec::new()]] {
            assert!(Column::rows_of(parts, &Runs::default()).is_empty());
        }
    }

    /// A part whose states have no bins keeps the initial width of its keys.
    #[test]
    fn keys_of_another_width() {
        let keys = |keys: Keys| vec![Column::Threshold(Thresholds { keys, present: Vec::new() })];
        let parts =
            vec![keys(Keys::W8(Vec::new())), keys(Keys::W64(vec![1 << 40])), keys(Keys::W8(vec![7, 255]))];
        let all = Runs::in_order(&[0, 1, 2], 0..3);
        let [Column::Threshold(scores)] = &Column::rows_of(parts, &all)[..] else { panic!("one kind") };
        assert_eq!(scores.keys, Keys::W64(vec![1 << 40, 7, 255]));
    }
}
