//! Large documents: what every exporter writes grows with the document and not with its square.

use rangescope_model::document::RegionDocument;
use rangescope_testing::documents::tree::{deep, many_regions, with_counters};

use crate::formats::{ExportOptions, FORMATS, Format};
use crate::{FolderParts, write_folder};

/// Bytes that each exporter writes, without a limit on regions.
fn sizes(document: &RegionDocument) -> Vec<(&'static str, usize)> {
    let options = ExportOptions { max_regions: usize::MAX, ..ExportOptions::default() };
    let size = |format: &Format| {
        let mut bytes = Vec::new();
        format.report?(document, &options, &mut bytes).unwrap();
        Some((format.name, bytes.len()))
    };
    FORMATS.iter().filter_map(size).collect()
}

/// Twice the document takes about twice the bytes.
#[track_caller]
fn grows_in_step(once: &RegionDocument, twice: &RegionDocument) {
    for ((name, once), (_, twice)) in sizes(once).into_iter().zip(sizes(twice)) {
        assert!(twice * 10 < once * 25, "{name}: {once} and {twice} bytes");
    }
}

#[test]
fn five_thousand_regions() {
    grows_in_step(&many_regions(2_500), &many_regions(5_000));
}

/// A path names all regions around it, so names alone grow with the square; they are cut at 256 levels by the analysis.
#[test]
fn a_thousand_levels_are_written() {
    assert!(sizes(&deep(1_000)).iter().all(|(_, size)| *size > 0));
}

#[test]
fn two_thousand_metrics_in_each_of_fifty_regions() {
    let document = |metrics| with_counters(many_regions(50), metrics);
    grows_in_step(&document(1_000), &document(2_000));
}

#[test]
fn a_folder_of_many_regions() {
    let around = tempfile::tempdir().unwrap();
    let document = many_regions(1_000);
    let formats = Format::of_folders();
    let options = ExportOptions::default();
    let parts = FolderParts { formats: &formats, raw_csv: None, plots: Vec::new(), options };
    assert_eq!(write_folder(around.path(), &document, parts).unwrap().len(), 4_006);
}
