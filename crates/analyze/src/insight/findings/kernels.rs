//! Findings about the kernels of a set: too short, too few blocks, too few warps.

use super::{About, evidence, severity, share};
use crate::aggregate::limit::ONE_WAVE;
use crate::insight::bound::{self, SM};
use crate::insight::details::model::BlockLimit;
use crate::insight::details::{ACHIEVED as OCCUPANCY, POSSIBLE, WAVES, occupancy as occupancy_of};
use crate::insight::measured::{extremes, number};
use crate::insight::model::{BoundClass, Evidence, Finding};
use crate::insight::words::{LONGEST_NAME, list};
use rangescope_model::document::{KernelSummary, Limit, LimitShare};
use rangescope_model::number::{
    count, rounded_percent, rounded_percentage, three_digits, time, weight,
};
use rangescope_model::text::shorten_kernel;

/// A kernel shorter than this takes the device less time than launching it takes the host, in milliseconds.
const SHORT_MS: f64 = 0.010;

/// Fewer launches than this are not worth a word.
const MANY: u64 = 10;

/// Occupancy below this is low, in per cent.
const LOW_PCT: f64 = 50.0;

/// Occupancy below this part of what the launch allows is not held down by its limits.
const GAP: f64 = 0.8;

/// Kernels that have less of the set's time than this together are not worth a word.
const WORTH: f64 = 0.05;

pub(super) fn all(about: &About<'_>) -> impl Iterator<Item = Finding> {
    [short(about), small_grids(about), low_occupancy(about)].into_iter().flatten()
}

/// Many short kernels: the time between them, which ncu does not measure, may well be more than the time in them.
fn short(about: &About<'_>) -> Option<Finding> {
    if about.timed < MANY || about.total_ms <= 0.0 {
        return None;
    }
    let mean = about.total_ms / about.timed as f64;
    let is_short = |kernel: &KernelSummary| kernel.mean_ms.is_some_and(|mean| mean < SHORT_MS);
    let concerned = positions(about, is_short);
    let calls: u64 = of(about, &concerned).map(|kernel| kernel.calls).sum();
    let calls_share = share(calls as f64, about.results as f64);
    let median = median_of_means(about.kernels)?;
    if calls_share < 0.5 || median >= SHORT_MS {
        return None;
    }
    let region_share = time_share(about, &concerned);
    let mut numbers = Vec::new();
    numbers.extend(evidence("launches", about.results as f64, "launches"));
    numbers.extend(evidence("launches of short kernels", calls as f64, "launches"));
    numbers.extend(evidence("median duration (by kernel)", median * 1e3, "us"));
    numbers.extend(evidence("mean duration", mean * 1e3, "us"));
    numbers.extend(evidence("threshold", SHORT_MS * 1e3, "us"));
    Some(Finding {
        code: "launch-bound".to_owned(),
        severity: severity(region_share * about.run_share, 0.25, 0.05),
        title: "Fuse kernels or use a CUDA graph: launching these may cost more than running them"
            .to_owned(),
        text: format!(
            "{calls} of {} launches in {} are of kernels that run for less than {} (median {}, mean {}). The host needs about as long to launch a kernel; \
             the time between kernels is not in this report, look at a timeline.",
            about.results,
            about.name,
            time(SHORT_MS),
            time(median),
            time(mean),
        ),
        evidence: numbers,
        kernels: concerned,
        section: Some("LaunchStats".to_owned()),
        region_share,
        run_share: region_share * about.run_share,
        gain: None,
    })
}

/// The time of a kernel's launches whose grid is too small; of all its launches where only the waves are known.
fn small_grid_ms(kernel: &KernelSummary) -> f64 {
    let is_small = |share: &&LimitShare| share.limit == Limit::SmallGrid;
    let known: f64 =
        kernel.limits.iter().filter(is_small).map(|share| weight(share.total_ms)).sum();
    let waves = kernel.metrics.get(WAVES).and_then(extremes);
    let is_unknown = bound::class_of(&kernel.limits) == BoundClass::Unknown;
    match waves {
        Some((_, most)) if is_unknown && most < ONE_WAVE.value => weight(kernel.total_ms),
        _ => known,
    }
}

/// Grids that do not fill the device once.
fn small_grids(about: &About<'_>) -> Option<Finding> {
    let mut concerned = positions(about, |kernel| small_grid_ms(kernel) > 0.0);
    let size = |at: &usize| about.kernels.get(*at).map_or(0.0, small_grid_ms);
    concerned.sort_by(|left, right| size(right).total_cmp(&size(left)));
    let heaviest = about.kernels.get(*concerned.first()?)?;
    let region_share = share(concerned.iter().map(size).sum::<f64>(), about.total_ms);
    if region_share < WORTH {
        return None;
    }
    let waves = heaviest.metrics.get(WAVES).and_then(extremes).map(|(least, _)| least);
    let mut numbers = Vec::new();
    numbers.extend(waves.map(|waves| named(WAVES, waves, "")));
    numbers.extend(heaviest.metrics.get(SM).and_then(number).map(|sm| named(SM, sm, "%")));
    numbers.extend(evidence("kernels with less than one wave", concerned.len() as f64, "kernels"));
    numbers.extend(evidence("their share of the time", region_share * 100.0, "%"));
    let filled = waves
        .map_or_else(String::new, |waves| format!(", fills {} of a wave", three_digits(waves)));
    let occupancy = heaviest.metrics.get(OCCUPANCY).and_then(number);
    let possible = heaviest.metrics.get(POSSIBLE).and_then(extremes).map(|(_, most)| most);
    let warps = match occupancy.zip(possible).filter(|(reached, _)| *reached < LOW_PCT) {
        Some((reached, possible)) if reached < GAP * possible => format!(
            " Its occupancy of {} (its launch allows {}) follows from that.",
            rounded_percentage(reached),
            rounded_percentage(possible)
        ),
        Some((reached, possible)) => format!(
            " Its occupancy of {} is {}.",
            rounded_percentage(reached),
            why_low(reached, Some(possible), &limits(heaviest))
        ),
        None => String::new(),
    };
    Some(Finding {
        code: "small-grid".to_owned(),
        severity: severity(region_share * about.run_share, 0.25, 0.05),
        title:
            "Launch more blocks, or several of these kernels at once: grids do not fill the device"
                .to_owned(),
        text: format!(
            "Launches with {} of the time of {} have fewer blocks than the device can hold at once; the heaviest, {}{filled}.{warps}",
            rounded_percent(region_share),
            about.name,
            shorten_kernel(&heaviest.kernel_name, LONGEST_NAME),
        ),
        evidence: numbers,
        kernels: concerned,
        section: Some("LaunchStats".to_owned()),
        region_share,
        run_share: region_share * about.run_share,
        gain: None,
    })
}

/// Few warps at work, and what limits them. Kernels that keep a unit busy all the same are left alone, and so are those whose grid explains it.
fn low_occupancy(about: &About<'_>) -> Option<Finding> {
    let occupancy = |kernel: &KernelSummary| number(kernel.metrics.get(OCCUPANCY)?);
    let is_low = |kernel: &KernelSummary| {
        let class = bound::class_of(&kernel.limits);
        let is_busy =
            matches!(class, BoundClass::Compute | BoundClass::Memory | BoundClass::Balanced);
        let is_small = small_grid_ms(kernel) > 0.5 * weight(kernel.total_ms);
        !is_busy && !is_small && occupancy(kernel).is_some_and(|pct| pct < LOW_PCT)
    };
    let concerned = positions(about, is_low);
    let heaviest = about.kernels.get(*concerned.first()?)?;
    let region_share = time_share(about, &concerned);
    if region_share < WORTH {
        return None;
    }
    let achieved = occupancy(heaviest)?;
    let possible = heaviest.metrics.get(POSSIBLE).and_then(extremes).map(|(_, most)| most);
    let limits = limits(heaviest);
    let mut numbers = vec![named(OCCUPANCY, achieved, "%")];
    numbers.extend(possible.map(|possible| named(POSSIBLE, possible, "%")));
    numbers.extend(limits.iter().map(|limit| named(&limit.metric, limit.blocks.least, "blocks")));
    numbers.extend(evidence("kernels with low occupancy", concerned.len() as f64, "kernels"));
    numbers.extend(evidence("their share of the time", region_share * 100.0, "%"));
    let why = why_low(achieved, possible, &limits);
    Some(Finding {
        code: "low-occupancy".to_owned(),
        severity: severity(region_share * about.run_share, 0.25, 0.05),
        title: "Get more warps to work: few are, and nothing is busy".to_owned(),
        text: format!(
            "Kernels with {} of the time of {} keep less than {} of the warps at work. The heaviest, {}, reaches {}; {why}.",
            rounded_percent(region_share),
            about.name,
            rounded_percentage(LOW_PCT),
            shorten_kernel(&heaviest.kernel_name, LONGEST_NAME),
            rounded_percentage(achieved),
        ),
        evidence: numbers,
        kernels: concerned,
        section: Some("Occupancy".to_owned()),
        region_share,
        run_share: region_share * about.run_share,
        gain: None,
    })
}

/// What holds occupancy down. A limit explains it only where the launch itself allows no more.
fn why_low(achieved: f64, possible: Option<f64>, limits: &[BlockLimit]) -> String {
    match (possible, limits.first()) {
        (Some(possible), _) if achieved < GAP * possible => format!(
            "its launch would allow {}: blocks are too few or end at different times",
            rounded_percentage(possible)
        ),
        (Some(_), Some(first)) => {
            let tied: Vec<String> = limits
                .iter()
                .take_while(|limit| limit.blocks.least <= first.blocks.least)
                .map(|limit| limit.resource.clone())
                .collect();
            format!(
                "limited by {} to {} per SM",
                list(&tied),
                count(whole(first.blocks.least), "block", "blocks")
            )
        }
        (Some(possible), None) => {
            format!("near the {} that its launch allows", rounded_percentage(possible))
        }
        (None, _) => format!("what its launch allows (`{POSSIBLE}`) was not collected"),
    }
}

/// The limits of a kernel, the tightest first.
fn limits(kernel: &KernelSummary) -> Vec<BlockLimit> {
    occupancy_of(&kernel.metrics).map(|found| found.block_limits).unwrap_or_default()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a small count"
)]
fn whole(value: f64) -> u64 {
    if (0.0..1e15).contains(&value) { value as u64 } else { 0 }
}

/// The positions of the kernels that fit, which are in order of their time.
fn positions(about: &About<'_>, fits: impl Fn(&KernelSummary) -> bool) -> Vec<usize> {
    let kernels = about.kernels.iter().enumerate();
    kernels.filter(|(_, kernel)| fits(kernel)).map(|(at, _)| at).collect()
}

fn of<'a>(about: &About<'a>, positions: &[usize]) -> impl Iterator<Item = &'a KernelSummary> {
    let kernels = about.kernels;
    positions.iter().filter_map(move |at| kernels.get(*at))
}

fn time_share(about: &About<'_>, positions: &[usize]) -> f64 {
    let part: f64 = of(about, positions).map(|kernel| weight(kernel.total_ms)).sum();
    share(part, about.total_ms)
}

/// The duration of the launch in the middle, taking every launch for as long as its kernel is on average.
fn median_of_means(kernels: &[KernelSummary]) -> Option<f64> {
    let mut means: Vec<(f64, u64)> =
        kernels.iter().filter_map(|kernel| Some((kernel.mean_ms?, kernel.calls))).collect();
    means.sort_by(|left, right| left.0.total_cmp(&right.0));
    let launches: u64 = means.iter().map(|(_, calls)| calls).sum();
    let mut before = 0;
    means.into_iter().find_map(|(mean, calls)| {
        before += calls;
        (2 * before >= launches).then_some(mean)
    })
}

fn named(metric: &str, value: f64, unit: &str) -> Evidence {
    Evidence { label: metric.to_owned(), value, unit: unit.to_owned() }
}
