//! Names as people see them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod stored;

use rangescope_model::text::visible;
use rangescope_testing::documents::hostile::ACTING;

#[test]
fn nothing_that_acts_is_left() {
    for character in ACTING.iter().cloned().flatten() {
        let shown = visible(character.encode_utf8(&mut [0; 4])).into_owned();
        assert!(shown.starts_with('\\') && shown.is_ascii(), "U+{:04X}", u32::from(character));
    }
    // Marks, joined letters and what is only unusual stay as they are.
    for name in ["e\u{301}", "नमस्ते", "\u{600}١٢", "\u{fe0f}", "\u{a0}", "\u{3000}", "\u{10ffff}"]
    {
        assert_eq!(visible(name), name);
    }
}
