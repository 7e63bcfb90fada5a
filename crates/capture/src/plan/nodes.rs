//! What is to be captured by range replay: one node per region where regions are known, one per selector where they are not.

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
    source: Source,
}

/// What a node was made of decides which others may be open with it.
#[derive(Debug)]
enum Source {
    /// A known region by index, and the indices of those that may be open with it, in order.
    Region {
        index: usize,
        open_with: Vec<usize>,
    },
    /// By the label alone: its domain, if it has one, and its parts.
    Label {
        domain: Option<String>,
        parts: Vec<String>,
    },
    Unknown,
}

pub(super) fn may_be_open_together(nodes: &[Node], left: usize, right: usize) -> bool {
    match (nodes.get(left).map(|node| &node.source), nodes.get(right).map(|node| &node.source)) {
        (Some(Source::Region { open_with, .. }), Some(Source::Region { index, .. })) => {
            open_with.binary_search(index).is_ok()
        }
        (
            Some(Source::Label { domain, parts }),
            Some(Source::Label { domain: other_domain, parts: other_parts }),
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
        if !is_selected(&region.domain, &path, include, exclude) {
            continue;
        }
        let label = display_name(&path);
        if repeats(&region.path) {
            notes.push(format!(
                "`{label}` is left out: it lies in a range of the same name, and ncu cannot tell the two apart in range replay"
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
        nodes.push(Node { label, compiled, source: Source::Region { index, open_with } });
    }
    nodes.extend(expressions(include)?);
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
        if is_selected(ncu_rep::DEFAULT_DOMAIN, &parts, include, exclude) {
            selected.extend(RegionSelector::parse(&[escaped(label)])?);
        }
        if selected.len() > MOST_NODES {
            return Err(PlanError::TooMany { most: MOST_NODES });
        }
    }
    let mut nodes = from_selectors(&selected, notes)?;
    nodes.extend(expressions(include)?);
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
        let source = match selector.form() {
            SelectorForm::Pattern(form) => label(form),
            SelectorForm::Ncu(_) => Source::Unknown,
        };
        if matches!(source, Source::Label { .. }) {
            by_name += 1;
            let compiled = compile(selector, Repeats::Absent)?;
            nodes.push(Node { label: selector.text().to_owned(), compiled, source });
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
            "regions are assumed to nest only as their names say; give an earlier run to be sure"
                .to_owned(),
        );
    }
    Ok(nodes)
}

/// A selector excludes whatever lies in the regions that it names.
fn is_selected(
    domain: &str,
    path: &[&str],
    include: &[RegionSelector],
    exclude: &[RegionSelector],
) -> bool {
    let named = |selectors: &[RegionSelector], path: &[&str]| {
        selectors.iter().any(|selector| selector.names(domain, path))
    };
    let mut above = (1..=path.len()).filter_map(|depth| path.get(..depth));
    named(include, path) && !above.any(|path| named(exclude, path))
}

fn expressions(include: &[RegionSelector]) -> Result<Vec<Node>, FilterError> {
    let is_expression =
        |selector: &&RegionSelector| matches!(selector.form(), SelectorForm::Ncu(_));
    include.iter().filter(is_expression).map(opaque).collect()
}

fn opaque(selector: &RegionSelector) -> Result<Node, FilterError> {
    let compiled = compile(selector, Repeats::Absent)?;
    Ok(Node { label: selector.text().to_owned(), compiled, source: Source::Unknown })
}

/// The parts of a label without wildcards: `A::A1` and `A/A1` lie in `A`.
fn label(form: &PatternForm) -> Source {
    let literal = |name: &NameForm| match name {
        NameForm::Wildcard(text) => glob::literal(&glob::parse(text)),
        NameForm::Regex(_) => None,
    };
    let mut parts = Vec::new();
    for segment in &form.segments {
        let SegmentForm::Name(name) = segment else { return Source::Unknown };
        let Some(text) = literal(name) else { return Source::Unknown };
        parts.extend(text.split("::").map(str::to_owned));
    }
    match form.domain.as_ref().map(literal) {
        None => Source::Label { domain: None, parts },
        Some(Some(domain)) => Source::Label { domain: Some(domain), parts },
        Some(None) => Source::Unknown,
    }
}
