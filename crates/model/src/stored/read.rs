//! From what is stored back to a document. What a position names may be missing in a document made by others: that is an error, with what was looked for.

use super::values::{StoredMetric, StoredValue};
use super::{
    StoredDocument, StoredKernel, StoredKernelName, StoredRegion, StoredReport, StoredResults,
    StoredRule, StoredSection, StoredSet,
};
use crate::document::{
    KernelSummary, MetricSummary, NCUProfileRegion, NCUProfileRegionReport, RegionDocument,
    RuleSummary, SectionMetricSummary, SectionSummary, Totals,
};
use indexmap::IndexMap;
use std::sync::Arc;

#[derive(Debug, thiserror::Error)]
pub enum StoredError {
    #[error("{what} {position} is referred to, and there are only {there}")]
    Missing { what: &'static str, position: usize, there: usize },
    #[error("report {position} has neither results nor a report after it that has the same")]
    NoResults { position: usize },
}

impl TryFrom<StoredDocument> for RegionDocument {
    type Error = StoredError;

    fn try_from(stored: StoredDocument) -> Result<Self, StoredError> {
        let tables = Tables {
            metrics: stored.metrics,
            kernel_metrics: stored.kernel_metrics,
            kernels: stored.kernels,
            sections: stored.sections,
            texts: stored.texts,
        };
        let mut reports: Vec<NCUProfileRegionReport> = Vec::with_capacity(stored.reports.len());
        // A report refers to a later one, so the last is read first.
        let count = stored.reports.len();
        for (position, report) in stored.reports.into_iter().enumerate().rev() {
            let same = report.same_as.and_then(|same| count.checked_sub(same as usize + 1));
            let same = same.and_then(|from_end| reports.get(from_end));
            let report = tables.report(position, report, same)?;
            reports.push(report);
        }
        reports.reverse();
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
    metrics: Vec<StoredMetric>,
    kernel_metrics: Vec<StoredMetric>,
    kernels: Vec<StoredKernelName>,
    sections: Vec<StoredSection>,
    texts: Vec<String>,
}

impl Tables {
    fn report(
        &self,
        position: usize,
        stored: StoredReport,
        same: Option<&NCUProfileRegionReport>,
    ) -> Result<NCUProfileRegionReport, StoredError> {
        let StoredReport { scope, basis, selection, same_as: _, results } = stored;
        let Some(results) = results else {
            let same = same.ok_or(StoredError::NoResults { position })?;
            return Ok(NCUProfileRegionReport { scope, basis, selection, ..same.clone() });
        };
        let StoredResults { totals, unlabeled, unplaced, families, regions } = results;
        let all = |regions: Vec<StoredRegion>| -> Result<Vec<_>, StoredError> {
            regions.into_iter().map(|region| Ok(Arc::new(self.region(region)?))).collect()
        };
        Ok(NCUProfileRegionReport {
            scope,
            basis,
            regions: all(regions)?,
            families: all(families)?,
            totals: self.set(totals)?.into(),
            unlabeled: self.set(unlabeled)?.into(),
            unplaced,
            selection,
        })
    }

    fn region(&self, stored: StoredRegion) -> Result<NCUProfileRegion, StoredError> {
        let own = stored.exclusive_kernel_count;
        let exclusive = stored.exclusive_metrics;
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
        } = self.set(stored.inclusive)?;
        Ok(NCUProfileRegion {
            name: stored.name,
            path: stored.path,
            parent: stored.parent,
            depth: stored.depth,
            kind: stored.kind,
            domain: stored.domain,
            process_id: stored.process_id,
            device: stored.device,
            total_ms,
            exclusive_ms: stored.exclusive_ms,
            share: stored.share,
            kernel_count,
            exclusive_kernel_count: own,
            timed_count,
            metrics,
            exclusive_metrics: exclusive
                .map(|values| summaries(&self.metrics, values, own))
                .transpose()?,
            sections,
            kernels,
            rules,
            causes,
            limits,
            family: stored.family,
            selection: stored.selection,
        })
    }

    fn set(&self, stored: StoredSet) -> Result<Totals, StoredError> {
        let results = stored.kernel_count;
        let metrics = summaries(&self.metrics, stored.metrics, results)?;
        let of_headers = summaries(&self.metrics, stored.section_metrics, results)?;
        let section = |(position, covered): (u32, u64)| {
            let stored = row(&self.sections, position, "section")?;
            let header = |(label, position): &(String, u32)| {
                let name = &row(&self.metrics, *position, "metric")?.name;
                let summary = of_headers.get(name).or_else(|| metrics.get(name)).cloned();
                let (label, name) = (label.clone(), name.clone());
                Ok(summary.map(|summary| SectionMetricSummary { label, name, summary }))
            };
            let header: Result<Vec<_>, StoredError> =
                stored.metrics.iter().filter_map(|metric| header(metric).transpose()).collect();
            let (id, name) = (stored.id.clone(), stored.name.clone());
            Ok(SectionSummary { id, name, covered, metrics: header? })
        };
        let sections: Result<_, StoredError> = stored.sections.into_iter().map(section).collect();
        Ok(Totals {
            total_ms: stored.total_ms,
            kernel_count: results,
            timed_count: stored.timed_count,
            sections: sections?,
            metrics,
            kernels: stored
                .kernels
                .into_iter()
                .map(|kernel| self.kernel(kernel))
                .collect::<Result<_, _>>()?,
            rules: self.rules(stored.rules)?,
            causes: self.rules(stored.causes)?,
            limits: stored.limits,
        })
    }

    fn kernel(&self, stored: StoredKernel) -> Result<KernelSummary, StoredError> {
        let StoredKernelName { kernel_name, function, kind } =
            row(&self.kernels, stored.kernel, "kernel")?.clone();
        Ok(KernelSummary {
            kernel_name,
            function,
            kind,
            calls: stored.calls,
            total_ms: stored.total_ms,
            mean_ms: stored.mean_ms,
            min_ms: stored.min_ms,
            max_ms: stored.max_ms,
            share: stored.share,
            device: stored.device,
            launch_shapes: stored.launch_shapes,
            metrics: summaries(&self.kernel_metrics, stored.metrics, stored.calls)?,
            limits: stored.limits,
        })
    }

    fn rules(&self, stored: Vec<StoredRule>) -> Result<Vec<RuleSummary>, StoredError> {
        stored.into_iter().map(|rule| self.rule(rule)).collect()
    }

    fn rule(&self, stored: StoredRule) -> Result<RuleSummary, StoredError> {
        let text = |position| row(&self.texts, position, "text").cloned();
        Ok(RuleSummary {
            rule: text(stored.rule)?,
            outcome: stored.outcome.map(text).transpose()?.unwrap_or_default(),
            name: text(stored.name)?,
            section: text(stored.section)?,
            kind: text(stored.kind)?,
            results: stored.results,
            launches: stored.launches,
            time_ms: stored.time_ms,
            beside_ms: stored.beside_ms,
            gain_ms: stored.gain_ms,
            region_speedup_pct: stored.region_speedup_pct,
            max_speedup_pct: stored.max_speedup_pct,
            speedup_kind: stored.speedup_kind,
            title: text(stored.title)?,
            message: text(stored.message)?,
            kernel_name: text(stored.kernel_name)?,
            kernels: stored.kernels,
        })
    }
}

fn summaries(
    table: &[StoredMetric],
    values: Vec<StoredValue>,
    results: u64,
) -> Result<IndexMap<String, MetricSummary>, StoredError> {
    if values.len() > table.len() {
        return Err(StoredError::Missing {
            what: "metric",
            position: values.len() - 1,
            there: table.len(),
        });
    }
    let summary = |(metric, value): (&StoredMetric, StoredValue)| {
        Some((metric.name.clone(), value.summary(metric, results)?))
    };
    Ok(table.iter().zip(values).filter_map(summary).collect())
}

fn row<'t, T>(table: &'t [T], position: u32, what: &'static str) -> Result<&'t T, StoredError> {
    let (position, there) = (position as usize, table.len());
    table.get(position).ok_or(StoredError::Missing { what, position, there })
}
