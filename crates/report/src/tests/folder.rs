//! Folders: complete, atomic, and never outside of where they belong.

use std::io;
use std::path::{Path, PathBuf};

use rangescope_model::document::RegionDocument;

use crate::{ExportOptions, FolderParts, Format, ReportError, write_atomically, write_folder};
use rangescope_testing::documents::sample::{document, region, two_ranks};

fn written(dir: &Path, document: &RegionDocument) -> Result<Vec<PathBuf>, ReportError> {
    write_folder(dir, document, parts(&Format::of_folders()))
}

fn parts<'a>(formats: &'a [&'static Format]) -> FolderParts<'a> {
    let options = ExportOptions::default();
    FolderParts { formats, raw_csv: None, plots: Vec::new(), options }
}

/// Every file below a folder, sorted.
fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else {
                found.push(path.strip_prefix(dir).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

fn read(path: impl AsRef<Path>) -> String {
    fs_err::read_to_string(path.as_ref()).unwrap()
}

#[test]
fn the_layout_is_the_documented_one() {
    let around = tempfile::tempdir().unwrap();
    let dir = around.path().join("new/run");
    let document = document(vec![region(&["A"], 2.0, 1.0), region(&["A", "A1"], 1.0, 1.0)]);
    let raw_csv: crate::folder::RawWriter<'_> = Box::new(|out| out.write_all(b"raw\n"));
    let formats = Format::of_folders();
    let parts = FolderParts { raw_csv: Some(raw_csv), ..parts(&formats) };
    let paths = write_folder(&dir, &document, parts).unwrap();
    insta::assert_snapshot!(files(around.path()).join("\n"), @"
    new/run/ncu/raw.csv
    new/run/ncu/regions/A/kernels.csv
    new/run/ncu/regions/A/report.json
    new/run/ncu/regions/A/report.md
    new/run/ncu/regions/A/sections.txt
    new/run/ncu/regions/A_A1/kernels.csv
    new/run/ncu/regions/A_A1/report.json
    new/run/ncu/regions/A_A1/report.md
    new/run/ncu/regions/A_A1/sections.txt
    new/run/ncu/regions/report.json
    new/run/ncu/regions/report.md
    new/run/ncu/sections_report.txt
    new/run/report.html
    new/run/report.json
    new/run/report.md
    ");
    assert_eq!(paths.len(), 15);
    assert!(paths.iter().all(|path| path.is_file()));
    assert_eq!(read(dir.join("report.json")), read(dir.join("ncu/regions/report.json")));
    assert_eq!(read(dir.join("ncu/raw.csv")), "raw\n");
}

#[test]
fn only_the_formats_asked_for_are_written_beside_those_that_always_are() {
    let around = tempfile::tempdir().unwrap();
    let document = document(vec![region(&["A"], 2.0, 1.0)]);
    write_folder(around.path(), &document, parts(&[])).unwrap();
    insta::assert_snapshot!(files(around.path()).join("\n"), @"
    ncu/regions/A/report.json
    ncu/regions/A/sections.txt
    ncu/regions/report.json
    ncu/sections_report.txt
    report.json
    ");
}

#[test]
fn reports_show_the_drawings_that_lie_beside_them() {
    let around = tempfile::tempdir().unwrap();
    let document = document(vec![region(&["A"], 2.0, 1.0)]);
    let formats = Format::of_folders();
    let plots = vec![("icicle", "<svg/>".to_owned())];
    let parts = FolderParts { plots, ..parts(&formats) };
    write_folder(around.path(), &document, parts).unwrap();
    let shows = |path: &str, link: &str| {
        read(around.path().join(path)).contains(&format!("\n## Plots\n\n![icicle]({link})\n"))
    };
    assert!(shows("report.md", "plots/icicle.svg"));
    assert!(shows("ncu/regions/report.md", "../../plots/icicle.svg"));
    assert!(!read(around.path().join("ncu/regions/A/report.md")).contains("## Plots"));
    assert_eq!(read(around.path().join("plots/icicle.svg")), "<svg/>");
}

#[test]
fn a_regions_document_holds_it_in_all_scopes_and_nothing_else() {
    let around = tempfile::tempdir().unwrap();
    let document = two_ranks();
    written(around.path(), &document).unwrap();
    let text = read(around.path().join("ncu/regions/prefill_attn/report.json"));
    let one: RegionDocument = serde_json::from_str(&text).unwrap();
    assert_eq!(one.reports.len(), 5);
    for report in &one.reports {
        assert_eq!(report.regions.len(), 1);
        assert_eq!(report.regions[0].name, "prefill::attn");
        assert!(report.totals.total_ms == Some(10.0));
    }
    // `prefill::mlp` is not among the first three regions, which are all that the device scopes hold.
    let text = read(around.path().join("ncu/regions/prefill_mlp/report.json"));
    assert_eq!(serde_json::from_str::<RegionDocument>(&text).unwrap().reports.len(), 3);
    assert!(
        read(around.path().join("ncu/regions/prefill_attn/report.md"))
            .contains("\n## Region: prefill::attn\n")
    );
}

#[test]
fn writing_again_gives_the_same_bytes_and_keeps_what_is_not_ours() {
    let around = tempfile::tempdir().unwrap();
    let document = two_ranks();
    let paths = written(around.path(), &document).unwrap();
    write_atomically(&around.path().join("ncu/mine.txt"), |out| out.write_all(b"mine")).unwrap();
    let before: Vec<String> = paths.iter().map(read).collect();
    assert_eq!(written(around.path(), &document).unwrap(), paths);
    assert_eq!(paths.iter().map(read).collect::<Vec<_>>(), before);
    assert_eq!(read(around.path().join("ncu/mine.txt")), "mine");
    assert_eq!(files(around.path()).len(), paths.len() + 1);
}

#[test]
fn every_region_has_a_folder_of_its_own_inside_whatever_its_name() {
    let around = tempfile::tempdir().unwrap();
    let long = "é".repeat(5_000);
    let odd = [
        "../..",
        "..",
        ".",
        "",
        "a/b",
        "a\\b",
        "/abs",
        "a\nb",
        "\0",
        "CON",
        "\u{202e}x",
        "a b",
        "A+B",
        &long,
    ];
    let document = document(odd.iter().map(|name| region(&[name], 1.0, 1.0)).collect());
    written(&around.path().join("run"), &document).unwrap();
    let regions = fs_err::read_dir(around.path().join("run/ncu/regions")).unwrap();
    let folders = regions.map(|entry| entry.unwrap()).filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().into_string().unwrap().to_lowercase()).collect();
    for name in &names {
        let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        assert!(!name.is_empty() && name.len() <= 80 && name.bytes().all(is_safe), "{name}");
        assert!(!name.starts_with(['.', '-']), "{name}");
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), odd.len());
    assert_eq!(fs_err::read_dir(around.path()).unwrap().count(), 1, "nothing outside");
}

#[test]
fn a_region_called_like_a_report_gets_another_folder() {
    let around = tempfile::tempdir().unwrap();
    let document =
        document(vec![region(&["report.md"], 1.0, 1.0), region(&["report.md_"], 1.0, 1.0)]);
    written(around.path(), &document).unwrap();
    let regions = around.path().join("ncu/regions");
    assert!(regions.join("report.md").is_file());
    assert!(read(regions.join("report.md__/report.md")).contains("## Region: report.md\n"));
    assert!(read(regions.join("report.md_/report.md")).contains("## Region: report.md\\_\n"));
}

#[test]
fn a_file_in_the_way_is_refused() {
    let around = tempfile::tempdir().unwrap();
    let file = around.path().join("file");
    write_atomically(&file, |out| out.write_all(b"old")).unwrap();
    let document = document(Vec::new());
    let error = written(&file, &document).unwrap_err();
    assert!(matches!(error, ReportError::NotAFolder { .. }));
    assert!(error.hint().is_some());
    assert_eq!(read(&file), "old");
    let error = written(&file.join("below"), &document).unwrap_err();
    assert!(matches!(error, ReportError::MakeFolder { .. }), "{error}");
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_folder() {
    let around = tempfile::tempdir().unwrap();
    let (dir, elsewhere) = (around.path().join("run"), around.path().join("elsewhere"));
    fs_err::create_dir_all(dir.join("ncu/regions")).unwrap();
    fs_err::create_dir(&elsewhere).unwrap();
    let document = document(vec![region(&["A"], 1.0, 1.0)]);
    std::os::unix::fs::symlink(&elsewhere, dir.join("ncu/regions/A")).unwrap();
    let error = written(&dir, &document).unwrap_err();
    assert!(matches!(error, ReportError::SymbolicLink { .. }), "{error}");
    assert_eq!(files(&elsewhere), Vec::<String>::new());

    // A link in the place of a file is replaced; what it pointed to stays.
    let target = around.path().join("target.md");
    write_atomically(&target, |out| out.write_all(b"precious")).unwrap();
    fs_err::remove_file(dir.join("report.md")).unwrap();
    std::os::unix::fs::symlink(&target, dir.join("report.md")).unwrap();
    fs_err::remove_file(dir.join("ncu/regions/A")).unwrap();
    written(&dir, &document).unwrap();
    assert_eq!(read(&target), "precious");
    assert!(read(dir.join("report.md")).starts_with("# NCU Region Reports"));
}

#[test]
fn a_write_that_fails_leaves_the_old_file_and_no_rubbish() {
    let around = tempfile::tempdir().unwrap();
    let path = around.path().join("report.md");
    write_atomically(&path, |out| out.write_all(b"old")).unwrap();
    let error = write_atomically(&path, |out| {
        out.write_all(b"half")?;
        Err(io::Error::from(io::ErrorKind::StorageFull))
    })
    .unwrap_err();
    assert!(
        error.to_string().starts_with(&format!("cannot write `{}`: ", path.display())),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("disk is full"));
    assert_eq!(read(&path), "old");
    assert_eq!(files(around.path()), ["report.md"]);
}

#[test]
fn folders_and_missing_folders_are_no_targets() {
    let around = tempfile::tempdir().unwrap();
    let error = write_atomically(around.path(), |_| Ok(())).unwrap_err();
    assert!(matches!(error, ReportError::NotAFile { .. }));
    let error = write_atomically(&around.path().join("no/report.md"), |_| Ok(())).unwrap_err();
    assert!(error.hint().unwrap().contains("make it first"), "{error}");
    assert!(!error.to_string().contains(".rangescope-"), "{error}");
}

#[cfg(unix)]
#[test]
fn devices_are_no_targets_and_reports_can_be_shared() {
    use std::os::unix::fs::PermissionsExt;
    let error = write_atomically(Path::new("/dev/null"), |_| Ok(())).unwrap_err();
    assert!(matches!(error, ReportError::NotAFile { .. }));

    let around = tempfile::tempdir().unwrap();
    let ordinary = around.path().join("ordinary");
    fs_err::File::create(&ordinary).unwrap();
    let ours = around.path().join("ours");
    write_atomically(&ours, |_| Ok(())).unwrap();
    let mode = |path: &Path| fs_err::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&ordinary));
}
