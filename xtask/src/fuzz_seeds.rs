//! What each fuzz target begins with: inputs of our own making, so that the repository holds no files for it.

use std::path::Path;

use ncu_rep::csv::{RawOptions, write_raw};
use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_sim::sample;
use rangescope_testing::documents::sample::{sample as sample_document, two_ranks};
use rangescope_testing::documents::tree::{serving, two_sides, with_work};
use rangescope_testing::{nsys, recording};

use crate::{Done, sample_reports, say};

/// Writes `DIR/TARGET/*`; a target without a row here begins with nothing.
pub(crate) fn run(dir: &str) -> Done {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    sample_reports::run(&format!("{dir}/report"))?;
    let mut seeds: Vec<(&str, String, Vec<u8>)> = vec![
        ("csv", "raw".to_owned(), raw_csv()?),
        ("recording", "sample".to_owned(), recording::sample().bytes),
        ("sqlite", "sample".to_owned(), nsys::sample()),
    ];
    for (name, document) in
        [("sample", sample_document()), ("ranks", two_ranks()), ("work", with_work(serving()))]
    {
        seeds.push(("document", name.to_owned(), serde_json::to_vec(&document)?));
    }
    let (base, new) = two_sides(serving());
    let comparison = compare(&[base], &[new], &CompareOptions::default());
    seeds.push(("document", "comparison".to_owned(), serde_json::to_vec(&comparison)?));
    for (number, file) in files(&root.join("crates/config/conf"), "yaml")?.iter().enumerate() {
        seeds.push(("yaml", format!("{number:03}"), fs_err::read(file)?));
    }
    // The documents show every small language with examples; a target takes those that it understands.
    let mut texts = Vec::new();
    for file in files(&root.join("docs"), "md")?.iter().chain([&root.join("README.md")]) {
        texts.extend(code_spans(&fs_err::read_to_string(file)?));
    }
    texts.sort();
    texts.dedup();
    for target in ["filter", "gates", "overrides", "selector"] {
        for (number, text) in texts.iter().enumerate() {
            seeds.push((target, format!("{number:04}"), text.clone().into_bytes()));
        }
    }
    for (target, name, bytes) in &seeds {
        fs_err::create_dir_all(format!("{dir}/{target}"))?;
        fs_err::write(format!("{dir}/{target}/{name}"), bytes)?;
    }
    say(&format!("{} seeds written to {dir}", seeds.len()));
    Ok(())
}

fn raw_csv() -> std::io::Result<Vec<u8>> {
    let results = sample::results(4242, 0);
    let mut csv = Vec::new();
    write_raw(results.len(), |at| results.get(at), RawOptions::default(), &mut csv)?;
    Ok(csv)
}

/// The files below a folder that end so, sorted.
fn files(folder: &Path, extension: &str) -> std::io::Result<Vec<std::path::PathBuf>> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|is| is == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// What stands between single backquotes.
fn code_spans(markdown: &str) -> Vec<String> {
    let lines = markdown.lines().filter(|line| !line.starts_with("```"));
    lines.flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}
