//! The plan of a run: which captures there are and what each of them looks at, settled before anything is started.
//!
//! With kernel and application replay one capture serves every region, because each kernel's ranges are in the report. With range replay ncu makes one result of ranges that
//! are open at the same time, so regions that can be open together need captures of their own; the plan has as few as it can find. Pure: a plan touches nothing.

mod colour;
mod groups;
mod known;
mod nodes;
mod text;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ncu_rep::filter::FilterError;
use rangescope_config::settings::NcuOptions;
use rangescope_model::ReplayMode;
use rangescope_model::select::{RegionSelector, SelectError};
use rangescope_model::words::Word;
use serde::Serialize;

use crate::applied::AppliedFilters;
use crate::ncu::{CaptureTarget, CommandError, NcuInfo, build_ncu_cmd};
use crate::shell;
pub use crate::shell::{arguments as serialize_argv, command_line};
use groups::{Excluded, Group};
pub use known::KnownRegions;

pub const PLAN_SCHEMA_VERSION: &str = "1.0";

#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    pub options: &'a NcuOptions,
    pub ncu: &'a NcuInfo,
    pub program: &'a [OsString],
    /// A full path if the program runs in a folder of its own.
    pub folder: &'a Path,
    /// From an earlier run, for example.
    pub known: Option<&'a KnownRegions>,
    /// Display names of regions that the user says the program has; of use where nothing better is known.
    pub labels: &'a [String],
    /// Range names are folded before regions are made of them: selectors are then about names that ncu never sees.
    pub names_are_folded: bool,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    #[error(transparent)]
    Selector(#[from] SelectError),
    #[error(transparent)]
    Expression(#[from] FilterError),
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("none of the known regions is selected")]
    NothingSelected,
    #[error("more than {most} regions are selected, too many to capture range by range")]
    TooMany { most: usize },
}

impl PlanError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Selector(error) => Some(error.hint()),
            Self::Command(error) => Some(error.hint()),
            Self::Expression(_) => None,
            Self::TooMany { .. } => Some(
                "select fewer regions, or use `replay_mode=kernel`, for which one capture is enough"
                    .to_owned(),
            ),
            Self::NothingSelected => Some(
                "compare the selectors with the regions of the earlier run, or plan without it"
                    .to_owned(),
            ),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    pub schema_version: &'static str,
    pub replay_mode: ReplayMode,
    pub captures: Vec<Capture>,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Capture {
    /// Its files bear this name.
    pub name: String,
    /// As it is run; it writes to `partial_report`.
    #[serde(serialize_with = "shell::arguments")]
    pub argv: Vec<OsString>,
    /// Where the report is, once it is complete.
    #[serde(serialize_with = "shell::path")]
    pub report: PathBuf,
    /// Where ncu writes it.
    #[serde(serialize_with = "shell::path")]
    pub partial_report: PathBuf,
    /// Regions or selectors; empty means everything.
    pub regions: Vec<String>,
    #[serde(flatten)]
    pub filters: AppliedFilters,
}

impl Plan {
    pub fn new(request: &PlanRequest<'_>) -> Result<Self, PlanError> {
        let include = RegionSelector::parse(&request.options.nvtx_include)?;
        let exclude = RegionSelector::parse(&request.options.nvtx_exclude)?;
        let mut notes = Vec::new();
        let groups = if request.options.replay_mode.is_range() && !include.is_empty() {
            groups::by_range(request, &include, &exclude, &mut notes)?
        } else {
            vec![groups::single(request, &include, &mut notes)?]
        };
        let excluded = Excluded::new(request, &exclude)?;
        if include.is_empty() && !excluded.expressions.is_empty() {
            notes.push("with regions to exclude and none to include, ncu also excludes kernels outside all ranges".to_owned());
        }
        let mode = request.options.replay_mode;
        let several = groups.len() > 1;
        let captures = groups.into_iter().enumerate().map(|(index, group)| {
            let name = if several { format!("{mode}-{}", index + 1) } else { mode.to_string() };
            capture(request, name, group, &excluded)
        });
        let captures = captures.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { schema_version: PLAN_SCHEMA_VERSION, replay_mode: mode, captures, notes })
    }
}

fn capture(
    request: &PlanRequest<'_>,
    name: String,
    group: Group,
    excluded: &Excluded,
) -> Result<Capture, PlanError> {
    let extension = request.options.report_format.as_str();
    let report = request.folder.join(format!("{name}.{extension}"));
    let partial_report = request.folder.join(format!("{name}.partial.{extension}"));
    let target = CaptureTarget {
        report: &partial_report,
        include: &group.compiled.expressions(),
        exclude: &excluded.expressions,
    };
    let command = build_ncu_cmd(request.options, request.ncu, &target, request.program)?;
    let mut filters = group.filters;
    filters.extend(excluded.filters.clone());
    filters.extend(command.filters);
    Ok(Capture {
        name,
        argv: command.argv,
        report,
        partial_report,
        regions: group.regions,
        filters,
    })
}

#[cfg(test)]
mod tests;
