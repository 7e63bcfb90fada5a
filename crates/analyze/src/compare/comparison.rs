//! The comparison as a whole: runs are taken apart, scopes and regions matched, differences judged, gates asked.

use crate::compare::delta::{Judge, noise_rule};
use crate::compare::gate;
use crate::compare::notes;
use crate::compare::options::CompareOptions;
use crate::compare::quantity;
use crate::compare::regions;
use crate::compare::row::Row;
use crate::compare::runs::{self, RunScopes, ScopeKey, ScopeRows};
use crate::compare::sides::{Asked, Sides};
use crate::compare::statistics::Samples;
use indexmap::IndexSet;
use rangescope_model::comparison::{
    Comparison, SCHEMA_VERSION, ScopeComparison, Side, UnmatchedScope,
};
use rangescope_model::document::{NCUProfileRegionReport, RegionDocument, ScopeKind, Totals};
use std::cell::RefCell;

/// Compares the runs of two sides.
pub fn compare(
    base: &[RegionDocument],
    new: &[RegionDocument],
    options: &CompareOptions,
) -> Comparison {
    let scopes_of = |document| runs::scopes(document, options.scope, &options.renames);
    let [base_runs, new_runs] = [base, new].map(|documents| -> Vec<RunScopes<'_>> {
        runs::distinct_runs(documents).into_iter().map(scopes_of).collect()
    });
    let names = quantity::resolve(
        &options.metrics,
        options.gates.iter().filter_map(gate::Gate::metric),
        || available(base.iter().chain(new)),
    );
    let samples = RefCell::new(Samples::default());
    let asked = Asked { names: &names, judge: Judge::gathering(&samples) };
    match_scopes(&base_runs, &new_runs, asked);
    let verdicts = samples.into_inner().judge();
    let asked =
        Asked { names: &names, judge: Judge::deciding(&verdicts, options.tolerance_percent) };
    let (scopes, unmatched_scopes) = match_scopes(&base_runs, &new_runs, asked);
    let mut comparison = Comparison {
        schema_version: SCHEMA_VERSION.to_owned(),
        notes: notes::all(base, new, options, !scopes.is_empty()),
        noise_rule: noise_rule(base_runs.len(), new_runs.len(), options.tolerance_percent),
        tolerance_percent: options.tolerance_percent,
        base: Side { runs: runs::infos(base, &options.base_names) },
        new: Side { runs: runs::infos(new, &options.new_names) },
        scopes,
        unmatched_scopes,
        gates: None,
    };
    if !options.gates.is_empty() || options.strict_gates {
        let incomplete = notes::incomplete(base, new, options);
        comparison.gates = Some(gate::evaluate(options, &comparison, &incomplete));
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
    asked: Asked<'_>,
) -> (Vec<ScopeComparison>, Vec<UnmatchedScope>) {
    let keys: IndexSet<&ScopeKey> = base.iter().chain(new).flat_map(|run| run.keys()).collect();
    let mut scopes = Vec::new();
    let mut unmatched = Vec::new();
    for key in keys {
        let [in_base, in_new] =
            [base, new].map(|runs| -> Vec<_> { runs.iter().map(|run| run.get(key)).collect() });
        let is_in = |runs: &[Option<&ScopeRows<'_>>]| runs.iter().any(Option::is_some);
        let side = match (is_in(&in_base), is_in(&in_new)) {
            (true, true) => {
                scopes.push(scope(key, &in_base, &in_new, asked));
                continue;
            }
            (true, false) => "base",
            (false, _) => "new",
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
    base: &[Option<&ScopeRows<'_>>],
    new: &[Option<&ScopeRows<'_>>],
    asked: Asked<'_>,
) -> ScopeComparison {
    let set = |of: fn(&NCUProfileRegionReport) -> &Totals| {
        let mut sides = Sides::of([base.len(), new.len()]);
        for (side, runs) in [base, new].into_iter().enumerate() {
            for (run, rows) in runs.iter().enumerate() {
                if let Some(rows) = rows {
                    sides.put(side, run, Row::totals(of(rows.report)));
                }
            }
        }
        sides
    };
    let unlabeled = set(|report| &report.unlabeled);
    let has_unlabeled = unlabeled.rows().any(|(_, _, row)| row.calls > 0);
    let first = base.iter().flatten().next();
    ScopeComparison {
        scope: key.0.clone(),
        kind: first.map_or(ScopeKind::Aggregate, |rows| rows.report.scope.kind),
        basis: key.1,
        totals: regions::set(&set(|report| &report.totals), asked),
        unlabeled: has_unlabeled.then(|| regions::set(&unlabeled, asked)),
        regions: regions::all(base, new, asked),
    }
}
