#![no_main]
//! Any bytes as a report: everything that can be asked of it is asked, and a document is made of it.

use libfuzzer_sys::fuzz_target;
use rangescope_fuzz::read_report;

fuzz_target!(|bytes: &[u8]| read_report(bytes.to_vec()));
