//! Reading lists and texts as people write them: nothing for an empty list, one text for a list of one, a number for a text.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Texts; a single text is a list of one.
pub(super) fn list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    texts(Value::deserialize(deserializer)?)
}

/// Texts; a single text is separated at commas.
pub(super) fn separated<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            Ok(parts.map(str::to_owned).collect())
        }
        other => texts(other),
    }
}

/// Words of a fixed list; a single one is a list of one.
pub(super) fn words<'de, D: Deserializer<'de>, W: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<W>, D::Error> {
    let words = separated(deserializer)?;
    let read = |word| serde_json::from_value(Value::String(word)).map_err(D::Error::custom);
    words.into_iter().map(read).collect()
}

/// A text, which may look like a number.
pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        other => scalar(other).map(Some),
    }
}

fn texts<E: Error>(value: Value) -> Result<Vec<String>, E> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => items.into_iter().map(scalar).collect(),
        other => Ok(vec![scalar(other)?]),
    }
}

fn scalar<E: Error>(value: Value) -> Result<String, E> {
    match value {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        other => Err(E::custom(format!("expected a text and not `{other}`"))),
    }
}
