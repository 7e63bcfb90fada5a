//! What ncu would refuse, or silently do something else with, said before anything is run.
//!
//! ncu takes an unknown set, a negative count or a kernel filter that it then ignores without a word; and what it does refuse it often refuses only after
//! minutes of starting up on a cluster.

use rangescope_config::settings::{
    Communicator, FilterMode, GraphProfiling, Mps, NcuOptions, ToolOption, Written,
};
use rangescope_model::ReplayMode;

use super::NcuInfo;
use super::error::CommandError;

pub(super) fn require(
    ncu: &NcuInfo,
    option: &str,
    value: Option<&str>,
) -> Result<(), CommandError> {
    let too_old = |what: String, value: Option<&str>| CommandError::TooOld {
        what,
        version: ncu.version,
        since: NcuOptions::since(option, value),
    };
    if !ncu.has_option(option) {
        return Err(too_old(format!("`--{option}`"), None));
    }
    match value.filter(|value| !ncu.has_value(option, value)) {
        Some(value) => Err(too_old(format!("`--{option} {value}`"), Some(value))),
        None => Ok(()),
    }
}

/// Refuses values that came later than their option.
pub(super) fn check_values(
    option: &ToolOption,
    written: &Written,
    ncu: &NcuInfo,
) -> Result<(), CommandError> {
    let newer = option.newer_values.iter().map(|(value, _)| *value);
    newer
        .filter(|value| written.has(value))
        .try_for_each(|value| require(ncu, option.name, Some(value)))
}

fn needs(what: &str, needs: &str) -> CommandError {
    CommandError::Needs { what: format!("`{what}`"), needs: format!("`{needs}`") }
}

/// Refuses keys that mean nothing without another one.
fn check_needs(options: &NcuOptions) -> Result<(), CommandError> {
    const CLI: &str = "pipeline.ncu.ncu_cli.";
    let written = options.written();
    let name = |path: &'static str| path.strip_prefix(CLI).unwrap_or(path);
    let is_met = |needed: &str| {
        let (other, value) = needed.split_once('=').unzip();
        let mut others =
            written.iter().filter(|(key, _)| name(key.path) == other.unwrap_or(needed));
        others.any(|(_, given)| value.map_or_else(|| given.is_set(), |value| given.has(value)))
    };
    for (key, _) in written.iter().filter(|(_, value)| value.is_set()) {
        if let Some(needed) = key.option.and_then(|option| option.needs)
            && !is_met(needed)
        {
            return Err(needs(name(key.path), needed));
        }
    }
    Ok(())
}

/// Refuses what no ncu does together.
pub(super) fn check_combination(
    options: &NcuOptions,
    has_include: bool,
    has_exclude: bool,
) -> Result<(), CommandError> {
    check_needs(options)?;
    let mode = options.replay_mode;
    let is_kernel_or_range = matches!(mode, ReplayMode::Kernel | ReplayMode::Range);
    let with_mode = [
        (mode.is_range() && options.kernel_id.is_some(), "kernel_id"),
        (mode.is_range() && options.profile_from_start == Some(false), "profile_from_start=false"),
        (
            mode.is_range() && options.filter_mode == Some(FilterMode::PerLaunchConfig),
            "filter_mode=per-launch-config",
        ),
        (
            mode != ReplayMode::Kernel && options.graph_profiling == Some(GraphProfiling::Graph),
            "graph_profiling=graph",
        ),
        (mode.is_range() && has_exclude, "nvtx.exclude"),
        (!is_kernel_or_range && options.mps.is_some_and(|mps| mps != Mps::None), "mps"),
        (
            !is_kernel_or_range && options.communicator == Some(Communicator::Shmem),
            "communicator=shmem",
        ),
    ];
    let conflict = |first: &str, second: &str| {
        let (first, second) = (format!("`{first}`"), format!("`{second}`"));
        Err(CommandError::Conflict { first, second })
    };
    if let Some((_, first)) = with_mode.into_iter().find(|(is_wrong, _)| *is_wrong) {
        return conflict(first, &format!("replay_mode={mode}"));
    }
    if let Some(filter) = &options.range_filter
        && !has_include
        && filter.rsplit(':').next().is_some_and(|instances| !instances.is_empty())
    {
        return Err(needs("range_filter", "nvtx.include"));
    }
    if options.range_filter.is_some() && has_exclude {
        return conflict("range_filter", "nvtx.exclude");
    }
    let has_groups = options.metric_distribution_groups.is_some();
    if options.communicator == Some(Communicator::Shmem) && has_groups {
        return conflict("communicator=shmem", "metric_distribution_groups");
    }
    let has_end = options.mps_num_clients.is_some() || options.mps_timeout.is_some();
    if options.mps == Some(Mps::Control) && !has_end {
        return Err(needs("mps=control", "mps_num_clients"));
    }
    Ok(())
}

/// Refuses sets and sections that this ncu does not have, if it was asked which it has.
pub(super) fn check_sections(options: &NcuOptions, ncu: &NcuInfo) -> Result<(), CommandError> {
    // Other folders may hold more of them.
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
