//! The page's own files: the frame, the style, the script, and the policy that allows only these two.
//!
//! The script is one scope made of several files; their order here is the order in the page.

use std::sync::LazyLock;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest, Sha256};

use super::escape;
use crate::palette;

/// The frame, with marks such as `{{style}}` where the parts go.
pub(crate) const FRAME: &str = include_str!("../../assets/page/page.html");

/// The style.
pub(crate) static STYLE: LazyLock<String> =
    LazyLock::new(|| palette::css() + include_str!("../../assets/page/page.css"));

/// The script in one function, so that nothing of it is visible outside.
pub(crate) static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let constants = palette::javascript() + &escape::javascript();
    format!("(() => {{\n'use strict';\n{constants}{}}})();\n", without_comments(FILES))
});

/// The script without what is for those who read its source. Comments have lines of their own there, and no text goes over several lines.
fn without_comments(source: &str) -> String {
    let mut script = String::with_capacity(source.len());
    let mut in_comment = false;
    for line in source.lines().map(str::trim_start) {
        in_comment |= line.starts_with("/*");
        if !in_comment && !line.is_empty() && !line.starts_with("//") {
            script.extend([line, "\n"]);
        }
        in_comment &= !line.ends_with("*/");
    }
    script
}

const FILES: &str = concat!(
    include_str!("../../assets/page/js/text.js"),
    include_str!("../../assets/page/js/number.js"),
    include_str!("../../assets/page/js/dom.js"),
    include_str!("../../assets/page/js/shown_tree.js"),
    include_str!("../../assets/page/js/model.js"),
    include_str!("../../assets/page/js/kernel_list.js"),
    include_str!("../../assets/page/js/leaves.js"),
    include_str!("../../assets/page/js/report.js"),
    include_str!("../../assets/page/js/colour.js"),
    include_str!("../../assets/page/js/store.js"),
    include_str!("../../assets/page/js/grid.js"),
    include_str!("../../assets/page/js/layout.js"),
    include_str!("../../assets/page/js/icicle_words.js"),
    include_str!("../../assets/page/js/icicle.js"),
    include_str!("../../assets/page/js/tree.js"),
    include_str!("../../assets/page/js/roofline_picture.js"),
    include_str!("../../assets/page/js/roofline.js"),
    include_str!("../../assets/page/js/code.js"),
    include_str!("../../assets/page/js/source.js"),
    include_str!("../../assets/page/js/ranks.js"),
    include_str!("../../assets/page/js/advice.js"),
    include_str!("../../assets/page/js/about.js"),
    include_str!("../../assets/page/js/difference.js"),
    include_str!("../../assets/page/js/changes.js"),
    include_str!("../../assets/page/js/commands.js"),
    include_str!("../../assets/page/js/overview.js"),
    include_str!("../../assets/page/js/charts_memory.js"),
    include_str!("../../assets/page/js/charts_launch.js"),
    include_str!("../../assets/page/js/charts.js"),
    include_str!("../../assets/page/js/kernel.js"),
    include_str!("../../assets/page/js/kernels.js"),
    include_str!("../../assets/page/js/metrics.js"),
    include_str!("../../assets/page/js/panel.js"),
    include_str!("../../assets/page/js/search.js"),
    include_str!("../../assets/page/js/header.js"),
    include_str!("../../assets/page/js/print.js"),
    include_str!("../../assets/page/js/fragment.js"),
    include_str!("../../assets/page/js/main.js"),
);

/// The policy of the page: nothing is loaded from anywhere, and only this style and this script are in force.
pub(crate) fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'",
        sha256_base64(script),
        sha256_base64(style),
    )
}

fn sha256_base64(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{SCRIPT, STYLE, sha256_base64, without_comments};

    #[test]
    fn only_comments_are_left_out() {
        let source = "/** What\n * it does. */\nconst area = width\n  * height; // kept\n// gone\n\n/* gone */\ndone();\n";
        let script = "const area = width\n* height; // kept\ndone();\n";
        assert_eq!(without_comments(source), script);
        assert!(SCRIPT.contains("const ACTING = /[\\u{0}-\\u{1f}\\u{7f}-\\u{9f}"));
    }

    #[test]
    fn the_hash_is_the_one_that_browsers_make() {
        // The example of the CSP specification.
        let expected = "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=";
        assert_eq!(sha256_base64("alert('Hello, world.');"), expected);
    }

    #[test]
    fn the_assets_cannot_end_their_elements() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</style"));
        // The hash is made over bytes; a browser hashes what it parsed, with carriage returns gone.
        assert!(!SCRIPT.contains('\r') && !STYLE.contains('\r'));
    }
}
