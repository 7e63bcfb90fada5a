//! How often `compare` is wrong: simulated runs, judged by the code that judges real ones.
//!
//! A run has 300 regions: 30 with 9 below each. Of unchanged runs every verdict is an error; of runs in which a tenth of
//! the regions takes 5 % more, what is found is the power.

use std::fmt::Write as _;

use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_model::comparison::{Comparison, Verdict};
use rangescope_model::document::RegionDocument;
use rangescope_testing::documents::{document, each_region, kernel, region};

const PARENTS: usize = 30;
const CHILDREN: usize = 9;

/// Comparisons of unchanged runs behind each figure, unless told otherwise.
const REPEATED: usize = 2000;

/// Of so many of them one is made of changed runs: it has thirty regions to find.
const CHANGED: usize = 20;

const BEGIN: &str = "<!-- made by scripts/compare-errors -->";
const END: &str = "<!-- end -->";

/// How runs differ by themselves.
#[derive(Clone, Copy, Debug)]
enum Noise {
    Normal,
    /// Student's t with three degrees of freedom.
    Heavy,
    /// Normal, and one time in twenty is a fifth longer.
    Outliers,
    /// Normal, from 0.3 to 10 times as much by region.
    Unequal,
    /// Normal, and five times as much on the new side, in one of so many regions.
    OneSide(usize),
    /// Half of it is the same in all regions of a run.
    Shared,
    /// Most of it is the same in a run, in some regions more and in some less.
    Degrees,
}

const NOISES: [(Noise, f64, &str); 10] = [
    (Noise::Normal, 0.01, "normal"),
    (Noise::Normal, 0.03, "normal, 3 %"),
    (Noise::Heavy, 0.01, "heavy tails (t with 3 degrees of freedom)"),
    (Noise::Outliers, 0.01, "a time in twenty is 20 % longer"),
    (Noise::Unequal, 0.01, "0.3 % to 10 %, by region"),
    (Noise::OneSide(1), 0.01, "5 % on the new side"),
    (Noise::OneSide(5), 0.01, "5 % on the new side in a fifth of the regions"),
    (Noise::OneSide(90), 0.01, "5 % on the new side in three regions"),
    (Noise::Shared, 0.01, "half of it shared by a whole run"),
    (Noise::Degrees, 0.01, "nearly all shared by a whole run, to other degrees"),
];

const RUNS: [[usize; 2]; 6] = [[2, 2], [3, 3], [5, 5], [10, 10], [3, 5], [10, 2]];

/// Writes the tables between the marks of a Markdown file.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: compare-errors FILE [REPEATED]")?;
    let repeated = std::env::args().nth(2).map_or(Ok(REPEATED), |number| number.parse())?;
    let text = fs_err::read_to_string(&path)?;
    let (before, rest) = text.split_once(BEGIN).ok_or("the file has no mark for the table")?;
    let (_, after) = rest.split_once(END).ok_or("the table has no end")?;
    let tables = tables(repeated);
    fs_err::write(path, format!("{before}{BEGIN}\n{tables}{END}{after}"))?;
    Ok(())
}

#[expect(clippy::print_stderr, reason = "it takes long, and shows how far it is")]
fn say(text: &str) {
    eprintln!("{text}");
}

fn tables(repeated: usize) -> String {
    let head = |first: &str, last: &str| {
        let runs = RUNS.map(|[base, new]| format!(" {base} v {new} |")).concat();
        format!("| {first} |{runs}{last}\n|---|{}\n", "--:|".repeat(RUNS.len() + last.len().min(1)))
    };
    let mut wrong = head("wrong, % of comparisons", " of regions, at most |");
    let mut found = head("+5 % found, % of regions", "");
    // Every line is on its own: two at a time use two cores, and the order stays.
    for pair in NOISES.chunks(2) {
        let lines = std::thread::scope(|scope| {
            let line =
                |&(noise, size, name)| scope.spawn(move || line(noise, size, name, repeated));
            let lines: Vec<_> = pair.iter().map(line).collect();
            lines.into_iter().filter_map(|line| line.join().ok()).collect::<Vec<_>>()
        });
        for [of_wrong, of_found] in lines {
            say(of_wrong.trim_end());
            wrong += &of_wrong;
            found += &of_found;
        }
    }
    format!("{wrong}\n{found}")
}

/// A line of either table.
fn line(noise: Noise, size: f64, name: &str, repeated: usize) -> [String; 2] {
    let (mut of_wrong, mut of_found) = (format!("| {name} |"), format!("| {name} |"));
    let mut of_regions: f64 = 0.0;
    for runs in RUNS {
        let setting = Setting { noise, size, runs };
        let wrong = wrong(setting, repeated);
        of_regions = of_regions.max(wrong.regions);
        let [low, high] = interval(wrong.comparisons, repeated);
        let _ = write!(
            of_wrong,
            " {:.1} ({:.1}–{:.1}) |",
            100.0 * share(wrong.comparisons, repeated),
            100.0 * low,
            100.0 * high
        );
        let found = found(setting, (repeated / CHANGED).max(2));
        let _ = write!(of_found, " {:.1} ± {:.1} |", 100.0 * found.mean, 100.0 * found.error);
    }
    let _ = writeln!(of_wrong, " {:.2} |", 100.0 * of_regions);
    of_found.push('\n');
    [of_wrong, of_found]
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
    size: f64,
    runs: [usize; 2],
}

/// Verdicts on unchanged runs.
#[derive(Debug)]
struct Wrong {
    /// Share of the regions that have one.
    regions: f64,
    /// Comparisons that have any.
    comparisons: usize,
}

fn wrong(setting: Setting, repeated: usize) -> Wrong {
    let mut random = Random(7);
    let (mut regions, mut comparisons) = (0, 0);
    for _ in 0..repeated {
        let unchanged = setting.compared(1.0, &mut random);
        let wrong = judged(&unchanged, |_| true);
        regions += wrong;
        comparisons += usize::from(wrong > 0 || is_judged(unchanged.scopes[0].totals.verdict));
    }
    Wrong { regions: share(regions, repeated * PARENTS * (CHILDREN + 1)), comparisons }
}

/// Share of the regions that take 5 % more whose verdict says so.
#[derive(Debug)]
struct Found {
    mean: f64,
    /// Half of the interval in which it lies with 95 % probability; comparisons are independent, their regions are not.
    error: f64,
}

fn found(setting: Setting, repeated: usize) -> Found {
    let mut random = Random(11);
    let mut found = || {
        let changed = setting.compared(1.05, &mut random);
        share(judged(&changed, |path| path.len() == 2 && path[1] == "0"), PARENTS)
    };
    let shares: Vec<f64> = (0..repeated).map(|_| found()).collect();
    let mean = shares.iter().sum::<f64>() / repeated as f64;
    let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
    let error = NORMAL_95 * (squares / (repeated as f64 - 1.0) / repeated as f64).sqrt();
    Found { mean, error }
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
    /// Runs of two sides; on the new one the first child of every region takes `factor` as long.
    fn compared(self, factor: f64, random: &mut Random) -> Comparison {
        let spread: Vec<f64> =
            (0..PARENTS * CHILDREN).map(|_| 0.3 * (10.0_f64 / 0.3).powf(random.even())).collect();
        let [base, new] = [0, 1].map(|side| -> Vec<RegionDocument> {
            let factor = if side == 1 { factor } else { 1.0 };
            (0..self.runs[side]).map(|_| self.run(side, factor, &spread, random)).collect()
        });
        compare(&base, &new, &CompareOptions::default())
    }

    fn run(self, side: usize, factor: f64, spread: &[f64], random: &mut Random) -> RegionDocument {
        let shared = random.normal();
        let mut regions = Vec::new();
        let timed = |path: &[&str], ms| region(path, vec![kernel("k", 4, ms, &[])]);
        for parent in 0..PARENTS {
            let leaves: Vec<f64> = (0..CHILDREN)
                .map(|child| {
                    let at = parent * CHILDREN + child;
                    let region = Region { side, shared, spread: spread[at], at };
                    let noise = self.size * self.noise(&region, random);
                    let change = if child == 0 { factor } else { 1.0 };
                    (1.0 + at as f64 % 7.0) * change * noise.exp()
                })
                .collect();
            let name = format!("region {parent}");
            regions.push(timed(&[&name], leaves.iter().sum()));
            let below = leaves.iter().enumerate();
            regions.extend(below.map(|(child, ms)| timed(&[&name, &child.to_string()], *ms)));
        }
        let mut run = document(regions, Vec::new());
        // A kernel that has a region for itself is judged with it, once. Without kernels a comparison is made several times faster.
        each_region(&mut run, |region| region.kernels.clear());
        run.reports[0].totals.kernels.clear();
        run
    }

    /// Noise with a standard deviation of about one.
    fn noise(self, region: &Region, random: &mut Random) -> f64 {
        let Region { side, shared, spread, at } = *region;
        let normal = random.normal();
        match self.noise {
            Noise::Normal => normal,
            Noise::Heavy => {
                let chi: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
                normal / chi.sqrt()
            }
            Noise::Outliers if random.even() < 0.05 => normal + 1.2_f64.ln() / self.size,
            Noise::Outliers => normal,
            Noise::Unequal => normal * spread,
            Noise::OneSide(of) => {
                normal * if side == 1 && at.is_multiple_of(of) { 5.0 } else { 1.0 }
            }
            Noise::Shared => (normal + shared) * std::f64::consts::FRAC_1_SQRT_2,
            Noise::Degrees => 0.3 * normal + 2.0 * shared * share(at, PARENTS * CHILDREN),
        }
    }
}

/// What the noise of a region may depend on.
struct Region {
    side: usize,
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
    use super::{Noise, Setting, found, interval, wrong};

    /// Few repetitions: of 40 comparisons of which one in twenty may be wrong, seven or more are in 0.34 % of all cases.
    const REPEATED: usize = 40;
    const MOST_WRONG: usize = 6;

    #[test]
    fn unchanged_runs_get_no_verdict() {
        for runs in [[1, 1], [1, 5]] {
            let setting = Setting { noise: Noise::Normal, size: 0.01, runs };
            assert_eq!(wrong(setting, 2).comparisons, 0);
        }
        for (noise, size, runs) in [
            (Noise::Normal, 0.01, [5, 5]),
            (Noise::Heavy, 0.03, [3, 3]),
            (Noise::Outliers, 0.01, [2, 2]),
            (Noise::Unequal, 0.01, [3, 3]),
            (Noise::OneSide(5), 0.01, [3, 3]),
            (Noise::Shared, 0.01, [3, 5]),
        ] {
            let wrong = wrong(Setting { noise, size, runs }, REPEATED);
            let is_kept = wrong.comparisons <= MOST_WRONG && wrong.regions <= 0.01;
            assert!(is_kept, "{noise:?} {size} {runs:?}: {wrong:?}");
        }
    }

    /// Of 300 changed regions fewer than 252 are found in a case of a thousand, if nine of ten are on average.
    #[test]
    fn five_runs_find_five_per_cent() {
        let setting = Setting { noise: Noise::Normal, size: 0.01, runs: [5, 5] };
        let found = found(setting, 10).mean;
        assert!(found >= 252.0 / 300.0, "{found}");
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
