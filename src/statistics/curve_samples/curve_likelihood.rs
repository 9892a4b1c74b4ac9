//! The likelihood distance of a point of the ROC space from a curve, for the counts of both rates.

use super::curve_sample::Limits;
use crate::ranking::ties::Count;

/// Up to this number of rows in a class, the entropies of all counts are cached.
const MAX_KEPT: u64 = 1 << 14;

/// A curve in counts, from (0, 0): negatives and positives above each vertex.
#[derive(Clone, Debug, Default)]
pub struct Path(pub Vec<(f64, f64)>);

impl Path {
    /// The path of counts, highest score first.
    pub fn new(counts: &[Count]) -> Path {
        let mut path = Path::default();
        path.set(counts);
        path
    }

    /// Replaces the path by the path of counts.
    pub fn set(&mut self, counts: &[Count]) {
        let (mut neg, mut pos) = (0, 0);
        self.0.clear();
        self.0.push((0.0, 0.0));
        self.0.extend(counts.iter().map(|count| {
            neg += count.neg;
            pos += count.pos;
            (neg as f64, pos as f64)
        }));
    }

    /// The same with vertices on ties, spaced so that neighbours are 1/20 of a deviation apart.
    pub fn with_vertices_on_ties(&self, likelihood: &Likelihood) -> Path {
        let close = |all: f64| 0.05 * all.sqrt();
        let (width, height) = (close(likelihood.neg.all), close(likelihood.pos.all));
        let mut path = Path(vec![(0.0, 0.0)]);
        for pair in self.0.windows(2) {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let is_tie = x1 > x0 && y1 > y0;
            let parts =
                if is_tie { ((x1 - x0) / width).max((y1 - y0) / height).ceil().max(1.0) as usize } else { 1 };
            for part in 1..parts {
                let share = part as f64 / parts as f64;
                path.0.push((x0 + (x1 - x0) * share, y0 + (y1 - y0) * share));
            }
            path.0.push((x1, y1));
        }
        path
    }
}

/// The likelihood of rates of both classes.
#[derive(Clone, Debug)]
pub struct Likelihood {
    neg: Class,
    pos: Class,
}

/// The likelihood of a rate, given the number of rows of a class predicted positive.
#[derive(Clone, Debug)]
struct Class {
    /// The number of rows.
    all: f64,
    /// `n (p ln p + (1 - p) ln(1 - p))` of each count, if there are few.
    entropies: Vec<f64>,
}

/// A rate and the logarithms for its likelihood.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    rate: f64,
    log: f64,
    log_rest: f64,
}

impl Rate {
    /// Computes the logarithms of a rate.
    pub fn new(rate: f64) -> Rate {
        Rate { rate, log: rate.ln(), log_rest: (-rate).ln_1p() }
    }
}

impl Class {
    fn new(rows: u64) -> Class {
        let all = rows as f64;
        let mut class = Class { all, entropies: Vec::new() };
        if rows <= MAX_KEPT {
            class.entropies = (0..=rows).map(|count| class.entropy(count as f64)).collect();
        }
        class
    }

    fn entropy(&self, count: f64) -> f64 {
        let part = |count: f64| if count > 0.0 { count * (count / self.all).ln() } else { 0.0 };
        part(count) + part(self.all - count)
    }

    /// The distance of a count from a rate.
    #[inline]
    fn distance(&self, count: f64, rate: &Rate) -> f64 {
        let whole = count as usize;
        let entropy = match self.entropies.get(whole) {
            Some(&entropy) if whole as f64 == count => entropy,
            _ => self.entropy(count),
        };
        let part = |count: f64, log: f64| if count > 0.0 { count * log } else { 0.0 };
        (entropy - part(count, rate.log) - part(self.all - count, rate.log_rest)).max(0.0)
    }

    /// The rate above the share of a count at this distance from it.
    fn above(&self, count: f64, distance: f64) -> f64 {
        let (share, distance) = (count / self.all, distance / self.all);
        if share >= 1.0 {
            return 1.0;
        }
        if share <= 0.0 {
            return -(-distance).exp_m1();
        }
        let entropy = share * share.ln() + (1.0 - share) * (1.0 - share).ln();
        let (mut low, mut high) = (share, 1.0);
        let mut rate = (share + (2.0 * distance * share * (1.0 - share)).sqrt()).min(0.5 * (1.0 + share));
        // Newton's method with bisection as a fallback: each step at least halves the bounds, or is close.
        for _ in 0..60 {
            let surplus = entropy - share * rate.ln() - (1.0 - share) * (-rate).ln_1p() - distance;
            if surplus > 0.0 {
                high = rate
            } else {
                low = rate
            }
            let slope = (rate - share) / (rate * (1.0 - rate));
            let newton = rate - surplus / slope;
            let next = if low < newton && newton < high { newton } else { 0.5 * (low + high) };
            if (next - rate).abs() < 1e-12 {
                return next;
            }
            rate = next;
        }
        rate
    }

    /// The rate below the share of a count at this distance from it.
    fn below(&self, count: f64, distance: f64) -> f64 {
        1.0 - self.above(self.all - count, distance)
    }
}

impl Likelihood {
    /// From the numbers of rows of both classes.
    pub fn new(all: Count) -> Likelihood {
        Likelihood { neg: Class::new(all.neg), pos: Class::new(all.pos) }
    }

    /// The largest distance of any place from the path; `vertices` is scratch memory.
    pub fn ks_distance(&self, path: &Path, points: &[(Rate, Rate)], vertices: &mut Vec<usize>) -> f64 {
        // The sum of both rates increases along the path and over places. Where the sums are equal, the path
        // is near.
        let (neg_weight, pos_weight) = (1.0 / self.neg.all, 1.0 / self.pos.all);
        vertices.clear();
        let mut vertex = 0;
        for point in points {
            let here = point.0.rate + point.1.rate;
            while path.0[vertex].0 * neg_weight + path.0[vertex].1 * pos_weight < here
                && vertex + 1 < path.0.len()
            {
                vertex += 1;
            }
            vertices.push(vertex);
        }
        // Places nearer than the farthest one so far need no exact distance. A few widely spaced places are
        // therefore computed first.
        const APART: usize = 8;
        let mut ks_distance = 0.0;
        for (first, step) in [(APART / 2, APART), (0, 1)] {
            for (point, &vertex) in points.iter().zip(&*vertices).skip(first).step_by(step) {
                ks_distance = self.distance(path, point, vertex, ks_distance).max(ks_distance);
            }
        }
        ks_distance
    }

    /// The distance of a place from the path, searched from a vertex on. If it is below `enough`, any number
    /// below `enough` may be returned.
    fn distance(&self, path: &Path, point: &(Rate, Rate), vertex: usize, enough: f64) -> f64 {
        let path = &path.0;
        let (x, y) = (self.neg.all * point.0.rate, self.pos.all * point.1.rate);
        let distances =
            |at: usize| (self.neg.distance(path[at].0, &point.0), self.pos.distance(path[at].1, &point.1));
        let start = distances(vertex);
        let mut nearest = start.0 + start.1;
        let (mut last, mut at) = (start, vertex);
        while at + 1 < path.len() && nearest > enough {
            // Beyond both rates, the distance only increases.
            let min_beyond =
                (if path[at].0 >= x { last.0 } else { 0.0 }) + (if path[at].1 >= y { last.1 } else { 0.0 });
            if min_beyond > nearest {
                break;
            }
            let next = distances(at + 1);
            nearest = nearest.min(next.0 + next.1).min(self.on_the_way(path[at], path[at + 1], last, point));
            (last, at) = (next, at + 1);
        }
        (last, at) = (start, vertex);
        while at > 0 && nearest > enough {
            let min_beyond =
                (if path[at].0 <= x { last.0 } else { 0.0 }) + (if path[at].1 <= y { last.1 } else { 0.0 });
            if min_beyond > nearest {
                break;
            }
            let next = distances(at - 1);
            nearest = nearest.min(next.0 + next.1).min(self.on_the_way(path[at - 1], path[at], next, point));
            (last, at) = (next, at - 1);
        }
        nearest
    }

    /// The distance of a place from the line between two points; `apart` is the distance from the first.
    fn on_the_way(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        distances: (f64, f64),
        point: &(Rate, Rate),
    ) -> f64 {
        let (x, y) = (self.neg.all * point.0.rate, self.pos.all * point.1.rate);
        let (width, height) = (to.0 - from.0, to.1 - from.1);
        if height == 0.0 {
            return if from.0 < x && x < to.0 { distances.1 } else { f64::INFINITY };
        }
        if width == 0.0 {
            return if from.1 < y && y < to.1 { distances.0 } else { f64::INFINITY };
        }
        // Near the place the distance is about quadratic, so its minimum on a line is a projection.
        let (neg_weight, pos_weight) = (x * (1.0 - point.0.rate), y * (1.0 - point.1.rate));
        let share = ((x - from.0) * width / neg_weight + (y - from.1) * height / pos_weight)
            / (width * width / neg_weight + height * height / pos_weight);
        let logit = |rate: &Rate| rate.log - rate.log_rest;
        let slope = |count: f64, all: f64, rate: &Rate| (count / (all - count)).ln() - logit(rate);
        let curvature = |count: f64, all: f64| all / (count * (all - count));
        let mut share = share.clamp(0.0, 1.0);
        // Newton steps from there; the distance is convex along the line.
        for _ in 0..2 {
            let (f, t) = (from.0 + share * width, from.1 + share * height);
            if !(0.0 < f && f < self.neg.all && 0.0 < t && t < self.pos.all) {
                break;
            }
            let first = width * slope(f, self.neg.all, &point.0) + height * slope(t, self.pos.all, &point.1);
            let second =
                width * width * curvature(f, self.neg.all) + height * height * curvature(t, self.pos.all);
            share = (share - first / second).clamp(0.0, 1.0);
        }
        self.neg.distance(from.0 + share * width, &point.0)
            + self.pos.distance(from.1 + share * height, &point.1)
    }

    /// For each fpr, the limits of the tpr over all points within distance `reach` of the path.
    pub fn band(&self, path: &Path, reach: f64, rates: &[f64]) -> Limits {
        let path = &path.0;
        let mut middle = 0;
        let limits = |&fpr: &f64| -> (f64, f64) {
            // Both limits with their logarithms. A rate is computed only if it is beyond the limit so far.
            let (mut lower, mut upper) = (Rate::new(1.0), Rate::new(0.0));
            let mut take = |at: usize, rest: f64| {
                let count = path[at].1;
                let is_beyond = |limit: &Rate| self.pos.distance(count, limit) < rest;
                if count >= upper.rate * self.pos.all || is_beyond(&upper) {
                    upper = Rate::new(self.pos.above(count, rest).max(upper.rate));
                }
                if count <= lower.rate * self.pos.all || is_beyond(&lower) {
                    lower = Rate::new(self.pos.below(count, rest).min(lower.rate));
                }
            };
            if fpr <= 0.0 || fpr >= 1.0 {
                let end = if fpr <= 0.0 { 0.0 } else { self.neg.all };
                (0..path.len()).filter(|&at| path[at].0 == end).for_each(|at| take(at, reach));
                return if fpr <= 0.0 { (0.0, upper.rate) } else { (lower.rate, 1.0) };
            }
            let (rate, x) = (Rate::new(fpr), self.neg.all * fpr);
            while middle + 1 < path.len() && path[middle].0 < x {
                middle += 1;
            }
            // On a horizontal piece the curve itself passes here.
            if path[middle].0 > x && path[middle].1 == path[middle - 1].1 {
                take(middle, reach);
            }
            let mut within = |at: usize| {
                let rest = reach - self.neg.distance(path[at].0, &rate);
                if rest >= 0.0 {
                    take(at, rest);
                }
                rest >= 0.0
            };
            let mut at = middle;
            while at < path.len() && within(at) {
                at += 1;
            }
            at = middle;
            while at > 0 && within(at - 1) {
                at -= 1;
            }
            (lower.rate, upper.rate)
        };
        let (lower, upper) = rates.iter().map(limits).unzip();
        Limits { lower, upper }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_rates() {
        for (all, count, rate) in [(50, 20, 0.55), (50, 0, 0.1), (50, 50, 0.9), (30_000, 12_345, 0.4)] {
            let class = Class::new(all);
            let (n, p) = (all as f64, count as f64 / all as f64);
            let term = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
            let expected = n * (term(p, rate) + term(1.0 - p, 1.0 - rate));
            let got = class.distance(count as f64, &Rate::new(rate));
            assert!((got - expected).abs() < 1e-9 * expected.max(1.0), "{got} {expected}");
            let back = if rate > p { class.above(count as f64, got) } else { class.below(count as f64, got) };
            assert!((back - rate).abs() < 1e-9, "{back} {rate}");
        }
    }

    /// The nearest point of the path, by brute force.
    #[test]
    fn nearest_points() {
        let counts =
            [(3, 0), (2, 1), (0, 2), (1, 0), (1, 4), (0, 1), (2, 3)].map(|(pos, neg)| Count { pos, neg });
        let likelihood = Likelihood::new(Count::sum(&counts));
        let path = Path::new(&counts);
        let fine: Vec<(f64, f64)> = path
            .0
            .windows(2)
            .flat_map(|pair| {
                (0..=400).map(|part| f64::from(part) / 400.0).map(|share| {
                    let [from, to] = [pair[0], pair[1]];
                    (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share)
                })
            })
            .collect();
        for (x, y) in [(0.1, 0.9), (0.3, 0.4), (0.5, 0.8), (0.9, 0.2), (0.04, 0.1), (0.95, 0.99)] {
            let point = (Rate::new(x), Rate::new(y));
            let far = |(f, t): (f64, f64)| {
                likelihood.neg.distance(f, &point.0) + likelihood.pos.distance(t, &point.1)
            };
            let expected = fine.iter().map(|&point| far(point)).fold(f64::INFINITY, f64::min);
            for vertex in 0..path.0.len() {
                let got = likelihood.distance(&path, &point, vertex, 0.0);
                assert!((got - expected).abs() < 1e-3, "{x} {y} {vertex}: {got} {expected}");
            }
        }
    }

    #[test]
    fn the_band_has_its_width() {
        let counts: Vec<Count> = (0..40)
            .map(|index| Count { pos: u64::from(index % 3 != 2), neg: u64::from(index % 3 == 2) })
            .collect();
        let likelihood = Likelihood::new(Count::sum(&counts));
        let path = Path::new(&counts);
        let rates = [0.05, 0.2, 0.5, 0.81, 0.99];
        let Limits { lower, upper } = likelihood.band(&path.with_vertices_on_ties(&likelihood), 2.0, &rates);
        for (index, &rate) in rates.iter().enumerate() {
            for (tpr, is_above) in [(lower[index], false), (upper[index], true)] {
                if !(1e-9..1.0 - 1e-9).contains(&tpr) {
                    continue;
                }
                let far = |tpr: f64| likelihood.distance(&path, &(Rate::new(rate), Rate::new(tpr)), 0, 0.0);
                assert!(far(tpr) <= 2.0 + 1e-9, "{rate} {tpr}");
                let beyond = if is_above { tpr + 0.02 } else { tpr - 0.02 };
                assert!(!(0.0..1.0).contains(&beyond) || far(beyond) > 2.0, "{rate} {beyond}");
            }
        }
    }
}
