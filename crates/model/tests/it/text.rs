//! Names fit to be shown.

use rangescope_model::text::{shorten, shorten_kernel, shorten_kernels, visible, width, wrap};
use rangescope_testing::documents::hostile::ACTING;

#[test]
fn what_acts_is_written_out() {
    assert_eq!(visible("layers.3::attn"), "layers.3::attn");
    assert_eq!(visible("größer 漢字 🚀"), "größer 漢字 🚀");
    assert_eq!(visible("a\nb\tc\r"), "a\\nb\\tc\\r");
    assert_eq!(visible("\u{1b}[31mred\u{7}"), "\\u{1b}[31mred\\u{7}");
    assert_eq!(visible("\u{9b}31m"), "\\u{9b}31m");
    assert_eq!(visible("abc\u{202e}cba\u{2066}"), "abc\\u{202e}cba\\u{2066}");
    assert_eq!(visible("a\u{200b}b\u{feff}\u{e0041}"), "a\\u{200b}b\\u{feff}\\u{e0041}");
    assert_eq!(visible("\0"), "\\u{0}");
}

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

#[test]
fn both_ends_of_a_long_name_stay() {
    assert_eq!(shorten("abcdefghij", 10), "abcdefghij");
    assert_eq!(shorten("abcdefghijk", 10), "abcde…hijk");
    assert_eq!(shorten("漢字漢字漢字", 6), "漢…字");
    assert_eq!(shorten("abc", 1), "…");
    assert_eq!(shorten("abc", 0), "");
}

#[test]
fn marks_without_width_do_not_hide_a_long_name() {
    let hidden = format!("a{}", "\u{301}".repeat(10_000));
    assert!(shorten(&hidden, 20).chars().count() <= 100);
}

#[test]
fn kernels_lose_parameters_then_inner_templates_then_outer_ones() {
    let name = "void ns::gemm<ns::Tile<128, ns::Row<4>>, float>(ns::Params<int>, int)";
    assert_eq!(shorten_kernel(name, 80), name);
    assert_eq!(shorten_kernel(name, 50), "ns::gemm<ns::Tile<128, ns::Row<4>>, float>(…)");
    assert_eq!(shorten_kernel(name, 44), "ns::gemm<ns::Tile<…>, float>(…)");
    assert_eq!(shorten_kernel(name, 20), "ns::gemm<…>(…)");
    assert_eq!(shorten_kernel(name, 8), "ns::…(…)");
    assert_eq!(shorten_kernel("f()", 2), "f…");
    assert_eq!(shorten_kernel("void a_long_kernel_name()", 20), "a_long_kernel_name()");
}

#[test]
fn unbalanced_brackets_do_no_harm() {
    for name in ["operator<<(int)", ">>>>", "<<<<", "))))", "((((", "a->b(c->d)", "<>()"] {
        for limit in 0..name.len() {
            assert!(width(&shorten_kernel(name, limit)) <= limit, "{name} {limit}");
        }
    }
}

#[test]
fn different_kernels_stay_different() {
    let names = ["f<int, 1, 2, 3>()", "f<int, 1, 2, 4>()", "g()", "f<int, 1, 2, 3>()"];
    assert_eq!(shorten_kernels(names, 8), ["f<…() #1", "f<…() #2", "g()", "f<…() #3"]);
    assert_eq!(shorten_kernels(["g()", "g()"], 8), ["g()", "g()"]);
}

#[test]
fn lines_break_at_spaces_and_endless_words_anywhere() {
    assert_eq!(wrap("one two three", 8), ["one two", "three"]);
    assert_eq!(wrap("abcdefghijklm n", 8), ["abcdefgh", "ijklm n"]);
    assert_eq!(wrap("", 8), Vec::<String>::new());
}
