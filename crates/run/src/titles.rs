//! What runs are called where several are shown together.

use std::path::{Component, Path};

/// A name for each path, by its last parts: of a folder the folder itself, of a file also the folder around it, since every run has a `kernel.ncu-rep`;
/// and as much more as sets it apart from the others.
pub fn titles(paths: &[&Path]) -> Vec<String> {
    let parts: Vec<Vec<String>> = paths.iter().map(|path| parts(path)).collect();
    let least = |path: &Path| if path.is_dir() { 1 } else { 2 };
    let title = |at: usize| {
        let most = parts[at].len();
        let is_clear = |length: usize| {
            parts
                .iter()
                .all(|other| *other == parts[at] || tail(other, length) != tail(&parts[at], length))
        };
        let length = (least(paths[at])..most).find(|length| is_clear(*length)).unwrap_or(most);
        tail(&parts[at], length).join("/")
    };
    (0..paths.len()).map(title).collect()
}

/// The names in a path as it was written; one that names nothing itself, such as `.`, is looked up.
fn parts(path: &Path) -> Vec<String> {
    let names = |path: &Path| -> Vec<String> {
        let named = path.components().filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        });
        named.collect()
    };
    match names(path) {
        found if path.file_name().is_some() => found,
        found => fs_err::canonicalize(path).map_or(found, |path| names(&path)),
    }
}

fn tail(parts: &[String], length: usize) -> &[String] {
    &parts[parts.len().saturating_sub(length)..]
}

#[cfg(test)]
mod tests {
    use super::titles;
    use std::path::Path;

    #[test]
    fn runs_are_told_apart() {
        let of = |paths: &[&str]| titles(&paths.iter().map(Path::new).collect::<Vec<_>>());
        assert_eq!(
            of(&["a/kernel.ncu-rep", "b/kernel.ncu-rep"]),
            ["a/kernel.ncu-rep", "b/kernel.ncu-rep"]
        );
        assert_eq!(
            of(&["x/a/r.json", "y/a/r.json", "b/r.json"]),
            ["x/a/r.json", "y/a/r.json", "b/r.json"]
        );
        assert_eq!(of(&["perf/deep/base.json", "new.ncu-rep"]), ["deep/base.json", "new.ncu-rep"]);
        // The same run twice cannot be told apart.
        assert_eq!(of(&["a/r.json", "a/r.json"]), ["a/r.json", "a/r.json"]);
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one/run", "two/run"].map(|name| folder.path().join(name));
        for run in [&one, &two] {
            fs_err::create_dir_all(run).unwrap();
        }
        assert_eq!(titles(&[&one, &two]), ["one/run", "two/run"]);
        assert_eq!(titles(&[&one, &folder.path().join("two")]), ["run", "two"]);
    }
}
