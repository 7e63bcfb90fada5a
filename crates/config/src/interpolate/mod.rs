//! Interpolation: `${a.b}`, `${.x}`, `${oc.env:VAR,default}` inside texts.
//!
//! [`syntax`] is what a text with interpolations consists of, [`parse`] reads it as OmegaConf's grammar has it, [`resolve`] finds what it stands for, [`lookup`] follows paths, [`resolvers`] are the functions, [`kept`] is about trees that are written down. Nothing here runs code, and the environment is reached only through the closure that the caller supplies.

mod kept;
mod lookup;
mod parse;
mod resolve;
mod resolvers;
mod syntax;
mod time;

use jiff::civil::DateTime;
pub(crate) use kept::without_interpolations;
pub(crate) use parse::{check, parse};
pub(crate) use resolve::{Failure, Found, Resolver};

/// What interpolations may know about the world.
pub struct Context<'a> {
    /// For `${oc.env:…}` only.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// For `${now:…}`, in the user's time zone.
    pub now: DateTime,
    /// For `${hydra:runtime.cwd}`.
    pub cwd: String,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("now", &self.now)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
