//! What people see of a recording: families in place of their members, down to some depth, siblings in some order, the heaviest of them.
//!
//! What a family is, is what it is in reports, by names and by what lies inside: which kernels run is not in a recording. A number that does not follow from those of the members is absent: the recording has no median over all of them, and of
//! threads and processes only the fewest that there can be are known.

use crate::aggregate::families::{Sibling, families};
use crate::view::{SortKey, View, depth_first, heaviest};
use rangescope_model::recorded::{RecordedRegion, RecordedRegions, RegionTree};
use rangescope_model::region::RangeKind;

/// A region or a family of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'t> {
    pub domain: &'t str,
    pub kind: RangeKind,
    /// The own name; `*` stands for numbers that differ.
    pub name: String,
    pub depth: usize,
    /// How many regions this is, for a family.
    pub members: Option<usize>,
    pub instances: u64,
    pub never_closed: u64,
    pub total_ms: f64,
    pub exclusive_ms: f64,
    pub min_ms: f64,
    /// Of all instances; of a family it is known if each member has one.
    pub median_ms: Option<f64>,
    pub max_ms: f64,
    pub threads: AtLeast,
    pub processes: AtLeast,
}

/// A count of which only the least may be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtLeast {
    pub count: u64,
    pub is_exact: bool,
}

/// What no count can exceed.
#[derive(Clone, Copy)]
struct Most {
    threads: u64,
    processes: u64,
}

/// Rows in the order in which they are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows<'t> {
    pub rows: Vec<Row<'t>>,
    /// Rows that were left out because others are heavier.
    pub left_out: usize,
}

/// What is shown of the regions of one scope of a recording.
pub fn rows<'t>(recording: &RecordedRegions, tree: &'t RegionTree, view: &View) -> Rows<'t> {
    let most = Most {
        threads: recording.processes.iter().map(|process| process.threads.len() as u64).sum(),
        processes: recording.processes.len() as u64,
    };
    let folds = if view.unfold { Vec::new() } else { families(siblings(tree)) };
    // By region: the first region of the row that it is in, which names the row.
    let mut first: Vec<usize> = (0..tree.regions.len()).collect();
    let mut found: Vec<(usize, Row<'t>)> = Vec::new();
    for fold in &folds {
        let regions = fold.members.iter().filter_map(|member| tree.regions.get(*member));
        let regions: Vec<&RecordedRegion> = regions.collect();
        let (Some(row), Some(&least)) = (family(&regions, &fold.path, most), fold.members.first())
        else {
            continue;
        };
        for member in &fold.members {
            if let Some(place) = first.get_mut(*member) {
                *place = least;
            }
        }
        found.push((least, row));
    }
    let in_family: std::collections::BTreeSet<usize> =
        folds.iter().flat_map(|fold| fold.members.iter().copied()).collect();
    let single = tree.regions.iter().enumerate().filter(|(at, _)| !in_family.contains(at));
    found.extend(single.map(|(at, region)| (at, single_row(region))));
    let deepest = view.depth.unwrap_or(usize::MAX).max(1);
    found.retain(|(_, row)| row.depth < deepest);
    sort(&mut found, view.sort);

    let mut place_of = vec![None; tree.regions.len()];
    for (place, (at, _)) in found.iter().enumerate() {
        if let Some(slot) = place_of.get_mut(*at) {
            *slot = Some(place);
        }
    }
    let parent = |at: usize| {
        let parent = first.get(parent_of(tree, at)?)?;
        place_of.get(*parent).copied().flatten()
    };
    let parents: Vec<Option<usize>> = found.iter().map(|(at, _)| parent(*at)).collect();
    let weights: Vec<f64> = found.iter().map(|(_, row)| row.total_ms).collect();
    let kept = heaviest(&weights, &parents, view.top.unwrap_or(usize::MAX));
    let left_out = kept.iter().filter(|kept| !**kept).count();
    let mut found: Vec<Option<Row<'t>>> = found.into_iter().map(|(_, row)| Some(row)).collect();
    let order = depth_first(&parents).into_iter();
    let shown = order.filter(|place| kept.get(*place) == Some(&true));
    let rows = shown.filter_map(|place| found.get_mut(place)?.take()).collect();
    Rows { rows, left_out }
}

fn siblings<'t>(tree: &'t RegionTree) -> Vec<Sibling<'t>> {
    let sibling = |(at, region): (usize, &'t RecordedRegion)| {
        Sibling::new(parent_of(tree, at), (region.domain.as_str(), region.kind), own_name(region))
    };
    tree.regions.iter().enumerate().map(sibling).collect()
}

/// A parent comes before its children; what a file claims otherwise could go round in circles.
fn parent_of(tree: &RegionTree, region: usize) -> Option<usize> {
    tree.regions.get(region)?.parent.filter(|parent| *parent < region)
}

fn own_name(region: &RecordedRegion) -> &str {
    region.path.last().map_or("", String::as_str)
}

fn single_row(region: &RecordedRegion) -> Row<'_> {
    let exactly = |count| AtLeast { count, is_exact: true };
    Row {
        domain: &region.domain,
        kind: region.kind,
        name: own_name(region).to_owned(),
        depth: region.depth as usize,
        members: None,
        instances: region.instances,
        never_closed: region.never_closed,
        total_ms: region.total_ms,
        exclusive_ms: region.exclusive_ms,
        min_ms: region.min_ms,
        median_ms: Some(region.median_ms),
        max_ms: region.max_ms,
        threads: exactly(region.threads),
        processes: exactly(region.processes),
    }
}

fn family<'t>(regions: &[&'t RecordedRegion], path: &[String], most: Most) -> Option<Row<'t>> {
    let (first, others) = regions.split_first()?;
    let mut row = single_row(first);
    row.name.clone_from(path.last()?);
    row.depth = path.len() - 1;
    row.members = Some(regions.len());
    for other in others {
        row.instances = row.instances.saturating_add(other.instances);
        row.never_closed = row.never_closed.saturating_add(other.never_closed);
        row.total_ms += other.total_ms;
        row.exclusive_ms += other.exclusive_ms;
        row.min_ms = row.min_ms.min(other.min_ms);
        row.max_ms = row.max_ms.max(other.max_ms);
        for (ours, theirs, most) in [
            (&mut row.threads, other.threads, most.threads),
            (&mut row.processes, other.processes, most.processes),
        ] {
            let count = ours.count.max(theirs);
            *ours = AtLeast { count, is_exact: count >= most };
        }
    }
    if !others.is_empty() {
        let is_single = regions.iter().all(|region| region.instances == 1);
        row.median_ms = is_single.then(|| median(regions));
    }
    Some(row)
}

/// The middle one of the times; between the two in the middle where their number is even.
fn median(regions: &[&RecordedRegion]) -> f64 {
    let mut times: Vec<f64> = regions.iter().map(|region| region.total_ms).collect();
    times.sort_by(f64::total_cmp);
    let at = |place: usize| times.get(place).copied().unwrap_or_default();
    f64::midpoint(at(times.len().saturating_sub(1) / 2), at(times.len() / 2))
}

fn sort(found: &mut [(usize, Row<'_>)], key: SortKey) {
    let heaviest = |weight: fn(&Row<'_>) -> f64| {
        move |left: &(usize, Row<'_>), right: &(usize, Row<'_>)| {
            weight(&right.1).total_cmp(&weight(&left.1)).then(left.0.cmp(&right.0))
        }
    };
    match key {
        SortKey::Appearance => found.sort_by_key(|(at, _)| *at),
        SortKey::Time => found.sort_by(heaviest(|row| row.total_ms)),
        SortKey::Exclusive => found.sort_by(heaviest(|row| row.exclusive_ms)),
        SortKey::Launches => found.sort_by(heaviest(|row| row.instances as f64)),
        SortKey::Name => {
            found.sort_by(|left, right| (&left.1.name, left.0).cmp(&(&right.1.name, right.0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AtLeast, rows};
    use crate::view::View;
    use rangescope_model::recorded::RecordedRegions;
    use serde_json::{Value, json};

    /// Regions given as name, parent, instances and time, of one process with two threads.
    fn recording(regions: &[(&str, Option<usize>, u64, f64)]) -> RecordedRegions {
        let region = |(name, parent, instances, ms): &(&str, Option<usize>, u64, f64)| {
            json!({
                "name": name, "path": [name], "parent": parent, "depth": u32::from(parent.is_some()),
                "kind": "push_pop", "domain": "", "instances": instances, "never_closed": 0,
                "total_ms": ms, "exclusive_ms": ms, "min_ms": ms, "median_ms": ms, "max_ms": ms,
                "threads": 1, "processes": 1, "most_open": 1,
            })
        };
        let regions: Vec<Value> = regions.iter().map(region).collect();
        let thread = json!({ "thread_id": 1, "name": null });
        serde_json::from_value(json!({
            "schema_version": "1.0", "tool": { "name": "", "version": "" }, "notes": [],
            "processes": [{
                "scope": "process:1", "process_id": 1, "parent_id": 0, "forked": false, "host": "",
                "command": [], "rank": null, "local_rank": null, "world_size": null,
                "began_unix_ms": 0.0, "duration_ms": 1.0, "ended_in_order": true,
                "threads": [thread, thread], "events": 0, "events_lost": 0,
                "extended_payloads": 0, "storage_error": null,
            }],
            "reports": [{
                "scope": {
                    "id": "aggregate", "kind": "aggregate", "process_id": null,
                    "process_name": null, "host": null, "rank": null, "device": null,
                },
                "regions": regions, "open_together": [], "open_together_complete": true,
                "marks": 0, "simulated_launches": 0, "pops_without_push": 0,
                "ends_without_start": 0, "ranges_too_deep": 0,
            }],
        }))
        .unwrap()
    }

    #[test]
    fn a_family_has_what_follows_from_its_members() {
        let once = recording(&[("l0", None, 1, 1.0), ("l1", None, 1, 4.0), ("l2", None, 1, 2.0)]);
        let shown = rows(&once, &once.reports[0], &View::default());
        let [family] = shown.rows.as_slice() else { panic!("{shown:?}") };
        assert_eq!((family.name.as_str(), family.members), ("l*", Some(3)));
        assert_eq!((family.total_ms, family.min_ms, family.max_ms), (7.0, 1.0, 4.0));
        assert_eq!(family.median_ms, Some(2.0));
        assert_eq!(family.threads, AtLeast { count: 1, is_exact: false }, "or both threads");
        assert_eq!(family.processes, AtLeast { count: 1, is_exact: true });
        let twice = recording(&[("l0", None, 2, 1.0), ("l1", None, 1, 4.0), ("l2", None, 1, 2.0)]);
        let shown = rows(&twice, &twice.reports[0], &View::default());
        assert_eq!((shown.rows[0].instances, shown.rows[0].median_ms), (4, None));
    }

    #[test]
    fn parents_that_go_round_in_circles_are_none() {
        let circle =
            recording(&[("a", Some(1), 1, 1.0), ("b", Some(0), 1, 2.0), ("c", Some(9), 1, 3.0)]);
        for top in [None, Some(2)] {
            let view = View { top, ..View::default() };
            let shown = rows(&circle, &circle.reports[0], &view);
            assert_eq!(shown.rows.len() + shown.left_out, 3);
        }
    }
}
