//! The part of a document that a drawing is of.

use rangescope_model::document::{
    Basis, KernelSummary, MetricSummary, Region, RegionDocument, Scope, ScopeKind, ScopeReport,
};
use rangescope_model::number::weight;
use rangescope_model::text::{shorten, shorten_kernel, visible, visible_name};

use crate::plot::error::PlotError;
use crate::plot::request::ColourMetric;
use indexmap::IndexMap;

/// Names in tooltips and descriptions are cut here; some are ten thousand characters long.
const LONGEST: usize = 1000;

/// Columns of a kernel's name in a heading.
const SUBJECT: usize = 80;

/// A report, and a region of it if one was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chosen<'d> {
    pub(crate) document: &'d RegionDocument,
    /// Position of the report in the document.
    pub(crate) index: usize,
    pub(crate) report: &'d ScopeReport,
    /// The region with its position in the report.
    pub(crate) region: Option<(usize, &'d Region)>,
}

impl<'d> Chosen<'d> {
    pub(crate) fn find(
        document: &'d RegionDocument,
        scope: Option<&str>,
        region: Option<&str>,
    ) -> Result<Self, PlotError> {
        let (index, report) = find_report(document, scope)?;
        let region = match region {
            None => None,
            Some(name) => Some(find_region(report, name)?),
        };
        Ok(Self { document, index, report, region })
    }

    pub(crate) fn total_ms(&self) -> f64 {
        weight(self.region.map_or(self.report.totals.total_ms, |(_, region)| region.set.total_ms))
    }

    pub(crate) fn results(&self) -> u64 {
        self.region.map_or(self.report.totals.kernel_count, |(_, region)| region.set.kernel_count)
    }

    pub(crate) fn kernels(&self) -> &'d [KernelSummary] {
        self.region.map_or(&self.report.totals.kernels, |(_, region)| &region.set.kernels)
    }

    pub(crate) fn metrics(&self) -> &'d IndexMap<String, MetricSummary> {
        self.region.map_or(&self.report.totals.metrics, |(_, region)| &region.set.metrics)
    }

    /// The one kernel that is selected, else the region or scope.
    pub(crate) fn subject(&self) -> String {
        match self.kernels() {
            [kernel] => shorten_kernel(&visible_name(&kernel.kernel_name), SUBJECT).into_owned(),
            _ => self.name(),
        }
    }

    /// What the drawing is of, in a heading: the region or the scope.
    pub(crate) fn name(&self) -> String {
        match self.region {
            Some((_, region)) => full_name(&region.name),
            None if self.report.scope.kind == ScopeKind::Aggregate => "the whole run".to_owned(),
            None => full_name(&self.report.scope.id),
        }
    }

    /// Scope, devices and time in one line.
    pub(crate) fn summary(&self) -> String {
        let mut parts = vec![full_name(&self.report.scope.id)];
        if self.report.basis == Basis::Range {
            parts.push("whole ranges".to_owned());
        }
        let mut devices: Vec<&str> = Vec::new();
        for name in self.document.devices.iter().filter_map(|device| device.name.as_deref()) {
            if !devices.contains(&name) && devices.len() < 3 {
                devices.push(name);
            }
        }
        parts.extend(devices.into_iter().map(full_name));
        parts.push(format!("{} GPU time", rangescope_model::number::time(self.total_ms())));
        parts.push(rangescope_model::number::count(self.results(), "result", "results"));
        parts.join(" · ")
    }

    /// That there is time to be drawn.
    pub(crate) fn with_time(self) -> Result<Self, PlotError> {
        let total = self.total_ms();
        if total > 0.0 && total.is_finite() {
            Ok(self)
        } else {
            Err(PlotError::NoTime { what: self.name() })
        }
    }
}

/// The name as it can be shown, cut only where it is absurdly long.
pub(crate) fn full_name(name: &str) -> String {
    shorten(&visible_name(name), LONGEST).into_owned()
}

/// The percentage that colours a block or bar.
pub(crate) fn percentage(
    metrics: &IndexMap<String, MetricSummary>,
    colour: ColourMetric,
) -> Option<f64> {
    colour.metrics().iter().find_map(|name| metrics.get(*name)?.value.as_ref()?.number())
}

fn find_report<'d>(
    document: &'d RegionDocument,
    scope: Option<&str>,
) -> Result<(usize, &'d ScopeReport), PlotError> {
    let mut reports = document.reports.iter().enumerate();
    let Some(asked) = scope else {
        let aggregate = reports.find(|(_, report)| report.scope.kind == ScopeKind::Aggregate);
        let first = document.reports.first().map(|report| (0, report));
        return aggregate.or(first).ok_or(PlotError::Empty);
    };
    let rank = asked.strip_prefix("rank:").and_then(|rank| rank.parse::<u32>().ok());
    let is_meant = |scope: &Scope| scope.id == asked || (rank.is_some() && scope.rank == rank);
    reports.find(|(_, report)| is_meant(&report.scope)).ok_or_else(|| PlotError::Scope {
        asked: asked.to_owned(),
        known: document.reports.iter().take(12).map(|report| report.scope.id.clone()).collect(),
    })
}

/// The region of this name; of several domains the first. What a terminal showed is understood, too.
fn find_region<'d>(report: &'d ScopeReport, asked: &str) -> Result<(usize, &'d Region), PlotError> {
    let regions = || report.regions.iter().enumerate();
    let found = regions()
        .find(|(_, region)| region.name == asked)
        .or_else(|| regions().find(|(_, region)| visible(&region.name) == asked));
    found.ok_or_else(|| {
        let mut heaviest: Vec<&Region> = report.regions.iter().collect();
        heaviest.sort_by(|left, right| {
            weight(right.set.total_ms).total_cmp(&weight(left.set.total_ms))
        });
        PlotError::Region {
            scope: report.scope.id.clone(),
            asked: asked.to_owned(),
            known: heaviest.iter().take(8).map(|region| region.name.clone()).collect(),
        }
    })
}
