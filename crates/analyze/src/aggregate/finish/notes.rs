//! What the reader should know before trusting the numbers, in sentences.

use super::{ReportContext, scopes};
use crate::aggregate::tree::{DEEPEST, RegionId};
use rangescope_model::document::{
    Basis, NCUProfileRegion, NCUProfileRegionReport, Note, NoteLevel, Selection,
};
use rangescope_model::nearest::resembling;
use rangescope_model::number::count;
use rangescope_model::region::RangeKind;
use rangescope_model::text::clip;
use std::sync::Arc;

/// From here on a report is too large to be read.
const MANY_REGIONS: usize = 1_000;

/// Everything worth saying about the reports, warnings first.
pub(super) fn notes(
    context: &ReportContext<'_>,
    selection: &Selection,
    reports: &[NCUProfileRegionReport],
) -> Vec<Note> {
    let mut notes = Vec::new();
    nothing_selected(context, &mut notes);
    not_found(context, selection, &mut notes);
    kernel_patterns(context, &mut notes);
    overlapping_trees(context, &mut notes);
    mixed_basis(reports, &mut notes);
    exclusive_unknown(reports, &mut notes);
    left_out(context, &mut notes);
    hosts_of_devices(context, &mut notes);
    many_regions(reports, &mut notes);
    // Presets hold rules for many programs; it is only worth a word when none of them did anything.
    let rules = &selection.normalisation;
    if !rules.is_empty() && rules.iter().all(|rule| rule.names_folded == 0) {
        let message = format!("Normalisation changed no name ({} rules).", rules.len());
        notes.push(note(NoteLevel::Info, "normalisation-unused", message));
    }
    notes.sort_by_key(|note| note.level);
    notes
}

fn note(level: NoteLevel, code: &str, message: String) -> Note {
    Note { level, code: code.to_owned(), message }
}

fn nothing_selected(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let buckets = context.partial.buckets.values();
    let seen: u64 = buckets.clone().map(|bucket| bucket.seen).sum();
    let selected: u64 = buckets
        .clone()
        .filter_map(|bucket| bucket.rollup.as_ref())
        .map(|rollup| rollup.results)
        .sum();
    if selected > 0 {
        return;
    }
    let in_regions: u64 = buckets.map(|bucket| bucket.in_regions).sum();
    let message = match (seen, in_regions) {
        (0, _) => "There are no results: the reports hold no profiled kernel or range.".to_owned(),
        (_, 0) => {
            format!("None of {seen} results lies in a selected region, so every number is empty.")
        }
        _ => format!(
            "None of the {in_regions} results in the selected regions is of a selected kernel, so every number is empty."
        ),
    };
    notes.push(note(NoteLevel::Warning, "nothing-selected", message));
}

fn not_found(context: &ReportContext<'_>, selection: &Selection, notes: &mut Vec<Note>) {
    let tree = &context.partial.tree;
    for selector in &selection.regions_not_seen {
        let names = resembling(selector, tree.ids().map(|region| tree.own_name(region)));
        let hint = if names.is_empty() {
            "no result has an open range".to_owned()
        } else {
            format!("seen were {names}")
        };
        let subject = if selector.starts_with("ncu:") { "result" } else { "region" };
        notes.push(note(
            NoteLevel::Warning,
            "region-not-seen",
            format!("No {subject} matches `{}`; {hint}.", clip(selector, 60)),
        ));
    }
    let metrics = || {
        context
            .analysis
            .vocabulary
            .metrics
            .iter()
            .zip(&context.partial.metrics_seen)
            .filter(|(_, seen)| **seen)
            .map(|(name, _)| name.as_str())
    };
    for metric in &selection.metrics_not_found {
        let names = resembling(metric, metrics());
        let hint = if names.is_empty() {
            "there are no metrics".to_owned()
        } else {
            format!("the closest are {names}")
        };
        let message = format!("No selected result has the metric `{}`; {hint}.", clip(metric, 60));
        notes.push(note(NoteLevel::Warning, "metric-not-found", message));
    }
    for section in &selection.sections_not_found {
        let names = resembling(section, context.sections.iter().map(|section| section.id.as_str()));
        let hint = if names.is_empty() {
            "the reports hold no sections".to_owned()
        } else {
            format!("there are {names}")
        };
        notes.push(note(
            NoteLevel::Warning,
            "section-not-found",
            format!("No selected result has the section `{}`; {hint}.", clip(section, 60)),
        ));
    }
    for scope in scopes::not_seen(context) {
        notes.push(note(
            NoteLevel::Warning,
            "scope-not-seen",
            format!("There is no `{scope}` among the results."),
        ));
    }
}

/// Patterns that matched no kernel, and what they left out.
fn kernel_patterns(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let filter = &context.analysis.kernels;
    let kernels = || context.partial.kernels.keys();
    for pattern in filter.include.iter().chain(&filter.exclude) {
        if kernels().any(|kernel| pattern.matches(&kernel.shown)) || kernels().next().is_none() {
            continue;
        }
        let text = pattern.text.as_str();
        let is_part = pattern.is_exact()
            && kernels().any(|kernel| kernel.shown.contains(text) || *kernel.function == *text);
        let fix = match text {
            _ if is_part => format!(" It is part of a name: `glob:*{text}*` would match."),
            _ if pattern.is_exact() && text.contains(['*', '?']) => {
                format!(" Wildcards need a prefix: `glob:{text}`.")
            }
            _ => String::new(),
        };
        let names = resembling(text, kernels().map(|kernel| &*kernel.shown));
        notes.push(note(
            NoteLevel::Warning,
            "nothing-matched",
            format!("No kernel matches `{}`.{fix} Kernels seen: {names}.", clip(text, 60)),
        ));
    }
    if filter.is_active() {
        let buckets = || context.partial.buckets.values();
        let in_regions: u64 = buckets().map(|bucket| bucket.in_regions).sum();
        let selected: u64 = buckets()
            .filter_map(|bucket| bucket.rollup.as_ref())
            .map(|rollup| rollup.results)
            .sum();
        if selected < in_regions {
            let message = format!(
                "The kernel selection left {} of {in_regions} results out; regions without a selected result are not shown.",
                in_regions - selected
            );
            notes.push(note(NoteLevel::Info, "kernels-left-out", message));
        }
    }
}

/// Trees of different domains, and start/end regions, cover the same results.
fn overlapping_trees(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let tree = &context.partial.tree;
    let mut in_several = 0;
    let mut trees: Vec<(&str, Option<RegionId>)> = Vec::new();
    for (key, bucket) in &context.partial.buckets {
        let Some(rollup) = &bucket.rollup else { continue };
        if key.regions.len() > 1 {
            in_several += rollup.results;
        }
        for region in &key.regions {
            if let Some(of) = tree.key(*region) {
                trees.push((
                    tree.text(of.domain),
                    (of.kind == RangeKind::StartEnd).then_some(*region),
                ));
            }
        }
    }
    trees.sort_unstable();
    trees.dedup();
    let what = "Regions of different NVTX domains, and start/end regions, are trees of their own";
    if in_several > 0 {
        let message = format!(
            "{what}: {in_several} results count in more than one of them, so these trees overlap and must not be added."
        );
        notes.push(note(NoteLevel::Warning, "overlapping-trees", message));
    } else if trees.len() > 1 {
        notes.push(note(
            NoteLevel::Info,
            "overlapping-trees",
            format!("{what} and must not be added; here no result is in more than one of them."),
        ));
    }
}

fn mixed_basis(reports: &[NCUProfileRegionReport], notes: &mut Vec<Note>) {
    let has = |basis: Basis| {
        reports.iter().any(|report| report.basis == basis && report.selection.results_selected > 0)
    };
    if has(Basis::Kernel) && has(Basis::Range) {
        let message = "There are kernel results and range-replay results; they are reported apart (`basis`) and never mixed in one number.";
        notes.push(note(NoteLevel::Warning, "mixed-basis", message.to_owned()));
    }
}

/// Ranges are measured apart, so those inside one can come out longer than it.
fn exclusive_unknown(reports: &[NCUProfileRegionReport], notes: &mut Vec<Note>) {
    let is_unknown = |region: &&Arc<NCUProfileRegion>| {
        region.exclusive_ms.is_none() && region.total_ms.is_some()
    };
    let regions = reports.iter().filter(|report| report.basis == Basis::Range);
    let mut names: Vec<&str> = regions
        .flat_map(|report| report.regions.iter().filter(is_unknown))
        .map(|region| region.name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    if let Some(first) = names.first() {
        let others = match names.len() - 1 {
            0 => String::new(),
            others => format!(" and {}", count(others as u64, "other region", "other regions")),
        };
        let message = format!(
            "The ranges inside `{}`{others} took longer, each measured on its own, than the range around them: its exclusive time is not known.",
            clip(first, 60)
        );
        notes.push(note(NoteLevel::Warning, "exclusive-unknown", message));
    }
}

/// Results that some numbers had to do without, and ranges that were cut.
fn left_out(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let rollup = || context.partial.buckets.values().filter_map(|bucket| bucket.rollup.as_ref());
    let results: u64 = rollup().map(|rollup| rollup.results).sum();
    let untimed: u64 = rollup().map(|rollup| rollup.results - rollup.timed).sum();
    if untimed > 0 {
        let message = format!(
            "{untimed} of {results} results have no duration (`gpu__time_duration.sum`); they count as launches but not in times and time-weighted means."
        );
        notes.push(note(NoteLevel::Warning, "no-duration", message));
    }
    if context.partial.tree.cut > 0 {
        let message = format!(
            "The range stacks of {} results are deeper than {DEEPEST} levels or have very long names; what lies deeper counts to the region at the limit.",
            context.partial.tree.cut
        );
        notes.push(note(NoteLevel::Warning, "stack-too-deep", message));
    }
}

/// Names that carry numbers make a region of every launch.
fn many_regions(reports: &[NCUProfileRegionReport], notes: &mut Vec<Note>) {
    let regions = reports.iter().map(|report| report.regions.len()).max().unwrap_or(0);
    if regions > MANY_REGIONS {
        let message = format!(
            "There are {regions} regions; if their names carry counters, ids or shapes, a normalisation preset such as `pytorch` or `layers` folds them."
        );
        notes.push(note(NoteLevel::Info, "many-regions", message));
    }
}

/// Device numbers are per host.
fn hosts_of_devices(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let host =
        |process: u32| context.analysis.process_info(process).map_or("", |info| info.host.as_str());
    let mut seen: Vec<(u32, &str)> = context
        .partial
        .buckets
        .keys()
        .filter_map(|key| Some((key.device?, host(key.process))))
        .filter(|(_, host)| !host.is_empty())
        .collect();
    seen.sort_unstable();
    seen.dedup();
    let shared =
        seen.chunk_by(|left, right| left.0 == right.0).filter(|hosts| hosts.len() > 1).count();
    if shared > 0 {
        let message = "Device numbers are counted per host; a `device:` scope covers the devices of that number on all hosts.";
        notes.push(note(NoteLevel::Info, "devices-of-several-hosts", message.to_owned()));
    }
}
