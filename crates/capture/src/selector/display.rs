//! Which paths have a display name that matches.
//!
//! The display name of a region is that of its parent, `::` and its own name, unless its own name already begins so. A pattern for display names is cut at every place
//! where `::` may be, into a pattern for the parent and one for the own name. What the plain pattern for own names selects anyway is left out.

use regex_syntax::hir::{Hir, HirKind};

use super::automaton;
use super::chain::Reason;
use super::name::Name;
use super::paths::{Path, Step};
use crate::glob::{self, GlobPart};

/// More paths than this are not worth it.
const MOST_PATHS: usize = 24;
/// Nor is it worth it to look for them in a pattern that can be cut in more ways: nearly each of them is a path.
const MOST_WAYS: usize = 4 * MOST_PATHS;
/// Display names are cut into at most this many names.
const DEEPEST: usize = 8;

/// Paths beyond those that the pattern names by their own name.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) paths: Vec<Path>,
    /// Why they include more than the regions with such a display name.
    pub(super) reason: Option<Reason>,
}

/// The paths of regions whose display name matches, although neither their own name nor a region above does.
pub(super) fn by_display_name(name: &Name) -> Found {
    let Some(parts) = name.parts() else {
        let Name::Regex(expression) = name else { return Found::default() };
        return if automaton::display_adds_nothing(expression) {
            Found::default()
        } else {
            roots_with_prefix(&regex_prefix(expression))
        };
    };
    let mut search = Search { exact: true, gave_up: false };
    let mut paths = Vec::new();
    let ways = glob::splits(&parts);
    if ways.len() > MOST_WAYS {
        return roots_with_prefix(&literal_prefix(&parts));
    }
    for (parent, own) in ways {
        // A region above matches already, or the own name does.
        if parent == parts || own == parts {
            continue;
        }
        paths.extend(search.below(parent, own, DEEPEST));
        if search.gave_up || paths.len() > MOST_PATHS {
            break;
        }
    }
    if search.gave_up || paths.len() > MOST_PATHS {
        return roots_with_prefix(&literal_prefix(&parts));
    }
    Found { paths, reason: (!search.exact).then_some(Reason::DisplayName) }
}

struct Search {
    exact: bool,
    gave_up: bool,
}

impl Search {
    /// Regions whose own name matches `own` below a region whose display name matches `parent`.
    fn below(&mut self, parent: &[GlobPart], own: &[GlobPart], depth: usize) -> Vec<Path> {
        let mut repeated = parent.to_vec();
        repeated.extend([GlobPart::Literal(':'), GlobPart::Literal(':'), GlobPart::AnyRun]);
        // An own name that begins with the parent's display name stands alone in its own.
        if glob::overlap(&repeated, own) {
            if glob::literal(parent).is_some() && glob::literal(own).is_some() {
                return Vec::new();
            }
            self.exact &= own == [GlobPart::AnyRun];
        }
        self.with_display(parent, depth).into_iter().map(|path| then(path, own)).collect()
    }

    /// All regions whose display name matches.
    fn with_display(&mut self, parts: &[GlobPart], depth: usize) -> Vec<Path> {
        if depth == 0 {
            self.gave_up = true;
            return Vec::new();
        }
        let mut paths = vec![vec![Step::Name(Name::from_parts(parts.to_vec()))]];
        let mut and_below = false;
        for (parent, own) in glob::splits(parts) {
            if parent == parts {
                // The pattern ends in a run: what is below a match matches too.
                and_below = true;
            } else if own == parts {
                // It begins with one: the parent may be anything.
                paths.push(vec![Step::AnyDepth, Step::Name(Name::from_parts(parts.to_vec()))]);
            } else {
                paths.extend(self.below(parent, own, depth - 1));
                // The own name may repeat the parent's display name.
                self.exact &= glob::literal(parts).is_some();
                let parents = self.with_display(parent, depth - 1);
                paths.extend(parents.into_iter().map(|path| then(path, parts)));
            }
            if self.gave_up || paths.len() > MOST_PATHS {
                self.gave_up = true;
                return Vec::new();
            }
        }
        if and_below {
            for path in &mut paths {
                path.push(Step::AnyDepth);
            }
        }
        paths
    }
}

fn then(mut path: Path, own: &[GlobPart]) -> Path {
    path.push(Step::Name(Name::from_parts(own.to_vec())));
    path
}

/// A display name begins with the name of its root: all roots that leave it a chance to begin with `prefix`.
fn roots_with_prefix(prefix: &str) -> Found {
    // A shorter beginning leaves more roots a chance, and has fewer places to cut it.
    let end = prefix.match_indices(':').nth(2 * MOST_PATHS).map(|(position, _)| position);
    let prefix = end.and_then(|end| prefix.get(..end)).unwrap_or(prefix);
    let mut parts: Vec<GlobPart> = prefix.chars().map(GlobPart::Literal).collect();
    parts.push(GlobPart::AnyRun);
    let mut paths = vec![vec![Step::Name(Name::from_parts(parts))]];
    for (position, _) in prefix.match_indices(':') {
        let (root, rest) = prefix.split_at_checked(position).unwrap_or_default();
        if rest.starts_with("::") || rest == ":" {
            paths.push(vec![Step::Name(Name::Literal(root.to_owned()))]);
        }
    }
    if prefix.is_empty() {
        paths = vec![vec![Step::AnyDepth]];
    }
    Found { paths, reason: Some(Reason::DisplayName) }
}

fn literal_prefix(parts: &[GlobPart]) -> String {
    parts
        .iter()
        .map_while(|part| match part {
            GlobPart::Literal(character) => Some(*character),
            GlobPart::AnyCharacter | GlobPart::AnyRun => None,
        })
        .collect()
}

/// The beginning that all texts matching a regular expression share, as far as it is easily seen.
fn regex_prefix(expression: &str) -> String {
    fn prefix(hir: &Hir) -> Option<String> {
        match hir.kind() {
            HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
            HirKind::Capture(capture) => prefix(&capture.sub),
            HirKind::Concat(parts) => prefix(parts.first()?),
            _ => None,
        }
    }
    regex_syntax::parse(expression).ok().and_then(|hir| prefix(&hir)).unwrap_or_default()
}
