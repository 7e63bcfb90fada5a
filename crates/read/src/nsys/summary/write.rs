//! Summaries as CSV (RFC 4180, with a header) and JSON.
//!
//! Names are written exactly as they are: this is data, and a spreadsheet that runs cells as formulas has to be told not to. The segments of a region's path
//! are a JSON list in their cell, since any character may be part of a name.

use std::io::{self, BufWriter, Write};

use super::{KernelRow, RangeRow, RegionKernelRow, Summary};
use crate::nsys::statistics::Statistics;

const KERNEL: [&str; 10] = [
    "kernel_name",
    "base_name",
    "device",
    "calls",
    "total_ns",
    "mean_ns",
    "median_ns",
    "min_ns",
    "max_ns",
    "share",
];
const REGION: [&str; 6] = ["region", "domain", "kind", "path", "process_id", "thread_id"];
const RANGE: [&str; 13] = [
    "range",
    "domain",
    "kind",
    "instances",
    "total_ns",
    "mean_ns",
    "median_ns",
    "min_ns",
    "max_ns",
    "threads",
    "processes",
    "kernels",
    "gpu_ns",
];

pub fn write_kernels_csv(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    table(out, KERNEL.to_vec(), summary.kernels.iter().map(|row| kernel_fields(row).to_vec()))
}

pub fn write_kernels_by_region_csv(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let header = REGION.into_iter().chain(KERNEL).collect();
    table(out, header, summary.kernels_by_region.iter().map(region_fields))
}

pub fn write_ranges_csv(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    table(out, RANGE.to_vec(), summary.ranges.iter().map(range_fields))
}

pub fn write_summary_json(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, summary)?;
    out.write_all(b"\n")?;
    out.flush()
}

fn table(
    out: &mut dyn Write,
    header: Vec<&str>,
    rows: impl Iterator<Item = Vec<String>>,
) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(BufWriter::new(out));
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row)?;
    }
    writer.flush()
}

fn kernel_fields(row: &KernelRow) -> [String; 10] {
    let [total, mean, median, min, max] = time_fields(&row.time);
    [
        row.name.clone(),
        row.base_name.clone(),
        optional(row.device),
        row.calls.to_string(),
        total,
        mean,
        median,
        min,
        max,
        row.share.to_string(),
    ]
}

fn region_fields(row: &RegionKernelRow) -> Vec<String> {
    let region = row.region.as_ref();
    let path = region.map(|region| serde_json::Value::from(region.key.path.clone()));
    let mut fields = vec![
        region.map_or_else(String::new, |region| region.name.clone()),
        region.map_or_else(String::new, |region| region.key.domain.clone()),
        region.map_or("", |region| region.key.kind.as_str()).to_owned(),
        optional(path),
        optional(row.process_id),
        optional(row.thread_id),
    ];
    fields.extend(kernel_fields(&row.kernel));
    fields
}

fn range_fields(row: &RangeRow) -> Vec<String> {
    let mut fields = vec![
        row.name.clone(),
        row.domain.clone(),
        row.kind.as_str().to_owned(),
        row.instances.to_string(),
    ];
    fields.extend(time_fields(&row.time));
    fields.extend([row.threads.to_string(), row.processes.to_string()]);
    fields.extend([optional(row.kernels), optional(row.gpu_ns)]);
    fields
}

fn time_fields(time: &Statistics) -> [String; 5] {
    [
        time.total_ns.to_string(),
        time.mean_ns.to_string(),
        time.median_ns.to_string(),
        time.min_ns.to_string(),
        time.max_ns.to_string(),
    ]
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
