//! Sampling from discrete distributions.

use super::Stream;

/// A discrete distribution over indices as an alias table (Walker 1977; Vose 1991): equal parts, each shared
/// by at most two indices.
#[derive(Clone, Debug, Default)]
pub struct Chances {
    /// For each part: its share for the index of the part, in units of 2^-64, and the index that has the
    /// rest.
    parts: Vec<(u64, u32)>,
}

impl Chances {
    /// From the weight of each index; weights need not sum to 1.
    pub fn new(mut weights: Vec<f64>) -> Chances {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        weights.iter_mut().for_each(|weight| *weight *= scale);
        let mut parts: Vec<(u64, u32)> = (0..weights.len()).map(|index| (u64::MAX, index as u32)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&index| weights[index] < 1.0);
        while let (Some(&from), Some(to)) = (large.last(), small.pop()) {
            // As a 64-bit number; the conversion saturates.
            parts[to] = ((weights[to] * f64::powi(2.0, 64)) as u64, from as u32);
            weights[from] -= 1.0 - weights[to];
            if weights[from] < 1.0 {
                large.pop();
                small.push(from);
            }
        }
        Chances { parts }
    }

    /// Samples an index.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> usize {
        // The high bits select the part, the low bits the position in the part.
        let product = u128::from(stream.bits()) * self.parts.len() as u128;
        let part = (product >> 64) as usize;
        let (threshold, other) = self.parts[part];
        if (product as u64) < threshold { part } else { other as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequencies_match_weights() {
        let weights = vec![0.1, 0.0, 3.0, 0.5, 0.4, 6.0];
        let chances = Chances::new(weights.clone());
        let mut counts = [0.0; 6];
        let mut stream = Stream::new(2, 2);
        (0..100_000).for_each(|_| counts[chances.draw(&mut stream)] += 1e-4);
        for (count, weight) in counts.iter().zip(weights) {
            assert!((count - weight).abs() < 0.07, "{counts:?}");
        }
        assert_eq!(Chances::new(vec![2.0]).draw(&mut stream), 0);
    }
}
