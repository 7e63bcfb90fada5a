//! How many warps an SM could hold, and how many it held.

use super::kinds::{Cause, Outcome};
use super::recognise::{Rule, whole};

pub(super) static RULES: &[Rule] = &[
    Rule {
        ids: &["Occupancy", "TheoreticalOccupancy", "AchievedOccupancy"],
        part: what_costs_more,
        rows: &[
            (&["grid is too small to fill it"], SMALL_GRID),
            (&["difference between"], GAP),
            (
                &[
                    "blocks that can fit|barriers",
                    "required registers|shared memory|warps within each block",
                ],
                limit(
                    "occupancy-limited-by-several",
                    "Allow more warps per SM: several limits of occupancy are met at once",
                ),
            ),
            (
                &["required registers", "shared memory", "warps within each block"],
                limit(
                    "occupancy-limited-by-registers-shared-memory-and-block-size",
                    "Allow more warps per SM: registers, shared memory and block size limit occupancy alike",
                ),
            ),
            (
                &["required registers", "shared memory"],
                limit(
                    "occupancy-limited-by-registers-and-shared-memory",
                    "Allow more warps per SM: registers and shared memory limit occupancy alike",
                ),
            ),
            (
                &["required registers", "warps within each block"],
                limit(
                    "occupancy-limited-by-registers-and-block-size",
                    "Allow more warps per SM: registers and block size limit occupancy alike",
                ),
            ),
            (
                &["shared memory", "warps within each block"],
                limit(
                    "occupancy-limited-by-shared-memory-and-block-size",
                    "Allow more warps per SM: shared memory and block size limit occupancy alike",
                ),
            ),
            (
                &["required registers"],
                limit(
                    "occupancy-limited-by-registers",
                    "Allow more warps per SM: registers limit occupancy",
                ),
            ),
            (
                &["shared memory"],
                limit(
                    "occupancy-limited-by-shared-memory",
                    "Allow more warps per SM: shared memory limits occupancy",
                ),
            ),
            (
                &["warps within each block"],
                limit(
                    "occupancy-limited-by-block-size",
                    "Choose a block size that fills an SM: the warps of a block limit occupancy",
                ),
            ),
            (
                &["blocks that can fit"],
                limit(
                    "occupancy-limited-by-blocks",
                    "Use larger blocks: the number of blocks that an SM holds limits occupancy",
                ),
            ),
            (
                &["barriers"],
                limit(
                    "occupancy-limited-by-barriers",
                    "Use fewer barriers per block: their number limits occupancy",
                ),
            ),
            (
                &["limited by|below the hardware maximum"],
                limit(
                    "occupancy-limited",
                    "Allow more warps per SM: what a block needs limits occupancy",
                ),
            ),
            (&["not impacted by any block limit"], UNLIMITED),
            (&["theoretical occupancy ("], NEARLY_FULL),
        ],
    },
    Rule {
        ids: &["IssueSlotUtilization"],
        part: whole,
        rows: &[
            (
                &["theoretical warps|theoretical number of warps"],
                limit(
                    "issue-slots-limited-by-occupancy",
                    "Allow more warps per SM: what a block needs limits occupancy",
                ),
            ),
            (
                &["less than a warp per instruction"],
                Outcome::advice(
                    "issue-slots-without-warps",
                    "Have more warps at work: schedulers hold less than one warp each",
                    Cause::FewReadyWarps,
                ),
            ),
            (
                &["capable of issuing"],
                Outcome::advice(
                    "issue-slots-idle",
                    "Give the schedulers more ready warps: in many cycles they issue nothing",
                    Cause::FewReadyWarps,
                ),
            ),
        ],
    },
];

const GAP: Outcome = Outcome::advice(
    "occupancy-gap",
    "Even out the work of warps and blocks: fewer warps are at work than fit",
    Cause::OccupancyGap,
);

const SMALL_GRID: Outcome = Outcome::advice(
    "occupancy-gap-of-small-grid",
    "Launch more blocks: fewer warps are at work than fit, because the grid is small",
    Cause::TooLittleWork,
);

const UNLIMITED: Outcome =
    Outcome::note("occupancy-unlimited", "As many warps fit on an SM as it can hold");

const NEARLY_FULL: Outcome = Outcome::note(
    "occupancy-nearly-full",
    "At least 80 % of the warps that an SM can hold fit on it",
);

const fn limit(id: &'static str, title: &'static str) -> Outcome {
    Outcome::advice(id, title, Cause::OccupancyLimit)
}

/// From here on ncu's later rules see no limit worth a message.
const HARDLY_LIMITED: f64 = 80.0;

/// Until 2022.3 one message says both a limit and a gap; the half that loses more warps decides. A limit that hardly costs anything is cut off.
fn what_costs_more(text: &str) -> &str {
    let (limit, gap) = text.split_at(text.find("difference between").unwrap_or(text.len()));
    let Some((before, _)) = limit.split_once(" is limited by") else { return text };
    let Some(theoretical) = percentage(before, "occupancy (") else { return limit };
    let is_hardly_limited = theoretical >= HARDLY_LIMITED;
    match percentage(gap, "achieved occupancy (") {
        Some(achieved) if is_hardly_limited || theoretical - achieved > 100.0 - theoretical => gap,
        _ if is_hardly_limited => before,
        _ => limit,
    }
}

/// The number behind the last of these words and before a percent sign.
fn percentage(text: &str, words: &str) -> Option<f64> {
    let (_, behind) = text.rsplit_once(words)?;
    let (number, _) = behind.split_once('%')?;
    number.parse().ok().filter(|value: &f64| value.is_finite())
}
