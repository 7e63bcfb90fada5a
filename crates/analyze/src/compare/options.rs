//! What a caller can choose.

use crate::aggregate::Normaliser;
use crate::compare::gate::Gate;
use rangescope_model::document::ScopeKind;

#[derive(Clone, Debug)]
pub struct CompareOptions {
    pub scope: ScopeKind,
    /// Rules that rename regions of both sides before they are matched, name by name.
    pub renames: Normaliser,
    /// The metrics to compare: names, short names, or patterns with `*`; empty means [`DEFAULT_METRICS`](crate::compare::quantity::DEFAULT_METRICS).
    pub metrics: Vec<String>,
    /// A difference below this many per cent of the base is called none.
    pub tolerance_percent: f64,
    /// The gates.
    pub gates: Vec<Gate>,
    /// Whether a gate that cannot be judged fails, and a comparison of runs that are not comparable.
    pub strict_gates: bool,
    /// Whether a gate that matches nothing is let pass.
    pub allow_missing: bool,
    /// Where each run stands in an order that was recorded for all of them.
    pub base_turns: Vec<Option<u64>>,
    pub new_turns: Vec<Option<u64>>,
    /// Names of the runs, in their order; a run without one is called as its files are.
    pub base_names: Vec<String>,
    pub new_names: Vec<String>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            scope: ScopeKind::Aggregate,
            renames: Normaliser::default(),
            metrics: Vec::new(),
            tolerance_percent: 1.0,
            gates: Vec::new(),
            strict_gates: false,
            allow_missing: false,
            base_turns: Vec::new(),
            new_turns: Vec::new(),
            base_names: Vec::new(),
            new_names: Vec::new(),
        }
    }
}
