//! Character classes, and the classes and characters that escapes stand for.

use std::fmt::Write as _;

use super::translate::{OTHER_ESCAPE, Step, Translation, bad};
use crate::filter::error::FilterProblem;

const COLLATING: FilterProblem = FilterProblem::UnsupportedRegex("this `[[…]]` class is");

impl Translation<'_> {
    /// A character class, after its `[`. Boost knows no nested classes and no set operators: such characters stand for themselves.
    pub(super) fn class(&mut self) -> Step {
        self.out.push('[');
        if self.peek(0) == Some(b'^') {
            self.at += 1;
            self.out.push('^');
        }
        let start = self.at;
        loop {
            let first = self.at == start;
            match self.next() {
                None => return Err(bad("the character class is not closed")),
                Some(b']') if !first => break,
                Some(b'[') if matches!(self.peek(0), Some(b':' | b'.' | b'=')) => {
                    self.named_class()?;
                }
                Some(b'-')
                    if !first
                        && self.peek(0).is_some_and(|next| next != b']')
                        && !self.out.ends_with('-') =>
                {
                    self.out.push('-');
                }
                Some(b'\\') => {
                    let Some(byte) = self.next() else {
                        return Err(bad("the character class is not closed"));
                    };
                    match class_escape(byte) {
                        Some(class) => self.out.push_str(class),
                        None if matches!(byte, b'0'..=b'9' | b'p' | b'P') => {
                            return Err(OTHER_ESCAPE);
                        }
                        None => {
                            let byte = if byte == b'b' { 0x08 } else { self.character(byte)? };
                            push_literal(&mut self.out, byte);
                        }
                    }
                }
                Some(byte) => push_literal(&mut self.out, byte),
            }
        }
        self.emit("]", true);
        Ok(())
    }

    /// `[:alpha:]` inside a class, after its first bracket.
    fn named_class(&mut self) -> Step {
        const KNOWN: [&str; 14] = [
            "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space", "upper", "word", "xdigit", "ascii",
        ];
        let rest = self.rest();
        let length = rest.windows(2).position(|pair| pair == b":]").ok_or(COLLATING)?;
        let inner = rest
            .get(1..length)
            .and_then(|inner| std::str::from_utf8(inner).ok())
            .ok_or(COLLATING)?;
        if rest.first() != Some(&b':') || !KNOWN.contains(&inner.trim_start_matches('^')) {
            return Err(COLLATING);
        }
        self.out.extend(["[:", inner, ":]"]);
        self.at += length + 2;
        Ok(())
    }
}

/// What an escape that stands for a class means inside brackets.
pub(super) fn class_escape(letter: u8) -> Option<&'static str> {
    Some(match letter {
        b'd' => r"\d",
        b'D' => r"\D",
        b's' => r"\s",
        b'S' => r"\S",
        b'w' => r"\w",
        b'W' => r"\W",
        b'l' => "[:lower:]",
        b'L' => "[:^lower:]",
        b'u' => "[:upper:]",
        b'U' => "[:^upper:]",
        b'h' => r"[:blank:]",
        b'H' => r"[:^blank:]",
        b'v' => r"\n-\r",
        b'V' => r"[^\n-\r]",
        _ => return None,
    })
}

pub(super) fn push_literal(out: &mut String, byte: u8) {
    if byte.is_ascii_alphanumeric() || byte == b'_' {
        out.push(char::from(byte));
    } else {
        // Writing to a text cannot fail.
        let _ = write!(out, "\\x{byte:02X}");
    }
}
