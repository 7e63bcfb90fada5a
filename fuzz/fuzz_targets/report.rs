#![no_main]
//! Any bytes as a report: everything that can be asked of it is asked.

use libfuzzer_sys::fuzz_target;
use ncu_rep::Report;

fuzz_target!(|bytes: &[u8]| {
    let Ok(report) = Report::from_bytes(bytes.to_vec()) else { return };
    for view in report.results() {
        let _ = view.decode();
    }
    let _ = (report.session(), report.processes(), report.sources().count(), report.damage().len());
});
