//! The corpus of the fuzz targets is there for each of them, can be read, and is small enough for a repository.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// All files together, and one of them.
const MOST_BYTES: usize = 200_000;
const LARGEST: usize = 4_096;

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn every_fuzz_target_has_a_small_corpus() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let targets: BTreeSet<String> = entries(&fuzz.join("fuzz_targets"))
        .iter()
        .map(|path| name(path).strip_suffix(".rs").unwrap().to_owned())
        .collect();
    let folders = entries(&fuzz.join("corpus"));
    assert_eq!(folders.iter().map(|folder| name(folder)).collect::<BTreeSet<_>>(), targets);
    let mut sum = 0;
    for folder in &folders {
        let files = entries(folder);
        assert!(!files.is_empty(), "{}", folder.display());
        for file in files {
            let length = fs_err::read(&file).unwrap().len();
            assert!((1..=LARGEST).contains(&length), "{}: {length} bytes", file.display());
            sum += length;
        }
    }
    assert!(sum <= MOST_BYTES, "{sum} bytes");
}
