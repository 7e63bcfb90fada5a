#![no_main]
//! Any bytes as what a rank wrote beside its report.

use libfuzzer_sys::fuzz_target;
use rangescope_model::rank::RankRecord;

fuzz_target!(|bytes: &[u8]| {
    let Some(mut record) = parse(bytes) else { return };
    // What was read is written and read the same, but for the last bits of a number with a fraction.
    if let Some(ended) = &mut record.ended {
        ended.duration_s = 1.5;
    }
    let text = serde_json::to_vec(&record).unwrap();
    assert_eq!(parse(&text), Some(record));
});

fn parse(bytes: &[u8]) -> Option<RankRecord> {
    serde_json::from_slice(bytes).ok().filter(RankRecord::is_ours)
}
