//! How often `compare` is wrong: simulated runs, judged by the code that judges real ones.
//!
//! A run has 300 regions: 30 with 9 below each, of which each has a kernel of its own. Of unchanged runs every verdict is an error; of runs in which a tenth of
//! the regions takes 5 % more, what is found is the power.

use std::fmt::Write as _;

use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_model::comparison::{Comparison, Verdict};
use rangescope_model::document::RegionDocument;
use rangescope_testing::documents::{document, kernel, region};

use crate::{Done, say};

const PARENTS: usize = 30;
const CHILDREN: usize = 9;

/// Repetitions behind each line of the table.
const REPEATED: u32 = 100;

const BEGIN: &str = "<!-- made by scripts/compare-errors -->";
const END: &str = "<!-- end -->";

/// How runs differ by themselves.
#[derive(Clone, Copy, Debug)]
enum Noise {
    Normal,
    /// Student's t with three degrees of freedom.
    Heavy,
    Laplace,
    /// Normal, and one time in fifty is up to half as long again.
    Outliers,
    /// Normal; one region has several times the noise of another.
    Unequal,
    /// Normal, and three times as much on the new side.
    Sides,
    /// Half of it is the same in all regions of a run.
    Shared,
    /// Most of it is the same in a run, in some regions more and in some less.
    Degrees,
    /// Normal, and five times as much in a fifth of the regions of the new side.
    Some,
}

const NOISES: [(Noise, &str); 9] = [
    (Noise::Normal, "normal"),
    (Noise::Heavy, "heavy tails (t with 3 degrees of freedom)"),
    (Noise::Laplace, "Laplace"),
    (Noise::Outliers, "2 % outliers of up to +50 %"),
    (Noise::Unequal, "regions differ in noise (factor 2.2)"),
    (Noise::Sides, "three times as much on the new side"),
    (Noise::Shared, "half of it shared by a whole run"),
    (Noise::Degrees, "nearly all shared by a whole run, to other degrees"),
    (Noise::Some, "five times as much in a fifth of the regions, on the new side"),
];

const RUNS: [(usize, usize); 7] = [(1, 1), (2, 1), (2, 2), (3, 3), (5, 5), (10, 10), (10, 2)];

/// Prints the table, and writes it between the marks of a Markdown file.
pub(crate) fn run(path: &str) -> Done {
    let text = fs_err::read_to_string(path)?;
    let (before, rest) = text.split_once(BEGIN).ok_or("the file has no mark for the table")?;
    let (_, after) = rest.split_once(END).ok_or("the table has no end")?;
    let table = table(REPEATED);
    say(&table);
    fs_err::write(path, format!("{before}{BEGIN}\n{table}{END}{after}"))?;
    Ok(())
}

fn table(repeated: u32) -> String {
    let mut table = String::from(
        "| noise | runs | size | wrong, of regions | wrong, of comparisons | +5 % found |\n|---|--:|--:|--:|--:|--:|\n",
    );
    for (noise, name) in NOISES {
        // A side of one run is never judged, whatever the noise.
        let of_one = |(base, new): &(usize, usize)| *base == 1 || *new == 1;
        let is_first = matches!(noise, Noise::Normal);
        for (base, new) in RUNS.into_iter().filter(|runs| is_first || !of_one(runs)) {
            for size in [0.01, 0.03] {
                let setting = Setting { noise, size, runs: [base, new] };
                let (regions, comparisons) = wrong(setting, repeated);
                let found = found(setting, repeated);
                let percent = |share: f64, digits| format!("{:.digits$} %", share * 100.0);
                let _ = writeln!(
                    table,
                    "| {name} | {base} v {new} | {:.0} % | {} | {} | {} |",
                    size * 100.0,
                    percent(regions, 3),
                    percent(comparisons, 1),
                    percent(found, 1)
                );
            }
        }
    }
    table
}

#[derive(Clone, Copy, Debug)]
struct Setting {
    noise: Noise,
    size: f64,
    runs: [usize; 2],
}

/// Shares of the regions and of the comparisons of unchanged runs that have a verdict.
fn wrong(setting: Setting, repeated: u32) -> (f64, f64) {
    let mut random = Random(7);
    let (mut regions, mut comparisons) = (0, 0);
    for _ in 0..repeated {
        let unchanged = setting.compared(1.0, &mut random);
        let wrong = judged(&unchanged, |_| true);
        regions += wrong;
        comparisons += usize::from(wrong > 0 || is_judged(unchanged.scopes[0].totals.verdict));
    }
    let all = repeated as usize;
    (share(regions, all * PARENTS * (CHILDREN + 1)), share(comparisons, all))
}

/// Share of the regions that take 5 % more whose verdict says so.
fn found(setting: Setting, repeated: u32) -> f64 {
    let mut random = Random(11);
    let found = (0..repeated).map(|_| {
        let changed = setting.compared(1.05, &mut random);
        judged(&changed, |path| path.len() == 2 && path[1] == "0")
    });
    share(found.sum(), repeated as usize * PARENTS)
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
            (0..PARENTS * CHILDREN).map(|_| (0.8 * random.normal()).exp()).collect();
        let [base, new] = [0, 1].map(|side| -> Vec<RegionDocument> {
            let factor = if side == 1 { factor } else { 1.0 };
            (0..self.runs[side]).map(|_| self.run(side, factor, &spread, random)).collect()
        });
        compare(&base, &new, &CompareOptions::default())
    }

    fn run(self, side: usize, factor: f64, spread: &[f64], random: &mut Random) -> RegionDocument {
        let shared = random.normal();
        let mut regions = Vec::new();
        for parent in 0..PARENTS {
            let leaves: Vec<_> = (0..CHILDREN)
                .map(|child| {
                    let at = parent * CHILDREN + child;
                    let region = Region { side, shared, spread: spread[at], at };
                    let noise = self.size * self.noise(&region, random);
                    let change = if child == 0 { factor } else { 1.0 };
                    let ms = (1.0 + at as f64 % 7.0) * change * noise.exp();
                    kernel(&format!("k{at}"), 4, ms, &[])
                })
                .collect();
            let name = format!("region {parent}");
            regions.push(region(&[&name], leaves.clone()));
            for (child, leaf) in leaves.into_iter().enumerate() {
                regions.push(region(&[&name, &child.to_string()], vec![leaf]));
            }
        }
        document(regions, Vec::new())
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
            Noise::Laplace => {
                let exponential = -(1.0 - random.even()).ln() / std::f64::consts::SQRT_2;
                exponential.copysign(normal)
            }
            Noise::Outliers if random.even() < 0.02 => {
                normal + (1.0 + 0.5 * random.even()).ln() / self.size
            }
            Noise::Outliers => normal,
            Noise::Unequal => normal * spread,
            Noise::Sides => normal * if side == 1 { 3.0 } else { 1.0 },
            Noise::Shared => (normal + shared) * std::f64::consts::FRAC_1_SQRT_2,
            Noise::Degrees => 0.3 * normal + 2.0 * shared * share(at, PARENTS * CHILDREN),
            Noise::Some => normal * if side == 1 && at.is_multiple_of(5) { 5.0 } else { 1.0 },
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
    use super::{Noise, Setting, found, wrong};

    /// Few repetitions: of 20 comparisons of which one in twenty may be wrong, five or more are in 0.26 % of all cases.
    const REPEATED: u32 = 20;
    const MOST_WRONG: f64 = 4.0 / 20.0;

    #[test]
    fn unchanged_runs_get_no_verdict() {
        for runs in [[1, 1], [2, 1]] {
            let setting = Setting { noise: Noise::Normal, size: 0.01, runs };
            assert_eq!(wrong(setting, 2), (0.0, 0.0));
        }
        for (noise, size, runs) in [
            (Noise::Normal, 0.01, [2, 2]),
            (Noise::Normal, 0.03, [5, 5]),
            (Noise::Heavy, 0.03, [3, 3]),
            (Noise::Outliers, 0.01, [2, 2]),
            (Noise::Shared, 0.01, [3, 3]),
        ] {
            let (regions, comparisons) = wrong(Setting { noise, size, runs }, REPEATED);
            let is_kept = comparisons <= MOST_WRONG && regions <= 0.01;
            assert!(is_kept, "{noise:?} {size} {runs:?}: {regions} {comparisons}");
        }
    }

    /// Of 300 changed regions fewer than 252 are found in a case of a thousand, if nine of ten are on average.
    #[test]
    fn five_runs_find_five_per_cent() {
        let setting = Setting { noise: Noise::Normal, size: 0.01, runs: [5, 5] };
        let found = found(setting, 10);
        assert!(found >= 252.0 / 300.0, "{found}");
    }
}
