//! Sets of names, and what is expected of each.

use super::{Fold, Sibling, families};
use indexmap::IndexMap;
use rangescope_model::region::RangeKind;

/// Regions by path, each with its kernels.
type Tree = IndexMap<Vec<String>, Vec<String>>;

/// All texts that a pattern with braces stands for.
fn expanded(pattern: &str, kernels: &str) -> Vec<(String, String)> {
    let mut waiting = vec![(pattern.to_owned(), kernels.to_owned(), 0)];
    let mut made = Vec::new();
    while let Some((pattern, kernels, nth)) = waiting.pop() {
        let Some((before, (inside, after))) = pattern
            .split_once('{')
            .and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        else {
            made.push((pattern, kernels));
            continue;
        };
        let values: Vec<String> = match inside.split_once("..") {
            Some((first, last)) => {
                let (last, step) = last.split_once('/').unwrap_or((last, "1"));
                let [first, last, step] = [first, last, step].map(|one| one.parse().unwrap());
                (first..=last)
                    .step_by(usize::try_from(step).unwrap())
                    .map(|one: i64| one.to_string())
                    .collect()
            }
            None => inside.split('|').map(str::to_owned).collect(),
        };
        for value in values.into_iter().rev() {
            let kernels = kernels.replace(&format!("${}", nth + 1), &value);
            waiting.push((format!("{before}{value}{after}"), kernels, nth + 1));
        }
    }
    made
}

fn found(tree: &Tree) -> Vec<String> {
    let mut siblings = Vec::new();
    for (path, kernels) in tree {
        let (name, around) = path.split_last().unwrap();
        let parent = tree.get_index_of(around);
        let mut sibling = Sibling::new(parent, ("", RangeKind::PushPop), name);
        for kernel in kernels {
            let (kernel, shape) = kernel.split_once('@').unwrap_or((kernel, ""));
            sibling.launches(&kernel, [shape].into_iter());
        }
        siblings.push(sibling);
    }
    let shown = |fold: Fold| format!("{} ×{}", fold.path.join(" > "), fold.members.len());
    families(siblings).into_iter().map(shown).collect()
}

#[test]
fn the_sets_of_the_table() {
    let mut sets: Vec<(&str, Tree, Vec<&str>)> = Vec::new();
    for line in include_str!("sets.txt").lines().filter(|line| !line.starts_with('#')) {
        let Some(rest) = line.strip_prefix("  ") else {
            sets.extend((!line.is_empty()).then(|| (line, Tree::new(), Vec::new())));
            continue;
        };
        let (_, tree, expected) = sets.last_mut().unwrap();
        if let Some(family) = rest.strip_prefix("= ") {
            expected.push(family);
            continue;
        }
        let (path, kernels) = rest.rsplit_once(" :").unwrap();
        for (path, kernels) in expanded(path, kernels) {
            let path: Vec<String> = path.split(" > ").map(str::to_owned).collect();
            for end in 1..=path.len() {
                tree.entry(path[..end].to_vec()).or_default();
            }
            let own = tree.get_mut(&path).unwrap();
            own.extend(kernels.split_whitespace().map(str::to_owned));
        }
    }
    assert!(sets.len() >= 60, "{} sets", sets.len());
    let mut wrong = Vec::new();
    for (title, tree, expected) in &sets {
        let found = found(tree);
        if found != *expected {
            wrong.push(format!("{title}: {found:?} in place of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), sets.len(), wrong.join("\n"));
}
