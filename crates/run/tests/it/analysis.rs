//! From files to documents: the sample, several inputs, damage, any number of threads, and folders that were moved.

use std::path::{Path, PathBuf};

use ncu_rep::csv::{Layout, RawOptions, Units, write_raw};
use ncu_rep::write::ReportWriter;
use rangescope_analyze::aggregate::AnalysisOptions;
use rangescope_config::{CONFIG_NAME, Tree, compose};
use rangescope_model::document::{Method, RegionDocument, ScopeKind, ScopeReport};
use rangescope_read::Input;
use rangescope_run::analysis::{Request, analyse};
use rangescope_run::reports::{self, ReportRequest};
use rangescope_run::{RunError, RunFolder, context, load};
use rangescope_sim::sample;
use rangescope_testing::shared;
use tempfile::TempDir;

/// A report of the sample program as this process.
fn report(pid: u32) -> Vec<u8> {
    let mut writer = ReportWriter::new(Vec::new()).unwrap();
    writer.session(&sample::session(), &sample::process(pid)).unwrap();
    for data in sample::results(pid, 0) {
        writer.result(&data).unwrap();
    }
    writer.finish().unwrap()
}

fn csv() -> Vec<u8> {
    let results = sample::results(4242, 0);
    let options = RawOptions { units: Units::Base, layout: Layout::V2024_1, fp: false };
    let mut text = Vec::new();
    write_raw(results.len(), |at| results.get(at), options, &mut text).unwrap();
    text
}

fn folder(files: &[(&str, &[u8])]) -> (TempDir, Vec<PathBuf>) {
    let folder = tempfile::tempdir().unwrap();
    let written = files.iter().map(|(name, bytes)| {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, bytes).unwrap();
        path
    });
    let paths = written.collect();
    (folder, paths)
}

fn analysed(paths: &[PathBuf], one_program: bool) -> RegionDocument {
    let inputs = Input::open_all(paths).unwrap();
    let options = AnalysisOptions::default();
    let request =
        Request { options: &options, tool: ("test", "0"), one_program, progress: &|_, _| () };
    analyse(&inputs, &request).unwrap()
}

fn of_kind(document: &RegionDocument, kind: ScopeKind) -> Vec<&ScopeReport> {
    document.reports.iter().filter(|report| report.scope.kind == kind).collect()
}

fn bytes(document: &RegionDocument) -> String {
    serde_json::to_string(document).unwrap()
}

#[test]
fn the_sample_from_file_to_document() {
    let (_keep, paths) = folder(&[("sample.ncu-rep", &report(4242))]);
    let loaded = load(&paths, &Ok, &|_, _| ()).unwrap();
    let made = &loaded.document;
    let results = sample::results(4242, 0).len() as u64;
    assert!(made.simulated);
    assert_eq!(
        (made.sources[0].file.as_str(), made.sources[0].results),
        ("sample.ncu-rep", results)
    );
    let [aggregate] = of_kind(made, ScopeKind::Aggregate)[..] else { panic!("one aggregate") };
    assert_eq!(aggregate.totals.kernel_count, results);
    let names: Vec<&str> = aggregate.regions.iter().map(|region| region.name.as_str()).collect();
    assert_eq!(names[..3], ["prefill", "prefill::embed", "prefill::layers.0"], "{names:?}");
    assert!(names.contains(&"decode") && names.contains(&"decode::sample"), "{names:?}");
    let roots = aggregate.regions.iter().filter(|region| region.depth == 0);
    let inside: u64 = roots.map(|region| region.set.kernel_count).sum();
    assert_eq!(inside + aggregate.unlabeled.kernel_count, results);
    assert_eq!(aggregate.unlabeled.kernels[0].function, "fill");
    // What was written before is read as the same document.
    let (_keep, json) = folder(&[("report.json", bytes(made).as_bytes())]);
    assert_eq!(&load(&json[..1], &Ok, &|_, _| ()).unwrap().document, made);
}

#[test]
fn progress_ends_at_the_number_of_results() {
    let (_keep, paths) = folder(&[("a.ncu-rep", &report(1)), ("b.ncu-rep", &report(2))]);
    let told = std::sync::Mutex::new(Vec::new());
    load(&paths, &Ok, &|done, all| told.lock().unwrap().push((done, all))).unwrap();
    let told = told.into_inner().unwrap();
    let all = 2 * sample::results(1, 0).len() as u64;
    assert_eq!(told.last(), Some(&(all, all)));
    assert!(told.is_sorted(), "{told:?}");
}

#[test]
fn a_report_and_its_csv_give_the_same_regions() {
    let (_keep, report) = folder(&[("a.ncu-rep", &report(4242))]);
    let (_keep_too, csv) = folder(&[("a.csv", &csv())]);
    let (report, csv) = (analysed(&report, false), analysed(&csv, false));
    assert_eq!(
        (report.sources[0].format.as_str(), csv.sources[0].format.as_str()),
        ("ncu-rep", "ncu-csv")
    );
    let near = |one: f64, other: f64| (one - other).abs() <= 1e-6 * one.abs().max(1e-9);
    // ncu prints two digits after the point of most values that are not whole.
    // A sum of rounded numbers is off by as much as all of them.
    let printed = |one: f64, other: f64, results: u64| {
        near(one, other) || (one - other).abs() <= 0.005_001 * results.max(1) as f64
    };
    assert_eq!(report.reports.len(), csv.reports.len());
    for (report, csv) in report.reports.iter().zip(&csv.reports) {
        assert_eq!(report.scope.id, csv.scope.id);
        assert!(near(report.totals.total_ms.unwrap(), csv.totals.total_ms.unwrap()));
        assert_eq!(report.regions.len(), csv.regions.len());
        for (report, csv) in report.regions.iter().zip(&csv.regions) {
            assert_eq!((&report.name, report.set.kernel_count), (&csv.name, csv.set.kernel_count));
            assert_eq!(report.exclusive_kernel_count, csv.exclusive_kernel_count);
            assert!(
                near(report.set.total_ms.unwrap(), csv.set.total_ms.unwrap()),
                "{}",
                report.name
            );
            assert!(
                near(report.exclusive_ms.unwrap(), csv.exclusive_ms.unwrap()),
                "{}",
                report.name
            );
            // CSV does not list the counters of which a throughput is the largest, so that of several results is made in another way.
            let is_listed =
                |name: &&String| report.set.kernel_count > 1 && name.contains("throughput");
            for (name, metric) in csv.set.metrics.iter().filter(|(name, _)| !is_listed(name)) {
                let known = &report.set.metrics[name];
                // Rounded counts no longer give the ratio, so that CSV weighs by the denominator where the report divides sums.
                let is_ratio = known.method == Method::RatioOfSums;
                assert!(is_ratio || known.method == metric.method, "{name}");
                assert_eq!(known.covered, metric.covered, "{name}");
                if let (Some(one), Some(other)) = (
                    rangescope_testing::documents::number(known),
                    rangescope_testing::documents::number(metric),
                ) {
                    let summed = if metric.method == Method::Sum { metric.covered } else { 1 };
                    assert!(
                        printed(one, other, summed),
                        "{} {name}: {one} and {other}",
                        report.name
                    );
                }
            }
        }
    }
}

#[test]
fn several_programs_are_several_processes_and_captures_of_one_are_one() {
    let (_keep, paths) = folder(&[("a.ncu-rep", &report(1)), ("b.ncu-rep", &report(2))]);
    let results = sample::results(1, 0).len() as u64;
    let apart = analysed(&paths, false);
    let processes = of_kind(&apart, ScopeKind::Process);
    let pids: Vec<Option<u32>> = processes.iter().map(|report| report.scope.process_id).collect();
    assert_eq!(pids, [Some(1), Some(2)]);
    assert!(processes.iter().all(|report| report.totals.kernel_count == results));
    let together = analysed(&paths, true);
    let [process] = of_kind(&together, ScopeKind::Process)[..] else {
        panic!("{} processes", of_kind(&together, ScopeKind::Process).len())
    };
    assert_eq!(process.totals.kernel_count, 2 * results);
    for document in [&apart, &together] {
        let [aggregate] = of_kind(document, ScopeKind::Aggregate)[..] else {
            panic!("one aggregate")
        };
        assert_eq!(aggregate.totals.kernel_count, 2 * results);
    }
}

#[test]
fn damage_is_told_and_the_rest_is_counted() {
    let mut cut = report(4242);
    cut.truncate(cut.len() * 2 / 3);
    let (_keep, paths) = folder(&[("cut.ncu-rep", &cut), ("whole.ncu-rep", &report(4242))]);
    let made = analysed(&paths, true);
    let note = made.notes.iter().find(|note| note.code == "damaged-input").unwrap();
    assert!(note.message.starts_with("cut.ncu-rep: "), "{}", note.message);
    assert!(!made.notes.iter().any(|note| note.message.starts_with("whole.ncu-rep")));
    let [cut, whole] = &made.sources[..] else { panic!("two sources") };
    assert!(cut.results > 0 && cut.results < whole.results && cut.lost > 0, "{cut:?}");
    assert_eq!(whole.lost, 0);
    let aggregate = of_kind(&made, ScopeKind::Aggregate)[0];
    assert_eq!(aggregate.totals.kernel_count, cut.results + whole.results);
}

/// The same bytes, whatever the number of threads.
fn same_on_all_threads(paths: &[PathBuf]) {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        bytes(&pool.install(|| analysed(paths, false)))
    };
    let alone = with(1);
    for threads in [2, 3, 8] {
        assert!(with(threads) == alone, "{threads} threads differ for {paths:?}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    // More results than one chunk, so that there is something to share out.
    let reports: Vec<(String, Vec<u8>)> =
        (1..=4).map(|pid| (format!("{pid}.ncu-rep"), report(pid))).collect();
    let files: Vec<(&str, &[u8])> =
        reports.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let (_keep, paths) = folder(&files);
    same_on_all_threads(&paths);
    let Some(shared) = shared("real reports on several threads") else { return };
    let real = shared.join("corpus/reports");
    same_on_all_threads(&[
        real.join("NVIDIA__nsight-training__manual_nvtx.ncu-rep"),
        real.join("AveryClapp__ESMM-Research__profile.71fb9e58.ncu-rep"),
    ]);
}

/// A folder as a run leaves it, without the captures.
fn run_folder(root: &Path) -> RunFolder {
    let folder = RunFolder::new(root);
    fs_err::create_dir_all(folder.ncu()).unwrap();
    let context = context().unwrap();
    let composed = compose(&Tree::embedded(), CONFIG_NAME, &[], &context).unwrap();
    fs_err::write(folder.config(), composed.resolve(&context).unwrap().to_yaml()).unwrap();
    fs_err::write(folder.inputs(), "{}\n").unwrap();
    folder
}

/// Every file below a folder with its bytes, by path from the folder.
fn all_files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                let bytes = fs_err::read(&path).unwrap();
                found.push((path.strip_prefix(root).unwrap().to_owned(), bytes));
            }
        }
    }
    found.sort();
    found
}

fn make(folder: &RunFolder) -> RegionDocument {
    let request =
        ReportRequest { options: AnalysisOptions::default(), files: reports::Files::default() };
    reports::make(folder, &request).unwrap()
}

#[test]
fn a_run_folder_that_was_moved_gives_the_same_bytes() {
    let around = tempfile::tempdir().unwrap();
    let folder = run_folder(&around.path().join("first"));
    fs_err::write(folder.ncu().join("p1.ncu-rep"), report(1)).unwrap();
    fs_err::write(folder.ncu().join("p2.ncu-rep"), report(2)).unwrap();
    let made = make(&folder);
    let before = all_files(folder.root());
    let names: Vec<&str> = before.iter().filter_map(|(path, _)| path.to_str()).collect();
    for expected in ["report.json", "report.md", "report.html", "ncu/raw.csv"] {
        assert!(names.contains(&expected), "{expected} is not among {names:?}");
    }
    let moved = around.path().join("deeper/and deeper/second");
    fs_err::create_dir_all(moved.parent().unwrap()).unwrap();
    fs_err::rename(folder.root(), &moved).unwrap();
    assert_eq!(make(&RunFolder::open(&moved).unwrap()), made);
    let after = all_files(&moved);
    assert_eq!(after.len(), before.len());
    for ((path, one), (same, other)) in before.iter().zip(&after) {
        assert_eq!(path, same);
        assert!(one == other, "{path:?} differs");
    }
    // Opening the folder is opening the run: its captures are of one program.
    let loaded = load(&[moved], &Ok, &|_, _| ()).unwrap();
    assert_eq!(of_kind(&loaded.document, ScopeKind::Process).len(), 1);
}

#[test]
fn a_run_in_which_nothing_was_profiled_has_a_report_that_says_so() {
    let around = tempfile::tempdir().unwrap();
    let folder = run_folder(&around.path().join("run"));
    let made = make(&folder);
    let codes: Vec<&str> = made.notes.iter().map(|note| note.code.as_str()).collect();
    assert_eq!(codes, ["nothing-profiled"]);
    assert!(folder.root().join("report.md").is_file());
}

#[test]
fn errors_say_which_file_and_what_to_do() {
    let (keep, paths) = folder(&[("report.json", b"{\"notes\": []}"), ("notes.txt", b"milk")]);
    let missing = keep.path().join("none.json");
    for (path, expected) in [
        (&paths[0], "is no report.json of rangescope"),
        (&paths[1], "is not an Nsight Compute report"),
        (&missing, "cannot read"),
    ] {
        let error = load(&[path.to_owned()], &Ok, &|_, _| ()).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(expected) && said.contains(&*path.to_string_lossy()), "{said}");
        assert!(error.hint().is_some_and(|hint| !hint.is_empty()), "{said}");
    }
    let error = RunFolder::open(keep.path()).unwrap_err();
    assert!(matches!(error, RunError::NotARunFolder { .. }), "{error}");
}

/// Files of so many ranks, with the records that tell them.
fn ranks(count: u32, with_records: bool) -> (TempDir, Vec<PathBuf>) {
    let report = report(4242);
    let record = |rank: u32| {
        let text = format!(
            r#"{{"format": "rangescope-rank 1.0", "rank": {rank}, "host": "node", "pid": 1, "profiled": true, "begun_at": "2026-01-01T00:00:00Z"}}"#
        );
        (format!("x.rank-{rank:05}.json"), text.into_bytes())
    };
    let mut files: Vec<(String, Vec<u8>)> =
        (0..count).map(|rank| (format!("x.rank-{rank:05}.ncu-rep"), report.clone())).collect();
    if with_records {
        files.extend((0..count).map(record));
    }
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let (folder, mut paths) = folder(&files);
    paths.truncate(count as usize);
    (folder, paths)
}

#[test]
fn many_ranks_have_brief_scopes_and_a_whole_aggregate() {
    const RANKS: u32 = 80;
    let (_keep, paths) = ranks(RANKS, true);
    let many = analysed(&paths, false);
    let codes: Vec<&str> = many.notes.iter().map(|note| note.code.as_str()).collect();
    assert!(codes.contains(&"brief-scopes"), "{codes:?}");
    // The same content is no copy where the ranks differ.
    assert!(!codes.contains(&"same-input-twice"), "{codes:?}");
    let processes = of_kind(&many, ScopeKind::Process);
    let seen: Vec<Option<u32>> = processes.iter().map(|report| report.scope.rank).collect();
    assert_eq!(seen, (0..RANKS).map(Some).collect::<Vec<_>>());
    // Without records they are one process, which has everything.
    let (_keep, plain) = ranks(RANKS, false);
    let one = analysed(&plain, false);
    let whole = of_kind(&one, ScopeKind::Aggregate)[0];
    let aggregate = of_kind(&many, ScopeKind::Aggregate)[0];
    assert_eq!(aggregate.totals.metrics, whole.totals.metrics);
    assert_eq!(aggregate.totals.rules, whole.totals.rules);
    assert_eq!(aggregate.selection.results_seen, whole.selection.results_seen);
    assert_eq!(aggregate.regions.len(), whole.regions.len());
    for (ours, theirs) in aggregate.regions.iter().zip(&whole.regions) {
        assert_eq!(ours.set.metrics, theirs.set.metrics, "{}", ours.name);
        assert_eq!(ours.set.kernels, theirs.set.kernels, "{}", ours.name);
    }
    // A brief scope has the same times, and the metrics of summaries with the same values.
    let (_keep, single) = folder(&[("one.ncu-rep", &report(4242))]);
    let single = analysed(&single, false);
    let single = of_kind(&single, ScopeKind::Process)[0];
    for process in processes {
        assert_eq!(process.regions.len(), single.regions.len());
        for (ours, theirs) in process.regions.iter().zip(&single.regions) {
            assert_eq!(
                (ours.set.total_ms, ours.exclusive_ms),
                (theirs.set.total_ms, theirs.exclusive_ms)
            );
            assert!(!ours.set.metrics.is_empty() && ours.set.metrics.len() < 10, "{}", ours.name);
            for (name, metric) in &ours.set.metrics {
                assert_eq!(metric.value, theirs.set.metrics[name].value, "{name}");
            }
        }
    }
}

#[test]
fn one_of_many_ranks_can_be_asked_for() {
    let (_keep, paths) = ranks(70, true);
    let adjust = |options: AnalysisOptions| {
        Ok(AnalysisOptions { scopes: vec!["rank:7".to_owned()], ..options })
    };
    let asked = load(&paths, &adjust, &|_, _| ()).unwrap().document;
    let (_keep, single) = folder(&[("one.ncu-rep", &report(4242))]);
    let single = analysed(&single, false);
    let [report] = &asked.reports[..] else { panic!("{} reports", asked.reports.len()) };
    assert_eq!(report.totals.metrics, of_kind(&single, ScopeKind::Process)[0].totals.metrics);
}

#[test]
fn many_files_give_one_document_on_any_number_of_threads() {
    let (_keep, paths) = ranks(70, true);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| bytes(&analysed(&paths, false)))
    };
    let one = on(1);
    assert!(one == on(2) && one == on(7));
}

#[test]
fn a_file_that_becomes_another_one_while_many_are_read_is_left_out() {
    let (_keep, paths) = ranks(70, true);
    let inputs = Input::open_all(&paths).unwrap();
    fs_err::write(&paths[69], report(1)).unwrap();
    fs_err::remove_file(&paths[68]).unwrap();
    let options = AnalysisOptions::default();
    let request = Request {
        options: &options,
        tool: ("test", "0"),
        one_program: false,
        progress: &|_, _| (),
    };
    let document = analyse(&inputs, &request).unwrap();
    let results = sample::results(4242, 0).len() as u64;
    let lost: Vec<u64> = document.sources.iter().map(|source| source.lost).collect();
    assert_eq!(lost[67..], [0, results, results]);
    let gone = document.notes.iter().filter(|note| note.message.contains("was changed while"));
    assert_eq!(gone.count(), 2);
}
