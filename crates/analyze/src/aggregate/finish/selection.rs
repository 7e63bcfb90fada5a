//! What was selected, as the report states it.

use super::ReportContext;
use rangescope_model::document::{NormalisationUse, Selection};
use rangescope_model::region::display_name;
use rangescope_model::select::names::NameList;
use rangescope_model::select::ranks::RankSelection;
use rangescope_model::select::regions::{SelectorKind, split_list};

/// The part of the selection that is the same for every scope.
pub(super) fn selection(context: &ReportContext<'_>) -> Selection {
    let analysis = context.analysis;
    let options = &analysis.options;
    let metrics = analysis
        .vocabulary
        .metrics
        .iter()
        .zip(&context.partial.metrics_seen)
        .filter(|(_, seen)| **seen);
    let normalisation = options
        .normalisation
        .iter()
        .zip(context.partial.tree.names_folded(options.normalisation.len()));
    Selection {
        regions: analysis.selectors.iter().map(|selector| selector.text.clone()).collect(),
        regions_not_seen: regions_not_seen(context),
        regions_exclude: split_list(&options.exclude_regions),
        kernel_include: options.kernel_include.clone(),
        kernel_exclude: options.kernel_exclude.clone(),
        kernel_name_base: options.kernel_name_base.to_string(),
        shape: options.shape.map(|shape| shape.to_string()),
        ranks: Some(options.ranks.to_string()).filter(|_| options.ranks != RankSelection::All),
        launch: options.launch,
        metrics: options.metrics.clone(),
        metrics_not_found: metrics_not_found(context, &metrics.map(|(name, _)| name.as_str())),
        sections: options.sections.clone(),
        sections_not_found: sections_not_found(context),
        normalisation: normalisation
            .map(|(rule, names_folded)| NormalisationUse {
                pattern: rule.pattern.clone(),
                replacement: rule.replacement.clone(),
                names_folded,
            })
            .collect(),
        results_seen: 0,
        results_selected: 0,
    }
}

/// The selection of a report over these buckets.
pub(super) fn of_places(
    context: &ReportContext<'_>,
    common: &Selection,
    buckets: &[usize],
) -> Selection {
    let buckets = || buckets.iter().filter_map(|bucket| context.bucket(*bucket));
    let selected = |bucket: &crate::aggregate::partial::Bucket| {
        bucket.rollup.as_ref().map_or(0, |rollup| rollup.results)
    };
    Selection {
        results_seen: buckets().map(|bucket| bucket.seen).sum(),
        results_selected: buckets().map(selected).sum(),
        ..common.clone()
    }
}

/// Selectors that no region, and for ncu's expressions no result, matched.
fn regions_not_seen(context: &ReportContext<'_>) -> Vec<String> {
    let tree = &context.partial.tree;
    let mut seen = vec![false; context.analysis.selectors.len()];
    for predicate in context.partial.buckets.values().flat_map(|bucket| &bucket.predicates) {
        if let Some(seen) = seen.get_mut(*predicate as usize) {
            *seen = true;
        }
    }
    for node in tree.ids().filter_map(|region| tree.node(region)) {
        if let Some(seen) = node.named_by.and_then(|selector| seen.get_mut(selector as usize)) {
            *seen = true;
        }
    }
    // A region only remembers the first selector that names it, so the others have to be asked again.
    let is_seen =
        |(selector, seen): (&rangescope_model::select::regions::Selector, bool)| match &selector
            .kind
        {
            SelectorKind::Predicate(_) => seen,
            SelectorKind::Pattern(pattern) => {
                seen || tree.ids().any(|region| {
                    let path = tree.path(region);
                    tree.key(region).is_some_and(|key| {
                        pattern.matches(tree.text(key.domain), &path, &display_name(&path))
                    })
                })
            }
        };
    let selectors = context.analysis.selectors.iter().zip(seen);
    selectors
        .filter(|(selector, seen)| !is_seen((selector, *seen)))
        .map(|(selector, _)| selector.text.clone())
        .collect()
}

fn sections_not_found(context: &ReportContext<'_>) -> Vec<String> {
    let expected = NameList::new(&context.analysis.options.expected_sections);
    if context.analysis.sections.is_empty() && expected.is_empty() {
        return Vec::new();
    }
    let buckets = context.partial.buckets.values().chain(context.partial.whole.values());
    let rollup = buckets.filter_map(|bucket| bucket.rollup.as_ref());
    let mut held: Vec<u32> =
        rollup.flat_map(|rollup| rollup.sections.keys().map(|section| section.0)).collect();
    held.sort_unstable();
    held.dedup();
    let infos = held.iter().filter_map(|section| context.sections.get(*section as usize));
    let names = infos.flat_map(|info| [info.id.as_str(), info.name.as_str()]);
    joined(context.analysis.sections.not_found(&names), expected.not_found(&names))
}

/// A metric that was asked for at the capture without any suffix is collected with all of them.
fn metrics_not_found<'n>(
    context: &ReportContext<'_>,
    found: &(impl Iterator<Item = &'n str> + Clone),
) -> Vec<String> {
    let expected = NameList::new(&context.analysis.options.expected_metrics);
    let is_found = |name: &String| {
        found.clone().any(|found| {
            found.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let mut missing = expected.not_found(found);
    missing.retain(|name| !is_found(name));
    joined(context.analysis.metrics.not_found(found), missing)
}

fn joined(mut first: Vec<String>, second: Vec<String>) -> Vec<String> {
    first.extend(second);
    let mut seen = indexmap::IndexSet::new();
    first.retain(|name| seen.insert(name.clone()));
    first
}
