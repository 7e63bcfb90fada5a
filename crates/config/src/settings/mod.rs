//! Settings: the strict, typed view of a composed configuration.
//!
//! One file a section. [`keys`] is the table that everything else follows from: unknown keys and wrong values are errors with file, line, key, what was expected and the nearest valid name.

mod keys;
mod kind;
mod ncu;
mod ncu_keys;
mod nsys;
mod pipeline;
mod table;
mod view;
mod words;
mod workload;

use std::path::Path;

use crate::compose::compose;
use crate::composed::Composed;
use crate::error::ConfigError;
use crate::interpolate::Context;
use crate::origin::Origin;
use crate::tree::{Tree, read_yaml};
use crate::value::Node;

pub use keys::{KeyInfo, NcuOption, OLDEST, find as find_key, keys};
pub use kind::Kind;
pub use ncu::Ncu;
pub use nsys::Nsys;
pub use pipeline::{Regions, Report, Simulate};
pub use table::key_table_markdown;
pub use words::{CaptureRange, ReportFormat, Stdin};
pub use workload::Workload;

use view::View;

/// The name of the primary configuration.
pub const CONFIG_NAME: &str = "config";

/// Everything that a run needs to know.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The device that the program is to use.
    pub device: String,
    /// The run folder.
    pub run_dir: String,
    /// The program.
    pub workload: Workload,
    /// Nsight Systems.
    pub nsys: Nsys,
    /// Nsight Compute.
    pub ncu: Ncu,
    /// Regions.
    pub regions: Regions,
    /// The report.
    pub report: Report,
    /// Whether it is a failure when nothing was profiled.
    pub strict: bool,
    /// How long a capture may be silent.
    pub silence_limit_s: Option<f64>,
    /// Environment variables that may be recorded.
    pub record_env: Vec<String>,
    /// The simulated GPU.
    pub simulate: Simulate,
    view: View,
}

impl Settings {
    /// Checks a composed configuration and reads it. Interpolations are resolved first.
    pub fn new(composed: &Composed, context: &Context<'_>) -> Result<Self, ConfigError> {
        Self::of_resolved(composed.resolve(context)?.root, context)
    }

    /// Reads a configuration that was composed, resolved and written before: nothing in it is looked up again.
    pub fn from_file(path: &Path, context: &Context<'_>) -> Result<Self, ConfigError> {
        Self::of_resolved(read_yaml(path)?, context)
    }

    fn of_resolved(root: Node, context: &Context<'_>) -> Result<Self, ConfigError> {
        let defaults = compose(&Tree::embedded(), CONFIG_NAME, &[], context)?.resolve(context)?;
        let view = View::new(root, defaults.root)?;
        Ok(Self {
            device: view.text("device").unwrap_or_default(),
            run_dir: view.text("run.dir").unwrap_or_default(),
            workload: Workload::read(&view)?,
            nsys: Nsys::read(&view),
            ncu: Ncu::read(&view),
            regions: Regions::read(&view),
            report: Report::read(&view),
            strict: view.bool("pipeline.strict"),
            silence_limit_s: view.seconds("pipeline.watchdog.silence_limit_s"),
            record_env: view.list("pipeline.artifacts.record_env", Some(',')),
            simulate: Simulate::read(&view),
            view,
        })
    }

    /// Where the value of a key came from.
    pub fn origin(&self, path: &str) -> Option<&Origin> {
        self.view.origin(path)
    }

    /// The value of a key as it was composed, for keys that have no field: `model.name`, `vars.x`.
    pub fn node(&self, path: &str) -> Option<&Node> {
        self.view.node(path)
    }
}

#[cfg(test)]
mod tests;
