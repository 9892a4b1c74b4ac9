//! Times queries without and with each special path of the kernel (`src/paths.rs`), in turn.
//!
//! ```text
//! cargo bench --no-default-features --features paths --bench paths -- rounds=7 path=Simd
//! ```
//!
//! All arguments are optional. The output is CSV: `off_over_on` is the ratio of the medians, and
//! `milliseconds` is the median with the path. See benches/README.md.

use std::borrow::Cow;
use std::hint::black_box;
use std::time::Instant;

use polars_auc::paths::Path;
use polars_auc::ranking::{
    AllPlacements, Bits, Codes, Domain, Group, Observations, RowGroups, Strategy, Ties, score_type::ScoreType,
};
use polars_auc::states::{Limit, Scale, State, unranked_state};
use polars_auc::statistics::{
    AveragePrecision, KsStatistic, MannWhitneyU, RocAuc, RocAucCi, RocSummary, Summary,
};

/// A seeded stream of numbers (SplitMix64: Steele, Lea and Flood 2014).
fn bits(row: u64) -> u64 {
    let mut z = row.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn uniform(row: u64) -> f64 {
    (bits(row) >> 11) as f64 * f64::powi(2.0, -53)
}

fn is_positive(row: u64) -> bool {
    uniform(row + (1 << 40)) < 0.3
}

fn score(shape: &str, row: u64) -> f64 {
    let even = uniform(2 * row);
    match shape {
        // The sum of four uniform numbers is approximately normal. Positives score higher by one standard
        // deviation.
        "normal" => {
            (0..4).map(|part| uniform(8 * row + part)).sum::<f64>() + f64::from(is_positive(row)) * 0.58
        }
        "three decimals" => (even * 1000.0).round() / 1000.0,
        "log-uniform" => 10f64.powf(12.0 * even - 6.0),
        "half ties" => {
            if even < 0.5 {
                0.5
            } else {
                even
            }
        }
        _ => unreachable!("a shape of the list"),
    }
}

/// Rows of one shape.
struct Rows {
    scores: Vec<f64>,
    labels: Vec<u8>,
    weights: Vec<f64>,
}

impl Rows {
    fn new(shape: &str, rows: usize) -> Self {
        let label = |row: usize| u8::from(is_positive(row as u64));
        Rows {
            scores: (0..rows as u64).map(|row| score(shape, row)).collect(),
            labels: (0..rows.div_ceil(8))
                .map(|byte| (0..8).fold(0, |bits, bit| bits | label(8 * byte + bit) << bit))
                .collect(),
            weights: (0..rows as u64).map(|row| 0.5 + uniform(row + (1 << 41))).collect(),
        }
    }

    /// The rows in groups of this size.
    fn groups(&self, group_rows: usize) -> impl Iterator<Item = Observations<'_, f64>> {
        let all = Bits::new(&self.labels, 0, self.scores.len());
        self.scores.chunks(group_rows).enumerate().map(move |(number, scores)| {
            Observations::new(scores, all.slice(number * group_rows, scores.len()), None)
        })
    }

    fn each(&self, group_rows: usize, statistic: impl Fn(Ties<'_>) -> f64) -> f64 {
        let mut group = Group::new(Strategy::Fitting, Domain::Any);
        let group_time = |rows| {
            group.load(rows);
            statistic(group.ties())
        };
        self.groups(group_rows).map(group_time).sum()
    }

    fn each_weighted(&self, group_rows: usize) -> f64 {
        let mut group = Group::new(Strategy::Fitting, Domain::Any);
        let group_time = |(rows, weights): (Observations<'_, f64>, &[f64])| {
            group.load(rows.with_weights(weights));
            RocAuc::default().evaluate(group.ties()).auc.unwrap_or(0.0)
        };
        // A closure cannot lend its weights to rows that outlive it.
        self.groups(group_rows).zip(self.weights.chunks(group_rows)).map(group_time).sum()
    }

    fn labels(&self) -> Vec<bool> {
        (0..self.scores.len()).map(|row| self.labels[row / 8] >> (row % 8) & 1 == 1).collect()
    }
}

/// A query: its name, the shape of scores, the number of rows, and the rows per group.
type Query = (&'static str, &'static str, usize, usize);

const LARGE: usize = 10_000_000;
const MANY: usize = 1 << 20;

/// Queries that use a path.
fn queries(path: Path) -> Vec<Query> {
    let normal = |what, rows, group_rows| (what, "normal", rows, group_rows);
    let column = |what| normal(what, LARGE, LARGE);
    match path {
        Path::Simd => vec![column("roc_auc"), column("roc_auc_ci"), normal("roc_auc", MANY, 40)],
        Path::Prefetch => vec![column("roc_auc"), column("roc_auc_ci"), column("segments")],
        Path::HugePages => {
            vec![column("roc_auc"), normal("segments", LARGE, 1000), normal("by group", LARGE, 10)]
        }
        Path::PiecewiseLinear => vec![("roc_auc", "log-uniform", LARGE, LARGE)],
        Path::DistinctKeys => {
            vec![("roc_auc", "three decimals", LARGE, LARGE), ("roc_auc_ci", "three decimals", LARGE, LARGE)]
        }
        Path::LastProbe => {
            vec![("roc_auc", "half ties", LARGE, LARGE), ("roc_auc", "half ties", MANY, 10_000)]
        }
        Path::Pairs => {
            vec![normal("roc_auc", MANY, 10), normal("roc_auc_ci", MANY, 10), normal("roc_auc_ci", MANY, 40)]
        }
        Path::RankHistogram => {
            vec![column("roc_auc_ci"), normal("roc_auc_ci", MANY, 10_000), normal("roc_auc_ci", MANY, 100)]
        }
        Path::Ranks => vec![column("ks_statistic"), column("roc_summary")],
        Path::PrunedFold => vec![column("ks_statistic")],
        Path::Positives => {
            vec![column("average_precision"), normal("average_precision", MANY, 100), column("roc_summary")]
        }
        Path::Duplicates => vec![column("mann_whitney_u"), normal("mann_whitney_u", MANY, 10_000)],
        Path::Outline => vec![column("outline")],
        Path::UnitsOfFew => vec![normal("weights", MANY, 10)],
        Path::IndexedUnits => vec![column("weights")],
        Path::TwoPasses => vec![normal("by group", LARGE, 10), normal("by group", LARGE, 100)],
        Path::ScoreBuckets => vec![column("codes"), normal("segments", LARGE, 100_000)],
        Path::NarrowSums => vec![normal("segments", LARGE, 100_000), normal("segments", MANY, 1000)],
        Path::BoundedState => vec![column("state of 1024 bins"), column("state of 16384 bins")],
        Path::MergeTable => vec![normal("merge of states", MANY, 1000)],
    }
}

fn run(what: &str, rows: &Rows, group_rows: usize, states: &[State], keys: &[u32]) -> f64 {
    let n_groups = rows.scores.len().div_ceil(group_rows);
    let state = |max_bins| {
        let pieces: Vec<_> = rows.groups(group_rows).collect();
        let state = unranked_state(
            &pieces,
            Some(Limit { max_bins, scale: Scale::Real }),
            ScoreType::new::<f64>(Domain::Any),
        );
        match state.expect("rows without weights") {
            Some(state) => state.counts.bins.len() as f64,
            None => rows.each(group_rows, |mut ties| {
                let row_counts = ties.row_counts();
                State::exact(ties.counts(), row_counts)
                    .limited(Some(Limit { max_bins, scale: Scale::Real }))
                    .bins
                    .len() as f64
            }),
        }
    };
    match what {
        "roc_auc" => rows.each(group_rows, |ties| RocAuc::default().evaluate(ties).auc.unwrap_or(0.0)),
        "roc_auc_ci" => {
            rows.each(group_rows, |ties| RocAucCi::default().evaluate(ties).interval.se.unwrap_or(0.0))
        }
        "ks_statistic" => {
            rows.each(group_rows, |ties| KsStatistic::default().evaluate(ties).ks.unwrap_or(0.0))
        }
        "average_precision" => rows.each(group_rows, |ties| {
            AveragePrecision::default().evaluate(ties).average_precision.unwrap_or(0.0)
        }),
        "mann_whitney_u" => {
            rows.each(group_rows, |ties| MannWhitneyU::default().evaluate(ties).z.unwrap_or(0.0))
        }
        "roc_summary" => {
            rows.each(group_rows, |ties| RocSummary::default().evaluate(ties).interval.se.unwrap_or(0.0))
        }
        "outline" => rows.each(group_rows, |mut ties| ties.outline(2000).len() as f64),
        "weights" => rows.each_weighted(group_rows),
        "codes" => Codes::new(&rows.scores).distinct as f64,
        "by group" => {
            RowGroups::new(Cow::from(keys), n_groups, rayon::current_num_threads()).by_group(&rows.scores)[0]
        }
        "segments" => {
            let keys = Codes { row_codes: keys.to_vec(), distinct: n_groups };
            AllPlacements::new(&rows.scores, &rows.labels(), &keys).keys().len() as f64
        }
        "state of 1024 bins" => state(1024),
        "state of 16384 bins" => state(16_384),
        "merge of states" => {
            let read = |number: usize| Ok::<State, ()>(states[number].clone());
            let bins =
                |range: std::ops::Range<usize>| states[range].iter().map(|state| state.bins.len()).sum();
            let merged = State::merged::<u64, ()>(0..states.len(), &bins, &read);
            merged.ok().flatten().map_or(0.0, |state| state.bins.len() as f64)
        }
        _ => unreachable!("a query of the list"),
    }
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    model.unwrap_or("unknown").trim().replace(',', " ")
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    let argument = |name: &str| {
        std::env::args().find_map(|argument| Some(argument.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
    };
    let rounds: usize = argument("rounds").and_then(|rounds| rounds.parse().ok()).unwrap_or(7);
    let processor = processor();
    let cores = std::thread::available_parallelism().map_or(0, |cores| cores.get());
    println!("path,query,shape,rows,group_rows,off_over_on,milliseconds,rounds,version,cores,cpu");
    for path in Path::ALL {
        if argument("path").is_some_and(|name| name != format!("{path:?}")) {
            continue;
        }
        for (what, shape, n_rows, group_rows) in queries(path) {
            let rows = Rows::new(shape, n_rows);
            let n_groups = n_rows.div_ceil(group_rows) as u64;
            let keys: Vec<u32> = (0..n_rows as u64).map(|row| (bits(row) % n_groups) as u32).collect();
            let limited = |rows| {
                let mut group = Group::new(Strategy::Fitting, Domain::Any);
                group.load(rows);
                let row_counts = group.row_counts();
                State::exact(group.ties().counts(), row_counts)
                    .limited(Some(Limit { max_bins: 256, scale: Scale::Real }))
            };
            let is_merge = what == "merge of states";
            let states: Vec<State> = rows.groups(group_rows).filter(|_| is_merge).map(limited).collect();
            let mut times = [Vec::new(), Vec::new()];
            // The first round is a warm-up and not recorded.
            for round in 0..=rounds {
                for (off, times) in [None, Some(path)].into_iter().zip(&mut times) {
                    Path::switch_off(off);
                    let start = Instant::now();
                    black_box(run(what, &rows, group_rows, &states, &keys));
                    if round > 0 {
                        times.push(start.elapsed().as_secs_f64());
                    }
                }
            }
            Path::switch_off(None);
            let [on, off] = times.each_mut().map(|times| median(times));
            println!(
                "{path:?},{what},{shape},{n_rows},{group_rows},{:.2},{:.1},{rounds},{},{cores},{processor}",
                off / on,
                on * 1e3,
                env!("CARGO_PKG_VERSION")
            );
        }
    }
}
