//! What counts as secret, and how it is hidden: one table of names, one mask.
//!
//! A run folder is made to be shared, and so is much of what is printed. Whatever rangescope writes of command lines, variables and configuration goes through [`Secrets`] first.
//! Hiding too much costs a user a moment, hiding too little may cost much more; so a name that only looks secret is taken for one.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::error::ConfigError;
use crate::settings::for_reports;
use crate::value::{Key, Map, Node, Value};

/// Stands for what is not shown. It means nothing to YAML, to shells and to Hydra.
pub const MASK: &str = "__masked__";

/// The key of the variables that are set for the program. None of their values is shown, whatever they are called.
const VARIABLES: &str = "pipeline.workload.env";
const PATTERNS: &str = "pipeline.artifacts.redact";

/// A known value that is shorter could be part of anything.
const SHORTEST_VALUE: usize = 6;

/// Where in a name a word gives it away.
enum At {
    Anywhere,
    /// At the end of a word of the name: `apiKey`, `HF_TOKEN`, `oauth`, and not `tokenizer`, `author`.
    EndOfWord,
}

/// What gives a name away, in small letters. There is no `tokens`: programs count them.
const NAMES: &[(&str, At)] = &[
    ("passwd", At::Anywhere),
    ("password", At::Anywhere),
    ("passphrase", At::Anywhere),
    ("secret", At::Anywhere),
    ("credential", At::Anywhere),
    ("authorization", At::Anywhere),
    ("auth", At::EndOfWord),
    ("key", At::EndOfWord),
    ("keys", At::EndOfWord),
    ("token", At::EndOfWord),
];

/// A name, and what stands between it and its value: `=`, `:` also after a quote, or blanks after an option.
static NAMED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(-*\w[\w.\-]*)(["']?[ \t]*[=:][ \t]*|[ \t]+)"#).ok());
/// The name and password in front of a host.
static IN_URL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"([A-Za-z][A-Za-z0-9+.\-]*://)[^/\s]+@").ok());
/// Ways to give proof of identity in a header, with a blank between them and the secret.
const SCHEMES: &[&str] = &["basic", "bearer", "digest", "token"];

/// Decides what is secret.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// What the user wants to hide besides.
    patterns: Vec<Regex>,
    /// Values that are known to be secret, the longest first.
    values: Vec<String>,
}

impl Secrets {
    /// With regular expressions for what is to be hidden besides.
    pub fn new(patterns: &[String]) -> Result<Self, ConfigError> {
        let compiled = patterns.iter().map(|pattern| {
            Regex::new(pattern).map_err(|_| {
                let got = format!("`{pattern}`");
                ConfigError::expected("a regular expression", got).with_key(PATTERNS)
            })
        });
        Ok(Self { patterns: compiled.collect::<Result<_, _>>()?, values: Vec::new() })
    }

    /// A value that is hidden wherever it appears.
    pub fn add(&mut self, value: &str) {
        if value.len() >= SHORTEST_VALUE && value != MASK {
            let at = self.values.partition_point(|known| known.len() > value.len());
            self.values.insert(at, value.to_owned());
        }
    }

    /// Whether the value of an option, a variable or a key of this name is hidden.
    pub fn is_secret(&self, name: &str) -> bool {
        let small = name.to_lowercase();
        let words: Vec<String> = words(name).collect();
        let gives_away = |(part, at): &(&str, At)| match at {
            At::Anywhere => small.contains(part),
            At::EndOfWord => words.iter().any(|word| word.ends_with(part)),
        };
        NAMES.iter().any(gives_away) || self.patterns.iter().any(|pattern| matches(pattern, name))
    }

    /// Any text, such as a line of a log.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.masked(text, false)
    }

    /// An override as it was typed.
    pub fn mask_override(&self, text: &str) -> String {
        let Some((key, value)) = text.split_once('=') else { return self.mask(text).into_owned() };
        let name = key.trim_start_matches(['+', '~']);
        let holds = |outer: &str, inner: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let is_hidden = holds(VARIABLES, name) || holds(name, VARIABLES) || self.is_secret(name);
        if is_hidden && !value.contains("${") {
            return format!("{key}={MASK}");
        }
        format!("{key}={}", self.masked(value, true))
    }

    /// The arguments of a command: also a value that is the argument after its option.
    pub fn mask_arguments<T: AsRef<OsStr>>(&self, arguments: &[T]) -> Vec<OsString> {
        let mut after_secret = false;
        let mut masked = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let argument = argument.as_ref();
            let text = argument.to_string_lossy();
            let shown = self.argument(&text, after_secret, false);
            after_secret = self.is_secret_option(&text);
            masked.push(if shown == text {
                argument.to_owned()
            } else {
                shown.into_owned().into()
            });
        }
        masked
    }

    fn is_secret_option(&self, argument: &str) -> bool {
        argument.starts_with('-')
            && !argument.contains(|c: char| c == '=' || c.is_whitespace())
            && self.is_secret(argument)
    }

    fn argument<'t>(&self, text: &'t str, after_secret: bool, in_tree: bool) -> Cow<'t, str> {
        let is_option = text.starts_with("--") || (text.starts_with('-') && text.len() == 2);
        if after_secret && !is_option {
            return hidden(text, in_tree);
        }
        // Of an argument the rest is the value, with blanks and quotes.
        if let Some((name, value)) = text.split_once('=')
            && name.chars().all(is_of_name)
            && self.is_secret(name)
        {
            return Cow::Owned(format!("{name}={}", hidden(value, in_tree)));
        }
        self.masked(text, in_tree)
    }

    /// A configuration: interpolations of the environment are names and stay, and so does what the reports are made from.
    pub(crate) fn mask_tree(&self, node: &Node, path: &str) -> Node {
        if for_reports(path) {
            return node.clone();
        }
        let value = match &node.value {
            Value::Map(map) => {
                let masked = map.iter().map(|(key, child)| {
                    let below = crate::path::joined(path, key);
                    let name = key.text().unwrap_or_default();
                    let is_secret = below == VARIABLES || self.is_secret(name);
                    let child =
                        if is_secret { all_hidden(child) } else { self.mask_tree(child, &below) };
                    (key.clone(), child)
                });
                Value::Map(masked.collect::<Map>())
            }
            Value::List(items) => {
                let mut after_secret = false;
                let masked = items.iter().map(|item| match &item.value {
                    Value::Text(text) => {
                        let shown = self.argument(text, after_secret, true).into_owned();
                        after_secret = self.is_secret_option(text);
                        Node::new(Value::Text(shown), item.origin.clone())
                    }
                    _ if after_secret => {
                        after_secret = false;
                        all_hidden(item)
                    }
                    _ => self.mask_tree(item, path),
                });
                Value::List(masked.collect())
            }
            Value::Text(text) => Value::Text(self.argument(text, false, true).into_owned()),
            other => other.clone(),
        };
        Node::new(value, node.origin.clone())
    }

    fn masked<'t>(&self, text: &'t str, in_tree: bool) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), MASK));
            }
        }
        if let Some(in_url) = &*IN_URL
            && in_url.is_match(&text)
        {
            text = Cow::Owned(in_url.replace_all(&text, format!("${{1}}{MASK}@")).into_owned());
        }
        let hidden = self.named(&text, in_tree);
        if hidden.is_empty() && !self.patterns.iter().any(|pattern| matches(pattern, &text)) {
            return text;
        }
        // Names stay in sight; the user's patterns are for what is between them.
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for Named { name, value } in hidden {
            out.push_str(&self.without_patterns(&text[at..name]));
            out.push_str(&text[name..value.start]);
            out.push_str(MASK);
            at = value.end;
        }
        out.push_str(&self.without_patterns(&text[at..]));
        Cow::Owned(out)
    }

    fn without_patterns<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for pattern in &self.patterns {
            let replace = |found: &regex::Captures<'_>| match &found[0] {
                "" | MASK => found[0].to_owned(),
                _ => MASK.to_owned(),
            };
            if let Cow::Owned(masked) = pattern.replace_all(&text, replace) {
                text = Cow::Owned(masked);
            }
        }
        text
    }

    /// Where secrets are that have their name in front of them.
    fn named(&self, text: &str, in_tree: bool) -> Vec<Named> {
        let mut found = Vec::new();
        let Some(named) = &*NAMED else { return found };
        let mut at = 0;
        while let Some(captures) = named.captures_at(text, at) {
            let (Some(name), Some(between)) = (captures.get(1), captures.get(2)) else { break };
            // What is not secret may itself be the value or the name of something.
            at = name.end();
            let separates = !between.as_str().trim().is_empty();
            let after = &text[between.end()..];
            let is_value = separates || (name.as_str().starts_with('-') && !after.starts_with('-'));
            if !is_value || after.is_empty() || !self.is_secret(name.as_str()) {
                continue;
            }
            let quoted = between.as_str().starts_with(['"', '\'']);
            let value = between.end()..between.end() + value_length(after, quoted);
            let is_kept = in_tree && text[value.clone()].contains("${");
            at = value.end.max(at);
            if !is_kept && !value.is_empty() {
                found.push(Named { name: name.start(), value });
            }
        }
        found
    }
}

struct Named {
    /// Where the name begins.
    name: usize,
    value: Range<usize>,
}

/// To the closing quote, or to the next blank; with the word before a secret that says what kind it is.
fn value_length(text: &str, name_is_quoted: bool) -> usize {
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        return text[1..].find(quote).map_or(text.len(), |end| end + 2);
    }
    let is_end = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '&')
            || (name_is_quoted && matches!(c, ',' | '}'))
    };
    let word = |text: &str| text.find(is_end).unwrap_or(text.len());
    let first = word(text);
    if SCHEMES.iter().any(|scheme| text[..first].eq_ignore_ascii_case(scheme)) {
        let rest = text[first..].trim_start();
        let blanks = text.len() - first - rest.len();
        return first + blanks + word(rest);
    }
    first
}

fn hidden(value: &str, in_tree: bool) -> Cow<'_, str> {
    let is_kept = in_tree && value.contains("${");
    Cow::Borrowed(if value.is_empty() || is_kept { value } else { MASK })
}

/// Every value below, whatever it is; null says that there is none.
fn all_hidden(node: &Node) -> Node {
    let value = match &node.value {
        Value::Null => Value::Null,
        Value::Map(map) => Value::Map(
            map.iter().map(|(key, child)| (Key::clone(key), all_hidden(child))).collect(),
        ),
        Value::List(items) => Value::List(items.iter().map(all_hidden).collect()),
        Value::Text(text) => Value::Text(hidden(text, true).into_owned()),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => Value::Text(MASK.to_owned()),
    };
    Node::new(value, node.origin.clone())
}

/// An option, a variable, or an override of Hydra; what has other characters is text with a name in it.
fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || "_-.+~/@".contains(c)
}

/// A pattern that can match nothing would match everything.
fn matches(pattern: &Regex, text: &str) -> bool {
    pattern.find_iter(text).any(|found| !found.is_empty())
}

/// The words of a name in small letters: `apiKey`, `API_KEY` and `api-key` have two.
fn words(name: &str) -> impl Iterator<Item = String> + '_ {
    let mut before = None;
    let mut words = vec![String::new()];
    for c in name.chars() {
        let begins = c.is_uppercase() && before.is_some_and(char::is_lowercase);
        if !c.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests;
