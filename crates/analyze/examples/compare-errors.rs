//! How often `compare` is wrong: simulated runs, judged by the code that judges real ones.
//!
//! A run has 20 or 200 regions: a tenth of them with 9 below each. Of unchanged runs every verdict is an error; of runs in which the first region below each
//! takes 5 % more, what is found is the power. Gates are asked of unchanged runs too: one that fails is an error.

use std::fmt::Write as _;

use rangescope_analyze::compare::{CompareOptions, Gate, compare};
use rangescope_model::comparison::{Comparison, Verdict};
use rangescope_model::document::RegionDocument;
use rangescope_testing::documents::{document, each_region, kernel, region};

const CHILDREN: usize = 9;

/// Regions of a run.
const SIZES: [usize; 2] = [20, 200];

/// Comparisons of unchanged runs behind each figure, unless told otherwise.
const REPEATED: usize = 1000;

/// Of so many of them one is made of changed runs.
const CHANGED: usize = 5;

const BEGIN: &str = "<!-- made by scripts/compare-errors -->";
const END: &str = "<!-- end -->";

const BEGIN_GATES: &str = "<!-- gates, made by scripts/compare-errors -->";
const END_GATES: &str = "<!-- end of gates -->";

/// What no unchanged run may break.
const GATE: &str = "*: time > 1%";

/// How runs differ by themselves. Unless it says otherwise each region has noise of its own, with a standard deviation of 1 %.
#[derive(Clone, Copy, Debug)]
enum Noise {
    Normal,
    /// The logarithm of what a run takes longer than it must is normal.
    Lognormal,
    /// Student's t with three degrees of freedom, only upwards.
    SlowTails,
    /// Normal, and one time in twenty is a fifth longer.
    Outliers,
    /// Normal, and half of the runs take a tenth longer, in one of so many regions.
    Bimodal(usize),
    /// Normal, and each launch rounded to so many nanoseconds.
    Steps(f64),
    /// Normal, and every run takes 0.4 % longer than the one before, the base first.
    Drift,
    /// Likewise, in turns, which is known.
    DriftInTurns,
    /// Likewise, the base first, in one of so many regions alone, and 1 % a run.
    DriftOfSome(usize),
    /// Normal, from 0.3 to 10 times as much by region.
    Unequal,
    /// Normal, and five times as much on the new side, in one of so many regions.
    OneSide(usize),
    /// Half of it is the same in all regions of a run.
    Shared,
}

const NOISES: [(Noise, &str); 15] = [
    (Noise::Normal, "normal"),
    (Noise::Lognormal, "lognormal"),
    (Noise::SlowTails, "slow tails (t with 3 degrees of freedom)"),
    (Noise::Outliers, "a time in twenty is 20 % longer"),
    (Noise::Bimodal(2), "two modes, 10 % apart, in half of the regions"),
    (Noise::Bimodal(10), "two modes, 10 % apart, in a tenth of the regions"),
    (Noise::Steps(32.0), "steps of 32 ns"),
    (Noise::Steps(1000.0), "steps of 1 µs"),
    (Noise::Drift, "drift of 0.4 % a run, base first"),
    (Noise::DriftInTurns, "drift of 0.4 % a run, in turns"),
    (Noise::DriftOfSome(10), "drift of 1 % a run in a tenth of the regions, base first"),
    (Noise::Unequal, "0.3 % to 10 %, by region"),
    (Noise::OneSide(1), "5 % on the new side"),
    (Noise::OneSide(5), "5 % on the new side in a fifth of the regions"),
    (Noise::Shared, "half of it shared by a whole run"),
];

const RUNS: [[usize; 2]; 6] = [[2, 2], [3, 3], [4, 4], [5, 5], [10, 10], [3, 5]];

/// Writes the tables between the marks of a Markdown file.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let path = words.first().ok_or("usage: compare-errors FILE [REPEATED [verdicts|gates]]")?;
    let repeated = words.get(1).map_or(Ok(REPEATED), |number| number.parse())?;
    let wanted = words.get(2).map(String::as_str);
    for (name, marks, tables) in [
        ("verdicts", [BEGIN, END], verdicts as fn(usize) -> String),
        ("gates", [BEGIN_GATES, END_GATES], gates),
    ] {
        if wanted.is_none_or(|wanted| wanted == name) {
            put(path, marks, &tables(repeated))?;
        }
    }
    Ok(())
}

fn put(
    path: &str,
    [begin, end]: [&str; 2],
    tables: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let text = fs_err::read_to_string(path)?;
    let (before, rest) = text.split_once(begin).ok_or("the file has no mark for the table")?;
    let (_, after) = rest.split_once(end).ok_or("the table has no end")?;
    fs_err::write(path, format!("{before}{begin}\n{tables}{end}{after}"))?;
    Ok(())
}

#[expect(clippy::print_stderr, reason = "it takes long, and shows how far it is")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn verdicts(repeated: usize) -> String {
    let heads = [
        "wrong, % of comparisons",
        "+5 % found, % of regions",
        "an interval misses, % of comparisons",
    ];
    tables(heads, |noise, size, name| line(noise, size, name, repeated))
}

fn gates(repeated: usize) -> String {
    let head = format!("`{GATE}` fails, % of comparisons");
    tables([&head], |noise, size, name| [gate_line(noise, size, name, repeated)])
}

/// Tables with these heads, of lines that are made for every noise and size.
fn tables<const N: usize>(
    heads: [&str; N],
    line: impl Fn(Noise, usize, &str) -> [String; N] + Sync,
) -> String {
    let head = |first: &str| {
        let runs = RUNS.map(|[base, new]| format!(" {base} v {new} |")).concat();
        format!("| {first} | regions |{runs}\n|---|--:|{}\n", "--:|".repeat(RUNS.len()))
    };
    let mut tables = heads.map(head);
    let line = &line;
    // Every line is on its own: two at a time use two cores, and the order stays.
    for (noise, name) in NOISES {
        let lines = std::thread::scope(|scope| {
            let lines = SIZES.map(|size| scope.spawn(move || line(noise, size, name)));
            lines.into_iter().filter_map(|line| line.join().ok()).collect::<Vec<_>>()
        });
        for line in lines {
            for (table, line) in tables.iter_mut().zip(line) {
                say(line.trim_end());
                *table += &line;
            }
        }
    }
    tables.join("\n")
}

/// A line of the table of gates.
fn gate_line(noise: Noise, size: usize, name: &str, repeated: usize) -> String {
    let cell = |runs| counted(failed(Setting { noise, size, runs }, repeated), repeated);
    format!("| {name} | {size} |{}\n", RUNS.map(cell).concat())
}

/// A share in per cent, with the interval in which the true one lies.
fn counted(count: usize, of: usize) -> String {
    let [low, high] = interval(count, of).map(|bound| 100.0 * bound);
    format!(" {:.1} ({low:.1}–{high:.1}) |", 100.0 * share(count, of))
}

/// A line of each table.
fn line(noise: Noise, size: usize, name: &str, repeated: usize) -> [String; 3] {
    let mut lines = [(); 3].map(|()| format!("| {name} | {size} |"));
    for runs in RUNS {
        let setting = Setting { noise, size, runs };
        lines[0] += &counted(wrong(setting, repeated), repeated);
        let changed = (repeated / CHANGED).max(2);
        let found = found(setting, changed);
        let _ = write!(lines[1], " {:.1} ± {:.1} |", 100.0 * found.mean, 100.0 * found.error);
        lines[2] += &counted(found.missed, changed);
    }
    lines.map(|line| line + "\n")
}

/// Where a share lies with 95 % probability that was counted among so many (Wilson).
fn interval(count: usize, of: usize) -> [f64; 2] {
    let (share, of) = (share(count, of), of as f64);
    let square = NORMAL_95 * NORMAL_95 / of;
    let centre = share + square / 2.0;
    let width = (square * share * (1.0 - share) + square * square / 4.0).sqrt();
    [centre - width, centre + width].map(|bound| bound / (1.0 + square))
}

/// 95 % of normal numbers are at most this far from zero.
const NORMAL_95: f64 = 1.96;

#[derive(Clone, Copy, Debug)]
struct Setting {
    noise: Noise,
    size: usize,
    runs: [usize; 2],
}

/// Comparisons of unchanged runs that have any verdict.
fn wrong(setting: Setting, repeated: usize) -> usize {
    let mut random = Random(7);
    let mut is_wrong = || {
        let unchanged = setting.compared(1.0, &mut random);
        judged(&unchanged, |_| true) > 0 || is_judged(unchanged.scopes[0].totals.verdict)
    };
    (0..repeated).filter(|_| is_wrong()).count()
}

/// Comparisons of unchanged runs in which the gate fails.
fn failed(setting: Setting, repeated: usize) -> usize {
    let mut random = Random(13);
    let gates: Vec<Gate> = Gate::parse(GATE).into_iter().collect();
    let mut fails = || {
        let unchanged = setting.gated(1.0, &gates, &mut random);
        unchanged.gates.is_some_and(|gates| gates.failed)
    };
    (0..repeated).filter(|_| fails()).count()
}

/// Share of the regions that take 5 % more whose verdict says so.
#[derive(Debug)]
struct Found {
    mean: f64,
    /// Half of the interval in which it lies with 95 % probability; comparisons are independent, their regions are not.
    error: f64,
    /// Comparisons in which the interval of any region does not hold what was changed.
    missed: usize,
}

const FACTOR: f64 = 1.05;

fn found(setting: Setting, repeated: usize) -> Found {
    let mut random = Random(11);
    let mut missed = 0;
    let mut found = || {
        let changed = setting.compared(FACTOR, &mut random);
        missed += usize::from(misses(&changed));
        share(judged(&changed, |path| path.len() == 2 && path[1] == "0"), setting.parents())
    };
    let shares: Vec<f64> = (0..repeated).map(|_| found()).collect();
    let mean = shares.iter().sum::<f64>() / repeated as f64;
    let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
    let error = NORMAL_95 * (squares / (repeated as f64 - 1.0) / repeated as f64).sqrt();
    Found { mean, error, missed }
}

/// Whether any region without others below it changed by what is outside of its interval.
fn misses(comparison: &Comparison) -> bool {
    let regions = comparison.scopes[0].regions.iter().filter(|region| region.path.len() == 2);
    let mut intervals = regions.filter_map(|region| {
        let interval = region.time.interval?;
        let change = if region.path[1] == "0" { FACTOR - 1.0 } else { 0.0 };
        Some(change < interval.relative_low? || change > interval.relative_high?)
    });
    intervals.any(|is_missed| is_missed)
}

fn share(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}

fn judged(comparison: &Comparison, wanted: impl Fn(&[String]) -> bool) -> usize {
    let regions = comparison.scopes[0].regions.iter();
    regions.filter(|region| wanted(&region.path) && is_judged(region.verdict)).count()
}

fn is_judged(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Slower | Verdict::Faster)
}

impl Setting {
    fn parents(self) -> usize {
        self.size / (CHILDREN + 1)
    }

    /// Runs of two sides; on the new one the first child of every region takes `factor` as long.
    fn compared(self, factor: f64, random: &mut Random) -> Comparison {
        self.gated(factor, &[], random)
    }

    /// Likewise, with gates.
    fn gated(self, factor: f64, gates: &[Gate], random: &mut Random) -> Comparison {
        let spread: Vec<f64> = (0..self.parents() * CHILDREN)
            .map(|_| 0.3 * (10.0_f64 / 0.3).powf(random.even()))
            .collect();
        let in_turns = matches!(self.noise, Noise::DriftInTurns);
        let [base, new] = [0, 1].map(|side| -> Vec<RegionDocument> {
            let place = |run| if in_turns { 2 * run + side } else { side * self.runs[0] + run };
            let one = |run| {
                self.run(side, place(run), if side == 1 { factor } else { 1.0 }, &spread, random)
            };
            (0..self.runs[side]).map(one).collect()
        });
        let turns = |side| (0..self.runs[side]).map(move |run| Some((2 * run + side) as u64));
        let mut options = CompareOptions { gates: gates.to_vec(), ..CompareOptions::default() };
        if in_turns {
            options.base_turns = turns(0).collect();
            options.new_turns = turns(1).collect();
        }
        compare(&base, &new, &options)
    }

    fn run(
        self,
        side: usize,
        place: usize,
        factor: f64,
        spread: &[f64],
        random: &mut Random,
    ) -> RegionDocument {
        let shared = random.normal();
        let mut regions = Vec::new();
        let timed = |path: &[&str], calls, ms| region(path, vec![kernel("k", calls, ms, &[])]);
        for parent in 0..self.parents() {
            let leaves: Vec<f64> = (0..CHILDREN)
                .map(|child| {
                    let at = parent * CHILDREN + child;
                    let region = Region { side, place, shared, spread: spread[at], at };
                    let change = if child == 0 { factor } else { 1.0 };
                    self.time(&region, change, random)
                })
                .collect();
            let name = format!("region {parent}");
            regions.push(timed(&[&name], LAUNCHES * CHILDREN as u64, leaves.iter().sum()));
            let below = leaves.iter().enumerate();
            regions.extend(
                below.map(|(child, ms)| timed(&[&name, &child.to_string()], LAUNCHES, *ms)),
            );
        }
        let mut run = document(regions, Vec::new());
        // A kernel that has a region for itself is judged with it, once. Without kernels a comparison is made several times faster.
        each_region(&mut run, |region| region.set.kernels.clear());
        run.reports[0].totals.kernels.clear();
        // Runs state that they are of other moments, and not in which order, so that those with equal times are not taken for copies.
        run.generated_at = Some(format!("{side}, {place}"));
        run
    }

    /// The time of a region in milliseconds: launches of 4 to 28 µs.
    fn time(self, region: &Region, change: f64, random: &mut Random) -> f64 {
        let launch_ns = 4000.0 * (1.0 + region.at as f64 % 7.0) * change;
        if let Noise::Steps(step) = self.noise {
            let mut launch = || (launch_ns * (1.0 + 0.01 * random.normal()) / step).round() * step;
            return (0..LAUNCHES).map(|_| launch()).sum::<f64>() / 1e6;
        }
        let is_one_of = |of: usize| region.at.is_multiple_of(of);
        let normal = random.normal();
        let noise = match self.noise {
            Noise::Lognormal => (normal.exp() - 0.5_f64.exp()) / 2.16,
            Noise::SlowTails => {
                let chi: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                (normal / (chi / 3.0).sqrt()).abs()
            }
            Noise::Outliers if random.even() < 0.05 => normal + 20.0,
            Noise::Bimodal(of) if is_one_of(of) && random.even() < 0.5 => normal + 10.0,
            Noise::Drift | Noise::DriftInTurns => normal + 0.4 * region.place as f64,
            Noise::DriftOfSome(of) if is_one_of(of) => normal + region.place as f64,
            Noise::Unequal => normal * region.spread,
            Noise::OneSide(of) if region.side == 1 && is_one_of(of) => 5.0 * normal,
            Noise::Shared => (normal + region.shared) * std::f64::consts::FRAC_1_SQRT_2,
            _ => normal,
        };
        LAUNCHES as f64 * launch_ns * (1.0 + 0.01 * noise).max(0.1) / 1e6
    }
}

/// Launches of a region.
const LAUNCHES: u64 = 4;

/// What the noise of a region may depend on.
struct Region {
    side: usize,
    /// In the order of the runs.
    place: usize,
    /// The noise of the whole run.
    shared: f64,
    /// How much more noise than others it has, where regions differ.
    spread: f64,
    at: usize,
}

/// SplitMix64: small, and the same everywhere.
struct Random(u64);

impl Random {
    /// Between 0 and 1.
    fn even(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.even()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.even()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::{Noise, Setting, failed, found, interval, wrong};

    /// Few repetitions: of 40 comparisons of which one in twenty may be wrong, seven or more are in 0.34 % of all cases.
    const REPEATED: usize = 40;
    const MOST_WRONG: usize = 6;

    #[test]
    fn unchanged_runs_get_no_verdict() {
        for runs in [[1, 1], [1, 5], [2, 2], [3, 3]] {
            let setting = Setting { noise: Noise::Bimodal(2), size: 200, runs };
            assert_eq!(wrong(setting, 10), 0);
        }
        for noise in [
            Noise::Normal,
            Noise::Lognormal,
            Noise::SlowTails,
            Noise::Outliers,
            Noise::Bimodal(2),
            Noise::Bimodal(10),
            Noise::Steps(1000.0),
            Noise::Drift,
        ] {
            let wrong = wrong(Setting { noise, size: 20, runs: [5, 5] }, REPEATED);
            assert!(wrong <= MOST_WRONG, "{noise:?}: {wrong}");
        }
    }

    /// A gate is wrong no more often than a verdict, with few runs too.
    #[test]
    fn unchanged_runs_fail_no_gate() {
        for runs in [[2, 2], [3, 3]] {
            for noise in [Noise::Normal, Noise::Bimodal(2)] {
                let failed = failed(Setting { noise, size: 20, runs }, 100);
                assert_eq!(failed, 0, "{noise:?} {runs:?}");
            }
        }
        for runs in [[4, 4], [5, 5]] {
            let failed = failed(Setting { noise: Noise::Bimodal(2), size: 20, runs }, REPEATED);
            assert!(failed <= MOST_WRONG, "{runs:?}: {failed}");
        }
    }

    /// Of 200 changed regions fewer than 164 are found in a case of a thousand, if nine of ten are on average.
    #[test]
    fn five_runs_find_five_per_cent() {
        let setting = Setting { noise: Noise::Normal, size: 200, runs: [5, 5] };
        let found = found(setting, 10);
        assert!(found.mean >= 164.0 / 200.0 && found.missed <= 2, "{found:?}");
    }

    /// Values of SciPy 1.17.1 (`binomtest(…).proportion_ci(method="wilson")`).
    #[test]
    fn intervals() {
        for (count, of, low, high) in [
            (0, 2000, 0.0, 0.001_917),
            (40, 2000, 0.014_722, 0.027_119),
            (3, 40, 0.025_836, 0.198_642),
        ] {
            let ours = interval(count, of);
            assert!((ours[0] - low).abs() < 1e-5 && (ours[1] - high).abs() < 1e-5, "{ours:?}");
        }
    }
}
