//! What a text with interpolations consists of.

use crate::value::Value;

/// Parts to be written one after another.
pub(crate) type Template = Vec<Part>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// With escapes removed.
    Text(String),
    Interpolation(Interpolation),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Interpolation {
    /// `${a.b[c]}`: the path as text, in which interpolations may stand for keys.
    Node(Template),
    /// `${name:arguments}`.
    Call { name: Template, arguments: Vec<Argument> },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// A word that stands alone.
    Scalar(Value),
    /// An interpolation that stands alone, whose value is taken as it is.
    Value(Interpolation),
    /// Anything else, which is text.
    Text(Template),
    /// `[…]`
    List(Vec<Self>),
    /// `{…}`
    Map(Vec<(Value, Self)>),
}
