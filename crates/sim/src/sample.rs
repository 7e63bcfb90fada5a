//! A made-up language model at work: prefill and decoding through a few layers, with the NVTX ranges that such a program has.
//!
//! It is what `rangescope report --sample` shows and what tests read when they need a report that the project itself makes.

use std::borrow::Cow;
use std::io::{self, Write};

use ncu_rep::write::ReportWriter;
use ncu_rep::{
    DEFAULT_DOMAIN, Device, NvtxDomain, NvtxRange, NvtxState, Process, ResultData, Session, names,
};

use crate::collection::{Collection, Rules};
use crate::constants::whole;
use crate::kernel::{KernelName, LaunchSite, result};
use crate::machine::{DEFAULT, Work};
use crate::sections::section;
use rangescope_model::session::SIMULATOR_PROVIDER;

const LAYERS: usize = 2;
const DECODE_STEPS: usize = 3;
const TIME: u64 = 1_767_225_600;

/// Attributes of the device that the sample keeps.
const DEVICE: [&str; 6] = [
    names::ARCHITECTURE,
    names::CC_MAJOR,
    names::CC_MINOR,
    names::DEVICE_INDEX,
    names::DEVICE_NAME,
    names::CHIP,
];
/// Metrics that the sample keeps.
const METRICS: &[&str] = &[
    "dram__bytes.sum",
    "dram__bytes.sum.per_second",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__time_duration.sum",
    "launch__block_size",
    "launch__grid_size",
    "launch__occupancy_limit_warps",
    "launch__registers_per_thread",
    "launch__thread_count",
    "launch__waves_per_multiprocessor",
    "lts__t_sector_hit_rate.pct",
    "lts__t_sectors.sum",
    "lts__t_sectors_lookup_hit.sum",
    "sm__cycles_active.avg",
    "sm__cycles_elapsed.avg",
    "sm__cycles_elapsed.avg.per_second",
    "sm__cycles_elapsed.max",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "sm__warps_active.avg.per_cycle_active",
    "smsp__inst_executed.sum",
];
const SECTIONS: [&str; 4] = ["SpeedOfLight", "MemoryWorkloadAnalysis", "LaunchStats", "Occupancy"];
const RULES: [&str; 1] = ["LaunchConfiguration"];

/// Writes the sample as a report.
pub fn write<W: Write>(out: W) -> io::Result<W> {
    let mut writer = ReportWriter::new(out)?;
    writer.session(&session(), &process(4242))?;
    for data in results(4242, 0) {
        writer.result(&data)?;
    }
    writer.finish()
}

/// The session record of a simulated run.
pub fn session() -> Session<'static> {
    Session {
        created: Some(TIME),
        devices: vec![Device { id: 0, name: Cow::Borrowed(DEFAULT.name), attributes: Vec::new() }],
        comments: Cow::Borrowed("simulated"),
        versions: vec![(
            Cow::Borrowed(SIMULATOR_PROVIDER),
            Cow::Borrowed(env!("CARGO_PKG_VERSION")),
        )],
        ..Session::default()
    }
}

/// A process of the made-up program.
pub fn process(pid: u32) -> Process<'static> {
    Process {
        pid: Some(pid),
        host: Cow::Borrowed("127.0.0.1"),
        executable: Cow::Borrowed("/opt/sample/serve"),
    }
}

/// The kernels of one run in the order of their launches.
pub fn results(pid: u32, device: u32) -> Vec<ResultData<'static>> {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let sections = SECTIONS.iter().filter_map(|id| section(id)).collect();
    let collection = Collection::new(owned(METRICS), sections, Rules::Named(owned(&RULES)));
    let mut run = Run { pid, device, collection, results: Vec::new() };
    run.kernel(&[], "fill", "float *, int", &work(184, 256, 16, 0.0, 0.0, 3e6, 0.1));
    run.forward("prefill", 512.0);
    for _ in 0..DECODE_STEPS {
        run.forward("decode", 1.0);
        run.kernel(
            &["decode", "sample"],
            "argmax",
            "const float *, int *",
            &work(32, 1024, 24, 3.2e4, 1.3e5, 4.0, 0.2),
        );
    }
    run.results
}

struct Run {
    pid: u32,
    device: u32,
    collection: Collection,
    results: Vec<ResultData<'static>>,
}

impl Run {
    fn forward(&mut self, phase: &str, tokens: f64) {
        let copy = "const half *, half *";
        let embed = tokens_work(tokens, 0.0, 4096.0, 8.0);
        self.kernel(&[phase, "embed"], "gather_rows", "const half *, const int *, half *", &embed);
        for layer in 0..LAYERS {
            let layer = format!("layers.{layer}");
            let attn: &[&str] = &[phase, &layer, "attn"];
            let mlp: &[&str] = &[phase, &layer, "mlp"];
            let gemm = |share: f64| gemm(tokens, share * 4.0 * 1024.0 * 1024.0);
            let over_tokens = |flops, bytes, blocks| tokens_work(tokens, flops, bytes, blocks);
            let scores = 2.0 * 1024.0 * tokens.max(256.0);
            self.kernel(attn, "rmsnorm", copy, &over_tokens(6e3, 4096.0, 4.0));
            self.kernel(attn, "gemm_qkv", "GemmArgs", &gemm(1.5));
            self.kernel(attn, "flash_attention", "AttnArgs", &over_tokens(scores, 8192.0, 8.0));
            self.kernel(attn, "gemm_out", "GemmArgs", &gemm(0.5));
            self.kernel(mlp, "gemm_up", "GemmArgs", &gemm(2.0));
            self.kernel(mlp, "silu", copy, &over_tokens(2e4, 16_384.0, 4.0));
            self.kernel(mlp, "gemm_down", "GemmArgs", &gemm(2.0));
            let add = over_tokens(2e3, 6144.0, 4.0);
            self.kernel(&[phase, &layer], "add_residual", "half *, const half *", &add);
        }
    }

    fn kernel(&mut self, path: &[&str], function: &'static str, signature: &str, work: &Work) {
        let range = |name: &&str| NvtxRange {
            name: Cow::Owned((*name).to_owned()),
            ..NvtxRange::default()
        };
        let domain = NvtxDomain {
            name: Cow::Borrowed(DEFAULT_DOMAIN),
            push_pop: path.iter().map(range).collect(),
            start_end: Vec::new(),
        };
        let site = LaunchSite {
            process: process(self.pid),
            device: self.device,
            thread: self.pid,
            context: 1,
            stream: 7,
            number: self.results.len() as u64,
            time: TIME,
            nvtx: Some(NvtxState { domains: vec![domain], ..NvtxState::default() }),
        };
        let name = KernelName::new(function, Some(signature));
        let mut kernel = result(&DEFAULT, &self.collection, name, work, 1.0, site);
        // The sample stays small enough to be read as a whole.
        kernel.metrics.retain(|metric| is_shown(&metric.name));
        for section in &mut kernel.sections {
            section.header.retain(|metric| is_shown(&metric.name));
        }
        self.results.push(kernel);
    }
}

fn is_shown(metric: &str) -> bool {
    METRICS.contains(&metric) || DEVICE.contains(&metric)
}

fn work(
    blocks: u64,
    threads: u64,
    registers: u64,
    flops: f64,
    bytes_read: f64,
    bytes_written: f64,
    l2_hit_rate: f64,
) -> Work {
    Work {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        registers,
        flops,
        bytes_read,
        bytes_written,
        l2_hit_rate,
        ..Work::default()
    }
}

/// An element-wise kernel over some tokens.
fn tokens_work(tokens: f64, flops: f64, bytes: f64, blocks_per_token: f64) -> Work {
    work(
        whole((tokens * blocks_per_token).ceil()),
        256,
        32,
        tokens * flops,
        tokens * bytes,
        tokens * bytes / 2.0,
        0.35,
    )
}

/// A matrix product that reads `weights` parameters of two bytes.
fn gemm(tokens: f64, weights: f64) -> Work {
    let blocks = whole(((tokens / 128.0).ceil() * (weights / 1024.0 / 64.0)).ceil());
    work(
        blocks,
        128,
        128,
        2.0 * tokens * weights,
        2.0 * weights + tokens * 2048.0,
        tokens * 2048.0,
        0.7,
    )
}
