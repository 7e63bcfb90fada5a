//! Putting together what is concluded from a document.

use crate::insight::bound;
use crate::insight::facts;
use crate::insight::findings;
use crate::insight::measured::{Measured, Metrics};
use crate::insight::model::{
    Bound, BoundClass, Finding, Insight, KernelInsight, RegionInsight, ReportInsight,
    SCHEMA_VERSION, SetInsight,
};
use crate::insight::roofline;
use rangescope_model::document::{
    KernelSummary, NCUProfileRegion, NCUProfileRegionReport, RegionDocument, ScopeKind, Totals,
};

impl Insight {
    /// Everything that can be concluded from a document.
    pub fn of(document: &RegionDocument) -> Self {
        let is_aggregate =
            |report: &NCUProfileRegionReport| report.scope.kind == ScopeKind::Aggregate;
        let first = (!document.reports.is_empty()).then_some(0);
        Self {
            schema_version: SCHEMA_VERSION.to_owned(),
            bound_rule: bound::RULE.to_owned(),
            main_report: document.reports.iter().position(is_aggregate).or(first),
            reports: document.reports.iter().map(of_report).collect(),
        }
    }

    /// The findings of the main report with the regions that they are about, the most valuable first; those about the whole run have no region.
    pub fn findings_by_worth<'a>(
        &'a self,
        document: &'a RegionDocument,
    ) -> Vec<(Option<&'a NCUProfileRegion>, &'a Finding)> {
        let main = self.main_report;
        let Some((found, report)) =
            main.and_then(|main| self.reports.get(main).zip(document.reports.get(main)))
        else {
            return Vec::new();
        };
        let of_regions = found.regions.iter().zip(&report.regions).flat_map(|(found, region)| {
            found.findings.iter().map(move |finding| (Some(&**region), finding))
        });
        let of_run = found.findings.iter().map(|finding| (None, finding));
        let mut findings: Vec<_> = of_run.chain(of_regions).collect();
        findings.sort_by(|(_, left), (_, right)| worth(right).total_cmp(&worth(left)));
        findings
    }
}

/// The share of the run that could be gained, else a tenth of what it concerns: what has an estimate comes first.
fn worth(finding: &Finding) -> f64 {
    finding.gain.as_ref().map_or(finding.run_share / 10.0, |gain| gain.run)
}

fn of_report(report: &NCUProfileRegionReport) -> ReportInsight {
    let totals = of_totals(&report.totals);
    let missing = if report.totals.kernel_count > 0 {
        roofline::missing(&Measured::totals(&report.totals))
    } else {
        Vec::new()
    };
    let regions: Vec<RegionInsight> =
        report.regions.iter().map(|region| of_region(region, report)).collect();
    let findings = findings::of_report(report, &totals, &missing);
    let mut insight = ReportInsight {
        facts: Vec::new(),
        totals,
        unlabeled: of_totals(&report.unlabeled),
        regions,
        findings,
        roofline_missing: missing,
    };
    insight.facts = facts::of_report(report, &insight);
    insight
}

fn of_totals(totals: &Totals) -> SetInsight {
    let measured = Measured::totals(totals);
    let kernels = of_kernels(&totals.kernels, &totals.metrics);
    SetInsight {
        bound: of_set(&measured, &totals.kernels, &kernels),
        roofline: roofline::roofline(&measured),
        kernels,
    }
}

fn of_region(region: &NCUProfileRegion, report: &NCUProfileRegionReport) -> RegionInsight {
    let measured = Measured::region(region);
    let kernels = of_kernels(&region.kernels, &region.metrics);
    let mut insight = RegionInsight {
        bound: of_set(&measured, &region.kernels, &kernels),
        roofline: roofline::roofline(&measured),
        findings: Vec::new(),
        kernels,
    };
    insight.findings = findings::of_region(region, &insight, report);
    insight
}

fn of_kernels(kernels: &[KernelSummary], around: &Metrics) -> Vec<KernelInsight> {
    let of_kernel = |kernel| {
        let measured = Measured::kernel(kernel, around);
        KernelInsight { bound: bound::of_kernel(&measured), points: roofline::points(&measured) }
    };
    kernels.iter().map(of_kernel).collect()
}

fn of_set(measured: &Measured<'_>, told: &[KernelSummary], concluded: &[KernelInsight]) -> Bound {
    let kernels: Vec<(&KernelSummary, BoundClass)> =
        told.iter().zip(concluded).map(|(kernel, insight)| (kernel, insight.bound.class)).collect();
    bound::of_set(measured, &kernels)
}
