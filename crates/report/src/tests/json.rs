//! The contract as JSON.

use rangescope_model::document::RegionDocument;

use super::support::exported;
use crate::formats::json;
use rangescope_testing::documents::sample::{sample, two_ranks};

#[test]
fn what_is_written_reads_back_the_same() {
    let mut document = two_ranks();
    document.reports[0].regions[0].name = "\u{1b}[0m\n\"\\ \u{202e}".to_owned();
    // Values whose shortest form needs all digits.
    for (region, value) in document.reports[0].regions.iter_mut().zip([
        0.1 + 0.2,
        1.0 / 3.0,
        5e-324,
        1.797e308,
        123_456_789.123_456_78,
    ]) {
        region.set.total_ms = Some(value);
    }
    let text = exported(json::write, &document);
    assert!(text.ends_with("}\n"));
    assert_eq!(serde_json::from_str::<RegionDocument>(&text).unwrap(), document);
}

#[test]
fn people_get_two_spaces() {
    let text = exported(json::write, &sample());
    assert!(
        text.starts_with("{\n  \"schema_version\": \"3.0\",\n  \"generated_at\""),
        "{}",
        &text[..80]
    );
}
