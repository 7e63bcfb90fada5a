//! The presets that are recommended exist and collect what they are recommended for.

use rangescope_analyze::insight::Insight;
use rangescope_testing::documents::{document, kernel};
use std::path::Path;

#[test]
fn the_recommended_presets_collect_the_roofline() {
    let told = document(Vec::new(), vec![kernel("k", 1, 1.0, &[])]);
    let insight = Insight::of(&told);
    let presets = &insight.reports[0].roofline_missing[0].presets;
    assert!(!presets.is_empty());
    for preset in presets {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../config/conf/profiling/ncu")
            .join(format!("{preset}.yaml"));
        let text = fs_err::read_to_string(path).unwrap();
        let has_sections = text.contains("- SpeedOfLight_HierarchicalTensorRooflineChart");
        assert!(has_sections || text.contains("set: roofline"), "{preset}");
    }
}
