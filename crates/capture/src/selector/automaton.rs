//! Whether display names matter for a regular expression, decided on its automaton.
//!
//! `decode.*` and `.*attn.*` match the display names of many regions, but each of these lies in a region whose own name matches. Then there is nothing to add to
//! the own names.

use std::collections::{BTreeMap, BTreeSet};

use regex_automata::Anchored;
use regex_automata::dfa::{Automaton, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::start;

/// Larger automata are not looked at, in bytes.
const LARGEST: usize = 1024 * 1024;
/// More pairs of states than this are not compared.
const MOST_PAIRS: usize = 50_000;

/// Whether every region whose display name matches lies in one (or is one) whose own name matches.
///
/// `false` also when that cannot be found out.
pub(super) fn display_adds_nothing(expression: &str) -> bool {
    Machine::new(expression).is_some_and(|machine| machine.display_adds_nothing())
}

struct Machine {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
    /// Each with whether a text that ends there matches.
    states: BTreeMap<StateID, bool>,
    /// States from which a match can be reached.
    alive: BTreeSet<StateID>,
}

impl Machine {
    fn new(expression: &str) -> Option<Self> {
        let dfa = dense::Builder::new()
            .configure(
                dense::Config::new()
                    .start_kind(regex_automata::dfa::StartKind::Anchored)
                    .dfa_size_limit(Some(LARGEST))
                    .determinize_size_limit(Some(LARGEST)),
            )
            .build(&format!("^(?:{expression})$"))
            .ok()?;
        let start = dfa.start_state(&start::Config::new().anchored(Anchored::Yes)).ok()?;
        let mut machine = Self { dfa, start, states: BTreeMap::new(), alive: BTreeSet::new() };
        machine.visit()?;
        Some(machine)
    }

    /// Finds all states, and those from which a match can be reached.
    fn visit(&mut self) -> Option<()> {
        let mut came_from: BTreeMap<StateID, Vec<StateID>> = BTreeMap::new();
        let mut to_visit = vec![self.start];
        while let Some(state) = to_visit.pop() {
            if self.states.contains_key(&state) {
                continue;
            }
            // A state that stops the search knows nothing of what follows.
            if self.dfa.is_quit_state(state) {
                return None;
            }
            self.states.insert(state, self.dfa.is_match_state(self.dfa.next_eoi_state(state)));
            for byte in 0..=u8::MAX {
                let next = self.dfa.next_state(state, byte);
                came_from.entry(next).or_default().push(state);
                to_visit.push(next);
            }
        }
        let mut to_mark: Vec<StateID> =
            self.states.iter().filter(|(_, matches)| **matches).map(|(state, _)| *state).collect();
        while let Some(state) = to_mark.pop() {
            if self.alive.insert(state) {
                to_mark.extend(came_from.get(&state).into_iter().flatten());
            }
        }
        Some(())
    }

    /// A display name is the parent's, `::` and the region's own name. It adds nothing if the parent's matches, or if the own name does.
    fn display_adds_nothing(&self) -> bool {
        self.states.iter().all(|(&state, &parent_matches)| {
            let after = self.dfa.next_state(self.dfa.next_state(state, b':'), b':');
            parent_matches || !self.alive.contains(&after) || self.included(after)
        })
    }

    /// Whether every text that leads from this state to a match matches by itself.
    fn included(&self, state: StateID) -> bool {
        let mut seen = BTreeSet::new();
        let mut to_visit = vec![(state, self.start)];
        while let Some((here, there)) = to_visit.pop() {
            if here == there || !self.alive.contains(&here) || !seen.insert((here, there)) {
                continue;
            }
            let matches = |state| self.states.get(&state) == Some(&true);
            if seen.len() > MOST_PAIRS || (matches(here) && !matches(there)) {
                return false;
            }
            to_visit.extend(
                (0..=u8::MAX).map(|byte| {
                    (self.dfa.next_state(here, byte), self.dfa.next_state(there, byte))
                }),
            );
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::display_adds_nothing;

    #[test]
    fn most_expressions_need_no_display_names() {
        for expression in [
            "decode.*",
            ".*attn.*",
            r"layers\.\d+",
            "(prefill|decode)_[0-9]+",
            ".*",
            "a|b",
            "[^:]*x",
            "x$",
        ] {
            assert!(display_adds_nothing(expression), "{expression}");
        }
        for expression in ["A::A1", "a.*b", "A::.*", r"\bx.*y"] {
            assert!(!display_adds_nothing(expression), "{expression}");
        }
    }
}
