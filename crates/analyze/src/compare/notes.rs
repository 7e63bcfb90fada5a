//! What makes runs not comparable. It is looked for in all runs of both sides and said before any number.

use crate::compare::copies;
use crate::compare::options::CompareOptions;
use crate::compare::order::Order;
use crate::compare::quantity;
use crate::compare::statistics;
use indexmap::IndexSet;
use rangescope_model::comparison::{CompareNote, NoteSeverity, RunOrder};
use rangescope_model::document::{Basis, NoteLevel, RegionDocument, ScopeReport, Selection};
use rangescope_model::number::{count, signed_percent, three_digits};
use std::collections::BTreeSet;

/// Clocks that differ by less than this are the same.
const CLOCK_TOLERANCE: f64 = 0.02;

/// A drift by less than this share from run to run is not worth a word.
const LEAST_DRIFT: f64 = 5e-4;

const NAMED: usize = 3;

/// All notes, worst first.
pub(crate) fn all(
    base: &[RegionDocument],
    new: &[RegionDocument],
    options: &CompareOptions,
    has_scopes: bool,
) -> Vec<CompareNote> {
    let mut notes = Notes::default();
    if base.is_empty() || new.is_empty() {
        notes.add(NoteSeverity::Incomparable, "no-runs", "One side has no runs.".to_owned());
        return notes.sorted();
    }
    if !has_scopes {
        notes.add(
            NoteSeverity::Incomparable,
            "no-common-scope",
            format!("The sides have no scope of the kind `{}` in common.", kind_name(options)),
        );
    }
    let sides = Both { base, new };
    simulated(sides, &mut notes);
    devices(sides, &mut notes);
    basis(sides, &mut notes);
    profilers(sides, &mut notes);
    clocks(sides, &mut notes);
    collected(sides, &mut notes);
    selection(sides, &mut notes);
    for message in incomplete(sides.base, sides.new, options).into_iter().flatten() {
        notes.add(NoteSeverity::Warning, "lost-results", message);
    }
    unmeasured(sides, options, &mut notes);
    repeated(base, "base", &mut notes);
    repeated(new, "new side", &mut notes);
    warnings(base, "base", &mut notes);
    warnings(new, "new side", &mut notes);
    both(sides, &mut notes);
    notes.sorted()
}

/// What the runs themselves allow to say: whether they are enough, in which order they were made, and whether times moved along it.
pub(crate) fn of_runs(
    runs: [usize; 2],
    order: &Order,
    drift: Option<f64>,
    notes: &mut Vec<CompareNote>,
) {
    let Some(drift) = drift else { return };
    let mut add = |severity, code: &str, message: String| {
        notes.push(CompareNote { severity, code: code.to_owned(), message });
    };
    if !statistics::are_enough(runs) {
        let message = format!(
            "Too few runs for verdicts: {} and {}. Chance alone deals out sides in too few ways; {} runs a side are the least that can show anything.",
            runs[0],
            runs[1],
            statistics::least_runs()
        );
        add(NoteSeverity::Warning, "too-few-runs", message);
    }
    let in_turns = "make them in turns (`rangescope profile --runs N -- BASE --- NEW`)";
    match order.kind {
        RunOrder::BaseFirst | RunOrder::NewFirst => {
            let (first, then) = match order.kind {
                RunOrder::BaseFirst => ("the base", "the new side"),
                _ => ("the new side", "the base"),
            };
            let message = format!(
                "All runs of {first} were made before those of {then}: what changes with time, such as clocks and temperature, looks like a change of the program; {in_turns}."
            );
            add(NoteSeverity::Warning, "one-side-first", message);
        }
        RunOrder::Unknown => {
            let message = format!(
                "In which order the runs were made is unknown; they are taken as they were given, the base first. To be sure, {in_turns}."
            );
            add(NoteSeverity::Info, "unknown-order", message);
        }
        RunOrder::Mixed => {}
    }
    let between = drift * order.apart(runs[0]);
    if drift.abs() >= LEAST_DRIFT {
        let message = format!(
            "Times drift by {} from one run to the next, which makes {} between the sides: intervals are widened by it.",
            signed_percent(Some(drift)),
            signed_percent(Some(between))
        );
        add(NoteSeverity::Warning, "drift", message);
    }
    notes.sort_by_key(|note| note.severity);
}

#[derive(Clone, Copy)]
struct Both<'d> {
    base: &'d [RegionDocument],
    new: &'d [RegionDocument],
}

impl<'d> Both<'d> {
    /// What each side says, each answer once and in order; nothing where both say the same.
    fn differ(
        self,
        ask: impl Fn(&'d RegionDocument) -> Vec<String>,
    ) -> Option<(BTreeSet<String>, BTreeSet<String>)> {
        let base: BTreeSet<String> = self.base.iter().flat_map(&ask).collect();
        let new: BTreeSet<String> = self.new.iter().flat_map(&ask).collect();
        (base != new).then_some((base, new))
    }
}

#[derive(Default)]
struct Notes {
    notes: Vec<CompareNote>,
}

impl Notes {
    fn add(&mut self, severity: NoteSeverity, code: &str, message: String) {
        self.notes.push(CompareNote { severity, code: code.to_owned(), message });
    }

    fn sorted(mut self) -> Vec<CompareNote> {
        self.notes.sort_by_key(|note| note.severity);
        self.notes
    }
}

fn simulated(sides: Both<'_>, notes: &mut Notes) {
    let any = |documents: &[RegionDocument]| documents.iter().any(|document| document.simulated);
    let all = |documents: &[RegionDocument]| documents.iter().all(|document| document.simulated);
    let everything = all(sides.base) && all(sides.new);
    if everything {
        notes.add(
            NoteSeverity::Info,
            "simulated",
            "Both sides are simulated, not measured.".to_owned(),
        );
    } else if any(sides.base) || any(sides.new) {
        notes.add(
            NoteSeverity::Incomparable,
            "simulated-and-real",
            "Simulated runs are compared with measured ones.".to_owned(),
        );
    }
}

fn devices(sides: Both<'_>, notes: &mut Notes) {
    let devices = |document: &RegionDocument| -> Vec<String> {
        let names = document.devices.iter().map(|device| {
            let name = device.name.as_deref().unwrap_or("a device without a name");
            match &device.compute_capability {
                Some(capability) => format!("{name} (CC {capability})"),
                None => name.to_owned(),
            }
        });
        names.collect()
    };
    if let Some((base, new)) = sides.differ(devices) {
        notes.add(
            NoteSeverity::Incomparable,
            "other-device",
            format!("Other devices: {} against {}.", list(&base), list(&new)),
        );
    }
}

fn basis(sides: Both<'_>, notes: &mut Notes) {
    let bases = |document: &RegionDocument| -> Vec<String> {
        let names = document.reports.iter().map(|report| match report.basis {
            Basis::Kernel => "kernel results".to_owned(),
            Basis::Range => "whole-range results".to_owned(),
        });
        names.collect()
    };
    if let Some((base, new)) = sides.differ(bases) {
        notes.add(
            NoteSeverity::Incomparable,
            "other-basis",
            format!("Other kinds of results: {} against {}.", list(&base), list(&new)),
        );
    }
}

fn profilers(sides: Both<'_>, notes: &mut Notes) {
    let versions = |document: &RegionDocument| -> Vec<String> {
        document.sources.iter().filter_map(|source| source.profiler.clone()).collect()
    };
    if let Some((base, new)) = sides.differ(versions) {
        notes.add(
            NoteSeverity::Warning,
            "other-profiler",
            format!("Other versions of ncu: {} against {}.", list(&base), list(&new)),
        );
    }
}

/// Whether clocks were locked is not in a report; that they differed is.
fn clocks(sides: Both<'_>, notes: &mut Notes) {
    let clocks = |documents: &[RegionDocument]| -> Vec<f64> {
        let totals = documents.iter().filter_map(|document| document.reports.first());
        totals
            .filter_map(|report| quantity::value("sm_clock", &report.totals.metrics, None))
            .map(|value| value.number)
            .filter(|clock| *clock > 0.0)
            .collect()
    };
    let (base, new) = (clocks(sides.base), clocks(sides.new));
    if base.is_empty() || new.is_empty() {
        notes.add(
            NoteSeverity::Info,
            "unknown-clocks",
            "At which clock the SMs ran is not in all of the reports.".to_owned(),
        );
        return;
    }
    let all = || base.iter().chain(&new).copied();
    let (slowest, fastest) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    let difference = fastest / slowest - 1.0;
    if difference > CLOCK_TOLERANCE {
        let mean = |clocks: &[f64]| clocks.iter().sum::<f64>() / clocks.len() as f64;
        notes.add(
            NoteSeverity::Warning,
            "other-clocks",
            format!(
                "The SMs ran at other clocks: {} GHz against {} GHz ({} between the slowest and the fastest run). Lock them (`clock_control: base`) to compare times.",
                three_digits(mean(&base) / 1e9),
                three_digits(mean(&new) / 1e9),
                signed_percent(Some(difference))
            ),
        );
    }
}

/// Other sections or metrics mean another preset: more passes, other replays.
fn collected(sides: Both<'_>, notes: &mut Notes) {
    let sections = |document: &RegionDocument| -> Vec<String> {
        let regions = document.reports.iter().flat_map(|report| &report.regions);
        regions.flat_map(|region| &region.set.sections).map(|section| section.id.clone()).collect()
    };
    let metrics = |document: &RegionDocument| -> Vec<String> {
        let reports = document.reports.iter();
        reports.flat_map(|report| report.totals.metrics.keys().cloned()).collect()
    };
    for (code, what, differ) in [
        ("other-sections", "sections", sides.differ(sections)),
        ("other-metrics", "metrics", sides.differ(metrics)),
    ] {
        let Some((base, new)) = differ else { continue };
        let only: Vec<&String> = base.difference(&new).collect();
        let added: Vec<&String> = new.difference(&base).collect();
        let part = |names: &[&String], side: &str| {
            (!names.is_empty())
                .then(|| format!("{} only in the {side} ({})", names.len(), some(names)))
        };
        let parts: Vec<String> =
            [part(&only, "base"), part(&added, "new side")].into_iter().flatten().collect();
        notes.add(
            NoteSeverity::Warning,
            code,
            format!(
                "Other {what} were collected, which means another preset: {}.",
                parts.join(", ")
            ),
        );
    }
}

fn selection(sides: Both<'_>, notes: &mut Notes) {
    let fingerprints = |document: &RegionDocument| vec![document.config_fingerprint.clone()];
    if sides.differ(fingerprints).is_none() {
        return;
    }
    let selections = |documents: &'_ [RegionDocument]| -> IndexSet<String> {
        let reports = documents.iter().flat_map(|document| &document.reports);
        reports.map(|report| in_words(&report.selection)).collect()
    };
    let (base, new) = (selections(sides.base), selections(sides.new));
    let words = |side: &IndexSet<String>| side.iter().cloned().collect::<Vec<_>>().join(" / ");
    let message = if base == new {
        "The documents were made with other settings (their fingerprints differ).".to_owned()
    } else {
        format!("Other selections: {} against {}.", words(&base), words(&new))
    };
    notes.add(NoteSeverity::Warning, "other-selection", message);
}

fn in_words(selection: &Selection) -> String {
    let parts: Vec<String> = [
        ("regions", &selection.regions),
        ("without regions", &selection.regions_exclude),
        ("kernels", &selection.kernel_include),
        ("without kernels", &selection.kernel_exclude),
        ("metrics", &selection.metrics),
        ("sections", &selection.sections),
    ]
    .into_iter()
    .filter(|(_, names)| !names.is_empty())
    .map(|(what, names)| format!("{what} {}", some(&names.iter().collect::<Vec<_>>())))
    .collect();
    if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") }
}

/// What is missing of the base and of the new side: their numbers are not those of whole runs.
pub(crate) fn incomplete(
    base: &[RegionDocument],
    new: &[RegionDocument],
    options: &CompareOptions,
) -> [Option<String>; 2] {
    [(base, "base"), (new, "new side")].map(|(documents, side)| {
        let sources = documents.iter().flat_map(|document| &document.sources);
        let damaged: Vec<_> = sources.filter(|source| source.lost > 0).collect();
        let lost = damaged.iter().map(|source| source.lost).fold(0, u64::saturating_add);
        let files: IndexSet<&String> = damaged.iter().map(|source| &source.file).collect();
        let empty = documents.iter().filter(|document| is_empty(document, options)).count();
        let lost = (lost > 0).then(|| {
            let files = some(&files.into_iter().collect::<Vec<_>>());
            let results = count(lost, "result", "results");
            format!("Lost or damaged, and in no number: {results} of the {side} ({files}).")
        });
        let empty = (empty > 0).then(|| {
            let runs = count(documents.len() as u64, "run", "runs");
            format!("Without any result: {empty} of {runs} of the {side}.")
        });
        let parts: Vec<String> = [lost, empty].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    })
}

fn is_empty(document: &RegionDocument, options: &CompareOptions) -> bool {
    let mut reports = document.reports.iter().filter(|report| report.scope.kind == options.scope);
    reports.all(|report| report.totals.kernel_count == 0)
}

/// Results that nobody measured are in no time; their regions are not compared.
fn unmeasured(sides: Both<'_>, options: &CompareOptions, notes: &mut Notes) {
    for (documents, side) in [(sides.base, "base"), (sides.new, "new side")] {
        let reports = || {
            let reports = documents.iter().flat_map(|document| &document.reports);
            reports.filter(|report| report.scope.kind == options.scope)
        };
        if documents.iter().all(|document| is_empty(document, options)) {
            let message = format!("The {side} has no results.");
            notes.add(NoteSeverity::Incomparable, "no-results", message);
        }
        let missing = |report: &ScopeReport| {
            report.totals.kernel_count.saturating_sub(report.totals.timed_count)
        };
        let missing = reports().map(missing).fold(0, u64::saturating_add);
        if missing > 0 {
            let results = count(missing, "result", "results");
            let message = format!(
                "Without a duration: {results} of the {side}. The time of what holds them is unknown."
            );
            notes.add(NoteSeverity::Warning, "unknown-times", message);
        }
    }
}

fn repeated(documents: &[RegionDocument], side: &str, notes: &mut Notes) {
    let distinct = copies::distinct_runs(documents).len();
    if distinct < documents.len() {
        let runs = count(documents.len() as u64, "run", "runs");
        let are_simulated = documents.iter().all(|document| document.simulated);
        let why = if are_simulated {
            "a simulated device gives equal work equal times, which says nothing about how much runs differ"
        } else {
            "they are copies of one measurement"
        };
        let message = format!(
            "Of {runs} of the {side} only {distinct} count: the others repeat every time of another one to the last digit; {why}."
        );
        notes.add(NoteSeverity::Warning, "repeated-runs", message);
    }
}

/// Runs that both sides have.
fn both(sides: Both<'_>, notes: &mut Notes) {
    let (of_base, of_new) = (
        copies::on_both_sides(sides.base, sides.new),
        copies::on_both_sides(sides.new, sides.base),
    );
    if of_base == sides.base.len() && of_new == sides.new.len() {
        notes.add(NoteSeverity::Info, "same-run", "Both sides are the same.".to_owned());
    } else if of_base > 0 {
        let runs = count(of_base as u64, "run", "runs");
        let message =
            format!("{runs} of the base are also on the new side, by every time of them.");
        notes.add(NoteSeverity::Warning, "run-on-both-sides", message);
    }
}

/// What the documents themselves warn of, each warning once a side.
fn warnings(documents: &[RegionDocument], side: &str, notes: &mut Notes) {
    let warned: IndexSet<&str> = documents
        .iter()
        .flat_map(|document| &document.notes)
        .filter(|note| note.level == NoteLevel::Warning)
        .map(|note| note.message.as_str())
        .collect();
    for message in warned.iter().take(NAMED) {
        let message = format!("In the {side}: {message}");
        notes.add(NoteSeverity::Warning, "warning-of-a-run", message);
    }
}

fn list(names: &BTreeSet<String>) -> String {
    if names.is_empty() { "none".to_owned() } else { some(&names.iter().collect::<Vec<_>>()) }
}

/// The first names and how many more there are.
fn some(names: &[&String]) -> String {
    let mut shown: Vec<String> = names.iter().take(NAMED).map(|name| (*name).clone()).collect();
    if names.len() > NAMED {
        shown.push(format!("{} more", names.len() - NAMED));
    }
    shown.join(", ")
}

fn kind_name(options: &CompareOptions) -> &'static str {
    use rangescope_model::document::ScopeKind;
    match options.scope {
        ScopeKind::Process => "process",
        ScopeKind::Device => "device",
        ScopeKind::Aggregate => "aggregate",
    }
}
