#![no_main]
//! Any text as a file of gates, asked of a small comparison.

use libfuzzer_sys::fuzz_target;
use rangescope_analyze::compare::{CompareOptions, Gate, compare, parse_gates};
use rangescope_testing::documents::run;

fuzz_target!(|text: &str| {
    let Ok(gates) = parse_gates(text) else { return };
    for gate in &gates {
        assert_eq!(Gate::parse(gate.text()).as_ref().map(Gate::text), Ok(gate.text()));
    }
    let options = CompareOptions { gates, ..CompareOptions::default() };
    let comparison = compare(&[run(1.0, 1.0, 1.0)], &[run(1.2, 0.5, 1.0)], &options);
    serde_json::to_string(&comparison).expect("numbers that JSON has");
});
