//! Reports made by our own writer, one for each thing that it can write, for NVIDIA's readers to open.

use std::borrow::Cow;
use std::io;

use ncu_rep::write::ReportWriter;
use ncu_rep::{
    DEFAULT_DOMAIN, FocusMetric, Instance, MessageKind, Metric, NvtxAttributes, NvtxDomain,
    NvtxMessage, NvtxRange, NvtxState, PayloadValue, ResultData, ResultKind, RuleColumn, RuleItem,
    RuleMessage, RuleResult, RuleTable, Speedup, Value,
};
use rangescope_sim::sample;

use crate::sampled_reports::samples;
use crate::{Done, say};

pub(crate) fn run(dir: &str) -> Done {
    fs_err::create_dir_all(dir)?;
    let one = sample::results(4242, 0);
    let mut several = sample::results(4242, 0);
    several.extend(sample::results(4243, 1));
    let reports = [
        ("sample", one.clone()),
        ("processes", several),
        ("nvtx", nvtx(&one)),
        ("kinds", kinds(&one)),
        ("rules", rules(&one)),
        ("instances", instances(&one)),
        ("samples", samples(&one)),
    ];
    for (name, results) in &reports {
        fs_err::write(format!("{dir}/{name}.ncu-rep"), report(results)?)?;
    }
    say(&format!("{} reports written to {dir}", reports.len()));
    Ok(())
}

/// A report with these results.
pub(crate) fn report<'r>(
    results: impl IntoIterator<Item = &'r ResultData<'static>>,
) -> io::Result<Vec<u8>> {
    let mut writer = ReportWriter::new(Vec::new())?;
    writer.session(&sample::session(), &sample::process(4242))?;
    for data in results {
        writer.result(data)?;
    }
    writer.finish()
}

fn nvtx(results: &[ResultData<'static>]) -> Vec<ResultData<'static>> {
    let plain = |name: &'static str| NvtxRange { name: name.into(), ..NvtxRange::default() };
    let payloads = [
        (1, PayloadValue::U64(u64::MAX)),
        (2, PayloadValue::I64(-3)),
        (3, PayloadValue::F64(0.1)),
        (4, PayloadValue::U32(7)),
        (5, PayloadValue::I32(-7)),
        (6, PayloadValue::F32(2.5)),
    ];
    let rich = payloads.map(|(kind, value)| NvtxRange {
        name: Cow::Owned(format!("payload {kind}")),
        attributes: Some(NvtxAttributes {
            version: 2,
            category: kind,
            color: Some((1, 0xff00_00ff)),
            payload: Some((kind, Some(value))),
            message: Some(NvtxMessage {
                kind: 1,
                text: Some(Cow::Owned(format!("payload {kind}"))),
                handle: None,
            }),
        }),
        ..NvtxRange::default()
    });
    let started =
        |id, name: &'static str| NvtxRange { id: Some(id), thread: Some(4242), ..plain(name) };
    let states = [
        None,
        Some(vec![]),
        Some(vec![(DEFAULT_DOMAIN, vec![plain("A"), plain("A::A1")], vec![])]),
        Some(vec![(DEFAULT_DOMAIN, vec![plain("B")], vec![started(1, "S"), started(2, "T")])]),
        Some(vec![
            (DEFAULT_DOMAIN, vec![], vec![]),
            ("LLM", vec![plain("decode"), plain("größe"), plain("")], vec![started(3, "S")]),
        ]),
        Some(vec![(DEFAULT_DOMAIN, rich.to_vec(), vec![])]),
    ];
    let state = |domains: Vec<(&'static str, Vec<NvtxRange<'static>>, Vec<NvtxRange<'static>>)>| {
        NvtxState {
            domains: domains
                .into_iter()
                .map(|(name, push_pop, start_end)| NvtxDomain {
                    name: name.into(),
                    push_pop,
                    start_end,
                })
                .collect(),
            ..NvtxState::default()
        }
    };
    results
        .iter()
        .zip(states)
        .map(|(data, domains)| ResultData { nvtx: domains.map(state), ..data.clone() })
        .collect()
}

/// One result of each kind; the names of ranges and graphs are not stored.
fn kinds(results: &[ResultData<'static>]) -> Vec<ResultData<'static>> {
    let kinds = [
        (ResultKind::Kernel, "kernel"),
        (ResultKind::Range, "range"),
        (ResultKind::Cmdlist, "list of commands"),
        (ResultKind::Graph, "graph"),
        (ResultKind::Range, "range"),
    ];
    results
        .iter()
        .zip(kinds)
        .map(|(data, (kind, name))| {
            // NVIDIA's reader takes the shape of whatever has these, and only launches of kernels do.
            let is_shape = |metric: &Metric<'_>| metric.name.starts_with("launch__");
            let keeps = |metric: &&Metric<'_>| kind == ResultKind::Kernel || !is_shape(metric);
            ResultData {
                kind,
                function: name.into(),
                rules: Vec::new(),
                // Without metrics of the launch no multiple of the block, so that it cannot be one in threads.
                grid: data.grid.map(|[x, y, z]| [x + u64::from(kind != ResultKind::Kernel), y, z]),
                metrics: data.metrics.iter().filter(keeps).cloned().collect(),
                ..data.clone()
            }
        })
        .collect()
}

fn rules(results: &[ResultData<'static>]) -> Vec<ResultData<'static>> {
    // Type 4 is unknown to ncu before 2024; the older reader would refuse the whole file.
    let item = |kind, text: &'static str, speedup| RuleItem {
        message: Some(RuleMessage {
            text: text.into(),
            kind: MessageKind(kind),
            id: Some(0),
            title: "Title".into(),
        }),
        speedup,
        focus_metrics: vec![FocusMetric {
            message_id: Some(0),
            name: "gpu__time_duration.sum".into(),
            value: 1.5,
            severity: 2,
            info: "shorter is better".into(),
        }],
        tables: vec![RuleTable {
            title: "Lines".into(),
            description: "where it happens".into(),
            columns: vec![
                (
                    "Line".into(),
                    RuleColumn::Text(vec!["@source:a.cu:7:a.cu, line 7@".into(), "".into()]),
                ),
                ("Share".into(), RuleColumn::F64(vec![0.75, f64::NAN])),
                ("Count".into(), RuleColumn::I64(vec![i64::MAX, -3])),
                ("Empty".into(), RuleColumn::Text(Vec::new())),
            ],
        }],
    };
    let rule = RuleResult {
        id: "Advice".into(),
        name: "Advice".into(),
        section: "SpeedOfLight".into(),
        items: vec![
            item(1, "all is well", None),
            item(2, "look at @section:Occupancy:Occupancy@", Some(Speedup { kind: 2, pct: 12.5 })),
            item(3, "cannot tell", Some(Speedup { kind: 1, pct: 3.0 })),
        ],
    };
    results
        .iter()
        .take(2)
        .map(|data| ResultData { rules: vec![rule.clone()], ..data.clone() })
        .collect()
}

fn instances(results: &[ResultData<'static>]) -> Vec<ResultData<'static>> {
    let by_address = (0..5u32).map(|n| Instance {
        correlation: Some(Value::U64(0x7f00_0000_0000 + u64::from(n) * 16)),
        value: Some(Value::F64(f64::from(n) / 3.0)),
    });
    let by_opcode = ["FFMA", "LDG"].map(|opcode| Instance {
        correlation: Some(Value::Text(opcode.into())),
        value: Some(Value::U64(u64::MAX)),
    });
    let extra = [
        Metric {
            name: "smsp__pcsamp_sample_buffer_full".into(),
            value: Some(Value::U64(0)),
            instances: Vec::new(),
        },
        Metric {
            name: "inst_executed".into(),
            value: Some(Value::F64(10.0)),
            instances: by_address.collect(),
        },
        Metric {
            name: "sass__inst_executed_per_opcode".into(),
            value: Some(Value::F64(2.0)),
            instances: by_opcode.into(),
        },
        Metric {
            name: "not_a_number".into(),
            value: Some(Value::F64(f64::NAN)),
            instances: Vec::new(),
        },
    ];
    let mut results: Vec<ResultData<'static>> = results.iter().take(2).cloned().collect();
    for data in &mut results {
        data.metrics.extend(extra.iter().cloned());
    }
    results
}
