//! What every exporter asks of a document: which reports to show, the regions as a forest, the key metrics, one region alone.
//!
//! Nothing here formats anything; orders are those of the document, so that the same document always gives the same bytes.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rangescope_model::document::{
    MetricSummary, NCUProfileRegion, NCUProfileRegionReport, Note, NoteLevel, RegionDocument,
    ScopeKind, Totals,
};
use rangescope_model::region::RangeKind;

/// The SM utilisation that summaries show.
pub(crate) const SM_PERCENT: &[&str] = &["sm__throughput.avg.pct_of_peak_sustained_elapsed"];

/// The memory utilisation that summaries show, under its names on different chips.
pub(crate) const DRAM_PERCENT: &[&str] = &[
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
];

/// The first of several metrics that is there.
pub(crate) fn first_metric<'a>(
    metrics: &'a IndexMap<String, MetricSummary>,
    names: &[&str],
) -> Option<&'a MetricSummary> {
    names.iter().filter_map(|name| metrics.get(*name)).find(|metric| metric.value.is_some())
}

/// The reports that answer for the whole run: the aggregate if there is one, else each scope.
///
/// There can be two aggregates, because kernel results and range results are never mixed.
pub(crate) fn main_reports(document: &RegionDocument) -> Vec<&NCUProfileRegionReport> {
    let aggregates: Vec<_> = document
        .reports
        .iter()
        .filter(|report| report.scope.kind == ScopeKind::Aggregate)
        .collect();
    if aggregates.is_empty() { document.reports.iter().collect() } else { aggregates }
}

/// The reports of single processes and devices, where there is more to see in them than in the aggregate: more than one process or more than one device.
pub(crate) fn scope_reports(document: &RegionDocument) -> Vec<&NCUProfileRegionReport> {
    let mut scopes = Vec::new();
    for kind in [ScopeKind::Process, ScopeKind::Device] {
        let of_kind = || document.reports.iter().filter(move |report| report.scope.kind == kind);
        let different: IndexSet<&str> = of_kind().map(|report| report.scope.id.as_str()).collect();
        if different.len() > 1 {
            scopes.extend(of_kind());
        }
    }
    scopes
}

/// What makes a region one region in all scopes.
pub(crate) type RegionIdentity<'a> = rangescope_model::region::RegionRef<'a>;

/// The identity of a region.
pub(crate) fn identity(region: &NCUProfileRegion) -> RegionIdentity<'_> {
    region.key()
}

/// Each different region of a document once, in order of first appearance.
///
/// Folder names are given in this order, see [`crate::folder::write_folder`].
pub fn region_identities(document: &RegionDocument) -> Vec<&NCUProfileRegion> {
    let mut seen: IndexMap<RegionIdentity<'_>, &NCUProfileRegion> = IndexMap::new();
    for region in document.reports.iter().flat_map(|report| &report.regions) {
        seen.entry(identity(region)).or_insert(region);
    }
    seen.into_values().collect()
}

/// Where a region is found: the report, and the region in it.
pub(crate) type Found<'a> = (&'a NCUProfileRegionReport, &'a Arc<NCUProfileRegion>);

/// Each different region with every report it is in, in the order of [`region_identities`].
pub(crate) fn regions_in_scopes(
    document: &RegionDocument,
) -> IndexMap<RegionIdentity<'_>, Vec<Found<'_>>> {
    let mut found: IndexMap<RegionIdentity<'_>, Vec<Found<'_>>> = IndexMap::new();
    for report in &document.reports {
        for region in &report.regions {
            found.entry(identity(region)).or_default().push((report, region));
        }
    }
    found
}

/// A document that holds one region in all its scopes.
///
/// The scopes' totals keep their time and counts; their metrics and kernels are left to the document of the whole run, because thousands of regions
/// would otherwise each carry a copy of them. A note says so.
pub(crate) fn only_region(document: &RegionDocument, found: &[Found<'_>]) -> RegionDocument {
    let without_details = |totals: &Totals| Totals {
        total_ms: totals.total_ms,
        kernel_count: totals.kernel_count,
        timed_count: totals.timed_count,
        ..Totals::default()
    };
    let mut notes = document.notes.clone();
    notes.push(Note {
        level: NoteLevel::Info,
        code: "one-region".to_owned(),
        message: "This document holds one region; metrics and kernels of the whole run are in the run's own report."
            .to_owned(),
    });
    RegionDocument {
        schema_version: document.schema_version.clone(),
        generated_at: document.generated_at.clone(),
        config_fingerprint: document.config_fingerprint.clone(),
        tool: document.tool.clone(),
        simulated: document.simulated,
        sources: document.sources.clone(),
        devices: document.devices.clone(),
        notes,
        reports: found
            .iter()
            .map(|(report, region)| NCUProfileRegionReport {
                scope: report.scope.clone(),
                basis: report.basis,
                regions: vec![Arc::clone(region)],
                totals: without_details(&report.totals),
                unlabeled: without_details(&report.unlabeled),
                selection: report.selection.clone(),
            })
            .collect(),
    }
}

/// The regions of one report as trees, one group per domain and kind of range.
#[derive(Debug)]
pub(crate) struct Forest<'a> {
    /// The groups, in order of first appearance.
    pub(crate) groups: Vec<Group<'a>>,
}

/// The trees of one domain and kind of range.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    /// NVTX domain.
    pub(crate) domain: &'a str,
    /// The kind of range.
    pub(crate) kind: RangeKind,
    /// The regions, depth first: each parent directly before its subtree.
    pub(crate) nodes: Vec<Node<'a>>,
}

/// A region in a forest.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    /// The region.
    pub(crate) region: &'a Arc<NCUProfileRegion>,
    /// The position of its parent in the group, if the report holds the parent.
    pub(crate) parent: Option<usize>,
    /// How many of the regions around it the report holds.
    pub(crate) depth: usize,
}

impl Node<'_> {
    /// The name without that of the parent, which a tree shows by its shape.
    pub(crate) fn own_name(&self) -> &str {
        if self.parent.is_none() {
            return &self.region.name;
        }
        let name = self.region.name.as_str();
        self.region
            .parent
            .as_deref()
            .and_then(|parent| name.strip_prefix(parent)?.strip_prefix("::"))
            .unwrap_or(name)
    }
}

/// Builds the forest of one report.
pub(crate) fn forest(report: &NCUProfileRegionReport) -> Forest<'_> {
    let positions: IndexMap<RegionIdentity<'_>, usize> = report
        .regions
        .iter()
        .enumerate()
        .map(|(index, region)| (identity(region), index))
        .collect();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); report.regions.len()];
    let mut roots: IndexMap<(&str, RangeKind), Vec<usize>> = IndexMap::new();
    for (index, region) in report.regions.iter().enumerate() {
        let parent_path = region
            .path
            .split_last()
            .map(|(_, parents)| parents)
            .filter(|parents| !parents.is_empty());
        let parent = parent_path
            .filter(|_| region.kind == RangeKind::PushPop)
            .and_then(|path| positions.get(&RegionIdentity { path, ..region.key() }).copied());
        match parent {
            Some(parent) => children[parent].push(index),
            None => roots.entry((&region.domain, region.kind)).or_default().push(index),
        }
    }
    let groups = roots
        .into_iter()
        .map(|((domain, kind), roots)| Group {
            domain,
            kind,
            nodes: depth_first(&report.regions, &children, &roots),
        })
        .collect();
    Forest { groups }
}

/// The trees below some roots, without recursion because names decide the depth.
fn depth_first<'a>(
    regions: &'a [Arc<NCUProfileRegion>],
    children: &[Vec<usize>],
    roots: &[usize],
) -> Vec<Node<'a>> {
    let mut nodes = Vec::new();
    let mut waiting: Vec<(usize, Option<usize>, usize)> =
        roots.iter().rev().map(|&root| (root, None, 0)).collect();
    while let Some((index, parent, depth)) = waiting.pop() {
        let position = nodes.len();
        nodes.push(Node { region: &regions[index], parent, depth });
        waiting
            .extend(children[index].iter().rev().map(|&child| (child, Some(position), depth + 1)));
    }
    nodes
}
