//! The states of sliding windows over states, such as the last four weeks of each day.
//!
//! Consecutive windows share most of their states. Each state is merged about three times, whatever the
//! length of windows. A window has two parts (two stacks: Tangwongsan, Hirzel and Schneider 2021, section 2).
//! The front part stores the merged state from each index to its end, so the oldest state is removed by
//! popping. New states are merged into the back part. When the front part is empty, the rest of the window
//! becomes the front part. Memory is thus bounded by the number of states in a window.

use std::ops::Range;

use super::state::State;
use crate::ranking::scores::Key;
use crate::ranking::ties::CountValue;

/// Returns a state by its index.
pub type Read<'a, T, E> = dyn Fn(usize) -> Result<State<T>, E> + 'a;

/// Receives the state of a window, or `None` if the window is empty.
pub type Emit<'a, T> = dyn FnMut(Option<State<T>>) + 'a;

/// Calls `emit` with the merged state of each window, or `None` for a window without states. Windows are
/// ranges of the states that `read` returns, and their ends do not decrease. A window that starts before the
/// previous one (for example if clocks are set back) is merged from scratch.
pub fn moving<K: Key, T: CountValue, E>(
    windows: &[Range<usize>],
    read: &Read<'_, T, E>,
    emit: &mut Emit<'_, T>,
) -> Result<(), E> {
    // The merged states from each index of the front part to its end, last first.
    let mut front: Vec<State<T>> = Vec::new();
    // The merged state of the back part, and its states, which are kept for when they become the front part.
    let mut back: Option<State<T>> = None;
    let mut back_states: Vec<State<T>> = Vec::new();
    let (mut start, mut middle, mut end) = (0, 0, 0);
    for window in windows {
        if window.start >= end || window.start < start {
            (back, middle, end) = (None, window.start, window.start);
            back_states.clear();
        }
        start = window.start;
        for index in end..window.end {
            let next = read(index)?;
            back = Some(match back {
                Some(back) => back.with::<K>(&next),
                None => next.clone(),
            });
            back_states.push(next);
        }
        end = end.max(window.end);
        if window.start < middle {
            front.truncate(middle - window.start);
        } else {
            front.clear();
            for next in back_states.drain(window.start - middle..).rev() {
                front.push(match front.last() {
                    Some(later) => next.with::<K>(later),
                    None => next,
                });
            }
            back_states.clear();
            (back, middle) = (None, end);
        }
        emit(match (front.last(), &back) {
            (Some(front), Some(back)) => Some(front.with::<K>(back)),
            (Some(one), None) | (None, Some(one)) => Some(one.clone().joined()),
            (None, None) => None,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranking::group::tests::group_of;
    use crate::ranking::scores::Domain;
    use crate::states::{Limit, Scale, state::tests::each};
    use proptest::prelude::*;

    proptest! {
        /// Compares with the states of each window merged at once; some states have a limit or a NaN.
        #[test]
        fn equals_separate_windows(
            states in prop::collection::vec(prop::collection::vec((-40i32..40, any::<bool>()), 0..12), 0..50),
            steps in prop::collection::vec((0usize..4, 0usize..4), 0..30),
            max_bins in prop::option::of(4u64..60),
            limited in prop::collection::vec(any::<bool>(), 50),
            nan in 0usize..100,
            length in 0usize..24,
        ) {
            let limit = max_bins.map(|max_bins| Limit { max_bins, scale: Scale::Real });
            let state = |(index, rows): (usize, &Vec<(i32, bool)>)| {
                let rows: Vec<(f64, bool)> = rows.iter().map(|row| (f64::from(row.0) / 8.0, row.1)).collect();
                let state = group_of(&rows, Domain::Any).ties().state();
                if index == nan {
                    return State::nan(state.bins.score_type(), state.rows);
                }
                state.limited(limit.filter(|_| limited[index]))
            };
            let states: Vec<State> = states.iter().enumerate().map(state).collect();
            let mut ends = (0, length.min(states.len()));
            let windows: Vec<Range<usize>> = steps.iter().map(|step| {
                ends.1 = states.len().min(ends.1 + step.1);
                // Windows mostly move forward, sometimes back.
                ends.0 = if step.0 == 3 { ends.0 / 2 } else { ends.1.min(ends.0 + step.0) };
                ends.0..ends.1
            }).collect();
            let mut results = Vec::new();
            let read = |index: usize| Ok::<_, ()>(states[index].clone());
            moving::<u64, u64, ()>(&windows, &read, &mut |state| results.push(state)).unwrap();
            prop_assert_eq!(results.len(), windows.len());
            for (result, window) in results.iter().zip(&windows) {
                let bins = |_| 0;
                let expected = State::merged::<u64, ()>(window.clone(), &bins, &read).unwrap();
                prop_assert_eq!(result.is_some(), expected.is_some());
                if let (Some(result), Some(expected)) = (result, &expected) {
                    prop_assert_eq!(each(result), each(expected));
                    prop_assert_eq!((result.resolution, result.rows), (expected.resolution, expected.rows));
                    prop_assert_eq!((result.limit, result.has_nan), (expected.limit, expected.has_nan));
                }
            }
        }
    }
}
