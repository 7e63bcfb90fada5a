//! Names fit to be shown.

use super::{shorten, visible, wrap};

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
fn lines_break_at_spaces_and_endless_words_anywhere() {
    assert_eq!(wrap("one two three", 8), ["one two", "three"]);
    assert_eq!(wrap("abcdefghijklm n", 8), ["abcdefgh", "ijklm n"]);
    assert_eq!(wrap("", 8), Vec::<String>::new());
}
