//! What the counters of one launch say that experts look for and no rule of ncu does. Each cause has a condition on the launch's own numbers; where one of
//! them was not measured, the cause is not seen.

use crate::aggregate::limit::{BUSY, Busiest, Filling, LimitPlan, Load, unit_word};
use crate::aggregate::tally::plan::ResultValues;
use crate::outcome::{self, Outcome, OwnOutcome, own};
use rangescope_model::document::Limit;
use rangescope_model::launch::{Launch, LaunchKind, Vocabulary};
use rangescope_model::number::{
    count, rounded_percent, rounded_percentage, thousands, three_digits, time,
};
use rustc_hash::FxHashMap;

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

/// The kind of estimate that is none: it says how busy a unit is.
pub(crate) const BUSY_KIND: &str = "busy";

impl Seen {
    pub(crate) fn kind(&self) -> &'static str {
        if outcome::is_limit(self.outcome.id) { BUSY_KIND } else { "local" }
    }
}

/// Metrics of which the first alternative that a launch has counts; several of one alternative are added.
#[derive(Debug, Default)]
struct Quantity(Vec<Vec<usize>>);

impl Quantity {
    fn of(&self, scratch: &ResultValues) -> Option<f64> {
        let sums = self.0.iter().map(|terms| terms.iter().map(|id| scratch.value(*id)).sum());
        sums.into_iter().find(|sum: &f64| sum.is_finite())
    }
}

/// The metrics that tell causes, bound to the vocabulary of a run.
#[derive(Debug, Default)]
pub(crate) struct CausePlan {
    local: Quantity,
    global: Quantity,
    spilled: Quantity,
    float: Quantity,
    double: Quantity,
    float_peak: Quantity,
    double_peak: Quantity,
    double_pipe: Quantity,
    sectors: Quantity,
    ideal_sectors: Quantity,
    l2: Quantity,
    occupancy: Quantity,
    possible: Quantity,
    asleep: Quantity,
    latency: Quantity,
}

impl CausePlan {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let handles: FxHashMap<&str, usize> =
            vocabulary.metrics.iter().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        let quantity = |alternatives: &[&[&str]]| {
            let bound = |names: &&[&str]| -> Option<Vec<usize>> {
                names.iter().map(|name| handles.get(name).copied()).collect()
            };
            Quantity(alternatives.iter().filter_map(bound).collect())
        };
        Self {
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
            sectors: quantity(&[&["memory_l2_theoretical_sectors_global"]]),
            ideal_sectors: quantity(&[&["memory_l2_theoretical_sectors_global_ideal"]]),
            l2: quantity(&[
                &["lts__t_sectors.avg.pct_of_peak_sustained_elapsed"],
                &["lts__throughput.avg.pct_of_peak_sustained_elapsed"],
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
            is_persistent(&filling, launch).then(|| self.persistent(&filling, launch)).flatten(),
            self.local_memory(scratch),
            self.double_arithmetic(scratch),
            self.excess_sectors(scratch),
            self.waiting(launch),
            short(launch),
        ];
        causes.into_iter().flatten().collect()
    }

    /// Few warps at work in a launch that keeps nothing busy and whose grid does not explain it.
    fn few_warps(&self, filling: &Filling, launch: &OneLaunch<'_>) -> Option<Seen> {
        let reached = self.occupancy.of(launch.scratch).filter(|pct| *pct < LOW_PCT)?;
        if launch.limit != Limit::Latency || filling.waves < 1.0 {
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

    /// A grid of a few blocks for every multiprocessor that keeps a unit busy with few warps.
    fn persistent(&self, filling: &Filling, launch: &OneLaunch<'_>) -> Option<Seen> {
        let reached = self.occupancy.of(launch.scratch).filter(|pct| *pct < LOW_PCT)?;
        let busiest = launch.load.busiest()?;
        let text = format!(
            "{} for {} keep a unit busy to {} at an occupancy of {}.",
            count(whole(filling.blocks), "block", "blocks"),
            count(whole(filling.multiprocessors), "multiprocessor", "multiprocessors"),
            rounded_percentage(busiest),
            rounded_percentage(reached)
        );
        Some(seen(&own::PERSISTENT_KERNEL, "Occupancy", text, None))
    }

    fn local_memory(&self, scratch: &ResultValues) -> Option<Seen> {
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

    /// Sectors of global memory that are moved and not used. They cost at most the time that L2 is busy with them.
    fn excess_sectors(&self, scratch: &ResultValues) -> Option<Seen> {
        let (moved, ideal) = (self.sectors.of(scratch)?, self.ideal_sectors.of(scratch)?);
        let part = Some((moved - ideal) / moved).filter(|part| *part >= EXCESS_PART)?;
        let estimate = self.l2.of(scratch).map(|busy| part * busy.clamp(0.0, 100.0));
        let text = format!(
            "{} of the sectors of global memory are moved without being used ({} bytes of {}).",
            rounded_percent(part),
            thousands(whole((moved - ideal) * SECTOR)),
            thousands(whole(moved * SECTOR))
        );
        Some(seen(&own::EXCESS_SECTORS_COUNTED, "SourceCounters", text, estimate))
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

/// Whether a grid has the same few blocks for every multiprocessor, all at once, and keeps a unit busy.
pub(crate) fn is_persistent(filling: &Filling, launch: &OneLaunch<'_>) -> bool {
    let each = filling.blocks / filling.multiprocessors;
    let is_even = (each - each.round()).abs() < 1e-9 && (1.0..=PERSISTENT_BLOCKS).contains(&each);
    is_even
        && filling.waves <= 1.0 + 1e-9
        && launch.load.busiest().is_some_and(|busiest| busiest >= BUSY.value)
}

fn small_grid(filling: &Filling, launch: &OneLaunch<'_>) -> Option<Seen> {
    (launch.limit == Limit::SmallGrid).then(|| {
        let blocks = match (filling.blocks.is_nan(), filling.multiprocessors.is_nan()) {
            (false, false) => format!(
                "{} for {}",
                count(whole(filling.blocks), "block", "blocks"),
                count(whole(filling.multiprocessors), "multiprocessor", "multiprocessors")
            ),
            _ => "The grid".to_owned(),
        };
        let waves = if filling.waves.is_nan() {
            String::new()
        } else {
            format!(", {} of a wave", three_digits(filling.waves))
        };
        seen(&own::SMALL_GRID, "LaunchStats", format!("{blocks}{waves}; no unit is busy."), None)
    })
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
    let (compute, memory) =
        (side("compute", launch.load.compute), side("memory", launch.load.memory));
    Some(Seen {
        title: unit.to_owned(),
        estimate: launch.load.busiest(),
        ..seen(id, "SpeedOfLight", format!("{compute}, {memory}."), None)
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
