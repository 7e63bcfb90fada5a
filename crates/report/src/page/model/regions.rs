//! The table of a report's regions and families, column by column.
//!
//! A node is a position in it: the regions of the document come first, the families after them. Regions have their parents in the exact tree, families
//! theirs in the folded one; the script puts the tree together that is shown.

use crate::phrases;
use rangescope_analyze::insight::model::RegionInsight;
use rangescope_analyze::{direct_in_members, direct_kernels};
use rangescope_model::document::{Family, KernelSummary, Region, ResultSet};
use rangescope_model::number::weight;
use rangescope_model::region::RangeKind;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::advice::{Advice, PageBound, Rule};
use super::number::Number;
use super::pool::number;
use super::roofline::RegionRoofline;
use super::tree::own_names;
use super::{Seen, Shared, given};

/// The nodes of one report; the fields are columns.
#[derive(Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Regions {
    /// The names below the parent; mostly one.
    own: Vec<Own>,
    /// Position of the parent, −1 for a root.
    parent: Vec<i64>,
    /// 1 for start/end ranges.
    start_end: Vec<u8>,
    domain: Vec<u32>,
    process: Vec<Option<u32>>,
    device: Vec<Option<u32>>,
    ns: Vec<Number>,
    self_ns: Vec<Number>,
    results: Vec<u64>,
    self_results: Vec<u64>,
    timed: Vec<u64>,
    selector: Vec<Option<u32>>,
    seen: Vec<u64>,
    details: Vec<Details>,
    /// Number of the kernels that are launched in the node itself, −1 for all of its list.
    direct: Vec<Option<i64>>,
    /// What makes the last nodes families, in their order.
    families: Vec<PageFamily>,
}

/// The members of a family, and how much they differ.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct PageFamily {
    members: Vec<u32>,
    min: Number,
    mean: Number,
    max: Number,
    /// Members that stand out, furthest first.
    outliers: Vec<u32>,
    /// What is said of each of them.
    said: Vec<u32>,
}

/// Own name, or several where parents were left out.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
enum Own {
    One(u32),
    Several(Vec<u32>),
}

/// Numbers of what is stored elsewhere: metrics, exclusive metrics or −1, sections, kernels, rules, advice, bound, roofline, charts or −1.
type Details = (u32, i64, u32, u32, u32, u32, u32, u32, i64);

/// The nodes of a report with what is concluded about each.
#[derive(Debug)]
pub(crate) struct Nodes<'d> {
    described: Vec<(&'d Region, &'d RegionInsight)>,
    families: Vec<&'d Family>,
    positions: FxHashMap<*const ResultSet, usize>,
    /// For each entry of what is seen folded: its position among the nodes.
    folded: Vec<Option<usize>>,
}

impl<'d> Nodes<'d> {
    pub(crate) fn of(seen: &Seen<'d>) -> Self {
        let regions = &seen.report.regions;
        let folded = || seen.folded.regions.iter().zip(&seen.folded_insight.regions);
        let as_seen: FxHashMap<_, _> =
            folded().map(|(region, insight)| (region.set.address(), insight)).collect();
        // What is said of a region that is seen takes the families around it into account.
        let said =
            |region: &Region, exact| as_seen.get(&region.set.address()).copied().unwrap_or(exact);
        let exact = regions.iter().zip(&seen.insight.regions);
        let mut described: Vec<_> = exact.map(|(one, exact)| (one, said(one, exact))).collect();
        let mut families = Vec::new();
        let mut taken = FxHashSet::default();
        for (region, insight) in folded() {
            let Some(family) = &region.family else { continue };
            // The page walks from members to families and up; a family that is no sibling of its members could lead it in circles.
            let fits = |member: &u32| {
                regions.get(*member as usize).is_some_and(|one| one.path.len() == region.path.len())
            };
            if family.members.iter().all(|member| fits(member) && taken.insert(*member)) {
                described.push((region, insight));
                families.push(family);
            }
        }
        let at_place = described.iter().enumerate();
        let positions: FxHashMap<_, _> =
            at_place.map(|(at, (region, _))| (region.set.address(), at)).collect();
        let folded = seen.folded.regions.iter();
        let folded = folded.map(|one| positions.get(&one.set.address()).copied()).collect();
        Self { described, families, positions, folded }
    }

    /// The node of an entry of what is seen folded.
    pub(crate) fn folded(&self, at: usize) -> Option<usize> {
        self.folded.get(at).copied().flatten()
    }
}

impl Regions {
    pub(crate) fn of(shared: &mut Shared, seen: &Seen<'_>, nodes: &Nodes<'_>) -> Self {
        let details = details(shared, seen, &nodes.described);
        let mut table = Self { details, ..Self::default() };
        let (exact, folded) = (&seen.report.regions, &seen.folded.regions);
        for region in exact {
            let parent = region.parent.map(|parent| parent as usize);
            table.push(shared, region, parent, own_names(region, exact));
        }
        for family in folded {
            let is_node = nodes.positions.contains_key(&family.set.address());
            if family.family.is_some() && is_node {
                let parent = family.parent.and_then(|parent| nodes.folded(parent as usize));
                table.push(shared, family, parent, own_names(family, folded));
            }
        }
        let families = nodes.described.iter().filter(|(region, _)| region.family.is_some());
        table.families = families
            .zip(&nodes.families)
            .map(|((region, _), one)| page_family(shared, region, one, &seen.report.regions))
            .collect();
        table.direct = direct(shared, seen, nodes);
        table
    }

    fn push(
        &mut self,
        shared: &mut Shared,
        region: &Region,
        parent: Option<usize>,
        own: &[String],
    ) {
        let texts = &mut shared.texts;
        self.own.push(match own {
            [own] => Own::One(texts.add(own)),
            several => Own::Several(several.iter().map(|own| texts.add(own)).collect()),
        });
        self.parent.push(parent.map_or(-1, |parent| i64::from(number(parent))));
        self.start_end.push(u8::from(region.kind == RangeKind::StartEnd));
        self.domain.push(texts.add(&region.domain));
        self.process.push(region.process_id);
        self.device.push(region.device);
        self.ns.push(Number::ns(region.set.total_ms));
        self.self_ns.push(Number::ns(region.exclusive_ms));
        self.results.push(region.set.kernel_count);
        self.self_results.push(region.exclusive_kernel_count);
        self.timed.push(region.set.timed_count);
        self.selector.push(texts.add_option(region.selection.selector.as_deref()));
        self.seen.push(region.selection.results_seen);
    }
}

fn page_family(
    shared: &mut Shared,
    region: &Region,
    family: &Family,
    regions: &[Region],
) -> PageFamily {
    let named = |name: &str| {
        let mut members = family.members.iter().copied();
        members.find(|member| regions.get(*member as usize).is_some_and(|one| one.name == name))
    };
    let (outliers, said) = family
        .outliers
        .iter()
        .filter_map(|one| {
            let words = phrases::outlier(region, family, one);
            Some((named(&one.name)?, shared.texts.add(&words)))
        })
        .unzip();
    PageFamily {
        members: family.members.clone(),
        min: Number::ns(family.min_ms),
        mean: Number::ns(family.mean_ms),
        max: Number::ns(family.max_ms),
        outliers,
        said,
    }
}

fn direct(shared: &mut Shared, seen: &Seen<'_>, nodes: &Nodes<'_>) -> Vec<Option<i64>> {
    let regions = direct_kernels(seen.report);
    let families: Vec<_> =
        nodes.families.iter().map(|one| direct_in_members(&regions, &one.members)).collect();
    let found = regions.iter().chain(&families).zip(&nodes.described);
    found
        .map(|(kernels, (node, _))| {
            shared.kernels.add_direct(&mut shared.texts, kernels.as_deref(), node.set.kernel_count)
        })
        .collect()
}

/// The details of all nodes, stored heaviest first so that the heaviest keep everything.
fn details(
    shared: &mut Shared,
    seen: &Seen<'_>,
    nodes: &[(&Region, &RegionInsight)],
) -> Vec<Details> {
    let mut order: Vec<_> = nodes.iter().enumerate().collect();
    order.sort_by(|(_, (left, _)), (_, (right, _))| {
        weight(right.set.total_ms).total_cmp(&weight(left.set.total_ms))
    });
    let mut details: Vec<(usize, Details)> = order
        .into_iter()
        .map(|(at, (region, insight))| {
            let detailed = seen.detailed.as_ref().map(|detailed| detailed.kernels(region));
            (at, details_of(shared, region, insight, detailed))
        })
        .collect();
    details.sort_by_key(|(at, _)| *at);
    details.into_iter().map(|(_, details)| details).collect()
}

fn details_of(
    shared: &mut Shared,
    region: &Region,
    insight: &RegionInsight,
    detailed: Option<&[KernelSummary]>,
) -> Details {
    let texts = &mut shared.texts;
    let (metrics, sections) = shared.metrics.add(
        texts,
        &region.set.metrics,
        &region.set.sections,
        region.set.kernel_count,
    );
    let exclusive = region.exclusive_metrics.as_ref().map_or(-1, |exclusive| {
        i64::from(shared.metrics.add(texts, exclusive, &[], region.exclusive_kernel_count).0)
    });
    let charts = shared.charts.of_region(texts, &region.set.metrics);
    let kernels = shared.kernels.add(
        texts,
        &mut shared.metrics,
        &mut shared.charts,
        &region.set.kernels,
        &insight.kernels,
        detailed,
    );
    let rules = region.set.rules.iter().map(|rule| Rule::of(texts, rule)).collect();
    let advice = given(&insight.findings).map(|finding| Advice::of(texts, finding)).collect();
    let bound = PageBound::of(texts, &insight.bound);
    let roofline = RegionRoofline::of(texts, &insight.roofline);
    (
        metrics,
        exclusive,
        sections,
        kernels,
        shared.rules.add(rules).0,
        shared.advice.add(advice).0,
        shared.bounds.add(bound).0,
        shared.rooflines.add(roofline).0,
        charts,
    )
}
