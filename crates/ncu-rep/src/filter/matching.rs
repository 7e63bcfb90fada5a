//! Matching a chain of names against a push/pop stack.
//!
//! Regular expressions and `*` leave a choice of positions. All choices are followed at once, as the set of positions that the name before can be at, so that the work is at most names × depth whatever the expression and the stack.

use regex::bytes::Regex;
use rustc_hash::FxHashSet;

/// How one name of an expression is compared. Regular expressions see bytes, as in ncu.
#[derive(Clone, Debug)]
pub(super) enum Name {
    Exact(String),
    Regex(Regex),
}

impl Name {
    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(text) => text == name,
            Self::Regex(regex) => regex.is_match(name.as_bytes()),
        }
    }
}

/// Where a name may be, seen from the one before it in the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The first name, anywhere in the stack.
    Anywhere,
    /// That many ranges above: 1 after `/`, 2 after `/+/`.
    Above(usize),
    /// After `/*/`: the same range or any above it.
    AtOrAbove,
}

#[derive(Clone, Debug)]
pub(super) struct Chain<N> {
    pub(super) links: Vec<Link<N>>,
    /// Exactly one range must be above the last name: a `+` at the end.
    pub(super) one_above: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Link<N> {
    pub(super) step: Step,
    /// It must be the bottom of the stack.
    pub(super) bottom: bool,
    /// It must be the top of the stack.
    pub(super) top: bool,
    pub(super) name: N,
}

impl Chain<Name> {
    pub(super) fn matches(&self, stack: &mut dyn Iterator<Item = &str>) -> bool {
        // ncu looks at each name once: a range whose name is already open further down does not count.
        let mut seen = FxHashSet::default();
        let stack: Vec<&str> = stack.filter(|name| seen.insert(*name)).collect();
        let mut reached = vec![false; stack.len()];
        for link in &self.links {
            reached = link.advance(&reached, &stack);
        }
        if self.one_above {
            reached.iter().rev().nth(1) == Some(&true)
        } else {
            reached.contains(&true)
        }
    }
}

impl Link<Name> {
    /// The positions at which this name can be, if the name before it can be at any of `reached`.
    fn advance(&self, reached: &[bool], stack: &[&str]) -> Vec<bool> {
        let mut any_so_far = false;
        let mut advanced = Vec::with_capacity(stack.len());
        for (position, (&here, range)) in reached.iter().zip(stack).enumerate() {
            any_so_far |= here;
            let in_reach = match self.step {
                Step::Anywhere => true,
                Step::Above(distance) => {
                    position.checked_sub(distance).and_then(|below| reached.get(below))
                        == Some(&true)
                }
                Step::AtOrAbove => any_so_far,
            };
            let anchored =
                (!self.bottom || position == 0) && (!self.top || position + 1 == stack.len());
            advanced.push(in_reach && anchored && self.name.matches(range));
        }
        advanced
    }
}
