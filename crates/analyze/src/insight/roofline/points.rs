//! The points of a roofline with their names and times, ready to be drawn.

use crate::insight::model::{Insight, RooflinePoint};
use rangescope_model::document::RegionDocument;

/// One point with what it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamedPoint<'a> {
    /// Name of the region or kernel, as the program wrote it.
    pub name: &'a str,
    /// Position of the region in the report, or of the kernel in its set.
    pub index: usize,
    /// GPU time in milliseconds.
    pub time_ms: Option<f64>,
    /// Share of the time of the report (for regions) or of the set (for kernels).
    pub share: Option<f64>,
    /// The point.
    pub point: &'a RooflinePoint,
}

/// The points of all regions of a report, in the order of the report.
pub fn region_points<'a>(
    document: &'a RegionDocument,
    insight: &'a Insight,
    report: usize,
) -> Vec<NamedPoint<'a>> {
    let (Some(told), Some(concluded)) = (document.reports.get(report), insight.reports.get(report))
    else {
        return Vec::new();
    };
    let regions = told.regions.iter().zip(&concluded.regions).enumerate();
    regions
        .flat_map(|(index, (region, concluded))| {
            concluded.roofline.points.iter().map(move |point| NamedPoint {
                name: &region.name,
                index,
                time_ms: region.set.total_ms,
                share: region.share,
                point,
            })
        })
        .collect()
}

/// The points of all kernels of a region, or of the whole report where no region is given.
pub fn kernel_points<'a>(
    document: &'a RegionDocument,
    insight: &'a Insight,
    report: usize,
    region: Option<usize>,
) -> Vec<NamedPoint<'a>> {
    let (Some(told), Some(concluded)) = (document.reports.get(report), insight.reports.get(report))
    else {
        return Vec::new();
    };
    let (kernels, concluded) = match region {
        None => (&told.totals.kernels, &concluded.totals.kernels),
        Some(region) => match (told.regions.get(region), concluded.regions.get(region)) {
            (Some(told), Some(concluded)) => (&told.set.kernels, &concluded.kernels),
            _ => return Vec::new(),
        },
    };
    let kernels = kernels.iter().zip(concluded).enumerate();
    kernels
        .flat_map(|(index, (kernel, concluded))| {
            concluded.points.iter().map(move |point| NamedPoint {
                name: &kernel.kernel_name,
                index,
                time_ms: kernel.total_ms,
                share: kernel.share,
                point,
            })
        })
        .collect()
}
