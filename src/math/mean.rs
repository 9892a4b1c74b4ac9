//! Means by weight.

/// The mean of values by their weights, the same for every order of them; `None` if there is no weight above 0.
pub fn weighted(mut values: Vec<(f64, u128)>) -> Option<f64> {
    values.retain(|value| value.1 > 0);
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let (least, most) = (values.first()?.0, values.last()?.0);
    // Distances from the least value are averaged, so that the mean of equal values is exactly that value.
    let surplus: f64 = values.iter().map(|&(value, weight)| (value - least) * weight as f64).sum();
    let weights: u128 = values.iter().map(|value| value.1).sum();
    Some((least + surplus / weights as f64).clamp(least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_weight() {
        assert_eq!(weighted(vec![(1.0, 1), (0.5, 3)]), Some(0.625));
        assert_eq!(weighted(vec![(0.1, 3), (0.1, 4)]), Some(0.1));
        assert_eq!(weighted(vec![(0.1, 0), (0.7, 2)]), Some(0.7));
        assert_eq!(weighted(vec![(0.1, 0)]), None);
        assert_eq!(weighted(Vec::new()), None);
        let values = vec![(0.3, 7), (0.9, 1), (0.61, 5), (0.30000000000000004, 2)];
        let turned = values.iter().rev().copied().collect();
        assert_eq!(weighted(values), weighted(turned));
    }
}
