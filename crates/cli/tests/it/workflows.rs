//! What nothing here can run is at least read: the files under `.github` are YAML, name scripts that exist, and ask for the compiler that the project promises.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> Value {
    rangescope_config::read_yaml(path).unwrap_or_else(|error| panic!("{error}")).to_json()
}

/// The YAML files in a folder and below it.
fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(yaml_files(&path));
        } else if path.extension().is_some_and(|ending| ending == "yml" || ending == "yaml") {
            files.push(path);
        }
    }
    files
}

/// The steps of all jobs of all workflows.
fn steps() -> Vec<Value> {
    let mut steps = Vec::new();
    for path in yaml_files(&root().join(".github/workflows")) {
        for (name, job) in read(&path)["jobs"].as_object().unwrap() {
            assert!(job["timeout-minutes"].is_u64(), "{}: {name} may run for ever", path.display());
            steps.extend(job["steps"].as_array().unwrap().iter().cloned());
        }
    }
    steps
}

#[test]
fn every_file_is_a_map_of_yaml() {
    let files = yaml_files(&root().join(".github"));
    assert!(files.len() >= 5, "{files:?}");
    for path in files {
        assert!(read(&path).is_object(), "{}", path.display());
    }
}

#[test]
fn steps_run_scripts_that_exist_in_a_shell_that_takes_them() {
    let mut scripts = Vec::new();
    for step in steps() {
        let Some(text) = step["run"].as_str() else {
            // An action, at a version.
            let (action, version) = step["uses"].as_str().unwrap().split_once('@').unwrap();
            assert!(action.contains('/') && version.starts_with('v'), "{step}");
            continue;
        };
        // What the workflow engine replaces is no shell.
        let shell = without_expressions(text);
        let checked = Command::new("bash").args(["-n", "-c", &shell]).output().unwrap();
        assert!(checked.status.success(), "{text}\n{}", String::from_utf8_lossy(&checked.stderr));
        scripts.extend(
            text.split_whitespace().filter(|word| word.starts_with("scripts/")).map(str::to_owned),
        );
    }
    for script in &scripts {
        assert!(root().join(script).is_file(), "{script} does not exist");
    }
    let readme = fs_err::read_to_string(root().join("README.md")).unwrap();
    for wanted in ["scripts/test", "scripts/build-static"] {
        assert!(scripts.iter().any(|script| script == wanted), "nothing runs {wanted}");
        assert!(readme.contains(wanted), "the README does not name {wanted}");
    }
}

/// The text with every `${{ … }}` replaced by a word.
fn without_expressions(text: &str) -> String {
    let mut parts = text.split("${{");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('x');
        out.push_str(part.split_once("}}").unwrap().1);
    }
    out
}

#[test]
fn the_oldest_compiler_that_is_tested_is_the_one_that_is_promised() {
    let workflow = read(&root().join(".github/workflows/test.yml"));
    let tested = &workflow["jobs"]["test"]["strategy"]["matrix"]["rust"];
    let promised = env!("CARGO_PKG_RUST_VERSION");
    assert_eq!(*tested, serde_json::json!(["stable", promised]));
    let readme = fs_err::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains(&format!("needs Rust {promised}")));
}

#[test]
fn a_bug_report_asks_for_the_machine_and_the_version() {
    let form = read(&root().join(".github/ISSUE_TEMPLATE/bug.yml"));
    for command in ["rangescope doctor", "rangescope --version"] {
        let asks = |field: &Value| {
            let text = field["attributes"]["description"].as_str().unwrap_or_default();
            text.contains(command) && field["validations"]["required"] == true
        };
        assert!(form["body"].as_array().unwrap().iter().any(asks), "{command}");
    }
}
