//! `rangescope dump`: every result of a report as one line of JSON, in file order.

mod unmatched;

use ncu_rep::filter::NvtxFilter;
use ncu_rep::{
    Instance, NvtxAttributes, NvtxDomain, NvtxRange, PayloadValue, ResultData, RuleColumn,
    RuleResult, RuleTable, Value,
};
use rayon::prelude::*;
use serde_json::{Map, Value as Json, json};

use crate::args::DumpArgs;
use crate::failure::Failure;
use crate::ui::Ui;

/// Results whose lines are made in parallel before they are written.
const WAVE: usize = 256;

pub(crate) fn run(args: &DumpArgs, ui: &Ui) -> Result<(), Failure> {
    let filter = NvtxFilter::parse(&args.nvtx_include, &args.nvtx_exclude)?;
    let input = rangescope_run::open(&args.file)?;
    let line = |id: usize, data: &ResultData<'_>| {
        if !filter.is_empty() && !filter.selects(data.nvtx.as_ref()) {
            return Ok(Vec::new());
        }
        let mut line = serde_json::to_vec(&result(id, data, args.instances))?;
        line.push(b'\n');
        Ok(line)
    };
    let progress = ui.progress("dumping");
    let indices: Vec<usize> = (0..input.source.len()).collect();
    let mut damaged = 0u64;
    let mut printed = false;
    Ui::print(|out| {
        for wave in indices.chunks(WAVE) {
            let lines: Vec<Option<std::io::Result<Vec<u8>>>> = wave
                .par_iter()
                .map(|&index| input.source.decode(index).map(|data| line(index, &data)))
                .collect();
            for line in lines {
                match line {
                    Some(line) => {
                        let line = line?;
                        printed |= !line.is_empty();
                        out.write_all(&line)?;
                    }
                    None => damaged += 1,
                }
            }
            let done = wave.last().map_or(0, |last| last + 1);
            progress.update(done as u64, indices.len() as u64);
        }
        Ok(())
    })?;
    ui.input_notes(&input);
    if !printed && !filter.is_empty() {
        unmatched::explain(&input, args, ui);
    }
    if damaged > 0 {
        ui.warn(&format!("{}: {damaged} damaged results were skipped", input.file_name()));
    }
    Ok(())
}

fn result(id: usize, data: &ResultData<'_>, instances: bool) -> Json {
    let mut line = Map::new();
    line.insert("id".into(), id.into());
    line.insert("kind".into(), data.kind.as_str().into());
    line.insert("function".into(), text(&data.function));
    // NVIDIA's reader gives the function's name for a name that the file leaves empty.
    let named = |name: &str| text(if name.is_empty() { &data.function } else { name });
    line.insert("demangled".into(), named(&data.demangled));
    line.insert("mangled".into(), named(&data.mangled));
    line.insert("grid".into(), json!(data.grid));
    line.insert("block".into(), json!(data.block));
    line.insert("process_id".into(), json!(data.process.pid));
    line.insert("device".into(), json!(data.device()));
    line.insert("context".into(), json!(data.context));
    line.insert("stream".into(), json!(data.stream));
    line.insert("thread".into(), json!(data.thread));
    let nvtx = data.nvtx.as_ref().map(|state| {
        let mut domains = Map::new();
        let numbers = state.nth_of_name();
        for (place, (entry, nth)) in state.domains.iter().zip(numbers).enumerate() {
            let mut shown = domain(entry);
            if let Some(stack) = state.process_stacks.as_ref().and_then(|all| all.get(place)) {
                shown["process_push_pop"] = stack.iter().map(|range| text(&range.name)).collect();
            }
            let name = match nth {
                0 => entry.name.to_string(),
                // As in reports: the second domain of a name is `name#2`.
                nth => format!("{}#{}", entry.name, u64::from(nth) + 1),
            };
            domains.insert(name, shown);
        }
        domains
    });
    line.insert("nvtx".into(), nvtx.map_or(Json::Null, Json::Object));
    if data.nvtx.as_ref().is_some_and(|state| state.process_stacks.is_some()) {
        line.insert("push_pop_scope".into(), "process".into());
    }
    let metrics = data
        .metrics
        .iter()
        .map(|metric| (metric.name.to_string(), metric.value.as_ref().map_or(Json::Null, value)));
    line.insert("metrics".into(), Json::Object(metrics.collect()));
    if instances {
        let lists = data.metrics.iter().filter(|metric| !metric.instances.is_empty());
        let lists = lists.map(|metric| {
            (metric.name.to_string(), metric.instances.iter().map(instance).collect())
        });
        line.insert("instances".into(), Json::Object(lists.collect()));
    }
    line.insert("rules".into(), data.rules.iter().map(rule).collect());
    Json::Object(line)
}

fn text(text: &str) -> Json {
    Json::String(text.to_owned())
}

/// Numbers in full precision; JSON has no NaN and no infinity, so they are written as texts.
fn value(value: &Value<'_>) -> Json {
    match value {
        Value::Text(content) => text(content),
        Value::U64(v) => (*v).into(),
        Value::U32(v) => (*v).into(),
        Value::F64(v) => float(*v),
        Value::F32(v) => float(f64::from(*v)),
    }
}

fn float(number: f64) -> Json {
    match number {
        v if v.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        v => v.into(),
    }
}

fn instance(instance: &Instance<'_>) -> Json {
    let part = |part: &Option<Value<'_>>| part.as_ref().map_or(Json::Null, value);
    json!([part(&instance.correlation), part(&instance.value)])
}

fn domain(domain: &NvtxDomain<'_>) -> Json {
    let names = |ranges: &[NvtxRange<'_>]| -> Json {
        ranges.iter().map(|range| text(&range.name)).collect()
    };
    let all_attributes = |ranges: &[NvtxRange<'_>]| -> Json {
        ranges
            .iter()
            .map(|range| range.attributes.as_ref().map_or(Json::Null, attributes))
            .collect()
    };
    json!({
        "push_pop": names(&domain.push_pop),
        "start_end": names(&domain.start_end),
        "start_end_ids": domain.start_end.iter().map(|range| range.id).collect::<Vec<_>>(),
        "push_pop_attributes": all_attributes(&domain.push_pop),
        "start_end_attributes": all_attributes(&domain.start_end),
    })
}

fn attributes(attributes: &NvtxAttributes<'_>) -> Json {
    let payload = attributes.payload.as_ref().map(|(kind, content)| {
        let content = match content {
            None => Json::Null,
            Some(PayloadValue::U64(v)) => (*v).into(),
            Some(PayloadValue::I64(v)) => (*v).into(),
            Some(PayloadValue::F64(v)) => float(*v),
            Some(PayloadValue::U32(v)) => (*v).into(),
            Some(PayloadValue::I32(v)) => (*v).into(),
            Some(PayloadValue::F32(v)) => float(f64::from(*v)),
            Some(PayloadValue::Text(v)) => text(v),
        };
        json!({ "type": kind, "value": content })
    });
    let message = attributes.message.as_ref().map(
        |message| json!({ "type": message.kind, "text": message.text, "handle": message.handle }),
    );
    json!({
        "category": attributes.category,
        "color": attributes.color.map(|(kind, value)| json!({ "type": kind, "value": value })),
        "payload": payload,
        "message": message,
    })
}

fn rule(rule: &RuleResult<'_>) -> Json {
    let items: Vec<Json> = rule
        .items
        .iter()
        .map(|item| {
            let message = item.message.as_ref().map(|message| {
                json!({
                    "text": message.text,
                    "type": message.kind.0,
                    "api_type": message.kind.api_number(),
                    "title": message.title,
                    "id": message.id,
                })
            });
            let speedup = item.speedup.map(|speedup| json!({ "type": speedup.kind_str(), "pct": float(speedup.pct) }));
            let focus: Vec<Json> = item
                .focus_metrics
                .iter()
                .map(|m| json!({ "name": m.name, "value": float(m.value), "severity": m.severity, "info": m.info }))
                .collect();
            let tables: Vec<Json> = item.tables.iter().map(table).collect();
            json!({ "message": message, "speedup": speedup, "focus_metrics": focus, "tables": tables })
        })
        .collect();
    json!({ "rule": rule.id, "name": rule.name, "section": rule.section, "items": items })
}

fn table(table: &RuleTable<'_>) -> Json {
    let columns = table.columns.iter().map(|(name, cells)| {
        let cells: Vec<Json> = match cells {
            RuleColumn::Text(cells) => cells.iter().map(|cell| text(cell)).collect(),
            RuleColumn::F64(cells) => cells.iter().map(|cell| float(*cell)).collect(),
            RuleColumn::I64(cells) => cells.iter().map(|cell| (*cell).into()).collect(),
        };
        json!({ "name": name, "cells": cells })
    });
    json!({
        "title": table.title,
        "description": table.description,
        "columns": columns.collect::<Vec<_>>(),
    })
}
