//! Regions of two sides, matched by domain, kind and path.

use crate::compare::delta::cost;
use crate::compare::kernels;
use crate::compare::runs::{ScopeRows, distinct};
use crate::compare::sides::{Asked, Sides, Timed};
use indexmap::IndexMap;
use rangescope_model::comparison::{RegionDelta, SetDelta, Verdict};
use rangescope_model::region::RegionKey;
use std::cmp::Ordering;

/// A set of results that is not a region.
pub(crate) fn set(sides: &Sides<'_>, asked: Asked<'_>) -> SetDelta {
    let Timed { verdict, time, calls, time_per_call } = sides.timed(asked.judge);
    SetDelta {
        verdict,
        time,
        calls,
        time_per_call,
        metrics: sides.metrics(asked),
        kernels: kernels::all(sides, asked),
    }
}

/// The regions of a scope, by what they cost.
pub(crate) fn all(
    base: &[Option<&ScopeRows<'_>>],
    new: &[Option<&ScopeRows<'_>>],
    asked: Asked<'_>,
) -> Vec<RegionDelta> {
    let mut matched: IndexMap<&RegionKey, (Sides<'_>, Vec<String>)> = IndexMap::new();
    let runs = [base.len(), new.len()];
    for (side, scopes) in [base, new].into_iter().enumerate() {
        for (run, scope) in scopes.iter().enumerate() {
            for (key, region) in scope.iter().flat_map(|scope| &scope.regions) {
                let (sides, renamed) =
                    matched.entry(key).or_insert_with(|| (Sides::of(runs), Vec::new()));
                sides.put(side, run, region.row.clone());
                renamed.extend(region.renamed_from.iter().map(|&name| name.to_owned()));
            }
        }
    }
    let mut regions: Vec<RegionDelta> = matched
        .into_iter()
        .map(|(key, (sides, renamed))| region(key, &sides, renamed, asked))
        .collect();
    regions.sort_by(by_cost);
    regions
}

fn region(
    key: &RegionKey,
    sides: &Sides<'_>,
    renamed: Vec<String>,
    asked: Asked<'_>,
) -> RegionDelta {
    let path: Vec<&str> = key.path.iter().map(String::as_str).collect();
    let Timed { verdict, time, calls, time_per_call } = sides.timed(asked.judge);
    RegionDelta {
        name: rangescope_model::region::display_name(&path),
        path: key.path.clone(),
        domain: key.domain.clone(),
        kind: key.kind,
        depth: u32::try_from(key.path.len().saturating_sub(1)).unwrap_or(u32::MAX),
        renamed_from: distinct(renamed.into_iter()),
        in_some_runs: sides.is_in_some_runs(),
        verdict,
        time,
        exclusive_time: sides.exclusive_time(asked.judge),
        calls,
        exclusive_calls: sides.count(asked.judge, |row| row.exclusive_calls),
        time_per_call,
        metrics: sides.metrics(asked),
        kernels: kernels::all(sides, asked),
    }
}

/// What costs most first; regions of equal cost by their place, so that the order is total.
fn by_cost(left: &RegionDelta, right: &RegionDelta) -> Ordering {
    cost(&right.time)
        .total_cmp(&cost(&left.time))
        .then_with(|| cost(&right.exclusive_time).total_cmp(&cost(&left.exclusive_time)))
        .then_with(|| rank(left.verdict).cmp(&rank(right.verdict)))
        .then_with(|| {
            (&left.domain, left.kind, &left.path).cmp(&(&right.domain, right.kind, &right.path))
        })
}

/// Where times are equal: what is on one side only comes first.
fn rank(verdict: Verdict) -> u8 {
    u8::from(!matches!(verdict, Verdict::New | Verdict::Gone))
}
