//! Selectors in ncu's own filter language, for an analysis that does not know the language.

use std::borrow::Cow;

use ncu_rep::filter::Expression;
use ncu_rep::{NvtxDomain, NvtxRange, NvtxState};
use rangescope_model::launch::OpenRanges;
use rangescope_model::select::RegionPredicate;

/// Compiles an expression to a predicate on open ranges.
pub(crate) fn ncu_predicate(expression: &str) -> Result<Box<dyn RegionPredicate>, String> {
    let expression = Expression::parse(expression).map_err(|error| error.to_string())?;
    Ok(Box::new(move |domains: &[OpenRanges<'_>]| expression.matches(&state(domains))))
}

fn state<'a>(domains: &'a [OpenRanges<'a>]) -> NvtxState<'a> {
    let range = |id: Option<u64>, name: &'a str| NvtxRange {
        name: Cow::Borrowed(name),
        id,
        ..NvtxRange::default()
    };
    let domain = |open: &'a OpenRanges<'a>| NvtxDomain {
        name: Cow::Borrowed(open.domain),
        push_pop: open.push_pop.iter().map(|name| range(None, name)).collect(),
        start_end: open.start_end.iter().map(|(id, name)| range(Some(*id), name)).collect(),
    };
    NvtxState { domains: domains.iter().map(domain).collect(), ..NvtxState::default() }
}
