//! Selectors in ncu's own filter language, for an analysis that does not know the language.

use ncu_rep::filter::Expression;
use rangescope_model::launch::OpenRanges;
use rangescope_model::select::RegionPredicate;

/// Compiles an expression to a predicate on open ranges.
pub(crate) fn ncu_predicate(expression: &str) -> Result<Box<dyn RegionPredicate>, String> {
    let expression = Expression::parse(expression).map_err(|error| error.to_string())?;
    Ok(Box::new(move |domains: &[OpenRanges<'_>]| {
        domains.iter().any(|open| {
            let start_end = open.start_end.iter().map(|(_, name)| *name);
            expression.matches_open(open.domain, open.push_pop.iter().copied(), start_end)
        })
    }))
}
