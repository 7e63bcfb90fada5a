//! Which part of a gate matches nothing, and what may have been meant.

use super::{Gate, Quantity};
use crate::compare::quantity::{ALIASES, Alias, Way, alias};
use rangescope_model::comparison::Comparison;
use rangescope_model::nearest::suggestion;

/// What a gate that matches nothing is about and is not there: a region, or a metric of regions that are, of all metrics that were collected.
pub(super) fn part(
    gate: &Gate,
    comparison: &Comparison,
    collected: &[&str],
    has_no_region: bool,
) -> String {
    let regions = comparison.scopes.iter().flat_map(|scope| &scope.regions);
    let region = gate.text.rsplit_once(':').map(|(region, _)| region.trim());
    let no_region = region.filter(|_| has_no_region).map(|region| {
        let nearest = suggestion(region, regions.map(|region| region.name.as_str()));
        let nearest = nearest.unwrap_or_else(|| "there are none".to_owned());
        format!("no region matches `{region}`; {nearest}")
    });
    let no_metric = match &gate.quantity {
        Quantity::Metric(name) => metric(name, collected, has_no_region),
        _ => None,
    };
    let parts: Vec<String> = [no_region, no_metric].into_iter().flatten().collect();
    parts.join("; and ")
}

/// Nothing of a metric that was collected, where there are no regions for it to be in.
fn metric(name: &str, collected: &[&str], has_no_region: bool) -> Option<String> {
    if let Some(alias) = alias(name) {
        return of_alias(alias, collected, has_no_region);
    }
    if collected.contains(&name) {
        return (!has_no_region).then(|| format!("no result there has the metric `{name}`"));
    }
    if known().any(|known| known == name) {
        return Some(format!("the metric `{name}` was not collected; {}", how(&[name])));
    }
    let mut names: Vec<&str> = collected.to_vec();
    names.extend(ALIASES.iter().map(|alias| alias.name));
    let nearest = suggestion(name, names.into_iter()).unwrap_or_default();
    Some(format!(
        "the metric `{name}` was not collected; {nearest}. If ncu knows it, {}",
        how(&[name])
    ))
}

fn of_alias(alias: &'static Alias, collected: &[&str], has_no_region: bool) -> Option<String> {
    let is_there = |way: &'static Way| needed(way).iter().all(|name| collected.contains(name));
    let name = alias.name;
    if alias.ways.iter().any(is_there) {
        return (!has_no_region).then(|| format!("no result there has `{name}`"));
    }
    let best = alias.ways.first().map(needed).unwrap_or_default();
    Some(format!("`{name}` ({}) was not collected; {}", alias.about, how(best)))
}

/// How metrics are collected.
fn how(names: &[&str]) -> String {
    format!("`rangescope profile --metrics {}` collects it", names.join(","))
}

/// The metrics that short names are made of.
fn known() -> impl Iterator<Item = &'static str> {
    ALIASES.iter().flat_map(|alias| alias.ways).flat_map(needed).copied()
}

/// The metrics that one way to make a quantity needs.
fn needed(way: &'static Way) -> &'static [&'static str] {
    match way {
        Way::Metrics(names) => names,
        Way::RateTimesTime(name) => std::slice::from_ref(name),
    }
}
