//! Whole pages, made by hand: what the tool and programs do to tables, and what people do to files.

use super::*;
use crate::{DEFAULT_DOMAIN, ResultData, ResultKind, Value};

const HEADER: &str = r#""ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","gpu__time_duration.sum","text""#;
const UNITS: &str = r#""","","","","","","","","","","","usecond","""#;

fn row(id: u32, kernel: &str, duration: &str) -> String {
    format!(
        r#""{id}","10","app","127.0.0.1","{kernel}","1","7","(256, 1, 1)","(16, 2, 1)","0","8.6","{duration}","x""#
    )
}

fn page(lines: &[&str]) -> CsvReport {
    read(lines.join("\n").as_bytes()).unwrap()
}

fn duration(result: &ResultData<'_>) -> Option<f64> {
    result.metric("gpu__time_duration.sum")?.value.as_ref()?.as_f64()
}

/// One line per result: name and duration.
fn described(report: &CsvReport) -> Vec<String> {
    let line = |result: &ResultData<'_>| {
        format!("{} {:?}", result.demangled, duration(result).unwrap_or(f64::NAN))
    };
    report.results.iter().map(line).collect()
}

fn kinds(report: &CsvReport) -> Vec<NoteKind> {
    report.notes.iter().map(|note| note.kind.clone()).collect()
}

#[test]
fn a_row_becomes_a_result() {
    let report = page(&[HEADER, UNITS, &row(0, "void a::k<int>(float *)", "1.500000")]);
    assert_eq!((report.page, kinds(&report)), (Page::Raw, vec![]));
    let result = &report.results[0];
    assert_eq!((result.kind, result.function.as_ref()), (ResultKind::Kernel, "k"));
    assert_eq!((result.process.pid, result.process.host.as_ref()), (Some(10), "127.0.0.1"));
    assert_eq!((result.block, result.grid), (Some([256, 1, 1]), Some([16, 2, 1])));
    assert_eq!((result.context, result.stream, result.device()), (Some(1), Some(7), Some(0)));
    assert_eq!(duration(result), Some(1500.0));
    assert_eq!(result.metric("text").unwrap().value, Some(Value::Text("x".into())));
    assert_eq!(
        result.metric("device__attribute_compute_capability_minor").unwrap().value,
        Some(Value::U64(6))
    );
    assert_eq!(result.nvtx, None);
}

#[test]
fn lines_around_and_between_are_skipped_and_said() {
    let report = page(&[
        "==PROF== Connected to process 10 (/bin/app)",
        "hello",
        "==WARNING== Something",
        HEADER,
        UNITS,
        "step 1, loss 0.5",
        &row(0, "k", "1.000000"),
        "\"quoted\" words",
        "==PROF== Disconnected from process 10",
        &row(1, "k", "2.000000"),
        "",
        "==ERROR== Bad end",
    ]);
    assert_eq!(described(&report), ["k 1000.0", "k 2000.0"]);
    let notes: Vec<_> = report.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "line 1: skipped 2 lines that are not part of the table",
            "line 3: the tool says ==WARNING== Something",
            "line 6: skipped 3 lines that are not part of the table",
            "line 12: the tool says ==ERROR== Bad end",
        ]
    );
}

#[test]
fn quotes_that_are_not_escaped() {
    let report = page(&[
        HEADER,
        UNITS,
        &row(0, r#"f("a")"#, "1.000000"),
        &row(1, r#"f("a","b")"#, "2.000000"),
        &row(2, "two\nlines", "3.000000"),
        &row(3, r#"f(""b"")"#, "4.000000"),
    ]);
    assert_eq!(
        described(&report),
        [r#"f("a") 1000.0"#, r#"f("a","b") 2000.0"#, "two\nlines 3000.0", r#"f("b") 4000.0"#]
    );
    assert_eq!(kinds(&report), [NoteKind::RejoinedCell { column: "Kernel Name".into() }]);
}

#[test]
fn json_in_a_payload() {
    let header = HEADER.replace(
        r#""Kernel Name""#,
        &format!(r#""{}","{}","Kernel Name""#, columns::PUSH_POP, columns::START_STOP),
    );
    let cells = r#""10  ""d:n:Json:{"a":"x","b":"y"}:RGB:0x1:ASCII:n"" ","","k""#;
    let units = UNITS.replacen(r#""","#, r#""","","","#, 1);
    let report = page(&[&header, &units, &row(0, "k", "1.000000").replace(r#""k""#, cells)]);
    let result = &report.results[0];
    assert_eq!(described(&report), ["k 1000.0"]);
    assert_eq!(result.thread, 10);
    let range = &result.nvtx.as_ref().unwrap().domains[0].push_pop[0];
    let payload = range.attributes.as_ref().unwrap().payload.clone().unwrap();
    assert_eq!(payload, (7, Some(crate::PayloadValue::Text(r#"{"a":"x","b":"y"}"#.into()))));
}

#[test]
fn rows_that_do_not_fit() {
    let cut = row(2, "k", "3.000000");
    let report = page(&[
        HEADER,
        UNITS,
        "\"0\",\"10\",\"app\"",
        &row(1, "k", "2.000000"),
        &cut[..cut.len() - 8],
    ]);
    // The last row ends within its number, which is not taken.
    assert_eq!(described(&report), ["k 2000.0", "k NaN"]);
    assert_eq!(
        kinds(&report),
        [
            NoteKind::DamagedRow { found: 3, expected: 13 },
            NoteKind::ShortRow { found: 12, expected: 13 }
        ]
    );
}

#[test]
fn locales() {
    let base = UNITS.replace("usecond", "nsecond");
    let read = |durations: &[&str]| {
        let rows: Vec<_> = durations.iter().map(|duration| row(0, "k", duration)).collect();
        let lines: Vec<_> =
            [HEADER, &base].into_iter().chain(rows.iter().map(String::as_str)).collect();
        let report = page(&lines);
        (
            report.results.iter().map(|result| duration(result).unwrap()).collect::<Vec<_>>(),
            kinds(&report),
        )
    };
    assert_eq!(read(&["1.234.567", "88.512"]), (vec![1_234_567.0, 88_512.0], vec![]));
    assert_eq!(read(&["999,50", "88.512"]), (vec![999.5, 88_512.0], vec![]));
    assert_eq!(read(&["1,234,567.25", "88,512"]), (vec![1_234_567.25, 88_512.0], vec![]));
    assert_eq!(read(&["1\u{202f}234", "999,50"]), (vec![1234.0, 999.5], vec![]));
    assert_eq!(read(&["6.7", "88.512"]), (vec![6.7, 88.512], vec![]));
    let guess = NoteKind::GuessedSeparator { text: "88.512".into(), value: 88_512.0 };
    assert_eq!(read(&["88.512", "122.573"]), (vec![88_512.0, 122_573.0], vec![guess]));
    assert_eq!(read(&["1.234.567", "6.7"]).1, [NoteKind::ConflictingSeparators]);
}

#[test]
fn files_that_were_written_again() {
    let plain = "\u{feff},ID,Process ID,Kernel Name,gpu__time_duration.sum,Range Name\r\n0,,,,us,\r\n1,0,10,\"k(int, \"\"x\"\")\",1.5,A::A1\r\n2,1,10,k,2.5,\r\n";
    let report = read(plain.as_bytes()).unwrap();
    assert_eq!(described(&report), ["k(int, \"x\") 1500.0", "k 2500.0"]);
    let domains = &report.results[0].nvtx.as_ref().unwrap().domains;
    assert_eq!(
        (domains[0].name.as_ref(), domains[0].push_pop[0].name.as_ref()),
        (DEFAULT_DOMAIN, "A::A1")
    );
    assert!(report.results[1].nvtx.as_ref().unwrap().domains.is_empty());
    assert_eq!(kinds(&report), []);

    let wide: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(plain[3..].encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    assert_eq!(read(&wide).unwrap().results, report.results);
    let without_units = read(plain.replace("0,,,,us,\r\n", "").as_bytes()).unwrap();
    assert_eq!(
        (described(&without_units)[1].as_str(), kinds(&without_units)),
        ("k 2.5", vec![NoteKind::NoUnitRow])
    );
}

#[test]
fn kinds_of_results() {
    let line = |name: &str, stream: &str, shape: &str| {
        row(0, name, "1.000000")
            .replace("\"7\"", stream)
            .replace("\"(256, 1, 1)\",\"(16, 2, 1)\"", shape)
    };
    let report = page(&[
        HEADER,
        UNITS,
        &line("range", r#""n/a""#, r#""n/a","n/a""#),
        &line("graph", r#""7""#, r#""n/a","n/a""#),
        &line("my list", r#""7""#, r#""n/a","n/a""#),
        &line("range", r#""7""#, r#""(1, 1, 1)","(1, 1, 1)""#),
    ]);
    let kinds: Vec<_> =
        report.results.iter().map(|result| (result.kind, result.function.as_ref())).collect();
    assert_eq!(
        kinds,
        [
            (ResultKind::Range, "range"),
            (ResultKind::Graph, "graph"),
            (ResultKind::Cmdlist, "my list"),
            (ResultKind::Kernel, "range"),
        ]
    );
    // The older page has no shapes.
    let old = page(&[
        r#""ID","Kernel Name","Kernel Time","Stream""#,
        r#""0","range","Unknown","n/a""#,
        r#""1","range","Unknown","7""#,
    ]);
    assert_eq!(
        old.results.iter().map(|result| result.kind).collect::<Vec<_>>(),
        [ResultKind::Range, ResultKind::Kernel]
    );
}

#[test]
fn the_details_page() {
    let header = r#""ID","Process ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup""#;
    let report = page(&[
        header,
        r#""0","1","k","GPU Speed Of Light Throughput","Duration","us","84.48","#,
        r#""0","1","k","GPU Speed Of Light Throughput","Something New","%","12","#,
        r#""0","1","k","SpeedOfLight","","","","SOLBottleneck","OPT","Do "this", or"#,
        r#"that","local","5.395""#,
        r#""1","1","k2","Command line profiler metrics","flop_count_sp.sum","","n/a","#,
        r#""1","1","k2","Occupancy","Achieved Occupancy (sm__warps_active.avg.pct_of_peak_sustained_active)","%","79.18","#,
    ]);
    assert_eq!((report.page, report.results.len(), kinds(&report)), (Page::Details, 2, vec![]));
    let [one, two] = &report.results[..] else { panic!() };
    assert_eq!(duration(one), Some(84_480.0));
    let new = one.metric("label:GPU Speed Of Light Throughput/Something New").unwrap();
    assert_eq!(new.value, Some(Value::U64(12)));
    assert_eq!((one.sections[0].id.as_ref(), one.sections[0].header.len()), ("SpeedOfLight", 2));
    let rule = &one.rules[0];
    assert_eq!((rule.id.as_ref(), rule.section.as_ref()), ("SOLBottleneck", "SpeedOfLight"));
    let message = rule.items[0].message.as_ref().unwrap();
    assert_eq!(
        (message.text.as_ref(), message.kind.as_str()),
        ("Do \"this\", or\nthat", "optimization")
    );
    assert_eq!(rule.items[0].speedup, Some(crate::Speedup { kind: 1, pct: 5.395 }));
    let names: Vec<_> = two.metrics.iter().map(|metric| metric.name.as_ref()).collect();
    assert_eq!(names, ["sm__warps_active.avg.pct_of_peak_sustained_active"]);
    assert_eq!(two.sections[1].header[0].label, "Achieved Occupancy");
}

#[test]
fn several_tables() {
    let first = [HEADER, UNITS, &row(0, "k", "1.000000")].join("\n");
    let report = page(&[&first, "==PROF== again", &first]);
    assert_eq!(described(&report), ["k 1000.0", "k 1000.0"]);
}

#[test]
fn texts_without_a_table() {
    let error = read(b"hello\nworld\n").unwrap_err();
    assert_eq!(error, CsvError::NoHeader { lines: 2 });
    assert!(error.to_string().contains("`Kernel Name`") && error.hint().contains("--page raw"));
    assert_eq!(read(b"").unwrap_err(), CsvError::NoHeader { lines: 0 });
}

#[test]
fn repeated_columns_and_instances() {
    let report = read(b"ID,Kernel Name,m,n,m\n,,,,\n0,k,1,2338 (8; 8),3\n").unwrap();
    let values: Vec<_> = report.results[0]
        .metrics
        .iter()
        .map(|metric| (metric.name.as_ref(), metric.value.clone()))
        .collect();
    assert_eq!(values, [("n", Some(Value::U64(2338))), ("m", Some(Value::U64(3)))]);
    assert_eq!(kinds(&report), [NoteKind::DroppedColumn("m".into()), NoteKind::DroppedInstances]);
}
