//! The meaning of a command line, and its refusal. Checks run in the order of real ncu as far as it can be observed, so that the same one fails first.

use std::ffi::OsString;

use ncu_rep::filter::NvtxFilter;

use super::filters::{Devices, KernelId, ProcessFilter, RangeFilter};
use super::parse::Parsed;
use super::pattern::Pattern;
use super::program;
use super::refusal::Refusal;
use rangescope_model::KernelNameBase;
use rangescope_model::words::Word;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Replay {
    Kernel,
    Application,
    Range,
    AppRange,
}

impl Replay {
    /// Results are ranges.
    pub(super) fn is_range(self) -> bool {
        matches!(self, Self::Range | Self::AppRange)
    }

    /// The whole program would be repeated.
    pub(super) fn is_application(self) -> bool {
        matches!(self, Self::Application | Self::AppRange)
    }
}

/// The launches that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterMode {
    Global,
    PerDevice,
    PerShape,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "these are switches of a command line")]
pub(super) struct Settings {
    pub(super) nvtx: bool,
    pub(super) ranges: NvtxFilter,
    pub(super) range_filter: Option<RangeFilter>,
    pub(super) kernel_name: Option<Pattern>,
    pub(super) kernel_id: Option<KernelId>,
    pub(super) name_base: KernelNameBase,
    pub(super) skip: u64,
    pub(super) skip_before_match: u64,
    pub(super) count: Option<u64>,
    pub(super) filter_mode: FilterMode,
    pub(super) devices: Devices,
    pub(super) all_processes: bool,
    pub(super) process_filter: ProcessFilter,
    pub(super) kill: bool,
    pub(super) replay: Replay,
    pub(super) whole_graphs: bool,
    /// Otherwise nothing is profiled, because the program cannot call cudaProfilerStart here.
    pub(super) from_start: bool,
    /// Put the texts of sources into the report.
    pub(super) import_source: bool,
    pub(super) check_exit_code: bool,
    pub(super) null_stdin: bool,
    pub(super) export: Option<OsString>,
    pub(super) overwrite: bool,
    pub(super) program: Vec<OsString>,
}

const RANGE_WARNING: &str = "Please consult the documentation for current range-based replay mode limitations and requirements.";
const NVTX_HELP: &str = "Refer https://docs.nvidia.com/nsight-compute/NsightComputeCli/index.html#nvtx-filtering for NVTX Filtering usage.";

impl Settings {
    pub(super) fn read(parsed: &Parsed) -> Result<Self, Refusal> {
        let replay = match parsed.text("replay-mode") {
            Some("application") => Replay::Application,
            Some("range") => Replay::Range,
            Some("app-range") => Replay::AppRange,
            _ => Replay::Kernel,
        };
        check_counts(parsed)?;
        check_output(parsed)?;
        check_replay(parsed, replay)?;
        let range_filter = parsed.text("range-filter").map(RangeFilter::parse).transpose()?;
        if let Some(filter) = &range_filter {
            filter.check(
                !parsed.texts("nvtx-include").is_empty(),
                parsed.has("disable-profiler-start-stop"),
            )?;
        }
        let devices = Devices::parse(parsed.text("devices"))?;
        let kernel_id = parsed
            .text("kernel-id")
            .map(|text| KernelId::parse(text, parsed.has("nvtx")))
            .transpose()?;
        let kernel_name =
            parsed.text("kernel-name").map(|text| pattern("kernel", text)).transpose()?;
        for section in parsed.texts("section") {
            pattern("section", &section)?;
        }
        for metric in parsed.text("metrics").unwrap_or_default().split(',') {
            pattern("metrics", metric)?;
        }
        check_rest(parsed)?;
        program::check(&parsed.program)?;
        let ranges = read_ranges(parsed, replay)?;
        Ok(Self {
            nvtx: parsed.has("nvtx"),
            ranges,
            range_filter,
            kernel_name,
            kernel_id,
            // The default is that of ncu, not of rangescope.
            name_base: parsed
                .text("kernel-name-base")
                .and_then(KernelNameBase::from_word)
                .unwrap_or(KernelNameBase::Function),
            skip: parsed.number("launch-skip").unwrap_or(0),
            skip_before_match: parsed.number("launch-skip-before-match").unwrap_or(0),
            count: parsed.number("launch-count"),
            filter_mode: match parsed.text("filter-mode") {
                Some("per-gpu") => FilterMode::PerDevice,
                Some("per-launch-config") => FilterMode::PerShape,
                _ => FilterMode::Global,
            },
            devices,
            all_processes: parsed.text("target-processes") != Some("application-only"),
            process_filter: ProcessFilter::parse(
                parsed.text("target-processes-filter").unwrap_or_default(),
            )?,
            kill: parsed.switch("kill").unwrap_or(false),
            replay,
            whole_graphs: parsed.text("graph-profiling") == Some("graph"),
            from_start: parsed.switch("profile-from-start").unwrap_or(true)
                || parsed.has("disable-profiler-start-stop"),
            import_source: parsed.switch("import-source") == Some(true),
            check_exit_code: parsed.switch("check-exit-code").unwrap_or(true),
            null_stdin: parsed.has("null-stdin"),
            export: parsed
                .path("export")
                .filter(|path| !path.is_empty())
                .map(std::ffi::OsStr::to_owned),
            overwrite: parsed.has("force-overwrite"),
            program: parsed.program.clone(),
        })
    }

    /// Said before the program is run.
    pub(super) fn warning(&self) -> Option<&'static str> {
        self.replay.is_range().then_some(RANGE_WARNING)
    }
}

fn pattern(option: &str, text: &str) -> Result<Pattern, Refusal> {
    Pattern::parse(text).map_err(|complaint| {
        Refusal::new(format!("Invalid regex provided to --{option} option. {complaint}"))
    })
}

fn check_counts(parsed: &Parsed) -> Result<(), Refusal> {
    if parsed.number("launch-count") == Some(0) {
        return Err(Refusal::new("Please specify non-zero launch count."));
    }
    if parsed.switch("kill") == Some(true) && !parsed.has("launch-count") {
        return Err(Refusal::new("--kill cannot be used when launch count is zero."));
    }
    Ok(())
}

fn check_output(parsed: &Parsed) -> Result<(), Refusal> {
    if parsed.has("quiet") && !parsed.has("export") {
        return Err(Refusal::new(
            "Option --quiet cannot be used. No output file mentioned, use --export option.",
        ));
    }
    Ok(())
}

fn check_replay(parsed: &Parsed, replay: Replay) -> Result<(), Refusal> {
    let with_kernel = |option: &str| {
        Refusal::new(format!("Option '--{option}' is not supported with '--replay-mode kernel'."))
    };
    for option in ["app-replay-buffer", "app-replay-match", "app-replay-mode"] {
        if !parsed.has(option) {
            continue;
        }
        if replay.is_range() {
            return Err(Refusal::new(format!(
                "Option '--{option}' is not supported with range-based replay modes."
            )));
        }
        if replay == Replay::Kernel {
            return Err(with_kernel(option));
        }
    }
    if parsed.text("app-replay-mode") == Some("relaxed")
        && parsed.text("app-replay-buffer") == Some("memory")
    {
        return Err(Refusal::new(
            "Option '--app-replay-mode relaxed' is not supported with '--app-replay-buffer memory'.",
        ));
    }
    if let Some(options) = parsed.text("range-replay-options") {
        if replay.is_application() {
            return Err(Refusal::new(
                "Option '--range-replay-options' is not supported with '--replay-mode application' or '--replay-mode app-range'.",
            ));
        }
        if replay == Replay::Kernel {
            return Err(with_kernel("range-replay-options"));
        }
        let known = ["enable-greedy-sync", "disable-host-restore"];
        if let Some(option) = options.split(',').find(|option| !known.contains(option)) {
            return Err(Refusal::new(format!("Unsupported range replay option {option}.")));
        }
    }
    if replay.is_range() && parsed.text("filter-mode") == Some("per-launch-config") {
        return Err(Refusal::new(
            "Option '--filter-mode per-launch-config' is not supported with range-based replay modes.",
        ));
    }
    if replay != Replay::Kernel && parsed.text("graph-profiling") == Some("graph") {
        return Err(Refusal::new("Graph-based profiling is only supported with kernel replay."));
    }
    Ok(())
}

fn check_rest(parsed: &Parsed) -> Result<(), Refusal> {
    let refuse = |text: &str| Err(Refusal::new(text));
    if let Some(interval) = parsed.text("warp-sampling-interval").filter(|text| *text != "auto") {
        match interval.parse::<i64>() {
            Ok(0..=31) => {}
            Ok(_) => {
                return refuse(
                    "The value for option --warp-sampling-interval needs to be between 0 and 31.",
                );
            }
            Err(_) => return refuse("Failed to parse options: stoi"),
        }
    }
    if !parsed.has("nvtx") && parsed.text("print-summary") == Some("per-nvtx") {
        return refuse("Use option --nvtx to view per-nvtx summary.");
    }
    if !parsed.has("nvtx") && parsed.text("print-nvtx-rename") == Some("kernel") {
        return refuse("--print-nvtx-rename requires --nvtx");
    }
    if parsed.has("print-source") && parsed.text("page") != Some("source") {
        return refuse("--print-source option requires --page source.");
    }
    if parsed.has("chips") {
        return refuse(
            "Invalid option --chips. Please specify along with one of the --query-metrics options.",
        );
    }
    if parsed.has("rule") && parsed.switch("apply-rules") == Some(false) {
        return refuse("Option --rule cannot be used when --apply-rules is disabled.");
    }
    let is_range = matches!(parsed.text("replay-mode"), Some("range" | "app-range"));
    if is_range && parsed.switch("import-source") == Some(true) {
        return refuse("Option import-source is not supported during range replay.");
    }
    if parsed.has("source-folders") && parsed.switch("import-source") != Some(true) {
        return refuse("--source-folder option requires --import-source on.");
    }
    if let Some(path) = parsed.text("config-file-path")
        && !std::path::Path::new(path).is_file()
    {
        return Err(Refusal::new(format!(
            "Could not open config file to parse the parameters. \"{path}\" is not a regular file."
        )));
    }
    if let Some(path) = parsed.text("preload-library")
        && !std::path::Path::new(path).exists()
    {
        return Err(Refusal::new(format!(
            "Failed to parse options: filesystem error: cannot make canonical path: No such file or directory [{path}]"
        )));
    }
    Ok(())
}

fn read_ranges(parsed: &Parsed, replay: Replay) -> Result<NvtxFilter, Refusal> {
    let include = parsed.texts("nvtx-include");
    let exclude = parsed.texts("nvtx-exclude");
    for (option, given) in [("nvtx-include", &include), ("nvtx-exclude", &exclude)] {
        if !given.is_empty() && !parsed.has("nvtx") {
            return Err(Refusal::new(format!("--{option} requires --nvtx")));
        }
    }
    if replay.is_range() {
        let not_from_start = parsed.switch("profile-from-start") == Some(false);
        for (option, given) in [
            ("kernel-name", parsed.has("kernel-name")),
            ("kernel-id", parsed.has("kernel-id")),
            ("nvtx-exclude", !exclude.is_empty()),
            ("profile-from-start", not_from_start),
        ] {
            if given {
                return Err(Refusal::new(format!(
                    "Option {option} is not supported during range replay."
                ))
                .after(RANGE_WARNING));
            }
        }
    }
    for (option, given) in [("nvtx-include", &include), ("nvtx-exclude", &exclude)] {
        for expression in given {
            NvtxFilter::parse(&[expression], &[] as &[&str]).map_err(|_| {
                let refusal =
                    Refusal::new(format!("Invalid configuration for {option} : {expression}"));
                match expression.strip_prefix("regex:").map(super::pattern::compile) {
                    Some(Err(complaint)) => refusal.and(complaint).and(NVTX_HELP),
                    _ => refusal.and(NVTX_HELP),
                }
            })?;
        }
    }
    NvtxFilter::parse(&include, &exclude).map_err(|error| Refusal::new(error.to_string()))
}
