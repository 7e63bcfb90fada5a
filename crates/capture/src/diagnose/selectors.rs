//! What is wrong with each selector, by the ranges that the program opened.

use ncu_rep::filter::Expression;
use rangescope_config::settings::TargetProcesses;
use rangescope_model::nearest::ranked;
use rangescope_model::region::{RangeKind, RegionKey};
use rangescope_model::select::{RegionSelector, SelectorForm};
use serde::{Deserialize, Serialize};

use super::Facts;
use super::expression::{has_wildcard, selects, split_domain, wrong_expression};
use crate::selector::escaped;
use crate::shell::quoted;
use rangescope_model::observed::ObservedRange;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FailedRule {
    /// It matches a range, and nothing speaks against it.
    Matches,
    /// It matches a range in which kernels were launched, and none of them passed the kernel filter.
    KernelFilter,
    /// It matches a range, but the kernels were launched by other threads.
    OtherThread,
    /// It matches a range, but in a process that was not profiled or launched nothing.
    ChildProcess,
    /// It matches a range, but nothing was launched while it was open.
    NoLaunch,
    /// It asks for push/pop ranges and the range is a start/end range, or the other way round.
    Kind,
    Case,
    Domain,
    /// A wildcard was written in ncu's language, in which `*` is something else.
    Wildcard,
    NotOpened,
    NoNvtx,
    /// No process used CUDA, so that no range could hold a kernel.
    NoCuda,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectorFinding {
    pub selector: String,
    pub rule: FailedRule,
    pub explanation: String,
    /// To write instead, or in addition.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub corrected: Option<String>,
}

const SUGGESTIONS: usize = 5;
/// A program may have opened any number of ranges.
const LOOKED_AT: usize = 10_000;
pub(super) const ALL_PROCESSES: &str = "pipeline.ncu.ncu_cli.target_processes=all";

/// A finding without its selector.
type Verdict = (FailedRule, String, Option<String>);

pub(super) fn findings(facts: &Facts<'_>) -> Vec<SelectorFinding> {
    let judge = |selector: &RegionSelector| match facts.ranges {
        Some(ranges) => known(selector, ranges, facts),
        None => unknown(selector, facts),
    };
    with_verdict(facts, judge)
}

/// The same finding for each selector, because none of them is to blame.
pub(super) fn same_for_all(
    facts: &Facts<'_>,
    rule: FailedRule,
    explanation: &str,
    corrected: Option<&str>,
) -> Vec<SelectorFinding> {
    with_verdict(facts, |_| (rule, explanation.to_owned(), corrected.map(str::to_owned)))
}

fn with_verdict(
    facts: &Facts<'_>,
    judge: impl Fn(&RegionSelector) -> Verdict,
) -> Vec<SelectorFinding> {
    let find = |selector: &RegionSelector| {
        let (rule, explanation, corrected) = judge(selector);
        SelectorFinding { selector: selector.text().to_owned(), rule, explanation, corrected }
    };
    facts.selectors.iter().map(find).collect()
}

/// The option that asks for this region.
pub(super) fn region_option(selector: &str) -> String {
    format!("--region {}", quoted(selector.as_ref()))
}

fn known(selector: &RegionSelector, ranges: &[ObservedRange], facts: &Facts<'_>) -> Verdict {
    let named = Named::new(selector);
    let matching: Vec<&ObservedRange> = ranges.iter().filter(|range| named.has(range)).collect();
    if let Some(range) = matching.first() {
        return matched(range, &matching, ranges, facts);
    }
    if let SelectorForm::Ncu(expression) = selector.form()
        && let Some((rule, explanation, corrected)) = wrong_expression(expression, ranges)
    {
        return (rule, explanation, Some(region_option(&corrected)));
    }
    if let Some((_, path)) = split_domain(selector.text())
        && let Some(anywhere) = parsed(path)
        && let Some(range) = ranges.iter().find(|range| Named::new(&anywhere).has(range))
    {
        let corrected = format!("{}@{path}", escaped(&range.key.domain));
        let explanation = format!("{range} is in another domain");
        return (FailedRule::Domain, explanation, Some(region_option(&corrected)));
    }
    if let Some(range) = in_any_case(selector, ranges) {
        let has_wildcard = selector.text().contains(['*', '?']);
        let corrected = (!has_wildcard).then(|| region_option(&escaped(&range.name)));
        let explanation = format!("{range} is written differently; case matters");
        return (FailedRule::Case, explanation, corrected);
    }
    let near = nearest(selector.text(), ranges);
    let explanation = match near.as_slice() {
        [] => "no such range was opened".to_owned(),
        near => format!("no such range was opened; the nearest are {}", near.join(", ")),
    };
    (FailedRule::NotOpened, explanation, None)
}

/// The names most like the last one of the selector.
fn nearest(selector: &str, ranges: &[ObservedRange]) -> Vec<String> {
    let wanted = selector.rsplit(['/', '@', ':']).next().unwrap_or(selector).trim_matches('*');
    let names = ranges.iter().take(LOOKED_AT).map(|range| range.name.as_str());
    let ranked = ranked(wanted, names).into_iter().take(SUGGESTIONS);
    ranked.map(|(_, name)| format!("`{name}`")).collect()
}

/// Why nothing was profiled although a range matches.
fn matched(
    range: &ObservedRange,
    matching: &[&ObservedRange],
    ranges: &[ObservedRange],
    facts: &Facts<'_>,
) -> Verdict {
    let shown = range.to_string();
    let in_child = |range: &&ObservedRange| match (range.process, facts.main_process) {
        (Some(process), Some(main)) => process != main,
        _ => false,
    };
    if facts.target_processes == TargetProcesses::ApplicationOnly && matching.iter().all(in_child) {
        let explanation = format!(
            "{shown} is in a process that the program starts, and only the program itself was profiled"
        );
        return (FailedRule::ChildProcess, explanation, Some(ALL_PROCESSES.to_owned()));
    }
    if matching.iter().any(|range| range.launches != Some(0)) {
        return if facts.kernel_filters.is_empty() {
            (FailedRule::Matches, format!("it matches {shown}"), None)
        } else {
            let explanation =
                format!("it matches {shown}, but no kernel in it passed the kernel filter");
            (FailedRule::KernelFilter, explanation, None)
        };
    }
    let own: Vec<Option<u32>> = matching.iter().map(|range| range.process).collect();
    let launching = |range: &&ObservedRange| range.launches.is_some_and(|launches| launches > 0);
    let mut elsewhere = ranges.iter().filter(launching).peekable();
    if elsewhere.peek().is_some() && elsewhere.all(|range| !own.contains(&range.process)) {
        let explanation = format!(
            "{shown} was open, but the kernels were launched by another process: a range counts only in the process that opened it"
        );
        return (FailedRule::ChildProcess, explanation, None);
    }
    if range.key.kind == RangeKind::StartEnd {
        let explanation = format!("{shown} was open, but nothing was launched meanwhile");
        return (FailedRule::NoLaunch, explanation, None);
    }
    let thread = range.thread.map(|thread| format!(" {thread}")).unwrap_or_default();
    // ncu can let kernels of other threads through, but a report does not say whose range they belong to: they would be in no region.
    let explanation = format!(
        "{shown} was open, but no kernel was launched in it by its thread{thread}: a push/pop range counts only for the thread that opened it (autograd and data loaders have their own); use a start/end range, which counts for all threads"
    );
    (FailedRule::OtherThread, explanation, None)
}

/// Where the ranges are not known, ncu itself sometimes gives a hint.
fn unknown(selector: &RegionSelector, facts: &Facts<'_>) -> Verdict {
    let hint = |kind: &str| facts.log.contains(&format!("expressions match only {kind} ranges"));
    let (rule, explanation, corrected) = match selector.form() {
        SelectorForm::Ncu(expression) if hint("start/end") => (
            FailedRule::Kind,
            "it matches only start/end ranges, and most programs open push/pop ranges",
            Some(format!("ncu:{expression}/")),
        ),
        SelectorForm::Ncu(expression) if hint("push/pop") => (
            FailedRule::Kind,
            "it matches only push/pop ranges, and the program may open start/end ranges",
            Some(format!("ncu:{}", expression.trim_end_matches('/'))),
        ),
        SelectorForm::Ncu(expression) if has_wildcard(expression) => (
            FailedRule::Wildcard,
            "in ncu's language `*` is a number of ranges and not a part of a name",
            Some(expression.trim_end_matches('/').to_owned()),
        ),
        _ => (FailedRule::Unknown, "it is not known which ranges the program opened", None),
    };
    (rule, explanation.to_owned(), corrected.map(|text| region_option(&text)))
}

/// A selector, read once and then tried on many ranges.
pub(super) enum Named<'s> {
    Pattern(&'s RegionSelector),
    Expression(Option<Expression>),
}

impl<'s> Named<'s> {
    pub(super) fn new(selector: &'s RegionSelector) -> Self {
        match selector.form() {
            SelectorForm::Ncu(expression) => Self::Expression(Expression::parse(expression).ok()),
            SelectorForm::Pattern(_) => Self::Pattern(selector),
        }
    }

    pub(super) fn has(&self, range: &ObservedRange) -> bool {
        match self {
            Self::Pattern(selector) => {
                let path: Vec<&str> = range.key.path.iter().map(String::as_str).collect();
                selector.names(&range.key.domain, &path)
            }
            Self::Expression(expression) => {
                expression.as_ref().is_some_and(|expression| selects(expression, range))
            }
        }
    }
}

pub(super) fn parsed(text: &str) -> Option<RegionSelector> {
    RegionSelector::parse(&[text.to_owned()]).ok().and_then(|mut list| list.pop())
}

/// A range that would match in lower case; good enough for a suggestion.
fn in_any_case<'r>(
    selector: &RegionSelector,
    ranges: &'r [ObservedRange],
) -> Option<&'r ObservedRange> {
    let lower = parsed(&selector.text().to_lowercase())?;
    let named = Named::new(&lower);
    ranges.iter().find(|range| {
        named.has(&ObservedRange {
            key: RegionKey {
                domain: range.key.domain.to_lowercase(),
                kind: range.key.kind,
                path: range.key.path.iter().map(|name| name.to_lowercase()).collect(),
            },
            ..(*range).clone()
        })
    })
}
