//! What the reader should know before trusting the numbers, in sentences.

use super::{ReportContext, scopes, wide};
use crate::aggregate::analysis::OTHER_PROCESSES;
use crate::aggregate::bounds::OTHERS;
use crate::aggregate::partial::BucketKey;
use crate::aggregate::tree::{DEEPEST, RegionId};
use rangescope_model::document::{Basis, Note, NoteLevel, Region, ScopeReport, Selection};
use rangescope_model::nearest::suggestion;
use rangescope_model::number::{count, thousands};
use rangescope_model::region::RangeKind;
use rangescope_model::text::clip;
use rustc_hash::FxHashSet;

/// Kernels that a note names.
const MOST_NAMED: usize = 3;

/// Everything worth saying about the reports, warnings first.
pub(super) fn notes(
    context: &ReportContext<'_>,
    selection: &Selection,
    reports: &[ScopeReport],
) -> Vec<Note> {
    let mut notes = Vec::new();
    nothing_selected(context, &mut notes);
    not_found(context, selection, &mut notes);
    kernel_patterns(context, &mut notes);
    overlapping_trees(context, &mut notes);
    mixed_basis(reports, &mut notes);
    exclusive_unknown(reports, &mut notes);
    given_up(context, &mut notes);
    left_out(context, &mut notes);
    too_many(context, &mut notes);
    brief_scopes(context, &mut notes);
    absent_ranks(context, &mut notes);
    device_numbers(context, &mut notes);
    domains_of_one_name(context, &mut notes);
    notes.extend(wide::note(reports));
    // Presets hold rules for many programs; it is only worth a word when none of them did anything.
    let rules = &selection.normalisation;
    if !rules.is_empty() && rules.iter().all(|rule| rule.names_folded == 0) {
        let rules = count(rules.len() as u64, "rule", "rules");
        let message = format!("Normalisation changed no name ({rules}).");
        notes.push(note(NoteLevel::Info, "normalisation-unused", message));
    }
    notes.sort_by_key(|note| note.level);
    notes
}

fn note(level: NoteLevel, code: &str, message: String) -> Note {
    Note { level, code: code.to_owned(), message }
}

/// A report of one rank alone is mostly meant to be one.
fn absent_ranks(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let Some(absent) = context.analysis.vocabulary().absent_ranks() else { return };
    let is_single = absent.count + 1 == u64::from(absent.size);
    let level = if is_single { NoteLevel::Info } else { NoteLevel::Warning };
    let message = format!(
        "Of {} ranks there is nothing of {}: no number includes them.",
        thousands(absent.size.into()),
        absent.listed()
    );
    notes.push(note(level, "absent-ranks", message));
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
        (_, 0) => format!(
            "None of {} lies in a selected region, so every number is empty.",
            count(seen, "result", "results")
        ),
        _ => format!(
            "None of {} in the selected regions is of a selected kernel, so every number is empty.",
            count(in_regions, "result", "results")
        ),
    };
    notes.push(note(NoteLevel::Warning, "nothing-selected", message));
}

fn not_found(context: &ReportContext<'_>, selection: &Selection, notes: &mut Vec<Note>) {
    let tree = &context.partial.tree;
    let mut missing = |code: &str, said: String, suggestion: Option<String>, none: &str| {
        let end = suggestion.unwrap_or_else(|| none.to_owned());
        let stop = if end.ends_with('?') { "" } else { "." };
        notes.push(note(NoteLevel::Warning, code, format!("{said}; {end}{stop}")));
    };
    for selector in &selection.regions_not_seen {
        let subject = if selector.starts_with("ncu:") { "result" } else { "region" };
        let said = format!("No {subject} matches `{}`", clip(selector, 60));
        let names = tree.ids().map(|region| tree.own_name(region));
        missing(
            "region-not-seen",
            said,
            suggestion(selector, names),
            "no result has an open range",
        );
    }
    let metrics = || {
        let all = context.analysis.vocabulary.metrics.iter().zip(&context.partial.metrics_seen);
        all.filter(|(_, seen)| **seen).map(|(name, _)| name.as_str())
    };
    for metric in &selection.metrics_not_found {
        let said = format!("No selected result has the metric `{}`", clip(metric, 60));
        let near = suggestion(metric, metrics());
        missing("metric-not-found", said, near, "there are no metrics");
    }
    for section in &selection.sections_not_found {
        let said = format!("No selected result has the section `{}`", clip(section, 60));
        let near = suggestion(section, context.sections.iter().map(|section| section.id.as_str()));
        missing("section-not-found", said, near, "the reports hold no sections");
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
        let names = suggestion(text, kernels().map(|kernel| &*kernel.shown));
        let end = names.map_or_else(String::new, |names| format!("; {names}"));
        let stop = if end.ends_with('?') { "" } else { "." };
        notes.push(note(
            NoteLevel::Warning,
            "nothing-matched",
            format!("No kernel matches `{}`{end}{stop}{fix}", clip(text, 60)),
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
                "The kernel selection left {} of {} out; regions without a selected result are not shown.",
                thousands(in_regions - selected),
                count(in_regions, "result", "results"),
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
            "{what}: {} in more than one of them, so these trees overlap and must not be added.",
            count(in_several, "result counts", "results count")
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

fn mixed_basis(reports: &[ScopeReport], notes: &mut Vec<Note>) {
    let has = |basis: Basis| {
        reports.iter().any(|report| report.basis == basis && report.selection.results_selected > 0)
    };
    if has(Basis::Kernel) && has(Basis::Range) {
        let message = "There are kernel results and range-replay results; they are reported apart (`basis`) and never mixed in one number.";
        notes.push(note(NoteLevel::Warning, "mixed-basis", message.to_owned()));
    }
}

/// Ranges are measured apart, so those inside one can come out longer than it.
fn exclusive_unknown(reports: &[ScopeReport], notes: &mut Vec<Note>) {
    let is_unknown =
        |region: &&Region| region.exclusive_ms.is_none() && region.set.total_ms.is_some();
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

/// Results in which nothing was measured.
fn given_up(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let given_up = &context.partial.given_up;
    let results: u64 = given_up.values().sum();
    if results == 0 {
        return;
    }
    let mut kernels: Vec<&str> = given_up
        .keys()
        .filter_map(|kernel| context.partial.kernels.key(*kernel))
        .map(|kernel| &*kernel.shown)
        .collect();
    kernels.sort_unstable();
    let named: Vec<String> =
        kernels.iter().take(MOST_NAMED).map(|kernel| format!("`{}`", clip(kernel, 60))).collect();
    let others = match kernels.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        others => format!(" and {}", count(others as u64, "other kernel", "other kernels")),
    };
    let message = format!(
        "ncu gave up on {}: one pass, no duration, metrics that are not numbers ({}{others}). What is written there was not measured and takes part in no number; the launches count, without a time.",
        count(results, "result", "results"),
        named.join(", ")
    );
    notes.push(note(NoteLevel::Warning, "given-up", message));
}

/// Results that some numbers had to do without, and ranges that were cut.
fn left_out(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let rollup = || context.partial.buckets.values().filter_map(|bucket| bucket.rollup.as_ref());
    let results: u64 = rollup().map(|rollup| rollup.results).sum();
    let untimed: u64 = rollup().map(|rollup| rollup.results - rollup.timed).sum();
    if untimed > 0 {
        let message = format!(
            "{} of {} no duration (`gpu__time_duration.sum`): such results count as launches but not in times and time-weighted means.",
            thousands(untimed),
            count(results, "result has", "results have"),
        );
        notes.push(note(NoteLevel::Warning, "no-duration", message));
    }
    if context.partial.tree.cut > 0 {
        let message = format!(
            "The range stacks of {} are deeper than {DEEPEST} levels or have very long names; what lies deeper counts to the region at the limit.",
            count(context.partial.tree.cut, "result", "results")
        );
        notes.push(note(NoteLevel::Warning, "stack-too-deep", message));
    }
}

/// Rows that are taken together, because each of its own would make the document larger than its inputs allow.
fn too_many(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let partial = context.partial;
    let buckets = || partial.buckets.iter();
    let results = |is_meant: &dyn Fn(&BucketKey) -> bool| -> u64 {
        buckets().filter(|(key, _)| is_meant(key)).map(|(_, bucket)| bucket.in_regions).sum()
    };
    let mut say = |message: String| notes.push(note(NoteLevel::Warning, "too-many", message));
    let tree = &partial.tree;
    let is_shown_others = |region: &RegionId| {
        tree.node(*region).is_some_and(|node| node.is_others && tree.is_shown(node))
    };
    let in_others = results(&|key| key.regions.iter().any(is_shown_others));
    if in_others > 0 {
        say(format!(
            "There are too many regions for a document of this size of input: {} in regions beyond the first {} and count to `{OTHERS}`. Sums are right; `--region` selects what is told apart, and normalisation folds names that differ in numbers.",
            count(in_others, "result is", "results are"),
            thousands(tree.most() as u64),
        ));
    }
    if let Some((others, most)) = partial.kernels.others() {
        let rollups = buckets().filter_map(|(_, bucket)| bucket.rollup.as_ref());
        let tallies = rollups.filter_map(|rollup| rollup.kernels.get(&others));
        let calls: u64 = tallies.map(|tally| tally.calls).sum();
        say(format!(
            "There are too many kernels for a document of this size of input: {} of kernels beyond the first {} and count to `{OTHERS}`. Sums are right; `--kernel` selects what is told apart.",
            count(calls, "launch is", "launches are"),
            thousands(most as u64),
        ));
    }
    if context.most_listed < partial.kernels.keys().count() {
        say(format!(
            "The regions list too many kernels for a document of this size of input: each lists the {} heaviest, and the rest as `{OTHERS}`. Sums are right; `--region` and `--kernel` select what is told apart.",
            thousands(context.most_listed.saturating_sub(1) as u64),
        ));
    }
    let of_others = results(&|key| key.process == OTHER_PROCESSES);
    if of_others > 0 {
        say(format!(
            "There are too many processes for a document of this size of input: {} of processes beyond the first {}, which share the scope `process:others`. `--scope process:<pid>` selects one of them.",
            count(of_others, "result is", "results are"),
            thousands(context.analysis.bounds.processes as u64),
        ));
    }
}

/// What the scopes of many processes lack.
fn brief_scopes(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let keys = context.partial.buckets.keys().filter(|key| context.analysis.is_brief(key));
    let processes: FxHashSet<u32> = keys.map(|key| key.process).collect();
    if processes.is_empty() {
        return;
    }
    let message = format!(
        "There are {}: the scopes of single processes and devices have times, kernels and the metrics of summaries. All metrics, sections and rules are in `aggregate`; `--scope process:<pid>` and `--scope rank:<n>` give them of one process.",
        count(processes.len() as u64, "process", "processes"),
    );
    notes.push(note(NoteLevel::Info, "brief-scopes", message));
}

/// Device numbers are those of a process on its host.
fn device_numbers(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let shared = scopes::shared_indices(context);
    if let Some(first) = shared.first() {
        let others = match shared.len() - 1 {
            0 => String::new(),
            others => format!(" (and {})", count(others as u64, "other number", "other numbers")),
        };
        let message = format!(
            "Device {first}{others} is not the same GPU in all processes; each GPU has a scope of its own, named after its PCI address, and `--scope device:{first}` selects all of them."
        );
        notes.push(note(NoteLevel::Info, "several-gpus-of-one-number", message));
    }
    let host =
        |process: u32| context.analysis.process_info(process).map_or("", |info| info.host.as_str());
    let mut seen: Vec<(u32, &str)> = context
        .partial
        .buckets
        .keys()
        .filter_map(|key| Some((key.device?, host(key.process))))
        .filter(|(device, host)| device.pci.is_none() && !host.is_empty())
        .map(|(device, host)| (device.index, host))
        .collect();
    seen.sort_unstable();
    seen.dedup();
    if seen.chunk_by(|left, right| left.0 == right.0).any(|hosts| hosts.len() > 1) {
        let message = "Device numbers are counted per host, and these results do not say which GPU they mean; a `device:` scope covers the devices of that number on all hosts.";
        notes.push(note(NoteLevel::Info, "devices-of-several-hosts", message.to_owned()));
    }
}

/// Domains of one name are told apart by a number.
fn domains_of_one_name(context: &ReportContext<'_>, notes: &mut Vec<Note>) {
    let mut shown: Vec<&str> = context.partial.tree.namesakes().collect();
    shown.sort_unstable();
    let named: Vec<String> =
        shown.iter().take(MOST_NAMED).map(|domain| format!("`{}`", clip(domain, 60))).collect();
    if !named.is_empty() {
        let message = format!(
            "The program created several NVTX domains of one name. They are trees of their own; the later ones have a number behind the name, in the order of the domains' ids ({}).",
            named.join(", ")
        );
        notes.push(note(NoteLevel::Info, "domains-of-one-name", message));
    }
}
