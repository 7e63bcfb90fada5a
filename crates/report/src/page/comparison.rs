//! What the page reads of a comparison: the part of the `compare.json` contract that it shows.
//!
//! The contract is read as data and not through the crate that writes it, because that crate builds on the reports, and reports build on this one.

use serde::{Deserialize, Serialize};

/// A comparison of two sides.
#[derive(Debug, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) notes: Vec<CompareNote>,
    pub(crate) noise_rule: String,
    pub(crate) base: Side,
    pub(crate) new: Side,
    pub(crate) scopes: Vec<ScopeComparison>,
    pub(crate) gates: Option<GateReport>,
}

/// What the reader must know first.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct CompareNote {
    pub(crate) severity: String,
    pub(crate) message: String,
}

/// One side.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Side {
    pub(crate) runs: Vec<Run>,
}

/// One run.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Run {
    pub(crate) files: Vec<String>,
    pub(crate) captured_at: Option<String>,
    pub(crate) simulated: bool,
    pub(crate) devices: Vec<String>,
    pub(crate) profilers: Vec<String>,
}

/// One scope.
#[derive(Debug, Deserialize)]
pub(crate) struct ScopeComparison {
    pub(crate) scope: String,
    pub(crate) kind: String,
    pub(crate) basis: String,
    pub(crate) totals: SetDelta,
    pub(crate) unlabeled: Option<SetDelta>,
    pub(crate) regions: Vec<RegionDelta>,
}

/// The difference of a set of results.
#[derive(Debug, Deserialize)]
pub(crate) struct SetDelta {
    pub(crate) verdict: String,
    pub(crate) time: Delta,
    pub(crate) calls: Delta,
    pub(crate) metrics: Vec<MetricDelta>,
    pub(crate) kernels: Vec<KernelDelta>,
}

/// The difference of a region.
#[derive(Debug, Deserialize)]
pub(crate) struct RegionDelta {
    pub(crate) name: String,
    pub(crate) path: Vec<String>,
    pub(crate) domain: String,
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) renamed_from: Vec<String>,
    pub(crate) exclusive_time: Delta,
    #[serde(flatten)]
    pub(crate) set: SetDelta,
}

/// The difference of a kernel.
#[derive(Debug, Deserialize)]
pub(crate) struct KernelDelta {
    pub(crate) kernel_name: String,
    pub(crate) verdict: String,
    pub(crate) shapes: String,
    pub(crate) time: Delta,
    pub(crate) calls: Delta,
}

/// The difference of a metric.
#[derive(Debug, Deserialize)]
pub(crate) struct MetricDelta {
    pub(crate) name: String,
    pub(crate) unit: String,
    pub(crate) exact: bool,
    pub(crate) delta: Delta,
}

/// A number on both sides.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Delta {
    pub(crate) base: Option<Spread>,
    pub(crate) new: Option<Spread>,
    pub(crate) relative: Option<f64>,
    pub(crate) change: String,
}

/// A number over the runs of a side.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
}

/// What the gates said.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct GateReport {
    pub(crate) failed: bool,
    pub(crate) gates: Vec<GateOutcome>,
}

/// What one gate said.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct GateOutcome {
    pub(crate) gate: String,
    pub(crate) status: String,
    pub(crate) checks: Vec<GateCheck>,
}

/// A gate applied to one region.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct GateCheck {
    pub(crate) status: String,
    pub(crate) message: String,
}
