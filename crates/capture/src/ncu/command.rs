//! The command line of one capture.
//!
//! Pure: everything that depends on the ncu at hand is in [`NcuInfo`]. What changed its default between versions is always given, options are written out,
//! the report has its extension, and nothing stands between the options and the program.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::NcuInfo;
use super::check::{check_combination, check_sections, check_values, require};
use super::error::CommandError;
use super::extra::check_extra;
use super::kernels::kernel_filter;
use super::options::NcuOptions;
use super::pinned::Pinned;
use super::values::{
    AppReplayBuffer, AppReplayMatch, AppReplayMode, Communicator, FilterMode, GraphProfiling, Mps,
    PipelineBoostState, PushPopScope, ReplayMode,
};
use crate::applied::AppliedFilter;

/// Where one capture goes and which ranges it looks at.
#[derive(Clone, Copy, Debug)]
pub struct CaptureTarget<'a> {
    /// The report, with its extension.
    pub report: &'a Path,
    /// Expressions of ncu's own for `--nvtx-include`.
    pub include: &'a [String],
    /// Expressions of ncu's own for `--nvtx-exclude`.
    pub exclude: &'a [String],
}

/// A command line, and which kernel patterns it applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NcuCommand {
    /// The arguments, beginning with the words that start ncu.
    pub argv: Vec<OsString>,
    /// Kernel patterns that ncu applies.
    pub applied_at_capture: Vec<AppliedFilter>,
    /// Kernel patterns that are left for the report.
    pub applied_after: Vec<AppliedFilter>,
}

/// Builds the command line of one capture of a program.
pub fn build_ncu_cmd(
    options: &NcuOptions,
    ncu: &NcuInfo,
    target: &CaptureTarget<'_>,
    program: &[OsString],
) -> Result<NcuCommand, CommandError> {
    check_program(program)?;
    check_combination(options, !target.include.is_empty(), !target.exclude.is_empty())?;
    check_values(options, ncu)?;
    check_sections(options, ncu)?;
    let kernels = kernel_filter(options)?;

    let mut line = Line { ncu, argv: ncu.launcher.clone(), given: Vec::new() };
    line.pin(options)?;
    line.ranges(options, target)?;
    if let Some(value) = &kernels.value {
        line.value("kernel-name-base", options.kernel_name_base.as_str())?;
        line.value("kernel-name", value)?;
    }
    line.filters(options)?;
    line.collected(options)?;
    line.sampling(options)?;
    line.several_processes(options)?;
    line.program_and_report(options)?;
    line.value("export", escape_macros(target.report))?;

    check_extra(&options.extra_args, &line.given, ncu)?;
    let mut argv = line.argv;
    argv.extend(options.extra_args.iter().map(OsString::from));
    argv.extend(program.iter().cloned());
    if let Some(argument) = argv.iter().find(|argument| argument.as_bytes().contains(&0)) {
        return Err(CommandError::ZeroByte { argument: argument.to_string_lossy().into_owned() });
    }
    Ok(NcuCommand { argv, applied_at_capture: kernels.at_capture, applied_after: kernels.after })
}

fn check_program(program: &[OsString]) -> Result<(), CommandError> {
    let first = program.first().filter(|first| !first.is_empty()).ok_or(CommandError::NoProgram)?;
    if first.as_bytes().starts_with(b"-") {
        return Err(CommandError::ProgramIsOption {
            program: first.to_string_lossy().into_owned(),
        });
    }
    Ok(())
}

/// ncu reads `%p` and the like in the name of a report; a path is meant as it is.
fn escape_macros(path: &Path) -> OsString {
    let bytes = path.as_os_str().as_bytes();
    let mut escaped = Vec::with_capacity(bytes.len() + 2);
    if bytes.starts_with(b"-") {
        escaped.extend(b"./");
    }
    for &byte in bytes {
        escaped.push(byte);
        if byte == b'%' {
            escaped.push(byte);
        }
    }
    OsString::from_vec(escaped)
}

/// A command line in the making.
struct Line<'n> {
    ncu: &'n NcuInfo,
    argv: Vec<OsString>,
    /// Long names of the options so far.
    given: Vec<String>,
}

impl Line<'_> {
    /// What has to be the same with every ncu.
    fn pin(&mut self, options: &NcuOptions) -> Result<(), CommandError> {
        if self.ncu.has_option("config-file") {
            // A file in the working folder could otherwise change anything.
            self.value("config-file", "off")?;
        }
        self.value("target-processes", options.target_processes.as_str())?;
        self.joined("target-processes-filter", &options.target_processes_filter)?;
        self.value("replay-mode", options.replay_mode.as_str())?;
        self.value("cache-control", options.cache_control.as_str())?;
        self.value("clock-control", options.clock_control.as_str())?;
        self.pinned("rename-kernels", options.rename_kernels, on_off)?;
        let boost = options.pipeline_boost_state;
        self.pinned("pipeline-boost-state", boost, PipelineBoostState::as_str)?;
        if options.replay_mode == ReplayMode::Application {
            let mode = options.app_replay_mode.unwrap_or(AppReplayMode::Strict);
            self.value("app-replay-mode", mode.as_str())?;
            self.optional(
                "app-replay-match",
                options.app_replay_match.map(AppReplayMatch::as_str),
            )?;
            self.optional(
                "app-replay-buffer",
                options.app_replay_buffer.map(AppReplayBuffer::as_str),
            )?;
        }
        let range_replay: Vec<String> =
            options.range_replay_options.iter().map(ToString::to_string).collect();
        self.joined("range-replay-options", &range_replay)?;
        self.optional("graph-profiling", options.graph_profiling.map(GraphProfiling::as_str))
    }

    fn ranges(
        &mut self,
        options: &NcuOptions,
        target: &CaptureTarget<'_>,
    ) -> Result<(), CommandError> {
        // Without it no result would know its ranges.
        self.flag("nvtx")?;
        self.each("nvtx-include", target.include)?;
        self.each("nvtx-exclude", target.exclude)?;
        self.optional(
            "nvtx-push-pop-scope",
            options.nvtx.push_pop_scope.map(PushPopScope::as_str),
        )?;
        self.optional("range-filter", options.range_filter.as_deref())
    }

    fn filters(&mut self, options: &NcuOptions) -> Result<(), CommandError> {
        self.optional("kernel-id", options.kernel_id.as_deref())?;
        self.number("launch-skip", options.launch_skip)?;
        self.number("launch-count", options.launch_count)?;
        self.number("launch-skip-before-match", options.launch_skip_before_match)?;
        self.optional("filter-mode", options.filter_mode.map(FilterMode::as_str))?;
        self.joined("devices", &options.devices)?;
        self.optional("profile-from-start", options.profile_from_start.map(on_off))?;
        self.switch("disable-profiler-start-stop", options.disable_profiler_start_stop)?;
        self.each("native-include", &options.native_include)?;
        self.each("native-exclude", &options.native_exclude)?;
        self.each("python-include", &options.python_include)?;
        self.each("python-exclude", &options.python_exclude)
    }

    fn collected(&mut self, options: &NcuOptions) -> Result<(), CommandError> {
        let nothing_asked =
            options.set.is_none() && options.sections.is_empty() && options.metrics.is_empty();
        // The set that is collected without a word was renamed once; giving it by name keeps a surprise out.
        let usual = ["basic", "default"]
            .into_iter()
            .find(|set| nothing_asked && self.ncu.sets.contains(*set));
        self.each("section-folder", &options.section_folder)?;
        self.each("section-folder-recursive", &options.section_folder_recursive)?;
        self.optional("set", options.set.as_deref().or(usual))?;
        self.each("section", &options.sections)?;
        self.joined("metrics", &options.metrics)?;
        self.switch("disable-extra-suffixes", options.disable_extra_suffixes)?;
        self.optional("apply-rules", options.apply_rules.map(on_off))?;
        self.each("rule", &options.rule)
    }

    fn sampling(&mut self, options: &NcuOptions) -> Result<(), CommandError> {
        self.number("pm-sampling-interval", options.pm_sampling_interval)?;
        self.number("pm-sampling-buffer-size", options.pm_sampling_buffer_size)?;
        self.number("pm-sampling-max-passes", options.pm_sampling_max_passes)?;
        self.optional("warp-sampling-interval", options.warp_sampling_interval.as_deref())?;
        self.number("warp-sampling-max-passes", options.warp_sampling_max_passes)?;
        self.number("warp-sampling-buffer-size", options.warp_sampling_buffer_size)?;
        self.number("warp-samples-per-interval", options.warp_samples_per_interval)?;
        self.switch("disable-pm-warp-sampling", options.disable_pm_warp_sampling)
    }

    fn several_processes(&mut self, options: &NcuOptions) -> Result<(), CommandError> {
        self.optional("communicator", options.communicator.map(Communicator::as_str))?;
        self.number("communicator-tcp-num-peers", options.communicator_tcp_num_peers)?;
        self.optional("communicator-tcp-hostname", options.communicator_tcp_hostname.as_deref())?;
        self.number("communicator-tcp-port", options.communicator_tcp_port)?;
        self.number("communicator-shmem-num-peers", options.communicator_shmem_num_peers)?;
        self.switch("lockstep-kernel-launch", options.lockstep_kernel_launch)?;
        self.each("lockstep-nvtx-include", &options.lockstep_nvtx_include)?;
        self.each("lockstep-nvtx-exclude", &options.lockstep_nvtx_exclude)?;
        self.number("metric-distribution-groups", options.metric_distribution_groups)?;
        self.optional("mps", options.mps.map(Mps::as_str))?;
        self.number("mps-num-clients", options.mps_num_clients)?;
        self.number("mps-timeout", options.mps_timeout)
    }

    fn program_and_report(&mut self, options: &NcuOptions) -> Result<(), CommandError> {
        self.optional("rename-kernels-export", options.rename_kernels_export.map(on_off))?;
        self.optional("rename-kernels-path", options.rename_kernels_path.as_deref())?;
        self.optional("import-source", options.import_source.map(on_off))?;
        self.joined("source-folders", &options.source_folders)?;
        self.optional("import-sass", options.import_sass.map(on_off))?;
        self.switch("call-stack", options.call_stack)?;
        for kind in &options.call_stack_type {
            self.value("call-stack-type", kind.as_str())?;
        }
        self.optional("check-exit-code", options.check_exit_code.map(on_off))?;
        self.optional("kill", options.kill.map(on_off))?;
        self.switch("null-stdin", options.null_stdin)?;
        self.switch("forward-signals", options.forward_signals)?;
        self.optional("preload-library", options.preload_library.as_deref())?;
        self.switch("force-overwrite", options.force_overwrite)
    }

    fn flag(&mut self, option: &str) -> Result<(), CommandError> {
        require(self.ncu, option, None)?;
        self.given.push(option.to_owned());
        self.argv.push(format!("--{option}").into());
        Ok(())
    }

    fn switch(&mut self, option: &str, on: bool) -> Result<(), CommandError> {
        if on { self.flag(option) } else { Ok(()) }
    }

    fn value(&mut self, option: &str, value: impl AsRef<OsStr>) -> Result<(), CommandError> {
        let value = value.as_ref();
        self.flag(option)?;
        if value.as_bytes().starts_with(b"-")
            && let Some(last) = self.argv.last_mut()
        {
            // On its own it would be taken for an option.
            last.push("=");
            last.push(value);
        } else {
            self.argv.push(value.to_owned());
        }
        Ok(())
    }

    fn optional(
        &mut self,
        option: &str,
        value: Option<impl AsRef<OsStr>>,
    ) -> Result<(), CommandError> {
        value.map_or(Ok(()), |value| self.value(option, value))
    }

    /// What is pinned goes without saying to an ncu that does not have the option yet; anything else is refused as usual.
    fn pinned<T: Copy + Default + PartialEq>(
        &mut self,
        option: &str,
        value: Pinned<T>,
        word: fn(T) -> &'static str,
    ) -> Result<(), CommandError> {
        let is_usual = value == Pinned::default() && !self.ncu.has_option(option);
        self.optional(option, value.0.filter(|_| !is_usual).map(word))
    }

    fn number(&mut self, option: &str, value: Option<impl ToString>) -> Result<(), CommandError> {
        self.optional(option, value.map(|value| value.to_string()))
    }

    fn joined(&mut self, option: &str, values: &[String]) -> Result<(), CommandError> {
        if values.is_empty() { Ok(()) } else { self.value(option, values.join(",")) }
    }

    fn each(&mut self, option: &str, values: &[String]) -> Result<(), CommandError> {
        values.iter().try_for_each(|value| self.value(option, value))
    }
}

fn on_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

#[cfg(test)]
mod tests;
