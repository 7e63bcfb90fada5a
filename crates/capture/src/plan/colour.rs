//! Dividing things into as few groups as possible in which none excludes another: the colouring of a graph.
//!
//! For trees, taking things in order and putting each into the first group that has room is already the best there is. For other graphs it is the start of a search for something better,
//! which is given up when it takes too long.

use std::collections::BTreeSet;

/// The most steps of a search.
const MOST_STEPS: usize = 200_000;
/// More things than this are taken in order, without a search.
const MOST_SEARCHED: usize = 64;

/// The group of each of `count` things, numbered from 0 without gaps, in order of their first member.
pub(super) fn colours(count: usize, exclude: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let neighbours: Vec<Vec<usize>> = (0..count)
        .map(|one| (0..count).filter(|other| *other != one && exclude(one, *other)).collect())
        .collect();
    let mut best = greedy(&neighbours);
    if count > MOST_SEARCHED {
        return renumbered(&best);
    }
    let mut steps = 0;
    while let fewer @ 1.. = number_of(&best).saturating_sub(1) {
        if fewer < clique(&neighbours) {
            break;
        }
        let mut search =
            Search { neighbours: &neighbours, groups: fewer, colours: vec![None; count], steps };
        let found = search.colour(0);
        steps = search.steps;
        if !found {
            break;
        }
        best = search.colours.into_iter().map(Option::unwrap_or_default).collect();
    }
    renumbered(&best)
}

fn number_of(colours: &[usize]) -> usize {
    colours.iter().max().map_or(0, |highest| highest + 1)
}

/// Puts each thing, one after another, into the first group without anything that excludes it.
fn greedy(neighbours: &[Vec<usize>]) -> Vec<usize> {
    let mut colours: Vec<usize> = Vec::with_capacity(neighbours.len());
    for excluded in neighbours {
        let taken: BTreeSet<usize> =
            excluded.iter().filter_map(|other| colours.get(*other)).copied().collect();
        let free = (0..taken.len()).find(|colour| !taken.contains(colour));
        colours.push(free.unwrap_or(taken.len()));
    }
    colours
}

/// Things that all exclude each other; there are at least as many groups.
fn clique(neighbours: &[Vec<usize>]) -> usize {
    let from = |start: usize| {
        let mut members = vec![start];
        for other in start + 1..neighbours.len() {
            let excludes = |member: &usize| {
                neighbours.get(*member).is_some_and(|excluded| excluded.contains(&other))
            };
            if members.iter().all(excludes) {
                members.push(other);
            }
        }
        members.len()
    };
    (0..neighbours.len()).map(from).max().unwrap_or_default()
}

struct Search<'n> {
    neighbours: &'n [Vec<usize>],
    groups: usize,
    colours: Vec<Option<usize>>,
    steps: usize,
}

impl Search<'_> {
    fn colour(&mut self, one: usize) -> bool {
        let Some(excluded) = self.neighbours.get(one) else { return true };
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return false;
        }
        let used = self.colours.iter().flatten().max().map_or(0, |highest| highest + 1);
        // All empty groups are alike; trying one of them is enough.
        for colour in 0..self.groups.min(used + 1) {
            let is_taken =
                excluded.iter().any(|other| self.colours.get(*other) == Some(&Some(colour)));
            if is_taken {
                continue;
            }
            self.set(one, Some(colour));
            if self.colour(one + 1) {
                return true;
            }
            self.set(one, None);
        }
        false
    }

    fn set(&mut self, one: usize, colour: Option<usize>) {
        if let Some(cell) = self.colours.get_mut(one) {
            *cell = colour;
        }
    }
}

fn renumbered(colours: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    colours
        .iter()
        .map(|colour| {
            order.iter().position(|known| known == colour).unwrap_or_else(|| {
                order.push(*colour);
                order.len() - 1
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{colours, number_of};

    #[test]
    fn a_ring_of_even_length_needs_two_groups() {
        // Taken in this order, one after another would need three.
        let edges = [(0, 3), (3, 1), (1, 4), (4, 2), (2, 5), (5, 0)];
        let exclude = |left: usize, right: usize| {
            edges.contains(&(left, right)) || edges.contains(&(right, left))
        };
        assert_eq!(number_of(&colours(6, &exclude)), 2);
        let crown = |left: usize, right: usize| left % 2 != right % 2 && left / 2 != right / 2;
        assert_eq!(number_of(&colours(8, &crown)), 2);
        assert_eq!(colours(0, &|_, _| true), Vec::<usize>::new());
        assert_eq!(colours(3, &|_, _| true), [0, 1, 2]);
        assert_eq!(colours(3, &|_, _| false), [0, 0, 0]);
    }

    proptest! {
        #[test]
        fn no_group_holds_two_that_exclude_each_other(edges in prop::collection::vec((0..9_usize, 0..9_usize), 0..30)) {
            let exclude = |left: usize, right: usize| edges.contains(&(left, right)) || edges.contains(&(right, left));
            let groups = colours(9, &exclude);
            for left in 0..9 {
                for right in 0..left {
                    prop_assert!(!(exclude(left, right) && groups[left] == groups[right]));
                }
            }
            // No better division exists: all of them are tried.
            let fewest = (1..=9_usize).find(|count| possible(&edges, *count)).unwrap();
            prop_assert_eq!(number_of(&groups), fewest);
        }
    }

    fn possible(edges: &[(usize, usize)], count: usize) -> bool {
        fn place(edges: &[(usize, usize)], count: usize, groups: &mut Vec<usize>) -> bool {
            let one = groups.len();
            one == 9
                || (0..count).any(|group| {
                    let fits = edges.iter().all(|&(left, right)| {
                        let other = if left == one {
                            right
                        } else if right == one {
                            left
                        } else {
                            return true;
                        };
                        other == one || groups.get(other) != Some(&group)
                    });
                    fits && {
                        groups.push(group);
                        let placed = place(edges, count, groups);
                        groups.pop();
                        placed
                    }
                })
        }
        place(edges, count, &mut Vec::new())
    }
}
