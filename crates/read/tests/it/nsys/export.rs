//! Exports in, numbers out.

use proptest::prelude::*;
use rangescope_model::region::RangeKind;
use rangescope_read::nsys::{
    Database, Grouping, StartEndScope, Summary, Trace, write_kernels_by_region_csv,
    write_kernels_csv, write_ranges_csv, write_summary_json,
};
use rangescope_testing::nsys::{Export, OTHER_PROCESS, PROCESS};

fn trace(export: Export) -> Trace {
    let (path, _folder) = export.close();
    Trace::read(&Database::open(&path).unwrap()).unwrap()
}

/// The regions of every kernel by name, each with all around it.
fn places(trace: &Trace, scope: StartEndScope) -> Vec<Vec<String>> {
    let show = |id| {
        let region = trace.region(id).unwrap();
        let mark = if region.kind == RangeKind::StartEnd { "~" } else { "" };
        format!("{mark}{}@{}", region.path.join("/"), region.domain)
    };
    let regions = trace.regions_of_kernels(scope).unwrap();
    let sorted = |regions: Vec<_>| {
        let mut names: Vec<String> = regions.into_iter().map(show).collect();
        names.sort();
        names
    };
    regions.into_iter().map(sorted).collect()
}

#[test]
fn a_kernel_belongs_to_the_ranges_around_its_launch() {
    let mut export = Export::with_tables(false);
    export.domain("LLM", 1, PROCESS);
    export.domain("other", 1, OTHER_PROCESS);
    export.push("A", 1, 0, 100);
    export.push("B", 1, 10, 50);
    export.range(59, "d", 1, PROCESS + 1, 5, 60);
    export.range(59, "far", 1, OTHER_PROCESS + 1, 0, 1_000);
    export.range(60, "s", 0, PROCESS + 2, 0, 45);
    for (start, end) in [(20, 30), (40, 50), (45, 55), (90, 101), (200, 201)] {
        export.kernel("k", 1, start, end, 7);
    }
    export.kernel("k", 2, 20, 30, 7);
    let trace = trace(export);
    let default = |name: &str| format!("{name}@<default domain>");
    let (a, b, s) = (default("A"), default("A/B"), default("~s"));
    let d = "d@LLM".to_owned();
    assert_eq!(
        places(&trace, StartEndScope::Process),
        [
            vec![b.clone(), a.clone(), d.clone(), s.clone()].into_iter().collect::<Vec<_>>(),
            vec![a.clone(), b.clone(), d.clone()],
            vec![a.clone(), d.clone()],
            vec![],
            vec![],
            vec![s.clone()],
        ]
        .map(|mut names| {
            names.sort();
            names
        })
    );
    let by_thread = places(&trace, StartEndScope::Thread);
    assert!(!by_thread[0].contains(&s) && by_thread[5] == [s]);
}

#[test]
fn both_schemas_and_missing_tables_are_read() {
    for old in [false, true] {
        let mut export = Export::with_tables(old);
        export.kernel("k", 1, 1, 2, 3);
        let (path, _folder) = export.close();
        let database = Database::open(&path).unwrap();
        assert_eq!(database.schema_version(), Some(if old { "3.0.0" } else { "3.7.2" }));
        assert_eq!(Trace::read(&database).unwrap().kernels().len(), 1);
    }
    let empty = trace(Export::new(true));
    assert!(empty.ranges().is_empty() && empty.kernels().is_empty());
    assert_eq!(empty.notes(), ["the trace has no NVTX ranges", "the trace has no kernels"]);
    assert!(Summary::of(&empty, Grouping::default()).unwrap().kernels_by_region.is_empty());
}

#[test]
fn names_are_found_where_they_are_kept() {
    let mut export = Export::with_tables(false);
    let id = export.string("registered");
    for text_id in [Some(id), Some(999), None] {
        let into = "NVTX_EVENTS (eventType, text, textId, domainId, globalTid, start)";
        export.insert(into, (59, None::<&str>, text_id, 3, PROCESS + 1, 5));
    }
    let trace = trace(export);
    let names: Vec<_> = trace.ranges().iter().map(|range| trace.name(range.name)).collect();
    assert_eq!(names, ["registered", "(string 999)", ""]);
    assert_eq!(trace.name(trace.ranges()[0].domain), "(domain 3)");
    assert!(trace.ranges()[0].is_registered && !trace.ranges()[2].is_registered);
}

#[test]
fn ranges_that_are_never_closed_last_to_the_end() {
    let mut export = Export::with_tables(false);
    for _ in 0..1_000 {
        let into = "NVTX_EVENTS (eventType, text, globalTid, start)";
        export.insert(into, (59, "leak", PROCESS + 1, 5));
    }
    export.kernel("k", 1, 10, 20, 5);
    let trace = trace(export);
    assert!(trace.ranges().iter().all(|range| range.end == 20 + 1_000 + 5));
    assert_eq!(trace.regions_of_kernels(StartEndScope::Process).unwrap()[0].len(), 256);
    assert!(trace.notes().iter().any(|note| note.contains("744 ranges are nested too deep")));
}

#[test]
fn summaries_add_up() {
    let mut export = Export::with_tables(false);
    export.push("A", 1, 0, 100);
    export.push("A::A1", 1, 10, 50);
    export.push("A", 2, 0, 300);
    export.kernel("gemm", 1, 20, 30, 10);
    export.kernel("gemm", 1, 60, 70, 30);
    export.kernel("gemm", 2, 60, 70, 50);
    export.kernel("copy, \"odd\"", 1, 500, 501, 10);
    let trace = trace(export);
    let mut summary = Summary::of(&trace, Grouping::default()).unwrap();
    let gemm = &summary.kernels[0];
    assert_eq!((gemm.base_name.as_str(), gemm.calls, gemm.share), ("gemm", 3, 0.9));
    assert_eq!((gemm.time.total_ns, gemm.time.mean_ns, gemm.time.median_ns), (90, 30.0, 30.0));

    let a = summary.ranges.iter().find(|row| row.name == "A").unwrap();
    assert_eq!((a.instances, a.threads, a.processes), (2, 2, 1));
    assert_eq!((a.time.total_ns, a.kernels, a.gpu_ns), (400, Some(3), Some(90)));

    let rows: Vec<_> = summary
        .kernels_by_region
        .iter()
        .map(|row| {
            let name = row.region.as_ref().map_or("-", |region| region.name.as_str());
            (name, row.kernel.base_name.as_str(), row.kernel.calls, row.kernel.time.total_ns)
        })
        .collect();
    let expected = [("A", "gemm", 3, 90), ("A::A1", "gemm", 1, 10), ("-", "copy, \"odd\"", 1, 10)];
    assert_eq!(rows, expected);

    let by_thread = Grouping { per_thread: true, ..Grouping::default() };
    let threads = Summary::of(&trace, by_thread).unwrap().kernels_by_region;
    let of_a: Vec<_> = threads.iter().map(|row| (row.thread_id, row.kernel.calls)).collect();
    assert_eq!(of_a, [(Some(1), 2), (Some(2), 1), (Some(1), 1), (Some(1), 1)]);

    summary.source.path = "run.sqlite".into();
    let mut csv = Vec::new();
    write_kernels_by_region_csv(&summary, &mut csv).unwrap();
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "region,domain,kind,path,process_id,thread_id,kernel_name,base_name,device,calls,total_ns,mean_ns,median_ns,min_ns,max_ns,share\r\n\
         A,<default domain>,push_pop,\"[\"\"A\"\"]\",,,void gemm<int>(T1),gemm,0,3,90,30,30,10,50,1\r\n\
         A::A1,<default domain>,push_pop,\"[\"\"A\"\",\"\"A::A1\"\"]\",,,void gemm<int>(T1),gemm,0,1,10,10,10,10,10,1\r\n\
         ,,,,,,\"void copy, \"\"odd\"\"<int>(T1)\",\"copy, \"\"odd\"\"\",0,1,10,10,10,10,10,1\r\n"
    );
    for write in [write_kernels_csv, write_ranges_csv] {
        let mut csv = Vec::new();
        write(&summary, &mut csv).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap().lines().count(), 3);
    }
    let mut json = Vec::new();
    write_summary_json(&summary, &mut json).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["schema_version"], 1);
    assert_eq!(json["ranges"][0]["time"]["total_ns"], 400);
    assert_eq!(json["kernels_by_region"][1]["region"]["path"], serde_json::json!(["A", "A::A1"]));
}

#[test]
fn a_kernel_counts_once_in_ranges_of_one_name() {
    let mut export = Export::with_tables(false);
    export.push("A", 1, 0, 100);
    export.push("A", 1, 10, 50);
    export.kernel("k", 1, 20, 30, 7);
    let trace = trace(export);
    let by_name = Grouping { by_name: true, ..Grouping::default() };
    let rows = Summary::of(&trace, by_name).unwrap().kernels_by_region;
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].kernel.calls, rows[0].kernel.time.total_ns), (1, 7));
    assert_eq!(Summary::of(&trace, Grouping::default()).unwrap().ranges[0].kernels, Some(1));
}

#[test]
fn the_outermost_of_several_calls_launched_the_kernel() {
    let mut export = Export::with_tables(false);
    export.kernel("k", 1, 20, 30, 7);
    for (start, end) in [(10, 40), (25, 28)] {
        let into = "CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId)";
        export.insert(into, (start, end, PROCESS + 1, 1));
    }
    assert_eq!(trace(export).kernels()[0].call.map(|call| (call.start, call.end)), Some((10, 40)));
}

/// Ranges of one thread that nest, as the (start, end) of a random walk of pushes and pops.
fn nested() -> impl Strategy<Value = Vec<(i64, i64, u8)>> {
    prop::collection::vec((any::<bool>(), 0_u8..3, 1_i64..20), 1..60).prop_map(|steps| {
        let (mut now, mut open, mut ranges) = (0, Vec::new(), Vec::new());
        for (is_push, name, pause) in steps {
            now += pause;
            if is_push {
                open.push((now, name));
            } else if let Some((start, name)) = open.pop() {
                ranges.push((start, now, name));
            }
        }
        ranges.extend(
            open.into_iter()
                .rev()
                .enumerate()
                .map(|(i, (start, name))| (start, now + 1 + i64::try_from(i).unwrap(), name)),
        );
        ranges
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// The sweep finds what looking at every range for every call finds.
    #[test]
    fn the_sweep_agrees_with_a_plain_search(
        push_pop in nested(),
        start_end in prop::collection::vec((0_i64..600, 0_i64..200, 0_u8..3), 0..20),
        calls in prop::collection::vec((0_i64..600, 0_i64..50, 1_i64..3), 1..40),
    ) {
        let mut export = Export::with_tables(false);
        for &(start, end, name) in &push_pop {
            export.push(&format!("p{name}"), 1, start, end);
        }
        for &(start, length, name) in &start_end {
            export.range(60, &format!("s{name}"), 0, PROCESS + 2, start, start + length);
        }
        for &(start, length, thread) in &calls {
            export.kernel("k", thread, start, start + length, 1);
        }
        let trace = trace(export);
        let found = trace.regions_of_kernels(StartEndScope::Process).unwrap();
        for (&(start, length, thread), mut found) in calls.iter().zip(found) {
            let is_around = |range: &&rangescope_read::nsys::Range| {
                let is_there = range.kind == RangeKind::StartEnd || range.thread.tid() == thread.cast_unsigned();
                is_there && range.start <= start && range.end >= start + length
            };
            let mut expected: Vec<_> = trace.ranges().iter().filter(is_around).map(|range| range.region).collect();
            expected.sort();
            expected.dedup();
            found.sort();
            prop_assert_eq!(found, expected);
        }
    }
}
