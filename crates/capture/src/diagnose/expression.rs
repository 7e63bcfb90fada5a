//! Expressions in ncu's own language, and what that language makes easy to get wrong: the kind of range, the domain, and `*`.

use std::collections::BTreeSet;

use ncu_rep::filter::Expression;
use rangescope_model::region::{RangeKind, RegionKey};

use super::selectors::{FailedRule, Named, parsed};
use rangescope_model::observed::ObservedRange;

/// More domains than this are not tried.
const MOST_DOMAINS: usize = 64;

/// Why an expression that matched nothing fails: the rule, an explanation, and the selector to write instead.
pub(super) fn wrong_expression(
    expression: &str,
    ranges: &[ObservedRange],
) -> Option<(FailedRule, String, String)> {
    let matching = |text: &str, domain: Option<&str>| {
        let expression = Expression::parse(text).ok()?;
        let mut asked =
            ranges.iter().filter(|range| domain.is_none_or(|own| own == range.key.domain));
        asked.find(|range| selects(&expression, range))
    };
    let other_kind = match expression.strip_suffix('/') {
        Some(name) => name.to_owned(),
        None => format!("{expression}/"),
    };
    if let Some(range) = matching(&other_kind, None) {
        return Some((FailedRule::Kind, kind_explained(range), format!("ncu:{other_kind}")));
    }
    // An expression without a domain may mean another domain, and the other kind as well.
    let domains: BTreeSet<&str> = ranges.iter().map(|range| range.key.domain.as_str()).collect();
    for domain in domains.into_iter().take(MOST_DOMAINS) {
        for (text, is_other_kind) in [(expression, false), (other_kind.as_str(), true)] {
            let Some(with_domain) = in_domain(text, domain) else { continue };
            let Some(range) = matching(&with_domain, Some(domain)) else { continue };
            let explanation = format!(
                "{range} is in a domain, and without one ncu looks at the default domain only"
            );
            return Some(if is_other_kind {
                let both = format!("{}; and it is in a domain", kind_explained(range));
                (FailedRule::Kind, both, format!("ncu:{with_domain}"))
            } else {
                (FailedRule::Domain, explanation, format!("ncu:{with_domain}"))
            });
        }
    }
    if has_wildcard(expression) {
        let pattern = expression.trim_end_matches('/').to_owned();
        let selector = parsed(&pattern)?;
        let named = Named::new(&selector);
        let range = ranges.iter().find(|range| named.has(range))?;
        let explanation = format!(
            "in ncu's language `*` is a number of ranges and not a part of a name; rangescope's own `{pattern}` matches {range}"
        );
        return Some((FailedRule::Wildcard, explanation, pattern));
    }
    None
}

fn kind_explained(range: &ObservedRange) -> String {
    format!(
        "{range} is a {} range; in ncu's language `name/` is push/pop and `name` start/end",
        range.key.kind.words()
    )
}

/// `None` if the expression names a domain itself.
fn in_domain(expression: &str, domain: &str) -> Option<String> {
    let (prefix, body) =
        expression.strip_prefix("regex:").map_or(("", expression), |body| ("regex:", body));
    split_domain(body).is_none().then(|| format!("{prefix}{domain}@{body}"))
}

/// A `*` as in a file name.
pub(super) fn has_wildcard(expression: &str) -> bool {
    !expression.starts_with("regex:")
        && expression.split('/').any(|part| part.contains('*') && part != "*")
}

/// Whether ncu's expression matches a launch in this range and in no other.
pub(super) fn selects(expression: &Expression, range: &ObservedRange) -> bool {
    let RegionKey { domain, kind, path } = &range.key;
    let names = || path.iter().map(String::as_str);
    match kind {
        RangeKind::PushPop => expression.matches_open(domain, names(), std::iter::empty()),
        RangeKind::StartEnd => expression.matches_open(domain, std::iter::empty(), names()),
    }
}

pub(super) fn split_domain(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if character == '@' && !escaped {
            return text
                .split_at_checked(at)
                .map(|(domain, rest)| (domain, rest.trim_start_matches('@')));
        }
        escaped = character == '\\' && !escaped;
    }
    None
}
