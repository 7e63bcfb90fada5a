//! What the counters themselves say; the conditions are those of [`causes`](crate::aggregate).

use super::{Cause, FindingKind, Outcome, Unit};
use FindingKind::{Advice, Note};

/// Something that the counters of launches say, with its condition in words.
#[derive(Debug)]
pub struct OwnOutcome {
    pub outcome: Outcome,
    pub condition: &'static str,
}

const fn row(
    id: &'static str,
    kind: FindingKind,
    cause: Option<Cause>,
    relieves: Option<Unit>,
    title: &'static str,
    condition: &'static str,
) -> OwnOutcome {
    OwnOutcome { outcome: Outcome { id, kind, title, relieves, cause }, condition }
}

pub(crate) static SMALL_GRID: OwnOutcome = row(
    "small-grid",
    Advice,
    Some(Cause::TooLittleWork),
    None,
    "Launch more blocks, or several of these kernels at once: the grid does not fill the device",
    "No unit is busy to 60 %, and the grid has fewer blocks than there are multiprocessors or fills less than half a wave.",
);

pub(crate) static PARTIAL_LAST_WAVE: OwnOutcome = row(
    "partial-last-wave",
    Advice,
    Some(Cause::PartialWave),
    None,
    "Choose a grid of whole waves, or more and smaller blocks: the last wave leaves multiprocessors idle",
    "No unit is busy to 60 %, the grid is more than one wave, and at least 10 % of its whole waves is idle. The estimate is that part, as if all blocks took the same time.",
);

pub(crate) static PART_OF_ONE_WAVE: OwnOutcome = row(
    "part-of-one-wave",
    Note,
    Some(Cause::PartialWave),
    None,
    "The grid fills a part of one wave, with a block for every multiprocessor",
    "No unit is busy to 60 %, every multiprocessor has a block, and the grid fills between half a wave and 90 % of one.",
);

pub(crate) static FEW_WARPS: OwnOutcome = row(
    "few-warps",
    Advice,
    Some(Cause::OccupancyGap),
    None,
    "Even out the work of blocks: fewer warps are at work than the launch allows, and nothing is busy",
    "No unit is busy to 60 %, the grid is more than a wave, occupancy is below 50 % and below 80 % of what the launch allows.",
);

pub(crate) static FEW_WARPS_ALLOWED: OwnOutcome = row(
    "few-warps-allowed",
    Advice,
    Some(Cause::OccupancyLimit),
    None,
    "Allow more warps per SM: the launch allows few, and nothing is busy",
    "No unit is busy to 60 %, the grid is more than a wave, occupancy is below 50 % and near what the launch allows.",
);

pub(crate) static PERSISTENT_KERNEL: OwnOutcome = row(
    "persistent-kernel",
    Note,
    None,
    None,
    "A persistent kernel: its few warps keep a unit busy, so that low occupancy is by design",
    "Every multiprocessor has the same number of blocks (at most 8), all at once, a unit is busy to 60 %, and occupancy is below 50 %.",
);

pub(crate) static PERSISTENT_LAUNCH: OwnOutcome = row(
    "persistent-launch",
    Note,
    None,
    None,
    "A persistent launch: as many blocks as run at once, so that occupancy and grid are by design",
    "No unit is busy to 60 %, the grid is exactly one wave, every multiprocessor has the same number of blocks (at most 8), and occupancy is below 50 %.",
);

pub(crate) static OCCUPANCY_OF_SMALL_GRID: OwnOutcome = row(
    "occupancy-of-small-grid",
    Advice,
    Some(Cause::TooLittleWork),
    None,
    "Launch more blocks: there are too few for what ncu says here of occupancy or balance",
    "A rule speaks of what limits occupancy where all blocks run at once (no more than multiprocessors, or at most one wave), of a gap of occupancy where they fill less than a wave, or of balance between SMs, schedulers or L1 caches where there are fewer blocks than multiprocessors. ncu's estimate is of something else and left out.",
);

pub(crate) static OCCUPANCY_BY_DESIGN: OwnOutcome = row(
    "occupancy-by-design",
    Note,
    None,
    None,
    "What ncu says of the occupancy and the grid of a persistent kernel, which are by design",
    "A rule speaks of occupancy, waves or the size of the grid on a launch that is a persistent kernel or a persistent launch.",
);

pub(crate) static REGISTER_SPILLS: OwnOutcome = row(
    "register-spills",
    Advice,
    Some(Cause::Spills),
    Some(Unit::Memory),
    "Keep values in registers: they are spilled to local memory",
    "At least 10 % of the loads and stores of global and local memory go to local memory, which keep L1 busy for 1 % of the time or an unknown part, and ncu counted spills.",
);

pub(crate) static LOCAL_ARRAYS: OwnOutcome = row(
    "local-arrays",
    Advice,
    Some(Cause::Spills),
    Some(Unit::Memory),
    "Make array indices constants of the compiler: arrays lie in local memory",
    "The same; ncu counted no spills.",
);

pub(crate) static LOCAL_MEMORY: OwnOutcome = row(
    "local-memory",
    Advice,
    Some(Cause::Spills),
    Some(Unit::Memory),
    "Keep values in registers: local memory is used, by spills or by arrays with indices that the compiler does not know",
    "The same; spills were not counted.",
);

pub(crate) static DOUBLE_IN_FLOAT_CODE: OwnOutcome = row(
    "double-in-float-code",
    Advice,
    Some(Cause::DoublePrecision),
    Some(Unit::Fp64),
    "Write constants and functions of the float type: some arithmetic of this float code is double",
    "There are double instructions, at most half as many as float ones, the device has at least 8 times the units for float, and the fp64 pipe is busy to 20 %.",
);

pub(crate) static EXCESS_SECTORS_COUNTED: OwnOutcome = row(
    "excess-sectors-counted",
    Advice,
    Some(Cause::ExcessSectors),
    Some(Unit::Memory),
    "Let neighbouring threads use neighbouring addresses: sectors are moved and not used",
    "At least 10 % of the sectors that global accesses move are more than an ideal pattern needs. The estimate is the time in which L2, or where that is more L1, is busy with them: their part of all sectors that it moves; none where the sectors of L2 were not counted.",
);

pub(crate) static NOTHING_TO_FUSE: OwnOutcome = row(
    "nothing-to-fuse",
    Note,
    None,
    None,
    "ncu speaks of separate additions and multiplications, of which there are no pairs",
    "A rule speaks of separate additions and multiplications on a launch that has only one of both.",
);

pub(crate) static WAITS_FOR_OTHERS: OwnOutcome = row(
    "waits-for-others",
    Advice,
    None,
    None,
    "Find what this kernel waits for: its warps sleep or stand in front of memory barriers",
    "No unit is busy to 10 %, and warps are asleep or in front of a memory barrier for 30 % of their time.",
);

pub(crate) static SHORT_LAUNCHES: OwnOutcome = row(
    "short-launches",
    Advice,
    None,
    None,
    "Fuse kernels or use a CUDA graph: launching these may cost more than running them",
    "The launch takes less than 10 µs; said where that holds for at least ten launches and for half of the launches of the place.",
);

pub(crate) static NOT_MEASURED: OwnOutcome = row(
    "not-measured",
    Note,
    None,
    None,
    "A broken measurement: ncu measured nothing here",
    "ncu gave the result up, or its grid has a dimension of 0.",
);

pub(crate) static SAME_COUNTERS: OwnOutcome = row(
    "same-counters",
    Note,
    None,
    None,
    "A broken measurement: different kernels have the same time and counters to the last digit",
    "Results of different kernels have equal values of all hardware counters, of which at least eight differ from 0; not looked for in results of the simulated device and in partial results.",
);

pub(crate) static LIMITED_BY_COMPUTE: OwnOutcome = limit(
    "limited-by-compute",
    Some(Unit::Compute),
    "What computes is the limit",
    "A unit that computes is busy to 60 %, and more than 10 points busier than memory.",
);

pub(crate) static LIMITED_BY_DRAM: OwnOutcome = limit(
    "limited-by-dram",
    Some(Unit::Dram),
    "Memory is the limit",
    "Memory is busy to 60 %, and more than 10 points busier than what computes; DRAM is its busiest level.",
);

pub(crate) static LIMITED_BY_L2: OwnOutcome = limit(
    "limited-by-l2",
    Some(Unit::L2),
    "Memory is the limit",
    "The same; L2 is the busiest level.",
);

pub(crate) static LIMITED_BY_L1: OwnOutcome = limit(
    "limited-by-l1",
    Some(Unit::L1),
    "Memory is the limit",
    "The same; L1 is the busiest level.",
);

pub(crate) static LIMITED_BY_MEMORY: OwnOutcome = limit(
    "limited-by-memory",
    Some(Unit::Memory),
    "Memory is the limit",
    "The same; no measured level explains it.",
);

pub(crate) static LIMITED_BY_BALANCED: OwnOutcome = limit(
    "limited-by-balanced",
    None,
    "Compute and memory are the limit alike",
    "One of them is busy to 60 %, and they differ by at most 10 points.",
);

pub(crate) static LIMITED_BY_LATENCY: OwnOutcome = limit(
    "limited-by-latency",
    None,
    "Waiting is the limit: no unit is busy",
    "No unit is busy to 60 %, and the grid is not too small.",
);

pub(crate) static LIMITED_BY_SMALL_GRID: OwnOutcome = limit(
    "limited-by-small-grid",
    None,
    "Too small a grid is the limit",
    "No unit is busy to 60 %, and the grid is too small.",
);

pub(crate) static LIMITED_BY_UNKNOWN: OwnOutcome = limit(
    "limited-by-unknown",
    None,
    "What is the limit is not known",
    "The throughput of compute or of memory was not collected.",
);

/// In the order of the documentation.
pub(super) static OWN: [&OwnOutcome; 28] = [
    &SMALL_GRID,
    &PARTIAL_LAST_WAVE,
    &PART_OF_ONE_WAVE,
    &FEW_WARPS,
    &FEW_WARPS_ALLOWED,
    &PERSISTENT_KERNEL,
    &PERSISTENT_LAUNCH,
    &OCCUPANCY_OF_SMALL_GRID,
    &OCCUPANCY_BY_DESIGN,
    &REGISTER_SPILLS,
    &LOCAL_ARRAYS,
    &LOCAL_MEMORY,
    &DOUBLE_IN_FLOAT_CODE,
    &EXCESS_SECTORS_COUNTED,
    &NOTHING_TO_FUSE,
    &WAITS_FOR_OTHERS,
    &SHORT_LAUNCHES,
    &NOT_MEASURED,
    &SAME_COUNTERS,
    &LIMITED_BY_COMPUTE,
    &LIMITED_BY_DRAM,
    &LIMITED_BY_L2,
    &LIMITED_BY_L1,
    &LIMITED_BY_MEMORY,
    &LIMITED_BY_BALANCED,
    &LIMITED_BY_LATENCY,
    &LIMITED_BY_SMALL_GRID,
    &LIMITED_BY_UNKNOWN,
];

/// What limits a launch; said of the heaviest places only.
const fn limit(
    id: &'static str,
    relieves: Option<Unit>,
    title: &'static str,
    condition: &'static str,
) -> OwnOutcome {
    row(id, Advice, None, relieves, title, condition)
}

/// Whether an outcome is the limit of launches.
pub(crate) fn is_limit(id: &str) -> bool {
    id.starts_with("limited-by-")
}

pub(crate) fn all() -> impl Iterator<Item = &'static Outcome> {
    OWN.iter().map(|own| &own.outcome)
}
