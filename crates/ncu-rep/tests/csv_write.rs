//! The raw page against what real ncu prints: files of the shared corpus, and ncu itself where it is installed.
//!
//! The pages of the corpus must be equal byte for byte with the units that this crate takes from the names. Pages of other reports are compared with the units that ncu itself printed, because its table has more oddities than this crate lists.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail on what it cannot read")]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use ncu_rep::Report;
use ncu_rep::csv::{Layout, RawOptions, Units, write_raw, write_raw_with_units};

/// The ways in which ncu was asked to print, with what the files are called after them.
const WAYS: [(&str, Units, bool, &[&str]); 3] = [
    ("raw", Units::Auto, false, &[]),
    ("raw-base", Units::Base, false, &["--print-units", "base"]),
    ("raw-fp", Units::Auto, true, &["--print-fp"]),
];
const VERSIONS: [(&str, Layout); 2] =
    [("2022.3.0", Layout::V2022_3), ("2024.1.1", Layout::V2024_1)];

/// Rows of synthetic reports that cannot print alike, told by a piece of what ncu prints: the model does not hold what is needed, or is newer than the tool.
const DEVIATIONS: [(&str, &str); 1] =
    [("\"domain_not_declared\"", "a thread that has ranges in undeclared domains only")];

#[test]
fn the_pages_of_the_corpus_come_out_byte_for_byte() {
    let Some(shared) = support::shared("the raw page against printed ones") else { return };
    let (mut pages, mut cells) = (0, 0);
    for_each_page(&shared, |name, report, options, expected| {
        let found = page_with_units(report, options, &base_units(expected));
        assert_same(name, expected, &found);
        pages += 1;
        cells += count_cells(expected);
    });
    println!("{pages} pages with {cells} cells are equal");
    assert_eq!(pages, 7, "pages of the corpus");
}

#[test]
fn the_units_are_those_that_ncu_prints() {
    let Some(shared) = support::shared("the raw page against printed ones") else { return };
    for_each_page(&shared, |name, report, options, expected| {
        let results: Vec<_> = report.results().collect();
        let mut found = Vec::new();
        write_raw(results.len(), |number| results[number].decode(), options, &mut found).unwrap();
        assert_same(name, expected, &String::from_utf8(found).unwrap());
    });
}

#[test]
fn every_report_prints_as_ncu_2022_3_prints_it() {
    let Some((pages, cells)) = compare_with_ncu("2022.3", Layout::V2022_3) else {
        return println!("SKIPPED: the raw page against ncu 2022.3, because it is not installed");
    };
    println!("{pages} pages with {cells} cells are equal");
}

#[test]
fn every_report_prints_as_ncu_2024_1_prints_it() {
    let Some((pages, cells)) = compare_with_ncu("2024.1", Layout::V2024_1) else {
        return println!("SKIPPED: the raw page against ncu 2024.1, because it is not installed");
    };
    println!("{pages} pages with {cells} cells are equal");
}

/// Compares all reports of the corpus. Gives the number of pages and cells, or nothing if something is not installed.
fn compare_with_ncu(version: &str, layout: Layout) -> Option<(usize, usize)> {
    let shared = support::shared("the raw page against ncu")?;
    let ncu = ncu(version)?;
    let mut total = (0, 0);
    for path in ["corpus/reports", "corpus/synthetic"]
        .iter()
        .flat_map(|folder| reports(&shared.join(folder)))
    {
        let Ok(report) = Report::open(&path) else { continue };
        let name = path.file_stem().unwrap().display();
        let (pages, cells) =
            compare_report(&format!("{name} {version}"), &report, &path, &ncu, layout);
        total = (total.0 + pages, total.1 + cells);
    }
    Some(total)
}

/// Compares all ways to print a report. Gives the number of pages and cells, which is nothing if this version cannot open it.
fn compare_report(
    name: &str,
    report: &Report,
    path: &Path,
    ncu: &Path,
    layout: Layout,
) -> (usize, usize) {
    let Some(base) = printed(ncu, path, &["--print-units", "base"]) else { return (0, 0) };
    let units = base_units(&base);
    let mut cells = 0;
    for (way, units_option, fp, arguments) in WAYS {
        let expected =
            if way == "raw-base" { base.clone() } else { printed(ncu, path, arguments).unwrap() };
        let found = page_with_units(report, RawOptions { units: units_option, layout, fp }, &units);
        let (expected, found) = without_deviations(&expected, &found);
        assert_same(&format!("{name} {way}"), &expected, &found);
        cells += count_cells(&expected);
    }
    (WAYS.len(), cells)
}

/// Calls `check` with every printed page of the corpus and the report that it was printed from.
fn for_each_page(shared: &Path, mut check: impl FnMut(&str, &Report, RawOptions, &str)) {
    for (version, layout) in VERSIONS {
        for (way, units, fp, _) in WAYS {
            for path in reports(&shared.join("corpus/reports")) {
                let name = format!(
                    "derived__{}.ncu{version}.{way}.csv",
                    path.file_stem().unwrap().display()
                );
                let Ok(expected) = std::fs::read(shared.join("corpus/csv").join(&name)) else {
                    continue;
                };
                let report = Report::open(&path).unwrap();
                check(
                    &name,
                    &report,
                    RawOptions { units, layout, fp },
                    &String::from_utf8(expected).unwrap(),
                );
            }
        }
    }
}

fn page_with_units(
    report: &Report,
    options: RawOptions,
    units: &BTreeMap<String, String>,
) -> String {
    let results: Vec<_> = report.results().collect();
    let unit_of = |metric: &str, _| units.get(metric).cloned().unwrap_or_default().into();
    let mut page = Vec::new();
    write_raw_with_units(
        results.len(),
        |number| results[number].decode(),
        &unit_of,
        options,
        &mut page,
    )
    .unwrap();
    String::from_utf8(page).unwrap()
}

fn assert_same(name: &str, expected: &str, found: &str) {
    if expected != found {
        for (row, (expected_row, found_row)) in table(expected).iter().zip(table(found)).enumerate()
        {
            assert_eq!(expected_row.len(), found_row.len(), "{name}: cells in row {row}");
            for (column, cell) in expected_row.iter().enumerate() {
                assert_eq!(*cell, found_row[column], "{name}: row {row}, column {column}");
            }
        }
        panic!("{name}: {} bytes instead of {}", found.len(), expected.len());
    }
}

/// Cells as ncu means them; good enough for the corpus, where no name holds the separator.
fn table(page: &str) -> Vec<Vec<&str>> {
    let inner =
        |line| str::strip_prefix(line, '"').and_then(|line| line.strip_suffix('"')).unwrap_or(line);
    page.lines().map(|line| inner(line).split("\",\"").collect()).collect()
}

fn count_cells(page: &str) -> usize {
    table(page).iter().map(Vec::len).sum()
}

/// Leaves out rows that cannot be alike. The pages have the same rows, so that it is the same rows in both.
fn without_deviations(expected: &str, found: &str) -> (String, String) {
    let deviates = |line: &str| DEVIATIONS.iter().any(|(piece, _)| line.contains(piece));
    let kept: Vec<bool> = expected.lines().map(|line| !deviates(line)).collect();
    assert_eq!(kept.len(), found.lines().count(), "number of rows");
    let keep = |page: &str| {
        page.split_inclusive('\n')
            .zip(&kept)
            .filter(|(_, kept)| **kept)
            .map(|(line, _)| line)
            .collect()
    };
    (keep(expected), keep(found))
}

/// The base units of a page's columns.
fn base_units(page: &str) -> BTreeMap<String, String> {
    let table = table(page);
    let names = table[0].iter().map(|name| (*name).to_owned());
    names
        .zip(table[1].iter().map(|unit| unscaled(unit)))
        .filter(|(_, unit)| !unit.is_empty())
        .collect()
}

fn unscaled(unit: &str) -> String {
    let byte = |part: &str| match part.strip_suffix("byte") {
        Some("K" | "M" | "G" | "T" | "P") => "byte".to_owned(),
        _ => part.to_owned(),
    };
    let is_time = |part: &str| matches!(part.strip_suffix("second"), Some("" | "n" | "u" | "m"));
    match unit.split_once('/') {
        Some((above, below)) if is_time(below) => format!("{}/second", byte(above)),
        Some((above, below)) => format!("{}/{}", byte(above), byte(below)),
        None if is_time(unit) => "nsecond".to_owned(),
        None => byte(unit),
    }
}

/// ncu of a version, if it is installed.
fn ncu(version: &str) -> Option<PathBuf> {
    let tools = match std::env::var_os("RANGESCOPE_TOOLS") {
        Some(tools) => PathBuf::from(tools),
        None => PathBuf::from(std::env::var_os("HOME")?).join(".cache/rangescope-tools"),
    };
    Some(tools.join("bin").join(format!("ncu-{version}"))).filter(|ncu| ncu.exists())
}

/// What ncu prints for a report; nothing if this version cannot open it.
fn printed(ncu: &Path, report: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(ncu);
    command
        .args(["--csv", "--page", "raw"])
        .args(arguments)
        .arg("--import")
        .arg(report)
        .env("LC_ALL", "C");
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    text.find("\"ID\"").map(|start| text[start..].to_owned())
}

fn reports(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with("-rep"));
    files.sort();
    files
}
