//! The simulator knows what the project's own presets ask for.

use std::collections::BTreeSet;
use std::path::Path;

use crate::metric::is_known;
use crate::sections::{SETS, section};

/// The values below a key of a preset: `key: value`, `key: [a, b]`, or lines of `- value`.
fn values(text: &str, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(rest) = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':')) {
            let list = rest.trim().trim_matches(['[', ']']);
            let words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
            found.extend(words.map(str::to_owned));
            inside = true;
        } else if let Some(value) = line.strip_prefix("- ").filter(|_| inside) {
            found.push(value.trim().to_owned());
        } else {
            inside = false;
        }
    }
    found.retain(|value| value != "null");
    found
}

#[test]
fn metrics_sections_and_sets_of_all_presets_are_known() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config/conf/profiling/ncu");
    let mut seen = BTreeSet::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs_err::read_to_string(&path).unwrap();
        for metric in values(&text, "metrics") {
            assert!(is_known(&metric), "{}: {metric}", path.display());
            seen.insert(metric);
        }
        for id in values(&text, "sections") {
            assert!(section(&id).is_some(), "{}: {id}", path.display());
            seen.insert(id);
        }
        for set in values(&text, "set") {
            assert!(SETS.contains(&set.as_str()), "{}: {set}", path.display());
            seen.insert(set);
        }
    }
    assert!(seen.len() > 20, "only {seen:?}");
}
