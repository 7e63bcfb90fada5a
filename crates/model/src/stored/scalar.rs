//! A number or a text as it is stored. Whole numbers are written without a fraction, and those that an `f64` would round keep every digit.

use crate::document::Scalar;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(value) => match whole(*value) {
                Some(value) => serializer.serialize_i64(value),
                None => serializer.serialize_f64(*value),
            },
            Self::Integer(value) => serializer.serialize_u64(*value),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// The same number as an integer, where that loses nothing.
fn whole(value: f64) -> Option<i64> {
    let is_exact = value.fract() == 0.0 && value.abs() <= Scalar::LARGEST_EXACT as f64;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and at most 2^53")]
    let whole = value as i64;
    (is_exact && !(value == 0.0 && value.is_sign_negative())).then_some(whole)
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a text")
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Scalar, E> {
        Ok(Scalar::whole(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar::Number(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar::Number(value))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Scalar, E> {
        Ok(Scalar::Text(text.to_owned()))
    }
}
