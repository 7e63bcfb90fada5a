//! The table of ncu's options: one row for every option that can matter to a capture, in the order in which a command line has them.
//!
//! A key is called as its option, with underscores; the few exceptions are listed by a test. A field that may be absent leaves the matter to ncu then. Where ncu's own choice
//! changed between versions the default is a value, so that one configuration means the same with every ncu. How an option is written follows from the type: a `bool` is a switch,
//! an `Option<bool>` is `on` or `off`, a list repeats the option unless it is joined.

use super::values::{
    CacheControl, ClockControl, Communicator, FilterMode, GraphProfiling, Mps, PipelineBoostState,
    ReportKind, TargetProcesses,
};
use crate::settings::kind::{COUNT, Kind};
use crate::settings::section::{Pinned, section};
use crate::version::{Since, Version, new_in, seen_in};
use rangescope_model::KernelNameBase;
use rangescope_model::ReplayMode;

const N0: Kind = Kind::Int { min: 0, max: COUNT };
const N1: Kind = Kind::Int { min: 1, max: COUNT };
/// Sizes in bytes exceed what counts may be.
const BYTES: Kind = Kind::Int { min: 0, max: i64::MAX };

section! {
    /// The command line of ncu.
    #[derive(Default)]
    NcuOptions "pipeline.ncu.ncu_cli." {
        // Which processes, and how they are measured.
        target_processes: TargetProcesses, Kind::Choice(TargetProcesses::WORDS), "Processes to profile" => option("target-processes");
        target_processes_filter: Vec<String>, Kind::Patterns, "Names of processes to profile" => option("target-processes-filter").joined();
        replay_mode: ReplayMode, Kind::Choice(ReplayMode::WORDS), "What is repeated to collect all counters" => option("replay-mode").newer(&[("app-range", seen_in(2024, 1))]);
        cache_control: CacheControl, Kind::Choice(CacheControl::WORDS), "Flush caches before every pass" => option("cache-control");
        clock_control: ClockControl, Kind::Choice(ClockControl::WORDS), "Clocks" => option("clock-control").newer(&[("boost", new_in(2026, 1)), ("force-boost", new_in(2026, 1))]);
        rename_kernels: Pinned<bool>, Kind::Bool, "Shorten and rename kernels" => option("rename-kernels").since(new_in(2025, 2));
        pipeline_boost_state: Pinned<PipelineBoostState>, Kind::Choice(PipelineBoostState::WORDS), "Boost of the tensor cores" => option("pipeline-boost-state").since(seen_in(2025, 2));
        app_replay_mode: Option<&'static str>, Kind::Choice(&["strict", "relaxed", "balanced"]), "Application replay: order of kernels; null is strict" => option("app-replay-mode").newer(&[("balanced", seen_in(2025, 2))]).needs("replay_mode=application");
        app_replay_match: Option<&'static str>, Kind::Choice(&["name", "grid", "all"]), "Application replay: how kernels are matched" => option("app-replay-match").needs("replay_mode=application");
        app_replay_buffer: Option<&'static str>, Kind::Choice(&["file", "memory"]), "Application replay: where results wait" => option("app-replay-buffer").needs("replay_mode=application");
        range_replay_options: Vec<&'static str>, Kind::Choices(&["enable-greedy-sync", "disable-host-restore", "disable-host-save", "disable-dependent-kernel-detection"]), "Range replay" => option("range-replay-options").joined().newer(&[("disable-host-save", seen_in(2025, 4)), ("disable-dependent-kernel-detection", seen_in(2025, 4))]).needs("replay_mode=range");
        graph_profiling: Option<GraphProfiling>, Kind::Choice(GraphProfiling::WORDS), "CUDA graphs: their kernels, or the whole" => option("graph-profiling").since(seen_in(2024, 1));
        port: Option<u64>, Kind::Int { min: 1, max: 65_535 }, "First port for the connections of ncu to the program" => option("port").short('p');
        max_connections: Option<u64>, N1, "Number of ports for the connections of ncu to the program" => option("max-connections");
        // Where.
        nvtx_include as "nvtx.include": Vec<String>, Kind::Regions, "Regions to profile; null is everything" => option("nvtx-include").planned().or_null();
        nvtx_exclude as "nvtx.exclude": Vec<String>, Kind::Regions, "Regions to leave out; wins over include" => option("nvtx-exclude").planned().or_null();
        nvtx_push_pop_scope as "nvtx.push_pop_scope": Option<&'static str>, Kind::Choice(&["thread", "process"]), "Whose push/pop ranges a launch is in" => option("nvtx-push-pop-scope").since(seen_in(2025, 2));
        range_filter: Option<String>, Kind::Text, "Instances of ranges to profile" => option("range-filter").since(seen_in(2024, 1));
        // Which.
        kernel_name_base: KernelNameBase, Kind::Choice(KernelNameBase::WORDS), "The name that kernel filters are for" => option("kernel-name-base");
        kernel_name: Option<String>, Kind::Text, "ncu's own kernel filter: a name, or `regex:`" => option("kernel-name").short('k').planned();
        kernel_include: Vec<String>, Kind::Patterns, "Kernels to take: names, `glob:`, `regex:`" => option("kernel-name").joined().planned();
        kernel_exclude: Vec<String>, Kind::Patterns, "Kernels to leave out; wins" => option("kernel-name").joined().planned();
        kernel_id: Option<String>, Kind::Text, "ncu's kernel identifier" => option("kernel-id");
        launch_skip: Option<u64>, N0, "Matching launches to skip" => option("launch-skip").short('s');
        launch_count: Option<u64>, N1, "Matching launches to profile" => option("launch-count").short('c');
        launch_skip_before_match: Option<u64>, N0, "Launches to skip before any is matched" => option("launch-skip-before-match");
        filter_mode: Option<FilterMode>, Kind::Choice(FilterMode::WORDS), "How launches are counted" => option("filter-mode").newer(&[("per-launch-config", seen_in(2024, 1))]);
        devices: Vec<String>, Kind::Texts, "Devices to profile, by number; empty is all" => option("devices").joined();
        profile_from_start: Option<bool>, Kind::Bool, "Profile from the start, or from cudaProfilerStart on" => option("profile-from-start");
        disable_profiler_start_stop: bool, Kind::Bool, "Ignore cudaProfilerStart and cudaProfilerStop" => option("disable-profiler-start-stop");
        native_include: Vec<String>, Kind::Patterns, "Call stacks of C and C++ to profile" => option("native-include").since(seen_in(2025, 2));
        native_exclude: Vec<String>, Kind::Patterns, "Call stacks of C and C++ to leave out" => option("native-exclude").since(seen_in(2025, 2));
        python_include: Vec<String>, Kind::Patterns, "Call stacks of Python to profile" => option("python-include").since(seen_in(2025, 2));
        python_exclude: Vec<String>, Kind::Patterns, "Call stacks of Python to leave out" => option("python-exclude").since(seen_in(2025, 2));
        // What.
        section_folder: Vec<String>, Kind::Texts, "Folders with section files" => option("section-folder");
        section_folder_recursive: Vec<String>, Kind::Texts, "The same, with the folders below" => option("section-folder-recursive");
        set: Option<String>, Kind::Text, "A set of sections" => option("set");
        sections: Vec<String>, Kind::Names, "Sections: identifiers, or `regex:`" => option("section").or_null();
        metrics: Vec<String>, Kind::Names, "Metrics" => option("metrics").joined().or_null();
        disable_extra_suffixes: bool, Kind::Bool, "Collect only the suffixes that were asked for" => option("disable-extra-suffixes").since(seen_in(2024, 1));
        apply_rules: Option<bool>, Kind::Bool, "Whether ncu's rules are applied" => option("apply-rules");
        rule: Vec<String>, Kind::Names, "The rules to apply; empty is all" => option("rule");
        // Sampling.
        pm_sampling_interval: Option<u64>, N0, "PM sampling: interval, 0 is automatic" => option("pm-sampling-interval").since(seen_in(2024, 1));
        pm_sampling_buffer_size: Option<u64>, BYTES, "PM sampling: buffer in bytes" => option("pm-sampling-buffer-size").since(seen_in(2024, 1));
        pm_sampling_max_passes: Option<u64>, N0, "PM sampling: passes" => option("pm-sampling-max-passes").since(seen_in(2024, 1));
        warp_sampling_interval: Option<String>, Kind::IntOr { max: 31, word: "auto" }, "Warp sampling: interval" => option("warp-sampling-interval").since(seen_in(2024, 1));
        warp_sampling_max_passes: Option<u64>, N0, "Warp sampling: passes" => option("warp-sampling-max-passes").since(seen_in(2024, 1));
        warp_sampling_buffer_size: Option<u64>, Kind::Int { min: 1024, max: i64::MAX }, "Warp sampling: buffer in bytes" => option("warp-sampling-buffer-size").since(seen_in(2024, 1));
        warp_samples_per_interval: Option<u64>, N0, "Warp sampling: samples per interval, 0 is automatic" => option("warp-samples-per-interval").since(new_in(2026, 1));
        disable_pm_warp_sampling: bool, Kind::Bool, "No warp samples in PM sampling" => option("disable-pm-warp-sampling").since(new_in(2026, 1));
        // Several processes.
        communicator: Option<Communicator>, Kind::Choice(Communicator::WORDS), "How the ncu of every process finds the others" => option("communicator").since(new_in(2026, 1));
        communicator_tcp_num_peers: Option<u64>, N1, "TCP: number of peers" => option("communicator-tcp-num-peers").since(new_in(2026, 1)).needs("communicator=tcp");
        communicator_tcp_hostname: Option<String>, Kind::Text, "TCP: host" => option("communicator-tcp-hostname").since(new_in(2026, 1)).needs("communicator=tcp");
        communicator_tcp_port: Option<u64>, Kind::Int { min: 1, max: 65_535 }, "TCP: port" => option("communicator-tcp-port").since(new_in(2026, 1)).needs("communicator=tcp");
        communicator_shmem_num_peers: Option<u64>, N1, "Shared memory: number of processes" => option("communicator-shmem-num-peers").since(new_in(2026, 1)).needs("communicator=shmem");
        lockstep_kernel_launch: bool, Kind::Bool, "Launch kernels of all processes together" => option("lockstep-kernel-launch").since(new_in(2026, 1)).needs("communicator");
        lockstep_nvtx_include: Vec<String>, Kind::Patterns, "Ranges in which that holds, as expressions of ncu" => option("lockstep-nvtx-include").since(new_in(2026, 1)).needs("lockstep_kernel_launch=true");
        lockstep_nvtx_exclude: Vec<String>, Kind::Patterns, "Ranges in which that does not hold" => option("lockstep-nvtx-exclude").since(new_in(2026, 1)).needs("lockstep_kernel_launch=true");
        metric_distribution_groups: Option<u64>, N1, "Split the metrics over groups of GPUs" => option("metric-distribution-groups").since(new_in(2026, 1));
        mps: Option<Mps>, Kind::Choice(Mps::WORDS), "MPS: the role of this ncu" => option("mps").since(seen_in(2025, 4));
        mps_num_clients: Option<u64>, N1, "MPS: number of clients" => option("mps-num-clients").since(seen_in(2025, 4));
        mps_timeout: Option<u64>, N0, "MPS: time-out" => option("mps-timeout").since(seen_in(2025, 4));
        // Names and source.
        rename_kernels_export: Option<bool>, Kind::Bool, "Write the file of new names" => option("rename-kernels-export").since(new_in(2025, 2));
        rename_kernels_path: Option<String>, Kind::Text, "The file of new names" => option("rename-kernels-path").since(new_in(2025, 2));
        import_source: Option<bool>, Kind::Bool, "Put the CUDA source into the report" => option("import-source");
        source_folders: Vec<String>, Kind::Texts, "Where the source is looked for" => option("source-folders").joined().since(seen_in(2024, 1)).needs("import_source=true");
        import_sass: Option<bool>, Kind::Bool, "Put the machine code into the report" => option("import-sass").since(new_in(2025, 3));
        call_stack: bool, Kind::Bool, "Record call stacks" => option("call-stack");
        call_stack_type: Vec<&'static str>, Kind::Choices(&["native", "python"]), "Kinds of call stacks" => option("call-stack-type").since(seen_in(2025, 2));
        // The program.
        check_exit_code: Option<bool>, Kind::Bool, "Report the program's exit code" => option("check-exit-code");
        kill: Option<bool>, Kind::Bool, "End the program when `launch_count` is reached" => option("kill").needs("launch_count");
        null_stdin: bool, Kind::Bool, "Give the program no standard input" => option("null-stdin");
        forward_signals: bool, Kind::Bool, "Let ncu pass signals on to the program" => option("forward-signals").since(seen_in(2025, 4));
        preload_library: Option<String>, Kind::Text, "A library to load before ncu's own" => option("preload-library").since(seen_in(2024, 1));
        // Output.
        force_overwrite: bool, Kind::Bool, "Replace existing files" => option("force-overwrite").short('f');
        report_format: ReportKind, Kind::Choice(ReportKind::WORDS), "The kind of report, by its extension" => option("export").short('o').newer(&[("ncu-repz", new_in(2026, 3))]);
        export_csv as "export.csv": bool, Kind::Bool, "Write ncu's raw page as CSV beside the report";
        extra_args: Vec<String>, Kind::Texts, "Further options, passed as they are";
    }
}

/// Given without being asked for to an ncu that has it, so it is not a key.
const UNASKED: (&str, Since) = ("config-file", seen_in(2024, 1));

impl NcuOptions {
    /// The newest ncu of which anything is known; what is planned without an ncu at hand is planned for it.
    pub fn newest_known() -> Version {
        let options = || Self::KEYS.iter().filter_map(|key| key.option.as_ref());
        let values =
            options().flat_map(|option| option.newer_values.iter().map(|(_, since)| since));
        let known = options().filter_map(|option| option.since.as_ref()).chain(values);
        known.map(|since| since.version).fold(UNASKED.1.version, Version::max)
    }

    /// Which ncu has an option, given without dashes, or one value of it; `None` where every supported one has it, or none is known.
    pub fn since(option: &str, value: Option<&str>) -> Option<Since> {
        if option == UNASKED.0 {
            return Some(UNASKED.1);
        }
        let known = Self::KEYS.iter().filter_map(|key| key.option.as_ref());
        let mut known = known.filter(|known| known.name == option);
        match value {
            None => known.next()?.since,
            Some(value) => {
                let mut newer = known.flat_map(|known| known.newer_values);
                newer.find(|(word, _)| *word == value).map(|(_, since)| *since)
            }
        }
    }
}
