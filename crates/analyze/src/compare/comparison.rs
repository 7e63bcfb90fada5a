//! The comparison as a whole: runs are taken apart, scopes and regions matched, differences judged, gates asked.

use crate::compare::delta::{Judge, noise_rule};
use crate::compare::gate;
use crate::compare::notes;
use crate::compare::options::CompareOptions;
use crate::compare::quantity;
use crate::compare::regions::{self, Sides};
use crate::compare::row::Row;
use crate::compare::runs::{self, RunScopes, ScopeKey, ScopeRows};
use indexmap::IndexSet;
use rangescope_model::comparison::{
    Comparison, SCHEMA_VERSION, ScopeComparison, Side, UnmatchedScope,
};
use rangescope_model::document::RegionDocument;

/// Compares the runs of two sides.
pub fn compare(
    base: &[RegionDocument],
    new: &[RegionDocument],
    options: &CompareOptions,
) -> Comparison {
    let take_apart =
        |documents: &'_ [RegionDocument]| -> Vec<_> { documents.iter().map(runs::info).collect() };
    let scopes_of = |document| runs::scopes(document, options.scope, &options.renames);
    let base_runs: Vec<RunScopes<'_>> = base.iter().map(scopes_of).collect();
    let new_runs: Vec<RunScopes<'_>> = new.iter().map(scopes_of).collect();
    let names = quantity::resolve(
        &options.metrics,
        options.gates.iter().filter_map(gate::Gate::metric),
        || available(base.iter().chain(new)),
    );
    let judge = Judge { tolerance: options.tolerance, has_spread: base.len() > 1 || new.len() > 1 };
    let (scopes, unmatched_scopes) = match_scopes(&base_runs, &new_runs, &names, judge);
    let mut comparison = Comparison {
        schema_version: SCHEMA_VERSION.to_owned(),
        notes: notes::all(base, new, options, !scopes.is_empty()),
        noise_rule: noise_rule(base.len(), new.len(), options.tolerance),
        base: Side { runs: take_apart(base) },
        new: Side { runs: take_apart(new) },
        scopes,
        unmatched_scopes,
        gates: None,
    };
    if !options.gates.is_empty() {
        comparison.gates = Some(gate::evaluate(&options.gates, &comparison, options.strict_gates));
    }
    comparison
}

/// The names of all metrics that any document has.
fn available<'d>(documents: impl Iterator<Item = &'d RegionDocument>) -> Vec<&'d str> {
    let names: IndexSet<&str> = documents
        .flat_map(|document| &document.reports)
        .flat_map(|report| report.totals.metrics.keys().map(String::as_str))
        .collect();
    names.into_iter().collect()
}

fn match_scopes(
    base: &[RunScopes<'_>],
    new: &[RunScopes<'_>],
    names: &[String],
    judge: Judge,
) -> (Vec<ScopeComparison>, Vec<UnmatchedScope>) {
    let keys: IndexSet<&ScopeKey> = base.iter().chain(new).flat_map(|run| run.keys()).collect();
    let mut scopes = Vec::new();
    let mut unmatched = Vec::new();
    for key in keys {
        let of = |runs: &'_ [RunScopes<'_>]| runs.iter().filter_map(|run| run.get(key)).count();
        let side = match (of(base), of(new)) {
            (0, _) => "new",
            (_, 0) => "base",
            _ => {
                let in_base: Vec<_> = base.iter().filter_map(|run| run.get(key)).collect();
                let in_new: Vec<_> = new.iter().filter_map(|run| run.get(key)).collect();
                scopes.push(scope(key, &in_base, &in_new, names, judge));
                continue;
            }
        };
        unmatched.push(UnmatchedScope {
            scope: key.0.clone(),
            basis: key.1,
            side: side.to_owned(),
        });
    }
    (scopes, unmatched)
}

fn scope(
    key: &ScopeKey,
    base: &[&ScopeRows<'_>],
    new: &[&ScopeRows<'_>],
    names: &[String],
    judge: Judge,
) -> ScopeComparison {
    let totals = Sides {
        base: base.iter().map(|rows| Row::totals(&rows.report.totals)).collect(),
        new: new.iter().map(|rows| Row::totals(&rows.report.totals)).collect(),
    };
    let unlabeled = Sides {
        base: base.iter().map(|rows| Row::totals(&rows.report.unlabeled)).collect(),
        new: new.iter().map(|rows| Row::totals(&rows.report.unlabeled)).collect(),
    };
    let has_unlabeled = unlabeled.base.iter().chain(&unlabeled.new).any(|row| row.calls > 0);
    ScopeComparison {
        scope: key.0.clone(),
        kind: base.first().map_or(rangescope_model::document::ScopeKind::Aggregate, |rows| {
            rows.report.scope.kind
        }),
        basis: key.1,
        totals: regions::set(&totals, names, judge),
        unlabeled: has_unlabeled.then(|| regions::set(&unlabeled, names, judge)),
        regions: regions::all(base, new, names, judge),
    }
}
