//! Regions of two sides, matched by domain, kind and path.

use crate::compare::delta::{Absence, Judge, cost, verdict};
use crate::compare::kernels;
use crate::compare::quantity::Value;
use crate::compare::row::Row;
use crate::compare::runs::{ScopeRows, distinct};
use indexmap::IndexMap;
use rangescope_model::comparison::{Delta, MetricDelta, RegionDelta, SetDelta, Verdict};
use rangescope_model::region::RegionKey;
use std::cmp::Ordering;

/// The rows of one set on both sides, one per run that has it.
#[derive(Debug, Default)]
pub(crate) struct Sides<'d> {
    pub(crate) base: Vec<Row<'d>>,
    pub(crate) new: Vec<Row<'d>>,
}

impl Sides<'_> {
    pub(crate) fn delta(&self, judge: Judge, get: impl Fn(&Row<'_>) -> f64) -> Delta {
        let values = |rows: &[Row<'_>]| -> Vec<f64> { rows.iter().map(&get).collect() };
        judge.delta(&values(&self.base), &values(&self.new), Absence::Zero)
    }

    /// The metrics that at least one side has.
    pub(crate) fn metrics(&self, names: &[String], judge: Judge) -> Vec<MetricDelta> {
        names.iter().filter_map(|name| self.metric(name, judge)).collect()
    }

    fn metric(&self, name: &str, judge: Judge) -> Option<MetricDelta> {
        let values = |rows: &[Row<'_>]| -> Vec<Value> {
            rows.iter().filter_map(|row| row.value(name)).collect()
        };
        let (base, new) = (values(&self.base), values(&self.new));
        let all = || base.iter().chain(&new);
        let first = all().next()?;
        let numbers =
            |values: &[Value]| -> Vec<f64> { values.iter().map(|value| value.number).collect() };
        Some(MetricDelta {
            name: name.to_owned(),
            unit: first.unit.clone(),
            method: first.method,
            exact: all().all(|value| value.exact),
            delta: judge.delta(&numbers(&base), &numbers(&new), Absence::Unknown),
        })
    }
}

/// A set of results that is not a region.
pub(crate) fn set(sides: &Sides<'_>, names: &[String], judge: Judge) -> SetDelta {
    let time = sides.delta(judge, |row| row.time);
    SetDelta {
        verdict: verdict(&time),
        time,
        calls: sides.delta(judge, |row| row.calls as f64),
        metrics: sides.metrics(names, judge),
        kernels: kernels::all(sides, names, judge),
    }
}

/// The regions of a scope, by what they cost.
pub(crate) fn all(
    base: &[&ScopeRows<'_>],
    new: &[&ScopeRows<'_>],
    names: &[String],
    judge: Judge,
) -> Vec<RegionDelta> {
    let mut matched: IndexMap<&RegionKey, (Sides<'_>, Vec<String>)> = IndexMap::new();
    for (rows, is_base) in
        base.iter().map(|rows| (rows, true)).chain(new.iter().map(|rows| (rows, false)))
    {
        for (key, region) in &rows.regions {
            let (sides, renamed) = matched.entry(key).or_default();
            let side = if is_base { &mut sides.base } else { &mut sides.new };
            side.push(region.row.clone());
            renamed.extend(region.renamed_from.iter().map(|&name| name.to_owned()));
        }
    }
    let runs = (base.len(), new.len());
    let mut regions: Vec<RegionDelta> = matched
        .into_iter()
        .map(|(key, (sides, renamed))| region(key, &sides, renamed, runs, names, judge))
        .collect();
    regions.sort_by(by_cost);
    regions
}

fn region(
    key: &RegionKey,
    sides: &Sides<'_>,
    renamed: Vec<String>,
    runs: (usize, usize),
    names: &[String],
    judge: Judge,
) -> RegionDelta {
    let path: Vec<&str> = key.path.iter().map(String::as_str).collect();
    let time = sides.delta(judge, |row| row.time);
    let only_some = |rows: usize, runs: usize| rows > 0 && rows < runs;
    RegionDelta {
        name: rangescope_model::region::display_name(&path),
        path: key.path.clone(),
        domain: key.domain.clone(),
        kind: key.kind,
        depth: u32::try_from(key.path.len().saturating_sub(1)).unwrap_or(u32::MAX),
        renamed_from: distinct(renamed.into_iter()),
        in_some_runs: only_some(sides.base.len(), runs.0) || only_some(sides.new.len(), runs.1),
        verdict: verdict(&time),
        time,
        exclusive_time: sides.delta(judge, |row| row.exclusive_time),
        calls: sides.delta(judge, |row| row.calls as f64),
        exclusive_calls: sides.delta(judge, |row| row.exclusive_calls as f64),
        metrics: sides.metrics(names, judge),
        kernels: kernels::all(sides, names, judge),
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
