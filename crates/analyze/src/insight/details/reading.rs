//! Reading a number that different chips and versions of ncu state under different names.

use super::model::{Extremes, Reading};
use crate::insight::measured::{Metrics, extremes, number};
use rangescope_model::document::Method;

/// Metrics that add up to a quantity, and what one count of them stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) metrics: &'static [&'static str],
    pub(super) times: f64,
}

/// A sector of the caches.
pub(super) const SECTOR_BYTES: f64 = 32.0;

pub(super) const fn plain(metrics: &'static [&'static str]) -> Source {
    Source { metrics, times: 1.0 }
}

pub(super) const fn sectors(metrics: &'static [&'static str]) -> Source {
    Source { metrics, times: SECTOR_BYTES }
}

/// The first source of which every metric has a value.
pub(super) fn first(metrics: &Metrics, sources: &[Source], unit: &str) -> Option<Reading> {
    sources.iter().find_map(|source| sum(metrics, source.metrics, source.times, unit))
}

/// The first of these metrics that has a value.
pub(super) fn first_of(metrics: &Metrics, names: &[&str]) -> Option<Reading> {
    names.iter().find_map(|name| one(metrics, name))
}

pub(super) fn one(metrics: &Metrics, name: &str) -> Option<Reading> {
    sum(metrics, &[name], 1.0, "")
}

/// The sum of some metrics; without a unit of its own it has that of the metrics.
pub(super) fn sum(metrics: &Metrics, names: &[&str], times: f64, unit: &str) -> Option<Reading> {
    let mut parts = names.iter().map(|name| metrics.get(*name));
    let first = parts.next()??;
    let mut total = Reading {
        value: number(first)?,
        unit: if unit.is_empty() { unit_of(names, &first.unit) } else { unit.to_owned() },
        metrics: names.iter().map(|&name| name.to_owned()).collect(),
        times,
        method: first.method,
        exact: first.exact,
        covered: (first.covered < first.of).then_some(first.covered),
    };
    for part in parts {
        let part = part?;
        total.value += number(part)?;
        total.exact &= part.exact;
        if part.covered < part.of {
            let covered = total.covered.map_or(part.covered, |known| known.min(part.covered));
            total.covered = Some(covered);
        }
    }
    total.value *= times;
    total.value.is_finite().then_some(total)
}

/// The unit of the metrics; what is a percentage by its name is one where nothing says so.
fn unit_of(names: &[&str], stated: &str) -> String {
    let is_percentage = |name: &&str| name.contains(".pct");
    let is_unsaid = stated.is_empty() && names.iter().all(is_percentage);
    if is_unsaid { "%".to_owned() } else { stated.to_owned() }
}

/// The quotient of two readings; exact where both are, because both are sums over the same results.
pub(super) fn quotient(above: &Reading, below: &Reading, unit: &str) -> Option<Reading> {
    let value = above.value / below.value;
    value.is_finite().then(|| Reading {
        value,
        unit: unit.to_owned(),
        metrics: [above.metrics.as_slice(), &below.metrics].concat(),
        times: 1.0,
        method: Method::RatioOfSums,
        exact: above.exact && below.exact && above.covered == below.covered,
        covered: above.covered.or(below.covered),
    })
}

/// A property of launches, which may differ between them.
pub(super) fn property(metrics: &Metrics, name: &str) -> Option<Extremes> {
    let (least, most) = extremes(metrics.get(name)?)?;
    Some(Extremes { least, most })
}
