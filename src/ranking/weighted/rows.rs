//! Sorted rows with weights, and their ties.

use crate::ranking::scores::Key;
use crate::ranking::ties::{
    source::SquaredUnits,
    steps::{Above, Runs, Sink, Tie},
};

/// A row: its key, and its units with the label as the lowest bit.
pub(in crate::ranking) type WeightedRow<K> = (K, u64);

/// Emits the ties of sorted rows, highest score first.
pub(in crate::ranking) fn emit<K: Key>(rows: &[WeightedRow<K>], above: Above, take: &mut Sink<'_>) {
    Runs::emit(above, &mut Vec::new(), take, |runs| {
        each_tie(rows, above, &mut |SquaredUnits { tie, .. }| runs.push(tie.key, tie.pos, tie.neg));
    });
}

/// Visits the ties of sorted rows, highest score first.
pub(in crate::ranking) fn each_tie<K: Key>(
    rows: &[WeightedRow<K>],
    mut above: Above,
    visit: &mut dyn FnMut(SquaredUnits),
) {
    for tied in rows.chunk_by(|a, b| a.0 == b.0) {
        let mut units = [0; 2];
        let mut squares = [0.0; 2];
        for row in tied {
            let class = (row.1 & 1) as usize;
            units[class] += row.1 >> 1;
            squares[class] += ((row.1 >> 1) as f64).powi(2);
        }
        let [neg, pos] = units;
        let tie = Tie { key: tied[0].0.wide(), pos, neg, pos_above: above.pos, neg_above: above.neg };
        visit(SquaredUnits { tie, pos: squares[1], neg: squares[0] });
        above = Above { pos: above.pos + pos, neg: above.neg + neg };
    }
}
