//! Writing expressions down.
//!
//! A selector without a domain is about every domain, for which ncu needs a regular expression; so most expressions are regular expressions, with every name in a
//! group, where no bracket or backslash can be taken for something else. Names without special characters in a named domain are written plainly.

use super::chain::{Chain, Relation};
use super::compiled::Piece;
use super::name::Name;
use super::to_boost::ANYTHING;

pub(super) const ANY_PUSH_POP: &str = "regex:.*@.*/";
const STEP_UP: &str = ".*/*/";
pub(super) const ANY_START_END: &str = "regex:.*@.*";

/// The expression, and whether it matches nothing else.
pub(super) fn push_pop(domain: Option<&Name>, chain: &Chain) -> (Piece, bool) {
    if let Some(text) = plain_push_pop(domain, chain) {
        return (Piece::Simple(text), true);
    }
    let mut out = Writing::new(domain);
    // ncu searches for a single name but compares several as a whole.
    let single = chain.links.len() == 1;
    for (index, (relation, name)) in chain.links.iter().enumerate() {
        out.text.push_str(match relation {
            Relation::First if chain.bottom => "[",
            Relation::First | Relation::Next => "",
            // ncu's `*` also stays where it is; a step up before it makes sure that it does not.
            Relation::Above if chain.could_stay(index) => STEP_UP,
            Relation::Above | Relation::AtOrAbove => "*/",
        });
        out.name(name, single);
        out.text.push('/');
    }
    if single { out.simple() } else { out.chain() }
}

/// The expression, and whether it matches nothing else.
pub(super) fn start_end(domain: Option<&Name>, name: &Name) -> (Piece, bool) {
    let mut out = Writing::new(domain);
    out.name(name, true);
    let plain = match (domain, name) {
        (Some(Name::Literal(domain)), Name::Literal(name))
            if is_plain(domain) && is_plain(name) =>
        {
            Some(format!("{domain}@{name}"))
        }
        _ => None,
    };
    (Piece::StartEnd { domain: out.domain, name: out.text, plain }, out.exact)
}

struct Writing {
    domain: String,
    /// Follows the `@`.
    text: String,
    exact: bool,
}

impl Writing {
    fn new(domain: Option<&Name>) -> Self {
        let mut out = Self { domain: String::new(), text: String::new(), exact: true };
        match domain {
            Some(domain) => out.name(domain, true),
            None => out.text.push_str(ANYTHING),
        }
        out.domain = std::mem::take(&mut out.text);
        out
    }

    /// With anchors where ncu would look for the name inside others.
    fn name(&mut self, name: &Name, searched: bool) {
        if name.is_anything() {
            self.text.push_str(ANYTHING);
            return;
        }
        let boost = name.to_boost();
        self.exact &= boost.exact;
        let (before, after) = if searched { (r"\A(?:", r")\z") } else { ("(?:", ")") };
        self.text.extend([before, &boost.text, after]);
    }

    fn simple(self) -> (Piece, bool) {
        (Piece::Simple(format!("regex:{}@{}", self.domain, self.text)), self.exact)
    }

    fn chain(self) -> (Piece, bool) {
        (Piece::Chain { domain: self.domain, ranges: self.text }, self.exact)
    }
}

fn plain_push_pop(domain: Option<&Name>, chain: &Chain) -> Option<String> {
    let literal = |name: &Name| match name {
        Name::Literal(text) if is_plain(text) => Some(text.clone()),
        _ => None,
    };
    let mut text = format!("{}@", domain.and_then(literal)?);
    for (index, (relation, name)) in chain.links.iter().enumerate() {
        text.push_str(match relation {
            Relation::First if chain.bottom => "[",
            Relation::First | Relation::Next => "",
            Relation::Above if chain.could_stay(index) => return None,
            Relation::Above | Relation::AtOrAbove => "*/",
        });
        text.push_str(&literal(name)?);
        text.push('/');
    }
    Some(text)
}

/// Whether no character of a name means anything to ncu.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with("regex:")
        && !name.contains(['\\', '@', ',', '[', ']', '/', '*', '+', '\0'])
}
