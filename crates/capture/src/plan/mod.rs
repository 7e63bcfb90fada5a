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
use std::time::Duration;

use ncu_rep::filter::FilterError;
use rangescope_config::settings::NcuOptions;
use rangescope_model::ReplayMode;
use rangescope_model::rank::file_prefix;
use rangescope_model::select::{RegionSelector, SelectError};
use rangescope_model::words::Word;
use serde::Serialize;

use crate::applied::AppliedFilters;
use crate::launch::{Launch, RankSelection};
use crate::ncu::{CaptureTarget, CommandError, NcuInfo, build_ncu_cmd};
use crate::rank::RankArguments;
use crate::shell::{self, operand, without_macros};
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
    /// The program is a launcher, and each of its ranks gets an ncu of its own.
    pub inside: Option<Inside<'a>>,
}

/// How the ranks of a launcher are captured.
#[derive(Clone, Copy, Debug)]
pub struct Inside<'a> {
    pub launch: &'a Launch,
    /// This program, as the launcher starts it.
    pub own: &'a OsString,
    pub ranks: &'a RankSelection,
    /// How long a rank may print nothing before it is ended.
    pub silence_limit: Option<Duration>,
    /// The ncu of every rank is told how many there are.
    pub peers: bool,
}

impl Inside<'_> {
    /// The launcher with ranks that start these words, a profiler and its program; and where the profiler begins. The report is at `report_at` in the words.
    pub(crate) fn wrap(
        &self,
        folder: &Path,
        capture: &str,
        extension: &str,
        words: Vec<OsString>,
        report_at: usize,
    ) -> (Vec<OsString>, usize) {
        let arguments = RankArguments {
            folder: folder.to_owned(),
            capture: capture.to_owned(),
            extension: extension.to_owned(),
            launcher: self.launch.launcher.name.to_owned(),
            ranks: self.ranks.clone(),
            silence_limit: self.silence_limit,
            peers: self.peers,
            report_at,
            program_at: words.len() - self.launch.program.len(),
            local_rank_at: self.launch.local_rank_at,
            words,
        };
        let mut argv = self.launch.words.clone();
        argv.extend(arguments.to_words(self.own));
        let profiler_at = argv.len() - arguments.words.len();
        (argv, profiler_at)
    }
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
    /// How many of the words start the profiler.
    #[serde(skip)]
    pub launcher: usize,
    /// Which of the words is the first of those.
    #[serde(skip)]
    pub ncu_at: usize,
    /// Every rank has a capture of its own; then the paths have `*` for the number of a rank.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inside: bool,
    /// What would be run with one ncu around the launcher, where there is one for each rank.
    #[serde(serialize_with = "shell::arguments", skip_serializing_if = "Vec::is_empty")]
    pub outside_argv: Vec<OsString>,
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
    let paths = |stem: &str| {
        ["", "partial."].map(|part| request.folder.join(format!("{stem}.{part}{extension}")))
    };
    let build = |partial_report: &Path, program: &[OsString]| {
        let target = CaptureTarget {
            report: partial_report,
            include: &group.compiled.expressions(),
            exclude: &excluded.expressions,
        };
        build_ncu_cmd(request.options, request.ncu, &target, program)
    };
    let [outside_report, outside_partial] = paths(&name);
    let launcher = request.ncu.launcher.len();
    let mut filters = group.filters.clone();
    filters.extend(excluded.filters.clone());
    let Some(inside) = &request.inside else {
        let command = build(&outside_partial, request.program)?;
        filters.extend(command.filters);
        return Ok(Capture {
            name,
            argv: command.argv,
            launcher,
            ncu_at: 0,
            inside: false,
            outside_argv: Vec::new(),
            report: outside_report,
            partial_report: outside_partial,
            regions: group.regions,
            filters,
        });
    };
    let [report, partial_report] = paths(&format!("{}*", file_prefix(&name)));
    let command = build(&partial_report, &inside.launch.program)?;
    filters.extend(command.filters);
    let word = without_macros(&operand(&partial_report));
    // It is the last option but for those of the user, so it is looked for from the end.
    let options = command.argv.len() - inside.launch.program.len();
    let report_at = command.argv.iter().take(options).rposition(|own| *own == word).unwrap_or(0);
    let (argv, ncu_at) = inside.wrap(request.folder, &name, extension, command.argv, report_at);
    Ok(Capture {
        name,
        ncu_at,
        argv,
        launcher,
        inside: true,
        // One ncu has no peers.
        outside_argv: if inside.peers {
            Vec::new()
        } else {
            build(&outside_partial, request.program)?.argv
        },
        report,
        partial_report,
        regions: group.regions,
        filters,
    })
}

#[cfg(test)]
mod tests;
