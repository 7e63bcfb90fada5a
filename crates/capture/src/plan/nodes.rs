//! What is to be captured by range replay: one node a region where regions are known, one node a selector where they are not.

use ncu_rep::filter::FilterError;
use rangescope_model::region::display_name;
use rangescope_model::select::{NameForm, PatternForm, RegionSelector, SegmentForm, SelectorForm};

use super::PlanError;
use super::known::{KnownRegions, repeats};
use crate::glob;
use crate::selector::{Compiled, Repeats, compile, compile_region, escaped};

/// More regions than this are not divided: nobody reads so many captures, and a command line has to hold them.
const MOST_NODES: usize = 1_000;

/// One thing to capture.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) label: String,
    pub(super) compiled: Compiled,
    place: Place,
}

/// Decides which nodes may be open together.
#[derive(Debug)]
enum Place {
    /// A known region by index, and the indices of those that may be open with it, in order.
    Known {
        index: usize,
        open_with: Vec<usize>,
    },
    /// By the label alone: its domain, if it has one, and its parts.
    Label {
        domain: Option<String>,
        parts: Vec<String>,
    },
    Anywhere,
}

pub(super) fn may_be_open_together(nodes: &[Node], left: usize, right: usize) -> bool {
    match (nodes.get(left).map(|node| &node.place), nodes.get(right).map(|node| &node.place)) {
        (Some(Place::Known { open_with, .. }), Some(Place::Known { index, .. })) => {
            open_with.binary_search(index).is_ok()
        }
        (
            Some(Place::Label { domain, parts }),
            Some(Place::Label { domain: other_domain, parts: other_parts }),
        ) => {
            let domains_meet = domain.is_none() || other_domain.is_none() || domain == other_domain;
            domains_meet && parts.iter().zip(other_parts).all(|(part, other)| part == other)
        }
        _ => true,
    }
}

pub(super) fn from_known(
    known: &KnownRegions,
    include: &[RegionSelector],
    exclude: &[RegionSelector],
    notes: &mut Vec<String>,
) -> Result<Vec<Node>, PlanError> {
    let mut selected = Vec::new();
    for (index, region) in known.regions().iter().enumerate() {
        let path: Vec<&str> = region.path.iter().map(String::as_str).collect();
        let named = |selectors: &[RegionSelector], path: &[&str]| {
            selectors.iter().any(|selector| selector.names(&region.domain, path))
        };
        let excluded =
            (1..=path.len()).any(|depth| named(exclude, path.get(..depth).unwrap_or_default()));
        if !named(include, &path) || excluded {
            continue;
        }
        let label = display_name(&path);
        if repeats(&region.path) {
            notes.push(format!(
                "`{label}` is left out: it lies in a range of the same name, from which ncu cannot tell it in range replay"
            ));
            continue;
        }
        selected.push((index, region, label));
        if selected.len() > MOST_NODES {
            return Err(PlanError::TooMany { most: MOST_NODES });
        }
    }
    let indices: Vec<usize> = selected.iter().map(|(index, ..)| *index).collect();
    let mut nodes = Vec::new();
    for (index, region, label) in selected {
        let may_be_open = |other: &usize| known.may_be_open_together(index, *other);
        let open_with = indices.iter().copied().filter(may_be_open).collect();
        let compiled = compile_region(&region.domain, &region.path, region.kind, Repeats::Absent);
        nodes.push(Node { label, compiled, place: Place::Known { index, open_with } });
    }
    for selector in
        include.iter().filter(|selector| matches!(selector.form(), SelectorForm::Ncu(_)))
    {
        nodes.push(opaque(selector)?);
    }
    Ok(nodes)
}

/// Whether the last part of a label was pushed as such or with all of its parents is not known, so it is looked for by its display name.
pub(super) fn from_labels(
    labels: &[String],
    include: &[RegionSelector],
    exclude: &[RegionSelector],
    notes: &mut Vec<String>,
) -> Result<Vec<Node>, PlanError> {
    let mut selected: Vec<RegionSelector> = Vec::new();
    for label in labels {
        let parts: Vec<&str> = label.split("::").collect();
        let named = |selectors: &[RegionSelector], path: &[&str]| {
            selectors.iter().any(|selector| selector.names(ncu_rep::DEFAULT_DOMAIN, path))
        };
        let excluded =
            (1..=parts.len()).any(|depth| named(exclude, parts.get(..depth).unwrap_or_default()));
        if named(include, &parts) && !excluded {
            selected.extend(RegionSelector::parse(&[escaped(label)])?);
        }
        if selected.len() > MOST_NODES {
            return Err(PlanError::TooMany { most: MOST_NODES });
        }
    }
    let foreign = include.iter().filter(|selector| matches!(selector.form(), SelectorForm::Ncu(_)));
    let mut nodes = from_selectors(&selected, notes)?;
    for selector in foreign {
        nodes.push(opaque(selector)?);
    }
    Ok(nodes)
}

pub(super) fn from_selectors(
    include: &[RegionSelector],
    notes: &mut Vec<String>,
) -> Result<Vec<Node>, FilterError> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut by_name = 0;
    for selector in include {
        if nodes.iter().any(|node| node.label == selector.text()) {
            continue;
        }
        let place = match selector.form() {
            SelectorForm::Pattern(form) => label(form),
            SelectorForm::Ncu(_) => Place::Anywhere,
        };
        if matches!(place, Place::Label { .. }) {
            by_name += 1;
            let compiled = compile(selector, Repeats::Absent)?;
            nodes.push(Node { label: selector.text().to_owned(), compiled, place });
        } else {
            notes.push(format!(
                "it is not known which ranges `{}` matches: those that are open at the same time become one result of the outermost",
                selector.text()
            ));
            nodes.push(opaque(selector)?);
        }
    }
    if by_name > 1 {
        notes.push(
            "regions are taken to lie in each other only as their names say; give an earlier run to be sure".to_owned(),
        );
    }
    Ok(nodes)
}

fn opaque(selector: &RegionSelector) -> Result<Node, FilterError> {
    let compiled = compile(selector, Repeats::Absent)?;
    Ok(Node { label: selector.text().to_owned(), compiled, place: Place::Anywhere })
}

/// The parts of a label without wildcards: `A::A1` and `A/A1` lie in `A`.
fn label(form: &PatternForm) -> Place {
    let literal = |name: &NameForm| match name {
        NameForm::Wildcard(text) => glob::literal(&glob::parse(text)),
        NameForm::Regex(_) => None,
    };
    let mut parts = Vec::new();
    for segment in &form.segments {
        let SegmentForm::Name(name) = segment else { return Place::Anywhere };
        let Some(text) = literal(name) else { return Place::Anywhere };
        parts.extend(text.split("::").map(str::to_owned));
    }
    match form.domain.as_ref().map(literal) {
        None => Place::Label { domain: None, parts },
        Some(Some(domain)) => Place::Label { domain: Some(domain), parts },
        Some(None) => Place::Anywhere,
    }
}
