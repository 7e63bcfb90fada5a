//! From a document to what is stored, region by region.

use super::values::{Details, MetricTable, Ways};
use super::{StoredKernel, StoredRegion, StoredSection, StoredSet};
use crate::document::{
    KernelSummary, MetricSummary, Metrics, Region, RegionDocument, ResultSet, ScopeReport,
};
use indexmap::IndexMap;
use serde::ser::{Serialize, SerializeStruct, Serializer};

impl Serialize for RegionDocument {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tables = &Tables::of(self);
        let reports = || {
            self.reports.iter().enumerate().map(|(at, report)| StreamedReport {
                report,
                same_as: self.same_as(at),
                tables,
            })
        };
        let mut document = serializer.serialize_struct("RegionDocument", 13)?;
        document.serialize_field("schema_version", &self.schema_version)?;
        document.serialize_field("generated_at", &self.generated_at)?;
        document.serialize_field("config_fingerprint", &self.config_fingerprint)?;
        document.serialize_field("tool", &self.tool)?;
        document.serialize_field("simulated", &self.simulated)?;
        document.serialize_field("sources", &self.sources)?;
        document.serialize_field("devices", &self.devices)?;
        document.serialize_field("notes", &self.notes)?;
        if let Some(ranks) = &self.ranks {
            document.serialize_field("ranks", ranks)?;
        }
        document.serialize_field("metrics", &tables.metrics)?;
        document.serialize_field("kernel_metrics", &tables.kernel_metrics)?;
        document.serialize_field("sections", &tables.sections)?;
        document.serialize_field("reports", &Streamed(reports))?;
        document.end()
    }
}

/// A list of which one entry at a time is made.
struct Streamed<F>(F);

impl<F, I> Serialize for Streamed<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0())
    }
}

struct StreamedReport<'d> {
    report: &'d ScopeReport,
    /// The report before it that holds the same results.
    same_as: Option<usize>,
    tables: &'d Tables<'d>,
}

impl Serialize for StreamedReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { report, same_as, tables } = self;
        let mut stored = serializer.serialize_struct("ScopeReport", 8)?;
        stored.serialize_field("scope", &report.scope)?;
        stored.serialize_field("basis", &report.basis)?;
        stored.serialize_field("selection", &report.selection)?;
        if let Some(same_as) = same_as {
            stored.serialize_field("same_as", same_as)?;
            return stored.end();
        }
        stored.serialize_field("totals", &tables.set(&report.totals))?;
        stored.serialize_field("unlabeled", &tables.set(&report.unlabeled))?;
        if !report.unplaced.is_none() {
            stored.serialize_field("unplaced", &report.unplaced)?;
        }
        for (name, regions) in [("regions", &report.regions), ("families", &report.families)] {
            let streamed = || regions.iter().map(|region| tables.region(region));
            stored.serialize_field(name, &Streamed(streamed))?;
        }
        stored.end()
    }
}

/// What stands once in a document.
struct Tables<'d> {
    metrics: MetricTable<'d>,
    kernel_metrics: MetricTable<'d>,
    sections: IndexMap<&'d str, StoredSection>,
}

impl<'d> Tables<'d> {
    fn of(document: &'d RegionDocument) -> Self {
        let (mut of_sets, mut of_kernels) = (Ways::default(), Ways::default());
        let mut sections: IndexMap<&str, StoredSection> = IndexMap::new();
        for report in &document.reports {
            let regions = || report.regions.iter().chain(&report.families);
            let totals = [&report.totals, &report.unlabeled];
            for set in totals.into_iter().chain(regions().map(|region| &region.set)) {
                set.metrics.iter().for_each(|(name, summary)| of_sets.count(name, summary));
                for section in &set.sections {
                    let known = sections.entry(&section.id).or_insert_with(|| StoredSection {
                        name: section.name.clone(),
                        ..StoredSection::default()
                    });
                    for header in &section.metrics {
                        of_sets.count(&header.name, &header.summary);
                        if !known.metrics.contains_key(&header.name) {
                            known.metrics.insert(header.name.clone(), header.label.clone());
                        }
                    }
                }
                let kernels = set.kernels.iter().flat_map(|kernel| &kernel.metrics);
                kernels.for_each(|(name, summary)| of_kernels.count(name, summary));
            }
            let exclusive = regions().filter_map(|region| region.exclusive_metrics.as_deref());
            exclusive.flatten().for_each(|(name, summary)| of_sets.count(name, summary));
        }
        Self { metrics: of_sets.table(), kernel_metrics: of_kernels.table(), sections }
    }

    fn region(&self, region: &Region) -> StoredRegion {
        let mut exclusive_metric_details = Details::new();
        let exclusive_metrics = region.exclusive_metrics.as_deref().map(|metrics| {
            let results = region.exclusive_kernel_count;
            self.metrics.split(named(metrics), results, &mut exclusive_metric_details)
        });
        StoredRegion {
            name: region.name.clone(),
            path: region.path.clone(),
            parent: region.parent,
            depth: region.depth,
            kind: region.kind,
            domain: region.domain.clone(),
            process_id: region.process_id,
            device: region.device,
            exclusive_ms: region.exclusive_ms,
            share: region.share,
            exclusive_kernel_count: region.exclusive_kernel_count,
            inclusive: self.set(&region.set),
            exclusive_metrics,
            exclusive_metric_details,
            family: region.family.clone(),
            selection: region.selection.clone(),
        }
    }

    fn set(&self, set: &ResultSet) -> StoredSet {
        let headers = set.sections.iter().flat_map(|section| &section.metrics);
        let elsewhere = headers
            .filter(|header| !set.metrics.contains_key(&header.name))
            .map(|header| (header.name.as_str(), &header.summary));
        let mut metric_details = Details::new();
        StoredSet {
            total_ms: set.total_ms,
            kernel_count: set.kernel_count,
            timed_count: set.timed_count,
            limits: set.limits.clone(),
            metrics: self.metrics.split(named(&set.metrics), set.kernel_count, &mut metric_details),
            section_metrics: self.metrics.split(elsewhere, set.kernel_count, &mut metric_details),
            metric_details,
            sections: (set.sections.iter())
                .map(|section| (section.id.clone(), section.covered))
                .collect(),
            kernels: set.kernels.iter().map(|kernel| self.kernel(kernel)).collect(),
            rules: set.rules.clone(),
            causes: set.causes.clone(),
        }
    }

    fn kernel(&self, kernel: &KernelSummary) -> StoredKernel {
        let mut metric_details = Details::new();
        let metrics = named(&kernel.metrics);
        StoredKernel {
            kernel_name: kernel.kernel_name.clone(),
            function: kernel.function.clone(),
            kind: kernel.kind,
            calls: kernel.calls,
            total_ms: kernel.total_ms,
            mean_ms: kernel.mean_ms,
            min_ms: kernel.min_ms,
            max_ms: kernel.max_ms,
            share: kernel.share,
            device: kernel.device,
            launch_shapes: kernel.launch_shapes.clone(),
            limits: kernel.limits.clone(),
            metrics: self.kernel_metrics.split(metrics, kernel.calls, &mut metric_details),
            metric_details,
            rules: kernel.rules.clone(),
        }
    }
}

fn named(metrics: &Metrics) -> impl Iterator<Item = (&str, &MetricSummary)> {
    metrics.iter().map(|(name, summary)| (name.as_str(), summary))
}
