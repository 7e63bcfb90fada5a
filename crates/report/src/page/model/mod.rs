//! The page's data: a document in columns, with everything that repeats stored once.
//!
//! The names of fields here are what the script reads (`assets/js/model.js` is the other side of this module).
//! Regions are taken heaviest first when something has to be left out; the order in the page is the document's.

mod advice;
mod difference;
mod kernels;
mod metrics;
mod number;
mod pool;
mod regions;
mod roofline;
mod tree;

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::{MissingMetrics, ReportInsight, SetInsight};
use rangescope_model::document::{
    Basis, DeviceInfo, NCUProfileRegionReport, Note, RegionDocument, Scope, ScopeKind, Selection,
    SourceInfo, Tool, Totals,
};
use serde::Serialize;

use crate::formats::ExportOptions;
use advice::{Advice, PageBound, PageFact, Rule};
pub(crate) use difference::Difference;
use kernels::Kernels;
use metrics::Metrics;
use number::Number;
use pool::{Pool, Texts};
use regions::Regions;
use roofline::RegionRoofline;

/// Everything that the page shows.
#[derive(Debug, Serialize)]
pub(crate) struct PageModel<'d> {
    tool: &'d Tool,
    generated_at: Option<&'d str>,
    fingerprint: &'d str,
    simulated: bool,
    sources: &'d [SourceInfo],
    devices: &'d [DeviceInfo],
    notes: &'d [Note],
    bound_rule: &'d str,
    main_report: usize,
    #[serde(flatten)]
    shared: Shared,
    reports: Vec<PageReport<'d>>,
}

/// What reports refer to by number.
#[derive(Debug, Default, Serialize)]
struct Shared {
    texts: Texts,
    metrics: Metrics,
    kernels: Kernels,
    rules: Pool<Vec<Rule>>,
    advice: Pool<Vec<Advice>>,
    bounds: Pool<PageBound>,
    rooflines: Pool<RegionRoofline>,
    regions: Pool<Regions>,
}

/// One scope.
#[derive(Debug, Serialize)]
struct PageReport<'d> {
    scope: &'d Scope,
    basis: Basis,
    selection: &'d Selection,
    totals: Set,
    unlabeled: Set,
    /// Number of the table of regions.
    regions: u32,
    facts: Vec<PageFact>,
    advice: u32,
    roofline_missing: &'d [MissingMetrics],
}

/// Results that are no region.
#[derive(Debug, Serialize)]
struct Set {
    ns: Number,
    results: u64,
    timed: u64,
    metrics: u32,
    kernels: u32,
    bound: u32,
    roofline: u32,
}

impl<'d> PageModel<'d> {
    pub(crate) fn of(
        document: &'d RegionDocument,
        insight: &'d Insight,
        options: &ExportOptions,
    ) -> Self {
        let mut shared = Shared {
            metrics: Metrics::new(options.max_page_metrics),
            kernels: Kernels::new(options.max_page_kernels),
            ..Shared::default()
        };
        // The aggregate is what most readers look at, so it has the first claim on the room that there is.
        let mut order: Vec<usize> = (0..document.reports.len()).collect();
        order.sort_by_key(|&at| document.reports[at].scope.kind != ScopeKind::Aggregate);
        let mut reports: Vec<(usize, PageReport<'d>)> = order
            .into_iter()
            .filter_map(|at| {
                let report = &document.reports[at];
                Some((at, shared.report(report, insight.reports.get(at)?)))
            })
            .collect();
        reports.sort_by_key(|(at, _)| *at);
        Self {
            tool: &document.tool,
            generated_at: document.generated_at.as_deref(),
            fingerprint: &document.config_fingerprint,
            simulated: document.simulated,
            sources: &document.sources,
            devices: &document.devices,
            notes: &document.notes,
            bound_rule: &insight.bound_rule,
            main_report: insight.main_report.unwrap_or(0),
            shared,
            reports: reports.into_iter().map(|(_, report)| report).collect(),
        }
    }
}

impl Shared {
    fn report<'d>(
        &mut self,
        report: &'d NCUProfileRegionReport,
        insight: &'d ReportInsight,
    ) -> PageReport<'d> {
        let totals = self.set(&report.totals, &insight.totals);
        let unlabeled = self.set(&report.unlabeled, &insight.unlabeled);
        let regions = Regions::of(self, report, insight);
        let regions = self.regions.add(regions).0;
        let findings =
            insight.findings.iter().map(|finding| Advice::of(&mut self.texts, finding)).collect();
        PageReport {
            scope: &report.scope,
            basis: report.basis,
            selection: &report.selection,
            totals,
            unlabeled,
            regions,
            facts: insight.facts.iter().map(|fact| PageFact::of(&mut self.texts, fact)).collect(),
            advice: self.advice.add(findings).0,
            roofline_missing: &insight.roofline_missing,
        }
    }

    fn set(&mut self, totals: &Totals, insight: &SetInsight) -> Set {
        let texts = &mut self.texts;
        let (metrics, _) = self.metrics.add(texts, &totals.metrics, &[], totals.kernel_count);
        let bound = PageBound::of(texts, &insight.bound);
        let roofline = RegionRoofline::of(texts, &insight.roofline);
        Set {
            ns: Number::ns(totals.total_ms),
            results: totals.kernel_count,
            timed: totals.timed_count,
            metrics,
            kernels: self.kernels.add(texts, &mut self.metrics, &totals.kernels, &insight.kernels),
            bound: self.bounds.add(bound).0,
            roofline: self.rooflines.add(roofline).0,
        }
    }
}
