//! From the regular expressions of the `regex` crate, which rangescope's own patterns are, to ncu's.
//!
//! The expression is taken apart by its meaning and not by its text, so that flags, Unicode classes and the many ways to write one thing need no rules here.

use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

use super::{Boost, class};

/// Repetitions that may be written out, and levels of nesting that may be followed.
const MOST_OPTIONAL: u32 = 64;
const DEEPEST: usize = 100;
/// Longer expressions are not put on a command line.
const LONGEST: usize = 16 * 1024;

/// The expression has to be valid. `None` if the translation is too large to be worth it.
pub(crate) fn regex(expression: &str) -> Option<Boost> {
    let hir = regex_syntax::parse(expression).ok()?;
    let mut translation = Translation { out: String::new(), exact: true, fits: true };
    translation.write(&hir, DEEPEST);
    translation
        .fits
        .then_some(Boost { text: format!("(?:{})", translation.out), exact: translation.exact })
}

struct Translation {
    out: String,
    exact: bool,
    fits: bool,
}

impl Translation {
    fn write(&mut self, hir: &Hir, depth: usize) {
        if depth == 0 || self.out.len() > LONGEST {
            self.fits = false;
            return;
        }
        match hir.kind() {
            HirKind::Empty => self.out.push_str("(?:)"),
            HirKind::Literal(bytes) => {
                // Expressions over texts have literals of whole characters.
                let text = String::from_utf8_lossy(&bytes.0);
                self.out.push_str(&super::literal(&text));
            }
            HirKind::Class(parts) => {
                let written = class::class(parts);
                self.exact &= written.exact;
                self.out.push_str(&written.text);
            }
            HirKind::Look(Look::Start) => self.out.push_str(r"\A"),
            HirKind::Look(Look::End) => self.out.push_str(r"\z"),
            HirKind::Look(_) => {
                // Words and lines are made of bytes there; asking for less matches more.
                self.exact = false;
                self.out.push_str("(?:)");
            }
            HirKind::Repetition(repetition) => self.repetition(repetition, depth),
            HirKind::Capture(capture) => self.group(&capture.sub, depth),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.write(part, depth - 1)),
            HirKind::Alternation(parts) => {
                self.out.push_str("(?:");
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        self.out.push('|');
                    }
                    self.write(part, depth - 1);
                }
                self.out.push(')');
            }
        }
    }

    fn group(&mut self, hir: &Hir, depth: usize) {
        self.out.push_str("(?:");
        self.write(hir, depth - 1);
        self.out.push(')');
    }

    /// Counts are written without a comma, which separates names in filter expressions.
    fn repetition(&mut self, repetition: &Repetition, depth: usize) {
        let Repetition { min, max, sub, .. } = repetition;
        match (*min, *max) {
            (0, None) => self.any_number(sub, depth),
            (1, None) => {
                self.write(sub, depth - 1);
                self.any_number(sub, depth);
            }
            (0, Some(1)) => self.repeated(sub, "?", depth),
            (min, max) => {
                if min > 0 {
                    self.repeated(sub, &format!("{{{min}}}"), depth);
                }
                match max.map(|max| max.saturating_sub(min)) {
                    Some(optional) if optional <= MOST_OPTIONAL => {
                        (0..optional).for_each(|_| {
                            self.out.push_str("(?:");
                            self.write(sub, depth - 1);
                        });
                        (0..optional).for_each(|_| self.out.push_str(")?"));
                    }
                    Some(_) => {
                        self.exact = false;
                        self.any_number(sub, depth);
                    }
                    None => self.any_number(sub, depth),
                }
            }
        }
    }

    fn any_number(&mut self, sub: &Hir, depth: usize) {
        match sub.kind() {
            HirKind::Class(parts) if class::byte_of_run(parts).is_some() => {
                self.out.extend(class::byte_of_run(parts));
                self.out.push('*');
            }
            _ => self.repeated(sub, "*", depth),
        }
    }

    fn repeated(&mut self, sub: &Hir, sign: &str, depth: usize) {
        self.group(sub, depth);
        self.out.push_str(sign);
    }
}

#[cfg(test)]
mod tests {
    use super::regex;

    fn written(expression: &str) -> String {
        let boost = regex(expression).unwrap();
        format!("{}{}", boost.text, if boost.exact { "" } else { " and more" })
    }

    #[test]
    fn plain_expressions_stay_readable() {
        assert_eq!(written("decode"), "(?:decode)");
        assert_eq!(written("a/b@c,d"), r"(?:a\/b\@c\,d)");
        assert_eq!(written("(prefill|decode)_"), "(?:(?:(?:prefill|decode))_)");
        assert_eq!(written("[a-c]+x{2,3}"), r"(?:[\x61-\x63](?:[\x61-\x63])*(?:x){2}(?:x)?)");
        assert_eq!(written(".*attn(?s:.*)[^:]*"), r"(?:[^\x0A]*attn.*[^\x3A]*)");
        assert_eq!(written("^a$"), r"(?:\Aa\z)");
    }

    #[test]
    fn what_bytes_cannot_say_matches_more() {
        assert_eq!(written(r"\bx"), "(?:(?:)x) and more");
        assert!(written(r"\d").ends_with("and more"));
        assert!(written("x{1,1000}").ends_with("and more"));
    }

    #[test]
    fn what_is_too_large_is_left() {
        assert_eq!(regex(&format!("{}{}", "(a|b".repeat(300), ")".repeat(300))), None);
        assert_eq!(regex("(((a{50}b?){0,60}c?){0,60}d?){0,60}"), None);
    }
}
