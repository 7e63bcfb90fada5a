//! What limits the place where most of the time is, how near that is to its roof, and what would settle what is not known.

use super::{About, coverage, evidence, severity};
use crate::aggregate::limit::{NEAR_PEAK, unit_word};
use crate::insight::details::warp_states;
use crate::insight::model::Finding;
use crate::insight::presets;
use crate::insight::words::{LONGEST_NAME, list};
use crate::outcome::{self, FindingKind};
use rangescope_model::document::{Limit, LimitShare, RuleSummary};
use rangescope_model::number::rounded_percent;
use rangescope_model::text::shorten_kernel;
use std::fmt::Write as _;

/// Limits of less than this part of a place's time are not said, unless they are that of its heaviest kernel.
const NAMED: f64 = 0.25;

const OF_MEMORY: [&str; 4] =
    ["limited-by-dram", "limited-by-l2", "limited-by-l1", "limited-by-memory"];

/// What limits the launches that take most of the time, and those of the heaviest kernel, if the place is one of the heaviest.
pub(super) fn of_set(about: &About<'_>) -> Vec<Finding> {
    if !about.is_heavy {
        return Vec::new();
    }
    let limits = about.causes.iter().filter(|cause| outcome::is_limit(&cause.outcome));
    let mut limits: Vec<&RuleSummary> = limits.collect();
    let size = |cause: &RuleSummary| (cause.time_ms.unwrap_or(0.0), cause.results);
    limits.sort_by(|left, right| {
        let (left, right) = (size(left), size(right));
        right.0.total_cmp(&left.0).then(right.1.cmp(&left.1))
    });
    let heaviest = about.kernels.first().and_then(|kernel| kernel.limits.first());
    let of_heaviest_kernel =
        limits.iter().position(|cause| heaviest.is_some_and(|share| is_limit_of(cause, share)));
    let is_said = |at: usize, cause: &RuleSummary| {
        let part = about.share(cause.time_ms).unwrap_or(0.0);
        at == 0 || Some(at) == of_heaviest_kernel || part >= NAMED
    };
    if limits.is_empty() {
        return vec![unknown(about)];
    }
    let said = limits.iter().enumerate().filter(|(at, cause)| is_said(*at, cause));
    said.map(|(_, cause)| limit(cause, about)).collect()
}

/// Whether what was said is that these are the limits of launches.
fn is_limit_of(cause: &RuleSummary, share: &LimitShare) -> bool {
    let is_class = match (share.limit, &*cause.outcome) {
        (Limit::Memory, id) => OF_MEMORY.contains(&id),
        (Limit::Compute, id) => id == "limited-by-compute",
        (Limit::Balanced, id) => id == "limited-by-balanced",
        (Limit::Latency, id) => id == "limited-by-latency",
        (Limit::SmallGrid, id) => id == "limited-by-small-grid",
        (Limit::Unknown, _) => false,
    };
    is_class && cause.title == share.unit.as_deref().unwrap_or("")
}

fn limit(heaviest: &RuleSummary, about: &About<'_>) -> Finding {
    let outcome = outcome::of_summary(heaviest);
    let (part, run_share) = (about.share(heaviest.time_ms), about.run_share(heaviest.time_ms));
    let unit = heaviest.title.as_str();
    let kernel = shorten_kernel(&heaviest.kernel_name, LONGEST_NAME);
    let mut text = match part {
        Some(part) => {
            format!("Launches with {} of the time of {}: ", rounded_percent(part), about.name)
        }
        None => format!("{} of {} in {}: ", heaviest.results, about.results, about.name),
    };
    let _ = write!(text, "in the heaviest, {kernel}, {}", heaviest.message);
    let busiest = heaviest.max_speedup_pct;
    text.push_str(what_helps(&heaviest.outcome, busiest.is_some_and(|pct| pct >= NEAR_PEAK.value)));
    if heaviest.outcome == "limited-by-latency" {
        let _ = write!(text, " {}", what_warps_wait_for(about));
    }
    let tensor = about.roofline.not_drawn.iter().find(|work| work.precision == "tensor");
    if let Some(tensor) = tensor {
        let _ = write!(
            text,
            " Not known: {}. Collect `sm__ops_path_tensor_…` (the presets {}) to see how near the tensor cores are to their roof; a GeForce's tensor pipe shows 50 % when it is full for fp16 with fp32 sums.",
            tensor.reason,
            list(&presets::with_roofline())
        );
    }
    let mut numbers = Vec::new();
    numbers.extend(evidence("results with this limit", heaviest.results as f64, "results"));
    numbers.extend(busiest.and_then(|pct| evidence("busiest unit of a launch", pct, "%")));
    Finding {
        kind: FindingKind::Advice,
        outcome: outcome.id.to_owned(),
        rule: None,
        severity: severity(run_share.unwrap_or(0.0), 0.25, 0.05),
        title: if unit.is_empty() {
            outcome.title.to_owned()
        } else {
            format!("{}: {}", outcome.title, unit_word(unit))
        },
        text,
        evidence: numbers,
        results: heaviest.results,
        launches: heaviest.launches.clone(),
        foremost: heaviest.kernel_name.clone(),
        beside_the_limit: false,
        kernels: heaviest
            .kernels
            .iter()
            .map(|at| *at as usize)
            .filter(|at| *at < about.kernels.len())
            .collect(),
        section: Some("SpeedOfLight".to_owned()),
        relieves: outcome.relieves,
        region_share: part,
        run_share,
        gain: None,
    }
}

/// A place of which no launch has the numbers that tell.
fn unknown(about: &About<'_>) -> Finding {
    let text = format!(
        "What limits {} cannot be told: the throughput of SMs or of memory was not collected. `ncu --section SpeedOfLight` does, and so do the presets {}.",
        about.name,
        list(&presets::with_speed_of_light())
    );
    Finding {
        results: about.results,
        ..coverage::plain(
            "limited-by-unknown",
            "What is the limit is not known".to_owned(),
            text,
            Vec::new(),
        )
    }
}

/// The largest reason to wait, or what would tell it.
fn what_warps_wait_for(about: &About<'_>) -> String {
    let states = warp_states(about.metrics);
    // The largest comes first.
    let largest = states.iter().flat_map(|states| &states.states).find(|state| state.is_stall);
    match largest.and_then(|state| Some((state.share?, state))) {
        Some((share, state)) => format!(
            "Over all its launches warps spend {} of their time in “{}”: {}.",
            rounded_percent(share),
            state.name,
            state.meaning
        ),
        None => {
            "What warps wait for was not measured: `ncu --section WarpStateStats` tells.".to_owned()
        }
    }
}

fn what_helps(limit: &str, is_near: bool) -> &'static str {
    match (limit, is_near) {
        ("limited-by-compute", true) => {
            " That is near the peak: only fewer operations or a faster type help."
        }
        ("limited-by-compute", false) => {
            " Fewer operations on that unit help, and so do more ready warps, up to its peak."
        }
        ("limited-by-dram", true) => {
            " That is near the peak: only moving less helps (fusion, smaller types, reuse from cache)."
        }
        ("limited-by-dram", false) => {
            " Moving less helps, and so do more bytes in flight, up to the peak."
        }
        ("limited-by-l2" | "limited-by-l1" | "limited-by-memory", true) => {
            " That is near the peak: only fewer or better packed accesses help."
        }
        ("limited-by-l2" | "limited-by-l1" | "limited-by-memory", false) => {
            " Caches or the way memory is accessed hold it up: fewer or better packed accesses help."
        }
        ("limited-by-balanced", _) => " Both are busy alike: only less of both helps.",
        ("limited-by-latency", _) => {
            " Nothing is busy: shorter waits or more independent work at once help, whatever the units could do."
        }
        ("limited-by-small-grid", _) => " More blocks, or several of these kernels at once, help.",
        _ => "",
    }
}
