//! Running the program as a user would, in a folder of its own.

pub(crate) mod real;
pub(crate) mod stored;

use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run of the program gave.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The output of a run that must have succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "stderr: {}", self.stderr);
        self.stdout
    }

    /// The talk of a run that must have failed with this code, without having printed data.
    #[track_caller]
    pub(crate) fn fails(self, code: i32) -> String {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("bug"), "{}", self.stderr);
        self.stderr
    }
}

/// A folder with the sample report in it.
pub(crate) struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        let sample = rangescope_sim::sample::write(Vec::new()).unwrap();
        fs_err::write(place.path("sample.ncu-rep"), sample).unwrap();
        place
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Runs `rangescope` with these words.
    pub(crate) fn run<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Outcome {
        let words: Vec<&str> = words.into_iter().collect();
        let output = Command::new(env!("CARGO_BIN_EXE_rangescope"))
            .args(&words)
            .current_dir(self.root())
            .env_remove("NO_COLOR")
            // Keys of the user's own have no business in tests.
            .env("XDG_STATE_HOME", self.path(".state"))
            .output()
            .unwrap();
        let outcome = Outcome {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        };
        if words.first() == Some(&"report") && words.contains(&"json") && outcome.code == 0 {
            keep_json(&outcome.stdout);
        }
        outcome
    }

    /// The document that `rangescope report --format json` prints with these words.
    #[track_caller]
    pub(crate) fn json<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> serde_json::Value {
        let words = ["report", "--format", "json"].into_iter().chain(words);
        stored::expanded(&self.run(words).ok())
    }
}

/// Keeps a document for the lane that validates all of them against the schema.
pub(crate) fn keep_json(text: &str) {
    keep("test-json", text);
}

/// Keeps a document of another kind, for the lane that validates it.
pub(crate) fn keep(folder: &str, text: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..").join(folder);
    fs_err::create_dir_all(&folder).unwrap();
    let name = format!("{:016x}.json", rustc_hash_of(text));
    fs_err::write(folder.join(name), text).unwrap();
}

fn rustc_hash_of(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

pub(crate) use rangescope_testing::shared;

/// The report of a scope in a document.
pub(crate) fn scope<'a>(document: &'a serde_json::Value, id: &str) -> &'a serde_json::Value {
    let reports = document["reports"].as_array().unwrap();
    reports
        .iter()
        .find(|report| report["scope"]["id"] == id)
        .unwrap_or_else(|| panic!("no scope {id}"))
}

/// A region of a report by its name for people.
pub(crate) fn region<'a>(report: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    let regions = report["regions"].as_array().unwrap();
    regions
        .iter()
        .find(|region| region["name"] == name)
        .unwrap_or_else(|| panic!("no region {name}"))
}
