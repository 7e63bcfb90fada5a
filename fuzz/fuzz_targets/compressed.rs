#![no_main]
//! Any bytes as a compressed report: the stream's own magic comes first, so that the fuzzer need not find it.

use libfuzzer_sys::fuzz_target;
use rangescope_fuzz::read_report;

fuzz_target!(|bytes: &[u8]| read_report([b"\x28\xb5\x2f\xfd", bytes].concat()));
