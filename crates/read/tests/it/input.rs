//! What a user may name: files recognised by what is in them, folders, and everything that is refused.

use std::path::{Path, PathBuf};

use ncu_rep::csv::{Layout, RawOptions, Units, write_raw};
use rangescope_model::launch::{Launch, MetricId};
use rangescope_read::results::{Numbering, ResultSource};
use rangescope_read::{Input, InputError};
use rangescope_sim::sample;
use rangescope_testing::{nsys, recording};
use tempfile::TempDir;

fn report() -> Vec<u8> {
    sample::write(Vec::new()).unwrap()
}

fn csv() -> Vec<u8> {
    let results = sample::results(4242, 0);
    let options = RawOptions { units: Units::Base, layout: Layout::V2024_1, fp: false };
    let mut text = Vec::new();
    write_raw(results.len(), |at| results.get(at), options, &mut text).unwrap();
    text
}

/// A folder with these files; a name may lead into a folder below.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, bytes).unwrap();
    }
    folder
}

fn names(opened: &[Input]) -> Vec<String> {
    opened.iter().map(Input::file_name).collect()
}

#[test]
fn files_are_known_by_their_content_and_not_by_their_name() {
    let folder = folder(&[("report.csv", &report()), ("table.ncu-rep", &csv())]);
    let report = Input::open(&folder.path().join("report.csv")).unwrap();
    let table = Input::open(&folder.path().join("table.ncu-rep")).unwrap();
    assert_eq!((report.source.format(), table.source.format()), ("ncu-rep", "ncu-csv"));
    assert_eq!(report.source.len(), sample::results(4242, 0).len());
    assert_eq!(table.source.len(), report.source.len());
    assert!(report.source.is_simulated(), "the simulator says so in the session");
    assert!(report.source.notes().is_empty() && report.source.lost() == 0);
    assert_eq!(report.source.processes()[0].pid, Some(4242));
}

/// What is refused: the file, a part of the error, and a part of the hint.
#[test]
fn what_is_no_input_is_refused_with_its_name_and_a_way_out() {
    let cut = &report()[..12];
    let header: Vec<u8> = csv().split_inclusive(|&byte| byte == b'\n').next().unwrap().to_vec();
    let rows = folder(&[
        ("empty.ncu-rep", b""),
        ("notes.txt", b"bought milk\n"),
        ("list.csv", b"name,age\nada,36\n"),
        ("report.json", b"{\"schema_version\": \"1.0\"}"),
        ("cut.ncu-rep", cut),
        ("export.sqlite", &nsys::sample()),
        ("1-0.nvtx", &recording::sample().bytes),
        ("zstd.ncu-repz", b"\x28\xb5\x2f\xfd broken"),
        ("heads.csv", &header),
    ]);
    let refused = |name: &str| {
        let path = rows.path().join(name);
        let error = Input::open(&path).unwrap_err();
        let said = error.to_string();
        assert!(said.contains(&*path.to_string_lossy()), "{name} is not named: {said}");
        assert!(!said.contains('\n') && !error.hint().is_empty(), "{said}");
        (said, error.hint())
    };
    for (name, expected, help) in [
        ("empty.ncu-rep", "the file is empty (0 bytes)", "capture again"),
        ("notes.txt", "is not an Nsight Compute report: it begins with", "ncu --csv --page raw"),
        ("list.csv", "is not an Nsight Compute report: it begins with", "ncu --csv --page raw"),
        ("report.json", "is not an Nsight Compute report: it begins with", "ncu -o"),
        ("cut.ncu-rep", "no part of the report is readable", "wait until ncu has ended"),
        ("export.sqlite", "is not an Nsight Compute report: it begins with", "ncu -o"),
        ("1-0.nvtx", "is not an Nsight Compute report: it begins with", "ncu -o"),
        ("zstd.ncu-repz", "cannot be decompressed", "the file is damaged"),
        ("missing.ncu-rep", "cannot read", "check that the path exists"),
        ("", "a folder", "run folder"),
    ] {
        let (said, hint) = refused(name);
        assert!(said.contains(expected), "{name}: {said}");
        assert!(hint.contains(help), "{name}: {hint}");
    }
    // A table with heads and no rows is a table of ncu's: ncu prints it when nothing was profiled.
    let heads = Input::open(&rows.path().join("heads.csv")).unwrap();
    assert!(heads.source.is_empty());
}

#[test]
fn a_report_that_was_cut_keeps_what_came_before_the_cut_and_says_so() {
    let whole = report();
    let folder = folder(&[]);
    let path = folder.path().join("cut.ncu-rep");
    let mut last = 0;
    for length in (0..whole.len()).step_by(whole.len() / 61) {
        fs_err::write(&path, &whole[..length]).unwrap();
        match Input::open(&path) {
            Ok(input) => {
                assert!(input.source.len() >= last, "{length} bytes hold fewer results");
                last = input.source.len();
                let said = input.source.notes();
                let codes: Vec<&str> = said.iter().map(|note| note.code.as_str()).collect();
                assert!(codes.contains(&"damaged-input"), "{length}: {codes:?}");
            }
            Err(error) => assert!(last == 0, "{length}: {error}"),
        }
    }
    assert!(last > 0 && last < sample::results(4242, 0).len(), "{last}");
}

#[test]
fn a_folder_stands_for_its_reports_in_order_of_their_names() {
    let (report, csv) = (report(), csv());
    let opened = |files: &[(&str, &[u8])]| {
        let folder = folder(files);
        Input::open_all(&[folder.path().to_owned()]).map(|inputs| names(&inputs))
    };
    // A run folder keeps them under `ncu`; what lies beside them is not theirs.
    let run: &[(&str, &[u8])] = &[
        ("config.yaml", b"{}"),
        ("other.ncu-rep", &report),
        ("ncu/b.ncu-rep", &report),
        ("ncu/a.ncu-rep", &report),
        ("ncu/c.partial.ncu-rep", b""),
        ("ncu/raw.csv", &csv),
        ("ncu/notes.txt", b"bought milk"),
    ];
    assert_eq!(opened(run).unwrap(), ["a.ncu-rep", "b.ncu-rep"]);
    assert_eq!(opened(&[("x.ncu-rep", &report), ("raw.csv", &csv)]).unwrap(), ["x.ncu-rep"]);
    assert_eq!(opened(&[("ncu/raw.csv", &csv)]).unwrap(), ["raw.csv"]);
    assert_eq!(opened(&[("ncu/log.txt", b"-"), ("a.ncu-rep", &report)]).unwrap(), ["a.ncu-rep"]);
    for nothing in [
        &[][..],
        &[("notes.txt", b"bought milk" as &[u8])],
        &[("ncu/c.partial.ncu-rep", &report)],
        &[("deeper/ncu/a.ncu-rep", &report)],
    ] {
        let error = opened(nothing).unwrap_err();
        assert!(matches!(error, InputError::EmptyFolder { .. }), "{error}");
        assert!(error.hint().contains("run folder"));
    }
    // One bad file is not passed over in silence.
    let error = opened(&[("a.ncu-rep", &report), ("b.ncu-rep", b"bought milk")]).unwrap_err();
    assert!(error.to_string().contains("b.ncu-rep"), "{error}");
}

#[test]
fn several_paths_are_opened_in_the_order_in_which_they_are_named() {
    let one = folder(&[("z.ncu-rep", &report()), ("y.ncu-rep", &report())]);
    let other = folder(&[("a.ncu-rep", &report())]);
    let paths: Vec<PathBuf> = vec![one.path().to_owned(), other.path().join("a.ncu-rep")];
    let opened = Input::open_all(&paths).unwrap();
    assert_eq!(names(&opened), ["y.ncu-rep", "z.ncu-rep", "a.ncu-rep"]);
    assert!(Input::open_all(&[]).unwrap().is_empty());
    assert!(Input::open_all(&[paths[1].clone(), Path::new("/nowhere/at/all").into()]).is_err());
}

/// One result, as far as both formats hold it.
#[derive(Debug, PartialEq)]
struct Seen {
    function: String,
    process: usize,
    device: Option<u32>,
    shape: (Option<[u64; 3]>, Option<[u64; 3]>),
    ranges: Vec<(String, Vec<String>)>,
    numbers: Vec<(String, f64)>,
}

fn seen(source: &dyn ResultSource) -> Vec<Seen> {
    let numbering = Numbering::new(std::iter::once(source), false);
    let name = |MetricId(id): MetricId| numbering.vocabulary.metrics[id as usize].clone();
    let mut all = Vec::new();
    source.read(0..source.len(), &numbering.of_source(0), &mut |launch: &Launch<'_>| {
        let mut numbers: Vec<(String, f64)> =
            launch.numbers.iter().map(|&(id, value)| (name(id), value)).collect();
        numbers.sort_by(|one, other| one.0.cmp(&other.0));
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        all.push(Seen {
            function: launch.function.to_owned(),
            process: launch.process,
            device: launch.device.map(|device| device.index),
            shape: (launch.grid, launch.block),
            ranges: launch
                .domains
                .iter()
                .map(|open| (open.domain.to_owned(), owned(&open.push_pop)))
                .collect(),
            numbers,
        });
    });
    all
}

#[test]
fn a_report_and_its_csv_hold_the_same_results() {
    let folder = folder(&[("a.ncu-rep", &report()), ("a.csv", &csv())]);
    let open = |name: &str| Input::open(&folder.path().join(name)).unwrap().source;
    let (report, csv) = (seen(&*open("a.ncu-rep")), seen(&*open("a.csv")));
    assert_eq!(report.len(), csv.len());
    for (report, csv) in report.into_iter().zip(csv) {
        // ncu prints two or six digits after the point.
        assert_eq!(report.numbers.len(), csv.numbers.len(), "{report:?}\n{csv:?}");
        for ((name, value), (other, printed)) in report.numbers.iter().zip(&csv.numbers) {
            assert_eq!(name, other);
            let near = (value - printed).abs() <= 0.005_001;
            assert!(near, "{name}: {value} and {printed}");
        }
        assert_eq!(Seen { numbers: Vec::new(), ..report }, Seen { numbers: Vec::new(), ..csv });
    }
}
