//! What a user can ask of ncu, as plain data: one field for each key below `pipeline.ncu.ncu_cli`.
//!
//! An absent value leaves the matter to ncu. Where ncu's own choice changed between versions, the default here is a value, so that one configuration means
//! the same with every ncu. Read from a configuration, a list may also be a single text or null. Which keys there are, and what each may be, is told to users by the
//! configuration; nothing here knows where a value came from.

use serde::{Deserialize, Serialize};

use super::lenient;
use super::pinned::Pinned;
use super::values::{
    AppReplayBuffer, AppReplayMatch, AppReplayMode, CacheControl, CallStackType, ClockControl,
    Communicator, FilterMode, GraphProfiling, KernelNameBase, Mps, PipelineBoostState,
    PushPopScope, RangeReplayOption, ReplayMode, ReportFormat, TargetProcesses,
};

/// What is asked of ncu.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the configuration")]
pub struct NcuOptions {
    /// A set of sections.
    #[serde(deserialize_with = "lenient::text")]
    pub set: Option<String>,
    /// Sections, by identifier or `regex:…`.
    #[serde(deserialize_with = "lenient::separated")]
    pub sections: Vec<String>,
    /// Metrics.
    #[serde(deserialize_with = "lenient::separated")]
    pub metrics: Vec<String>,
    /// Whether only the suffixes that were asked for are collected.
    pub disable_extra_suffixes: bool,
    /// Folders with section files.
    #[serde(deserialize_with = "lenient::list")]
    pub section_folder: Vec<String>,
    /// Folders with section files, with the folders below.
    #[serde(deserialize_with = "lenient::list")]
    pub section_folder_recursive: Vec<String>,
    /// Whether ncu's rules are applied.
    pub apply_rules: Option<bool>,
    /// The rules to apply; none means all.
    #[serde(deserialize_with = "lenient::separated")]
    pub rule: Vec<String>,
    /// Which ranges are looked at.
    pub nvtx: NvtxOptions,
    /// Which instances of ranges are profiled, as `[yes|no]:<start/stop instances>:<NVTX instances>`.
    #[serde(deserialize_with = "lenient::text")]
    pub range_filter: Option<String>,
    /// A kernel name or `regex:…`, in ncu's own dialect; counts as one more pattern to include.
    #[serde(deserialize_with = "lenient::text")]
    pub kernel_name: Option<String>,
    /// Which of a kernel's names filters look at.
    pub kernel_name_base: KernelNameBase,
    /// Kernels to profile: exact names, `glob:…` or `regex:…`. None means all.
    #[serde(deserialize_with = "lenient::list")]
    pub kernel_include: Vec<String>,
    /// Kernels not to profile; wins over inclusion.
    #[serde(deserialize_with = "lenient::list")]
    pub kernel_exclude: Vec<String>,
    /// ncu's kernel identifier, `context:stream:name:invocation`.
    #[serde(deserialize_with = "lenient::text")]
    pub kernel_id: Option<String>,
    /// How many launches that pass the filters are left out first.
    pub launch_skip: Option<u64>,
    /// How many results there are at most.
    pub launch_count: Option<u64>,
    /// How many launches are left out before any filter is asked.
    pub launch_skip_before_match: Option<u64>,
    /// What launch counts are counted over.
    pub filter_mode: Option<FilterMode>,
    /// Devices that are profiled. None means all.
    #[serde(deserialize_with = "lenient::separated")]
    pub devices: Vec<String>,
    /// Which processes are profiled.
    pub target_processes: TargetProcesses,
    /// Names of processes that are profiled.
    #[serde(deserialize_with = "lenient::list")]
    pub target_processes_filter: Vec<String>,
    /// Whether profiling begins with the program, or with cudaProfilerStart.
    pub profile_from_start: Option<bool>,
    /// Whether cudaProfilerStart and cudaProfilerStop are ignored.
    pub disable_profiler_start_stop: bool,
    /// Functions of the machine's call stack to profile in, in ncu's own language.
    #[serde(deserialize_with = "lenient::list")]
    pub native_include: Vec<String>,
    /// Functions of the machine's call stack not to profile in.
    #[serde(deserialize_with = "lenient::list")]
    pub native_exclude: Vec<String>,
    /// Python functions to profile in.
    #[serde(deserialize_with = "lenient::list")]
    pub python_include: Vec<String>,
    /// Python functions not to profile in.
    #[serde(deserialize_with = "lenient::list")]
    pub python_exclude: Vec<String>,
    /// How ncu collects what does not fit into one pass.
    pub replay_mode: ReplayMode,
    /// How strictly the kernels of several runs have to agree; `strict` if not given, whatever ncu's own default is.
    pub app_replay_mode: Option<AppReplayMode>,
    /// By what the kernels of several runs are found again.
    pub app_replay_match: Option<AppReplayMatch>,
    /// Where the data of finished runs waits.
    pub app_replay_buffer: Option<AppReplayBuffer>,
    /// What range replay does beyond, or leaves out.
    #[serde(deserialize_with = "lenient::words")]
    pub range_replay_options: Vec<RangeReplayOption>,
    /// What a CUDA graph becomes.
    pub graph_profiling: Option<GraphProfiling>,
    /// What happens to the caches before each pass.
    pub cache_control: CacheControl,
    /// What happens to the clocks of the device.
    pub clock_control: ClockControl,
    /// What happens to the clock of the tensor cores.
    pub pipeline_boost_state: Pinned<PipelineBoostState>,
    /// Whether names of kernels are shortened and renamed.
    pub rename_kernels: Pinned<bool>,
    /// Whether the new names are written to a file.
    pub rename_kernels_export: Option<bool>,
    /// The file with new names.
    #[serde(deserialize_with = "lenient::text")]
    pub rename_kernels_path: Option<String>,
    /// Interval of PM sampling; 0 leaves it to ncu.
    pub pm_sampling_interval: Option<u64>,
    /// Memory for PM sampling in bytes; 0 leaves it to ncu.
    pub pm_sampling_buffer_size: Option<u64>,
    /// Passes for PM sampling at most; 0 leaves it to ncu.
    pub pm_sampling_max_passes: Option<u64>,
    /// Interval of warp sampling, 0 to 31 or `auto`.
    #[serde(deserialize_with = "lenient::text")]
    pub warp_sampling_interval: Option<String>,
    /// Passes for warp sampling at most.
    pub warp_sampling_max_passes: Option<u64>,
    /// Memory for warp samples in bytes.
    pub warp_sampling_buffer_size: Option<u64>,
    /// Warp samples in one interval; 0 leaves it to ncu.
    pub warp_samples_per_interval: Option<u64>,
    /// Whether warps are not sampled along with PM sampling.
    pub disable_pm_warp_sampling: bool,
    /// Whether source files are put into the report.
    pub import_source: Option<bool>,
    /// Folders with source files.
    #[serde(deserialize_with = "lenient::list")]
    pub source_folders: Vec<String>,
    /// Whether device code is put into the report.
    pub import_sass: Option<bool>,
    /// Whether call stacks are collected.
    pub call_stack: bool,
    /// Which call stacks.
    #[serde(deserialize_with = "lenient::words")]
    pub call_stack_type: Vec<CallStackType>,
    /// How several ncu, or several processes, agree on what to do next.
    pub communicator: Option<Communicator>,
    /// How many ncu there are.
    pub communicator_tcp_num_peers: Option<u32>,
    /// The host of the first ncu.
    #[serde(deserialize_with = "lenient::text")]
    pub communicator_tcp_hostname: Option<String>,
    /// Its port.
    pub communicator_tcp_port: Option<u16>,
    /// How many processes there are.
    pub communicator_shmem_num_peers: Option<u32>,
    /// Whether kernels of all ranks start together.
    pub lockstep_kernel_launch: bool,
    /// ncu's expressions for the ranges in which they do.
    #[serde(deserialize_with = "lenient::list")]
    pub lockstep_nvtx_include: Vec<String>,
    /// ncu's expressions for the ranges in which they do not.
    #[serde(deserialize_with = "lenient::list")]
    pub lockstep_nvtx_exclude: Vec<String>,
    /// Into how many groups the metrics are divided.
    pub metric_distribution_groups: Option<u32>,
    /// The part of this ncu under the multi-process service.
    pub mps: Option<Mps>,
    /// How many clients the control process waits for.
    pub mps_num_clients: Option<u32>,
    /// How long it waits, in seconds.
    pub mps_timeout: Option<u32>,
    /// Whether ncu ends with the program's exit code.
    pub check_exit_code: Option<bool>,
    /// Whether the program is ended when `launch_count` is reached.
    pub kill: Option<bool>,
    /// Whether the program reads nothing.
    pub null_stdin: bool,
    /// Whether ncu passes SIGINT and SIGTERM on to the program.
    pub forward_signals: bool,
    /// A library to load before ncu's own.
    #[serde(deserialize_with = "lenient::text")]
    pub preload_library: Option<String>,
    /// Whether a report that exists is written over.
    pub force_overwrite: bool,
    /// What is made of the report; not ncu's business.
    pub export: ExportOptions,
    /// The kind of report.
    pub report_format: ReportFormat,
    /// Further options, as they are.
    #[serde(deserialize_with = "lenient::list")]
    pub extra_args: Vec<String>,
}

/// Which ranges are looked at, in rangescope's own selectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NvtxOptions {
    /// Regions to profile; none means everything.
    #[serde(deserialize_with = "lenient::list")]
    pub include: Vec<String>,
    /// Regions not to profile.
    #[serde(deserialize_with = "lenient::list")]
    pub exclude: Vec<String>,
    /// Whose push/pop ranges count for a launch.
    pub push_pop_scope: Option<PushPopScope>,
}

/// What is made of the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportOptions {
    /// Whether ncu's raw page is written as CSV.
    pub csv: bool,
}
