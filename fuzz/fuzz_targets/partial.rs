#![no_main]
//! Any bytes as a file of partial results: what can be read becomes a document, and can be merged.

use std::sync::Once;

use libfuzzer_sys::fuzz_target;
use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_fuzz::as_file;
use rangescope_run::partial::{load, merge};

/// The decoder of Parquet panics on some bytes, and its panics are caught. The fuzzer's hook ends the process before that; a panic that nobody catches ends it all the same.
static CAUGHT_PANICS_ARE_NO_FINDINGS: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    CAUGHT_PANICS_ARE_NO_FINDINGS.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    let file = [as_file("rows.parquet", bytes)];
    let is_readable = load(&file, &AnalysisOptions::default(), &|_, _| {}).is_ok();
    let merged = merge(&file, &file[0].with_file_name("merged.parquet"), &|_, _| {});
    assert!(merged.is_ok() || !is_readable, "rows that can be read cannot be merged");
});
