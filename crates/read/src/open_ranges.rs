//! The ranges that were open when a result was launched.

use ncu_rep::{NvtxDomain, NvtxState};
use rangescope_model::launch::OpenRanges;

/// The open ranges of each domain that has any.
pub fn open_ranges<'a>(state: Option<&'a NvtxState<'a>>) -> Vec<OpenRanges<'a>> {
    let domains = state.map_or(&[][..], |state| &state.domains);
    let is_open =
        |domain: &&NvtxDomain<'_>| !domain.push_pop.is_empty() || !domain.start_end.is_empty();
    let ranges = |domain: &'a NvtxDomain<'a>| OpenRanges {
        domain: &domain.name,
        push_pop: domain.push_pop.iter().map(|range| &*range.name).collect(),
        start_end: domain
            .start_end
            .iter()
            .map(|range| (range.id.unwrap_or(0), &*range.name))
            .collect(),
    };
    domains.iter().filter(is_open).map(ranges).collect()
}
