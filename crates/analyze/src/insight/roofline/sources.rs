//! Which metrics state work and traffic: the counters that ncu's roofline sections collect, under their names on different chips and in different versions.

use crate::insight::measured::{Measured, Quantity};
use crate::insight::model::MemoryLevel;

/// What a roofline needs to know the work, under the names that presets collect.
pub(super) const WORK_WANTED: [&str; 4] = [
    "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum.per_cycle_elapsed",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed",
    "smsp__cycles_elapsed.avg.per_second",
];

pub(super) const PEAK_WANTED: [&str; 2] = [
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
    "sm__cycles_elapsed.avg.per_second",
];

/// A counter of traffic and the bytes of one count.
pub(super) struct Source {
    counters: &'static [&'static str],
    bytes: f64,
}

/// A memory level with the counters that state its traffic, best first.
pub(super) struct Level {
    pub(super) memory: MemoryLevel,
    pub(super) sources: &'static [Source],
    /// What states its traffic, under the names that presets collect.
    pub(super) wanted: &'static [&'static str],
    pub(super) wanted_peak: &'static [&'static str],
}

/// A sector is 32 bytes, and so is what L2 returns in a cycle; L1 writes 128 bytes back in a cycle.
pub(super) const LEVELS: [Level; 3] = [
    Level {
        memory: MemoryLevel::Dram,
        sources: &[
            Source { counters: &["dram__bytes"], bytes: 1.0 },
            Source { counters: &["dram__bytes_read", "dram__bytes_write"], bytes: 1.0 },
        ],
        wanted: &["dram__bytes.sum.per_second"],
        wanted_peak: &["dram__bytes.sum.peak_sustained", "dram__cycles_elapsed.avg.per_second"],
    },
    Level {
        memory: MemoryLevel::L2,
        sources: &[
            Source { counters: &["lts__lts2xbar_cycles_active"], bytes: 32.0 },
            Source { counters: &["l1tex__m_xbar2l1tex_read_bytes"], bytes: 1.0 },
            Source { counters: &["lts__t_bytes"], bytes: 1.0 },
            Source { counters: &["lts__t_sectors"], bytes: 32.0 },
        ],
        wanted: &["lts__lts2xbar_cycles_active.sum.per_second"],
        wanted_peak: &[
            "lts__lts2xbar_cycles_active.sum.peak_sustained",
            "lts__cycles_elapsed.avg.per_second",
        ],
    },
    Level {
        memory: MemoryLevel::L1,
        sources: &[
            Source { counters: &["l1tex__lsu_writeback_active_mem_lg"], bytes: 128.0 },
            Source { counters: &["l1tex__lsu_writeback_active_mem_lgds"], bytes: 128.0 },
            Source { counters: &["l1tex__lsu_writeback_active"], bytes: 128.0 },
            Source { counters: &["l1tex__t_bytes"], bytes: 1.0 },
        ],
        wanted: &["l1tex__lsu_writeback_active_mem_lg.sum.per_second"],
        wanted_peak: &["l1tex__lsu_writeback_active_mem_lg.sum.peak_sustained"],
    },
];

impl Source {
    /// Bytes per second.
    pub(super) fn rate(&self, measured: &Measured<'_>) -> Option<Quantity> {
        let rates = self.counters.iter().map(|counter| measured.rate(counter));
        Some(sum(rates)?.times(self.bytes))
    }

    /// Bytes per second that are possible. Counters that make a sum up share one peak: that of what they are parts of.
    pub(super) fn peak(&self, measured: &Measured<'_>) -> Option<Quantity> {
        let counter = match self.counters {
            [counter] => counter,
            _ => "dram__bytes",
        };
        Some(measured.peak(counter)?.times(self.bytes))
    }
}

/// One kind of arithmetic: the counters of its instructions with the operations of one count.
pub(super) struct Precision {
    pub(super) name: String,
    pub(super) unit: &'static str,
    counters: Vec<(String, f64)>,
    peak: (String, f64),
}

impl Precision {
    /// Operations per second.
    pub(super) fn work(&self, measured: &Measured<'_>) -> Option<Quantity> {
        sum(self.counters.iter().map(|(counter, operations)| {
            let rate = measured.rate(counter).or_else(|| measured.rate(&of_sm(counter)));
            Some(rate?.times(*operations))
        }))
    }

    /// Operations per second that are possible.
    pub(super) fn peak(&self, measured: &Measured<'_>) -> Option<Quantity> {
        let (counter, operations) = &self.peak;
        Some(measured.peak(counter)?.times(*operations))
    }
}

/// The precisions of which the set has at least one counter.
pub(super) fn precisions(measured: &Measured<'_>) -> Vec<Precision> {
    let packed = if measured.has(PACKED_HALVES) { 2.0 } else { 1.0 };
    let mut found: Vec<Precision> = [("fp64", 'd', 1.0), ("fp32", 'f', 1.0), ("fp16", 'h', packed)]
        .into_iter()
        .map(|(name, letter, lanes)| scalar(name, letter, lanes))
        .filter(|precision| precision.work(measured).is_some())
        .collect();
    let paths = tensor_paths(measured);
    if paths.is_empty() {
        found.extend(tensor_instructions(measured));
    } else {
        found.extend(paths);
    }
    found
}

/// The derived metric by which ncu says that an instruction of half precision works on two numbers, as on newer chips: a fused multiply-add counts four.
const PACKED_HALVES: &str = "derived__smsp__sass_thread_inst_executed_op_hfma_pred_on_x4";

/// Additions and multiplications are one operation for each number that an instruction works on, a fused multiply-add is two.
fn scalar(name: &str, letter: char, lanes: f64) -> Precision {
    let counter = |unit: &str, operation: &str, operations: f64| {
        let name = format!("{unit}__sass_thread_inst_executed_op_{letter}{operation}_pred_on");
        (name, operations * lanes)
    };
    Precision {
        name: name.to_owned(),
        unit: "flop/s",
        counters: vec![
            counter("smsp", "add", 1.0),
            counter("smsp", "mul", 1.0),
            counter("smsp", "fma", 2.0),
        ],
        peak: counter("sm", "fma", 2.0),
    }
}

/// Tensor instructions of older versions. How many operations one of them is depends on the chip; ncu states it in the name of a derived metric.
fn tensor_instructions(measured: &Measured<'_>) -> Option<Precision> {
    const COUNTER: &str = "inst_executed_pipe_tensor";
    let operations = measured.names().find_map(|name| {
        let factor =
            name.strip_prefix("derived__sm__")?.strip_prefix(COUNTER)?.strip_prefix("_x")?;
        factor.parse::<u32>().ok().map(f64::from)
    })?;
    let precision = Precision {
        name: "tensor".to_owned(),
        unit: "flop/s",
        counters: vec![(format!("smsp__{COUNTER}"), operations)],
        peak: (format!("sm__{COUNTER}"), operations),
    };
    precision.work(measured).is_some().then_some(precision)
}

/// Tensor operations of newer versions, which are counted per path: what goes in and what comes out. Blackwell counts them by instruction too (`…tensor_op_*`),
/// for which NVIDIA's roofline has no points.
fn tensor_paths(measured: &Measured<'_>) -> Vec<Precision> {
    const PREFIX: &str = "sm__ops_path_tensor_src_";
    let mut paths: Vec<&str> = measured
        .metrics()
        .keys()
        .filter_map(|name| name.strip_prefix(PREFIX)?.split_once('.').map(|(path, _)| path))
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| {
            let counter = format!("{PREFIX}{path}");
            Precision {
                name: path_name(path),
                unit: if path.starts_with("int") { "op/s" } else { "flop/s" },
                counters: vec![(counter.clone(), 1.0)],
                peak: (counter, 1.0),
            }
        })
        .filter(|precision| precision.work(measured).is_some())
        .collect()
}

/// `fp16_dst_fp32_sparsity_off` → `tensor fp16→fp32`.
fn path_name(path: &str) -> String {
    let (path, mark) = match path.strip_suffix("_sparsity_on") {
        Some(path) => (path, " sparse"),
        None => (path.strip_suffix("_sparsity_off").unwrap_or(path), ""),
    };
    format!("tensor {}{mark}", path.replace("_dst_", "→"))
}

/// The same counter of the whole SM, which counts the same.
fn of_sm(counter: &str) -> String {
    counter.replacen("smsp__", "sm__", 1)
}

/// The sum, if every part is there.
fn sum(parts: impl Iterator<Item = Option<Quantity>>) -> Option<Quantity> {
    parts.reduce(|left, right| Some(left?.plus(right?))).flatten()
}
