//! Sections as text.

use super::support::{exported, sample};
use crate::formats::sections;

#[test]
fn sections_look_like_ncus_details_page() {
    insta::assert_snapshot!(exported(sections::write, &sample()));
}
