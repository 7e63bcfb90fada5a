//! Settings: the strict, typed form of a composed configuration.
//!
//! One file a section, one row a key: unknown keys and wrong values are errors with file, line, key, what was expected and the nearest valid name.

mod checked;
mod keys;
mod kind;
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
use crate::interpolate::Context;
use crate::origin::Origin;
use crate::tree::{Tree, read_yaml};
use crate::value::Node;

pub use keys::{KeyInfo, ToolOption, find as find_key, keys};
pub use kind::Kind;
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

/// Everything that a run needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    pub run: Run,
    pub workload: Workload,
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

    /// Reads a configuration that was composed, resolved and written before: nothing in it is looked up again.
    pub fn from_file(path: &Path, context: &Context<'_>) -> Result<Self, ConfigError> {
        Self::of_resolved(read_yaml(path)?, context)
    }

    fn of_resolved(root: Node, context: &Context<'_>) -> Result<Self, ConfigError> {
        let defaults = compose(&Tree::embedded(), CONFIG_NAME, &[], context)?.resolve(context)?;
        let checked = Checked::new(root, defaults.root)?;
        Ok(Self {
            run: Run::read(&checked),
            workload: Workload::read(&checked),
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
