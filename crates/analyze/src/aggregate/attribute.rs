//! Which regions a result belongs to.
//!
//! Per domain that is the top of its push/pop stack, and every open start/end range on its own. The rules are those of the user manual, and nothing here
//! depends on anything but the result itself.

use crate::aggregate::normalise::Normaliser;
use crate::aggregate::tree::{Judge, NodeKey, RegionId, RegionTree};
use rangescope_model::launch::{Launch, LaunchKind, OpenRanges};
use rangescope_model::region::RangeKind;

/// Writes the innermost regions of a result into `regions`, in order of their numbers and each once.
pub(crate) fn attribute(
    tree: &mut RegionTree,
    normaliser: &Normaliser,
    judge: Option<&Judge<'_>>,
    launch: &Launch<'_>,
    regions: &mut Vec<RegionId>,
) {
    regions.clear();
    let mut is_cut = false;
    for (index, domain) in launch.domains.iter().enumerate() {
        let is_same =
            |other: &&OpenRanges<'_>| other.domain == domain.domain && other.nth == domain.nth;
        let earlier = launch.domains.get(..index).unwrap_or_default();
        if earlier.iter().any(|other| is_same(&other)) {
            continue;
        }
        // Two entries of one domain make one stack, in the order in which they stand; so a result has one innermost region per tree.
        let entries = launch.domains.iter().skip(index).filter(is_same);
        let domain_id = tree.domain_id(domain.domain, domain.nth);

        let mut innermost = None;
        for range in entries.clone().flat_map(|entry| &entry.push_pop) {
            let name = tree.range_name_id(range, normaliser);
            let key =
                NodeKey { parent: innermost, domain: domain_id, kind: RangeKind::PushPop, name };
            let Some(region) = tree.region(key, judge) else {
                is_cut = true;
                break;
            };
            innermost = Some(region);
        }
        if let Some(innermost) = innermost {
            regions.push(if launch.kind == LaunchKind::Range {
                replayed_region(tree, innermost)
            } else {
                innermost
            });
        }

        let mut open: Vec<(u64, &str)> =
            entries.flat_map(|entry| entry.start_end.iter().copied()).collect();
        open.sort_unstable();
        for (_, range) in open {
            let name = tree.range_name_id(range, normaliser);
            let key = NodeKey { parent: None, domain: domain_id, kind: RangeKind::StartEnd, name };
            regions.extend(tree.region(key, judge));
        }
    }
    regions.sort_unstable();
    regions.dedup();
    tree.cut += u64::from(is_cut);
}

/// The region that a replayed range is an instance of: the innermost one that a selector names, else the innermost one.
fn replayed_region(tree: &RegionTree, innermost: RegionId) -> RegionId {
    let is_named =
        |region: &RegionId| tree.node(*region).is_some_and(|node| node.named_by.is_some());
    tree.and_above(innermost).find(is_named).unwrap_or(innermost)
}
