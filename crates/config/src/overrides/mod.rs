//! Overrides: what a user writes on the command line to change a composed configuration.
//!
//! `key=value` changes, `+key=value` adds, `++key=value` does either, `~key` removes; a key that is a group chooses an option of it. [`parse`] reads one as Hydra's grammar has it; [`quoted`] writes any text so that it reads back as that text.

mod functions;
mod lex;
mod parse;
mod python_cast;
mod written;

use std::sync::Arc;

use crate::origin::Origin;

pub(crate) use parse::parse;
pub use written::quoted;
pub(crate) use written::written;

/// An override as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverrideArg {
    /// For example `pipeline.ncu.enable=true`.
    pub text: String,
    /// The flag, if the user wrote a flag and not the override itself.
    pub flag: Option<String>,
}

impl OverrideArg {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), flag: None }
    }

    pub fn list<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Vec<Self> {
        texts.into_iter().map(Self::new).collect()
    }

    pub(crate) fn origin(&self, index: usize) -> Origin {
        let text = Arc::from(self.text.as_str());
        match &self.flag {
            Some(name) => Origin::Flag { name: Arc::from(name.as_str()), text },
            None => Origin::Override { index, text },
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Change,
    Add,
    ForceAdd,
    Delete,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Override {
    pub(crate) action: Action,
    /// A path of keys joined by dots, or a group.
    pub(crate) key: String,
    pub(crate) package: Option<String>,
    /// `None` after `~key` alone.
    pub(crate) value: Option<Given>,
    pub(crate) origin: Origin,
}

impl Override {
    /// The key as written, without the sign before it.
    pub(crate) fn target(&self) -> String {
        match &self.package {
            Some(package) => format!("{}@{package}", self.key),
            None => self.key.clone(),
        }
    }

    /// Hydra's own configuration, which rangescope does not have.
    pub(crate) fn is_about_hydra(&self) -> bool {
        self.key == "hydra" || self.key.starts_with("hydra.") || self.key.starts_with("hydra/")
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    Element(Element),
    Sweep(Sweep),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Element {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    /// A text in quotes, which is kept quoted when it is written again.
    Quoted(String, char),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

/// Several values to run one after another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Sweep {
    /// `a,b` (simple) or `choice(a,b)`.
    Choice { values: Vec<Element>, simple: bool },
    /// `range(start,stop,step)`.
    Range { start: Element, stop: Element, step: Element },
    /// `glob(include,exclude)` over the options of a group.
    Glob { include: Vec<String>, exclude: Vec<String> },
}

#[cfg(test)]
mod tests;
