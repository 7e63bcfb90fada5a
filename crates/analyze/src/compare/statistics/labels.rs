//! Which runs are called the base: the ways to deal out the names of the sides among all runs.

/// So many are tried at most; beyond that they are drawn.
const MOST: usize = 500;

/// Positions of the runs that are called the base, in ascending order; first those that are.
pub(super) fn labelings([base, new]: [usize; 2]) -> Vec<Vec<usize>> {
    let runs = base + new;
    let own: Vec<usize> = (0..base).collect();
    match ways(runs, base) {
        Some(ways) if ways <= 2 * MOST => {
            let mut labelings = vec![own];
            while let Some(next) = labelings.last().and_then(|last| following(last, runs)) {
                // With as many runs on either side, exchanging the sides is the same difference.
                if base == new && next.first() != Some(&0) {
                    break;
                }
                labelings.push(next);
            }
            labelings
        }
        _ => {
            let mut random = Random(runs as u64);
            std::iter::once(own).chain((1..MOST).map(|_| random.choice(runs, base))).collect()
        }
    }
}

/// How many there are, unless that is more than anybody would try.
fn ways(runs: usize, base: usize) -> Option<usize> {
    let mut ways: usize = 1;
    for taken in 0..base {
        ways = ways.checked_mul(runs - taken)? / (taken + 1);
    }
    Some(ways)
}

/// The next choice in lexical order.
fn following(chosen: &[usize], runs: usize) -> Option<Vec<usize>> {
    let can_move = |at: &usize| chosen[*at] < runs - (chosen.len() - at);
    let at = (0..chosen.len()).rev().find(can_move)?;
    let from = chosen[at] + 1;
    let moved = from..from + (chosen.len() - at);
    Some(chosen.iter().take(at).copied().chain(moved).collect())
}

/// SplitMix64: the same choices everywhere and always.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let mixed = u128::from(mixed ^ (mixed >> 31));
        usize::try_from((mixed * limit as u128) >> 64).unwrap_or_default()
    }

    fn choice(&mut self, runs: usize, size: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..runs).collect();
        for at in 0..size {
            let other = at + self.below(runs - at);
            all.swap(at, other);
        }
        all.truncate(size);
        all.sort_unstable();
        all
    }
}
