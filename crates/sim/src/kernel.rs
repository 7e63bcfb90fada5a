//! A priced kernel as a result of a report: metrics, sections and rule results.

use std::borrow::Cow;

use ncu_rep::{
    MessageKind, Metric, NvtxState, Process, ResultData, RuleItem, RuleMessage, RuleResult,
    Section, SectionMetric, Speedup, Value, names,
};

use crate::machine::{Machine, Price, Work};

/// Chip and architecture numbers by which NVIDIA's readers choose their table of units; any known chip does.
const CHIP: u64 = 372;
const ARCHITECTURE: u64 = 368;

const SM_THROUGHPUT: &str = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const DRAM_THROUGHPUT: &str = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed";
const OCCUPANCY: &str = "sm__warps_active.avg.pct_of_peak_sustained_active";

/// Where and when a kernel was launched.
#[derive(Clone, Debug, Default)]
pub struct LaunchSite<'a> {
    /// The process.
    pub process: Process<'a>,
    /// Device index.
    pub device: u32,
    /// Launching thread.
    pub thread: u32,
    /// Context.
    pub context: u32,
    /// Stream.
    pub stream: u32,
    /// Number of the launch in the process.
    pub number: u64,
    /// Unix time in seconds.
    pub time: u64,
    /// Open NVTX ranges.
    pub nvtx: Option<NvtxState<'a>>,
}

/// Makes the result of a kernel that does `work`.
pub fn result<'a>(
    machine: &Machine,
    function: &'a str,
    signature: &str,
    work: &Work,
    site: LaunchSite<'a>,
) -> ResultData<'a> {
    let price = machine.price(work);
    ResultData {
        thread: site.thread,
        api_call: site.number,
        function: Cow::Borrowed(function),
        demangled: Cow::Owned(format!("{function}({signature})")),
        mangled: Cow::Owned(format!("_Z{}{function}", function.len())),
        grid: Some(work.grid),
        block: Some(work.block),
        context: Some(site.context),
        stream: Some(site.stream),
        time: Some(site.time),
        nvtx: site.nvtx,
        metrics: metrics(machine, work, &price, site.device),
        sections: sections(),
        rules: rules(&price),
        process: site.process,
        ..ResultData::default()
    }
}

fn metrics(machine: &Machine, work: &Work, price: &Price, device: u32) -> Vec<Metric<'static>> {
    let count = |value: f64| Value::F64(value.round());
    let number = Value::F64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of the model are small and not negative"
    )]
    let whole = |value: f64| Value::U64(value as u64);
    let sectors =
        ((work.bytes_read + work.bytes_written) / 32.0 / (1.0 - work.l2_hit_rate).max(0.05))
            .round();
    let hits = (sectors * work.l2_hit_rate).round();
    let hit_rate = if sectors > 0.0 { 100.0 * hits / sectors } else { 0.0 };
    let instructions = (work.flops / 64.0 + (work.bytes_read + work.bytes_written) / 128.0).round();
    let blocks: u64 = work.grid.iter().product();
    let threads: u64 = work.block.iter().product();
    let seconds = price.duration_ns * 1e-9;
    let listed: Vec<(&'static str, Value<'static>)> = vec![
        (names::ARCHITECTURE, Value::U64(ARCHITECTURE)),
        (names::CC_MAJOR, Value::U64(8)),
        (names::CC_MINOR, Value::U64(6)),
        (names::DEVICE_INDEX, Value::U64(u64::from(device))),
        (names::DEVICE_NAME, Value::Text(Cow::Borrowed(machine.name))),
        (names::CHIP, Value::U64(CHIP)),
        ("dram__bytes.sum", count(work.bytes_read + work.bytes_written)),
        (
            "dram__bytes.sum.per_second",
            number((work.bytes_read + work.bytes_written).round() / seconds),
        ),
        ("dram__bytes_read.sum", count(work.bytes_read)),
        ("dram__bytes_write.sum", count(work.bytes_written)),
        (
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
            number(price.dram_pct.max(price.sm_pct)),
        ),
        (DRAM_THROUGHPUT, number(price.dram_pct)),
        (names::DURATION, number(price.duration_ns)),
        ("launch__block_size", Value::U64(threads)),
        ("launch__grid_size", Value::U64(blocks)),
        ("launch__occupancy_limit_warps", whole(price.blocks_per_sm)),
        ("launch__registers_per_thread", Value::U64(work.registers)),
        ("launch__thread_count", Value::U64(threads * blocks)),
        ("launch__waves_per_multiprocessor", number(price.waves)),
        ("lts__t_sector_hit_rate.pct", number(hit_rate)),
        ("lts__t_sectors.sum", number(sectors)),
        ("lts__t_sectors_lookup_hit.sum", number(hits)),
        ("sm__cycles_active.avg", number(price.active_cycles)),
        ("sm__cycles_elapsed.avg", number(price.cycles)),
        ("sm__cycles_elapsed.max", number(price.cycles)),
        ("sm__cycles_elapsed.avg.per_second", number(price.cycles / seconds)),
        (SM_THROUGHPUT, number(price.sm_pct)),
        (OCCUPANCY, number(100.0 * price.warps_active / machine.warps_per_sm)),
        ("sm__warps_active.avg.per_cycle_active", number(price.warps_active)),
        ("smsp__inst_executed.sum", number(instructions)),
    ];
    listed
        .into_iter()
        .map(|(name, value)| Metric {
            name: Cow::Borrowed(name),
            value: Some(value),
            instances: Vec::new(),
        })
        .collect()
}

fn sections() -> Vec<Section<'static>> {
    let section = |id, name, order, header: &[(&'static str, &'static str)]| Section {
        id: Cow::Borrowed(id),
        name: Cow::Borrowed(name),
        order,
        header: header
            .iter()
            .map(|&(name, label)| SectionMetric {
                name: Cow::Borrowed(name),
                label: Cow::Borrowed(label),
            })
            .collect(),
    };
    vec![
        section(
            "SpeedOfLight",
            "GPU Speed Of Light Throughput",
            10,
            &[
                (SM_THROUGHPUT, "Compute (SM) Throughput"),
                (
                    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
                    "Memory Throughput",
                ),
                (DRAM_THROUGHPUT, "DRAM Throughput"),
                (names::DURATION, "Duration"),
                ("sm__cycles_elapsed.max", "Elapsed Cycles"),
                ("sm__cycles_active.avg", "SM Active Cycles"),
                ("sm__cycles_elapsed.avg.per_second", "SM Frequency"),
            ],
        ),
        section(
            "MemoryWorkloadAnalysis",
            "Memory Workload Analysis",
            30,
            &[
                ("dram__bytes.sum.per_second", "Memory Throughput"),
                ("lts__t_sector_hit_rate.pct", "L2 Hit Rate"),
            ],
        ),
        section(
            "LaunchStats",
            "Launch Statistics",
            60,
            &[
                ("launch__grid_size", "Grid Size"),
                ("launch__block_size", "Block Size"),
                ("launch__registers_per_thread", "Registers Per Thread"),
                ("launch__thread_count", "Threads"),
                ("launch__waves_per_multiprocessor", "Waves Per SM"),
            ],
        ),
        section(
            "Occupancy",
            "Occupancy",
            70,
            &[
                (OCCUPANCY, "Achieved Occupancy"),
                ("sm__warps_active.avg.per_cycle_active", "Achieved Active Warps Per SM"),
            ],
        ),
    ]
}

/// A few pieces of advice, where the model's own numbers support them.
fn rules(price: &Price) -> Vec<RuleResult<'static>> {
    let mut rules = Vec::new();
    let mut advise = |id: &'static str,
                      name: &'static str,
                      section: &'static str,
                      title: &'static str,
                      text: String,
                      pct: f64| {
        let message = RuleMessage {
            text: Cow::Owned(text),
            kind: MessageKind(2),
            id: Some(0),
            title: Cow::Borrowed(title),
        };
        rules.push(RuleResult {
            id: Cow::Borrowed(id),
            name: Cow::Borrowed(name),
            section: Cow::Borrowed(section),
            items: vec![RuleItem {
                message: Some(message),
                speedup: Some(Speedup { kind: 2, pct }),
                focus_metrics: Vec::new(),
            }],
        });
    };
    let tail = price.waves.ceil() - price.waves;
    if price.waves < 1.0 {
        let text = format!(
            "The grid fills {:.0} % of one wave of the simulated device; more blocks would use the idle SMs.",
            100.0 * price.waves
        );
        advise(
            "SimulatedSmallGrid",
            "Small Grid",
            "LaunchStats",
            "Small Grid",
            text,
            100.0 * (1.0 - price.waves),
        );
    } else if tail > 0.3 && price.waves < 4.0 {
        let text = format!(
            "The last of {:.0} waves is {:.0} % empty on the simulated device.",
            price.waves.ceil(),
            100.0 * tail
        );
        advise(
            "SimulatedTail",
            "Tail Effect",
            "LaunchStats",
            "Tail Effect",
            text,
            100.0 * tail / price.waves.ceil(),
        );
    }
    rules
}
