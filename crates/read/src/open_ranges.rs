//! The ranges that were open when a result was launched.

use ncu_rep::{NvtxDomain, NvtxState};
use rangescope_model::launch::OpenRanges;

/// The open ranges of each domain that has any.
pub fn open_ranges<'a>(state: Option<&'a NvtxState<'a>>) -> Vec<OpenRanges<'a>> {
    let Some(state) = state else { return Vec::new() };
    let is_open = |(domain, _): &(&NvtxDomain<'_>, u32)| {
        !domain.push_pop.is_empty() || !domain.start_end.is_empty()
    };
    let ranges = |(domain, nth): (&'a NvtxDomain<'a>, u32)| OpenRanges {
        domain: &domain.name,
        nth,
        push_pop: domain.push_pop.iter().map(|range| &*range.name).collect(),
        start_end: domain
            .start_end
            .iter()
            .map(|range| (range.id.unwrap_or(0), &*range.name))
            .collect(),
    };
    state.domains.iter().zip(state.nth_of_name()).filter(is_open).map(ranges).collect()
}
