//! Large documents: the time of every exporter grows with the document and not with its square.
//!
//! The limits are far above what is needed, so that a busy machine does not fail them, and far below what quadratic behaviour would take.

use std::io;
use std::time::{Duration, Instant};

use rangescope_model::document::{Method, RegionDocument};

use super::support::{document, kernel, metric, region};
use crate::formats::{ExportOptions, FORMATS, Format, json};
use crate::{FolderParts, distinct_regions, write_folder};

/// Regions on three levels, each with a few kernels.
fn many_regions(number: usize) -> RegionDocument {
    let regions = (0..number)
        .map(|at| {
            let (step, layer) = (format!("step {}", at / 100), format!("layer.{}", at / 10));
            let leaf = format!("op {at}");
            let path = [step.as_str(), layer.as_str(), leaf.as_str()];
            let mut one = match at {
                _ if at.is_multiple_of(100) => region(&path[..1], 1.0, 0.0),
                _ if at.is_multiple_of(10) => region(&path[..2], 0.1, 0.0),
                _ => region(&path, 0.01, 0.01),
            };
            one.kernels =
                (0..3).map(|k| kernel(&format!("kernel_{k}<int>(int)"), 1, 0.1, 0.3)).collect();
            one
        })
        .collect();
    document(regions)
}

/// Regions one inside the other.
fn deep_regions(number: usize) -> RegionDocument {
    let segments: Vec<String> = (0..number).map(|level| format!("l{level}")).collect();
    let path: Vec<&str> = segments.iter().map(String::as_str).collect();
    document((1..=number).map(|depth| region(&path[..depth], 1.0, 0.1)).collect())
}

fn export_all(document: &RegionDocument) {
    for (writer, format) in FORMATS.iter().filter_map(|format| Some((format.report?, format))) {
        let start = Instant::now();
        for max_regions in [40, 10_000] {
            let options = ExportOptions { max_regions, ..ExportOptions::default() };
            writer(document, &options, &mut io::sink()).unwrap();
        }
        let taken = start.elapsed();
        println!("{}: {taken:?}", format.name);
        assert!(taken < Duration::from_secs(10), "{} took {taken:?}", format.name);
    }
}

#[test]
fn five_thousand_regions() {
    export_all(&many_regions(5_000));
}

#[test]
fn a_thousand_levels() {
    export_all(&deep_regions(1_000));
}

#[test]
fn two_thousand_metrics_in_each_of_fifty_regions() {
    let mut document = many_regions(50);
    for report in &mut document.reports {
        for region in &mut report.regions {
            for number in 0..2_000 {
                let value = f64::from(number) / 7.0;
                let name = format!("sm__counter_{number}.avg.per_second");
                std::sync::Arc::make_mut(region)
                    .metrics
                    .insert(name, metric(value, "inst/s", Method::TimeWeighted, true));
            }
        }
    }
    let start = Instant::now();
    let mut bytes = Vec::new();
    json::write(&document, &ExportOptions::default(), &mut bytes).unwrap();
    println!("{} MB of JSON: {:?}", bytes.len() / 1_000_000, start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(10));
    export_all(&document);
}

#[test]
fn a_folder_of_many_regions() {
    let around = tempfile::tempdir().unwrap();
    let document = many_regions(1_000);
    let names: Vec<String> =
        (0..distinct_regions(&document).len()).map(|number| format!("r{number}")).collect();
    let start = Instant::now();
    let (names, formats) = (names.as_slice(), Format::of_folders());
    let options = ExportOptions::default();
    let parts = FolderParts { names, formats: &formats, raw_csv: None, plots: Vec::new(), options };
    assert_eq!(write_folder(around.path(), &document, parts).unwrap().len(), 4_006);
    println!("folder: {:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(30));
}
