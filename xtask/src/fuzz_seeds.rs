//! What each fuzz target begins with: inputs of our own making. What fuzzers made of them is in `fuzz/corpus`.

use std::path::Path;

use ncu_rep::ResultData;
use ncu_rep::csv::{RawOptions, write_raw};
use ncu_rep::write::module::{WrittenFunction, WrittenRow, module};
use rangescope_analyze::compare::{CompareOptions, compare};
use rangescope_model::rank::{RANK_FORMAT, RankDevice, RankEnd, RankRecord};
use rangescope_run::partial::partial;
use rangescope_sim::sample;
use rangescope_testing::documents::sample::{sample as sample_document, two_ranks};
use rangescope_testing::documents::tree::{serving, two_sides, with_work};
use rangescope_testing::{nsys, recording};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::{Done, sample_reports, say};

/// Writes `DIR/TARGET/*`; a target without a row here begins with nothing.
pub(crate) fn run(dir: &str) -> Done {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    sample_reports::run(&format!("{dir}/report"))?;
    let mut seeds: Vec<(&str, String, Vec<u8>)> = vec![
        ("compressed", "sample".to_owned(), compressed()?),
        ("csv", "raw".to_owned(), raw_csv()?),
        ("module", "sample".to_owned(), code()),
        ("partial", "few".to_owned(), rows()?),
        ("rank", "ended".to_owned(), rank()?),
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
    for target in ["filter", "gates", "names", "overrides", "selector"] {
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

/// The sample as a compressed stream, without the four bytes that the target puts before it.
fn compressed() -> std::io::Result<Vec<u8>> {
    let stream = compress_to_vec(&sample::write(Vec::new())?[..], CompressionLevel::Fastest);
    Ok(stream.get(4..).unwrap_or_default().to_vec())
}

/// A function with a call that was inlined.
fn code() -> Vec<u8> {
    let row = |offset, line, inlined| WrittenRow { offset, file: 0, line, inlined };
    let inlined = Some(("_ZN4math6squareEf".to_owned(), 1));
    let rows = vec![row(0, 10, None), row(16, 5, inlined), row(32, 11, None)];
    let function = WrittenFunction { name: "scale".to_owned(), size: 64, rows };
    module(&[function], &[("/src/kernel.cu".to_owned(), 400)])
}

/// The rows of a report with few results.
fn rows() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let report = folder.path().join("few.ncu-rep");
    let few: Vec<_> = sample::results(4242, 0).into_iter().take(2).map(few_metrics).collect();
    fs_err::write(&report, sample_reports::report(&few)?)?;
    let written = partial(&[report], folder.path(), &|_, _| {})?;
    let written = written.first().ok_or("nothing was written")?;
    Ok(fs_err::read(&written.path)?)
}

/// Fuzzers work on small files.
fn few_metrics(mut result: ResultData<'static>) -> ResultData<'static> {
    result.metrics.truncate(30);
    result
}

/// What a rank that failed wrote.
fn rank() -> serde_json::Result<Vec<u8>> {
    let device = RankDevice {
        uuid: Some("GPU-1".to_owned()),
        known_by: "CUDA_VISIBLE_DEVICES".to_owned(),
        ..RankDevice::default()
    };
    let ended = RankEnd {
        at: "2026-01-01T00:00:09Z".to_owned(),
        duration_s: 9.25,
        exit_code: Some(7),
        signal: None,
        timed_out: Some("silence".to_owned()),
        interrupted: None,
        report: Some("kernel.rank-00003.ncu-rep".to_owned()),
        last_line: Some("out of cheese".to_owned()),
    };
    serde_json::to_vec(&RankRecord {
        format: RANK_FORMAT.to_owned(),
        rank: 3,
        size: Some(8),
        local_rank: Some(3),
        host: "node2".to_owned(),
        node: None,
        visible_devices: Some("GPU-1".to_owned()),
        devices: vec![device],
        launcher: Some("mpirun".to_owned()),
        job_id: Some("17_4".to_owned()),
        pid: 4711,
        profiled: true,
        begun_at: "2026-01-01T00:00:00Z".to_owned(),
        ended: Some(ended),
    })
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
