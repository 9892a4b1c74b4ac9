//! Any bytes are either a state, which packs to the same bytes, or an error.

#![no_main]

use libfuzzer_sys::fuzz_target;
use polars_auc::ranking::{Domain, ScoreType};
use polars_auc::states::{State, weight_sums::WeightSums};

fuzz_target!(|bytes: &[u8]| {
    let cents = Domain::Whole { lowest: -99_999, highest: 99_999, decimals: 2 };
    let types = [
        ("f64", ScoreType::new::<f64>(Domain::Any)),
        ("f16", ScoreType::new::<f32>(Domain::Half)),
        ("i32", ScoreType::new::<i32>(Domain::Any)),
        ("u128", ScoreType::new::<u128>(Domain::Any)),
        ("decimal[5,2]", ScoreType::new::<i128>(cents)),
    ];
    for (dtype, score_type) in types {
        // The flags follow the name; 8 means that bins store intervals.
        let keep_scores = bytes.get(5 + dtype.len()).is_none_or(|flags| flags & 8 == 0);
        if let Ok(state) = State::<WeightSums>::unpacked(bytes, dtype, score_type) {
            assert_eq!(state.packed(dtype, keep_scores), bytes);
        }
        if let Ok(mut state) = State::<u64>::unpacked(bytes, dtype, score_type) {
            assert_eq!(state.packed(dtype, keep_scores), bytes);
            assert!(state.unordered_pairs() <= u128::from(state.rows.n_pos) * u128::from(state.rows.n_neg));
            let twice_u = state.bins.ties().twice_u();
            assert!(twice_u <= 2 * u128::from(state.rows.n_pos) * u128::from(state.rows.n_neg));
        }
    }
});
