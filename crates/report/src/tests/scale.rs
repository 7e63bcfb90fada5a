//! Large documents: the time of every exporter grows with the document and not with its square.
//!
//! The limits are far above what is needed, so that a busy machine does not fail them, and far below what quadratic behaviour would take.

use std::io;
use std::time::{Duration, Instant};

use rangescope_model::document::RegionDocument;
use rangescope_testing::documents::tree::{deep, many_regions, with_counters};

use crate::formats::{ExportOptions, FORMATS, Format, json};
use crate::{FolderParts, distinct_regions, write_folder};

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
    export_all(&deep(1_000));
}

#[test]
fn two_thousand_metrics_in_each_of_fifty_regions() {
    let document = with_counters(many_regions(50), 2_000);
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
