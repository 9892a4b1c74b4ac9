//! Times the kernel against a sort of the scores, on one thread and on all.
//!
//! ```text
//! cargo bench --no-default-features --bench kernel -- rounds=5 group_rows=10000 what=roc_auc shape=normal way=shards
//! ```
//!
//! All arguments are optional. The output is CSV: the contenders take turns, and each row is a median over
//! the rounds. See benches/README.md.

use std::hint::black_box;
use std::time::Instant;

use polars_auc::ranking::{Bits, Domain, Group, Observations, Strategy, Ties};
use polars_auc::statistics::{
    AveragePrecision, KsStatistic, MannWhitneyU, RocAuc, RocAucCi, RocSummary, Summary,
};

/// A seeded stream of numbers (SplitMix64: Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * f64::powi(2.0, -53)
    }

    /// Box and Muller 1958.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

const POSITIVE_SHARE: f64 = 0.3;

fn labels(rows: usize, random: &mut Random) -> Vec<u8> {
    let mut bytes = vec![0u8; rows.div_ceil(8)];
    for row in 0..rows {
        bytes[row / 8] |= u8::from(random.uniform() < POSITIVE_SHARE) << (row % 8);
    }
    bytes
}

fn scores(shape: &str, rows: usize, random: &mut Random) -> Vec<f64> {
    let mut scores: Vec<f64> = (0..rows)
        .map(|row| match shape {
            "normal" | "sorted" => random.normal(),
            "three decimals" => (random.uniform() * 1000.0).round() / 1000.0,
            "constant" => 0.5,
            "log-uniform" => 10f64.powf(12.0 * random.uniform() - 6.0),
            "two clusters" => random.uniform() * 1e-9 + if row % 2 == 0 { 1e9 } else { 0.0 },
            "one outlier" => {
                if row == 0 {
                    1e300
                } else {
                    random.normal()
                }
            }
            "one ulp" => 1.0 + f64::EPSILON * f64::from(random.uniform() < 0.5),
            _ => unreachable!("a shape of the list"),
        })
        .collect();
    if shape == "sorted" {
        scores.sort_by(f64::total_cmp);
    }
    scores
}

/// The value of an argument `name=value`.
fn argument(name: &str) -> Option<String> {
    std::env::args().find_map(|argument| Some(argument.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

/// Whether a value is selected; all values are if there is no such argument.
fn is_requested(name: &str, value: &str) -> bool {
    argument(name).is_none_or(|argument| argument == value)
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    model.unwrap_or("unknown").trim().replace(',', " ")
}

/// Sums the results of `evaluate` over groups of `group_rows` rows.
fn each_group(scores: &[f64], labels: &[u8], group_rows: usize, evaluate: impl Fn(Ties<'_>) -> f64) -> f64 {
    let strategy = Strategy::NAMES.into_iter().find(|(name, _)| argument("way").as_deref() == Some(*name));
    let way = strategy.map_or(Strategy::Fitting, |(_, way)| way);
    let all = Bits::new(labels, 0, scores.len());
    let mut group = Group::new(way, Domain::Any);
    let mut sum = 0.0;
    for (index, scores) in scores.chunks(group_rows).enumerate() {
        group.load(Observations::new(scores, all.slice(index * group_rows, scores.len()), None));
        sum += evaluate(group.ties());
    }
    sum
}

fn main() {
    let rounds: usize = argument("rounds").and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let cores = std::thread::available_parallelism().map_or(0, |cores| cores.get());
    let machine = format!("{},{},{cores}", env!("CARGO_PKG_VERSION"), processor());
    println!("shape,rows,group_rows,what,nanoseconds_per_row,version,cpu,cores");
    let mut random = Random(2004);
    let shapes = [
        "normal",
        "sorted",
        "three decimals",
        "constant",
        "log-uniform",
        "two clusters",
        "one outlier",
        "one ulp",
    ];
    let sizes = [(1 << 20, 10), (1 << 20, 40), (1 << 20, 100), (1 << 20, 10_000), (10_000_000, 10_000_000)];
    for shape in shapes.into_iter().filter(|shape| is_requested("shape", shape)) {
        for (rows, group_rows) in sizes {
            if !is_requested("group_rows", &group_rows.to_string()) {
                continue;
            }
            let scores = scores(shape, rows, &mut random);
            let labels = labels(rows, &mut random);
            let ci = RocAucCi::default();
            let test = MannWhitneyU::default();
            let contenders: [(&str, &dyn Fn() -> f64); 8] = [
                ("part", &|| each_group(&scores, &labels, group_rows, |ties| ties.n_pos() as f64)),
                ("sort_unstable", &|| {
                    let mut copy = scores.clone();
                    copy.chunks_mut(group_rows).for_each(|group| group.sort_unstable_by(f64::total_cmp));
                    copy[0]
                }),
                ("roc_auc", &|| {
                    each_group(&scores, &labels, group_rows, |ties| {
                        RocAuc::default().evaluate(ties).auc.unwrap_or(0.0)
                    })
                }),
                ("ks_statistic", &|| {
                    each_group(&scores, &labels, group_rows, |ties| {
                        KsStatistic::default().evaluate(ties).ks.unwrap_or(0.0)
                    })
                }),
                ("average_precision", &|| {
                    each_group(&scores, &labels, group_rows, |ties| {
                        AveragePrecision::default().evaluate(ties).average_precision.unwrap_or(0.0)
                    })
                }),
                ("mann_whitney_u", &|| {
                    each_group(&scores, &labels, group_rows, |ties| test.evaluate(ties).z.unwrap_or(0.0))
                }),
                ("roc_summary", &|| {
                    each_group(&scores, &labels, group_rows, |ties| {
                        RocSummary::default().evaluate(ties).interval.se.unwrap_or(0.0)
                    })
                }),
                ("roc_auc_ci", &|| {
                    each_group(&scores, &labels, group_rows, |ties| {
                        ci.evaluate(ties).interval.se.unwrap_or(0.0)
                    })
                }),
            ];
            let mut times = vec![Vec::new(); contenders.len()];
            for _ in 0..rounds {
                for (contender, times) in contenders.iter().zip(&mut times) {
                    if !is_requested("what", contender.0) {
                        continue;
                    }
                    let start = Instant::now();
                    black_box(contender.1());
                    times.push(start.elapsed().as_secs_f64());
                }
            }
            for (contender, times) in contenders.iter().zip(&mut times) {
                if times.is_empty() {
                    continue;
                }
                times.sort_by(f64::total_cmp);
                let median = times[times.len() / 2] * 1e9 / rows as f64;
                println!("{shape},{rows},{group_rows},{},{median:.2},{machine}", contender.0);
            }
        }
    }
}
