//! Results, encoded. The mirror image of [`crate::result`] and [`crate::decode`].

use rustc_hash::FxHashSet;

use super::encode::Message;
use crate::model::{
    DEFAULT_DOMAIN, Metric, NvtxAttributes, NvtxRange, NvtxState, PayloadValue, ResultData,
    ResultKind, RuleColumn, RuleResult, RuleTable, Section, Value,
};

/// Encodes a result; `name_id` gives the id of a metric's name.
pub(super) fn result(data: &ResultData<'_>, mut name_id: impl FnMut(&str) -> u64) -> Message {
    let mut out = Message::default();
    out.uint(1, u64::from(data.thread));
    out.uint(2, data.api_call);
    match data.kind {
        ResultKind::Kernel => kernel(&mut out, data, &mut name_id),
        ResultKind::Range | ResultKind::Cmdlist | ResultKind::Graph => {
            workload(&mut out, data, &mut name_id);
        }
    }
    out
}

fn kernel(out: &mut Message, data: &ResultData<'_>, name_id: &mut impl FnMut(&str) -> u64) {
    out.uint(3, 0);
    out.uint(4, 0);
    out.text(5, &data.mangled);
    out.text(6, &data.function);
    out.text(7, &data.demangled);
    out.uint(8, 3);
    out.message(9, |m| xyz(m, [0; 3]));
    out.message(10, |m| xyz(m, data.grid.unwrap_or([1; 3])));
    out.message(11, |m| xyz(m, data.block.unwrap_or([1; 3])));
    let is_sampled = sampled(data);
    for entry in &data.metrics {
        out.message(13, |m| metric(m, entry, name_id(&entry.name), is_sampled(entry)));
    }
    if let Some(time) = data.time {
        out.uint(14, time);
    }
    // NVIDIA's readers require a source reference; 0 refers to none.
    out.message(15, |m| m.uint(1, data.source.unwrap_or(0)));
    for entry in &data.sections {
        out.message(17, |m| section(m, entry));
    }
    for entry in &data.rules {
        out.message(19, |m| rule(m, entry));
    }
    if let Some(state) = &data.nvtx {
        out.message(21, |m| nvtx(m, state, data.thread));
    }
    optional(out, 22, data.context);
    optional(out, 23, data.stream);
    out.text_if(26, &data.context_name);
    out.text_if(27, &data.stream_name);
}

/// Ranges, command lists and graphs share most of their layout.
fn workload(out: &mut Message, data: &ResultData<'_>, name_id: &mut impl FnMut(&str) -> u64) {
    let is_sampled = sampled(data);
    for entry in &data.metrics {
        out.message(4, |m| metric(m, entry, name_id(&entry.name), is_sampled(entry)));
    }
    if let Some(time) = data.time {
        out.uint(5, time);
    }
    for entry in &data.sections {
        out.message(7, |m| section(m, entry));
    }
    if let Some(state) = &data.nvtx {
        out.message(10, |m| nvtx(m, state, data.thread));
    }
    optional(out, 11, data.context);
    if data.kind == ResultKind::Range {
        out.text_if(13, &data.context_name);
    } else {
        optional(out, 12, data.stream);
        out.text_if(14, &data.context_name);
        out.text_if(15, &data.stream_name);
    }
    let rules = match data.kind {
        ResultKind::Cmdlist => {
            out.text(18, &data.function);
            out.uint(19, 3);
            if let (Some(grid), Some(block)) = (data.grid, data.block) {
                out.message(20, |m| {
                    m.message(1, |m| xyz(m, grid));
                    m.message(2, |m| xyz(m, block));
                });
            }
            21
        }
        ResultKind::Graph => 22,
        ResultKind::Range | ResultKind::Kernel => 20,
    };
    for entry in &data.rules {
        out.message(rules, |m| rule(m, entry));
    }
}

fn optional(out: &mut Message, field: u32, value: Option<u32>) {
    if let Some(value) = value {
        out.uint(field, u64::from(value));
    }
}

fn xyz(out: &mut Message, [x, y, z]: [u64; 3]) {
    out.uint(1, x);
    out.uint(2, y);
    out.uint(3, z);
}

/// Whether a metric was sampled over time.
fn sampled(data: &ResultData<'_>) -> impl Fn(&Metric<'_>) -> bool {
    let names: FxHashSet<&str> = data.sampled.iter().map(|name| &**name).collect();
    move |metric| names.contains(&*metric.name)
}

fn metric(out: &mut Message, metric: &Metric<'_>, name_id: u64, is_sampled: bool) {
    out.uint(1, name_id);
    if let Some(content) = &metric.value {
        out.message(2, |m| value(m, content));
    }
    for instance in &metric.instances {
        out.message(3, |m| {
            if let Some(correlation) = &instance.correlation {
                m.message(1, |m| value(m, correlation));
            }
            m.message(2, |m| {
                if let Some(content) = &instance.value {
                    value(m, content);
                }
            });
        });
    }
    if is_sampled {
        out.uint(4, 1);
    }
}

fn value(out: &mut Message, content: &Value<'_>) {
    match content {
        Value::Text(text) => out.text(1, text),
        Value::F32(v) => out.float32(2, *v),
        Value::F64(v) => out.float64(3, *v),
        Value::U32(v) => out.uint(4, u64::from(*v)),
        Value::U64(v) => out.uint(5, *v),
    }
}

fn section(out: &mut Message, section: &Section<'_>) {
    out.text(1, &section.id);
    out.text(2, &section.name);
    out.uint(3, u64::from(section.order));
    out.message(4, |m| {
        m.uint(1, section.header.len().div_ceil(2) as u64);
        for metric in &section.header {
            m.message(2, |m| {
                m.text(1, &metric.name);
                m.text(2, &metric.label);
            });
        }
    });
    if !section.timeline.is_empty() {
        let timeline = |m: &mut Message| {
            m.message(2, |group| {
                group.text(1, &section.name);
                group.uint(3, 1);
                for name in &section.timeline {
                    group.message(4, |row| {
                        row.message(4, |m| {
                            m.text(1, name);
                            m.text(2, name);
                        });
                    });
                }
            });
        };
        out.message(5, |body| {
            body.message(1, |item| item.message(113, timeline));
            body.text(2, &section.name);
        });
    }
}

fn rule(out: &mut Message, rule: &RuleResult<'_>) {
    out.text(1, &rule.id);
    out.text(2, &rule.name);
    out.message(3, |m| {
        for item in &rule.items {
            m.message(1, |m| {
                if let Some(message) = &item.message {
                    m.message(1, |m| {
                        m.text(1, &message.text);
                        m.uint(2, u64::from(message.kind.0));
                        if let Some(id) = message.id {
                            m.uint(3, i64::from(id).cast_unsigned());
                        }
                        m.text_if(4, &message.title);
                    });
                }
                for focus in &item.focus_metrics {
                    m.message(8, |m| {
                        if let Some(id) = focus.message_id {
                            m.uint(1, i64::from(id).cast_unsigned());
                        }
                        m.text(2, &focus.name);
                        m.float64(3, focus.value);
                        m.uint(4, u64::from(focus.severity));
                        m.text_if(5, &focus.info);
                    });
                }
                if let Some(speedup) = item.speedup {
                    m.message(10, |m| {
                        m.uint(1, u64::from(speedup.kind));
                        m.float64(2, speedup.pct);
                    });
                }
                for entry in &item.tables {
                    m.message(12, |m| table(m, entry));
                }
            });
        }
    });
    out.text(4, &rule.section);
}

fn table(out: &mut Message, table: &RuleTable<'_>) {
    out.message(1, |m| {
        m.text(1, &table.title);
        m.text(2, &table.description);
    });
    for (name, cells) in &table.columns {
        out.message(2, |m| {
            m.text(1, name);
            // NVIDIA's readers require type and size.
            let (kind, size) = match cells {
                RuleColumn::F64(cells) => (1, cells.len()),
                RuleColumn::I64(cells) => (2, cells.len()),
                RuleColumn::Text(cells) => (3, cells.len()),
            };
            m.uint(2, kind);
            m.uint(3, size as u64);
            match cells {
                RuleColumn::Text(cells) => cells.iter().for_each(|cell| m.text(4, cell)),
                RuleColumn::F64(cells) => cells.iter().for_each(|cell| m.float64(5, *cell)),
                RuleColumn::I64(cells) => {
                    for cell in cells {
                        m.uint(6, cell.cast_unsigned());
                    }
                }
            }
        });
    }
}

fn nvtx(out: &mut Message, state: &NvtxState<'_>, thread: u32) {
    // The default domain has id 0 in every real file; the others are numbered from 1.
    let ids: Vec<u64> = (1..)
        .zip(&state.domains)
        .map(|(number, domain)| if domain.name == DEFAULT_DOMAIN { 0 } else { number })
        .collect();
    for (&id, domain) in ids.iter().zip(&state.domains) {
        out.message(1, |m| {
            m.uint(1, id);
            m.text(2, &domain.name);
            for range in domain.push_pop.iter().chain(&domain.start_end) {
                let message =
                    range.attributes.as_ref().and_then(|attributes| attributes.message.as_ref());
                if let Some((handle, text)) =
                    message.and_then(|message| Some((message.handle?, message.text.as_ref()?)))
                {
                    m.message(3, |m| {
                        m.uint(1, handle);
                        m.text(2, text);
                    });
                }
            }
        });
    }
    match &state.process_stacks {
        None => out.message(2, |m| {
            m.uint(1, u64::from(thread));
            for (&id, domain) in ids.iter().zip(&state.domains) {
                stack(m, id, &domain.push_pop);
            }
        }),
        Some(stacks) => {
            for (&id, ranges) in ids.iter().zip(stacks) {
                for ranges in ranges.chunk_by(|one, next| one.thread == next.thread) {
                    let owner = ranges.first().and_then(|range| range.thread).unwrap_or(thread);
                    out.message(2, |m| {
                        m.uint(1, u64::from(owner));
                        stack(m, id, ranges);
                    });
                }
            }
        }
    }
    for (&id, domain) in
        ids.iter().zip(&state.domains).filter(|(_, domain)| !domain.start_end.is_empty())
    {
        out.message(3, |m| {
            m.uint(1, id);
            for range in &domain.start_end {
                m.message(3, |m| start_end_range(m, range));
            }
        });
    }
    out.uint(4, 0);
    if state.process_stacks.is_some() {
        out.uint(5, 1);
    }
}

/// The push/pop ranges of one thread in one domain.
fn stack(out: &mut Message, domain: u64, ranges: &[NvtxRange<'_>]) {
    out.message(2, |m| {
        m.uint(1, domain);
        for range in ranges {
            m.message(3, |m| push_pop_range(m, range));
        }
    });
}

fn push_pop_range(out: &mut Message, range: &NvtxRange<'_>) {
    out.text(1, &range.name);
    if let Some(content) = &range.attributes {
        out.message(2, |m| attributes(m, content));
    }
    if let Some(id) = range.id {
        out.uint(4, id);
    }
}

fn start_end_range(out: &mut Message, range: &NvtxRange<'_>) {
    out.uint(1, range.id.unwrap_or(0));
    out.text(2, &range.name);
    if let Some(content) = &range.attributes {
        out.message(3, |m| attributes(m, content));
    }
    optional(out, 5, range.thread);
}

/// All five parts are required once there are attributes.
fn attributes(out: &mut Message, content: &NvtxAttributes<'_>) {
    out.uint(1, u64::from(content.version));
    out.uint(2, u64::from(content.category));
    out.message(3, |m| {
        let (kind, color) = content.color.unwrap_or_default();
        m.uint(1, u64::from(kind));
        m.uint(2, u64::from(color));
    });
    out.message(4, |m| {
        let (kind, value) = content.payload.clone().unwrap_or_default();
        m.uint(1, u64::from(kind));
        match value {
            Some(PayloadValue::U64(v)) => m.uint(2, v),
            Some(PayloadValue::I64(v)) => m.uint(3, v.cast_unsigned()),
            Some(PayloadValue::F64(v)) => m.float64(4, v),
            Some(PayloadValue::U32(v)) => m.uint(5, u64::from(v)),
            Some(PayloadValue::I32(v)) => m.uint(6, i64::from(v).cast_unsigned()),
            Some(PayloadValue::F32(v)) => m.float32(7, v),
            Some(PayloadValue::Text(text)) => m.text(8, &text),
            None => {}
        }
    });
    out.message(5, |m| {
        let message = content.message.clone().unwrap_or_default();
        m.uint(1, u64::from(message.kind));
        if let Some(text) = &message.text {
            m.text(2, text);
        }
        if let Some(handle) = message.handle {
            m.uint(3, handle);
        }
    });
}
