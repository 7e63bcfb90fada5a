//! What the counters of one launch say that experts look for and no rule of ncu does. Each cause has a condition on the launch's own numbers; where one of
//! them was not measured, the cause is not seen.

use crate::aggregate::limit::{BUSY, Busiest, Filling, LimitPlan, Load, unit_word};
use crate::aggregate::tally::plan::ResultValues;
use crate::aggregate::traffic::{Binder, Quantity, TrafficPlan};
use crate::outcome::{self, Cause, FindingKind, Outcome, OwnOutcome, own};
use rangescope_model::document::Limit;
use rangescope_model::launch::{Launch, LaunchKind, Vocabulary};
use rangescope_model::number::{
    count, rounded_percent, rounded_percentage, thousands, three_digits, time,
};
use std::fmt::Write as _;

/// A launch shorter than this takes the device less time than launching it takes the host, in nanoseconds.
const SHORT_NS: f64 = 10_000.0;
/// The least part of memory instructions that is worth a word where it goes to local memory.
const LOCAL_PART: f64 = 0.1;
/// The least part of sectors that is worth a word where it is not needed.
const EXCESS_PART: f64 = 0.1;
/// The least part of whole waves that is worth a word where it is idle.
const IDLE_PART: f64 = 0.1;
/// Double arithmetic up to this part of the float arithmetic is not what the code is about.
const MOSTLY_FLOAT: f64 = 0.5;
/// Where float arithmetic has so many times the units of double arithmetic, the latter is slow.
const FEW_DOUBLE_UNITS: f64 = 8.0;
/// A pipe that is less busy than this holds nothing up, in per cent.
const PIPE_PCT: f64 = 20.0;
/// Occupancy below this is low, in per cent.
const LOW_PCT: f64 = 50.0;
/// Occupancy below this part of what the launch allows is not held down by its limits.
const GAP: f64 = 0.8;
/// A launch that keeps nothing busier than this, in per cent, may be waiting …
const IDLE_PCT: f64 = 10.0;
/// … if this part of its warps' time is asleep or in front of a memory barrier.
const ASLEEP_PART: f64 = 0.3;
/// A persistent kernel has at most so many blocks for each multiprocessor.
const PERSISTENT_BLOCKS: f64 = 8.0;
/// Traffic that keeps its unit busy for less than this part of the time costs nothing.
const NEGLIGIBLE: f64 = 0.01;
/// Outcomes about balance between multiprocessors or inside of them.
const BETWEEN_SMS: [&str; 3] = ["imbalance-smsp", "imbalance-sm", "imbalance-l1"];
/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// A cause that was seen in a launch.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) outcome: &'static Outcome,
    /// The section of ncu's details page to look at.
    pub(crate) section: &'static str,
    /// What tells sayings of one outcome apart, for example a unit.
    pub(crate) title: String,
    pub(crate) text: String,
    /// In per cent: the estimated speed-up, or for a limit how busy it keeps the busiest unit.
    pub(crate) estimate: Option<f64>,
}

/// The kind of estimate that is made from counters where ncu's rule makes none.
pub(crate) const COUNTED_KIND: &str = "counted";

/// The kind of estimate that is none: it says how busy a unit is.
pub(crate) const BUSY_KIND: &str = "busy";

impl Seen {
    pub(crate) fn kind(&self) -> &'static str {
        if outcome::is_limit(self.outcome.id) { BUSY_KIND } else { "local" }
    }
}

/// The metrics that tell causes, bound to the vocabulary of a run.
#[derive(Debug, Default)]
pub(crate) struct CausePlan {
    traffic: TrafficPlan,
    /// Additions, multiplications and fused ones, as rates or as counts.
    of_float: [Quantity; 3],
    of_double: [Quantity; 3],
    local: Quantity,
    global: Quantity,
    spilled: Quantity,
    float: Quantity,
    double: Quantity,
    float_peak: Quantity,
    double_peak: Quantity,
    double_pipe: Quantity,
    occupancy: Quantity,
    possible: Quantity,
    asleep: Quantity,
    latency: Quantity,
}

impl CausePlan {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let names = Binder::new(vocabulary);
        let quantity = |alternatives: &[&[&str]]| names.quantity(alternatives);
        let rates = |operations: [&str; 3]| {
            let name = |operation| {
                format!(
                    "smsp__sass_thread_inst_executed_op_{operation}_pred_on.sum.per_cycle_elapsed"
                )
            };
            let counter =
                |operation| format!("smsp__sass_thread_inst_executed_op_{operation}_pred_on.sum");
            operations.map(|one| quantity(&[&[&name(one)], &[&counter(one)]]))
        };
        Self {
            traffic: TrafficPlan::new(&names),
            of_float: rates(["fadd", "fmul", "ffma"]),
            of_double: rates(["dadd", "dmul", "dfma"]),
            local: quantity(&[
                &["sass__inst_executed_local_loads", "sass__inst_executed_local_stores"],
                &[
                    "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
                    "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
                ],
            ]),
            global: quantity(&[
                &["sass__inst_executed_global_loads", "sass__inst_executed_global_stores"],
                &[
                    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                ],
            ]),
            spilled: quantity(&[
                &["sass__inst_executed_register_spilling_mem_local"],
                &["sass__inst_executed_register_spilling"],
            ]),
            float: quantity(&[&[
                "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
                "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed",
                "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed",
            ]]),
            double: quantity(&[&[
                "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed",
                "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed",
                "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum.per_cycle_elapsed",
            ]]),
            float_peak: quantity(&[&[
                "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
            ]]),
            double_peak: quantity(&[&[
                "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
            ]]),
            double_pipe: quantity(&[
                &["sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"],
                &["sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_elapsed"],
            ]),
            occupancy: quantity(&[&["sm__warps_active.avg.pct_of_peak_sustained_active"]]),
            possible: quantity(&[&["sm__maximum_warps_per_active_cycle_pct"]]),
            asleep: quantity(&[&[
                "smsp__average_warps_issue_stalled_sleeping_per_issue_active.ratio",
                "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio",
            ]]),
            latency: quantity(&[&["smsp__average_warp_latency_per_inst_issued.ratio"]]),
        }
    }

    /// What is seen in the launch whose numbers are in the scratch space.
    pub(crate) fn seen(&self, limits: &LimitPlan, launch: &OneLaunch<'_>) -> Vec<Seen> {
        if launch.launch.kind != LaunchKind::Kernel {
            return Vec::new();
        }
        if launch.is_given_up || launch.launch.grid.is_some_and(|grid| grid.contains(&0)) {
            return vec![not_measured(launch.is_given_up)];
        }
        let scratch = launch.scratch;
        let filling = limits.filling(scratch);
        let causes = [
            limit(limits, launch),
            small_grid(&filling, launch),
            partial_wave(&filling, launch),
            self.few_warps(&filling, launch),
            self.persistent(&filling, launch),
            self.local_memory(limits, scratch),
            self.double_arithmetic(scratch),
            self.excess_sectors(limits, scratch),
            self.waiting(launch),
            short(launch),
        ];
        causes.into_iter().flatten().collect()
    }

    /// Few warps at work in a launch that keeps nothing busy and whose grid does not explain it.
    fn few_warps(&self, filling: &Filling, launch: &OneLaunch<'_>) -> Option<Seen> {
        let reached = self.occupancy.of(launch.scratch).filter(|pct| *pct < LOW_PCT)?;
        // What runs at once has no further blocks that could use more room.
        if launch.limit != Limit::Latency || filling.waves.is_nan() || filling.runs_at_once() {
            return None;
        }
        let possible = self.possible.of(launch.scratch)?;
        let reached_text = rounded_percentage(reached);
        let possible_text = rounded_percentage(possible);
        let (id, text) = if reached < GAP * possible {
            (
                &own::FEW_WARPS,
                format!(
                    "{reached_text} of the warps that an SM holds are at work; the launch allows {possible_text}."
                ),
            )
        } else {
            (
                &own::FEW_WARPS_ALLOWED,
                format!(
                    "{reached_text} of the warps that an SM holds are at work, and the launch allows no more than {possible_text}."
                ),
            )
        };
        Some(seen(id, "Occupancy", text, None))
    }

    /// A grid of a few blocks for every multiprocessor, all at once: with few warps it keeps a unit busy, or it is exactly what the device holds.
    fn persistent(&self, filling: &Filling, launch: &OneLaunch<'_>) -> Option<Seen> {
        let reached = self.occupancy.of(launch.scratch).filter(|pct| *pct < LOW_PCT)?;
        let busiest = launch.load.busiest()?;
        let is_busy = busiest >= BUSY.value;
        if !is_even(filling) || !(is_busy || filling.is_one_wave()) {
            return None;
        }
        let blocks = count(whole(filling.blocks), "block", "blocks");
        let multiprocessors =
            count(whole(filling.multiprocessors), "multiprocessor", "multiprocessors");
        let (busiest, reached) = (rounded_percentage(busiest), rounded_percentage(reached));
        Some(if is_busy {
            let text = format!(
                "{blocks} for {multiprocessors} keep a unit busy to {busiest} at an occupancy of {reached}."
            );
            seen(&own::PERSISTENT_KERNEL, "Occupancy", text, None)
        } else {
            let text = format!(
                "{blocks} for {multiprocessors} are as many as run at once, at an occupancy of {reached}; the busiest unit is busy to {busiest}."
            );
            seen(&own::PERSISTENT_LAUNCH, "Occupancy", text, None)
        })
    }

    fn local_memory(&self, limits: &LimitPlan, scratch: &ResultValues) -> Option<Seen> {
        let time = self.traffic.local(limits, scratch);
        if time.is_some_and(|time| time < NEGLIGIBLE) {
            return None;
        }
        let (local, global) = (self.local.of(scratch)?, self.global.of(scratch)?);
        let part = Some(local / (local + global)).filter(|part| *part >= LOCAL_PART)?;
        let id = match self.spilled.of(scratch) {
            Some(spilled) if spilled > 0.0 => &own::REGISTER_SPILLS,
            Some(_) => &own::LOCAL_ARRAYS,
            None => &own::LOCAL_MEMORY,
        };
        let text = format!(
            "{} of the loads and stores of global and local memory ({} of {}) go to local memory.",
            rounded_percent(part),
            thousands(whole(local)),
            thousands(whole(local + global))
        );
        Some(seen(id, "MemoryWorkloadAnalysis_Tables", text, None))
    }

    /// Some double arithmetic in code that is mostly float, on a device with few units for it.
    fn double_arithmetic(&self, scratch: &ResultValues) -> Option<Seen> {
        let (double, float) = (self.double.of(scratch)?, self.float.of(scratch)?);
        let ratio = self.float_peak.of(scratch)? / self.double_peak.of(scratch)?;
        let pipe = self.double_pipe.of(scratch)?;
        let is_stray = double > 0.0 && double <= MOSTLY_FLOAT * float;
        let is_slow = ratio >= FEW_DOUBLE_UNITS && pipe >= PIPE_PCT;
        (is_stray && is_slow).then(|| {
            let text = format!(
                "{} of the floating-point instructions are double and keep the fp64 pipe busy to {}; the device has {} times as many units for float.",
                rounded_percent(double / (double + float)),
                rounded_percentage(pipe),
                three_digits(ratio)
            );
            seen(&own::DOUBLE_IN_FLOAT_CODE, "ComputeWorkloadAnalysis", text, None)
        })
    }

    /// Sectors of global memory that are moved and not used. They cost at most the time that a cache is busy with them.
    fn excess_sectors(&self, limits: &LimitPlan, scratch: &ResultValues) -> Option<Seen> {
        let (asked, excess) = self.traffic.excess_sectors(scratch)?;
        let part = Some(excess / asked).filter(|part| *part >= EXCESS_PART)?;
        let estimate = self.traffic.excess(limits, scratch).map(|time| time * 100.0);
        let text = format!(
            "{} of the sectors of global memory are moved without being used ({} bytes of {}).",
            rounded_percent(part),
            thousands(whole(excess * SECTOR)),
            thousands(whole(asked * SECTOR))
        );
        Some(seen(&own::EXCESS_SECTORS_COUNTED, "SourceCounters", text, estimate))
    }

    /// What a sector of global memory that is moved and not used costs at most, as a part of the launch's time; nothing where that cannot be told.
    pub(crate) fn excess_sector(&self, limits: &LimitPlan, scratch: &ResultValues) -> Option<f64> {
        let (_, excess) = self.traffic.excess_sectors(scratch)?;
        let each = self.traffic.excess(limits, scratch)? / excess;
        Some(each).filter(|each| each.is_finite() && *each > 0.0)
    }

    /// The part of the launch's time, 0 to 1, that this advice could save at most, by what its counters say of what it speaks of; 1 where they say nothing.
    pub(crate) fn most(
        &self,
        outcome: &Outcome,
        limits: &LimitPlan,
        scratch: &ResultValues,
    ) -> f64 {
        let most = match outcome.id {
            "unfused-fp32" => fusible(&self.of_float, scratch),
            "unfused-fp64" => fusible(&self.of_double, scratch),
            id => self.traffic.most(id, limits, scratch),
        };
        most.unwrap_or(1.0)
    }

    /// What following a message without an estimate of ncu's could gain at most in per cent, by the counters.
    pub(crate) fn counted(
        &self,
        outcome: &Outcome,
        limits: &LimitPlan,
        scratch: &ResultValues,
    ) -> Option<f64> {
        let is_counted = outcome.id == "uncoalesced-global";
        let most = is_counted.then(|| self.traffic.most(outcome.id, limits, scratch))?;
        most.map(|most| most * 100.0)
    }

    /// What a message of ncu comes to in a launch with these causes, where its words are about something else than what they say.
    pub(crate) fn retold(
        &self,
        outcome: &'static Outcome,
        causes: &[Seen],
        filling: &Filling,
        scratch: &ResultValues,
    ) -> &'static Outcome {
        let persistent = [own::PERSISTENT_KERNEL.outcome.id, own::PERSISTENT_LAUNCH.outcome.id];
        let is_persistent = causes.iter().any(|cause| persistent.contains(&cause.outcome.id));
        let by_design = &own::OCCUPANCY_BY_DESIGN.outcome;
        let of_small_grid = &own::OCCUPANCY_OF_SMALL_GRID.outcome;
        let cause = outcome.cause.filter(|_| outcome.kind == FindingKind::Advice);
        match cause {
            Some(
                Cause::OccupancyLimit
                | Cause::OccupancyGap
                | Cause::TooLittleWork
                | Cause::PartialWave,
            ) if is_persistent => by_design,
            Some(Cause::OccupancyLimit) if filling.runs_at_once() => of_small_grid,
            Some(Cause::OccupancyGap) if filling.is_below_one_wave() => of_small_grid,
            Some(Cause::Imbalance)
                if BETWEEN_SMS.contains(&outcome.id) && filling.leaves_sms_empty() =>
            {
                of_small_grid
            }
            Some(Cause::UnfusedFloat) => {
                let operations =
                    if outcome.id == "unfused-fp64" { &self.of_double } else { &self.of_float };
                let is_fusible = fusible(operations, scratch).is_none_or(|part| part > 0.0);
                if is_fusible { outcome } else { &own::NOTHING_TO_FUSE.outcome }
            }
            _ => outcome,
        }
    }

    fn waiting(&self, launch: &OneLaunch<'_>) -> Option<Seen> {
        let busiest = launch.load.busiest().filter(|busiest| *busiest < IDLE_PCT)?;
        let part = self.asleep.of(launch.scratch)? / self.latency.of(launch.scratch)?;
        (part >= ASLEEP_PART).then(|| {
            let text = format!(
                "Warps spend {} of their time asleep or in front of memory barriers, and no unit is busier than {}.",
                rounded_percent(part.min(1.0)),
                rounded_percentage(busiest)
            );
            seen(&own::WAITS_FOR_OTHERS, "WarpStateStats", text, None)
        })
    }
}

/// The part of the arithmetic that goes away where every pair of an addition and a multiplication becomes one instruction.
fn fusible(operations: &[Quantity; 3], scratch: &ResultValues) -> Option<f64> {
    let [additions, multiplications, fused] = operations;
    let (additions, multiplications) = (additions.of(scratch)?, multiplications.of(scratch)?);
    let all = additions + multiplications + fused.of(scratch)?;
    let part = additions.min(multiplications) / all;
    part.is_finite().then_some(part)
}

/// A launch with what was found out about it before.
pub(crate) struct OneLaunch<'l> {
    pub(crate) launch: &'l Launch<'l>,
    pub(crate) scratch: &'l ResultValues,
    pub(crate) load: Load,
    pub(crate) limit: Limit,
    /// The unit that is the limit, by its number in the plan.
    pub(crate) unit: Option<u16>,
    /// In nanoseconds; not a number if it is not known.
    pub(crate) duration: f64,
    pub(crate) is_given_up: bool,
}

/// Whether a grid has the same few blocks for every multiprocessor, all at once.
fn is_even(filling: &Filling) -> bool {
    let each = filling.blocks / filling.multiprocessors;
    let is_even = (each - each.round()).abs() < 1e-9 && (1.0..=PERSISTENT_BLOCKS).contains(&each);
    is_even && filling.waves <= 1.0 + 1e-9
}

fn small_grid(filling: &Filling, launch: &OneLaunch<'_>) -> Option<Seen> {
    (launch.limit == Limit::SmallGrid).then(|| {
        let text = format!("{}; no unit is busy.", filled(filling));
        seen(&own::SMALL_GRID, "LaunchStats", text, None)
    })
}

/// How much of the device a grid fills, and how much it leaves empty.
fn filled(filling: &Filling) -> String {
    let mut text = match (filling.blocks.is_nan(), filling.multiprocessors.is_nan()) {
        (false, false) => format!(
            "{} for {}",
            count(whole(filling.blocks), "block", "blocks"),
            count(whole(filling.multiprocessors), "multiprocessor", "multiprocessors")
        ),
        _ => "The grid".to_owned(),
    };
    if filling.leaves_sms_empty() {
        let empty = 1.0 - filling.blocks / filling.multiprocessors;
        let _ = write!(text, ", of which {} have none", rounded_percent(empty));
    }
    if !filling.waves.is_nan() {
        let _ = write!(text, ", {} of a wave", three_digits(filling.waves));
    }
    text
}

/// A last wave that is not full. Under equal times of all blocks it costs what its idle part takes.
fn partial_wave(filling: &Filling, launch: &OneLaunch<'_>) -> Option<Seen> {
    let waves = filling.waves;
    let idle = 1.0 - waves / waves.ceil();
    let concerns = launch.limit == Limit::Latency && waves > 0.0 && idle >= IDLE_PART;
    if !concerns || filling.is_small() {
        return None;
    }
    let text = format!(
        "{} waves: {} of the last one is idle.",
        three_digits(waves),
        rounded_percent(waves.ceil() - waves)
    );
    Some(if waves < 1.0 {
        seen(
            &own::PART_OF_ONE_WAVE,
            "LaunchStats",
            format!("{} of a wave, with a block for every multiprocessor.", three_digits(waves)),
            None,
        )
    } else {
        seen(&own::PARTIAL_LAST_WAVE, "LaunchStats", text, Some(idle * 100.0))
    })
}

fn short(launch: &OneLaunch<'_>) -> Option<Seen> {
    (launch.duration < SHORT_NS).then(|| {
        let text = format!("It runs for {}.", time(launch.duration / 1e6));
        seen(&own::SHORT_LAUNCHES, "LaunchStats", text, None)
    })
}

/// What limits the launch, with the unit as title and how busy that keeps it as estimate of what is at stake.
fn limit(limits: &LimitPlan, launch: &OneLaunch<'_>) -> Option<Seen> {
    let unit = launch.unit.map_or("", |unit| limits.unit_name(unit));
    let id = match (launch.limit, unit) {
        (Limit::Compute, _) => &own::LIMITED_BY_COMPUTE,
        (Limit::Memory, "dram") => &own::LIMITED_BY_DRAM,
        (Limit::Memory, "l2") => &own::LIMITED_BY_L2,
        (Limit::Memory, "l1") => &own::LIMITED_BY_L1,
        (Limit::Memory, _) => &own::LIMITED_BY_MEMORY,
        (Limit::Balanced, _) => &own::LIMITED_BY_BALANCED,
        (Limit::Latency, _) => &own::LIMITED_BY_LATENCY,
        (Limit::SmallGrid, _) => &own::LIMITED_BY_SMALL_GRID,
        (Limit::Unknown, _) => return None,
    };
    let side = |what: &str, busiest: Busiest| {
        let Some((pct, unit)) = busiest else { return format!("{what} not measured") };
        let unit = unit.map(|unit| unit_word(limits.unit_name(unit)));
        let unit = unit.map_or_else(String::new, |unit| format!(" ({unit})"));
        format!("{what}{unit} {}", rounded_percentage(pct))
    };
    let mut text = format!(
        "{}, {}.",
        side("compute", launch.load.compute),
        side("memory", launch.load.memory)
    );
    if launch.limit == Limit::SmallGrid {
        let _ = write!(text, " {}.", filled(&limits.filling(launch.scratch)));
    }
    Some(Seen {
        title: unit.to_owned(),
        estimate: launch.load.busiest(),
        ..seen(id, "SpeedOfLight", text, None)
    })
}

fn not_measured(is_given_up: bool) -> Seen {
    let text = if is_given_up {
        "ncu ran the kernel once and measured nothing."
    } else {
        "The grid is stated with a dimension of 0."
    };
    seen(&own::NOT_MEASURED, "LaunchStats", text.to_owned(), None)
}

fn seen(
    said: &'static OwnOutcome,
    section: &'static str,
    text: String,
    estimate: Option<f64>,
) -> Seen {
    Seen { outcome: &said.outcome, section, title: String::new(), text, estimate }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be a count"
)]
fn whole(value: f64) -> u64 {
    if (0.0..1e18).contains(&value) { value.round() as u64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{CausePlan, OneLaunch, Seen};
    use crate::aggregate::limit::LimitPlan;
    use crate::aggregate::tally::plan::ResultValues;
    use crate::outcome::known;
    use rangescope_model::launch::{Launch, LaunchKind, MetricId, Vocabulary};

    const LAUNCH: Launch<'_> = Launch {
        index: 0,
        kind: LaunchKind::Kernel,
        process: 0,
        device: None,
        function: "k",
        demangled: "",
        mangled: "",
        grid: None,
        block: None,
        domains: &[],
        is_placed: true,
        numbers: &[],
        large: &[],
        texts: &[],
        sections: &[],
        rules: &[],
    };

    /// What is seen in a launch with these metrics, and what messages with these outcomes come to in it.
    fn told(metrics: &[(&str, f64)], outcomes: &[&'static str]) -> (Vec<Seen>, Vec<&'static str>) {
        let names = metrics.iter().map(|(name, _)| (*name).to_owned()).collect();
        let vocabulary = Vocabulary { metrics: names, ..Vocabulary::default() };
        let mut scratch = ResultValues::new(metrics.len());
        let numbers: Vec<_> =
            (0..).map(MetricId).zip(metrics.iter().map(|(_, number)| *number)).collect();
        scratch.load(&numbers, &[]);
        let (limits, plan) = (LimitPlan::new(&vocabulary), CausePlan::new(&vocabulary));
        let load = limits.load(&scratch);
        let limit = limits.limit(&load, &scratch);
        let launch = OneLaunch {
            launch: &LAUNCH,
            scratch: &scratch,
            load,
            limit: limit.limit,
            unit: limit.unit,
            duration: f64::NAN,
            is_given_up: false,
        };
        let causes = plan.seen(&limits, &launch);
        let filling = limits.filling(&scratch);
        let retold = outcomes.iter();
        let retold =
            retold.map(|id| plan.retold(known(id), &causes, &filling, &scratch).id).collect();
        (causes, retold)
    }

    fn grid(blocks: f64, waves: f64, busy: f64) -> [(&'static str, f64); 6] {
        [
            ("launch__grid_size", blocks),
            ("device__attribute_multiprocessor_count", 100.0),
            ("launch__waves_per_multiprocessor", waves),
            ("sm__throughput.avg.pct_of_peak_sustained_elapsed", busy),
            (crate::aggregate::limit::MEMORY, 10.0),
            ("sm__warps_active.avg.pct_of_peak_sustained_active", 30.0),
        ]
    }

    const OF_OCCUPANCY: [&str; 5] = [
        "occupancy-limited-by-registers",
        "occupancy-gap",
        "imbalance-sm",
        "imbalance-dram",
        "grid-below-two-per-sm",
    ];

    /// More room helps nobody where all blocks run at once.
    #[test]
    fn occupancy_of_a_small_grid_is_about_the_grid() {
        let small = "occupancy-of-small-grid";
        let (causes, retold) = told(&grid(64.0, 0.32, 20.0), &OF_OCCUPANCY);
        assert_eq!(retold, [small, small, small, "imbalance-dram", "grid-below-two-per-sm"]);
        let text = &causes.iter().find(|cause| cause.outcome.id == "small-grid").unwrap().text;
        assert_eq!(
            text,
            "64 blocks for 100 multiprocessors, of which 36 % have none, 0.32 of a wave; no unit is busy."
        );
        // A block for every SM, and room for more.
        let (_, retold) = told(&grid(150.0, 0.75, 20.0), &OF_OCCUPANCY);
        assert_eq!(retold[..3], [small, small, "imbalance-sm"]);
        let (_, retold) = told(&grid(450.0, 2.25, 20.0), &OF_OCCUPANCY);
        assert_eq!(retold, OF_OCCUPANCY);
    }

    #[test]
    fn a_launch_of_exactly_one_wave_is_persistent() {
        let ids = |busy: f64, blocks: f64, waves: f64| -> (Vec<&str>, Vec<&str>) {
            let (causes, retold) = told(&grid(blocks, waves, busy), &OF_OCCUPANCY);
            let ids = causes.iter().map(|cause| cause.outcome.id);
            (ids.filter(|id| id.starts_with("persistent")).collect(), retold)
        };
        let design = "occupancy-by-design";
        for (busy, said) in [(30.0, "persistent-launch"), (70.0, "persistent-kernel")] {
            let (found, retold) = ids(busy, 100.0, 1.0);
            assert_eq!(found, [said]);
            assert_eq!(retold, [design, design, "imbalance-sm", "imbalance-dram", design]);
        }
        // Twice as many would run at once.
        assert!(ids(30.0, 100.0, 0.5).0.is_empty());
    }

    #[test]
    fn only_pairs_can_be_fused() {
        let rate = |operation: &str| {
            format!("smsp__sass_thread_inst_executed_op_{operation}_pred_on.sum.per_cycle_elapsed")
        };
        let names = [rate("fadd"), rate("fmul"), rate("ffma")];
        let of = |counts: [f64; 3]| {
            let metrics: Vec<(&str, f64)> = names.iter().map(String::as_str).zip(counts).collect();
            told(&metrics, &["unfused-fp32", "unfused-fp64"]).1
        };
        assert_eq!(of([17.0, 0.0, 0.0]), ["nothing-to-fuse", "unfused-fp64"]);
        assert_eq!(of([17.0, 3.0, 5.0]), ["unfused-fp32", "unfused-fp64"]);
    }

    /// A fifth of the accesses goes to local memory, which keeps L1 busy for nothing.
    #[test]
    fn local_memory_that_costs_nothing_is_no_advice() {
        let sectors = |where_: &str, operation: &str| {
            format!("l1tex__t_sectors_pipe_lsu_mem_{where_}_op_{operation}.sum")
        };
        let names = [
            sectors("local", "ld"),
            sectors("local", "st"),
            sectors("global", "ld"),
            sectors("global", "st"),
        ];
        let of = |local: f64| {
            let mut metrics = vec![
                ("sass__inst_executed_local_loads", 1_000.0),
                ("sass__inst_executed_local_stores", 1_000.0),
                ("sass__inst_executed_global_loads", 6_000.0),
                ("sass__inst_executed_global_stores", 1_000.0),
                ("l1tex__throughput.avg.pct_of_peak_sustained_active", 20.0),
            ];
            let counts = [local, local, 900_000.0, 100_000.0];
            metrics.extend(names.iter().map(String::as_str).zip(counts));
            let (causes, _) = told(&metrics, &[]);
            causes.iter().any(|cause| cause.outcome.id == "local-memory")
        };
        assert!(!of(8_000.0));
        assert!(of(80_000.0));
    }
}
