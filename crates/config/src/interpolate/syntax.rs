//! What a text with interpolations consists of.

use crate::grammar::Scalar;

/// A text: parts to be written one after another.
pub(crate) type Template = Vec<Part>;

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    /// Text, escapes removed.
    Text(String),
    /// Something to be looked up.
    Interpolation(Interpolation),
}

/// Something between `${` and `}`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Interpolation {
    /// `${a.b[c]}`: the path as text, in which interpolations may stand for keys.
    Node(Template),
    /// `${name:arguments}`.
    Call {
        /// The name of the resolver.
        name: Template,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
}

/// An argument of a resolver, or an item of one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// A word that stands alone.
    Scalar(Scalar),
    /// An interpolation that stands alone, whose value is taken as it is.
    Value(Interpolation),
    /// Anything else, which is text.
    Text(Template),
    /// `[…]`
    List(Vec<Self>),
    /// `{…}`
    Map(Vec<(Scalar, Self)>),
}
