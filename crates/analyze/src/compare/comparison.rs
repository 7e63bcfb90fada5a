//! The comparison as a whole: runs are taken apart, scopes and regions matched, differences judged, gates asked.

use crate::compare::copies;
use crate::compare::delta::{Judge, Measure, TIME_FAMILY, noise_rule};
use crate::compare::families;
use crate::compare::gate;
use crate::compare::notes;
use crate::compare::options::CompareOptions;
use crate::compare::order::Order;
use crate::compare::quantity;
use crate::compare::regions;
use crate::compare::row::Row;
use crate::compare::runs::{self, RunScopes, ScopeKey, ScopeRows};
use crate::compare::sides::{Asked, Sides};
use crate::compare::statistics::{self, Samples};
use indexmap::IndexSet;
use rangescope_model::comparison::{
    Comparison, SCHEMA_VERSION, ScopeComparison, Side, UnmatchedScope,
};
use rangescope_model::document::{RegionDocument, ResultSet, ScopeKind, ScopeReport};
use std::cell::RefCell;

/// Compares the runs of two sides.
pub fn compare(
    base: &[RegionDocument],
    new: &[RegionDocument],
    options: &CompareOptions,
) -> Comparison {
    let distinct = [base, new].map(copies::distinct_runs);
    let [base_runs, new_runs] = [0, 1].map(|side| -> Vec<RunScopes<'_>> {
        let documents = distinct[side].iter().filter_map(|at| [base, new][side].get(*at));
        documents.map(|document| runs::scopes(document, options.scope, &options.renames)).collect()
    });
    let names = quantity::resolve(
        &options.metrics,
        options.gates.iter().filter_map(gate::Gate::metric),
        || available(base.iter().chain(new)),
    );
    let order = order([base, new], &distinct, options);
    let step_ns = [&base_runs, &new_runs].map(|runs| statistics::step(runs::durations_ns(runs)));
    let step_ns = step_ns[0].max(step_ns[1]);
    let measure = Measure { tolerance_percent: options.tolerance_percent, step_ms: step_ns / 1e6 };
    let samples = RefCell::new(Samples::default());
    let asked = Asked { names: &names, judge: Judge::gathering(&samples, measure) };
    match_scopes(&base_runs, &new_runs, asked);
    let verdicts = samples.into_inner().judge(&order.places);
    let asked = Asked { names: &names, judge: Judge::deciding(&verdicts, measure) };
    let (scopes, unmatched_scopes) = match_scopes(&base_runs, &new_runs, asked);
    let runs = [base_runs.len(), new_runs.len()];
    let drift = runs.iter().all(|runs| *runs > 1).then(|| verdicts.drift(TIME_FAMILY));
    let mut notes = notes::all(base, new, options, !scopes.is_empty());
    notes::of_runs(runs, &order, drift, &mut notes);
    let mut comparison = Comparison {
        schema_version: SCHEMA_VERSION.to_owned(),
        notes,
        noise_rule: noise_rule(runs, measure),
        tolerance_percent: options.tolerance_percent,
        confidence: statistics::are_enough(runs).then_some(statistics::CONFIDENCE),
        step_ns: (step_ns > 0.0).then_some(step_ns),
        order: order.kind,
        drift_per_run: drift,
        base: Side { runs: runs::infos(base, &options.base_names) },
        new: Side { runs: runs::infos(new, &options.new_names) },
        scopes,
        unmatched_scopes,
        gates: None,
    };
    if !options.gates.is_empty() || options.strict_gates {
        let incomplete = notes::incomplete(base, new, options);
        let evidence = gate::Evidence { runs, step_ms: measure.step_ms, verdicts: &verdicts };
        let collected = available(base.iter().chain(new));
        let gates = gate::evaluate(options, &comparison, &evidence, &incomplete, &collected);
        comparison.gates = Some(gates);
    }
    comparison
}

/// The order of the runs that count.
fn order(
    sides: [&[RegionDocument]; 2],
    distinct: &[Vec<usize>; 2],
    options: &CompareOptions,
) -> Order {
    let turns = [&options.base_turns, &options.new_turns];
    let [base, new] = [0, 1].map(|side| -> (Vec<Option<u64>>, Vec<Option<&str>>) {
        let of = |at: &usize| {
            let stamp = sides[side].get(*at).and_then(|run| run.generated_at.as_deref());
            (turns[side].get(*at).copied().flatten(), stamp)
        };
        distinct[side].iter().map(of).unzip()
    });
    Order::of([&base.0, &new.0], [&base.1, &new.1])
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
    let set = |of: fn(&ScopeReport) -> &ResultSet| {
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
    let regions = regions::all(base, new, asked);
    ScopeComparison {
        scope: key.0.clone(),
        kind: first.map_or(ScopeKind::Aggregate, |rows| rows.report.scope.kind),
        basis: key.1,
        totals: regions::set(&set(|report| &report.totals), asked),
        unlabeled: has_unlabeled.then(|| regions::set(&unlabeled, asked)),
        families: families::all([base, new], &regions),
        regions,
    }
}
