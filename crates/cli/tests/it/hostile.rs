//! Files that are damaged or made to do harm: an exit code, a sentence, and never more memory than is in proportion to the file.

use std::path::Path;
use std::process::Command;

use crate::support::{Outcome, Place};

/// Memory that any file may take, and that for each of its bytes.
const ALLOWED: u64 = 100_000_000;
const ALLOWED_PER_BYTE: u64 = 10;

/// Address space of the program's own code, as tests build it; no file takes it.
const PROGRAM: u64 = 35_000_000;

/// Runs the program with so much memory and no more, as `ulimit` has it.
fn run_within(place: &Place, bytes: u64, words: &[&str]) -> Outcome {
    let script = format!("ulimit -v {} && exec \"$0\" \"$@\"", (PROGRAM + bytes) / 1024);
    let output = Command::new("bash")
        .args(["-c", &script, env!("CARGO_BIN_EXE_rangescope")])
        .args(words)
        .current_dir(place.root())
        // Each thread takes address space for its stack and heap, which is no memory.
        .envs([("RAYON_NUM_THREADS", "1"), ("MALLOC_ARENA_MAX", "1")])
        .output()
        .unwrap();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[track_caller]
fn assert_in_proportion(place: &Place, file: &str, verbs: &[&str]) {
    let size = fs_err::metadata(place.path(file)).unwrap().len();
    for verb in verbs {
        let words: Vec<&str> = verb.split(' ').chain([file]).collect();
        let outcome = run_within(place, ALLOWED + ALLOWED_PER_BYTE * size, &words);
        assert!(
            matches!(outcome.code, 0 | 5),
            "{verb} {file}: {} {}",
            outcome.code,
            outcome.stderr
        );
    }
}

/// Makes a file that is a hole from its start, or from where it ends now.
fn stretch(path: &Path, length: u64) {
    let file = fs_err::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.set_len(length).unwrap();
}

fn number(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
    bytes
}

fn field(field: u64, content: &[u8]) -> Vec<u8> {
    [number(field << 3 | 2), number(content.len() as u64), content.to_vec()].concat()
}

/// A report of one block with so many kernel results.
fn report(results: u64, payload: &[u8], strings: &[u8], session: &[u8]) -> Vec<u8> {
    let header = [
        [vec![0x10], number(results)].concat(),
        field(3, session),
        field(4, strings),
        [vec![0x28], number(payload.len() as u64)].concat(),
    ]
    .concat();
    let length = u32::try_from(header.len()).unwrap().to_le_bytes();
    [b"NVR\0\x02\0\0\0\x08\x07", &length[..], &header, payload].concat()
}

fn one_result(content: &[u8]) -> Vec<u8> {
    let content = [&[0x08, 7, 0x32, 1, b'k'], content].concat();
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    report(1, &[&length[..], &content].concat(), &field(1, b"m"), b"")
}

/// A zstd stream of one frame that repeats one byte: four bytes of it are 128 KiB.
fn repeated(start: &[u8], byte: u8, count: u32) -> Vec<u8> {
    const LARGEST: u32 = 128 << 10;
    let block = |kind: u32, size: u32| (size << 3 | kind << 1).to_le_bytes()[..3].to_vec();
    let mut stream = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x70];
    stream.extend(block(0, u32::try_from(start.len()).unwrap()));
    stream.extend(start);
    for _ in 0..count / LARGEST {
        stream.extend(block(1, LARGEST));
        stream.push(byte);
    }
    stream.extend([1, 0, 0]);
    stream
}

#[test]
fn a_small_report_cannot_take_much_memory() {
    const SIZE: usize = 4_000_000;
    let place = Place::new();
    let many = |item: &[u8]| item.repeat(SIZE / item.len());
    let in_state = |content: &[u8]| one_result(&field(21, content));
    let domain = field(1, &[0x08, 0, 0x12, 1, b'd']);
    let stack = |ranges: &[u8]| field(2, &[&[0x08, 7][..], &field(2, ranges)].concat());
    let files: [(&str, Vec<u8>); 14] = [
        ("empty results", report(SIZE as u64 / 4, &many(&[0; 4]), b"", b"")),
        ("tiny results", report(SIZE as u64 / 6, &many(&[2, 0, 0, 0, 8, 1]), b"", b"")),
        ("strings", report(0, b"", &many(&[0x0a, 0]), b"")),
        ("devices", report(0, b"", b"", &many(&[0x32, 0]))),
        ("properties", report(0, b"", b"", &field(5, &many(&[0x0a, 0])))),
        ("metrics", one_result(&many(&[0x6a, 2, 8, 0]))),
        ("instances", one_result(&field(13, &[&[8, 0][..], &many(&[0x1a, 0])].concat()))),
        ("domains", in_state(&many(&[0x0a, 0]))),
        ("registered strings", in_state(&field(1, &many(&[0x1a, 0])))),
        ("ranges", in_state(&[domain, stack(&[&[8, 0][..], &many(&[0x1a, 0])].concat())].concat())),
        ("rules", one_result(&many(&[0x9a, 1, 0]))),
        ("rule items", one_result(&field(19, &field(3, &many(&[0x0a, 0]))))),
        ("sections", one_result(&many(&[0x8a, 1, 0]))),
        ("section metrics", one_result(&field(17, &field(4, &many(&[0x12, 0]))))),
    ];
    for (name, bytes) in files {
        fs_err::write(place.path(name), bytes).unwrap();
        assert_in_proportion(&place, name, &["report", "dump"]);
    }
}

/// Ranges that are open in a result, the outermost first.
fn open(domain: &str, names: impl IntoIterator<Item = String>) -> Vec<u8> {
    let ranges: Vec<u8> =
        names.into_iter().flat_map(|name| field(3, &field(1, name.as_bytes()))).collect();
    let stack = [&[0x08, 7][..], &field(2, &[&[0x08, 0][..], &ranges].concat())].concat();
    let domain = [&[0x08, 0][..], &field(2, domain.as_bytes())].concat();
    field(21, &[field(1, &domain), field(2, &stack)].concat())
}

fn metric(name: u64, value: f64) -> Vec<u8> {
    let value = field(2, &[&[0x19][..], &value.to_le_bytes()].concat());
    field(13, &[&[0x08][..], &number(name), &value].concat())
}

fn report_of(results: impl IntoIterator<Item = (String, Vec<u8>)>, strings: &[u8]) -> Vec<u8> {
    let (mut count, mut payload) = (0, Vec::new());
    for (kernel, content) in results {
        let content = [&[0x08, 7][..], &field(6, kernel.as_bytes()), &content].concat();
        payload.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
        payload.extend(content);
        count += 1;
    }
    report(count, &payload, strings, b"")
}

fn strings(count: u64, name: impl Fn(u64) -> String) -> Vec<u8> {
    (0..count).flat_map(|at| field(1, name(at).as_bytes())).collect()
}

/// At these sizes, anything that grows with the square of the names would also take longer than a test may.
#[test]
fn a_small_report_of_very_many_names_cannot_take_much_memory() {
    let place = Place::new();
    let k = || "k".to_owned();
    let hex = |at: u64| format!("{at:x}");
    let counter = |at: u64| format!("a__{at:x}.sum");
    let throughput = |at: u64| match at {
        0 => "sm__throughput.avg.pct_of_peak_sustained_elapsed".to_owned(),
        1 => "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed".to_owned(),
        _ => format!("a__{at:x}.avg.pct_of_peak_sustained_elapsed"),
    };
    let one = field(1, b"m");
    let sections = |from: u64| {
        (
            k(),
            (from..from + 1_000).flat_map(|at| field(17, &field(1, hex(at).as_bytes()))).collect(),
        )
    };
    let chain = |length: u64| open("d", (0..length).map(hex));
    let files: [(&str, Vec<u8>); 9] = [
        ("kernels", report_of((0..214_000).map(|at| (hex(at), Vec::new())), &one)),
        ("regions", report_of((0..100_000).map(|at| (k(), open("d", [hex(at)]))), &one)),
        ("domains", report_of((0..50_000).map(|at| (k(), open(&hex(at), [k()]))), &one)),
        ("sections", report_of((0..100).map(|at| sections(at * 1_000)), &one)),
        ("kernels of regions", report_of((0..4_000).map(|at| (hex(at), chain(100))), &one)),
        (
            "metrics of regions",
            report_of(
                [(
                    k(),
                    [chain(250), (0..20_000).flat_map(|at| metric(at, 1.5)).collect()].concat(),
                )],
                &strings(20_000, counter),
            ),
        ),
        (
            "metrics of pairs",
            report_of(
                (0..4_000).map(|at| (k(), [open("d", [hex(at / 2)]), metric(at, 2.0)].concat())),
                &strings(100_000, counter),
            ),
        ),
        (
            "metrics of kernels",
            report_of(
                (0..8_000).map(|at| (hex(at), metric(at, 2.0))),
                &strings(40_000, throughput),
            ),
        ),
        (
            "metrics of nothing",
            report_of((0..200_000).map(|_| (k(), Vec::new())), &strings(200_000, counter)),
        ),
    ];
    for (name, bytes) in files {
        fs_err::write(place.path(name), bytes).unwrap();
        assert_in_proportion(&place, name, &["report", "report --format json"]);
    }
    let header = r#""ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Metric Name","Metric Unit","Metric Value""#;
    let rows = (0..20_000)
        .map(|at| format!("\n\"{at}\",\"{at}\",\"p\",\"h\",\"k\",\"1\",\"7\",\"m\",\"\",\"1\""));
    fs_err::write(place.path("processes.csv"), rows.fold(header.to_owned(), |all, row| all + &row))
        .unwrap();
    assert_in_proportion(&place, "processes.csv", &["report", "report --format json"]);
    let rows = "\"1\",\"k\",\"1\"\n".repeat(300_000);
    let header = "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"\n\"\",\"\",\"ns\"\n";
    fs_err::write(place.path("short.csv"), header.to_owned() + &rows).unwrap();
    assert_in_proportion(&place, "short.csv", &["report", "report --format json"]);
    let said = place.run(["report", "short.csv"]).ok();
    assert!(said.contains("results are left out"), "{said}");
}

#[test]
fn names_that_are_too_many_are_taken_together_and_can_be_selected() {
    let place = Place::new();
    let results = (0..20_000_u64).map(|at| (format!("k{at}"), open("d", [format!("r{at}")])));
    fs_err::write(place.path("many.ncu-rep"), report_of(results, &field(1, b"m"))).unwrap();
    let document = place.json(["many.ncu-rep"]);
    let report = document["reports"].as_array().unwrap().last().unwrap();
    assert_eq!(report["totals"]["kernel_count"], 20_000);
    let regions = report["regions"].as_array().unwrap();
    let count = |region: &serde_json::Value| region["kernel_count"].as_u64().unwrap();
    let others = regions.iter().find(|region| region["name"] == "(others)").unwrap();
    assert_eq!(regions.iter().map(count).sum::<u64>(), 20_000);
    assert_eq!(count(others), 20_000 - (regions.len() as u64 - 1));
    let notes = document["notes"].as_array().unwrap();
    let said: Vec<&str> = notes
        .iter()
        .filter(|note| note["code"] == "too-many")
        .map(|note| note["message"].as_str().unwrap())
        .collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("results are in regions beyond the first 8,"), "{said:?}");
    assert!(said[1].contains("launches are of kernels beyond the first 8,"), "{said:?}");

    let document = place.json(["many.ncu-rep", "--region", "r19999", "--kernel", "k19999"]);
    let report = document["reports"].as_array().unwrap().last().unwrap();
    assert_eq!(report["regions"][0]["name"], "r19999");
    assert_eq!(report["totals"]["kernel_count"], 1);
    assert_eq!(report["totals"]["kernels"][0]["kernel_name"], "k19999");
}

#[test]
fn a_small_compressed_report_cannot_take_much_memory() {
    let place = Place::new();
    let whole: u32 = 250 << 20;
    let start = report(u64::from(whole) / 4, b"", b"", b"");
    // The payload's size and the count are the file's own; what follows is 62.5 million empty results.
    fs_err::write(place.path("bomb.ncu-repz"), repeated(&start, 0, whole)).unwrap();
    assert!(fs_err::metadata(place.path("bomb.ncu-repz")).unwrap().len() < 10_000);
    let said = run_within(&place, ALLOWED, &["report", "bomb.ncu-repz"]).fails(5);
    assert!(said.contains("out of all proportion to its"), "{said}");

    // A block header, and a result, as large as a stream may grow.
    let header = [b"NVR\0\x02\0\0\0\x08\x07", &whole.to_le_bytes()[..]].concat();
    fs_err::write(place.path("header.ncu-repz"), repeated(&header, 0x0a, whole)).unwrap();
    let result = [&report(1, b"", b"", b"")[..], &whole.to_le_bytes()].concat();
    fs_err::write(place.path("result.ncu-repz"), repeated(&result, 0x0a, whole)).unwrap();
    for file in ["header.ncu-repz", "result.ncu-repz"] {
        assert_in_proportion(&place, file, &["report", "dump"]);
    }
}

#[test]
fn running_out_of_memory_is_an_error_and_no_abort() {
    let place = Place::new();
    let bytes = report(3_000_000, &vec![0; 12_000_000], b"", b"");
    fs_err::write(place.path("many.ncu-rep"), bytes).unwrap();
    stretch(&place.path("hole.nvtx"), 3 << 30);
    stretch(&place.path("report.json"), 1 << 30);
    let sample = run_within(&place, 80_000_000, &["report", "sample.ncu-rep"]);
    assert_eq!(sample.code, 0, "the program itself fits: {}", sample.stderr);
    for words in [["report", "many.ncu-rep"], ["regions", "hole.nvtx"], ["advice", "report.json"]] {
        // 5 where the size was asked for by the file, 8 where it is only the last straw.
        let outcome = run_within(&place, 80_000_000, &words);
        assert!(matches!(outcome.code, 5 | 8), "{words:?}: {} {}", outcome.code, outcome.stderr);
        assert!(outcome.stderr.contains("memory"), "{words:?}: {}", outcome.stderr);
    }
}

#[test]
fn zeros_are_damage_whatever_their_number() {
    let place = Place::new();
    let sample = fs_err::read(place.path("sample.ncu-rep")).unwrap();
    stretch(&place.path("hole.ncu-rep"), 5 << 30);
    fs_err::write(place.path("start.ncu-rep"), &sample[..10]).unwrap();
    let only_start = place.run(["report", "start.ncu-rep"]).fails(5);
    assert!(only_start.contains("ncu is still writing this report or was killed"), "{only_start}");
    stretch(&place.path("start.ncu-rep"), 5 << 30);
    for (file, expected) in
        [("hole.ncu-rep", "begins with zeros"), ("start.ncu-rep", "zeros at byte 10")]
    {
        for verb in ["report", "dump", "export"] {
            let said = place.run([verb, file]).fails(5);
            assert!(said.contains(expected), "{verb} {file}: {said}");
        }
    }
    // Whole, and zeros where more was to come.
    fs_err::write(place.path("grown.ncu-rep"), &sample).unwrap();
    stretch(&place.path("grown.ncu-rep"), 1 << 30);
    let document = place.json(["grown.ncu-rep"]);
    assert_eq!(document["sources"][0]["lost"], 1);
    let message = document["notes"][0]["message"].as_str().unwrap();
    assert!(message.contains("how many results are lost is not known"), "{message}");
}

#[test]
fn a_file_without_a_readable_result_gives_exit_code_5() {
    let place = Place::new();
    let length = 1_000_u32.to_le_bytes();
    let bytes = report(2, &[&length[..], &[0; 1_000], &length, &[0; 1_000]].concat(), b"", b"");
    fs_err::write(place.path("zeroed.ncu-rep"), bytes).unwrap();
    let said = place.run(["report", "zeroed.ncu-rep"]).fails(5);
    assert!(said.contains("none of its results is readable; 2 are lost"), "{said}");
}

#[test]
fn a_file_may_be_cut_at_any_moment_while_it_is_read() {
    let place = Place::new();
    let bytes = fs_err::read(place.path("sample.ncu-rep")).unwrap();
    let path = place.path("moving.ncu-rep");
    for turn in 0..60_u64 {
        fs_err::write(&path, &bytes).unwrap();
        let outcome = std::thread::scope(|scope| {
            let path = &path;
            let length = bytes.len() as u64 * (turn % 4) / 4;
            scope.spawn(move || {
                std::thread::sleep(std::time::Duration::from_micros(turn * 500));
                fs_err::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
            });
            place.run(["report", "moving.ncu-rep"])
        });
        let is_told = match outcome.code {
            0 => true,
            5 => outcome.stderr.starts_with("error: ") && outcome.stderr.contains("\nhint: "),
            _ => false,
        };
        assert!(is_told, "turn {turn}: {} {}", outcome.code, outcome.stderr);
    }
}

#[test]
fn pipes_and_devices_are_refused_wherever_a_file_is_read() {
    let place = Place::new();
    for name in ["pipe", "pipe.json", "pipe.nvtx", "pipe.sqlite", "pipe.csv", "pipe.yaml"] {
        let made = Command::new("mkfifo").arg(place.path(name)).status().unwrap();
        assert!(made.success());
    }
    let plan = |from: &'static str| vec!["plan", "--ncu-version", "2024.1", from, "--", "true"];
    let from_run = |file: &str| &*format!("pipeline.regions.from_run={file}").leak();
    let from_list = |file: &str| &*format!("pipeline.ncu.from_top_kernels={file}").leak();
    let sample = "sample.ncu-rep";
    let cases = [
        vec!["report", "pipe"],
        vec!["report", "pipe.csv"],
        vec!["report", "/dev/zero"],
        vec!["dump", "pipe"],
        vec!["export", "pipe"],
        vec!["advice", "pipe.json"],
        vec!["advice", "pipe"],
        vec!["compare", "pipe.json", sample],
        vec!["compare", sample, sample, "--gates", "pipe"],
        vec!["top-kernels", "pipe.sqlite"],
        vec!["top-kernels", "/dev/zero"],
        vec!["regions", "pipe.nvtx"],
        plan(from_run("pipe.json")),
        plan(from_run("pipe.nvtx")),
        plan(from_run("pipe.sqlite")),
        plan(from_run("pipe")),
        plan(from_list("pipe.json")),
    ];
    for words in cases {
        let said = place.run(words.iter().copied()).fails(5);
        assert!(said.contains("not a"), "{words:?}: {said}");
    }
}

#[test]
fn texts_that_are_too_large_are_refused_before_they_are_read() {
    let place = Place::new();
    for name in ["report.json", "gates.txt"] {
        stretch(&place.path(name), 3 << 30);
    }
    let csv = "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\"\n";
    fs_err::write(place.path("big.csv"), csv).unwrap();
    stretch(&place.path("big.csv"), 3 << 30);
    let sample = "sample.ncu-rep";
    for words in [
        vec!["advice", "report.json"],
        vec!["compare", sample, sample, "--gates", "gates.txt"],
        vec!["report", "big.csv"],
    ] {
        let said = run_within(&place, ALLOWED, &words).fails(5);
        assert!(said.contains("it has 3221225472 bytes, and at most"), "{words:?}: {said}");
    }
}
