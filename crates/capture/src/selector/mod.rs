//! Region selectors in ncu's own filter language, so that ncu profiles what was asked for and nothing else.
//!
//! The two languages differ: rangescope's patterns are about regions (a path of names, wildcards inside a name, display names, every domain), ncu's are about
//! the stack of one domain, in which a name that is open twice counts once. A pattern therefore becomes several expressions, one kind of range each; and
//! where ncu cannot say it exactly it becomes expressions that select more, with the reason, and the report filters the rest.

mod automaton;
mod chain;
mod compiled;
mod display;
mod expression;
mod name;
mod paths;
pub(crate) mod to_boost;

use ncu_rep::filter::{Expression, FilterError};
use rangescope_model::region::RangeKind;
use rangescope_model::select::{RegionSelector, SelectorForm};

use chain::Reason;
pub use compiled::Compiled;
use compiled::Piece;
pub(crate) use compiled::SEVERAL_DOMAINS;
use name::Name;
use paths::{Paths, Step};

/// Whether one stack may hold a name twice.
///
/// ncu looks only at the first of them, so a range inside another of the same name cannot be told from that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Nothing is known; no result may be lost.
    Possible,
    Absent,
}

pub fn compile(selector: &RegionSelector, repeats: Repeats) -> Result<Compiled, FilterError> {
    match selector.form() {
        SelectorForm::Ncu(expression) => {
            Expression::parse(expression)?;
            let mut compiled = Compiled::default();
            compiled.push(Piece::Foreign(expression.clone()));
            Ok(compiled)
        }
        SelectorForm::Pattern(form) => {
            let domain = form.domain.as_ref().map(Name::new);
            Ok(finish(domain.as_ref(), &Paths::new(&form.segments), repeats))
        }
    }
}

/// For a region that is known by its path.
pub fn compile_region(
    domain: &str,
    path: &[String],
    kind: RangeKind,
    repeats: Repeats,
) -> Compiled {
    let names = path.iter().cloned().map(Name::Literal);
    let mut paths = Paths::default();
    match kind {
        RangeKind::PushPop => paths.push_pop.push(names.map(Step::Name).collect()),
        RangeKind::StartEnd => paths.start_end.extend(names),
    }
    finish(Some(&Name::Literal(domain.to_owned())), &paths, repeats)
}

/// A selector for just this name, whatever characters it has.
pub fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        if matches!(character, '\\' | '*' | '?' | '@' | '/' | ';') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// Every result inside some range matches.
pub fn any_range() -> Compiled {
    let mut compiled = Compiled::default();
    compiled.push(Piece::Simple(expression::ANY_PUSH_POP.to_owned()));
    compiled.push(compiled::any_start_end());
    compiled
}

fn finish(domain: Option<&Name>, paths: &Paths, repeats: Repeats) -> Compiled {
    let mut compiled = Compiled::default();
    for reason in &paths.reasons {
        compiled.because(reason.text());
    }
    let mut written = Vec::new();
    for steps in &paths.push_pop {
        let (chains, reason) = chain::chains(steps, repeats);
        if let Some(reason) = reason {
            compiled.because(reason.text());
        }
        written.extend(chains.iter().map(|chain| expression::push_pop(domain, chain)));
    }
    written.extend(paths.start_end.iter().map(|name| expression::start_end(domain, name)));
    for (piece, is_exact) in written {
        compiled.push(piece);
        if !is_exact {
            compiled.because(Reason::Characters.text());
        }
    }
    // An expression that is too large to be read back is not put on a command line.
    if compiled.expressions().iter().any(|expression| Expression::parse(expression).is_err()) {
        compiled = any_range();
        compiled.because(Reason::TooLarge.text());
    }
    compiled
}

#[cfg(test)]
mod tests;
