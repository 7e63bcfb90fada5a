//! What the writer writes, the reader reads.

use std::borrow::Cow;

use ncu_rep::write::ReportWriter;
use ncu_rep::{
    FocusMetric, Instance, MessageKind, Metric, NvtxAttributes, NvtxDomain, NvtxMessage, NvtxRange,
    NvtxState, PayloadValue, Process, Report, ResultData, ResultKind, RuleColumn, RuleItem,
    RuleMessage, RuleResult, RuleTable, Section, SectionMetric, Speedup, Value,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

type Text = Cow<'static, str>;

fn text() -> impl Strategy<Value = Text> {
    prop_oneof![Just(String::new()), "[a-z_]{1,8}", "\\PC{0,6}"].prop_map(Cow::Owned)
}

fn value() -> impl Strategy<Value = Value<'static>> {
    prop_oneof![
        text().prop_map(Value::Text),
        any::<f32>().prop_map(Value::F32),
        any::<f64>().prop_map(Value::F64),
        any::<u32>().prop_map(Value::U32),
        any::<u64>().prop_map(Value::U64),
    ]
}

fn metrics() -> impl Strategy<Value = Vec<Metric<'static>>> {
    let instance = (option::of(value()), value())
        .prop_map(|(correlation, value)| Instance { correlation, value: Some(value) });
    let body = (option::of(value()), vec(instance, 0..3));
    proptest::collection::btree_map("[a-z_.]{1,12}", body, 0..6).prop_map(|metrics| {
        let metric =
            |(name, (value, instances))| Metric { name: Cow::Owned(name), value, instances };
        metrics.into_iter().map(metric).collect()
    })
}

fn attributes() -> impl Strategy<Value = NvtxAttributes<'static>> {
    let payload = prop_oneof![
        any::<u64>().prop_map(|v| (1, Some(PayloadValue::U64(v)))),
        any::<i64>().prop_map(|v| (2, Some(PayloadValue::I64(v)))),
        (-1e9..1e9).prop_map(|v| (3, Some(PayloadValue::F64(v)))),
        any::<u32>().prop_map(|v| (4, Some(PayloadValue::U32(v)))),
        any::<i32>().prop_map(|v| (5, Some(PayloadValue::I32(v)))),
        (-1e9f32..1e9).prop_map(|v| (6, Some(PayloadValue::F32(v)))),
        text().prop_map(|v| (7, Some(PayloadValue::Text(v)))),
        Just((0, None)),
    ];
    (any::<u32>(), any::<u32>(), any::<(u32, u32)>(), payload, 0..3u32, option::of(text()))
        .prop_map(|(version, category, color, payload, kind, text)| NvtxAttributes {
            version,
            category,
            color: Some(color),
            payload: Some(payload),
            message: Some(NvtxMessage { kind, text, handle: None }),
        })
}

fn nvtx() -> impl Strategy<Value = NvtxState<'static>> {
    // A range without a name takes its message's text when it is read, so that names here are never empty.
    let range =
        ("[A-Za-z:/\\[\\]]{1,8}", option::of(attributes())).prop_map(|(name, attributes)| {
            NvtxRange { name: Cow::Owned(name), attributes, ..NvtxRange::default() }
        });
    let range = range.boxed();
    let started = (range.clone(), any::<u64>(), option::of(any::<u32>()))
        .prop_map(|(range, id, thread)| NvtxRange { id: Some(id), thread, ..range });
    let domain = ("[a-z<> ]{1,8}", vec(range, 0..4), vec(started, 0..3)).prop_map(
        |(name, push_pop, start_end)| NvtxDomain { name: Cow::Owned(name), push_pop, start_end },
    );
    vec(domain, 0..3).prop_map(|domains| NvtxState { domains, ..NvtxState::default() })
}

#[test]
fn with_process_scope_a_result_keeps_its_own_ranges_and_filters_see_all() {
    let range = |name: &'static str, thread| NvtxRange {
        name: name.into(),
        thread: Some(thread),
        ..NvtxRange::default()
    };
    let mut data = crate::support::kernel(0);
    let own = NvtxRange { thread: None, ..range("A", 7) };
    let domain =
        NvtxDomain { name: ncu_rep::DEFAULT_DOMAIN.into(), push_pop: vec![own], start_end: vec![] };
    let stacks = vec![vec![range("other", 8), range("A", 7)]];
    data.nvtx = Some(NvtxState { domains: vec![domain], process_stacks: Some(stacks) });
    let report = Report::from_bytes(crate::support::write(&[data.clone()])).unwrap();
    let read = report.result(0).unwrap().decode().unwrap();
    assert_same(&read, &data);
    let selects = |expression: &str| {
        let filter = ncu_rep::filter::NvtxFilter::parse(&[expression], &[""; 0]).unwrap();
        filter.selects(read.nvtx.as_ref())
    };
    assert!(selects("other/") && selects("other/A/") && selects("A/") && !selects("A/other/"));
}

#[test]
fn a_nul_at_the_end_of_a_process_name_is_not_handed_out() {
    let mut data = crate::support::kernel(0);
    data.process.executable = "C:\\a\\b.exe\0".into();
    let report = Report::from_bytes(crate::support::write(&[data])).unwrap();
    assert_eq!(report.processes()[0].executable, "C:\\a\\b.exe");
    assert_eq!(report.result(0).unwrap().process().executable, "C:\\a\\b.exe");
}

fn rules() -> impl Strategy<Value = Vec<RuleResult<'static>>> {
    let message =
        (text(), 0..6u32, option::of(any::<i32>()), text()).prop_map(|(text, kind, id, title)| {
            RuleMessage { text, kind: MessageKind(kind), id, title }
        });
    let focus = (option::of(any::<i32>()), text(), -1e6..1e6, 0..3u32, text()).prop_map(
        |(message_id, name, value, severity, info)| FocusMetric {
            message_id,
            name,
            value,
            severity,
            info,
        },
    );
    let speedup = (0..3u32, 0.0..100.0).prop_map(|(kind, pct)| Speedup { kind, pct });
    let cells = prop_oneof![
        vec(text(), 0..3).prop_map(RuleColumn::Text),
        vec(-1e6..1e6, 1..3).prop_map(RuleColumn::F64),
        vec(any::<i64>(), 1..3).prop_map(RuleColumn::I64),
    ];
    let table = (text(), text(), vec((text(), cells), 0..3))
        .prop_map(|(title, description, columns)| RuleTable { title, description, columns });
    let item = (option::of(message), option::of(speedup), vec(focus, 0..2), vec(table, 0..2))
        .prop_map(|(message, speedup, focus_metrics, tables)| RuleItem {
            message,
            speedup,
            focus_metrics,
            tables,
        });
    let rule = (text(), text(), text(), vec(item, 0..3))
        .prop_map(|(id, name, section, items)| RuleResult { id, name, section, items });
    vec(rule, 0..3)
}

fn sections() -> impl Strategy<Value = Vec<Section<'static>>> {
    let header = (text(), text()).prop_map(|(name, label)| SectionMetric { name, label });
    let named = text().prop_filter("a row names something", |name| !name.is_empty());
    let section = (text(), text(), any::<u32>(), vec(header, 0..3), vec(named, 0..3)).prop_map(
        |(id, name, order, header, timeline)| Section { id, name, order, header, timeline },
    );
    vec(section, 0..3)
}

fn result() -> impl Strategy<Value = ResultData<'static>> {
    let kind = prop_oneof![
        Just(ResultKind::Kernel),
        Just(ResultKind::Range),
        Just(ResultKind::Cmdlist),
        Just(ResultKind::Graph),
    ];
    let process = (any::<u32>(), text(), text()).prop_map(|(pid, host, executable)| Process {
        pid: Some(pid),
        host,
        executable,
    });
    let numbers = (
        any::<u32>(),
        any::<u64>(),
        option::of(any::<u32>()),
        option::of(any::<u32>()),
        option::of(any::<u64>()),
    );
    let shape = (any::<[u64; 3]>(), any::<[u64; 3]>());
    let names = (text(), text(), text(), text(), text());
    (kind, process, numbers, shape, names, option::of(nvtx()), metrics(), sections(), rules())
        .prop_map(
            |(
                kind,
                process,
                (thread, api_call, context, stream, time),
                (grid, block),
                names,
                nvtx,
                metrics,
                sections,
                rules,
            )| {
                let (function, demangled, mangled, context_name, stream_name) = names;
                let named = kind == ResultKind::Kernel;
                let shaped = matches!(kind, ResultKind::Kernel | ResultKind::Cmdlist);
                ResultData {
                    kind,
                    process,
                    thread,
                    api_call,
                    // Ranges and graphs have no stored name; only kernels have three.
                    function: match kind {
                        ResultKind::Range => "range".into(),
                        ResultKind::Graph => "graph".into(),
                        ResultKind::Kernel | ResultKind::Cmdlist => function,
                    },
                    demangled: if named { demangled } else { Text::default() },
                    mangled: if named { mangled } else { Text::default() },
                    grid: shaped.then_some(grid),
                    block: shaped.then_some(block),
                    context,
                    stream: stream.filter(|_| kind != ResultKind::Range),
                    context_name,
                    stream_name: if kind == ResultKind::Range {
                        Text::default()
                    } else {
                        stream_name
                    },
                    time,
                    source: time.filter(|&source| named && source > 0),
                    nvtx,
                    sampled: metrics.iter().skip(1).map(|metric| metric.name.clone()).collect(),
                    metrics,
                    sections,
                    rules,
                }
            },
        )
}

/// Equal in every bit: NaN equals NaN, which `==` denies.
fn assert_same(left: &ResultData<'_>, right: &ResultData<'_>) {
    assert_eq!(format!("{left:?}"), format!("{right:?}"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everything_written_is_read_again(results in vec(result(), 1..5)) {
        let report = Report::from_bytes(crate::support::write(&results)).unwrap();
        prop_assert!(report.damage().is_empty());
        prop_assert_eq!(report.len(), results.len());
        for (view, data) in report.results().zip(&results) {
            assert_same(&view.decode().unwrap(), data);
        }
    }

    #[test]
    fn copies_and_merges_keep_everything(first in vec(result(), 1..3), second in vec(result(), 1..3)) {
        let mut writer = ReportWriter::new(Vec::new()).unwrap();
        for results in [&first, &second] {
            writer.copy_report(&Report::from_bytes(crate::support::write(results)).unwrap()).unwrap();
        }
        let merged = Report::from_bytes(writer.finish().unwrap()).unwrap();
        let all: Vec<_> = first.iter().chain(&second).collect();
        prop_assert_eq!(merged.len(), all.len());
        for (view, data) in merged.results().zip(all) {
            assert_same(&view.decode().unwrap(), data);
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..400), prefix in 0..3u8) {
        let start: &[u8] = match prefix { 0 => b"NVR\0\x02\0\0\0\x08\x07", 1 => b"\x28\xb5\x2f\xfd", _ => b"" };
        if let Ok(report) = Report::from_bytes([start, &bytes].concat()) {
            for view in report.results() {
                let _ = view.decode();
            }
            let _ = (report.session(), report.processes(), report.sources().count());
        }
    }
}
