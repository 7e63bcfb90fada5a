//! What the value of a key may be, and the check that it is.

use super::shell_words::split_command;
use crate::error::{ConfigError, Problem};
use crate::python;
use crate::value::{Node, Value};
use rangescope_model::nearest::nearest;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Bool,
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of such words.
    Choices(&'static [&'static str]),
    Int {
        min: i64,
        max: i64,
    },
    /// An integer from 0, or a word.
    IntOr {
        max: i64,
        word: &'static str,
    },
    /// A number of seconds above zero.
    Seconds,
    /// A list of texts, or one text with commas between them.
    Names,
    /// A list of patterns, or one pattern.
    Patterns,
    /// A list of region patterns, or a text with `;` between them, which stays whole: the patterns have a syntax of their own.
    Regions,
    /// A list of names of regions, or a text with `;` between them.
    Labels,
    /// A list of texts; numbers in it are taken as text.
    Texts,
    /// A list of texts, or one text that is split as a shell splits words.
    Command,
    /// Names of environment variables with their values; null removes a variable.
    Environment,
    /// A map of the user's own.
    Free,
}

/// The largest number that ncu takes for a count.
pub(super) const COUNT: i64 = u32::MAX as i64;

impl Kind {
    pub fn is_list(self) -> bool {
        matches!(
            self,
            Self::Names | Self::Patterns | Self::Regions | Self::Texts | Self::Choices(_)
        )
    }

    /// The word of a list of words that is written like this.
    pub(super) fn known_word(self, text: &str) -> Option<&'static str> {
        let (Self::Choice(words) | Self::Choices(words)) = self else { return None };
        words.iter().copied().find(|word| *word == text)
    }

    /// For messages and for documents.
    pub(super) fn expected(self) -> String {
        let one_of = |words: &[&str]| {
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Bool => "`true` or `false`".to_owned(),
            Self::Text => "text".to_owned(),
            Self::Choice(words) => format!("one of {}", one_of(words)),
            Self::Choices(words) => format!("a list of {}", one_of(words)),
            Self::Int { min, max: COUNT } => format!("an integer from {min} on"),
            Self::Int { min, max } => format!("an integer from {min} to {max}"),
            Self::IntOr { max, word } => format!("an integer from 0 to {max}, or `{word}`"),
            Self::Seconds => "a number of seconds above zero".to_owned(),
            Self::Names => "a list of texts, or one text with commas".to_owned(),
            Self::Patterns => "a list of patterns, or one pattern".to_owned(),
            Self::Regions | Self::Labels => {
                "a list of region patterns, or one text with `;` between them".to_owned()
            }
            Self::Texts => "a list of texts".to_owned(),
            Self::Command => "a list of texts, or one text".to_owned(),
            Self::Environment => "a map of names to texts".to_owned(),
            Self::Free => "a map".to_owned(),
        }
    }

    /// The error lacks the key and the place only where the node itself is right and an item of it is not.
    pub(super) fn check(self, node: &Node) -> Result<(), ConfigError> {
        let is_right = match (self, &node.value) {
            (_, value) if value.is_missing() => false,
            (Self::Bool, Value::Bool(_)) | (Self::Free, Value::Map(_)) => true,
            (Self::Command, Value::Text(text)) => {
                return split_command(text)
                    .map(drop)
                    .map_err(|got| ConfigError::expected("a command", got).at(&node.origin));
            }
            (
                Self::Text | Self::Patterns | Self::Names | Self::Regions | Self::Labels,
                Value::Text(_),
            ) => true,
            (Self::Choice(words), Value::Text(text)) => words.contains(&text.as_str()),
            (Self::Choices(words), Value::List(items)) => {
                return items.iter().try_for_each(|item| Self::Choice(words).check(item));
            }
            (Self::Int { min, max }, Value::Int(value)) => (min..=max).contains(value),
            (Self::IntOr { max, .. }, Value::Int(value)) => (0..=max).contains(value),
            (Self::IntOr { word, .. }, Value::Text(text)) => text == word,
            (Self::Seconds, Value::Int(value)) => *value > 0,
            (Self::Seconds, Value::Float(value)) => *value > 0.0 && value.is_finite(),
            (
                Self::Names
                | Self::Patterns
                | Self::Regions
                | Self::Labels
                | Self::Texts
                | Self::Command,
                Value::List(items),
            ) => {
                return items.iter().try_for_each(|item| {
                    if is_item(&item.value) { Ok(()) } else { Err(self.refuse(item)) }
                });
            }
            (Self::Environment, Value::Map(map)) => {
                let is_value = |node: &Node| is_item(&node.value) || node.value == Value::Null;
                return map.iter().try_for_each(|(key, node)| {
                    if is_value(node) {
                        Ok(())
                    } else {
                        Err(Self::Text.refuse(node).with_key(key.to_string()))
                    }
                });
            }
            _ => false,
        };
        if is_right { Ok(()) } else { Err(self.refuse(node)) }
    }

    fn refuse(self, node: &Node) -> ConfigError {
        if node.value.is_missing() {
            return ConfigError::new(Problem::Missing).at(&node.origin);
        }
        let got = match &node.value {
            Value::List(_) | Value::Map(_) | Value::Null => node.value.kind().to_owned(),
            scalar => format!("`{}`", python::text(scalar)),
        };
        let near = match (self, &node.value) {
            (Self::Choice(words), Value::Text(text)) => nearest(text, words.iter().copied()),
            _ => None,
        };
        ConfigError::expected(self.expected(), got).at(&node.origin).with_nearest(near)
    }
}

/// Whether a value may be an item of a list of texts: YAML takes some texts for numbers and booleans.
fn is_item(value: &Value) -> bool {
    matches!(value, Value::Text(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_))
        && !value.is_missing()
}
