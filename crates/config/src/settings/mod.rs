//! Settings: the strict, typed form of a composed configuration.
//!
//! One file a section, one row a key: unknown keys and wrong values are errors with file, line, key, what was expected and the nearest valid name.

mod checked;
mod keys;
mod kind;
mod launch;
mod ncu;
mod nsys;
mod run;
mod section;
mod shell_words;
mod table;
mod workload;

use std::path::Path;

use crate::compose::compose;
use crate::composed::Composed;
use crate::error::ConfigError;
use crate::interpolate::{Context, Resolver, without_interpolations};
use crate::origin::Origin;
use crate::tree::{Tree, read_yaml};
use crate::value::Node;

pub use keys::{KeyInfo, ToolOption, find as find_key, keys};
pub use kind::Kind;
pub use launch::{Collectives, Launch, LauncherName};
pub use ncu::{
    CacheControl, ClockControl, Communicator, FilterMode, GraphProfiling, Mps, Ncu, NcuOptions,
    PipelineBoostState, ReportKind, TargetProcesses,
};
pub use nsys::{CaptureRange, CpuEvents, Nsys};
pub use run::{Regions, Report, Run, Simulate};
pub use section::{Pinned, Written};
pub use table::key_table_markdown;
pub use workload::{Stdin, Workload};

use checked::Checked;

/// The name of the primary configuration.
pub const CONFIG_NAME: &str = "config";

/// What reports are made from, which must say the same wherever the run folder is.
const FOR_REPORTS: [&str; 4] =
    ["pipeline.aggregate", "pipeline.ncu.ncu_cli", "pipeline.regions", "pipeline.report"];

/// Whether the key is written down as it is, neither left to the environment nor masked.
pub(crate) fn for_reports(path: &str) -> bool {
    FOR_REPORTS.iter().any(|key| {
        path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

/// Everything that a run needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    pub run: Run,
    pub workload: Workload,
    pub launch: Launch,
    pub nsys: Nsys,
    pub ncu: Ncu,
    pub ncu_options: NcuOptions,
    pub regions: Regions,
    pub report: Report,
    pub simulate: Simulate,
    checked: Checked,
}

impl Settings {
    /// Resolves interpolations first.
    pub fn new(composed: &Composed, context: &Context<'_>) -> Result<Self, ConfigError> {
        Self::of_resolved(composed.resolve(context)?.root, context)
    }

    /// Reads a configuration that [`Composed::to_keep`] made, for reports: the environment is not asked, and what depends on it is absent.
    pub fn from_file(path: &Path, context: &Context<'_>) -> Result<Self, ConfigError> {
        Self::of_resolved(without_interpolations(read_yaml(path)?), context)
    }

    /// The same to go on with the run: with what the environment has now.
    pub fn resumed(path: &Path, context: &Context<'_>) -> Result<Self, ConfigError> {
        let root = read_yaml(path)?;
        Self::of_resolved(Resolver::new(&root, None, context).tree()?, context)
    }

    fn of_resolved(root: Node, context: &Context<'_>) -> Result<Self, ConfigError> {
        let defaults = compose(&Tree::embedded(), CONFIG_NAME, &[], context)?.resolve(context)?;
        let checked = Checked::new(root, defaults.root)?;
        Ok(Self {
            run: Run::read(&checked),
            workload: Workload::read(&checked),
            launch: Launch::read(&checked),
            nsys: Nsys::read(&checked),
            ncu: Ncu::read(&checked),
            ncu_options: NcuOptions::read(&checked),
            regions: Regions::read(&checked),
            report: Report::read(&checked),
            simulate: Simulate::read(&checked),
            checked,
        })
    }

    pub fn origin(&self, path: &str) -> Option<&Origin> {
        self.checked.origin(path)
    }
}

#[cfg(test)]
mod tests;
