//! What each capture looks at: everything in one, or regions divided so that no two of a capture are open together.

use rangescope_model::select::{RegionSelector, SelectorForm};

use super::known::KnownRegions;
use super::nodes::{self, Node};
use super::{PlanError, PlanRequest, colour};
use crate::applied::{AppliedFilters, FilterKind};
use crate::selector::{Compiled, Repeats, SEVERAL_DOMAINS, any_range, compile};

pub(super) struct Group {
    pub(super) regions: Vec<String>,
    pub(super) compiled: Compiled,
    pub(super) filters: AppliedFilters,
}

pub(super) struct Excluded {
    pub(super) expressions: Vec<String>,
    pub(super) filters: AppliedFilters,
}

impl Excluded {
    /// ncu gets only what it can say exactly: excluding more than was asked for would lose results.
    pub(super) fn new(
        request: &PlanRequest<'_>,
        exclude: &[RegionSelector],
    ) -> Result<Self, PlanError> {
        let never = match () {
            () if request.names_are_folded => Some(FOLDED),
            () if request.options.replay_mode.is_range() => Some(IN_RANGES),
            () if request.options.range_filter.is_some() => Some(WITH_RANGE_FILTER),
            () => None,
        };
        let mut compiled = Compiled::default();
        let mut filters = AppliedFilters::default();
        for selector in exclude {
            let mut reason = never;
            if never.is_none() {
                let with_this =
                    Compiled::join([compiled.clone(), compile(selector, repeats(request))?]);
                reason = with_this.reasons.first().copied();
                if reason.is_none() {
                    compiled = with_this;
                }
            }
            filters.add(FilterKind::ExcludedRegion, selector.text(), reason);
        }
        Ok(Self { expressions: compiled.expressions(), filters })
    }
}

const IN_RANGES: &str = "range replay cannot exclude regions";
const WITH_RANGE_FILTER: &str = "ncu cannot exclude regions together with a range filter";
const FOLDED: &str = "names are folded, but ncu sees them as the program gave them";

fn repeats(request: &PlanRequest<'_>) -> Repeats {
    request.known.map_or(Repeats::Possible, KnownRegions::repeats)
}

/// One capture for all selectors.
pub(super) fn single(
    request: &PlanRequest<'_>,
    include: &[RegionSelector],
    notes: &mut Vec<String>,
) -> Result<Group, PlanError> {
    if request.options.replay_mode.is_range() {
        notes.push("no region is selected, so the ranges are those between cudaProfilerStart and cudaProfilerStop".to_owned());
    }
    let compile = |selector: &RegionSelector| {
        if request.names_are_folded {
            return Ok(any_range());
        }
        compile(selector, repeats(request))
    };
    let parts = include.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
    let compiled = Compiled::join(parts.clone());
    let mixes_domains = compiled.reasons.contains(&SEVERAL_DOMAINS);
    let mut filters = AppliedFilters::default();
    for (selector, part) in include.iter().zip(&parts) {
        let has_domain = match selector.form() {
            SelectorForm::Ncu(_) => true,
            SelectorForm::Pattern(form) => form.domain.is_some(),
        };
        let reason = if request.names_are_folded {
            Some(FOLDED)
        } else if mixes_domains && has_domain {
            Some(SEVERAL_DOMAINS)
        } else {
            part.reasons.first().copied()
        };
        filters.add(FilterKind::Region, selector.text(), reason);
    }
    let regions = include.iter().map(|selector| selector.text().to_owned()).collect();
    Ok(Group { regions, compiled, filters })
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
    let members = |colour: usize| -> Vec<&Node> {
        let same = nodes.iter().zip(&colours).filter(|(_, other)| **other == colour);
        same.map(|(node, _)| node).collect()
    };
    Ok((0..count).map(|colour| group_of(&members(colour))).collect())
}

fn group_of(nodes: &[&Node]) -> Group {
    let compiled = Compiled::join(nodes.iter().map(|node| node.compiled.clone()));
    let regions: Vec<String> = nodes.iter().map(|node| node.label.clone()).collect();
    let mut filters = AppliedFilters::default();
    for label in &regions {
        filters.add(FilterKind::Region, label, compiled.reasons.first().copied());
    }
    Group { regions, compiled, filters }
}
