//! Splitting an override into tokens.
//!
//! The part before the first `=` and the part after it have different alphabets, as in Hydra. Blanks next to a comma, a bracket or a colon belong to that token, so that `[a , b]` is a list of two.

use crate::grammar::{WordKind, blanks, whole, word};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    // Before the `=`.
    Tilde,
    Plus,
    At,
    Slash,
    Name,
    /// A name with `$` in it, or several joined by dots.
    Path,
    // After it.
    Word(WordKind),
    /// A character beyond Hydra's alphabet that rangescope takes as it is.
    Extra,
    Quoted,
    Interpolation,
    Comma,
    Colon,
    Equal,
    ParenOpen,
    ParenClose,
    BracketOpen,
    BracketClose,
    BraceOpen,
    BraceClose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
    /// In bytes.
    pub(super) at: usize,
}

/// A character that no token begins with, and where.
#[derive(Debug)]
pub(super) struct NoToken {
    pub(super) at: usize,
}

/// Characters that Hydra refuses without quotes. `;` separates region patterns, and the command lines that users know have it.
const EXTRA: [char; 1] = [';'];

pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, NoToken> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut in_value = false;
    while at < text.len() {
        let rest = &text[at..];
        let found = if in_value { value_token(rest) } else { key_token(rest) };
        let (kind, length) = found.ok_or(NoToken { at })?;
        in_value |= kind == TokenKind::Equal;
        tokens.push(Token { kind, text: &rest[..length], at });
        at += length;
    }
    Ok(tokens)
}

fn key_token(rest: &str) -> Option<(TokenKind, usize)> {
    let single = match rest.as_bytes().first()? {
        b'=' => return Some((TokenKind::Equal, 1 + blanks(&rest[1..]))),
        b'~' => TokenKind::Tilde,
        b'+' => TokenKind::Plus,
        b'@' => TokenKind::At,
        b'/' => TokenKind::Slash,
        _ => return name_or_path(rest),
    };
    Some((single, 1))
}

/// A name, or the longest path of names and numbers joined by dots.
fn name_or_path(rest: &str) -> Option<(TokenKind, usize)> {
    let first = part(rest);
    let mut end = first;
    while let Some(next) = rest[end..].strip_prefix('.')
        && end > 0
        && part(next) > 0
    {
        end += 1 + part(next);
    }
    if end > first {
        return Some((TokenKind::Path, end));
    }
    let name = &rest[..first];
    // A number alone is not a key.
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    Some((if name.contains('$') { TokenKind::Path } else { TokenKind::Name }, first))
}

/// Length of one part of a path: a name that may have `$` in it, or a number.
fn part(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$')) {
        let rest = text.trim_start_matches(|c: char| {
            c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$')
        });
        return text.len() - rest.len();
    }
    whole(text)
}

fn value_token(rest: &str) -> Option<(TokenKind, usize)> {
    let before = blanks(rest);
    let after = |length: usize| length + blanks(&rest[length..]);
    let next = rest[before..].chars().next();
    let joined = match next {
        Some(',') => Some((TokenKind::Comma, after(before + 1))),
        Some(':') => Some((TokenKind::Colon, after(before + 1))),
        Some('=') => Some((TokenKind::Equal, after(before + 1))),
        Some('(') => Some((TokenKind::ParenOpen, after(before + 1))),
        Some(')') => Some((TokenKind::ParenClose, before + 1)),
        Some(']') => Some((TokenKind::BracketClose, before + 1)),
        Some('}') => Some((TokenKind::BraceClose, before + 1)),
        Some('[') if before == 0 => Some((TokenKind::BracketOpen, after(1))),
        Some('{') if before == 0 => Some((TokenKind::BraceOpen, after(1))),
        Some(quote @ ('\'' | '"')) if before == 0 => {
            Some((TokenKind::Quoted, quoted(rest, quote)?))
        }
        Some(extra) if before == 0 && EXTRA.contains(&extra) => {
            Some((TokenKind::Extra, extra.len_utf8()))
        }
        _ => None,
    };
    joined
        .or_else(|| interpolation(rest))
        .or_else(|| word(rest).map(|word| (TokenKind::Word(word.kind), word.text.len())))
}

/// Length of a quoted text: to the first such quote that an even number of backslashes precedes.
fn quoted(rest: &str, quote: char) -> Option<usize> {
    let mut backslashes = 0;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && backslashes % 2 == 0 {
            return Some(at + 1);
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
    }
    None
}

/// `${` and something, to the first `}`; interpolations inside one another need quotes, as in Hydra.
fn interpolation(rest: &str) -> Option<(TokenKind, usize)> {
    let inner = rest.strip_prefix("${")?;
    match inner.find('}')? {
        0 => None,
        end => Some((TokenKind::Interpolation, 2 + end + 1)),
    }
}
