//! Putting together what is concluded from a document.

use crate::aggregate::limit;
use crate::insight::bound;
use crate::insight::facts;
use crate::insight::findings::{self, About};
use crate::insight::measured::{Measured, Metrics};
use crate::insight::model::{
    Finding, Insight, KernelInsight, RegionInsight, ReportInsight, Roofline, SCHEMA_VERSION,
    SetInsight,
};
use crate::insight::roofline;
use rangescope_model::document::{
    KernelSummary, Region, RegionDocument, ResultSet, ScopeKind, ScopeReport,
};
use rustc_hash::FxHashSet;

impl Insight {
    /// Everything that can be concluded from a document.
    pub fn of(document: &RegionDocument) -> Self {
        let is_aggregate = |report: &ScopeReport| report.scope.kind == ScopeKind::Aggregate;
        let first = (!document.reports.is_empty()).then_some(0);
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            bound_rule: limit::rule(),
            main_report: document.reports.iter().position(is_aggregate).or(first),
            reports: document.reports.iter().map(of_report).collect(),
        }
    }

    /// The findings of the main report in the order in which they are given everywhere, with the regions that they are about; those about the whole run have
    /// no region. Minor ones are left out unless all are asked for.
    pub fn findings<'a>(
        &'a self,
        document: &'a RegionDocument,
        all: bool,
    ) -> Vec<(Option<&'a Region>, &'a Finding)> {
        let main = self.main_report;
        let Some((found, report)) =
            main.and_then(|main| self.reports.get(main).zip(document.reports.get(main)))
        else {
            return Vec::new();
        };
        let region = |at: Option<usize>| at.and_then(|at| report.regions.get(at));
        found.shown(all).into_iter().map(|(at, found)| (region(at), found)).collect()
    }

    /// The first findings, as far as they are something to do, make the numbers mislead or are about a part of the time; these come before all others.
    pub fn worth_doing_first<'a>(
        &'a self,
        document: &'a RegionDocument,
        most: usize,
    ) -> Vec<(Option<&'a Region>, &'a Finding)> {
        let mut findings = self.findings(document, false);
        findings.retain(|(_, finding)| finding.is_for_the_first_screen());
        findings.truncate(most);
        findings
    }
}

impl ReportInsight {
    /// The findings with the positions of the regions that they are about, in the order in which they are given.
    pub fn shown(&self, all: bool) -> Vec<(Option<usize>, &Finding)> {
        let of_regions = self.regions.iter().enumerate().flat_map(|(at, region)| {
            region.findings.iter().map(move |finding| (Some(at), finding))
        });
        let of_run = self.findings.iter().map(|finding| (None, finding));
        let mut findings: Vec<_> =
            of_run.chain(of_regions).filter(|(_, finding)| all || !finding.is_minor()).collect();
        findings.sort_by(|(_, left), (_, right)| {
            let (left, right) = (left.rank(), right.rank());
            left.0.cmp(&right.0).then_with(|| left.1.total_cmp(&right.1))
        });
        findings
    }
}

fn of_report(report: &ScopeReport) -> ReportInsight {
    let totals = of_totals(&report.totals);
    let unlabeled = if report.totals.are_one(&report.unlabeled) {
        totals.clone()
    } else {
        of_totals(&report.unlabeled)
    };
    let missing = if report.totals.kernel_count > 0 {
        roofline::missing(&Measured::totals(&report.totals))
    } else {
        Vec::new()
    };
    let heavy: FxHashSet<usize> = facts::heaviest(report).iter().map(|(at, _)| *at).collect();
    let of_region = |(at, region): (usize, &Region)| of_region(region, report, heavy.contains(&at));
    let mut regions: Vec<RegionInsight> =
        report.regions.iter().enumerate().map(of_region).collect();
    let mut findings = findings::of_report(report, &totals, &missing);
    findings::said_once(report, &mut findings, &mut regions);
    let mut insight = ReportInsight {
        facts: Vec::new(),
        totals,
        unlabeled,
        regions,
        findings,
        roofline_missing: missing,
    };
    insight.facts = facts::of_report(report, &insight);
    insight
}

fn of_totals(totals: &ResultSet) -> SetInsight {
    let measured = Measured::totals(totals);
    let roofline = roofline::roofline(&measured);
    SetInsight {
        bound: bound::of_set(&totals.limits, &measured, &roofline.points),
        kernels: of_kernels(&totals.kernels, &totals.metrics),
        roofline,
    }
}

fn of_region(region: &Region, report: &ScopeReport, is_heavy: bool) -> RegionInsight {
    let measured = Measured::region(region);
    let roofline = roofline::roofline(&measured);
    let mut insight = RegionInsight {
        bound: bound::of_set(&region.set.limits, &measured, &roofline.points),
        kernels: of_kernels(&region.set.kernels, &region.set.metrics),
        findings: Vec::new(),
        roofline,
    };
    let about = About::region(region, &insight.roofline, report, is_heavy);
    insight.findings = findings::of_set(&about);
    insight
}

fn of_kernels(kernels: &[KernelSummary], around: &Metrics) -> Vec<KernelInsight> {
    let of_kernel = |kernel: &KernelSummary| {
        let measured = Measured::kernel(kernel, around);
        // Most work is in finding out that nothing was measured.
        let is_measured = !kernel.metrics.is_empty();
        let Roofline { points, not_drawn, .. } =
            if is_measured { roofline::roofline(&measured) } else { Roofline::default() };
        let bound = bound::of_set(&kernel.limits, &measured, &points);
        KernelInsight { bound, points, not_drawn }
    };
    kernels.iter().map(of_kernel).collect()
}
