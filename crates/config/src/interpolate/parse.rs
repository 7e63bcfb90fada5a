//! Parsing a text with interpolations.
//!
//! A cursor over the text, with one function for each of the places that have an alphabet of their own: text, quoted text, the path of a node, the arguments of a resolver.

use super::syntax::{Argument, Interpolation, Part, Template};
use crate::grammar::{WordKind, blanks, unescaped, word};
use crate::limits;
use crate::value::Value;

pub(crate) fn check(text: &str) -> Result<(), String> {
    if text.contains("${") { parse(text).map(drop) } else { Ok(()) }
}

pub(crate) fn parse(text: &str) -> Result<Template, String> {
    let mut cursor = Cursor { text, at: 0, depth: 0 };
    cursor.template(None)
}

/// A single value, as `oc.decode` parses it.
pub(super) fn parse_value(text: &str) -> Result<Argument, String> {
    let mut cursor = Cursor { text, at: 0, depth: 0 };
    let value = cursor.argument()?;
    if cursor.rest().is_empty() { Ok(value) } else { Err(cursor.unexpected()) }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, length: usize) {
        self.at += length;
    }

    fn skip_blanks(&mut self) {
        self.skip(blanks(self.rest()));
    }

    /// Takes a character with the blanks around it.
    fn take(&mut self, c: char) -> bool {
        let before = blanks(self.rest());
        let found = self.rest()[before..].starts_with(c);
        if found {
            self.skip(before + c.len_utf8());
        }
        found
    }

    fn unexpected(&self) -> String {
        match self.rest().chars().next() {
            Some(c) => format!("unexpected `{c}` in an interpolation"),
            None => "the interpolation is not closed".to_owned(),
        }
    }

    fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > limits::DEPTH {
            Err("interpolations are nested too deeply".to_owned())
        } else {
            Ok(())
        }
    }

    /// Text with interpolations: to the end, or to the quote that closes it.
    fn template(&mut self, quote: Option<char>) -> Result<Template, String> {
        let mut parts = Template::new();
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let special = |c: char| matches!(c, '\\' | '$') || Some(c) == quote;
            let ordinary = rest.find(special).unwrap_or(rest.len());
            text.push_str(&rest[..ordinary]);
            self.skip(ordinary);
            let rest = self.rest();
            let backslashes = rest.len() - rest.trim_start_matches('\\').len();
            let after = &rest[backslashes..];
            let at_end = after.is_empty();
            let closes = quote.is_some_and(|quote| after.starts_with(quote));
            let opens = after.starts_with("${");
            // Backslashes are escapes only before an interpolation and before the quote.
            let escapes = opens || closes;
            text.extend(std::iter::repeat_n(
                '\\',
                if escapes { backslashes / 2 } else { backslashes },
            ));
            self.skip(backslashes);
            if at_end {
                if quote.is_some() {
                    return Err("a quote in an interpolation is not closed".to_owned());
                }
                break;
            }
            if escapes && backslashes % 2 == 1 {
                let length = if opens { 2 } else { 1 };
                text.push_str(&after[..length]);
                self.skip(length);
            } else if opens {
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                parts.push(Part::Interpolation(self.interpolation()?));
            } else if closes {
                self.skip(1);
                break;
            } else if let Some(c) = after.chars().next() {
                text.push(c);
                self.skip(c.len_utf8());
            }
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        Ok(parts)
    }

    /// From `${` to its `}`.
    fn interpolation(&mut self) -> Result<Interpolation, String> {
        self.enter()?;
        self.skip(2);
        self.skip_blanks();
        let mut path = Template::new();
        let dots = self.rest().len() - self.rest().trim_start_matches('.').len();
        path.push(Part::Text(".".repeat(dots)));
        self.skip(dots);
        let mut is_call_name = dots == 0;
        let mut first = true;
        loop {
            if !first && self.take('}') {
                self.depth -= 1;
                return Ok(Interpolation::Node(path));
            }
            let before = blanks(self.rest());
            if !first && self.rest()[before..].starts_with(':') {
                if !is_call_name {
                    return Err(self.unexpected());
                }
                self.skip(before + 1);
                self.skip_blanks();
                let arguments = self.arguments()?;
                self.depth -= 1;
                return Ok(Interpolation::Call { name: path, arguments });
            }
            let in_brackets = self.rest().starts_with('[');
            if in_brackets {
                is_call_name = false;
                path.push(Part::Text("[".to_owned()));
                self.skip(1);
            } else if !first {
                if !self.rest().starts_with('.') {
                    return Err(self.unexpected());
                }
                path.push(Part::Text(".".to_owned()));
                self.skip(1);
            }
            let key = self.key()?;
            is_call_name &= match &key {
                Part::Text(key) => is_name(key),
                Part::Interpolation(_) => true,
            };
            path.push(key);
            if in_brackets {
                if !self.rest().starts_with(']') {
                    return Err(self.unexpected());
                }
                path.push(Part::Text("]".to_owned()));
                self.skip(1);
            }
            first = false;
        }
    }

    /// One key of a path: an interpolation, or anything without special characters.
    fn key(&mut self) -> Result<Part, String> {
        if self.rest().starts_with("${") {
            return Ok(Part::Interpolation(self.interpolation()?));
        }
        let special = |c: char| "\\{}()[]:. \t'\"".contains(c);
        let rest = self.rest();
        let length = rest.find(special).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.unexpected());
        }
        self.skip(length);
        Ok(Part::Text(rest[..length].to_owned()))
    }

    /// The arguments of a resolver, with the `}` that ends them. Nothing between commas is empty text.
    fn arguments(&mut self) -> Result<Vec<Argument>, String> {
        if self.take('}') {
            return Ok(Vec::new());
        }
        let arguments = self.sequence('}')?;
        if self.take('}') { Ok(arguments) } else { Err(self.unexpected()) }
    }

    fn sequence(&mut self, end: char) -> Result<Vec<Argument>, String> {
        let mut items = Vec::new();
        loop {
            let next = self.rest()[blanks(self.rest())..].chars().next();
            let is_missing = next == Some(',') || next == Some(end);
            items.push(if is_missing { Argument::Text(Template::new()) } else { self.argument()? });
            if !self.take(',') {
                return Ok(items);
            }
            self.skip_blanks();
        }
    }

    fn argument(&mut self) -> Result<Argument, String> {
        self.enter()?;
        let argument = match self.rest().chars().next() {
            Some('[') => self.list(),
            Some('{') => self.map(),
            Some(quote @ ('\'' | '"')) => {
                self.skip(1);
                self.template(Some(quote)).map(Argument::Text)
            }
            _ => self.words(true),
        };
        self.depth -= 1;
        argument
    }

    fn list(&mut self) -> Result<Argument, String> {
        self.skip(1);
        self.skip_blanks();
        if self.take(']') {
            return Ok(Argument::List(Vec::new()));
        }
        let items = self.sequence(']')?;
        if self.take(']') { Ok(Argument::List(items)) } else { Err(self.unexpected()) }
    }

    fn map(&mut self) -> Result<Argument, String> {
        self.skip(1);
        self.skip_blanks();
        let mut entries = Vec::new();
        while !self.take('}') {
            if !entries.is_empty() && !self.take(',') {
                return Err(self.unexpected());
            }
            self.skip_blanks();
            let key = match self.words(false)? {
                Argument::Scalar(key) => key,
                Argument::Text(parts) => Value::Text(parts.iter().filter_map(plain).collect()),
                _ => return Err(self.unexpected()),
            };
            if !self.take(':') {
                return Err(self.unexpected());
            }
            self.skip_blanks();
            entries.push((key, self.argument()?));
        }
        Ok(Argument::Map(entries))
    }

    /// Words and interpolations up to a comma or closing bracket. `with_all`: keys of maps have no colons and interpolations.
    fn words(&mut self, with_all: bool) -> Result<Argument, String> {
        let mut parts = Template::new();
        let mut alone = None;
        let mut count = 0;
        loop {
            let rest = self.rest();
            let before = blanks(rest);
            let next = rest[before..].chars().next();
            // Blanks before these belong to them.
            if matches!(next, None | Some(',' | ']' | '}')) || (!with_all && next == Some(':')) {
                break;
            }
            count += 1;
            if next == Some(':') {
                let after = before + 1 + blanks(&rest[before + 1..]);
                parts.push(Part::Text(rest[..after].to_owned()));
                self.skip(after);
            } else if rest.starts_with("${") && with_all {
                parts.push(Part::Interpolation(self.interpolation()?));
            } else {
                let word = word(rest).ok_or_else(|| self.unexpected())?;
                let is_escape = word.kind == WordKind::Escape;
                parts.push(Part::Text(if is_escape {
                    unescaped(word.text)
                } else {
                    word.text.to_owned()
                }));
                alone = Some(word);
                self.skip(word.text.len());
            }
        }
        match (count, parts.pop(), alone) {
            (0, ..) | (_, None, _) => Err(self.unexpected()),
            (1, Some(Part::Interpolation(only)), _) => Ok(Argument::Value(only)),
            (1, Some(Part::Text(_)), Some(word)) => word.alone().map(Argument::Scalar),
            (_, Some(last), _) => {
                parts.push(last);
                Ok(Argument::Text(parts))
            }
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

fn plain(part: &Part) -> Option<&str> {
    match part {
        Part::Text(text) => Some(text),
        Part::Interpolation(_) => None,
    }
}
