//! Several runs of one program, or of two in turns, so that what changes with time is on both sides: in which order, and how that is recorded.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{RunError, RunFolder};

const SCHEMA_VERSION: &str = "1.0";

/// Where it is recorded in the folder of a run.
const FILE: &str = "turn.json";

/// More runs than this nobody waits for.
pub const MOST_RUNS: usize = 1000;

/// The program that a run is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Base,
    New,
    /// There is one program.
    Only,
}

impl Side {
    /// What the folders of its runs are called, before their number.
    fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::New => "new",
            Self::Only => "run",
        }
    }
}

/// The order of a set of runs, as it is written into the folder of each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    schema_version: String,
    /// Sets these runs apart from others.
    set: String,
    /// The order follows from it.
    pub seed: u64,
    /// The side of each turn.
    pub order: Vec<Side>,
    /// Which of them this run was.
    turn: usize,
}

impl Turns {
    /// So many runs of either program. Of two programs each pair of turns has both, in an order that the seed decides.
    pub fn new(runs: usize, has_two: bool, seed: u64, set: String) -> Self {
        let mut state = seed;
        let pair = |_| {
            if next_bit(&mut state) { [Side::Base, Side::New] } else { [Side::New, Side::Base] }
        };
        let order =
            if has_two { (0..runs).flat_map(pair).collect() } else { vec![Side::Only; runs] };
        Self { schema_version: SCHEMA_VERSION.to_owned(), set, seed, order, turn: 0 }
    }

    /// Each turn: its side and its folder below that of the set.
    pub fn folders(&self) -> Vec<(Side, String)> {
        let number = |turn: usize, side: Side| {
            self.order.iter().take(turn + 1).filter(|other| **other == side).count()
        };
        let turns = self.order.iter().enumerate();
        turns
            .map(|(turn, &side)| (side, format!("{}-{}", side.name(), number(turn, side))))
            .collect()
    }

    /// Writes it into the folder of the run that was made in this turn.
    pub fn record(&self, turn: usize, folder: &RunFolder) -> Result<(), RunError> {
        let recorded = Self { turn, ..self.clone() };
        let path = folder.root().join(FILE);
        let text = serde_json::to_string_pretty(&recorded)
            .map_err(|cause| RunError::Write { path: path.clone(), cause: cause.into() })?;
        RunFolder::write(&path, &(text + "\n"))
    }

    fn read(folder: &Path) -> Option<Self> {
        let path = folder.join(FILE);
        let text = ncu_rep::file::read_text(&path, ncu_rep::limits::SMALL_FILE).ok()?;
        serde_json::from_str(&text).ok()
    }
}

/// The turns of runs that were made together; nothing unless all of them were.
pub fn recorded(runs: &[&Path]) -> Option<Vec<u64>> {
    let turns: Vec<Turns> = runs.iter().map(|run| Turns::read(run)).collect::<Option<_>>()?;
    let first = turns.first()?;
    let are_one_set = turns.iter().all(|turns| turns.set == first.set);
    are_one_set.then(|| turns.iter().map(|turns| turns.turn as u64).collect())
}

/// The runs in the folder of a set, by side and number; nothing where it is none.
pub fn of_set(folder: &Path) -> Vec<(Side, PathBuf)> {
    let sides = [Side::Base, Side::New, Side::Only];
    let of_side = |side: Side| {
        let run = move |number: usize| folder.join(format!("{}-{number}", side.name()));
        let runs = (1..=MOST_RUNS).map(run).take_while(|run| run.is_dir());
        // What failed before it was a run is none.
        runs.filter(|run| RunFolder::new(run.as_path()).is_run()).map(move |run| (side, run))
    };
    sides.into_iter().flat_map(of_side).collect()
}

/// SplitMix64.
fn next_bit(state: &mut u64) -> bool {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::{Side, Turns};

    #[test]
    fn turns() {
        let of = |seed| Turns::new(20, true, seed, String::new());
        let turns = of(7);
        assert_eq!(turns, of(7));
        assert_ne!(turns.order, of(8).order);
        for pair in turns.order.chunks(2) {
            assert!(pair.contains(&Side::Base) && pair.contains(&Side::New));
        }
        assert!(turns.order.windows(2).any(|pair| pair[0] == pair[1]), "not simply alternating");
        let folders: Vec<String> = turns.folders().into_iter().map(|(_, folder)| folder).collect();
        let distinct: std::collections::BTreeSet<&String> = folders.iter().collect();
        assert_eq!(distinct.len(), 40);
        assert!(distinct.contains(&"base-20".to_owned()) && distinct.contains(&"new-1".to_owned()));
        let one = Turns::new(2, false, 7, String::new()).folders();
        assert_eq!(one, [(Side::Only, "run-1".to_owned()), (Side::Only, "run-2".to_owned())]);
    }
}
