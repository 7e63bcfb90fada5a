//! What warps did between two instructions: issuing, or waiting for something.
//!
//! Reasons are found by the names of their metrics, so that a reason which a newer chip adds is shown too, without an explanation.

use super::model::{Reading, WarpState, WarpStates};
use super::reading::{first_of, one};
use crate::insight::measured::Metrics;
use indexmap::IndexMap;

/// Counted cycles, by the versions of ncu that name them so.
const CYCLES: [(&str, &str); 2] = [
    ("smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"),
    ("smsp__average_warp_latency_issue_stalled_", ".ratio"),
];
const SAMPLES: &str = "smsp__pcsamp_warps_issue_stalled_";
/// Samples of cycles in which no warp issued are a part of the samples.
const NOT_ISSUED: &str = "_not_issued";

struct Reason {
    /// As metrics name it; the first is the one that is shown.
    ids: &'static [&'static str],
    name: &'static str,
    meaning: &'static str,
}

const ISSUING: &str = "selected";

#[rustfmt::skip]
const REASONS: &[Reason] = &[
    Reason { ids: &["long_scoreboard"], name: "Long scoreboard", meaning: "waits for data from L1, L2 or device memory: fewer or wider accesses, more reuse, or more loads under way at once" },
    Reason { ids: &["short_scoreboard"], name: "Short scoreboard", meaning: "waits for shared memory, special functions or conversions: fewer of them, and no bank conflicts" },
    Reason { ids: &["wait"], name: "Wait", meaning: "the fixed pause after an instruction: only fewer instructions or more warps help" },
    Reason { ids: &["barrier"], name: "Barrier", meaning: "waits at __syncthreads for slower warps of the block: even the work out, or use smaller blocks" },
    Reason { ids: &["math_pipe_throttle"], name: "Math pipe throttle", meaning: "the arithmetic pipe is full: it is the limit, so mix in instructions of other pipes" },
    Reason { ids: &["lg_throttle"], name: "LG throttle", meaning: "the queue for global and local memory is full: fewer, wider accesses" },
    Reason { ids: &["mio_throttle"], name: "MIO throttle", meaning: "the queue for shared memory and special functions is full: fewer, wider accesses" },
    Reason { ids: &["tex_throttle"], name: "TEX throttle", meaning: "the queue of the texture unit is full: fewer or wider fetches" },
    Reason { ids: &["not_selected"], name: "Not selected", meaning: "was ready, but another warp issued: there are enough warps, even more would not help" },
    Reason { ids: &["no_instruction", "no_instructions"], name: "No instruction", meaning: "waits for code to be fetched: the code jumps far, or is too long for the instruction cache" },
    Reason { ids: &["imc_miss"], name: "IMC miss", meaning: "waits for a constant that is not in its cache: read constants in the same order in all threads" },
    Reason { ids: &["membar"], name: "Memory barrier", meaning: "waits for a memory fence: fence less often, or only as far as needed" },
    Reason { ids: &["branch_resolving"], name: "Branch resolving", meaning: "waits for the target of a branch: fewer branches in inner loops" },
    Reason { ids: &["dispatch_stall"], name: "Dispatch stall", meaning: "the dispatcher holds it back, for conflicts between registers or units" },
    Reason { ids: &["drain"], name: "Drain", meaning: "has ended and waits for its stores: write less at the end, or earlier" },
    Reason { ids: &["sleeping"], name: "Sleeping", meaning: "all its threads asked to sleep" },
    Reason { ids: &["gmma", "warpgroup_arrive"], name: "Warp group", meaning: "waits for the other warps of its group, or for their matrix operation on the tensor cores" },
    Reason { ids: &["misc"], name: "Other", meaning: "a reason that the hardware does not name" },
    Reason { ids: &[ISSUING], name: "Issuing", meaning: "issued an instruction: no stall" },
];

pub(crate) fn states(metrics: &Metrics) -> Option<WarpStates> {
    let mut found: IndexMap<&str, (Option<Reading>, Option<Reading>)> = IndexMap::new();
    for name in metrics.keys() {
        let cycles =
            CYCLES.iter().find_map(|(stem, end)| name.strip_prefix(stem)?.strip_suffix(end));
        if let Some(reason) = cycles {
            let cell = &mut found.entry(shown(reason)).or_default().0;
            *cell = cell.take().or_else(|| in_cycles(one(metrics, name)));
        }
        let samples = name.strip_prefix(SAMPLES).filter(|rest| !rest.ends_with(NOT_ISSUED));
        if let Some(reason) = samples {
            let cell = &mut found.entry(shown(reason)).or_default().1;
            *cell = cell.take().or_else(|| one(metrics, name));
        }
    }
    found.retain(|_, (cycles, samples)| cycles.is_some() || samples.is_some());
    if found.is_empty() {
        return None;
    }
    let sum = |readings: &mut dyn Iterator<Item = &Option<Reading>>| -> f64 {
        readings.flatten().map(|reading| reading.value).sum()
    };
    let all_cycles = sum(&mut found.values().map(|(cycles, _)| cycles));
    let all_samples = sum(&mut found.values().map(|(_, samples)| samples));
    let states = found.into_iter().map(|(reason, (cycles, samples))| {
        let known = REASONS.iter().find(|known| known.ids.contains(&reason));
        let share = if all_cycles > 0.0 {
            cycles.as_ref().map(|cycles| cycles.value / all_cycles)
        } else {
            samples.as_ref().map(|samples| samples.value / all_samples)
        };
        WarpState {
            reason: reason.to_owned(),
            name: known.map_or_else(|| reason.replace('_', " "), |known| known.name.to_owned()),
            meaning: known.map_or_else(String::new, |known| known.meaning.to_owned()),
            is_stall: reason != ISSUING,
            share: share.filter(|share| share.is_finite()),
            cycles,
            samples,
        }
    });
    let mut states: Vec<WarpState> = states.collect();
    let order = |state: &WarpState| state.share.unwrap_or(-1.0);
    states.sort_by(|left, right| {
        (right.is_stall.cmp(&left.is_stall))
            .then_with(|| order(right).total_cmp(&order(left)))
            .then_with(|| left.reason.cmp(&right.reason))
    });
    let cycles_per_instruction =
        in_cycles(first_of(metrics, &["smsp__average_warp_latency_per_inst_issued.ratio"]));
    Some(WarpStates { cycles_per_instruction, states })
}

/// Counted and sampled stalls have different names for some reasons.
fn shown(reason: &str) -> &str {
    let known = REASONS.iter().find(|known| known.ids.contains(&reason));
    known.and_then(|known| known.ids.first()).copied().unwrap_or(reason)
}

/// Warps in a state on average while one issues are the cycles that a warp spends in it between two instructions.
fn in_cycles(reading: Option<Reading>) -> Option<Reading> {
    reading.map(|reading| Reading { unit: "cycle".to_owned(), ..reading })
}
