//! From a document to what is stored.

use super::values::{MetricTable, Ways};
use super::{
    StoredDocument, StoredKernel, StoredKernelName, StoredRegion, StoredReport, StoredResults,
    StoredRule, StoredSection, StoredSet,
};
use crate::document::{
    KernelSummary, LimitShare, MetricSummary, NCUProfileRegion, NCUProfileRegionReport,
    RegionDocument, RuleSummary, SectionSummary, SharedTotals, Totals,
};
use indexmap::{IndexMap, IndexSet};
use std::sync::Arc;

impl From<RegionDocument> for StoredDocument {
    fn from(document: RegionDocument) -> Self {
        let (metrics, kernel_metrics) = tables(&document);
        let mut writer = Writer {
            metrics,
            kernel_metrics,
            kernels: IndexSet::new(),
            sections: IndexSet::new(),
            texts: IndexSet::new(),
        };
        let all = &document.reports;
        let reports =
            all.iter().enumerate().map(|(at, report)| writer.report(at, report, all)).collect();
        Self {
            schema_version: document.schema_version.clone(),
            generated_at: document.generated_at.clone(),
            config_fingerprint: document.config_fingerprint.clone(),
            tool: document.tool.clone(),
            simulated: document.simulated,
            sources: document.sources.clone(),
            devices: document.devices.clone(),
            notes: document.notes.clone(),
            ranks: document.ranks.clone(),
            kernels: writer.kernels.into_iter().collect(),
            sections: writer.sections.into_iter().collect(),
            texts: writer.texts.into_iter().collect(),
            metrics: writer.metrics.into_rows(),
            kernel_metrics: writer.kernel_metrics.into_rows(),
            reports,
        }
    }
}

/// What regions and totals have in common.
struct Set<'d> {
    total_ms: Option<f64>,
    kernel_count: u64,
    timed_count: u64,
    limits: &'d [LimitShare],
    metrics: &'d IndexMap<String, MetricSummary>,
    sections: &'d [SectionSummary],
    kernels: &'d [KernelSummary],
    rules: &'d [RuleSummary],
    causes: &'d [RuleSummary],
}

impl<'d> From<&'d Totals> for Set<'d> {
    fn from(totals: &'d Totals) -> Self {
        let Totals {
            total_ms,
            kernel_count,
            timed_count,
            metrics,
            sections,
            kernels,
            rules,
            causes,
            limits,
        } = totals;
        Self {
            total_ms: *total_ms,
            kernel_count: *kernel_count,
            timed_count: *timed_count,
            limits,
            metrics,
            sections,
            kernels,
            rules,
            causes,
        }
    }
}

impl<'d> From<&'d NCUProfileRegion> for Set<'d> {
    fn from(region: &'d NCUProfileRegion) -> Self {
        Self {
            total_ms: region.total_ms,
            kernel_count: region.kernel_count,
            timed_count: region.timed_count,
            limits: &region.limits,
            metrics: &region.metrics,
            sections: &region.sections,
            kernels: &region.kernels,
            rules: &region.rules,
            causes: &region.causes,
        }
    }
}

fn regions(report: &NCUProfileRegionReport) -> impl Iterator<Item = &NCUProfileRegion> {
    report.regions.iter().chain(&report.families).map(|region| &**region)
}

fn tables(document: &RegionDocument) -> (MetricTable<'_>, MetricTable<'_>) {
    let (mut of_sets, mut of_kernels) = (Ways::default(), Ways::default());
    for report in &document.reports {
        let totals = [&report.totals, &report.unlabeled].map(|totals| Set::from(&**totals));
        for set in totals.into_iter().chain(regions(report).map(Set::from)) {
            set.metrics.iter().for_each(|(name, summary)| of_sets.count(name, summary));
            let headers = set.sections.iter().flat_map(|section| &section.metrics);
            headers.for_each(|header| of_sets.count(&header.name, &header.summary));
            let kernels = set.kernels.iter().flat_map(|kernel| &kernel.metrics);
            kernels.for_each(|(name, summary)| of_kernels.count(name, summary));
        }
        let exclusive = regions(report).filter_map(|region| region.exclusive_metrics.as_ref());
        exclusive.flatten().for_each(|(name, summary)| of_sets.count(name, summary));
    }
    (of_sets.table(), of_kernels.table())
}

struct Writer<'d> {
    metrics: MetricTable<'d>,
    kernel_metrics: MetricTable<'d>,
    kernels: IndexSet<StoredKernelName>,
    sections: IndexSet<StoredSection>,
    texts: IndexSet<String>,
}

impl Writer<'_> {
    fn report(
        &mut self,
        at: usize,
        report: &NCUProfileRegionReport,
        all: &[NCUProfileRegionReport],
    ) -> StoredReport {
        // The last of them is the aggregate, which most readers look for.
        let same_as =
            all.iter().rposition(|other| is_same(report, other)).filter(|same| *same > at);
        StoredReport {
            scope: report.scope.clone(),
            basis: report.basis,
            selection: report.selection.clone(),
            same_as: same_as.map(number),
            results: same_as.is_none().then(|| StoredResults {
                totals: self.set(&Set::from(&*report.totals)),
                unlabeled: self.set(&Set::from(&*report.unlabeled)),
                unplaced: report.unplaced,
                families: report.families.iter().map(|region| self.region(region)).collect(),
                regions: report.regions.iter().map(|region| self.region(region)).collect(),
            }),
        }
    }

    fn region(&mut self, region: &NCUProfileRegion) -> StoredRegion {
        let exclusive = region.exclusive_metrics.as_ref();
        StoredRegion {
            name: region.name.clone(),
            path: region.path.clone(),
            parent: region.parent.clone(),
            depth: region.depth,
            kind: region.kind,
            domain: region.domain.clone(),
            process_id: region.process_id,
            device: region.device,
            exclusive_ms: region.exclusive_ms,
            share: region.share,
            exclusive_kernel_count: region.exclusive_kernel_count,
            inclusive: self.set(&Set::from(region)),
            exclusive_metrics: exclusive
                .map(|metrics| self.metrics.values(named(metrics), region.exclusive_kernel_count)),
            family: region.family.clone(),
            selection: region.selection.clone(),
        }
    }

    fn set(&mut self, set: &Set<'_>) -> StoredSet {
        let headers = set.sections.iter().flat_map(|section| &section.metrics);
        let elsewhere = headers
            .filter(|header| set.metrics.get(&header.name) != Some(&header.summary))
            .map(|header| (header.name.as_str(), &header.summary));
        StoredSet {
            total_ms: set.total_ms,
            kernel_count: set.kernel_count,
            timed_count: set.timed_count,
            limits: set.limits.to_vec(),
            metrics: self.metrics.values(named(set.metrics), set.kernel_count),
            section_metrics: self.metrics.values(elsewhere, set.kernel_count),
            sections: set.sections.iter().map(|section| self.section(section)).collect(),
            kernels: set.kernels.iter().map(|kernel| self.kernel(kernel)).collect(),
            rules: set.rules.iter().map(|rule| self.rule(rule)).collect(),
            causes: set.causes.iter().map(|cause| self.rule(cause)).collect(),
        }
    }

    fn section(&mut self, section: &SectionSummary) -> (u32, u64) {
        let header = section.metrics.iter().filter_map(|metric| {
            Some((metric.label.clone(), self.metrics.position(&metric.name)?))
        });
        let row = StoredSection {
            id: section.id.clone(),
            name: section.name.clone(),
            metrics: header.collect(),
        };
        (number(self.sections.insert_full(row).0), section.covered)
    }

    fn kernel(&mut self, kernel: &KernelSummary) -> StoredKernel {
        let name = StoredKernelName {
            kernel_name: kernel.kernel_name.clone(),
            function: kernel.function.clone(),
            kind: kernel.kind.clone(),
        };
        StoredKernel {
            kernel: number(self.kernels.insert_full(name).0),
            calls: kernel.calls,
            total_ms: kernel.total_ms,
            mean_ms: kernel.mean_ms,
            min_ms: kernel.min_ms,
            max_ms: kernel.max_ms,
            share: kernel.share,
            device: kernel.device,
            launch_shapes: kernel.launch_shapes.clone(),
            limits: kernel.limits.clone(),
            metrics: self.kernel_metrics.values(named(&kernel.metrics), kernel.calls),
        }
    }

    fn rule(&mut self, rule: &RuleSummary) -> StoredRule {
        let mut text = |text: &String| match self.texts.get_index_of(text) {
            Some(position) => number(position),
            None => number(self.texts.insert_full(text.clone()).0),
        };
        StoredRule {
            rule: text(&rule.rule),
            outcome: Some(&rule.outcome).filter(|id| !id.is_empty()).map(&mut text),
            name: text(&rule.name),
            section: text(&rule.section),
            kind: text(&rule.kind),
            title: text(&rule.title),
            message: text(&rule.message),
            kernel_name: text(&rule.kernel_name),
            results: rule.results,
            launches: rule.launches.clone(),
            time_ms: rule.time_ms,
            beside_ms: rule.beside_ms,
            gain_ms: rule.gain_ms,
            region_speedup_pct: rule.region_speedup_pct,
            max_speedup_pct: rule.max_speedup_pct,
            speedup_kind: rule.speedup_kind.clone(),
            kernels: rule.kernels.clone(),
        }
    }
}

/// Whether two reports hold the same results. Regions of such reports are shared, so they need not be compared one by one.
fn is_same(left: &NCUProfileRegionReport, right: &NCUProfileRegionReport) -> bool {
    let shared = |left: &[Arc<NCUProfileRegion>], right: &[Arc<NCUProfileRegion>]| {
        left.len() == right.len()
            && left.iter().zip(right).all(|(left, right)| Arc::ptr_eq(left, right))
    };
    let is_equal = |left: &SharedTotals, right: &SharedTotals| left.are_one(right) || left == right;
    left.basis == right.basis
        && shared(&left.regions, &right.regions)
        && shared(&left.families, &right.families)
        && is_equal(&left.totals, &right.totals)
        && is_equal(&left.unlabeled, &right.unlabeled)
        && left.unplaced == right.unplaced
}

fn named(
    metrics: &IndexMap<String, MetricSummary>,
) -> impl Iterator<Item = (&str, &MetricSummary)> {
    metrics.iter().map(|(name, summary)| (name.as_str(), summary))
}

/// Tables with more rows than this do not fit into memory.
fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
