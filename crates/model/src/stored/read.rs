//! From what is stored back to a document. What a position or a name refers to may be missing in a document made by others: that is an error, with what was
//! looked for.

use super::values::{Details, StoredMetric, Values, joined};
use super::{StoredDocument, StoredKernel, StoredRegion, StoredReport, StoredSection, StoredSet};
use crate::document::{
    KernelSummary, Metrics, Region, RegionDocument, ResultSet, ScopeReport, SectionMetricSummary,
    SectionSummary,
};
use indexmap::IndexMap;
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    #[error("the metric {name} has a value and no entry in `{table}`")]
    UnknownMetric { name: String, table: &'static str },
    #[error("the section {id} is held by results and has no entry in `sections`")]
    UnknownSection { id: String },
    #[error("region {position} has the parent {parent}, which does not stand before it")]
    MisplacedParent { position: usize, parent: u32 },
    #[error("report {position} has neither results nor a report before it that has the same")]
    WithoutResults { position: usize },
}

impl TryFrom<StoredDocument> for RegionDocument {
    type Error = StoredError;

    fn try_from(stored: StoredDocument) -> Result<Self, StoredError> {
        let tables = Tables {
            metrics: stored.metrics,
            kernel_metrics: stored.kernel_metrics,
            sections: stored.sections,
        };
        let mut reports: Vec<ScopeReport> = Vec::with_capacity(stored.reports.len());
        for report in stored.reports {
            let same = report.same_as.and_then(|same| reports.get(same as usize)).cloned();
            reports.push(tables.report(reports.len(), report, same)?);
        }
        Ok(Self {
            schema_version: stored.schema_version,
            generated_at: stored.generated_at,
            config_fingerprint: stored.config_fingerprint,
            tool: stored.tool,
            simulated: stored.simulated,
            sources: stored.sources,
            devices: stored.devices,
            notes: stored.notes,
            ranks: stored.ranks,
            reports,
        })
    }
}

struct Tables {
    metrics: IndexMap<String, StoredMetric>,
    kernel_metrics: IndexMap<String, StoredMetric>,
    sections: IndexMap<String, StoredSection>,
}

impl Tables {
    fn report(
        &self,
        position: usize,
        stored: StoredReport,
        same: Option<ScopeReport>,
    ) -> Result<ScopeReport, StoredError> {
        let StoredReport { scope, basis, selection, unplaced, regions, families, .. } = stored;
        let (Some(totals), Some(unlabeled)) = (stored.totals, stored.unlabeled) else {
            let same = same.ok_or(StoredError::WithoutResults { position })?;
            return Ok(ScopeReport { scope, basis, selection, ..same });
        };
        let count = regions.len();
        let region = |(at, region): (usize, StoredRegion)| self.region(region, at);
        let family = |family: StoredRegion| self.region(family, count);
        Ok(ScopeReport {
            scope,
            basis,
            regions: regions.into_iter().enumerate().map(region).collect::<Result<_, _>>()?,
            families: families.into_iter().map(family).collect::<Result<_, _>>()?,
            totals: self.set(totals)?.into(),
            unlabeled: self.set(unlabeled)?.into(),
            unplaced,
            selection,
        })
    }

    /// A region whose parent is before this position.
    fn region(&self, stored: StoredRegion, position: usize) -> Result<Region, StoredError> {
        if let Some(parent) = stored.parent.filter(|parent| *parent as usize >= position) {
            return Err(StoredError::MisplacedParent { position, parent });
        }
        let mut details = stored.exclusive_metric_details;
        let own = stored.exclusive_kernel_count;
        let exclusive_metrics = stored
            .exclusive_metrics
            .map(|values| self.metrics(values, &mut details, own).map(Arc::new))
            .transpose()?;
        Ok(Region {
            name: stored.name,
            path: stored.path,
            parent: stored.parent,
            depth: stored.depth,
            kind: stored.kind,
            domain: stored.domain,
            process_id: stored.process_id,
            device: stored.device,
            set: self.set(stored.inclusive)?.into(),
            exclusive_ms: stored.exclusive_ms,
            share: stored.share,
            exclusive_kernel_count: own,
            exclusive_metrics,
            family: stored.family,
            selection: stored.selection,
        })
    }

    fn set(&self, stored: StoredSet) -> Result<ResultSet, StoredError> {
        let results = stored.kernel_count;
        let mut details = stored.metric_details;
        let metrics = self.metrics(stored.metrics, &mut details, results)?;
        let of_headers = self.metrics(stored.section_metrics, &mut details, results)?;
        let section = |(id, covered): (String, u64)| {
            let Some(stored) = self.sections.get(&id) else {
                return Err(StoredError::UnknownSection { id });
            };
            let header = |(name, label): (&String, &String)| {
                let summary = of_headers.get(name).or_else(|| metrics.get(name))?.clone();
                Some(SectionMetricSummary { label: label.clone(), name: name.clone(), summary })
            };
            let header = stored.metrics.iter().filter_map(header).collect();
            Ok(SectionSummary { id, name: stored.name.clone(), covered, metrics: header })
        };
        let sections = stored.sections.into_iter().map(section).collect::<Result<_, _>>()?;
        let kernels = stored.kernels.into_iter().map(|kernel| self.kernel(kernel));
        Ok(ResultSet {
            total_ms: stored.total_ms,
            kernel_count: results,
            timed_count: stored.timed_count,
            sections,
            kernels: kernels.collect::<Result<_, _>>()?,
            metrics,
            rules: stored.rules,
            causes: stored.causes,
            limits: stored.limits,
        })
    }

    fn kernel(&self, stored: StoredKernel) -> Result<KernelSummary, StoredError> {
        let mut details = stored.metric_details;
        let metrics = joined(&self.kernel_metrics, stored.metrics, &mut details, stored.calls);
        Ok(KernelSummary {
            kernel_name: stored.kernel_name,
            function: stored.function,
            kind: stored.kind,
            calls: stored.calls,
            total_ms: stored.total_ms,
            mean_ms: stored.mean_ms,
            min_ms: stored.min_ms,
            max_ms: stored.max_ms,
            share: stored.share,
            device: stored.device,
            launch_shapes: stored.launch_shapes,
            metrics: metrics
                .map_err(|name| StoredError::UnknownMetric { name, table: "kernel_metrics" })?,
            limits: stored.limits,
            rules: stored.rules,
        })
    }

    fn metrics(
        &self,
        values: Values,
        details: &mut Details,
        results: u64,
    ) -> Result<Metrics, StoredError> {
        joined(&self.metrics, values, details, results)
            .map_err(|name| StoredError::UnknownMetric { name, table: "metrics" })
    }
}
