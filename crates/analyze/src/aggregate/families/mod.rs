//! Which sibling regions form families: at least three whose names repeat and that are alike inside.
//!
//! `spelling` finds numbers and identifiers in names, `counting` decides which of them repeat, `likeness` compares what regions launch and hold.
//! Families nest. The regions below the members of a family are siblings of each other, as `layers.0/mlp` and `layers.1/mlp` are, so everything below
//! a family belongs to one. Two families of one spelling, and one whose name is that of a sibling, have a number behind their names: `layers.*#2`.

mod counting;
mod likeness;
mod spelling;
#[cfg(test)]
mod tests;

use counting::{Evidence, repeating};
use indexmap::IndexMap;
use likeness::{Traits, groups};
use rangescope_model::region::RangeKind;
use rustc_hash::{FxBuildHasher, FxHashSet};
use spelling::Spelled;
use std::hash::Hash;

/// Fewer names than this are listed one by one.
const FEWEST: usize = 3;

/// A region as its siblings see it.
#[derive(Clone, Debug)]
pub(crate) struct Sibling<'n> {
    /// Position of the region around it.
    pub(crate) parent: Option<usize>,
    pub(crate) domain: &'n str,
    pub(crate) kind: RangeKind,
    pub(crate) name: &'n str,
    traits: Traits,
}

impl<'n> Sibling<'n> {
    pub(crate) fn new(
        parent: Option<usize>,
        (domain, kind): (&'n str, RangeKind),
        name: &'n str,
    ) -> Self {
        Self { parent, domain, kind, name, traits: Traits::default() }
    }

    /// Launches of a kernel outside of all regions inside this one, with their shapes.
    pub(crate) fn launches<S: Hash>(
        &mut self,
        kernel: &impl Hash,
        shapes: impl Iterator<Item = S>,
    ) {
        self.traits.add_kernel(kernel, shapes);
    }
}

/// Regions that are shown as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fold {
    /// The names, with `*` in place of the numbers that differ.
    pub(crate) path: Vec<String>,
    /// Positions of the members, ascending.
    pub(crate) members: Vec<usize>,
}

struct Set {
    fold: Fold,
    is_family: bool,
}

/// All regions with what is needed to compare them.
struct Regions<'n> {
    siblings: Vec<Sibling<'n>>,
    spelled: Vec<Spelled<'n>>,
}

/// A name among siblings, with the positions of its regions: below a family, several regions have one name.
struct Named {
    traits: Traits,
    positions: Vec<usize>,
}

impl AsRef<Traits> for &Named {
    fn as_ref(&self) -> &Traits {
        &self.traits
    }
}

/// All families; each comes before those below it. Parents must come before their children.
pub(crate) fn families(siblings: Vec<Sibling<'_>>) -> Vec<Fold> {
    let regions = Regions::new(siblings);
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); regions.siblings.len()];
    let mut roots = Vec::new();
    for (position, region) in regions.siblings.iter().enumerate() {
        match region.parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(position),
            None => roots.push(position),
        }
    }
    let mut found = Vec::new();
    let mut waiting = regions.sets(roots, &[], false);
    while let Some(Set { fold, is_family }) = waiting.pop() {
        let below = fold.members.iter().filter_map(|member| children.get(*member));
        let mut below: Vec<usize> = below.flatten().copied().collect();
        below.sort_unstable();
        waiting.extend(regions.sets(below, &fold.path, is_family));
        if is_family {
            found.push(fold);
        }
    }
    found.sort_by(|left, right| left.members.cmp(&right.members));
    found
}

impl<'n> Regions<'n> {
    fn new(mut siblings: Vec<Sibling<'n>>) -> Self {
        let spelled: Vec<Spelled<'n>> =
            siblings.iter().map(|region| Spelled::new(region.name)).collect();
        for (at, spelled) in spelled.iter().enumerate().rev() {
            let (above, rest) = siblings.split_at_mut(at);
            let Some(region) = rest.first() else { continue };
            if let Some(parent) = region.parent.and_then(|parent| above.get_mut(parent)) {
                parent.traits.add_inside(&spelled.template(), &region.traits);
            }
        }
        Self { siblings, spelled }
    }

    /// Siblings put together by name, and families of names that repeat.
    fn sets(&self, siblings: Vec<usize>, around: &[String], is_family: bool) -> Vec<Set> {
        let mut named: IndexMap<(&str, RangeKind, &str), Named, FxBuildHasher> =
            IndexMap::default();
        for position in siblings {
            let Some(region) = self.siblings.get(position) else { continue };
            let name = (region.domain, region.kind, region.name);
            let known = named
                .entry(name)
                .or_insert_with(|| Named { traits: Traits::default(), positions: Vec::new() });
            known.traits.merge(&region.traits);
            known.positions.push(position);
        }
        let mut taken: FxHashSet<(&str, RangeKind, String)> = FxHashSet::default();
        taken.extend(named.keys().map(|(domain, kind, name)| (*domain, *kind, (*name).to_owned())));
        let set = |name: String, names: &[&Named], is_family| {
            let mut members: Vec<usize> =
                names.iter().flat_map(|named| named.positions.iter().copied()).collect();
            members.sort_unstable();
            let path = around.iter().cloned().chain([name]).collect();
            Set { fold: Fold { path, members }, is_family }
        };
        let mut alike: IndexMap<_, Vec<usize>, FxBuildHasher> = IndexMap::default();
        for (at, ((domain, kind, _), one)) in named.iter().enumerate() {
            let spelled = one.positions.first().and_then(|first| self.spelled.get(*first));
            let template = spelled.map(Spelled::template).unwrap_or_default();
            alike.entry((*domain, *kind, template)).or_default().push(at);
        }
        let mut sets = Vec::new();
        let mut folded: FxHashSet<usize> = FxHashSet::default();
        for ((domain, kind, _), mut names) in alike {
            // What is a family must not depend on which input came first.
            names.sort_by_key(|at| named.get_index(*at).map(|((_, _, name), _)| *name));
            let of = |at: &usize| named.get_index(*at).map(|(_, one)| one);
            let spelled = |one: &Named| self.spelled.get(*one.positions.first()?);
            let all: Vec<&Spelled<'_>> = names.iter().filter_map(of).filter_map(spelled).collect();
            for found in repeating(&all) {
                let names: Vec<usize> =
                    found.names.iter().filter_map(|at| names.get(*at)).copied().collect();
                let of_names: Vec<&Named> = names.iter().filter_map(of).collect();
                for group in groups(&of_names, found.evidence == Evidence::NamesAndShapes) {
                    let members: Vec<&Named> =
                        group.iter().filter_map(|at| of_names.get(*at)).copied().collect();
                    let spelled: Vec<_> = members.iter().filter_map(|one| spelled(one)).collect();
                    let name = free_name(&common_name(&spelled), |name| {
                        taken.insert((domain, kind, name))
                    });
                    sets.push(set(name, &members, true));
                    folded.extend(group.iter().filter_map(|at| names.get(*at)));
                }
            }
        }
        for (at, ((_, _, name), one)) in named.iter().enumerate() {
            if !folded.contains(&at) {
                sets.push(set((*name).to_owned(), &[one], is_family));
            }
        }
        sets
    }
}

/// The name, or with the first number behind it with which `take` accepts it.
fn free_name(name: &str, mut take: impl FnMut(String) -> bool) -> String {
    let with = |number: usize| match number {
        1 => name.to_owned(),
        number => format!("{name}#{number}"),
    };
    (1..usize::MAX).map(with).find(|name| take(name.clone())).unwrap_or_default()
}

/// The name that stands for all of these, which are of one template.
fn common_name(names: &[&Spelled<'_>]) -> String {
    let Some((first, others)) = names.split_first() else { return String::new() };
    let own: Vec<&str> = first.slots().map(|(text, _)| text).collect();
    let mut differs = vec![false; own.len()];
    for other in others {
        for ((differs, own), (text, _)) in differs.iter_mut().zip(&own).zip(other.slots()) {
            *differs |= *own != text;
        }
    }
    first.with_stars(&differs)
}
