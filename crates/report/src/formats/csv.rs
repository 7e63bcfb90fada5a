//! Kernels as CSV (RFC 4180): one row per region and kernel, the same columns for one region and for a whole run.
//!
//! The rows are those of the aggregate, or of each scope where there is no aggregate; `region`, `domain`, `region_kind`, `scope` and `basis` say which.
//! A region's kernels include those of the regions below it, so rows of nested regions must not be added.
//! `grid`, `block` and `shape_calls` list the launch shapes, most used first, joined by `;` in the same order.
//! After the fixed columns comes one per key metric under ncu's name, in ncu's base units; empty where there is no value.
//! Names are written exactly as they are: this is data, and a spreadsheet that runs cells as formulas has to be told not to.

use std::io::{self, BufWriter, Write};

use indexmap::IndexSet;
use rangescope_model::document::{
    KernelSummary, LaunchShape, NCUProfileRegion, NCUProfileRegionReport, RegionDocument, Scalar,
};
use rangescope_model::region::RangeKind;

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
            region.kernels.iter().map(move |kernel| Row { report, region: Some(region), kernel })
        });
        let unlabeled =
            report.unlabeled.kernels.iter().map(move |kernel| Row { report, region: None, kernel });
        labeled.chain(unlabeled)
    });
    write_rows(&rows.collect::<Vec<_>>(), out)
}

/// One kernel of one region.
struct Row<'a> {
    report: &'a NCUProfileRegionReport,
    region: Option<&'a NCUProfileRegion>,
    kernel: &'a KernelSummary,
}

fn write_rows(rows: &[Row<'_>], out: &mut dyn Write) -> io::Result<()> {
    let metrics: IndexSet<&str> =
        rows.iter().flat_map(|row| row.kernel.metrics.keys().map(String::as_str)).collect();
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(BufWriter::new(out));
    for name in COLUMNS.iter().copied().chain(metrics.iter().copied()) {
        writer.write_field(name)?;
    }
    writer.write_record(None::<&[u8]>)?;
    for row in rows {
        for field in fixed_fields(row) {
            writer.write_field(field)?;
        }
        for name in &metrics {
            match row.kernel.metrics.get(*name).and_then(|metric| metric.value.as_ref()) {
                Some(Scalar::Number(value)) => writer.write_field(value.to_string())?,
                Some(Scalar::Text(text)) => writer.write_field(text)?,
                None => writer.write_field("")?,
            }
        }
        writer.write_record(None::<&[u8]>)?;
    }
    writer.flush()
}

/// The fields of [`COLUMNS`], in that order.
fn fixed_fields(row: &Row<'_>) -> [String; 18] {
    let kernel = row.kernel;
    let shapes = |show: fn(&LaunchShape) -> String| {
        kernel.launch_shapes.iter().map(show).collect::<Vec<_>>().join(";")
    };
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    [
        kernel.kernel_name.clone(),
        kernel.function.clone(),
        kernel.kind.clone(),
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
        row.region.map_or_else(String::new, |region| region.name.clone()),
        row.region.map_or_else(String::new, |region| region.domain.clone()),
        row.region.map_or("", |region| region_kind(region.kind)).to_owned(),
        row.report.scope.id.clone(),
        phrases::basis(row.report.basis).to_owned(),
    ]
}

/// The kind of range as the JSON spells it.
fn region_kind(kind: RangeKind) -> &'static str {
    match kind {
        RangeKind::PushPop => "push_pop",
        RangeKind::StartEnd => "start_end",
    }
}
