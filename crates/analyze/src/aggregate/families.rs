//! Which sibling regions form families: those whose names differ only in numbers, at least three of them.
//!
//! Families nest. The regions below the members of a family are siblings of each other, as `layers.0/mlp` and `layers.1/mlp` are, so everything below
//! a family belongs to one. A family is never formed where its name is that of a sibling.

use indexmap::IndexMap;
use rangescope_model::region::RangeKind;

/// Fewer names than this are listed one by one.
const FEWEST: usize = 3;

/// A region as its siblings see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sibling<'n> {
    /// Position of the region around it.
    pub(crate) parent: Option<usize>,
    pub(crate) domain: &'n str,
    pub(crate) kind: RangeKind,
    pub(crate) name: &'n str,
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

/// All families; each comes before those below it. Parents must come before their children.
pub(crate) fn families(regions: &[Sibling<'_>]) -> Vec<Fold> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); regions.len()];
    let mut roots = Vec::new();
    for (position, region) in regions.iter().enumerate() {
        match region.parent.and_then(|parent| children.get_mut(parent)) {
            Some(siblings) => siblings.push(position),
            None => roots.push(position),
        }
    }
    let mut found = Vec::new();
    let mut waiting = sets(regions, roots, &[], false);
    while let Some(Set { fold, is_family }) = waiting.pop() {
        let below = fold.members.iter().filter_map(|member| children.get(*member));
        let mut below: Vec<usize> = below.flatten().copied().collect();
        below.sort_unstable();
        waiting.extend(sets(regions, below, &fold.path, is_family));
        if is_family {
            found.push(fold);
        }
    }
    found.sort_by(|left, right| left.members.cmp(&right.members));
    found
}

/// Siblings put together by name, and by what is left of the name without numbers where there are enough of them.
fn sets(
    regions: &[Sibling<'_>],
    siblings: Vec<usize>,
    around: &[String],
    is_family: bool,
) -> Vec<Set> {
    let mut named: IndexMap<(&str, RangeKind, &str), Vec<usize>> = IndexMap::new();
    for position in siblings {
        if let Some(region) = regions.get(position) {
            let name = (region.domain, region.kind, region.name);
            named.entry(name).or_default().push(position);
        }
    }
    let mut alike: IndexMap<(&str, RangeKind, String), Vec<&str>> = IndexMap::new();
    for &(domain, kind, name) in named.keys() {
        let words = parts(name).map(|(is_number, text)| if is_number { "0" } else { text });
        alike.entry((domain, kind, words.collect())).or_default().push(name);
    }
    let mut sets = Vec::new();
    for ((domain, kind, _), names) in alike {
        let members = |names: &[&str]| {
            let of_names = names.iter().filter_map(|name| named.get(&(domain, kind, *name)));
            let mut members: Vec<usize> = of_names.flatten().copied().collect();
            members.sort_unstable();
            members
        };
        let mut add = |name: &str, names: &[&str], is_family| {
            let path = around.iter().cloned().chain([name.to_owned()]).collect();
            sets.push(Set { fold: Fold { path, members: members(names) }, is_family });
        };
        let common = common_name(&names);
        if names.len() >= FEWEST && !named.contains_key(&(domain, kind, common.as_str())) {
            add(&common, &names, true);
        } else {
            for name in names {
                add(name, &[name], is_family);
            }
        }
    }
    sets
}

/// The name that stands for all of these, which differ only in numbers.
fn common_name(names: &[&str]) -> String {
    let Some((first, others)) = names.split_first() else { return String::new() };
    let mut differs = vec![false; parts(first).count()];
    for other in others {
        for ((differs, own), part) in differs.iter_mut().zip(parts(first)).zip(parts(other)) {
            *differs |= own != part;
        }
    }
    parts(first).zip(differs).map(|((_, text), differs)| if differs { "*" } else { text }).collect()
}

/// Runs of digits and what is between them.
fn parts(name: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let is_number = rest.bytes().next()?.is_ascii_digit();
        let end = rest
            .find(|character: char| character.is_ascii_digit() != is_number)
            .unwrap_or(rest.len());
        let (part, after) = rest.split_at_checked(end)?;
        rest = after;
        Some((is_number, part))
    })
}

#[cfg(test)]
mod tests {
    use super::{Sibling, families};
    use rangescope_model::region::RangeKind;

    /// Families of regions given as paths, parents first: `path: members`.
    fn found(paths: &[&str]) -> Vec<String> {
        let parent = |path: &str| {
            let (around, _) = path.rsplit_once('/')?;
            paths.iter().position(|other| *other == around)
        };
        let regions: Vec<Sibling<'_>> = paths
            .iter()
            .map(|path| Sibling {
                parent: parent(path),
                domain: "",
                kind: RangeKind::PushPop,
                name: path.rsplit('/').next().unwrap_or(path),
            })
            .collect();
        let shown = |fold: super::Fold| format!("{}: {:?}", fold.path.join("/"), fold.members);
        families(&regions).into_iter().map(shown).collect()
    }

    #[test]
    fn three_names_that_differ_in_numbers() {
        assert_eq!(found(&["l.0", "l.1", "l.2", "m"]), ["l.*: [0, 1, 2]"]);
        assert!(found(&["l.0", "l.1", "m.2"]).is_empty());
        assert_eq!(found(&["10", "20", "30"]), ["*: [0, 1, 2]"]);
    }

    #[test]
    fn only_numbers_that_differ_are_left_out() {
        assert_eq!(
            found(&["gpu0 step 1", "gpu0 step 2", "gpu0 step 10"]),
            ["gpu0 step *: [0, 1, 2]"]
        );
    }

    #[test]
    fn what_is_below_a_family_belongs_to_one() {
        let paths = [
            "run",
            "run/l0",
            "run/l0/mlp",
            "run/l0/h0",
            "run/l0/h1",
            "run/l1",
            "run/l1/mlp",
            "run/l1/h0",
            "run/l1/h2",
            "run/l2",
            "run/l2/norm",
        ];
        assert_eq!(
            found(&paths),
            [
                "run/l*: [1, 5, 9]",
                "run/l*/mlp: [2, 6]",
                "run/l*/h*: [3, 4, 7, 8]",
                "run/l*/norm: [10]",
            ]
        );
    }

    #[test]
    fn a_name_that_is_taken_is_not_given_again() {
        assert!(found(&["l.*", "l.0", "l.1", "l.2"]).is_empty());
    }
}
