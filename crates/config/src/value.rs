//! The tree that configuration is: scalars, lists and ordered maps, each node with its origin.
//!
//! As in OmegaConf, a missing value is the text `???` and an interpolation is a text that contains `${`; what a text means is asked of the text.

use std::fmt;

use indexmap::IndexMap;

use crate::origin::Origin;
use crate::python;

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub value: Value,
    pub origin: Origin,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// `???` is a missing value, `${…}` an interpolation.
    Text(String),
    List(Vec<Node>),
    /// In the order in which its keys first appeared.
    Map(Map),
}

pub type Map = IndexMap<Key, Node>;

/// Nearly always text; YAML allows other scalars.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Text(String),
    Int(i64),
    Bool(bool),
    /// By its bits.
    Float(u64),
}

/// The text of a value that has to be given and was not.
pub(crate) const MISSING: &str = "???";

impl Node {
    pub fn new(value: Value, origin: Origin) -> Self {
        Self { value, origin }
    }

    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Map(map) => map.get(&Key::from(key)),
            _ => None,
        }
    }

    /// Text keys, joined by dots.
    pub fn at(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |node, key| node.get(key))
    }

    /// Numbers that JSON lacks become YAML's words for them.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(value) => (*value).into(),
            Value::Float(value) if value.is_finite() => (*value).into(),
            Value::Float(value) => crate::yaml::float_text(*value).into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(map) => {
                map.iter().map(|(key, node)| (key.to_string(), node.to_json())).collect()
            }
        }
    }

    /// Nodes, and bytes of text, of this node and everything below it.
    pub(crate) fn size(&self) -> (usize, usize) {
        let add =
            |total: (usize, usize), part: (usize, usize)| (total.0 + part.0, total.1 + part.1);
        match &self.value {
            Value::Text(text) => (1, text.len()),
            Value::List(items) => items.iter().map(Self::size).fold((1, 0), add),
            Value::Map(map) => map
                .iter()
                .map(|(key, node)| add(node.size(), (0, key.text().map_or(0, str::len))))
                .fold((1, 0), add),
            _ => (1, 0),
        }
    }

    /// Levels of nodes from this one down.
    pub(crate) fn depth(&self) -> usize {
        1 + match &self.value {
            Value::List(items) => items.iter().map(Self::depth).max().unwrap_or(0),
            Value::Map(map) => map.values().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }
}

impl Value {
    pub fn is_container(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }

    /// Whether this stands for a value that has to be given.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Text(text) if text == MISSING)
    }

    /// The text, if it has to be interpolated before it is used.
    pub(crate) fn interpolation(&self) -> Option<&str> {
        match self {
            Self::Text(text) if text.contains("${") => Some(text),
            _ => None,
        }
    }

    /// For messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

impl Key {
    /// `None` for values that cannot be keys: null, lists and maps.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(Self::Text(text.clone())),
            Value::Int(value) => Some(Self::Int(*value)),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Float(value) => Some(Self::Float(value.to_bits())),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::Text(text.clone()),
            Self::Int(value) => Value::Int(*value),
            Self::Bool(value) => Value::Bool(*value),
            Self::Float(bits) => Value::Float(f64::from_bits(*bits)),
        }
    }

    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Int(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Float(bits) => f.write_str(&python::float_text(f64::from_bits(*bits))),
        }
    }
}
