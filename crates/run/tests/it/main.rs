//! The library as the command line uses it, on the sample and on real reports.

#![expect(
    clippy::float_cmp,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and exact outcomes are what is tested"
)]

mod analysis;
mod compare;
mod insight;

use std::path::Path;

use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_model::document::RegionDocument;
use rangescope_read::Input;
use rangescope_run::analysis::{Request, analyse};

/// The document of a report.
fn read(path: &Path) -> RegionDocument {
    let inputs = [Input::open(path).unwrap()];
    let options = AnalysisOptions::default();
    let request = Request {
        options: &options,
        tool: ("test", "0"),
        one_program: false,
        progress: &|_, _| (),
    };
    analyse(&inputs, &request).unwrap()
}
