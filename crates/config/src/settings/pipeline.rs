//! Settings of the run as a whole: the device, the run folder, regions, report, watchdog, simulation.

use super::keys::KeyInfo;
use super::kind::{COUNT, Kind};
use super::view::View;
use super::words::ReportFormat;

const fn key(path: &'static str, kind: Kind, help: &'static str) -> KeyInfo {
    KeyInfo::new(path, kind, help)
}

pub(super) const TOP: &[KeyInfo] = &[
    key("device", Kind::Text, "The device that the program is to use"),
    key("run.dir", Kind::Text, "The run folder"),
    key("vars", Kind::Free, "Values of your own, for interpolation"),
    key("model", Kind::Free, "The chosen model, as its configuration says").or_null(),
    key("infer", Kind::Free, "How the chosen model is run").or_null(),
];

pub(super) const KEYS: &[KeyInfo] = &[
    key(
        "pipeline.aggregate",
        Kind::Bool,
        "Also report the aggregate over all processes and devices",
    ),
    key("pipeline.strict", Kind::Bool, "Exit with code 6 when nothing was profiled"),
    key(
        "pipeline.regions.normalise",
        Kind::Patterns,
        "Fold names that differ only in numbers: `layers`, `pytorch`, `REGEX=>REPLACEMENT`",
    ),
    key("pipeline.regions.labels", Kind::Regions, "Regions that the program is known to have"),
    key(
        "pipeline.regions.from_run",
        Kind::Text,
        "A previous run's folder, whose regions are taken as known",
    )
    .or_null(),
    key("pipeline.report.formats", Kind::Choices(ReportFormat::WORDS), "What to write"),
    key(
        "pipeline.report.top_kernels",
        Kind::Int { min: 0, max: COUNT },
        "Kernels to list for each region",
    ),
    key("pipeline.report.scopes", Kind::Names, "Scopes to report; empty is all"),
    key(
        "pipeline.watchdog.silence_limit_s",
        Kind::Seconds,
        "End a capture that has been silent for so long",
    )
    .or_null(),
    key(
        "pipeline.artifacts.record_env",
        Kind::Names,
        "Environment variables that env.json may record",
    ),
    key("pipeline.simulate.enable", Kind::Bool, "Simulate the GPU instead of measuring one"),
    key(
        "pipeline.simulate.seed",
        Kind::Int { min: 0, max: i64::MAX },
        "The seed of the simulation",
    ),
];

/// Regions: how their names are folded, and what is known of them before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    /// Presets and rules that fold names.
    pub normalise: Vec<String>,
    /// Regions that the program is known to have.
    pub labels: Vec<String>,
    /// A previous run's folder, whose regions are taken as known.
    pub from_run: Option<String>,
}

/// The report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Whether the aggregate over all processes and devices is reported.
    pub aggregate: bool,
    /// What to write.
    pub formats: Vec<ReportFormat>,
    /// Kernels to list for each region.
    pub top_kernels: u64,
    /// Scopes to report; empty is all.
    pub scopes: Vec<String>,
}

/// The simulated GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulate {
    /// Whether it takes the place of a real one.
    pub enable: bool,
    /// The seed.
    pub seed: u64,
}

impl Regions {
    pub(super) fn read(view: &View) -> Self {
        Self {
            normalise: view.list("pipeline.regions.normalise", None),
            labels: view.list("pipeline.regions.labels", Some(';')),
            from_run: view.text("pipeline.regions.from_run"),
        }
    }
}

impl Report {
    pub(super) fn read(view: &View) -> Self {
        let formats = view.list("pipeline.report.formats", None);
        Self {
            aggregate: view.bool("pipeline.aggregate"),
            formats: formats.iter().filter_map(|word| ReportFormat::from_word(word)).collect(),
            top_kernels: view.int("pipeline.report.top_kernels").unwrap_or(0),
            scopes: view.list("pipeline.report.scopes", Some(',')),
        }
    }
}

impl Simulate {
    pub(super) fn read(view: &View) -> Self {
        Self {
            enable: view.bool("pipeline.simulate.enable"),
            seed: view.int("pipeline.simulate.seed").unwrap_or(0),
        }
    }
}
