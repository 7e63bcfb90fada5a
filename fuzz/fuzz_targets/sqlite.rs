#![no_main]
//! Any bytes as an export of Nsight Systems.

use libfuzzer_sys::fuzz_target;
use rangescope_fuzz::as_file;
use rangescope_read::nsys::{Database, Grouping, Summary, TopRequest, Trace, top_kernels};

fuzz_target!(|bytes: &[u8]| {
    let Ok(database) = Database::open(&as_file("export.sqlite", bytes)) else { return };
    let _ = top_kernels(&database, &TopRequest { top: 3, by_region: true, selectors: Vec::new() });
    let Ok(trace) = Trace::read(&database) else { return };
    let _ = Summary::of(&trace, Grouping::default());
});
