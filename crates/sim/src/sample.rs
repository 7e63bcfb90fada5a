//! A made-up language model at work: prefill and decoding through a family of layers, with the NVTX ranges that such a program has.
//!
//! It is what `rangescope report --sample` shows and what tests read when they need a report that the project itself makes.

use std::borrow::Cow;
use std::io::{self, Write};

use ncu_rep::write::ReportWriter;
use ncu_rep::{
    DEFAULT_DOMAIN, Device, NvtxDomain, NvtxRange, NvtxState, Process, ResultData, Session,
};

use crate::code::{Code, sample_module};
use crate::collection::{Collection, Rules};
use crate::constants::whole;
use crate::kernel::{KernelName, LaunchSite, result};
use crate::machine::{DEFAULT, Precision, Work};
use crate::sections::section;
use rangescope_model::session::SIMULATOR_PROVIDER;

/// Tokens that each layer's attention looks back at: the last one sees everything, the others a window.
const LAYERS: [f64; 4] = [256.0, 256.0, 256.0, 2048.0];
const PROMPT: f64 = 512.0;
/// Sequences that the steps of decoding are for.
const DECODED: [f64; 2] = [1.0, 192.0];
const TIME: u64 = 1_767_225_600;

/// Everything that shows something of a kernel, without the rooflines of precisions that the sample does not use.
const SECTIONS: &[&str] = &[
    "ComputeWorkloadAnalysis",
    "InstructionStats",
    "LaunchStats",
    "MemoryWorkloadAnalysis",
    "MemoryWorkloadAnalysis_Chart",
    "MemoryWorkloadAnalysis_Tables",
    "Occupancy",
    "PmSampling",
    "SchedulerStats",
    "SourceCounters",
    "SpeedOfLight",
    "SpeedOfLight_HierarchicalSingleRooflineChart",
    "SpeedOfLight_HierarchicalTensorRooflineChart",
    "SpeedOfLight_RooflineChart",
    "WarpStateStats",
];
/// Metrics of no section.
const METRICS: &[&str] = &["dram__bytes.sum", "sm__cycles_elapsed.avg", "sm__cycles_elapsed.max"];
const RULES: [&str; 1] = ["LaunchConfiguration"];

/// Writes the sample as a report.
pub fn write<W: Write>(out: W) -> io::Result<W> {
    let mut writer = ReportWriter::new(out)?;
    writer.session(&session(), &process(4242))?;
    writer.source(&sample_module(), &process(4242))?;
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
    run.forward("prefill", PROMPT);
    for sequences in DECODED {
        run.forward("decode", sequences);
        run.kernel(
            &["decode", "sample"],
            "argmax",
            "const float *, int *",
            &work(
                whole(32.0 * sequences),
                1024,
                24,
                3.2e4 * sequences,
                1.3e5 * sequences,
                4.0 * sequences,
                0.2,
            ),
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
        let embed = tokens_work(tokens, 0.0, 4096.0, 8.0);
        self.kernel(&[phase, "embed"], "gather_rows", "const half *, const int *, half *", &embed);
        for (layer, window) in LAYERS.into_iter().enumerate() {
            let layer = format!("layers.{layer}");
            let attn: &[&str] = &[phase, &layer, "attn"];
            let mlp: &[&str] = &[phase, &layer, "mlp"];
            let gemm = |share: f64| gemm(tokens, share * 4.0 * 1024.0 * 1024.0);
            let over_tokens = |flops, bytes, blocks| tokens_work(tokens, flops, bytes, blocks);
            // Scores and their sums, over keys and values of which a block of tokens reads each once.
            let attention = over_tokens(4.0 * 1024.0 * window, 8.0 * window + 4096.0, 8.0);
            self.kernel(attn, "rmsnorm", "const half *, half *", &over_tokens(6e3, 4096.0, 4.0));
            self.kernel(attn, "gemm_qkv", "GemmArgs", &gemm(1.5));
            self.kernel(attn, "flash_attention", "AttnArgs", &on_tensor_cores(&attention));
            self.kernel(attn, "gemm_out", "GemmArgs", &gemm(0.5));
            self.kernel(mlp, "gemm_up", "GemmArgs", &gemm(2.0));
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
        let code = Code::of_sample(function);
        self.results.push(result(&DEFAULT, &self.collection, name, work, &code, 1.0, site));
    }
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
    on_tensor_cores(&work(
        blocks,
        128,
        128,
        2.0 * tokens * weights,
        2.0 * weights + tokens * 2048.0,
        tokens * 2048.0,
        0.7,
    ))
}

/// Work of the tensor cores, which take their numbers from shared memory.
fn on_tensor_cores(work: &Work) -> Work {
    Work { tensor: true, precision: Precision::Fp16, shared: 16_384, ..work.clone() }
}
