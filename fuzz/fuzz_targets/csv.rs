#![no_main]
//! Any bytes as a CSV of ncu's.

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = ncu_rep::csv::looks_like_csv(bytes);
    let _ = ncu_rep::csv::read(bytes);
});
