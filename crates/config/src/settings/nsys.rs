//! Nsight Systems.

use super::keys::KeyInfo;
use super::kind::{COUNT, Kind};
use super::view::View;
use super::words::CaptureRange;

const fn key(path: &'static str, kind: Kind, help: &'static str) -> KeyInfo {
    KeyInfo::new(path, kind, help)
}

const SAMPLE: &[&str] = &["none", "process-tree", "system-wide"];

pub(super) const KEYS: &[KeyInfo] = &[
    key("pipeline.nsys.enable", Kind::Bool, "Run Nsight Systems first"),
    key(
        "pipeline.nsys.gating_nvtx",
        Kind::Bool,
        "Record only inside the range `nvtx_capture`, where there is one",
    ),
    key("pipeline.nsys.description", Kind::Text, "What the preset is for").or_null(),
    key("pipeline.nsys.executable", Kind::Text, "The nsys to run"),
    key("pipeline.nsys.trace", Kind::Names, "What to trace (nsys `--trace`)"),
    key("pipeline.nsys.sample", Kind::Choice(SAMPLE), "CPU sampling (nsys `--sample`)"),
    key(
        "pipeline.nsys.cpuctxsw",
        Kind::Choice(SAMPLE),
        "Context switches of the CPU (nsys `--cpuctxsw`)",
    ),
    key(
        "pipeline.nsys.capture_range",
        Kind::Choice(CaptureRange::WORDS),
        "What starts and ends the recording (nsys `--capture-range`)",
    ),
    key(
        "pipeline.nsys.capture_range_end",
        Kind::Text,
        "What happens when the range ends (nsys `--capture-range-end`)",
    )
    .or_null(),
    key(
        "pipeline.nsys.nvtx_capture",
        Kind::Text,
        "The range that starts the recording (nsys `--nvtx-capture`)",
    )
    .or_null(),
    key(
        "pipeline.nsys.nvtx_domain_include",
        Kind::Names,
        "Domains to record (nsys `--nvtx-domain-include`)",
    ),
    key(
        "pipeline.nsys.nvtx_domain_exclude",
        Kind::Names,
        "Domains not to record (nsys `--nvtx-domain-exclude`)",
    ),
    key(
        "pipeline.nsys.force_overwrite",
        Kind::Bool,
        "Replace an existing report (nsys `--force-overwrite`)",
    ),
    key(
        "pipeline.nsys.top_kernels",
        Kind::Int { min: 1, max: COUNT },
        "How many kernels the list for a following ncu stage has",
    ),
    key("pipeline.nsys.extra_args", Kind::Texts, "Further options, passed as they are"),
];

/// Nsight Systems.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nsys {
    /// Whether it runs.
    pub enable: bool,
    /// Whether only the chosen range is recorded.
    pub gating_nvtx: bool,
    /// The nsys to run.
    pub executable: String,
    /// What to trace.
    pub trace: Vec<String>,
    /// CPU sampling.
    pub sample: String,
    /// Context switches of the CPU.
    pub cpuctxsw: String,
    /// What starts and ends the recording.
    pub capture_range: CaptureRange,
    /// What happens when the range ends.
    pub capture_range_end: Option<String>,
    /// The range that starts the recording.
    pub nvtx_capture: Option<String>,
    /// Domains to record.
    pub nvtx_domain_include: Vec<String>,
    /// Domains not to record.
    pub nvtx_domain_exclude: Vec<String>,
    /// Whether an existing report is replaced.
    pub force_overwrite: bool,
    /// How many kernels the list for a following ncu stage has.
    pub top_kernels: u64,
    /// Further options.
    pub extra_args: Vec<String>,
}

impl Nsys {
    pub(super) fn read(view: &View) -> Self {
        let text = |path| view.text(path).unwrap_or_default();
        let capture_range = CaptureRange::from_word(&text("pipeline.nsys.capture_range"));
        Self {
            enable: view.bool("pipeline.nsys.enable"),
            gating_nvtx: view.bool("pipeline.nsys.gating_nvtx"),
            executable: text("pipeline.nsys.executable"),
            trace: view.list("pipeline.nsys.trace", Some(',')),
            sample: text("pipeline.nsys.sample"),
            cpuctxsw: text("pipeline.nsys.cpuctxsw"),
            capture_range: capture_range.unwrap_or(CaptureRange::None),
            capture_range_end: view.text("pipeline.nsys.capture_range_end"),
            nvtx_capture: view.text("pipeline.nsys.nvtx_capture"),
            nvtx_domain_include: view.list("pipeline.nsys.nvtx_domain_include", Some(',')),
            nvtx_domain_exclude: view.list("pipeline.nsys.nvtx_domain_exclude", Some(',')),
            force_overwrite: view.bool("pipeline.nsys.force_overwrite"),
            top_kernels: view.int("pipeline.nsys.top_kernels").unwrap_or(0),
            extra_args: view.list("pipeline.nsys.extra_args", None),
        }
    }
}
