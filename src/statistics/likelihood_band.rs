//! The band of likelihood: every point near enough to the curve, by the likelihood ratio of both rates.
//!
//! A point `(x, y)` is as far from a point `(f, t)` of the empirical curve as the counts there speak against the rates
//! `x` and `y`: `n0 K(f, x) + n1 K(t, y)`, with `K(p, q) = p ln(p / q) + (1 - p) ln((1 - p) / (1 - q))`, half the deviance of
//! two binomial samples. Its distance from the curve is that from the nearest point of the curve: the ratio of likelihoods,
//! maximised over the threshold. The band is all points that are no farther from the curve than `reach`.
//!
//! For one distribution function this is the band of Berk and Jones (1979) and Owen (1995), and for a point of the ROC
//! curve the interval of Claeskens, Jing, Peng and Zhou (2003). It is about equally precise everywhere. The reach is the
//! quantile of the largest distance between a curve and samples of it, for a smooth curve near the one that was
//! observed: a smoothed bootstrap (Bertail, Clemencon and Vayatis 2008).

use super::bootstrap::Resampling;
use super::curve_sample::Limits;
use super::redraw::{Draw, Redraw};
use super::sweep::Sweep;
use crate::math::Stream;
use crate::math::normal::upper_quantile;
use crate::ranking::counts::steps;
use crate::ranking::{Count, Step};

/// Places of a smooth curve whose distance from samples is taken. With half as many the reach is 2 % too small.
const PLACES: usize = 200;

/// Up to so many rows of a class, the entropies of all counts are kept.
const MOST_KEPT: u64 = 1 << 14;

/// Of both classes together, in deviations of the normal distribution: how far the smooth curve looks to either side, times
/// the fifth root of the rows. 0.8 had the least error of coverage among 0.4 to 1.2, over 40 shapes and sizes.
const BANDWIDTH: f64 = 0.8;

/// Rates from 0 to 1, at most so many, the curve there, and the limits of its tpr.
///
/// The limits rise as steeply as the curve, and a straight line between two of them must not leave out a part of the
/// band. So the rates are those of places along the curve.
pub fn limits(
    counts: &[Count],
    level: f64,
    points: u32,
    resampling: Resampling,
) -> (Vec<f64>, Vec<f64>, Limits) {
    let all = Count::sum(counts);
    let share = |step: Step| (step.fp() as f64 / all.neg as f64, step.tp() as f64 / all.pos as f64);
    let corners: Vec<(f64, f64)> = std::iter::once((0.0, 0.0)).chain(steps(counts).map(share)).collect();
    let mut rates: Vec<f64> = along(&corners, points as usize - 1).into_iter().map(|place| place.0).collect();
    rates.insert(0, 0.0);
    rates.push(1.0);
    rates.dedup();
    let means = Sweep::Vertical(rates.clone()).read(counts).unwrap_or_default();
    let (cells, _) = Redraw::fitting(counts, Draw::Stratified);
    let by_cell = cells.counts().len() < counts.len();
    let counts = cells.counts();
    let model = Model::smooth(counts, by_cell);
    let likelihood = Likelihood::of(Count::sum(counts));
    let truth = model.places();
    let mut distances = resampling.each(Memory::default, |memory, mut stream| {
        model.draw(&mut stream, memory);
        let Memory { path, vertices, .. } = memory;
        likelihood.farthest(path, &truth, vertices)
    });
    distances.sort_unstable_by(f64::total_cmp);
    // Of so many samples the one that is exceeded by a further sample with the probability 1 - level.
    let rank = (level * (distances.len() + 1) as f64).ceil() as usize;
    let reach = distances[rank.clamp(1, distances.len()) - 1];
    let band = likelihood.band(&Path::of(counts).divided(&likelihood), reach, &rates);
    (rates, means, band)
}

/// Points of a curve of shares, one less than `steps`, closer together near both ends.
fn along(corners: &[(f64, f64)], steps: usize) -> Vec<(f64, f64)> {
    let mut corner = 0;
    let place = |step: usize| {
        let angle = std::f64::consts::FRAC_PI_2 * (step as f64 / steps as f64);
        // Both rates together, which is how far along the curve a point is.
        let along = 2.0 * angle.sin().powi(2);
        while corner + 2 < corners.len() && corners[corner + 1].0 + corners[corner + 1].1 < along {
            corner += 1;
        }
        let ((x0, y0), (x1, y1)) = (corners[corner], corners[corner + 1]);
        let share = ((along - x0 - y0) / (x1 + y1 - x0 - y0)).clamp(0.0, 1.0);
        (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
    };
    (1..steps).map(place).collect()
}

/// A curve in counts, from (0, 0) on: negatives and positives above each vertex.
#[derive(Clone, Debug, Default)]
struct Path(Vec<(f64, f64)>);

impl Path {
    fn of(counts: &[Count]) -> Path {
        let mut path = Path::default();
        path.begin();
        counts.iter().for_each(|count| path.go(count.neg as f64, count.pos as f64));
        path
    }

    fn begin(&mut self) {
        self.0.clear();
        self.0.push((0.0, 0.0));
    }

    fn end(&self) -> (f64, f64) {
        self.0.last().copied().unwrap_or_default()
    }

    fn go(&mut self, neg: f64, pos: f64) {
        let (x, y) = self.end();
        self.0.push((x + neg, y + pos));
    }

    /// The same with vertices on ties, so many that neighbours are a twentieth of a deviation apart.
    fn divided(&self, likelihood: &Likelihood) -> Path {
        let close = |all: f64| 0.05 * all.sqrt();
        let (width, height) = (close(likelihood.neg.all), close(likelihood.pos.all));
        let mut path = Path::default();
        path.begin();
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
struct Likelihood {
    neg: Class,
    pos: Class,
}

/// The likelihood of a rate, where so many rows of a class are called positive.
#[derive(Clone, Debug)]
struct Class {
    /// All rows.
    all: f64,
    /// `n (p ln p + (1 - p) ln(1 - p))` of each count, if they are few.
    entropies: Vec<f64>,
}

/// A rate, with the logarithms that its likelihood needs.
#[derive(Clone, Copy, Debug)]
struct Rate {
    rate: f64,
    log: f64,
    log_rest: f64,
}

impl Rate {
    fn of(rate: f64) -> Rate {
        Rate { rate, log: rate.ln(), log_rest: (-rate).ln_1p() }
    }
}

impl Class {
    fn of(rows: u64) -> Class {
        let all = rows as f64;
        let mut class = Class { all, entropies: Vec::new() };
        if rows <= MOST_KEPT {
            class.entropies = (0..=rows).map(|count| class.entropy(count as f64)).collect();
        }
        class
    }

    fn entropy(&self, count: f64) -> f64 {
        let part = |count: f64| if count > 0.0 { count * (count / self.all).ln() } else { 0.0 };
        part(count) + part(self.all - count)
    }

    /// How far the counts are from a rate.
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

    /// The rate above a count that is so far from it.
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
        // Newton's steps, and halves where these leave the bounds; each halves the bounds at least, or is close.
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

    /// The rate below a count that is so far from it.
    fn below(&self, count: f64, distance: f64) -> f64 {
        1.0 - self.above(self.all - count, distance)
    }
}

impl Likelihood {
    fn of(all: Count) -> Likelihood {
        Likelihood { neg: Class::of(all.neg), pos: Class::of(all.pos) }
    }

    /// The distance from the path of the place that is farthest from it; `vertices` is memory.
    fn farthest(&self, path: &Path, places: &[(Rate, Rate)], vertices: &mut Vec<usize>) -> f64 {
        // Both rates together grow along the path and from place to place. Where they are equal, the path is near.
        let (of_neg, of_pos) = (1.0 / self.neg.all, 1.0 / self.pos.all);
        vertices.clear();
        let mut vertex = 0;
        for place in places {
            let here = place.0.rate + place.1.rate;
            while path.0[vertex].0 * of_neg + path.0[vertex].1 * of_pos < here && vertex + 1 < path.0.len() {
                vertex += 1;
            }
            vertices.push(vertex);
        }
        // Places that are nearer than the farthest one so far need no exact distance. So a few far apart come first.
        const APART: usize = 8;
        let mut farthest = 0.0;
        for (first, step) in [(APART / 2, APART), (0, 1)] {
            for (place, &vertex) in places.iter().zip(&*vertices).skip(first).step_by(step) {
                farthest = self.distance(path, place, vertex, farthest).max(farthest);
            }
        }
        farthest
    }

    /// The distance of a place from the path, looked for from a vertex on; any smaller number than `enough` instead, if it
    /// is below `enough`.
    fn distance(&self, path: &Path, place: &(Rate, Rate), vertex: usize, enough: f64) -> f64 {
        let path = &path.0;
        let (x, y) = (self.neg.all * place.0.rate, self.pos.all * place.1.rate);
        let apart =
            |at: usize| (self.neg.distance(path[at].0, &place.0), self.pos.distance(path[at].1, &place.1));
        let start = apart(vertex);
        let mut nearest = start.0 + start.1;
        let (mut last, mut at) = (start, vertex);
        while at + 1 < path.len() && nearest > enough {
            // Beyond both rates, the distance only grows.
            let passed =
                (if path[at].0 >= x { last.0 } else { 0.0 }) + (if path[at].1 >= y { last.1 } else { 0.0 });
            if passed > nearest {
                break;
            }
            let next = apart(at + 1);
            nearest = nearest.min(next.0 + next.1).min(self.on_the_way(path[at], path[at + 1], last, place));
            (last, at) = (next, at + 1);
        }
        (last, at) = (start, vertex);
        while at > 0 && nearest > enough {
            let passed =
                (if path[at].0 <= x { last.0 } else { 0.0 }) + (if path[at].1 <= y { last.1 } else { 0.0 });
            if passed > nearest {
                break;
            }
            let next = apart(at - 1);
            nearest = nearest.min(next.0 + next.1).min(self.on_the_way(path[at - 1], path[at], next, place));
            (last, at) = (next, at - 1);
        }
        nearest
    }

    /// The distance of a place from a straight piece between its ends, `apart` being that of its first end.
    fn on_the_way(&self, from: (f64, f64), to: (f64, f64), apart: (f64, f64), place: &(Rate, Rate)) -> f64 {
        let (x, y) = (self.neg.all * place.0.rate, self.pos.all * place.1.rate);
        let (width, height) = (to.0 - from.0, to.1 - from.1);
        if height == 0.0 {
            return if from.0 < x && x < to.0 { apart.1 } else { f64::INFINITY };
        }
        if width == 0.0 {
            return if from.1 < y && y < to.1 { apart.0 } else { f64::INFINITY };
        }
        // Near the place the distance is quadratic, and its least point on a line a projection.
        let (of_neg, of_pos) = (x * (1.0 - place.0.rate), y * (1.0 - place.1.rate));
        let share = ((x - from.0) * width / of_neg + (y - from.1) * height / of_pos)
            / (width * width / of_neg + height * height / of_pos);
        let logit = |rate: &Rate| rate.log - rate.log_rest;
        let slope = |count: f64, all: f64, rate: &Rate| (count / (all - count)).ln() - logit(rate);
        let curvature = |count: f64, all: f64| all / (count * (all - count));
        let mut share = share.clamp(0.0, 1.0);
        // Newton's steps from there; the distance is convex along the piece.
        for _ in 0..2 {
            let (f, t) = (from.0 + share * width, from.1 + share * height);
            if !(0.0 < f && f < self.neg.all && 0.0 < t && t < self.pos.all) {
                break;
            }
            let first = width * slope(f, self.neg.all, &place.0) + height * slope(t, self.pos.all, &place.1);
            let second =
                width * width * curvature(f, self.neg.all) + height * height * curvature(t, self.pos.all);
            share = (share - first / second).clamp(0.0, 1.0);
        }
        self.neg.distance(from.0 + share * width, &place.0)
            + self.pos.distance(from.1 + share * height, &place.1)
    }

    /// Between which tpr points are no farther from the path than `reach`, at each fpr.
    fn band(&self, path: &Path, reach: f64, rates: &[f64]) -> Limits {
        let path = &path.0;
        let mut middle = 0;
        let limits = |&fpr: &f64| -> (f64, f64) {
            // Both limits with their logarithms. A rate is solved for only if it is beyond the limit so far.
            let (mut lower, mut upper) = (Rate::of(1.0), Rate::of(0.0));
            let mut take = |at: usize, rest: f64| {
                let count = path[at].1;
                let is_beyond = |limit: &Rate| self.pos.distance(count, limit) < rest;
                if count >= upper.rate * self.pos.all || is_beyond(&upper) {
                    upper = Rate::of(self.pos.above(count, rest).max(upper.rate));
                }
                if count <= lower.rate * self.pos.all || is_beyond(&lower) {
                    lower = Rate::of(self.pos.below(count, rest).min(lower.rate));
                }
            };
            if fpr <= 0.0 || fpr >= 1.0 {
                let end = if fpr <= 0.0 { 0.0 } else { self.neg.all };
                (0..path.len()).filter(|&at| path[at].0 == end).for_each(|at| take(at, reach));
                return if fpr <= 0.0 { (0.0, upper.rate) } else { (lower.rate, 1.0) };
            }
            let (rate, x) = (Rate::of(fpr), self.neg.all * fpr);
            while middle + 1 < path.len() && path[middle].0 < x {
                middle += 1;
            }
            // On a level piece the curve itself passes here.
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

/// A smooth curve near the observed one, from which samples are drawn.
#[derive(Clone, Debug)]
struct Model {
    /// For each score, from the highest on, the share of negatives and of positives down to it.
    above: Vec<(f64, f64)>,
    /// Of negatives and of positives, how likely each score is; empty if cells are drawn.
    chances: [Chances; 2],
    all: Count,
    by_cell: bool,
}

/// How likely each of some places is: equal parts, each of which belongs to two places at most (Walker 1977; Vose 1991).
#[derive(Clone, Debug, Default)]
struct Chances {
    /// Of each part: how much of it, of 2^64, is of its own place, and which place has the rest.
    parts: Vec<(u64, u32)>,
}

impl Chances {
    /// From the weight of each place; they need not sum to 1.
    fn of(mut weights: Vec<f64>) -> Chances {
        let scale = weights.len() as f64 / weights.iter().sum::<f64>();
        weights.iter_mut().for_each(|weight| *weight *= scale);
        let mut parts: Vec<(u64, u32)> = (0..weights.len()).map(|place| (u64::MAX, place as u32)).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..weights.len()).partition(|&place| weights[place] < 1.0);
        while let (Some(&from), Some(to)) = (large.last(), small.pop()) {
            // As a number of 64 bits; the conversion saturates.
            parts[to] = ((weights[to] * f64::powi(2.0, 64)) as u64, from as u32);
            weights[from] -= 1.0 - weights[to];
            if weights[from] < 1.0 {
                large.pop();
                small.push(from);
            }
        }
        Chances { parts }
    }

    #[inline]
    fn draw(&self, stream: &mut Stream) -> usize {
        // The high bits say which part, and the low ones where in the part.
        let product = u128::from(stream.bits()) * self.parts.len() as u128;
        let part = (product >> 64) as usize;
        let (own, other) = self.parts[part];
        if (product as u64) < own { part } else { other as usize }
    }
}

/// Memory that a thread keeps from sample to sample.
#[derive(Debug, Default)]
struct Memory {
    drawn: Vec<Count>,
    path: Path,
    /// Where the path is near each place.
    vertices: Vec<usize>,
}

impl Model {
    /// The share of positives among the rows of both classes, each class weighing the same, is smoothed along the ranks: by a
    /// normal kernel between normal quantiles (Nadaraya 1964; Watson 1964). The scores keep their rows of both classes
    /// together, so that the tie of many rows stays one.
    fn smooth(counts: &[Count], by_cell: bool) -> Model {
        let all = Count::sum(counts);
        let (n_neg, n_pos) = (all.neg as f64, all.pos as f64);
        let bandwidth = BANDWIDTH * (4.0 * n_neg * n_pos / (n_neg + n_pos)).powf(-0.2);
        let shares = |count: &Count| (count.neg as f64 / n_neg, count.pos as f64 / n_pos);
        let mut passed = 0.0;
        // From the highest score on, in deviations; the lowest scores have large numbers.
        let deviations: Vec<f64> = counts
            .iter()
            .map(|count| {
                let (neg, pos) = shares(count);
                let mass = 0.5 * (neg + pos);
                passed += mass;
                -upper_quantile((passed - 0.5 * mass).clamp(1e-12, 1.0 - 1e-12))
            })
            .collect();
        // Rows are spread over a grid, smoothed there, and read off it: in linear time, and as exact as is of use.
        let step = bandwidth / 8.0;
        let first = deviations.first().copied().unwrap_or(0.0);
        let nodes = deviations.last().map_or(0, |last| ((last - first) / step) as usize) + 2;
        let mut rows = vec![(0.0, 0.0); nodes];
        let place = |deviation: f64| {
            let at = (deviation - first) / step;
            (at as usize, at.fract())
        };
        for (count, &deviation) in counts.iter().zip(&deviations) {
            let ((neg, pos), (node, part)) = (shares(count), place(deviation));
            for (node, part) in [(node, 1.0 - part), (node + 1, part)] {
                rows[node].0 += part * neg;
                rows[node].1 += part * pos;
            }
        }
        let reach = 40;
        let kernel: Vec<f64> =
            (0..=reach).map(|away| (-0.5 * (f64::from(away) / 8.0).powi(2)).exp()).collect();
        let smoothed = |node: usize| {
            let near = node.saturating_sub(reach as usize)..(node + reach as usize + 1).min(nodes);
            let (mut neg, mut pos) = (0.0, 0.0);
            for other in near {
                let weight = kernel[other.abs_diff(node)];
                neg += weight * rows[other].0;
                pos += weight * rows[other].1;
            }
            pos / (neg + pos)
        };
        let positive: Vec<f64> = (0..nodes).map(smoothed).collect();
        let (mut neg, mut pos) = (0.0, 0.0);
        let mut above: Vec<(f64, f64)> = counts
            .iter()
            .zip(&deviations)
            .map(|(count, &deviation)| {
                let ((of_neg, of_pos), (node, part)) = (shares(count), place(deviation));
                let share = positive[node] * (1.0 - part) + positive[node + 1] * part;
                neg += (1.0 - share) * (of_neg + of_pos);
                pos += share * (of_neg + of_pos);
                (neg, pos)
            })
            .collect();
        above.iter_mut().for_each(|share| *share = (share.0 / neg, share.1 / pos));
        let chances = |of: fn(&(f64, f64)) -> f64| {
            let mut passed = 0.0;
            let weight = |share: &(f64, f64)| of(share) - std::mem::replace(&mut passed, of(share));
            Chances::of(above.iter().map(weight).collect())
        };
        let chances =
            if by_cell { Default::default() } else { [chances(|share| share.0), chances(|share| share.1)] };
        Model { chances, above, all, by_cell }
    }

    /// Places along the curve, closer together near both ends.
    fn places(&self) -> Vec<(Rate, Rate)> {
        let mut corners = vec![(0.0, 0.0)];
        corners.extend(&self.above);
        let mut places: Vec<(f64, f64)> = Vec::new();
        if corners.len() <= PLACES {
            places.extend(&corners);
        }
        places.extend(along(&corners, PLACES));
        places.retain(|&(x, y)| 0.0 < x && x < 1.0 && 0.0 < y && y < 1.0);
        places.sort_unstable_by(|one, other| (one.0 + one.1).total_cmp(&(other.0 + other.1)));
        places.into_iter().map(|(x, y)| (Rate::of(x), Rate::of(y))).collect()
    }

    /// Draws a sample with as many rows of either class, as a path.
    fn draw(&self, stream: &mut Stream, memory: &mut Memory) {
        let Memory { drawn, path, .. } = memory;
        drawn.clear();
        drawn.resize(self.above.len(), Count::default());
        if self.by_cell {
            self.draw_cells(stream, drawn);
        } else {
            self.draw_rows(stream, drawn);
        }
        path.begin();
        path.0.reserve(drawn.len());
        // Rows of both classes that share a place are in any order: the path goes straight between its ends.
        let (mut neg, mut pos) = (0, 0);
        path.0.extend(drawn.iter().map(|count| {
            neg += count.neg;
            pos += count.pos;
            (neg as f64, pos as f64)
        }));
    }

    fn draw_rows(&self, stream: &mut Stream, drawn: &mut [Count]) {
        let [of_neg, of_pos] = &self.chances;
        for _ in 0..self.all.neg {
            drawn[of_neg.draw(stream)].neg += 1;
        }
        for _ in 0..self.all.pos {
            drawn[of_pos.draw(stream)].pos += 1;
        }
    }

    fn draw_cells(&self, stream: &mut Stream, drawn: &mut [Count]) {
        let mut left = self.all;
        let mut passed = (0.0, 0.0);
        let last = drawn.len() - 1;
        for (place, (drawn, &above)) in drawn.iter_mut().zip(&self.above).enumerate() {
            let mut taken = |left: &mut u64, passed: f64, above: f64| {
                let share = ((above - passed) / (1.0 - passed)).clamp(0.0, 1.0);
                let rows = if place == last { *left } else { stream.binomial(*left, share) };
                *left -= rows;
                rows
            };
            drawn.neg = taken(&mut left.neg, passed.0, above.0);
            drawn.pos = taken(&mut left.pos, passed.1, above.1);
            passed = above;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_rates() {
        for (all, count, rate) in [(50, 20, 0.55), (50, 0, 0.1), (50, 50, 0.9), (30_000, 12_345, 0.4)] {
            let class = Class::of(all);
            let (n, p) = (all as f64, count as f64 / all as f64);
            let term = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
            let expected = n * (term(p, rate) + term(1.0 - p, 1.0 - rate));
            let got = class.distance(count as f64, &Rate::of(rate));
            assert!((got - expected).abs() < 1e-9 * expected.max(1.0), "{got} {expected}");
            let back = if rate > p { class.above(count as f64, got) } else { class.below(count as f64, got) };
            assert!((back - rate).abs() < 1e-9, "{back} {rate}");
        }
    }

    /// The nearest point of the path, by looking at many points of it.
    #[test]
    fn nearest_points() {
        let counts =
            [(3, 0), (2, 1), (0, 2), (1, 0), (1, 4), (0, 1), (2, 3)].map(|(pos, neg)| Count { pos, neg });
        let likelihood = Likelihood::of(Count::sum(&counts));
        let path = Path::of(&counts);
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
            let place = (Rate::of(x), Rate::of(y));
            let far = |(f, t): (f64, f64)| {
                likelihood.neg.distance(f, &place.0) + likelihood.pos.distance(t, &place.1)
            };
            let expected = fine.iter().map(|&point| far(point)).fold(f64::INFINITY, f64::min);
            for vertex in 0..path.0.len() {
                let got = likelihood.distance(&path, &place, vertex, 0.0);
                // A projection is near the least point, and it is exact where the distance is small.
                assert!(
                    got >= expected - 1e-3 && got <= expected * 1.05 + 1e-3,
                    "{x} {y} {vertex}: {got} {expected}"
                );
            }
        }
    }

    #[test]
    fn the_band_reaches_as_far_as_said() {
        let counts: Vec<Count> = (0..40)
            .map(|place| Count { pos: u64::from(place % 3 != 2), neg: u64::from(place % 3 == 2) })
            .collect();
        let likelihood = Likelihood::of(Count::sum(&counts));
        let path = Path::of(&counts);
        let rates = [0.05, 0.2, 0.5, 0.81, 0.99];
        let Limits { lower, upper } = likelihood.band(&path.divided(&likelihood), 2.0, &rates);
        for (place, &rate) in rates.iter().enumerate() {
            for (tpr, is_above) in [(lower[place], false), (upper[place], true)] {
                if !(1e-9..1.0 - 1e-9).contains(&tpr) {
                    continue;
                }
                let far = |tpr: f64| likelihood.distance(&path, &(Rate::of(rate), Rate::of(tpr)), 0, 0.0);
                assert!(far(tpr) <= 2.0 + 1e-9, "{rate} {tpr}");
                let beyond = if is_above { tpr + 0.02 } else { tpr - 0.02 };
                assert!(!(0.0..1.0).contains(&beyond) || far(beyond) > 2.0, "{rate} {beyond}");
            }
        }
    }

    #[test]
    fn places_are_as_likely_as_they_weigh() {
        let weights = vec![0.1, 0.0, 3.0, 0.5, 0.4, 6.0];
        let chances = Chances::of(weights.clone());
        let mut counts = [0.0; 6];
        let mut stream = Stream::new(2, 2);
        (0..100_000).for_each(|_| counts[chances.draw(&mut stream)] += 1e-4);
        for (count, weight) in counts.iter().zip(weights) {
            assert!((count - weight).abs() < 0.07, "{counts:?}");
        }
        assert_eq!(Chances::of(vec![2.0]).draw(&mut stream), 0);
    }

    /// Samples vary about the smooth curve, and have the rows of either class.
    #[test]
    fn samples_of_the_smooth_curve() {
        let few: Vec<Count> = (0..60u64)
            .map(|place| Count { pos: u64::from(place % 2 == 0), neg: 1 - u64::from(place % 2 == 0) })
            .collect();
        let many: Vec<Count> = (0..9000u64).map(|place| Count { pos: 1 + place % 2, neg: 1 }).collect();
        for counts in [few, many] {
            let (cells, _) = Redraw::fitting(&counts, Draw::Stratified);
            let model = Model::smooth(cells.counts(), cells.counts().len() < counts.len());
            assert_eq!(model.by_cell, counts.len() > 100);
            let (mut memory, all) = (Memory::default(), Count::sum(&counts));
            let mut half = 0.0;
            for replicate in 0..200 {
                model.draw(&mut Stream::new(1, replicate), &mut memory);
                assert_eq!(memory.path.end(), (all.neg as f64, all.pos as f64));
                let middle = memory.path.0.iter().find(|vertex| vertex.0 >= 0.5 * all.neg as f64).unwrap();
                half += middle.1 / all.pos as f64 / 200.0;
            }
            // The classes are mixed evenly, so the curve is the diagonal.
            assert!((half - 0.5).abs() < 0.05, "{half}");
        }
    }

    #[test]
    fn a_chance_curve_is_held_as_often_as_said() {
        let band_holds = |seed: u64| {
            let mut labels: Vec<bool> = (0..60).map(|row| row < 30).collect();
            Stream::new(seed, 7).shuffle(&mut labels);
            let counts: Vec<Count> =
                labels.iter().map(|&pos| Count { pos: u64::from(pos), neg: u64::from(!pos) }).collect();
            let (rates, _, Limits { lower, upper }) =
                limits(&counts, 0.8, 61, Resampling { n_resamples: 200, seed });
            (1..rates.len() - 1).all(|place| lower[place] <= rates[place] && rates[place] <= upper[place])
        };
        let held = (0..200).filter(|&seed| band_holds(seed)).count();
        // Three standard errors of 160 of 200 are 17.
        assert!((143..=185).contains(&held), "{held}");
    }
}
