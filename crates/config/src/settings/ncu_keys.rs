//! The table of Nsight Compute's keys: one for every option that can matter to a capture.
//!
//! A key is called as its option, with underscores; the few exceptions are listed by the test of this module. Versions are those in which an option was first seen.

use super::keys::KeyInfo;
use super::kind::{COUNT, Kind};

const fn key(path: &'static str, kind: Kind, help: &'static str) -> KeyInfo {
    KeyInfo::new(path, kind, help)
}

/// A count, zero included.
const N0: Kind = Kind::Int { min: 0, max: COUNT };
/// A count from one on.
const N1: Kind = Kind::Int { min: 1, max: COUNT };
/// Sizes in bytes exceed what counts may be.
const BYTES: Kind = Kind::Int { min: 0, max: i64::MAX };

/// Defines keys below `pipeline.ncu.ncu_cli`.
macro_rules! cli {
    ($name:literal, $kind:expr, $option:literal, $help:literal) => {
        key(concat!("pipeline.ncu.ncu_cli.", $name), $kind, $help).ncu($option)
    };
}

#[rustfmt::skip]
pub(super) const KEYS: &[KeyInfo] = &[
    key("pipeline.ncu.enable", Kind::Bool, "Run Nsight Compute"),
    key("pipeline.ncu.gating_nvtx", Kind::Bool, "Profile only inside the chosen regions"),
    key("pipeline.ncu.description", Kind::Text, "What the preset is for").or_null(),
    key("pipeline.ncu.executable", Kind::Text, "The ncu to run"),
    key("pipeline.ncu.from_top_kernels", Kind::Text, "Profile only the kernels of a list: `nsys`, or a file of `rangescope top-kernels`").or_null(),
    // What to measure.
    cli!("set", Kind::Text, "--set", "A set of sections").or_null(),
    cli!("sections", Kind::Names, "--section", "Sections: identifiers, or `regex:`").or_null(),
    cli!("metrics", Kind::Names, "--metrics", "Metrics").or_null(),
    cli!("disable_extra_suffixes", Kind::Bool, "--disable-extra-suffixes", "Collect only the suffixes that were asked for").since("2024.1"),
    cli!("section_folder", Kind::Texts, "--section-folder", "Folders with section files"),
    cli!("section_folder_recursive", Kind::Texts, "--section-folder-recursive", "The same, with the folders below"),
    cli!("apply_rules", Kind::Bool, "--apply-rules", "Whether ncu's rules are applied").or_null(),
    cli!("rule", Kind::Names, "--rule", "The rules to apply; empty is all"),
    // Where.
    cli!("nvtx.include", Kind::Regions, "--nvtx-include", "Regions to profile; null is everything").planned().or_null(),
    cli!("nvtx.exclude", Kind::Regions, "--nvtx-exclude", "Regions to leave out; wins over include").planned().or_null(),
    cli!("nvtx.push_pop_scope", Kind::Choice(&["thread", "process"]), "--nvtx-push-pop-scope", "Whose push/pop ranges a launch is in").or_null().since("2025.2"),
    cli!("range_filter", Kind::Text, "--range-filter", "Instances of ranges to profile").or_null().since("2024.1"),
    // Which.
    cli!("kernel_name", Kind::Text, "--kernel-name", "ncu's own kernel filter: a name, or `regex:`").planned().or_null(),
    cli!("kernel_name_base", Kind::Choice(&["function", "demangled", "mangled"]), "--kernel-name-base", "The name that kernel filters are for"),
    cli!("kernel_include", Kind::Patterns, "--kernel-name", "Kernels to take: names, `glob:`, `regex:`").planned(),
    cli!("kernel_exclude", Kind::Patterns, "--kernel-name", "Kernels to leave out; wins").planned(),
    cli!("kernel_id", Kind::Text, "--kernel-id", "ncu's kernel identifier").or_null(),
    cli!("launch_skip", N0, "--launch-skip", "Matching launches to skip").or_null(),
    cli!("launch_count", N1, "--launch-count", "Matching launches to profile").or_null(),
    cli!("launch_skip_before_match", N0, "--launch-skip-before-match", "Launches to skip before any is matched").or_null(),
    cli!("filter_mode", Kind::Choice(&["global", "per-gpu", "per-launch-config"]), "--filter-mode", "How launches are counted").or_null().newer(&[("per-launch-config", "2024.1")]),
    cli!("devices", Kind::Texts, "--devices", "Devices to profile, by number; empty is all"),
    cli!("target_processes", Kind::Choice(&["all", "application-only"]), "--target-processes", "Processes to profile"),
    cli!("target_processes_filter", Kind::Patterns, "--target-processes-filter", "Names of processes to profile"),
    cli!("profile_from_start", Kind::Bool, "--profile-from-start", "Profile from the start, or from cudaProfilerStart on").or_null(),
    cli!("disable_profiler_start_stop", Kind::Bool, "--disable-profiler-start-stop", "Ignore cudaProfilerStart and cudaProfilerStop"),
    cli!("native_include", Kind::Patterns, "--native-include", "Call stacks of C and C++ to profile").since("2025.2"),
    cli!("native_exclude", Kind::Patterns, "--native-exclude", "Call stacks of C and C++ to leave out").since("2025.2"),
    cli!("python_include", Kind::Patterns, "--python-include", "Call stacks of Python to profile").since("2025.2"),
    cli!("python_exclude", Kind::Patterns, "--python-exclude", "Call stacks of Python to leave out").since("2025.2"),
    // How.
    cli!("replay_mode", Kind::Choice(&["kernel", "application", "range", "app-range"]), "--replay-mode", "What is repeated to collect all counters").newer(&[("app-range", "2024.1")]),
    cli!("app_replay_mode", Kind::Choice(&["strict", "relaxed", "balanced"]), "--app-replay-mode", "Application replay: order of kernels").or_null().newer(&[("balanced", "2025.2")]),
    cli!("app_replay_match", Kind::Choice(&["name", "grid", "all"]), "--app-replay-match", "Application replay: how kernels are matched").or_null(),
    cli!("app_replay_buffer", Kind::Choice(&["file", "memory"]), "--app-replay-buffer", "Application replay: where results wait").or_null(),
    cli!("range_replay_options", Kind::Choices(&["enable-greedy-sync", "disable-host-restore", "disable-host-save", "disable-dependent-kernel-detection"]), "--range-replay-options", "Range replay").newer(&[("disable-host-save", "2025.4"), ("disable-dependent-kernel-detection", "2025.4")]),
    cli!("graph_profiling", Kind::Choice(&["node", "graph"]), "--graph-profiling", "CUDA graphs: their kernels, or the whole").or_null().since("2024.1"),
    // Conditions.
    cli!("cache_control", Kind::Choice(&["all", "none"]), "--cache-control", "Flush caches before every pass"),
    cli!("clock_control", Kind::Choice(&["base", "boost", "force-boost", "none"]), "--clock-control", "Clocks").newer(&[("boost", "2026.1"), ("force-boost", "2026.1")]),
    cli!("pipeline_boost_state", Kind::Choice(&["stable", "dynamic"]), "--pipeline-boost-state", "Boost of the tensor cores").or_null().since("2025.2"),
    cli!("rename_kernels", Kind::Bool, "--rename-kernels", "Shorten and rename kernels").or_null().since("2025.2"),
    cli!("rename_kernels_export", Kind::Bool, "--rename-kernels-export", "Write the file of new names").or_null().since("2025.2"),
    cli!("rename_kernels_path", Kind::Text, "--rename-kernels-path", "The file of new names").or_null().since("2025.2"),
    // Sampling.
    cli!("pm_sampling_interval", N0, "--pm-sampling-interval", "PM sampling: interval, 0 is automatic").or_null().since("2024.1"),
    cli!("pm_sampling_buffer_size", BYTES, "--pm-sampling-buffer-size", "PM sampling: buffer in bytes").or_null().since("2024.1"),
    cli!("pm_sampling_max_passes", N0, "--pm-sampling-max-passes", "PM sampling: passes").or_null().since("2024.1"),
    cli!("warp_sampling_interval", Kind::IntOr { max: 31, word: "auto" }, "--warp-sampling-interval", "Warp sampling: interval").or_null().since("2024.1"),
    cli!("warp_sampling_max_passes", N0, "--warp-sampling-max-passes", "Warp sampling: passes").or_null().since("2024.1"),
    cli!("warp_sampling_buffer_size", BYTES, "--warp-sampling-buffer-size", "Warp sampling: buffer in bytes").or_null().since("2024.1"),
    cli!("warp_samples_per_interval", N0, "--warp-samples-per-interval", "Warp sampling: samples per interval, 0 is automatic").or_null().since("2026.1"),
    cli!("disable_pm_warp_sampling", Kind::Bool, "--disable-pm-warp-sampling", "No warp samples in PM sampling").since("2026.1"),
    // Source.
    cli!("import_source", Kind::Bool, "--import-source", "Put the CUDA source into the report").or_null(),
    cli!("source_folders", Kind::Texts, "--source-folders", "Where the source is looked for").since("2024.1"),
    cli!("import_sass", Kind::Bool, "--import-sass", "Put the machine code into the report").or_null().since("2025.3"),
    cli!("call_stack", Kind::Bool, "--call-stack", "Record call stacks"),
    cli!("call_stack_type", Kind::Choices(&["native", "python"]), "--call-stack-type", "Kinds of call stacks").since("2025.2"),
    // Several processes.
    cli!("communicator", Kind::Choice(&["none", "tcp", "shmem"]), "--communicator", "How the ncu of every process finds the others").or_null().since("2026.1"),
    cli!("communicator_tcp_num_peers", N1, "--communicator-tcp-num-peers", "TCP: number of peers").or_null().since("2026.1"),
    cli!("communicator_tcp_hostname", Kind::Text, "--communicator-tcp-hostname", "TCP: host").or_null().since("2026.1"),
    cli!("communicator_tcp_port", Kind::Int { min: 1, max: 65_535 }, "--communicator-tcp-port", "TCP: port").or_null().since("2026.1"),
    cli!("communicator_shmem_num_peers", N1, "--communicator-shmem-num-peers", "Shared memory: number of processes").or_null().since("2026.1"),
    cli!("lockstep_kernel_launch", Kind::Bool, "--lockstep-kernel-launch", "Launch kernels of all processes together").since("2026.1"),
    cli!("lockstep_nvtx_include", Kind::Patterns, "--lockstep-nvtx-include", "Ranges in which that holds, as expressions of ncu").since("2026.1"),
    cli!("lockstep_nvtx_exclude", Kind::Patterns, "--lockstep-nvtx-exclude", "Ranges in which that does not hold").since("2026.1"),
    cli!("metric_distribution_groups", N1, "--metric-distribution-groups", "Split the metrics over groups of GPUs").or_null().since("2026.1"),
    cli!("mps", Kind::Choice(&["none", "client", "primary-client", "control"]), "--mps", "MPS: the role of this ncu").or_null().since("2025.4"),
    cli!("mps_num_clients", N1, "--mps-num-clients", "MPS: number of clients").or_null().since("2025.4"),
    cli!("mps_timeout", N0, "--mps-timeout", "MPS: time-out").or_null().since("2025.4"),
    // The program.
    cli!("check_exit_code", Kind::Bool, "--check-exit-code", "Report the program's exit code").or_null(),
    cli!("kill", Kind::Bool, "--kill", "End the program when `launch_count` is reached").or_null(),
    cli!("null_stdin", Kind::Bool, "--null-stdin", "Give the program no standard input"),
    cli!("forward_signals", Kind::Bool, "--forward-signals", "Let ncu pass signals on to the program").since("2025.4"),
    cli!("preload_library", Kind::Text, "--preload-library", "A library to load before ncu's own").or_null().since("2024.1"),
    // Output.
    cli!("force_overwrite", Kind::Bool, "--force-overwrite", "Replace existing files"),
    cli!("report_format", Kind::Choice(&["ncu-rep", "ncu-repz"]), "--export", "The kind of report, by its extension").newer(&[("ncu-repz", "2026.3")]),
    key("pipeline.ncu.ncu_cli.export.csv", Kind::Bool, "Write ncu's raw page as CSV beside the report"),
    key("pipeline.ncu.ncu_cli.extra_args", Kind::Texts, "Further options, passed as they are"),
];
