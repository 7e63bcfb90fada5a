#![no_main]
//! Any JSON as one of the documents that are read back: reports, comparisons, recorded regions, lists of kernels. What can be read can be shown.

use std::io::sink;

use libfuzzer_sys::fuzz_target;
use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_analyze::insight::Insight;
use rangescope_fuzz::as_file;
use rangescope_model::comparison::Comparison;
use rangescope_model::document::RegionDocument;
use rangescope_model::recorded::RecordedRegions;
use rangescope_read::nsys::TopKernels;
use rangescope_report::plot::{Kind, PlotRequest, bars, draw};
use rangescope_report::{ExportOptions, FORMATS, recorded};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(document) = serde_json::from_slice::<RegionDocument>(bytes) {
        for format in FORMATS {
            let Some(write) = format.report else { continue };
            write(&document, &ExportOptions::default(), &mut sink()).expect(format.name);
        }
        for kind in Kind::ALL {
            let _ = draw(&document, &PlotRequest::new(kind));
        }
        let _ = (bars(&document, 80), Insight::of(&document));
        let both = std::slice::from_ref(&document);
        show(&compare(both, both, &CompareOptions::default()));
    }
    if let Ok(comparison) = serde_json::from_slice::<Comparison>(bytes) {
        show(&comparison);
    }
    if let Ok(regions) = serde_json::from_slice::<RecordedRegions>(bytes) {
        let _ = recorded::terminal(&regions, &recorded::Shown::default());
    }
    if let Ok(list) = TopKernels::read(&as_file("top_kernels.json", bytes)) {
        let _ = list.demangled_names().len();
    }
});

fn show(comparison: &Comparison) {
    let new = [rangescope_testing::documents::run(1.0, 1.0, 1.0)];
    for format in FORMATS {
        let Some(write) = format.comparison else { continue };
        write(comparison, &new, &ExportOptions::default(), &mut sink()).expect(format.name);
    }
}
