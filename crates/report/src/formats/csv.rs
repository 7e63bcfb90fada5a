//! Kernels as CSV (RFC 4180): one row per region and kernel, the same columns for one region and for a whole run.
//!
//! The rows are those of the aggregate, or of each scope where there is no aggregate; `region`, `domain`, `region_kind`, `scope` and `basis` say which.
//! A region's kernels include those of the regions below it, so rows of nested regions must not be added.
//! `grid`, `block` and `shape_calls` list the launch shapes, most used first, joined by `;` in the same order.
//! After the fixed columns comes one per key metric under ncu's name, in ncu's base units; empty where there is no value.
//! `simulated` says whether the numbers are no measurement.
//! A name that a spreadsheet would take for a formula has `'` before it, so that a file can be opened without harm; numbers are never touched.

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use indexmap::IndexSet;
use rangescope_model::document::{
    KernelSummary, LaunchShape, Region, RegionDocument, Scalar, ScopeReport,
};
use rangescope_model::region::RangeKind;
use rangescope_model::words::Word;

use super::ExportOptions;
use crate::{phrases, scopes};
use rangescope_model::number;

/// The columns that every file has, in order.
pub const COLUMNS: &[&str] = &[
    "kernel_name",
    "function",
    "kind",
    "calls",
    "total_ms",
    "mean_ms",
    "min_ms",
    "max_ms",
    "share",
    "device",
    "grid",
    "block",
    "shape_calls",
    "region",
    "domain",
    "region_kind",
    "scope",
    "basis",
    "simulated",
];

/// Writes the kernels of every region of a document, and those outside of all regions with an empty `region`.
pub fn write(
    document: &RegionDocument,
    _options: &ExportOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let reports = scopes::main_reports(document);
    let rows = reports.iter().flat_map(|report| {
        let labeled = report.regions.iter().flat_map(move |region| {
            let kernels = region.set.kernels.iter();
            kernels.map(move |kernel| Row { document, report, region: Some(region), kernel })
        });
        let unlabeled = report.unlabeled.kernels.iter().map(move |kernel| Row {
            document,
            report,
            region: None,
            kernel,
        });
        labeled.chain(unlabeled)
    });
    write_rows(&rows.collect::<Vec<_>>(), out)
}

/// One kernel of one region.
struct Row<'a> {
    document: &'a RegionDocument,
    report: &'a ScopeReport,
    region: Option<&'a Region>,
    kernel: &'a KernelSummary,
}

fn write_rows(rows: &[Row<'_>], out: &mut dyn Write) -> io::Result<()> {
    let metrics: IndexSet<&str> =
        rows.iter().flat_map(|row| row.kernel.metrics.keys().map(String::as_str)).collect();
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(BufWriter::new(out));
    for name in COLUMNS.iter().copied().chain(metrics.iter().copied()) {
        writer.write_field(harmless(name).as_bytes())?;
    }
    writer.write_record(None::<&[u8]>)?;
    for row in rows {
        for field in fixed_fields(row) {
            writer.write_field(field)?;
        }
        for name in &metrics {
            match row.kernel.metrics.get(*name).and_then(|metric| metric.value.as_ref()) {
                Some(Scalar::Number(value)) => writer.write_field(value.to_string())?,
                Some(Scalar::Integer(value)) => writer.write_field(value.to_string())?,
                Some(Scalar::Text(text)) => writer.write_field(harmless(text).as_bytes())?,
                None => writer.write_field("")?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// The fields of [`COLUMNS`], in that order.
fn fixed_fields(row: &Row<'_>) -> [String; 19] {
    let kernel = row.kernel;
    let shapes = |show: fn(&LaunchShape) -> String| {
        kernel.launch_shapes.iter().map(show).collect::<Vec<_>>().join(";")
    };
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    [
        harmless(&kernel.kernel_name).into_owned(),
        harmless(&kernel.function).into_owned(),
        kernel.kind.as_str().to_owned(),
        kernel.calls.to_string(),
        optional(kernel.total_ms),
        optional(kernel.mean_ms),
        optional(kernel.min_ms),
        optional(kernel.max_ms),
        optional(kernel.share),
        kernel.device.map_or_else(String::new, |device| device.to_string()),
        shapes(|shape| number::dimensions(shape.grid)),
        shapes(|shape| number::dimensions(shape.block)),
        shapes(|shape| shape.calls.to_string()),
        row.region.map_or_else(String::new, |region| harmless(&region.name).into_owned()),
        row.region.map_or_else(String::new, |region| harmless(&region.domain).into_owned()),
        row.region.map_or("", |region| region_kind(region.kind)).to_owned(),
        harmless(&row.report.scope.id).into_owned(),
        phrases::basis(row.report.basis).to_owned(),
        row.document.simulated.to_string(),
    ]
}

/// The text with `'` before it where a spreadsheet would run it.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The kind of range as the JSON spells it.
pub(crate) fn region_kind(kind: RangeKind) -> &'static str {
    match kind {
        RangeKind::PushPop => "push_pop",
        RangeKind::StartEnd => "start_end",
    }
}
