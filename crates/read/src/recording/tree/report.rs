//! The tree of one scope as plain data.

use rangescope_model::document::Scope;
use rangescope_model::region::display_name;

use super::table::Table;
use super::tally::{RegionTally, Tally};
use rangescope_model::recorded::{RecordedRegion, RegionTree};

/// The regions of a scope, parents before children.
pub(super) fn tree(scope: Scope, table: &Table, mut tally: Tally) -> RegionTree {
    let order = order(table, &tally);
    // Position in the report by the number of the region.
    let mut positions = vec![None; order.iter().max().map_or(0, |last| last + 1)];
    for (position, region) in order.iter().enumerate() {
        positions[*region] = Some(position);
    }
    let position = |region: usize| positions.get(region).copied().flatten();
    let mut regions = Vec::with_capacity(order.len());
    for region in order {
        let counted = tally.regions.get_mut(&region);
        regions.extend(counted.and_then(|counted| recorded(table, region, counted, position)));
    }
    let mut open_together: Vec<[usize; 2]> = Vec::with_capacity(tally.pairs.len());
    #[expect(clippy::iter_over_hash_type, reason = "sorted below")]
    for (a, b) in &tally.pairs {
        if let (Some(a), Some(b)) = (position(*a), position(*b)) {
            open_together.push([a.min(b), a.max(b)]);
        }
    }
    open_together.sort_unstable();
    RegionTree {
        scope,
        regions,
        open_together,
        open_together_complete: tally.pairs_complete,
        marks: tally.marks,
        simulated_launches: tally.launches,
        pops_without_push: tally.pops_without_push,
        ends_without_start: tally.ends_without_start,
        ranges_too_deep: tally.too_deep,
    }
}

/// The regions of a scope such that each comes after its parent and siblings are in order of first appearance.
fn order(table: &Table, tally: &Tally) -> Vec<usize> {
    let parent = |region: usize| table.get(region).and_then(|(key, _)| key.parent);
    let mut children: std::collections::BTreeMap<Option<usize>, Vec<usize>> =
        std::collections::BTreeMap::new();
    for region in tally.regions.keys() {
        children.entry(parent(*region)).or_default().push(*region);
    }
    let mut waiting: Vec<usize> = children.remove(&None).unwrap_or_default();
    waiting.reverse();
    let mut order = Vec::with_capacity(tally.regions.len());
    while let Some(region) = waiting.pop() {
        order.push(region);
        waiting.extend(children.remove(&Some(region)).unwrap_or_default().into_iter().rev());
    }
    order
}

fn recorded(
    table: &Table,
    region: usize,
    counted: &mut RegionTally,
    position: impl Fn(usize) -> Option<usize>,
) -> Option<RecordedRegion> {
    let (key, depth) = table.get(region)?;
    let path = table.path(region);
    let durations = &mut counted.durations;
    durations.sort_unstable();
    let total: u128 = durations.iter().map(|duration| u128::from(*duration)).sum();
    let edge = |duration: Option<&u64>| milliseconds(duration.copied().unwrap_or_default().into());
    Some(RecordedRegion {
        name: display_name(&path),
        parent: key.parent.and_then(position),
        depth,
        kind: key.kind,
        domain: table.domain(key).to_owned(),
        instances: durations.len() as u64,
        never_closed: counted.never_closed,
        total_ms: milliseconds(total),
        exclusive_ms: milliseconds(counted.exclusive),
        min_ms: edge(durations.first()),
        median_ms: median(durations),
        max_ms: edge(durations.last()),
        threads: counted.threads,
        processes: counted.processes,
        most_open: counted.most_open,
        path: path.into_iter().map(str::to_owned).collect(),
    })
}

/// The middle of a sorted list in milliseconds; between the two in the middle of an even one.
fn median(sorted: &[u64]) -> f64 {
    let upper = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    let lower = sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default();
    milliseconds(u128::from(lower) + u128::from(upper)) / 2.0
}

pub(super) fn milliseconds(nanoseconds: u128) -> f64 {
    nanoseconds as f64 / 1e6
}
