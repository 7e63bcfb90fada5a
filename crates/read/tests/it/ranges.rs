//! The same question to every source of ranges: which regions does the program have?

use std::path::Path;

use rangescope_model::observed::ObservedRegions;
use rangescope_read::ranges::observed_regions;
use rangescope_read::recording::{Recording, regions};
use rangescope_sim::sample;
use rangescope_testing::nsys::Export;
use rangescope_testing::recording::File;

/// A recording of `A` with `B` inside, and `S` started around both.
fn recording() -> File {
    let mut file = File::new(7);
    file.thread(11, 0).start(0, 1, "S").push(1, "A").push(2, "B").pop(3).pop(4).end(5, 1);
    file
}

fn paths(seen: &ObservedRegions) -> Vec<String> {
    let mut paths: Vec<String> = seen.regions.iter().map(|key| key.path.join("/")).collect();
    paths.sort();
    paths
}

fn refused(path: &Path) -> String {
    let error = observed_regions(path).unwrap_err();
    assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
    assert!(error.hint().is_some(), "{error}");
    error.to_string()
}

#[test]
fn recordings_and_their_lists_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("7-0.nvtx");
    fs_err::write(&file, &recording().bytes).unwrap();
    let list = folder.path().join("regions.json");
    let recorded = regions(&Recording::open(&file).unwrap());
    fs_err::write(&list, serde_json::to_string(&recorded).unwrap()).unwrap();
    for path in [file.as_path(), folder.path(), &list] {
        let seen = observed_regions(path).unwrap();
        assert_eq!(paths(&seen), ["A", "A/B", "S"], "{}", path.display());
        assert_eq!(seen.main_process, Some(7));
        assert!(seen.ranges.iter().all(|range| range.count == Some(1)), "{:?}", seen.ranges);
        // `S` overlaps the other two; regions of one stack need no pair.
        assert!(seen.open_together.unwrap().len() >= 2);
    }
}

#[test]
fn an_export_of_nsys_counts_instances_and_launches_by_process() {
    let mut export = Export::with_tables(false);
    export.push("A", 1, 0, 100);
    export.push("B", 1, 20, 50);
    export.push("A", 1, 200, 300);
    export.kernel("gemm", 1, 30, 40, 10);
    let (path, _folder) = export.close();
    let seen = observed_regions(&path).unwrap();
    assert_eq!(paths(&seen), ["A", "A/B"]);
    let counts: Vec<_> =
        seen.ranges.iter().map(|range| (&*range.name, range.count, range.launches)).collect();
    assert_eq!(counts, [("A", Some(2), Some(1)), ("B", Some(1), Some(1))]);
    assert_eq!(seen.open_together, None, "the trace does not tell");
}

#[test]
fn a_report_tells_launches_and_what_was_open_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ncu-rep");
    fs_err::write(&path, sample::write(Vec::new()).unwrap()).unwrap();
    let seen = observed_regions(&path).unwrap();
    let decode = seen.regions.iter().position(|key| key.path == ["decode"]).unwrap();
    let inside = seen.regions.iter().position(|key| key.path == ["decode", "sample"]).unwrap();
    assert!(seen.open_together.unwrap().contains(&[decode, inside]));
    assert!(seen.ranges[decode].launches > seen.ranges[inside].launches);
    assert_eq!((seen.ranges[decode].count, seen.main_process), (None, None));
}

#[test]
fn what_tells_nothing_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs_err::write(&path, bytes).unwrap();
        path
    };
    assert!(refused(&file("a.json", b"{}")).contains("is not what `rangescope regions"));
    assert!(refused(&folder.path().join("b.json")).contains("cannot read"));
    assert!(refused(&file("c.sqlite", b"SQLite format 3\0")).contains("it ends after 16 bytes"));
    assert!(refused(&file("d.txt", b"milk")).contains("is not an Nsight Compute report"));
    assert!(refused(&file("1-0.nvtx", b"milk")).contains("1-0.nvtx"));
}
