//! What ncu would refuse, or silently do something else with, said before anything is run.
//!
//! ncu takes an unknown set, a negative count or a kernel filter that it then ignores without a word; and what it does refuse it often refuses only after
//! minutes of starting up on a cluster.

use super::NcuInfo;
use super::error::CommandError;
use super::features::Feature;
use super::options::NcuOptions;
use super::values::{
    AppReplayMode, Communicator, FilterMode, GraphProfiling, Mps, ReplayMode, ReportFormat,
};

/// Refuses what this ncu lacks, by option and value.
pub(super) fn require(
    ncu: &NcuInfo,
    option: &str,
    value: Option<&str>,
) -> Result<(), CommandError> {
    let too_old = |what: String, value: Option<&str>| CommandError::TooOld {
        what,
        version: ncu.version,
        since: Feature::find(option, value).map(Feature::since_text),
    };
    if !ncu.has_option(option) {
        return Err(too_old(format!("`--{option}`"), None));
    }
    match value.filter(|value| !ncu.has_value(option, value)) {
        Some(value) => Err(too_old(format!("`--{option} {value}`"), Some(value))),
        None => Ok(()),
    }
}

/// Refuses what does not go together, whatever the ncu.
pub(super) fn check_combination(
    options: &NcuOptions,
    has_include: bool,
    has_exclude: bool,
) -> Result<(), CommandError> {
    let mode = options.replay_mode;
    let with_mode = |first: &str| CommandError::Conflict {
        first: format!("`{first}`"),
        second: format!("`replay_mode={mode}`"),
    };
    let needs = |what: &str, needs: &str| CommandError::Needs {
        what: format!("`{what}`"),
        needs: format!("`{needs}`"),
    };

    let app_replay = options.app_replay_mode.is_some()
        || options.app_replay_match.is_some()
        || options.app_replay_buffer.is_some();
    if mode != ReplayMode::Application && app_replay {
        return Err(with_mode("app_replay_*"));
    }
    if mode.is_range() && options.kernel_id.is_some() {
        return Err(with_mode("kernel_id"));
    }
    if mode.is_range() && options.profile_from_start == Some(false) {
        return Err(with_mode("profile_from_start=false"));
    }
    if options.kill == Some(true) && options.launch_count.is_none() {
        return Err(needs("kill", "launch_count"));
    }
    if !options.source_folders.is_empty() && options.import_source != Some(true) {
        return Err(needs("source_folders", "import_source=true"));
    }
    if mode != ReplayMode::Range && !options.range_replay_options.is_empty() {
        return Err(with_mode("range_replay_options"));
    }
    if mode.is_range() && options.filter_mode == Some(FilterMode::PerLaunchConfig) {
        return Err(with_mode("filter_mode=per-launch-config"));
    }
    if mode != ReplayMode::Kernel && options.graph_profiling == Some(GraphProfiling::Graph) {
        return Err(with_mode("graph_profiling=graph"));
    }
    if options.launch_count == Some(0) {
        return Err(CommandError::Needs {
            what: "`launch_count`".to_owned(),
            needs: "a number from 1 on".to_owned(),
        });
    }
    if let Some(filter) = &options.range_filter
        && !has_include
        && filter.rsplit(':').next().is_some_and(|instances| !instances.is_empty())
    {
        return Err(needs("range_filter", "nvtx.include"));
    }
    if mode.is_range() && has_exclude {
        return Err(with_mode("nvtx.exclude"));
    }
    if options.range_filter.is_some() && has_exclude {
        let (first, second) = ("`range_filter`".to_owned(), "`nvtx.exclude`".to_owned());
        return Err(CommandError::Conflict { first, second });
    }
    check_communicator(options)?;
    let mps = options.mps.unwrap_or(Mps::None);
    if mps == Mps::Control && options.mps_num_clients.is_none() && options.mps_timeout.is_none() {
        return Err(needs("mps=control", "mps_num_clients"));
    }
    if mps != Mps::None && !matches!(mode, ReplayMode::Kernel | ReplayMode::Range) {
        return Err(with_mode("mps"));
    }
    Ok(())
}

fn check_communicator(options: &NcuOptions) -> Result<(), CommandError> {
    let kind = options.communicator.unwrap_or(Communicator::None);
    let needs = |what: &str, needs: &str| {
        Err(CommandError::Needs { what: format!("`{what}`"), needs: format!("`{needs}`") })
    };
    let tcp = options.communicator_tcp_num_peers.is_some()
        || options.communicator_tcp_hostname.is_some()
        || options.communicator_tcp_port.is_some();
    if tcp && kind != Communicator::Tcp {
        return needs("communicator_tcp_*", "communicator=tcp");
    }
    if options.communicator_shmem_num_peers.is_some() && kind != Communicator::Shmem {
        return needs("communicator_shmem_num_peers", "communicator=shmem");
    }
    if options.lockstep_kernel_launch && kind == Communicator::None {
        return needs("lockstep_kernel_launch", "communicator");
    }
    let ranges = options.lockstep_nvtx_include.len() + options.lockstep_nvtx_exclude.len();
    if !options.lockstep_kernel_launch && ranges > 0 {
        return needs("lockstep_nvtx_*", "lockstep_kernel_launch=true");
    }
    if kind == Communicator::Shmem {
        let conflict = |second: String| {
            Err(CommandError::Conflict { first: "`communicator=shmem`".to_owned(), second })
        };
        if !matches!(options.replay_mode, ReplayMode::Kernel | ReplayMode::Range) {
            return conflict(format!("`replay_mode={}`", options.replay_mode));
        }
        if options.metric_distribution_groups.is_some() {
            return conflict("`metric_distribution_groups`".to_owned());
        }
    }
    Ok(())
}

/// Refuses sets and sections that this ncu would not know, if it was asked what it knows.
pub(super) fn check_sections(options: &NcuOptions, ncu: &NcuInfo) -> Result<(), CommandError> {
    // More of them may lie in other folders.
    let folders = options.section_folder.len() + options.section_folder_recursive.len();
    if folders > 0
        || options.extra_args.iter().any(|argument| argument.starts_with("--section-folder"))
    {
        return Ok(());
    }
    let unknown =
        |kind, name: &str, known: &std::collections::BTreeSet<String>| CommandError::Unknown {
            kind,
            name: name.to_owned(),
            version: ncu.version,
            known: known.iter().cloned().collect(),
        };
    if let Some(set) = options.set.as_deref()
        && !ncu.sets.is_empty()
        && !ncu.sets.contains(set)
    {
        return Err(unknown("set", set, &ncu.sets));
    }
    let missing =
        |section: &&String| !section.starts_with("regex:") && !ncu.sections.contains(*section);
    match options.sections.iter().find(missing).filter(|_| !ncu.sections.is_empty()) {
        Some(section) => Err(unknown("section", section, &ncu.sections)),
        None => Ok(()),
    }
}

/// Refuses values that came to an option later than the option itself.
pub(super) fn check_values(options: &NcuOptions, ncu: &NcuInfo) -> Result<(), CommandError> {
    require(ncu, "replay-mode", Some(options.replay_mode.as_str()))?;
    require(ncu, "clock-control", Some(options.clock_control.as_str()))?;
    if options.app_replay_mode == Some(AppReplayMode::Balanced) {
        require(ncu, "app-replay-mode", Some("balanced"))?;
    }
    if let Some(mode) = options.filter_mode {
        require(ncu, "filter-mode", Some(mode.as_str()))?;
    }
    for option in &options.range_replay_options {
        require(ncu, "range-replay-options", Some(option.as_str()))?;
    }
    if options.report_format == ReportFormat::Repz {
        require(ncu, "export", Some("ncu-repz"))?;
    }
    Ok(())
}
