//! Parsing one override.

use super::functions;
use super::lex::{Token, TokenKind, tokens};
use super::{Action, Element, Given, Override, OverrideArg, Sweep};
use crate::error::{ConfigError, Problem};
use crate::grammar::{Word, WordKind, unescaped};
use crate::limits;
use crate::value::Value;

/// What is wrong, and at which byte; `None` for the end.
pub(super) struct Fault {
    message: String,
    at: Option<usize>,
}

pub(super) type Parsed<T> = Result<T, Fault>;

/// `index` is the position on the command line.
pub(crate) fn parse(arg: &OverrideArg, index: usize) -> Result<Override, ConfigError> {
    let origin = arg.origin(index);
    let text = arg.text.as_str();
    let fault = |fault: Fault| {
        let at = fault.at.unwrap_or(text.len());
        let column = text.get(..at).map_or(0, |before| before.chars().count()) + 1;
        let error =
            ConfigError::new(Problem::Syntax { message: fault.message, column }).at(&origin);
        if text.contains('=') {
            error
        } else {
            error.with_advice("overrides have the form `key=value`")
        }
    };
    if text.len() > limits::OVERRIDE_BYTES {
        return Err(ConfigError::too_much("the length of an override", limits::OVERRIDE_BYTES));
    }
    let tokens = tokens(text).map_err(|error| {
        let unexpected = text[error.at..].chars().next().unwrap_or(' ');
        let problem = match unexpected {
            '\'' | '"' => format!("the quote {unexpected} is not closed"),
            other => format!("unexpected `{other}`"),
        };
        let advised = fault(Fault { message: problem, at: Some(error.at) });
        if !text[..error.at].contains('=') {
            return advised;
        }
        advised.with_advice("texts with such characters need quotes that the shell leaves, for example key='\"a value\"'")
    })?;
    let mut parser = Parser { tokens: &tokens, next: 0, depth: 0 };
    let (action, key, package, value) = parser.overriding().map_err(fault)?;
    if key.is_empty() {
        return Err(fault(Fault { message: "a key is missing".to_owned(), at: Some(0) }));
    }
    if key.split('.').count() > limits::DEPTH {
        let error = ConfigError::too_much("the number of keys in a path", limits::DEPTH);
        return Err(error.at(&origin));
    }
    Ok(Override { action, key, package, value, origin })
}

pub(super) struct Parser<'a> {
    tokens: &'a [Token<'a>],
    next: usize,
    depth: usize,
}

type Parts = (Action, String, Option<String>, Option<Given>);

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<TokenKind> {
        self.tokens.get(self.next).map(|token| token.kind)
    }

    fn take(&mut self, kind: TokenKind) -> Option<&'a Token<'a>> {
        let token = self.tokens.get(self.next).filter(|token| token.kind == kind)?;
        self.next += 1;
        Some(token)
    }

    fn fault<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let at = self.tokens.get(self.next).map(|token| token.at);
        Err(Fault { message: message.into(), at })
    }

    fn overriding(&mut self) -> Parsed<Parts> {
        let is_deletion = self.take(TokenKind::Tilde).is_some();
        let mut plus = || !is_deletion && self.take(TokenKind::Plus).is_some();
        let action = match (plus(), plus()) {
            _ if is_deletion => Action::Delete,
            (false, _) => Action::Change,
            (true, false) => Action::Add,
            (true, true) => Action::ForceAdd,
        };
        let (key, package) = self.key()?;
        if self.take(TokenKind::Equal).is_none() {
            return match (action, self.peek()) {
                (Action::Delete, None) => Ok((action, key, package, None)),
                _ => self.fault("expected `=`"),
            };
        }
        let value = match self.peek() {
            None => Given::Element(Element::Text(String::new())),
            Some(_) => self.value()?,
        };
        match self.peek() {
            None => Ok((action, key, package, Some(value))),
            Some(_) => self.unexpected(),
        }
    }

    fn key(&mut self) -> Parsed<(String, Option<String>)> {
        let mut key = self.package();
        while key_is_group_so_far(&key) && self.peek() == Some(TokenKind::Slash) {
            self.next += 1;
            let Some(name) = self.take(TokenKind::Name) else {
                return self.fault("expected the name of a group");
            };
            key = format!("{key}/{}", name.text);
        }
        let package = self.take(TokenKind::At).map(|_| self.package());
        Ok((key, package))
    }

    fn package(&mut self) -> String {
        let token = self.take(TokenKind::Name).or_else(|| self.take(TokenKind::Path));
        token.map_or_else(String::new, |token| token.text.to_owned())
    }

    fn value(&mut self) -> Parsed<Given> {
        let first = self.given()?;
        if self.peek() != Some(TokenKind::Comma) {
            return Ok(first);
        }
        let mut values = vec![self.only_element(first)?];
        while self.take(TokenKind::Comma).is_some() {
            let next = self.given()?;
            values.push(self.only_element(next)?);
        }
        Ok(Given::Sweep(Sweep::Choice { values, simple: true }))
    }

    /// One value, or a function that makes a sweep.
    pub(super) fn given(&mut self) -> Parsed<Given> {
        self.depth += 1;
        if self.depth > limits::DEPTH {
            return self.fault("the value is nested too deeply");
        }
        let given = match self.peek() {
            Some(TokenKind::BracketOpen) => self.list().map(Given::Element),
            Some(TokenKind::BraceOpen) => self.map().map(Given::Element),
            Some(TokenKind::Quoted) => Ok(Given::Element(self.quoted())),
            Some(TokenKind::Word(WordKind::Id)) if self.is_call() => self.call(),
            _ => self.primitive(true).map(Given::Element),
        };
        self.depth -= 1;
        given
    }

    fn element(&mut self) -> Parsed<Element> {
        let given = self.given()?;
        self.only_element(given)
    }

    fn only_element(&self, given: Given) -> Parsed<Element> {
        match given {
            Given::Element(element) => Ok(element),
            Given::Sweep(_) => self.fault("a sweep cannot be part of a value"),
        }
    }

    fn is_call(&self) -> bool {
        self.tokens.get(self.next + 1).is_some_and(|token| token.kind == TokenKind::ParenOpen)
    }

    fn call(&mut self) -> Parsed<Given> {
        let at = self.next;
        let name = self.tokens.get(at).map_or("", |token| token.text);
        self.next += 2;
        let mut arguments = functions::Arguments::default();
        while self.take(TokenKind::ParenClose).is_none() {
            if !arguments.is_empty() && self.take(TokenKind::Comma).is_none() {
                return self.unexpected();
            }
            let is_named = self.peek() == Some(TokenKind::Word(WordKind::Id))
                && self
                    .tokens
                    .get(self.next + 1)
                    .is_some_and(|token| token.kind == TokenKind::Equal);
            if is_named {
                let name = self.tokens.get(self.next).map_or("", |token| token.text);
                self.next += 2;
                let value = self.given()?;
                arguments.named.push((name.to_owned(), value));
            } else if arguments.named.is_empty() {
                let value = self.given()?;
                arguments.positional.push(value);
            } else {
                return self.fault("a positional argument follows a named one");
            }
        }
        functions::call(name, arguments).map_err(|message| {
            let message = format!("{name}(): {message}");
            Fault { message, at: self.tokens.get(at).map(|token| token.at) }
        })
    }

    fn list(&mut self) -> Parsed<Element> {
        self.next += 1;
        let mut items = Vec::new();
        while self.take(TokenKind::BracketClose).is_none() {
            if !items.is_empty() && self.take(TokenKind::Comma).is_none() {
                return self.expected("`,` or `]`");
            }
            items.push(self.element()?);
        }
        Ok(Element::List(items))
    }

    fn map(&mut self) -> Parsed<Element> {
        self.next += 1;
        let mut entries: Vec<(Element, Element)> = Vec::new();
        while self.take(TokenKind::BraceClose).is_none() {
            if !entries.is_empty() && self.take(TokenKind::Comma).is_none() {
                return self.expected("`,` or `}`");
            }
            let key = self.primitive(false)?;
            if self.take(TokenKind::Colon).is_none() {
                return self.expected("`:`");
            }
            let value = self.element()?;
            match entries.iter_mut().find(|(known, _)| *known == key) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
        }
        Ok(Element::Map(entries))
    }

    fn quoted(&mut self) -> Element {
        let text = self.tokens.get(self.next).map_or("''", |token| token.text);
        self.next += 1;
        let quote = text.chars().next().unwrap_or('\'');
        Element::Quoted(unquoted(text, quote), quote)
    }

    /// Words up to the next token that is none. `with_all`: keys of maps have no colons and interpolations.
    fn primitive(&mut self, with_all: bool) -> Parsed<Element> {
        let start = self.next;
        let belongs = |kind: TokenKind| match kind {
            TokenKind::Word(_) | TokenKind::Extra => true,
            TokenKind::Colon | TokenKind::Interpolation => with_all,
            _ => false,
        };
        while self.peek().is_some_and(belongs) {
            self.next += 1;
        }
        let mut words = &self.tokens[start..self.next];
        if words.is_empty() {
            return self.expected("a value");
        }
        let is_blank = |token: &Token<'_>| token.kind == TokenKind::Word(WordKind::Blank);
        if words.iter().all(is_blank) {
            return self.fault("a value of blanks only needs quotes");
        }
        if is_blank(&words[0]) {
            words = &words[1..];
        }
        if let [rest @ .., last] = words
            && is_blank(last)
        {
            words = rest;
        }
        let alone = |kind, text| Word { kind, text }.alone();
        match words {
            [Token { kind: TokenKind::Word(kind), text, at }] => match alone(*kind, text) {
                Ok(scalar) => Ok(element(scalar)),
                Err(message) => Err(Fault { message, at: Some(*at) }),
            },
            words => Ok(Element::Text(words.iter().map(plain_text).collect())),
        }
    }

    fn unexpected<T>(&self) -> Parsed<T> {
        let Some(token) = self.tokens.get(self.next) else {
            return self.fault("the value is not complete");
        };
        self.fault(format!("unexpected `{}`", token.text.trim()))
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        match self.tokens.get(self.next) {
            Some(token) => self.fault(format!("expected {what}, got `{}`", token.text.trim())),
            None => self.fault(format!("expected {what}")),
        }
    }
}

/// Only names make groups: `a.b/c` is not one.
fn key_is_group_so_far(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '$'])
}

fn plain_text(token: &Token<'_>) -> String {
    match token.kind {
        TokenKind::Word(WordKind::Escape) => unescaped(token.text),
        _ => token.text.to_owned(),
    }
}

/// The content of a quoted text. Only backslashes before a quote are escapes; all others stay.
fn unquoted(text: &str, quote: char) -> String {
    let mut out = String::new();
    let mut backslashes = 0;
    let inner = text.strip_prefix(quote).unwrap_or(text);
    for (at, c) in inner.char_indices() {
        if c == '\\' {
            backslashes += 1;
            continue;
        }
        let kept = if c == quote { backslashes / 2 } else { backslashes };
        out.extend(std::iter::repeat_n('\\', kept));
        backslashes = 0;
        // The last character is the closing quote.
        if at + c.len_utf8() < inner.len() {
            out.push(c);
        }
    }
    out
}

fn element(scalar: Value) -> Element {
    match scalar {
        Value::Bool(value) => Element::Bool(value),
        Value::Int(value) => Element::Int(value),
        Value::Float(value) => Element::Float(value),
        Value::Text(text) => Element::Text(text),
        // A word alone is no list and no map.
        Value::Null | Value::List(_) | Value::Map(_) => Element::Null,
    }
}
