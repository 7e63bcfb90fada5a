//! Sections as text.

use super::support::exported;
use crate::formats::sections;
use rangescope_testing::documents::sample::sample;

#[test]
fn sections_look_like_ncus_details_page() {
    insta::assert_snapshot!(exported(sections::write, &sample()));
}
