//! What each capture looks at: everything in one, or regions divided so that no two of a capture are open together.

use rangescope_model::select::{RegionSelector, SelectorForm};

use super::known::KnownRegions;
use super::nodes::{self, Node};
use super::{PlanError, PlanRequest, colour};
use crate::applied::{AppliedFilter, FilterKind};
use crate::selector::{Compiled, Repeats, SEVERAL_DOMAINS, any_range, compile};

pub(super) struct Group {
    pub(super) regions: Vec<String>,
    pub(super) compiled: Compiled,
    pub(super) applied_at_capture: Vec<AppliedFilter>,
    pub(super) applied_after: Vec<AppliedFilter>,
}

pub(super) struct Excluded {
    pub(super) expressions: Vec<String>,
    pub(super) at_capture: Vec<AppliedFilter>,
    pub(super) after: Vec<AppliedFilter>,
}

impl Excluded {
    /// ncu gets only what it can say exactly: excluding more than was asked for would lose results.
    pub(super) fn new(
        request: &PlanRequest<'_>,
        exclude: &[RegionSelector],
    ) -> Result<Self, PlanError> {
        let kind = FilterKind::ExcludedRegion;
        let mut compiled = Compiled::default();
        let (mut at_capture, mut after) = (Vec::new(), Vec::new());
        for selector in exclude {
            let never = match () {
                () if request.names_are_folded => Some(FOLDED),
                () if request.options.replay_mode.is_range() => Some(IN_RANGES),
                () if request.options.range_filter.is_some() => Some(WITH_RANGE_FILTER),
                () => None,
            };
            if let Some(reason) = never {
                after.push(AppliedFilter::after(kind, selector.text(), reason));
                continue;
            }
            let with_this =
                Compiled::join([compiled.clone(), compile(selector, repeats(request))?]);
            if let Some(reason) = with_this.reasons.first() {
                after.push(AppliedFilter::after(kind, selector.text(), reason));
            } else {
                at_capture.push(AppliedFilter::at_capture(kind, selector.text()));
                compiled = with_this;
            }
        }
        Ok(Self { expressions: compiled.expressions(), at_capture, after })
    }
}

const IN_RANGES: &str = "range replay takes no regions to leave out";
const WITH_RANGE_FILTER: &str = "ncu takes no regions to leave out together with a range filter";
const FOLDED: &str = "names are folded, and ncu sees them as the program gave them";

fn repeats(request: &PlanRequest<'_>) -> Repeats {
    request.known.map_or(Repeats::Possible, KnownRegions::repeats)
}

pub(super) fn one(
    request: &PlanRequest<'_>,
    include: &[RegionSelector],
    notes: &mut Vec<String>,
) -> Result<Group, PlanError> {
    let mut group = Group {
        regions: include.iter().map(|selector| selector.text().to_owned()).collect(),
        compiled: Compiled::default(),
        applied_at_capture: Vec::new(),
        applied_after: Vec::new(),
    };
    if request.options.replay_mode.is_range() {
        notes.push("no region is selected, so the ranges are those between cudaProfilerStart and cudaProfilerStop".to_owned());
    }
    let mut parts = Vec::new();
    for selector in include {
        parts.push(if request.names_are_folded {
            any_range()
        } else {
            compile(selector, repeats(request))?
        });
    }
    group.compiled = Compiled::join(parts.clone());
    let mixes_domains = group.compiled.reasons.contains(&SEVERAL_DOMAINS);
    for (selector, compiled) in include.iter().zip(&parts) {
        let has_domain = match selector.form() {
            SelectorForm::Ncu(_) => true,
            SelectorForm::Pattern(form) => form.domain.is_some(),
        };
        let reason = if request.names_are_folded {
            Some(FOLDED)
        } else if mixes_domains && has_domain {
            Some(SEVERAL_DOMAINS)
        } else {
            compiled.reasons.first().copied()
        };
        let (kind, text) = (FilterKind::Region, selector.text());
        if let Some(reason) = reason {
            group.applied_after.push(AppliedFilter::after(kind, text, reason));
        } else {
            group.applied_at_capture.push(AppliedFilter::at_capture(kind, text));
        }
    }
    Ok(group)
}

/// As few captures as can be found in which no two regions are open together.
pub(super) fn by_range(
    request: &PlanRequest<'_>,
    include: &[RegionSelector],
    exclude: &[RegionSelector],
    notes: &mut Vec<String>,
) -> Result<Vec<Group>, PlanError> {
    let nodes = match request.known.filter(|_| !request.names_are_folded) {
        Some(known) => nodes::from_known(known, include, exclude, notes)?,
        None if !request.labels.is_empty() => {
            nodes::from_labels(request.labels, include, exclude, notes)?
        }
        None => nodes::from_selectors(include, notes)?,
    };
    if nodes.is_empty() {
        return Err(PlanError::NothingSelected);
    }
    let colours = colour::colours(nodes.len(), &|left, right| {
        nodes::may_be_open_together(&nodes, left, right)
    });
    let count = colours.iter().max().map_or(0, |highest| highest + 1);
    let members = |colour: usize| {
        nodes
            .iter()
            .zip(&colours)
            .filter(move |(_, other)| **other == colour)
            .map(|(node, _)| node)
            .collect()
    };
    Ok((0..count).map(|colour| group_of(members(colour))).collect())
}

fn group_of(nodes: Vec<&Node>) -> Group {
    let compiled = Compiled::join(nodes.iter().map(|node| node.compiled.clone()));
    let mut group = Group {
        regions: nodes.iter().map(|node| node.label.clone()).collect(),
        applied_at_capture: Vec::new(),
        applied_after: Vec::new(),
        compiled,
    };
    for node in nodes {
        let kind = FilterKind::Region;
        if let Some(reason) = group.compiled.reasons.first() {
            group.applied_after.push(AppliedFilter::after(kind, &node.label, reason));
        } else {
            group.applied_at_capture.push(AppliedFilter::at_capture(kind, &node.label));
        }
    }
    group
}
