//! From a path to chains of names on ncu's stack, which holds every name once.
//!
//! With names that are open twice, what ncu sees is the path without its repetitions. Each way in which names of the path may coincide is a chain of its own; a chain that begins
//! another makes the longer one redundant. Where the number of ways grows, chains that ask for less replace them.

use super::Repeats;
use super::name::Name;
use super::paths::Step;

/// With more names than this, only the first counts.
const MOST_NAMES: usize = 8;

/// Why expressions select more than the selector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// A name may be open twice.
    Repeats,
    DisplayName,
    /// Character classes beyond ASCII, word boundaries.
    Characters,
    TooLarge,
}

impl Reason {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Repeats => "ncu cannot tell a range from one of the same name inside it",
            Self::DisplayName => "ncu does not know display names such as `A::B`",
            Self::Characters => "ncu's regular expressions look at bytes and not at characters",
            Self::TooLarge => "the pattern is too large for a command line",
        }
    }
}

/// Where a name is, seen from the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Anywhere, or at the bottom if the chain begins there.
    First,
    /// Directly above.
    Next,
    Above,
    /// The same range, or anywhere above.
    AtOrAbove,
}

#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The first name is at the bottom.
    pub(super) bottom: bool,
    pub(super) links: Vec<(Relation, Name)>,
}

impl Chain {
    /// Whether the range that matches the name before this one may match this one too.
    pub(super) fn could_stay(&self, index: usize) -> bool {
        let name = |index: usize| self.links.get(index).map(|(_, name)| name);
        match (index.checked_sub(1).and_then(name), name(index)) {
            (Some(before), Some(here)) => before.overlaps(here),
            _ => false,
        }
    }
}

/// The chains, one of which has to match, and why they select more than the path, if they do.
pub(super) fn chains(steps: &[Step], repeats: Repeats) -> (Vec<Chain>, Option<Reason>) {
    // Everything below a match is selected, so nothing need be said about it.
    let end =
        steps.iter().rposition(|step| matches!(step, Step::Name(_))).map_or(0, |last| last + 1);
    let steps = steps.get(..end).unwrap_or_default();
    if steps.is_empty() {
        return (
            vec![Chain { bottom: false, links: vec![(Relation::First, Name::anything())] }],
            None,
        );
    }
    match repeats {
        Repeats::Absent => (vec![plain(steps)], None),
        Repeats::Possible => {
            let (chains, exact) = collapsed(steps);
            (chains, (!exact).then_some(Reason::Repeats))
        }
    }
}

/// For a path on which no name comes twice.
fn plain(steps: &[Step]) -> Chain {
    let mut links = Vec::new();
    let mut gap = false;
    let bottom = matches!(steps.first(), Some(Step::Name(_)));
    for step in steps {
        match step {
            Step::AnyDepth => gap = true,
            Step::Name(name) => {
                let relation = match (links.is_empty(), gap) {
                    (true, _) => Relation::First,
                    (false, true) => Relation::Above,
                    (false, false) => Relation::Next,
                };
                links.push((relation, name.clone()));
                gap = false;
            }
        }
    }
    Chain { bottom, links }
}

/// For a path on which names may come twice, and whether the chains select nothing else.
fn collapsed(steps: &[Step]) -> (Vec<Chain>, bool) {
    let gap = steps.iter().position(|step| matches!(step, Step::AnyDepth));
    let names = |steps: &[Step]| -> Vec<Name> {
        let only = |step: &Step| match step {
            Step::Name(name) => Some(name.clone()),
            Step::AnyDepth => None,
        };
        steps.iter().filter_map(only).collect()
    };
    let (head, tail) = steps.split_at(gap.unwrap_or(steps.len()));
    let (head, tail) = (names(head), names(tail));

    let Some(last) = tail.last() else { return (without_repetitions(&head), head.len() == 1) };
    if !head.is_empty() {
        // The last name may be found anywhere above the head, or among it.
        let among = head.iter().any(|name| name.overlaps(last));
        let mut chains = without_repetitions(&head);
        if !among {
            for chain in &mut chains {
                chain.links.push((Relation::AtOrAbove, last.clone()));
            }
        }
        return (chains, head.len() == 1 && tail.len() == 1 && !among);
    }
    let anywhere = |links| Chain { bottom: false, links };
    match tail.iter().rev().nth(1) {
        None => (vec![anywhere(vec![(Relation::First, last.clone())])], true),
        // Both are there, but whichever was opened again further up may seem to be the lower one.
        Some(before) => {
            let pair = |first: &Name, second: &Name| {
                anywhere(vec![
                    (Relation::First, first.clone()),
                    (Relation::AtOrAbove, second.clone()),
                ])
            };
            (vec![pair(before, last), pair(last, before)], false)
        }
    }
}

/// What may be left of consecutive names from the bottom when each is seen once.
fn without_repetitions(names: &[Name]) -> Vec<Chain> {
    let mut ways: Vec<Vec<&Name>> = vec![Vec::new()];
    let looked_at = if names.len() > MOST_NAMES { 1 } else { names.len() };
    for (index, name) in names.iter().take(looked_at).enumerate() {
        let may_repeat = names.iter().take(index).any(|before| before.overlaps(name));
        let longer = ways.iter().map(|way| way.iter().copied().chain([name]).collect());
        ways = if may_repeat {
            longer.chain(ways.iter().cloned()).collect()
        } else {
            longer.collect()
        };
    }
    ways.sort_by_key(Vec::len);
    let mut kept: Vec<Vec<&Name>> = Vec::new();
    for way in ways {
        // Names are compared by where they stand in the pattern.
        let begins = |shorter: &Vec<&Name>| {
            shorter.iter().zip(&way).all(|(left, right)| std::ptr::eq(*left, *right))
        };
        if !kept.iter().any(begins) {
            kept.push(way);
        }
    }
    kept.into_iter()
        .map(|way| {
            let relation = |index| if index == 0 { Relation::First } else { Relation::Next };
            let links = way
                .into_iter()
                .enumerate()
                .map(|(index, name)| (relation(index), name.clone()))
                .collect();
            Chain { bottom: true, links }
        })
        .collect()
}
