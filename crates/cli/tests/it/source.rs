//! `source`: lines, instructions and texts of a report of our own making; the lane "source" compares real ones with NVIDIA's reader.

use ncu_rep::source::{LoadedFunction, Source};
use ncu_rep::write::ReportWriter;
use ncu_rep::write::module::{WrittenFunction, WrittenRow, module};
use ncu_rep::{Instance, Metric, NvtxDomain, NvtxRange, NvtxState, Process, ResultData, Value};
use serde_json::{Value as Json, json};

use crate::support::Place;

const TEXT: &str = "// a\n__global__ void scale(float *x) {\n    x[0] *= 2;\n}\n";
const LONG: &str = "smsp__pcsamp_warps_issue_stalled_long_scoreboard";
const KERNEL: &str = "_Z5scalePf";
const START: u64 = 0x7f00_0000_1000;

/// A report of one launch in the region `step`: 4 instructions of lines 2, 3 (twice) and 4.
fn report(cubin: Vec<u8>, files: &[(&str, &str)]) -> Vec<u8> {
    let counts = |name: &'static str, values: [u64; 4]| Metric {
        name: name.into(),
        value: Some(Value::U64(values.iter().sum())),
        instances: (0..)
            .zip(values)
            .map(|(place, value)| Instance {
                correlation: Some(Value::U64(START + 16 * place)),
                value: Some(Value::U64(value)),
            })
            .collect(),
    };
    let time = Metric {
        name: "gpu__time_duration.sum".into(),
        value: Some(Value::F64(2e6)),
        instances: Vec::new(),
    };
    let range = NvtxRange { name: "step".into(), ..NvtxRange::default() };
    let domain = NvtxDomain {
        name: ncu_rep::DEFAULT_DOMAIN.into(),
        push_pop: vec![range],
        ..NvtxDomain::default()
    };
    let result = ResultData {
        function: "scale".into(),
        demangled: "scale(float *)".into(),
        mangled: KERNEL.into(),
        grid: Some([1; 3]),
        block: Some([32, 1, 1]),
        source: Some(7),
        nvtx: Some(NvtxState { domains: vec![domain], ..NvtxState::default() }),
        metrics: vec![time, counts("inst_executed", [4, 4, 4, 4]), counts(LONG, [0, 30, 9, 1])],
        ..ResultData::default()
    };
    let mut writer = ReportWriter::new(Vec::new()).unwrap();
    let process = Process::default();
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let loaded = vec![LoadedFunction { name: KERNEL.to_owned(), address: START, symbol: 1 }];
    let source =
        Source { reference: 7, cubin, files: files.collect(), loaded, ..Source::default() };
    writer.source(&source, &process).unwrap();
    writer.result(&result).unwrap();
    writer.finish().unwrap()
}

fn code(path: &str, bytes: u64) -> Vec<u8> {
    let row = |offset, line| WrittenRow { offset, file: 0, line, inlined: None };
    let rows = vec![row(0, 2), row(16, 3), row(48, 4)];
    let function = WrittenFunction { name: KERNEL.to_owned(), size: 64, rows };
    module(&[function], &[(path.to_owned(), bytes)])
}

fn place_with(path: &str, bytes: u64, files: &[(&str, &str)]) -> Place {
    let place = Place::new();
    fs_err::write(place.path("r.ncu-rep"), report(code(path, bytes), files)).unwrap();
    place
}

/// What `source` says as JSON, with these flags.
fn said(place: &Place, flags: &[&str]) -> Json {
    let words =
        ["source", "r.ncu-rep", "--format", "json"].into_iter().chain(flags.iter().copied());
    serde_json::from_str(&place.run(words).ok()).unwrap()
}

fn document(place: &Place) -> Json {
    said(place, &[])
}

#[test]
fn lines_have_counts_time_stalls_and_the_text_of_the_report() {
    let place = place_with("/no/such/k.cu", 0, &[("/no/such/k.cu", TEXT)]);
    let document = document(&place);
    let file = &document["files"][0];
    assert_eq!(file["text"], "report");
    let rows: Vec<Json> = file["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| {
            json!([
                line["line"],
                line["text"],
                line["counts"]["samples"],
                line["counts"]["time_ms"]
            ])
        })
        .collect();
    let first = json!([2, "__global__ void scale(float *x) {", 0, 0.0]);
    assert_eq!(rows, [first, json!([3, "    x[0] *= 2;", 39, 1.95]), json!([4, "}", 1, 0.05])]);
    assert_eq!(document["regions"][0]["path"], json!(["step"]));
    assert_eq!(document["regions"][0]["lines"][0]["line"], 3);
    let text = place.run(["source", "r.ncu-rep"]).ok();
    assert!(text.contains("such/k.cu:3  x[0] *= 2;"), "{text}");
    assert!(text.contains("long_scoreboard 100"), "{text}");
    let listed = place.run(["source", "r.ncu-rep", "--file", "k.cu"]).ok();
    assert!(listed.contains("    1 // a") && listed.contains("text from the report"), "{listed}");
    let csv = place.run(["source", "r.ncu-rep", "--format", "csv"]).ok();
    assert!(
        csv.lines().nth(2).unwrap().starts_with("/no/such/k.cu,3,    x[0] *= 2;,39,0.975"),
        "{csv}"
    );
    let markdown = place.run(["source", "r.ncu-rep", "--format", "markdown"]).ok();
    assert!(markdown.contains("| such/k.cu:3 | `x[0] *= 2;` | 39 | 97.5 % |"), "{markdown}");
}

#[test]
fn a_text_on_disk_is_taken_only_if_it_can_be_the_right_one() {
    let place = Place::new();
    let path = place.path("k.cu").display().to_string();
    let absent = |bytes: u64| {
        fs_err::write(place.path("r.ncu-rep"), report(code(&path, bytes), &[])).unwrap();
        document(&place)["files"][0]["text"].clone()
    };
    assert!(absent(0)["absent"].as_str().unwrap().contains("not on this machine"));
    fs_err::write(&path, TEXT).unwrap();
    assert_eq!(absent(0), json!({ "disk": path }));
    assert_eq!(absent(TEXT.len() as u64), json!({ "disk": path }));
    assert!(absent(7)["absent"].as_str().unwrap().contains("another version"));
    fs_err::write(&path, "one line\n").unwrap();
    assert!(absent(0)["absent"].as_str().unwrap().contains("there is code of line 4"));
    // What strangers name is read only if it is source code.
    let key = place.path("id_rsa").display().to_string();
    fs_err::write(&key, TEXT).unwrap();
    fs_err::write(place.path("r.ncu-rep"), report(code(&key, 0), &[])).unwrap();
    let refused = &document(&place)["files"][0]["text"]["absent"];
    assert!(refused.as_str().unwrap().contains("not called like source code"), "{refused}");
}

#[test]
fn source_files_may_have_moved() {
    let place = place_with("/build/src/k.cu", 0, &[]);
    fs_err::create_dir(place.path("now")).unwrap();
    fs_err::write(place.path("now/k.cu"), TEXT).unwrap();
    let folder = format!("/build/src={}", place.path("now").display());
    let text = &said(&place, &["--source-dir", &folder])["files"][0]["text"];
    assert_eq!(text, &json!({ "disk": place.path("now/k.cu").display().to_string() }));
    let wrong = place.run(["source", "r.ncu-rep", "--source-dir", "nowhere"]).fails(2);
    assert!(wrong.contains("OLD=NEW"), "{wrong}");
}

#[test]
fn what_is_not_there_is_said_with_what_was_meant() {
    let place = place_with("/src/kernel.cu", 0, &[]);
    let wrong = place.run(["source", "r.ncu-rep", "--file", "kernle.cu"]).fails(2);
    assert!(wrong.contains("did you mean `kernel.cu`?"), "{wrong}");
    let none = place.run(["source", "r.ncu-rep", "--kernel", "skale"]);
    assert!(none.stderr.contains("skale"), "{}", none.stderr);
    assert_eq!(none.code, 0);
    let missing = place.run(["source", "r.ncu-rep", "--nvdisasm", "/no/such/nvdisasm"]).fails(4);
    assert!(missing.contains("nvidia-cuda-nvdisasm"), "{missing}");
    let sample = place.run(["dump", "r.ncu-rep"]).ok();
    assert!(sample.contains("scale"));
}

#[test]
fn what_is_at_no_known_instruction_is_counted_with_its_reason_and_on_no_line() {
    let place = Place::new();
    let whole = code("/src/k.cu", 0);
    let cut = whole[..whole.len() / 2].to_vec();
    let other = module(
        &[WrittenFunction { name: KERNEL.to_owned(), size: 32, rows: Vec::new() }],
        &[("/src/k.cu".to_owned(), 0)],
    );
    for (cubin, reason) in [
        (Vec::new(), "no code"),
        (cut, "damaged"),
        (b"MZ".to_vec(), "no ELF"),
        (other, "not those of the kernel's code"),
    ] {
        fs_err::write(place.path("r.ncu-rep"), report(cubin, &[])).unwrap();
        let document = document(&place);
        let kernel = &document["kernels"][0];
        assert!(kernel["no_lines"].as_str().unwrap().contains(reason), "{kernel}");
        assert_eq!(kernel["instructions"], json!([]));
        assert_eq!(document["files"], json!([]));
        let unknown = &document["totals"]["unknown"][0];
        assert!(unknown["reason"].as_str().unwrap().contains(reason), "{unknown}");
        assert_eq!(unknown["counts"]["stalls"]["long_scoreboard"], 40);
        assert_eq!(
            (&document["totals"]["samples"], &unknown["counts"]["share"]),
            (&json!(40), &json!(1.0))
        );
        let text = place.run(["source", "r.ncu-rep"]).ok();
        assert!(text.contains("40 samples (100.0 %) at no known instruction"), "{text}");
        assert!(!text.contains("-lineinfo"), "{text}");
    }
}
