//! What only sums up or speaks of the measurement: nothing here is advice.

use super::kinds::Outcome;
use super::recognise::{Rule, whole};

pub(super) static RULES: &[Rule] = &[
    // Limits are found from the counters themselves, per launch; these say it again, and less of it.
    Rule {
        ids: &["SOLBottleneck"],
        part: whole,
        rows: &[
            (
                &["NVLink-centric"],
                Outcome::note("nvlink-scheduling", "Some SM resources may be kept for NVLink"),
            ),
            (
                &["utilizing greater than"],
                Outcome::note(
                    "limit-reached",
                    "Compute or memory is at more than 80 % of its peak",
                ),
            ),
            (
                &["well-balanced"],
                Outcome::note(
                    "limit-balanced",
                    "Compute and memory are busy alike, and both may limit",
                ),
            ),
            (
                &["Compute is more heavily|Arithmetic is what bounds"],
                Outcome::note("limit-compute", "Compute is busier than memory"),
            ),
            (
                &["Memory is more heavily|Memory is what bounds"],
                Outcome::note("limit-memory", "Memory is busier than compute"),
            ),
            (
                &["too small to fill"],
                Outcome::note("limit-small-grid", "The grid does not fill the device once"),
            ),
            (
                &["low compute throughput|too little work in flight"],
                Outcome::note("limit-latency", "Neither compute nor memory is busy"),
            ),
        ],
    },
    Rule {
        ids: &["PCSamplingData"],
        part: whole,
        rows: &[
            (
                &["no samples could be collected"],
                Outcome::note("no-samples", "No warp samples could be taken"),
            ),
            (
                &["samples were dropped"],
                Outcome::note("samples-dropped", "Some warp samples were lost"),
            ),
            (
                &["buffer overflow"],
                Outcome::note("samples-overflow", "The buffer for warp samples was too small"),
            ),
        ],
    },
    Rule {
        ids: &["PMSamplingData"],
        part: whole,
        rows: &[(
            &["ampling interval"],
            Outcome::note("pm-samples-few", "The performance monitor took few samples or none"),
        )],
    },
];
