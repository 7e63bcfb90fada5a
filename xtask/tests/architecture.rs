//! ARCHITECTURE.md beside the truth: who uses whom, and which rooms there are.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

type Uses = BTreeMap<String, BTreeSet<String>>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn document() -> String {
    fs_err::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// The folder names of the crates below `crates/`, with those that each needs to be built; dev-dependencies are not asked for.
fn truth() -> Uses {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let folder = |package: &serde_json::Value| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap();
        let is_crate = folder.parent().unwrap().ends_with("crates");
        is_crate.then(|| folder.file_name().unwrap().to_str().unwrap().to_owned())
    };
    let folders: BTreeMap<&str, String> = packages
        .iter()
        .filter_map(|package| Some((package["name"].as_str().unwrap(), folder(package)?)))
        .collect();
    let uses = |package: &serde_json::Value| -> BTreeSet<String> {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        dependencies
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(|dependency| folders.get(dependency["name"].as_str().unwrap()).cloned())
            .collect()
    };
    packages.iter().filter_map(|package| Some((folder(package)?, uses(package)))).collect()
}

#[test]
fn the_drawing_says_who_uses_whom() {
    let document = document();
    let (_, block) = document.split_once("Who may use whom").unwrap();
    let block = block.split("```").nth(1).unwrap();
    let drawn: Uses = block
        .lines()
        .filter_map(|line| line.split_once('→'))
        .map(|(name, uses)| {
            (name.trim().to_owned(), uses.split_whitespace().map(str::to_owned).collect())
        })
        .collect();
    assert_eq!(drawn, truth());
}

#[test]
fn every_crate_has_a_row() {
    let document = document();
    for name in truth().keys() {
        assert!(document.contains(&format!("\n| `{name}` |")), "no row for {name}");
    }
}
