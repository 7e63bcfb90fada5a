//! What makes runs not comparable is said first.

use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_model::comparison::NoteSeverity;
use rangescope_model::document::{Basis, DeviceInfo, RegionDocument, SourceInfo};
use rangescope_testing::documents::{metric, run};

fn codes(base: &RegionDocument, new: &RegionDocument) -> Vec<(NoteSeverity, String)> {
    let comparison =
        compare(std::slice::from_ref(base), std::slice::from_ref(new), &CompareOptions::default());
    let notes = comparison.notes.into_iter().filter(|note| note.code != "unknown-clocks");
    notes.map(|note| (note.severity, note.code)).collect()
}

#[track_caller]
fn expect(change: impl FnOnce(&mut RegionDocument), severity: NoteSeverity, code: &str) {
    let base = clocked(run(1.0, 1.0, 1.0));
    let mut new = base.clone();
    change(&mut new);
    let codes = codes(&base, &new);
    assert_eq!(codes.first(), Some(&(severity, code.to_owned())), "{codes:?}");
}

fn clocked(mut run: RegionDocument) -> RegionDocument {
    let clock = metric(1.4e9);
    run.reports[0].totals.metrics.insert("sm__cycles_elapsed.avg.per_second".to_owned(), clock);
    run.devices = vec![DeviceInfo {
        pci: None,
        id: 0,
        name: Some("NVIDIA A100".to_owned()),
        compute_capability: Some("8.0".to_owned()),
        hosts: Vec::new(),
    }];
    run.sources = vec![SourceInfo {
        file: "a.ncu-rep".to_owned(),
        format: "ncu-rep".to_owned(),
        profiler: Some("2024.1".to_owned()),
        results: 1,
        lost: 0,
    }];
    run
}

#[test]
fn each_reason() {
    use NoteSeverity::{Incomparable, Info, Warning};
    expect(|_| (), Info, "same-run");
    expect(|new| new.simulated = true, Incomparable, "simulated-and-real");
    expect(|new| new.devices[0].name = Some("H100".to_owned()), Incomparable, "other-device");
    expect(|new| new.reports[0].basis = Basis::Range, Incomparable, "no-common-scope");
    expect(|new| new.sources[0].profiler = Some("2025.1".to_owned()), Warning, "other-profiler");
    expect(|new| new.config_fingerprint = "x".to_owned(), Warning, "other-selection");
    expect(|new| new.sources[0].lost = 2, Warning, "lost-results");
    expect(
        |new| {
            let metrics = &mut new.reports[0].totals.metrics;
            metrics.insert("more.sum".to_owned(), metric(1.0));
        },
        Warning,
        "other-metrics",
    );
    expect(
        |new| {
            let metrics = &mut new.reports[0].totals.metrics;
            metrics.insert("sm__cycles_elapsed.avg.per_second".to_owned(), metric(1.2e9));
        },
        Warning,
        "other-clocks",
    );
}

/// Which side lost how much, and in which files.
#[test]
fn losses_are_named() {
    let lossy = |lost: &[u64]| {
        let mut run = clocked(run(1.0, 1.0, 1.0));
        let source = run.sources.remove(0);
        run.sources = (0..)
            .zip(lost)
            .map(|(at, lost)| SourceInfo {
                file: format!("{at}.ncu-rep"),
                lost: *lost,
                ..source.clone()
            })
            .collect();
        run
    };
    let comparison =
        compare(&[lossy(&[1])], &[lossy(&[0, 2, u64::MAX])], &CompareOptions::default());
    let lost = comparison.notes.iter().filter(|note| note.code == "lost-results");
    let messages: Vec<&str> = lost.map(|note| note.message.as_str()).collect();
    insta::assert_snapshot!(messages.join("\n"), @r"
    Lost or damaged, and in no number: 1 result of the base (0.ncu-rep).
    Lost or damaged, and in no number: 18,446,744,073,709,551,615 results of the new side (1.ncu-rep, 2.ncu-rep).
    ");
}

#[test]
fn what_is_worst_comes_first() {
    let base = clocked(run(1.0, 1.0, 1.0));
    let mut new = base.clone();
    new.sources[0].profiler = None;
    new.simulated = true;
    new.config_fingerprint = "x".to_owned();
    new.reports[0].selection.kernel_exclude = vec!["memset*".to_owned()];
    let comparison = compare(&[base], &[new], &CompareOptions::default());
    let severities: Vec<NoteSeverity> = comparison.notes.iter().map(|note| note.severity).collect();
    assert!(severities.is_sorted(), "{severities:?}");
    assert_eq!(comparison.notes[0].code, "simulated-and-real");
    let selection = comparison.notes.iter().find(|note| note.code == "other-selection").unwrap();
    insta::assert_snapshot!(selection.message, @"Other selections: everything against without kernels memset*.");
}

#[test]
fn nothing_to_compare() {
    let comparison = compare(&[], &[run(1.0, 1.0, 1.0)], &CompareOptions::default());
    assert_eq!(comparison.notes[0].code, "no-runs");
    assert!(comparison.scopes.is_empty());
}

/// Five runs a side, stamped as they say.
fn stamped(base: &[u32], new: &[u32], drift: f64) -> Vec<(NoteSeverity, String)> {
    let side = |minutes: &[u32]| -> Vec<RegionDocument> {
        let runs = minutes.iter().map(|minute| {
            let own = 0.001 * f64::from(minute * 7 % 5) + 1e-6 * f64::from(*minute);
            let factor = (1.0 + own) * (1.0 + drift * f64::from(*minute));
            let mut run = clocked(run(factor, factor, factor));
            run.generated_at = (*minute < 60).then(|| format!("2026-01-01T00:{minute:02}:00Z"));
            run
        });
        runs.collect()
    };
    let comparison = compare(&side(base), &side(new), &CompareOptions::default());
    comparison.notes.into_iter().map(|note| (note.severity, note.code)).collect()
}

#[test]
fn the_order_of_the_runs_is_said() {
    let one_side_first = (NoteSeverity::Warning, "one-side-first".to_owned());
    let drift = (NoteSeverity::Warning, "drift".to_owned());
    let unknown = (NoteSeverity::Info, "unknown-order".to_owned());
    assert_eq!(
        stamped(&[0, 1, 2, 3, 4], &[5, 6, 7, 8, 9], 0.0),
        std::slice::from_ref(&one_side_first)
    );
    assert_eq!(stamped(&[0, 2, 4, 6, 8], &[1, 3, 5, 7, 9], 0.0), []);
    let both = stamped(&[0, 1, 2, 3, 4], &[5, 6, 7, 8, 9], 0.02);
    assert_eq!(both, [one_side_first, drift.clone()]);
    assert_eq!(stamped(&[0, 2, 4, 6, 8], &[1, 3, 5, 7, 9], 0.02), [drift]);
    assert_eq!(stamped(&[70, 71, 72, 73], &[74, 75, 76, 77], 0.0), [unknown]);
}
