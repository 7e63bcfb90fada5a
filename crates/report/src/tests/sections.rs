//! Sections as text.

use super::support::exported;
use crate::export::sections_txt;
use rangescope_testing::documents::sample::sample;

#[test]
fn sections_look_like_ncus_details_page() {
    insta::assert_snapshot!(exported(sections_txt::write, &sample()));
}
