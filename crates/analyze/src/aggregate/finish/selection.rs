//! What was selected, as the report states it.

use super::View;
use rangescope_model::document::{NormalisationUse, Selection};
use rangescope_model::region::display_name;
use rangescope_model::select::names::NameList;
use rangescope_model::select::regions::{SelectorKind, split_list};

/// The part of the selection that is the same for every scope.
pub(super) fn selection(view: &View<'_>) -> Selection {
    let analysis = view.analysis;
    let options = &analysis.options;
    let metrics = analysis
        .vocabulary
        .metrics
        .iter()
        .zip(&view.partial.metrics_seen)
        .filter(|(_, seen)| **seen);
    let normalisation = options
        .normalisation
        .iter()
        .zip(view.partial.tree.names_folded(options.normalisation.len()));
    Selection {
        regions: analysis.selectors.iter().map(|selector| selector.text.clone()).collect(),
        regions_not_seen: regions_not_seen(view),
        regions_exclude: split_list(&options.exclude_regions),
        kernel_include: options.kernel_include.clone(),
        kernel_exclude: options.kernel_exclude.clone(),
        kernel_name_base: options.kernel_name_base.as_str().to_owned(),
        metrics: options.metrics.clone(),
        metrics_not_found: metrics_not_found(view, &metrics.map(|(name, _)| name.as_str())),
        sections: options.sections.clone(),
        sections_not_found: sections_not_found(view),
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

/// The selection of a report over these places.
pub(super) fn of_places(view: &View<'_>, common: &Selection, places: &[usize]) -> Selection {
    let places = || places.iter().filter_map(|place| view.place(*place));
    let selected = |place: &crate::aggregate::partial::Place| {
        place.gathered.as_ref().map_or(0, |gathered| gathered.results)
    };
    Selection {
        results_seen: places().map(|place| place.seen).sum(),
        results_selected: places().map(selected).sum(),
        ..common.clone()
    }
}

/// Selectors that no region, and for ncu's expressions no result, matched.
fn regions_not_seen(view: &View<'_>) -> Vec<String> {
    let tree = &view.partial.tree;
    let mut seen = vec![false; view.analysis.selectors.len()];
    for predicate in view.partial.places.values().flat_map(|place| &place.predicates) {
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
    let selectors = view.analysis.selectors.iter().zip(seen);
    selectors
        .filter(|(selector, seen)| !is_seen((selector, *seen)))
        .map(|(selector, _)| selector.text.clone())
        .collect()
}

fn sections_not_found(view: &View<'_>) -> Vec<String> {
    let expected = NameList::new(&view.analysis.options.expected_sections);
    if view.analysis.sections.is_empty() && expected.is_empty() {
        return Vec::new();
    }
    let gathered = view.partial.places.values().filter_map(|place| place.gathered.as_ref());
    let mut held: Vec<u32> =
        gathered.flat_map(|gathered| gathered.sections.keys().map(|section| section.0)).collect();
    held.sort_unstable();
    held.dedup();
    let infos = held.iter().filter_map(|section| view.sections.get(*section as usize));
    let names = infos.flat_map(|info| [info.id.as_str(), info.name.as_str()]);
    joined(view.analysis.sections.not_found(&names), expected.not_found(&names))
}

/// A metric that was asked for at the capture without any suffix is collected with all of them.
fn metrics_not_found<'n>(
    view: &View<'_>,
    found: &(impl Iterator<Item = &'n str> + Clone),
) -> Vec<String> {
    let expected = NameList::new(&view.analysis.options.expected_metrics);
    let is_found = |name: &String| {
        found.clone().any(|found| {
            found.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let mut missing = expected.not_found(found);
    missing.retain(|name| !is_found(name));
    joined(view.analysis.metrics.not_found(found), missing)
}

fn joined(mut first: Vec<String>, second: Vec<String>) -> Vec<String> {
    first.extend(second);
    let mut seen = indexmap::IndexSet::new();
    first.retain(|name| seen.insert(name.clone()));
    first
}
