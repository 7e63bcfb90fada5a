//! What several fuzz targets need.

use std::path::PathBuf;
use std::sync::LazyLock;

use ncu_rep::Report;
use rangescope_analyze::aggregate::{Analysis, AnalysisOptions};
use rangescope_config::Context;
use rangescope_read::results::{NcuReport, Numbering, ResultSource};

/// A folder of this process alone. The fuzzer ends without a chance to tidy up, so what is left is at most one file of each name.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("rangescope-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the input");
    folder
});

/// The bytes as a file of that name, for readers that take a path.
pub fn as_file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.join(name);
    std::fs::write(&path, bytes).expect("room for the input");
    path
}

/// A world in which every variable has a value and it is always the same moment.
pub fn context() -> Context<'static> {
    let now = jiff::civil::date(2024, 2, 29).at(23, 59, 58, 7_000);
    Context { env: &|name| Some(name.to_lowercase()), now, cwd: "/work".to_owned() }
}

/// Asks everything of a report, and makes a document's worth of it.
pub fn read_report(bytes: Vec<u8>) {
    let Ok(report) = Report::from_bytes(bytes.clone()) else { return };
    let decoded = report.results().filter(|view| view.decode().is_some()).count();
    let _ = (report.session(), report.processes(), report.sources().count(), report.lost_results());

    let source = NcuReport::from_bytes(bytes).expect("it was readable before");
    let numbering = Numbering::new(std::iter::once(&source as &dyn ResultSource), false);
    let options = AnalysisOptions::default();
    let analysis = Analysis::new(&options, &numbering.vocabulary).expect("the defaults are right");
    let mut partial = analysis.partial();
    let facts = source.read(0..source.len(), &numbering.of_source(0), &mut |launch| {
        partial.add(&analysis, launch);
    });
    // Instances are only decoded with the whole, and may be too many.
    assert!(source.len() - facts.damaged.len() >= decoded);
    let _ = (analysis.finish(partial, &numbering.sections()), source.notes(), source.lost());
}
