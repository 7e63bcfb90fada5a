//! The page's data: a document in columns, with everything that repeats stored once.
//!
//! The names of fields here are what the script reads (`assets/js/model.js` is the other side of this module).
//! Regions are taken heaviest first when something has to be left out; the order in the page is the document's.

mod advice;
mod charts;
mod difference;
mod kernels;
mod launches;
mod metrics;
mod number;
mod pool;
mod regions;
mod roofline;
mod source;
mod tree;

use std::io;

use rangescope_analyze::insight::Insight;
use rangescope_analyze::insight::model::{Finding, MissingMetrics, ReportInsight, SetInsight};
use rangescope_model::document::{
    Basis, DeviceInfo, KernelSummary, Note, RegionDocument, ResultSet, Scope, ScopeKind,
    ScopeReport, Selection, SourceInfo, Tool,
};
use rangescope_model::imbalance::Imbalance;
use serde::Serialize;

use crate::formats::ExportOptions;
use crate::page::escape::write_json;
use advice::{Advice, PageBound, PageFact, Rule};
pub use charts::KernelCharts;
use charts::{Charts, Detailed};
pub(crate) use difference::Difference;
use kernels::Kernels;
use metrics::Metrics;
use number::Number;
use pool::{Pool, Texts, number};
use regions::{Nodes, Regions};
use roofline::RegionRoofline;
use source::PageSource;

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
    /// Families begin with their members shown.
    unfold: bool,
    #[serde(flatten)]
    shared: Shared,
    /// What was counted at instructions; null where nobody looked.
    source: Option<PageSource<'d>>,
    /// As it is in the document.
    ranks: Option<&'d Imbalance>,
    reports: Vec<PageReport<'d>>,
}

/// What reports refer to by number.
#[derive(Debug, Default, Serialize)]
struct Shared {
    texts: Texts,
    metrics: Metrics,
    kernels: Kernels,
    charts: Charts,
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
    unlabeled_name: &'static str,
    /// Number of the table of regions.
    regions: u32,
    facts: Vec<PageFact>,
    advice: u32,
    /// The findings by worth: the node, −1 for the run, and the position among its own.
    findings: Vec<(i64, u32)>,
    roofline_missing: &'d [MissingMetrics],
}

/// Results that are no region.
#[derive(Debug, Serialize)]
struct Set {
    ns: Number,
    results: u64,
    timed: u64,
    metrics: u32,
    sections: u32,
    kernels: u32,
    rules: u32,
    bound: u32,
    roofline: u32,
    charts: i64,
}

/// A report twice: exactly, and as people see it, with what is concluded from either.
#[derive(Debug)]
pub(crate) struct Seen<'d> {
    report: &'d ScopeReport,
    insight: &'d ReportInsight,
    folded: &'d ScopeReport,
    folded_insight: &'d ReportInsight,
    /// Nothing where nobody looked.
    detailed: Option<Detailed<'d>>,
}

impl<'d> PageModel<'d> {
    pub(crate) fn of(
        (document, insight): (&'d RegionDocument, &'d Insight),
        (folded, folded_insight): (&'d RegionDocument, &'d Insight),
        options: &'d ExportOptions,
    ) -> Self {
        let mut shared = Shared {
            metrics: Metrics::new(options.max_page_metrics),
            kernels: Kernels::new(options.max_page_kernels),
            ..Shared::default()
        };
        let given = options.charts.as_deref();
        shared.charts = Charts::new(&mut shared.texts, document, given);
        // The aggregate is what most readers look at, so it has the first claim on the room that there is.
        let mut order: Vec<usize> = (0..document.reports.len()).collect();
        order.sort_by_key(|&at| document.reports[at].scope.kind != ScopeKind::Aggregate);
        let mut reports: Vec<(usize, PageReport<'d>)> = order
            .into_iter()
            .filter_map(|at| {
                let report = document.reports.get(at)?;
                let seen = Seen {
                    report,
                    detailed: given.map(|given| Detailed::of(given, report)),
                    insight: insight.reports.get(at)?,
                    folded: folded.reports.get(at)?,
                    folded_insight: folded_insight.reports.get(at)?,
                };
                Some((at, shared.report(&seen)))
            })
            .collect();
        reports.sort_by_key(|(at, _)| *at);
        let source = options.source.as_deref();
        let source = source.map(|source| {
            let used = written_size(&shared);
            PageSource::of(&mut shared.texts, source, used)
        });
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
            unfold: options.view.unfold,
            shared,
            source,
            ranks: document.ranks.as_ref(),
            reports: reports.into_iter().map(|(_, report)| report).collect(),
        }
    }
}

impl Shared {
    fn report<'d>(&mut self, seen: &Seen<'d>) -> PageReport<'d> {
        let Seen { report, folded_insight: insight, .. } = *seen;
        let detailed = seen.detailed.as_ref();
        let kernels = detailed.map(|detailed| detailed.totals);
        let totals = self.set(&report.totals, &insight.totals, kernels);
        let kernels = detailed.map(|detailed| detailed.unlabeled);
        let unlabeled = self.set(&report.unlabeled, &insight.unlabeled, kernels);
        let nodes = Nodes::of(seen);
        let regions = Regions::of(self, seen, &nodes);
        let regions = self.regions.add(regions).0;
        let findings = given(&insight.findings);
        let findings = findings.map(|finding| Advice::of(&mut self.texts, finding)).collect();
        let node = |at: usize| nodes.folded(at).map(number);
        let facts = insight.facts.iter();
        PageReport {
            scope: &report.scope,
            basis: report.basis,
            selection: &report.selection,
            totals,
            unlabeled,
            unlabeled_name: report.unlabeled_name(),
            regions,
            facts: facts.map(|fact| PageFact::of(&mut self.texts, fact, node)).collect(),
            advice: self.advice.add(findings).0,
            findings: by_worth(insight, node),
            roofline_missing: &insight.roofline_missing,
        }
    }

    fn set(
        &mut self,
        totals: &ResultSet,
        insight: &SetInsight,
        detailed: Option<&[KernelSummary]>,
    ) -> Set {
        let texts = &mut self.texts;
        let (metrics, sections) =
            self.metrics.add(texts, &totals.metrics, &totals.sections, totals.kernel_count);
        let rules = totals.rules.iter().map(|rule| Rule::of(texts, rule)).collect();
        let bound = PageBound::of(texts, &insight.bound);
        let roofline = RegionRoofline::of(texts, &insight.roofline);
        Set {
            ns: Number::ns(totals.total_ms),
            results: totals.kernel_count,
            timed: totals.timed_count,
            metrics,
            sections,
            rules: self.rules.add(rules).0,
            charts: self.charts.of_region(texts, &totals.metrics),
            kernels: self.kernels.add(
                texts,
                &mut self.metrics,
                &mut self.charts,
                &totals.kernels,
                &insight.kernels,
                detailed,
            ),
            bound: self.bounds.add(bound).0,
            roofline: self.rooflines.add(roofline).0,
        }
    }
}

/// How long something is as JSON.
fn written_size(value: &impl Serialize) -> usize {
    struct Counted(usize);
    impl io::Write for Counted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counted = Counted(0);
    match write_json(value, &mut counted) {
        Ok(()) => counted.0,
        Err(_) => usize::MAX,
    }
}

/// The findings of one place that the page holds.
fn given(findings: &[Finding]) -> impl Iterator<Item = &Finding> {
    findings.iter().filter(|finding| !finding.is_minor())
}

fn by_worth(insight: &ReportInsight, node: impl Fn(usize) -> Option<u32>) -> Vec<(i64, u32)> {
    let position = |among: &[Finding], finding: &Finding| {
        given(among).position(|one| std::ptr::eq(one, finding)).map(number)
    };
    let findings = insight.shown(false).into_iter();
    findings
        .filter_map(|(region, finding)| match region {
            None => Some((-1, position(&insight.findings, finding)?)),
            Some(at) => {
                let own = &insight.regions.get(at)?.findings;
                Some((i64::from(node(at)?), position(own, finding)?))
            }
        })
        .collect()
}
