//! The rows of a report: its scopes, and their regions with metrics and kernels.

use std::io;

use indexmap::IndexMap;
use rangescope_model::document::{
    KernelSummary, MetricSummary, RegionDocument, Scalar, ScopeKind, ScopeReport,
};
use rangescope_model::launch::ProcessInfo;
use rangescope_model::region::{RangeKind, RegionRef};
use rangescope_model::timeline::{Timeline, What};
use rangescope_model::words::Word;

use super::schema::{KERNELS, REGION_METRICS, REGIONS, SCOPES, SPANS};
use super::{Cell, Sink};
use crate::formats::csv::region_kind;
use crate::phrases;

/// Who a row is about: scope, basis, domain, kind of range, path.
type Who<'a> = [Cell<'a>; 5];

/// Writes the rows of all reports of a document.
pub fn document_rows(document: &RegionDocument, sink: &mut dyn Sink) -> io::Result<()> {
    for (at, report) in document.reports.iter().enumerate() {
        let same_as = document.same_as(at).and_then(|at| document.reports.get(at));
        scope_row(report, same_as, sink)?;
        if same_as.is_none() {
            report_rows(report, sink)?;
        }
    }
    Ok(())
}

fn scope_row(
    report: &ScopeReport,
    same_as: Option<&ScopeReport>,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    let scope = &report.scope;
    let kind = match scope.kind {
        ScopeKind::Aggregate => "aggregate",
        ScopeKind::Process => "process",
        ScopeKind::Device => "device",
    };
    let row = [
        scope.id.as_str().into(),
        phrases::basis(report.basis).into(),
        kind.into(),
        scope.process_id.into(),
        scope.process_name.as_deref().into(),
        scope.host.as_deref().into(),
        scope.rank.into(),
        scope.device.into(),
        same_as.map(|same| same.scope.id.as_str()).into(),
        report.totals.total_ms.into(),
        report.totals.kernel_count.into(),
    ];
    sink.row(&SCOPES, &row)
}

/// Writes the rows of ranges and kernels with their times.
pub fn timeline_rows(source: &str, timeline: &Timeline, sink: &mut dyn Sink) -> io::Result<()> {
    let unknown = ProcessInfo::default();
    for span in &timeline.spans {
        let track = timeline.tracks.get(span.track);
        let process = track.and_then(|track| timeline.processes.get(track.process));
        let process = process.unwrap_or(&unknown);
        // The regions around a kernel may be of several trees; one of push/pop ranges stands for them.
        let (kind, name, region, device) = match &span.what {
            What::Range { region } => {
                let key = timeline.regions.get(*region);
                let name = key.and_then(|key| key.path.last()).map(String::as_str);
                ("range", name, key, None)
            }
            What::Kernel { kernel, device, within } => {
                let name = timeline.kernels.get(*kernel).map(|name| name.demangled.as_str());
                let regions = within.iter().flatten().filter_map(|at| timeline.regions.get(*at));
                let region = regions.min_by_key(|key| key.kind == RangeKind::StartEnd);
                ("kernel", name, region, *device)
            }
        };
        let path =
            region.map(|key| path_text(&key.path.iter().map(String::as_str).collect::<Vec<_>>()));
        let row = [
            source.into(),
            process.pid.into(),
            process.rank.into(),
            track.map(|track| track.name.as_str()).into(),
            kind.into(),
            name.into(),
            span.start_ns.into(),
            span.end_ns.into(),
            region.map(|key| key.domain.as_str()).into(),
            region.map(|key| region_kind(key.kind)).into(),
            path.into(),
            device.into(),
        ];
        sink.row(&SPANS, &row)?;
    }
    Ok(())
}

fn report_rows(report: &ScopeReport, sink: &mut dyn Sink) -> io::Result<()> {
    for region in &report.regions {
        let who = who(report, Some(region.key()));
        let row = [
            region.name.as_str().into(),
            region.depth.into(),
            region.set.total_ms.into(),
            region.exclusive_ms.into(),
            region.share.into(),
            region.set.kernel_count.into(),
            region.exclusive_kernel_count.into(),
            region.set.timed_count.into(),
        ];
        sink.row(&REGIONS, &[&who[..], &row].concat())?;
        metric_rows(&who, false, &region.set.metrics, sink)?;
        // Where nothing is below, both are the same.
        let own = region.exclusive_metrics.as_deref().unwrap_or(&region.set.metrics);
        metric_rows(&who, true, own, sink)?;
        kernel_rows(&who, &region.set.kernels, sink)?;
    }
    let outside = &report.unlabeled;
    if outside.kernel_count == 0 {
        return Ok(());
    }
    let who = who(report, None);
    let row = [
        report.unlabeled_name().into(),
        Cell::Empty,
        outside.total_ms.into(),
        outside.total_ms.into(),
        report.unlabeled_share().into(),
        outside.kernel_count.into(),
        outside.kernel_count.into(),
        outside.timed_count.into(),
    ];
    sink.row(&REGIONS, &[&who[..], &row].concat())?;
    metric_rows(&who, false, &outside.metrics, sink)?;
    metric_rows(&who, true, &outside.metrics, sink)?;
    kernel_rows(&who, &outside.kernels, sink)
}

fn who<'a>(report: &'a ScopeReport, region: Option<RegionRef<'a>>) -> Who<'a> {
    [
        report.scope.id.as_str().into(),
        phrases::basis(report.basis).into(),
        region.map(|region| region.domain).into(),
        region.map(|region| region_kind(region.kind)).into(),
        region.map(|region| path_text(region.path)).into(),
    ]
}

/// A path as a JSON list, so that names with any characters stay apart.
pub fn path_text<T: AsRef<str>>(path: &[T]) -> String {
    let names: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
    serde_json::Value::from(names).to_string()
}

fn metric_rows(
    who: &Who<'_>,
    exclusive: bool,
    metrics: &IndexMap<String, MetricSummary>,
    sink: &mut dyn Sink,
) -> io::Result<()> {
    for (name, metric) in metrics {
        let (integer, text) = match &metric.value {
            Some(Scalar::Integer(value)) => (Some(*value), None),
            Some(Scalar::Text(text)) => (None, Some(text.as_str())),
            Some(Scalar::Number(_)) | None => (None, None),
        };
        let row = [
            exclusive.into(),
            name.as_str().into(),
            metric.value.as_ref().and_then(Scalar::number).into(),
            integer.into(),
            text.into(),
            metric.unit.as_str().into(),
            method(metric).into(),
            metric.exact.into(),
            metric.covered.into(),
            metric.of.into(),
            metric.min.into(),
            metric.max.into(),
            metric.mean.into(),
            metric.busiest.as_deref().into(),
            metric.reason.as_deref().into(),
        ];
        sink.row(&REGION_METRICS, &[&who[..], &row].concat())?;
    }
    Ok(())
}

/// As report.json spells it.
fn method(metric: &MetricSummary) -> Option<String> {
    let value = serde_json::to_value(metric.method).ok()?;
    value.as_str().map(str::to_owned)
}

fn kernel_rows(who: &Who<'_>, kernels: &[KernelSummary], sink: &mut dyn Sink) -> io::Result<()> {
    for kernel in kernels {
        let row = [
            kernel.kernel_name.as_str().into(),
            kernel.function.as_str().into(),
            kernel.kind.as_str().into(),
            kernel.calls.into(),
            kernel.total_ms.into(),
            kernel.mean_ms.into(),
            kernel.min_ms.into(),
            kernel.max_ms.into(),
            kernel.share.into(),
            kernel.device.into(),
        ];
        sink.row(&KERNELS, &[&who[..], &row].concat())?;
    }
    Ok(())
}
