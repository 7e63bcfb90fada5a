//! What a caller can choose.

use crate::aggregate::Normaliser;
use crate::compare::gate::Gate;
use rangescope_model::document::ScopeKind;

/// How two sides are compared.
#[derive(Clone, Debug)]
pub struct CompareOptions {
    /// Which scopes are compared.
    pub scope: ScopeKind,
    /// Rules that rename regions of both sides before they are matched, name by name.
    pub renames: Normaliser,
    /// The metrics to compare: names, short names, or patterns with `*`; empty means [`DEFAULT_METRICS`](crate::compare::quantity::DEFAULT_METRICS).
    pub metrics: Vec<String>,
    /// With one run a side: a relative difference below this is called none.
    pub tolerance: f64,
    /// The gates.
    pub gates: Vec<Gate>,
    /// Whether a gate that matches nothing fails.
    pub strict_gates: bool,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self {
            scope: ScopeKind::Aggregate,
            renames: Normaliser::default(),
            metrics: Vec::new(),
            tolerance: 0.01,
            gates: Vec::new(),
            strict_gates: false,
        }
    }
}
