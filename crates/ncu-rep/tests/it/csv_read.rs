//! Reading ncu's CSV pages: real ones of the shared corpus against the reports that they were printed from, and all kinds of broken ones.

use std::path::PathBuf;
use std::process::Command;

use ncu_rep::csv::{CsvError, CsvReport, NoteKind, Page, looks_like_csv, read};
use ncu_rep::{NvtxState, Report, ResultData, Value};

/// The files of the corpus with what is in them.
const CORPUS: [(&str, Page, usize); 14] = [
    ("AveryClapp__ESMM-Research__metrics.csv", Page::Details, 9),
    ("CodeGandee__llm-perf-opt__ncu.details.csv", Page::Details, 1),
    ("CodeGandee__llm-perf-opt__ncu.metrics.csv", Page::Details, 1),
    ("CodeGandee__llm-perf-opt__ncu.section_SpeedOfLight_RooflineChart.csv", Page::Details, 1),
    ("brycelelbach__nsightful__copy_blocked.csv", Page::Details, 1),
    ("derived__Bias92__flashattn-cuda__db_full_after_n4096.ncu2024.1.1.raw.csv", Page::Raw, 1),
    ("derived__NVIDIA__nsight-training__manual_nvtx.ncu2022.3.0.details.csv", Page::Details, 3),
    ("derived__NVIDIA__nsight-training__manual_nvtx.ncu2022.3.0.raw-base.csv", Page::Raw, 3),
    ("derived__NVIDIA__nsight-training__manual_nvtx.ncu2022.3.0.raw.csv", Page::Raw, 3),
    ("derived__NVIDIA__nsight-training__manual_nvtx.ncu2024.1.1.details.csv", Page::Details, 3),
    ("derived__NVIDIA__nsight-training__manual_nvtx.ncu2024.1.1.raw-base.csv", Page::Raw, 3),
    ("derived__NVIDIA__nsight-training__manual_nvtx.ncu2024.1.1.raw-fp.csv", Page::Raw, 3),
    ("derived__NVIDIA__nsight-training__manual_nvtx.ncu2024.1.1.raw-nvtx-rename.csv", Page::Raw, 3),
    ("derived__panjd123__cutlass__384.ncu2024.1.1.raw.csv", Page::Raw, 3),
];

/// Per cent per kilobyte: ncu divides the value where it should multiply, so that it does not come back.
const MISSCALED: &str = "derived__pct_occupancy_per_shared_mem_size";

#[test]
fn every_file_of_the_corpus_is_read() {
    let Some(shared) = crate::support::shared("CSV files") else { return };
    for (name, page, results) in CORPUS {
        let bytes = std::fs::read(shared.join("corpus/csv").join(name)).unwrap();
        assert!(looks_like_csv(&bytes[..4096]), "{name}");
        let report = read(&bytes).unwrap();
        assert_eq!((report.page, report.results.len()), (page, results), "{name}");
        let notes: Vec<_> = report.notes.iter().map(|note| &note.kind).collect();
        let renamed = name.contains("nvtx-rename").then_some(&NoteKind::RenamedKernels);
        assert_eq!(notes, Vec::from_iter(renamed), "{name}");
    }
}

#[test]
fn other_files_of_the_corpus_are_refused() {
    let Some(shared) = crate::support::shared("CSV files") else { return };
    let read = |name: &str| read(&std::fs::read(shared.join("corpus/csv").join(name)).unwrap());
    let text = read("AveryClapp__ESMM-Research__profile_multi3.txt");
    assert_eq!(text, Err(CsvError::NoHeader { lines: 72 }));
    for version in ["2022.3.0", "2024.1.1"] {
        let summary = read(&format!(
            "derived__NVIDIA__nsight-training__manual_nvtx.ncu{version}.summary-per-nvtx.csv"
        ));
        assert_eq!(summary, Err(CsvError::Summary { line: 1 }));
    }
}

#[test]
fn values_are_those_of_the_report() {
    let Some(shared) = crate::support::shared("CSV files against reports") else { return };
    let mut values = 0;
    for (name, page, _) in CORPUS {
        let Some((stem, _)) =
            name.strip_prefix("derived__").and_then(|name| name.split_once(".ncu2"))
        else {
            continue;
        };
        let csv = read(&std::fs::read(shared.join("corpus/csv").join(name)).unwrap()).unwrap();
        let report =
            Report::open(shared.join("corpus/reports").join(format!("{stem}.ncu-rep"))).unwrap();
        values += compare(name, &csv, &report);
        assert_eq!(csv.page, page);
    }
    println!("{values} values agree");
}

#[test]
fn what_ncu_prints_is_read_back() {
    let Some(shared) = crate::support::shared("printed pages against reports") else { return };
    let mut values = 0;
    for version in ["2022.3", "2024.1"] {
        let Some(ncu) = installed_ncu(version) else {
            eprintln!(
                "SKIPPED: printed pages against reports, because ncu {version} is not installed"
            );
            continue;
        };
        let mut reports: Vec<_> =
            std::fs::read_dir(shared.join("corpus/reports")).unwrap().map(|e| e.unwrap()).collect();
        reports.sort_by_key(std::fs::DirEntry::path);
        // The large reports say nothing that the small ones do not, and ncu is slow with them.
        for report in reports.iter().filter(|report| report.metadata().unwrap().len() < 500_000) {
            for page in ["raw", "details"] {
                let arguments = ["--csv", "--page", page, "--import"];
                let output = Command::new(&ncu)
                    .args(arguments)
                    .arg(report.path())
                    .env("LC_ALL", "C")
                    .output()
                    .unwrap();
                // Not every version opens every report.
                let Ok(csv) = read(&output.stdout) else { continue };
                let name = format!("{} {version} {page}", report.file_name().display());
                values += compare(&name, &csv, &Report::open(report.path()).unwrap());
            }
        }
    }
    println!("{values} values agree");
}

/// ncu of a version, if it is installed.
fn installed_ncu(version: &str) -> Option<PathBuf> {
    let tools = match std::env::var_os("RANGESCOPE_TOOLS") {
        Some(tools) => PathBuf::from(tools),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache/rangescope-tools"),
    };
    Some(tools.join("bin").join(format!("ncu-{version}"))).filter(|ncu| ncu.exists())
}

/// Compares results with those of a report in the same order. Gives the number of values.
fn compare(name: &str, csv: &CsvReport, report: &Report) -> usize {
    let mut values = 0;
    assert_eq!(csv.results.len(), report.len(), "{name}");
    let largest = |metric: &str| {
        let of_result = |result: &ResultData<'_>| result.metric(metric)?.value.as_ref()?.as_f64();
        csv.results.iter().filter_map(of_result).fold(0.0, f64::max)
    };
    for (found, expected) in csv.results.iter().zip(report.results()) {
        let expected = expected.decode().unwrap();
        compare_identity(name, found, &expected);
        for metric in &found.metrics {
            let known = expected
                .metric(&metric.name)
                .unwrap_or_else(|| panic!("{name}: no {}", metric.name));
            match (&metric.value, &known.value) {
                _ if metric.name == MISSCALED => continue,
                (Some(Value::Text(found)), Some(Value::Text(expected))) => {
                    assert_eq!(found, expected, "{name}");
                }
                (Some(found), Some(expected)) => {
                    let (found, expected) = (found.as_f64().unwrap(), expected.as_f64().unwrap());
                    // Two decimals of the unit as printed: on the details page of each value's unit, on the raw page six of the column's.
                    let precision = match csv.page {
                        Page::Details => 0.005 * unit_of(found.abs()),
                        Page::Raw => f64::max(0.005, 5e-7 * unit_of(largest(&metric.name))),
                    };
                    // An infinity makes NaN of its whole column, and a column of NaN prints as zeros.
                    let lost = !found.is_finite() || (expected.is_nan() && found == 0.0);
                    let close = (found - expected).abs() <= precision * 1.001;
                    assert!(
                        close || lost,
                        "{name}: {} is {expected}, read as {found}",
                        metric.name
                    );
                }
                (None, None) => {}
                (found, expected) => {
                    panic!("{name}: {} is {expected:?}, read as {found:?}", metric.name)
                }
            }
            values += 1;
        }
        if csv.page == Page::Raw {
            let shown = |metric: &ncu_rep::Metric<'_>| {
                let hidden = ["group:", "breakdown:", "regex:"]
                    .iter()
                    .any(|prefix| metric.name.starts_with(prefix));
                // A metric with instances only has an empty cell, and so has an empty text.
                let empty = metric
                    .value
                    .as_ref()
                    .map_or(!metric.instances.is_empty(), |v| v.as_text() == Some(""));
                !hidden && !empty
            };
            assert_eq!(
                found.metrics.len(),
                expected.metrics.iter().filter(|metric| shown(metric)).count(),
                "{name}"
            );
        }
        compare_sections_and_rules(name, found, &expected, csv.page);
    }
    values
}

/// The multiple of the base unit in which a value would be printed.
fn unit_of(value: f64) -> f64 {
    let mut unit = 1.0;
    while value >= unit * 999.995 && unit < 1e15 {
        unit *= 1000.0;
    }
    unit
}

fn compare_identity(name: &str, found: &ResultData<'_>, expected: &ResultData<'_>) {
    assert_eq!(found.kind, expected.kind, "{name}");
    let shown = if expected.demangled.is_empty() { &expected.mangled } else { &expected.demangled };
    assert_eq!((&found.function, &found.demangled), (&expected.function, shown), "{name}");
    assert_eq!(found.process.pid, expected.process.pid, "{name}");
    assert_eq!(found.process.host, expected.process.host, "{name}");
    assert!(expected.process.executable.ends_with(found.process.executable.as_ref()), "{name}");
    assert_eq!((found.context, found.stream), (expected.context, expected.stream), "{name}");
    if name.contains("2022.3") {
        assert_eq!(found.time, expected.time, "{name}");
    } else {
        assert_eq!(found.device(), expected.device(), "{name}");
        assert_eq!((found.grid, found.block), (expected.grid, expected.block), "{name}");
    }
    let ranges = |nvtx: &Option<NvtxState<'_>>| -> Vec<String> {
        let mut lines = Vec::new();
        for domain in nvtx.iter().flat_map(|nvtx| &nvtx.domains) {
            for (kind, range) in domain
                .push_pop
                .iter()
                .map(|r| ("pp", r))
                .chain(domain.start_end.iter().map(|r| ("se", r)))
            {
                let attributes = range.attributes.clone().unwrap_or_default();
                let color = attributes.color.filter(|(kind, _)| *kind == 1);
                let payload = attributes.payload.filter(|(kind, _)| *kind != 0);
                let message = attributes
                    .message
                    .filter(|message| message.kind != 0)
                    .map(|message| (message.kind, message.text));
                lines.push(format!(
                    "{kind} {} {:?} {} {color:?} {payload:?} {message:?}",
                    domain.name, range.id, range.name
                ));
            }
        }
        lines
    };
    assert_eq!(ranges(&found.nvtx), ranges(&expected.nvtx), "{name}");
    if !ranges(&found.nvtx).is_empty() {
        assert_eq!(found.thread, expected.thread, "{name}");
    }
}

fn compare_sections_and_rules(
    name: &str,
    found: &ResultData<'_>,
    expected: &ResultData<'_>,
    page: Page,
) {
    if page == Page::Raw {
        assert!(found.sections.is_empty() && found.rules.is_empty(), "{name}");
        return;
    }
    for section in &found.sections {
        let known = expected.sections.iter().find(|known| known.name == section.name).unwrap();
        assert!(section.id == known.id || section.id == section.name, "{name}");
        for header in &section.header {
            // 2022.3 prints two labels as they are in the body.
            let is_known = known.header.iter().any(|known| {
                known.name == header.name
                    && (known.label == header.label || header.label.ends_with(" [%]"))
            });
            // Metrics that were asked for as a group stand there one by one.
            assert!(
                is_known || known.name == "Command line profiler metrics",
                "{name}: {header:?}"
            );
        }
    }
    let messages = |result: &ResultData<'_>| -> Vec<(String, String, u32)> {
        let rules =
            result.rules.iter().flat_map(|rule| rule.items.iter().map(move |item| (rule, item)));
        let mut messages: Vec<_> = rules
            .filter_map(|(rule, item)| {
                Some((rule.id.to_string(), rule.section.to_string(), item.message.as_ref()?.kind.0))
            })
            .collect();
        messages.sort();
        messages
    };
    assert_eq!(messages(found), messages(expected), "{name}");
}
